//! Toolbar parts that several modes share, each at the same position in all modes.

use egui::{RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, GizmoSpace, SnapSteps, Theme, View, ViewportAction,
    chooser::chooser,
    menu_rows::{MenuRows, Row},
    popups::menu_button,
    theme::Font,
    widgets::{icon_button, mark_place, segment, segments},
};
use ulna_edit::{CommandSpec, command::ModeCommand};
use ulna_render::ColorRole;

/// Draws the icon button of a command. Its tooltip has the command's title and key.
pub fn command_button(
    ui: &mut Ui,
    view: &View<'_>,
    icon: egui_material_icons::MaterialIcon,
    command: &'static CommandSpec,
    on: bool,
    actions: &mut Actions,
) {
    let enabled = command.check(&view.availability);
    let key = view.settings.keys.key(command.name);
    let response = icon_button(ui, view.theme, icon, command.title, key, on, enabled);
    mark_place(ui, command.name, response.rect);
    if response.clicked() {
        actions.push(Action::Invoke(command));
    }
}

/// Draws the choice of the transform space: buttons side by side if the window is wide, else a
/// list.
pub fn spaces_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    /// Minimum window width in points for buttons side by side. It is the same in all modes, so
    /// that the toolbar does not shift on a mode change. It leaves room for the controls that a
    /// shown clip adds.
    const ROOM: f32 = 1800.0;
    let theme = view.theme;
    let now = view.viewport.space;
    if ui.ctx().content_rect().width() >= ROOM {
        segments(ui, theme, |ui| {
            for space in GizmoSpace::ALL {
                let segment = segment(ui, theme, space.title(), now == space, false);
                // The menu bar has a menu of the same name, so the accessible name differs.
                let name = format!("{} axes", space.title());
                segment
                    .widget_info(|| WidgetInfo::selected(Role::Button, true, now == space, &name));
                if segment.on_hover_text(space.help()).clicked() {
                    actions.push(ViewportAction::SetSpace(space));
                }
            }
        });
        return;
    }
    // The menu bar has a menu with the name of one space, so " axes" is appended.
    let names = GizmoSpace::ALL.map(|space| format!("{} axes", space.title()));
    let options: Vec<_> = GizmoSpace::ALL
        .iter()
        .zip(&names)
        .map(|(s, name)| (*s, name.as_str(), *s == now))
        .collect();
    let chosen = chooser(ui, view, "Axes", now.title(), &options);
    actions.extend(chosen.map(ViewportAction::SetSpace));
}

/// Draws the symmetry toggle: posing a joint also poses its mirror partner.
pub fn symmetry_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (spec, on) = (ModeCommand::BothSides.spec(), view.viewport.symmetry);
    let key = view.settings.keys.key(spec.name);
    if icon_button(ui, view.theme, icons::ICON_FLIP, spec.title, key, on, Ok(())).clicked() {
        actions.push(ViewportAction::SetSymmetry(!on));
    }
}

/// Adds menu rows for the posing toggles: symmetry, and snapping with its increments.
pub fn switch_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    let viewport = &view.viewport;
    let both = Row::of(view, ModeCommand::BothSides.spec()).checked(viewport.symmetry);
    rows.act(both, || ViewportAction::SetSymmetry(!viewport.symmetry));
    let snap = Row::of(view, ModeCommand::SnapDrags.spec()).checked(viewport.snap);
    rows.act(snap, || ViewportAction::SetSnap(!viewport.snap, viewport.snap_steps));
    rows.own(|ui, actions| {
        if let Some(steps) = snap_steps_ui(ui, view) {
            actions.push(ViewportAction::SetSnap(viewport.snap, steps));
        }
    });
}

/// Draws the toggle for snapping, and the menu of snap increments.
pub fn snap_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (on, steps) = (view.viewport.snap, view.viewport.snap_steps);
    let length = view.settings.length;
    let key = view.settings.keys.key(ModeCommand::SnapDrags.name());
    if icon_button(
        ui,
        view.theme,
        icons::ICON_GRID_4X4,
        ModeCommand::SnapDrags.spec().title,
        key,
        on,
        Ok(()),
    )
    .clicked()
    {
        actions.push(ViewportAction::SetSnap(!on, steps));
    }
    let cut = |value: f32| format!("{}", (value * 1e4).round() / 1e4);
    let now = format!(
        "{}° {} {}",
        cut(steps.angle),
        cut(steps.length * length.per_meter()),
        length.sign()
    );
    let theme = view.theme;
    let label = format!("{now} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let button =
        menu_button(ui, RichText::new(label).color(theme.color(ColorRole::TextPrimary)), |ui| {
            ui.set_min_width(180.0);
            if let Some(steps) = snap_steps_ui(ui, view) {
                actions.push(ViewportAction::SetSnap(on, steps));
                ui.close();
            }
        });
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Snap increments"));
    button.on_hover_text("Snap increments");
}

/// Draws the choice of snap increments. Returns the new increments if the user chose one.
fn snap_steps_ui(ui: &mut Ui, view: &View<'_>) -> Option<SnapSteps> {
    let (theme, length) = (view.theme, view.settings.length);
    let cut = |value: f32| format!("{}", (value * 1e4).round() / 1e4);
    let mut steps = view.viewport.snap_steps;
    let group =
        |ui: &mut Ui, title: &str, all: &[f32], value: &mut f32, text: &dyn Fn(f32) -> String| {
            let title = RichText::new(title).font(Theme::font(Font::Caption));
            ui.label(title.color(theme.color(ColorRole::TextTertiary)));
            ui.horizontal(|ui| {
                for step in all {
                    let is_it = (*value - step).abs() < 1e-6;
                    if ui.add(egui::Button::new(text(*step)).selected(is_it)).clicked() {
                        *value = *step;
                    }
                }
            });
        };
    group(ui, "Rotation", &[1.0, 5.0, 15.0, 45.0], &mut steps.angle, &|v| format!("{v}°"));
    let lengths = &[0.001, 0.01, 0.05, 0.1, 1.0];
    group(ui, "Translation", lengths, &mut steps.length, &|v| cut(v * length.per_meter()));
    group(ui, "Scale", &[0.01, 0.1, 0.25], &mut steps.factor, &|v| format!("{v}"));
    (steps != view.viewport.snap_steps).then_some(steps)
}

pub fn divider(ui: &mut Ui, theme: &Theme) {
    ui.add_space(4.0);
    let (rect, _) = ui.allocate_exact_size(vec2(1.0, 20.0), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::StrokeControl));
    ui.add_space(4.0);
}
