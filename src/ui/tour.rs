//! A short tour of the window, on the sample: each step names a panel, says what it is for, and
//! what to try.

use egui::{Align2, Area, Id, Order, Rect, RichText, Stroke, StrokeKind, Ui, vec2};

use super::{
    Actions, Theme, View, dialogs,
    layout::{Layout, Pane},
    theme::Font,
};
use crate::ui::ProgramAction;
use ulna_edit::{
    CommandSpec,
    command::{FileCommand, PlayCommand, SetKey},
};
use ulna_render::ColorRole;

struct Step {
    pane: Pane,
    title: &'static str,
    /// `{}` stands for the live key of the next of the commands.
    text: &'static str,
    commands: &'static [fn() -> &'static CommandSpec],
}

static STEPS: [Step; 5] = [
    Step {
        pane: Pane::Viewport,
        title: "Select a limb and rotate it",
        text: "Click the model or a joint to select a joint. Drag a ring to rotate it. {} plays \
            and pauses, the \
        wheel zooms, and Alt-drag orbits the view.",
        commands: &[|| PlayCommand::Toggle.spec()],
    },
    Step {
        pane: Pane::Outliner,
        title: "Skeleton and clips",
        text: "The outliner lists all nodes of the file, with all clips below. A dot marks your \
            edits, a diamond \
        marks animated nodes. Arrow keys move through the hierarchy.",
        commands: &[],
    },
    Step {
        pane: Pane::Inspector,
        title: "Exact values",
        text: "Pose (Ul) is your change from the rest pose (L). World (W) is the result in the \
            scene. Drag a \
        number, or click it and type; arithmetic works.",
        commands: &[],
    },
    Step {
        pane: Pane::Timeline,
        title: "Keys over time",
        text: "One row per joint. In Animate mode {} sets a key at the playhead. With Auto-key on, \
            posing a joint \
        also sets a key. Drag a box around keys to select them.",
        commands: &[SetKey::spec],
    },
    Step {
        pane: Pane::Viewport,
        title: "Commands and saving",
        text: "{} finds any command by name. {} saves your edits and leaves all other bytes of the \
            file unchanged. \
        File › What will change… lists the edits before you save.",
        commands: &[|| FileCommand::Find.spec(), || FileCommand::Save.spec()],
    },
];

/// The card of the step that is shown, and a frame around its panel.
pub fn tour_ui(ui: &Ui, view: &View<'_>, layout: &Layout, actions: &mut Actions) {
    let Some((k, step)) = view.program.tour.and_then(|k| Some((k, STEPS.get(k)?))) else { return };
    let theme = view.theme;
    let screen = ui.ctx().content_rect();
    let target = layout.rect(step.pane).unwrap_or(screen);
    let painter =
        ui.ctx().layer_painter(egui::LayerId::new(Order::Middle, Id::unique("tour frame")));
    painter.rect_stroke(
        target.shrink(1.0),
        4.0,
        Stroke::new(2.0, theme.color(ColorRole::AccentBase)),
        StrokeKind::Inside,
    );
    let size = vec2(320.0, 190.0);
    let at = place(target, screen, size);
    Area::new(Id::unique("tour")).order(Order::Foreground).fixed_pos(at).show(ui.ctx(), |ui| {
        let frame = egui::Frame::window(ui.style())
            .fill(theme.color(ColorRole::SurfaceRaised))
            .inner_margin(16);
        frame.show(ui, |ui| {
            ui.set_width(size.x - 32.0);
            let count = format!("{} of {}", k + 1, STEPS.len());
            ui.label(
                RichText::new(count)
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::AccentText)),
            );
            ui.label(
                RichText::new(step.title)
                    .font(Theme::font(Font::Title))
                    .color(theme.color(ColorRole::TextPrimary)),
            );
            ui.add_space(4.0);
            let text = with_keys(step, view);
            ui.add(
                egui::Label::new(RichText::new(text).color(theme.color(ColorRole::TextSecondary)))
                    .wrap(),
            );
            ui.add_space(12.0);
            ui.horizontal(|ui| {
                let last = k + 1 == STEPS.len();
                if !last && dialogs::plain(ui, "Skip the tour").clicked() {
                    actions.push(ProgramAction::Tour(None));
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if dialogs::primary(ui, theme, if last { "Start working" } else { "Next" })
                        .clicked()
                    {
                        actions.push(ProgramAction::Tour((!last).then_some(k + 1)));
                    }
                    if k > 0 && dialogs::plain(ui, "Back").clicked() {
                        actions.push(ProgramAction::Tour(Some(k - 1)));
                    }
                });
            });
        });
    });
}

/// Beside the panel where there is room, else inside it, and always on the screen.
fn place(target: Rect, screen: Rect, size: egui::Vec2) -> egui::Pos2 {
    let wanted = if target.right() + size.x + 12.0 < screen.right() {
        Align2::LEFT_TOP.anchor_size(target.right_top() + vec2(12.0, 12.0), size)
    } else if target.left() - size.x - 12.0 > screen.left() {
        Align2::RIGHT_TOP.anchor_size(target.left_top() + vec2(-12.0, 12.0), size)
    } else if target.top() - size.y - 24.0 > screen.center().y * 0.5 {
        Align2::CENTER_BOTTOM.anchor_size(target.center_top() + vec2(0.0, -24.0), size)
    } else {
        Align2::RIGHT_BOTTOM.anchor_size(target.right_bottom() - vec2(16.0, 44.0), size)
    };
    let inside = screen.shrink(8.0);
    wanted.min.clamp(inside.min, (inside.max - size).max(inside.min))
}

/// Puts the live keys where a text has room for them.
fn with_keys(step: &Step, view: &View<'_>) -> String {
    let mut parts = step.text.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (part, command) in parts.zip(step.commands) {
        let spec = command();
        let key = view.settings.keys.key(spec.name);
        out.push_str(if key.is_empty() { spec.title } else { key });
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_tour_has_its_command() {
        for step in &STEPS {
            assert_eq!(step.text.matches("{}").count(), step.commands.len(), "{}", step.title);
        }
    }
}
