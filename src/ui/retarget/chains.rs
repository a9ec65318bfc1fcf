//! The table of joint chains on the *Retarget* page.

use egui::{Align2, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    RetargetDraft, RetargetView, SOURCE, TARGET,
    draft::chain_ink,
    joints::{PickerState, picker_ui},
};
use crate::ui::{
    Theme,
    drop_down::{combo_box, option_row},
    theme::Font,
    widgets::{check, elided, name_widget, paint_icon},
};
use ulna_model::{ChainPosition, ChainRotation, RetargetChain};
use ulna_render::ColorRole;

/// Height of a row, in points.
const ROW: f32 = 24.0;

/// Left edges of the columns, in points.
struct Columns {
    name: f32,
    bodies: [f32; 2],
    rotation: f32,
    position: f32,
    contacts: f32,
    right: f32,
}

impl Columns {
    fn of(rect: Rect) -> Self {
        let right = rect.right();
        let contacts = right - 22.0;
        let position = contacts - 68.0;
        let rotation = position - 74.0;
        let name = rect.left() + 14.0;
        let first = name + 84.0;
        let middle = first + (rotation - first) * 0.5;
        Self { name, bodies: [first, middle], rotation, position, contacts, right }
    }

    /// Width in points of the column with the joints of the source or target.
    fn width(&self, body: usize) -> f32 {
        let end = if body == SOURCE { self.bodies[TARGET] } else { self.rotation };
        end - self.bodies[body] - 6.0
    }
}

pub(super) fn chains_ui(
    picker: &mut PickerState,
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
) {
    if now.map.chains.is_empty() {
        let text = "No chain matches. Add a chain and choose its joints.";
        let color = theme.color(ColorRole::TextTertiary);
        ui.label(RichText::new(text).font(Theme::font(Font::Small)).color(color));
    } else {
        head_ui(ui, theme, page);
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let is_whole = |c: &RetargetChain| !c.source.is_empty() && !c.target.is_empty();
    let whole: Vec<bool> = now.map.chains.iter().map(is_whole).collect();
    let key = ui.scope_id().with("chains without joints");
    let mut lists_all = ui.data(|d| d.get_temp::<bool>(key)).unwrap_or(false);
    for chain in (0..whole.len()).filter(|k| whole[*k]) {
        row_ui(picker, ui, (theme, page), now, chain);
    }
    let rest = whole.iter().filter(|is| !**is).count();
    if rest > 0 {
        rest_ui(ui, theme, rest, &mut lists_all);
        ui.data_mut(|d| d.insert_temp(key, lists_all));
    }
    let is_listed = |k: &usize| !whole[*k] && (lists_all || now.chain == Some(*k));
    for chain in (0..whole.len()).filter(is_listed).collect::<Vec<_>>() {
        row_ui(picker, ui, (theme, page), now, chain);
    }
    ui.add_space(4.0);
    let add = egui::Button::new(RichText::new("Add a chain").font(Theme::font(Font::Small)));
    if ui.add(add).on_hover_text("Adds a chain without joints to the table").clicked() {
        let is_free = |name: &String| now.map.chains.iter().all(|c| c.name != *name);
        let name = (1..).map(|k| format!("Chain {k}")).find(is_free).unwrap_or_default();
        now.map.chains.push(RetargetChain { name, ..RetargetChain::default() });
        now.chain = Some(now.map.chains.len() - 1);
    }
}

/// Draws the row that expands the list of chains without joints on one side.
fn rest_ui(ui: &mut Ui, theme: &Theme, count: usize, is_open: &mut bool) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let text = match count {
        1 => "1 chain with joints of one body only".to_owned(),
        n => format!("{n} chains with joints of one body only"),
    };
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, *is_open, &text));
    if response.clicked() {
        *is_open = !*is_open;
    }
    let icon = if *is_open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
    let hovers = response.hovered() || response.has_focus();
    let role = if hovers { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
    let color = theme.color(role);
    paint_icon(ui.painter(), pos2(rect.left() + 4.0, rect.center().y), icon, 14.0, color);
    let at = pos2(rect.left() + 14.0, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, text, Theme::font(Font::Small), color);
}

fn head_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let columns = Columns::of(rect);
    let font = Theme::font(Font::Caption);
    let color = theme.color(ColorRole::TextTertiary);
    let name = |body: usize| page.bodies[body].map_or(String::new(), |b| b.name.clone());
    let texts = [
        (columns.name, "Chain".to_owned()),
        (columns.bodies[SOURCE], elided(ui, &name(SOURCE), &font, columns.width(SOURCE))),
        (columns.bodies[TARGET], elided(ui, &name(TARGET), &font, columns.width(TARGET))),
        (columns.rotation, "Rotation".to_owned()),
        (columns.position, "Position".to_owned()),
    ];
    for (x, text) in texts {
        let at = pos2(x, rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font.clone(), color);
    }
    let at = pos2(columns.contacts + 10.0, rect.center().y);
    paint_icon(ui.painter(), at, icons::ICON_FOOTPRINT, 14.0, color);
    let place = Rect::from_center_size(at, vec2(20.0, 20.0));
    let about = ui.interact(place, ui.scope_id().with("contacts"), Sense::hover());
    about.on_hover_text("Feet and hands of these chains stay in place in contacts");
}

/// Text with the first and last joint of a chain.
fn joints_text(list: &[String]) -> String {
    match list {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} › {last}"),
    }
}

fn row_ui(
    picker: &mut PickerState,
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    chain: usize,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let is_chosen = now.chain == Some(chain);
    let about = now.map.chains[chain].clone();
    let response = ui.interact(rect, ui.scope_id().with(("chain", &about.name)), Sense::click());
    let label = format!("Chain {}", about.name);
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, &label));
    if response.clicked() {
        now.chain = if is_chosen { None } else { Some(chain) };
    }
    let whole = rect.expand2(vec2(12.0, 0.0));
    if is_chosen {
        ui.painter().rect_filled(whole, 0.0, theme.color(ColorRole::SelectionTint));
        let bar = Rect::from_min_size(whole.min, vec2(2.0, ROW));
        ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::SelectionBase));
    } else if response.hovered() {
        ui.painter().rect_filled(whole, 0.0, theme.color(ColorRole::SurfaceRowHover));
    }
    let columns = Columns::of(rect);
    let is_matched = !about.source.is_empty() && !about.target.is_empty();
    let swatch = Rect::from_center_size(pos2(rect.left() + 4.0, rect.center().y), vec2(8.0, 8.0));
    let ink = if is_chosen { theme.color(ColorRole::SelectionBase) } else { chain_ink(chain) };
    let ink = if is_matched { ink } else { ink.gamma_multiply(0.45) };
    ui.painter().rect_filled(swatch, 2.0, ink);
    let font = Theme::font(Font::Small);
    let name_role = match (is_chosen, is_matched) {
        (true, _) => ColorRole::SelectionText,
        (false, true) => ColorRole::TextPrimary,
        (false, false) => ColorRole::TextTertiary,
    };
    let name = elided(ui, &about.name, &font, columns.bodies[SOURCE] - columns.name - 4.0);
    let at = pos2(columns.name, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, name, font, theme.color(name_role));
    for body in [SOURCE, TARGET] {
        joints_ui(picker, ui, (theme, page), now, chain, (body, &columns, rect));
    }
    choices_ui(ui, theme, now, chain, (&columns, rect));
}

/// Draws the joints of a chain in one body. A click opens the joint picker.
fn joints_ui(
    picker: &mut PickerState,
    ui: &Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    chain: usize,
    (body, columns, rect): (usize, &Columns, Rect),
) {
    let Some(facts) = page.bodies[body] else { return };
    let about = &now.map.chains[chain];
    let list = RetargetDraft::joints(about, body);
    let place = Rect::from_min_max(
        pos2(columns.bodies[body] - 4.0, rect.top() + 1.0),
        pos2(columns.bodies[body] + columns.width(body) + 2.0, rect.bottom() - 1.0),
    );
    let id = ui.scope_id().with(("joints", &about.name, body));
    let response = ui.interact(place, id, Sense::click());
    let whose = if body == SOURCE { "source" } else { "target" };
    let label = format!("Joints of {} in the {whose}", about.name);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(place, 3.0, theme.color(ColorRole::SurfaceControl));
    }
    let font = Theme::font(Font::Small);
    let text = joints_text(list);
    let [own, others] = [list.len(), RetargetDraft::joints(about, 1 - body).len()];
    let role = if list.is_empty() { ColorRole::TextTertiary } else { ColorRole::TextPrimary };
    let shown = elided(ui, &text, &font, columns.width(body) - 2.0);
    let at = pos2(columns.bodies[body], rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, shown, font, theme.color(role));
    let lengths = if own == others || own == 0 || others == 0 {
        String::new()
    } else {
        format!("\n{} → {} joints", about.source.len(), about.target.len())
    };
    let all = if list.is_empty() { "No joints".to_owned() } else { list.join(" › ") };
    let response = response.on_hover_text(format!("{all}{lengths}"));
    let mirrors = !ui.input(|i| i.modifiers.alt);
    if let Some(joints) = picker_ui(picker, theme, &response, facts, list) {
        now.set_joints(chain, body, facts, joints, mirrors);
    }
}

/// Draws the choices of how a chain transfers rotations, positions and contacts.
fn choices_ui(
    ui: &mut Ui,
    theme: &Theme,
    now: &mut RetargetDraft,
    chain: usize,
    (columns, rect): (&Columns, Rect),
) {
    let about = &now.map.chains[chain];
    let (name, before) = (about.name.clone(), about.clone());
    let mut after = before.clone();
    let place = |from: f32, to: f32| {
        Rect::from_min_max(pos2(from, rect.top() + 2.0), pos2(to, rect.bottom() - 2.0))
    };
    let rotations = ChainRotation::ALL.map(|r| (r, r.label()));
    let at = place(columns.rotation, columns.position - 4.0);
    dropdown(ui, at, &format!("Rotation of {name}"), &rotations, &mut after.rotation);
    let positions = ChainPosition::ALL.map(|p| (p, p.label()));
    let at = place(columns.position, columns.contacts - 4.0);
    dropdown(ui, at, &format!("Position of {name}"), &positions, &mut after.position);
    let is_limb = before.contacts || name.ends_with("leg") || name.ends_with("arm");
    if is_limb {
        let at = place(columns.contacts + 2.0, columns.right);
        let mut inner = ui.new_child(UiBuilder::new().max_rect(at).id_salt(("contacts", &name)));
        inner.spacing_mut().interact_size.y = 20.0;
        let tick = check(&mut inner, theme, &mut after.contacts, "");
        name_widget(ui, &tick, &format!("Contacts of {name}"));
    }
    if after == before {
        return;
    }
    let mirrors = !ui.input(|i| i.modifiers.alt);
    let both = std::iter::once(chain).chain(now.partner(chain).filter(|_| mirrors));
    for k in both.collect::<Vec<_>>() {
        let chain = &mut now.map.chains[k];
        (chain.rotation, chain.position) = (after.rotation, after.position);
        chain.contacts = after.contacts;
    }
}

/// Draws a drop-down list in a rectangle.
fn dropdown<T: PartialEq + Copy>(
    ui: &mut Ui,
    rect: Rect,
    name: &str,
    list: &[(T, &str)],
    now: &mut T,
) {
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    inner.spacing_mut().interact_size.y = rect.height();
    inner.spacing_mut().button_padding = vec2(6.0, 0.0);
    inner.spacing_mut().icon_width = 12.0;
    inner.style_mut().override_font_id = Some(Theme::font(Font::Small));
    inner.visuals_mut().widgets.noninteractive.bg_stroke = Stroke::NONE;
    let shown = list.iter().find(|(value, _)| value == now).map_or("", |(_, text)| text);
    let width = rect.width();
    let combo = combo_box(name)
        .selected_text(shown)
        .wrap_mode(egui::TextWrapMode::Truncate)
        .width(width)
        .show_ui(&mut inner, |ui| {
            for (value, text) in list {
                if option_row(ui, value == now, text).clicked() {
                    *now = *value;
                }
            }
        });
    combo
        .response
        .widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("{name}: {shown}")));
}
