//! Internal errors (panics). They are caught per frame, logged without the model's content, and
//! reported with the location of the saved work.

use std::{
    any::Any,
    backtrace::Backtrace,
    fs,
    path::PathBuf,
    sync::{Mutex, Once, PoisonError},
};

use egui::Context;

use super::App;
use crate::ui::Dialog;

/// Message and source location of the last panic.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Number of panics after which the program ends, because it is unusable.
const MOST: u32 = 8;

/// Installs a panic hook that also records location and backtrace.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map_or_else(String::new, ToString::to_string);
            let way = Backtrace::force_capture();
            let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
            let text = format!("at {place}, in the thread “{thread}”\n\n{way}");
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            before(info);
        }));
    });
}

/// Message of a panic, if its payload is text.
fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}

impl App {
    /// Handles a panic of a frame. The document keeps the state of the last complete step.
    ///
    /// # Panics
    ///
    /// Resumes the panic after too many faults. The journal can then restore the work.
    pub(super) fn take_fault(&mut self, ctx: &Context, payload: Box<dyn Any + Send>) {
        self.window.faults += 1;
        if self.window.faults > MOST {
            std::panic::resume_unwind(payload);
        }
        let place = LAST.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        let report = self.report(&words(&*payload), &place);
        if let Some(session) = &mut self.session {
            // An incomplete gesture must not remain.
            session.cancel();
        }
        self.painting.drop_stroke();
        self.panels.end_gestures();
        let journal =
            self.session.as_ref().and_then(|s| s.journal_folder()).map(|f| f.display().to_string());
        self.dialogs.open =
            Some(Dialog::Fault { report: report.map(|p| p.display().to_string()), journal });
        ctx.request_repaint();
    }

    /// Writes the report to a file. Returns its path if writing succeeded. The report contains no
    /// names from the user's files.
    fn report(&self, words: &str, place: &str) -> Option<PathBuf> {
        let folder =
            self.program.keeps.then(|| eframe::storage_dir("ulna")).flatten()?.join("reports");
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |d| d.as_secs());
        let path = folder.join(format!("{now}.txt"));
        let text = format!(
            "Ulna {} on {} {}, {}\n\n{words}\n{place}\n",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
            self.renderer.device(),
        );
        match fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)) {
            Ok(()) => Some(path),
            Err(error) => {
                log::error!("the report could not be written: {error}");
                None
            }
        }
    }
}
