//! Arguments that are plain values: numbers, vectors, times, spaces and lists.

use std::path::PathBuf;

use glam::Vec3;
use serde_json::Value;

use super::part::{field, number, vector};
use crate::command::{ArgumentError, ArgumentType, Arguments, vertex_terms::Vertices};
use ulna_model::{GroupColor, PrimitiveId, Property};
use ulna_motion::Space;

field!(f32, ArgumentType::Number, |from, name| from.number(name), |v, d| number(*v));
field!(PrimitiveId, ArgumentType::Number, |from, name| from.count(name).map(Self::from), |v, d| v
    .0
    .into());
field!(usize, ArgumentType::Number, |from, name| from.count(name), |v, d| (*v).into());
field!(bool, ArgumentType::Flag, |from, name| from.flag(name), |v, d| (*v).into());
field!(String, ArgumentType::Text, |from, name| from.text(name).map(ToOwned::to_owned), |v, d| v
    .as_str()
    .into());
field!(
    GroupColor,
    ArgumentType::Text,
    |from, name| GroupColor::parse(from.text(name)?).ok_or_else(|| {
        let free = ["#rrggbb"];
        from.no_choice(name, &[GroupColor::words(), &free].concat())
    }),
    |v, d| v.text().into()
);
field!(PathBuf, ArgumentType::Path, |from, name| from.text(name).map(Into::into), |v, d| v
    .to_string_lossy()
    .into());
field!(Vec3, ArgumentType::Vector, |from, name| from.vector(name), |v, d| vector(*v));
field!(Space, ArgumentType::Space, |from, name| from.space(name), |v, d| v.label().into());

/// A space, including the ones that only some commands accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnySpace(pub Space);
field!(
    AnySpace,
    ArgumentType::Choice(&Space::WORDS),
    |from, name| {
        let word = from.word(name)?;
        Space::named(&word).map(Self).ok_or_else(|| from.no_choice(name, &Space::WORDS))
    },
    |v, d| v.0.label().into()
);

/// A time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f32);
field!(Seconds, ArgumentType::Seconds, |from, name| from.number(name).map(Self), |v, d| number(
    v.0
));

/// An angle in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Degrees(pub f32);
field!(Degrees, ArgumentType::Degrees, |from, name| from.number(name).map(Self), |v, d| number(
    v.0
));

/// A scale factor per axis, read from one number for all axes or from three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor(pub Vec3);
field!(Factor, ArgumentType::Factor, |from, name| from.factor(name).map(Self), |v, d| vector(v.0));

/// A unit direction. The axes are written as `x`, `y` and `z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis(pub Vec3);
field!(Axis, ArgumentType::Axis, |from, name| from.axis(name).map(Self), |v, d| match v.0 {
    Vec3::X => "x".into(),
    Vec3::Y => "y".into(),
    Vec3::Z => "z".into(),
    other => vector(other),
});

/// A list of finite numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Vec<f64>);
field!(
    Numbers,
    ArgumentType::Numbers,
    |from, name| from.list_of_numbers(name).map(Self),
    |v, d| v.0.clone().into()
);

/// A list of whole numbers of 0 or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub Vec<u32>);
field!(Counts, ArgumentType::Numbers, |from, name| from.counts(name).map(Self), |v, d| v
    .0
    .clone()
    .into());

/// Connected pieces of bound meshes that follow one joint each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RigidPieces {
    /// All pieces with nearly all of their weight on one joint.
    All,
    /// Indices of pieces in the bind report.
    Numbers(Vec<u32>),
}
field!(RigidPieces, ArgumentType::Text, |from, name| Self::of(from, name), |v, d| match v {
    Self::All => "all".into(),
    Self::Numbers(numbers) => numbers.clone().into(),
});

impl RigidPieces {
    /// Reads a list of numbers or a text: `all`, or numbers separated by commas.
    fn of(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        let value = from.value(name)?;
        let wanted = "“all”, or piece numbers separated by commas";
        let Some(text) = value.as_str() else {
            let numbers = Some(from.counts(name)?).filter(|numbers| !numbers.is_empty());
            let numbers = numbers.map(Self::Numbers);
            return numbers.ok_or_else(|| Arguments::wrong(name, wanted, value));
        };
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let numbers: Option<Vec<u32>> =
            text.split(',').map(|number| number.trim().parse().ok()).collect();
        numbers.map(Self::Numbers).ok_or_else(|| Arguments::wrong(name, wanted, value))
    }
}

/// Vertices by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexList(pub Vec<u32>);
field!(VertexList, ArgumentType::Vertices, |from, name| from.counts(name).map(Self), |v, d| v
    .0
    .clone()
    .into());

/// Vertices by indices or by a query, with the original text.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexTerms {
    /// The parsed query.
    pub vertices: Vertices,
    said: Value,
}
field!(
    VertexTerms,
    ArgumentType::Vertices,
    |from, name| Ok(Self { vertices: Vertices::of(from, name)?, said: from.value(name)?.clone() }),
    |v, d| v.said.clone()
);

impl VertexTerms {
    /// Parses a text; `None` if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        Vertices::parse(text).map(|vertices| Self { vertices, said: text.into() })
    }
}

/// A list of properties: translation, rotation, scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts(pub Vec<Property>);
field!(Parts, ArgumentType::Parts, |from, name| from.parts(name).map(Self), |v, d| paths(&v.0));

/// A list of properties of keys: those of [`Parts`], and the weights of morph targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyParts(pub Vec<Property>);
field!(
    KeyParts,
    ArgumentType::KeyParts,
    |from, name| from.parts_of_keys(name).map(Self),
    |v, d| paths(&v.0)
);

fn paths(parts: &[Property]) -> Value {
    parts.iter().map(|p| p.path()).collect::<Vec<_>>().into()
}
