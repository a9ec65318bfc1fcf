//! Painting: what hangs on the painted joint's skin, the brush over it, strokes, and what the
//! vertices are tinted with.

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
