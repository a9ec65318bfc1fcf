//! A bar that holds its last pose, and its remaining weight under a fade.

use ulna_model::{Enter, MixBar};

/// A bar that holds its last pose for a while. It depends only on the mix, not on the time.
#[derive(Clone, Debug)]
pub(super) struct Holding {
    pub(super) lane: usize,
    pub(super) bar: usize,
    /// End of the bar, seconds of the mix.
    pub(super) end: f64,
    /// End of the last fade over the bar, seconds of the mix.
    pub(super) until: f64,
    /// The bars that fade in over this bar. Each has its lane, and its place in the lane's order.
    pub(super) fades: Vec<(usize, usize)>,
}

/// The state of a held bar at a time.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Time of the held pose, which is the end of the bar, seconds of the mix.
    pub at: f64,
    /// Remaining fraction of the bar's weight, `0..=1`.
    pub share: f32,
    /// Remaining fraction of the bar's weight by node; `None` if it is the same for all nodes.
    pub by_node: Option<Vec<f32>>,
}

impl Held {
    /// Combines the remaining fractions under two fades: the larger fraction is used.
    pub(super) fn add(&mut self, share: f32, by_node: Option<Vec<f32>>) {
        if by_node.is_none() && self.by_node.is_none() {
            self.share = self.share.max(share);
            return;
        }
        let count = by_node.as_ref().or(self.by_node.as_ref()).map_or(0, Vec::len);
        let own = self.by_node.take().unwrap_or_else(|| vec![self.share; count]);
        let other = by_node.unwrap_or_else(|| vec![share; count]);
        self.by_node = Some(own.iter().zip(&other).map(|(a, b)| a.max(*b)).collect());
        self.share = 1.0;
    }
}

/// Returns the remaining fraction of a held bar's weight under a fade, `0..=1`. `now` is the
/// current progress of the fade, and `first` its progress when the held bar ended. `cover` is the
/// fraction of the held bar that the finished fade covers.
///
/// The visible weight is this fraction times `1 - now * cover`. It decreases linearly from its
/// value at the bar's end to 0 at the end of the fade.
pub(super) fn left(now: f32, first: f32, cover: f32) -> f32 {
    if now >= 1.0 {
        return 0.0;
    }
    if cover >= 1.0 {
        return 1.0;
    }
    ((1.0 - first * cover) * (1.0 - now) / ((1.0 - first).max(1e-6) * (1.0 - now * cover)))
        .clamp(0.0, 1.0)
}

/// Returns the time at which the bar `next` has completely replaced the ending bar `about`. `None`
/// if `next` does not fade in from `about`.
pub(super) fn takes_over(about: &MixBar, next: &MixBar) -> Option<f64> {
    if next.start < about.start || next.end() <= about.end() {
        return None;
    }
    let fades = !matches!(next.enter, Enter::Cut | Enter::Inertial) && next.fade_in > 0.0;
    let over = if fades { next.start + next.fade_in } else { next.start };
    (over > about.end()).then_some(over)
}
