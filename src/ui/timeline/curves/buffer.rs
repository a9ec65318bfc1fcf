//! Buffer curves: copies of curves for comparison, which can be swapped with the edited curves.

use std::collections::BTreeMap;

use super::{
    frame::Graph,
    state::{BufferCurves, CurvesState},
};
use crate::ui::{Action, Actions};
use ulna_edit::{
    Command,
    command::{
        DeleteKeys, MatchSeam, PasteKeys, WhichKeys,
        field::{ClipName, KeyParts, Nodes},
    },
};
use ulna_model::{Document, KeySet, KeyTimes, NodeId, Property, Shared, Track};
use ulna_motion::clip_edit::{CopiedKeys, CopiedTrack, NodePlace};

/// Node and property that a channel animates, with its keys.
type Channel = ((NodeId, Property), Shared<Track>);

/// Channels to copy: those with selected keys, or all shown channels without a selection.
fn channels(graph: &Graph<'_>) -> BTreeMap<(NodeId, Property), Shared<Track>> {
    let of = |only_selected: bool| {
        let curves = graph.layout.curves.iter();
        let found = curves.filter_map(|c| {
            let id = c.id.track()?;
            let wanted = !only_selected || !graph.keys().of_track(id).is_empty();
            wanted.then(|| Some(((c.node?, c.property), c.track.clone())))?
        });
        found.collect::<BTreeMap<_, _>>()
    };
    let selected = of(true);
    if selected.is_empty() { of(false) } else { selected }
}

impl CurvesState {
    /// Stores copies of the curves with selected keys, or of all shown curves without a selection.
    pub fn keep_copy(&mut self, graph: &Graph<'_>) {
        let mut tracks = self.buffer.take().unwrap_or_default().tracks;
        tracks.extend(channels(graph));
        self.buffer = (!tracks.is_empty()).then_some(BufferCurves { tracks });
    }

    /// Stored channels that are shown and differ from their current keys.
    fn swappable(&self, graph: &Graph<'_>) -> Vec<(Channel, Shared<Track>)> {
        let Some(buffer) = &self.buffer else { return Vec::new() };
        let now = channels(graph).into_iter();
        now.filter_map(|(of, track)| Some(((of, track), buffer.tracks.get(&of)?.clone())))
            .filter(|((_, now), kept)| !Shared::ptr_eq(now, kept) && **now != **kept)
            .collect()
    }

    /// Whether any stored copy differs from the shown curve.
    pub fn can_swap(&self, graph: &Graph<'_>) -> bool {
        !self.swappable(graph).is_empty()
    }

    /// Replaces the edited curves by the stored copies. The edited curves become the new copies.
    pub fn swap(&mut self, graph: &Graph<'_>, actions: &mut Actions) {
        let swapped = self.swappable(graph);
        let document = graph.view.session.map(|s| s.document());
        let (Some(document), Some(buffer)) = (document, &mut self.buffer) else { return };
        if swapped.is_empty() {
            return;
        }
        let commands = commands(graph, document, &swapped);
        buffer.tracks.extend(swapped.into_iter().map(|(now, _)| now));
        let label = "Swap with the kept curve".to_owned();
        actions.push(Action::Preview { label, commands });
        actions.push(Action::Commit);
    }
}

/// Creates the commands that replace the keys of channels by the stored copies.
fn commands(
    graph: &Graph<'_>,
    document: &Document,
    swapped: &[(Channel, Shared<Track>)],
) -> Vec<Command> {
    let clip = ClipName::Id(graph.id);
    let (mut gone, mut copied) = (KeySet::default(), Vec::new());
    for ((_, now), kept) in swapped {
        let id = graph.clip.tracks.iter().find(|(_, t)| Shared::ptr_eq(t, now)).map(|(id, _)| *id);
        let Some(id) = id else { continue };
        gone.set(id, KeyTimes::part(&now.times, 0..now.times.len()));
        let (name, path) =
            (document.node(kept.target).label(kept.target), document.path(kept.target));
        let place = NodePlace { name: &name, path: &path, node: kept.target };
        copied.push(CopiedTrack::of(kept, &kept.times, &place));
    }
    let which = WhichKeys::these(graph.id, gone);
    let text = Some(CopiedKeys::new(copied).text());
    let paste = PasteKeys {
        clip: clip.clone(),
        text,
        time: None,
        node: None,
        replace: None,
        relative: None,
        flip: None,
        interpolation: None,
    };
    let mut commands = vec![DeleteKeys { clip: clip.clone(), which }.into(), paste.into()];
    for ((of, _), _) in swapped.iter().filter(|(_, kept)| kept.modes.wraps()) {
        let which = WhichKeys {
            node: Some(Nodes::one(of.0)),
            parts: Some(KeyParts(vec![of.1])),
            ..WhichKeys::default()
        };
        commands.push(MatchSeam { clip: clip.clone(), on: Some(true), which }.into());
    }
    commands
}
