//! Paint mode: the meshes of the painted joint's skin, the brush, strokes, and vertex tints.

mod bending;
mod brush;
mod clear_view;
mod commands;
mod context;
mod files;
mod following;
mod layers;
mod problems;
mod sights;
mod stroke;
mod tints;
mod vertices;
mod worst;

pub(super) use self::{commands::spell, files::export_weights};
