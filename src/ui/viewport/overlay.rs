//! Overlay of the viewport, drawn by egui: names, readouts, and toolbar.

use egui::{Align2, Painter, Rect, Ui, pos2, vec2};
use egui_material_icons::{MaterialIcon, icons};
use glam::Vec2;

use super::{axes::joints_ui, haloed::haloed};
use crate::ui::popups::{lasting_menu_button, menu_button};
use crate::ui::{
    Action, Actions, Theme, View,
    menu_rows::{MenuRows, Row, fill, fill_choices},
    theme::Font,
    widgets::{check, elided, icon_button},
};
use crate::ui::{Onion, PaintAction, ViewportAction};
use ulna_edit::command::{ViewCommand, field::Nodes};
use ulna_model as model;
use ulna_render::Shading;
use ulna_render::{ColorRole, Measure};

/// Maximum width of a joint name in the viewport, in points.
const NAME: f32 = 220.0;

/// Directions in the view menu.
static DIRECTIONS: [ViewCommand; 8] = [
    ViewCommand::Perspective,
    ViewCommand::Front,
    ViewCommand::Back,
    ViewCommand::Side,
    ViewCommand::OtherSide,
    ViewCommand::Top,
    ViewCommand::Bottom,
    ViewCommand::ThreeQuarter,
];

/// Toolbar button: its icon, its command, and whether it is on.
type Switch = (MaterialIcon, ViewCommand, bool);

/// Toolbar buttons for the shading of surfaces.
fn surfaces(view: &View<'_>) -> [Switch; 4] {
    let now = view.options.shading;
    [
        (icons::ICON_CONTRAST, ViewCommand::Textured, now == Shading::Textured),
        (icons::ICON_DEPLOYED_CODE, ViewCommand::Solid, now == Shading::Solid),
        (icons::ICON_GRID_3X3, ViewCommand::Wireframe, now == Shading::Wireframe),
        (icons::ICON_RADIOLOGY, ViewCommand::XRay, now == Shading::XRay),
    ]
}

/// Toolbar buttons for overlays.
fn overlays(view: &View<'_>) -> [Switch; 4] {
    let shown = view.options;
    [
        (icons::ICON_GRID_4X4, ViewCommand::Grid, shown.grid),
        (icons::ICON_POLYLINE, ViewCommand::Joints, shown.joints),
        (icons::ICON_LABEL, ViewCommand::Names, shown.names),
        (icons::ICON_3D_ROTATION, ViewCommand::Axes, shown.axes),
    ]
}

/// Button groups moved into a menu at the end of the toolbar, so that the toolbar fits on one row.
#[derive(Clone, Copy, Debug)]
struct Folded {
    surfaces: bool,
    overlays: bool,
}

impl Folded {
    /// Button groups to move into the menu at this toolbar width, in points.
    fn of(view: &View<'_>, width: f32) -> Self {
        /// Width of all buttons, and of the shading buttons, in points.
        const ALL: f32 = 392.0;
        const SURFACES: f32 = 272.0;
        /// Width of the menu of weight displays, in points.
        const LOOK: f32 = 184.0;
        let look = if view.mode.spec().paints_weights { LOOK } else { 0.0 };
        Self { surfaces: width < SURFACES + look, overlays: width < ALL + look }
    }
}

/// Shows the toolbar at the top left. Returns whether the pointer is over it.
pub fn buttons_ui(ui: &mut Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let theme = view.theme;
    let area = Rect::from_min_size(rect.min + vec2(8.0, 8.0), vec2(rect.width() - 16.0, 32.0));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::ViewportOverlay))
        .corner_radius(4)
        .inner_margin(2);
    let bar = frame.show(&mut child, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            // Menu buttons are as high as the other buttons.
            ui.spacing_mut().interact_size.y = Measure::IconButton.points();
            view_menu(ui, view, actions);
            divider(ui, theme);
            if view.mode.spec().paints_weights {
                look_menu(ui, view, actions);
                divider(ui, theme);
            }
            let folded = Folded::of(view, area.width());
            if !folded.surfaces {
                for (icon, command, on) in surfaces(view) {
                    switch(ui, view, icon, command, on, actions);
                }
                divider(ui, theme);
            }
            if !folded.overlays {
                for (icon, command, on) in overlays(view) {
                    switch(ui, view, icon, command, on, actions);
                }
            }
            joints_menu(ui, view, folded, actions);
            choosers(ui, view, actions);
        });
    });
    ui.input(|i| i.pointer.hover_pos()).is_some_and(|p| bar.response.rect.contains(p))
}

/// Choice of the scene and of the material variant, if the file has several.
fn choosers(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let shown = document.shown;
    let mut choose =
        |ui: &mut Ui, name: &str, now: String, options: Vec<(String, model::DisplayChoice)>| {
            divider(ui, view.theme);
            let label = format!("{now} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
            let label = egui::RichText::new(label).color(view.theme.color(ColorRole::TextPrimary));
            let button = menu_button(ui, label, |ui| {
                fill_choices(ui, view, actions, |rows| {
                    for (text, to) in options {
                        let row = Row::new(text).checked(to == shown);
                        rows.act(row, || ViewportAction::Choose(to));
                    }
                });
            });
            button.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{name}: {now}"))
            });
        };
    if document.scenes.len() > 1 {
        let now =
            document.shown_scene().map_or_else(|| "All nodes".into(), |k| document.scene_label(k));
        let options = document
            .scenes
            .ids()
            .map(|k| (document.scene_label(k), model::DisplayChoice { scene: Some(k), ..shown }))
            .collect();
        choose(ui, "Scene", now, options);
    }
    if !document.variants.is_empty() {
        let plain = "Original materials".to_owned();
        let now = shown
            .variant
            .and_then(|k| document.variants.get(k.index()))
            .map_or_else(|| plain.clone(), |n| n.to_string());
        let named = document.variants.iter().enumerate();
        let options = std::iter::once((plain, model::DisplayChoice { variant: None, ..shown }))
            .chain(named.map(|(k, n)| {
                (n.to_string(), model::DisplayChoice { variant: Some(k.into()), ..shown })
            }))
            .collect();
        choose(ui, "Variant", now, options);
    }
}

fn switch(
    ui: &mut Ui,
    view: &View<'_>,
    icon: egui_material_icons::MaterialIcon,
    command: ViewCommand,
    on: bool,
    actions: &mut Actions,
) {
    let spec = command.spec();
    if icon_button(ui, view.theme, icon, spec.title, view.settings.keys.key(spec.name), on, Ok(()))
        .clicked()
    {
        actions.push(Action::Run(command.into()));
    }
}

fn divider(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(9.0, 20.0), egui::Sense::hover());
    let line = Rect::from_center_size(rect.center(), vec2(1.0, 18.0));
    ui.painter().rect_filled(line, 0.0, theme.color(ColorRole::StrokeControl));
}

/// Menu with the display options of joints.
fn joints_menu(ui: &mut Ui, view: &View<'_>, folded: Folded, actions: &mut Actions) {
    let options = view.options;
    let label = egui::RichText::new(icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let label = egui::Button::new(label.color(view.theme.color(ColorRole::TextPrimary)));
    // The menu stays open, because users often change several options.
    let response = lasting_menu_button(ui, label, |ui| {
        fill_choices(ui, view, actions, |rows| {
            rows.stay_open();
            folded_rows(rows, folded);
            rows.own(|ui, actions| joint_size_ui(ui, options.joint_size, actions));
            for (command, on) in [
                (ViewCommand::Sticks, options.sticks),
                (ViewCommand::Deforming, options.deforming),
                (ViewCommand::OfSelected, options.of_selected),
                (ViewCommand::Pins, options.pins),
                (ViewCommand::Balance, options.balance),
                (ViewCommand::MotionPaths, options.motion_paths),
                (ViewCommand::OnionSkin, options.onion.shown),
            ] {
                switch_row(rows, command, on);
            }
            if options.onion.shown {
                rows.own(|ui, actions| onion_ui(ui, view.theme, options.onion, actions));
            }
        });
    });
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Joint display"));
    response.on_hover_text("Joint display style and visible joints");
}

/// Menu with the buttons that do not fit in the toolbar.
fn folded_rows(rows: &mut MenuRows<'_>, folded: Folded) {
    let view = rows.view;
    if folded.surfaces {
        for (_, command, on) in surfaces(view) {
            switch_row(rows, command, on);
        }
        rows.separator();
    }
    if folded.overlays {
        for (_, command, on) in overlays(view) {
            switch_row(rows, command, on);
        }
        rows.separator();
    }
}

/// Adds a row that switches a display on or off.
fn switch_row(rows: &mut MenuRows<'_>, command: ViewCommand, on: bool) {
    let row = Row::of(rows.view, command.spec()).checked(on);
    rows.run(row, || command.into());
}

fn joint_size_ui(ui: &mut Ui, now: f32, actions: &mut Actions) {
    ui.horizontal(|ui| {
        ui.label("Joint size");
        let mut size = now;
        let slider = egui::Slider::new(&mut size, 0.2..=4.0).logarithmic(true).fixed_decimals(2);
        let response = ui.add(slider);
        crate::ui::widgets::name_widget(ui, &response, "Joint size");
        if response.changed() {
            actions.push(ViewportAction::SetJointSize(size));
        }
    });
}

/// Options of the onion skin.
fn onion_ui(ui: &mut Ui, theme: &Theme, onion: Onion, actions: &mut Actions) {
    let mut now = onion;
    ui.indent("onion skin", |ui| {
        ui.horizontal(|ui| {
            ui.radio_value(&mut now.by_keys, false, "Every");
            let step = ui.add_enabled(
                !now.by_keys,
                egui::DragValue::new(&mut now.step).range(1..=60).speed(0.1),
            );
            crate::ui::widgets::name_widget(ui, &step, "Frames between ghosts");
            ui.label(if now.step == 1 { "frame" } else { "frames" });
            ui.radio_value(&mut now.by_keys, true, "Keys").on_hover_text(
                "At the keys of the selection, or of the whole clip if the selection has no keys",
            );
        });
        ui.horizontal(|ui| {
            for (count, name) in [(&mut now.before, "before"), (&mut now.after, "after")] {
                let many = ui.add(egui::DragValue::new(count).range(0..=Onion::MOST).speed(0.05));
                crate::ui::widgets::name_widget(ui, &many, &format!("Ghosts {name}"));
                ui.label(name);
            }
        });
        check(ui, theme, &mut now.of_selected, "Meshes of the selected joints only");
    });
    if now != onion {
        actions.push(ViewportAction::SetOnion(now));
    }
}

/// Menu of view directions and cameras.
fn view_menu(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let text = if view.viewport.camera.orthographic { "Orthographic" } else { "Perspective" };
    // In a narrow view, short labels keep the toolbar on one row.
    let short = if view.viewport.camera.orthographic { "Ortho." } else { "Persp." };
    let shown = if ui.available_width() < 410.0 { short } else { text };
    let label = format!("{shown} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let label = egui::RichText::new(label).color(theme.color(ColorRole::TextPrimary));
    let button = menu_button(ui, label, |ui| fill(ui, view, actions, direction_rows));
    button.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Button, true, format!("View: {text}"))
    });
    if shown != text {
        button.on_hover_text(text);
    }
}

/// Rows of view directions and cameras.
fn direction_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    for command in &DIRECTIONS {
        rows.run(Row::of(view, command.spec()), || command.clone().into());
    }
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let is_camera = |n: &ulna_model::NodeId| document.node(*n).camera.is_some();
    rows.separator();
    for node in document.shown_nodes().into_iter().filter(is_camera).take(40) {
        let title = format!("Through {}", document.node(node).label(node));
        let row = Row::new(title).icon(icons::ICON_VIDEOCAM.codepoint);
        rows.run(row, || ViewCommand::Camera { node: Some(Nodes::one(node)) }.into());
    }
}

/// Menu of weight displays.
fn look_menu(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let now = view.paint.options.look;
    let label = format!("{} {}", now.label(), icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let label = egui::RichText::new(label).color(theme.color(ColorRole::TextPrimary));
    let button = menu_button(ui, label, |ui| {
        fill_choices(ui, view, actions, |rows| {
            for look in crate::ui::WeightLook::ALL {
                let row = Row::new(look.label()).checked(look == now);
                rows.act(row, || PaintAction::WeightLook(look));
            }
        });
    });
    let name = format!("Weights shown as: {}", now.label());
    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
}

/// Draws joint names and readouts over the viewport.
pub fn overlay_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let painter = ui.painter_at(rect);
    let size = Vec2::new(rect.width(), rect.height());
    let head = |node: ulna_model::NodeId| {
        let at = view.pose.world.get(node.index())?.w_axis.truncate();
        view.viewport
            .camera
            .project(at, size)
            .map(|(p, _)| pos2(p.x + rect.left(), p.y + rect.top()))
    };
    joints_ui(&painter, view, rect);
    let mut named: Vec<ulna_model::NodeId> = Vec::new();
    if view.options.names && view.options.joints {
        let meant =
            |id: &model::NodeId| !view.options.of_selected || view.selection.nodes.contains(id);
        named.extend(
            document.node_ids().filter(|id| view.joints[id.index()] && meant(id)).take(400),
        );
    } else if let Some(hover) = view.hover.filter(|n| document.nodes.contains(*n)) {
        // A node may have been removed since the pointer moved.
        named.push(hover);
    }
    for node in named {
        if let Some(at) = head(node) {
            let color = if view.selection.nodes.contains(&node) {
                theme.color(ColorRole::SelectionBase)
            } else {
                theme.color(ColorRole::ViewportLabel)
            };
            let font = Theme::font(Font::Caption);
            let name = elided(ui, &document.node(node).label(node), &font, NAME);
            haloed(&painter, at + vec2(10.0, -8.0), Align2::LEFT_CENTER, &name, font, color, theme);
        }
    }
    seam_ui(&painter, view, rect);
    mix_ui(&painter, ui, view, document, rect);
    if let Some(clip) = view.shown_clip() {
        let font = Theme::font(Font::Caption);
        let name = elided(ui, &document.clip_label(clip), &font, NAME);
        let time = format!("{:.3} s", view.timeline.playback.time);
        let name = painter.layout_no_wrap(name, font, theme.color(ColorRole::TextSecondary));
        let time = painter.layout_no_wrap(
            time,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextPrimary),
        );
        let width = name.size().x + time.size().x + 22.0;
        let plate =
            Rect::from_min_size(pos2(rect.left() + 8.0, rect.bottom() - 30.0), vec2(width, 22.0));
        painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
        let y = plate.center().y;
        let after = plate.left() + 8.0 + name.size().x + 6.0;
        painter.galley(
            pos2(plate.left() + 8.0, y - name.size().y * 0.5),
            name,
            theme.color(ColorRole::TextSecondary),
        );
        painter.galley(
            pos2(after, y - time.size().y * 0.5),
            time,
            theme.color(ColorRole::TextPrimary),
        );
    }
}

/// Draws the loop gap of the selected joints while the repair of a loop is previewed. A line leads
/// from each joint's position at the end to the position that closes the loop.
fn seam_ui(painter: &Painter, view: &View<'_>, rect: Rect) {
    let (theme, size) = (view.theme, Vec2::new(rect.width(), rect.height()));
    let (Some(seen), Some(session)) = (view.timeline.repair_seen, view.session) else { return };
    let playback = view.timeline.playback;
    let at_end = (playback.time - playback.length(session.document())).abs() < 0.5 / playback.fps;
    if view.shown_clip() != Some(seen.of.1.clip) || !at_end || playback.playing {
        return;
    }
    /// Distance in meters below which no gap is drawn.
    const NONE: f32 = 1e-4;
    let color = theme.color(ColorRole::SelectionBase);
    for gap in
        seen.gaps.iter().filter(|g| g.distance > NONE && view.selection.nodes.contains(&g.node))
    {
        let ends = gap.line.map(|at| view.viewport.camera.project(at, size));
        let [Some((from, _)), Some((to, _))] = ends else { continue };
        let [from, to] = [from, to].map(|p| pos2(p.x + rect.left(), p.y + rect.top()));
        painter.line_segment([from, to], egui::Stroke::new(1.5, color));
        painter.circle_filled(from, 3.0, color);
        painter.circle_stroke(to, 3.5, egui::Stroke::new(1.5, color));
        let unit = view.settings.length;
        let text = format!("{:.1} {}", gap.distance * unit.per_meter(), unit.sign());
        let font = Theme::font(Font::NumberSmall);
        // Put the text at the end of the line that the gizmo does not cover.
        let ink = theme.color(ColorRole::SelectionText);
        haloed(painter, from + vec2(9.0, -9.0), Align2::LEFT_CENTER, &text, font, ink, theme);
    }
}

/// Lists the playing clips of a mix with their weights, at the bottom of the viewport.
fn mix_ui(painter: &Painter, ui: &Ui, view: &View<'_>, document: &model::Document, rect: Rect) {
    /// Maximum number of listed clips, because more would not be readable at a glance.
    const MOST: usize = 5;
    let theme = view.theme;
    if view.timeline.playing.is_empty() {
        return;
    }
    let mix = ulna_edit::command::mix_of(document).unwrap_or_default();
    let mut told: Vec<(String, String)> = Vec::new();
    for (l, lane) in mix.lanes.iter().enumerate().filter(|(_, l)| l.on) {
        let mut own: Vec<_> =
            view.timeline.playing.iter().filter(|p| p.lane == l && p.weight >= 0.005).collect();
        own.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let sign = if lane.additive.is_some() { "+" } else { "" };
        told.extend(own.into_iter().map(|p| {
            let share =
                p.weight * if lane.additive.is_some() { lane.weight } else { lane.weight.min(1.0) };
            (document.clip_label(p.clip), format!("{sign}{:.0} %", share * 100.0))
        }));
    }
    let more = told.len().saturating_sub(MOST);
    told.truncate(MOST);
    if more > 0 {
        told.push(("and".into(), format!("{more} more")));
    }
    let ink = [ColorRole::TextPrimary, ColorRole::TextSecondary].map(|role| theme.color(role));
    let mut at = pos2(rect.left() + 16.0, rect.bottom() - 19.0);
    let shapes: Vec<_> = told
        .into_iter()
        .map(|(name, share)| {
            let font = Theme::font(Font::Caption);
            let name = painter.layout_no_wrap(elided(ui, &name, &font, NAME), font, ink[0]);
            (name, painter.layout_no_wrap(share, Theme::font(Font::NumberSmall), ink[1]))
        })
        .collect();
    let width: f32 =
        shapes.iter().map(|(a, b)| a.size().x + 6.0 + b.size().x + 18.0).sum::<f32>() - 2.0;
    let plate =
        Rect::from_min_size(pos2(rect.left() + 8.0, rect.bottom() - 30.0), vec2(width, 22.0));
    painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
    for (name, share) in shapes {
        painter.galley(at - vec2(0.0, name.size().y * 0.5), name.clone(), ink[0]);
        at.x += name.size().x + 6.0;
        painter.galley(at - vec2(0.0, share.size().y * 0.5), share.clone(), ink[1]);
        at.x += share.size().x + 18.0;
    }
}
