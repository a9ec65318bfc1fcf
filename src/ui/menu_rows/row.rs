//! A row of a menu, before it is drawn.

use std::borrow::Cow;

use egui::Color32;

use crate::ui::{Theme, View, command_icons::command_icon, widgets::joint_icon};
use ulna_edit::{CommandSpec, key_parts};

/// Function that paints a mark at a point, in the color of icons.
pub type Mark<'a> = Box<dyn Fn(&egui::Painter, &Theme, egui::Pos2, Color32) + 'a>;

/// A menu row before it is drawn.
pub struct Row<'a> {
    pub(super) title: Cow<'a, str>,
    pub(super) icon: Option<&'a str>,
    pub(super) note: Cow<'a, str>,
    pub(super) key: String,
    pub(super) help: Cow<'a, str>,
    pub(super) enabled: Result<(), Cow<'a, str>>,
    pub(super) checked: Option<bool>,
    pub(super) leads_on: bool,
    pub(super) color: Option<Color32>,
    /// Function that paints a mark in place of the icon.
    pub(super) paints: Option<Mark<'a>>,
    /// Accessible name; `None` uses the title.
    pub(super) said: Option<String>,
    /// Fraction 0 to 1, drawn on the right as a bar with a percentage.
    pub(super) share: Option<f32>,
}

impl<'a> Row<'a> {
    /// Creates a row with a title.
    pub fn new(title: impl Into<Cow<'a, str>>) -> Self {
        Self {
            title: title.into(),
            icon: None,
            note: Cow::Borrowed(""),
            key: String::new(),
            help: Cow::Borrowed(""),
            enabled: Ok(()),
            checked: None,
            leads_on: false,
            color: None,
            paints: None,
            said: None,
            share: None,
        }
    }

    /// Creates the row of a command, with its title, icon, key and help. It is disabled with a
    /// reason if the command is unavailable.
    pub fn of(view: &View<'_>, spec: &'static CommandSpec) -> Self {
        Self {
            icon: command_icon(spec),
            key: key_text(view, spec),
            help: Cow::Borrowed(spec.help),
            enabled: spec.check(&view.availability).map_err(Cow::Borrowed),
            ..Self::new(spec.menu_title())
        }
    }

    /// Replaces the title.
    pub fn title(self, title: impl Into<Cow<'a, str>>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Sets the icon: a character of the icon font.
    pub fn icon(self, icon: &'a str) -> Self {
        Self { icon: Some(icon), ..self }
    }

    /// Removes the icon.
    pub fn plain(self) -> Self {
        Self { icon: None, ..self }
    }

    /// Adds a short text after the title.
    pub fn note(self, note: impl Into<Cow<'a, str>>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Shows the key of a command on the right.
    pub fn key_of(self, view: &View<'_>, spec: &CommandSpec) -> Self {
        Self { key: key_text(view, spec), ..self }
    }

    /// Removes the key on the right.
    pub fn keyless(self) -> Self {
        Self { key: String::new(), ..self }
    }

    /// Sets the text on the right, in place of a key.
    pub fn aside(self, text: impl Into<String>) -> Self {
        Self { key: text.into(), ..self }
    }

    /// Sets the tooltip.
    pub fn help(self, help: impl Into<Cow<'a, str>>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// Disables the row if there is a reason, which the row then shows. The reason of a disabled
    /// row stays.
    pub fn unless(self, reason: Option<impl Into<Cow<'a, str>>>) -> Self {
        match reason {
            Some(reason) if self.enabled.is_ok() => Self { enabled: Err(reason.into()), ..self },
            _ => self,
        }
    }

    /// Enables the row even if the command alone would lack arguments, because the menu supplies
    /// them.
    pub fn enabled(self) -> Self {
        Self { enabled: Ok(()), ..self }
    }

    /// Adds a check mark for a toggle that is on, or an empty slot for one that is off.
    pub fn checked(self, on: bool) -> Self {
        Self { checked: Some(on), ..self }
    }

    /// Sets the color of icon and title.
    pub fn color(self, color: Color32) -> Self {
        Self { color: Some(color), ..self }
    }

    /// Paints a mark in place of the icon.
    pub fn painted(self, paints: Mark<'a>) -> Self {
        Self { paints: Some(paints), ..self }
    }

    /// Paints a joint in place of the icon.
    pub fn joint(self) -> Self {
        self.painted(Box::new(|painter, _, at, color| joint_icon(painter, at, color)))
    }

    /// Sets the accessible name if the title alone is unclear.
    pub fn said(self, said: impl Into<String>) -> Self {
        Self { said: Some(said.into()), ..self }
    }

    /// Adds a bar and a percentage on the right.
    pub fn share(self, share: f32) -> Self {
        Self { share: Some(share), ..self }
    }
}

/// Key of a command as menus show it, such as `Ctrl C`.
fn key_text(view: &View<'_>, spec: &CommandSpec) -> String {
    key_parts(view.settings.keys.key(spec.name)).join(" ")
}
