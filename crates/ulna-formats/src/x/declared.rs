//! Vertex data of newer exporters, in `DeclData` and `FVFData` objects. It consists of 32-bit
//! words, laid out per vertex as in Direct3D vertex declarations.

use glam::Vec3;

use super::builder::{Builder, Numbers, fail, linear, mirror};
use crate::gltf::ReadError;

/// Vertex attributes other than the position, with one entry per vertex of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangents, with the sign of the bitangent in w.
    pub tangents: Option<Vec<[f32; 4]>>,
    pub uvs: [Option<Vec<[f32; 2]>>; 2],
    pub colors: Option<Vec<[f32; 4]>>,
}

/// Element of a vertex declaration: its type (`D3DDECLTYPE`) and usage (`D3DDECLUSAGE`).
#[derive(Clone, Copy, Debug)]
struct Element {
    kind: Kind,
    usage: u32,
    index: u32,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Floats(usize),
    /// Color bytes: alpha in the highest byte, then red, green and blue.
    Color,
    /// Four bytes, divided by this factor: 1 or 255.
    Bytes(f32),
    /// 16-bit integers: their count, whether they are signed, and the value that represents 1.
    Shorts(usize, bool, f32),
    Halves(usize),
    /// Three numbers of ten bits each, signed if the flag is set.
    Tens(bool),
}

// Constants of `D3DDECLUSAGE`.
const NORMAL: u32 = 3;
const TEXCOORD: u32 = 5;
const TANGENT: u32 = 6;
const BINORMAL: u32 = 7;
const COLOR: u32 = 10;

impl Kind {
    /// Type with a `D3DDECLTYPE` number; `None` if it is unknown.
    const fn numbered(kind: u32) -> Option<Self> {
        Some(match kind {
            0..=3 => Self::Floats(kind as usize + 1),
            4 => Self::Color,
            5 => Self::Bytes(1.0),
            6 => Self::Shorts(2, true, 1.0),
            7 => Self::Shorts(4, true, 1.0),
            8 => Self::Bytes(255.0),
            9 => Self::Shorts(2, true, 32767.0),
            10 => Self::Shorts(4, true, 32767.0),
            11 => Self::Shorts(2, false, 65535.0),
            12 => Self::Shorts(4, false, 65535.0),
            13 => Self::Tens(false),
            14 => Self::Tens(true),
            15 => Self::Halves(2),
            16 => Self::Halves(4),
            _ => return None,
        })
    }

    /// Number of 32-bit words of the type.
    const fn words(self) -> usize {
        match self {
            Self::Floats(n) => n,
            Self::Color | Self::Bytes(_) | Self::Tens(_) => 1,
            Self::Shorts(n, ..) | Self::Halves(n) => n / 2,
        }
    }

    fn read(self, words: &[u32]) -> [f32; 4] {
        let mut made = [0.0, 0.0, 0.0, 1.0];
        let half = |k: usize| (words[k / 2] >> (16 * (k % 2))) as u16;
        match self {
            Self::Floats(n) => (0..n).for_each(|k| made[k] = f32::from_bits(words[k])),
            Self::Color => {
                let [b, g, r, a] = words[0].to_le_bytes().map(|v| f32::from(v) / 255.0);
                made = [r, g, b, a];
            }
            Self::Bytes(one) => made = words[0].to_le_bytes().map(|v| f32::from(v) / one),
            Self::Shorts(n, signed, one) => (0..n).for_each(|k| {
                let value = if signed { f32::from(half(k) as i16) } else { f32::from(half(k)) };
                made[k] = value / one;
            }),
            Self::Halves(n) => (0..n).for_each(|k| made[k] = float_of_half(half(k))),
            Self::Tens(signed) => (0..3).for_each(|k| {
                let bits = (words[0] >> (10 * k)) & 0x3FF;
                let signed_bits = ((bits << 22) as i32) >> 22;
                made[k] = if signed { signed_bits as f32 / 511.0 } else { bits as f32 };
            }),
        }
        made
    }
}

/// Converts an IEEE 754 half-precision number (binary16) to `f32`.
fn float_of_half(half: u16) -> f32 {
    let (sign, exponent, part) =
        (u32::from(half >> 15), i32::from(half >> 10 & 31), f32::from(half & 0x3FF));
    let size = match exponent {
        0 => part * 2f32.powi(-24),
        31 if part == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + part / 1024.0) * 2f32.powi(exponent - 15),
    };
    if sign == 1 { -size } else { size }
}

/// Elements of a flexible vertex format (`D3DFVF_*`), in their order in memory.
fn elements_of_format(format: u32) -> Vec<Element> {
    let mut made = Vec::new();
    let mut put = |kind, usage, index| made.push(Element { kind, usage, index });
    /// Usage of positions, which the mesh already has.
    const POSITION: u32 = 0;
    match format & 0x400E {
        0x002 => put(Kind::Floats(3), POSITION, 0),
        0x004 | 0x4002 => put(Kind::Floats(4), POSITION, 0),
        weighted @ (0x006 | 0x008 | 0x00A | 0x00C | 0x00E) => {
            put(Kind::Floats(3), POSITION, 0);
            (0..(weighted - 4) / 2).for_each(|k| put(Kind::Floats(1), 1, k));
        }
        _ => {}
    }
    if format & 0x010 != 0 {
        put(Kind::Floats(3), NORMAL, 0);
    }
    if format & 0x020 != 0 {
        put(Kind::Floats(1), 4, 0);
    }
    for (bit, index) in [(0x040, 0), (0x080, 1)] {
        if format & bit != 0 {
            put(Kind::Color, COLOR, index);
        }
    }
    for k in 0..(format >> 8 & 0xF).min(8) {
        let size = match format >> (16 + 2 * k) & 3 {
            0 => 2,
            1 => 3,
            2 => 4,
            _ => 1,
        };
        put(Kind::Floats(size), TEXCOORD, k);
    }
    made
}

impl Builder<'_, '_> {
    /// Reads the vertex data of a mesh with `count` vertices.
    pub(super) fn declared(&mut self, object: usize, count: usize) -> Result<Declared, ReadError> {
        let tree = self.tree;
        let mut made = Declared::default();
        let packed: Vec<usize> =
            self.children(object, "DeclData").chain(self.children(object, "FVFData")).collect();
        for child in packed {
            let mut numbers = Numbers { object: &tree[child], at: 0 };
            let elements = if tree[child].kind == "DeclData" {
                let n = numbers.count(4)?;
                let mut list = Vec::with_capacity(n);
                for _ in 0..n {
                    let [kind, _, usage, index] =
                        [numbers.word()?, numbers.word()?, numbers.word()?, numbers.word()?];
                    match Kind::numbered(kind) {
                        Some(kind) => list.push(Element { kind, usage, index }),
                        None => {
                            return fail(
                                &tree[child],
                                format!("an element is of the unknown type {kind}"),
                            );
                        }
                    }
                }
                list
            } else {
                elements_of_format(numbers.word()?)
            };
            let n = numbers.count(1)?;
            let mut words = Vec::with_capacity(n);
            for _ in 0..n {
                words.push(numbers.word()?);
            }
            let stride: usize = elements.iter().map(|e| e.kind.words()).sum();
            if stride == 0 || words.len() != stride * count {
                let message = format!(
                    "it has {} 32-bit words, but {count} vertices need {stride} each; it is left \
                        out",
                    words.len()
                );
                self.odd(child, message);
                continue;
            }
            made.take(&elements, stride, &words);
        }
        Ok(made)
    }
}

impl Declared {
    fn take(&mut self, elements: &[Element], stride: usize, words: &[u32]) {
        let mut at = 0;
        let mut binormals: Option<Vec<Vec3>> = None;
        let mut tangents: Option<Vec<Vec3>> = None;
        for element in elements {
            let size = element.kind.words();
            let values = words.chunks_exact(stride).map(|v| element.kind.read(&v[at..at + size]));
            let finite = |v: f32| if v.is_finite() { v } else { 0.0 };
            let direction = |[x, y, z, _]: [f32; 4]| mirror([x, y, z].map(finite));
            match (element.usage, element.index) {
                (NORMAL, 0) => self.normals = Some(values.map(direction).collect()),
                (TANGENT, 0) => tangents = Some(values.map(|v| direction(v).into()).collect()),
                (BINORMAL, 0) => binormals = Some(values.map(|v| direction(v).into()).collect()),
                (TEXCOORD, set @ (0 | 1)) => {
                    self.uvs[set as usize] =
                        Some(values.map(|[u, v, ..]| [finite(u), finite(v)]).collect());
                }
                (COLOR, 0) => {
                    let color = |[r, g, b, a]: [f32; 4]| {
                        [linear(r), linear(g), linear(b), finite(a).clamp(0.0, 1.0)]
                    };
                    self.colors = Some(values.map(color).collect());
                }
                _ => {}
            }
            at += size;
        }
        if let (Some(tangents), Some(normals)) = (tangents, &self.normals) {
            let tangent = |(k, tangent): (usize, Vec3)| {
                let normal = Vec3::from(normals[k]).normalize_or(Vec3::Y);
                let along = (tangent - normal * normal.dot(tangent))
                    .normalize_or(normal.any_orthonormal_vector());
                let across = normal.cross(along);
                let side = binormals
                    .as_ref()
                    .map_or(1.0, |b| if across.dot(b[k]) < 0.0 { -1.0 } else { 1.0 });
                along.extend(side).to_array()
            };
            self.tangents = Some(tangents.into_iter().enumerate().map(tangent).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertex_formats_are_unpacked_as_in_direct3d() {
        assert_eq!(
            Kind::Floats(2).read(&[1f32.to_bits(), (-2f32).to_bits()]),
            [1.0, -2.0, 0.0, 1.0]
        );
        assert_eq!(Kind::Color.read(&[0x80FF_0000]), [1.0, 0.0, 0.0, 128.0 / 255.0]);
        assert_eq!(Kind::Shorts(2, true, 32767.0).read(&[0x8001_7FFF]), [1.0, -1.0, 0.0, 1.0]);
        assert_eq!(Kind::Halves(2).read(&[0xC000_3C00]), [1.0, -2.0, 0.0, 1.0]);
        assert_eq!(Kind::Tens(true).read(&[0x1FF | 0x201 << 10]), [1.0, -1.0, 0.0, 1.0]);
        assert!(float_of_half(0x7C01).is_nan() && float_of_half(0x0001) == 2f32.powi(-24));
    }

    #[test]
    fn a_vertex_format_lists_its_elements_in_the_order_of_direct3d() {
        let words =
            |format: u32| elements_of_format(format).iter().map(|e| e.kind.words()).sum::<usize>();
        // XYZ, normal, diffuse color, and two UV sets with two and three coordinates.
        assert_eq!(words(0x002 | 0x010 | 0x040 | 0x200 | 1 << 18), 3 + 3 + 1 + 2 + 3);
        assert_eq!(words(0x100), 2);
    }
}
