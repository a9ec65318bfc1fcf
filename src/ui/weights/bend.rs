//! Bending joints while painting: the rotation rings, the slider between the bind pose and the
//! shown pose, and the list of test poses.

use egui::{CornerRadius, Key, Rect, RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, BendAction, Theme, View,
    drop_down::option_row,
    theme::Font,
    widgets::{icon_button, name_widget, tooltip},
};
use ulna_edit::command::{BrushCommand, kept_poses};
use ulna_render::ColorRole;

/// Width of the slider, in points.
const BAR: f32 = 140.0;

/// Draws the switch for the rotation rings, and the slider between the bind pose and the shown
/// pose.
pub fn bend_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (theme, bending) = (view.theme, view.paint.bending);
    let can = if view.paint.joint().is_some() { Ok(()) } else { Err("Select a joint first") };
    let button = |ui: &mut Ui, icon, command: &BrushCommand, on| {
        let spec = command.spec();
        icon_button(ui, theme, icon, spec.title, view.settings.keys.key(spec.name), on, can)
            .clicked()
    };
    if button(ui, icons::ICON_ROTATE_RIGHT, &BrushCommand::Bend, bending.rings) {
        actions.push(BendAction::Rings(!bending.rings));
    }
    let is_bent = !bending.bend.turns.is_empty();
    if is_bent && button(ui, icons::ICON_RESTART_ALT, &BrushCommand::Unbend, false) {
        actions.push(Action::Run(BrushCommand::Unbend.into()));
    }
    ui.add_space(4.0);
    bar_ui(ui, view, actions);
}

/// Draws the slider between the bind pose and the shown pose. A drag changes the value relative to
/// the press.
fn bar_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (theme, amount) = (view.theme, view.paint.bending.bend.amount);
    let (rect, response) = ui.allocate_exact_size(vec2(BAR, 24.0), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(amount), "Bind to pose"));
    let painter = ui.painter();
    painter.rect(
        rect,
        4.0,
        theme.color(ColorRole::SurfaceField),
        theme.field_edge(),
        egui::StrokeKind::Inside,
    );
    let filled =
        Rect::from_min_size(rect.min, vec2(rect.width() * amount, rect.height())).shrink(1.0);
    let fill = if response.hovered() || response.dragged() {
        ColorRole::AccentTint
    } else {
        ColorRole::SurfaceControl
    };
    painter.rect_filled(filled, CornerRadius::same(3), theme.color(fill));
    let (small, ink) = (Theme::font(Font::Small), theme.color(ColorRole::TextSecondary));
    painter.text(
        rect.left_center() + vec2(8.0, 0.0),
        egui::Align2::LEFT_CENTER,
        "Bind to pose",
        small,
        ink,
    );
    let text = format!("{:.0} %", amount * 100.0);
    let at = rect.right_center() - vec2(8.0, 0.0);
    let ink = theme.color(ColorRole::TextPrimary);
    painter.text(at, egui::Align2::RIGHT_CENTER, text, Theme::font(Font::Number), ink);
    let mut wanted = amount;
    if let Some(at) =
        response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked())
    {
        wanted = ((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
    }
    if response.double_clicked() {
        wanted = 1.0;
    }
    if response.has_focus() {
        let own = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, own));
        let step = ui.input(|i| {
            i.num_presses(Key::ArrowRight) as f32 - i.num_presses(Key::ArrowLeft) as f32
        });
        if step != 0.0 {
            wanted = (amount + step * 0.05).clamp(0.0, 1.0);
        }
    }
    if wanted != amount {
        actions.push(BendAction::Amount(wanted));
    }
    let help = "Blends from the bind pose (0 %) to the shown pose (100 %). Double-click for 100 %";
    tooltip(response, theme, help, "", Ok(()));
}

/// Adds the items of the pose menu other than clips: test bends of limbs, and poses saved in the
/// file.
pub fn tests_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (theme, bending) = (view.theme, view.paint.bending);
    let Some(session) = view.session else { return };
    let listed = view.paint.surface().map(|c| (session.generation(), c.skin));
    if bending.tests.key() != listed.as_ref() {
        actions.push(BendAction::List);
    }
    let head = |ui: &mut Ui, text: &str| {
        ui.add_space(4.0);
        let text = RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary));
        ui.label(text);
    };
    let tests = bending.tests.get().map_or(&[][..], Vec::as_slice);
    if !tests.is_empty() {
        let clips = !session.document().clips.is_empty();
        head(ui, if clips { "Bent as far as in the clips" } else { "Flexed forward" });
    }
    for pose in tests {
        if option_row(ui, bending.pose_name() == Some(&pose.name), &pose.name).clicked() {
            actions.push(BendAction::Test(pose.clone()));
            ui.close();
        }
    }
    let kept = kept_poses(session.document());
    if !kept.is_empty() {
        head(ui, "Saved in the file");
    }
    for pose in kept {
        if option_row(ui, bending.pose_name() == Some(&pose.name), &pose.name).clicked() {
            actions.push(BendAction::Kept(pose.name.clone()));
            ui.close();
        }
    }
}

/// Draws a name field that stores the displayed pose in the file.
pub fn keep_ui(ui: &mut Ui, actions: &mut Actions) {
    let id = ui.scope_id().with("name of the bend");
    let mut name: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut name)
            .hint_text("Save this pose as…")
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(150.0);
        let field = crate::ui::widgets::edged(ui, |ui| ui.add(field));
        name_widget(ui, &field, "Name of the pose");
        let enter = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        let button = ui.add_enabled(!name.trim().is_empty(), egui::Button::new("Save"));
        button.widget_info(|| {
            WidgetInfo::labeled(Role::Button, !name.trim().is_empty(), "Save the pose")
        });
        if (button.clicked() || enter) && !name.trim().is_empty() {
            actions.push(BendAction::Keep(std::mem::take(&mut name)));
            ui.close();
        }
    });
    ui.data_mut(|d| d.insert_temp(id, name));
}
