//! Context menu of the viewport, for joints and meshes and for the empty background.

use egui::{Pos2, Rect, Response, vec2};
use egui_material_icons::icons;
use glam::Vec2;

use super::{domain::ViewportAction, pick};
use crate::ui::{
    Actions, Pane, View,
    menu_rows::{MenuRows, Row, panel_menu},
    node_menu::{NodePlace, hides_any, node_rows, paste_row},
    popups::keyboard,
};
use ulna_edit::command::{ModeCommand, SelectCommand, ViewCommand};
use ulna_model::NodeId;
use ulna_render::Shading;

/// Shows the context menu of Pose, Animate and Rig mode.
pub fn viewport_menu(response: &Response, view: &View<'_>, rect: Rect, actions: &mut Actions) {
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) {
        let size = Vec2::new(rect.width(), rect.height());
        let at = Vec2::new(at.x - rect.left(), at.y - rect.top());
        let near = pick::bones_at(view, at, size);
        actions.push(ViewportAction::PickForMenu { at, size, near });
    }
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let under = view.viewport.under;
    let at = selected_at(view, rect);
    if keyboard::asks_panel(&response.ctx, Pane::Viewport, at) {
        actions.push(ViewportAction::MenuByKey);
    }
    panel_menu(response, (Pane::Viewport, at), view, actions, |rows| {
        let is_there = |n: &NodeId| document.nodes.contains(*n);
        let nodes: Vec<NodeId> = view.selection.nodes.iter().copied().filter(is_there).collect();
        if under.is_empty() || nodes.is_empty() {
            empty_rows(rows);
            return;
        }
        let there = |list: &[NodeId]| list.iter().copied().filter(is_there).collect::<Vec<_>>();
        let (joints, meshes) = (there(&under.joints), there(&under.meshes));
        let place = NodePlace::Viewport { joints: &joints, meshes: &meshes };
        // Names can be edited in the outliner only.
        node_rows(rows, document, &nodes, place);
    });
}

/// Position of the active node in the window, if it is in sight.
fn selected_at(view: &View<'_>, rect: Rect) -> Option<Pos2> {
    let world = view.pose.world.get(view.selection.active?.index())?;
    let size = Vec2::new(rect.width(), rect.height());
    let (at, _) = view.viewport.camera.project(world.w_axis.truncate(), size)?;
    Some(rect.min + vec2(at.x, at.y)).filter(|at| rect.contains(*at))
}

/// Adds the menu rows for a right click on the background.
pub fn empty_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    rows.header(
        "View",
        if view.viewport.camera.orthographic { "orthographic" } else { "perspective" },
    );
    rows.submenu(Row::new("Look from").icon(icons::ICON_VIDEOCAM.codepoint), look_rows);
    rows.submenu(Row::new("Surfaces").icon(icons::ICON_CONTRAST.codepoint), |rows| {
        surface_rows(rows, false);
    });
    rows.submenu(Row::new("Overlays").icon(icons::ICON_GRID_4X4.codepoint), overlay_rows);
    rows.command(ViewCommand::FrameAll.spec());
    rows.separator();
    rows.command(SelectCommand::Joints.spec());
    rows.command(SelectCommand::Nothing.spec());
    if view.mode.spec().poses {
        rows.separator();
        paste_row(rows, ModeCommand::PastePose, "Paste pose");
        paste_row(rows, ModeCommand::PasteFlipped, "Paste flipped");
    }
    rows.separator();
    let reason = (!hides_any(view)).then_some("Nothing is hidden");
    let row = Row::of(view, ViewCommand::ShowAll.spec()).unless(reason);
    rows.run(row, || ViewCommand::ShowAll.into());
}

/// Adds a row that switches a display on or off.
fn switch(rows: &mut MenuRows<'_>, command: ViewCommand, on: bool) {
    let row = Row::of(rows.view, command.spec()).checked(on);
    rows.run(row, || command.into());
}

fn look_rows(rows: &mut MenuRows<'_>) {
    rows.with_marks();
    let view = rows.view;
    switch(rows, ViewCommand::Perspective, !view.viewport.camera.orthographic);
    rows.separator();
    for command in [
        ViewCommand::Front,
        ViewCommand::Back,
        ViewCommand::Side,
        ViewCommand::OtherSide,
        ViewCommand::Top,
        ViewCommand::Bottom,
        ViewCommand::ThreeQuarter,
    ] {
        rows.run(Row::of(view, command.spec()), || command.into());
    }
    if view.availability.cameras {
        rows.separator();
        rows.command((ViewCommand::Camera { node: None }).spec());
    }
}

/// Adds rows for the shading of surfaces, with a check mark on the current one. `lights` adds a row
/// for the lights of the file even if it has none.
pub fn surface_rows(rows: &mut MenuRows<'_>, lights: bool) {
    rows.with_marks();
    let (view, now) = (rows.view, rows.view.options.shading);
    for (command, shading) in [
        (ViewCommand::Textured, Shading::Textured),
        (ViewCommand::Solid, Shading::Solid),
        (ViewCommand::Wireframe, Shading::Wireframe),
        (ViewCommand::XRay, Shading::XRay),
    ] {
        switch(rows, command, now == shading);
    }
    if view.availability.lights || lights {
        rows.separator();
        switch(rows, ViewCommand::Lights, view.options.lights);
    }
}

fn overlay_rows(rows: &mut MenuRows<'_>) {
    rows.with_marks();
    let shown = rows.view.options;
    for (command, on) in [
        (ViewCommand::Grid, shown.grid),
        (ViewCommand::Joints, shown.joints),
        (ViewCommand::Names, shown.names),
        (ViewCommand::Axes, shown.axes),
        (ViewCommand::OfSelected, shown.of_selected),
        (ViewCommand::Sticks, shown.sticks),
        (ViewCommand::Deforming, shown.deforming),
    ] {
        switch(rows, command, on);
    }
    rows.separator();
    switch(rows, ViewCommand::Pins, shown.pins);
    switch(rows, ViewCommand::Balance, shown.balance);
    switch(rows, ViewCommand::MotionPaths, shown.motion_paths);
    switch(rows, ViewCommand::OnionSkin, shown.onion.shown);
}
