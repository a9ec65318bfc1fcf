//! What a crash left behind: offered at the next start, done again, or thrown away.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use egui::Context;

use super::{
    App,
    jobs::{Done, Redone},
    loading::{Loaded, load},
};
use crate::ui::{Dialog, RecoveryView, StepView, ToastKind};
use ulna_edit::{
    Command, Mode,
    command::{DocumentCommand, MorphCommand},
    find_clip,
};
use ulna_session::{KeptStep, Recovery, RecoveryError};

impl App {
    /// Looks for journals without a writer, and offers what is in them.
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
        let step = |s: KeptStep| StepView { label: s.label, about: s.about, when: ago(s.time) };
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

    /// Does the work of a journal again.
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
            Done::Recovered(recovered, name)
        });
    }

    /// Shows what was recovered.
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
                let plural =
                    if steps == 1 { "1 edit".to_owned() } else { format!("{steps} edits") };
                let on = if changed { " on the changed file" } else { "" };
                let text =
                    format!("Recovered {name}: {plural} restored{on}. Check the result, then save");
                self.toast(ctx, ToastKind::Ok, text);
                if !failed.is_empty() {
                    let steps = if failed.len() == 1 {
                        "1 edit".to_owned()
                    } else {
                        format!("{} edits", failed.len())
                    };
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

    /// What was done last is seen: in the mode it was done in, at its time of its clip.
    fn show_last_step(&mut self) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let Some(line) =
            session.history().done().last().and_then(|step| step.lines(document).pop())
        else {
            return;
        };
        self.mode = match Command::read(&line) {
            Ok(Command::Document(DocumentCommand::Pose(_)) | Command::Session(_)) => Mode::Pose,
            Ok(Command::Document(DocumentCommand::Morph(
                MorphCommand::SetMorph(_) | MorphCommand::ResetMorphs(_),
            ))) => Mode::Pose,
            Ok(Command::Document(DocumentCommand::Weight(_) | DocumentCommand::Layer(_))) => {
                Mode::Paint
            }
            _ => self.mode,
        };
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

    /// Throws all journals away but those that windows write.
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

    /// Throws a journal away.
    pub(super) fn discard_recovery(&mut self, ctx: &Context, k: usize) {
        if k >= self.files.recoveries.len() {
            return;
        }
        if let Err(error) = self.files.recoveries.remove(k).discard() {
            self.toast(
                ctx,
                ToastKind::Error,
                format!("The journal could not be removed: {error}."),
            );
        }
        self.show_recoveries(ctx);
        self.dialogs.open = (!self.files.recoveries.is_empty())
            .then_some(Dialog::Recovery { open: None, discard: None });
    }
}
