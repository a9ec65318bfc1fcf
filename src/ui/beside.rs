//! Computes facts about large files on another thread. Panels show a fact as soon as it is ready.

use std::sync::{Arc, OnceLock};

use egui::Context;

/// Maximum number of keys for which a fact is computed at once, on the calling thread.
const FEW: usize = 50_000;

/// A computed value with its inputs.
#[derive(Clone, Debug)]
pub struct Beside<K, T> {
    of: Option<K>,
    found: Arc<OnceLock<T>>,
}

impl<K, T> Default for Beside<K, T> {
    fn default() -> Self {
        Self { of: None, found: Arc::default() }
    }
}

impl<K: PartialEq, T: Send + Sync + 'static> Beside<K, T> {
    /// Returns the value for the inputs `of`; `None` while another thread computes it.
    ///
    /// `take` copies the data for the computation and returns the closure that computes it. If
    /// `keys` is small, the closure runs at once. Otherwise it runs on another thread, and the
    /// window repaints when the value is ready.
    pub fn update<F>(
        &mut self,
        ctx: &Context,
        of: K,
        keys: usize,
        take: impl FnOnce() -> F,
    ) -> Option<&T>
    where
        F: FnOnce() -> T + Send + 'static,
    {
        if self.of.as_ref() != Some(&of) {
            let found = Arc::new(OnceLock::new());
            (self.of, self.found) = (Some(of), found.clone());
            let find = take();
            if keys <= FEW {
                found.get_or_init(find);
            } else {
                let ctx = ctx.clone();
                rayon::spawn(move || {
                    found.get_or_init(find);
                    ctx.request_repaint();
                });
            }
        }
        self.found.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_scanned_immediately_and_many_on_another_thread() {
        let ctx = Context::default();
        let mut fact = Beside::default();
        assert_eq!(fact.update(&ctx, 1, FEW, || || 10), Some(&10));
        assert_eq!(
            fact.update(&ctx, 1, FEW, || || 11),
            Some(&10),
            "it is kept as long as it is found from the same"
        );
        let (send, wait) = std::sync::mpsc::channel::<()>();
        let held = move || {
            wait.recv().ok();
            20
        };
        assert_eq!(
            fact.update(&ctx, 2, FEW + 1, || held),
            None,
            "what is known of another is not shown"
        );
        send.send(()).expect("somebody waits");
        let found = (0..500).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            fact.update(&ctx, 2, FEW + 1, || || 21).copied()
        });
        assert_eq!(found, Some(20));
    }
}
