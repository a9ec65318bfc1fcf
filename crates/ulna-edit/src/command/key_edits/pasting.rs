//! Keys on the clipboard: copied as text, and pasted onto nodes.

use super::{
    commands::PasteKeys,
    targets::{KeyTargets, count, said, second_key, too_far},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_keys::{clip_of, refuse_kept, time_of},
        field::ClipName,
        names::find_nodes,
        which_keys::WhichKeys,
    },
};
use ulna_model::{Document, KeySet, KeyTimes, NodeId, Notice, Property, Shared, Track, TrackId};
use ulna_motion::{
    Mirror,
    clip_edit::{self, CopiedKeys, CopiedTrack, NodePlace, PasteAt},
};

/// The keys as text for the clipboard.
///
/// # Errors
/// Where none are meant.
pub fn copied_keys(
    document: &Document,
    clip: &ClipName,
    which: &WhichKeys,
) -> Result<CopiedKeys, CommandError> {
    let meant = KeyTargets::of(&Scene::new(document), clip, which)?;
    let copied = |(_, track, times): (TrackId, &Shared<Track>, &KeyTimes)| {
        let node = document.node(track.target);
        let place = NodePlace {
            name: &node.label(track.target),
            path: &document.path(track.target),
            node: track.target,
        };
        CopiedTrack::of(track, times, &place)
    };
    let tracks: Vec<CopiedTrack> = meant.tracks().map(copied).collect();
    if tracks.is_empty() {
        return Err(CommandError::other(
            "no_key_there",
            "there is no key at that time; nothing was \
            copied",
        ));
    }
    Ok(CopiedKeys::new(tracks))
}

impl PasteKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        // A name that is wrong is said first.
        if let Some(nodes) = &self.node {
            nodes.in_order(document)?;
        }
        let text = self.text.as_deref().ok_or_else(|| {
            CommandError::other(
                "nothing_copied",
                "no keys have been copied; copy keys first, or \
                pass them as “text”",
            )
        })?;
        let copied =
            CopiedKeys::parse(text).map_err(|e| CommandError::other(e.code(), e.to_string()))?;
        let start = copied.start();
        let by =
            self.time.map(time_of).transpose()?.map_or(0.0, |t| f64::from(t) - f64::from(start));
        let by = by.max(-f64::from(start.max(0.0)));
        let targets = self.targets(document, &copied)?;
        let at = PasteAt {
            by,
            replace: self.replace.unwrap_or(false),
            relative: self.relative.unwrap_or(false),
        };
        let mut free = clip.free_track_id();
        let (mut edits, mut keys) = (Vec::new(), KeySet::default());
        let mirror = self.flip.unwrap_or(false).then(|| Mirror::of(document));
        let (mut unknown, mut other, mut replaced, mut kept) = (0, 0, 0, None);
        let (mut alone, mut left) = (0, 0);
        for (from, target) in copied.tracks.iter().zip(targets) {
            let Some(target) = target else {
                unknown += 1;
                continue;
            };
            let new =
                from.track(target).map_err(|e| CommandError::other(e.code(), e.to_string()))?;
            let new = match &mirror {
                None => new,
                Some(mirror) => match mirror.track(document, &new) {
                    Some(made) => {
                        left += usize::from(made.scale_left);
                        made.track
                    }
                    None => {
                        alone += 1;
                        continue;
                    }
                },
            };
            let target = new.target;
            if let Err(error) = refuse_kept(document, clip, target, new.property) {
                kept = Some(error.to_string());
                continue;
            }
            let old = clip.track(target, new.property);
            let width = old.map_or_else(|| morphs_of(document, target), |(_, t)| t.width);
            if new.property == Property::Weights && width != new.width {
                other += 1;
                continue;
            }
            let made = clip_edit::paste(old.map(|(_, t)| &**t), &new, &at)
                .map_err(|e| too_far(document, &new, "when pasting,", e))?;
            replaced += made.replaced;
            let track = old.map_or_else(
                || {
                    let own = free;
                    free = TrackId(free.0 + 1);
                    own
                },
                |(id, _)| id,
            );
            keys.set(track, made.keys);
            let to = second_key(old.map(|(_, t)| &**t), made.track, self.interpolation);
            edits.push(Edit::SetTrack { clip: id, track, to: Some(Shared::new(to)) });
        }
        if edits.is_empty() {
            let why = kept.unwrap_or_else(|| {
                "this model has none of the nodes of the copied \
                keys"
                    .into()
            });
            return Err(CommandError::other(
                "nothing_pasted",
                format!(
                    "{why}; select the nodes to \
                paste the keys to"
                ),
            ));
        }
        let notes = [
            (unknown > 0).then(|| {
                let of = count(copied.tracks.len(), "track");
                Notice::new(
                    "joints_not_here",
                    format!(
                        "{unknown} of {of} left out, because this model does not have their \
                        nodes"
                    ),
                )
            }),
            (alone > 0).then(|| {
                Notice::new(
                    "no_mirror_partner",
                    format!("{} left out for lack of a mirror joint", count(alone, "track")),
                )
            }),
            (left > 0).then(|| {
                let scales = count(left, "scale");
                Notice::new(
                    "scale_approximate",
                    format!("{scales} not mirrored, because the axes of the two joints differ"),
                )
            }),
            (other > 0).then(|| {
                Notice::new(
                    "count_mismatch",
                    format!(
                        "{other} left out, because the number of \
                    morph targets differs"
                    ),
                )
            }),
            kept.map(|why| Notice::new("keys_not_editable", why)),
            (replaced > 0).then(|| {
                Notice::new("keys_replaced", format!("{} replaced", count(replaced, "key")))
            }),
        ];
        Ok(Outcome { edits, notes: said(notes), keys: Some((id, keys)) })
    }

    /// The node of each copied track: of the same path, of several of that path the one of the same
    /// index, else of the same name; or, where nodes are given, those in their order for the copied
    /// ones in theirs, one for all of one.
    fn targets(
        &self,
        document: &Document,
        copied: &CopiedKeys,
    ) -> Result<Vec<Option<NodeId>>, CommandError> {
        let Some(nodes) = &self.node else {
            let of = |t: &CopiedTrack| {
                let alone = |text: &str| {
                    find_nodes(document, text).ok().filter(|n| n.len() == 1).map(|n| n[0])
                };
                by_path(document, t).or_else(|| alone(&t.path)).or_else(|| alone(&t.node))
            };
            return Ok(copied.tracks.iter().map(of).collect());
        };
        let nodes = nodes.in_order(document)?;
        let mut from: Vec<(&str, Option<u32>)> = Vec::new();
        for track in &copied.tracks {
            if !from.contains(&track.place()) {
                from.push(track.place());
            }
        }
        if from.len() != nodes.len() {
            return Err(CommandError::other(
                "count_mismatch",
                format!(
                    "keys of {} nodes were copied, but {} nodes are selected to receive them; \
                        select the same number of nodes, in the same order",
                    from.len(),
                    nodes.len()
                ),
            ));
        }
        let of = |t: &CopiedTrack| from.iter().position(|p| *p == t.place()).map(|k| nodes[k]);
        Ok(copied.tracks.iter().map(of).collect())
    }
}

/// The node that has the path of a copied one: of several the one whose index that one had.
fn by_path(document: &Document, copied: &CopiedTrack) -> Option<NodeId> {
    let own = copied.index.map(NodeId).filter(|n| document.nodes.contains(*n));
    if let Some(own) = own.filter(|n| document.path(*n) == copied.path) {
        return Some(own);
    }
    let mut found = document.node_ids().filter(|n| document.path(*n) == copied.path);
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

fn morphs_of(document: &Document, node: NodeId) -> usize {
    document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count())
}
