//! Files with rare storage forms, compared vertex by vertex with an independent glTF reader.
//! Examples are accessors without a buffer view, triangle soups and strips, joints outside the
//! scene, and instances of skinned meshes. In other files, nodes between joints convert units.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use glam::{Mat4, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{
    Clip, ClipId, Document, MeshId, NodeId, Primitive, PrimitiveId, Shared, Topology, WeightMap,
};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;

use crate::common::{judges, named, run, shared};

fn situation(file: &str) -> Option<PathBuf> {
    Some(shared()?.join("situations").join(file))
}

fn open(path: &Path) -> Session {
    Session::open(path, &Default::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn line(value: &Value) -> CommandLine {
    CommandLine::parse(&value.to_string()).expect("a line")
}

/// Returns the scene positions of a primitive's vertices at a node.
fn posed(document: &Document, pose: &Pose, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
    let placement = Placement::of(document, pose, node, primitive);
    let mut posed = Posed::default();
    let normals = skinning::base_normals(primitive);
    skinning::skin(primitive, &normals, &pose.morphs[node.index()], &placement, &mut posed);
    posed.positions
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|k| value[k].as_f64().expect("a number") as f32))
}

/// Returns the largest distance from the reference evaluator, relative to the displayed size, and
/// the number of compared vertices.
fn farthest(
    document: &Document,
    said: &Value,
    clip: Option<&Shared<Clip>>,
    time: f64,
) -> (f32, usize) {
    let pose = Pose::evaluate(document, &Stack::of(clip, time));
    let (mut far, mut size, mut count) = (0.0f32, 1e-3f32, 0);
    for mesh in said["meshes"].as_array().expect("meshes") {
        let node = NodeId(mesh["node"].as_u64().expect("a node") as u32);
        let primitive = PrimitiveId(mesh["primitive"].as_u64().expect("a primitive") as u32);
        let primitive = document
            .primitive(document.node(node).mesh.expect("a mesh"), primitive)
            .expect("a primitive");
        let own = posed(document, &pose, node, primitive);
        let theirs = mesh["positions"].as_array().expect("positions");
        assert_eq!(own.len(), theirs.len());
        for (own, theirs) in own.iter().zip(theirs.iter().map(vector)) {
            far = far.max(own.distance(theirs));
            size = size.max(theirs.abs().max_element());
            count += 1;
        }
    }
    for node in said["nodes"].as_array().expect("nodes") {
        let id = NodeId(node["index"].as_u64().expect("an index") as u32);
        let rows = node["world_rows"].as_array().expect("rows");
        let cell = |k: usize| rows[k % 4][k / 4].as_f64().expect("a number") as f32;
        let theirs = Mat4::from_cols_array(&std::array::from_fn(cell));
        far = far.max(pose.world[id.index()].w_axis.distance(theirs.w_axis));
    }
    (far / size, count)
}

const FILES: [&str; 7] = [
    "triangle-soup/in.glb",
    "sparse-animation/in.glb",
    "morph-absent-data/in.glb",
    "joints-outside-scene/a.glb",
    "joints-outside-scene/b.glb",
    "instanced-skin/in.glb",
    "nulls-between-joints/in.glb",
];

/// Compares a session with the reference evaluator at several times of all clips. Returns the
/// number of comparisons.
fn compared(session: &Session, file: &Path, name: &str) -> usize {
    let document = session.document();
    let clips: Vec<Option<(usize, &Shared<Clip>)>> =
        document.clips.values().enumerate().map(|(k, c)| Some((k, c))).chain([None]).collect();
    let mut cases = 0;
    for clip in clips {
        // Times on keys, between keys, and after the last key.
        let parts: &[f64] = if clip.is_some() { &[0.0, 0.23, 0.5, 0.81, 1.2] } else { &[0.0] };
        for part in parts {
            let time = clip.map_or(0.0, |(_, c)| f64::from(c.length())) * part;
            let Some(said) = judges::posed(file, clip.map(|(k, _)| k), time) else { return cases };
            let (far, count) = farthest(document, &said, clip.map(|(_, c)| c), time);
            assert!(count > 0, "{name}");
            assert!(
                far < 2e-6,
                "{name}, {:?} at {time} s: {far} of its size off",
                clip.map(|(_, c)| c.name.clone())
            );
            cases += 1;
        }
    }
    cases
}

#[test]
fn every_vertex_position_equals_that_of_an_independent_reader() {
    let mut cases = 0;
    for file in FILES {
        let Some(path) = situation(file) else { return };
        cases += compared(&open(&path), &path, file);
    }
    // There are eight clips and seven poses. Without python3 and numpy, nothing is compared.
    assert!(cases == 0 || cases == 8 * 5 + 7, "{cases} comparisons");
}

/// All keys, weights and transforms are written again. The display must not change.
#[test]
fn rewritten_files_are_displayed_the_same() {
    let mut done = 0;
    for file in FILES {
        let Some(path) = situation(file) else { return };
        let mut session = open(&path);
        let clips: Vec<ClipId> = session.document().clips.ids().collect();
        for clip in &clips {
            // Doubling and halving the speed writes the same times again.
            for speed in [2.0, 0.5] {
                let command = CommandLine::new("clip.retime")
                    .with("clip", format!("#{}", clip.0))
                    .with("speed", speed);
                run(&mut session, command);
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("a.glb");
        std::fs::write(&to, &*session.pack("a").expect("packed").bytes).expect("written");
        let again = open(&to);
        for (id, clip) in session.document().clips.iter() {
            let pose = |document: &Document, clip: &Shared<Clip>| {
                Pose::evaluate(document, &Stack::of(Some(clip), 0.37))
            };
            let (a, b) = (
                pose(session.document(), clip),
                pose(again.document(), &again.document().clips[id]),
            );
            assert!(a.world.iter().zip(&b.world).all(|(a, b)| a.abs_diff_eq(*b, 1e-6)), "{file}");
            assert_eq!(a.morphs, b.morphs, "{file}");
        }
        done += 1;
    }
    assert_eq!(done, FILES.len());
}

/// Returns the drawn triangles of a primitive as sorted corners. Triangles without area are left
/// out.
fn triangles(primitive: &Primitive, from: Vec3) -> Vec<[[i32; 3]; 3]> {
    assert_eq!(primitive.topology, Topology::Triangles);
    let place =
        |v: &u32| ((primitive.positions[*v as usize] - from) * 1e4).round().as_ivec3().to_array();
    let mut all: Vec<[[i32; 3]; 3]> = Vec::new();
    for corners in primitive.indices.as_chunks::<3>().0 {
        let mut list = corners.each_ref().map(place);
        if list[0] == list[1] || list[1] == list[2] || list[0] == list[2] {
            continue;
        }
        // The smallest corner comes first. The winding is kept.
        let first = (0..3).min_by_key(|k| list[*k]).unwrap_or(0);
        list.rotate_left(first);
        all.push(list);
    }
    all.sort_unstable();
    all
}

/// Returns the weights of a joint by vertex position. Asserts that coincident vertices have equal
/// weights.
fn by_place(primitive: &Primitive, from: Vec3, joint: u16) -> BTreeMap<[i32; 3], f32> {
    let map: &WeightMap = primitive.weights.as_deref().expect("weights");
    let mut found: BTreeMap<[i32; 3], f32> = BTreeMap::new();
    for (v, position) in primitive.positions.iter().enumerate() {
        let place = ((*position - from) * 1e4).round().as_ivec3().to_array();
        let weight = map.weight(v, joint);
        let first = *found.entry(place).or_insert(weight);
        assert!((first - weight).abs() < 1e-6, "corners at {place:?} have {first} and {weight}");
    }
    found
}

/// A strip with degenerate triangles must draw the same triangles with the same winding as separate
/// ones. Points and lines draw no triangles.
#[test]
fn a_strip_draws_the_same_triangles_as_separate_ones() {
    let Some(path) = situation("triangle-soup/in.glb") else { return };
    let session = open(&path);
    let mesh = |name: &str| {
        session
            .document()
            .meshes
            .values()
            .find(|m| m.name.as_deref() == Some(name))
            .expect("a mesh")
    };
    let soup = triangles(&mesh("Soup").primitives[0], Vec3::ZERO);
    assert_eq!(soup.len(), 96);
    assert_eq!(soup, triangles(&mesh("Strip").primitives[0], Vec3::X));
    let dots: Vec<(Topology, usize)> =
        mesh("Dots").primitives.iter().map(|p| (p.topology, p.indices.len())).collect();
    assert_eq!(dots, [(Topology::Points, 54), (Topology::Lines, 16)]);
}

#[test]
fn coincident_corners_get_equal_smoothed_weights_in_lists_and_strips() {
    let Some(path) = situation("triangle-soup/in.glb") else { return };
    let mut cases = 0;
    for command in [
        json!({"do": "weights.smooth"}),
        json!({"do": "weights.smooth", "passes": 5, "amount": 0.6}),
        json!({"do": "weights.smooth", "passes": 3, "joint": "J1"}),
        json!({"do": "weights.relax", "passes": 4}),
    ] {
        let mut session = open(&path);
        let before = by_place(&session.document().mesh(MeshId(0)).primitives[0], Vec3::ZERO, 1);
        run(&mut session, line(&command));
        let again = Session::open_bytes(&session.pack("a").expect("packed").bytes).expect("opened");
        let mesh = |mesh: u32| &again.document().mesh(MeshId(mesh)).primitives[0];
        let (soup, strip) = (by_place(mesh(0), Vec3::ZERO, 1), by_place(mesh(1), Vec3::X, 1));
        assert_eq!(soup.len(), 54, "{command}");
        assert!(soup.keys().eq(strip.keys()), "{command}");
        for (place, weight) in &soup {
            assert!(
                (weight - strip[place]).abs() < 1e-6,
                "{command} at {place:?}: {weight} and {}",
                strip[place]
            );
        }
        let moved =
            soup.iter().filter(|(place, weight)| (before[*place] - **weight).abs() > 1e-3).count();
        assert!(moved > 10, "{command}: {moved} places were smoothed");
        cases += 1;
    }
    assert_eq!(cases, 4);
}

/// Returns times and values of a clip's tracks, by node and property.
fn keys(session: &Session, name: &str) -> Vec<(String, Vec<f32>, Vec<f32>)> {
    let clip = session
        .document()
        .clips
        .values()
        .find(|c| c.name.as_deref() == Some(name))
        .expect("a clip");
    let all = clip.tracks.values();
    all.map(|t| (format!("{} {:?}", t.target.0, t.property), t.times.to_vec(), t.values.to_vec()))
        .collect()
}

/// Two clips share accessors, and one accessor is sparse over the data of the other clip. An edit
/// of one clip must not change the other.
#[test]
fn editing_a_clip_keeps_another_that_shares_its_data() {
    let Some(path) = situation("sparse-animation/in.glb") else { return };
    let mut cases = 0;
    for (index, edited, other) in [(0, "talk", "wave"), (1, "wave", "talk")] {
        let node = if edited == "talk" { "Face" } else { "Finger" };
        for command in [
            json!({"do": "clip.reverse", "clip": edited}),
            json!({"do": "clip.retime", "clip": edited, "speed": 0.5}),
            json!({"do": "key.move", "clip": edited, "by": 0.125, "from": 0.0, "to": 2.0}),
            json!({"do": "key.set", "clip": edited, "node": "Hand", "time": 0.5,
                "translation": [0.0, 2.0, 0.0]}),
            json!({"do": "key.morph", "clip": edited, "node": node, "time": 0.3, "target": "b",
                "weight": 0.7}),
            json!({"do": "clip.resample", "clip": edited, "rate": 30}),
        ] {
            let mut session = open(&path);
            let (was, kept) = (keys(&session, edited), keys(&session, other));
            run(&mut session, line(&command));
            let folder = tempfile::tempdir().expect("a folder");
            let to = folder.path().join("a.glb");
            session.write_to(&to).expect("saved");
            let again = open(&to);
            assert_ne!(keys(&again, edited), was, "{command} changed nothing");
            assert_eq!(keys(&again, edited), keys(&session, edited), "{command}");
            assert_eq!(keys(&again, other), kept, "{command}");
            let allowed = format!("* animations[{index}]*");
            if let Some(found) = judges::differences(&path, &to, &[&allowed]) {
                assert_eq!(found, "", "{command}");
            }
            cases += 1;
        }
        // After one of the edits, the independent reader confirms the result.
        let mut session = open(&path);
        run(&mut session, line(&json!({"do": "clip.reverse", "clip": edited})));
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("a.glb");
        session.write_to(&to).expect("saved");
        compared(&session, &to, edited);
    }
    assert_eq!(cases, 12);
}

/// Morph targets without data are zero. Targets with only normals or tangents move no vertex.
#[test]
fn targets_without_positions_move_nothing() {
    let Some(path) = situation("morph-absent-data/in.glb") else { return };
    let session = open(&path);
    let document = session.document();
    let face = named(document, "Face");
    let primitive = document.primitive(MeshId(0), PrimitiveId(0)).expect("a primitive");
    let pose = Pose::evaluate(document, &Stack::of(None, 0.0));
    let shown = |target: Option<usize>| {
        let mut pose = pose.clone();
        pose.morphs[face.index()] =
            (0..4).map(|k| if Some(k) == target { 1.0 } else { 0.0 }).collect();
        posed(document, &pose, face, primitive)
    };
    let still = shown(None);
    for (target, moves) in [(0, false), (1, true), (2, false), (3, false)] {
        let moved =
            shown(Some(target)).iter().zip(&still).filter(|(a, b)| a.distance(**b) > 1e-6).count();
        // The sparse target starts from zeros, and moves its 18 vertices.
        assert_eq!(moved, if moves { 18 } else { 0 }, "target {target}");
    }
    // The primitive without targets is displayed, too.
    let plain = document.primitive(MeshId(0), PrimitiveId(1)).expect("a primitive");
    assert_eq!(posed(document, &pose, face, plain).len(), 54);
}

/// glTF does not define instances of a skinned mesh. The mesh is displayed once, by its joints, and
/// all commands work.
#[test]
fn instances_of_a_skinned_mesh_are_displayed_once() {
    let Some(path) = situation("instanced-skin/in.glb") else { return };
    let session = open(&path);
    let document = session.document();
    let pose = Pose::evaluate(document, &Stack::of(document.clips.values().next(), 0.5));
    let arm = named(document, "Arm");
    assert_eq!(skinning::instances(document, &pose, arm), None);
    assert_eq!(
        skinning::instances(document, &pose, named(document, "Banners")).map(|l| l.len()),
        Some(4)
    );
    let before = std::fs::read(&path).expect("read");
    let mut session = open(&path);
    run(&mut session, line(&json!({"do": "weights.flood", "joint": "J1", "value": 0.5})));
    run(
        &mut session,
        line(&json!({"do": "pose.rotate", "node": "J1", "axis": "z", "degrees": 20})),
    );
    while session.undo().is_some() {}
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("a.glb");
    session.write_to(&to).expect("saved");
    assert_eq!(std::fs::read(&to).expect("read"), before, "taken back, the bytes are the same");
}

/// Nodes with scale 0.01 are above the skeleton and between joints. The error of a reduction is
/// measured in scene units, so a locked foot stays locked.
#[test]
fn reducing_keys_keeps_a_locked_foot_in_place() {
    let Some(path) = situation("nulls-between-joints/in.glb") else { return };
    let mut cases = 0;
    for millimeters in [0.5, 5.0, 20.0] {
        let mut session = open(&path);
        let hold = json!({"do": "pin.hold", "node": "LeftFoot", "clip": "Walk", "from": 0.3,
            "to": 0.6, "ground": "still"});
        run(&mut session, line(&hold));
        let held = session.document().clone();
        let reduce = json!({"do": "clip.reduce", "clip": "Walk", "millimetres": millimeters});
        run(&mut session, line(&reduce));
        let again = Session::open_bytes(&session.pack("a").expect("packed").bytes).expect("opened");
        let count = |d: &Document| {
            d.clips.values().flat_map(|c| c.tracks.values()).map(|t| t.times.len()).sum::<usize>()
        };
        assert!(count(again.document()) < count(&held), "{millimeters} mm took no key");
        let at = |document: &Document, time: f64| {
            let clip = document.clips.values().next().expect("a clip");
            let pose = Pose::evaluate(document, &Stack::of(Some(clip), time));
            let body =
                document.node_ids().find(|n| document.node(*n).mesh.is_some()).expect("a mesh");
            let primitive =
                document.primitive(document.node(body).mesh.expect("a mesh"), PrimitiveId(0));
            let foot = pose.world[named(document, "LeftFoot").index()].w_axis.truncate();
            (posed(document, &pose, body, primitive.expect("a primitive")), foot)
        };
        let (mut far, mut low, mut high) = (0.0f32, Vec3::INFINITY, Vec3::NEG_INFINITY);
        for k in 0..=200 {
            let time = f64::from(k) / 200.0;
            let ((before, _), (after, foot)) = (at(&held, time), at(again.document(), time));
            far = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(far, f32::max);
            if (0.3..=0.6).contains(&time) {
                (low, high) = (low.min(foot), high.max(foot));
            }
        }
        assert!(f64::from(far) <= millimeters * 1e-3 + 1e-6, "{millimeters} mm: {far} m off");
        let slid = f64::from(low.distance(high));
        assert!(
            slid <= 0.008 + 2.0 * millimeters * 1e-3,
            "{millimeters} mm: the held foot moves by {slid} m"
        );
        cases += 1;
    }
    assert_eq!(cases, 3);
}
