//! What was done to a file, line by line, on the disk as it is done: after a crash it is done
//! again.
//!
//! A folder a sitting: `lines.jsonl`, and once the file is saved over, or where it has no place,
//! the bytes it was opened from. The process that writes a journal holds a lock on it; one without
//! is of a process that is no more.

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
    Session,
    disk::{SystemDisk, write_atomically},
    loose::aid_of,
    stamp::content_hash,
};
use ulna_edit::{CommandLine, Transaction};
use ulna_formats::gltf::Source;
use ulna_model::Document;

/// What is written is on the disk this long after at the latest.
const SYNC: Duration = Duration::from_millis(100);

/// A journal that nobody wanted is thrown away after this long.
pub const KEPT_DAYS: u64 = 30;

pub(super) const LINES: &str = "lines.jsonl";
pub(super) const OPENED: &str = "opened";
/// The folder of what was beside it.
pub(super) const BESIDE: &str = "beside";

/// The state that a save wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// The number of its last step: steps are counted from 1 in the order of their lines. 0 is the
    /// file as it was opened.
    pub step: u64,
    /// Kinds of work in that state that the file does not keep, as [`aid_of`] names them.
    pub loose: Vec<String>,
}

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub(super) enum Line {
    /// The first: whose journal this is.
    Begin {
        /// The program's version.
        ulna: String,
        /// The file, where it has a place.
        file: Option<PathBuf>,
        /// What it is called.
        name: String,
        /// Of its content, in hexadecimal digits.
        hash: String,
        /// Seconds since 1970.
        time: u64,
    },
    /// A step.
    Step {
        label: String,
        lines: Vec<Map<String, Value>>,
        /// Seconds since 1970.
        time: u64,
        /// Kinds of work that it changed and that a file may not keep; unknown in journals of older
        /// versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aids: Option<Vec<String>>,
    },
    /// A step was taken back.
    Undo,
    /// A step that was taken back was done again.
    Redo,
    /// A save is about to replace a file.
    Save {
        file: PathBuf,
        hash: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Written>,
    },
    /// It has. `last` and `more` are what older versions read: whether every step before this line
    /// is in the file, and whether there was work that it does not keep.
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

/// The file that lines go to.
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
            // Ends with the journal.
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
        // One call, so that a line is there or not, but for a crash of the system itself.
        file.write_all(text.as_bytes())?;
        if now {
            return file.sync_data();
        }
        // Where the thread is gone, the system writes it in its own time.
        self.sync.send(()).map_err(io::Error::other)
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        // The syncing thread has the same file for a moment longer; the lock is not its.
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.unlock() {
            log::warn!("the recovery journal could not be unlocked: {error}");
        }
    }
}

/// What a save tells the journal just before it replaces a file.
#[derive(Clone, Debug)]
pub struct SaveMark {
    pen: Arc<JournalWriter>,
    opened: OpenedFile,
    written: Option<Written>,
}

impl SaveMark {
    /// Keeps what the file was opened from, and says what is about to be written, on the disk.
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

/// What a file was opened from, and the journal's folder, in which it is kept.
#[derive(Clone, Debug)]
struct OpenedFile {
    folder: PathBuf,
    source: Source,
}

impl OpenedFile {
    /// Keeps them, once.
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

/// The journal of an open file, where one is kept. A clone of a session writes none.
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

    /// A file has the state of this revision; `last` says whether it is the present one.
    pub(super) fn saved(
        &mut self,
        path: &Path,
        hash: u128,
        revision: u64,
        last: bool,
        loose: &[String],
    ) {
        self.with(|journal| {
            // Where nothing was done there is nothing to begin.
            let Some(pen) = journal.pen.clone() else { return Ok(()) };
            let (written, more) = (journal.written(revision, loose), !loose.is_empty());
            pen.write(
                &Line::Saved { file: absolute(path), hash: hex(hash), last, more, written },
                true,
            )
        });
    }

    /// What a save of the state of this revision needs of it.
    pub(super) fn save_mark(&self, revision: u64, loose: &[String]) -> Option<SaveMark> {
        let journal = self.0.as_ref()?;
        let pen = journal.pen.clone()?;
        Some(SaveMark {
            pen,
            opened: journal.opened.clone(),
            written: journal.written(revision, loose),
        })
    }

    /// Why it is not written, once.
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

/// The journal of one sitting with one file.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    /// What the first line says.
    begin: Line,
    opened: OpenedFile,
    has_place: bool,
    /// Nothing is on the disk before something is done.
    pen: Option<Arc<JournalWriter>>,
    /// Lines of steps that were written.
    steps: u64,
    /// The number of a step's line, by the revision that it left.
    numbers: BTreeMap<u64, u64>,
    fault: Option<String>,
    told: bool,
}

impl Journal {
    /// A journal for a session, in a folder of journals; nothing is written before something is
    /// done.
    pub fn new(home: &Path, session: &Session) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let source = session.source();
        let begin = Line::Begin {
            ulna: env!("CARGO_PKG_VERSION").to_owned(),
            file: session.path().map(absolute),
            name: session.file_name(),
            hash: hex(content_hash(&source.bytes)),
            time: now(),
        };
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let folder = home.join(format!("{stamp:x}-{}-{count}", std::process::id()));
        Self {
            begin,
            opened: OpenedFile { folder: folder.clone(), source: source.clone() },
            folder,
            has_place: session.path().is_some(),
            pen: None,
            steps: 0,
            numbers: BTreeMap::new(),
            fault: None,
            told: false,
        }
    }

    /// The pen; with the first line written.
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

    /// Goes on in a journal that was replayed: `steps` lines of steps, of which `numbers` says by
    /// the revision where they led.
    pub(super) fn going_on(
        session: &Session,
        (folder, file): (PathBuf, File),
        begin: Line,
        (steps, numbers): (u64, BTreeMap<u64, u64>),
    ) -> io::Result<Self> {
        let has_place = matches!(&begin, Line::Begin { file: Some(_), .. });
        let opened = OpenedFile { folder: folder.clone(), source: session.source().clone() };
        let pen = Some(JournalWriter::new(file)?);
        Ok(Self { folder, begin, opened, has_place, pen, steps, numbers, fault: None, told: false })
    }

    /// The state of a revision as lines of saves name it; nothing where no line of this journal led
    /// to it.
    fn written(&self, revision: u64, loose: &[String]) -> Option<Written> {
        // Before the first step there is none.
        let step = if revision == 0 { Some(0) } else { self.numbers.get(&revision).copied() }?;
        Some(Written { step, loose: loose.to_vec() })
    }

    /// The sitting is over, and nothing of it is wanted again.
    ///
    /// # Errors
    /// What the system says.
    pub fn discard(mut self) -> io::Result<()> {
        if self.pen.take().is_some() { fs::remove_dir_all(&self.folder) } else { Ok(()) }
    }
}

/// Kinds of work that a step changed and that a file may not keep.
fn aids_of(step: &Transaction) -> Vec<String> {
    let mut aids: Vec<String> = step.edits().filter_map(aid_of).collect();
    aids.sort_unstable();
    aids.dedup();
    aids
}

/// What command lines name: nodes, clips, joints, layers; the first few of them.
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
