//! List to pick from, with a search field: clips, joints, meshes and other named elements.

use std::borrow::Cow;

use egui::{Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use crate::ui::{
    Theme,
    drop_down::{SearchedList, option_row},
    popups::lasting_menu_button,
    theme::Font,
    widgets::{check, elided, icon_font, name_widget},
};

/// Element that can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Text of the element in a command.
    pub text: String,
    /// Label of the element in the list.
    pub label: String,
}

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
    let id = ui.scope_id().with(("filtered by", name));
    let mut search: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let labels: Vec<Cow<'_, str>> = list.iter().map(|p| Cow::Borrowed(&*p.label)).collect();
    let hint = format!("Find {}", name.to_lowercase());
    let shown =
        SearchedList { hint: &hint, empty: "The file has none", labels: &labels, height: 264.0 };
    let taken = shown.show(ui, theme, &mut search, |ui, k| {
        let pick = &list[k];
        let on = chosen.contains(&pick.text);
        let response = if many {
            let mut now = on;
            check(ui, theme, &mut now, pick.label.as_str())
        } else {
            option_row(ui, on, &pick.label)
        };
        name_widget(ui, &response, &format!("Pick {}", pick.label));
        response
    });
    let Some(pick) = taken.map(|k| &list[k]) else {
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
