//! Changes local transforms of nodes, and adapts clips, layers and skins.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4};

use super::commands::Motion;
use crate::{
    Edit,
    command::{CommandError, draft::DocumentDraft, rig_report::GivenWeights},
};
use ulna_model::{
    ClipId, Document, LayerHome, Local, Node, NodeId, NodePose, PoseLayer, PoseLayers, Property,
    RestSource, Shared, Skin, SkinId, Track, Transform,
};
use ulna_motion::{
    Pose, Stack, fold_clip, fold_pose, joint_bounds,
    surgery::{
        Bounds, Chain, Factor, Moving, Rewritten, Unfollowed, rewrite_clips, rewritten,
        shear_between,
    },
};
use ulna_weights::found_rests;

/// Largest shear that counts as rounding, relative to the scale.
pub(super) const PLAIN: f64 = 1e-4;

/// A change of the skeleton under construction.
#[derive(Clone)]
pub(super) struct RigDraft {
    pub(super) draft: DocumentDraft,
    /// Counts of the tracks changed so far.
    pub(super) tracks: Rewritten,
    /// Joints whose rest pose must be recomputed from the bind matrices.
    pub(super) joints: BTreeSet<NodeId>,
    /// Whether the change itself can move the skin, so that the result is not exact.
    pub(super) moves_skin: bool,
    /// Numbers of vertices whose weights were moved to other joints without a fit.
    pub(super) given: GivenWeights,
    /// Number of nodes with a new rest pose.
    pub(super) rested: usize,
    /// Skins whose weights will be fitted to the old motion.
    pub(super) refitted: Vec<SkinId>,
    /// Nodes that intentionally lose their motion to other nodes.
    pub(super) stilled: BTreeSet<NodeId>,
    /// For each node whose mesh was moved: the node that has the mesh now.
    pub(super) shown_by: BTreeMap<NodeId, NodeId>,
    /// Frame changes `C` of nodes, with `W' = W·C`.
    pub(super) frames: BTreeMap<NodeId, Moving>,
    /// Tolerance of baked keys, in meters.
    tolerance: f64,
    size: f64,
}

impl RigDraft {
    pub(super) fn of(document: &Document) -> Self {
        /// Tolerance relative to the size of the skeleton: 0.1 mm on a body of 1.8 m.
        const NEAR: f64 = 1e-4 / 1.8;
        let rest = Pose::evaluate(document, &Stack::default());
        let size = joint_bounds(document, &rest).map_or(0.0, |(low, high)| low.distance(high));
        let size = if size > 1e-9 { f64::from(size) } else { 1.0 };
        Self {
            draft: DocumentDraft::of(document),
            tracks: Rewritten::default(),
            joints: BTreeSet::new(),
            moves_skin: false,
            given: GivenWeights::default(),
            rested: 0,
            refitted: Vec::new(),
            stilled: BTreeSet::new(),
            shown_by: BTreeMap::new(),
            frames: BTreeMap::new(),
            tolerance: NEAR * size,
            size,
        }
    }

    pub(super) const fn document(&self) -> &Document {
        &self.draft.document
    }

    /// Size of the skeleton, in meters.
    pub(super) const fn size(&self) -> f64 {
        self.size
    }

    /// Sets local transforms of nodes to products of old local transforms, in the rest pose, the
    /// pose, all clips and all unkeyed poses.
    pub(super) fn rewrite(&mut self, chains: &[Chain]) -> Result<(), CommandError> {
        self.fold_layers(chains)?;
        let document = &self.draft.document;
        let unkeyed = self.wanted_locals(chains)?;
        let mut nodes: BTreeMap<NodeId, Node> = BTreeMap::new();
        for chain in chains {
            nodes.insert(chain.node, moved(document, chain)?);
        }
        let bounds = self.bounds();
        let after =
            |n: NodeId| nodes.get(&n).unwrap_or_else(|| document.node(n)).local().transform();
        let (clips, tracks) = rewrite_clips(&document.file, chains, &after, &|n| bounds.of(n))
            .map_err(|(clip, why)| unfollowed(document, Some(clip), why))?;
        if tracks.residue > PLAIN {
            return Err(shear(document, chains));
        }
        let layers = layers_after(document, chains, &bounds)?;
        let changed = nodes.into_iter().filter(|(n, to)| document.node(*n) != to);
        let changed: Vec<_> = changed.map(|(n, to)| (n, Some(Box::new(to)))).collect();
        if !changed.is_empty() {
            self.draft.put(Edit::SetNodes(changed))?;
        }
        let clips = clips.into_iter().map(|(clip, to)| Edit::SetClip { clip, to: Some(to) });
        self.draft.put_all(clips)?;
        self.draft.put_all(layers)?;
        self.put_unkeyed(&unkeyed, |n| bounds.of(n))?;
        self.tracks = self.tracks.with(tracks);
        Ok(())
    }

    /// Returns the tolerances of baked keys per node.
    fn bounds(&self) -> NodeBounds {
        let document = &self.draft.document;
        let rest = Pose::evaluate(document, &Stack::default());
        let scale = |m: Mat4| {
            let columns = [m.x_axis, m.y_axis, m.z_axis].map(|c| f64::from(c.truncate().length()));
            columns.into_iter().fold(0.0, f64::max).max(1e-12)
        };
        let of = |n: NodeId| scale(rest.parent_world(document, n));
        NodeBounds {
            scales: document.node_ids().map(|n| (n, of(n))).collect(),
            tolerance: self.tolerance,
            angle: 2.0 * self.tolerance / self.size,
        }
    }

    /// Bakes layers into the keys of nodes whose transforms become part of other nodes' transforms.
    pub(super) fn fold_layers(&mut self, chains: &[Chain]) -> Result<(), CommandError> {
        let own = chains
            .iter()
            .flat_map(|c| c.factors.iter().filter_map(Factor::node).filter(|n| *n != c.node));
        let nodes: BTreeSet<NodeId> = own.collect();
        if nodes.is_empty() {
            return Ok(());
        }
        let document = self.draft.document.clone();
        for (home, layers) in &document.aids.pose_layers {
            let goes = layers_of(layers, &|n| nodes.contains(&n));
            if !goes.any_counts() {
                continue;
            }
            let file = fold_pose(&document.file, &document.aids.layers(LayerHome::Pose));
            match home {
                LayerHome::Pose => {
                    let folded = fold_pose(&document.file, &goes);
                    let poses: Vec<_> = folded
                        .nodes
                        .iter()
                        .filter(|(id, n)| n.pose != document.node(*id).pose)
                        .map(|(id, n)| (id, n.pose))
                        .collect();
                    if !poses.is_empty() {
                        self.draft.put(Edit::SetPoses(poses))?;
                    }
                }
                LayerHome::Clip(id) => {
                    let Some(clip) = document.clips.get(*id) else { continue };
                    let folded = fold_clip(&file, clip, &goes);
                    if let Some((node, property)) = folded.refused.first() {
                        let why = Unfollowed::Fixed(*node, *property);
                        return Err(unfollowed(&document, Some(*id), why));
                    }
                    self.draft.put(Edit::SetClip { clip: *id, to: Some(folded.clip) })?;
                }
            }
            let stays = layers_of(layers, &|n| !nodes.contains(&n));
            self.draft.put(Edit::SetPoseLayers { home: *home, to: Some(Shared::new(stays)) })?;
        }
        Ok(())
    }

    /// Changes the frames of nodes, `W' = W·C`, without moving child nodes, skin and attached
    /// objects. With [`Motion::Follow`], this holds only in the rest pose.
    pub(super) fn reframe(
        &mut self,
        frames: &BTreeMap<NodeId, Moving>,
        motion: Motion,
    ) -> Result<(), CommandError> {
        self.detach_objects(frames)?;
        let shifts = match motion {
            Motion::Keep => BTreeMap::new(),
            Motion::Follow => self.follow(frames)?,
        };
        let document = &self.draft.document;
        let mut nodes: BTreeSet<NodeId> = frames.keys().copied().collect();
        nodes.extend(frames.keys().flat_map(|n| document.children(*n).iter().copied()));
        let mut chains = Vec::with_capacity(nodes.len());
        for node in nodes {
            let above = document.node(node).parent.and_then(|p| frames.get(&p));
            let mut factors = Vec::with_capacity(3);
            if let Some(above) = above {
                let back = above.inverse().ok_or_else(|| flat(document, node))?;
                factors.push(Factor::Constant(back));
            }
            if let Some(shift) = shifts.get(&node) {
                factors.extend([Factor::Constant(*shift), Factor::Local(node)]);
            } else {
                factors.push(Factor::Local(node));
                factors.extend(frames.get(&node).map(|c| Factor::Constant(*c)));
            }
            chains.push(Chain { node, factors });
        }
        self.rewrite(&chains)?;
        self.rebind(frames)?;
        self.reframe_space(frames)?;
        for (node, c) in frames {
            let before = self.frames.get(node).copied().unwrap_or(Moving::IDENTITY);
            self.frames.insert(*node, before.then(c));
        }
        Ok(())
    }

    /// Computes `IBM' = C⁻¹·IBM` in every skin. Factors on the right of the bind matrix are
    /// preserved, such as the decoding of quantized positions.
    fn rebind(&mut self, frames: &BTreeMap<NodeId, Moving>) -> Result<(), CommandError> {
        let document = &self.draft.document;
        let mut edits = Vec::new();
        for (id, skin) in document.skins.iter() {
            let mut binds = skin.inverse_bind.to_vec();
            for (bind, joint) in binds.iter_mut().zip(skin.joints.iter()) {
                let Some(c) = frames.get(joint) else { continue };
                let back = c.inverse().ok_or_else(|| flat(document, *joint))?;
                *bind = affine(back.matrix() * bind.as_dmat4());
            }
            if binds[..] != skin.inverse_bind[..] {
                let has_inverse_bind = true;
                let to = Skin { inverse_bind: binds.into(), has_inverse_bind, ..(**skin).clone() };
                self.joints.extend(skin.joints.iter().copied());
                edits.push(Edit::SetSkin { skin: id, to: Some(Shared::new(to)) });
            }
        }
        self.draft.put_all(edits)
    }

    /// Moves the objects of nodes with a new frame to new child nodes, so that they stay in place.
    /// Objects are meshes without a skin, cameras, lights and instances.
    fn detach_objects(&mut self, frames: &BTreeMap<NodeId, Moving>) -> Result<(), CommandError> {
        let document = self.draft.document.clone();
        let mut next = document.nodes.next_id();
        for node in frames.keys() {
            let about = document.node(*node);
            let is_shown = about.mesh.is_some() && about.skin.is_none();
            if !is_shown && about.camera.is_none() && about.light.is_none() {
                continue;
            }
            let label = about.label(*node);
            let child = Node {
                name: Some(format!("{label} object").into()),
                parent: Some(*node),
                rank: crate::command::nodes::last_rank(&document, Some(*node)),
                mesh: about.mesh.filter(|_| is_shown),
                instances: about.instances.clone().filter(|_| is_shown),
                morph_weights: about.morph_weights.clone().filter(|_| is_shown),
                camera: about.camera,
                light: about.light,
                ..Node::default()
            };
            let bare = Node {
                mesh: about.mesh.filter(|_| !is_shown),
                instances: about.instances.clone().filter(|_| !is_shown),
                morph_weights: about.morph_weights.clone().filter(|_| !is_shown),
                camera: None,
                light: None,
                ..about.clone()
            };
            let id = next;
            self.draft.put(Edit::SetNodes(vec![
                (*node, Some(Box::new(bare))),
                (id, Some(Box::new(child))),
            ]))?;
            if is_shown {
                self.morphs_to(&document, *node, id)?;
            }
            next = self.draft.document.nodes.next_id();
        }
        Ok(())
    }

    /// Moves the morph keys of a mesh to another node.
    pub(super) fn morphs_to(
        &mut self,
        document: &Document,
        from: NodeId,
        to: NodeId,
    ) -> Result<(), CommandError> {
        for (clip, found) in document.clips.iter() {
            if found.kept.contains(&(from, Property::Weights)) {
                let why = Unfollowed::Fixed(from, Property::Weights);
                return Err(unfollowed(document, Some(clip), why));
            }
            if let Some((track, keys)) = found.track(from, Property::Weights) {
                // A track of the file cannot change its target, so the keys move to a new track.
                let free = self.draft.document.clips[clip].free_track_id();
                let keys = Track { target: to, ..(**keys).clone() };
                self.draft.put(Edit::SetTrack { clip, track, to: None })?;
                let to = Some(Shared::new(keys));
                self.draft.put(Edit::SetTrack { clip, track: free, to })?;
            }
        }
        self.unkeyed_morphs_to(from, to)
    }

    /// Updates the rest pose from the bind matrices, as when the file is opened again.
    pub(super) fn settle(&mut self) -> Result<(), CommandError> {
        // A rest pose that the user set despite the bind matrices is only replaced if the matrices
        // change.
        let is_chosen =
            |n: NodeId| !self.moves_skin && self.document().node(n).rest_source == RestSource::Pose;
        let there = self.joints.iter().copied().filter(|n| self.document().nodes.contains(*n));
        let joints: Vec<NodeId> = there.filter(|n| !is_chosen(*n)).collect();
        let (document, found) = (self.document(), found_rests(self.document()));
        let changed: Vec<Edit> = joints
            .into_iter()
            .filter_map(|n| {
                let (now, found) = (document.node(n), found.node(n));
                let to = match (found.rest_source, now.rest_source) {
                    (RestSource::Bind, _) => {
                        let Node { rest, rest_source, pose, .. } = *found;
                        Node { rest, rest_source, pose, ..now.clone() }
                    }
                    // The bind matrices no longer define the rest pose of the node.
                    (_, RestSource::Bind) => Node { rest_source: RestSource::File, ..now.clone() },
                    _ => return None,
                };
                (to != *now).then(|| Edit::node(n, to))
            })
            .collect();
        self.draft.put_all(changed)
    }
}

/// Tolerances of baked keys.
struct NodeBounds {
    /// Scale by node: meters in the scene per unit of the parent's space.
    scales: BTreeMap<NodeId, f64>,
    /// Tolerance in meters.
    tolerance: f64,
    /// Tolerance in radians.
    angle: f64,
}

impl NodeBounds {
    fn of(&self, node: NodeId) -> Bounds {
        let scale = self.scales.get(&node).copied().unwrap_or(1.0);
        Bounds { translation: self.tolerance / scale, rotation: self.angle, scale: self.angle }
    }
}

/// Converts a matrix to single precision, with the exact last row of an affine matrix.
pub(super) fn affine(m: DMat4) -> Mat4 {
    let mut m = m.as_mat4();
    (m.x_axis.w, m.y_axis.w, m.z_axis.w, m.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
    m
}

/// Whether bind matrices are equal up to rounding. The linear part and the translation are compared
/// separately.
pub(super) fn is_same_bind(a: &Mat4, b: &Mat4) -> bool {
    const SAME: f32 = 1e-6;
    let near = |a: &[f32], b: &[f32]| {
        let most = a.iter().fold(0.0f32, |m, v| m.max(v.abs()));
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * most)
    };
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    near(&a[..12], &b[..12]) && near(&a[12..], &b[12..])
}

/// Returns the node of a chain with the product of the chain as its local transform, in the rest
/// pose and in the pose.
fn moved(document: &Document, chain: &Chain) -> Result<Node, CommandError> {
    let node = document.node(chain.node);
    let local = |which: &dyn Fn(&Node) -> Local| {
        let own = |n: NodeId| which(document.node(n));
        let product = chain.product(|n| Moving::still(&own(n).transform()));
        let product = product.ok_or_else(|| flat(document, chain.node))?;
        let matrix = chain.matrix(|n| own(n).matrix().as_dmat4());
        if matches!(own(chain.node), Local::Matrix(_)) {
            return Ok(Local::Matrix(affine(matrix)));
        }
        if shear_between(&matrix, &product.moving.matrix()) > PLAIN {
            return Err(shear(document, std::slice::from_ref(chain)));
        }
        Ok(Local::Trs(product.moving.transform()))
    };
    let rest = local(&|n| n.rest)?;
    let is_posed = chain.nodes().iter().any(|n| document.node(*n).pose.is_some());
    let pose = match is_posed {
        true => Some(local(&Node::local)?).filter(|local| *local != rest),
        false => None,
    };
    let made = pose.map(|local| NodePose::at(&rest, local)).transpose();
    let pose =
        made.map_err(|source| CommandError::Transform { node: node.label(chain.node), source })?;
    Ok(Node { rest, pose, ..node.clone() })
}

/// Returns copies of the layers that contain only the nodes for which `holds` is true.
fn layers_of(layers: &PoseLayers, holds: &dyn Fn(NodeId) -> bool) -> PoseLayers {
    let part = |layer: &PoseLayer| {
        let mut made = layer.clone();
        let keys = Shared::make_mut(&mut made.keys);
        keys.tracks = layer
            .keys
            .tracks
            .iter()
            .filter(|(_, t)| holds(t.target))
            .map(|(id, t)| (*id, t.clone()))
            .collect();
        let moves = layer.moves.iter().filter(|(n, _)| holds(**n));
        made.moves = Shared::new(moves.map(|(n, u)| (*n, *u)).collect());
        made
    };
    layers.iter().map(part).collect()
}

/// Returns the edits of layers for nodes with a new frame: `U' = C⁻¹·U·C`.
fn layers_after(
    document: &Document,
    chains: &[Chain],
    bounds: &NodeBounds,
) -> Result<Vec<Edit>, CommandError> {
    let mut frames: BTreeMap<NodeId, Chain> = BTreeMap::new();
    for chain in chains {
        let own = chain.factors.iter().position(|f| *f == Factor::Local(chain.node));
        let Some(after) = own.map(|k| &chain.factors[k + 1..]).filter(|a| !a.is_empty()) else {
            continue;
        };
        let c = Chain { node: chain.node, factors: after.to_vec() };
        let Some(c) = c.product(|_| Moving::IDENTITY) else { continue };
        let back = c.moving.inverse().ok_or_else(|| flat(document, chain.node))?;
        let factors =
            vec![Factor::Constant(back), Factor::Local(chain.node), Factor::Constant(c.moving)];
        frames.insert(chain.node, Chain { node: chain.node, factors });
    }
    let mut edits = Vec::new();
    for (home, layers) in &document.aids.pose_layers {
        let mut made = Vec::with_capacity(layers.0.len());
        for layer in layers.iter() {
            made.push(layer_after(document, *home, layer, &frames, bounds)?);
        }
        let is_same = made.iter().zip(layers.iter()).all(|(a, b)| a == b);
        if !is_same {
            let to = Some(Shared::new(made.into_iter().collect()));
            edits.push(Edit::SetPoseLayers { home: *home, to });
        }
    }
    Ok(edits)
}

fn layer_after(
    document: &Document,
    home: LayerHome,
    layer: &PoseLayer,
    frames: &BTreeMap<NodeId, Chain>,
    bounds: &NodeBounds,
) -> Result<PoseLayer, CommandError> {
    let chains: Vec<Chain> = layer.nodes().iter().filter_map(|n| frames.get(n)).cloned().collect();
    let mut moves = (*layer.moves).clone();
    for chain in &chains {
        let user = layer.constant(chain.node);
        let made = chain.product(|_| Moving::still(&user));
        let made = made.ok_or_else(|| flat(document, chain.node))?.moving.transform();
        if user != Transform::IDENTITY {
            moves.insert(chain.node, made);
        }
    }
    let local = |n: NodeId| layer.constant(n);
    let after = |n: NodeId| moves.get(&n).copied().unwrap_or_default();
    let made = rewritten(&layer.keys, &chains, &local, &after, &|n| bounds.of(n));
    let (keys, _) = made.map_err(|why| unfollowed(document, home.clip(), why))?;
    if Shared::ptr_eq(&keys, &layer.keys) && moves == *layer.moves {
        return Ok(layer.clone());
    }
    Ok(PoseLayer { keys, moves: Shared::new(moves), ..layer.clone() })
}

pub(super) fn flat(document: &Document, node: NodeId) -> CommandError {
    let label = document.node(node).label(node);
    CommandError::other(
        "squashed_flat",
        format!(
            "“{label}” is scaled to 0, so no other node can have its motion; set another scale \
                first"
        ),
    )
}

pub(super) fn shear(document: &Document, chains: &[Chain]) -> CommandError {
    let labels: Vec<String> =
        chains.iter().take(1).map(|c| document.node(c.node).label(c.node)).collect();
    CommandError::other(
        "would_shear",
        format!(
            "“{}” would be sheared by a rotation below a nonuniform scale, which glTF cannot \
                store; make the scale uniform first",
            labels.join("”, “")
        ),
    )
}

fn unfollowed(document: &Document, clip: Option<ClipId>, why: Unfollowed) -> CommandError {
    let clip = clip.map(|c| format!(" in “{}”", document.clip_label(c))).unwrap_or_default();
    match why {
        Unfollowed::Flat(node) => CommandError::other(
            "squashed_flat",
            format!(
                "“{}” is scaled to 0{clip}, so no other node can have its motion; set another \
                    scale first",
                document.node(node).label(node)
            ),
        ),
        Unfollowed::Fixed(node, property) => CommandError::other(
            "keys_not_editable",
            format!(
                "the {} keys of “{}”{clip} cannot be edited, so the clip cannot follow; delete the \
                    clip first",
                property.path(),
                document.node(node).label(node)
            ),
        ),
    }
}
