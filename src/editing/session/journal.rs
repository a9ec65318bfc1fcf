//! What was done to a file, line by line, on the disk as it is done: after a crash it is done again.
//!
//! A folder a sitting: `lines.jsonl`, and once the file is saved over, or where it has no place, the bytes it was opened
//! from. The process that writes a journal holds a lock on it; one without is of a process that is no more.

use std::{
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
use thiserror::Error;

use super::{
    Session,
    disk::{SystemDisk, write_atomically},
    stamp::content_hash,
};
use crate::{
    edit::{CommandLine, Transaction},
    formats::{
        gltf::{self, FileToWrite, Progress, ReadError, is_sidecar},
        read_whole,
    },
    model::Document,
};

/// What is written is on the disk this long after at the latest.
const SYNC: Duration = Duration::from_millis(100);

/// A journal that nobody wanted is thrown away after this long.
pub const KEPT_DAYS: u64 = 30;

const LINES: &str = "lines.jsonl";
const OPENED: &str = "opened";
/// The folder of what was beside it.
const BESIDE: &str = "beside";

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
enum Line {
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
    },
    /// A step was taken back.
    Undo,
    /// A step that was taken back was done again.
    Redo,
    /// A save is about to replace a file.
    Save { file: PathBuf, hash: String },
    /// It has; `last` says whether every step before this line is in it, `more` whether there was work that no file holds.
    Saved {
        file: PathBuf,
        hash: String,
        last: bool,
        #[serde(default)]
        more: bool,
    },
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

/// The file that lines go to.
#[derive(Debug)]
struct Pen {
    file: Mutex<File>,
    sync: mpsc::Sender<()>,
}

impl Pen {
    fn new(file: File) -> io::Result<Arc<Self>> {
        let (sync, asked) = mpsc::channel::<()>();
        let twin = file.try_clone()?;
        thread::Builder::new().name("journal".into()).spawn(move || {
            // Ends with the journal.
            while asked.recv().is_ok() {
                thread::sleep(SYNC / 2);
                while asked.try_recv().is_ok() {}
                if let Err(error) = twin.sync_data() {
                    log::warn!("the journal could not be synced: {error}");
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

impl Drop for Pen {
    fn drop(&mut self) {
        // The syncing thread has the same file for a moment longer; the lock is not its.
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.unlock() {
            log::warn!("the journal could not be unlocked: {error}");
        }
    }
}

/// What a save tells the journal just before it replaces a file.
#[derive(Clone, Debug)]
pub struct SaveMark {
    pen: Arc<Pen>,
}

impl SaveMark {
    /// Says it, on the disk.
    pub(super) fn write(&self, path: &Path, hash: u128) -> io::Result<()> {
        self.pen.write(&Line::Save { file: path.to_owned(), hash: hex(hash) }, true)
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
            log::error!("the journal could not be written: {error}");
            journal.fault.get_or_insert(error.to_string());
        }
    }

    pub(super) fn step(&mut self, step: &Transaction, document: &Document) {
        self.with(|journal| {
            let lines = step.lines(document).iter().map(as_object).collect();
            journal.begun()?.write(&Line::Step { label: step.label.clone(), lines, time: now() }, false)
        });
    }

    pub(super) fn undo(&mut self) {
        self.with(|journal| journal.begun()?.write(&Line::Undo, false));
    }

    pub(super) fn redo(&mut self) {
        self.with(|journal| journal.begun()?.write(&Line::Redo, false));
    }

    pub(super) fn saved(&mut self, path: &Path, hash: u128, last: bool, more: bool) {
        self.with(|journal| {
            // Where nothing was done there is nothing to begin.
            let Some(pen) = journal.pen.clone() else { return Ok(()) };
            pen.write(&Line::Saved { file: path.to_owned(), hash: hex(hash), last, more }, true)
        });
    }

    /// What a save needs of it; the opened bytes are kept first.
    pub(super) fn save_mark(&self) -> Option<SaveMark> {
        let journal = self.0.as_ref()?;
        let pen = journal.pen.clone()?;
        if let Err(error) = journal.keep_opened() {
            log::error!("the opened file could not be kept beside the journal: {error}");
        }
        Some(SaveMark { pen })
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
    /// The bytes the file was opened from, and data of ours beside it.
    opened: Arc<Vec<u8>>,
    beside: Vec<FileToWrite>,
    has_place: bool,
    /// Nothing is on the disk before something is done.
    pen: Option<Arc<Pen>>,
    fault: Option<String>,
    told: bool,
}

impl Journal {
    /// A journal for a session, in a folder of journals; nothing is written before something is done.
    pub fn new(home: &Path, session: &Session) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let source = session.source();
        let beside = source.folder().map_or_else(Vec::new, |folder| {
            let read = |uri: String| {
                let name = percent_encoding::percent_decode_str(&uri).decode_utf8().ok()?.into_owned();
                Some(FileToWrite { bytes: fs::read(folder.join(&name)).ok()?, name })
            };
            source.companion_uris().into_iter().filter(|uri| is_sidecar(uri)).filter_map(read).collect()
        });
        let begin = Line::Begin {
            ulna: env!("CARGO_PKG_VERSION").to_owned(),
            file: session.path().map(|p| std::path::absolute(p).unwrap_or_else(|_| p.to_owned())),
            name: session.file_name(),
            hash: hex(content_hash(&source.bytes)),
            time: now(),
        };
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        Self {
            folder: home.join(format!("{stamp:x}-{}-{count}", std::process::id())),
            begin,
            opened: source.bytes.clone(),
            beside,
            has_place: session.path().is_some(),
            pen: None,
            fault: None,
            told: false,
        }
    }

    /// The pen; with the first line written.
    fn begun(&mut self) -> io::Result<&Arc<Pen>> {
        if self.pen.is_none() {
            fs::create_dir_all(&self.folder)?;
            let file = OpenOptions::new().create(true).append(true).open(self.folder.join(LINES))?;
            file.lock()?;
            let pen = Pen::new(file)?;
            pen.write(&self.begin, false)?;
            self.pen = Some(pen);
            if !self.has_place {
                self.keep_opened()?;
            }
        }
        self.pen.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Keeps what the file was opened from, once.
    fn keep_opened(&self) -> io::Result<()> {
        let place = self.folder.join(OPENED);
        if place.exists() {
            return Ok(());
        }
        for file in &self.beside {
            let beside = self.folder.join(BESIDE).join(&file.name);
            beside.parent().map_or(Ok(()), fs::create_dir_all)?;
            write_atomically(&SystemDisk, &beside, &file.bytes)?;
        }
        write_atomically(&SystemDisk, &place, &self.opened)
    }

    /// The sitting is over, and nothing of it is wanted again.
    ///
    /// # Errors
    /// What the system says.
    pub fn discard(mut self) -> io::Result<()> {
        if self.pen.take().is_some() { fs::remove_dir_all(&self.folder) } else { Ok(()) }
    }
}

/// A step that a journal holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptStep {
    /// What a person did.
    pub label: String,
    /// What it was done to, as far as its lines name it.
    pub about: String,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// What lines of commands name: nodes, clips, joints, layers.
fn about(lines: &[Map<String, Value>]) -> String {
    names_in(lines.iter())
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

/// Why a journal cannot be replayed.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// It does not open.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal itself.
    #[error("the journal {path} could not be read: {source}", path = path.display())]
    Io {
        /// Its folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A journal that a crash left behind.
#[derive(Debug)]
pub struct Recovery {
    folder: PathBuf,
    /// Held as long as this is offered, so that no other window offers it too.
    file: File,
    begin: Line,
    lines: Vec<Line>,
}

/// A session that was recovered, and the steps that could not be done again, with the reason.
#[derive(Debug)]
pub struct Recovered {
    /// The session, with its history.
    pub session: Session,
    /// A sentence each.
    pub failed: Vec<String>,
    /// Whether it is another file than the steps were done on.
    pub changed: bool,
}

impl Recovery {
    /// All journals in a folder that no process writes and in which there is work; those without, and those older than
    /// [`KEPT_DAYS`], are removed.
    pub fn scan(home: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(home) else { return Vec::new() };
        let mut list: Vec<Self> = entries.filter_map(|e| Self::open(&e.ok()?.path())).collect();
        list.sort_by_key(Self::time);
        let (keep, drop): (Vec<Self>, Vec<Self>) = list.into_iter().partition(|r| {
            let old = now().saturating_sub(r.time()) > KEPT_DAYS * 24 * 3600;
            !old && !r.steps().is_empty()
        });
        for recovery in drop {
            if let Err(error) = recovery.discard() {
                log::warn!("an empty journal could not be removed: {error}");
            }
        }
        keep
    }

    fn open(folder: &Path) -> Option<Self> {
        let file = OpenOptions::new().read(true).append(true).open(folder.join(LINES)).ok()?;
        file.try_lock().ok()?;
        let text = fs::read(folder.join(LINES)).ok()?;
        let mut lines = text
            .split_inclusive(|b| *b == b'\n')
            // A last line that was cut was never there.
            .filter(|l| l.ends_with(b"\n"))
            .map_while(|l| serde_json::from_slice::<Line>(l).ok());
        let begin = lines.next().filter(|l| matches!(l, Line::Begin { .. }))?;
        let lines = lines.collect();
        Some(Self { folder: folder.to_owned(), file, begin, lines })
    }

    /// What the file is called.
    pub fn name(&self) -> &str {
        match &self.begin {
            Line::Begin { name, .. } => name,
            _ => "",
        }
    }

    /// Where it is, if it has a place: that of the last save, else where it was opened.
    pub fn file(&self) -> Option<&Path> {
        let saved = self.lines.iter().rev().find_map(|l| match l {
            Line::Saved { file, .. } => Some(file.as_path()),
            _ => None,
        });
        saved.or(match &self.begin {
            Line::Begin { file, .. } => file.as_deref(),
            _ => None,
        })
    }

    /// When something was done last, in seconds since 1970.
    pub fn time(&self) -> u64 {
        let of = |l: &Line| match l {
            Line::Begin { time, .. } | Line::Step { time, .. } => Some(*time),
            _ => None,
        };
        self.lines.iter().rev().find_map(of).or_else(|| of(&self.begin)).unwrap_or(0)
    }

    /// The steps that are in no file, the first first.
    pub fn steps(&self) -> Vec<KeptStep> {
        let mut done: Vec<KeptStep> = Vec::new();
        let mut undone: Vec<KeptStep> = Vec::new();
        let mut saved = 0;
        let mut went_back = false;
        for line in &self.lines {
            match line {
                Line::Step { label, lines, time } => {
                    done.push(KeptStep { label: label.clone(), about: about(lines), time: *time });
                    undone.clear();
                }
                Line::Undo => {
                    undone.extend(done.pop());
                    went_back |= done.len() < saved;
                }
                Line::Redo => done.extend(undone.pop()),
                Line::Saved { last: true, more: false, .. } => (saved, went_back) = (done.len(), false),
                _ => {}
            }
        }
        if went_back {
            // What was undone across a save is work, too.
            let undo = || KeptStep { label: "Undo".into(), about: String::new(), time: self.time() };
            return if done.is_empty() { vec![undo()] } else { done };
        }
        done.split_off(saved.min(done.len()))
    }

    /// Whether the file looks changed since the journal began, and the journal has no copy of what it was: then its steps are
    /// done again by name on the file as it is. A look at the time of writing only; what is done goes by the content.
    pub fn looks_changed(&self) -> bool {
        let Line::Begin { file: Some(file), time, .. } = &self.begin else { return false };
        let written = fs::metadata(file).and_then(|m| m.modified()).ok();
        let written = written.and_then(|w| w.duration_since(SystemTime::UNIX_EPOCH).ok()).map_or(0, |d| d.as_secs());
        written > *time && !self.folder.join(OPENED).exists()
    }

    /// Throws it away.
    ///
    /// # Errors
    /// What the system says.
    pub fn discard(self) -> io::Result<()> {
        fs::remove_dir_all(&self.folder)
    }

    /// Does everything again, on the bytes the file was opened from; where they are not to be had any more, by name on the file
    /// as it is now. The session goes on with this journal.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn replay(self, progress: &Progress) -> Result<Recovered, RecoveryError> {
        let io = |source| RecoveryError::Io { path: self.folder.clone(), source };
        let Line::Begin { file, hash, .. } = &self.begin else {
            return Err(io(io::ErrorKind::InvalidData.into()));
        };
        let kept = self.folder.join(OPENED);
        let mut changed = false;
        let bytes = if kept.exists() {
            fs::read(&kept).map_err(io)?
        } else {
            let path = file.clone().ok_or_else(|| io(io::ErrorKind::NotFound.into()))?;
            let bytes = read_whole(&path).map_err(|source| ReadError::Io { path: path.clone(), source })?;
            changed = hex(content_hash(&bytes)) != *hash;
            bytes
        };
        let mut beside = Vec::new();
        for entry in fs::read_dir(self.folder.join(BESIDE)).into_iter().flatten().flatten() {
            let bytes = fs::read(entry.path()).map_err(io)?;
            beside.push(FileToWrite { name: entry.file_name().to_string_lossy().into_owned(), bytes });
        }
        let opened = gltf::open_beside(bytes.into(), file.as_deref(), beside.into(), progress)?;
        let mut session = Session::of(opened, file.clone());
        let mut failed = Vec::new();
        for line in &self.lines {
            match line {
                Line::Step { label, lines, .. } => {
                    let parsed: Vec<CommandLine> = lines.iter().cloned().filter_map(CommandLine::from_object).collect();
                    match session.run_lines(label, &parsed) {
                        Ok(true) => {}
                        Ok(false) => failed.push(format!("“{label}” changed nothing")),
                        Err(error) => failed.push(format!("“{label}”: {error}")),
                    }
                }
                Line::Undo => drop(session.undo()),
                Line::Redo => drop(session.redo()),
                Line::Saved { file, hash, last, .. } => {
                    let there = fs::read(file).ok().filter(|b| hex(content_hash(b)) == *hash);
                    session.take_recovered(file, there.as_deref(), *last);
                }
                Line::Save { .. } | Line::Begin { .. } => {}
            }
        }
        let journal = Journal {
            has_place: file.is_some(),
            opened: session.source().bytes.clone(),
            beside: Vec::new(),
            begin: self.begin.clone(),
            pen: Some(Pen::new(self.file).map_err(|source| RecoveryError::Io { path: self.folder.clone(), source })?),
            folder: self.folder,
            fault: None,
            told: false,
        };
        session.journal.put(journal);
        Ok(Recovered { session, failed, changed })
    }
}
