//! A message for the user, with a code for scripts.

use std::fmt;

use serde::Serialize;

/// Note or error for the user. The code is stable across versions; the message is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Notice {
    /// Lowercase words joined by `_`; docs/json.md lists all codes.
    pub code: &'static str,
    /// One sentence, without a final period.
    pub message: String,
}

impl Notice {
    /// Creates a notice from a code and a message.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
