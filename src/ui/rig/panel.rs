//! The side panel of Rig mode: the selected joint in the rest pose, and the effects of planned
//! changes.

use std::path::PathBuf;

use egui::{
    Align, Align2, DragValue, Label, Layout, Response, RichText, ScrollArea, Sense, TextEdit, Ui,
    pos2, vec2,
};
use egui_material_icons::icons;
use glam::{Mat4, Vec3};

use super::{RigAction, RigOptions, RigStep};
use crate::ui::{
    Action, Actions, View, children_words, dialogs,
    theme::{Font, Theme},
    widgets::{name_widget, panel_title, segment, segments},
};
use ulna_edit::{
    CommandSpec,
    command::{
        Children, InsertJoint, MirrorJoint, ModeCommand, MoveJoint, OrientJoint, RemoveJoint,
        RenameNode, SessionCommand, ToolCommand, field::Nodes,
    },
    find,
};
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// Values that are being typed or dragged in the panel.
#[derive(Clone, Debug, Default)]
pub struct RigPanel {
    /// The joint that is being renamed, and the typed name.
    name: Option<(NodeId, String)>,
    /// The joint whose position is being edited, its old position, and its new position.
    position: Option<(NodeId, Vec3, Vec3)>,
}

pub fn rig_ui(state: &mut RigPanel, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        let Some(document) = view.session.map(|s| s.document()) else {
            panel_title(ui, view.theme, "Joint");
            small(ui, view.theme, "No file is open.");
            return;
        };
        // The buttons of the plan are always visible below the scroll area.
        let foot = if shows_plan(view) { 44.0 } else { 0.0 };
        let height = (ui.available_height() - foot).max(80.0);
        let area = ScrollArea::vertical().max_height(height).auto_shrink([false, false]);
        let plan = area.show(ui, |ui| {
            joint_ui(state, ui, view, document, actions);
            ui.add_space(12.0);
            changes_ui(ui, view, actions)
        });
        if let Some(is_fine) = plan.inner {
            ui.add_space(6.0);
            dialogs::plan_buttons(ui, view, is_fine, actions);
        }
    });
}

fn small(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text).color(theme.color(ColorRole::TextSecondary));
    ui.add(Label::new(text).wrap());
}

/// Tooltip: reason why joints cannot be moved while a clip is played.
const AT_REST: &str =
    "Joints can be changed only in the rest pose; choose Rest pose in the list at the bottom";

/// Width of the row labels, in points.
const LABELS: f32 = 68.0;

fn row<R>(ui: &mut Ui, theme: &Theme, label: &str, add: impl FnOnce(&mut Ui) -> R) -> R {
    let row = ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        let (rect, _) = ui.allocate_exact_size(vec2(LABELS, 28.0), egui::Sense::hover());
        ui.painter().text(
            rect.left_center(),
            egui::Align2::LEFT_CENTER,
            label,
            Theme::font(Font::Body),
            theme.color(ColorRole::TextSecondary),
        );
        add(ui)
    });
    row.inner
}

/// Draws the selected joint: its numbers and the operations on it.
fn joint_ui(
    state: &mut RigPanel,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let joints = view.joints.iter().filter(|j| **j).count();
    let selected = view.selection.nodes.len();
    let active = view.selection.active.filter(|n| document.nodes.contains(*n));
    ui.horizontal(|ui| {
        panel_title(ui, theme, if selected > 1 { "Joints" } else { "Joint" });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let words = RichText::new(format!("{selected} of {joints}"));
            let words = words.font(Theme::font(Font::Small));
            ui.label(words.color(theme.color(ColorRole::TextTertiary)));
        });
    });
    let Some(active) = active else {
        let text = if joints == 0 {
            "This file has no joints. Choose *Add joints* and click the model: each click adds a \
             joint below the last one, in the middle of the limb."
        } else {
            "Select a joint to move or orient it, or choose *Add joints* and click the model."
        };
        small(ui, theme, &text.replace('*', ""));
        ui.add_space(6.0);
        if joints == 0 {
            first_joints_ui(ui, actions);
        }
        return;
    };
    row(ui, theme, "Name", |ui| name_ui(state, ui, document, active, actions));
    row(ui, theme, "Position", |ui| {
        let at_rest = view.rig.clip.is_none();
        let fields = ui.add_enabled_ui(at_rest, |ui| {
            position_ui(state, ui, view, document, active, actions);
        });
        fields.response.on_disabled_hover_text(AT_REST);
    });
    row(ui, theme, "Parent", |ui| {
        let parent = document.node(active).parent.map(|p| document.node(p).label(p));
        let parent = parent.unwrap_or_else(|| "none".to_owned());
        ui.add(Label::new(RichText::new(parent)).truncate());
    });
    let now = view.rig.options;
    row(ui, theme, "Children", |ui| {
        segments(ui, theme, |ui| {
            for (follow, text, children) in
                [(false, "Stay", Children::Place), (true, "Follow", Children::Follow)]
            {
                let choice = segment(ui, theme, text, now.children_follow == follow, false);
                let (name, about) = children_words(children);
                choice.widget_info(|| {
                    let on = now.children_follow == follow;
                    egui::WidgetInfo::selected(egui::Role::Button, true, on, name)
                });
                if choice.on_hover_text(about).clicked() {
                    let options = RigOptions { children_follow: follow, ..now };
                    actions.push(RigAction::SetOptions(options));
                }
            }
        });
    });
    ui.add_space(4.0);
    acts_ui(ui, view, document, actions);
}

/// Draws buttons that create the first joints of a file.
fn first_joints_ui(ui: &mut Ui, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("Add the first joint").clicked() {
            actions.push(Action::Run(ToolCommand::Joint.into()));
        }
        let copy = SessionCommand::ImportSkeleton {
            path: PathBuf::new(),
            joint: None,
            points: None,
            symmetric: None,
            prefix: None,
        };
        let copy = copy.spec();
        if ui.button("Copy a skeleton…").on_hover_text(copy.help).clicked() {
            actions.push(dialogs::DialogAction::Ask(copy));
        }
    });
}

/// Draws buttons for operations on the selected joints.
fn acts_ui(ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let nodes: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
    let has_parents = nodes.iter().all(|n| document.node(*n).parent.is_some());
    let named = || Nodes::Ids(nodes.clone());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        let ask = |ui: &mut Ui, text: &str, name: &str, actions: &mut Actions| {
            let Some(spec): Option<&'static CommandSpec> = find(name) else { return };
            if ui.button(text).on_hover_text(spec.help).clicked() {
                actions.push(dialogs::DialogAction::Ask(spec));
            }
        };
        ask(ui, "Orient…", OrientJoint::NAME, actions);
        let center = ModeCommand::CenterJoint.spec();
        if ui.button("Center in limb").on_hover_text(center.help).clicked() {
            actions.push(Action::Run(ModeCommand::CenterJoint.into()));
        }
        let split = ui.add_enabled(has_parents, egui::Button::new("Split"));
        let about = "Adds a joint halfway between the joint and its parent";
        let split = split.on_hover_text(about).on_disabled_hover_text("It has no parent");
        if split.clicked() {
            let insert = InsertJoint { node: named(), at: None, count: None, name: None };
            actions.push(RigAction::Do(Box::new(insert.into()), nodes.clone()));
        }
        let mirror = ui.button("Mirror");
        if mirror.on_hover_text("Mirrors the selected joints to the other side").clicked() {
            let mirror = MirrorJoint { node: named(), below: None, weights: None };
            actions.push(RigAction::Do(Box::new(mirror.into()), nodes.clone()));
        }
        ask(ui, "Remove…", RemoveJoint::NAME, actions);
    });
}

fn name_ui(
    state: &mut RigPanel,
    ui: &mut Ui,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let now = document.node(node).name.as_deref().unwrap_or_default();
    let mut text = match &state.name {
        Some((of, text)) if *of == node => text.clone(),
        _ => now.to_owned(),
    };
    let field = ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - 4.0));
    name_widget(ui, &field, "Name of the joint");
    if field.changed() {
        state.name = Some((node, text.clone()));
    }
    if field.lost_focus() {
        state.name = None;
        if text != now && !text.is_empty() {
            let rename = RenameNode { node: Nodes::one(node), name: text };
            actions.push(Action::Run(rename.into()));
        }
    }
}

/// Minimum width of a position field, in points.
const FIELD: f32 = 76.0;

/// Draws the number field of an axis, with the letter in the color of the axis as in the inspector.
fn axis_field(
    ui: &mut Ui,
    theme: &Theme,
    axis: usize,
    size: egui::Vec2,
    drag: DragValue<'_>,
) -> Response {
    /// Width of the letter in points.
    const LETTER: f32 = 13.0;
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let fill = theme.color(ColorRole::SurfaceField);
    ui.painter().rect(rect, 4.0, fill, theme.field_edge(), egui::StrokeKind::Inside);
    let role = [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ][axis];
    let at = pos2(rect.left() + 5.0, rect.center().y);
    let font = Theme::font(Font::Caption);
    ui.painter().text(at, Align2::LEFT_CENTER, ["X", "Y", "Z"][axis], font, theme.color(role));
    let inner = rect.with_min_x(rect.left() + LETTER);
    let mut child = ui.new_child(egui::UiBuilder::new().id_salt(("axis", axis)).max_rect(inner));
    let widgets = &mut child.visuals_mut().widgets;
    for visuals in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
        visuals.weak_bg_fill = egui::Color32::TRANSPARENT;
        visuals.bg_fill = egui::Color32::TRANSPARENT;
        visuals.bg_stroke = egui::Stroke::NONE;
    }
    child.spacing_mut().button_padding = vec2(2.0, 0.0);
    child.spacing_mut().interact_size = inner.size();
    child.add_sized(inner.size(), drag)
}

/// Draws fields for the scene position of a joint in the rest pose. Dragged or typed values move
/// the joint.
fn position_ui(
    state: &mut RigPanel,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let Some(world) = view.pose.world.get(node.index()).copied() else { return };
    let here = world.w_axis.truncate();
    let (start, mut now) = match state.position {
        Some((of, start, now)) if of == node => (start, now),
        _ => (here, here),
    };
    let unit = view.settings.length;
    let per_meter = unit.per_meter();
    let mut ends = false;
    ui.spacing_mut().item_spacing.x = 4.0;
    // In a narrow panel, the fields are stacked vertically.
    let stacked = ui.available_width() < 3.0 * FIELD + 8.0;
    let width = match stacked {
        true => ui.available_width().max(FIELD),
        false => ((ui.available_width() - 8.0) / 3.0).min(96.0),
    };
    let layout = match stacked {
        true => egui::Layout::top_down(egui::Align::Min),
        false => egui::Layout::left_to_right(egui::Align::Center),
    };
    ui.with_layout(layout, |ui| {
        for (k, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            let mut value = now[k] * per_meter;
            let drag = DragValue::new(&mut value)
                .speed(0.002 * per_meter)
                .max_decimals(3)
                .update_while_editing(false);
            let field = axis_field(ui, view.theme, k, vec2(width, 26.0), drag);
            name_widget(ui, &field, &format!("Position {name}"));
            if field.changed() {
                now[k] = value / per_meter;
                state.position = Some((node, start, now));
            }
            ends |= field.drag_stopped() || (field.changed() && !field.dragged());
        }
    });
    let Some((_, start, now)) = state.position.filter(|(of, ..)| *of == node) else { return };
    let by = now - start;
    if by != Vec3::ZERO {
        actions.push(RigAction::Drag(moved(view, document, (node, world), by, start)));
    }
    if ends {
        state.position = None;
        actions.push(RigAction::End { kept: by != Vec3::ZERO });
    }
}

/// Step that moves a joint from its position `start` by an offset.
fn moved(
    view: &View<'_>,
    document: &Document,
    (node, world): (NodeId, Mat4),
    by: Vec3,
    start: Vec3,
) -> RigStep {
    let options = view.rig.options;
    let mut nodes = vec![node];
    if options.children_follow {
        let is_joint = |n: &NodeId| view.joints.get(n.index()) == Some(&true);
        let below = document.node_ids().filter(|n| document.is_above(node, *n));
        nodes.extend(below.filter(is_joint));
    }
    let shift = start + by - world.w_axis.truncate();
    let moved = |n: &NodeId| {
        let world = view.pose.world.get(n.index()).copied().unwrap_or_default();
        (*n, Mat4::from_translation(shift) * world)
    };
    let worlds = nodes.iter().map(moved).collect();
    let command = MoveJoint {
        node: Nodes::Ids(nodes.clone()),
        by,
        motion: options.motion(),
        symmetric: view.viewport.symmetry.then_some(true),
    };
    RigStep {
        label: format!("Move {}", document.node(node).label(node)),
        commands: vec![command.into()],
        nodes,
        worlds,
        added: Vec::new(),
    }
}

/// True if the panel shows a plan of changes: a plan exists, and no open dialog shows it.
fn shows_plan(view: &View<'_>) -> bool {
    let plan = view.dialogs.plan;
    (!plan.acts.is_empty() || plan.found.is_some()) && view.dialogs.open.is_none()
}

/// Draws the effects of the planned changes, or a note that there is no plan. Returns whether the
/// plan can be applied; `None` without a plan.
fn changes_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) -> Option<bool> {
    let theme = view.theme;
    if shows_plan(view) {
        panel_title(ui, theme, "Plan of changes");
        return Some(dialogs::plan_content(ui, view, actions));
    }
    if view.selection.active.is_none() || view.dialogs.open.is_some() {
        return None;
    }
    ui.separator();
    ui.add_space(4.0);
    let (icon, text) = if view.rig.plans {
        (
            icons::ICON_FACT_CHECK,
            "Meshes are bound to these joints, or clips move them: changes are added to a plan, \
             which shows their effects and is applied as one undo step.",
        )
    } else {
        (
            icons::ICON_BOLT,
            "No mesh is bound to these joints and no clip moves them: changes are made at once.",
        )
    };
    ui.horizontal_top(|ui| {
        let icon = RichText::new(icon.codepoint).font(crate::ui::widgets::icon_font(16.0, false));
        ui.label(icon.color(theme.color(ColorRole::TextTertiary)));
        small(ui, theme, text);
    });
    None
}
