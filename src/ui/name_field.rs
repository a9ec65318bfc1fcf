//! Editing a name in its row. All lists share this text field.

use egui::{
    Align2, Context, Id, Key, Margin, Modifiers, Rect, Response, Role, TextEdit, Tooltip, Ui,
    UiBuilder, WidgetInfo,
};

use super::{Theme, widgets::select_all};
use ulna_render::ColorRole;

/// A name that is being edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameDraft<T> {
    /// The element to rename.
    pub of: T,
    text: String,
    /// True after the field received the focus. Until then, the focus is requested in each frame,
    /// because another widget may take it in the frame in which the field opens.
    begun: bool,
}

/// Result of checking a name, with a message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameCheck {
    /// The name is valid.
    Fine,
    /// The name is valid, with a note.
    Note(String),
    /// The name is invalid, with the reason.
    Refused(String),
}

impl NameCheck {
    /// Refuses empty and duplicate names. `kind` names the kind of element in the message, such as
    /// `pose`.
    pub fn unique(name: &str, kind: &str, is_taken: impl FnOnce() -> bool) -> Self {
        match name {
            "" => Self::empty(kind),
            _ if is_taken() => Self::Refused(format!("Another {kind} is named “{name}”.")),
            _ => Self::Fine,
        }
    }

    /// Refuses an empty name. A duplicate name is valid, with the note that scripts then need the
    /// element's number.
    pub fn shared(name: &str, kind: &str, is_taken: impl FnOnce() -> bool) -> Self {
        match name {
            "" => Self::empty(kind),
            _ if is_taken() => Self::Note(format!(
                "Another {kind} is named “{name}”. Scripts must then use the number of each, such \
                    as #3."
            )),
            _ => Self::Fine,
        }
    }

    fn empty(kind: &str) -> Self {
        Self::Refused(format!("A {kind} needs a name. Esc keeps the old one."))
    }
}

/// State of a name field after a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameEnd {
    /// The name is still being typed.
    Typing,
    /// The user accepted this name, which may equal the old one.
    Kept(String),
    /// The user canceled, and the old name stays.
    Left,
}

impl<T> NameDraft<T> {
    /// Starts to edit the current name.
    pub fn new(of: T, name: impl Into<String>) -> Self {
        Self { of, text: name.into(), begun: false }
    }

    /// Draws the field in an area. Enter or a click elsewhere accepts the name, and Escape cancels.
    /// An invalid name is not accepted, and a message tells why.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        theme: &Theme,
        area: Rect,
        label: &str,
        check: impl FnOnce(&str) -> NameCheck,
    ) -> NameEnd {
        let mut child = ui.new_child(UiBuilder::new().id_salt(label).max_rect(area));
        let field = TextEdit::singleline(&mut self.text)
            .margin(Margin::symmetric(4, 1))
            .align(Align2::LEFT_CENTER);
        let response = child.add_sized(area.size(), field);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, label));
        self.begun |= response.has_focus() || response.lost_focus();
        if !self.begun {
            if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
                return NameEnd::Left;
            }
            response.request_focus();
            // The typed text replaces the old name.
            select_all(ui.ctx(), response.id, &self.text);
            ui.ctx().request_repaint();
            return NameEnd::Typing;
        }
        let name = self.text.trim();
        let found = check(name);
        let words = match &found {
            NameCheck::Fine => None,
            NameCheck::Note(text) => Some((text, ColorRole::TextPrimary)),
            NameCheck::Refused(text) => Some((text, ColorRole::SeverityError)),
        };
        if let Some((text, color)) = words {
            let id = response.id.with("about the name");
            let tooltip = Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), id, response.rect);
            tooltip.gap(4.0).show(|ui| ui.colored_label(theme.color(color), text));
        }
        let (escape, enter) = ui.input(|i| (i.key_pressed(Key::Escape), i.key_pressed(Key::Enter)));
        if escape {
            NameEnd::Left
        } else if !response.lost_focus() {
            NameEnd::Typing
        } else if !matches!(found, NameCheck::Refused(_)) {
            NameEnd::Kept(name.to_owned())
        } else if enter {
            response.request_focus();
            NameEnd::Typing
        } else {
            NameEnd::Left
        }
    }
}

/// Ids of the last clicked row, and of the row that the rename key applies to.
#[derive(Clone, Copy, Debug, Default)]
struct ClickedRow {
    last: Option<Id>,
    asked: Option<Id>,
}

fn rows_id() -> Id {
    Id::unique("row that was clicked last")
}

/// Clears the last clicked row at the start of a frame with a click.
pub fn forget_clicked_row(ctx: &Context) {
    if ctx.input(|i| i.pointer.primary_clicked()) {
        ctx.data_mut(|d| d.insert_temp(rows_id(), ClickedRow::default()));
    }
}

/// Starts to rename the last clicked row. Returns whether there is one.
pub fn rename_clicked_row(ctx: &Context) -> bool {
    let rows: ClickedRow = ctx.data(|d| d.get_temp(rows_id())).unwrap_or_default();
    ctx.data_mut(|d| d.insert_temp(rows_id(), ClickedRow { asked: rows.last, ..rows }));
    rows.last.is_some()
}

/// True if a row's name should be edited: after a double click, or after a click and the rename
/// key. Every renamable row must call this in each frame.
pub fn is_renamed(ui: &Ui, row: &Response) -> bool {
    is_renamed_at(ui, row, row.rect)
}

/// Same as [`is_renamed`], except that a double click counts only within an area, such as the name
/// on a card.
pub fn is_renamed_at(ui: &Ui, row: &Response, area: Rect) -> bool {
    let rows: ClickedRow = ui.data(|d| d.get_temp(rows_id())).unwrap_or_default();
    if row.clicked() || rows.asked == Some(row.id) {
        let now = ClickedRow { last: Some(row.id), asked: None };
        ui.data_mut(|d| d.insert_temp(rows_id(), now));
    }
    let is_inside = || row.interact_pointer_pos().is_some_and(|at| area.contains(at));
    (row.double_clicked() && is_inside()) || rows.asked == Some(row.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_refused_and_used_names_are_reported() {
        assert_eq!(NameCheck::unique("Walk", "pose", || false), NameCheck::Fine);
        let taken = NameCheck::unique("Walk", "pose", || true);
        assert_eq!(taken, NameCheck::Refused("Another pose is named “Walk”.".into()));
        assert!(matches!(NameCheck::shared("Walk", "clip", || true), NameCheck::Note(_)));
        for empty in
            [NameCheck::unique("", "pose", || false), NameCheck::shared("", "clip", || false)]
        {
            assert!(matches!(empty, NameCheck::Refused(text) if text.contains("needs a name")));
        }
    }
}
