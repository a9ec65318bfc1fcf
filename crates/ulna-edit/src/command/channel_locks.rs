//! Locks of channels: the command that sets them, and their effect on posing by hand.

use super::{
    CommandError, Outcome, Scene,
    define::document_commands,
    destination::Wanted,
    field::{Nodes, choice},
    rules,
    user_pose::changed,
};
use crate::Edit;
use ulna_model::{ChannelLocks, Components, Document, Node, NodeId, Notice, Property, Transform};

document_commands! {
    /// Command that locks and unlocks channels.
    ChannelLockCommand in "Pose";

    /// Locks translation, rotation or scale of nodes, so that posing by hand does not change them
    LockChannels {
        /// Nodes to lock or unlock.
        node: Nodes,
        /// Channels to lock or unlock; all if omitted.
        channels: Option<Channels>,
        /// Whether to lock the channels; yes if omitted. If no, they are unlocked.
        on: Option<bool>,
    } = "node.lock_channels", "Lock channels", asks: true, enabled: rules::selected;
}

choice! {
    /// Channels of a node: a property, or one axis of a property.
    Channels {
        /// All channels.
        All = "all",
        /// The translation along all axes.
        Translation = "translation",
        /// The translation along x of the rest pose.
        TranslationX = "translation_x",
        /// The translation along y of the rest pose.
        TranslationY = "translation_y",
        /// The translation along z of the rest pose.
        TranslationZ = "translation_z",
        /// The rotation about all axes.
        Rotation = "rotation",
        /// The rotation angle about x.
        RotationX = "rotation_x",
        /// The rotation angle about y.
        RotationY = "rotation_y",
        /// The rotation angle about z.
        RotationZ = "rotation_z",
        /// The scale along all axes.
        Scale = "scale",
        /// The scale along x.
        ScaleX = "scale_x",
        /// The scale along y.
        ScaleY = "scale_y",
        /// The scale along z.
        ScaleZ = "scale_z",
    }
}

/// Masks of the x, y and z axes.
const ONE_AXIS: [[bool; 3]; 3] = [[true, false, false], [false, true, false], [false, false, true]];

impl Channels {
    /// Returns the channel of one axis of a property, or of all axes if `axis` is `None`.
    pub const fn of(property: Property, axis: Option<usize>) -> Self {
        match (property, axis) {
            (Property::Translation, Some(0)) => Self::TranslationX,
            (Property::Translation, Some(1)) => Self::TranslationY,
            (Property::Translation, Some(2)) => Self::TranslationZ,
            (Property::Translation, _) => Self::Translation,
            (Property::Rotation, Some(0)) => Self::RotationX,
            (Property::Rotation, Some(1)) => Self::RotationY,
            (Property::Rotation, Some(2)) => Self::RotationZ,
            (Property::Rotation, _) => Self::Rotation,
            (Property::Scale, Some(0)) => Self::ScaleX,
            (Property::Scale, Some(1)) => Self::ScaleY,
            (Property::Scale, Some(2)) => Self::ScaleZ,
            (Property::Scale, _) => Self::Scale,
            (Property::Weights, _) => Self::All,
        }
    }

    fn set(self, locks: &mut ChannelLocks, to: bool) {
        for property in Property::TRS {
            if self == Self::All || self == Self::of(property, None) {
                locks.set(property, [true; 3], to);
            }
            for (axis, axes) in ONE_AXIS.into_iter().enumerate() {
                if self == Self::of(property, Some(axis)) {
                    locks.set(property, axes, to);
                }
            }
        }
    }
}

impl LockChannels {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (channels, to) = (self.channels.unwrap_or(Channels::All), self.on.unwrap_or(true));
        let mut nodes = Vec::new();
        for id in self.node.all(document)? {
            let node = document.node(id);
            let mut locks = node.locks;
            channels.set(&mut locks, to);
            if locks != node.locks {
                nodes.push((id, Some(Box::new(Node { locks, ..node.clone() }))));
            }
        }
        if nodes.is_empty() {
            let message = "the channels are already locked or unlocked as requested";
            return Ok(Outcome::noted("nothing_to_change", message));
        }
        Ok(vec![Edit::SetNodes(nodes)].into())
    }
}

/// Applies channel locks, and collects the affected nodes for one note.
#[derive(Debug, Default)]
pub(super) struct LockKeeper {
    kept: Vec<NodeId>,
}

impl LockKeeper {
    /// Returns the wanted components of a node, with the locked channels as in `now`. `now` is the
    /// current local transform.
    pub(super) fn keep(
        &mut self,
        document: &Document,
        node: NodeId,
        now: impl FnOnce() -> Transform,
        wanted: &Components,
    ) -> Components {
        let found = document.node(node);
        if found.locks.is_empty() {
            return *wanted;
        }
        self.keep_over(document, node, &found.rest.transform(), &now(), wanted)
    }

    /// Applies channel locks to a pose offset instead of a local transform.
    pub(super) fn keep_offset(
        &mut self,
        document: &Document,
        node: NodeId,
        now: &Transform,
        wanted: &Components,
    ) -> Components {
        self.keep_over(document, node, &Transform::IDENTITY, now, wanted)
    }

    fn keep_over(
        &mut self,
        document: &Document,
        node: NodeId,
        rest: &Transform,
        now: &Transform,
        wanted: &Components,
    ) -> Components {
        let locks = document.node(node).locks;
        if locks.is_empty() || !wanted.is_finite() {
            return *wanted;
        }
        let kept = wanted.keeping(locks, rest, now);
        if !changed(&kept.over(now), wanted).is_empty() {
            self.kept.push(node);
        }
        kept
    }

    /// Applies channel locks to several nodes. `local` returns the current local transform of a
    /// node.
    pub(super) fn keep_all(
        &mut self,
        document: &Document,
        local: impl Fn(NodeId) -> Transform,
        mut wanted: Wanted,
    ) -> Wanted {
        for (node, to) in &mut wanted {
            *to = self.keep(document, *node, || local(*node), to);
        }
        wanted
    }

    /// Returns the note that names the affected nodes; `None` if no locked channel would have
    /// changed.
    pub(super) fn note(mut self, document: &Document) -> Option<Notice> {
        self.kept.sort_unstable();
        self.kept.dedup();
        let label = document.node(*self.kept.first()?).label(self.kept[0]);
        let whose = match self.kept.len() {
            1 => format!("“{label}”"),
            n => format!("{n} nodes, “{label}” among them,"),
        };
        let said = format!("locked channels of {whose} were not changed");
        Some(Notice::new("channels_locked", said))
    }
}
