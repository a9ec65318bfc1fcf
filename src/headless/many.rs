//! Work on many files: collects the files, and processes several at a time within a memory budget.

use std::{
    fs,
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::{Map, Value, json};

use super::{
    arguments::Out,
    report::{Failure, members, of_files, print},
};
use ulna_session::endings;

/// Files that paths name. A folder stands for all models in it and its subfolders, sorted by name.
///
/// Folders whose names start with a dot, and links to folders, are skipped.
pub(super) fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let before = all.len();
        add_models_below(path, &mut all);
        if all.len() == before {
            let known: Vec<String> = endings().map(|e| format!(".{e}")).collect();
            let message = format!(
                "{}: this folder contains no models ({})",
                path.display(),
                known.join(", ")
            );
            return Err(Failure::unusable("no_models_in_folder", message).of_file(path));
        }
    }
    Ok(all)
}

/// Adds the models of a folder and its subfolders. An unreadable folder is itself added, so that
/// opening it reports the error.
fn add_models_below(folder: &Path, all: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        all.push(folder.to_owned());
        return;
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_hidden => add_models_below(&path, all),
            Ok(_) if is_model(&path) && path.is_file() => all.push(path),
            _ => {}
        }
    }
}

/// True if the file extension belongs to a format that can be opened.
pub(super) fn is_model(path: &Path) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    endings().any(|known| known == ending)
}

/// Output paths of several input files: the output itself for one file, else the output folder
/// joined with the name of each file.
pub(super) fn outputs(
    files: &[PathBuf],
    output: &Path,
    renamed: impl Fn(&Path) -> PathBuf,
) -> Result<Vec<PathBuf>, Failure> {
    let is_folder = output.is_dir() || output.to_string_lossy().ends_with(['/', '\\']);
    if let ([_], false) = (files, is_folder) {
        return Ok(vec![output.to_owned()]);
    }
    if !is_folder && (output.exists() || output.extension().is_some()) {
        let message = format!(
            "{} input files need an output folder; -o names a file: {}",
            files.len(),
            output.display()
        );
        return Err(Failure::unusable("output_is_no_folder", message));
    }
    let mut made: Vec<PathBuf> = Vec::new();
    for file in files {
        let to = output.join(renamed(Path::new(file.file_name().unwrap_or_default())));
        if made.contains(&to) {
            let message =
                format!("two files would be saved as {}; rename one of them", to.display());
            return Err(Failure::unusable("outputs_collide", message));
        }
        made.push(to);
    }
    fs::create_dir_all(output).map_err(|e| {
        Failure::fault(
            "output_not_writable",
            format!("{} could not be made: {e}", output.display()),
        )
    })?;
    Ok(made)
}

/// Processes files one after another, each with its output. With JSON output, prints the entries of
/// all files as one object. Returns the exit status.
///
/// If there is a single file, its failure is returned as the error.
pub(super) fn in_turn<'a>(
    verb: &str,
    files: impl Iterator<Item = (&'a PathBuf, &'a PathBuf)>,
    is_single: bool,
    out: Out,
    mut work: impl FnMut(&Path, &Path) -> Result<Map<String, Value>, Failure>,
) -> Result<u8, Failure> {
    let (mut entries, mut status) = (Vec::new(), 0);
    for (file, output) in files {
        match work(file, output) {
            Ok(entry) => entries.push(entry),
            Err(failure) if is_single => return Err(failure),
            Err(failure) => {
                status = status.max(failure.status);
                entries.push(failed(file, &failure, out));
            }
        }
    }
    if out.json {
        print(&of_files(verb, entries, is_single, Map::new()).to_string())?;
    }
    Ok(status)
}

/// JSON entry of a failed file. With text output, also prints the error.
pub(super) fn failed(file: &Path, failure: &Failure, out: Out) -> Map<String, Value> {
    if !out.json {
        eprintln!("ulna: {}", failure.message);
    }
    members(json!({"file": file.display().to_string(), "error": failure.facts()}))
}

/// Maximum total size in bytes of files that are processed at the same time. A larger file is
/// processed alone.
const BUDGET: u64 = 256 << 20;
/// Maximum number of threads.
const MOST_THREADS: usize = 16;
/// Stack size of a thread in bytes, equal to that of the main thread. Deeply nested JSON is read
/// recursively.
const STACK: usize = 8 << 20;

/// A budget of bytes that threads share.
#[derive(Default)]
struct Budget {
    taken: Mutex<u64>,
    freed: Condvar,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of bytes reserved in a budget. Dropping the value releases the bytes.
struct Share<'a>(&'a Budget, u64);

impl Budget {
    /// Waits until `bytes` fit in the budget, and reserves them. A larger request waits until
    /// nothing is reserved.
    fn take(&self, bytes: u64) -> Share<'_> {
        let mut taken = locked(&self.taken);
        while *taken > 0 && *taken + bytes > BUDGET {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        Share(self, bytes)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *locked(&self.0.taken) -= self.1;
        self.0.freed.notify_all();
    }
}

/// Estimated size of a model on disk in bytes. For a .gltf file, it includes the .bin file of the
/// same name.
fn size_of_files(path: &Path) -> u64 {
    let length = |p: &Path| fs::metadata(p).map_or(0, |m| m.len());
    length(path)
        + if path.extension().is_some_and(|e| e == "gltf") {
            length(&path.with_extension("bin"))
        } else {
            0
        }
}

/// Runs `work` for each file on several threads. The results are in the order of the files.
/// Progress is printed to standard error if that is a terminal and not quiet.
pub(super) fn each<T: Send>(
    files: &[PathBuf],
    is_quiet: bool,
    work: impl Fn(&Path) -> T + Sync,
) -> Vec<T> {
    let shows = !is_quiet && files.len() > 1 && std::io::stderr().is_terminal();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let budget = Budget::default();
    let results: Mutex<Vec<Option<T>>> = Mutex::new(files.iter().map(|_| None).collect());
    let worker = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(k) else { break };
            let share = budget.take(size_of_files(file));
            let result = work(file);
            drop(share);
            locked(&results)[k] = Some(result);
            let ready = done.fetch_add(1, Ordering::Relaxed) + 1;
            if shows {
                say_progress(&format!("{ready} of {} files", files.len()));
            }
        }
    };
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(files.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the other threads do its work.
            let builder = thread::Builder::new().name("ulna-files".into()).stack_size(STACK);
            if builder.spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    if shows {
        say_progress("");
    }
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

/// Replaces the progress line. Errors of writing it are ignored.
fn say_progress(text: &str) {
    let mut out = std::io::stderr();
    let _unseen = write!(out, "\r\u{1b}[K{text}").and_then(|()| out.flush());
}
