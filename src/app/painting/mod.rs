//! Painting: what hangs on the painted joint's skin, the brush over it, strokes, and what the
//! vertices are tinted with.

mod bend_state;
mod bending;
mod brush;
mod clear_view;
mod commands;
mod files;
mod following;
mod layering;
mod layers;
mod sights;
mod state;
mod strain;
mod stroke;
mod tints;
mod vertices;
mod worst;

pub(super) use self::state::Painting;
