//! A sentence for a person, with a code for scripts.

use std::fmt;

use serde::Serialize;

/// A remark or a refusal: the code stays the same from version to version, the words need not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Notice {
    /// A few words in lower case, joined by `_`; docs/json.md lists all of them.
    pub code: &'static str,
    /// A sentence, without its full stop.
    pub message: String,
}

impl Notice {
    /// A sentence with its code.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
