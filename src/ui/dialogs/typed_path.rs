//! Conversion of typed text to paths.

use std::path::PathBuf;

/// Expands a typed path, including `~` for the home folder.
pub fn expand(text: &str) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix('~'), std::env::home_dir()) {
        (Some(rest), Some(home))
            if rest.is_empty() || rest.starts_with(std::path::is_separator) =>
        {
            home.join(rest.trim_start_matches(std::path::is_separator))
        }
        _ => text.into(),
    }
}
