//! Reference models of files, stored between launches.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ui::{ReferenceFacts, ReferencePlace};

/// Stored state of a reference model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::app) struct KeptReference {
    pub(in crate::app) path: PathBuf,
    place: ReferencePlace,
    /// Name of the playing clip; `None` for the rest pose.
    clip: Option<String>,
    hidden: bool,
    plain: bool,
    shows_joints: bool,
}

/// Reference models of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::app) struct KeptReferences {
    /// Path of the file that the models belong to.
    pub(in crate::app) model: PathBuf,
    pub(in crate::app) all: Vec<KeptReference>,
}

impl KeptReference {
    pub(in crate::app) fn of(facts: &ReferenceFacts) -> Self {
        Self {
            path: facts.path.clone(),
            place: facts.place,
            clip: facts.clip.and_then(|k| facts.clips.get(k)).map(|(name, _)| name.clone()),
            hidden: facts.hidden,
            plain: facts.plain,
            shows_joints: facts.shows_joints,
        }
    }

    /// Facts about a loaded model, with the stored transform and display.
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

impl KeptReferences {
    /// Stores the models of a file at the front of the list. The oldest files are removed from long
    /// lists.
    pub(in crate::app) fn keep(list: &mut Vec<Self>, model: &Path, all: Vec<KeptReference>) {
        const FILES: usize = 40;
        list.retain(|kept| kept.model != model);
        if !all.is_empty() {
            list.insert(0, Self { model: model.to_owned(), all });
            list.truncate(FILES);
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
    fn storing_reference_models_of_a_file_replaces_them_and_drops_the_oldest_files() {
        let mut list = Vec::new();
        for k in 0..60 {
            KeptReferences::keep(&mut list, Path::new(&format!("{k}.glb")), vec![one("prop.glb")]);
        }
        KeptReferences::keep(&mut list, Path::new("59.glb"), vec![one("a.glb"), one("b.glb")]);
        assert_eq!((list.len(), list[0].all.len()), (40, 2));
        KeptReferences::keep(&mut list, Path::new("59.glb"), Vec::new());
        assert!(list.iter().all(|kept| kept.model != Path::new("59.glb")));
        let text = serde_json::to_string(&list).expect("a text");
        let read: Vec<KeptReferences> = serde_json::from_str(&text).expect("the same");
        assert_eq!(read, list);
    }
}
