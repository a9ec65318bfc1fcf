//! File selection without the file dialog of the system: a path field, and the content of the typed
//! folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
};

use egui::{Align2, Key, RichText, ScrollArea, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{
    parts::{plain, primary, title},
    typed_path::expand,
};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, PathFor, Recent, Theme, View,
    theme::Font,
    widgets::{cut, edged, name_widget, paint_icon, row, segment, segments},
};
use ulna_edit::command::field::CarryWay;
use ulna_model::Derived;
use ulna_render::ColorRole;
use ulna_session::{WeightFile, endings};

/// Maximum number of listed entries.
const MOST: usize = 5_000;

/// File or subfolder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// Whether the entry is a file. Folders are sorted first.
    is_file: bool,
    /// Whether the entry is a weight file.
    of_weights: bool,
    /// Sort key: the name in lower case.
    order: String,
    name: String,
}

/// Content of a folder, or the reason why it cannot be read; empty until it is read.
type Listing = Arc<OnceLock<Result<Folder, String>>>;

/// Content of a folder.
#[derive(Debug, Default)]
struct Folder {
    above: Option<PathBuf>,
    entries: Vec<Entry>,
}

/// Content of a folder, read on another thread because network folders can be slow.
#[derive(Clone, Debug, Default)]
pub struct FileList(Derived<PathBuf, Listing>);

impl FileList {
    fn of(&mut self, ui: &Ui, folder: &Path) -> &Listing {
        self.0.update(folder.to_owned(), |folder| {
            let listing = Listing::default();
            let (folder, there, waker) = (folder.clone(), listing.clone(), ui.ctx().clone());
            let work = move || {
                let found = read(&folder).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => "This folder does not exist".to_owned(),
                    _ => format!("This folder cannot be read: {error}"),
                });
                if there.set(found).is_ok() {
                    waker.request_repaint();
                }
            };
            if let Err(error) = thread::Builder::new().name("folder".into()).spawn(work) {
                // This is the only write, so it cannot fail. The path field works without a list.
                let _unread = listing.set(Err(error.to_string()));
            }
            listing
        })
    }

    /// Discards the content, so that another dialog reads the folder again.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

/// Folders and supported files in a folder, sorted.
fn read(folder: &Path) -> io::Result<Folder> {
    let mut list = Vec::new();
    for entry in fs::read_dir(folder)?.take(MOST) {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Follow links, and skip broken ones.
        let Ok(about) = fs::metadata(entry.path()) else { continue };
        let kind = Path::new(&name)
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default()
            .to_lowercase();
        let is_file = about.is_file();
        let of_weights = is_file && WeightFile::of_ending(&kind).is_some();
        if about.is_dir() || of_weights || (is_file && endings().any(|e| e == kind)) {
            list.push(Entry { is_file, of_weights, order: name.to_lowercase(), name });
        }
    }
    list.sort();
    let above = folder.canonicalize()?.parent().map(Path::to_owned);
    Ok(Folder { above, entries: list })
}

/// Splits a typed path into a folder and the start of a name. `~` stands for the home folder.
fn parts(text: &str) -> (PathBuf, String) {
    let path = expand(text);
    let text = path.to_string_lossy();
    if text.is_empty() || text.ends_with(std::path::is_separator) {
        return (if text.is_empty() { ".".into() } else { path.clone() }, String::new());
    }
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .map_or_else(|| ".".into(), Path::to_owned);
    (folder, name)
}

/// Path of a folder as typed text, with a separator at its end.
fn folder_text(folder: &Path) -> String {
    format!(
        "{}{}",
        folder.display().to_string().trim_end_matches(std::path::is_separator),
        std::path::MAIN_SEPARATOR
    )
}

/// Shows the path dialog: a text field and the content of the folder.
pub fn path_ui(
    files: &mut FileList,
    ui: &mut Ui,
    view: &View<'_>,
    path: &str,
    what: PathFor,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (heading, verb) = match what {
        PathFor::Open => ("Open a model", "Open"),
        PathFor::Copy => ("Save a copy", "Save"),
        PathFor::Save => ("Save as", "Save"),
        PathFor::Import => ("Import clips", "Import"),
        PathFor::Retarget => ("Retarget clips of a file", "Retarget"),
        PathFor::Reference => ("Load a reference model", "Load"),
        PathFor::KeysIn => ("Import keys", "Import"),
        PathFor::KeysOut => ("Export keys", "Export"),
        PathFor::MapIn => ("Load a retarget map", "Load"),
        PathFor::MapOut => ("Save the retarget map", "Save map"),
        PathFor::WeightsIn => ("Import weights", "Import"),
        PathFor::WeightsOut => ("Export weights", "Export"),
        PathFor::PlanOut => ("Save the plan as a script", "Save"),
    };
    title(ui, theme, heading);
    let mut text = path.to_owned();
    let kinds = match what {
        PathFor::Copy | PathFor::Save => "Path of a .gltf, .glb or .vrm file",
        PathFor::Open | PathFor::Retarget | PathFor::Reference => {
            "Path of a .gltf, .glb, .vrm, .fbx, .bvh or .x file"
        }
        PathFor::KeysIn | PathFor::KeysOut => "Path of a .json file with keys",
        PathFor::MapIn | PathFor::MapOut => "Path of a .json file with a retarget map",
        PathFor::WeightsIn => "Path of a model, or of a .json or .xml file with weights",
        PathFor::WeightsOut => "Path of a .json file, or of .xml for Maya's deformerWeights",
        PathFor::PlanOut => "Path of a .jsonl file, for “ulna run”",
        PathFor::Import => {
            "Path of a .gltf, .glb, .fbx, .bvh or .x file, of a folder, or a pattern such as \
                walks/*.glb"
        }
    };
    ui.label(RichText::new(kinds).color(theme.color(ColorRole::TextSecondary)));
    let field = egui::TextEdit::singleline(&mut text)
        .desired_width(f32::INFINITY)
        .min_size(vec2(0.0, 30.0))
        .align(egui::Align2::LEFT_CENTER)
        .font(egui::TextStyle::Monospace);
    let field = edged(ui, |ui| ui.add(field));
    name_widget(ui, &field, "Path");
    // If an absolute path is pasted after the current folder, it replaces the folder.
    if let Some(added) = text.strip_prefix(path).filter(|_| path.ends_with(std::path::is_separator))
        && (added.starts_with('~') || Path::new(added).is_absolute())
    {
        text = added.to_owned();
    }
    if ui.memory(|m| m.focused().is_none()) && !field.lost_focus() {
        field.request_focus();
    }
    let enter = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    recent_ui(ui, view.program.recent, &mut text);
    ui.add_space(8.0);
    let chosen = list_ui(files, ui, theme, &mut text, what);
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        if plain(ui, "Browse…").on_hover_text("Opens the system's file dialog").clicked() {
            actions.push(DialogAction::Browse { what });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let go = primary(ui, theme, verb).clicked() || enter || chosen;
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if go && what != PathFor::Import && expand(&text).is_dir() {
                // Open the folder in the list instead of closing the dialog.
                let text = folder_text(&expand(&text));
                actions.push(DialogAction::SetDialog(Some(Dialog::path(what, text))));
                field.request_focus();
            } else if go && !text.trim().is_empty() {
                let path = expand(&text);
                actions.push(DialogAction::SetDialog(None));
                actions.push(match what {
                    PathFor::Copy => DialogAction::SaveCopy(path),
                    PathFor::Save => DialogAction::SavePath(path),
                    PathFor::Open => DialogAction::OpenPath(path),
                    PathFor::Import => DialogAction::ImportFrom(path),
                    PathFor::Retarget => DialogAction::RetargetFrom(path),
                    PathFor::Reference => DialogAction::LoadReference(path),
                    PathFor::KeysIn => DialogAction::ReadKeys(path),
                    PathFor::KeysOut => DialogAction::WriteKeys(path),
                    PathFor::MapIn => DialogAction::ReadMap(path),
                    PathFor::MapOut => DialogAction::SaveMap(path),
                    PathFor::WeightsIn => DialogAction::ImportWeights { path, by: None },
                    PathFor::WeightsOut => DialogAction::ExportWeights(path),
                    PathFor::PlanOut => DialogAction::SavePlan(path),
                });
            } else if text != path {
                actions.push(DialogAction::SetDialog(Some(Dialog::path(what, text.clone()))));
            }
        });
    });
}

/// Shows the path dialog for a weight file, with the method that matches vertices.
pub fn weights_ui(
    files: &mut FileList,
    ui: &mut Ui,
    view: &View<'_>,
    path: &str,
    by: Option<CarryWay>,
    actions: &mut Actions,
) {
    let mut asked = Actions::default();
    path_ui(files, ui, view, path, PathFor::WeightsIn, &mut asked);
    let mut chosen = by;
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Match by").color(view.theme.color(ColorRole::TextSecondary)));
        let ways = [
            (None, "Automatic", "By vertex order if the meshes are the same, else by surface"),
            (
                Some(CarryWay::Surface),
                "Surface",
                "Nearest point on the surface, with both characters in this file's rest pose",
            ),
            (Some(CarryWay::Uv), "UV", "The point with the same texture coordinates"),
            (Some(CarryWay::Order), "Vertex order", "The vertex with the same index"),
        ];
        segments(ui, view.theme, |ui| {
            for (way, text, help) in ways {
                let response = segment(ui, view.theme, text, chosen == way, false);
                if response.on_hover_text(help).clicked() {
                    chosen = way;
                }
            }
        });
    });
    let mut says_dialog = false;
    // Add the matching method, which the path dialog does not know.
    for action in asked {
        actions.push(match action {
            Action::Dialog(DialogAction::ImportWeights { path, .. }) => {
                Action::Dialog(DialogAction::ImportWeights { path, by: chosen })
            }
            Action::Dialog(DialogAction::SetDialog(dialog)) => {
                says_dialog = true;
                let with = |dialog: Dialog| match dialog {
                    Dialog::ImportWeights { path, .. } => {
                        Dialog::ImportWeights { path, by: chosen }
                    }
                    other => other,
                };
                Action::Dialog(DialogAction::SetDialog(dialog.map(with)))
            }
            other => other,
        });
    }
    if chosen != by && !says_dialog {
        let to = Dialog::ImportWeights { path: path.to_owned(), by: chosen };
        actions.push(DialogAction::SetDialog(Some(to)));
    }
}

/// Shows the folders of recent files.
fn recent_ui(ui: &mut Ui, recent: &[Recent], text: &mut String) {
    const MOST: usize = 4;
    const WIDE: f32 = 140.0;
    let mut folders: Vec<&Path> = Vec::new();
    for folder in recent.iter().filter(|r| !r.missing).filter_map(|r| r.path.parent()) {
        if !folders.contains(&folder) && !folder.as_os_str().is_empty() && folders.len() < MOST {
            folders.push(folder);
        }
    }
    if folders.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        for folder in folders {
            let name =
                folder.file_name().map_or_else(|| "/".into(), |n| n.to_string_lossy().into_owned());
            let short = cut(ui, &name, &Theme::font(Font::Small), WIDE);
            let button =
                ui.add(egui::Button::new(RichText::new(short).font(Theme::font(Font::Small))));
            let button = button.on_hover_text(folder.display().to_string());
            name_widget(ui, &button, &format!("Folder {name}"));
            if button.clicked() {
                *text = folder_text(folder);
            }
        }
    });
}

/// Shows the content of the folder, filtered by the typed name. Returns whether a file was
/// confirmed.
fn list_ui(
    files: &mut FileList,
    ui: &mut Ui,
    theme: &Theme,
    text: &mut String,
    what: PathFor,
) -> bool {
    let saves =
        matches!(what, PathFor::Copy | PathFor::Save | PathFor::WeightsOut | PathFor::PlanOut);
    let is_listed = |e: &Entry| match what {
        PathFor::WeightsIn => true,
        PathFor::WeightsOut => !e.is_file || e.of_weights,
        PathFor::PlanOut => !e.is_file,
        _ => !e.of_weights,
    };
    const HEIGHT: f32 = 208.0;
    let (folder, typed) = parts(text);
    let listing = files.of(ui, &folder).clone();
    let mut chosen = false;
    theme.well().inner_margin(4).show(ui, |ui| {
        ui.set_height(HEIGHT);
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().auto_shrink([false, false]).id_salt(&folder).show(ui, |ui| {
            let Folder { above, entries } = match listing.get() {
                Some(Ok(found)) => found,
                Some(Err(error)) => return note(ui, theme, error),
                None => return note(ui, theme, "Reading the folder…"),
            };
            if let Some(above) = above
                && entry_ui(ui, theme, "..", "Parent folder", false, false).clicked()
            {
                *text = folder_text(above);
            }
            // While saving, the typed name does not filter the list.
            let wanted = if saves { String::new() } else { typed.to_lowercase() };
            let whole = entries.iter().any(|e| e.name == typed);
            let fits = |e: &&Entry| whole || e.order.contains(&wanted);
            let hidden = |e: &&Entry| e.name.starts_with('.') && !typed.starts_with('.');
            let shown: Vec<&Entry> = entries
                .iter()
                .filter(|e| is_listed(e))
                .filter(fits)
                .filter(|e| !hidden(e))
                .collect();
            if shown.is_empty() {
                note(
                    ui,
                    theme,
                    if typed.is_empty() || saves {
                        "No models in this folder"
                    } else {
                        "No file matches the filter"
                    },
                );
            }
            for entry in shown {
                let found = entry_ui(
                    ui,
                    theme,
                    &entry.name,
                    &entry.name,
                    entry.is_file,
                    entry.name == typed,
                );
                if found.clicked() {
                    let path = folder.join(&entry.name);
                    *text =
                        if entry.is_file { path.display().to_string() } else { folder_text(&path) };
                }
                chosen |= found.double_clicked() && entry.is_file;
            }
        });
    });
    chosen
}

fn note(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add_space(6.0);
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary)),
    );
}

fn entry_ui(
    ui: &mut Ui,
    theme: &Theme,
    text: &str,
    name: &str,
    is_file: bool,
    chosen: bool,
) -> egui::Response {
    let (rect, response) = row(ui, theme, 26.0, name, chosen);
    let (icon, role) = match is_file {
        true => (icons::ICON_DEPLOYED_CODE, ColorRole::TextSecondary),
        false => (icons::ICON_FOLDER, ColorRole::TextTertiary),
    };
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 16.0, rect.center().y),
        icon,
        16.0,
        theme.color(role),
    );
    let font = Theme::font(Font::Body);
    let shown = cut(ui, text, &font, rect.width() - 44.0);
    let at = rect.left_center() + vec2(32.0, 0.0);
    ui.painter().text(at, Align2::LEFT_CENTER, shown, font, theme.color(ColorRole::TextPrimary));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_path_splits_into_a_folder_and_a_name_prefix() {
        let said = |text: &str| {
            let (folder, name) = parts(text);
            (folder.display().to_string(), name)
        };
        assert_eq!(said("/models/fo"), ("/models".to_owned(), "fo".to_owned()));
        assert_eq!(said("/models/"), ("/models/".to_owned(), String::new()));
        assert_eq!(said("fox.glb"), (".".to_owned(), "fox.glb".to_owned()));
        assert_eq!(said(""), (".".to_owned(), String::new()));
    }

    #[test]
    fn folders_come_before_models_and_nothing_else_is_listed() {
        let home = tempfile::tempdir().expect("a folder");
        for name in ["b.glb", "A.gltf", "notes.txt", "c.X"] {
            fs::write(home.path().join(name), []).expect("a file");
        }
        fs::create_dir(home.path().join("z")).expect("a folder in it");
        let names: Vec<String> =
            read(home.path()).expect("a list").entries.into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["z", "A.gltf", "b.glb", "c.X"]);
        assert!(read(&home.path().join("gone")).is_err());
    }
}
