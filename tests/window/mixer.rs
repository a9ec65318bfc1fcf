//! The mixer in the window: lanes and bars by hand, what plays, baked and undone; each an edit of the document, and one step.

use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna::{
    edit::command::mix_of,
    model::{Enter, Mix, Plays, Shared},
};

use super::editing::{Window, click, drag as drag_from, press, sample, session};

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn mix(window: &Window) -> Shared<Mix> {
    mix_of(session(window).document()).unwrap_or_default()
}

/// Drags what has this name by so many points.
fn drag(window: &mut Window, name: &str, by: f32) {
    let from = window.get_by_label(name).rect().center();
    drag_from(window, from, from + vec2(by, 0.0));
    window.run_steps(3);
}

fn chosen(window: &mut Window, menu: &str, clip: &str) {
    click(window, menu);
    window.run_steps(3);
    let listed: Vec<_> = window.get_all_by_label(clip).map(|n| n.rect()).collect();
    assert!(!listed.is_empty(), "{clip} is not listed");
    window.get_all_by_label(clip).last().expect("in the list").click_accesskit();
    window.run_steps(3);
}

#[test]
fn lanes_are_laid_out_dragged_baked_and_undone() {
    let (mut window, _folder, _) = sample();
    let clips: Vec<String> = {
        let document = session(&window).document();
        document.clips.ids().map(|id| document.clip_label(id)).collect()
    };
    let other = clips.iter().find(|c| *c != "Walk").expect("another clip").clone();
    let before = session(&window).document().clips.count();
    click(&mut window, "Clip Walk");
    click(&mut window, "Mixer");
    assert!(says(&window, "A lane plays clips over what is below it"));
    click(&mut window, "Add a lane");
    assert_eq!(mix(&window).lanes.len(), 1);
    // Over to another clip, by inertia; its fade is dragged longer.
    chosen(&mut window, "Go to clip: a clip", &other);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    click(&mut window, "Go");
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
    // Whole, and its end.
    let was = mix(&window).lanes[0].bars[1].clone();
    drag(&mut window, &format!("End of Bar {other}"), -40.0);
    let now = mix(&window).lanes[0].bars[1].clone();
    assert!(now.length < was.length && now.start.to_bits() == was.start.to_bits());
    // How it comes in.
    click(&mut window, "Over the pose");
    assert_eq!(mix(&window).lanes[0].bars[1].enter, Enter::Frozen);
    // What is seen is the mix, and what poses is refused.
    let pose = window.state().shown_pose().local.clone();
    for _ in 0..8 {
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
    }
    assert_ne!(window.state().shown_pose().local, pose);
    // A mask, by the menu of the lane; and one from a slider.
    click(&mut window, "Mask of Body: Whole body");
    window.run_steps(2);
    click(&mut window, "Upper body");
    assert!(mix(&window).lanes[0].mask.is_some());
    chosen(&mut window, "Blend with…", "Walk");
    assert!(matches!(mix(&window).lanes[0].bars[1].plays, Plays::Blend { .. }));
    click(&mut window, "Bake to a clip");
    assert_eq!(session(&window).document().clips.count(), before + 1);
    click(&mut window, "Keep in the file");
    assert!(session(&window).document().scenes.values().any(|s| s.mix.is_some()));
    assert!(says(&window, "Kept in the file"));
    // What stands there changes nothing by itself: every step comes back.
    for _ in 0..30 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(session(&window).history().done().len(), 0);
    assert!(!session(&window).is_unsaved());
    assert_eq!(session(&window).document().clips.count(), before);
    click(&mut window, "Close the mixer");
    assert!(!says(&window, "Go to"));
}
