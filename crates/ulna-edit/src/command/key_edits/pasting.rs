//! Copies keys to the clipboard as text, and pastes them onto nodes.

use std::sync::Arc;

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
        key_words::Between,
        names::find_nodes,
        which_keys::WhichKeys,
    },
};
use ulna_model::{
    Clip, ClipId, Document, KeySet, KeyTimes, NodeId, Notice, Property, Shared, Track, TrackId,
};
use ulna_motion::{
    Mirror,
    clip_edit::{self, CopiedKeys, CopiedTrack, NodePlace, PasteAt},
};

/// Returns the selected keys for the clipboard.
///
/// # Errors
/// If no keys are selected.
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
            "there is no key at that time; nothing was copied",
        ));
    }
    Ok(CopiedKeys::new(tracks))
}

/// Counts of tracks and keys that a paste leaves out or replaces.
#[derive(Default)]
struct PasteCounts {
    /// Number of tracks whose node is missing in the model.
    unknown: usize,
    /// Number of tracks whose node has no mirror node.
    alone: usize,
    /// Number of scales that could not be mirrored.
    scales: usize,
    /// Number of tracks with another number of morph targets.
    other: usize,
    /// Number of replaced keys.
    replaced: usize,
    /// Reason why a channel cannot be edited, for the last such channel.
    kept: Option<String>,
}

/// State of pasting copied tracks into a clip.
struct Pasting<'a> {
    document: &'a Document,
    id: ClipId,
    clip: &'a Clip,
    at: PasteAt,
    mirror: Option<Arc<Mirror>>,
    interpolation: Option<Between>,
    /// Next unused track id of the clip.
    free: TrackId,
    edits: Vec<Edit>,
    keys: KeySet,
    counts: PasteCounts,
}

impl Pasting<'_> {
    /// Pastes the keys of one copied track onto a node.
    fn paste(&mut self, from: &CopiedTrack, target: NodeId) -> Result<(), CommandError> {
        let document = self.document;
        let new = from.track(target).map_err(|e| CommandError::other(e.code(), e.to_string()))?;
        let Some(new) = self.mirrored(new) else { return Ok(()) };
        let target = new.target;
        if let Err(error) = refuse_kept(document, self.clip, target, new.property) {
            self.counts.kept = Some(error.to_string());
            return Ok(());
        }
        let old = self.clip.track(target, new.property);
        let width = old.map_or_else(|| morphs_of(document, target), |(_, t)| t.width);
        if new.property == Property::Weights && width != new.width {
            self.counts.other += 1;
            return Ok(());
        }
        let made = clip_edit::paste(old.map(|(_, t)| &**t), &new, &self.at)
            .map_err(|e| too_far(document, &new, "when pasting,", e))?;
        self.counts.replaced += made.replaced;
        let track = match old {
            Some((id, _)) => id,
            None => {
                let own = self.free;
                self.free = TrackId(own.0 + 1);
                own
            }
        };
        self.keys.set(track, made.keys);
        let to = second_key(old.map(|(_, t)| &**t), made.track, self.interpolation);
        self.edits.push(Edit::SetTrack { clip: self.id, track, to: Some(Shared::new(to)) });
        Ok(())
    }

    /// Mirrors a track if the paste is flipped. Returns `None` if its node has no mirror node.
    fn mirrored(&mut self, new: Track) -> Option<Track> {
        let Some(mirror) = &self.mirror else { return Some(new) };
        match mirror.track(self.document, &new) {
            Some(made) => {
                self.counts.scales += usize::from(made.scale_left);
                Some(made.track)
            }
            None => {
                self.counts.alone += 1;
                None
            }
        }
    }

    /// Returns the result, with notes about omitted tracks. `tracks` is the number of copied
    /// tracks.
    fn finish(self, tracks: usize) -> Result<Outcome, CommandError> {
        if self.edits.is_empty() {
            let none = || "this model has none of the nodes of the copied keys".into();
            let why: String = self.counts.kept.unwrap_or_else(none);
            return Err(CommandError::other(
                "nothing_pasted",
                format!("{why}; select the nodes to paste the keys to"),
            ));
        }
        let notes = self.counts.in_words(tracks);
        Ok(Outcome {
            edits: self.edits,
            notes,
            keys: Some((self.id, self.keys)),
            ..Outcome::default()
        })
    }
}

impl PasteCounts {
    /// Returns a note for each count that is not 0.
    fn in_words(self, tracks: usize) -> Vec<Notice> {
        let Self { unknown, alone, scales, other, replaced, kept } = self;
        said([
            (unknown > 0).then(|| {
                let of = count(tracks, "track");
                Notice::new(
                    "joints_not_here",
                    format!(
                        "{unknown} of {of} left out, because this model does not have their nodes"
                    ),
                )
            }),
            (alone > 0).then(|| {
                Notice::new(
                    "no_mirror_partner",
                    format!("{} left out for lack of a mirror joint", count(alone, "track")),
                )
            }),
            (scales > 0).then(|| {
                let scales = count(scales, "scale");
                Notice::new(
                    "scale_approximate",
                    format!("{scales} not mirrored, because the axes of the two joints differ"),
                )
            }),
            (other > 0).then(|| {
                Notice::new(
                    "count_mismatch",
                    format!("{other} left out, because the number of morph targets differs"),
                )
            }),
            kept.map(|why| Notice::new("keys_not_editable", why)),
            (replaced > 0).then(|| {
                Notice::new("keys_replaced", format!("{} replaced", count(replaced, "key")))
            }),
        ])
    }
}

impl PasteKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        // Errors in node names are reported before errors in the clipboard.
        if let Some(nodes) = &self.node {
            nodes.in_order(document)?;
        }
        let copied = self.copied()?;
        let at = self.place(copied.start())?;
        let targets = self.targets(document, &copied)?;
        let mut pasting = Pasting {
            document,
            id,
            clip,
            at,
            mirror: self.flip.unwrap_or(false).then(|| Mirror::of(document)),
            interpolation: self.interpolation,
            free: clip.free_track_id(),
            edits: Vec::new(),
            keys: KeySet::default(),
            counts: PasteCounts::default(),
        };
        for (from, target) in copied.tracks.iter().zip(targets) {
            match target {
                Some(target) => pasting.paste(from, target)?,
                None => pasting.counts.unknown += 1,
            }
        }
        pasting.finish(copied.tracks.len())
    }

    /// Parses the copied keys from their text.
    fn copied(&self) -> Result<CopiedKeys, CommandError> {
        let text = self.text.as_deref().ok_or_else(|| {
            CommandError::other(
                "nothing_copied",
                "no keys have been copied; copy keys first, or pass them as “text”",
            )
        })?;
        CopiedKeys::parse(text).map_err(|e| CommandError::other(e.code(), e.to_string()))
    }

    /// Returns the offset and the mode of the paste. No key is moved before 0 s. `start` is the
    /// time of the first copied key, in seconds.
    fn place(&self, start: f32) -> Result<PasteAt, CommandError> {
        let by =
            self.time.map(time_of).transpose()?.map_or(0.0, |t| f64::from(t) - f64::from(start));
        Ok(PasteAt {
            by: by.max(-f64::from(start.max(0.0))),
            replace: self.replace.unwrap_or(false),
            relative: self.relative.unwrap_or(false),
        })
    }

    /// Returns the target node of each copied track. Nodes are matched by path, and by index if
    /// several have the path, or else by name.
    ///
    /// If the command names nodes, they are matched in order with the copied nodes.
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

/// Returns the node with the path of a copied node. If several nodes have the path, the index
/// decides.
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
