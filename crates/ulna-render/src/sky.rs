//! The sky that lights the model. It is procedural, so that pictures look the same on every machine
//! and need no file.
//!
//! It is prefiltered per roughness into the levels of a cube map (Karis, *Real Shading in Unreal
//! Engine 4*, 2013). For diffuse light, it is projected to nine coefficients of spherical harmonics
//! (Ramamoorthi and Hanrahan, *An Efficient Representation for Irradiance Environment Maps*, 2001).

use std::f32::consts::PI;

use glam::{Vec2, Vec3};
use half::f16;

use super::Gpu;

/// Texels along each side of a cube face, at the sharpest level.
const SIDE: u32 = 32;
/// Number of mipmap levels, from mirror-like to fully rough. Keep in sync with `SKY_LEVELS` in
/// shaders/mesh.wgsl.
const LEVELS: u32 = 6;
const SAMPLES: u32 = 64;

/// Radiance of the sky in a direction: cool from above, warm and dim from below. A large soft box
/// in front and to the right creates highlights on curved surfaces.
fn radiance(direction: Vec3) -> Vec3 {
    let smooth = |from: f32, to: f32, x: f32| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let up = direction.y * 0.5 + 0.5;
    let ground = Vec3::new(0.15, 0.14, 0.135);
    let horizon = Vec3::new(0.37, 0.375, 0.395);
    let zenith = Vec3::new(0.53, 0.565, 0.63);
    let low = ground.lerp(horizon, smooth(0.0, 0.55, up));
    let open = low.lerp(zenith, smooth(0.45, 1.0, up));
    let toward_box = direction.dot(Vec3::new(0.55, 0.62, 0.56).normalize_or(Vec3::Y));
    open + Vec3::new(1.5, 1.45, 1.35) * smooth(0.78, 0.96, toward_box)
}

/// Direction from the center of the cube to a texel of a face, not normalized. Faces are numbered
/// in layer order.
fn toward(face: u32, x: u32, y: u32, side: u32) -> Vec3 {
    let [u, v] = [x, y].map(|k| (k as f32 + 0.5) / side as f32 * 2.0 - 1.0);
    match face {
        0 => Vec3::new(1.0, -v, -u),
        1 => Vec3::new(-1.0, -v, u),
        2 => Vec3::new(u, 1.0, v),
        3 => Vec3::new(u, -1.0, -v),
        4 => Vec3::new(u, -v, 1.0),
        _ => Vec3::new(-u, -v, -1.0),
    }
}

/// Specular light around a reflection direction for a roughness: the mean of the sky, weighted by
/// GGX.
fn reflected(around: Vec3, roughness: f32) -> Vec3 {
    if roughness == 0.0 {
        return radiance(around);
    }
    let (side, other) = around.any_orthonormal_pair();
    let a = roughness * roughness;
    let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
    for k in 0..SAMPLES {
        let Vec2 { x, y } =
            Vec2::new((k as f32 + 0.5) / SAMPLES as f32, k.reverse_bits() as f32 / 2f32.powi(32));
        let cos = ((1.0 - y) / (1.0 + (a * a - 1.0) * y)).max(0.0).sqrt();
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let (s, c) = (x * 2.0 * PI).sin_cos();
        let half_way = side * (sin * c) + other * (sin * s) + around * cos;
        let light = half_way * (2.0 * around.dot(half_way)) - around;
        let facing = around.dot(light);
        if facing > 0.0 {
            sum += radiance(light) * facing;
            weight += facing;
        }
    }
    sum / weight.max(1e-6)
}

/// Creates the prefiltered cube map, with one level per roughness.
pub(super) fn cube(gpu: &Gpu) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("sky"),
        size: wgpu::Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 6 },
        mip_level_count: LEVELS,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba16Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for level in 0..LEVELS {
        let side = SIDE >> level;
        let roughness = level as f32 / (LEVELS - 1) as f32;
        for face in 0..6 {
            let mut texels: Vec<u16> = Vec::with_capacity((side * side * 4) as usize);
            for y in 0..side {
                for x in 0..side {
                    let color =
                        reflected(toward(face, x, y, side).normalize_or(Vec3::Y), roughness);
                    texels.extend(color.extend(1.0).to_array().map(|v| f16::from_f32(v).to_bits()));
                }
            }
            gpu.queue.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: &texture,
                    mip_level: level,
                    origin: wgpu::Origin3d { x: 0, y: 0, z: face },
                    aspect: wgpu::TextureAspect::All,
                },
                bytemuck::cast_slice(&texels),
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(side * 8),
                    rows_per_image: Some(side),
                },
                wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
            );
        }
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}

/// Irradiance of a diffuse surface divided by π, as nine spherical-harmonics coefficients. The
/// cosine factors are included.
pub(super) fn irradiance() -> [[f32; 4]; 9] {
    let mut sums = [Vec3::ZERO; 9];
    for face in 0..6 {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let out = toward(face, x, y, SIDE);
                let solid_angle = 4.0 / (SIDE * SIDE) as f32 / out.length().powi(3);
                let d = out.normalize_or(Vec3::Y);
                let light = radiance(d) * solid_angle;
                for (sum, basis) in sums.iter_mut().zip(harmonics(d)) {
                    *sum += light * basis;
                }
            }
        }
    }
    // A_l / π of equation 8 in the paper.
    let cosine = [1.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.25, 0.25, 0.25, 0.25, 0.25];
    std::array::from_fn(|k| (sums[k] * cosine[k]).extend(0.0).to_array())
}

/// Values of the first nine real spherical harmonics in a direction. Keep in sync with `matt_light`
/// in shaders/frame.wgsl.
fn harmonics(d: Vec3) -> [f32; 9] {
    [
        0.282_095,
        0.488_603 * d.y,
        0.488_603 * d.z,
        0.488_603 * d.x,
        1.092_548 * d.x * d.y,
        1.092_548 * d.y * d.z,
        0.315_392 * (3.0 * d.z * d.z - 1.0),
        1.092_548 * d.x * d.z,
        0.546_274 * (d.x * d.x - d.y * d.y),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_coefficients_match_the_summed_light() {
        let coefficients = irradiance();
        for normal in [Vec3::Y, Vec3::NEG_Y, Vec3::X, Vec3::new(0.6, 0.0, 0.8)] {
            let mut sum = Vec3::ZERO;
            for face in 0..6 {
                for y in 0..SIDE {
                    for x in 0..SIDE {
                        let out = toward(face, x, y, SIDE);
                        let d = out.normalize_or_zero();
                        sum += radiance(d) * d.dot(normal).max(0.0) * 4.0
                            / (SIDE * SIDE) as f32
                            / out.length().powi(3);
                    }
                }
            }
            let wanted = sum / PI;
            let found: Vec3 = harmonics(normal)
                .iter()
                .zip(coefficients)
                .map(|(b, c)| Vec3::new(c[0], c[1], c[2]) * *b)
                .sum();
            assert!(
                found.distance(wanted) < 0.05 * wanted.length(),
                "{normal}: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn a_rough_reflection_is_blurred_and_a_mirror_is_sharp() {
        let at = Vec3::new(0.55, 0.62, 0.56).normalize_or_zero();
        assert_eq!(reflected(at, 0.0), radiance(at));
        assert!(reflected(at, 1.0).x < radiance(at).x * 0.8);
    }
}
