//! Transforms of nodes in blocks of eight, one component per vector. Clips are sampled into these
//! blocks for averaging.
//!
//! Averaging and sampling both process eight nodes at once, without conversion to single transforms
//! in between. Each driven node has one slot, in the order of nodes. A block of tracks whose
//! targets are adjacent in that order is written at once.

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
    /// Reads the transform of one of the eight lanes.
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

    /// Sets the transform of one of the eight lanes.
    pub(super) fn put(&mut self, lane: usize, transform: &Transform) {
        self.set(lane, Property::Translation, &transform.translation.to_array());
        self.set(lane, Property::Rotation, &transform.rotation.to_array());
        self.set(lane, Property::Scale, &transform.scale.to_array());
    }
}

/// Assignment of nodes to slots in the blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// Node index by slot.
    nodes: Vec<u32>,
    /// Slot by node index; [`NONE`] for nodes without a slot.
    of: Vec<u32>,
    /// Version of the assignment. It changes with every new assignment; 0 before the first.
    serial: u64,
}

const NONE: u32 = u32::MAX;

impl Slots {
    /// Assigns slots to nodes in rising order. `count` is the number of nodes of the document.
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

/// Target nodes of tracks, one track per lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Targets {
    nodes: Vec<u32>,
    /// Slot of the target node, by lane.
    slots: Vec<u32>,
    /// Per eight lanes, the index of the block whose slots are the same eight nodes; `None` if
    /// there is no such block.
    straight: Vec<Option<u32>>,
}

impl Targets {
    pub(super) fn new(nodes: Vec<u32>) -> Self {
        Self { nodes, ..Self::default() }
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Looks up the slots of the target nodes. All of them must have a slot.
    pub(super) fn arrange(&mut self, slots: &Slots) {
        self.slots.clear();
        self.slots.extend(self.nodes.iter().map(|node| slots.of(*node)));
        let whole = |places: &[u32]| {
            let first = places[0];
            let follow = (0..).zip(places).all(|(k, place)| *place == first.wrapping_add(k));
            // Lanes without a track are also written. No node may use their slots.
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

/// One component of a transform, of `W` numbers.
pub(super) trait FrameComponent<const W: usize> {
    /// Sets the component of a transform.
    fn set(transform: &mut Transform, value: [f32; W]);

    /// Returns the component's lanes in a block.
    fn of(block: &mut Block) -> &mut [F32x8; W];
}

/// The translation of a transform.
pub(super) struct Translation;
/// The rotation of a transform.
pub(super) struct Rotation;
/// The scale of a transform.
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

/// Destination of sampled values.
pub(super) trait Sink {
    /// Writes eight lanes of one property.
    fn put<const W: usize, T: FrameComponent<W>>(
        &mut self,
        to: &Targets,
        eight: usize,
        values: &[F32x8; W],
    );

    /// Writes eight lanes of all properties.
    fn put_all(&mut self, to: &Targets, eight: usize, values: &Block);

    /// Writes one property of one node.
    fn put_one(&mut self, to: &Targets, lane: usize, property: Property, value: &[f32]);
}

/// Sink that writes into local transforms, by node. All targets must be [`Local::Trs`] already.
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

/// Sink that writes into blocks, by slot.
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
