//! Weights section of the *Bind* panel: the method, its parameters, and the affected vertices and
//! joints.

use egui::Ui;

use super::{
    super::parts::{many, small},
    section_with, title_button,
};
use crate::ui::{
    BindDraft, Theme, View,
    drop_down::choices,
    number_bar::number_bar,
    widgets::{check, thousands},
};
use ulna_edit::command::field::BindBy;
use ulna_model::Document;

/// Methods, with their labels and descriptions.
const METHODS: [(BindBy, &str, &str); 4] = [
    (BindBy::Auto, "Automatic", "Heat; pieces where it fails get voxels, then distance"),
    (BindBy::Heat, "Heat", "Spreads from the bones along the surface"),
    (BindBy::Voxel, "Voxels", "Measures distances inside the body"),
    (BindBy::Distance, "Distance", "Measures distances to the bones in a straight line"),
];

/// Shows the weights section.
pub(super) fn weights_ui(ui: &mut Ui, view: &View<'_>, document: &Document, now: &mut BindDraft) {
    let theme = view.theme;
    section_with(ui, theme, ("Weights", ""), |ui| {
        let mut method = now.method;
        choices(ui, "Method", 128.0, &METHODS, &mut method);
        if method != now.method {
            now.set_method(method);
        }
        if is_changed(now) {
            let reset = title_button(ui, "Reset");
            if reset.on_hover_text("Resets method and parameters").clicked() {
                reset_parameters(now);
            }
        }
    });
    let gap = 8.0;
    let width = (ui.available_width() - gap) / 2.0;
    let uses_voxels = now.method != BindBy::Distance;
    let rows: [[usize; 2]; 2] = [[0, 1], [2, 3]];
    for row in rows {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = gap;
            for k in row {
                let is_used = match k {
                    0 => now.method != BindBy::Distance,
                    3 => uses_voxels,
                    _ => true,
                };
                ui.add_enabled_ui(is_used, |ui| {
                    ui.set_width(width);
                    parameter_ui(ui, theme, k, now);
                });
            }
        });
    }
    options_ui(ui, view, document, now);
}

/// Shows one of the four parameters, by its index.
fn parameter_ui(ui: &mut Ui, theme: &Theme, which: usize, now: &mut BindDraft) {
    let whole = |ui: &mut Ui, name: &str, value: &mut usize, (low, high): (usize, usize)| {
        let mut shown = *value as f32;
        number_bar(ui, theme, name, &mut shown, low as f32..=high as f32, "", 0, "");
        *value = (shown.round() as usize).clamp(low, high);
    };
    match which {
        0 => {
            let (low, high) = BindDraft::SHARPNESS;
            let mut shown = now.sharpness;
            number_bar(ui, theme, "Sharpness", &mut shown, low..=high, "", 1, "");
            now.sharpness = (shown * 10.0).round() / 10.0;
        }
        1 => whole(ui, "Smooth passes", &mut now.passes, (0, BindDraft::PASSES)),
        2 => whole(ui, "Max influences", &mut now.limit, (1, BindDraft::LIMIT)),
        _ => whole(ui, "Voxel grid", &mut now.grid, BindDraft::GRID),
    }
}

/// Shows the option for envelopes around bones, and their radius.
fn envelope_ui(ui: &mut Ui, theme: &Theme, now: &mut BindDraft) {
    ui.horizontal(|ui| {
        let mut has_envelope = now.envelope.is_some();
        let about = "Weights fall to 0 at this distance from the bone, in lengths of the bone";
        check(ui, theme, &mut has_envelope, "Envelopes").on_hover_text(about);
        now.envelope = has_envelope.then(|| now.envelope.unwrap_or(1.0));
        if let Some(radius) = &mut now.envelope {
            let mut shown = *radius;
            number_bar(ui, theme, "Envelope radius", &mut shown, 0.05..=10.0, "×", 2, "");
            *radius = (shown * 100.0).round() / 100.0;
        }
    });
}

/// Whether the method or a parameter differs from its default.
fn is_changed(now: &BindDraft) -> bool {
    let mut usual = now.clone();
    reset_parameters(&mut usual);
    usual != *now
}

fn reset_parameters(now: &mut BindDraft) {
    now.method = BindBy::Auto;
    (now.sharpness, now.passes, now.limit, now.grid) = (2.0, 0, 4, 96);
    (now.symmetric, now.envelope) = (false, None);
}

/// Shows the options for the affected vertices and joints, and for the bind pose of new skins.
fn options_ui(ui: &mut Ui, view: &View<'_>, document: &Document, now: &mut BindDraft) {
    let theme = view.theme;
    let (rebinds, binds_bare) = (now.rebinds(document), now.binds_bare(document));
    let about = "Averages the weights of mirrored vertices";
    check(ui, theme, &mut now.symmetric, "Symmetric").on_hover_text(about);
    if now.method == BindBy::Distance {
        envelope_ui(ui, theme, now);
    }
    if rebinds && let Some(vertices) = &now.vertices {
        let text = format!("Selected vertices only ({})", thousands(vertices.count));
        check(ui, theme, &mut now.only_vertices, text);
    }
    if rebinds && !now.locked.is_empty() {
        let text = format!("Keep the weights of {}", many(now.locked.len(), "locked joint"));
        check(ui, theme, &mut now.keeps_locked, text);
    }
    if binds_bare && let Some((clip, time)) = now.moment {
        let label = document.clip_label(clip);
        let text = format!("Bind in the pose of {label} at {time:.2} s");
        let about = "The pose of the file is used otherwise";
        check(ui, theme, &mut now.at_moment, text).on_hover_text(about);
    }
    if rebinds && binds_bare {
        small(ui, theme, "Meshes without a skin get a new one.");
    }
}
