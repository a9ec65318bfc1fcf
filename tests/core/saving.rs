//! Saving under failures: files of other programs, files that changed on disk, full disks, and a
//! kill between any two disk operations.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fs::{self, Permissions},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use ulna_edit::CommandLine;
use ulna_formats::gltf::{Progress, is_sidecar};
use ulna_model::Document;
use ulna_session::{
    Consent, Disk, OnDisk, SaveFailure, SaveRequest, Session, SystemDisk, differences, incremented,
};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn turn(degrees: f32) -> CommandLine {
    CommandLine::new("pose.rotate").with("node", "Head").with("axis", "y").with("degrees", degrees)
}

fn key(time: f32) -> CommandLine {
    CommandLine::new("key.set")
        .with("clip", "Walk")
        .with("time", time)
        .with("node", "Head")
        .with("degrees", [0, 30, 0].to_vec())
}

/// Creates a folder with the sample in one of the two containers.
fn folder(gltf: bool) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let glb = folder.path().join("a.glb");
    fs::copy(SAMPLE, &glb).unwrap();
    if !gltf {
        return (folder, glb);
    }
    let path = folder.path().join("b.gltf");
    open(&glb).write_to(&path).unwrap();
    fs::remove_file(glb).unwrap();
    (folder, path)
}

fn all(path: &Path) -> SaveRequest {
    SaveRequest { consent: Consent::ALL, ..SaveRequest::to(path) }
}

/// A disk on which operations fail, from one operation on.
#[derive(Debug, Default)]
pub struct Faulty {
    pub acts: AtomicUsize,
    pub fails_at: Option<usize>,
    /// The only operation that fails, as if the disk had space again after it.
    pub fails_once: Option<usize>,
}

impl Faulty {
    fn act(&self) -> io::Result<()> {
        let act = self.acts.fetch_add(1, Ordering::Relaxed);
        if self.fails_at.is_some_and(|at| act >= at) || self.fails_once == Some(act) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device"));
        }
        Ok(())
    }
}

impl Disk for Faulty {
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()> {
        if let Err(error) = self.act() {
            // A failed write can leave part of the file.
            fs::write(path, &bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        SystemDisk.write_new(path, bytes, like)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act()?;
        SystemDisk.replace(from, to)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act()?;
        SystemDisk.place(from, to)
    }

    fn keep(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act()?;
        SystemDisk.keep(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        // Temporary files can be removed even if the disk is full.
        SystemDisk.remove(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.act()?;
        SystemDisk.make_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.act()?;
        SystemDisk.sync_folder(path)
    }
}

fn listing(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap())
        .map(|e| (e.file_name().to_string_lossy().into_owned(), fs::read(e.path()).unwrap()))
        .collect();
    list.sort();
    list
}

#[test]
fn a_disk_failure_at_any_operation_keeps_a_complete_file_and_the_document() {
    let mut cases = 0;
    for gltf in [false, true] {
        for at in 0..40 {
            let (folder, path) = folder(gltf);
            let before = open(&path).document().clone();
            let mut session = open(&path);
            session.run_line(&key(0.511)).unwrap();
            session.run_line(&turn(12.0)).unwrap();
            let meant = session.document().clone();
            let disk = Faulty { fails_at: Some(at), ..Faulty::default() };
            let done = session.save_with(SaveRequest::to(&path), &disk);
            let now = open(&path).document().clone();
            // Ignores rounding in the division of a matrix into rest and pose.
            let is = |a: &Document, b: &Document| {
                differences(a, b).iter().all(|d| d.message.contains("rest pose is"))
            };
            match done {
                Ok(_) => {
                    assert!(is(&now, &meant) && !session.is_unsaved());
                    cases += 1;
                    break;
                }
                Err(error) => {
                    assert!(matches!(error, SaveFailure::Io { .. }), "{error}");
                    assert!(error.to_string().contains("is unchanged"), "{error}");
                    // If only the last operation failed, the data can already be written.
                    assert!(is(&now, &before) || is(&now, &meant), "act {at}");
                    assert!(session.is_unsaved() && session.document().file == meant.file);
                    let left: Vec<String> =
                        listing(folder.path()).into_iter().map(|(n, _)| n).collect();
                    assert!(!left.iter().any(|n| n.ends_with(".tmp")), "{left:?}");
                    // A second attempt, with space on the disk, saves the document.
                    session.save_with(all(&path), &SystemDisk).unwrap();
                    let saved = open(&path).document().clone();
                    assert!(
                        is(&saved, &meant),
                        "act {at}, {gltf}: {:#?}",
                        differences(&meant, &saved)
                    );
                    cases += 1;
                }
            }
            assert!(at < 39, "a save has no end");
        }
    }
    assert!(cases >= 9, "{cases}");
}

#[test]
fn no_file_is_replaced_without_asking() {
    let (folder, path) = folder(false);
    let other = folder.path().join("other.glb");
    fs::write(&other, b"somebody's").unwrap();
    let mut session = open(&path);
    session.run_line(&turn(5.0)).unwrap();
    assert!(matches!(session.save(Some(&other)), Err(SaveFailure::Exists { .. })));
    assert_eq!(fs::read(&other).unwrap(), b"somebody's");
    let request = SaveRequest {
        consent: Consent { replace: true, ..Consent::default() },
        ..SaveRequest::to(&other)
    };
    let saved = session.save_with(request, &SystemDisk).unwrap();
    assert_eq!(fs::read(saved.backup.expect("a backup")).unwrap(), b"somebody's");
    for (name, what) in [("folder.glb", "a folder"), ("pipe.glb", "a device or a pipe")] {
        let path = folder.path().join(name);
        if name.starts_with('f') {
            fs::create_dir(&path).unwrap();
        } else {
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            if !made.is_ok_and(|s| s.success()) {
                crate::common::skipped("no mkfifo here: not tried with a pipe");
                continue;
            }
        }
        match session.save_with(all(&path), &SystemDisk) {
            Err(SaveFailure::NotAFile { what: found, .. }) => assert_eq!(found, what),
            other => panic!("{name}: {other:?}"),
        }
    }
    for name in ["none", "model.png", "model.x", "-"] {
        let found = session.save(Some(&folder.path().join(name)));
        assert!(matches!(found, Err(SaveFailure::Suffix(_))), "{name}");
    }
    let missing = folder.path().join("no/such/folder/a.glb");
    assert!(matches!(session.save(Some(&missing)), Err(SaveFailure::NoFolder { .. })));
    assert!(!folder.path().join("no").exists());
}

#[test]
fn changes_on_disk_are_detected_and_not_overwritten_without_asking() {
    for gltf in [false, true] {
        let (_folder, path) = folder(gltf);
        let mut session = open(&path);
        session.run_line(&turn(5.0)).unwrap();
        assert_eq!(session.on_disk(), OnDisk::Same);
        // Another program renames a node.
        let mut other = open(&path);
        other
            .run_line(&CommandLine::new("node.rename").with("node", "Head").with("name", "Kopf"))
            .unwrap();
        other.save(None).unwrap();
        assert_eq!(session.on_disk(), OnDisk::Changed);
        let theirs = fs::read(&path).unwrap();
        assert!(matches!(session.save(None), Err(SaveFailure::Changed { .. })));
        assert_eq!(fs::read(&path).unwrap(), theirs);
        // The edits are replayed on the new file, by name. An edit whose name is missing is listed.
        session.run_line(&key(0.25)).unwrap();
        session
            .run_line(&CommandLine::new("clip.rename").with("clip", "Wave").with("name", "Hello"))
            .unwrap();
        let mut newer = open(&path);
        let replayed = newer.replay(&session);
        assert_eq!((replayed.done, replayed.failed.len()), (1, 2), "{replayed:?}");
        assert!(replayed.failed.iter().all(|f| f.contains("Head")), "{replayed:?}");
        assert_eq!(newer.history().done().len(), 1, "one step");
        assert!(newer.document().clips.values().any(|c| c.name.as_deref() == Some("Hello")));
        newer.undo();
        assert!(newer.document() == newer.opened());
        // After the same bytes are written again, nothing has changed, in spite of the new
        // modification time.
        session.save_with(all(&path), &SystemDisk).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(session.on_disk(), OnDisk::Same);
        fs::remove_file(&path).unwrap();
        assert_eq!(session.on_disk(), OnDisk::Gone);
        session.run_line(&turn(1.0)).unwrap();
        assert!(matches!(session.save(None), Err(SaveFailure::Gone { .. })));
        session.save_with(all(&path), &SystemDisk).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_followed_hard_links_need_consent_and_read_only_files_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (folder, path) = folder(false);
    let before = fs::read(&path).unwrap();
    let link = folder.path().join("link.glb");
    symlink("a.glb", &link).unwrap();
    let mut session = open(&link);
    session.run_line(&turn(5.0)).unwrap();
    session.save(None).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link stays one");
    assert_ne!(fs::read(&path).unwrap(), before, "the file it leads to was written");
    let twin = folder.path().join("twin.glb");
    fs::hard_link(&path, &twin).unwrap();
    session.run_line(&turn(7.0)).unwrap();
    match session.save(None) {
        Err(SaveFailure::Linked { names, .. }) => assert_eq!(names, 2),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&twin).unwrap(), fs::read(&path).unwrap());
    let cut = SaveRequest {
        consent: Consent { cut_link: true, ..Consent::default() },
        ..SaveRequest::to(&link)
    };
    session.save_with(cut, &SystemDisk).unwrap();
    assert_ne!(fs::read(&twin).unwrap(), fs::read(&path).unwrap());
    // The mode bits are set, because the tests can run as root.
    let whole = fs::read(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    session.run_line(&turn(9.0)).unwrap();
    assert!(matches!(session.save(None), Err(SaveFailure::ReadOnly { .. })));
    assert!(matches!(
        session.save_with(all(&link), &SystemDisk),
        Err(SaveFailure::ReadOnly { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn the_first_save_of_a_session_backs_up_the_file_and_numbers_older_backups() {
    let (folder, path) = folder(false);
    let first = fs::read(&path).unwrap();
    let mut session = open(&path);
    session.run_line(&turn(5.0)).unwrap();
    session.save(None).unwrap();
    let kept = folder.path().join("a.glb~");
    assert_eq!(fs::read(&kept).unwrap(), first);
    let second = fs::read(&path).unwrap();
    session.run_line(&turn(6.0)).unwrap();
    session.save(None).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), first, "once a sitting");
    let third = fs::read(&path).unwrap();
    assert_ne!(second, third);
    let mut again = open(&path);
    again.run_line(&turn(7.0)).unwrap();
    again.save(None).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), third);
    assert_eq!(fs::read(folder.path().join("a.glb~1")).unwrap(), first);
    assert_eq!(incremented(&path), folder.path().join("a_002.glb"));
    fs::write(folder.path().join("a_002.glb"), b"").unwrap();
    assert_eq!(incremented(&folder.path().join("a_002.glb")), folder.path().join("a_003.glb"));
    let off = SaveRequest { backup: false, ..all(&path) };
    let (_other, plain) = self::folder(false);
    let mut session = open(&plain);
    session.run_line(&turn(5.0)).unwrap();
    session.save_with(SaveRequest { path: plain.clone(), ..off }, &SystemDisk).unwrap();
    assert!(!plain.with_file_name("a.glb~").exists());
}

#[test]
fn data_files_beside_a_gltf_are_named_by_content_and_only_own_ones_removed() {
    let (folder, path) = folder(true);
    let names = |folder: &Path| -> Vec<String> {
        let mut names: Vec<String> = listing(folder).into_iter().map(|(n, _)| n).collect();
        names.retain(|n| n.ends_with(".bin"));
        names
    };
    assert!(names(folder.path()).iter().all(|n| is_sidecar(n)), "{:?}", names(folder.path()));
    // A file of another program with an old kind of name, and one that only resembles a data file
    // of Ulna.
    let stranger = format!("b.ulna-{:032x}.bin", 7);
    fs::write(folder.path().join("b.ulna.bin"), b"a stranger").unwrap();
    fs::write(folder.path().join(&stranger), b"another").unwrap();
    let mut session = open(&path);
    session.save_options.remember_rest = false;
    for k in 1..5 {
        session.run_line(&key(0.1 * k as f32)).unwrap();
        session
            .save_with(SaveRequest { backup: false, ..SaveRequest::to(&path) }, &SystemDisk)
            .unwrap();
        let found = names(folder.path());
        assert_eq!(found.len(), 3, "one of ours, and the strangers: {found:?}");
        assert_eq!(fs::read(folder.path().join("b.ulna.bin")).unwrap(), b"a stranger");
        assert_eq!(fs::read(folder.path().join(&stranger)).unwrap(), b"another");
    }
    // Copies the model under another name, and then edits the original. The two must not share
    // data.
    let copy = folder.path().join("renamed.gltf");
    fs::copy(&path, &copy).unwrap();
    let there = open(&copy).document().clone();
    session.run_line(&key(0.9)).unwrap();
    session
        .save_with(SaveRequest { backup: false, ..SaveRequest::to(&path) }, &SystemDisk)
        .unwrap();
    assert!(differences(open(&copy).document(), &there).is_empty(), "the renamed one is as it was");
    assert_eq!(names(folder.path()).len(), 4, "what it names stays");
}

#[test]
fn a_document_is_unsaved_if_saving_would_change_the_bytes() {
    let (_folder, path) = folder(false);
    let mut session = open(&path);
    session.run_line(&turn(30.0)).unwrap();
    assert!(session.unsaved().file);
    session.run_line(&CommandLine::new("pose.reset_to_file").with("node", "Head")).unwrap();
    assert!(!session.is_unsaved(), "two steps that come to nothing");
    assert_eq!(session.unsaved().steps, 0);
    // Data that no file can store counts as unsaved.
    let pose =
        CommandLine::new("unkeyed.set").with("clip", "Walk").with("time", 0.3).with("node", "Head");
    session.run_line(&pose.with("degrees", [0, 9, 0].to_vec())).unwrap();
    let unsaved = session.unsaved();
    assert!(unsaved.any() && !unsaved.file && unsaved.unkeyed == 1);
    assert!(session.pack("a").unwrap().changes.is_empty());
    session.run_line(&CommandLine::new("unkeyed.discard")).unwrap();
    assert!(!session.is_unsaved());
    session
        .run_line(
            &CommandLine::new("joints.pair").with("joint", "LeftHand").with("with", "RightHand"),
        )
        .unwrap();
    assert_eq!((session.unsaved().pairs, session.unsaved().file), (1, false));
    session.run_line(&CommandLine::new("weight_layer.add")).unwrap();
    assert_eq!((session.unsaved().layers, session.unsaved().file), (1, false));
}

#[test]
fn a_step_in_the_middle_of_the_history_can_be_left_out() {
    let (_folder, path) = folder(false);
    let mut session = open(&path);
    session.run_line(&turn(10.0)).unwrap();
    session.run_line(&CommandLine::new("clip.new").with("name", "Nod")).unwrap();
    session
        .run_line(&CommandLine::new("node.rename").with("node", "Hips").with("name", "Pelvis"))
        .unwrap();
    let nod =
        CommandLine::new("key.set").with("clip", "Nod").with("time", 0.5).with("node", "Head");
    session.run_line(&nod.with("degrees", [5, 0, 0].to_vec())).unwrap();
    let replayed = session.leave_out(1);
    assert_eq!((replayed.done, replayed.failed.len()), (1, 1), "{replayed:?}");
    assert!(replayed.failed[0].contains("Nod"), "{replayed:?}");
    assert_eq!(session.history().done().len(), 2);
    assert!(session.unsavable_step().is_none());
}

#[test]
fn pending_changes_are_reported_relative_to_the_file_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.glb");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb"), &path).unwrap();
    let mut session = Session::open(&path, &Default::default()).unwrap();
    assert!(session.will_change().unwrap().is_empty());
    let turn = |node: &str| {
        CommandLine::new("pose.rotate").with("node", node).with("axis", "x").with("degrees", 12.0)
    };
    session.run_line(&turn("Head")).unwrap();
    let told = session.will_change().unwrap();
    assert!(told.len() == 1 && told[0].contains("Head"), "{told:?}");
    session.save(None).unwrap();
    // After a save, nothing is left to change.
    assert!(session.will_change().unwrap().is_empty());
    session.run_line(&turn("LeftHand")).unwrap();
    let told = session.will_change().unwrap();
    assert!(told.len() == 1 && told[0].contains("LeftHand"), "{told:?}");
}
