//! The timeline of Paint mode: playback and scrubbing, without keys.

use egui::{CornerRadius, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::popups::{lasting_menu_button, menu_button};
use crate::ui::{
    Action, Actions, Theme, View, WeightLook,
    drop_down::option_row,
    theme::Font,
    widgets::{elided, icon_button},
};
use crate::ui::{PaintAction, TimelineAction};
use ulna_edit::command::{BrushCommand, ModeCommand, PlayCommand};
use ulna_model::Document;
use ulna_motion::Spot;
use ulna_render::ColorRole;

/// Height of the strip, in points.
pub const STRIP: f32 = 84.0;

pub fn strip_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let playback = view.timeline.playback;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            ui.spacing_mut().item_spacing.x = 2.0;
            let shows = view.shown_clip().is_some() || view.paint.range_length().is_some();
            let off = if document.clips.is_empty() {
                Err("No clips in this file")
            } else {
                Err("No clip is shown")
            };
            let enabled = if shows { Ok(()) } else { off };
            let play = if playback.playing {
                (icons::ICON_PAUSE, "Pause")
            } else {
                (icons::ICON_PLAY_ARROW, "Play")
            };
            let buttons = [
                (icons::ICON_FIRST_PAGE, "Clip start", PlayCommand::Start, false),
                (play.0, play.1, PlayCommand::Toggle, playback.playing),
                (icons::ICON_LAST_PAGE, "Clip end", PlayCommand::End, false),
                (
                    icons::ICON_REPEAT,
                    "Loop",
                    PlayCommand::Loop,
                    playback.repeat == ulna_model::Repeat::Loop,
                ),
            ];
            for (icon, name, command, on) in buttons {
                if icon_button(
                    ui,
                    theme,
                    icon,
                    name,
                    view.settings.keys.key(command.name()),
                    on,
                    enabled,
                )
                .clicked()
                {
                    actions.push(Action::Run(command.into()));
                }
            }
            ui.add_space(6.0);
            let time = format!("{:.3} s", playback.time);
            let (rect, response) = ui.allocate_exact_size(vec2(72.0, 24.0), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &time));
            ui.painter().rect(
                rect,
                4.0,
                theme.color(ColorRole::SurfaceField),
                theme.field_edge(),
                egui::StrokeKind::Inside,
            );
            let color =
                theme.color(if shows { ColorRole::TextPrimary } else { ColorRole::TextDisabled });
            let at = rect.right_center() - vec2(8.0, 0.0);
            ui.painter().text(
                at,
                egui::Align2::RIGHT_CENTER,
                time,
                Theme::font(Font::Number),
                color,
            );
            ui.add_space(6.0);
            clip_ui(ui, view, actions);
            ui.add_space(4.0);
            super::bend::bend_ui(ui, view, actions);
            ui.add_space(8.0);
            track_ui(ui, view, actions);
        });
        ui.horizontal(|ui| {
            ui.set_height(30.0);
            note_ui(ui, view, actions);
        });
    });
}

/// Draws the choice of the pose to paint on.
fn clip_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let range = view.paint.range_length().is_some();
    let shown = view.shown_clip().filter(|_| !range);
    let bent = view.paint.bending.pose_name();
    let now = match shown {
        _ if bent.is_some() => bent.unwrap_or_default().to_owned(),
        _ if range => "Range of motion".to_owned(),
        Some(clip) => document.clip_label(clip),
        None => "The file's pose".to_owned(),
    };
    let label = elided(ui, &now, &Theme::font(Font::Body), 150.0);
    let text = format!("{label} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let button =
        egui::Button::new(RichText::new(text).color(view.theme.color(ColorRole::TextPrimary)));
    // The menu contains a name field, so clicks leave it open.
    let response = lasting_menu_button(ui, button, |ui| {
        ui.set_min_width(220.0);
        egui::ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
            let (range, shown) = (range && bent.is_none(), shown.filter(|_| bent.is_none()));
            if option_row(ui, shown.is_none() && !range && bent.is_none(), "The file's pose")
                .clicked()
            {
                actions.push(PaintAction::PaintOverClip(false));
                ui.close();
            }
            if option_row(ui, range, "Range of motion").clicked() {
                actions.push(PaintAction::PaintRange(true));
                ui.close();
            }
            for id in document.clips.ids() {
                if option_row(ui, shown == Some(id), &document.clip_label(id)).clicked() {
                    actions.push(TimelineAction::ShowClip(id));
                    actions.push(PaintAction::PaintOverClip(true));
                    ui.close();
                }
            }
            super::bend::tests_ui(ui, view, actions);
        });
        ui.separator();
        super::bend::keep_ui(ui, actions);
    });
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Button, true, format!("Pose while painting: {now}"))
    });
}

/// Draws the line for scrubbing.
fn track_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let shows = view.shown_clip().is_some() || view.paint.range_length().is_some();
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width() - 8.0, 28.0), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(shows, view.timeline.playback.time, "Playhead"));
    let painter = ui.painter();
    let line = Rect::from_center_size(rect.center(), vec2(rect.width(), 1.0));
    painter.rect_filled(line, 0.0, theme.color(ColorRole::StrokeControl));
    if !shows {
        return;
    }
    let length = view
        .paint
        .range_length()
        .unwrap_or_else(|| view.timeline.playback.length(document))
        .max(1e-9);
    for k in 0..=20 {
        let x = rect.left() + rect.width() * k as f32 / 20.0;
        let h = if k % 5 == 0 { 6.0 } else { 4.0 };
        painter.vline(
            x,
            rect.center().y - h..=rect.center().y + h,
            egui::Stroke::new(1.0, theme.color(ColorRole::StrokeStrong)),
        );
    }
    if let Some(at) =
        response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked())
    {
        let part = f64::from(((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0));
        actions.push(TimelineAction::Seek(part * length));
    }
    let x =
        rect.left() + rect.width() * (view.timeline.playback.time / length).clamp(0.0, 1.0) as f32;
    painter.vline(
        x,
        rect.top()..=rect.bottom(),
        egui::Stroke::new(1.5, theme.color(ColorRole::TimelinePlayhead)),
    );
    let flag = Rect::from_center_size(pos2(x, rect.top() + 5.0), vec2(9.0, 10.0));
    painter.rect_filled(
        flag,
        CornerRadius { nw: 2, ne: 2, sw: 4, se: 4 },
        theme.color(ColorRole::TimelinePlayhead),
    );
}

/// Text with the clip and time of a deformation.
fn when(document: &Document, spot: &Spot) -> String {
    let clip = spot.clip.map_or_else(|| "Range of motion".to_owned(), |c| document.clip_label(c));
    format!("{clip}, {:.2} s", spot.time)
}

/// Describes the deformation at a point.
fn deformation(spot: &Spot) -> String {
    let mut parts = vec![format!("stretch {:.1}×", spot.strain.stretch)];
    if spot.strain.volume < 0.9 {
        parts.push(format!("volume {:.0} %", spot.strain.volume.max(0.0) * 100.0));
    }
    if spot.strain.flipped {
        parts.push("flipped".into());
    }
    parts.join(", ")
}

/// Draws the worst deformation of the skin, with buttons that show it.
fn note_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let (rect, _) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::hover());
    let icon = icons::ICON_HEALING;
    crate::ui::widgets::paint_icon(
        ui.painter(),
        rect.center(),
        icon,
        16.0,
        theme.color(ColorRole::TextSecondary),
    );
    let narrow = ui.available_width() < 720.0;
    match view.paint.spot_under_brush().or(view.paint.spots().first().copied()) {
        Some(spot) => spot_ui(ui, view, document, &spot, narrow, actions),
        None if view.paint.worst.is_some() => {
            ui.label(
                RichText::new("No bad deformation found.")
                    .color(theme.color(ColorRole::TextSecondary)),
            );
        }
        None => {
            let text = if narrow {
                "Worst deformations"
            } else {
                "Worst deformations in all clips and a range of motion"
            };
            ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
        }
    }
    let name = if view.paint.worst.is_some() { "Search again" } else { "Find the worst pose" };
    if ui.add_enabled(view.program.job.is_none(), egui::Button::new(name)).clicked() {
        actions.push(Action::Run(BrushCommand::Worst.into()));
    }
    if !view.paint.spots().is_empty() {
        spots_ui(ui, view, document, actions);
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let key = view.settings.keys.key(ModeCommand::AnimateMode.name());
        let (font, color) = (Theme::font(Font::Caption), theme.color(ColorRole::TextTertiary));
        let text = format!("Keys are edited in Animate mode ({key}).");
        if ui.painter().layout_no_wrap(text.clone(), font.clone(), color).size().x
            <= ui.available_width()
        {
            ui.label(RichText::new(text).font(font).color(color));
        }
    });
}

/// Draws the worst pose of a vertex, its deformation, the score before and now, and a button that
/// moves the playhead to the pose.
fn spot_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    spot: &Spot,
    narrow: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let lead = match (view.paint.spot_under_brush().is_some(), narrow) {
        (true, false) => "Worst pose for this vertex:",
        (false, false) => "Worst pose:",
        (true, true) => "Here:",
        (false, true) => "Worst:",
    };
    ui.label(RichText::new(lead).color(theme.color(ColorRole::TextSecondary)));
    ui.label(RichText::new(when(document, spot)).color(theme.color(ColorRole::TextPrimary)));
    let vertex = crate::ui::widgets::thousands(spot.vertex as usize);
    let text = if narrow {
        deformation(spot)
    } else {
        format!("{} at vertex {vertex}", deformation(spot))
    };
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary)),
    );
    if let (Some(first), Some(now)) =
        (view.paint.worst.and_then(|w| w.first_score), view.paint.spots().first().map(|s| s.score))
        && (first - now).abs() > 0.005
    {
        // Scores at the time of the search, and after later strokes.
        let role = if now < first { ColorRole::SeverityOk } else { ColorRole::SeverityWarning };
        let text = format!("worst score {first:.2} → {now:.2}");
        ui.label(RichText::new(text).font(Theme::font(Font::NumberSmall)).color(theme.color(role)));
    }
    if ui.button("Go to pose").clicked() {
        actions.push(PaintAction::GoToSpot(*spot));
    }
}

/// Draws buttons that step through the worst deformations, and the list of all.
fn spots_ui(ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let theme = view.theme;
    ui.spacing_mut().item_spacing.x = 4.0;
    let steps = [
        (icons::ICON_CHEVRON_LEFT, BrushCommand::PreviousSpot),
        (icons::ICON_CHEVRON_RIGHT, BrushCommand::NextSpot),
    ];
    for (icon, command) in steps {
        let spec = command.spec();
        if icon_button(
            ui,
            theme,
            icon,
            spec.title,
            view.settings.keys.key(spec.name),
            false,
            Ok(()),
        )
        .clicked()
        {
            actions.push(Action::Run(command.into()));
        }
    }
    let text =
        format!("Worst {} {}", view.paint.spots().len(), icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let menu = menu_button(ui, text, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, spot) in view.paint.spots().iter().enumerate() {
            let label = format!("{}  {} · {}", k + 1, when(document, spot), deformation(spot));
            if option_row(ui, false, &label).clicked() {
                actions.push(PaintAction::GoToSpot(*spot));
                actions.push(PaintAction::WeightLook(WeightLook::Worst));
                ui.close();
            }
        }
    });
    menu.widget_info(|| WidgetInfo::labeled(Role::Button, true, "List of worst deformations"));
}
