//! Checks the headers of an encoded image up to its size and color type, like the Khronos
//! validator.

/// Fault in the headers of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFault {
    /// The image has no known signature.
    Unrecognized,
    /// The bytes violate the rules of the image format.
    Invalid,
    /// The data ends before the pixels begin.
    UnexpectedEnd,
}

impl ImageFault {
    /// Code of the fault in the Khronos validator.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unrecognized => "IMAGE_UNRECOGNIZED_FORMAT",
            Self::Invalid => "IMAGE_DATA_INVALID",
            Self::UnexpectedEnd => "IMAGE_UNEXPECTED_EOS",
        }
    }
}

/// Media type of an image by its signature; `None` if it is unknown.
pub fn kind_of_image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        _ if bytes.len() < 14 => None,
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [0x89, b'P', b'N', b'G', 13, 10, 26, 10, ..] => Some("image/png"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', b'V', b'P', ..] => {
            Some("image/webp")
        }
        [0xAB, b'K', b'T', b'X', b' ', b'2', b'0', 0xBB, 13, 10, 26, 10, ..] => Some("image/ktx2"),
        _ => None,
    }
}

/// Reads the headers of an image up to its pixels.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<&'static str, ImageFault> {
    let kind = kind_of_image(bytes).ok_or(ImageFault::Unrecognized)?;
    match kind {
        "image/jpeg" => jpeg(bytes)?,
        "image/png" => png(bytes)?,
        "image/webp" => webp(bytes)?,
        // Other formats require an extension, and images with extensions are not checked.
        _ => return Err(ImageFault::Unrecognized),
    }
    Ok(kind)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ImageFault> {
    let four = bytes.get(at..at + 4).ok_or(ImageFault::UnexpectedEnd)?;
    Ok(four.iter().fold(0, |value, byte| value << 8 | u32::from(*byte)))
}

/// Checks the segments of a JPEG up to the frame header, which must state 1 or 3 components.
fn jpeg(bytes: &[u8]) -> Result<(), ImageFault> {
    let is_frame = |marker: u8| {
        (marker & 0xF0 == 0xC0 && !matches!(marker, 0xC4 | 0xC8 | 0xCC)) || marker == 0xDE
    };
    let has_payload =
        |marker: u8| !(matches!(marker, 0x01 | 0xD8 | 0xD9 | 0xFF) || marker & 0xF8 == 0xD0);
    let mut at = 1;
    loop {
        let marker = *bytes.get(at).ok_or(ImageFault::UnexpectedEnd)?;
        at += 1;
        if !has_payload(marker) {
            continue;
        }
        let length = match bytes.get(at..at + 2) {
            Some([high, low]) => usize::from(*high) << 8 | usize::from(*low),
            _ => return Err(ImageFault::UnexpectedEnd),
        };
        if length < 2 {
            return Err(ImageFault::Invalid);
        }
        // A segment without payload at the end of the data is ignored.
        let payload = bytes.get(at + 2..at + length).filter(|_| at + 2 < bytes.len());
        let payload = payload.ok_or(ImageFault::UnexpectedEnd)?;
        if is_frame(marker) {
            return if matches!(payload.get(5), Some(1 | 3)) {
                Ok(())
            } else {
                Err(ImageFault::Invalid)
            };
        }
        at += length;
    }
}

/// Checks the chunks of a PNG up to the first one with pixels. The header chunk must be first, and
/// chunks of a fixed length must have that length.
fn png(bytes: &[u8]) -> Result<(), ImageFault> {
    let (mut at, mut has_header) = (8, false);
    loop {
        let length = word(bytes, at)? as usize;
        let kind = bytes.get(at + 4..at + 8).ok_or(ImageFault::UnexpectedEnd)?;
        let fixed = match kind {
            b"IHDR" => Some(13),
            b"cHRM" => Some(32),
            b"sRGB" => Some(1),
            b"pHYs" => Some(9),
            b"gAMA" => Some(4),
            _ => None,
        };
        if fixed.is_some_and(|fixed| fixed != length) {
            return Err(ImageFault::Invalid);
        }
        has_header |= kind == b"IHDR";
        if kind == b"IDAT" {
            return if has_header { Ok(()) } else { Err(ImageFault::Invalid) };
        }
        at = at
            .checked_add(12)
            .and_then(|at| at.checked_add(length))
            .ok_or(ImageFault::UnexpectedEnd)?;
        if at > bytes.len() {
            return Err(ImageFault::UnexpectedEnd);
        }
    }
}

/// Checks the header of the first frame of a WebP image.
fn webp(bytes: &[u8]) -> Result<(), ImageFault> {
    let lossless = bytes[15] == b'L';
    if bytes.len() < if lossless { 25 } else { 30 } {
        return Err(ImageFault::UnexpectedEnd);
    }
    match &bytes[12..16] {
        b"VP8 " | b"VP8L" | b"VP8X" => Ok(()),
        _ => Err(ImageFault::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(chunks: &[(&[u8; 4], usize)]) -> Vec<u8> {
        let mut bytes = vec![0x89, b'P', b'N', b'G', 13, 10, 26, 10];
        for (kind, length) in chunks {
            bytes.extend_from_slice(&(*length as u32).to_be_bytes());
            bytes.extend_from_slice(*kind);
            bytes.resize(bytes.len() + length + 4, 0);
        }
        bytes
    }

    #[test]
    fn the_start_of_an_image_is_read_by_the_rules_of_its_format() {
        use ImageFault::{Invalid, UnexpectedEnd, Unrecognized};
        assert_eq!(check(b"not a picture at all"), Err(Unrecognized));
        assert_eq!(
            check(&[0x89, b'P', b'N', b'G']),
            Err(Unrecognized),
            "too short for a signature"
        );
        assert_eq!(check(&png_of(&[(b"IHDR", 13), (b"gAMA", 4), (b"IDAT", 9)])), Ok("image/png"));
        assert_eq!(
            check(&png_of(&[(b"IHDR", 12), (b"IDAT", 9)])),
            Err(Invalid),
            "length of the header"
        );
        assert_eq!(check(&png_of(&[(b"gAMA", 4), (b"IDAT", 9)])), Err(Invalid), "no header");
        let whole = png_of(&[(b"IHDR", 13), (b"IDAT", 9)]);
        assert_eq!(check(&whole[..30]), Err(UnexpectedEnd));
        let frame = |components: u8| -> Vec<u8> {
            let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 8];
            bytes.extend_from_slice(&[8, 0, 4, 0, 4, components, 0]);
            bytes
        };
        assert_eq!((check(&frame(3)), check(&frame(1))), (Ok("image/jpeg"), Ok("image/jpeg")));
        assert_eq!(check(&frame(4)), Err(Invalid), "four components");
        assert_eq!(check(&frame(3)[..15]), Err(UnexpectedEnd));
        assert_eq!(check(&[&[0xFF, 0xD8, 0xFF, 0xE0, 0, 1][..], &[0; 12]].concat()), Err(Invalid));
    }
}
