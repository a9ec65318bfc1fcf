//! Commands on weights, and their scope.

use glam::Vec3;

use crate::command::{
    define::document_commands,
    field::{
        AutomaticWeights, Bits, CarryWay, Counts, Curve, How, LimitBy, Meshes, MirrorWay, Nodes,
        Numbers, Reach, Rebind, Side, TransferBy, VertexList, VertexTerms,
    },
    rules,
    touch::Touch,
};
use ulna_model::PrimitiveId;

document_commands! {
    /// Commands on weights.
    WeightCommand in "Weights";

    /// Mirrors the weights of the left or right side to the mirror joints of the other side
    MirrorWeights {
        /// Side to copy from.
        from: Side,
        /// Matching of mirrored vertices: `place` is by position, `uv` by texture coordinates;
        /// `place` if omitted.
        by: Option<MirrorWay>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.mirror", "Mirror weights", asks: true, enabled: rules::weighted;
    /// Computes weights of skinned meshes from the shape of the meshes and the joints
    Bind {
        /// Meshes to bind; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Parameters of the weights.
        weights: AutomaticWeights,
        /// Existing weights to replace: `all`, `joints` for those of the named joints, or
        /// `vertices` for those of the named vertices; none if omitted.
        rebind: Option<Rebind>,
        /// Vertices that get new weights.
        vertices: Option<VertexTerms>,
        /// Joints that keep their weights.
        locked: Option<Nodes>,
    } = "weights.bind", "Bind automatically", asks: true, enabled: rules::skinned;
    /// Removes the weights of meshes; a mesh without weights has no skin until it is bound again
    ClearWeights {
        /// Meshes that lose their weights.
        mesh: Meshes,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
    } = "weights.clear", "Clear weights", asks: true, enabled: rules::weighted;
    /// Sets the mirror joint of a joint; a center joint is paired with itself
    PairJoints {
        /// Joint to edit.
        joint: Nodes,
        /// Mirror joint of that joint; none if omitted.
        with: Option<Nodes>,
    } = "joints.pair", "Pair mirror joints", asks: true, enabled: rules::weighted;
    /// Copies weights from another mesh
    Transfer {
        /// Mesh to copy from.
        from: Meshes,
        /// Matching by nearest surface point, texture coordinates or vertex order.
        by: Option<CarryWay>,
        /// Weights: `copy` copies those of the matching point, `fit` adjusts these so that the mesh
        /// follows the surface of the other mesh in the clips; copy if omitted.
        how: Option<TransferBy>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.transfer", "Transfer from a mesh", asks: true, enabled: rules::weighted;
    /// Normalizes weights so that they sum to 1 per vertex
    Normalize {
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.normalize", "Normalize", enabled: rules::weighted;
    /// Limits the number of influences per vertex; keeps the strongest, or those that change clips
    /// least
    Limit {
        /// Maximum number of influences per vertex.
        most: usize,
        /// Influences to keep: `strongest` keeps the largest weights, `fit` chooses influences and
        /// weights that change the clips least; `strongest` if omitted.
        how: Option<LimitBy>,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Vertices to change; all if omitted.
        vertices: Option<VertexTerms>,
        /// Joints that keep their weights.
        locked: Option<Nodes>,
        /// Weight layer that receives the result. If omitted, the topmost visible layer, or the
        /// base weights if there are no layers.
        layer: Option<String>,
    } = "weights.limit", "Limit influences", asks: true, enabled: rules::weighted;
    /// Removes weights below a value
    Prune {
        /// Lowest weight to keep, 0 to 1.
        below: f32,
        /// Joints to prune; all if omitted.
        joint: Option<Nodes>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.prune", "Prune", asks: true, enabled: rules::weighted;
    /// Rounds weights to equal steps, such as 10 steps of 0.1
    Quantize {
        /// Number of steps from 0 to 1.
        steps: usize,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.quantize", "Quantize", asks: true, enabled: rules::weighted;
    /// Moves weights toward the mean of their neighbors
    Smooth {
        /// Number of passes; 1 if omitted.
        passes: Option<usize>,
        /// Amount of the change per pass, 0 to 1; 100 % if omitted.
        amount: Option<f32>,
        /// Joint to smooth; all if omitted.
        joint: Option<Nodes>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.smooth", "Smooth", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Smooths weights; near neighbors count more than distant ones
    Relax {
        /// Number of passes; 1 if omitted.
        passes: Option<usize>,
        /// Amount of the change per pass, 0 to 1; 100 % if omitted.
        amount: Option<f32>,
        /// Joint to smooth; all if omitted.
        joint: Option<Nodes>,
        /// Fraction of the volume to keep when joints bend by 60 degrees, 0 to 1; not checked if
        /// omitted.
        volume: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.relax", "Relax weights", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Replaces the weights of outliers by the weights of their neighbors
    Hammer {
        /// Minimum weight that a vertex shares with its neighbors, 0 to 0.5; vertices below it are
        /// outliers; 40 % if omitted.
        in_common: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.hammer", "Hammer weights", menu: "Weights/Smooth", enabled: rules::weighted;
    /// Sets the weight of a joint on all vertices, or on the given vertices
    Flood {
        /// Joint to edit.
        joint: Nodes,
        /// Weight for the operation: the value to set, add, subtract or multiply by; 100 % if
        /// omitted.
        value: Option<f32>,
        /// Operation on the existing weights; `replace` if omitted.
        how: Option<How>,
        /// Strength of the change, 0 to 1; 100 % if omitted.
        amount: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.flood", "Flood weights", menu: "Weights/Fill", enabled: rules::weighted;
    /// Sets the weight of a joint by a gradient between two points
    Gradient {
        /// Joint to edit.
        joint: Nodes,
        /// Start point of the gradient in the rest pose, in meters.
        from: Vec3,
        /// End point of the gradient in the rest pose, in meters, where the weight reaches 0.
        to: Vec3,
        /// Whether the weight fades in all directions; it fades along the line if omitted.
        radial: Option<bool>,
        /// Fall-off curve; linear if omitted.
        curve: Option<Curve>,
        /// Weight for the operation: the value to set, add, subtract or multiply by; 100 % if
        /// omitted.
        value: Option<f32>,
        /// Operation on the existing weights; `replace` if omitted.
        how: Option<How>,
        /// Strength of the change, 0 to 1; 100 % if omitted.
        amount: Option<f32>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.gradient", "Gradient", menu: "Weights/Fill", asks: true, enabled: rules::weighted;
    /// Redistributes the weights of a limb among its joints, by the position along it
    Along {
        /// Joint at the end of the limb.
        to: Nodes,
        /// First joint of the limb; found automatically if omitted.
        from: Option<Nodes>,
        /// Width of the transition at each joint, where 100 % is half of the shorter adjacent bone;
        /// 100 % if omitted.
        width: Option<f32>,
        /// Curve of the transition; smooth if omitted.
        curve: Option<Curve>,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.along",
        "Gradient along a limb", menu: "Weights/Fill", asks: true, enabled: rules::weighted;
    /// Averages the weights of the selected vertices
    Average {
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.average", "Average", menu: "Weights/Vertices", enabled: rules::with_vertices;
    /// Sets weights of vertices: the same for all vertices, or one row per vertex
    Assign {
        /// Joints whose weights to set, in the order of the numbers.
        joints: Nodes,
        /// One weight per joint, or one row of weights per vertex.
        weights: Numbers,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.assign", "Assign", menu: "Weights/Vertices", asks: true, enabled: rules::weighted;
    /// Swaps the weights of two joints
    SwapJoints {
        /// First of the two joints.
        joint: Nodes,
        /// Second of the two joints.
        with: Nodes,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.swap",
        "Swap the weights of two joints", menu: "Weights/Joints", asks: true,
        enabled: rules::weighted;
    /// Moves all weights of some joints to one joint
    MergeJoints {
        /// Joints whose weights are moved.
        from: Nodes,
        /// Joint that receives the weights.
        into: Nodes,
        /// Vertices and joints that may change.
        reach: Reach,
    } = "weights.merge",
        "Merge the weights of joints", menu: "Weights/Joints", asks: true, enabled: rules::weighted;
    /// Changes the number of influence sets (JOINTS_n) in the file
    Sets {
        /// Number of sets of four influences, 1 to 8.
        sets: usize,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints that keep their weights.
        locked: Option<Nodes>,
    } = "weights.sets", "Influence sets…", asks: true, enabled: rules::weighted;
    /// Stores weights with 8, 16 or 32 bits; previews the error
    Store {
        /// Bits per weight.
        bits: Bits,
        /// Meshes to change; all if omitted.
        mesh: Option<Meshes>,
        /// Primitive of the meshes; all if omitted.
        primitive: Option<PrimitiveId>,
    } = "weights.store", "Weight precision", asks: true, enabled: rules::weighted;
    /// Sets the weights of vertices, as a brush stroke does
    SetWeights {
        /// Mesh of the vertices.
        mesh: Meshes,
        /// Primitive of the mesh; the first if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints that `of` refers to.
        joints: Nodes,
        /// Vertices to set.
        vertices: VertexList,
        /// Indices into `joints`: one per influence of each vertex.
        of: Counts,
        /// Weights: one per influence of each vertex.
        weights: Numbers,
        /// Weight layer that receives the result. If omitted, the topmost visible layer, or the
        /// base weights if there are no layers.
        layer: Option<String>,
    } = "weights.set", "Set weights", asks: true, enabled: rules::weighted;
}

impl WeightCommand {
    pub(in crate::command) fn touch(&mut self) -> Option<Touch<'_>> {
        let touch = match self {
            Self::MirrorWeights(MirrorWeights { reach, .. })
            | Self::Transfer(Transfer { reach, .. })
            | Self::Normalize(Normalize { reach })
            | Self::Prune(Prune { reach, .. })
            | Self::Quantize(Quantize { reach, .. })
            | Self::Relax(Relax { reach, .. })
            | Self::Hammer(Hammer { reach, .. })
            | Self::Average(Average { reach })
            | Self::SwapJoints(SwapJoints { reach, .. })
            | Self::MergeJoints(MergeJoints { reach, .. })
            | Self::Assign(Assign { reach, .. }) => Touch::of(reach, false),
            Self::Smooth(Smooth { reach, .. })
            | Self::Flood(Flood { reach, .. })
            | Self::Gradient(Gradient { reach, .. })
            | Self::Along(Along { reach, .. }) => Touch::of(reach, true),
            Self::Limit(Limit { mesh, primitive, vertices, locked, layer, .. }) => Touch {
                mesh: Some(mesh),
                primitive: Some(primitive),
                vertices: Some(vertices),
                locked: Some(locked),
                layer: Some(layer),
                ..Touch::nothing()
            },
            Self::Sets(Sets { mesh, primitive, locked, .. }) => Touch {
                mesh: Some(mesh),
                primitive: Some(primitive),
                locked: Some(locked),
                ..Touch::nothing()
            },
            Self::Store(Store { mesh, primitive, .. }) => {
                Touch { mesh: Some(mesh), primitive: Some(primitive), ..Touch::nothing() }
            }
            Self::SetWeights(SetWeights { primitive, layer, .. }) => {
                Touch { primitive: Some(primitive), layer: Some(layer), ..Touch::nothing() }
            }
            // These commands do not change painted weights.
            Self::Bind(_) | Self::ClearWeights(_) | Self::PairJoints(_) => return None,
        };
        Some(touch)
    }
}
