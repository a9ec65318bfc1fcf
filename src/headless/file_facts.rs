//! Contents of a file as a JSON object.

use std::path::Path;

use serde_json::{Value, json};

use ulna_model::{Document, JointGroup, LightKind, NodeId, Projection};
use ulna_session::{Session, UpAxis};

/// Contents of a file, as `ulna info --json` prints them.
pub(super) fn facts(session: &Session, path: &Path) -> Value {
    let document = session.document();
    let instances: usize =
        document.nodes.values().filter_map(|n| n.instances.as_ref()).map(|i| i.len()).sum();
    let posed = document.nodes.values().filter(|n| n.pose.is_some()).count();
    json!({
        "file": path.display().to_string(),
        "container": if session.source().container.is_glb() { "glb" } else { "gltf" },
        "bytes": session.source().bytes.len(),
        "generator": session.generator,
        "nodes": document.nodes.count(),
        "joints": document.joint_flags().iter().filter(|j| **j).count(),
        "posed_nodes": posed,
        "hidden_nodes": hidden_facts(document),
        "scenes": scene_facts(document),
        "variants": &*document.variants,
        "cameras": camera_facts(document),
        "lights": light_facts(document),
        "instances": instances,
        "vrm": vrm_facts(document),
        "humanoid": humanoid_facts(document),
        "joint_groups": group_facts(document),
        "vertices": document.shown_vertex_count(),
        "materials": document.materials.count(),
        "images": document.images.len(),
        "meshes": mesh_facts(document),
        "skins": skin_facts(document),
        "clips": clip_facts(document),
        "extensions": session.extensions_used,
        "imported": import_facts(session),
        // Findings of all rules, as `ulna check` counts them.
        "findings": session.all_findings(),
    })
}

/// The file of another format that this file was converted from; null if there is none.
fn import_facts(session: &Session) -> Value {
    let Some(imported) = session.imported() else { return Value::Null };
    let found = &imported.found;
    let clips: Vec<Value> = found
        .clips
        .iter()
        .map(|c| json!({"name": c.name, "seconds": c.seconds, "keys": c.keys, "moves": c.moves}))
        .collect();
    let differences: Vec<Value> = found
        .differences
        .iter()
        .map(|d| json!({"code": d.code, "lost": d.is_loss, "text": d.text, "detail": d.detail}))
        .collect();
    json!({
        "format": imported.format,
        "made_by": found.made_by,
        "up": found.up.map(UpAxis::label),
        "front": found.front.map(|f| f.label().replace('−', "-")),
        "unit": found.unit,
        "states_unit": found.states_unit,
        "rate": found.rate,
        "clips": clips,
        "blend_shapes": found.blend_shapes,
        "materials": found.materials,
        "textures": found.textures,
        "missing_textures": found.missing_textures,
        "cameras_and_lights": found.cameras_and_lights,
        "differences": differences,
    })
}

/// JSON summaries of the clips.
fn clip_facts(document: &Document) -> Vec<Value> {
    document
        .clips
        .iter()
        .map(|(id, clip)| {
            let guess = clip.guess_fps();
            // Keys for the visibility of nodes are also played.
            let shows = || clip.pointers.iter().filter(|p| p.visibility.is_some());
            json!({
                "index": id.0,
                "name": clip.name.as_deref(),
                "length": clip.length(),
                "channels": clip.played().count() + shows().count(),
                "pointers": clip.pointers.len(),
                "channels_in_file": clip.channels_in_file,
                "keys": clip.played().map(|t| t.times.len()).chain(shows().map(|p| p.times.len()))
                    .sum::<usize>(),
                "fps": guess.map(|g| (g.0 * 1000.0).round() / 1000.0),
                "fps_share": guess.map(|g| g.1),
                "fps_kept": clip.rate.is_some(),
            })
        })
        .collect()
}

/// JSON summaries of the skins, with their joints.
fn skin_facts(document: &Document) -> Vec<Value> {
    document
        .skins
        .iter()
        .map(|(k, s)| {
            let joint =
                |n: &NodeId| json!({"index": n.0, "name": document.node(*n).name.as_deref()});
            json!({
                "index": k,
                "name": s.name.as_deref(),
                "joints": s.joints.len(),
                "joint_names": s.joints.iter().map(joint).collect::<Vec<_>>(),
                "inverse_bind_matrices": s.has_inverse_bind,
            })
        })
        .collect()
}

/// JSON summaries of the meshes.
fn mesh_facts(document: &Document) -> Vec<Value> {
    document
        .meshes
        .iter()
        .map(|(k, m)| {
            json!({
                "index": k,
                "name": m.name.as_deref(),
                "primitives": m.primitives.len(),
                "vertices": m.vertex_count(),
                "triangles": m.primitives.iter().map(|p| p.indices.len() / 3).sum::<usize>(),
                "morph_targets": m.target_count(),
                "influences": m.primitives.iter().filter_map(|p| p.weights.as_ref())
                    .map(|w| w.stride()).max().unwrap_or(0),
            })
        })
        .collect()
}

/// Scenes, with the shown one marked.
fn scene_facts(document: &Document) -> Vec<Value> {
    document
        .scenes
        .iter()
        .map(|(k, s)| {
            json!({"index": k, "name": s.name.as_deref(), "roots": s.roots.len(),
                "shown": document.shown_scene() == Some(k)})
        })
        .collect()
}

/// Names and types of the cameras.
fn camera_facts(document: &Document) -> Vec<Value> {
    document
        .cameras
        .iter()
        .map(|c| {
            let kind = match c.projection {
                Projection::Perspective { .. } => "perspective",
                Projection::Orthographic { .. } => "orthographic",
            };
            json!({"name": c.name.as_deref(), "type": kind})
        })
        .collect()
}

/// Names, types and intensities of the lights.
fn light_facts(document: &Document) -> Vec<Value> {
    document
        .lights
        .iter()
        .map(|l| {
            let kind = match l.kind {
                LightKind::Directional => "directional",
                LightKind::Point => "point",
                LightKind::Spot { .. } => "spot",
            };
            json!({"name": l.name.as_deref(), "type": kind, "intensity": l.intensity})
        })
        .collect()
}

/// Indices and names of the hidden nodes.
fn hidden_facts(document: &Document) -> Vec<Value> {
    document
        .node_ids()
        .filter(|id| document.node(*id).hidden)
        .map(|id| json!({"index": id.0, "name": document.node(id).name.as_deref()}))
        .collect()
}

/// The node of each humanoid bone, by the bone names of VRM 1.0; `None` if the file has no humanoid
/// map.
fn humanoid_facts(document: &Document) -> Option<Value> {
    document.humanoid()?;
    let map = ulna_motion::humanoid_map(document);
    let bones: serde_json::Map<_, _> =
        map.iter().map(|(role, node)| ((*role).to_owned(), node.0.into())).collect();
    Some(json!({"bones": bones, "missing": ulna_motion::missing_bones(&map)}))
}

/// JSON summaries of the joint groups.
fn group_facts(document: &Document) -> Vec<Value> {
    let groups = document.joint_groups().iter();
    let fact = |g: &JointGroup| {
        json!({
            "name": g.name,
            "color": g.color,
            "joints": g.nodes.iter().map(|n| n.0).collect::<Vec<_>>(),
            "hidden": g.hidden,
            "locked": g.locked,
            "solo": g.solo,
        })
    };
    groups.map(fact).collect()
}

/// Data of the VRM avatar; `None` if the file is not an avatar.
fn vrm_facts(document: &Document) -> Option<Value> {
    document.vrm.as_ref().map(|v| {
        json!({
            "version": v.version,
            "title": v.title,
            "authors": v.authors,
            "license": v.license,
            "springs": v.springs,
            "bones": v.bones.iter().map(|(role, node)| (role.to_string(), node.0.into()))
                .collect::<serde_json::Map<_, _>>(),
        })
    })
}
