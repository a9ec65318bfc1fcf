//! Commands: what a person does, with a name, a help line, typed arguments, a default key and a text form.
//!
//! A line of text is one JSON object, `{"do":"pose.rotate","node":"LeftArm","axis":"x","degrees":30}`. What was done to one
//! file replays on another, since nodes are named, not numbered.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{ArgumentError, Arguments, Edit, EditError};
use crate::model::{Document, TransformError};

/// Which kind of work the window is set to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The pose of the file; no clip is shown.
    #[default]
    Pose,
    /// A clip is shown and its keys are edited.
    Animate,
    /// Weights are painted, in whatever pose is shown.
    Paint,
}

/// What a rule of availability may look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Availability {
    /// A file is open.
    pub document: bool,
    /// How many nodes are selected.
    pub nodes: usize,
    /// How many keys are selected.
    pub keys: usize,
    /// The file has clips.
    pub clips: bool,
    /// The file has cameras.
    pub cameras: bool,
    /// The file has lights.
    pub lights: bool,
    /// The file has morph targets.
    pub morphs: bool,
    /// A clip is shown.
    pub clip_shown: bool,
    /// There is a step to undo.
    pub undo: bool,
    /// There is a step to redo.
    pub redo: bool,
    /// Something is not saved.
    pub unsaved: bool,
    /// There is a pose that is not keyed.
    pub unkeyed: bool,
    /// The file has weights.
    pub weights: bool,
    /// A mesh that hangs on a skin has no weights.
    pub bare: bool,
    /// There are weight layers.
    pub layers: bool,
    /// The window is in Paint mode.
    pub painting: bool,
    /// A joint is chosen to be painted.
    pub joint: bool,
    /// How many vertices are selected.
    pub vertices: usize,
}

/// What a tool comes to.
#[derive(Debug, Default)]
pub struct Done {
    /// What is to be changed.
    pub edits: Vec<Edit>,
    /// What is to be said of it, as a sentence without its full stop: what it left as it was and why, what it replaced,
    /// what it could not keep. Nothing where it did just what was asked.
    pub remark: Option<String>,
}

/// Who carries a command out.
#[derive(Clone, Copy)]
pub enum Doer {
    /// A pure function of the document and the arguments.
    Document(fn(&Document, &Arguments) -> Result<Vec<Edit>, CommandError>),
    /// As `Document`, of which a part may be refused.
    Tool(fn(&Document, &Arguments) -> Result<Done, CommandError>),
    /// The open file: history, saving, the file's own pose.
    Session,
    /// The program around it: windows, files, playback.
    Host,
}

impl fmt::Debug for Doer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Document(_) => "Document",
            Self::Tool(_) => "Tool",
            Self::Session => "Session",
            Self::Host => "Host",
        })
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A name, a path `Hips/Spine`, `#index`, or a pattern with `*`.
    Node,
    /// A name or `#index`.
    Clip,
    /// A number.
    Number,
    /// Seconds.
    Seconds,
    /// Degrees.
    Degrees,
    /// Three numbers.
    Vector,
    /// Four numbers, `x y z w`.
    Quaternion,
    /// `x`, `y`, `z` or three numbers.
    Axis,
    /// `local`, `parent` or `world`.
    Space,
    /// Some of `translation`, `rotation`, `scale`.
    Parts,
    /// Text.
    Text,
    /// A file's path.
    Path,
    /// `true` or `false`.
    Flag,
    /// A mesh's name or `#index`.
    Mesh,
    /// Vertices of a primitive: `0-99, 120`.
    Vertices,
    /// Any number of numbers.
    Numbers,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// What it looks like, for a field that is empty.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Node => "names, apart by commas",
            Self::Clip => "a clip's name",
            Self::Number => "a number",
            Self::Seconds => "seconds",
            Self::Degrees => "degrees",
            Self::Vector => "three numbers",
            Self::Quaternion => "four numbers, x y z w",
            Self::Axis => "x, y, z or three numbers",
            Self::Space => "local, parent or world",
            Self::Parts => "translation, rotation, scale",
            Self::Text => "text",
            Self::Path => "a path",
            Self::Flag => "true or false",
            Self::Mesh => "a mesh's name",
            Self::Vertices => "such as 0-99, 120",
            Self::Numbers => "numbers, apart by commas",
            Self::Choice(_) => "one of those",
        }
    }
}

/// One argument of a command.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ArgumentSpec {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether the command needs it.
    pub required: bool,
}

/// One entry of the table.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// `pose.rotate`
    pub name: &'static str,
    /// The words on a button or in a menu.
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The menu it stands in, and after a `/` the menu inside that.
    pub menu: &'static str,
    /// Whether it always needs numbers or names that a person is asked for; gestures and scripts give them.
    pub asks: bool,
    /// Default key, such as `Ctrl+Shift+Z`; empty where it has none.
    pub key: &'static str,
    /// What it takes.
    pub arguments: &'static [ArgumentSpec],
    /// When it can be done; else the reason why not.
    pub enabled: fn(&Availability) -> Result<(), &'static str>,
    /// Who does it.
    pub doer: Doer,
}

impl CommandSpec {
    /// Whether it is a pure function of the document and its arguments.
    pub const fn is_pure(&self) -> bool {
        matches!(self.doer, Doer::Document(_) | Doer::Tool(_))
    }
}

/// Why a command could not be done. The document is unchanged then.
#[derive(Debug, Error)]
pub enum CommandError {
    /// No such command.
    #[error("there is no command “{0}”; `ulna commands` lists them")]
    Unknown(String),
    /// The line is not an object with a `do`.
    #[error("a command is an object such as {{\"do\":\"pose.reset\",\"node\":\"Hips\"}}; this is {0}")]
    Shape(String),
    /// An argument is missing, unknown or of the wrong type.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A transform cannot be reached.
    #[error("{node}: {source}")]
    Transform {
        /// The node's name.
        node: String,
        /// Why.
        source: TransformError,
    },
    /// The edit does not fit.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Something else, as a sentence.
    #[error("{0}")]
    Other(String),
}

/// A command with its arguments: one line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// The command's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl CommandLine {
    /// A command without arguments.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), arguments: Map::new() }
    }

    /// With one argument more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The line that an object is; nothing where it has no `do` that is text.
    pub fn from_object(mut arguments: Map<String, Value>) -> Option<Self> {
        match arguments.shift_remove("do") {
            Some(Value::String(name)) => Some(Self { name, arguments }),
            _ => None,
        }
    }

    /// Reads the text form. A member that stands twice is a mistake: nobody could say which is meant.
    ///
    /// # Errors
    /// Where the text is not an object with a `do` that is text.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let short = || text.chars().take(80).collect::<String>();
        if !text.trim_start().starts_with('{') {
            return Err(CommandError::Shape(short()));
        }
        let Once(arguments) = serde_json::from_str(text).map_err(|e| CommandError::Shape(format!("not JSON: {e}")))?;
        Self::from_object(arguments).ok_or_else(|| CommandError::Shape(short()))
    }
}

/// The members of an object in which none stands twice.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
                let mut members = Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&key) {
                        return Err(A::Error::custom(format!("“{key}” stands twice")));
                    }
                    members.insert(key, value);
                }
                Ok(Once(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut object = Map::new();
        object.insert("do".into(), self.name.as_str().into());
        object.extend(self.arguments.clone());
        Value::Object(object).fmt(f)
    }
}
