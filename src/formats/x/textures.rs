//! Textures of an `.x` file: found beside it whatever their case or folder, and put into the file as what glTF takes.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use image::{ImageFormat, ImageReader, Limits};
use serde_json::json;

use super::build::Builder;
use crate::formats::gltf::resolve_uri;

/// Folders beside a file that are looked through, and files in each, at most.
const MOST: usize = 2000;

/// The file of this name in a folder or in one of the folders in it, whatever the case; never one outside.
fn found_beside(folder: &Path, name: &str) -> Option<PathBuf> {
    let wanted = name.rsplit('/').next().filter(|n| !n.is_empty())?.to_lowercase();
    let inside = folder.canonicalize().ok()?;
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let list = fs::read_dir(folder).into_iter().flatten().take(MOST).flatten().map(|e| e.path());
        let mut list: Vec<PathBuf> = list.collect();
        list.sort();
        list
    };
    let own = entries(folder);
    let below = own.iter().filter(|p| p.is_dir()).flat_map(|p| entries(p)).collect::<Vec<_>>();
    let is_it = |p: &&PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().to_lowercase() == wanted);
    let found = own.iter().chain(&below).find(is_it)?.canonicalize().ok()?;
    (found.is_file() && found.starts_with(&inside)).then_some(found)
}

/// A picture as PNG, of a format that glTF does not take; why not, in words.
fn as_png(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let format = match ending.as_str() {
        _ if bytes.starts_with(b"BM") => ImageFormat::Bmp,
        // It has no mark of its own.
        "tga" => ImageFormat::Tga,
        _ => return Err("it is neither PNG, JPEG, TGA nor BMP".to_owned()),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some((bytes.len() as u64).saturating_mul(16).saturating_add(48 << 20));
    reader.limits(limits);
    let picture = reader.decode().map_err(|e| e.to_string())?;
    let mut made = Vec::new();
    picture.write_to(&mut Cursor::new(&mut made), ImageFormat::Png).map_err(|e| e.to_string())?;
    Ok(made)
}

impl Builder<'_, '_> {
    /// A texture, put into the file once, where it is there and of a kind that can be read.
    pub(super) fn texture(&mut self, object: usize, name: &str) -> Option<usize> {
        let name = name.replace("\\\\", "/").replace('\\', "/");
        if name.trim().is_empty() {
            return None;
        }
        if let Some(known) = self.taken.get(&name) {
            return *known;
        }
        let made = self.texture_of(&name);
        let texture = made.unwrap_or_else(|why| {
            self.odd(object, format!("the texture “{name}” is not shown: {why}"));
            None
        });
        self.taken.insert(name, texture);
        texture
    }

    fn texture_of(&mut self, name: &str) -> Result<Option<usize>, String> {
        let folder =
            self.path.and_then(Path::parent).map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
        let folder = folder.ok_or("the file has no folder to look in")?;
        let uri = percent_encoding::utf8_percent_encode(name, &ESCAPED).to_string();
        let bytes = match resolve_uri(folder, &uri).and_then(|p| fs::read(p).map_err(|e| e.to_string())) {
            Ok(bytes) => bytes,
            Err(why) => {
                let other = found_beside(folder, name).ok_or(why)?;
                fs::read(other).map_err(|e| e.to_string())?
            }
        };
        let (mime, bytes) = if bytes.starts_with(b"\x89PNG") {
            ("image/png", bytes)
        } else if bytes.starts_with(b"\xFF\xD8") {
            ("image/jpeg", bytes)
        } else {
            ("image/png", as_png(&bytes, name)?)
        };
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        self.bin.extend_from_slice(&bytes);
        self.images.push(json!({"name": name, "mimeType": mime, "bufferView": self.views.len() - 1}));
        self.textures.push(json!({"source": self.images.len() - 1}));
        Ok(Some(self.textures.len() - 1))
    }
}

/// What a name has that a URI has otherwise.
const ESCAPED: percent_encoding::AsciiSet = percent_encoding::CONTROLS.add(b'%').add(b'#').add(b'?');
