//! Duplicates nodes with all their descendants.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::DuplicateNodes,
    removal::{uppermost, with_below},
    reparent::last_rank,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, error::refuse},
};
use ulna_model::{Document, Node, NodeId, Notice, Shared, Skin, SkinId};

impl DuplicateNodes {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named: BTreeSet<NodeId> = self.node.all(document)?.into_iter().collect();
        let all = with_below(document, &uppermost(document, &named));
        if let Some(node) = all.iter().find(|n| document.node(**n).instances.is_some()) {
            let label = document.node(*node).label(*node);
            return refuse(
                "instances_not_copied",
                format!(
                    "“{label}” shows its mesh many times (instances); such nodes cannot be copied \
                        yet"
                ),
            );
        }
        // Parents first, so that their new ids are known.
        let order: Vec<NodeId> =
            document.nodes.order().iter().copied().filter(|n| all.contains(n)).collect();
        let first = document.nodes.next_id().index();
        let copy_of: BTreeMap<NodeId, NodeId> =
            order.iter().enumerate().map(|(k, n)| (*n, NodeId::from(first + k))).collect();
        let skins = copied_skins(document, &order, &copy_of);
        let mut ranks: BTreeMap<Option<NodeId>, u32> = BTreeMap::new();
        let mut names: BTreeSet<String> =
            document.nodes.values().filter_map(|n| Some(n.name.as_deref()?.to_owned())).collect();
        let mut nodes = Vec::new();
        for id in &order {
            let node = document.node(*id);
            let mut to = node.clone();
            to.skin = node.skin.map(|s| skins.get(&s).map_or(s, |(copy, _)| *copy));
            to.name = node.name.as_deref().map(|name| free_name(&mut names, name).into());
            match node.parent.and_then(|p| copy_of.get(&p)) {
                Some(parent) => to.parent = Some(*parent),
                None => {
                    let rank = ranks
                        .entry(node.parent)
                        .or_insert_with(|| last_rank(document, node.parent));
                    (to.rank, *rank) = (*rank, rank.saturating_add(1));
                }
            }
            nodes.push((copy_of[id], Some(Box::new(to))));
        }
        // Skins refer to joints, and nodes refer to skins. So nodes are first created without
        // skins.
        let bare: Vec<_> = nodes
            .iter()
            .map(|(id, node)| {
                let bare = node.as_deref().map(|n| Box::new(Node { skin: None, ..n.clone() }));
                (*id, bare)
            })
            .collect();
        let mut edits = vec![Edit::SetNodes(bare)];
        for (copy, skin) in skins.values() {
            edits.push(Edit::SetSkin { skin: *copy, to: Some(skin.clone()) });
        }
        nodes.retain(|(_, node)| node.as_ref().is_some_and(|n| n.skin.is_some()));
        if !nodes.is_empty() {
            edits.push(Edit::SetNodes(nodes));
        }
        for (scene, found) in document.scenes.iter() {
            let copies: Vec<NodeId> =
                found.roots.iter().filter_map(|r| copy_of.get(r)).copied().collect();
            if !copies.is_empty() {
                let to = found.roots.iter().copied().chain(copies).collect();
                edits.push(Edit::SetRoots { scene, to });
            }
        }
        let is_keyed =
            document.clips.values().any(|c| c.tracks.values().any(|t| all.contains(&t.target)));
        let notes = is_keyed.then(|| {
            Notice::new("keys_not_copied", "the copies have no keys: clips move the originals only")
        });
        Ok(Outcome { edits, notes: notes.into_iter().collect(), ..Outcome::default() })
    }
}

/// Returns copies of the skins of which all joints are copied.
fn copied_skins(
    document: &Document,
    order: &[NodeId],
    copy_of: &BTreeMap<NodeId, NodeId>,
) -> BTreeMap<SkinId, (SkinId, Shared<Skin>)> {
    let used: BTreeSet<SkinId> = order.iter().filter_map(|n| document.node(*n).skin).collect();
    let mut next = document.skins.next_id();
    let mut made = BTreeMap::new();
    for id in used {
        let skin = document.skin(id);
        let joints: Option<Vec<NodeId>> =
            skin.joints.iter().map(|j| copy_of.get(j).copied()).collect();
        if let Some(joints) = joints {
            let copy = Skin { joints: joints.into(), ..skin.clone() };
            made.insert(id, (next, Shared::new(copy)));
            next = SkinId(next.0 + 1);
        }
    }
    made
}

/// Returns an unused name: the name with “copy”, and with a number if needed. Adds it to `taken`.
fn free_name(taken: &mut BTreeSet<String>, name: &str) -> String {
    let numbered = |k: u32| match k {
        0 | 1 => format!("{name} copy"),
        k => format!("{name} copy {k}"),
    };
    let free = (1..).map(numbered).find(|n| !taken.contains(n)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
