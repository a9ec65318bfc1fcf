//! Converts a figure of nodes with rigid meshes to a skeleton with a skin. The nodes become joints,
//! and each mesh is bound to one joint.
//!
//! ```text
//!   T = W(t)·IBM,  IBM = W⁻¹ and p' = W·p in the rest pose,  so that T·p' = W(t)·p
//! ```
//!
//! `W` is the world transform of a node, `W(t)` its value in a clip, `T` the skinning matrix of the
//! joint, and `p` a vertex.
//!
//! The vertices of a mesh with several nodes do not change. Each of these nodes gets its own skin
//! with one joint, `IBM = 1`.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DMat4, DVec3, Mat4, Vec3, Vec4};

use super::{
    commands::SkeletonFromNodes,
    finish::finish,
    rewrite::{RigDraft, affine, flat},
    tree::free_name,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, world},
    },
};
use ulna_model::{
    Document, MeshId, MorphTarget, Node, NodeId, Notice, Primitive, PrimitiveId, Property,
    RestGeometry, SceneId, Shared, Skin, SkinId, WeightEncoding, WeightMap,
    transform::is_invertible,
};

impl SkeletonFromNodes {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let [top] = self.node.all(document)?[..] else {
            return refuse("one_node_wanted", "“node” must be one node, the top of the figure");
        };
        let figure = Figure::of(document, top)?;
        let mut rig = RigDraft::of(document);
        let label = document.node(top).label(top);
        let name = self.name.clone().unwrap_or_else(|| label.clone());
        figure.bind(&mut rig, &name)?;
        let (meshes, joints) = (figure.parts.len(), figure.joints.len());
        let meshes = if meshes == 1 { "1 mesh is" } else { &format!("{meshes} meshes are") };
        let joints = if joints == 1 { "1 joint" } else { &format!("{joints} joints") };
        let mut done = finish(rig, scene, None)?;
        let said = format!("“{label}” is now a skeleton of {joints}; {meshes} bound to it");
        done.notes.insert(0, Notice::new("skeleton_made", said));
        Ok(done)
    }
}

/// A node of the figure with a rigid mesh.
struct FigurePart {
    node: NodeId,
    mesh: MeshId,
    /// Whether other nodes use the same mesh.
    is_shared: bool,
}

/// The nodes of a figure that become joints, and the meshes bound to them.
struct Figure {
    /// The joints, parents before children.
    joints: Vec<NodeId>,
    parts: Vec<FigurePart>,
}

impl Figure {
    fn of(document: &Document, top: NodeId) -> Result<Self, CommandError> {
        let is_below = |n: NodeId| n == top || document.is_above(top, n);
        let is_part = |n: &NodeId| {
            let about = document.node(*n);
            about.mesh.is_some() && about.skin.is_none() && is_below(*n)
        };
        let nodes: Vec<NodeId> = document.nodes.order().iter().copied().filter(is_part).collect();
        if nodes.is_empty() {
            let label = document.node(top).label(top);
            return refuse(
                "no_mesh",
                format!(
                    "there is no mesh without a skin at “{label}” or below it; choose the topmost \
                        node of a figure"
                ),
            );
        }
        let mut users: BTreeMap<MeshId, usize> = BTreeMap::new();
        document
            .nodes
            .values()
            .filter_map(|n| n.mesh)
            .for_each(|m| *users.entry(m).or_default() += 1);
        let mut parts = Vec::with_capacity(nodes.len());
        let mut joints: BTreeSet<NodeId> = [top].into();
        for node in nodes {
            refuse_part(document, node)?;
            let up = std::iter::successors(Some(node), |n| document.node(*n).parent);
            joints.extend(up.take_while(|n| *n != top));
            let Some(mesh) = document.node(node).mesh else { continue };
            parts.push(FigurePart { node, mesh, is_shared: users[&mesh] > 1 });
        }
        refuse_mirrored(document, &parts)?;
        let order = document.nodes.order().iter().copied();
        let joints = order.filter(|n| joints.contains(n)).collect();
        Ok(Self { joints, parts })
    }

    /// Creates the skins, and moves the meshes to new nodes outside the skeleton.
    fn bind(&self, rig: &mut RigDraft, name: &str) -> Result<(), CommandError> {
        let document = rig.document().clone();
        let main = document.skins.next_id();
        if self.parts.iter().any(|p| !p.is_shared) {
            let binds = self.binds(&document)?;
            let to = Skin {
                name: Some(name.into()),
                joints: self.joints.clone().into(),
                inverse_bind: binds.into(),
                has_inverse_bind: true,
            };
            rig.draft.put(Edit::SetSkin { skin: main, to: Some(Shared::new(to)) })?;
            rig.joints.extend(self.joints.iter().copied());
        }
        for part in &self.parts {
            let slot = self.joints.iter().position(|n| *n == part.node);
            let slot = slot.filter(|_| !part.is_shared).unwrap_or(0);
            let Ok(slot) = u16::try_from(slot) else {
                return refuse("too_many_joints", "a skin cannot have more than 65,536 joints");
            };
            self.skin_part(rig, part, slot)?;
            let skin = if part.is_shared { single(rig, &document, part.node)? } else { main };
            move_mesh(rig, part.node, skin)?;
        }
        Ok(())
    }

    /// Returns the bind matrices `IBM = W⁻¹` in the rest pose.
    fn binds(&self, document: &Document) -> Result<Vec<Mat4>, CommandError> {
        let bind = |n: &NodeId| {
            let at = world(document, Some(*n), RestOrPose::Rest);
            let back = affine(at.inverse());
            if is_invertible(at.determinant()) && back.is_finite() {
                Ok(back)
            } else {
                Err(flat(document, *n))
            }
        };
        self.joints.iter().map(bind).collect()
    }

    /// Binds all vertices of a part to one joint. A mesh that is not shared is transformed to the
    /// space of the scene.
    fn skin_part(
        &self,
        rig: &mut RigDraft,
        part: &FigurePart,
        slot: u16,
    ) -> Result<(), CommandError> {
        let document = rig.document().clone();
        let mesh = part.mesh;
        let at = world(&document, Some(part.node), RestOrPose::Rest);
        for (primitive, found) in document.mesh(mesh).entries() {
            let to = Some(Shared::new(rigid(found.positions.len(), slot)));
            if found.weights != to {
                rig.draft.put(Edit::BindWeights { mesh, primitive, to })?;
            }
            if !part.is_shared {
                put_shape(rig, (mesh, primitive), found, &at)?;
            }
        }
        Ok(())
    }
}

/// Returns weights that bind all vertices to one joint.
fn rigid(vertices: usize, slot: u16) -> WeightMap {
    WeightMap {
        sets: 1,
        joints: [slot, 0, 0, 0].repeat(vertices).into(),
        weights: [1.0, 0.0, 0.0, 0.0].repeat(vertices).into(),
        encoding: WeightEncoding::Float,
        not_numbers: [].into(),
    }
}

/// Adds a skin with one joint, for a node with a shared mesh.
fn single(rig: &mut RigDraft, document: &Document, node: NodeId) -> Result<SkinId, CommandError> {
    let skin = rig.document().skins.next_id();
    let to = Skin {
        name: Some(document.node(node).label(node).into()),
        joints: [node].into_iter().collect(),
        inverse_bind: [Mat4::IDENTITY].into_iter().collect(),
        has_inverse_bind: false,
    };
    rig.draft.put(Edit::SetSkin { skin, to: Some(Shared::new(to)) })?;
    Ok(skin)
}

/// Moves the mesh of a node to a new node outside the skeleton, with its morph weights and their
/// keys.
fn move_mesh(rig: &mut RigDraft, node: NodeId, skin: SkinId) -> Result<(), CommandError> {
    let document = rig.document().clone();
    let about = document.node(node);
    let up = || std::iter::successors(Some(node), |n| document.node(*n).parent);
    let root = up().last().unwrap_or(node);
    let to = document.nodes.next_id();
    let made = Node {
        name: Some(free_name(&document, format!("{} mesh", about.label(node))).into()),
        mesh: about.mesh,
        skin: Some(skin),
        morph_weights: about.morph_weights.clone(),
        // The new node is not below the hidden nodes any longer.
        hidden: up().any(|n| document.node(n).hidden),
        ..Node::default()
    };
    let bare = Node { mesh: None, morph_weights: None, ..about.clone() };
    // Morph keys can only move while both nodes have the mesh.
    rig.draft.put(Edit::node(to, made))?;
    rig.morphs_to(&document, node, to)?;
    rig.draft.put(Edit::node(node, bare))?;
    let scenes: Vec<(SceneId, Vec<NodeId>)> = document
        .scenes
        .iter()
        .filter(|(_, s)| s.roots.contains(&root))
        .map(|(id, s)| (id, s.roots.iter().copied().chain([to]).collect()))
        .collect();
    for (scene, to) in scenes {
        rig.draft.put(Edit::SetRoots { scene, to })?;
    }
    rig.shown_by.insert(node, to);
    Ok(())
}

/// Transforms a primitive to the space of the scene.
fn put_shape(
    rig: &mut RigDraft,
    (mesh, primitive): (MeshId, PrimitiveId),
    of: &Primitive,
    at: &DMat4,
) -> Result<(), CommandError> {
    let linear = DMat3::from_mat4(*at);
    let cofactors = DMat3::from_cols(
        linear.y_axis.cross(linear.z_axis),
        linear.z_axis.cross(linear.x_axis),
        linear.x_axis.cross(linear.y_axis),
    );
    let way = |v: &Vec3| (linear * v.as_dvec3()).as_vec3();
    let unit = |m: &DMat3, v: DVec3| (*m * v).normalize_or(v).as_vec3();
    let target = |t: &MorphTarget| MorphTarget {
        positions: t.positions.iter().map(way).collect(),
        normals: t.normals.iter().map(way).collect(),
    };
    let to = RestGeometry {
        positions: of
            .positions
            .iter()
            .map(|p| at.transform_point3(p.as_dvec3()).as_vec3())
            .collect(),
        normals: of.normals.iter().map(|n| unit(&cofactors, n.as_dvec3())).collect(),
        tangents: of
            .tangents
            .iter()
            .map(|t: &Vec4| unit(&linear, t.truncate().as_dvec3()).extend(t.w))
            .collect(),
        targets: of.targets.iter().map(target).collect::<Vec<_>>().into(),
    };
    rig.draft.put(Edit::SetShape { mesh, primitive, to: Box::new(to) })
}

/// Returns an error if a part would look different with a skin.
fn refuse_part(document: &Document, node: NodeId) -> Result<(), CommandError> {
    let about = document.node(node);
    let label = about.label(node);
    if about.instances.is_some() {
        return refuse(
            "instances_not_skinned",
            format!(
                "“{label}” shows its mesh many times (instances), which a skin cannot; remove the \
                    instances first"
            ),
        );
    }
    if document.vrm.is_some() {
        return refuse(
            "avatar_mesh",
            format!(
                "the VRM avatar may name “{label}” as the node of its mesh, so the mesh cannot \
                    move to another node"
            ),
        );
    }
    let skinned = document.nodes.iter().find(|(_, n)| n.mesh == about.mesh && n.skin.is_some());
    if let Some((other, of)) = skinned {
        return refuse(
            "mesh_is_shared",
            format!(
                "“{}” shows the mesh of “{label}” with a skin, so it has weights that must stay; \
                    remove one of the nodes first",
                of.label(other)
            ),
        );
    }
    let up: Vec<NodeId> = std::iter::successors(Some(node), |n| document.node(*n).parent).collect();
    for (id, clip) in document.clips.iter() {
        let mut tracks = clip.pointers.iter().filter_map(|p| p.track.as_ref());
        if tracks.any(|t| t.target == node && t.property == Property::Weights) {
            return refuse(
                "keys_not_editable",
                format!(
                    "“{}” has morph keys of “{label}” that cannot be edited; delete the clip first",
                    document.clip_label(id)
                ),
            );
        }
        let keys = clip.pointers.iter().filter_map(|p| p.visibility.as_ref());
        if let Some(keys) = keys.into_iter().find(|keys| up.contains(&keys.node)) {
            let (hidden, clip) =
                (document.node(keys.node).label(keys.node), document.clip_label(id));
            return refuse(
                "visibility_keyed",
                format!(
                    "“{clip}” shows and hides “{hidden}”, which a mesh beside the skeleton would \
                        not follow; delete the clip first"
                ),
            );
        }
    }
    Ok(())
}

/// Returns an error if a part is mirrored. Programs do not flip the triangles of mirrored skinned
/// meshes.
fn refuse_mirrored(document: &Document, parts: &[FigurePart]) -> Result<(), CommandError> {
    let mut scaled: BTreeMap<NodeId, bool> = BTreeMap::new();
    for clip in document.clips.values() {
        for track in clip.played().filter(|t| t.property == Property::Scale) {
            let own = document.node(track.target).local().transform().scale;
            let mut keys = (0..track.times.len()).map(|k| track.value(k));
            let flips = keys.any(|v| v.iter().product::<f32>() * own.element_product() < 0.0);
            *scaled.entry(track.target).or_default() |= flips;
        }
    }
    for FigurePart { node, .. } in parts {
        let mut up = std::iter::successors(Some(*node), |n| document.node(*n).parent);
        let at_rest = world(document, Some(*node), RestOrPose::Rest).determinant() < 0.0;
        if at_rest || up.any(|n| scaled.get(&n) == Some(&true)) {
            let label = document.node(*node).label(*node);
            return refuse(
                "mirrored_part",
                format!(
                    "“{label}” is mirrored by a negative scale, and most programs would show a \
                        skinned mesh inside out there; apply the scale in another program first"
                ),
            );
        }
    }
    Ok(())
}
