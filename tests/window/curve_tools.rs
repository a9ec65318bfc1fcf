//! Editing curves with the pointer: dragging, box selection, scaling, eases, filters and inserted
//! keys. Results are checked in the document and the selection.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{ClipId, Interpolation, Property, Track};
use ulna_motion::curves::{CurveSpace, TrackCurves};

use super::editing::{Window, click, node, press, sample, session};

const WALK: ClipId = ClipId(1);

pub(super) fn track(window: &Window) -> Track {
    let node = node(window, "Hips");
    let clip = &session(window).document().clips[WALK];
    (**clip.track(node, Property::Translation).expect("a track").1).clone()
}

pub(super) fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

/// The curve editor with one fitted curve: the height of the hips.
pub(super) struct Graph {
    pub rect: Rect,
    pub values: (f64, f64),
    pub length: f64,
}

impl Graph {
    pub fn at(&self, time: f32, value: f64) -> Pos2 {
        let share = (f64::from(time) / self.length + 0.02) / 1.08;
        let (low, high) = self.values;
        let inner = f64::from(self.rect.height()) - 60.0;
        let up = 30.0 + inner * (value - low) / (high - low);
        pos2(self.rect.left() + self.rect.width() * share as f32, self.rect.bottom() - up as f32)
    }

    pub fn key(&self, track: &Track, key: usize) -> Pos2 {
        self.at(track.times[key], f64::from(track.value(key)[1]))
    }
}

pub(super) fn hips() -> (Window, tempfile::TempDir, Graph) {
    let (mut window, folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Hips");
    click(&mut window, "Curves");
    window.run_steps(3);
    let solo = window.get_all_by_label("Solo Hips Y, m").next().expect("the height");
    solo.click();
    window.run_steps(3);
    let all = window.get_all_by_label("Timeline curves");
    let rect = all.map(|n| n.rect()).max_by(|a, b| a.area().total_cmp(&b.area()));
    let rect = rect.expect("the graph");
    window.event(Event::PointerMoved(rect.right_bottom() - vec2(6.0, 6.0)));
    window.step();
    press(&mut window, Modifiers::NONE, Key::A);
    window.run_steps(3);
    let (track, length) = (track(&window), session(&window).document().clips[WALK].length());
    let curves = TrackCurves::new(&track, CurveSpace::Stored);
    let mut values = (f64::MAX, f64::MIN);
    for span in track.times.windows(2) {
        for k in 0..=8 {
            let part = f64::from(span[1] - span[0]) * f64::from(k) / 8.0;
            let value = curves.value(1, f64::from(span[0]) + part);
            values = (values.0.min(value), values.1.max(value));
        }
    }
    (window, folder, Graph { rect, values, length: f64::from(length) })
}

pub(super) fn button(window: &mut Window, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    let press = Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
    window.event_modifiers(press, modifiers);
    window.step();
}

/// Presses the button and moves the pointer, without releasing the button.
pub(super) fn pull(window: &mut Window, from: Pos2, to: Pos2, modifiers: Modifiers) {
    window.run_steps(60);
    window.event_modifiers(Event::PointerMoved(from), modifiers);
    window.step();
    button(window, from, true, modifiers);
    for k in 1..=6 {
        let at = from + (to - from) * (k as f32 / 6.0);
        window.event_modifiers(Event::PointerMoved(at), modifiers);
        window.step();
    }
    window.run_steps(2);
}

pub(super) fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    pull(window, from, to, Modifiers::NONE);
    button(window, to, false, Modifiers::NONE);
    window.run_steps(3);
}

pub(super) fn click_at(window: &mut Window, at: Pos2, modifiers: Modifiers) {
    window.run_steps(60);
    window.event_modifiers(Event::PointerMoved(at), modifiers);
    window.step();
    button(window, at, true, modifiers);
    button(window, at, false, modifiers);
    window.run_steps(3);
}

#[test]
fn dragging_a_key_changes_its_time_and_value_in_one_step() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps as f32;
    let value = f64::from(before.value(1)[1]);
    let to = value - (graph.values.1 - graph.values.0) * 0.25;
    let time = before.times[1] + 1.0 / fps;
    drag(&mut window, graph.key(&before, 1), graph.at(time, to));
    let after = track(&window);
    let key = after.key_at(time, 1e-4).expect("moved by a frame");
    let off = (f64::from(after.value(key)[1]) - to).abs();
    assert!(off < (graph.values.1 - graph.values.0) * 0.02, "{off}");
    assert_eq!(after.value(key)[0], before.value(1)[0], "the other numbers stay");
    assert_eq!(steps(&window), 1);
    let (id, _) = session(&window).document().clips[WALK]
        .track(node(&window, "Hips"), Property::Translation)
        .expect("a track");
    let keys = window.state().selected_keys();
    assert!(keys.has(id, 1, after.times[key]) && !keys.has(id, 0, after.times[key]));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), before);
}

#[test]
fn during_a_drag_x_and_y_limit_the_axis_digits_set_the_amount_and_escape_cancels() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps as f32;
    let from = graph.key(&before, 1);
    pull(&mut window, from, from + vec2(40.0, -30.0), Modifiers::NONE);
    assert_ne!(track(&window), before, "a preview");
    press(&mut window, Modifiers::NONE, Key::Y);
    let now = track(&window);
    assert_eq!(now.times, before.times, "values only");
    assert!(now.value(1)[1] > before.value(1)[1]);
    press(&mut window, Modifiers::NONE, Key::X);
    let now = track(&window);
    assert!(now.times != before.times && now.key_at(before.times[1], 1e-4).is_none());
    window.event(Event::Text("2*1".into()));
    window.run_steps(2);
    let key = track(&window).key_at(before.times[1] + 2.0 / fps, 1e-4);
    assert!(key.is_some(), "two frames");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(track(&window), before);
    button(&mut window, from, false, Modifiers::NONE);
    window.run_steps(2);
    assert_eq!(steps(&window), 0);
}

#[test]
fn dragging_a_side_of_the_scale_box_scales_values_about_the_opposite_side() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 0), Modifiers::NONE);
    click_at(&mut window, graph.key(&before, 1), Modifiers::SHIFT);
    click_at(&mut window, graph.key(&before, 2), Modifiers::SHIFT);
    assert_eq!(window.state().selected_keys().len(), 3);
    let own = (0..3).map(|k| before.value(k)[1]);
    let (low, high) = own.fold((f32::MAX, f32::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let middle = (before.times[0] + before.times[2]) * 0.5;
    let top = graph.at(middle, f64::from(high)) - vec2(0.0, 16.0);
    let height = graph.at(0.0, f64::from(low)).y - graph.at(0.0, f64::from(high)).y;
    drag(&mut window, top, top + vec2(0.0, height * 0.5));
    let after = track(&window);
    for k in 0..3 {
        let wanted = low + (before.value(k)[1] - low) * 0.5;
        let off = (after.value(k)[1] - wanted).abs();
        assert!(off < (high - low) * 0.05 + 1e-5, "{k}: {off}");
        assert_eq!(after.value(k)[0], before.value(k)[0]);
    }
    assert_eq!(after.times, before.times);
    assert_eq!(steps(&window), 1);
}

#[test]
fn an_ease_is_previewed_and_enter_applies_it_and_escape_cancels_it() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    click(&mut window, "Ease…");
    click(&mut window, "Ease Back");
    assert_ne!(track(&window), before, "a preview");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(track(&window), before);
    assert!(window.query_by_label("Ease Back").is_none(), "closed");
    assert_eq!(steps(&window), 0);
    click(&mut window, "Ease…");
    click(&mut window, "Ease Back");
    click(&mut window, "Out");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(track(&window).interpolation, Interpolation::CubicSpline);
    assert_eq!(steps(&window), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), before);
}

#[test]
fn a_filter_is_applied_only_by_its_button() {
    let (mut window, _folder, _) = hips();
    let before = track(&window);
    click(&mut window, "Filter…");
    click(&mut window, "Smooth");
    assert_eq!(track(&window), before);
    click(&mut window, "Filter 1 channel");
    assert_ne!(track(&window), before);
    assert_eq!(steps(&window), 1);
    assert!(window.query_by_label("Close Filter").is_none(), "closed");
}

#[test]
fn a_key_is_inserted_on_a_curve_without_changing_it() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps;
    let curves = TrackCurves::new(&before, CurveSpace::Stored);
    // Finds a frame without a key.
    let time = (1..200)
        .map(|k| f64::from(k) / fps)
        .find(|t| before.key_at(*t as f32, 0.4 / fps as f32).is_none())
        .expect("room between keys");
    let at = graph.at(time as f32, curves.value(1, time));
    click_at(&mut window, at, Modifiers::COMMAND);
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    let now = TrackCurves::new(&after, CurveSpace::Stored);
    for k in 0..200 {
        let time = graph.length * f64::from(k) / 199.0;
        assert!((now.value(1, time) - curves.value(1, time)).abs() < 1e-5, "{time}");
    }
    assert_eq!(steps(&window), 1);
}

#[test]
fn tangent_buttons_set_the_mode_and_show_the_current_one() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    click(&mut window, "Smooth tangents");
    assert_ne!(track(&window), before);
    assert_eq!(steps(&window), 1);
}

#[test]
fn a_click_on_a_curve_selects_its_keys_and_a_box_selects_the_keys_inside() {
    let (mut window, _folder, graph) = hips();
    let own = track(&window);
    let curves = TrackCurves::new(&own, CurveSpace::Stored);
    let between = (own.times[1] + own.times[2]) * 0.5;
    let at = graph.at(between, curves.value(1, f64::from(between)));
    click_at(&mut window, at, Modifiers::NONE);
    assert_eq!(window.state().selected_keys().len(), own.times.len());
    click_at(&mut window, graph.rect.left_top() + vec2(4.0, 4.0), Modifiers::NONE);
    assert!(window.state().selected_keys().is_empty());
    let to = pos2(graph.at(between, 0.0).x, graph.rect.bottom() - 2.0);
    drag(&mut window, graph.rect.left_top() + vec2(2.0, 2.0), to);
    assert_eq!(window.state().selected_keys().len(), 2);
}
