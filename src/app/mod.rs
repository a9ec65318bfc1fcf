//! The window's glue.
/// Stub while the panels are being written.
pub fn run(_: Option<std::path::PathBuf>) -> anyhow::Result<()> { Ok(()) }
