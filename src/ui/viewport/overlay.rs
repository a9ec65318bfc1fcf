//! What is drawn over the picture by egui: names, read-outs, and a few switches.

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Ui, pos2, vec2};
use egui_material_icons::icons;
use glam::Vec2;

use crate::{
    edit::CommandLine,
    ui::{Action, Actions, Theme, View, theme::Font, widgets::icon_button},
};

/// The switches at the top left; whether the pointer is over them.
pub fn buttons_ui(ui: &mut Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let theme = view.theme;
    let area = Rect::from_min_size(rect.min + vec2(8.0, 8.0), vec2(104.0, 32.0));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    egui::Frame::new().fill(theme.color("viewport.overlay")).corner_radius(4).inner_margin(2).show(&mut child, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let switches = [
                (icons::ICON_GRID_4X4, "Grid", "view.grid", view.shown.grid),
                (icons::ICON_POLYLINE, "Joints", "view.joints", view.shown.joints),
                (icons::ICON_LABEL, "Joint names", "view.names", view.shown.names),
            ];
            for (icon, name, command, on) in switches {
                if icon_button(ui, theme, icon, name, "", on, Ok(())).clicked() {
                    actions.push(Action::Run(CommandLine::new(command)));
                }
            }
        });
    });
    ui.input(|i| i.pointer.hover_pos()).is_some_and(|p| area.contains(p))
}

/// Names and read-outs.
pub fn overlay_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let painter = ui.painter_at(rect);
    let size = Vec2::new(rect.width(), rect.height());
    let head = |node: crate::model::NodeId| {
        let at = view.pose.world.get(node.index())?.w_axis.truncate();
        view.camera.project(at, size).map(|(p, _)| pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let mut named: Vec<crate::model::NodeId> = Vec::new();
    if view.shown.names && view.shown.joints {
        named.extend(document.node_ids().filter(|id| view.joints[id.index()]).take(400));
    } else if let Some(hover) = view.hover {
        named.push(hover);
    }
    for node in named {
        if let Some(at) = head(node) {
            let color = if view.selection.nodes.contains(&node) {
                theme.color("selection.base")
            } else {
                theme.color("viewport.label")
            };
            haloed(
                &painter,
                at + vec2(10.0, -8.0),
                Align2::LEFT_CENTER,
                &document.node(node).label(node),
                Theme::font(Font::Caption),
                color,
                theme,
            );
        }
    }
    if let Some(clip) = view.shown_clip() {
        let name = document.clip_label(clip);
        let time = format!("{:.3} s", view.playback.time);
        let name = painter.layout_no_wrap(name, Theme::font(Font::Caption), theme.color("text.secondary"));
        let time = painter.layout_no_wrap(time, Theme::font(Font::NumberSmall), theme.color("text.primary"));
        let width = name.size().x + time.size().x + 22.0;
        let plate = Rect::from_min_size(pos2(rect.left() + 8.0, rect.bottom() - 30.0), vec2(width, 22.0));
        painter.rect_filled(plate, 4.0, theme.color("viewport.overlay"));
        let y = plate.center().y;
        let after = plate.left() + 8.0 + name.size().x + 6.0;
        painter.galley(pos2(plate.left() + 8.0, y - name.size().y * 0.5), name, theme.color("text.secondary"));
        painter.galley(pos2(after, y - time.size().y * 0.5), time, theme.color("text.primary"));
    }
}

/// Text with a dark rim, readable over anything.
pub fn haloed(painter: &Painter, at: Pos2, anchor: Align2, text: &str, font: FontId, color: Color32, theme: &Theme) {
    let halo = theme.color("viewport.label_halo");
    for d in [vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0)] {
        painter.text(at + d, anchor, text, font.clone(), halo);
    }
    painter.text(at, anchor, text, font, color);
}
