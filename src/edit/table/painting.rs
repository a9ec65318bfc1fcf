//! The entries of the table on weights.

use super::{may, need};
use crate::edit::{Availability, CommandSpec, Doer, Kind, command::ArgumentSpec, weights};

const fn weighted(a: &Availability) -> Result<(), &'static str> {
    match (a.document, a.weights) {
        (false, _) => Err("No file is open"),
        (_, false) => Err("The file has no vertex weights"),
        _ => Ok(()),
    }
}

const MESH: ArgumentSpec = may("mesh", Kind::Mesh);
const PRIMITIVE: ArgumentSpec = may("primitive", Kind::Number);
const VERTICES: ArgumentSpec = may("vertices", Kind::Vertices);
const LOCKED: ArgumentSpec = may("locked", Kind::Node);
const MOST: ArgumentSpec = may("most", Kind::Number);

/// A tool of the Weights menu. `group` is the menu inside it.
const fn tool(name: &'static str, title: &'static str, help: &'static str, menu: &'static str) -> CommandSpec {
    CommandSpec { name, title, help, menu, key: "", arguments: &[], asks: false, enabled: weighted, doer: Doer::Host }
}

pub(super) fn weights() -> Vec<CommandSpec> {
    vec![
        CommandSpec {
            arguments: const { &[MESH, PRIMITIVE, VERTICES, LOCKED, MOST] },
            doer: Doer::Document(weights::normalize),
            ..tool(
                "weights.normalize",
                "Normalise all",
                "Makes the weights of every vertex sum to 1, in the type the file stores",
                "Weights",
            )
        },
        CommandSpec {
            arguments: const { &[need("most", Kind::Number), MESH, PRIMITIVE, VERTICES, LOCKED] },
            asks: true,
            doer: Doer::Document(weights::limit),
            ..tool("weights.limit", "Limit joints", "Leaves each vertex the joints that move it most", "Weights")
        },
        CommandSpec {
            arguments: const { &[need("below", Kind::Number), MESH, PRIMITIVE, VERTICES, LOCKED, MOST] },
            asks: true,
            doer: Doer::Document(weights::prune),
            ..tool("weights.prune", "Prune", "Drops weights below a value", "Weights")
        },
        CommandSpec {
            arguments: const { &[need("steps", Kind::Number), MESH, PRIMITIVE, VERTICES, LOCKED, MOST] },
            asks: true,
            doer: Doer::Document(weights::quantize),
            ..tool("weights.quantize", "Quantise", "Rounds weights to even steps, 10 of a tenth for one", "Weights")
        },
        CommandSpec {
            arguments: const {
                &[
                    may("passes", Kind::Number),
                    may("amount", Kind::Number),
                    may("joint", Kind::Node),
                    MESH,
                    PRIMITIVE,
                    VERTICES,
                    LOCKED,
                    MOST,
                ]
            },
            doer: Doer::Document(weights::smooth),
            ..tool("weights.smooth", "Smooth", "Moves weights towards the mean of their neighbours", "Weights/Smooth")
        },
        CommandSpec {
            arguments: const {
                &[
                    may("passes", Kind::Number),
                    may("amount", Kind::Number),
                    may("joint", Kind::Node),
                    MESH,
                    PRIMITIVE,
                    VERTICES,
                    LOCKED,
                    MOST,
                ]
            },
            doer: Doer::Document(weights::relax),
            ..tool("weights.relax", "Relax", "Smooths, near neighbours before far ones", "Weights/Smooth")
        },
        CommandSpec {
            arguments: const { &[may("in_common", Kind::Number), MESH, PRIMITIVE, VERTICES, LOCKED, MOST] },
            doer: Doer::Document(weights::hammer),
            ..tool(
                "weights.hammer",
                "Hammer strays",
                "Gives stray vertices what the vertices around them have",
                "Weights/Smooth",
            )
        },
        CommandSpec {
            arguments: const {
                &[
                    need("joint", Kind::Node),
                    may("value", Kind::Number),
                    may("how", Kind::Text),
                    may("amount", Kind::Number),
                    MESH,
                    PRIMITIVE,
                    VERTICES,
                    LOCKED,
                    MOST,
                ]
            },
            doer: Doer::Document(weights::flood),
            ..tool("weights.flood", "Flood", "Gives the painted joint the brush's value everywhere", "Weights/Fill")
        },
        CommandSpec {
            arguments: const {
                &[
                    need("joint", Kind::Node),
                    need("from", Kind::Vector),
                    need("to", Kind::Vector),
                    may("radial", Kind::Flag),
                    may("value", Kind::Number),
                    may("how", Kind::Text),
                    may("amount", Kind::Number),
                    MESH,
                    PRIMITIVE,
                    VERTICES,
                    LOCKED,
                    MOST,
                ]
            },
            asks: true,
            doer: Doer::Document(weights::graded),
            ..tool(
                "weights.gradient",
                "Gradient",
                "Gives a joint a value that fades from one spot to another",
                "Weights/Fill",
            )
        },
        CommandSpec {
            arguments: const { &[MESH, PRIMITIVE, VERTICES, LOCKED, MOST] },
            doer: Doer::Document(weights::average),
            ..tool(
                "weights.average",
                "Average",
                "Gives the selected vertices the mean of their weights",
                "Weights/Vertices",
            )
        },
        CommandSpec {
            arguments: const {
                &[need("joints", Kind::Node), need("weights", Kind::Numbers), MESH, PRIMITIVE, VERTICES, LOCKED, MOST]
            },
            asks: true,
            doer: Doer::Document(weights::assign),
            ..tool("weights.assign", "Assign", "Gives vertices the same weights", "Weights/Vertices")
        },
        CommandSpec {
            arguments: const { &[need("sets", Kind::Number), MESH, PRIMITIVE, LOCKED] },
            asks: true,
            doer: Doer::Document(weights::sets),
            ..tool(
                "weights.sets",
                "Joints a vertex…",
                "Changes how many sets of four joints the file keeps a vertex",
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
                ]
            },
            asks: true,
            doer: Doer::Document(weights::set),
            ..tool("weights.set", "Set weights", "Sets the weights of vertices: what a brush stroke left", "Weights")
        },
    ]
}
