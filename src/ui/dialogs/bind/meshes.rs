//! List of the meshes to bind.

use egui::{Align2, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::super::parts::{many, small};
use super::titles;
use crate::ui::{
    BindDraft, Theme, View,
    theme::Font,
    widgets::{cut, thousands},
};
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// Height of a row, in points.
pub(super) const ROW: f32 = 22.0;
/// Number of rows that fit without a scroll bar.
const ROWS: f32 = 6.5;
/// Width of the checkbox with its margin, in points.
pub(super) const BOX: f32 = 24.0;

/// Shows one row per mesh.
pub(super) fn meshes_ui(ui: &mut Ui, view: &View<'_>, document: &Document, now: &mut BindDraft) {
    let theme = view.theme;
    let vertices = |node: NodeId| {
        let mesh = document.node(node).mesh;
        mesh.map_or(0, |mesh| document.mesh(mesh).vertex_count())
    };
    let meant: usize = now.nodes().into_iter().map(vertices).sum();
    let about = format!("{} vertices", thousands(meant));
    ui.horizontal(|ui| titles(ui, theme, "Meshes", &about));
    if now.meshes.is_empty() {
        small(ui, theme, "No mesh is visible. Show a mesh in the outliner.");
    }
    let list = ScrollArea::vertical()
        .id_salt("meshes to bind")
        .max_height(ROW * ROWS)
        .auto_shrink([false, true]);
    list.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (node, is_meant) in &mut now.meshes {
            let state = state(document, *node);
            let label = document.node(*node).label(*node);
            let count = thousands(vertices(*node));
            let name = format!("{label}: {count} vertices, {state}");
            let is_lit = view.selection.nodes.contains(node);
            let row = TickRow { name: &name, label: &label, is_on: *is_meant, is_lit };
            let response = row.ui(ui, theme, &state, Some(&count));
            if response.clicked() {
                *is_meant = !*is_meant;
                // The pieces get other indices when the set of meshes changes.
                now.rigid.clear();
            }
        }
    });
    if now.rebinds(document) {
        small(ui, theme, "Weights of meshes with a skin are replaced.");
    }
}

/// Describes the skin of a mesh.
fn state(document: &Document, node: NodeId) -> String {
    let skin = document.node(node).skin.and_then(|skin| document.skins.get(skin));
    match skin {
        Some(skin) => format!("skin with {}", many(skin.joints.len(), "joint")),
        None => "no skin".to_owned(),
    }
}

/// Row with a checkbox, which a click or Space toggles.
pub(super) struct TickRow<'a> {
    /// Name for screen readers.
    pub(super) name: &'a str,
    pub(super) label: &'a str,
    pub(super) is_on: bool,
    /// Whether the element is selected in the scene.
    pub(super) is_lit: bool,
}

impl TickRow<'_> {
    /// Shows the row, with details in its second half and a number on the right.
    pub(super) fn ui(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        details: &str,
        number: Option<&str>,
    ) -> egui::Response {
        let size = vec2(ui.available_width(), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let (is_enabled, is_on) = (ui.is_enabled(), self.is_on);
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::CheckBox, is_enabled, is_on, self.name)
        });
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let painter = ui.painter();
        if self.is_lit {
            painter.rect_filled(rect, 3.0, theme.color(ColorRole::SelectionTint));
        } else if response.hovered() {
            painter.rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceRowHover));
        }
        tick_box(ui, theme, pos2(rect.left() + 11.0, rect.center().y), is_on);
        let (y, left) = (rect.center().y, rect.left() + BOX);
        let middle = rect.left() + rect.width() * 0.45;
        let mut right = rect.right() - 4.0;
        if let Some(number) = number {
            let color = theme.color(ColorRole::TextSecondary);
            let font = Theme::font(Font::NumberSmall);
            let at = pos2(right, y);
            let drawn = ui.painter().text(at, Align2::RIGHT_CENTER, number, font, color);
            right = drawn.left() - 8.0;
        }
        let ink = match (self.is_lit, is_on) {
            (true, _) => ColorRole::SelectionText,
            (false, true) => ColorRole::TextPrimary,
            (false, false) => ColorRole::TextSecondary,
        };
        for (text, font, role, from, to) in [
            (self.label, Font::Body, ink, left, middle - 8.0),
            (details, Font::Small, ColorRole::TextSecondary, middle, right),
        ] {
            let font = Theme::font(font);
            let text = cut(ui, text, &font, (to - from).max(0.0));
            let color = theme.color(role);
            ui.painter().text(pos2(from, y), Align2::LEFT_CENTER, text, font, color);
        }
        response
    }
}

/// Draws a checkbox.
fn tick_box(ui: &Ui, theme: &Theme, at: egui::Pos2, is_on: bool) {
    let place = egui::Rect::from_center_size(at, vec2(14.0, 14.0));
    let (fill, edge) = match is_on {
        true => (ColorRole::AccentBase, ColorRole::AccentBase),
        false => (ColorRole::SurfaceField, ColorRole::StrokeStrong),
    };
    let edge = egui::Stroke::new(1.0, theme.color(edge));
    ui.painter().rect(place, 3.0, theme.color(fill), edge, egui::StrokeKind::Inside);
    if is_on {
        let tick = egui_material_icons::icons::ICON_CHECK;
        let color = theme.color(ColorRole::TextOnAccent);
        crate::ui::widgets::paint_icon(ui.painter(), at, tick, 13.0, color);
    }
}
