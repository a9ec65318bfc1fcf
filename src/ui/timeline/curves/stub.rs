//! Stands for `ulna_motion::curves` until that is there. It is replaced, not kept.

use glam::{EulerRot, Quat};
use ulna_model::{Interpolation, Property, Track};
use ulna_motion::sample_into;

/// Axes of Euler angles, in the order of the factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EulerOrder {
    #[default]
    Xyz,
    Xzy,
    Yxz,
    Yzx,
    Zxy,
    Zyx,
}

impl EulerOrder {
    pub const ALL: [Self; 6] = [Self::Xyz, Self::Xzy, Self::Yxz, Self::Yzx, Self::Zxy, Self::Zyx];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Xyz => "XYZ",
            Self::Xzy => "XZY",
            Self::Yxz => "YXZ",
            Self::Yzx => "YZX",
            Self::Zxy => "ZXY",
            Self::Zyx => "ZYX",
        }
    }

    pub fn best_first(_: &Track) -> [(Self, f32); 6] {
        Self::ALL.map(|order| (order, 0.0))
    }
}

/// Which numbers of a track its curves show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveSpace {
    Stored,
    Euler(EulerOrder),
}

/// One track as curves.
#[derive(Clone, Debug)]
pub struct TrackCurves {
    track: Track,
    euler: bool,
}

impl TrackCurves {
    pub fn new(track: &Track, space: CurveSpace) -> Self {
        let euler = track.property == Property::Rotation && space != CurveSpace::Stored;
        Self { track: track.clone(), euler }
    }

    pub fn components(&self) -> usize {
        if self.euler { 3 } else { self.track.width }
    }

    pub fn key_value(&self, key: usize, component: usize) -> f64 {
        if self.euler {
            return self.value(component, f64::from(self.track.times[key]));
        }
        f64::from(self.track.value(key)[component])
    }

    pub fn value(&self, component: usize, time: f64) -> f64 {
        let mut out = vec![0.0; self.track.width];
        sample_into(&self.track, time, &mut out);
        if !self.euler {
            return f64::from(out[component]);
        }
        let q = Quat::from_xyzw(out[0], out[1], out[2], out[3]);
        let (x, y, z) = q.to_euler(EulerRot::XYZ);
        f64::from([x, y, z][component].to_degrees())
    }

    pub fn sample_segment(
        &self,
        key: usize,
        component: usize,
        out: &mut Vec<(f64, f64)>,
        _: (f64, f64),
    ) {
        let times = &self.track.times;
        let (from, to) = (f64::from(times[key]), f64::from(times[key + 1]));
        if self.track.interpolation == Interpolation::Step {
            let value = self.key_value(key, component);
            out.extend([(from, value), (to, value), (to, self.key_value(key + 1, component))]);
            return;
        }
        for k in 0..=16 {
            let time = from + (to - from) * f64::from(k) / 16.0;
            out.push((time, self.value(component, time)));
        }
    }

    pub const fn largest_error(&self) -> (f64, f64) {
        (0.0, 0.0)
    }
}
