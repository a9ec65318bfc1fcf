//! Tangent modes of keys: how the tangents of a CUBICSPLINE key are chosen. glTF stores tangents
//! only, so the modes are kept in the clip's extras.

use serde::{Deserialize, Serialize};

use super::{AnyId, Held, IdKind, Parts, References, Shared, references::no_ids};

/// How the tangent on one side of a key is chosen.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum TangentMode {
    /// Monotone: the curve never leaves the range of two neighboring keys.
    Auto,
    /// Continuous acceleration along a run of smooth keys.
    Smooth,
    /// No change at the key.
    Flat,
    /// Toward the neighboring key, as on a straight line.
    Linear,
    /// The stored numbers, set by hand.
    #[default]
    Free,
}

/// One side of a key, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeySide {
    /// The side of the key before.
    Arrive,
    /// The side of the key after.
    Leave,
    /// Both sides.
    #[default]
    Both,
}

/// The tangent modes of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyTangents {
    /// On the side of the key before.
    pub arrive: TangentMode,
    /// On the side of the key after.
    pub leave: TangentMode,
    /// Whether a change to one side is made to the other side too. Tangents that are free and not
    /// linked are called *broken*.
    pub linked: bool,
}

impl KeyTangents {
    /// The same mode on both sides, linked.
    pub const fn both(mode: TangentMode) -> Self {
        Self { arrive: mode, leave: mode, linked: true }
    }

    /// The sides exchanged, as in a clip that is reversed.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { arrive: self.leave, leave: self.arrive, linked: self.linked }
    }
}

/// The tangent modes of a track's keys, by their exact times. A key that is not named is free,
/// unless all tangents of a track without any named key are automatic ones.
///
/// Invariant: times rise, and each occurs once. An entry without a key has no meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TangentModes {
    keys: Shared<[(f32, KeyTangents)]>,
    wraps: bool,
}

no_ids!(TangentModes);

impl Held for TangentModes {
    fn held(&self, parts: &mut Parts) {
        let Self { keys, wraps: _ } = self;
        keys.held(parts);
    }
}

impl TangentModes {
    /// Whether no key is named.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the first and the last key are one in a loop, so that tangents go on across the
    /// seam.
    pub const fn wraps(&self) -> bool {
        self.wraps
    }

    /// The same keys, wrapping around the loop or not.
    #[must_use]
    pub fn wrapping(self, wraps: bool) -> Self {
        Self { wraps, ..self }
    }

    /// The modes of the key at a time, where it is named.
    pub fn of(&self, time: f32) -> Option<KeyTangents> {
        self.keys.binary_search_by(|(t, _)| t.total_cmp(&time)).ok().map(|at| self.keys[at].1)
    }

    /// Times and modes, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = (f32, KeyTangents)> + '_ {
        self.keys.iter().copied()
    }

    /// The keys at `times`, in rising order, named with other modes; without modes, not named.
    #[must_use]
    pub fn with(&self, times: &[f32], modes: Option<KeyTangents>) -> Self {
        self.changed(times, |_| modes)
    }

    /// The keys at `times`, in rising order, with the modes that a function gives of each time.
    #[must_use]
    pub fn changed(&self, times: &[f32], modes: impl Fn(f32) -> Option<KeyTangents>) -> Self {
        let others =
            self.iter().filter(|(t, _)| times.binary_search_by(|k| k.total_cmp(t)).is_err());
        let own = times.iter().filter_map(|t| Some((*t, modes(*t)?)));
        self.replaced(others.chain(own))
    }

    /// Other keys in place of these; what is said of the loop stays. Of several at one time the
    /// last counts.
    #[must_use]
    pub fn replaced(&self, keys: impl IntoIterator<Item = (f32, KeyTangents)>) -> Self {
        let mut list: Vec<(f32, KeyTangents)> = keys.into_iter().collect();
        list.reverse();
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list.dedup_by(|a, b| a.0 == b.0);
        let keys = if list.is_empty() { Shared::default() } else { list.into() };
        Self { keys, wraps: self.wraps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_named_by_time_and_the_last_counts() {
        let (auto, flat) =
            (KeyTangents::both(TangentMode::Auto), KeyTangents::both(TangentMode::Flat));
        let modes = TangentModes::default().replaced([(1.0, auto), (0.5, auto), (1.0, flat)]);
        assert_eq!((modes.of(1.0), modes.of(0.5), modes.of(0.7)), (Some(flat), Some(auto), None));
        let fewer = modes.with(&[1.0, 2.0], None).wrapping(true);
        assert_eq!(fewer.iter().collect::<Vec<_>>(), [(0.5, auto)]);
        assert!(fewer.wraps() && fewer.with(&[0.5], None).is_empty());
    }
}
