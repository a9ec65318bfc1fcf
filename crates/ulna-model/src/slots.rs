//! Lists by id: elements of the file, followed by added elements. Removed elements leave holes.
//!
//! An id is the element's glTF index in the opened file. It does not change until the file is
//! saved, which removes the holes.

use std::{fmt, marker::PhantomData, ops::Index};

use super::{Held, Parts, Shared};

/// A typed index.
pub trait SlotId: Copy + From<usize> + 'static {
    /// The id as an index into lists.
    fn index(self) -> usize;
}

/// Elements by id. Clones are cheap; a shared list is copied when it is changed.
///
/// 1. New elements are appended.
/// 2. A removed element leaves a hole, so that other ids do not change. Holes at the end are
///    removed, unless they belong to the file. Undoing an addition therefore restores the list.
/// 3. Lists with the same elements under the same ids are equal, regardless of holes at the end.
pub struct Slots<I, T> {
    list: Shared<Vec<Option<T>>>,
    /// Number of slots that the file defined.
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
    /// Length of a list that is indexed by these ids; includes holes.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.values().count()
    }

    /// The number of slots of the file, including removed elements.
    pub const fn given(&self) -> usize {
        self.given
    }

    /// All slots, in the order of their ids.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Option<&T>> + DoubleEndedIterator + Clone {
        self.list.iter().map(Option::as_ref)
    }

    /// All elements, in the order of their ids.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.list.iter().flatten()
    }
}

impl<I: SlotId, T> Slots<I, T> {
    /// Returns the element with an id, if it exists.
    pub fn get(&self, id: I) -> Option<&T> {
        self.list.get(id.index())?.as_ref()
    }

    /// Whether an element has the id.
    pub fn contains(&self, id: I) -> bool {
        self.get(id).is_some()
    }

    /// The ids of all elements, in ascending order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + Clone + use<'_, I, T> {
        self.iter().map(|(id, _)| id)
    }

    /// All elements with their ids, in ascending order of the ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + Clone {
        self.list.iter().enumerate().filter_map(|(k, slot)| Some((I::from(k), slot.as_ref()?)))
    }

    /// The id of the next new element.
    pub fn next_id(&self) -> I {
        I::from(self.len().max(self.given))
    }

    /// Whether the id belongs to an element of the file, even if it was removed.
    pub fn is_from_file(&self, id: I) -> bool {
        id.index() < self.given
    }
}

impl<I: SlotId, T: Clone> Slots<I, T> {
    /// Stores an element under an id, or removes it with `None`. Returns the previous element.
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

    /// Appends an element while a file is read; `None` for an unreadable element.
    pub fn push_from_file(&mut self, value: Option<T>) {
        Shared::make_mut(&mut self.list).push(value);
        self.given = self.len();
    }

    /// Mutable access to the element with an id.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        // A missing id must not cause a copy of a shared list.
        self.contains(id)
            .then(|| Shared::make_mut(&mut self.list).get_mut(id.index())?.as_mut())
            .flatten()
    }

    /// Mutable access to all slots by index. This is faster than many calls of [`Slots::get_mut`],
    /// each of which checks whether the list is shared.
    pub fn slots_mut(&mut self) -> &mut [Option<T>] {
        Shared::make_mut(&mut self.list).as_mut_slice()
    }

    /// Mutable access to all elements.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        Shared::make_mut(&mut self.list).iter_mut().flatten()
    }
}

/// A type with a value that stands for a missing element.
pub trait Blank: 'static {
    /// An element without content.
    fn blank() -> &'static Self;
}

/// Returns the element with an id that is known to exist. A missing element is a bug: it panics in
/// debug builds, and returns a blank element in release builds.
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

/// Creates the list from the elements of a file.
impl<I, T> From<Vec<T>> for Slots<I, T> {
    fn from(list: Vec<T>) -> Self {
        list.into_iter().collect()
    }
}

/// Creates the list from the elements of a file; `None` marks an unreadable element.
impl<I, T> From<Vec<Option<T>>> for Slots<I, T> {
    fn from(list: Vec<Option<T>>) -> Self {
        Self { given: list.len(), list: list.into(), id: PhantomData }
    }
}

/// Creates the list from the elements of a file.
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
        /// Undoing a sequence of `put` calls in reverse order restores the list and its ids.
        #[test]
        fn undoing_put_calls_restores_the_list(
            given in 0usize..4,
            puts in prop::collection::vec((0usize..8, prop::option::of(0u8..4)), 0..12),
        ) {
            let first: Slots<ClipId, u8> = (0..given as u8).collect();
            let mut now = first.clone();
            let mut undo = Vec::new();
            for (at, to) in puts {
                let before = now.clone();
                // New elements are appended.
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
    fn removed_elements_at_the_end_do_not_affect_equality() {
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
