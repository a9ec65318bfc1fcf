//! Weights: whatever is painted, and whatever tool is run, the rule holds after every dab.

use glam::Vec3;
use proptest::prelude::*;
use ulna::{
    edit::{CommandLine, Edit},
    model::{Document, MeshId, Primitive, SkinId, WeightEncoding, WeightMap},
    session::Session,
    weights::{Brush, BrushKind, Canvas, Dab, Falloff, Paint, PosedCanvas, Reach, Stroke, Touch, fault},
};

fn sample() -> Session {
    Session::open_bytes(include_bytes!("../assets/mannequin.glb")).expect("the sample")
}

fn map(document: &Document, mesh: MeshId, primitive: usize) -> &WeightMap {
    document.mesh(mesh).primitives[primitive].weights.as_deref().expect("weights")
}

/// The sample with its weights kept in another type: written so, opened, and settled by *Normalise all*.
fn with_encoding(encoding: WeightEncoding) -> Session {
    let mut session = sample();
    if encoding == WeightEncoding::Float {
        return session;
    }
    let mut edits = Vec::new();
    for (mesh, m) in session.document().meshes.iter().enumerate() {
        for (primitive, p) in m.primitives.iter().enumerate() {
            let Some(map) = p.weights.as_deref() else { continue };
            let weights: Vec<f32> = map.weights.iter().map(|w| encoding.decode(encoding.encode(*w))).collect();
            let to = WeightMap { weights: weights.into(), encoding, ..map.clone() };
            edits.push(Edit::SetWeights { mesh: mesh.into(), primitive, to: to.into() });
        }
    }
    session.preview("Another type", edits).expect("it fits");
    session.commit(Vec::new());
    let bytes = session.pack("x").expect("it packs").bytes;
    let mut session = Session::open_bytes(&bytes).expect("the sample with whole weights");
    assert_eq!(map(session.document(), MeshId(0), 0).encoding, encoding);
    session.run(&CommandLine::new("weights.normalize")).expect("normalises");
    session
}

fn positions(document: &Document, canvas: &Canvas) -> (Vec<Vec3>, Vec<Vec3>) {
    let primitive =
        |p: &ulna::weights::CanvasPart| -> Primitive { document.mesh(p.mesh).primitives[p.primitive].clone() };
    let all: Vec<Primitive> = canvas.parts().iter().map(primitive).collect();
    (
        all.iter().flat_map(|p| p.positions.to_vec()).collect(),
        all.iter().flat_map(|p| ulna::motion::skinning::base_normals(p).to_vec()).collect(),
    )
}

/// What a random stroke is made of.
#[derive(Clone, Debug)]
struct Plan {
    encoding: WeightEncoding,
    brush: Brush,
    joint: usize,
    locked: Vec<usize>,
    limit: usize,
    dabs: Vec<(usize, f32)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let encoding = prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte]);
    let kind = prop::sample::select(BrushKind::ALL.to_vec());
    let reach = prop::sample::select(Reach::ALL.to_vec());
    let falloff = prop::sample::select(Falloff::PRESETS.to_vec());
    let numbers = (0.05f32..1.0, 0.0f32..1.0, 0.02f32..0.3);
    let flags = prop::array::uniform3(any::<bool>());
    let lists = (prop::collection::vec(0usize..64, 0..6), prop::collection::vec((0usize..100_000, 0.2f32..1.0), 1..8));
    (encoding, kind, reach, falloff, numbers, flags, 0usize..64, 1usize..5, lists).prop_map(
        |(encoding, kind, reach, falloff, (strength, value, _), flags, joint, limit, (locked, dabs))| Plan {
            encoding,
            brush: Brush {
                kind,
                reach,
                falloff,
                strength,
                value,
                build_up: flags[0],
                front_only: flags[1],
                this_joint: flags[2],
                ..Brush::default()
            },
            joint,
            locked,
            limit,
            dabs,
        },
    )
}

/// Asserts the rule for every vertex that a patch touched.
fn rule_holds(before: &WeightMap, after: &WeightMap, vertices: &[u32], locked: &[bool], limit: usize) {
    for v in vertices {
        let v = *v as usize;
        let found = fault(after, v, limit.max(before.vertex(v).filter(|(_, w)| *w > 0.0).count()));
        assert_eq!(found, None, "vertex {v}: {:?}", after.vertex(v).collect::<Vec<_>>());
        let mut last = f32::INFINITY;
        for (_, w) in after.vertex(v) {
            assert!(w <= last, "not the strongest first");
            last = w;
        }
        for (j, w) in before.vertex(v).filter(|(j, w)| locked[usize::from(*j)] && *w > 0.0) {
            assert_eq!(after.weight(v, j).to_bits(), w.to_bits(), "joint {j} is locked");
        }
        for (j, w) in after.vertex(v).filter(|(j, w)| locked[usize::from(*j)] && *w > 0.0) {
            assert_eq!(before.weight(v, j).to_bits(), w.to_bits(), "joint {j} is locked");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_rule_holds_after_every_dab_and_undo_is_exact(plan in plans()) {
        let mut session = with_encoding(plan.encoding);
        let canvas = Canvas::new(session.document(), SkinId(0)).expect("a canvas");
        let opened = session.document().clone();
        let steps = session.history().done().len();
        let joints = canvas.joints().len();
        let mut locked = vec![false; joints];
        plan.locked.iter().for_each(|j| locked[j % joints] = true);
        let (positions, normals) = positions(session.document(), &canvas);
        let posed = PosedCanvas { positions: &positions, normals: &normals };
        let paint = Paint {
            brush: plan.brush,
            joint: (plan.joint % joints) as u16,
            locked: &locked,
            limit: plan.limit,
            mirror: None,
        };
        let mut stroke = Stroke::new(&canvas);
        let mut touched = 0;
        for (spot, radius) in &plan.dabs {
            let vertex = (spot % canvas.vertex_count()) as u32;
            let at = positions[vertex as usize];
            let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius: radius * 0.3 };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::new(0.01, 0.02, 0.0) };
            let patches = stroke.dab(session.document(), &canvas, posed, &dab, &paint);
            for (part, patch) in patches {
                let part = canvas.parts()[part];
                let before = map(session.document(), part.mesh, part.primitive).clone();
                let vertices = patch.vertices.clone();
                touched += vertices.len();
                session.extend("Paint", part.mesh, part.primitive, patch).expect("it fits");
                let after = map(session.document(), part.mesh, part.primitive);
                rule_holds(&before, after, &vertices, &locked, plan.limit);
                // Nobody else moved.
                let hit: std::collections::BTreeSet<u32> = vertices.into_iter().collect();
                for v in (0..after.vertex_count()).filter(|v| !hit.contains(&(*v as u32))) {
                    prop_assert!(before.vertex(v).eq(after.vertex(v)));
                }
            }
        }
        let committed = session.commit(Vec::new());
        prop_assert_eq!(committed, *session.document() != opened);
        prop_assert!(touched > 0 || !committed);
        let painted = session.document().clone();
        if committed {
            // Its text form does the same, in a file that was opened anew.
            let lines = session.history().done().last().expect("a step").lines(&painted);
            let mut again = with_encoding(plan.encoding);
            for line in &lines {
                again.run(&CommandLine::parse(&line.to_string()).expect("a line")).expect("it replays");
            }
            prop_assert!(*again.document() == painted);
            // What is saved is what is shown.
            let saved = session.pack("x").expect("it packs");
            let back = Session::open_bytes(&saved.bytes).expect("it opens");
            for (k, mesh) in painted.meshes.iter().enumerate() {
                for (p, primitive) in mesh.primitives.iter().enumerate() {
                    prop_assert_eq!(&primitive.weights, &back.document().meshes[k].primitives[p].weights);
                }
            }
            session.undo();
        }
        prop_assert!(*session.document() == opened);
        prop_assert_eq!(session.history().done().len(), steps);
    }
}
