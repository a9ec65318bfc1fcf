//! The section of the selected reference model: its transform, clip and display.

use egui::{ComboBox, DragValue, RichText, Ui};
use glam::{Quat, Vec3};

use super::{
    fields::{Order, Triple, triple_ui},
    mix_fields::{line, number},
};
use crate::ui::{
    Action, Actions, ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, Theme, View,
    drop_down::option_value,
    theme::Font,
    widgets::{check, name_widget, panel_title, thousands},
};
use ulna_edit::command::{ReferenceCommand, ReferenceName};
use ulna_render::ColorRole;

/// Model, rotation and typed Euler angles in degrees. Typed angles are stored because the same
/// rotation has several sets of angles.
pub type ReferenceAngles = Option<(ReferenceId, Quat, Vec3)>;

/// Draws the section of the selected reference model.
pub fn reference_ui(
    angles: &mut ReferenceAngles,
    ui: &mut Ui,
    view: &View<'_>,
    facts: &ReferenceFacts,
    actions: &mut Actions,
) {
    let theme = view.theme;
    panel_title(ui, theme, "Reference model");
    ui.add(
        egui::Label::new(RichText::new(&facts.name).font(Theme::font(Font::Heading))).truncate(),
    )
    .on_hover_text(facts.path.display().to_string());
    let vertices = format!("{} vertices", thousands(facts.vertices));
    let about = format!("{vertices} · {} joints · never saved into this file", facts.joints);
    let small = |text: String| {
        RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary))
    };
    ui.add(egui::Label::new(small(about)).wrap());
    ui.add_space(6.0);
    place_ui(angles, ui, view, facts, actions);
    ui.add_space(6.0);
    buttons_ui(ui, view, facts, actions);
    ui.add_space(6.0);
    clip_ui(ui, view, facts, actions);
    display_ui(ui, theme, facts, actions);
    ui.add_space(10.0);
}

fn place_ui(
    angles: &mut ReferenceAngles,
    ui: &mut Ui,
    view: &View<'_>,
    facts: &ReferenceFacts,
    actions: &mut Actions,
) {
    let (theme, place) = (view.theme, facts.place);
    let order = Order::default();
    let mut set = |place: ReferencePlace| actions.push(ReferenceAction::Place(facts.id, place));
    let triple = Triple::length("Reference translation", view.settings.length);
    let shape = triple.shape(place.rotation, order);
    let moved = triple_ui(ui, theme, &triple, place.translation, true, &shape);
    if let Some(translation) = moved.values {
        set(ReferencePlace { translation, ..place });
    }
    let typed = angles.filter(|(id, rotation, _)| {
        *id == facts.id && rotation.dot(place.rotation).abs() > 1.0 - 1e-6
    });
    let degrees = typed.map_or_else(|| order.degrees(place.rotation), |(.., degrees)| degrees);
    let triple = Triple::angle("Reference rotation");
    let shape = triple.shape(place.rotation, order);
    if let Some(degrees) = triple_ui(ui, theme, &triple, degrees, true, &shape).values {
        let rotation = order.rotation(degrees);
        *angles = Some((facts.id, rotation, degrees));
        set(ReferencePlace { rotation, ..place });
    }
    let mut scale = place.scale;
    line(ui, theme, "Size", "Factor of the size of the reference model", |ui| {
        let (least, most) = ReferencePlace::SCALES;
        let speed = f64::from(scale.abs().max(1e-3)) * 0.005;
        let field = DragValue::new(&mut scale).speed(speed).range(least..=most).suffix(" ×");
        number(ui, "Reference size", field);
    });
    if scale != place.scale {
        set(ReferencePlace { scale, ..place });
    }
}

fn buttons_ui(ui: &mut Ui, view: &View<'_>, facts: &ReferenceFacts, actions: &mut Actions) {
    let reference = || ReferenceName(Some(facts.name.clone()));
    let joint = view
        .selection
        .active
        .zip(view.session)
        .map(|(node, session)| session.document().node(node).label(node));
    let to_joint = match &joint {
        Some(name) => format!("Move to {name}"),
        None => "Move to the selected joint".to_owned(),
    };
    let mut button = |ui: &mut Ui, text: &str, command: ReferenceCommand| {
        let enabled = command.spec().check(&view.availability);
        let response = ui.add_enabled(enabled.is_ok(), egui::Button::new(text));
        let response = match enabled {
            Ok(()) => response.on_hover_text(command.spec().help),
            Err(reason) => response.on_disabled_hover_text(reason),
        };
        if response.clicked() {
            actions.push(Action::Run(command.into()));
        }
    };
    ui.horizontal_wrapped(|ui| {
        button(ui, &to_joint, ReferenceCommand::Snap { reference: reference() });
        button(ui, "Put on the ground", ReferenceCommand::Ground { reference: reference() });
        let reset = ReferenceCommand::Move {
            reference: reference(),
            translation: Some(Vec3::ZERO),
            degrees: Some(Vec3::ZERO),
            factor: Some(1.0),
        };
        button(ui, "Reset place", reset);
        let snap = ReferenceCommand::SnapJoints { onto: None };
        button(ui, "Snap joints to the reference", snap);
    });
}

fn clip_ui(ui: &mut Ui, view: &View<'_>, facts: &ReferenceFacts, actions: &mut Actions) {
    if facts.clips.is_empty() {
        return;
    }
    const REST: &str = "Rest pose";
    let name = |clip: Option<usize>| {
        clip.and_then(|k| facts.clips.get(k)).map_or(REST, |(name, _)| name.as_str())
    };
    let about = "Clip that the reference model plays in step with the playhead";
    line(ui, view.theme, "Clip", about, |ui| {
        let mut chosen = facts.clip;
        let combo = ComboBox::from_id_salt("reference clip").selected_text(name(facts.clip));
        let shown = combo.width(ui.available_width().min(200.0)).show_ui(ui, |ui| {
            let all = std::iter::once(None).chain((0..facts.clips.len()).map(Some));
            for clip in all {
                option_value(ui, &mut chosen, clip, name(clip));
            }
        });
        name_widget(ui, &shown.response, "Clip of the reference");
        if chosen != facts.clip {
            let reference = ReferenceName(Some(facts.name.clone()));
            let clip = chosen.and_then(|k| facts.clips.get(k)).map(|(name, _)| name.clone());
            actions.push(Action::Run(ReferenceCommand::Clip { reference, clip }.into()));
        }
    });
}

fn display_ui(ui: &mut Ui, theme: &Theme, facts: &ReferenceFacts, actions: &mut Actions) {
    let reference = || ReferenceName(Some(facts.name.clone()));
    let mut switch =
        |ui: &mut Ui, on: bool, text: &str, command: &dyn Fn(bool) -> ReferenceCommand| {
            let mut now = on;
            check(ui, theme, &mut now, text);
            if now != on {
                actions.push(Action::Run(command(now).into()));
            }
        };
    switch(ui, !facts.hidden, "Shown", &|on| ReferenceCommand::Hide {
        reference: reference(),
        hidden: Some(!on),
    });
    switch(ui, facts.plain, "Plain gray", &|on| ReferenceCommand::Plain {
        reference: reference(),
        plain: Some(on),
    });
    switch(ui, facts.shows_joints, "Joints of the reference", &|on| ReferenceCommand::Joints {
        reference: reference(),
        shown: Some(on),
    });
}
