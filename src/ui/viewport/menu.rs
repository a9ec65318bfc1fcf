//! Context menu of the viewport, for joints and meshes and for the empty background.

use egui::{Rect, Response};
use egui_material_icons::icons;
use glam::Vec2;

use super::{domain::ViewportAction, pick};
use crate::ui::{
    Actions, View,
    menu_rows::{MenuRows, Row, context_menu},
    node_menu::{NodePlace, hides_any, node_rows, paste_row},
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
    context_menu(response, None, view, actions, |rows| {
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

/// Adds the menu rows for a right click on the background.
pub fn empty_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    rows.header(
        "View",
        if view.viewport.camera.orthographic { "orthographic" } else { "perspective" },
    );
    rows.submenu(Row::new("Look from").icon(icons::ICON_VIDEOCAM.codepoint), look_rows);
    rows.submenu(Row::new("Surfaces").icon(icons::ICON_CONTRAST.codepoint), surface_rows);
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

fn surface_rows(rows: &mut MenuRows<'_>) {
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
    if view.availability.lights {
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
