//! Colors, and the design tokens that define them.

use std::sync::LazyLock;

use serde_json::Value;

/// The design tokens (`assets/tokens.json`), which define the colors of themes and pictures.
pub fn tokens() -> &'static Value {
    static TOKENS: LazyLock<Value> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../assets/tokens.json")).unwrap_or_default()
    });
    &TOKENS
}

/// A color with straight alpha, as sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 4]);

impl Color {
    /// Parses `#RRGGBB` or `#RRGGBBAA`. Other texts become magenta, so that an invalid token is
    /// visible.
    pub fn parse(text: &str) -> Self {
        let digits = text.trim_start_matches('#');
        let byte = |k: usize| digits.get(k..k + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
        match (byte(0), byte(2), byte(4)) {
            (Some(r), Some(g), Some(b)) => Self([r, g, b, byte(6).unwrap_or(255)]),
            _ => Self([255, 0, 255, 255]),
        }
    }

    /// Converts to a linear color, `0..=1`, with straight alpha.
    pub fn linear(self) -> [f32; 4] {
        let [r, g, b, a] = self.0;
        let curve = |v: u8| {
            let v = f32::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        [curve(r), curve(g), curve(b), f32::from(a) / 255.0]
    }
}

/// Converts an sRGB byte to linear light, `0..=1` (IEC 61966-2-1).
pub(super) fn light_of(byte: u8) -> f32 {
    Color([byte, 0, 0, 255]).linear()[0]
}

/// Converts linear light, `0..=1`, to an sRGB byte (IEC 61966-2-1).
pub(super) fn byte_of(light: f32) -> u8 {
    let v =
        if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (v * 255.0).round() as u8
}
