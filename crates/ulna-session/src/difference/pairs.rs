//! Pairs the elements of two documents. If one was edited into the other, elements are paired by
//! ids. Otherwise, they are paired by names and similarity.

use std::collections::{BTreeMap, BTreeSet};

use ulna_model::{
    Clip, ClipId, FileContent, IdKind, Material, MaterialId, Mesh, MeshId, NodeId, Renumbering,
    SceneId, SkinId, Slots,
};

/// A pair of elements. One side is `None` if the other has no counterpart.
pub(super) type Both<T> = (Option<T>, Option<T>);

/// Method of pairing elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// By ids, for two states of one document.
    Ids,
    /// By names and similarity, for unrelated files.
    Likeness,
}

/// All pairs of elements of two documents.
#[derive(Debug)]
pub(super) struct Pairs {
    /// Node pairs in the order of the first tree. Nodes that only the second document has come
    /// last.
    pub nodes: Vec<Both<NodeId>>,
    pub scenes: Vec<Both<SceneId>>,
    pub skins: Vec<Both<SkinId>>,
    pub meshes: Vec<Both<MeshId>>,
    pub clips: Vec<Both<ClipId>>,
    pub materials: Vec<Both<MaterialId>>,
    /// Mapping from indices of the first document to indices of the second. Elements without a pair
    /// count as removed.
    pub renumbering: Renumbering,
    to: BTreeMap<NodeId, NodeId>,
}

impl Pairs {
    pub fn of(a: &FileContent, b: &FileContent, by: By) -> Self {
        let to = match by {
            By::Ids => a.nodes.ids().filter(|n| b.nodes.contains(*n)).map(|n| (n, n)).collect(),
            By::Likeness => nodes(a, b),
        };
        let taken: BTreeSet<NodeId> = to.values().copied().collect();
        let mut pairs: Vec<Both<NodeId>> =
            a.nodes.order().iter().map(|n| (Some(*n), to.get(n).copied())).collect();
        pairs.extend(
            b.nodes.order().iter().filter(|n| !taken.contains(n)).map(|n| (None, Some(*n))),
        );
        let node = |n: &NodeId| to.get(n).copied();
        let same_set = |x: &[NodeId], y: &[NodeId]| {
            let mapped: BTreeSet<NodeId> = x.iter().filter_map(node).collect();
            !x.is_empty() && mapped.len() == x.len() && mapped == y.iter().copied().collect()
        };
        let clips = |x: ClipId, y: ClipId| {
            i32::from(x == y) + 4 * i32::from(same_motion(&a.clips[x], &b.clips[y], &to))
        };
        let skins = |x: SkinId, y: SkinId| {
            i32::from(x == y) + 4 * i32::from(same_set(&a.skin(x).joints, &b.skin(y).joints))
        };
        let meshes = |x: MeshId, y: MeshId| {
            i32::from(x == y) + 4 * i32::from(same_points(a.mesh(x), b.mesh(y)))
        };
        let materials = |x: MaterialId, y: MaterialId| {
            let named = |m: &Material| Material { name: None, ..m.clone() };
            i32::from(x == y) + 4 * i32::from(named(&a.materials[x]) == named(&b.materials[y]))
        };
        let scenes = |x: SceneId, y: SceneId| {
            i32::from(x == y) + 4 * i32::from(same_set(&a.scenes[x].roots, &b.scenes[y].roots))
        };
        macro_rules! pair {
            ($field:ident, $score:expr) => {
                match by {
                    By::Ids => by_ids(&a.$field, &b.$field),
                    By::Likeness => {
                        let list = |d: &FileContent| -> Vec<_> {
                            d.$field
                                .iter()
                                .map(|(id, t)| (id, t.name.as_deref().map(ToOwned::to_owned)))
                                .collect()
                        };
                        likely(&list(a), &list(b), $score)
                    }
                }
            };
        }
        let made = Self {
            scenes: pair!(scenes, scenes),
            skins: pair!(skins, skins),
            meshes: pair!(meshes, meshes),
            clips: pair!(clips, clips),
            materials: pair!(materials, materials),
            nodes: pairs,
            renumbering: Renumbering::default(),
            to,
        };
        Self { renumbering: made.renumbering(a), ..made }
    }

    /// Builds the mapping from indices of the first document to indices of the second.
    fn renumbering(&self, a: &FileContent) -> Renumbering {
        fn table<T: Copy>(
            count: usize,
            pairs: &[Both<T>],
            index: impl Fn(T) -> usize,
        ) -> Vec<Option<u32>> {
            let mut table = vec![None; count];
            for (x, y) in pairs.iter().filter_map(|(x, y)| Some(((*x)?, (*y)?))) {
                if let Some(new) = table.get_mut(index(x)) {
                    *new = u32::try_from(index(y)).ok();
                }
            }
            table
        }
        let mut to = Renumbering::default();
        to.set(IdKind::Node, table(a.nodes.len(), &self.nodes, NodeId::index));
        to.set(IdKind::Scene, table(a.scenes.len(), &self.scenes, SceneId::index));
        to.set(IdKind::Skin, table(a.skins.len(), &self.skins, SkinId::index));
        to.set(IdKind::Mesh, table(a.meshes.len(), &self.meshes, MeshId::index));
        to.set(IdKind::Clip, table(a.clips.len(), &self.clips, ClipId::index));
        to.set(IdKind::Material, table(a.materials.len(), &self.materials, MaterialId::index));
        to
    }

    /// Returns the counterpart of a node in the second document.
    pub fn node(&self, node: NodeId) -> Option<NodeId> {
        self.to.get(&node).copied()
    }
}

fn by_ids<I: ulna_model::SlotId + Ord, T>(a: &Slots<I, T>, b: &Slots<I, T>) -> Vec<Both<I>> {
    let all: BTreeSet<I> = a.ids().chain(b.ids()).collect();
    all.into_iter()
        .map(|id| (Some(id).filter(|i| a.contains(*i)), Some(id).filter(|i| b.contains(*i))))
        .collect()
}

/// An element and its name, if it has one.
type Named<T> = (T, Option<String>);

/// Minimum similarity score at which two differently named elements count as renamed.
const RENAMED: i32 = 4;

/// Maximum number of combinations to compare. Longer lists are paired in their order.
const MOST_COMPARED: usize = 1 << 20;

/// Pairs the elements of two lists. Elements of equal name are paired first, the most similar
/// first. Then the remaining elements are paired if they are similar enough.
fn likely<T: Copy + Ord>(
    a: &[Named<T>],
    b: &[Named<T>],
    score: impl Fn(T, T) -> i32,
) -> Vec<Both<T>> {
    let mut to: BTreeMap<T, T> = BTreeMap::new();
    let mut by_name: BTreeMap<&Option<String>, (Vec<T>, Vec<T>)> = BTreeMap::new();
    a.iter().for_each(|(t, name)| by_name.entry(name).or_default().0.push(*t));
    b.iter().for_each(|(t, name)| by_name.entry(name).or_default().1.push(*t));
    for (x, y) in by_name.values() {
        best(x, y, &score, i32::MIN, &mut to);
    }
    let taken: BTreeSet<T> = to.values().copied().collect();
    let left: Vec<T> = a.iter().map(|(t, _)| *t).filter(|t| !to.contains_key(t)).collect();
    let right: Vec<T> = b.iter().map(|(t, _)| *t).filter(|t| !taken.contains(t)).collect();
    best(&left, &right, &score, RENAMED, &mut to);
    let taken: BTreeSet<T> = to.values().copied().collect();
    let mut all: Vec<Both<T>> = a.iter().map(|(t, _)| (Some(*t), to.get(t).copied())).collect();
    all.extend(b.iter().filter(|(t, _)| !taken.contains(t)).map(|(t, _)| (None, Some(*t))));
    all
}

/// Pairs the elements of two lists, the most similar first, with a score of at least `least`. In
/// a tie, the earlier element is paired.
fn best<T: Copy + Ord>(
    a: &[T],
    b: &[T],
    score: &impl Fn(T, T) -> i32,
    least: i32,
    to: &mut BTreeMap<T, T>,
) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    if (a.len() == 1 && b.len() == 1 && least == i32::MIN)
        || a.len().saturating_mul(b.len()) > MOST_COMPARED
    {
        let fits = |(x, y): &(&T, &T)| least == i32::MIN || score(**x, **y) >= least;
        to.extend(a.iter().zip(b).filter(fits).map(|(x, y)| (*x, *y)));
        return;
    }
    let mut scored: Vec<(i32, usize, usize)> = Vec::new();
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let points = score(*x, *y);
            if points >= least {
                scored.push((-points, i, j));
            }
        }
    }
    scored.sort_unstable_by_key(|(points, i, j)| (*points, i.abs_diff(*j), *i, *j));
    let (mut left, mut right) = (vec![false; a.len()], vec![false; b.len()]);
    for (_, i, j) in scored {
        if !left[i] && !right[j] {
            (left[i], right[j]) = (true, true);
            to.insert(a[i], b[j]);
        }
    }
}

/// Whether at least half of the tracks of two clips are equal, key by key.
fn same_motion(a: &Clip, b: &Clip, to: &BTreeMap<NodeId, NodeId>) -> bool {
    let same = a.tracks.values().filter(|t| {
        let Some(node) = to.get(&t.target) else { return false };
        b.track(*node, t.property).is_some_and(|(_, o)| t.times == o.times && t.values == o.values)
    });
    let same = same.count();
    same > 0 && same * 2 >= a.tracks.len().max(b.tracks.len())
}

fn same_points(a: &Mesh, b: &Mesh) -> bool {
    !a.primitives.is_empty()
        && a.primitives.len() == b.primitives.len()
        && a.primitives
            .iter()
            .zip(&b.primitives)
            .all(|(p, q)| p.positions == q.positions && p.indices == q.indices)
}

/// Similarity scores of nodes.
struct Likeness<'a> {
    a: &'a FileContent,
    b: &'a FileContent,
    below: [Vec<u32>; 2],
    joints: [Vec<bool>; 2],
}

impl<'a> Likeness<'a> {
    fn new(a: &'a FileContent, b: &'a FileContent) -> Self {
        let below = |d: &FileContent| {
            let mut count = vec![0u32; d.nodes.len()];
            for id in d.nodes.order().iter().rev() {
                if let Some(parent) = d.node(*id).parent {
                    count[parent.index()] += count[id.index()] + 1;
                }
            }
            count
        };
        Self { a, b, below: [below(a), below(b)], joints: [a.joint_flags(), b.joint_flags()] }
    }

    fn score(&self, x: NodeId, y: NodeId) -> i32 {
        let (p, q) = (self.a.node(x), self.b.node(y));
        let names = |d: &FileContent, n: NodeId| -> BTreeSet<String> {
            d.children(n)
                .iter()
                .filter_map(|c| d.node(*c).name.as_deref().map(ToOwned::to_owned))
                .take(64)
                .collect()
        };
        let mesh = |d: &FileContent, n: &ulna_model::Node| n.mesh.map(|m| d.mesh(m).name.clone());
        let (left, right) = (names(self.a, x), names(self.b, y));
        let (k, l) = (x.index(), y.index());
        3 * i32::from(x == y)
            + 3 * i32::from(p.local() == q.local())
            + 3 * i32::from(!left.is_empty() && left.intersection(&right).count() * 2 >= left.len())
            + 2 * i32::from(p.mesh.is_some() && mesh(self.a, p) == mesh(self.b, q))
            + i32::from(self.joints[0][k] == self.joints[1][l])
            + i32::from(self.below[0][k] == self.below[1][l])
    }
}

/// Minimum similarity score at which two differently named nodes count as renamed.
const NODE_RENAMED: i32 = 5;

/// Pairs nodes in three steps: by name from the roots down, then moved nodes by a unique name, then
/// renamed nodes by similarity.
fn nodes(a: &FileContent, b: &FileContent) -> BTreeMap<NodeId, NodeId> {
    let like = Likeness::new(a, b);
    let score = |x: NodeId, y: NodeId| like.score(x, y);
    let mut to: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    let mut taken: BTreeSet<NodeId> = BTreeSet::new();
    let roots = |d: &FileContent| -> Vec<NodeId> {
        d.node_ids().filter(|n| d.node(*n).parent.is_none()).collect()
    };
    let (top_a, top_b) = (roots(a), roots(b));
    let mut waiting = vec![(top_a.clone(), top_b.clone())];
    loop {
        // Step one: by name, from the roots down.
        while let Some((left, right)) = waiting.pop() {
            let mut by_name: BTreeMap<Option<&str>, (Vec<NodeId>, Vec<NodeId>)> = BTreeMap::new();
            let free = left.iter().filter(|n| !to.contains_key(n));
            free.for_each(|n| by_name.entry(a.node(*n).name.as_deref()).or_default().0.push(*n));
            let free = right.iter().filter(|n| !taken.contains(n));
            free.for_each(|n| by_name.entry(b.node(*n).name.as_deref()).or_default().1.push(*n));
            let mut made = BTreeMap::new();
            by_name.values().for_each(|(x, y)| best(x, y, &score, i32::MIN, &mut made));
            for (x, y) in made {
                to.insert(x, y);
                taken.insert(y);
                waiting.push((a.children(x).to_vec(), b.children(y).to_vec()));
            }
        }
        let found = renamed(a, b, &to, &taken, (&top_a, &top_b), &score)
            .or_else(|| moved(a, b, &to, &taken));
        let Some(found) = found else { return to };
        for (x, y) in found {
            to.insert(x, y);
            taken.insert(y);
            waiting.push((a.children(x).to_vec(), b.children(y).to_vec()));
        }
    }
}

/// Maps each name that belongs to exactly one unpaired node to that node.
fn once(d: &FileContent, is_free: impl Fn(&NodeId) -> bool) -> BTreeMap<&str, NodeId> {
    let mut found: BTreeMap<&str, Option<NodeId>> = BTreeMap::new();
    for id in d.nodes.order().iter().filter(|n| is_free(n)) {
        if let Some(name) = d.node(*id).name.as_deref() {
            found.entry(name).and_modify(|n| *n = None).or_insert(Some(*id));
        }
    }
    found.into_iter().filter_map(|(name, id)| Some((name, id?))).collect()
}

/// Pairs similar unpaired nodes with the same paired parent. A node whose name exists elsewhere was
/// moved, not renamed.
fn renamed(
    a: &FileContent,
    b: &FileContent,
    to: &BTreeMap<NodeId, NodeId>,
    taken: &BTreeSet<NodeId>,
    tops: (&[NodeId], &[NodeId]),
    score: &impl Fn(NodeId, NodeId) -> i32,
) -> Option<BTreeMap<NodeId, NodeId>> {
    let (left, right) = (once(a, |n| !to.contains_key(n)), once(b, |n| !taken.contains(n)));
    let elsewhere = |d: &FileContent, n: &NodeId| {
        d.node(*n)
            .name
            .as_deref()
            .is_some_and(|name| left.contains_key(name) && right.contains_key(name))
    };
    let mut found = BTreeMap::new();
    let lists = to.iter().map(|(x, y)| (a.children(*x), b.children(*y)));
    for (x, y) in std::iter::once((tops.0, tops.1)).chain(lists) {
        let x: Vec<NodeId> =
            x.iter().copied().filter(|n| !to.contains_key(n) && !elsewhere(a, n)).collect();
        let y: Vec<NodeId> =
            y.iter().copied().filter(|n| !taken.contains(n) && !elsewhere(b, n)).collect();
        best(&x, &y, score, NODE_RENAMED, &mut found);
    }
    (!found.is_empty()).then_some(found)
}

/// Finds the first unpaired node whose name is unique on both sides, and its counterpart.
fn moved(
    a: &FileContent,
    b: &FileContent,
    to: &BTreeMap<NodeId, NodeId>,
    taken: &BTreeSet<NodeId>,
) -> Option<BTreeMap<NodeId, NodeId>> {
    let (left, right) = (once(a, |n| !to.contains_key(n)), once(b, |n| !taken.contains(n)));
    let pair = a.nodes.order().iter().find_map(|n| {
        let name = a.node(*n).name.as_deref()?;
        (left.get(name) == Some(n)).then(|| right.get(name).map(|m| (*n, *m))).flatten()
    })?;
    Some(BTreeMap::from([pair]))
}
