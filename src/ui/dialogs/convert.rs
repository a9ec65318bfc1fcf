//! The page before a file of another format is opened: what was found in it, and how it is taken.

use egui::{DragValue, Layout, RichText, Ui, vec2};

use super::parts::{head, many, name_of, plain, primary, small, warning};
use crate::ui::{
    Actions, ConvertDraft, Dialog, DialogAction, Theme, View,
    theme::Font,
    widgets::{choices, name_widget, segment, segments},
};
use ulna_model::{Diagnostic, Severity};
use ulna_render::ColorRole;
use ulna_session::{USUAL_RATES, UpAxis};

/// Counts of meshes, joints and clips, in words.
fn contents(draft: &ConvertDraft) -> String {
    let [meshes, vertices, joints, clips] = draft.counts;
    let mut parts = Vec::new();
    match meshes {
        0 => parts.push("no meshes".to_owned()),
        _ => parts.push(format!("{}, {vertices} vertices", many_of(meshes, "mesh", "meshes"))),
    }
    parts.push(if joints == 0 { "no joints".to_owned() } else { many(joints, "joint") });
    parts.push(if clips == 0 { "no clips".to_owned() } else { many(clips, "clip") });
    parts.join(" · ")
}

fn many_of(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Units, with meters of each.
const UNITS: [(f32, &str); 6] = [
    (1.0, "meters"),
    (0.01, "centimeters"),
    (0.0254, "inches"),
    (0.001, "millimeters"),
    (0.1, "decimeters"),
    (0.056_444, "CMU mocap, 5.64 cm"),
];

pub fn convert_ui(ui: &mut Ui, view: &View<'_>, draft: &ConvertDraft, actions: &mut Actions) {
    let theme = view.theme;
    let mut now = draft.clone();
    // Enter in a field is the field's.
    let typing = ui.memory(|m| m.focused()).is_some();
    head(ui, theme, None, &format!("Open {}", name_of(&draft.path)), "", actions);
    ui.label(
        RichText::new(format!("{} · {}", draft.format, contents(draft)))
            .font(Theme::font(Font::Heading)),
    );
    small(ui, theme, "Opens as a new glTF model. The original file is not changed.");
    ui.add_space(10.0);
    row(ui, theme, "Up axis", |ui| {
        segments(ui, theme, |ui| {
            for axis in UpAxis::ALL {
                if segment(ui, theme, &format!("{} up", axis.label()), now.up() == axis, false)
                    .clicked()
                {
                    now.conversion.up = Some(axis);
                }
            }
        });
    });
    row(ui, theme, "Unit", |ui| unit_ui(ui, theme, &mut now));
    if draft.found.rate.is_some() {
        row(ui, theme, "Rate", |ui| rate_ui(ui, theme, &mut now));
    }
    if draft.found.heights > 0 {
        row(ui, theme, "Height maps", |ui| {
            let mut steep = now.conversion.height.unwrap_or(4.0);
            let field =
                ui.add_sized([72.0, 24.0], DragValue::new(&mut steep).range(0.0..=64.0).speed(0.1));
            name_widget(ui, &field, "Strength of height maps");
            if field.changed() {
                now.conversion.height = Some(steep);
            }
            let words = if draft.found.heights == 1 {
                "becomes a normal map"
            } else {
                "become normal maps"
            };
            let text = format!("strength ({} {words})", many(draft.found.heights, "height map"));
            small(ui, theme, &text);
        });
    }
    findings_ui(ui, theme, &draft.findings);
    ui.add_space(14.0);
    ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
        let verb = primary(ui, theme, "Open");
        let enter = !typing && ui.input(|i| i.key_pressed(egui::Key::Enter));
        if verb.clicked() || enter {
            actions.push(DialogAction::Convert(Box::new(now.clone())));
        }
        if plain(ui, "Cancel").clicked() {
            actions.push(DialogAction::SetDialog(None));
        }
        if draft.onto {
            let text = "Import its clips into the open model…";
            let about = "Joints are matched by name and body part, and the motion is retargeted";
            if ui
                .add(egui::Button::new(text).min_size(vec2(0.0, 32.0)))
                .on_hover_text(about)
                .clicked()
            {
                actions.push(DialogAction::TakeClips(Box::new(now.clone())));
            }
        }
    });
    if now != *draft {
        actions.push(DialogAction::SetDialog(Some(Dialog::Convert { draft: Box::new(now) })));
    }
}

fn row(ui: &mut Ui, theme: &Theme, label: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.allocate_ui_with_layout(
            vec2(104.0, 28.0),
            Layout::left_to_right(egui::Align::Center),
            |ui| {
                ui.set_min_width(104.0);
                ui.label(RichText::new(label).color(theme.color(ColorRole::TextSecondary)));
            },
        );
        add(ui);
    });
    ui.add_space(4.0);
}

fn unit_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let unit = now.unit();
    let known = UNITS.iter().position(|(meters, _)| (meters - unit).abs() < 1e-6);
    let mut chosen = known.unwrap_or(UNITS.len());
    let mut list: Vec<(usize, &str, &str)> =
        UNITS.iter().enumerate().map(|(k, (_, name))| (k, *name, "")).collect();
    list.push((UNITS.len(), "other", "Meters per unit, as a number"));
    let was = chosen;
    choices(ui, "Unit", 150.0, &list, &mut chosen);
    if chosen != was {
        now.conversion.unit = Some(UNITS.get(chosen).map_or(unit * 2.0, |u| u.0));
    }
    if chosen == UNITS.len() {
        let mut meters = now.unit();
        let field = ui.add_sized(
            [86.0, 24.0],
            DragValue::new(&mut meters).range(1e-6..=1e6).speed(0.001).max_decimals(6).suffix(" m"),
        );
        name_widget(ui, &field, "Meters per unit");
        if field.changed() {
            now.conversion.unit = Some(meters);
        }
    }
    if let Some(size) = now.size {
        let guessed =
            now.conversion.unit.is_none() && now.found.unit.is_some() && !now.found.states_unit;
        let words = if guessed { " (unit estimated from the size)" } else { "" };
        small(ui, theme, &format!("largest dimension {:.2} m{words}", size * now.unit()));
    }
}

fn rate_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let Some(stated) = now.found.rate else { return };
    let mut rate = now.conversion.rate.unwrap_or(stated);
    let suffix = format!(" {}/s", now.found.rate_of);
    let field = ui.add_sized(
        [116.0, 24.0],
        DragValue::new(&mut rate).range(0.01..=1e6).max_decimals(3).suffix(suffix),
    );
    name_widget(ui, &field, "Ticks or frames per second");
    if field.changed() {
        now.conversion.rate = Some(rate);
    }
    let lasts = |rate: f64| now.found.longest * stated / rate;
    let mut chosen = None;
    // Those that are likely where what is stated is not.
    if !(0.1..=3600.0).contains(&lasts(rate)) {
        for usual in USUAL_RATES.into_iter().filter(|r| (0.1..=600.0).contains(&lasts(*r))).take(4)
        {
            let button = ui
                .button(format!("{usual}"))
                .on_hover_text(format!("The longest clip lasts {:.2} s", lasts(usual)));
            name_widget(ui, &button, &format!("Use {usual} per second"));
            if button.clicked() {
                chosen = Some(usual);
            }
        }
    }
    small(ui, theme, &format!("the longest clip lasts {:.2} s", lasts(rate)));
    if chosen.is_some() {
        now.conversion.rate = chosen;
    }
}

fn findings_ui(ui: &mut Ui, theme: &Theme, findings: &[Diagnostic]) {
    /// Lines that are listed.
    const MOST: usize = 6;
    if findings.is_empty() {
        return;
    }
    ui.add_space(6.0);
    egui::ScrollArea::vertical().max_height(132.0).show(ui, |ui| {
        for finding in findings.iter().take(MOST) {
            let text = format!("{}: {}", finding.place, finding.message);
            if finding.severity == Severity::Info {
                small(ui, theme, &text)
            } else {
                warning(ui, theme, &text)
            }
        }
        if findings.len() > MOST {
            small(
                ui,
                theme,
                &format!(
                    "… and {} more. Open the file to see them under Problems",
                    findings.len() - MOST
                ),
            );
        }
    });
}
