//! Rows of the joint list: name, lock and numbers of a joint, and its context menu.

use egui::{Pos2, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::weight_marks::{hatch, heat_color};
use crate::ui::{
    Actions, PaintAction, Theme, View, ViewportAction,
    menu_rows::{MenuRows, Row as MenuRow, context_menu},
    popups::opens_menu,
    theme::Font,
    type_ahead::TypeAhead,
    widgets::{elided, joint_icon, paint_icon, row, thousands},
};
use ulna_edit::command::{BrushCommand, ModeCommand, PairJoints, ViewCommand, field::Nodes};
use ulna_model::{Document, NodeId};
use ulna_render::{Color, ColorRole};

/// Height of a row, in points.
pub const ROW: f32 = 24.0;

/// Kind of a click on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    Plain,
    /// Adds the joint to the selection, or removes it.
    Toggle,
    /// Selects the range from the last clicked joint.
    To,
}

/// A joint in the list.
pub struct Row {
    pub joint: usize,
    pub node: NodeId,
    pub depth: usize,
}

/// Numbers in a joint's row.
pub struct Numbers {
    pub share: Option<f32>,
    pub used: u32,
    pub most: u32,
}

/// Draws the row of a joint. Returns how it was clicked, if it was.
pub fn joint_row(
    type_ahead: &mut TypeAhead<NodeId>,
    ui: &mut Ui,
    view: &View<'_>,
    of: &Row,
    (active, chosen): (bool, bool),
    numbers: &Numbers,
    actions: &mut Actions,
) -> Option<Click> {
    let theme = view.theme;
    let node = of.node;
    let document = view.session.map(|s| s.document())?;
    let label = document.node(node).label(node);
    let locked = view.paint.options.locked.contains(&node);
    let name = format!("Joint {label}");
    let (rect, response) =
        ui.push_id(("joint", node.0), |ui| row(ui, theme, ROW, &name, active)).inner;
    type_ahead.row(ui, node, &response);
    if chosen && !active {
        ui.painter().rect_filled(
            rect,
            0.0,
            theme.color(ColorRole::SelectionTint).gamma_multiply(0.6),
        );
    }
    let middle = rect.center().y;
    let (lock, name) = lock_ui(ui, theme, node, &label, locked, pos2(rect.left() + 14.0, middle));
    let text_color = if active {
        theme.color(ColorRole::SelectionText)
    } else if locked {
        theme.color(ColorRole::TextTertiary)
    } else {
        theme.color(ColorRole::TextPrimary)
    };
    // The color of the joint in the display of all joints.
    let indent = (of.depth as f32 * 8.0).min(rect.width() * 0.2);
    let swatch = Rect::from_center_size(pos2(rect.left() + 30.0, middle), vec2(6.0, 14.0));
    if let Some(Color([r, g, b, _])) = view.paint.colors().get(of.joint) {
        ui.painter().rect_filled(swatch, 2.0, egui::Color32::from_rgb(*r, *g, *b));
    }
    joint_icon(
        ui.painter(),
        pos2(rect.left() + 43.0 + indent, middle),
        if active {
            theme.color(ColorRole::SelectionBase)
        } else {
            theme.color(ColorRole::TextSecondary)
        },
    );
    let font = Theme::font(Font::Body);
    let names = rect.left() + 54.0 + indent;
    let bar_left = rect.left() + (rect.width() * 0.5).max(130.0);
    let shown = elided(ui, &label, &font, bar_left - names - 6.0);
    ui.painter().text(pos2(names, middle), egui::Align2::LEFT_CENTER, shown, font, text_color);
    numbers_ui(ui, view, rect, bar_left, locked, numbers);
    let mut click = None;
    if lock.on_hover_text(&name).clicked() {
        actions.push(PaintAction::LockWeights { nodes: vec![node], locked: !locked });
    } else if response.clicked() {
        click = Some(click_of(ui));
    }
    if response.hovered() {
        actions.push(ViewportAction::Hover(Some(node)));
    }
    if opens_menu(&response) && !active && !chosen {
        click = Some(Click::Plain);
    }
    context_menu(&response, Some(rect), view, actions, |rows| {
        joint_rows(rows, document, node, numbers.used);
    });
    click
}

/// Draws the lock of a joint's weights. Returns its response and accessible name.
fn lock_ui(
    ui: &Ui,
    theme: &Theme,
    node: NodeId,
    label: &str,
    locked: bool,
    at: Pos2,
) -> (Response, String) {
    let lock = Rect::from_center_size(at, vec2(22.0, 22.0));
    let lock_response = ui.interact(lock, ui.scope_id().with(("lock", node.0)), Sense::click());
    let name = if locked {
        format!("Unlock the weights of {label}")
    } else {
        format!("Lock the weights of {label}")
    };
    lock_response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, locked, &name));
    let icon = if locked { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
    let color = match (locked, lock_response.hovered()) {
        (true, _) | (_, true) => theme.color(ColorRole::TextPrimary),
        _ => theme.color(ColorRole::TextDisabled),
    };
    paint_icon(ui.painter(), lock.center(), icon, 14.0, color);
    (lock_response, name)
}

/// Draws the bar and numbers of a row from `left` on: the joint's weight at the cursor, and the
/// number of vertices that it moves.
fn numbers_ui(
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    left: f32,
    locked: bool,
    &Numbers { share, used, most }: &Numbers,
) {
    let theme = view.theme;
    let middle = rect.center().y;
    // Wide rows show both numbers.
    let wide = rect.width() > 300.0;
    let number_width = if wide && share.is_some() { 104.0 } else { 58.0 };
    let bar = Rect::from_min_max(
        pos2(left, middle - 2.5),
        pos2(rect.right() - number_width - 8.0, middle + 2.5),
    );
    ui.painter().rect_filled(bar, 2.0, theme.trough());
    let (part, text) = match share {
        Some(share) => (share, format!("{:.1} %", share * 100.0)),
        None => (used as f32 / most as f32, thousands(used as usize)),
    };
    let filled =
        Rect::from_min_size(bar.min, vec2(bar.width() * part.clamp(0.0, 1.0), bar.height()));
    let color = if share.is_some() {
        heat_color(part)
    } else {
        theme.color(ColorRole::SurfaceControlHover)
    };
    ui.painter().rect_filled(filled, 2.0, color);
    if locked && share.is_some_and(|s| s > 0.0) {
        hatch(ui, filled, theme);
    }
    let (text, color) = if locked && share.is_none_or(|s| s <= 0.0) {
        ("locked".to_owned(), theme.color(ColorRole::TextTertiary))
    } else if part <= 0.0 {
        (text, theme.color(ColorRole::TextTertiary))
    } else {
        (text, theme.color(ColorRole::TextPrimary))
    };
    ui.painter().text(
        pos2(rect.right() - 4.0, middle),
        egui::Align2::RIGHT_CENTER,
        text,
        Theme::font(Font::Number),
        color,
    );
    if wide && share.is_some() {
        let color =
            theme.color(if used > 0 { ColorRole::TextSecondary } else { ColorRole::TextTertiary });
        let at = pos2(rect.right() - 60.0, middle);
        let count = thousands(used as usize);
        ui.painter().text(
            at,
            egui::Align2::RIGHT_CENTER,
            count,
            Theme::font(Font::NumberSmall),
            color,
        );
    }
}

/// Kind of a click, from the modifier keys.
fn click_of(ui: &Ui) -> Click {
    // Uses the modifiers of the click event, because those of the frame may be older.
    let held = ui.input(|i| {
        let of_click = i.events.iter().rev().find_map(|e| match e {
            egui::Event::PointerButton { pressed: false, modifiers, .. } => Some(*modifiers),
            _ => None,
        });
        of_click.unwrap_or(i.modifiers)
    });
    if held.command {
        Click::Toggle
    } else if held.shift {
        Click::To
    } else {
        Click::Plain
    }
}

/// Adds menu rows about the weights of a joint.
fn joint_rows(rows: &mut MenuRows<'_>, document: &Document, node: NodeId, used: u32) {
    let view = rows.view;
    let vertices = match used {
        1 => "1 vertex".to_owned(),
        n => format!("{} vertices", thousands(n as usize)),
    };
    rows.header(&document.node(node).label(node), &format!("joint, {vertices}"));
    let locked = view.paint.options.locked.contains(&node);
    let icon = if locked { icons::ICON_LOCK_OPEN } else { icons::ICON_LOCK };
    let lock = MenuRow::new(if locked { "Unlock" } else { "Lock" }).icon(icon.codepoint);
    rows.act(lock.key_of(view, BrushCommand::Lock.spec()), || PaintAction::LockWeights {
        nodes: vec![node],
        locked: !locked,
    });
    let others: Vec<NodeId> = view
        .paint
        .surface()
        .map_or_else(Vec::new, |c| c.joints().iter().copied().filter(|j| *j != node).collect());
    // If all other joints are locked, painting has no effect. The menu therefore also offers to
    // unlock them.
    let alone = !others.is_empty() && others.iter().all(|j| view.paint.options.locked.contains(j));
    let text = if alone { "Unlock all others" } else { "Solo: lock all others" };
    if rows.row(MenuRow::new(text)) {
        rows.actions.push(PaintAction::LockWeights { nodes: others, locked: !alone });
        rows.actions.push(PaintAction::LockWeights { nodes: vec![node], locked: false });
    }
    rows.separator();
    let none = (used == 0).then_some("The joint moves no vertex");
    let select = MenuRow::new("Select its vertices").icon(icons::ICON_SELECT.codepoint);
    if rows.row(select.unless(none)) {
        let vertices = moved_by(view, node);
        rows.actions.push(PaintAction::SelectVertices { vertices, add: false });
    }
    rows.command_as(BrushCommand::Flood.spec(), "Flood the joint");
    rows.command_as(BrushCommand::Bend.spec(), "Test bend");
    rows.separator();
    mirror_rows(rows, document, node);
    rows.command_as(ViewCommand::FrameSelected.spec(), "Frame");
    rows.command_as(ModeCommand::RigMode.spec(), "Edit in Rig mode");
}

/// Adds the menu rows that show and change the mirror partner of a joint.
fn mirror_rows(rows: &mut MenuRows<'_>, document: &Document, node: NodeId) {
    let view = rows.view;
    let Some(canvas) = view.paint.surface() else { return };
    let Some(joint) = canvas.joint(node) else { return };
    let role = view.paint.roles().get(usize::from(joint));
    let partner = role.and_then(|r| canvas.joints().get(r.partner?));
    let text = match (partner, role.map(|r| r.how)) {
        (Some(n), _) if *n == node => "Mirror joint: itself".to_owned(),
        (Some(n), Some(how)) => {
            format!("Mirror joint: {} · {}", document.node(*n).label(*n), how.label())
        }
        _ => "Mirror joint: none".to_owned(),
    };
    let pair = |with: Option<NodeId>| {
        PairJoints { joint: Nodes::one(node), with: with.map(Nodes::one) }.into()
    };
    rows.submenu(MenuRow::new(text).icon(icons::ICON_FLIP.codepoint), |rows| {
        rows.with_marks();
        rows.run(MenuRow::new("None").checked(partner.is_none()), || pair(None));
        for other in canvas.joints() {
            let label = document.node(*other).label(*other);
            let label =
                if *other == node { format!("{label} itself (center joint)") } else { label };
            let row = MenuRow::new(label).checked(partner == Some(other));
            rows.run(row, || pair(Some(*other)));
        }
    });
}

/// Vertices of the painted surface that a joint moves.
fn moved_by(view: &View<'_>, node: NodeId) -> Vec<u32> {
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else {
        return Vec::new();
    };
    let Some(joint) = canvas.joint(node) else { return Vec::new() };
    let maps = canvas.maps(session.document());
    let moves = |v: &u32| {
        let (map, own) = maps.map_of(*v);
        map.weight(own, joint) > 0.0
    };
    (0..canvas.vertex_count() as u32).filter(moves).collect()
}
