//! Edits: every change a document can undergo, as a value. Applying one gives back the one that
//! undoes it.

use std::{collections::BTreeSet, sync::Arc};

use thiserror::Error;

use ulna_model::{
    Clip, ClipId, Components, Document, Held, Image, ImageId, KeptPose, LayerHome, Material,
    MaterialId, MeshId, Mix, Node, NodeId, NodePose, NodeSet, Parts, Pin, PoseLayers, PrimitiveId,
    Property, SceneId, Shape, Shared, Skin, SkinId, SlotId, Slots, TextureRef, Track, TrackError,
    TrackId, Unkeyed, UnkeyedAt, WeightLayers, WeightMap, WeightPatch,
};

/// One change: what a slot of the document becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The user-local transform of a node, and the local transform that it comes to.
    SetPoses(
        /// Whose, in rising order, each once; `None` is the rest.
        Vec<(NodeId, Option<NodePose>)>,
    ),
    /// What an unkeyed pose changes of a node.
    SetUnkeyed {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// Whose.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Components>,
    },
    /// The weights of a node's morph targets.
    SetMorphs {
        /// Whose.
        node: NodeId,
        /// `None` is what its mesh gives.
        to: Option<Shared<[f32]>>,
    },
    /// What an unkeyed pose changes of a node's morph targets.
    SetUnkeyedMorphs {
        /// Over which clip, and when.
        at: UnkeyedAt,
        /// Whose.
        node: NodeId,
        /// `None`: nothing.
        to: Option<Shared<[f32]>>,
    },
    /// A whole node: a new one, or one that hangs elsewhere, or shows another mesh.
    SetNode {
        /// Which.
        node: NodeId,
        /// `None` takes the last new one away.
        to: Option<Box<Node>>,
    },
    /// A whole skin: a new one, or other joints and bind matrices.
    SetSkin {
        /// Which.
        skin: SkinId,
        /// `None` takes the last new one away.
        to: Option<Shared<Skin>>,
    },
    /// The roots of a scene.
    SetRoots {
        /// Whose.
        scene: SceneId,
        /// What they become.
        to: Vec<NodeId>,
    },
    /// A node's name.
    SetNodeName {
        /// Whose.
        node: NodeId,
        /// `None` is no name.
        to: Option<Arc<str>>,
    },
    /// Whether the file hides a node and everything below it.
    SetHidden {
        /// The node.
        node: NodeId,
        /// Whether it is hidden then.
        to: bool,
    },
    /// A track of a clip.
    SetTrack {
        /// Which clip.
        clip: ClipId,
        /// Which track.
        track: TrackId,
        /// `None` removes it.
        to: Option<Shared<Track>>,
    },
    /// A whole clip: new, removed, or renamed.
    SetClip {
        /// Which.
        clip: ClipId,
        /// `None` removes it.
        to: Option<Shared<Clip>>,
    },
    /// The weights of some vertices of a primitive.
    PatchWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
        /// What they become.
        patch: Box<WeightPatch>,
    },
    /// All weights of a primitive, with another number of sets perhaps.
    SetWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
        /// What they become.
        to: Shared<WeightMap>,
    },
    /// Whether a primitive has weights at all.
    BindWeights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
        /// `None`: it has none.
        to: Option<Shared<WeightMap>>,
    },
    /// Where the vertices of a primitive are.
    SetShape {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
        /// What it becomes; as much of everything as there is.
        to: Box<Shape>,
    },
    /// Which texture a material takes its normals from.
    SetNormalMap {
        /// Which material.
        material: MaterialId,
        /// `None`: from none.
        to: Option<Box<TextureRef>>,
    },
    /// An image after all others.
    AddImage {
        /// Its number, the next.
        image: ImageId,
        /// `None` takes the last one away.
        to: Option<Image>,
    },
    /// The layers of user-local transforms of a clip, or of the pose.
    SetPoseLayers {
        /// Of which.
        home: LayerHome,
        /// `None`: there are none.
        to: Option<Shared<PoseLayers>>,
    },
    /// Whether the file keeps the layers.
    SetKeepsLayers {
        /// What it becomes.
        to: bool,
    },
    /// The weight layers of a skin. What they come to is set by other edits beside this one.
    SetLayers {
        /// Whose.
        skin: SkinId,
        /// `None`: there are none.
        to: Option<Shared<WeightLayers>>,
    },
    /// How a node stays while others are posed.
    SetPin {
        /// Which.
        node: NodeId,
        /// `None`: it does not.
        to: Option<Pin>,
    },
    /// All poses that are kept with a scene.
    SetKeptPoses {
        /// Which scene.
        scene: SceneId,
        /// What they become.
        to: Shared<[KeptPose]>,
    },
    /// All sets of nodes that are kept with a scene.
    SetNodeSets {
        /// Which scene.
        scene: SceneId,
        /// What they become.
        to: Shared<[NodeSet]>,
    },
    /// Clips on lanes.
    SetMix {
        /// `None`: as the file keeps them.
        to: Option<Shared<Mix>>,
    },
    /// The mix that is kept with a scene.
    SetKeptMix {
        /// Which scene.
        scene: SceneId,
        /// `None`: there is none.
        to: Option<Shared<Mix<String, String>>>,
    },
    /// All pairs of joints that were said to be each other's mirror image.
    SetMirrorPairs {
        /// What they become.
        to: Shared<[(NodeId, Option<NodeId>)]>,
    },
}

/// Why an edit does not fit the document. The document is unchanged then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// No such node.
    #[error("node {0} does not exist")]
    NoNode(u32),
    /// The nodes of one edit do not rise.
    #[error("node {0} is listed twice or out of order in one edit")]
    Twice(u32),
    /// A node would be above itself.
    #[error("node {0} cannot be its own parent, or a child of one of its descendants")]
    Cycle(u32),
    /// What is to go is needed still, or is not the last that was added.
    #[error("{what} {id} cannot be removed: it belongs to the file, or something else uses it")]
    Needed {
        /// What it is.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// It names what is not there, or numbers that are none.
    #[error("{what} {id} refers to missing data, or has invalid values")]
    Unsound {
        /// What it is.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// No such clip.
    #[error("clip {0} does not exist")]
    NoClip(u32),
    /// A clip that goes takes no unkeyed pose with it.
    #[error("clip {0} has an unkeyed pose; key it or discard it first")]
    Unkeyed(u32),
    /// A clip that goes takes no layers with it.
    #[error("clip {0} has layers; bake or remove them first")]
    Layered(u32),
    /// Pose layers that name what is not there, share a number or a name, or have numbers out of
    /// their bounds.
    #[error("the layers are invalid: they refer to missing data, or have values out of range")]
    PoseLayers,
    /// A number is not finite.
    #[error("the transform of node {0} has values that are not finite numbers")]
    NotFinite(u32),
    /// The weights do not fit the mesh.
    #[error("node {node} needs exactly one weight for each of its {targets} morph targets")]
    Morphs {
        /// The node.
        node: u32,
        /// How many targets its mesh has.
        targets: usize,
    },
    /// Weights for vertices that are not there, or for a primitive that has none.
    #[error(
        "the weights do not match the vertices or joints of mesh {mesh}, primitive \
        {primitive}"
    )]
    Weights {
        /// The mesh.
        mesh: u32,
        /// The primitive.
        primitive: PrimitiveId,
    },
    /// A shape that does not fit its primitive.
    #[error("the vertex positions do not match primitive {primitive} of mesh {mesh}",
        primitive = primitive.index())]
    Shape {
        /// The mesh.
        mesh: u32,
        /// The primitive.
        primitive: PrimitiveId,
    },
    /// Layers for primitives or vertices that are not there, or with numbers out of their bounds.
    #[error("the weight layers do not match skin {0}")]
    Layers(u32),
    /// The track breaks a rule.
    #[error("the keys are invalid: {0}")]
    Track(#[from] TrackError),
}

impl EditError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoNode(_) => "no_such_node",
            Self::Twice(_) => "named_twice",
            Self::Cycle(_) => "node_cycle",
            Self::Needed { .. } => "still_needed",
            Self::Unsound { .. } => "unsound",
            Self::NoClip(_) => "no_such_clip",
            Self::Unkeyed(_) => "clip_has_unkeyed_pose",
            Self::Layered(_) => "clip_has_layers",
            Self::PoseLayers => "layers_unsound",
            Self::NotFinite(_) => "not_finite",
            Self::Morphs { .. } => "count_mismatch",
            Self::Weights { .. } => "weights_unsound",
            Self::Shape { .. } => "shape_unsound",
            Self::Layers(_) => "weight_layers_unsound",
            Self::Track(error) => error.code(),
        }
    }
}

/// Applies an edit and returns its inverse: `apply(apply(d, e)) = d`.
///
/// # Errors
/// Where the edit names something that is not there or breaks an invariant; the document is
/// unchanged then.
pub fn apply(document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
    let node_of = |document: &Document, node: NodeId| {
        if document.nodes.contains(node) { Ok(()) } else { Err(EditError::NoNode(node.0)) }
    };
    match edit {
        Edit::SetPoses(mut poses) => {
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
        Edit::SetUnkeyed { at, node, to } => {
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
        Edit::SetMorphs { node, to } => {
            node_of(document, node)?;
            morphs_of(document, node, to.as_deref())?;
            let was = std::mem::replace(&mut document.file.nodes[node].morph_weights, to);
            Ok(Edit::SetMorphs { node, to: was })
        }
        Edit::SetUnkeyedMorphs { at, node, to } => {
            node_of(document, node)?;
            morphs_of(document, node, to.as_deref())?;
            let was = unkeyed(document, at, to.is_some(), |pose| match to {
                Some(to) => pose.morphs.insert(node, to),
                None => pose.morphs.remove(&node),
            })?;
            Ok(Edit::SetUnkeyedMorphs { at, node, to: was })
        }
        Edit::SetNode { node, to } => {
            match &to {
                Some(to) => node_fits(document, node, to)?,
                None => node_is_free(document, node)?,
            }
            let was = document.file.nodes.put(node, to.map(|n| *n));
            Ok(Edit::SetNode { node, to: was.map(Box::new) })
        }
        Edit::SetSkin { skin, to } => {
            match &to {
                Some(to) => {
                    let sound = skin.index() <= document.skins.len()
                        && !to.joints.is_empty()
                        && to.joints.len() == to.inverse_bind.len()
                        && to.joints.iter().all(|j| document.nodes.contains(*j))
                        && to.is_valid();
                    sound.then_some(()).ok_or(EditError::Unsound { what: "skin", id: skin.0 })?;
                }
                None => {
                    let used = document.nodes.values().any(|n| n.skin == Some(skin))
                        || document.aids.weight_layers.contains_key(&skin);
                    let free = is_last(&document.skins, skin) && !used;
                    free.then_some(()).ok_or(EditError::Needed { what: "skin", id: skin.0 })?;
                }
            }
            let was = document.file.skins.put(skin, to);
            Ok(Edit::SetSkin { skin, to: was })
        }
        Edit::SetRoots { scene, to } => {
            to.iter().try_for_each(|n| node_of(document, *n))?;
            let unsound = EditError::Unsound { what: "scene", id: scene.0 };
            let found = document.file.scenes.get_mut(scene).ok_or(unsound)?;
            let was = std::mem::replace(&mut found.roots, to);
            Ok(Edit::SetRoots { scene, to: was })
        }
        Edit::SetNodeName { node, to } => {
            node_of(document, node)?;
            let was = std::mem::replace(&mut document.file.nodes[node].name, to);
            Ok(Edit::SetNodeName { node, to: was })
        }
        Edit::SetHidden { node, to } => {
            node_of(document, node)?;
            let was = std::mem::replace(&mut document.file.nodes[node].hidden, to);
            Ok(Edit::SetHidden { node, to: was })
        }
        Edit::SetTrack { clip, track, to } => {
            if let Some(to) = &to {
                node_of(document, to.target)?;
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
        Edit::SetClip { clip, to } => {
            if let Some(to) = &to {
                for track in to.tracks.values() {
                    node_of(document, track.target)?;
                    track.validate()?;
                }
            } else if document.aids.unkeyed.keys().any(|at| at.clip == clip) {
                return Err(EditError::Unkeyed(clip.0));
            } else if document.aids.pose_layers.contains_key(&LayerHome::Clip(clip)) {
                return Err(EditError::Layered(clip.0));
            }
            let was = document.file.clips.put(clip, to);
            Ok(Edit::SetClip { clip, to: was })
        }
        Edit::SetPoseLayers { home, to } => {
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
        Edit::SetKeepsLayers { to } => {
            Ok(Edit::SetKeepsLayers { to: std::mem::replace(&mut document.aids.keeps_layers, to) })
        }
        Edit::PatchWeights { mesh, primitive, mut patch } => {
            let map = weights_of(document, mesh, primitive, |map| patch.fits(map))?;
            Shared::make_mut(map).swap(&mut patch);
            Ok(Edit::PatchWeights { mesh, primitive, patch })
        }
        Edit::SetWeights { mesh, primitive, to } => {
            let sound = is_valid(&to);
            let map = weights_of(document, mesh, primitive, |map| {
                sound && map.vertex_count() == to.vertex_count()
            })?;
            let was = std::mem::replace(map, to);
            Ok(Edit::SetWeights { mesh, primitive, to: was })
        }
        Edit::BindWeights { mesh, primitive, to } => {
            let found = document.primitive(mesh, primitive);
            let count = found.map(|p| p.positions.len());
            let fits =
                to.as_ref().is_none_or(|to| is_valid(to) && Some(to.vertex_count()) == count);
            if count.is_none() || !fits {
                return Err(EditError::Weights { mesh: mesh.0, primitive });
            }
            let found = document.file.primitive_mut(mesh, primitive);
            let was = found.and_then(|p| std::mem::replace(&mut p.weights, to));
            Ok(Edit::BindWeights { mesh, primitive, to: was })
        }
        Edit::SetShape { mesh, primitive, to } => {
            let fits = document.primitive(mesh, primitive).is_some_and(|p| p.fits(&to));
            let found = document.file.primitive_mut(mesh, primitive).filter(|_| fits);
            let Some(found) = found else {
                return Err(EditError::Shape { mesh: mesh.0, primitive });
            };
            let was = found.shape();
            let Shape { positions, normals, tangents, targets } = *to;
            (found.positions, found.normals, found.tangents, found.targets) =
                (positions, normals, tangents, targets);
            Ok(Edit::SetShape { mesh, primitive, to: Box::new(was) })
        }
        Edit::SetNormalMap { material, to } => {
            let there = to.as_ref().is_none_or(|t| t.image.index() < document.images.len());
            let mut list = document.materials.to_vec();
            let place = list.get_mut(material.index()).filter(|_| there);
            let Some(place) = place else {
                return Err(EditError::Unsound { what: "material", id: material.0 });
            };
            let was = std::mem::replace(&mut place.normal_texture, to.map(|t| *t));
            document.file.materials = list.into();
            Ok(Edit::SetNormalMap { material, to: was.map(Box::new) })
        }
        Edit::AddImage { image, to } => {
            let mut list = document.images.to_vec();
            let was = match to {
                Some(to) if image.index() == list.len() => {
                    list.push(to);
                    None
                }
                None if image.index() + 1 == list.len() && !is_image_used(document, image) => {
                    list.pop()
                }
                _ => return Err(EditError::Unsound { what: "image", id: image.0 }),
            };
            document.file.images = list.into();
            Ok(Edit::AddImage { image, to: was })
        }
        Edit::SetLayers { skin, to } => {
            if to.as_ref().is_some_and(|l| !l.fits(document, skin)) {
                return Err(EditError::Layers(skin.0));
            }
            let was = match to {
                Some(to) => document.aids.weight_layers.insert(skin, to),
                None => document.aids.weight_layers.remove(&skin),
            };
            Ok(Edit::SetLayers { skin, to: was })
        }
        Edit::SetPin { node, to } => {
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
        Edit::SetKeptPoses { scene, to } => {
            let names: BTreeSet<&str> = to.iter().map(|p| p.name.as_str()).collect();
            let sound = names.len() == to.len() && to.iter().all(KeptPose::is_valid);
            let unsound = EditError::Unsound { what: "a saved pose of scene", id: scene.0 };
            let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
            Ok(Edit::SetKeptPoses { scene, to: std::mem::replace(&mut found.poses, to) })
        }
        Edit::SetNodeSets { scene, to } => {
            to.iter().flat_map(|s| &s.nodes).try_for_each(|n| node_of(document, *n))?;
            let sound =
                to.windows(2).all(|w| w[0].digit < w[1].digit) && to.iter().all(|s| s.digit < 10);
            let unsound = EditError::Unsound { what: "a selection set of scene", id: scene.0 };
            let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
            Ok(Edit::SetNodeSets { scene, to: std::mem::replace(&mut found.sets, to) })
        }
        Edit::SetMix { to } => {
            if let Some(mix) = &to {
                mix.nodes().try_for_each(|n| node_of(document, *n))?;
                let sound = mix.fault().is_none();
                sound.then_some(()).ok_or(EditError::Unsound { what: "mix", id: 0 })?;
            }
            Ok(Edit::SetMix { to: std::mem::replace(&mut document.aids.mix, to) })
        }
        Edit::SetKeptMix { scene, to } => {
            let sound = to.as_ref().is_none_or(|m| m.fault().is_none());
            let unsound = EditError::Unsound { what: "the mix of scene", id: scene.0 };
            let found = document.file.scenes.get_mut(scene).filter(|_| sound).ok_or(unsound)?;
            Ok(Edit::SetKeptMix { scene, to: std::mem::replace(&mut found.mix, to) })
        }
        Edit::SetMirrorPairs { to } => {
            to.iter()
                .flat_map(|(a, b)| [Some(*a), *b])
                .flatten()
                .try_for_each(|n| node_of(document, n))?;
            let was = std::mem::replace(&mut document.aids.mirror_pairs, to);
            Ok(Edit::SetMirrorPairs { to: was })
        }
    }
}

/// Whether an id is that of the last thing, and the file did not give it.
fn is_last<I: SlotId, T>(slots: &Slots<I, T>, id: I) -> bool {
    !slots.is_given(id) && id.index() + 1 == slots.len()
}

/// Whether a material names an image.
fn is_image_used(document: &Document, image: ImageId) -> bool {
    let textures = |m: &Material| {
        let list = [
            &m.base_color_texture,
            &m.metallic_roughness_texture,
            &m.normal_texture,
            &m.occlusion_texture,
        ];
        list.into_iter().chain([&m.emissive_texture]).flatten().any(|t| t.image == image)
    };
    document.materials.iter().any(textures)
}

/// Whether a node can be put under an id.
fn node_fits(document: &Document, id: NodeId, to: &Node) -> Result<(), EditError> {
    let finite = to.pose.is_none_or(|p| p.is_finite())
        && to.rest.is_finite()
        && to.morph_weights.as_ref().is_none_or(|w| w.iter().all(|v| v.is_finite()));
    let sound = id.index() <= document.nodes.len()
        && finite
        && (to.mesh.is_some() || to.instances.is_none())
        && to.mesh.is_none_or(|m| document.meshes.contains(m))
        && to.skin.is_none_or(|s| document.skins.contains(s))
        && to.camera.is_none_or(|c| c.index() < document.cameras.len())
        && to.light.is_none_or(|l| l.index() < document.lights.len());
    sound.then_some(()).ok_or(EditError::Unsound { what: "node", id: id.0 })?;
    let targets = to.mesh.map_or(0, |m| document.mesh(m).target_count());
    let before =
        document.nodes.get(id).filter(|b| b.mesh == to.mesh && b.morph_weights == to.morph_weights);
    let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
    // What moved the targets of another mesh has none to move.
    let moves =
        |t: &Shared<Track>| t.target == id && t.property == Property::Weights && t.width != targets;
    if before.is_none()
        && (to.morph_weights.as_ref().is_some_and(|w| w.len() != targets) || tracks.any(moves))
    {
        return Err(EditError::Morphs { node: id.0, targets });
    }
    let Some(parent) = to.parent else { return Ok(()) };
    if !document.nodes.contains(parent) {
        return Err(EditError::NoNode(parent.0));
    }
    let below = parent == id || (document.nodes.contains(id) && document.is_above(id, parent));
    if below { Err(EditError::Cycle(id.0)) } else { Ok(()) }
}

/// Whether a node can be taken away: it was added last, and nothing names it.
fn node_is_free(document: &Document, id: NodeId) -> Result<(), EditError> {
    let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
    let named = !document.children(id).is_empty()
        || document.skins.values().any(|s| s.joints.contains(&id))
        || document.scenes.values().any(|s| s.roots.contains(&id))
        || tracks.any(|t| t.target == id)
        || document.aids.unkeyed.values().any(|p| p.nodes().any(|n| n == id))
        || document.aids.pins.contains_key(&id)
        || document.aids.mix.as_ref().is_some_and(|m| m.nodes().any(|n| *n == id))
        || document.scenes.values().any(|s| s.sets.iter().any(|s| s.nodes.contains(&id)))
        || document.aids.mirror_pairs.iter().any(|(a, b)| *a == id || *b == Some(id));
    let free = is_last(&document.nodes, id) && !named;
    free.then_some(()).ok_or(EditError::Needed { what: "node", id: id.0 })
}

/// Changes an unkeyed pose; one that comes to nothing goes, and one that is not there comes to be
/// where `wanted`.
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

/// Whether a map can be a primitive's, whatever its vertices.
fn is_valid(map: &WeightMap) -> bool {
    map.sets > 0
        && map.joints.len() == map.weights.len()
        && map.joints.len().is_multiple_of(map.stride())
        && map.weights.iter().all(|w| w.is_finite())
}

/// The weights of a primitive, to be changed: where there are some, and they fit.
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

/// Weights must be numbers, one a target.
fn morphs_of(document: &Document, node: NodeId, to: Option<&[f32]>) -> Result<(), EditError> {
    let Some(to) = to else { return Ok(()) };
    let targets = document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count());
    // A file may give another number of weights than there are targets; undo must be able to bring
    // that back.
    let as_before = document.node(node).morph_weights.as_ref().is_some_and(|w| w.len() == to.len());
    match (to.len() == targets || as_before || targets == 0, to.iter().all(|w| w.is_finite())) {
        (true, true) => Ok(()),
        (_, false) => Err(EditError::NotFinite(node.0)),
        (false, _) => Err(EditError::Morphs { node: node.0, targets }),
    }
}

impl Edit {
    /// The pose of one node.
    pub fn pose(node: NodeId, to: Option<NodePose>) -> Self {
        Self::SetPoses(vec![(node, to)])
    }

    /// Whether two edits write the same slot, and so one after the other leaves what the later one
    /// says.
    pub fn is_same_slot(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::SetPoses(a), Self::SetPoses(b)) => {
                a.iter().map(|p| p.0).eq(b.iter().map(|p| p.0))
            }
            (Self::SetMorphs { node: a, .. }, Self::SetMorphs { node: b, .. })
            | (Self::SetNode { node: a, .. }, Self::SetNode { node: b, .. })
            | (Self::SetPin { node: a, .. }, Self::SetPin { node: b, .. })
            | (Self::SetHidden { node: a, .. }, Self::SetHidden { node: b, .. })
            | (Self::SetNodeName { node: a, .. }, Self::SetNodeName { node: b, .. }) => a == b,
            (Self::SetUnkeyed { at: a, node: x, .. }, Self::SetUnkeyed { at: b, node: y, .. })
            | (
                Self::SetUnkeyedMorphs { at: a, node: x, .. },
                Self::SetUnkeyedMorphs { at: b, node: y, .. },
            ) => (a, x) == (b, y),
            (
                Self::SetTrack { clip: a, track: x, .. },
                Self::SetTrack { clip: b, track: y, .. },
            ) => (a, x) == (b, y),
            (Self::SetClip { clip: a, .. }, Self::SetClip { clip: b, .. }) => a == b,
            (
                Self::SetWeights { mesh: a, primitive: x, .. },
                Self::SetWeights { mesh: b, primitive: y, .. },
            )
            | (
                Self::BindWeights { mesh: a, primitive: x, .. },
                Self::BindWeights { mesh: b, primitive: y, .. },
            )
            | (
                Self::SetShape { mesh: a, primitive: x, .. },
                Self::SetShape { mesh: b, primitive: y, .. },
            ) => (a, x) == (b, y),
            (Self::SetNormalMap { material: a, .. }, Self::SetNormalMap { material: b, .. }) => {
                a == b
            }
            (Self::SetLayers { skin: a, .. }, Self::SetLayers { skin: b, .. })
            | (Self::SetSkin { skin: a, .. }, Self::SetSkin { skin: b, .. }) => a == b,
            (Self::SetRoots { scene: a, .. }, Self::SetRoots { scene: b, .. }) => a == b,
            (Self::SetKeptPoses { scene: a, .. }, Self::SetKeptPoses { scene: b, .. })
            | (Self::SetNodeSets { scene: a, .. }, Self::SetNodeSets { scene: b, .. }) => a == b,
            (Self::SetKeptMix { scene: a, .. }, Self::SetKeptMix { scene: b, .. }) => a == b,
            (Self::SetPoseLayers { home: a, .. }, Self::SetPoseLayers { home: b, .. }) => a == b,
            (Self::SetMirrorPairs { .. }, Self::SetMirrorPairs { .. })
            | (Self::SetKeepsLayers { .. }, Self::SetKeepsLayers { .. })
            | (Self::SetMix { .. }, Self::SetMix { .. }) => true,
            _ => false,
        }
    }
}

impl Held for Edit {
    fn held(&self, parts: &mut Parts) {
        match self {
            Self::SetPoses(poses) => poses.held(parts),
            Self::SetMorphs { node: _, to } => to.held(parts),
            Self::SetUnkeyedMorphs { at: _, node: _, to } => to.held(parts),
            Self::SetNode { node: _, to } => to.held(parts),
            Self::SetSkin { skin: _, to } => to.held(parts),
            Self::SetRoots { scene: _, to } => to.held(parts),
            Self::SetNodeName { node: _, to } => to.held(parts),
            Self::SetTrack { clip: _, track: _, to } => to.held(parts),
            Self::SetClip { clip: _, to } => to.held(parts),
            Self::PatchWeights { mesh: _, primitive: _, patch } => patch.held(parts),
            Self::SetWeights { mesh: _, primitive: _, to } => to.held(parts),
            Self::BindWeights { mesh: _, primitive: _, to } => to.held(parts),
            Self::SetShape { mesh: _, primitive: _, to } => to.held(parts),
            Self::SetNormalMap { material: _, to } => to.held(parts),
            Self::AddImage { image: _, to } => to.held(parts),
            Self::SetPoseLayers { home: _, to } => to.held(parts),
            Self::SetLayers { skin: _, to } => to.held(parts),
            Self::SetKeptPoses { scene: _, to } => to.held(parts),
            Self::SetNodeSets { scene: _, to } => to.held(parts),
            Self::SetMix { to } => to.held(parts),
            Self::SetKeptMix { scene: _, to } => to.held(parts),
            Self::SetMirrorPairs { to } => to.held(parts),
            Self::SetUnkeyed { .. }
            | Self::SetKeepsLayers { .. }
            | Self::SetPin { .. }
            | Self::SetHidden { .. } => {}
        }
    }
}
