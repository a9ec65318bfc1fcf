//! Clips of the source on the target, by a map.

use std::sync::Arc;

use super::lanes::ChosenClips;
use crate::ui::{RetargetResult, RetargetSummary};
use ulna_model::{ChainPosition, Clip, ClipId, Document, Goal, RetargetChain, RetargetMap, Shared};
use ulna_motion::{ClipTransfer, KeysBy, guessed_bones};

/// Both bodies, to be worked with on another thread.
#[derive(Clone)]
pub(super) struct Bodies {
    pub source: Arc<Document>,
    pub target: Arc<Document>,
}

/// A clip of the source on the target.
pub(super) struct CarriedTo {
    /// The clip of the source, an index into its clips.
    pub of: usize,
    pub clip: Clip,
    /// Sliding of each contact before and after, meters.
    pub slides: Vec<[f32; 2]>,
}

/// Finds the chains of two bodies.
pub(super) fn guess(source: &Document, target: &Document) -> RetargetMap {
    let bones = [guessed_bones(source), guessed_bones(target)];
    let documents = [source, target];
    let names = |body: usize, roles: &[&str]| {
        let found = roles.iter().filter_map(|role| bones[body].get(role));
        found.map(|n| documents[body].node(*n).label(*n)).collect::<Vec<_>>()
    };
    let chain = |name: &str, roles: &[&str]| RetargetChain {
        name: name.to_owned(),
        source: names(0, roles),
        target: names(1, roles),
        contacts: name.ends_with("leg"),
        position: if name == "Hips" { ChainPosition::Scale } else { ChainPosition::Fixed },
        ..RetargetChain::default()
    };
    let chains = vec![
        chain("Hips", &["hips"]),
        chain("Spine", &["spine", "chest", "upperChest"]),
        chain("Head", &["neck", "head"]),
        chain("Left arm", &["leftUpperArm", "leftLowerArm", "leftHand"]),
        chain("Right arm", &["rightUpperArm", "rightLowerArm", "rightHand"]),
        chain("Left leg", &["leftUpperLeg", "leftLowerLeg", "leftFoot"]),
        chain("Right leg", &["rightUpperLeg", "rightLowerLeg", "rightFoot"]),
        chain("Left toes", &["leftToes"]),
        chain("Right toes", &["rightToes"]),
    ];
    RetargetMap { chains, ..RetargetMap::default() }
}

fn transfer<'a>(bodies: &'a Bodies, map: &RetargetMap) -> ClipTransfer<'a> {
    let node = |document: &Document, name: &str| {
        document.node_ids().find(|n| document.node(*n).label(*n) == name)
    };
    let mut chosen = std::collections::BTreeMap::new();
    for chain in &map.chains {
        for (from, to) in chain.source.iter().zip(&chain.target) {
            if let Some(from) = node(&bodies.source, from) {
                chosen.insert(from, node(&bodies.target, to));
            }
        }
    }
    ClipTransfer::new(&bodies.source, &bodies.target, KeysBy::Rests, &chosen)
}

/// The shown clip on the target.
pub(super) fn preview(
    bodies: &Bodies,
    map: &RetargetMap,
    (of, id): (usize, ClipId),
    contacts: Option<&[Goal]>,
) -> RetargetResult {
    let transfer = transfer(bodies, map);
    let clip = transfer.clip(&bodies.source.clips[id]).clip;
    RetargetResult {
        of,
        clip: Shared::new(clip),
        contacts: contacts.unwrap_or_default().into(),
        feet: Vec::new(),
        times: Vec::new(),
        hips: Default::default(),
        lowered: 0.0,
        short: Vec::new(),
        heights: [1.0, transfer.ratio()],
        height: transfer.ratio(),
        rest_difference: 0.0,
        fault: None,
    }
}

/// Chosen clips on the target; nothing if the work was stopped.
pub(super) fn all(
    bodies: &Bodies,
    map: &RetargetMap,
    clips: &ChosenClips,
    ids: &[ClipId],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<Vec<CarriedTo>>, String> {
    let transfer = transfer(bodies, map);
    let mut made = Vec::new();
    for (of, _) in clips {
        if is_stopped() {
            return Ok(None);
        }
        let Some(id) = ids.get(*of) else { continue };
        let clip = transfer.clip(&bodies.source.clips[*id]).clip;
        made.push(CarriedTo { of: *of, clip, slides: Vec::new() });
    }
    Ok(Some(made))
}

/// Contacts over all of them.
pub(super) fn summary(made: &[CarriedTo]) -> RetargetSummary {
    let mut all = RetargetSummary {
        clips: made.len(),
        contacts: 0,
        worst: [0.0; 2],
        worst_clip: made.first().map_or(0, |c| c.of),
    };
    for clip in made {
        all.contacts += clip.slides.len();
        for [before, after] in &clip.slides {
            all.worst[0] = all.worst[0].max(*before);
            if *after > all.worst[1] {
                (all.worst[1], all.worst_clip) = (*after, clip.of);
            }
        }
    }
    all
}
