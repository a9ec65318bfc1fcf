//! Measures the CPU time of frames on the window's thread, by action, with a model of a given size.

use std::{fs, time::Duration};

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase, pos2,
    vec2,
};
use egui_kittest::{Harness, kittest::Queryable as _};
use ulna::app::App;
use ulna::ui::Mode;
use ulna_model::NodeId;

use super::large::{Size, joint, model};

type Window = Harness<'static, App>;

/// Times of the frames of an action, in ascending order.
pub struct Act {
    pub name: &'static str,
    pub frames: Vec<Duration>,
}

impl Act {
    fn median(&self) -> Duration {
        self.frames.get(self.frames.len() / 2).copied().unwrap_or_default()
    }

    fn most(&self) -> Duration {
        self.frames.last().copied().unwrap_or_default()
    }
}

/// Returns the CPU time of this thread so far, without waits for other programs.
fn worked() -> Duration {
    // The kernel updates the time when a thread yields.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat")
        .expect("Linux tells what a thread worked");
    Duration::from_nanos(text.split(' ').next().and_then(|n| n.parse().ok()).expect("a number"))
}

/// A window with a model, and the measured times of its actions.
struct Meter {
    window: Window,
    acts: Vec<Act>,
    only: Option<String>,
}

fn button(pressed: bool, pos: Pos2) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

impl Meter {
    fn open(size: Size) -> (Self, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.glb");
        fs::write(&path, model(size)).expect("a file");
        let mut window = Harness::builder()
            .with_size([1600.0, 1000.0])
            .with_max_steps(60)
            .with_pixels_per_point(0.5)
            .build_eframe(move |cc| App::new(cc, Some(path)));
        Self::wait(&mut window);
        (Self { window, acts: Vec::new(), only: std::env::var("ULNA_ACT").ok() }, folder)
    }

    fn wait(window: &mut Window) {
        for _ in 0..6000 {
            window.step();
            if !window.state().is_busy() && window.state().session().is_some() {
                window.run_steps(3);
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the work does not end");
    }

    /// Measures the frames of an action. `before` runs before each frame.
    fn act(
        &mut self,
        name: &'static str,
        count: usize,
        mut before: impl FnMut(&mut Window, usize),
    ) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only)) {
            return;
        }
        let mut frames = Vec::with_capacity(count);
        for k in 0..count {
            before(&mut self.window, k);
            // Each step draws one frame per event.
            let (from, first) = (worked(), self.window.ctx.cumulative_frame_nr());
            self.window.step();
            let count = self.window.ctx.cumulative_frame_nr() - first;
            frames.push((worked() - from) / count.max(1) as u32);
        }
        if std::env::var_os("ULNA_FRAMES").is_some() {
            let ms: Vec<String> =
                frames.iter().map(|f| format!("{:.1}", f.as_secs_f64() * 1e3)).collect();
            eprintln!("{name}: {}", ms.join(" "));
        }
        frames.sort_unstable();
        self.acts.push(Act { name, frames });
    }

    fn click(&mut self, name: &str) {
        self.window.get_by_label(name).click();
        self.window.run_steps(3);
        // The search for problems runs in the background and would use a core, so it is awaited
        // first.
        Self::wait(&mut self.window);
    }

    fn click_row(&mut self, name: &str) {
        self.window.get_by_role_and_label(egui::accesskit::Role::TreeItem, name).click();
        self.window.run_steps(3);
        Self::wait(&mut self.window);
    }

    fn on_screen(&self, node: NodeId) -> Pos2 {
        let rect = self.window.get_by_label("Viewport").rect();
        let at = self.window.state().project(node).expect("in sight");
        rect.min + vec2(at.x, at.y)
    }

    fn handle(&self, name: &str) -> Pos2 {
        self.window.get_by_label(name).rect().center()
    }

    /// Measures a drag as three actions: the press, the motion over several frames, and the
    /// release.
    fn drag(&mut self, names: [&'static str; 3], from: Pos2, by: egui::Vec2, modifiers: Modifiers) {
        self.window.event(Event::PointerMoved(from));
        self.window.event(Event::ModifiersChanged(modifiers));
        self.window.run_steps(2);
        let at = |k: usize| from + by * (k as f32 / 24.0);
        let pressed = move |pressed, pos| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers,
        };
        self.act(names[0], 2, |window, k| {
            window.event(if k == 0 { pressed(true, from) } else { Event::PointerMoved(at(2)) });
        });
        self.act(names[1], 22, |window, k| window.event(Event::PointerMoved(at(k + 3))));
        self.act(names[2], 4, |window, k| {
            if k == 0 {
                window.event(pressed(false, at(24)));
            }
        });
        self.window.event(Event::ModifiersChanged(Modifiers::NONE));
        Self::wait(&mut self.window);
    }

    fn press(&mut self, modifiers: Modifiers, key: Key) {
        self.window.key_press_modifiers(modifiers, key);
        self.window.run_steps(3);
    }

    fn scroll_to_top(&mut self, at: Pos2) {
        for _ in 0..40 {
            wheel(&self.window, at, 4000.0);
            self.window.step();
        }
        self.window.run_steps(20);
    }

    fn clear_pointer(&mut self) {
        let rect = self.window.get_by_label("Viewport").rect();
        self.window.event(Event::PointerMoved(rect.right_bottom() - vec2(60.0, 60.0)));
        self.window.run_steps(3);
    }
}

fn wheel(window: &Window, at: Pos2, delta: f32) {
    window.event(Event::PointerMoved(at));
    let (unit, phase, modifiers) = (MouseWheelUnit::Point, TouchPhase::Move, Modifiers::NONE);
    window.event(Event::MouseWheel {
        unit,
        delta: vec2(0.0, delta),
        phase,
        source: MouseWheelSource::Unknown,
        modifiers,
    });
}

/// Returns the frame times for a model of a given size.
pub fn measured(size: Size) -> Vec<Act> {
    let (mut meter, _folder) = Meter::open(size);
    // The second joint of a limb, whose row is visible.
    let name = joint(3);
    meter.click("Animate mode");
    lists(&mut meter);
    let keys = meter.window.get_by_label("Timeline keys").rect();
    meter.scroll_to_top(keys.center());
    meter.click(&format!("Track {name}"));
    over_a_clip(&mut meter);
    meter.click("Pose mode");
    let row = meter.window.get_by_label("Filter by name or kind").rect().center() + vec2(0.0, 80.0);
    meter.scroll_to_top(row);
    in_pose(&mut meter, &name);
    meter.click("Paint mode");
    in_paint(&mut meter);
    meter.acts
}

/// Measures idle frames, hovering, selecting, filtering and scrolling.
fn lists(meter: &mut Meter) {
    meter.clear_pointer();
    meter.act("still, over a clip", 20, |_, _| {});
    let viewport = meter.window.get_by_label("Viewport").rect();
    meter.act("hover over the picture", 20, |w, k| {
        w.event(Event::PointerMoved(
            viewport.center() + vec2(k as f32 * 9.0 - 90.0, k as f32 * 3.0),
        ));
    });
    let row = meter.window.get_by_label("root").rect().center();
    meter.act("hover over the tree", 20, |w, k| {
        w.event(Event::PointerMoved(row + vec2(0.0, k as f32 * 6.0)))
    });
    meter.act("the tree scrolled", 20, |w, _| wheel(w, row + vec2(0.0, 60.0), -120.0));
    meter.scroll_to_top(row + vec2(0.0, 60.0));
    let keys = meter.window.get_by_label("Timeline keys").rect();
    meter.act("the sheet scrolled", 20, |w, _| wheel(w, keys.center(), -120.0));
    meter.scroll_to_top(keys.center());
    let ruler = pos2(keys.left() + 40.0, keys.top() - 12.0);
    meter.drag(
        ["scrubbing begins", "scrubbing", "scrubbing ends"],
        ruler,
        vec2(300.0, 0.0),
        Modifiers::NONE,
    );
    meter.press(Modifiers::NONE, Key::Space);
    meter.act("playing", 30, |_, _| {});
    meter.press(Modifiers::NONE, Key::Space);
    meter.clear_pointer();
    meter.act("all joints selected", 2, |w, k| {
        if k == 0 {
            w.key_press_modifiers(Modifiers::COMMAND, Key::A);
        }
    });
    meter.act("still, all joints selected", 10, |_, _| {});
    meter.act("hover over the picture, all selected", 10, |w, k| {
        w.event(Event::PointerMoved(
            viewport.center() + vec2(k as f32 * 9.0 - 90.0, k as f32 * 3.0),
        ));
    });
    meter.press(Modifiers::NONE, Key::Escape);
    let field = meter.window.get_by_label("Filter by name or kind").rect().center();
    typed(meter, "typing into the filter of the tree", field, "limb 1");
    let field = meter.window.get_by_label("Filter tracks").rect().center();
    typed(meter, "typing into the filter of the sheet", field, "limb 1");
}

fn typed(meter: &mut Meter, name: &'static str, field: Pos2, text: &str) {
    let click = |w: &mut Window| {
        w.event(Event::PointerMoved(field));
        w.step();
        w.event(button(true, field));
        w.step();
        w.event(button(false, field));
        w.run_steps(2);
    };
    click(&mut meter.window);
    let letters: Vec<char> = text.chars().collect();
    meter.act(name, letters.len(), |w, k| w.event(Event::Text(letters[k].to_string())));
    for _ in 0..letters.len() {
        meter.window.key_press(Key::Backspace);
        meter.window.step();
    }
    meter.press(Modifiers::NONE, Key::Escape);
}

/// Measures posing over a clip with layers: an unkeyed pose, keys on both sides, and a pose layer.
/// Also measures box selection of keys.
fn over_a_clip(meter: &mut Meter) {
    meter.act("still, a joint selected", 10, |_, _| {});
    meter.click("Rotate");
    meter.clear_pointer();
    let ring = "Handle: Rotate about Z";
    let at = meter.handle(ring);
    meter.drag(
        ["a ring taken", "a ring dragged", "a ring let go"],
        at,
        vec2(20.0, 40.0),
        Modifiers::NONE,
    );
    meter.press(Modifiers::COMMAND, Key::Z);
    meter.click("Pose both sides alike");
    meter.click("Auto-key");
    meter.clear_pointer();
    let at = meter.handle(ring);
    let names = [
        "a ring taken, both sides, keyed",
        "a ring dragged, both sides, keyed",
        "a ring let go, both sides, keyed",
    ];
    meter.drag(names, at, vec2(20.0, 40.0), Modifiers::NONE);
    meter.act("undo", 3, |w, k| {
        if k == 0 {
            w.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        }
    });
    Meter::wait(&mut meter.window);
    meter.click("Pose both sides alike");
    meter.click("Auto-key");
    meter.click("Edit: Layer");
    meter.clear_pointer();
    let at = meter.handle(ring);
    meter.drag(
        ["a ring taken, layer", "a ring dragged, layer", "a ring let go, layer"],
        at,
        vec2(20.0, 40.0),
        Modifiers::NONE,
    );
    meter.press(Modifiers::COMMAND, Key::Z);
    meter.click("Edit: Layer");
    let keys = meter.window.get_by_label("Timeline keys").rect();
    let from = keys.left_top() + vec2(4.0, 30.0);
    let names = ["a box of keys begins", "a box of keys drawn", "all keys boxed"];
    meter.drag(names, from, keys.right_bottom() - vec2(6.0, 6.0) - from, Modifiers::NONE);
    meter.act("still, keys selected", 10, |_, _| {});
}

/// Measures the same posing actions on the file's own pose.
fn in_pose(meter: &mut Meter, name: &str) {
    meter.click_row(name);
    meter.clear_pointer();
    meter.act("still, Pose mode", 10, |_, _| {});
    let ring = "Handle: Rotate about Z";
    let at = meter.handle(ring);
    let names =
        ["a ring taken, Pose mode", "a ring dragged, Pose mode", "a ring let go, Pose mode"];
    meter.drag(names, at, vec2(20.0, 40.0), Modifiers::NONE);
    meter.press(Modifiers::COMMAND, Key::A);
    meter.clear_pointer();
    let at = meter.handle(ring);
    let names =
        ["a ring taken, all joints", "a ring dragged, all joints", "a ring let go, all joints"];
    meter.drag(names, at, vec2(20.0, 40.0), Modifiers::NONE);
    meter.press(Modifiers::COMMAND, Key::Z);
    let node = NodeId(3);
    let at = meter.on_screen(node);
    meter.act("a click on the skin", 4, |w, k| match k {
        0 => w.event(Event::PointerMoved(at)),
        1 => w.event(button(true, at)),
        2 => w.event(button(false, at)),
        _ => {}
    });
    meter.press(Modifiers::NONE, Key::Escape);
    meter.click_row(name);
}

/// Measures hovering and strokes of the brush, and commands on selected joints.
fn in_paint(meter: &mut Meter) {
    assert!(meter.window.state().mode() == Mode::Paint, "painting");
    meter.window.run_steps(10);
    Meter::wait(&mut meter.window);
    meter.clear_pointer();
    meter.act("still, Paint mode", 10, |_, _| {});
    let at = meter.on_screen(NodeId(3));
    meter.act("hover of the brush", 20, |w, k| {
        w.event(Event::PointerMoved(at + vec2(k as f32 * 3.0 - 30.0, 0.0)))
    });
    meter.drag(
        ["a stroke begins", "a stroke", "a stroke ends"],
        at,
        vec2(24.0, 30.0),
        Modifiers::NONE,
    );
    meter.drag(
        ["a smoothing stroke begins", "a smoothing stroke", "a smoothing stroke ends"],
        at,
        vec2(24.0, 30.0),
        Modifiers::SHIFT,
    );
    meter.act("undo of a stroke", 3, |w, k| {
        if k == 0 {
            w.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        }
    });
}

/// Prints a table of the times on the small and on the large model, in milliseconds.
pub fn print(small: &[Act], large: &[Act]) {
    println!("{:44} {:>16} {:>22}", "", "small, median", "large, median (most)");
    for (a, b) in small.iter().zip(large) {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:44} {:>13.2} ms {:>8.2} ms ({:.2})",
            a.name,
            ms(a.median()),
            ms(b.median()),
            ms(b.most())
        );
    }
}
