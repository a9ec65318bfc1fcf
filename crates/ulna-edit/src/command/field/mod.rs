//! Types of arguments. Each type can be read from text and written as text.
//!
//! Commands from text refer to nodes, clips and meshes by name. Commands made by the program use
//! ids, which are written as names.

mod groups;
mod named;
mod part;
mod plain;
mod words;

pub use self::{
    groups::{AutomaticWeights, Reach, Trs, Turn},
    named::{ClipName, Counterparts, Meshes, Nodes},
    part::{ArgumentPart, Field},
    plain::{
        AnySpace, Axis, Counts, Degrees, Factor, KeyParts, Numbers, Parts, RigidPieces, Seconds,
        VertexList, VertexTerms,
    },
    words::{
        BindBy, Bits, CarryWay, ChooseJoints, Curve, How, LayerSide, LimitBy, MirrorWay, Panel,
        Rebind, Side, TransferBy,
    },
};
pub(super) use self::{
    named::meshes_of,
    part::{choice, field, number},
};
