//! `ulna info`: what is in a file.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{
    Failure, Out,
    convert::failed,
    many::files_of,
    open, print,
    report::{members, of_files},
};
use ulna_model::{LightKind, NodeId, Projection};
use ulna_session::Session;

pub(super) fn info(paths: &[PathBuf], as_json: bool) -> Result<u8, Failure> {
    let is_single = matches!(paths, [one] if !one.is_dir());
    let (mut entries, mut status) = (Vec::new(), 0);
    for (k, file) in files_of(paths)?.iter().enumerate() {
        match open(file) {
            Ok(session) => {
                let mut facts = facts(&session, file);
                if !as_json {
                    let gap = if k == 0 { "" } else { "\n" };
                    print(&format!("{gap}{}", words(&facts)))?;
                    continue;
                }
                if is_single {
                    // What `findings` was called before.
                    facts["diagnostics"] = facts["findings"].clone();
                }
                entries.push(members(facts));
            }
            Err(failure) if is_single => return Err(failure),
            Err(failure) => {
                status = status.max(failure.status);
                entries.push(failed(file, &failure, Out { json: as_json, quiet: false }));
            }
        }
    }
    if as_json {
        print(&of_files("info", entries, is_single, Map::new()).to_string())?;
    }
    Ok(status)
}

/// Graphics devices; status 1 where there is none.
#[cfg(feature = "render")]
pub(super) fn devices(as_json: bool) -> Result<u8, Failure> {
    let list = ulna_render::devices(&ulna_render::DeviceChoice::default());
    if as_json {
        let facts = members(json!({ "devices": list }));
        print(&super::report::object("info", facts).to_string())?;
        return Ok(u8::from(list.is_empty()));
    }
    let mut out = String::new();
    if list.is_empty() {
        out.push_str(
            "no graphics device was found. Install a Vulkan or OpenGL driver, such as Mesa's \
                software driver\n",
        );
    }
    for device in &list {
        let used = if device.used { ", in use" } else { "" };
        out.push_str(&format!(
            "{} by {}: {}{used}\n",
            device.name,
            device.backend,
            device.kind.label()
        ));
        if !device.driver.is_empty() {
            out.push_str(&format!("  driver: {}\n", device.driver));
        }
        let (megabytes, side) = (device.largest_buffer >> 20, device.largest_texture);
        out.push_str(&format!(
            "  buffers up to {megabytes} MiB, textures up to {side} pixels a side\n"
        ));
        if let Some(why) = &device.unusable {
            out.push_str(&format!("  Not used: {why}\n"));
            continue;
        }
        for instead in &device.instead {
            out.push_str(&format!("  {instead}\n"));
        }
    }
    print(out.trim_end())?;
    Ok(u8::from(list.is_empty()))
}

/// This build knows of no graphics devices.
#[cfg(not(feature = "render"))]
pub(super) fn devices(_: bool) -> Result<u8, Failure> {
    Err(Failure::unusable(
        "not_in_this_build",
        "this build of Ulna has no GPU support; build with the feature “render”",
    ))
}

fn facts(session: &Session, path: &Path) -> Value {
    let document = session.document();
    let clips: Vec<Value> = document
        .clips
        .iter()
        .map(|(id, clip)| {
            let guess = clip.guess_fps();
            // Keys that show and hide nodes play as well.
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
        .collect();
    let skins: Vec<Value> = document
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
        .collect();
    let meshes: Vec<Value> = document
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
        .collect();
    let scenes: Vec<Value> = document
        .scenes
        .iter()
        .map(|(k, s)| {
            json!({"index": k, "name": s.name.as_deref(), "roots": s.roots.len(),
                "shown": document.shown_scene() == Some(k)})
        })
        .collect();
    let cameras: Vec<Value> = document
        .cameras
        .iter()
        .map(|c| {
            let kind = match c.projection {
                Projection::Perspective { .. } => "perspective",
                Projection::Orthographic { .. } => "orthographic",
            };
            json!({"name": c.name.as_deref(), "type": kind})
        })
        .collect();
    let lights: Vec<Value> = document
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
        .collect();
    let instances: usize =
        document.nodes.values().filter_map(|n| n.instances.as_ref()).map(|i| i.len()).sum();
    let hidden: Vec<Value> = document
        .node_ids()
        .filter(|id| document.node(*id).hidden)
        .map(|id| json!({"index": id.0, "name": document.node(id).name.as_deref()}))
        .collect();
    let posed = document.nodes.values().filter(|n| n.pose.is_some()).count();
    json!({
        "file": path.display().to_string(),
        "container": if session.source().container.is_glb() { "glb" } else { "gltf" },
        "bytes": session.source().bytes.len(),
        "generator": session.generator,
        "nodes": document.nodes.len(),
        "joints": document.joint_flags().iter().filter(|j| **j).count(),
        "posed_nodes": posed,
        "hidden_nodes": hidden,
        "scenes": scenes,
        "variants": &*document.variants,
        "cameras": cameras,
        "lights": lights,
        "instances": instances,
        "vrm": document.vrm.as_ref().map(|v| json!({
            "version": v.version,
            "title": v.title,
            "authors": v.authors,
            "license": v.license,
            "springs": v.springs,
            "bones": v.bones.iter().map(|(role, node)| (role.to_string(), node.0.into()))
                .collect::<serde_json::Map<_, _>>(),
        })),
        "vertices": document.shown_vertex_count(),
        "materials": document.materials.len(),
        "images": document.images.len(),
        "meshes": meshes,
        "skins": skins,
        "clips": clips,
        "extensions": session.extensions_used,
        // By every rule, as “check” counts them.
        "findings": session.all_findings(),
    })
}

/// The names of a list's elements, or their numbers where they have none; the one that is shown
/// marked.
fn labels(list: &Value, what: &str) -> String {
    let label = |(k, element): (usize, &Value)| {
        let name = element["name"].as_str().or(element.as_str()).filter(|n| !n.is_empty());
        let name = name.map_or_else(|| format!("{what} {k}"), str::to_owned);
        if element["shown"] == true { format!("{name} (shown)") } else { name }
    };
    list.as_array().into_iter().flatten().enumerate().map(label).collect::<Vec<_>>().join(", ")
}

fn words(facts: &Value) -> String {
    let mut out = String::new();
    let number = |key: &str| facts[key].as_u64().unwrap_or(0);
    let count = |key: &str| facts[key].as_array().map_or(0, Vec::len);
    let mut line = |text: String| {
        // Writing to a String cannot fail.
        let _unfailing = writeln!(out, "{text}");
    };
    line(format!(
        "{} · {} · {} bytes",
        facts["file"].as_str().unwrap_or_default(),
        facts["container"].as_str().unwrap_or_default(),
        number("bytes")
    ));
    if let Some(generator) = facts["generator"].as_str() {
        line(format!("made by {generator}"));
    }
    line(format!(
        "{} nodes, {} joints, {} skins, {} meshes, {} visible vertices, {} materials, {} images, \
            {} scenes",
        number("nodes"),
        number("joints"),
        count("skins"),
        count("meshes"),
        number("vertices"),
        number("materials"),
        number("images"),
        count("scenes"),
    ));
    if number("posed_nodes") > 0 {
        line(format!("{} nodes are posed (differ from their rest pose)", number("posed_nodes")));
    }
    let hidden: Vec<String> = facts["hidden_nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|n| {
            n["name"]
                .as_str()
                .map_or_else(|| format!("node {}", n["index"]), |name| format!("“{name}”"))
        })
        .collect();
    if !hidden.is_empty() {
        line(format!("hidden, including children: {}", hidden.join(", ")));
    }
    if let Some(bones) = facts["vrm"]["bones"].as_object() {
        let vrm = &facts["vrm"];
        let said = |key: &str| vrm[key].as_str().unwrap_or("not given").to_owned();
        let authors: Vec<&str> =
            vrm["authors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let authors = if authors.is_empty() { "not given".to_owned() } else { authors.join(", ") };
        line(format!(
            "VRM {}: title {}, author {authors}, license {}",
            said("version"),
            said("title"),
            said("license")
        ));
        line(format!("{} humanoid bones, {} spring bones", bones.len(), vrm["springs"]));
    }
    if count("scenes") > 1 {
        line(format!("scenes: {}", labels(&facts["scenes"], "scene")));
    }
    if count("variants") > 0 {
        line(format!("material variants: {}", labels(&facts["variants"], "variant")));
    }
    if count("cameras") > 0 {
        line(format!("{} cameras: {}", count("cameras"), labels(&facts["cameras"], "camera")));
    }
    if count("lights") > 0 {
        line(format!("{} lights: {}", count("lights"), labels(&facts["lights"], "light")));
    }
    if number("instances") > 0 {
        line(format!("{} mesh instances", number("instances")));
    }
    for clip in facts["clips"].as_array().into_iter().flatten() {
        let name =
            clip["name"].as_str().map_or_else(|| format!("clip {}", clip["index"]), str::to_owned);
        let is_kept = clip["fps_kept"].as_bool() == Some(true);
        let fps = match (clip["fps"].as_f64(), clip["fps_share"].as_f64()) {
            (Some(fps), _) if is_kept => format!(", {fps} fps"),
            (Some(fps), Some(share)) => {
                format!(", {fps} fps (estimated: fits {:.0} % of keys)", share * 100.0)
            }
            _ => String::new(),
        };
        line(format!(
            "clip {name}: {:.3} s, {} channels, {} keys{fps}",
            clip["length"].as_f64().unwrap_or(0.0),
            clip["channels"],
            clip["keys"]
        ));
    }
    let extensions: Vec<&str> =
        facts["extensions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !extensions.is_empty() {
        line(format!("extensions: {}", extensions.join(", ")));
    }
    let problems = count("findings");
    line(format!("{problems} {} found", if problems == 1 { "problem" } else { "problems" }));
    out.trim_end().to_owned()
}
