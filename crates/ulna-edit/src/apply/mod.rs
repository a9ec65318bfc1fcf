//! Application of edits. Each kind has a function that checks it, changes the document and returns
//! the edit that undoes it.

mod elements;

use std::{collections::BTreeSet, sync::Arc};

use crate::edit::{Edit, EditError};
use ulna_model::{
    Clip, ClipId, Components, Document, Goal, Image, ImageId, JointGroup, KeptPose, LayerHome,
    MaterialId, MeshId, Mix, NodeId, NodePose, NodeSet, NodeSpace, Pin, PoseLayers, PrimitiveId,
    References, RestGeometry, RetargetMap, SceneId, Shared, SkinId, TextureRef, Track, TrackId,
    Unkeyed, UnkeyedAt, Vrm, WeightLayers, WeightMap, WeightPatch,
};

/// Applies an edit and returns its inverse: `apply(apply(d, e)) = d`.
///
/// # Errors
/// If the edit refers to a missing element or breaks an invariant. The document is then unchanged.
pub fn apply(document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
    match edit {
        Edit::SetPoses(poses) => set_poses(document, poses),
        Edit::SetUnkeyed { at, node, to } => set_unkeyed(document, at, node, to),
        Edit::SetMorphs { node, to } => set_morphs(document, node, to),
        Edit::SetUnkeyedMorphs { at, node, to } => set_unkeyed_morphs(document, at, node, to),
        Edit::SetNodes(nodes) => elements::set_nodes(document, nodes),
        Edit::SetSkin { skin, to } => elements::set_skin(document, skin, to),
        Edit::SetMesh { mesh, to } => elements::set_mesh(document, mesh, to),
        Edit::SetMaterial { material, to } => elements::set_material(document, material, to),
        Edit::SetRoots { scene, to } => set_roots(document, scene, to),
        Edit::SetNodeName { node, to } => set_node_name(document, node, to),
        Edit::SetHidden { node, to } => set_hidden(document, node, to),
        Edit::SetTrack { clip, track, to } => set_track(document, clip, track, to),
        Edit::SetClip { clip, to } => set_clip(document, clip, to),
        Edit::SetPoseLayers { home, to } => set_pose_layers(document, home, to),
        Edit::SetKeepsLayers { to } => set_keeps_layers(document, to),
        Edit::PatchWeights { mesh, primitive, patch } => {
            patch_weights(document, mesh, primitive, patch)
        }
        Edit::SetWeights { mesh, primitive, to } => set_weights(document, mesh, primitive, to),
        Edit::BindWeights { mesh, primitive, to } => bind_weights(document, mesh, primitive, to),
        Edit::SetShape { mesh, primitive, to } => set_shape(document, mesh, primitive, *to),
        Edit::SetNormalMap { material, to } => set_normal_map(document, material, to),
        Edit::AddImage { image, to } => add_image(document, image, to),
        Edit::SetLayers { skin, to } => set_layers(document, skin, to),
        Edit::SetPin { node, to } => set_pin(document, node, to),
        Edit::SetContacts { clip, to } => set_contacts(document, clip, to),
        Edit::SetRetargetMaps { scene, to } => set_retarget_maps(document, scene, to),
        Edit::SetKeptPoses { scene, to } => set_kept_poses(document, scene, to),
        Edit::SetNodeSets { scene, to } => set_node_sets(document, scene, to),
        Edit::SetJointGroups { scene, to } => set_joint_groups(document, scene, to),
        Edit::SetHumanoid { scene, to } => set_humanoid(document, scene, to),
        Edit::SetMix { to } => set_mix(document, to),
        Edit::SetKeptMix { scene, to } => set_kept_mix(document, scene, to),
        Edit::SetMirrorPairs { to } => set_mirror_pairs(document, to),
        Edit::SetNodeSpace { to } => set_node_space(document, to),
    }
}

/// Refuses a value that refers to a node that does not exist.
fn nodes_exist(document: &Document, value: &impl References) -> Result<(), EditError> {
    match document.missing_node(value) {
        Some(node) => Err(EditError::NoNode(node.0)),
        None => Ok(()),
    }
}

/// Returns an error if the node does not exist.
fn node_of(document: &Document, node: NodeId) -> Result<(), EditError> {
    if document.nodes.contains(node) { Ok(()) } else { Err(EditError::NoNode(node.0)) }
}

fn set_poses(
    document: &mut Document,
    mut poses: Vec<(NodeId, Option<NodePose>)>,
) -> Result<Edit, EditError> {
    let mut before = None;
    for (node, to) in &poses {
        node_of(document, *node)?;
        if before.replace(*node).is_some_and(|b| b >= *node) {
            return Err(EditError::Twice(node.0));
        }
        if to.is_some_and(|t| !t.is_finite()) {
            return Err(EditError::NotFinite(node.0));
        }
    }
    let nodes = document.file.nodes.slots_mut();
    for (node, pose) in &mut poses {
        if let Some(found) = nodes.get_mut(node.index()).and_then(Option::as_mut) {
            std::mem::swap(&mut found.pose, pose);
        }
    }
    Ok(Edit::SetPoses(poses))
}

fn set_unkeyed(
    document: &mut Document,
    at: UnkeyedAt,
    node: NodeId,
    to: Option<Components>,
) -> Result<Edit, EditError> {
    node_of(document, node)?;
    if to.is_some_and(|t| !t.is_finite() || t.is_empty()) {
        return Err(EditError::NotFinite(node.0));
    }
    let was = unkeyed(document, at, to.is_some(), |pose| match to {
        Some(to) => pose.locals.insert(node, to),
        None => pose.locals.remove(&node),
    })?;
    Ok(Edit::SetUnkeyed { at, node, to: was })
}

fn set_morphs(
    document: &mut Document,
    node: NodeId,
    to: Option<Shared<[f32]>>,
) -> Result<Edit, EditError> {
    node_of(document, node)?;
    morphs_of(document, node, to.as_deref())?;
    let found = document.file.nodes.get_mut(node).ok_or(EditError::NoNode(node.0))?;
    let was = std::mem::replace(&mut found.morph_weights, to);
    Ok(Edit::SetMorphs { node, to: was })
}

fn set_unkeyed_morphs(
    document: &mut Document,
    at: UnkeyedAt,
    node: NodeId,
    to: Option<Shared<[f32]>>,
) -> Result<Edit, EditError> {
    node_of(document, node)?;
    morphs_of(document, node, to.as_deref())?;
    let was = unkeyed(document, at, to.is_some(), |pose| match to {
        Some(to) => pose.morphs.insert(node, to),
        None => pose.morphs.remove(&node),
    })?;
    Ok(Edit::SetUnkeyedMorphs { at, node, to: was })
}

fn set_roots(document: &mut Document, scene: SceneId, to: Vec<NodeId>) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let unsound = EditError::Unsound { what: "scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).ok_or(unsound)?;
    let was = std::mem::replace(&mut found.roots, to);
    Ok(Edit::SetRoots { scene, to: was })
}

fn set_node_name(
    document: &mut Document,
    node: NodeId,
    to: Option<Arc<str>>,
) -> Result<Edit, EditError> {
    let found = document.file.nodes.get_mut(node).ok_or(EditError::NoNode(node.0))?;
    let was = std::mem::replace(&mut found.name, to);
    Ok(Edit::SetNodeName { node, to: was })
}

fn set_hidden(document: &mut Document, node: NodeId, to: bool) -> Result<Edit, EditError> {
    let found = document.file.nodes.get_mut(node).ok_or(EditError::NoNode(node.0))?;
    let was = std::mem::replace(&mut found.hidden, to);
    Ok(Edit::SetHidden { node, to: was })
}

fn set_track(
    document: &mut Document,
    clip: ClipId,
    track: TrackId,
    to: Option<Shared<Track>>,
) -> Result<Edit, EditError> {
    if let Some(to) = &to {
        nodes_exist(document, to)?;
        to.validate()?;
    }
    let Some(found) = document.file.clips.get_mut(clip) else {
        return Err(EditError::NoClip(clip.0));
    };
    let tracks = &mut Shared::make_mut(found).tracks;
    let was = match to {
        Some(to) => tracks.insert(track, to),
        None => tracks.remove(&track),
    };
    Ok(Edit::SetTrack { clip, track, to: was })
}

fn set_clip(
    document: &mut Document,
    clip: ClipId,
    to: Option<Shared<Clip>>,
) -> Result<Edit, EditError> {
    if let Some(to) = &to {
        nodes_exist(document, to)?;
        to.tracks.values().try_for_each(|track| track.validate())?;
        if !Goal::are_valid(&to.contacts) {
            return Err(EditError::Unsound { what: "a contact of clip", id: clip.0 });
        }
    } else if document.aids.unkeyed.keys().any(|at| at.clip == clip) {
        return Err(EditError::Unkeyed(clip.0));
    } else if document.aids.pose_layers.contains_key(&LayerHome::Clip(clip)) {
        return Err(EditError::Layered(clip.0));
    }
    let was = document.file.clips.put(clip, to);
    Ok(Edit::SetClip { clip, to: was })
}

fn set_pose_layers(
    document: &mut Document,
    home: LayerHome,
    to: Option<Shared<PoseLayers>>,
) -> Result<Edit, EditError> {
    if to.as_ref().is_some_and(|layers| !document.fits_pose_layers(home, layers)) {
        return Err(EditError::PoseLayers);
    }
    let all = &mut document.aids.pose_layers;
    let was = match to {
        Some(to) => all.insert(home, to),
        None => all.remove(&home),
    };
    Ok(Edit::SetPoseLayers { home, to: was })
}

fn set_keeps_layers(document: &mut Document, to: bool) -> Result<Edit, EditError> {
    Ok(Edit::SetKeepsLayers { to: std::mem::replace(&mut document.aids.keeps_layers, to) })
}

fn patch_weights(
    document: &mut Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    mut patch: Box<WeightPatch>,
) -> Result<Edit, EditError> {
    let map = weights_of(document, mesh, primitive, |map| patch.fits(map))?;
    Shared::make_mut(map).swap(&mut patch);
    Ok(Edit::PatchWeights { mesh, primitive, patch })
}

fn set_weights(
    document: &mut Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    to: Shared<WeightMap>,
) -> Result<Edit, EditError> {
    let sound = is_valid(&to);
    let map = weights_of(document, mesh, primitive, |map| {
        sound && map.vertex_count() == to.vertex_count()
    })?;
    let was = std::mem::replace(map, to);
    Ok(Edit::SetWeights { mesh, primitive, to: was })
}

fn bind_weights(
    document: &mut Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    to: Option<Shared<WeightMap>>,
) -> Result<Edit, EditError> {
    let found = document.primitive(mesh, primitive);
    let count = found.map(|p| p.positions.len());
    let fits = to.as_ref().is_none_or(|to| is_valid(to) && Some(to.vertex_count()) == count);
    if count.is_none() || !fits {
        return Err(EditError::Weights { mesh: mesh.0, primitive });
    }
    let found = document.file.primitive_mut(mesh, primitive);
    let was = found.and_then(|p| std::mem::replace(&mut p.weights, to));
    Ok(Edit::BindWeights { mesh, primitive, to: was })
}

fn set_shape(
    document: &mut Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    to: RestGeometry,
) -> Result<Edit, EditError> {
    let fits = document.primitive(mesh, primitive).is_some_and(|p| p.fits(&to));
    let found = document.file.primitive_mut(mesh, primitive).filter(|_| fits);
    let Some(found) = found else {
        return Err(EditError::Shape { mesh: mesh.0, primitive });
    };
    let was = found.shape();
    let RestGeometry { positions, normals, tangents, targets } = to;
    (found.positions, found.normals, found.tangents, found.targets) =
        (positions, normals, tangents, targets);
    Ok(Edit::SetShape { mesh, primitive, to: Box::new(was) })
}

fn set_normal_map(
    document: &mut Document,
    material: MaterialId,
    to: Option<Box<TextureRef>>,
) -> Result<Edit, EditError> {
    let there = to.as_deref().is_none_or(|t| document.missing(t).is_none());
    let found = document.file.materials.get_mut(material).filter(|_| there);
    let found = found.ok_or(EditError::Unsound { what: "material", id: material.0 })?;
    let was = std::mem::replace(&mut found.normal_texture, to.map(|t| *t));
    Ok(Edit::SetNormalMap { material, to: was.map(Box::new) })
}

fn add_image(
    document: &mut Document,
    image: ImageId,
    to: Option<Image>,
) -> Result<Edit, EditError> {
    let mut list = document.images.to_vec();
    let was = match to {
        Some(to) if image.index() == list.len() => {
            list.push(to);
            None
        }
        None if image.index() + 1 == list.len() && !document.names(image) => list.pop(),
        _ => return Err(EditError::Unsound { what: "image", id: image.0 }),
    };
    document.file.images = list.into();
    Ok(Edit::AddImage { image, to: was })
}

fn set_layers(
    document: &mut Document,
    skin: SkinId,
    to: Option<Shared<WeightLayers>>,
) -> Result<Edit, EditError> {
    if to.as_ref().is_some_and(|l| !l.fits(document, skin)) {
        return Err(EditError::Layers(skin.0));
    }
    let was = match to {
        Some(to) => document.aids.weight_layers.insert(skin, to),
        None => document.aids.weight_layers.remove(&skin),
    };
    Ok(Edit::SetLayers { skin, to: was })
}

fn set_pin(document: &mut Document, node: NodeId, to: Option<Pin>) -> Result<Edit, EditError> {
    node_of(document, node)?;
    if to.is_some_and(|pin| !pin.place && !pin.angle) {
        return Err(EditError::Unsound { what: "pin of node", id: node.0 });
    }
    let was = match to {
        Some(pin) => document.aids.pins.insert(node, pin),
        None => document.aids.pins.remove(&node),
    };
    Ok(Edit::SetPin { node, to: was })
}

fn set_kept_poses(
    document: &mut Document,
    scene: SceneId,
    to: Shared<[KeptPose]>,
) -> Result<Edit, EditError> {
    let names: BTreeSet<&str> = to.iter().map(|p| p.name.as_str()).collect();
    let sound = names.len() == to.len() && to.iter().all(KeptPose::is_valid);
    let unsound = EditError::Unsound { what: "a saved pose of scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
    Ok(Edit::SetKeptPoses { scene, to: std::mem::replace(&mut found.poses, to) })
}

fn set_contacts(
    document: &mut Document,
    clip: ClipId,
    to: Shared<[Goal]>,
) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let unsound = EditError::Unsound { what: "a contact of clip", id: clip.0 };
    let sound = Goal::are_valid(&to);
    let found = document.file.clips.get_mut(clip).filter(|_| sound).ok_or(unsound)?;
    let found = Shared::make_mut(found);
    Ok(Edit::SetContacts { clip, to: std::mem::replace(&mut found.contacts, to) })
}

fn set_retarget_maps(
    document: &mut Document,
    scene: SceneId,
    to: Shared<[RetargetMap]>,
) -> Result<Edit, EditError> {
    let sound = RetargetMap::are_valid(&to);
    let unsound = EditError::Unsound { what: "a retarget map of scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
    Ok(Edit::SetRetargetMaps { scene, to: std::mem::replace(&mut found.retarget, to) })
}

fn set_node_sets(
    document: &mut Document,
    scene: SceneId,
    to: Shared<[NodeSet]>,
) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let sound = to.windows(2).all(|w| w[0].digit < w[1].digit) && to.iter().all(|s| s.digit < 10);
    let unsound = EditError::Unsound { what: "a selection set of scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
    Ok(Edit::SetNodeSets { scene, to: std::mem::replace(&mut found.sets, to) })
}

fn set_joint_groups(
    document: &mut Document,
    scene: SceneId,
    to: Shared<[JointGroup]>,
) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let sound = JointGroup::are_valid(&to);
    let unsound = EditError::Unsound { what: "a joint group of scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
    Ok(Edit::SetJointGroups { scene, to: std::mem::replace(&mut found.groups, to) })
}

fn set_humanoid(
    document: &mut Document,
    scene: Option<SceneId>,
    to: Shared<[(Arc<str>, NodeId)]>,
) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let unsound =
        || EditError::Unsound { what: "the humanoid map of scene", id: scene.map_or(0, |s| s.0) };
    if !to.windows(2).all(|w| w[0].0 < w[1].0) {
        return Err(unsound());
    }
    let place = match scene {
        None => document.file.vrm.as_mut(),
        Some(scene) => {
            let kept = &mut document.file.scenes.get_mut(scene).ok_or_else(unsound)?.humanoid;
            let was = kept.as_ref().map_or_else(Shared::default, |vrm| vrm.bones.clone());
            let made =
                || Shared::new(Vrm { version: "1.0".into(), bones: to.clone(), ..Vrm::default() });
            *kept = (!to.is_empty()).then(made);
            return Ok(Edit::SetHumanoid { scene: Some(scene), to: was });
        }
    };
    let vrm = Shared::make_mut(place.ok_or_else(unsound)?);
    Ok(Edit::SetHumanoid { scene, to: std::mem::replace(&mut vrm.bones, to) })
}

fn set_mix(document: &mut Document, to: Option<Shared<Mix>>) -> Result<Edit, EditError> {
    if let Some(mix) = &to {
        nodes_exist(document, mix)?;
        let sound = mix.fault().is_none();
        sound.then_some(()).ok_or(EditError::Unsound { what: "mix", id: 0 })?;
    }
    Ok(Edit::SetMix { to: std::mem::replace(&mut document.aids.mix, to) })
}

fn set_kept_mix(
    document: &mut Document,
    scene: SceneId,
    to: Option<Shared<Mix<String, String>>>,
) -> Result<Edit, EditError> {
    let sound = to.as_ref().is_none_or(|m| m.fault().is_none());
    let unsound = EditError::Unsound { what: "the mix of scene", id: scene.0 };
    let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
    Ok(Edit::SetKeptMix { scene, to: std::mem::replace(&mut found.mix, to) })
}

fn set_mirror_pairs(
    document: &mut Document,
    to: Shared<[(NodeId, Option<NodeId>)]>,
) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    let was = std::mem::replace(&mut document.aids.mirror_pairs, to);
    Ok(Edit::SetMirrorPairs { to: was })
}

fn set_node_space(document: &mut Document, to: NodeSpace) -> Result<Edit, EditError> {
    nodes_exist(document, &to)?;
    if let Some(vector) = to.vectors.iter().find(|v| !v.value.is_finite()) {
        return Err(EditError::NotFinite(vector.node.0));
    }
    Ok(Edit::SetNodeSpace { to: std::mem::replace(&mut document.file.node_space, to) })
}

/// Changes the unkeyed pose at a time of a clip. If it becomes empty, it is removed. A missing pose
/// is created only if `wanted` is true.
fn unkeyed<T>(
    document: &mut Document,
    at: UnkeyedAt,
    wanted: bool,
    change: impl FnOnce(&mut Unkeyed) -> Option<T>,
) -> Result<Option<T>, EditError> {
    if !document.clips.contains(at.clip) {
        return Err(EditError::NoClip(at.clip.0));
    }
    let poses = &mut document.aids.unkeyed;
    if !wanted && !poses.contains_key(&at) {
        return Ok(None);
    }
    let pose = poses.entry(at).or_default();
    let was = change(Shared::make_mut(pose));
    if pose.is_empty() {
        poses.remove(&at);
    }
    Ok(was)
}

/// Whether the arrays of a weight map have matching lengths and finite weights. The number of
/// vertices of the primitive is not checked.
fn is_valid(map: &WeightMap) -> bool {
    map.sets > 0
        && map.joints.len() == map.weights.len()
        && map.joints.len().is_multiple_of(map.stride())
        && map.weights.iter().all(|w| w.is_finite())
}

/// Returns the weights of a primitive for a change. Fails if it has no weights, or if `fits` is
/// false.
fn weights_of(
    document: &mut Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    fits: impl FnOnce(&WeightMap) -> bool,
) -> Result<&mut Shared<WeightMap>, EditError> {
    let found = document.primitive(mesh, primitive).and_then(|p| p.weights.as_deref());
    let found =
        if found.is_some_and(fits) { document.file.primitive_mut(mesh, primitive) } else { None };
    found.and_then(|p| p.weights.as_mut()).ok_or(EditError::Weights { mesh: mesh.0, primitive })
}

/// Checks morph weights: finite, and one per morph target.
fn morphs_of(document: &Document, node: NodeId, to: Option<&[f32]>) -> Result<(), EditError> {
    let Some(to) = to else { return Ok(()) };
    let targets = document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count());
    // A file can contain a wrong number of weights. Undo must be able to restore it.
    let as_before = document.node(node).morph_weights.as_ref().is_some_and(|w| w.len() == to.len());
    match (to.len() == targets || as_before || targets == 0, to.iter().all(|w| w.is_finite())) {
        (true, true) => Ok(()),
        (_, false) => Err(EditError::NotFinite(node.0)),
        (false, _) => Err(EditError::Morphs { node: node.0, targets }),
    }
}
