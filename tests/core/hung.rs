//! Binding meshes to joints by command lines: the joints and their order, the skin, and the node
//! positions after binding.

use crate::common::{glb, named, run};
use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::rules;
use ulna_model::{Document, NodeId};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;

/// Builds three joints under a scaled and moved armature. Two unskinned cards are under the
/// armature, a third card has weights, and a lamp is below the hand.
fn armature() -> Session {
    let mut bin = Vec::new();
    let floats =
        |list: &[f32], bin: &mut Vec<u8>| list.iter().for_each(|v| bin.extend(v.to_le_bytes()));
    floats(&[0.0, 0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 2.0, 0.0], &mut bin);
    // Joints 2, 0 and 1 influence one vertex each.
    bin.extend([2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &mut bin);
    let card = json!({"primitives": [{"attributes": {"POSITION": 0}}]});
    let weighted =
        json!({"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]});
    let json = json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Armature", "translation": [0.5, 0.0, 0.0], "scale": [2.0, 2.0, 2.0],
                "children": [1, 4, 5, 6]},
            {"name": "Hip", "children": [2]},
            {"name": "Knee", "translation": [0.0, 1.0, 0.0], "children": [3, 7]},
            {"name": "Foot", "translation": [0.0, 1.0, 0.0]},
            {"name": "Cloth", "mesh": 0},
            {"name": "Belt", "mesh": 1},
            {"name": "Body", "mesh": 2},
            {"name": "Plate", "mesh": 0},
        ],
        "meshes": [card, card, weighted],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0.0, 0.0, 0.0], "max": [0.2, 2.0, 0.0]},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48},
        ],
    });
    Session::open_bytes(&glb(json, &bin)).expect("an armature")
}

fn create(node: &str, joints: &[&str]) -> CommandLine {
    let joints: Vec<String> = joints.iter().map(|j| (*j).to_owned()).collect();
    CommandLine::new("skin.create").with("node", node).with("joint", joints)
}

fn joints_of(document: &Document, node: &str) -> Vec<String> {
    let skin = document.node(named(document, node)).skin.expect("a skin");
    document.skin(skin).joints.iter().map(|j| document.node(*j).label(*j)).collect()
}

fn seen(document: &Document, node: NodeId) -> Vec<Vec3> {
    let pose = Pose::evaluate(document, &Stack::default());
    let mesh = document.mesh(document.node(node).mesh.expect("a mesh"));
    let mut all = Vec::new();
    for primitive in &mesh.primitives {
        let placement = Placement::of(document, &pose, node, primitive);
        let mut posed = Posed::default();
        skinning::skin(primitive, &[], &pose.morphs[node.index()], &placement, &mut posed);
        all.extend(posed.positions);
    }
    all
}

fn refused(session: &mut Session, line: CommandLine, why: &str) {
    let said = session.run_line(&line).expect_err("it is refused").to_string();
    assert!(said.contains(why), "{said}");
}

#[test]
fn weights_refer_to_the_same_joints_in_any_given_order() {
    for order in [
        ["Foot", "Hip", "Knee"],
        ["Hip", "Foot", "Knee"],
        ["Knee", "Foot", "Hip"],
        ["Hip", "Knee", "Foot"],
    ] {
        let mut session = armature();
        let node = named(session.document(), "Body");
        let before = seen(session.document(), node);
        run(&mut session, create("Body", &order));
        assert_eq!(joints_of(session.document(), "Body"), order);
        let now = seen(session.document(), node);
        assert!(before.iter().zip(&now).all(|(a, b)| a.distance(*b) < 1e-5), "{before:?} {now:?}");
        // The vertex with slot 2 follows the third given joint. Slots 0 and 1 follow the first and
        // second.
        for (slot, vertex) in [(2, 0), (0, 1), (1, 2)] {
            let joint = named(session.document(), order[slot]);
            let move_ = CommandLine::new("pose.move")
                .with("node", session.document().path(joint))
                .with("by", [0.0, 0.0, 1.0]);
            session.run_line(&move_).expect("it moves");
            let moved = seen(session.document(), node);
            let below = |k: usize| {
                let other = named(session.document(), order[k]);
                other == joint || session.document().is_above(joint, other)
            };
            for (k, v) in [(2, 0), (0, 1), (1, 2)] {
                assert_eq!(
                    moved[v].distance(now[v]) > 0.5,
                    below(k),
                    "{order:?}: {slot} {vertex} moves {v}"
                );
            }
            session.undo();
        }
        let again = Session::open_bytes(&session.pack("a").expect("packs").bytes).expect("opens");
        assert_eq!(joints_of(again.document(), "Body"), order);
    }
    let mut session = armature();
    refused(&mut session, create("Body", &["Hip", "Knee", "Hip", "Foot"]), "listed twice");
    refused(&mut session, create("Body", &["Hip"]), "use 3 joints, but 1 were named");
}

#[test]
fn one_given_joint_includes_its_descendants_except_meshes() {
    let mut session = armature();
    run(&mut session, create("Cloth", &["Hip"]));
    assert_eq!(joints_of(session.document(), "Cloth"), ["Hip", "Knee", "Foot"]);
    let mesh = session.document().node(named(session.document(), "Cloth")).mesh.expect("a mesh");
    let map = session.document().mesh(mesh).primitives[0].weights.clone().expect("weights");
    assert!(
        (0..3).flat_map(|v| map.vertex(v).collect::<Vec<_>>()).any(|(j, w)| j > 0 && w > 0.1),
        "all hangs on one"
    );
    let mut session = armature();
    run(&mut session, create("Cloth", &["Hip"]).with("below", false));
    assert_eq!(joints_of(session.document(), "Cloth"), ["Hip"]);
    let mut session = armature();
    run(&mut session, create("Cloth", &["Hip", "Foot"]));
    assert_eq!(joints_of(session.document(), "Cloth"), ["Hip", "Foot"]);
    let mut session = armature();
    run(&mut session, create("Cloth", &["Foot", "Hip"]).with("below", true));
    assert_eq!(joints_of(session.document(), "Cloth"), ["Foot", "Hip", "Knee"]);
    let mut session = armature();
    refused(&mut session, create("Cloth", &["*"]), "has a mesh, so it cannot be a joint");
    refused(
        &mut session,
        create("Cloth", &["Hip", "Cloth"]),
        "“Cloth” has a mesh, so it cannot be a joint",
    );
    assert_eq!(session.document().skins.count(), 0);
}

#[test]
fn meshes_with_equal_binds_share_a_skin_without_findings() {
    let mut session = armature();
    let opened = session.pack("a").expect("packs").bytes;
    let nodes = ["Cloth", "Belt", "Body"];
    let before: Vec<Vec<Vec3>> =
        nodes.iter().map(|n| seen(session.document(), named(session.document(), n))).collect();
    for node in nodes {
        let said = run(&mut session, create(node, &["Hip", "Knee", "Foot"]));
        assert!(said[0].contains("moved to the top level"), "{said:?}");
    }
    assert_eq!(session.document().skins.count(), 1);
    for (node, before) in nodes.iter().zip(&before) {
        let now = seen(session.document(), named(session.document(), node));
        assert!(
            before.iter().zip(&now).all(|(a, b)| a.distance(*b) < 1e-5),
            "{node}: {before:?} {now:?}"
        );
    }
    let bytes = session.pack("a").expect("packs").bytes;
    let again = Session::open_bytes(&bytes).expect("opens");
    let warned: Vec<String> =
        rules::check(again.source()).into_iter().map(|d| d.code.to_string()).collect();
    // The mesh of “Plate” has weights but no skin, which is a different finding.
    let about = ["NODE_SKINNED_MESH_NON_ROOT", "NODE_SKINNED_MESH_LOCAL_TRANSFORMS"];
    assert!(!warned.iter().any(|c| about.contains(&c.as_str())), "{warned:?}");
    while session.undo().is_some() {}
    assert_eq!(session.pack("a").expect("packs").bytes, opened);
    // A name given by the user is used.
    run(&mut session, create("Cloth", &["Hip", "Knee", "Foot"]));
    run(&mut session, create("Belt", &["Hip", "Knee", "Foot"]).with("name", "Leather"));
    assert_eq!(session.document().skins.count(), 2);
    // A node that is used by more than its mesh stays in place, with a note.
    let mut session = armature();
    let key = CommandLine::new("clip.new").with("name", "sway");
    session.run_line(&key).expect("a clip");
    let key = CommandLine::new("key.set")
        .with("clip", "sway")
        .with("time", 0.0)
        .with("node", "Armature/Cloth");
    session.run_line(&key.with("translation", [0.0, 0.0, 0.0])).expect("a key");
    let said = run(&mut session, create("Armature/Cloth", &["Hip"]));
    assert!(
        said[0].contains("keeps its parent") && said[0].contains("“ulna check” warns"),
        "{said:?}"
    );
}
