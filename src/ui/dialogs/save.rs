//! Questions around saving: blocked saves, failures, changed files, and content that would not be
//! saved.
//!
//! Each question has one primary button on the right, which states the number of changes. Escape
//! always means *Cancel* or *Later* and discards nothing.

use std::path::Path;

use egui::{Align, Layout, Ui};
use egui_material_icons::icons;

use super::parts::{answer, choice, head, many, name_of, plain, small, step};
use crate::ui::{Action, Actions, ChangedOnDisk, Dialog, Obstacle, UnkeyedRow, View, widgets};
use crate::ui::{DialogAction, ProgramAction};
use ulna_render::ColorRole;
use ulna_session::{Outlook, SaveRequest};

/// Asks how to continue a save that is blocked, such as by a read-only file.
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
        Obstacle::Exists => (
            format!("Replace {name}?"),
            "A file with this name already exists.".to_owned(),
            Some("Replace"),
        ),
        Obstacle::Changed => (
            format!("{name} changed on disk"),
            "Another program changed the file since you opened it. Saving overwrites those \
                changes."
                .to_owned(),
            Some("Overwrite"),
        ),
        Obstacle::Gone => (
            format!("{name} no longer exists"),
            "The file was deleted or moved since you opened it.".to_owned(),
            Some("Save it again"),
        ),
        Obstacle::Linked(names) => (
            format!("{name} has {names} hard links"),
            "All links point to one file. Saving makes this a separate file; the other links keep \
                the old content."
                .to_owned(),
            Some("Break the link and save"),
        ),
        Obstacle::ReadOnly => (
            format!("{name} is read-only"),
            "Make the file writable (or check it out), or save under another name.".to_owned(),
            None,
        ),
    };
    let sign = if obstacle == Obstacle::Changed { icons::ICON_SYNC } else { icons::ICON_WARNING };
    let role = if obstacle == Obstacle::Changed {
        ColorRole::SeverityInfo
    } else {
        ColorRole::SeverityWarning
    };
    head(ui, theme, Some((sign, role)), &heading, &words, actions);
    small(ui, theme, &request.path.display().to_string());
    ui.add_space(12.0);
    refused_verbs(ui, view, (obstacle, verb), request, copy, actions);
}

/// Shows buttons with the alternatives for a blocked save.
fn refused_verbs(
    ui: &mut Ui,
    view: &View<'_>,
    (obstacle, verb): (Obstacle, Option<&str>),
    request: &SaveRequest,
    copy: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let elsewhere = || {
        let path = request.path.display().to_string();
        DialogAction::SetDialog(Some(Dialog::SaveAs { path, copy }))
    };
    let anyway = || DialogAction::SaveAnyway { obstacle, request: Box::new(request.clone()), copy };
    ui.horizontal(|ui| {
        match verb {
            Some(_) if plain(ui, "Save as…").clicked() => actions.push(elsewhere()),
            // The user may have made the file writable in the meantime.
            None if plain(ui, "Try again").clicked() => {
                let path = request.path.clone();
                actions.push(DialogAction::SetDialog(None));
                actions.push(match copy {
                    true => DialogAction::SaveCopy(path),
                    false => DialogAction::SavePath(path),
                });
            }
            _ => {}
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            match verb {
                Some(verb) if obstacle == Obstacle::Changed => {
                    let edits = view.session.map_or(0, |s| s.history().done().len());
                    let reload = format!("Reload and reapply {}", many(edits, "edit"));
                    if answer(ui, theme, &reload).clicked() {
                        actions.push(DialogAction::Reload { replay: true });
                    }
                    if plain(ui, verb).clicked() {
                        actions.push(anyway());
                    }
                }
                Some(verb) if answer(ui, theme, verb).clicked() => actions.push(anyway()),
                None if answer(ui, theme, "Save as…").clicked() => actions.push(elsewhere()),
                _ => {}
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

/// Shows the undo step that prevents the document from being saved, with the alternatives.
pub fn blamed_ui(
    ui: &mut Ui,
    view: &View<'_>,
    cause: usize,
    message: &str,
    path: &Path,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let sign = Some((icons::ICON_ERROR, ColorRole::SeverityError));
    head(ui, theme, sign, &format!("Could not save {}", name_of(path)), message, actions);
    let Some(history) = view.session.map(|s| s.history()) else { return };
    let steps = history.done();
    theme.well().inner_margin(8).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let (from, to) = (cause.saturating_sub(2), (cause + 3).min(steps.len()));
        for (k, done) in steps.iter().enumerate().take(to).skip(from) {
            step(ui, theme, k + 1, "", &done.label, "", k == cause);
        }
    });
    ui.add_space(12.0);
    let back = steps.len() - cause;
    ui.horizontal(|ui| {
        if plain(ui, "Save as…").clicked() {
            actions.push(DialogAction::SetDialog(Some(Dialog::SaveAs {
                path: path.display().to_string(),
                copy: false,
            })));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if answer(ui, theme, &format!("Save without edit {}", cause + 1)).clicked() {
                actions.push(DialogAction::SetDialog(None));
                actions.push(DialogAction::LeaveOut(cause));
            }
            if plain(ui, &format!("Undo {}", many(back, "edit"))).clicked() {
                actions.push(DialogAction::SetDialog(None));
                actions.push(DialogAction::GoTo(cause));
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

/// Asks what to do after another program wrote a file that has unsaved edits here.
pub fn changed_ui(
    ui: &mut Ui,
    view: &View<'_>,
    chosen: ChangedOnDisk,
    written: Option<&str>,
    outlook: Option<&Outlook>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (name, edits) =
        view.session.map_or_else(Default::default, |s| (s.file_name(), s.history().done().len()));
    let when = written.map_or_else(String::new, |w| format!(" {w}"));
    let words = format!(
        "Another program changed the file{when}. You have {} in Ulna.",
        many(edits, "edit")
    );
    head(
        ui,
        theme,
        Some((icons::ICON_SYNC, ColorRole::SeverityInfo)),
        &format!("{name} changed on disk"),
        &words,
        actions,
    );
    let rows = [
        (
            ChangedOnDisk::Replay,
            format!("Reload and reapply my {}", many(edits, "edit")),
            applies(outlook),
        ),
        (ChangedOnDisk::Reload, "Reload".to_owned(), "Discards your edits in Ulna.".to_owned()),
        (
            ChangedOnDisk::Keep,
            "Keep mine".to_owned(),
            "Keeps your version. The next save asks before overwriting the file.".to_owned(),
        ),
    ];
    ui.spacing_mut().item_spacing.y = 2.0;
    for (option, label, hint) in rows {
        if choice(ui, theme, chosen == option, &label, &hint).clicked() {
            let (written, outlook) =
                (written.map(ToOwned::to_owned), outlook.cloned().map(Box::new));
            actions.push(DialogAction::SetDialog(Some(Dialog::ChangedOnDisk {
                choice: option,
                written,
                outlook,
            })));
        }
    }
    if let Some(outlook) = outlook {
        const MOST: usize = 3;
        ui.add_space(6.0);
        let mut what = outlook.changes.iter().take(MOST).cloned().collect::<Vec<_>>().join("; ");
        if outlook.changes.len() > MOST {
            what.push_str(&format!("; and {} more", outlook.changes.len() - MOST));
        }
        let what = if what.is_empty() { "nothing that Ulna shows".to_owned() } else { what };
        small(ui, theme, &format!("Changes on disk: {what}"));
    }
    ui.add_space(12.0);
    let verb = match chosen {
        ChangedOnDisk::Replay => "Reload and reapply",
        ChangedOnDisk::Reload => "Reload",
        ChangedOnDisk::Keep => "Keep mine",
    };
    ui.horizontal(|ui| {
        if plain(ui, "Save mine as…").clicked() {
            actions.push(DialogAction::SetDialog(None));
            actions
                .push(Action::Run(ulna_edit::command::FileCommand::SaveAs { path: None }.into()));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if answer(ui, theme, verb).clicked() {
                actions.push(match chosen {
                    ChangedOnDisk::Replay => DialogAction::Reload { replay: true },
                    ChangedOnDisk::Reload => DialogAction::Reload { replay: false },
                    ChangedOnDisk::Keep => DialogAction::SetDialog(None),
                });
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

/// Describes which edits can be reapplied to the changed file.
fn applies(outlook: Option<&Outlook>) -> String {
    let Some(Outlook { replayed, .. }) = outlook else {
        return "Reapplies your edits to the new file as one undo step. Checking which edits apply…"
            .to_owned();
    };
    match replayed.failed.as_slice() {
        [] => "All edits apply. They become one undo step.".to_owned(),
        [only] => format!(
            "{} can be reapplied. Cannot be reapplied: {only}.",
            many(replayed.done, "edit")
        ),
        [first, rest @ ..] => format!(
            "{} can be reapplied. Cannot be reapplied: {first}; and {} more.",
            many(replayed.done, "edit"),
            rest.len()
        ),
    }
}

/// Asks which unkeyed poses to key before a save. The others are not saved.
pub fn unkeyed_ui(ui: &mut Ui, view: &View<'_>, rows: &[UnkeyedRow], actions: &mut Actions) {
    let theme = view.theme;
    let name = view.session.map_or_else(String::new, |s| s.file_name());
    let heading = match rows.len() {
        1 => format!("Save {name}: 1 pose is not keyed"),
        n => format!("Save {name}: {n} poses are not keyed"),
    };
    head(
        ui,
        theme,
        None,
        &heading,
        "Only keyed poses are saved. Poses you skip stay in this window, unsaved.",
        actions,
    );
    let with = |k: usize, key: bool| {
        let mut rows = rows.to_vec();
        rows[k].key = key;
        DialogAction::SetDialog(Some(Dialog::Unkeyed { rows }))
    };
    theme.well().inner_margin(8).show(ui, |ui| {
        egui::ScrollArea::vertical().max_height(280.0).auto_shrink([false, true]).show(ui, |ui| {
            for (k, row) in rows.iter().enumerate() {
                ui.horizontal(|ui| {
                    let (rect, _) =
                        ui.allocate_exact_size(egui::vec2(20.0, 40.0), egui::Sense::hover());
                    let amber = theme.color(ColorRole::SelectionBase);
                    widgets::diamond(
                        ui.painter(),
                        rect.center(),
                        5.0,
                        egui::Color32::TRANSPARENT,
                        amber,
                    );
                    let room = (ui.available_width() - 120.0).max(0.0);
                    ui.allocate_ui_with_layout(
                        egui::vec2(room, 40.0),
                        Layout::top_down(Align::Min),
                        |ui| {
                            ui.set_min_width(room);
                            let place = egui::RichText::new(format!("{}  {}", row.clip, row.when));
                            ui.add(
                                egui::Label::new(place.color(theme.color(ColorRole::TextPrimary)))
                                    .truncate(),
                            );
                            small(ui, theme, &row.about);
                        },
                    );
                    widgets::segments(ui, theme, |ui| {
                        if widgets::segment(ui, theme, "Key", row.key, false).clicked() {
                            actions.push(with(k, true));
                        }
                        if widgets::segment(ui, theme, "Skip", !row.key, false).clicked() {
                            actions.push(with(k, false));
                        }
                    });
                });
            }
        });
    });
    ui.add_space(12.0);
    let keyed = rows.iter().filter(|r| r.key).count();
    ui.horizontal(|ui| {
        // Center the checkbox vertically beside the buttons.
        ui.set_height(32.0);
        let mut settings = view.settings.clone();
        if widgets::check(
            ui,
            theme,
            &mut settings.key_on_save,
            "Always key unkeyed poses when saving",
        )
        .changed()
        {
            actions.push(ProgramAction::Settings(Box::new(settings)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = if keyed == 0 {
                "Save without these poses".to_owned()
            } else {
                format!("Key {} and save", many(keyed, "pose"))
            };
            if answer(ui, theme, &verb).clicked() {
                actions.push(DialogAction::KeyAndSave(rows.to_vec()));
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}
