//! Transforms of nodes in blocks of eight, component by component: what clips are sampled into that
//! are averaged.
//!
//! Averaging works on eight nodes at once, and so does sampling. Between the two nothing is turned
//! into one transform after another and back: the nodes that a stack's lanes drive get a place
//! each, in the order of nodes, and a block of tracks that are neighbors in that order is written
//! as it stands.

use glam::Quat;

use super::turn::{F32x8, LANES, lane_of};
use ulna_model::{Local, Property, Transform};

/// Transforms of eight nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub places: [F32x8; 3],
    pub turns: [F32x8; 4],
    pub sizes: [F32x8; 3],
}

impl Default for Block {
    fn default() -> Self {
        let (none, one) = ([0.0; LANES], [1.0; LANES]);
        Self { places: [none; 3], turns: [none, none, none, one], sizes: [one; 3] }
    }
}

impl Block {
    /// The transform in a lane.
    #[inline(always)]
    pub(super) fn at(&self, lane: usize) -> Transform {
        Transform {
            translation: lane_of(&self.places, lane).into(),
            rotation: Quat::from_array(lane_of(&self.turns, lane)),
            scale: lane_of(&self.sizes, lane).into(),
        }
    }

    fn set(&mut self, lane: usize, property: Property, value: &[f32]) {
        let lanes: &mut [F32x8] = match property {
            Property::Translation => &mut self.places,
            Property::Rotation => &mut self.turns,
            Property::Scale | Property::Weights => &mut self.sizes,
        };
        lanes.iter_mut().zip(value).for_each(|(to, value)| to[lane] = *value);
    }

    /// Makes a lane a transform.
    pub(super) fn put(&mut self, lane: usize, transform: &Transform) {
        self.set(lane, Property::Translation, &transform.translation.to_array());
        self.set(lane, Property::Rotation, &transform.rotation.to_array());
        self.set(lane, Property::Scale, &transform.scale.to_array());
    }
}

/// Which nodes have a place in blocks, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// By place.
    nodes: Vec<u32>,
    /// By node; [`NONE`] for those without.
    of: Vec<u32>,
    /// Another for every other list; 0 for none at all.
    serial: u64,
}

const NONE: u32 = u32::MAX;

impl Slots {
    /// Gives places to nodes, which come in their order, of so many.
    pub(super) fn give(&mut self, nodes: impl Iterator<Item = usize>, count: usize) {
        self.serial += 1;
        self.nodes.clear();
        self.of.clear();
        self.of.resize(count, NONE);
        for node in nodes {
            self.of[node] = self.nodes.len() as u32;
            self.nodes.push(node as u32);
        }
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    pub(super) fn blocks(&self) -> usize {
        self.nodes.len().div_ceil(LANES)
    }

    fn of(&self, node: u32) -> u32 {
        self.of.get(node as usize).copied().unwrap_or(NONE)
    }
}

/// Nodes that lanes of tracks belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Targets {
    nodes: Vec<u32>,
    /// By lane: its place.
    slots: Vec<u32>,
    /// By eight lanes: the block that they are, where they are one.
    straight: Vec<Option<u32>>,
}

impl Targets {
    pub(super) fn new(nodes: Vec<u32>) -> Self {
        Self { nodes, ..Self::default() }
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Finds the places of the nodes; all of them must have one.
    pub(super) fn arrange(&mut self, slots: &Slots) {
        self.slots.clear();
        self.slots.extend(self.nodes.iter().map(|node| slots.of(*node)));
        let whole = |places: &[u32]| {
            let first = places[0];
            let follow = (0..).zip(places).all(|(k, place)| *place == first.wrapping_add(k));
            // Lanes of no track are written too: nothing may be there.
            let all = places.len() == LANES || first as usize + places.len() == slots.nodes.len();
            (follow && all && (first as usize).is_multiple_of(LANES))
                .then_some(first / LANES as u32)
        };
        self.straight.clear();
        self.straight.extend(self.slots.chunks(LANES).map(whole));
    }

    #[inline(always)]
    fn eight<'a>(&self, list: &'a [u32], block: usize) -> &'a [u32] {
        &list[block * LANES..list.len().min((block + 1) * LANES)]
    }
}

/// A part of a transform, of `W` numbers.
pub(super) trait FrameComponent<const W: usize> {
    /// Makes it the transform's.
    fn set(transform: &mut Transform, value: [f32; W]);

    /// It, of a block.
    fn of(block: &mut Block) -> &mut [F32x8; W];
}

/// The part of a transform that moves.
pub(super) struct Translation;
/// The part of a transform that turns.
pub(super) struct Rotation;
/// The part of a transform that makes larger.
pub(super) struct Scale;

impl FrameComponent<3> for Translation {
    #[inline(always)]
    fn set(transform: &mut Transform, value: [f32; 3]) {
        transform.translation = value.into();
    }

    #[inline(always)]
    fn of(block: &mut Block) -> &mut [F32x8; 3] {
        &mut block.places
    }
}

impl FrameComponent<4> for Rotation {
    #[inline(always)]
    fn set(transform: &mut Transform, value: [f32; 4]) {
        transform.rotation = Quat::from_array(value);
    }

    #[inline(always)]
    fn of(block: &mut Block) -> &mut [F32x8; 4] {
        &mut block.turns
    }
}

impl FrameComponent<3> for Scale {
    #[inline(always)]
    fn set(transform: &mut Transform, value: [f32; 3]) {
        transform.scale = value.into();
    }

    #[inline(always)]
    fn of(block: &mut Block) -> &mut [F32x8; 3] {
        &mut block.sizes
    }
}

/// Where values of tracks go.
pub(super) trait Sink {
    /// Eight lanes of one property.
    fn put<const W: usize, T: FrameComponent<W>>(
        &mut self,
        to: &Targets,
        eight: usize,
        values: &[F32x8; W],
    );

    /// Eight lanes of everything.
    fn put_all(&mut self, to: &Targets, eight: usize, values: &Block);

    /// One property of one node.
    fn put_one(&mut self, to: &Targets, lane: usize, property: Property, value: &[f32]);
}

/// Transforms by node. Those that are written to must be [`Local::Trs`] already.
pub(super) struct ToLocals<'a>(pub &'a mut [Local]);

impl Sink for ToLocals<'_> {
    #[inline(always)]
    fn put<const W: usize, T: FrameComponent<W>>(
        &mut self,
        to: &Targets,
        eight: usize,
        values: &[F32x8; W],
    ) {
        for (k, node) in to.eight(&to.nodes, eight).iter().enumerate().take(LANES) {
            if let Local::Trs(transform) = &mut self.0[*node as usize] {
                T::set(transform, lane_of(values, k));
            }
        }
    }

    #[inline(always)]
    fn put_all(&mut self, to: &Targets, eight: usize, values: &Block) {
        for (k, node) in to.eight(&to.nodes, eight).iter().enumerate().take(LANES) {
            self.0[*node as usize] = Local::Trs(values.at(k));
        }
    }

    fn put_one(&mut self, to: &Targets, lane: usize, property: Property, value: &[f32]) {
        if let Local::Trs(local) = &mut self.0[to.nodes[lane] as usize] {
            set(local, property, value);
        }
    }
}

/// Blocks by place.
pub(super) struct ToBlocks<'a>(pub &'a mut [Block]);

impl Sink for ToBlocks<'_> {
    #[inline(always)]
    fn put<const W: usize, T: FrameComponent<W>>(
        &mut self,
        to: &Targets,
        eight: usize,
        values: &[F32x8; W],
    ) {
        if let Some(block) = to.straight[eight] {
            *T::of(&mut self.0[block as usize]) = *values;
            return;
        }
        for (k, slot) in to.eight(&to.slots, eight).iter().enumerate().take(LANES) {
            let lanes = T::of(&mut self.0[*slot as usize / LANES]);
            for (to, from) in lanes.iter_mut().zip(values) {
                to[*slot as usize % LANES] = from[k];
            }
        }
    }

    #[inline(always)]
    fn put_all(&mut self, to: &Targets, eight: usize, values: &Block) {
        if let Some(block) = to.straight[eight] {
            self.0[block as usize] = *values;
            return;
        }
        self.put::<3, Translation>(to, eight, &values.places);
        self.put::<4, Rotation>(to, eight, &values.turns);
        self.put::<3, Scale>(to, eight, &values.sizes);
    }

    fn put_one(&mut self, to: &Targets, lane: usize, property: Property, value: &[f32]) {
        let slot = to.slots[lane] as usize;
        self.0[slot / LANES].set(slot % LANES, property, value);
    }
}

/// Sets a component of a transform.
pub(super) fn set(local: &mut Transform, property: Property, value: &[f32]) {
    match property {
        Property::Translation => local.translation = [value[0], value[1], value[2]].into(),
        Property::Rotation => local.rotation = Quat::from_slice(value),
        Property::Scale | Property::Weights => local.scale = [value[0], value[1], value[2]].into(),
    }
}
