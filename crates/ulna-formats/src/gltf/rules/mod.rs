//! The rules of the format, one by one, as the specification has them: which errors a file has that
//! other programs will complain of. What reading it repairs for showing is the reader's to say;
//! here speaks the letter.
//!
//! Codes are those of the Khronos validator, and mean what they mean there.

mod container;
mod data;
mod image;
mod known;
mod link;
mod matrix;
mod members;
mod parse;
mod words;

use std::{collections::HashMap, path::Path};

use serde_json::Value;

use self::words::{sentence, under_unmoved};
use super::{Container, json, source::Source};
use ulna_model::{Diagnostic, Severity};

/// Findings as they come, each once a place, with how often.
#[derive(Debug, Default)]
pub struct Report {
    list: Vec<(Severity, &'static str, String, usize)>,
    known: HashMap<(&'static str, String), usize>,
}

impl Report {
    fn add(&mut self, severity: Severity, code: &'static str, place: String, count: usize) {
        match self.known.get(&(code, place.clone())) {
            Some(at) => self.list[*at].3 += count,
            None => {
                self.known.insert((code, place.clone()), self.list.len());
                self.list.push((severity, code, place, count));
            }
        }
    }

    fn error(&mut self, code: &'static str, place: String) {
        self.add(Severity::Error, code, place, 1);
    }

    fn warning(&mut self, code: &'static str, place: String) {
        self.add(Severity::Warning, code, place, 1);
    }

    fn info(&mut self, code: &'static str, place: String) {
        self.add(Severity::Info, code, place, 1);
    }

    /// So many at one place; none is no finding.
    fn errors(&mut self, code: &'static str, place: impl FnOnce() -> String, count: usize) {
        if count > 0 {
            self.add(Severity::Error, code, place(), count);
        }
    }

    fn warnings(&mut self, code: &'static str, place: impl FnOnce() -> String, count: usize) {
        if count > 0 {
            self.add(Severity::Warning, code, place(), count);
        }
    }

    fn infos(&mut self, code: &'static str, place: impl FnOnce() -> String, count: usize) {
        if count > 0 {
            self.add(Severity::Info, code, place(), count);
        }
    }

    fn finish(self) -> Vec<Diagnostic> {
        let made = |(severity, code, place, count): (Severity, &'static str, String, usize)| {
            let message = match (severity, code) {
                (Severity::Info, "NODE_SKINNED_MESH_NON_ROOT") => under_unmoved(count),
                _ => sentence(code, count),
            };
            Diagnostic::new(severity, code, place.trim_start_matches('/'), message)
        };
        self.list.into_iter().map(made).collect()
    }
}

/// Looks a file over by the rules.
pub fn check(source: &Source) -> Vec<Diagnostic> {
    let mut out = Report::default();
    let named_gltf = source
        .path
        .as_deref()
        .and_then(Path::extension)
        .is_some_and(|e| e.eq_ignore_ascii_case("gltf"));
    match (&source.container, source.path.is_some(), named_gltf) {
        // Other programs go by the name.
        (Container::Glb { .. }, true, true) => {
            out.error("INVALID_JSON", String::new());
            return out.finish();
        }
        (Container::Gltf { .. }, true, false) => {
            out.error("GLB_INVALID_MAGIC", String::new());
            return out.finish();
        }
        (Container::Glb { .. }, ..) => {
            if !container::check(&source.bytes, &mut out) {
                return out.finish();
            }
        }
        (Container::Gltf { .. }, ..) => {
            if source.bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
                out.error("INVALID_JSON", String::new());
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
