//! Viewport: the rendered image of the model, pointer input, and overlays.

mod axes;
mod balance;
mod bind_joints;
mod compare;
mod domain;
mod haloed;
mod limits;
mod menu;
mod overlay;
mod paths;
mod pick;
mod pins;
mod planned;
mod reach_bar;
mod tools;

pub use self::domain::{
    Background, Compare, GizmoSpace, Onion, PickedBone, Pivot, ReachOptions, SnapSteps, SnapTo,
    UnderPointer, ViewOptions, Viewport, ViewportAction, ViewportView,
};
pub use self::menu::surface_rows;
pub use self::tools::{Press, hints_of, icon_of, waits_for_numbers};
use egui::{PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2};
use glam::Vec2;

use super::{
    Actions, BendAction, PointerHandler, TimelineAction, View, blend_drag::BlendGesture,
    settings::Orbit,
};
use ulna_edit::{Preset, command::ToolCommand};
use ulna_render::Camera;
use ulna_render::ColorRole;

/// State of the viewport between frames.
#[derive(Clone, Debug, Default)]
pub struct ViewportState {
    tools: tools::Tools,
    selecting: tools::Selecting,
    brush: tools::BrushState,
    /// Modifiers at the press of a button. They determine the kind of drag until the release.
    press: egui::Modifiers,
    /// Whether the button that ended another gesture is still down; its input is ignored.
    swallow: bool,
    /// Pose blend that was started by a key.
    blend: Option<BlendGesture>,
    /// Key that is being dragged on a motion path.
    path_drag: Option<paths::PathDrag>,
    /// Time from which an open file has no rendered image yet, in seconds on egui's clock. `None`
    /// after the first image.
    empty_since: Option<f64>,
}

impl ViewportState {
    /// Whether the current gesture lasts while a mouse button is held. `None` without a gesture
    /// that uses digit and axis keys.
    pub fn posing(&self) -> Option<bool> {
        self.tools.under_way().or(self.blend.as_ref().map(|_| false))
    }

    /// Starts a pose blend that the pointer controls. Returns whether the command is a pose blend.
    pub fn begin_blend(&mut self, command: &str) -> bool {
        self.blend = BlendGesture::of(command);
        self.blend.is_some()
    }

    /// Starts selecting with a circle, or with a box in the next drag.
    pub const fn select_area(&mut self, circle: bool) {
        self.selecting.want(circle);
    }

    /// Whether a selection with a circle or box was requested and has not ended.
    pub const fn selects_area(&self) -> bool {
        self.selecting.waits()
    }

    /// Starts an IK drag of the active node's limb. `tip` is the dragged point in node space,
    /// `from` the same point in scene space.
    pub fn reach(&mut self, tip: Option<glam::Vec3>, from: glam::Vec3, at: Vec2) {
        self.selecting.end();
        self.tools.reach(tip, from, at);
    }

    /// Starts the operation of a tool at once, without a handle. Returns false if the tool has no
    /// operation.
    pub fn begin(&mut self, tool: ToolCommand) -> bool {
        self.tools.begin(tool)
    }

    /// Starts to add a joint below each selected joint.
    pub fn extrude(&mut self) {
        self.tools.extrude();
    }

    /// Prepares a tool that was chosen by its key. Typing an axis or a number soon after starts its
    /// operation.
    pub fn wait(&mut self, tool: ToolCommand, now: f64) {
        self.tools.wait(tool, now);
    }

    /// Whether a tool that was chosen by its key waits for an axis or a number.
    pub fn waits(&self, now: f64) -> bool {
        self.tools.waits(now)
    }

    /// Stops waiting for an axis or a number. Returns whether a tool was waiting.
    pub fn wait_no_longer(&mut self) -> bool {
        self.tools.wait_no_longer()
    }

    /// Ends all gestures. Input of a button that is still down is ignored until its release.
    pub fn end_gestures(&mut self) {
        let (tool, stroke) = (self.tools.end(), self.brush.end());
        self.swallow |= tool || stroke;
        self.blend = None;
        self.selecting.end();
    }
}

pub fn viewport_ui(state: &mut ViewportState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let rect = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Viewport"));
    actions.push(ViewportAction::ViewportSize(Vec2::new(rect.width(), rect.height())));
    picture_ui(ui, view, rect);
    if view.session.is_none() {
        return;
    }
    // Handle input before drawing, so that the overlays use the same camera as this frame's image,
    // which is rendered later.
    state.press = pressed_with(ui).unwrap_or(state.press);
    scrub(ui, view, &response, actions);
    let moved;
    // The mouse wheel changes the chain length while a limb is dragged.
    let reaching = state.tools.is_reaching();
    let circles = state.selecting.resizes_circle(ui, &response);
    let turned = navigate(ui, view, &response, rect, state.press).filter(|_| !reaching && !circles);
    let view = if let Some(camera) = turned {
        actions.push(ViewportAction::Camera(camera));
        moved = View { viewport: ViewportView { camera, ..view.viewport }, ..view.clone() };
        &moved
    } else {
        view
    };
    say_what_is_awaited(state, ui, view, rect);
    if view.mode.spec().selects_vertices {
        tools::vertex_marks_ui(ui, view, rect);
    }
    let over_marks = pins::pins_ui(ui, view, rect, actions)
        | paths::paths_ui(&mut state.path_drag, ui, view, rect, actions);
    let pointed = Pointed { rect, response: &response, over_marks };
    match view.mode.spec().pointer {
        PointerHandler::Brush => brush_pointer_ui(state, ui, view, pointed, actions),
        PointerHandler::Tools => tools_pointer_ui(state, ui, view, pointed, actions),
    }
}

/// Viewport area and its pointer response, for the pointer handlers.
#[derive(Clone, Copy)]
struct Pointed<'a> {
    rect: Rect,
    response: &'a egui::Response,
    /// Whether the pointer is over a pin or a motion path.
    over_marks: bool,
}

/// Handles the pointer in Paint mode: the brush, or the rings that rotate the painted joint.
fn brush_pointer_ui(
    state: &mut ViewportState,
    ui: &mut Ui,
    view: &View<'_>,
    Pointed { rect, response, over_marks }: Pointed<'_>,
    actions: &mut Actions,
) {
    let handles = bend_ui(state, ui, view, rect, response, actions);
    let over_overlay = over_marks | bars_ui(ui, view, rect, actions);
    let bends = handles.is_some();
    if let Some(handles) = handles {
        let free = !handles
            && !over_overlay
            && !turns_view(ui, state.press)
            && !egui::Popup::is_any_open(ui.ctx());
        let selecting = &mut state.selecting;
        tools::select_ui(selecting, ui, view, rect, response, (free, state.press), actions);
    }
    // A press outside an open menu only closes the menu.
    let free = !over_overlay && !bends && !egui::Popup::is_any_open(ui.ctx());
    let ViewportState { brush, swallow, .. } = &mut *state;
    tools::brush_ui(brush, swallow, ui, view, rect, response, free, actions);
    tools::vertices_ui(&mut state.brush.picking, ui, view, rect, actions);
    tools::brush_overlay_ui(state.brush.has_menu(), ui, view, rect);
    tools::brush_menu_ui(&mut state.brush, response, view, actions);
    overlay::overlay_ui(ui, view, rect);
}

/// Handles the pointer of the current tool. A click selects, and a right click opens the menu.
fn tools_pointer_ui(
    state: &mut ViewportState,
    ui: &mut Ui,
    view: &View<'_>,
    Pointed { rect, response, over_marks }: Pointed<'_>,
    actions: &mut Actions,
) {
    // Ignore a gesture that was ended elsewhere until the button is released.
    let swallowed = state.swallow;
    state.swallow &= ui.input(|i| i.pointer.any_down());
    let posed = state.posing().is_some();
    let waits = state.selecting.waits();
    if state.blend.as_mut().is_some_and(|blend| !blend.follow(ui, view, actions)) {
        state.blend = None;
    }
    let tool = view.tool().unwrap_or(ToolCommand::Select);
    // Handles would obstruct drawing a selection area.
    let tool_has_it = swallowed
        || (posed && state.tools.under_way().is_none())
        || (!waits && state.tools.ui(tool, ui, view, rect, response, actions));
    // Overlay bars are above the handles.
    let over_overlay = over_marks | bars_ui(ui, view, rect, actions);
    // The press that ends a gesture neither selects nor opens a menu, even if the button is
    // released in the same frame.
    let ended = posed && state.posing().is_none();
    state.swallow |= ended && ui.input(|i| i.pointer.any_down());
    let covered =
        view.dialogs.open.is_some_and(|d| !d.is_loose()) || egui::Popup::is_any_open(ui.ctx());
    let free = !tool_has_it && !over_overlay && !covered && !turns_view(ui, state.press);
    if tool == ToolCommand::Drag
        && free
        && !waits
        && response.drag_started_by(PointerButton::Primary)
    {
        tools::grab(ui, view, rect, actions);
    }
    let adds = tool == ToolCommand::Joint && view.mode.spec().edits_rest && !waits;
    let taken = adds && tools::joint_ui(ui, view, rect, response, free, actions);
    let free = free && !taken;
    tools::select_ui(&mut state.selecting, ui, view, rect, response, (free, state.press), actions);
    added_ui(ui, view, rect);
    balance::balance_ui(ui, view, rect);
    planned::planned_ui(ui, view, rect);
    bind_joints::bind_joints_ui(ui, view, rect);
    limits::limits_ui(ui, view, rect);
    overlay::overlay_ui(ui, view, rect);
    // If the right button ended a selection area, ignore this button until its release.
    state.swallow |= waits && !state.selecting.waits() && ui.input(|i| i.pointer.secondary_down());
    if state.posing().is_none() && !swallowed && !ended && !waits {
        menu::viewport_menu(response, view, rect, actions);
    }
}

/// Draws the joints that the current drag adds.
fn added_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let size = Vec2::new(rect.width(), rect.height());
    let place = |p| {
        let (p, _) = view.viewport.camera.project(p, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let painter = ui.painter_at(rect);
    let color = view.theme.color(ColorRole::AccentBase);
    for (from, to) in view.rig.added {
        let Some((from, to)) = place(*from).zip(place(*to)) else { continue };
        painter.line_segment([from, to], egui::Stroke::new(3.0, color));
        painter.circle_filled(to, 5.0, color);
    }
}

/// Draws the rendered image of the model, or a hint if no file is open.
fn picture_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    if let Some(texture) = view.viewport.texture {
        painter.image(
            texture,
            rect,
            Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)),
            egui::Color32::WHITE,
        );
    } else {
        painter.rect_filled(rect, 0.0, theme.color(ColorRole::ViewportBackground));
    }
    if view.session.is_some() {
        return;
    }
    let text = if view.program.job.is_some() {
        "Opening…"
    } else {
        "Drop a model here, or open one with File › Open"
    };
    painter.text(
        rect.center(),
        egui::Align2::CENTER_CENTER,
        text,
        super::Theme::font(super::theme::Font::Body),
        theme.color(ColorRole::TextSecondary),
    );
}

/// Modifiers of a button that was pressed in this frame.
fn pressed_with(ui: &Ui) -> Option<egui::Modifiers> {
    ui.input(|i| {
        i.events.iter().find_map(|e| match e {
            egui::Event::PointerButton {
                button: PointerButton::Primary | PointerButton::Secondary,
                pressed: true,
                modifiers,
                ..
            } => Some(*modifiers),
            _ => None,
        })
    })
}

/// Shows the bars and buttons over the viewport. Returns whether the pointer is over one of them.
fn bars_ui(ui: &mut Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    overlay::buttons_ui(ui, view, rect, actions)
        | axes::corner_ui(ui, view, rect, actions)
        | reach_bar::reach_bar_ui(ui, view, rect, actions)
        | compare::compare_ui(ui, view, rect, actions)
}

/// Whether the primary button rotates the view because Alt was held at the press.
fn turns_view(ui: &Ui, press: egui::Modifiers) -> bool {
    press.alt && ui.input(|i| i.pointer.primary_down() || i.pointer.primary_released())
}

/// Shows the rings that rotate the painted joint. Returns whether they use the pointer; `None`
/// without rings.
fn bend_ui(
    state: &mut ViewportState,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &egui::Response,
    actions: &mut Actions,
) -> Option<bool> {
    if !view.paint.bending.rings {
        if state.tools.end() {
            actions.push(BendAction::End { kept: true });
        }
        return None;
    }
    Some(state.tools.ui(ToolCommand::Rotate, ui, view, rect, response, actions))
}

/// Shows a message while a file is open but its image is not rendered yet.
fn say_what_is_awaited(state: &mut ViewportState, ui: &Ui, view: &View<'_>, rect: Rect) {
    // Delay of the message in seconds. Most images are ready sooner.
    const PATIENCE: f64 = 0.3;
    if view.viewport.texture.is_some() {
        state.empty_since = None;
        return;
    }
    let now = ui.input(|i| i.time);
    let left = *state.empty_since.get_or_insert(now) + PATIENCE - now;
    if left > 0.0 {
        ui.ctx().request_repaint_after_secs(left as f32);
        return;
    }
    let text = if view.program.job.is_some() {
        "Loading the view…"
    } else {
        "This file cannot be displayed"
    };
    let font = super::Theme::font(super::theme::Font::Body);
    let color = view.theme.color(ColorRole::TextSecondary);
    ui.painter_at(rect).text(rect.center(), egui::Align2::CENTER_CENTER, text, font, color);
}

/// Moves the playhead of the shown clip by Alt and the mouse wheel, one frame per notch.
fn scrub(ui: &Ui, view: &View<'_>, response: &egui::Response, actions: &mut Actions) {
    if !response.hovered() || view.shown_clip().is_none() {
        return;
    }
    let notches: f64 = ui.input(|i| {
        let of = |e: &egui::Event| match e {
            egui::Event::MouseWheel { delta, modifiers, .. } if modifiers.alt && delta.y != 0.0 => {
                Some(f64::from(delta.y.signum()))
            }
            _ => None,
        };
        i.events.iter().filter_map(of).sum()
    });
    if notches != 0.0 {
        let playback = view.timeline.playback;
        let frame = (playback.time * playback.fps).round() - notches;
        actions.push(TimelineAction::Seek((frame / playback.fps).max(0.0)));
    }
}

/// Handles orbit, pan and zoom. Returns the new camera.
fn navigate(
    ui: &Ui,
    view: &View<'_>,
    response: &egui::Response,
    rect: Rect,
    press: egui::Modifiers,
) -> Option<Camera> {
    let mut camera = view.viewport.camera;
    let (modifiers, scroll, zoom) =
        ui.input(|i| (i.modifiers, i.smooth_scroll_delta(), i.zoom_delta()));
    let drag = response.drag_delta();
    let drag = Vec2::new(drag.x, drag.y);
    let settings = view.settings;
    let turn = |camera: &mut Camera| match settings.orbit {
        Orbit::Turntable => camera.orbit(drag * settings.orbit_speed),
        Orbit::Trackball => camera.tumble(drag * settings.orbit_speed),
    };
    let preset = settings.keys.preset();
    let middle = response.dragged_by(PointerButton::Middle);
    // With Ctrl as well, the drag selects vertices with a box.
    let picks = view.mode.spec().selects_vertices && press.command;
    let primary = response.dragged_by(PointerButton::Primary) && press.alt && !picks;
    // With Ctrl, a secondary drag draws a lasso.
    let secondary = response.dragged_by(PointerButton::Secondary) && !press.command;
    let zoom_by = |camera: &mut Camera, way: f32| {
        let size = Vec2::new(rect.width(), rect.height());
        camera.zoom((-way * 0.01).exp(), size * 0.5, size);
    };
    match preset {
        // Blender: the middle button orbits, pans and zooms, and the right button opens menus.
        Preset::Blender if middle && modifiers.shift => camera.pan(drag, rect.height()),
        Preset::Blender if middle && modifiers.command => zoom_by(&mut camera, -drag.y),
        Preset::Blender if middle || primary => turn(&mut camera),
        Preset::Blender => {}
        // Maya: buttons move the view only with Alt.
        Preset::Maya if primary => turn(&mut camera),
        Preset::Maya if middle && modifiers.alt => camera.pan(drag, rect.height()),
        Preset::Maya if secondary && modifiers.alt => zoom_by(&mut camera, drag.x),
        Preset::Maya => {}
        Preset::Ulna if (middle && !modifiers.shift && !modifiers.alt) || primary => {
            turn(&mut camera)
        }
        Preset::Ulna if middle || (secondary && modifiers.shift) => camera.pan(drag, rect.height()),
        Preset::Ulna if secondary && modifiers.alt => zoom_by(&mut camera, drag.x),
        Preset::Ulna if secondary => turn(&mut camera),
        Preset::Ulna => {}
    }
    let scrubs = modifiers.alt && view.shown_clip().is_some();
    if response.hovered()
        && !scrubs
        && let Some(at) = response.hover_pos()
    {
        let factor = if zoom == 1.0 {
            (-scroll.y * if settings.reverse_wheel { -0.0022 } else { 0.0022 }).exp()
        } else {
            1.0 / zoom
        };
        if factor != 1.0 {
            let middle = Vec2::new(rect.width(), rect.height()) * 0.5;
            let under = Vec2::new(at.x - rect.left(), at.y - rect.top());
            let at = if settings.zoom_to_pointer { under } else { middle };
            camera.zoom(factor, at, Vec2::new(rect.width(), rect.height()));
        }
    }
    (camera != view.viewport.camera).then_some(camera)
}
