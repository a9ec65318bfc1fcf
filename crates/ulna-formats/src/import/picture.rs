//! Decoding of images in formats that glTF does not allow: DDS, TGA and BMP.

use image::{DynamicImage, ImageFormat};

use super::dds::read_dds;
use crate::budget::budget_bytes;
use ulna_model::unpack_picture;

/// Decodes an image of any supported format. `name` identifies formats without a signature.
///
/// # Errors
/// The reason as text.
pub fn read_picture(bytes: &[u8], name: &str) -> Result<DynamicImage, String> {
    if bytes.starts_with(b"DDS ") {
        return read_dds(bytes);
    }
    let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let format = match ending.as_str() {
        _ if bytes.starts_with(b"\x89PNG") => ImageFormat::Png,
        _ if bytes.starts_with(b"\xFF\xD8") => ImageFormat::Jpeg,
        _ if bytes.starts_with(b"BM") => ImageFormat::Bmp,
        "tga" => ImageFormat::Tga,
        _ => return Err("it is neither PNG, JPEG, DDS, TGA nor BMP".to_owned()),
    };
    unpack_picture(bytes, format, budget_bytes(bytes.len())).map_err(|e| e.to_string())
}

/// Inverts the green channel of a normal map. In Direct3D, green points down; in glTF, it points
/// up.
pub fn green_turned(picture: &DynamicImage) -> DynamicImage {
    let mut made = picture.to_rgb8();
    made.pixels_mut().for_each(|p| p.0[1] = 255 - p.0[1]);
    DynamicImage::ImageRgb8(made)
}
