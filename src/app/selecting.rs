//! Commands on the selection: along the tree, mirrored, limbs and chains, and numbered selection
//! sets.

use std::collections::BTreeSet;

use egui::{Context, Key, Modifiers};

use super::App;
use crate::ui::{Pane, ToastKind};
use ulna_edit::command::{SelectCommand, kept_sets};
use ulna_model::{Document, NodeId};
use ulna_motion::ik;

/// Keys of the selection sets, by number.
const DIGITS: [Key; 10] = [
    Key::Num0,
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
    Key::Num8,
    Key::Num9,
];

/// All nodes that are connected with the given nodes by nodes for which `is_joint` is true.
fn linked(
    document: &Document,
    from: &[NodeId],
    is_joint: &dyn Fn(NodeId) -> bool,
) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<NodeId> = from.iter().copied().filter(|n| is_joint(*n)).collect();
    while let Some(node) = open.pop() {
        if found.insert(node) {
            let around = document.children(node).iter().copied().chain(document.node(node).parent);
            open.extend(around.filter(|n| is_joint(*n)));
        }
    }
    found
}

impl App {
    /// Runs a command that selects nodes.
    pub(super) fn select(&mut self, command: &SelectCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let active = self.outliner.selection.active;
        let next: Option<NodeId> = match command {
            SelectCommand::Mirror => {
                let mirror = ulna_motion::Mirror::of(document);
                let other = |n: &NodeId| mirror.partner(*n);
                let selection = &mut self.outliner.selection;
                selection.nodes = selection.nodes.iter().filter_map(other).collect();
                selection.active =
                    active.as_ref().and_then(other).or_else(|| selection.nodes.first().copied());
                None
            }
            SelectCommand::WithMirror
            | SelectCommand::WithParent
            | SelectCommand::WithChild
            | SelectCommand::Linked
            | SelectCommand::Invert
            | SelectCommand::InBox
            | SelectCommand::InCircle => {
                self.select_more(command);
                None
            }
            SelectCommand::Nothing => {
                self.outliner.selection.clear();
                self.references.deselect();
                None
            }
            SelectCommand::Joints => {
                let flags = document.joint_flags();
                self.outliner
                    .selection
                    .set_many(document.node_ids().filter(|id| flags[id.index()]).collect());
                None
            }
            SelectCommand::Below => {
                let below = self.outliner.selection.with_below(document);
                self.outliner.selection.set_many(below);
                None
            }
            SelectCommand::Chain => {
                let chains = self.outliner.selection.chains(document);
                self.outliner.selection.set_many(chains);
                None
            }
            SelectCommand::Limb => {
                let pose = self.renderer.pose();
                let limb = |n: &NodeId| {
                    ik::limb_of(document, pose, *n, None, true)
                        .map_or_else(|| vec![*n], |l| l.nodes)
                };
                let limbs = self.outliner.selection.nodes.iter().flat_map(limb).collect();
                self.outliner.selection.set_many(limbs);
                None
            }
            SelectCommand::StoreSet { set } => {
                let nodes = self.outliner.selection.nodes.clone();
                self.outliner.sets.insert(*set, nodes);
                None
            }
            SelectCommand::RecallSet { set } => {
                if let Some(nodes) = self.set_under(*set) {
                    let there = nodes.into_iter().filter(|n| document.nodes.contains(*n)).collect();
                    self.outliner.selection.set_many(there);
                }
                None
            }
            SelectCommand::Parent => active.and_then(|a| document.node(a).parent),
            SelectCommand::Child => active.and_then(|a| document.children(a).first().copied()),
            SelectCommand::Sibling | SelectCommand::PreviousSibling => active.and_then(|a| {
                let siblings = document.children(document.node(a).parent?);
                let at = siblings.iter().position(|s| *s == a)?;
                let back = *command == SelectCommand::PreviousSibling;
                let step = if back { siblings.len() - 1 } else { 1 };
                siblings.get((at + step) % siblings.len()).copied()
            }),
        };
        if let Some(node) = next {
            self.outliner.selection.set(node);
        }
    }

    /// Runs a command that extends or replaces the selection, or that starts a selection with the
    /// pointer.
    fn select_more(&mut self, command: &SelectCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        match command {
            SelectCommand::WithMirror => {
                let mirror = ulna_motion::Mirror::of(document);
                let selection = &mut self.outliner.selection;
                let others: Vec<NodeId> =
                    selection.nodes.iter().filter_map(|n| mirror.partner(*n)).collect();
                selection.nodes.extend(others);
            }
            SelectCommand::WithParent => {
                let selection = &mut self.outliner.selection;
                let parents: Vec<NodeId> =
                    selection.nodes.iter().filter_map(|n| document.node(*n).parent).collect();
                selection.nodes.extend(parents);
            }
            SelectCommand::WithChild => {
                let selection = &mut self.outliner.selection;
                let children: Vec<NodeId> =
                    selection.nodes.iter().flat_map(|n| document.children(*n).to_vec()).collect();
                selection.nodes.extend(children);
            }
            SelectCommand::Linked => {
                let flags = document.joint_flags();
                let from: Vec<NodeId> = self.outliner.hover.map_or_else(
                    || self.outliner.selection.nodes.iter().copied().collect(),
                    |joint| vec![joint],
                );
                let linked = linked(document, &from, &|n| flags[n.index()]);
                self.outliner.selection.set_many(linked);
            }
            SelectCommand::Invert => {
                let flags = document.joint_flags();
                let selected = &self.outliner.selection.nodes;
                let others = document
                    .node_ids()
                    .filter(|n| flags[n.index()] && !selected.contains(n))
                    .collect();
                self.outliner.selection.set_many(others);
            }
            SelectCommand::InBox | SelectCommand::InCircle => {
                let circle = *command == SelectCommand::InCircle;
                if self.entered() == Some(Pane::Timeline) && !self.poses.in_animate {
                    self.panels.timeline().want_area(circle);
                } else {
                    self.panels.select_area(circle);
                }
            }
            _ => {}
        }
    }

    /// The selection set of a digit, from this session or else from the file.
    fn set_under(&self, set: usize) -> Option<BTreeSet<NodeId>> {
        let document = self.session.as_ref()?.document();
        let of_file = || kept_sets(document).iter().find(|s| usize::from(s.digit) == set);
        self.outliner
            .sets
            .get(&set)
            .cloned()
            .or_else(|| Some(of_file()?.nodes.iter().copied().collect()))
    }

    /// Handles the keys of selection sets. Ctrl, Alt and a digit store the selection, and Alt and
    /// the digit restore it.
    pub(super) fn set_keys(&mut self, ctx: &Context) {
        if self.session.is_none() {
            return;
        }
        for (set, key) in DIGITS.into_iter().enumerate() {
            if ctx.input_mut(|i| i.consume_key(Modifiers::COMMAND | Modifiers::ALT, key)) {
                let count = self.outliner.selection.nodes.len();
                if count == 0 {
                    self.toast(
                        ctx,
                        ToastKind::Note,
                        "Select joints first, then store the selection.",
                    );
                } else {
                    self.select(&SelectCommand::StoreSet { set });
                    let what =
                        if count == 1 { "1 joint".to_owned() } else { format!("{count} joints") };
                    self.toast(
                        ctx,
                        ToastKind::Ok,
                        format!("Stored {what} as selection set {set}. Alt+{set} selects the set"),
                    );
                }
            } else if ctx.input_mut(|i| i.consume_key(Modifiers::ALT, key)) {
                if self.set_under(set).is_some() {
                    self.select(&SelectCommand::RecallSet { set });
                } else {
                    let text = format!(
                        "Selection set {set} is empty. Ctrl+Alt+{set} stores the selection in it."
                    );
                    self.toast(ctx, ToastKind::Note, text);
                }
            }
        }
    }
}
