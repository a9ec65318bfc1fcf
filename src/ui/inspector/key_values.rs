//! Fields for the values of the selected key components, and a note about how the keys are stored.

use egui::{DragValue, Frame, Margin, RichText, Ui};

use super::{
    key_tangents::{SelectedTangents, tangents_ui},
    keys::{label, look_as_fields},
};
use crate::ui::{Action, Actions, Theme, View, theme::Font, widgets::name_widget};
use ulna_edit::{
    Command,
    command::{ChangeKeys, ValueHow, WhichKeys, field::ClipName, field::Numbers},
};
use ulna_model::{Clip, ClipId, Interpolation, Property, Shared, Track};
use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};
use ulna_render::ColorRole;

/// Maximum number of keys whose values are displayed.
const MOST: usize = 2000;

/// Curves of a track as first shown. Rotations use the Euler order that is farthest from gimbal
/// lock.
fn curves_of(track: &Track) -> (TrackCurves, Option<EulerOrder>) {
    if track.property != Property::Rotation {
        return (TrackCurves::new(track, CurveSpace::Stored), None);
    }
    let order = EulerOrder::best_first(track)[0].0;
    (TrackCurves::new(track, CurveSpace::Euler(order)), Some(order))
}

/// Draws the value fields and the note. Draws nothing if whole keys or different kinds of values
/// are selected.
pub fn values_ui(ui: &mut Ui, view: &View<'_>, (id, clip): (ClipId, &Clip), actions: &mut Actions) {
    let keys = view.selected_keys();
    let tracks: Vec<_> =
        keys.iter().filter_map(|(id, _)| Some((id, clip.tracks.get(&id)?))).collect();
    let Some(property) = tracks.first().map(|(_, t)| t.property) else { return };
    let count: usize = tracks.iter().map(|(_, t)| t.times.len()).sum();
    let alike = tracks.iter().all(|(_, t)| t.property == property);
    if !keys.has_parts() || !alike || count > MOST {
        return;
    }
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    let (mut first, mut tangents) = (None, SelectedTangents::default());
    for (id, track) in &tracks {
        let (curves, order) = curves_of(track);
        for component in 0..curves.components() {
            for time in keys.times_of(*id, component as u16).iter() {
                let Some(key) = track.key_at(*time, 0.0) else { continue };
                let value = curves.key_value(key, component);
                (low, high) = (low.min(value), high.max(value));
                tangents.add(track, &curves, (key, component));
            }
        }
        first = first.or(Some((*track, curves, order)));
    }
    if low > high {
        return;
    }
    let sign = match property {
        Property::Rotation => "°",
        Property::Translation => " m",
        Property::Scale | Property::Weights => "",
    };
    fields(ui, view, (id, sign), (low, high), actions);
    let order = first.as_ref().and_then(|f| f.2);
    tangents_ui(ui, view, (id, sign, order), &tangents, actions);
    if let Some((track, curves, order)) = first {
        note(ui, view, (track, &curves), order, tracks.len());
    }
}

fn fields(
    ui: &mut Ui,
    view: &View<'_>,
    (id, sign): (ClipId, &str),
    (low, high): (f64, f64),
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        label(ui, theme, "Values");
        look_as_fields(ui, theme);
        let new_low = number(ui, "Lowest value of the selected keys", low, sign);
        let mut new_high = None;
        if high > low {
            ui.label(RichText::new("to").color(theme.color(ColorRole::TextTertiary)));
            new_high = number(ui, "Highest value of the selected keys", high, sign);
        }
        let which = || WhichKeys::these(id, view.selected_keys().clone());
        let change = |how, by: f64| -> Command {
            let (clip, by, which) = (ClipName::Id(id), Numbers(vec![by]), which());
            ChangeKeys { clip, how, by, about: None, order: None, which }.into()
        };
        let commands = match (new_low, new_high) {
            (Some(to), _) if high <= low => vec![change(ValueHow::Add, to - low)],
            (None, None) => return,
            (to_low, to_high) => {
                // The other end of the range stays fixed, and the values between are interpolated.
                let (to_low, to_high) = (to_low.unwrap_or(low), to_high.unwrap_or(high));
                let factor = (to_high - to_low) / (high - low);
                let by = to_low - low * factor;
                scaled(view, id, factor, by, change)
            }
        };
        actions.push(Action::Preview { label: "Set values of keys".to_owned(), commands });
        actions.push(Action::Commit);
    });
}

/// Commands that multiply each value by `factor` and then add `by`.
fn scaled(
    view: &View<'_>,
    id: ClipId,
    factor: f64,
    by: f64,
    change: impl Fn(ValueHow, f64) -> Command,
) -> Vec<Command> {
    let document = view.session.map(|s| s.document());
    let clip: Option<&Shared<Clip>> = document.and_then(|d| view.keys_clip(d, id));
    let track = view.selected_keys().iter().next().and_then(|(t, _)| clip?.tracks.get(&t));
    // The command scales scale values about 1, so the offset is corrected.
    let own = if track.is_some_and(|t| t.property == Property::Scale) { 1.0 - factor } else { 0.0 };
    vec![change(ValueHow::Scale, factor), change(ValueHow::Add, by - own)]
}

/// Draws a field for a value. Returns the typed or dragged value.
fn number(ui: &mut Ui, name: &str, mut value: f64, sign: &str) -> Option<f64> {
    let field = DragValue::new(&mut value)
        .speed(if sign == "°" { 0.5 } else { 0.005 })
        .max_decimals(3)
        .suffix(sign)
        .custom_parser(ulna_edit::evaluate)
        .update_while_editing(false);
    let response = ui.add_sized([76.0, 24.0], field);
    name_widget(ui, &response, name);
    (response.changed() && !response.dragged() || response.drag_stopped()).then_some(value)
}

/// Draws a note for rotation keys: the stored interpolation, and the largest error of the drawn
/// angles between keys.
fn note(
    ui: &mut Ui,
    view: &View<'_>,
    (track, curves): (&Track, &TrackCurves),
    order: Option<EulerOrder>,
    tracks: usize,
) {
    let theme = view.theme;
    let stored = match track.interpolation {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::CubicSpline => "CUBICSPLINE",
    };
    let (Some(order), 1) = (order, tracks) else { return };
    let (error, time) = curves.largest_error();
    let frame = time * view.timeline.playback.fps;
    let text = format!(
        "Stored as quaternions ({stored}), shown as Euler {}. Exact at the keys; largest error \
            between keys {error:.2}°, frame {frame:.0}.",
        order.label()
    );
    let tint = theme.color(ColorRole::SeverityInfoTint);
    Frame::new().fill(tint).corner_radius(4).inner_margin(Margin::symmetric(8, 6)).show(ui, |ui| {
        let text = RichText::new(text).font(Theme::font(Font::Small));
        ui.add(egui::Label::new(text.color(theme.color(ColorRole::TextPrimary))).wrap());
    });
}
