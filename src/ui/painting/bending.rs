//! Pose of the model during painting: joints rotated by hand, test poses, the range of motion.

use ulna_model::{Clip, Derived, Document, Shared, SkinId};
use ulna_motion::{Bend, Pose, TestPose};

/// Bends and test poses applied to the model while it is painted, in addition to the shown clip.
#[derive(Default)]
pub struct Bending {
    /// Joints rotated away from the bind pose, and the shown test pose.
    pub bend: Bend,
    /// Serial number, increased by every change of the bend.
    pub serial: u64,
    /// Whether rotation rings at the painted joint are shown instead of the brush.
    pub rings: bool,
    /// State of the key that shows the rings; `None` while it is not held.
    pub held: Option<HeldKey>,
    /// Current drag of a rotation ring.
    pub drag: Option<BendDrag>,
    /// Cache of the test poses of a skin, keyed by document generation and skin.
    pub tests: Derived<(u64, SkinId), Vec<Shared<TestPose>>>,
    /// Range of motion of a skin, if it is shown instead of a clip.
    pub range: Option<(SkinId, Shared<Clip>)>,
}

/// State of the held key that shows the rings.
pub struct HeldKey {
    /// Time of the key press on egui's clock, in seconds.
    pub since: f64,
    /// Whether a ring was dragged while the key was held. If so, releasing the key hides the rings.
    pub used: bool,
}

/// Drag of a rotation ring.
pub struct BendDrag {
    /// Bend at the start of the drag.
    pub before: Bend,
    /// Pose at the start of the drag, with the full bend.
    pub seen: Pose,
}

impl Bending {
    /// The current bend and its serial number; `None` if no joint is bent.
    pub fn shown(&self) -> Option<(&Bend, u64)> {
        (!self.bend.is_none()).then_some((&self.bend, self.serial))
    }

    /// Whether a rotation ring is being dragged.
    pub const fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// Name of the shown test pose.
    pub fn pose_name(&self) -> Option<&str> {
        self.bend.pose.as_ref().map(|p| p.name.as_str())
    }

    /// Range of motion as a clip; `None` unless it is shown instead of a clip.
    pub fn range_clip(&self) -> Option<&Shared<Clip>> {
        self.range.as_ref().map(|(_, clip)| clip)
    }

    /// Removes the test pose and resets the bend amount to 1. Rotations by hand are kept.
    pub fn show_whole(&mut self) {
        self.change(|bend| {
            *bend = Bend { pose: None, amount: 1.0, turns: std::mem::take(&mut bend.turns) }
        });
    }

    /// Changes the bend, and increases the serial number if the bend differs.
    pub fn change(&mut self, change: impl FnOnce(&mut Bend)) {
        let before = self.bend.clone();
        change(&mut self.bend);
        if self.bend != before {
            self.serial += 1;
        }
    }

    /// Shows a test pose.
    pub fn show(&mut self, pose: Shared<TestPose>) {
        self.change(|bend| *bend = Bend { pose: Some(pose), ..Bend::default() });
    }

    /// Removes the test pose and ends the drag, because another skin will be painted.
    pub fn leave_skin(&mut self) {
        self.drag = None;
        self.change(|bend| bend.pose = None);
    }

    /// Ends the current drag.
    pub fn end_drag(&mut self) {
        self.drag = None;
    }

    /// Removes bends of joints that no longer exist.
    pub fn purge(&mut self, document: &Document) {
        if self.bend.turns.keys().any(|n| !document.nodes.contains(*n)) {
            self.change(|bend| bend.turns.retain(|n, _| document.nodes.contains(*n)));
        }
    }
}
