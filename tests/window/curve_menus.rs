//! The menu of the graph, its kept copies, the seam of a loop, and the handles on the ruler; what
//! counts is the document.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{Property, Track};
use ulna_motion::curves::{CurveSpace, TrackCurves};

use super::{
    curve_tools::{Graph, click_at, drag, hips, steps, track},
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

/// Clicks a line of a menu whose name goes on with its key.
fn click_line(window: &mut Window, name: &str) {
    window.get_by_label_contains(name).click();
    window.run_steps(3);
}

/// A frame that has no key, and the point of the curve there.
fn between_keys(window: &Window, graph: &Graph) -> (f64, Pos2) {
    let (own, fps) = (track(window), window.state().playback().fps);
    let curves = TrackCurves::new(&own, CurveSpace::Stored);
    let free = |t: &f64| own.key_at(*t as f32, 0.9 / fps as f32).is_none();
    let time = (1..200).map(|k| f64::from(k) / fps).find(free).expect("room between keys");
    (time, graph.at(time as f32, curves.value(1, time)))
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
    let before = track(&window);
    let (time, at) = between_keys(&window, &graph);
    right_click(&mut window, at);
    click(&mut window, "Add a key here");
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    assert!(after.key_at(time as f32, 1e-3).is_some());
    assert_same_motion(&before, &after, graph.length);
    assert_eq!(steps(&window), 1);
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
fn the_menu_of_a_key_goes_to_its_frame_and_that_of_no_curve_keys_all_curves() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let time = f64::from(before.times[1]);
    right_click(&mut window, graph.key(&before, 1));
    let frame = format!("Go to frame {:.0}", time * window.state().playback().fps);
    click(&mut window, &frame);
    assert!((window.state().playback().time - time).abs() < 1e-4);
    let (free, _) = between_keys(&window, &graph);
    click(&mut window, "Frame");
    window.event(Event::Text(format!("{:.0}", free * window.state().playback().fps)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    right_click(&mut window, graph.rect.left_top() + vec2(90.0, 4.0));
    click_line(&mut window, "Insert keys on shown curves");
    let after = track(&window);
    assert_eq!(after.times.len(), before.times.len() + 1);
    assert!(after.key_at(free as f32, 1e-3).is_some());
}

#[test]
fn a_kept_copy_is_swapped_with_the_edited_curve_and_back() {
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
fn the_seam_switch_lets_tangents_run_on_over_the_loop() {
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
fn a_handle_on_the_ruler_stretches_the_selected_keys() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    let fps = window.state().playback().fps;
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    click_at(&mut window, graph.key(&before, 2), Modifiers::SHIFT);
    let handle = window.get_by_label("Retime handle at the last selected key").rect().center();
    let frames = 2.0;
    let way = graph.at((frames / fps) as f32, 0.0).x - graph.at(0.0, 0.0).x;
    drag(&mut window, handle, handle + vec2(-way, 0.0));
    let after = track(&window);
    let to = before.times[2] - (frames / fps) as f32;
    assert!(after.key_at(to, 1e-3).is_some(), "{:?}", after.times);
    assert!(after.key_at(before.times[1], 1e-4).is_some());
    assert_eq!(after.times.len(), before.times.len());
    assert_eq!(steps(&window), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window), before);
}

#[test]
fn a_slope_is_typed_in_the_inspector_and_its_sides_are_linked_or_not() {
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
fn the_row_of_a_component_selects_and_marks_that_component_alone() {
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
    // All times are in sight: the view has a fiftieth of the clip before it, and six after.
    let length = session(&window).document().clips[ulna_model::ClipId(1)].length();
    let x = |time: f32| sheet.left() + sheet.width() * (time / length + 0.02) / 1.08;
    click_at(&mut window, egui::pos2(x(own.times[1]), row.center().y), Modifiers::NONE);
    let keys = window.state().selected_keys();
    assert!(keys.has(id, 1, own.times[1]), "{keys:?}");
    assert!(!keys.has(id, 0, own.times[1]) && !keys.is_whole(id, own.times[1]));
}
