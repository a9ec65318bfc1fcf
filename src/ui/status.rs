//! The status bar: what the mouse and keys do now, and measured numbers.

use egui::{ProgressBar, RichText, Ui, vec2};

use super::widgets::thousands;
use super::{Actions, Theme, Tool, View, theme::Font};
use crate::render::ColorRole;
use crate::ui::ProgramAction;
use crate::{
    edit::{
        Mode,
        command::{BrushCommand, FileCommand, PlayCommand, SelectCommand, SetKey, ToolCommand, ViewCommand},
        key_parts,
    },
    weights::BrushKind,
};

pub fn status_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        // Keys are the live map's; what the mouse does is the same in all of them.
        let key = |command: &str| key_parts(view.settings.keys.key(command)).join("+");
        let against = match view.paint.brush.inverted() {
            Some(brush) if brush.kind == BrushKind::Set => "set the rest",
            Some(brush) if brush.kind == BrushKind::Scale => "scale back",
            Some(brush) => brush.kind.verb(),
            None => "the same",
        };
        let hints: Vec<(String, &str)> =
            match (view.session.is_some(), view.selection.nodes.is_empty(), view.viewport.tool) {
                _ if view.program.welcome => {
                    vec![
                        (key(FileCommand::Open { path: None }.name()), "open a file"),
                        (key(FileCommand::Find.name()), "find a command"),
                        ("Esc".into(), "back"),
                    ]
                }
                (false, ..) => vec![
                    (key(FileCommand::Open { path: None }.name()), "open a file"),
                    (key(FileCommand::Find.name()), "find a command"),
                ],
                _ if view.paint.adjusting.is_some() => {
                    vec![("Drag".into(), "change it"), ("Click".into(), "done"), ("Esc".into(), "as before")]
                }
                _ if view.mode == Mode::Paint => vec![
                    ("Drag".into(), view.paint.brush.kind.verb()),
                    ("Ctrl".into(), against),
                    ("Shift".into(), "smooth"),
                    (key(BrushCommand::Radius.name()), "radius"),
                    ("Right-click".into(), "pick joint"),
                    ("Ctrl+Alt drag".into(), "select vertices"),
                ],
                (true, true, _) => vec![
                    ("Click".into(), "select"),
                    ("Alt drag".into(), "orbit"),
                    ("Wheel".into(), "zoom"),
                    (key(ViewCommand::FrameAll.name()), "frame all"),
                    (
                        if view.availability.clip_shown { key(PlayCommand::Toggle.name()) } else { String::new() },
                        "play",
                    ),
                ],
                (true, false, Tool::Rotate) => vec![
                    ("Drag a ring".into(), "rotate"),
                    ("Ctrl".into(), "snap 5°"),
                    ("Esc".into(), "cancel"),
                    (key(SetKey::NAME), "set key"),
                    (key(ViewCommand::FrameSelected.name()), "frame"),
                ],
                (true, false, Tool::Select) => vec![
                    (key(ToolCommand::Rotate.name()), "rotate"),
                    (key(SetKey::NAME), "set key"),
                    (key(ViewCommand::FrameSelected.name()), "frame"),
                    (
                        format!("{} {}", key(SelectCommand::Parent.name()), key(SelectCommand::Child.name())),
                        "walk the chain",
                    ),
                ],
            };
        // Numbers at the right come first where there is little room.
        let room = ui.available_width() - 400.0;
        let mut taken = 0.0;
        for (key, text) in hints.into_iter().filter(|(key, _)| !key.trim().is_empty()) {
            taken += (key.chars().count() + text.chars().count()) as f32 * 6.5 + 34.0;
            if taken > room {
                break;
            }
            let frame = egui::Frame::new()
                .fill(theme.color(ColorRole::SurfaceControl))
                .corner_radius(3)
                .inner_margin(egui::Margin::symmetric(5, 0));
            frame.show(ui, |ui| {
                ui.label(
                    RichText::new(key).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextSecondary)),
                )
            });
            ui.label(RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextTertiary)));
            ui.add_space(6.0);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(job) = &view.program.job {
                if job.cancellable && ui.add(egui::Button::new("Cancel").min_size(vec2(0.0, 20.0))).clicked() {
                    actions.push(ProgramAction::CancelJob);
                }
                let bar = ui.add(
                    ProgressBar::new(job.fraction)
                        .desired_width(160.0)
                        .desired_height(10.0)
                        .fill(theme.color(ColorRole::AccentBase)),
                );
                super::widgets::name_widget(ui, &bar, &job.label);
                ui.label(
                    RichText::new(&job.label)
                        .font(Theme::font(Font::Caption))
                        .color(theme.color(ColorRole::TextSecondary)),
                );
                return;
            }
            let Some(session) = view.session else { return };
            let document = session.document();
            let joints = view.joints.iter().filter(|j| **j).count();
            let keys = view.shown_clip().and_then(|c| document.clips.get(c)).map(|c| c.key_count());
            let mut fact = |number: String, what: &str| {
                ui.label(
                    RichText::new(what).font(Theme::font(Font::Caption)).color(theme.color(ColorRole::TextTertiary)),
                );
                ui.label(
                    RichText::new(number)
                        .font(Theme::font(Font::NumberSmall))
                        .color(theme.color(ColorRole::TextPrimary)),
                );
                ui.add_space(6.0);
            };
            if view.mode == Mode::Paint && view.paint.dab_ms > 0.0 {
                fact(format!("{:.2}", view.paint.dab_ms), "ms/dab");
            }
            fact(format!("{:.1}", view.viewport.frame_ms), "ms/frame");
            if let Some(scale) = view.viewport.quick {
                let step = if scale < 0.99 { format!("{:.0} %", scale * 100.0) } else { "1 sample".to_owned() };
                fact(step, "while it moves");
            }
            if let Some(keys) = keys {
                fact(thousands(keys), if keys == 1 { "key" } else { "keys" });
            }
            fact(thousands(joints), if joints == 1 { "joint" } else { "joints" });
            fact(thousands(document.shown_vertex_count()), "vertices");
        });
    });
}
