//! Rendering of clips to image files: numbered images, an animated GIF, or a contact sheet.
//!
//! Files are written to a temporary folder next to their destination, and moved when all are
//! complete. Canceled or failed work therefore leaves no files.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use image::{Delay, Frame, ImageError, RgbaImage, codecs::gif::GifEncoder, codecs::gif::Repeat};

use super::GpuError;
use ulna_model::picture_to_png;

/// Output format of a rendered clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmKind {
    /// One numbered `.png` file per image.
    #[default]
    Numbered,
    /// One looping `.gif` file. GIF has no partial transparency.
    Gif,
    /// One `.png` contact sheet, filled row by row.
    Sheet,
}

impl FilmKind {
    /// File extension.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Numbered | Self::Sheet => "png",
        }
    }

    /// Paths of the output files for a number of images.
    pub fn files(self, to: &Path, pictures: usize) -> Vec<PathBuf> {
        if self != Self::Numbered {
            return vec![to.with_extension(self.suffix())];
        }
        let stem =
            to.file_stem().map_or_else(|| "frame".into(), |s| s.to_string_lossy().into_owned());
        (0..pictures).map(|k| to.with_file_name(format!("{stem}-{k:04}.png"))).collect()
    }
}

/// Error while rendering a clip to files.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The graphics device failed.
    #[error("{0}")]
    Device(#[from] GpuError),
    /// A file could not be written.
    #[error("{} could not be written: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// An image could not be encoded.
    #[error("an image could not be encoded: {0}")]
    Image(#[from] ImageError),
    /// The contact sheet is too large. The numbers are its width and height in pixels.
    #[error(
        "a contact sheet of {0} × {1} pixels is too large; use smaller or fewer images, so that \
            each side is at most {LARGEST_SHEET} pixels"
    )]
    Sheet(u32, u32),
    /// The user canceled.
    #[error("rendering was canceled")]
    Canceled,
}

impl FilmError {
    /// Error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Device(error) => error.code(),
            Self::Io { .. } => "output_not_writable",
            Self::Image(_) => "picture_not_encodable",
            Self::Sheet(..) => "sheet_too_large",
            Self::Canceled => "canceled",
        }
    }
}

/// Size limit of a contact sheet along each side, in pixels.
const LARGEST_SHEET: u32 = 16_384;

/// Number of columns and rows of a contact sheet, chosen so that the sheet is nearly square.
pub fn sheet_grid(pictures: usize, size: [u32; 2]) -> [u32; 2] {
    let n = pictures.max(1) as f64;
    let columns =
        (n * f64::from(size[1].max(1)) / f64::from(size[0].max(1))).sqrt().round().clamp(1.0, n);
    [columns as u32, (n / columns).ceil() as u32]
}

/// Renders images and writes them to files. Returns the paths.
///
/// `seconds` is the time between two images. `take` renders the image with a given index. `reach`
/// receives the progress, `0..=1`, and returns whether to continue.
///
/// # Errors
/// See [`FilmError`]. No files are left in this case.
pub fn film(
    kind: FilmKind,
    to: &Path,
    pictures: usize,
    seconds: f64,
    take: &mut dyn FnMut(usize) -> Result<RgbaImage, FilmError>,
    reach: &mut dyn FnMut(f32) -> bool,
) -> Result<Vec<PathBuf>, FilmError> {
    let files = kind.files(to, pictures);
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| FilmError::Io { path, source }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let beside =
        tempfile::Builder::new().prefix(".ulna-").tempdir_in(folder).map_err(failed(folder))?;
    let made: Vec<PathBuf> = (0..files.len()).map(|k| beside.path().join(k.to_string())).collect();
    let mut next = |k: usize| {
        if reach(k as f32 / pictures.max(1) as f32) { take(k) } else { Err(FilmError::Canceled) }
    };
    let write_png = |picture: RgbaImage, path: &Path| -> Result<(), FilmError> {
        fs::write(path, picture_to_png(&picture.into())?).map_err(failed(path))
    };
    match kind {
        FilmKind::Numbered => {
            for (k, path) in made.iter().enumerate() {
                write_png(next(k)?, path)?;
            }
        }
        FilmKind::Gif => {
            let mut gif = GifEncoder::new_with_speed(
                File::create(&made[0]).map(BufWriter::new).map_err(failed(&made[0]))?,
                10,
            );
            gif.set_repeat(Repeat::Infinite)?;
            for k in 0..pictures {
                let mut picture = next(k)?;
                picture.pixels_mut().for_each(|p| p.0[3] = if p.0[3] < 128 { 0 } else { 255 });
                // GIF delays are in hundredths of a second. Each image ends at the rounded start of
                // the next image, so that rounding errors do not add up.
                let hundredths = |k: usize| (k as f64 * seconds * 100.0).round();
                let delay = (hundredths(k + 1) - hundredths(k)).max(2.0) as u32 * 10;
                gif.encode_frame(Frame::from_parts(
                    picture,
                    0,
                    0,
                    Delay::from_numer_denom_ms(delay, 1),
                ))?;
            }
        }
        FilmKind::Sheet => {
            let mut sheet = RgbaImage::new(0, 0);
            for k in 0..pictures {
                let picture = next(k)?;
                let (width, height) = picture.dimensions();
                let [columns, rows] = sheet_grid(pictures, [width, height]);
                if k == 0 {
                    let (w, h) = (columns.saturating_mul(width), rows.saturating_mul(height));
                    if w > LARGEST_SHEET || h > LARGEST_SHEET {
                        return Err(FilmError::Sheet(w, h));
                    }
                    sheet = RgbaImage::new(w, h);
                }
                let at = [k as u32 % columns * width, k as u32 / columns * height];
                image::imageops::replace(&mut sheet, &picture, at[0].into(), at[1].into());
            }
            write_png(sheet, &made[0])?;
        }
    }
    if !reach(1.0) {
        return Err(FilmError::Canceled);
    }
    for (from, to) in made.iter().zip(&files) {
        fs::rename(from, to).map_err(failed(to))?;
    }
    Ok(files)
}

/// Times of a clip's images at a frame rate, in seconds. The end is included unless the clip loops.
pub fn film_times(length: f64, fps: f64, begins_again: bool) -> Vec<f64> {
    const MOST: f64 = 10_000.0;
    let steps = (length * fps).round().clamp(0.0, MOST) as usize;
    let count = if begins_again { steps.max(1) } else { steps + 1 };
    (0..count).map(|k| (k as f64 / fps).min(length)).collect()
}

/// Converts premultiplied colors to straight alpha, by dividing the linear light of each pixel by
/// its alpha.
///
/// The picture was drawn over a transparent background. Its colors are therefore premultiplied in
/// linear light, and encoded as sRGB (IEC 61966-2-1).
pub(super) fn straighten(picture: &mut RgbaImage) {
    let light: Vec<f32> = (0..=255u8).map(super::color::light_of).collect();
    for pixel in picture.pixels_mut() {
        let [r, g, b, a] = pixel.0;
        if a > 0 && a < 255 {
            let share = f32::from(a) / 255.0;
            let whole = |v: u8| super::color::byte_of((light[usize::from(v)] / share).min(1.0));
            pixel.0 = [whole(r), whole(g), whole(b), a];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(k: usize) -> RgbaImage {
        RgbaImage::from_pixel(4, 2, image::Rgba([k as u8 * 10, 0, 0, 255]))
    }

    #[test]
    fn each_film_kind_contains_every_frame() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("deep/walk.x");
        let mut checked = 0;
        for kind in [FilmKind::Numbered, FilmKind::Gif, FilmKind::Sheet] {
            let files =
                film(kind, &to, 7, 1.0 / 30.0, &mut |k| Ok(picture(k)), &mut |_| true).unwrap();
            assert_eq!(files, kind.files(&to, 7));
            match kind {
                FilmKind::Numbered => {
                    for (k, file) in files.iter().enumerate() {
                        assert_eq!(image::open(file).unwrap().into_rgba8(), picture(k));
                    }
                }
                FilmKind::Gif => {
                    use image::AnimationDecoder as _;
                    let reader = io::BufReader::new(File::open(&files[0]).unwrap());
                    let frames = image::codecs::gif::GifDecoder::new(reader).unwrap().into_frames();
                    let frames = frames.collect_frames().unwrap();
                    assert_eq!(frames.len(), 7);
                    let all: u32 = frames
                        .iter()
                        .map(|f| f.delay().numer_denom_ms().0 / f.delay().numer_denom_ms().1)
                        .sum();
                    assert_eq!(all, 230, "7 of 30 a second last 233 ms");
                }
                FilmKind::Sheet => {
                    let sheet = image::open(&files[0]).unwrap().into_rgba8();
                    let [columns, rows] = sheet_grid(7, [4, 2]);
                    assert_eq!(sheet.dimensions(), (columns * 4, rows * 2));
                    assert!(columns * rows >= 7 && columns * (rows - 1) < 7);
                    let at =
                        |k: u32| sheet.get_pixel(k % columns * 4 + 1, k / columns * 2 + 1).0[0];
                    assert!((0..7).all(|k| u32::from(at(k)) == k * 10));
                }
            }
            checked += files.len();
        }
        assert_eq!(checked, 9);
        let left: Vec<_> = fs::read_dir(to.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 9, "nothing else is left");
    }

    #[test]
    fn canceled_or_failed_work_changes_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("walk");
        fs::write(folder.path().join("walk-0000.png"), "mine").unwrap();
        for kind in [FilmKind::Numbered, FilmKind::Gif, FilmKind::Sheet] {
            let canceled = film(kind, &to, 7, 0.1, &mut |k| Ok(picture(k)), &mut |done| done < 0.5);
            assert!(matches!(canceled, Err(FilmError::Canceled)));
            let mut broken = |k: usize| {
                if k < 5 { Ok(picture(k)) } else { Err(GpuError::Failed("it burns".into()).into()) }
            };
            assert!(
                film(kind, &to, 7, 0.1, &mut broken, &mut |_| true)
                    .unwrap_err()
                    .to_string()
                    .contains("it burns")
            );
        }
        let large = film(
            FilmKind::Sheet,
            &to,
            40_000,
            0.1,
            &mut |_| Ok(RgbaImage::new(200, 100)),
            &mut |_| true,
        );
        assert!(large.unwrap_err().to_string().contains("smaller"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read(folder.path().join("walk-0000.png")).unwrap(), b"mine");
    }

    #[test]
    fn partially_covered_pixels_keep_their_color() {
        for value in [0u8, 40, 128, 255] {
            for alpha in [64u8, 128, 250] {
                let share = f32::from(alpha) / 255.0;
                let seen =
                    super::super::color::byte_of(super::super::color::light_of(value) * share);
                let mut one = RgbaImage::from_pixel(1, 1, image::Rgba([seen, seen, seen, alpha]));
                straighten(&mut one);
                assert!(
                    one.get_pixel(0, 0).0[0].abs_diff(value) <= 2,
                    "{value} {alpha} {:?}",
                    one.get_pixel(0, 0)
                );
            }
        }
    }

    #[test]
    fn a_looping_film_omits_the_last_frame() {
        assert_eq!(film_times(1.0, 4.0, true), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(film_times(1.0, 4.0, false), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(film_times(0.0, 30.0, true), [0.0]);
    }
}
