//! Settings of a brush: operation, radius, falloff and options.

use pulp::{Scalar, Simd};
use serde::{Deserialize, Serialize};

use super::{
    ids::{floor_index, to_f32},
    normalize::lanes::F32Lanes,
};

/// The operation of a brush. In the formulas, `w` is the weight, `v` the value of the brush, and
/// `a` the amount: strength times falloff, `0..=1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BrushKind {
    /// Adds to the weight: `w + a·v`.
    #[default]
    Add,
    /// Subtracts from the weight: `w − a·v`.
    Subtract,
    /// Moves the weight toward the value: `w + a(v − w)`.
    #[serde(alias = "set")]
    Replace,
    /// Multiplies the weight: `w·(1 + a(v − 1))`.
    Scale,
    /// Moves all weights of a vertex toward the mean of its neighbors.
    Smooth,
    /// Moves all weights of a vertex away from the mean of its neighbors.
    Sharpen,
    /// Moves all weights of a vertex toward the mean of all vertices within the brush.
    Average,
    /// Drags weights over the surface in the direction of the stroke.
    Smear,
}

impl BrushKind {
    /// All operations, in the order of their buttons in the panel.
    pub const ALL: [Self; 8] = [
        Self::Add,
        Self::Subtract,
        Self::Replace,
        Self::Scale,
        Self::Smooth,
        Self::Sharpen,
        Self::Average,
        Self::Smear,
    ];

    /// Returns the label of the button.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Subtract => "Subtract",
            Self::Replace => "Replace",
            Self::Scale => "Scale",
            Self::Smooth => "Smooth",
            Self::Sharpen => "Sharpen",
            Self::Average => "Average",
            Self::Smear => "Smear",
        }
    }

    /// Returns the operation as a lowercase verb.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Replace => "replace",
            Self::Scale => "scale",
            Self::Smooth => "smooth",
            Self::Sharpen => "sharpen",
            Self::Average => "average",
            Self::Smear => "smear",
        }
    }

    /// Returns the maximum of the brush value: 2 for the factor of `Scale`, else 1.
    pub const fn most_value(self) -> f32 {
        match self {
            Self::Scale => 2.0,
            _ => 1.0,
        }
    }

    /// Whether the brush changes only the weight of the painted joint. The other brushes mix all
    /// weights of a vertex, and are applied repeatedly while the button is held.
    pub const fn is_of_one_joint(self) -> bool {
        matches!(self, Self::Add | Self::Subtract | Self::Replace | Self::Scale)
    }

    /// Computes the new weight of the painted joint in every lane, `0..=1`. Only for brushes with
    /// [`Self::is_of_one_joint`].
    #[inline(always)]
    pub(super) fn weight_for<S: Simd>(
        self,
        value: f32,
        weight: F32Lanes<S>,
        amount: F32Lanes<S>,
    ) -> F32Lanes<S> {
        let (value, one) = (F32Lanes::all(weight.0, value), F32Lanes::all(weight.0, 1.0));
        let brushed = match self {
            Self::Add => weight + amount * value,
            Self::Subtract => weight - amount * value,
            Self::Replace => weight + amount * (value - weight),
            Self::Scale => weight * (one + amount * (value - one)),
            _ => weight,
        };
        brushed.above_zero().min(one)
    }
}

/// Falloff curve of the strength. `p` is 1 at the center and 0 at the rim of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Falloff {
    /// Smoothstep: `3p² − 2p³`.
    #[default]
    Smooth,
    /// Smootherstep: `p³(p(6p − 15) + 10)`.
    Smoother,
    /// Linear: `p`.
    Linear,
    /// Quadratic: `p²`.
    Sharp,
    /// Quartic: `p⁴`.
    Sharper,
    /// Square root: `√p`.
    Root,
    /// Quarter circle: `√(2p − p²)`.
    Sphere,
    /// Full strength up to the rim.
    Constant,
    /// A custom curve: values at equal steps from the rim to the center, interpolated smoothly.
    Own([f32; 7]),
}

impl Falloff {
    /// Falloff curves that have a formula.
    pub const PRESETS: [Self; 8] = [
        Self::Smooth,
        Self::Smoother,
        Self::Linear,
        Self::Sharp,
        Self::Sharper,
        Self::Root,
        Self::Sphere,
        Self::Constant,
    ];

    /// Returns the label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Smooth => "Smooth",
            Self::Smoother => "Smoother",
            Self::Linear => "Linear",
            Self::Sharp => "Sharp",
            Self::Sharper => "Sharper",
            Self::Root => "Root",
            Self::Sphere => "Sphere",
            Self::Constant => "Constant",
            Self::Own(_) => "Custom curve",
        }
    }

    /// Returns the strength at `p`, `0..=1`. `p` is 0 at the rim and 1 at the center.
    #[inline(always)]
    pub fn at(&self, p: f32) -> f32 {
        let p = p.clamp(0.0, 1.0);
        match self {
            Self::Smooth => p * p * (3.0 - 2.0 * p),
            Self::Smoother => p * p * p * (p * (6.0 * p - 15.0) + 10.0),
            Self::Linear => p,
            Self::Sharp => p * p,
            Self::Sharper => p * p * p * p,
            Self::Root => p.sqrt(),
            Self::Sphere => (2.0 * p - p * p).max(0.0).sqrt(),
            Self::Constant => 1.0,
            Self::Own(points) => {
                // Catmull and Rom, *A class of local interpolating splines* (1974). The result is
                // clamped to `0..=1`.
                let last = points.len() - 1;
                let at = p * to_f32(last);
                let k = floor_index(at).min(last - 1);
                let t = at - to_f32(k);
                let value = |i: usize| points[i.min(last)];
                let (a, b, c, d) =
                    (value(k.saturating_sub(1)), value(k), value(k + 1), value(k + 2));
                let curve = b + 0.5
                    * t
                    * ((c - a)
                        + t * ((2.0 * a - 5.0 * b + 4.0 * c - d) + t * (3.0 * (b - c) + d - a)));
                curve.clamp(0.0, 1.0)
            }
        }
    }

    /// Computes [`Self::at`] for many values. The variant is chosen before the loops, so that the
    /// compiler can vectorize them.
    #[inline(always)]
    pub(super) fn fill<const N: usize>(&self, p: &[f32; N], values: &mut [f32; N]) {
        match self {
            Self::Smooth => (0..N).for_each(|k| values[k] = Self::Smooth.at(p[k])),
            Self::Smoother => (0..N).for_each(|k| values[k] = Self::Smoother.at(p[k])),
            Self::Linear => (0..N).for_each(|k| values[k] = Self::Linear.at(p[k])),
            Self::Sharp => (0..N).for_each(|k| values[k] = Self::Sharp.at(p[k])),
            Self::Sharper => (0..N).for_each(|k| values[k] = Self::Sharper.at(p[k])),
            Self::Root => (0..N).for_each(|k| values[k] = Self::Root.at(p[k])),
            Self::Sphere => (0..N).for_each(|k| values[k] = Self::Sphere.at(p[k])),
            Self::Constant => values.fill(1.0),
            Self::Own(_) => (0..N).for_each(|k| values[k] = self.at(p[k])),
        }
    }

    /// Returns a custom curve with the values of this curve, as a start for editing.
    pub fn to_own(self) -> [f32; 7] {
        if let Self::Own(points) = self {
            points
        } else {
            std::array::from_fn(|k| self.at(to_f32(k) / 6.0))
        }
    }
}

/// The set of vertices that a brush affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Vertices connected to the surface point under the brush. The brush never crosses a gap.
    #[default]
    Surface,
    /// All vertices within a sphere around the brush.
    Volume,
    /// All vertices under the brush circle on screen, at any depth.
    Through,
}

impl Reach {
    /// All variants, in the order of the panel.
    pub const ALL: [Self; 3] = [Self::Surface, Self::Volume, Self::Through];

    /// Returns the label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Surface => "Along surface",
            Self::Volume => "Volume",
            Self::Through => "Through",
        }
    }
}

/// Radius of a brush, on screen or in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Radius {
    /// Radius in points on screen.
    Pixels(f32),
    /// Radius in scene meters.
    Scene(f32),
}

/// A brush with all of its settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brush {
    /// Operation on the weights.
    pub kind: BrushKind,
    /// Radius of the brush.
    pub radius: Radius,
    /// Strength at the center, `0..=1`.
    pub strength: f32,
    /// Value to paint, `0..=1`; for [`BrushKind::Scale`], a factor of `0..=2`.
    pub value: f32,
    /// Falloff curve from the center to the rim.
    pub falloff: Falloff,
    /// Set of affected vertices.
    pub reach: Reach,
    /// Distance between two dabs, relative to the radius.
    pub spacing: f32,
    /// Whether back faces stay unchanged.
    pub front_only: bool,
    /// Whether vertices hidden behind other surfaces stay unchanged, too.
    pub visible_only: bool,
    /// Whether pen pressure scales the strength.
    pub pressure: bool,
    /// Whether pen pressure scales the radius.
    pub pressure_radius: bool,
    /// Stabilizer: distance between brush and pointer, in points on screen. The brush follows as if
    /// pulled on a string of this length. 0 turns the stabilizer off.
    pub steady: f32,
    /// Whether dabs of one stroke add up where they overlap.
    pub build_up: bool,
    /// Whether the stroke also paints the mirrored vertices with the mirror joint.
    pub mirror: bool,
    /// Whether brushes that mix all weights change only the painted joint.
    pub this_joint: bool,
    /// Whether smoothing is limited in bends where it would lose volume.
    pub keep_volume: bool,
}

impl Default for Brush {
    fn default() -> Self {
        Self {
            kind: BrushKind::default(),
            radius: Radius::Pixels(64.0),
            strength: 0.35,
            value: 1.0,
            falloff: Falloff::default(),
            reach: Reach::default(),
            spacing: 0.2,
            front_only: true,
            visible_only: false,
            pressure: false,
            pressure_radius: false,
            steady: 0.0,
            build_up: false,
            mirror: false,
            this_joint: false,
            keep_volume: false,
        }
    }
}

impl Brush {
    /// Computes the new weight of the painted joint. `amount` is `0..=1`.
    #[inline]
    pub fn value_for(&self, weight: f32, amount: f32) -> f32 {
        let (weight, amount) = (F32Lanes(Scalar, weight), F32Lanes(Scalar, amount));
        self.kind.weight_for(self.value, weight, amount).1
    }

    /// Returns the inverse brush, for painting while the inversion key is held. `Replace` then
    /// paints 1 − value, and `Scale` the reciprocal factor. `None` for brushes without an inverse.
    pub fn inverted(self) -> Option<Self> {
        let kind = match self.kind {
            BrushKind::Add => BrushKind::Subtract,
            BrushKind::Subtract => BrushKind::Add,
            BrushKind::Smooth => BrushKind::Sharpen,
            BrushKind::Sharpen => BrushKind::Smooth,
            BrushKind::Replace => return Some(Self { value: 1.0 - self.value.min(1.0), ..self }),
            BrushKind::Scale => return Some(Self { value: 1.0 / self.value.max(0.01), ..self }),
            BrushKind::Average | BrushKind::Smear => return None,
        };
        Some(Self { kind, ..self })
    }

    /// Returns the brush with its radius scaled by pen pressure, if this option is on. The factor
    /// is at least 0.05.
    #[must_use]
    pub fn pressed(mut self, pressure: f32) -> Self {
        if self.pressure_radius {
            let part = pressure.clamp(0.05, 1.0);
            self.radius = match self.radius {
                Radius::Pixels(r) => Radius::Pixels(r * part),
                Radius::Scene(r) => Radius::Scene(r * part),
            };
        }
        self
    }

    /// Returns the brush position after the pointer moved, for a brush that was at `at`. The
    /// distance to the pointer is at most the length of the stabilizer's string.
    pub fn pulled(&self, at: glam::Vec2, pointer: glam::Vec2) -> glam::Vec2 {
        let way = pointer - at;
        let length = way.length();
        if length <= self.steady { at } else { at + way * ((length - self.steady) / length) }
    }

    /// Returns the brush with all numbers clamped to their ranges. Preference files can contain
    /// other numbers.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        let within = |v: f32, low: f32, high: f32, other: f32| {
            if v.is_finite() { v.clamp(low, high) } else { other }
        };
        self.strength = within(self.strength, 0.0, 1.0, 0.35);
        self.value = within(self.value, 0.0, self.kind.most_value(), 1.0);
        self.spacing = within(self.spacing, 0.02, 2.0, 0.2);
        self.steady = within(self.steady, 0.0, 200.0, 0.0);
        self.radius = match self.radius {
            Radius::Pixels(r) => Radius::Pixels(within(r, 1.0, 2000.0, 64.0)),
            Radius::Scene(r) => Radius::Scene(within(r, 1e-6, 1e6, 0.1)),
        };
        if let Falloff::Own(points) = &mut self.falloff {
            points.iter_mut().for_each(|p| *p = within(*p, 0.0, 1.0, 0.5));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stabilized_brush_lags_by_the_string_length_and_never_reverses() {
        use glam::Vec2;
        let brush = Brush { steady: 10.0, ..Brush::default() };
        let mut at = Vec2::ZERO;
        for k in 0u8..100 {
            let pointer = Vec2::new(f32::from(k), if k % 2 == 0 { 3.0 } else { -3.0 });
            let next = brush.pulled(at, pointer);
            assert!(next.x >= at.x && next.distance(pointer) <= 10.0 + 1e-4 && next.y.abs() <= 3.0);
            at = next;
        }
        assert!(at.x > 85.0, "{at}");
        assert_eq!(Brush::default().pulled(at, Vec2::ONE), Vec2::ONE);
        let pen = Brush { pressure_radius: true, ..Brush::default() };
        assert_eq!(
            (pen.pressed(0.5).radius, brush.pressed(0.5).radius),
            (Radius::Pixels(32.0), Radius::Pixels(64.0))
        );
    }

    #[test]
    fn every_falloff_rises_from_the_rim_to_the_center_within_0_and_1() {
        for falloff in Falloff::PRESETS {
            assert_eq!(falloff.at(1.0), 1.0, "{falloff:?}");
            assert!(falloff == Falloff::Constant || falloff.at(0.0) == 0.0, "{falloff:?}");
            let own = Falloff::Own(falloff.to_own());
            let mut last = falloff.at(0.0);
            for k in 0u8..=100 {
                let p = f32::from(k) / 100.0;
                assert!(falloff.at(p) >= last, "{falloff:?} falls at {p}");
                last = falloff.at(p);
                assert!((0.0..=1.0).contains(&own.at(p)), "{falloff:?} at {p}: {}", own.at(p));
            }
            // A custom curve created from a preset has the preset's values at its points.
            for k in 0u8..=6 {
                let p = f32::from(k) / 6.0;
                assert!((own.at(p) - falloff.at(p)).abs() < 1e-6, "{falloff:?} at {p}");
            }
        }
    }
    #[test]
    fn stored_brushes_are_read() {
        let read: Brush =
            serde_json::from_str(r#"{"kind":"set","front_only":false}"#).expect("a brush");
        assert_eq!(read, Brush { kind: BrushKind::Replace, front_only: false, ..Brush::default() });
        let text = serde_json::to_string(&read).expect("text");
        assert_eq!(serde_json::from_str::<Brush>(&text).expect("a brush"), read);
    }
}
