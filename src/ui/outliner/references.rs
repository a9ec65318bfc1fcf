//! Rows of reference models, above the node tree.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, ReferenceAction, ReferenceFacts, Theme, View,
    menu_rows::{Row, context_menu},
    theme::Font,
    widgets::{elided, paint_icon, row},
};
use ulna_edit::command::{ReferenceCommand, ReferenceName};
use ulna_render::{ColorRole, Measure};

/// Draws the row of a reference model.
pub fn reference_ui(ui: &mut Ui, view: &View<'_>, number: usize, actions: &mut Actions) {
    let theme = view.theme;
    let Some(facts) = view.references.all.get(number) else { return };
    let chosen = view.references.selected == Some(facts.id);
    let label = format!("Reference {}", facts.name);
    let (rect, response) = ui
        .push_id(("reference", facts.id), |ui| {
            row(ui, theme, Measure::RowTree.points(), &label, chosen)
        })
        .inner;
    let middle = rect.center().y;
    let role = match (chosen, facts.hidden) {
        (true, _) => ColorRole::SelectionBase,
        (_, true) => ColorRole::TextDisabled,
        _ => ColorRole::TextSecondary,
    };
    let icon = if facts.vertices > 0 { icons::ICON_VIEW_IN_AR } else { icons::ICON_POLYLINE };
    paint_icon(ui.painter(), pos2(rect.left() + 34.0, middle), icon, 16.0, theme.color(role));
    let over = ui.rect_contains_pointer(rect);
    let right = eye_ui(ui, theme, facts, rect, over, actions);
    let font = Theme::font(Font::Body);
    let left = rect.left() + 46.0;
    let text = elided(ui, &facts.name, &font, (right - left - 8.0).max(20.0));
    let role = match (chosen, facts.hidden) {
        (true, _) => ColorRole::SelectionText,
        (_, true) => ColorRole::TextDisabled,
        _ => ColorRole::TextPrimary,
    };
    let at = pos2(left, middle);
    ui.painter().text(at, egui::Align2::LEFT_CENTER, text, font, theme.color(role));
    menu(&response, view, facts, actions);
    let response = response.on_hover_text(facts.path.display().to_string());
    if response.clicked() {
        actions.push(ReferenceAction::Select(Some(facts.id)));
    }
    if response.double_clicked() {
        let reference = ReferenceName(Some(facts.name.clone()));
        actions.push(Action::Run(ReferenceCommand::Frame { reference }.into()));
    }
}

/// Draws the visibility button on the right of a row. Returns its left edge. The button of a
/// visible model appears only under the pointer.
fn eye_ui(
    ui: &Ui,
    theme: &Theme,
    facts: &ReferenceFacts,
    rect: Rect,
    over: bool,
    actions: &mut Actions,
) -> f32 {
    let right = rect.right() - 14.0;
    if !over && !facts.hidden {
        return right;
    }
    let icon = if facts.hidden { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    let verb = if facts.hidden { "Show" } else { "Hide" };
    let words = format!("{verb} reference {}", facts.name);
    let area = Rect::from_center_size(pos2(right, rect.center().y), vec2(18.0, 20.0));
    let response = ui.interact(area, ui.scope_id().with(("eye", facts.id)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, facts.hidden, &words));
    let role = if response.hovered() { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
    paint_icon(ui.painter(), area.center(), icon, 15.0, theme.color(role));
    if response.on_hover_text(words).clicked() {
        let reference = ReferenceName(Some(facts.name.clone()));
        let hidden = Some(!facts.hidden);
        actions.push(Action::Run(ReferenceCommand::Hide { reference, hidden }.into()));
    }
    right - 14.0
}

/// Shows the context menu of a reference model.
fn menu(response: &egui::Response, view: &View<'_>, facts: &ReferenceFacts, actions: &mut Actions) {
    if response.secondary_clicked() {
        actions.push(ReferenceAction::Select(Some(facts.id)));
    }
    context_menu(response, Some(response.rect), view, actions, |rows| {
        rows.header(&facts.name, "reference model");
        let reference = || ReferenceName(Some(facts.name.clone()));
        let mut line = |title: &'static str, command: ReferenceCommand| {
            let row = Row::of(rows.view, command.spec()).title(title);
            rows.run(row, || command.into());
        };
        line("Frame", ReferenceCommand::Frame { reference: reference() });
        let hide = ReferenceCommand::Hide { reference: reference(), hidden: Some(!facts.hidden) };
        line(if facts.hidden { "Show" } else { "Hide" }, hide);
        let colors = ReferenceCommand::Plain { reference: reference(), plain: Some(!facts.plain) };
        line(if facts.plain { "Show materials" } else { "Show in plain gray" }, colors);
        let shown = Some(!facts.shows_joints);
        let joints = ReferenceCommand::Joints { reference: reference(), shown };
        line(if facts.shows_joints { "Hide joints" } else { "Show joints" }, joints);
        rows.separator();
        let mut line = |title: &'static str, command: ReferenceCommand| {
            let row = Row::of(rows.view, command.spec()).title(title);
            rows.run(row, || command.into());
        };
        line("Move to the selected joint", ReferenceCommand::Snap { reference: reference() });
        line("Put on the ground", ReferenceCommand::Ground { reference: reference() });
        rows.separator();
        let remove = ReferenceCommand::Remove { reference: reference() };
        let row = Row::of(rows.view, remove.spec()).title("Remove");
        rows.run(row, || remove.into());
    });
}
