//! Destination of poses. All posing commands write through it. A command computes local transforms
//! from the displayed pose, and passes the components that it changes.
//!
//! ```text
//!  gizmo, number, IK,        ┌ no clip: Ul of the nodes
//!  mirror, paste ──► wanted ─┼ clip: its unkeyed pose at the time, which “key.set” keys
//!                            └ layer: its Ul, of the clip or of the pose
//! ```
//!
//! Commands pass the pose to be displayed. The effect of layers above the destination is removed
//! from it before it is written.

use std::collections::BTreeMap;

use glam::{DQuat, Mat4};

use super::{
    CommandError, Outcome, Scene,
    channel_locks::LockKeeper,
    clip_keys::{clip_of, refuse_kept, time_of},
    destination::{Children, PoseDestination, Wanted},
    layer_keys::{all_of, set_user},
    user_pose::{changed, done, pose_at},
};
use crate::Edit;
use ulna_geometry::orthogonal_factor;
use ulna_model::{
    Components, Document, LayerHome, NodeId, Notice, PoseLayerId, PoseLayers, Property, Shared,
    Transform, UnkeyedAt,
};
use ulna_motion::{
    LayerWriteError, Pose, Space, Stack, Standing, below_layers, ik, under_layers, user_at,
    with_layers,
};

/// Displayed pose of a destination, and the edits that change it.
pub struct PoseTarget<'a> {
    document: &'a Document,
    target: Destination<'a>,
}

enum Destination<'a> {
    /// Pose offsets `Ul` of the nodes. The pose is evaluated at its first use.
    File(&'a Scene<'a>),
    /// The unkeyed pose of a clip at a time.
    Unkeyed { at: UnkeyedAt, seen: Box<Pose> },
    /// A layer of a clip at a time, or of the pose.
    Layer(Box<IntoLayer>),
}

struct IntoLayer {
    home: LayerHome,
    layers: Shared<PoseLayers>,
    layer: PoseLayerId,
    time: f64,
    /// The pose with all layers.
    seen: Pose,
    /// The pose without these `layers`.
    below: Pose,
}

impl<'a> PoseTarget<'a> {
    /// Finds the destination of a command's pose.
    ///
    /// # Errors
    /// If the clip or layer does not exist, or only one of clip and time is given.
    pub fn of(scene: &'a Scene<'_>, over: &PoseDestination) -> Result<Self, CommandError> {
        let document = scene.document;
        if let Some(layer) = &over.layer {
            let clip = over.clip.as_ref().map(|c| c.find(document)).transpose()?;
            let time = match (clip, over.time) {
                (_, Some(time)) => time_of(time)?,
                (_, None) => 0.0,
            };
            if let Some(id) = clip {
                clip_of(document, id)?;
            }
            let home = LayerHome::of(clip);
            let layer = layer.find(document, home)?;
            let time = f64::from(time);
            let stack = Stack::shown(document, clip, time);
            let under = match home {
                LayerHome::Pose => Stack::default(),
                LayerHome::Clip(id) => Stack {
                    layers: stack.layers.clone(),
                    ..Stack::of(document.clips.get(id), time)
                },
            };
            let into = IntoLayer {
                home,
                layers: document.aids.layers(home),
                layer,
                time,
                seen: scene.evaluate(&stack),
                below: scene.evaluate(&under),
            };
            return Ok(Self { document, target: Destination::Layer(Box::new(into)) });
        }
        let (clip, time) = match (&over.clip, over.time) {
            (None, None) => return Ok(Self { document, target: Destination::File(scene) }),
            (Some(clip), Some(time)) => (clip, time_of(time)?),
            (given, _) => {
                let missing = if given.is_some() { "time" } else { "clip" };
                return Err(CommandError::other(
                    "arguments_together",
                    format!("“clip” and “time” must be used together; “{missing}” is missing"),
                ));
            }
        };
        let id = clip.find(document)?;
        clip_of(document, id)?;
        let held = document.aids.unkeyed(id, f64::from(time));
        let stack = Stack::shown(document, Some(id), f64::from(time))
            .with_unkeyed(held.map(|(_, pose)| pose.clone()));
        let at = held.map_or_else(|| UnkeyedAt::new(id, time), |(at, _)| at);
        Ok(Self {
            document,
            target: Destination::Unkeyed { at, seen: Box::new(scene.evaluate(&stack)) },
        })
    }

    /// Returns the displayed pose.
    pub fn seen(&self) -> &Pose {
        match &self.target {
            Destination::File(scene) => scene.pose(),
            Destination::Unkeyed { seen, .. } => seen,
            Destination::Layer(into) => &into.seen,
        }
    }

    /// Returns the displayed local transform of a node.
    pub fn local(&self, node: NodeId) -> Transform {
        match &self.target {
            Destination::File(_) => {
                let local = self.document.node(node).local().transform();
                match self.document.aids.pose_layers.get(&LayerHome::Pose) {
                    Some(layers) => with_layers(&local, layers, node, 0.0),
                    None => local,
                }
            }
            Destination::Unkeyed { seen, .. } => seen.local[node.index()].transform(),
            Destination::Layer(into) => into.seen.local[node.index()].transform(),
        }
    }

    /// Returns `scene_from_parent` of a node.
    pub fn parent_world(&self, node: NodeId) -> Mat4 {
        self.seen().parent_world(self.document, node)
    }

    /// Returns the axes of a node, for rotations in this space.
    pub fn standing(&self, node: NodeId, space: Space) -> Standing {
        // Other spaces do not depend on the parent, so its transform is not computed.
        let parent = if space == Space::World { self.parent_world(node) } else { Mat4::IDENTITY };
        Standing {
            parent,
            rest: self.document.node(node).rest.transform().rotation,
            rotation: self.local(node).rotation,
        }
    }

    /// Adds rotations of pinned limbs that keep the pinned nodes in place.
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

    /// Adds components of the child nodes, so that they keep their world transforms or rotations
    /// while their parents are posed. Returns a notice if a node would need shear.
    pub fn counter(&self, wanted: &mut Wanted, children: Option<Children>) -> Option<Notice> {
        /// Largest invisible shear.
        const UNSEEN: f32 = 1e-4;
        let how = children.filter(|c| *c != Children::Follow)?;
        let document = self.document;
        let posed: BTreeMap<NodeId, Components> = wanted.iter().copied().collect();
        let (before, after) = (self.seen(), self.seen().with(document, wanted));
        let mut worst: Option<(f32, NodeId)> = None;
        for child in
            posed.keys().flat_map(|n| document.children(*n)).filter(|c| !posed.contains_key(c))
        {
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
                    let (then, now) = (
                        before.parent_world(document, *child),
                        after.parent_world(document, *child),
                    );
                    let (Some(then), Some(now)) = (axes(then), axes(now)) else { continue };
                    let turn = now.transpose() * then;
                    // No rotation can undo a reflection of the parent.
                    if turn.determinant() > 0.0 {
                        to.rotation =
                            Some((DQuat::from_mat3(&turn).as_quat() * local.rotation).normalize());
                    }
                }
            }
            wanted.push((*child, to));
        }
        let (residue, node) = worst?;
        let label = document.node(node).label(node);
        let said = format!(
            "{label} cannot keep its exact world transform: that would shear it by {:.1} %, which \
                a node cannot store",
            residue * 100.0
        );
        Some(Notice::new("shear_dropped", said))
    }

    /// Returns the edits that set morph weights at the destination. Layers have no morph weights.
    /// For them, the weights in the pose or in the unkeyed pose are set.
    pub fn put_morphs(&self, wanted: Vec<(NodeId, Vec<f32>)>) -> Vec<Edit> {
        let put = |(node, to): (NodeId, Vec<f32>)| match &self.target {
            Destination::File(_) => Edit::SetMorphs { node, to: Some(to.into()) },
            Destination::Unkeyed { at, .. } => {
                Edit::SetUnkeyedMorphs { at: *at, node, to: Some(to.into()) }
            }
            Destination::Layer(into) => match into.home {
                LayerHome::Pose => Edit::SetMorphs { node, to: Some(to.into()) },
                LayerHome::Clip(clip) => {
                    let at = UnkeyedAt::new(clip, into.time as f32);
                    Edit::SetUnkeyedMorphs { at, node, to: Some(to.into()) }
                }
            },
        };
        wanted.into_iter().map(put).collect()
    }

    /// Returns the same outcome as [`PoseTarget::put`]. If writing the pose gives no notices,
    /// `notes` are added.
    ///
    /// # Errors
    /// If no pose offset `Ul` gives the wanted transform.
    pub fn put_noting(
        &self,
        wanted: impl IntoIterator<Item = (NodeId, Components)>,
        notes: impl IntoIterator<Item = Notice>,
    ) -> Result<Outcome, CommandError> {
        let wanted = self.with_pins(wanted.into_iter().collect());
        let mut locks = LockKeeper::default();
        let wanted = locks.keep_all(self.document, |node| self.local(node), wanted);
        let mut done = self.write(wanted)?;
        if done.notes.is_empty() {
            done.notes.extend(notes);
        }
        done.notes.extend(locks.note(self.document));
        Ok(done)
    }

    /// Returns the edits that set these components at the destination. Unchanged components are
    /// omitted. Pinned nodes stay in place, unless they are listed. Locked channels keep their
    /// values.
    ///
    /// # Errors
    /// If no pose offset `Ul` gives the wanted transform.
    pub fn put(
        &self,
        wanted: impl IntoIterator<Item = (NodeId, Components)>,
    ) -> Result<Outcome, CommandError> {
        self.put_noting(wanted, None)
    }

    fn write(&self, wanted: Wanted) -> Result<Outcome, CommandError> {
        let document = self.document;
        let at = match &self.target {
            Destination::Unkeyed { at, .. } => *at,
            Destination::Layer(into) => return into.put(document, wanted),
            Destination::File(_) => {
                let layers = document.aids.pose_layers.get(&LayerHome::Pose);
                let mut poses = Vec::new();
                for (node, mut wanted) in wanted {
                    if let Some(layers) = layers {
                        wanted = changed(&self.local(node), &wanted);
                        wanted = below_layers(&self.local(node), layers, (node, 0.0), &wanted)?;
                    }
                    poses.push((node, pose_at(document, node, &wanted)?));
                }
                poses.sort_unstable_by_key(|(node, _)| *node);
                return Ok(done(
                    document,
                    if poses.is_empty() { Vec::new() } else { vec![Edit::SetPoses(poses)] },
                ));
            }
        };
        let mut edits = Vec::new();
        for (node, wanted) in wanted {
            let differs = changed(&self.local(node), &wanted);
            if differs.is_empty() {
                continue;
            }
            let to = differs.or(document.aids.unkeyed_components(&at, node));
            edits.push(Edit::SetUnkeyed { at, node, to: Some(to) });
        }
        Ok(edits.into())
    }
}

impl IntoLayer {
    /// Returns the edit that changes the layer so that these components are displayed. Components
    /// with keys get a key at the time, and others change at all times.
    fn put(&self, document: &Document, wanted: Wanted) -> Result<Outcome, CommandError> {
        let at = self.layers.position(self.layer).ok_or(LayerWriteError::NoLayer)?;
        let mut layer = (*self.layers.0[at]).clone();
        let mut any = false;
        for (node, wanted) in wanted {
            let wanted = changed(&self.seen.local[node.index()].transform(), &wanted);
            if wanted.is_empty() {
                continue;
            }
            let clip = self.home.clip().and_then(|id| document.clips.get(id));
            if let Some(clip) = clip {
                for property in Property::TRS.into_iter().filter(|p| wanted.has(*p)) {
                    refuse_kept(document, clip, node, property)?;
                }
            }
            let base = self.below.local[node.index()].transform();
            let user = under_layers(&base, &self.layers, self.layer, (node, self.time), &wanted)?;
            let old = user_at(&layer, node, self.time);
            any |= set_user(&mut layer, node, self.time as f32, &changed(&old, &all_of(&user)));
        }
        if !any {
            return Ok(Outcome::default());
        }
        let mut layers = (*self.layers).clone();
        layers.0[at] = Shared::new(layer);
        Ok(vec![Edit::SetPoseLayers { home: self.home, to: Some(Shared::new(layers)) }].into())
    }
}
