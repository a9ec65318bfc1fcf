//! What a crash left behind: offered at the next start, done again, or thrown away.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use egui::Context;

use super::{
    App,
    jobs::{Done, Loaded, load},
};
use crate::{
    session::{Recovery, RecoveryError},
    ui::{Dialog, RecoveryView, ToastKind},
};

impl App {
    /// Looks for journals without a writer, and offers what is in them.
    pub(super) fn look_for_recoveries(&mut self) {
        let Some(home) = self.journal_home() else { return };
        self.recoveries = Recovery::scan(&home);
        self.show_recoveries();
        if !self.recoveries.is_empty() {
            self.dialog = Some(Dialog::Recovery { open: None, discard: None });
        }
    }

    fn show_recoveries(&mut self) {
        let view = |r: &Recovery| {
            let age = SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_secs(r.time())).unwrap_or_default();
            RecoveryView {
                name: r.name().to_owned(),
                folder: r.file().and_then(|f| f.parent()).map_or_else(String::new, |p| p.display().to_string()),
                steps: r.steps().into_iter().map(ToOwned::to_owned).collect(),
                last: super::recent::ago(age.as_secs()),
            }
        };
        self.recovery_views = self.recoveries.iter().map(view).collect();
    }

    /// Does the work of a journal again.
    pub(super) fn recover(&mut self, ctx: &Context, k: usize) {
        if k >= self.recoveries.len() {
            return;
        }
        let recovery = self.recoveries.remove(k);
        self.show_recoveries();
        self.dialog = None;
        let name = recovery.name().to_owned();
        let label = format!("Recovering {name}");
        let loader = self.stage.loader();
        self.start(ctx, label, true, move |progress| {
            let recovered = recovery.replay(progress).map(|r| (load(r.session, &loader), r.failed));
            Done::Recovered(recovered, name)
        });
    }

    /// Shows what was recovered.
    pub(super) fn take_recovered(
        &mut self,
        ctx: &Context,
        result: Result<(Box<Loaded>, Vec<String>), RecoveryError>,
        name: &str,
    ) {
        match result {
            Ok((loaded, failed)) => {
                let steps = loaded.session.history().done().len();
                self.show(*loaded, false);
                self.playback.playing = false;
                self.tour = None;
                self.show_title(ctx);
                let plural = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
                let text = format!("Recovered {name}: {plural} done again. Save when it is as you want it");
                self.toast(ctx, ToastKind::Ok, text);
                if !failed.is_empty() {
                    let text = format!("{} steps could not be done again: {}.", failed.len(), failed.join("; "));
                    self.toast(ctx, ToastKind::Error, text);
                }
            }
            Err(error) => self.toast(ctx, ToastKind::Error, format!("{name} was not recovered: {error}.")),
        }
    }

    /// Throws all journals away but those that windows write.
    pub(super) fn clear_journals(&mut self, ctx: &Context) {
        self.recoveries.clear();
        let found = self.journal_home().map_or_else(Vec::new, |home| Recovery::scan(&home));
        let count = found.len();
        for recovery in found {
            if let Err(error) = recovery.discard() {
                self.toast(ctx, ToastKind::Error, format!("A journal could not be removed: {error}."));
            }
        }
        self.show_recoveries();
        let plural = if count == 1 { "1 journal".to_owned() } else { format!("{count} journals") };
        self.toast(ctx, ToastKind::Ok, format!("Removed {plural} of earlier sittings"));
    }

    /// Throws a journal away.
    pub(super) fn discard_recovery(&mut self, ctx: &Context, k: usize) {
        if k >= self.recoveries.len() {
            return;
        }
        if let Err(error) = self.recoveries.remove(k).discard() {
            self.toast(ctx, ToastKind::Error, format!("The journal could not be removed: {error}."));
        }
        self.show_recoveries();
        self.dialog = (!self.recoveries.is_empty()).then_some(Dialog::Recovery { open: None, discard: None });
    }
}
