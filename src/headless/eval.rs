//! `ulna eval`: prints a pose as numbers, for scripts.

use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use super::{
    arguments::{Device, EvalArgs},
    inputs::{between, clip_named, mix_named, open},
    outputs::one_name,
    report::{Failure, members, object, print},
};
use ulna_model::{ClipId, Document, NodeId, Notice, PrimitiveId};
use ulna_motion::{Evaluator, Mixer, Placement, Pose, Posed, Stack, skinning};
use ulna_session::{SystemDisk, write_atomically};

pub(super) fn eval(args: &EvalArgs) -> Result<u8, Failure> {
    if let Some(output) = &args.output {
        one_name(output)?;
    }
    let session = open(&args.file)?;
    let document = session.document();
    let clip = match (&args.clip, &args.moment.mix) {
        (Some(text), _) => clip_named(document, text)?,
        (None, Some(_)) => None,
        (None, None) => document.clips.ids().next(),
    };
    let stack = match &args.moment.mix {
        Some(spec) => {
            Mixer::default().stack(document, &mix_named(document, spec)?, args.moment.time)
        }
        None => Stack::shown(document, clip, args.moment.time),
    };
    let stack = stack.going(between(args.moment.nlerp));
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    evaluator.update(document, &stack, &mut pose);
    let unscaled_nodes = |node: &NodeId| {
        let label = document.node(*node).label(*node);
        Notice::new(
            "scale_not_additive",
            format!("an additive lane could not scale {label}; its scale is unchanged"),
        )
    };
    let notes: Vec<Notice> = evaluator.unscaled_nodes().iter().map(unscaled_nodes).collect();
    let surfaces = match args.device {
        Device::Cpu => cpu_surfaces(document, &pose),
        Device::Gpu => gpu_surfaces(document, &pose)?,
    };
    let facts = facts(document, &pose, clip, (args, &notes), &surfaces);
    match &args.output {
        Some(path) => {
            write_atomically(&SystemDisk, path, facts.to_string().as_bytes()).map_err(|e| {
                Failure::fault(
                    "output_not_writable",
                    format!("{} could not be written: {e}", path.display()),
                )
            })?
        }
        None => print(&facts.to_string())?,
    }
    Ok(0)
}

/// A posed primitive of a node, in scene space.
struct Evaluated {
    node: usize,
    primitive: PrimitiveId,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

fn cpu_surfaces(document: &Document, pose: &Pose) -> Vec<Evaluated> {
    let mut list = Vec::new();
    for id in document.shown_nodes() {
        let Some(mesh) = document.node(id).mesh else { continue };
        for (k, primitive) in document.mesh(mesh).entries() {
            let mut posed = Posed::default();
            let placement = Placement::of(document, pose, id, primitive);
            skinning::skin(
                primitive,
                &skinning::base_normals(primitive),
                &pose.morphs[id.index()],
                &placement,
                &mut posed,
            );
            list.push(Evaluated {
                node: id.index(),
                primitive: k,
                positions: posed.positions,
                normals: posed.normals,
            });
        }
    }
    list
}

#[cfg(feature = "render")]
fn gpu_surfaces(document: &Document, pose: &Pose) -> Result<Vec<Evaluated>, Failure> {
    let gpu = ulna_render::Gpu::headless().map_err(|e| Failure::fault(e.code(), e))?;
    let list =
        ulna_render::skin_on_gpu(&gpu, document, pose).map_err(|e| Failure::fault(e.code(), e))?;
    let convert =
        |(node, primitive, posed): (ulna_model::NodeId, ulna_model::PrimitiveId, Posed)| {
            Evaluated {
                node: node.index(),
                primitive,
                positions: posed.positions,
                normals: posed.normals,
            }
        };
    Ok(list.into_iter().map(convert).collect())
}

#[cfg(not(feature = "render"))]
fn gpu_surfaces(_: &Document, _: &Pose) -> Result<Vec<Evaluated>, Failure> {
    Err(Failure::fault(
        "not_in_this_build",
        "this build of Ulna has no GPU support; use --device cpu, or build with the feature \
            “render”",
    ))
}

fn facts(
    document: &Document,
    pose: &Pose,
    clip: Option<ClipId>,
    (args, notes): (&EvalArgs, &[Notice]),
    surfaces: &[Evaluated],
) -> Value {
    let nodes: Vec<Value> = document
        .node_ids()
        .map(|id| {
            let t = pose.local[id.index()].transform();
            json!({
                "index": id.0,
                "name": document.node(id).name.as_deref(),
                "hidden": pose.hidden.contains(&id),
                "translation": t.translation.to_array(),
                "rotation": t.rotation.to_array(),
                "scale": t.scale.to_array(),
                "world_rows": rows(&pose.world[id.index()]),
            })
        })
        .collect();
    let skins: Vec<Value> = (0..document.skins.len())
        .map(|s| pose.palette(document, s.into()).iter().map(rows).collect::<Vec<_>>().into())
        .collect();
    let meshes: Vec<Value> = surfaces
        .iter()
        .map(|s| {
            let list = |v: &[Vec3]| v.iter().map(|p| json!(p.to_array())).collect::<Vec<_>>();
            json!({"node": s.node, "primitive": s.primitive, "positions": list(&s.positions),
                "normals": list(&s.normals)})
        })
        .collect();
    let facts = json!({
        "scene": document.shown_scene(),
        "clip": clip.map(|c| c.0),
        "time": args.moment.time,
        "device": if args.device == Device::Gpu { "gpu" } else { "cpu" },
        "notes": notes,
        "nodes": nodes,
        "skins": skins,
        "meshes": meshes,
    });
    object("eval", members(facts))
}

fn rows(m: &Mat4) -> Value {
    json!(m.transpose().to_cols_array_2d())
}
