//! Unsaved work of crashed sessions, one entry per file: replay, inspect or discard it.

use egui::{Align, Label, Layout, Rect, RichText, ScrollArea, Sense, Ui, vec2};
use egui_material_icons::icons;

use super::parts::{answer, head, many, plain, primary, small, step, text, title, warning};
use crate::ui::DialogAction;
use crate::ui::{
    Action, Actions, Dialog, RecoveryView, Theme, View, theme::Font, widgets::paint_icon,
};
use ulna_render::ColorRole;

/// Size of a file's image, in points.
const PICTURE: egui::Vec2 = vec2(132.0, 96.0);

/// Minimum width of the *Discard…* button, and of *Keep* in its place, in points.
const DISCARD: f32 = 84.0;

/// Lists all files with unsaved work from crashed sessions.
pub fn recovery_ui(
    ui: &mut Ui,
    view: &View<'_>,
    open: Option<usize>,
    discard: Option<usize>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let count = view.dialogs.recoveries.len();
    let heading = match count {
        0 => "Nothing to recover".to_owned(),
        1 => "Recover unsaved work in 1 file?".to_owned(),
        n => format!("Recover unsaved work in {n} files?"),
    };
    let words = if count == 0 {
        "No unsaved work of an earlier session was found."
    } else if view.dialogs.recoveries.iter().any(|r| r.changed) {
        "Ulna closed unexpectedly. A file changed since then, so some of its edits may not apply."
    } else {
        "Ulna closed unexpectedly. Your files are intact, and all unsaved edits can be restored."
    };
    head(ui, theme, None, &heading, words, actions);
    let most = (ui.ctx().content_rect().height() - 260.0).max(160.0);
    ScrollArea::vertical().max_height(most).auto_shrink([false, true]).show(ui, |ui| {
        for (k, recovery) in view.dialogs.recoveries.iter().enumerate() {
            block(
                ui,
                theme,
                k,
                recovery,
                (open == Some(k), discard == Some(k)),
                count == 1,
                actions,
            );
        }
    });
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 32.0), Sense::hover());
        paint_icon(
            ui.painter(),
            rect.center(),
            icons::ICON_FOLDER_OPEN,
            16.0,
            theme.color(ColorRole::TextTertiary),
        );
        small(
            ui,
            theme,
            &format!("Kept {} days; see Preferences › Files", ulna_session::KEPT_DAYS),
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if count == 1
                && answer(
                    ui,
                    theme,
                    &format!("Restore {}", many(view.dialogs.recoveries[0].steps.len(), "edit")),
                )
                .clicked()
            {
                actions.push(DialogAction::Recover(0));
            }
            if plain(ui, if count == 0 { "Close" } else { "Decide later" }).clicked() {
                actions.push(DialogAction::SetDialog(None));
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
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceField))
        .corner_radius(6)
        .inner_margin(12);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 16.0;
            picture(ui, theme, recovery);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                about(ui, theme, recovery);
                verbs(ui, theme, k, recovery, (listed, discards), alone, actions);
            });
        });
        if listed {
            list(ui, theme, recovery);
        }
    });
    ui.add_space(8.0);
}

/// Shows the image of the file, as on the welcome page.
fn picture(ui: &mut Ui, theme: &Theme, recovery: &RecoveryView) {
    let (rect, _) = ui.allocate_exact_size(PICTURE, Sense::hover());
    match recovery.picture {
        Some(texture) => {
            // Crop the image, which is wider than its area.
            let part = PICTURE.x / PICTURE.y * 0.55;
            let middle = Rect::from_min_max(
                egui::pos2(0.5 - part * 0.5, 0.0),
                egui::pos2(0.5 + part * 0.5, 1.0),
            );
            egui::Image::new((texture, rect.size())).uv(middle).corner_radius(6).paint_at(ui, rect);
        }
        None => {
            ui.painter().rect_filled(rect, 6.0, theme.color(ColorRole::ViewportBackground));
            let color = theme.color(ColorRole::TextTertiary);
            paint_icon(ui.painter(), rect.center(), icons::ICON_DEPLOYED_CODE, 28.0, color);
        }
    }
}

fn about(ui: &mut Ui, theme: &Theme, recovery: &RecoveryView) {
    ui.horizontal(|ui| {
        let name = RichText::new(&recovery.name)
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextPrimary));
        ui.add(Label::new(name).truncate());
        let folder = RichText::new(&recovery.folder)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary));
        ui.add(Label::new(folder).truncate());
    });
    text(ui, theme, &format!("{} not saved in the file", many(recovery.steps.len(), "edit")));
    if recovery.changed {
        warning(
            ui,
            theme,
            "The file changed on disk since then. Edits are matched by name; Ulna lists edits that \
                could not be restored.",
        );
    }
    ui.add_space(4.0);
}

fn verbs(
    ui: &mut Ui,
    theme: &Theme,
    k: usize,
    recovery: &RecoveryView,
    (listed, discards): (bool, bool),
    alone: bool,
    actions: &mut Actions,
) {
    let steps = many(recovery.steps.len(), "edit");
    ui.horizontal(|ui| {
        if !alone && ui.button(format!("Restore {steps}")).clicked() {
            actions.push(DialogAction::Recover(k));
        }
        if ui.button(if listed { "Hide edits" } else { "Show edits" }).clicked() {
            let open = (!listed).then_some(k);
            actions.push(DialogAction::SetDialog(Some(Dialog::Recovery { open, discard: None })));
        }
        let open = listed.then_some(k);
        let set = |discard| DialogAction::SetDialog(Some(Dialog::Recovery { open, discard }));
        if discards {
            // *Keep* replaces *Discard…*, so that the second click of a double click keeps the
            // journal.
            let keep = egui::Button::new("Keep").min_size(vec2(DISCARD, 0.0));
            if ui.add(keep).clicked() {
                actions.push(set(None));
            }
        } else {
            let discard = egui::Button::new("Discard…").min_size(vec2(DISCARD, 0.0));
            if ui.add(discard.frame_when_inactive(false)).clicked() {
                actions.push(set(Some(k)));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            small(ui, theme, &format!("last edit {}", recovery.last));
        });
    });
    if discards && ui.button(format!("Discard {steps} permanently")).clicked() {
        actions.push(DialogAction::DiscardRecovery(k));
    }
}

fn list(ui: &mut Ui, theme: &Theme, recovery: &RecoveryView) {
    const MOST: usize = 200;
    ui.add_space(8.0);
    egui::Frame::new()
        .fill(theme.color(ColorRole::SurfacePanel))
        .corner_radius(4)
        .inner_margin(4)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (n, kept) in recovery.steps.iter().enumerate().take(MOST) {
                step(ui, theme, n + 1, &kept.when, &kept.label, &kept.about, false);
            }
            if recovery.steps.len() > MOST {
                small(ui, theme, &format!("{} more", recovery.steps.len() - MOST));
            }
        });
}

/// Reports an internal error after which the program continues.
pub fn fault_ui(
    ui: &mut Ui,
    theme: &Theme,
    report: Option<&str>,
    journal: Option<&str>,
    actions: &mut Actions,
) {
    title(ui, theme, "Ulna had an internal error");
    text(
        ui,
        theme,
        "Your last action was canceled. All earlier edits are intact. Save now, then \
        restart Ulna.",
    );
    if let Some(journal) = journal {
        text(ui, theme, "The edits are also in the recovery journal:");
        small(ui, theme, journal);
    }
    if let Some(report) = report {
        text(ui, theme, "Error report, without any data of your model:");
        small(ui, theme, report);
    }
    ui.add_space(12.0);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if primary(ui, theme, "Save").clicked() {
            actions.push(DialogAction::SetDialog(None));
            actions.push(Action::Run(ulna_edit::command::FileCommand::Save.into()));
        }
        if plain(ui, "Continue").clicked() {
            actions.push(DialogAction::SetDialog(None));
        }
    });
}
