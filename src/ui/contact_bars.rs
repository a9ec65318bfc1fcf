//! Contact bars over time, shared by the timeline and the *Retarget* page. A [`Goal`] is a contact
//! of one point of a joint. Goals of one joint that overlap or touch share a bar.

use egui::{Painter, Rect, Stroke, StrokeKind, pos2, vec2};

use super::Theme;
use ulna_model::{Document, Goal, NodeId};
use ulna_render::ColorRole;

/// Maximum gap in seconds between goals that count as touching.
pub const TOUCH: f32 = 1e-3;
/// Width of the draggable ends of a bar, in points.
pub const END: f32 = 8.0;

/// The part of a bar that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactGrip {
    Start,
    Body,
    End,
}

/// Start and end of the bars of a joint in seconds, sorted.
pub fn contact_spans(goals: &[Goal], joint: NodeId) -> Vec<[f32; 2]> {
    let mut spans: Vec<[f32; 2]> =
        goals.iter().filter(|g| g.node == joint).map(|g| [g.from, g.to]).collect();
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut made: Vec<[f32; 2]> = Vec::new();
    for [from, to] in spans {
        match made.last_mut() {
            Some(last) if from <= last[1] + TOUCH => last[1] = last[1].max(to),
            _ => made.push([from, to]),
        }
    }
    made
}

/// Joints with contacts, in the order of the tree.
pub fn joints_in_contact(document: &Document, goals: &[Goal]) -> Vec<NodeId> {
    let is_in = |n: &&NodeId| goals.iter().any(|g| g.node == **n);
    document.nodes.order().iter().filter(is_in).copied().collect()
}

/// Start and end of a bar after a drag by some seconds. The bar stays between its neighbors
/// and within the clip, and is at least one frame long. `snapped` rounds times to frames.
pub fn dragged_span(
    grip: ContactGrip,
    [from, to]: [f32; 2],
    others: &[[f32; 2]],
    (by, length, frame): (f32, f32, f32),
    snapped: impl Fn(f32) -> f32,
) -> [f32; 2] {
    let others = || others.iter().filter(|b| b[0] != from);
    let low = others().map(|b| b[1]).filter(|t| *t <= from).fold(0.0, f32::max);
    let high = others().map(|b| b[0]).filter(|t| *t >= to).fold(length.max(to), f32::min);
    match grip {
        ContactGrip::Start => [snapped(from + by).clamp(low, (to - frame).max(low)), to],
        ContactGrip::End => [from, snapped(to + by).clamp((from + frame).min(high), high)],
        ContactGrip::Body => {
            let start = snapped(from + by).clamp(low, (high - (to - from)).max(low));
            [start, start + (to - from)]
        }
    }
}

/// Drawing state of a contact bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct BarLook {
    pub is_selected: bool,
    /// True if the foot still slides although contacts are locked.
    pub slides: bool,
    pub hovers: bool,
}

/// Draws one contact bar in the rectangle `place`.
pub fn paint_bar(painter: &Painter, theme: &Theme, place: Rect, look: BarLook) {
    let (edge, fill) = match (look.is_selected, look.slides) {
        (true, _) => (ColorRole::SelectionBase, ColorRole::SelectionTint),
        (false, true) => (ColorRole::SeverityWarning, ColorRole::SeverityWarningTint),
        (false, false) => (ColorRole::AccentBase, ColorRole::AccentTint),
    };
    let stroke = Stroke::new(if look.hovers { 1.5 } else { 1.0 }, theme.color(edge));
    painter.rect(place, 3.0, theme.color(fill), stroke, StrokeKind::Inside);
    for x in [place.left(), place.right()] {
        let grip = Rect::from_center_size(pos2(x, place.center().y), vec2(3.0, 10.0));
        painter.rect_filled(grip, 1.0, theme.color(edge));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dragged_bar_stays_between_its_neighbors() {
        let others = [[0.0, 0.2], [0.5, 0.8], [1.5, 1.8]];
        let drag = |grip, by| dragged_span(grip, [0.5, 0.8], &others, (by, 2.0, 0.1), |t| t);
        assert_eq!(drag(ContactGrip::End, 5.0), [0.5, 1.5]);
        assert_eq!(drag(ContactGrip::Start, -5.0), [0.2, 0.8]);
        assert_eq!(drag(ContactGrip::End, -5.0), [0.5, 0.6], "a frame is left");
        let [from, to] = drag(ContactGrip::Body, 5.0);
        assert!((from - 1.2).abs() < 1e-6 && (to - 1.5).abs() < 1e-6);
    }
}
