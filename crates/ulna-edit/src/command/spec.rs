//! Entries of the table of commands, with the types of their arguments.

use std::borrow::Cow;

use serde::Serialize;

use super::{availability::Availability, key_scope::KeyScope, rules::opened};

/// Part of the program that runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// A pure function of the document.
    Document,
    /// The session of the open file.
    Session,
    /// The program: the window, or a script run.
    Host,
}

/// Type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// One or more nodes: a name, a path such as `Hips/Spine`, `#index`, or a pattern with `*`.
    Node,
    /// A clip: a name or `#index`.
    Clip,
    /// A number.
    Number,
    /// A time in seconds.
    Seconds,
    /// An angle in degrees.
    Degrees,
    /// Three numbers.
    Vector,
    /// One number for all axes, or three numbers. Lists of commands show this type as a vector.
    #[serde(rename = "vector")]
    Factor,
    /// A quaternion: four numbers `x y z w`.
    Quaternion,
    /// A direction: `x`, `y`, `z` or three numbers.
    Axis,
    /// A space: `local`, `parent` or `world`.
    Space,
    /// A list of the properties `translation`, `rotation` and `scale`.
    Parts,
    /// A list of the properties `translation`, `rotation`, `scale` and `weights`. Lists of commands
    /// show this type as `parts`, too.
    #[serde(rename = "parts")]
    KeyParts,
    /// Text.
    Text,
    /// The path of a file.
    Path,
    /// `true` or `false`.
    Flag,
    /// A mesh: a name or `#index`.
    Mesh,
    /// Vertices of a primitive, such as `0-99, 120`.
    Vertices,
    /// A list of numbers.
    Numbers,
    /// Key times, by nodes and their tracks.
    Keys,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl ArgumentType {
    /// Returns the allowed words; `None` if the argument is not a choice.
    pub const fn choices(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Choice(words) => Some(words),
            Self::Space => Some(&PLAIN_SPACES),
            Self::Flag => Some(&["true", "false"]),
            _ => None,
        }
    }

    /// Returns the initial value in a form if the selection and the display supply none.
    pub const fn usual(self) -> Option<&'static str> {
        match self {
            Self::Axis => Some("x"),
            Self::Degrees => Some("15"),
            _ => None,
        }
    }

    /// Returns the example that is shown in an empty field.
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

/// Description of one argument of a command.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ArgumentSpec {
    /// Name of the argument.
    pub name: &'static str,
    /// Type of the argument.
    pub kind: ArgumentType,
    /// Whether the argument is required.
    pub required: bool,
    /// Description in one sentence.
    pub help: &'static str,
}

/// Entry of a command in the table.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// Name in the text form, such as `pose.rotate`.
    pub name: &'static str,
    /// Title on buttons and in menus.
    pub title: &'static str,
    /// Description in one line.
    pub help: &'static str,
    /// Menu that contains the command. A submenu follows after a `/`.
    pub menu: &'static str,
    /// Whether the command always opens a form for its arguments, except in gestures and scripts,
    /// which supply the arguments directly.
    pub asks: bool,
    /// Name of the command that precedes this one in the table. If empty, the command follows the
    /// previous one of its family.
    pub(super) after: &'static str,
    /// Default shortcut, such as `Ctrl+Shift+Z`; empty if there is none.
    pub key: &'static str,
    /// Part of the window in which the shortcut applies.
    pub key_scope: KeyScope,
    /// Descriptions of the arguments.
    pub arguments: Vec<ArgumentSpec>,
    /// Condition that enables the command. [`CommandSpec::check`] also checks for a required clip.
    pub(super) enabled: fn(&Availability) -> Result<(), &'static str>,
    /// Part of the program that runs the command.
    pub executor: Executor,
    /// Whether the command also works without an open file, and while text is typed. Examples are
    /// commands on files, help and the window.
    pub anywhere: bool,
    /// Whether the command edits keys of a clip. With the argument `layer`, it edits keys of a
    /// layer instead.
    pub(super) edits_keys: bool,
}

impl CommandSpec {
    /// Returns an entry with default values. Families override the members that differ.
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

    /// Whether the command is a pure function of the document.
    pub const fn is_pure(&self) -> bool {
        matches!(self.executor, Executor::Document)
    }

    /// Whether the window previews the effects of the command before it is applied, as for commands
    /// on the skeleton.
    pub fn has_plan(&self) -> bool {
        self.menu == "Rig" && self.is_pure()
    }

    /// Returns the title in menus and in the palette. It ends in an ellipsis if the command opens a
    /// form.
    pub fn menu_title(&self) -> Cow<'static, str> {
        let title = self.title.trim_end_matches('…');
        match self.name {
            // Tools have the same titles, so the commands are distinguished.
            "pose.rotate" | "pose.move" | "pose.scale" => format!("{title} by numbers…").into(),
            _ if self.asks || self.has_plan() => format!("{title}…").into(),
            _ => self.title.into(),
        }
    }

    /// Checks whether the command can run now.
    ///
    /// # Errors
    /// The reason, if the condition of the command is not met, or if it requires a clip and the
    /// file has none.
    pub fn check(&self, availability: &Availability) -> Result<(), &'static str> {
        (self.enabled)(availability)?;
        let needs_clip = |a: &ArgumentSpec| a.required && a.kind == ArgumentType::Clip;
        if !availability.clips && self.arguments.iter().any(needs_clip) {
            return Err("The file has no clips; use New clip to add one");
        }
        Ok(())
    }

    /// Adds the argument `layer` to commands that edit keys.
    pub(super) fn completed(mut self) -> Self {
        if self.edits_keys {
            self.arguments.push(LAYER_OF_KEYS);
        }
        self
    }
}

/// Argument for the layer whose keys are edited.
const LAYER_OF_KEYS: ArgumentSpec = ArgumentSpec {
    name: "layer",
    kind: ArgumentType::Text,
    required: false,
    help: "Layer whose keys to edit; the keys of the clip if omitted.",
};

/// Spaces that all commands with a space support.
pub(super) const PLAIN_SPACES: [&str; 3] = ["local", "parent", "world"];
