//! Reference models of files, kept from one start to the next.

use std::path::{Path, PathBuf};

use egui::Context;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::ui::{ReferenceFacts, ReferencePlace};

/// A reference model of a file, as it was left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::app) struct KeptReference {
    path: PathBuf,
    place: ReferencePlace,
    /// Name of the clip that it plays.
    clip: Option<String>,
    hidden: bool,
    plain: bool,
    shows_joints: bool,
}

/// Reference models of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::app) struct KeptReferences {
    /// The file.
    model: PathBuf,
    all: Vec<KeptReference>,
}

impl KeptReference {
    fn of(facts: &ReferenceFacts) -> Self {
        Self {
            path: facts.path.clone(),
            place: facts.place,
            clip: facts.clip.and_then(|k| facts.clips.get(k)).map(|(name, _)| name.clone()),
            hidden: facts.hidden,
            plain: facts.plain,
            shows_joints: facts.shows_joints,
        }
    }

    /// Facts of a model that was loaded, with the place and the display of an earlier time.
    pub(super) fn applied(&self, facts: &ReferenceFacts) -> ReferenceFacts {
        let clip = |name: &String| facts.clips.iter().position(|(other, _)| other == name);
        ReferenceFacts {
            place: self.place.clamped(),
            clip: self.clip.as_ref().and_then(clip),
            hidden: self.hidden,
            plain: self.plain,
            shows_joints: self.shows_joints,
            ..facts.clone()
        }
    }
}

/// Puts the models of a file first; of many files the oldest are forgotten.
fn keep(list: &mut Vec<KeptReferences>, model: &Path, all: Vec<KeptReference>) {
    const FILES: usize = 40;
    list.retain(|kept| kept.model != model);
    if !all.is_empty() {
        list.insert(0, KeptReferences { model: model.to_owned(), all });
        list.truncate(FILES);
    }
}

impl App {
    /// Keeps the reference models of the open file, to be loaded with it again.
    pub(super) fn keep_references(&mut self) {
        let Some(path) = self.session.as_ref().and_then(|s| s.path()) else { return };
        let all = self.references.facts.iter().map(KeptReference::of).collect();
        keep(&mut self.program.preferences.references, path, all);
    }

    /// Loads the reference models of a file that was opened. Files that are gone are left out.
    pub(in crate::app) fn load_kept_references(&mut self, ctx: &Context, path: &Path) {
        let kept = self.program.preferences.references.iter().find(|kept| kept.model == path);
        for reference in kept.map(|kept| kept.all.clone()).unwrap_or_default() {
            if reference.path.is_file() {
                self.load_reference(ctx, reference.path.clone(), Some(reference));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(path: &str) -> KeptReference {
        KeptReference {
            path: path.into(),
            place: ReferencePlace::default(),
            clip: None,
            hidden: false,
            plain: true,
            shows_joints: false,
        }
    }

    #[test]
    fn the_models_of_a_file_replace_those_of_before_and_old_files_are_forgotten() {
        let mut list = Vec::new();
        for k in 0..60 {
            keep(&mut list, Path::new(&format!("{k}.glb")), vec![one("prop.glb")]);
        }
        keep(&mut list, Path::new("59.glb"), vec![one("a.glb"), one("b.glb")]);
        assert_eq!((list.len(), list[0].all.len()), (40, 2));
        keep(&mut list, Path::new("59.glb"), Vec::new());
        assert!(list.iter().all(|kept| kept.model != Path::new("59.glb")));
        let text = serde_json::to_string(&list).expect("a text");
        let read: Vec<KeptReferences> = serde_json::from_str(&text).expect("the same");
        assert_eq!(read, list);
    }
}
