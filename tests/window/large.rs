//! Very large models: the work on the window's thread must not grow with the file. The tests check
//! what is done, and on which thread. `print_frame_times` measures the time.

use std::sync::Arc;

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase,
    accesskit::Role, vec2,
};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_motion::Mirror;

use crate::common::{
    frames,
    large::{Size, joint, model},
    paint::{click, click_at, press, press_button, session},
    window::{Window, builder, open, wait},
};

/// Prints the time of frames on a small and on a large model. Target: apart from drawing, no frame
/// needs more than 16 ms of the window's thread. The large model has 3,001 joints, 126 MB of keys,
/// a million vertices, ten layers and 2,000 problems. No pixel is drawn. Both columns include the
/// time of the test harness.
#[test]
#[ignore = "a measurement, of minutes"]
fn print_frame_times() {
    frames::print(&frames::measured(Size::SMALL), &frames::measured(Size::LARGE));
}

/// A size with more vertices than the window's thread may process in one frame.
const MANY: Size = Size { joints: 41, clips: 0, keys: 2, side: 210, layers: 0, problems: 0 };

fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

/// Clicks a button, and returns before the result of its background work is applied.
fn begin(window: &mut Window, name: &str) {
    window.get_by_label(name).click_accesskit();
    window.step();
}

#[test]
fn floods_of_joints_and_masks_run_in_the_background() {
    let (mut window, _folder, _) = open(builder(), &model(MANY));
    click(&mut window, "Paint mode");
    wait(&mut window);
    let rows: Vec<Pos2> = window
        .query_all_by_label_contains("Joint limb")
        .take(2)
        .map(|row| row.rect().left_center() + vec2(60.0, 0.0))
        .collect();
    click_at(&mut window, rows[0], Modifiers::NONE);
    click_at(&mut window, rows[1], Modifiers::COMMAND);
    assert!(window.query_all_by_label_contains("2 joints").next().is_some(), "two are chosen");
    let before = session(&window).document().clone();
    begin(&mut window, "Flood the chosen joints");
    assert!(window.state().is_busy() && steps(&window) == 0, "it is worked out beside the window");
    assert!(*session(&window).document() == before);
    wait(&mut window);
    assert_eq!(steps(&window), 1, "one step");
    assert_eq!(session(&window).history().undo_label(), Some("Flood joints"));
    assert!(
        window.query_all_by_label_contains("Flood joints: 2 joints").next().is_some(),
        "one message tells of all"
    );
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before, "and all of it is taken back at once");

    click(&mut window, "Replace");
    click(&mut window, "Layers tab");
    press_button(&mut window, "Add a layer");
    wait(&mut window);
    press_button(&mut window, "Paint mask");
    let done = steps(&window);
    window.event(Event::PointerMoved(
        window.get_by_label("Viewport").rect().right_bottom() - vec2(80.0, 80.0),
    ));
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::SHIFT, Key::F);
    window.step();
    wait(&mut window);
    // There must be a step, or a reason why there is none.
    assert!(
        steps(&window) == done + 1
            || window.query_all_by_label_contains("Flood mask").next().is_some()
    );
}

#[test]
fn only_visible_problems_are_laid_out_and_the_last_one_can_be_reached() {
    let size = Size { joints: 401, clips: 1, keys: 2, side: 4, layers: 0, problems: 400 };
    let (mut window, _folder, _) = open(builder(), &model(size));
    // The findings are equal, so they are grouped in one row that can be opened.
    let seen = |window: &Window| -> Vec<String> {
        let buttons = window
            .query_all_by_label_contains("Show limb")
            .filter_map(|n| n.accesskit_node().label());
        buttons.collect()
    };
    // If another finding has a button of that name, too, more rows follow.
    let last = format!("Show {}", joint(400));
    let has_last = |window: &Window| {
        seen(window)
            .iter()
            .any(|n| n.strip_prefix(&last).is_some_and(|r| r.is_empty() || r.starts_with(' ')))
    };
    let scroll = |window: &mut Window, delta: f32| {
        // New findings change the height of the panel.
        let panel = window.get_by_label("Problems panel").rect();
        window.event(Event::PointerMoved(panel.center()));
        window.event(Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta: vec2(0.0, delta),
            phase: TouchPhase::Move,
            source: MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        });
        window.step();
    };
    // All rules are checked in the background. Afterward, the findings are new, and the row is
    // closed again.
    for _ in 0..10 {
        (0..40).for_each(|_| scroll(&mut window, 3000.0));
        for _ in 0..50 {
            let row = window.query_all_by_label_contains("400 nodes").next();
            let row = row.expect("one row for all").rect();
            super::editing::click_at(&mut window, row.center());
            window.run_steps(6);
            if !seen(&window).is_empty() {
                break;
            }
        }
        let first = seen(&window).len();
        assert!((1..80).contains(&first) && !has_last(&window), "{first} laid out");
        for k in 0..200 {
            if k > 20 && has_last(&window) {
                window.run_steps(20);
                if has_last(&window) {
                    break;
                }
            }
            // Other findings can come after these.
            let is_past = k > 20 && seen(&window).is_empty();
            scroll(&mut window, if is_past { 400.0 } else { -3000.0 });
        }
        if has_last(&window) {
            break;
        }
    }
    let now = seen(&window);
    assert!((1..80).contains(&now.len()) && has_last(&window), "{} laid out", now.len());
}

/// Of thousands of joints, clips and tracks, only the visible rows are laid out, with or without a
/// filter.
#[test]
fn only_visible_rows_of_many_joints_and_clips_are_laid_out() {
    let size = Size { joints: 3_001, clips: 76, keys: 2, side: 4, layers: 0, problems: 0 };
    let (mut window, _folder, _) = open(builder(), &model(size));
    click(&mut window, "Animate mode");
    let assert_few = |window: &Window, state: &str| {
        let rows = window.query_all_by_role(Role::TreeItem);
        let rows: Vec<String> = rows.filter_map(|n| n.accesskit_node().label()).collect();
        for list in ["limb ", "Clip clip ", "Track limb "] {
            let count = rows.iter().filter(|row| row.starts_with(list)).count();
            assert!((1..80).contains(&count), "{state}: {count} rows of “{list}”");
        }
    };
    assert_few(&window, "as opened");
    for (field, text) in [("Filter by name or kind", "limb"), ("Filter clips", "clip")] {
        click(&mut window, field);
        window.event(Event::Text(text.into()));
        window.run_steps(5);
        assert_few(&window, field);
    }
}

/// During a drag that poses and keys, cached facts about the skeleton must be reused, not computed
/// again.
#[test]
fn a_drag_reuses_the_cached_mirror_pairs() {
    let (mut window, _folder, _) = open(builder(), &model(Size::SMALL));
    click(&mut window, "Animate mode");
    for name in
        [format!("Track {}", joint(3)).as_str(), "Rotate", "Pose both sides alike", "Auto-key"]
    {
        click(&mut window, name);
    }
    let first = Mirror::of(session(&window).document());
    let targets = session(&window).document().clips[0.into()].tracks.targets().clone();
    let at = window.get_by_label("Handle: Rotate about Z").rect().center();
    let button = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    window.event(button(true, at));
    window.step();
    let mut moves = 0;
    for k in 1..12 {
        window.event(Event::PointerMoved(at + vec2(k as f32 * 2.0, k as f32 * 4.0)));
        window.step();
        let document = session(&window).document();
        assert!(Arc::ptr_eq(&first, &Mirror::of(document)), "found again at move {k}");
        assert!(Arc::ptr_eq(&targets, document.clips[0.into()].tracks.targets()));
        moves += usize::from(session(&window).history().is_open());
    }
    assert!(moves > 5, "it is dragged");
    window.event(button(false, at + vec2(24.0, 48.0)));
    window.run_steps(3);
    assert_eq!(steps(&window), 1);
    assert!(session(&window).is_unsaved());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!session(&window).is_unsaved());
}
