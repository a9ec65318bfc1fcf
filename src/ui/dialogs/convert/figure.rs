//! Reference figure of a person of known height, beside a model.

use egui::{Pos2, Shape, Stroke, Ui};
use glam::Vec3;

use crate::ui::Theme;
use ulna_render::ColorRole;

/// Limbs of the right half of the figure, and its middle parts. Each limb has two ends (position in
/// meters above the ground, and radius). The figure is 1.8 m tall and faces +Z.
const LIMBS: [[([f32; 3], f32); 2]; 12] = [
    [([0.0, 1.655, 0.0], 0.098), ([0.0, 1.702, 0.0], 0.098)],
    [([0.0, 1.44, 0.0], 0.055), ([0.0, 1.58, 0.0], 0.05)],
    [([0.0, 1.36, 0.0], 0.11), ([0.12, 1.37, 0.0], 0.085)],
    [([0.0, 1.32, 0.0], 0.155), ([0.0, 1.06, 0.0], 0.125)],
    [([0.0, 0.97, 0.0], 0.125), ([0.07, 0.95, 0.0], 0.1)],
    [([0.095, 0.9, 0.0], 0.085), ([0.11, 0.5, 0.0], 0.056)],
    [([0.11, 0.5, 0.0], 0.056), ([0.12, 0.09, 0.0], 0.04)],
    [([0.12, 0.045, -0.02], 0.042), ([0.135, 0.035, 0.15], 0.034)],
    [([0.17, 1.4, 0.0], 0.06), ([0.38, 1.16, 0.0], 0.043)],
    [([0.38, 1.16, 0.0], 0.043), ([0.555, 0.95, 0.0], 0.032)],
    [([0.555, 0.95, 0.0], 0.034), ([0.61, 0.88, 0.0], 0.038)],
    [([0.61, 0.88, 0.0], 0.036), ([0.635, 0.84, 0.0], 0.026)],
];

/// Draws the figure in one color with an outline. `feet` is the position of its feet, and `right`
/// the direction that points right on screen.
pub fn figure_ui(
    ui: &Ui,
    theme: &Theme,
    feet: Vec3,
    right: Vec3,
    project: &impl Fn(Vec3) -> Option<Pos2>,
) {
    let round = |([x, y, z], radius): ([f32; 3], f32), side: f32| {
        let at = feet + Vec3::new(x * side, y, z);
        let center = project(at)?;
        Some((center, project(at + right * radius)?.distance(center)))
    };
    let sides = LIMBS.iter().flat_map(|limb| [(limb, 1.0), (limb, -1.0)]);
    let limbs: Vec<_> = sides
        .filter_map(|([from, to], side)| Some([round(*from, side)?, round(*to, side)?]))
        .collect();
    let fill = theme.color(ColorRole::SurfaceControlActive);
    let edge = theme.color(ColorRole::TextTertiary);
    for (color, wider) in [(edge, 1.0), (fill, 0.0)] {
        for [(a, ra), (b, rb)] in &limbs {
            let (ra, rb) = (ra + wider, rb + wider);
            let along = (*b - *a).normalized();
            if along.is_finite() && along.length() > 0.5 {
                let across = along.rot90();
                let corners =
                    vec![*a + across * ra, *b + across * rb, *b - across * rb, *a - across * ra];
                ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
            }
            ui.painter().circle_filled(*a, ra, color);
            ui.painter().circle_filled(*b, rb, color);
        }
    }
}
