//! Large values that many documents share. Comparing two references to one allocation takes no
//! time. A value is copied only when it is changed.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, Weak},
};

/// A reference-counted value. Clones are cheap, and two references to one allocation are equal
/// without comparing the content.
pub struct Shared<T: ?Sized>(Arc<T>);

impl<T> Shared<T> {
    /// Allocates a new value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: ?Sized> Shared<T> {
    /// Whether two references point to the same allocation.
    pub fn ptr_eq(a: &Self, b: &Self) -> bool {
        Arc::ptr_eq(&a.0, &b.0)
    }

    /// The number of references.
    pub fn sharers(this: &Self) -> usize {
        Arc::strong_count(&this.0)
    }

    /// A weak handle that recognizes this value without keeping it alive.
    pub fn downgrade(this: &Self) -> SharedWeak<T> {
        SharedWeak(Arc::downgrade(&this.0))
    }
}

/// Recognizes a [`Shared`] value without keeping it alive. It serves as a cache key that becomes
/// invalid when the value is changed.
pub struct SharedWeak<T: ?Sized>(Weak<T>);

impl<T: ?Sized> SharedWeak<T> {
    /// Whether the handle belongs to this value. While the handle exists, its allocation cannot be
    /// reused for another value.
    pub fn is(&self, value: &Shared<T>) -> bool {
        std::ptr::addr_eq(self.0.as_ptr(), Arc::as_ptr(&value.0))
    }

    /// Whether the value still exists.
    pub fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl<T: ?Sized> Clone for SharedWeak<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: ?Sized> PartialEq for SharedWeak<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl<T: ?Sized> fmt::Debug for SharedWeak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Clone> Shared<T> {
    /// Mutable access; the value is copied first if it is shared.
    pub fn make_mut(this: &mut Self) -> &mut T {
        Arc::make_mut(&mut this.0)
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> AsRef<T> for Shared<T> {
    fn as_ref(&self) -> &T {
        &self.0
    }
}

impl<T: PartialEq + ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || *self.0 == *other.0
    }
}

impl<T: fmt::Debug + ?Sized> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: ?Sized> Default for Shared<T>
where
    Arc<T>: Default,
{
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> From<Vec<T>> for Shared<[T]> {
    fn from(list: Vec<T>) -> Self {
        Self(list.into())
    }
}

impl<T: Clone> From<&[T]> for Shared<[T]> {
    fn from(list: &[T]) -> Self {
        Self(list.into())
    }
}

impl<T, const N: usize> From<[T; N]> for Shared<[T]> {
    fn from(list: [T; N]) -> Self {
        Self(list.into())
    }
}

impl<T> FromIterator<T> for Shared<[T]> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_values_compare_by_allocation_and_copy_on_write() {
        // NaN is not equal to itself, so only the pointer comparison makes these equal.
        let strange = Shared::new(f32::NAN);
        assert_eq!(strange, strange.clone());
        assert_ne!(strange, Shared::new(f32::NAN));

        let first = Shared::new(vec![1, 2]);
        let mut second = first.clone();
        assert_eq!(Shared::sharers(&first), 2);
        Shared::make_mut(&mut second).push(3);
        assert_eq!((&first[..], &second[..]), (&[1, 2][..], &[1, 2, 3][..]));
        assert!(!Shared::ptr_eq(&first, &second));
        Shared::make_mut(&mut second).pop();
        assert_eq!(first, second);
    }

    #[test]
    fn weak_handles_recognize_a_value_until_it_changes() {
        let mut value = Shared::new(vec![1]);
        let weak = Shared::downgrade(&value);
        assert!(weak.is(&value) && weak.is(&value.clone()) && !weak.is(&Shared::new(vec![1])));
        // A changed value counts as a different value, even without other owners.
        Shared::make_mut(&mut value).push(2);
        assert!(!weak.is(&value) && !weak.is_alive());
    }
}
