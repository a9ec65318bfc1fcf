//! A tube with two joints, for tests. It extends along Y from 0 to 1, and its second joint is in
//! the middle.

use glam::{Mat4, Vec3};

use ulna_model::{
    Document, FileContent, Local, Mesh, MeshId, Node, NodeId, Primitive, Shared, Skin, Slice,
    Topology, Transform, WeightMap,
};

/// Number of rings of vertices.
pub const RINGS: usize = 41;
/// Number of vertices per ring.
pub const ROUND: usize = 24;
pub const RADIUS: f32 = 0.1;
/// The node of the mesh. Nodes 0 and 1 are the joints.
pub const MESH: NodeId = NodeId(2);

/// Creates a node with a parent and a translation.
pub fn node(parent: Option<NodeId>, translation: Vec3) -> Node {
    Node {
        parent,
        rest: Local::Trs(Transform { translation, ..Transform::IDENTITY }),
        ..Node::default()
    }
}

/// Creates weights for the two joints. `second` returns the weight of the second joint at a height.
pub fn weights(second: impl Fn(f32) -> f32) -> WeightMap {
    let shares = (0..RINGS).map(|ring| second(ring as f32 / (RINGS - 1) as f32));
    let weights: Vec<f32> = shares.flat_map(|s| [1.0 - s, s, 0.0, 0.0].repeat(ROUND)).collect();
    let joints = [0u16, 1, 0, 0].repeat(RINGS * ROUND);
    WeightMap { sets: 1, joints: joints.into(), weights: weights.into(), ..WeightMap::default() }
}

/// Creates a document with a tube. `second` returns the weight of the second joint at a height.
pub fn tube(second: impl Fn(f32) -> f32) -> Document {
    let place = |k: usize| {
        let (ring, round) = (k / ROUND, k % ROUND);
        let angle = round as f32 / ROUND as f32 * std::f32::consts::TAU;
        Vec3::new(angle.cos() * RADIUS, ring as f32 / (RINGS - 1) as f32, angle.sin() * RADIUS)
    };
    let mut indices = Vec::new();
    for ring in 0..RINGS - 1 {
        for round in 0..ROUND {
            let at = |ring: usize, round: usize| (ring * ROUND + round % ROUND) as u32;
            let [a, b, c, d] = [
                at(ring, round),
                at(ring, round + 1),
                at(ring + 1, round),
                at(ring + 1, round + 1),
            ];
            indices.extend([a, c, b, b, c, d]);
        }
    }
    let primitive = Primitive {
        topology: Topology::Triangles,
        positions: (0..RINGS * ROUND).map(place).collect(),
        normals: Slice::default(),
        tangents: Slice::default(),
        uv0: Slice::default(),
        uv1: Slice::default(),
        colors: Slice::default(),
        indices: indices.into(),
        material: None,
        variants: Shared::default(),
        targets: Shared::default(),
        weights: Some(Shared::new(weights(second))),
    };
    let mesh = Mesh {
        name: None,
        primitives: vec![primitive],
        default_weights: Shared::default(),
        target_names: Vec::new(),
        kept_weight_layers: None,
    };
    let middle = Vec3::new(0.0, 0.5, 0.0);
    let skin = Skin {
        name: None,
        joints: [0, 1].map(NodeId).into(),
        inverse_bind: [Mat4::IDENTITY, Mat4::from_translation(-middle)].into(),
        has_inverse_bind: true,
    };
    let shown = Node { mesh: Some(0.into()), skin: Some(0.into()), ..node(None, Vec3::ZERO) };
    let file = FileContent {
        nodes: vec![node(None, Vec3::ZERO), node(Some(NodeId(0)), middle), shown].into(),
        meshes: vec![Shared::new(mesh)].into(),
        skins: vec![Shared::new(skin)].into(),
        ..FileContent::default()
    };
    file.into()
}

/// Replaces the weights of the tube.
pub fn set_weights(document: &mut Document, weights: WeightMap) {
    Shared::make_mut(document.file.meshes.get_mut(MeshId(0)).expect("it is there")).primitives[0]
        .weights = Some(Shared::new(weights));
}

/// Rotates the second joint.
pub fn bend(document: &mut Document, rotation: glam::Quat) {
    document
        .file
        .nodes
        .get_mut(NodeId(1))
        .expect("a node")
        .set_user(Some(Transform::from_rotation(rotation)));
}
