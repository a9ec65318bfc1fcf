//! Commands on the pose: every one ends as a new `Ul`, and writes only the components that it is
//! about.

mod commands;
mod moving;
mod setting;

pub use self::commands::{
    Move, PoseCommand, Reset, ResetAll, ResetRotation, ResetScale, ResetTranslation, Resize,
    Rotate, Scale, SetLocal, SetUser, SetWorld, Shift, Turn,
};
