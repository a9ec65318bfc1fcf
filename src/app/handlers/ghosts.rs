//! Onion skins: the model at other times of the displayed clip. This module chooses the times, and
//! decides when to recompute the poses.

use super::overlays::GhostsAsked;
use crate::{
    app::{App, viewport_renderer::GhostsWanted},
    ui::{Compare, Onion},
};
use ulna_model::{Clip, NodeId};

/// A time of a clip in seconds, and its signed distance to the playhead in −1..=1. 0 is nearest,
/// and times before the playhead are negative.
type GhostTime = (f32, f32);

/// Times of the ghosts within the clip.
///
/// `keys` are the sorted times of keys, used if ghosts are shown at keys instead of every few
/// frames.
fn moments(onion: Onion, now: f64, fps: f64, range: (f32, f32), keys: &[f32]) -> Vec<GhostTime> {
    let count = |n: u32| n.min(Onion::MOST) as usize;
    // Times are offsets from the nearest whole frame, so that computed poses can be reused.
    let frame = (now * fps).round();
    let half = (0.5 / fps) as f32;
    let side = |later: bool, many: usize| {
        let near = now as f32;
        let times: Vec<f32> = if onion.by_keys {
            if later {
                keys.iter().copied().filter(|t| *t > near + half).take(many).collect()
            } else {
                keys.iter().rev().copied().filter(|t| *t < near - half).take(many).collect()
            }
        } else {
            let way = if later { 1.0 } else { -1.0 };
            let at =
                |k: usize| ((frame + way * (k as f64) * f64::from(onion.step.max(1))) / fps) as f32;
            (1..=many).map(at).filter(|t| (range.0 - half..=range.1 + half).contains(t)).collect()
        };
        let way = if later { 1.0 } else { -1.0 };
        times
            .into_iter()
            .enumerate()
            .map(move |(k, t)| (t.clamp(range.0, range.1), way * k as f32 / many as f32))
    };
    let before: Vec<GhostTime> = side(false, count(onion.before)).collect();
    before.into_iter().chain(side(true, count(onion.after))).collect()
}

/// Sorted key times of these nodes, or of all nodes if these have no keys.
fn key_times(clip: &Clip, nodes: &[NodeId]) -> Vec<f32> {
    let of = |nodes: &[NodeId]| -> Vec<f32> {
        let meant = clip.tracks.values().filter(|t| nodes.is_empty() || nodes.contains(&t.target));
        meant.flat_map(|t| t.times.iter().copied()).collect()
    };
    let mut times = of(nodes);
    if times.is_empty() {
        times = of(&[]);
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

impl App {
    /// Shows the requested ghosts, and computes the poses of new ones. Hides them during playback.
    pub(in crate::app) fn show_ghosts(&mut self) {
        let onion = self.viewport.options.onion;
        let shown = self.shown_clip();
        // During a loop repair, the pose at time 0 is shown as a ghost.
        let mends = self.timeline.repair.is_some_and(|r| Some(r.clip) == shown);
        let poses = self.mode.spec().poses;
        let compares = self.viewport.compared() == Compare::Both && poses && !self.mixes();
        let onions = (onion.shown || mends) && shown.is_some();
        let wanted = (onions || compares) && poses && !self.timeline.playback.playing;
        let (Some(session), true) = (&self.session, wanted) else {
            self.renderer.hide_ghosts();
            return;
        };
        let document = session.document();
        // Nodes that were added later do not exist in the file as opened, so the two cannot be
        // compared.
        let compares = compares && session.opened().nodes.len() == document.nodes.len();
        let clip = shown.and_then(|id| document.clips.get(id));
        let playback = &self.timeline.playback;
        let nodes: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
        let of = GhostsWanted {
            made_from: (session.generation(), shown),
            as_opened: compares,
            between: playback.between,
            of: if onion.of_selected && !compares { nodes.clone() } else { Vec::new() },
            moments: Vec::new(),
        };
        let asked = GhostsAsked {
            made_from: of.made_from,
            mends,
            compares,
            between: playback.between,
            time: playback.time.to_bits(),
            fps: playback.fps.to_bits(),
            onion,
            nodes,
        };
        if self.ghosts_asked.as_ref() == Some(&asked) && self.renderer.shows_ghosts() {
            return;
        }
        let keys = match clip {
            Some(clip) if onion.by_keys => key_times(clip, &asked.nodes),
            _ => Vec::new(),
        };
        let moments = match clip {
            // The file as opened, at the playhead.
            _ if compares => vec![(playback.time as f32, -0.0)],
            _ if mends => vec![(0.0, -0.0)],
            Some(clip) => moments(onion, playback.time, playback.fps, (0.0, clip.length()), &keys),
            None => Vec::new(),
        };
        self.renderer.show_ghosts(session, shown, GhostsWanted { moments, ..of });
        self.ghosts_asked = Some(asked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONION: Onion =
        Onion { shown: true, by_keys: false, step: 4, before: 2, after: 3, of_selected: false };

    #[test]
    fn ghosts_are_at_whole_frames_around_the_playhead_within_the_clip() {
        let times = |now: f64| -> Vec<i32> {
            moments(ONION, now, 30.0, (0.0, 1.0), &[])
                .iter()
                .map(|(t, _)| (t * 30.0).round() as i32)
                .collect()
        };
        assert_eq!(times(0.5), [11, 7, 19, 23, 27]);
        // Between two frames the times do not change, so that no pose is recomputed.
        assert_eq!(times(0.51), times(0.5));
        assert_eq!(times(0.0), [4, 8, 12]);
        assert_eq!(times(1.0), [26, 22]);
    }

    #[test]
    fn ghosts_at_keys_are_the_nearest_on_either_side_and_fade_with_distance() {
        let onion = Onion { by_keys: true, ..ONION };
        let keys = [0.0, 0.1, 0.4, 0.5, 0.9];
        let found = moments(onion, 0.4, 30.0, (0.0, 0.9), &keys);
        let times: Vec<f32> = found.iter().map(|m| m.0).collect();
        assert_eq!(times, [0.1, 0.0, 0.5, 0.9]);
        assert!(found[0].1.abs() < found[1].1.abs() && found[1].1 < 0.0 && found[3].1 > found[2].1);
        assert!(
            moments(Onion { before: 0, after: 0, ..onion }, 0.4, 30.0, (0.0, 0.9), &keys)
                .is_empty()
        );
    }
}
