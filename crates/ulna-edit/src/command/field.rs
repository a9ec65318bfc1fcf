//! The types of arguments. Each knows how it is read from text and written as text; what names a
//! thing of the document does so by name, or by its id where a program made the command, and ids
//! become names when it is written.

use std::{collections::BTreeMap, path::PathBuf};

use glam::{EulerRot, Quat, Vec3};
use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, ArgumentType, Arguments, arguments as names,
    vertex_terms::Vertices,
};
use ulna_model::{ClipId, Components, Document, MeshId, NodeId, PrimitiveId, Property};
use ulna_weights::{CarryBy, Falloff};

/// One argument.
pub trait Field: Sized {
    /// Its type, for help and forms.
    const KIND: ArgumentType;

    /// Reads it, where it is given.
    ///
    /// # Errors
    /// Where it is something else.
    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError>;

    /// Its text form.
    fn write(&self, document: &Document) -> Value;
}

/// What stands in a command's struct: an argument, one that need not be given, or several that
/// belong together.
pub trait ArgumentPart: Sized {
    /// Its entries in the list of arguments; `help` is one sentence of what it is.
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec>;

    /// Reads it.
    ///
    /// # Errors
    /// Where it is missing or something else.
    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError>;

    /// Writes it, where it is given.
    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>);
}

impl<T: Field> ArgumentPart for T {
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec> {
        vec![ArgumentSpec { name, kind: T::KIND, required: true, help }]
    }

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        Field::read(from, name)
    }

    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>) {
        into.insert(name.to_owned(), Field::write(self, document));
    }
}

impl<T: Field> ArgumentPart for Option<T> {
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec> {
        vec![ArgumentSpec { name, kind: T::KIND, required: false, help }]
    }

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        from.has(name).then(|| Field::read(from, name)).transpose()
    }

    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>) {
        if let Some(value) = self {
            into.insert(name.to_owned(), Field::write(value, document));
        }
    }
}

/// The shortest spelling that is read as the same number.
pub(super) fn number(value: f32) -> Value {
    let short = value.to_string().parse::<f64>().ok().filter(|v| *v as f32 == value);
    let exact = short.unwrap_or(f64::from(value));
    if exact.fract() == 0.0 && exact.abs() < 1e15 && (exact != 0.0 || exact.is_sign_positive()) {
        return Value::from(exact as i64);
    }
    Value::from(exact)
}

fn vector(v: Vec3) -> Value {
    v.to_array().map(number).to_vec().into()
}

/// Implements [`Field`] by one of the readings of [`Arguments`].
macro_rules! field {
    ($type:ty, $kind:expr, |$from:ident, $name:ident| $read:expr, |$value:ident,
        $document:ident| $write:expr) => {
        impl $crate::command::field::Field for $type {
            const KIND: $crate::command::ArgumentType = $kind;

            fn read(
                $from: &$crate::command::Arguments,
                $name: &'static str,
            ) -> Result<Self, $crate::command::ArgumentError> {
                $read
            }

            fn write(&self, $document: &ulna_model::Document) -> serde_json::Value {
                let ($value, _) = (self, $document);
                $write
            }
        }
    };
}

pub(super) use field;

field!(f32, ArgumentType::Number, |from, name| from.number(name), |v, d| number(*v));
field!(PrimitiveId, ArgumentType::Number, |from, name| from.count(name).map(Self::from), |v, d| v
    .0
    .into());
field!(usize, ArgumentType::Number, |from, name| from.count(name), |v, d| (*v).into());
field!(bool, ArgumentType::Flag, |from, name| from.flag(name), |v, d| (*v).into());
field!(String, ArgumentType::Text, |from, name| from.text(name).map(ToOwned::to_owned), |v, d| v
    .as_str()
    .into());
field!(PathBuf, ArgumentType::Path, |from, name| from.text(name).map(Into::into), |v, d| v
    .to_string_lossy()
    .into());
field!(Vec3, ArgumentType::Vector, |from, name| from.vector(name), |v, d| vector(*v));
field!(super::Space, ArgumentType::Space, |from, name| from.space(name), |v, d| v.label().into());

/// A space, the plain ones and all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnySpace(pub super::Space);
field!(
    AnySpace,
    ArgumentType::Choice(&super::Space::WORDS),
    |from, name| {
        let word = from.word(name)?;
        super::Space::named(&word)
            .map(Self)
            .ok_or_else(|| from.no_choice(name, &super::Space::WORDS))
    },
    |v, d| v.0.label().into()
);

/// Seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f32);
field!(Seconds, ArgumentType::Seconds, |from, name| from.number(name).map(Self), |v, d| number(
    v.0
));

/// Degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Degrees(pub f32);
field!(Degrees, ArgumentType::Degrees, |from, name| from.number(name).map(Self), |v, d| number(
    v.0
));

/// One number for all axes, or three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor(pub Vec3);
field!(Factor, ArgumentType::Factor, |from, name| from.factor(name).map(Self), |v, d| vector(v.0));

/// A direction, unit; the axes have words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis(pub Vec3);
field!(Axis, ArgumentType::Axis, |from, name| from.axis(name).map(Self), |v, d| match v.0 {
    Vec3::X => "x".into(),
    Vec3::Y => "y".into(),
    Vec3::Z => "z".into(),
    other => vector(other),
});

/// Finite numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Vec<f64>);
field!(
    Numbers,
    ArgumentType::Numbers,
    |from, name| from.list_of_numbers(name).map(Self),
    |v, d| v.0.clone().into()
);

/// Whole numbers that are not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub Vec<u32>);
field!(Counts, ArgumentType::Numbers, |from, name| from.counts(name).map(Self), |v, d| v
    .0
    .clone()
    .into());

/// Vertices by their numbers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexList(pub Vec<u32>);
field!(VertexList, ArgumentType::Vertices, |from, name| from.counts(name).map(Self), |v, d| v
    .0
    .clone()
    .into());

/// Vertices by numbers or in words, with the text that said so.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexTerms {
    /// What is meant.
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
    /// Reads a text; nothing where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        Vertices::parse(text).map(|vertices| Self { vertices, said: text.into() })
    }
}

/// Some of translation, rotation and scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts(pub Vec<Property>);
field!(Parts, ArgumentType::Parts, |from, name| from.parts(name).map(Self), |v, d| paths(&v.0));

/// As [`Parts`], or the weights of morph targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyParts(pub Vec<Property>);
field!(KeyParts, ArgumentType::Parts, |from, name| from.parts_of_keys(name).map(Self), |v, d| {
    paths(&v.0)
});

fn paths(parts: &[Property]) -> Value {
    parts.iter().map(|p| p.path()).collect::<Vec<_>>().into()
}

/// Nodes, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// By names, paths, `#index` or patterns.
    Named(Vec<String>),
    /// These.
    Ids(Vec<NodeId>),
}
field!(
    Nodes,
    ArgumentType::Node,
    |from, name| from
        .texts(name, "a name, a path, #index or a pattern, or a list of these")
        .map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => listed(texts.clone()),
        Self::Ids(ids) if ids.len() > 1 => {
            let texts = names::NodeTexts::of(document);
            listed(ids.iter().map(|n| texts.text(*n)).collect())
        }
        Self::Ids(ids) => listed(ids.iter().map(|n| names::node_text(document, *n)).collect()),
    }
);

/// What joints of another file are here, by names: `theirs=ours`, and `theirs=` where one is left
/// out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterparts(pub Vec<(String, String)>);
field!(
    Counterparts,
    ArgumentType::Text,
    |from, name| {
        const WANTED: &str =
            "theirs=ours, or a list of these; an empty name after = skips the joint";
        let pair = |text: &String| {
            text.rsplit_once('=').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()))
        };
        let pairs = from.texts(name, WANTED)?.iter().map(pair).collect::<Option<_>>();
        pairs
            .map(Self)
            .ok_or_else(|| Arguments::wrong(name, WANTED, from.value(name).unwrap_or(&Value::Null)))
    },
    |v, d| listed(v.0.iter().map(|(theirs, ours)| format!("{theirs}={ours}")).collect())
);

impl Counterparts {
    /// By the names there, which nodes they are here; none where one is left out.
    ///
    /// # Errors
    /// Where a text names no node here, or several.
    pub fn find(
        &self,
        document: &Document,
    ) -> Result<BTreeMap<String, Option<NodeId>>, ArgumentError> {
        let one = |(theirs, ours): &(String, String)| {
            let found = if ours.is_empty() { None } else { Some(one_node(document, ours)?) };
            Ok((theirs.clone(), found))
        };
        self.0.iter().map(one).collect()
    }
}

/// The node that a text means.
fn one_node(document: &Document, text: &str) -> Result<NodeId, ArgumentError> {
    let found = Nodes::Named(vec![text.to_owned()]).all(document)?;
    match found[..] {
        [node] => Ok(node),
        [_, ..] => Err(names::ambiguous(document, text, &found)),
        [] => Err(names::nothing_named(document, text)),
    }
}

/// A single one is written without a list.
fn listed(mut texts: Vec<String>) -> Value {
    match texts.len() {
        1 => texts.remove(0).into(),
        _ => texts.into(),
    }
}

impl Nodes {
    /// A node by its id.
    pub fn one(node: NodeId) -> Self {
        Self::Ids(vec![node])
    }

    /// Which they are, in the order that they were named.
    ///
    /// # Errors
    /// Where a text names none, or several without a `*`.
    pub fn in_order(&self, document: &Document) -> Result<Vec<NodeId>, ArgumentError> {
        match self {
            Self::Ids(ids) => Ok(ids.clone()),
            Self::Named(texts) => {
                let mut found = Vec::new();
                for text in texts {
                    let nodes = names::find_nodes(document, text)?;
                    if nodes.is_empty() {
                        return Err(names::nothing_named(document, text));
                    }
                    found.extend(nodes);
                }
                Ok(found)
            }
        }
    }

    /// Which they are, each once.
    ///
    /// # Errors
    /// As [`Nodes::in_order`].
    pub fn all(&self, document: &Document) -> Result<Vec<NodeId>, ArgumentError> {
        let mut found = self.in_order(document)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipName {
    /// By a name, `#index`, or a pattern that fits one.
    Named(String),
    /// This one.
    Id(ClipId),
}
field!(
    ClipName,
    ArgumentType::Clip,
    |from, name| from.clip_name(name).map(Self::Named),
    |v, document| match v {
        Self::Named(text) => text.as_str().into(),
        Self::Id(id) => names::clip_text(document, *id).into(),
    }
);

impl ClipName {
    /// Which it is.
    ///
    /// # Errors
    /// Where there is none, or several are meant.
    pub fn find(&self, document: &Document) -> Result<ClipId, ArgumentError> {
        match self {
            Self::Named(text) => names::find_clip(document, text),
            Self::Id(id) => Ok(*id),
        }
    }
}

/// Meshes, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meshes {
    /// By names, `#index` or patterns.
    Named(Vec<String>),
    /// These.
    Ids(Vec<MeshId>),
}
field!(
    Meshes,
    ArgumentType::Mesh,
    |from, name| from.texts(name, "a mesh name or #index, or a list of these").map(Self::Named),
    |v, document| match v {
        Self::Named(texts) => listed(texts.clone()),
        Self::Ids(ids) => listed(ids.iter().map(|m| super::mesh_text(document, *m)).collect()),
    }
);

impl Meshes {
    /// Which they are, in the order that they were named.
    ///
    /// # Errors
    /// Where a text names none.
    pub fn find(&self, document: &Document) -> Result<Vec<MeshId>, ArgumentError> {
        match self {
            Self::Ids(ids) => Ok(ids.clone()),
            Self::Named(texts) => {
                let found: Result<Vec<_>, _> =
                    texts.iter().map(|text| names::find_meshes(document, text)).collect();
                Ok(found?.concat())
            }
        }
    }
}

/// The meshes that an argument means; none where it is not given.
pub(super) fn meshes_of(
    document: &Document,
    meshes: Option<&Meshes>,
) -> Result<Vec<MeshId>, ArgumentError> {
    meshes.map_or_else(|| Ok(Vec::new()), |m| m.find(document))
}

/// One of some words.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$words:meta])* $variant:ident =
        $word:literal $(| $other:literal)*),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name {
            $($(#[$words])* $variant,)*
        }

        impl $crate::command::field::Field for $name {
            const KIND: $crate::command::ArgumentType =
                $crate::command::ArgumentType::Choice(&[$($word),*]);

            fn read(from: &$crate::command::Arguments, name: &'static str) -> Result<Self,
                $crate::command::ArgumentError> {
                match &*from.word(name)? {
                    $($word $(| $other)* => Ok(Self::$variant),)*
                    _ => Err(from.no_choice(name, &[$($word),*])),
                }
            }

            fn write(&self, _: &ulna_model::Document) -> serde_json::Value {
                self.label().into()
            }
        }

        impl $name {
            /// Its word.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

pub(super) use choice;

choice! {
    /// One half of a body.
    Side {
        /// The left.
        Left = "left" | "Left" | "L",
        /// The right.
        Right = "right" | "Right" | "R",
    }
}

choice! {
    /// The half of a layer that is shown on both sides.
    LayerSide {
        /// The left.
        Left = "left",
        /// The right.
        Right = "right",
        /// None: both are as they are.
        None = "none",
    }
}

choice! {
    /// What a flood does with its value.
    How {
        /// Puts it there.
        Replace = "replace" | "set",
        /// Adds it.
        Add = "add",
        /// Takes it away.
        Subtract = "subtract",
        /// Multiplies by it.
        Scale = "scale",
    }
}

choice! {
    /// Which spot of another surface gives its weights.
    CarryWay {
        /// The nearest of the surface.
        Surface = "surface",
        /// That with the same texture coordinates.
        Uv = "uv",
        /// The vertex of the same number.
        Order = "order",
    }
}

impl CarryWay {
    /// The same choice, as [`carry`](ulna_weights::carry) takes it.
    pub const fn way(self) -> CarryBy {
        match self {
            Self::Surface => CarryBy::Surface,
            Self::Uv => CarryBy::Uv,
            Self::Order => CarryBy::Order,
        }
    }
}

choice! {
    /// What says which vertices are each other's mirror image.
    MirrorWay {
        /// Where they lie, then how they hang together.
        Place = "place",
        /// Their texture coordinates.
        Uv = "uv",
    }
}

choice! {
    /// How a value fades.
    Curve {
        /// Evenly.
        Linear = "linear",
        /// Softly at both ends.
        Smooth = "smooth",
        /// More softly.
        Smoother = "smoother",
        /// Fast at first.
        Sharp = "sharp",
        /// Slowly at first.
        Root = "root",
        /// As a ball is round.
        Sphere = "sphere",
    }
}

impl From<Curve> for Falloff {
    fn from(curve: Curve) -> Self {
        match curve {
            Curve::Linear => Self::Linear,
            Curve::Smooth => Self::Smooth,
            Curve::Smoother => Self::Smoother,
            Curve::Sharp => Self::Sharp,
            Curve::Root => Self::Root,
            Curve::Sphere => Self::Sphere,
        }
    }
}

impl Curve {
    /// The nearest to the fall-off of a brush.
    pub const fn of(falloff: Falloff) -> Self {
        match falloff {
            Falloff::Smooth => Self::Smooth,
            Falloff::Smoother => Self::Smoother,
            Falloff::Sharp | Falloff::Sharper => Self::Sharp,
            Falloff::Root => Self::Root,
            Falloff::Sphere => Self::Sphere,
            Falloff::Linear | Falloff::Constant | Falloff::Own(_) => Self::Linear,
        }
    }
}

choice! {
    /// Bits of a stored weight.
    Bits {
        /// Bytes.
        Byte = "8",
        /// Shorts.
        Short = "16",
        /// Floats.
        Float = "32",
    }
}

/// Translation, rotation and scale, each where it is given: `rotation` as a quaternion, or
/// `degrees`, angles about x, y and z, applied in that order about the own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trs {
    /// The place.
    pub translation: Option<Vec3>,
    /// The turn.
    pub rotation: Option<Turn>,
    /// The scale.
    pub scale: Option<Vec3>,
}

/// A rotation as it is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// A unit quaternion.
    Quaternion(Quat),
    /// Degrees about x, y and z.
    Degrees(Vec3),
}

impl Turn {
    /// The rotation.
    pub fn quat(self) -> Quat {
        match self {
            Self::Quaternion(q) => q,
            Self::Degrees(d) => Quat::from_euler(
                EulerRot::XYZ,
                d.x.to_radians(),
                d.y.to_radians(),
                d.z.to_radians(),
            ),
        }
    }
}

impl Trs {
    /// The components that are given.
    pub fn components(&self) -> Components {
        Components {
            translation: self.translation,
            rotation: self.rotation.map(Turn::quat),
            scale: self.scale,
        }
    }
}

impl From<Components> for Trs {
    fn from(c: Components) -> Self {
        Self {
            translation: c.translation,
            rotation: c.rotation.map(Turn::Quaternion),
            scale: c.scale,
        }
    }
}

impl ArgumentPart for Trs {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        let may = |name, kind, help| ArgumentSpec { name, kind, required: false, help };
        vec![
            may("translation", ArgumentType::Vector, "Meters along x, y and z."),
            may("rotation", ArgumentType::Quaternion, "Rotation as a quaternion: x, y, z, w."),
            may(
                "degrees",
                ArgumentType::Vector,
                "Rotation as angles about x, then y, then z, in degrees.",
            ),
            may("scale", ArgumentType::Vector, "Scale factors along x, y and z."),
        ]
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        let vector = |name| from.has(name).then(|| from.vector(name)).transpose();
        if from.has("rotation") && from.has("degrees") {
            return Err(ArgumentError::Both("rotation", "degrees"));
        }
        let quaternion = from
            .has("rotation")
            .then(|| from.rotation("rotation").map(Turn::Quaternion))
            .transpose()?;
        Ok(Self {
            translation: vector("translation")?,
            rotation: quaternion.or(vector("degrees")?.map(Turn::Degrees)),
            scale: vector("scale")?,
        })
    }

    fn write(&self, _: &Document, _: &'static str, into: &mut Map<String, Value>) {
        if let Some(t) = self.translation {
            into.insert("translation".into(), vector(t));
        }
        match self.rotation {
            Some(Turn::Quaternion(q)) => {
                into.insert("rotation".into(), q.to_array().map(number).to_vec().into());
            }
            Some(Turn::Degrees(d)) => {
                into.insert("degrees".into(), vector(d));
            }
            None => {}
        }
        if let Some(s) = self.scale {
            into.insert("scale".into(), vector(s));
        }
    }
}

/// What of the weights a tool may touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// Meshes to change; all if `None`.
    pub mesh: Option<Meshes>,
    /// Primitive of the meshes; all if `None`.
    pub primitive: Option<PrimitiveId>,
    /// Vertices to change; all if `None`.
    pub vertices: Option<VertexTerms>,
    /// Joints that keep their weights.
    pub locked: Option<Nodes>,
    /// Most influences per vertex.
    pub most: Option<usize>,
    /// The weight layer that takes the result, by its name or number.
    pub layer: Option<String>,
}

impl ArgumentPart for Reach {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<Meshes>::specs("mesh", "Meshes to change; all if omitted."),
            Option::<PrimitiveId>::specs("primitive", "Primitive of the meshes; all if omitted."),
            Option::<VertexTerms>::specs("vertices", "Vertices to change; all if omitted."),
            Option::<Nodes>::specs("locked", "Joints that keep their weights."),
            Option::<usize>::specs("most", "Maximum number of influences per vertex."),
            Option::<String>::specs("layer", "Weight layer that receives the result."),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            mesh: ArgumentPart::read(from, "mesh")?,
            primitive: ArgumentPart::read(from, "primitive")?,
            vertices: ArgumentPart::read(from, "vertices")?,
            locked: ArgumentPart::read(from, "locked")?,
            most: ArgumentPart::read(from, "most")?,
            layer: ArgumentPart::read(from, "layer")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        let Self { mesh, primitive, vertices, locked, most, layer } = self;
        mesh.write(document, "mesh", into);
        primitive.write(document, "primitive", into);
        vertices.write(document, "vertices", into);
        locked.write(document, "locked", into);
        most.write(document, "most", into);
        layer.write(document, "layer", into);
    }
}
