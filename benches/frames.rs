//! Cost of a frame in the real window: CPU time of the process over all threads, and the time until
//! a file is displayed.
//!
//! `cargo bench --features inspection --bench frames -- OLD NEW MODELS` runs two programs
//! alternately, and drives them like a user. Both must be built with `--features inspection`. The
//! display must have at least 1600 × 1000 pixels. `MODELS` is a folder with `Knight.glb` and
//! `human-sintel.glb`.
//!
//! Targets on a device without a GPU, relative to the first measurement: playing, orbiting, a ring
//! drag and a stroke take at most a quarter. Hovering takes at most a fifth, and the start at most
//! 0.45. No frames are drawn while idle. The benchmark reads `/proc`, so it runs only on Linux.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_inspection::protocol::{Request, Response, read_handshake, read_message, write_message};

/// Number of measurements per program and action.
const TIMES: usize = 3;

/// A running window.
struct Window {
    child: Child,
    stream: TcpStream,
    log: PathBuf,
    _home: tempfile::TempDir,
}

impl Window {
    fn start(program: &Path, file: &Path, port: u16) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let log = home.path().join("log");
        let address = format!("127.0.0.1:{port}");
        let child = Command::new(program)
            .arg(file)
            .env("EGUI_INSPECTION", &address)
            .env("RUST_LOG", "ulna=trace")
            .env("XDG_DATA_HOME", home.path())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log)?)
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let deadline = Instant::now() + Duration::from_secs(60);
        let stream = loop {
            match TcpStream::connect(&address) {
                Ok(stream) => break stream,
                Err(error) if Instant::now() > deadline => bail!("no window answers: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        read_handshake(&stream)?;
        Ok(Self { child, stream, log, _home: home })
    }

    fn ask(&self, request: &Request) -> anyhow::Result<Response> {
        write_message(&self.stream, request)?;
        Ok(read_message(&self.stream)?)
    }

    fn events(&self, events: Vec<Event>) -> anyhow::Result<()> {
        self.ask(&Request::ApplyEvents { events }).map(drop)
    }

    fn shows(&self, text: &str) -> anyhow::Result<bool> {
        let Response::Tree { accesskit: Some(tree), .. } = self.ask(&Request::GetTree)? else {
            return Ok(false);
        };
        Ok(tree.nodes.iter().any(|(_, n)| n.label() == Some(text) || n.value() == Some(text)))
    }

    fn wait_for(&self, text: &str) -> anyhow::Result<()> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.shows(text)? {
            if Instant::now() > deadline {
                bail!("“{text}” is not shown");
            }
        }
        Ok(())
    }

    fn key(&self, key: Key) -> anyhow::Result<()> {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.events(vec![event(true), event(false)])
    }

    fn button(
        &self,
        pos: Pos2,
        pressed: bool,
        button: PointerButton,
        modifiers: Modifiers,
    ) -> anyhow::Result<()> {
        self.events(vec![
            Event::PointerMoved(pos),
            Event::PointerButton { pos, button, pressed, modifiers },
        ])
    }

    fn click(&self, pos: Pos2) -> anyhow::Result<()> {
        self.button(pos, true, PointerButton::Primary, Modifiers::NONE)?;
        self.button(pos, false, PointerButton::Primary, Modifiers::NONE)
    }

    /// Moves the pointer along a path, one event per frame, but not faster than a mouse reports.
    fn glide(&self, path: impl Iterator<Item = Pos2>) -> anyhow::Result<()> {
        for at in path {
            let began = Instant::now();
            self.events(vec![Event::PointerMoved(at)])?;
            std::thread::sleep(Duration::from_millis(16).saturating_sub(began.elapsed()));
        }
        Ok(())
    }

    /// Returns the number of frames drawn so far.
    fn frames(&self) -> anyhow::Result<usize> {
        Ok(fs::read_to_string(&self.log)?.matches("frame, asked for").count())
    }

    /// Returns the CPU time of the process and its threads so far, in milliseconds.
    fn cpu(&self) -> anyhow::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The second field is in parentheses, and may contain spaces.
        let rest = stat.rsplit_once(')').context("a process")?.1;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        // In `/proc`, a tick is always a hundredth of a second.
        Ok(ticks * 10.0)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A measured action of the user.
struct Act {
    name: &'static str,
    file: &'static str,
    /// Function that prepares the window before the measurement.
    before: fn(&Window) -> anyhow::Result<()>,
    what: fn(&Window) -> anyhow::Result<()>,
}

fn rest(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

fn circle(center: Pos2, radius: f32, steps: usize) -> impl Iterator<Item = Pos2> {
    (0..steps).map(move |k| {
        let angle = k as f32 * 0.05;
        center + egui::vec2(angle.cos(), angle.sin()) * radius
    })
}

const ACTS: [Act; 6] = [
    Act {
        name: "playing",
        file: "Knight.glb",
        before: |w| w.key(Key::Space).map(|()| rest(2.0)),
        what: |_| {
            rest(5.0);
            Ok(())
        },
    },
    Act {
        name: "a hover over the outliner",
        file: "Knight.glb",
        before: |_| Ok(()),
        what: |w| w.glide((0..60).map(|k| pos2(60.0 + (k % 10) as f32, 150.0 + k as f32 * 4.0))),
    },
    Act {
        name: "orbiting",
        file: "human-sintel.glb",
        before: |w| {
            w.button(pos2(900.0, 500.0), true, PointerButton::Middle, Modifiers::ALT)?;
            w.glide((0..24).map(|k| pos2(900.0 + k as f32, 500.0)))
        },
        what: |w| w.glide(circle(pos2(900.0, 500.0), 80.0, 60)),
    },
    Act {
        name: "a ring drag",
        file: "human-sintel.glb",
        before: |w| {
            w.click(pos2(745.0, 300.0))?;
            rest(0.8);
            let ring = circle(pos2(755.0, 307.0), 92.0, 24);
            w.events(vec![Event::PointerMoved(pos2(847.0, 307.0))])?;
            w.button(pos2(847.0, 307.0), true, PointerButton::Primary, Modifiers::NONE)?;
            w.glide(ring)
        },
        what: |w| w.glide(circle(pos2(755.0, 307.0), 92.0, 60)),
    },
    Act {
        name: "a stroke",
        file: "human-sintel.glb",
        before: |w| {
            w.click(pos2(745.0, 300.0))?;
            w.click(pos2(1564.0, 16.0))?;
            rest(2.0);
            w.button(pos2(745.0, 330.0), true, PointerButton::Primary, Modifiers::NONE)?;
            w.glide((0..24).map(|k| pos2(745.0 + k as f32, 330.0)))
        },
        what: |w| {
            w.glide((0..60).map(|k| pos2(740.0 + (k % 20) as f32 * 3.0, 330.0 + k as f32 * 2.0)))
        },
    },
    Act {
        name: "standing still",
        file: "Knight.glb",
        before: |_| {
            rest(8.0);
            Ok(())
        },
        what: |_| {
            rest(4.0);
            Ok(())
        },
    },
];

/// Measures the CPU time per frame in milliseconds, and the frames per second.
fn measure(program: &Path, models: &Path, act: &Act, port: u16) -> anyhow::Result<(f64, f64)> {
    let window = Window::start(program, &models.join(act.file), port)?;
    window.wait_for("Outliner")?;
    rest(2.5);
    (act.before)(&window)?;
    let (frames, cpu, began) = (window.frames()?, window.cpu()?, Instant::now());
    (act.what)(&window)?;
    let seconds = began.elapsed().as_secs_f64();
    let frames = window.frames()? - frames;
    if frames == 0 {
        return Ok((0.0, 0.0));
    }
    Ok(((window.cpu()? - cpu) / frames as f64, frames as f64 / seconds))
}

/// Measures the seconds from the start until the row of the first joint is shown, and the CPU
/// seconds until then.
fn start(program: &Path, models: &Path, port: u16) -> anyhow::Result<(f64, f64)> {
    let began = Instant::now();
    let window = Window::start(program, &models.join("Knight.glb"), port)?;
    window.wait_for("hips")?;
    let seconds = began.elapsed().as_secs_f64();
    Ok((seconds, window.cpu()? / 1000.0))
}

fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let [old, new, models, wanted @ ..] = &words[..] else {
        println!("frames: OLD NEW MODELS [ACT…] are needed; nothing is measured");
        return Ok(());
    };
    let (programs, models) = ([PathBuf::from(old), PathBuf::from(new)], Path::new(models));
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    let mut port = 21000 + (std::process::id() % 20000) as u16;
    for act in ACTS.iter().filter(|a| chosen(a.name)) {
        let mut seen = [Vec::new(), Vec::new()];
        let mut rates = [Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            for (k, program) in programs.iter().enumerate() {
                port += 1;
                let (cost, rate) = measure(program, models, act, port)?;
                seen[k].push(cost);
                rates[k].push(rate);
            }
        }
        let spread = |v: &[f64]| {
            let (low, high) =
                (v.iter().copied().fold(f64::MAX, f64::min), v.iter().copied().fold(0.0, f64::max));
            format!("{low:.0}–{high:.0}")
        };
        let spreads = [spread(&seen[0]), spread(&seen[1])];
        let [a, b] = seen.map(|mut v| middle(&mut v));
        let [fa, fb] = rates.map(|mut v| middle(&mut v));
        let ratio = if a > 0.0 { b / a } else { 0.0 };
        println!(
            "{}: {a:.0} ({}) → {b:.0} ({}) ms a frame, ratio {ratio:.2}; {fa:.1} → {fb:.1} frames \
                a second",
            act.name, spreads[0], spreads[1]
        );
    }
    if chosen("start") {
        let mut seen = [Vec::new(), Vec::new()];
        let mut costs = [Vec::new(), Vec::new()];
        for _ in 0..2 * TIMES {
            for (k, program) in programs.iter().enumerate() {
                port += 1;
                let (seconds, cost) = start(program, models, port)?;
                seen[k].push(seconds);
                costs[k].push(cost);
            }
        }
        let [a, b] = seen.map(|mut v| middle(&mut v));
        let [ca, cb] = costs.map(|mut v| middle(&mut v));
        println!(
            "start: {a:.2} → {b:.2} s to the first joint's row, ratio {:.2}; CPU {ca:.2} → \
            {cb:.2} s",
            b / a
        );
    }
    Ok(())
}
