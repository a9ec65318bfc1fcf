//! Commands on weight layers.

use crate::command::{
    define::document_commands,
    field::{Counts, LayerSide, Meshes, Nodes, Numbers, VertexList, VertexTerms},
    rules,
};
use ulna_model::PrimitiveId;

document_commands! {
    /// Commands on weight layers.
    LayerCommand in "Weights/Layers";

    /// Adds a weight layer
    AddLayer {
        /// Name of the new layer.
        name: Option<String>,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.add", "Add a layer", enabled: rules::weighted;
    /// Removes a weight layer with all its edits
    RemoveLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.remove", "Remove a weight layer", asks: true, enabled: rules::layered;
    /// Sets the opacity of a weight layer
    LayerOpacity {
        /// Weight layer, by its name or number.
        layer: String,
        /// Opacity of the layer, 0 to 1.
        opacity: f32,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.opacity", "Set weight layer opacity", asks: true, enabled: rules::layered;
    /// Shows or hides a weight layer
    ShowLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether to show the layer; toggles if omitted.
        shown: Option<bool>,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.show", "Show or hide a weight layer", asks: true, enabled: rules::layered;
    /// Mirrors one side of a weight layer, left or right, to the other
    MirrorLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Side to mirror from.
        from: LayerSide,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.mirror", "Mirror a weight layer", asks: true, enabled: rules::layered;
    /// Renames a weight layer
    RenameLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// New name.
        name: String,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.rename", "Rename a weight layer", asks: true, enabled: rules::layered;
    /// Soloes a weight layer: only soloed layers have an effect; several can be soloed
    SoloWeightLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether to solo the layer; toggles if omitted.
        solo: Option<bool>,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.solo", "Solo a weight layer", asks: true, enabled: rules::layered;
    /// Saves the weight layers in the file, to edit them again later; their effect is saved in any
    /// case
    KeepWeightLayers {
        /// Whether to save the layers in the file; toggles if omitted.
        on: Option<bool>,
        /// Mesh whose layers change; all meshes if omitted.
        mesh: Option<Meshes>,
    } = "weight_layer.keep", "Save the weight layers in the file", enabled: rules::layered;
    /// Moves joints of a weight layer to a new layer above it; the result does not change
    SplitWeightLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Joints to move to the new layer.
        joint: Nodes,
        /// Name of the new layer.
        name: Option<String>,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.split", "Split a weight layer by joints", asks: true, enabled: rules::layered;
    /// Moves a weight layer up or down
    MoveLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Whether to move the layer up; otherwise it moves down.
        up: bool,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.move", "Move a weight layer", asks: true, enabled: rules::layered;
    /// Sets the mask of a weight layer at vertices, 0 to 1
    MaskLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mask value, 0 to 1.
        value: f32,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
        /// Primitive of the mesh; all if omitted.
        primitive: Option<PrimitiveId>,
        /// Vertices of the mask; all vertices of the layer if omitted.
        vertices: Option<VertexTerms>,
    } = "weight_layer.mask", "Set weight layer mask", asks: true, enabled: rules::layered;
    /// Removes all weights from a weight layer
    ClearLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.clear", "Clear a weight layer", asks: true, enabled: rules::layered;
    /// Merges a weight layer with the layer below it
    MergeLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh whose skin has the layer; required if several skins match.
        mesh: Option<Meshes>,
    } = "weight_layer.merge_down", "Merge weight layer down", asks: true, enabled: rules::layered;
    /// Merges all weight layers into the weights of the mesh
    FlattenLayers {
        /// Mesh whose layers change; all meshes if omitted.
        mesh: Option<Meshes>,
    } = "weight_layer.flatten", "Flatten", enabled: rules::layered;
    /// Sets the weights and the mask of a weight layer, as a brush stroke does
    PaintLayer {
        /// Weight layer, by its name or number.
        layer: String,
        /// Mesh of the vertices.
        mesh: Meshes,
        /// Primitive of the mesh; the first if omitted.
        primitive: Option<PrimitiveId>,
        /// Joints for the indices in `of`.
        joints: Nodes,
        /// Vertices to set.
        vertices: VertexList,
        /// Indices into `joints`: one per influence of each vertex.
        of: Counts,
        /// Weights: one per influence of each vertex.
        weights: Numbers,
        /// Mask value per vertex; 1 if omitted.
        mask: Option<Numbers>,
    } = "weight_layer.paint", "Paint into a layer", asks: true, enabled: rules::layered;
}
