//! What the pointer does in the viewport, a tool a file. Each draws its handles and asks for what a drag means; the maths of a
//! drag is in `geometry`, where it is tested without a window.

mod brush;
mod rotate;
mod select;
mod vertices;

pub use self::{
    brush::{brush_overlay_ui, brush_ui, joint_list_ui},
    rotate::{RingDrag, rotate_ui},
    select::select_ui,
    vertices::vertices_ui,
};
