//! Binding commands on small difficult bodies, and on more models of the corpus.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::BTreeSet, path::Path};

use glam::{Mat4, Vec3};
use serde_json::{Value, json};
use ulna_edit::{
    CommandLine, Edit,
    command::{BindReason, BindReport, bind_joints, field::ChooseJoints},
};
use ulna_formats::gltf::Progress;
use ulna_model::{Document, JointSlot, NodeId, WeightMap};
use ulna_session::Session;
use ulna_weights::{SkinnedSurface, layers::Sides};

use crate::common::{glb, named, run, sample, shared, skipped};

const METHODS: [&str; 4] = ["auto", "heat", "voxel", "distance"];
const RINGS: usize = 13;
const SIDES: usize = 8;

/// A tube along four joints, with a skin but without weights.
#[derive(Clone, Copy)]
struct TubeBody {
    /// Meters per unit of the tube.
    scale: f32,
    /// Distance between two joints, in units.
    step: f32,
    /// Whether the winding is reversed.
    flipped: bool,
    /// Whether each triangle has its own vertices.
    soup: bool,
    /// Whether degenerate triangles are added: without area, and with the same vertex twice.
    degenerate: bool,
    /// Whether the mesh has only one triangle.
    one_triangle: bool,
    /// Whether positions are 16-bit numbers that the inverse bind matrices decode.
    quantized: bool,
    /// Whether the joints have a mirrored scale.
    mirrored: bool,
    /// Whether the mesh has a morph target.
    morphed: bool,
    /// Number of skins. Each has its own mesh, and all use the same joints.
    skins: usize,
    /// Whether the skin has inverse bind matrices.
    binds: bool,
}

const TUBE: TubeBody = TubeBody {
    scale: 1.0,
    step: 1.0,
    flipped: false,
    soup: false,
    degenerate: false,
    one_triangle: false,
    quantized: false,
    mirrored: false,
    morphed: false,
    skins: 1,
    binds: true,
};

impl TubeBody {
    fn shape(&self) -> (Vec<Vec3>, Vec<u16>) {
        let mut points = Vec::new();
        for ring in 0..RINGS {
            let y = 4.0 * ring as f32 / (RINGS - 1) as f32 - 0.5;
            for side in 0..SIDES {
                let (sin, cos) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
                points.push(Vec3::new(cos * 0.3, y, sin * 0.3));
            }
        }
        let mut indices = Vec::new();
        for ring in 0..RINGS as u16 - 1 {
            for side in 0..SIDES as u16 {
                let (a, b) = (ring * 8 + side, ring * 8 + (side + 1) % 8);
                indices.extend([a, a + 8, b, b, a + 8, b + 8]);
            }
        }
        if self.one_triangle {
            (points, indices) = (points[..3].to_vec(), vec![0, 1, 2]);
        }
        if self.degenerate {
            indices.extend([0, 0, 1, 2, 2, 2, 0, 8, 0]);
            points.push(points[0]);
            indices.extend([0, points.len() as u16 - 1, 1]);
        }
        if self.soup {
            points = indices.iter().map(|k| points[usize::from(*k)]).collect();
            indices = (0..points.len() as u16).collect();
        }
        if self.flipped {
            indices.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
        }
        (points, indices)
    }

    fn glb(&self) -> Vec<u8> {
        let (points, indices) = self.shape();
        let mut bin = Vec::new();
        let mut views = Vec::new();
        let mut add = |bytes: Vec<u8>, stride: Option<usize>| {
            bin.resize(bin.len().next_multiple_of(4), 0);
            let mut view = json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()});
            if let Some(stride) = stride {
                view["byteStride"] = json!(stride);
            }
            views.push(view);
            bin.extend(bytes);
            views.len() - 1
        };
        const STEPS: f32 = 1000.0;
        let flat = |p: &Vec3| (*p * self.scale).to_array();
        let low = points.iter().fold(Vec3::INFINITY, |l, p| l.min(*p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |h, p| h.max(*p));
        let positions = if self.quantized {
            let one = |p: &Vec3| -> Vec<u8> {
                let steps = (*p * STEPS).round().to_array().map(|v| v as i16);
                steps.iter().chain(&[0]).flat_map(|v| v.to_le_bytes()).collect()
            };
            let (low, high) = ((low * STEPS).round(), (high * STEPS).round());
            let view = add(points.iter().flat_map(one).collect(), Some(8));
            json!({"bufferView": view, "componentType": 5122, "count": points.len(),
                "type": "VEC3", "min": low.to_array(), "max": high.to_array()})
        } else {
            let bytes = points.iter().flat_map(flat).flat_map(f32::to_le_bytes).collect();
            let view = add(bytes, None);
            json!({"bufferView": view, "componentType": 5126, "count": points.len(),
                "type": "VEC3", "min": (low * self.scale).to_array(),
                "max": (high * self.scale).to_array()})
        };
        let view = add(indices.iter().flat_map(|k| k.to_le_bytes()).collect(), None);
        let corners = json!({"bufferView": view, "componentType": 5123, "count": indices.len(),
            "type": "SCALAR"});
        let turned = if self.mirrored { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        let decoded = if self.quantized { self.scale / STEPS } else { 1.0 };
        let bind = |k: usize| {
            let head = Vec3::Y * self.step * self.scale * k as f32;
            let world = Mat4::from_translation(head) * Mat4::from_scale(turned);
            world.inverse() * Mat4::from_scale(Vec3::splat(decoded))
        };
        let binds: Vec<u8> =
            (0..4).flat_map(|k| bind(k).to_cols_array()).flat_map(f32::to_le_bytes).collect();
        let view = add(binds, None);
        let binds = json!({"bufferView": view, "componentType": 5126, "count": 4, "type": "MAT4"});
        let mut nodes: Vec<Value> = ["Low", "Middle", "High", "Top"]
            .iter()
            .enumerate()
            .map(|(k, name)| {
                let step = if k == 0 { 0.0 } else { self.step * self.scale };
                let mut node = json!({"name": name, "translation": [0.0, step, 0.0]});
                if k == 0 {
                    node["scale"] = json!(turned.to_array());
                }
                if k < 3 {
                    node["children"] = json!([k + 1]);
                }
                node
            })
            .collect();
        let mut primitive = json!({"attributes": {"POSITION": 0}, "indices": 1});
        if self.morphed {
            primitive["targets"] = json!([{"POSITION": 0}]);
        }
        let meshes: Vec<Value> =
            (0..self.skins).map(|_| json!({"primitives": [primitive]})).collect();
        let skins: Vec<Value> = (0..self.skins)
            .map(|_| match self.binds {
                true => json!({"joints": [0, 1, 2, 3], "inverseBindMatrices": 2}),
                false => json!({"joints": [0, 1, 2, 3]}),
            })
            .collect();
        let mut roots = vec![0];
        for k in 0..self.skins {
            roots.push(nodes.len());
            nodes.push(json!({"name": format!("Body{k}"), "mesh": k, "skin": k}));
        }
        let mut file = json!({
            "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, "meshes": meshes,
            "skins": skins, "accessors": [positions, corners, binds], "bufferViews": views,
        });
        if self.quantized {
            file["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
            file["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        }
        glb(file, &bin)
    }

    fn open(&self) -> Session {
        Session::open_bytes(&self.glb()).unwrap()
    }
}

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn refused(session: &mut Session, line: CommandLine) -> &'static str {
    session.run_line(&line).map(|_| ()).expect_err(&line.to_string()).code()
}

fn maps(document: &Document) -> Vec<WeightMap> {
    let all = document.meshes.values().flat_map(|m| &m.primitives);
    all.filter_map(|p| p.weights.as_deref()).cloned().collect()
}

/// Asserts that the weights of each vertex sum to 1. Returns the number of vertices.
fn weighted(document: &Document, about: &str) -> usize {
    let mut count = 0;
    for node in document.nodes.values().filter(|n| n.skin.is_some()) {
        let Some(mesh) = node.mesh else { continue };
        for p in &document.mesh(mesh).primitives {
            let map = p.weights.as_deref().unwrap_or_else(|| panic!("{about}: no weights"));
            assert_eq!(map.vertex_count(), p.positions.len(), "{about}");
            for v in 0..map.vertex_count() {
                let sum: f32 = map.vertex(v).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 2e-5, "{about}: vertex {v} sums to {sum}");
            }
            count += map.vertex_count();
        }
    }
    count
}

#[test]
fn difficult_bodies_are_bound_by_every_method() {
    let bodies = [
        ("plain", TUBE),
        ("0.3 mm", TubeBody { scale: 0.000_075, ..TUBE }),
        ("3 km", TubeBody { scale: 750.0, ..TUBE }),
        ("flipped", TubeBody { flipped: true, ..TUBE }),
        ("soup", TubeBody { soup: true, ..TUBE }),
        ("degenerate", TubeBody { degenerate: true, ..TUBE }),
        ("one triangle", TubeBody { one_triangle: true, ..TUBE }),
        ("quantized", TubeBody { quantized: true, ..TUBE }),
        ("mirrored", TubeBody { mirrored: true, ..TUBE }),
        ("morphed", TubeBody { morphed: true, ..TUBE }),
        ("two skins", TubeBody { skins: 2, ..TUBE }),
        ("no length", TubeBody { step: 0.0, ..TUBE }),
    ];
    let mut ran = 0;
    for method in METHODS {
        let mut plain: Option<Vec<WeightMap>> = None;
        for (name, body) in bodies {
            let about = format!("{name}, {method}");
            let mut session = body.open();
            let said = run(&mut session, line("weights.bind").with("method", method));
            assert!(said[0].contains("weights by"), "{about}: {said:?}");
            session.document().check().unwrap_or_else(|e| panic!("{about}: {e}"));
            assert!(weighted(session.document(), &about) > 0, "{about}");
            let report = session.take_bind_report().unwrap();
            let vertices: usize = report.pieces.iter().map(|piece| piece.vertices).sum();
            let all: usize = session.document().meshes.values().map(|m| m.vertex_count()).sum();
            assert_eq!(vertices + report.loose, all, "{about}");
            let found = maps(session.document());
            match (name, &plain) {
                ("plain", _) => plain = Some(found),
                // Size, winding and disconnected triangles must not change the weights.
                ("0.3 mm" | "3 km" | "flipped" | "mirrored" | "morphed", Some(plain)) => {
                    assert_alike(&found[0], &plain[0], &about)
                }
                _ => {}
            }
            session.undo();
            assert!(maps(session.document()).is_empty(), "{about}");
            ran += 1;
        }
    }
    assert_eq!(ran, 48);
    let mut session = TubeBody { binds: false, ..TUBE }.open();
    assert_eq!(refused(&mut session, line("weights.bind")), "no_bind_matrices");
}

fn assert_alike(a: &WeightMap, b: &WeightMap, about: &str) {
    for v in 0..b.vertex_count() {
        for joint in 0..4 {
            let (a, b) = (a.weight(v, joint), b.weight(v, joint));
            assert!((a - b).abs() < 0.02, "{about}: vertex {v}, joint {joint}: {a} and {b}");
        }
    }
}

/// A body of boxes without a skin, and one joint for each possible bind reason.
fn kinds() -> Session {
    let bone = |name: &str, parent: Option<usize>, at: [f32; 3]| (name.to_owned(), parent, at);
    let joints = [
        bone("root", None, [0.0, 0.0, 0.0]),
        bone("hips", Some(0), [0.0, 1.0, 0.0]),
        bone("spine", Some(1), [0.0, 1.4, 0.0]),
        bone("tail_end", Some(1), [0.0, 1.0, -0.1]),
        bone("tail_tip", Some(3), [0.0, 1.0, -0.2]),
        bone("head", Some(2), [0.0, 1.8, 0.0]),
        bone("head_end", Some(5), [0.0, 2.0, 0.0]),
        bone("antenna_1", Some(5), [0.0, 3.0, 0.0]),
        bone("antenna_2", Some(7), [0.0, 1.9, 0.1]),
        bone("hand_ik", Some(0), [0.2, 1.2, 0.0]),
        bone("hand_slot", Some(2), [0.2, 1.3, 0.0]),
        bone("pole", Some(0), [0.0, 1.0, 2.0]),
        bone("pointer", Some(1), [0.0, 1.0, 3.0]),
        bone("pointer_2", Some(12), [0.0, 1.0, 4.0]),
    ];
    let mut nodes: Vec<Value> = Vec::new();
    for (k, (name, parent, at)) in joints.iter().enumerate() {
        let above = parent.map_or([0.0; 3], |p| joints[p].2);
        let own: Vec<f32> = (0..3).map(|k| at[k] - above[k]).collect();
        let children: Vec<usize> = (0..joints.len()).filter(|c| joints[*c].1 == Some(k)).collect();
        let mut node = json!({"name": name, "translation": own});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    nodes.push(json!({"name": "Body", "mesh": 0}));
    let (mut points, mut indices) = (Vec::new(), Vec::<u16>::new());
    let corner = |k: usize| {
        let side = |bit: usize, low: f32, high: f32| if k >> bit & 1 == 0 { low } else { high };
        [side(0, -0.3, 0.3), side(1, 0.8, 2.05), side(2, -0.3, 0.3)]
    };
    points.extend((0..8).flat_map(corner));
    for face in [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    {
        let [a, b, c, d] = face;
        indices.extend([a, b, c, a, c, d]);
    }
    let mut bin: Vec<u8> = points.iter().flat_map(|v: &f32| v.to_le_bytes()).collect();
    let split = bin.len();
    bin.extend(indices.iter().flat_map(|k| k.to_le_bytes()));
    let file = json!({
        "scene": 0, "scenes": [{"nodes": [0, nodes.len() - 1]}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
                "min": [-0.3, 0.8, -0.3], "max": [0.3, 2.05, 0.3]},
            {"bufferView": 1, "componentType": 5123, "count": indices.len(), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": bin.len() - split},
        ],
    });
    Session::open_bytes(&glb(file, &bin)).unwrap()
}

fn reasons(document: &Document, joints: &[NodeId]) -> Vec<(String, BindReason)> {
    let body = named(document, "Body");
    bind_joints(document, &[body], joints, ChooseJoints::Shape)
        .iter()
        .map(|joint| (document.node(joint.node).label(joint.node), joint.reason))
        .collect()
}

#[test]
fn each_joint_has_a_reason_for_or_against_binding_before_and_after_the_skin_exists() {
    let mut session = kinds();
    let document = session.document();
    let body = named(document, "Body");
    let joints: Vec<NodeId> = document.node_ids().filter(|n| *n != body).collect();
    let wanted = [
        ("root", BindReason::Root),
        ("hips", BindReason::Inside),
        ("spine", BindReason::Inside),
        ("tail_end", BindReason::Inside),
        ("tail_tip", BindReason::Inside),
        ("head", BindReason::Inside),
        ("head_end", BindReason::LeafEnd),
        ("antenna_1", BindReason::Inside),
        ("antenna_2", BindReason::Inside),
        ("hand_ik", BindReason::Control),
        ("hand_slot", BindReason::Socket),
        ("pole", BindReason::Control),
        ("pointer", BindReason::Outside),
        ("pointer_2", BindReason::Outside),
    ]
    .map(|(name, reason)| (name.to_owned(), reason));
    assert_eq!(reasons(document, &joints), wanted);
    let made = run(&mut session, line("skin.create").with("node", "Body").with("joint", "root"));
    assert!(made[0].contains("root (root of the skeleton)"), "{made:?}");
    let document = session.document();
    let body = named(document, "Body");
    let skin = document.node(body).skin.unwrap();
    let mut again = reasons(document, &document.skin(skin).joints);
    // The skin lists its joints by depth, so they are sorted back to the expected order.
    again.sort_by_key(|(name, _)| wanted.iter().position(|(w, _)| w == name));
    assert_eq!(again, wanted);
    let report = session.take_bind_report().unwrap();
    let left_out: Vec<BindReason> = report.left_out.iter().map(|joint| joint.reason).collect();
    assert_eq!(left_out.len(), 7, "{left_out:?}");
    // The mesh has weights only for the joints that it was bound to.
    let document = session.document();
    let ticks = bind_joints(document, &[body], &document.skin(skin).joints, ChooseJoints::Weights);
    assert!(ticks.iter().all(|joint| joint.deforms == joint.moves_vertices), "{ticks:?}");
    assert!(ticks.iter().any(|joint| joint.reason == BindReason::MovesNothing));
    assert!(bind_joints(document, &[body], &[], ChooseJoints::Shape).is_empty());
    let none = bind_joints(document, &[], &document.skin(skin).joints, ChooseJoints::Shape);
    assert_eq!(none.len(), wanted.len());
}

#[test]
fn binding_a_new_skin_equals_binding_an_existing_one() {
    for (key, value) in [("method", json!("voxel")), ("sharpness", json!(4)), ("limit", json!(2))] {
        let mut at_once = kinds();
        let create = || line("skin.create").with("node", "Body").with("joint", "root");
        run(&mut at_once, create().with(key, value.clone()));
        let mut later = kinds();
        run(&mut later, create());
        let again = line("weights.bind").with("rebind", "all").with("choose", "shape");
        run(&mut later, again.with(key, value));
        let (a, b) = (maps(at_once.document()), maps(later.document()));
        for v in 0..a[0].vertex_count() {
            for joint in 0..14 {
                let off = a[0].weight(v, joint) - b[0].weight(v, joint);
                assert!(off.abs() < 1e-5, "{key}: vertex {v}, joint {joint}");
            }
        }
        at_once.undo();
        assert!(at_once.pack("x").unwrap().bytes == at_once.source().bytes);
    }
    let create = line("skin.create").with("node", "Body").with("joint", "root");
    assert_eq!(refused(&mut kinds(), create.with("grid", 8)), "argument_out_of_range");
}

#[test]
fn symmetric_weights_are_equal_on_both_sides() {
    let off = |mut session: Session, symmetric: bool| {
        let bind = line("weights.bind").with("rebind", "all").with("symmetric", symmetric);
        run(&mut session, bind);
        let document = session.document();
        let skin = document.skins.ids().next().unwrap();
        let surface = SkinnedSurface::new(document, skin).unwrap();
        let sides = Sides::of(document, &surface).unwrap();
        let maps = surface.maps(document);
        let (mut worst, mut pairs) = (0.0f32, 0);
        for v in 0..surface.vertex_count() as u32 {
            let Some(other) = sides.pairs.point(surface.point_of(v)) else { continue };
            let (own, at) = maps.map_of(v);
            let (mirrored, there) = maps.map_of(surface.first_at(other));
            // An unused slot has joint 0, so slots without weight are skipped.
            for (joint, weight) in own.vertex(at).filter(|(_, weight)| *weight > 0.0) {
                let across = sides.pairs.across(JointSlot(joint));
                let d = (weight - mirrored.weight(there, across.0)).abs();
                worst = worst.max(d);
            }
            pairs += 1;
        }
        assert!(pairs > 1000, "{pairs}");
        worst
    };
    let (with, without) = (off(sample(), true), off(sample(), false));
    // The sample has symmetric joints, so its weights are nearly symmetric even without the option.
    assert!(with < 0.002 && with <= without, "{with} {without}");
    let mut bare = TUBE.open();
    assert_eq!(refused(&mut bare, line("weights.bind").with("symmetric", true)), "sides_unknown");
}

#[test]
fn weights_by_distance_end_at_the_envelope() {
    let influences = |envelope: Option<f32>| {
        let mut session = TUBE.open();
        let mut bind = line("weights.bind").with("method", "distance").with("passes", 0);
        if let Some(envelope) = envelope {
            bind = bind.with("envelope", envelope);
        }
        run(&mut session, bind);
        weighted(session.document(), "envelope");
        let map = maps(session.document()).remove(0);
        (0..map.vertex_count()).map(|v| map.vertex(v).filter(|(_, w)| *w > 0.0).count()).sum()
    };
    let (free, wide, narrow): (usize, usize, usize) =
        (influences(None), influences(Some(0.6)), influences(Some(0.05)));
    assert!(narrow < wide && wide < free, "{narrow} {wide} {free}");
    // Outside all envelopes, each vertex has only its nearest bone.
    assert_eq!(narrow, RINGS * SIDES);
    let mut session = TUBE.open();
    let heat = line("weights.bind").with("envelope", 0.5);
    assert_eq!(refused(&mut session, heat.clone()), "arguments_together");
    let far = heat.with("method", "distance").with("envelope", 50);
    assert_eq!(refused(&mut session, far), "argument_out_of_range");
}

fn rebound(session: &mut Session, rigid: Value) -> BindReport {
    run(session, line("weights.bind").with("rebind", "all").with("rigid", rigid));
    *session.take_bind_report().unwrap()
}

#[test]
fn rigid_pieces_follow_one_joint() {
    // Each of the two skins has one tube, which is one connected piece.
    let mut session = TubeBody { skins: 2, ..TUBE }.open();
    run(&mut session, line("weights.bind"));
    let report = *session.take_bind_report().unwrap();
    assert_eq!(report.pieces.len(), 2, "one per skin");
    assert!(report.pieces.iter().all(|piece| !piece.is_rigid));
    assert_eq!(report.parts.len(), 2);
    assert!(report.parts[1].piece_of.iter().all(|piece| *piece == Some(1)), "numbers go on");
    let bad = line("weights.bind").with("rebind", "all").with("rigid", json!([7]));
    assert_eq!(refused(&mut session, bad), "argument_out_of_range");
    let Some(folder) = shared() else { return skipped("characters") };
    let path = folder.join("corpus/characters/Robot/robot.glb");
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    let report = rebound(&mut session, json!("all"));
    let rigid = report.pieces.iter().filter(|piece| piece.is_rigid).count();
    assert!(report.pieces.len() > 50 && rigid > 20, "{} {rigid}", report.pieces.len());
    let number = report.pieces.iter().position(|piece| piece.is_rigid).unwrap();
    let (joint, confidence) = report.pieces[number].rigid.unwrap();
    assert!(confidence >= 0.8, "{confidence}");
    let only = rebound(&mut session, json!([number]));
    assert_eq!(only.pieces.iter().filter(|piece| piece.is_rigid).count(), 1);
    let document = session.document();
    let mut vertices = 0;
    for part in &only.parts {
        let found = &document.mesh(part.mesh).primitives[part.primitive.index()];
        let node = document.nodes.values().find(|n| n.mesh == Some(part.mesh)).unwrap();
        let joints = &document.skin(node.skin.unwrap()).joints;
        let slot = joints.iter().position(|j| *j == joint).unwrap() as u16;
        let own = part.piece_of.iter().enumerate();
        for (v, _) in own.filter(|(_, piece)| **piece == Some(number as u32)) {
            assert!(found.weights.as_deref().unwrap().weight(v, slot) > 0.999, "vertex {v}");
            vertices += 1;
        }
    }
    assert_eq!(vertices, only.pieces[number].vertices);
}

#[test]
fn meshes_with_cleared_weights_lose_their_skin_and_can_be_bound_again() {
    let mut session = sample();
    let meshes: Vec<String> =
        session.document().meshes.ids().map(|mesh| format!("#{}", mesh.0)).collect();
    let clear = line("weights.clear").with("mesh", meshes.clone());
    let said = run(&mut session, clear.clone());
    assert!(said[0].contains("were removed"), "{said:?}");
    assert!(maps(session.document()).is_empty());
    session.document().check().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bare.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let twice = run(&mut session, clear);
    assert!(twice[0].contains("no weights"), "{twice:?}");
    let document = session.document();
    let skin = document.skins.ids().next().unwrap();
    let joints: Vec<String> =
        document.skin(skin).joints.iter().map(|joint| document.path(*joint)).collect();
    let body = document.node_ids().find(|n| document.node(*n).mesh.is_some()).unwrap();
    assert_eq!(document.node(body).skin, None);
    let create = line("skin.create").with("node", document.path(body)).with("joint", joints);
    run(&mut session, create);
    assert_eq!(session.document().node(body).skin, Some(skin), "it is the skin that is there");
    assert!(weighted(session.document(), "bound again") > 1000);
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    session.undo();
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn joints_can_be_added_to_a_skin_and_removed() {
    let mut session = kinds();
    run(
        &mut session,
        line("skin.create").with("node", "Body").with("joint", json!(["hips", "spine"])),
    );
    let skin = |session: &Session| {
        let document = session.document();
        let id = document.skins.ids().next().unwrap();
        document.skin(id).clone()
    };
    let before = maps(session.document());
    let added = run(&mut session, line("skin.add_joints").with("joint", json!(["head", "hips"])));
    assert!(added[0].contains("1 joint added"), "{added:?}");
    let now = skin(&session);
    assert_eq!((now.joints.len(), now.inverse_bind.len()), (3, 3));
    let head = now.inverse_bind[2].inverse().w_axis.truncate();
    assert!((head - Vec3::Y * 1.8).length() < 1e-5, "{head}");
    assert!(maps(session.document())[0].weights == before[0].weights, "no weights change");
    session.document().check().unwrap();
    let same = run(&mut session, line("skin.add_joints").with("joint", "head"));
    assert!(same[0].contains("already"), "{same:?}");
    let body = line("skin.add_joints").with("joint", "Body");
    assert_eq!(refused(&mut session, body), "mesh_is_no_joint");
    let removed = run(&mut session, line("skin.remove_joints").with("joint", "head"));
    assert!(removed[0].contains("1 joint removed"), "{removed:?}");
    assert_eq!(skin(&session).joints.len(), 2);
    let spine = || line("skin.remove_joints").with("joint", "spine");
    assert_eq!(refused(&mut session, spine()), "joints_have_weights");
    run(&mut session, spine().with("give", true));
    assert_eq!(skin(&session).joints.len(), 1);
    let map = maps(session.document()).remove(0);
    assert!((0..map.vertex_count()).all(|v| (map.weight(v, 0) - 1.0).abs() < 1e-5));
    let last = line("skin.remove_joints").with("joint", "hips").with("give", true);
    assert_eq!(refused(&mut session, last), "last_joint");
    let other = line("skin.remove_joints").with("joint", "head");
    assert_eq!(refused(&mut session, other), "no_joints_meant");
    while session.undo().is_some() {}
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
    let mut two = TubeBody { skins: 2, ..TUBE }.open();
    let unclear = line("skin.add_joints").with("joint", "Top");
    assert_eq!(refused(&mut two, unclear), "argument_missing");
    let mut quantized = TubeBody { quantized: true, ..TUBE }.open();
    run(&mut quantized, line("skin.remove_joints").with("joint", "Top"));
    run(&mut quantized, line("skin.add_joints").with("joint", "Top"));
    let now = skin(&quantized);
    let found = now.inverse_bind[3].inverse().w_axis.truncate() / 1000.0;
    assert!((found - Vec3::Y * 3.0).length() < 1e-4, "{found}: the decoding is part of the bind");
}

/// More models of the corpus. Each is bound by every method.
const FURTHER: [&str; 10] = [
    "characters/Fox/Fox.glb",
    "characters/Robot/robot.glb",
    "characters/GdBot/gdbot.glb",
    "characters/Sintel/human-sintel.glb",
    "characters/Panda/fox-panda.glb",
    "characters/Hands/RightHand.glb",
    "characters/Spider/gltf_spider_animated.gltf",
    "characters/RiggedSimple/RiggedSimple.glb",
    "vrm/cryptovoxels.vrm",
    "blender-io/03_skinned_cylinder/03_skinned_cylinder.gltf",
];

#[test]
fn further_corpus_models_are_bound_by_every_method() {
    let Some(folder) = shared() else { return skipped("models") };
    let mut ran = 0;
    for name in FURTHER {
        let path = folder.join("corpus").join(Path::new(name));
        for method in METHODS {
            let about = format!("{name}, {method}");
            let mut session = Session::open(&path, &Progress::default()).unwrap();
            let document = session.document();
            let skinned = document.nodes.values().filter(|n| n.skin.is_some());
            let meshes: BTreeSet<_> = skinned.filter_map(|n| n.mesh).collect();
            let all = meshes.into_iter().flat_map(|mesh| {
                let entries = document.mesh(mesh).entries();
                entries.map(move |(primitive, _)| Edit::BindWeights { mesh, primitive, to: None })
            });
            let all: Vec<Edit> = all.collect();
            session.preview("Throw the weights away", all).unwrap();
            session.commit();
            run(&mut session, line("weights.bind").with("method", method));
            assert!(weighted(session.document(), &about) > 0, "{about}");
            ran += 1;
        }
    }
    assert_eq!(ran, FURTHER.len() * METHODS.len());
}
