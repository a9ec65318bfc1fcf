//! Importing clips of other files: joints matched by the humanoid map of a VRM file, other kinds of
//! bodies, and notes about data that is not imported.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use crate::common::{floats, glb, run, shared};

/// VRM roles, each with its parent role and its offset from the parent in meters.
const BODY: [(&str, &str, [f32; 3]); 18] = [
    ("hips", "", [0.0, 0.9, 0.0]),
    ("spine", "hips", [0.0, 0.15, 0.0]),
    ("chest", "spine", [0.0, 0.12, 0.0]),
    ("upperChest", "chest", [0.0, 0.12, 0.0]),
    ("neck", "upperChest", [0.0, 0.16, 0.0]),
    ("head", "neck", [0.0, 0.1, 0.0]),
    ("leftUpperArm", "upperChest", [0.15, 0.1, 0.0]),
    ("leftLowerArm", "leftUpperArm", [0.25, 0.0, 0.0]),
    ("leftHand", "leftLowerArm", [0.22, 0.0, 0.0]),
    ("rightUpperArm", "upperChest", [-0.15, 0.1, 0.0]),
    ("rightLowerArm", "rightUpperArm", [-0.25, 0.0, 0.0]),
    ("rightHand", "rightLowerArm", [-0.22, 0.0, 0.0]),
    ("leftUpperLeg", "hips", [0.08, -0.05, 0.0]),
    ("leftLowerLeg", "leftUpperLeg", [0.0, -0.4, 0.0]),
    ("leftFoot", "leftLowerLeg", [0.0, -0.4, 0.0]),
    ("rightUpperLeg", "hips", [-0.08, -0.05, 0.0]),
    ("rightLowerLeg", "rightUpperLeg", [0.0, -0.4, 0.0]),
    ("rightFoot", "rightLowerLeg", [0.0, -0.4, 0.0]),
];

/// The kind of humanoid map in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Map {
    None,
    Zero,
    One,
    /// Map of a file that contains only motions.
    Motion,
}

/// Builds a body that faces +Z, with these joint names and this size. With `turns`, it has a clip
/// that rotates each joint by its own angle.
fn body(names: &dyn Fn(&str) -> String, size: f32, map: Map, turns: Option<&[f32]>) -> Vec<u8> {
    facing(names, (size, false), map, turns)
}

/// Collects binary data with its views and accessors.
struct Data {
    bin: Vec<f32>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Data {
    /// Creates the data, beginning with the inverse bind matrices of all joints.
    fn of_binds(binds: Vec<f32>) -> Self {
        let views = vec![json!({"buffer": 0, "byteLength": binds.len() * 4})];
        let accessors = vec![
            json!({"bufferView": 0, "componentType": 5126, "count": BODY.len(), "type": "MAT4"}),
        ];
        Self { bin: binds, views, accessors }
    }

    /// Adds an accessor, and returns its index.
    fn add(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let (offset, length) = (self.bin.len() * 4, values.len() * 4);
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length}));
        self.bin.extend(values);
        let mut accessor = json!({"bufferView": self.views.len() - 1, "componentType": 5126,
                "count": values.len() / width, "type": kind});
        if width == 1 {
            accessor["min"] = json!([values[0]]);
            accessor["max"] = json!([values[values.len() - 1]]);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds the data of a clip that rotates each joint by its own angle. Returns the clip.
    fn clip(&mut self, turns: &[f32]) -> Value {
        let input = self.add(&[0.0, 1.0], "SCALAR", 1);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (k, turn) in turns.iter().enumerate() {
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][k % 3];
            let half = glam::Quat::from_axis_angle(axis, turn.to_radians());
            let output = self.add(&[[0.0, 0.0, 0.0, 1.0], half.to_array()].concat(), "VEC4", 4);
            samplers.push(json!({"input": input, "output": output}));
            channels.push(json!({"sampler": k, "target": {"node": k, "path": "rotation"}}));
        }
        json!({"name": "Wave", "samplers": samplers, "channels": channels})
    }
}

/// Returns the name and content of an extension with a humanoid map of all roles.
fn humanoid(map: Map) -> Option<(&'static str, Value)> {
    let roles = || BODY.iter().enumerate().map(|(k, (role, ..))| (*role, k));
    let bones: BTreeMap<&str, Value> =
        roles().map(|(role, k)| (role, json!({"node": k}))).collect();
    match map {
        Map::None => None,
        Map::One => Some((
            "VRMC_vrm",
            json!({"specVersion": "1.0",
                "meta": {"name": "x", "authors": ["x"],
                "licenseUrl": "https://vrm.dev/licenses/1.0/"},
                "humanoid": {"humanBones": bones}}),
        )),
        Map::Motion => Some((
            "VRMC_vrm_animation",
            json!({"specVersion": "1.0", "humanoid": {"humanBones": bones}}),
        )),
        Map::Zero => {
            let bones: Vec<Value> =
                roles().map(|(role, k)| json!({"bone": role, "node": k})).collect();
            Some((
                "VRM",
                json!({"specVersion": "0.0", "meta": {}, "humanoid": {"humanBones": bones}}),
            ))
        }
    }
}

/// Builds a body like [`body`], optionally facing −Z like avatars of VRM 0.
fn facing(
    names: &dyn Fn(&str) -> String,
    (size, back): (f32, bool),
    map: Map,
    turns: Option<&[f32]>,
) -> Vec<u8> {
    let sign = if back { -1.0 } else { 1.0 };
    let over = |place: [f32; 3]| [place[0] * sign * size, place[1] * size, place[2] * sign * size];
    let at = |role: &str| BODY.iter().position(|(r, ..)| *r == role);
    let children = |role: &str| {
        BODY.iter()
            .enumerate()
            .filter(|(_, (_, p, _))| *p == role)
            .map(|(k, _)| k)
            .collect::<Vec<_>>()
    };
    let nodes: Vec<Value> = BODY
        .iter()
        .map(|(role, _, place)| {
            let mut node = json!({"name": names(role), "translation": over(*place)});
            if !children(role).is_empty() {
                node["children"] = children(role).into();
            }
            node
        })
        .collect();
    // The inverse bind matrices match the pose of the nodes.
    let world = |k: usize| {
        std::iter::successors(Some(k), |k| at(BODY[*k].1))
            .map(|k| Vec3::from(over(BODY[k].2)))
            .sum::<Vec3>()
    };
    let binds = (0..BODY.len())
        .flat_map(|k| glam::Mat4::from_translation(-world(k)).to_cols_array())
        .collect();
    let mut data = Data::of_binds(binds);
    let mut root = json!({
        "nodes": nodes,
        "skins": [{"joints": (0..BODY.len()).collect::<Vec<_>>(), "inverseBindMatrices": 0}],
        "scenes": [{"nodes": [0]}], "scene": 0,
    });
    if let Some(turns) = turns {
        root["animations"] = json!([data.clip(turns)]);
    }
    if let Some((name, extension)) = humanoid(map) {
        root["extensions"] = json!({ name: extension });
        root["extensionsUsed"] = json!([name]);
    }
    root["bufferViews"] = data.views.into();
    root["accessors"] = data.accessors.into();
    glb(root, &floats(&data.bin))
}

/// Returns the position of the node of a role. Nodes have the indices of the role list.
fn place(pose: &Pose, k: usize) -> Vec3 {
    pose.world[k].w_axis.truncate()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn import(from: &Path) -> CommandLine {
    CommandLine::new("clip.import").with("path", from.to_string_lossy().into_owned())
}

fn refused(session: &mut Session, line: &CommandLine) -> String {
    session.run_line(line).err().map_or_else(|| panic!("{line} was done"), |e| e.to_string())
}

/// Returns the joint name of a role in the naming scheme of Unreal, which many programs use.
fn unreal(role: &str) -> String {
    let (side, rest) = match (role.strip_prefix("left"), role.strip_prefix("right")) {
        (Some(rest), _) => ("_l", rest),
        (_, Some(rest)) => ("_r", rest),
        _ => ("", role),
    };
    let name = match rest {
        "hips" => "pelvis",
        "spine" => "spine_01",
        "chest" => "spine_02",
        "upperChest" => "spine_03",
        "neck" => "neck_01",
        "UpperArm" => "upperarm",
        "LowerArm" => "lowerarm",
        "Hand" => "hand",
        "UpperLeg" => "thigh",
        "LowerLeg" => "calf",
        "Foot" => "foot",
        other => other,
    };
    format!("{name}{side}")
}

/// Returns the same names with left and right swapped, as seen by someone facing the avatar.
fn swapped(role: &str) -> String {
    let other = match (role.strip_prefix("left"), role.strip_prefix("right")) {
        (Some(rest), _) => format!("right{rest}"),
        (_, Some(rest)) => format!("left{rest}"),
        _ => role.to_owned(),
    };
    unreal(&other)
}

/// Returns a meaningless name, which only has the index.
fn numbered(role: &str) -> String {
    let at = BODY.iter().position(|(r, ..)| *r == role).unwrap();
    format!("Bone.{:03}", (at * 7) % 18)
}

/// Returns a misleading name: that of another body part.
fn shuffled(role: &str) -> String {
    let at = BODY.iter().position(|(r, ..)| *r == role).unwrap();
    unreal(BODY[(at + 5) % BODY.len()].0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Each joint gets the motion of the joint with the same role. Either side can have the map,
    /// and the names on the other side do not matter.
    #[test]
    fn joints_match_by_the_humanoid_map_of_either_side(
        turns in prop::collection::vec(-60f32..60.0, BODY.len()),
        names in 0usize..4,
        sides in 0usize..7,
        size in prop::sample::select(vec![0.5f32, 1.0, 1.7]),
        back in any::<bool>(),
    ) {
        let misleading: &dyn Fn(&str) -> String =
            [&swapped as &dyn Fn(&str) -> String, &numbered, &shuffled, &unreal][names];
        let plain: &dyn Fn(&str) -> String = &unreal;
        // A body that faces backward with swapped sides is the same skeleton, joint by joint. Only
        // the names can then decide, so this case is excluded.
        prop_assume!(!(back && names == 0 && sides < 5));
        let (from, to): (_, _) = match sides {
            0 => ((plain, Map::None), (misleading, Map::One)),
            1 => ((plain, Map::None), (misleading, Map::Zero)),
            2 => ((misleading, Map::One), (plain, Map::None)),
            3 => ((misleading, Map::Zero), (plain, Map::None)),
            4 => ((misleading, Map::Motion), (plain, Map::None)),
            5 => ((misleading, Map::One), (&numbered as &dyn Fn(&str) -> String, Map::Zero)),
            _ => ((misleading, Map::Zero), (&shuffled as &dyn Fn(&str) -> String, Map::One)),
        };
        let folder = tempfile::tempdir().unwrap();
        let source = written(folder.path(), "wave.glb", &body(from.0, 1.0, from.1, Some(&turns)));
        let mut session = Session::open_bytes(&facing(to.0, (size, back), to.1, None)).unwrap();
        let turned = if back { Vec3::new(-1.0, 1.0, -1.0) } else { Vec3::ONE };
        let said = run(&mut session, import(&source));
        prop_assert!(said.iter().all(|s| !s.contains("not in this model")), "{said:?}");
        let theirs = Session::open(&source, &Default::default()).unwrap();
        for time in [0.0, 0.5, 1.0] {
            let posed =
                |document: &Document| Pose::evaluate(document,
                    &Stack::of(document.clips.values().next_back(), time));
            let (there, here) = (posed(theirs.document()), posed(session.document()));
            for (k, (role, ..)) in BODY.iter().enumerate() {
                let (wanted, found) = (place(&there, k) * size * turned, place(&here, k));
                prop_assert!(found.distance(wanted) < 1e-4, "{role} at {time}: {found} {wanted}");
            }
        }
    }
}

/// The poses of both files must match at 0.5 seconds, scaled by the ratio of the heights.
#[test]
fn a_walk_is_imported_into_an_avatar_with_japanese_names() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("situations/vrm-import-by-role");
    let mut session = Session::open(&folder.join("japanese.vrm"), &Default::default()).unwrap();
    run(&mut session, import(&folder.join("walk.glb")));
    let theirs = Session::open(&folder.join("walk.glb"), &Default::default()).unwrap();
    let (there, here) = (theirs.document(), session.document());
    let clip = here.clips.values().next_back().unwrap();
    assert_eq!(clip.tracks.len(), 5);
    let posed = |document: &Document| {
        Pose::evaluate(document, &Stack::of(document.clips.values().next_back(), 0.5))
    };
    let (theirs, ours) = (posed(there), posed(here));
    let mut compared = 0;
    // The avatar has one joint more than the source, which is not compared.
    for k in (0..18).filter(|k| *k != 3) {
        let (wanted, found) = (place(&theirs, k - usize::from(k > 3)) * 0.8, place(&ours, k));
        let name = here.node(NodeId(k as u32)).label(NodeId(k as u32));
        assert!(found.distance(wanted) < 1e-4, "{name}: {found} {wanted}");
        compared += 1;
    }
    assert_eq!(compared, 17);
}

/// Builds a creature with many legs. Its clips do not fit a human.
fn creature(found: usize, others: usize) -> Vec<u8> {
    let names: Vec<String> = BODY
        .iter()
        .take(found)
        .map(|(r, ..)| unreal(r))
        .chain((0..others).map(|k| format!("leg{k}_seg")))
        .collect();
    let count = names.len();
    let nodes: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(k, name)| {
            let mut node = json!({"name": name, "translation": [0.1, 0.2, 0.0]});
            if k + 1 < count {
                node["children"] = json!([k + 1]);
            }
            node
        })
        .collect();
    let channels: Vec<Value> = (0..count)
        .map(|k| json!({"sampler": 0, "target": {"node": k, "path": "rotation"}}))
        .collect();
    let root = json!({
        "nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0,
        "skins": [{"joints": (0..count).collect::<Vec<_>>()}],
        "animations": [{"name": "Gallop", "samplers": [{"input": 0, "output": 1}],
            "channels": channels}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
                "max": [1]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}],
        "bufferViews": [{"buffer": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
    });
    glb(root, &floats(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8]))
}

#[test]
fn clips_of_another_kind_of_body_are_imported_only_if_forced() {
    let folder = tempfile::tempdir().unwrap();
    for (found, others, comes) in
        [(3, 12, false), (6, 7, false), (7, 6, true), (6, 6, true), (0, 9, false)]
    {
        let source = written(folder.path(), "horse.glb", &creature(found, others));
        let mut session = Session::open_bytes(&body(&unreal, 1.0, Map::None, None)).unwrap();
        if comes {
            run(&mut session, import(&source));
            assert_eq!(session.document().clips.count(), 1);
            continue;
        }
        let why = refused(&mut session, &import(&source));
        assert_eq!(session.document().clips.count(), 0);
        if found == 0 {
            assert!(why.contains("none of the 9 joints") && why.contains("counterparts"), "{why}");
            assert!(
                refused(&mut session, &import(&source).with("force", true))
                    .contains("none of the 9")
            );
            continue;
        }
        let all = found + others;
        assert!(
            why.contains(&format!("only {found} of the {all} joints"))
                && why.contains("\"force\": true"),
            "{why}"
        );
        run(&mut session, import(&source).with("force", true));
        let clip = session.document().clips.values().next().unwrap();
        assert_eq!(
            clip.tracks.values().map(|t| t.target).collect::<std::collections::BTreeSet<_>>().len(),
            found
        );
    }
    // In a folder with other files, the creature's file is skipped with a note.
    written(folder.path(), "horse.glb", &creature(3, 12));
    written(folder.path(), "wave.glb", &body(&unreal, 1.0, Map::None, Some(&[20.0; 18])));
    let mut session = Session::open_bytes(&body(&unreal, 1.0, Map::None, None)).unwrap();
    let said = run(&mut session, import(folder.path()));
    assert_eq!(session.document().clips.count(), 1);
    assert!(said.iter().any(|s| s.contains("horse.glb was skipped: only 3 of the 15")), "{said:?}");
    let said = {
        let mut session = Session::open_bytes(&body(&unreal, 1.0, Map::None, None)).unwrap();
        let said = run(&mut session, import(folder.path()).with("force", true));
        assert_eq!(session.document().clips.count(), 2);
        said
    };
    assert!(said.iter().any(|s| s.contains("12 of its joints are not in this model")), "{said:?}");
}

/// The source has fingers and helper joints that the model lacks. Its clips are accepted.
#[test]
fn a_source_with_additional_helpers_and_fingers_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = body(&unreal, 1.0, Map::None, Some(&[20.0; 18]));
    let (mut root, bin) = crate::common::split(&bytes);
    let first = BODY.len();
    for k in 0..30 {
        root["nodes"].as_array_mut().unwrap().push(json!({"name": format!("helper{k}_q")}));
        root["animations"][0]["channels"]
            .as_array_mut()
            .unwrap()
            .push(json!({"sampler": 0, "target": {"node": first + k, "path": "rotation"}}));
    }
    root["nodes"][0]["children"]
        .as_array_mut()
        .unwrap()
        .extend((first..first + 30).map(Value::from));
    let source = written(folder.path(), "rig.glb", &glb(root, &bin));
    let mut session = Session::open_bytes(&body(&unreal, 1.0, Map::None, None)).unwrap();
    let said = run(&mut session, import(&source));
    assert!(said.iter().any(|s| s.contains("30 of its joints are not in this model")), "{said:?}");
}

/// Builds a face with these morph targets. If `moved` is set, a clip sets them to 0.5.
fn face(targets: &[&str], moved: bool) -> Vec<u8> {
    let count = targets.len();
    let of: Vec<Value> = targets.iter().map(|_| json!({"POSITION": 0})).collect();
    let mut root = json!({
        "nodes": [{"name": "Face", "mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": of}],
            "extras": {"targetNames": targets}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
    });
    let mut bin = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    if moved {
        root["animations"] = json!([{"name": "Talk", "samplers": [{"input": 1, "output": 2}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]);
        let list = root["accessors"].as_array_mut().unwrap();
        list.push(
            json!({"bufferView": 1, "componentType": 5126, "count": 1, "type": "SCALAR", "min": [0],
                "max": [0]}),
        );
        list.push(
            json!({"bufferView": 2, "componentType": 5126, "count": count, "type": "SCALAR"}),
        );
        let views = root["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": 0, "byteOffset": 36, "byteLength": 4}));
        views.push(json!({"buffer": 0, "byteOffset": 40, "byteLength": count * 4}));
        bin.push(0.0);
        // The last target stays at 0.
        bin.extend((0..count).map(|k| if k + 1 < count { 0.5 } else { 0.0 }));
    }
    glb(root, &floats(&bin))
}

#[test]
fn missing_morph_targets_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let source =
        written(folder.path(), "talk.glb", &face(&["aa", "blink", "smile", "unmoved"], true));
    let mut session = Session::open_bytes(&face(&["blink", "frown"], false)).unwrap();
    let said = run(&mut session, import(&source));
    assert!(
        said.iter().any(|s| s.contains("2 of its morph targets are not in this model (aa, smile)")),
        "{said:?}"
    );
    let track =
        session.document().clips.values().next().unwrap().tracks.values().next().unwrap().clone();
    assert_eq!(track.values.to_vec(), [0.5, 0.0]);
    // If all morph targets exist, there is no note.
    let mut session = Session::open_bytes(&face(&["smile", "blink", "aa"], false)).unwrap();
    assert_eq!(run(&mut session, import(&source)), Vec::<String>::new());
    // If no morph target exists, the reason names the targets instead of the joints.
    let mut session = Session::open_bytes(&body(&unreal, 1.0, Map::None, None)).unwrap();
    let why = refused(&mut session, &import(&source));
    assert!(
        why.contains("no mesh of this model has the morph targets")
            && why.contains("aa, blink, smile"),
        "{why}"
    );
}
