//! Menus of all panels. egui compiles about three thousand lines of menu code per closure type.
//! This module passes the closure by reference, so that this code is compiled only once.

pub mod keyboard;

use egui::{
    Align2, Atoms, Button, Id, IntoAtoms, Popup, PopupAnchor, PopupCloseBehavior, PopupKind, Pos2,
    Rect, RectAlign, Response, ScrollArea, Ui,
    containers::menu::{MenuButton, MenuConfig, MenuState, SubMenu, SubMenuButton, menu_style},
    pos2,
};

/// Draws a button that opens a menu. Inside a menu, it draws a row that opens a submenu.
pub fn menu_button<'a>(
    ui: &mut Ui,
    text: impl IntoAtoms<'a>,
    fill: impl FnOnce(&mut Ui),
) -> Response {
    let text = text.into_atoms();
    once(fill, |fill| submenu_or_menu(ui, text, fill))
}

/// Draws a button with an icon that opens a menu. Like other icon buttons, it has no box.
pub fn icon_menu_button(ui: &mut Ui, button: Button<'_>, fill: impl FnOnce(&mut Ui)) -> Response {
    once(fill, |fill| MenuButton::from_button(button).ui(ui, |ui| scrolled(ui, fill)).0)
}

/// Draws a button that opens a menu. Clicks inside the menu leave it open.
pub fn lasting_menu_button(
    ui: &mut Ui,
    button: Button<'_>,
    fill: impl FnOnce(&mut Ui),
) -> Response {
    once(fill, |fill| lasting_menu(ui, button, fill))
}

/// Draws a menu row that opens a submenu. Clicks inside the submenu leave it open.
pub fn submenu(ui: &mut Ui, text: &str, fill: impl FnOnce(&mut Ui)) -> Response {
    once(fill, |fill| lasting_submenu(ui, text, fill))
}

/// Shows the context menu of a widget. It opens 4 points right of and below the pointer, or on
/// another side if there is no space.
///
/// The menu does not cover `clear`, such as the clicked row. `opens` opens the menu at once, for
/// clicks that another widget received.
pub fn context_menu(
    response: &Response,
    opens: bool,
    clear: Option<Rect>,
    fill: impl FnOnce(&mut Ui),
) {
    // A right-button drag from a row opens its menu. A release over a menu row chooses that row.
    let opens = opens
        || match clear {
            Some(_) => opens_menu(response) || keyboard::asks_inside(response),
            None => response.secondary_clicked() || keyboard::asks(response),
        };
    once(fill, |fill| context_menu_dyn(response, opens, clear, fill));
}

/// True if a row's context menu opens in this frame: after a right click, during a drag with the
/// right button, or by a key while the row has the focus.
pub fn opens_menu(response: &Response) -> bool {
    /// Length in points of a drag that opens the menu.
    const DRAG: f32 = 6.0;
    let is_dragged = response.is_pointer_button_down_on()
        && response.ctx.input(|i| {
            let (from, to) = (i.pointer.press_origin(), i.pointer.latest_pos());
            let is_far = from.zip(to).is_some_and(|(from, to)| from.distance(to) > DRAG);
            i.pointer.secondary_down() && is_far
        });
    let is_open = Popup::is_id_open(&response.ctx, Popup::default_response_id(response));
    response.secondary_clicked() || (is_dragged && !is_open) || keyboard::asks(response)
}

/// Shows the submenu of a menu row. Its rows align with that row.
pub fn submenu_of(ui: &Ui, row: &Response, fill: impl FnOnce(&mut Ui)) {
    once(fill, |fill| submenu_dyn(ui, row, fill));
}

/// True if the submenu of a row is open.
pub fn is_submenu_open(ui: &Ui, row: &Response) -> bool {
    let id = SubMenu::id_from_widget_id(row.id);
    MenuState::from_ui(ui, |state, _| state.open_item == Some(id))
}

/// True if no submenu of this menu is open.
pub fn is_deepest(ui: &Ui) -> bool {
    MenuState::is_deepest_open_sub_menu(ui.ctx(), ui.layer_id().id)
}

/// Shows any popup.
pub fn show_popup(popup: Popup<'_>, fill: impl FnOnce(&mut Ui)) {
    once(fill, |fill| popup_dyn(popup, fill));
}

type Fill<'a> = &'a mut dyn FnMut(&mut Ui);

/// Wraps a closure that is called at most once, so that it can be called by reference.
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

/// Draws the rows of a menu. A scroll bar appears if the window is too low.
fn scrolled(ui: &mut Ui, fill: Fill<'_>) {
    let height = (ui.ctx().content_rect().height() - 40.0).max(64.0);
    // The explicit height is needed because a popup only offers its height from the last frame.
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

/// State of a context menu while it is open.
#[derive(Clone, Copy, Default)]
struct OpenMenu {
    /// Position of the pointer when the menu opened.
    at: Pos2,
    /// The widget that had the keyboard focus when the menu opened.
    focused: Option<Id>,
}

/// Position of the pointer when it opened a menu.
fn clicked_at(response: &Response) -> Pos2 {
    let ctx = &response.ctx;
    let pressed = ctx.input(|i| i.pointer.press_origin().filter(|_| i.pointer.secondary_down()));
    let pointer =
        pressed.or_else(|| response.interact_pointer_pos()).or_else(|| ctx.pointer_hover_pos());
    pointer.unwrap_or_else(|| response.rect.center())
}

fn context_menu_dyn(response: &Response, opens: bool, clear: Option<Rect>, fill: Fill<'_>) {
    /// Distance of the menu from the pointer, in points.
    const AWAY: f32 = 4.0;
    /// Maximum distance in points of a menu opened by a key from the left end of its row.
    const KEY_AT: f32 = 48.0;
    let ctx = &response.ctx;
    let key = response.id.with("context menu");
    if opens {
        let at = match keyboard::answered(ctx) {
            Some(at) => at.unwrap_or_else(|| {
                let rect = response.rect;
                pos2(rect.left() + (rect.width() * 0.5).min(KEY_AT), rect.center().y)
            }),
            None => clicked_at(response),
        };
        // Without the focus in a panel, arrow keys move through the menu rows.
        let focused = ctx.memory(|m| m.focused());
        focused.inspect(|id| ctx.memory_mut(|m| m.surrender_focus(*id)));
        ctx.data_mut(|d| d.insert_temp(key, OpenMenu { at, focused }));
    }
    let Some(open) = ctx.data(|d| d.get_temp::<OpenMenu>(key)) else { return };
    let mut anchor = Rect::from_pos(open.at).expand(AWAY);
    if let Some(clear) = clear.filter(|clear| clear.y_range().contains(open.at.y)) {
        anchor = Rect::from_x_y_ranges(
            anchor.x_range(),
            anchor.top().min(clear.top())..=anchor.bottom().max(clear.bottom()),
        );
    }
    let state = match (opens, response.clicked()) {
        (true, _) => Some(egui::SetOpenCommand::Bool(true)),
        (_, true) => Some(egui::SetOpenCommand::Bool(false)),
        _ => None,
    };
    let popup = Popup::from_response(response)
        .kind(PopupKind::Menu)
        .layout(egui::Layout::top_down_justified(egui::Align::Min))
        .style(menu_style)
        .open_memory(state)
        .anchor(PopupAnchor::ParentRect(anchor))
        .align(RectAlign { parent: Align2::RIGHT_BOTTOM, child: Align2::LEFT_TOP })
        .gap(0.0);
    let id = popup.get_id();
    popup_dyn(popup, &mut |ui| scrolled(ui, fill));
    if !Popup::is_id_open(ctx, id) {
        ctx.data_mut(|d| d.remove_temp::<OpenMenu>(key));
        // The focus returns to its previous widget, unless the chosen row moved it.
        if let Some(focused) = open.focused.filter(|_| ctx.memory(|m| m.focused()).is_none()) {
            ctx.memory_mut(|m| m.request_focus(focused));
        }
    }
}

fn submenu_dyn(ui: &Ui, row: &Response, fill: Fill<'_>) {
    let overlaps = MenuConfig::find(ui).submenu_gap(-2.0);
    SubMenu::new().config(overlaps).show(ui, row, |ui| scrolled(ui, fill));
}
