//! Mirroring as a layer effect: both sides show the content of one side.

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

/// Reason why a skin's layers cannot be mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoSides {
    /// No joint was recognized as a left or right joint.
    #[error(
        "no joint of the skin was recognized as a left or right joint, so the weights cannot be \
            mirrored; name the joints left and right, or pair them"
    )]
    Unknown,
    /// No two joints of the skin are mirror joints of each other.
    #[error(
        "no two joints of the skin are mirror joints of each other, so left and right cannot be \
            told apart; pair them first"
    )]
    NoPair,
    /// The joints of the other side belong to another skin.
    #[error(
        "the joints of the other side belong to another skin, and a layer can only be mirrored \
            within its own skin"
    )]
    OtherSkin,
}

impl NoSides {
    /// Returns the code for scripts. It is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "sides_unknown",
            Self::NoPair => "no_mirror_pair",
            Self::OtherSkin => "sides_on_other_skin",
        }
    }
}

/// The two sides of a surface: the mirror plane, and the mirror pairs of points and joints.
#[derive(Clone, Debug)]
pub struct Sides {
    /// Index of the mesh-space axis perpendicular to the mirror plane.
    pub axis: usize,
    /// Position of the plane along the axis, in mesh-space units.
    pub offset: f32,
    /// Whether the left side has the larger coordinates on `axis`.
    pub left_is_high: bool,
    /// Mirror pairs of points and of joints.
    pub pairs: MirrorMap,
}

/// The mirror plane and the joint pairs. Together with the surface, they determine the point pairs.
struct Plane {
    axis: usize,
    offset: f32,
    left_is_high: bool,
    joints: Vec<Option<JointSlot>>,
}

impl Plane {
    fn of(document: &Document, canvas: &SkinnedSurface) -> Result<Self, NoSides> {
        let roles = MirrorPairs::of(document, canvas.skin);
        // A mirror pair found by names is inside this skin. A plane found by positions can cut a
        // single arm lengthwise.
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

/// Role of a vertex in a mirrored layer.
pub(super) enum MirroredVertex {
    /// Source side: the vertex shows its own content.
    Gives,
    /// Target side: the vertex shows the mirrored content of this point.
    Takes(PointId),
    /// On the plane: the vertex shows the mean of its content and of the mirror image.
    Middle,
}

impl Sides {
    /// Finds the sides like [`Sides::of`], but pairs the points by their texture coordinates.
    ///
    /// # Errors
    /// As for [`Sides::of`].
    pub fn by_uv(
        document: &Document,
        canvas: &SkinnedSurface,
        uv_of: &dyn Fn(u32) -> Option<glam::Vec2>,
    ) -> Result<Self, NoSides> {
        let Plane { axis, offset, left_is_high, joints } = Plane::of(document, canvas)?;
        let pairs = MirrorMap::by_uv(canvas, uv_of, axis, offset, joints);
        Ok(Self { axis, offset, left_is_high, pairs })
    }

    /// Finds the two sides of a surface from its joints. Points are paired by position.
    ///
    /// # Errors
    /// No joint is recognized as a left one, or the skin has only one side.
    pub fn of(document: &Document, canvas: &SkinnedSurface) -> Result<Self, NoSides> {
        Ok(Self::at(canvas, Plane::of(document, canvas)?))
    }

    fn at(canvas: &SkinnedSurface, Plane { axis, offset, left_is_high, joints }: Plane) -> Self {
        Self { axis, offset, left_is_high, pairs: MirrorMap::near(canvas, axis, offset, joints) }
    }

    /// Whether these sides were found for this plane.
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

    /// Returns the influences with each joint replaced by its mirror joint.
    pub(super) fn turned(&self, list: &Influences) -> Influences {
        let mut turned = Influences::default();
        for (j, w) in list.iter() {
            turned.add(self.pairs.across(JointSlot(j)).0, w);
        }
        turned
    }
}

/// Data for mirroring a layer: all surfaces of its skin, displayed or not, and their sides.
#[derive(Debug)]
pub(super) struct Mirror {
    pub(super) canvas: SkinnedSurface,
    pub(super) sides: Sides,
}

impl Mirror {
    /// Returns the mirror data; `None` if no layer is mirrored. The pairs are cached with the
    /// layers while the surfaces and joints stay the same.
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

    /// Computes the displayed content of a mirrored layer at a vertex from its stored content.
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

/// Returns the number of sets per vertex of a mirrored layer. The mean of two lists can contain all
/// joints of both.
pub(super) fn shown_sets(layer: &WeightLayer) -> usize {
    layer.parts.values().map(|p| p.sets * 2).max().unwrap_or(2).min(MOST / 4)
}

/// Returns the displayed content of a layer: the stored content, or its mirrored form if mirroring
/// is on.
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
