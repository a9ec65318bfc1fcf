//! Commands that do not run on the document: commands of the session of the open file, and commands
//! of the program.

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
