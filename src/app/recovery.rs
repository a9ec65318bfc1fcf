//! Recovery after a crash. At the next launch, unsaved work is offered to be replayed or discarded.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use egui::Context;

use super::{
    App,
    jobs::{JobResult, Redone},
    loading::{Loaded, load},
};
use crate::ui::{Dialog, DialogAction, Mode, RecoveryView, StepView, ToastKind};
use ulna_edit::{Command, find_clip};
use ulna_session::{KeptStep, Recovery, RecoveryError};

/// Text such as *14:05* for a time in seconds since 1970, in local time. `None` if it was before
/// today.
fn clock(time: u64) -> Option<String> {
    let zone = jiff::tz::TimeZone::system();
    let then = jiff::Timestamp::from_second(i64::try_from(time).ok()?).ok()?.to_zoned(zone);
    (then.date() == jiff::Zoned::now().date()).then(|| then.strftime("%H:%M").to_string())
}

/// The comma-separated names in `about`, without a name at the end of `label`.
fn beside(label: &str, about: &str) -> String {
    let named = |name: &&str| !label.strip_suffix(*name).is_some_and(|rest| rest.ends_with(' '));
    about.split(", ").filter(named).collect::<Vec<_>>().join(", ")
}

fn many_edits(count: usize) -> String {
    if count == 1 { "1 edit".to_owned() } else { format!("{count} edits") }
}

impl App {
    /// Searches for journals of ended processes, and offers to recover them.
    pub(super) fn look_for_recoveries(&mut self, ctx: &Context) {
        let Some(home) = self.journal_home() else { return };
        self.files.recoveries = Recovery::scan(&home);
        self.show_recoveries(ctx);
        if !self.files.recoveries.is_empty() {
            self.dialogs.open = Some(Dialog::Recovery { open: None, discard: None });
        }
    }

    pub(super) fn show_recoveries(&mut self, ctx: &Context) {
        let ago = |time: u64| {
            let age = SystemTime::now()
                .duration_since(UNIX_EPOCH + Duration::from_secs(time))
                .unwrap_or_default();
            super::recent::ago(age.as_secs())
        };
        let step = |s: KeptStep| StepView {
            about: beside(&s.label, &s.about),
            label: s.label,
            when: clock(s.time).unwrap_or_else(|| ago(s.time)),
        };
        let recent = &mut self.program.recent;
        let mut view = |r: &Recovery| RecoveryView {
            name: r.name().to_owned(),
            folder: r
                .file()
                .and_then(|f| f.parent())
                .map_or_else(String::new, |p| p.display().to_string()),
            picture: r.file().and_then(|f| {
                recent.picture(ctx, &f.canonicalize().unwrap_or_else(|_| f.to_owned()))
            }),
            steps: r.steps().into_iter().map(step).collect(),
            changed: r.looks_changed(),
            last: ago(r.time()),
        };
        self.files.recovery_views = self.files.recoveries.iter().map(&mut view).collect();
    }

    /// Shows a message that the opened file has edits to recover.
    pub(super) fn say_recoverable(&mut self, ctx: &Context, path: &Path) {
        let real = |p: &Path| p.canonicalize().unwrap_or_else(|_| p.to_owned());
        let opened = real(path);
        let edits: usize = self
            .files
            .recoveries
            .iter()
            .filter(|r| r.file().is_some_and(|f| real(f) == opened))
            .map(|r| r.steps().len())
            .sum();
        if edits == 0 {
            return;
        }
        let text = format!("{} from an earlier session can be restored", many_edits(edits));
        let list = DialogAction::SetDialog(Some(Dialog::Recovery { open: None, discard: None }));
        self.say(ctx, ToastKind::Note, text, vec![("Recover…", list.into())]);
    }

    /// Replays the edits of a journal.
    pub(super) fn recover(&mut self, ctx: &Context, k: usize) {
        if k >= self.files.recoveries.len() {
            return;
        }
        let recovery = self.files.recoveries.remove(k);
        self.show_recoveries(ctx);
        self.dialogs.open = None;
        let name = recovery.name().to_owned();
        let label = format!("Recovering {name}");
        self.start(ctx, label, true, move |progress| {
            let recovered = recovery.replay(progress).map(|r| {
                let redone = Redone { failed: r.failed, changed: r.changed };
                (load(r.session), redone)
            });
            JobResult::Recovered(recovered, name)
        });
    }

    /// Shows the recovered session.
    pub(super) fn take_recovered(
        &mut self,
        ctx: &Context,
        result: Result<(Box<Loaded>, Redone), RecoveryError>,
        name: &str,
    ) {
        match result {
            Ok((loaded, Redone { failed, changed })) => {
                let steps = loaded.session.history().done().len();
                self.show(ctx, *loaded, false);
                self.show_last_step();
                self.timeline.playback.playing = false;
                self.program.tour = None;
                self.show_title(ctx);
                let plural = many_edits(steps);
                let on = if changed { " on the changed file" } else { "" };
                let text =
                    format!("Recovered {name}: {plural} restored{on}. Check the result, then save");
                self.toast(ctx, ToastKind::Ok, text);
                if !failed.is_empty() {
                    let steps = many_edits(failed.len());
                    let text = format!("{steps} could not be restored: {}.", failed.join("; "));
                    self.toast(ctx, ToastKind::Error, text);
                }
            }
            Err(error) => self.toast(
                ctx,
                ToastKind::Error,
                format!("{name} could not be recovered: {error}."),
            ),
        }
    }

    /// Shows the result of the last replayed step, in the mode, clip and time of that step.
    fn show_last_step(&mut self) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let Some(line) =
            session.history().done().last().and_then(|step| step.lines(document).pop())
        else {
            return;
        };
        if let Some(mode) = Command::read(&line).ok().and_then(|c| Mode::showing_result_of(&c)) {
            self.mode = mode;
        }
        let clip = line
            .arguments
            .get("clip")
            .and_then(|c| c.as_str())
            .and_then(|c| find_clip(document, c).ok());
        if let Some(clip) = clip {
            self.timeline.playback.show(document, Some(clip));
            let time = line.arguments.get("time").and_then(serde_json::Value::as_f64);
            self.timeline.playback.seek(time.unwrap_or(0.0));
        }
    }

    /// Deletes all journals, except those of running windows.
    pub(super) fn clear_journals(&mut self, ctx: &Context) {
        self.files.recoveries.clear();
        let found = self.journal_home().map_or_else(Vec::new, |home| Recovery::scan(&home));
        let count = found.len();
        for recovery in found {
            if let Err(error) = recovery.discard() {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("A journal could not be removed: {error}."),
                );
            }
        }
        self.show_recoveries(ctx);
        let plural = if count == 1 { "1 journal".to_owned() } else { format!("{count} journals") };
        self.toast(ctx, ToastKind::Ok, format!("Removed {plural} of earlier sessions"));
    }

    /// Deletes a journal.
    pub(super) fn discard_recovery(&mut self, ctx: &Context, k: usize) {
        if k >= self.files.recoveries.len() {
            return;
        }
        let recovery = self.files.recoveries.remove(k);
        let (name, edits) = (recovery.name().to_owned(), many_edits(recovery.steps().len()));
        match recovery.discard() {
            Ok(()) => self.toast(ctx, ToastKind::Ok, format!("Discarded {edits} of {name}")),
            Err(error) => {
                let text = format!("The journal could not be removed: {error}.");
                self.toast(ctx, ToastKind::Error, text);
            }
        }
        self.show_recoveries(ctx);
        self.dialogs.open = (!self.files.recoveries.is_empty())
            .then_some(Dialog::Recovery { open: None, discard: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_in_the_label_of_a_step_are_not_repeated() {
        assert_eq!(beside("Rotate hips", "hips, Walk"), "Walk");
        assert_eq!(beside("Set key", "hips, Walk"), "hips, Walk");
        assert_eq!(beside("Rotate hips", "hips"), "");
        assert_eq!(beside("Rotate left.hips", "hips"), "hips");
    }

    #[test]
    fn steps_of_today_show_the_time_of_day() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        // The day may change between the two calls at midnight.
        if let Some(said) = clock(now) {
            assert_eq!((said.len(), &said[2..3]), (5, ":"));
        }
        assert_eq!(clock(0), None);
    }
}
