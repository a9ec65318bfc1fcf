//! The entries of the table on weights.

use super::{may, need};
use crate::edit::{Availability, CommandSpec, Doer, Kind, command::ArgumentSpec, layers, weights};

pub(super) const fn weighted(a: &Availability) -> Result<(), &'static str> {
    match (a.document, a.weights) {
        (false, _) => Err("No file is open"),
        (_, false) => Err("The file has no vertex weights"),
        _ => Ok(()),
    }
}

/// Weights can be painted, or given first.
pub(super) const fn paintable(a: &Availability) -> Result<(), &'static str> {
    if a.document && a.bare { Ok(()) } else { weighted(a) }
}

const fn skinned(a: &Availability) -> Result<(), &'static str> {
    match (a.document, a.bare) {
        (false, _) => Err("No file is open"),
        (_, false) => Err("Every mesh that hangs on a skin has weights"),
        _ => Ok(()),
    }
}

const SIDES: Kind = Kind::Choice(&["left", "right"]);
const LAYER_SIDES: Kind = Kind::Choice(&["left", "right", "none"]);
const HOW: Kind = Kind::Choice(&["set", "add", "subtract", "scale"]);
const MESH: ArgumentSpec = may("mesh", Kind::Mesh);
const PRIMITIVE: ArgumentSpec = may("primitive", Kind::Number);
const VERTICES: ArgumentSpec = may("vertices", Kind::Vertices);
const LOCKED: ArgumentSpec = may("locked", Kind::Node);
const MOST: ArgumentSpec = may("most", Kind::Number);
const LAYER: ArgumentSpec = may("layer", Kind::Text);
const OF_LAYER: ArgumentSpec = need("layer", Kind::Text);

/// The arguments of a tool, and those that say what it may touch.
macro_rules! scoped {
    ($($own:expr),* $(,)?) => {
        const { &[$($own,)* MESH, PRIMITIVE, VERTICES, LOCKED, MOST, LAYER] }
    };
}

/// A tool of the Weights menu. `group` is the menu inside it.
const fn tool(name: &'static str, title: &'static str, help: &'static str, menu: &'static str) -> CommandSpec {
    CommandSpec { name, title, help, menu, key: "", arguments: &[], asks: false, enabled: weighted, doer: Doer::Host }
}

const fn painted(a: &Availability) -> Result<(), &'static str> {
    match (weighted(a), a.painting, a.joint) {
        (Err(why), ..) => Err(why),
        (_, false, _) => Err("This is for Paint mode"),
        (_, _, false) => Err("No joint is selected to be painted"),
        _ => Ok(()),
    }
}

const fn painting(a: &Availability) -> Result<(), &'static str> {
    match (weighted(a), a.painting) {
        (Err(why), _) => Err(why),
        (_, false) => Err("This is for Paint mode"),
        _ => Ok(()),
    }
}

const fn picked(a: &Availability) -> Result<(), &'static str> {
    match (weighted(a), a.vertices) {
        (Err(why), _) => Err(why),
        (_, 0) => Err("No vertices are selected"),
        _ => Ok(()),
    }
}

const fn layered(a: &Availability) -> Result<(), &'static str> {
    match (weighted(a), a.layers) {
        (Err(why), _) => Err(why),
        (_, false) => Err("There are no weight layers; add one"),
        _ => Ok(()),
    }
}

/// A command on weight layers.
const fn layer(name: &'static str, title: &'static str, help: &'static str) -> CommandSpec {
    CommandSpec { enabled: layered, asks: true, ..tool(name, title, help, "Weights/Layers") }
}

/// A command of the brush.
const fn stroke(name: &'static str, title: &'static str, help: &'static str, key: &'static str) -> CommandSpec {
    CommandSpec { key, enabled: painting, ..tool(name, title, help, "Weights/Brush") }
}

/// A command on the selection of vertices.
const fn vertices(name: &'static str, title: &'static str, help: &'static str) -> CommandSpec {
    CommandSpec { enabled: painting, ..tool(name, title, help, "Weights/Vertices") }
}

pub(super) fn weights() -> Vec<CommandSpec> {
    vec![
        stroke("paint.radius", "Radius", "Drags the radius of the brush", "B"),
        stroke("paint.strength", "Strength", "Drags the strength of the brush", "Shift+B"),
        stroke("paint.value", "Value", "Drags the value that is painted", "Ctrl+B"),
        stroke("paint.smaller", "Smaller brush", "Makes the brush a step smaller", "["),
        stroke("paint.larger", "Larger brush", "Makes the brush a step larger", "]"),
        CommandSpec {
            enabled: painted,
            ..stroke("paint.flood", "Flood", "Does to all of the surface what the brush does to a spot", "Shift+F")
        },
        CommandSpec {
            enabled: painted,
            ..stroke("paint.lock", "Lock the joint", "Keeps the weights of the painted joint as they are", "L")
        },
        stroke("paint.unlock_all", "Unlock all joints", "Lets the weights of all joints move", ""),
        stroke("paint.sample", "Sample the weight", "Takes the weight under the brush for its value", "I"),
        stroke("paint.mirror", "Mirror", "Paints the other side, too, with its joint", "X"),
        CommandSpec {
            enabled: painting,
            ..tool(
                "weights.worst",
                "Find the worst pose",
                "Looks through all clips and a range of motion for where the skin breaks most",
                "Weights",
            )
        },
        CommandSpec {
            enabled: painting,
            ..tool("weights.range", "Range of motion", "Paints on a clip that bends every joint in turn", "Weights")
        },
        CommandSpec {
            enabled: painting,
            ..tool("weights.look", "Next weight view", "Shows weights another way", "Weights/Brush")
        },
        vertices("vertices.all", "Select all vertices", "Selects every vertex of the painted surface"),
        vertices("vertices.none", "Select no vertices", "Clears the selection of vertices"),
        vertices("vertices.invert", "Invert the selection", "Selects the other vertices"),
        CommandSpec { enabled: picked, ..vertices("vertices.grow", "Grow", "Selects the neighbours, too") },
        CommandSpec { enabled: picked, ..vertices("vertices.shrink", "Shrink", "Lets go of the rim of the selection") },
        CommandSpec {
            enabled: picked,
            ..vertices("vertices.linked", "Select linked", "Selects all that hangs together with the selection")
        },
        vertices("vertices.of_joint", "Select those of the joint", "Selects the vertices that the painted joint moves"),
        CommandSpec {
            arguments: const { &[need("from", Kind::Number), need("to", Kind::Number), may("joint", Kind::Node)] },
            asks: true,
            ..vertices("vertices.in_range", "Select by weight", "Selects vertices by the weight of the painted joint")
        },
        vertices("vertices.faulty", "Select faulty vertices", "Selects vertices whose weights break a rule"),
        vertices("vertices.stray", "Select stray vertices", "Selects vertices unlike all of their neighbours"),
        vertices("vertices.open", "Select open edges", "Selects vertices at the rims of holes and sheets"),
        vertices("vertices.crowded", "Select crowded edges", "Selects vertices at edges of three triangles or more"),
        vertices("vertices.doubled", "Select doubled triangles", "Selects vertices of triangles that are there twice"),
        vertices("vertices.unpaired", "Select unpaired vertices", "Selects vertices without a mirror image"),
        vertices("vertices.copy", "Copy weights", "Copies the weights of a vertex"),
        CommandSpec {
            enabled: picked,
            ..vertices("vertices.paste", "Paste weights", "Gives them to the selected ones")
        },
        CommandSpec {
            arguments: scoped!(need("from", SIDES)),
            asks: true,
            doer: Doer::Tool(weights::mirror),
            ..tool(
                "weights.mirror",
                "Mirror to the other side",
                "Copies the weights of one side, left or right, to the other with its joints",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const { &[MESH, PRIMITIVE, MOST, may("passes", Kind::Number)] },
            doer: Doer::Document(weights::bind),
            enabled: skinned,
            ..tool(
                "weights.bind",
                "Bind to the nearest bones",
                "Gives weights to meshes that hang on a skin and have none, then smooths them",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const { &[need("joint", Kind::Node), may("with", Kind::Node)] },
            asks: true,
            doer: Doer::Document(weights::pair),
            ..tool(
                "joints.pair",
                "Pair mirror joints",
                "Says which joint is another's mirror image; with itself it is of the centre, without another it has none",
                "Weights",
            )
        },
        CommandSpec {
            arguments: scoped!(need("from", Kind::Mesh)),
            asks: true,
            doer: Doer::Tool(weights::transfer),
            ..tool(
                "weights.transfer",
                "Transfer from a mesh",
                "Takes the weights of the nearest spots of another mesh",
                "Weights",
            )
        },
        CommandSpec {
            arguments: scoped!(),
            doer: Doer::Tool(weights::normalize),
            ..tool(
                "weights.normalize",
                "Normalise all",
                "Makes the weights of every vertex sum to 1, in the type the file stores",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const { &[need("most", Kind::Number), MESH, PRIMITIVE, VERTICES, LOCKED, LAYER] },
            asks: true,
            doer: Doer::Tool(weights::limit),
            ..tool("weights.limit", "Limit joints", "Leaves each vertex the joints that move it most", "Weights")
        },
        CommandSpec {
            arguments: scoped!(need("below", Kind::Number)),
            asks: true,
            doer: Doer::Tool(weights::prune),
            ..tool("weights.prune", "Prune", "Drops weights below a value", "Weights")
        },
        CommandSpec {
            arguments: scoped!(need("steps", Kind::Number)),
            asks: true,
            doer: Doer::Tool(weights::quantize),
            ..tool("weights.quantize", "Quantise", "Rounds weights to even steps, 10 of a tenth for one", "Weights")
        },
        CommandSpec {
            arguments: scoped!(may("passes", Kind::Number), may("amount", Kind::Number), may("joint", Kind::Node)),
            doer: Doer::Tool(weights::smooth),
            ..tool("weights.smooth", "Smooth", "Moves weights towards the mean of their neighbours", "Weights/Smooth")
        },
        CommandSpec {
            arguments: scoped!(may("passes", Kind::Number), may("amount", Kind::Number), may("joint", Kind::Node)),
            doer: Doer::Tool(weights::relax),
            ..tool("weights.relax", "Relax", "Smooths, near neighbours before far ones", "Weights/Smooth")
        },
        CommandSpec {
            arguments: scoped!(may("in_common", Kind::Number)),
            doer: Doer::Tool(weights::hammer),
            ..tool(
                "weights.hammer",
                "Hammer strays",
                "Gives stray vertices what the vertices around them have",
                "Weights/Smooth",
            )
        },
        CommandSpec {
            arguments: scoped!(
                need("joint", Kind::Node),
                may("value", Kind::Number),
                may("how", HOW),
                may("amount", Kind::Number)
            ),
            doer: Doer::Tool(weights::flood),
            ..tool("weights.flood", "Flood", "Gives the painted joint the brush's value everywhere", "Weights/Fill")
        },
        CommandSpec {
            arguments: scoped!(
                need("joint", Kind::Node),
                need("from", Kind::Vector),
                need("to", Kind::Vector),
                may("radial", Kind::Flag),
                may("value", Kind::Number),
                may("how", HOW),
                may("amount", Kind::Number)
            ),
            asks: true,
            doer: Doer::Tool(weights::graded),
            ..tool(
                "weights.gradient",
                "Gradient",
                "Gives a joint a value that fades from one spot to another",
                "Weights/Fill",
            )
        },
        CommandSpec {
            arguments: scoped!(),
            doer: Doer::Tool(weights::average),
            enabled: picked,
            ..tool(
                "weights.average",
                "Average",
                "Gives the selected vertices the mean of their weights",
                "Weights/Vertices",
            )
        },
        CommandSpec {
            arguments: scoped!(need("joints", Kind::Node), need("weights", Kind::Numbers)),
            asks: true,
            doer: Doer::Tool(weights::assign),
            ..tool("weights.assign", "Assign", "Gives vertices the same weights", "Weights/Vertices")
        },
        CommandSpec {
            arguments: const { &[need("sets", Kind::Number), MESH, PRIMITIVE, LOCKED] },
            asks: true,
            doer: Doer::Tool(weights::sets),
            ..tool(
                "weights.sets",
                "Joints a vertex…",
                "Changes how many sets of four joints the file keeps a vertex",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const { &[need("bits", Kind::Choice(&["8", "16", "32"])), MESH, PRIMITIVE] },
            asks: true,
            doer: Doer::Tool(weights::store),
            ..tool(
                "weights.store",
                "Stored type",
                "Keeps weights in 8, 16 or 32 bits: bytes, shorts or floats; the views show before what moves",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const {
                &[
                    need("mesh", Kind::Mesh),
                    may("primitive", Kind::Number),
                    need("joints", Kind::Node),
                    need("vertices", Kind::Vertices),
                    need("of", Kind::Numbers),
                    need("weights", Kind::Numbers),
                    LAYER,
                ]
            },
            asks: true,
            doer: Doer::Document(weights::set),
            ..tool("weights.set", "Set weights", "Sets the weights of vertices: what a brush stroke left", "Weights")
        },
    ]
}

/// Those on weight layers.
pub(super) fn layers() -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            arguments: const { &[may("name", Kind::Text), MESH] },
            doer: Doer::Document(layers::add),
            enabled: weighted,
            asks: false,
            ..layer("layers.add", "Add a layer", "Lays a new layer over the weights, which it leaves as they are")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, MESH] },
            doer: Doer::Document(layers::remove),
            ..layer("layers.remove", "Remove a layer", "Takes a layer away with all that is in it")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, need("opacity", Kind::Number), MESH] },
            doer: Doer::Document(layers::opacity),
            ..layer("layers.opacity", "Opacity of a layer", "Lets a layer count for a part only, 0 to 1")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, may("shown", Kind::Flag), MESH] },
            doer: Doer::Document(layers::show),
            ..layer("layers.show", "Show or hide a layer", "Lets a layer count, or not")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, need("from", LAYER_SIDES), MESH] },
            doer: Doer::Document(layers::mirror),
            ..layer(
                "layers.mirror",
                "Mirror a layer",
                "Shows what a layer has on one side, left or right, on both; none ends that",
            )
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, need("name", Kind::Text), MESH] },
            doer: Doer::Document(layers::rename),
            ..layer("layers.rename", "Rename a layer", "Gives a layer another name")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, need("up", Kind::Flag), MESH] },
            doer: Doer::Document(layers::shift),
            ..layer("layers.move", "Move a layer", "Puts a layer over the one above it, or under the one below")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, need("value", Kind::Number), MESH, PRIMITIVE, VERTICES] },
            doer: Doer::Document(layers::mask),
            ..layer("layers.mask", "Mask of a layer", "Lets vertices of a layer count for a part only, 0 to 1")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, MESH] },
            doer: Doer::Document(layers::clear),
            ..layer("layers.clear", "Clear a layer", "Takes all that is in a layer out of it")
        },
        CommandSpec {
            arguments: const { &[OF_LAYER, MESH] },
            doer: Doer::Document(layers::merge_down),
            ..layer("layers.merge_down", "Merge a layer down", "Makes one of a layer and the one below it")
        },
        CommandSpec {
            arguments: const { &[MESH] },
            doer: Doer::Document(layers::flatten),
            asks: false,
            ..layer("layers.flatten", "Flatten", "Leaves the weights as they are seen, without layers")
        },
        CommandSpec {
            arguments: const {
                &[
                    OF_LAYER,
                    need("mesh", Kind::Mesh),
                    PRIMITIVE,
                    need("joints", Kind::Node),
                    need("vertices", Kind::Vertices),
                    need("of", Kind::Numbers),
                    need("weights", Kind::Numbers),
                    may("mask", Kind::Numbers),
                ]
            },
            doer: Doer::Document(layers::paint),
            ..layer("layers.paint", "Paint into a layer", "Sets what a layer holds: what a brush stroke left in it")
        },
    ]
}
