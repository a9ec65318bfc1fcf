//! *Export…* dialog: clips, contents and destination. The resulting files are listed before
//! anything is written.

use std::path::PathBuf;

use egui::{Align, Key, Layout, RichText, ScrollArea, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::export_presets::preset_ui;
use super::parts::{head, labeled, many, name_of, plain, primary, small};
use crate::ui::popups::menu_button;
use crate::ui::{
    Actions, Dialog, DialogAction, ExportDraft, ExportForeseen, Theme, View,
    collapsing::collapsing,
    theme::Font,
    widgets::{
        check, cut, edged, filter_field, name_widget, paint_icon, segment, segments, severity_icon,
    },
};
use ulna_model::{ClipId, Document, Severity};
use ulna_render::ColorRole;
use ulna_session::Session;

/// Shows the pattern of the file names, with one file per clip.
fn names_ui(ui: &mut Ui, theme: &Theme, draft: &mut ExportDraft) {
    labeled(ui, theme, "File name", |ui| {
        let width = ui.available_width() - 120.0;
        let field = egui::TextEdit::singleline(&mut draft.names)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(width)
            .font(egui::TextStyle::Monospace);
        let field = edged(ui, |ui| ui.add(field.hint_text("{clip}")));
        name_widget(ui, &field, "File name");
        menu_button(ui, "Insert field", |ui| {
            let parts = [
                ("{clip}", "the clip's name"),
                ("{file}", "the open file's name"),
                ("{number}", "the clip's number in this list"),
                ("{date}", "today"),
            ];
            for (part, about) in parts {
                if ui.button(format!("{part}  {about}")).clicked() {
                    draft.names.push_str(part);
                    ui.close();
                }
            }
        });
    });
}

/// Text of a size in bytes.
pub fn bytes_in_words(bytes: usize) -> String {
    if bytes < 1 << 20 {
        format!("{} KB", bytes.div_ceil(1 << 10))
    } else {
        format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
    }
}

/// Lists loops that do not close, and offers to repair the first one.
fn open_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    open: &[(ClipId, String)],
    actions: &mut Actions,
) {
    let Some((clip, about)) = open.first() else { return };
    ui.add_space(2.0);
    egui::Frame::new()
        .fill(theme.color(ColorRole::SeverityWarningTint))
        .corner_radius(4)
        .inner_margin(8)
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(20.0, 20.0), egui::Sense::hover());
                paint_icon(
                    ui.painter(),
                    rect.center(),
                    icons::ICON_WARNING,
                    16.0,
                    theme.color(ColorRole::SeverityWarning),
                );
                let more = if open.len() > 1 {
                    format!(", and {} more", open.len() - 1)
                } else {
                    String::new()
                };
                let said = format!("{} does not loop: {about}{more}", document.clip_label(*clip));
                let said = cut(ui, &said, &Theme::font(Font::Body), ui.available_width() - 200.0);
                ui.label(RichText::new(said).color(theme.color(ColorRole::TextPrimary)));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if ui.button("Repair loop…").clicked() {
                        actions.push(DialogAction::SetDialog(None));
                        actions.push(crate::ui::TimelineAction::ShowClip(*clip));
                        actions.push(crate::ui::Action::Run(
                            ulna_edit::command::PlayCommand::RepairLoop.into(),
                        ));
                    }
                    let show = ui.button("Show");
                    name_widget(ui, &show, &format!("Show {}", document.clip_label(*clip)));
                    if show.clicked() {
                        actions.push(DialogAction::SetDialog(None));
                        actions.push(crate::ui::TimelineAction::ShowClip(*clip));
                    }
                });
            });
        });
}

/// Shows the choices of content, keys, files and destination. Returns whether Enter confirmed the
/// destination.
fn how_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    now: &mut ExportDraft,
    actions: &mut Actions,
) -> bool {
    ui.spacing_mut().item_spacing.y = 6.0;
    labeled(ui, theme, "Content", |ui| {
        segments(ui, theme, |ui| {
            for (skeleton, text) in [(false, "Whole model"), (true, "Skeleton and clips")] {
                if segment(ui, theme, text, now.skeleton_only == skeleton, false).clicked() {
                    now.skeleton_only = skeleton;
                }
            }
        });
        let joints = document.joint_flags().iter().filter(|j| **j).count();
        let said = if now.skeleton_only {
            format!("{}, no meshes, no images", many(joints, "joint"))
        } else {
            format!(
                "{}, {}",
                many(document.meshes.count(), "mesh").replace("meshs", "meshes"),
                many(joints, "joint")
            )
        };
        ui.label(
            RichText::new(said)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    });
    labeled(ui, theme, "Keys", |ui| {
        segments(ui, theme, |ui| {
            for (resampled, text) in [(false, "As stored"), (true, "Resampled")] {
                if segment(ui, theme, text, now.resampled == resampled, false).clicked() {
                    now.resampled = resampled;
                }
            }
        });
        if now.resampled {
            let field = egui::TextEdit::singleline(&mut now.rate)
                .align(egui::Align2::LEFT_CENTER)
                .desired_width(56.0)
                .font(egui::TextStyle::Monospace);
            let field = edged(ui, |ui| ui.add(field));
            name_widget(ui, &field, "Frames per second");
            ui.label(
                RichText::new("frames per second").color(theme.color(ColorRole::TextSecondary)),
            );
        }
        let unkeyed = document.aids.unkeyed.len();
        if unkeyed > 0 {
            let said = format!("{} not keyed, not exported", many(unkeyed, "pose"));
            ui.label(
                RichText::new(said)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::SeverityWarning)),
            );
        }
    });
    labeled(ui, theme, "Files", |ui| {
        segments(ui, theme, |ui| {
            for (each, text) in [(false, "One file"), (true, "One file per clip")] {
                if segment(ui, theme, text, now.each == each, false).clicked() {
                    now.each = each;
                }
            }
        });
        segments(ui, theme, |ui| {
            for (gltf, text) in [(false, ".glb"), (true, ".gltf")] {
                if segment(ui, theme, text, now.gltf == gltf, false).clicked() {
                    now.gltf = gltf;
                }
            }
        });
    });
    if now.each {
        names_ui(ui, theme, now);
    }
    place_ui(ui, theme, now, actions)
}

/// Shows the destination with a button that opens a file dialog. Returns whether Enter confirmed
/// the destination.
fn place_ui(ui: &mut Ui, theme: &Theme, now: &mut ExportDraft, actions: &mut Actions) -> bool {
    let each = now.each;
    let (label, text) = if each { ("Folder", &mut now.folder) } else { ("File", &mut now.file) };
    let mut enter = false;
    labeled(ui, theme, label, |ui| {
        let width = ui.available_width() - 84.0;
        let field = egui::TextEdit::singleline(text)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(width)
            .font(egui::TextStyle::Monospace);
        let field = edged(ui, |ui| ui.add(field));
        if ui.button("Choose…").on_hover_text("Opens the system's file dialog").clicked() {
            actions.push(DialogAction::BrowseExport { folder: each });
        }
        name_widget(ui, &field, label);
        enter = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    });
    enter
}

pub fn export_ui(ui: &mut Ui, view: &View<'_>, draft: &ExportDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let mut now = draft.clone();
    head(ui, theme, None, "Export animations", "", actions);
    let foreseen = view.dialogs.foreseen;
    let sizes = foreseen.map_or(&[][..], |f| &f.sizes);
    // In a low window, the choices scroll and the buttons stay visible.
    let most = (ui.ctx().content_rect().height() - 214.0).max(160.0);
    let scroll = ScrollArea::vertical()
        .max_height(most)
        .auto_shrink([false, true])
        .id_salt("export choices");
    let (enter, request, files, replaced, own) = scroll
        .show(ui, |ui| {
            preset_ui(ui, theme, &mut now);
            ui.add_space(4.0);
            clips_ui(ui, theme, document, &mut now);
            ui.add_space(8.0);
            let enter = how_ui(ui, theme, document, &mut now, actions);
            ui.add_space(4.0);
            let request = now.request(document);
            let files = request.as_ref().map(|r| r.files(document)).unwrap_or_default();
            let (replaced, own) = files_ui(ui, theme, document, session, &files, sizes);
            open_ui(ui, theme, document, foreseen.map_or(&[][..], |f| &f.open), actions);
            findings_ui(ui, theme, foreseen);
            (enter, request, files, replaced, own)
        })
        .inner;
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let fails = foreseen.and_then(|f| f.fails.as_ref());
        let said = match (&request, files.len(), own) {
            (None, ..) => Err("The frame rate is not a number".to_owned()),
            (_, 0, _) => Err("Nothing to export: choose a clip".to_owned()),
            (.., true) => Err("This is the open file. Choose another name".to_owned()),
            _ if fails.is_some() => Err(fails.cloned().unwrap_or_default()),
            _ => {
                let size = if sizes.len() == files.len() {
                    bytes_in_words(sizes.iter().sum())
                } else {
                    "…".to_owned()
                };
                let way = if replaced > 0 {
                    format!(", {} replaced", many(replaced, "file"))
                } else {
                    String::new()
                };
                let alike = match request.as_ref().map_or(0, |r| r.alike(document)) {
                    0 => String::new(),
                    n => format!(", {} with equal names get numbers", n + 1),
                };
                Ok(format!("{}, about {size} in total{way}{alike}", many(files.len(), "file")))
            }
        };
        let role =
            if said.is_err() { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
        let text = said.as_ref().map_or_else(Clone::clone, Clone::clone);
        let short = cut(ui, &text, &Theme::font(Font::Body), ui.available_width() - 220.0);
        ui.label(RichText::new(short).color(theme.color(role))).on_hover_text(text);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = if now.each {
                format!("Export {}", many(files.len(), "file"))
            } else {
                "Export".to_owned()
            };
            let go =
                ui.add_enabled_ui(said.is_ok(), |ui| primary(ui, theme, &verb).clicked()).inner
                    || (enter && said.is_ok());
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if let Some(request) = request.filter(|_| go) {
                actions.push(DialogAction::SetDialog(None));
                actions.push(DialogAction::Export {
                    request: Box::new(request),
                    draft: Box::new(now.clone()),
                });
            } else if now != *draft {
                actions.push(DialogAction::SetDialog(Some(Dialog::Export {
                    draft: Box::new(now.clone()),
                })));
            }
        });
    });
}

/// Shows problems in the files to be written: counts, and an expandable list.
fn findings_ui(ui: &mut Ui, theme: &Theme, foreseen: Option<&ExportForeseen>) {
    ui.add_space(4.0);
    // The same height as the expandable row keeps the buttons below in place.
    let height =
        ui.spacing().interact_size.y.max(ui.text_style_height(&egui::TextStyle::Button) + 8.0);
    let line = |ui: &mut Ui, text: &str| {
        ui.horizontal(|ui| {
            ui.set_min_height(height);
            small(ui, theme, text);
        });
    };
    let Some(found) = foreseen.and_then(|f| f.findings.as_ref()) else {
        let fails = foreseen.is_some_and(|f| f.fails.is_some());
        line(ui, if fails { "" } else { "Checking the export…" });
        return;
    };
    let part = if found.checked < found.files {
        format!(" in the first {} of {} files", found.checked, found.files)
    } else {
        String::new()
    };
    if found.list.is_empty() {
        line(ui, &format!("Check: no problems found{part}"));
        return;
    }
    let count = |severity| found.list.iter().filter(|(f, _)| f.severity == severity).count();
    let counts = [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Info), "note"),
    ];
    let words: Vec<String> =
        counts.iter().filter(|c| c.0 > 0).map(|(n, what)| many(*n, what)).collect();
    let text = format!("Check: {}{part}", words.join(", "));
    collapsing(ui, text, "findings of the export", |ui| {
        ScrollArea::vertical()
            .max_height(140.0)
            .auto_shrink([false, true])
            .id_salt("export findings")
            .show(ui, |ui| {
                for (finding, times) in &found.list {
                    ui.horizontal_top(|ui| {
                        let (rect, _) =
                            ui.allocate_exact_size(vec2(18.0, 18.0), egui::Sense::hover());
                        severity_icon(ui, theme, rect.center(), finding.severity, 14.0);
                        let times =
                            if *times > 1 { format!(" ({times} times)") } else { String::new() };
                        let text =
                            RichText::new(format!("{}{times} · {}", finding.message, finding.code));
                        ui.add(egui::Label::new(text.font(Theme::font(Font::Small))).wrap())
                            .on_hover_text(finding.place.to_string());
                    });
                }
            });
    });
}

/// Lists the clips, each with a checkbox.
fn clips_ui(ui: &mut Ui, theme: &Theme, document: &Document, draft: &mut ExportDraft) {
    let all: Vec<ClipId> = document.clips.ids().collect();
    let kept = all.iter().filter(|id| !draft.left_out.contains(id)).count();
    let needle = draft.filter.to_lowercase();
    let shown: Vec<ClipId> = all
        .iter()
        .copied()
        .filter(|id| document.clip_label(*id).to_lowercase().contains(&needle))
        .collect();
    ui.horizontal(|ui| {
        ui.label(
            RichText::new("Clips")
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let count = format!("{kept} of {}", all.len());
        ui.label(
            RichText::new(count)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.button("None").clicked() {
                draft.left_out.extend(shown.iter().copied());
                draft.left_out.sort_unstable();
                draft.left_out.dedup();
            }
            if ui.button("All").clicked() {
                draft.left_out.retain(|id| !shown.contains(id));
            }
            if all.len() > 8 {
                ui.allocate_ui(vec2(160.0, 24.0), |ui| {
                    filter_field(ui, theme, &mut draft.filter, "Filter exported clips")
                });
            }
        });
    });
    theme.well().inner_margin(6).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let height = 24.0 * (shown.len().clamp(1, 6) as f32);
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .max_height(height)
            .id_salt("export clips")
            .show_rows(ui, 24.0, shown.len(), |ui, range| {
                for id in &shown[range] {
                    ui.horizontal(|ui| {
                        let label = document.clip_label(*id);
                        let mut on = !draft.left_out.contains(id);
                        let short =
                            cut(ui, &label, &Theme::font(Font::Body), ui.available_width() - 120.0);
                        if check(ui, theme, &mut on, short).changed() {
                            draft.left_out.retain(|o| o != id);
                            if !on {
                                draft.left_out.push(*id);
                            }
                        }
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                            let length = format!("{:.2} s", document.clips[*id].length());
                            ui.label(
                                RichText::new(length)
                                    .font(Theme::font(Font::NumberSmall))
                                    .color(theme.color(ColorRole::TextTertiary)),
                            );
                        });
                    });
                }
            });
    });
}

/// Lists the files to be written. Returns the number of existing files that would be replaced, and
/// whether the document's own file is among them.
fn files_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    session: &Session,
    files: &[(PathBuf, Vec<ClipId>)],
    sizes: &[usize],
) -> (usize, bool) {
    /// Maximum number of files whose existence is checked on disk per frame.
    const LOOKED: usize = 60;
    let is_there = |path: &PathBuf| path.exists();
    let replaced = files.iter().take(LOOKED).filter(|(path, _)| is_there(path)).count();
    let real = |p: &std::path::Path| p.canonicalize().ok();
    let own = session.path().and_then(real);
    let is_own = own.is_some() && files.iter().take(LOOKED).any(|(path, _)| real(path) == own);
    theme.well().inner_margin(6).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        let height = 22.0 * (files.len().clamp(1, 5) as f32);
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .max_height(height)
            .id_salt("export files")
            .show_rows(ui, 22.0, files.len(), |ui, range| {
                for k in range {
                    let (path, clips) = &files[k];
                    ui.horizontal(|ui| {
                        let (rect, _) =
                            ui.allocate_exact_size(vec2(18.0, 22.0), egui::Sense::hover());
                        let at = pos2(rect.left() + 8.0, rect.center().y);
                        paint_icon(
                            ui.painter(),
                            at,
                            icons::ICON_DEPLOYED_CODE,
                            14.0,
                            theme.color(ColorRole::TextTertiary),
                        );
                        let font = Theme::font(Font::Number);
                        let name = cut(ui, &name_of(path), &font, ui.available_width() - 190.0);
                        ui.label(
                            RichText::new(name)
                                .font(font)
                                .color(theme.color(ColorRole::TextPrimary)),
                        );
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                            let label = clips
                                .first()
                                .map(|id| document.clip_label(*id))
                                .unwrap_or_default();
                            let stem = path
                                .file_stem()
                                .map(|s| s.to_string_lossy().into_owned())
                                .unwrap_or_default();
                            let size = sizes.get(k).filter(|_| sizes.len() == files.len());
                            let size =
                                size.map_or_else(|| "…".to_owned(), |bytes| bytes_in_words(*bytes));
                            let ink = theme.color(ColorRole::TextSecondary);
                            ui.label(
                                RichText::new(size).font(Theme::font(Font::NumberSmall)).color(ink),
                            );
                            if is_there(path) {
                                small(ui, theme, "replaces a file");
                            } else if clips.len() == 1 && !stem.contains(&label) {
                                small(ui, theme, &format!("clip {label}"));
                            }
                        });
                    });
                }
            });
        if files.is_empty() {
            small(ui, theme, "Nothing to export");
        }
    });
    (replaced, is_own)
}
