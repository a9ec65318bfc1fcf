//! The table of joint chains on the *Retarget* page.

use egui::{Align2, Key, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    RetargetDraft, RetargetView, SOURCE, TARGET,
    chain_choices::choices_ui,
    chain_columns::{Choices, Columns},
    chain_texts::joints_text,
    draft::chain_ink,
    joints::{PickerState, picker_ui},
};
use crate::ui::{
    Actions, Theme, View,
    menu_rows::{Row, context_menu_over},
    theme::Font,
    widgets::{elided, name_widget, paint_icon, select_all},
};
use ulna_model::RetargetChain;
use ulna_render::ColorRole;

/// Height of a row, in points.
const ROW: f32 = 24.0;

/// State of the table of chains.
#[derive(Clone, Debug, Default)]
pub(super) struct ChainsState {
    picker: PickerState,
    /// Index of the chain that is being renamed, and the typed name.
    renaming: Option<(usize, String)>,
}

pub(super) fn chains_ui(
    state: &mut ChainsState,
    ui: &mut Ui,
    (view, page): (&View<'_>, RetargetView<'_>),
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let is_whole = |c: &RetargetChain| !c.source.is_empty() && !c.target.is_empty();
    let whole: Vec<bool> = now.map.chains.iter().map(is_whole).collect();
    let mut measured: Vec<usize> = (0..whole.len()).filter(|k| whole[*k]).collect();
    if measured.is_empty() {
        measured = (0..whole.len()).collect();
    }
    let columns = Columns::of(ui, ui.available_rect_before_wrap(), now, &measured);
    if now.map.chains.is_empty() {
        let text = "No chain matches. Add a chain and choose its joints.";
        let color = theme.color(ColorRole::TextTertiary);
        ui.label(RichText::new(text).font(Theme::font(Font::Small)).color(color));
    } else {
        head_ui(ui, theme, page, &columns);
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let key = ui.scope_id().with("chains without joints");
    let mut lists_all = ui.data(|d| d.get_temp::<bool>(key)).unwrap_or(false);
    let mut deleted = None;
    let mut row = |ui: &mut Ui, now: &mut RetargetDraft, chain: usize| {
        if row_ui(state, ui, (view, page), now, (chain, &columns), actions) {
            deleted = Some(chain);
        }
    };
    for chain in (0..whole.len()).filter(|k| whole[*k]) {
        row(ui, now, chain);
    }
    let rest = whole.iter().filter(|is| !**is).count();
    if rest > 0 {
        rest_ui(ui, theme, rest, &mut lists_all);
        ui.data_mut(|d| d.insert_temp(key, lists_all));
    }
    let is_listed = |k: &usize| !whole[*k] && (lists_all || now.chain == Some(*k));
    for chain in (0..whole.len()).filter(is_listed).collect::<Vec<_>>() {
        row(ui, now, chain);
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        if buttons_ui(state, ui, now) {
            deleted = now.chain;
        }
    });
    if let Some(chain) = deleted.filter(|k| *k < now.map.chains.len()) {
        now.map.chains.remove(chain);
        (now.chain, state.renaming) = (None, None);
    }
}

/// Draws the buttons below the table. Returns whether the selected chain is to be deleted.
fn buttons_ui(state: &mut ChainsState, ui: &mut Ui, now: &mut RetargetDraft) -> bool {
    let small = |text: &str| egui::Button::new(RichText::new(text).font(Theme::font(Font::Small)));
    let add = ui.add(small("Add a chain"));
    if add.on_hover_text("Adds a chain without joints to the table").clicked() {
        let is_free = |name: &String| now.map.chains.iter().all(|c| c.name != *name);
        let name = (1..).map(|k| format!("Chain {k}")).find(is_free).unwrap_or_default();
        now.map.chains.push(RetargetChain { name, ..RetargetChain::default() });
        now.chain = Some(now.map.chains.len() - 1);
    }
    let chosen = now.chain.and_then(|k| Some((k, now.map.chains.get(k)?.name.clone())));
    let Some((chain, name)) = chosen else { return false };
    if ui.add(small("Rename")).on_hover_text(format!("Renames {name}")).clicked() {
        state.renaming = Some((chain, name.clone()));
    }
    ui.add(small("Delete")).on_hover_text(format!("Removes {name} from the table")).clicked()
}

/// The typed name of a chain, with a number if another chain has this name. Without a typed name,
/// the chain keeps its name.
fn free_name(chains: &[RetargetChain], chain: usize, typed: &str) -> String {
    let is_free = |name: &String| {
        chains.iter().enumerate().all(|(k, other)| k == chain || other.name != *name)
    };
    let typed = typed.trim();
    let mut names = std::iter::once(typed.to_owned()).chain((2..).map(|k| format!("{typed} {k}")));
    match names.find(is_free).filter(|_| !typed.is_empty()) {
        Some(name) => name,
        None => chains.get(chain).map(|c| c.name.clone()).unwrap_or_default(),
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

fn head_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, columns: &Columns) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let font = Theme::font(Font::Caption);
    let color = theme.color(ColorRole::TextTertiary);
    let name = |body: usize| page.bodies[body].map_or(String::new(), |b| b.name.clone());
    let mut texts = vec![
        (columns.name, "Chain".to_owned()),
        (columns.bodies[SOURCE], elided(ui, &name(SOURCE), &font, columns.width(SOURCE))),
        (columns.bodies[TARGET], elided(ui, &name(TARGET), &font, columns.width(TARGET))),
    ];
    match columns.choices {
        Choices::Apart { rotation, position } => {
            texts.push((rotation, "Rotation".to_owned()));
            texts.push((position, "Position".to_owned()));
        }
        Choices::Together { motion } => texts.push((motion, "Motion".to_owned())),
    }
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

/// Draws the row of a chain. Returns whether the chain is to be deleted.
fn row_ui(
    state: &mut ChainsState,
    ui: &mut Ui,
    (view, page): (&View<'_>, RetargetView<'_>),
    now: &mut RetargetDraft,
    (chain, columns): (usize, &Columns),
    actions: &mut Actions,
) -> bool {
    let theme = view.theme;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let is_chosen = now.chain == Some(chain);
    let about = now.map.chains[chain].clone();
    let response = ui.interact(rect, ui.scope_id().with(("chain", chain)), Sense::click());
    let label = format!("Chain {}", about.name);
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, &label));
    if response.clicked() {
        now.chain = if is_chosen { None } else { Some(chain) };
    }
    if response.double_clicked() {
        (state.renaming, now.chain) = (Some((chain, about.name.clone())), Some(chain));
    }
    let whole = rect.expand2(vec2(12.0, 0.0));
    if is_chosen {
        ui.painter().rect_filled(whole, 0.0, theme.color(ColorRole::SelectionTint));
        let bar = Rect::from_min_size(whole.min, vec2(2.0, ROW));
        ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::SelectionBase));
    } else if response.hovered() {
        ui.painter().rect_filled(whole, 0.0, theme.color(ColorRole::SurfaceRowHover));
    }
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
    ui.painter().text(at, Align2::LEFT_CENTER, &name, font, theme.color(name_role));
    for body in [SOURCE, TARGET] {
        joints_ui(&mut state.picker, ui, (theme, page), now, chain, (body, columns, rect));
    }
    choices_ui(ui, (theme, page), now, chain, (columns, rect));
    renaming_ui(state, ui, now, chain, rect.with_min_x(columns.name - 4.0));
    let mut is_deleted = false;
    context_menu_over(ui, &response, view, actions, |rows| {
        rows.header(&about.name, "chain");
        if rows.row(Row::new("Rename…")) {
            (state.renaming, now.chain) = (Some((chain, about.name.clone())), Some(chain));
        }
        rows.separator();
        is_deleted = rows.row(Row::new("Delete chain"));
    });
    if name != about.name {
        response.on_hover_text(&about.name);
    }
    is_deleted
}

/// Draws the field for the new name of a chain, over its row.
fn renaming_ui(
    state: &mut ChainsState,
    ui: &mut Ui,
    now: &mut RetargetDraft,
    chain: usize,
    row: Rect,
) {
    /// Width of the field, in points.
    const WIDTH: f32 = 180.0;
    let Some((_, text)) = state.renaming.as_mut().filter(|(k, _)| *k == chain) else { return };
    let place = Rect::from_min_size(row.min + vec2(0.0, 1.0), vec2(WIDTH, ROW - 2.0));
    let id = ui.scope_id().with(("chain name", chain));
    let is_new = ui.ctx().read_response(id).is_none();
    let field = egui::TextEdit::singleline(text)
        .id(id)
        .desired_width(WIDTH)
        .align(Align2::LEFT_CENTER)
        .font(Theme::font(Font::Small));
    let response = ui.put(place, field);
    name_widget(ui, &response, "Name of the chain");
    if is_new {
        response.request_focus();
        select_all(ui.ctx(), id, text);
        return;
    }
    if response.lost_focus() {
        let is_kept = !ui.input(|i| i.key_pressed(Key::Escape));
        if is_kept {
            now.map.chains[chain].name = free_name(&now.map.chains, chain, text);
        }
        state.renaming = None;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_name_is_unique_and_not_empty() {
        let chain = |name: &str| RetargetChain { name: name.into(), ..RetargetChain::default() };
        let chains = ["Hips", "Tail", "Tail 2"].map(chain);
        assert_eq!(free_name(&chains, 0, " Trunk "), "Trunk");
        assert_eq!(free_name(&chains, 0, "Tail"), "Tail 3");
        assert_eq!(free_name(&chains, 1, "Tail"), "Tail", "its own name");
        assert_eq!(free_name(&chains, 0, " "), "Hips");
    }
}
