//! How a document *changes*: edits that invert themselves, history, selection, and the one table of commands.

mod apply;
mod arguments;
mod clips;
pub mod command;
mod history;
mod keymap;
mod keys;
mod layers;
mod morphs;
mod pose;
mod selection;
mod table;
mod vertices;
mod weights;

pub use self::{
    apply::{Edit, EditError, apply},
    arguments::{ArgumentError, Arguments, clip_text, find_clip, find_clips, node_text, typed},
    command::{ArgumentSpec, Availability, CommandError, CommandLine, CommandSpec, Doer, Done, Kind, Mode},
    history::{Change, History, Transaction},
    keymap::{KeyMap, Preset, is_of_brush, key_parts},
    keys::moved,
    layers::{BASE, layer_for, layer_text, paint_into},
    pose::{Space, free_of_matrices, pose_edit, rotation_after_turn},
    selection::{KeyRef, Marks, Selection},
    table::{find, table},
    weights::{mesh_label, mesh_text, skin_of},
};
