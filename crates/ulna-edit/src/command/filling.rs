//! Fills the arguments of commands from menus and keys. The arguments come from the selection and
//! from the displayed clip or layer.

use super::{
    AddMarker, AddNode, CleanKeys, ClearInLayer, ClipCommand, ClipWorkCommand, CloseLoop,
    DeleteClip, DeleteKeys, DuplicateClip, DuplicateLayer, DuplicateNodes, EulerFilter,
    FindContacts, FindHandContacts, FlipPose, FoldLayers, HoldKeys, HoldPin, InsertKeys,
    InvertLayer, KeepSet, KeyCommand, LayerName, MirrorClip, MirrorPose, MuteLayer, NewGroup,
    NewLayer, PasteKeys, PoseDestination, PushPose, RelaxPose, RemoveNodes, RemovePoseLayer, Reset,
    ResetRotation, ResetScale, ResetTranslation, ReverseClip, SessionCommand, SetKey, SetPin,
    SoloLayer, SplitClip, SplitLayer, StartAtZero, ToRest, TrimClip, WhichKeys, ZeroKey,
    context::{CommandContext, Unfilled},
    families::Command,
    field::{ClipName, Nodes, Seconds},
    kept_poses::kept_sets,
    spec::CommandSpec,
};
use ulna_model::NodeId;
use ulna_motion::Mirror;

/// Commands with their arguments, or the reason for a failure. Several commands form one undo step.
pub type Filled = Result<Vec<Command>, Unfilled>;

/// Makes commands from the selection and display state.
type Fill = fn(&CommandContext<'_>) -> Filled;

/// Name of [`SessionCommand::ResetToFile`].
const RESET_TO_FILE: &str = "pose.reset_to_file";
/// Name of [`SessionCommand::CopyKeys`].
const COPY_KEYS: &str = "key.copy";

/// Returns the function that fills the arguments of a command; `None` if the command uses nothing
/// from the context.
fn fill_of(name: &str) -> Option<Fill> {
    let fill: Fill = match name {
        TrimClip::NAME => trim_clip,
        SplitClip::NAME => split_clip,
        ReverseClip::NAME => reverse_clip,
        StartAtZero::NAME => start_at_zero,
        MirrorClip::NAME => mirror_clip,
        CloseLoop::NAME => close_loop,
        Reset::NAME => reset,
        ResetTranslation::NAME => reset_translation,
        ResetRotation::NAME => reset_rotation,
        ResetScale::NAME => reset_scale,
        DuplicateClip::NAME => duplicate_clip,
        DeleteClip::NAME => delete_clip,
        KeepSet::NAME => keep_set,
        NewGroup::NAME => new_group,
        RESET_TO_FILE => reset_to_file,
        COPY_KEYS => copy_keys,
        SetPin::NAME => pin,
        AddNode::NAME => add_node,
        DuplicateNodes::NAME => duplicate_nodes,
        RemoveNodes::NAME => remove_nodes,
        HoldPin::NAME => hold_pin,
        SetKey::NAME => set_key,
        InsertKeys::NAME => insert_keys,
        EulerFilter::NAME => euler_filter,
        AddMarker::NAME => add_marker,
        FindContacts::NAME => find_contacts,
        FindHandContacts::NAME => find_hand_contacts,
        MirrorPose::NAME => mirror_pose,
        FlipPose::NAME => flip_pose,
        RelaxPose::NAME => relax_pose,
        PushPose::NAME => push_pose,
        ToRest::NAME => to_rest,
        DeleteKeys::NAME => delete_keys,
        PasteKeys::NAME => paste_keys,
        HoldKeys::NAME => hold_keys,
        CleanKeys::NAME => clean_keys,
        NewLayer::NAME => new_layer,
        RemovePoseLayer::NAME => remove_layer,
        MuteLayer::NAME => mute_layer,
        SoloLayer::NAME => solo_layer,
        DuplicateLayer::NAME => duplicate_layer,
        ClearInLayer::NAME => clear_in_layer,
        ZeroKey::NAME => zero_key,
        InvertLayer::NAME => invert_layer,
        FoldLayers::NAME => fold_layers,
        SplitLayer::NAME => split_layer,
        _ => return None,
    };
    Some(fill)
}

impl CommandSpec {
    /// Fills the arguments of the command from the selection and display state.
    ///
    /// # Errors
    /// If the context does not supply the required arguments.
    pub fn fill(&self, context: &CommandContext<'_>) -> Filled {
        match fill_of(self.name) {
            Some(fill) => fill(context),
            None => self.without_arguments().map(|command| vec![command]),
        }
    }

    /// Returns the function that fills the arguments of the command; `None` if the command uses
    /// nothing from the context.
    pub fn filled_from_around(&self) -> Option<fn(&CommandContext<'_>) -> Filled> {
        fill_of(self.name)
    }
}

impl CommandContext<'_> {
    /// Applies a command on keys to the layer that receives edits, or else to the clip.
    fn of_keys(&self, command: impl Into<Command>) -> Command {
        let command = command.into();
        match self.written_layer() {
            Some(layer) => command.on_layer(LayerName::Id(layer)),
            None => command,
        }
    }

    /// Returns the commands that pose nodes at the current destination. With symmetry, the mirror
    /// joints are posed, too. With auto-key, the result is keyed.
    pub fn posed(
        &self,
        mut nodes: Vec<NodeId>,
        posed: impl FnOnce(PoseDestination) -> Command,
    ) -> Vec<Command> {
        let other =
            if self.symmetry { other_side(&Mirror::of(self.document), &nodes) } else { Vec::new() };
        let (sources, partners): (Vec<NodeId>, Vec<NodeId>) = other.into_iter().unzip();
        nodes.extend(partners);
        let mirror = |over| MirrorPose { node: Nodes::Ids(sources.clone()), over }.into();
        self.keyed(nodes, |over| {
            let follows = (!sources.is_empty()).then(|| mirror(over.clone()));
            std::iter::once(posed(over)).chain(follows).collect()
        })
    }

    /// Returns the commands that pose nodes. With auto-key, a clip gets keys of the result.
    fn keyed(
        &self,
        nodes: Vec<NodeId>,
        posed: impl FnOnce(PoseDestination) -> Vec<Command>,
    ) -> Vec<Command> {
        let over = self.over();
        let (clip, time) = (over.clip.clone(), over.time);
        let mut commands = posed(over);
        if let (true, Some(clip), Some(time)) = (self.auto_key, clip, time) {
            let key = SetKey {
                interpolation: self.new_keys,
                ..SetKey::new(clip, time, Nodes::Ids(nodes))
            };
            commands.push(self.of_keys(key));
        }
        commands
    }
}

const NO_KEYS: Unfilled = Unfilled::Refused("No key is selected. Select keys on the timeline.");

fn reset(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| Reset { node: around.nodes(), parts: None, over }.into()))
}

fn reset_translation(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetTranslation { node: around.nodes(), over }.into()))
}

fn reset_rotation(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetRotation { node: around.nodes(), over }.into()))
}

fn reset_scale(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetScale { node: around.nodes(), over }.into()))
}

/// Returns the nodes with their mirror joints, for symmetric posing. Pairs whose mirror joint is
/// among the nodes are omitted.
fn other_side(mirror: &Mirror, nodes: &[NodeId]) -> Vec<(NodeId, NodeId)> {
    let pair = |n: &NodeId| Some((*n, mirror.partner(*n)?));
    nodes.iter().filter_map(pair).filter(|(n, p)| p != n && !nodes.contains(p)).collect()
}

fn posed(
    around: &CommandContext<'_>,
    nodes: Vec<NodeId>,
    posed: impl FnOnce(PoseDestination) -> Command,
) -> Vec<Command> {
    around.posed(nodes, posed)
}

/// Mirrors the pose of the selected joints. If joints of both sides are selected, the side of the
/// active joint is the source.
fn mirror_pose(around: &CommandContext<'_>) -> Filled {
    let mirror = Mirror::of(around.document);
    let nodes = &around.selection.nodes;
    let active = around.selection.active;
    let other = |n: NodeId| mirror.partner(n).filter(|p| *p != n && nodes.contains(p));
    let is_source =
        |n: &NodeId| other(*n).is_none() || active.is_none_or(|a| mirror.is_same_side(a, *n));
    let node: Vec<NodeId> = nodes.iter().copied().filter(is_source).collect();
    if node.is_empty() {
        return Err(Unfilled::Refused("No joint is selected. Select joints of one side."));
    }
    let partners = node.iter().filter_map(|n| mirror.partner(*n)).collect();
    Ok(around.keyed(partners, |over| vec![MirrorPose { node: Nodes::Ids(node), over }.into()]))
}

/// Blends the selected joints, or else all joints that the clip animates.
fn blended(
    around: &CommandContext<'_>,
    make: impl FnOnce(Option<Nodes>, PoseDestination) -> Command,
) -> Filled {
    let nodes: Vec<NodeId> = match around.nodes() {
        Some(_) => around.selection.nodes.iter().copied().collect(),
        None => {
            let clip = around.seen.and_then(|c| around.document.clips.get(c));
            clip.iter().flat_map(|c| c.tracks.values()).map(|t| t.target).collect()
        }
    };
    Ok(posed(around, nodes, |over| make(around.nodes(), over)))
}

fn relax_pose(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| RelaxPose { node, amount: None, over }.into())
}

fn push_pose(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| PushPose { node, amount: None, over }.into())
}

fn to_rest(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| ToRest { node, amount: None, over }.into())
}

/// Locks the selected nodes in place, in the open clip.
fn hold_pin(around: &CommandContext<'_>) -> Filled {
    let node = around
        .nodes()
        .ok_or(Unfilled::Refused("No joint is selected. Select a hand or a foot."))?;
    let hold = HoldPin {
        node,
        clip: around.clip()?,
        from: None,
        to: None,
        ease: None,
        tolerance: None,
        ground: None,
        between: None,
    };
    Ok(vec![hold.into()])
}

/// Flips the pose of all joints, because a half-flipped pose is useless.
fn flip_pose(around: &CommandContext<'_>) -> Filled {
    let mirror = Mirror::of(around.document);
    let of = |n: NodeId| mirror.partner(n).into_iter().flat_map(move |p| [n, p]);
    let mut all: Vec<NodeId> = around.document.node_ids().flat_map(of).collect();
    all.sort_unstable();
    all.dedup();
    Ok(around.keyed(all, |over| vec![FlipPose { node: None, over }.into()]))
}

/// Saves the selected nodes as the first unused selection set.
fn keep_set(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    let taken = kept_sets(around.document);
    let free = (1..10).chain([0]).find(|d| taken.iter().all(|s| s.digit != *d));
    let set = free.ok_or(Unfilled::Refused(
        "All ten selection sets are in use. Choose a number, 0 to 9, to replace a set.",
    ))?;
    Ok(vec![KeepSet { set: f32::from(set), node: Some(node) }.into()])
}

/// Makes a group of the selected nodes.
fn new_group(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    Ok(vec![NewGroup { node, name: None, color: None }.into()])
}

/// Pins the selected nodes.
fn pin(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    Ok(vec![SetPin { node, kind: None }.into()])
}

/// Adds a node below the active node, or at the top of the scene if there is none.
fn add_node(around: &CommandContext<'_>) -> Filled {
    let parent = around.selection.active.map(Nodes::one);
    Ok(vec![AddNode { parent, name: None }.into()])
}

/// Duplicates the selected nodes.
fn duplicate_nodes(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?;
    Ok(vec![DuplicateNodes { node }.into()])
}

/// Removes the selected nodes and their descendants.
fn remove_nodes(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?;
    Ok(vec![RemoveNodes { node, below: None, force: None }.into()])
}

fn reset_to_file(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SessionCommand::ResetToFile { node: around.nodes() }.into()])
}

/// Keys the nodes of the unkeyed pose, or the selected nodes if there is none.
fn set_key(around: &CommandContext<'_>) -> Filled {
    let clip = around.keys_clip()?;
    if around.written_layer().is_some() {
        let node = around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?;
        let key = SetKey::new(clip, around.seconds(), node);
        return Ok(vec![around.of_keys(key)]);
    }
    let held = around.unkeyed.and_then(|at| Some((at, around.document.aids.unkeyed.get(&at)?)));
    let (node, unkeyed) = match held {
        Some((at, pose)) => {
            (Nodes::Ids(pose.nodes().collect()), around.carried.then(|| Seconds(at.time())))
        }
        None => (around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?, None),
    };
    let key = SetKey {
        unkeyed,
        interpolation: around.new_keys,
        ..SetKey::new(clip, around.seconds(), node)
    };
    Ok(vec![KeyCommand::from(key).into()])
}

/// Inserts keys at the playhead, on the channels of the selected nodes or of the whole clip.
fn insert_keys(around: &CommandContext<'_>) -> Filled {
    let insert = InsertKeys {
        time: Some(around.seconds()),
        node: around.nodes(),
        interpolation: around.new_keys,
        ..InsertKeys::new(around.keys_clip()?)
    };
    Ok(vec![around.of_keys(insert)])
}

/// Filters the rotations of the selected keys, or of the whole clip.
fn euler_filter(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = match around.keys() {
        Some((clip, which)) => (ClipName::Id(clip), which),
        None => (around.keys_clip()?, WhichKeys::default()),
    };
    Ok(vec![around.of_keys(EulerFilter { clip, which })])
}

/// Deletes the selected keys. If there are none, deletes the keys of the selected nodes at the
/// playhead.
fn delete_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = match around.keys() {
        Some((clip, which)) => (ClipName::Id(clip), which),
        None => {
            let node =
                around.nodes().ok_or(Unfilled::Refused("No keys or joints are selected."))?;
            let which = WhichKeys {
                time: Some(around.seconds()),
                node: Some(node),
                ..WhichKeys::default()
            };
            (around.keys_clip()?, which)
        }
    };
    Ok(vec![around.of_keys(DeleteKeys { clip, which })])
}

/// Pastes keys at the playhead.
fn paste_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, time) = (around.keys_clip()?, Some(around.seconds()));
    let paste = PasteKeys {
        clip,
        text: None,
        time,
        node: None,
        replace: None,
        relative: None,
        flip: None,
        interpolation: around.new_keys,
    };
    Ok(vec![around.of_keys(paste)])
}

/// Holds the values of the selected keys.
fn hold_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = around.keys().ok_or(NO_KEYS)?;
    let hold = HoldKeys { clip: ClipName::Id(clip), which, on: None };
    Ok(vec![around.of_keys(hold)])
}

/// Removes redundant keys among the selected keys, or in the whole clip.
fn clean_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = match around.keys() {
        Some((clip, which)) => (ClipName::Id(clip), which),
        None => (around.keys_clip()?, WhichKeys::default()),
    };
    Ok(vec![around.of_keys(CleanKeys { clip, tolerance: None, which })])
}

fn copy_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = around.keys().ok_or(NO_KEYS)?;
    Ok(vec![
        SessionCommand::CopyKeys {
            clip: ClipName::Id(clip),
            layer: around.written_layer().map(LayerName::Id),
            which,
        }
        .into(),
    ])
}

/// Adds a marker at the playhead.
fn add_marker(around: &CommandContext<'_>) -> Filled {
    let marker =
        AddMarker { clip: around.keys_clip()?, time: around.seconds(), name: None, color: None };
    Ok(vec![marker.into()])
}

fn find_contacts(around: &CommandContext<'_>) -> Filled {
    Ok(vec![FindContacts { clip: around.clip()?, contacts: None, hands: None }.into()])
}

/// Finds the contacts of hands in the clip.
fn find_hand_contacts(around: &CommandContext<'_>) -> Filled {
    Ok(vec![FindHandContacts { clip: around.clip()? }.into()])
}

fn duplicate_clip(around: &CommandContext<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DuplicateClip { clip: around.clip()?, name: None }).into()])
}

fn work_on_clip(
    around: &CommandContext<'_>,
    make: impl FnOnce(ClipName) -> ClipWorkCommand,
) -> Filled {
    Ok(vec![make(around.clip()?).into()])
}

fn trim_clip(around: &CommandContext<'_>) -> Filled {
    let (from, to) = around.range.ok_or(Unfilled::Asks)?;
    let (from, to) = (Seconds(from as f32), Some(Seconds(to as f32)));
    work_on_clip(around, |clip| TrimClip { clip, from, to, exact: None }.into())
}

fn split_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| SplitClip { clip, time: around.seconds(), name: None }.into())
}

fn reverse_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| ReverseClip { clip }.into())
}

fn start_at_zero(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| StartAtZero { clip }.into())
}

fn mirror_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| MirrorClip { clip, node: None }.into())
}

fn close_loop(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| CloseLoop { clip, how: None, frames: None, speed: None }.into())
}

fn delete_clip(around: &CommandContext<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DeleteClip { clip: around.clip()? }).into()])
}

/// Adds a layer to the displayed clip, or to the pose.
fn new_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![NewLayer { clip: around.seen.map(ClipName::Id), name: None }.into()])
}

fn remove_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![RemovePoseLayer { of: around.chosen_layer()? }.into()])
}

fn mute_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![MuteLayer { of: around.chosen_layer()?, muted: None }.into()])
}

fn solo_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SoloLayer { of: around.chosen_layer()?, solo: None }.into()])
}

fn duplicate_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![DuplicateLayer { of: around.chosen_layer()?, name: None }.into()])
}

fn invert_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![InvertLayer { of: around.chosen_layer()? }.into()])
}

/// Clears the selected joints in a layer.
fn clear_in_layer(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    Ok(vec![ClearInLayer { of: around.chosen_layer()?, node: Some(node) }.into()])
}

/// Sets neutral keys in a layer for the selected joints of the layer. If the layer moves none of
/// them, sets keys for all selected joints. Without a selection, sets keys for all joints of the
/// layer.
fn zero_key(around: &CommandContext<'_>) -> Filled {
    let of = around.chosen_layer()?;
    let layer = around.layer.and_then(|(_, id)| around.document.aids.pose_layer(id));
    let own = layer.map(|(_, l)| l.nodes()).unwrap_or_default();
    let node: Vec<NodeId> =
        around.selection.nodes.iter().copied().filter(|n| own.contains(n)).collect();
    let node = if node.is_empty() { around.nodes() } else { Some(Nodes::Ids(node)) };
    // A playback range gets keys at its start and end in one step.
    let (time, until) = match around.range {
        Some((from, to)) => (Seconds(from as f32), Some(Seconds(to as f32))),
        None => (around.seconds(), None),
    };
    Ok(vec![ZeroKey { of, time, until, node }.into()])
}

/// Bakes all layers of the displayed clip, or of the pose.
fn fold_layers(around: &CommandContext<'_>) -> Filled {
    Ok(vec![FoldLayers { clip: around.seen.map(ClipName::Id), layer: None }.into()])
}

fn split_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SplitLayer { clip: around.clip()?, degrees: None, name: None }.into()])
}

#[cfg(test)]
mod tests {
    use super::{COPY_KEYS, RESET_TO_FILE};

    #[test]
    fn session_commands_exist_and_fill_their_arguments_from_context() {
        for name in [COPY_KEYS, RESET_TO_FILE] {
            assert!(crate::find(name).is_some_and(|spec| spec.filled_from_around().is_some()));
        }
    }
}
