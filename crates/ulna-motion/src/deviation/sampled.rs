//! Motions of two documents, and the poses of both at a time.

use super::{moments::sample_times, request::DeviationRequest, result::ComparedMotion};
use crate::{Evaluator, Mixer, Pose, Stack};
use ulna_model::{Document, LayerHome, Mix, Shared, UnkeyedAt};

/// A motion of both documents, and the times of its comparison.
pub(super) struct SampledMotion {
    pub motion: ComparedMotion,
    /// The unkeyed pose on top of the motion, if any.
    pub unkeyed: Option<UnkeyedAt>,
    /// Times at which both documents are compared, seconds.
    pub times: Vec<f64>,
}

/// Both documents with their mixes.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub documents: [&'a Document; 2],
    pub mixes: [Option<&'a Shared<Mix>>; 2],
}

impl Sources<'_> {
    /// Lists the motions of a request: the file's pose, all clips that both documents have, their
    /// unkeyed poses, and the mix. `all_tracks` is passed to [`sample_times`].
    pub fn motions(&self, request: &DeviationRequest<'_>, all_tracks: bool) -> Vec<SampledMotion> {
        let [before, after] = self.documents;
        let pose = SampledMotion { motion: ComparedMotion::Pose, unkeyed: None, times: vec![0.0] };
        let mut motions = vec![pose];
        for (id, clip) in before.clips.iter() {
            let Some(changed) = after.clips.get(id) else { continue };
            let layers = self.documents.map(|d| d.aids.layers(LayerHome::Clip(id)));
            let pair = [(clip, &layers[0]), (changed, &layers[1])];
            let times = sample_times(pair, request.exactness, all_tracks, request.most_times);
            let motion = ComparedMotion::Clip(id);
            motions.push(SampledMotion { motion, unkeyed: None, times });
            let own = before.aids.unkeyed.keys().filter(|at| at.clip == id);
            motions.extend(own.map(|at| SampledMotion {
                motion,
                unkeyed: Some(*at),
                times: vec![f64::from(at.time())],
            }));
        }
        if let [Some(mix), Some(_)] = self.mixes
            && mix.length() > 0.0
        {
            let times = mix_times(mix, request.most_times);
            motions.push(SampledMotion { motion: ComparedMotion::Mix, unkeyed: None, times });
        }
        motions
    }
}

/// Returns the sample times of a mix in seconds, sorted: thirty per second, at most `most`, both
/// ends included. The request's exactness does not apply, since averaged clips may deviate even if
/// each clip alone does not.
fn mix_times(mix: &Mix, most: usize) -> Vec<f64> {
    const RATE: f64 = 30.0;
    let length = mix.length();
    let steps = ((length * RATE).ceil() as usize).clamp(1, most.max(2) - 1);
    (0..=steps).map(|k| length * k as f64 / steps as f64).collect()
}

/// Evaluators and poses of both documents.
#[derive(Default)]
pub(super) struct PoseState {
    evaluators: [Evaluator; 2],
    mixers: [Mixer; 2],
    pub poses: [Pose; 2],
}

impl PoseState {
    /// Evaluates both documents at one time of a motion.
    pub fn update(&mut self, sources: &Sources<'_>, sampled: &SampledMotion, time: f64) {
        for (k, document) in sources.documents.into_iter().enumerate() {
            let stack = match (sampled.motion, sources.mixes[k]) {
                (ComparedMotion::Mix, Some(mix)) => self.mixers[k].stack(document, mix, time),
                (motion, _) => {
                    let own = sampled.unkeyed.and_then(|at| document.aids.unkeyed.get(&at));
                    Stack::shown(document, motion.clip(), time).with_unkeyed(own.cloned())
                }
            };
            self.evaluators[k].update(document, &stack, &mut self.poses[k]);
        }
    }

    pub fn poses(&self) -> [&Pose; 2] {
        self.poses.each_ref()
    }
}
