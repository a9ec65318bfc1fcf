//! Conversion of height maps (bump maps) to normal maps.

use glam::Vec3;
use image::{DynamicImage, Rgb, RgbImage};

/// Whether an image is a height map rather than a normal map, which is the case if its pixels are
/// gray.
pub fn is_gray(picture: &DynamicImage) -> bool {
    /// Approximate maximum number of samples per axis.
    const LOOKED: u32 = 64;
    let rgb = picture.to_rgb8();
    let (wide, high) = rgb.dimensions();
    let steps = |n: u32| (0..n).step_by((n / LOOKED).max(1) as usize);
    steps(high).all(|y| {
        steps(wide).all(|x| {
            let Rgb([r, g, b]) = *rgb.get_pixel(x, y);
            // JPEG compression shifts colors slightly.
            r.abs_diff(g) <= 6 && g.abs_diff(b) <= 6
        })
    })
}

/// Converts a height map to a normal map: `n = (−∂h/∂x, −∂h/∂y, 1)`, normalized, with green up
/// (glTF 2.0, 3.9.3).
///
/// The height range `0..=1` corresponds to `strength` pixels. Slopes are computed with the Sobel
/// operator. With `wrap`, opposite edges are treated as adjacent, for repeating textures.
pub fn normal_map(picture: &DynamicImage, strength: f32, wrap: bool) -> DynamicImage {
    let heights = picture.to_luma32f();
    let (wide, high) = heights.dimensions();
    let at = |x: i64, y: i64| {
        let place =
            |v: i64,
                n: u32| if wrap { v.rem_euclid(i64::from(n)) } else { v.clamp(0,
                    i64::from(n) - 1) } as u32;
        heights.get_pixel(place(x, wide), place(y, high)).0[0]
    };
    let mut made = RgbImage::new(wide, high);
    for (x, y, pixel) in made.enumerate_pixels_mut() {
        let (x, y) = (i64::from(x), i64::from(y));
        let column = |dx: i64| at(x + dx, y - 1) + 2.0 * at(x + dx, y) + at(x + dx, y + 1);
        let row = |dy: i64| at(x - 1, y + dy) + 2.0 * at(x, y + dy) + at(x + 1, y + dy);
        // Image rows and texture coordinates both run downward.
        let slope = Vec3::new(column(1) - column(-1), row(-1) - row(1), 0.0) * (strength / 8.0);
        let normal = (Vec3::Z - slope).normalize_or(Vec3::Z);
        *pixel = Rgb((normal * 127.5 + 127.5).round().to_array().map(|v| v as u8));
    }
    DynamicImage::ImageRgb8(made)
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma};

    use super::*;

    #[test]
    fn normals_point_away_from_rising_slopes() {
        // The heights rise to the right and upward in the image.
        let slope = GrayImage::from_fn(8, 8, |x, y| Luma([(x * 16 + (7 - y) * 8) as u8]));
        let made = normal_map(&DynamicImage::ImageLuma8(slope), 4.0, false).to_rgb8();
        let Rgb([r, g, b]) = *made.get_pixel(4, 4);
        assert!(r < 110 && g < 120 && r < g && b > 200, "{r} {g} {b}");
        // The expected slope is 16/255 per pixel, times a strength of 4.
        let normal = (Vec3::new(f32::from(r), f32::from(g), f32::from(b)) - 127.5) / 127.5;
        assert!((-normal.x / normal.z - 4.0 * 16.0 / 255.0).abs() < 0.02, "{normal}");
        assert!((-normal.y / normal.z - 4.0 * 8.0 / 255.0).abs() < 0.02, "{normal}");
        let flat = normal_map(&DynamicImage::ImageLuma8(GrayImage::new(3, 3)), 9.0, true).to_rgb8();
        assert!(flat.pixels().all(|p| p.0 == [128, 128, 255]));
    }

    #[test]
    fn slopes_continue_across_opposite_image_edges_if_the_map_wraps() {
        let step = GrayImage::from_fn(4, 1, |x, _| Luma([if x == 3 { 255 } else { 0 }]));
        let step = DynamicImage::ImageLuma8(step);
        let (wraps, ends) =
            (normal_map(&step, 1.0, true).to_rgb8(), normal_map(&step, 1.0, false).to_rgb8());
        assert!(wraps.get_pixel(0, 0).0[0] > 140, "it falls from the other edge");
        assert_eq!(ends.get_pixel(0, 0).0[0], 128);
    }

    #[test]
    fn height_maps_are_distinguished_from_normal_maps() {
        let gray = GrayImage::from_fn(9, 9, |x, y| Luma([(x * y) as u8]));
        assert!(is_gray(&DynamicImage::ImageLuma8(gray)));
        let blue = RgbImage::from_pixel(4, 4, Rgb([128, 128, 255]));
        assert!(!is_gray(&DynamicImage::ImageRgb8(blue)));
    }
}
