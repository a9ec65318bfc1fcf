//! Rows and fields of mixer bars, and the edits that they make.

use egui::{Align2, DragValue, Sense, Ui, vec2};

use crate::ui::{Action, Actions, Theme, theme::Font, widgets::name_widget};
use ulna_edit::command::{MixText, SetMix};
use ulna_model::{ClipId, Document, Mix, Shared};
use ulna_render::ColorRole;

/// Replaces the mix as one undo step.
pub fn set(mix: Mix, actions: &mut Actions) {
    actions.push(Action::Run(SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()));
}

/// Previews a changed mix during a drag.
pub fn preview(label: &str, mix: Mix, actions: &mut Actions) {
    let commands = vec![SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()];
    actions.push(Action::Preview { label: label.to_owned(), commands });
}

/// Label of a clip, or a note that it is missing.
pub fn clip_text(document: &Document, id: ClipId) -> String {
    if document.clips.contains(id) { document.clip_label(id) } else { "missing clip".into() }
}

/// Draws a row with a label on the left. `about` is the tooltip of the label.
pub fn line(ui: &mut Ui, theme: &Theme, label: &str, about: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(78.0, 26.0), Sense::hover());
        let ink = theme.color(ColorRole::TextSecondary);
        ui.painter().text(
            rect.left_center(),
            Align2::LEFT_CENTER,
            label,
            Theme::font(Font::Body),
            ink,
        );
        if !about.is_empty() {
            response.on_hover_text(about);
        }
        add(ui);
    });
}

/// Draws a number field. Returns whether the number changed, and whether the edit ended.
pub fn number(ui: &mut Ui, name: &str, value: DragValue<'_>) -> (bool, bool) {
    // Existing numbers out of range are not clamped, because clamping would be an edit without user
    // input.
    let field = ui.add_sized([84.0, 24.0], value.clamp_existing_to_range(false));
    name_widget(ui, &field, name);
    (field.changed(), field.drag_stopped() || field.lost_focus())
}
