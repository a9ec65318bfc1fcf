//! Decoding and encoding of images. The codecs of the `image` crate are generic, and compiled again
//! in each crate that uses them. All other code therefore uses this module.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, ImageResult, Limits,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};

/// Image properties from the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureHeader {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Number of bytes of the decoded pixels.
    pub unpacked: u64,
}

/// Reads the header of an image, without decoding its pixels.
///
/// # Errors
/// The error of the format's decoder.
pub fn picture_header(bytes: &[u8], format: ImageFormat) -> ImageResult<PictureHeader> {
    let decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder()?;
    Ok(PictureHeader { size: decoder.dimensions(), unpacked: decoder.total_bytes() })
}

/// Decodes an image. `most` is the memory limit in bytes.
///
/// # Errors
/// The decoder's error, including a memory limit that is exceeded.
pub fn unpack_picture(bytes: &[u8], format: ImageFormat, most: u64) -> ImageResult<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(most);
    reader.limits(limits);
    reader.decode()
}

/// Encodes an image as PNG with fast compression.
///
/// # Errors
/// The error of the encoder.
pub fn picture_to_png(picture: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut packed = Vec::new();
    picture.write_with_encoder(PngEncoder::new_with_quality(
        &mut packed,
        CompressionType::Fast,
        FilterType::Adaptive,
    ))?;
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    #[test]
    fn a_picture_survives_encoding_and_its_header_has_its_size() {
        let picture = DynamicImage::ImageRgba8(RgbaImage::from_fn(5, 3, |x, y| {
            Rgba([x as u8, y as u8, 7, 200])
        }));
        let png = picture_to_png(&picture).unwrap();
        let header = picture_header(&png, ImageFormat::Png).unwrap();
        assert_eq!(header, PictureHeader { size: (5, 3), unpacked: 60 });
        assert_eq!(unpack_picture(&png, ImageFormat::Png, 1 << 20).unwrap(), picture);
        assert!(unpack_picture(&png, ImageFormat::Png, 59).is_err(), "more memory than allowed");
        assert!(unpack_picture(&png, ImageFormat::Jpeg, 1 << 20).is_err(), "another format");
    }
}
