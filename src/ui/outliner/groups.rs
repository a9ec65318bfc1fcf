//! Rows of joint groups, above the node tree.

use std::sync::Arc;

use egui::{
    Rect, RichText, Role, Sense, Ui, WidgetInfo,
    color_picker::{Alpha, color_picker_color32},
    pos2, vec2,
};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, OutlinerAction, Theme, View,
    menu_rows::{Row, context_menu},
    name_field::{NameCheck, NameDraft, NameEnd, is_renamed},
    popups::submenu,
    theme::Font,
    widgets::{elided, paint_icon, row},
};
use ulna_edit::command::{AssignGroup, RemoveGroup, RenameNode, SetGroup, field::Nodes};
use ulna_model::{Document, GroupColor, JointGroup};
use ulna_render::{ColorRole, Measure};

/// The group that is being renamed, with the typed name.
pub type GroupRename = Option<NameDraft<Arc<str>>>;

/// An edit of a group that changes nothing yet. Callers set the changed fields.
fn set(group: &JointGroup) -> SetGroup {
    let group = group.name.to_string();
    SetGroup { group, name: None, color: None, hidden: None, locked: None, solo: None }
}

/// Draws the row of a group.
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
    if renaming.as_ref().is_some_and(|draft| draft.of == group.name) {
        let area = Rect::from_min_max(
            pos2(left - 4.0, rect.top() + 1.0),
            pos2(right, rect.bottom() - 1.0),
        );
        rename_ui(renaming, ui, (view, document), group, area, actions);
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
    let mut renames = is_renamed(ui, &response);
    menu(&response, view, document, group, &mut renames, actions);
    if renames {
        *renaming = Some(NameDraft::new(group.name.clone(), name));
    }
    if response.clicked() {
        let add = ui.input(|i| i.modifiers.command || i.modifiers.shift);
        actions.push(OutlinerAction::SelectMany { nodes: group.nodes.clone(), add });
    }
}

/// Draws visibility, lock and solo switches on the right of a row. Returns their left edge.
/// Switches that are off appear only under the pointer.
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
            ["Solo", "End solo"],
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

/// Draws the text field for renaming a group.
fn rename_ui(
    renaming: &mut GroupRename,
    ui: &mut Ui,
    (view, document): (&View<'_>, &Document),
    group: &JointGroup,
    area: Rect,
    actions: &mut Actions,
) {
    let Some(draft) = renaming else { return };
    let is_taken = |name: &str| {
        let others = document.joint_groups().iter().filter(|other| other.name != group.name);
        others.into_iter().any(|other| *other.name == *name)
    };
    let check = |name: &str| NameCheck::unique(name, "joint group", || is_taken(name));
    match draft.show(ui, view.theme, area, "New name of the joint group", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if *name != *group.name => {
            actions.push(Action::Run(SetGroup { name: Some(name), ..set(group) }.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    *renaming = None;
}

/// Draws color swatches of the palette, and a color picker.
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

/// Draws a color swatch. Returns whether it was clicked.
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

/// Shows the context menu of a group.
fn menu(
    response: &egui::Response,
    view: &View<'_>,
    document: &Document,
    group: &JointGroup,
    renames: &mut bool,
    actions: &mut Actions,
) {
    let count = match group.nodes.len() {
        1 => "1 joint".to_owned(),
        n => format!("{n} joints"),
    };
    let is_there = |n: &ulna_model::NodeId| document.nodes.contains(*n);
    let selected: Vec<_> = view.selection.nodes.iter().copied().filter(is_there).collect();
    context_menu(response, Some(response.rect), view, actions, |rows| {
        rows.header(&group.name, &count);
        *renames |= rows.row(Row::of(view, RenameNode::spec()).enabled());
        let nodes = group.nodes.clone();
        let select = Row::new("Select its joints").icon(icons::ICON_ADS_CLICK.codepoint);
        rows.act(select, || OutlinerAction::SelectMany { nodes, add: false });
        rows.separator();
        let assign = |remove: bool| {
            let (group, node) = (group.name.to_string(), Nodes::Ids(selected.clone()));
            AssignGroup { group, node, remove: remove.then_some(true) }.into()
        };
        let reason = selected.is_empty().then_some("Select joints first");
        let add = Row::new("Add the selection").icon(icons::ICON_ADD.codepoint);
        let about = "Adds the selected joints to the group";
        rows.run(add.help(about).unless(reason), || assign(false));
        let remove = Row::new("Remove the selection").icon(icons::ICON_REMOVE.codepoint);
        let about = "Removes the selected joints from the group";
        rows.run(remove.help(about).unless(reason), || assign(true));
        rows.separator();
        let (hidden, locked, solo) = (group.hidden, group.locked, group.solo);
        let eye = if hidden { icons::ICON_VISIBILITY } else { icons::ICON_VISIBILITY_OFF };
        let row = Row::new(if hidden { "Show" } else { "Hide" }).icon(eye.codepoint);
        rows.run(row, || SetGroup { hidden: Some(!hidden), ..set(group) }.into());
        let lock = if locked { icons::ICON_LOCK_OPEN } else { icons::ICON_LOCK };
        let row = Row::new(if locked { "Unlock" } else { "Lock" }).icon(lock.codepoint);
        rows.run(row, || SetGroup { locked: Some(!locked), ..set(group) }.into());
        let icon = icons::ICON_FILTER_CENTER_FOCUS.codepoint;
        let row = Row::new(if solo { "End solo" } else { "Solo" }).icon(icon);
        rows.run(row, || SetGroup { solo: Some(!solo), ..set(group) }.into());
        rows.separator();
        rows.own(|ui, actions| colors_ui(ui, view.theme, group, actions));
        rows.separator();
        let remove = Row::new("Remove the group").icon(icons::ICON_DELETE.codepoint);
        let group = group.name.to_string();
        rows.run(remove.help("Removes the group; its joints stay"), || {
            RemoveGroup { group }.into()
        });
    });
}
