//! The timeline while painting: play and scrub, and no more.

use egui::{CornerRadius, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::{
    edit::CommandLine,
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        timeline::TimelineState,
        widgets::{icon_button, panel_title},
    },
};

/// Points the strip is high.
pub const STRIP: f32 = 84.0;

pub fn strip_ui(_: &mut TimelineState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let playback = view.playback;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            ui.spacing_mut().item_spacing.x = 2.0;
            let shows = view.shown_clip().is_some();
            let off = if document.clips.is_empty() { Err("No clips in this file") } else { Err("No clip is shown") };
            let enabled = if shows { Ok(()) } else { off };
            let play = if playback.playing { (icons::ICON_PAUSE, "Pause") } else { (icons::ICON_PLAY_ARROW, "Play") };
            let buttons = [
                (icons::ICON_FIRST_PAGE, "Clip start", "play.start", false),
                (play.0, play.1, "play.toggle", playback.playing),
                (icons::ICON_LAST_PAGE, "Clip end", "play.end", false),
                (icons::ICON_REPEAT, "Loop", "play.loop", playback.looping),
            ];
            for (icon, name, command, on) in buttons {
                if icon_button(ui, theme, icon, name, view.keys.key(command), on, enabled).clicked() {
                    actions.push(Action::Run(CommandLine::new(command)));
                }
            }
            ui.add_space(6.0);
            let time = format!("{:.3} s", playback.time);
            let (rect, response) = ui.allocate_exact_size(vec2(72.0, 24.0), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &time));
            ui.painter().rect(rect, 4.0, theme.color("surface.field"), theme.field_edge(), egui::StrokeKind::Inside);
            let color = theme.color(if shows { "text.primary" } else { "text.disabled" });
            let at = rect.right_center() - vec2(8.0, 0.0);
            ui.painter().text(at, egui::Align2::RIGHT_CENTER, time, Theme::font(Font::Number), color);
            ui.add_space(6.0);
            clip_ui(ui, view, actions);
            ui.add_space(8.0);
            track_ui(ui, view, actions);
        });
        ui.horizontal(|ui| {
            ui.set_height(30.0);
            note_ui(ui, view);
        });
    });
}

/// Which pose is painted on.
fn clip_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let shown = view.shown_clip();
    let now = shown.map_or_else(|| "Pose of the file".to_owned(), |c| document.clip_label(c));
    let text = format!("{now} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let menu = ui.menu_button(RichText::new(text).color(view.theme.color("text.primary")), |ui| {
        ui.set_min_width(200.0);
        egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            if ui.selectable_label(shown.is_none(), "Pose of the file").clicked() {
                actions.push(Action::PaintOverClip(false));
                ui.close();
            }
            for id in document.clips.keys() {
                if ui.selectable_label(shown == Some(*id), document.clip_label(*id)).clicked() {
                    actions.push(Action::ShowClip(*id));
                    actions.push(Action::PaintOverClip(true));
                    ui.close();
                }
            }
        });
    });
    menu.response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Painted on: {now}")));
}

/// A line to scrub on.
fn track_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width() - 8.0, 28.0), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(view.shown_clip().is_some(), view.playback.time, "Playhead"));
    let painter = ui.painter();
    let line = Rect::from_center_size(rect.center(), vec2(rect.width(), 1.0));
    painter.rect_filled(line, 0.0, theme.color("stroke.control"));
    if view.shown_clip().is_none() {
        return;
    }
    let length = view.playback.length(document).max(1e-9);
    for k in 0..=20 {
        let x = rect.left() + rect.width() * k as f32 / 20.0;
        let h = if k % 5 == 0 { 6.0 } else { 4.0 };
        painter.vline(
            x,
            rect.center().y - h..=rect.center().y + h,
            egui::Stroke::new(1.0, theme.color("stroke.strong")),
        );
    }
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
        let part = f64::from(((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0));
        actions.push(Action::Seek(part * length));
    }
    let x = rect.left() + rect.width() * (view.playback.time / length).clamp(0.0, 1.0) as f32;
    painter.vline(x, rect.top()..=rect.bottom(), egui::Stroke::new(1.5, theme.color("timeline.playhead")));
    let flag = Rect::from_center_size(pos2(x, rect.top() + 5.0), vec2(9.0, 10.0));
    painter.rect_filled(flag, CornerRadius { nw: 2, ne: 2, sw: 4, se: 4 }, theme.color("timeline.playhead"));
}

/// What there is to say below the strip.
fn note_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let joint = view.paint.joint.zip(view.paint.canvas).and_then(|(j, c)| c.joints().get(usize::from(j)).copied());
    match joint {
        Some(node) => {
            panel_title(ui, theme, "Painting");
            ui.label(RichText::new(document.node(node).label(node)).color(theme.color("selection.text")));
        }
        None => {
            ui.label(RichText::new("Select a joint to paint its weight.").color(theme.color("text.secondary")));
        }
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let key = view.keys.key("mode.animate");
        let text = format!("Keys are edited in Animate mode ({key}).");
        ui.label(RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")));
    });
}
