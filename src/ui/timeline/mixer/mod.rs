//! The mixer: lanes of clips under the ruler, on the same axis. What a hand does to them is one step; what plays is seen live.

mod bars;
mod detail;
mod heads;

use egui::{
    Align, Layout, PopupCloseBehavior, Rect, RichText, Sense, Ui,
    containers::menu::{MenuButton, MenuConfig},
    pos2, vec2,
};
use egui_material_icons::icons;

use super::{TimelineState, axis::TimeAxis, ruler::ruler_ui};
use crate::{
    edit::command::{
        BakeMix, EnterHow, GoTo, GoWhen, KeepMix, MixText, PlayOver, SetMix, field::ClipName, field::Seconds,
        is_mix_kept, mix_of,
    },
    model::{ClipId, Document, Mix, MixBar, MixLane, MixReference, Shared},
    motion::{Mixer, Playing},
    render::{ColorRole, Measure},
    ui::{
        Action, Actions, Theme, TimelineAction, View,
        theme::Font,
        widgets::{filter_field, icon_button, name_widget, segment, segments},
    },
};

/// Points of a lane's head, and of a lane.
const HEADS: f32 = 256.0;
const LANE: f32 = 64.0;

/// What the mixer keeps.
#[derive(Clone, Debug)]
pub struct MixerState {
    /// The bar that is looked at: its lane, and which of it.
    chosen: Option<(usize, usize)>,
    drag: Option<bars::Drag>,
    scroll: f32,
    /// What a list of clips is narrowed to.
    search: String,
    goes: GoWhen,
    how: EnterHow,
    to: Option<ClipId>,
    mixer: Mixer,
}

impl Default for MixerState {
    fn default() -> Self {
        Self {
            chosen: None,
            drag: None,
            scroll: 0.0,
            search: String::new(),
            goes: GoWhen::Now,
            how: EnterHow::Fade,
            to: None,
            mixer: Mixer::default(),
        }
    }
}

/// A changed mix, as a step of its own.
fn set(mix: Mix, actions: &mut Actions) {
    actions.push(Action::Run(SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()));
}

/// A changed mix, as it is while a hand changes it.
fn preview(label: &str, mix: Mix, actions: &mut Actions) {
    let commands = vec![SetMix { mix: MixText::Mix(Shared::new(mix)) }.into()];
    actions.push(Action::Preview { label: label.to_owned(), commands });
}

/// A list of clips; the one that was chosen.
fn clip_list(ui: &mut Ui, theme: &Theme, document: &Document, search: &mut String) -> Option<ClipId> {
    const MANY: usize = 12;
    ui.set_min_width(220.0);
    let mut ids: Vec<ClipId> = document.clips.ids().collect();
    if ids.len() > MANY {
        filter_field(ui, theme, search, "Find a clip");
        let needle = search.to_lowercase();
        ids.retain(|id| document.clip_label(*id).to_lowercase().contains(&needle));
    }
    let mut chosen = None;
    egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
        for id in ids {
            if ui.button(document.clip_label(id)).clicked() {
                chosen = Some(id);
                ui.close();
            }
        }
    });
    chosen
}

/// A button with a list of clips, which a click into its field does not close; the one that was chosen.
fn clip_menu(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    search: &mut String,
    words: [&str; 2],
    name: &str,
) -> Option<ClipId> {
    let [text, head] = words;
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, menu) = MenuButton::new(text).config(config).ui(ui, |ui| {
        if !head.is_empty() {
            let head = RichText::new(head).font(Theme::font(Font::Small));
            ui.label(head.color(view.theme.color(ColorRole::TextTertiary)));
        }
        clip_list(ui, view.theme, document, search)
    });
    name_widget(ui, &response, name);
    menu.and_then(|m| m.inner)
}

pub fn mixer_ui(state: &mut TimelineState, ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let mix = mix_of(document).unwrap_or_default();
    let time = view.timeline.playback.time;
    let playing = state.mixer.mixer.playing(document, &mix, time);
    if state.mixer.chosen.is_some_and(|(l, b)| mix.lanes.get(l).is_none_or(|lane| b >= lane.bars.len())) {
        state.mixer.chosen = None;
    }
    header_ui(&mut state.mixer, ui, view, document, &mix, actions);
    detail::detail_ui(&mut state.mixer, ui, view, document, &mix, actions);
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let heads = HEADS.min(whole.width() * 0.4);
    let sheet = Rect::from_min_max(pos2(whole.left() + heads, whole.top()), whole.max);
    let axis = TimeAxis { left: sheet.left(), right: sheet.right(), start: state.start, end: state.end };
    let ruler = Rect::from_min_max(sheet.min, pos2(sheet.right(), sheet.top() + Measure::Ruler.points()));
    ruler_ui(state, ui, view, &axis, ruler, actions);
    let body = Rect::from_min_max(pos2(whole.left(), ruler.bottom()), whole.max);
    navigate(state, ui, &axis, body, mix.lanes.len());
    let painter = ui.painter_at(body);
    painter.rect_filled(body, 0.0, view.theme.color(ColorRole::SurfaceTimeline));
    if mix.lanes.is_empty() {
        empty_ui(ui, view, body, actions);
        return;
    }
    // The last lane is on top.
    for (row, lane) in (0..mix.lanes.len()).rev().enumerate() {
        let top = body.top() + row as f32 * LANE - state.mixer.scroll;
        let rect = Rect::from_min_size(pos2(body.left(), top), vec2(body.width(), LANE));
        if rect.bottom() < body.top() || rect.top() > body.bottom() {
            continue;
        }
        let head = Rect::from_min_max(rect.min, pos2(sheet.left(), rect.bottom()));
        let own: Vec<Playing> = playing.iter().filter(|p| p.lane == lane).copied().collect();
        let room = Rect::from_min_max(pos2(sheet.left(), rect.top()), rect.max);
        bars::lane_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (&mix, lane),
            &axis,
            room.intersect(body),
            room,
            &own,
            actions,
        );
        heads::head_ui(&mut state.mixer, ui, view, document, (&mix, lane), head, body, &own, actions);
        painter.hline(
            rect.x_range(),
            rect.bottom() - 0.5,
            egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelineGridMajor)),
        );
    }
    let x = axis.x(time);
    if sheet.x_range().contains(x) {
        painter.vline(x, body.y_range(), egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelinePlayhead)));
    }
}

/// The wheel scrolls; with Ctrl it zooms about the pointer, with Shift it goes along the time.
fn navigate(state: &mut TimelineState, ui: &Ui, axis: &TimeAxis, body: Rect, lanes: usize) {
    let (scroll, modifiers, pointer) = ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
    if let Some(at) = pointer.filter(|_| ui.rect_contains_pointer(body)) {
        if modifiers.command {
            let zoom = ui.input(egui::InputState::zoom_delta);
            state.zoom(axis.time(at.x), 1.0 / f64::from(zoom));
        } else if modifiers.shift || scroll.x != 0.0 {
            let by = scroll.x + if modifiers.shift { scroll.y } else { 0.0 };
            state.shift(-f64::from(by) / axis.scale());
        } else {
            state.mixer.scroll -= scroll.y;
        }
    }
    let most = (lanes as f32 * LANE - body.height()).max(0.0);
    state.mixer.scroll = state.mixer.scroll.clamp(0.0, most);
}

fn empty_ui(ui: &mut Ui, view: &View<'_>, body: Rect, actions: &mut Actions) {
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(body));
    place.vertical_centered(|ui| {
        ui.add_space((body.height() * 0.5 - 40.0).max(4.0));
        ui.label(RichText::new("No lanes").color(view.theme.color(ColorRole::TextSecondary)));
        let small = RichText::new("A lane plays clips over what is below it.").font(Theme::font(Font::Small));
        ui.label(small.color(view.theme.color(ColorRole::TextTertiary)));
        ui.add_space(4.0);
        if ui.button("Add a lane").clicked() {
            set(with_lane(&Mix::default(), view, None), actions);
        }
    });
}

/// With another lane, on which the clip that was shown last plays.
fn with_lane(mix: &Mix, view: &View<'_>, additive: Option<MixReference>) -> Mix {
    let mut made = mix.clone();
    let number = mix.lanes.len() + 1;
    let name = if mix.lanes.is_empty() { "Body".to_owned() } else { format!("Lane {number}") };
    let document = view.session.map(|s| s.document());
    let clip = view.timeline.playback.clip.and_then(|id| Some((id, document?.clips.get(id)?)));
    let bars = clip.map(|(id, clip)| {
        let length = f64::from(clip.length()).max(0.5) * 2.0;
        let start = if mix.lanes.is_empty() { 0.0 } else { view.timeline.playback.time };
        MixBar::new(id, start, length.max(mix.length() - start))
    });
    let lane = MixLane { additive, bars: bars.into_iter().collect(), ..MixLane::new(&name) };
    // Additive ones stand above the others.
    let first_additive = mix.lanes.iter().position(|l| l.additive.is_some()).unwrap_or(mix.lanes.len());
    let place = if additive.is_some() { mix.lanes.len() } else { first_additive };
    made.lanes.insert(place, lane);
    made
}

fn header_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    mix: &Shared<Mix>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 2)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            if ui.button("＋ Lane").on_hover_text("A lane that covers what is below it").clicked() {
                set(with_lane(mix, view, None), actions);
            }
            let additive = ui.button("＋ Additive lane");
            if additive.on_hover_text("A lane that adds the difference of its clips to their reference").clicked() {
                set(with_lane(mix, view, Some(MixReference::First)), actions);
            }
            let running = view.timeline.playback.clip.filter(|_| mix.lanes.iter().all(|l| l.bars.is_empty()));
            let below =
                running.or_else(|| mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips).next().copied());
            let words = ["Shoot while running", "On the upper body plays"];
            ui.add_enabled_ui(below.is_some(), |ui| {
                if let Some(over) = clip_menu(ui, view, document, &mut state.search, words, words[0])
                    && let Some(below) = below
                {
                    let time = Some(Seconds(if running.is_some() { 0.0 } else { view.timeline.playback.time as f32 }));
                    let command = PlayOver { clip: ClipName::Id(below), over: ClipName::Id(over), node: None, time };
                    actions.push(Action::Run(command.into()));
                }
            });
            ui.separator();
            go_ui(state, ui, view, document, actions);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, theme, icons::ICON_CLOSE, "Close the mixer", "", false, Ok(())).clicked() {
                    actions.push(TimelineAction::Mixing(false));
                }
                let is_some = mix.length() > 0.0;
                if ui
                    .add_enabled(is_some, egui::Button::new("Bake to a clip"))
                    .on_hover_text("What plays becomes a new clip")
                    .clicked()
                {
                    let bake = BakeMix { name: None, rate: None, millimetres: None, in_place: None };
                    actions.push(Action::Run(bake.into()));
                }
                let kept = is_mix_kept(document);
                let keep = egui::Button::new(if kept && is_some { "Kept in the file" } else { "Keep in the file" });
                if ui.add_enabled(is_some && !kept, keep).clicked() {
                    actions.push(Action::Run(KeepMix { on: None }.into()));
                }
            });
        });
    });
}

/// To which clip, when, and how.
fn go_ui(state: &mut MixerState, ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let theme = view.theme;
    ui.label(RichText::new("Go to").color(theme.color(ColorRole::TextSecondary)));
    let to = state.to.filter(|id| document.clips.contains(*id));
    let label = to.map_or_else(|| "a clip".to_owned(), |id| document.clip_label(id));
    let short = crate::ui::widgets::cut(ui, &label, &Theme::font(Font::Body), 120.0);
    let name = format!("Go to clip: {label}");
    if let Some(id) = clip_menu(ui, view, document, &mut state.search, [&short, ""], &name) {
        state.to = Some(id);
    }
    segments(ui, theme, |ui| {
        for (when, text) in [(GoWhen::Now, "Now"), (GoWhen::End, "At the end"), (GoWhen::Marker, "At a marker")] {
            if segment(ui, theme, text, state.goes == when, false).clicked() {
                state.goes = when;
            }
        }
    });
    segments(ui, theme, |ui| {
        for (how, text) in [(EnterHow::Fade, "Cross-fade"), (EnterHow::Inertial, "Inertial"), (EnterHow::Cut, "Cut")] {
            if segment(ui, theme, text, state.how == how, false).clicked() {
                state.how = how;
            }
        }
    });
    if ui.add_enabled(to.is_some(), egui::Button::new("Go")).clicked()
        && let Some(id) = to
    {
        let time = Seconds(view.timeline.playback.time as f32);
        let (when, how) = (Some(state.goes), Some(state.how));
        let command = GoTo { clip: ClipName::Id(id), time, when, how, fade: None, lane: None };
        actions.push(Action::Run(command.into()));
    }
}
