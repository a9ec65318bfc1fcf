//! Finding a command by its words.

use egui::{
    Align2, Area, Id, Key, Modifiers, Order, Rect, RichText, Role, ScrollArea, Sense, Ui,
    WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

use super::{
    Action, Actions, Dialog, Theme, View,
    theme::Font,
    widgets::{key_chips, name_widget, paint_icon},
};
use crate::ui::DialogAction;
use ulna_edit::{CommandSpec, command::forms::is_for_programs, table};
use ulna_render::{ColorRole, Measure};

/// What was typed, and which row is chosen.
#[derive(Clone, Debug, Default)]
pub struct PaletteState {
    query: String,
    chosen: usize,
}

/// Rows in sight at once.
const ROWS: f32 = 9.0;

pub fn palette_ui(state: &mut PaletteState, ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    if view.dialogs.open != Some(&Dialog::Find) {
        *state = PaletteState::default();
        return;
    }
    let theme = view.theme;
    let ctx = ui.ctx();
    let found = matches(&state.query, |c| c.check(&view.availability).is_ok());
    let (up, down, enter, escape, tab) = ctx.input_mut(|i| {
        (
            i.consume_key(Modifiers::NONE, Key::ArrowUp),
            i.consume_key(Modifiers::NONE, Key::ArrowDown),
            i.consume_key(Modifiers::NONE, Key::Enter),
            i.consume_key(Modifiers::NONE, Key::Escape),
            i.consume_key(Modifiers::NONE, Key::Tab),
        )
    });
    if down {
        state.chosen = (state.chosen + 1).min(found.len().saturating_sub(1));
    }
    if up {
        state.chosen = state.chosen.saturating_sub(1);
    }
    let mut run: Option<&'static CommandSpec> =
        found.get(state.chosen).map(|f| f.0).filter(|_| enter);
    let width = Measure::Palette.points().min(ctx.content_rect().width() - 32.0);
    let area = Area::new(Id::unique("palette"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, 76.0))
        .show(ctx, |ui| {
            let frame = egui::Frame::window(ui.style())
                .fill(theme.color(ColorRole::SurfaceRaised))
                .inner_margin(8);
            frame.show(ui, |ui| {
                ui.set_width(width);
                let before = state.query.clone();
                search_field(ui, theme, &mut state.query, found.len());
                let asked_anew = state.query != before;
                if asked_anew {
                    state.chosen = 0;
                }
                ui.add_space(4.0);
                let height = Measure::RowPalette.points();
                ScrollArea::vertical().max_height(height * ROWS).auto_shrink([false, true]).show(
                    ui,
                    |ui| {
                        ui.spacing_mut().item_spacing.y = 0.0;
                        for (k, (command, hits)) in found.iter().enumerate() {
                            let response = row(ui, view, command, hits, k == state.chosen);
                            if (up || down || asked_anew) && k == state.chosen {
                                response.scroll_to_me(None);
                            }
                            if response.clicked() {
                                run = Some(command);
                            }
                        }
                        if found.is_empty() {
                            ui.add_space(8.0);
                            let text = format!("No command matches “{}”", state.query);
                            ui.label(
                                RichText::new(text).color(theme.color(ColorRole::TextSecondary)),
                            );
                            ui.add_space(8.0);
                        }
                    },
                );
                ui.add_space(4.0);
                ui.horizontal(|ui| {
                    for (key, what) in
                        [("↑ ↓", "choose"), ("Enter", "run"), ("Tab", "options"), ("Esc", "close")]
                    {
                        key_chips(ui, theme, key);
                        ui.label(
                            RichText::new(what)
                                .font(Theme::font(Font::Caption))
                                .color(theme.color(ColorRole::TextTertiary)),
                        );
                        ui.add_space(4.0);
                    }
                });
            });
        });
    let asked = found.get(state.chosen).map(|f| f.0).filter(|c| tab && !c.arguments.is_empty());
    let outside = ctx.input(|i| {
        i.pointer.any_click()
            && i.pointer.interact_pos().is_some_and(|p| !area.response.rect.contains(p))
    });
    if let Some(command) = asked.filter(|c| c.check(&view.availability).is_ok()) {
        actions.push(DialogAction::SetDialog(None));
        actions.push(DialogAction::Ask(command));
    } else if let Some(command) = run {
        let enabled = command.check(&view.availability);
        if enabled.is_ok() {
            actions.push(DialogAction::SetDialog(None));
            actions.push(Action::Invoke(command));
        }
    } else if escape || outside {
        actions.push(DialogAction::SetDialog(None));
    }
}

fn search_field(ui: &mut Ui, theme: &Theme, query: &mut String, count: usize) {
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceField))
        .stroke(egui::Stroke::new(2.0, theme.color(ColorRole::AccentBase)))
        .corner_radius(4)
        .inner_margin(egui::Margin::symmetric(8, 2));
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::hover());
            paint_icon(
                ui.painter(),
                rect.center(),
                icons::ICON_SEARCH,
                18.0,
                theme.color(ColorRole::TextSecondary),
            );
            let width = ui.available_width() - 70.0;
            let edit = egui::TextEdit::singleline(query)
                .hint_text("Find a command")
                .frame(egui::Frame::NONE)
                .align(Align2::LEFT_CENTER);
            let response = ui.add_sized([width, 24.0], edit);
            name_widget(ui, &response, "Find a command");
            response.request_focus();
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let text = format!("{count} of {}", offered().count());
                ui.label(
                    RichText::new(text)
                        .font(Theme::font(Font::Caption))
                        .color(theme.color(ColorRole::TextTertiary)),
                );
            });
        });
    });
}

fn row(
    ui: &mut Ui,
    view: &View<'_>,
    command: &CommandSpec,
    hits: &[usize],
    chosen: bool,
) -> egui::Response {
    let theme = view.theme;
    let enabled = command.check(&view.availability);
    let size = vec2(ui.available_width(), Measure::RowPalette.points());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::MenuItem, enabled.is_ok(), chosen, command.menu_title())
    });
    // Most rows are out of sight, and text is what costs.
    if !ui.is_rect_visible(rect) {
        return response;
    }
    if chosen || response.hovered() {
        ui.painter().rect_filled(
            rect,
            4.0,
            theme.color(if chosen {
                ColorRole::SurfaceControl
            } else {
                ColorRole::SurfaceRowHover
            }),
        );
    }
    let fade = if enabled.is_ok() { 1.0 } else { 0.45 };
    let mut job = egui::text::LayoutJob::default();
    let title = command.menu_title();
    let letters: Vec<(bool, char)> =
        title.chars().enumerate().map(|(k, c)| (hits.contains(&k), c)).collect();
    for run in letters.chunk_by(|a, b| a.0 == b.0) {
        let (font, color) = if run[0].0 {
            (Theme::font(Font::Heading), theme.color(ColorRole::AccentText))
        } else {
            (Theme::font(Font::Body), theme.color(ColorRole::TextPrimary))
        };
        let format = egui::TextFormat {
            font_id: font,
            color: color.gamma_multiply(fade),
            ..Default::default()
        };
        job.append(&run.iter().map(|(_, letter)| letter).collect::<String>(), 0.0, format);
    }
    let title = ui.painter().layout_job(job);
    let middle = rect.center().y;
    let left = rect.left() + 10.0;
    let after = left + title.size().x + 10.0;
    ui.painter().galley(
        pos2(left, middle - title.size().y * 0.5),
        title,
        theme.color(ColorRole::TextPrimary),
    );
    let key = view.settings.keys.key(command.name);
    let room = rect.right()
        - 10.0
        - if key.is_empty() { 0.0 } else { super::widgets::key_width(ui, key) + 8.0 };
    let (note, color) = match enabled {
        Ok(()) => (command.help, theme.color(ColorRole::TextSecondary)),
        Err(reason) => (reason, theme.color(ColorRole::TextTertiary)),
    };
    let note = super::widgets::cut(ui, note, &Theme::font(Font::Small), room - after);
    ui.painter().text(
        pos2(after, middle),
        Align2::LEFT_CENTER,
        note,
        Theme::font(Font::Small),
        color,
    );
    if !key.is_empty() {
        let area = Rect::from_min_max(
            pos2(room + 8.0, rect.top()),
            pos2(rect.right() - 8.0, rect.bottom()),
        );
        let mut chips = ui.new_child(
            egui::UiBuilder::new()
                .max_rect(area)
                .layout(egui::Layout::right_to_left(egui::Align::Center)),
        );
        key_chips(&mut chips, theme, key);
    }
    if response.hovered() && enabled.is_err() {
        return response.on_hover_text(enabled.err().unwrap_or_default());
    }
    response
}

/// Points that a disabled command loses: among commands that fit a query about as well, those that
/// can run come first.
const DISABLED: i32 = 30;

/// Points of a command whose title begins with three typed letters or more.
const BEGUN: i32 = 60;

/// Points of a command whose whole title was typed: it comes first, whether or not it can run.
const EXACT: i32 = i32::MAX - 1;

/// All commands that a person can run: some take data that only programs write.
fn offered() -> impl Iterator<Item = &'static CommandSpec> {
    table().iter().filter(|c| !is_for_programs(c))
}

/// Whether a title starts with the letters of a query, blanks left out: then the query means this
/// command, whether or not it can run.
fn starts_with(command: &CommandSpec, wanted: &[char]) -> bool {
    let mut letters = command.title.chars().filter(|c| !c.is_whitespace());
    wanted.len() >= 3
        && wanted.iter().all(|w| letters.next().is_some_and(|c| c.to_ascii_lowercase() == *w))
}

/// The commands that a query means, the best first, each with the letters of its title that were
/// meant.
fn matches(
    query: &str,
    is_enabled: impl Fn(&CommandSpec) -> bool,
) -> Vec<(&'static CommandSpec, Vec<usize>)> {
    let wanted: Vec<char> = query.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let mut found: Vec<(i32, usize, &CommandSpec, Vec<usize>)> = offered()
        .enumerate()
        .filter_map(|(k, command)| {
            let (score, hits) = score(command, &wanted, query)?;
            let more = if starts_with(command, &wanted) {
                BEGUN
            } else if is_enabled(command) {
                0
            } else {
                -DISABLED
            };
            Some((score.saturating_add(more), k, command, hits))
        })
        .collect();
    found.sort_by_key(|(score, k, ..)| (-score, *k));
    found.into_iter().map(|(_, _, command, hits)| (command, hits)).collect()
}

/// How well a command fits: letters in a row and at the beginnings of words count more; a word of
/// the help counts a little.
fn score(command: &CommandSpec, wanted: &[char], query: &str) -> Option<(i32, Vec<usize>)> {
    if wanted.is_empty() {
        return Some((0, Vec::new()));
    }
    // The name that scripts use means one command.
    if command.name == query.trim() {
        return Some((i32::MAX, Vec::new()));
    }
    if command.title.eq_ignore_ascii_case(query.trim()) {
        return Some((EXACT, (0..command.title.chars().count()).collect()));
    }
    let title: Vec<char> = command.menu_title().to_lowercase().chars().collect();
    let mut best: Option<(i32, Vec<usize>)> = None;
    for start in (0..title.len()).filter(|k| title[*k] == wanted[0]) {
        let (mut hits, mut at, mut points) = (Vec::new(), start, 0);
        for letter in wanted {
            let Some(next) = (at..title.len()).find(|k| title[*k] == *letter) else { break };
            let begins = next == 0 || !title[next - 1].is_alphanumeric();
            let follows = hits.last().is_some_and(|h| h + 1 == next);
            points += 1 + if begins { 6 } else { 0 } + if follows { 4 } else { 0 };
            hits.push(next);
            at = next + 1;
        }
        if hits.len() == wanted.len() && best.as_ref().is_none_or(|(b, _)| points > *b) {
            best = Some((points, hits));
        }
    }
    // Letters strewn over a title are no match.
    let least = wanted.len() as i32 * 3;
    let words = query.trim().to_lowercase();
    best.filter(|(points, _)| *points >= least)
        .map(|(points, hits)| {
            (points * 8 + 100 - title.len() as i32 - if command.asks { 20 } else { 0 }, hits)
        })
        .or_else(|| {
            (command.help.to_lowercase().contains(&words) || command.name.contains(&words))
                .then(|| (1, Vec::new()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_parts_of_its_words() {
        for (query, wanted) in [
            ("sk", "key.set"),
            ("undo", "edit.undo"),
            ("pref", "file.preferences"),
            ("tour", "help.tour"),
        ] {
            let found: Vec<_> = matches(query, |_| true).iter().take(4).map(|f| f.0.name).collect();
            assert!(found.contains(&wanted), "{query}: {found:?}");
        }
        assert_eq!(matches("", |_| true).len(), offered().count());
        assert!(matches("qqqq", |_| true).is_empty());
    }

    #[test]
    fn commands_for_programs_are_not_offered_and_disabled_ones_come_last() {
        assert!(matches("mix.set", |_| true).iter().all(|f| f.0.name != "mix.set"));
        let can_undo = |c: &CommandSpec| c.name == "edit.undo";
        let first = matches("", can_undo).first().map(|f| f.0.name);
        assert_eq!(first, Some("edit.undo"));
        let typed = matches("Normalize", |c| c.name != "weights.normalize");
        assert_eq!(typed.first().map(|f| f.0.name), Some("weights.normalize"));
        let begun = matches("retime", |c| c.name != "clip.retime");
        assert_eq!(begun.first().map(|f| f.0.name), Some("clip.retime"));
    }

    #[test]
    fn no_two_commands_have_the_same_title() {
        let mut titles = std::collections::HashSet::new();
        for command in table() {
            let title = command.menu_title().trim_end_matches('…').to_owned();
            assert!(titles.insert(title.clone()), "{title}: {}", command.name);
        }
    }
}
