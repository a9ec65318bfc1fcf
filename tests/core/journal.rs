//! The recovery journal: a session is killed at random times, or stopped between any two disk
//! operations. It must be recovered completely.
//!
//! The child processes run this test binary with a folder in `ULNA_KILLED`. `ULNA_KILLS` sets the
//! number of kills; the default is ten. `ULNA_KILL_FILE` and `ULNA_NAMES` (five of its joints)
//! select another file.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs::{self, Permissions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, EditorState};
use ulna_session::{Consent, Disk, Recovery, SaveRequest, Session, SystemDisk, differences};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Pseudorandom numbers. The same seed gives the same sequence.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// One step of the sequence that a seed defines: a command, undo or redo.
enum Act {
    Run(Box<CommandLine>),
    Undo,
    Redo,
}

/// Returns the names of joints that the steps change.
fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let text = std::env::var("ULNA_NAMES")
            .unwrap_or_else(|_| "Head,LeftUpperArm,Spine,RightHand,Hips".into());
        text.split(',').map(ToOwned::to_owned).collect()
    })
}

fn act(draw: &mut Draw, k: usize) -> Act {
    let names = names();
    let joint = names[draw.next(5) as usize].as_str();
    let angle = draw.next(1000) as f32 * 0.0371 - 17.0;
    let time = draw.next(97) as f32 * 0.0123;
    let line = |name: &str| CommandLine::new(name).with("node", joint);
    Act::Run(Box::new(match draw.next(12) {
        0..=2 => {
            line("pose.rotate").with("axis", "x").with("degrees", angle).with("space", "world")
        }
        3 => line("pose.move").with("by", vec![angle * 0.001, 0.01, 0.0]),
        4 | 5 => line("key.set")
            .with("clip", "#1")
            .with("time", time)
            .with("degrees", vec![angle, 0.0, 3.0]),
        6 => line("unkeyed.set")
            .with("clip", "#2")
            .with("time", time)
            .with("degrees", vec![0.0, angle, 0.0]),
        7 => CommandLine::new("clip.new").with("name", format!("Clip {k}")),
        8 => CommandLine::new("weights.flood")
            .with("joint", joint)
            .with("value", 0.25)
            .with("how", "add")
            .with("vertices", format!("{}-{}", k * 3, k * 3 + 40)),
        9 => CommandLine::new("joints.pair")
            .with("joint", names[1].as_str())
            .with("with", names[3].as_str()),
        10 => return Act::Undo,
        _ => return Act::Redo,
    }))
}

/// Runs a step. Returns whether it added a line to the journal.
fn carry_out(session: &mut Session, act: &Act) -> bool {
    match act {
        Act::Run(line) => session.run_line(line).unwrap_or(false),
        Act::Undo => session.undo().is_some(),
        Act::Redo => session.redo().is_some(),
    }
}

/// Number of steps between two saves.
const SAVES: usize = 5;

/// Disk operations of a save that abort the process at a given operation.
#[derive(Debug)]
struct Aborting {
    acts: AtomicUsize,
    at: usize,
}

impl Aborting {
    fn act(&self) {
        if self.acts.fetch_add(1, Ordering::Relaxed) == self.at {
            // Aborting is like a kill: nothing is unwound or flushed.
            std::process::abort();
        }
    }
}

impl Disk for Aborting {
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()> {
        if self.acts.load(Ordering::Relaxed) == self.at {
            fs::write(path, &bytes[..bytes.len() / 3])?;
        }
        self.act();
        SystemDisk.write_new(path, bytes, like)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.replace(from, to)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.place(from, to)
    }

    fn keep(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.keep(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.remove(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.make_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.act();
        SystemDisk.sync_folder(path)
    }
}

/// The child process: opens, edits and saves a file, and reports each finished step.
#[test]
fn process_that_edits_and_saves_until_it_is_killed() {
    let Ok(folder) = std::env::var("ULNA_KILLED") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<usize>().ok());
    let folder = PathBuf::from(folder);
    let path = folder.join(std::env::var("ULNA_FILE").unwrap());
    let mut draw = Draw(number("ULNA_SEED").unwrap() as u64 * 7919 + 17);
    let mut told =
        fs::OpenOptions::new().create(true).append(true).open(folder.join("told")).unwrap();
    let disk =
        Aborting { acts: AtomicUsize::new(0), at: number("ULNA_ABORT").unwrap_or(usize::MAX) };
    let mut session = open(&path);
    session.keep_journal(&folder.join("journal"));
    for k in 0.. {
        let done = act(&mut draw, k);
        carry_out(&mut session, &done);
        told.write_all(b"a\n").unwrap();
        // Slows down the steps. Otherwise, nearly all kills would hit saves.
        thread::sleep(Duration::from_millis(2));
        if k % SAVES == SAVES - 1 {
            told.write_all(b"s\n").unwrap();
            let request = SaveRequest { consent: Consent::ALL, ..SaveRequest::to(&path) };
            session.save_with(request, &disk).unwrap();
            told.write_all(b"d\n").unwrap();
            if disk.at != usize::MAX
                && disk.acts.load(Ordering::Relaxed) <= disk.at
                && k > SAVES * 2
            {
                // The save has fewer operations than this, so every boundary was tried.
                told.write_all(b"end\n").unwrap();
                return;
            }
        }
    }
}

fn start(folder: &Path, file: &str, seed: usize, abort: Option<usize>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "core::journal::process_that_edits_and_saves_until_it_is_killed",
        "--nocapture",
        "--test-threads",
        "1",
    ]);
    command.env("ULNA_KILLED", folder).env("ULNA_FILE", file).env("ULNA_SEED", seed.to_string());
    if let Some(abort) = abort {
        command.env("ULNA_ABORT", abort.to_string());
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a child")
}

/// Creates a folder with a file to edit.
fn prepared(gltf: bool) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let glb = folder.path().join("a.glb");
    fs::copy(std::env::var("ULNA_KILL_FILE").unwrap_or_else(|_| SAMPLE.into()), &glb).unwrap();
    if !gltf {
        return (folder, "a.glb".into());
    }
    open(&glb).write_to(&folder.path().join("b.gltf")).unwrap();
    fs::remove_file(glb).unwrap();
    (folder, "b.gltf".into())
}

fn told(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("told")).unwrap_or_default();
    // A kill can leave an incomplete last line, which is ignored.
    text.split_inclusive('\n').filter(|l| l.ends_with('\n')).map(|l| l.trim().to_owned()).collect()
}

/// Returns the expected document of a seed after `acts` steps on the original file.
fn meant(first: &Path, seed: usize, acts: usize) -> Document {
    let mut session = open(first);
    let mut draw = Draw(seed as u64 * 7919 + 17);
    for k in 0..acts {
        let next = act(&mut draw, k);
        carry_out(&mut session, &next);
    }
    session.document().clone()
}

/// Checks the files that a killed child left. The file must open and contain the state of a save.
/// The journal must have all steps.
fn judge(folder: &Path, file: &str, first: &Path, seed: usize, what: &str) {
    let said = told(folder);
    let acts = said.iter().filter(|l| *l == "a").count();
    let saves = said.iter().filter(|l| *l == "d").count();
    let began = said.iter().filter(|l| *l == "s").count();
    // The file is never damaged. It contains the state of the last save, or of the save that was
    // running.
    let now = open(&folder.join(file));
    let states: Vec<usize> = [saves, began].into_iter().map(|n| n * SAVES).collect();
    // Clips without keys cannot be stored. The division of a transform into rest and pose is
    // rounded.
    let holds = |mut meant: Document| {
        meant.aids = EditorState::default();
        let empty: Vec<_> =
            meant.clips.iter().filter(|(_, c)| c.tracks.is_empty()).map(|(id, _)| id).collect();
        empty.into_iter().for_each(|id| drop(meant.file.clips.put(id, None)));
        differences(&meant, now.document()).iter().all(|d| d.message.contains("rest pose is"))
    };
    let whole = states.iter().any(|n| holds(meant(first, seed, *n)));
    let far = || {
        states
            .iter()
            .map(|n| differences(&meant(first, seed, *n), now.document()))
            .collect::<Vec<_>>()
    };
    assert!(whole, "{what}: the file is none of the states that were saved: {:#?}", far());
    // Files of other programs are unchanged, and no temporary files remain.
    assert_eq!(fs::read(folder.join("stranger.bin")).unwrap(), b"a stranger", "{what}");
    // The journal has all steps that the child reported, and possibly the one that it was about to
    // report.
    let mut found = Recovery::scan(&folder.join("journal"));
    if acts == 0 {
        return;
    }
    let both: Vec<Document> = [acts, acts + 1].into_iter().map(|n| meant(first, seed, n)).collect();
    let Some(recovery) = found.pop() else {
        // No journal means that the file must contain everything.
        let same = both.iter().any(|d| d.aids.is_empty() && holds(d.clone()));
        let untouched = both.iter().any(|d| d.file == meant(first, seed, 0).file);
        assert!(same || untouched, "{what}: no journal, and work that is in no file");
        return;
    };
    let recovered = recovery.replay(&Progress::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(recovered.failed.is_empty(), "{what}: {:?}", recovered.failed);
    let got = recovered.session.document();
    assert!(both.iter().any(|d| d == got), "{what}: after {acts} acts another document came back");
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let kills = std::env::var("ULNA_KILLS").ok().and_then(|v| v.parse().ok()).unwrap_or(10);
    let mut during = 0;
    for k in 0..kills {
        let (folder, file) = prepared(k % 2 == 1);
        let kept = tempfile::tempdir().unwrap();
        let first = kept.path().join(&file);
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), kept.path().join(entry.file_name())).unwrap();
        }
        fs::write(folder.path().join("stranger.bin"), b"a stranger").unwrap();
        let mut child = start(folder.path(), &file, k + 1, None);
        let mut draw = Draw(k as u64 * 31 + 5);
        // Half of the kills happen shortly after a save has started.
        let (mark, count) = if k % 4 < 2 {
            ("s", 1 + draw.next(4) as usize)
        } else {
            ("a", 1 + draw.next(23) as usize)
        };
        let until = Instant::now() + Duration::from_secs(60);
        while told(folder.path()).iter().filter(|l| *l == mark).count() < count {
            assert!(Instant::now() < until, "the child does nothing");
            assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
            thread::sleep(Duration::from_micros(200));
        }
        // A step takes a few milliseconds, a save tens of milliseconds.
        thread::sleep(Duration::from_micros(draw.next(if mark == "s" { 12_000 } else { 1500 })));
        child.kill().unwrap();
        child.wait().unwrap();
        let said = told(folder.path());
        during += usize::from(said.last().is_some_and(|l| l == "s"));
        judge(folder.path(), &file, &first, k + 1, &format!("kill {k}"));
    }
    eprintln!("{kills} kills, {during} of them in a save");
}

#[test]
fn a_stop_between_any_two_disk_operations_loses_nothing() {
    let mut stops = 0;
    for gltf in [false, true] {
        for at in 0..200 {
            let (folder, file) = prepared(gltf);
            let kept = tempfile::tempdir().unwrap();
            let first = kept.path().join(&file);
            for entry in fs::read_dir(folder.path()).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), kept.path().join(entry.file_name())).unwrap();
            }
            fs::write(folder.path().join("stranger.bin"), b"a stranger").unwrap();
            start(folder.path(), &file, 3, Some(at)).wait().unwrap();
            judge(folder.path(), &file, &first, 3, &format!("stop at act {at}"));
            if told(folder.path()).last().is_some_and(|l| l == "end") {
                break;
            }
            stops += 1;
            assert!(at < 199, "no end");
        }
    }
    assert!(stops >= 20, "{stops}");
}

#[test]
fn several_windows_have_independent_journals() {
    let (folder, file) = prepared(false);
    let home = folder.path().join("journal");
    let mut first = open(&folder.path().join(&file));
    first.keep_journal(&home);
    let turn =
        CommandLine::new("pose.rotate").with("node", "Head").with("axis", "y").with("degrees", 5);
    first.run_line(&turn).unwrap();
    assert!(Recovery::scan(&home).is_empty(), "what is written is nobody's to recover");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
    let mut second = open(&folder.path().join(&file));
    second.keep_journal(&home);
    second.run_line(&turn).unwrap();
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
    second.end_journal().unwrap();
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
    first.end_journal().unwrap();
    assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
}

#[test]
fn the_journal_contains_unsavable_data_and_documents_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::open_bytes(&fs::read(SAMPLE).unwrap()).unwrap();
    session.keep_journal(folder.path());
    let lines = [
        CommandLine::new("unkeyed.set")
            .with("clip", "Walk")
            .with("time", 0.3)
            .with("node", "Head")
            .with("degrees", vec![0, 9, 0]),
        CommandLine::new("weight_layer.add").with("name", "Arms"),
        CommandLine::new("weights.flood")
            .with("joint", "Head")
            .with("value", 0.5)
            .with("vertices", "0-30"),
        CommandLine::new("joints.pair").with("joint", "LeftHand").with("with", "RightHand"),
        CommandLine::new("pose.rotate")
            .with("node", "Spine*")
            .with("axis", "z")
            .with("degrees", 11.5),
    ];
    for line in &lines {
        assert!(session.run_line(line).unwrap(), "{line}");
    }
    session.undo();
    let meant = session.document().clone();
    // A crash releases the lock of the journal. Here, dropping the session does.
    drop(session);
    let mut found = Recovery::scan(folder.path());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].steps().len(), 4);
    let recovered = found.remove(0).replay(&Progress::default()).unwrap();
    assert!(recovered.failed.is_empty(), "{:?}", recovered.failed);
    assert!(*recovered.session.document() == meant);
    assert!(recovered.session.is_unsaved());
    // The session continues the same journal. After a second crash, everything is recovered again.
    let mut session = recovered.session;
    session.run_line(&lines[4]).unwrap();
    let meant = session.document().clone();
    drop(session);
    let again = Recovery::scan(folder.path()).remove(0).replay(&Progress::default()).unwrap();
    assert!(*again.session.document() == meant);
}

#[test]
fn steps_are_replayed_by_name_if_the_file_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (folder.path().join("journal"), folder.path().join("hero.glb"));
    fs::copy(SAMPLE, &file).unwrap();
    let mut session = open(&file);
    session.keep_journal(&home);
    let lines = [
        CommandLine::new("key.set").with("clip", "Wave").with("time", 0.5).with("node", "Head"),
        CommandLine::new("pose.rotate")
            .with("node", "Head")
            .with("axis", "x")
            .with("degrees", 12.0),
        CommandLine::new("clip.rename").with("clip", "Walk").with("name", "Stroll"),
    ];
    for line in &lines {
        assert!(session.run_line(line).unwrap(), "{line}");
    }
    drop(session);
    // Another program removes a clip from the file.
    let mut other = open(&file);
    assert!(other.run_line(&CommandLine::new("clip.delete").with("clip", "Walk")).unwrap());
    other.save(None).unwrap();
    let now = open(&file);

    let found = Recovery::scan(&home).remove(0);
    let kept = found.steps();
    assert_eq!(
        kept.iter().map(|s| s.about.as_str()).collect::<Vec<_>>(),
        ["Head, Wave", "Head", "Walk, Stroll"]
    );
    let recovered = found.replay(&Progress::default()).unwrap();
    assert!(recovered.changed && recovered.failed.len() == 1, "{:?}", recovered.failed);
    assert!(recovered.failed[0].contains("Walk"), "{:?}", recovered.failed);
    let mut meant = now;
    for line in &lines[..2] {
        meant.run_line(line).unwrap();
    }
    assert!(recovered.session.document() == meant.document());
    assert_eq!(recovered.session.history().done().len(), 2, "each can be undone");
}
