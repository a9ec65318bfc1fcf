//! Reads the inputs that arguments name: files, clips and mixes.

use std::{collections::BTreeSet, path::Path};

use super::{
    arguments::{ConversionArgs, LeftOut},
    report::Failure,
};
#[cfg(feature = "render")]
use ulna_edit::did_you_mean;
use ulna_edit::{
    command::{mix_of, read_mix},
    find_clip,
};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{ClipId, Document, Mix, Shared};
use ulna_motion::Averaging;
use ulna_session::{AxisDirection, Content, Conversion, Session, UpAxis};

impl ConversionArgs {
    /// Converts the import options. Fails with exit status 2 if an option is invalid.
    pub(super) fn conversion(&self) -> Result<Conversion, Failure> {
        let up = self.up.as_deref().map(|up| match up {
            "z" => UpAxis::Z,
            "x" => UpAxis::X,
            _ => UpAxis::Y,
        });
        let meters = |text: &String| match text.as_str() {
            "m" => Some(1.0),
            "cm" => Some(0.01),
            "mm" => Some(0.001),
            "inch" => Some(0.0254),
            number => number.parse::<f32>().ok().filter(|v| (1e-6..=1e6).contains(v)),
        };
        let wrong = |message: String| Failure::unusable("wrong_arguments", message);
        let unit = match &self.unit {
            None => None,
            Some(text) => match meters(text) {
                Some(meters) => Some(meters),
                None => {
                    return Err(wrong(format!(
                        "invalid unit {text}. Use m, cm, mm, inch or a number of meters"
                    )));
                }
            },
        };
        if let Some(rate) = self.rate.filter(|r| !(0.01..=1e6).contains(r)) {
            return Err(wrong(format!("invalid rate {rate}. Use 0.01 to 1000000 per second")));
        }
        if let Some(height) = self.height.filter(|h| !(0.0..=1000.0).contains(h)) {
            return Err(wrong(format!("invalid height {height}. Use 0 to 1000 pixels")));
        }
        let front = self.front.as_deref().and_then(|front| {
            let is_it = |d: &AxisDirection| d.label().replace('−', "-").eq_ignore_ascii_case(front);
            AxisDirection::ALL.into_iter().find(is_it)
        });
        let without = self.without.iter().map(|content| match content {
            LeftOut::Meshes => Content::Meshes,
            LeftOut::BlendShapes => Content::BlendShapes,
            LeftOut::Materials => Content::Materials,
            LeftOut::CamerasAndLights => Content::CamerasAndLights,
        });
        Ok(Conversion {
            up,
            front,
            unit,
            rate: self.rate,
            height: self.height,
            clips: None,
            without: without.collect(),
            keep_offset: self.keep_offset,
            keep_armature: self.keep_armature,
        })
    }

    /// Opens a file with these import options.
    pub(super) fn open(&self, path: &Path) -> Result<Session, Failure> {
        let mut conversion = self.conversion()?;
        if !self.clips.is_empty() {
            let none = Conversion {
                clips: Some(BTreeSet::new()),
                without: [Content::Meshes].into(),
                ..conversion.clone()
            };
            let session = open_as(path, &none)?;
            let names: Vec<&str> = session
                .imported()
                .map(|i| i.found.clips.iter().map(|c| c.name.as_str()).collect())
                .unwrap_or_default();
            let wanted: Result<BTreeSet<usize>, Failure> =
                self.clips.iter().map(|text| clip_of_import(path, &names, text)).collect();
            conversion.clips = Some(wanted?);
        }
        open_as(path, &conversion)
    }
}

/// Index of a clip in a list, by its name or its number from 1.
fn clip_of_import(path: &Path, names: &[&str], text: &str) -> Result<usize, Failure> {
    let number = || text.parse::<usize>().ok()?.checked_sub(1).filter(|k| *k < names.len());
    names.iter().position(|name| *name == text).or_else(number).ok_or_else(|| {
        let list = if names.is_empty() {
            "it has none".to_owned()
        } else {
            let named = names.iter().enumerate().map(|(k, name)| format!("{} {name}", k + 1));
            format!("available: {}", named.collect::<Vec<_>>().join(", "))
        };
        let message = format!("{}: no clip “{text}”; {list}", path.display());
        Failure::unusable("no_such_name", message).of_file(path)
    })
}

/// Interpolation of LINEAR rotations: NLERP or SLERP.
pub(super) const fn between(nlerp: bool) -> Averaging {
    if nlerp { Averaging::Nlerp } else { Averaging::Slerp }
}

/// Opens a file. A failure has exit status 2.
pub(super) fn open(path: &Path) -> Result<Session, Failure> {
    open_as(path, &Conversion::default())
}

/// Opens a file of any format with import options. A failure has exit status 2.
pub(super) fn open_as(path: &Path, conversion: &Conversion) -> Result<Session, Failure> {
    Session::open_as(path, conversion, &Progress::default()).map_err(|e| {
        let message = match &e {
            // This message already names the file.
            ReadError::Io { .. } => e.to_string(),
            _ => format!("{}: {e}", path.display()),
        };
        Failure::unusable(e.code(), message).of_file(path)
    })
}

/// The clip that a text names; `None` for the text `none`.
pub(super) fn clip_named(document: &Document, text: &str) -> Result<Option<ClipId>, Failure> {
    if text == "none" {
        return Ok(None);
    }
    find_clip(document, text).map(Some).map_err(|e| Failure::unusable(e.code(), e))
}

/// The mix from a JSON file, or for `kept` the mix that the model file stores.
pub(super) fn mix_named(document: &Document, spec: &Path) -> Result<Shared<Mix>, Failure> {
    if spec == Path::new("kept") {
        let none = || {
            Failure::unusable(
                "no_mix",
                "the file contains no valid mix; pass a JSON file with a mix",
            )
        };
        return mix_of(document).ok_or_else(none);
    }
    let text = std::fs::read_to_string(spec).map_err(|e| {
        Failure::unusable("file_unreadable", format!("{} could not be read: {e}", spec.display()))
    })?;
    let mix = read_mix(document, &text.into())
        .map_err(|e| Failure::unusable("mix_unsound", format!("{}: {e}", spec.display())))?;
    Ok(Shared::new(mix))
}

/// Index of the element that a text names, by its label or its index.
#[cfg(feature = "render")]
pub(super) fn choice(what: &str, labels: &[String], text: &str) -> Result<usize, Failure> {
    let index =
        || text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|k| *k < labels.len());
    labels.iter().position(|l| l == text).or_else(index).ok_or_else(|| {
        let list = if labels.is_empty() {
            "there are none".to_owned()
        } else {
            format!("available: {}", labels.join(", "))
        };
        let near = did_you_mean(text, labels.iter().map(String::as_str));
        Failure::unusable(
            "no_such_name",
            format!("the file has no {what} named “{text}”{near}; {list}"),
        )
    })
}
