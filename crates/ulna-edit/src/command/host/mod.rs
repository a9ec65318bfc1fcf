//! Commands that are not the document's: those of the open file, and those of the program around
//! it.

mod files;
mod modes;
mod painting;
mod references;
mod session;
mod timeline;
mod view;

pub use self::{
    files::FileCommand,
    modes::{ModeCommand, SelectCommand, ToolCommand},
    painting::{BrushCommand, VertexCommand},
    references::{ReferenceCommand, ReferenceName, ReferencePoint},
    session::{KeysHow, RetargetedKeys, SessionCommand},
    timeline::TimelineCommand,
    view::{PlayCommand, ViewCommand},
};
