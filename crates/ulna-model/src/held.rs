//! Memory use of values in bytes. Shared allocations are identified by their address and counted
//! once.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use ulna_geometry::Csr;

use super::Shared;

/// Bytes of the reference counts in an `Arc` allocation.
const COUNTS: usize = 16;

/// A value whose heap memory can be counted.
pub trait Held {
    /// Whether values of this type never own heap memory, so that lists of them need not be
    /// visited.
    const PLAIN: bool = false;

    /// Adds the heap memory of the value to `_parts`.
    fn held(&self, _parts: &mut Parts) {}
}

/// Combined heap memory of several values.
#[derive(Debug, Default)]
pub struct Parts {
    /// Bytes of memory with a single owner, such as lists and names.
    pub own: usize,
    /// Shared allocations without duplicates: the address, and the size in bytes without nested
    /// shared allocations.
    pub shared: Vec<(usize, usize)>,
    seen: HashSet<usize>,
}

impl Parts {
    /// Measures the heap memory of a value.
    pub fn of(value: &impl Held) -> Self {
        let mut parts = Self::default();
        value.held(&mut parts);
        parts
    }

    /// Total number of bytes.
    pub fn bytes(&self) -> usize {
        self.own + self.shared.iter().map(|(_, bytes)| bytes).sum::<usize>()
    }

    /// Adds a shared allocation: its address, its bytes, and a function that counts its content.
    pub(super) fn share(&mut self, at: usize, bytes: usize, holds: impl FnOnce(&mut Self)) {
        if !self.seen.insert(at) {
            return;
        }
        let outer = std::mem::replace(&mut self.own, bytes + COUNTS);
        holds(self);
        let own = std::mem::replace(&mut self.own, outer);
        self.shared.push((at, own));
    }
}

/// Address of a value. It identifies a shared allocation.
pub(super) fn address<T: ?Sized>(at: &T) -> usize {
    std::ptr::from_ref(at).cast::<()>().addr()
}

macro_rules! plain {
    ($($name:ty),* $(,)?) => {
        $(impl Held for $name {
            const PLAIN: bool = true;
        })*
    };
}
pub(super) use plain;

plain!(bool, u8, u16, u32, u64, usize, f32, f64, Vec2, Vec3, Vec4, Quat, Mat4);

impl<T: Held> Held for Option<T> {
    const PLAIN: bool = T::PLAIN;

    fn held(&self, parts: &mut Parts) {
        if let Some(value) = self {
            value.held(parts);
        }
    }
}

impl<T: Held> Held for Csr<T> {
    fn held(&self, parts: &mut Parts) {
        parts.own += self.bytes();
        if !T::PLAIN {
            self.items().iter().for_each(|item| item.held(parts));
        }
    }
}

impl<A: Held, B: Held> Held for (A, B) {
    const PLAIN: bool = A::PLAIN && B::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
        self.1.held(parts);
    }
}

impl<A: Held, B: Held, C: Held> Held for (A, B, C) {
    const PLAIN: bool = A::PLAIN && B::PLAIN && C::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.0.held(parts);
        self.1.held(parts);
        self.2.held(parts);
    }
}

impl<T: Held, const N: usize> Held for [T; N] {
    const PLAIN: bool = T::PLAIN;

    fn held(&self, parts: &mut Parts) {
        self.as_slice().held(parts);
    }
}

impl<T: Held> Held for [T] {
    fn held(&self, parts: &mut Parts) {
        if !T::PLAIN {
            self.iter().for_each(|value| value.held(parts));
        }
    }
}

impl<T: Held> Held for Vec<T> {
    fn held(&self, parts: &mut Parts) {
        parts.own += self.capacity() * size_of::<T>();
        self.as_slice().held(parts);
    }
}

impl<T: Held> Held for Box<T> {
    fn held(&self, parts: &mut Parts) {
        parts.own += size_of::<T>();
        (**self).held(parts);
    }
}

impl Held for String {
    fn held(&self, parts: &mut Parts) {
        parts.own += self.capacity();
    }
}

impl Held for Arc<str> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), self.len(), |_| {});
    }
}

impl<K: Held, V: Held> Held for BTreeMap<K, V> {
    fn held(&self, parts: &mut Parts) {
        /// Capacity of a B-tree node. `USUAL` is the assumed average number of entries.
        const ROOM: usize = 11;
        const USUAL: usize = 8;
        let node = ROOM * (size_of::<K>() + size_of::<V>()) + 24;
        parts.own += self.len().div_ceil(USUAL) * node;
        if !(K::PLAIN && V::PLAIN) {
            for (key, value) in self {
                key.held(parts);
                value.held(parts);
            }
        }
    }
}

impl<T: Held> Held for Shared<T> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), size_of::<T>(), |parts| (**self).held(parts));
    }
}

impl<T: Held> Held for Shared<[T]> {
    fn held(&self, parts: &mut Parts) {
        parts.share(address(&**self), size_of_val(&**self), |parts| (**self).held(parts));
    }
}
