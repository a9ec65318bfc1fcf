//! Rewrites parts of a JSON text. Everything else is copied exactly, including white space and the
//! notation of numbers.
//!
//! The text must be valid JSON. There is no recursion, so nesting cannot overflow the stack.

use std::{collections::BTreeMap, ops::Range};

/// Edit operation on a JSON value.
#[derive(Clone, Debug, Default)]
pub enum Ops {
    /// Copies the value.
    #[default]
    Keep,
    /// Removes the value from its object or list.
    Remove,
    /// Replaces the value by a JSON text.
    Replace(String),
    /// Changes the members of an object.
    Object {
        /// Operations by member name. A member that does not exist is appended if its operation
        /// adds a value.
        members: BTreeMap<String, Self>,
    },
    /// Changes the elements of a list.
    Array {
        /// Operations by index of existing elements.
        items: BTreeMap<usize, Self>,
        /// JSON texts of elements to append.
        push: Vec<String>,
    },
}

impl Ops {
    /// Creates an operation on the members of an object, which changes no member yet.
    pub const fn object() -> Self {
        Self::Object { members: BTreeMap::new() }
    }

    /// Returns the operation on a member. If needed, first makes this operation an object
    /// operation.
    pub fn member(&mut self, key: &str) -> &mut Self {
        if !matches!(self, Self::Object { .. }) {
            *self = Self::object();
        }
        match self {
            Self::Object { members } => members.entry(key.to_owned()).or_default(),
            other => other,
        }
    }

    /// Returns the operation on a list element. If needed, first makes this operation a list
    /// operation.
    pub fn item(&mut self, index: usize) -> &mut Self {
        self.make_array();
        match self {
            Self::Array { items, .. } => items.entry(index).or_default(),
            other => other,
        }
    }

    /// Adds an element at the end of a list.
    pub fn push(&mut self, text: String) {
        self.make_array();
        if let Self::Array { push, .. } = self {
            push.push(text);
        }
    }

    fn make_array(&mut self) {
        if !matches!(self, Self::Array { .. }) {
            *self = Self::Array { items: BTreeMap::new(), push: Vec::new() };
        }
    }

    /// Whether the operation creates a value if there was none.
    fn adds(&self) -> bool {
        match self {
            Self::Keep | Self::Remove => false,
            Self::Replace(_) => true,
            Self::Object { members } => members.values().any(Self::adds),
            Self::Array { push, .. } => !push.is_empty(),
        }
    }

    /// Whether the operation changes nothing.
    pub fn is_keep(&self) -> bool {
        match self {
            Self::Keep => true,
            Self::Remove | Self::Replace(_) => false,
            Self::Object { members } => members.values().all(Self::is_keep),
            Self::Array { items, push } => push.is_empty() && items.values().all(Self::is_keep),
        }
    }
}

/// Properties of a JSON text that need special handling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Maximum nesting of objects and lists.
    pub depth: usize,
    /// Number of null members, except in extras and extensions.
    pub nulls: usize,
}

/// Surveys a JSON text without recursion.
pub fn survey(text: &str) -> Survey {
    let b = text.as_bytes();
    let mut survey = Survey::default();
    let (mut at, mut depth) = (0, 0usize);
    // Depth at which extras or extensions began. Members below it are not counted.
    let mut foreign: Option<usize> = None;
    while at < b.len() {
        match b[at] {
            b'"' => {
                let end = skip_string(b, at).min(b.len());
                let is_key = b.get(skip_space(b, end)) == Some(&b':');
                if is_key && foreign.is_none_or(|f| depth <= f) {
                    foreign =
                        matches!(&b[at..end], b"\"extras\"" | b"\"extensions\"").then_some(depth);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                survey.depth = survey.depth.max(depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if foreign.is_some_and(|f| depth < f) {
                    foreign = None;
                }
            }
            b'n' if foreign.is_none() => survey.nulls += 1,
            _ => {}
        }
        at += 1;
        while b.get(at).is_some_and(|c| !matches!(c, b'"' | b'{' | b'[' | b'}' | b']' | b'n')) {
            at += 1;
        }
    }
    survey
}

/// Applies operations to the top-level value of a JSON text.
pub fn rewrite(text: &str, ops: &Ops) -> String {
    let mut out = String::with_capacity(text.len() + 1024);
    let start = skip_space(text.as_bytes(), 0);
    let end = skip_value(text.as_bytes(), start);
    out.push_str(&text[..start]);
    emit(text, start..end, ops, &mut out);
    out.push_str(&text[end..]);
    out
}

fn emit(text: &str, range: Range<usize>, ops: &Ops, out: &mut String) {
    // The value is not an object or list as expected, so it is copied. If the save needs a change
    // here, its verification fails.
    let begins = text.as_bytes().get(range.start);
    match ops {
        Ops::Object { .. } if begins != Some(&b'{') => out.push_str(&text[range]),
        Ops::Array { .. } if begins != Some(&b'[') => out.push_str(&text[range]),
        Ops::Keep | Ops::Remove => out.push_str(&text[range]),
        Ops::Replace(new) => out.push_str(new),
        Ops::Object { members } => emit_object(text, range, members, out),
        Ops::Array { items, push } => emit_array(text, range, items, push, out),
    }
}

fn emit_object(text: &str, range: Range<usize>, ops: &BTreeMap<String, Ops>, out: &mut String) {
    let parts = parts(text.as_bytes(), &range, true);
    let key_of = |part: &JsonSpan| {
        serde_json::from_str::<String>(&text[part.key.clone()]).unwrap_or_default()
    };
    let keys: Vec<String> = parts.iter().map(key_of).collect();
    let mut done: Vec<&str> = Vec::new();
    out.push('{');
    let mut first = true;
    let mut lead = "";
    let mut tail =
        text[range.start + 1..range.end - 1].trim_end_matches(|c: char| !c.is_ascii_whitespace());
    for (k, (part, key)) in parts.iter().zip(&keys).enumerate() {
        // If a key is repeated, the last occurrence is used.
        let op = if keys[k + 1..].contains(key) {
            &Ops::Keep
        } else {
            ops.get(key).unwrap_or(&Ops::Keep)
        };
        tail = &text[part.value.end..part.end];
        if ops.contains_key(key) {
            done.push(key);
        }
        if matches!(op, Ops::Remove) {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        lead = &text[part.start..part.key.start];
        out.push_str(&text[part.start..part.value.start]);
        emit(text, part.value.clone(), op, out);
        if k + 1 < parts.len() {
            out.push_str(tail);
        }
    }
    for (key, op) in ops {
        if done.contains(&key.as_str()) || !op.adds() {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        out.push_str(lead);
        out.push_str(&serde_json::Value::from(key.as_str()).to_string());
        out.push(':');
        let blank = if matches!(op, Ops::Array { .. }) { "[]" } else { "{}" };
        emit(blank, 0..blank.len(), op, out);
    }
    if parts.is_empty() {
        tail = "";
    }
    out.push_str(tail);
    out.push('}');
}

fn emit_array(
    text: &str,
    range: Range<usize>,
    ops: &BTreeMap<usize, Ops>,
    push: &[String],
    out: &mut String,
) {
    let parts = parts(text.as_bytes(), &range, false);
    out.push('[');
    let mut first = true;
    let (mut lead, mut tail) = ("", "");
    for (k, part) in parts.iter().enumerate() {
        let op = ops.get(&k).unwrap_or(&Ops::Keep);
        tail = &text[part.value.end..part.end];
        if matches!(op, Ops::Remove) {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        lead = &text[part.start..part.value.start];
        out.push_str(lead);
        emit(text, part.value.clone(), op, out);
        if k + 1 < parts.len() {
            out.push_str(tail);
        }
    }
    for item in push {
        if !first {
            out.push(',');
        }
        first = false;
        out.push_str(lead);
        out.push_str(item);
    }
    out.push_str(tail);
    out.push(']');
}

/// Text range of one member or element, between the preceding and the following comma or bracket.
struct JsonSpan {
    start: usize,
    key: Range<usize>,
    value: Range<usize>,
    end: usize,
}

fn parts(b: &[u8], range: &Range<usize>, object: bool) -> Vec<JsonSpan> {
    let mut parts = Vec::new();
    let close = range.end - 1;
    let mut start = range.start + 1;
    let mut at = skip_space(b, start);
    while at < close {
        let key_start = at;
        let mut key = at..at;
        if object {
            at = skip_string(b, at);
            key = key_start..at;
            at = skip_space(b, at);
            at = skip_space(b, at + 1);
        }
        let value_start = at;
        at = skip_value(b, at);
        let value = value_start..at;
        at = skip_space(b, at);
        parts.push(JsonSpan { start, key, value, end: at });
        start = at + 1;
        at = skip_space(b, start);
    }
    parts
}

fn skip_space(b: &[u8], mut at: usize) -> usize {
    while b.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn skip_string(b: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < b.len() && b[at] != b'"' {
        at += if b[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn skip_value(b: &[u8], mut at: usize) -> usize {
    match b.get(at) {
        Some(b'"') => skip_string(b, at),
        Some(b'{' | b'[') => {
            let mut depth = 0usize;
            while at < b.len() {
                match b[at] {
                    b'"' => {
                        at = skip_string(b, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
            at
        }
        _ => {
            while b
                .get(at)
                .is_some_and(|c| !c.is_ascii_whitespace() && !matches!(c, b',' | b'}' | b']'))
            {
                at += 1;
            }
            at
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" {
  "a" : [ 1.50e-3, {"x":"}]\"" } , [] ],
  "b" : { "k":1 },
  "c": {}
} "#;

    #[test]
    fn a_rewrite_without_changes_copies_the_text() {
        assert_eq!(rewrite(TEXT, &Ops::Keep), TEXT);
        let mut ops = Ops::object();
        ops.member("a").item(1).member("x");
        assert!(ops.is_keep());
        assert_eq!(rewrite(TEXT, &ops), TEXT);
    }

    #[test]
    fn members_are_replaced_removed_and_added_where_they_belong() {
        let mut ops = Ops::object();
        *ops.member("b").member("k") = Ops::Remove;
        *ops.member("b").member("new") = Ops::Replace("2".into());
        *ops.member("c").member("n") = Ops::Replace("3".into());
        *ops.member("d") = Ops::Replace("4".into());
        ops.member("a").push("9".into());
        *ops.member("a").item(0) = Ops::Remove;
        ops.member("list").push("7".into());
        let out = rewrite(TEXT, &ops);
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"a":[{"x":"}]\""},[],9],"b":{"new":2},"c":{"n":3},"d":4,"list":[7]})
        );
        assert!(out.contains("\n  \"d\":4"), "{out}");
    }

    #[test]
    fn the_survey_measures_depth_and_counts_nulls_outside_extras() {
        let text = r#"{"a":null,"extras":{"b":[[null]]},"c":[{"extensions":{"n":null},"d":null}]}"#;
        assert_eq!(survey(text), Survey { depth: 4, nulls: 2 });
    }

    #[test]
    fn values_of_another_type_are_copied() {
        let mut ops = Ops::object();
        *ops.member("a").member("k") = Ops::Replace("1".into());
        ops.member("b").push("2".into());
        assert_eq!(rewrite(TEXT, &ops), TEXT);
    }

    #[test]
    fn elements_can_be_added_to_an_empty_list() {
        let mut ops = Ops::object();
        ops.member("a").item(2).push("1".into());
        assert!(rewrite(TEXT, &ops).contains("[1]"));
    }
}
