//! Finds unsaved changes. The window title needs them in every frame, so layers are compared
//! without baking them.

use std::sync::PoisonError;

use super::{
    Unsaved,
    session::Session,
    unfolded::{KnownUnsaved, at_work, keeps_pose_layers, kept_weight_layers},
};
use ulna_edit::command::is_mix_loose;

impl Session {
    /// Clears the cache after the state on disk has changed.
    pub(super) fn forget_unsaved(&mut self) {
        self.known_unsaved = KnownUnsaved::default();
    }

    /// Whether any change is not on disk.
    pub fn is_unsaved(&self) -> bool {
        self.unsaved().any()
    }

    /// Returns the changes that are not on disk. An open gesture is not a step yet, so it is
    /// ignored.
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

    /// Whether a save would change the file on disk. Layers with other content count as a change
    /// even if their effect is the same.
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
        // If there are no layers to bake, the content is compared directly.
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

    /// The result is available while the baking lock is held, so it does not wait for baking.
    #[test]
    fn detecting_unsaved_changes_bakes_no_layers() {
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

    /// Layers without an effect and undone steps are not changes, because saving and opening again
    /// would not show them.
    #[test]
    fn edits_without_effect_are_not_unsaved_changes() {
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
