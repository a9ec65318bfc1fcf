//! Adaptation of clips to new local transforms of nodes.

use glam::{DVec3, DVec4};
use rayon::prelude::*;

use super::{
    bake::{Bounds, baked, times_of},
    chain::{Chain, ChainCurve, Factor, Mover},
    curve::{NodeCurve, TimeSide},
    moving::Moving,
};
use crate::curves::moments;
use ulna_model::{
    Clip, ClipId, FileContent, Interpolation, NodeId, Property, Shared, Track, TrackId, Transform,
    transform::angle_between,
};

/// Numbers of tracks of a clip, by how their keys were adapted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rewritten {
    /// Number of tracks that keep their keys with new values.
    pub exact: usize,
    /// Number of tracks with a single key, for a value that differs from the node's own value.
    pub held: usize,
    /// Number of tracks that were resampled, because they depend on several tracks.
    pub baked: usize,
    /// Number of keys that were added to resampled tracks.
    pub keys_added: usize,
    /// Largest shear of a transform, relative to its scale. A node cannot store shear.
    pub residue: f64,
}

impl Rewritten {
    /// Adds the numbers of two results, and keeps the larger residue.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            exact: self.exact + other.exact,
            held: self.held + other.held,
            baked: self.baked + other.baked,
            keys_added: self.keys_added + other.keys_added,
            residue: self.residue.max(other.residue),
        }
    }
}

/// The changed clips with their ids, and the total numbers of tracks.
pub type RewrittenClips = (Vec<(ClipId, Shared<Clip>)>, Rewritten);

/// Reason why a clip cannot be adapted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfollowed {
    /// The node has a scale of 0 at a time, so its transform has no inverse.
    Flat(NodeId),
    /// The keys of this property of the node cannot be edited.
    Fixed(NodeId, Property),
}

/// Rewrites a clip, so that nodes have the local transforms of some chains at all times. `local`
/// returns the local transforms of nodes without the clip before the change, and `after` those
/// after the change. `bounds` returns the maximum errors of baked keys of a node.
///
/// # Errors
/// A transform has no inverse, or the change affects keys that cannot be edited.
pub fn rewritten(
    clip: &Shared<Clip>,
    chains: &[Chain],
    local: &dyn Fn(NodeId) -> Transform,
    after: &dyn Fn(NodeId) -> Transform,
    bounds: &dyn Fn(NodeId) -> Bounds,
) -> Result<(Shared<Clip>, Rewritten), Unfollowed> {
    let mut done = Rewritten::default();
    let mut tracks = clip.tracks.clone();
    let mut free = clip.free_track_id();
    let mut is_changed = false;
    let first = clip.played().filter_map(|t| t.times.first().copied()).reduce(f32::min);
    let first = first.unwrap_or(0.0);
    for chain in chains {
        let nodes = chain.nodes();
        let is_moved = |n: &NodeId| Property::TRS.iter().any(|p| clip.track(*n, *p).is_some());
        refuse_fixed(clip, chain)?;
        if !nodes.iter().any(is_moved) {
            continue;
        }
        let curves = chain.factors.iter().map(|f| f.node());
        let curves = curves.map(|n| n.map(|n| NodeCurve::of(clip, n, &local(n)))).collect();
        let curve = ChainCurve { chain, curves };
        let node = NodeRewrite { curve, node: chain.node, first, bounds: bounds(chain.node) };
        for property in Property::TRS {
            let own = clip.track(chain.node, property);
            let made = node.track(property, &after(chain.node), &mut done)?;
            match (made, own) {
                (Some(made), Some((id, old))) if !made.same_keys(old) => {
                    done.keys_added += made.times.len().saturating_sub(old.times.len());
                    let made = Track { kinds: old.kinds.clone(), ..made };
                    tracks.insert(id, Shared::new(Track { kinds: made.kinds_there(), ..made }));
                    is_changed = true;
                }
                (Some(made), None) => {
                    done.keys_added += made.times.len();
                    tracks.insert(free, Shared::new(made));
                    free = TrackId(free.0 + 1);
                    is_changed = true;
                }
                _ => {}
            }
        }
    }
    if !is_changed {
        return Ok((clip.clone(), done));
    }
    Ok((Shared::new(Clip { tracks, ..(**clip).clone() }), done))
}

/// Rewrites all clips of a file like [`rewritten`]. Returns the changed clips, and the total
/// numbers of tracks.
///
/// # Errors
/// As [`rewritten`], with the id of the clip.
pub fn rewrite_clips(
    file: &FileContent,
    chains: &[Chain],
    after: &(dyn Fn(NodeId) -> Transform + Sync),
    bounds: &(dyn Fn(NodeId) -> Bounds + Sync),
) -> Result<RewrittenClips, (ClipId, Unfollowed)> {
    let local = |n: NodeId| file.node(n).local().transform();
    let clips: Vec<_> = file.clips.iter().collect();
    let made: Vec<_> = clips
        .into_par_iter()
        .map(|(id, clip)| (id, clip, rewritten(clip, chains, &local, after, bounds)))
        .collect();
    let (mut changed, mut all) = (Vec::new(), Rewritten::default());
    for (id, clip, made) in made {
        let (to, done) = made.map_err(|why| (id, why))?;
        all = all.with(done);
        if !Shared::ptr_eq(&to, clip) {
            changed.push((id, to));
        }
    }
    Ok((changed, all))
}

/// Returns an error if the clip has pointer keys or other uneditable keys of the nodes involved.
fn refuse_fixed(clip: &Clip, chain: &Chain) -> Result<(), Unfollowed> {
    let nodes = chain.nodes();
    let pointed = clip.pointers.iter().filter_map(|p| p.track.as_ref());
    let pointed = pointed.map(|t| (t.target, t.property));
    let mut fixed = clip.kept.iter().copied().chain(pointed);
    let found =
        fixed.find(|(n, p)| *p != Property::Weights && (nodes.contains(n) || *n == chain.node));
    found.map_or(Ok(()), |(node, property)| Err(Unfollowed::Fixed(node, property)))
}

/// A node that gets a new local transform in a clip.
struct NodeRewrite<'a> {
    curve: ChainCurve<'a>,
    node: NodeId,
    /// The first key time of the clip, seconds.
    first: f32,
    bounds: Bounds,
}

impl NodeRewrite<'_> {
    fn at(&self, time: f64, side: TimeSide) -> Result<Moving, Unfollowed> {
        let made = self.curve.at(time, side).ok_or_else(|| self.flat())?;
        Ok(made.moving)
    }

    /// Creates the error for a node whose transform has no inverse.
    fn flat(&self) -> Unfollowed {
        let inverted = self.curve.chain.factors.iter().find_map(|f| match f {
            Factor::Inverse(node) => Some(*node),
            Factor::Constant(_) | Factor::Local(_) => None,
        });
        Unfollowed::Flat(inverted.unwrap_or(self.node))
    }

    /// Computes the new track of a property; `None` if the node needs no track.
    fn track(
        &self,
        property: Property,
        after: &Transform,
        done: &mut Rewritten,
    ) -> Result<Option<Track>, Unfollowed> {
        let movers = self.curve.movers(property);
        let own = self.curve.own().and_then(|factor| {
            let track = self.curve.curves[factor].as_ref()?.track(property)?;
            Some(Mover { factor, track })
        });
        let only = match (&movers[..], own) {
            ([], Some(own)) => Some(own),
            ([only], _) if only.track.property == property => Some(*only),
            _ => None,
        };
        if let Some(only) = only
            && let Some(mapped) = self.mapped(property, only)?
        {
            let is_same = mapped.same_keys(only.track);
            done.exact += usize::from(!is_same);
            self.look_for_shear(&[only], done)?;
            return Ok(Some(mapped));
        }
        let first = f64::from(self.first);
        if movers.is_empty() {
            let made = self.at(first, TimeSide::After)?.transform();
            if is_same(property, &made, after) {
                return Ok(None);
            }
            done.held += 1;
            return Ok(Some(held(self.node, property, self.first, &made)));
        }
        self.look_for_shear(&movers, done)?;
        done.baked += 1;
        let steps = movers.iter().all(|m| m.track.interpolation == Interpolation::Step);
        if steps { self.stepped(property, &movers) } else { self.baked(property, &movers) }
            .map(Some)
    }

    /// Updates the largest shear at the key times of some tracks.
    fn look_for_shear(&self, movers: &[Mover<'_>], done: &mut Rewritten) -> Result<(), Unfollowed> {
        if !self.curve.curves.iter().flatten().any(NodeCurve::is_uneven) {
            return Ok(());
        }
        for time in movers.iter().flat_map(|m| m.track.times.iter()) {
            let at = self.curve.at(f64::from(*time), TimeSide::After);
            done.residue = done.residue.max(at.ok_or_else(|| self.flat())?.residue);
        }
        Ok(())
    }

    /// Computes new values for the keys of the only track that the property depends on. `None` if
    /// the new values are not a linear function of the old ones.
    fn mapped(&self, property: Property, by: Mover<'_>) -> Result<Option<Track>, Unfollowed> {
        let is_inverse = matches!(self.curve.chain.factors[by.factor], Factor::Inverse(_));
        let Some(own) = self.curve.curves[by.factor].filter(|_| {
            // The reciprocal of a scale is not linear.
            !(is_inverse && property == Property::Scale)
        }) else {
            return Ok(None);
        };
        let time = f64::from(self.first);
        let (before, after) = self.beside(by.factor, time)?;
        let own = own.at(time, TimeSide::After);
        let mut values = by.track.values.to_vec();
        if property == Property::Rotation {
            // Multiplication by a unit quaternion preserves angles between quaternions. It
            // therefore commutes with slerp, Hermite curves and normalization. Tangents are
            // multiplied in the same way.
            for value in values.chunks_exact_mut(4) {
                let q = moments::quaternion(value);
                let q = if is_inverse { q.conjugate() } else { q };
                let made = DVec4::from(before.rotation * q * after.rotation);
                value.copy_from_slice(&made.as_vec4().to_array());
            }
        } else {
            let is_scale = property == Property::Scale;
            let map = |v: DVec3| {
                let replaced = match is_scale {
                    true => Moving { scale: v, ..own },
                    false => Moving { translation: v, ..own },
                };
                let replaced = if is_inverse { replaced.inverse()? } else { replaced };
                let made = before.then(&replaced).then(&after);
                Some(if is_scale { made.scale } else { made.translation })
            };
            let map = |v| map(v).ok_or_else(|| self.flat());
            let zero = if is_scale { DVec3::ZERO } else { map(DVec3::ZERO)? };
            let is_cubic = by.track.interpolation == Interpolation::CubicSpline;
            for (k, value) in values.chunks_exact_mut(3).enumerate() {
                let v = DVec3::new(value[0].into(), value[1].into(), value[2].into());
                let is_tangent = is_cubic && k % 3 != 1;
                let made = if is_tangent { map(v)? - zero } else { map(v)? };
                value.copy_from_slice(&made.as_vec3().to_array());
            }
        }
        Ok(Some(Track { target: self.node, values: values.into(), ..by.track.clone() }))
    }

    /// Returns the product of the factors before one factor and the product of those after it, at a
    /// time.
    fn beside(&self, factor: usize, time: f64) -> Result<(Moving, Moving), Unfollowed> {
        let mut sides = (Moving::IDENTITY, Moving::IDENTITY);
        for (k, f) in self.curve.chain.factors.iter().enumerate().filter(|(k, _)| *k != factor) {
            let own = match (f, &self.curve.curves[k]) {
                (Factor::Constant(own), _) => *own,
                (_, Some(curve)) => curve.at(time, TimeSide::After),
                (_, None) => Moving::IDENTITY,
            };
            let is_inverse = matches!(f, Factor::Inverse(_));
            let own = if is_inverse { own.inverse().ok_or_else(|| self.flat())? } else { own };
            let side = if k < factor { &mut sides.0 } else { &mut sides.1 };
            *side = side.then(&own);
        }
        Ok(sides)
    }

    /// Creates a STEP track with keys at the key times of some tracks, all of which are STEP.
    fn stepped(&self, property: Property, movers: &[Mover<'_>]) -> Result<Track, Unfollowed> {
        let mut times: Vec<f32> =
            movers.iter().flat_map(|m| m.track.times.iter().copied()).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let mut values = Vec::new();
        for time in &times {
            let made = self.at(f64::from(*time), TimeSide::After)?.transform();
            values.extend(numbers(property, &made));
        }
        Ok(Track {
            interpolation: Interpolation::Step,
            times: times.into(),
            values: values.into(),
            ..held(self.node, property, 0.0, &Transform::IDENTITY)
        })
    }

    /// Creates keys at the key times of some tracks. Their tangents are the rates of the product.
    fn baked(&self, property: Property, movers: &[Mover<'_>]) -> Result<Track, Unfollowed> {
        let times = times_of(movers.iter().map(|m| m.track));
        let at = |time: f64, side: TimeSide| self.at(time, side).ok();
        baked((self.node, property), &times, &at, &self.bounds).ok_or_else(|| self.flat())
    }
}

fn numbers(property: Property, of: &Transform) -> Vec<f32> {
    match property {
        Property::Translation => of.translation.to_array().to_vec(),
        Property::Rotation => of.rotation.to_array().to_vec(),
        Property::Scale | Property::Weights => of.scale.to_array().to_vec(),
    }
}

/// Creates a track with one key.
fn held(target: NodeId, property: Property, time: f32, of: &Transform) -> Track {
    let values = numbers(property, of);
    Track {
        target,
        property,
        interpolation: Interpolation::Linear,
        times: vec![time].into(),
        width: values.len(),
        values: values.into(),
        kinds: Default::default(),
        modes: Default::default(),
    }
}

/// Whether a property of two transforms is equal up to rounding.
fn is_same(property: Property, a: &Transform, b: &Transform) -> bool {
    const NEAR: f32 = 1e-6;
    match property {
        Property::Translation => {
            let most = a.translation.abs().max_element().max(b.translation.abs().max_element());
            a.translation.distance(b.translation) <= NEAR * most
        }
        Property::Rotation => angle_between(a.rotation, b.rotation) <= NEAR,
        Property::Scale | Property::Weights => {
            (a.scale - b.scale).abs().max_element() <= NEAR * a.scale.abs().max_element()
        }
    }
}
