//! FBX files of several programs and versions, compared with reference data.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{fs, path::Path};

use glam::{DMat3, DVec3};
use ulna_formats::gltf::rules;
use ulna_model::{ClipId, Document, NodeId, Severity};
use ulna_motion::{Pose, Stack};
use ulna_session::{Conversion, ImportFindings, Session, UpAxis};

use super::odd_files::{shape, shape_of};
use crate::common::shared;

/// Opens a file. Its clips keep their start times.
fn opened(path: &Path) -> Result<Session, ulna_formats::gltf::ReadError> {
    let conversion = Conversion { keep_offset: true, ..Conversion::default() };
    Session::open_as(path, &conversion, &Default::default())
}

#[test]
fn every_file_opens_without_errors_except_listed_invalid_ones() {
    let Some(shared) = shared() else { return };
    let (mut good, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for entry in fs::read_dir(shared.join("corpus/fbx")).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "fbx") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match opened(&path) {
            Ok(session) => {
                good += 1;
                assert!(!name.contains("_fail"), "{name} must be refused");
                let report = rules::check(session.source());
                let errors = report.iter().filter(|d| d.severity == Severity::Error);
                wrong.extend(errors.map(|d| format!("{name}: {} {}", d.place, d.message)));
            }
            Err(error) => {
                refused += 1;
                assert!(name.contains("_fail"), "{name}: {error}");
                assert!(error.to_string().contains("cannot be read: "), "{error}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((good, refused), (206, 3));
}

/// Returns the transform that the conversion applies to points of the file.
fn scene_from_file(found: &ImportFindings) -> DMat3 {
    let up = match found.up.unwrap_or_default() {
        UpAxis::X => DVec3::X,
        UpAxis::Y => DVec3::Y,
        UpAxis::Z => DVec3::Z,
    };
    let front = found.front.map_or(DVec3::Z, |f| f.direction().as_dvec3());
    let turned = DMat3::from_cols(up.cross(front), up, front).transpose();
    turned * f64::from(found.unit.unwrap_or(1.0))
}

/// Returns the largest distance from a point in `from` to its nearest point in `to`.
fn farthest(from: &[DVec3], to: &[DVec3]) -> f64 {
    let nearest =
        |p: &DVec3| to.iter().map(|q| p.distance_squared(*q)).fold(f64::INFINITY, f64::min);
    from.iter().map(nearest).fold(0.0, f64::max).sqrt()
}

/// Reference files whose converted geometry may differ, with the reason, in addition to those
/// marked in EXPECTED.tsv.
const OTHERWISE: [(&str, &str); 4] = [
    ("blender_340_z_up", "a file for readers of OBJ, with other meshes than the FBX"),
    ("marvelous_quad", "a geometry cache moves the vertices, in a file of its own"),
    ("maya_axes_anim_", "a geometry cache moves the vertices, in a file of its own"),
    ("maya_anim_layers_over_acc_orders", "the reader's own evaluation differs as much"),
];

/// Name of the reference whose skin uses dual quaternions. glTF has only linear skinning, which a
/// finding reports.
const DUAL_QUATERNIONS: &str = "synthetic_bind_to_root";

/// Moves each posed mesh a second time with its node, relative to its bind position in the file.
/// Maya does this for references marked `transform_skin`. Readers of FBX and glTF do not.
fn moved_with_nodes(document: &Document, stack: &Stack) -> Vec<DVec3> {
    let pose = Pose::evaluate(document, stack);
    let bound = DVec3::new(0.04, 0.0, 0.0);
    let mut all = Vec::new();
    let mut nodes = document.shown_nodes();
    nodes.sort();
    for node in nodes {
        let again = pose.world[node.index()].as_dmat4();
        let own = shape_of(document, &pose, node);
        all.extend(own.into_iter().map(|p| again.transform_point3(p - bound)));
    }
    all
}

#[test]
fn posed_meshes_equal_those_of_the_exporting_programs() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("corpus/fbx");
    let list = fs::read_to_string(folder.join("EXPECTED.tsv")).unwrap();
    let (mut agree, mut left_out, mut wrong) = (0, 0, Vec::new());
    for line in list.lines().filter(|l| !l.starts_with('#')) {
        let mut columns = line.split('\t').map(str::trim);
        let mut next = || columns.next().unwrap_or_default();
        let (obj, fbx, frame, _, reason) = (next(), next(), next(), next(), next());
        let is_otherwise = OTHERWISE.iter().any(|(name, _)| obj.starts_with(name));
        if !reason.is_empty() || is_otherwise && obj != "maya_axes_anim_0.obj" {
            left_out += 1;
            continue;
        }
        let session = opened(&folder.join(fbx)).unwrap();
        let document = session.document();
        let found = &session.imported().unwrap().found;
        let clip = document.clips.get(ClipId(0)).filter(|_| !frame.is_empty());
        let time = frame.parse::<f64>().unwrap_or(0.0) / found.rate.unwrap_or(24.0);
        let stack = Stack::of(clip, time);
        let reference = fs::read_to_string(folder.join(obj)).unwrap();
        let posed = if reference.contains("ufbx:transform_skin") {
            moved_with_nodes(document, &stack)
        } else {
            shape(document, &stack)
        };
        if obj.starts_with(DUAL_QUATERNIONS) {
            assert!(found.differences.iter().any(|d| d.code == "ULNA_FBX_DUAL_QUATERNION"));
            left_out += 1;
            continue;
        }
        let to_scene = scene_from_file(found);
        let wanted: Vec<DVec3> = reference
            .lines()
            .filter_map(|l| l.strip_prefix("v "))
            .map(|l| {
                let v: Vec<f64> =
                    l.split_whitespace().take(3).map(|n| n.parse().unwrap()).collect();
                to_scene * DVec3::new(v[0], v[1], v[2])
            })
            .collect();
        let all = || {
            wanted
                .iter()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)))
        };
        let size = (all().1 - all().0).max_element();
        let off = farthest(&wanted, &posed).max(farthest(&posed, &wanted)) / size;
        if off > 1e-3 {
            println!("{obj} ({fbx}): {off:.5} of {size:.3}; {} and {}", wanted.len(), posed.len());
            wrong.push(obj.to_owned());
        } else {
            agree += 1;
        }
    }
    println!("{agree} references agree, {left_out} need not");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!((agree, left_out), (82, 44));
}

#[test]
fn applying_scale_and_rotation_above_skeletons_keeps_all_poses() {
    let Some(shared) = shared() else { return };
    let (mut mended, mut left) = (0, Vec::new());
    for entry in fs::read_dir(shared.join("corpus/fbx")).unwrap().flatten() {
        let path = entry.path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".fbx") || name.contains("_fail") {
            continue;
        }
        let session = opened(&path).unwrap();
        let said = |code| {
            let mut list = session.imported().unwrap().found.differences.iter();
            list.any(|d| d.code == code)
        };
        if said("ULNA_ARMATURE_KEPT") {
            left.push(name);
            continue;
        }
        if !said("ULNA_ARMATURE_MENDED") {
            continue;
        }
        mended += 1;
        let conversion =
            Conversion { keep_offset: true, keep_armature: true, ..Conversion::default() };
        let kept = Session::open_as(&path, &conversion, &Default::default()).unwrap();
        for (id, clip) in kept.document().clips.iter() {
            for k in 0..=10 {
                let time = f64::from(clip.length()) * f64::from(k) / 10.0;
                let places = |session: &Session| {
                    let document = session.document();
                    let stack = Stack::of(document.clips.get(id), time);
                    let pose = Pose::evaluate(document, &stack);
                    let joints = document.skins.values().flat_map(|s| s.joints.iter());
                    let at = |j: &NodeId| pose.world[j.index()].w_axis.truncate().as_dvec3();
                    joints.map(at).chain(shape(document, &stack)).collect::<Vec<_>>()
                };
                let (a, b) = (places(&session), places(&kept));
                let size = b.iter().fold(0.0, |s: f64, p| s.max(p.length()));
                let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                assert!(off <= 1e-5 * size, "{name}: {off} of {size}");
            }
        }
    }
    println!("{mended} mended, {left:?} left");
    assert!(left.is_empty(), "{left:?}");
    assert!(mended >= 8, "{mended}");
}
