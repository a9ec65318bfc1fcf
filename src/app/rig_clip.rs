//! The clip that Rig mode plays, on the model as planned changes leave it.

use egui::Context;

use super::{
    App,
    binding::reweighed,
    viewport_renderer::{DisplayedClip, ViewportRenderer},
};
use crate::ui::ToastKind;
use ulna_model::{ClipId, Document, MeshId, NodeId};
use ulna_motion::bones;

/// Serials of clips on planned changes: those of trials are below.
const FIRST_SERIAL: u64 = 1 << 33;

/// Generation of the document, and serial of the plan.
type PlannedOf = (u64, u64);

/// The clip that Rig mode plays.
#[derive(Default)]
pub(super) struct RigClip {
    /// The chosen clip; `None` shows the rest pose.
    pub(super) chosen: Option<ClipId>,
    /// The document with planned changes that the viewport shows in place of that of the session.
    planned: Option<(Document, PlannedOf)>,
}

impl RigClip {
    /// The document that the viewport shows, where it would show `document` otherwise.
    pub(super) fn seen<'a>(&'a self, document: &'a Document) -> &'a Document {
        self.planned.as_ref().map_or(document, |(planned, _)| planned)
    }

    /// Whether the viewport shows planned changes.
    pub(super) const fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// Another scene shows the document itself.
    pub(super) fn scene_was_made(&mut self) {
        self.planned = None;
    }

    /// Shows a document with planned changes, or that of the session.
    fn show(
        &mut self,
        renderer: &mut ViewportRenderer,
        document: &Document,
        planned: Option<(&Document, PlannedOf)>,
    ) {
        let shown = self.planned.as_ref().map(|(_, of)| *of);
        if shown == planned.map(|(_, of)| of) {
            return;
        }
        let before = self.planned.take();
        let before = before.as_ref().map_or(document, |(before, _)| before);
        let next = planned.map_or(document, |(next, _)| next);
        renderer.show_in_place(next, &reweighed(before, next));
        self.planned = planned.map(|(next, of)| (next.clone(), of));
    }
}

/// Whether two documents show the same meshes at the same nodes, apart from weights and skins.
fn shows_same_meshes(a: &Document, b: &Document) -> bool {
    let shown = |document: &Document| -> Vec<(NodeId, MeshId)> {
        let nodes = document.shown_nodes().into_iter();
        nodes.filter_map(|node| Some((node, document.node(node).mesh?))).collect()
    };
    let nodes = shown(a);
    let is_same = |mesh: MeshId| {
        let (a, b) = (&a.mesh(mesh).primitives, &b.mesh(mesh).primitives);
        let is_same = |(a, b): (&ulna_model::Primitive, &ulna_model::Primitive)| {
            a.positions == b.positions && a.normals == b.normals && a.targets == b.targets
        };
        a.len() == b.len() && a.iter().zip(b.iter()).all(is_same)
    };
    nodes == shown(b) && nodes.iter().all(|(_, mesh)| is_same(*mesh))
}

impl App {
    /// The clip that Rig mode plays.
    pub(super) fn rig_clip(&self) -> Option<ClipId> {
        let document = self.session.as_ref()?.document();
        let can_play = self.mode.spec().edits_rest && self.binding.trial().is_none();
        self.rig.clip.chosen.filter(|clip| can_play && document.clips.contains(*clip))
    }

    /// Chooses the clip that Rig mode plays; `None` shows the rest pose.
    pub(super) fn choose_rig_clip(&mut self, clip: Option<ClipId>) {
        let Some(session) = &self.session else { return };
        let playback = &mut self.timeline.playback;
        playback.playing = false;
        if clip.is_some() && playback.clip != clip {
            playback.show(session.document(), clip);
        }
        self.rig.clip.chosen = clip;
        self.rig.shown = None;
    }

    /// Shows the model as planned changes leave it, while Rig mode plays a clip.
    pub(super) fn follow_rig_clip(&mut self) {
        if !self.mode.spec().edits_rest {
            self.rig.clip.chosen = None;
        }
        let clip = self.rig_clip();
        let Some(session) = &self.session else {
            self.rig.clip = RigClip::default();
            return;
        };
        let (document, generation) = (session.document(), session.generation());
        let after = clip.and_then(|clip| {
            let after = self.planning.document_of(generation)?;
            (after.clips.contains(clip) && shows_same_meshes(document, after)).then_some(after)
        });
        let planned = after.map(|after| (after, (generation, self.planning.serial())));
        self.rig.clip.show(&mut self.renderer, document, planned);
    }

    /// The clip that Rig mode plays, for the viewport.
    pub(super) fn shown_rig_clip(&self) -> Option<DisplayedClip> {
        let id = self.rig_clip()?;
        let document = self.rig.clip.seen(self.session.as_ref()?.document());
        let of_plan = self.rig.clip.is_planned();
        Some(DisplayedClip {
            key: Some(id),
            clip: document.clips.get(id)?.clone(),
            preview: if of_plan { FIRST_SERIAL + self.planning.serial() } else { 0 },
            unkeyed: None,
            mix: None,
            between: self.timeline.playback.between,
        })
    }

    /// Shows bones of planned changes in the clip that Rig mode plays: those of joints that are in
    /// the document, too.
    pub(super) fn show_rig_clip(&mut self) {
        let Some(session) = &self.session else { return };
        if !self.rig.clip.is_planned() {
            if self.rig.shown.take().is_some() {
                self.renderer.show_planned(None);
            }
            return;
        }
        let of = |app: &Self| Some((session.generation(), 0, app.renderer.pose_serial()));
        if self.rig.shown == of(self) {
            return;
        }
        let after = self.rig.clip.seen(session.document());
        let pose = self.renderer.pose().clone();
        let mut list = bones(after, &pose, self.renderer.parts().2);
        list.retain(|bone| session.document().nodes.contains(bone.joint));
        self.renderer.show_planned(Some((pose, list)));
        self.rig.shown = Some((session.generation(), 0, self.renderer.pose_serial()));
    }

    /// Whether joints can be changed in the viewport; says why where Rig mode plays a clip.
    pub(super) fn can_change_joints(&mut self, ctx: &Context) -> bool {
        let can = self.rig_clip().is_none();
        if !can {
            let text = "Joints are changed in the rest pose. Choose it in the line at the bottom.";
            self.toast(ctx, ToastKind::Note, text);
        }
        can
    }
}
