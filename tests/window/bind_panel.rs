//! The panel *Bind*. Meshes and joints are checked, the result is previewed and tried out, and then
//! bound as one step.

use egui::{Event, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::{Value, json};
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};

use super::{
    editing::{Window, click, node, press, sample, session, wait, window},
    posing::{hold, release},
};
use crate::common::{glb, paint::painting, split, window::builder};

/// Returns the sample without its skin and its weights.
fn bare_sample() -> Vec<u8> {
    let (mut json, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    let root = json.as_object_mut().expect("an object");
    root.remove("skins");
    for node in json["nodes"].as_array_mut().expect("nodes") {
        node.as_object_mut().expect("a node").remove("skin");
    }
    for primitive in json["meshes"][0]["primitives"].as_array_mut().expect("primitives") {
        let attributes = primitive["attributes"].as_object_mut().expect("attributes");
        attributes.retain(|name, _| !name.starts_with("JOINTS") && !name.starts_with("WEIGHTS"));
    }
    glb(json, &bin)
}

fn open_panel(window: &mut Window) {
    click(window, "Pose mode");
    click(window, "Weights");
    click(window, "Bind…");
    wait(window);
}

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

/// Selects a node in the outliner.
fn select(window: &mut Window, name: &str) {
    if window.query_by_role_and_label(Role::TreeItem, name).is_none() {
        click(window, "Filter by name or kind");
        press(window, Modifiers::COMMAND, Key::A);
        window.event(Event::Text(name.to_owned()));
        window.run_steps(3);
    }
    window.get_by_role_and_label(Role::TreeItem, name).click();
    window.run_steps(3);
}

/// Chooses an entry of a drop-down list.
fn choose(window: &mut Window, list: &str, line: &str) {
    window.get_by_role_and_label(Role::ComboBox, list).click();
    window.run_steps(3);
    click(window, line);
}

/// Types a number into a numeric field.
fn type_number(window: &mut Window, bar: &str, text: &str) {
    window.get_by_label(bar).click();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

fn skin_joints(document: &Document) -> Vec<NodeId> {
    document.skins.values().next().expect("a skin").joints.to_vec()
}

fn place(pose: &Pose, node: NodeId) -> glam::Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

#[test]
fn a_mesh_without_a_skin_is_previewed_and_bound_as_one_step() {
    let (mut window, ..) = window(&bare_sample());
    let mesh = node(&window, "Mannequin");
    open_panel(&mut window);
    assert!(says(&window, " deform the mesh"), "the hierarchy is offered");
    assert!(says(&window, "Preview only"));
    assert!(says(&window, "Unweighted vertices: 0"));
    let document = session(&window).document();
    assert!(document.skins.is_empty() && document.node(mesh).skin.is_none(), "nothing is written");
    assert_eq!(steps(&window), 0);
    click(&mut window, "Bind 1 mesh");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    let document = session(&window).document();
    assert!(document.node(mesh).skin.is_some());
    let names: Vec<String> =
        skin_joints(document).into_iter().map(|j| document.node(j).label(j)).collect();
    assert!(names.contains(&"LeftLowerArm".to_owned()));
    assert!(!names.contains(&"Armature".to_owned()), "the root is unticked by rule");
    let primitive = &document.mesh(document.node(mesh).mesh.expect("a mesh")).primitives[0];
    let map = primitive.weights.as_ref().expect("weights");
    for vertex in 0..primitive.positions.len() {
        let sum: f32 = map.vertex(vertex).map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-3, "vertex {vertex}: {sum}");
    }
    assert!(window.query_by_label("Preview only").is_none(), "the panel closes");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    wait(&mut window);
    assert!(session(&window).document().skins.is_empty());
}

#[test]
fn checked_joints_and_parameters_are_in_the_command() {
    let (mut window, ..) = window(&bare_sample());
    open_panel(&mut window);
    click(&mut window, "Filter joints");
    window.event(Event::Text("lefttoes".to_owned()));
    window.run_steps(3);
    assert_eq!(window.query_all_by_label_contains("LeftFoot: ").count(), 0, "it is filtered");
    window.get_by_label_contains("LeftToes: ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Space);
    assert!(says(&window, "LeftToes: unticked"), "Space unticks");
    choose(&mut window, "Method: Automatic", "Voxels");
    type_number(&mut window, "Sharpness", "3.5");
    type_number(&mut window, "Max influences", "2");
    wait(&mut window);
    click(&mut window, "Bind 1 mesh");
    wait(&mut window);
    let document = session(&window).document();
    assert!(!skin_joints(document).contains(&node(&window, "LeftToes")));
    let step = session(&window).history().done()[0].clone();
    let text: String = step.lines(document).iter().map(ToString::to_string).collect();
    assert!(text.contains(r#""method":"voxel""#) && text.contains(r#""sharpness":3.5"#), "{text}");
    let mesh = document.node(node(&window, "Mannequin")).mesh.expect("a mesh");
    let map = document.mesh(mesh).primitives[0].weights.clone().expect("weights");
    let count = document.mesh(mesh).primitives[0].positions.len();
    let most = (0..count).map(|v| map.vertex(v).filter(|(_, w)| *w > 0.0).count()).max();
    assert_eq!(most, Some(2));
}

#[test]
fn a_trial_pose_bends_the_selected_joint_and_its_mirror_joint_without_an_edit() {
    let (mut window, ..) = window(&bare_sample());
    select(&mut window, "LeftLowerArm");
    open_panel(&mut window);
    let hands = ["LeftHand", "RightHand"].map(|name| node(&window, name));
    let rest = Pose::evaluate(session(&window).document(), &Stack::default());
    let moved = |window: &Window| {
        hands.map(|hand| place(window.state().shown_pose(), hand).distance(place(&rest, hand)))
    };
    assert_eq!(moved(&window), [0.0, 0.0]);
    assert!(says(&window, "Largest stretch: 1.0×"));
    choose(&mut window, "Trial pose: Rest", "Bend selected joint");
    wait(&mut window);
    let [left, right] = moved(&window);
    assert!(left > 0.05 && (left - right).abs() < 1e-3, "{left} {right}");
    assert!(says(&window, "Volume at LeftLowerArm: "));
    assert!(!says(&window, "Largest stretch: 1.0×"));
    click(&mut window, "Both sides");
    wait(&mut window);
    let [left, right] = moved(&window);
    assert!(left > 0.05 && right < 1e-4, "{left} {right}");
    type_number(&mut window, "Bend LeftLowerArm", "-20");
    wait(&mut window);
    assert!(moved(&window)[0] < left, "the angle is the typed one");
    assert_eq!(steps(&window), 0);
    click(&mut window, "Discard");
    window.run_steps(4);
    assert_eq!(moved(&window), [0.0, 0.0], "the pose of the file is shown again");
    assert_eq!(steps(&window), 0);
}

#[test]
fn the_range_of_motion_plays_while_the_panel_is_open() {
    let (mut window, ..) = window(&bare_sample());
    open_panel(&mut window);
    click(&mut window, "Play the range of motion");
    assert!(window.state().playback().playing);
    let before = window.state().shown_pose().clone();
    for _ in 0..10 {
        window.step();
    }
    assert!(*window.state().shown_pose() != before, "it moves");
    click(&mut window, "Pause the trial");
    assert!(!window.state().playback().playing);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label("Preview only").is_none(), "Escape closes the panel");
    assert_eq!(steps(&window), 0);
}

#[test]
fn binding_a_skinned_mesh_replaces_its_weights() {
    let (mut window, ..) = sample();
    let before = session(&window).document().clone();
    open_panel(&mut window);
    assert!(says(&window, "skin with 53 joints"));
    assert!(says(&window, "Weights of meshes with a skin are replaced"));
    click(&mut window, "Bind 1 mesh");
    wait(&mut window);
    assert_eq!(steps(&window), 1);
    let document = session(&window).document();
    let weights = |document: &Document| {
        document.meshes.values().next().expect("a mesh").primitives[0].weights.clone()
    };
    assert!(weights(document) != weights(&before));
    assert_eq!(skin_joints(document), skin_joints(&before), "the skin stays");
    // The bind is undone while the panel is open again, so the preview must be updated.
    open_panel(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    wait(&mut window);
    assert!(weights(session(&window).document()) == weights(&before));
    assert!(says(&window, "Preview only"));
}

#[test]
fn binding_is_disabled_until_a_mesh_is_checked() {
    let (mut window, ..) = window(&bare_sample());
    open_panel(&mut window);
    window.get_by_label_contains("vertices, no skin").click();
    window.run_steps(3);
    assert!(says(&window, "Tick a mesh"));
    assert!(window.get_by_label("Bind 0 meshes").accesskit_node().is_disabled());
    window.get_by_label_contains("vertices, no skin").click();
    window.run_steps(3);
    wait(&mut window);
    assert!(!window.get_by_label("Bind 1 mesh").accesskit_node().is_disabled());
}

/// Types the title of a command into the palette, and presses Enter.
fn command(window: &mut Window, title: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(title.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    wait(window);
}

/// Opens the panel in Paint mode.
fn open_from_paint(window: &mut Window) {
    window.get_by_role_and_label(Role::Button, "Weights").click();
    window.run_steps(3);
    click(window, "Bind…");
    wait(window);
}

/// Binds, and returns the command lines of the step as text.
fn bind(window: &mut Window) -> String {
    click(window, "Bind 1 mesh");
    wait(window);
    let session = session(window);
    let step = session.history().done().last().expect("a step").clone();
    step.lines(session.document()).iter().map(ToString::to_string).collect()
}

/// Returns the weights of a joint, by vertex of the first primitive.
fn weights_of(document: &Document, joint: &str) -> Vec<f32> {
    let skin = document.skins.values().next().expect("a skin");
    let slot = skin.joints.iter().position(|j| document.node(*j).label(*j) == joint);
    let slot = u16::try_from(slot.expect("a joint")).expect("a slot");
    let primitive = &document.meshes.values().next().expect("a mesh").primitives[0];
    let map = primitive.weights.as_ref().expect("weights");
    (0..primitive.positions.len()).map(|v| map.weight(v, slot)).collect()
}

/// Returns the vertices of the first primitive whose weights differ.
fn changed(before: &Document, after: &Document) -> Vec<usize> {
    let map = |document: &Document| {
        let primitive = &document.meshes.values().next().expect("a mesh").primitives[0];
        let map = primitive.weights.clone().expect("weights");
        (0..primitive.positions.len()).map(|v| map.vertex(v).collect()).collect::<Vec<Vec<_>>>()
    };
    let (a, b) = (map(before), map(after));
    (0..a.len()).filter(|v| a[*v] != b[*v]).collect()
}

/// Focuses a widget, wherever it is scrolled to, and presses Space.
fn space(window: &mut Window, name: &str) {
    window.query_all_by_label_contains(name).next().expect("a widget").focus();
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Space);
}

/// Returns the name of a widget, or the text of a label.
fn text_of(node: egui_kittest::Node<'_>) -> Option<String> {
    let node = node.accesskit_node();
    node.label().or_else(|| node.value())
}

/// Returns the sample without a skin, with a box on its head as a second piece.
fn sample_with_a_hat() -> Vec<u8> {
    let (mut json, mut bin) = split(&bare_sample());
    bin.resize(bin.len().next_multiple_of(4), 0);
    let first = bin.len();
    for k in 0..8u8 {
        let side = |bit: u8, half: f32| if k >> bit & 1 == 1 { half } else { -half };
        for value in [side(0, 0.05), 1.85 + side(1, 0.03), side(2, 0.05)] {
            bin.extend(value.to_le_bytes());
        }
    }
    let quads =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3u16]];
    for [a, b, c, d] in quads {
        bin.extend([a, b, c, a, c, d].into_iter().flat_map(u16::to_le_bytes));
    }
    let list = |name: &str, json: &mut Value, value: Value| {
        let list = json[name].as_array_mut().expect("a list");
        list.push(value);
        list.len() - 1
    };
    let view = |at: usize, size: usize| json!({"buffer": 0, "byteOffset": at, "byteLength": size});
    let points = list("bufferViews", &mut json, view(first, 96));
    let corners = list("bufferViews", &mut json, view(first + 96, 72));
    let points = json!({"bufferView": points, "componentType": 5126, "count": 8, "type": "VEC3",
        "min": [-0.05, 1.82, -0.05], "max": [0.05, 1.88, 0.05]});
    let points = list("accessors", &mut json, points);
    let corners =
        json!({"bufferView": corners, "componentType": 5123, "count": 36, "type": "SCALAR"});
    let corners = list("accessors", &mut json, corners);
    let primitives = json["meshes"][0]["primitives"].as_array_mut().expect("primitives");
    primitives.push(json!({"attributes": {"POSITION": points}, "indices": corners}));
    glb(json, &bin)
}

#[test]
fn a_piece_marked_as_rigid_follows_one_joint() {
    let (mut window, ..) = window(&sample_with_a_hat());
    open_panel(&mut window);
    space(&mut window, "Pieces of Mannequin");
    let label = |window: &Window, part: &str| {
        let found = window.query_all_by_label_contains(part).next();
        found.and_then(text_of).expect("a row")
    };
    assert!(label(&window, "Piece 2: ").contains("8 vertices"));
    assert!(!label(&window, "Piece 2: ").contains("rigid"));
    let tick = label(&window, "Rigid: ");
    let joint = tick.trim_start_matches("Rigid: ").split(' ').next().expect("a name").to_owned();
    space(&mut window, &tick);
    wait(&mut window);
    assert!(label(&window, "Piece 2: ").contains("rigid"));
    let text = bind(&mut window);
    assert!(text.contains(r#""rigid":"#), "{text}");
    let document = session(&window).document();
    let joint = node(&window, &joint);
    let slot = skin_joints(document).iter().position(|j| *j == joint).expect("a slot");
    let hat = &document.meshes.values().next().expect("a mesh").primitives[1];
    let map = hat.weights.as_ref().expect("weights");
    assert!((0..8).all(|v| map.weight(v, slot as u16) > 0.999));
}

#[test]
fn only_selected_vertices_are_bound_unless_all_are_requested() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let influenced = weights_of(&before, "LeftUpperArm");
    for is_only in [true, false] {
        command(&mut window, "Select influenced vertices");
        open_from_paint(&mut window);
        let tick = "Selected vertices only (";
        assert!(says(&window, tick));
        if !is_only {
            window.get_by_label_contains(tick).click();
            window.run_steps(3);
            wait(&mut window);
        }
        let text = bind(&mut window);
        assert_eq!(text.contains(r#""rebind":"vertices""#), is_only, "{text}");
        let vertices = changed(&before, session(&window).document());
        assert!(vertices.len() > 100, "{}", vertices.len());
        assert_eq!(vertices.iter().all(|v| influenced[*v] > 0.0), is_only);
        press(&mut window, Modifiers::COMMAND, Key::Z);
        wait(&mut window);
        assert!(changed(&before, session(&window).document()).is_empty());
        click(&mut window, "Paint mode");
        wait(&mut window);
    }
}

#[test]
fn locked_joints_keep_their_weights_unless_the_option_is_off() {
    let (mut window, _folder) = painting("LeftUpperArm");
    press(&mut window, Modifiers::NONE, Key::L);
    let before = session(&window).document().clone();
    let locked = weights_of(&before, "LeftUpperArm");
    for keeps in [true, false] {
        open_from_paint(&mut window);
        let tick = "Keep the weights of 1 locked joint";
        assert!(says(&window, tick));
        if !keeps {
            click(&mut window, tick);
            wait(&mut window);
        }
        let text = bind(&mut window);
        assert_eq!(text.contains(r#""locked""#), keeps, "{text}");
        let after = session(&window).document();
        assert!(changed(&before, after).len() > 100);
        let now = weights_of(after, "LeftUpperArm");
        let worst = locked.iter().zip(&now).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(worst < 2e-3, keeps, "{worst}");
        press(&mut window, Modifiers::COMMAND, Key::Z);
        wait(&mut window);
        click(&mut window, "Paint mode");
        wait(&mut window);
    }
}

#[test]
fn a_changed_parameter_cancels_the_bind_and_starts_it_again() {
    let (mut window, ..) = window(&bare_sample());
    click(&mut window, "Pose mode");
    click(&mut window, "Weights");
    click(&mut window, "Bind…");
    let begun = (0..2_000).find(|_| {
        window.step();
        window.query_by_label("Cancel").is_some()
    });
    assert!(begun.is_some(), "it can be canceled");
    click(&mut window, "Cancel");
    assert!(says(&window, "Canceled"));
    wait(&mut window);
    assert!(says(&window, "Canceled") && !says(&window, "Preview only"), "it stays so");
    type_number(&mut window, "Sharpness", "3");
    wait(&mut window);
    assert!(!says(&window, "Canceled") && says(&window, "Computed in"));
    assert!(says(&window, "Preview only"));
    assert_eq!(steps(&window), 0);
}

#[test]
fn a_coarse_preview_is_shown_while_a_parameter_is_dragged() {
    let (mut window, ..) = window(&bare_sample());
    open_panel(&mut window);
    assert!(says(&window, "Computed in") && !says(&window, "Coarse preview"));
    let bar = window.get_by_label("Sharpness").rect();
    hold(&mut window, &[bar.center(), bar.center() + egui::vec2(8.0, 0.0)]);
    // The pointer keeps moving, so that the bind of the whole surface does not start.
    let mut at = bar.center();
    let seen = (0..2_000).find(|k| {
        at = bar.center() + egui::vec2(if k % 2 == 0 { 12.0 } else { 8.0 }, 0.0);
        window.event(Event::PointerMoved(at));
        window.step();
        says(&window, "Coarse preview")
    });
    assert!(seen.is_some(), "a coarse bind is shown");
    assert!(says(&window, "Preview only") && says(&window, "Unweighted vertices: 0"));
    release(&mut window, at);
    wait(&mut window);
    assert!(says(&window, "Computed in") && !says(&window, "Coarse preview"));
    let text = bind(&mut window);
    assert!(text.contains(r#""sharpness""#) && !text.contains("points"), "{text}");
}

#[test]
fn the_whole_bind_panel_fits_into_small_and_large_windows() {
    for size in [[1280.0, 720.0], [1600.0, 1000.0]] {
        let bytes = bare_sample();
        let (mut window, _folder, _) =
            crate::common::window::open(builder().with_size(size), &bytes);
        open_panel(&mut window);
        let inside = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
        for name in ["Bind 1 mesh", "Discard", "Trial pose: Rest", "Close dialog", "Filter joints"]
        {
            let rect = window.get_by_label(name).rect();
            assert!(inside.contains_rect(rect), "{name} {rect:?} in {size:?}");
        }
    }
}
