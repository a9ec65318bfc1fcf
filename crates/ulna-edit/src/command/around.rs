//! What is selected and shown. A command that a person merely names, by a menu or a key, takes its
//! arguments from there.

use super::{
    AddMarker, Arguments, Between, CleanKeys, ClearInLayer, ClipCommand, ClipWorkCommand,
    CloseLoop, Command, CommandLine, CommandSpec, DeleteClip, DeleteKeys, DuplicateClip,
    DuplicateLayer, FlipPose, FoldLayers, HoldKeys, HoldPin, InvertLayer, KeepSet, KeyCommand,
    MirrorClip, MirrorPose, MuteLayer, NewLayer, PasteKeys, PoseDestination, PushPose, RelaxPose,
    RemovePoseLayer, Reset, ResetRotation, ResetScale, ResetTranslation, ReverseClip,
    SessionCommand, SetKey, SetPin, SoloLayer, SplitClip, SplitLayer, StartAtZero, ToRest,
    TrimClip, WhichKeys, ZeroKey,
    field::{ClipName, Nodes, Seconds},
    kept_poses::kept_sets,
    pose_layers::{KeysOfLayer, LayerKeysCommand, LayerName, LayerOf},
};
use crate::{KeysHome, Selection};
use ulna_model::{ClipId, Document, LayerHome, NodeId, PoseLayerId, UnkeyedAt};
use ulna_motion::Mirror;

/// What is selected and shown.
#[derive(Clone, Copy, Debug)]
pub struct CommandContext<'a> {
    /// The document.
    pub document: &'a Document,
    /// What is selected.
    pub selection: &'a Selection,
    /// The clip that is shown, in Animate mode or while painting over one.
    pub clip: Option<ClipId>,
    /// The owner of the keys that the timeline shows; `None` where it shows no clip.
    pub keys: Option<KeysHome>,
    /// The clip over which poses go: the one that is seen.
    pub seen: Option<ClipId>,
    /// Seconds at the playhead.
    pub time: f64,
    /// What plays of the clip, where a range was chosen, seconds.
    pub range: Option<(f64, f64)>,
    /// The unkeyed pose that is seen.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// How values between keys come about in new tracks.
    pub new_keys: Option<Between>,
    /// The layer that is chosen, of the shown clip or of the pose.
    pub layer: Option<(LayerHome, PoseLayerId)>,
    /// Whether edits go there.
    pub into_layer: bool,
    /// Whether the joints on the other side are posed as the mirror image.
    pub symmetry: bool,
}

/// Why a command cannot be taken from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// A person is to be asked for its arguments.
    Asks,
    /// It has nothing to work on: a sentence.
    Refused(&'static str),
}

/// What a command comes to: one, or several that are one step.
pub type Filled = Result<Vec<Command>, Unfilled>;

impl CommandSpec {
    /// The command as what is selected and shown makes it.
    ///
    /// # Errors
    /// Where that does not say enough.
    pub fn fill(&self, around: &CommandContext<'_>) -> Filled {
        match self.filled {
            Some(fill) => fill(around),
            None => self.without_arguments().map(|command| vec![command]),
        }
    }

    /// How it is filled from what is selected and shown; `None` where it is not.
    pub const fn filled_from_around(&self) -> Option<fn(&CommandContext<'_>) -> Filled> {
        self.filled
    }

    /// The command without arguments.
    ///
    /// # Errors
    /// Where it needs some.
    pub fn without_arguments(&self) -> Result<Command, Unfilled> {
        let arguments = Arguments::new(&CommandLine::new(self.name), self);
        arguments.and_then(|a| (self.read)(&a)).map_err(|_missing| Unfilled::Asks)
    }
}

const NO_KEYS: Unfilled = Unfilled::Refused("No key is selected. Select keys on the timeline.");
const NO_KEYS_SHOWN: Unfilled =
    Unfilled::Refused("The timeline shows no clip. Open a clip in Animate mode to edit its keys.");
const NO_CLIP: Unfilled = Unfilled::Refused("No clip is open. Choose a clip on the timeline.");

impl CommandContext<'_> {
    fn nodes(&self) -> Option<Nodes> {
        let nodes = &self.selection.nodes;
        (!nodes.is_empty()).then(|| Nodes::Ids(nodes.iter().copied().collect()))
    }

    fn keys(&self) -> Option<(ClipId, WhichKeys)> {
        WhichKeys::selected(self.selection, self.keys)
    }

    /// The clip whose keys the timeline shows.
    fn keys_clip(&self) -> Result<ClipName, Unfilled> {
        self.keys.map(|home| ClipName::Id(home.clip)).ok_or(NO_KEYS_SHOWN)
    }

    fn clip(&self) -> Result<ClipName, Unfilled> {
        self.clip.map(ClipName::Id).ok_or(NO_CLIP)
    }

    fn seconds(&self) -> Seconds {
        Seconds(self.time as f32)
    }

    /// Where a pose goes: over the clip that is shown, else into the pose of the file.
    pub fn over(&self) -> PoseDestination {
        if let Some(layer) = self.written_layer() {
            return self
                .seen
                .map_or(PoseDestination::FILE, |clip| PoseDestination::clip(clip, self.seconds().0))
                .in_layer(Some(layer));
        }
        let seconds = self.unkeyed.map_or_else(|| self.seconds(), |at| Seconds(at.time()));
        self.seen.map_or(PoseDestination::FILE, |clip| PoseDestination::clip(clip, seconds.0))
    }

    /// The layer that edits go to: the chosen one, where it is of what is seen.
    pub fn written_layer(&self) -> Option<PoseLayerId> {
        let (home, layer) = self.layer.filter(|_| self.into_layer)?;
        (home == LayerHome::of(self.seen)).then_some(layer)
    }

    /// A command on keys, of the layer that edits go to, or of the clip.
    fn of_keys(&self, command: KeysOfLayer) -> Command {
        match (self.written_layer(), command) {
            (Some(layer), command) => {
                LayerKeysCommand { layer: LayerName::Id(layer), command }.into()
            }
            (None, KeysOfLayer::Key(command)) => command.into(),
            (None, KeysOfLayer::Edit(command)) => command.into(),
        }
    }

    fn chosen_layer(&self) -> Result<LayerOf, Unfilled> {
        const NONE: Unfilled =
            Unfilled::Refused("No layer is selected. Choose a layer in the list of layers.");
        self.layer.map(|(home, layer)| LayerOf::of(home, layer)).ok_or(NONE)
    }

    /// A pose of some nodes where it goes, and of their mirror joints where both sides are posed
    /// alike; over a clip at once into keys where that is wanted.
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

    /// Commands that pose nodes; over a clip what they come to goes into keys at once, where that
    /// is wanted.
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
            commands.push(self.of_keys(KeysOfLayer::Key(key.into())));
        }
        commands
    }
}

pub(super) fn reset(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| Reset { node: around.nodes(), parts: None, over }.into()))
}

pub(super) fn reset_translation(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetTranslation { node: around.nodes(), over }.into()))
}

pub(super) fn reset_rotation(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetRotation { node: around.nodes(), over }.into()))
}

pub(super) fn reset_scale(around: &CommandContext<'_>) -> Filled {
    let nodes = around.selection.nodes.iter().copied().collect();
    Ok(posed(around, nodes, |over| ResetScale { node: around.nodes(), over }.into()))
}

/// Of nodes that are posed, those whose mirror joints are to follow, each with its mirror joint:
/// where both are posed, none is.
pub fn other_side(mirror: &Mirror, nodes: &[NodeId]) -> Vec<(NodeId, NodeId)> {
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

/// From the selected joints; where those of both sides are selected, from the side of the active
/// one.
pub(super) fn mirror_pose(around: &CommandContext<'_>) -> Filled {
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

/// The selected joints, or all that the clip moves.
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

pub(super) fn relax_pose(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| RelaxPose { node, amount: None, over }.into())
}

pub(super) fn push_pose(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| PushPose { node, amount: None, over }.into())
}

pub(super) fn to_rest(around: &CommandContext<'_>) -> Filled {
    blended(around, |node, over| ToRest { node, amount: None, over }.into())
}

/// The selected nodes, over the clip that is shown.
pub(super) fn hold_pin(around: &CommandContext<'_>) -> Filled {
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

/// Of all joints: half a body flipped is no pose of anybody.
pub(super) fn flip_pose(around: &CommandContext<'_>) -> Filled {
    let mirror = Mirror::of(around.document);
    let of = |n: NodeId| mirror.partner(n).into_iter().flat_map(move |p| [n, p]);
    let mut all: Vec<NodeId> = around.document.node_ids().flat_map(of).collect();
    all.sort_unstable();
    all.dedup();
    Ok(around.keyed(all, |over| vec![FlipPose { node: None, over }.into()]))
}

/// The selected nodes, under the first digit that keeps nothing.
pub(super) fn keep_set(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    let taken = kept_sets(around.document);
    let free = (1..10).chain([0]).find(|d| taken.iter().all(|s| s.digit != *d));
    let set = free.ok_or(Unfilled::Refused(
        "All ten selection sets are in use. Choose a number, 0 to 9, to replace a set.",
    ))?;
    Ok(vec![KeepSet { set: f32::from(set), node: Some(node) }.into()])
}

/// The selected nodes.
pub(super) fn pin(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    Ok(vec![SetPin { node, kind: None }.into()])
}

pub(super) fn reset_to_file(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SessionCommand::ResetToFile { node: around.nodes() }.into()])
}

/// What was changed is keyed; where nothing was, what is selected.
pub(super) fn set_key(around: &CommandContext<'_>) -> Filled {
    let clip = around.keys_clip()?;
    if around.written_layer().is_some() {
        let node = around.nodes().ok_or(Unfilled::Refused("Nothing is selected."))?;
        let key = SetKey::new(clip, around.seconds(), node);
        return Ok(vec![around.of_keys(KeysOfLayer::Key(key.into()))]);
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

/// Selected keys; without them those of the selected nodes at the playhead.
pub(super) fn delete_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = match around.keys() {
        Some((clip, which)) => (ClipName::Id(clip), which),
        None => {
            let node =
                around.nodes().ok_or(Unfilled::Refused("No key and no joint is selected."))?;
            let which = WhichKeys {
                time: Some(around.seconds()),
                node: Some(node),
                ..WhichKeys::default()
            };
            (around.keys_clip()?, which)
        }
    };
    Ok(vec![around.of_keys(KeysOfLayer::Edit(DeleteKeys { clip, which }.into()))])
}

/// At the playhead.
pub(super) fn paste_keys(around: &CommandContext<'_>) -> Filled {
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
    Ok(vec![around.of_keys(KeysOfLayer::Edit(paste.into()))])
}

/// The selected keys.
pub(super) fn hold_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = around.keys().ok_or(NO_KEYS)?;
    let hold = HoldKeys { clip: ClipName::Id(clip), which, on: None };
    Ok(vec![around.of_keys(KeysOfLayer::Edit(hold.into()))])
}

/// The selected keys, or all of the clip.
pub(super) fn clean_keys(around: &CommandContext<'_>) -> Filled {
    let (clip, which) = match around.keys() {
        Some((clip, which)) => (ClipName::Id(clip), which),
        None => (around.keys_clip()?, WhichKeys::default()),
    };
    Ok(vec![around.of_keys(KeysOfLayer::Edit(CleanKeys { clip, tolerance: None, which }.into()))])
}

pub(super) fn copy_keys(around: &CommandContext<'_>) -> Filled {
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

/// At the playhead.
pub(super) fn add_marker(around: &CommandContext<'_>) -> Filled {
    let marker =
        AddMarker { clip: around.keys_clip()?, time: around.seconds(), name: None, color: None };
    Ok(vec![marker.into()])
}

pub(super) fn duplicate_clip(around: &CommandContext<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DuplicateClip { clip: around.clip()?, name: None }).into()])
}

fn work_on_clip(
    around: &CommandContext<'_>,
    make: impl FnOnce(ClipName) -> ClipWorkCommand,
) -> Filled {
    Ok(vec![make(around.clip()?).into()])
}

pub(super) fn trim_clip(around: &CommandContext<'_>) -> Filled {
    let (from, to) = around.range.ok_or(Unfilled::Asks)?;
    let (from, to) = (Seconds(from as f32), Some(Seconds(to as f32)));
    work_on_clip(around, |clip| TrimClip { clip, from, to, exact: None }.into())
}

pub(super) fn split_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| SplitClip { clip, time: around.seconds(), name: None }.into())
}

pub(super) fn reverse_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| ReverseClip { clip }.into())
}

pub(super) fn start_at_zero(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| StartAtZero { clip }.into())
}

pub(super) fn mirror_clip(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| MirrorClip { clip, node: None }.into())
}

pub(super) fn close_loop(around: &CommandContext<'_>) -> Filled {
    work_on_clip(around, |clip| CloseLoop { clip, how: None, frames: None, speed: None }.into())
}

pub(super) fn delete_clip(around: &CommandContext<'_>) -> Filled {
    Ok(vec![ClipCommand::from(DeleteClip { clip: around.clip()? }).into()])
}

/// Over the clip that is seen, or over the pose.
pub(super) fn new_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![NewLayer { clip: around.seen.map(ClipName::Id), name: None }.into()])
}

pub(super) fn remove_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![RemovePoseLayer { of: around.chosen_layer()? }.into()])
}

pub(super) fn mute_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![MuteLayer { of: around.chosen_layer()?, muted: None }.into()])
}

pub(super) fn solo_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SoloLayer { of: around.chosen_layer()?, solo: None }.into()])
}

pub(super) fn duplicate_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![DuplicateLayer { of: around.chosen_layer()?, name: None }.into()])
}

pub(super) fn invert_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![InvertLayer { of: around.chosen_layer()? }.into()])
}

/// The selected joints.
pub(super) fn clear_in_layer(around: &CommandContext<'_>) -> Filled {
    let node = around.nodes().ok_or(Unfilled::Refused("No joint is selected."))?;
    Ok(vec![ClearInLayer { of: around.chosen_layer()?, node: Some(node) }.into()])
}

/// For the selected joints that are in the layer, or all selected ones, where none of them is yet;
/// for all that it moves, where nothing is selected.
pub(super) fn zero_key(around: &CommandContext<'_>) -> Filled {
    let of = around.chosen_layer()?;
    let layer = around.layer.and_then(|(_, id)| around.document.aids.pose_layer(id));
    let own = layer.map(|(_, l)| l.nodes()).unwrap_or_default();
    let node: Vec<NodeId> =
        around.selection.nodes.iter().copied().filter(|n| own.contains(n)).collect();
    let node = if node.is_empty() { around.nodes() } else { Some(Nodes::Ids(node)) };
    // Where a range is set, before and after it in one act.
    let (time, until) = match around.range {
        Some((from, to)) => (Seconds(from as f32), Some(Seconds(to as f32))),
        None => (around.seconds(), None),
    };
    Ok(vec![ZeroKey { of, time, until, node }.into()])
}

/// All of the clip that is seen, or of the pose.
pub(super) fn fold_layers(around: &CommandContext<'_>) -> Filled {
    Ok(vec![FoldLayers { clip: around.seen.map(ClipName::Id), layer: None }.into()])
}

pub(super) fn split_layer(around: &CommandContext<'_>) -> Filled {
    Ok(vec![SplitLayer { clip: around.clip()?, degrees: None, name: None }.into()])
}
