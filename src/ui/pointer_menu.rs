//! Menus that a key opens at the pointer: shading, keying, and the menus of the menu bar.

use egui::{LayerId, Popup, PopupKind, SetOpenCommand, Ui};

use super::{
    Actions, View,
    menu::menus_inside,
    menu_rows::{fill_of_bar, fill_wide},
    popups::show_popup,
    viewport::surface_rows,
};
use ulna_edit::command::{SetKey, TimelineCommand};

/// A menu at the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerMenu {
    /// Shading of surfaces.
    Shading,
    /// Setting and deleting keys.
    Keys,
    /// All menus of the menu bar.
    Bar,
}

impl PointerMenu {
    const ALL: [Self; 3] = [Self::Shading, Self::Keys, Self::Bar];

    const fn title(self) -> &'static str {
        match self {
            Self::Shading => "Shading",
            Self::Keys => "Set keys",
            Self::Bar => "Menus",
        }
    }

    fn show(self, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
        match self {
            Self::Shading => fill_wide(ui, view, actions, |rows| {
                rows.with_marks();
                rows.header(self.title(), "");
                surface_rows(rows, true);
            }),
            Self::Keys => fill_wide(ui, view, actions, |rows| {
                rows.header(self.title(), "");
                for spec in [
                    SetKey::spec(),
                    TimelineCommand::KeyTranslation.spec(),
                    TimelineCommand::KeyRotation.spec(),
                    TimelineCommand::KeyScale.spec(),
                    TimelineCommand::KeyAll.spec(),
                    TimelineCommand::KeyLimb.spec(),
                    TimelineCommand::KeyCharacter.spec(),
                    TimelineCommand::DeleteHere.spec(),
                ] {
                    rows.command(spec);
                }
            }),
            Self::Bar => {
                fill_of_bar(ui, view, actions, menus_inside);
            }
        }
    }
}

/// Shows the open menu. `opens` is a menu to open in this frame.
pub fn pointer_menus_ui(
    opens: &mut Option<PointerMenu>,
    ui: &Ui,
    view: &View<'_>,
    actions: &mut Actions,
) {
    let opened = opens.take();
    for menu in PointerMenu::ALL {
        let id = ui.scope_id().with(("pointer menu", menu.title()));
        let open = (opened == Some(menu)).then_some(SetOpenCommand::Bool(true));
        let popup = Popup::new(id, ui.ctx().clone(), ui.max_rect(), LayerId::background())
            .kind(PopupKind::Menu)
            .at_pointer_fixed()
            .open_memory(open)
            .accessible_name(menu.title())
            .layout(egui::Layout::top_down_justified(egui::Align::Min))
            .style(egui::containers::menu::menu_style);
        show_popup(popup, |ui| menu.show(ui, view, actions));
    }
}
