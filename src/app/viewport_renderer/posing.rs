//! The pose of the picture.

use super::{
    ViewportRenderer,
    model::{PoseChange, ShownPose},
    wanted::{DisplayedClip, ShownDocument},
};
use ulna_edit::Change;
use ulna_geometry::Ray;
use ulna_model::{Document, Mix, NodeId, PrimitiveId, Shared, SkinId};
use ulna_motion::{Bend, Bone, Playing, Pose, Surface};

impl ViewportRenderer {
    /// Clips of a mix that play at a time.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.model.mixer.playing(document, mix, time)
    }

    /// Poses what changed.
    pub(in crate::app) fn pose_anew(
        &mut self,
        shown: ShownDocument<'_>,
        changes: &[Change],
        clip: Option<&DisplayedClip>,
        at: (f64, ShownPose),
        bent: Option<(&Bend, SkinId, u64)>,
    ) {
        let document = shown.document;
        if let Some(awaited) = self.upload.awaited_mut() {
            let whole = |c: &Change| match c {
                Change::Weights { mesh, primitive, .. } => {
                    Some(Change::Weights { mesh: *mesh, primitive: *primitive, vertices: None })
                }
                _ => None,
            };
            awaited.reweighed.extend(changes.iter().filter_map(whole));
        }
        if self.awaits_surface() {
            // The panels show the nodes of now, though the surface is of those before.
            if changes.contains(&Change::Tree) {
                self.model.take_tree(document);
                self.model.update(shown, changes, clip, at, bent);
                self.serial += 1;
            }
            return;
        }
        let Some(change) = self.model.update(shown, changes, clip, at, bent) else { return };
        self.update_weights(document, changes);
        self.serial += 1;
        if let (Some((gpu, _)), Some(scene)) = (&self.gpu, &mut self.scene) {
            match change {
                PoseChange::Weights => scene.update_reweighed(gpu, document, &self.model.pose),
                PoseChange::Joints => scene.update(gpu, document, &self.model.pose),
            }
        }
    }

    /// The pose that is shown.
    pub(in crate::app) const fn pose(&self) -> &Pose {
        &self.model.pose
    }

    /// The pose with the whole of its bend, whatever part of that is shown.
    pub(in crate::app) fn whole_bend(&self) -> &Pose {
        self.model.whole_bend()
    }

    /// The bones of the pose that is shown.
    pub(in crate::app) fn bones(&self) -> &[Bone] {
        self.model.seen_bones()
    }

    /// The pose that panels see: planned changes of the skeleton are in it.
    pub(in crate::app) fn seen_pose(&self) -> &Pose {
        self.model.seen_pose()
    }

    /// Shows joints and bones as planned changes leave them, or those of the document.
    pub(in crate::app) fn show_planned(&mut self, planned: Option<(Pose, Vec<Bone>)>) {
        if planned.is_some() || self.model.planned.is_some() {
            self.model.set_planned(planned);
            self.serial += 1;
        }
    }

    /// Shows joints that no mesh is bound to beside bound ones, or not.
    pub(in crate::app) fn set_loose(&mut self, document: &Document, on: bool) {
        if self.model.set_loose(document, on) {
            self.serial += 1;
        }
    }

    /// Another number whenever the surface moved.
    pub(in crate::app) const fn pose_serial(&self) -> u64 {
        self.model.serial
    }

    /// The model's size, in meters.
    pub(in crate::app) const fn extent(&self) -> f32 {
        self.model.extent
    }

    /// Whether only joints that move vertices are shown.
    pub(in crate::app) fn set_deforming(&mut self, document: &Document, on: bool) {
        if self.model.set_deforming(document, on) {
            self.serial += 1;
        }
    }

    /// Takes the groups of joints.
    pub(in crate::app) fn set_groups(&mut self, document: &Document) {
        if self.model.set_groups(document) {
            self.serial += 1;
        }
    }

    /// The surface at the pose that is shown, for clicks.
    pub(in crate::app) fn surface(&mut self, document: &Document) -> &Surface {
        if !self.awaits_surface() {
            self.model.update_surface(document);
        }
        &self.model.surface
    }

    /// Distance along a ray to the surface, if it is hit between two distances, in meters. The
    /// surface must have been requested since it last moved.
    pub(in crate::app) fn peek(
        &self,
        document: &Document,
        ray: &Ray,
        from: f32,
        to: f32,
    ) -> Option<f32> {
        let hit = self.model.surface.hit(document, ray, &|_| false)?;
        (from..=to).contains(&hit.distance).then_some(hit.distance)
    }

    /// Vertices that moved by their weights alone since this was asked last: under which node, of
    /// which primitive.
    pub(in crate::app) fn take_moved(&mut self) -> Vec<(NodeId, PrimitiveId, Vec<u32>)> {
        std::mem::take(&mut self.model.moved)
    }
}
