//! The selected keys belong to the clip that the timeline shows. No action may change the keys of
//! another clip.

use std::collections::BTreeMap;

use egui::{Event, Key, Modifiers, pos2};
use egui_kittest::kittest::Queryable as _;
use ulna::ui::Mode;
use ulna_model::{Clip, ClipId, Shared};

use super::editing::{Window, click, press, sample, session};

/// Returns all clips of the document by id.
fn clips(window: &Window) -> BTreeMap<ClipId, Shared<Clip>> {
    session(window).document().clips.iter().map(|(id, clip)| (id, clip.clone())).collect()
}

fn keys(clips: &BTreeMap<ClipId, Shared<Clip>>) -> BTreeMap<ClipId, usize> {
    clips.iter().map(|(id, clip)| (*id, clip.key_count())).collect()
}

/// Moves the pointer over the lower panel, which then gets keyboard input.
fn over_timeline(window: &mut Window) {
    window.event(Event::PointerMoved(pos2(900.0, 900.0)));
    window.run_steps(2);
}

fn palette(window: &mut Window, title: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(title.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

fn mode(window: &mut Window, key: Key) {
    press(window, Modifiers::NONE, key);
    window.run_steps(2);
}

/// Opens the sample with all keys of *Walk* selected.
fn all_of_walk() -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = sample();
    click(&mut window, "Clip Walk");
    over_timeline(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::A);
    let walk = window.state().playback().clip.expect("a clip");
    assert_eq!(window.state().selected_keys().len(), clips(&window)[&walk].key_count());
    (window, folder)
}

#[test]
fn delete_keeps_the_keys_of_a_clip_that_the_timeline_no_longer_shows() {
    type Act = fn(&mut Window);
    let acts: [(&str, Act); 6] = [
        ("a new clip", |w| click(w, "New clip")),
        ("a duplicate", |w| palette(w, "Duplicate clip")),
        ("another clip", |w| click(w, "Clip Run")),
        ("Pose mode", |w| mode(w, Key::Num1)),
        ("Paint mode", |w| mode(w, Key::Num3)),
        ("the mixer", |w| click(w, "Mixer")),
    ];
    for (name, act) in acts {
        let (mut window, _folder) = all_of_walk();
        act(&mut window);
        over_timeline(&mut window);
        assert!(window.state().selected_keys().is_empty(), "after {name} no key is selected");
        assert!(window.query_by_label_contains("selected key").is_none(), "after {name}");
        let before = clips(&window);
        press(&mut window, Modifiers::NONE, Key::Delete);
        assert_eq!(keys(&before), keys(&clips(&window)), "Delete after {name}");
    }
}

#[test]
fn no_keys_are_selected_or_set_in_the_mixer_and_in_pose_mode() {
    for enter in [|w: &mut Window| click(w, "Mixer"), |w: &mut Window| mode(w, Key::Num1)] {
        let (mut window, _folder, _) = sample();
        click(&mut window, "Clip Walk");
        click(&mut window, "Hips");
        enter(&mut window);
        over_timeline(&mut window);
        let before = clips(&window);
        // Select all keys and delete, set keys of the selected joint at the playhead, and add a
        // marker.
        for (modifiers, key) in [
            (Modifiers::COMMAND, Key::A),
            (Modifiers::NONE, Key::Delete),
            (Modifiers::NONE, Key::S),
            (Modifiers::NONE, Key::M),
        ] {
            press(&mut window, modifiers, key);
            window.run_steps(2);
        }
        assert!(before == clips(&window), "no clip has changed");
    }
}

#[test]
fn undo_restores_the_key_selection_but_never_that_of_the_previous_file() {
    let (mut window, folder) = all_of_walk();
    press(&mut window, Modifiers::NONE, Key::Delete);
    let other = folder.path().join("other.glb");
    std::fs::write(&other, include_bytes!("../../assets/mannequin.glb")).expect("a file");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!window.state().selected_keys().is_empty(), "undo selects the keys again");
    // The same file opened again starts without a selection, and its own undo restores none.
    super::editing::ask_for(&mut window, &other);
    super::editing::wait(&mut window);
    click(&mut window, "Clip Walk");
    assert!(window.state().selected_keys().is_empty());
    palette(&mut window, "Duplicate clip");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(window.state().selected_keys().is_empty(), "keys of the file before");
}

/// Runs random actions. Except for undo and redo, no action may change a clip that the timeline
/// does not show.
#[test]
fn random_actions_change_only_the_shown_clip() {
    const ACTS: usize = 60;
    let mut deleted = 0;
    for seed in [1u64, 2] {
        let (mut window, _folder, _) = sample();
        click(&mut window, "Clip Walk");
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut draw = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for step in 0..ACTS {
            over_timeline(&mut window);
            let before = clips(&window);
            let playback = window.state().playback();
            let animates = window.state().mode() == Mode::Animate && !playback.mixing;
            let shown = playback.clip.filter(|_| animates);
            let selected = window.state().selected_keys().len();
            // Most actions run over a clip, where keys can be deleted.
            let act = match (animates, draw(2)) {
                (false, 0) if playback.mixing => 11,
                (false, 0) => 10,
                _ => draw(15),
            };
            let mut back = false;
            match act {
                0 | 1 | 12 | 13 => press(&mut window, Modifiers::COMMAND, Key::A),
                2 => {
                    let ids: Vec<ClipId> = before.keys().copied().collect();
                    let id = ids[draw(ids.len() as u64) as usize];
                    let name = format!("Clip {}", session(&window).document().clip_label(id));
                    if window.query_all_by_label(&name).count() == 1 {
                        click(&mut window, &name);
                    }
                }
                3 if window.query_all_by_label("New clip").count() == 1 => {
                    click(&mut window, "New clip")
                }
                4 if before.len() < 12 => palette(&mut window, "Duplicate clip"),
                5 | 6 | 14 => press(&mut window, Modifiers::NONE, Key::Delete),
                7 => {
                    press(&mut window, Modifiers::COMMAND, Key::Z);
                    back = true;
                }
                8 => {
                    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
                    back = true;
                }
                9 => mode(&mut window, Key::Num1),
                10 => mode(&mut window, Key::Num2),
                11 => {
                    let name = if playback.mixing { "Close the mixer" } else { "Mixer" };
                    if window.query_all_by_label(name).count() == 1 {
                        click(&mut window, name);
                    }
                }
                _ => {}
            }
            window.run_steps(2);
            if back {
                continue;
            }
            let after = clips(&window);
            for (id, clip) in before.iter().filter(|(id, _)| Some(**id) != shown) {
                assert!(
                    after.get(id) == Some(clip),
                    "seed {seed}, step {step}, act {act}: {id:?} was not shown"
                );
            }
            if let Some(id) = shown
                && matches!(act, 5 | 6 | 14)
                && selected > 0
            {
                assert_eq!(
                    before[&id].key_count() - after[&id].key_count(),
                    selected,
                    "seed {seed}, step {step}"
                );
                deleted += selected;
            }
        }
    }
    assert!(deleted > 0, "no key was deleted, so nothing was tried");
}
