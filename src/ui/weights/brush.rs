//! Brush settings: operation, radius, strength, value, falloff, and the affected faces.

use egui::{Color32, RichText, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::{MaterialIcon, icons};

use super::falloff::{combo, falloff_ui};
use crate::ui::{
    Action, Actions, Theme, View,
    drop_down::option_row,
    number_bar::number_bar,
    theme::Font,
    widgets::{check, elided, name_widget, paint_icon, panel_title, segment, segments},
};
use crate::ui::{PaintAction, PaintTool};
use ulna_edit::command::{BrushCommand, VertexCommand};
use ulna_render::ColorRole;
use ulna_weights::{Brush, BrushKind, Radius};

/// Width in points below which the panel has shorter labels and one column of switches.
const NARROW: f32 = 300.0;

/// Icon of a brush operation.
pub const fn icon(kind: BrushKind) -> MaterialIcon {
    match kind {
        BrushKind::Add => icons::ICON_ADD,
        BrushKind::Subtract => icons::ICON_REMOVE,
        BrushKind::Replace => icons::ICON_FORMAT_COLOR_FILL,
        BrushKind::Scale => icons::ICON_CLOSE_FULLSCREEN,
        BrushKind::Smooth => icons::ICON_BLUR_ON,
        BrushKind::Sharpen => icons::ICON_CHANGE_HISTORY,
        BrushKind::Average => icons::ICON_DRAG_HANDLE,
        BrushKind::Smear => icons::ICON_SWIPE,
    }
}

const fn help(kind: BrushKind) -> &'static str {
    match kind {
        BrushKind::Add => "Adds the value to the weight",
        BrushKind::Subtract => "Subtracts the value from the weight",
        BrushKind::Replace => "Moves the weight toward the value",
        BrushKind::Scale => "Multiplies the weight by the value",
        BrushKind::Smooth => "Averages weights with neighboring vertices",
        BrushKind::Sharpen => "Increases the contrast to neighboring vertices",
        BrushKind::Average => "Moves weights toward the mean under the brush",
        BrushKind::Smear => "Drags weights along with the brush",
    }
}

pub fn brush_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let mut brush = view.paint.options.brush;
    let folded = view.options.brush_folded;
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Brush");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let (icon, name) = match folded {
                true => (icons::ICON_UNFOLD_MORE, "Show all brush settings"),
                false => (icons::ICON_UNFOLD_LESS, "Show only the main brush settings"),
            };
            if crate::ui::widgets::icon_button(ui, theme, icon, name, "", false, Ok(())).clicked() {
                actions.push(PaintAction::FoldBrush(!folded));
            }
        });
    });
    ui.add_space(2.0);
    kinds_ui(ui, theme, &mut brush);
    ui.add_space(4.0);
    drags_ui(ui, view, actions);
    ui.add_space(2.0);
    ui.spacing_mut().item_spacing.y = 3.0;
    numbers_ui(ui, view, &mut brush);
    if folded {
        send(view, brush, actions);
        return;
    }
    ui.add_space(4.0);
    falloff_ui(ui, theme, &mut brush);
    ui.add_space(2.0);
    let size = match brush.radius {
        Radius::Pixels(points) => {
            points
                * view.viewport.camera.meters_per_point(
                    view.viewport.camera.distance,
                    ui.ctx().content_rect().height(),
                )
        }
        Radius::Scene(meters) => meters,
    };
    let mut in_scene = matches!(brush.radius, Radius::Scene(_));
    switches_ui(ui, view, &mut brush, &mut in_scene);
    if let Some(count) = view.paint.unpaired().map(<[u32]>::len).filter(|n| brush.mirror && *n > 0)
    {
        unpaired_ui(ui, theme, count, actions);
    }
    brush.radius = match (in_scene, brush.radius) {
        (true, Radius::Pixels(_)) => Radius::Scene(size),
        (false, Radius::Scene(_)) => Radius::Pixels(64.0),
        (_, radius) => radius,
    };
    send(view, brush, actions);
}

/// Draws fields for radius, strength and value.
fn numbers_ui(ui: &mut Ui, view: &View<'_>, brush: &mut Brush) {
    let theme = view.theme;
    let key = |command: BrushCommand| view.settings.keys.key(command.name()).to_owned();
    match &mut brush.radius {
        Radius::Pixels(points) => {
            number_bar(
                ui,
                theme,
                "Radius",
                points,
                2.0..=400.0,
                "px",
                0,
                &key(BrushCommand::Radius),
            );
        }
        Radius::Scene(meters) => {
            let unit = view.settings.length;
            let mut shown = *meters * unit.per_meter();
            let most = unit.per_meter();
            number_bar(
                ui,
                theme,
                "Radius",
                &mut shown,
                0.001 * most..=most,
                unit.sign(),
                3,
                &key(BrushCommand::Radius),
            );
            *meters = shown / unit.per_meter();
        }
    }
    number_bar(
        ui,
        theme,
        "Strength",
        &mut brush.strength,
        0.0..=1.0,
        "",
        2,
        &key(BrushCommand::Strength),
    );
    let most = if brush.kind == BrushKind::Scale { 2.0 } else { 1.0 };
    number_bar(ui, theme, "Value", &mut brush.value, 0.0..=most, "", 2, &key(BrushCommand::Value));
}

/// Draws the number of vertices without a mirror match, and a button that selects them.
fn unpaired_ui(ui: &mut Ui, theme: &Theme, count: usize, actions: &mut Actions) {
    ui.horizontal(|ui| {
        let text = match count {
            1 => "1 vertex has no mirror match".to_owned(),
            n => format!("{} vertices have no mirror match", crate::ui::widgets::thousands(n)),
        };
        let text = RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextSecondary));
        // The same mark as in the viewport.
        let (mark, _) = ui.allocate_exact_size(vec2(8.0, 8.0), egui::Sense::hover());
        let corners =
            [mark.center_top(), mark.right_center(), mark.center_bottom(), mark.left_center()]
                .to_vec();
        let color = theme.color(ColorRole::SeverityWarning);
        ui.painter().add(egui::Shape::convex_polygon(corners, color, egui::Stroke::NONE));
        ui.add(egui::Label::new(text).truncate());
        if ui.small_button("Select them").clicked() {
            actions.push(Action::Run(VertexCommand::Unpaired.into()));
        }
    });
}

/// Draws further options of strokes: mirroring, pen pressure, spacing of dabs.
fn switches_ui(ui: &mut Ui, view: &View<'_>, brush: &mut Brush, in_scene: &mut bool) {
    let theme = view.theme;
    let narrow = ui.available_width() < NARROW;
    let column = if narrow { ui.available_width() } else { (ui.available_width() - 12.0) * 0.5 };
    let grid = egui::Grid::new("brush switches")
        .spacing(vec2(12.0, 2.0))
        .min_col_width(column)
        .max_col_width(column);
    grid.show(ui, |ui| {
        let mut mirror = brush.mirror;
        let text = match view.paint.partner().zip(view.session) {
            Some((node, session)) => {
                format!("Mirror {}", session.document().node(node).label(node))
            }
            None => "Mirror".to_owned(),
        };
        let text = elided(ui, &text, &Theme::font(Font::Body), column - 24.0);
        let response = check(ui, theme, &mut mirror, text);
        let note = match view.paint.unpaired().map(<[u32]>::len) {
            Some(0) => "Every vertex has a mirror match".to_owned(),
            Some(1) => "1 vertex has no mirror match and is not painted".to_owned(),
            Some(n) => format!("{n} vertices have no mirror match and are not painted"),
            None => "Also paints the mirrored joint on the other side".to_owned(),
        };
        response.on_hover_text(note);
        brush.mirror = mirror;
        let end = |ui: &mut Ui| {
            if narrow {
                ui.end_row();
            }
        };
        end(ui);
        sight_ui(ui, brush);
        ui.end_row();
        pressure_ui(ui, brush);
        end(ui);
        if brush.kind.is_of_one_joint() {
            check(ui, theme, &mut brush.build_up, "Accumulate")
                .on_hover_text("Passing over a vertex again within a stroke paints it again");
        } else {
            check(ui, theme, &mut brush.this_joint, "This joint only")
                .on_hover_text("Changes only the painted joint's weights");
        }
        ui.end_row();
        if brush.kind == BrushKind::Smooth {
            check(ui, theme, &mut brush.keep_volume, "Keep volume").on_hover_text(
                "Limits smoothing so that bends keep at least 80 % of their volume and stretch no \
                    more than their surroundings",
            );
            ui.end_row();
        }
        check(ui, theme, in_scene, "World-space size")
            .on_hover_text("Keeps the brush size constant on the model instead of on the screen");
        end(ui);
        let spacing = egui::DragValue::new(&mut brush.spacing)
            .speed(0.01)
            .range(0.02..=2.0)
            .prefix("Spacing ");
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            // Narrower padding lets both fields fit the column.
            ui.spacing_mut().button_padding.x = 3.0;
            let response = ui.add(spacing).on_hover_text("Distance between dabs, in brush radii");
            name_widget(ui, &response, "Spacing");
            let steady = egui::DragValue::new(&mut brush.steady)
                .speed(0.5)
                .range(0.0..=200.0)
                .max_decimals(0);
            let response = ui.add(steady.prefix("Stabilizer "));
            let response = response.on_hover_text(
                "Smooths the stroke: the brush trails the pointer by this many points",
            );
            name_widget(ui, &response, "Stabilizer");
        });
        ui.end_row();
    });
}

/// Draws the choice of painted faces: all, front-facing, or visible.
fn sight_ui(ui: &mut Ui, brush: &mut Brush) {
    let choices =
        [("Front and back", false, false), ("Front-facing", true, false), ("Visible", true, true)];
    let now = choices
        .iter()
        .find(|c| (c.1, c.2) == (brush.front_only, brush.visible_only))
        .map_or("Visible", |c| c.0);
    let about = [
        "Also paints faces that point away from you",
        "Skips faces that point away from you",
        "Skips faces that point away or are hidden behind others",
    ];
    combo(ui, "Faces to paint", now, |ui| {
        for ((text, front, visible), about) in choices.into_iter().zip(about) {
            let on = text == now;
            if option_row(ui, on, text).on_hover_text(about).clicked() {
                (brush.front_only, brush.visible_only) = (front, visible);
            }
        }
    });
}

/// Draws the choice of values that the pen's pressure scales.
fn pressure_ui(ui: &mut Ui, brush: &mut Brush) {
    let now = match (brush.pressure, brush.pressure_radius) {
        (false, false) => "Pen pressure: off",
        (true, false) => "Pen: strength",
        (false, true) => "Pen: radius",
        (true, true) => "Pen: both",
    };
    combo(ui, "Pen pressure", now, |ui| {
        for (text, strength, radius) in [
            ("Off", false, false),
            ("Strength", true, false),
            ("Radius", false, true),
            ("Both", true, true),
        ] {
            let on = (brush.pressure, brush.pressure_radius) == (strength, radius);
            if option_row(ui, on, text).clicked() {
                (brush.pressure, brush.pressure_radius) = (strength, radius);
            }
        }
    });
}

/// Requests a changed brush, if it differs from the current one.
fn send(view: &View<'_>, brush: Brush, actions: &mut Actions) {
    if brush != view.paint.options.brush {
        actions.push(PaintAction::Brush(Box::new(brush.clamped())));
    }
}

/// Draws the choice of what a drag over the model does: a stroke, or a gradient.
fn drags_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        segments(ui, theme, |ui| {
            let narrow = ui.available_width() < NARROW;
            let drags = [
                (PaintTool::Stroke, "Stroke", "Stroke"),
                (PaintTool::LinearGradient, "Linear gradient", "Linear"),
                (PaintTool::RadialGradient, "Radial gradient", "Radial"),
            ];
            for (drag, name, short) in drags {
                let on = view.paint.options.tool == drag;
                let response = segment(ui, theme, if narrow { short } else { name }, on, false);
                response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, name));
                if response.clicked() {
                    actions.push(PaintAction::Tool(drag));
                }
            }
        });
    });
}

/// Draws one button per brush operation, four per row if they fit.
fn kinds_ui(ui: &mut Ui, theme: &Theme, brush: &mut Brush) {
    let gap = 4.0;
    let long = |kind: &BrushKind| {
        let word = kind.label().to_owned();
        ui.painter().layout_no_wrap(word, Theme::font(Font::Heading), Color32::WHITE).size().x
    };
    let word = BrushKind::ALL.iter().map(long).fold(0.0, f32::max);
    let columns = if ui.available_width() < (word + 8.0 + gap) * 4.0 { 2 } else { 4 };
    let width = ((ui.available_width() + gap) / columns as f32 - gap).floor();
    // Either all buttons have icons, or none.
    let icons = width >= word + 28.0;
    for row in BrushKind::ALL.chunks(columns) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = gap;
            for kind in row {
                let on = brush.kind == *kind;
                let (rect, response) = ui.allocate_exact_size(vec2(width, 26.0), Sense::click());
                response.widget_info(|| {
                    WidgetInfo::selected(Role::RadioButton, true, on, kind.label())
                });
                let fill = match (on, response.hovered()) {
                    (true, _) => theme.color(ColorRole::AccentTint),
                    (false, true) => theme.color(ColorRole::SurfaceControlHover),
                    (false, false) => theme.color(ColorRole::SurfaceControl),
                };
                ui.painter().rect(rect, 4.0, fill, theme.control_edge(), StrokeKind::Inside);
                let color =
                    theme.color(if on { ColorRole::AccentText } else { ColorRole::TextPrimary });
                let font = Theme::font(if on { Font::Heading } else { Font::Body });
                let text = ui.painter().layout_no_wrap(kind.label().to_owned(), font, color);
                let at = if icons {
                    paint_icon(
                        ui.painter(),
                        pos2(rect.left() + 13.0, rect.center().y),
                        icon(*kind),
                        16.0,
                        color,
                    );
                    pos2(rect.left() + 24.0, rect.center().y - text.size().y * 0.5)
                } else {
                    rect.center() - text.size() * 0.5
                };
                ui.painter().galley(at, text, color);
                if response.on_hover_text(help(*kind)).clicked() {
                    brush.kind = *kind;
                }
            }
        });
    }
}
