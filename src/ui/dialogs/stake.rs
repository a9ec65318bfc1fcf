//! When work is at stake: a save that is in somebody's way or cannot be done, a file that changed, a crash.
//!
//! One primary button, at the right, and it says the amount. Escape is always *Cancel* or *Later* and loses nothing.

use std::path::Path;

use egui::{Align, Layout, RichText, ScrollArea, Ui};

use super::{plain, primary, title};
use crate::{
    session::SaveRequest,
    ui::{Action, Actions, ChangedOnDisk, Dialog, Obstacle, RecoveryView, Theme, View, theme::Font},
};

fn text(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).color(theme.color("text.secondary"))).wrap());
}

fn small(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color("text.tertiary"));
    ui.add(egui::Label::new(text).wrap());
}

fn many(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}

/// Asks what to do about what is in a save's way.
pub fn refused_ui(
    ui: &mut Ui,
    view: &View<'_>,
    obstacle: Obstacle,
    request: &SaveRequest,
    copy: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let name = name_of(&request.path);
    let (heading, words, verb) = match obstacle {
        Obstacle::Exists => {
            (format!("Replace {name}?"), "Another file of this name is there already.".to_owned(), Some("Replace"))
        }
        Obstacle::Changed => (
            format!("{name} changed on disk"),
            "Another program wrote it since it was opened. What that program wrote would be lost.".to_owned(),
            Some("Overwrite"),
        ),
        Obstacle::Gone => (
            format!("{name} is not there any more"),
            "It was removed, or moved away, since it was opened.".to_owned(),
            Some("Make it again"),
        ),
        Obstacle::Linked(names) => (
            format!("{name} has {names} names"),
            "They are one file. Saved, this one would be another file than the rest.".to_owned(),
            Some("Cut the link and save"),
        ),
        Obstacle::ReadOnly => (
            format!("{name} is read-only"),
            "Check it out, or make it writable, or save under another name.".to_owned(),
            None,
        ),
    };
    title(ui, theme, &heading);
    text(ui, theme, &words);
    small(ui, theme, &request.path.display().to_string());
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        if plain(ui, "Save as…").clicked() {
            let path = request.path.display().to_string();
            actions.push(Action::SetDialog(Some(Dialog::SaveAs { path, copy })));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if obstacle == Obstacle::Changed {
                let edits = view.session.map_or(0, |s| s.history().done().len());
                if primary(ui, theme, &format!("Reload and replay {}", many(edits, "edit"))).clicked() {
                    actions.push(Action::Reload { replay: true });
                }
                if plain(ui, "Overwrite").clicked() {
                    actions.push(Action::SaveAnyway { obstacle, request: Box::new(request.clone()), copy });
                }
            } else if let Some(verb) = verb
                && primary(ui, theme, verb).clicked()
            {
                actions.push(Action::SaveAnyway { obstacle, request: Box::new(request.clone()), copy });
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(Action::SetDialog(None));
            }
        });
    });
}

/// Names the step that keeps the document from being saved, with the ways out.
pub fn blamed_ui(ui: &mut Ui, view: &View<'_>, step: usize, message: &str, path: &Path, actions: &mut Actions) {
    let theme = view.theme;
    title(ui, theme, &format!("Could not save {}", name_of(path)));
    text(ui, theme, message);
    ui.add_space(8.0);
    let Some(history) = view.session.map(|s| s.history()) else { return };
    let steps = history.done();
    egui::Frame::new().fill(theme.color("surface.field")).corner_radius(4).inner_margin(8).show(ui, |ui| {
        let (from, to) = (step.saturating_sub(2), (step + 3).min(steps.len()));
        for (k, done) in steps.iter().enumerate().take(to).skip(from) {
            let role = if k == step { "severity.error" } else { "text.secondary" };
            ui.horizontal(|ui| {
                let number = RichText::new(format!("{:>4}", k + 1)).font(Theme::font(Font::NumberSmall));
                ui.label(number.color(theme.color("text.tertiary")));
                ui.label(RichText::new(&done.label).color(theme.color(role)));
            });
        }
    });
    ui.add_space(12.0);
    let back = steps.len() - step;
    ui.horizontal(|ui| {
        if plain(ui, "Save as…").clicked() {
            actions.push(Action::SetDialog(Some(Dialog::SaveAs { path: path.display().to_string(), copy: false })));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if primary(ui, theme, &format!("Save without step {}", step + 1)).clicked() {
                actions.push(Action::SetDialog(None));
                actions.push(Action::LeaveOut(step));
            }
            if plain(ui, &format!("Undo {}", many(back, "step"))).clicked() {
                actions.push(Action::SetDialog(None));
                actions.push(Action::GoTo(step));
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(Action::SetDialog(None));
            }
        });
    });
}

/// Another program wrote the file, and there are edits here.
pub fn changed_ui(ui: &mut Ui, view: &View<'_>, choice: ChangedOnDisk, written: Option<&str>, actions: &mut Actions) {
    let theme = view.theme;
    let (name, edits) = view.session.map_or_else(Default::default, |s| (s.file_name(), s.history().done().len()));
    title(ui, theme, &format!("{name} changed on disk"));
    let when = written.map_or_else(String::new, |w| format!(" {w}"));
    text(ui, theme, &format!("Another program wrote it{when}. You have {} here.", many(edits, "edit")));
    ui.add_space(8.0);
    let rows = [
        (
            ChangedOnDisk::Replay,
            format!("Reload and replay my {}", many(edits, "edit")),
            "They are done again by name on the new file, as one step; what does not apply is listed.",
        ),
        (ChangedOnDisk::Reload, "Reload".to_owned(), "The edits made here are given up."),
        (ChangedOnDisk::Keep, "Keep mine".to_owned(), "The next save asks before it replaces what is on disk."),
    ];
    for (option, label, hint) in rows {
        if ui.radio(choice == option, label).clicked() {
            let written = written.map(ToOwned::to_owned);
            actions.push(Action::SetDialog(Some(Dialog::ChangedOnDisk { choice: option, written })));
        }
        ui.horizontal(|ui| {
            ui.add_space(24.0);
            small(ui, theme, hint);
        });
    }
    ui.add_space(12.0);
    let verb = match choice {
        ChangedOnDisk::Replay => "Reload and replay",
        ChangedOnDisk::Reload => "Reload",
        ChangedOnDisk::Keep => "Keep mine",
    };
    ui.horizontal(|ui| {
        if plain(ui, "Save mine as…").clicked() {
            actions.push(Action::SetDialog(None));
            actions.push(Action::Run(crate::edit::CommandLine::new("file.save_as")));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if primary(ui, theme, verb).clicked() {
                actions.push(match choice {
                    ChangedOnDisk::Replay => Action::Reload { replay: true },
                    ChangedOnDisk::Reload => Action::Reload { replay: false },
                    ChangedOnDisk::Keep => Action::SetDialog(None),
                });
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(Action::SetDialog(None));
            }
        });
    });
}

/// What a crash left behind, file by file.
pub fn recovery_ui(ui: &mut Ui, view: &View<'_>, open: Option<usize>, discard: Option<usize>, actions: &mut Actions) {
    let theme = view.theme;
    let count = view.recoveries.len();
    let heading = match count {
        0 => "Nothing to recover".to_owned(),
        1 => "Ulna closed while 1 file was not saved".to_owned(),
        n => format!("Ulna closed while {n} files were not saved"),
    };
    title(ui, theme, &heading);
    let words = if count == 0 {
        "No journal is left of an earlier sitting."
    } else {
        "All work up to the last step is in the journal. The files themselves are whole."
    };
    text(ui, theme, words);
    ui.add_space(8.0);
    ScrollArea::vertical().max_height(420.0).auto_shrink([false, true]).show(ui, |ui| {
        for (k, recovery) in view.recoveries.iter().enumerate() {
            block(ui, theme, k, recovery, (open == Some(k), discard == Some(k)), count == 1, actions);
        }
    });
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        small(ui, theme, &format!("Kept {} days · Preferences › Files", crate::session::KEPT_DAYS));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if count == 1
                && primary(ui, theme, &format!("Replay {}", many(view.recoveries[0].steps.len(), "step"))).clicked()
            {
                actions.push(Action::Recover(0));
            }
            if plain(ui, if count == 0 { "Close" } else { "Later" }).clicked() {
                actions.push(Action::SetDialog(None));
            }
        });
    });
}

fn block(
    ui: &mut Ui,
    theme: &Theme,
    k: usize,
    recovery: &RecoveryView,
    (listed, discards): (bool, bool),
    alone: bool,
    actions: &mut Actions,
) {
    let steps = many(recovery.steps.len(), "step");
    let frame = egui::Frame::new().fill(theme.color("surface.field")).corner_radius(4).inner_margin(12);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            let name =
                RichText::new(&recovery.name).font(Theme::font(Font::Heading)).color(theme.color("text.primary"));
            ui.add(egui::Label::new(name).truncate());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                small(ui, theme, &format!("last step {}", recovery.last));
            });
        });
        if !recovery.folder.is_empty() {
            small(ui, theme, &recovery.folder);
        }
        text(ui, theme, &format!("{steps} not in the file"));
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            if !alone && plain(ui, &format!("Replay {steps}")).clicked() {
                actions.push(Action::Recover(k));
            }
            if plain(ui, if listed { "Hide the list" } else { "List" }).clicked() {
                let open = (!listed).then_some(k);
                actions.push(Action::SetDialog(Some(Dialog::Recovery { open, discard: None })));
            }
            if discards {
                if plain(ui, &format!("Discard {steps}")).clicked() {
                    actions.push(Action::DiscardRecovery(k));
                }
            } else if plain(ui, "Discard…").clicked() {
                let open = listed.then_some(k);
                actions.push(Action::SetDialog(Some(Dialog::Recovery { open, discard: Some(k) })));
            }
        });
        if listed {
            const MOST: usize = 200;
            ui.add_space(4.0);
            for (n, label) in recovery.steps.iter().enumerate().take(MOST) {
                ui.horizontal(|ui| {
                    let number = RichText::new(format!("{:>4}", n + 1)).font(Theme::font(Font::NumberSmall));
                    ui.label(number.color(theme.color("text.tertiary")));
                    ui.label(RichText::new(label).color(theme.color("text.primary")));
                });
            }
            if recovery.steps.len() > MOST {
                small(ui, theme, &format!("{} more", recovery.steps.len() - MOST));
            }
        }
    });
    ui.add_space(8.0);
}

/// The program failed, and goes on.
pub fn fault_ui(ui: &mut Ui, theme: &Theme, report: Option<&str>, journal: Option<&str>, actions: &mut Actions) {
    title(ui, theme, "Something in Ulna failed");
    text(ui, theme, "What you were just doing was left out. All whole steps are here: save now, and start Ulna again.");
    if let Some(journal) = journal {
        text(ui, theme, "They are in the journal, too:");
        small(ui, theme, journal);
    }
    if let Some(report) = report {
        text(ui, theme, "A report without anything of your model:");
        small(ui, theme, report);
    }
    ui.add_space(12.0);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if primary(ui, theme, "Save").clicked() {
            actions.push(Action::SetDialog(None));
            actions.push(Action::Run(crate::edit::CommandLine::new("file.save")));
        }
        if plain(ui, "Go on").clicked() {
            actions.push(Action::SetDialog(None));
        }
    });
}
