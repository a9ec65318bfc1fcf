//! The command palette. It finds commands by their words or the terms of other programs, and
//! everything else by name.

mod acts;
mod matching;
mod names;
mod rows;
mod search;
mod typed;
mod vocabulary;

use std::collections::BTreeSet;

use egui::{Align2, Area, Id, Key, Modifiers, Order, RichText, ScrollArea, Sense, Ui, vec2};
use egui_material_icons::icons;

use self::{
    names::{Entry, RowGroup, entries},
    rows::{group_ui, row},
    search::{FIRST, PaletteGroup, PaletteRow, SearchContext, offered, search},
};
use super::{
    Actions, Dialog, Theme, View,
    dialogs::plain,
    theme::Font,
    widgets::{key_chips, name_widget, paint_icon},
};
use crate::ui::{DialogAction, guide};
use ulna_edit::Availability;
use ulna_model::NodeId;
use ulna_render::{ColorRole, Measure};

/// Inputs of the search. The results are computed again when an input changes.
#[derive(Clone, Debug, PartialEq)]
struct Basis {
    query: String,
    availability: Availability,
    /// Id and generation of the open document.
    document: Option<(u64, u64)>,
    /// Number of recent files.
    files: usize,
}

/// Typed text, results and the chosen row.
#[derive(Clone, Debug, Default)]
pub struct PaletteState {
    query: String,
    /// Index of the chosen row among the visible rows.
    chosen: usize,
    /// Groups that show all of their rows.
    open: BTreeSet<RowGroup>,
    names: Vec<Entry>,
    groups: Vec<PaletteGroup>,
    basis: Option<Basis>,
}

/// Distance in points from the top of a high window to the palette.
const TOP: f32 = 76.0;

impl PaletteState {
    /// Searches again if an input has changed.
    fn update(&mut self, view: &View<'_>) {
        let document = view.session.map(|s| (s.id(), s.history().generation()));
        let basis = Basis {
            query: self.query.clone(),
            availability: view.availability,
            document,
            files: view.program.recent.len(),
        };
        if self.basis.as_ref() == Some(&basis) {
            return;
        }
        let started = std::time::Instant::now();
        let before = self.basis.as_ref();
        if before.is_none_or(|b| (b.document, b.files) != (basis.document, basis.files)) {
            self.names = entries(view);
        }
        let typed_anew = before.is_none_or(|b| b.query != basis.query);
        let why_not = |c: &ulna_edit::CommandSpec| c.check(&view.availability).err();
        let around = SearchContext {
            names: &self.names,
            why_not: &why_not,
            used: view.program.used,
            rate: view.timeline.playback.fps,
        };
        self.groups = search(&self.query, around);
        if typed_anew {
            self.open.clear();
            self.chosen = self.first_chosen();
        }
        self.basis = Some(basis);
        log::debug!("the palette searched for {:?}", started.elapsed());
    }

    /// Index of the row that Enter runs before an arrow key is pressed. It is the first available
    /// row, unless an unavailable first row matches exactly.
    fn first_chosen(&self) -> usize {
        let shown = self.shown();
        let exact = shown.first().is_some_and(|(_, found)| {
            found.disabled.is_some() && found.points >= matching::EXACT - 4 && found.also.is_none()
        });
        if exact {
            return 0;
        }
        shown.iter().position(|(_, found)| found.disabled.is_none()).unwrap_or_default()
    }

    /// Number of visible rows of a group.
    fn count(&self, group: &PaletteGroup) -> usize {
        if self.open.contains(&group.group) {
            group.rows.len()
        } else {
            group.rows.len().min(FIRST)
        }
    }

    /// The visible rows with their groups.
    fn shown(&self) -> Vec<(RowGroup, &PaletteRow)> {
        let rows = |group: &'_ PaletteGroup| self.count(group);
        self.groups
            .iter()
            .flat_map(|group| group.rows.iter().take(rows(group)).map(|row| (group.group, row)))
            .collect()
    }

    /// Chooses the next row. After the last visible row of a group, the group is expanded.
    fn go_down(&mut self) {
        let shown = self.shown();
        let Some((group, _)) = shown.get(self.chosen) else { return };
        let (group, is_last) =
            (*group, shown.get(self.chosen + 1).is_none_or(|(next, _)| next != group));
        let last = shown.len().saturating_sub(1);
        let hides = self.groups.iter().any(|g| g.group == group && g.rows.len() > self.count(g));
        if is_last && hides {
            self.open.insert(group);
            self.chosen += 1;
        } else {
            self.chosen = (self.chosen + 1).min(last);
        }
    }
}

/// Keys that were pressed in this frame.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    up: bool,
    down: bool,
    run: bool,
    form: bool,
    close: bool,
}

impl Asked {
    fn take(ui: &Ui) -> Self {
        ui.ctx().input_mut(|i| Self {
            up: i.consume_key(Modifiers::NONE, Key::ArrowUp),
            down: i.consume_key(Modifiers::NONE, Key::ArrowDown),
            run: i.consume_key(Modifiers::NONE, Key::Enter),
            form: i.consume_key(Modifiers::NONE, Key::Tab),
            close: i.consume_key(Modifiers::NONE, Key::Escape),
        })
    }
}

/// Draws the palette if it is open. Returns the selected node to scroll to.
pub fn palette_ui(
    state: &mut PaletteState,
    ui: &Ui,
    view: &View<'_>,
    actions: &mut Actions,
) -> Option<NodeId> {
    if view.dialogs.open != Some(&Dialog::Find) {
        if state.basis.is_some() {
            *state = PaletteState::default();
        }
        return None;
    }
    let ctx = ui.ctx();
    state.update(view);
    let asked = Asked::take(ui);
    if asked.down {
        state.go_down();
    }
    if asked.up {
        state.chosen = state.chosen.saturating_sub(1);
    }
    let screen = ctx.content_rect();
    let width = Measure::Palette.points().min(screen.width() - 32.0);
    let top = TOP.min(screen.height() * 0.08);
    let mut clicked = None;
    let area = Area::new(Id::unique("palette"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, top))
        .show(ctx, |ui| {
            let frame = egui::Frame::window(ui.style())
                .fill(view.theme.color(ColorRole::SurfaceRaised))
                .inner_margin(8);
            frame.show(ui, |ui| {
                ui.set_width(width - 16.0);
                // The text field, gaps and footer need about 110 points.
                let room = (screen.height() - top - 126.0).max(72.0);
                clicked = content_ui(state, ui, view, (room, asked.up || asked.down), actions);
            });
        });
    let shown = state.shown();
    let chosen = shown.get(state.chosen).map(|(_, found)| *found);
    let outside = ctx.input(|i| {
        i.pointer.any_click()
            && i.pointer.interact_pos().is_some_and(|p| !area.response.rect.contains(p))
    });
    if let Some(found) = chosen.filter(|_| asked.form)
        && acts::ask(view, found, actions)
    {
        return None;
    }
    let run = clicked.and_then(|k: usize| shown.get(k)).map(|(_, found)| *found);
    if let Some(found) = run.or_else(|| chosen.filter(|_| asked.run)) {
        return acts::run(view, &state.names, found, actions);
    }
    if asked.close || outside {
        actions.push(DialogAction::SetDialog(None));
    }
    None
}

/// Draws the text field, the rows and the footer. Returns the index of the clicked row.
fn content_ui(
    state: &mut PaletteState,
    ui: &mut Ui,
    view: &View<'_>,
    (room, scrolls): (f32, bool),
    actions: &mut Actions,
) -> Option<usize> {
    let theme = view.theme;
    let before = state.query.clone();
    search_field(ui, theme, state);
    let typed = state.query != before;
    state.update(view);
    ui.add_space(4.0);
    let most = Measure::RowPalette.points() * 11.0 + rows::TITLE * 3.0;
    let list = ScrollArea::vertical().max_height(room.min(most)).auto_shrink([false, true]);
    let (mut clicked, mut opened) = (None, None);
    // New results are shown from the top.
    let list = if typed { list.vertical_scroll_offset(0.0) } else { list };
    let output = list.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut k = 0;
        for group in &state.groups {
            let count = state.count(group);
            if group_ui(ui, theme, group.group, group.rows.len() - count) {
                opened = Some(group.group);
            }
            for found in group.rows.iter().take(count) {
                let response = row(ui, view, &state.names, found, k == state.chosen);
                if scrolls && k == state.chosen {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    clicked = Some(k);
                }
                k += 1;
            }
        }
        if state.groups.is_empty() {
            nothing_ui(ui, theme, &state.query, actions);
        }
    });
    if let Some(group) = opened {
        state.open.insert(group);
    }
    let seen = output.state.clamped_offset().y + output.inner_rect.height();
    let below = ((output.content_size.y - seen) / Measure::RowPalette.points()).round();
    ui.add_space(4.0);
    footer_ui(state, ui, theme, below.max(0.0) as usize);
    clicked
}

/// Draws a message that there are no results, and a button that searches the guide.
fn nothing_ui(ui: &mut Ui, theme: &Theme, query: &str, actions: &mut Actions) {
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.add_space(12.0);
        let text = format!("No command or name contains “{}”.", query.trim());
        let text = RichText::new(text).color(theme.color(ColorRole::TextSecondary));
        ui.add(egui::Label::new(text).wrap());
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.add_space(12.0);
        if plain(ui, "Search the guide").clicked() {
            let dialog = Dialog::Guide {
                place: guide::GuidePlace::default(),
                search: query.trim().to_owned(),
            };
            actions.push(DialogAction::SetDialog(Some(dialog)));
        }
    });
    ui.add_space(8.0);
}

/// Draws the keys of the palette, and the number of rows below the visible ones.
fn footer_ui(state: &PaletteState, ui: &mut Ui, theme: &Theme, below: usize) {
    let shown = state.shown();
    let chosen = shown.get(state.chosen).map(|(_, found)| *found);
    let verb = rows::verb(&state.names, chosen);
    let has_form = chosen.and_then(PaletteRow::command).is_some_and(|c| !c.arguments.is_empty());
    let caption = |text: &str| {
        RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary))
    };
    ui.horizontal(|ui| {
        ui.add_space(4.0);
        let keys = [("↑ ↓", "choose"), ("Enter", verb), ("Tab", "its arguments"), ("Esc", "close")];
        for (key, what) in keys {
            if key == "Tab" && !has_form {
                continue;
            }
            key_chips(ui, theme, key);
            ui.label(caption(what));
            ui.add_space(4.0);
        }
        let hidden: usize =
            state.groups.iter().map(|group| group.rows.len() - state.count(group)).sum();
        let more = below + hidden;
        if more > 0 {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.add_space(4.0);
                ui.label(caption(&format!("{more} more below")));
            });
        }
    });
}

fn search_field(ui: &mut Ui, theme: &Theme, state: &mut PaletteState) {
    let names = state.groups.iter().filter(|group| group.group != RowGroup::Recent);
    let found: usize = names.map(|group| group.rows.len()).sum();
    let of = offered() + state.names.len();
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceField))
        .stroke(egui::Stroke::new(2.0, theme.color(ColorRole::AccentBase)))
        .corner_radius(4)
        .inner_margin(egui::Margin::symmetric(8, 3));
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::hover());
            let color = theme.color(ColorRole::TextSecondary);
            paint_icon(ui.painter(), rect.center(), icons::ICON_SEARCH, 18.0, color);
            let text = RichText::new(format!("{found} of {of}"))
                .font(Theme::font(Font::NumberSmall))
                .color(theme.color(ColorRole::TextTertiary));
            let room = ui.available_width() - 96.0;
            let edit = egui::TextEdit::singleline(&mut state.query)
                .hint_text("Find a command or a name")
                .frame(egui::Frame::NONE)
                .align(Align2::LEFT_CENTER);
            let response = ui.add_sized([room, 24.0], edit);
            name_widget(ui, &response, "Find a command");
            response.request_focus();
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label(text));
        });
    });
}
