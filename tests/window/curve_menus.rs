//! The context menu of the curve editor, kept copies of curves, tangents at the loop seam, and
//! retime handles on the ruler. Results are checked in the document.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{Interpolation, Property, Track};
use ulna_motion::curves::{CurveSpace, TrackCurves};

use super::{
    curve_tools::{Graph, button, click_at, drag, hips, pull, steps, track},
    editing::{Window, click, node, press, session},
};

fn right_click(window: &mut Window, pos: Pos2) {
    window.run_steps(60);
    window.event(Event::PointerMoved(pos));
    window.step();
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
        window.event(Event::PointerButton { pos, button, pressed, modifiers });
        window.step();
    }
    window.run_steps(4);
}

/// Clicks a menu row whose name is followed by its key.
fn click_line(window: &mut Window, name: &str) {
    window.get_by_label_contains(name).click();
    window.run_steps(3);
}

/// Deletes a key, so that a frame inside the clip has none. Returns its time, and its point on the
/// curve.
fn gap(window: &mut Window, graph: &Graph) -> (f32, Pos2) {
    let own = track(window);
    right_click(window, graph.key(&own, 2));
    click_line(window, "Delete 1 key");
    let curves = TrackCurves::new(&track(window), CurveSpace::Stored);
    let time = own.times[2];
    (time, graph.at(time, curves.value(1, f64::from(time))))
}

fn assert_same_motion(a: &Track, b: &Track, length: f64) {
    let [a, b] = [a, b].map(|t| TrackCurves::new(t, CurveSpace::Stored));
    for k in 0..200 {
        let time = length * f64::from(k) / 199.0;
        for axis in 0..3 {
            assert!((a.value(axis, time) - b.value(axis, time)).abs() < 1e-5, "{time}");
        }
    }
}

#[test]
fn the_menu_of_a_curve_adds_a_key_without_changing_the_curve() {
    let (mut window, _folder, graph) = hips();
    let (time, at) = gap(&mut window, &graph);
    let before = track(&window);
    right_click(&mut window, at);
    click(&mut window, "Add a key here");
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    assert!(after.key_at(time, 1e-3).is_some());
    assert_same_motion(&before, &after, graph.length);
    assert_eq!(steps(&window), 2);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), before);
}

#[test]
fn the_menu_of_a_key_selects_it_and_deletes_it() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    right_click(&mut window, graph.key(&before, 1));
    assert_eq!(window.state().selected_keys().len(), 1);
    click_line(&mut window, "Delete 1 key");
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() - 1);
    assert!(after.key_at(before.times[1], 1e-4).is_none());
}

#[test]
fn the_key_menu_moves_the_playhead_and_the_background_menu_keys_all_curves() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let time = f64::from(before.times[1]);
    right_click(&mut window, graph.key(&before, 1));
    let frame = format!("Go to frame {:.0}", time * window.state().playback().fps);
    click(&mut window, &frame);
    assert!((window.state().playback().time - time).abs() < 1e-4);
    let (free, _) = gap(&mut window, &graph);
    click(&mut window, "Frame");
    let fps = window.state().playback().fps;
    window.event(Event::Text(format!("{:.0}", f64::from(free) * fps)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let before = track(&window);
    right_click(&mut window, graph.rect.left_top() + vec2(90.0, 4.0));
    click_line(&mut window, "Insert keys on shown curves");
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    assert!(after.key_at(free, 1e-3).is_some());
}

#[test]
fn a_kept_copy_of_a_curve_is_swapped_with_the_edited_curve_and_back() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click(&mut window, "Copy of the curve to compare with");
    click(&mut window, "Keep a copy of the curve");
    let from = graph.key(&before, 1);
    drag(&mut window, from, from + vec2(0.0, 30.0));
    let edited = track(&window);
    assert_ne!(edited, before);
    right_click(&mut window, graph.rect.left_top() + vec2(90.0, 4.0));
    click(&mut window, "Swap with the kept curve");
    assert_eq!(track(&window), before);
    assert_eq!(steps(&window), 2);
    right_click(&mut window, graph.rect.left_top() + vec2(90.0, 4.0));
    click(&mut window, "Swap with the kept curve");
    assert_eq!(track(&window), edited);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), edited);
}

#[test]
fn the_seam_button_matches_the_tangents_at_the_loop_seam() {
    let (mut window, _folder, _) = hips();
    let before = track(&window);
    let last = before.times.len() - 1;
    assert_eq!(before.value(0), before.value(last), "the walk loops");
    let seam = "Match tangents at the loop's seam";
    click(&mut window, seam);
    let after = track(&window);
    assert!(after.modes.wraps());
    let curves = TrackCurves::new(&after, CurveSpace::Stored);
    let (first, end) = (curves.key_slopes(0, 1), curves.key_slopes(last, 1));
    let (first, end) = (first.expect("a slope").1, end.expect("a slope").0);
    assert!((first - end).abs() < 1e-4, "{first} {end}");
    click(&mut window, seam);
    assert!(!track(&window).modes.wraps());
}

#[test]
fn a_retime_handle_stretches_the_selected_keys() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps as f32;
    click(&mut window, "Curve Hips Y, m");
    let handle = window.get_by_label("Retime handle at the last selected key").rect().center();
    let last = before.times[before.times.len() - 1];
    let to = (last * 0.6 * fps).round() / fps;
    let way = graph.at(last, 0.0).x - graph.at(to, 0.0).x;
    drag(&mut window, handle, handle - vec2(way, 0.0));
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len());
    for (was, is) in before.times.iter().zip(after.times.iter()) {
        assert!((was * to / last - is).abs() < 1e-3, "{was} {is}");
    }
    assert_eq!(steps(&window), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), before);
}

#[test]
fn dragging_an_added_retime_handle_stretches_the_keys_on_both_sides() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps as f32;
    click(&mut window, "Curve Hips Y, m");
    let bar = window.get_by_label("Retime bar: double-click to add a handle").rect();
    let middle = 10.0 / fps;
    let at = egui::pos2(graph.at(middle, 0.0).x, bar.center().y);
    window.run_steps(60);
    window.event(Event::PointerMoved(at));
    window.step();
    // Both clicks are in one frame, because frames in tests are long.
    let click = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.input_mut().events.extend([true, false, true, false].map(click));
    window.run_steps(3);
    let handle = window.get_by_label("Retime handle at frame 10").rect().center();
    let way = graph.at(5.0 / fps, 0.0).x - graph.at(0.0, 0.0).x;
    drag(&mut window, handle, handle + vec2(way, 0.0));
    let after = track(&window);
    let last = before.times[before.times.len() - 1];
    assert_eq!(after.times.first(), before.times.first());
    assert!((after.times[after.times.len() - 1] - last).abs() < 1e-4);
    let key = before.key_at(middle, 1e-3).expect("a key in each frame");
    assert!((after.times[key] - 15.0 / fps).abs() < 1e-3, "{:?}", after.times);
    assert!((after.times[key / 2] - before.times[key / 2] * 1.5).abs() < 1e-3);
}

#[test]
fn a_typed_slope_changes_one_side_or_both_linked_sides() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    click(&mut window, "Free tangents");
    let slopes = |window: &Window| {
        let now = track(window);
        let key = now.key_at(before.times[1], 1e-4).expect("the key");
        TrackCurves::new(&now, CurveSpace::Stored).key_slopes(key, 1).expect("slopes")
    };
    let type_slope = |window: &mut Window, text: &str| {
        click(window, "Slope out of the selected keys");
        window.event(Event::Text(text.to_owned()));
        window.run_steps(2);
        press(window, Modifiers::NONE, Key::Enter);
    };
    type_slope(&mut window, "0.5");
    let (arrive, leave) = slopes(&window);
    assert!((leave - 0.5).abs() < 1e-3 && (arrive - 0.5).abs() < 1e-3, "{arrive} {leave}");
    click(&mut window, "Break tangents: each side turns by itself");
    type_slope(&mut window, "-0.25");
    let (arrive, leave) = slopes(&window);
    assert!((leave + 0.25).abs() < 1e-3 && (arrive - 0.5).abs() < 1e-3, "{arrive} {leave}");
    window.get_by_label_contains("Tangents out: ").click();
    window.run_steps(3);
    window.get_all_by_label("Step").last().expect("the step").click();
    window.run_steps(3);
    let now = track(&window);
    let curves = TrackCurves::new(&now, CurveSpace::Stored);
    let (from, to) = (f64::from(before.times[1]), f64::from(before.times[2]));
    let held = curves.value(1, from + (to - from) * 0.8);
    assert!((held - f64::from(before.value(1)[1])).abs() < 1e-4, "it holds: {held}");
}

#[test]
fn clicking_a_key_in_the_row_of_a_component_selects_only_that_component() {
    let (mut window, _folder, _) = hips();
    click(&mut window, "Both");
    window.run_steps(3);
    let edge = window.get_by_label("Edge between keys and curves").rect().center();
    drag(&mut window, edge, edge + vec2(0.0, 80.0));
    let row = window.get_by_label("Curve Hips Y, m").rect();
    let (id, own) = {
        let clip = &session(&window).document().clips[ulna_model::ClipId(1)];
        let (id, own) = clip.track(node(&window, "Hips"), Property::Translation).expect("a track");
        (id, (**own).clone())
    };
    let sheet = window.get_by_label("Timeline keys").rect();
    // The view shows the whole clip, with 2 % of its length before it and 6 % after it.
    let length = session(&window).document().clips[ulna_model::ClipId(1)].length();
    let x = |time: f32| sheet.left() + sheet.width() * (time / length + 0.02) / 1.08;
    click_at(&mut window, egui::pos2(x(own.times[1]), row.center().y), Modifiers::NONE);
    let keys = window.state().selected_keys();
    assert!(keys.has(id, 1, own.times[1]), "{keys:?}");
    assert!(!keys.has(id, 0, own.times[1]) && !keys.is_whole(id, own.times[1]));
}

#[test]
fn converting_a_channel_keeps_its_motion_and_reports_the_deviation() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    assert_eq!(before.interpolation, Interpolation::Linear);
    right_click(&mut window, graph.key(&before, 1));
    click_line(&mut window, "Convert, keeping the motion");
    window.run_steps(30);
    click(&mut window, "Convert tracks to cubicspline");
    let after = track(&window);
    assert_eq!(after.interpolation, Interpolation::CubicSpline);
    assert_same_motion(&before, &after, graph.length);
    assert!(window.query_by_label_contains("1 track converted").is_some(), "it is said");
    assert_eq!(steps(&window), 1);
}

#[test]
fn a_key_pressed_while_a_tangent_is_dragged_inserts_a_key_there() {
    let (mut window, _folder, graph) = hips();
    let (free, _) = gap(&mut window, &graph);
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    let curves = TrackCurves::new(&before, CurveSpace::Stored);
    let third = (before.times[2] - before.times[1]) / 3.0;
    let slope = curves.key_slopes(1, 1).expect("slopes").1;
    let value = f64::from(before.value(1)[1]) + slope * f64::from(third);
    let handle = graph.at(before.times[1] + third, value);
    let to = egui::pos2(graph.at(free, value).x, handle.y);
    pull(&mut window, handle, to, Modifiers::NONE);
    press(&mut window, Modifiers::NONE, Key::I);
    button(&mut window, to, false, Modifiers::NONE);
    window.run_steps(3);
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    assert!(after.key_at(free, 1e-3).is_some());
}
