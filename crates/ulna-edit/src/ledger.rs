//! Memory use of all undo steps. Shared parts are counted once.

use std::collections::HashMap;

use ulna_model::{Held, Parts};

/// Memory use of undo steps. A shared part is counted as long as one step contains it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Bytes that belong to a single step.
    own: usize,
    /// Shared parts by address, with their size in bytes and the number of steps that contain them.
    parts: HashMap<usize, (usize, usize)>,
    /// Bytes of all shared parts.
    shared: usize,
}

impl Ledger {
    /// Adds the memory of a step.
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

    /// Subtracts the memory of a removed step.
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

    /// Total size of all steps, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.own + self.shared
    }

    /// Size of the shared parts that are also in `others`, in bytes.
    pub(super) fn bytes_of(&self, others: &Parts) -> usize {
        others.shared.iter().filter_map(|(at, _)| self.parts.get(at)).map(|(bytes, _)| bytes).sum()
    }
}
