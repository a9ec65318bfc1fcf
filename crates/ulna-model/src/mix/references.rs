//! The ids in mixes, which name clips and nodes by id or by name.

use super::{
    super::{AnyId, IdKind, References},
    Mix, MixBar, MixLane, MixMask, Plays,
};

impl<C: References, N: References + Ord> References for Mix<C, N> {
    const NONE: bool = C::NONE && N::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { lanes } = self;
        lanes.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let Self { lanes } = self;
        lanes.for_each_id_mut(visit);
    }
}

impl<C: References, N: References + Ord> References for MixLane<C, N> {
    const NONE: bool = C::NONE && N::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { name: _, additive: _, weight: _, mask, on: _, solo: _, nlerp: _, bars } = self;
        mask.for_each_id(visit);
        bars.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let Self { name: _, additive: _, weight: _, mask, on: _, solo: _, nlerp: _, bars } = self;
        mask.for_each_id_mut(visit);
        bars.for_each_id_mut(visit);
    }
}

/// Takes a bar apart: what it plays, and its mask.
macro_rules! parts_of_bar {
    ($bar:expr) => {{
        let MixBar {
            plays,
            start: _,
            length: _,
            offset: _,
            speed: _,
            repeat: _,
            weight: _,
            fade_in: _,
            fade_out: _,
            enter: _,
            curve: _,
            along: _,
            in_step: _,
            mask,
        } = $bar;
        (plays, mask)
    }};
}

impl<C: References, N: References + Ord> References for MixBar<C, N> {
    const NONE: bool = C::NONE && N::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let (plays, mask) = parts_of_bar!(self);
        plays.for_each_id(visit);
        mask.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let (plays, mask) = parts_of_bar!(self);
        plays.for_each_id_mut(visit);
        mask.for_each_id_mut(visit);
    }
}

impl<C: References> References for Plays<C> {
    const NONE: bool = C::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        match self {
            Self::Clip(clip) => clip.for_each_id(visit),
            Self::Blend { points, value: _ } => points.for_each_id(visit),
            Self::Plane { points, value: _ } => points.for_each_id(visit),
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        match self {
            Self::Clip(clip) => clip.for_each_id_mut(visit),
            Self::Blend { points, value: _ } => points.for_each_id_mut(visit),
            Self::Plane { points, value: _ } => points.for_each_id_mut(visit),
        }
    }
}

impl<N: References + Ord> References for MixMask<N> {
    const NONE: bool = N::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        match self {
            Self::Below { joint, falloff: _ } => joint.for_each_id(visit),
            Self::Left | Self::Right | Self::Upper | Self::Lower => {}
            Self::Painted(shares) => shares.for_each_id(visit),
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        match self {
            Self::Below { joint, falloff: _ } => joint.for_each_id_mut(visit),
            Self::Left | Self::Right | Self::Upper | Self::Lower => {}
            Self::Painted(shares) => shares.for_each_id_mut(visit),
        }
    }
}
