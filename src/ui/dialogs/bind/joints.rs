//! Joints that may receive weight, each with the reason for its checkbox state.

use egui::{ScrollArea, Ui};
use egui_material_icons::icons;

use super::{
    super::parts::small,
    meshes::{ROW, TickRow},
    section_with, title_button,
};
use crate::ui::{
    Actions, BindDraft, View, ViewportAction,
    menu_rows::{MenuRows, Row, context_menu},
    widgets::filter_field,
};
use ulna_edit::command::BindJoint;
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// Height of the list, in points.
const LIST: f32 = ROW * 6.0;
/// Maximum number of rows of which all are laid out, so that the keyboard reaches each row. In
/// longer lists, only visible rows are laid out.
const ALL: usize = 400;

/// Shows the list of joints with checkboxes.
pub(super) fn joints_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    now: &mut BindDraft,
    actions: &mut Actions,
) {
    let (theme, bind) = (view.theme, view.dialogs.bind);
    let (ticked, all) = (now.ticked(bind.joints).len(), bind.joints.len());
    let about = match bind.are_joints_current {
        true => format!("{ticked} of {all} deform the mesh"),
        false => "Choosing joints…".to_owned(),
    };
    section_with(ui, theme, ("Joints", &about), |ui| {
        let text = if now.shows_all { "Show ticked" } else { "Show all" };
        if title_button(ui, text).clicked() {
            now.shows_all = !now.shows_all;
        }
        if !now.ticks.is_empty() {
            let reset = title_button(ui, "Reset");
            if reset.on_hover_text("Restores the automatic ticks").clicked() {
                now.ticks.clear();
            }
        }
    });
    if all == 0 {
        if bind.are_joints_current {
            let text = "The scene has no joints. Add joints, or import a skeleton.";
            small(ui, theme, text);
        }
        return;
    }
    filter_field(ui, theme, &mut now.filter, "Filter joints");
    let wanted = now.filter.trim().to_lowercase();
    let is_listed = |joint: &&BindJoint| {
        let fits = || document.node(joint.node).label(joint.node).to_lowercase().contains(&wanted);
        (now.shows_all || now.is_ticked(joint)) && (wanted.is_empty() || fits())
    };
    let rows: Vec<BindJoint> = bind
        .joints
        .iter()
        .filter(|joint| document.nodes.contains(joint.node))
        .filter(is_listed)
        .copied()
        .collect();
    let frame = egui::Frame::new().fill(theme.color(ColorRole::SurfaceField)).corner_radius(4);
    frame.inner_margin(2).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let list = ScrollArea::vertical()
            .id_salt("joints to bind to")
            .max_height(LIST)
            .min_scrolled_height(LIST)
            .auto_shrink([false, false]);
        if rows.len() > ALL {
            list.show_rows(ui, ROW, rows.len(), |ui, range| {
                rows[range]
                    .iter()
                    .for_each(|joint| row_ui(ui, view, (document, joint), now, actions));
            });
        } else {
            list.show(ui, |ui| {
                rows.iter().for_each(|joint| row_ui(ui, view, (document, joint), now, actions));
                if rows.is_empty() {
                    small(ui, theme, "No joint fits the filter");
                }
            });
        }
    });
}

fn row_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (document, joint): (&Document, &BindJoint),
    now: &mut BindDraft,
    actions: &mut Actions,
) {
    let label = document.node(joint.node).label(joint.node);
    let is_on = now.is_ticked(joint);
    let is_own = is_on != joint.deforms;
    let details = match (is_own, is_on) {
        (false, _) => joint.reason.words().to_owned(),
        (true, true) => format!("ticked; {}", joint.reason.words()),
        (true, false) => "unticked".to_owned(),
    };
    let name = format!("{label}: {details}");
    let is_lit = view.selection.nodes.contains(&joint.node);
    let row = TickRow { name: &name, label: &label, is_on, is_lit };
    let response = row.ui(ui, view.theme, &details, None);
    if response.hovered() || response.has_focus() {
        actions.push(ViewportAction::Hover(Some(joint.node)));
    }
    if response.clicked() {
        set_tick(now, joint, !is_on);
    }
    let menu = response.on_hover_text("Right-click for more");
    context_menu(&menu, Some(menu.rect), view, actions, |rows| {
        rows.header(&label, joint.reason.words());
        joint_rows(rows, (document, joint), now);
    });
}

/// Checks or unchecks a joint. A state equal to the default is not stored as the user's choice.
fn set_tick(now: &mut BindDraft, joint: &BindJoint, is_on: bool) {
    if is_on == joint.deforms {
        now.ticks.remove(&joint.node);
    } else {
        now.ticks.insert(joint.node, is_on);
    }
}

/// Adds context menu rows for a joint and its descendants.
fn joint_rows(
    rows: &mut MenuRows<'_>,
    (document, joint): (&Document, &BindJoint),
    now: &mut BindDraft,
) {
    let view = rows.view;
    let node = joint.node;
    let select = Row::new("Select in the scene").icon(icons::ICON_ADS_CLICK.codepoint);
    rows.act(select, || crate::ui::OutlinerAction::Select { node, toggle: false });
    let is_below = |other: NodeId| other == node || document.is_above(node, other);
    for (text, is_on) in
        [("Tick it and all joints below", true), ("Untick it and all below", false)]
    {
        if rows.row(Row::new(text)) {
            for other in view.dialogs.bind.joints.iter().filter(|j| is_below(j.node)) {
                set_tick(now, other, is_on);
            }
        }
    }
}
