//! Actions of Paint mode in the whole window: several selected joints, values beside buttons, the
//! clipboard, and stored layers.

use crate::common::paint::{
    Window, click, click_at, drag, middle, node, painting, press, press_button, session, sound,
    total,
};
use egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_model::Document;
use ulna_session::Session;
use ulna_weights::Radius;

/// Returns the largest number of influences of any vertex.
fn most(document: &Document) -> usize {
    let maps =
        document.meshes.values().flat_map(|m| &m.primitives).filter_map(|p| p.weights.as_deref());
    let count =
        |map: &ulna_model::WeightMap, v: usize| map.vertex(v).filter(|(_, w)| *w > 0.0).count();
    maps.flat_map(|map| (0..map.vertex_count()).map(move |v| count(map, v))).max().unwrap_or(0)
}

#[test]
fn clicking_a_brush_slider_opens_a_number_field_without_changing_the_value() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = *window.state().brush();
    click(&mut window, "Radius");
    window.run_steps(2);
    assert_eq!(*window.state().brush(), before, "a click alone changes nothing");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(*window.state().brush(), before);
    click(&mut window, "Radius");
    window.run_steps(2);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("30".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().brush().radius, Radius::Pixels(30.0));
    // A drag changes the value from its current one, without a jump.
    let bar = window.get_by_label("Strength").rect();
    let from = bar.left_center() + vec2(4.0, 0.0);
    drag(&mut window, from, from + vec2(20.0, 0.0), Modifiers::NONE);
    let strength = window.state().brush().strength;
    assert!(strength > before.strength && strength < before.strength + 0.2, "{strength}");
}

#[test]
fn tools_use_the_value_beside_their_button_and_report_the_result() {
    let (mut window, _folder) = painting("LeftUpperArm");
    assert!(most(session(&window).document()) > 2);
    window.get_by_label("Max influences").click_accesskit();
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text("2".into()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    press_button(&mut window, "Limit");
    assert_eq!(most(session(&window).document()), 2);
    assert!(window.query_by_label_contains("Limited ").is_some(), "it says what it did");
    sound(session(&window).document());
    press_button(&mut window, "Mirror left to right");
    let document = session(&window).document();
    let (left, right) = (total(document, "LeftUpperArm"), total(document, "RightUpperArm"));
    assert!((left - right).abs() < 1e-3 * left, "{left} and {right}");
    assert_eq!(session(&window).history().done().len(), 2);
}

#[test]
fn several_selected_joints_are_isolated_locked_and_merged() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let at = window.get_by_label("Joint LeftUpperArm").rect().center();
    click_at(&mut window, at, Modifiers::NONE);
    let next = at + vec2(0.0, 24.0);
    let other = window
        .query_all_by_label_contains("Joint ")
        .find(|n| n.rect().contains(next))
        .and_then(|n| n.accesskit_node().label())
        .expect("another row");
    let other = other.trim_start_matches("Joint ").to_owned();
    click_at(&mut window, next, Modifiers::COMMAND);
    assert!(window.query_by_label_contains("2 joints").is_some(), "two are chosen");
    press_button(&mut window, "Isolate");
    assert!(
        window.query_by_label("Lock the weights of LeftUpperArm").is_some(),
        "it is not locked itself"
    );
    assert!(window.query_all_by_label_contains("Unlock ").count() > 2, "the others are");
    press_button(&mut window, "Lock all joints");
    press_button(&mut window, "Unlock all joints");
    let before = session(&window).document().clone();
    let both = total(&before, "LeftUpperArm") + total(&before, &other);
    press_button(&mut window, "Merge the chosen joints");
    let document = session(&window).document();
    assert!(total(document, "LeftUpperArm") < 1e-6);
    assert!((total(document, &other) - both).abs() < 1e-3 * both);
    sound(document);
    let said = window
        .query_by_label_contains("Merge joints: ")
        .and_then(|n| n.accesskit_node().value())
        .expect("said");
    assert!(said.contains(" vertices"), "{said}");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before);
}

#[test]
fn the_mean_of_selected_vertices_is_copied_and_spreadsheet_rows_are_pasted() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(
        &mut window,
        at - vec2(15.0, 15.0),
        at + vec2(15.0, 15.0),
        Modifiers::COMMAND | Modifiers::ALT,
    );
    press(&mut window, Modifiers::COMMAND, Key::C);
    assert!(window.query_by_label_contains("Copied the average weights of").is_some());
    assert!(window.query_by_label_contains("Copied the pose").is_none(), "the weights alone");
    window.event(Event::Paste("LeftHand\tHead\n25 %\t0,75\n".into()));
    window.run_steps(4);
    let document = session(&window).document();
    let canvas = ulna_weights::SkinnedSurface::new(document, 0.into()).expect("a canvas");
    let joint = |name: &str| canvas.joint(node(document, name)).expect("a joint");
    let maps = canvas.maps(document);
    let vertices: Vec<u32> = (0..canvas.vertex_count() as u32)
        .filter(|v| {
            let (map, own) = maps.map_of(*v);
            (map.weight(own, joint("LeftHand")) - 0.25).abs() < 1e-6
                && (map.weight(own, joint("Head")) - 0.75).abs() < 1e-6
        })
        .collect();
    assert!(vertices.len() > 3, "{} vertices", vertices.len());
    sound(document);
    // Text without weights changes nothing, and a message states the reason.
    let before = document.clone();
    window.event(Event::Paste("LeftHand\tHead\nmuch\t0.1\n".into()));
    window.run_steps(4);
    assert!(*session(&window).document() == before);
    assert!(window.query_by_label_contains("“much” is ").is_some());
}

#[test]
fn a_cell_that_cannot_be_edited_states_the_reason() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(
        &mut window,
        at - vec2(15.0, 15.0),
        at + vec2(15.0, 15.0),
        Modifiers::COMMAND | Modifiers::ALT,
    );
    let before = session(&window).document().clone();
    for (text, why) in [
        ("5", "use a weight from 0 to 1"),
        ("nan", "is not a number"),
        ("-1", "nothing"),
        ("1/0", "is not a number"),
    ] {
        let cell =
            window.query_all_by_label_contains("LeftUpperArm of vertex").next().expect("a cell");
        cell.click_accesskit();
        window.run_steps(2);
        window.event(Event::Text(text.into()));
        window.run_steps(2);
        press(&mut window, Modifiers::NONE, Key::Enter);
        if why != "nothing" {
            let labels: Vec<String> = window
                .query_all_by_label_contains("weight")
                .filter_map(|n| n.accesskit_node().label())
                .collect();
            assert!(window.query_by_label_contains(why).is_some(), "{text}: {why}: {labels:?}");
        }
        sound(session(&window).document());
    }
    // Subtracting 1 from a weight of 0 leaves 0.
    assert!(*session(&window).document() == before);
}

#[test]
fn stored_weight_layers_are_restored_after_a_restart() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Layers tab");
    press_button(&mut window, "Add a layer");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(&mut window, at, at + vec2(10.0, 10.0), Modifiers::NONE);
    press_button(&mut window, "Keep layers in the file");
    let kept = session(&window).pack("m").expect("packed").bytes;
    let opened = Session::open_bytes(&kept).expect("opened");
    let all = opened.document().aids.weight_layers.values().next().expect("layers");
    assert_eq!(all.layers.len(), 1);
    let shown = session(&window)
        .document()
        .meshes
        .values()
        .flat_map(|m| &m.primitives)
        .filter_map(|p| p.weights.clone());
    let again = opened
        .document()
        .meshes
        .values()
        .flat_map(|m| &m.primitives)
        .filter_map(|p| p.weights.clone());
    assert!(shown.eq(again));
    assert!(window.get_by_label("Keep layers in the file").accesskit_node().toggled().is_some());
}

/// Cells of one column of the weight table: vertex and rectangle of each.
type Column = Vec<(u32, egui::Rect)>;

/// Two columns of the weight table.
struct Cells {
    arm: Column,
    second: Column,
    /// Joint of the second column.
    joint: String,
}

/// Returns the vertex in the name of a cell.
fn vertex_of(label: &str) -> u32 {
    label
        .split("vertex ")
        .nth(1)
        .and_then(|t| t.split(':').next())
        .and_then(|t| t.parse().ok())
        .expect("a number")
}

fn column(window: &Window, joint: &str) -> Column {
    let of = format!("{joint} of vertex");
    let found = window.query_all_by_label_contains(&of);
    found.map(|n| (vertex_of(&n.accesskit_node().label().expect("a name")), n.rect())).collect()
}

/// Selects vertices around the middle of the upper arm. `reach` is half the size of the selection
/// box.
fn select_vertices(window: &mut Window, reach: egui::Vec2) {
    let at = middle(window, "LeftUpperArm", "LeftLowerArm");
    drag(window, at - reach, at + vec2(25.0, 25.0), Modifiers::COMMAND | Modifiers::ALT);
}

/// Opens a window that shows the weights of some vertices of the upper arm.
fn cells_in_sight() -> (Window, tempfile::TempDir, Cells) {
    let (mut window, folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    press_button(&mut window, "Show only the main brush settings");
    select_vertices(&mut window, vec2(25.0, 25.0));
    window.run_steps(4);
    let arm = column(&window, "LeftUpperArm");
    assert!(arm.len() > 3 && arm[2].1.bottom() < 990.0, "{} rows are in sight", arm.len());
    let others: Vec<String> = window
        .query_all_by_label_contains(" of vertex ")
        .filter(|n| {
            (n.rect().center().y - arm[0].1.center().y).abs() < 2.0
                && n.rect().left() > arm[0].1.left() + 4.0
        })
        .filter_map(|n| n.accesskit_node().label())
        .collect();
    let joint = others
        .first()
        .expect("another column")
        .split(" of vertex")
        .next()
        .expect("a joint")
        .to_owned();
    let second = column(&window, &joint);
    (window, folder, Cells { arm, second, joint })
}

/// Types a number into the selected cells.
fn type_number(window: &mut Window, number: &str) {
    window.event(Event::Text(number.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

/// Opens the same window, and sets the first three rows of both columns to a quarter.
fn quarters_in_sight() -> (Window, tempfile::TempDir, Cells) {
    let (mut window, folder, cells) = cells_in_sight();
    let (from, to) = (cells.arm[0].1.center(), cells.second[2].1.center());
    drag(&mut window, from, to, Modifiers::NONE);
    type_number(&mut window, "0.25");
    (window, folder, cells)
}

/// Returns the weight of a joint on a vertex of the surface.
fn weight(document: &Document, v: u32, name: &str) -> f32 {
    let canvas = ulna_weights::SkinnedSurface::new(document, 0.into()).expect("a canvas");
    let joint = canvas.joint(node(document, name)).expect("a joint");
    let part = canvas.parts().iter().find(|p| p.count > v).expect("a part");
    let (map, own) = canvas.maps(document).map_of(part.first + v);
    map.weight(own, joint)
}

#[test]
fn one_typed_number_applies_to_all_cells_selected_by_a_drag() {
    let (window, _folder, Cells { arm, joint: second, .. }) = quarters_in_sight();
    let document = session(&window).document();
    for (v, _) in &arm[..3] {
        for joint in ["LeftUpperArm", &second] {
            assert!(
                (weight(document, *v, joint) - 0.25).abs() < 1e-4,
                "{joint} of {v}: {}",
                weight(document, *v, joint)
            );
        }
    }
    assert_eq!(session(&window).history().done().len(), 1, "one step");
    sound(document);
}

#[test]
fn a_click_and_a_shift_click_select_cells_like_a_drag() {
    let (mut window, _folder, Cells { arm, joint: second, .. }) = quarters_in_sight();
    click_at(&mut window, arm[1].1.center(), Modifiers::NONE);
    click_at(&mut window, arm[0].1.center(), Modifiers::SHIFT);
    type_number(&mut window, "0.3");
    assert!(window.query_by_label("Brush").is_some(), "a number is no other mode");
    let document = session(&window).document();
    for (v, _) in &arm[..2] {
        assert!(
            (weight(document, *v, "LeftUpperArm") - 0.3).abs() < 1e-4,
            "{}",
            weight(document, *v, "LeftUpperArm")
        );
        assert!((weight(document, *v, &second) - 0.25).abs() < 0.1);
    }
    assert!((weight(document, arm[2].0, "LeftUpperArm") - 0.25).abs() < 1e-4, "the next stays");
}

#[test]
fn an_unfinished_number_is_discarded_when_other_vertices_are_selected() {
    let (mut window, _folder, Cells { arm, .. }) = quarters_in_sight();
    let before = session(&window).document().clone();
    click_at(&mut window, arm[1].1.center(), Modifiers::NONE);
    window.event(Event::Text("0.7".into()));
    window.run_steps(2);
    select_vertices(&mut window, vec2(25.0, 30.0));
    select_vertices(&mut window, vec2(25.0, 25.0));
    window.run_steps(4);
    assert!(*session(&window).document() == before, "it went nowhere");
}

#[test]
fn a_pasted_table_fills_cells_from_the_selected_one_on() {
    let (mut window, _folder, Cells { arm, second: second_cells, joint: second }) =
        quarters_in_sight();
    click_at(&mut window, arm[1].1.center(), Modifiers::NONE);
    window.event(Event::Paste("0.5\t0.125\n0.75\t0.25\n".into()));
    window.run_steps(4);
    let document = session(&window).document();
    for ((v, _), values) in arm[1..3].iter().zip([[0.5, 0.125], [0.75, 0.25]]) {
        for (joint, value) in ["LeftUpperArm", &second].into_iter().zip(values) {
            assert!((weight(document, *v, joint) - value).abs() < 1e-4, "{joint} of {v}");
        }
    }
    assert!(
        (weight(document, arm[0].0, "LeftUpperArm") - 0.25).abs() < 1e-4,
        "what is above stays"
    );
    // A table that does not fit is refused with a message.
    let before = document.clone();
    click_at(&mut window, second_cells[1].1.center(), Modifiers::NONE);
    window.event(Event::Paste(
        "0.1\t0.1\t0.1\t0.1\t0.1\t0.1\t0.1\n0.1\t0.1\t0.1\t0.1\t0.1\t0.1\t0.1\n".into(),
    ));
    window.run_steps(4);
    assert!(*session(&window).document() == before);
    assert!(window.query_by_label_contains("7 columns").is_some(), "it says what does not fit");
}

/// Returns the number of selected vertices that the panel shows.
fn chosen(window: &Window) -> usize {
    let said = window.query_by_label_contains("selected ·").map(|n| n.accesskit_node());
    let label = said.and_then(|n| n.value().or_else(|| n.label())).unwrap_or_default();
    let number: String =
        label.chars().take_while(|c| !c.is_alphabetic()).filter(char::is_ascii_digit).collect();
    number.parse().unwrap_or(0)
}

/// Chooses which vertices are painted, in a list of the brush.
fn painted_sides(window: &mut Window, which: &str) {
    window.get_by_label_contains("Faces to paint: ").click();
    window.run_steps(3);
    click(window, which);
    assert!(window.query_by_label(&format!("Faces to paint: {which}")).is_some());
}

#[test]
fn an_option_excludes_hidden_and_back_facing_vertices_from_selection() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    // From the right, the other leg is behind this one. It faces the camera, too.
    press(&mut window, Modifiers::SHIFT, Key::Num2);
    window.run_steps(8);
    let at = middle(&window, "RightUpperLeg", "RightLowerLeg");
    let reach = vec2(40.0, 40.0);
    let mut counts = Vec::new();
    for which in ["Front and back", "Front-facing", "Visible"] {
        painted_sides(&mut window, which);
        drag(&mut window, at - reach, at + reach, Modifiers::COMMAND | Modifiers::ALT);
        counts.push(chosen(&window));
    }
    let [all, facing, visible] = counts[..] else { panic!("three") };
    assert!(all > facing * 3 / 2 && facing > visible * 3 / 2 && visible > 4, "{counts:?}");
}
