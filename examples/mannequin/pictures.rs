//! Renders the textures: the base color, and the relief as a normal map (glTF: red along U, green
//! up in the texture, blue outward).

use glam::{Vec2, Vec3, vec3};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, ImageError};

use crate::atlas::SIZE;
use crate::paint::Paint;
use crate::unwrap::Unwrapped;

/// The two textures as PNG files.
pub struct Pictures {
    /// Base color, in sRGB.
    pub color: Vec<u8>,
    /// Normals in tangent space.
    pub normal: Vec<u8>,
}

/// Point of the body that a pixel shows.
#[derive(Clone, Copy)]
struct Spot {
    triangle: usize,
    /// Barycentric coordinates. In the margin of a chart, they are outside `0..=1`.
    share: Vec3,
    /// Distance to the triangle from outside, in pixels.
    outside: f32,
}

/// Number of pixels that are painted around a chart.
const MARGIN: f32 = 4.0;

/// Renders and encodes both textures.
pub fn paint(unwrapped: &Unwrapped, paint: &Paint<'_>) -> Result<Pictures, ImageError> {
    let spots = spots(unwrapped);
    let mut color = Vec::with_capacity(spots.len() * 3);
    let mut normal = Vec::with_capacity(spots.len() * 3);
    for spot in &spots {
        let Some(spot) = spot else {
            color.extend([168, 164, 158]);
            normal.extend([128, 128, 255]);
            continue;
        };
        let (place, outward, slope) = relief(unwrapped, paint, spot);
        let byte = |v: f32| (v * 255.0).round() as u8;
        color.extend(paint.at(place, outward).color.to_array().map(byte));
        let n = vec3(-slope.x, -slope.y, 1.0).normalize_or(Vec3::Z);
        normal.extend(n.to_array().map(|v| (v * 127.0 + 128.0).round() as u8));
    }
    Ok(Pictures { color: png(&color)?, normal: png(&normal)? })
}

fn png(pixels: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut file = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut file, CompressionType::Best, FilterType::Adaptive);
    encoder.write_image(pixels, SIZE, SIZE, ExtendedColorType::Rgb8)?;
    Ok(file)
}

/// Finds, for every pixel, the nearest point of a chart of the left half, if one is near.
fn spots(unwrapped: &Unwrapped) -> Vec<Option<Spot>> {
    let mut spots: Vec<Option<Spot>> = vec![None; (SIZE * SIZE) as usize];
    for (triangle, corners) in unwrapped.mesh.triangles.iter().enumerate().step_by(2) {
        let [a, b, c] = corners.map(|v| unwrapped.uvs[v as usize] * SIZE as f32);
        let area = (b - a).perp_dot(c - a);
        if area.abs() < 1e-6 {
            continue;
        }
        // Pixels per unit of each barycentric coordinate, perpendicular to the edge.
        let heights =
            vec3((c - b).length(), (a - c).length(), (b - a).length()).recip() * area.abs();
        let (low, high) = (a.min(b).min(c) - MARGIN, a.max(b).max(c) + MARGIN);
        let pixels = |from: f32, to: f32| (from.max(0.0) as u32)..(to.min(SIZE as f32) as u32);
        for y in pixels(low.y, high.y) {
            for x in pixels(low.x, high.x) {
                let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let share =
                    vec3((b - p).perp_dot(c - p), (c - p).perp_dot(a - p), (a - p).perp_dot(b - p))
                        / area;
                let outside = (-(share * heights).min_element()).max(0.0);
                let spot = &mut spots[(y * SIZE + x) as usize];
                if outside <= MARGIN && spot.is_none_or(|s| outside < s.outside) {
                    *spot = Some(Spot { triangle, share, outside });
                }
            }
        }
    }
    spots
}

/// Returns the position on the body, the normal, and the slope of the relief along U and up in the
/// texture.
fn relief(unwrapped: &Unwrapped, paint: &Paint<'_>, spot: &Spot) -> (Vec3, Vec3, Vec2) {
    const H: f32 = 4e-4;
    let corners = unwrapped.mesh.triangles[spot.triangle];
    let points = corners.map(|v| unwrapped.mesh.positions[v as usize]);
    let normals = corners.map(|v| unwrapped.mesh.normals[v as usize]);
    let mixed = |v: [Vec3; 3]| v[0] * spot.share.x + v[1] * spot.share.y + v[2] * spot.share.z;
    let place = mixed(points);
    let normal = mixed(normals).normalize_or(Vec3::Y);
    let tangents = corners.map(|v| unwrapped.tangents[v as usize]);
    let tangent =
        mixed(tangents.map(|t| t.truncate())).normalize_or(normal.any_orthonormal_vector());
    let bitangent = normal.cross(tangent) * tangents[0].w;
    let slope = |way: Vec3| {
        let height = |p: Vec3| paint.at(p, normal).height;
        (height(place + way * H) - height(place - way * H)) / (2.0 * H)
    };
    (place, normal, Vec2::new(slope(tangent), slope(bitangent)))
}
