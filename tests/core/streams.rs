//! Saves and exports read and keep in memory only the data that they need. The tests cover other
//! models in the folder of a saved file, and exports of many files.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use ulna_edit::CommandLine;
use ulna_formats::gltf::{Progress, is_sidecar};
use ulna_session::{Consent, Disk, ExportRequest, SaveRequest, Session, SystemDisk};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Records the bytes read from each file, and the progress at each written file.
#[derive(Debug, Default)]
struct Watching {
    read: Arc<Mutex<BTreeMap<PathBuf, usize>>>,
    progress: Arc<Progress>,
    /// Progress and size in bytes at each written file.
    written: Mutex<Vec<(f32, usize)>>,
    /// Number of written files after which the work is canceled.
    cancels_after: Option<usize>,
}

impl Watching {
    fn of(&self, name: &str) -> usize {
        let read = self.read.lock().unwrap();
        read.iter().filter(|(path, _)| path.ends_with(name)).map(|(_, bytes)| bytes).sum()
    }
}

struct Counted {
    file: fs::File,
    path: PathBuf,
    read: Arc<Mutex<BTreeMap<PathBuf, usize>>>,
}

impl Read for Counted {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(block)?;
        *self.read.lock().unwrap().entry(self.path.clone()).or_default() += count;
        Ok(count)
    }
}

impl Disk for Watching {
    fn write_new(&self, path: &Path, bytes: &[u8], like: Option<&Permissions>) -> io::Result<()> {
        let mut written = self.written.lock().unwrap();
        written.push((self.progress.fraction(), bytes.len()));
        if self.cancels_after == Some(written.len()) {
            self.progress.cancel();
        }
        SystemDisk.write_new(path, bytes, like)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.replace(from, to)
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.place(from, to)
    }

    fn keep(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.keep(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.make_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_folder(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(Counted {
            file: fs::File::open(path)?,
            path: path.to_owned(),
            read: self.read.clone(),
        }))
    }
}

/// Builds a GLB with this JSON and a large BIN chunk.
fn glb(json: &str, bin: usize) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    for number in [2, (28 + json.len() + bin) as u32, json.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((bin as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.resize(bytes.len() + bin, 7);
    bytes
}

fn sidecars(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|n| is_sidecar(n)).collect();
    names.sort();
    names
}

#[test]
fn other_files_are_not_read_unless_a_data_file_may_be_removed_and_only_the_json_of_glbs_is_read() {
    const BIN: usize = 6 << 20;
    let (mut cases, mut kept) = (0, 0);
    // Position of a reference to the old data file: nowhere; in the JSON of a GLB; in the binary
    // data of a GLB, which does not count; in a `.gltf` after a megabyte of blanks; in a `.gltf`
    // named like a backup.
    for named in ["nowhere", "text", "data", "far", "backup"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.gltf");
        let first = folder.path().join("first.glb");
        fs::copy(SAMPLE, &first).unwrap();
        open(&first).write_to(&path).unwrap();
        fs::remove_file(&first).unwrap();
        let old = sidecars(folder.path()).remove(0);
        let uri = format!("{{\"buffers\":[{{\"uri\":\"{old}\"}}]}}");
        let json = if named == "text" { uri.clone() } else { "{}".to_owned() };
        let mut neighbor = glb(&json, BIN);
        if named == "data" {
            let at = neighbor.len() - 200;
            neighbor[at..at + old.len()].copy_from_slice(old.as_bytes());
        }
        fs::write(folder.path().join("other.glb"), neighbor).unwrap();
        let far = if named == "far" {
            format!("{}{uri}", " ".repeat((1 << 20) - 40))
        } else {
            "{}".to_owned()
        };
        fs::write(folder.path().join("far.gltf"), far).unwrap();
        fs::write(folder.path().join("hero.gltf~"), if named == "backup" { &uri } else { "{}" })
            .unwrap();

        let mut session = open(&path);
        let request =
            SaveRequest { consent: Consent::ALL, backup: false, ..SaveRequest::to(&path) };
        // Only a name in the JSON changes. No data file becomes unused, so no other model is read.
        let disk = Watching::default();
        let rename = CommandLine::new("clip.rename").with("clip", "Walk").with("name", "Stroll");
        assert!(session.run_line(&rename).unwrap());
        session.save_with(request.clone(), &disk).unwrap();
        assert_eq!(sidecars(folder.path()).len(), 1, "{named}");
        for name in ["other.glb", "far.gltf", "hero.gltf~"] {
            assert_eq!(disk.of(name), 0, "{named}: {name} was read for nothing");
        }
        // New keys: the old data file is named by another model, or by none.
        let disk = Watching::default();
        let key = CommandLine::new("key.set")
            .with("clip", "Stroll")
            .with("time", 0.511)
            .with("node", "Head");
        assert!(session.run_line(&key.with("degrees", vec![0, 30, 0])).unwrap());
        let before = sidecars(folder.path());
        session.save_with(request, &disk).unwrap();
        let stays = ["text", "far", "backup"].contains(&named);
        let after = sidecars(folder.path());
        assert_eq!(
            after.contains(&old),
            stays || !before.contains(&old),
            "{named}: {before:?}, {after:?}"
        );
        assert!(
            disk.of("other.glb") < 4096,
            "{named}: {} bytes of a GLB were read",
            disk.of("other.glb")
        );
        open(&path);
        cases += 1;
        kept += usize::from(after.contains(&old));
    }
    assert!(cases == 5 && kept >= 3, "{cases}, {kept}");
}

fn each_clip(to: PathBuf, gltf: bool) -> ExportRequest {
    ExportRequest {
        clips: None,
        skeleton_only: false,
        rate: None,
        each: true,
        names: String::new(),
        gltf,
        to,
        replace: true,
    }
}

/// Opens the sample with more clips.
fn many_clips() -> Session {
    let mut session = Session::open_bytes(&fs::read(SAMPLE).unwrap()).unwrap();
    for k in 0..5 {
        let copy = CommandLine::new("clip.duplicate")
            .with("clip", "Walk")
            .with("name", format!("Walk {k}"));
        assert!(session.run_line(&copy).unwrap());
    }
    session
}

#[test]
fn each_exported_file_is_written_before_the_next_is_built() {
    let session = many_clips();
    let count = session.document().clips.count();
    for gltf in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let progress = Arc::new(Progress::default());
        let disk = Watching { progress: progress.clone(), ..Watching::default() };
        let exporting = session.exporting(each_clip(folder.path().join("out"), gltf));
        let foreseen = exporting.measure(&Progress::default()).unwrap();
        let made = exporting.run(&disk, &progress).unwrap();
        let written = disk.written.into_inner().unwrap();
        let per_file = if gltf { 2 } else { 1 };
        assert_eq!((written.len(), made.files.len()), (count * per_file, count));
        for (k, (part, _)) in written.iter().enumerate() {
            // Each file is written after the files before it are built, and before the next one is.
            let least = 0.05 + 0.85 * (k / per_file) as f32 / count as f32;
            assert!(*part <= least + 2e-3, "file {k} waited until {part}");
        }
        let sizes: Vec<usize> =
            written.chunks(per_file).map(|c| c.iter().map(|(_, bytes)| bytes).sum()).collect();
        assert_eq!(sizes, foreseen, "what was foreseen is what is written");
        assert_eq!(made.bytes, sizes.iter().sum::<usize>());
        for file in &made.files {
            assert_eq!(open(file).document().clips.count(), 1);
        }
    }
}

#[test]
fn an_export_canceled_halfway_leaves_no_files() {
    let session = many_clips();
    for cancels_after in 1..=4 {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("Walk.glb");
        fs::write(&old, b"somebody's").unwrap();
        let progress = Arc::new(Progress::default());
        let disk = Watching {
            progress: progress.clone(),
            cancels_after: Some(cancels_after),
            ..Watching::default()
        };
        let stopped =
            session.exporting(each_clip(folder.path().to_owned(), false)).run(&disk, &progress);
        assert!(stopped.is_err_and(|e| e.is_canceled()));
        assert_eq!(disk.written.lock().unwrap().len(), cancels_after);
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["Walk.glb"], "nothing half done stays");
        assert_eq!(fs::read(&old).unwrap(), b"somebody's");
    }
}

/// Companion files of a model must be copied unchanged into another folder.
#[test]
fn companion_files_are_copied_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    fs::create_dir(&here).unwrap();
    fs::create_dir(&there).unwrap();
    let first = here.join("first.glb");
    fs::copy(SAMPLE, &first).unwrap();
    open(&first).write_to(&here.join("hero.gltf")).unwrap();
    let data = sidecars(&here).remove(0);
    let session = open(&here.join("hero.gltf"));
    session.write_to(&there.join("hero.gltf")).unwrap();
    assert_eq!(fs::read(here.join(&data)).unwrap(), fs::read(there.join(&data)).unwrap());
    assert!(open(&there.join("hero.gltf")).document().file == session.document().file);
}
