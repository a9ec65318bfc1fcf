//! The pose that is painted on: joints bent by hand, test poses, the range of motion.

use ulna_model::{Clip, Derived, Document, Shared, SkinId};
use ulna_motion::{Bend, Pose, TestPose};

/// The pose that is painted on, besides the clip or pose that is shown.
#[derive(Default)]
pub struct Bending {
    /// Bent joints, and how far from the bind pose.
    pub bend: Bend,
    /// Changes with every bend.
    pub serial: u64,
    /// Whether rings that bend are shown, in place of the brush.
    pub rings: bool,
    /// The key of the rings, while it is held.
    pub held: Option<HeldKey>,
    /// The current drag of a ring.
    pub drag: Option<BendDrag>,
    /// Test poses, by the document's generation and the skin.
    pub tests: Derived<(u64, SkinId), Vec<Shared<TestPose>>>,
    /// The range of motion of a skin, where that is shown in place of a clip.
    pub range: Option<(SkinId, Shared<Clip>)>,
}

/// The key of the rings is down.
pub struct HeldKey {
    /// Time of the press on egui's clock, seconds.
    pub since: f64,
    /// Whether something was bent meanwhile. Then the rings go with the key.
    pub used: bool,
}

/// A drag of a ring.
pub struct BendDrag {
    /// The bend at its start.
    pub before: Bend,
    /// Pose of the whole bend at its start.
    pub seen: Pose,
}

impl Bending {
    /// The current bend and its serial number; `None` if no joint is bent.
    pub fn shown(&self) -> Option<(&Bend, u64)> {
        (!self.bend.is_none()).then_some((&self.bend, self.serial))
    }

    /// Whether a ring is dragged.
    pub const fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// Name of the test pose that is shown.
    pub fn pose_name(&self) -> Option<&str> {
        self.bend.pose.as_ref().map(|p| p.name.as_str())
    }

    /// The range of motion, where it is shown in place of a clip.
    pub fn range_clip(&self) -> Option<&Shared<Clip>> {
        self.range.as_ref().map(|(_, clip)| clip)
    }

    /// Another pose is shown: what stands in its place does no longer, and all of it is seen.
    pub fn show_whole(&mut self) {
        self.change(|bend| {
            *bend = Bend { pose: None, amount: 1.0, turns: std::mem::take(&mut bend.turns) }
        });
    }

    /// Changes the bend; another bend has another serial.
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

    /// Another skin is painted: a pose of the one before says nothing of its joints.
    pub fn leave_skin(&mut self) {
        self.drag = None;
        self.change(|bend| bend.pose = None);
    }

    /// Ends the current drag.
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
