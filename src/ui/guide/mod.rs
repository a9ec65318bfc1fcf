//! The guide in the window: a list of its sections, a search over all pages, and the text.

mod inline;
mod pages;

use egui::{Label, RichText, Role, ScrollArea, Ui, WidgetInfo, vec2};

pub use self::pages::{GuidePlace, Heading, headings};
use self::{
    inline::text_ui,
    pages::{Block, linked, plain_text, sections},
};
use super::{
    Actions, Dialog, DialogAction, Theme, View,
    dialogs::{plain, title},
    theme::Font,
    widgets::filter_field,
};
use ulna_render::ColorRole;

/// Label of the search field.
const SEARCH: &str = "Search the guide";

/// Maximum number of search results.
const MOST: usize = 60;

/// A search result.
#[derive(Clone, Debug, PartialEq)]
struct Hit {
    place: GuidePlace,
    title: String,
    /// The text around the first search word.
    excerpt: String,
}

/// State of the guide across frames.
#[derive(Clone, Debug, Default)]
pub struct GuideState {
    search: String,
    /// The last request that was opened: a place, and words to search for.
    followed: Option<(GuidePlace, String)>,
    /// Index of the block to scroll to.
    scroll: Option<usize>,
    /// Search text, and its results.
    found: (String, Vec<Hit>),
}

impl GuideState {
    /// Resets the guide when its dialog is closed.
    pub fn forget(&mut self) {
        if self.followed.is_some() {
            *self = Self::default();
        }
    }

    /// Opens a place or starts a search when another part of the window requests it.
    fn follow(&mut self, place: GuidePlace, search: &str) {
        let asked = Some((place, search.to_owned()));
        if self.followed != asked {
            let before = self.followed.as_ref().map(|(_, search)| search.as_str());
            if before != Some(search) {
                search.clone_into(&mut self.search);
            }
            self.scroll = Some(place.block);
            self.followed = asked;
        }
    }

    fn search(&mut self) -> &[Hit] {
        if self.found.0 != self.search {
            self.found = (self.search.clone(), find(&self.search));
        }
        &self.found.1
    }
}

/// Searches all pages for places that contain all words. Titles come first.
fn find(text: &str) -> Vec<Hit> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let (mut titles, mut texts) = (Vec::new(), Vec::new());
    for (k, section) in sections().iter().enumerate() {
        let mut title = section.title.clone();
        if words.iter().all(|word| title.to_lowercase().contains(word)) {
            let place = GuidePlace { section: k, block: 0 };
            titles.push(Hit { place, title: title.clone(), excerpt: section.page.clone() });
        }
        for (block, content) in section.blocks.iter().enumerate() {
            let text = plain_text(content);
            let low = text.to_lowercase();
            let fits = words.iter().all(|word| low.contains(word));
            let is_title = matches!(content, Block::Heading(_));
            if is_title {
                title.clone_from(&text);
            }
            let place = GuidePlace { section: k, block };
            if fits && is_title {
                titles.push(Hit { place, title: title.clone(), excerpt: section.title.clone() });
            } else if fits {
                texts.push(Hit { place, title: title.clone(), excerpt: excerpt(&text, words[0]) });
            }
        }
    }
    titles.extend(texts);
    titles.truncate(MOST);
    titles
}

/// A short piece of text around the first occurrence of a word.
fn excerpt(text: &str, word: &str) -> String {
    const BEFORE: usize = 20;
    let letters: Vec<char> = text.chars().collect();
    let low: Vec<char> = text.chars().map(|c| c.to_ascii_lowercase()).collect();
    let word: Vec<char> = word.chars().collect();
    let at = low.windows(word.len()).position(|w| w == word.as_slice()).unwrap_or(0);
    let from = at.saturating_sub(BEFORE);
    let from = (from..at).find(|k| *k == 0 || letters[k - 1] == ' ').unwrap_or(at);
    let part: String = letters[from..].iter().take(90).collect();
    if from > 0 { format!("…{part}") } else { part }
}

/// Draws the *Guide* dialog.
pub fn guide_ui(
    state: &mut GuideState,
    ui: &mut Ui,
    view: &View<'_>,
    place: GuidePlace,
    search: &str,
    actions: &mut Actions,
) {
    let theme = view.theme;
    state.follow(place, search);
    title(ui, theme, "Guide");
    let height = (ui.ctx().content_rect().height() - 190.0).clamp(120.0, 560.0);
    let width = ui.available_width();
    let list = (width * 0.3).clamp(150.0, 240.0);
    let mut wanted = None;
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        ui.vertical(|ui| {
            ui.set_width(list);
            ui.set_height(height);
            filter_field(ui, theme, &mut state.search, SEARCH);
            ui.add_space(4.0);
            wanted = list_ui(state, ui, theme, place, height - 32.0);
        });
        ui.vertical(|ui| {
            ui.set_width(width - list - 16.0);
            ui.set_height(height);
            let area = ScrollArea::vertical().max_height(height).auto_shrink([false, false]);
            // Each section has its own scroll position, so a newly opened section starts at its
            // top.
            area.id_salt(("guide", place.section)).show(ui, |ui| {
                let clicked = section_ui(state, ui, theme, place);
                wanted = wanted.or(clicked);
            });
        });
    });
    ui.add_space(12.0);
    if plain(ui, "Close").clicked() {
        actions.push(DialogAction::SetDialog(None));
    } else if let Some(place) = wanted {
        let search = search.to_owned();
        // Scrolls even if the place is already open.
        state.scroll = Some(place.block);
        actions.push(DialogAction::SetDialog(Some(Dialog::Guide { place, search })));
    }
}

/// Draws the list of sections, or of search results. Returns the clicked place.
fn list_ui(
    state: &mut GuideState,
    ui: &mut Ui,
    theme: &Theme,
    place: GuidePlace,
    height: f32,
) -> Option<GuidePlace> {
    let searches = !state.search.trim().is_empty();
    let mut wanted = None;
    let area = ScrollArea::vertical().max_height(height).auto_shrink([false, false]);
    area.id_salt(("guide list", searches)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        if searches {
            let search = state.search.clone();
            let hits = state.search();
            if hits.is_empty() {
                let text = format!("The guide does not contain “{search}”.");
                let text = RichText::new(text).color(theme.color(ColorRole::TextSecondary));
                ui.add(Label::new(text).wrap());
            }
            for hit in hits {
                if hit_ui(ui, theme, hit, hit.place == place) {
                    wanted = Some(hit.place);
                }
            }
            return;
        }
        let mut page = "";
        for (k, section) in sections().iter().enumerate() {
            if section.page != page {
                page = &section.page;
                ui.add_space(if k == 0 { 0.0 } else { 8.0 });
                let text = RichText::new(page).font(Theme::font(Font::Caption));
                ui.label(text.color(theme.color(ColorRole::TextTertiary)));
            }
            let name = if section.title == section.page { "Overview" } else { &section.title };
            let layout = egui::Layout::top_down_justified(egui::Align::LEFT);
            let button = egui::Button::selectable(k == place.section, name).truncate();
            let response = ui.with_layout(layout, |ui| ui.add(button)).inner;
            if response.clicked() {
                wanted = Some(GuidePlace { section: k, block: 0 });
            }
        }
    });
    wanted
}

/// Draws a search result. Returns whether it was clicked.
fn hit_ui(ui: &mut Ui, theme: &Theme, hit: &Hit, chosen: bool) -> bool {
    let mut job = egui::text::LayoutJob::default();
    let part = |font, role| egui::TextFormat::simple(Theme::font(font), theme.color(role));
    job.append(&hit.title, 0.0, part(Font::Heading, ColorRole::TextPrimary));
    job.append("\n", 0.0, part(Font::Body, ColorRole::TextPrimary));
    job.append(&hit.excerpt, 0.0, part(Font::Small, ColorRole::TextSecondary));
    let button = egui::Button::selectable(chosen, job).wrap();
    let response = ui.add(button.min_size(vec2(ui.available_width(), 24.0)));
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, &hit.title));
    response.clicked()
}

/// Draws the text of a section. Returns the target of a clicked link.
fn section_ui(
    state: &mut GuideState,
    ui: &mut Ui,
    theme: &Theme,
    place: GuidePlace,
) -> Option<GuidePlace> {
    let section = sections().get(place.section)?;
    ui.set_width(ui.available_width() - 8.0);
    ui.spacing_mut().item_spacing.y = 6.0;
    let title = RichText::new(&section.title).font(Theme::font(Font::Title));
    let top = ui.label(title.color(theme.color(ColorRole::TextPrimary)));
    let scroll = state.scroll.take();
    if scroll == Some(0) {
        top.scroll_to_me(Some(egui::Align::TOP));
    }
    let mut clicked = None;
    for (k, block) in section.blocks.iter().enumerate() {
        let response = ui.scope(|ui| block_ui(ui, theme, block, k));
        if k > 0 && scroll == Some(k) {
            response.response.scroll_to_me(Some(egui::Align::TOP));
        }
        clicked = clicked.or(response.inner.and_then(|link| linked(section.file, link)));
    }
    clicked
}

/// Draws a block of text. Returns the target of a clicked link.
fn block_ui<'a>(ui: &mut Ui, theme: &Theme, block: &'a Block, number: usize) -> Option<&'a str> {
    let base = ColorRole::TextSecondary;
    match block {
        Block::Heading(text) => {
            ui.add_space(8.0);
            let text = RichText::new(text).font(Theme::font(Font::Heading));
            ui.label(text.color(theme.color(ColorRole::TextPrimary)));
            None
        }
        Block::Paragraph(text) => text_ui(ui, theme, text, base),
        Block::Item(depth, sign, text) => {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                ui.add_space(8.0 + 16.0 * *depth as f32);
                ui.label(RichText::new(sign).color(theme.color(ColorRole::TextTertiary)));
                let room = ui.available_width();
                ui.vertical(|ui| {
                    ui.set_width(room);
                    text_ui(ui, theme, text, base)
                })
                .inner
            })
            .inner
        }
        Block::Table(rows) => table_ui(ui, theme, rows),
        Block::Code(text) => {
            let frame = theme.well().inner_margin(8);
            frame.show(ui, |ui| {
                let area = ScrollArea::horizontal().auto_shrink([false, true]);
                area.id_salt(("code", number)).show(ui, |ui| {
                    let text = RichText::new(text).font(Theme::font(Font::NumberSmall));
                    ui.add(Label::new(text.color(theme.color(ColorRole::TextPrimary))).extend());
                });
            });
            None
        }
    }
}

/// Draws a table with column widths in proportion to the longest texts. Returns the target of a
/// clicked link.
fn table_ui<'a>(ui: &mut Ui, theme: &Theme, rows: &'a [Vec<String>]) -> Option<&'a str> {
    let columns = rows.first()?.len();
    let longest = |k: usize| {
        let lengths = rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(1).clamp(8, 60) as f32
    };
    let parts: Vec<f32> = (0..columns).map(longest).collect();
    let room = ui.available_width() - 12.0 * columns as f32;
    let all: f32 = parts.iter().sum();
    let mut clicked = None;
    for (k, row) in rows.iter().enumerate() {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            for (cell, part) in row.iter().zip(&parts) {
                ui.vertical(|ui| {
                    ui.set_width((room * part / all).max(24.0));
                    let role =
                        if k == 0 { ColorRole::TextTertiary } else { ColorRole::TextSecondary };
                    clicked = clicked.or(text_ui(ui, theme, cell, role));
                });
            }
        });
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), 1.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::StrokeSubtle));
    }
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_ranks_titles_first_and_requires_all_words() {
        let hits = find("root motion");
        assert_eq!(hits[0].title, "Root motion");
        assert!(hits.len() > 2, "{hits:?}");
        assert!(find("no such words at all zzz").is_empty());
        assert!(find(" ").is_empty());
        let text = find("glTF");
        assert!(text.len() <= MOST && !text.is_empty());
    }
}
