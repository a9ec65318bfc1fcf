//! Playback of clips in Rig mode, with planned changes applied.

use egui::Context;

use super::{
    App,
    rig_clip::{RigClip, shows_same_meshes},
    viewport_renderer::DisplayedClip,
};
use crate::ui::ToastKind;
use ulna_model::ClipId;
use ulna_motion::bones;

/// First serial number of clips with planned changes. Smaller numbers belong to test poses of the
/// *Bind* panel.
const FIRST_SERIAL: u64 = 1 << 33;

impl App {
    /// The clip that plays in Rig mode; `None` in the rest pose and in other modes.
    pub(super) fn rig_clip(&self) -> Option<ClipId> {
        let document = self.session.as_ref()?.document();
        let can_play = self.mode.spec().edits_rest && self.binding.trial().is_none();
        self.rig.clip.chosen.filter(|clip| can_play && document.clips.contains(*clip))
    }

    /// Chooses the clip that plays in Rig mode; `None` shows the rest pose.
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

    /// Shows the model with the planned changes while a clip plays in Rig mode.
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

    /// The clip that plays in Rig mode, in the form that the viewport needs.
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

    /// Shows the bones of planned joints in the clip that plays in Rig mode. New joints are left
    /// out.
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

    /// True if joints can be changed in the viewport. Shows a message if a clip plays in Rig mode.
    pub(super) fn can_change_joints(&mut self, ctx: &Context) -> bool {
        let can = self.rig_clip().is_none();
        if !can {
            let text = "Joints can be changed only in the rest pose. Choose Rest pose in the list \
                at the bottom.";
            self.toast(ctx, ToastKind::Note, text);
        }
        can
    }
}
