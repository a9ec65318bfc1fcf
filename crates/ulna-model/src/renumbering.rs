//! New indices for the elements of a document or a file.

use std::collections::BTreeMap;

use super::{AnyId, IdKind, References};

/// Mapping from old to new indices, by kind. Kinds without a table keep their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbering {
    /// New index per old index; `None` for a removed element.
    tables: BTreeMap<IdKind, Vec<Option<u32>>>,
}

impl Renumbering {
    /// Sets the table of a kind: one new index per old index, `None` for a removed element.
    pub fn set(&mut self, kind: IdKind, table: Vec<Option<u32>>) {
        self.tables.insert(kind, table);
    }

    /// Sets the table of a kind so that remaining elements are numbered without gaps. `kept` states
    /// for each old index whether its element remains.
    pub fn close_gaps(&mut self, kind: IdKind, kept: impl IntoIterator<Item = bool>) {
        let mut next = 0;
        let table = kept.into_iter().map(|is_kept| {
            is_kept.then(|| {
                next += 1;
                next - 1
            })
        });
        self.set(kind, table.collect());
    }

    /// Whether all indices stay the same.
    pub fn is_identity(&self) -> bool {
        self.tables
            .values()
            .all(|table| table.iter().enumerate().all(|(old, new)| *new == u32::try_from(old).ok()))
    }

    /// New index of an element; `None` if it is removed.
    ///
    /// An index beyond the table belongs to no element. It stays equally far beyond the end of the
    /// new list, so that it remains invalid.
    pub fn of(&self, id: AnyId) -> Option<u32> {
        let Some(table) = self.tables.get(&id.kind) else { return Some(id.index) };
        match table.get(id.index as usize) {
            Some(new) => *new,
            None => {
                let end = table.iter().flatten().max().map_or(0, |last| u64::from(*last) + 1);
                let beyond = u64::from(id.index) - table.len() as u64;
                Some(u32::try_from(end + beyond).unwrap_or(u32::MAX))
            }
        }
    }

    /// Copy of a JSON pointer with the new index of the first element on its path. Pointers to
    /// removed elements, and to other locations, are returned unchanged.
    pub fn of_pointer(&self, pointer: &str) -> String {
        let new = AnyId::in_pointer(pointer).and_then(|id| Some((id.kind, self.of(id)?)));
        match new {
            Some((kind, index)) => AnyId::new(kind, index).put_in_pointer(pointer),
            None => pointer.to_owned(),
        }
    }

    /// Renumbers the ids in a value. Ids of removed elements are not changed, and the first of them
    /// is returned.
    pub fn apply(&self, value: &mut impl References) -> Option<AnyId> {
        let mut removed = None;
        value.for_each_id_mut(&mut |kind, index| {
            let id = AnyId::new(kind, *index);
            match self.of(id) {
                Some(new) => *index = new,
                None => removed = removed.or(Some(id)),
            }
        });
        removed
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Remaining elements keep their order, without gaps. An id beyond the last element stays
        /// beyond it.
        #[test]
        fn remaining_elements_are_renumbered_without_gaps(
            kept in prop::collection::vec(any::<bool>(), 0..12), beyond in 0u32..5
        ) {
            let mut renumbering = Renumbering::default();
            renumbering.close_gaps(IdKind::Node, kept.iter().copied());
            let count = kept.len() as u32;
            let of = |index| renumbering.of(AnyId::new(IdKind::Node, index));
            let new: Vec<u32> = (0..count).filter_map(of).collect();
            let left = kept.iter().filter(|k| **k).count() as u32;
            prop_assert_eq!(new, (0..left).collect::<Vec<_>>());
            for (old, is_kept) in kept.iter().enumerate() {
                prop_assert_eq!(of(old as u32).is_some(), *is_kept);
            }
            prop_assert_eq!(of(count + beyond), Some(left + beyond));
            prop_assert_eq!(renumbering.of(AnyId::new(IdKind::Mesh, beyond)), Some(beyond));
            prop_assert_eq!(renumbering.is_identity(), left == count);
        }
    }
}
