//! Commands on the pose. Each one sets the pose offset `Ul` of nodes, and only the components that
//! it changes.

mod commands;
mod moving;
mod setting;

pub use self::commands::{
    Move, PoseCommand, Reset, ResetAll, ResetRotation, ResetScale, ResetTranslation, Resize,
    Rotate, Scale, SetLocal, SetUser, SetWorld, Shift, Turn,
};
