//! Placement of source surfaces over a target surface, before nearest points are searched.

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

/// A source primitive of a weight transfer.
#[derive(Clone, Copy, Debug)]
pub struct Giver<'a> {
    /// Primitive that provides the weights.
    pub primitive: &'a Primitive,
    /// Skin of the primitive.
    pub skin: SkinId,
    /// Index in the target skin of each joint's counterpart; `None` without a counterpart.
    pub joints: &'a [Option<u16>],
}

/// How the source surfaces were placed for a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaidBy {
    /// Unchanged mesh space: both skins have the same bind pose, so the surfaces overlap.
    Bind,
    /// Posed: the source was posed to match the rest pose of the target.
    Pose {
        /// Number of source joints with a counterpart in the target.
        matched: usize,
    },
    /// The source was not posed, because too few joints have counterparts.
    NoMatch,
    /// The source was not posed, because posing would move the surfaces much farther apart.
    Farther,
    /// The source was not posed, because it has no skeleton.
    NoSkeleton,
}

impl LaidBy {
    /// Describes the placement as part of a sentence; `None` if it needs no mention.
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

/// Places the source primitives in the mesh space of a target surface. Returns the vertex positions
/// of each primitive, and the kind of placement.
///
/// `pairs` are source joints with their counterparts in the target. `wanted` are the target
/// vertices.
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
    // Counterparts are more reliable than distances, because hair, clothes and arms differ between
    // bodies. Only a much larger distance indicates wrong counterparts.
    if apart(canvas, givers, &posed, wanted) < FARTHER * apart(canvas, givers, &lying, wanted) {
        let joints: Vec<NodeId> =
            givers.iter().flat_map(|g| theirs.skin(g.skin).joints.iter().copied()).collect();
        let matched = overlay.matched().iter().filter(|n| joints.contains(n)).count();
        return (posed, LaidBy::Pose { matched });
    }
    (lying, LaidBy::Farther)
}

/// Maximum distance of the posed surfaces, relative to the distance of the unposed surfaces.
const FARTHER: f32 = 1.5;

/// Whether two skeletons match well enough for posing. Either at least half of the transferred
/// weight is on joints with a counterpart, or at least ten target joints are counterparts. Ten
/// joints are enough for trunk and limbs. The second rule covers a body with few fingers and a body
/// with all fingers.
fn is_match(givers: &[Giver<'_>]) -> bool {
    const ENOUGH: f64 = 0.5;
    const BODY: usize = 10;
    let found: BTreeSet<u16> = givers.iter().flat_map(|g| g.joints).flatten().copied().collect();
    share_matched(givers) >= ENOUGH || found.len() >= BODY
}

/// Returns, by primitive, the target joint that receives the weights of each source joint. If the
/// skeletons match, a joint without a counterpart uses the counterpart of its nearest ancestor.
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

/// Returns the fraction of the weight that is on joints with a counterpart, `0..=1`.
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

/// Returns the matrix from the mesh space of a primitive to the mesh space of the target surface.
/// `None` if the skins have different bind poses.
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

/// Returns the source surfaces at their rest positions in the scene, in the mesh space of the
/// target. If the source seems to use another length unit, it is scaled, provided that scaling
/// brings the surfaces closer.
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

/// Returns the mean distance of vertices from the nearest source points, over at most 2000 samples.
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

/// Guesses the factor between the length units of two surfaces from their sizes. Returns 1 if the
/// ratio is plausible for two bodies.
pub fn unit_between(theirs: f32, ours: f32) -> f32 {
    let factor = if theirs > 0.0 && ours > 0.0 { ours / theirs } else { 1.0 };
    if (0.2..5.0).contains(&factor) {
        return 1.0;
    }
    let units = [0.001, 0.01, 0.0254, 0.1, 0.3048, 1.0, 3.28084, 10.0, 39.3701, 100.0, 1000.0];
    let far = |u: &f32| (u / factor).ln().abs();
    units.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1.0)
}

/// Returns the diagonal of the bounding box of the finite points.
pub fn size_of(points: &[Vec3]) -> f32 {
    let (low, high) = points
        .iter()
        .filter(|p| p.is_finite())
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    if low.x > high.x { 0.0 } else { low.distance(high) }
}
