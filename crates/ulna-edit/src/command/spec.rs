//! Entries of the table of commands, with the types of their arguments.

use std::borrow::Cow;

use serde::Serialize;

use super::{availability::Availability, key_scope::KeyScope, rules::opened};

/// Who carries a command out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// Nobody: it is a function of the document.
    Document,
    /// The open file.
    Session,
    /// The program around it.
    Host,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
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
    /// One number for all axes, or three. In lists of commands it is a vector, which it can be.
    #[serde(rename = "vector")]
    Factor,
    /// Four numbers, `x y z w`.
    Quaternion,
    /// `x`, `y`, `z` or three numbers.
    Axis,
    /// `local`, `parent` or `world`.
    Space,
    /// Some of `translation`, `rotation`, `scale`.
    Parts,
    /// As `Parts`, or `weights`. In lists of commands it has the same name.
    #[serde(rename = "parts")]
    KeyParts,
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
    /// Times of keys, by nodes and their tracks.
    Keys,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl ArgumentType {
    /// The words that can stand there, where they are few.
    pub const fn choices(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Choice(words) => Some(words),
            Self::Space => Some(&PLAIN_SPACES),
            Self::Flag => Some(&["true", "false"]),
            _ => None,
        }
    }

    /// Usual first value, if the selection and the display give none.
    pub const fn usual(self) -> Option<&'static str> {
        match self {
            Self::Axis => Some("x"),
            Self::Degrees => Some("15"),
            _ => None,
        }
    }

    /// Example for an empty field.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Node => "names, separated by commas",
            Self::Clip => "a clip name",
            Self::Number => "a number",
            Self::Seconds => "seconds",
            Self::Degrees => "degrees",
            Self::Vector => "three numbers",
            Self::Factor => "one or three numbers",
            Self::Quaternion => "four numbers, x y z w",
            Self::Axis => "x, y, z or three numbers",
            Self::Space => "local, parent or world",
            Self::Parts => "translation, rotation, scale",
            Self::KeyParts => "translation, rotation, scale, weights",
            Self::Text => "text",
            Self::Path => "a path",
            Self::Flag => "true or false",
            Self::Mesh => "a mesh name",
            Self::Vertices => "such as 0-99, 120",
            Self::Numbers => "numbers, separated by commas",
            Self::Keys => "{\"Arm\": {\"rotation\": [0, 0.5]}}",
            Self::Choice(_) => "a choice",
        }
    }
}

/// One argument of a command.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ArgumentSpec {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ArgumentType,
    /// Whether the command needs it.
    pub required: bool,
    /// Description, one sentence.
    pub help: &'static str,
}

/// One entry of the table.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// `pose.rotate`
    pub name: &'static str,
    /// The words on a button or in a menu.
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The menu it stands in, and after a `/` the menu inside that.
    pub menu: &'static str,
    /// Whether it always needs numbers or names that a person is asked for; gestures and scripts
    /// give them.
    pub asks: bool,
    /// Name of the command that it follows in the table. If empty, it follows the row above it in
    /// its family.
    pub(super) after: &'static str,
    /// Default key, such as `Ctrl+Shift+Z`; empty where it has none.
    pub key: &'static str,
    /// Place where its key applies.
    pub key_scope: KeyScope,
    /// Arguments.
    pub arguments: Vec<ArgumentSpec>,
    /// Its own rule. [`CommandSpec::check`] has the others, too.
    pub(super) enabled: fn(&Availability) -> Result<(), &'static str>,
    /// Who does it.
    pub executor: Executor,
    /// Whether it is done before a file is open, and while text is typed: files, help, the window.
    pub anywhere: bool,
    /// Whether it edits keys: those of a clip, or those of the layer that its argument `layer`
    /// names.
    pub(super) edits_keys: bool,
}

impl CommandSpec {
    /// An entry with the usual values; a family replaces those that differ.
    pub(super) fn usual(
        [name, title, help, menu]: [&'static str; 4],
        executor: Executor,
        arguments: Vec<Vec<ArgumentSpec>>,
    ) -> Self {
        Self {
            name,
            title,
            help,
            menu,
            asks: false,
            after: "",
            key: "",
            key_scope: KeyScope::Window,
            arguments: arguments.concat(),
            enabled: opened,
            executor,
            anywhere: false,
            edits_keys: false,
        }
    }

    /// Whether it is a function of the document.
    pub const fn is_pure(&self) -> bool {
        matches!(self.executor, Executor::Document)
    }

    /// Whether the window shows its effects before it is applied: commands on the skeleton.
    pub fn has_plan(&self) -> bool {
        self.menu == "Rig" && self.is_pure()
    }

    /// The title in menus and in the palette: with an ellipsis where a form asks for more.
    pub fn menu_title(&self) -> Cow<'static, str> {
        let title = self.title.trim_end_matches('…');
        match self.name {
            // The tools have the same titles.
            "pose.rotate" | "pose.move" | "pose.scale" => format!("{title} by numbers…").into(),
            _ if self.asks || self.has_plan() => format!("{title}…").into(),
            _ => self.title.into(),
        }
    }

    /// Whether it can be done now.
    ///
    /// # Errors
    /// The reason why not: its own rule, or it needs a clip and the file has none.
    pub fn check(&self, availability: &Availability) -> Result<(), &'static str> {
        (self.enabled)(availability)?;
        let needs_clip = |a: &ArgumentSpec| a.required && a.kind == ArgumentType::Clip;
        if !availability.clips && self.arguments.iter().any(needs_clip) {
            return Err("The file has no clips; use New clip to add one");
        }
        Ok(())
    }

    /// Adds the arguments that commands of its kind share: a layer, where it edits keys.
    pub(super) fn completed(mut self) -> Self {
        if self.edits_keys {
            self.arguments.push(LAYER_OF_KEYS);
        }
        self
    }
}

/// The argument that names the layer whose keys are edited.
const LAYER_OF_KEYS: ArgumentSpec = ArgumentSpec {
    name: "layer",
    kind: ArgumentType::Text,
    required: false,
    help: "Layer whose keys to edit; the keys of the clip if omitted.",
};

/// The spaces of commands that know no other ones.
pub(super) const PLAIN_SPACES: [&str; 3] = ["local", "parent", "world"];
