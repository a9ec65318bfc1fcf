//! Saved eases: selection, deletion, and saving in the ease panel.

use egui::{Button, RichText, TextEdit, Ui};

use crate::ui::{
    Actions, CurveSettings, OwnEase, ProgramAction, Settings, View, theme::Font,
    widgets::name_widget,
};
use ulna_motion::curves::Ease;
use ulna_render::ColorRole;

/// Shows the saved eases, and a field to save the chosen one. Returns whether a name is being
/// typed.
pub fn own_eases_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (ease, name): (&mut Ease, &mut String),
    actions: &mut Actions,
) -> bool {
    let saved = &view.settings.curves.eases;
    let mut changed = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (k, own) in saved.iter().enumerate() {
            let Some(is) = own.ease() else { continue };
            let text = RichText::new(&own.name).font(crate::ui::Theme::font(Font::Small));
            let choice = ui.add(Button::selectable(is == *ease, text).small());
            name_widget(ui, &choice, &format!("Own ease {}", own.name));
            if choice.clicked() {
                *ease = is;
            }
            let cross = ui.add(Button::new("×").small().frame(false));
            name_widget(ui, &cross, &format!("Delete ease {}", own.name));
            if cross.on_hover_text("Delete this ease").clicked() {
                let others = saved.iter().enumerate().filter(|(other, _)| *other != k);
                changed = Some(others.map(|(_, own)| own.clone()).collect::<Vec<_>>());
            }
            ui.add_space(4.0);
        }
    });
    let mut typing = false;
    ui.horizontal(|ui| {
        let color = view.theme.color(ColorRole::TextTertiary);
        let hint = RichText::new("Name of this ease").color(color);
        let width = (ui.available_width() - 60.0).max(60.0);
        let field = ui.add(TextEdit::singleline(name).hint_text(hint).desired_width(width));
        name_widget(ui, &field, "Name of this ease");
        typing = field.has_focus() || field.lost_focus();
        let enters = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        let given = name.trim().to_owned();
        let save = ui.add_enabled(!given.is_empty(), Button::new("Save"));
        name_widget(ui, &save, "Save this ease");
        let about = "Saves the shape, the direction and the amount in the preferences";
        let wanted = save.on_hover_text(about).clicked() || enters;
        if wanted && !given.is_empty() {
            let others = saved.iter().filter(|own| own.name != given).cloned();
            let new = std::iter::once(OwnEase::new(&given, ease));
            changed = Some(others.chain(new).collect());
            name.clear();
        }
    });
    if let Some(eases) = changed {
        let curves = CurveSettings { eases, ..view.settings.curves.clone() };
        let settings = Settings { curves, ..view.settings.clone() };
        actions.push(ProgramAction::Settings(Box::new(settings)));
    }
    typing
}
