//! Journals left by a crash: finds them, lists their steps, and runs the steps again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    Session,
    journal::{BESIDE, Journal, KEPT_DAYS, LINES, Line, OPENED, Written, hex, names_in, now},
    stamp::{content_hash, file_hash},
};
use ulna_edit::{CommandLine, History};
use ulna_formats::{
    gltf::{self, FileToWrite, Progress, ReadError},
    read_whole,
};

/// One step of a journal, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptStep {
    /// Label of the step in the history.
    pub label: String,
    /// Names of the changed elements, as far as the lines contain them.
    pub about: String,
    /// Time of the step, in seconds since 1970.
    pub time: u64,
}

/// Returns the names of nodes, clips, joints and layers in command lines.
fn about(lines: &[Map<String, Value>]) -> String {
    names_in(lines.iter())
}

/// Reason why the steps of a journal cannot be run again.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The opened file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal cannot be read.
    #[error("the recovery journal {path} could not be read: {source}", path = path.display())]
    Io {
        /// Path of the journal folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

impl RecoveryError {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::Io { .. } => "journal_unreadable",
        }
    }
}

/// A journal left by a crash.
#[derive(Debug)]
pub struct Recovery {
    folder: PathBuf,
    /// The file of lines, locked. The lock prevents other windows from offering the same journal.
    file: File,
    begin: Line,
    lines: Vec<Line>,
    /// Whether the last save had already replaced its file, although its final line is missing.
    finished: bool,
}

/// Result of running the steps of a journal again.
#[derive(Debug)]
pub struct Recovered {
    /// The recovered session, with its history.
    pub session: Session,
    /// One sentence per step that failed, with the reason.
    pub failed: Vec<String>,
    /// Whether the file differs from the file on which the steps were made.
    pub changed: bool,
}

/// The last save in a journal that replaced the file on disk.
struct LastSave<'a> {
    /// Index of the save's line in the journal.
    line: usize,
    file: &'a Path,
    hash: &'a String,
    /// State that the save wrote; `None` in journals of older versions.
    written: Option<&'a Written>,
    last: bool,
    more: bool,
}

/// Returns the index of the last line about a save, finished or not.
fn last_save(lines: &[Line]) -> Option<usize> {
    lines.iter().rposition(|l| matches!(l, Line::Save { .. } | Line::Saved { .. }))
}

/// A step of a journal. `after` is the number of the step before it; 0 if it is the first.
struct StepLine<'a> {
    label: &'a str,
    lines: &'a [Map<String, Value>],
    time: u64,
    aids: Option<&'a Vec<String>>,
    after: u64,
}

impl StepLine<'_> {
    fn kept(&self) -> KeptStep {
        KeptStep { label: self.label.to_owned(), about: about(self.lines), time: self.time }
    }
}

/// Tree of all steps of a journal. A step after an undo starts a new branch. Steps are numbered
/// from 1.
struct StepTree<'a> {
    steps: Vec<StepLine<'a>>,
    /// Steps of the current branch, in order.
    done: Vec<u64>,
}

impl<'a> StepTree<'a> {
    fn of(journal: &'a [Line]) -> Self {
        let (mut steps, mut done, mut undone) = (Vec::new(), Vec::new(), Vec::new());
        for line in journal {
            match line {
                Line::Step { label, lines, time, aids } => {
                    let after = done.last().copied().unwrap_or(0);
                    steps.push(StepLine { label, lines, time: *time, aids: aids.as_ref(), after });
                    done.push(steps.len() as u64);
                    undone.clear();
                }
                Line::Undo => undone.extend(done.pop()),
                Line::Redo => done.extend(undone.pop()),
                Line::Begin { .. } | Line::Save { .. } | Line::Saved { .. } => {}
            }
        }
        Self { steps, done }
    }

    /// Returns the last step of the current branch; 0 if there is none.
    fn now(&self) -> u64 {
        self.done.last().copied().unwrap_or(0)
    }

    /// Returns a step and all its ancestors.
    fn path(&self, step: u64) -> BTreeSet<u64> {
        let after = |at: &u64| {
            Some(self.steps.get((*at as usize).checked_sub(1)?)?.after).filter(|at| *at > 0)
        };
        std::iter::successors(Some(step).filter(|at| *at > 0), after).collect()
    }
}

/// Result of running the lines of a journal again.
struct ReplayedLines {
    failed: Vec<String>,
    /// Number of steps, and a map from each revision of the history to the step that made it.
    numbers: (u64, BTreeMap<u64, u64>),
}

impl Recovery {
    /// Finds all journals in a folder that are not locked and contain unsaved steps. Unlocked
    /// journals without unsaved steps, or older than [`KEPT_DAYS`], are deleted.
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
                log::warn!("an empty recovery journal could not be removed: {error}");
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
            // An incomplete last line is ignored.
            .filter(|l| l.ends_with(b"\n"))
            .map_while(|l| serde_json::from_slice::<Line>(l).ok());
        let begin = lines.next().filter(|l| matches!(l, Line::Begin { .. }))?;
        let lines: Vec<Line> = lines.collect();
        // If the process was killed between the rename and the journal line, only the hash of the
        // file shows that the save succeeded.
        let finished = last_save(&lines).is_some_and(|at| match &lines[at] {
            Line::Save { file, hash, .. } => file_hash(file).is_ok_and(|found| hex(found) == *hash),
            _ => false,
        });
        Some(Self { folder: folder.to_owned(), file, begin, lines, finished })
    }

    /// Returns the last save that replaced its file.
    fn last_saved(&self) -> Option<LastSave<'_>> {
        let at = last_save(&self.lines)?;
        let at = match &self.lines[at] {
            Line::Save { .. } if !self.finished => {
                self.lines.iter().rposition(|l| matches!(l, Line::Saved { .. }))?
            }
            _ => at,
        };
        match &self.lines[at] {
            Line::Save { file, hash, written } => Some(LastSave {
                line: at,
                file,
                hash,
                written: written.as_ref(),
                last: true,
                more: written.is_none(),
            }),
            Line::Saved { file, hash, last, more, written } => Some(LastSave {
                line: at,
                file,
                hash,
                written: written.as_ref(),
                last: *last,
                more: *more,
            }),
            _ => None,
        }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        match &self.begin {
            Line::Begin { name, .. } => name,
            _ => "",
        }
    }

    /// Returns the path of the last save, else the path that was opened. `None` if the file has no
    /// path.
    pub fn file(&self) -> Option<&Path> {
        self.last_saved().map(|saved| saved.file).or(match &self.begin {
            Line::Begin { file, .. } => file.as_deref(),
            _ => None,
        })
    }

    /// Returns the time of the last step, in seconds since 1970.
    pub fn time(&self) -> u64 {
        let of = |l: &Line| match l {
            Line::Begin { time, .. } | Line::Step { time, .. } => Some(*time),
            _ => None,
        };
        self.lines.iter().rev().find_map(of).or_else(|| of(&self.begin)).unwrap_or(0)
    }

    /// Returns the steps that no saved file contains, in order. A step that was undone after it was
    /// saved is included.
    pub fn steps(&self) -> Vec<KeptStep> {
        let tree = StepTree::of(&self.lines);
        let saved = self.last_saved();
        let (in_file, loose) = match &saved {
            None => (BTreeSet::new(), None),
            Some(LastSave { written: Some(written), .. }) => {
                (tree.path(written.step), Some(&written.loose))
            }
            // In journals of older versions, either all steps before the line are known to be
            // saved, or nothing is known.
            Some(old) if old.last && !old.more => {
                (tree.path(StepTree::of(&self.lines[..old.line]).now()), None)
            }
            Some(_) => (BTreeSet::new(), None),
        };
        let is_loose = |at: u64| {
            let aids = tree.steps.get(at as usize - 1).map(|s| s.aids);
            loose.is_some_and(|loose| match aids {
                Some(Some(aids)) => aids.iter().any(|aid| loose.contains(aid)),
                _ => !loose.is_empty(),
            })
        };
        let kept = |at: u64| tree.steps.get(at as usize - 1).map(StepLine::kept);
        let missing = tree.done.iter().filter(|at| !in_file.contains(at) || is_loose(**at));
        let mut steps: Vec<KeptStep> = missing.filter_map(|at| kept(*at)).collect();
        let undone =
            in_file.iter().rev().filter(|at| !tree.done.contains(at)).filter_map(|at| kept(*at));
        steps.extend(undone.map(|step| KeptStep { label: format!("Undo {}", step.label), ..step }));
        steps
    }

    /// Whether the file seems to have changed since the journal began, while the journal has no
    /// copy of the opened bytes. The steps would then run on the changed file, by name. Only the
    /// modification time is compared; [`Recovery::replay`] compares the content.
    pub fn looks_changed(&self) -> bool {
        let Line::Begin { file: Some(file), time, .. } = &self.begin else { return false };
        let written = fs::metadata(file).and_then(|m| m.modified()).ok();
        let written = written
            .and_then(|w| w.duration_since(SystemTime::UNIX_EPOCH).ok())
            .map_or(0, |d| d.as_secs());
        written > *time && !self.folder.join(OPENED).exists()
    }

    /// Deletes the journal.
    ///
    /// # Errors
    /// I/O error of the system.
    pub fn discard(self) -> io::Result<()> {
        fs::remove_dir_all(&self.folder)
    }

    /// Runs all steps again on the opened bytes. If these are lost, the steps run by name on the
    /// current file. The recovered session continues this journal.
    ///
    /// # Errors
    /// The file or the journal cannot be read.
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
            let bytes =
                read_whole(&path).map_err(|source| ReadError::Io { path: path.clone(), source })?;
            changed = hex(content_hash(&bytes)) != *hash;
            bytes
        };
        let mut beside = Vec::new();
        for entry in fs::read_dir(self.folder.join(BESIDE)).into_iter().flatten().flatten() {
            let bytes = fs::read(entry.path()).map_err(io)?;
            beside.push(FileToWrite {
                name: entry.file_name().to_string_lossy().into_owned(),
                bytes,
            });
        }
        let opened = gltf::open_beside(bytes.into(), file.as_deref(), beside.into(), progress)?;
        let mut session = Session::of(opened, file.clone());
        let replayed = self.replay_lines(&mut session);
        let Self { folder, file, begin, .. } = self;
        let journal =
            Journal::going_on(session.source(), (folder.clone(), file), begin, replayed.numbers)
                .map_err(|source| RecoveryError::Io { path: folder, source })?;
        session.journal.put(journal);
        Ok(Recovered { session, failed: replayed.failed, changed })
    }

    /// Runs all lines again.
    fn replay_lines(&self, session: &mut Session) -> ReplayedLines {
        let mut failed = Vec::new();
        // Whether each step succeeded. Only successful steps can be undone.
        let (mut done, mut undone): (Vec<bool>, Vec<bool>) = (Vec::new(), Vec::new());
        let (mut steps, mut numbers) = (0, BTreeMap::new());
        let saved = self.last_saved();
        let wanted = saved.as_ref().and_then(|s| s.written).map(|w| w.step);
        let mut state = (wanted == Some(0)).then(|| session.state_to_save());
        // Steps that a later line undoes must stay in the history.
        let last_undo = self.lines.iter().rposition(|l| matches!(l, Line::Undo));
        session.history.set_budget(usize::MAX);
        for (k, line) in self.lines.iter().enumerate() {
            if last_undo.is_none_or(|last| k > last) {
                session.history.set_budget(History::BUDGET);
            }
            match line {
                Line::Step { label, lines, .. } => {
                    steps += 1;
                    undone.clear();
                    let parsed: Vec<CommandLine> =
                        lines.iter().cloned().filter_map(CommandLine::from_object).collect();
                    let made = match session.run_lines(label, &parsed) {
                        Ok(made) => made,
                        Err(error) => {
                            failed.push(format!("“{label}”: {error}"));
                            done.push(false);
                            continue;
                        }
                    };
                    done.push(made);
                    if !made {
                        failed.push(format!("“{label}” changed nothing"));
                        continue;
                    }
                    numbers.insert(session.history.revision(), steps);
                    if wanted == Some(steps) {
                        state = Some(session.state_to_save());
                    }
                }
                Line::Undo => {
                    if let Some(made) = done.pop() {
                        undone.push(made);
                        if made {
                            session.undo();
                        }
                    }
                }
                Line::Redo => {
                    if let Some(made) = undone.pop() {
                        done.push(made);
                        if made {
                            session.redo();
                        }
                    }
                }
                Line::Saved { .. } | Line::Save { .. } | Line::Begin { .. } => {}
            }
            if let Some(old) = saved.as_ref().filter(|s| s.line == k && s.written.is_none()) {
                state = old.last.then(|| session.state_to_save());
            }
        }
        session.history.set_budget(History::BUDGET);
        if let Some(saved) = &saved {
            let there = file_hash(saved.file).is_ok_and(|found| hex(found) == *saved.hash);
            session.take_recovered(saved.file, there, state.filter(|_| there));
        }
        ReplayedLines { failed, numbers: (steps, numbers) }
    }
}
