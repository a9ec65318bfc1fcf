//! Pictures unpacked and packed. `image` compiles its readers and writers anew for each source,
//! target and crate that asks: whoever has a picture to read or write does it through here.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, ImageResult, Limits,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};

/// What the header of a picture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureHeader {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Bytes that its pixels take when they are unpacked.
    pub unpacked: u64,
}

/// The header of a picture; its pixels are not looked at.
///
/// # Errors
/// What the reader of the format says.
pub fn picture_header(bytes: &[u8], format: ImageFormat) -> ImageResult<PictureHeader> {
    let decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder()?;
    Ok(PictureHeader { size: decoder.dimensions(), unpacked: decoder.total_bytes() })
}

/// A picture unpacked. `most` is how many bytes of memory that may take.
///
/// # Errors
/// What the reader of the format says.
pub fn unpack_picture(bytes: &[u8], format: ImageFormat, most: u64) -> ImageResult<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(most);
    reader.limits(limits);
    reader.decode()
}

/// A picture as PNG, packed quickly.
///
/// # Errors
/// What the writer says.
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
    fn a_picture_comes_back_and_its_header_tells_of_it() {
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
