//! Arrangement of the panels: workspaces, a maximized panel, floating panels, and the panels of
//! Paint mode.

use egui::{Event, Key, Modifiers, Pos2, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::editing::{Window, click, drag, press, sample};

const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

fn rect(window: &Window, panel: &str) -> Option<Rect> {
    window.query_by_label(&format!("{panel} panel")).map(|node| node.rect())
}

fn point_at(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run_steps(2);
}

/// Moves the pointer to the middle of a panel.
fn enter(window: &mut Window, panel: &str) {
    let at = rect(window, panel).expect("a panel").center();
    point_at(window, at);
}

/// Returns the accessible name of the focused widget.
fn focused(window: &Window) -> Option<String> {
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        if access.is_focused() && access.role() != egui::accesskit::Role::Window {
            return access.label();
        }
        stack.extend(node.children());
    }
    None
}

/// Runs a command whose form asks for a name.
fn by_name(window: &mut Window, command: &str, name: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text(command.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Tab);
    window.run_steps(8);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(name.to_owned()));
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

#[test]
fn the_panel_under_the_pointer_is_maximized_and_restored() {
    let (mut window, ..) = sample();
    let before = rect(&window, "Viewport").expect("the viewport");
    for panel in ["Viewport", "Timeline", "Outliner", "Inspector"] {
        enter(&mut window, panel);
        press(&mut window, Modifiers::COMMAND, Key::Space);
        let now = rect(&window, panel).expect("it is maximized");
        assert!(now.width() > 1590.0 && now.height() > 880.0, "{panel} {now}");
        let others = ["Viewport", "Timeline", "Outliner", "Inspector"];
        assert!(others.iter().all(|o| *o == panel || rect(&window, o).is_none()), "{panel} alone");
        press(&mut window, Modifiers::COMMAND, Key::Space);
        assert_eq!(rect(&window, "Viewport"), Some(before), "all are back after {panel}");
    }
    // A double click on the title maximizes a panel. Another shortcut for panels restores them.
    let title = window.get_by_label("Move panel Outliner").rect().center();
    point_at(&mut window, title);
    let click = [true, false, true, false].map(|pressed| Event::PointerButton {
        pos: title,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    });
    // The double click is in one frame.
    window.input_mut().events.extend(click);
    window.run_steps(3);
    assert!(rect(&window, "Outliner").expect("it is maximized").width() > 1590.0);
    press(&mut window, Modifiers::COMMAND, Key::Num3);
    assert_eq!(rect(&window, "Viewport"), Some(before));
}

#[test]
fn switching_to_a_mode_without_the_maximized_panel_restores_the_layout() {
    let (mut window, ..) = sample();
    press(&mut window, Modifiers::NONE, Key::Num3);
    enter(&mut window, "Brush");
    press(&mut window, Modifiers::COMMAND, Key::Space);
    assert!(rect(&window, "Brush").expect("the brush").width() > 1590.0);
    press(&mut window, Modifiers::NONE, Key::Num1);
    assert!(rect(&window, "Inspector").is_some() && rect(&window, "Viewport").is_some());
}

#[test]
fn a_panel_floats_moves_is_reached_by_f6_and_is_docked_again() {
    let (mut window, ..) = sample();
    let docked = rect(&window, "Inspector").expect("the inspector");
    let narrow = rect(&window, "Outliner").expect("the outliner");
    enter(&mut window, "Outliner");
    press(&mut window, CTRL_SHIFT, Key::Space);
    let floats = rect(&window, "Outliner").expect("it floats");
    assert!(floats.left() > 0.5 || floats.top() > narrow.top() + 10.0, "{floats}");
    let viewport = rect(&window, "Viewport").expect("the viewport");
    assert!(viewport.left() < 1.0, "its place is taken: {viewport}");
    assert_eq!(rect(&window, "Inspector"), Some(docked));
    // Drags the panel by its title.
    let title = floats.left_top() + vec2(60.0, -14.0);
    drag(&mut window, title, title + vec2(300.0, 40.0));
    let moved = rect(&window, "Outliner").expect("it floats");
    assert!((moved.left() - floats.left() - 300.0).abs() < 3.0, "{moved} was {floats}");
    assert!((moved.size() - floats.size()).length() < 2.0, "{moved} was {floats}");
    // The panel is under the pointer, not the viewport behind it.
    point_at(&mut window, moved.center());
    press(&mut window, Modifiers::COMMAND, Key::Space);
    assert!(rect(&window, "Viewport").is_none() && rect(&window, "Outliner").is_some());
    press(&mut window, Modifiers::COMMAND, Key::Space);
    let reached = (0..6).any(|_| {
        press(&mut window, Modifiers::NONE, Key::F6);
        focused(&window).as_deref() == Some("Outliner panel")
    });
    assert!(reached, "F6 goes there, too");
    click(&mut window, "Dock panel Outliner");
    assert_eq!(rect(&window, "Outliner"), Some(narrow));
    // The viewport stays in its place.
    enter(&mut window, "Viewport");
    press(&mut window, CTRL_SHIFT, Key::Space);
    assert!(window.query_by_label_contains("The viewport cannot float").is_some());
}

#[test]
fn workspaces_are_chosen_saved_renamed_reset_and_deleted() {
    let (mut window, ..) = sample();
    let height = |window: &Window| rect(window, "Timeline").map_or(0.0, |r| r.height());
    let standard = height(&window);
    click(&mut window, "Workspace: Standard");
    click(&mut window, "Workspace Keys");
    assert!(height(&window) > standard + 120.0, "{} and {standard}", height(&window));
    // A changed workspace keeps its changes.
    press(&mut window, Modifiers::COMMAND, Key::Num4);
    assert_eq!(height(&window), 0.0, "the timeline is hidden");
    press(&mut window, Modifiers::COMMAND, Key::PageDown);
    assert!(window.query_by_label("Workspace: Weights").is_some());
    assert!(height(&window) > 100.0, "it is seen in this one");
    press(&mut window, Modifiers::COMMAND, Key::PageUp);
    assert_eq!(height(&window), 0.0, "as it was left");
    by_name(&mut window, "view.save_workspace", "No keys");
    assert!(window.query_by_label("Workspace: No keys").is_some());
    by_name(&mut window, "view.save_workspace", "Keys");
    assert!(window.query_by_label_contains("“Keys” is a workspace of Ulna").is_some());
    by_name(&mut window, "view.rename_workspace", "Quiet");
    assert!(window.query_by_label("Workspace: Quiet").is_some());
    press(&mut window, Modifiers::COMMAND, Key::Num4);
    assert!(height(&window) > 100.0);
    let run = |window: &mut Window, command: &str| {
        press(window, Modifiers::COMMAND, Key::P);
        window.event(Event::Text(command.to_owned()));
        window.run_steps(2);
        press(window, Modifiers::NONE, Key::Enter);
        window.run_steps(3);
    };
    run(&mut window, "view.reset_layout");
    assert_eq!(height(&window), 0.0, "as it was saved");
    run(&mut window, "view.delete_workspace");
    assert!(window.query_by_label("Workspace: Standard").is_some());
    assert_eq!(height(&window), standard);
    // The palette stays open, because the command is unavailable.
    run(&mut window, "view.delete_workspace");
    assert!(window.query_by_label("Find a command").is_some());
    assert!(window.query_by_label("Workspace: Standard").is_some());
}

#[test]
fn in_paint_mode_the_brush_panel_fits_its_content_and_the_joints_panel_fills_the_remaining_height()
{
    let (mut window, ..) = sample();
    press(&mut window, Modifiers::NONE, Key::Num3);
    click(&mut window, "LeftUpperArm");
    window.run_steps(4);
    let joints = rect(&window, "Joints").expect("the joints");
    let brush = rect(&window, "Brush").expect("the brush");
    assert!(rect(&window, "Inspector").is_none());
    let rows = |window: &Window| {
        let place = rect(window, "Joints").expect("the joints");
        let rows = window.query_all_by_label_contains("Joint ");
        rows.filter(|n| place.contains_rect(n.rect()) && n.rect().width() > 150.0).count()
    };
    assert!(rows(&window) >= 8, "{} rows in {joints}", rows(&window));
    let flood = window.get_by_label("Flood").rect();
    assert!(brush.contains_rect(flood), "the brush is whole: {flood} in {brush}");
    let before = rows(&window);
    click(&mut window, "Show only the main brush settings");
    window.run_steps(4);
    assert!(rows(&window) > before + 3, "{} rows beside a folded brush", rows(&window));
    click(&mut window, "Layers tab");
    assert!(window.query_by_label("Add a layer").is_some());
    assert!(rect(&window, "Joints").is_none());
    // The toolbar has the brushes, too.
    click(&mut window, "Brush: Smear");
    assert_eq!(window.state().brush().kind, ulna_weights::BrushKind::Smear);
    // In a small window, all of these panels are tabs.
    window.set_size(vec2(1000.0, 640.0));
    window.run_steps(4);
    for tab in ["Brush", "Joints", "Layers", "Vertices", "Problems"] {
        click(&mut window, &format!("{tab} tab"));
        assert!(rect(&window, tab).is_some(), "{tab}");
    }
}

#[test]
fn only_saved_workspaces_can_be_renamed_and_deleted() {
    let (mut window, ..) = sample();
    let is_on =
        |window: &Window, row: &str| !window.get_by_label(row).accesskit_node().is_disabled();
    for (workspace, saved) in [("Standard", false), ("Mine", true)] {
        if saved {
            by_name(&mut window, "save workspace", workspace);
        }
        click(&mut window, &format!("Workspace: {workspace}"));
        assert_eq!(is_on(&window, "Rename workspace…"), saved, "{workspace}");
        assert_eq!(is_on(&window, "Delete workspace"), saved, "{workspace}");
        press(&mut window, Modifiers::NONE, Key::Escape);
        window.run_steps(2);
    }
}

#[test]
fn the_message_about_a_maximized_panel_disappears_when_all_panels_are_shown_again() {
    let (mut window, ..) = sample();
    enter(&mut window, "Viewport");
    let says = |window: &Window| window.query_all_by_label_contains("is maximized").count() > 0;
    press(&mut window, Modifiers::COMMAND, Key::Space);
    window.run_steps(2);
    assert!(says(&window));
    press(&mut window, Modifiers::COMMAND, Key::Space);
    window.run_steps(2);
    assert!(!says(&window));
}
