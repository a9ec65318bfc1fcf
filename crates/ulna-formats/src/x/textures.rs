//! Textures of an `.x` file, which are searched for in the folder of the file and converted to
//! formats that glTF allows.

use std::path::Path;

use super::{builder::Builder, texture_use::Use};
use crate::import::{green_turned, read_beside, read_picture};
use ulna_model::{is_gray, normal_map, picture_to_png};

/// Default height of white above black, in pixels, for converting a height map to a normal map.
const STEEP: f32 = 4.0;

impl Builder<'_, '_> {
    /// Adds a texture once per use. Returns its index; `None` if the texture is missing or
    /// unreadable.
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
        let folder = self.path.and_then(Path::parent);
        let folder = folder
            .ok_or("the file was not read from a folder, so there is nowhere to look for it")?;
        let bytes = read_beside(folder, name)?;
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
            // A gray image is treated as a height map, regardless of its name.
            Use::Normal | Use::Height if is_gray(&picture) => {
                self.found.heights += 1;
                normal_map(&picture, self.conversion.height.unwrap_or(STEEP), true)
            }
            Use::Normal | Use::Height => green_turned(&picture),
        };
        Ok(("image/png", picture_to_png(&picture).map_err(|e| e.to_string())?))
    }
}
