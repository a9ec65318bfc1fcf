//! Panel of the planned skeleton changes, without a form.

use egui::{Align, Layout, RichText, Ui};
use egui_material_icons::icons;

use super::{
    super::parts::{head, plain, primary},
    acts::acts_ui,
    plan::{apply_words, effects_ui},
};
use crate::ui::{
    Action, Actions, DialogAction, View,
    menu_rows::{Row, menu_button},
    widgets::{icon_font, name_widget},
};
use ulna_edit::{command::FileCommand, table};

/// Shows the planned changes, without the command of an open form.
pub fn plan_panel(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let words = "Changes of the skeleton that are applied together, as one undo step.";
    head(ui, view.theme, None, "Plan of changes", words, actions);
    let is_fine = plan_content(ui, view, actions);
    plan_buttons(ui, view, is_fine, actions);
}

/// Shows the planned changes and their effects. Returns whether they can be applied.
pub fn plan_content(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) -> bool {
    let acts = view.dialogs.plan.acts;
    acts_ui(ui, view, actions);
    add_ui(ui, view, actions);
    ui.add_space(12.0);
    let missing = acts.is_empty().then_some(("The plan is empty", false));
    effects_ui(ui, view, (None, missing), actions)
}

/// Shows the buttons that save, discard and apply the plan.
pub fn plan_buttons(ui: &mut Ui, view: &View<'_>, is_fine: bool, actions: &mut Actions) {
    let theme = view.theme;
    let acts = view.dialogs.plan.acts;
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let save = ui.add_enabled_ui(!acts.is_empty(), |ui| plain(ui, "Save…")).inner;
        name_widget(ui, &save, "Save the plan as a script");
        let about = "Saves a script that “ulna run” applies to other files with this skeleton";
        if save.on_hover_text(about).clicked() {
            actions.push(Action::Run(FileCommand::SavePlan { path: None }.into()));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let words = apply_words(acts.len());
            let go = ui.add_enabled_ui(is_fine, |ui| primary(ui, theme, &words)).inner;
            let discard = ui.add_enabled_ui(!acts.is_empty(), |ui| plain(ui, "Discard")).inner;
            if discard.on_hover_text("Empties the plan; the model stays as it is").clicked() {
                actions.push(DialogAction::DiscardPlan);
            } else if go.clicked() && is_fine {
                actions.push(DialogAction::ApplyPlan(None));
            }
        });
    });
}

/// Shows a menu of the commands that can be planned.
fn add_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let plus = RichText::new(icons::ICON_ADD.codepoint).font(icon_font(16.0, false));
    let menu = menu_button(ui, (plus, "Add a change"), view, actions, |rows| {
        for spec in table().iter().filter(|spec| spec.has_plan()) {
            rows.act(Row::of(rows.view, spec).keyless(), || DialogAction::Ask(spec));
        }
    });
    name_widget(ui, &menu, "Add a change to the plan");
}
