//! The context menu of nodes. The outliner and the viewport show the same rows in the same order.

use ulna_edit::command::{
    AddNode, Below, BrushCommand, ClearPins, DissolveJoint, DuplicateNodes, InsertJoint, Keep,
    MergeJoint, MirrorJoint, MirrorPose, ModeCommand, MoveJoint, OrientJoint, PinKind, RemoveJoint,
    RemoveNodes, RenameJoints, RenameNode, RenameNodes, Reparent, ReparentJoint, Reset,
    ResetRotation, ResetScale, ResetTranslation, SelectCommand, SessionCommand, SetKey, SetPin,
    TimelineCommand, VertexCommand, ViewCommand, field::Nodes,
};
use ulna_model::{Document, NodeId};

use super::{
    OutlinerAction, View,
    menu_rows::{MenuRows, Row},
    widgets::{node_kind, thousands},
};

/// Place where the menu of a node was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePlace<'a> {
    /// The menu was opened on a row of the outliner.
    Outliner,
    /// The menu was opened in the viewport, with the joints and meshes under the pointer.
    Viewport {
        /// Joints under the pointer, most likely first.
        joints: &'a [NodeId],
        /// Nodes with meshes under the pointer, front to back.
        meshes: &'a [NodeId],
    },
}

impl NodePlace<'_> {
    const fn is_outliner(self) -> bool {
        matches!(self, Self::Outliner)
    }
}

/// The nodes that a menu acts on.
struct Target<'a> {
    document: &'a Document,
    nodes: &'a [NodeId],
    place: NodePlace<'a>,
}

impl Target<'_> {
    fn all(&self) -> Nodes {
        Nodes::Ids(self.nodes.to_vec())
    }

    fn any(&self, is: impl Fn(NodeId) -> bool) -> bool {
        self.nodes.iter().any(|n| is(*n))
    }
}

/// Fills the menu of one or several nodes. Returns whether the user chose to rename the node in its
/// row.
pub fn node_rows(
    rows: &mut MenuRows<'_>,
    document: &Document,
    nodes: &[NodeId],
    place: NodePlace<'_>,
) -> bool {
    let view = rows.view;
    let is_joint = |n: &NodeId| view.joints.get(n.index()) == Some(&true);
    let are_joints = nodes.iter().all(is_joint);
    header(rows, document, nodes, are_joints);
    under_pointer(rows, document, place);
    let target = Target { document, nodes, place };
    let mode = view.mode.spec();
    let renames = naming(rows, &target, are_joints);
    rows.separator();
    rows.submenu(Row::new("Select").icon(select_icon()), |rows| select_rows(rows, &target));
    rows.command_as(ViewCommand::FrameSelected.spec(), "Frame");
    rows.separator();
    match are_joints {
        true if mode.edits_rest => rig_rows(rows),
        true if mode.paints_weights => painting_rows(rows),
        true => posing_rows(rows, &target),
        false => plain_rows(rows, &target),
    }
    rows.separator();
    let (paint, rig) = (ModeCommand::PaintMode.spec(), ModeCommand::RigMode.spec());
    if are_joints && !mode.edits_rest && !mode.paints_weights && view.availability.weights {
        rows.command_as(paint, "Paint weights");
    }
    if are_joints && !mode.edits_rest {
        rows.command_as(rig, "Edit in Rig mode");
        if place.is_outliner() {
            rows.submenu(Row::new("Change the skeleton"), skeleton_rows);
        }
    }
    rows.separator();
    visibility_rows(rows, &target);
    if !are_joints {
        rows.separator();
        removal_rows(rows, &target);
    }
    renames
}

const fn select_icon() -> &'static str {
    egui_material_icons::icons::ICON_ADS_CLICK.codepoint
}

fn header(rows: &mut MenuRows<'_>, document: &Document, nodes: &[NodeId], are_joints: bool) {
    match nodes {
        [one] => {
            let kind = node_kind(rows.view, document, *one);
            let about = match (kind, document.node(*one).mesh) {
                ("mesh", Some(mesh)) => {
                    format!("mesh, {} vertices", thousands(document.mesh(mesh).vertex_count()))
                }
                _ => format!("{kind} {}", one.index()),
            };
            rows.header(&document.node(*one).label(*one), &about);
        }
        several => {
            let kind = if are_joints { "joints" } else { "nodes" };
            rows.header(&format!("{} {kind}", thousands(several.len())), "");
        }
    }
}

/// Adds rows for the joints and meshes under the pointer. A click selects the node.
fn under_pointer(rows: &mut MenuRows<'_>, document: &Document, place: NodePlace<'_>) {
    let NodePlace::Viewport { joints, meshes } = place else { return };
    if joints.is_empty() && meshes.is_empty() {
        return;
    }
    let counted = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let note = counted(joints.len(), "joint", "joints");
    let note = note.or_else(|| counted(meshes.len(), "mesh", "meshes")).unwrap_or_default();
    let icon = egui_material_icons::icons::ICON_STACKS.codepoint;
    rows.submenu(Row::new("Under the pointer").icon(icon).note(note), |rows| {
        for node in joints {
            let row = Row::new(document.node(*node).label(*node)).joint();
            pick_row(rows, *node, row);
        }
        rows.separator();
        let icon = egui_material_icons::icons::ICON_DEPLOYED_CODE.codepoint;
        for node in meshes {
            let row = Row::new(document.node(*node).label(*node)).icon(icon);
            pick_row(rows, *node, row);
        }
    });
    rows.separator();
}

/// Adds a row that selects a node. The row is amber if the node is selected.
fn pick_row(rows: &mut MenuRows<'_>, node: NodeId, row: Row<'_>) {
    let row = match rows.view.selection.nodes.contains(&node) {
        true => row.color(rows.view.theme.color(ulna_render::ColorRole::SelectionText)),
        false => row,
    };
    rows.act(row, || OutlinerAction::Select { node, toggle: false });
}

/// Adds rows that rename nodes. Returns whether the node should be renamed in its row.
fn naming(rows: &mut MenuRows<'_>, target: &Target<'_>, are_joints: bool) -> bool {
    if !target.place.is_outliner() {
        return false;
    }
    let mut renames = false;
    if target.nodes.len() == 1 {
        renames = rows.row(Row::of(rows.view, RenameNode::spec()).enabled());
    }
    let batch = if are_joints { RenameJoints::spec() } else { RenameNodes::spec() };
    rows.command_as(batch, "Batch rename…");
    renames
}

fn select_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let document = target.document;
    let has_parent = target.any(|n| document.node(n).parent.is_some());
    let has_children = target.any(|n| !document.children(n).is_empty());
    let view = rows.view;
    let mut row = |command: SelectCommand, title: &'static str, reason: Option<&'static str>| {
        let row = Row::of(view, command.spec()).title(title).plain().unless(reason);
        rows.run(row, || command.into());
    };
    let no_parent = (!has_parent).then_some("It has no parent");
    let no_children = (!has_children).then_some("It has no children");
    row(SelectCommand::Parent, "Parent", no_parent);
    row(SelectCommand::Child, "First child", no_children);
    row(SelectCommand::Sibling, "Next sibling", no_parent);
    row(SelectCommand::Below, "All descendants", no_children);
    row(SelectCommand::Limb, "Limb", None);
    let pair = (target.nodes.len() < 2).then_some("Select the two ends of the chain first");
    row(SelectCommand::Chain, "Chain between the last two", pair);
    row(SelectCommand::Mirror, "Mirror joints", None);
    row(SelectCommand::Joints, "All joints", None);
}

/// Adds rows about the pose, in Pose and Animate mode.
fn posing_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let view = rows.view;
    let in_viewport = !target.place.is_outliner();
    if view.shown_clip().is_some() {
        rows.command(SetKey::spec());
        if in_viewport {
            rows.submenu(Row::new("Set key on"), set_key_rows);
        }
    }
    rows.command(ModeCommand::CopyPose.spec());
    paste_row(rows, ModeCommand::PastePose, "Paste pose");
    if in_viewport {
        paste_row(rows, ModeCommand::PasteFlipped, "Paste flipped");
        rows.command(MirrorPose::spec());
    }
    rows.submenu(Row::of(view, Reset::spec()).title("Reset to rest pose").keyless(), reset_rows);
    let pin = Row::of(view, SetPin::spec()).title("Pin");
    rows.submenu(pin, |rows| pin_rows(rows, target));
}

fn set_key_rows(rows: &mut MenuRows<'_>) {
    rows.command_as(TimelineCommand::KeyTranslation.spec(), "Translation");
    rows.command_as(TimelineCommand::KeyRotation.spec(), "Rotation");
    rows.command_as(TimelineCommand::KeyScale.spec(), "Scale");
    rows.command_as(TimelineCommand::KeyAll.spec(), "All channels");
    rows.separator();
    rows.command_as(TimelineCommand::KeyLimb.spec(), "The limb");
    rows.command_as(TimelineCommand::KeyCharacter.spec(), "The whole character");
}

/// Adds a row that pastes a pose. It is disabled until a pose was copied.
pub fn paste_row(rows: &mut MenuRows<'_>, command: ModeCommand, title: &'static str) {
    let row = Row::of(rows.view, command.spec()).title(title);
    let reason = (!rows.view.poses.copied).then_some("Copy a pose first");
    let plain = command != ModeCommand::PastePose;
    rows.run(if plain { row.plain() } else { row }.unless(reason), || command.into());
}

fn reset_rows(rows: &mut MenuRows<'_>) {
    rows.command_as(Reset::spec(), "All channels");
    rows.separator();
    rows.command_as(ResetTranslation::spec(), "Translation");
    rows.command_as(ResetRotation::spec(), "Rotation");
    rows.command_as(ResetScale::spec(), "Scale");
    rows.separator();
    let view = rows.view;
    let to_file = (SessionCommand::ResetToFile { node: None }).spec();
    if view.shown_clip().is_none() {
        rows.command_as(to_file, "To the pose of the file");
    }
}

fn pin_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let pins = &target.document.aids.pins;
    let kind_of = |n: NodeId| PinKind::of(pins.get(&n).copied());
    rows.with_marks();
    for (kind, title) in [
        (PinKind::Both, "Position and rotation"),
        (PinKind::Place, "Position"),
        (PinKind::Angle, "Rotation"),
        (PinKind::None, "Not pinned"),
    ] {
        let on = target.nodes.iter().all(|n| kind_of(*n) == kind);
        let node = target.all();
        rows.run(Row::new(title).checked(on), || SetPin { node, kind: Some(kind) }.into());
    }
    rows.separator();
    let reason = pins.is_empty().then_some("Nothing is pinned");
    let row = Row::of(rows.view, ClearPins::spec()).unless(reason);
    rows.run(row, || ClearPins { node: None }.into());
}

/// Adds rows that change joints, in Rig mode.
fn rig_rows(rows: &mut MenuRows<'_>) {
    rows.command(ModeCommand::ExtrudeJoint.spec());
    rows.command(InsertJoint::spec());
    rows.command(MirrorJoint::spec());
    rows.command(OrientJoint::spec());
    rows.command_as(ModeCommand::CenterJoint.spec(), "Center in the limb");
    rows.command_as(ReparentJoint::spec(), "Attach to another parent…");
    rows.separator();
    rows.command(MergeJoint::spec());
    rows.command(DissolveJoint::spec());
    rows.command(RemoveJoint::spec());
}

/// Adds rows for commands that change joints. Each previews its effects first.
pub fn skeleton_rows(rows: &mut MenuRows<'_>) {
    rows.command(OrientJoint::spec());
    rows.command(MoveJoint::spec());
    rows.command(MirrorJoint::spec());
    rows.command(InsertJoint::spec());
    rows.command(ReparentJoint::spec());
    rows.separator();
    rows.command(MergeJoint::spec());
    rows.command(DissolveJoint::spec());
    rows.command(RemoveJoint::spec());
}

/// Adds rows about the weights of a joint, in Paint mode.
fn painting_rows(rows: &mut MenuRows<'_>) {
    rows.command(BrushCommand::Lock.spec());
    rows.command(BrushCommand::UnlockAll.spec());
    rows.command(BrushCommand::Flood.spec());
    rows.separator();
    rows.command(VertexCommand::OfJoint.spec());
    rows.command_as(BrushCommand::Bend.spec(), "Test bend");
}

/// Adds rows about nodes that are not joints.
fn plain_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let view = rows.view;
    if let [node] = *target.nodes {
        let row = Row::of(view, AddNode::spec()).title("Add empty node below");
        rows.run(row, || AddNode { parent: Some(Nodes::one(node)), name: None }.into());
    }
    let copy = Row::of(view, DuplicateNodes::spec()).title("Duplicate");
    rows.run(copy, || DuplicateNodes { node: target.all() }.into());
    if target.any(|n| target.document.node(n).parent.is_some()) {
        let about = "Detaches the nodes from their parent and keeps their position";
        rows.run(Row::new("Move to the top of the scene").help(about), || {
            let keep = Some(Keep::World);
            Reparent { node: target.all(), parent: None, before: None, keep, force: None }.into()
        });
    }
    if view.mode.spec().poses {
        rows.separator();
        if view.shown_clip().is_some() {
            rows.command(SetKey::spec());
        }
        rows.submenu(
            Row::of(view, Reset::spec()).title("Reset to rest pose").keyless(),
            reset_rows,
        );
    }
}

fn visibility_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let view = rows.view;
    let hidden: Vec<NodeId> = target.nodes.iter().copied().filter(|n| view.is_hidden(*n)).collect();
    if hidden.is_empty() {
        rows.command(ViewCommand::Hide.spec());
    } else {
        let icon = egui_material_icons::icons::ICON_VISIBILITY.codepoint;
        if rows.row(Row::new("Show").icon(icon)) {
            let show = |node| OutlinerAction::SetHidden { node, hidden: false };
            rows.actions.extend(hidden.into_iter().map(show));
        }
    }
    if !target.place.is_outliner() || view.mode.spec().edits_rest {
        return;
    }
    let kind = |n| node_kind(view, target.document, n);
    if target.any(|n| kind(n) == "mesh") {
        rows.command(ViewCommand::Isolate.spec());
    }
    let locked = target.any(|n| view.visibility.locked.contains(&n));
    let icon = match locked {
        true => egui_material_icons::icons::ICON_LOCK_OPEN.codepoint,
        false => egui_material_icons::icons::ICON_LOCK.codepoint,
    };
    let title = if locked { "Unlock" } else { "Lock" };
    let row = Row::of(view, ViewCommand::Lock.spec()).title(title).icon(icon);
    rows.run(row, || ViewCommand::Lock.into());
}

fn removal_rows(rows: &mut MenuRows<'_>, target: &Target<'_>) {
    let view = rows.view;
    let has_children = target.any(|n| !target.document.children(n).is_empty());
    let remove = |below: Below| RemoveNodes { node: target.all(), below: Some(below), force: None };
    let title = if has_children { "Remove with all nodes below" } else { "Remove" };
    let row = Row::of(view, RemoveNodes::spec()).title(title);
    let about = "Removes the nodes, and the meshes that only these nodes use";
    rows.run(row.help(about), || remove(Below::Remove).into());
    if has_children {
        let about = "Attaches the nodes below to the parent; they move as before";
        rows.run(Row::new("Remove, keep nodes below").help(about), || {
            remove(Below::KeepWorld).into()
        });
    }
}

/// True if any pickable nodes are hidden.
pub fn hides_any(view: &View<'_>) -> bool {
    !view.visibility.hidden.is_empty()
}
