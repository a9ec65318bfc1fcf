//! Editing of curve values at the playhead, in the curve list.

use egui::{Rect, Ui, pos2};
use glam::{Quat, Vec3};

use super::{
    super::values::{Channel, NumberLook, Sum, number_ui, set},
    model::{CurveSpace, EulerOrder, ListedCurve},
};
use crate::ui::{Action, Actions, Theme, View, edits, theme::Font, widgets::short_number};
use ulna_edit::command::{
    ChangeKeys, ValueHow, WhichKeys,
    field::{ClipName, Numbers},
};
use ulna_model::{KeySet, NodeId, Property};
use ulna_render::ColorRole;

/// Euler angles of the current rotation about x, y and z in degrees, in the given axis order. They
/// are chosen nearest to the curve's angles at the playhead.
fn seen_angles(view: &View<'_>, node: NodeId, order: EulerOrder, curve: &[f64]) -> Vec3 {
    let seen = view.pose.local[node.index()].transform().rotation;
    let of_curve = Vec3::new(curve[0] as f32, curve[1] as f32, curve[2] as f32);
    if seen.angle_between(turned(order, of_curve)) < 0.005 {
        return of_curve;
    }
    let near = order.axes().map(|axis| curve[axis].to_radians());
    let mut angles = Vec3::ZERO;
    for (axis, angle) in
        order.axes().into_iter().zip(order.angles(seen.as_dquat().normalize(), near))
    {
        angles[axis] = angle.to_degrees() as f32;
    }
    angles
}

/// Rotation from Euler angles about x, y and z, in degrees.
fn turned(order: EulerOrder, angles: Vec3) -> Quat {
    order.rotation(order.axes().map(|axis| f64::from(angles[axis]).to_radians())).as_quat()
}

/// Shows the value of a curve at the playhead in its row, for typing and dragging. `now` contains
/// the values of the curve's track, one per component.
pub fn curve_value_ui(
    ui: &mut Ui,
    view: &View<'_>,
    curve: &ListedCurve,
    (place, now): (Rect, &[f64]),
    actions: &mut Actions,
) {
    let component = usize::from(curve.id.component);
    let property = curve.track.property;
    let channel = curve.node.zip(curve.id.track()).zip(view.shown_clip());
    let channel =
        channel.map(|((node, track), clip)| Channel { clip, node, track, keys: &curve.track });
    // The current pose does not tell the values of a layer's keys or of quaternion components.
    let order = match curve.space {
        CurveSpace::Euler(order) => Some(order),
        CurveSpace::Stored => None,
    };
    let edits =
        view.layers.written.is_none() && (property != Property::Rotation || order.is_some());
    let channel = channel.filter(|_| edits);
    let seen = channel.map(|c| (c, view.pose.local.get(c.node.index())));
    let values = match (seen, property) {
        (Some((c, Some(_))), Property::Rotation) => {
            seen_angles(view, c.node, order.unwrap_or_default(), now)
        }
        (Some((_, Some(pose))), Property::Translation) => pose.transform().translation,
        (Some((_, Some(pose))), Property::Scale) => pose.transform().scale,
        (Some((c, _)), Property::Weights) => {
            let weights = view.pose.morphs.get(c.node.index());
            Vec3::splat(weights.and_then(|w| w.get(component)).copied().unwrap_or(0.0))
        }
        _ => Vec3::splat(now.get(component).copied().unwrap_or(0.0) as f32),
    };
    let degrees = order.is_some();
    let name = format!("{} at the playhead", curve.name);
    let shown = values[component.min(2)];
    let look = NumberLook {
        salt: ("curve value", curve.id.track().map_or(u32::MAX, |t| t.0), component),
        name: &name,
        edge: ColorRole::TextTertiary,
        degrees,
        quiet: !curve.shown,
        plain: true,
    };
    let Some(channel) = channel else {
        let color = view.theme.color(ColorRole::TextTertiary);
        let at = pos2(place.right() - 4.0, place.center().y);
        let (font, text) = (Theme::font(Font::NumberSmall), short_number(shown, degrees));
        ui.painter_at(place).text(at, egui::Align2::RIGHT_CENTER, text, font, color);
        return;
    };
    let (response, value, sum) = number_ui(ui, view, place, shown, &look);
    let response = response.on_hover_text(&name);
    if let Some(sum) = sum.filter(|_| response.lost_focus()) {
        calculate_curve(view, (channel, curve), sum, values, actions);
        return;
    }
    // An unchanged field changes nothing, even though it shows fewer decimals.
    let same = short_number(value, degrees) == short_number(shown, degrees);
    if same && !response.dragged() && !response.drag_stopped() {
        return;
    }
    if response.changed() {
        let mut wanted = values;
        wanted[component.min(2)] = value;
        set_curve(view, (channel, curve), wanted, actions);
    }
    if response.drag_stopped() || (response.changed() && !response.dragged()) {
        actions.push(Action::Commit);
    }
}

/// Previews a new value of a curve.
fn set_curve(
    view: &View<'_>,
    (channel, curve): (Channel<'_>, &ListedCurve),
    wanted: Vec3,
    actions: &mut Actions,
) {
    let target = usize::from(curve.id.component);
    match (channel.keys.property, curve.space) {
        (Property::Weights, _) => {
            let value = wanted[target.min(2)];
            let commands = vec![edits::set_morph(view, channel.node, target, value)];
            actions.push(Action::Preview { label: format!("Morph {}", curve.label), commands });
        }
        (Property::Rotation, CurveSpace::Euler(order)) => {
            set_rotation(view, channel, turned(order, wanted), actions);
        }
        _ => set(view, channel, wanted, actions),
    }
}

/// Applies arithmetic to the selected keys of a curve, or to its value at the playhead without a
/// selection.
fn calculate_curve(
    view: &View<'_>,
    (channel, curve): (Channel<'_>, &ListedCurve),
    sum: Sum,
    values: Vec3,
    actions: &mut Actions,
) {
    let component = usize::from(curve.id.component);
    let times = view.selected_keys().times_of(channel.track, curve.id.component);
    if times.is_empty() {
        let mut wanted = values;
        let now = values[component.min(2)];
        wanted[component.min(2)] = match sum {
            Sum::Add(by) => now + by as f32,
            Sum::Times(by, _) => now * by as f32,
        };
        set_curve(view, (channel, curve), wanted, actions);
        actions.push(Action::Commit);
        return;
    }
    let keys = KeySet::of_component(channel.track, curve.id.component, times);
    let (how, by, about) = match sum {
        Sum::Add(by) => (ValueHow::Add, by, None),
        Sum::Times(by, about) => (ValueHow::Scale, by, Some(about)),
    };
    let which = WhichKeys::these(channel.clip, keys);
    let clip = ClipName::Id(channel.clip);
    actions.push(Action::Run(
        ChangeKeys { clip, how, by: Numbers(vec![by]), about, order: None, which }.into(),
    ));
}

/// Previews a new rotation of a channel.
fn set_rotation(view: &View<'_>, channel: Channel<'_>, wanted: Quat, actions: &mut Actions) {
    let mut local = view.pose.local[channel.node.index()].transform();
    local.rotation = wanted;
    if let Some(command) = edits::over_shown_clip(view, channel.node, &local, Property::Rotation) {
        let commands = edits::with_other_side(view, &[channel.node], vec![command]);
        actions.push(Action::Preview { label: "Set rotation".to_owned(), commands });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn typed_angles_belong_to_their_axes_in_any_euler_order(
            order in prop::sample::select(EulerOrder::ALL.to_vec()),
            axis in 0usize..3,
            angle in -170.0f32..170.0,
        ) {
            let mut angles = Vec3::ZERO;
            angles[axis] = angle;
            let plain = Quat::from_axis_angle(Vec3::AXES[axis], angle.to_radians());
            let off = plain.angle_between(turned(order, angles));
            prop_assert!(off < 1e-3, "{off}");
        }
    }
}
