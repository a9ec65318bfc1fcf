//! Tangent modes: rules for computing the tangents of CUBICSPLINE keys. glTF stores only the
//! resulting tangents, so the modes are stored in the clip's extras.

use serde::{Deserialize, Serialize};

use super::{AnyId, Held, IdKind, Parts, References, Shared, references::no_ids};

/// Rule for computing the tangent on one side of a key.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum TangentMode {
    /// Monotone tangent: the curve never leaves the value range of two neighboring keys.
    Auto,
    /// Tangent with continuous acceleration along consecutive smooth keys.
    Smooth,
    /// Tangent with zero slope.
    Flat,
    /// Tangent along the straight line to the neighboring key.
    Linear,
    /// Stored tangent, set by hand.
    #[default]
    Free,
}

/// One or both sides of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeySide {
    /// Side toward the previous key.
    Arrive,
    /// Side toward the next key.
    Leave,
    /// Both sides.
    #[default]
    Both,
}

/// The tangent modes of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyTangents {
    /// Mode on the side toward the previous key.
    pub arrive: TangentMode,
    /// Mode on the side toward the next key.
    pub leave: TangentMode,
    /// Whether a change of one side also changes the other side. Free tangents that are not linked
    /// are called *broken*.
    pub linked: bool,
}

impl KeyTangents {
    /// Uses the same mode on both sides, linked.
    pub const fn both(mode: TangentMode) -> Self {
        Self { arrive: mode, leave: mode, linked: true }
    }

    /// Swaps both sides, for a reversed clip.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { arrive: self.leave, leave: self.arrive, linked: self.linked }
    }
}

/// Tangent modes of a track's keys, by exact times.
///
/// A key without an entry is free. Exception: the keys of a track without entries are automatic if
/// all of its tangents equal automatic ones.
///
/// Invariant: times are strictly increasing. An entry whose time has no key has no effect.
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
    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether tangents continue across the loop seam, from the last key to the first.
    pub const fn wraps(&self) -> bool {
        self.wraps
    }

    /// Sets [`TangentModes::wraps`], and keeps all entries.
    #[must_use]
    pub fn wrapping(self, wraps: bool) -> Self {
        Self { wraps, ..self }
    }

    /// Tangent modes of the key at a time; `None` if it has no entry.
    pub fn of(&self, time: f32) -> Option<KeyTangents> {
        self.keys.binary_search_by(|(t, _)| t.total_cmp(&time)).ok().map(|at| self.keys[at].1)
    }

    /// Times and modes, in ascending order of time.
    pub fn iter(&self) -> impl Iterator<Item = (f32, KeyTangents)> + '_ {
        self.keys.iter().copied()
    }

    /// Copy in which the keys at `times` have other modes. `times` must be ascending. `None`
    /// removes the entries of the keys.
    #[must_use]
    pub fn with(&self, times: &[f32], modes: Option<KeyTangents>) -> Self {
        self.changed(times, |_| modes)
    }

    /// Copy in which the keys at `times` have the modes that a function returns for them. `times`
    /// must be ascending. `None` removes the entry of a key.
    #[must_use]
    pub fn changed(&self, times: &[f32], modes: impl Fn(f32) -> Option<KeyTangents>) -> Self {
        let others =
            self.iter().filter(|(t, _)| times.binary_search_by(|k| k.total_cmp(t)).is_err());
        let own = times.iter().filter_map(|t| Some((*t, modes(*t)?)));
        self.replaced(others.chain(own))
    }

    /// Copy with the same loop setting and other entries. For equal times, the last entry is used.
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
    fn tangent_modes_are_set_by_time_and_the_last_entry_is_used() {
        let (auto, flat) =
            (KeyTangents::both(TangentMode::Auto), KeyTangents::both(TangentMode::Flat));
        let modes = TangentModes::default().replaced([(1.0, auto), (0.5, auto), (1.0, flat)]);
        assert_eq!((modes.of(1.0), modes.of(0.5), modes.of(0.7)), (Some(flat), Some(auto), None));
        let fewer = modes.with(&[1.0, 2.0], None).wrapping(true);
        assert_eq!(fewer.iter().collect::<Vec<_>>(), [(0.5, auto)]);
        assert!(fewer.wraps() && fewer.with(&[0.5], None).is_empty());
    }
}
