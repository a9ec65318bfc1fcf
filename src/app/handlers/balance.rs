//! Center of mass of the displayed pose, and its path over the clip. Computed again when the pose,
//! the weights or the clip change.

use super::overlays::BalanceState;
use crate::app::App;
use ulna_motion::{Evaluator, Masses, Pose, Stack};

/// Number of steps of the center of mass's path over the clip.
const PLACES: usize = 96;

impl App {
    /// Computes the center of mass if its display is on.
    pub(in crate::app) fn update_balance(&mut self) {
        let clip = self.shown_clip();
        let Some(session) = &self.session else { return };
        if !self.viewport.options.balance || !self.mode.spec().poses {
            self.balance = BalanceState::default();
            return;
        }
        let document = session.document();
        let BalanceState { masses, of, way_of, now, path } = &mut self.balance;
        let masses = masses.update(document.meshes.clone(), |_| Masses::of(document));
        let key = (self.renderer.pose_serial(), session.generation());
        if *of != Some(key) {
            *of = Some(key);
            let held = |n| document.aids.pins.get(&n).is_some_and(|p| p.place);
            *now = masses.balance(document, self.renderer.pose(), &held);
        }
        let shown = clip.and_then(|id| Some((id, document.clips.get(id)?)));
        let between = self.timeline.playback.between;
        let key = shown.map(|(id, _)| (session.generation(), id, between));
        // During a gesture the path is not recomputed, because each of its points needs a pose.
        let same_clip = way_of.map(|k| (k.1, k.2)) == key.map(|k| (k.1, k.2));
        if *way_of != key && (!session.history().is_open() || !same_clip) {
            *way_of = key;
            path.clear();
            let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
            if let Some((id, clip)) = shown {
                let length = f64::from(clip.length());
                path.extend((0..=PLACES).filter_map(|k| {
                    let stack = Stack::shown(document, Some(id), length * k as f64 / PLACES as f64);
                    evaluator.update(document, &stack.going(between), &mut pose);
                    masses.center(document, &pose)
                }));
            }
        }
    }
}
