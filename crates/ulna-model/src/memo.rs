//! A value that took long to work out, kept with what it was worked out from.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{AnyId, Held, IdKind, Parts, References, held::address, references::no_ids};

/// Something that took long to work out and is of use as long as it fits; clones share it.
///
/// It is part of a document because composing layers is a function of the document alone, which
/// has no session to keep a cache in. Its value is of a type of a crate above this one.
#[derive(Clone, Default)]
pub struct Memo(Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>);

/// Whatever is kept: it is no part of the value.
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

/// Only the value itself counts: what it is made of is the document's, or made anew when it is
/// asked for.
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
    /// What is kept, if it is of this type and fits.
    pub fn find<T: Send + Sync + 'static>(&self, fits: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        // Whoever panicked while he held it had changed nothing: it is swapped whole.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept.and_then(|k| k.downcast::<T>().ok()).filter(|k| fits(k))
    }

    /// Keeps something in place of what was.
    pub fn keep<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}
