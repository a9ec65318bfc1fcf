//! *Render images…* dialog: renders the shown clip as an image sequence, a GIF or a sheet, as seen
//! in the viewport.

use std::path::PathBuf;

use egui::{Align, Key, Layout, RichText, Ui};

use super::{
    parts::{head, labeled, many, name_of, plain, primary, small},
    typed_path::expand,
};
use crate::ui::{
    Actions, Dialog, DialogAction, PicturesDraft, Theme, View,
    theme::Font,
    widgets::{check, edged, name_widget, segment, segments},
};
use ulna_render::{ColorRole, FilmKind, film_times, sheet_grid};

/// Maximum width and height of an image, in pixels.
const LARGEST: u32 = 4096;

pub fn pictures_ui(ui: &mut Ui, view: &View<'_>, draft: &PicturesDraft, actions: &mut Actions) {
    let theme = view.theme;
    let (Some(session), Some(clip)) = (view.session, view.shown_clip()) else { return };
    let document = session.document();
    let mut now = draft.clone();
    head(ui, theme, None, &format!("Render images of {}", document.clip_label(clip)), "", actions);
    ui.spacing_mut().item_spacing.y = 6.0;
    choices_ui(ui, theme, &mut now);
    let mut enter = false;
    labeled(ui, theme, "File", |ui| {
        let field = egui::TextEdit::singleline(&mut now.to)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(f32::INFINITY)
            .font(egui::TextStyle::Monospace);
        let field = edged(ui, |ui| ui.add(field));
        name_widget(ui, &field, "File");
        enter = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    });
    let clip = &document.clips[clip];
    let again = clip.repeat.unwrap_or_default() == ulna_model::Repeat::Loop;
    let count = film_times(f64::from(clip.length()), now.fps, again).len();
    let files = now.kind.files(&now.path(), count);
    let there = files.iter().take(100).filter(|f| f.exists()).count();
    ui.add_space(4.0);
    files_ui(ui, theme, &now, &files, count);
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let said =
            if there > 0 { format!("{} replaced", many(there, "file")) } else { String::new() };
        ui.label(RichText::new(said).color(theme.color(ColorRole::TextSecondary)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let named = expand(&now.to).file_name().is_some();
            let verb = format!("Render {}", many(count, "image"));
            let go = ui.add_enabled_ui(named, |ui| primary(ui, theme, &verb).clicked()).inner
                || (enter && named);
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if go {
                actions.push(DialogAction::SetDialog(None));
                actions.push(DialogAction::TakePictures(Box::new(now.clone())));
            } else if now != *draft {
                actions.push(DialogAction::SetDialog(Some(Dialog::Pictures {
                    draft: Box::new(now.clone()),
                })));
            }
        });
    });
}

/// Shows the format, size, rate and options of the images.
fn choices_ui(ui: &mut Ui, theme: &Theme, now: &mut PicturesDraft) {
    labeled(ui, theme, "Format", |ui| {
        segments(ui, theme, |ui| {
            let kinds = [
                (FilmKind::Numbered, "Image sequence"),
                (FilmKind::Gif, "Animated GIF"),
                (FilmKind::Sheet, "Contact sheet"),
            ];
            for (kind, text) in kinds {
                if segment(ui, theme, text, now.kind == kind, false).clicked() {
                    now.kind = kind;
                }
            }
        });
    });
    labeled(ui, theme, "Size", |ui| {
        let side = |ui: &mut Ui, value: &mut u32, name: &str| {
            let field = ui.add(egui::DragValue::new(value).range(16..=LARGEST).speed(4));
            name_widget(ui, &field, name);
        };
        let [width, height] = &mut now.size;
        side(ui, width, "Width in pixels");
        ui.label("×");
        side(ui, height, "Height in pixels");
        ui.label(RichText::new("pixels").color(theme.color(ColorRole::TextSecondary)));
    });
    let fastest = if now.kind == FilmKind::Gif { 50.0 } else { 240.0 };
    now.fps = now.fps.clamp(0.1, fastest);
    labeled(ui, theme, "Rate", |ui| {
        let field = ui.add(
            egui::DragValue::new(&mut now.fps).range(0.1..=fastest).speed(0.1).max_decimals(3),
        );
        name_widget(ui, &field, "Images per second");
        ui.label(RichText::new("per second").color(theme.color(ColorRole::TextSecondary)));
    });
    labeled(ui, theme, "Options", |ui| {
        check(ui, theme, &mut now.transparent, "Transparent background");
        if now.transparent {
            now.grid = false;
        }
        ui.add_enabled_ui(!now.transparent, |ui| check(ui, theme, &mut now.grid, "Ground grid"));
        check(ui, theme, &mut now.joints, "Joints");
        check(ui, theme, &mut now.turns, "Turntable");
    });
}

/// Shows the files to be written, and the size of the images.
fn files_ui(ui: &mut Ui, theme: &Theme, now: &PicturesDraft, files: &[PathBuf], count: usize) {
    theme.well().inner_margin(8).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let first = files.first().map(|f| name_of(f)).unwrap_or_default();
        let said = match (now.kind, files.last()) {
            (FilmKind::Numbered, Some(last)) if count > 1 => format!("{first} … {}", name_of(last)),
            _ => first,
        };
        ui.label(
            RichText::new(said)
                .font(Theme::font(Font::Number))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let [w, h] = now.size;
        let about = match now.kind {
            FilmKind::Sheet => {
                let [columns, rows] = sheet_grid(count, now.size);
                format!(
                    "{}, {columns} × {rows}: {} × {} pixels",
                    many(count, "image"),
                    columns * w,
                    rows * h
                )
            }
            _ => format!("{} of {w} × {h} pixels", many(count, "image")),
        };
        small(ui, theme, &about);
    });
}
