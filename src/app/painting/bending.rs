//! Bends joints temporarily while weights are painted, with rings at the painted joint, test poses,
//! and a slider from the bind pose. A bend is not an edit, but can be saved in the file as a pose.

use egui::Context;
use glam::Vec3;

use super::context::BendContext;
use crate::{
    app::keys,
    ui::{BendAction, BendDrag, Bending, HeldKey, ToastKind},
};
use ulna_edit::{
    KeyMap,
    command::{BrushCommand, KeepPose, PoseDestination, kept_poses, pose_text},
};
use ulna_model::{Components, NodeId, Shared};
use ulna_motion::{Bend, Mirror, TestPose, fit, keep_pose, test_poses};

/// Time in seconds after which a released key counts as held instead of pressed.
const HELD: f64 = 0.3;

impl Bending {
    /// Handles the key or command that shows the rotation rings. A press toggles the rings. While
    /// the key is held, they are shown only until its release.
    pub(in crate::app) fn press_key(&mut self, ctx: &Context) {
        // A held key repeats its press event.
        if self.held.is_some() {
            return;
        }
        let used = self.rings;
        self.rings = !self.rings;
        self.held = Some(HeldKey { since: ctx.input(|i| i.time), used });
    }

    /// The key that shows the rotation rings, while it is held.
    pub(in crate::app) fn held_key(&self, keys: &KeyMap) -> Option<egui::Key> {
        self.held.as_ref()?;
        keys::parse(keys.key(BrushCommand::Bend.name())).map(|k| k.logical_key)
    }

    /// Hides the rotation rings when their held key is released, or in a mode without rings.
    pub(in crate::app) fn follow_key(&mut self, ctx: &Context, keys: &KeyMap, bends: bool) {
        if !bends {
            (self.rings, self.held, self.drag) = (false, None, None);
            return;
        }
        let Some(held) = &self.held else { return };
        let key = self.held_key(keys);
        let (now, down) = ctx.input(|i| (i.time, key.is_some_and(|k| i.key_down(k))));
        if down || self.drag.is_some() {
            return;
        }
        if held.used || now - held.since > HELD {
            self.rings = false;
        }
        self.held = None;
        ctx.request_repaint();
    }

    /// Hides the rotation rings on Escape. Returns whether they were shown.
    pub(in crate::app) fn hide_rings(&mut self) -> bool {
        self.drag.is_none() && std::mem::take(&mut self.rings)
    }
}

impl BendContext<'_> {
    /// Performs an action. Returns the command that adds the pose to the file, if the action
    /// requests it.
    pub(in crate::app) fn apply(&mut self, action: BendAction) -> Option<KeepPose> {
        let session = self.session;
        let document = session.document();
        let bending = &mut self.painting.bending;
        match action {
            BendAction::Rings(on) => bending.rings = on,
            BendAction::Amount(amount) => {
                bending.change(|bend| bend.amount = amount.clamp(0.0, 1.0))
            }
            BendAction::Turn { nodes, axis, degrees } => self.turn(&nodes, axis, degrees),
            BendAction::End { kept } => {
                if let Some(drag) = bending.drag.take().filter(|_| !kept) {
                    bending.change(|bend| *bend = drag.before);
                }
            }
            BendAction::Unbend => bending.change(|bend| bend.turns.clear()),
            BendAction::List => {
                let skin = self.painting.state.session()?.skin();
                let list = || test_poses(document, skin).into_iter().map(Shared::new).collect();
                bending.tests.update((session.generation(), skin), |_| list());
            }
            BendAction::Test(pose) => bending.show(pose),
            BendAction::Kept(name) => {
                let kept = kept_poses(document).iter().find(|p| p.name == name)?;
                let made = fit(document, self.renderer.pose(), kept, false);
                let part = |to: ulna_model::Transform| Components {
                    translation: Some(to.translation),
                    rotation: Some(to.rotation),
                    scale: Some(to.scale),
                };
                let locals = made.locals.iter().map(|(node, to)| (*node, part(*to))).collect();
                bending.show(Shared::new(TestPose { name, locals }));
            }
            BendAction::Keep(name) => return self.kept(&name),
        }
        None
    }

    fn turn(&mut self, nodes: &[NodeId], axis: Vec3, degrees: f32) {
        let document = self.session.document();
        let bending = &mut self.painting.bending;
        let drag = bending.drag.get_or_insert_with(|| BendDrag {
            before: bending.bend.clone(),
            seen: self.renderer.whole_bend().clone(),
        });
        // A drag shows the full bend, whatever the slider's amount was.
        let mut bend = Bend { amount: 1.0, ..bending.bend.clone() };
        let start = (&drag.before.turns, &drag.seen);
        bend.turn(document, start, nodes, (axis, degrees.to_radians()));
        if self.symmetry {
            bend.turn_other_side(document, &Mirror::of(document), start, nodes);
        }
        if let Some(held) = &mut bending.held {
            held.used = true;
        }
        bending.change(|now| *now = bend);
    }

    /// Returns the command that stores the pose of the skin's joints in the file. If the name is in
    /// use, shows a message and returns `None`.
    fn kept(&mut self, name: &str) -> Option<KeepPose> {
        let painted = self.painting.session()?;
        let document = self.session.document();
        let pose = keep_pose(document, self.renderer.pose(), name, Some(painted.surface.joints()));
        let kept = kept_poses(document).iter().any(|p| p.name == name.trim());
        if kept {
            let text = format!(
                "This file already has a pose named “{}”. Choose another name.",
                name.trim()
            );
            self.messages.toast(ToastKind::Error, text);
            return None;
        }
        Some(KeepPose {
            name: name.to_owned(),
            node: None,
            text: Some(pose_text(&pose)),
            over: PoseDestination::FILE,
        })
    }
}
