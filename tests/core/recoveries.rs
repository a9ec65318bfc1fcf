//! Recovery after a session that was not closed: a journal must offer exactly the steps that are in
//! no file.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_session::{Consent, Recovery, SaveRequest, Saving, Session, SystemDisk};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

/// Opens a file in its own folder, with a journal.
fn sitting() -> (tempfile::TempDir, PathBuf, Session) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    fs::copy(SAMPLE, &path).unwrap();
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    session.keep_journal(&folder.path().join("journal"));
    (folder, path, session)
}

fn request(path: &Path) -> SaveRequest {
    SaveRequest { consent: Consent::ALL, backup: false, ..SaveRequest::to(path) }
}

/// Returns the labels of the steps that the next start offers.
fn offered(folder: &Path) -> Vec<String> {
    let found = Recovery::scan(&folder.join("journal"));
    found.iter().flat_map(Recovery::steps).map(|s| s.label).collect()
}

fn run(session: &mut Session, line: CommandLine) {
    assert!(session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}")), "{line}");
}

fn turn(degrees: f32) -> CommandLine {
    CommandLine::new("pose.rotate").with("node", "Head").with("axis", "y").with("degrees", degrees)
}

fn rename(k: usize) -> CommandLine {
    CommandLine::new("clip.rename").with("clip", "#1").with("name", format!("Name {k}"))
}

fn flood(k: usize) -> CommandLine {
    let vertices = format!("{}-{}", k * 5, k * 5 + 30);
    CommandLine::new("weights.flood")
        .with("joint", "Head")
        .with("value", 0.5)
        .with("vertices", vertices)
}

fn unkeyed(time: f32) -> CommandLine {
    let pose = CommandLine::new("unkeyed.set")
        .with("clip", "Walk")
        .with("time", time)
        .with("node", "Head");
    pose.with("degrees", vec![0, 9, 0])
}

#[test]
fn recovery_does_not_offer_layers_stored_in_the_file() {
    let weights = [
        CommandLine::new("weight_layer.add").with("name", "Arms"),
        CommandLine::new("weight_layer.keep"),
        flood(0),
        flood(4),
    ];
    let poses = [
        CommandLine::new("layer.new").with("clip", "Walk").with("name", "Lean"),
        CommandLine::new("layer.keep"),
        rename(1),
        turn(5.0),
    ];
    for lines in [weights, poses] {
        let (folder, path, mut session) = sitting();
        for line in lines {
            run(&mut session, line);
        }
        session.save_with(request(&path), &SystemDisk).unwrap();
        assert!(!session.is_unsaved(), "{:?}", session.unsaved());
        assert!(!session.document().aids.is_empty(), "the layers are there still");
        drop(session);
        assert_eq!(offered(folder.path()), [""; 0], "all of it is in the file");
    }
}

#[test]
fn recovery_after_a_save_offers_only_unsavable_data() {
    let (folder, path, mut session) = sitting();
    for line in [
        turn(5.0),
        unkeyed(0.3),
        rename(1),
        CommandLine::new("weight_layer.add").with("name", "Arms"),
        flood(2),
    ] {
        run(&mut session, line);
    }
    let labels: Vec<String> = session.history().done().iter().map(|t| t.label.clone()).collect();
    session.save_with(request(&path), &SystemDisk).unwrap();
    run(&mut session, rename(2));
    let meant = session.document().clone();
    drop(session);
    let last = labels[2].clone();
    assert_eq!(
        offered(folder.path()),
        [labels[1].clone(), labels[3].clone(), labels[4].clone(), last]
    );
    let recovered = Recovery::scan(&folder.path().join("journal"))
        .remove(0)
        .replay(&Progress::default())
        .unwrap();
    assert!(*recovered.session.document() == meant && recovered.failed.is_empty());
    assert_eq!(recovered.session.unsaved().steps, 1, "the name alone is not in the file");
}

#[test]
fn a_save_interrupted_after_the_rename_and_before_its_journal_line_counts_as_saved() {
    let (folder, path, mut session) = sitting();
    run(&mut session, turn(5.0));
    run(&mut session, rename(1));
    session.saving(request(&path)).run(&SystemDisk).unwrap();
    // The session ends before it writes the line that confirms the save.
    drop(session);
    assert_eq!(offered(folder.path()), [""; 0]);

    // A copy is another file, so the steps are not in the document's own file.
    let (folder, path, mut session) = sitting();
    run(&mut session, turn(5.0));
    session.saving_copy(request(&path.with_file_name("copy.glb"))).run(&SystemDisk).unwrap();
    drop(session);
    assert_eq!(offered(folder.path()).len(), 1);
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

/// Runs steps, undo, redo and saves in any order, with edits while a save runs. The offered steps
/// must be those that the last file lacks. The expected steps come from a model of the history that
/// does not use journals.
#[test]
fn recovery_offers_exactly_the_steps_that_the_last_file_lacks() {
    const SITTINGS: u64 = 24;
    let mut offers = 0;
    for seed in 1..=SITTINGS {
        let (folder, path, mut session) = sitting();
        let mut draw = Draw(seed * 7919 + 3);
        // Numbers of the done and undone steps, of the steps in the file, and of the steps in the
        // save that runs.
        let (mut done, mut undone): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut in_file, mut running): (Vec<usize>, Option<(Saving, Vec<usize>)>) =
            (Vec::new(), None);
        for k in 0..14 {
            match draw.next(8) {
                0..=3 => {
                    run(&mut session, if k % 2 == 0 { turn(3.0 + k as f32) } else { rename(k) });
                    done.push(k);
                    undone.clear();
                }
                4 => {
                    if session.undo().is_some() {
                        undone.extend(done.pop());
                    }
                }
                5 => {
                    if session.redo().is_some() {
                        done.extend(undone.pop());
                    }
                }
                6 if running.is_none() => {
                    running = Some((session.saving(request(&path)), done.clone()))
                }
                _ => {
                    if let Some((saving, state)) = running.take() {
                        let saved = saving.run(&SystemDisk).unwrap();
                        assert!(session.take_saved(&saved));
                        in_file = state;
                    }
                }
            }
        }
        let (meant, unsaved) = (session.document().clone(), session.unsaved());
        drop((session, running));
        let (now, then): (BTreeSet<_>, BTreeSet<_>) =
            (done.iter().collect(), in_file.iter().collect());
        let lacking = now.symmetric_difference(&then).count();
        let labels = offered(folder.path());
        assert_eq!(
            labels.len(),
            lacking,
            "sitting {seed}: {labels:?}; {done:?} is done, {in_file:?} is in the file"
        );
        offers += lacking;
        if lacking > 0 {
            let recovery = Recovery::scan(&folder.path().join("journal")).remove(0);
            let recovered = recovery.replay(&Progress::default()).unwrap();
            assert!(recovered.failed.is_empty(), "{:?}", recovered.failed);
            assert!(*recovered.session.document() == meant, "sitting {seed}");
            assert_eq!(recovered.session.unsaved().file, unsaved.file, "sitting {seed}");
        }
    }
    assert!(offers > SITTINGS as usize, "{offers}");
}

#[test]
fn replayed_edits_are_in_the_new_journal() {
    let (folder, path, mut older) = sitting();
    run(&mut older, rename(1));
    run(&mut older, turn(9.0));
    let mut newer = Session::open(&path, &Progress::default()).unwrap();
    assert_eq!(newer.replay(&older).done, 2);
    older.end_journal().unwrap();
    newer.keep_journal(&folder.path().join("journal"));
    let meant = newer.document().clone();
    drop((older, newer));
    let recovery = Recovery::scan(&folder.path().join("journal")).remove(0);
    assert!(*recovery.replay(&Progress::default()).unwrap().session.document() == meant);
}
