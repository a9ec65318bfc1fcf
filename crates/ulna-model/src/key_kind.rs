//! What a key is to the animator: an extreme, a breakdown, an in-between. It moves nothing; it is
//! kept in the clip's extras.

use serde::{Deserialize, Serialize};

use super::{AnyId, Held, IdKind, Parts, References, Shared, references::no_ids};

/// The kind of a key that is not a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// A pose that tells the story: an end of a movement.
    Extreme,
    /// How it goes from one extreme to the next.
    Breakdown,
    /// What only fills.
    InBetween,
}

impl KeyKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Extreme, Self::Breakdown, Self::InBetween];
}

/// The kinds of a track's keys, by their exact times; keys that are not named are plain. Most
/// tracks have none.
///
/// Invariant: times rise, each is there once. One without a key says nothing.
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

    /// The kind of the key at a time; nothing for a plain one.
    pub fn of(&self, time: f32) -> Option<KeyKind> {
        self.0.binary_search_by(|(t, _)| t.total_cmp(&time)).ok().map(|at| self.0[at].1)
    }

    /// Times and kinds.
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

    /// The keys at `times`, in rising order, of another kind; plain without one.
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
    /// In any order; of several at one time the last.
    fn from_iter<I: IntoIterator<Item = (f32, KeyKind)>>(list: I) -> Self {
        Self::in_order(list.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_time_counts() {
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
