//! Bending while weights are painted: rings at the painted joint, poses to try, and how far from
//! bind it all stands. Nothing of it is an edit; a bend that is worth it is kept with the file as a
//! pose.

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

/// Seconds after which a key that is let go was held, not pressed.
const HELD: f64 = 0.3;

impl Bending {
    /// Handles the key of the rings, or its command. The rings are shown until the next press, or
    /// while the key is held.
    pub(in crate::app) fn press_key(&mut self, ctx: &Context) {
        // Keys that are held are pressed again and again.
        if self.held.is_some() {
            return;
        }
        let used = self.rings;
        self.rings = !self.rings;
        self.held = Some(HeldKey { since: ctx.input(|i| i.time), used });
    }

    /// The key of the rings, while it is held.
    pub(in crate::app) fn held_key(&self, keys: &KeyMap) -> Option<egui::Key> {
        self.held.as_ref()?;
        keys::parse(keys.key(BrushCommand::Bend.name())).map(|k| k.logical_key)
    }

    /// Hides the rings when their key is released after it was held, or in a mode without them.
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

    /// Hides the rings on Escape. Returns whether they were shown.
    pub(in crate::app) fn hide_rings(&mut self) -> bool {
        self.drag.is_none() && std::mem::take(&mut self.rings)
    }
}

impl BendContext<'_> {
    /// Applies an action. Returns the command that adds the pose to the file, if that is wanted.
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
        // What is bent by hand is seen whole.
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

    /// The command that adds the pose of the skin's joints to the file.
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
