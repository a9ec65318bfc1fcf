//! Skinning of eight vertices at once, on processors with AVX2 and FMA. On other processors,
//! `skinning.rs` skins one vertex at a time.
//!
//! Matrices are blended per vertex, with two columns per vector, and then transposed. Positions and
//! normals are computed per component for eight vertices. All functions must be inlined: a call
//! would lose the wide vectors.

use core::arch::x86_64::{__m128, __m256};

use glam::{Vec3, Vec4};
use pulp::x86::V3;

use ulna_geometry::eight_lanes;

/// Number of vertices per block.
pub(super) const EIGHT: usize = 8;
/// The x, y and z components of eight vectors.
type Three = [__m256; 3];

/// Skins vertices in blocks of eight, with the vector instructions of the processor.
#[derive(Clone, Copy)]
pub(super) struct Skinner<'a> {
    simd: V3,
    /// Matrices of the palette. Each consists of columns x and y, then column z and the
    /// translation. The last matrix is zero, for joints outside of the palette.
    palette: &'a [[[f32; 8]; 2]],
}

impl<'a> Skinner<'a> {
    /// Creates a skinner; `None` if the processor lacks AVX2, or it is forbidden. The last matrix
    /// of the palette must be zero.
    pub(super) fn new(palette: &'a [[Vec4; 4]]) -> Option<Self> {
        Some(Self { simd: eight_lanes()?, palette: bytemuck::cast_slice(palette) })
    }

    /// Skins all vertices but the last incomplete block of eight. `slots` returns a vertex's joints
    /// and weights.
    pub(super) fn skin<'b>(
        self,
        slots: impl Fn(usize) -> (&'b [u16], &'b [f32]),
        positions: &[Vec3],
        normals: &[Vec3],
        out: &mut [Vec3],
        out_normals: &mut [Vec3],
    ) {
        self.simd.vectorize(
            #[inline(always)]
            || {
                let (p, n) = (positions.as_chunks::<EIGHT>().0, normals.as_chunks::<EIGHT>().0);
                let (out, out_normals) =
                    (out.as_chunks_mut::<EIGHT>().0, out_normals.as_chunks_mut::<EIGHT>().0);
                let count = p.len().min(n.len()).min(out.len()).min(out_normals.len());
                for k in 0..count {
                    let zero = [0.0f32; 8];
                    let (mut front, mut back) = ([cast(zero); EIGHT], [cast(zero); EIGHT]);
                    for v in 0..EIGHT {
                        let (joints, weights) = slots(k * EIGHT + v);
                        [front[v], back[v]] = self.sum(joints, weights);
                    }
                    let ([x, y], [z, w]) = (self.columns(&front), self.columns(&back));
                    out[k] = self.scatter(self.position([&x, &y, &z, &w], &self.gather(&p[k])));
                    out_normals[k] = self.scatter(self.normal([&x, &y, &z], &self.gather(&n[k])));
                }
            },
        );
    }

    /// Blends the matrices of a vertex, `Σ w·T`, with two columns per vector.
    #[inline(always)]
    fn sum(self, joints: &[u16], weights: &[f32]) -> [__m256; 2] {
        let (avx, fma) = (self.simd.avx, self.simd.fma);
        let none = self.palette.len() - 1;
        let mut sum = [cast([0.0f32; 8]); 2];
        let count = joints.len().min(weights.len());
        let (joints, weights) = (&joints[..count], &weights[..count]);
        for k in 0..count {
            let [front, back] = &self.palette[usize::from(joints[k]).min(none)];
            let weight = avx._mm256_set1_ps(weights[k]);
            sum = [
                fma._mm256_fmadd_ps(cast(*front), weight, sum[0]),
                fma._mm256_fmadd_ps(cast(*back), weight, sum[1]),
            ];
        }
        sum
    }

    /// Transposes two columns of eight vertices: returns the components of the first column and of
    /// the second column.
    #[inline(always)]
    fn columns(self, rows: &[__m256; EIGHT]) -> [Three; 2] {
        let avx = self.simd.avx;
        let low = self.four([rows[0], rows[1], rows[2], rows[3]]);
        let high = self.four([rows[4], rows[5], rows[6], rows[7]]);
        let mut out = [low; 2];
        for k in 0..3 {
            out[0][k] = avx._mm256_permute2f128_ps::<0x20>(low[k], high[k]);
            out[1][k] = avx._mm256_permute2f128_ps::<0x31>(low[k], high[k]);
        }
        out
    }

    /// Transposes four vertices: each result has one component of the first column, then of the
    /// second column.
    #[inline(always)]
    fn four(self, [a, b, c, d]: [__m256; 4]) -> Three {
        let avx = self.simd.avx;
        let (ab, cd) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpacklo_ps(c, d));
        let (ab_z, cd_z) = (avx._mm256_unpackhi_ps(a, b), avx._mm256_unpackhi_ps(c, d));
        [
            avx._mm256_shuffle_ps::<0x44>(ab, cd),
            avx._mm256_shuffle_ps::<0xEE>(ab, cd),
            avx._mm256_shuffle_ps::<0x44>(ab_z, cd_z),
        ]
    }

    /// Skins positions. They are not divided by the sum of weights, since a sum other than 1 must
    /// scale the translation, too.
    #[inline(always)]
    fn position(self, [x, y, z, w]: [&Three; 4], p: &Three) -> Three {
        let fma = self.simd.fma;
        let mut out = *w;
        for (k, out) in out.iter_mut().enumerate() {
            *out = fma._mm256_fmadd_ps(z[k], p[2], *out);
            *out = fma._mm256_fmadd_ps(y[k], p[1], *out);
            *out = fma._mm256_fmadd_ps(x[k], p[0], *out);
        }
        out
    }

    /// Skins normals with the cofactor matrix times the sign of the determinant, and normalizes
    /// them. A normal of length 0 stays zero.
    #[inline(always)]
    fn normal(self, [x, y, z]: [&Three; 3], n: &Three) -> Three {
        const LESS: i32 = 0x11;
        let (avx, fma) = (self.simd.avx, self.simd.fma);
        let (yz, zx, xy) = (self.cross(y, z), self.cross(z, x), self.cross(x, y));
        let zero = cast([0.0f32; 8]);
        let mirrored = avx._mm256_cmp_ps::<LESS>(self.dot(x, &yz), zero);
        let mut out = yz;
        for (k, out) in out.iter_mut().enumerate() {
            *out = avx._mm256_mul_ps(*out, n[0]);
            *out = fma._mm256_fmadd_ps(zx[k], n[1], *out);
            *out = fma._mm256_fmadd_ps(xy[k], n[2], *out);
        }
        let one = avx._mm256_set1_ps(1.0);
        let over = avx._mm256_div_ps(one, avx._mm256_sqrt_ps(self.dot(&out, &out)));
        let some = avx._mm256_cmp_ps::<LESS>(over, avx._mm256_set1_ps(f32::INFINITY));
        let sign = avx._mm256_and_ps(mirrored, avx._mm256_set1_ps(-0.0));
        let scale = avx._mm256_xor_ps(avx._mm256_and_ps(over, some), sign);
        for out in &mut out {
            *out = avx._mm256_and_ps(avx._mm256_mul_ps(*out, scale), some);
        }
        out
    }

    #[inline(always)]
    fn cross(self, a: &Three, b: &Three) -> Three {
        let avx = self.simd.avx;
        // Computed without FMA, so that the cross product of parallel vectors is exactly zero.
        let (yz, zy) = (avx._mm256_mul_ps(a[1], b[2]), avx._mm256_mul_ps(a[2], b[1]));
        let (zx, xz) = (avx._mm256_mul_ps(a[2], b[0]), avx._mm256_mul_ps(a[0], b[2]));
        let (xy, yx) = (avx._mm256_mul_ps(a[0], b[1]), avx._mm256_mul_ps(a[1], b[0]));
        [avx._mm256_sub_ps(yz, zy), avx._mm256_sub_ps(zx, xz), avx._mm256_sub_ps(xy, yx)]
    }

    #[inline(always)]
    fn dot(self, a: &Three, b: &Three) -> __m256 {
        let (avx, fma) = (self.simd.avx, self.simd.fma);
        fma._mm256_fmadd_ps(
            a[2],
            b[2],
            fma._mm256_fmadd_ps(a[1], b[1], avx._mm256_mul_ps(a[0], b[0])),
        )
    }

    /// Loads eight vectors by component.
    #[inline(always)]
    fn gather(self, from: &[Vec3; EIGHT]) -> Three {
        let avx = self.simd.avx;
        let quarters: &[[f32; 4]; 6] = bytemuck::cast_ref(from);
        // Order of the components of each four vectors: x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3.
        let a = avx._mm256_set_m128(cast4(quarters[3]), cast4(quarters[0]));
        let b = avx._mm256_set_m128(cast4(quarters[4]), cast4(quarters[1]));
        let c = avx._mm256_set_m128(cast4(quarters[5]), cast4(quarters[2]));
        // Order of the components: x2 y2 x3 y3, and y0 z0 y1 z1.
        let right = avx._mm256_shuffle_ps::<0b10_01_11_10>(b, c);
        let left = avx._mm256_shuffle_ps::<0b01_00_10_01>(a, b);
        [
            avx._mm256_shuffle_ps::<0b10_00_11_00>(a, right),
            avx._mm256_shuffle_ps::<0b11_01_10_00>(left, right),
            avx._mm256_shuffle_ps::<0b11_00_11_01>(left, c),
        ]
    }

    /// Converts components back to eight vectors.
    #[inline(always)]
    fn scatter(self, [x, y, z]: Three) -> [Vec3; EIGHT] {
        let avx = self.simd.avx;
        // Order of the components: x0 x2 y0 y2, y1 y3 z1 z3, z0 z2 x1 x3.
        let xy = avx._mm256_shuffle_ps::<0b10_00_10_00>(x, y);
        let yz = avx._mm256_shuffle_ps::<0b11_01_11_01>(y, z);
        let zx = avx._mm256_shuffle_ps::<0b11_01_10_00>(z, x);
        let a = avx._mm256_shuffle_ps::<0b10_00_10_00>(xy, zx);
        let b = avx._mm256_shuffle_ps::<0b11_01_10_00>(yz, xy);
        let c = avx._mm256_shuffle_ps::<0b11_01_11_01>(zx, yz);
        let whole: [[f32; 8]; 3] = [
            back(avx._mm256_permute2f128_ps::<0x20>(a, b)),
            back(avx._mm256_permute2f128_ps::<0x30>(c, a)),
            back(avx._mm256_permute2f128_ps::<0x31>(b, c)),
        ];
        bytemuck::cast(whole)
    }
}

#[inline(always)]
fn cast(from: [f32; 8]) -> __m256 {
    bytemuck::cast(from)
}

#[inline(always)]
fn cast4(from: [f32; 4]) -> __m128 {
    bytemuck::cast(from)
}

#[inline(always)]
fn back(from: __m256) -> [f32; 8] {
    bytemuck::cast(from)
}
