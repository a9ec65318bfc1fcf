//! Colors of the viewport and of weights, taken from the design tokens.

use std::{array, sync::LazyLock};

use super::{
    color::{Color, tokens},
    color_role::ColorRole,
};
use ulna_model::{GroupColor, MarkerColor};

/// Number of stops of the weight ramp. Keep in sync with `Frame` in shaders/frame.wgsl.
pub(super) const STOPS: usize = 9;

/// The weight ramp (token `heat`): stops with ascending positions of `0..=1`, and colors. Missing
/// stops are magenta, so that the error is visible.
pub(super) fn ramp() -> &'static [(f32, Color); STOPS] {
    static RAMP: LazyLock<[(f32, Color); STOPS]> = LazyLock::new(|| {
        let stops = &tokens()["heat"]["stops"];
        array::from_fn(|k| {
            let at = stops[k][0].as_f64().unwrap_or(1.0) as f32;
            (at, Color::parse(stops[k][1].as_str().unwrap_or_default()))
        })
    });
    &RAMP
}

/// Color of a weight on the ramp, as displayed on surfaces. Colors between two stops are
/// interpolated in sRGB.
///
/// Weights outside `0..=1` have the color of the nearer end, and NaN has the color of 0. A weight
/// of exactly 0 is displayed in another color: see [`zero_weight`].
pub fn heat(weight: f32) -> Color {
    let weight = if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) };
    let stops = ramp();
    let mut color = stops[0].1;
    for pair in stops.windows(2) {
        let [(from, a), (to, b)] = [pair[0], pair[1]];
        if weight > from {
            let share = ((weight - from) / (to - from).max(1e-6)).min(1.0);
            let mix =
                |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
            color = Color(array::from_fn(|k| mix(a.0[k], b.0[k])));
        }
    }
    color
}

/// Gray of a weight of exactly 0, in a theme (`dark`, `light` or `contrast`).
pub fn zero_weight(theme: &str) -> Color {
    ColorRole::ViewportZeroWeight.color(theme)
}

/// Color of a joint group in a theme (`dark`, `light` or `contrast`). The first five palette colors
/// equal the marker colors. The other colors are the same in all themes.
pub fn group_color(color: GroupColor, theme: &str) -> Color {
    let of_marker = |color| ColorRole::of_marker(color).color(theme);
    let place = match color {
        GroupColor::Violet => return of_marker(MarkerColor::Violet),
        GroupColor::Red => return of_marker(MarkerColor::Red),
        GroupColor::Amber => return of_marker(MarkerColor::Amber),
        GroupColor::Green => return of_marker(MarkerColor::Green),
        GroupColor::Blue => return of_marker(MarkerColor::Blue),
        GroupColor::Free([r, g, b]) => return Color([r, g, b, 255]),
        GroupColor::Orange => 1,
        GroupColor::Lime => 2,
        GroupColor::Pink => 3,
        GroupColor::Teal => 5,
        GroupColor::Yellow => 6,
        GroupColor::Brown => 7,
        GroupColor::Steel => 8,
        GroupColor::Magenta => 9,
    };
    Color::parse(tokens()["categorical"][place].as_str().unwrap_or_default())
}

/// Linear display color of a joint that belongs to a group of this color.
fn of_joint(color: Color) -> [f32; 4] {
    let [r, g, b, _] = color.linear();
    [r, g, b, 0.8]
}

/// Colors of the viewport, linear, with straight alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewportColors {
    /// Color of the background.
    pub background: [f32; 4],
    /// Color of the fine grid lines.
    pub grid_minor: [f32; 4],
    /// Color of every tenth grid line.
    pub grid_major: [f32; 4],
    /// Color of the X axis on the ground.
    pub axis_x: [f32; 4],
    /// Color of the Z axis on the ground.
    pub axis_z: [f32; 4],
    /// Color of surface edges in wireframe shading.
    pub wire: [f32; 4],
    /// Color of a weight of exactly 0.
    pub zero_weight: [f32; 4],
    /// Color of edges over tinted surfaces.
    pub tint_edge: [f32; 4],
    /// Color of the outline around selected surfaces.
    pub outline: [f32; 4],
    /// Colors of the ghosts before and after the current frame, in this order.
    pub ghosts: [[f32; 4]; 2],
    /// Color of a joint's faces.
    pub joint: [f32; 4],
    /// Color of a joint's edges.
    pub joint_edge: [f32; 4],
    /// Color of a selected joint's faces.
    pub joint_selected: [f32; 4],
    /// Color of a selected joint's edges.
    pub joint_selected_edge: [f32; 4],
    /// Color of the children of a selected joint.
    pub joint_related: [f32; 4],
    /// Color of the joint under the pointer.
    pub joint_hover: [f32; 4],
    /// Color of a joint with an unkeyed pose.
    pub joint_unkeyed: [f32; 4],
    /// Colors of joints in groups, by the palette index of the group color.
    joint_groups: [[f32; 4]; GroupColor::PALETTE.len()],
}

impl ViewportColors {
    /// Color of the joints in a group of this color.
    pub fn joint_of_group(&self, color: GroupColor) -> [f32; 4] {
        match (color, color.place()) {
            (GroupColor::Free([r, g, b]), _) => of_joint(Color([r, g, b, 255])),
            (_, place) => self.joint_groups[place.unwrap_or(0)],
        }
    }

    /// Colors of a theme: `light`, `contrast`, or otherwise dark.
    pub fn theme(theme: &str) -> Self {
        let linear = |role: ColorRole| role.color(theme).linear();
        let faint = tokens()["opacity"]["joint"].as_f64().unwrap_or(0.62) as f32;
        let joint = |role: ColorRole, alpha: f32| {
            let [r, g, b, _] = linear(role);
            [r, g, b, alpha]
        };
        Self {
            background: linear(ColorRole::ViewportBackground),
            grid_minor: linear(ColorRole::ViewportGridMinor),
            grid_major: linear(ColorRole::ViewportGridMajor),
            axis_x: linear(ColorRole::ViewportAxisX),
            axis_z: linear(ColorRole::ViewportAxisZ),
            wire: linear(ColorRole::TextSecondary),
            zero_weight: zero_weight(theme).linear(),
            tint_edge: joint(ColorRole::JointEdge, 0.16),
            outline: linear(ColorRole::ViewportOutline),
            ghosts: [linear(ColorRole::ViewportGhostBefore), linear(ColorRole::ViewportGhostAfter)],
            joint: joint(ColorRole::JointNormal, faint),
            joint_edge: joint(ColorRole::JointEdge, 0.8),
            joint_selected: joint(ColorRole::JointSelected, 0.95),
            joint_selected_edge: joint(ColorRole::JointSelectedEdge, 0.9),
            joint_related: joint(ColorRole::JointRelated, 0.75),
            joint_hover: joint(ColorRole::JointHover, 0.9),
            joint_unkeyed: joint(ColorRole::JointPending, 0.8),
            joint_groups: GroupColor::PALETTE.map(|color| of_joint(group_color(color, theme))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_ramp_matches_the_tokens_and_brightens_between_stops() {
        let stops = tokens()["heat"]["stops"].as_array().unwrap();
        assert_eq!(stops.len(), STOPS);
        for stop in stops {
            let (at, color) = (stop[0].as_f64().unwrap() as f32, stop[1].as_str().unwrap());
            assert_eq!(heat(at), Color::parse(color), "{at}");
        }
        let all = ramp();
        assert!(all.windows(2).all(|p| p[0].0 < p[1].0));
        assert_eq!((all[0].0, all[STOPS - 1].0), (0.0, 1.0));
        // Midway between two stops, every channel is the mean of both colors.
        for pair in all.windows(2) {
            let middle = heat((pair[0].0 + pair[1].0) * 0.5);
            for k in 0..4 {
                let wanted = (f32::from(pair[0].1.0[k]) + f32::from(pair[1].1.0[k])) * 0.5;
                assert!((f32::from(middle.0[k]) - wanted).abs() <= 0.51, "{middle:?} {pair:?}");
            }
        }
    }

    #[test]
    fn group_colors_differ_and_custom_colors_are_unchanged() {
        for theme in ["dark", "light", "contrast"] {
            let all = GroupColor::PALETTE.map(|color| group_color(color, theme));
            for (k, color) in all.iter().enumerate() {
                assert!(*color != Color::parse(""), "{theme} {k} has a token");
                assert!(all[..k].iter().all(|other| other != color), "{theme} {k}");
            }
            let colors = ViewportColors::theme(theme);
            let red = group_color(GroupColor::Red, theme).linear();
            assert_eq!(colors.joint_of_group(GroupColor::Red)[..3], red[..3]);
            let free = colors.joint_of_group(GroupColor::Free([255, 0, 0]));
            assert_eq!(free[..3], [1.0, 0.0, 0.0]);
        }
    }

    #[test]
    fn invalid_weights_have_the_color_of_a_ramp_end() {
        for (weight, end) in [
            (-1.0, 0.0),
            (f32::NAN, 0.0),
            (f32::NEG_INFINITY, 0.0),
            (2.0, 1.0),
            (f32::INFINITY, 1.0),
        ] {
            assert_eq!(heat(weight), heat(end), "{weight}");
        }
        for theme in ["dark", "light", "contrast"] {
            assert!(ramp().iter().all(|(_, color)| *color != zero_weight(theme)));
            assert_ne!(zero_weight(theme), Color::parse(""), "{theme} has the token");
        }
    }
}
