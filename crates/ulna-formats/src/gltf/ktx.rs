//! `KHR_texture_basisu`: decodes Basis Universal images in KTX2 files with the `basisu` crate.
//!
//! The crate trusts the sizes in the header, so they are compared with the file size first.

use basisu::{DecodeFlags, TargetFormat, Transcoder};
use image::RgbaImage;

use ulna_model::picture_to_png;

/// Signature at the start of a KTX2 file.
pub const MAGIC: &[u8] = b"\xABKTX 20\xBB\r\n\x1A\n";

/// Maximum width and height of a displayed image, in pixels.
const LARGEST: u64 = 16384;

/// Decodes the image at full size, and encodes it as PNG.
///
/// # Errors
/// A sentence about the problem.
pub fn to_png(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (width, height) = check(bytes)?;
    let damaged = || {
        "The KTX2 image is damaged or not in Basis Universal format, so it is not displayed"
            .to_owned()
    };
    let pixels = Transcoder::new(bytes)
        .and_then(|t| t.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE))
        .map_err(|error| format!("{}: {error:?}", damaged()))?;
    if pixels.len() as u64 != u64::from(width) * u64::from(height) * 4 {
        return Err(damaged());
    }
    let picture = RgbaImage::from_raw(width, height, pixels).ok_or_else(damaged)?;
    picture_to_png(&picture.into()).map_err(|error| {
        format!("The KTX2 image could not be converted and is not displayed: {error}")
    })
}

/// Checks the header of a KTX2 file (KTX 2.0, *File Structure*). It must contain one 2D image whose
/// size is plausible for the number of bytes. Returns width and height.
fn check(bytes: &[u8]) -> Result<(u32, u32), String> {
    let damaged = || "The KTX2 image is damaged and is not displayed".to_owned();
    let word =
        |at: usize| -> Option<u32> { Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)) };
    let long =
        |at: usize| -> Option<u64> { Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)) };
    let header = || -> Option<[u32; 6]> {
        Some([word(20)?, word(24)?, word(28)?, word(32)?, word(36)?, word(40)?])
    };
    let [width, height, depth, layers, faces, levels] =
        header().filter(|_| bytes.starts_with(MAGIC)).ok_or_else(damaged)?;
    if depth > 0 || layers > 1 || faces != 1 || levels > 15 {
        return Err(
            "The KTX2 image is not a plain 2D image or has too many mipmap levels, so it is not \
                displayed"
                .into(),
        );
    }
    let (w, h) = (u64::from(width), u64::from(height));
    if w == 0 || h == 0 || w > LARGEST || h > LARGEST {
        return Err(format!(
            "The image is {width} × {height} pixels and is not displayed; each side must be 1 to \
                {LARGEST} pixels"
        ));
    }
    if w * h * 4 > bytes.len() as u64 * 64 + (16 << 20) {
        return Err("The stated size of the KTX2 image is too large for its data, so it is not \
            displayed"
            .into());
    }
    // A Basis image has at most 16 bytes per block of 4 × 4 pixels.
    let most = w.div_ceil(4) * h.div_ceil(4) * 16;
    for level in 0..levels.max(1) as usize {
        let entry = 80 + level * 24;
        let (Some(start), Some(packed), Some(plain)) =
            (long(entry), long(entry + 8), long(entry + 16))
        else {
            return Err(damaged());
        };
        if start.checked_add(packed).is_none_or(|end| end > bytes.len() as u64) || plain > most {
            return Err(damaged());
        }
    }
    Ok((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two test images of 16 × 8 pixels. Red increases along x, green along y, blue is 40, and the
    /// right half is half transparent. They were made with Basis Universal's own encoder.
    const SAMPLES: [&[u8]; 2] = [
        include_bytes!("../../../../tests/data/etc1s.ktx2"),
        include_bytes!("../../../../tests/data/uastc.ktx2"),
    ];

    #[test]
    fn both_codecs_decode_the_picture() {
        for (sample, tolerance) in SAMPLES.into_iter().zip([24.0, 4.0]) {
            let picture = image::load_from_memory(&to_png(sample).unwrap()).unwrap().to_rgba8();
            assert_eq!(picture.dimensions(), (16, 8));
            let mut error = 0.0;
            for (x, y, pixel) in picture.enumerate_pixels() {
                let wanted =
                    [x as f32 * 16.0, y as f32 * 32.0, 40.0, if x < 8 { 255.0 } else { 128.0 }];
                error +=
                    pixel.0.iter().zip(wanted).map(|(a, b)| (f32::from(*a) - b).abs()).sum::<f32>()
                        / 4.0;
            }
            let mean = error / 128.0;
            assert!(mean < tolerance, "{mean} of 255 off");
        }
    }

    #[test]
    fn a_changed_byte_gives_an_error_message_or_another_picture() {
        let mut refused = 0;
        for sample in SAMPLES {
            for at in 0..sample.len() {
                for change in [1, 0x10, 0x80, 0xFF] {
                    let mut bytes = sample.to_vec();
                    bytes[at] ^= change;
                    refused += usize::from(to_png(&bytes).is_err());
                    refused += usize::from(to_png(&bytes[..at]).is_err());
                }
            }
        }
        assert!(refused > 2000, "{refused}");
    }
}
