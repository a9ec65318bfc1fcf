//! Results of verbs: text messages, and one JSON object.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

/// Version of the JSON output. It increases if a member is removed or changes its meaning, but not
/// if a member is added.
const VERSION: u32 = 1;

/// Failure of a verb: a message, its code, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// Stable code of the message, for scripts.
    pub code: &'static str,
    /// Message for users, one sentence.
    pub message: String,
    /// Exit status: 1 or 2.
    pub status: u8,
    /// The file that failed, if there are several.
    file: Option<PathBuf>,
    /// Line number in the script, from 1.
    line: Option<usize>,
}

impl Failure {
    fn new(code: &'static str, message: impl fmt::Display, status: u8) -> Self {
        Self { code, message: message.to_string(), status, file: None, line: None }
    }

    /// Creates a failure with status 1: the work could not be done.
    pub(super) fn fault(code: &'static str, message: impl fmt::Display) -> Self {
        Self::new(code, message, 1)
    }

    /// Creates a failure with status 2: invalid arguments, or a file that cannot be opened.
    pub(super) fn unusable(code: &'static str, message: impl fmt::Display) -> Self {
        Self::new(code, message, 2)
    }

    /// Adds the file that failed.
    #[must_use]
    pub(super) fn of_file(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// Adds the line number in the script.
    #[must_use]
    pub(super) fn at_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// JSON object with the code, the message and the line.
    pub(super) fn facts(&self) -> Value {
        let mut facts = json!({"code": self.code, "message": self.message});
        if let Some(line) = self.line {
            facts["line"] = line.into();
        }
        facts
    }

    /// Reports the error. Returns the exit status.
    pub(super) fn say(&self, verb: &str, as_json: bool) -> u8 {
        if as_json {
            let mut facts = Map::new();
            if let Some(file) = &self.file {
                facts.insert("file".into(), file.display().to_string().into());
            }
            facts.insert("error".into(), self.facts());
            if let Err(failure) = print(&object(verb, facts).to_string()) {
                eprintln!("ulna: {}", failure.message);
            }
        } else {
            eprintln!("ulna: {}", self.message);
        }
        self.status
    }
}

/// The JSON object of a verb: its version and name, then its results.
pub(super) fn object(verb: &str, facts: Map<String, Value>) -> Value {
    let mut all = Map::new();
    all.insert("version".into(), VERSION.into());
    all.insert("verb".into(), verb.into());
    all.extend(facts);
    Value::Object(all)
}

/// The members of a JSON object. Another value becomes a member `value`.
pub(super) fn members(facts: Value) -> Map<String, Value> {
    match facts {
        Value::Object(members) => members,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// JSON object of a verb on files. `files` has one entry per file. For a single file, its members
/// are also in the object itself.
pub(super) fn of_files(
    verb: &str,
    entries: Vec<Map<String, Value>>,
    is_single: bool,
    all: Map<String, Value>,
) -> Value {
    let mut facts = Map::new();
    if let ([entry], true) = (&entries[..], is_single) {
        facts.extend(entry.clone());
    }
    facts.extend(all);
    facts.insert("files".into(), entries.into());
    object(verb, facts)
}

/// Prints text to standard output. A closed pipe is no error.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::fault("output_not_writable", format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// A number with its noun, such as `1 error` or `2 errors`.
pub(super) fn many(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
