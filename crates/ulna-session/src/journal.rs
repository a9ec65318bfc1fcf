//! Recovery journal: each step of a session is written to disk as command lines when it is
//! committed. After a crash, the steps are run again.
//!
//! Each session has a folder with the file `lines.jsonl`. If the opened file has no path, or was
//! replaced by a save, the folder also has the opened bytes. The running process holds a lock on
//! its journal. A journal without a lock was left by a crash.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    disk::{SystemDisk, write_atomically},
    loose::aid_of,
    stamp::content_hash,
};
use ulna_edit::{CommandLine, Transaction};
use ulna_formats::gltf::Source;
use ulna_model::Document;

/// Maximum time until a written line is synced to disk.
const SYNC: Duration = Duration::from_millis(100);

/// Age in days after which a journal is deleted.
pub const KEPT_DAYS: u64 = 30;

pub(super) const LINES: &str = "lines.jsonl";
pub(super) const OPENED: &str = "opened";
/// Name of the folder with copies of the opened model's data files.
pub(super) const BESIDE: &str = "beside";

/// State of the document that a save wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// Number of the last step in the saved state. Steps are numbered from 1, in the order of their
    /// lines. 0 is the file as opened.
    pub step: u64,
    /// Kinds of editor state that the saved file does not store, as [`aid_of`] names them.
    pub loose: Vec<String>,
}

/// One line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub(super) enum Line {
    /// First line: identifies the opened file.
    Begin {
        /// Version of the program.
        ulna: String,
        /// Path of the file, if it has one.
        file: Option<PathBuf>,
        /// Name of the file, for display.
        name: String,
        /// Hash of the file's content, in hexadecimal digits.
        hash: String,
        /// Start of the session, in seconds since 1970.
        time: u64,
    },
    /// A committed step.
    Step {
        label: String,
        lines: Vec<Map<String, Value>>,
        /// Time of the step, in seconds since 1970.
        time: u64,
        /// Kinds of editor state that the step changed and that a file may not store. `None` in
        /// journals of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aids: Option<Vec<String>>,
    },
    /// One step was undone.
    Undo,
    /// One step was redone.
    Redo,
    /// A save is about to replace a file.
    Save {
        file: PathBuf,
        hash: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Written>,
    },
    /// A save has replaced its file. Only older versions read `last` and `more`. `last`: all steps
    /// before this line are in the file. `more`: there is editor state that the file does not
    /// store.
    Saved {
        file: PathBuf,
        hash: String,
        last: bool,
        #[serde(default)]
        more: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Written>,
    },
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

pub(super) fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// Appends lines to the journal. A thread of its own syncs them to disk.
#[derive(Debug)]
pub(super) struct JournalWriter {
    file: Mutex<File>,
    sync: mpsc::Sender<()>,
}

impl JournalWriter {
    pub(super) fn new(file: File) -> io::Result<Arc<Self>> {
        let (sync, asked) = mpsc::channel::<()>();
        let twin = file.try_clone()?;
        thread::Builder::new().name("journal".into()).spawn(move || {
            // The thread ends when the journal is dropped.
            while asked.recv().is_ok() {
                thread::sleep(SYNC / 2);
                while asked.try_recv().is_ok() {}
                if let Err(error) = twin.sync_data() {
                    log::warn!("the recovery journal could not be written to disk: {error}");
                }
            }
        })?;
        Ok(Arc::new(Self { file: Mutex::new(file), sync }))
    }

    fn write(&self, line: &Line, now: bool) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Each line is written by one call, so that a killed process leaves only complete lines.
        file.write_all(text.as_bytes())?;
        if now {
            return file.sync_data();
        }
        // If the thread has ended, the operating system writes the data at some later time.
        self.sync.send(()).map_err(io::Error::other)
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        // The syncing thread still has the file open, so dropping it would not release the lock.
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.unlock() {
            log::warn!("the recovery journal could not be unlocked: {error}");
        }
    }
}

/// Entry that a save writes to the journal just before it replaces a file.
#[derive(Clone, Debug)]
pub struct SaveMark {
    pen: Arc<JournalWriter>,
    opened: OpenedFile,
    written: Option<Written>,
}

impl SaveMark {
    /// Backs up the opened bytes, then writes and syncs the entry.
    pub(super) fn write(&self, path: &Path, hash: u128) -> io::Result<()> {
        if let Err(error) = self.opened.keep() {
            log::error!(
                "the opened file could not be backed up beside the recovery journal: {error}"
            );
        }
        self.pen.write(
            &Line::Save { file: absolute(path), hash: hex(hash), written: self.written.clone() },
            true,
        )
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The opened bytes, and the journal folder for their backup.
#[derive(Clone, Debug)]
struct OpenedFile {
    folder: PathBuf,
    source: Source,
}

impl OpenedFile {
    /// Backs up the opened bytes, if this was not done before.
    fn keep(&self) -> io::Result<()> {
        let place = self.folder.join(OPENED);
        if place.exists() {
            return Ok(());
        }
        for (name, bytes) in self.source.sidecars() {
            let beside = self.folder.join(BESIDE).join(name);
            beside.parent().map_or(Ok(()), fs::create_dir_all)?;
            write_atomically(&SystemDisk, &beside, bytes)?;
        }
        write_atomically(&SystemDisk, &place, &self.source.bytes)
    }
}

/// Optional journal of an open file. A cloned session has none.
#[derive(Debug, Default)]
pub(super) struct Slot(Option<Journal>);

impl Clone for Slot {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Slot {
    pub(super) fn put(&mut self, journal: Journal) {
        self.0 = Some(journal);
    }

    pub(super) fn take(&mut self) -> Option<Journal> {
        self.0.take()
    }

    fn with(&mut self, act: impl FnOnce(&mut Journal) -> io::Result<()>) {
        if let Some(journal) = &mut self.0
            && let Err(error) = act(journal)
        {
            log::error!("the recovery journal could not be written: {error}");
            journal.fault.get_or_insert(error.to_string());
        }
    }

    pub(super) fn step(&mut self, step: &Transaction, document: &Document) {
        self.with(|journal| {
            let lines = step.lines(document).iter().map(as_object).collect();
            let line = Line::Step {
                label: step.label.clone(),
                lines,
                time: now(),
                aids: Some(aids_of(step)),
            };
            journal.begun()?.write(&line, false)?;
            journal.steps += 1;
            journal.numbers.insert(step.revision(), journal.steps);
            Ok(())
        });
    }

    pub(super) fn undo(&mut self) {
        self.with(|journal| journal.begun()?.write(&Line::Undo, false));
    }

    pub(super) fn redo(&mut self) {
        self.with(|journal| journal.begun()?.write(&Line::Redo, false));
    }

    /// Records that a file now has the state of a revision. `last` says whether it is the current
    /// revision.
    pub(super) fn saved(
        &mut self,
        path: &Path,
        hash: u128,
        revision: u64,
        last: bool,
        loose: &[String],
    ) {
        self.with(|journal| {
            // Without steps, nothing is on disk yet, and nothing needs to be recorded.
            let Some(pen) = journal.pen.clone() else { return Ok(()) };
            let (written, more) = (journal.written(revision, loose), !loose.is_empty());
            pen.write(
                &Line::Saved { file: absolute(path), hash: hex(hash), last, more, written },
                true,
            )
        });
    }

    /// Returns the entry for a save of a revision; `None` without a journal.
    pub(super) fn save_mark(&self, revision: u64, loose: &[String]) -> Option<SaveMark> {
        let journal = self.0.as_ref()?;
        let pen = journal.pen.clone()?;
        Some(SaveMark {
            pen,
            opened: journal.opened.clone(),
            written: journal.written(revision, loose),
        })
    }

    /// Takes the reason why the journal could not be written. Each failure is returned once.
    pub(super) fn take_fault(&mut self) -> Option<String> {
        let journal = self.0.as_mut()?;
        journal.fault.take_if(|_| !std::mem::replace(&mut journal.told, true))
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.0.as_ref().map(|j| j.folder.as_path())
    }
}

fn as_object(line: &CommandLine) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("do".into(), line.name.as_str().into());
    object.extend(line.arguments.clone());
    object
}

/// Recovery journal of one open file.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    /// First line of the journal.
    begin: Line,
    opened: OpenedFile,
    has_place: bool,
    /// Writer of the lines; `None` before the first step, while nothing is on disk.
    pen: Option<Arc<JournalWriter>>,
    /// Number of step lines.
    steps: u64,
    /// Map from each revision of the history to the number of the step that made it.
    numbers: BTreeMap<u64, u64>,
    fault: Option<String>,
    told: bool,
}

impl Journal {
    /// Creates a journal for an open file, in the journal folder `home`. Nothing is written before
    /// the first step. `file` is the path of the opened file, if it has one.
    pub(super) fn new(home: &Path, file: Option<&Path>, name: String, source: &Source) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let begin = Line::Begin {
            ulna: env!("CARGO_PKG_VERSION").to_owned(),
            file: file.map(absolute),
            name,
            hash: hex(content_hash(&source.bytes)),
            time: now(),
        };
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let folder = home.join(format!("{stamp:x}-{}-{count}", std::process::id()));
        Self {
            begin,
            opened: OpenedFile { folder: folder.clone(), source: source.clone() },
            folder,
            has_place: file.is_some(),
            pen: None,
            steps: 0,
            numbers: BTreeMap::new(),
            fault: None,
            told: false,
        }
    }

    /// Returns the writer. Creates the file and its first line if needed.
    fn begun(&mut self) -> io::Result<&Arc<JournalWriter>> {
        if self.pen.is_none() {
            fs::create_dir_all(&self.folder)?;
            let file =
                OpenOptions::new().create(true).append(true).open(self.folder.join(LINES))?;
            file.lock()?;
            let pen = JournalWriter::new(file)?;
            pen.write(&self.begin, false)?;
            self.pen = Some(pen);
            if !self.has_place {
                self.opened.keep()?;
            }
        }
        self.pen.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Continues a journal after its recovery. `steps` is the number of its steps. `numbers` maps
    /// each revision of the history to the number of the step that made it.
    pub(super) fn going_on(
        source: &Source,
        (folder, file): (PathBuf, File),
        begin: Line,
        (steps, numbers): (u64, BTreeMap<u64, u64>),
    ) -> io::Result<Self> {
        let has_place = matches!(&begin, Line::Begin { file: Some(_), .. });
        let opened = OpenedFile { folder: folder.clone(), source: source.clone() };
        let pen = Some(JournalWriter::new(file)?);
        Ok(Self { folder, begin, opened, has_place, pen, steps, numbers, fault: None, told: false })
    }

    /// Describes the state of a revision for the lines of a save. `None` if no line of this journal
    /// led to this revision.
    fn written(&self, revision: u64, loose: &[String]) -> Option<Written> {
        // Revision 0 is the file as opened, before any step.
        let step = if revision == 0 { Some(0) } else { self.numbers.get(&revision).copied() }?;
        Some(Written { step, loose: loose.to_vec() })
    }

    /// Ends the journal, and deletes it.
    ///
    /// # Errors
    /// I/O error of the system.
    pub fn discard(mut self) -> io::Result<()> {
        if self.pen.take().is_some() { fs::remove_dir_all(&self.folder) } else { Ok(()) }
    }
}

/// Returns the kinds of editor state that a step changed and that a file may not store.
fn aids_of(step: &Transaction) -> Vec<String> {
    let mut aids: Vec<String> = step.edits().filter_map(aid_of).collect();
    aids.sort_unstable();
    aids.dedup();
    aids
}

/// Returns the first few names of nodes, clips, joints and layers in command lines.
pub fn names_in<'a>(lines: impl Iterator<Item = &'a Map<String, Value>>) -> String {
    const MOST: usize = 3;
    let mut names: Vec<&str> = Vec::new();
    let named = ["node", "clip", "joint", "layer", "mesh", "name"];
    for value in lines.flat_map(|line| named.iter().filter_map(|key| line.get(*key))) {
        match value {
            Value::String(name) => names.push(name),
            Value::Array(list) => names.extend(list.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|n| seen.insert(*n));
    let mut text = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
