//! Where a pose goes: the one way in which every posing command writes. A command finds the local transforms that it wants from
//! what is seen, and hands over the components that it is about.
//!
//! ```text
//!  gizmo, number, IK,        ┌ no clip: Ul of the nodes
//!  mirror, paste ──► wanted ─┤
//!                            └ over a clip: its unkeyed pose at that time, from where “key.set” takes it
//! ```

use std::collections::BTreeMap;

use glam::{DQuat, Mat4};
use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, Arguments, CommandError, Outcome, Scene,
    field::{ClipName, Part, Seconds, choice},
    keys::{clip_of, time_of},
    pose::{changed, done, pose_at},
};
use crate::{
    edit::Edit,
    geometry::orthogonal_factor,
    model::{Components, Document, NodeId, Transform, UnkeyedAt},
    motion::{Pose, Space, Stack, Standing, ik},
};

choice! {
    /// What nodes do while the one that they hang on is posed.
    #[derive(Default)]
    Children {
        /// They go with it.
        #[default]
        Follow = "follow",
        /// They stay where they are.
        Place = "place",
        /// They go with it, but keep their angle in the scene.
        Angle = "angle",
    }
}

/// Over which clip a pose goes, and when; into the pose of the file where neither is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Over {
    /// The clip.
    pub clip: Option<ClipName>,
    /// Seconds on its clock.
    pub time: Option<Seconds>,
}

impl Over {
    /// Into the pose of the file.
    pub const FILE: Self = Self { clip: None, time: None };

    /// Over a clip at a time.
    pub const fn clip(clip: crate::model::ClipId, time: f32) -> Self {
        Self { clip: Some(ClipName::Id(clip)), time: Some(Seconds(time)) }
    }
}

impl Part for Over {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<ClipName>::specs(
                "clip",
                "Over which clip, as an unkeyed pose; the pose of the file unless given.",
            ),
            Option::<Seconds>::specs("time", "When, on that clip."),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self { clip: Part::read(from, "clip")?, time: Part::read(from, "time")? })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        self.clip.write(document, "clip", into);
        self.time.write(document, "time", into);
    }
}

/// What is seen where a pose goes, and how it gets there.
pub struct Place<'a> {
    document: &'a Document,
    target: Target<'a>,
}

enum Target<'a> {
    /// `Ul` of the nodes. The pose is evaluated once somebody asks where a node is.
    File(&'a Scene<'a>),
    /// The unkeyed pose of a clip.
    Unkeyed { at: UnkeyedAt, seen: Box<Pose> },
}

/// Components that nodes get, each node once.
pub type Wanted = Vec<(NodeId, Components)>;

impl<'a> Place<'a> {
    /// Where a command's pose goes.
    ///
    /// # Errors
    /// Where there is no such clip or time, or only one of them is given.
    pub fn of(scene: &'a Scene<'_>, over: &Over) -> Result<Self, CommandError> {
        let document = scene.document;
        let (clip, time) = match (&over.clip, over.time) {
            (None, None) => return Ok(Self { document, target: Target::File(scene) }),
            (Some(clip), Some(time)) => (clip, time_of(time)?),
            (given, _) => {
                let missing = if given.is_some() { "time" } else { "clip" };
                return Err(CommandError::Other(format!("“clip” and “time” go together; “{missing}” is missing")));
            }
        };
        let id = clip.find(document)?;
        let clip = clip_of(document, id)?;
        let held = document.aids.unkeyed(id, f64::from(time));
        let stack = Stack::of(Some(clip), f64::from(time)).with_unkeyed(held.map(|(_, pose)| pose.clone()));
        let at = held.map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
        Ok(Self { document, target: Target::Unkeyed { at, seen: Box::new(Pose::evaluate(document, &stack)) } })
    }

    /// The pose that is seen there.
    pub fn seen(&self) -> &Pose {
        match &self.target {
            Target::File(scene) => scene.pose(),
            Target::Unkeyed { seen, .. } => seen,
        }
    }

    /// A node's local transform.
    pub fn local(&self, node: NodeId) -> Transform {
        match &self.target {
            Target::File(_) => self.document.node(node).local().transform(),
            Target::Unkeyed { seen, .. } => seen.local[node.index()].transform(),
        }
    }

    /// `scene_from_parent` of a node.
    pub fn parent_world(&self, node: NodeId) -> Mat4 {
        self.seen().parent_world(self.document, node)
    }

    /// What a node's axes are, for turns in this space.
    pub fn standing(&self, node: NodeId, space: Space) -> Standing {
        // Nobody else asks where the parent is.
        let parent = if space == Space::World { self.parent_world(node) } else { Mat4::IDENTITY };
        Standing {
            parent,
            rest: self.document.node(node).rest.transform().rotation,
            rotation: self.local(node).rotation,
        }
    }

    /// These components, and those of pinned limbs that keep pinned nodes where they are.
    fn with_pins(&self, wanted: Wanted) -> Wanted {
        let document = self.document;
        let pins = &document.aids.pins;
        if pins.is_empty() || wanted.is_empty() {
            return wanted;
        }
        let after = self.seen().with(document, &wanted);
        let posed = |node: NodeId| wanted.iter().any(|(n, to)| *n == node && !to.is_empty());
        let held = ik::hold(document, self.seen(), &after, pins, &posed);
        let mut all: BTreeMap<NodeId, Components> = wanted.into_iter().collect();
        for (node, to) in held {
            let now = all.entry(node).or_default();
            now.rotation = to.rotation.or(now.rotation);
        }
        all.into_iter().collect()
    }

    /// Adds what the nodes below these need to stay where they are, or as they are turned, while these are posed; what is said
    /// where that is more than a node can hold.
    pub fn counter(&self, wanted: &mut Wanted, children: Option<Children>) -> Option<String> {
        /// Parts of a matrix that nobody sees.
        const UNSEEN: f32 = 1e-4;
        let how = children.filter(|c| *c != Children::Follow)?;
        let document = self.document;
        let posed: BTreeMap<NodeId, Components> = wanted.iter().copied().collect();
        let (before, after) = (self.seen(), self.seen().with(document, wanted));
        let mut worst: Option<(f32, NodeId)> = None;
        for child in posed.keys().flat_map(|n| document.children(*n)).filter(|c| !posed.contains_key(c)) {
            let (was, local) = (before.world[child.index()], self.local(*child));
            let mut to = Components::default();
            match how {
                Children::Follow => {}
                Children::Place => {
                    let Ok(found) = after.local_for_world(document, *child, &was) else { continue };
                    if found.residue > worst.map_or(UNSEEN, |(w, _)| w) {
                        worst = Some((found.residue, *child));
                    }
                    let near = 1e-6 * local.scale.abs().max_element();
                    let scaled = (found.transform.scale - local.scale).abs().max_element() > near;
                    to.translation = Some(found.transform.translation);
                    to.rotation = Some(found.transform.rotation);
                    to.scale = Some(found.transform.scale).filter(|_| scaled);
                }
                Children::Angle => {
                    let axes = |m: Mat4| orthogonal_factor(&m.as_dmat4());
                    let (then, now) = (before.parent_world(document, *child), after.parent_world(document, *child));
                    let (Some(then), Some(now)) = (axes(then), axes(now)) else { continue };
                    let turn = now.transpose() * then;
                    // Where a parent is turned inside out, no turn does it.
                    if turn.determinant() > 0.0 {
                        to.rotation = Some((DQuat::from_mat3(&turn).as_quat() * local.rotation).normalize());
                    }
                }
            }
            wanted.push((*child, to));
        }
        let (residue, node) = worst?;
        let label = document.node(node).label(node);
        Some(format!(
            "{label} cannot stay quite as it is: that would shear it by {:.1} %, which a node cannot hold",
            residue * 100.0
        ))
    }

    /// The edits that set the weights of morph targets there.
    pub fn put_morphs(&self, wanted: Vec<(NodeId, Vec<f32>)>) -> Vec<Edit> {
        let put = |(node, to): (NodeId, Vec<f32>)| match self.target {
            Target::File(_) => Edit::SetMorphs { node, to: Some(to.into()) },
            Target::Unkeyed { at, .. } => Edit::SetUnkeyedMorphs { at, node, to: Some(to.into()) },
        };
        wanted.into_iter().map(put).collect()
    }

    /// [`Place::put`] with something to be said of it, where the edits say nothing themselves.
    ///
    /// # Errors
    /// Where no `Ul` does it.
    pub fn put_noting(
        &self,
        wanted: impl IntoIterator<Item = (NodeId, Components)>,
        note: Option<String>,
    ) -> Result<Outcome, CommandError> {
        let done = self.put(wanted)?;
        Ok(Outcome { note: done.note.or(note), ..done })
    }

    /// The edits that put these components there; what they do not change of a node is not written. Pinned nodes stay where
    /// they are, unless they are among them.
    ///
    /// # Errors
    /// Where no `Ul` does it.
    pub fn put(&self, wanted: impl IntoIterator<Item = (NodeId, Components)>) -> Result<Outcome, CommandError> {
        let document = self.document;
        let wanted = self.with_pins(wanted.into_iter().collect());
        let Target::Unkeyed { at, .. } = self.target else {
            let mut poses = Vec::new();
            for (node, wanted) in wanted {
                poses.push((node, pose_at(document, node, &wanted)?));
            }
            poses.sort_unstable_by_key(|(node, _)| *node);
            return Ok(done(document, if poses.is_empty() { Vec::new() } else { vec![Edit::SetPoses(poses)] }));
        };
        let mut edits = Vec::new();
        for (node, wanted) in wanted {
            let differs = changed(&self.local(node), &wanted);
            if differs.is_empty() {
                continue;
            }
            let now = document.aids.unkeyed.get(&at).and_then(|p| p.locals.get(&node)).copied().unwrap_or_default();
            let to = Components {
                translation: differs.translation.or(now.translation),
                rotation: differs.rotation.or(now.rotation),
                scale: differs.scale.or(now.scale),
            };
            edits.push(Edit::SetUnkeyed { at, node, to: Some(to) });
        }
        Ok(edits.into())
    }
}
