//! Rows of the timeline, and the tracks with their keys.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use super::{
    filter::{Listed, RowFilter},
    summary::{Replaced, changed_tracks},
};
use crate::ui::{View, contact_bars::joints_in_contact};
use ulna_model::{
    Clip, ClipId, Derived, DisplayChoice, Document, KeySet, KeyTimes, LayerHome, NodeId,
    PoseLayerId, PoseLayers, Property, Shared, Track, TrackId, Tree,
};

/// Node with the tracks that animate it.
type Animated = (NodeId, Vec<(TrackId, Shared<Track>)>);

/// Content of a row.
#[derive(Clone, Debug)]
pub enum Row {
    Summary,
    Node(NodeId),
    Channel(NodeId, TrackId, Property),
    /// One component of a channel, as in the curve list.
    Component(NodeId, TrackId, Property, u16),
    /// One morph target of a channel.
    Morph(NodeId, TrackId, usize),
    /// Animation pointer channel, by index; it is read-only.
    Pointer(usize),
    /// Strength of a layer; listed only if it has keys.
    Strength(PoseLayerId),
    /// Contacts of a foot or hand.
    Contacts(NodeId),
}

impl Row {
    /// Node of the row; `None` for rows without a node.
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(node)
            | Self::Channel(node, ..)
            | Self::Component(node, ..)
            | Self::Morph(node, ..) => Some(*node),
            Self::Summary | Self::Pointer(_) | Self::Strength(_) | Self::Contacts(_) => None,
        }
    }

    /// Set of keys of a track, as this row selects them. The row of a component selects only this
    /// component.
    pub fn keys(&self, track: TrackId, times: KeyTimes) -> KeySet {
        match self {
            Self::Component(.., component) => KeySet::of_component(track, *component, times),
            _ => std::iter::once((track, times)).collect(),
        }
    }

    /// Times of the keys in a set that this row marks as selected.
    pub fn marked(&self, keys: &KeySet, track: TrackId) -> KeyTimes {
        match self {
            Self::Component(.., component) => keys.times_of(track, *component),
            Self::Morph(.., target) => keys.times_of(track, *target as u16),
            _ => keys.iter().find(|(id, _)| *id == track).map(|k| k.1.clone()).unwrap_or_default(),
        }
    }
}

/// Inputs of the list of rows. The list is built again when one changes.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsOf {
    clips: (Shared<Clip>, Option<Shared<Clip>>),
    layers: Shared<PoseLayers>,
    tree: Shared<Tree>,
    shown: DisplayChoice,
    filter: Listed,
    open: BTreeSet<NodeId>,
    /// Document generation, if rows are filtered by name.
    named: Option<u64>,
    /// Selected joints, if only they are listed.
    selection: Option<BTreeSet<NodeId>>,
    /// Bits of the playhead time, if only tracks with a key there are listed.
    time: Option<u64>,
}

impl RowsOf {
    fn new(
        document: &Document,
        (id, clip, behind): (ClipId, &Shared<Clip>, Option<&Shared<Clip>>),
        view: &View<'_>,
        (filter, open): (&RowFilter, &BTreeSet<NodeId>),
    ) -> Self {
        Self {
            clips: (clip.clone(), behind.cloned()),
            layers: document.aids.layers(LayerHome::Clip(id)),
            tree: document.nodes.tree().clone(),
            shown: document.shown,
            filter: filter.listed(),
            open: open.clone(),
            named: view.session.map(|s| s.generation()).filter(|_| !filter.name.is_empty()),
            selection: filter.selected_only.then(|| view.selection.nodes.clone()),
            time: filter.here_only.then(|| view.timeline.playback.time.to_bits()),
        }
    }
}

impl RowsOf {
    /// Whether these inputs list the same rows as `other`. Only the keys of tracks may differ.
    fn lists_as(&self, other: &Self) -> bool {
        let Self { clips, layers, tree, shown, filter, open, named, selection, time } = self;
        let targets = |clip: &Shared<Clip>| clip.tracks.targets().clone();
        let same_behind = clips.1.as_ref().map(targets) == other.clips.1.as_ref().map(targets);
        targets(&clips.0) == targets(&other.clips.0)
            && same_behind
            && clips.0.pointers == other.clips.0.pointers
            && clips.0.contacts == other.clips.0.contacts
            && (layers, tree) == (&other.layers, &other.tree)
            && (shown, filter, open, named)
                == (&other.shown, &other.filter, &other.open, &other.named)
            && (selection, time) == (&other.selection, &other.time)
    }
}

/// Rows of the sheet, with the tracks of each node.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Animated nodes with their tracks.
    nodes: Vec<Animated>,
    /// Index of each node in `nodes`.
    at: HashMap<NodeId, usize>,
    /// Listed rows, from top to bottom.
    pub list: Vec<Row>,
    /// Nodes that layers of the clip animate.
    pub layered: HashSet<NodeId>,
}

/// Cached rows of a clip.
#[derive(Clone, Debug, Default)]
pub struct RowsCache(Derived<RowsOf, Rc<Rows>>);

impl RowsCache {
    /// Rows of a clip. The cached rows are returned if no input changed.
    pub fn of(
        &mut self,
        document: &Document,
        (id, clip, behind): (ClipId, &Shared<Clip>, Option<&Shared<Clip>>),
        view: &View<'_>,
        filter: &RowFilter,
        open: &BTreeSet<NodeId>,
    ) -> Rc<Rows> {
        let of = RowsOf::new(document, (id, clip, behind), view, (filter, open));
        if let Some(rows) = self.0.get().filter(|_| self.0.is_of(&of)) {
            return rows.clone();
        }
        let moved = self.0.take().and_then(|(was, mut rows)| {
            // Changed keys do not change the list, unless a filter depends on keys.
            let follows = !filter.is_on() && was.lists_as(&of);
            let changed = follows.then(|| changed_tracks(&was.clips.0, clip)).flatten()?;
            Rc::make_mut(&mut rows).follow(&changed).then_some(rows)
        });
        let rows = moved.unwrap_or_else(|| {
            Rc::new(Rows::of(document, (id, clip, behind.map(|c| &**c)), view, (filter, open)))
        });
        self.0.put(of, rows.clone());
        rows
    }
}

impl Rows {
    /// Lists the rows of a clip that are neither collapsed nor filtered out.
    ///
    /// For keys of a layer, `behind` is the clip below it; its nodes are listed, too.
    fn of(
        document: &Document,
        (id, clip, behind): (ClipId, &Clip, Option<&Clip>),
        view: &View<'_>,
        (filter, open): (&RowFilter, &BTreeSet<NodeId>),
    ) -> Self {
        let nodes = animated(document, (clip, behind), view, filter);
        let layers = document.aids.layers(LayerHome::Clip(id));
        let layered = layers.counting().flat_map(|l| l.nodes()).collect();
        let keyed = layers.iter().rev().filter(|l| l.strength_keys.is_some());
        let mut list: Vec<Row> = keyed.map(|l| Row::Strength(l.id)).collect();
        let contacts = document.clips.get(id).map_or(&[][..], |c| &c.contacts);
        list.extend(joints_in_contact(document, contacts).into_iter().map(Row::Contacts));
        for (node, tracks) in &nodes {
            list.push(Row::Node(*node));
            if open.contains(node) {
                list.extend(tracks.iter().flat_map(|(id, t)| channel_rows(*node, *id, t)));
            }
        }
        let needle = filter.name.to_lowercase();
        let pointers = clip
            .pointers
            .iter()
            .enumerate()
            .filter(|(_, p)| p.pointer.to_lowercase().contains(&needle));
        if !filter.selected_only && !filter.is_on() {
            list.extend(pointers.map(|(k, _)| Row::Pointer(k)));
        }
        let at = nodes.iter().enumerate().map(|(k, (node, _))| (*node, k)).collect();
        Self { nodes, at, list, layered }
    }

    /// Replaces changed tracks. Returns false if a track was added or removed, is not listed, or
    /// has another number of components now.
    fn follow(&mut self, changed: &[Replaced<'_>]) -> bool {
        changed.iter().all(|(was, is)| {
            let (Some(was), Some(is)) = (was, is) else { return false };
            let of = self.at.get(&was.target).and_then(|k| self.nodes.get_mut(*k));
            let place =
                of.and_then(|(_, tracks)| tracks.iter_mut().find(|(_, t)| Shared::ptr_eq(t, was)));
            place.is_some_and(|(_, track)| {
                let same = track.width == is.width;
                *track = (*is).clone();
                same
            })
        })
    }

    /// Tracks with the keys that a row shows.
    pub fn tracks(&self, row: &Row) -> &[(TrackId, Shared<Track>)] {
        let of = |node: &NodeId| self.at.get(node).map_or(&[][..], |k| &self.nodes[*k].1);
        match row {
            Row::Node(node) => of(node),
            Row::Channel(node, id, _) | Row::Component(node, id, ..) | Row::Morph(node, id, _) => {
                let tracks = of(node);
                tracks.iter().position(|(k, _)| k == id).map_or(&[], |k| &tracks[k..=k])
            }
            Row::Summary | Row::Pointer(_) | Row::Strength(_) | Row::Contacts(_) => &[],
        }
    }

    /// Nodes with their tracks, in the order of the rows.
    pub fn nodes(&self) -> impl Iterator<Item = &(NodeId, Vec<(TrackId, Shared<Track>)>)> {
        self.nodes.iter()
    }

    /// Returns the same tracks with another list of rows.
    pub fn listing(&self, list: Vec<Row>) -> Self {
        Self { list, ..self.clone() }
    }

    /// Tracks of all rows.
    pub fn all_tracks(&self) -> impl Iterator<Item = &(TrackId, Shared<Track>)> {
        self.nodes.iter().flat_map(|(_, tracks)| tracks)
    }

    /// Number of tracks of all rows.
    pub fn track_count(&self) -> usize {
        self.nodes.iter().map(|(_, tracks)| tracks.len()).sum()
    }
}

/// Rows of a channel: one per morph target for morph weights, otherwise one.
fn channel_rows(node: NodeId, id: TrackId, track: &Track) -> Vec<Row> {
    /// Maximum number of morph targets with their own rows.
    const MOST: usize = 100;
    if track.property == Property::Weights && track.width <= MOST {
        return (0..track.width).map(|k| Row::Morph(node, id, k)).collect();
    }
    vec![Row::Channel(node, id, track.property)]
}

/// Tracks of each animated node, in the order of the node tree.
fn animated(
    document: &Document,
    (clip, behind): (&Clip, Option<&Clip>),
    view: &View<'_>,
    filter: &RowFilter,
) -> Vec<Animated> {
    let mut by_node: Vec<Vec<(TrackId, Shared<Track>)>> = vec![Vec::new(); document.nodes.len()];
    for (id, track) in &clip.tracks {
        by_node[track.target.index()].push((*id, track.clone()));
    }
    let mut also = vec![false; document.nodes.len()];
    for track in behind.iter().flat_map(|c| c.tracks.values()) {
        also[track.target.index()] = true;
    }
    let mut order = document.shown_nodes();
    let mut listed = vec![false; document.nodes.len()];
    for id in &order {
        listed[id.index()] = true;
    }
    order.extend(document.node_ids().filter(|id| !listed[id.index()]));
    let needle = filter.name.to_lowercase();
    let mut list: Vec<Animated> = order
        .into_iter()
        .filter_map(|id| {
            let mut tracks = std::mem::take(&mut by_node[id.index()]);
            let pinned = filter.pinned.contains(&id);
            let named =
                needle.is_empty() || document.node(id).label(id).to_lowercase().contains(&needle);
            let chosen = !filter.selected_only || view.selection.nodes.contains(&id);
            if !pinned && (!named || !chosen) {
                return None;
            }
            if !pinned {
                tracks.retain(|(id, track)| filter.lists(view, *id, track));
            }
            tracks.sort_by_key(|(_, t)| t.property);
            (!tracks.is_empty() || also[id.index()]).then_some((id, tracks))
        })
        .collect();
    // Pinned nodes are first; otherwise the order of the node tree is kept.
    list.sort_by_key(|(id, _)| !filter.pinned.contains(id));
    list
}
