//! Changes of a document: reversible edits, undo history, selection, and the table of commands.

mod apply;
mod arithmetic;
mod change;
pub mod command;
mod edit;
mod gesture;
mod history;
mod ledger;
mod near;
mod selection;
mod transaction;

pub use self::{
    apply::apply,
    arithmetic::{evaluate, evaluate_with},
    change::Change,
    command::{
        ArgumentError, ArgumentSpec, ArgumentType, Arguments, Availability, BASE, Command,
        CommandError, CommandLine, CommandSpec, Executor, KeyMap, KeyScope, Outcome, Preset, Scene,
        clip_text, find, find_clip, find_clips, free_of_matrices, joint_named, key_parts,
        layer_for, layer_text, mesh_label, mesh_text, node_text, paint_into, pose_at,
        primitives_of, skin_of, table, typed, uv_of, vertex_query_error,
    },
    edit::{Edit, EditError},
    gesture::GesturePreview,
    history::History,
    near::did_you_mean,
    selection::{KeysHome, NodeVisibility, Selection},
    transaction::Transaction,
};
