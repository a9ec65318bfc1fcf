//! Visitors for the ids in sources and masks of mixes, which identify clips and nodes by id or by
//! name.

use super::{
    super::{AnyId, IdKind, References},
    MixMask, Plays,
};

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
