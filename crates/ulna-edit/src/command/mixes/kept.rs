//! The current mix of a document, or the mix saved in the file.

use std::{cell::RefCell, sync::Arc};

use super::{
    commands::{ClearMix, KeepMix, MixText, SetMix},
    text::{NamedMix, found_mix, named_mix, read_mix, sentence},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        names::{clip_text, find_clip, find_nodes},
    },
};
use ulna_model::{ClipId, Document, Mix, MixBar, MixMask, SceneId, Shared, SharedWeak, Tree};

/// Returns the current mix: the edited one, or the one saved in the file; `None` if there is none.
pub fn mix_of(document: &Document) -> Option<Shared<Mix>> {
    if let Some(mix) = &document.aids.mix {
        return Some(mix.clone());
    }
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.as_ref())?;
    // Cached, because this is called several times per frame and resolves names among all nodes.
    FOUND.with_borrow_mut(|found| {
        if let Some((_, mix)) = found.as_ref().filter(|(of, _)| of.is_of(document, kept)) {
            return Some(mix.clone());
        }
        let mix = Shared::new(kept_mix(document, kept).0);
        *found = Some((FoundIn::new(document, kept), mix.clone()));
        Some(mix)
    })
}

thread_local! {
    /// Cache of the last mix that was read from a file.
    static FOUND: RefCell<Option<(FoundIn, Shared<Mix>)>> = const { RefCell::new(None) };
}

/// Inputs of a resolved mix: its text form, and the names of all clips and nodes.
struct FoundIn {
    pub(super) kept: SharedWeak<NamedMix>,
    pub(super) tree: Shared<Tree>,
    pub(super) nodes: Vec<Option<Arc<str>>>,
    pub(super) clips: Vec<(ClipId, Option<Arc<str>>)>,
}

impl FoundIn {
    pub(super) fn new(document: &Document, kept: &Shared<NamedMix>) -> Self {
        Self {
            kept: Shared::downgrade(kept),
            tree: document.nodes.tree().clone(),
            nodes: document.nodes.slots().map(|n| n.and_then(|n| n.name.clone())).collect(),
            clips: document.clips.iter().map(|(id, c)| (id, c.name.clone())).collect(),
        }
    }

    pub(super) fn is_of(&self, document: &Document, kept: &Shared<NamedMix>) -> bool {
        let is_same = |a: &Option<Arc<str>>, b: Option<&Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        let nodes = document.nodes.slots().map(|n| n.and_then(|n| n.name.as_ref()));
        self.kept.is(kept)
            && self.tree == *document.nodes.tree()
            && self.clips.len() == document.clips.count()
            && self
                .clips
                .iter()
                .zip(document.clips.iter())
                .all(|((a, name), (b, clip))| *a == b && is_same(name, clip.name.as_ref()))
            && self.nodes.len() == nodes.len()
            && self.nodes.iter().zip(nodes).all(|(a, b)| is_same(a, b))
    }
}

/// Resolves the names in a saved mix. Bars and masks whose clips or joints are missing are removed.
/// The missing names are returned.
fn kept_mix(document: &Document, named: &NamedMix) -> (Mix, Vec<String>) {
    if let Ok(mix) = found_mix(document, named) {
        return (mix, Vec::new());
    }
    let mut gone: Vec<String> = Vec::new();
    let mut here = named.clone();
    let is_clip = |name: &String| find_clip(document, name).is_ok();
    let is_node = |name: &String| find_nodes(document, name).is_ok_and(|found| found.len() == 1);
    let mended = |mask: &mut Option<MixMask<String>>, gone: &mut Vec<String>| match mask {
        Some(MixMask::Below { joint, .. }) if !is_node(joint) => {
            gone.push(joint.clone());
            // The nodes of the mask are unknown. An empty mask is safer than a mask of all nodes.
            *mask = Some(MixMask::Painted(Default::default()));
        }
        Some(MixMask::Painted(list)) => {
            gone.extend(list.keys().filter(|n| !is_node(n)).cloned());
            list.retain(|n, _| is_node(n));
        }
        _ => {}
    };
    for lane in &mut here.lanes {
        mended(&mut lane.mask, &mut gone);
        for bar in &mut lane.bars {
            mended(&mut bar.mask, &mut gone);
            gone.extend(bar.clips().filter(|c| !is_clip(c)).cloned());
            bar.plays.retain(is_clip);
        }
        lane.bars.retain(|bar| bar.clips().next().is_some() && bar.clips().all(is_clip));
    }
    gone.sort();
    gone.dedup();
    (found_mix(document, &here).unwrap_or_default(), gone)
}

/// Returns the names in a saved mix for which the file has no clip or node.
pub fn gone_of_kept_mix(document: &Document) -> Vec<String> {
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.clone());
    kept.map(|kept| kept_mix(document, &kept).1).unwrap_or_default()
}

/// Whether the current mix is not empty and is not saved in the file.
pub fn is_mix_loose(document: &Document) -> bool {
    document.aids.mix.as_ref().is_some_and(|m| m.length() > 0.0) && !is_mix_kept(document)
}

/// Whether the file contains the current mix.
pub fn is_mix_kept(document: &Document) -> bool {
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.as_ref());
    match (&document.aids.mix, kept) {
        (None, kept) => kept.is_some(),
        (Some(mix), Some(kept)) => named_mix(document, mix) == **kept,
        (Some(_), None) => false,
    }
}

fn scene_of(document: &Document) -> Option<SceneId> {
    document.scene.or_else(|| document.scenes.ids().next())
}

pub(super) fn put(mix: Mix) -> Outcome {
    Outcome { edits: vec![Edit::SetMix { to: Some(Shared::new(mix)) }], ..Outcome::default() }
}

/// Returns the current mix. Fails if it is empty.
pub(super) fn there(document: &Document) -> Result<Shared<Mix>, CommandError> {
    let none = || sentence("no_mix", "the mix is empty; add a clip to a lane first".to_owned());
    mix_of(document).filter(|m| m.length() > 0.0).ok_or_else(none)
}

impl SetMix {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        match &self.mix {
            MixText::Mix(mix) => match mix.fault() {
                Some(fault) => Err(sentence("mix_unsound", fault)),
                None => Ok(Outcome {
                    edits: vec![Edit::SetMix { to: Some(mix.clone()) }],
                    ..Outcome::default()
                }),
            },
            MixText::Text(text) => read_mix(scene.document, text)
                .map(put)
                .map_err(|fault| sentence("mix_unsound", fault)),
        }
    }
}

impl ClearMix {
    #[expect(clippy::unnecessary_wraps, reason = "all commands have this form")]
    pub(super) fn work(&self, _: &Scene<'_>) -> Result<Outcome, CommandError> {
        Ok(put(Mix::default()))
    }
}

impl KeepMix {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let place = scene_of(document).ok_or_else(|| {
            sentence(
                "no_scene",
                "this file has no scene, so the mix cannot be saved in it; copy the mix as text \
                    instead"
                    .to_owned(),
            )
        })?;
        let mut edits = Vec::new();
        let to = if self.on.unwrap_or(true) {
            let mix = there(document)?;
            let clips = mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips);
            // Clip indices can change when the file is saved, so a mix cannot refer to them.
            if let Some(id) = clips.copied().find(|id| clip_text(document, *id).starts_with('#')) {
                let why = if document.clips.contains(id) {
                    format!("{} has no unique name; rename it first", document.clip_label(id))
                } else {
                    "one of its bars plays a clip that was removed; remove the bar first".to_owned()
                };
                return Err(sentence(
                    "mix_not_found_again",
                    format!(
                        "the clips of the mix could not be found again when the file is opened: \
                            {why}"
                    ),
                ));
            }
            Some(Shared::new(named_mix(document, &mix)))
        } else {
            // Only the saved mix is removed. The current mix stays.
            if let (None, Some(mix)) = (&document.aids.mix, mix_of(document)) {
                edits.push(Edit::SetMix { to: Some(mix) });
            }
            None
        };
        edits.push(Edit::SetKeptMix { scene: place, to });
        Ok(Outcome { edits, ..Outcome::default() })
    }
}
