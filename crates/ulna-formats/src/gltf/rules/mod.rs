//! Checks a file against the rules of the glTF specification. These checks find the errors that
//! other programs report. The reader reports its own repairs separately.
//!
//! The codes are those of the Khronos validator, with the same meaning.

mod container;
mod data;
mod extent;
mod file;
mod image;
mod known;
mod link;
mod matrix;
mod members;
mod numbers;
mod parse;
mod report;
mod words;

use std::path::Path;

use serde_json::Value;

use self::report::Report;
use super::{Container, json, source::Source};
use ulna_model::{Diagnostic, Location};

/// Checks a file against all rules. Returns the findings.
pub fn check(source: &Source) -> Vec<Diagnostic> {
    let mut out = Report::default();
    let named_gltf = source
        .path
        .as_deref()
        .and_then(Path::extension)
        .is_some_and(|e| e.eq_ignore_ascii_case("gltf"));
    match (&source.container, source.path.is_some(), named_gltf) {
        // Other programs decide the container by the file name.
        (Container::Glb { .. }, true, true) => {
            out.error("INVALID_JSON", Location::default());
            return out.finish();
        }
        (Container::Gltf { .. }, true, false) => {
            out.error("GLB_INVALID_MAGIC", Location::default());
            return out.finish();
        }
        (Container::Glb { .. }, ..) => {
            if !container::check(&source.bytes, &mut out) {
                return out.finish();
            }
        }
        (Container::Gltf { .. }, ..) => {
            if source.bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
                out.error("INVALID_JSON", Location::default());
            }
        }
    }
    let Some(root) = source.json().ok().and_then(json::with_nulls) else { return out.finish() };
    let Value::Object(root) = root else { return out.finish() };
    if let Some(mut file) = parse::read(&root, &mut out) {
        known::check(&root, &mut out);
        link::check(&mut file, &mut out);
        data::check(source, &file, &mut out);
    }
    out.finish()
}
