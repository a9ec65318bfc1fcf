//! Drawing of the palette's rows.

use egui::{
    Align2, Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2,
    text::{LayoutJob, TextFormat},
    vec2,
};
use egui_material_icons::icons;

use super::{
    names::{Entry, Named, RowGroup, note},
    search::{Item, PaletteRow},
};
use crate::ui::{
    AssetRef, Theme, View,
    command_icons::command_icon,
    menu,
    theme::Font,
    widgets::{cut, elided, icon_font, key_chips, key_width, node_icon, paint_icon},
};
use ulna_edit::CommandSpec;
use ulna_render::{ColorRole, Measure};

/// Height of a group's title, in points.
pub const TITLE: f32 = 24.0;

/// Padding left of the icons, in points.
const EDGE: f32 = 12.0;

/// Width of the icon slot and its gap, in points.
const ICON: f32 = 28.0;

/// Draws a group's title, and the number of its hidden rows. Returns whether this number was
/// clicked.
pub fn group_ui(ui: &mut Ui, theme: &Theme, group: RowGroup, more: usize) -> bool {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), TITLE), Sense::hover());
    ui.painter().text(
        pos2(rect.left() + EDGE, rect.center().y),
        Align2::LEFT_CENTER,
        group.title(),
        Theme::font(Font::Caption),
        theme.color(ColorRole::TextSecondary),
    );
    if more == 0 {
        return false;
    }
    let place = Rect::from_min_max(pos2(rect.right() - 84.0, rect.top()), rect.right_bottom());
    let response = ui.interact(place, ui.scope_id().with(("more of", group)), Sense::click());
    let role = if response.hovered() { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
    ui.painter().text(
        pos2(rect.right() - EDGE, rect.center().y),
        Align2::RIGHT_CENTER,
        format!("{more} more"),
        Theme::font(Font::Caption),
        theme.color(role),
    );
    let name = format!("Show {more} more: {}", group.title());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    response.clicked()
}

/// Texts of a row.
struct RowText<'a> {
    title: String,
    note: String,
    /// Key or verb on the right.
    key: &'a str,
    verb: &'static str,
}

fn words<'a>(view: &'a View<'_>, names: &[Entry], found: &PaletteRow) -> RowText<'a> {
    match found.item {
        Item::Command(spec) => RowText {
            title: spec.menu_title().into_owned(),
            note: command_note(view, spec, found),
            key: view.settings.keys.key(spec.name),
            verb: "",
        },
        Item::Name(k) => {
            let entry = names.get(k);
            RowText {
                title: entry.map_or_else(String::new, |entry| entry.name.clone()),
                note: entry.map_or_else(String::new, |entry| note(view, entry)),
                key: "",
                verb: entry.map_or("", |entry| entry.named.verb()),
            }
        }
    }
}

/// Note of a command: its menu, its switch state, and the matched synonym. An unavailable command
/// has the reason instead.
fn command_note(view: &View<'_>, spec: &'static CommandSpec, found: &PaletteRow) -> String {
    if let Some(reason) = found.disabled {
        return reason.to_owned();
    }
    let menu = spec.menu.split('/').next().unwrap_or_default();
    let place = match menu::is_on(view, spec) {
        Some(true) => "on",
        Some(false) => "off",
        None => menu,
    };
    match found.also {
        Some(term) => format!("{place}, also: {term}"),
        None => format!("{place}: {}", spec.help),
    }
}

/// Returns the verb beside the Enter key: the action that Enter performs on a row.
pub fn verb(names: &[Entry], found: Option<&PaletteRow>) -> &'static str {
    match found.map(|found| found.item) {
        Some(Item::Name(k)) => names.get(k).map_or("run", |entry| entry.named.verb()),
        _ => "run",
    }
}

/// Paints the icon of a row.
fn icon_ui(
    ui: &Ui,
    view: &View<'_>,
    names: &[Entry],
    found: &PaletteRow,
    at: egui::Pos2,
    color: Color32,
) {
    let paint = |icon| paint_icon(ui.painter(), at, icon, 18.0, color);
    let k = match found.item {
        Item::Command(spec) => {
            if let Some(icon) = command_icon(spec) {
                let font = icon_font(18.0, false);
                ui.painter().text(at, Align2::CENTER_CENTER, icon, font, color);
            }
            return;
        }
        Item::Name(k) => k,
    };
    let document = view.session.map(|session| session.document());
    match names.get(k).map(|entry| &entry.named) {
        Some(Named::Clip(_)) => paint(icons::ICON_MOVIE),
        Some(Named::Node(node)) => {
            if let Some(document) = document.filter(|d| d.nodes.contains(*node)) {
                node_icon(ui.painter(), view, document, *node, at, color);
            }
        }
        Some(Named::Layer(..)) => paint(icons::ICON_LAYERS),
        Some(Named::Pose) => paint(icons::ICON_ACCESSIBILITY_NEW),
        Some(Named::Asset(AssetRef::Material(_))) => paint(icons::ICON_PALETTE),
        Some(Named::Asset(_)) => paint(icons::ICON_DEPLOYED_CODE),
        Some(Named::Preference(_)) => paint(icons::ICON_SETTINGS),
        Some(Named::File(_)) => paint(icons::ICON_DRAFT),
        Some(Named::Heading(_)) => paint(icons::ICON_MENU_BOOK),
        None => {}
    }
}

/// The title with the matched letters in the accent color.
fn title_job(theme: &Theme, title: &str, hits: &[usize], fade: f32) -> LayoutJob {
    let mut job = LayoutJob::default();
    let letters: Vec<(bool, char)> =
        title.chars().enumerate().map(|(k, c)| (hits.contains(&k), c)).collect();
    for run in letters.chunk_by(|a, b| a.0 == b.0) {
        let role = if run[0].0 { ColorRole::AccentText } else { ColorRole::TextPrimary };
        let color = theme.color(role).gamma_multiply(fade);
        let text: String = run.iter().map(|(_, letter)| letter).collect();
        job.append(&text, 0.0, TextFormat::simple(Theme::font(Font::Body), color));
    }
    job
}

/// Paints typed arguments as chips. Returns the right edge.
fn typed_ui(ui: &Ui, theme: &Theme, found: &PaletteRow, left: f32, middle: f32) -> f32 {
    let mut left = left;
    for typed in &found.typed {
        let color = theme.color(ColorRole::AccentText);
        let font = Theme::font(Font::Small);
        let text = ui.painter().layout_no_wrap(typed.shown.clone(), font, color);
        let size = text.size() + vec2(12.0, 4.0);
        let chip = Rect::from_min_size(pos2(left, middle - size.y * 0.5), size);
        ui.painter().rect_filled(chip, 4.0, theme.color(ColorRole::AccentTint));
        ui.painter().galley(chip.min + vec2(6.0, 2.0), text, color);
        left = chip.right() + 6.0;
    }
    left
}

/// Draws a row.
pub fn row(
    ui: &mut Ui,
    view: &View<'_>,
    names: &[Entry],
    found: &PaletteRow,
    chosen: bool,
) -> Response {
    let theme = view.theme;
    let words = words(view, names, found);
    let enabled = found.disabled.is_none();
    let size = vec2(ui.available_width(), Measure::RowPalette.points());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::MenuItem, enabled, chosen, &words.title));
    let typed: Vec<&str> = found.typed.iter().map(|typed| typed.shown.as_str()).collect();
    let told = if typed.is_empty() { words.note.clone() } else { typed.join(", ") };
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_description(told));
    // Most rows are scrolled out of view, and text layout is expensive.
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let fill = match (chosen, response.hovered()) {
        (true, _) => Some(ColorRole::SurfaceControl),
        (_, true) => Some(ColorRole::SurfaceRowHover),
        _ => None,
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 4.0, theme.color(fill));
    }
    let fade = if enabled { 1.0 } else { 0.45 };
    let middle = rect.center().y;
    let icon = theme.color(ColorRole::TextSecondary).gamma_multiply(fade);
    let at = pos2(rect.left() + EDGE + 8.0, middle);
    icon_ui(ui, view, names, found, at, icon);
    // On the right is the key, or else the verb.
    let right = rect.right() - EDGE;
    let taken = if words.key.is_empty() {
        let color = theme.color(ColorRole::TextSecondary);
        let font = Theme::font(Font::Small);
        let at = pos2(right, middle);
        ui.painter().text(at, Align2::RIGHT_CENTER, words.verb, font, color).width()
    } else {
        key_width(ui, words.key)
    };
    let room = right - taken - 12.0;
    let left = rect.left() + EDGE + ICON;
    let shown = elided(ui, &words.title, &Theme::font(Font::Body), (room - left).max(40.0));
    let hits = if shown == words.title { found.hits.as_slice() } else { &[] };
    let title = ui.painter().layout_job(title_job(theme, &shown, hits, fade));
    let mut after = left + title.size().x + 10.0;
    let color = theme.color(ColorRole::TextPrimary);
    ui.painter().galley(pos2(left, middle - title.size().y * 0.5), title, color);
    after = typed_ui(ui, theme, found, after, middle);
    let color =
        theme.color(if enabled { ColorRole::TextSecondary } else { ColorRole::TextTertiary });
    let note = cut(ui, &words.note, &Theme::font(Font::Small), room - after);
    let at = pos2(after, middle);
    ui.painter().text(at, Align2::LEFT_CENTER, note, Theme::font(Font::Small), color);
    if !words.key.is_empty() {
        let area = Rect::from_min_max(pos2(room + 8.0, rect.top()), pos2(right, rect.bottom()));
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut chips = ui.new_child(egui::UiBuilder::new().max_rect(area).layout(layout));
        key_chips(&mut chips, theme, words.key);
    }
    match found.disabled {
        Some(reason) if response.hovered() => response.on_hover_text(reason),
        _ => response,
    }
}
