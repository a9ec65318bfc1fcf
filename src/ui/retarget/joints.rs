//! Picker for the joints of a chain: its first and last joint, from a filtered list.

use egui::{Popup, PopupCloseBehavior, Response, RichText, ScrollArea, Ui};

use super::BodyFacts;
use crate::ui::{
    Theme,
    popups::show_popup,
    theme::Font,
    widgets::{filter_field, name_widget, row, segment, segments},
};
use ulna_render::ColorRole;

/// Width of the list, in points.
const WIDTH: f32 = 280.0;
/// Height of a row, in points.
const ROW: f32 = 22.0;
/// Indent per level of the tree, and maximum indent, in points.
const INDENT: [f32; 2] = [10.0, 120.0];

/// State of the joint picker.
#[derive(Clone, Debug, Default)]
pub(super) struct PickerState {
    filter: String,
    /// True if a click sets the last joint, false for the first.
    is_last: bool,
}

/// Draws the joint picker below a button. Returns the new joints of the chain if the user changed
/// them.
pub(super) fn picker_ui(
    state: &mut PickerState,
    theme: &Theme,
    button: &Response,
    facts: &BodyFacts,
    list: &[String],
) -> Option<Vec<String>> {
    if button.clicked() {
        *state = PickerState::default();
    }
    let mut chosen = None;
    let popup = Popup::from_toggle_button_response(button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .width(WIDTH);
    show_popup(popup, |ui| chosen = list_ui(state, ui, theme, facts, list));
    chosen
}

fn list_ui(
    state: &mut PickerState,
    ui: &mut Ui,
    theme: &Theme,
    facts: &BodyFacts,
    list: &[String],
) -> Option<Vec<String>> {
    let mut chosen = None;
    ui.set_width(WIDTH);
    let ends = [list.first(), list.last()].map(|name| name.and_then(|name| facts.joint(name)));
    segments(ui, theme, |ui| {
        for (is_last, text) in [(false, "First joint"), (true, "Last joint")] {
            if segment(ui, theme, text, state.is_last == is_last, false).clicked() {
                state.is_last = is_last;
            }
        }
    });
    filter_field(ui, theme, &mut state.filter, "Filter joints");
    let filter = state.filter.to_lowercase();
    let mut shown = facts.in_tree_order();
    if !filter.is_empty() {
        shown.retain(|(k, _)| facts.joints[*k].name.to_lowercase().contains(&filter));
        // Without the joints between them, indents would be misleading.
        shown.iter_mut().for_each(|(_, depth)| *depth = 0);
    }
    if shown.is_empty() {
        let text = format!("No joint is named “{}”.", state.filter);
        let color = theme.color(ColorRole::TextTertiary);
        ui.label(RichText::new(text).font(Theme::font(Font::Small)).color(color));
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let current = ends[usize::from(state.is_last)];
    ScrollArea::vertical().max_height(260.0).id_salt("joints").show_rows(
        ui,
        ROW,
        shown.len(),
        |ui, range| {
            ui.set_width(WIDTH - 8.0);
            for k in range {
                let (joint, depth) = shown[k];
                let name = &facts.joints[joint].name;
                let (rect, response) =
                    row(ui, theme, ROW, &format!("Joint {name}"), current == Some(joint));
                let indent = 8.0 + (INDENT[0] * depth as f32).min(INDENT[1]);
                let at = egui::pos2(rect.left() + indent, rect.center().y);
                let role = if list.contains(name) {
                    ColorRole::SelectionText
                } else {
                    ColorRole::TextPrimary
                };
                let (font, color) = (Theme::font(Font::Small), theme.color(role));
                let text = crate::ui::widgets::elided(ui, name, &font, rect.width() - indent - 8.0);
                ui.painter().text(at, egui::Align2::LEFT_CENTER, text, font, color);
                if response.clicked() {
                    chosen = Some(with_end(state.is_last, ends, joint, facts));
                    // Usually the user sets the last joint after the first.
                    state.is_last = true;
                }
            }
        },
    );
    ui.add_space(4.0);
    let clear = ui.add_enabled(!list.is_empty(), egui::Button::new("No joints"));
    name_widget(ui, &clear, "No joints");
    if clear.clicked() {
        chosen = Some(Vec::new());
    }
    chosen
}

/// Joints of a chain after its first or last joint was changed.
fn with_end(
    is_last: bool,
    ends: [Option<usize>; 2],
    joint: usize,
    facts: &BodyFacts,
) -> Vec<String> {
    let [first, last] = if is_last { [ends[0], Some(joint)] } else { [Some(joint), ends[1]] };
    let (Some(first), Some(last)) = (first.or(last), last.or(first)) else { return Vec::new() };
    let below = facts.between(first, last);
    let is_path = below.first() == Some(&facts.joints[first].name);
    // If one joint is not an ancestor of the other, the chain is reduced to the clicked joint.
    if is_path { below } else { vec![facts.joints[joint].name.clone()] }
}

#[cfg(test)]
mod tests {
    use super::super::JointFacts;
    use super::*;

    fn facts() -> BodyFacts {
        let rest = glam::Quat::IDENTITY;
        let joint = |name: &str, parent, partner| JointFacts {
            name: name.into(),
            rest,
            parent,
            partner,
            may_touch: true,
        };
        BodyFacts {
            joints: vec![
                joint("hips", None, Some(0)),
                joint("thigh.l", Some(0), Some(3)),
                joint("foot.l", Some(1), Some(4)),
                joint("thigh.r", Some(0), Some(1)),
                joint("foot.r", Some(3), Some(2)),
            ],
            ..BodyFacts::default()
        }
    }

    #[test]
    fn a_chain_runs_from_its_first_joint_down_to_its_last() {
        let facts = facts();
        assert_eq!(with_end(true, [Some(0), Some(0)], 2, &facts), ["hips", "thigh.l", "foot.l"]);
        assert_eq!(with_end(false, [Some(0), Some(2)], 1, &facts), ["thigh.l", "foot.l"]);
        assert_eq!(with_end(false, [None, None], 3, &facts), ["thigh.r"]);
        assert_eq!(with_end(true, [Some(3), Some(4)], 2, &facts), ["foot.l"], "of the other leg");
        assert_eq!(facts.mirrored("foot.l").as_deref(), Some("foot.r"));
    }

    #[test]
    fn joints_are_listed_limb_by_limb_with_their_depth() {
        let mut facts = facts();
        // Breadth-first, as in many files: both thighs before the feet.
        facts.joints.swap(2, 3);
        facts.joints[2].parent = Some(0);
        facts.joints[3].parent = Some(1);
        facts.joints[4].parent = Some(2);
        let list = facts.in_tree_order();
        let list: Vec<_> = list.iter().map(|(k, d)| (&*facts.joints[*k].name, *d)).collect();
        assert_eq!(
            list,
            [("hips", 0), ("thigh.l", 1), ("foot.l", 2), ("thigh.r", 1), ("foot.r", 2)]
        );
    }
}
