//! The types of arguments. Each knows how it is read from text and written as text; what names a
//! thing of the document does so by name, or by its id where a program made the command, and ids
//! become names when it is written.

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
