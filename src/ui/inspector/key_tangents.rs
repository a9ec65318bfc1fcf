//! Tangents of the selected key components: slopes, tangent modes of both sides, and the link
//! between the sides.

use egui::{DragValue, RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::keys::{label, look_as_fields};
use crate::ui::{
    Action, Actions, Theme, View,
    drop_down::{combo_box, option_row},
    theme::Font,
    widgets::{icon_button, name_widget, short_number},
};
use ulna_edit::{
    Command,
    command::{
        HoldKeys, SetSlope, SetTangents, SlopeSide, TangentSide, Through, WhichKeys,
        field::ClipName,
    },
};
use ulna_model::{ClipId, Interpolation, KeySide, KeyTangents, TangentMode, Track};
use ulna_motion::{
    clip_edit::{is_hold_end, mode_at},
    curves::{EulerOrder, TrackCurves},
};
use ulna_render::ColorRole;

/// Tangent modes in the order of the list, with their names.
const MODES: [(TangentMode, Through, &str); 5] = [
    (TangentMode::Auto, Through::Auto, "Auto"),
    (TangentMode::Smooth, Through::Smooth, "Smooth"),
    (TangentMode::Flat, Through::Flat, "Flat"),
    (TangentMode::Linear, Through::Linear, "Linear"),
    (TangentMode::Free, Through::Free, "Free"),
];

/// Tangents of the selected keys.
#[derive(Clone, Debug, Default)]
pub struct SelectedTangents {
    /// Slopes before and after each key, in change per second.
    slopes: Vec<(f64, f64)>,
    modes: Vec<KeyTangents>,
    /// Number of keys whose value holds until the next key.
    holds: usize,
}

impl SelectedTangents {
    /// Adds the tangents of one component of a key.
    pub fn add(&mut self, track: &Track, curves: &TrackCurves, (key, component): (usize, usize)) {
        if track.interpolation == Interpolation::Step {
            return;
        }
        self.slopes.extend(curves.key_slopes(key, component));
        self.modes.push(match track.interpolation {
            Interpolation::Linear => {
                KeyTangents { linked: false, ..KeyTangents::both(TangentMode::Linear) }
            }
            _ => mode_at(track, key),
        });
        let holds = key + 2 < track.times.len() && is_hold_end(track, key + 1);
        self.holds += usize::from(holds);
    }

    /// The tangent mode of one side; `None` if the keys differ.
    fn mode(&self, side: KeySide) -> Option<TangentMode> {
        let of = |m: &KeyTangents| if side == KeySide::Arrive { m.arrive } else { m.leave };
        let first = of(self.modes.first()?);
        self.modes.iter().all(|m| of(m) == first).then_some(first)
    }

    /// The slope of the first key on one side, and whether all keys have this slope.
    fn slope(&self, side: KeySide) -> (f64, bool) {
        let of = |s: &(f64, f64)| if side == KeySide::Arrive { s.0 } else { s.1 };
        let first = self.slopes.first().map_or(0.0, of);
        (first, self.slopes.iter().all(|s| (of(s) - first).abs() <= first.abs() * 1e-4 + 1e-4))
    }
}

/// Draws the slopes with the link between them, and the tangent modes of both sides.
pub fn tangents_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (id, sign, order): (ClipId, &str, Option<EulerOrder>),
    found: &SelectedTangents,
    actions: &mut Actions,
) {
    if found.modes.is_empty() {
        return;
    }
    slopes_ui(ui, view, (id, sign, order), found, actions);
    ui.horizontal(|ui| {
        label(ui, view.theme, "Modes");
        for (side, name) in [(KeySide::Arrive, "in"), (KeySide::Leave, "out")] {
            mode_ui(ui, view, id, (side, name), found, actions);
        }
    });
}

fn slopes_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (id, sign, order): (ClipId, &str, Option<EulerOrder>),
    found: &SelectedTangents,
    actions: &mut Actions,
) {
    let which = || WhichKeys::these(id, view.selected_keys().clone());
    let linked = found.modes.iter().all(|m| m.linked);
    ui.horizontal(|ui| {
        // The row is as high as the button, which centers the fields vertically.
        ui.set_min_height(28.0);
        label(ui, view.theme, "Tangents");
        look_as_fields(ui, view.theme);
        let set = |side, slope: f64| -> Command {
            let side = if linked { SlopeSide::Both } else { side };
            SetSlope {
                clip: ClipName::Id(id),
                slope: slope as f32,
                side: Some(side),
                linked: None,
                order: order.map(Into::into),
                which: which(),
            }
            .into()
        };
        let arrive = number(ui, "Slope in of the selected keys", found.slope(KeySide::Arrive));
        let (icon, name) = match linked {
            true => (icons::ICON_LINK, "Break tangents: each side turns by itself"),
            false => (icons::ICON_LINK_OFF, "Link tangents: both sides turn together"),
        };
        if icon_button(ui, view.theme, icon, name, "", linked, Ok(())).clicked() {
            let tangents = if linked { Through::Broken } else { Through::Free };
            let (clip, side, linked) = (ClipName::Id(id), None, Some(!linked));
            let set = SetTangents { clip, tangents, side, linked, which: which() };
            actions.push(Action::Run(set.into()));
        }
        let leave = number(ui, "Slope out of the selected keys", found.slope(KeySide::Leave));
        let unit = if sign.is_empty() { "per s".to_owned() } else { format!("{}/s", sign.trim()) };
        let color = view.theme.color(ColorRole::TextTertiary);
        ui.label(RichText::new(unit).font(Theme::font(Font::Small)).color(color));
        let asked = arrive.map(|s| (SlopeSide::In, s)).or(leave.map(|s| (SlopeSide::Out, s)));
        if let Some((side, slope)) = asked {
            actions.push(Action::Run(set(side, slope)));
        }
    });
}

/// Draws a field for a slope. Returns the typed or dragged value.
fn number(ui: &mut Ui, name: &str, (mut value, same): (f64, bool)) -> Option<f64> {
    let field = DragValue::new(&mut value)
        .speed(0.5)
        .custom_formatter(
            move |v, _| {
                if same { short_number(v as f32, false) } else { "mixed".to_owned() }
            },
        )
        .custom_parser(ulna_edit::evaluate)
        .update_while_editing(false);
    let response = ui.add_sized([64.0, 24.0], field);
    name_widget(ui, &response, name);
    (response.changed() && !response.dragged() || response.drag_stopped()).then_some(value)
}

/// Draws the list of tangent modes of one side. The side after the keys also offers *Step*.
fn mode_ui(
    ui: &mut Ui,
    view: &View<'_>,
    id: ClipId,
    (side, name): (KeySide, &str),
    found: &SelectedTangents,
    actions: &mut Actions,
) {
    let which = || WhichKeys::these(id, view.selected_keys().clone());
    let now = found.mode(side);
    let leaves = side == KeySide::Leave;
    let holds = leaves && found.holds == found.modes.len();
    let title = match now {
        _ if holds => "Step",
        Some(mode) => MODES.iter().find(|m| m.0 == mode).map_or("Mixed", |m| m.2),
        None => "Mixed",
    };
    let combo = combo_box(("tangent mode", name)).selected_text(title).width(78.0);
    let combo = combo.show_ui(ui, |ui| {
        for (mode, tangents, text) in MODES {
            if option_row(ui, now == Some(mode) && !holds, text).clicked() {
                let clip = ClipName::Id(id);
                if holds {
                    let (which, on) = (which(), Some(false));
                    actions.push(Action::Run(HoldKeys { clip: clip.clone(), which, on }.into()));
                }
                let of = if leaves { TangentSide::Out } else { TangentSide::In };
                let (side, linked) = (Some(of), None);
                let set = SetTangents { clip, tangents, side, linked, which: which() };
                actions.push(Action::Run(set.into()));
            }
        }
        if leaves && option_row(ui, holds, "Step").clicked() {
            let hold = HoldKeys { clip: ClipName::Id(id), which: which(), on: Some(true) };
            actions.push(Action::Run(hold.into()));
        }
    });
    combo.response.widget_info(|| {
        WidgetInfo::labeled(Role::ComboBox, true, format!("Tangents {name}: {title}"))
    });
}
