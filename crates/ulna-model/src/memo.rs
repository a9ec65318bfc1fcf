//! A cache inside a document, for values that are slow to compute.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{AnyId, Held, IdKind, Parts, References, held::address, references::no_ids};

/// A cached value that is slow to compute; clones share it.
///
/// It is part of the document, because layers are combined from the document alone, with no other
/// owner for a cache. The type of the value is defined in a crate that depends on this one.
#[derive(Clone, Default)]
pub struct Memo(Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>);

/// Always equal: the cache is not part of the value of a document.
impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

no_ids!(Memo);

/// Counts only the cached value itself. Memory that it refers to belongs to the document, or is
/// recomputed on demand.
impl Held for Memo {
    fn held(&self, parts: &mut Parts) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        parts.share(address(&*self.0), size_of::<Mutex<Option<Arc<dyn Any>>>>(), |parts| {
            if let Some(kept) = kept {
                parts.own += size_of_val(&*kept);
            }
        });
    }
}

impl Memo {
    /// Returns the cached value if it has type `T` and `fits` accepts it.
    pub fn find<T: Send + Sync + 'static>(&self, fits: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        // A poisoned lock is safe to use: the value is always replaced as a whole.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept.and_then(|k| k.downcast::<T>().ok()).filter(|k| fits(k))
    }

    /// Replaces the cached value.
    pub fn keep<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}
