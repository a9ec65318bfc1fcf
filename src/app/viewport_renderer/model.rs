//! The model in the displayed pose: its joints, bones and surface.

use super::{
    loader::Posed,
    wanted::{ClipKey, DisplayedClip, ShownDocument},
};
use ulna_edit::Change;
use ulna_model::{Document, JointGroup, NodeId, PrimitiveId, Shared, SkinId, UnkeyedAt};
use ulna_motion::{Averaging, Bend, Bone, Evaluator, Mixer, Pose, Skeleton, Stack, Surface, bones};

/// The model in the displayed pose.
pub(super) struct PosedModel {
    pub(super) pose: Pose,
    /// Inputs of the pose; `None` if it must be evaluated again.
    pub(super) source: Option<PosedAt>,
    /// Pose with the full bend, if only a part of the bend is shown.
    bent_whole: Option<Pose>,
    pub(super) mixer: Mixer,
    evaluator: Evaluator,
    pub(super) skeleton: Skeleton,
    pub(super) bones: Vec<Bone>,
    /// True if only joints that move vertices are shown.
    deforming: bool,
    /// Joint groups, which may hide joints.
    groups: Shared<[JointGroup]>,
    /// True if joints without bound meshes are also shown.
    loose: bool,
    /// Planned joints and bones, which are shown in place of those of the document.
    pub(super) planned: Option<(Pose, Vec<Bone>)>,
    /// Diagonal of the rest pose's bounding box, in meters.
    pub(super) extent: f32,
    /// Serial number that changes whenever the surface moves.
    pub(super) serial: u64,
    pub(super) surface: Surface,
    /// Serial number of the pose that the surface was computed for.
    surface_serial: u64,
    /// Vertices that moved only because of changed weights, by node and primitive.
    pub(super) moved: Vec<(NodeId, PrimitiveId, Vec<u32>)>,
}

/// Inputs of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PosedAt {
    /// Generation of the document.
    generation: u64,
    clip: Option<(ClipKey, u64, Averaging)>,
    time: f64,
    /// The unkeyed pose over the clip.
    unkeyed: Option<UnkeyedAt>,
    shown: ShownPose,
    /// Skin of the bent joints, and serial number of the bend.
    bend: Option<(SkinId, u64)>,
}

/// Choice of the document state and pose to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::app) struct ShownPose {
    /// True to show the file as opened.
    pub as_opened: bool,
    /// True to show the rest pose, without a clip, layers or edits of the pose.
    pub at_rest: bool,
}

/// Kind of a change of the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoseChange {
    /// Vertices moved because of changed weights.
    Weights,
    /// Joints moved.
    Joints,
}

impl Default for PosedModel {
    fn default() -> Self {
        Self {
            pose: Pose::default(),
            source: None,
            bent_whole: None,
            mixer: Mixer::default(),
            evaluator: Evaluator::beside(),
            skeleton: Skeleton::default(),
            bones: Vec::new(),
            deforming: false,
            groups: Shared::default(),
            loose: false,
            planned: None,
            extent: 1.0,
            serial: 0,
            surface: Surface::default(),
            surface_serial: 0,
            moved: Vec::new(),
        }
    }
}

impl PosedModel {
    /// Replaces the model by a document that was posed elsewhere.
    pub(super) fn take(&mut self, posed: Posed) {
        let Posed { skeleton, pose, surface, bounds } = posed;
        (self.skeleton, self.pose, self.surface) = (skeleton, pose, surface);
        (self.source, self.loose, self.planned) = (None, false, None);
        self.serial += 1;
        self.surface_serial = self.serial;
        self.extent = bounds.map_or(1.0, |(low, high)| (high - low).length()).max(1e-6);
    }

    /// Updates the skeleton after a change of the node tree. The surface follows later.
    pub(super) fn take_tree(&mut self, document: &Document) {
        self.skeleton = skeleton_of(document, self.loose);
        self.source = None;
    }

    /// Updates the pose if its inputs changed. Returns the kind of change; `None` if nothing
    /// changed.
    pub(super) fn update(
        &mut self,
        of: ShownDocument<'_>,
        changes: &[Change],
        clip: Option<&DisplayedClip>,
        (time, shown): (f64, ShownPose),
        bent: Option<(&Bend, SkinId, u64)>,
    ) -> Option<PoseChange> {
        let ShownDocument { document, opened, generation } = of;
        let key = clip.map(|c| (c.key, c.preview, c.between));
        let unkeyed = clip.and_then(|c| c.unkeyed.as_ref());
        let held = unkeyed.map(|(at, _)| *at);
        // Nodes that were added later do not exist in the file as opened.
        let as_opened = shown.as_opened && opened.nodes.len() == document.nodes.len();
        let at_rest = shown.at_rest;
        let bent = bent.filter(|_| !as_opened);
        let bend = bent.map(|(_, skin, serial)| (skin, serial));
        let shown = ShownPose { as_opened, at_rest };
        let now = PosedAt { generation, clip: key, time, unkeyed: held, shown, bend };
        if self.source == Some(now) {
            return None;
        }
        // Changed weights move the surface, but no joints.
        let only_weights =
            self.source.is_some_and(|p| PosedAt { generation: now.generation, ..p } == now)
                && !changes.is_empty()
                && changes.iter().all(|c| matches!(c, Change::Weights { .. }));
        if !only_weights {
            let shown = if as_opened { opened } else { document };
            let rested = at_rest.then(|| ulna_weights::at_rest(shown));
            let shown = rested.as_ref().unwrap_or(shown);
            let stack = match clip.and_then(|c| c.mix.as_ref()) {
                _ if at_rest => Stack::default(),
                _ if as_opened => Stack::shown(shown, clip.and_then(|c| c.key), time),
                Some(mix) => self.mixer.stack(document, mix, time),
                None => Stack::of(clip.map(|c| &c.clip), time)
                    .with_layers(document, clip.and_then(|c| c.key)),
            };
            let between = clip.map(|c| c.between).unwrap_or_default();
            let unkeyed = unkeyed.filter(|_| !as_opened);
            let stack = stack.going(between).with_unkeyed(unkeyed.map(|(_, pose)| pose.clone()));
            self.evaluator.update(shown, &stack, &mut self.pose);
            self.bent_whole = None;
            if let Some((bend, skin, _)) = bent {
                let whole =
                    |pose| Bend { amount: 1.0, ..bend.clone() }.applied(document, skin, pose);
                self.bent_whole = (bend.amount < 1.0).then(|| whole(&self.pose));
                self.pose = bend.applied(document, skin, &self.pose);
            }
            self.find_bones(document);
        }
        self.source = Some(now);
        if only_weights && !self.is_surface_stale() {
            self.move_surface(document, changes);
        } else {
            self.serial += 1;
        }
        Some(if only_weights { PoseChange::Weights } else { PoseChange::Joints })
    }

    /// The pose with the full bend, even if only a part of it is shown.
    pub(super) fn whole_bend(&self) -> &Pose {
        self.bent_whole.as_ref().unwrap_or(&self.pose)
    }

    /// Shows only joints that move vertices, or all joints. Returns whether the setting changed.
    pub(super) fn set_deforming(&mut self, document: &Document, on: bool) -> bool {
        let changes = self.deforming != on;
        if changes {
            self.deforming = on;
            self.find_bones(document);
        }
        changes
    }

    /// Updates the joint groups, which color, hide and lock joints. Returns whether they changed.
    pub(super) fn set_groups(&mut self, document: &Document) -> bool {
        let kept = document.keeping_scene().and_then(|s| document.scenes.get(s));
        let groups = kept.map_or_else(Shared::default, |s| s.groups.clone());
        let changes = self.groups != groups;
        if changes {
            self.groups = groups;
            self.find_bones(document);
        }
        changes
    }

    /// Updates the surface for the displayed pose.
    pub(super) fn update_surface(&mut self, document: &Document) {
        if self.is_surface_stale() {
            self.surface.update(document, &self.pose);
            self.surface_serial = self.serial;
        }
    }

    /// Shows or hides joints without bound meshes. Returns whether the setting changed.
    pub(super) fn set_loose(&mut self, document: &Document, on: bool) -> bool {
        let changes = self.loose != on;
        if changes {
            self.loose = on;
            self.skeleton = skeleton_of(document, on);
            self.find_bones(document);
        }
        changes
    }

    /// Shows planned joints and bones in place of those of the document; `None` shows the
    /// document's.
    pub(super) fn set_planned(&mut self, mut planned: Option<(Pose, Vec<Bone>)>) {
        if let Some((_, bones)) = &mut planned {
            bones.retain(|b| !JointGroup::hide(&self.groups, b.joint));
        }
        self.planned = planned;
    }

    /// The pose that panels show, including planned changes.
    pub(super) fn seen_pose(&self) -> &Pose {
        self.planned.as_ref().map_or(&self.pose, |planned| &planned.0)
    }

    /// The drawn bones.
    pub(super) fn seen_bones(&self) -> &[Bone] {
        self.planned.as_ref().map_or(&self.bones, |planned| &planned.1)
    }

    const fn is_surface_stale(&self) -> bool {
        self.surface_serial != self.serial
    }

    fn find_bones(&mut self, document: &Document) {
        self.bones = bones(document, &self.pose, &self.skeleton);
        if self.deforming {
            let deforms = &self.skeleton.deforms;
            self.bones.retain(|b| deforms.get(b.joint.index()) == Some(&true));
        }
        if !self.groups.is_empty() {
            self.bones.retain(|b| !JointGroup::hide(&self.groups, b.joint));
        }
    }

    /// Moves only the vertices whose weights changed.
    fn move_surface(&mut self, document: &Document, changes: &[Change]) {
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let Some(vertices) = vertices else {
                self.serial += 1;
                return;
            };
            for node in
                document.shown_nodes().into_iter().filter(|n| document.node(*n).mesh == Some(*mesh))
            {
                self.surface.move_vertices(document, &self.pose, node, *primitive, vertices);
                self.moved.push((node, *primitive, vertices.clone()));
            }
        }
    }
}

/// Skeleton of a document. Joints without bound meshes are included if `loose` is true, or if no
/// joint has bound meshes.
fn skeleton_of(document: &Document, loose: bool) -> Skeleton {
    let skeleton = Skeleton::of(document);
    let is_bare = document.skins.values().all(|skin| skin.joints.is_empty());
    if loose || is_bare { skeleton.with_loose(document) } else { skeleton }
}
