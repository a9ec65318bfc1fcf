//! Textures of an `.x` file: found beside it whatever their case or folder, and put into the file
//! as what glTF takes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{builder::Builder, texture_use::Use};
use crate::{
    gltf::resolve_uri,
    import::{green_turned, read_picture},
};
use ulna_model::{is_gray, normal_map, picture_to_png};

/// How steep height maps are made, pixels, unless it is said otherwise.
const STEEP: f32 = 4.0;

/// Folders beside a file that are looked through, and files in each, at most.
const MOST: usize = 2000;

/// The file of this name in a folder or in one of the folders in it, whatever the case; never one
/// outside.
fn found_beside(folder: &Path, name: &str) -> Option<PathBuf> {
    let wanted = name.rsplit('/').next().filter(|n| !n.is_empty())?.to_lowercase();
    let inside = folder.canonicalize().ok()?;
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let list =
            fs::read_dir(folder).into_iter().flatten().take(MOST).flatten().map(|e| e.path());
        let mut list: Vec<PathBuf> = list.collect();
        list.sort();
        list
    };
    let own = entries(folder);
    let below = own.iter().filter(|p| p.is_dir()).flat_map(|p| entries(p)).collect::<Vec<_>>();
    let is_it =
        |p: &&PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().to_lowercase() == wanted);
    let found = own.iter().chain(&below).find(is_it)?.canonicalize().ok()?;
    (found.is_file() && found.starts_with(&inside)).then_some(found)
}

impl Builder<'_, '_> {
    /// A texture, put into the file once a use, where it is there and of a kind that can be read.
    pub(super) fn texture(&mut self, object: usize, name: &str, what: Use) -> Option<usize> {
        let name = name.replace("\\\\", "/").replace('\\', "/");
        if name.trim().is_empty() {
            return None;
        }
        if let Some(known) = self.taken.get(&(name.clone(), what)) {
            return *known;
        }
        let texture = match self.picture_of(&name, what) {
            Ok((mime, bytes)) => Some(self.glb.texture(&name, mime, &bytes, [true; 2])),
            Err(why) => {
                self.odd(object, format!("the texture “{name}” is not imported: {why}"));
                None
            }
        };
        self.taken.insert((name, what), texture);
        texture
    }

    fn picture_of(&mut self, name: &str, what: Use) -> Result<(&'static str, Vec<u8>), String> {
        let folder = self
            .path
            .and_then(Path::parent)
            .map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
        let folder = folder
            .ok_or("the file was not read from a folder, so there is nowhere to look for it")?;
        let uri = percent_encoding::utf8_percent_encode(name, &ESCAPED).to_string();
        let bytes =
            match resolve_uri(folder, &uri).and_then(|p| fs::read(p).map_err(|e| e.to_string())) {
                Ok(bytes) => bytes,
                Err(why) => {
                    let other = found_beside(folder, name).ok_or(why)?;
                    fs::read(other).map_err(|e| e.to_string())?
                }
            };
        let as_is = match what {
            Use::Color | Use::Glow if bytes.starts_with(b"\x89PNG") => Some("image/png"),
            Use::Color | Use::Glow if bytes.starts_with(b"\xFF\xD8") => Some("image/jpeg"),
            _ => None,
        };
        if let Some(mime) = as_is {
            return Ok((mime, bytes));
        }
        let picture = read_picture(&bytes, name)?;
        let picture = match what {
            Use::Color | Use::Glow => picture,
            // Whatever it is called: what has no colors are heights.
            Use::Normal | Use::Height if is_gray(&picture) => {
                self.found.heights += 1;
                normal_map(&picture, self.conversion.height.unwrap_or(STEEP), true)
            }
            Use::Normal | Use::Height => green_turned(&picture),
        };
        Ok(("image/png", picture_to_png(&picture).map_err(|e| e.to_string())?))
    }
}

/// What a name has that a URI has otherwise.
const ESCAPED: percent_encoding::AsciiSet =
    percent_encoding::CONTROLS.add(b'%').add(b'#').add(b'?');
