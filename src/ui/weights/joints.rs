//! The joints of the painted skin with their shares at the cursor: what moves this spot, and what may change.

use egui::{Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::WeightsState;
use crate::render::ColorRole;
use crate::ui::weight_marks::{hatch, heat_color};
use crate::ui::{OutlinerAction, PaintAction, ViewportAction};
use crate::{
    edit::command::{PairJoints, field::Nodes},
    model::{Document, NodeId, SkinId},
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{check, elided, filter_field, joint_icon, paint_icon, panel_title, row},
    },
    weights::Canvas,
};

/// Rows that are shown at once before the list scrolls.
const ROWS: f32 = 5.0;

pub fn joints_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.canvas, view.session) else { return };
    let document = session.document();
    let place = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 28.0), place, |ui| {
        // Buttons first: the text takes what is left.
        let all_locked = canvas.joints().iter().all(|j| view.paint.locked.contains(j));
        let (icon, name) = if all_locked {
            (icons::ICON_LOCK, "Unlock all joints")
        } else {
            (icons::ICON_LOCK_OPEN, "Lock all joints")
        };
        if crate::ui::widgets::icon_button(ui, theme, icon, name, "", all_locked, Ok(())).clicked() {
            actions.push(PaintAction::LockWeights { nodes: canvas.joints().to_vec(), locked: !all_locked });
        }
        let text = format!("max {} {}", view.paint.limit, icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
        let menu = ui.menu_button(RichText::new(text).font(Theme::font(Font::Small)), |ui| {
            for limit in [1, 2, 3, 4, 8, 12] {
                let label = if limit == 1 { "1 joint a vertex".into() } else { format!("{limit} joints a vertex") };
                if ui.selectable_label(view.paint.limit == limit, label).clicked() {
                    actions.push(PaintAction::WeightLimit(limit));
                    ui.close();
                }
            }
        });
        let name = format!("Most joints a vertex: {}", view.paint.limit);
        menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            panel_title(ui, theme, "Joints");
            let note = match (view.paint.hover, view.paint.last) {
                (Some(_), _) => "at the cursor",
                (None, Some(_)) => "where the cursor was",
                (None, None) => "vertices each moves",
            };
            let note = RichText::new(note).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextTertiary));
            ui.add(egui::Label::new(note).truncate());
        });
    });
    if let Some(note) = shared_note(document, canvas) {
        ui.horizontal_top(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
            paint_icon(ui.painter(), rect.center(), icons::ICON_INFO, 16.0, theme.color(ColorRole::SeverityInfo));
            let text = RichText::new(note).font(Theme::font(Font::Small)).color(theme.color(ColorRole::TextPrimary));
            ui.add(egui::Label::new(text).wrap());
        });
        ui.add_space(2.0);
    }
    ui.horizontal(|ui| {
        let width = ui.available_width() - 74.0;
        ui.allocate_ui(vec2(width, 24.0), |ui| filter_field(ui, theme, &mut state.filter, "Filter joints"));
        check(ui, theme, &mut state.used_only, "Used").on_hover_text("Only joints that move a vertex");
    });
    ui.add_space(2.0);
    // As the weights are now, not as they were when the cursor was there.
    let here = view.paint.last.map(|last| {
        let (map, own) = canvas.maps(document).map_of(last.canvas_vertex);
        crate::weights::Influences::of(map, own)
    });
    let share = |node: NodeId| Some(here.as_ref()?.get(canvas.joint(node)?));
    let needle = state.filter.to_lowercase();
    let mut list: Vec<(usize, NodeId)> = canvas
        .joints()
        .iter()
        .copied()
        .enumerate()
        .filter(|(k, n)| !state.used_only || view.paint.used.get(*k).is_some_and(|u| *u > 0) || share(*n) > Some(0.0))
        .filter(|(_, n)| needle.is_empty() || document.node(*n).label(*n).to_lowercase().contains(&needle))
        .collect();
    // The painted one first, then those that move the spot, then the skin's own order.
    let active = view.paint.joint.map(usize::from);
    list.sort_by(|a, b| {
        let rank = |k: usize, n: NodeId| (active != Some(k), share(n).is_none_or(|w| w <= 0.0));
        rank(a.0, a.1)
            .cmp(&rank(b.0, b.1))
            .then(share(b.1).unwrap_or(0.0).total_cmp(&share(a.1).unwrap_or(0.0)))
            .then(a.0.cmp(&b.0))
    });
    let height = (list.len() as f32).clamp(1.0, ROWS) * 24.0;
    let most_used = view.paint.used.iter().copied().max().unwrap_or(1).max(1);
    egui::ScrollArea::vertical().id_salt("joints of the skin").max_height(height).auto_shrink([false, true]).show_rows(
        ui,
        24.0,
        list.len(),
        |ui, range| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (k, node) in &list[range] {
                let used = view.paint.used.get(*k).copied().unwrap_or(0);
                joint_row(ui, view, *node, active == Some(*k), share(*node), (used, most_used), actions);
            }
        },
    );
    if list.is_empty() {
        ui.label(
            RichText::new(format!("No joint named “{}”", state.filter)).color(theme.color(ColorRole::TextTertiary)),
        );
    }
    let text = if view.paint.locked.is_empty() {
        "Shares move between all joints; a lock keeps one as it is."
    } else if canvas.joints().iter().all(|j| view.paint.locked.contains(j)) {
        "All joints are locked: nothing can be painted."
    } else {
        "Shares move to and from unlocked joints only."
    };
    ui.label(RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextTertiary)));
}

/// What is to be known where a mesh hangs on other skins too: its weights are one and the same for all of them.
fn shared_note(document: &Document, canvas: &Canvas) -> Option<String> {
    let named = |skin: SkinId| {
        let name = document.skin(skin).name.clone().filter(|n| !n.is_empty());
        name.map_or_else(|| format!("skin {}", skin.index()), |n| format!("“{n}”"))
    };
    let part_of = |node: NodeId| {
        let mesh = document.node(node).mesh?;
        canvas.parts().iter().find(|p| p.mesh == mesh)
    };
    let shown = document.shown_nodes();
    let others: Vec<(NodeId, SkinId)> = shown
        .into_iter()
        .filter(|n| part_of(*n).is_some())
        .filter_map(|n| Some((n, document.node(n).skin.filter(|s| *s != canvas.skin)?)))
        .collect();
    let (first, skin) = *others.first()?;
    let own = part_of(first)?.node;
    let mesh = document.node(first).mesh?;
    let mesh = document.mesh(mesh).name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| "This mesh".into());
    let label = |n: NodeId| document.node(n).label(n);
    let more = match others.len() - 1 {
        0 => String::new(),
        1 => ", and on 1 more skin".to_owned(),
        n => format!(", and on {n} more skins"),
    };
    Some(format!(
        "{mesh} hangs on {} ({}) and on {} ({}){more}: a stroke changes the weights on all of them. \
         These are the joints of {}; select {} for those of {}.",
        named(canvas.skin),
        label(own),
        named(skin),
        label(first),
        named(canvas.skin),
        label(first),
        named(skin),
    ))
}

fn joint_row(
    ui: &mut Ui,
    view: &View<'_>,
    node: NodeId,
    active: bool,
    share: Option<f32>,
    (used, most): (u32, u32),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let label = document.node(node).label(node);
    let locked = view.paint.locked.contains(&node);
    let (rect, response) = row(ui, theme, 24.0, &format!("Joint {label}"), active);
    let middle = rect.center().y;
    let lock = Rect::from_center_size(pos2(rect.left() + 14.0, middle), vec2(22.0, 22.0));
    let lock_response = ui.interact(lock, ui.scope_id().with(("lock", node.0)), Sense::click());
    let name = if locked { format!("Unlock {label}") } else { format!("Lock {label}") };
    lock_response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, locked, &name));
    let icon = if locked { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
    let color = match (locked, lock_response.hovered()) {
        (true, _) | (_, true) => theme.color(ColorRole::TextPrimary),
        _ => theme.color(ColorRole::TextDisabled),
    };
    paint_icon(ui.painter(), lock.center(), icon, 14.0, color);
    let text_color = if active {
        theme.color(ColorRole::SelectionText)
    } else if locked {
        theme.color(ColorRole::TextTertiary)
    } else {
        theme.color(ColorRole::TextPrimary)
    };
    joint_icon(
        ui.painter(),
        pos2(rect.left() + 34.0, middle),
        if active { theme.color(ColorRole::SelectionBase) } else { theme.color(ColorRole::TextSecondary) },
    );
    let font = Theme::font(Font::Body);
    let names = rect.left() + 46.0;
    let bar_left = rect.left() + (rect.width() * 0.42).max(120.0);
    let shown = elided(ui, &label, &font, bar_left - names - 6.0);
    ui.painter().text(pos2(names, middle), egui::Align2::LEFT_CENTER, shown, font, text_color);
    let number_width = 58.0;
    let bar = Rect::from_min_max(pos2(bar_left, middle - 2.5), pos2(rect.right() - number_width - 8.0, middle + 2.5));
    ui.painter().rect_filled(bar, 2.0, theme.trough());
    let (part, text) = match share {
        Some(share) => (share, format!("{:.1} %", share * 100.0)),
        None => (used as f32 / most as f32, crate::ui::widgets::thousands(used as usize)),
    };
    let filled = Rect::from_min_size(bar.min, vec2(bar.width() * part.clamp(0.0, 1.0), bar.height()));
    let color = if share.is_some() { heat_color(part) } else { theme.color(ColorRole::SurfaceControlHover) };
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
    if lock_response.on_hover_text(&name).clicked() {
        actions.push(PaintAction::LockWeights { nodes: vec![node], locked: !locked });
    } else if response.clicked() {
        actions.push(OutlinerAction::Select { node, toggle: false });
    }
    if response.hovered() {
        actions.push(ViewportAction::Hover(Some(node)));
    }
    response.context_menu(|ui| {
        let others: Vec<NodeId> =
            view.paint.canvas.map_or_else(Vec::new, |c| c.joints().iter().copied().filter(|j| *j != node).collect());
        if let Some(canvas) = view.paint.canvas
            && let Some(joint) = canvas.joint(node)
        {
            let role = view.paint.roles.get(usize::from(joint));
            let partner = role.and_then(|r| canvas.joints().get(r.partner?));
            let text = match (partner, role.map(|r| r.how)) {
                (Some(n), _) if *n == node => "Mirror joint: itself".to_owned(),
                (Some(n), Some(how)) => format!("Mirror joint: {} · {}", document.node(*n).label(*n), how.label()),
                _ => "Mirror joint: none".to_owned(),
            };
            let pair = |with: Option<NodeId>| {
                Action::Run(PairJoints { joint: Nodes::one(node), with: with.map(Nodes::one) }.into())
            };
            ui.menu_button(text, |ui| {
                if ui.selectable_label(partner.is_none(), "None").clicked() {
                    actions.push(pair(None));
                    ui.close();
                }
                egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
                    for other in canvas.joints() {
                        let label = document.node(*other).label(*other);
                        let label = if *other == node { format!("{label} itself, of the center") } else { label };
                        if ui.selectable_label(partner == Some(other), label).clicked() {
                            actions.push(pair(Some(*other)));
                            ui.close();
                        }
                    }
                });
            });
        }
        // Where all others are locked nobody gives or takes: so the way back is here, too.
        let alone = !others.is_empty() && others.iter().all(|j| view.paint.locked.contains(j));
        let text = if alone { "Unlock all others" } else { "Solo: lock all others" };
        if ui.button(text).clicked() {
            actions.push(PaintAction::LockWeights { nodes: others, locked: !alone });
            actions.push(PaintAction::LockWeights { nodes: vec![node], locked: false });
            ui.close();
        }
        if ui.button("Select its vertices").clicked() {
            actions.push(PaintAction::SelectVertices { vertices: moved_by(view, node), add: false });
            ui.close();
        }
    });
}

/// Vertices of the canvas that a joint moves.
fn moved_by(view: &View<'_>, node: NodeId) -> Vec<u32> {
    let (Some(canvas), Some(session)) = (view.paint.canvas, view.session) else { return Vec::new() };
    let Some(joint) = canvas.joint(node) else { return Vec::new() };
    let maps = canvas.maps(session.document());
    let moves = |v: &u32| {
        let (map, own) = maps.map_of(*v);
        map.weight(own, joint) > 0.0
    };
    (0..canvas.vertex_count() as u32).filter(moves).collect()
}
