//! Paint mode in the whole window: vertex selections, numbers for many vertices, copying,
//! gradients, mirror joints, the worst pose, and seams.

use std::collections::BTreeSet;

use crate::common::{
    glb,
    paint::{
        Window, click, click_at, drag, head, middle, node, painting, press, press_button, session,
        sound, total, window,
    },
    weights::{map, two_skins},
};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_geometry::PointId;
use ulna_model::{Document, MeshId, PrimitiveId, SkinId};
use ulna_weights::{Influences, SkinnedSurface};

/// Returns the number of selected vertices that the panel shows.
fn selected(window: &Window) -> usize {
    let label = window.query_all_by_label_contains("selected ·").next().and_then(|n| {
        let node = n.accesskit_node();
        node.label().or_else(|| node.value())
    });
    let text = label.unwrap_or_default();
    text.split(" selected")
        .next()
        .map_or(0, |t| t.replace([',', '\u{202f}', ' '], "").parse().unwrap_or(0))
}

/// Selects the vertices in a box around a point. Returns their number.
fn select_at(window: &mut Window, at: Pos2, by: f32) -> usize {
    drag(window, at - vec2(by, by), at + vec2(by, by), Modifiers::COMMAND | Modifiers::ALT);
    window.run_steps(4);
    selected(window)
}

/// Returns the vertices whose weights differ.
fn changed(before: &Document, after: &Document) -> BTreeSet<u32> {
    let canvas = SkinnedSurface::new(before, 0.into()).expect("a canvas");
    let list = |document: &Document, v: u32| {
        let (map, own) = canvas.maps(document).map_of(v);
        map.vertex(own).collect::<Vec<_>>()
    };
    (0..canvas.vertex_count() as u32).filter(|v| list(before, *v) != list(after, *v)).collect()
}

/// Returns the weight of a joint on a vertex of the surface.
fn weight(document: &Document, vertex: u32, joint: &str) -> f32 {
    let canvas = SkinnedSurface::new(document, 0.into()).expect("a canvas");
    let (map, own) = canvas.maps(document).map_of(vertex);
    map.weight(own, canvas.joint(node(document, joint)).expect("a joint"))
}

/// Opens the context menu of a widget with a right-click.
fn menu_of(window: &mut Window, name: &str) {
    let pos = window.get_by_label(name).rect().center();
    for pressed in [true, false] {
        window.event(Event::PointerMoved(pos));
        let modifiers = Modifiers::NONE;
        window.event(Event::PointerButton {
            pos,
            button: PointerButton::Secondary,
            pressed,
            modifiers,
        });
        window.step();
    }
    window.run_steps(3);
}

fn type_in(window: &mut Window, text: &str) {
    window.run_steps(2);
    window.event(Event::Text(text.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

#[test]
fn a_vertex_selection_grows_shrinks_and_includes_connected_vertices() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    let first = select_at(&mut window, at, 14.0);
    assert!(first > 3, "{first} vertices");
    press_button(&mut window, "Grow");
    let grown = selected(&window);
    assert!(grown > first, "{grown} after {first}");
    press_button(&mut window, "Shrink");
    assert!(selected(&window) < grown);
    press_button(&mut window, "Select linked");
    assert!(selected(&window) > grown);
    press_button(&mut window, "Deselect all vertices");
    assert_eq!(selected(&window), 0);
    // Selects with the brush, and with a lasso.
    press_button(&mut window, "Select with the brush");
    let brushed = select_at(&mut window, at, 6.0);
    press_button(&mut window, "Select with a lasso");
    let lassoed = select_at(&mut window, at, 14.0);
    assert!(brushed > 0 && lassoed < first, "{brushed} and {lassoed}: a line has no area");
    assert!(session(&window).history().done().is_empty(), "selecting is no change");
}

#[test]
fn numbers_and_arithmetic_apply_to_all_selected_vertices() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    let count = select_at(&mut window, at, 14.0);
    let before = session(&window).document().clone();
    let cell = |window: &mut Window| {
        let found =
            window.query_all_by_label_contains("LeftUpperArm of all selected vertices").next();
        found.expect("the cell of all").click_accesskit();
    };
    cell(&mut window);
    type_in(&mut window, "*0.5");
    let document = session(&window).document().clone();
    let moved = changed(&before, &document);
    assert!(!moved.is_empty() && moved.len() <= count, "{} of {count}", moved.len());
    for v in &moved {
        let (was, is) =
            (weight(&before, *v, "LeftUpperArm"), weight(&document, *v, "LeftUpperArm"));
        assert!((is - was * 0.5).abs() < 1e-5, "vertex {v}: {was} became {is}");
    }
    cell(&mut window);
    type_in(&mut window, "0.25");
    for v in &moved {
        assert!((weight(session(&window).document(), *v, "LeftUpperArm") - 0.25).abs() < 1e-6);
    }
    cell(&mut window);
    type_in(&mut window, "+0.1");
    for v in &moved {
        assert!((weight(session(&window).document(), *v, "LeftUpperArm") - 0.35).abs() < 1e-5);
    }
    sound(session(&window).document());
    assert_eq!(session(&window).history().done().len(), 3);
    // Text that is not a number changes nothing.
    cell(&mut window);
    type_in(&mut window, "much");
    assert_eq!(session(&window).history().done().len(), 3);
}

#[test]
fn weights_are_copied_between_vertices_and_coincident_vertices_stay_equal() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let before = session(&window).document().clone();
    let canvas = SkinnedSurface::new(&before, 0.into()).expect("a canvas");
    press_button(&mut window, "Deselect all vertices");
    let hand = head(&window, "LeftHand");
    click_at(&mut window, hand, Modifiers::COMMAND | Modifiers::ALT);
    assert!(selected(&window) > 0, "a click with Ctrl and Alt takes the vertex under the brush");
    press_button(&mut window, "Copy weights");
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    let count = select_at(&mut window, at, 14.0);
    press_button(&mut window, "Paste weights");
    let document = session(&window).document().clone();
    let moved = changed(&before, &document);
    assert!(!moved.is_empty() && moved.len() <= count);
    let list = |v: u32| {
        let (map, own) = canvas.maps(&document).map_of(v);
        Influences::of(map, own)
    };
    let first = list(*moved.iter().next().expect("one"));
    assert!(moved.iter().all(|v| list(*v) == first), "all have what was copied");
    assert!(weight(&document, *moved.iter().next().expect("one"), "LeftHand") > 0.0);
    sound(&document);
    press(&mut window, Modifiers::COMMAND, Key::Z);

    // The vertex has coincident copies. A number typed in its row changes all of them, so no gap
    // opens.
    press_button(&mut window, "Deselect all vertices");
    let copies = PointId::first(canvas.point_count())
        .find(|p| canvas.vertices_at(*p).len() > 1)
        .expect("a seam");
    assert!(canvas.vertices_at(copies).len() > 1);
    let at = head(&window, "Head");
    let count = select_at(&mut window, at, 30.0);
    let cells: Vec<_> = window.query_all_by_label_contains("LeftUpperArm of vertex").collect();
    assert!(count > 0 && !cells.is_empty());
    cells[0].click_accesskit();
    drop(cells);
    type_in(&mut window, "0.5");
    let moved = changed(&before, session(&window).document());
    let points: BTreeSet<PointId> = moved.iter().map(|v| canvas.point_of(*v)).collect();
    assert_eq!(points.len(), 1, "one point");
    assert!(
        points.iter().all(|p| canvas.vertices_at(*p).iter().all(|v| moved.contains(v))),
        "with all its copies"
    );
}

#[test]
fn a_flood_changes_only_selected_vertices() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Vertices tab");
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    let count = select_at(&mut window, at, 14.0);
    let before = session(&window).document().clone();
    press(&mut window, Modifiers::SHIFT, Key::F);
    let moved = changed(&before, session(&window).document());
    assert!(!moved.is_empty() && moved.len() <= count, "{} of {count}", moved.len());
    // If nothing is selected, the flood changes all vertices.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press_button(&mut window, "Deselect all vertices");
    press(&mut window, Modifiers::SHIFT, Key::F);
    assert!(changed(&before, session(&window).document()).len() > 10_000);
    sound(session(&window).document());
}

#[test]
fn a_gradient_decreases_along_its_line() {
    let (mut window, _folder) = painting("LeftHand");
    let before = session(&window).document().clone();
    click(&mut window, "Replace");
    click(&mut window, "Linear gradient");
    let (from, to) = (head(&window, "Hips"), head(&window, "UpperChest"));
    drag(&mut window, from, to, Modifiers::NONE);
    let document = session(&window).document();
    assert_eq!(session(&window).history().done().len(), 1);
    assert!(total(document, "LeftHand") > total(&before, "LeftHand") + 10.0);
    // Beyond its end, the gradient has no effect.
    let canvas = SkinnedSurface::new(document, 0.into()).expect("a canvas");
    let heads = canvas.heads();
    let height =
        |name: &str| heads[usize::from(canvas.joint(node(document, name)).expect("a joint"))].y;
    let (low, high) = (height("Hips"), height("UpperChest"));
    for v in changed(&before, document) {
        let y = canvas.rest()[canvas.point_of(v).index()].y;
        let wanted = 1.0 - ((y - low) / (high - low)).clamp(0.0, 1.0);
        let got = weight(document, v, "LeftHand");
        // The gradient applies the strength of the brush.
        let (was, amount) =
            (weight(&before, v, "LeftHand"), wanted * window.state().brush().strength);
        let wanted = was + amount * (1.0 - was);
        assert!((got - wanted).abs() < 0.12, "at {y}: {got} for about {wanted}");
    }
    sound(document);
}

#[test]
fn the_mirror_joint_is_shown_with_its_source_and_can_be_changed() {
    let (mut window, _folder) = painting("LeftHand");
    press(&mut window, Modifiers::NONE, Key::X);
    menu_of(&mut window, "Joint LeftHand");
    click(&mut window, "Mirror joint: RightHand · by name and rest position");
    press_button(&mut window, "None");
    assert_eq!(session(&window).document().aids.mirror_pairs.len(), 1);
    menu_of(&mut window, "Joint LeftHand");
    assert!(window.query_by_label("Mirror joint: none").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    let before = session(&window).document().clone();
    let at = head(&window, "LeftHand");
    drag(&mut window, at, at + vec2(4.0, 8.0), Modifiers::NONE);
    let gained = |name: &str| total(session(&window).document(), name) - total(&before, name);
    assert!(gained("LeftHand") > 0.1 && gained("RightHand").abs() < 1e-6, "its own side alone");
    // Undo reverts the stroke, and then the pair.
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(session(&window).document().aids.mirror_pairs.is_empty());
    drag(&mut window, at, at + vec2(4.0, 8.0), Modifiers::NONE);
    let gained = |name: &str| total(session(&window).document(), name) - total(&before, name);
    assert!((gained("LeftHand") - gained("RightHand")).abs() < 1e-3, "both sides again");
}

#[test]
fn solo_locks_all_other_joints_and_can_be_reverted() {
    let (mut window, _folder) = painting("LeftHand");
    menu_of(&mut window, "Joint LeftHand");
    press_button(&mut window, "Solo: lock all others");
    assert!(
        window.query_by_label("Unlock the weights of LeftHand").is_none()
            && window.query_by_label("Lock the weights of LeftHand").is_some()
    );
    let before = session(&window).document().clone();
    let at = head(&window, "LeftHand");
    drag(&mut window, at, at + vec2(4.0, 8.0), Modifiers::NONE);
    let gained = |window: &Window| {
        total(session(window).document(), "LeftHand") - total(&before, "LeftHand")
    };
    assert!(gained(&window).abs() < 1e-4, "nobody gives");
    menu_of(&mut window, "Joint LeftHand");
    press_button(&mut window, "Unlock all others");
    drag(&mut window, at, at + vec2(4.0, 8.0), Modifiers::NONE);
    assert!(gained(&window) > 0.1);
}

#[test]
fn the_worst_pose_is_found_shown_and_painted_while_the_clip_plays() {
    let (mut window, _folder) = painting("LeftUpperArm");
    click(&mut window, "Find the worst pose");
    for _ in 0..6000 {
        window.step();
        if !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    window.run_steps(4);
    click(&mut window, "List of worst deformations");
    let spots: Vec<String> = window
        .query_all_by_label_contains("stretch")
        .filter_map(|n| n.accesskit_node().label())
        .filter(|l| l.contains(" · "))
        .collect();
    assert_eq!(spots.len(), 10, "{spots:?}");
    let seconds = |label: &str| -> f64 {
        let part = label.split(" s · ").next().expect("a time");
        part.rsplit(' ').next().and_then(|t| t.parse().ok()).expect("a number")
    };
    let wanted = seconds(&spots[3]);
    press_button(&mut window, &spots[3]);
    window.run_steps(30);
    assert!(
        (window.state().playback().time - wanted).abs() < 0.006,
        "{} for {wanted}",
        window.state().playback().time
    );
    assert!(
        window.state().selection().active.is_some(),
        "the joint that moves it most is taken up"
    );
    assert!(session(&window).history().done().is_empty(), "looking is no change");

    // Smoothing at the worst position lowers its score, or makes another position the worst.
    let stretch = |label: &str| -> f64 {
        let part = label.split("stretch ").nth(1).expect("a stretch");
        part.split('×').next().and_then(|t| t.parse().ok()).expect("a number")
    };
    let worst = stretch(&spots[3]);
    let before = session(&window).document().clone();
    let rect = window.get_by_label("Viewport").rect();
    for _ in 0..6 {
        drag(
            &mut window,
            rect.center() - vec2(12.0, 12.0),
            rect.center() + vec2(12.0, 12.0),
            Modifiers::SHIFT,
        );
    }
    let document = session(&window).document();
    assert!(*document != before, "the spot is in the middle");
    sound(document);
    click(&mut window, "List of worst deformations");
    let same = |label: &String| seconds(label) == wanted && (stretch(label) - worst).abs() < 0.05;
    let left: Vec<String> = window
        .query_all_by_label_contains("stretch")
        .filter_map(|n| n.accesskit_node().label())
        .filter(|l| l.contains(" · "))
        .collect();
    let (was, is) =
        (spots.iter().filter(|l| same(l)).count(), left.iter().filter(|l| same(l)).count());
    assert!(is < was, "{spots:?} became {left:?}");
}

#[test]
fn strokes_continue_while_the_clip_plays() {
    let (mut window, _folder) = window(include_bytes!("../../assets/mannequin.glb"));
    click(&mut window, "Clip Walk");
    click(&mut window, "Paint mode");
    click(&mut window, "Spine");
    window.run_steps(3);
    if !window.state().playback().playing {
        press(&mut window, Modifiers::NONE, Key::Space);
    }
    assert!(window.state().playback().playing);
    let before = session(&window).document().clone();
    let times = window.state().playback().time;
    let at = middle(&window, "Spine", "UpperChest");
    drag(&mut window, at, at + vec2(6.0, 30.0), Modifiers::NONE);
    assert!(
        window.state().playback().playing && window.state().playback().time != times,
        "it plays on"
    );
    assert!(total(session(&window).document(), "Spine") > total(&before, "Spine") + 0.5);
    sound(session(&window).document());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before, "one step, whatever was posed meanwhile");
}

#[test]
fn a_stroke_on_one_side_of_a_seam_between_skins_paints_the_other() {
    let (mut window, _folder) = window(&two_skins(1.0, 1.0, &["C", "B", "A"]));
    click(&mut window, "Paint mode");
    click(&mut window, "Joint B");
    window.run_steps(3);
    let before = session(&window).document().clone();
    let rect = window.get_by_label("Viewport").rect();
    // The seam is vertical in the middle. The first sheet is on the left.
    let from = pos2(rect.center().x - 12.0, rect.center().y);
    drag(&mut window, from, from + vec2(0.0, 20.0), Modifiers::NONE);
    let document = session(&window).document();
    let row = usize::from(crate::common::weights::SQUARES) + 1;
    let (mut painted, mut others) = (0, 0);
    for y in 0..row {
        let of = |mesh: u32, v: usize| {
            let joint =
                document.skins[SkinId(mesh)].joints.iter().position(|n| *n == node(document, "B"));
            map(document, MeshId(mesh), PrimitiveId(0)).weight(v, joint.expect("a joint") as u16)
        };
        let (here, there) = (of(0, y * row + row - 1), of(1, y * row));
        assert!((here - there).abs() < 1e-6, "row {y}: {here} and {there}");
        painted += usize::from(here > 0.0);
        others += usize::from((1..row).any(|x| of(1, y * row + x) > 0.0));
    }
    assert!(painted > 0, "the seam was painted");
    assert_eq!(others, 0, "the other mesh only where it shares a vertex");
    assert_eq!(session(&window).history().done().len(), 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(*session(&window).document() == before);
}

/// Returns a file whose primitives have no weights.
fn bare() -> Vec<u8> {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let word =
        |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let end = 20 + word(12);
    let mut json: serde_json::Value = serde_json::from_slice(&bytes[20..end]).expect("its text");
    let attributes =
        json["meshes"][0]["primitives"][0]["attributes"].as_object_mut().expect("attributes");
    attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
    glb(json, &bytes[end + 8..end + 8 + word(end)])
}

#[test]
fn a_mesh_without_weights_is_bound_and_painted() {
    let (mut window, _folder) = window(&bare());
    let said = window.query_all_by_label_contains("has no weights").next().is_some();
    assert!(said, "the problem is said");
    click(&mut window, "Pose mode");
    press(&mut window, Modifiers::NONE, Key::Num3);
    assert!(window.query_by_label("Add").is_none(), "there is nothing to paint yet");
    click(&mut window, "Bind automatically");
    window.run_steps(4);
    assert!(window.query_by_label_contains("has no weights").is_none());
    assert!(window.query_by_label_contains("it is displayed unskinned").is_none());
    sound(session(&window).document());
    click(&mut window, "LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "RightUpperArm", "RightLowerArm");
    drag(&mut window, at, at + vec2(4.0, 12.0), Modifiers::NONE);
    assert!(
        total(session(&window).document(), "LeftUpperArm") > total(&before, "LeftUpperArm") + 0.5
    );
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let said = window.query_all_by_label_contains("has no weights").next().is_some();
    assert!(said, "undone, it is said again");
}

#[test]
fn a_click_on_a_hidden_mesh_selects_the_joint_and_paints_nothing() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let before = session(&window).document().clone();
    let at = middle(&window, "RightLowerArm", "RightHand");
    click(&mut window, "Filter by name or kind");
    window.event(Event::Text("Mannequin".into()));
    window.run_steps(3);
    click(&mut window, "Mannequin");
    press(&mut window, Modifiers::NONE, Key::H);
    window.run_steps(4);
    drag(&mut window, at, at + vec2(1.0, 1.0), Modifiers::NONE);
    assert!(*session(&window).document() == before, "it is hidden");
    assert_eq!(window.state().selection().active, Some(node(&before, "RightLowerArm")));
    press(&mut window, Modifiers::ALT, Key::H);
    window.run_steps(4);
    drag(&mut window, at, at + vec2(4.0, 8.0), Modifiers::NONE);
    assert!(*session(&window).document() != before, "and painted again when it is shown");
}
