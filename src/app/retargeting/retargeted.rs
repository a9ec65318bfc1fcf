//! Added clips, which are retargeted in the background.

use super::engine::{self, Bodies, CarriedTo, ChosenClips};
use ulna_edit::command::TakenName;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, ClipId, RetargetMap, Shared, Tree};
use ulna_motion::retarget::RetargetKeys;

/// Clips that are to be retargeted and added.
pub(in crate::app) struct RetargetRequest {
    pub(super) bodies: Bodies,
    pub(super) map: RetargetMap,
    pub(super) clips: ChosenClips,
    /// All clips of the source.
    pub(super) ids: Vec<ClipId>,
    /// Their names in this file.
    pub(super) names: Vec<String>,
    pub(super) taken: TakenName,
    /// Whether the map is kept in the file.
    pub(super) keeps_map: bool,
    /// Keys of the clips.
    pub(super) keys: RetargetKeys,
}

/// Clips that were retargeted to be added.
pub(in crate::app) struct RetargetedClips {
    /// The clips with their names; nothing if the work was canceled.
    pub clips: Result<Option<Vec<Shared<Clip>>>, String>,
    /// Number of keys before and after they were reduced, and the largest error in millimeters.
    pub reduced: Option<([usize; 2], f32)>,
    pub taken: TakenName,
    /// The map, where it is kept in the file.
    pub map: Option<Box<RetargetMap>>,
    /// Nodes of the document that they are for.
    pub tree: Shared<Tree>,
}

impl RetargetRequest {
    /// Number of clips.
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
