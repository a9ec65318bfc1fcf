//! Weights of the bars of a lane at a time.

use super::Mixer;
use ulna_model::{Enter, JointMask};

/// Weight of a bar in its lane at a time.
pub(super) struct Share {
    pub(super) bar: usize,
    pub(super) weight: f32,
    pub(super) mask: Option<JointMask>,
    /// Whether the weight is that of the frozen pose under the bar's fade, instead of the bar's
    /// clips.
    pub(super) frozen: bool,
    /// End time of a bar that holds its last pose, seconds of the mix; `None` for other bars.
    pub(super) held: Option<f64>,
}

/// Returns the product of two optional masks.
pub(super) fn product(a: Option<&JointMask>, b: Option<&[f32]>) -> Option<JointMask> {
    match (a, b) {
        (None, None) => None,
        (Some(mask), None) => Some(mask.clone()),
        (None, Some(b)) => Some(JointMask(b.into())),
        (Some(mask), Some(b)) => {
            Some(JointMask(mask.0.iter().zip(b).map(|(a, b)| a * b).collect()))
        }
    }
}

impl Mixer {
    /// Computes the weights of the bars of a lane at a time, in the order of their starts. Later
    /// bars cover earlier ones. Held bars have the weight of their end. If `until` is in this lane,
    /// only the bars before its place are included.
    ///
    /// A bar that fades in over a frozen pose covers the bars before it with its full weight from
    /// the start. During the fade, its clips have its current weight, and the frozen pose has the
    /// rest of the full weight. Any part that the full weight does not cover remains visible
    /// before, during and after the fade.
    pub(super) fn shares(
        &self,
        lane: usize,
        time: f64,
        until: Option<(usize, usize)>,
    ) -> Vec<Share> {
        let before = until.filter(|(of, _)| *of == lane).map_or(usize::MAX, |(_, place)| place);
        let held = self.held(time, until);
        let (mix, planned) = (&self.mix.lanes[lane], &self.lanes[lane]);
        let mut made: Vec<Share> = Vec::new();
        let mut left = 1.0f32;
        let mut left_by_node: Option<Vec<f32>> = None;
        let begun = planned.order.partition_point(|b| mix.bars[*b].start <= time);
        for place in (0..begun.min(before)).rev() {
            if planned.ends[place] < time {
                break;
            }
            let b = planned.order[place];
            let bar = &mix.bars[b];
            let held = held.get(&(lane, b));
            let (at, part) = held.map_or((time, 1.0), |h| (h.at, h.share));
            let weight = bar.weight_at(at) * part;
            if weight <= 0.0 {
                continue;
            }
            let own =
                product(planned.bars[b].mask.as_ref(), held.and_then(|h| h.by_node.as_deref()));
            let own = own.as_ref();
            let share = |weight: f32, frozen: bool| Share {
                bar: b,
                weight: weight * left,
                mask: product(own, left_by_node.as_deref()),
                frozen,
                held: held.map(|h| h.at),
            };
            made.push(share(weight, false));
            if bar.along {
                continue;
            }
            let holds = matches!(bar.enter, Enter::Frozen | Enter::Keys) && mix.additive.is_none();
            let covers = if holds && at < bar.start + bar.fade_in {
                bar.full_weight_at(at) * part
            } else {
                weight
            };
            if covers > weight {
                made.push(share(covers - weight, true));
            }
            match own {
                None => left *= 1.0 - covers,
                Some(mask) => {
                    let list = left_by_node.get_or_insert_with(|| vec![1.0; mask.0.len()]);
                    list.iter_mut().zip(mask.0.iter()).for_each(|(l, m)| *l *= 1.0 - covers * m);
                }
            }
            if left <= 0.0 || left_by_node.as_ref().is_some_and(|l| l.iter().all(|l| *l <= 0.0)) {
                break;
            }
        }
        made.reverse();
        made
    }
}
