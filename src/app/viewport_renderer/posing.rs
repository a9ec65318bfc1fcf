//! Poses the viewport's model.

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
    /// Clips of a mix that play at a time, in seconds.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.model.mixer.playing(document, mix, time)
    }

    /// Updates the pose if its inputs changed, and uploads it.
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
            // While the surface is being rebuilt, panels already show the new nodes.
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

    /// The displayed pose.
    pub(in crate::app) const fn pose(&self) -> &Pose {
        &self.model.pose
    }

    /// The pose with the full bend, even if only a part of it is shown.
    pub(in crate::app) fn whole_bend(&self) -> &Pose {
        self.model.whole_bend()
    }

    /// The drawn bones.
    pub(in crate::app) fn bones(&self) -> &[Bone] {
        self.model.seen_bones()
    }

    /// The pose that panels show, including planned changes of the skeleton.
    pub(in crate::app) fn seen_pose(&self) -> &Pose {
        self.model.seen_pose()
    }

    /// Shows planned joints and bones in place of those of the document; `None` shows the
    /// document's.
    pub(in crate::app) fn show_planned(&mut self, planned: Option<(Pose, Vec<Bone>)>) {
        if planned.is_some() || self.model.planned.is_some() {
            self.model.set_planned(planned);
            self.serial += 1;
        }
    }

    /// Shows or hides joints without bound meshes.
    pub(in crate::app) fn set_loose(&mut self, document: &Document, on: bool) {
        if self.model.set_loose(document, on) {
            self.serial += 1;
        }
    }

    /// Serial number that changes whenever the surface moves.
    pub(in crate::app) const fn pose_serial(&self) -> u64 {
        self.model.serial
    }

    /// The model's size, in meters.
    pub(in crate::app) const fn extent(&self) -> f32 {
        self.model.extent
    }

    /// Shows only joints that move vertices, or all joints.
    pub(in crate::app) fn set_deforming(&mut self, document: &Document, on: bool) {
        if self.model.set_deforming(document, on) {
            self.serial += 1;
        }
    }

    /// Updates the joint groups.
    pub(in crate::app) fn set_groups(&mut self, document: &Document) {
        if self.model.set_groups(document) {
            self.serial += 1;
        }
    }

    /// The surface in the displayed pose, for clicks.
    pub(in crate::app) fn surface(&mut self, document: &Document) -> &Surface {
        if !self.awaits_surface() {
            self.model.update_surface(document);
        }
        &self.model.surface
    }

    /// Distance in meters along a ray to the surface, if it is hit between two distances. Call
    /// `surface` first after the surface moved.
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

    /// Returns the vertices that moved only because of changed weights since the last call, by node
    /// and primitive.
    pub(in crate::app) fn take_moved(&mut self) -> Vec<(NodeId, PrimitiveId, Vec<u32>)> {
        std::mem::take(&mut self.model.moved)
    }
}
