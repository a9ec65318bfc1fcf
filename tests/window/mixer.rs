//! The mixer in the window: lanes and bars are edited with the pointer, the mix is played and
//! baked, and each edit is one undo step.

use egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_edit::{CommandLine, command::mix_of};
use ulna_model::{Enter, Mix, MixMask, Plays, Shared};

use crate::common::window::{builder, open};

use super::editing::{Window, click, click_at, drag as drag_from, press, sample, session};

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn mix(window: &Window) -> Shared<Mix> {
    mix_of(session(window).document()).unwrap_or_default()
}

/// Drags the widget with this name horizontally, by some points.
fn drag(window: &mut Window, name: &str, by: f32) {
    let from = window.get_by_label(name).rect().center();
    drag_from(window, from, from + vec2(by, 0.0));
    window.run_steps(3);
}

fn chosen(window: &mut Window, menu: &str, clip: &str) {
    click(window, menu);
    window.run_steps(3);
    window.get_by_label(&format!("Choose {clip}")).click_accesskit();
    window.run_steps(3);
}

/// Chooses an entry of a drop-down list.
fn take(window: &mut Window, list: &str, choice: &str) {
    click(window, list);
    window.run_steps(3);
    // Uses the pointer, because a click by accessibility would leave the keyboard focus in the
    // list.
    let at = window.get_by_label(choice).rect().center();
    click_at(window, at);
    window.run_steps(3);
}

#[test]
fn a_mix_is_built_edited_baked_and_undone() {
    let (mut window, _folder, _) = sample();
    let clips: Vec<String> = {
        let document = session(&window).document();
        document.clips.ids().map(|id| document.clip_label(id)).collect()
    };
    let other = clips.iter().find(|c| *c != "Walk").expect("another clip").clone();
    let before = session(&window).document().clips.count();
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    assert!(says(&window, "A lane plays clips over the lanes below it"));
    click(&mut window, "Add a lane");
    assert_eq!(mix(&window).lanes.len(), 1);
    // Adds a transition to another clip, and drags its fade to make it longer.
    chosen(&mut window, "Transition to clip: a clip", &other);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    click(&mut window, "Add");
    let made = mix(&window);
    assert_eq!(made.lanes[0].bars.len(), 2);
    let fade = made.lanes[0].bars[1].fade_in;
    assert!(fade > 0.0 && made.lanes[0].bars[1].start > 0.0);
    let steps = session(&window).history().done().len();
    click(&mut window, &format!("Bar {other}"));
    drag(&mut window, &format!("Fade in of Bar {other}"), 60.0);
    let longer = mix(&window).lanes[0].bars[1].fade_in;
    assert!(longer > fade + 0.05, "{fade} to {longer}");
    assert_eq!(session(&window).history().done().len(), steps + 1, "one drag is one step");
    // Drags the end of the bar.
    let was = mix(&window).lanes[0].bars[1].clone();
    drag(&mut window, &format!("End of Bar {other}"), -40.0);
    let now = mix(&window).lanes[0].bars[1].clone();
    assert!(now.length < was.length && now.start.to_bits() == was.start.to_bits());
    // Changes the kind of the transition.
    take(&mut window, "Transition: Cross-fade", "Frozen pose");
    assert_eq!(mix(&window).lanes[0].bars[1].enter, Enter::Frozen);
    // The mix is displayed, not the clip.
    let pose = window.state().shown_pose().local.clone();
    for _ in 0..8 {
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
    }
    assert!(window.state().shown_pose().local != pose, "the mix goes on");
    // Sets a mask in the menu of the lane, and blends the bar with another clip.
    click(&mut window, "Mask of Body: Whole body");
    window.run_steps(2);
    click(&mut window, "Upper body");
    assert!(mix(&window).lanes[0].mask.is_some());
    chosen(&mut window, "Blend with…", "Walk");
    assert!(matches!(mix(&window).lanes[0].bars[1].plays, Plays::Blend { .. }));
    strafes(&mut window);
    take(&mut window, "Bake to a clip", "Bake");
    assert_eq!(session(&window).document().clips.count(), before + 1);
    click(&mut window, "Keep in the file");
    assert!(session(&window).document().scenes.values().any(|s| s.mix.is_some()));
    assert!(says(&window, "Kept in the file"));
    // Showing the mixer changes nothing by itself: undo reverts every step.
    for _ in 0..30 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(session(&window).history().done().len(), 0);
    assert!(!session(&window).is_unsaved());
    assert_eq!(session(&window).document().clips.count(), before);
    click(&mut window, "Close the mixer");
    assert!(!says(&window, "Transition to"));
}

/// Blends the inspected bar by two sliders: with the pad, by a number, and back to one clip.
fn strafes(window: &mut Window) {
    take(window, "Blend by: By speed", "Strafing");
    let plane = |window: &Window| match &mix(window).lanes[0].bars[1].plays {
        Plays::Plane { points, value } => (points.clone(), *value),
        other => panic!("{other:?}"),
    };
    let (points, was) = plane(window);
    assert_eq!(points.len(), 2);
    let steps = session(window).history().done().len();
    let from = window.get_by_label_contains("Travel velocity").rect().center();
    drag_from(window, from, from + vec2(30.0, -20.0));
    window.run_steps(3);
    let (_, now) = plane(window);
    assert!(now[0] > was[0] && now != was, "{was:?} to {now:?}");
    assert_eq!(session(window).history().done().len(), steps + 1, "one drag is one step");
    let label = session(window).document().clip_label(points[1].0);
    click(window, &format!("Remove {label} from the blend"));
    assert!(matches!(mix(window).lanes[0].bars[1].plays, Plays::Clip(_)));
}

/// Bars are edited by shortcuts, masks are painted in the outliner, and the weight of a lane
/// changes during playback.
#[test]
fn bars_are_split_and_removed_and_masks_are_painted_during_playback() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    click(&mut window, "Add a lane");
    click(&mut window, "Bar Walk");
    assert!(says(&window, "Transition: "), "the bar is in the inspector");
    // Above the lanes, a button leads to the keys of the bar's clip.
    assert!(says(&window, "Edit the keys of the bar's clip"));
    for _ in 0..9 {
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
    }
    let at = window.get_by_label("Bar Walk").rect().center();
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::K);
    let cut = mix(&window);
    assert_eq!(cut.lanes[0].bars.len(), 2);
    let [a, b] = &cut.lanes[0].bars[..] else { panic!() };
    assert!(
        (a.end() - b.start).abs() < 1e-9
            && b.enter == Enter::Cut
            && (b.offset - a.length).abs() < 1e-6
    );
    press(&mut window, Modifiers::NONE, Key::Delete);
    assert_eq!(mix(&window).lanes[0].bars.len(), 1, "the bar that is looked at goes");
    // The weight of the lane is dragged during playback, and playback continues.
    click(&mut window, "Play");
    assert!(window.state().playback().playing);
    drag(&mut window, "Weight of Body", -40.0);
    assert!(mix(&window).lanes[0].weight < 1.0);
    assert!(window.state().playback().playing, "a mix is judged while it plays");
    click(&mut window, "Pause");
    // Paints the mask in the outliner.
    click(&mut window, "Mask of Body: Whole body");
    window.run_steps(2);
    click(&mut window, "Paint in the outliner");
    let Some(MixMask::Painted(all)) = &mix(&window).lanes[0].mask else { panic!("not painted") };
    let hips = super::editing::node(&window, "Hips");
    assert!(all.len() > 20 && all[&hips] == 1.0);
    let steps = session(&window).history().done().len();
    let cell = window.get_by_label("Mask at Hips").rect().center();
    drag_from(&mut window, cell, cell + vec2(0.0, 44.0));
    window.run_steps(3);
    let Some(MixMask::Painted(less)) = &mix(&window).lanes[0].mask else { panic!("not painted") };
    assert!(
        !less.contains_key(&hips) && less.len() <= all.len() - 2,
        "{} of {}",
        less.len(),
        all.len()
    );
    assert_eq!(session(&window).history().done().len(), steps + 1);
    click(&mut window, "Done");
    assert!(window.query_by_label("Mask at Hips").is_none());
}

/// Dragging a marker on a bar moves the marker of the clip, in one step.
#[test]
fn dragging_a_marker_on_its_bar_moves_it_in_the_clip() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    let walk = window.state().playback().clip.expect("a clip");
    click(&mut window, "Mixer");
    click(&mut window, "Add a lane");
    let bar = window.get_by_label("Bar Walk").rect().center();
    click_at(&mut window, bar);
    window.get_by_label("Bar Walk").click_secondary();
    window.run_steps(3);
    click(&mut window, "Mark footsteps");
    let markers = |window: &Window| session(window).document().clips[walk].markers.clone();
    let before = markers(&window);
    assert!(!before.is_empty());
    let steps = session(&window).history().done().len();
    let first = before.iter().find(|m| m.time > 0.1).expect("one inside").clone();
    drag(&mut window, &format!("Marker {} of the bar, loop 1", first.name), 30.0);
    let after = markers(&window);
    assert_eq!(after.len(), before.len());
    assert!(after.iter().filter(|m| !before.contains(m)).count() == 1, "{before:?} {after:?}");
    assert_eq!(session(&window).history().done().len(), steps + 1);
}

/// Opens the list of best transition points. It is computed in the background.
fn list_pairs(window: &mut Window, pair: &str) {
    click(window, "Best points…");
    for _ in 0..2000 {
        if window.query_by_label(pair).is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        window.run_steps(1);
    }
    // The list needs some frames to get its position.
    window.run_steps(5);
}

/// In an empty mixer, adding the transition of a pair adds both clips, as one step.
#[test]
fn adding_a_transition_to_an_empty_mixer_adds_both_clips() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    let steps = session(&window).history().done().len();
    let pair = "Transition from Run to Walk";
    list_pairs(&mut window, pair);
    assert!(says(&window, "Both clips are added to the mix"));
    click(&mut window, pair);
    click(&mut window, "Add transition");
    window.run_steps(3);
    let made = mix(&window);
    assert_eq!((made.lanes.len(), made.lanes[0].bars.len()), (1, 2));
    let document = session(&window).document();
    let names: Vec<String> = made.lanes[0]
        .bars
        .iter()
        .flat_map(|bar| bar.clips())
        .map(|id| document.clip_label(*id))
        .collect();
    assert_eq!(names, ["Run", "Walk"]);
    assert_eq!(session(&window).history().done().len(), steps + 1, "one step");
}

/// The list has all pairs of clips with their best transition points. One of them is added as a
/// transition from the current clip.
#[test]
fn a_listed_transition_is_added_at_the_best_point() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    click(&mut window, "Add a lane");
    let count = session(&window).document().clips.count();
    let pairs = "Transition from Walk to Run";
    list_pairs(&mut window, pairs);
    assert_eq!(window.query_all_by_label_contains("Transition from ").count(), count * (count - 1));
    click(&mut window, pairs);
    assert!(!says(&window, "is not playing at the playhead"));
    click(&mut window, "Add transition");
    window.run_steps(3);
    let made = mix(&window);
    assert_eq!(made.lanes[0].bars.len(), 2);
    let found = {
        let document = session(&window).document();
        let id = |name: &str| {
            document.clips.ids().find(|id| document.clip_label(*id) == name).expect("a clip")
        };
        ulna_motion::best_seams(document, &[id("Walk")], &[id("Run")], &|_| true)[0]
    };
    assert!((made.lanes[0].bars[1].offset - found.enter).abs() < 1e-6, "{found:?}");
}

/// A cut to another clip is a jump, which is reported with its time. A cross-fade from the end of
/// the bar is not a jump.
#[test]
fn a_cut_is_reported_as_a_jump_and_a_fade_is_not() {
    use ulna_edit::command::named_mix;
    use ulna_model::{MixBar, MixLane};
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    let document = session(&window).document();
    let id = |name: &str| {
        document.clips.ids().find(|id| document.clip_label(*id) == name).expect("a clip")
    };
    let (walk, wave) = (id("Walk"), id("Wave"));
    let lay = |enter: Enter| {
        let next = MixBar { enter, fade_in: 0.25, ..MixBar::new(wave, 1.0, 1.0) };
        let lane =
            MixLane { bars: vec![MixBar::new(walk, 0.0, 1.0), next], ..MixLane::new("Body") };
        let mix =
            serde_json::to_value(named_mix(document, &Mix { lanes: vec![lane] })).expect("text");
        mix.to_string()
    };
    let lines = [lay(Enter::Cut), lay(Enter::Fade)];
    click(&mut window, "Mixer");
    for (line, jumps) in lines.iter().zip([true, false]) {
        let ctx = window.ctx.clone();
        let command = ulna_edit::CommandLine::new("mix.set").with("mix", line.clone());
        window.state_mut().run_command(&ctx, &command);
        window.run_steps(4);
        assert_eq!(mix(&window).lanes.len(), 1, "the mix is laid out by {line}");
        assert_eq!(says(&window, "the pose jumps at 1.000 s"), jumps, "{line}");
    }
}

#[test]
fn the_button_that_adds_the_first_lane_is_visible_in_a_small_window() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder().with_size([720.0, 480.0]), bytes);
    let context = window.ctx.clone();
    for command in ["mode.animate", "mix.show"] {
        window.state_mut().run_command(&context, &CommandLine::new(command));
        window.run_steps(4);
    }
    let panel = window.get_by_label("Timeline panel").rect();
    let button = window.get_by_label("Add a lane").rect();
    assert!(panel.contains_rect(button), "{button} in {panel}");
    click(&mut window, "Add a lane");
    assert_eq!(mix(&window).lanes.len(), 1);
}
