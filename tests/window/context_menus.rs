//! Context menus: which rows each one has (at most fourteen), and what the rows do.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna_edit::{CommandLine, Preset};
use ulna_model::ClipId;

use super::editing::{Window, click, click_at, node, press, sample, session};
use crate::common::{
    glb,
    large::{Size, model},
    paint::{middle, painting},
    split, window,
};

/// Returns the rows of all open menus from the top, and whether each can be chosen.
fn rows(window: &Window) -> Vec<(String, bool)> {
    let of = |role: Role| {
        window.query_all_by_role(role).filter_map(|n| {
            let label = n.accesskit_node().label()?;
            Some((n.rect().top(), label, !n.accesskit_node().is_disabled()))
        })
    };
    let mut all: Vec<_> = of(Role::MenuItem).chain(of(Role::MenuItemCheckBox)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, label, enabled)| (label, enabled)).collect()
}

fn secondary_at(window: &mut Window, pos: Pos2) {
    window.event(Event::PointerMoved(pos));
    window.step();
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
        window.event(Event::PointerButton { pos, button, pressed, modifiers });
        window.step();
    }
    window.run_steps(4);
}

/// Opens the context menu of a widget, and returns its rows.
fn open(window: &mut Window, name: &str) -> Vec<(String, bool)> {
    let at = window.query_all_by_label(name).next().expect("a widget of that name").rect().center();
    secondary_at(window, at);
    checked(window, name)
}

/// Returns the rows of the open menu. Asserts that there are some, and not too many.
fn checked(window: &Window, place: &str) -> Vec<(String, bool)> {
    let found = rows(window);
    assert!((1..=14).contains(&found.len()), "{place} has {} rows: {found:?}", found.len());
    found
}

fn has(found: &[(String, bool)], expected: &[&str]) {
    for row in expected {
        assert!(found.iter().any(|(label, _)| label == row), "no {row} in {found:?}");
    }
}

fn lacks(found: &[(String, bool)], absent: &[&str]) {
    for row in absent {
        assert!(found.iter().all(|(label, _)| label != row), "{row} is in {found:?}");
    }
}

fn is_on(found: &[(String, bool)], row: &str) -> bool {
    found.iter().find(|(label, _)| label == row).expect("the row").1
}

fn close(window: &mut Window) {
    press(window, Modifiers::NONE, Key::Escape);
    window.run_steps(2);
    assert_eq!(rows(window), [], "the menu closes");
}

fn steps(window: &Window) -> usize {
    session(window).history().done().len()
}

/// Returns the position of a node in the window.
fn head(window: &Window, name: &str) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = window.state().project(node(window, name)).expect("in sight");
    egui::pos2(rect.left() + at.x, rect.top() + at.y)
}

#[test]
fn the_menu_of_an_outliner_row_selects_the_joint_and_can_hide_it() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    let found = open(&mut window, "LeftLowerArm");
    let arm = node(&window, "LeftLowerArm");
    assert_eq!(window.state().selection().active, Some(arm), "it is selected first");
    assert!(window.query_by_label_contains("LeftLowerArm, joint").is_some(), "the header");
    has(&found, &["Rename", "Batch rename…", "Select", "Frame", "Set key", "Copy pose"]);
    has(&found, &["Reset to rest pose", "Pin", "Paint weights", "Edit in Rig mode", "Lock"]);
    lacks(&found, &["Add empty node below", "Remove with all nodes below", "Show"]);
    assert!(!is_on(&found, "Paste pose"), "no pose was copied");
    click(&mut window, "Hide");
    assert!(window.query_by_label("Show LeftLowerArm").is_some(), "it is hidden");
    let found = open(&mut window, "LeftLowerArm");
    has(&found, &["Show"]);
    lacks(&found, &["Hide"]);
    click(&mut window, "Copy pose");
    let found = open(&mut window, "LeftLowerArm");
    assert!(is_on(&found, "Paste pose"), "a pose was copied");
    close(&mut window);
}

#[test]
fn the_menu_of_a_joint_depends_on_the_mode() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    let found = open(&mut window, "LeftLowerArm");
    lacks(&found, &["Set key", "Set key on"]);
    close(&mut window);
    click(&mut window, "Rig mode");
    let found = open(&mut window, "LeftLowerArm");
    has(&found, &["Extrude joints", "Orient joints…", "Dissolve joints…", "Remove joints…"]);
    lacks(&found, &["Copy pose", "Set key", "Edit in Rig mode"]);
    close(&mut window);
}

#[test]
fn the_menu_of_several_joints_shows_their_number_and_has_no_rename_row() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftLowerArm");
    window.get_by_label("LeftUpperArm").click_modifiers(Modifiers::COMMAND);
    window.run_steps(3);
    let found = open(&mut window, "LeftUpperArm");
    assert!(window.query_by_label("2 joints").is_some(), "the header");
    assert_eq!(window.state().selection().nodes.len(), 2, "both stay selected");
    lacks(&found, &["Rename"]);
    has(&found, &["Batch rename…"]);
    close(&mut window);
}

#[test]
fn the_viewport_menu_of_a_joint_has_the_outliner_order_and_lists_joints_under_the_pointer() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    let in_tree: Vec<String> =
        open(&mut window, "LeftLowerArm").into_iter().map(|(label, _)| label).collect();
    close(&mut window);
    click(&mut window, "LeftUpperArm");
    let at = head(&window, "LeftLowerArm");
    secondary_at(&mut window, at);
    window.run_steps(3);
    let found = checked(&window, "the viewport");
    assert_eq!(window.state().selection().active, Some(node(&window, "LeftLowerArm")));
    has(&found, &["Under the pointer", "Mirror pose", "Paste flipped"]);
    let in_view: Vec<&String> = found.iter().map(|(label, _)| label).collect();
    let shared: Vec<&String> = in_view.iter().copied().filter(|l| in_tree.contains(l)).collect();
    let same: Vec<&String> = in_tree.iter().filter(|l| in_view.contains(l)).collect();
    assert_eq!(shared, same, "the order is the same");
    click(&mut window, "Under the pointer");
    assert!(rows(&window).iter().filter(|(label, _)| label == "LeftLowerArm").count() > 0);
    close(&mut window);
}

#[test]
fn an_empty_part_of_the_viewport_has_its_own_menu() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftLowerArm");
    let rect = window.get_by_label("Viewport").rect();
    let corner = egui::pos2(rect.left() + 40.0, rect.bottom() - 90.0);
    secondary_at(&mut window, corner);
    window.run_steps(3);
    let found = checked(&window, "an empty place");
    has(&found, &["Look from", "Surfaces", "Overlays", "Frame all", "Select all joints"]);
    lacks(&found, &["Copy pose", "Pin", "Under the pointer"]);
    assert!(!is_on(&found, "Show all"), "nothing is hidden");
    assert_eq!(window.state().selection().nodes.len(), 1, "the selection stays");
    click(&mut window, "Select all joints");
    assert!(window.state().selection().nodes.len() > 10);
}

#[test]
fn the_menu_of_a_clip_has_rows_that_show_and_duplicate_it() {
    let (mut window, _folder, _) = sample();
    let before = session(&window).document().clips.count();
    let found = open(&mut window, "Clip Walk");
    assert_eq!(window.state().playback().clip, Some(ClipId(1)), "it is shown first");
    assert!(window.query_by_label_contains("fps").is_some(), "the header");
    has(&found, &["Rename", "Duplicate", "Trim…", "Join with", "Retime…", "Mirror"]);
    has(&found, &["Root motion…", "Reduce keys…", "Repair loop…", "Export…", "Delete clip"]);
    click(&mut window, "Duplicate");
    assert_eq!(session(&window).document().clips.count(), before + 1);
    assert_eq!(steps(&window), 1);
}

#[test]
fn tracks_markers_the_ruler_and_empty_space_of_the_timeline_have_their_own_menus() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Hips");
    let found = open(&mut window, "Track Hips");
    has(&found, &["Select all its keys", "Key Hips here", "Pin to the top", "Open all rows"]);
    click(&mut window, "Select all its keys");
    let n = window.state().selected_keys().len();
    assert!(n > 1);
    // Right-clicks an empty part of the sheet, below all rows.
    let sheet = window.get_by_label("Timeline keys").rect();
    secondary_at(&mut window, sheet.right_bottom() - egui::vec2(6.0, 6.0));
    let found = checked(&window, "an empty place of the sheet");
    has(&found, &["Paste", "Set key", "Add marker", "Select all keys", "Fit the clip"]);
    lacks(&found, &["Duplicate", "Ripple move"]);
    close(&mut window);
    // Right-clicks the ruler.
    let ruler = window.get_by_label("Playhead").rect();
    secondary_at(&mut window, ruler.center());
    let found = checked(&window, "the ruler");
    let row = found.iter().find(|(label, _)| label.starts_with("Add marker at frame"));
    let row = row.expect("a marker can be added").0.clone();
    assert!(!is_on(&found, "Play the whole clip"), "it plays as a whole");
    click(&mut window, &row);
    assert_eq!(session(&window).document().clips[ClipId(1)].markers.len(), 1);
    // Opens the menu of the marker.
    let name = session(&window).document().clips[ClipId(1)].markers[0].name.to_string();
    let found = open(&mut window, &format!("Marker {name}"));
    has(&found, &["Rename", "Go to it", "Color", "Remove marker"]);
    click(&mut window, "Remove marker");
    assert!(session(&window).document().clips[ClipId(1)].markers.is_empty());
}

#[test]
fn the_menu_of_selected_keys_shows_their_number_and_can_delete_them() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "Hips");
    click(&mut window, "Curves");
    window.run_steps(3);
    let all = window.query_all_by_label("Timeline curves").map(|n| n.rect());
    let graph = all.max_by(|a, b| a.area().total_cmp(&b.area())).expect("the graph");
    window.event(Event::PointerMoved(graph.center()));
    window.step();
    press(&mut window, Modifiers::COMMAND | Modifiers::CTRL, Key::A);
    let n = window.state().selected_keys().len();
    assert!(n > 1);
    secondary_at(&mut window, graph.left_top() + egui::vec2(90.0, 4.0));
    let found = checked(&window, "the graph");
    has(&found, &["Tangents", "Interpolation", "Key type", "Ease…", "Paste", "Select", "Show"]);
    let row =
        found.iter().find(|(label, _)| label.starts_with("Delete ")).expect("deletes").0.clone();
    assert!(row.ends_with(" keys"), "{row}");
    let before = session(&window).document().clips[ClipId(1)].key_count();
    click(&mut window, &row);
    assert!(session(&window).document().clips[ClipId(1)].key_count() < before);
}

#[test]
fn the_menu_of_a_number_field_copies_pastes_and_locks() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    click(&mut window, "LeftLowerArm");
    let found = open(&mut window, "Ul rotation X");
    assert!(window.query_by_label_contains("Rotation X, LeftLowerArm").is_some(), "the header");
    has(&found, &["Copy all three", "Paste", "Set key", "Delete key here", "Show in curves"]);
    has(&found, &["Reset to rest pose", "Lock X", "Copy as command"]);
    lacks(&found, &["Apply to 1 joints"]);
    assert!(!is_on(&found, "Paste"), "no number was copied");
    window.get_by_label("Copy as command").click();
    let copied = (0..4).find_map(|_| {
        window.step();
        window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    let line = copied.expect("text is copied");
    let line = CommandLine::parse(&line).expect("a line that a script takes");
    assert!(ulna_edit::find(&line.name).is_some());
    window.run_steps(3);
    open(&mut window, "Ul rotation X");
    click(&mut window, "Copy all three");
    let found = open(&mut window, "Ul rotation X");
    assert!(is_on(&found, "Paste"), "numbers were copied");
    click(&mut window, "Lock X");
    let arm = node(&window, "LeftLowerArm");
    let locks = session(&window).document().node(arm).locks;
    assert!(locks.of(ulna_model::Property::Rotation)[0]);
}

#[test]
fn holding_the_button_and_dragging_to_a_row_chooses_it() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    let at = window.get_by_label("LeftLowerArm").rect().center();
    window.event(Event::PointerMoved(at));
    window.step();
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Secondary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(button(at, true));
    window.step();
    window.event(Event::PointerMoved(at + egui::vec2(12.0, 20.0)));
    window.run_steps(4);
    let hide = window.get_by_label("Hide").rect().center();
    window.event(Event::PointerMoved(hide));
    window.run_steps(2);
    window.event(button(hide, false));
    window.run_steps(3);
    assert!(window.query_by_label("Show LeftLowerArm").is_some(), "it is hidden");
    assert_eq!(rows(&window), [], "the menu closes");
}

#[test]
fn arrows_letters_and_enter_work_as_soon_as_a_menu_opens() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    open(&mut window, "LeftLowerArm");
    // `Hide` is the first row that begins with H.
    window.event(Event::Text("h".to_owned()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert!(window.query_by_label("Show LeftLowerArm").is_some(), "it is hidden");
    open(&mut window, "LeftLowerArm");
    press(&mut window, Modifiers::NONE, Key::ArrowDown);
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    assert!(window.query_by_label("New name").is_some(), "the first row is Rename");
}

#[test]
fn a_menu_does_not_cover_the_clicked_row() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    for name in ["Hips", "LeftLowerArm"] {
        let row = window.query_all_by_label(name).next().expect("the row").rect();
        open(&mut window, name);
        let menu = window.get_by_label("Batch rename…").rect();
        let top = window.get_by_label("Rename").rect().top();
        let bottom = window.get_by_label("Lock").rect().bottom();
        assert!(top >= row.bottom() || bottom <= row.top(), "{name}: {menu:?} over {row:?}");
        close(&mut window);
    }
}

#[test]
fn names_are_edited_in_the_row_and_empty_names_are_refused() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftLowerArm");
    press(&mut window, Modifiers::NONE, Key::F2);
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Backspace);
    assert!(window.query_by_label_contains("needs a name").is_some(), "a sentence says so");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label("New name").is_some(), "it is still typed");
    window.event(Event::Text("LeftHand".to_owned()));
    window.run_steps(2);
    assert!(window.query_by_label_contains("is named “LeftHand”").is_some(), "it is taken");
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(steps(&window), 0);
    assert!(window.query_by_label("New name").is_none());
}

#[test]
fn meshes_materials_and_skins_are_renamed_by_a_key_or_a_double_click() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Filter by name or kind");
    window.event(Event::Text("mesh".to_owned()));
    window.run_steps(3);
    let name = {
        let document = session(&window).document();
        let id = document.meshes.ids().next().expect("a mesh");
        document.meshes[id].name.clone().map_or_else(|| "mesh 0".to_owned(), |n| n.to_string())
    };
    let row = format!("Mesh {name}");
    let at = window.get_by_label(&row).rect().center();
    click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::F2);
    window.run_steps(2);
    window.event(Event::Text("Figure".to_owned()));
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    let document = session(&window).document();
    let id = document.meshes.ids().next().expect("a mesh");
    assert_eq!(document.meshes[id].name.as_deref(), Some("Figure"));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    let document = session(&window).document();
    assert_ne!(document.meshes[id].name.as_deref(), Some("Figure"), "one step");
}

#[test]
fn only_visible_outliner_rows_are_laid_out_and_typed_letters_find_the_others() {
    let size = Size { joints: 3001, clips: 0, keys: 2, side: 4, layers: 0, problems: 0 };
    let (mut window, _folder, _) = window::open(window::builder(), &model(size));
    click(&mut window, "Pose mode");
    let last = session(&window).document().node_ids().last().expect("a node");
    let name = session(&window).document().node(last).label(last);
    let count = |window: &Window| window.query_all_by_role(Role::TreeItem).count();
    assert!((10..200).contains(&count(&window)), "{} rows are laid out", count(&window));
    let first = window.query_all_by_role(Role::TreeItem).next().expect("a row");
    first.focus();
    window.run_steps(3);
    window.event(Event::Text(name.clone()));
    window.run_steps(6);
    let row = window.query_all_by_role_and_label(Role::TreeItem, &name).next();
    assert!(
        row.is_some_and(|row| row.accesskit_node().is_focused()),
        "{name} is in sight and has the focus"
    );
    assert!((10..200).contains(&count(&window)), "{} rows are laid out", count(&window));
}

#[test]
fn the_menu_of_a_contact_makes_it_follow_the_selected_joint_and_removes_it() {
    let mut session_of_file = crate::common::sample();
    let add = CommandLine::new("contact.add").with("clip", "Walk").with("node", "RightHand");
    crate::common::run(&mut session_of_file, add.with("from", 0.2).with("to", 0.8));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hand.glb");
    session_of_file.write_to(&path).expect("the file is written");
    let bytes = std::fs::read(&path).expect("the file");
    let (mut window, _folder, _) = window::open(window::builder(), &bytes);
    click(&mut window, "Clip Walk");
    click(&mut window, "Head");
    let spaces = |window: &Window| -> Vec<Option<String>> {
        let document = session(window).document();
        let label = |n: ulna_model::NodeId| document.node(n).label(n);
        document.clips[ClipId(1)].contacts.iter().map(|g| g.space.map(label)).collect()
    };
    assert_eq!(spaces(&window), [None]);
    let bar = |window: &Window| {
        window.get_all_by_label_contains("Contact of RightHand, frames").next().unwrap().rect()
    };
    let at = bar(&window).center();
    secondary_at(&mut window, at);
    let found = checked(&window, "the contact");
    has(&found, &["Follow", "Find contacts", "Clean contacts…", "Remove contact"]);
    click(&mut window, "Follow");
    let found = rows(&window);
    has(&found, &["Nothing (stay in the scene)", "Another node…"]);
    // The outliner has a row of this name as well.
    let head = window.get_by_role_and_label(Role::MenuItemCheckBox, "Head").rect().center();
    click_at(&mut window, head);
    window.run_steps(4);
    assert_eq!(spaces(&window), [Some("Head".to_owned())]);
    let said = "Contact of RightHand, frames 6 to 24, follows Head";
    assert!(window.query_by_label(said).is_some(), "the bar says so");
    let steps_before = steps(&window);
    let at = bar(&window).center();
    secondary_at(&mut window, at);
    click(&mut window, "Remove contact");
    assert!(spaces(&window).is_empty());
    assert_eq!(steps(&window), steps_before + 1);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(spaces(&window), [Some("Head".to_owned())]);
}

#[test]
fn weights_can_be_pasted_after_they_were_copied() {
    let (mut window, _folder) = painting("LeftUpperArm");
    let select = CommandLine::new("vertices.all");
    let context = window.ctx.clone();
    window.state_mut().run_command(&context, &select);
    window.run_steps(4);
    let at = middle(&window, "LeftUpperArm", "LeftLowerArm");
    secondary_at(&mut window, at);
    let found = checked(&window, "the painted surface");
    assert!(!is_on(&found, "Paste weights"), "nothing was copied");
    assert!(is_on(&found, "Copy weights"));
    click(&mut window, "Copy weights");
    secondary_at(&mut window, at);
    assert!(is_on(&checked(&window, "the painted surface"), "Paste weights"));
    close(&mut window);
}

#[test]
fn the_menu_of_a_finding_has_no_rows_that_it_can_never_use() {
    let (mut json, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    json["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = 7.into();
    let (mut window, ..) = window::open(window::builder(), &glb(json, &bin));
    window::wait_until(&mut window, |app| !app.is_busy());
    let place = |window: &Window| {
        let findings = window.query_all_by_label_contains("Finding: ");
        let rects: Vec<_> = findings.map(|n| n.rect()).collect();
        rects.first().map(|rect| rect.left_top() + egui::vec2(4.0, 8.0))
    };
    for _ in 0..400 {
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(5));
        if place(&window).is_some() {
            break;
        }
    }
    let at = place(&window).expect("a finding about the material");
    secondary_at(&mut window, at);
    let found = checked(&window, "Problems");
    has(&found, &["Copy the text", "Copy the code"]);
    lacks(&found, &["Show", "Fix"]);
    close(&mut window);
}

#[test]
fn keys_can_be_pasted_only_after_they_were_copied() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Clip Walk");
    let sheet = window.get_by_label("Timeline keys").rect();
    let empty = sheet.center_bottom() - egui::vec2(7.0, 4.0);
    secondary_at(&mut window, empty);
    assert!(!is_on(&checked(&window, "the sheet"), "Paste"), "no key was copied");
    close(&mut window);
}

/// Opens a context menu by a key, and returns its rows.
fn by_key(window: &mut Window, modifiers: Modifiers, key: Key, place: &str) -> Vec<String> {
    press(window, modifiers, key);
    window.run_steps(8);
    let found = checked(window, place).into_iter().map(|(label, _)| label).collect();
    close(window);
    window.run_steps(3);
    found
}

#[test]
fn keys_open_the_context_menu_of_the_focused_widget_and_of_the_selection() {
    let has = |found: &[String], row: &str| found.iter().any(|label| label == row);
    for preset in Preset::ALL {
        let (mut window, _folder, _) = sample();
        window.state_mut().set_key_preset(preset);
        click(&mut window, "Pose mode");
        click(&mut window, "LeftLowerArm");
        // A row of the outliner, and a number field of the inspector.
        for (modifiers, key) in [(Modifiers::SHIFT, Key::F10), (Modifiers::NONE, Key::Menu)] {
            window.get_by_role_and_label(Role::TreeItem, "LeftUpperArm").focus();
            window.run_steps(2);
            let found = by_key(&mut window, modifiers, key, "a row");
            assert!(has(&found, "Rename") && has(&found, "Copy pose"), "{preset:?}: {found:?}");
            window.get_by_label("Ul translation X").focus();
            window.run_steps(2);
            let found = by_key(&mut window, modifiers, key, "a field");
            assert!(has(&found, "Paste"), "{preset:?}: {found:?}");
        }
        // Without a focus, the menu is that of the selected joint.
        click(&mut window, "LeftLowerArm");
        window.ctx.memory_mut(|m| m.focused().inspect(|id| m.surrender_focus(*id)));
        window.event(Event::PointerMoved(window.get_by_label("Viewport").rect().center()));
        window.run_steps(3);
        let found = by_key(&mut window, Modifiers::SHIFT, Key::F10, "the viewport");
        assert!(has(&found, "Copy pose") && has(&found, "Paste flipped"), "{preset:?}: {found:?}");
        // A panel with the focus opens the menu of its title.
        press(&mut window, Modifiers::NONE, Key::F6);
        let found = by_key(&mut window, Modifiers::SHIFT, Key::F10, "a panel");
        assert!(!found.is_empty());
    }
}
