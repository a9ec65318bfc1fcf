//! Skins: meshes hung on joints, and bound as they stand.

use std::collections::BTreeSet;

use glam::{DMat4, Mat4};

use super::{
    CommandError, Outcome, Scene,
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice},
    keys::clip_of,
    rules,
};
use crate::{Edit, apply, command::weights::bind_bare};
use ulna_model::{
    Document, Local, MeshId, Node, NodeId, Notice, Property, RestSource, SceneId, Shared, Skin,
    SkinId, Track,
};
use ulna_motion::{Pose, Stack};
use ulna_weights::{at_rest, baked_shapes, bound_mesh, rests_after, snapshot, world};

document_commands! {
    /// Commands on skins.
    SkinCommand in "Weights";

    /// Binds meshes to joints with a new skin; computes weights where there are none
    CreateSkin {
        /// Nodes of the meshes to bind.
        node: Nodes,
        /// Joints to bind to, in the order of the joint indices. For a mesh without weights, a
        /// single joint includes all joints below it.
        joint: Nodes,
        /// Whether to add all nodes below these joints, after the named ones.
        below: Option<bool>,
        /// Clip with the pose to bind in; the pose of the file if omitted.
        clip: Option<ClipName>,
        /// Time in that clip, in seconds; 0 if omitted.
        time: Option<Seconds>,
        /// Name of the skin.
        name: Option<String>,
    } = "skin.create", "Bind to joints", asks: true, enabled: rules::opened;
    /// Rebinds skinned meshes at the current pose of their joints
    BindSkin {
        /// Nodes of the meshes to bind; all if omitted.
        node: Option<Nodes>,
        /// Clip with the pose to bind in; the pose of the file if omitted.
        clip: Option<ClipName>,
        /// Time in that clip, in seconds; 0 if omitted.
        time: Option<Seconds>,
        /// Shape to bind: `stored` is the modeled shape, `posed` is the shape as currently
        /// deformed; the modeled shape if omitted.
        shape: Option<BoundShape>,
    } = "skin.bind", "Rebind at current pose", asks: true, enabled: rules::weighted;
}

choice! {
    /// Which shape of a mesh is bound.
    BoundShape {
        /// What was modeled: it is seen where its joints stand.
        Stored = "stored",
        /// What is seen: it stays as it is posed.
        Posed = "posed",
    }
}

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// The pose of a moment.
fn standing(
    document: &Document,
    clip: Option<&ClipName>,
    time: Option<Seconds>,
) -> Result<Pose, CommandError> {
    let time = f64::from(time.map_or(0.0, |t| t.0));
    if !time.is_finite() {
        return refuse(
            "argument_out_of_range",
            format!("“time” is {time} s, but must be 0 s or more"),
        );
    }
    let clip = match clip {
        None => None,
        Some(name) => {
            let id = name.find(document)?;
            clip_of(document, id)?;
            Some(id)
        }
    };
    Ok(Pose::evaluate(document, &Stack::shown(document, clip, time)))
}

fn labels(document: &Document, nodes: &[NodeId]) -> String {
    const MOST: usize = 3;
    let some: Vec<String> = nodes.iter().take(MOST).map(|n| document.node(*n).label(*n)).collect();
    if nodes.len() > MOST {
        format!("{} and {} more", some.join(", "), nodes.len() - MOST)
    } else {
        some.join(", ")
    }
}

/// A skin of joints as they stand, around a mesh.
fn bound(
    document: &Document,
    pose: &Pose,
    joints: &[NodeId],
    scene_from_mesh: &DMat4,
    name: Option<std::sync::Arc<str>>,
) -> Result<Shared<Skin>, CommandError> {
    let inverse = snapshot(document, pose, joints, scene_from_mesh).or_else(|joint| {
        let label = document.node(joint).label(joint);
        refuse(
            "squashed_flat",
            format!(
                "“{label}” has a scale of 0 there, so nothing can be bound to it; set another scale"
            ),
        )
    })?;
    Ok(Shared::new(Skin {
        name,
        joints: joints.to_vec().into(),
        inverse_bind: inverse.into(),
        has_inverse_bind: true,
    }))
}

/// Edits as they are made: each is applied to a copy, so that the next one finds what is there
/// then.
struct Draft {
    document: Document,
    edits: Vec<Edit>,
}

impl Draft {
    fn of(document: &Document) -> Self {
        Self { document: document.clone(), edits: Vec::new() }
    }

    fn put(&mut self, edit: Edit) -> Result<(), CommandError> {
        apply(&mut self.document, edit.clone())?;
        self.edits.push(edit);
        Ok(())
    }

    /// Hangs a node's mesh on a skin. Its own transform counts no longer, nor do those above it:
    /// where nothing else hangs on them, it becomes a root without a transform. Whether it did, or
    /// was one before.
    fn hang(&mut self, node: NodeId, skin: SkinId) -> Result<Hung, CommandError> {
        self.skin(node, skin)?;
        let document = &self.document;
        let about = document.node(node);
        let plain = |local: Local| local.matrix().abs_diff_eq(Mat4::IDENTITY, 0.0);
        if about.parent.is_none() && plain(about.local()) {
            return Ok(Hung::AsItWas);
        }
        let is_moved = |t: &Shared<Track>| t.target == node && t.property != Property::Weights;
        let carries = about.camera.is_some() || about.light.is_some() || about.instances.is_some();
        let others = document.node_ids().any(|n| document.node(n).parent == Some(node));
        let kept = document.skins.values().any(|s| s.joints.contains(&node))
            || document.vrm.as_ref().is_some_and(|vrm| vrm.role(node).is_some())
            || document.clips.values().any(|c| c.tracks.values().any(is_moved))
            || document.unkeyed_nodes().contains(&node)
            || document.aids.pins.contains_key(&node)
            || document
                .aids
                .pose_layers
                .values()
                .any(|layers| layers.iter().any(|l| l.nodes().contains(&node)));
        if carries || others || kept {
            return Ok(Hung::Stays);
        }
        let mut root = node;
        while let Some(parent) = document.node(root).parent {
            root = parent;
        }
        let plain = Local::default();
        let to = Node {
            parent: None,
            rank: 0,
            rest: plain,
            rest_source: RestSource::File,
            pose: None,
            ..about.clone()
        };
        let scenes: Vec<(SceneId, Vec<NodeId>)> = document
            .scenes
            .iter()
            .filter(|(_, s)| s.roots.contains(&root) && !s.roots.contains(&node))
            .map(|(id, s)| (id, s.roots.iter().copied().chain([node]).collect()))
            .collect();
        self.put(Edit::SetNode { node, to: Some(Box::new(to)) })?;
        for (scene, to) in scenes {
            self.put(Edit::SetRoots { scene, to })?;
        }
        Ok(Hung::Moved)
    }

    fn skin(&mut self, node: NodeId, skin: SkinId) -> Result<(), CommandError> {
        let to = Node { skin: Some(skin), ..self.document.node(node).clone() };
        self.put(Edit::SetNode { node, to: Some(Box::new(to)) })
    }

    /// The rest of joints follows their bind.
    fn settle(&mut self, joints: &[NodeId]) -> Result<usize, CommandError> {
        let changed = rests_after(&self.document, joints);
        let count = changed.len();
        for (node, to) in changed {
            self.put(Edit::SetNode { node, to: Some(Box::new(to)) })?;
        }
        Ok(count)
    }
}

/// What became of the node of a mesh that was hung on joints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hung {
    /// No transform of it counted.
    AsItWas,
    /// It is a root now.
    Moved,
    /// It keeps a place that counts no longer.
    Stays,
}

/// What a bind comes to, without the weights that it gives.
struct Plan {
    draft: Draft,
    /// What it changes, a sentence each without its full stop.
    lines: Vec<String>,
    /// Meshes that get weights.
    bare: Vec<MeshId>,
}

impl Plan {
    fn outcome(mut self) -> Result<Outcome, CommandError> {
        if !self.bare.is_empty() {
            for edit in bind_bare(&self.draft.document, &self.bare)? {
                self.draft.put(edit)?;
            }
        }
        Ok(Outcome {
            edits: self.draft.edits,
            notes: vec![Notice::new("skin_bound", self.lines.join("; "))],
            ..Outcome::default()
        })
    }

    /// The mesh of a node becomes what is seen of it.
    fn bake(
        &mut self,
        document: &Document,
        pose: &Pose,
        node: NodeId,
        scene_from_mesh: &DMat4,
        own: &[NodeId],
    ) -> Result<(), CommandError> {
        let label = document.node(node).label(node);
        let Some(mesh) = document.node(node).mesh else { return Ok(()) };
        let also = |n: &NodeId| document.node(*n).mesh == Some(mesh) && *n != node;
        if let Some(other) = document.node_ids().find(also) {
            // Two on one skin are posed alike.
            if own.contains(&other) {
                if other < node {
                    return Ok(());
                }
            } else {
                let other = document.node(other).label(other);
                return refuse(
                    "mesh_is_shared",
                    format!("“{other}” uses the same mesh as “{label}” and would change with it"),
                );
            }
        }
        let shapes = baked_shapes(document, pose, node, scene_from_mesh)
            .or_else(|flat| refuse("squashed_flat", format!("“{label}”: {flat}")))?;
        let count: usize = shapes.iter().map(|(_, s)| s.positions.len()).sum();
        for (primitive, shape) in shapes {
            self.draft.put(Edit::SetShape { mesh, primitive, to: Box::new(shape) })?;
        }
        self.lines.push(format!(
            "{count} vertices of {label} are stored in their current deformed shape"
        ));
        Ok(())
    }

    /// Says how many joints are at rest elsewhere then.
    fn settle(&mut self, joints: &[NodeId]) -> Result<(), CommandError> {
        let rests = self.draft.settle(joints)?;
        if rests > 0 {
            self.lines.push(format!("{} given the current pose as rest pose", joints_are(rests)));
        }
        Ok(())
    }
}

fn joints_are(count: usize) -> String {
    if count == 1 { "1 joint is".to_owned() } else { format!("{count} joints are") }
}

fn joints_of(count: usize) -> String {
    if count == 1 { "1 joint".to_owned() } else { format!("{count} joints") }
}

/// The largest joint that weights of some meshes count.
fn counted(document: &Document, meshes: &BTreeSet<MeshId>) -> Option<u16> {
    let primitives = meshes.iter().flat_map(|m| &document.mesh(*m).primitives);
    let maps = primitives.filter_map(|p| p.weights.as_deref());
    let all = maps.flat_map(|m| m.joints.iter().zip(m.weights.iter()));
    all.filter(|(_, w)| **w > 0.0).map(|(j, _)| *j).max()
}

impl CreateSkin {
    /// What it would change, a sentence each without its full stop.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn foreseen(&self, document: &Document) -> Result<Vec<String>, CommandError> {
        Ok(self.plan(document)?.lines)
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.plan(scene.document)?.outcome()
    }

    fn plan(&self, document: &Document) -> Result<Plan, CommandError> {
        let pose = standing(document, self.clip.as_ref(), self.time)?;
        let nodes = self.node.all(document)?;
        self.joint.in_order(document)?;
        for node in &nodes {
            let (about, label) = (document.node(*node), document.node(*node).label(*node));
            match (about.mesh, about.skin) {
                (None, _) => {
                    return refuse(
                        "no_mesh",
                        format!("“{label}” has no mesh; name a node with a mesh"),
                    );
                }
                (_, Some(_)) => {
                    return refuse(
                        "skinned_already",
                        format!("“{label}” already has a skin; use skin.bind to rebind it"),
                    );
                }
                _ => {}
            }
        }
        let meshes: BTreeSet<MeshId> =
            nodes.iter().filter_map(|n| document.node(*n).mesh).collect();
        let joints = self.joints(document, &nodes, counted(document, &meshes))?;
        let is_bare = |m: &MeshId| document.mesh(*m).primitives.iter().any(|p| p.weights.is_none());
        let bare: Vec<MeshId> = meshes.iter().copied().filter(is_bare).collect();
        let mut plan = Plan { draft: Draft::of(document), lines: Vec::new(), bare };
        let (mut moved, mut stays) = (Vec::new(), Vec::new());
        for node in &nodes {
            let skin = self.skin_for(&mut plan, document, &pose, &joints, *node)?;
            match plan.draft.hang(*node, skin)? {
                Hung::AsItWas => {}
                Hung::Moved => moved.push(*node),
                Hung::Stays => stays.push(*node),
            }
        }
        plan.lines.push(format!("bound without changing position: {}", labels(document, &nodes)));
        if !moved.is_empty() {
            plan.lines.push(format!(
                "{} was moved to the top level without a transform, because parent transforms do \
                    not affect skinned meshes",
                labels(document, &moved)
            ));
        }
        if !stays.is_empty() {
            plan.lines.push(format!(
                "{} keeps its parent, because other nodes depend on it; its transform and its \
                    parents no longer affect the mesh, and “ulna check” warns about that",
                labels(document, &stays)
            ));
        }
        let vertices = |m: &MeshId| {
            let bare = document.mesh(*m).primitives.iter().filter(|p| p.weights.is_none());
            bare.map(|p| p.positions.len()).sum::<usize>()
        };
        match plan.bare.iter().map(vertices).sum::<usize>() {
            0 => plan.lines.push("its weights stay as they are".to_owned()),
            count => plan
                .lines
                .push(format!("weights of {count} vertices were computed from the nearest bones")),
        }
        plan.settle(&joints)?;
        let others: Vec<NodeId> = document
            .node_ids()
            .filter(|n| !nodes.contains(n) && document.node(*n).skin.is_none())
            .filter(|n| document.node(*n).mesh.is_some_and(|m| plan.bare.contains(&m)))
            .collect();
        if !others.is_empty() {
            plan.lines.push(format!(
                "{} uses the same mesh and stays unskinned",
                labels(document, &others)
            ));
        }
        Ok(plan)
    }

    /// The joints in their order: as they are named, then what hangs below, where that is meant.
    /// `counted` is the largest number that the meshes' weights have.
    fn joints(
        &self,
        document: &Document,
        meshes: &[NodeId],
        counted: Option<u16>,
    ) -> Result<Vec<NodeId>, CommandError> {
        let mut joints: Vec<NodeId> = Vec::new();
        for joint in self.joint.in_order(document)? {
            if !joints.contains(&joint) {
                joints.push(joint);
            } else if counted.is_some() {
                let label = document.node(joint).label(joint);
                return refuse(
                    "named_twice",
                    format!(
                        "“{label}” is listed twice; the weights of {} refer to joints by their \
                            order, so list each joint once",
                        labels(document, meshes)
                    ),
                );
            }
        }
        if joints.is_empty() {
            return refuse("no_joints_meant", "choose the joints to bind to");
        }
        let shows = |n: &&NodeId| document.node(**n).mesh.is_some() && !is_joint(document, **n);
        if let Some(mesh) = joints.iter().find(shows) {
            let label = document.node(*mesh).label(*mesh);
            return refuse(
                "mesh_is_no_joint",
                format!(
                    "“{label}” has a mesh, so it cannot be a joint; name only joints, or their \
                    topmost joint"
                ),
            );
        }
        let named = joints.len();
        if self.below.unwrap_or(named == 1 && counted.is_none()) {
            add_below(document, &mut joints);
        }
        match counted {
            Some(most) if usize::from(most) >= joints.len() => refuse(
                "count_mismatch",
                format!(
                    "the weights of {} use {} joints, but {} were named; name all of them, in \
                        order",
                    labels(document, meshes),
                    usize::from(most) + 1,
                    joints.len()
                ),
            ),
            _ => Ok(joints),
        }
    }

    /// The skin that a mesh hangs on: one that binds the same joints in the same way, else a new
    /// one.
    fn skin_for(
        &self,
        plan: &mut Plan,
        document: &Document,
        pose: &Pose,
        joints: &[NodeId],
        node: NodeId,
    ) -> Result<SkinId, CommandError> {
        let to = bound(
            document,
            pose,
            joints,
            &world(document, pose, node),
            self.name.as_deref().map(Into::into),
        )?;
        let is_same = |skin: &Skin| {
            let near = |(a, b): (&Mat4, &Mat4)| {
                let size = b.to_cols_array().iter().fold(1.0f32, |s, v| s.max(v.abs()));
                a.abs_diff_eq(*b, size * 1e-6)
            };
            skin.has_inverse_bind
                && skin.joints == to.joints
                && skin.inverse_bind.iter().zip(to.inverse_bind.iter()).all(near)
                && (to.name.is_none() || skin.name == to.name)
        };
        let known = plan.draft.document.skins.iter().find(|(_, s)| is_same(s)).map(|(id, _)| id);
        if let Some(skin) = known {
            if document.skins.contains(skin) {
                let name = plan.draft.document.skin(skin).name.as_deref().unwrap_or_default();
                plan.lines.push(format!(
                    "the existing skin “{name}” is used, because it has the same joints and \
                        inverse bind matrices"
                ));
            }
            return Ok(skin);
        }
        let skin = plan.draft.document.skins.next_id();
        let label = document.node(node).label(node);
        let name = self.name.clone().unwrap_or_else(|| format!("{label} skin"));
        plan.lines.push(format!("new skin “{name}” with {}", joints_of(joints.len())));
        let to = Skin { name: Some(name.into()), ..(*to).clone() };
        plan.draft.put(Edit::SetSkin { skin, to: Some(Shared::new(to)) })?;
        Ok(skin)
    }
}

/// Whether any skin has a node among its joints.
fn is_joint(document: &Document, node: NodeId) -> bool {
    document.skins.values().any(|s| s.joints.contains(&node))
}

/// Adds what hangs below some joints, each before what hangs below it: nodes that show something
/// are none, unless a skin says so.
fn add_below(document: &Document, joints: &mut Vec<NodeId>) {
    let mut known: BTreeSet<NodeId> = joints.iter().copied().collect();
    let named = known.clone();
    for node in document.nodes.order().iter() {
        let about = document.node(*node);
        let shows = about.mesh.is_some() || about.camera.is_some() || about.light.is_some();
        let hangs = named.iter().any(|j| document.is_above(*j, *node));
        if hangs && (!shows || is_joint(document, *node)) && known.insert(*node) {
            joints.push(*node);
        }
    }
}

impl BindSkin {
    /// What it would change, a sentence each without its full stop.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn foreseen(&self, document: &Document) -> Result<Vec<String>, CommandError> {
        Ok(self.plan(document)?.lines)
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        self.plan(scene.document)?.outcome()
    }

    fn plan(&self, document: &Document) -> Result<Plan, CommandError> {
        let pose = standing(document, self.clip.as_ref(), self.time)?;
        let nodes: Vec<NodeId> = match &self.node {
            Some(nodes) => nodes.all(document)?,
            None => document.node_ids().filter(|n| document.node(*n).skin.is_some()).collect(),
        };
        for node in &nodes {
            let about = document.node(*node);
            if about.mesh.is_none() || about.skin.is_none() {
                let label = about.label(*node);
                return refuse(
                    "not_skinned",
                    format!(
                        "“{label}” is not a skinned mesh; use skin.create to bind it to joints"
                    ),
                );
            }
        }
        let skins: BTreeSet<SkinId> = nodes.iter().filter_map(|n| document.node(*n).skin).collect();
        if skins.is_empty() {
            return refuse("not_skinned", "there are no skinned meshes");
        }
        let rest = Pose::evaluate(&at_rest(document), &Stack::default());
        let mut plan = Plan { draft: Draft::of(document), lines: Vec::new(), bare: Vec::new() };
        let mut joints: Vec<NodeId> = Vec::new();
        for skin in skins {
            let about = document.skin(skin);
            let users: Vec<NodeId> =
                document.node_ids().filter(|n| document.node(*n).skin == Some(skin)).collect();
            let own: Vec<NodeId> = users.iter().copied().filter(|n| nodes.contains(n)).collect();
            let shown = bound_mesh(document, &rest, skin);
            let to =
                bound(document, &pose, &about.joints, &shown.scene_from_mesh, about.name.clone())?;
            if self.shape == Some(BoundShape::Posed) {
                for node in &own {
                    plan.bake(document, &pose, *node, &shown.scene_from_mesh, &own)?;
                }
            }
            let far = farthest(&about.inverse_bind, &to.inverse_bind, &shown.scene_from_mesh);
            plan.lines.push(format!(
                "{} bound to {} in the current pose; the farthest joint is {:.1} cm from its \
                    previous bind position",
                labels(document, &own),
                joints_of(about.joints.len()),
                far * 100.0
            ));
            if shown.apart > 1e-4 {
                plan.lines.push(format!(
                    "its joints disagree by up to {:.1} mm about its rest position; the position \
                        given by the joint with the most weight is used",
                    shown.apart * 1000.0
                ));
            }
            // The others of the skin stay as they are bound.
            let place =
                if own.len() == users.len() { skin } else { plan.draft.document.skins.next_id() };
            plan.draft.put(Edit::SetSkin { skin: place, to: Some(to) })?;
            if place != skin {
                if document.aids.weight_layers.contains_key(&skin) {
                    return refuse(
                        "layers_on_shared_skin",
                        format!(
                            "{} shares its skin with other meshes and has weight layers; flatten \
                                the layers first, or bind all meshes of the skin",
                            labels(document, &own)
                        ),
                    );
                }
                for node in &own {
                    plan.draft.skin(*node, place)?;
                }
                plan.lines.push(format!("new skin for {}", labels(document, &own)));
            }
            joints.extend(about.joints.iter().copied());
        }
        joints.sort();
        joints.dedup();
        plan.settle(&joints)?;
        Ok(plan)
    }
}

/// How far a joint is bound from where it was, meters of the scene, the farthest.
fn farthest(was: &[Mat4], now: &[Mat4], scene_from_mesh: &DMat4) -> f64 {
    let place =
        |inverse: &Mat4| (*scene_from_mesh * inverse.as_dmat4().inverse()).w_axis.truncate();
    let off = |(a, b): (&Mat4, &Mat4)| place(a).distance(place(b));
    was.iter().zip(now).map(off).filter(|d| d.is_finite()).fold(0.0, f64::max)
}
