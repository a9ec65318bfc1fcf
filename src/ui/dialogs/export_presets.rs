//! Named export presets.

use egui::Ui;

use super::parts::labeled;
use crate::ui::{
    ExportDraft, Theme,
    drop_down::{combo_box, option_row},
};

/// Named export preset.
struct Preset {
    name: &'static str,
    skeleton_only: bool,
    rate: Option<&'static str>,
    each: bool,
    gltf: bool,
}

const PRESETS: [Preset; 6] = [
    Preset {
        name: "One model with all clips",
        skeleton_only: false,
        rate: None,
        each: false,
        gltf: false,
    },
    Preset {
        name: "One model per clip",
        skeleton_only: false,
        rate: None,
        each: true,
        gltf: false,
    },
    Preset {
        name: "Engine: skeleton, one file per clip",
        skeleton_only: true,
        rate: None,
        each: true,
        gltf: false,
    },
    Preset {
        name: "Library: skeleton with all clips",
        skeleton_only: true,
        rate: None,
        each: false,
        gltf: false,
    },
    Preset {
        name: "Baked: one model, a key every frame at 30 fps",
        skeleton_only: false,
        rate: Some("30"),
        each: false,
        gltf: false,
    },
    Preset {
        name: "For diffs: .gltf text with a separate .bin file",
        skeleton_only: false,
        rate: None,
        each: false,
        gltf: true,
    },
];

impl Preset {
    fn is(&self, draft: &ExportDraft) -> bool {
        let same = (draft.skeleton_only, draft.each, draft.gltf)
            == (self.skeleton_only, self.each, self.gltf);
        same && self.rate.map_or(!draft.resampled, |rate| draft.resampled && draft.rate == rate)
    }

    fn choose(&self, draft: &mut ExportDraft) {
        (draft.skeleton_only, draft.each, draft.gltf) = (self.skeleton_only, self.each, self.gltf);
        draft.resampled = self.rate.is_some();
        if let Some(rate) = self.rate {
            draft.rate = rate.to_owned();
        }
    }
}

/// Shows the list of presets. A preset sets several options of the draft at once.
pub fn preset_ui(ui: &mut Ui, theme: &Theme, draft: &mut ExportDraft) {
    labeled(ui, theme, "Preset", |ui| {
        let shown = PRESETS.iter().find(|p| p.is(draft)).map_or("Custom", |p| p.name);
        let combo =
            combo_box("export preset").selected_text(shown).width(300.0).show_ui(ui, |ui| {
                for preset in &PRESETS {
                    if option_row(ui, preset.is(draft), preset.name).clicked() {
                        preset.choose(draft);
                    }
                }
            });
        combo.response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("Preset: {shown}"))
        });
    });
}
