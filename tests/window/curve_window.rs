//! Fields that apply what was typed, custom eases, settings that are saved, and narrow windows.

use egui::{Event, Key, Modifiers, PointerButton, Rect};
use egui_kittest::kittest::Queryable as _;

use super::{
    curve_tools::{click_at, drag, hips, track},
    editing::{Window, click, node, press, sample},
};
use crate::common::window::{builder, open, wait};
use ulna::app::App;

/// Clicks with press and release in one frame, as touchpads do.
fn quick_click(window: &mut Window, name: &str) {
    let pos = window.get_by_label(name).rect().center();
    let button = |pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let events = &mut window.input_mut().events;
    events.extend([Event::PointerMoved(pos), button(true), button(false)]);
    window.run_steps(6);
}

fn turn(window: &Window, joint: &str) -> f32 {
    let joint = node(window, joint);
    let rotation = |pose: &ulna_motion::Pose| pose.local[joint.index()].transform().rotation;
    rotation(window.state().shown_pose()).to_scaled_axis().length().to_degrees()
}

#[test]
fn clicking_elsewhere_applies_the_typed_value_to_the_previous_selection() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    let before = [turn(&window, "LeftUpperArm"), turn(&window, "Head")];
    let field = "Ul rotation X";
    click(&mut window, field);
    window.event(Event::Text("25".to_owned()));
    window.run_steps(2);
    quick_click(&mut window, "Head");
    assert_eq!(window.state().selection().active, Some(node(&window, "Head")));
    let after = [turn(&window, "LeftUpperArm"), turn(&window, "Head")];
    assert!((after[0] - before[0]).abs() > 1.0, "the arm turned: {before:?} {after:?}");
    assert!((after[1] - before[1]).abs() < 1e-3, "the head did not: {before:?} {after:?}");
}

#[test]
fn escape_discards_the_typed_value_before_a_click_elsewhere() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    let before = turn(&window, "LeftUpperArm");
    click(&mut window, "Ul rotation X");
    window.event(Event::Text("25".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Escape);
    quick_click(&mut window, "Head");
    assert!((turn(&window, "LeftUpperArm") - before).abs() < 1e-3);
}

#[test]
fn clicking_the_next_field_applies_the_typed_frame() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Frame");
    window.event(Event::Text("8".to_owned()));
    window.run_steps(2);
    quick_click(&mut window, "LeftUpperArm");
    assert!((window.state().playback().frame() - 8.0).abs() < 1e-6);
}

#[test]
fn a_custom_ease_is_saved_chosen_again_and_deleted() {
    let (mut window, _folder, graph) = hips();
    let before = track(&window);
    click_at(&mut window, graph.key(&before, 1), Modifiers::NONE);
    click(&mut window, "Ease…");
    click(&mut window, "Ease Back");
    click(&mut window, "Name of this ease");
    window.event(Event::Text("Windup".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("Own ease Windup").is_some(), "saved, and the panel stays open");
    let back = track(&window);
    click(&mut window, "Ease Linear");
    assert_ne!(track(&window), back);
    click(&mut window, "Own ease Windup");
    assert_eq!(track(&window), back);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(track(&window), before);
    click(&mut window, "Ease…");
    click(&mut window, "Delete ease Windup");
    assert!(window.query_by_label("Own ease Windup").is_none());
}

/// Preferences that are stored in memory.
#[derive(Clone, Default)]
struct Kept(std::collections::BTreeMap<String, String>);

impl eframe::Storage for Kept {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

#[test]
fn row_height_and_curve_colors_are_restored_at_the_next_start() {
    let (mut window, _folder, _) = hips();
    click(&mut window, "Both");
    window.run_steps(3);
    let edge = window.get_by_label("Edge between keys and curves").rect().center();
    drag(&mut window, edge, edge + egui::vec2(0.0, 30.0));
    let height = window.get_by_label("Timeline keys").rect().height();
    click(&mut window, "Colors of curves");
    click(&mut window, "By joint");
    press(&mut window, Modifiers::NONE, Key::Escape);
    let mut kept = Kept::default();
    eframe::App::save(window.state_mut(), &mut kept);

    let (folder, storage) = (tempfile::tempdir().expect("a folder"), Box::leak(Box::new(kept)));
    let path = folder.path().join("model.glb");
    std::fs::write(&path, include_bytes!("../../assets/mannequin.glb")).expect("a file");
    let mut window = builder().build_eframe(move |cc| {
        cc.storage = Some(storage);
        App::new(cc, Some(path))
    });
    wait(&mut window);
    click(&mut window, "Clip Walk");
    window.run_steps(5);
    let now = window.get_by_label("Timeline keys").rect().height();
    assert!((now - height).abs() < 1.0, "{height} {now}");
    assert!(window.query_by_label("Colors by joint, dashes by axis").is_some());
}

/// Asserts that none of the drawn timeline buttons with these names overlap.
fn assert_apart(window: &Window, names: &[&str]) {
    let rects: Vec<(&str, Rect)> =
        names.iter().map(|name| (*name, window.get_by_label(name).rect())).collect();
    let screen = Rect::from_min_size(egui::Pos2::ZERO, window.ctx.content_rect().size());
    for (k, (name, rect)) in rects.iter().enumerate() {
        assert!(screen.expand(0.5).contains_rect(*rect), "{name} is out of sight: {rect:?}");
        for (other, area) in &rects[..k] {
            let both = rect.intersect(*area);
            assert!(!(both.width() > 0.5 && both.height() > 0.5), "{name} lies over {other}");
        }
    }
}

const TRANSPORT: [&str; 8] = [
    "Clip start",
    "Previous key",
    "Play",
    "Next key",
    "Clip end",
    "Time",
    "Set key",
    "Delete keys",
];

#[test]
fn the_sheet_the_curves_and_both_can_be_shown_in_a_small_window() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    // The last case is a window of 1280 × 720 pixels at 200 %.
    for (size, density) in [([1280.0, 720.0], 1.0), ([1000.0, 640.0], 1.0), ([640.0, 360.0], 2.0)] {
        let builder = builder().with_size(size).with_pixels_per_point(density);
        let (mut window, _folder, _) = open(builder, bytes);
        // In the smallest window, the modes are a drop-down list.
        if let Some(modes) = window.query_by_label_contains("Mode: ") {
            modes.click();
            window.run_steps(3);
            let role = egui::accesskit::Role::MenuItemCheckBox;
            window.get_by_role_and_label(role, "Animate").click();
        } else {
            click(&mut window, "Animate mode");
        }
        window.run_steps(3);
        for show in ["Curves", "Both", "Sheet"] {
            let list = ["Sheet", "Curves", "Both"].map(|s| format!("Timeline shows: {s}"));
            let list = list.iter().find(|name| window.query_by_label(name).is_some());
            let mut names = TRANSPORT.to_vec();
            match list {
                Some(list) => {
                    names.push(list);
                    assert_apart(&window, &names);
                    click(&mut window, list);
                }
                None => {
                    names.extend(["Sheet", "Curves", "Both"]);
                    assert_apart(&window, &names);
                }
            }
            click(&mut window, show);
            window.run_steps(3);
            let curves = window.query_by_label("Timeline curves").is_some();
            assert_eq!(curves, show != "Sheet", "{show} at {size:?}");
        }
    }
}

#[test]
fn a_narrow_curve_toolbar_moves_tools_into_a_menu() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let builder = builder().with_size([800.0, 620.0]);
    let (mut window, _folder, _) = open(builder, bytes);
    click(&mut window, "Animate mode");
    window.run_steps(3);
    window.get_by_label_contains("Timeline shows: ").click();
    window.run_steps(3);
    click(&mut window, "Curves");
    window.run_steps(3);
    let bar = ["Select and move keys", "Scale keys in a box", "Insert keys on curves"];
    assert_apart(&window, &bar);
    if window.query_by_label("Filter…").is_none() {
        click(&mut window, "More tools of curves");
    }
    assert!(window.query_by_label("Filter…").is_some());
    assert!(window.query_by_label_contains("Match tangents at the loop's seam").is_some());
}
