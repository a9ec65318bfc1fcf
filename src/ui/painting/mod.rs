//! Painting: its state, the requests of its panels, and the view that panels read.

mod action;
mod bending;
mod domain;
mod layering;
mod look;
mod options;
mod session;
mod sights;
mod strain;
mod stroke;
mod view;
mod worst;

pub use self::{
    action::{BendAction, JointAct, PaintAction, StrokePhase, VertexArea},
    bending::{BendDrag, Bending, HeldKey},
    domain::{BrushDrag, OriginalWeights, PaintDomain, WeightClipboard},
    layering::{LayerStroke, Layering, ShownMask},
    look::WeightLook,
    options::{BrushNumber, PaintTool, VertexPick},
    session::{BrushHover, PaintSession, Painting, PosedOf, Tinted, posed_surface},
    strain::StrainColors,
    stroke::PaintStroke,
    view::PaintView,
    worst::WorstSearch,
};
