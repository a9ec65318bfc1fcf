//! The design tokens, and what of them the renderer needs: colours as linear numbers.

use std::sync::LazyLock;

use serde_json::Value;

/// The design tokens (`assets/tokens.json`), which both themes and the pictures are made from.
pub fn tokens() -> &'static Value {
    static TOKENS: LazyLock<Value> =
        LazyLock::new(|| serde_json::from_str(include_str!("../../assets/tokens.json")).unwrap_or_default());
    &TOKENS
}

/// A colour with straight alpha, sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 4]);

impl Color {
    /// `#RRGGBB` or `#RRGGBBAA`; magenta where it is neither, so that a wrong token is seen.
    pub fn parse(text: &str) -> Self {
        let digits = text.trim_start_matches('#');
        let byte = |k: usize| digits.get(k..k + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
        match (byte(0), byte(2), byte(4)) {
            (Some(r), Some(g), Some(b)) => Self([r, g, b, byte(6).unwrap_or(255)]),
            _ => Self([255, 0, 255, 255]),
        }
    }

    /// A token of a theme: `Color::token("dark", "viewport.background")`.
    pub fn token(theme: &str, path: &str) -> Self {
        let mut at = &tokens()["color"][theme];
        for part in path.split('.') {
            at = &at[part];
        }
        Self::parse(at.as_str().unwrap_or_default())
    }

    /// Linear, straight alpha.
    pub fn linear(self) -> [f32; 4] {
        let [r, g, b, a] = self.0;
        let curve = |v: u8| {
            let v = f32::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        [curve(r), curve(g), curve(b), f32::from(a) / 255.0]
    }
}

/// Colours of the viewport, linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Behind everything.
    pub background: [f32; 4],
    /// Lines of the grid.
    pub grid_minor: [f32; 4],
    /// Every tenth line.
    pub grid_major: [f32; 4],
    /// The X axis on the ground.
    pub axis_x: [f32; 4],
    /// The Z axis on the ground.
    pub axis_z: [f32; 4],
    /// Edges of surfaces.
    pub wire: [f32; 4],
    /// The line around what is selected.
    pub outline: [f32; 4],
    /// A joint.
    pub joint: [f32; 4],
    /// Its edges.
    pub joint_edge: [f32; 4],
    /// A selected joint.
    pub joint_selected: [f32; 4],
    /// Its edges.
    pub joint_selected_edge: [f32; 4],
    /// A child of a selected joint.
    pub joint_related: [f32; 4],
    /// The joint under the pointer.
    pub joint_hover: [f32; 4],
    /// A joint whose pose waits to be keyed.
    pub joint_pending: [f32; 4],
}

impl Look {
    /// The colours of a theme, `dark` or `light`.
    pub fn theme(theme: &str) -> Self {
        let linear = |path: &str| Color::token(theme, path).linear();
        let faint = tokens()["opacity"]["joint"].as_f64().unwrap_or(0.62) as f32;
        let joint = |path: &str, alpha: f32| {
            let [r, g, b, _] = linear(path);
            [r, g, b, alpha]
        };
        Self {
            background: linear("viewport.background"),
            grid_minor: linear("viewport.grid_minor"),
            grid_major: linear("viewport.grid_major"),
            axis_x: linear("viewport.axis_x"),
            axis_z: linear("viewport.axis_z"),
            wire: linear("text.secondary"),
            outline: linear("viewport.outline"),
            joint: joint("joint.normal", faint),
            joint_edge: joint("joint.edge", 0.8),
            joint_selected: joint("joint.selected", 0.95),
            joint_selected_edge: joint("joint.selected_edge", 0.9),
            joint_related: joint("joint.related", 0.75),
            joint_hover: joint("joint.hover", 0.9),
            joint_pending: joint("joint.pending", 0.8),
        }
    }
}
