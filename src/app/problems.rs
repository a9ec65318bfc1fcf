//! Problems of the open file, and the state of the check that finds them.

use std::{collections::BTreeSet, sync::mpsc};

use ulna_model::{Diagnostic, MeshId, PrimitiveId, Shared, SkinId};

/// Serial number of a scene, and generation of its document.
pub(super) type State = (u64, u64);

/// The running check, and the state that was checked last.
#[derive(Default)]
pub(super) struct Checking {
    /// The state that was checked last.
    pub known: Option<State>,
    /// A changed state that is not checked yet, and the time of the change.
    pub seen: Option<(State, f64)>,
    pub result: Option<(State, mpsc::Receiver<Vec<Diagnostic>>)>,
}

/// Problems of the open file.
#[derive(Default)]
pub(super) struct Problems {
    /// All problems, most severe first.
    pub list: Shared<Vec<Diagnostic>>,
    /// Problems that were found when the file's images were decoded.
    pub of_images: Vec<Diagnostic>,
    pub checking: Checking,
    /// Primitives whose weights changed since they were last checked.
    pub weights_moved: BTreeSet<(MeshId, PrimitiveId)>,
    /// Skins whose surface problems are already in the list, with the serial number of the scene.
    pub surfaces_told: BTreeSet<(u64, SkinId)>,
}

impl Problems {
    /// Changes the list of problems, and sorts it.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Diagnostic>)) {
        let list = Shared::make_mut(&mut self.list);
        change(list);
        list.sort_by_key(|d| std::cmp::Reverse(d.severity));
    }
}
