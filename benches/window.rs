//! Frames of the whole window on a model as large as they come, and on a small one: what of a frame
//! grows with the file.
//!
//! Target: no frame takes more than 16 ms of the window's thread, whatever is done, for anything
//! but drawing. The large model has 3,001 joints, 126 MB of keys, a million vertices, ten layers
//! and 2,000 problems. No pixel is drawn here; what the harness itself takes is in both columns.

// Shared with the tests of the window; to modules outside of its folder a bench gets by a path.
#[path = "../tests/common/frames.rs"]
mod frames;
#[path = "../tests/common/large.rs"]
mod large;

fn main() {
    // `cargo test --benches` only asks that it runs.
    let is_test = !std::env::args().any(|a| a == "--bench");
    let small = frames::measured(large::Size::SMALL);
    if is_test {
        return;
    }
    frames::print(&small, &frames::measured(large::Size::LARGE));
}
