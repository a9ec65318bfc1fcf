//! Mirror as an effect: what a layer shows where one side's content is seen on both.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use thiserror::Error;

use super::list_of;
use crate::{
    model::{Document, LayerPart, MirrorFrom, PrimitiveKey, SkinId, WeightLayer},
    motion::{Roles, Side},
    weights::{Canvas, Influences, MOST, MirrorMap, NOWHERE},
};

/// The sides of a skin are not known, so nothing of it can be mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no joint of the skin is known to be of the left side, so nothing can be mirrored")]
pub struct NoSides;

/// Which of a canvas's places is the other's mirror, and which side they are on.
#[derive(Clone, Debug)]
pub struct Sides {
    /// The axis of mesh space across which it is mirrored.
    pub axis: usize,
    /// Where the plane cuts that axis, metres.
    pub offset: f32,
    /// Whether left is where the axis grows.
    pub left_is_high: bool,
    /// Pairs of places, and of joints.
    pub pairs: MirrorMap,
}

/// What becomes of a vertex of a mirrored layer.
pub(super) enum Part {
    /// It is as the layer has it.
    Gives,
    /// It is as the mirror of this place.
    Takes(u32),
    /// It is the mean of itself and its own mirror.
    Middle,
}

impl Sides {
    /// Guesses them by the joints.
    ///
    /// # Errors
    /// Where no joint is known to be a left one.
    pub fn of(document: &Document, canvas: &Canvas) -> Result<Self, NoSides> {
        let roles = Roles::of(document, canvas.skin);
        let (axis, offset) = (roles.axis(), roles.offset());
        let lefts = roles.joints().iter().zip(canvas.heads()).filter(|(r, _)| r.side == Side::Left);
        let left: f32 = lefts.map(|(_, p)| p[axis] - offset).sum();
        if left == 0.0 || left.is_nan() {
            return Err(NoSides);
        }
        let pairs = MirrorMap::near(canvas, axis, offset, roles.mirror_joints());
        Ok(Self { axis, offset, left_is_high: left > 0.0, pairs })
    }

    pub(super) fn part(&self, canvas: &Canvas, vertex: u32, from: MirrorFrom) -> Part {
        let place = canvas.place_of(vertex);
        let partner = self.pairs.place(place);
        let high = canvas.rest()[place as usize][self.axis] > self.offset;
        if partner == place {
            Part::Middle
        } else if partner == NOWHERE || high == (self.left_is_high == (from == MirrorFrom::Left)) {
            Part::Gives
        } else {
            Part::Takes(partner)
        }
    }

    /// A list with the joints of the other side.
    pub(super) fn turned(&self, list: &Influences) -> Influences {
        let mut turned = Influences::default();
        for (j, w) in list.iter() {
            let other = self.pairs.joint(j);
            turned.add(if other == u16::MAX { j } else { other }, w);
        }
        turned
    }
}

/// What is needed to mirror a layer: all surfaces of its skin, shown or not, and their sides.
pub(super) struct Mirror {
    pub(super) canvas: Canvas,
    pub(super) sides: Sides,
}

impl Mirror {
    /// Nothing where none of these layers is mirrored.
    pub(super) fn of(document: &Document, skin: SkinId, layers: &[Arc<WeightLayer>]) -> Result<Option<Self>, NoSides> {
        if layers.iter().all(|l| l.mirror.is_none()) {
            return Ok(None);
        }
        let canvas = Canvas::of_nodes(document, skin, document.node_ids()).ok_or(NoSides)?;
        let sides = Sides::of(document, &canvas)?;
        Ok(Some(Self { canvas, sides }))
    }
}

pub(super) type Parts<'a> = BTreeMap<PrimitiveKey, Cow<'a, LayerPart>>;

/// What a layer shows: what it holds, and mirrored, if it is.
pub(super) fn seen<'a>(layer: &'a WeightLayer, mirror: Option<&Mirror>) -> Parts<'a> {
    let (Some(from), Some(Mirror { canvas, sides })) = (layer.mirror, mirror) else {
        return layer.parts.iter().map(|(key, part)| (*key, Cow::Borrowed(&**part))).collect();
    };
    let own: Vec<Option<&LayerPart>> =
        canvas.parts().iter().map(|p| layer.parts.get(&(p.mesh, p.primitive)).map(|p| &**p)).collect();
    let entry = |vertex: u32| {
        let (part, own_number) = canvas.part_of(vertex);
        let part = own[part]?;
        Some((part, part.find(own_number)?))
    };
    // A mean of two lists may name all joints of both.
    let sets = layer.parts.values().map(|p| p.sets * 2).max().unwrap_or(2).min(MOST / 4);
    let mut all = Parts::new();
    for part in canvas.parts() {
        let mut made = LayerPart { sets, ..LayerPart::default() };
        let (mut joints, mut weights) = (vec![0; made.stride()], vec![0.0; made.stride()]);
        for v in 0..part.count {
            let vertex = part.first + v;
            let kind = sides.part(canvas, vertex, from);
            let found = match kind {
                Part::Takes(place) => canvas.vertices_at(place).iter().find_map(|v| entry(*v)),
                Part::Gives | Part::Middle => entry(vertex),
            };
            let Some((held, k)) = found else { continue };
            let list = list_of(held, k);
            let list = match kind {
                Part::Gives => list,
                Part::Takes(_) => sides.turned(&list),
                Part::Middle => {
                    let mut mean = Influences::default();
                    mean.add_all(&list, 0.5);
                    mean.add_all(&sides.turned(&list), 0.5);
                    mean
                }
            };
            list.write(&mut joints, &mut weights);
            made.push(v, held.mask[k], &joints, &weights);
        }
        if !made.vertices.is_empty() {
            all.insert((part.mesh, part.primitive), Cow::Owned(made));
        }
    }
    all
}
