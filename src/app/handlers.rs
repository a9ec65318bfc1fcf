//! Actions → changes, a file a panel.

mod dialogs;
mod outliner;
mod paint;
mod problems;
mod program;
mod timeline;
mod viewport;
