//! Evaluation of a mix at a time: its stack, and its playing clips.

use super::{
    Mixer, blend_weights,
    lanes::MixSample,
    mask, plane_weights,
    state::{Cut, Planned, PlannedBar},
};
use crate::Stack;
use ulna_model::{
    Clip, ClipId, Document, Enter, JointMask, Mix, MixBar, MixLane, NodeId, Plays, Shared,
};

/// A clip that plays at a time of a mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// Index of the lane.
    pub lane: usize,
    /// Index of the bar in the lane.
    pub bar: usize,
    /// Clip that the bar plays.
    pub clip: ClipId,
    /// Time of the clip, seconds.
    pub time: f64,
    /// Weight of the clip in its lane, without masks.
    pub weight: f32,
}

impl Mixer {
    /// Returns the stack of a mix at a time, over the file's pose.
    pub fn stack(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Stack {
        self.prepare(document, mix);
        let mut stack = self.lanes_at(document, MixSample::at(time));
        self.put_offsets(document, time, self.cuts.len(), &mut stack);
        stack
    }

    /// Returns the clips that play at a time, from the bottom lane to the top.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.prepare(document, mix);
        self.find_phases(time);
        let mut all = Vec::new();
        for lane in 0..self.lanes.len() {
            for share in
                self.shares(lane, time, None).into_iter().filter(|s| !s.frozen && s.weight > 0.0)
            {
                let voices =
                    self.voices(lane, share.bar, share.held.unwrap_or(time), share.held.is_some());
                all.extend(voices.into_iter().map(|voice| Playing {
                    lane,
                    bar: share.bar,
                    clip: self.lanes[lane].bars[share.bar].voices[voice.clip].0,
                    time: voice.time,
                    weight: voice.weight * share.weight,
                }));
            }
        }
        all
    }

    /// Adjusts a changed mix so that a synchronized bar keeps its phase at a time. Used for sliders
    /// during playback.
    #[must_use]
    pub fn keeping_step(
        &mut self,
        document: &Document,
        (before, mut after): (&Shared<Mix>, Mix),
        (lane, bar): (usize, usize),
        time: f64,
    ) -> Mix {
        /// Number of iterations. The phase depends on the offset, so the offset is computed by
        /// iteration.
        const ROUNDS: usize = 4;
        self.prepare(document, before);
        let group = |mixer: &Self| mixer.lanes.get(lane)?.bars.get(bar)?.group;
        let Some(wanted) = group(self).map(|g| self.phase(g, time)) else { return after };
        for _ in 0..ROUNDS {
            self.prepare(document, &Shared::new(after.clone()));
            let Some(g) = group(self) else { return after };
            let off = wanted - self.phase(g, time);
            let (first, offset) = self.groups[g].offset_for(off);
            if let Some(first) = after.lanes.get_mut(lane).and_then(|l| l.bars.get_mut(first)) {
                first.offset = offset;
            }
        }
        after
    }

    /// Mean of the combined mask of a bar and its lane over some nodes, `0..=1`.
    pub(super) fn counts_at(&self, lane: usize, bar: usize, nodes: &[NodeId]) -> f32 {
        let Some(planned) = self.lanes.get(lane) else { return 0.0 };
        let at = |mask: Option<&JointMask>, n: NodeId| mask.map_or(1.0, |m| m.at(n));
        let one =
            |n: &NodeId| at(planned.mask.as_ref(), *n) * at(planned.bars[bar].mask.as_ref(), *n);
        nodes.iter().map(one).sum::<f32>() / nodes.len().max(1) as f32
    }

    pub(super) fn prepare(&mut self, document: &Document, mix: &Shared<Mix>) {
        let clips: Vec<(ClipId, Shared<Clip>)> = {
            let mut ids: Vec<ClipId> =
                mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips).copied().collect();
            ids.sort_unstable();
            ids.dedup();
            ids.into_iter().filter_map(|id| Some((id, document.clips.get(id)?.clone()))).collect()
        };
        // Changes of rest transforms matter only for cached poses. Masks and contacts depend only
        // on the tree.
        let keeps = !self.cuts.is_empty() || !self.frozen.is_empty();
        let same_nodes = Shared::ptr_eq(self.nodes.tree(), document.nodes.tree())
            && (!keeps || self.nodes == document.nodes);
        let same = self.mix == *mix
            && self.layers == document.aids.pose_layers
            && same_nodes
            && self.clips.len() == clips.len()
            && self.clips.iter().zip(&clips).all(|((a, x), (b, y))| a == b && Shared::ptr_eq(x, y));
        if same {
            return;
        }
        let layers = document.aids.pose_layers.clone();
        *self = Self {
            mix: mix.clone(),
            clips,
            layers,
            nodes: document.nodes.clone(),
            ..Self::default()
        };
        let mask = |mask: &Option<_>| mask.as_ref().map(|m| mask::weights(document, m));
        let clip =
            |id: ClipId| self.clips.iter().find(|(c, _)| *c == id).map(|(_, clip)| clip.clone());
        for lane in &mix.lanes {
            let bars = lane.bars.iter().map(|bar| {
                let there = |id: &ClipId| Some((*id, clip(*id)?));
                let (voices, weights): (Vec<(ClipId, Shared<Clip>)>, Vec<f32>) = match &bar.plays {
                    Plays::Clip(id) => (there(id).into_iter().collect(), vec![1.0]),
                    Plays::Blend { points, value } => {
                        let mut all: Vec<_> =
                            points.iter().filter_map(|(id, at)| Some((there(id)?, *at))).collect();
                        all.sort_by(|a, b| a.1.total_cmp(&b.1));
                        let (voices, places): (Vec<_>, Vec<f32>) = all.into_iter().unzip();
                        (voices, blend_weights(&places, *value))
                    }
                    Plays::Plane { points, value } => {
                        let all = points.iter().filter_map(|(id, at)| Some((there(id)?, *at)));
                        let (voices, places): (Vec<_>, Vec<[f32; 2]>) = all.unzip();
                        (voices, plane_weights(&places, *value))
                    }
                };
                let lengths = voices.iter().map(|v| f64::from(v.1.length())).collect();
                PlannedBar { mask: mask(&bar.mask), voices, weights, lengths, group: None }
            });
            let order = lane.in_order();
            let ends = order.iter().scan(0.0f64, |last, b| {
                *last = last.max(lane.bars[*b].end());
                Some(*last)
            });
            let ends = ends.collect();
            self.lanes.push(Planned { order, ends, mask: mask(&lane.mask), bars: bars.collect() });
        }
        self.find_holdings();
        self.find_groups(document);
        let solo = mix.lanes.iter().any(|l| l.solo);
        let heard = |l: &MixLane| l.on && (l.solo || !solo) && l.weight > 0.0;
        for (l, lane) in mix.lanes.iter().enumerate().filter(|(_, l)| heard(l)) {
            for (place, bar) in self.lanes[l].order.iter().map(|b| &lane.bars[*b]).enumerate() {
                if bar.enter == Enter::Inertial && bar.fade_in > 0.0 {
                    self.cuts.push(Cut {
                        lane: l,
                        place,
                        start: bar.start,
                        length: bar.fade_in,
                        found: None,
                    });
                }
            }
        }
        self.cuts.sort_by(|a, b| {
            a.start.total_cmp(&b.start).then(a.lane.cmp(&b.lane)).then(a.place.cmp(&b.place))
        });
    }
}
