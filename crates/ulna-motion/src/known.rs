//! Caches of data about the bodies of a document: the nodes that carry motion, their roles, and
//! their mirror partners. The handles in the viewport read these data in each frame, and commands
//! read them for each node. Each thread caches the last few documents.
//!
//! Poses and keys are not part of the cache key, so a drag or a new key does not invalidate an
//! entry. A gesture alternates between its first document and the displayed one, so there are
//! several entries.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use super::{
    humanoid::BodyRole,
    mirror::{Mirror, carriers},
    rig::Rig,
};
use ulna_model::{
    Document, Local, MeshId, Node, NodeId, PointerTrack, Shared, SharedWeak, Skin, SkinId, Slots,
    Targets, Tree, Vrm, WeightMap,
};

/// Nodes with their body roles.
type Roles = Arc<[(NodeId, Option<BodyRole>)]>;

/// Cached data about the bodies of a document. Each field is computed on first use.
#[derive(Debug)]
pub(super) struct CachedBodies {
    of: Bodies,
    rig: OnceCell<Arc<Rig>>,
    roles: OnceCell<Roles>,
    hips: OnceCell<Option<NodeId>>,
    /// The mirror, with the flags of the nodes that carry motion for which it was computed. Posed
    /// nodes carry motion, too.
    mirror: RefCell<Option<(Vec<bool>, Arc<Mirror>)>>,
}

/// The parts of a document on which the cached data depend.
#[derive(Debug)]
struct Bodies {
    tree: Shared<Tree>,
    nodes: Vec<Option<Body>>,
    skins: Slots<SkinId, Shared<Skin>>,
    /// Targets of the tracks and the pointers of each clip.
    moved: Vec<(Arc<Targets>, Shared<[PointerTrack]>)>,
    humanoid: Option<Vrm>,
    pairs: Shared<[(NodeId, Option<NodeId>)]>,
}

/// The properties of a node on which the cached data depend.
#[derive(Debug)]
struct Body {
    name: Option<Arc<str>>,
    rest: Local,
    mesh: Option<MeshId>,
    skin: Option<SkinId>,
}

impl Bodies {
    fn of(document: &Document) -> Self {
        let part = |node: &Node| Body {
            name: node.name.clone(),
            rest: node.rest,
            mesh: node.mesh,
            skin: node.skin,
        };
        Self {
            tree: document.nodes.tree().clone(),
            nodes: document.nodes.slots().map(|slot| slot.map(part)).collect(),
            skins: document.skins.clone(),
            moved: document
                .clips
                .values()
                .map(|c| (c.tracks.targets().clone(), c.pointers.clone()))
                .collect(),
            humanoid: document.humanoid().cloned(),
            pairs: document.aids.mirror_pairs.clone(),
        }
    }

    fn are_of(&self, document: &Document) -> bool {
        let same_name = |a: &Option<Arc<str>>, b: &Option<Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        let same = |(kept, now): (&Option<Body>, Option<&Node>)| match (kept, now) {
            (Some(kept), Some(now)) => {
                (kept.mesh, kept.skin) == (now.mesh, now.skin)
                    && kept.rest == now.rest
                    && same_name(&kept.name, &now.name)
            }
            (None, None) => true,
            _ => false,
        };
        let slots = document.nodes.slots();
        let clips = document.clips.values();
        self.tree == *document.nodes.tree()
            && self.nodes.len() == slots.len()
            && self.skins == document.skins
            && self.humanoid.as_ref() == document.humanoid()
            && self.pairs == document.aids.mirror_pairs
            && self.moved.len() == clips.clone().count()
            && self.moved.iter().zip(clips).all(|((targets, pointers), clip)| {
                let now = clip.tracks.targets();
                (Arc::ptr_eq(targets, now) || targets == now) && *pointers == clip.pointers
            })
            && self.nodes.iter().zip(slots).all(same)
    }
}

/// Maximum number of cached documents.
const MOST: usize = 4;

thread_local! {
    /// Cache entries, most recently used first.
    static KNOWN: RefCell<Vec<Rc<CachedBodies>>> = const { RefCell::new(Vec::new()) };
    static USED: RefCell<Vec<UsedJoints>> = const { RefCell::new(Vec::new()) };
}

/// One flag per joint of a skin: whether a weight map has a weight for it.
type UsedJoints = (SharedWeak<WeightMap>, Arc<[bool]>);

/// Returns the cache entry of a document, and creates it if necessary.
pub(super) fn known(document: &Document) -> Rc<CachedBodies> {
    KNOWN.with_borrow_mut(|all| {
        let found = match all.iter().position(|known| known.of.are_of(document)) {
            Some(at) => all.remove(at),
            None => Rc::new(CachedBodies {
                of: Bodies::of(document),
                rig: OnceCell::new(),
                roles: OnceCell::new(),
                hips: OnceCell::new(),
                mirror: RefCell::new(None),
            }),
        };
        all.insert(0, found.clone());
        all.truncate(MOST);
        found
    })
}

impl CachedBodies {
    pub fn roles(
        &self,
        find: impl FnOnce() -> Vec<(NodeId, Option<BodyRole>)>,
    ) -> Arc<[(NodeId, Option<BodyRole>)]> {
        self.roles.get_or_init(|| find().into()).clone()
    }

    pub fn hips(&self, find: impl FnOnce() -> Option<NodeId>) -> Option<NodeId> {
        *self.hips.get_or_init(find)
    }
}

impl Rig {
    /// Finds the nodes that carry motion in a document. The result is cached.
    pub fn of(document: &Document) -> Arc<Self> {
        known(document).rig.get_or_init(|| Arc::new(Self::find(document))).clone()
    }
}

impl Mirror {
    /// Computes the mirror of all bodies of a document. The result is cached.
    pub fn of(document: &Document) -> Arc<Self> {
        let (known, carriers) = (known(document), carriers(document));
        let kept = known
            .mirror
            .borrow()
            .as_ref()
            .filter(|(of, _)| *of == carriers)
            .map(|(_, mirror)| mirror.clone());
        kept.unwrap_or_else(|| {
            let made = Arc::new(Self::find(document, &carriers));
            *known.mirror.borrow_mut() = Some((carriers, made.clone()));
            made
        })
    }
}

/// Returns one flag per joint of a skin: whether a weight map has a weight for it. Cached until a
/// weight changes.
pub(super) fn used_joints(map: &Shared<WeightMap>) -> Arc<[bool]> {
    /// Maximum number of weight maps in the cache.
    const MAPS: usize = 64;
    USED.with_borrow_mut(|all| {
        if let Some((_, used)) = all.iter().find(|(of, _)| of.is(map)) {
            return used.clone();
        }
        let mut used = Vec::new();
        for (joint, _) in map.joints.iter().zip(map.weights.iter()).filter(|(_, w)| **w > 0.0) {
            let joint = usize::from(*joint);
            if used.len() <= joint {
                used.resize(joint + 1, false);
            }
            used[joint] = true;
        }
        let used: Arc<[bool]> = used.into();
        all.retain(|(of, _)| of.is_alive());
        all.truncate(MAPS - 1);
        all.insert(0, (Shared::downgrade(map), used.clone()));
        used
    })
}
