//! Recently opened files with their time, summary and thumbnail, stored beside the preferences.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use egui::{ColorImage, Context, TextureHandle, TextureId, TextureOptions};
use image::RgbaImage;
use serde::{Deserialize, Serialize};

use crate::ui::Recent;
use ulna_model::{picture_to_png, unpack_picture};

/// Maximum number of recent files.
const MOST: usize = 12;
/// Size of a thumbnail, in pixels.
pub(super) const PICTURE: [u32; 2] = [480, 264];
/// Maximum size of a decoded thumbnail in bytes, as protection against a replaced file.
const MOST_MEMORY: u64 = 16 << 20;

/// A recently opened file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecentFile {
    pub path: PathBuf,
    /// Time when the file was last opened or saved, in seconds since 1970.
    pub opened: u64,
    /// Summary of the content.
    pub facts: String,
}

/// The list on the welcome page. It is updated when the page opens.
#[derive(Default)]
pub(super) struct RecentList {
    pub shown: Vec<Recent>,
    textures: HashMap<PathBuf, TextureHandle>,
}

impl RecentList {
    /// Updates the list: checks whether each file exists, and loads its thumbnail.
    pub(super) fn refresh(&mut self, ctx: &Context, files: &[RecentFile]) {
        let now = seconds(SystemTime::now());
        let shown = files.iter().map(|f| Recent {
            path: f.path.clone(),
            when: ago(now.saturating_sub(f.opened)),
            facts: f.facts.clone(),
            picture: self.picture(ctx, &f.path),
            missing: !f.path.is_file(),
        });
        self.shown = shown.collect();
    }

    /// Thumbnail of a file, if there is one.
    pub(super) fn picture(&mut self, ctx: &Context, path: &Path) -> Option<TextureId> {
        if let Some(texture) = self.textures.get(path) {
            return Some(texture.id());
        }
        let png = std::fs::read(picture_path(path)?).ok()?;
        let picture = unpack_picture(&png, image::ImageFormat::Png, MOST_MEMORY).ok()?.to_rgba8();
        let size = [picture.width() as usize, picture.height() as usize];
        let image = ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
        let texture = ctx.load_texture(path.display().to_string(), image, TextureOptions::LINEAR);
        let id = texture.id();
        self.textures.insert(path.to_owned(), texture);
        Some(id)
    }

    /// Removes a thumbnail from the cache, because the file changed.
    pub(super) fn forget_picture(&mut self, path: &Path) {
        self.textures.remove(path);
    }
}

/// Moves a file to the front of the list. Returns its absolute path.
pub(super) fn remember(files: &mut Vec<RecentFile>, path: &Path, facts: String) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    files.retain(|f| f.path != path);
    files.insert(0, RecentFile { path: path.clone(), opened: seconds(SystemTime::now()), facts });
    files.truncate(MOST);
    path
}

/// Stores a file's thumbnail in the background. Errors are ignored.
pub(super) fn store_picture(path: &Path, picture: RgbaImage) {
    let Some(target) = picture_path(path) else { return };
    let store = move || {
        let folder = target.parent().map(std::fs::create_dir_all);
        if let Some(Err(error)) = folder {
            log::warn!("{} could not be made: {error}", target.display());
            return;
        }
        match picture_to_png(&fitted(picture).into()) {
            Ok(png) => {
                if let Err(error) = std::fs::write(&target, png) {
                    log::warn!("{} could not be written: {error}", target.display());
                }
            }
            Err(error) => log::warn!("{} could not be packed: {error}", target.display()),
        }
    };
    if let Err(error) = std::thread::Builder::new().name("picture".into()).spawn(store) {
        log::warn!("a picture could not be stored: {error}");
    }
}

/// The center of a picture, scaled to the size of a thumbnail.
fn fitted(picture: RgbaImage) -> RgbaImage {
    let [width, height] = PICTURE;
    if picture.dimensions() == (width, height) {
        return picture;
    }
    let filter = image::imageops::FilterType::Triangle;
    image::DynamicImage::ImageRgba8(picture).resize_to_fill(width, height, filter).into_rgba8()
}

fn picture_path(path: &Path) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let name = format!("{:016x}.png", hasher.finish());
    Some(eframe::storage_dir("ulna")?.join("pictures").join(name))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// Elapsed time in words, such as `3 days ago`.
pub(super) fn ago(seconds: u64) -> String {
    let many = |n: u64, what: &str| {
        if n == 1 { format!("1 {what} ago") } else { format!("{n} {what}s ago") }
    };
    match seconds {
        0..90 => "just now".into(),
        90..3_600 => many(seconds.div_ceil(60), "minute"),
        3_600..86_400 => many(seconds / 3_600, "hour"),
        86_400..172_800 => "yesterday".into(),
        172_800..2_592_000 => many(seconds / 86_400, "day"),
        _ => many(seconds / 2_592_000, "month"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_time_is_described_in_words() {
        let said: Vec<String> =
            [5, 600, 7200, 100_000, 400_000, 6_000_000].into_iter().map(ago).collect();
        assert_eq!(
            said,
            [
                "just now",
                "10 minutes ago",
                "2 hours ago",
                "yesterday",
                "4 days ago",
                "2 months ago"
            ]
        );
    }
}
