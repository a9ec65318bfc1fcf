//! A brush: what it does, how far it reaches, and how it falls off.

use pulp::{Scalar, Simd};
use serde::{Deserialize, Serialize};

use super::{
    ids::{floor_index, to_f32},
    normalize::lanes::F32Lanes,
};

/// What a brush does to the weight of the painted joint, or to all of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BrushKind {
    /// `w + a·v`
    #[default]
    Add,
    /// `w − a·v`
    Subtract,
    /// `w + a(v − w)`
    #[serde(alias = "set")]
    Replace,
    /// `w·(1 + a(v − 1))`
    Scale,
    /// Toward the mean of the neighbors.
    Smooth,
    /// Away from the mean of the neighbors.
    Sharpen,
    /// Toward the mean of what the brush covers.
    Average,
    /// Weights are dragged along with the brush.
    Smear,
}

impl BrushKind {
    /// All of them, in the order of the panel.
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

    /// Its name on a button.
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

    /// What it does, in one word.
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

    /// The largest value that makes sense: what scales may double.
    pub const fn most_value(self) -> f32 {
        match self {
            Self::Scale => 2.0,
            _ => 1.0,
        }
    }

    /// Whether it gives one joint a weight. The others mix whole vertices, and work on as long as
    /// one rubs.
    pub const fn is_of_one_joint(self) -> bool {
        matches!(self, Self::Add | Self::Subtract | Self::Replace | Self::Scale)
    }

    /// Weight that a brush of one joint makes of the joint's own, `0..=1`, in every lane.
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

/// How the strength falls from the middle (p = 1) to the rim (p = 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Falloff {
    /// `3p² − 2p³`
    #[default]
    Smooth,
    /// `p³(p(6p − 15) + 10)`
    Smoother,
    /// `p`
    Linear,
    /// `p²`
    Sharp,
    /// `p⁴`
    Sharper,
    /// `√p`
    Root,
    /// `√(2p − p²)`
    Sphere,
    /// 1 up to the rim.
    Constant,
    /// A person's own: values at even steps from the rim to the middle, joined by a smooth curve.
    Own([f32; 7]),
}

impl Falloff {
    /// Those that have a formula.
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

    /// Its name.
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

    /// The strength at `p`, 0 at the rim and 1 in the middle.
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
                // Catmull and Rom, *A class of local interpolating splines* (1974), kept within 0
                // and 1.
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

    /// [`Self::at`] of many. What is chosen is chosen before the loop, which so becomes one of
    /// vectors.
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

    /// The own curve that is nearest to this one: where drawing begins.
    pub fn to_own(self) -> [f32; 7] {
        if let Self::Own(points) = self {
            points
        } else {
            std::array::from_fn(|k| self.at(to_f32(k) / 6.0))
        }
    }
}

/// What a brush reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// What hangs together under the brush: never across a gap.
    #[default]
    Surface,
    /// Everything in a ball.
    Volume,
    /// Everything under the ring on screen, at any depth.
    Through,
}

impl Reach {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Surface, Self::Volume, Self::Through];

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Surface => "Along surface",
            Self::Volume => "Volume",
            Self::Through => "Through",
        }
    }
}

/// How large a brush is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Radius {
    /// Points on screen.
    Pixels(f32),
    /// Meters of the scene.
    Scene(f32),
}

/// A brush.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brush {
    /// What it does.
    pub kind: BrushKind,
    /// How large.
    pub radius: Radius,
    /// How much of it is done at full fall-off, 0 to 1.
    pub strength: f32,
    /// The value that is painted, 0 to 1; for [`BrushKind::Scale`] the factor, 0 to 2.
    pub value: f32,
    /// How it falls off.
    pub falloff: Falloff,
    /// What it reaches.
    pub reach: Reach,
    /// Way between two dabs, as a part of the radius.
    pub spacing: f32,
    /// Whether what turns from the eye is left alone.
    pub front_only: bool,
    /// Whether what lies behind something is left alone, too.
    pub visible_only: bool,
    /// Whether a pen's pressure scales the strength.
    pub pressure: bool,
    /// Whether a pen's pressure scales the radius.
    pub pressure_radius: bool,
    /// How far the brush stays behind the pointer, points on screen: it is pulled as on a string,
    /// so that a hand that trembles draws a smooth line. 0: not at all.
    pub steady: f32,
    /// Whether a stroke builds up on itself.
    pub build_up: bool,
    /// Whether the other side is painted too, with the joint of the other side.
    pub mirror: bool,
    /// Whether brushes that mix change the painted joint alone.
    pub this_joint: bool,
    /// Whether smoothing goes only as far as bending leaves a spot its volume.
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
    /// What becomes of the weight of the painted joint at an amount of 0 to 1.
    #[inline]
    pub fn value_for(&self, weight: f32, amount: f32) -> f32 {
        let (weight, amount) = (F32Lanes(Scalar, weight), F32Lanes(Scalar, amount));
        self.kind.weight_for(self.value, weight, amount).1
    }

    /// What it is while the key that inverts is held: what sets sets the rest to 1, what scales
    /// scales back. Nothing for those that have no other way round.
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

    /// As large as a pen's pressure makes it, a twentieth at least.
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

    /// Where the brush is pulled to from `at` by a pointer: no nearer than the string is long.
    pub fn pulled(&self, at: glam::Vec2, pointer: glam::Vec2) -> glam::Vec2 {
        let way = pointer - at;
        let length = way.length();
        if length <= self.steady { at } else { at + way * ((length - self.steady) / length) }
    }

    /// With every number within its bounds, whatever a preferences file says.
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
    fn a_steady_brush_stays_a_string_behind_and_never_goes_back() {
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
    fn every_falloff_goes_from_the_rim_to_the_middle_within_bounds() {
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
            // A curve of one's own begins as the one that was chosen: the same at its points.
            for k in 0u8..=6 {
                let p = f32::from(k) / 6.0;
                assert!((own.at(p) - falloff.at(p)).abs() < 1e-6, "{falloff:?} at {p}");
            }
        }
    }
    #[test]
    fn brushes_that_were_stored_are_read() {
        let read: Brush =
            serde_json::from_str(r#"{"kind":"set","front_only":false}"#).expect("a brush");
        assert_eq!(read, Brush { kind: BrushKind::Replace, front_only: false, ..Brush::default() });
        let text = serde_json::to_string(&read).expect("text");
        assert_eq!(serde_json::from_str::<Brush>(&text).expect("a brush"), read);
    }
}
