//! Context menus that a key opens: `Shift+F10` or the menu key.
//!
//! ```text
//!  key ─► menu of the focused widget ─► of the row around it ─► of its panel ─► of its title
//! ```
//!
//! A widget does not know whether another one will open its menu. So each step takes a frame.

use egui::{Context, Id, Key, Modifiers, Popup, Pos2, Response};

use crate::ui::Pane;

/// Request to open a context menu by a key.
#[derive(Clone, Copy, Default)]
struct Request {
    /// Frame of the key press.
    frame: u64,
    /// The focused widget, with its center.
    focused: Option<(Id, Pos2)>,
    /// The panel with the focus, or the one whose menu opens without a focus. `None` while a dialog
    /// covers the panels.
    pane: Option<Pane>,
    /// Position of the menu of a panel, if it is not at the center.
    at: Option<Pos2>,
}

/// Number of frames after which a request without a menu ends.
const STEPS: u64 = 4;

fn request_id() -> Id {
    Id::unique("context menu by key")
}

/// Requests a context menu if the menu key or `Shift+F10` was pressed and no menu is open.
/// `entered` is the panel without a focused widget, and `None` while a dialog covers the panels.
/// `pane_at` returns the panel at a position.
pub fn request(ctx: &Context, entered: Option<Pane>, pane_at: impl Fn(Pos2) -> Option<Pane>) {
    let pressed = ctx.input_mut(|i| {
        i.consume_key(Modifiers::SHIFT, Key::F10) || i.consume_key(Modifiers::NONE, Key::Menu)
    });
    if !pressed || Popup::is_any_open(ctx) {
        return;
    }
    let id = ctx.memory(|m| m.focused());
    let focused = id.and_then(|id| Some((id, ctx.read_response(id)?.rect.center())));
    let as_panel = id.and_then(|id| Pane::ALL.into_iter().find(|p| p.focus_id() == id));
    let around = || focused.and_then(|(_, center)| pane_at(center));
    let pane = entered.map(|entered| as_panel.or_else(around).unwrap_or(entered));
    let focused = focused.filter(|_| as_panel.is_none());
    let request = Request { frame: ctx.cumulative_frame_nr(), focused, pane, at: None };
    ctx.data_mut(|d| d.insert_temp(request_id(), request));
    ctx.request_repaint();
}

/// The current request, with the number of frames since the key press.
fn current(ctx: &Context) -> Option<(Request, u64)> {
    let request: Request = ctx.data(|d| d.get_temp(request_id()))?;
    let age = ctx.cumulative_frame_nr() - request.frame;
    if age >= STEPS {
        ctx.data_mut(|d| d.remove_temp::<Request>(request_id()));
        return None;
    }
    // The next frame asks for the menu of the surrounding row or panel.
    ctx.request_repaint();
    Some((request, age))
}

/// True if the key opens the menu of this focused widget.
pub fn asks(response: &Response) -> bool {
    current(&response.ctx).is_some_and(|(request, age)| {
        age == 0 && request.focused.is_some_and(|(id, _)| id == response.id)
    })
}

/// True if the key opens the menu of this row: it has the focus, or contains the focused widget.
pub fn asks_inside(response: &Response) -> bool {
    current(&response.ctx).is_some_and(|(request, age)| {
        request.focused.is_some_and(|(id, center)| {
            id == response.id && age == 0 || age == 1 && response.rect.contains(center)
        })
    })
}

/// True if the key opens the menu of a panel's content. The menu opens at `at`.
pub fn asks_panel(ctx: &Context, pane: Pane, at: Option<Pos2>) -> bool {
    let found = current(ctx).filter(|(request, age)| *age == 2 && request.pane == Some(pane));
    if let Some((request, _)) = found {
        ctx.data_mut(|d| d.insert_temp(request_id(), Request { at, ..request }));
    }
    found.is_some()
}

/// True if the key opens the menu of a panel's title.
pub fn asks_title(ctx: &Context, pane: Pane) -> bool {
    current(ctx).is_some_and(|(request, age)| age == 3 && request.pane == Some(pane))
}

/// Ends the request, because a menu opens. Returns its position, if it is known. `None` if the menu
/// was not opened by a key.
pub(super) fn answered(ctx: &Context) -> Option<Option<Pos2>> {
    let (request, age) = current(ctx)?;
    ctx.data_mut(|d| d.remove_temp::<Request>(request_id()));
    Some(if age == 2 { request.at } else { None })
}
