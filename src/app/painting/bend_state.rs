//! State of bending while weights are painted.

use crate::ui::BendView;
use ulna_model::{Derived, Document, Shared, SkinId};
use ulna_motion::{Bend, Pose, TestPose};

/// What bending keeps.
#[derive(Default)]
pub(in crate::app) struct Bending {
    pub(super) bend: Bend,
    /// Another number for every bend.
    pub(super) serial: u64,
    /// Whether rings are shown.
    pub(super) rings: bool,
    pub(super) held: Option<HeldKey>,
    pub(super) drag: Option<Drag>,
    /// Poses to try, by the document's generation and the skin.
    pub(super) tests: Derived<(u64, SkinId), Vec<Shared<TestPose>>>,
}

/// The key of the rings is down.
pub(super) struct HeldKey {
    /// On egui's clock.
    pub(super) since: f64,
    /// Something was bent meanwhile: it was held for that.
    pub(super) used: bool,
}

/// A drag of a ring.
pub(super) struct Drag {
    pub(super) before: Bend,
    /// The whole bend at its start.
    pub(super) seen: Pose,
}

impl Bending {
    /// What is bent, with the number of the bend; nothing where nothing is.
    pub fn shown(&self) -> Option<(&Bend, u64)> {
        (!self.bend.is_none()).then_some((&self.bend, self.serial))
    }

    /// Whether rings are shown.
    pub const fn rings(&self) -> bool {
        self.rings
    }

    /// Whether a ring is dragged.
    pub const fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// What panels see of it.
    pub fn view(&self) -> BendView<'_> {
        BendView {
            amount: self.bend.amount,
            rings: self.rings,
            turned: self.bend.turns.len(),
            pose: self.bend.pose.as_ref().map(|p| p.name.as_str()),
            tests: self.tests.get().map_or(&[], Vec::as_slice),
            listed: self.tests.key().copied(),
        }
    }

    /// Another pose is shown: what stands in its place does no longer, and all of it is seen.
    pub fn show_whole(&mut self) {
        self.change(|bend| {
            *bend = Bend { pose: None, amount: 1.0, turns: std::mem::take(&mut bend.turns) }
        });
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Bend)) {
        let before = self.bend.clone();
        change(&mut self.bend);
        if self.bend != before {
            self.serial += 1;
        }
    }

    pub(super) fn show(&mut self, pose: Shared<TestPose>) {
        self.change(|bend| *bend = Bend { pose: Some(pose), ..Bend::default() });
    }

    /// Another skin is painted: a pose of the one before says nothing of its joints.
    pub fn leave_skin(&mut self) {
        self.drag = None;
        self.change(|bend| bend.pose = None);
    }

    /// A drag that was under way is over.
    pub fn end_drag(&mut self) {
        self.drag = None;
    }

    /// Joints that are no more are not bent.
    pub fn purge(&mut self, document: &Document) {
        if self.bend.turns.keys().any(|n| !document.nodes.contains(*n)) {
            self.change(|bend| bend.turns.retain(|n, _| document.nodes.contains(*n)));
        }
    }
}
