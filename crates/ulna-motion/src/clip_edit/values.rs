//! Arithmetic on key values: add, scale about a pivot value, set.

use glam::{DQuat, Quat};

use super::{
    holds::{hold_ends, marks},
    refreshed,
};
use ulna_model::{Interpolation, Property, Track, transform::unit_or};

/// Change of key values.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueChange {
    /// Adds an amount per component: `v + by`. For rotations, the amount is a quaternion (four
    /// numbers), which is multiplied in the joint's own axes: `q · by`.
    Add(Vec<f32>),
    /// Scales values about a pivot, per component: `about + (v − about)·by`. For a rotation, the
    /// angle from `about` is scaled (slerp, extrapolated beyond 1).
    Scale {
        /// Scale factor per component. Rotations use the first one.
        by: Vec<f32>,
        /// Pivot value, which does not change.
        about: Vec<f32>,
    },
    /// Sets a new value per component; `None` keeps the old one.
    Set(Vec<Option<f32>>),
}

fn unit(values: &[f32]) -> Quat {
    unit_or(Quat::from_slice(values), Quat::IDENTITY)
}

/// Returns a rotation after a change.
fn turned(value: &[f32], change: &ValueChange) -> Option<Quat> {
    match change {
        ValueChange::Add(by) => Some(unit(value) * unit(by)),
        ValueChange::Scale { by, about } => {
            let (from, to) = (unit(about).as_dquat(), unit(value).as_dquat());
            let way = from.inverse() * to;
            let way = if way.w < 0.0 { -way } else { way };
            let made =
                from * DQuat::from_scaled_axis(way.to_scaled_axis() * f64::from(*by.first()?));
            Some(made.as_quat())
        }
        ValueChange::Set(to) => Some(unit(&to.iter().copied().collect::<Option<Vec<f32>>>()?)),
    }
}

fn changed(value: &mut [f32], change: &ValueChange) {
    for (i, v) in value.iter_mut().enumerate() {
        *v = match change {
            ValueChange::Add(by) => *v + by.get(i).copied().unwrap_or(0.0),
            ValueChange::Scale { by, about } => {
                let about = about.get(i).copied().unwrap_or(0.0);
                let by = by.get(i).copied().unwrap_or(1.0);
                // A factor of 1 keeps the exact value.
                if by == 1.0 { *v } else { about + (*v - about) * by }
            }
            ValueChange::Set(to) => to.get(i).copied().flatten().unwrap_or(*v),
        };
    }
}

/// Changes the values of the keys at `times`, and adapts their tangents. `Add` keeps tangents, but
/// rotates those of rotations. `Scale` scales tangents, and `Set` keeps them. The ends of holds
/// follow the keys that begin them.
#[must_use]
pub fn change_values(track: &Track, times: &[f32], change: &ValueChange) -> Track {
    let ends = hold_ends(track);
    let mut marks = marks(track, times, None);
    if let Some(ends) = ends {
        for key in 1..marks.len() {
            if ends[key] {
                marks[key] = marks[key - 1];
            }
        }
    }
    let (width, stride) = (track.width, track.stride());
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let skip = if cubic { width } else { 0 };
    let mut values = track.values.to_vec();
    for key in (0..marks.len()).filter(|k| marks[*k]) {
        let own = &mut values[key * stride..(key + 1) * stride];
        if track.property != Property::Rotation {
            changed(&mut own[skip..skip + width], change);
            if let (true, ValueChange::Scale { by, .. }) = (cubic, change) {
                for (i, v) in own.iter_mut().enumerate().filter(|(i, _)| i / width != 1) {
                    *v *= by.get(i % width).copied().unwrap_or(1.0);
                }
            }
            continue;
        }
        let value: Vec<f32> = own[skip..skip + 4].to_vec();
        let Some(mut to) = turned(&value, change) else { continue };
        // Keep the sign of the quaternion, since splines interpolate the numbers.
        let was = unit(&value);
        if to.dot(was) < 0.0 && matches!(change, ValueChange::Scale { .. } | ValueChange::Set(_)) {
            to = -to;
        }
        own[skip..skip + 4].copy_from_slice(&to.to_array());
        if cubic {
            let right = was.conjugate() * to;
            let longer = if let ValueChange::Scale { by, .. } = change {
                by.first().copied().unwrap_or(1.0)
            } else {
                1.0
            };
            for part in [0..4, 8..12] {
                let tangent = Quat::from_slice(&own[part.clone()]) * right * longer;
                own[part].copy_from_slice(&tangent.to_array());
            }
        }
    }
    refreshed(track, Track { values: values.into(), ..track.clone() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};
    use crate::sample_into;
    use ulna_model::transform::angle_between;

    proptest! {
        #[test]
        fn the_same_change_of_all_keys_changes_the_whole_motion(track in any_track(),
            by in prop::array::uniform3(-1.0f32..1.0), part in 0.0f64..1.0) {
            let turns = track.property == Property::Rotation;
            let turn = Quat::from_scaled_axis(by.into());
            let change =
                ValueChange::Add(if turns { turn.to_array().to_vec() } else { by.to_vec() });
            let made = change_values(&track, &track.times, &change);
            let time = part * f64::from(track.times[track.times.len() - 1]);
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            sample_into(&track, time, &mut a);
            sample_into(&made, time, &mut b);
            if turns {
                prop_assert!(angle_between(Quat::from_slice(&a) * turn,
                    Quat::from_slice(&b)) < 3e-3);
            } else {
                prop_assert!(a.iter().zip(&b).zip(&by).all(|((a, b),
                    by)| (a + by - b).abs() < 1e-3));
            }
        }
    }

    #[test]
    fn scaling_a_rotation_scales_its_angle_from_the_pivot() {
        let track = Track {
            target: ulna_model::NodeId(0),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: [0.0].into(),
            values: Quat::from_rotation_x(0.4).to_array().to_vec().into(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let about = Quat::from_rotation_x(0.1).to_array().to_vec();
        let made = change_values(&track, &[0.0], &ValueChange::Scale { by: vec![2.0], about });
        assert!(angle_between(Quat::from_slice(made.value(0)), Quat::from_rotation_x(0.7)) < 1e-3);
    }
}
