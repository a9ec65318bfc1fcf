//! A list of the clips of a file, filtered by typed text.

use std::borrow::Cow;

use egui::{RichText, Ui};

use super::{
    drop_down::{SearchedList, option_row},
    popups::lasting_menu_button,
    theme::{Font, Theme},
    widgets::name_widget,
};
use ulna_model::{ClipId, Document};
use ulna_render::ColorRole;

/// Draws a list of clips, one of which may be shown as chosen. Returns the clicked clip.
pub fn clip_list(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    search: &mut String,
    now: Option<ClipId>,
) -> Option<ClipId> {
    let ids: Vec<ClipId> = document.clips.ids().collect();
    let labels: Vec<Cow<'_, str>> =
        ids.iter().map(|id| Cow::Owned(document.clip_label(*id))).collect();
    let list = SearchedList {
        hint: "Find a clip",
        empty: "The file has no clips",
        labels: &labels,
        height: 336.0,
    };
    let chosen = list.show(ui, theme, search, |ui, k| {
        let response = option_row(ui, now == Some(ids[k]), &labels[k]);
        name_widget(ui, &response, &format!("Choose {}", labels[k]));
        response
    });
    if chosen.is_some() {
        search.clear();
        ui.close();
    }
    chosen.map(|k| ids[k])
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
        chosen = clip_list(ui, theme, document, search, None);
    });
    name_widget(ui, &response, name);
    chosen
}
