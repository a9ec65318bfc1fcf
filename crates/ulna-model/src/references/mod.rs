//! References: the ids in the values of a document.
//!
//! Every type of the document is destructured without `..` (`members.rs`). A new member therefore
//! does not compile until its ids are visited. Ids that are local to one element are not visited.
//! Examples are tracks of a clip, primitives of a mesh, joint slots of a skin, and layers.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::{
    AnyId, CameraId, ClipId, IdKind, ImageId, LightId, MaterialId, MeshId, NodeId, SceneId, Shared,
    SkinId, Slice, SlotId, Slots, VariantId,
};

/// A value whose ids can be visited.
pub trait References {
    /// Whether values of this type never contain ids, so that lists of them are skipped.
    const NONE: bool = false;

    /// Visits every id in the value, once per occurrence, always in the same order.
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId));

    /// Visits every id in the order of [`References::for_each_id`]. The visitor may replace the
    /// index. Shared values with ids are copied first.
    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32));

    /// Visits every id of a node.
    fn for_each_node(&self, visit: &mut dyn FnMut(NodeId)) {
        self.for_each_id(&mut |id| {
            if id.kind == IdKind::Node {
                visit(NodeId(id.index));
            }
        });
    }

    /// Whether the value contains an id.
    fn names(&self, id: impl Into<AnyId>) -> bool
    where
        Self: Sized,
    {
        let (id, mut found) = (id.into(), false);
        self.for_each_id(&mut |other| found |= other == id);
        found
    }
}

/// Implements `References` for types without ids.
macro_rules! no_ids {
    ($($name:ty),* $(,)?) => {
        $(impl References for $name {
            const NONE: bool = true;

            fn for_each_id(&self, _: &mut dyn FnMut(AnyId)) {}

            fn for_each_id_mut(&mut self, _: &mut dyn FnMut(IdKind, &mut u32)) {}
        })*
    };
}
pub(super) use no_ids;

no_ids!(bool, u8, u16, u32, u64, usize, f32, f64, Vec2, Vec3, Vec4, Quat, Mat4, String, Arc<str>);
no_ids!(Slice<u8>, Slice<u16>, Slice<u32>, Slice<f32>, Slice<Vec2>, Slice<Vec3>, Slice<Vec4>);

macro_rules! ids {
    ($($name:ident),* $(,)?) => {
        $(impl References for $name {
            fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
                visit((*self).into());
            }

            fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
                visit(AnyId::from(*self).kind, &mut self.0);
            }
        })*
    };
}

ids!(NodeId, MeshId, SkinId, ClipId, SceneId, MaterialId, VariantId, CameraId, LightId, ImageId);

impl References for AnyId {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        visit(*self);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        visit(self.kind, &mut self.index);
    }
}

impl<T: References> References for Option<T> {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        if let Some(value) = self {
            value.for_each_id(visit);
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if let Some(value) = self {
            value.for_each_id_mut(visit);
        }
    }
}

impl<A: References, B: References> References for (A, B) {
    const NONE: bool = A::NONE && B::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.0.for_each_id(visit);
        self.1.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.0.for_each_id_mut(visit);
        self.1.for_each_id_mut(visit);
    }
}

impl<A: References, B: References, C: References> References for (A, B, C) {
    const NONE: bool = A::NONE && B::NONE && C::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.0.for_each_id(visit);
        self.1.for_each_id(visit);
        self.2.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.0.for_each_id_mut(visit);
        self.1.for_each_id_mut(visit);
        self.2.for_each_id_mut(visit);
    }
}

impl<T: References> References for [T] {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        if !T::NONE {
            self.iter().for_each(|value| value.for_each_id(visit));
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if !T::NONE {
            self.iter_mut().for_each(|value| value.for_each_id_mut(visit));
        }
    }
}

impl<T: References, const N: usize> References for [T; N] {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.as_slice().for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.as_mut_slice().for_each_id_mut(visit);
    }
}

impl<T: References> References for Vec<T> {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.as_slice().for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        self.as_mut_slice().for_each_id_mut(visit);
    }
}

impl<K: References + Ord, V: References> References for BTreeMap<K, V> {
    const NONE: bool = K::NONE && V::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        if !Self::NONE {
            for (key, value) in self {
                key.for_each_id(visit);
                value.for_each_id(visit);
            }
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if K::NONE {
            if !V::NONE {
                self.values_mut().for_each(|value| value.for_each_id_mut(visit));
            }
            return;
        }
        let entries = std::mem::take(self).into_iter().map(|(mut key, mut value)| {
            key.for_each_id_mut(visit);
            value.for_each_id_mut(visit);
            (key, value)
        });
        *self = entries.collect();
    }
}

/// Whether a value contains at least one id.
fn holds_ids<T: References + ?Sized>(value: &T) -> bool {
    let mut any = false;
    value.for_each_id(&mut |_| any = true);
    any
}

impl<T: References + Clone> References for Shared<T> {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        if !T::NONE {
            (**self).for_each_id(visit);
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if !T::NONE && holds_ids(&**self) {
            Self::make_mut(self).for_each_id_mut(visit);
        }
    }
}

impl<T: References + Clone> References for Shared<[T]> {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        (**self).for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if !T::NONE && holds_ids(&**self) {
            let mut list = self.to_vec();
            list.for_each_id_mut(visit);
            *self = list.into();
        }
    }
}

/// Visits the ids in the elements. The ids under which elements are stored are not references.
impl<I: SlotId, T: References + Clone> References for Slots<I, T> {
    const NONE: bool = T::NONE;

    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        if !T::NONE {
            self.values().for_each(|value| value.for_each_id(visit));
        }
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        if !T::NONE {
            self.values_mut().for_each(|value| value.for_each_id_mut(visit));
        }
    }
}
