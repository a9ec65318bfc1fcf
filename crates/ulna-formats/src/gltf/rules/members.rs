//! Reads the members of a JSON object as the glTF schema requires. Invalid members become findings,
//! and are then treated as absent.

use serde_json::{Map, Value};

use super::report::Report;
use ulna_model::Location;

/// A JSON object and its location in the file.
pub struct Members<'a> {
    pub map: &'a Map<String, Value>,
    pub at: Location,
}

/// Allowed range of a number.
#[derive(Clone, Copy)]
pub struct Range {
    /// Inclusive minimum.
    pub low: f64,
    /// Inclusive maximum.
    pub high: f64,
    /// Exclusive minimum.
    pub above: f64,
}

/// Range of any number.
pub const ANY: Range =
    Range { low: f64::NEG_INFINITY, high: f64::INFINITY, above: f64::NEG_INFINITY };
/// Range `0..=1`.
pub const SHARE: Range = Range { low: 0.0, high: 1.0, ..ANY };
/// Range of numbers greater than 0.
pub const POSITIVE: Range = Range { above: 0.0, ..ANY };
/// Range of numbers that are at least 0.
pub const NOT_NEGATIVE: Range = Range { low: 0.0, ..ANY };

/// Magnitude from which a number counts as outside the range of `f64`.
const BEYOND: f64 = 1e300;

/// Converts a JSON number to an integer; `None` if it is not an integer.
pub fn whole(value: &Value) -> Option<i64> {
    value
        .as_i64()
        .or_else(|| value.as_f64().filter(|v| v.fract() == 0.0 && v.abs() < 9e15).map(|v| v as i64))
}

/// Value of a member that should be an integer.
enum Given {
    /// The member is missing or null.
    Absent,
    /// The value is not an integer.
    Wrong,
    /// The value is an integer.
    Number(i64),
}

impl<'a> Members<'a> {
    pub const fn new(map: &'a Map<String, Value>, at: Location) -> Self {
        Self { map, at }
    }

    pub fn place(&self, key: &str) -> Location {
        self.at.member(key.to_owned())
    }

    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    fn raw(&self, key: &str, out: &mut Report) -> Option<&'a Value> {
        match self.map.get(key) {
            Some(Value::Null) => {
                out.error("TYPE_MISMATCH", self.place(key));
                None
            }
            value => value,
        }
    }

    fn missing(&self, required: bool, out: &mut Report) {
        if required {
            out.error("UNDEFINED_PROPERTY", self.at.clone());
        }
    }

    fn mismatch(&self, key: &str, out: &mut Report) {
        out.error("TYPE_MISMATCH", self.place(key));
    }

    /// Reads an integer. Adds a finding if the value is not an integer, or if a required member is
    /// missing.
    fn integer(&self, key: &str, required: bool, out: &mut Report) -> Given {
        let Some(value) = self.raw(key, out) else {
            self.missing(required, out);
            return Given::Absent;
        };
        whole(value).map_or_else(
            || {
                self.mismatch(key, out);
                Given::Wrong
            },
            Given::Number,
        )
    }

    /// Reads an index into a list of the file.
    pub fn index(&self, key: &str, required: bool, out: &mut Report) -> Option<usize> {
        match self.integer(key, required, out) {
            Given::Number(index) if index >= 0 => usize::try_from(index).ok(),
            Given::Number(_) => {
                out.error("INVALID_INDEX", self.place(key));
                None
            }
            Given::Absent | Given::Wrong => None,
        }
    }

    /// Reads an integer within bounds. Returns `default` if the member is missing.
    pub fn count(
        &self,
        key: &str,
        (low, high): (i64, i64),
        default: Option<usize>,
        required: bool,
        out: &mut Report,
    ) -> Option<usize> {
        match self.integer(key, required, out) {
            Given::Number(v) if (low..=high).contains(&v) => usize::try_from(v).ok(),
            Given::Number(_) => {
                out.error("VALUE_NOT_IN_RANGE", self.place(key));
                None
            }
            Given::Absent => default,
            Given::Wrong => None,
        }
    }

    /// Reads an integer that must be one of several allowed values.
    pub fn one_of(
        &self,
        key: &str,
        list: &[i64],
        required: bool,
        out: &mut Report,
    ) -> Option<usize> {
        match self.integer(key, required, out) {
            Given::Number(v) if list.contains(&v) => usize::try_from(v).ok(),
            Given::Number(_) => {
                out.warning("VALUE_NOT_IN_LIST", self.place(key));
                None
            }
            Given::Absent | Given::Wrong => None,
        }
    }

    pub fn flag(&self, key: &str, out: &mut Report) -> bool {
        match self.raw(key, out) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.mismatch(key, out);
                false
            }
        }
    }

    pub fn number(&self, key: &str, range: Range, required: bool, out: &mut Report) -> Option<f64> {
        let Some(value) = self.raw(key, out) else {
            self.missing(required, out);
            return None;
        };
        match value.as_f64() {
            Some(v) if v.abs() < BEYOND && v >= range.low && v <= range.high && v > range.above => {
                Some(v)
            }
            Some(_) => {
                out.error("VALUE_NOT_IN_RANGE", self.place(key));
                None
            }
            None => {
                self.mismatch(key, out);
                None
            }
        }
    }

    /// Reads a string. Unknown strings are reported as findings, but are returned anyway.
    pub fn text(
        &self,
        key: &str,
        list: &[&str],
        required: bool,
        out: &mut Report,
    ) -> Option<&'a str> {
        let Some(value) = self.raw(key, out) else {
            self.missing(required, out);
            return None;
        };
        let Some(text) = value.as_str() else {
            self.mismatch(key, out);
            return None;
        };
        if !list.is_empty() && !list.contains(&text) {
            out.warning("VALUE_NOT_IN_LIST", self.place(key));
        }
        Some(text)
    }

    pub fn object(&self, key: &str, required: bool, out: &mut Report) -> Option<Self> {
        let Some(value) = self.raw(key, out) else {
            self.missing(required, out);
            return None;
        };
        match value.as_object() {
            Some(map) => Some(Self::new(map, self.place(key))),
            None => {
                self.mismatch(key, out);
                None
            }
        }
    }

    fn list(&self, key: &str, out: &mut Report) -> Option<&'a [Value]> {
        let value = self.raw(key, out)?;
        match value.as_array() {
            Some(list) if list.is_empty() => {
                out.error("EMPTY_ENTITY", self.place(key));
                None
            }
            Some(list) => Some(list),
            None => {
                self.mismatch(key, out);
                None
            }
        }
    }

    /// Reads a list of unique indices. An invalid index is returned as `None`.
    pub fn indices(
        &self,
        key: &str,
        required: bool,
        out: &mut Report,
    ) -> Option<Vec<Option<usize>>> {
        if required && self.map.get(key).is_none_or(Value::is_null) {
            self.missing(true, out);
        }
        let list = self.list(key, out)?;
        let mut seen = std::collections::HashSet::new();
        let mut all = Vec::with_capacity(list.len());
        for (k, value) in list.iter().enumerate() {
            match whole(value).and_then(|v| usize::try_from(v).ok()) {
                Some(index) => {
                    if !seen.insert(index) {
                        out.error("DUPLICATE_ELEMENTS", self.at.item(key.to_owned(), k));
                    }
                    all.push(Some(index));
                }
                None => {
                    out.error("INVALID_INDEX", self.at.item(key.to_owned(), k));
                    all.push(None);
                }
            }
        }
        Some(all)
    }

    /// Reads a list with the given number of numbers.
    pub fn floats(
        &self,
        key: &str,
        length: Option<usize>,
        range: Range,
        out: &mut Report,
    ) -> Option<Vec<f64>> {
        let list = self.list(key, out)?;
        if length.is_some_and(|n| n != list.len()) {
            out.error("ARRAY_LENGTH_NOT_IN_LIST", self.place(key));
            return None;
        }
        let mut sound = true;
        let mut all = Vec::with_capacity(list.len());
        for (k, value) in list.iter().enumerate() {
            match value.as_f64() {
                Some(v) => {
                    if v.abs() >= BEYOND || v < range.low || v > range.high {
                        out.error("VALUE_NOT_IN_RANGE", self.at.item(key.to_owned(), k));
                        sound = false;
                    }
                    all.push(v);
                }
                None => {
                    out.error("ARRAY_TYPE_MISMATCH", self.place(key));
                    sound = false;
                }
            }
        }
        sound.then_some(all)
    }

    /// Reads a list with the given number of integers, which must be in the range of a component
    /// type.
    pub fn stored(
        &self,
        key: &str,
        length: usize,
        (low, high): (f64, f64),
        out: &mut Report,
    ) -> Option<Vec<f64>> {
        let value = self.raw(key, out)?;
        let Some(list) = value.as_array() else {
            self.mismatch(key, out);
            return None;
        };
        if list.len() != length {
            out.error("ARRAY_LENGTH_NOT_IN_LIST", self.place(key));
            return None;
        }
        let mut sound = true;
        for value in list {
            let code = match whole(value) {
                Some(v) if (low..=high).contains(&(v as f64)) => continue,
                Some(_) => "INVALID_GL_VALUE",
                None => "ARRAY_TYPE_MISMATCH",
            };
            out.error(code, self.place(key));
            sound = false;
        }
        sound.then(|| list.iter().filter_map(Value::as_f64).collect())
    }

    /// Reads a required list of objects.
    pub fn objects(&self, key: &str, out: &mut Report) -> Option<Vec<Self>> {
        if self.map.get(key).is_none_or(Value::is_null) {
            self.missing(true, out);
        }
        let list = self.list(key, out)?;
        let mut sound = true;
        let mut all = Vec::with_capacity(list.len());
        for (k, value) in list.iter().enumerate() {
            match value.as_object() {
                Some(map) => all.push(Self::new(map, self.at.item(key.to_owned(), k))),
                None => {
                    out.error("ARRAY_TYPE_MISMATCH", self.place(key));
                    sound = false;
                }
            }
        }
        sound.then_some(all)
    }

    /// Reads a list of unique strings.
    pub fn texts(&self, key: &str, out: &mut Report) -> Vec<&'a str> {
        let Some(list) = self.list(key, out) else { return Vec::new() };
        let (mut sound, mut all) = (true, Vec::new());
        for (k, value) in list.iter().enumerate() {
            match value.as_str() {
                Some(text) => {
                    if all.contains(&text) {
                        out.error("DUPLICATE_ELEMENTS", self.at.item(key.to_owned(), k));
                    }
                    all.push(text);
                }
                None => {
                    out.error("ARRAY_TYPE_MISMATCH", self.at.item(key.to_owned(), k));
                    sound = false;
                }
            }
        }
        if sound { all } else { Vec::new() }
    }

    /// Reads the extensions of an object. Undeclared extensions are findings.
    pub fn extensions(&self, used: &[String], out: &mut Report) -> Option<&'a Map<String, Value>> {
        let value = self.raw("extensions", out)?;
        let Some(map) = value.as_object() else {
            self.mismatch("extensions", out);
            return None;
        };
        for (name, value) in map {
            let place = || self.at.member("extensions").member(name.to_owned());
            if !value.is_object() {
                out.error("TYPE_MISMATCH", place());
            }
            if !used.iter().any(|u| u == name) {
                out.error("UNDECLARED_EXTENSION", place());
            }
        }
        Some(map)
    }
}
