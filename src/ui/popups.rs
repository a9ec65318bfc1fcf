//! Menus, as every panel opens them. egui compiles a menu anew for each closure that fills one,
//! some three thousand lines of it; through here the closure is called by pointer, and a menu is
//! compiled once.

use egui::{
    Atoms, Button, IntoAtoms, Popup, PopupCloseBehavior, Response, ScrollArea, Ui,
    containers::menu::{MenuButton, MenuConfig, SubMenuButton},
};

/// A button that opens a menu; within a menu, a line that opens another.
pub fn menu_button<'a>(
    ui: &mut Ui,
    text: impl IntoAtoms<'a>,
    fill: impl FnOnce(&mut Ui),
) -> Response {
    let text = text.into_atoms();
    once(fill, |fill| submenu_or_menu(ui, text, fill))
}

/// A button that opens a menu which clicks into it leave open.
pub fn lasting_menu_button(
    ui: &mut Ui,
    button: Button<'_>,
    fill: impl FnOnce(&mut Ui),
) -> Response {
    once(fill, |fill| lasting_menu(ui, button, fill))
}

/// A line of a menu that opens another one, which clicks into it leave open.
pub fn submenu(ui: &mut Ui, text: &str, fill: impl FnOnce(&mut Ui)) -> Response {
    once(fill, |fill| lasting_submenu(ui, text, fill))
}

/// The menu of a right click on a widget.
pub fn context_menu(response: &Response, fill: impl FnOnce(&mut Ui)) {
    once(fill, |fill| popup_dyn(Popup::context_menu(response), &mut |ui| scrolled(ui, fill)));
}

/// Shows any popup.
pub fn show_popup(popup: Popup<'_>, fill: impl FnOnce(&mut Ui)) {
    once(fill, |fill| popup_dyn(popup, fill));
}

type Fill<'a> = &'a mut dyn FnMut(&mut Ui);

/// Lends a closure that is called at most once as one that may be called by pointer.
fn once<R>(fill: impl FnOnce(&mut Ui), show: impl FnOnce(Fill<'_>) -> R) -> R {
    let mut fill = Some(fill);
    show(&mut |ui| {
        if let Some(fill) = fill.take() {
            fill(ui);
        }
    })
}

fn submenu_or_menu(ui: &mut Ui, text: Atoms<'_>, fill: Fill<'_>) -> Response {
    ui.menu_button(text, |ui| scrolled(ui, fill)).response
}

/// The lines of a menu, with a scroll bar where the window is too low for all of them.
fn scrolled(ui: &mut Ui, fill: Fill<'_>) {
    let height = (ui.ctx().content_rect().height() - 24.0).max(64.0);
    // A popup offers only the height that it had in the frame before.
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, fill);
}

fn lasting_menu(ui: &mut Ui, button: Button<'_>, fill: Fill<'_>) -> Response {
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    MenuButton::from_button(button).config(stays).ui(ui, fill).0
}

fn lasting_submenu(ui: &mut Ui, text: &str, fill: Fill<'_>) -> Response {
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    SubMenuButton::new(text).config(stays).ui(ui, fill).0
}

fn popup_dyn(popup: Popup<'_>, fill: Fill<'_>) {
    popup.show(fill);
}
