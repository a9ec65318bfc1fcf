//! Reads the arguments of a command line as typed values: nodes by name, path, number or pattern,
//! and finite numbers.

use std::ops::Range;

use glam::{Quat, Vec3, Vec4};
use serde_json::{Map, Value};

use super::{ArgumentType, CommandLine, CommandSpec, error::ArgumentError, spec::PLAIN_SPACES};
use crate::{did_you_mean, evaluate};
use ulna_model::{Property, transform::unit_or};
use ulna_motion::Space;

/// Parses user input as a value of an argument type. Numbers are separated by spaces or commas,
/// names by commas. Returns `None` if the text does not fit the type.
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
        ArgumentType::Node | ArgumentType::Parts | ArgumentType::KeyParts => Some(names()),
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

/// Renamed arguments, as (command, old name, new name). Old scripts and journals still use the old
/// names.
const BEFORE: [(&str, &str, &str); 2] =
    [("key.value", "axes", "order"), ("key.slope", "axes", "order")];

/// The arguments of one command line, checked against its entry in the table.
#[derive(Clone, Debug)]
pub struct Arguments {
    command: String,
    values: Map<String, Value>,
}

impl Arguments {
    /// Reads the arguments of a line. Checks that required arguments are present and no names are
    /// unknown.
    ///
    /// # Errors
    /// If a required argument is missing, or an argument is unknown.
    pub fn new(line: &CommandLine, spec: &CommandSpec) -> Result<Self, ArgumentError> {
        let mut values = line.arguments.clone();
        for (command, before, now) in BEFORE {
            if command == spec.name
                && !values.contains_key(now)
                && let Some(value) = values.remove(before)
            {
                values.insert(now.to_owned(), value);
            }
        }
        for name in values.keys() {
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
            spec.arguments.iter().find(|a| a.required && !values.contains_key(a.name))
        {
            return Err(ArgumentError::Missing { command: line.name.clone(), name: missing.name });
        }
        Ok(Self { command: line.name.clone(), values })
    }

    /// Whether an argument is present.
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

    /// Reads a word of a choice. A number is converted to text, for words that consist of digits.
    pub(super) fn word(&self, name: &'static str) -> Result<String, ArgumentError> {
        Ok(match self.value(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        })
    }

    /// Returns the error for an argument that is none of the allowed `words`.
    pub(super) fn no_choice(&self, name: &'static str, words: &[&str]) -> ArgumentError {
        let found = self.values.get(name).map_or_else(String::new, ToString::to_string);
        let near = did_you_mean(found.trim_matches('"'), words.iter().copied());
        ArgumentError::Choice { name: name.to_owned(), wanted: words.join(", "), found, near }
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If the argument is missing or is not a text.
    pub(super) fn text(&self, name: &'static str) -> Result<&str, ArgumentError> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| Self::wrong(name, "text", value))
    }

    /// Reads a finite number.
    ///
    /// # Errors
    /// If the argument is missing or is not a finite number.
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

    /// Reads three finite numbers.
    pub(super) fn vector(&self, name: &'static str) -> Result<Vec3, ArgumentError> {
        self.numbers::<3>(name, "three numbers").map(Into::into)
    }

    /// Reads a scale factor: one number for all axes, or three numbers.
    ///
    /// # Errors
    /// If the argument is missing or has another type.
    pub(super) fn factor(&self, name: &'static str) -> Result<Vec3, ArgumentError> {
        match self.value(name)?.as_f64() {
            Some(_) => self.number(name).map(Vec3::splat),
            None => self.numbers::<3>(name, "one number or three numbers").map(Into::into),
        }
    }

    /// Reads a quaternion and normalizes it.
    pub(super) fn rotation(&self, name: &'static str) -> Result<Quat, ArgumentError> {
        let q = Quat::from_array(self.numbers::<4>(name, "four numbers")?);
        if q.length() < 1e-12 {
            return Err(Self::wrong(name, "a quaternion that is not all 0", self.value(name)?));
        }
        // A quaternion that is already normalized keeps its exact numbers. Normalizing again would
        // change the last digits.
        if (q.length_squared() - 1.0).abs() <= 1e-6 {
            return Ok(q);
        }
        // Huge components have infinite squares. Dividing by the largest component first preserves
        // the direction.
        let largest = Vec4::from(q).abs().max_element();
        Ok(unit_or(Quat::from_vec4(Vec4::from(q) / largest), Quat::IDENTITY))
    }

    /// Reads an axis as a unit vector: `x`, `y`, `z`, or three numbers that are not all zero.
    ///
    /// # Errors
    /// If the argument is missing or has another type.
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

    /// Reads the space of a rotation or translation.
    pub(super) fn space(&self, name: &'static str) -> Result<Space, ArgumentError> {
        let value = self.value(name)?;
        let space = value.as_str().and_then(Space::named);
        space
            .filter(|s| PLAIN_SPACES.contains(&s.label()))
            .ok_or_else(|| self.no_choice(name, &PLAIN_SPACES))
    }

    /// Reads a list of properties: translation, rotation, scale.
    pub(super) fn parts(&self, name: &'static str) -> Result<Vec<Property>, ArgumentError> {
        self.some_of(name, &Property::TRS, "one or more of translation, rotation, scale")
    }

    /// Reads a list of properties of existing keys: those of [`Arguments::parts`], and `weights`
    /// for morph targets.
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

    /// Reads a text or a list of texts, which must not be empty.
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

    /// Reads a list of whole numbers of 0 or more.
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

    /// Reads a whole number of 0 or more.
    pub(super) fn count(&self, name: &'static str) -> Result<usize, ArgumentError> {
        let value = self.value(name)?;
        let number = value.as_f64().filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v < 4e9);
        number.map(|v| v as usize).ok_or_else(|| Self::wrong(name, "a whole number", value))
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, ArgumentError> {
        let value = self.value(name)?;
        value.as_bool().ok_or_else(|| Self::wrong(name, "true or false", value))
    }

    /// Reads a list of finite numbers.
    ///
    /// # Errors
    /// If the argument is missing or has another type.
    pub(super) fn list_of_numbers(&self, name: &'static str) -> Result<Vec<f64>, ArgumentError> {
        let value = self.value(name)?;
        let one = |v: &Value| single(v).and_then(|_| v.as_f64());
        let list: Option<Vec<f64>> = value.as_array().and_then(|a| a.iter().map(one).collect());
        list.ok_or_else(|| Self::wrong(name, "a list of numbers", value))
    }

    /// Reads the name or the index of a clip.
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

/// Converts a number to `f32`. Returns `None` if the result is not finite.
fn single(value: &Value) -> Option<f32> {
    value.as_f64().map(|v| v as f32).filter(|v| v.is_finite())
}

/// Parses index ranges such as `0-99, 120`. Both ends are included.
pub(super) fn ranges(text: &str) -> Option<Vec<Range<usize>>> {
    let one = |t: &str| {
        let (from, to) = t.split_once('-').unwrap_or((t, t));
        let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        (from <= to).then_some(from as usize..to as usize + 1)
    };
    text.split([',', ' ']).filter(|t| !t.is_empty()).map(one).collect()
}
