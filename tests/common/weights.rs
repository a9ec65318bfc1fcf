//! Files with weights for tests, and the rules that all weights must keep.

use super::sample;
use std::sync::OnceLock;

use glam::Vec3;
use ulna_edit::{CommandLine, Edit};
use ulna_model::{
    Document, JointSlot, MeshId, Primitive, PrimitiveId, SkinId, WeightEncoding, WeightMap,
};
use ulna_motion::MirrorPairs;
use ulna_session::Session;
use ulna_weights::{Influences, Maps, SkinnedSurface, fault};

pub fn map(document: &Document, mesh: MeshId, primitive: PrimitiveId) -> &WeightMap {
    document.mesh(mesh).primitives[primitive.index()].weights.as_deref().expect("weights")
}

/// Opens the sample with weights of another stored type. They are written, opened and normalized.
pub fn with_encoding(encoding: WeightEncoding) -> Session {
    let mut session = sample();
    if encoding == WeightEncoding::Float {
        return session;
    }
    let mut edits = Vec::new();
    for (mesh, m) in session.document().meshes.iter() {
        for (primitive, p) in m.entries() {
            let Some(map) = p.weights.as_deref() else { continue };
            let weights: Vec<f32> =
                map.weights.iter().map(|w| encoding.decode(encoding.encode(*w))).collect();
            let to = WeightMap { weights: weights.into(), encoding, ..map.clone() };
            edits.push(Edit::SetWeights { mesh, primitive, to: to.into() });
        }
    }
    session.preview("Another type", edits).expect("it fits");
    session.commit();
    let bytes = session.pack("x").expect("it packs").bytes;
    let mut session = Session::open_bytes(&bytes).expect("the sample with whole weights");
    assert_eq!(map(session.document(), MeshId(0), PrimitiveId(0)).encoding, encoding);
    session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes");
    session
}

/// Opens the sample like [`with_encoding`], with two `JOINTS_n` and `WEIGHTS_n` sets, and more than
/// four joints on many vertices.
pub fn with_eight(encoding: WeightEncoding) -> Session {
    static FILES: [OnceLock<std::sync::Arc<Vec<u8>>>; 3] = [const { OnceLock::new() }; 3];
    let bytes = FILES[encoding as usize].get_or_init(|| {
        let mut session = with_encoding(encoding);
        session.run_line(&CommandLine::new("weights.sets").with("sets", 2)).expect("two sets");
        session.run_line(&CommandLine::new("weights.smooth").with("passes", 40)).expect("smooths");
        let many =
            (0..map(session.document(), MeshId(0), PrimitiveId(0)).vertex_count()).filter(|v| {
                let used = map(session.document(), MeshId(0), PrimitiveId(0))
                    .vertex(*v)
                    .filter(|(_, w)| *w > 0.0);
                used.count() > 4
            });
        assert!(many.count() > 300);
        session.pack("x").expect("it packs").bytes
    });
    Session::open_bytes(bytes).expect("the sample with two sets")
}

/// Returns the axis and position of the first skin's mirror plane, and the mirror partners of its
/// joints.
pub fn partners(document: &Document) -> (usize, f32, Vec<Option<JointSlot>>) {
    let roles = MirrorPairs::of(document, SkinId(0));
    (roles.axis(), roles.offset(), roles.mirror_joints())
}

pub fn positions(document: &Document, canvas: &SkinnedSurface) -> (Vec<Vec3>, Vec<Vec3>) {
    let primitive = |p: &ulna_weights::SurfacePart| -> Primitive {
        document.mesh(p.mesh).primitives[p.primitive.index()].clone()
    };
    let all: Vec<Primitive> = canvas.parts().iter().map(primitive).collect();
    (
        all.iter().flat_map(|p| p.positions.to_vec()).collect(),
        all.iter().flat_map(|p| ulna_motion::skinning::base_normals(p).to_vec()).collect(),
    )
}

/// Asserts that every vertex of a patch has valid weights.
pub fn rule_holds(
    before: &WeightMap,
    after: &WeightMap,
    vertices: &[u32],
    locked: &[bool],
    limit: usize,
) {
    for v in vertices {
        let v = *v as usize;
        let found = fault(after, v, limit.max(before.vertex(v).filter(|(_, w)| *w > 0.0).count()));
        assert_eq!(found, None, "vertex {v}: {:?}", after.vertex(v).collect::<Vec<_>>());
        let mut last = f32::INFINITY;
        for (_, w) in after.vertex(v) {
            assert!(w <= last, "not the strongest first");
            last = w;
        }
        // All slots of a joint count together: two slots of one joint become one in the file.
        let stored = |m: &WeightMap, j: u16| match m.encoding {
            WeightEncoding::Float => m.weight(v, j).to_bits(),
            encoding => encoding.encode(m.weight(v, j)),
        };
        for (j, _) in before
            .vertex(v)
            .chain(after.vertex(v))
            .filter(|(j, w)| locked[usize::from(*j)] && *w > 0.0)
        {
            assert_eq!(stored(after, j), stored(before, j), "joint {j} is locked");
        }
    }
}

/// Returns the bytes of the sample with weights of a stored type. They are computed once per type.
pub fn packed(encoding: WeightEncoding) -> &'static [u8] {
    static FILES: [OnceLock<Vec<u8>>; 3] = [const { OnceLock::new() }; 3];
    FILES[encoding as usize]
        .get_or_init(|| with_encoding(encoding).pack("x").expect("it packs").bytes.to_vec())
}

/// Makes weights invalid in several ways. The numbers in `harms` are applied to the vertices in
/// turn, and 0 means no change.
pub fn harm(map: &WeightMap, harms: &[u8]) -> WeightMap {
    let (mut joints, mut weights) = (map.joints.to_vec(), map.weights.to_vec());
    let mut not_numbers = Vec::new();
    let stride = map.stride();
    for v in 0..map.vertex_count() {
        let range = v * stride..(v + 1) * stride;
        let (js, ws) = (&mut joints[range.clone()], &mut weights[range]);
        match harms[v % harms.len()] {
            1 => ws.iter_mut().for_each(|w| *w *= 0.7),
            2 => ws.fill(0.0),
            3 => js[1] = js[0],
            4 if map.encoding == WeightEncoding::Float => ws[3] = -0.25,
            5 if map.encoding == WeightEncoding::Float => {
                ws[0] = 0.0;
                not_numbers.push(v as u32);
            }
            6 => ws.reverse(),
            7 => ws[2] = 1.0,
            _ => {}
        }
        if map.encoding != WeightEncoding::Float {
            ws.iter_mut().for_each(|w| *w = map.encoding.decode(map.encoding.encode(*w)));
        }
    }
    WeightMap {
        joints: joints.into(),
        weights: weights.into(),
        not_numbers: not_numbers.into(),
        ..map.clone()
    }
}

/// Returns the document with weights made invalid by `harms` and multiplied by factors. With
/// `evened`, weights have few different values, so that ties are common.
pub fn harmed(
    document: &Document,
    canvas: &SkinnedSurface,
    harms: &[u8],
    factors: &[f32],
    evened: bool,
) -> Document {
    let mut document = document.clone();
    for part in canvas.parts() {
        let mut to = harm(map(&document, part.mesh, part.primitive), harms);
        let stride = to.stride();
        for (v, slots) in to.weights.make_mut().chunks_exact_mut(stride).enumerate() {
            let factor = factors[v % factors.len()];
            slots
                .iter_mut()
                .for_each(|w| *w = if evened { (*w * 4.0).ceil() / 8.0 } else { *w * factor });
        }
        // No vectorized code handles maps with NaN weights.
        if harms.contains(&8) {
            to.not_numbers = [].into();
        }
        if let Some(found) = document.file.primitive_mut(part.mesh, part.primitive) {
            found.weights = Some(to.into());
        }
    }
    document
}

/// Computes the mean of the points around a vertex.
pub fn mean(canvas: &SkinnedSurface, maps: &Maps<'_>, vertex: u32, out: &mut Influences) {
    let ring = canvas.ring(canvas.point_of(vertex));
    for p in ring {
        let (joints, weights) = maps.slots(canvas.first_at(*p));
        for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            out.add(*j, *w * (1.0 / ring.len() as f32));
        }
    }
}

pub fn bits(weights: &[f32]) -> Vec<u32> {
    weights.iter().map(|w| w.to_bits()).collect()
}

/// Builds a flat sheet of 1 m × 1 m with `side` quads along each side, all split in the same
/// direction. It occurs in `primitives` primitives of one mesh. The first of its two joints has all
/// weights.
pub fn sheet(side: u16, primitives: usize) -> Session {
    let spot = |k: u16| f32::from(k) / f32::from(side);
    let corners = || (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y)));
    let mut bin: Vec<u8> =
        corners().flat_map(|(x, y)| super::floats(&[spot(x), spot(y), 0.0])).collect();
    let count = corners().count();
    bin.extend(vec![0; count * 4]);
    bin.extend(corners().flat_map(|_| super::floats(&[1.0, 0.0, 0.0, 0.0])));
    let before = bin.len();
    let quads = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
    let corners = quads.flat_map(|a| [a, a + 1, a + side + 1, a + 1, a + side + 2, a + side + 1]);
    bin.extend(corners.flat_map(u16::to_le_bytes));
    let (indices, end) = (usize::from(side) * usize::from(side) * 6, bin.len());
    let primitive = serde_json::json!({"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
            "indices": 3});
    let json = serde_json::json!({
        "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"name": "joint"}, {"name": "other"}],
        "skins": [{"joints": [1, 2]}],
        "meshes": [{"primitives": vec![primitive; primitives]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5123, "count": indices, "type": "SCALAR"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": count * 12},
            {"buffer": 0, "byteOffset": count * 12, "byteLength": count * 4},
            {"buffer": 0, "byteOffset": count * 16, "byteLength": count * 16},
            {"buffer": 0, "byteOffset": before, "byteLength": end - before}
        ]
    });
    Session::open_bytes(&super::glb(json, &bin)).expect("a sheet")
}

/// Number of squares along a side of the sheets in [`two_skins`].
pub const SQUARES: u16 = 8;
/// Builds two sheets with a skin each. The first one is in meters, has the joints A, B and C, and
/// all weights on A. The second one has units of `scale` meters, and is `offset` meters to the
/// right. Its joints have the order `second`, and all weights are on A, too.
pub fn two_skins(scale: f32, offset: f32, second: &[&str]) -> Vec<u8> {
    let spot = |k: u16| f32::from(k) / f32::from(SQUARES);
    let corners = || (0..=SQUARES).flat_map(|y| (0..=SQUARES).map(move |x| (x, y)));
    let count = corners().count();
    let node = |name: &str| 2 + ["A", "B", "C"].iter().position(|n| *n == name).expect("a joint");
    let mut bin: Vec<u8> =
        corners().flat_map(|(x, y)| super::floats(&[spot(x), spot(y), 0.0])).collect();
    bin.extend(
        corners()
            .flat_map(|(x, y)| super::floats(&[(spot(x) + offset) / scale, spot(y) / scale, 0.0])),
    );
    bin.extend(vec![0; count * 4]);
    let a = second.iter().position(|n| *n == "A").expect("A is a joint of both") as u8;
    bin.extend(corners().flat_map(|_| [a, 0, 0, 0]));
    bin.extend(corners().flat_map(|_| super::floats(&[1.0, 0.0, 0.0, 0.0])));
    let binds = bin.len();
    let bind = |s: f32| {
        super::floats(&[s, 0.0, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, 0.0, 1.0])
    };
    bin.extend((0..3).flat_map(|_| bind(1.0)));
    bin.extend(second.iter().flat_map(|_| bind(scale)));
    let before = bin.len();
    let quads = (0..SQUARES).flat_map(|y| (0..SQUARES).map(move |x| y * (SQUARES + 1) + x));
    bin.extend(
        quads
            .flat_map(|a| [a, a + 1, a + SQUARES + 1, a + 1, a + SQUARES + 2, a + SQUARES + 1])
            .flat_map(u16::to_le_bytes),
    );
    let indices = usize::from(SQUARES) * usize::from(SQUARES) * 6;
    let high = |scale: f32, offset: f32| [(1.0 + offset) / scale, 1.0 / scale, 0.0];
    let primitive = |positions: usize, joints: usize| {
        serde_json::json!({"primitives": [
            {"attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": 4},
                "indices": 5}]})
    };
    let view = |offset: usize, length: usize| {
        serde_json::json!({"buffer": 0, 
        "byteOffset": offset, "byteLength": length})
    };
    let json = serde_json::json!({
        "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"mesh": 1, "skin": 1}, {"name": "A", "children": [3]},
            {"name": "B", "children": [4]}, {"name": "C"}],
        "skins": [{"joints": [2, 3, 4], "inverseBindMatrices": 6},
            {"joints": second.iter().map(|n| node(n)).collect::<Vec<_>>(),
                "inverseBindMatrices": 7}],
        "meshes": [primitive(0, 2), primitive(1, 3)],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": count, "type": "VEC3",
                "min": [offset / scale, 0, 0], "max": high(scale, offset)},
            {"bufferView": 2, "componentType": 5121, "count": count, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5121, "count": count, "type": "VEC4"},
            {"bufferView": 4, "componentType": 5126, "count": count, "type": "VEC4"},
            {"bufferView": 5, "componentType": 5123, "count": indices, "type": "SCALAR"},
            {"bufferView": 6, "componentType": 5126, "count": 3, "type": "MAT4"},
            {"bufferView": 7, "componentType": 5126, "count": second.len(), "type": "MAT4"}
        ],
        "bufferViews": [
            view(0, count * 12),
            view(count * 12, count * 12),
            view(count * 24, count * 4),
            view(count * 28, count * 4),
            view(count * 32, count * 16),
            view(before, bin.len() - before),
            view(binds, 3 * 64),
            view(binds + 3 * 64, second.len() * 64)
        ]
    });
    super::glb(json, &bin)
}
