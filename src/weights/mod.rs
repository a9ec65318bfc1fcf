//! What is done *to weights*: the rule that keeps their sum, brushes, and the tools that work on many vertices at once.

mod brush;
mod canvas;
mod draft;
mod faults;
mod lanes;
pub mod layers;
mod mirror;
mod quick;
mod reach;
mod seams;
mod share;
mod stored;
mod stroke;
mod tally;
mod tools;

pub use self::{
    brush::{Brush, BrushKind, Falloff, Radius, Reach},
    canvas::{Canvas, CanvasPart, Maps, NOWHERE},
    draft::{Draft, PartChange, Refused, Scope},
    faults::{Fault, Faults, fault, fault_in, faults, faults_in},
    mirror::MirrorMap,
    reach::{PosedCanvas, Touch, faces_eye},
    seams::{Claimed, Seams, mesh_from_mesh},
    share::{Influences, MOST, Refusal, Rule, blend, normalize, paint},
    stored::moved_by_storing,
    stroke::{Dab, Paint, Stroke},
    tally::{STRAY, Tally},
    tools::{gradient, in_common, strays},
};
