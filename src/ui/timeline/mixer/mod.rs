//! The mixer: lanes of clips under the keys of the bar that is looked at, on the same axis. What a
//! hand does to them is one step; what plays is seen live. What a bar is by number is in the
//! inspector.

mod bars;
mod heads;
mod keys;

use std::{collections::HashMap, sync::Arc};

use egui::{Align, Layout, Rect, RichText, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{TimelineState, axis::TimeAxis, ruler::ruler_ui};
use crate::ui::popups::lasting_menu_button;
use crate::ui::{
    Action, Actions, DialogAction, Theme, TimelineAction, View,
    clip_menu::clip_menu,
    theme::Font,
    widgets::{choices, edged, icon_button, name_widget},
};
use ulna_edit::command::{
    BakeMix, EnterHow, GoTo, GoWhen, KeepMix, MixText, PlayOver, SetMix, field::ClipName,
    field::Seconds, is_mix_kept, jumps_in_words, mix_of, mix_rate,
};
use ulna_model::{ClipId, Document, Mix, MixBar, MixLane, MixReference, Shared};
use ulna_motion::{BarClock, Jump, Mixer, Playing, jumps};
use ulna_render::{ColorRole, Measure};

/// Points of a lane's head, of a lane, and of the line between keys and lanes.
const HEADS: f32 = 256.0;
const LANE: f32 = 64.0;
const SPLIT: f32 = 5.0;
const HEADER: f32 = 36.0;
/// Points of width below which the header has short labels.
const NARROW: f32 = 1310.0;

/// The clocks of bars, by lane and bar.
type Clocks = HashMap<(usize, usize), Option<Arc<BarClock>>>;

/// What the mixer keeps.
#[derive(Clone, Debug)]
pub struct MixerState {
    drag: Option<bars::Drag>,
    scroll: f32,
    /// Points that the keys of the chosen bar take, and how far they are scrolled.
    keys: f32,
    keys_scroll: f32,
    /// The name of a lane that is being typed.
    renamed: Option<(usize, String)>,
    fade: f64,
    bake: Baking,
    /// What a list of clips is narrowed to.
    search: String,
    goes: GoWhen,
    how: EnterHow,
    to: Option<ClipId>,
    /// The mix before a transition was added, until the new bar is in view.
    before_added: Option<Shared<Mix>>,
    mixer: Mixer,
    /// The clocks of bars in a state of the document, by lane and bar.
    clocks: (u64, Clocks),
    /// The jumps of the mix in a state of the document.
    jumps: (u64, Vec<Jump>),
}

/// How what plays becomes a clip.
#[derive(Clone, Debug)]
struct Baking {
    name: String,
    /// Frames a second, where a person says so.
    rate: Option<f64>,
    millimetres: f64,
    in_place: bool,
}

impl MixerState {
    /// The clock of a bar of what is shown, found once a state of the document.
    fn clock(
        &mut self,
        view: &View<'_>,
        document: &Document,
        mix: &Shared<Mix>,
        at: (usize, usize),
    ) -> Option<Arc<BarClock>> {
        let generation = view.session.map_or(0, ulna_session::Session::generation);
        if self.clocks.0 != generation {
            self.clocks = (generation, HashMap::new());
        }
        let mixer = &mut self.mixer;
        self.clocks
            .1
            .entry(at)
            .or_insert_with(|| mixer.clock(document, mix, at).map(Arc::new))
            .clone()
    }

    /// The jumps of what is shown, found once per state of the document, and not while a hand
    /// changes it.
    fn find_jumps(&mut self, view: &View<'_>, document: &Document, mix: &Shared<Mix>) {
        let Some(session) = view.session.filter(|s| !s.history().is_open()) else { return };
        let generation = session.generation();
        if self.jumps.0 != generation {
            self.jumps = (generation, jumps(document, mix, (0.0, mix.length())));
        }
    }

    /// A drag was ended elsewhere.
    pub fn end_drag(&mut self) {
        self.drag = None;
    }
}

impl Default for MixerState {
    fn default() -> Self {
        Self {
            drag: None,
            scroll: 0.0,
            keys: 96.0,
            keys_scroll: 0.0,
            renamed: None,
            fade: 0.25,
            bake: Baking { name: "Mix".to_owned(), rate: None, millimetres: 1.0, in_place: false },
            search: String::new(),
            goes: GoWhen::Now,
            how: EnterHow::Fade,
            to: None,
            before_added: None,
            mixer: Mixer::default(),
            clocks: (0, HashMap::new()),
            jumps: (0, Vec::new()),
        }
    }
}

impl TimelineState {
    /// Brings the bar that a transition added, and the playhead, into view.
    fn reveal_added(&mut self, mix: &Shared<Mix>, playhead: f64) {
        if self.mixer.drag.is_some() {
            self.mixer.before_added = None;
        }
        if self.mixer.before_added.as_ref().is_none_or(|before| before == mix) {
            return;
        }
        let Some(before) = self.mixer.before_added.take() else { return };
        let is_new = |bar: &&MixBar| !before.lanes.iter().any(|lane| lane.bars.contains(bar));
        let bars = mix.lanes.iter().flat_map(|lane| &lane.bars).filter(is_new);
        let Some(added) = bars.max_by(|a, b| a.start.total_cmp(&b.start)) else { return };
        let (from, to) = (added.start.min(playhead), added.end().max(playhead));
        if from < self.start || to > self.end {
            self.fit_range(from, to);
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

pub fn mixer_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let mix = mix_of(document).unwrap_or_default();
    state.mixer.find_jumps(view, document, &mix);
    let time = view.timeline.playback.time;
    state.reveal_added(&mix, time);
    let playing = view.timeline.playing;
    let chosen = view
        .timeline
        .mix_bar
        .filter(|(l, b)| mix.lanes.get(*l).is_some_and(|lane| *b < lane.bars.len()));
    let whole = ui.available_rect_before_wrap();
    ui.allocate_rect(whole, Sense::hover());
    let heads = HEADS.min(whole.width() * 0.4);
    let sheet = Rect::from_min_max(pos2(whole.left() + heads, whole.top()), whole.max);
    let axis =
        TimeAxis { left: sheet.left(), right: sheet.right(), start: state.start, end: state.end };
    let ruler =
        Rect::from_min_max(sheet.min, pos2(sheet.right(), sheet.top() + Measure::Ruler.points()));
    ruler_ui(state, ui, view, &axis, ruler, actions);
    let split = split_ui(
        &mut state.mixer,
        ui,
        view,
        (ruler.bottom(), whole.bottom()),
        chosen.is_some(),
        whole,
    );
    if let Some(at) = chosen {
        let strip =
            Rect::from_min_max(pos2(whole.left(), ruler.bottom()), pos2(whole.right(), split));
        keys::keys_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (&mix, at),
            (&axis, strip, sheet.left()),
            actions,
        );
    }
    let top = if chosen.is_some() { split + SPLIT } else { split };
    let header = Rect::from_min_max(pos2(whole.left(), top), pos2(whole.right(), top + HEADER));
    ui.painter().rect_filled(header, 0.0, view.theme.color(ColorRole::SurfacePanel));
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(header).id_salt("mixer header"));
    header_ui(&mut state.mixer, &mut place, view, document, &mix, actions);
    let body = Rect::from_min_max(pos2(whole.left(), header.bottom()), whole.max);
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
            chosen,
            &axis,
            room.intersect(body),
            room,
            &own,
            actions,
        );
        heads::head_ui(
            &mut state.mixer,
            ui,
            view,
            document,
            (&mix, lane),
            head,
            body,
            &own,
            actions,
        );
        painter.hline(
            rect.x_range(),
            rect.bottom() - 0.5,
            egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelineGridMajor)),
        );
    }
    let mark = egui::Stroke::new(1.5, view.theme.color(ColorRole::SeverityWarning));
    for x in
        state.mixer.jumps.1.iter().map(|j| axis.x(j.time)).filter(|x| sheet.x_range().contains(*x))
    {
        painter.vline(x, body.y_range(), mark);
    }
    let x = axis.x(time);
    if sheet.x_range().contains(x) {
        painter.vline(
            x,
            body.y_range(),
            egui::Stroke::new(1.0, view.theme.color(ColorRole::TimelinePlayhead)),
        );
    }
}

/// Where the keys end and the lanes begin, and the line that is dragged between them.
fn split_ui(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    (top, bottom): (f32, f32),
    shown: bool,
    whole: Rect,
) -> f32 {
    if !shown {
        return top;
    }
    let least = 3.0 * Measure::RowTrack.points();
    // Two lanes stay in sight.
    let most = (bottom - top - HEADER - 2.0 * LANE - SPLIT).max(least);
    let at = top + state.keys.clamp(least, most);
    let line = Rect::from_min_max(pos2(whole.left(), at), pos2(whole.right(), at + SPLIT));
    let response = ui.interact(line, ui.scope_id().with("keys and lanes"), Sense::drag());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Splitter, true, "Divider between keys and lanes")
    });
    if response.hovered() || response.dragged() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeVertical);
    }
    if response.dragged() {
        state.keys = (state.keys.clamp(least, most) + response.drag_delta().y).clamp(least, most);
    }
    let role = if response.hovered() || response.dragged() {
        ColorRole::AccentBase
    } else {
        ColorRole::StrokeStrong
    };
    ui.painter().hline(
        whole.x_range(),
        line.center().y,
        egui::Stroke::new(1.0, view.theme.color(role)),
    );
    at
}

/// The wheel scrolls; with Ctrl, and by a pinch, it zooms about the pointer; with Shift it goes
/// along the time.
fn navigate(state: &mut TimelineState, ui: &Ui, axis: &TimeAxis, body: Rect, lanes: usize) {
    let (scroll, modifiers, pointer) =
        ui.input(|i| (i.smooth_scroll_delta(), i.modifiers, i.pointer.hover_pos()));
    if let Some(at) = pointer.filter(|_| ui.rect_contains_pointer(body)) {
        let zoom = ui.input(egui::InputState::zoom_delta);
        if zoom != 1.0 || modifiers.command {
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
        let small = RichText::new("A lane plays clips over the lanes below it.")
            .font(Theme::font(Font::Small));
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
    let first_additive =
        mix.lanes.iter().position(|l| l.additive.is_some()).unwrap_or(mix.lanes.len());
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
    let is_narrow = ui.max_rect().width() < NARROW;
    let label = |short: &'static str, long: &'static str| if is_narrow { short } else { long };
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 2)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            if ui
                .button("＋ Lane")
                .on_hover_text("Adds a lane that covers the lanes below it")
                .clicked()
            {
                set(with_lane(mix, view, None), actions);
            }
            let additive = ui.button(label("＋ Additive", "＋ Additive lane"));
            name_widget(ui, &additive, "＋ Additive lane");
            if additive
                .on_hover_text("Adds a lane that adds its clips' difference from a reference pose")
                .clicked()
            {
                set(with_lane(mix, view, Some(MixReference::First)), actions);
            }
            let running =
                view.timeline.playback.clip.filter(|_| mix.lanes.iter().all(|l| l.bars.is_empty()));
            // What the body does then: the clip that counts most on the lowest lane.
            let lowest = mix.lanes.iter().position(|l| l.additive.is_none());
            let playing = view.timeline.playing.iter().filter(|p| Some(p.lane) == lowest);
            let heaviest = playing.max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|p| p.clip);
            let below = running.or(heaviest).or_else(|| {
                mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips).next().copied()
            });
            let name = "Overlay the upper body";
            let words = [label("Overlay…", name), "Clip for the upper body"];
            ui.add_enabled_ui(below.is_some(), |ui| {
                if let Some(over) =
                    clip_menu(ui, view.theme, document, &mut state.search, words, name)
                    && let Some(below) = below
                {
                    let time = Some(Seconds(if running.is_some() {
                        0.0
                    } else {
                        view.timeline.playback.time as f32
                    }));
                    let command = PlayOver {
                        clip: ClipName::Id(below),
                        over: ClipName::Id(over),
                        node: None,
                        time,
                    };
                    actions.push(Action::Run(command.into()));
                }
            });
            ui.separator();
            go_ui(state, ui, view, document, is_narrow, actions);
            jumps_ui(&state.jumps.1, ui, view, document, actions);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, theme, icons::ICON_CLOSE, "Close the mixer", "", false, Ok(()))
                    .clicked()
                {
                    actions.push(TimelineAction::Mixing(false));
                }
                let is_some = mix.length() > 0.0;
                let bake = label("Bake…", "Bake to a clip…");
                let about = (theme, mix_rate(document));
                ui.add_enabled_ui(is_some, |ui| bake_ui(&mut state.bake, ui, bake, about, actions));
                let kept = is_mix_kept(document);
                let (text, name) = if kept && is_some {
                    (label("Kept", "Kept in the file"), "Kept in the file")
                } else {
                    (label("Keep", "Keep in the file"), "Keep in the file")
                };
                let keep = ui.add_enabled(is_some && !kept, egui::Button::new(text));
                name_widget(ui, &keep, name);
                if keep
                    .on_hover_text(
                        "Saves the lanes in the file's extras; other programs ignore them",
                    )
                    .clicked()
                {
                    actions.push(Action::Run(KeepMix { on: None }.into()));
                }
            });
        });
    });
}

/// The warning about jumps of the mix; a click goes to the next one after the playhead.
fn jumps_ui(
    jumps: &[Jump],
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let Some(words) = jumps_in_words(document, jumps) else { return };
    let text = match jumps.len() {
        1 => "1 jump".to_owned(),
        n => format!("{n} jumps"),
    };
    let text = RichText::new(text);
    let button = ui.add(
        egui::Button::new(text.color(view.theme.color(ColorRole::SeverityWarning))).frame(false),
    );
    name_widget(ui, &button, &format!("Warning: {words}"));
    if button.clicked() {
        let now = view.timeline.playback.time;
        let next = jumps.iter().find(|j| j.time > now + 1e-6).or_else(|| jumps.first());
        actions.extend(next.map(|j| TimelineAction::Seek(j.time)));
    }
    button.on_hover_text(format!("Warning: {words}. Click to go to the next one."));
}

/// The button that asks how what plays becomes a clip.
fn bake_ui(
    bake: &mut Baking,
    ui: &mut Ui,
    text: &str,
    (theme, offered): (&Theme, f64),
    actions: &mut Actions,
) {
    let mut frames = bake.rate.unwrap_or(offered);
    let button = lasting_menu_button(ui, egui::Button::new(text), |ui| {
        ui.set_min_width(240.0);
        egui::Grid::new("bake").num_columns(2).spacing([8.0, 6.0]).show(ui, |ui| {
            let label = |ui: &mut Ui, text: &str| {
                ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)))
            };
            label(ui, "Name");
            let field = egui::TextEdit::singleline(&mut bake.name)
                .align(egui::Align2::LEFT_CENTER)
                .desired_width(140.0);
            let field = edged(ui, |ui| ui.add(field));
            name_widget(ui, &field, "Name of the baked clip");
            ui.end_row();
            label(ui, "Frames per second");
            let field = ui.add(
                egui::DragValue::new(&mut frames).range(1.0..=240.0).speed(1.0).max_decimals(3),
            );
            if field.changed() {
                bake.rate = Some(frames);
            }
            name_widget(ui, &field, "Frame rate of the baked clip");
            ui.end_row();
            label(ui, "Max error");
            let field = ui.add(
                egui::DragValue::new(&mut bake.millimetres)
                    .range(0.0..=100.0)
                    .speed(0.1)
                    .suffix(" mm"),
            );
            let field = field.on_hover_text(
                "Removes keys while the skin error stays below this value, scaled to a body 1.8 m \
                    high. 0 keeps one \
                key per frame",
            );
            name_widget(ui, &field, "Max error in millimeters");
            ui.end_row();
        });
        crate::ui::widgets::check(ui, theme, &mut bake.in_place, "In place (no travel)");
        ui.add_space(4.0);
        let verb = RichText::new("Bake").color(theme.color(ColorRole::TextOnAccent));
        let verb = egui::Button::new(verb)
            .fill(theme.color(ColorRole::AccentBase))
            .min_size(vec2(72.0, 28.0));
        if ui.add(verb).clicked() {
            let name = Some(bake.name.trim().to_owned()).filter(|n| !n.is_empty());
            let (rate, millimetres) = (Some(frames as f32), Some(bake.millimetres as f32));
            actions.push(Action::Run(
                BakeMix { name, rate, millimetres, in_place: Some(bake.in_place) }.into(),
            ));
            ui.close();
        }
    });
    name_widget(ui, &button.on_hover_text("Bakes the mix into a new clip"), "Bake to a clip");
}

/// To which clip, when, and how.
fn go_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    is_narrow: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    if !is_narrow {
        ui.label(RichText::new("Transition to").color(theme.color(ColorRole::TextSecondary)));
    }
    let to = state.to.filter(|id| document.clips.contains(*id));
    let nothing = if is_narrow { "Go to…" } else { "a clip" };
    let label = to.map_or_else(|| "a clip".to_owned(), |id| document.clip_label(id));
    let short = if to.is_some() { label.as_str() } else { nothing };
    let short = crate::ui::widgets::cut(
        ui,
        short,
        &Theme::font(Font::Body),
        if is_narrow { 72.0 } else { 120.0 },
    );
    let name = format!("Transition to clip: {label}");
    if let Some(id) = clip_menu(ui, view.theme, document, &mut state.search, [&short, ""], &name) {
        state.to = Some(id);
    }
    let whens = [
        (GoWhen::Now, "Now", "At the playhead"),
        (GoWhen::End, "At the end", "At the end of the playing clip"),
        (GoWhen::Marker, "At a marker", "At the next marker of the playing clip"),
        (GoWhen::Seam, "Best match", "At the moment where both clips match best"),
    ];
    choices(ui, "When", 96.0, &whens, &mut state.goes);
    let ways = [
        (EnterHow::Fade, "Cross-fade", "Fades in while the playing clip continues"),
        (
            EnterHow::Inertial,
            "Inertial",
            "Switches at once; the pose difference decays smoothly (inertialization)",
        ),
        (EnterHow::Frozen, "Frozen pose", "Fades in over the last pose of the playing clip"),
        (
            EnterHow::Keys,
            "Interpolate",
            "Interpolates from the last key of one clip to the first key of the next",
        ),
        (EnterHow::Cut, "Cut", "No transition"),
    ];
    choices(ui, "How", 96.0, &ways, &mut state.how);
    if state.how != EnterHow::Cut {
        let field = ui.add(
            egui::DragValue::new(&mut state.fade)
                .range(0.0..=10.0)
                .speed(0.01)
                .suffix(" s")
                .max_decimals(2),
        );
        name_widget(ui, &field, "Length of the transition");
    }
    let seams = egui::Button::new("Best…");
    if ui
        .add_enabled(document.clips.count() > 1, seams)
        .on_hover_text("Lists the best transition points between clips")
        .clicked()
    {
        actions.push(DialogAction::FindSeams);
    }
    if ui.add_enabled(to.is_some(), egui::Button::new("Add")).clicked()
        && let Some(id) = to
    {
        let time = Seconds(view.timeline.playback.time as f32);
        let (when, how, fade) =
            (Some(state.goes), Some(state.how), Some(Seconds(state.fade as f32)));
        let command = GoTo { clip: ClipName::Id(id), time, when, how, fade, lane: None };
        state.before_added = Some(mix_of(document).unwrap_or_default());
        actions.push(Action::Run(command.into()));
    }
}
