//! Insertion of keys on curves.

use super::{Graph, asked::insert_keys, snapping::to_frame};
use crate::ui::{Action, Actions};
use ulna_model::{NodeId, Property};

/// Inserts a key on a curve, at the nearest frame. The track gets a key for all components, and the
/// curve keeps its shape.
pub fn on_curve(graph: &Graph<'_>, curve: usize, time: f64, actions: &mut Actions) {
    let shown = &graph.layout.curves[curve];
    let (Some(_), Some(node)) = (shown.id.track(), shown.node) else { return };
    let time = to_frame(graph, time).max(0.0);
    let (of, new_keys) = ((vec![node], vec![shown.property]), graph.view.settings.new_keys);
    actions.push(Action::Run(insert_keys(graph.id, time, of, new_keys)));
}

/// Inserts keys at the playhead on all shown and unlocked curves.
pub fn on_all(graph: &Graph<'_>, actions: &mut Actions) {
    let mut tracks: Vec<(NodeId, Property)> = graph
        .layout
        .curves
        .iter()
        .filter(|c| !c.locked && c.id.track().is_some())
        .filter_map(|c| Some((c.node?, c.property)))
        .collect();
    tracks.sort_unstable();
    tracks.dedup();
    let time = graph.view.timeline.playback.time;
    let mut commands = Vec::new();
    for property in [Property::Weights].into_iter().chain(Property::TRS) {
        let nodes: Vec<NodeId> =
            tracks.iter().filter(|(_, p)| *p == property).map(|(n, _)| *n).collect();
        if !nodes.is_empty() {
            let new_keys = graph.view.settings.new_keys;
            commands.push(insert_keys(graph.id, time, (nodes, vec![property]), new_keys));
        }
    }
    if !commands.is_empty() {
        actions.push(Action::Preview { label: "Insert keys".to_owned(), commands });
        actions.push(Action::Commit);
    }
}
