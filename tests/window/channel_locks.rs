//! Channel locks in the window: lock buttons beside fields, handles, typed numbers, and the
//! command.

use egui::{Event, Key, Modifiers, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use ulna_model::{ChannelLocks, NodeId};

use super::{
    editing::{Window, click, press, session},
    posing::{arm, hold, release, steps, type_text},
};

fn locks(window: &Window, node: NodeId) -> ChannelLocks {
    session(window).document().node(node).locks
}

fn offset(window: &Window, node: NodeId) -> glam::Quat {
    session(window).document().node(node).user().unwrap_or_default().rotation
}

/// Returns the pose offset as degrees about x, y and z.
fn angles(window: &Window, node: NodeId) -> [f32; 3] {
    let (x, y, z) = offset(window, node).to_euler(glam::EulerRot::XYZ);
    [x, y, z].map(f32::to_degrees)
}

fn has(window: &Window, name: &str) -> bool {
    window.query_by_label(name).is_some()
}

/// Rotates over the viewport by the tool's key, an axis key and a number.
fn rotate(window: &mut Window, axis: Key, degrees: &str) {
    let at = window.get_by_label("Viewport").rect().center() + vec2(200.0, 100.0);
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::E);
    press(window, Modifiers::NONE, axis);
    type_text(window, degrees);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

#[test]
fn the_axis_letter_beside_a_field_locks_its_channel() {
    let (mut window, _folder, arm) = arm();
    click(&mut window, "Rotate");
    let ring = "Handle: Rotate about Y";
    assert!(has(&window, ring) && has(&window, "Ul rotation Y"));
    click(&mut window, "Lock Ul rotation Y");
    window.run_steps(3);
    let only_y = ChannelLocks { rotation: [false, true, false], ..ChannelLocks::default() };
    assert_eq!(locks(&window, arm), only_y);
    assert_eq!(steps(&window), 1, "one step");
    // The handle of a locked channel disappears, and its field becomes read-only.
    assert!(!has(&window, ring) && has(&window, "Handle: Rotate about X"));
    assert!(!has(&window, "Ul rotation Y") && has(&window, "Ul rotation X"));
    rotate(&mut window, Key::Y, "30");
    assert!(angles(&window, arm).iter().all(|a| a.abs() < 1e-3), "{:?}", angles(&window, arm));
    rotate(&mut window, Key::X, "30");
    let [x, y, z] = angles(&window, arm);
    assert!((x - 30.0).abs() < 1e-3 && y.abs() < 1e-3 && z.abs() < 1e-3, "{x} {y} {z}");
    // A free rotation drag changes only the other axes.
    let at = window.get_by_label("Handle: Rotate around the view axis").rect().center();
    let center = super::posing::on_screen(&window, arm);
    let way = [at, center + (at - center).rot90()];
    hold(&mut window, &way);
    release(&mut window, way[1]);
    let [x, y, z] = angles(&window, arm);
    assert!(y.abs() < 0.01 && (x - 30.0).abs() + z.abs() > 5.0, "{x} {y} {z}");
    click(&mut window, "Lock Ul rotation Y");
    window.run_steps(3);
    assert!(locks(&window, arm).is_empty());
    assert!(has(&window, "Ul rotation Y"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert_eq!(locks(&window, arm), only_y);
}

#[test]
fn the_lock_command_locks_all_channels_of_the_selected_joint() {
    let (mut window, _folder, arm) = arm();
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("Lock channels".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, "Lock channels").click();
    window.run_steps(4);
    let all = ChannelLocks { translation: [true; 3], rotation: [true; 3], scale: [true; 3] };
    assert_eq!(locks(&window, arm), all);
    for tool in ["Move", "Rotate", "Scale"] {
        click(&mut window, tool);
        window.run_steps(3);
        let handles = window.query_all_by_label_contains("Handle: ").count();
        assert_eq!(handles, 0, "{tool}");
    }
    assert!(!has(&window, "W rotation X") && !has(&window, "W translation X"));
}
