//! Models as large as they come: nothing on the window's thread grows with the file.

use crate::common::{frames, large::Size};

/// Prints what frames take, as the bench does in the release profile.
#[test]
#[ignore = "a measurement, of minutes"]
fn what_frames_take() {
    frames::print(&frames::measured(Size::SMALL), &frames::measured(Size::LARGE));
}
