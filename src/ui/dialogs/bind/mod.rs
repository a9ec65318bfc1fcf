//! *Bind* panel beside the model. The user checks meshes and joints. Weights are computed while
//! parameters change, shown in the viewport, tried in poses, and bound as one undo step.

mod foot;
mod joints;
mod meshes;
mod pieces;
mod trial;
mod weights;

pub use self::pieces::PieceLook;

use egui::{Align, Button, Label, Layout, Response, RichText, ScrollArea, Stroke, Ui, vec2};

use super::parts::head;
use crate::ui::{Actions, BindDraft, Dialog, DialogAction, Theme, View, theme::Font};
use ulna_render::ColorRole;

/// Width of the panel, in points.
pub(super) const WIDTH: f32 = 352.0;

/// Shows the *Bind* panel.
pub fn bind_ui(ui: &mut Ui, view: &View<'_>, draft: &BindDraft, actions: &mut Actions) {
    let Some(session) = view.session else { return };
    let (theme, document) = (view.theme, session.document());
    let mut now = draft.clone();
    head(ui, theme, None, "Bind meshes", "", actions);
    ui.spacing_mut().item_spacing.y = 4.0;
    // The trial section and the footer stay below the lists.
    let below = trial::HEIGHT + foot::HEIGHT;
    let top = ui.cursor().top() - ui.ctx().content_rect().top();
    let room = ui.ctx().content_rect().height() - top - below - 44.0;
    let height = room.clamp(140.0, 900.0);
    ScrollArea::vertical()
        .id_salt("meshes and joints to bind")
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            ui.set_width(ui.available_width() - 8.0);
            meshes::meshes_ui(ui, view, document, &mut now);
            joints::joints_ui(ui, view, document, &mut now, actions);
            weights::weights_ui(ui, view, document, &mut now);
            pieces::pieces_ui(ui, view, document, &mut now);
        });
    trial::trial_ui(ui, view, document, &mut now, actions);
    foot::foot_ui(ui, view, document, &now, actions);
    if now != *draft {
        actions.push(DialogAction::SetDialog(Some(Dialog::Bind { draft: Box::new(now) })));
    }
}

/// Shows the title and description of a section, with a line above.
fn section(ui: &mut Ui, theme: &Theme, title: &str, about: &str) {
    rule(ui, theme);
    ui.horizontal(|ui| titles(ui, theme, title, about));
}

/// Shows a section title like [`section`], with widgets on its right, from right to left.
fn section_with(
    ui: &mut Ui,
    theme: &Theme,
    (title, about): (&str, &str),
    at_right: impl FnOnce(&mut Ui),
) {
    rule(ui, theme);
    ui.horizontal(|ui| {
        ui.set_min_height(24.0);
        titles(ui, theme, title, about);
        ui.with_layout(Layout::right_to_left(Align::Center), at_right);
    });
}

/// Shows a button in the title of a section.
fn title_button(ui: &mut Ui, text: &str) -> Response {
    let text = RichText::new(text).font(Theme::font(Font::Small));
    ui.add(Button::new(text).min_size(vec2(0.0, 22.0)))
}

/// Shows a line between sections.
fn rule(ui: &mut Ui, theme: &Theme) {
    ui.add_space(4.0);
    line(ui, theme);
    ui.add_space(4.0);
}

/// Draws a thin line across the panel.
fn line(ui: &mut Ui, theme: &Theme) {
    let size = vec2(ui.available_width(), 1.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let stroke = Stroke::new(1.0, theme.color(ColorRole::StrokeSeparator));
    ui.painter().hline(rect.x_range(), rect.center().y, stroke);
}

/// Shows the title and description of a section.
fn titles(ui: &mut Ui, theme: &Theme, title: &str, about: &str) {
    let text = RichText::new(title).font(Theme::font(Font::Heading));
    ui.label(text.color(theme.color(ColorRole::TextPrimary)));
    let text = RichText::new(about).font(Theme::font(Font::Small));
    ui.add(Label::new(text.color(theme.color(ColorRole::TextSecondary))).truncate());
}
