//! Cached values. Each is stored with the key that it was computed from, so that a stale value is
//! never used.

/// Cached value together with the key that it was computed from. Another key causes a new
/// computation.
#[derive(Clone, Debug)]
pub struct Derived<K, T>(Option<(K, T)>);

impl<K, T> Default for Derived<K, T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K, T> Derived<K, T> {
    /// Returns the cached value, regardless of its key.
    pub const fn get(&self) -> Option<&T> {
        match &self.0 {
            Some((_, value)) => Some(value),
            None => None,
        }
    }

    /// Mutable access to the cached value, for updates in place.
    pub const fn get_mut(&mut self) -> Option<&mut T> {
        match &mut self.0 {
            Some((_, value)) => Some(value),
            None => None,
        }
    }

    /// Key that the cached value was computed from.
    pub const fn key(&self) -> Option<&K> {
        match &self.0 {
            Some((key, _)) => Some(key),
            None => None,
        }
    }

    /// Stores a value that was computed elsewhere, with its key.
    pub fn put(&mut self, key: K, value: T) {
        self.0 = Some((key, value));
    }

    /// Drops the cached value.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Removes and returns the key and the value, so that the caller can reuse their memory.
    pub const fn take(&mut self) -> Option<(K, T)> {
        self.0.take()
    }
}

impl<K: PartialEq, T> Derived<K, T> {
    /// Whether the cached value was computed from this key.
    pub fn is_of(&self, key: &K) -> bool {
        self.key() == Some(key)
    }

    /// Returns the value for a key. It is computed with `make` if the cached value has another key.
    pub fn update(&mut self, key: K, make: impl FnOnce(&K) -> T) -> &mut T {
        let kept = self.0.take().filter(|(of, _)| *of == key);
        let kept = kept.unwrap_or_else(|| {
            let value = make(&key);
            (key, value)
        });
        &mut self.0.insert(kept).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_computed_once_per_key() {
        let mut made = 0;
        let mut derived = Derived::default();
        for key in [1, 1, 2, 2, 1] {
            let value = derived.update(key, |k| {
                made += 1;
                k * 10
            });
            assert_eq!(*value, key * 10);
        }
        assert_eq!(made, 3);
        assert!(derived.is_of(&1) && !derived.is_of(&2));
        derived.clear();
        assert!(derived.get().is_none() && derived.key().is_none());
    }
}
