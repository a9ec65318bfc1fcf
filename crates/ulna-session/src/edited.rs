//! Differences between the document and the file as opened, one row per element, and the edits that
//! revert each of them. The rows do not depend on the history. Two edits of one clip give one row,
//! and a change that was reversed by hand gives none.

use std::collections::BTreeSet;

use super::vrm_pose::{carriers, posed_bones};
use ulna_edit::{CommandError, Edit, Outcome};
use ulna_model::{
    ClipId, Document, LayerHome, MeshId, NodeId, Notice, PoseLayer, PoseLayerId, PrimitiveId,
    Shared,
};

/// Kind and id of an element that differs from the file as opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditedThing {
    /// A pose layer of a clip, or of the pose.
    Layer(LayerHome, PoseLayerId),
    /// A clip. Its keys or name differ, or it was added or removed.
    Clip(ClipId),
    /// A node. Its pose, name or morph weights differ.
    Node(NodeId),
    /// The weights of a mesh.
    Weights(MeshId),
}

/// One row: an element and how it differs from the file as opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The element that differs.
    pub thing: EditedThing,
    /// Kind and name of the element, such as “Layer Arms out”.
    pub title: String,
    /// Description of the differences, as text for the user.
    pub facts: String,
    /// Nodes that the difference affects.
    pub nodes: Vec<NodeId>,
    /// Clip that makes the difference visible; `None` if it is visible without a clip.
    pub clip: Option<ClipId>,
}

fn count(n: usize, one: &str) -> String {
    let many = |word: &str| match word.strip_suffix("ex") {
        Some(stem) => format!("{stem}ices"),
        None => format!("{word}s"),
    };
    if n == 1 { format!("1 {one}") } else { format!("{n} {}", many(one)) }
}

/// Returns all differences, in the order: layers, clips, nodes, weights.
pub fn edited(opened: &Document, now: &Document) -> Vec<Edited> {
    [layers(opened, now), clips(opened, now), nodes(opened, now), weights(opened, now)].concat()
}

/// Returns a pose layer as it was when the file was opened.
fn as_opened(opened: &Document, home: LayerHome, id: PoseLayerId) -> Option<&Shared<PoseLayer>> {
    opened.aids.pose_layers.get(&home)?.get(id)
}

fn layers(opened: &Document, now: &Document) -> Vec<Edited> {
    let mut all = Vec::new();
    let bones = carriers(now);
    let mut row = |home: LayerHome, layer: &PoseLayer, gone: bool| {
        let of = match home {
            LayerHome::Pose => "Pose".to_owned(),
            LayerHome::Clip(id) => now.clip_label(id),
        };
        let nodes = layer.nodes();
        let facts = match gone {
            true => format!("{of} · removed"),
            false => {
                let off = if layer.muted {
                    "off".to_owned()
                } else {
                    format!("{:.0} %", layer.strength * 100.0)
                };
                let keyed = if layer.is_keyed() { " · keyed" } else { "" };
                let is_t_pose = home == LayerHome::Pose
                    && !layer.muted
                    && nodes.iter().any(|n| bones.contains(n));
                let t_pose = if is_t_pose { " · changes the VRM's T-pose" } else { "" };
                format!("{of} · {} · {off}{keyed}{t_pose}", count(nodes.len(), "joint"))
            }
        };
        let thing = EditedThing::Layer(home, layer.id);
        all.push(Edited { thing, title: layer.name.to_string(), facts, nodes, clip: home.clip() });
    };
    for (home, layers) in &now.aids.pose_layers {
        for layer in layers.iter() {
            if as_opened(opened, *home, layer.id).is_none_or(|was| **was != *layer) {
                row(*home, layer, false);
            }
        }
    }
    for (home, layers) in &opened.aids.pose_layers {
        for layer in layers.iter().filter(|l| as_opened(now, *home, l.id).is_none()) {
            row(*home, layer, true);
        }
    }
    all
}

fn clips(opened: &Document, now: &Document) -> Vec<Edited> {
    let mut all = Vec::new();
    let ids: BTreeSet<ClipId> = opened.clips.ids().chain(now.clips.ids()).collect();
    for id in ids {
        let (was, is) = (opened.clips.get(id), now.clips.get(id));
        let (title, facts, nodes) = match (was, is) {
            (Some(was), Some(is)) if Shared::ptr_eq(was, is) || was == is => continue,
            (Some(was), Some(is)) => {
                let mut nodes = BTreeSet::new();
                let mut tracks = 0;
                let ids: BTreeSet<_> = was.tracks.keys().chain(is.tracks.keys()).collect();
                for track in ids {
                    let (a, b) = (was.tracks.get(track), is.tracks.get(track));
                    if a != b {
                        tracks += 1;
                        nodes.extend(a.or(b).map(|t| t.target));
                    }
                }
                let mut facts = Vec::new();
                if was.name != is.name {
                    facts.push(format!("renamed from “{}”", opened.clip_label(id)));
                }
                if tracks > 0 {
                    let more = is.key_count() as i64 - was.key_count() as i64;
                    let keys = match more {
                        0 => String::new(),
                        n => format!(", {n:+} keys").replace('-', "−"),
                    };
                    facts.push(format!("{}{keys}", count(tracks, "track")));
                }
                if was.markers != is.markers {
                    facts.push("markers".into());
                }
                if was.contacts != is.contacts {
                    facts.push("contacts".into());
                }
                if facts.is_empty() {
                    facts.push("playback settings".into());
                }
                (
                    format!("Clip {}", now.clip_label(id)),
                    facts.join(" · "),
                    nodes.into_iter().collect(),
                )
            }
            (None, Some(is)) => (
                format!("Clip {}", now.clip_label(id)),
                format!("new · {}", count(is.key_count(), "key")),
                Vec::new(),
            ),
            (Some(was), None) => {
                let facts = format!("removed · {}", count(was.key_count(), "key"));
                (format!("Clip {}", opened.clip_label(id)), facts, Vec::new())
            }
            (None, None) => continue,
        };
        all.push(Edited {
            thing: EditedThing::Clip(id),
            title,
            facts,
            nodes,
            clip: is.map(|_| id),
        });
    }
    all
}

fn nodes(opened: &Document, now: &Document) -> Vec<Edited> {
    let mut all = Vec::new();
    let bones = posed_bones(now);
    for (id, node) in now.nodes.iter() {
        let Some(was) = opened.nodes.get(id) else { continue };
        let mut facts = Vec::new();
        if was.name != node.name {
            facts.push(format!("renamed from “{}”", was.label(id)));
        }
        if was.pose != node.pose {
            // Other programs treat this pose as the T-pose.
            facts.push(
                if bones.contains(&id) { "posed: changes the VRM's T-pose" } else { "posed" }
                    .to_owned(),
            );
        }
        if was.hidden != node.hidden {
            facts.push(if node.hidden { "hidden" } else { "visible" }.to_owned());
        }
        if was.locks != node.locks {
            facts.push("channel locks".to_owned());
        }
        if was.morph_weights != node.morph_weights {
            facts.push("morph weights".to_owned());
        }
        if !facts.is_empty() {
            let (title, facts) = (node.label(id), facts.join(" · "));
            all.push(Edited {
                thing: EditedThing::Node(id),
                title,
                facts,
                nodes: vec![id],
                clip: None,
            });
        }
    }
    all
}

fn weights(opened: &Document, now: &Document) -> Vec<Edited> {
    let mut all = Vec::new();
    for (id, mesh) in now.meshes.iter() {
        let Some(was) = opened.meshes.get(id).filter(|w| !Shared::ptr_eq(w, mesh)) else {
            continue;
        };
        let mut vertices = 0;
        for (a, b) in was.primitives.iter().zip(&mesh.primitives) {
            vertices += match (&a.weights, &b.weights) {
                (Some(a), Some(b)) if a == b => 0,
                (Some(a), Some(b)) if a.sets == b.sets => {
                    let size = (a.weights.len() / a.vertex_count().max(1)).max(1);
                    let weights = a.weights.chunks(size).zip(b.weights.chunks(size));
                    let joints = a.joints.chunks(size).zip(b.joints.chunks(size));
                    weights.zip(joints).filter(|((a, b), (i, j))| a != b || i != j).count()
                }
                (None, None) => 0,
                (_, b) => b.as_ref().map_or(a.positions.len(), |w| w.vertex_count()),
            };
        }
        if vertices > 0 {
            let title = format!("Weights of {}", mesh.name.as_deref().unwrap_or("a mesh"));
            let nodes =
                now.nodes.iter().filter(|(_, n)| n.mesh == Some(id)).map(|(n, _)| n).collect();
            let facts = count(vertices, "vertex");
            all.push(Edited { thing: EditedThing::Weights(id), title, facts, nodes, clip: None });
        }
    }
    all
}

/// Returns the edits that revert an element to the file as opened. Data that depends on the element
/// is reverted, too.
///
/// # Errors
/// The element cannot be reverted on its own.
pub(super) fn reverted(
    opened: &Document,
    now: &Document,
    thing: EditedThing,
) -> Result<Outcome, CommandError> {
    match thing {
        EditedThing::Layer(home, id) => Ok(reverted_layer(opened, now, home, id)),
        EditedThing::Clip(id) => Ok(reverted_clip(opened, now, id)),
        EditedThing::Node(id) => Ok(reverted_node(opened, now, id)),
        EditedThing::Weights(id) => reverted_weights(opened, now, id),
    }
}

/// Returns the edit that reverts a pose layer.
fn reverted_layer(opened: &Document, now: &Document, home: LayerHome, id: PoseLayerId) -> Outcome {
    let mut layers = (*now.aids.layers(home)).clone();
    let at = layers.position(id);
    match (as_opened(opened, home, id), at) {
        (Some(was), Some(at)) => layers.0[at] = was.clone(),
        (Some(was), None) => layers.0.push(was.clone()),
        (None, Some(at)) => {
            layers.0.remove(at);
        }
        (None, None) => return Outcome::default(),
    }
    let to = (!layers.is_empty()).then(|| Shared::new(layers));
    Outcome::from(vec![Edit::SetPoseLayers { home, to }])
}

/// Returns the edits that revert a clip. If the clip is new, it is removed together with the data
/// that depends on it.
fn reverted_clip(opened: &Document, now: &Document, id: ClipId) -> Outcome {
    let mut edits = Vec::new();
    let mut notes = Vec::new();
    let was = opened.clips.get(id).cloned();
    if was.is_none() {
        // Data that depends on the clip is removed, too.
        let unkeyed: Vec<_> = now.aids.unkeyed.iter().filter(|(at, _)| at.clip == id).collect();
        for (at, pose) in &unkeyed {
            edits.extend(pose.locals.keys().map(|node| Edit::SetUnkeyed {
                at: **at,
                node: *node,
                to: None,
            }));
            edits.extend(pose.morphs.keys().map(|node| Edit::SetUnkeyedMorphs {
                at: **at,
                node: *node,
                to: None,
            }));
        }
        let home = LayerHome::Clip(id);
        if let Some(layers) = now.aids.pose_layers.get(&home) {
            notes.push(Notice::new(
                "layers_removed",
                format!("{} removed with it", count(layers.0.len(), "layer")),
            ));
            edits.push(Edit::SetPoseLayers { home, to: None });
        }
        if !unkeyed.is_empty() {
            let poses = count(unkeyed.len(), "unkeyed pose");
            notes.push(Notice::new("unkeyed_poses_removed", format!("{poses} removed with it")));
        }
        let bars = now.aids.mix.iter().flat_map(|m| &m.lanes).flat_map(|l| &l.bars);
        let bars = bars.filter(|b| b.clips().any(|c| *c == id)).count();
        if bars > 0 {
            notes.push(Notice::new(
                "mix_bars_silent",
                format!("{} of the mix left without a clip", count(bars, "bar")),
            ));
        }
    } else if now.aids.pose_layers.contains_key(&LayerHome::Clip(id)) {
        notes.push(Notice::new("layers_stay", "its layers now apply to the reverted keys"));
    }
    edits.push(Edit::SetClip { clip: id, to: was });
    Outcome { edits, notes, ..Outcome::default() }
}

/// Returns the edits that revert the pose, name, visibility, morph weights and channel locks of a
/// node.
fn reverted_node(opened: &Document, now: &Document, id: NodeId) -> Outcome {
    let mut edits = Vec::new();
    let (Some(was), Some(is)) = (opened.nodes.get(id), now.nodes.get(id)) else {
        return Outcome::default();
    };
    if was.locks != is.locks {
        edits.push(Edit::node(id, ulna_model::Node { locks: was.locks, ..is.clone() }));
    }
    if was.pose != is.pose {
        edits.push(Edit::SetPoses(vec![(id, was.pose)]));
    }
    if was.name != is.name {
        edits.push(Edit::SetNodeName { node: id, to: was.name.clone() });
    }
    if was.hidden != is.hidden {
        edits.push(Edit::SetHidden { node: id, to: was.hidden });
    }
    if was.morph_weights != is.morph_weights {
        edits.push(Edit::SetMorphs { node: id, to: was.morph_weights.clone() });
    }
    Outcome::from(edits)
}

/// Returns the edits that revert the weights of a mesh.
///
/// # Errors
/// The weights are covered by weight layers.
fn reverted_weights(
    opened: &Document,
    now: &Document,
    id: MeshId,
) -> Result<Outcome, CommandError> {
    let mut edits = Vec::new();
    let (Some(was), Some(is)) = (opened.meshes.get(id), now.meshes.get(id)) else {
        return Ok(Outcome::default());
    };
    for (k, (a, b)) in was.primitives.iter().zip(&is.primitives).enumerate() {
        let primitive = PrimitiveId::from(k);
        if now.layered(id, primitive).is_some() {
            return Err(CommandError::other(
                "weights_under_layers",
                "this mesh has weight layers, so its weights cannot be reverted; remove or \
                    flatten the layers first",
            ));
        }
        if a.weights != b.weights {
            edits.push(Edit::BindWeights { mesh: id, primitive, to: a.weights.clone() });
        }
    }
    Ok(Outcome::from(edits))
}
