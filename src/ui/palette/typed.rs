//! Values that are typed after the words of a command, as in `rotate 30 z` or `fps 24`.

use serde_json::{Value, json};

use crate::ui::dialogs::argument_label;
use ulna_edit::{
    CommandLine, CommandSpec,
    command::forms::{Entry, Quantity, entry, is_needed},
};

/// A typed argument of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedValue {
    /// Name of the argument.
    pub argument: &'static str,
    /// Value of the argument.
    pub value: Value,
    /// Name and value as text, such as *Angle 30°*.
    pub shown: String,
}

/// True if the word is a number or an axis.
pub fn is_value(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| !matches!(c, '-' | '−' | '+' | '.'));
    is_axis(word) || letters.next().is_some_and(|c| c.is_ascii_digit())
}

fn is_axis(word: &str) -> bool {
    matches!(word, "x" | "y" | "z" | "X" | "Y" | "Z")
}

/// JSON number, without a fraction for whole numbers.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        Value::from(value as i64)
    } else {
        value.into()
    }
}

/// Reads typed words as arguments of one command.
struct Reader<'a> {
    spec: &'static CommandSpec,
    words: &'a [&'a str],
    rate: f64,
    filled: Vec<TypedValue>,
}

impl Reader<'_> {
    /// Arguments without a value, and their editors. Required arguments come first.
    fn free(&self) -> Vec<(&'static str, Entry)> {
        let free = self
            .spec
            .arguments
            .iter()
            .filter(|a| self.filled.iter().all(|typed| typed.argument != a.name));
        let mut free: Vec<_> = free
            .filter_map(|a| Some((!is_needed(self.spec, a), a.name, entry(self.spec, a)?)))
            .collect();
        free.sort_by_key(|(optional, ..)| *optional);
        free.into_iter().map(|(_, name, entry)| (name, entry)).collect()
    }

    fn put(&mut self, argument: &'static str, value: Value, shown: &str) {
        let spec = self.spec.arguments.iter().find(|a| a.name == argument);
        let label = spec.map_or_else(String::new, |a| argument_label(self.spec, a));
        let shown = format!("{label} {shown}");
        self.filled.push(TypedValue { argument, value, shown });
    }

    /// Reads a number with an optional unit as the next matching argument. Returns the number of
    /// words read.
    fn number(&mut self, at: usize) -> Option<usize> {
        let word = self.words[at].replace('−', "-");
        let unit = self.words.get(at + 1).filter(|next| !is_value(next));
        for (name, entry) in self.free() {
            let (Entry::Number(q) | Entry::Factor(q)) = &entry else { continue };
            let with_unit = unit.and_then(|unit| q.read(&format!("{word} {unit}"), self.rate).ok());
            let read = match with_unit {
                Some(value) => Some((value, 2)),
                None => q.read(&word, self.rate).ok().map(|value| (value, 1)),
            };
            if let Some((value, taken)) = read {
                self.put(name, number(value), &with_sign(q, value));
                return Some(taken);
            }
            // A number that is invalid for a required argument must not fill an optional one.
            if self.spec.arguments.iter().any(|a| a.name == name && is_needed(self.spec, a)) {
                return None;
            }
        }
        None
    }

    /// Reads a vector: three numbers, or a number and an axis in any order. Returns the number of
    /// words read.
    fn vector(&mut self, at: usize) -> Option<usize> {
        let (name, q, other) = self.free().into_iter().find_map(|(name, entry)| match entry {
            Entry::Vector(q) => Some((name, q, 0.0)),
            // A factor along one axis leaves the other axes unchanged.
            Entry::Factor(q) => Some((name, q, 1.0)),
            _ => None,
        })?;
        let read = |word: &str| q.read(&word.replace('−', "-"), self.rate).ok();
        if let Some([a, b, c]) = self.words.get(at..at + 3)
            && let (Some(a), Some(b), Some(c)) = (read(a), read(b), read(c))
        {
            let shown = format!("{}, {}, {}", q.shown(a), q.shown(b), with_sign(&q, c));
            self.put(name, json!([number(a), number(b), number(c)]), &shown);
            return Some(3);
        }
        // A number and an axis form a vector only for a required argument, and only if the axis is
        // not an argument of its own.
        let spec = self.spec.arguments.iter().find(|a| a.name == name)?;
        let is_own = self.free().iter().any(|(_, entry)| *entry == Entry::Axis);
        if is_own || !is_needed(self.spec, spec) {
            return None;
        }
        let [first, second] = self.words.get(at..at + 2)? else { return None };
        let (axis, value) = match (is_axis(first), is_axis(second)) {
            (true, false) => (first, read(second)?),
            (false, true) => (second, read(first)?),
            _ => return None,
        };
        let axis = axis.to_ascii_lowercase();
        let place = "xyz".find(&axis)?;
        let mut all = [other; 3];
        all[place] = value;
        let shown = format!("{} along {axis}", with_sign(&q, value));
        self.put(name, json!(all.map(number)), &shown);
        Some(2)
    }

    /// Reads an axis. Returns the number of words read.
    fn axis(&mut self, at: usize) -> Option<usize> {
        let axis = self.words[at].to_ascii_lowercase();
        let (name, _) = self.free().into_iter().find(|(_, e)| *e == Entry::Axis)?;
        is_axis(&axis).then(|| self.put(name, axis.clone().into(), &axis))?;
        Some(1)
    }

    /// Reads one of the listed words of an argument. Returns the number of words read.
    fn choice(&mut self, at: usize) -> Option<usize> {
        let word = self.words[at].to_lowercase();
        let found = self.free().into_iter().find_map(|(name, entry)| match entry {
            Entry::Words(words) => Some((name, *words.iter().find(|w| **w == word)?)),
            _ => None,
        });
        let (name, value) = found?;
        self.put(name, value.into(), value);
        Some(1)
    }
}

/// Number with its unit, such as `30°` or `24 fps`.
fn with_sign(q: &Quantity, value: f64) -> String {
    match q.unit.sign() {
        "" => q.shown(value),
        sign @ "°" => format!("{}{sign}", q.shown(value)),
        sign => format!("{} {sign}", q.shown(value)),
    }
}

/// Reads all words as arguments of a command; `None` if a word does not fit. `rate` is the number
/// of frames per second, for times in frames.
pub fn typed_values(
    spec: &'static CommandSpec,
    words: &[&str],
    rate: f64,
) -> Option<Vec<TypedValue>> {
    let mut reader = Reader { spec, words, rate, filled: Vec::new() };
    let mut at = 0;
    while at < words.len() {
        let taken = reader
            .axis(at)
            .or_else(|| reader.vector(at))
            .or_else(|| reader.number(at))
            .or_else(|| reader.choice(at))?;
        at += taken;
    }
    (!reader.filled.is_empty()).then_some(reader.filled)
}

/// Reads a name for a command that needs a new name, such as *New clip*. `None` for other commands.
pub fn typed_name(spec: &'static CommandSpec, name: &str) -> Option<TypedValue> {
    let argument = spec.arguments.iter().find(|a| a.name == "name")?;
    let is_text = entry(spec, argument) == Some(Entry::Text);
    let shown = format!("{} {name}", argument_label(spec, argument));
    is_text.then(|| TypedValue { argument: argument.name, value: name.into(), shown })
}

/// Command line with the typed arguments.
pub fn line(spec: &CommandSpec, typed: &[TypedValue]) -> CommandLine {
    let mut line = CommandLine::new(spec.name);
    for value in typed {
        line.arguments.insert(value.argument.to_owned(), value.value.clone());
    }
    line
}

#[cfg(test)]
mod tests {
    use ulna_edit::find;

    use super::*;

    fn read(name: &str, text: &str) -> Option<Value> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let spec = find(name).expect("a command");
        let typed = typed_values(spec, &words, 30.0)?;
        Some(Value::from(line(spec, &typed).arguments))
    }

    #[test]
    fn numbers_axes_and_choices_become_arguments() {
        for (name, text, wanted) in [
            ("pose.rotate", "30 z", r#"{"axis":"z","degrees":30}"#),
            ("pose.rotate", "z −30°", r#"{"axis":"z","degrees":-30}"#),
            ("pose.rotate", "30 x world", r#"{"axis":"x","degrees":30,"space":"world"}"#),
            ("pose.turn", "30 z", r#"{"axis":"z","degrees":30}"#),
            ("pose.move", "0.5 y", r#"{"by":[0,0.5,0]}"#),
            ("pose.move", "1 2 3 cm", ""),
            ("pose.move", "1 2 3", r#"{"by":[1,2,3]}"#),
            ("pose.scale", "2", r#"{"by":2}"#),
            ("pose.scale", "x 2", r#"{"by":[2,1,1]}"#),
            ("clip.rate", "24", r#"{"rate":24}"#),
            ("clip.rate", "24 fps", r#"{"rate":24}"#),
            ("play.go_to", "12", r#"{"frame":12}"#),
            ("weights.limit", "4", r#"{"most":4}"#),
            ("key.move", "10 frames", r#"{"by":0.3333333333333333}"#),
            ("weights.prune", "2 %", r#"{"below":0.02}"#),
            ("weights.limit", "900", ""),
            ("edit.undo", "3", ""),
        ] {
            let wanted = serde_json::from_str(wanted).ok();
            assert_eq!(read(name, text), wanted, "{name} {text}");
        }
    }

    #[test]
    fn typed_values_are_described_in_words() {
        let spec = find("pose.rotate").expect("a command");
        let typed = typed_values(spec, &["30", "z"], 30.0).expect("values");
        let shown: Vec<&str> = typed.iter().map(|t| t.shown.as_str()).collect();
        assert_eq!(shown, ["Angle 30°", "Axis z"]);
        let name = typed_name(find("clip.new").expect("a command"), "Jump").expect("a name");
        assert_eq!((name.argument, name.shown.as_str()), ("name", "Name Jump"));
        assert_eq!(typed_name(find("edit.undo").expect("a command"), "Jump"), None);
    }
}
