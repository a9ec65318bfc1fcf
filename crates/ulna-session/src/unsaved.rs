//! What is not on disk. The window's title asks for it in each frame, so layers are not folded for
//! it: what is not folded yet is compared.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::{Session, Unsaved};
use ulna_edit::command::is_mix_loose;
use ulna_model::{Asset, Document, LayerHome, PoseLayer, PoseLayers, Shared, SkinId, WeightLayers};

/// What a save makes a file from, before layers are folded into keys and nodes.
#[derive(Clone, Debug)]
pub(super) struct Unfolded {
    file: Asset,
    pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    keeps_layers: bool,
    /// Those that the file keeps.
    weight_layers: BTreeMap<SkinId, Shared<WeightLayers>>,
}

fn keeps_pose_layers(document: &Document) -> bool {
    document.aids.keeps_layers && !document.aids.pose_layers.is_empty()
}

fn kept_weight_layers(
    document: &Document,
) -> impl Iterator<Item = (&SkinId, &Shared<WeightLayers>)> {
    document.aids.weight_layers.iter().filter(|(_, layers)| layers.keeps)
}

/// The layers of which something is seen.
fn at_work(layers: Option<&Shared<PoseLayers>>) -> impl Iterator<Item = &PoseLayer> {
    let counting = layers.into_iter().flat_map(|layers| layers.counting());
    counting.filter(|layer| !layer.moves.is_empty() || !layer.keys.tracks.is_empty())
}

/// Whether two layers do the same, whatever they are called.
fn do_the_same(a: &PoseLayer, b: &PoseLayer) -> bool {
    a.strength == b.strength
        && a.strength_keys == b.strength_keys
        && a.mask == b.mask
        && a.moves == b.moves
        && a.keys.tracks == b.keys.tracks
}

impl Unfolded {
    pub fn of(document: &Document) -> Self {
        Self {
            file: document.file.clone(),
            pose_layers: document.aids.pose_layers.clone(),
            keeps_layers: keeps_pose_layers(document),
            weight_layers: kept_weight_layers(document)
                .map(|(skin, layers)| (*skin, layers.clone()))
                .collect(),
        }
    }

    /// Whether a save of a document would write the same.
    fn comes_to(&self, document: &Document) -> bool {
        let keeps = keeps_pose_layers(document);
        let weights = kept_weight_layers(document);
        self.keeps_layers == keeps
            && self.file == document.file
            && self.weight_layers.iter().eq(weights)
            && if keeps {
                self.pose_layers == document.aids.pose_layers
            } else {
                self.folds_to(document)
            }
    }

    /// Whether what layers come to is the same.
    fn folds_to(&self, document: &Document) -> bool {
        let now = &document.aids.pose_layers;
        let mut homes = self
            .pose_layers
            .keys()
            .chain(now.keys().filter(|home| !self.pose_layers.contains_key(home)));
        homes.all(|home| {
            let (mut was, mut is) = (at_work(self.pose_layers.get(home)), at_work(now.get(home)));
            loop {
                match (was.next(), is.next()) {
                    (None, None) => break true,
                    (Some(a), Some(b)) if do_the_same(a, b) => {}
                    _ => break false,
                }
            }
        })
    }
}

/// What was found out for a state of the document, by its revision.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Option<(u64, Unsaved)>>);

impl Clone for Known {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Session {
    /// What was known is not any more: another state is on disk.
    pub(super) fn forget_unsaved(&mut self) {
        self.known_unsaved = Known::default();
    }

    /// Whether something is not on disk.
    pub fn is_unsaved(&self) -> bool {
        self.unsaved().any()
    }

    /// What is not on disk. Of a gesture that is under way it says nothing: that is no step yet.
    pub fn unsaved(&self) -> Unsaved {
        let now = self.history.revision();
        let mut known = self.known_unsaved.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, unsaved)) = known.filter(|(revision, _)| *revision == now) {
            return unsaved;
        }
        let found = self.find_unsaved();
        if !self.history.is_open() {
            *known = Some((now, found));
        }
        found
    }

    fn find_unsaved(&self) -> Unsaved {
        let aids = &self.document.aids;
        let file = self.differs();
        Unsaved {
            file,
            steps: if file { self.history.unsaved_steps().max(1) } else { 0 },
            undone: file && self.history.is_undone_since_saved(),
            unkeyed: aids.unkeyed.len(),
            layers: aids.weight_layers.values().filter(|l| !l.keeps).map(|l| l.layers.len()).sum(),
            pose_layers: if aids.keeps_layers {
                0
            } else {
                aids.pose_layers.values().map(|l| l.0.len()).sum()
            },
            pairs: aids.mirror_pairs.len(),
            mix: is_mix_loose(&self.document),
        }
    }

    /// Whether a save would write something else than there is on disk. Layers that come to the
    /// same in another way count as a change.
    fn differs(&self) -> bool {
        if self.history.revision() == self.history.saved_revision()
            || self.saved_from.comes_to(&self.document)
        {
            return false;
        }
        let is_folded = keeps_pose_layers(&self.document)
            || kept_weight_layers(&self.document).next().is_some()
            || self
                .document
                .aids
                .pose_layers
                .values()
                .any(|layers| at_work(Some(layers)).next().is_some());
        // Where there is nothing to be folded, it is written as it is.
        is_folded || self.document.file != self.saved
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use super::*;
    use ulna_edit::CommandLine;

    fn run(session: &mut Session, lines: &[&str]) {
        for line in lines {
            let line = CommandLine::parse(line).expect("a line");
            session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
    }

    /// What is unsaved is told while folding is held up: it does not wait for it.
    #[test]
    fn nothing_is_folded_to_know_what_is_unsaved() {
        let mut session = Session::open_bytes(include_bytes!("../../../assets/mannequin.glb"))
            .expect("the sample");
        run(
            &mut session,
            &[
                r#"{"do": "layer.new", "clip": "Walk", "name": "Nod"}"#,
                r#"{"do": "layer.set", "clip": "Walk", "layer": "Nod",
                    "node": "Head", "degrees": [20, 0, 0]}"#,
            ],
        );
        let copy = session.clone();
        let folder = session.folds.held_up();
        let (sender, told) = mpsc::channel();
        let told_beside = thread::Builder::new()
            .name("unsaved".into())
            .spawn(move || sender.send(copy.unsaved()));
        told_beside.expect("a thread");
        let unsaved = told.recv_timeout(Duration::from_secs(20)).expect("it is told at once");
        drop(folder);
        assert!(unsaved.file && unsaved.pose_layers == 1);
    }

    /// As saving and opening again would show: layers that come to nothing are no change, and a
    /// step back is none either.
    #[test]
    fn what_comes_to_the_same_is_no_change() {
        let mut session = Session::open_bytes(include_bytes!("../../../assets/mannequin.glb"))
            .expect("the sample");
        let states = [
            (r#"{"do": "layer.new", "clip": "Walk", "name": "Nod"}"#, false),
            (
                r#"{"do": "layer.set", "clip": "Walk", "layer": "Nod",
                    "node": "Head", "degrees": [20, 0, 0]}"#,
                true,
            ),
            (r#"{"do": "layer.mute", "clip": "Walk", "layer": "Nod"}"#, false),
            (r#"{"do": "layer.mute", "clip": "Walk", "layer": "Nod", "muted": false}"#, true),
            (r#"{"do": "layer.strength", "clip": "Walk", "layer": "Nod", "strength": 0}"#, false),
            (r#"{"do": "layer.keep", "on": true}"#, true),
        ];
        for (line, differs) in states {
            run(&mut session, &[line]);
            assert_eq!(session.unsaved().file, differs, "{line}");
            assert_eq!(session.to_save().file != session.saved, differs, "{line}: as folded");
        }
        while session.undo().is_some() {}
        assert!(!session.is_unsaved());
    }
}
