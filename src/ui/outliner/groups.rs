//! Rows of joint groups, above the tree of nodes.

use std::sync::Arc;

use egui::{
    Rect, RichText, Role, Sense, Ui, WidgetInfo,
    color_picker::{Alpha, color_picker_color32},
    pos2, vec2,
};
use egui_material_icons::icons;

use super::menu::{MenuLine, title};
use crate::ui::{
    Action, Actions, OutlinerAction, Theme, View,
    popups::{context_menu, submenu},
    theme::Font,
    widgets::{elided, name_widget, paint_icon, row, select_all},
};
use ulna_edit::command::{AssignGroup, RemoveGroup, SetGroup, field::Nodes};
use ulna_model::{Document, GroupColor, JointGroup};
use ulna_render::{ColorRole, Measure};

/// The group whose name is typed, and what was typed.
pub type GroupRename = Option<(Arc<str>, String)>;

/// A change of a group; all else stays.
fn set(group: &JointGroup) -> SetGroup {
    let group = group.name.to_string();
    SetGroup { group, name: None, color: None, hidden: None, locked: None, solo: None }
}

/// The row of a group.
pub fn group_ui(
    renaming: &mut GroupRename,
    ui: &mut Ui,
    view: &View<'_>,
    number: usize,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let Some(group) = document.joint_groups().get(number) else { return };
    let name = &*group.name;
    let label = format!("Joint group {name}");
    let id = ("joint group", number);
    let (rect, response) =
        ui.push_id(id, |ui| row(ui, theme, Measure::RowTree.points(), &label, false)).inner;
    let middle = rect.center().y;
    let swatch = Rect::from_center_size(pos2(rect.left() + 34.0, middle), vec2(11.0, 11.0));
    ui.painter().rect_filled(swatch, 2.0, theme.group_color(group.color));
    let over = ui.rect_contains_pointer(rect);
    let right = switches(ui, view, (number, group), rect, over, actions);
    let left = rect.left() + 46.0;
    if renaming.as_ref().is_some_and(|(own, _)| *own == group.name) {
        let area = Rect::from_min_max(pos2(left - 4.0, rect.top()), pos2(right, rect.bottom()));
        rename_ui(renaming, ui, group, area, actions);
        return;
    }
    let count = group.nodes.len().to_string();
    let taken = ui.painter().text(
        pos2(right, middle),
        egui::Align2::RIGHT_CENTER,
        count,
        Theme::font(Font::NumberSmall),
        theme.color(ColorRole::TextTertiary),
    );
    let font = Theme::font(Font::Body);
    let text = elided(ui, name, &font, (taken.left() - left - 8.0).max(20.0));
    let role = if group.hidden { ColorRole::TextDisabled } else { ColorRole::TextPrimary };
    let at = pos2(left, middle);
    ui.painter().text(at, egui::Align2::LEFT_CENTER, text, font, theme.color(role));
    let mut renames = response.double_clicked();
    menu(&response, view, document, group, &mut renames, actions);
    if renames {
        *renaming = Some((group.name.clone(), name.to_owned()));
    }
    if response.clicked() {
        let add = ui.input(|i| i.modifiers.command || i.modifiers.shift);
        actions.push(OutlinerAction::SelectMany { nodes: group.nodes.clone(), add });
    }
}

/// Eye, lock and solo at the right; where they end. Those that are off come with the pointer.
fn switches(
    ui: &Ui,
    view: &View<'_>,
    (number, group): (usize, &JointGroup),
    rect: Rect,
    over: bool,
    actions: &mut Actions,
) -> f32 {
    let theme = view.theme;
    let name = &*group.name;
    let of = || set(group);
    let (hidden, locked, solo) = (group.hidden, group.locked, group.solo);
    let eye = if hidden { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    let lock = if locked { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
    let all = [
        (eye, hidden, ["Hide", "Show"], SetGroup { hidden: Some(!hidden), ..of() }),
        (lock, locked, ["Lock", "Unlock"], SetGroup { locked: Some(!locked), ..of() }),
        (
            icons::ICON_FILTER_CENTER_FOCUS,
            solo,
            ["Solo", "Show others beside"],
            SetGroup { solo: Some(!solo), ..of() },
        ),
    ];
    let mut right = rect.right() - 14.0;
    for (icon, is_on, verbs, command) in all {
        if !over && !is_on {
            continue;
        }
        let words = format!("{} joint group {name}", verbs[usize::from(is_on)]);
        let area = Rect::from_center_size(pos2(right, rect.center().y), vec2(18.0, 20.0));
        let response = ui.interact(area, ui.scope_id().with((verbs[0], number)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_on, &words));
        let role = match response.hovered() || is_on {
            true => ColorRole::TextPrimary,
            false => ColorRole::TextTertiary,
        };
        paint_icon(ui.painter(), area.center(), icon, 15.0, theme.color(role));
        right -= 18.0;
        if response.on_hover_text(words).clicked() {
            actions.push(Action::Run(command.into()));
        }
    }
    right + 4.0
}

/// A field in place of the name. Enter and leaving it take the name, Escape does not.
fn rename_ui(
    renaming: &mut GroupRename,
    ui: &mut Ui,
    group: &JointGroup,
    area: Rect,
    actions: &mut Actions,
) {
    let Some((_, text)) = renaming else { return };
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    let field = child
        .add_sized(area.size(), egui::TextEdit::singleline(text).align(egui::Align2::LEFT_CENTER));
    name_widget(&child, &field, "New name of the joint group");
    if ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        *renaming = None;
    } else if field.lost_focus() {
        let name = text.trim().to_owned();
        if !name.is_empty() && *name != *group.name {
            actions.push(Action::Run(SetGroup { name: Some(name), ..set(group) }.into()));
        }
        *renaming = None;
    } else if !field.has_focus() {
        field.request_focus();
        select_all(ui.ctx(), field.id, text);
    }
}

/// The palette, a swatch per color, and a free color.
fn colors_ui(ui: &mut Ui, theme: &Theme, group: &JointGroup, actions: &mut Actions) {
    let mut chosen = None;
    ui.label(RichText::new("Color").color(theme.color(ColorRole::TextSecondary)));
    egui::Grid::new("colors of a joint group").spacing([4.0, 4.0]).show(ui, |ui| {
        for (k, color) in GroupColor::PALETTE.into_iter().enumerate() {
            if swatch_ui(ui, theme, color, group.color == color) {
                chosen = Some(color);
            }
            if k % 7 == 6 {
                ui.end_row();
            }
        }
    });
    let id = ui.scope_id().with(("custom color", &*group.name, group.color.text()));
    submenu(ui, "Custom color", |ui| {
        let [r, g, b, _] = theme.group_color(group.color).to_array();
        let now = ui.data(|d| d.get_temp(id)).unwrap_or([r, g, b]);
        let mut color = egui::Color32::from_rgb(now[0], now[1], now[2]);
        color_picker_color32(ui, &mut color, Alpha::Opaque);
        let [r, g, b, _] = color.to_array();
        ui.data_mut(|d| d.insert_temp(id, [r, g, b]));
        ui.add_space(4.0);
        if ui.button("Use this color").clicked() {
            chosen = Some(GroupColor::Free([r, g, b]));
        }
    });
    if let Some(color) = chosen {
        ui.data_mut(|d| d.remove::<[u8; 3]>(id));
        if color != group.color {
            let command = SetGroup { color: Some(color), ..set(group) };
            actions.push(Action::Run(command.into()));
        }
        ui.close();
    }
}

/// A color to choose. Returns whether it was clicked.
fn swatch_ui(ui: &mut Ui, theme: &Theme, color: GroupColor, is_on: bool) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(24.0, 24.0), Sense::click());
    let word = format!("Color: {}", color.text());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_on, &word));
    let swatch = rect.shrink(if response.hovered() { 2.0 } else { 4.0 });
    ui.painter().rect_filled(swatch, 3.0, theme.group_color(color));
    if is_on {
        let stroke = egui::Stroke::new(2.0, theme.color(ColorRole::TextPrimary));
        ui.painter().rect_stroke(rect.shrink(1.0), 4.0, stroke, egui::StrokeKind::Inside);
    }
    response.on_hover_text(color.text()).clicked()
}

/// The menu of a group.
fn menu(
    response: &egui::Response,
    view: &View<'_>,
    document: &Document,
    group: &JointGroup,
    renames: &mut bool,
    actions: &mut Actions,
) {
    context_menu(response, None, |ui| {
        ui.set_min_width(220.0);
        title(ui, view.theme, &group.name);
        ui.separator();
        if ui.button("Rename").clicked() {
            *renames = true;
            ui.close();
        }
        let selected: Vec<_> = view.selection.nodes.iter().copied().collect();
        let is_there = |n: &ulna_model::NodeId| document.nodes.contains(*n);
        let selected: Vec<_> = selected.into_iter().filter(is_there).collect();
        if !selected.is_empty() {
            let assign = |remove: bool| {
                let (group, node) = (group.name.to_string(), Nodes::Ids(selected.clone()));
                AssignGroup { group, node, remove: remove.then_some(true) }.into()
            };
            let add = MenuLine {
                text: "Add the selection".into(),
                about: "Adds the selected joints to the group",
                command: assign(false),
            };
            let remove = MenuLine {
                text: "Take out the selection".into(),
                about: "Takes the selected joints out of the group",
                command: assign(true),
            };
            super::menu::lines(ui, actions, [add, remove]);
        }
        ui.separator();
        colors_ui(ui, view.theme, group, actions);
        ui.separator();
        let remove = RemoveGroup { group: group.name.to_string() };
        let about = "Removes the group; its joints stay";
        let text = "Remove the group".into();
        super::menu::lines(ui, actions, [MenuLine { text, about, command: remove.into() }]);
    });
}
