//! The part of the window that receives a key: the topmost popup or dialog, the focused field, the
//! entered panel, or the window.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, accesskit};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna::ui::Mode;
use ulna_model::NodeId;

use crate::common::window::{Window, builder, open};

fn sample() -> (Window, tempfile::TempDir) {
    let (window, folder, _) = open(builder(), include_bytes!("../../assets/mannequin.glb"));
    (window, folder)
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

fn type_text(window: &mut Window, text: &str) {
    window.event(Event::Text(text.to_owned()));
    window.run_steps(3);
}

fn named(window: &Window, name: &str) -> NodeId {
    let document = window.state().session().expect("a file").document();
    document
        .node_ids()
        .find(|id| document.node(*id).name.as_deref() == Some(name))
        .expect("a node of that name")
}

fn point_at(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
}

/// Returns the event of pressing or releasing the left button.
const fn button(pressed: bool, pos: Pos2) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

/// Selects a joint in Pose mode, frames it, and returns it with the positions on its view-facing
/// ring by angle.
fn outer_ring(window: &mut Window, joint: &str) -> (NodeId, impl Fn(f32) -> Pos2 + use<>) {
    window.get_by_label("Pose mode").click();
    window.run_steps(3);
    let node = select(window, joint);
    press(window, Modifiers::NONE, Key::F);
    window.run_steps(4);
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node).expect("in sight");
    let center = Pos2::new(rect.left() + at.x, rect.top() + at.y);
    (node, move |angle: f32| center + egui::vec2(angle.cos(), angle.sin()) * 92.0)
}

fn middle_of(window: &Window, name: &str) -> Pos2 {
    window.get_by_label(name).rect().center()
}

fn select(window: &mut Window, name: &str) -> NodeId {
    window.get_by_label(name).click();
    window.run_steps(3);
    let node = named(window, name);
    assert_eq!(window.state().selection().active, Some(node));
    node
}

/// Returns the accessible name of the focused widget.
fn focused(window: &Window) -> Option<String> {
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        if access.is_focused() && access.role() != accesskit::Role::Window {
            return access.label().or_else(|| access.value());
        }
        stack.extend(node.children());
    }
    None
}

fn grid(window: &Window) -> bool {
    window.state().options().grid
}

#[test]
fn tab_belongs_to_the_panel_until_f6_moves_the_focus_into_it() {
    let (mut window, _folder) = sample();
    let first = select(&mut window, "Spine");
    let at = middle_of(&window, "Viewport");
    point_at(&mut window, at);
    let mut seen = vec![first];
    for _ in 0..3 {
        press(&mut window, Modifiers::NONE, Key::Tab);
        assert_eq!(focused(&window), None, "nothing gets the focus");
        seen.extend(window.state().selection().active);
    }
    assert_eq!(seen.len(), 4);
    assert!(
        seen.windows(2).all(|w| w[0] != w[1]),
        "each Tab goes on to the next sibling: {seen:?}"
    );
    assert_eq!(seen[3], first, "and round");
    // Over the timeline, Tab does not select joints.
    let before = window.state().selection().active;
    let at = middle_of(&window, "Timeline panel");
    point_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::Tab);
    assert_eq!((window.state().selection().active, focused(&window)), (before, None));
    // After F6, Tab moves the focus inside the panel.
    press(&mut window, Modifiers::NONE, Key::F6);
    let panel = focused(&window).expect("a panel has the focus");
    assert!(panel.ends_with(" panel"), "{panel}");
    let before = window.state().selection().active;
    press(&mut window, Modifiers::NONE, Key::Tab);
    let inside = focused(&window).expect("something in it has the focus");
    assert!(inside != panel, "{inside}");
    assert_eq!(window.state().selection().active, before, "and selects nothing");
    // The first Escape only ends the keyboard focus. The next one clears the selection.
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!((window.state().selection().active, focused(&window)), (before, None));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().selection().active, None);
}

#[test]
fn f6_cycles_through_the_panels_and_the_focused_panel_receives_keys() {
    let (mut window, _folder) = sample();
    select(&mut window, "Head");
    let mut names = Vec::new();
    for _ in 0..6 {
        press(&mut window, Modifiers::NONE, Key::F6);
        names.push(focused(&window).expect("a panel"));
    }
    let first = names[0].clone();
    assert_eq!(names[5], first, "{names:?}");
    let mut sorted = names[..5].to_vec();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), 5, "{names:?}");
    press(&mut window, Modifiers::SHIFT, Key::F6);
    assert_eq!(focused(&window).as_ref(), Some(&names[4]));
    while focused(&window).as_deref() != Some("Outliner panel") {
        press(&mut window, Modifiers::NONE, Key::F6);
    }
    // F6 works from a field, too.
    press(&mut window, Modifiers::NONE, Key::Tab);
    assert!(focused(&window).is_some_and(|f| !f.ends_with(" panel")), "{:?}", focused(&window));
    press(&mut window, Modifiers::SHIFT, Key::F6);
    press(&mut window, Modifiers::NONE, Key::F6);
    assert_eq!(focused(&window).as_deref(), Some("Outliner panel"));
    // While the panel itself has the focus, it receives the arrow keys.
    let parent = {
        let document = window.state().session().expect("a file").document();
        document.node(named(&window, "Head")).parent
    };
    press(&mut window, Modifiers::NONE, Key::ArrowUp);
    assert_eq!(window.state().selection().active, parent);
    assert_eq!(focused(&window).as_deref(), Some("Outliner panel"));
}

#[test]
fn an_open_menu_receives_all_keys_and_escape_closes_only_the_menu() {
    let (mut window, _folder) = sample();
    let head = select(&mut window, "Head");
    let (shown, playing) = (grid(&window), window.state().playback().playing);
    window.get_by_label("View").click();
    window.run_steps(3);
    assert!(window.query_by_label("Frame all").is_some(), "the menu is open");
    for key in [Key::Space, Key::S, Key::H, Key::Delete] {
        press(&mut window, Modifiers::NONE, key);
    }
    let session = window.state().session().expect("a file");
    assert!(session.history().done().is_empty() && window.state().playback().playing == playing);
    assert_eq!((window.state().selection().active, grid(&window)), (Some(head), shown));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Frame all").is_none(), "it is closed");
    assert_eq!(window.state().selection().active, Some(head), "and the selection is as it was");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().selection().active, None);
}

#[test]
fn escape_closes_the_palette_and_dialogs_before_it_clears_the_selection() {
    let (mut window, _folder) = sample();
    let head = select(&mut window, "Head");
    let shown = grid(&window);
    press(&mut window, Modifiers::COMMAND, Key::P);
    assert!(window.query_by_label("Find a command").is_some());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Find a command").is_none());
    assert_eq!((window.state().selection().active, grid(&window)), (Some(head), shown));
    press(&mut window, Modifiers::COMMAND, Key::Comma);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().selection().active, Some(head));
    // Escape discards the typed number, and nothing else.
    window.get_by_label("Ul rotation X").click();
    window.run_steps(2);
    type_text(&mut window, "3");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(window.state().selection().active, Some(head));
    let done = window.state().session().expect("a file").history().done();
    assert!(done.is_empty(), "{:?}", done.iter().map(|t| &t.label).collect::<Vec<_>>());
}

#[test]
fn f10_opens_the_menu_bar_for_arrow_keys_and_letters() {
    let (mut window, _folder) = sample();
    select(&mut window, "Head");
    let at = middle_of(&window, "Viewport");
    point_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(window.query_by_label("Save as…").is_some(), "the first menu is open");
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    assert!(
        window.query_by_label("Save as…").is_none()
            && window.query_by_label("Select parent").is_some()
    );
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    assert!(window.query_by_label("Frame all").is_some());
    press(&mut window, Modifiers::NONE, Key::ArrowLeft);
    assert!(window.query_by_label("Select parent").is_some());
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    let first = focused(&window).expect("an item");
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    assert_ne!(focused(&window), Some(first));
    // A letter moves to the entry that begins with it.
    type_text(&mut window, "d");
    assert_eq!(focused(&window).as_deref(), Some("Deselect all"));
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().selection().active, None, "and Enter does it");
    assert!(window.query_by_label("Select parent").is_none());
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(window.query_by_label("Save as…").is_some());
    press(&mut window, Modifiers::NONE, Key::F10);
    assert!(window.query_by_label("Save as…").is_none(), "F10 closes it, too");
}

#[test]
fn nothing_behind_an_open_menu_is_hovered() {
    let (mut window, _folder) = sample();
    let head = named(&window, "Head");
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(head).expect("in sight");
    let at = Pos2::new(rect.left() + at.x, rect.top() + at.y);
    point_at(&mut window, at);
    assert!(window.state().hovered().is_some());
    window.get_by_label("Help").click();
    window.run_steps(2);
    point_at(&mut window, at + egui::vec2(1.0, 0.0));
    assert_eq!(window.state().hovered(), None);
}

#[test]
fn keys_pressed_during_a_ring_drag_change_nothing_else() {
    let (mut window, _folder) = sample();
    let (arm, on) = outer_ring(&mut window, "LeftLowerArm");
    let (grid_shown, mode) = (grid(&window), window.state().mode());
    point_at(&mut window, on(0.3));
    window.event(button(true, on(0.3)));
    window.step();
    for k in 1..6 {
        window.event(Event::PointerMoved(on(0.3 + 0.1 * k as f32)));
        window.step();
        for key in [
            Key::Space,
            Key::S,
            Key::Delete,
            Key::H,
            Key::A,
            Key::Tab,
            Key::Q,
            Key::F,
            Key::ArrowUp,
            Key::F6,
        ] {
            window.key_press_modifiers(Modifiers::NONE, key);
            window.step();
        }
        for key in [Key::Z, Key::V, Key::A] {
            window.key_press_modifiers(Modifiers::COMMAND, key);
            window.step();
        }
    }
    window.event(button(false, on(0.8)));
    window.run_steps(4);
    let session = window.state().session().expect("a file");
    assert_eq!(session.history().done().len(), 1, "one step: the turn");
    assert_eq!(window.state().selection().nodes.iter().copied().collect::<Vec<_>>(), [arm]);
    assert_eq!((grid(&window), window.state().mode()), (grid_shown, mode));
    assert!(!window.state().playback().playing);
    assert!(session.document().node(arm).user().is_some());
}

/// Presses many keys that have effects outside a gesture.
fn mash(window: &mut Window) {
    let plain = [
        Key::Space,
        Key::S,
        Key::Delete,
        Key::H,
        Key::A,
        Key::Tab,
        Key::Q,
        Key::E,
        Key::F,
        Key::B,
        Key::OpenBracket,
        Key::CloseBracket,
        Key::ArrowUp,
        Key::ArrowRight,
        Key::F6,
        Key::F10,
    ];
    for key in plain {
        window.key_press_modifiers(Modifiers::NONE, key);
        window.step();
    }
    for key in [Key::Z, Key::Y, Key::A, Key::P, Key::O, Key::Num1] {
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.step();
    }
}

/// Drags from one point to another; if `mashed` is set, with many keys pressed during the drag.
fn drag(window: &mut Window, from: Pos2, to: Pos2, mashed: bool) {
    point_at(window, from);
    window.event(button(true, from));
    window.step();
    for k in 1..=6 {
        window.event(Event::PointerMoved(from + (to - from) * (k as f32 / 6.0)));
        window.step();
        if mashed {
            mash(window);
        }
    }
    window.event(button(false, to));
    window.run_steps(6);
}

#[test]
fn keys_pressed_during_a_stroke_or_a_number_drag_change_nothing() {
    type Gesture = (&'static str, fn(&mut Window, bool));
    let gestures: [Gesture; 2] = [
        ("a stroke", |window, mashed| {
            window.get_by_label("Paint mode").click();
            window.run_steps(4);
            select(window, "LeftLowerArm");
            let rect = window.get_by_label("Viewport").rect();
            let at = |name: &str| {
                let p = window.state().project(named(window, name)).expect("in sight");
                Pos2::new(rect.left() + p.x, rect.top() + p.y)
            };
            let (from, to) = (at("LeftUpperArm"), at("LeftLowerArm"));
            drag(window, from + (to - from) * 0.4, to, mashed);
        }),
        ("a number", |window, mashed| {
            select(window, "Head");
            let from = middle_of(window, "Ul rotation X");
            drag(window, from, from + egui::vec2(40.0, 0.0), mashed);
        }),
    ];
    for (what, gesture) in gestures {
        let [plain, mashed] = [false, true].map(|mashed| {
            let (mut window, _folder) = sample();
            window.get_by_label("Pose mode").click();
            window.run_steps(3);
            gesture(&mut window, mashed);
            let state = window.state();
            let session = state.session().expect("a file");
            assert_eq!(session.history().done().len(), 1, "{what}, mashed: {mashed}");
            (
                session.document().clone(),
                state.selection().clone(),
                state.mode(),
                state.options(),
                *state.brush(),
            )
        });
        assert!(plain == mashed, "{what}: keys changed something");
    }
}

#[test]
fn a_ring_drag_accepts_an_axis_and_a_number_and_enter_applies_it() {
    let (mut window, _folder) = sample();
    let (arm, on) = outer_ring(&mut window, "LeftLowerArm");
    point_at(&mut window, on(0.3));
    window.event(button(true, on(0.3)));
    window.step();
    window.event(Event::PointerMoved(on(0.5)));
    window.step();
    let mode = window.state().mode();
    press(&mut window, Modifiers::NONE, Key::Z);
    // Types a key with its text, as a keyboard does. Without a drag, 2 and 3 would switch the mode.
    for (key, text) in [(Key::Num2, "2"), (Key::Num5, "5"), (Key::Slash, "/"), (Key::Num2, "2")] {
        window.event(Event::Text(text.to_owned()));
        press(&mut window, Modifiers::NONE, key);
    }
    press(&mut window, Modifiers::NONE, Key::Backspace);
    press(&mut window, Modifiers::NONE, Key::Backspace);
    assert_eq!(window.state().mode(), mode);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let line = |window: &Window| {
        let session = window.state().session().expect("a file");
        assert_eq!(session.history().done().len(), 1);
        session.history().done()[0].lines(session.document()).remove(0)
    };
    let kept = line(&window);
    assert_eq!(
        (kept.arguments["axis"].as_str(), kept.arguments["degrees"].as_f64()),
        (Some("z"), Some(25.0)),
        "{kept}"
    );
    // The button is still pressed, but has no effect any more.
    window.event(Event::PointerMoved(on(1.2)));
    window.step();
    window.event(button(false, on(1.2)));
    window.run_steps(4);
    assert_eq!(line(&window).to_string(), kept.to_string());
    assert_eq!(window.state().selection().active, Some(arm));
}

#[test]
fn switching_the_mode_during_a_stroke_commits_it_as_one_step() {
    let (mut window, _folder) = sample();
    for name in ["Pose mode", "Paint mode"] {
        window.get_by_label(name).click();
        window.run_steps(4);
    }
    select(&mut window, "LeftLowerArm");
    let rect = window.get_by_label("Viewport").rect();
    let at = |name: &str| {
        let p = window.state().project(named(&window, name)).expect("in sight");
        Pos2::new(rect.left() + p.x, rect.top() + p.y)
    };
    let (from, to) = (at("LeftUpperArm"), at("LeftLowerArm"));
    let on = |k: f32| from + (to - from) * k;
    point_at(&mut window, on(0.4));
    window.event(button(true, on(0.4)));
    window.step();
    window.event(Event::PointerMoved(on(0.7)));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Num1);
    assert_eq!(window.state().mode(), Mode::Pose);
    let there = window.state().session().expect("a file").document().clone();
    window.event(Event::PointerMoved(on(0.9)));
    window.step();
    window.event(button(false, on(0.9)));
    window.run_steps(4);
    let session = window.state().session().expect("a file");
    assert_eq!(session.history().done().len(), 1, "the stroke is one step");
    assert!(*session.document() == there, "and what the hand does after it is no part of it");
}
