//! Presses the keys of the hundred actions of `docs/keys.md` in the Blender map, the Maya map and
//! Ulna's own map. The keys are read from the table in that file. Start states and expected effects
//! are in `key_acts`.

use std::{collections::BTreeSet, path::PathBuf};

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase, vec2,
};
use egui_kittest::kittest::Queryable as _;
use ulna::ui::{Mode, ViewOptions};
use ulna_edit::{CommandLine, Preset, command::ToolCommand};
use ulna_model::{Document, KeySet, NodeId, Property};
use ulna_render::Camera;
use ulna_weights::Brush;

use super::{
    editing::{Window, click, click_at, node, press, sample, session, wait},
    key_acts::{ACTS, Act},
};
use crate::common::paint::painting_drawn;

const PAGE: &str = include_str!("../../docs/keys.md");

/// Key map for each of the last three columns of the table in `docs/keys.md`.
const MAPS: [Preset; 3] = [Preset::Blender, Preset::Maya, Preset::Ulna];

/// One row of the table in `docs/keys.md`.
struct Row {
    act: &'static str,
    /// Keys in Blender and in Maya; `—` if there are none.
    programs: [&'static str; 2],
    /// Keys of the action in each of Ulna's maps: `same` if they equal those of the other program,
    /// other keys, or `—` and a reason.
    ulna: [&'static str; 3],
}

impl Row {
    /// Returns the keys to press in a map; `None` if the table has a reason instead.
    fn keys(&self, map: usize) -> Option<&'static str> {
        match self.ulna[map] {
            "same" => Some(self.programs[map]),
            keys if keys.starts_with('`') => Some(keys),
            _ => None,
        }
    }
}

fn rows() -> Vec<Row> {
    let numbered = |line: &&str| {
        let number = line.trim_start_matches("| ").split(' ').next().unwrap_or_default();
        line.starts_with("| ") && number.parse::<usize>().is_ok()
    };
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, act, blender, in_blender, maya, in_maya, own] = cells[..] else {
            panic!("seven cells: {line}");
        };
        Row { act, programs: [blender, maya], ulna: [in_blender, in_maya, own] }
    };
    PAGE.lines().filter(numbered).map(row).collect()
}

/// State of the window in which an action starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum On {
    /// Pose mode: the left forearm is selected, and the pointer is beside the model.
    Pose,
    /// Same state as `Pose`, after the forearm was rotated.
    Posed,
    /// Same state as `Posed`, after the rotation was undone.
    Undone,
    /// Same state as `Posed`, after the pose was copied and reset.
    CopiedPose,
    /// Same state as `Pose`, after the forearm was framed.
    Framed,
    /// Same state as `Pose`, with surfaces drawn without materials.
    Solid,
    /// Same state as `Pose`, after the forearm was hidden.
    Hidden,
    /// Same state as `Pose`, with the select tool.
    Tool,
    /// Same state as `Pose`, with the pointer on the forearm.
    Joint,
    /// Same state as `Pose`, with the pointer on the other forearm.
    OtherJoint,
    /// Pose mode: the forearm is selected, and the action draws a box around the feet.
    Area,
    /// Same state as `Area`, with all joints selected.
    AreaOfAll,
    /// The pointer is on the outliner row of the head, and the forearm is selected.
    Row,
    /// The pointer is on the handle of a tool: the tool, and the name of the handle.
    Handle(&'static str, &'static str),
    /// Same state as `Pose`, with a joint selected that has siblings.
    Sibling,
    /// *Walk* at a frame: the left forearm is selected, and the pointer is over the viewport.
    Clip,
    /// Same state as `Clip`, at the first frame, which has keys.
    AtKey,
    /// Same state as `Clip`, with the pointer on the ruler.
    Ruler,
    /// All keys are selected, and the pointer is on the ruler at the start of the played range.
    Range,
    /// Same state as `Range`, after the range of the keys became the played range.
    Ranged,
    /// The pointer is on a key of the hips in the sheet, and nothing is selected.
    Key,
    /// The first key is selected, and the pointer is on the next one.
    NextKey,
    /// A key was copied, the playhead was moved, and the pointer is in the sheet beside the keys.
    CopiedKeys,
    /// Same state as `Key`, after the key was selected and the pointer was moved beside it.
    BesideKey,
    /// Same state as `Key`, after the key was selected.
    SelectedKey,
    /// The pointer is on an empty part of the sheet.
    Sheet,
    /// Rig mode: the left forearm is selected, and the pointer is over the viewport.
    Rig,
    /// Paint mode: the left upper arm is painted, and the pointer is on it.
    Paint,
}

/// A window in the start state of an action.
struct Stage {
    window: Window,
    _folder: tempfile::TempDir,
    path: PathBuf,
    /// Start and end positions of the pointer's drag.
    at: Pos2,
    to: Pos2,
    /// Text in the clipboard.
    copied: Option<String>,
}

fn run(window: &mut Window, line: &str) {
    let line = CommandLine::parse(line).expect("a line");
    let context = window.ctx.clone();
    window.state_mut().run_command(&context, &line);
    window.run_steps(3);
}

/// Returns the window position of the middle of the bone between two joints.
fn bone(window: &Window, from: &str, to: &str) -> Pos2 {
    let rect = window.get_by_label("Viewport").rect();
    let at = |name: &str| window.state().project(node(window, name)).expect("in sight");
    let middle = (at(from) + at(to)) * 0.5;
    rect.min + vec2(middle.x, middle.y)
}

/// Returns the position of a key of *Walk* in the row of the hips.
fn key_at(window: &Window, k: usize) -> Pos2 {
    let hips = node(window, "Hips");
    let clip = &session(window).document().clips[window.state().playback().clip.expect("a clip")];
    let (_, track) = clip.track(hips, Property::Rotation).expect("a track");
    let part = track.times[k] / clip.length();
    let row = window.get_by_label("Track Hips").rect();
    let sheet = window.get_by_label("Timeline keys").rect();
    egui::pos2(sheet.left() + sheet.width() * ((part + 0.02) / 1.08), row.center().y)
}

impl Stage {
    fn new(preset: Preset, on: On) -> Self {
        if on == On::Paint {
            let (mut window, folder) = painting_drawn("LeftUpperArm");
            window.state_mut().set_key_preset(preset);
            let at = bone(&window, "LeftUpperArm", "LeftLowerArm");
            let path = folder.path().join("model.glb");
            let to = at + vec2(-14.0, 30.0);
            return Self { window, _folder: folder, path, at, to, copied: None }.pointed();
        }
        let (mut window, folder, path) = sample();
        window.state_mut().set_key_preset(preset);
        let free = window.get_by_label("Viewport").rect().center() + vec2(200.0, 80.0);
        let stage =
            |window, at, to| Self { window, _folder: folder, path, at, to, copied: None }.pointed();
        let shows_clip = matches!(
            on,
            On::Clip
                | On::AtKey
                | On::Ruler
                | On::Range
                | On::Ranged
                | On::NextKey
                | On::CopiedKeys
                | On::Key
                | On::BesideKey
                | On::SelectedKey
                | On::Sheet
        );
        click(&mut window, if shows_clip { "Clip Walk" } else { "Pose mode" });
        if on == On::Rig {
            click(&mut window, "Rig mode");
        }
        let selected = if on == On::Sibling { "Spine" } else { "LeftLowerArm" };
        click(&mut window, selected);
        let (at, to) = match on {
            On::Joint => (bone(&window, "LeftLowerArm", "LeftHand"), free),
            On::OtherJoint => (bone(&window, "RightLowerArm", "RightHand"), free),
            On::Area | On::AreaOfAll => {
                let rect = window.get_by_label("Viewport").rect();
                let feet = ["LeftFoot", "RightFoot"].map(|name| {
                    let at = window.state().project(node(&window, name)).expect("in sight");
                    rect.min + vec2(at.x, at.y)
                });
                let area = egui::Rect::from_two_pos(feet[0], feet[1]).expand(60.0);
                (area.left_top(), area.right_bottom())
            }
            On::Row => (window.get_by_label("Head").rect().center(), free),
            On::Ruler => {
                let ruler = window.get_by_label("Playhead").rect();
                let at = |part: f32| ruler.left_center() + vec2(ruler.width() * part, 6.0);
                (at(0.3), at(0.6))
            }
            On::Range | On::Ranged => {
                let at = window.get_by_label("Start of the playback range").rect().center();
                (at, at + vec2(160.0, 0.0))
            }
            On::Key | On::SelectedKey => (key_at(&window, 1), key_at(&window, 1) + vec2(60.0, 0.0)),
            On::NextKey => (key_at(&window, 2), free),
            On::BesideKey | On::Sheet | On::CopiedKeys => {
                let between = key_at(&window, 1) + (key_at(&window, 2) - key_at(&window, 1)) * 0.4;
                (between, key_at(&window, 3) + vec2(4.0, 30.0))
            }
            _ => (free, free + vec2(90.0, 30.0)),
        };
        let mut stage = stage(window, at, to);
        stage.prepare(on);
        stage
    }

    /// Brings the window into the start state of an action.
    fn prepare(&mut self, on: On) {
        let window = &mut self.window;
        match on {
            On::Posed | On::Undone | On::CopiedPose => {
                let line = r#"{"do":"pose.rotate","node":"LeftLowerArm","axis":"x","degrees":30}"#;
                run(window, line);
                if on == On::Undone {
                    run(window, r#"{"do":"edit.undo"}"#);
                }
                if on == On::CopiedPose {
                    self.copy();
                    run(&mut self.window, r#"{"do":"pose.reset_all"}"#);
                }
            }
            On::Framed => {
                run(window, r#"{"do":"view.frame_selected"}"#);
                window.run_steps(30);
            }
            On::Solid => run(window, r#"{"do":"view.solid"}"#),
            On::Hidden => run(window, r#"{"do":"view.hide"}"#),
            On::Tool => run(window, r#"{"do":"tool.select"}"#),
            On::AreaOfAll => run(window, r#"{"do":"select.joints"}"#),
            On::Handle(tool, handle) => {
                run(window, r#"{"do":"tool.select"}"#);
                run(window, r#"{"do":"view.frame_selected"}"#);
                window.run_steps(30);
                run(window, &format!(r#"{{"do":"{tool}"}}"#));
                // In the Blender map, a tool starts at once.
                if window.state().key_map().preset() == Preset::Blender {
                    press(window, Modifiers::NONE, Key::Escape);
                }
                // Waits until the tool no longer accepts an axis or a number.
                window.run_steps(120);
                self.at = self.window.get_by_label(handle).rect().center();
                self.to = self.at + vec2(36.0, 30.0);
            }
            On::Clip => {
                for _ in 0..3 {
                    run(window, r#"{"do":"play.next_frame"}"#);
                }
            }
            On::Range | On::Ranged => {
                run(window, r#"{"do":"keys.all"}"#);
                if on == On::Ranged {
                    run(window, r#"{"do":"play.range_keys"}"#);
                }
            }
            On::SelectedKey | On::BesideKey | On::NextKey | On::CopiedKeys => {
                let key = key_at(window, 1);
                click_at(window, key);
                if on == On::CopiedKeys {
                    self.copy();
                    for _ in 0..3 {
                        run(&mut self.window, r#"{"do":"play.next_frame"}"#);
                    }
                }
            }
            _ => {}
        }
        self.point(self.at);
    }

    /// Copies the selection, and stores it like the system clipboard.
    fn copy(&mut self) {
        self.window.event(Event::Copy);
        self.window.step();
        self.copied = self.clipboard();
        self.window.run_steps(3);
    }

    fn pointed(mut self) -> Self {
        self.point(self.at);
        self
    }

    fn point(&mut self, at: Pos2) {
        self.window.event(Event::PointerMoved(at));
        self.window.run_steps(2);
    }

    /// Moves the pointer to the active joint, if the pointer is over the viewport.
    fn point_at_joint(&mut self) {
        let rect = self.window.get_by_label("Viewport").rect();
        let active = self.window.state().selection().active;
        let spot = active.and_then(|node| self.window.state().project(node));
        if let Some(spot) = spot.filter(|_| rect.contains(self.at)) {
            self.at = rect.min + egui::vec2(spot.x, spot.y);
            self.point(self.at);
        }
    }

    /// Presses the keys in a cell of the table.
    fn press(&mut self, cell: &str) {
        for input in cell.split('`').filter(|part| !part.trim().is_empty()) {
            let mut parts = input.split('>');
            let first = parts.next().unwrap_or_default();
            // The context menu of a joint is opened on the joint itself.
            if first == "RMB" && input.contains('>') {
                self.point_at_joint();
            }
            self.press_one(first);
            for entry in parts {
                self.choose(entry);
            }
        }
        self.window.run_steps(4);
    }

    /// Clicks an entry of the open menu.
    fn choose(&mut self, entry: &str) {
        self.window.run_steps(2);
        // A button with the same name as the entry comes before it in the tree, so the last match
        // is used.
        let entry = self.window.query_all_by_label(entry).last().expect("an entry");
        entry.click();
        self.window.run_steps(4);
    }

    fn press_one(&mut self, input: &str) {
        let (mut modifiers, mut held) = (Modifiers::NONE, None);
        // The last part is the key itself, which can be a plus sign.
        let (before, last) = match input.strip_suffix("++").or(input.strip_suffix('+')) {
            Some(before) => (before, "+"),
            None => input.rsplit_once('+').unwrap_or(("", input)),
        };
        for part in before.split('+').filter(|part| !part.is_empty()) {
            match part {
                "Ctrl" => modifiers |= Modifiers::COMMAND,
                "Shift" => modifiers |= Modifiers::SHIFT,
                "Alt" => modifiers |= Modifiers::ALT,
                key => held = Some(key_of(key)),
            }
        }
        if let Some(key) = held {
            self.key(key, None, modifiers, true);
        }
        let (at, to) = (self.at, self.to);
        match last {
            "Move" => {
                for k in 1..=6 {
                    self.point(at + (to - at) * (k as f32 / 6.0));
                }
                self.at = to;
            }
            "Wheel" => {
                self.window.event(Event::MouseWheel {
                    unit: MouseWheelUnit::Line,
                    delta: vec2(0.0, 2.0),
                    phase: TouchPhase::Move,
                    source: MouseWheelSource::Wheel,
                    modifiers,
                });
                self.window.run_steps(4);
            }
            "LMB" => self.click(PointerButton::Primary, modifiers),
            "RMB" => self.click(PointerButton::Secondary, modifiers),
            "Double-LMB" => {
                let button = |pressed| Event::PointerButton {
                    pos: at,
                    button: PointerButton::Primary,
                    pressed,
                    modifiers,
                };
                // All events are in one frame, because frames in tests are long.
                let events = [true, false, true, false].map(button);
                self.window.input_mut().events.extend(events);
                self.window.run_steps(4);
            }
            "LMB-drag" => self.drag(PointerButton::Primary, modifiers),
            "MMB-drag" => self.drag(PointerButton::Middle, modifiers),
            "RMB-drag" => self.drag(PointerButton::Secondary, modifiers),
            key => self.type_key(key, modifiers),
        }
        if let Some(key) = held {
            self.key(key, None, modifiers, false);
        }
        self.window.run_steps(2);
    }

    /// Types a key like a keyboard: with its text, and with copy and paste as separate events.
    fn type_key(&mut self, name: &str, modifiers: Modifiers) {
        if modifiers == Modifiers::COMMAND && name == "C" {
            self.copy();
        } else if modifiers == Modifiers::COMMAND && name == "V" {
            let text = self.copied.clone().expect("something was copied");
            self.window.event(Event::Paste(text));
        } else {
            let text = (name.len() == 1 && !modifiers.command && !modifiers.alt)
                .then(|| name.to_lowercase());
            let key = key_of(name);
            self.key(key, text, modifiers, true);
            self.key(key, None, modifiers, false);
        }
        self.window.run_steps(3);
    }

    fn key(&mut self, key: Key, text: Option<String>, modifiers: Modifiers, pressed: bool) {
        self.hold(modifiers);
        self.window.event(Event::Key {
            key,
            physical_key: Some(key),
            pressed,
            repeat: false,
            modifiers,
        });
        if let Some(text) = text {
            self.window.event(Event::Text(text));
        }
        self.window.step();
        self.hold(Modifiers::NONE);
    }

    /// Holds or releases Ctrl, Shift and Alt.
    fn hold(&self, modifiers: Modifiers) {
        self.window.event(Event::ModifiersChanged(modifiers));
    }

    /// Returns the text that the window last copied to the clipboard.
    fn clipboard(&self) -> Option<String> {
        let copied = session(&self.window).copied_keys().map(ToOwned::to_owned);
        let of = |command: &egui::OutputCommand| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        };
        let output = &self.window.output().platform_output;
        output.commands.iter().rev().find_map(of).or(copied)
    }

    fn button(&mut self, button: PointerButton, pressed: bool, pos: Pos2, modifiers: Modifiers) {
        self.window.event(Event::PointerButton { pos, button, pressed, modifiers });
        self.window.step();
    }

    fn click(&mut self, button: PointerButton, modifiers: Modifiers) {
        let at = self.at;
        self.hold(modifiers);
        self.button(button, true, at, modifiers);
        self.button(button, false, at, modifiers);
        self.hold(Modifiers::NONE);
    }

    fn drag(&mut self, button: PointerButton, modifiers: Modifiers) {
        let (from, to) = (self.at, self.to);
        self.hold(modifiers);
        self.button(button, true, from, modifiers);
        for k in 1..=8 {
            self.window.event(Event::PointerMoved(from + (to - from) * (k as f32 / 8.0)));
            self.window.step();
        }
        self.window.step();
        self.button(button, false, to, modifiers);
        self.window.step();
        self.hold(Modifiers::NONE);
        self.window.run_steps(2);
        self.at = to;
    }
}

/// Returns the key with this name in `docs/keys.md`.
fn key_of(name: &str) -> Key {
    let name = name.strip_prefix("Numpad").filter(|rest| !rest.is_empty()).unwrap_or(name);
    match name {
        "." => Key::Period,
        "," => Key::Comma,
        "+" => Key::Plus,
        "[" => Key::OpenBracket,
        "]" => Key::CloseBracket,
        "Left" => Key::ArrowLeft,
        "Right" => Key::ArrowRight,
        "Up" => Key::ArrowUp,
        "Down" => Key::ArrowDown,
        name => Key::from_name(name).unwrap_or_else(|| panic!("a key {name}")),
    }
}

/// State of a window before or after an action.
pub(super) struct Seen {
    pub document: Document,
    pub steps: usize,
    pub nodes: BTreeSet<NodeId>,
    pub active: Option<NodeId>,
    pub keys: KeySet,
    pub camera: Camera,
    pub time: f64,
    pub playing: bool,
    pub range: Option<(f64, f64)>,
    pub mode: Mode,
    pub tool: ToolCommand,
    pub options: ViewOptions,
    pub brush: Brush,
    /// Nodes that the user has hidden.
    pub hidden: BTreeSet<NodeId>,
    /// Whether one panel covers the others.
    pub maximized: bool,
    pub popup: bool,
    pub typing: bool,
    pub copied: bool,
    /// Whether a form or a dialog is open.
    pub asks: bool,
    /// Whether a plan of skeleton changes is shown.
    pub plans: bool,
    /// Pivot that the toolbar shows.
    pub pivot: String,
    /// Label of the last step.
    pub label: String,
    pub fps: f64,
    pub file: Vec<u8>,
}

impl Seen {
    fn of(stage: &Stage) -> Self {
        let (window, app) = (&stage.window, stage.window.state());
        let session = app.session().expect("a file");
        let document = session.document().clone();
        let playback = app.playback();
        let hidden = document.node_ids().filter(|n| app.hides(*n)).collect();
        let pivots = ["Individual origins", "Custom pivot"];
        let pivot = pivots.into_iter().find(|name| {
            window.query_all_by_label_contains(name).next().is_some()
                || window.query_all_by_value(name).next().is_some()
        });
        Self {
            steps: session.history().done().len(),
            nodes: app.selection().nodes.clone(),
            active: app.selection().active,
            keys: app.selected_keys().clone(),
            camera: *app.camera(),
            time: playback.time,
            playing: playback.playing,
            range: playback.range,
            mode: app.mode(),
            tool: app.tool(),
            options: app.options(),
            brush: *app.brush(),
            hidden,
            maximized: window.query_by_label("Outliner panel").is_none(),
            popup: egui::Popup::is_any_open(&window.ctx),
            typing: window.ctx.egui_wants_keyboard_input(),
            copied: stage.copied.is_some(),
            asks: window.query_all_by_label("Cancel").next().is_some(),
            plans: window.query_all_by_label_contains("What will change").next().is_some(),
            pivot: pivot.unwrap_or_default().to_owned(),
            label: session.history().undo_label().unwrap_or_default().to_owned(),
            fps: playback.fps,
            file: std::fs::read(&stage.path).expect("the file"),
            document,
        }
    }

    pub fn named(&self, name: &str) -> NodeId {
        self.document
            .node_ids()
            .find(|n| self.document.node(*n).name.as_deref() == Some(name))
            .expect("a node")
    }

    pub fn key_count(&self) -> usize {
        self.document.clips.values().map(|clip| clip.key_count()).sum()
    }

    pub fn keys_of(&self, property: Property) -> usize {
        let tracks = self.document.clips.values().flat_map(|clip| clip.tracks.values());
        tracks.filter(|track| track.property == property).map(|track| track.times.len()).sum()
    }

    pub fn nodes_there(&self) -> usize {
        self.document.node_ids().count()
    }

    pub fn markers(&self) -> usize {
        self.document.clips.values().map(|clip| clip.markers.len()).sum()
    }

    /// Returns the local transform of the left forearm.
    pub fn arm(&self) -> ulna_model::Transform {
        self.document.node(self.named("LeftLowerArm")).local().transform()
    }
}

/// Presses the keys of one action in a map. The error describes what went wrong.
fn try_act(act: &Act, keys: &str, preset: Preset) -> Result<(), String> {
    let mut stage = Stage::new(preset, act.on);
    // The state is read after the preparation, so that the preparation is not counted as an effect.
    let before = Seen::of(&stage);
    stage.press(keys);
    if act.saves {
        wait(&mut stage.window);
    }
    stage.window.run_steps(30);
    let after = Seen::of(&stage);
    if (act.works)(&before, &after) { Ok(()) } else { Err(format!("{keys} did nothing of it")) }
}

/// Presses the keys of every `parts`-th action in a map, starting with the action at index `part`.
/// Returns the failures.
fn failures(map: usize, part: usize, parts: usize) -> Vec<String> {
    let preset = MAPS[map];
    let wanted = |k: &usize| k % parts == part;
    let one = |(k, row): (usize, Row)| {
        let keys = row.keys(map).filter(|_| wanted(&k))?;
        let act = ACTS.iter().find(|a| a.name == row.act)?;
        let tried = std::panic::catch_unwind(|| try_act(act, keys, preset));
        let error = match tried {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => error,
            Err(_) => format!("{keys} panicked"),
        };
        Some(format!("{preset:?} {}. {}: {error}", k + 1, row.act))
    };
    rows().into_iter().enumerate().filter_map(one).collect()
}

#[test]
fn the_keys_page_lists_a_hundred_actions_each_with_keys_or_a_reason() {
    let rows = rows();
    assert_eq!(rows.len(), 100);
    let names: Vec<&str> = rows.iter().map(|row| row.act).collect();
    assert_eq!(names, ACTS.map(|act| act.name), "the acts of the page, in its order");
    for row in &rows {
        for (map, cell) in row.ulna.iter().enumerate() {
            let is_reason = cell.strip_prefix("— ").is_some_and(|reason| reason.len() > 10);
            assert!(row.keys(map).is_some() || is_reason, "{}: {cell}", row.act);
            assert!(*cell != "same" || row.programs[map].starts_with('`'), "{}", row.act);
        }
    }
    for (map, program) in ["Blender", "Maya"].into_iter().enumerate() {
        let own = rows.iter().filter(|row| row.ulna[map] == "same").count();
        assert!(own >= 85, "{program}: {own} by its own keys");
    }
}

/// Number of tests that share the actions of one map, so that they run in parallel.
const PARTS: usize = 2;

macro_rules! acts_of_maps {
    ($($name:ident: $map:expr, $part:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let failures = failures($map, $part, PARTS);
                assert!(failures.is_empty(), "{}", failures.join("\n"));
            }
        )*
    };
}

acts_of_maps! {
    the_acts_of_blenders_map_work_first_half: 0, 0;
    the_acts_of_blenders_map_work_second_half: 0, 1;
    the_acts_of_mayas_map_work_first_half: 1, 0;
    the_acts_of_mayas_map_work_second_half: 1, 1;
    the_acts_of_ulnas_map_work_first_half: 2, 0;
    the_acts_of_ulnas_map_work_second_half: 2, 1;
}
