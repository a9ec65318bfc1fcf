//! Tests that compare converted clips with the FBX library's own evaluation of the same file.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{fs, path::Path};

use glam::{DQuat, DVec3};
use ulna_model::{Local, NodeId};
use ulna_motion::{Pose, Stack};

use super::{
    Builder,
    load::load,
    math::{quat, vec3},
};
use crate::{
    gltf::{Progress, open_bytes},
    import::Conversion,
};

/// Number of times at which a clip is compared.
const TIMES: u32 = 1000;

/// Largest differences in one file, each with a description of where it occurs.
#[derive(Default)]
struct Worst {
    /// Rotation difference, in degrees.
    turn: (f64, String),
    /// Translation difference, as a fraction of the size of the model.
    shift: (f64, String),
    scale: (f64, String),
}

fn raise(worst: &mut (f64, String), by: f64, place: impl Fn() -> String) {
    if by > worst.0 {
        *worst = (by, place());
    }
}

#[test]
fn clips_play_as_ufbx_evaluates_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fbx");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: {} is missing", folder.display());
        return;
    };
    let (mut files, mut clips, mut short_ways) = (0, 0, 0);
    let (mut cubics, mut wrong) = ((0, 0), Vec::new());
    for entry in entries.flatten() {
        let path = entry.path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".fbx") || name.contains("_fail") {
            continue;
        }
        files += 1;
        let bytes = fs::read(&path).unwrap();
        let conversion = Conversion::default();
        let progress = Progress::default();
        let loaded = load(&bytes, &conversion, &progress).unwrap();
        let mut builder = Builder::of(&loaded, bytes.len(), Some(&path), &conversion);
        builder.build(&progress).unwrap();
        let nodes = builder.nodes.clone();
        cubics.0 += builder.findings.cubics.0;
        cubics.1 += builder.findings.cubics.1;
        let size = builder.findings.size;
        let converted = builder.finish().unwrap();
        let opened = open_bytes(converted.glb.into(), None, &progress).unwrap();
        let document = &opened.document;
        let mut worst = Worst::default();
        let mut all = document.clips.iter().map(|(_, clip)| clip).peekable();
        for stack in &loaded.scene.anim_stacks {
            // Takes without keys do not become clips.
            let Some(clip) =
                all.next_if(|c| c.name.as_deref().unwrap_or_default() == &*stack.element.name)
            else {
                continue;
            };
            clips += 1;
            let rate = loaded.scene.settings.frames_per_second;
            let (from, to) = (stack.time_begin, stack.time_end);
            let reach = |node: &ufbx::Node| {
                let at = |k: u32| from + (to - from) * f64::from(k) / 50.0;
                let all = (0..=50).map(|k| ufbx::evaluate_transform(&stack.anim, node, at(k)));
                all.map(|t| vec3(t.translation).length()).fold(0.0, f64::max)
            };
            let nodes_of = loaded.scene.nodes.into_iter().filter(|n| !n.is_root);
            let size = nodes_of.map(reach).fold(size, f64::max);
            // Jumps are written as two keys within a millisecond.
            let keys = loaded.scene.anim_curves.into_iter().flat_map(|c| c.keyframes.as_ref());
            let jumps: Vec<f64> = keys.map(|k| k.time).collect();
            for step in 0..=TIMES {
                let time = from + (to - from) * f64::from(step) / f64::from(TIMES);
                if jumps.iter().any(|t| (t - time).abs() < 1.1e-3) {
                    continue;
                }
                let pose = Pose::evaluate(document, &Stack::of(Some(clip), time - from));
                for node in loaded.scene.nodes.into_iter().filter(|n| !n.is_root) {
                    let own = ufbx::evaluate_transform(&stack.anim, node, time);
                    let at = NodeId(nodes[&node.element.typed_id] as u32);
                    let Local::Trs(made) = pose.local[at.index()] else { continue };
                    let place = || format!("{} at {time:.4}", node.element.name);
                    let turn = DQuat::from_array(made.rotation.as_dquat().to_array());
                    let off = (turn * quat(own.rotation).conjugate()).normalize();
                    let off = 2.0 * off.xyz().length().atan2(off.w.abs());
                    let off = off.to_degrees();
                    if off > 0.05 {
                        // Between two keys one frame apart, the shorter rotation is also accepted.
                        let k = (time * rate + 1e-9).floor() / rate;
                        let at =
                            |t: f64| quat(ufbx::evaluate_transform(&stack.anim, node, t).rotation);
                        let short = at(k).slerp(at(k + 1.0 / rate), (time - k) * rate);
                        let off = (turn * short.conjugate()).normalize();
                        let off = 2.0 * off.xyz().length().atan2(off.w.abs());
                        short_ways += 1;
                        raise(&mut worst.turn, off.to_degrees(), place);
                    } else {
                        raise(&mut worst.turn, off, place);
                    }
                    let off = (made.translation.as_dvec3() - vec3(own.translation)).length();
                    raise(&mut worst.shift, off / size, place);
                    let off: DVec3 = made.scale.as_dvec3() - vec3(own.scale);
                    raise(&mut worst.scale, off.abs().max_element(), place);
                }
            }
        }
        assert!(all.next().is_none(), "{name}: a clip without a take");
        if worst.turn.0 > 0.05 || worst.shift.0 > 1e-4 || worst.scale.0 > 1e-4 {
            let Worst { turn, shift, scale } = worst;
            println!("{name}: {turn:?} degrees, {shift:?} of the size, {scale:?} of scale");
            wrong.push(name);
        }
    }
    println!("{clips} clips of {files} files; {} of {} cubic spans exact", cubics.1, cubics.0);
    println!("{short_ways} rotations between frames go the short way");
    assert!(files > 150 && clips > 50, "{files} files, {clips} clips");
    assert!(wrong.is_empty(), "{wrong:?}");
}
