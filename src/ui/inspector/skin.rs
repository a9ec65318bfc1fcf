//! Facts about a joint of a skin: its bind pose, and its skinning matrix in the current pose.

use egui::{Label, RichText, Ui};
use glam::Mat4;

use crate::ui::{
    Actions, Theme, View, collapsing::collapsing, menu_rows::menu_button, node_menu::skeleton_rows,
    theme::Font,
};
use ulna_model::{Derived, Document, NodeId, SkinId};
use ulna_motion::Pose;
use ulna_render::ColorRole;
use ulna_weights::{at_rest, bound_mesh};

/// Largest distance, in meters, between the positions that different joints of a skin give one
/// corner of its mesh's bounding box in the rest pose. It is cached per document revision.
pub type Apart = Derived<(u64, SkinId), f64>;

/// Distance in meters below which these positions count as equal. It allows for single-precision
/// errors.
const AGREE: f64 = 1e-4;

/// Draws the matrices of a joint for each skin that contains it.
pub fn skin_ui(
    apart: &mut Apart,
    ui: &mut Ui,
    view: &View<'_>,
    (document, node): (&Document, NodeId),
    actions: &mut Actions,
) {
    /// Maximum number of shown skins.
    const MOST: usize = 4;
    let theme = view.theme;
    let generation = view.session.map_or(0, ulna_session::Session::generation);
    let of_node =
        |(_, s): &(SkinId, &ulna_model::Shared<ulna_model::Skin>)| s.joints.contains(&node);
    if document.skins.iter().any(|skin| of_node(&skin)) {
        ui.add_space(4.0);
        let menu = menu_button(ui, "Change this joint", view, actions, skeleton_rows);
        menu.on_hover_text("Changes of the skeleton that keep the motion of all clips");
    }
    for (id, skin) in document.skins.iter().filter(of_node).take(MOST) {
        let Some(at) = skin.joints.iter().position(|j| *j == node) else { continue };
        let inverse = skin.inverse_bind[at];
        let owner = document.node_ids().find(|n| document.node(*n).skin == Some(id));
        let name = owner.map_or_else(|| format!("skin {}", id.0), |n| document.node(n).label(n));
        let title =
            RichText::new(format!("Skin of {name}, joint {at}")).font(Theme::font(Font::Heading));
        collapsing(ui, title, ("skin of joint", id.0), |ui| {
            let world = view.pose.world[node.index()];
            matrix(
                ui,
                theme,
                "B",
                "Bind matrix: the joint in mesh space at bind time",
                &inverse.inverse(),
            );
            matrix(ui, theme, "IBM", "Inverse bind matrix, from the file", &inverse);
            matrix(ui, theme, "T", "Skinning matrix now: moves the vertices", &(world * inverse));
            // Not recomputed during a gesture.
            if !view.session.is_some_and(|s| s.history().is_open()) {
                apart.update((generation, id), |_| {
                    let rest = at_rest(document);
                    bound_mesh(&rest, &Pose::evaluate(&rest, &Default::default()), id).apart
                });
            }
            let off = apart.get().copied().unwrap_or(0.0);
            if off > AGREE {
                let text = format!(
                    "In the rest pose W·IBM differs between the joints of this skin, so the mesh \
                        is deformed by up \
                    to {:.1} mm.",
                    off * 1000.0
                );
                let text = RichText::new(text).font(Theme::font(Font::Small));
                ui.add(Label::new(text.color(theme.color(ColorRole::SeverityWarning))).wrap());
            }
        });
    }
}

/// Draws the upper three rows of a matrix under their symbol.
fn matrix(ui: &mut Ui, theme: &Theme, symbol: &str, about: &str, value: &Mat4) {
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let color = theme.color(ColorRole::TextPrimary);
        let chip = ui.label(RichText::new(symbol).font(Theme::font(Font::Number)).color(color));
        chip.on_hover_ui(|ui| formula(ui, theme, symbol));
        let about = RichText::new(about)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary));
        ui.label(about);
    });
    let wide = (ui.available_width() / 4.0 - 4.0).clamp(36.0, 76.0);
    egui::Grid::new(("matrix", symbol))
        .num_columns(4)
        .spacing([4.0, 0.0])
        .min_col_width(wide)
        .show(ui, |ui| {
            for row in 0..3 {
                for v in value.row(row).to_array() {
                    // Avoids "-0.0000".
                    let text = format!("{:.4}", if v.abs() < 5e-5 { 0.0 } else { v });
                    ui.label(
                        RichText::new(text)
                            .font(Theme::font(Font::NumberSmall))
                            .color(theme.color(ColorRole::TextSecondary)),
                    );
                }
                ui.end_row();
            }
        });
}

/// Draws the formula `T = W · IBM` with one part highlighted, and an explanation of each part.
fn formula(ui: &mut Ui, theme: &Theme, marked: &str) {
    let part = |text: &str| {
        let role = if text == marked { ColorRole::AccentBase } else { ColorRole::TextPrimary };
        RichText::new(text).font(Theme::font(Font::Number)).color(theme.color(role))
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        for text in ["T", "=", "W", "·", "IBM", "=", "W", "·", "B", "⁻¹"] {
            ui.label(part(text));
        }
    });
    egui::Grid::new("skin formula").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for (symbol, words) in [
            ("T", "Skinning matrix: from mesh space to the scene, scaled by the vertex's weight"),
            ("W", "World: the joint's transform in the scene"),
            ("IBM", "Inverse bind matrix: from mesh space to joint space at bind time"),
            ("B", "Bind matrix (inverse of IBM): the joint in mesh space at bind time"),
        ] {
            ui.label(part(symbol));
            ui.label(
                RichText::new(words)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            ui.end_row();
        }
    });
}
