//! Widgets of dialogs and of messages about unsaved work: header, sentences, choices, steps.

use std::path::Path;

use egui::{
    Align, Align2, Button, Label, Layout, Rect, Response, RichText, Role, Sense, Stroke, Ui,
    UiKind, WidgetInfo, pos2, vec2,
};
use egui_material_icons::{MaterialIcon, icons};

use crate::ui::DialogAction;
use crate::ui::{
    Actions, Theme,
    theme::Font,
    widgets::{cut, icon_button, paint_icon},
};
use ulna_render::ColorRole;

/// Shows icon, title and a sentence, with a close button on the right.
pub fn head(
    ui: &mut Ui,
    theme: &Theme,
    icon: Option<(MaterialIcon, ColorRole)>,
    title: &str,
    words: &str,
    actions: &mut Actions,
) {
    name_dialog(ui, title);
    ui.horizontal(|ui| {
        if let Some((icon, role)) = icon {
            let (rect, _) = ui.allocate_exact_size(vec2(22.0, 24.0), Sense::hover());
            paint_icon(ui.painter(), rect.center(), icon, 20.0, theme.color(role));
        }
        let room = (ui.available_width() - 36.0).max(0.0);
        ui.allocate_ui_with_layout(vec2(room, 24.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(room);
            let title = RichText::new(title)
                .font(Theme::font(Font::Title))
                .color(theme.color(ColorRole::TextPrimary));
            ui.add(Label::new(title).truncate());
        });
        if icon_button(ui, theme, icons::ICON_CLOSE, "Close dialog", "Esc", false, Ok(())).clicked()
        {
            actions.push(DialogAction::SetDialog(None));
        }
    });
    ui.add_space(2.0);
    if !words.is_empty() {
        text(ui, theme, words);
    }
    ui.add_space(8.0);
}

/// Shows the title of a dialog, which is also its name for screen readers.
pub fn title(ui: &mut Ui, theme: &Theme, text: &str) {
    name_dialog(ui, text);
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Title))
            .color(theme.color(ColorRole::TextPrimary)),
    );
    ui.add_space(8.0);
}

/// Sets the name of the surrounding dialog for screen readers.
pub fn name_dialog(ui: &Ui, text: &str) {
    let dialog = ui
        .stack()
        .iter()
        .find(|part| matches!(part.kind(), Some(UiKind::Modal | UiKind::Window)))
        .map(|part| part.unique_id);
    if let Some(id) = dialog {
        ui.ctx().accesskit_node_builder(id, |node| {
            node.set_role(Role::Dialog);
            node.set_label(format!("{text} dialog"));
        });
    }
}

pub fn primary(ui: &mut Ui, theme: &Theme, text: &str) -> Response {
    let label = RichText::new(text)
        .font(Theme::font(Font::Heading))
        .color(theme.color(ColorRole::TextOnAccent));
    ui.add(Button::new(label).fill(theme.color(ColorRole::AccentBase)).min_size(vec2(80.0, 32.0)))
}

/// Id of the flag that is set from the opening of a dialog until its [`answer`] gets the focus.
fn unanswered() -> egui::Id {
    egui::Id::unique("answer without focus")
}

/// Requests the focus for the [`answer`] of a dialog that is opening.
pub fn await_answer(ctx: &egui::Context) {
    ctx.data_mut(|d| d.insert_temp(unanswered(), true));
}

/// Primary button of a question. It gets the focus when the dialog opens, so that Enter presses it.
pub fn answer(ui: &mut Ui, theme: &Theme, text: &str) -> Response {
    let response = primary(ui, theme, text);
    let awaited = ui.data(|d| d.get_temp::<bool>(unanswered())).unwrap_or(false);
    // A key still held from the previous dialog must not press the button.
    let held = ui.input(|i| i.key_down(egui::Key::Enter) || i.key_down(egui::Key::Space));
    if awaited && !held && response.enabled() && !ui.is_sizing_pass() {
        response.request_focus();
        ui.data_mut(|d| d.remove::<bool>(unanswered()));
    }
    response
}

pub fn plain(ui: &mut Ui, text: &str) -> Response {
    ui.add(Button::new(text).min_size(vec2(80.0, 32.0)))
}

/// Width of the labels of [`labeled`], in points.
const LABELS: f32 = 72.0;

/// Shows a label, followed by widgets in the same row.
pub fn labeled(ui: &mut Ui, theme: &Theme, label: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(LABELS, 28.0), Sense::hover());
        let at = rect.left_center();
        let font = Theme::font(Font::Body);
        ui.painter().text(
            at,
            Align2::LEFT_CENTER,
            label,
            font,
            theme.color(ColorRole::TextSecondary),
        );
        add(ui);
    });
}

pub fn text(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add(Label::new(RichText::new(text).color(theme.color(ColorRole::TextSecondary))).wrap());
}

pub fn small(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text)
        .font(Theme::font(Font::Small))
        .color(theme.color(ColorRole::TextTertiary));
    ui.add(Label::new(text).wrap());
}

/// Shows a sentence with a warning icon.
pub fn warning(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(16.0, 18.0), Sense::hover());
        paint_icon(
            ui.painter(),
            rect.center(),
            icons::ICON_WARNING,
            16.0,
            theme.color(ColorRole::SeverityWarning),
        );
        let text = RichText::new(text)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary));
        ui.add(Label::new(text).wrap());
    });
}

/// Shows a sentence on a tinted background.
pub fn notice(ui: &mut Ui, theme: &Theme, (icon, role): (MaterialIcon, ColorRole), text: &str) {
    let tint = match role {
        ColorRole::SeverityError => ColorRole::SeverityErrorTint,
        _ => ColorRole::SeverityWarningTint,
    };
    let plate = egui::Frame::new().fill(theme.color(tint)).corner_radius(4).inner_margin(8);
    plate.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 18.0), Sense::hover());
            paint_icon(ui.painter(), rect.center(), icon, 16.0, theme.color(role));
            let text = RichText::new(text).color(theme.color(ColorRole::TextPrimary));
            ui.add(Label::new(text).wrap());
        });
    });
}

pub fn many(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

pub fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// Shows a radio choice with its description. The whole row can be clicked.
pub fn choice(ui: &mut Ui, theme: &Theme, chosen: bool, label: &str, hint: &str) -> Response {
    const LEFT: f32 = 34.0;
    let width = ui.available_width();
    let room = width - LEFT - 12.0;
    let hint = ui.painter().layout(
        hint.to_owned(),
        Theme::font(Font::Small),
        theme.color(ColorRole::TextSecondary),
        room,
    );
    let (rect, response) =
        ui.allocate_exact_size(vec2(width, 36.0 + hint.size().y), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, label));
    let painter = ui.painter();
    if chosen {
        painter.rect_filled(rect, 4.0, theme.color(ColorRole::AccentTint));
    } else if response.hovered() {
        painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceControl));
    }
    let at = pos2(rect.left() + 17.0, rect.top() + 18.0);
    let edge = theme.color(if chosen { ColorRole::AccentBase } else { ColorRole::StrokeStrong });
    painter.circle(
        at,
        7.0,
        theme.color(ColorRole::SurfaceField),
        Stroke::new(if chosen { 2.0 } else { 1.0 }, edge),
    );
    if chosen {
        painter.circle_filled(at, 3.5, theme.color(ColorRole::AccentBase));
    }
    let left = rect.left() + LEFT;
    let label_at = pos2(left, rect.top() + 18.0);
    painter.text(
        label_at,
        Align2::LEFT_CENTER,
        label,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextPrimary),
    );
    painter.galley(pos2(left, rect.top() + 29.0), hint, theme.color(ColorRole::TextSecondary));
    response
}

/// Shows a step in a list: its number, time, title and changed element.
pub fn step(
    ui: &mut Ui,
    theme: &Theme,
    number: usize,
    when: &str,
    label: &str,
    about: &str,
    cause: bool,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::hover());
    if cause {
        ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SeverityErrorTint));
        let at = pos2(rect.right() - 16.0, rect.center().y);
        paint_icon(
            ui.painter(),
            at,
            icons::ICON_ERROR,
            16.0,
            theme.color(ColorRole::SeverityError),
        );
    }
    let y = rect.center().y;
    let painter = ui.painter();
    let number_at = pos2(rect.left() + 32.0, y);
    let font = Theme::font(Font::NumberSmall);
    painter.text(
        number_at,
        Align2::RIGHT_CENTER,
        number,
        font,
        theme.color(ColorRole::TextTertiary),
    );
    let small = Theme::font(Font::Small);
    let mut left = rect.left() + 44.0;
    if !when.is_empty() {
        let at = pos2(left, y);
        painter.text(
            at,
            Align2::LEFT_CENTER,
            when,
            small.clone(),
            theme.color(ColorRole::TextTertiary),
        );
        left += 80.0;
    }
    let label = cut(ui, label, &Theme::font(Font::Body), rect.right() - left - 8.0);
    let painter = ui.painter();
    let drawn: Rect = painter.text(
        pos2(left, y),
        Align2::LEFT_CENTER,
        label,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextPrimary),
    );
    let room = rect.right() - drawn.right() - if cause { 40.0 } else { 16.0 };
    if !about.is_empty() && room > 40.0 {
        let about = cut(ui, about, &small, room);
        let at = pos2(drawn.right() + 10.0, y);
        ui.painter().text(
            at,
            Align2::LEFT_CENTER,
            about,
            small,
            theme.color(ColorRole::TextSecondary),
        );
    }
}
