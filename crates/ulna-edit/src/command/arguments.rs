//! Arguments of a command line as types: nodes by name, path, number or pattern, and numbers that
//! are finite.

use std::{collections::HashMap, ops::Range};

use glam::{Quat, Vec3, Vec4};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{ArgumentType, CommandLine, CommandSpec, Space};
use crate::{did_you_mean, evaluate};
use ulna_model::{ClipId, Document, MeshId, NodeId, Property, transform::unit_or};

/// What is wrong with an argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// It is needed.
    #[error("{command} needs the argument “{name}”")]
    Missing {
        /// The command.
        command: String,
        /// The argument.
        name: &'static str,
    },
    /// The command has no such argument.
    #[error("{command} has no argument “{name}”{near}")]
    Unknown {
        /// The command.
        command: String,
        /// The argument.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// It is of another type.
    #[error("“{name}” should be {wanted}, but is {found}")]
    Type {
        /// The argument.
        name: String,
        /// What it should be.
        wanted: &'static str,
        /// What it is.
        found: String,
    },
    /// It is none of the words that can stand there.
    #[error("“{name}” should be one of {wanted}, but is {found}{near}")]
    Choice {
        /// The argument.
        name: String,
        /// The words.
        wanted: String,
        /// What it is.
        found: String,
        /// A word that is close, in parentheses; or empty.
        near: String,
    },
    /// Nothing of that name.
    #[error("there is no node, clip or mesh named “{name}”{near}")]
    NotFound {
        /// The name.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// Several of that name.
    #[error("“{name}” matches {count} nodes; use {ways}")]
    Ambiguous {
        /// The name, the path or the pattern.
        name: String,
        /// How many.
        count: usize,
        /// Texts that mean one of them, or all of them, as part of a sentence.
        ways: String,
    },
    /// Several clips of that name, or that fit a pattern where one is wanted.
    #[error("“{name}” matches {count} clips; use {ways}")]
    AmbiguousClip {
        /// The name, or the pattern.
        name: String,
        /// How many.
        count: usize,
        /// Texts that mean one of them, as part of a sentence.
        ways: String,
    },
    /// A list that must name something names nothing.
    #[error("“{0}” is an empty list; add at least one element, or omit it")]
    Empty(String),
    /// Something is named twice, or in two ways that exclude each other.
    #[error("“{0}” and “{1}” exclude each other; use only one of them")]
    Both(&'static str, &'static str),
    /// No clip of that name.
    #[error("there is no clip named “{name}”{near}; {there}")]
    NoClip {
        /// The name.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
        /// What there is.
        there: String,
    },
}

impl ArgumentError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "argument_missing",
            Self::Unknown { .. } => "argument_unknown",
            Self::Type { .. } => "argument_type",
            Self::Choice { .. } => "argument_choice",
            Self::NotFound { .. } => "no_such_name",
            Self::Ambiguous { .. } => "name_ambiguous",
            Self::AmbiguousClip { .. } => "clip_ambiguous",
            Self::Empty(_) => "argument_empty",
            Self::Both(..) => "arguments_exclusive",
            Self::NoClip { .. } => "no_such_clip",
        }
    }
}

/// The spaces of commands that know no other ones.
pub(super) const PLAIN_SPACES: [&str; 3] = ["local", "parent", "world"];

/// `“#1” or “#3”`: the first few of some texts.
fn one_of(texts: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 6;
    let more = texts.len().saturating_sub(MOST);
    let mut quoted: Vec<String> = texts.take(MOST).map(|t| format!("“{t}”")).collect();
    match (more, quoted.pop()) {
        (0, Some(last)) if !quoted.is_empty() => format!("{} or {last}", quoted.join(", ")),
        (0, last) => last.unwrap_or_default(),
        (more, last) => {
            format!("{}, {} or {more} others", quoted.join(", "), last.unwrap_or_default())
        }
    }
}

/// That a text means several nodes, with texts that mean one of them: each is looked up before it
/// is offered.
pub(super) fn ambiguous(document: &Document, text: &str, ids: &[NodeId]) -> ArgumentError {
    let one = one_of(ids.iter().map(|id| path_text(document, *id)));
    let pattern = format!("{text}*");
    let is_all = find_nodes_quietly(document, &pattern) == ids;
    let ways = if is_all { format!("{one}, or “{pattern}” for all of them") } else { one };
    ArgumentError::Ambiguous { name: text.to_owned(), count: ids.len(), ways }
}

/// Text as a value of a kind, as a person types it: numbers apart by spaces or commas, names apart
/// by commas. Nothing where it is none.
pub fn typed(kind: ArgumentType, text: &str) -> Option<Value> {
    let text = text.trim();
    let number = |t: &str| evaluate(t).map(Value::from);
    let list = || -> Option<Vec<Value>> {
        text.split([',', ' ']).map(str::trim).filter(|t| !t.is_empty()).map(number).collect()
    };
    let numbers = |count: usize| list().filter(|l| l.len() == count).map(Value::from);
    let names = || {
        Value::from(text.split(',').map(str::trim).filter(|t| !t.is_empty()).collect::<Vec<_>>())
    };
    match kind {
        _ if text.is_empty() => None,
        ArgumentType::Number | ArgumentType::Seconds | ArgumentType::Degrees => {
            number(text.trim_end_matches(['°', 's']).trim())
        }
        ArgumentType::Vector => numbers(3),
        ArgumentType::Factor => number(text).or_else(|| numbers(3)),
        ArgumentType::Quaternion => numbers(4),
        ArgumentType::Axis if matches!(text, "x" | "y" | "z") => Some(text.into()),
        ArgumentType::Axis => numbers(3),
        ArgumentType::Space => Space::named(text)
            .filter(|s| PLAIN_SPACES.contains(&s.label()))
            .map(|s| s.label().into()),
        ArgumentType::Node | ArgumentType::Parts => Some(names()),
        ArgumentType::Clip
        | ArgumentType::Text
        | ArgumentType::Path
        | ArgumentType::Mesh
        | ArgumentType::Vertices => Some(text.into()),
        ArgumentType::Numbers => list().map(Value::from),
        ArgumentType::Keys => serde_json::from_str(text).ok(),
        ArgumentType::Choice(words) => words.contains(&text).then(|| text.into()),
        ArgumentType::Flag => text.parse::<bool>().ok().map(Value::from),
    }
}

/// The arguments of one command line, checked against its entry in the table.
#[derive(Clone, Debug)]
pub struct Arguments {
    command: String,
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks the names.
    ///
    /// # Errors
    /// Where one is needed and missing, or unknown.
    pub fn new(line: &CommandLine, spec: &CommandSpec) -> Result<Self, ArgumentError> {
        for name in line.arguments.keys() {
            if !spec.arguments.iter().any(|a| a.name == name) {
                let near = did_you_mean(name, spec.arguments.iter().map(|a| a.name));
                return Err(ArgumentError::Unknown {
                    command: line.name.clone(),
                    name: name.clone(),
                    near,
                });
            }
        }
        if let Some(missing) =
            spec.arguments.iter().find(|a| a.required && !line.arguments.contains_key(a.name))
        {
            return Err(ArgumentError::Missing { command: line.name.clone(), name: missing.name });
        }
        Ok(Self { command: line.name.clone(), values: line.arguments.clone() })
    }

    /// Whether it is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn value(&self, name: &'static str) -> Result<&Value, ArgumentError> {
        self.values
            .get(name)
            .ok_or_else(|| ArgumentError::Missing { command: self.command.clone(), name })
    }

    pub(super) fn wrong(name: &str, wanted: &'static str, found: &Value) -> ArgumentError {
        ArgumentError::Type { name: name.to_owned(), wanted, found: found.to_string() }
    }

    /// A word; a number that is spelled as one means it.
    pub(super) fn word(&self, name: &'static str) -> Result<String, ArgumentError> {
        Ok(match self.value(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        })
    }

    /// It is none of these words.
    pub(super) fn no_choice(&self, name: &'static str, words: &[&str]) -> ArgumentError {
        let found = self.values.get(name).map_or_else(String::new, ToString::to_string);
        let near = did_you_mean(found.trim_matches('"'), words.iter().copied());
        ArgumentError::Choice { name: name.to_owned(), wanted: words.join(", "), found, near }
    }

    /// Text.
    ///
    /// # Errors
    /// Where it is missing or no text.
    pub(super) fn text(&self, name: &'static str) -> Result<&str, ArgumentError> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| Self::wrong(name, "text", value))
    }

    /// A finite number.
    ///
    /// # Errors
    /// Where it is missing or none.
    pub(super) fn number(&self, name: &'static str) -> Result<f32, ArgumentError> {
        let value = self.value(name)?;
        single(value)
            .ok_or_else(|| Self::wrong(name, "a number in the range of single precision", value))
    }

    fn numbers<const N: usize>(
        &self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<[f32; N], ArgumentError> {
        let value = self.value(name)?;
        let list: Option<Vec<f32>> = value.as_array().and_then(|a| a.iter().map(single).collect());
        list.and_then(|l| <[f32; N]>::try_from(l).ok())
            .ok_or_else(|| Self::wrong(name, wanted, value))
    }

    /// Three numbers.
    pub(super) fn vector(&self, name: &'static str) -> Result<Vec3, ArgumentError> {
        self.numbers::<3>(name, "three numbers").map(Into::into)
    }

    /// One number for all axes, or three.
    ///
    /// # Errors
    /// Where it is missing or something else.
    pub(super) fn factor(&self, name: &'static str) -> Result<Vec3, ArgumentError> {
        match self.value(name)?.as_f64() {
            Some(_) => self.number(name).map(Vec3::splat),
            None => self.numbers::<3>(name, "one number or three numbers").map(Into::into),
        }
    }

    /// A quaternion of any length, made unit.
    pub(super) fn rotation(&self, name: &'static str) -> Result<Quat, ArgumentError> {
        let q = Quat::from_array(self.numbers::<4>(name, "four numbers")?);
        if q.length() < 1e-12 {
            return Err(Self::wrong(name, "a quaternion that is not all 0", self.value(name)?));
        }
        // One that is unit as far as single precision can say keeps its numbers: to be made unit
        // again would move their last digit.
        if (q.length_squared() - 1.0).abs() <= 1e-6 {
            return Ok(q);
        }
        // Numbers so large that their squares are none still have a direction.
        let largest = Vec4::from(q).abs().max_element();
        Ok(unit_or(Quat::from_vec4(Vec4::from(q) / largest), Quat::IDENTITY))
    }

    /// `x`, `y`, `z`, or three numbers with a direction; unit.
    ///
    /// # Errors
    /// Where it is missing or something else.
    pub(super) fn axis(&self, name: &'static str) -> Result<Vec3, ArgumentError> {
        let value = self.value(name)?;
        let axis = match value.as_str() {
            Some("x" | "X") => Some(Vec3::X),
            Some("y" | "Y") => Some(Vec3::Y),
            Some("z" | "Z") => Some(Vec3::Z),
            Some(_) => None,
            None => self
                .numbers::<3>(name, "x, y, z or three numbers")
                .ok()
                .and_then(|v| Vec3::from(v).try_normalize()),
        };
        axis.ok_or_else(|| Self::wrong(name, "x, y, z or three numbers that are not all 0", value))
    }

    /// A space.
    pub(super) fn space(&self, name: &'static str) -> Result<Space, ArgumentError> {
        let value = self.value(name)?;
        let space = value.as_str().and_then(Space::named);
        space
            .filter(|s| PLAIN_SPACES.contains(&s.label()))
            .ok_or_else(|| self.no_choice(name, &PLAIN_SPACES))
    }

    /// Some of translation, rotation, scale.
    pub(super) fn parts(&self, name: &'static str) -> Result<Vec<Property>, ArgumentError> {
        self.some_of(name, &Property::TRS, "one or more of translation, rotation, scale")
    }

    /// As [`Arguments::parts`], for keys that are there already: those of morph targets (`weights`)
    /// too.
    pub(super) fn parts_of_keys(&self, name: &'static str) -> Result<Vec<Property>, ArgumentError> {
        let [t, r, s] = Property::TRS;
        self.some_of(
            name,
            &[t, r, s, Property::Weights],
            "one or more of translation, rotation, scale, weights",
        )
    }

    fn some_of(
        &self,
        name: &'static str,
        all: &[Property],
        wanted: &'static str,
    ) -> Result<Vec<Property>, ArgumentError> {
        let value = self.value(name)?;
        let words: Vec<&str> = match value {
            Value::String(word) => vec![word.as_str()],
            Value::Array(list) => list
                .iter()
                .map(Value::as_str)
                .collect::<Option<_>>()
                .ok_or_else(|| Self::wrong(name, wanted, value))?,
            _ => Vec::new(),
        };
        let means = |p: &Property, w: &str| {
            p.path() == w || (w.len() == 1 && p.path().starts_with(&w.to_lowercase()))
        };
        let parts: Option<Vec<Property>> =
            words.iter().map(|w| all.iter().copied().find(|p| means(p, w))).collect();
        parts.filter(|p| !p.is_empty()).ok_or_else(|| Self::wrong(name, wanted, value))
    }

    /// A text or a list of texts, which is not empty.
    pub(super) fn texts(
        &self,
        name: &'static str,
        wanted: &'static str,
    ) -> Result<Vec<String>, ArgumentError> {
        match self.value(name)? {
            Value::String(text) => Ok(vec![text.clone()]),
            Value::Array(list) if list.is_empty() => Err(ArgumentError::Empty(name.to_owned())),
            value @ Value::Array(list) => {
                let texts: Option<Vec<String>> =
                    list.iter().map(|v| v.as_str().map(ToOwned::to_owned)).collect();
                texts.ok_or_else(|| Self::wrong(name, wanted, value))
            }
            value => Err(Self::wrong(name, wanted, value)),
        }
    }

    /// Whole numbers that are not negative.
    pub(super) fn counts(&self, name: &'static str) -> Result<Vec<u32>, ArgumentError> {
        let value = self.value(name)?;
        let one = |v: &Value| {
            let number =
                v.as_f64().filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v <= f64::from(u32::MAX));
            number.map(|v| v as u32)
        };
        let list: Option<Vec<u32>> = value.as_array().and_then(|a| a.iter().map(one).collect());
        list.ok_or_else(|| Self::wrong(name, "a list of whole numbers of 0 or more", value))
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self, name: &'static str) -> Result<usize, ArgumentError> {
        let value = self.value(name)?;
        let number = value.as_f64().filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v < 4e9);
        number.map(|v| v as usize).ok_or_else(|| Self::wrong(name, "a whole number", value))
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, ArgumentError> {
        let value = self.value(name)?;
        value.as_bool().ok_or_else(|| Self::wrong(name, "true or false", value))
    }

    /// Finite numbers.
    ///
    /// # Errors
    /// Where it is missing or something else.
    pub(super) fn list_of_numbers(&self, name: &'static str) -> Result<Vec<f64>, ArgumentError> {
        let value = self.value(name)?;
        let one = |v: &Value| single(v).and_then(|_| v.as_f64());
        let list: Option<Vec<f64>> = value.as_array().and_then(|a| a.iter().map(one).collect());
        list.ok_or_else(|| Self::wrong(name, "a list of numbers", value))
    }

    /// What names a clip.
    pub(super) fn clip_name(&self, name: &'static str) -> Result<String, ArgumentError> {
        let value = self.value(name)?;
        match value.as_u64() {
            Some(index) => Ok(format!("#{index}")),
            None => value
                .as_str()
                .map(ToOwned::to_owned)
                .ok_or_else(|| Self::wrong(name, "a name or #index", value)),
        }
    }
}

/// A number as a float, if that can hold it.
fn single(value: &Value) -> Option<f32> {
    value.as_f64().map(|v| v as f32).filter(|v| v.is_finite())
}

/// `0-99, 120`
pub(super) fn ranges(text: &str) -> Option<Vec<Range<usize>>> {
    let one = |t: &str| {
        let (from, to) = t.split_once('-').unwrap_or((t, t));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        (from <= to).then_some(from as usize..to as usize + 1)
    };
    text.split([',', ' ']).filter(|t| !t.is_empty()).map(one).collect()
}

/// The meshes of a name, of `#index`, or of a pattern; at least one.
pub(super) fn find_meshes(document: &Document, text: &str) -> Result<Vec<MeshId>, ArgumentError> {
    let by = |f: &dyn Fn(&str) -> bool| -> Vec<MeshId> {
        document
            .meshes
            .iter()
            .filter(|(_, m)| m.name.as_deref().is_some_and(f))
            .map(|(id, _)| id)
            .collect()
    };
    let named = by(&|name| name == text);
    if !named.is_empty() {
        return Ok(named);
    }
    let number = text.strip_prefix('#').and_then(|t| t.parse::<usize>().ok());
    let hits: Vec<MeshId> = match number {
        Some(k) => (k < document.meshes.len()).then(|| k.into()).into_iter().collect(),
        None => by(&|name| matches(text, name)),
    };
    if hits.is_empty() {
        let near = did_you_mean(text, document.meshes.values().filter_map(|m| m.name.as_deref()));
        return Err(ArgumentError::NotFound { name: text.to_owned(), near });
    }
    Ok(hits)
}

/// `#index`, spelled so that it is no name: `#03` where something is called `#3`.
pub(super) fn index_text<'a>(
    index: u32,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> String {
    let mut text = format!("#{index}");
    while names.clone().any(|n| n == Some(text.as_str())) {
        text.insert(1, '0');
    }
    text
}

/// The text that names a node in a command: its name where that is enough, else its number.
pub fn node_text(document: &Document, node: NodeId) -> String {
    let name = document
        .node(node)
        .name
        .as_deref()
        .filter(|n| !n.is_empty() && !n.contains(['*', '/', '#']));
    if let Some(name) = name
        && document.nodes.values().filter(|n| n.name.as_deref() == Some(name)).count() == 1
    {
        return name.to_owned();
    }
    index_text(node.0, document.nodes.values().map(|n| n.name.as_deref()))
}

/// Texts that name nodes in a command, for many nodes: all names are looked through once, and not
/// for each.
pub(super) struct NodeTexts<'a> {
    document: &'a Document,
    /// How many nodes have a name.
    named: HashMap<&'a str, usize>,
}

impl<'a> NodeTexts<'a> {
    pub fn of(document: &'a Document) -> Self {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for name in document.nodes.values().filter_map(|n| n.name.as_deref()) {
            *named.entry(name).or_default() += 1;
        }
        Self { document, named }
    }

    /// As [`node_text`].
    pub fn text(&self, node: NodeId) -> String {
        let name = self.document.node(node).name.as_deref();
        let name = name.filter(|n| !n.is_empty() && !n.contains(['*', '/', '#']));
        if let Some(name) = name.filter(|n| self.named.get(n) == Some(&1)) {
            return name.to_owned();
        }
        let mut text = format!("#{}", node.0);
        while self.named.contains_key(text.as_str()) {
            text.insert(1, '0');
        }
        text
    }
}

/// The shortest end of its path that means a node and no other, for a person to read; else what
/// names it in a command.
fn path_text(document: &Document, node: NodeId) -> String {
    let path = document.path(node);
    let ends = path.char_indices().rev().filter(|(_, c)| *c == '/').map(|(at, _)| &path[at + 1..]);
    let ends = ends.chain([path.as_str()]).filter(|t| t.contains('/') && !t.contains(['*', '#']));
    let means_it = |text: &&str| find_nodes_quietly(document, text).as_slice() == [node];
    ends.into_iter().find(means_it).map_or_else(|| node_text(document, node), ToOwned::to_owned)
}

/// The text that names a clip in a command: its name where it alone has it, else its number.
pub fn clip_text(document: &Document, clip: ClipId) -> String {
    let name = document.clips.get(clip).and_then(|c| c.name.as_deref()).filter(|n| !n.is_empty());
    match name {
        Some(name)
            if !name.contains(['*', '#']) && find_clips(document, name) == Ok(vec![clip]) =>
        {
            name.to_owned()
        }
        _ => index_text(clip.0, document.clips.values().map(|c| c.name.as_deref())),
    }
}

/// The clip of a name, of `#index`, or of a pattern that fits one.
///
/// # Errors
/// Where it names none, or several.
pub fn find_clip(document: &Document, text: &str) -> Result<ClipId, ArgumentError> {
    match find_clips(document, text)?[..] {
        [id] => Ok(id),
        ref ids => Err(ArgumentError::AmbiguousClip {
            name: text.to_owned(),
            count: ids.len(),
            ways: one_of(ids.iter().map(|id| clip_text(document, *id))),
        }),
    }
}

/// The clips of a name, of `#index`, or of a pattern; at least one.
///
/// # Errors
/// Where it names none.
pub fn find_clips(document: &Document, text: &str) -> Result<Vec<ClipId>, ArgumentError> {
    let by = |f: &dyn Fn(&str) -> bool| -> Vec<ClipId> {
        document
            .clips
            .iter()
            .filter(|(_, c)| c.name.as_deref().is_some_and(f))
            .map(|(id, _)| id)
            .collect()
    };
    let named = by(&|name| name == text);
    if !named.is_empty() {
        return Ok(named);
    }
    let number = text.strip_prefix('#').unwrap_or(text).parse().ok().map(ClipId);
    if let Some(id) = number.filter(|id| document.clips.contains(*id)) {
        return Ok(vec![id]);
    }
    let fits = if text.contains('*') { by(&|name| matches(text, name)) } else { Vec::new() };
    if !fits.is_empty() {
        return Ok(fits);
    }
    // What lists call a clip without a name, or one whose name has more than a line.
    let labeled: Vec<ClipId> =
        document.clips.ids().filter(|id| document.clip_label(*id) == text).collect();
    if !labeled.is_empty() {
        return Ok(labeled);
    }
    const MOST: usize = 12;
    let labels: Vec<String> =
        document.clips.ids().take(MOST).map(|id| document.clip_label(id)).collect();
    let more = document.clips.count().saturating_sub(MOST);
    let there = match (labels.is_empty(), more) {
        (true, _) => "the file has no clips".to_owned(),
        (_, 0) => format!("clips: {}", labels.join(", ")),
        (_, more) => format!("clips: {} and {more} more", labels.join(", ")),
    };
    let near = did_you_mean(text, document.clips.values().filter_map(|c| c.name.as_deref()));
    Err(ArgumentError::NoClip { name: text.to_owned(), near, there })
}

/// The nodes that a text means: an exact name first, then `#index`, what lists call a node without
/// a name, a pattern, a path.
///
/// # Errors
/// Where it means none, or several without a `*`.
pub(super) fn find_nodes(document: &Document, text: &str) -> Result<Vec<NodeId>, ArgumentError> {
    let found = find_nodes_quietly(document, text);
    match found.len() {
        0 if !text.contains('*') => Err(nothing_named(document, text)),
        0 | 1 => Ok(found),
        _ if is_pattern(document, text) => Ok(found),
        _ => Err(ambiguous(document, text, &found)),
    }
}

/// That a text means no node.
pub(super) fn nothing_named(document: &Document, text: &str) -> ArgumentError {
    let near = did_you_mean(text, document.nodes.values().filter_map(|n| n.name.as_deref()));
    ArgumentError::NotFound { name: text.to_owned(), near }
}

/// Whether a text is a pattern, and no name with a `*` in it.
fn is_pattern(document: &Document, text: &str) -> bool {
    text.contains('*') && document.nodes.values().all(|n| n.name.as_deref() != Some(text))
}

fn find_nodes_quietly(document: &Document, text: &str) -> Vec<NodeId> {
    let by = |f: &dyn Fn(NodeId) -> bool| -> Vec<NodeId> {
        document.node_ids().filter(|id| f(*id)).collect()
    };
    let exact = by(&|id| document.node(id).name.as_deref() == Some(text));
    if !exact.is_empty() {
        return exact;
    }
    if let Some(index) = text.strip_prefix('#').and_then(|t| t.parse::<usize>().ok()) {
        return (index < document.nodes.len()).then(|| index.into()).into_iter().collect();
    }
    let labeled = by(&|id| document.node(id).label(id) == text);
    if !labeled.is_empty() {
        return labeled;
    }
    match (text.contains('*'), text.contains('/')) {
        (true, false) => by(&|id| matches(text, &document.node(id).label(id))),
        (_, true) => by(&|id| path_matches(document, id, text)),
        (false, false) => Vec::new(),
    }
}

/// A path matches from its end: `Spine/Head` is `Hips/Spine/Head` too.
fn path_matches(document: &Document, id: NodeId, pattern: &str) -> bool {
    let path = document.path(id);
    matches(pattern, &path) || matches(&format!("*/{pattern}"), &path)
}

/// Whether a text fits a pattern in which `*` is any run of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{NodeTexts, matches, node_text};
    use ulna_model::{Asset, Document, Node};

    #[test]
    fn many_nodes_are_named_as_each_alone_is() {
        let names = ["a", "b", "a", "", "#4", "x/y", "#04", "c*", "#3"];
        let node =
            |name: &str| Node { name: (!name.is_empty()).then(|| name.into()), ..Node::default() };
        let document = Document::from(Asset {
            nodes: names.into_iter().map(node).collect(),
            ..Asset::default()
        });
        let all = NodeTexts::of(&document);
        for id in document.node_ids() {
            assert_eq!(all.text(id), node_text(&document, id));
        }
        assert_eq!(document.node_ids().count(), names.len());
    }

    #[test]
    fn patterns() {
        assert!(matches("Left*", "LeftArm"));
        assert!(matches("*Arm", "LeftArm"));
        assert!(matches("L*t*m", "LeftArm"));
        assert!(matches("*", ""));
        assert!(!matches("Left*", "RightArm"));
        assert!(!matches("Arm", "LeftArm"));
        assert!(!matches("a*a", "a"));
    }
}
