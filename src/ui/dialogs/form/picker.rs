//! List to pick from, with a search field: clips, joints, meshes and other named elements.

use egui::{Key, Modifiers, Role, ScrollArea, Ui, WidgetInfo};
use egui_material_icons::icons;

use crate::ui::{
    Theme,
    popups::lasting_menu_button,
    theme::Font,
    widgets::{check, elided, filter_field, icon_font, name_widget},
};
use ulna_render::{ColorRole, Measure};

/// Element that can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Text of the element in a command.
    pub text: String,
    /// Label of the element in the list.
    pub label: String,
}

/// Number of elements above which the list has a search field.
const FEW: usize = 8;

/// Shows a button with the current choice, which opens the list. `list` is called while the list is
/// open. Returns the new choice if it changed.
pub fn picker_ui(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    (shown, many): (&str, bool),
    chosen: &[String],
    width: f32,
    list: impl FnOnce() -> Vec<Pick>,
) -> Option<Vec<String>> {
    let mut changed = None;
    let text = elided(ui, shown, &Theme::font(Font::Body), width - 40.0);
    let arrow =
        egui::RichText::new(icons::ICON_KEYBOARD_ARROW_DOWN.codepoint).font(icon_font(16.0, false));
    let button =
        egui::Button::new((text, egui::Atom::grow(), arrow)).min_size(egui::vec2(width, 24.0));
    let response = lasting_menu_button(ui, button, |ui| {
        changed = list_ui(ui, theme, name, many, chosen, &list());
    });
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("{name}: {shown}")));
    name_widget(ui, &response, &format!("{name}: {shown}"));
    changed
}

fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    many: bool,
    chosen: &[String],
    list: &[Pick],
) -> Option<Vec<String>> {
    ui.set_min_width(240.0);
    let id = ui.scope_id().with(("filtered by", name));
    let mut search: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    if list.len() > FEW {
        let field = filter_field(ui, theme, &mut search, &format!("Find {}", name.to_lowercase()));
        // Typing searches without a click into the field.
        if ui.memory(|m| m.focused()).is_none_or(|f| f != field.id)
            && !ui.input(|i| i.pointer.any_down())
        {
            field.request_focus();
        }
    }
    let needle = search.trim().to_lowercase();
    let mut found: Vec<&Pick> =
        list.iter().filter(|p| p.label.to_lowercase().contains(&needle)).collect();
    if !needle.is_empty() {
        // Exact matches come first, then names that start with the search text.
        found.sort_by_key(|p| {
            let label = p.label.to_lowercase();
            if label == needle { 0 } else { 1 + u8::from(!label.starts_with(&needle)) }
        });
    }
    if found.is_empty() {
        let text = if list.is_empty() {
            "The file has none".to_owned()
        } else {
            format!("Nothing named “{search}”")
        };
        ui.label(egui::RichText::new(text).color(theme.color(ColorRole::TextTertiary)));
    }
    let mut taken: Option<&Pick> = None;
    let row = Measure::RowTree.points();
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().max_height(264.0).auto_shrink([false, true]).show_rows(
        ui,
        row,
        found.len(),
        |ui, range| {
            for pick in &found[range] {
                let on = chosen.contains(&pick.text);
                let response = if many {
                    let mut now = on;
                    check(ui, theme, &mut now, pick.label.as_str())
                } else {
                    ui.add(
                        egui::Button::selectable(on, pick.label.as_str())
                            .min_size(egui::vec2(ui.available_width(), row)),
                    )
                };
                name_widget(ui, &response, &format!("Pick {}", pick.label));
                if response.clicked() {
                    taken = Some(pick);
                }
            }
        },
    );
    // Enter picks the first match.
    let enters = !needle.is_empty() && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
    if enters && taken.is_none() {
        taken = found.first().copied();
    }
    let Some(pick) = taken else {
        ui.data_mut(|d| d.insert_temp(id, search));
        return None;
    };
    ui.data_mut(|d| d.remove::<String>(id));
    if !many {
        ui.close();
        return Some(vec![pick.text.clone()]);
    }
    let mut now = chosen.to_vec();
    match now.iter().position(|t| *t == pick.text) {
        Some(at) => {
            now.remove(at);
        }
        None => now.push(pick.text.clone()),
    }
    Some(now)
}
