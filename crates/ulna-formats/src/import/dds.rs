//! Reads DDS images, which are block-compressed (BC1–BC7, decoded by `bcdec_rs`) or uncompressed.
//! Only the largest mip level is read.

use image::{DynamicImage, RgbaImage};

use crate::budget::budget_bytes;

/// Storage format of the pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// Block compression: the number of the BC format, 1 to 7, and whether its values are signed.
    Blocks(u8, bool),
    /// Uncompressed pixels: bytes per pixel, and the bit masks of red, green, blue and alpha.
    Pixels(usize, [u32; 4]),
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Parses the header of a file. Returns the pixel format, and the offset of the pixels.
fn packing(bytes: &[u8]) -> Result<(Packing, usize), String> {
    /// Flags of the pixel format in the DDS header.
    const CODE: u32 = 4;
    const GRAY: u32 = 0x2_0000;
    const ALPHA: u32 = 1;
    const HEADER: usize = 128;
    let (flags, code) = (word(bytes, 80), word(bytes, 84).to_le_bytes());
    if flags & CODE == 0 {
        let (size, mut masks) = (word(bytes, 88) / 8, [92, 96, 100, 104].map(|at| word(bytes, at)));
        if flags & ALPHA == 0 {
            masks[3] = 0;
        }
        if flags & GRAY != 0 {
            (masks[1], masks[2]) = (masks[0], masks[0]);
        }
        let is_known = (1..=4).contains(&size) && masks[0] != 0;
        let unknown = || "its pixel format is unknown".to_owned();
        return is_known
            .then_some((Packing::Pixels(size as usize, masks), HEADER))
            .ok_or_else(unknown);
    }
    let blocks = |n: u8| Ok((Packing::Blocks(n, false), HEADER));
    match &code {
        b"DXT1" => blocks(1),
        b"DXT2" | b"DXT3" => blocks(2),
        b"DXT4" | b"DXT5" => blocks(3),
        b"ATI1" | b"BC4U" => blocks(4),
        b"BC4S" => Ok((Packing::Blocks(4, true), HEADER)),
        b"ATI2" | b"BC5U" => blocks(5),
        b"BC5S" => Ok((Packing::Blocks(5, true), HEADER)),
        b"DX10" => {
            // Values of `DXGI_FORMAT`, including typeless and sRGB formats.
            let packing = match word(bytes, 128) {
                70..=72 => Packing::Blocks(1, false),
                73..=75 => Packing::Blocks(2, false),
                76..=78 => Packing::Blocks(3, false),
                79..=80 => Packing::Blocks(4, false),
                81 => Packing::Blocks(4, true),
                82..=83 => Packing::Blocks(5, false),
                84 => Packing::Blocks(5, true),
                94..=95 => Packing::Blocks(6, false),
                96 => Packing::Blocks(6, true),
                97..=99 => Packing::Blocks(7, false),
                27..=32 => Packing::Pixels(4, [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]),
                87 | 90 | 91 => Packing::Pixels(4, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]),
                88 | 92 | 93 => Packing::Pixels(4, [0xFF_0000, 0xFF00, 0xFF, 0]),
                60..=61 => Packing::Pixels(1, [0xFF, 0xFF, 0xFF, 0]),
                other => return Err(format!("DXGI format {other} is not supported")),
            };
            Ok((packing, HEADER + 20))
        }
        other => {
            Err(format!("compression format “{}” is not supported", String::from_utf8_lossy(other)))
        }
    }
}

/// Masked bits of a pixel, scaled to a byte.
fn of_bits(pixel: u32, mask: u32) -> u8 {
    if mask == 0 {
        return 255;
    }
    let value = u64::from((pixel & mask) >> mask.trailing_zeros());
    let most = u64::from(mask >> mask.trailing_zeros());
    (value * 255 / most) as u8
}

/// Decodes a compressed block of 4 × 4 pixels to RGBA.
fn unpacked(block: &[u8], kind: u8, signed: bool) -> [u8; 64] {
    let mut made = [255u8; 64];
    match kind {
        1 => bcdec_rs::bc1(block, &mut made, 16),
        2 => bcdec_rs::bc2(block, &mut made, 16),
        3 => bcdec_rs::bc3(block, &mut made, 16),
        7 => bcdec_rs::bc7(block, &mut made, 16),
        4 => {
            let mut gray = [0.0f32; 16];
            bcdec_rs::bc4_float(block, &mut gray, 4, signed);
            for (pixel, v) in made.chunks_exact_mut(4).zip(gray) {
                pixel[..3].fill(of_float(v, signed));
            }
        }
        5 => {
            let mut pairs = [0.0f32; 32];
            bcdec_rs::bc5_float(block, &mut pairs, 8, signed);
            for (pixel, v) in made.chunks_exact_mut(4).zip(pairs.chunks_exact(2)) {
                // The block stores two components of a unit vector. The third component is
                // computed.
                let [x, y] = [v[0], v[1]].map(|v| if signed { v } else { v * 2.0 - 1.0 });
                let z = (1.0 - x * x - y * y).max(0.0).sqrt();
                pixel[..3].copy_from_slice(&[x, y, z].map(|v| of_float(v, true)));
            }
        }
        _ => {
            let mut floats = [0.0f32; 48];
            bcdec_rs::bc6h_float(block, &mut floats, 12, signed);
            for (pixel, v) in made.chunks_exact_mut(4).zip(floats.chunks_exact(3)) {
                // HDR values are clamped and gamma-encoded.
                pixel[..3].copy_from_slice(
                    &[v[0], v[1], v[2]].map(|v| of_float(v.clamp(0.0, 1.0).powf(1.0 / 2.2), false)),
                );
            }
        }
    }
    made
}

fn of_float(v: f32, signed: bool) -> u8 {
    ((if signed { v * 0.5 + 0.5 } else { v }).clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Decodes the largest mip level of a DDS image. Only the first face of a cube map, and the first
/// slice of a volume, are decoded.
///
/// # Errors
/// The reason as text.
pub(super) fn read_dds(bytes: &[u8]) -> Result<DynamicImage, String> {
    let (height, width) = (word(bytes, 12), word(bytes, 16));
    // The stated size is checked before memory is allocated for it.
    let size = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4);
    if size == 0 || size > budget_bytes(bytes.len()) {
        return Err(format!(
            "it states a size of {width} × {height} pixels, but has only {} bytes",
            bytes.len()
        ));
    }
    let (packing, start) = packing(bytes)?;
    let (wide, high) = (width as usize, height as usize);
    let cut = || format!("its data is too short for {width} × {height} pixels");
    let mut made = vec![0u8; wide * high * 4];
    match packing {
        Packing::Pixels(each, masks) => {
            let data = bytes.get(start..start + wide * high * each).ok_or_else(cut)?;
            for (pixel, out) in data.chunks_exact(each).zip(made.chunks_exact_mut(4)) {
                let value = pixel.iter().rev().fold(0u32, |v, b| v << 8 | u32::from(*b));
                out.copy_from_slice(&masks.map(|mask| of_bits(value, mask)));
            }
        }
        Packing::Blocks(kind, signed) => {
            let each = if matches!(kind, 1 | 4) { 8 } else { 16 };
            let across = wide.div_ceil(4);
            let data =
                bytes.get(start..start + across * high.div_ceil(4) * each).ok_or_else(cut)?;
            for (k, block) in data.chunks_exact(each).enumerate() {
                let (left, top) = (k % across * 4, k / across * 4);
                let pixels = unpacked(block, kind, signed);
                let columns = (wide - left).min(4);
                for y in 0..(high - top).min(4) {
                    let to = ((top + y) * wide + left) * 4;
                    made[to..to + columns * 4]
                        .copy_from_slice(&pixels[y * 16..y * 16 + columns * 4]);
                }
            }
        }
    }
    let picture = RgbaImage::from_raw(width, height, made).ok_or_else(cut)?;
    Ok(DynamicImage::ImageRgba8(picture))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(width: u32, height: u32, format: [u32; 8]) -> Vec<u8> {
        let mut words = [0u32; 31];
        (words[0], words[1], words[2], words[3]) = (124, 0x1007, height, width);
        words[18..26].copy_from_slice(&format);
        words[26] = 0x1000;
        let mut bytes = b"DDS ".to_vec();
        bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        bytes
    }

    fn code(code: &[u8; 4]) -> [u32; 8] {
        [32, 4, u32::from_le_bytes(*code), 0, 0, 0, 0, 0]
    }

    /// Decodes a BC1 block whose first color is red and whose indices are all 0. The size of the
    /// image is not a multiple of the block size.
    #[test]
    fn blocks_are_cropped_at_the_image_edges() {
        let mut bytes = header(5, 3, code(b"DXT1"));
        for color in [[0x00, 0xF8], [0x1F, 0x00]] {
            bytes.extend([color[0], color[1], 0, 0, 0, 0, 0, 0]);
        }
        let made = read_dds(&bytes).unwrap().to_rgba8();
        assert_eq!(made.dimensions(), (5, 3));
        assert_eq!(
            (made.get_pixel(3, 2).0, made.get_pixel(4, 2).0),
            ([255, 0, 0, 255], [0, 0, 255, 255])
        );
        for cut in [4, 40, 127, 130, bytes.len() - 1] {
            assert!(read_dds(&bytes[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn pixels_are_decoded_by_their_bit_masks() {
        // Three formats: 16 bits with 5, 6 and 5 bits per channel, 32 bits with blue first, and
        // gray.
        let mut small = header(1, 1, [32, 0x40, 0, 16, 0xF800, 0x07E0, 0x001F, 0]);
        small.extend([0xE0, 0x07]);
        assert_eq!(read_dds(&small).unwrap().to_rgba8().get_pixel(0, 0).0, [0, 255, 0, 255]);
        let mut large = header(1, 1, [32, 0x41, 0, 32, 0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]);
        large.extend([1, 2, 3, 4]);
        assert_eq!(read_dds(&large).unwrap().to_rgba8().get_pixel(0, 0).0, [3, 2, 1, 4]);
        let mut gray = header(1, 1, [32, 0x2_0000, 0, 8, 0xFF, 0, 0, 0]);
        gray.push(77);
        assert_eq!(read_dds(&gray).unwrap().to_rgba8().get_pixel(0, 0).0, [77, 77, 77, 255]);
    }

    #[test]
    fn dx10_headers_and_two_channel_normal_maps_are_read() {
        let mut bytes = header(4, 4, code(b"DX10"));
        bytes.extend([98u32, 3, 0, 1, 0].iter().flat_map(|w| w.to_le_bytes()));
        // A BC7 block in mode 6 whose other bits are all 0 is black with alpha 0.
        let mut block = [0u8; 16];
        block[0] = 0x40;
        bytes.extend(block);
        assert_eq!(read_dds(&bytes).unwrap().to_rgba8().get_pixel(1, 1).0, [0, 0, 0, 0]);
        let mut pair = header(4, 4, code(b"ATI2"));
        pair.extend([255, 255, 0, 0, 0, 0, 0, 0, 128, 128, 0, 0, 0, 0, 0, 0]);
        let [x, y, z, _] = read_dds(&pair).unwrap().to_rgba8().get_pixel(0, 0).0;
        assert!(x == 255 && y.abs_diff(128) <= 1 && z.abs_diff(128) <= 6, "{x} {y} {z}");
    }

    #[test]
    fn huge_images_and_unknown_formats_are_refused() {
        for (bytes, why) in [
            (header(60_000, 60_000, code(b"DXT1")), "60000"),
            (header(0, 4, code(b"DXT1")), "0 × 4"),
            (header(4, 4, code(b"ABCD")), "ABCD"),
            (header(4, 4, [32, 0x40, 0, 64, 1, 2, 3, 4]), "pixel format"),
        ] {
            assert!(read_dds(&bytes).unwrap_err().contains(why), "{why}");
        }
    }
}
