//! Dialogs and messages over the window.

mod bind;
mod convert;
mod domain;
mod drafts;
mod export;
mod export_presets;
mod files;
mod form;
mod humanoid;
mod import;
mod import_details;
mod parts;
mod pictures;
mod rebind;
mod recovery;
mod save;
mod seams;
mod state;
mod toasts;
mod typed_path;

pub use self::bind::PieceLook;
pub use self::domain::{
    ChangedOnDisk, DeferredAction, Dialog, DialogAction, Obstacle, PathFor, PreferencePage,
    RecoveryView, StepView, UnkeyedRow,
};
pub(super) use self::drafts::label as argument_label;
pub use self::drafts::{
    BindDraft, BindForeseen, BindTrial, BindView, ConvertDraft, ConvertPreview, ConvertView,
    ExportDraft, ExportForeseen, ExportPlace, FileBeside, ForeignCounts, ForeignSettings,
    FormDraft, ImportDraft, ImportFile, ImportMoment, ImportRow, ImportView, LayersThere,
    PicturesDraft, PlanForeseen, PlanView, PlannedJoint, RebindDraft, SeamOrder, SeamsDraft,
    SelectedVertices, TrialColors, TrialNumbers, TrialPose,
};
pub use self::export::bytes_in_words;
pub use self::form::{plan_buttons, plan_content};
pub(super) use self::parts::{plain, primary, title};
pub use self::state::{Dialogs, DialogsView, Toast, ToastKind};
pub use self::toasts::toasts_ui;
use std::{
    collections::BTreeSet,
    mem::{Discriminant, discriminant},
    sync::Arc,
};

use egui::{Align2, Id, Modal, RichText, ScrollArea, Ui, vec2};
use egui_material_icons::icons;

use super::{Action, Actions, Theme, View, guide, preferences, theme::Font, widgets::paint_icon};
use ulna_edit::{Transaction, command::FileCommand, table};
use ulna_render::DeviceFacts;
use ulna_render::{ColorRole, Measure};

/// State of dialogs between frames.
#[derive(Clone, Debug, Default)]
pub struct DialogsState {
    files: files::FileList,
    rebind: rebind::RebindState,
    guide: guide::GuideState,
    /// Kind of the dialog in the previous frame.
    shown: Option<Discriminant<Dialog>>,
}

pub fn dialogs_ui(state: &mut DialogsState, ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    let open = view.dialogs.open;
    let kind = open.map(discriminant);
    if state.shown != kind {
        state.shown = kind;
        parts::await_answer(ui.ctx());
    }
    if !matches!(
        open,
        Some(
            Dialog::Open { .. }
                | Dialog::ImportFrom { .. }
                | Dialog::RetargetFrom { .. }
                | Dialog::ReferenceFrom { .. }
                | Dialog::KeyFile { .. }
                | Dialog::MapFile { .. }
                | Dialog::ImportWeights { .. }
                | Dialog::ExportWeights { .. }
                | Dialog::SavePlan { .. }
                | Dialog::SaveAs { .. }
        )
    ) {
        state.files.forget();
    }
    if !matches!(open, Some(Dialog::Guide { .. })) {
        state.guide.forget();
    }
    let Some(dialog) = open.filter(|d| **d != Dialog::Find) else { return };
    let theme = view.theme;
    let is_page = matches!(dialog, Dialog::Convert { .. });
    let frame = egui::Frame::window(&ui.ctx().global_style())
        .fill(theme.color(ColorRole::SurfaceRaised))
        .inner_margin(if is_page { 0 } else { 20 });
    let mut content = |ui: &mut Ui| {
        if !is_page {
            ui.set_width(width(dialog).min(ui.ctx().content_rect().width() - 48.0));
        }
        content_ui(state, ui, view, dialog, actions);
    };
    if dialog.is_loose() {
        let area = ui.ctx().content_rect();
        // A plan opens beside the model that it changes.
        let has_plan = matches!(dialog, Dialog::Arguments { .. } | Dialog::Plan);
        let is_bind = matches!(dialog, Dialog::Bind { .. });
        let (left, pivot) = match (has_plan, is_bind) {
            (true, _) => (area.left() + Measure::Outliner.points() + 24.0, Align2::LEFT_TOP),
            // Cover the right panel, so that the viewport stays visible.
            (_, true) => (area.right() - 4.0, Align2::RIGHT_TOP),
            _ => (area.center().x, Align2::CENTER_TOP),
        };
        let top = match (has_plan, is_bind) {
            (true, _) => 120.0,
            (_, true) => Measure::MenuBar.points() + Measure::Toolbar.points() + 4.0,
            _ => 96.0,
        };
        let top = area.top() + top;
        let frame = if is_bind { frame.inner_margin(14) } else { frame };
        let window = egui::Window::new("dialog beside the panels")
            .id(Id::unique(("loose dialog", has_plan, is_bind)))
            .frame(frame)
            .title_bar(false)
            .resizable(false)
            .pivot(pivot)
            .default_pos(egui::pos2(left, top));
        window.show(ui.ctx(), |ui| {
            let whole = ui.interact(
                ui.max_rect(),
                loose_focus_id(),
                egui::Sense::focusable_noninteractive(),
            );
            whole.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Pane, true, "Dialog panel"));
            content(ui);
            follow_size(ui);
        });
        return;
    }
    let modal = Modal::new(Id::unique("dialog")).frame(frame).show(ui.ctx(), content);
    if modal.should_close() {
        actions.push(DialogAction::SetDialog(None));
    }
}

/// Focus id of a floating dialog as a whole. Tab moves the focus from there into the dialog.
pub fn loose_focus_id() -> Id {
    Id::unique("loose dialog as a whole")
}

/// Requests one more frame when the content changes its size, because a window has the size of the
/// previous frame.
fn follow_size(ui: &Ui) {
    let (id, size) = (Id::unique("size of a loose dialog"), ui.min_rect().size());
    let before = ui.data(|d| d.get_temp::<egui::Vec2>(id));
    if before != Some(size) {
        ui.data_mut(|d| d.insert_temp(id, size));
        ui.ctx().request_repaint();
    }
}

/// Preferred width of a dialog, in points.
fn width(dialog: &Dialog) -> f32 {
    match dialog {
        Dialog::Import { .. } => 1000.0,
        Dialog::Commands | Dialog::Guide { .. } => 900.0,
        Dialog::Seams { .. } => 760.0,
        Dialog::Unkeyed { .. } | Dialog::Humanoid => 560.0,
        Dialog::Arguments { draft } if draft.has_plan => 420.0,
        Dialog::Plan => 420.0,
        Dialog::Bind { .. } => bind::WIDTH,
        Dialog::Arguments { .. } => 520.0,
        Dialog::Open { .. }
        | Dialog::ImportFrom { .. }
        | Dialog::RetargetFrom { .. }
        | Dialog::ReferenceFrom { .. }
        | Dialog::KeyFile { .. }
        | Dialog::MapFile { .. }
        | Dialog::ImportWeights { .. }
        | Dialog::ExportWeights { .. }
        | Dialog::SavePlan { .. }
        | Dialog::SaveAs { .. }
        | Dialog::Export { .. }
        | Dialog::Pictures { .. }
        | Dialog::Preferences { .. }
        | Dialog::Recovery { .. }
        | Dialog::CannotSave { .. } => 640.0,
        _ => Measure::Dialog.points(),
    }
}

/// Shows the content of a dialog.
fn content_ui(
    state: &mut DialogsState,
    ui: &mut Ui,
    view: &View<'_>,
    dialog: &Dialog,
    actions: &mut Actions,
) {
    let theme = view.theme;
    match dialog {
        Dialog::Open { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::Open, actions)
        }
        Dialog::ImportFrom { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::Import, actions)
        }
        Dialog::RetargetFrom { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::Retarget, actions)
        }
        Dialog::ReferenceFrom { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::Reference, actions)
        }
        Dialog::KeyFile { path, saves } => {
            let what = if *saves { PathFor::KeysOut } else { PathFor::KeysIn };
            files::path_ui(&mut state.files, ui, view, path, what, actions)
        }
        Dialog::MapFile { path, saves } => {
            let what = if *saves { PathFor::MapOut } else { PathFor::MapIn };
            files::path_ui(&mut state.files, ui, view, path, what, actions)
        }
        Dialog::ImportWeights { path, by } => {
            files::weights_ui(&mut state.files, ui, view, path, *by, actions);
        }
        Dialog::ExportWeights { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::WeightsOut, actions);
        }
        Dialog::SavePlan { path } => {
            files::path_ui(&mut state.files, ui, view, path, PathFor::PlanOut, actions);
        }
        Dialog::SaveAs { path, copy } => {
            let what = if *copy { PathFor::Copy } else { PathFor::Save };
            files::path_ui(&mut state.files, ui, view, path, what, actions);
        }
        Dialog::Bind { draft } => bind::bind_ui(ui, view, draft, actions),
        Dialog::Rebind { draft } => {
            rebind::rebind_ui(&mut state.rebind, ui, view, draft, actions);
        }
        Dialog::CannotRead { path, message } => {
            convert::refused_ui(ui, theme, path, message, actions)
        }
        Dialog::Convert { draft } => convert::convert_ui(ui, view, draft, actions),
        Dialog::Import { draft } => import::import_ui(ui, view, draft, actions),
        Dialog::Seams { draft } => seams::seams_ui(ui, view, draft, actions),
        Dialog::SaveRefused { obstacle, request, copy } => {
            save::refused_ui(ui, view, *obstacle, request, *copy, actions);
        }
        Dialog::CannotSave { step, message, path } => {
            save::blamed_ui(ui, view, *step, message, path, actions)
        }
        Dialog::ChangedOnDisk { choice, written, outlook } => {
            save::changed_ui(ui, view, *choice, written.as_deref(), outlook.as_deref(), actions);
        }
        Dialog::Unkeyed { rows } => save::unkeyed_ui(ui, view, rows, actions),
        Dialog::Recovery { open, discard } => {
            recovery::recovery_ui(ui, view, *open, *discard, actions)
        }
        Dialog::Fault { report, journal } => {
            recovery::fault_ui(ui, theme, report.as_deref(), journal.as_deref(), actions);
        }
        Dialog::Unsaved { then } => unsaved(ui, view, then, actions),
        Dialog::Changes { lines } => changes(ui, view, lines, actions),
        Dialog::Find => {}
        Dialog::Pictures { draft } => pictures::pictures_ui(ui, view, draft, actions),
        Dialog::Export { draft } => export::export_ui(ui, view, draft, actions),
        Dialog::Arguments { draft } => form::form_ui(ui, view, draft, actions),
        Dialog::Plan => form::plan_panel(ui, view, actions),
        Dialog::Humanoid => humanoid::humanoid_ui(ui, view, actions),
        Dialog::History { marked } => history(ui, view, marked, actions),
        Dialog::Preferences { page, listening, row } => {
            preferences::preferences_ui(ui, view, (*page, *row), listening.as_deref(), actions);
        }
        Dialog::Guide { place, search } => {
            guide::guide_ui(&mut state.guide, ui, view, *place, search, actions);
        }
        Dialog::Commands => commands(ui, view, actions),
        Dialog::About => about(ui, theme, view, actions),
    }
}

fn unsaved(ui: &mut Ui, view: &View<'_>, then: &DeferredAction, actions: &mut Actions) {
    let theme = view.theme;
    let (name, unsaved) =
        view.session.map_or_else(Default::default, |s| (s.file_name(), s.unsaved()));
    let reverts = *then == DeferredAction::Revert;
    title(ui, theme, &if reverts { format!("Revert {name}?") } else { format!("Save {name}?") });
    let text = RichText::new(lost(&unsaved, reverts)).color(theme.color(ColorRole::TextSecondary));
    ui.add(egui::Label::new(text).wrap());
    let loose = !reverts && (unsaved.layers > 0 || unsaved.pose_layers > 0 || unsaved.mix);
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        let discard = if reverts {
            "Revert"
        } else if unsaved.file {
            "Discard changes"
        } else {
            "Discard"
        };
        if plain(ui, discard).clicked() {
            actions.push(DialogAction::DiscardAndContinue(then.clone()));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if loose {
                let keep = parts::answer(ui, theme, "Keep and save");
                if keep
                    .on_hover_text("Saves the layers in the file, so that they stay editable")
                    .clicked()
                {
                    actions.push(DialogAction::KeepThen(then.clone()));
                }
                let bake = plain(ui, "Bake and save");
                let about = "Bakes layers into keys and weights, and the mix into a clip";
                if bake.on_hover_text(about).clicked() {
                    actions.push(DialogAction::BakeThen(then.clone()));
                }
            } else if (unsaved.file || unsaved.unkeyed > 0)
                && !reverts
                && parts::answer(ui, theme, "Save changes").clicked()
            {
                actions.push(DialogAction::SaveThen(then.clone()));
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

/// Sentence about the work that would be lost.
fn lost(unsaved: &ulna_session::Unsaved, reverts: bool) -> String {
    let many = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let parts = [
        many(if unsaved.file { unsaved.steps } else { 0 }, "unsaved change"),
        many(unsaved.unkeyed, "unkeyed pose"),
        many(unsaved.pose_layers, "layer"),
        many(unsaved.layers, "weight layer"),
        unsaved.mix.then(|| "the unsaved mix".to_owned()),
        many(unsaved.pairs, "mirror pair"),
    ];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    let last = parts.pop().unwrap_or_default();
    let all = if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) };
    let act = if reverts { "Reverting" } else { "Leaving now" };
    let layers = unsaved.layers + unsaved.pose_layers;
    let only_layers =
        !unsaved.file && unsaved.unkeyed + unsaved.pairs == 0 && !unsaved.mix && layers > 0;
    let effect = match (only_layers, layers) {
        (false, _) => "",
        (true, 1) => "; its result is already saved",
        (true, _) => "; their result is already saved",
    };
    format!("{act} loses {all}{effect}.")
}

fn changes(ui: &mut Ui, view: &View<'_>, lines: &[String], actions: &mut Actions) {
    let theme = view.theme;
    let name = view.session.map_or_else(String::new, |s| s.file_name());
    title(ui, theme, &format!("Save {name}"));
    ui.label(
        RichText::new("Differences from the file on disk:")
            .color(theme.color(ColorRole::TextSecondary)),
    );
    ui.add_space(8.0);
    if lines.is_empty() {
        ui.label(
            RichText::new("None. The saved file is identical, byte for byte.")
                .color(theme.color(ColorRole::TextSecondary)),
        );
    }
    if !lines.is_empty() {
        theme.well().inner_margin(8).show(ui, |ui| {
            ScrollArea::vertical().max_height(300.0).auto_shrink([false, true]).show(ui, |ui| {
                for line in lines {
                    ui.horizontal(|ui| {
                        let (rect, _) =
                            ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
                        paint_icon(
                            ui.painter(),
                            rect.center(),
                            icons::ICON_EDIT,
                            14.0,
                            theme.color(ColorRole::SeverityWarning),
                        );
                        ui.add(
                            egui::Label::new(
                                RichText::new(line).color(theme.color(ColorRole::TextPrimary)),
                            )
                            .wrap(),
                        );
                    });
                }
            });
        });
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
            paint_icon(
                ui.painter(),
                rect.center(),
                icons::ICON_LOCK,
                14.0,
                theme.color(ColorRole::TextSecondary),
            );
            let text = "All other bytes stay unchanged.";
            ui.label(
                RichText::new(text)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
        });
    }
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        if plain(ui, "Save as…").clicked() {
            actions.push(DialogAction::SetDialog(None));
            actions.push(Action::Run(FileCommand::SaveAs { path: None }.into()));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let save =
                ui.add_enabled_ui(!lines.is_empty(), |ui| parts::answer(ui, theme, "Save")).inner;
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if save.clicked() {
                actions.push(DialogAction::SetDialog(None));
                actions.push(Action::Run(FileCommand::Save.into()));
            }
        });
    });
}

fn commands(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    title(ui, theme, "Commands and keys");
    let height = (ui.ctx().content_rect().height() - 190.0).clamp(120.0, 420.0);
    let list = ScrollArea::vertical()
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink([false, true]);
    list.show(ui, |ui| {
        egui::Grid::new("commands").num_columns(3).spacing([16.0, 4.0]).show(ui, |ui| {
            for command in table() {
                ui.label(RichText::new(command.title).color(theme.color(ColorRole::TextPrimary)));
                let key = view.settings.keys.shown(command.name);
                ui.label(
                    RichText::new(key)
                        .font(Theme::font(Font::Caption))
                        .color(theme.color(ColorRole::AccentText)),
                );
                let help = RichText::new(command.help).font(Theme::font(Font::Small));
                ui.add(egui::Label::new(help.color(theme.color(ColorRole::TextSecondary))).wrap());
                ui.end_row();
            }
        });
    });
    ui.add_space(12.0);
    close_row(ui, actions, |_, _| ());
}

/// Shows the undo history, oldest step first. A click undoes or redoes to a step. Ctrl or Shift
/// marks steps to copy as a script.
fn history(ui: &mut Ui, view: &View<'_>, marked: &BTreeSet<usize>, actions: &mut Actions) {
    let theme = view.theme;
    title(ui, theme, "History");
    let Some(session) = view.session else { return };
    let history = session.history();
    let done = history.done().len();
    let modifiers = ui.input(|i| i.modifiers);
    let labels = std::iter::once("As opened")
        .chain(history.done().iter().map(|t| t.label.as_str()))
        .chain(history.undone().iter().rev().map(|t| t.label.as_str()));
    ScrollArea::vertical().max_height(420.0).auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, label) in labels.enumerate() {
            let (rect, response) = super::widgets::row(ui, theme, 24.0, label, k == done);
            if marked.contains(&k) {
                let bar = egui::Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
                ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::AccentBase));
            }
            let color = match k.cmp(&done) {
                std::cmp::Ordering::Less => ColorRole::TextPrimary,
                std::cmp::Ordering::Equal => ColorRole::SelectionText,
                std::cmp::Ordering::Greater => ColorRole::TextTertiary,
            };
            let at = egui::pos2(rect.left() + 12.0, rect.center().y);
            ui.painter().text(
                at,
                Align2::LEFT_CENTER,
                label,
                Theme::font(Font::Body),
                theme.color(color),
            );
            if k == done && marked.is_empty() {
                response.scroll_to_me(None);
            }
            if response.clicked() && k > 0 && k <= done && (modifiers.command || modifiers.shift) {
                let marked = mark(marked, k, modifiers.shift);
                actions.push(DialogAction::SetDialog(Some(Dialog::History { marked })));
            } else if response.clicked() && k != done {
                actions.push(DialogAction::GoTo(k));
            }
        }
    });
    ui.add_space(8.0);
    let chosen: Vec<&Arc<Transaction>> = match marked.is_empty() {
        true => history.done().iter().collect(),
        false => marked.iter().filter_map(|k| history.done().get(k - 1)).collect(),
    };
    let note = match (chosen.len(), marked.is_empty()) {
        (0, _) => "No edits yet".to_owned(),
        (_, true) => "Ctrl-click or Shift-click to select steps".to_owned(),
        (1, _) => "1 step selected".to_owned(),
        (n, _) => format!("{n} steps selected"),
    };
    close_row(ui, actions, |ui, actions| {
        let copy = ui.add_enabled_ui(!chosen.is_empty(), |ui| plain(ui, "Copy as script")).inner;
        if copy
            .on_hover_text("Copies the steps as a script that “ulna run” can apply to other files")
            .clicked()
        {
            let lines = chosen.iter().flat_map(|step| step.lines(session.document()));
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            ui.ctx().copy_text(text);
            actions.push(DialogAction::SetDialog(None));
        }
        ui.label(
            RichText::new(note)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    });
}

/// Last row of a dialog that only shows something: *Close* on the right, other content on the left.
fn close_row(ui: &mut Ui, actions: &mut Actions, left: impl FnOnce(&mut Ui, &mut Actions)) {
    ui.horizontal(|ui| {
        left(ui, actions);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if plain(ui, "Close").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

/// Toggles the mark of a step. With `all`, it marks all steps from the last marked one.
fn mark(marked: &BTreeSet<usize>, k: usize, all: bool) -> BTreeSet<usize> {
    let mut marked = marked.clone();
    match marked.last().copied().filter(|_| all) {
        Some(last) => marked.extend(last.min(k)..=last.max(k)),
        None => {
            if !marked.remove(&k) {
                marked.insert(k);
            }
        }
    }
    marked
}

/// Name and limits of the graphics device, and features with a fallback on it.
fn graphics(device: &DeviceFacts) -> Vec<String> {
    let driver =
        if device.driver.is_empty() { String::new() } else { format!(", {}", device.driver) };
    let (megabytes, side) = (device.largest_buffer >> 20, device.largest_texture);
    let mut lines = vec![
        format!("Graphics: {}, {}{driver}", device.id(), device.kind.label()),
        format!("Largest buffer {megabytes} MiB, largest texture {side} × {side} pixels."),
    ];
    lines.extend(device.instead.iter().map(|text| format!("{text}.")));
    lines
}

fn about(ui: &mut Ui, theme: &Theme, view: &View<'_>, actions: &mut Actions) {
    title(ui, theme, &format!("Ulna {}", env!("CARGO_PKG_VERSION")));
    let lines = [
        "Edits poses, keys and weights of glTF models. All other bytes stay unchanged.".to_owned(),
        "Licensed under MIT or Apache-2.0.".to_owned(),
        "Fonts: Inter and JetBrains Mono, SIL Open Font License 1.1. Icons: Material Symbols, \
            Apache-2.0."
            .to_owned(),
    ];
    for line in lines {
        ui.add(
            egui::Label::new(RichText::new(line).color(theme.color(ColorRole::TextSecondary)))
                .wrap(),
        );
    }
    ui.add_space(8.0);
    let graphics =
        view.program.device_facts.map_or_else(|| vec!["Graphics: no device".to_owned()], graphics);
    for line in graphics {
        ui.add(
            egui::Label::new(RichText::new(line).color(theme.color(ColorRole::TextTertiary)))
                .wrap(),
        );
    }
    ui.add_space(12.0);
    close_row(ui, actions, |_, _| ());
}
