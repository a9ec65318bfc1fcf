//! Retargets clips of the source to the target, with a map of joint chains.

use std::sync::Arc;

use rayon::prelude::*;

use crate::ui::{ContactBar, FootResult, RetargetResult, RetargetSummary};
use ulna_model::{Clip, ClipId, Document, Goal, NodeId, RetargetMap, Shared};
use ulna_motion::{
    Evaluator, Pose, Stack,
    retarget::{
        ContactSlide, Retarget, RetargetKeys, contact_slides, foot_speeds, guess_map,
        is_hand_joint, table_node,
    },
};

/// Maximum number of samples of a clip's speeds.
const SAMPLES: usize = 900;

/// Documents of both bodies, for use on another thread.
#[derive(Clone)]
pub(super) struct Bodies {
    pub source: Arc<Document>,
    pub target: Arc<Document>,
}

/// Indices of the chosen source clips, with manually changed contacts if any.
pub(super) type ChosenClips = Vec<(usize, Option<Arc<[Goal]>>)>;

/// A source clip after retargeting.
pub(super) struct CarriedTo {
    /// Index of the source clip.
    pub of: usize,
    /// The retargeted clip, with its contacts.
    pub clip: Clip,
    /// Sliding of each contact before and after locking, in meters.
    pub slides: Vec<[f32; 2]>,
    /// Number of keys before and after key reduction.
    pub keys: [usize; 2],
    /// Largest distance of a vertex due to key reduction in meters, scaled to a body 1.8 m tall.
    pub key_error: f32,
}

/// Matches the joint chains of two bodies.
pub(super) fn guess(source: &Document, target: &Document) -> RetargetMap {
    guess_map(source, target)
}

/// A foot or a hand with contacts.
struct Foot {
    chain: usize,
    name: String,
    is_hand: bool,
    source: NodeId,
    target: NodeId,
}

fn feet_of(bodies: &Bodies, map: &RetargetMap) -> Vec<Foot> {
    let chains = map.chains.iter().enumerate().filter(|(_, c)| c.contacts);
    let foot = |(chain, about): (usize, &ulna_model::RetargetChain)| {
        let source = table_node(&bodies.source, about.source.last()?)?;
        let target = table_node(&bodies.target, about.target.last()?)?;
        let is_hand =
            is_hand_joint(&bodies.source, source) || is_hand_joint(&bodies.target, target);
        let name = match (about.name.strip_suffix(" leg"), about.name.strip_suffix(" arm")) {
            (Some(side), _) => format!("{side} foot"),
            (_, Some(side)) => format!("{side} hand"),
            _ => about.name.clone(),
        };
        Some(Foot { chain, name, is_hand, source, target })
    };
    chains.filter_map(foot).collect()
}

/// Sample times of a clip, in seconds.
fn sample_times(clip: &Clip) -> Vec<f32> {
    let length = clip.length();
    let fps = clip.guess_fps().map_or(30.0, |(fps, _)| fps as f32).clamp(10.0, 60.0);
    let count = ((length * fps).ceil() as usize).clamp(1, SAMPLES);
    (0..=count).map(|k| length * k as f32 / count as f32).collect()
}

/// Heights of a node at the sample times of a clip, in meters.
fn heights(document: &Document, clip: &Shared<Clip>, node: NodeId, times: &[f32]) -> Vec<f32> {
    let (mut evaluator, mut pose) = (Evaluator::beside(), Pose::default());
    let height = |time: &f32| {
        let stack = Stack::of(Some(clip), f64::from(*time));
        evaluator.update(document, &stack, &mut pose);
        pose.world.get(node.index()).map_or(0.0, |w| w.w_axis.y)
    };
    times.iter().map(height).collect()
}

/// Largest sliding of a foot in meters, before locking.
fn most(slides: &[ContactSlide], foot: NodeId) -> f32 {
    slides.iter().filter(|s| s.foot == foot).map(|s| s.before).fold(0.0, f32::max)
}

/// Result with the reason why a map cannot be used.
fn refused(of: usize, contacts: Option<&[Goal]>, fault: String) -> RetargetResult {
    RetargetResult {
        of,
        clip: Shared::default(),
        contacts: contacts.unwrap_or_default().into(),
        feet: Vec::new(),
        times: Vec::new(),
        hips: Default::default(),
        lowered: 0.0,
        short: Vec::new(),
        heights: [0.0; 2],
        height: 1.0,
        rest_difference: 0.0,
        fault: Some(fault),
    }
}

/// Retargets the shown clip, and measures the result.
pub(super) fn preview(
    bodies: &Bodies,
    map: &RetargetMap,
    (of, id): (usize, ClipId),
    contacts: Option<&[Goal]>,
) -> RetargetResult {
    let Bodies { source, target } = bodies;
    let own = &source.clips[id];
    let mut plain_map = map.clone();
    plain_map.contacts.lock = false;
    // Height factor by the rest poses, without the factors that the user typed.
    let mut by_rests = map.clone();
    (by_rests.height, by_rests.stride) = (None, None);
    let made = Retarget::new(source, target, map);
    let plain = Retarget::new(source, target, &plain_map);
    let rests = Retarget::new(source, target, &by_rests);
    let (made, plain, rests) = match (made, plain, rests) {
        (Ok(made), Ok(plain), Ok(rests)) => (made, plain, rests),
        (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
            let mut text = error.to_string();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            return refused(of, contacts, text);
        }
    };
    let goals: Arc<[Goal]> = contacts.map_or_else(|| made.contacts(own).into(), Into::into);
    let retargeted = made.clip(own, Some(&goals));
    let before = Shared::new(plain.clip(own, Some(&goals)).carried.clip);
    let clip = Shared::new(retargeted.carried.clip);
    let times = sample_times(own);
    let own_slides = contact_slides(source, own, &goals);
    let foot = |foot: Foot| {
        let slides = retargeted.slides.iter().filter(|s| s.foot == foot.target);
        let contacts = slides.map(|s| {
            let own = Goal::followed(&retargeted.contacts, s.foot, [s.from, s.to]);
            let follows = own.first().map(|n| target.node(*n).label(*n));
            ContactBar { from: s.from, to: s.to, slide: Some([s.before, s.after]), follows }
        });
        FootResult {
            contacts: contacts.collect(),
            own_slide: most(&own_slides, foot.source),
            speeds: [&before, &clip].map(|clip| foot_speeds(target, clip, foot.target, &times)),
            chain: foot.chain,
            name: foot.name,
            is_hand: foot.is_hand,
            source: foot.source,
            target: foot.target,
        }
    };
    let feet: Vec<FootResult> = feet_of(bodies, map).into_iter().map(foot).collect();
    let hips = map.chains.iter().find_map(|c| {
        let from = table_node(source, c.source.first()?)?;
        Some((from, table_node(target, c.target.first()?)?))
    });
    let hips = hips.map_or_else(Default::default, |(from, to)| {
        let scaled = heights(source, own, from, &times).into_iter().map(|h| h * made.height());
        [scaled.collect(), heights(target, &clip, to, &times)]
    });
    let name = |node: &NodeId| {
        let foot = feet.iter().find(|f| f.target == *node);
        foot.map_or_else(|| target.node(*node).label(*node), |f| f.name.clone())
    };
    RetargetResult {
        of,
        clip,
        contacts: goals,
        times,
        hips,
        lowered: retargeted.lowered,
        short: retargeted.short.iter().map(name).collect(),
        feet,
        heights: made.hip_heights(),
        height: rests.height(),
        rest_difference: made.rest_difference(),
        fault: None,
    }
}

/// Retargets the chosen clips; `None` if the work was canceled.
pub(super) fn all(
    bodies: &Bodies,
    (map, keys): (&RetargetMap, RetargetKeys),
    clips: &ChosenClips,
    ids: &[ClipId],
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<CarriedTo>>, String> {
    let retarget =
        Retarget::new(&bodies.source, &bodies.target, map).map_err(|error| error.to_string())?;
    let one = |(of, contacts): &(usize, Option<Arc<[Goal]>>)| {
        let clip = bodies.source.clips.get(*ids.get(*of)?)?;
        if is_stopped() {
            return None;
        }
        let mut made = retarget.clip(clip, contacts.as_deref());
        let clip = made.carried.clip;
        let keyed = keys.applied(&bodies.target, clip, &made.contacts, &mut made.slides);
        let slides = made.slides.iter().map(|s| [s.before, s.after]).collect();
        let clip = Clip { contacts: made.contacts.into(), ..keyed.clip };
        Some(CarriedTo { of: *of, clip, slides, keys: keyed.keys, key_error: keyed.error })
    };
    let made: Vec<CarriedTo> = clips.par_iter().filter_map(one).collect();
    Ok((!is_stopped()).then_some(made))
}

/// Facts about the contacts of all retargeted clips.
pub(super) fn summary(made: &[CarriedTo]) -> RetargetSummary {
    let mut all = RetargetSummary {
        clips: made.len(),
        contacts: 0,
        worst: [0.0; 2],
        worst_clip: made.first().map_or(0, |c| c.of),
        bytes: [0; 2],
    };
    for clip in made {
        all.contacts += clip.slides.len();
        let tracks = || clip.clip.tracks.values();
        let rate = clip.clip.guess_fps().map_or(30.0, |(rate, _)| rate).clamp(1.0, 1000.0);
        let frames = (f64::from(clip.clip.length()) * rate).round() as usize + 1;
        all.bytes[0] += tracks().map(|t| t.values.len() * 4).sum::<usize>();
        all.bytes[1] += tracks().map(|t| t.width * frames * 4).sum::<usize>();
        for [before, after] in &clip.slides {
            all.worst[0] = all.worst[0].max(*before);
            if *after > all.worst[1] {
                (all.worst[1], all.worst_clip) = (*after, clip.of);
            }
        }
    }
    all
}
