//! Keyboard access to the whole window: everything that can be clicked can be reached with F6 and
//! Tab.

use std::collections::BTreeSet;

use egui::{
    Key, Modifiers,
    accesskit::{Action, Role},
};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use ulna_render::ColorRole;

use crate::common::window::{Window, builder, open};

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
}

/// Returns the name of a control that is enabled and visible. Another test ensures that names are
/// unique.
fn control(node: &egui_kittest::Node<'_>) -> Option<String> {
    let access = node.accesskit_node();
    let works = matches!(
        access.role(),
        Role::Button
            | Role::CheckBox
            | Role::ComboBox
            | Role::Link
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::RadioButton
            | Role::Slider
            | Role::SpinButton
            | Role::Tab
            | Role::TextInput
            | Role::MultilineTextInput
            | Role::TreeItem
            | Role::ListBoxOption
    );
    let is_enabled = !access.is_disabled() && access.data().supports_action(Action::Focus);
    let is_seen = access.bounding_box().is_some_and(|b| b.width() > 0.0 && b.height() > 0.0);
    (works && is_enabled && is_seen)
        .then(|| access.label().or_else(|| access.value()).unwrap_or_default())
}

/// Returns the names of all visible controls.
fn controls(window: &Window) -> BTreeSet<String> {
    controls_below(window.root())
}

/// Returns the names of all visible controls below a node.
fn controls_below(node: egui_kittest::Node<'_>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        all.extend(control(&node));
        stack.extend(node.children());
    }
    all
}

/// A widget that Tab gives the focus: its role, its name, and the number of focus rings around it.
struct Stop {
    focus: Option<egui::Id>,
    role: Role,
    name: String,
    rings: usize,
}

fn stop(window: &Window) -> Option<Stop> {
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        if access.is_focused() && access.role() != Role::Window {
            let name = access.label().or_else(|| access.value()).unwrap_or_default();
            let focus = window.ctx.memory(|m| m.focused());
            let rings = focus.map_or(0, |id| rings(window, id));
            return Some(Stop { focus, role: access.role(), name, rings });
        }
        stack.extend(node.children());
    }
    None
}

/// Returns the number of rings in the accent color around the widget with the focus.
fn rings(window: &Window, focus: egui::Id) -> usize {
    let [r, g, b, _] = ColorRole::AccentBase.color("dark").0;
    let accent = egui::Color32::from_rgb(r, g, b);
    let Some(widget) = window.ctx.read_response(focus) else { return 0 };
    let outlines = [widget.rect, widget.rect.intersect(widget.interact_rect)];
    let surrounds = |ring: egui::Rect| {
        let is_near = |a: egui::Pos2, b: egui::Pos2| a.distance(b) < 6.0;
        outlines.iter().any(|o| is_near(ring.min, o.min) && is_near(ring.max, o.max))
    };
    let is_ring = |shape: &egui::Shape| match shape {
        egui::Shape::Rect(rect) => {
            let stroke = rect.stroke;
            stroke.width > 0.0 && stroke.color == accent && surrounds(rect.rect)
        }
        egui::Shape::Circle(circle) => {
            let stroke = circle.stroke;
            let around =
                egui::Rect::from_center_size(circle.center, egui::Vec2::splat(circle.radius * 2.0));
            stroke.width > 0.0 && stroke.color == accent && surrounds(around)
        }
        _ => false,
    };
    window.output().shapes.iter().filter(|shape| is_ring(&shape.shape)).count()
}

/// Enters a panel, and moves the focus through the whole window with Tab.
fn walk(window: &mut Window) -> Vec<Stop> {
    press(window, Modifiers::NONE, Key::F6);
    walk_from_here(window)
}

/// Moves the focus through the whole window with Tab, until it returns.
fn walk_from_here(window: &mut Window) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    for _ in 0..500 {
        press(window, Modifiers::NONE, Key::Tab);
        let Some(stop) = stop(window) else { continue };
        if stops.iter().any(|before| before.focus == stop.focus) {
            return stops;
        }
        stops.push(stop);
    }
    let names: Vec<_> = stops.iter().map(|s| (s.role, &s.name)).collect();
    panic!("the walk does not come round: {names:?}");
}

/// Returns the open dialog.
fn dialog(window: &Window) -> Option<egui_kittest::Node<'_>> {
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        if node.accesskit_node().role() == Role::Dialog {
            return Some(node);
        }
        stack.extend(node.children());
    }
    None
}

/// Whether the focus is in the open dialog.
fn is_in_dialog(window: &Window) -> bool {
    let mut stack: Vec<_> = dialog(window).into_iter().collect();
    while let Some(node) = stack.pop() {
        if node.accesskit_node().is_focused() {
            return true;
        }
        stack.extend(node.children());
    }
    false
}

#[test]
fn dialogs_have_names_and_work_by_keyboard() {
    let sample = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder(), sample);
    let dialogs = [
        ("file.preferences", "Preferences"),
        ("file.export", "Export"),
        ("file.pictures", "Render images"),
        ("file.save_as", "Save"),
        ("file.changes", "Save model.glb"),
        ("file.recover", "Nothing to recover"),
        ("clip.retime", "Retime clip"),
        ("clip.import", "Import clips"),
        ("weights.limit", "Limit"),
        ("rig.humanoid_bones", "Humanoid"),
        ("help.about", "Ulna"),
    ];
    let mut walked = 0;
    for (command, title) in dialogs {
        press(&mut window, Modifiers::COMMAND, Key::P);
        window.event(egui::Event::Text(command.to_owned()));
        window.run_steps(2);
        press(&mut window, Modifiers::NONE, Key::Enter);
        // Some dialogs first compute their list on another thread.
        for _ in 0..400 {
            window.step();
            if dialog(&window).is_some() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        window.run_steps(3);
        let open = dialog(&window).unwrap_or_else(|| panic!("{command} opens a dialog"));
        let name = open.accesskit_node().label().unwrap_or_default();
        assert!(name.starts_with(title), "{command}: “{name}”");
        let all = controls_below(open);
        // A dialog beside the panels is entered like a panel.
        press(&mut window, Modifiers::NONE, Key::Tab);
        let mut around = 0;
        while around < 8 && !is_in_dialog(&window) {
            press(&mut window, Modifiers::NONE, Key::F6);
            around += 1;
        }
        let stops = walk_from_here(&mut window);
        let reached: BTreeSet<String> = stops.iter().map(|s| s.name.clone()).collect();
        let missed: Vec<_> = all.difference(&reached).collect();
        assert!(missed.is_empty(), "{command}: {missed:?}");
        assert!(stops.iter().all(|s| !s.name.is_empty()), "{command}: a stop has no name");
        walked += stops.len();
        press(&mut window, Modifiers::NONE, Key::Escape);
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert!(dialog(&window).is_none(), "{command} is closed by Escape");
    }
    assert!(walked > 60, "{walked} stops");
}

#[test]
fn every_control_is_reached_by_keyboard_with_a_visible_focus() {
    let sample = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder(), sample);
    let mut walked = 0;
    for mode in ["Pose mode", "Animate mode", "Paint mode", "Rig mode"] {
        window.get_by_label(mode).click();
        window.run_steps(4);
        let stops = walk(&mut window);
        let reached: BTreeSet<String> = stops.iter().map(|s| s.name.clone()).collect();
        let all = controls(&window);
        let missed: Vec<_> = all.difference(&reached).collect();
        assert!(missed.is_empty(), "{mode}: {missed:?}");
        let nameless: Vec<_> = stops
            .iter()
            .filter(|s| s.name.is_empty() || s.role == Role::Unknown)
            .map(|s| {
                (
                    s.role,
                    &s.name,
                    s.focus.and_then(|id| window.ctx.read_response(id)).map(|r| r.rect),
                )
            })
            .collect();
        assert!(nameless.is_empty(), "{mode}: {nameless:?}");
        let has_caret =
            |role| matches!(role, Role::TextInput | Role::MultilineTextInput | Role::SpinButton);
        let not_ringed_once: Vec<_> = stops
            .iter()
            .filter(|s| s.rings != 1 && !has_caret(s.role))
            .map(|s| (s.role, &s.name, s.rings))
            .collect();
        assert!(not_ringed_once.is_empty(), "{mode}: {not_ringed_once:?}");
        walked += stops.len();
    }
    assert!(walked > 400, "{walked} stops");
}

#[test]
fn the_border_between_panels_is_moved_by_arrow_keys() {
    let sample = include_bytes!("../../assets/mannequin.glb");
    let (mut window, _folder, _) = open(builder(), sample);
    let width = |window: &Window| window.get_by_label("Outliner panel").rect().width();
    let before = width(&window);
    press(&mut window, Modifiers::NONE, Key::F6);
    for _ in 0..500 {
        press(&mut window, Modifiers::NONE, Key::Tab);
        if stop(&window).is_some_and(|s| s.name == "Line between Outliner and Viewport") {
            break;
        }
    }
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    press(&mut window, Modifiers::NONE, Key::ArrowLeft);
    let after = width(&window);
    assert!((after - before - 16.0).abs() < 1.0, "{before} to {after}");
}
