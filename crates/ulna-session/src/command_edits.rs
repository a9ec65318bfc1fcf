//! Computes the edits of a command.

use super::{
    edited::{self, EditedThing},
    run_error::{NeedsHost, RunError},
};
use ulna_edit::{
    Command, CommandError, Edit, Outcome, Scene,
    command::{
        LayerName, SessionCommand,
        field::{ClipName, Meshes, Nodes},
    },
    free_of_matrices,
};
use ulna_model::{Document, LayerHome, NodeId, NodePose};

/// Computes the edits of a document or session command without applying them.
pub(super) fn edits_of(
    opened: &Document,
    scene: &Scene<'_>,
    command: &Command,
) -> Result<Outcome, RunError> {
    let document = scene.document;
    match command {
        Command::Document(command) => Ok(command.work(scene)?),
        Command::Session(SessionCommand::ResetToFile { node }) => {
            let nodes: Vec<NodeId> = match node {
                Some(nodes) => nodes.all(document).map_err(CommandError::from)?,
                None => document.node_ids().collect(),
            };
            let was = |node: NodeId| opened.nodes.get(node);
            let pose = |node: &NodeId| {
                let now = document.node(*node);
                let pose = was(*node).and_then(|n| match n.pose {
                    Some(pose) if now.rest == n.rest => Some(pose),
                    // The rest pose changed: it was set to the current pose, or its axes changed.
                    Some(pose) if now.rest != pose.local => {
                        Some(NodePose::by(&now.rest, pose.user))
                    }
                    _ => None,
                });
                (document.node(*node).pose != pose).then_some((*node, pose))
            };
            let morphs = |node: &NodeId| {
                let (node, was) = (*node, was(*node));
                // The node can have another mesh than when the file was opened.
                let same = was.filter(|n| n.mesh == document.node(node).mesh);
                if was.is_some() && same.is_none() {
                    return None;
                }
                let to = same.and_then(|n| n.morph_weights.clone());
                (document.node(node).morph_weights != to).then_some(Edit::SetMorphs { node, to })
            };
            let poses: Vec<_> = nodes.iter().filter_map(pose).collect();
            let mut edits: Vec<Edit> = nodes.iter().filter_map(morphs).collect();
            if !poses.is_empty() {
                edits.push(Edit::SetPoses(poses));
            }
            let mut done = Outcome::from(edits);
            free_of_matrices(document, &mut done);
            Ok(done)
        }
        Command::Session(SessionCommand::Revert { clip, layer, node, mesh }) => {
            let things = reverts(
                opened,
                document,
                (clip.as_ref(), layer.as_ref(), node.as_ref(), mesh.as_ref()),
            )?;
            let mut done = Outcome::default();
            for thing in things {
                let one = edited::reverted(opened, document, thing)?;
                done.edits.extend(one.edits);
                done.notes.extend(one.notes);
            }
            free_of_matrices(document, &mut done);
            Ok(done)
        }
        Command::Session(
            SessionCommand::Undo
            | SessionCommand::Redo
            | SessionCommand::CopyKeys { .. }
            | SessionCommand::ImportLayer { .. }
            | SessionCommand::ImportSkeleton { .. }
            | SessionCommand::ImportWeights { .. }
            | SessionCommand::ImportClips { .. }
            | SessionCommand::RetargetClips { .. },
        )
        | Command::Host(_) => Err(NeedsHost(command.spec().name).into()),
    }
}

/// Arguments of `Revert`: clip, layer, nodes and meshes.
type Named<'a> =
    (Option<&'a ClipName>, Option<&'a LayerName>, Option<&'a Nodes>, Option<&'a Meshes>);

/// Finds the elements that the arguments of `Revert` name. A removed element is found by its name
/// when the file was opened.
fn reverts(
    opened: &Document,
    now: &Document,
    named: Named<'_>,
) -> Result<Vec<EditedThing>, CommandError> {
    let (clip, layer, node, mesh) = named;
    let nodes = node.map(|n| n.all(now)).transpose()?;
    let meshes = mesh.map(|m| m.find(now)).transpose()?;
    let clip = match clip {
        None => None,
        Some(clip) => Some(clip.find(now).or_else(|why| clip.find(opened).map_err(|_gone| why))?),
    };
    let ways = usize::from(clip.is_some() || layer.is_some())
        + usize::from(nodes.is_some())
        + usize::from(meshes.is_some());
    if ways != 1 {
        return Err(CommandError::other(
            "arguments_exclusive",
            "name exactly one of “clip”, “layer”, “node” and “mesh”",
        ));
    }
    if let Some(layer) = layer {
        let home = LayerHome::of(clip);
        let id =
            layer.find(now, home).or_else(|why| layer.find(opened, home).map_err(|_gone| why))?;
        return Ok(vec![EditedThing::Layer(home, id)]);
    }
    if let Some(clip) = clip {
        return Ok(vec![EditedThing::Clip(clip)]);
    }
    if let Some(nodes) = nodes {
        return Ok(nodes.into_iter().map(EditedThing::Node).collect());
    }
    Ok(meshes.unwrap_or_default().into_iter().map(EditedThing::Weights).collect())
}
