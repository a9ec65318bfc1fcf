//! One reference model: its document, posed at the playhead and transformed to its place in the
//! scene.

use std::path::PathBuf;

use glam::Vec3;

use crate::app::{
    loading::Loaded,
    viewport_renderer::{Beside, Uploaded, ViewportRenderer},
};
use crate::ui::{ReferenceFacts, ReferenceId, ReferencePlace};
use ulna_model::{ClipId, Document};
use ulna_motion::{Bone, Evaluator, Pose, Skeleton, Stack, Surface, bones, joint_bounds};
use ulna_render::{BoneLook, ViewportColors};

/// A reference model.
pub(in crate::app) struct Reference {
    document: Document,
    uploaded: Option<Uploaded>,
    skeleton: Skeleton,
    clips: Vec<ClipId>,
    evaluator: Evaluator,
    /// Pose in the model's own scene.
    own: Pose,
    /// Pose in the scene of the open file.
    pose: Pose,
    bones: Vec<Bone>,
    /// Inputs of the current pose; `None` if the pose must be computed again.
    posed: Option<PosedBy>,
    surface: Surface,
    /// True if `surface` matches the current pose.
    is_surface_posed: bool,
}

/// Inputs of a pose: the clip, its time in seconds, the transform, and the display.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PosedBy {
    clip: Option<ClipId>,
    time: f64,
    place: ReferencePlace,
    hidden: bool,
    plain: bool,
}

impl Reference {
    /// Creates a reference model from a loaded file. Also returns facts about it.
    pub(in crate::app) fn new(
        loaded: Loaded,
        id: ReferenceId,
        name: String,
        path: PathBuf,
    ) -> (Self, ReferenceFacts) {
        let Loaded { session, posed, uploaded } = loaded;
        let document = session.document().clone();
        let skeleton = Skeleton::of(&document);
        // In files without skins, nodes count as joints.
        let is_unskinned = document.skins.values().all(|skin| skin.joints.is_empty());
        let skeleton = if is_unskinned { skeleton.with_loose(&document) } else { skeleton };
        let clips: Vec<ClipId> = document.clips.ids().collect();
        let facts = ReferenceFacts {
            id,
            name,
            path,
            clips: clips
                .iter()
                .map(|id| (document.clip_label(*id), document.clips[*id].length()))
                .collect(),
            clip: (!clips.is_empty()).then_some(0),
            vertices: document.meshes.values().map(|mesh| mesh.vertex_count()).sum(),
            joints: skeleton.joints.iter().filter(|is_joint| **is_joint).count(),
            place: ReferencePlace::default(),
            hidden: false,
            plain: false,
            shows_joints: false,
        };
        let model = Self {
            skeleton,
            clips,
            evaluator: Evaluator::beside(),
            own: Pose::default(),
            pose: posed.pose.clone(),
            bones: Vec::new(),
            posed: None,
            surface: posed.into_surface(),
            is_surface_posed: false,
            uploaded: uploaded.map(|(uploaded, _)| uploaded),
            document,
        };
        (model, facts)
    }

    /// True if the model has no surfaces.
    pub(in crate::app) fn is_bare(&self) -> bool {
        self.surface.parts().len() == 0
    }

    /// Updates the pose if its inputs changed. Returns whether they did.
    pub(in crate::app) fn follow(
        &mut self,
        renderer: &mut ViewportRenderer,
        facts: &ReferenceFacts,
        time: f64,
    ) -> bool {
        let clip = facts.clip.and_then(|k| self.clips.get(k).copied());
        let (place, hidden, plain) = (facts.place, facts.hidden, facts.plain);
        let time = if clip.is_some() && !hidden { time } else { 0.0 };
        let now = PosedBy { clip, time, place, hidden, plain };
        let is_drawable = self.uploaded.as_ref().is_none_or(|u| renderer.has_uploaded(u));
        if self.posed == Some(now) && is_drawable {
            return false;
        }
        self.posed = Some(now);
        if hidden {
            return true;
        }
        let clip = clip.and_then(|id| self.document.clips.get(id));
        self.evaluator.update(&self.document, &Stack::of(clip, time), &mut self.own);
        self.pose = self.own.clone();
        let scene_from_own = place.matrix();
        self.pose.world.iter_mut().for_each(|world| *world = scene_from_own * *world);
        self.bones = bones(&self.document, &self.pose, &self.skeleton);
        self.is_surface_posed = false;
        if let Some(uploaded) = &mut self.uploaded {
            renderer.pose_beside(&self.document, &self.pose, uploaded);
        }
        true
    }

    /// The model's joints, for drawing.
    pub(in crate::app) fn bone_looks(
        &self,
        colors: &ViewportColors,
        is_selected: bool,
    ) -> impl Iterator<Item = BoneLook> {
        /// Opacity factor relative to joints of the open file.
        const FADED: f32 = 0.6;
        let fade = |[r, g, b, a]: [f32; 4]| [r, g, b, a * FADED];
        let (color, edge) = match is_selected {
            true => (fade(colors.joint_selected), fade(colors.joint_selected_edge)),
            false => (fade(colors.joint), fade(colors.joint_edge)),
        };
        self.bones.iter().map(move |bone| BoneLook { bone: *bone, color, edge })
    }

    /// The model's surfaces, for drawing; `None` if they are not uploaded.
    pub(in crate::app) fn beside(&self, plain: bool) -> Option<Beside<'_>> {
        self.uploaded.as_ref().map(|uploaded| Beside { uploaded, plain })
    }

    /// The posed surface in the scene, for snapping and clicks.
    pub(in crate::app) fn surface(&mut self) -> &Surface {
        if !self.is_surface_posed {
            self.surface.update(&self.document, &self.pose);
            self.is_surface_posed = true;
        }
        &self.surface
    }

    /// The document, and its surface in the current pose.
    pub(in crate::app) fn parts(&mut self) -> (&Document, &Surface) {
        self.surface();
        (&self.document, &self.surface)
    }

    /// Scene positions of the model's joints.
    pub(in crate::app) fn joints(&self) -> impl Iterator<Item = Vec3> {
        let both = self.skeleton.joints.iter().zip(&self.pose.world);
        let joints = both.filter(|(is_joint, _)| **is_joint).map(|(_, world)| world.w_axis);
        joints.map(|at| at.truncate()).filter(|at| at.is_finite())
    }

    /// Lowest and highest corner of the model's bounding box in the scene.
    pub(in crate::app) fn bounds(&mut self) -> Option<(Vec3, Vec3)> {
        let bounds = self.surface().bounds();
        bounds.or_else(|| joint_bounds(&self.document, &self.pose))
    }
}
