//! Every command is available in the palette and in a menu, and every widget in the window has a
//! name.

use egui::{
    Event, Key, Modifiers,
    accesskit::{self, Role},
};
use egui_kittest::{HarnessBuilder, kittest::NodeT as _, kittest::Queryable as _};
use ulna::app::App;
use ulna_edit::{Availability, CommandSpec, command::forms::is_for_programs, table};

use crate::common::window::{self, Window, builder, wait_until};

fn start(file: Option<&std::path::Path>, size: [f32; 2]) -> Window {
    let file = file.map(ToOwned::to_owned);
    let mut window = builder().with_size(size).build_eframe(move |cc| App::new(cc, file));
    wait_until(&mut window, |app| !app.is_busy());
    window
}

/// Opens a window without a file, by asking for a file that does not exist.
fn empty() -> Window {
    let window = start(Some(std::path::Path::new("/nowhere/at/all.glb")), [1600.0, 1000.0]);
    assert!(window.state().session().is_none());
    window
}

fn sample(builder: HarnessBuilder<App>) -> (Window, tempfile::TempDir) {
    let (window, folder, _) = window::open(builder, include_bytes!("../../assets/mannequin.glb"));
    (window, folder)
}

fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
}

/// Returns all commands that the window offers. Commands with data that only programs write are
/// left out.
fn offered() -> impl Iterator<Item = &'static CommandSpec> {
    table().iter().filter(|c| !is_for_programs(c))
}

/// Types the title of a command into the palette, and presses Enter. Returns whether the palette
/// closed.
fn by_palette(window: &mut Window, command: &CommandSpec) -> bool {
    press(window, Modifiers::COMMAND, Key::P);
    assert!(
        window.query_by_label("Find a command").is_some(),
        "the palette opens for {}",
        command.name
    );
    window.event(Event::Text(command.title.to_owned()));
    window.run_steps(2);
    let title = command.menu_title();
    let rows = window.query_all_by_role_and_label(Role::MenuItem, &title);
    let rows: Vec<bool> = rows.map(|row| row.accesskit_node().is_disabled()).collect();
    assert!(!rows.is_empty(), "{} is in the palette", command.name);
    // Enter would run the first available command. Headings of the guide may have the same title.
    if rows.contains(&true) {
        press(window, Modifiers::NONE, Key::Escape);
        return false;
    }
    press(window, Modifiers::NONE, Key::Enter);
    window.query_by_label("Find a command").is_none()
}

/// Closes everything that a command may have opened.
fn settle(window: &mut Window) {
    for _ in 0..400 {
        window.step();
        if !window.state().is_busy() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    press(window, Modifiers::NONE, Key::Escape);
    press(window, Modifiers::NONE, Key::Escape);
}

#[test]
fn every_command_works_or_states_a_reason_without_a_file() {
    let mut window = empty();
    let none = Availability::default();
    let (mut on, mut off) = (0, 0);
    for command in offered().filter(|c| c.name != "file.quit") {
        // Opening the sample would end the empty state. Another test covers these commands.
        if matches!(command.name, "file.sample" | "help.tour") {
            continue;
        }
        let closed = by_palette(&mut window, command);
        match command.check(&none) {
            Ok(()) => {
                on += 1;
                // The command that opens the palette opens it again.
                assert!(closed || command.name == "edit.find", "{} is done", command.name);
            }
            Err(reason) => {
                off += 1;
                assert!(!closed, "{} is off", command.name);
                assert!(!reason.is_empty() && !reason.ends_with('.'), "{}: {reason}", command.name);
            }
        }
        settle(&mut window);
        assert!(window.state().session().is_none(), "{} opened something", command.name);
    }
    assert!(on >= 8 && off >= 60, "{on} on, {off} off");
}

/// Returns the outliner row of the Hips, which a command may have scrolled out of view.
fn row_of_hips(window: &mut Window) -> egui_kittest::Node<'_> {
    if window.query_all_by_label("Hips").next().is_none() {
        let at = window.get_by_label("Outliner panel").rect().center();
        window.event(egui::Event::PointerMoved(at));
        window.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: egui::vec2(0.0, 1000.0),
            phase: egui::TouchPhase::Move,
            modifiers: Modifiers::NONE,
            source: egui::MouseWheelSource::Unknown,
        });
        window.run_steps(20);
    }
    window.query_all_by_label("Hips").next().expect("the row of the Hips")
}

/// Runs all these commands with the Hips selected. Returns their number.
fn with_hips(window: &mut Window, commands: impl Fn(&CommandSpec) -> bool) -> usize {
    let mut done = 0;
    // Other tests cover the commands that open another file, close this file, or save it.
    let apart = ["file.quit", "file.sample", "file.open", "file.save", "file.save_as", "help.tour"];
    for command in offered().filter(|c| !apart.contains(&c.name) && commands(c)) {
        row_of_hips(window).click();
        window.run_steps(2);
        by_palette(window, command);
        settle(window);
        // More rows would push the other rows out of view.
        if matches!(command.name, "node.add" | "node.duplicate") {
            press(window, Modifiers::COMMAND | Modifiers::CTRL, Key::Z);
            settle(window);
        }
        // Running the command a second time restores the other panels.
        if matches!(command.name, "view.maximize_panel" | "view.float_panel") {
            by_palette(window, command);
            settle(window);
        }
        if command.name == "view.outliner"
            || command.name == "view.reset_layout"
            || command.name == "view.hide"
        {
            by_palette(
                window,
                ulna_edit::find(match command.name {
                    "view.hide" => "view.show_all",
                    "view.outliner" => "view.outliner",
                    _ => "view.joints",
                })
                .expect("a command"),
            );
            settle(window);
        }
        assert!(window.state().session().is_some(), "{} lost the file", command.name);
        done += 1;
    }
    done
}

fn of_the_view(command: &CommandSpec) -> bool {
    command.menu.split('/').next() == Some("View")
}

#[test]
fn every_command_works_opens_a_form_or_states_a_reason_with_a_file() {
    let (mut window, _folder) = sample(builder().with_size([1100.0, 640.0]));
    let done = with_hips(&mut window, |c| !of_the_view(c));
    assert!(done >= 200, "{done}");
}

#[test]
fn every_view_command_draws_a_frame() {
    let (mut window, _folder) = sample(builder().with_size([1100.0, 640.0]).wgpu());
    let done = with_hips(&mut window, of_the_view);
    assert!(done >= 40, "{done}");
}

#[test]
fn a_key_of_an_unavailable_command_shows_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bare.gltf");
    std::fs::write(
        &path,
        r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"A"}]}"#,
    )
    .expect("a file");
    let mut window = start(Some(&path), [1280.0, 800.0]);
    assert!(window.state().session().is_some());
    for (modifiers, key, wanted) in [
        (Modifiers::NONE, Key::Num3, "Paint mode: The file has no vertex weights."),
        (Modifiers::COMMAND, Key::Z, "Undo: There is nothing to undo."),
    ] {
        assert!(window.query_by_label(wanted).is_none());
        press(&mut window, modifiers, key);
        assert!(window.query_by_label(wanted).is_some(), "{wanted}");
    }
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(
        window.query_all_by_label_contains(": Nothing is selected").count(),
        0,
        "Escape is quiet"
    );
}

#[test]
fn the_interface_scale_is_limited_and_reset_by_one_key() {
    let mut window = empty();
    for (key, least, most) in [(Key::Minus, 0.8, 0.9), (Key::Equals, 2.5, 3.05)] {
        for _ in 0..20 {
            press(&mut window, Modifiers::COMMAND, key);
        }
        let scale = window.ctx.zoom_factor();
        assert!((least..most).contains(&scale), "{scale}");
        press(&mut window, Modifiers::COMMAND, Key::Num0);
        assert_eq!(window.ctx.zoom_factor(), 1.0);
    }
}

#[test]
fn every_command_is_in_its_menu() {
    let mut window = empty();
    let mut found = 0;
    for menu in ["File", "Edit", "View", "Pose", "Clip", "Weights", "Rig", "Help"] {
        let all: Vec<&CommandSpec> =
            offered().filter(|c| c.menu.split('/').next() == Some(menu)).collect();
        let of = |group: &str| -> Vec<String> {
            let fits = |c: &&&CommandSpec| match c.menu.split_once('/') {
                Some((_, inner)) => inner == group,
                None => group.is_empty(),
            };
            let title = |c: &&CommandSpec| c.menu_title().into_owned();
            all.iter().filter(fits).map(title).collect()
        };
        let mut groups: Vec<&str> =
            all.iter().filter_map(|c| c.menu.split_once('/').map(|(_, g)| g)).collect();
        groups.push("");
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            let titles = of(group);
            if titles.is_empty() {
                continue;
            }
            open(&mut window, &[menu, group], &titles);
            for title in &titles {
                assert!(
                    window.query_all_by_label(title).next().is_some(),
                    "{title} in {menu}/{group}"
                );
                found += 1;
            }
            press(&mut window, Modifiers::NONE, Key::Escape);
            press(&mut window, Modifiers::NONE, Key::Escape);
        }
    }
    assert_eq!(found, offered().count(), "a command stands in no menu");
}

/// Opens a menu and a submenu. The first click may only close another menu.
fn open(window: &mut Window, path: &[&str; 2], titles: &[String]) {
    // Some titles are also on buttons, so an open menu adds one more.
    let count = |window: &Window| {
        titles.iter().map(|t| window.query_all_by_label(t).count()).sum::<usize>()
    };
    let before = count(window);
    for _ in 0..3 {
        window.get_by_label(path[0]).click();
        window.run_steps(3);
        if !path[1].is_empty() && window.query_by_label(path[1]).is_some() {
            window.get_by_label(path[1]).click();
            window.run_steps(3);
        }
        if count(window) >= before + titles.len() {
            return;
        }
    }
    panic!("{path:?} does not open");
}

/// Returns the widgets that can be clicked or typed into but have no name, and the number of
/// widgets.
fn unnamed(window: &Window) -> (usize, Vec<String>) {
    let mut bad = Vec::new();
    let mut seen = 0;
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        let role = access.role();
        let control = access.data().supports_action(accesskit::Action::Click)
            || matches!(
                role,
                accesskit::Role::TextInput | accesskit::Role::SpinButton | accesskit::Role::Slider
            );
        if control {
            seen += 1;
            let name = access.label().or_else(|| access.value()).unwrap_or_default();
            // Scroll bars belong to egui, and have no name.
            if name.trim().is_empty()
                && !matches!(
                    role,
                    accesskit::Role::Unknown | accesskit::Role::Window | accesskit::Role::ScrollBar
                )
            {
                bad.push(format!("{role:?} at {:?}", node.rect()));
            }
        }
        stack.extend(node.children());
    }
    (seen, bad)
}

#[test]
fn every_control_has_a_name() {
    let (mut window, _folder) = sample(builder());
    let check = |window: &Window, what: &str, least: usize| {
        let (seen, bad) = unnamed(window);
        assert!(seen >= least, "{what}: only {seen} controls");
        assert!(bad.is_empty(), "{what}: {bad:#?}");
    };
    check(&window, "the panels", 60);
    window.get_by_label("LeftUpperArm").click();
    window.run_steps(2);
    check(&window, "a selected joint", 70);
    for (command, least) in
        [("edit.find", 10), ("file.preferences", 8), ("edit.history", 1), ("file.open", 3)]
    {
        by_palette(&mut window, ulna_edit::find(command).expect("a command"));
        check(&window, command, least);
        settle(&mut window);
    }
    by_palette(&mut window, ulna_edit::find("file.welcome").expect("a command"));
    check(&window, "the welcome page", 6);
    // Widgets of a narrow window, and of a window at double scale, must have names, too.
    let (narrow, _folder) = sample(builder().with_size([900.0, 700.0]));
    check(&narrow, "a narrow window", 30);
}
