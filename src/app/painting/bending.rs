//! Bending while weights are painted: rings at the painted joint, poses to try, and how far from
//! bind it all stands. Nothing of it is an edit; a bend that is worth it is kept with the file as a
//! pose.

use egui::Context;
use glam::Vec3;

use crate::{
    app::{App, keys},
    ui::{BendAction, BendDrag, HeldKey, ToastKind},
};
use ulna_edit::command::{BrushCommand, KeepPose, PoseDestination, kept_poses, pose_text};
use ulna_model::{Components, NodeId, Shared};
use ulna_motion::{Bend, Mirror, TestPose, fit, keep_pose, test_poses};

/// Seconds after which a key that is let go was held, not pressed.
const HELD: f64 = 0.3;

impl App {
    /// The key of the rings, or its command: they stay until they are asked for again, or while the
    /// key is held.
    pub(super) fn press_bend(&mut self, ctx: &Context) {
        let bending = &mut self.painting.bending;
        // Keys that are held are pressed again and again.
        if bending.held.is_some() {
            return;
        }
        let used = bending.rings;
        bending.rings = !bending.rings;
        bending.held = Some(HeldKey { since: ctx.input(|i| i.time), used });
    }

    /// The key of the rings, while it is held.
    pub(in crate::app) fn held_bend_key(&self) -> Option<egui::Key> {
        self.painting.bending.held.as_ref()?;
        keys::parse(self.program.settings.keys.key(BrushCommand::Bend.name()))
            .map(|k| k.logical_key)
    }

    /// Takes the rings away when their key is let go after it was held.
    pub(in crate::app) fn hold_bend(&mut self, ctx: &Context) {
        let bending = &mut self.painting.bending;
        if !self.mode.spec().bends {
            (bending.rings, bending.held, bending.drag) = (false, None, None);
            return;
        }
        let Some(held) = &bending.held else { return };
        let key = keys::parse(self.program.settings.keys.key(BrushCommand::Bend.name()));
        let (now, down) = ctx.input(|i| (i.time, key.is_some_and(|k| i.key_down(k.logical_key))));
        if down || bending.drag.is_some() {
            return;
        }
        if held.used || now - held.since > HELD {
            bending.rings = false;
        }
        bending.held = None;
        ctx.request_repaint();
    }

    /// Takes the rings away on Escape; whether they were there.
    pub(in crate::app) fn end_bend(&mut self) -> bool {
        let bending = &mut self.painting.bending;
        bending.drag.is_none() && std::mem::take(&mut bending.rings)
    }

    pub(in crate::app) fn apply_bend(&mut self, ctx: &Context, action: BendAction) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let bending = &mut self.painting.bending;
        match action {
            BendAction::Rings(on) => bending.rings = on,
            BendAction::Amount(amount) => {
                bending.change(|bend| bend.amount = amount.clamp(0.0, 1.0))
            }
            BendAction::Turn { nodes, axis, degrees } => self.turn_bend(&nodes, axis, degrees),
            BendAction::End { kept } => {
                if let Some(drag) = bending.drag.take().filter(|_| !kept) {
                    bending.change(|bend| *bend = drag.before);
                }
            }
            BendAction::Unbend => bending.change(|bend| bend.turns.clear()),
            BendAction::List => {
                let Some(skin) = self.painting.state.session().map(|s| s.skin()) else { return };
                let list = || test_poses(document, skin).into_iter().map(Shared::new).collect();
                bending.tests.update((session.generation(), skin), |_| list());
            }
            BendAction::Test(pose) => bending.show(pose),
            BendAction::Kept(name) => {
                let Some(kept) = kept_poses(document).iter().find(|p| p.name == name) else {
                    return;
                };
                let made = fit(document, self.renderer.pose(), kept, false);
                let part = |to: ulna_model::Transform| Components {
                    translation: Some(to.translation),
                    rotation: Some(to.rotation),
                    scale: Some(to.scale),
                };
                let locals = made.locals.iter().map(|(node, to)| (*node, part(*to))).collect();
                bending.show(Shared::new(TestPose { name, locals }));
            }
            BendAction::Keep(name) => self.keep_bend(ctx, &name),
        }
    }

    fn turn_bend(&mut self, nodes: &[NodeId], axis: Vec3, degrees: f32) {
        let Some(session) = &self.session else { return };
        let bending = &mut self.painting.bending;
        let drag = bending.drag.get_or_insert_with(|| BendDrag {
            before: bending.bend.clone(),
            seen: self.renderer.whole_bend().clone(),
        });
        // What is bent by hand is seen whole.
        let mut bend = Bend { amount: 1.0, ..bending.bend.clone() };
        bend.turn(
            session.document(),
            (&drag.before.turns, &drag.seen),
            nodes,
            (axis, degrees.to_radians()),
        );
        if self.viewport.symmetry {
            let mirror = Mirror::of(session.document());
            bend.turn_other_side(
                session.document(),
                &mirror,
                (&drag.before.turns, &drag.seen),
                nodes,
            );
        }
        if let Some(held) = &mut bending.held {
            held.used = true;
        }
        bending.change(|now| *now = bend);
    }

    /// Keeps what is seen of the skin's joints as a pose of the file.
    fn keep_bend(&mut self, ctx: &Context, name: &str) {
        let (Some(session), Some(painted)) = (&self.session, self.painting.session()) else {
            return;
        };
        let document = session.document();
        let pose = keep_pose(document, self.renderer.pose(), name, Some(painted.surface.joints()));
        let kept = kept_poses(document).iter().any(|p| p.name == name.trim());
        if kept {
            let text = format!(
                "This file already has a pose named “{}”. Choose another name.",
                name.trim()
            );
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let keep = KeepPose {
            name: name.to_owned(),
            node: None,
            text: Some(pose_text(&pose)),
            over: PoseDestination::FILE,
        };
        self.run(ctx, keep);
    }
}
