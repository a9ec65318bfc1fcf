//! Connected pieces of the bound meshes, grouped by the method that computed their weights.

use std::collections::BTreeMap;

use egui::{Align2, Color32, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    super::parts::{many, notice},
    meshes::ROW,
    section,
};
use crate::ui::{
    BindDraft, BindView, Theme, View,
    theme::Font,
    widgets::{check, cut, paint_icon, thousands},
};
use ulna_edit::command::{BindReport, BoundPiece};
use ulna_model::{Document, NodeId};
use ulna_render::{Color, ColorRole, tokens};
use ulna_weights::PieceMethod;

/// Maximum number of listed pieces per mesh.
const MOST: usize = 100;
/// Width of the button that expands a row and of the color swatch, in points.
const LEFT: f32 = 42.0;

/// Method that computed the weights of a piece, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PieceLook {
    /// Bone heat.
    Heat,
    /// Geodesic distances in a voxel grid.
    Voxels,
    /// Weights of the nearest surface.
    Nearest,
    /// Straight-line distances to bones.
    Distance,
    /// Full weight on one joint.
    Rigid,
}

impl PieceLook {
    const ALL: [Self; 5] = [Self::Heat, Self::Voxels, Self::Nearest, Self::Distance, Self::Rigid];

    /// Method by which a piece was bound.
    pub const fn of(piece: &BoundPiece) -> Self {
        match piece.method {
            _ if piece.is_rigid => Self::Rigid,
            PieceMethod::Heat => Self::Heat,
            PieceMethod::Voxel => Self::Voxels,
            PieceMethod::Nearest => Self::Nearest,
            PieceMethod::Distance => Self::Distance,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::Voxels => "voxels",
            Self::Nearest => "nearest surface",
            Self::Distance => "distance",
            Self::Rigid => "rigid",
        }
    }

    /// Color in lists and in the viewport.
    pub fn color(self) -> Color {
        let place = match self {
            Self::Heat => 1,
            Self::Voxels => 4,
            Self::Nearest => 2,
            Self::Distance => 6,
            Self::Rigid => 8,
        };
        let text = tokens()["categorical"][place].as_str();
        text.map_or(Color([128, 128, 128, 255]), Color::parse)
    }

    fn ink(self) -> Color32 {
        let [r, g, b, _] = self.color().0;
        Color32::from_rgb(r, g, b)
    }
}

/// Shows the section of connected pieces; nothing before the first result.
pub(super) fn pieces_ui(ui: &mut Ui, view: &View<'_>, document: &Document, now: &mut BindDraft) {
    let (theme, bind) = (view.theme, view.dialogs.bind);
    let Some(report) = bind.found.and_then(|found| found.report.as_ref()) else { return };
    let about = many(report.pieces.len(), "connected piece");
    section(ui, theme, "Pieces", &about);
    rigid_ui(ui, theme, report, now);
    ui.scope(|ui| {
        if !bind.is_current {
            ui.set_opacity(0.55);
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        for node in now.nodes() {
            mesh_ui(ui, theme, (document, bind), report, node, now);
        }
    });
    ui.add_space(2.0);
    legend_ui(ui, theme, report);
    if let Some(text) = fallbacks(report, now) {
        notice(ui, theme, (icons::ICON_WARNING, ColorRole::SeverityWarning), &text);
    }
}

/// Shows a button that makes all clearly rigid pieces follow their joints.
fn rigid_ui(ui: &mut Ui, theme: &Theme, report: &BindReport, now: &mut BindDraft) {
    /// Minimum fraction of a piece's weight on the joint.
    const SURE: f32 = 0.8;
    let sure = report.pieces.iter().zip(0u32..).filter(|(piece, _)| {
        // A body in one piece is not rigid, because many joints deform it.
        report.pieces.len() > 1 && piece.rigid.is_some_and(|(_, part)| part >= SURE)
    });
    let open: Vec<u32> =
        sure.map(|(_, number)| number).filter(|n| !now.rigid.contains(n)).collect();
    if open.is_empty() {
        return;
    }
    ui.horizontal(|ui| {
        let verb = if open.len() == 1 { "seems" } else { "seem" };
        let text = format!("{} {verb} rigid", many(open.len(), "piece"));
        let text = RichText::new(text).font(Theme::font(Font::Small));
        ui.label(text.color(theme.color(ColorRole::TextSecondary)));
        let text = RichText::new("Make rigid").font(Theme::font(Font::Small));
        let button = ui.add(egui::Button::new(text).min_size(vec2(0.0, 22.0)));
        let about = "Each of these pieces follows the joint with at least 80 % of its weight";
        if button.on_hover_text(about).clicked() {
            now.rigid.extend(open);
        }
    });
}

/// Shows one row per mesh, and its pieces if the row is expanded.
fn mesh_ui(
    ui: &mut Ui,
    theme: &Theme,
    (document, _bind): (&Document, BindView<'_>),
    report: &BindReport,
    node: NodeId,
    now: &mut BindDraft,
) {
    let own: Vec<(usize, &BoundPiece)> = report
        .pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| document.node(node).mesh == Some(piece.mesh))
        .collect();
    if own.is_empty() {
        return;
    }
    let mut by_look: BTreeMap<PieceLook, usize> = BTreeMap::new();
    for (_, piece) in &own {
        *by_look.entry(PieceLook::of(piece)).or_default() += piece.vertices;
    }
    let looks: Vec<&str> = by_look.keys().map(|look| look.word()).collect();
    let most = by_look.iter().max_by_key(|(_, vertices)| **vertices).map(|(look, _)| *look);
    let vertices: usize = own.iter().map(|(_, piece)| piece.vertices).sum();
    let label = document.node(node).label(node);
    let is_open = now.opened.contains(&node);
    let details = format!("{}, {}", many(own.len(), "piece"), looks.join(", "));
    let name = format!("Pieces of {label}: {details}, {} vertices", thousands(vertices));
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_open, &name));
    if response.clicked() {
        if is_open {
            now.opened.remove(&node);
        } else {
            now.opened.insert(node);
        }
    }
    if response.hovered() {
        ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceRowHover));
    }
    let arrow = if is_open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
    let (y, left) = (rect.center().y, rect.left());
    let color = theme.color(ColorRole::TextSecondary);
    paint_icon(ui.painter(), pos2(left + 10.0, y), arrow, 16.0, color);
    if let Some(look) = most {
        swatch(ui, pos2(left + 30.0, y), look);
    }
    texts(ui, theme, rect, (&label, ColorRole::TextPrimary), &details, &thousands(vertices));
    if is_open {
        for (number, piece) in own.iter().take(MOST) {
            piece_ui(ui, theme, document, (*number, piece), now);
        }
        if own.len() > MOST {
            let text = RichText::new(format!("and {} more", own.len() - MOST));
            ui.label(text.font(Theme::font(Font::Small)));
        }
    }
}

/// Shows the row of a piece, with the joint that it could follow.
fn piece_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    (number, piece): (usize, &BoundPiece),
    now: &mut BindDraft,
) {
    let look = PieceLook::of(piece);
    ui.horizontal(|ui| {
        let width = ui.available_width() * 0.42;
        let (rect, response) = ui.allocate_exact_size(vec2(width, ROW), Sense::hover());
        let count = thousands(piece.vertices);
        let name = format!("Piece {}: {}, {count} vertices", number + 1, look.word());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
        let y = rect.center().y;
        swatch(ui, pos2(rect.left() + 30.0, y), look);
        let (font, color) = (Theme::font(Font::Small), theme.color(ColorRole::TextSecondary));
        let text = format!("{}  {}", number + 1, look.word());
        let text = cut(ui, &text, &font, rect.width() - LEFT);
        let at = pos2(rect.left() + LEFT, y);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, color);
        let proposal = piece.rigid.filter(|(joint, _)| document.nodes.contains(*joint));
        if let Some((joint, confidence)) = proposal {
            let label = document.node(joint).label(joint);
            let mut is_rigid = now.rigid.contains(&(number as u32));
            let text = format!("Rigid: {label} ({:.0} %)", confidence * 100.0);
            let about = "The whole piece follows this joint, which has this part of its weight";
            let tick = check(ui, theme, &mut is_rigid, text);
            tick.on_hover_text(about);
            if is_rigid {
                now.rigid.insert(number as u32);
            } else {
                now.rigid.remove(&(number as u32));
            }
        }
    });
}

/// Draws the label, details and number of a row.
fn texts(
    ui: &Ui,
    theme: &Theme,
    rect: Rect,
    (label, role): (&str, ColorRole),
    details: &str,
    number: &str,
) {
    let (y, left) = (rect.center().y, rect.left() + LEFT);
    let middle = rect.left() + rect.width() * 0.45;
    let font = Theme::font(Font::NumberSmall);
    let color = theme.color(ColorRole::TextSecondary);
    let at = pos2(rect.right() - 4.0, y);
    let right = ui.painter().text(at, Align2::RIGHT_CENTER, number, font, color).left() - 8.0;
    for (text, font, role, from, to) in [
        (label, Font::Body, role, left, middle - 8.0),
        (details, Font::Small, ColorRole::TextSecondary, middle, right),
    ] {
        let font = Theme::font(font);
        let text = cut(ui, text, &font, (to - from).max(0.0));
        ui.painter().text(pos2(from, y), Align2::LEFT_CENTER, text, font, theme.color(role));
    }
}

/// Draws a small square in the color of a method.
fn swatch(ui: &Ui, at: egui::Pos2, look: PieceLook) {
    let rect = Rect::from_center_size(at, vec2(10.0, 10.0));
    ui.painter().rect_filled(rect, 2.0, look.ink());
}

/// Shows the legend of the method colors.
fn legend_ui(ui: &mut Ui, theme: &Theme, report: &BindReport) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for look in PieceLook::ALL {
            let is_used = report.pieces.iter().any(|piece| PieceLook::of(piece) == look);
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 18.0), Sense::hover());
            swatch(ui, rect.center(), look);
            let role = if is_used { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
            let text = RichText::new(look.word()).font(Theme::font(Font::Caption));
            ui.label(text.color(theme.color(role)));
            ui.add_space(2.0);
        }
    });
}

/// Describes the pieces for which the chosen method failed.
fn fallbacks(report: &BindReport, now: &BindDraft) -> Option<String> {
    use ulna_edit::command::field::BindBy;
    let first = match now.method {
        BindBy::Auto | BindBy::Heat => PieceMethod::Heat,
        BindBy::Voxel => PieceMethod::Voxel,
        BindBy::Distance => return None,
    };
    let mut counts: BTreeMap<PieceMethod, usize> = BTreeMap::new();
    let others = report.pieces.iter().filter(|piece| !piece.is_rigid && piece.method != first);
    for piece in others {
        *counts.entry(piece.method).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    if all == 0 {
        return None;
    }
    let word = |method: &PieceMethod| match method {
        PieceMethod::Heat => "heat",
        PieceMethod::Voxel => "voxels",
        PieceMethod::Nearest => "the nearest surface",
        PieceMethod::Distance => "distance",
    };
    let parts: Vec<String> =
        counts.iter().map(|(method, count)| format!("{} for {count}", word(method))).collect();
    let verb = if all == 1 { "needs" } else { "need" };
    let (name, of) = (word(&first), many(report.pieces.len(), "piece"));
    Some(format!("{all} of {of} {verb} another method than {name}: {}.", parts.join(", ")))
}
