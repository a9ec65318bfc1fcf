//! Paint mode in the whole window: strokes, locks, selected vertices and numbers. Results are
//! checked in the document.

use crate::common::paint::{
    Window, click, drag, head, middle, node, painting_drawn as painting, press, press_button,
    session, sound, total, window,
};
use egui::{Event, Key, Modifiers, PointerButton, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

#[test]
fn a_stroke_paints_the_active_joint_as_one_step() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(&mut window, at, at + vec2(10.0, 30.0), Modifiers::NONE);
    let document = session(&window).document();
    assert!(total(document, "LeftUpperArm") > total(&before, "LeftUpperArm") + 0.5);
    assert!(total(document, "RightUpperArm") < total(&before, "RightUpperArm"));
    sound(document);
    assert_eq!(session(&window).history().done().len(), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before);
    // The settings shown while painting are still shown.
    assert!(window.query_by_label("Brush").is_some());
}

#[test]
fn holding_ctrl_inverts_the_brush_and_holding_shift_smooths() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    drag(&mut window, at, at + vec2(0.0, 10.0), Modifiers::COMMAND);
    assert!(
        total(session(&window).document(), "LeftUpperArm") < total(&before, "LeftUpperArm") - 0.5
    );
    assert_eq!(session(&window).history().undo_label(), Some("Paint weights"));
    let knee = head(&window, "LeftLowerArm");
    drag(&mut window, knee, knee + vec2(0.0, 10.0), Modifiers::SHIFT);
    assert_eq!(session(&window).history().undo_label(), Some("Smooth weights"));
    sound(session(&window).document());
}

#[test]
fn a_locked_joint_is_not_painted_and_escape_cancels_a_stroke() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    press(&mut window, Modifiers::NONE, Key::L);
    drag(&mut window, at, at + vec2(0.0, 20.0), Modifiers::NONE);
    assert!(*session(&window).document() == before);
    assert!(window.query_by_label_contains("the joint is locked").is_some());
    press(&mut window, Modifiers::NONE, Key::L);
    // Presses the button and moves the pointer, but does not release the button.
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    let modifiers = Modifiers::NONE;
    window.event(Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed: true,
        modifiers,
    });
    window.run_steps(2);
    assert!(*session(&window).document() != before, "the first dab is shown at once");
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(*session(&window).document() == before);
    assert!(session(&window).history().done().is_empty());
}

#[test]
fn mirrored_strokes_paint_both_sides_equally() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    press(&mut window, Modifiers::NONE, Key::X);
    let at = middle(&window, "LeftLowerArm", "LeftHand");
    drag(&mut window, at, at + vec2(0.0, 12.0), Modifiers::NONE);
    let document = session(&window).document();
    let gained = |name: &str| total(document, name) - total(&before, name);
    assert!(gained("LeftUpperArm") > 0.5);
    let (left, right) = (gained("LeftUpperArm"), gained("RightUpperArm"));
    assert!((left - right).abs() < 1e-3 * left, "{left} and {right}");
    sound(document);
}

#[test]
fn a_number_typed_for_selected_vertices_sets_their_weight() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(
        &mut window,
        at - vec2(15.0, 15.0),
        at + vec2(15.0, 15.0),
        Modifiers::COMMAND | Modifiers::ALT,
    );
    assert!(window.query_by_label_contains("selected ·").is_some(), "vertices are selected");
    assert!(session(&window).history().done().is_empty(), "selecting is no change");
    let cell = window.query_all_by_label_contains("LeftUpperArm of vertex").next().expect("a cell");
    let label = cell.accesskit_node().label().expect("a name");
    let vertex: usize = label
        .split("vertex ")
        .nth(1)
        .and_then(|t| t.split(':').next())
        .and_then(|t| t.parse().ok())
        .expect("a number");
    cell.click_accesskit();
    window.run_steps(2);
    window.event(Event::Text("0.5*0.5".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    let canvas = ulna_weights::SkinnedSurface::new(document, 0.into()).expect("a canvas");
    let joint = canvas.joint(node(document, "LeftUpperArm")).expect("a joint");
    let found = document
        .meshes
        .values()
        .flat_map(|m| &m.primitives)
        .filter_map(|p| p.weights.as_deref())
        .any(|map| vertex < map.vertex_count() && (map.weight(vertex, joint) - 0.25).abs() < 1e-6);
    assert!(found, "vertex {vertex} has a quarter");
    sound(document);
}

#[test]
fn the_joint_list_does_not_move_while_the_pointer_approaches_it() {
    let (mut window, _folder) = painting("LeftUpperArm");
    window.event(Event::PointerMoved(middle(&window, "RightUpperArm", "RightLowerArm")));
    window.run_steps(4);
    let row = |window: &Window| window.get_by_label("Joint RightUpperArm").rect();
    let before = row(&window);
    window.event(Event::PointerMoved(before.center()));
    window.run_steps(4);
    assert_eq!(row(&window), before);
    click(&mut window, "Joint RightUpperArm");
    assert_eq!(
        window.state().selection().active,
        Some(node(session(&window).document(), "RightUpperArm"))
    );
}

#[test]
fn a_drag_after_the_radius_key_changes_the_radius_and_escape_restores_it() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let radius = |window: &Window| window.state().brush().radius;
    let before = radius(&window);
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::B);
    window.event(Event::PointerMoved(at + vec2(40.0, 0.0)));
    window.run_steps(3);
    assert_ne!(radius(&window), before);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(radius(&window), before);
    press(&mut window, Modifiers::NONE, Key::CloseBracket);
    assert_ne!(radius(&window), before);
    assert!(session(&window).history().done().is_empty());
}

/// Returns the layers of the painted skin.
fn layers(window: &Window) -> ulna_model::WeightLayers {
    let all = &session(window).document().aids.weight_layers;
    (**all.values().next().expect("layers")).clone()
}

fn is_marked(window: &Window, name: &str) -> bool {
    window.get_by_label(name).accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
}

#[test]
fn any_weight_layer_its_mask_and_the_base_can_be_painted() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Layers tab");
    press_button(&mut window, "Add a layer");
    press_button(&mut window, "Add a layer");
    assert!(is_marked(&window, "Layer Layer 2"), "a new layer is painted");
    opacity_of(&mut window, "Layer 1", "50");
    assert!((layers(&window).layers[0].opacity - 0.5).abs() < 1e-6);
    press_button(&mut window, "Layer Layer 1");
    assert!(is_marked(&window, "Layer Layer 1") && !is_marked(&window, "Layer Layer 2"));

    let steps = session(&window).history().done().len();
    let before = session(&window).document().clone();
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::NONE);
    let painted = layers(&window);
    assert!(!painted.layers[0].parts.is_empty() && painted.layers[1].parts.is_empty());
    let gained = |window: &Window| {
        total(session(window).document(), "LeftUpperArm") - total(&before, "LeftUpperArm")
    };
    let half = gained(&window);
    assert!(half > 0.2, "it is seen: {half}");
    sound(session(&window).document());
    assert_eq!(session(&window).history().done().len(), steps + 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before, "one step takes back both");
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert!(layers(&window) == painted);

    // Paints the layer's mask with the inverse brush, which removes it.
    press_button(&mut window, "Paint mask");
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::COMMAND);
    assert_eq!(session(&window).history().undo_label(), Some("Paint mask"));
    let least = |l: &ulna_model::WeightLayers| {
        l.layers[0].parts.values().flat_map(|p| p.mask.clone()).fold(f32::INFINITY, f32::min)
    };
    assert!(least(&painted) == 1.0 && least(&layers(&window)) < 0.9);
    assert!(gained(&window) < half - 0.05, "less of it counts");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(layers(&window) == painted);

    // Paints the base weights below all layers.
    press_button(&mut window, "Layer Base");
    assert!(is_marked(&window, "Layer Base"));
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::NONE);
    assert!(layers(&window).bases != painted.bases && layers(&window).layers == painted.layers);
    sound(session(&window).document());

    // After the painted layer is removed, the topmost layer is painted.
    press_button(&mut window, "Layer Layer 1");
    press_button(&mut window, "Remove layer Layer 1");
    assert!(is_marked(&window, "Layer Layer 2"));
}

/// Types the opacity of a layer, in percent.
fn opacity_of(window: &mut Window, layer: &str, percent: &str) {
    let name = format!("Opacity of layer {layer}");
    window.get_by_label(&name).click_accesskit();
    window.run_steps(3);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(percent.into()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

#[test]
fn a_stroke_is_stored_in_the_layer_which_can_be_hidden_and_flattened() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().meshes.clone();
    click(&mut window, "Layers tab");
    press_button(&mut window, "Add a layer");
    assert!(session(&window).document().meshes == before, "an empty layer changes nothing");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::NONE);
    let painted = session(&window).document().meshes.clone();
    assert!(painted != before);
    sound(session(&window).document());
    press_button(&mut window, "Hide layer Layer 1");
    assert!(session(&window).document().meshes == before);
    // While the layer is hidden, the stroke is refused with a message.
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::NONE);
    assert!(session(&window).document().meshes == before);
    assert!(window.query_by_label_contains("“Layer 1” is hidden").is_some());
    press_button(&mut window, "Show layer Layer 1");
    assert!(session(&window).document().meshes == painted);
    press_button(&mut window, "Flatten");
    assert!(session(&window).document().meshes == painted);
    assert!(session(&window).document().aids.weight_layers.is_empty());
}

#[test]
fn invalid_weights_are_repaired_by_one_click() {
    let says = |window: &Window| {
        window.query_all_by_label_contains("weights do not sum to 1").next().is_some()
    };
    let Some(shared) = crate::common::shared() else { return };
    let file = shared.join("corpus/characters/RiggedFigure/RiggedFigure-2017.glb");
    let (mut window, _folder) = window(&std::fs::read(file).expect("the file"));
    assert!(says(&window));
    window.query_all_by_label_contains("Fix ").next().expect("a way to mend it").click();
    window.run_steps(3);
    sound(session(&window).document());
    assert!(!says(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(says(&window));
}

/// Builds a strip of four vertices that two nodes use, each with its own skin of two joints.
fn on_two_skins() -> Vec<u8> {
    let mut bin =
        crate::common::floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 2.0, 0.0]);
    bin.extend([0u8, 1, 0, 0].repeat(4));
    bin.extend(crate::common::floats(&[
        0.9, 0.1, 0.0, 0.0, 0.9, 0.1, 0.0, 0.0, 0.1, 0.9, 0.0, 0.0, 0.1, 0.9, 0.0, 0.0,
    ]));
    bin.extend([0u16, 1, 2, 2, 1, 3].iter().flat_map(|i| i.to_le_bytes()));
    let view = |at: usize, bytes: usize| {
        serde_json::json!({"buffer": 0, 
        "byteOffset": at, "byteLength": bytes})
    };
    let json = serde_json::json!({
        "scene": 0, "scenes": [{"nodes": [0, 2, 4, 5]}],
        "nodes": [
            {"name": "Left0", "children": [1]}, {"name": "Left1", "translation": [0, 1, 0]},
            {"name": "Right0", "children": [3], "translation": [3, 0, 0]},
                {"name": "Right1", "translation": [0, 1, 0]},
            {"name": "Here", "mesh": 0, "skin": 0}, {"name": "There", "mesh": 0, "skin": 1},
        ],
        "skins": [{"name": "LeftSkin", "joints": [0, 1]}, {"name": "RightSkin", "joints": [2, 3]}],
        "meshes": [{"name": "Strip", "primitives": [
            {"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0],
                "max": [1, 2, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [view(0, 48), view(48, 16), view(64, 64), view(128, 12)],
    });
    crate::common::glb(json, &bin)
}

#[test]
fn a_mesh_with_two_skins_has_a_note_that_switches_to_the_other_skin() {
    let (mut window, _folder) = window(&on_two_skins());
    click(&mut window, "Paint mode");
    let note = "Strip is shared by “LeftSkin” (Here) and “RightSkin” (There)";
    assert!(window.query_by_label_contains(note).is_some());
    assert!(
        window.query_by_label("Joint Left0").is_some()
            && window.query_by_label("Joint Right0").is_none()
    );
    click(&mut window, "There");
    let note = "Strip is shared by “RightSkin” (There) and “LeftSkin” (Here)";
    assert!(window.query_by_label_contains(note).is_some());
    assert!(
        window.query_by_label("Joint Right0").is_some()
            && window.query_by_label("Joint Left0").is_none()
    );
}

#[test]
fn a_mesh_with_one_skin_has_no_note_about_other_skins() {
    let (window, _folder) = painting("LeftUpperArm");
    assert!(window.query_by_label_contains("is shared by").is_none());
}

#[test]
fn a_weight_problem_names_its_mesh_and_is_shown_in_colors() {
    let Some(shared) = crate::common::shared() else { return };
    let file = shared.join("corpus/characters/RiggedFigure/RiggedFigure-2017.glb");
    let (mut window, _folder) = window(&std::fs::read(file).expect("the file"));
    assert!(window.query_all_by_label_contains("› primitive 0").next().is_some());
    // Errors are listed first.
    let shows = |label: String| label.starts_with("Show ") && label.contains("› primitive 0");
    let way = window.get_all_by(move |n| n.label().is_some_and(shows)).next();
    way.expect("a way there").click();
    window.run_steps(3);
    assert!(window.query_by_label("Weights shown as: Weight problems").is_some());
    assert!(
        window.query_all_by_label_contains("vertices selected").next().is_some(),
        "what is faulty is selected"
    );
    assert!(window.query_by_label("Brush").is_some());
    assert!(session(&window).history().done().is_empty(), "looking is no change");
}

#[test]
fn dragging_with_alt_orbits_the_view_and_paints_nothing() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    let hand = head(&window, "LeftHand");
    drag(&mut window, at, at + vec2(60.0, 20.0), Modifiers::ALT);
    assert!(head(&window, "LeftHand").distance(hand) > 5.0, "the view turned");
    assert!(*session(&window).document() == before && session(&window).history().done().is_empty());
    // With Ctrl as well, the drag selects vertices, and the view does not move.
    let hand = head(&window, "LeftHand");
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    drag(
        &mut window,
        at - vec2(15.0, 15.0),
        at + vec2(15.0, 15.0),
        Modifiers::COMMAND | Modifiers::ALT,
    );
    assert_eq!(head(&window, "LeftHand"), hand);
    // The same drag orbits the view in the other modes, and selects nothing.
    click(&mut window, "Pose mode");
    let (hand, chosen) = (head(&window, "LeftHand"), window.state().selection().clone());
    drag(&mut window, at, at + vec2(60.0, 20.0), Modifiers::ALT);
    assert!(head(&window, "LeftHand").distance(hand) > 5.0, "the view turned");
    assert_eq!(*window.state().selection(), chosen);
}
