//! Transport bar: playback, steps, and the current time.

use egui::{DragValue, Frame, Margin, RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::{
    show_switch::show_ui,
    state::{NlerpGap, TimelineState},
};
use crate::ui::{
    Action, Actions, Theme, TimelineAction, View,
    blend_drag::blend_buttons_ui,
    clip_menu::clip_list,
    drop_down::{combo_box, option_row},
    poses_tab::{is_under_transport, poses_tab_ui},
    theme::Font,
    widgets::{elided, icon_button, name_widget},
};
use ulna_edit::command::{
    Between, DeleteKeys, LoopClip, PlayCommand, SetKey, SetRate, SetTicks, field::ClipName,
};
use ulna_model::{Document, Repeat, rate_in_words};
use ulna_motion::{Averaging, nlerp_difference};
use ulna_render::ColorRole;
use ulna_session::RulerUnit;

/// Controls that fit in the transport bar at a given width. Less important controls are left out
/// first.
struct TransportFit {
    speed: bool,
    /// Whether the switch between dope sheet and curves has three buttons instead of a list.
    show: bool,
    frame: bool,
    rate: bool,
    mixer: bool,
    /// Whether the buttons that move the playhead to the ends of the clip are shown.
    ends: bool,
    /// Width of the clip's name, in points.
    clip: f32,
}

impl TransportFit {
    fn of(width: f32) -> Self {
        Self {
            speed: width >= 900.0,
            show: width >= 1200.0,
            frame: width >= 720.0,
            rate: width >= 860.0,
            ends: width >= 600.0,
            mixer: width >= 760.0,
            clip: if width >= 1200.0 { 140.0 } else { 96.0 },
        }
    }
}

pub fn transport_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
) {
    let Some(session) = view.session else { return };
    let document = session.document();
    Frame::new().inner_margin(Margin::symmetric(8, 4)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            /// Width in points below which the button of the pose library is left out.
            const POSES: f32 = 760.0;
            let has_poses = is_under_transport(view);
            let poses = ui.available_width() >= POSES || has_poses;
            let taken = match (has_poses, poses) {
                (true, _) => 130.0,
                (false, true) => 30.0,
                (false, false) => 0.0,
            };
            let room = TransportFit::of(ui.available_width() - taken);
            ui.spacing_mut().item_spacing.x = 2.0;
            play_buttons(ui, view, room.ends, actions);
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            time_fields(ui, view, room.frame, actions);
            ui.add_space(4.0);
            clip_and_rate(state, ui, view, document, &room, actions);
            if !view.mixes() {
                show_ui(ui, view, room.show, actions);
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if poses {
                    poses_tab_ui(ui, view, actions);
                }
                let mixing = view.mixes();
                let key = view.settings.keys.key(PlayCommand::Mixer.name());
                if (room.mixer || mixing)
                    && icon_button(ui, view.theme, icons::ICON_JOIN, "Mixer", key, mixing, Ok(()))
                        .clicked()
                {
                    actions.push(Action::Run(PlayCommand::Mixer.into()));
                }
                if mixing {
                    return;
                }
                key_buttons(state, ui, view, document, actions);
                if view.shown_clip().is_some() {
                    ui.add_space(8.0);
                    blend_buttons_ui(&mut state.blend, ui, view, 8.0, actions);
                }
            });
        });
    });
}

/// Shows the playback buttons. `ends`: include the buttons that move the playhead to the ends of
/// the clip.
fn play_buttons(ui: &mut Ui, view: &View<'_>, ends: bool, actions: &mut Actions) {
    let (theme, playback) = (view.theme, view.timeline.playback);
    let play = if playback.playing {
        (icons::ICON_PAUSE, "Pause")
    } else {
        (icons::ICON_PLAY_ARROW, "Play")
    };
    let repeat = match playback.repeat {
        Repeat::Loop => (icons::ICON_REPEAT, "Loop"),
        Repeat::PingPong => (icons::ICON_SYNC_ALT, "Loop back and forth"),
        Repeat::Once => (icons::ICON_REPEAT, "Play once"),
    };
    let buttons = [
        (icons::ICON_FIRST_PAGE, "Clip start", PlayCommand::Start, false),
        (icons::ICON_SKIP_PREVIOUS, "Previous key", PlayCommand::PreviousKey, false),
        (play.0, play.1, PlayCommand::Toggle, playback.playing),
        (icons::ICON_SKIP_NEXT, "Next key", PlayCommand::NextKey, false),
        (icons::ICON_LAST_PAGE, "Clip end", PlayCommand::End, false),
        (repeat.0, repeat.1, PlayCommand::Loop, playback.repeat != Repeat::Once),
    ];
    let is_end = |command: &PlayCommand| matches!(command, PlayCommand::Start | PlayCommand::End);
    for (icon, name, command, on) in buttons.into_iter().filter(|b| ends || !is_end(&b.2)) {
        let key = view.settings.keys.key(command.name());
        if icon_button(ui, theme, icon, name, key, on, Ok(())).clicked() {
            actions.push(Action::Run(command.into()));
        }
    }
}

/// Shows the playhead in seconds, and in frames if `frames` is set.
fn time_fields(ui: &mut Ui, view: &View<'_>, frames: bool, actions: &mut Actions) {
    let (theme, playback) = (view.theme, view.timeline.playback);
    let plain = ui.visuals().widgets.inactive;
    ui.visuals_mut().widgets.inactive.bg_stroke = theme.field_edge();
    ui.visuals_mut().widgets.inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
    let mut time = playback.time;
    let field = DragValue::new(&mut time)
        .speed(0.01)
        .range(0.0..=1e6)
        .fixed_decimals(3)
        .suffix(" s")
        .update_while_editing(false);
    let response = ui.add_sized([78.0, 24.0], field);
    name_widget(ui, &response, "Time");
    if response.changed() {
        actions.push(TimelineAction::Seek(time));
    }
    if frames {
        let mut frame = playback.frame();
        let field = DragValue::new(&mut frame)
            .speed(0.2)
            .range(0.0..=1e8)
            .fixed_decimals(0)
            .prefix("frame ")
            .update_while_editing(false);
        let response = ui.add_sized([84.0, 24.0], field);
        name_widget(ui, &response, "Frame");
        if response.changed() {
            actions.push(TimelineAction::Seek(frame / playback.fps));
        }
    }
    ui.visuals_mut().widgets.inactive = plain;
}

/// Shows the controls for the clip, the ruler's unit and the speed.
fn clip_and_rate(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    room: &TransportFit,
    actions: &mut Actions,
) {
    let (theme, playback) = (view.theme, view.timeline.playback);
    let label = match playback.clip {
        _ if view.mixes() => "Mix".to_owned(),
        Some(clip) => document.clip_label(clip),
        None => "No clip".to_owned(),
    };
    let shown = elided(ui, &label, &Theme::font(Font::Body), room.clip - 28.0);
    let combo = combo_box("clip").selected_text(shown).width(room.clip).height(420.0);
    let combo = combo.close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    let combo = combo.show_ui(ui, |ui| {
        let chosen = clip_list(ui, theme, document, &mut state.clip_search, playback.clip);
        if let Some(id) = chosen {
            actions.push(TimelineAction::ShowClip(id));
        }
    });
    if combo.inner.is_none() {
        state.clip_search.clear();
    }
    combo
        .response
        .widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("Clip: {label}")));
    if room.rate {
        rate_ui(&mut state.nlerp_gap, ui, view, actions);
    }
    if room.speed {
        let now = format!("{}×", playback.speed);
        let combo = combo_box("speed").selected_text(now).width(60.0).show_ui(ui, |ui| {
            for speed in [0.1, 0.25, 0.5, 1.0, 1.5, 2.0] {
                if option_row(ui, (playback.speed - speed).abs() < 1e-6, &format!("{speed}×"))
                    .clicked()
                {
                    actions.push(TimelineAction::Speed(speed));
                }
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Speed"));
    }
    if let Some(reached) = playback.reached.filter(|_| playback.playing && room.speed) {
        let text = RichText::new(format!("{reached:.0} fps")).font(Theme::font(Font::Caption));
        ui.label(text.color(theme.color(ColorRole::TextTertiary)))
            .on_hover_text("Frames per second on screen");
    }
}

/// Text of a frame rate with as few digits as possible.
fn rate_text(fps: f64) -> String {
    format!("{} fps", rate_in_words(fps))
}

/// Size of a choice in the list of frame rates, in points.
const CHOICE: [f32; 2] = [84.0, 22.0];

/// Shows a choice in the list of frame rates.
fn choice(ui: &mut Ui, on: bool, text: impl Into<String>) -> egui::Response {
    ui.add_sized(CHOICE, egui::Button::selectable(on, text.into()))
}

/// Shows the label of a row of choices.
fn row_label(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary)),
    );
}

/// Shows the choices of the ruler's unit: frames, seconds, or ticks.
fn unit_row(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let playback = view.timeline.playback;
    let ticks = if let RulerUnit::Ticks(n) = playback.unit { n } else { RulerUnit::TICKS };
    for (unit, text) in [
        (RulerUnit::Frames, "Frames"),
        (RulerUnit::Seconds, "Seconds"),
        (RulerUnit::Ticks(ticks), "Ticks"),
    ] {
        if choice(ui, playback.unit == unit, text).clicked() {
            actions.push(TimelineAction::Unit(unit));
        }
    }
}

/// Shows the number of ticks per second if the ruler counts ticks, and whether it is saved in the
/// clip.
fn ticks_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let playback = view.timeline.playback;
    let RulerUnit::Ticks(now) = playback.unit else { return };
    let clip = playback.clip.and_then(|id| Some((id, view.session?.document().clips.get(id)?)));
    let own = clip.and_then(|(_, clip)| clip.ticks);
    let mut ticks = own.unwrap_or(now);
    let field = DragValue::new(&mut ticks)
        .range(1.0..=1e6)
        .suffix(" ticks per second")
        .update_while_editing(false);
    let response = ui.add_sized([200.0, 22.0], field);
    name_widget(ui, &response, "Ticks per second");
    let set = |id, rate: Option<f64>| SetTicks {
        clip: ClipName::Id(id),
        rate: rate.map(|r| r as f32),
        retime: None,
    };
    if response.changed() {
        actions.push(TimelineAction::Unit(RulerUnit::Ticks(ticks)));
        if let (Some((id, _)), Some(_)) = (clip, own) {
            let commands = vec![set(id, Some(ticks)).into()];
            actions.push(Action::Preview { label: "Set tick rate".to_owned(), commands });
        }
    }
    if own.is_some() && (response.drag_stopped() || response.lost_focus()) {
        actions.push(Action::Commit);
    }
    let Some((id, clip)) = clip else { return };
    let about = match own {
        Some(_) => {
            "The clip is stored in ticks: another rate keeps keys on their ticks and \
            changes the playback speed"
        }
        None => "Ruler unit only; keys do not move",
    };
    response.on_hover_text(about);
    let mut kept = own.is_some();
    let text = format!("Store in the clip: {:.1} ticks", f64::from(clip.length()) * ticks);
    let check = crate::ui::widgets::check(ui, view.theme, &mut kept, text);
    if check.on_hover_text("Saved in the clip's extras: ulna.ticks").changed() {
        actions.push(Action::Run(set(id, kept.then_some(ticks)).into()));
    }
}

/// Sets the frame rate of the ruler and of the shown clip, which stores it.
fn count_at(fps: f64, view: &View<'_>, actions: &mut Actions) {
    actions.push(TimelineAction::Fps(fps));
    let clip = view.shown_clip().filter(|_| !view.timeline.playback.mixing);
    actions.extend(
        clip.map(|id| {
            Action::Run(SetRate { clip: ClipName::Id(id), rate: Some(fps as f32) }.into())
        }),
    );
}

/// Shows the ruler's rate and unit, the interpolation of new keys, and the loop mode, one row each.
fn rows_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    const RATES: [f64; 12] = [
        12.0,
        15.0,
        24000.0 / 1001.0,
        24.0,
        25.0,
        30000.0 / 1001.0,
        30.0,
        48.0,
        50.0,
        60000.0 / 1001.0,
        60.0,
        120.0,
    ];
    let (theme, playback) = (view.theme, view.timeline.playback);
    row_label(ui, theme, "Rate");
    for (k, fps) in RATES.into_iter().enumerate() {
        if choice(ui, (playback.fps - fps).abs() < 1e-6, rate_text(fps)).clicked() {
            count_at(fps, view, actions);
            ui.close();
        }
        if k % 3 == 2 {
            ui.end_row();
            row_label(ui, theme, if k + 1 < RATES.len() { "" } else { "Other rate" });
        }
    }
    let mut typed = playback.fps;
    let field =
        DragValue::new(&mut typed).range(0.1..=10_000.0).suffix(" fps").update_while_editing(false);
    let response = ui.add_sized(CHOICE, field.max_decimals(3));
    name_widget(ui, &response, "Frames per second, typed");
    if response.changed() {
        count_at(typed, view, actions);
    }
    ui.end_row();
    row_label(ui, theme, "Ruler unit");
    unit_row(ui, view, actions);
    ui.end_row();
    row_label(ui, theme, "New keys");
    for (way, text) in
        [(Between::Smooth, "Smooth"), (Between::Linear, "Linear"), (Between::Hold, "Hold")]
    {
        let response = choice(ui, view.settings.new_keys == way, text);
        response
            .widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("New keys: {text}")));
        if response.clicked() {
            let settings = crate::ui::Settings { new_keys: way, ..view.settings.clone() };
            actions.push(crate::ui::ProgramAction::Settings(Box::new(settings)));
        }
    }
    ui.end_row();
    row_label(ui, theme, "At the end");
    for (way, text) in
        [(Repeat::Loop, "Loop"), (Repeat::PingPong, "Ping-pong"), (Repeat::Once, "Once")]
    {
        let response = choice(ui, playback.repeat == way, text);
        response
            .widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("At the end: {text}")));
        if response.clicked() {
            actions.push(TimelineAction::Repeat(way));
        }
    }
    ui.end_row();
}

/// Shows the list of frame rates, and the options for counting and playing frames.
fn rate_ui(gap: &mut NlerpGap, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let playback = view.timeline.playback;
    let combo = combo_box("fps")
        .selected_text(rate_text(playback.fps))
        .width(84.0)
        .height(600.0)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .show_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let rows = egui::Grid::new("rates").num_columns(4).spacing([4.0, 2.0]);
            rows.show(ui, |ui| rows_ui(ui, view, actions));
            ticks_ui(ui, view, actions);
            keep_end_ui(ui, view, actions);
            let mut all = playback.every_frame;
            let response = crate::ui::widgets::check(ui, view.theme, &mut all, "Play every frame");
            if response
                .on_hover_text("Shows every frame, even if playback is slower than real time")
                .changed()
            {
                actions.push(Action::Run(PlayCommand::EveryFrame.into()));
            }
            let mut stepped = playback.stepped;
            let response = crate::ui::widgets::check(ui, view.theme, &mut stepped, "Play stepped");
            if response.on_hover_text("Holds each pose until the next key, for blocking").changed()
            {
                actions.push(Action::Run(PlayCommand::Stepped.into()));
            }
            nlerp_ui(gap, ui, view, actions);
        });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "Frames per second"));
    let mut about =
        "Frame rate and unit of the ruler. Changing them does not move keys.".to_owned();
    if let Some(share) = playback.guessed {
        about += " The rate was found from the keys";
        about += &match (share * 100.0).round() {
            100.0.. => ".".to_owned(),
            percent => format!("; {percent:.0} % of them are on its frames."),
        };
    }
    combo.response.on_hover_text(about);
}

/// Shows the NLERP option for rotations, with its largest difference from SLERP.
fn nlerp_ui(gap: &mut NlerpGap, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let playback = view.timeline.playback;
    let mut on = playback.between == Averaging::Nlerp;
    let clip = playback.clip.and_then(|id| Some((id, view.session?)));
    let widest = clip.and_then(|(id, session)| {
        let clip = session.document().clips.get(id)?;
        Some(*gap.update((session.generation(), id), |_| nlerp_difference(clip)))
    });
    let text = match widest {
        Some(gap) => format!("NLERP (differs from SLERP by up to {:.2}°)", gap.to_degrees()),
        None => "NLERP".to_owned(),
    };
    let response = crate::ui::widgets::check(ui, view.theme, &mut on, text);
    let about = "Interpolates rotations by normalized linear interpolation, as older players do. \
        glTF specifies SLERP";
    if response.on_hover_text(about).changed() {
        actions.push(Action::Run(PlayCommand::Nlerp.into()));
    }
}

/// Shows the option to save the loop mode in the clip.
fn keep_end_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let playback = view.timeline.playback;
    let clip = playback.clip.and_then(|id| Some((id, view.session?.document().clips.get(id)?)));
    let Some((id, clip)) = clip else { return };
    let mut kept = clip.repeat == Some(playback.repeat);
    let text = "Save loop mode in the clip";
    let response = crate::ui::widgets::check(ui, view.theme, &mut kept, text);
    if response.on_hover_text("Saved in the clip's extras: ulna.loop").changed() {
        let repeat = kept.then(|| playback.repeat.into());
        actions.push(Action::Run(LoopClip { clip: ClipName::Id(id), repeat }.into()));
    }
}

/// Shows the buttons for keys and their display on the right, from right to left.
fn key_buttons(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let theme = view.theme;
    // Without the dope sheet, there are no keys to fit, filter or delete.
    let has_sheet = !is_under_transport(view);
    if has_sheet {
        sheet_buttons(state, ui, view, document);
    }
    for (icon, name, command) in [
        (icons::ICON_DELETE, "Delete keys", DeleteKeys::spec()),
        (icons::ICON_KEY, "Set key", SetKey::spec()),
    ] {
        if !has_sheet && command.name == DeleteKeys::NAME {
            continue;
        }
        let (key, enabled) =
            (view.settings.keys.key(command.name), command.check(&view.availability));
        if icon_button(ui, theme, icon, name, key, false, enabled).clicked() {
            actions.push(Action::Invoke(command));
        }
    }
}

/// Shows the buttons for the display of the clip's keys, from right to left.
fn sheet_buttons(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, document: &Document) {
    let theme = view.theme;
    if icon_button(ui, theme, icons::ICON_FIT_SCREEN, "Fit the clip", "", false, Ok(())).clicked() {
        state.time.fit(view.timeline.playback.length(document));
    }
    let only = state.filter.selected_only;
    if icon_button(ui, theme, icons::ICON_ADS_CLICK, "Selected joints only", "", only, Ok(()))
        .clicked()
    {
        state.filter.selected_only = !only;
    }
}
