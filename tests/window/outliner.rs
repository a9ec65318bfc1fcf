//! Nodes in the outliner: dragged, duplicated, added and removed.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use ulna_model::NodeId;

use super::editing::{click, node, press, sample, session, window};
use crate::common::{glb, window::Window};

/// Builds a root with two props and a box, and another root.
fn props() -> Vec<u8> {
    glb(
        json!({
            "scene": 0, "scenes": [{"nodes": [0, 4]}],
            "nodes": [
                {"name": "Root", "children": [1, 3]},
                {"name": "Hand", "translation": [0.0, 1.0, 0.0], "children": [2]},
                {"name": "Sword", "translation": [0.5, 0.0, 0.0]},
                {"name": "Box"},
                {"name": "Other", "translation": [0.0, 0.0, 2.0]}
            ]
        }),
        &[],
    )
}

fn row(window: &Window, name: &str) -> egui::Rect {
    window.get_by_role_and_label(egui::accesskit::Role::TreeItem, name).rect()
}

fn button(window: &mut Window, pos: Pos2, pressed: bool, modifiers: Modifiers) {
    window.event(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
    window.step();
}

/// Drags a row onto another row. `part` is the position on that row: 0 is its upper edge, 1 its
/// lower edge.
fn drag(window: &mut Window, name: &str, to: &str, part: f32, modifiers: Modifiers) {
    let (from, target) = (row(window, name).center(), row(window, to));
    let end = target.left_top() + vec2(target.width() * 0.5, target.height() * part);
    window.event(Event::ModifiersChanged(modifiers));
    window.event(Event::PointerMoved(from));
    window.step();
    button(window, from, true, modifiers);
    for k in 1..=4 {
        window.event(Event::PointerMoved(from + (end - from) * (k as f32 / 4.0)));
        window.step();
    }
    button(window, end, false, modifiers);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(4);
}

fn parent(window: &Window, name: &str) -> Option<String> {
    let document = session(window).document();
    document.node(node(window, name)).parent.map(|p| document.node(p).label(p))
}

fn place(window: &Window, name: &str) -> glam::Vec3 {
    let document = session(window).document();
    let mut at = Some(node(window, name));
    let mut world = glam::Mat4::IDENTITY;
    while let Some(id) = at {
        world = document.node(id).local().matrix() * world;
        at = document.node(id).parent;
    }
    world.w_axis.truncate()
}

#[test]
fn a_dragged_node_keeps_its_world_position_or_with_ctrl_its_local_transform() {
    let (mut window, _folder, _path) = window(&props());
    drag(&mut window, "Sword", "Other", 0.5, Modifiers::NONE);
    assert_eq!(parent(&window, "Sword").as_deref(), Some("Other"));
    assert!(place(&window, "Sword").abs_diff_eq(glam::vec3(0.5, 1.0, 0.0), 1e-5));
    drag(&mut window, "Sword", "Hand", 0.5, Modifiers::NONE);
    assert_eq!(parent(&window, "Sword").as_deref(), Some("Hand"));
    let local = session(&window).document().node(node(&window, "Sword")).local().transform();
    assert!(local.translation.abs_diff_eq(glam::vec3(0.5, 0.0, 0.0), 1e-5), "{local:?}");
    drag(&mut window, "Sword", "Other", 0.5, Modifiers::COMMAND | Modifiers::CTRL);
    assert_eq!(parent(&window, "Sword").as_deref(), Some("Other"));
    assert!(place(&window, "Sword").abs_diff_eq(glam::vec3(0.5, 0.0, 2.0), 1e-5));
}

#[test]
fn a_node_can_be_dropped_between_others_but_never_below_itself() {
    let (mut window, _folder, _path) = window(&props());
    // Drops the sword above the box, so it becomes the second child of the root.
    drag(&mut window, "Sword", "Box", 0.1, Modifiers::NONE);
    let document = session(&window).document();
    let names: Vec<String> = document
        .children(node(&window, "Root"))
        .iter()
        .map(|n| document.node(*n).label(*n))
        .collect();
    assert_eq!(names, ["Hand", "Sword", "Box"]);
    let before = document.clone();
    drag(&mut window, "Root", "Box", 0.5, Modifiers::NONE);
    assert!(*session(&window).document() == before, "a node hangs below itself");
    // A node dropped beside a root becomes a root.
    drag(&mut window, "Sword", "Other", 0.9, Modifiers::NONE);
    assert_eq!(parent(&window, "Sword"), None);
    let document = session(&window).document();
    assert!(document.scenes[0.into()].roots.contains(&node(&window, "Sword")));
}

#[test]
fn delete_and_duplicate_in_the_outliner_apply_to_nodes() {
    let (mut window, _folder, _path) = window(&props());
    let at = row(&window, "Sword").center();
    window.event(Event::PointerMoved(at));
    window.step();
    click(&mut window, "Sword");
    press(&mut window, Modifiers::COMMAND | Modifiers::CTRL, Key::D);
    assert_eq!(parent(&window, "Sword copy").as_deref(), Some("Hand"));
    press(&mut window, Modifiers::NONE, Key::Delete);
    let document = session(&window).document();
    assert!(document.nodes.values().all(|n| n.name.as_deref() != Some("Sword")));
    assert_eq!(document.nodes.count(), 5);
    press(&mut window, Modifiers::COMMAND | Modifiers::CTRL, Key::Z);
    assert_eq!(parent(&window, "Sword").as_deref(), Some("Hand"));
}

#[test]
fn the_menu_of_an_outliner_row_adds_and_removes_nodes() {
    let (mut window, _folder, _path) = window(&props());
    let menu = |window: &mut Window, name: &str| {
        window.get_by_role_and_label(egui::accesskit::Role::TreeItem, name).click_secondary();
        window.run_steps(4);
    };
    menu(&mut window, "Hand");
    click(&mut window, "Add empty node below");
    assert_eq!(parent(&window, "Node").as_deref(), Some("Hand"));
    menu(&mut window, "Hand");
    click(&mut window, "Remove, keep nodes below");
    assert_eq!(parent(&window, "Sword").as_deref(), Some("Root"));
    assert!(place(&window, "Sword").abs_diff_eq(glam::vec3(0.5, 1.0, 0.0), 1e-5));
    menu(&mut window, "Root");
    click(&mut window, "Remove with all nodes below");
    let document = session(&window).document();
    assert_eq!(document.nodes.ids().collect::<Vec<_>>(), [NodeId(4)]);
    // The window still works, and the tree shows the change.
    assert!(window.query_by_role_and_label(egui::accesskit::Role::TreeItem, "Sword").is_none());
    row(&window, "Other");
}

#[test]
fn removing_a_joint_reports_the_deviation_of_the_skin() {
    let (mut window, _folder, _path) = sample();
    let delete = |window: &mut Window, name: &str| {
        let at = row(window, name).center();
        window.event(Event::PointerMoved(at));
        window.step();
        window.get_by_role_and_label(egui::accesskit::Role::TreeItem, name).click();
        window.run_steps(3);
        press(window, Modifiers::NONE, Key::Delete);
    };
    let said = |window: &Window, text: &str| window.query_all_by_label_contains(text).count() > 0;
    let before = session(&window).document().clone();
    delete(&mut window, "Hips");
    assert!(*session(&window).document() == before);
    assert!(said(&window, "would lose its last joint"));
    click(&mut window, "Filter by name or kind");
    window.event(Event::Text("Left".to_owned()));
    window.run_steps(3);
    delete(&mut window, "LeftHand");
    let count = |window: &Window| session(window).document().nodes.ids().count();
    assert_eq!(count(&window), before.nodes.ids().count() - 16);
    assert!(said(&window, "the skin moves by at most"), "the deviation is said");
    // The menu of a joint has commands for joints, one of which removes the joint.
    window.get_by_role_and_label(egui::accesskit::Role::TreeItem, "LeftFoot").click_secondary();
    window.run_steps(4);
    click(&mut window, "Change the skeleton");
    assert!(window.query_by_label("Remove joints…").is_some());
    assert!(window.query_by_label("Remove with all nodes below").is_none());
}
