//! What stands in the form of a command: one entry per argument, and the line of text that they
//! come to.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::ui::dialogs::typed_path::expand;
use ulna_edit::{
    CommandLine, CommandSpec,
    command::forms::{Entry, Quantity, entry, is_needed},
    find,
};
use ulna_session::KeptLayer;

/// Arguments whose names say little to a person.
const LABELED: [(&str, &str); 18] = [
    ("most", "Max influences"),
    ("how", "Mode"),
    ("millimetres", "Max error"),
    ("locked", "Locked joints"),
    ("taken", "If the name exists"),
    ("in_common", "Shared vertices, min"),
    ("set", "Set number (0–9)"),
    ("new_keys", "New keys"),
    ("parts", "Channels"),
    ("about", "Pivot"),
    ("part", "Amount"),
    ("below", "Below"),
    ("repeat", "At the end"),
    ("make_room", "Move clip past 0"),
    ("falloff", "Fall-off, joints"),
    ("passes", "Iterations"),
    ("wrap", "Wrapping UVs"),
    ("bits", "Bits per weight"),
];

/// An argument's name as a label: `from_mesh` → *From mesh*.
pub fn label(name: &str) -> String {
    if let Some((_, label)) = LABELED.iter().find(|(n, _)| *n == name) {
        return (*label).to_owned();
    }
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// An argument as it is entered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entered {
    /// What the command gets; nothing where it is left out, or where what is typed does not read.
    pub value: Option<Value>,
    /// What stands in its fields, where it is typed.
    pub texts: Vec<String>,
    /// Why what is typed does not read.
    pub wrong: Option<String>,
}

/// The form of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct FormDraft {
    /// The command's name.
    pub command: String,
    /// One per argument.
    pub entered: Vec<Entered>,
    /// Frames per second, for times that are typed in frames.
    pub rate: f64,
}

impl FormDraft {
    /// The form of a command with what is known already.
    pub fn new(spec: &CommandSpec, mut values: Map<String, Value>, rate: f64) -> Self {
        let one = |argument: &ulna_edit::ArgumentSpec| {
            let value = values.remove(argument.name);
            let texts = match entry(spec, argument) {
                Some(entry) => texts_of(&entry, value.as_ref()),
                None => Vec::new(),
            };
            Entered { value, texts, wrong: None }
        };
        let entered = spec.arguments.iter().map(one).collect();
        Self { command: spec.name.to_owned(), entered, rate }
    }

    /// Its command.
    pub fn spec(&self) -> Option<&'static CommandSpec> {
        find(&self.command)
    }

    /// Whether its keys are named one by one: times, nodes and tracks are not asked for then.
    pub fn names_keys(&self, spec: &CommandSpec) -> bool {
        let at = spec.arguments.iter().position(|a| entry(spec, a) == Some(Entry::Keys));
        at.is_some_and(|k| self.entered[k].value.is_some())
    }

    /// The file that it names.
    pub fn file(&self) -> Option<PathBuf> {
        let at = self.path_at()?;
        self.entered[at].value.as_ref()?.as_str().map(expand)
    }

    /// Names a file that was chosen elsewhere.
    pub fn name_file(&mut self, path: &Path) {
        if let Some(at) = self.path_at() {
            self.entered[at].texts = vec![path.display().to_string()];
            self.read(at, &Entry::Path);
        }
    }

    fn path_at(&self) -> Option<usize> {
        let spec = self.spec()?;
        spec.arguments.iter().position(|a| entry(spec, a) == Some(Entry::Path))
    }

    /// The line that it comes to.
    ///
    /// # Errors
    /// What is missing or does not read, in a sentence without its full stop.
    pub fn line(&self, spec: &CommandSpec) -> Result<CommandLine, String> {
        let mut line = CommandLine::new(spec.name);
        for (argument, entered) in spec.arguments.iter().zip(&self.entered) {
            if self.is_left_out(spec, argument.name) {
                continue;
            }
            if let Some(wrong) = &entered.wrong {
                return Err(format!("{} {wrong}", label(argument.name)));
            }
            match &entered.value {
                Some(value) => line.arguments.insert(argument.name.to_owned(), value.clone()),
                None if is_needed(spec, argument) => {
                    let label = label(argument.name);
                    let typed = entry(spec, argument).is_some_and(|e| field_count(&e) > 0);
                    let verb = if typed { "Enter" } else { "Pick" };
                    // Some names are no nouns: “the to” is no English.
                    return Err(
                        if matches!(
                            argument.name,
                            "to" | "from" | "with" | "by" | "into" | "over" | "below"
                        ) {
                            format!("{verb} a value for “{label}”")
                        } else {
                            format!("{verb} the {}", label.to_lowercase())
                        },
                    );
                }
                None => None,
            };
        }
        Ok(line)
    }

    /// Whether an argument has no place where keys are named one by one.
    pub fn is_left_out(&self, spec: &CommandSpec, name: &str) -> bool {
        const ELSEWISE: [&str; 6] = ["time", "times", "from", "to", "node", "parts"];
        let optional = spec.arguments.iter().any(|a| a.name == name && !a.required);
        optional && ELSEWISE.contains(&name) && self.names_keys(spec)
    }

    /// Reads what is typed for an argument.
    pub fn read(&mut self, k: usize, entry: &Entry) {
        let Some(entered) = self.entered.get_mut(k) else { return };
        match read(entry, &entered.texts, self.rate) {
            Ok(value) => (entered.value, entered.wrong) = (value, None),
            Err(wrong) => (entered.value, entered.wrong) = (None, Some(wrong)),
        }
    }
}

/// Layers that the file of a form keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayersThere {
    /// All of them, or why the file cannot be read.
    pub layers: Result<Vec<KeptLayer>, String>,
}

/// How many fields an editor has that are typed into.
pub fn field_count(entry: &Entry) -> usize {
    match entry {
        Entry::Vector(_) | Entry::Factor(_) | Entry::Axis => 3,
        Entry::Number(_) | Entry::Numbers(_) | Entry::Text | Entry::Path | Entry::Vertices => 1,
        _ => 0,
    }
}

/// What stands in the fields for a value.
fn texts_of(entry: &Entry, value: Option<&Value>) -> Vec<String> {
    let mut texts = match (entry, value) {
        (Entry::Number(q), Some(value)) => {
            value.as_f64().map(|v| vec![q.shown(v)]).unwrap_or_default()
        }
        (Entry::Vector(q) | Entry::Factor(q), Some(Value::Array(list))) => {
            list.iter().filter_map(Value::as_f64).map(|v| q.shown(v)).collect()
        }
        (Entry::Factor(q), Some(value)) => {
            value.as_f64().map(|v| vec![q.shown(v)]).unwrap_or_default()
        }
        (Entry::Numbers(q), Some(Value::Array(list))) => {
            vec![
                list.iter()
                    .filter_map(Value::as_f64)
                    .map(|v| q.shown(v))
                    .collect::<Vec<_>>()
                    .join(", "),
            ]
        }
        (Entry::Text | Entry::Path | Entry::Vertices, Some(Value::String(text))) => {
            vec![text.clone()]
        }
        (Entry::Vertices, Some(Value::Array(list))) => {
            vec![list.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")]
        }
        _ => Vec::new(),
    };
    texts.resize(field_count(entry), String::new());
    texts
}

fn read(entry: &Entry, texts: &[String], rate: f64) -> Result<Option<Value>, String> {
    let filled: Vec<&str> = texts.iter().map(|t| t.trim()).filter(|t| !t.is_empty()).collect();
    let number = |q: &Quantity, text: &str| {
        let value = q.read(text, rate)?;
        // Whole numbers are written without a point.
        Ok::<Value, String>(if value.fract() == 0.0 && value.abs() < 1e15 {
            Value::from(value as i64)
        } else {
            value.into()
        })
    };
    let all =
        |q: &Quantity| filled.iter().map(|t| number(q, t)).collect::<Result<Vec<Value>, String>>();
    if filled.is_empty() {
        return Ok(None);
    }
    Ok(Some(match entry {
        Entry::Number(q) => number(q, filled[0])?,
        Entry::Factor(q) if filled.len() == 1 && !texts[0].trim().is_empty() => {
            number(q, filled[0])?
        }
        Entry::Vector(q) | Entry::Factor(q) => {
            if filled.len() < 3 {
                return Err("needs three numbers".to_owned());
            }
            all(q)?.into()
        }
        Entry::Axis => {
            let q = Quantity {
                unit: ulna_edit::command::forms::Unit::Plain,
                range: -1e6..=1e6,
                whole: false,
            };
            if filled.len() < 3 {
                return Err("needs three numbers".to_owned());
            }
            all(&q)?.into()
        }
        Entry::Numbers(q) => {
            // Between numbers stand commas or semicolons; spaces where there are neither.
            let text = filled[0];
            let parts: Vec<&str> = if text.contains([',', ';']) {
                text.split([',', ';']).collect()
            } else {
                text.split_whitespace().collect()
            };
            let parts = parts.into_iter().map(str::trim).filter(|t| !t.is_empty());
            parts.map(|t| number(q, t)).collect::<Result<Vec<Value>, String>>()?.into()
        }
        _ => filled[0].into(),
    }))
}
