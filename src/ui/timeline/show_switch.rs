//! Switch between dope sheet and curves.

use egui::{Role, Ui, WidgetInfo};

use crate::ui::{
    Actions, ProgramAction, Settings, TimelineShow, View,
    drop_down::{combo_box, option_row},
    widgets::{segment, segments},
};
use ulna_edit::command::TimelineCommand;

/// Shows the switch between dope sheet, curves, and both.
pub fn show_ui(ui: &mut Ui, view: &View<'_>, wide: bool, actions: &mut Actions) {
    let (theme, now) = (view.theme, view.settings.timeline);
    let mut chosen = now;
    if wide {
        ui.add_space(8.0);
        segments(ui, theme, |ui| {
            for show in TimelineShow::ALL {
                let response = segment(ui, theme, show.label(), show == now, false);
                if response.on_hover_text(show_words(view, show)).clicked() {
                    chosen = show;
                }
            }
        });
    } else {
        let combo = combo_box("timeline shows").selected_text(now.label()).width(66.0);
        let combo = combo.show_ui(ui, |ui| {
            for show in TimelineShow::ALL {
                let response = option_row(ui, show == now, show.label());
                if response.on_hover_text(show_words(view, show)).clicked() {
                    chosen = show;
                }
            }
        });
        combo.response.widget_info(|| {
            WidgetInfo::labeled(Role::ComboBox, true, format!("Timeline shows: {}", now.label()))
        });
    }
    if chosen != now {
        let settings = Settings { timeline: chosen, ..view.settings.clone() };
        actions.push(ProgramAction::Settings(Box::new(settings)));
    }
}

/// Tooltip text for a choice of the switch, with its shortcut.
fn show_words(view: &View<'_>, show: TimelineShow) -> String {
    let (about, command) = match show {
        TimelineShow::Sheet => ("Rows of keys", TimelineCommand::Curves),
        TimelineShow::Curves => ("Curves through the keys", TimelineCommand::Curves),
        TimelineShow::Both => ("Rows of keys over curves", TimelineCommand::SheetAndCurves),
    };
    match view.settings.keys.shown(command.name()) {
        key if key.is_empty() => about.to_owned(),
        key => format!("{about} ({key})"),
    }
}
