//! Mirror as an effect: what a layer shows where one side's content is seen on both.

use std::{collections::BTreeMap, sync::Arc};

use thiserror::Error;

use super::content::{Content, Entry};
use crate::{Influences, MOST, MirrorMap, SkinnedSurface, is_one_sided};
use ulna_geometry::PointId;
use ulna_model::{
    Document, JointSlot, LayerPart, MirrorFrom, PrimitiveKey, Shared, SkinId, WeightLayer,
    WeightLayers,
};
use ulna_motion::{MirrorPairs, PairSource, Role, Side};

/// Why nothing of a skin can be mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoSides {
    /// No joint is of a side.
    #[error(
        "no joint of the skin was recognized as a left or right joint, so the weights cannot be \
            mirrored; name the joints left and right, or pair them"
    )]
    Unknown,
    /// Joints are of one side, and those of the other are not there.
    #[error(
        "no two joints of the skin are mirror joints of each other, so left and right cannot be \
            told apart; pair them first"
    )]
    NoPair,
    /// Those of the other side are on another skin.
    #[error(
        "the joints of the other side belong to another skin, and a layer can only be mirrored \
            within its own skin"
    )]
    OtherSkin,
}

impl NoSides {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "sides_unknown",
            Self::NoPair => "no_mirror_pair",
            Self::OtherSkin => "sides_on_other_skin",
        }
    }
}

/// Which of a canvas's points is the other's mirror, and which side they are on.
#[derive(Clone, Debug)]
pub struct Sides {
    /// The axis of mesh space across which it is mirrored.
    pub axis: usize,
    /// Where the plane cuts that axis, meters.
    pub offset: f32,
    /// Whether left is where the axis grows.
    pub left_is_high: bool,
    /// Pairs of points, and of joints.
    pub pairs: MirrorMap,
}

/// What the joints say of the sides: all that pairs depend on besides the surfaces.
struct Plane {
    axis: usize,
    offset: f32,
    left_is_high: bool,
    joints: Vec<Option<JointSlot>>,
}

impl Plane {
    fn of(document: &Document, canvas: &SkinnedSurface) -> Result<Self, NoSides> {
        let roles = MirrorPairs::of(document, canvas.skin);
        // What was paired by names is a pair of this skin's. A plane that was found otherwise may
        // cut a single arm lengthwise.
        let by_name =
            |r: &Role| matches!(r.how, PairSource::Names | PairSource::Both | PairSource::Given);
        let is_sure = roles
            .joints()
            .iter()
            .enumerate()
            .any(|(j, r)| r.partner.is_some_and(|p| p != j) && by_name(r));
        if !is_sure && is_one_sided(document, canvas.skin) {
            return Err(NoSides::OtherSkin);
        }
        let (axis, offset) = (roles.axis(), roles.offset());
        let lefts = roles.joints().iter().zip(canvas.heads()).filter(|(r, _)| r.side == Side::Left);
        let count = lefts.clone().count();
        let left: f32 = lefts.map(|(_, p)| p[axis] - offset).sum();
        if left == 0.0 || left.is_nan() {
            return Err(if count == 0 { NoSides::Unknown } else { NoSides::NoPair });
        }
        Ok(Self { axis, offset, left_is_high: left > 0.0, joints: roles.mirror_joints() })
    }
}

/// What becomes of a vertex of a mirrored layer.
pub(super) enum MirroredVertex {
    /// It is as the layer has it.
    Gives,
    /// It is as the mirror of this point.
    Takes(PointId),
    /// It is the mean of itself and its own mirror.
    Middle,
}

impl Sides {
    /// As [`Sides::of`], points paired by their texture coordinates.
    ///
    /// # Errors
    /// As that.
    pub fn by_uv(
        document: &Document,
        canvas: &SkinnedSurface,
        uv_of: &dyn Fn(u32) -> Option<glam::Vec2>,
    ) -> Result<Self, NoSides> {
        let Plane { axis, offset, left_is_high, joints } = Plane::of(document, canvas)?;
        let pairs = MirrorMap::by_uv(canvas, uv_of, axis, offset, joints);
        Ok(Self { axis, offset, left_is_high, pairs })
    }

    /// Guesses them by the joints.
    ///
    /// # Errors
    /// Where no joint is known to be a left one.
    pub fn of(document: &Document, canvas: &SkinnedSurface) -> Result<Self, NoSides> {
        Ok(Self::at(canvas, Plane::of(document, canvas)?))
    }

    fn at(canvas: &SkinnedSurface, Plane { axis, offset, left_is_high, joints }: Plane) -> Self {
        Self { axis, offset, left_is_high, pairs: MirrorMap::near(canvas, axis, offset, joints) }
    }

    /// Whether they are what a plane gives.
    fn is_at(&self, plane: &Plane) -> bool {
        self.axis == plane.axis
            && self.offset.to_bits() == plane.offset.to_bits()
            && self.left_is_high == plane.left_is_high
            && self.pairs.joints() == plane.joints
    }

    pub(super) fn part(
        &self,
        canvas: &SkinnedSurface,
        vertex: u32,
        from: MirrorFrom,
    ) -> MirroredVertex {
        let point = canvas.point_of(vertex);
        let partner = self.pairs.point(point);
        let high = canvas.rest()[point.index()][self.axis] > self.offset;
        let gives = high == (self.left_is_high == (from == MirrorFrom::Left));
        match partner {
            Some(partner) if partner == point => MirroredVertex::Middle,
            Some(partner) if !gives => MirroredVertex::Takes(partner),
            _ => MirroredVertex::Gives,
        }
    }

    /// A list with the joints of the other side.
    pub(super) fn turned(&self, list: &Influences) -> Influences {
        let mut turned = Influences::default();
        for (j, w) in list.iter() {
            turned.add(self.pairs.across(JointSlot(j)).0, w);
        }
        turned
    }
}

/// What is needed to mirror a layer: all surfaces of its skin, shown or not, and their sides.
#[derive(Debug)]
pub(super) struct Mirror {
    pub(super) canvas: SkinnedSurface,
    pub(super) sides: Sides,
}

impl Mirror {
    /// Nothing where none of these layers is mirrored. Pairs that were found before are kept with
    /// the layers as long as the surfaces and joints are the same.
    pub(super) fn of(
        document: &Document,
        skin: SkinId,
        layers: &WeightLayers,
    ) -> Result<Option<Arc<Self>>, NoSides> {
        if layers.layers.iter().all(|l| l.mirror.is_none()) {
            return Ok(None);
        }
        let canvas = SkinnedSurface::whole(document, skin).ok_or(NoSides::Unknown)?;
        let plane = Plane::of(document, &canvas)?;
        let fits = |kept: &Self| kept.canvas.is_of_the_same(&canvas) && kept.sides.is_at(&plane);
        if let Some(kept) = layers.kept.find(fits) {
            return Ok(Some(kept));
        }
        let sides = Sides::at(&canvas, plane);
        let made = Arc::new(Self { canvas, sides });
        layers.kept.keep(made.clone());
        Ok(Some(made))
    }

    /// What a mirrored layer shows at a vertex of the canvas, of what it holds.
    pub(super) fn shown<'a>(
        &self,
        from: MirrorFrom,
        vertex: u32,
        held: impl Fn(u32) -> Option<Entry<'a>>,
    ) -> Option<(f32, Influences)> {
        let (canvas, sides) = (&self.canvas, &self.sides);
        match sides.part(canvas, vertex, from) {
            MirroredVertex::Gives => held(vertex).map(|entry| (entry.mask, entry.list())),
            MirroredVertex::Takes(point) => {
                let entry = canvas.vertices_at(point).iter().find_map(|v| held(*v))?;
                Some((entry.mask, sides.turned(&entry.list())))
            }
            MirroredVertex::Middle => {
                let entry = held(vertex)?;
                let list = entry.list();
                let mut mean = Influences::default();
                mean.add_all(&list, 0.5);
                mean.add_all(&sides.turned(&list), 0.5);
                Some((entry.mask, mean))
            }
        }
    }
}

pub(super) type Parts = BTreeMap<PrimitiveKey, Shared<LayerPart>>;

/// Sets a vertex of what a mirrored layer shows: a mean of two lists may name all joints of both.
pub(super) fn shown_sets(layer: &WeightLayer) -> usize {
    layer.parts.values().map(|p| p.sets * 2).max().unwrap_or(2).min(MOST / 4)
}

/// What a layer shows: what it holds, and mirrored, if it is.
pub(super) fn seen(layer: &WeightLayer, mirror: Option<&Mirror>) -> Parts {
    let (Some(from), Some(mirror)) = (layer.mirror, mirror) else { return layer.parts.clone() };
    let canvas = &mirror.canvas;
    let own: Vec<Option<&LayerPart>> = canvas
        .parts()
        .iter()
        .map(|p| layer.parts.get(&(p.mesh, p.primitive)).map(|p| &**p))
        .collect();
    let held = |vertex: u32| {
        let (part, own_number) = canvas.part_of(vertex);
        Content::sparse(own[part]?).at(own_number)
    };
    let sets = shown_sets(layer);
    let mut all = Parts::new();
    for part in canvas.parts() {
        let mut made = LayerPart { sets, ..LayerPart::default() };
        let (mut joints, mut weights) = (vec![0; made.stride()], vec![0.0; made.stride()]);
        for v in 0..part.count {
            if let Some((mask, list)) = mirror.shown(from, part.first + v, held) {
                list.write(&mut joints, &mut weights);
                made.push(v, mask, &joints, &weights);
            }
        }
        if !made.vertices.is_empty() {
            all.insert((part.mesh, part.primitive), Shared::new(made));
        }
    }
    all
}
