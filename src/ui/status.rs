//! The status bar: what the mouse and keys do now, and measured numbers.

use egui::{ProgressBar, RichText, Ui, vec2};

use super::{Action, Actions, Theme, Tool, View, theme::Font};

pub fn status_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let hints: &[(&str, &str)] = match (view.session.is_some(), view.selection.nodes.is_empty(), view.tool) {
            (false, ..) => &[("Ctrl+O", "open a file")],
            (true, true, _) => {
                &[("Click", "select"), ("Alt drag", "orbit"), ("Wheel", "zoom"), ("A", "frame all"), ("Space", "play")]
            }
            (true, false, Tool::Rotate) => {
                &[("Drag a ring", "rotate"), ("Ctrl", "snap 5°"), ("Esc", "cancel"), ("S", "set key"), ("F", "frame")]
            }
            (true, false, Tool::Select) => {
                &[("E", "rotate"), ("S", "set key"), ("F", "frame"), ("↑ ↓", "walk the chain")]
            }
        };
        for (key, text) in hints {
            let frame = egui::Frame::new()
                .fill(theme.color("surface.control"))
                .corner_radius(3)
                .inner_margin(egui::Margin::symmetric(5, 0));
            frame.show(ui, |ui| {
                ui.label(RichText::new(*key).font(Theme::font(Font::Caption)).color(theme.color("text.secondary")))
            });
            ui.label(RichText::new(*text).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")));
            ui.add_space(6.0);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(job) = &view.job {
                if job.cancellable && ui.add(egui::Button::new("Cancel").min_size(vec2(0.0, 20.0))).clicked() {
                    actions.push(Action::CancelJob);
                }
                let bar = ui.add(
                    ProgressBar::new(job.fraction)
                        .desired_width(160.0)
                        .desired_height(10.0)
                        .fill(theme.color("accent.base")),
                );
                super::widgets::name_widget(ui, &bar, &job.label);
                ui.label(
                    RichText::new(&job.label).font(Theme::font(Font::Caption)).color(theme.color("text.secondary")),
                );
                return;
            }
            let Some(session) = view.session else { return };
            let document = session.document();
            let joints = view.joints.iter().filter(|j| **j).count();
            let keys = view.shown_clip().and_then(|c| document.clips.get(&c)).map(|c| c.key_count());
            let mut fact = |number: String, what: &str| {
                ui.label(RichText::new(what).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")));
                ui.label(RichText::new(number).font(Theme::font(Font::NumberSmall)).color(theme.color("text.primary")));
                ui.add_space(6.0);
            };
            fact(format!("{:.1}", view.frame_ms), "ms/frame");
            if let Some(keys) = keys {
                fact(thousands(keys), "keys");
            }
            fact(thousands(joints), "joints");
            fact(thousands(document.shown_vertex_count()), "vertices");
        });
    });
}

/// `25413` as `25,413`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
