//! Painting the mask of a mixer lane over the rows of the tree. A press toggles a joint, and a drag
//! applies the same weight to further joints.

use std::collections::BTreeMap;

use egui::{Align2, PointerButton, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::ui::{Action, Actions, Theme, View, theme::Font};
use ulna_edit::command::{MixText, SetMix, mix_of};
use ulna_model::{Document, Mix, MixMask, NodeId, Shared};
use ulna_render::ColorRole;

/// Width in points of the mask box in a row.
const BOX: f32 = 48.0;

/// A drag that paints the mask over rows.
#[derive(Clone, Debug)]
pub struct MaskStroke {
    weight: f32,
    from: Shared<Mix>,
    painted: BTreeMap<NodeId, f32>,
}

/// Index of the lane whose mask is being painted, the mix, and the mask's weights.
fn painted_lane(
    view: &View<'_>,
    document: &Document,
) -> Option<(usize, Shared<Mix>, BTreeMap<NodeId, f32>)> {
    let lane = view.timeline.mask_lane.filter(|_| view.timeline.playback.mixing)?;
    let mix = mix_of(document)?;
    match &mix.lanes.get(lane)?.mask {
        Some(MixMask::Painted(list)) => {
            let list = list.clone();
            Some((lane, mix, list))
        }
        _ => None,
    }
}

/// Draws the mask box in a node's row. Returns its left edge, or `None` if no mask is being
/// painted.
pub fn mask_ui(
    stroke: &mut Option<MaskStroke>,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    (node, label): (NodeId, &str),
    rect: Rect,
    actions: &mut Actions,
) -> Option<f32> {
    let (lane, mix, list) = painted_lane(view, document)?;
    let theme = view.theme;
    let now = list.get(&node).copied().unwrap_or(0.0);
    let area = Rect::from_center_size(
        pos2(rect.right() - 6.0 - BOX * 0.5, rect.center().y),
        vec2(BOX, 16.0),
    );
    let response = ui.interact(area, ui.scope_id().with(("mask", node.0)), Sense::drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(now), format!("Mask at {label}")));
    let painter = ui.painter();
    painter.rect_filled(area, 3.0, theme.color(ColorRole::SurfaceField));
    let filled = area.with_max_x(area.left() + area.width() * now.clamp(0.0, 1.0));
    painter.rect_filled(filled, 3.0, theme.color(ColorRole::AccentBase).gamma_multiply(0.55));
    let text = format!("{:.0} %", now * 100.0);
    let ink = theme.color(if now > 0.0 { ColorRole::TextPrimary } else { ColorRole::TextTertiary });
    painter.text(area.center(), Align2::CENTER_CENTER, text, Theme::font(Font::NumberSmall), ink);
    let (pointer, down, modifiers) = ui.input(|i| {
        (i.pointer.interact_pos(), i.pointer.button_down(PointerButton::Primary), i.modifiers)
    });
    if down && stroke.is_none() && response.is_pointer_button_down_on() {
        let weight = match () {
            () if modifiers.shift => 0.5,
            () if now >= 0.5 => 0.0,
            () => 1.0,
        };
        *stroke = Some(MaskStroke { weight, from: mix, painted: BTreeMap::new() });
    }
    let over = pointer.is_some_and(|p| rect.y_range().contains(p.y) && p.x >= area.left() - 40.0);
    if let Some(going) = stroke.as_mut().filter(|_| over && down) {
        let mut also = vec![node];
        if modifiers.command {
            // Includes all descendants.
            let mut at = 0;
            while at < also.len() {
                also.extend(document.children(also[at]).iter().copied());
                at += 1;
            }
        }
        let before = going.painted.len();
        going.painted.extend(also.into_iter().map(|n| (n, going.weight)));
        if going.painted.len() != before {
            let mut made = (*going.from).clone();
            if let Some(MixMask::Painted(list)) =
                made.lanes.get_mut(lane).and_then(|l| l.mask.as_mut())
            {
                for (node, weight) in &going.painted {
                    if *weight > 0.0 {
                        list.insert(*node, *weight)
                    } else {
                        list.remove(node)
                    };
                }
            }
            let commands = vec![SetMix { mix: MixText::Mix(Shared::new(made)) }.into()];
            actions.push(Action::Preview { label: "Paint a mask".to_owned(), commands });
        }
    }
    if stroke.is_some() && !down {
        *stroke = None;
        actions.push(Action::Commit);
    }
    response.on_hover_text(
        "Click or drag over rows to add or remove joints. Shift: half weight. Ctrl: \
            include children",
    );
    Some(area.left())
}

/// Draws the banner above the tree while a mask is being painted, with a button that ends the
/// painting.
pub fn banner_ui(ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let Some((lane, mix, list)) = painted_lane(view, document) else { return };
    let theme = view.theme;
    ui.horizontal(|ui| {
        let name = &mix.lanes[lane].name;
        let text = format!(
            "Mask of {}: {} joints",
            if name.is_empty() { "the lane" } else { name },
            list.len()
        );
        let text = egui::RichText::new(text).font(Theme::font(Font::Small));
        ui.label(text.color(theme.color(ColorRole::AccentBase)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.button("Done").clicked() {
                actions.push(crate::ui::TimelineAction::PaintMask(None));
            }
        });
    });
}
