//! Key types of hand animation: extreme, breakdown, in-between. They do not affect the motion, and
//! are stored in the clip's extras.

use serde::{Deserialize, Serialize};

use super::{AnyId, Held, IdKind, Parts, References, Shared, references::no_ids};

/// Type of a key, other than plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// A main pose: the end of a movement.
    Extreme,
    /// A pose that defines the path between two extremes.
    Breakdown,
    /// A key that fills the motion between other poses.
    InBetween,
}

impl KeyKind {
    /// All types.
    pub const ALL: [Self; 3] = [Self::Extreme, Self::Breakdown, Self::InBetween];
}

/// Key types of a track, by exact key times. Keys without an entry are plain.
///
/// Invariant: times are strictly increasing. An entry whose time has no key has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyKinds(Shared<[(f32, KeyKind)]>);

no_ids!(KeyKinds);

impl Held for KeyKinds {
    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
    }
}

impl KeyKinds {
    /// Whether all keys are plain.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The type of the key at a time; `None` for a plain key.
    pub fn of(&self, time: f32) -> Option<KeyKind> {
        self.0.binary_search_by(|(t, _)| t.total_cmp(&time)).ok().map(|at| self.0[at].1)
    }

    /// Times and their key types, in ascending order of time.
    pub fn iter(&self) -> impl Iterator<Item = (f32, KeyKind)> + '_ {
        self.0.iter().copied()
    }

    fn in_order(mut list: Vec<(f32, KeyKind)>) -> Self {
        if list.is_empty() {
            return Self::default();
        }
        list.reverse();
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list.dedup_by(|a, b| a.0 == b.0);
        Self(list.into())
    }

    /// Copy in which the keys at `times` have another type. `times` must be ascending. `None` makes
    /// the keys plain.
    #[must_use]
    pub fn with(&self, times: &[f32], kind: Option<KeyKind>) -> Self {
        let others =
            self.iter().filter(|(t, _)| times.binary_search_by(|k| k.total_cmp(t)).is_err());
        match kind {
            Some(kind) => others.chain(times.iter().map(|t| (*t, kind))).collect(),
            None => others.collect(),
        }
    }
}

impl FromIterator<(f32, KeyKind)> for KeyKinds {
    /// Collects entries in any order. For equal times, the last entry is used.
    fn from_iter<I: IntoIterator<Item = (f32, KeyKind)>>(list: I) -> Self {
        Self::in_order(list.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_key_types_at_one_time_the_last_is_used() {
        let kinds: KeyKinds =
            [(1.0, KeyKind::Extreme), (0.5, KeyKind::Breakdown), (1.0, KeyKind::InBetween)]
                .into_iter()
                .collect();
        assert_eq!(
            (kinds.of(1.0), kinds.of(0.5)),
            (Some(KeyKind::InBetween), Some(KeyKind::Breakdown))
        );
        let plain = kinds.with(&[1.0, 2.0], None);
        assert_eq!(plain.iter().collect::<Vec<_>>(), [(0.5, KeyKind::Breakdown)]);
        assert_eq!(kinds.with(&[0.5, 2.0], Some(KeyKind::Extreme)).iter().count(), 3);
    }
}
