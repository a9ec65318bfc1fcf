//! Retargeting of the clips that will be added to the document, in the background.

use super::engine::{self, Bodies, CarriedTo, ChosenClips};
use ulna_edit::command::TakenName;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, ClipId, RetargetMap, Shared, Tree};
use ulna_motion::retarget::RetargetKeys;

/// Inputs for retargeting the clips to add.
pub(in crate::app) struct RetargetRequest {
    pub(super) bodies: Bodies,
    pub(super) map: RetargetMap,
    pub(super) clips: ChosenClips,
    /// Ids of all clips of the source.
    pub(super) ids: Vec<ClipId>,
    /// Names of the added clips.
    pub(super) names: Vec<String>,
    pub(super) taken: TakenName,
    /// True if the map is stored in the file.
    pub(super) keeps_map: bool,
    /// Choice of the keys of the added clips.
    pub(super) keys: RetargetKeys,
}

/// Retargeted clips that will be added.
pub(in crate::app) struct RetargetedClips {
    /// The clips with their new names; `None` if the work was canceled.
    pub clips: Result<Option<Vec<Shared<Clip>>>, String>,
    /// Number of keys before and after key reduction, and the largest error in millimeters. `None`
    /// if keys were not reduced.
    pub reduced: Option<([usize; 2], f32)>,
    pub taken: TakenName,
    /// The map, if it is stored in the file.
    pub map: Option<Box<RetargetMap>>,
    /// Node tree of the document that the clips were made for.
    pub tree: Shared<Tree>,
}

impl RetargetRequest {
    /// Number of clips to add.
    pub(in crate::app) const fn count(&self) -> usize {
        self.clips.len()
    }

    /// Retargets the clips.
    pub(in crate::app) fn work(self, progress: &Progress) -> RetargetedClips {
        let Self { bodies, map, clips, ids, names, taken, keeps_map, keys } = self;
        let is_stopped = || progress.reach(0.0).is_err();
        let made = engine::all(&bodies, (&map, keys), &clips, &ids, &is_stopped);
        let all = made.as_ref().ok().and_then(Option::as_ref);
        let reduced = all.filter(|_| matches!(keys, RetargetKeys::Reduced(_))).map(|made| {
            let sum = |k: usize| made.iter().map(|c| c.keys[k]).sum::<usize>();
            let error = made.iter().map(|c| c.key_error).fold(0.0, f32::max);
            ([sum(0), sum(1)], error * 1e3)
        });
        let named = |CarriedTo { of, clip, .. }: CarriedTo| {
            Shared::new(Clip { name: Some(names[of].as_str().into()), ..clip })
        };
        let moves = |made: Vec<CarriedTo>| {
            made.into_iter().filter(|c| !c.clip.tracks.is_empty()).map(named).collect()
        };
        RetargetedClips {
            clips: made.map(|made| made.map(moves)),
            reduced,
            taken,
            tree: bodies.target.nodes.tree().clone(),
            map: keeps_map.then(|| Box::new(map)),
        }
    }
}
