//! Import page for a non-glTF file: a preview with axes and unit, contents, clips, and differences
//! from glTF.

mod clips;
mod contents;
mod differences;
mod figure;
mod preview;
mod settings;

use std::path::Path;

use egui::{Align, Key, Layout, Modifiers, Rect, RichText, Ui, UiBuilder, pos2, vec2};
use egui_material_icons::icons;

use super::parts::{answer, head, name_dialog, name_of, plain, primary};
use crate::ui::{
    Actions, ConvertDraft, Dialog, DialogAction, Theme, View,
    theme::Font,
    widgets::{check, cut, icon_button, name_widget},
};
use ulna_render::ColorRole;

/// Horizontal margin of each side of the page, in points.
const MARGIN: f32 = 20.0;
/// Horizontal margin of the rows on the right side, in points.
const INSET: f32 = 10.0;

/// Text of a file size.
fn bytes_in_words(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.0} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

pub fn convert_ui(ui: &mut Ui, view: &View<'_>, draft: &ConvertDraft, actions: &mut Actions) {
    let theme = view.theme;
    let mut now = draft.clone();
    // Enter confirms the page only if no field has the focus.
    let typing = ui.memory(|m| m.focused()).is_some();
    let enter = !typing && ui.input(|i| i.key_pressed(Key::Enter));
    ui.spacing_mut().item_spacing = vec2(8.0, 0.0);
    let page = ConvertDraft::page_size(ui.ctx().content_rect().size());
    let (rect, _) = ui.allocate_exact_size(page, egui::Sense::hover());
    keys(ui, &mut now);
    let top = rect.with_max_y(rect.top() + ConvertDraft::HEAD).shrink2(vec2(MARGIN, 0.0));
    let foot = rect.with_min_y(rect.bottom() - ConvertDraft::FOOT);
    let body = Rect::from_min_max(pos2(rect.left(), top.bottom()), pos2(rect.right(), foot.top()));
    let left = ConvertDraft::left_width(page.x);
    let picture = Rect::from_min_size(body.min, draft.preview_size(ui.ctx().content_rect().size()));
    let settings =
        Rect::from_min_max(picture.left_bottom(), pos2(body.left() + left, body.bottom()));
    let right = body.with_min_x(body.left() + left);
    inside(ui, "head", top, |ui| head_ui(ui, theme, draft, actions));
    ui.painter().rect_filled(
        body.with_max_x(settings.right()),
        0.0,
        theme.color(ColorRole::SurfacePanel),
    );
    inside(ui, "preview", picture, |ui| {
        preview::preview_ui(ui, view, &mut now, picture);
    });
    inside(ui, "settings", settings.shrink2(vec2(MARGIN, 10.0)), |ui| {
        egui::ScrollArea::vertical()
            .id_salt("settings")
            .auto_shrink([false, false])
            .show(ui, |ui| settings::settings_ui(ui, theme, &mut now));
    });
    inside(ui, "contents", right.shrink2(vec2(MARGIN - INSET, 0.0)), |ui| {
        right_ui(ui, theme, &mut now, actions);
    });
    inside(ui, "foot", foot.shrink2(vec2(MARGIN, 0.0)), |ui| {
        foot_ui(ui, theme, &mut now, enter, actions);
    });
    if now != *draft {
        actions.push(DialogAction::SetDialog(Some(Dialog::Convert { draft: Box::new(now) })));
    }
}

/// Lays out a part of the page in `rect`.
fn inside<R>(ui: &mut Ui, salt: &str, rect: Rect, add: impl FnOnce(&mut Ui) -> R) -> R {
    let place = UiBuilder::new().max_rect(rect).id_salt(salt).layout(Layout::top_down(Align::Min));
    let mut inner = ui.new_child(place);
    inner.set_clip_rect(rect.expand(4.0).intersect(ui.clip_rect()));
    add(&mut inner)
}

/// Arrow keys select the clip of the preview, and Space includes or excludes it.
fn keys(ui: &Ui, now: &mut ConvertDraft) {
    if ui.memory(|m| m.focused().is_some()) || now.found.clips.is_empty() {
        return;
    }
    let last = now.found.clips.len() - 1;
    let pressed = |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        now.preview.clip = Some(now.preview.clip.map_or(0, |k| (k + 1).min(last)));
    }
    if pressed(Key::ArrowUp) {
        now.preview.clip = now.preview.clip.and_then(|k| k.checked_sub(1));
    }
    if let Some(clip) = now.preview.clip
        && pressed(Key::Space)
    {
        let takes = now.takes_clip(clip);
        now.take_clips([clip].into_iter(), !takes);
    }
}

fn head_ui(ui: &mut Ui, theme: &Theme, draft: &ConvertDraft, actions: &mut Actions) {
    name_dialog(ui, &format!("Open {}", name_of(&draft.path)));
    ui.add_space(16.0);
    ui.horizontal(|ui| {
        let room = ui.available_width() - 36.0;
        ui.allocate_ui_with_layout(vec2(room, 24.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(room);
            let (font, small) = (Theme::font(Font::Title), Theme::font(Font::Small));
            let title = cut(ui, &format!("Open {}", name_of(&draft.path)), &font, room * 0.7);
            let color = theme.color(ColorRole::TextPrimary);
            ui.label(RichText::new(title).font(font).color(color));
            let folder = draft.path.parent().map_or_else(String::new, |p| p.display().to_string());
            let size = bytes_in_words(draft.bytes);
            let about = if folder.is_empty() { size } else { format!("{folder}, {size}") };
            let about = cut(ui, &about, &small, ui.available_width());
            let color = theme.color(ColorRole::TextTertiary);
            ui.label(RichText::new(about).font(small).color(color));
        });
        if icon_button(ui, theme, icons::ICON_CLOSE, "Close dialog", "Esc", false, Ok(())).clicked()
        {
            actions.push(DialogAction::SetDialog(None));
        }
    });
    let text = format!("Converted to glTF. The {} file is not changed.", draft.format);
    ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
}

/// Shows a section heading, with a note after it and widgets on the right.
fn section(ui: &mut Ui, theme: &Theme, title: &str, remark: &str, right: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        ui.add_space(INSET);
        let heading = RichText::new(title).font(Theme::font(Font::Heading));
        ui.label(heading.color(theme.color(ColorRole::TextPrimary)));
        let font = Theme::font(Font::Small);
        let remark = cut(ui, remark, &font, ui.available_width() - 176.0);
        ui.label(RichText::new(remark).font(font).color(theme.color(ColorRole::TextTertiary)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(INSET);
            right(ui);
        });
    });
}

/// Shows the right side: contents, clips and differences, which divide the remaining height.
fn right_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, actions: &mut Actions) {
    let bottom = ui.max_rect().bottom();
    egui::ScrollArea::vertical().id_salt("right").auto_shrink([false, false]).show(ui, |ui| {
        if !now.others.is_empty() {
            contents::files_ui(ui, theme, now);
            ui.add_space(8.0);
        }
        contents::contents_ui(ui, theme, now);
        ui.add_space(8.0);
        let left = bottom - ui.cursor().top();
        let wanted = [clips::height(now), differences::height(now)];
        let given = shared(left - 8.0, wanted);
        clips::clips_ui(ui, theme, now, given[0]);
        ui.add_space(8.0);
        differences::differences_ui(ui, theme, now, given[1], actions);
    });
}

/// Divides a height between two lists. Each gets a minimum number of rows, and unused height of one
/// list is added to the other.
fn shared(height: f32, wanted: [f32; 2]) -> [f32; 2] {
    const LEAST: f32 = 132.0;
    let half = (height * 0.5).max(LEAST);
    let first = wanted[0].min(half.max(height - wanted[1]));
    [first, wanted[1].min((height - first).max(LEAST))]
}

fn foot_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, enter: bool, actions: &mut Actions) {
    ui.add_space(16.0);
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let program = now.program();
        let whose = if program.is_empty() { String::new() } else { format!(" from {program}") };
        let text = format!("Use for all {} files{whose}", now.format);
        let mut keeps = now.remembers;
        let width = ui.available_width();
        let font = Theme::font(Font::Body);
        let shown = cut(ui, &text, &font, width * 0.34);
        let response = check(ui, theme, &mut keeps, shown);
        name_widget(ui, &response, &text);
        response.on_hover_text("Keeps the axes, unit, rate and clean-up for these files");
        now.remembers = keeps;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = match now.all_clip_count() {
                0 => "Open".to_owned(),
                1 => "Open with 1 clip".to_owned(),
                n => format!("Open with {n} clips"),
            };
            if primary(ui, theme, &verb).clicked() || enter {
                actions.push(DialogAction::Convert(Box::new(now.clone())));
            }
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
            if let Some(model) = &now.onto {
                let text = format!("Import clips onto {model}…");
                let shown = cut(ui, &text, &font, (ui.available_width() - 24.0).max(60.0));
                let ready = now.all_clip_count() > 0;
                let button = egui::Button::new(shown).min_size(vec2(0.0, 32.0));
                let response = ui.add_enabled(ready, button).on_hover_text(
                    "Matches the joints by name and body part, and retargets the motion",
                );
                name_widget(ui, &response, &text);
                if response.clicked() {
                    actions.push(DialogAction::TakeClips(Box::new(now.clone())));
                }
            }
        });
    });
}

/// Shows that a file cannot be read, with a button that chooses another file.
pub fn refused_ui(ui: &mut Ui, theme: &Theme, path: &Path, message: &str, actions: &mut Actions) {
    let icon = Some((icons::ICON_ERROR, ColorRole::SeverityError));
    let title = format!("{} could not be read", name_of(path));
    head(ui, theme, icon, &title, &format!("{message}."), actions);
    ui.add_space(8.0);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if answer(ui, theme, "Choose another file").clicked() {
            actions.push(DialogAction::SetDialog(None));
            actions.push(DialogAction::AskOpen);
        }
        if plain(ui, "Cancel").clicked() {
            actions.push(DialogAction::SetDialog(None));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn unused_height_of_a_short_list_is_added_to_the_other() {
        assert_eq!(shared(500.0, [900.0, 900.0]), [250.0, 250.0]);
        assert_eq!(shared(500.0, [100.0, 900.0]), [100.0, 400.0]);
        assert_eq!(shared(500.0, [900.0, 100.0]), [400.0, 100.0]);
        assert_eq!(shared(100.0, [900.0, 900.0]), [132.0, 132.0], "and the side scrolls");
    }
}
