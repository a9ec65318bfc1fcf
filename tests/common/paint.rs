//! A window in Paint mode, driven by accessible names.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::{HarnessBuilder, kittest::Queryable as _};
use ulna::app::App;
use ulna_model::{Document, NodeId};
use ulna_session::Session;
use ulna_weights::faults;

pub use super::window::Window;
use super::window::{builder, open};

pub fn window(bytes: &[u8]) -> (Window, tempfile::TempDir) {
    let (window, folder, _) = open(builder(), bytes);
    (window, folder)
}

/// Opens a window like [`window`], with a graphics device.
pub fn window_drawn(bytes: &[u8]) -> (Window, tempfile::TempDir) {
    let (window, folder, _) = open(builder().wgpu(), bytes);
    (window, folder)
}

/// Opens the sample at rest in Paint mode, with a joint to paint.
pub fn painting(joint: &str) -> (Window, tempfile::TempDir) {
    painting_in(builder(), joint)
}

/// Opens the sample like [`painting`], with a graphics device.
pub fn painting_drawn(joint: &str) -> (Window, tempfile::TempDir) {
    painting_in(builder().wgpu(), joint)
}

/// Opens the sample like [`painting`], in the given window.
pub fn painting_in(builder: HarnessBuilder<App>, joint: &str) -> (Window, tempfile::TempDir) {
    let (mut window, folder, _) = open(builder, include_bytes!("../../assets/mannequin.glb"));
    click(&mut window, "Pose mode");
    click(&mut window, "Paint mode");
    click(&mut window, joint);
    window.run_steps(3);
    (window, folder)
}

pub fn session(window: &Window) -> &Session {
    window.state().session().expect("an open file")
}

pub fn node(document: &Document, name: &str) -> NodeId {
    document
        .node_ids()
        .find(|id| document.node(*id).name.as_deref() == Some(name))
        .expect("a node of that name")
}

pub fn click(window: &mut Window, name: &str) {
    window.get_by_label(name).click();
    window.run_steps(3);
}

pub fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(3);
}

pub fn drag(window: &mut Window, from: Pos2, to: Pos2, modifiers: Modifiers) {
    window.event(Event::PointerMoved(from));
    window.run_steps(2);
    let button = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers,
    };
    window.event(button(true, from));
    window.step();
    for k in 1..=8 {
        window.event(Event::PointerMoved(from + (to - from) * (k as f32 / 8.0)));
        window.step();
    }
    window.event(button(false, to));
    window.run_steps(4);
}

/// Clicks, and releases the button in the next frame.
pub fn click_at(window: &mut Window, at: Pos2, modifiers: Modifiers) {
    window.event(Event::PointerMoved(at));
    window.run_steps(3);
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers,
        });
        window.step();
    }
    window.run_steps(4);
}

/// Returns the position of a node's head in the window.
pub fn head(window: &Window, name: &str) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node(session(window).document(), name)).expect("in sight");
    pos2(rect.left() + at.x, rect.top() + at.y)
}

/// Returns the position of the middle of a limb in the window.
pub fn middle(window: &Window, from: &str, to: &str) -> Pos2 {
    head(window, from) + (head(window, to) - head(window, from)) * 0.5
}

/// Returns the sum of a joint's weights over all vertices of the file.
pub fn total(document: &Document, name: &str) -> f64 {
    let joint = node(document, name);
    let mut sum = 0.0;
    for skin in 0..document.skins.len() {
        let Some(canvas) = ulna_weights::SkinnedSurface::new(document, skin.into()) else {
            continue;
        };
        let Some(number) = canvas.joint(joint) else { continue };
        let maps = canvas.maps(document);
        for v in 0..canvas.vertex_count() as u32 {
            let (map, own) = maps.map_of(v);
            sum += f64::from(map.weight(own, number));
        }
    }
    sum
}

/// Asserts that all vertices have valid weights.
pub fn sound(document: &Document) {
    for mesh in document.meshes.values() {
        for map in mesh.primitives.iter().filter_map(|p| p.weights.as_deref()) {
            assert_eq!(faults(map, usize::MAX).broken(), 0);
        }
    }
}

/// Clicks a control that can be below the visible part of a panel.
pub fn press_button(window: &mut Window, name: &str) {
    window.get_by_label(name).click_accesskit();
    window.run_steps(4);
}
