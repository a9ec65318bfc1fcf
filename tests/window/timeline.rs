//! Editing keys on the timeline: dragging, box selection, copying, stretching and typing. Results
//! are checked in the document and the selection.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{ClipId, Interpolation, KeySet, Property, Track};

use super::editing::{Window, click, press, sample, session, wait};

const WALK: ClipId = ClipId(1);

/// Opens the sample with *Walk* on the timeline.
fn walking() -> (Window, tempfile::TempDir, std::path::PathBuf) {
    let (mut window, folder, path) = sample();
    click(&mut window, "Clip Walk");
    (window, folder, path)
}

fn track(window: &Window, node: &str, property: Property) -> Track {
    let node = super::editing::node(window, node);
    (**session(window).document().clips[WALK].track(node, property).expect("a track").1).clone()
}

fn length(window: &Window) -> f32 {
    session(window).document().clips[WALK].length()
}

/// Returns the position of a time in the row of a node. The view must be fitted to the clip.
fn place(window: &Window, row: &str, time: f32, length: f32) -> Pos2 {
    let row = window.get_by_label(&format!("Track {row}")).rect();
    let sheet = window.get_by_label("Timeline keys").rect();
    pos2(sheet.left() + sheet.width() * ((time / length + 0.02) / 1.08), row.center().y)
}

fn button(window: &mut Window, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    let press = Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers };
    window.event_modifiers(press, modifiers);
    window.step();
}

/// Presses the button and moves the pointer, without releasing the button.
fn pull(window: &mut Window, from: Pos2, to: Pos2, modifiers: Modifiers) {
    window.event_modifiers(Event::PointerMoved(from), modifiers);
    window.step();
    button(window, from, true, modifiers);
    for k in 1..=6 {
        window
            .event_modifiers(Event::PointerMoved(from + (to - from) * (k as f32 / 6.0)), modifiers);
        window.step();
    }
    window.run_steps(2);
}

fn drag(window: &mut Window, from: Pos2, to: Pos2, modifiers: Modifiers) {
    pull(window, from, to, modifiers);
    button(window, to, false, modifiers);
    window.run_steps(3);
}

fn selected(window: &Window) -> KeySet {
    window.state().selected_keys().clone()
}

#[test]
fn a_dragged_key_snaps_to_a_frame_and_undo_restores_it_with_the_selection() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let fps = window.state().playback().fps as f32;
    let (from, to) = (hips.times[1], hips.times[1] + 2.0 / fps);
    let by = (length / 1.08 * 0.3 / fps).min(0.004);
    let (a, b) = (place(&window, "Hips", from, length), place(&window, "Hips", to + by, length));
    drag(&mut window, a, b, Modifiers::NONE);
    let now = track(&window, "Hips", Property::Rotation);
    assert!(
        now.key_at(to, 1e-5).is_some(),
        "on the frame, though let go beside it: {:?}",
        &now.times[..4]
    );
    assert!(now.key_at(from, 1e-5).is_none());
    let moved = selected(&window);
    assert!(moved.len() >= 2, "translation and rotation");
    assert!((moved.span().expect("keys").0 - to).abs() < 1e-5);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(track(&window, "Hips", Property::Rotation), hips);
    assert_eq!(selected(&window).span(), Some((from, from)), "what it was before the move");
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(selected(&window), moved);
}

#[test]
fn escape_cancels_a_move_and_alt_copies_the_keys() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let before = session(&window).document().clips[WALK].key_count();
    let (a, b) = (
        place(&window, "Hips", hips.times[1], length),
        place(&window, "Hips", hips.times[1] + 0.1, length),
    );
    pull(&mut window, a, b, Modifiers::NONE);
    assert_ne!(track(&window, "Hips", Property::Rotation), hips, "a preview");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(track(&window, "Hips", Property::Rotation), hips);
    assert_eq!(selected(&window).span(), Some((hips.times[1], hips.times[1])));
    button(&mut window, b, false, Modifiers::NONE);
    window.run_steps(2);
    assert!(session(&window).history().done().is_empty());
    // Moves past the last key, where no key can be replaced.
    let end = hips.times[hips.times.len() - 1];
    let c = place(&window, "Hips", end + 1.4 / window.state().playback().fps as f32, length);
    let keys = selected(&window).len();
    drag(&mut window, a, c, Modifiers::ALT);
    assert_eq!(session(&window).document().clips[WALK].key_count(), before + keys);
    assert_eq!(
        track(&window, "Hips", Property::Rotation).times[..2],
        hips.times[..2],
        "the first stays"
    );
}

#[test]
fn after_the_move_key_typed_frames_set_the_distance() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let fps = window.state().playback().fps as f32;
    let at = place(&window, "Hips", hips.times[1], length);
    super::editing::click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::W);
    window.event(Event::Text("3".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let wanted = hips.times[1] + 3.0 / fps;
    assert!(track(&window, "Hips", Property::Rotation).key_at(wanted, 1e-4).is_some());
    assert_eq!(session(&window).history().done().len(), 1);
}

#[test]
fn a_box_selects_keys_and_its_handle_stretches_them() {
    let (mut window, _folder, _) = walking();
    let length = length(&window);
    let hips = track(&window, "Hips", Property::Rotation);
    let sheet = window.get_by_label("Timeline keys").rect();
    let row = window.get_by_label("Track Hips").rect();
    // The box goes from beside the first key to beyond the third.
    let a = pos2(sheet.left() + 2.0, row.top() + 1.0);
    let end = place(&window, "Hips", hips.times[2], length);
    drag(&mut window, a, end + egui::vec2(8.0, 8.0), Modifiers::NONE);
    let keys = selected(&window);
    assert_eq!(keys.span(), Some((hips.times[0], hips.times[2])));
    // The handle at the right edge is 9 points beyond the last key.
    let grip = end + egui::vec2(9.0, 0.0);
    press(&mut window, Modifiers::NONE, Key::A);
    let to = grip + (end - place(&window, "Hips", hips.times[0], length)) * 0.5;
    drag(&mut window, grip, to, Modifiers::NONE);
    let now = selected(&window).span().expect("keys");
    assert_eq!(now.0, hips.times[0], "the other side stays");
    let wanted = hips.times[0] + (hips.times[2] - hips.times[0]) * 1.5;
    assert!(
        (now.1 - wanted).abs() < 0.6 / window.state().playback().fps as f32,
        "{now:?} {wanted}"
    );
}

#[test]
fn keys_are_copied_to_another_clip_by_the_clipboard() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let at = place(&window, "Hips", hips.times[1], length);
    super::editing::click_at(&mut window, at);
    window.event(Event::Copy);
    window.run_steps(3);
    let text = session(&window).copied_keys().expect("copied").to_owned();
    assert!(text.contains("Hips"));
    click(&mut window, "New clip");
    wait(&mut window);
    let sheet = window.get_by_label("Playhead").rect();
    window.event(Event::PointerMoved(sheet.center()));
    window.event(Event::Paste(text));
    window.run_steps(3);
    let clips = &session(&window).document().clips;
    let made = clips.ids().next_back().expect("a clip");
    assert_eq!(clips[made].tracks.len(), 2, "translation and rotation of the hips");
    assert!(clips[made].tracks.values().all(|t| *t.times == [0.0]));
    assert_eq!(selected(&window).len(), 2);
}

#[test]
fn an_interpolation_is_chosen_from_a_list() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let at = place(&window, "Hips", hips.times[1], length);
    super::editing::click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::T);
    click(&mut window, "Hold interpolation");
    assert_eq!(track(&window, "Hips", Property::Rotation).interpolation, Interpolation::Step);
    let said = window.query_all_by_label_contains("one interpolation per track").next().is_some();
    assert!(said, "what that means is said");
}

#[test]
fn shortcuts_select_all_keys_the_column_and_the_inverse() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let all = session(&window).document().clips[WALK].key_count();
    let at = place(&window, "Hips", hips.times[1], length);
    super::editing::click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::K);
    let column = selected(&window).len();
    assert!(column > 2 && column < all, "{column} of {all}");
    press(&mut window, Modifiers::COMMAND, Key::I);
    assert_eq!(selected(&window).len(), all - column);
    press(&mut window, Modifiers::COMMAND, Key::A);
    assert_eq!(selected(&window).len(), all);
}

#[test]
fn a_button_moves_the_playhead_to_the_next_key_of_the_selected_joint() {
    let (mut window, _folder, _) = walking();
    let clip = session(&window).document().clips[WALK].clone();
    // Chooses a joint whose second key is later than the second key of other joints.
    let second = |t: &Track| t.times.get(1).copied().unwrap_or(0.0);
    let named =
        |t: &Track| session(&window).document().node(t.target).name.clone().expect("a name");
    let bottom = window.get_by_label("New clip").rect().top() - 24.0;
    let in_sight = |name: std::sync::Arc<str>| {
        window.query_by_label(&name).is_some_and(|n| n.rect().bottom() < bottom)
    };
    let seen = clip.tracks.values().filter(|t| in_sight(named(t)));
    let later =
        seen.max_by(|a, b| second(a).total_cmp(&second(b))).expect("a joint that is listed");
    let first =
        clip.tracks.values().map(|t| second(t)).filter(|t| *t > 0.0).fold(f32::MAX, f32::min);
    assert!(second(later) > first, "all have the same keys: nothing is shown by this");
    let name = named(later);
    click(&mut window, &name);
    click(&mut window, "Next key");
    let tracks = clip.tracks.values().filter(|t| t.target == later.target);
    let next =
        tracks.filter_map(|t| t.times.iter().copied().find(|t| *t > 1e-4)).fold(f32::MAX, f32::min);
    let time = window.state().playback().time;
    assert!((time - f64::from(next)).abs() < 1e-6, "{name}: at {time}, not {next}");
}

#[test]
fn keys_pressed_while_keys_are_dragged_change_nothing_else() {
    let dragged = |mashes: bool| {
        let (mut window, _folder, _) = walking();
        let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
        let (a, b) = (
            place(&window, "Hips", hips.times[1], length),
            place(&window, "Hips", hips.times[1] + 0.1, length),
        );
        pull(&mut window, a, b, Modifiers::NONE);
        if mashes {
            let keys = [
                Key::Q,
                Key::W,
                Key::E,
                Key::R,
                Key::A,
                Key::F,
                Key::K,
                Key::T,
                Key::M,
                Key::S,
                Key::Delete,
            ];
            for key in
                keys.into_iter().chain([Key::Space, Key::Tab, Key::ArrowRight, Key::Home, Key::F2])
            {
                press(&mut window, Modifiers::NONE, key);
            }
            for key in [Key::Z, Key::A, Key::I, Key::D] {
                press(&mut window, Modifiers::COMMAND, key);
            }
        }
        button(&mut window, b, false, Modifiers::NONE);
        window.run_steps(3);
        let steps = session(&window).history().done().len();
        (
            session(&window).document().clone(),
            selected(&window),
            window.state().playback().time,
            steps,
        )
    };
    let (plain, mashed) = (dragged(false), dragged(true));
    assert!(plain.0 == mashed.0, "another document");
    assert_eq!((plain.1, plain.2, plain.3), (mashed.1, mashed.2, mashed.3));
    assert_eq!(mashed.3, 1);
}

#[test]
fn a_click_that_ends_a_move_selects_nothing_else() {
    let (mut window, _folder, _) = walking();
    let (hips, length) = (track(&window, "Hips", Property::Rotation), length(&window));
    let at = place(&window, "Hips", hips.times[1], length);
    super::editing::click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::W);
    let to = at + egui::vec2(40.0, 30.0);
    window.event(Event::PointerMoved(to));
    window.run_steps(2);
    super::editing::click_at(&mut window, to);
    assert_eq!(session(&window).history().done().len(), 1);
    assert!(!selected(&window).is_empty(), "what was moved stays selected");
    assert_ne!(track(&window, "Hips", Property::Rotation), hips);
}

#[test]
fn pausing_snaps_to_a_frame_and_a_typed_value_changes_all_selected_keys() {
    let (mut window, _folder, _) = walking();
    click(&mut window, "Play");
    for _ in 0..5 {
        window.step();
    }
    click(&mut window, "Pause");
    let playback = window.state().playback().clone();
    let frame = playback.time * playback.fps;
    assert!((frame - frame.round()).abs() < 1e-6, "{frame}");
    press(&mut window, Modifiers::NONE, Key::Home);
    // Selects all keys of a joint and types a rotation: every key must change.
    let before = track(&window, "Hips", Property::Rotation);
    click(&mut window, "Hips");
    let at = window.get_by_label("Timeline keys").rect().center();
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label_contains("Edit all").click();
    window.run_steps(3);
    window.get_by_label("Ul rotation X").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.get_by_label("Ul rotation X").type_text("25");
    press(&mut window, Modifiers::NONE, Key::Enter);
    let after = track(&window, "Hips", Property::Rotation);
    assert_eq!(after.times, before.times);
    let changed = (0..after.times.len()).filter(|k| after.value(*k) != before.value(*k)).count();
    assert_eq!(changed, after.times.len());
    assert_eq!(session(&window).history().done().len(), 1);
}

/// Runs a command by its title.
fn palette(window: &mut Window, title: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(title.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
}

#[test]
fn a_lasso_selects_the_keys_inside_it() {
    let (mut window, _folder, _) = walking();
    let (spine, length) = (track(&window, "Spine", Property::Rotation), length(&window));
    // The lasso is a wedge around two keys of Spine and one of Chest below it.
    let key = |k: usize| spine.times[k];
    let corners = [
        place(&window, "Spine", key(2), length) - egui::vec2(10.0, 8.0),
        place(&window, "Spine", key(3), length) + egui::vec2(40.0, -8.0),
        place(&window, "Chest", key(2), length) + egui::vec2(10.0, 8.0),
        place(&window, "Chest", key(2), length) + egui::vec2(-10.0, 8.0),
    ];
    window.event_modifiers(Event::PointerMoved(corners[0]), Modifiers::ALT);
    window.step();
    button(&mut window, corners[0], true, Modifiers::ALT);
    for pair in corners.windows(2) {
        for k in 1..=4 {
            let at = pair[0] + (pair[1] - pair[0]) * (k as f32 / 4.0);
            window.event_modifiers(Event::PointerMoved(at), Modifiers::ALT);
            window.step();
        }
    }
    button(&mut window, corners[3], false, Modifiers::ALT);
    window.run_steps(3);
    assert_eq!(selected(&window).len(), 3);
    assert!(session(&window).history().done().is_empty());
}

#[test]
fn key_types_are_chosen_from_a_list_and_used_to_select_keys() {
    use ulna_model::KeyKind;
    let (mut window, _folder, _) = walking();
    let (spine, length) = (track(&window, "Spine", Property::Rotation), length(&window));
    let at = place(&window, "Spine", spine.times[2], length);
    super::editing::click_at(&mut window, at);
    press(&mut window, Modifiers::SHIFT, Key::K);
    click(&mut window, "Extreme keys");
    let now = track(&window, "Spine", Property::Rotation);
    assert_eq!(now.kinds.iter().collect::<Vec<_>>(), [(spine.times[2], KeyKind::Extreme)]);
    assert!(now.same_keys(&spine));
    let chest = place(&window, "Chest", spine.times[4], length);
    super::editing::click_at(&mut window, chest);
    palette(&mut window, "Select keys of the same type");
    let plain = selected(&window).len();
    assert_eq!(plain, session(&window).document().clips[WALK].key_count() - 1);
}

#[test]
fn typing_in_the_clip_list_selects_a_clip() {
    let (mut window, _folder, _) = walking();
    for _ in 0..5 {
        palette(&mut window, "Duplicate clip");
    }
    let shown = window.state().playback().clip.expect("a clip");
    let list = format!("Clip: {}", session(&window).document().clip_label(shown));
    click(&mut window, &list);
    window.run_steps(2);
    window.event(Event::Text("ru".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
    assert_eq!(window.state().playback().clip, Some(ClipId(2)), "Run");
    // While a row of the panel has the focus, a letter moves to the next row that begins with it.
    window.get_by_label("Clip Run").focus();
    window.run_steps(2);
    window.event(Event::Text("wav".into()));
    window.run_steps(4);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    let shown = window.state().playback().clip.expect("a clip");
    assert_eq!(session(&window).document().clip_label(shown), "Wave");
}

#[test]
fn offsetting_a_loop_moves_the_selected_keys_and_the_selection() {
    let (mut window, _folder, _) = walking();
    let (spine, length) = (track(&window, "Spine", Property::Rotation), length(&window));
    let fps = window.state().playback().fps as f32;
    let at = place(&window, "Spine", spine.times[2], length);
    super::editing::click_at(&mut window, at);
    palette(&mut window, "Offset in the loop");
    window.event(Event::Text("4".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let now = track(&window, "Spine", Property::Rotation);
    let moved = now.key_at(spine.times[2] + 4.0 / fps, 1e-4).expect("a key");
    assert_eq!(now.value(moved), spine.value(2));
    assert_eq!(selected(&window).span(), Some((now.times[moved], now.times[moved])));
    assert_eq!(session(&window).history().done().len(), 1);
    assert!(
        *track(&window, "Chest", Property::Rotation).times == *spine.times,
        "other tracks stay"
    );
}

#[test]
fn a_chosen_frame_rate_belongs_to_its_clip() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    assert_eq!(window.state().playback().fps, 30.0);
    click(&mut window, "Frames per second");
    window.run_steps(3);
    let at = window.get_by_label("24 fps").rect().center();
    super::editing::click_at(&mut window, at);
    let walk = |window: &Window| {
        let document = session(window).document();
        let id =
            document.clips.ids().find(|id| document.clip_label(*id) == "Walk").expect("a clip");
        document.clips[id].clone()
    };
    assert_eq!(walk(&window).rate, Some(24.0));
    click(&mut window, "Clip Run");
    assert_eq!(window.state().playback().fps, 30.0);
    click(&mut window, "Clip Walk");
    assert_eq!(window.state().playback().fps, 24.0);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(walk(&window).rate, None);
}
