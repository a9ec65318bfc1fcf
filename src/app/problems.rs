//! Problems of the open file, and the state of the check that finds them.

use std::{collections::BTreeSet, sync::mpsc};

use ulna_model::{Diagnostic, MeshId, PrimitiveId, Shared, SkinId};

/// A scene, and the generation of its document.
pub(super) type State = (u64, u64);

/// The running check, and the state that was checked last.
#[derive(Default)]
pub(super) struct Checking {
    /// The document's generation that the problems are of.
    pub known: Option<State>,
    /// The state that is waited with, and since when.
    pub seen: Option<(State, f64)>,
    pub result: Option<(State, mpsc::Receiver<Vec<Diagnostic>>)>,
}

/// Problems of the open file.
#[derive(Default)]
pub(super) struct Problems {
    /// All of it, the gravest first.
    pub list: Shared<Vec<Diagnostic>>,
    /// Problems of the file's images, found when they were decoded.
    pub of_images: Vec<Diagnostic>,
    pub checking: Checking,
    /// Primitives whose weights changed since their problems were counted.
    pub weights_moved: BTreeSet<(MeshId, PrimitiveId)>,
    /// Skins whose surface problems were already reported, with the serial number of the scene.
    pub surfaces_told: BTreeSet<(u64, SkinId)>,
}

impl Problems {
    /// Changes the list, which stays in order.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Diagnostic>)) {
        let list = Shared::make_mut(&mut self.list);
        change(list);
        list.sort_by_key(|d| std::cmp::Reverse(d.severity));
    }
}
