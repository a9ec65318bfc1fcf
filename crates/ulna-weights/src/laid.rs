//! The surfaces that weights come from, placed over the surface that takes them, before nearest
//! points are searched.

use std::collections::{BTreeSet, HashMap};

use glam::{Mat4, Vec3};

use super::{
    SkinnedSurface, corners,
    ids::{to_f64, to_single},
    mesh_from_mesh,
    overlay::Overlay,
};
use ulna_geometry::ClosestSurface;
use ulna_model::{Document, NodeId, Primitive, SkinId};

/// A primitive that weights come from.
#[derive(Clone, Copy, Debug)]
pub struct Giver<'a> {
    /// The primitive.
    pub primitive: &'a Primitive,
    /// Its skin.
    pub skin: SkinId,
    /// By joint of its skin, the number of the counterpart in the skin that takes.
    pub joints: &'a [Option<u16>],
}

/// How the surfaces that give were placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaidBy {
    /// Both skins are bound in one pose, so that the surfaces lie over each other.
    Bind,
    /// The source was posed onto the rest pose of the target.
    Pose {
        /// Joints of the source with a counterpart that it was posed by.
        matched: usize,
    },
    /// As they lie: there are too few counterparts to pose by.
    NoMatch,
    /// As they lie: posed, the surfaces were much farther apart.
    Farther,
    /// As they lie: the source has no skeleton.
    NoSkeleton,
}

impl LaidBy {
    /// The placing as a part of a sentence; nothing where there is nothing to say.
    pub fn text(self) -> Option<String> {
        const AS_THEY_LIE: &str = "the surfaces were matched in place";
        match self {
            Self::Bind => None,
            Self::Pose { matched: 1 } => {
                Some("the source was first posed to match this rest pose by 1 joint".into())
            }
            Self::Pose { matched } => Some(format!(
                "the source was first posed to match this rest pose by {matched} joints"
            )),
            Self::NoMatch => Some(format!("{AS_THEY_LIE}, because the skeletons do not match")),
            Self::Farther => {
                Some(format!("{AS_THEY_LIE}, because posing the source moved them farther apart"))
            }
            Self::NoSkeleton => Some(format!("{AS_THEY_LIE}, because the source has no skeleton")),
        }
    }
}

/// Places the primitives that give in the mesh space of a canvas; by primitive, the positions of
/// its vertices.
///
/// `pairs` are joints of the source with their counterparts, `wanted` the canvas's vertices that
/// take.
pub fn laid_over(
    (theirs, ours): (&Document, &Document),
    canvas: &SkinnedSurface,
    givers: &[Giver<'_>],
    pairs: &[(NodeId, NodeId)],
    wanted: &[u32],
) -> (Vec<Vec<Vec3>>, LaidBy) {
    let is_match = is_match(givers);
    let bound = givers
        .iter()
        .map(|g| bound_alike((theirs, ours), canvas, g))
        .collect::<Option<Vec<Mat4>>>();
    if let Some(spaces) = bound {
        let place = |(g, space): (&Giver<'_>, &Mat4)| moved(&g.primitive.positions, space);
        let by = if is_match { LaidBy::Bind } else { LaidBy::NoMatch };
        return (givers.iter().zip(&spaces).map(place).collect(), by);
    }
    let lying = lying((theirs, ours), canvas, givers, wanted);
    let overlay = is_match.then(|| Overlay::new(theirs, ours, pairs)).flatten();
    let posed = overlay.as_ref().and_then(|overlay| {
        givers
            .iter()
            .map(|g| overlay.positions(g.primitive, g.skin, canvas.skin))
            .collect::<Option<Vec<_>>>()
    });
    let (Some(overlay), Some(posed)) = (overlay, posed) else { return (lying, LaidBy::NoMatch) };
    // Counterparts say more than distances: hair, clothes and arms differ between bodies. Much
    // farther apart is a wrong match.
    if apart(canvas, givers, &posed, wanted) < FARTHER * apart(canvas, givers, &lying, wanted) {
        let joints: Vec<NodeId> =
            givers.iter().flat_map(|g| theirs.skin(g.skin).joints.iter().copied()).collect();
        let matched = overlay.matched().iter().filter(|n| joints.contains(n)).count();
        return (posed, LaidBy::Pose { matched });
    }
    (lying, LaidBy::Farther)
}

/// Posed surfaces may lie farther apart than unposed ones by this factor.
const FARTHER: f32 = 1.5;

/// Whether two skeletons match: half of the weights that come over are on joints with a
/// counterpart; or there are as many counterparts as the trunk and limbs of a body have. A body
/// with few fingers has no counterparts for most joints of one with all of them.
fn is_match(givers: &[Giver<'_>]) -> bool {
    const ENOUGH: f64 = 0.5;
    const BODY: usize = 10;
    let found: BTreeSet<u16> = givers.iter().flat_map(|g| g.joints).flatten().copied().collect();
    share_matched(givers) >= ENOUGH || found.len() >= BODY
}

/// By primitive and by joint of its skin, the number of the joint that takes its weights. Where the
/// skeletons match, that is for a joint without counterpart the counterpart of the nearest joint
/// above.
pub fn takers(theirs: &Document, givers: &[Giver<'_>]) -> Vec<Vec<Option<u16>>> {
    if !is_match(givers) {
        return givers.iter().map(|g| g.joints.to_vec()).collect();
    }
    let one = |giver: &Giver<'_>| {
        let joints = theirs.skin(giver.skin).joints.iter().zip(giver.joints);
        let known: HashMap<NodeId, u16> =
            joints.clone().filter_map(|(node, own)| Some((*node, (*own)?))).collect();
        let up = |node: NodeId| {
            std::iter::successors(Some(node), |n| theirs.node(*n).parent)
                .find_map(|n| known.get(&n).copied())
        };
        joints.map(|(node, own)| own.or_else(|| up(*node))).collect()
    };
    givers.iter().map(one).collect()
}

/// The part of the weights that is on joints with a counterpart.
fn share_matched(givers: &[Giver<'_>]) -> f64 {
    let (mut found, mut all) = (0.0f64, 0.0f64);
    for giver in givers {
        let Some(map) = giver.primitive.weights.as_deref() else { continue };
        for (joint, weight) in map.joints.iter().zip(map.weights.iter()).filter(|(_, w)| **w > 0.0)
        {
            all += f64::from(*weight);
            if giver.joints.get(usize::from(*joint)).is_some_and(Option::is_some) {
                found += f64::from(*weight);
            }
        }
    }
    if all > 0.0 { found / all } else { 0.0 }
}

/// Mesh space of the canvas from that of a primitive whose skin was bound in the same pose.
fn bound_alike(
    (theirs, ours): (&Document, &Document),
    canvas: &SkinnedSurface,
    giver: &Giver<'_>,
) -> Option<Mat4> {
    let numbers = giver.joints.iter().enumerate();
    let pairs: Vec<(usize, usize)> =
        numbers.filter_map(|(k, j)| Some((usize::from((*j)?), k))).collect();
    mesh_from_mesh(ours.skin(canvas.skin), theirs.skin(giver.skin), &pairs)
}

fn moved(positions: &[Vec3], by: &Mat4) -> Vec<Vec3> {
    positions.iter().map(|p| by.transform_point3(*p)).collect()
}

/// The surfaces as they stand in their scenes at rest, in the mesh space of the canvas. Where the
/// source seems to be in another unit, its lengths are brought to the unit here, as long as that
/// brings the surfaces nearer.
fn lying(
    (theirs, ours): (&Document, &Document),
    canvas: &SkinnedSurface,
    givers: &[Giver<'_>],
    wanted: &[u32],
) -> Vec<Vec<Vec3>> {
    let standing = Overlay::standing(theirs, ours);
    let place = |g: &Giver<'_>| {
        let stands = standing.positions(g.primitive, g.skin, canvas.skin);
        stands.unwrap_or_else(|| g.primitive.positions.to_vec())
    };
    let all: Vec<Vec<Vec3>> = givers.iter().map(place).collect();
    let scale = unit_between(size_of(&all.concat()), size_of(canvas.rest()));
    if scale == 1.0 {
        return all;
    }
    let scaled: Vec<Vec<Vec3>> =
        all.iter().map(|list| list.iter().map(|p| *p * scale).collect()).collect();
    if apart(canvas, givers, &scaled, wanted) < apart(canvas, givers, &all, wanted) {
        scaled
    } else {
        all
    }
}

/// The mean distance of vertices from the nearest points, over at most two thousand of them.
fn apart(
    canvas: &SkinnedSurface,
    givers: &[Giver<'_>],
    positions: &[Vec<Vec3>],
    wanted: &[u32],
) -> f32 {
    const MOST: usize = 2000;
    let surface = |(g, positions): (&Giver<'_>, &Vec<Vec3>)| {
        ClosestSurface::new(positions.clone(), corners(g.primitive).into_owned())
    };
    let surfaces: Vec<ClosestSurface> = givers.iter().zip(positions).map(surface).collect();
    let sample = wanted.iter().step_by(wanted.len().div_ceil(MOST).max(1));
    let distance = |v: &u32| {
        let at = canvas.rest()[canvas.point_of(*v).index()];
        surfaces.iter().filter_map(|s| Some(s.nearest(at)?.distance)).min_by(f32::total_cmp)
    };
    let (mut sum, mut count) = (0.0f64, 0usize);
    for distance in sample.filter_map(distance).filter(|d| d.is_finite()) {
        sum += f64::from(distance);
        count += 1;
    }
    if count == 0 { f32::INFINITY } else { to_single(sum / to_f64(count)) }
}

/// The factor that brings lengths of one surface to the unit of another, by the sizes of both; 1
/// where they differ as bodies do.
pub fn unit_between(theirs: f32, ours: f32) -> f32 {
    let factor = if theirs > 0.0 && ours > 0.0 { ours / theirs } else { 1.0 };
    if (0.2..5.0).contains(&factor) {
        return 1.0;
    }
    let units = [0.001, 0.01, 0.0254, 0.1, 0.3048, 1.0, 3.28084, 10.0, 39.3701, 100.0, 1000.0];
    let far = |u: &f32| (u / factor).ln().abs();
    units.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1.0)
}

/// The diagonal of the box around points, of those that are finite.
pub fn size_of(points: &[Vec3]) -> f32 {
    let (low, high) = points
        .iter()
        .filter(|p| p.is_finite())
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    if low.x > high.x { 0.0 } else { low.distance(high) }
}
