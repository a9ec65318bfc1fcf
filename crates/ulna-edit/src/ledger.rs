//! The memory that steps hold together: each shared part once, by where it is.

use std::collections::HashMap;

use ulna_model::{Held, Parts};

/// Memory use of undo steps. A shared part is counted as long as one step holds it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Bytes that single steps hold alone.
    own: usize,
    /// Shared parts by where they are: their bytes, and how many steps have them.
    parts: HashMap<usize, (usize, usize)>,
    /// Bytes of all shared parts.
    shared: usize,
}

impl Ledger {
    /// A step is kept.
    pub(super) fn enter(&mut self, step: &impl Held) {
        let parts = Parts::of(step);
        self.own += parts.own;
        for (at, bytes) in parts.shared {
            let (_, count) = self.parts.entry(at).or_insert_with(|| {
                self.shared += bytes;
                (bytes, 0)
            });
            *count += 1;
        }
    }

    /// A step that entered is forgotten.
    pub(super) fn leave(&mut self, step: &impl Held) {
        let parts = Parts::of(step);
        self.own = self.own.saturating_sub(parts.own);
        for (at, _) in parts.shared {
            let Some((bytes, count)) = self.parts.get_mut(&at) else { continue };
            *count -= 1;
            if *count == 0 {
                self.shared -= *bytes;
                self.parts.remove(&at);
            }
        }
    }

    /// Bytes of all that the steps hold.
    pub(super) const fn bytes(&self) -> usize {
        self.own + self.shared
    }

    /// Bytes of those shared parts that something else has, too.
    pub(super) fn bytes_of(&self, others: &Parts) -> usize {
        others.shared.iter().filter_map(|(at, _)| self.parts.get(at)).map(|(bytes, _)| bytes).sum()
    }
}
