//! Lists by id: what the file gave and what was added after it, with holes where something was
//! removed.
//!
//! An id is the glTF index of the opened file and stays it, whatever else goes; only saving closes
//! the holes.

use std::{fmt, marker::PhantomData, ops::Index};

use super::{Held, Parts, Shared};

/// An index that is a type of its own.
pub trait SlotId: Copy + From<usize> + 'static {
    /// As an index into lists by this id.
    fn index(self) -> usize;
}

/// Things by their id. A clone is cheap; the list is copied when one of two that share it is
/// changed.
///
/// 1. New things come after all that the file gave, and after all that are there.
/// 2. A removed one leaves a hole, so that no other id moves; one at the end that the file did not
///    give leaves none, so that taking back an addition leaves what was there before it.
/// 3. Two lists with the same things under the same ids are equal, whatever holes they end with.
pub struct Slots<I, T> {
    list: Shared<Vec<Option<T>>>,
    /// How many the file gave.
    given: usize,
    id: PhantomData<fn(I)>,
}

impl<I, T: Held> Held for Slots<I, T> {
    fn held(&self, parts: &mut Parts) {
        let Self { list, given: _, id: _ } = self;
        list.held(parts);
    }
}

impl<I, T> Slots<I, T> {
    /// How long a list by these ids must be: holes count.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many are there.
    pub fn count(&self) -> usize {
        self.values().count()
    }

    /// How many the file gave.
    pub const fn given(&self) -> usize {
        self.given
    }

    /// All slots, in the order of their ids.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Option<&T>> + DoubleEndedIterator + Clone {
        self.list.iter().map(Option::as_ref)
    }

    /// All that are there, in the order of their ids.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.list.iter().flatten()
    }
}

impl<I: SlotId, T> Slots<I, T> {
    /// What is under an id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.list.get(id.index())?.as_ref()
    }

    /// Whether something is under an id.
    pub fn contains(&self, id: I) -> bool {
        self.get(id).is_some()
    }

    /// The ids under which something is.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + Clone + use<'_, I, T> {
        self.iter().map(|(id, _)| id)
    }

    /// All that are there with their ids, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + Clone {
        self.list.iter().enumerate().filter_map(|(k, slot)| Some((I::from(k), slot.as_ref()?)))
    }

    /// The id that the next new one gets.
    pub fn next_id(&self) -> I {
        I::from(self.len().max(self.given))
    }

    /// Whether the file gave it, or has it still.
    pub fn is_from_file(&self, id: I) -> bool {
        id.index() < self.given
    }
}

impl<I: SlotId, T: Clone> Slots<I, T> {
    /// Puts something under an id, or takes it away; what was there.
    pub fn put(&mut self, id: I, to: Option<T>) -> Option<T> {
        let (at, given) = (id.index(), self.given);
        if to.is_none() && !self.contains(id) {
            return None;
        }
        let list = Shared::make_mut(&mut self.list);
        if at >= list.len() {
            list.resize(at + 1, None);
        }
        let was = std::mem::replace(&mut list[at], to);
        while list.len() > given && list.last().is_some_and(Option::is_none) {
            list.pop();
        }
        was
    }

    /// Adds something of the file's, as it is read.
    pub fn push_from_file(&mut self, value: Option<T>) {
        Shared::make_mut(&mut self.list).push(value);
        self.given = self.len();
    }

    /// What is under an id, to be changed.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        // A miss copies nothing.
        self.contains(id)
            .then(|| Shared::make_mut(&mut self.list).get_mut(id.index())?.as_mut())
            .flatten()
    }

    /// All slots by their index, to be changed: for many at once, of which each alone would ask who
    /// shares the list.
    pub fn slots_mut(&mut self) -> &mut [Option<T>] {
        Shared::make_mut(&mut self.list).as_mut_slice()
    }

    /// All that are there, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        Shared::make_mut(&mut self.list).iter_mut().flatten()
    }
}

/// A type with a value that stands for a missing element.
pub trait Blank: 'static {
    /// An element without content.
    fn blank() -> &'static Self;
}

/// The element under an id that is known to be there. An id of a missing element is a fault of the
/// program: it stops a test, and a person goes on with a blank element.
impl<I: SlotId, T: Blank> Index<I> for Slots<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        self.get(id).unwrap_or_else(|| {
            debug_assert!(false, "slot {} is empty", id.index());
            T::blank()
        })
    }
}

impl<I, T> Clone for Slots<I, T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), ..*self }
    }
}

impl<I, T> Default for Slots<I, T> {
    fn default() -> Self {
        Self { list: Shared::default(), given: 0, id: PhantomData }
    }
}

impl<I, T: PartialEq> PartialEq for Slots<I, T> {
    fn eq(&self, other: &Self) -> bool {
        let (short, long) = if self.len() < other.len() { (self, other) } else { (other, self) };
        Shared::ptr_eq(&self.list, &other.list)
            || (short.list[..] == long.list[..short.len()]
                && long.slots().skip(short.len()).all(|slot| slot.is_none()))
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Slots<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.list.iter().enumerate().filter_map(|(k, v)| Some((k, v.as_ref()?))))
            .finish()
    }
}

/// What a file gives.
impl<I, T> From<Vec<T>> for Slots<I, T> {
    fn from(list: Vec<T>) -> Self {
        list.into_iter().collect()
    }
}

/// Elements of a file, some of which are missing.
impl<I, T> From<Vec<Option<T>>> for Slots<I, T> {
    fn from(list: Vec<Option<T>>) -> Self {
        Self { given: list.len(), list: list.into(), id: PhantomData }
    }
}

/// What a file gives.
impl<I, T> FromIterator<T> for Slots<I, T> {
    fn from_iter<L: IntoIterator<Item = T>>(items: L) -> Self {
        let list: Vec<Option<T>> = items.into_iter().map(Some).collect();
        Self { given: list.len(), list: list.into(), id: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ClipId;

    proptest! {
        /// Any puts, taken back in reverse, leave the list as it was, and its ids.
        #[test]
        fn what_is_taken_back_leaves_what_was(
            given in 0usize..4,
            puts in prop::collection::vec((0usize..8, prop::option::of(0u8..4)), 0..12),
        ) {
            let first: Slots<ClipId, u8> = (0..given as u8).collect();
            let mut now = first.clone();
            let mut undo = Vec::new();
            for (at, to) in puts {
                let before = now.clone();
                // What is new is added at the end.
                let id = if at >= now.len() { now.next_id() } else { ClipId::from(at) };
                let was = now.put(id, to);
                let mut back = now.clone();
                prop_assert_eq!(back.put(id, was), to);
                prop_assert_eq!(&back, &before);
                prop_assert_eq!(back.next_id(), before.next_id());
                undo.push((id, was));
            }
            for (id, was) in undo.into_iter().rev() {
                now.put(id, was);
            }
            prop_assert_eq!(&now, &first);
            prop_assert_eq!(now.next_id(), first.next_id());
        }
    }

    #[test]
    fn holes_at_the_end_are_not_seen() {
        let mut slots: Slots<ClipId, u8> = [1, 2].into_iter().collect();
        slots.put(ClipId(1), None);
        assert_eq!(
            (slots.len(), slots.count(), slots.next_id()),
            (2, 1, ClipId(2)),
            "the file's id is not given again"
        );
        assert_eq!(slots, [1].into_iter().collect());
        assert_ne!(slots, [1, 2].into_iter().collect());
        assert_eq!(slots.put(ClipId(2), Some(3)), None);
        assert_eq!(slots.ids().collect::<Vec<_>>(), [ClipId(0), ClipId(2)]);
        assert_eq!(slots.put(ClipId(2), None), Some(3));
        assert_eq!(slots.len(), 2, "taken back, it is as if it had never been");
    }
}
