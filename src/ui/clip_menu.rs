//! A list of the clips of a file, filtered by typed text.

use egui::{RichText, Ui};

use super::{
    theme::{Font, Theme},
    widgets::{filter_field, name_widget, select_all},
};
use crate::ui::popups::lasting_menu_button;
use ulna_model::{ClipId, Document};
use ulna_render::ColorRole;

/// Draws a list of clips. Returns the chosen clip.
fn clip_list(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    search: &mut String,
) -> Option<ClipId> {
    const MANY: usize = 12;
    ui.set_min_width(220.0);
    let mut ids: Vec<ClipId> = document.clips.ids().collect();
    if ids.len() > MANY {
        let field = filter_field(ui, theme, search, "Find a clip");
        // The search field takes the focus, so that typing filters the list without a click.
        if ui.memory(|m| m.focused()).is_none() {
            field.request_focus();
            select_all(ui.ctx(), field.id, search);
        }
        let needle = search.to_lowercase();
        ids.retain(|id| document.clip_label(*id).to_lowercase().contains(&needle));
        // Exact matches come first, then names that start with the search text.
        ids.sort_by_key(|id| {
            let label = document.clip_label(*id).to_lowercase();
            if label == needle { 0 } else { 1 + u8::from(!label.starts_with(&needle)) }
        });
    }
    // Enter chooses the first match.
    let enters = !search.trim().is_empty()
        && ui.input_mut(|i| i.consume_key(egui::Modifiers::NONE, egui::Key::Enter));
    let mut chosen = ids.first().copied().filter(|_| enters);
    if chosen.is_some() {
        ui.close();
    }
    egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
        for id in ids {
            let label = document.clip_label(id);
            let button = ui.button(&label);
            name_widget(ui, &button, &format!("Choose {label}"));
            if button.clicked() {
                chosen = Some(id);
                ui.close();
            }
        }
    });
    chosen
}

/// Draws a button that opens a list of clips, with a search field in longer lists. Returns the
/// chosen clip.
///
/// `words` is the button's text and the heading of the list.
pub fn clip_menu(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    search: &mut String,
    words: [&str; 2],
    name: &str,
) -> Option<ClipId> {
    let [text, head] = words;
    let mut chosen = None;
    let response = lasting_menu_button(ui, egui::Button::new(text), |ui| {
        if !head.is_empty() {
            let head = RichText::new(head).font(Theme::font(Font::Small));
            ui.label(head.color(theme.color(ColorRole::TextTertiary)));
        }
        chosen = clip_list(ui, theme, document, search);
    });
    name_widget(ui, &response, name);
    if chosen.is_some() {
        search.clear();
    }
    chosen
}
