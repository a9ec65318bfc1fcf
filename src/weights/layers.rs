//! What base and layers come to, and what a layer has to hold for it to come to what was painted.
//!
//! A vertex begins as the base has it. Each layer that shows, the lowest first, moves it towards what it wants there by
//! `mask × opacity`; in the end the rule makes a sum of 1 of it, in the stored type. What no layer touches keeps its bits.

mod mirrored;

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use self::mirrored::{Mirror, Part, Parts, seen};
pub use self::mirrored::{NoSides, Sides};
use super::{Influences, MOST, PartChange, Rule, fault, share::normalize};
use crate::model::{
    Document, LayerId, LayerPart, MeshId, MirrorFrom, PrimitiveKey, SkinId, WeightEncoding, WeightLayer, WeightLayers,
    WeightMap, WeightPatch,
};

/// What a layer wants of its `k`-th vertex.
#[inline]
fn list_of(part: &LayerPart, k: usize) -> Influences {
    let mut list = Influences::default();
    let (joints, weights) = part.slots(k);
    joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).for_each(|(j, w)| list.add(*j, *w));
    list
}

/// The rule with nothing locked.
fn plain(unlocked: &[bool], limit: usize, encoding: WeightEncoding) -> Rule<'_> {
    Rule { locked: unlocked, parents: &[], limit, encoding, pairs: &[], turned: false }
}

/// Layers over a base, at one primitive.
struct Stack<'a> {
    base: &'a WeightMap,
    /// Opacity, and what the layer shows, the lowest first; hidden ones are not in it.
    layers: Vec<(f32, &'a LayerPart)>,
    unlocked: &'a [bool],
    /// Where a layer is mirrored: the number of the first vertex in the canvas, and the side that gives.
    mirror: Option<(&'a Mirror, u32, MirrorFrom)>,
}

impl Stack<'_> {
    fn rule(&self) -> Rule<'_> {
        plain(self.unlocked, self.base.stride(), self.base.encoding)
    }

    /// What the base has, summing to 1 where it sums to anything.
    fn ground(&self, vertex: u32) -> Influences {
        let mut list = Influences::default();
        let known =
            self.base.vertex(vertex as usize).filter(|(j, w)| *w > 0.0 && usize::from(*j) < self.unlocked.len());
        known.for_each(|(j, w)| list.add(j, w));
        let sum: f32 = list.iter().map(|(_, w)| w).sum();
        if sum > 0.0 && (sum - 1.0).abs() > 1e-6 { scaled(&list, 1.0 / sum) } else { list }
    }

    /// The slots of a vertex; nothing where no layer touches it.
    fn vertex(&self, vertex: u32, joints: &mut [u16], weights: &mut [f32]) -> bool {
        let mut list: Option<Influences> = None;
        let mut whole = None;
        for (opacity, part) in &self.layers {
            let Some(k) = part.find(vertex) else { continue };
            let amount = opacity * part.mask[k];
            if amount <= 0.0 {
                continue;
            }
            let wanted = list_of(part, k);
            if amount >= 1.0 {
                (list, whole) = (Some(wanted), Some((part, k)));
            } else {
                let mut mixed = scaled(&list.unwrap_or_else(|| self.ground(vertex)), 1.0 - amount);
                mixed.add_all(&wanted, amount);
                (list, whole) = (Some(mixed), None);
            }
        }
        let Some(list) = list else { return false };
        // What covers all of it and breaks no rule is there as it is, to the bit.
        if let Some((part, k)) = whole
            && self.is_settled(part, k)
        {
            let (js, ws) = part.slots(k);
            let fill = joints.iter_mut().zip(weights.iter_mut()).enumerate();
            fill.for_each(|(s, (j, w))| (*j, *w) = js.get(s).copied().zip(ws.get(s).copied()).unwrap_or_default());
            return true;
        }
        let mut known = Influences::default();
        list.iter().filter(|(j, _)| usize::from(*j) < self.unlocked.len()).for_each(|(j, w)| known.add(j, w));
        // What takes is settled as if it gave, so that ties and rounding are mirrored too.
        let sides = self
            .mirror
            .filter(|(m, first, from)| matches!(m.sides.part(&m.canvas, first + vertex, *from), Part::Takes(_)));
        let turned = |list: Influences| sides.map_or(list.clone(), |(m, ..)| m.sides.turned(&list));
        let mut known = turned(known);
        // A layer wants something wherever it is, so this is refused only where its joints are not there any more.
        if normalize(&mut known, &self.rule()).is_err() {
            return false;
        }
        turned(known).write(joints, weights);
        true
    }

    /// Whether the rule would leave a layer's slots as they are.
    fn is_settled(&self, part: &LayerPart, k: usize) -> bool {
        let (joints, weights) = part.slots(k);
        let encoding = self.base.encoding;
        let stored = |w: f32| encoding.one().is_none() || encoding.decode(encoding.encode(w)).to_bits() == w.to_bits();
        let slots = WeightMap {
            sets: part.sets,
            joints: joints.into(),
            weights: weights.into(),
            encoding,
            ..WeightMap::default()
        };
        weights.is_sorted_by(|a, b| a >= b)
            && joints
                .iter()
                .zip(weights)
                .all(|(j, w)| if *w > 0.0 { usize::from(*j) < self.unlocked.len() } else { *j == 0 })
            && weights.iter().all(|w| stored(*w))
            && fault(&slots, 0, self.base.stride()).is_none()
    }

    /// All vertices that a layer touches.
    fn touched(&self) -> WeightPatch {
        let mut vertices: Vec<u32> = self.layers.iter().flat_map(|(_, p)| p.vertices.iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let stride = self.base.stride();
        let mut joints = vec![0u16; vertices.len() * stride];
        let mut weights = vec![0.0f32; vertices.len() * stride];
        let slots = joints.par_chunks_exact_mut(stride).zip(weights.par_chunks_exact_mut(stride));
        let kept: Vec<bool> = slots
            .zip(&vertices)
            .with_min_len(1024)
            .map(|((joints, weights), v)| self.vertex(*v, joints, weights))
            .collect();
        let mut patch = WeightPatch::new(self.base.sets, vertices.len());
        for (k, v) in vertices.iter().enumerate().filter(|(k, _)| kept[*k]) {
            patch.vertices.push(*v);
            patch.joints.extend_from_slice(&joints[k * stride..(k + 1) * stride]);
            patch.weights.extend_from_slice(&weights[k * stride..(k + 1) * stride]);
        }
        patch
    }
}

fn scaled(list: &Influences, factor: f32) -> Influences {
    let mut scaled = Influences::default();
    scaled.add_all(list, factor);
    scaled
}

/// The layers that count.
struct Shown<'a> {
    /// Opacity and content, the lowest first.
    layers: Vec<(f32, Parts<'a>)>,
    mirror: Option<(&'a Mirror, MirrorFrom)>,
}

fn shown<'a>(layers: &'a [Arc<WeightLayer>], mirror: Option<&'a Mirror>) -> Shown<'a> {
    let counts = || layers.iter().filter(|l| l.shown && l.opacity > 0.0);
    Shown {
        layers: counts().map(|l| (l.opacity, seen(l, mirror))).collect(),
        mirror: mirror.and_then(|m| Some((m, counts().find_map(|l| l.mirror)?))),
    }
}

fn stack<'a>(base: &'a WeightMap, shown: &'a Shown<'_>, key: PrimitiveKey, unlocked: &'a [bool]) -> Stack<'a> {
    let layers = shown.layers.iter().filter_map(|(o, parts)| Some((*o, &**parts.get(&key)?))).collect();
    let mirror = shown.mirror.and_then(|(m, from)| Some((m, m.canvas.vertex_of(key.0, key.1, 0)?, from)));
    Stack { base, layers, unlocked, mirror }
}

/// What has to change in a document's weights for them to be what these layers of a skin come to.
///
/// # Errors
/// Where a layer is mirrored and the sides are not known.
pub fn compose(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
) -> Result<Vec<(MeshId, usize, PartChange)>, NoSides> {
    let mirror = Mirror::of(document, skin, &layers.layers)?;
    let shown = shown(&layers.layers, mirror.as_ref());
    let unlocked = vec![false; document.skin(skin).joints.len()];
    let mut changes = Vec::new();
    for (key, base) in &layers.bases {
        let (mesh, primitive) = *key;
        let Some(now) = document.mesh(mesh).primitives[primitive].weights.as_deref() else { continue };
        let over = stack(base, &shown, *key, &unlocked).touched();
        if let Some(change) = difference(now, base, over) {
            changes.push((mesh, primitive, change));
        }
    }
    Ok(changes)
}

/// What turns `now` into `base` with a patch over it, whose vertices rise.
fn difference(now: &WeightMap, base: &WeightMap, mut over: WeightPatch) -> Option<PartChange> {
    let whole = |over: &mut WeightPatch| {
        let mut map = base.clone();
        if !over.vertices.is_empty() {
            map.swap(over);
        }
        PartChange::Whole(map)
    };
    if now.sets != base.sets || now.encoding != base.encoding {
        return Some(whole(&mut over));
    }
    let stride = base.stride();
    let (now_joints, now_weights): (&[u16], &[f32]) = (&now.joints, &now.weights);
    let (base_joints, base_weights): (&[u16], &[f32]) = (&base.joints, &base.weights);
    let numbers = now.not_numbers.is_empty() && base.not_numbers.is_empty();
    let mut patch = WeightPatch::new(base.sets, over.vertices.len());
    let mut k = 0;
    for v in 0..base.vertex_count() {
        let own = v * stride..(v + 1) * stride;
        let is_over = over.vertices.get(k) == Some(&(v as u32));
        let (joints, weights) = if is_over {
            let there = k * stride..(k + 1) * stride;
            k += 1;
            (&over.joints[there.clone()], &over.weights[there])
        } else {
            (&base_joints[own.clone()], &base_weights[own.clone()])
        };
        let odd = !numbers && !is_over && base.not_numbers.binary_search(&(v as u32)).is_ok();
        let was_odd = !numbers && now.not_numbers.binary_search(&(v as u32)).is_ok();
        // By the bits: −0 is brought back, too.
        let same = now_joints[own.clone()] == *joints
            && now_weights[own].iter().zip(weights).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same || odd != was_odd {
            patch.vertices.push(v as u32);
            patch.joints.extend_from_slice(joints);
            patch.weights.extend_from_slice(weights);
            if odd {
                patch.not_numbers.push(v as u32);
            }
        }
    }
    match patch.vertices.len() {
        0 => None,
        many if many * 3 < base.vertex_count() => Some(PartChange::Patch(patch)),
        _ => Some(whole(&mut over)),
    }
}

/// The layers with one of them holding what it takes for all of them to come to these influences, as far as that can be:
/// a layer at half its strength moves a vertex only half the way, and what lies over it may hide it. The vertices get a
/// mask of 1. What was painted on the side that takes is put, mirrored, where it comes from.
///
/// Influences without a positive weight are left out. Nothing where the layer is not there.
///
/// # Errors
/// Where a layer is mirrored and the sides are not known.
pub fn painted(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
    layer: LayerId,
    changes: &[(MeshId, usize, WeightPatch)],
) -> Result<Option<WeightLayers>, NoSides> {
    let Some(at) = layers.position(layer) else { return Ok(None) };
    let target = &layers.layers[at];
    let mirror = Mirror::of(document, skin, &layers.layers)?;
    let (below, above) =
        (shown(&layers.layers[..at], mirror.as_ref()), shown(&layers.layers[at + 1..], mirror.as_ref()));
    let joints = document.skin(skin).joints.len();
    let unlocked = vec![false; joints];
    let mut given: BTreeMap<PrimitiveKey, LayerPart> = BTreeMap::new();
    // What came from the side that takes: it gives way to what was painted on the other.
    let mut mirrored: BTreeMap<PrimitiveKey, BTreeMap<u32, Influences>> = BTreeMap::new();
    for (mesh, primitive, patch) in changes {
        let key = (*mesh, *primitive);
        let Some(base) = layers.bases.get(&key).filter(|b| patch.fits(b)) else { continue };
        let solve = Solve {
            below: stack(base, &below, key, &unlocked),
            above: stack(base, &above, key, &unlocked),
            opacity: target.opacity,
        };
        let first = mirror
            .as_ref()
            .filter(|_| target.mirror.is_some())
            .and_then(|m| m.canvas.vertex_of(*mesh, *primitive, 0).map(|first| (m, first)));
        let wishes = LayerPart::new(patch, 1.0);
        let mut part = LayerPart { sets: patch.sets, ..LayerPart::default() };
        let (mut js, mut ws) = (vec![0u16; part.stride()], vec![0.0f32; part.stride()]);
        for (k, v) in wishes.vertices.iter().enumerate() {
            let (wish_j, wish_w) = wishes.slots(k);
            let Some((list, exact)) = solve.vertex(*v, &list_of(&wishes, k), part.stride()) else { continue };
            if let (Some((m, first)), Some(from)) = (first, target.mirror)
                && let Part::Takes(place) = m.sides.part(&m.canvas, first + v, from)
            {
                let turned = m.sides.turned(&list);
                for partner in m.canvas.vertices_at(place) {
                    let (part, own) = m.canvas.part_of(*partner);
                    let part = m.canvas.parts()[part];
                    mirrored.entry((part.mesh, part.primitive)).or_default().insert(own, turned.clone());
                }
                continue;
            }
            if exact {
                let plain = wish_w.iter().all(|w| *w >= 0.0);
                if plain {
                    part.push(*v, 1.0, wish_j, wish_w);
                    continue;
                }
            }
            list.write(&mut js, &mut ws);
            part.push(*v, 1.0, &js, &ws);
        }
        let before = given.remove(&key).unwrap_or_default();
        given.insert(key, before.with(&part));
    }
    for (key, list) in mirrored {
        let Some(base) = layers.bases.get(&key) else { continue };
        let mut part = LayerPart { sets: base.sets, ..LayerPart::default() };
        let (mut js, mut ws) = (vec![0u16; part.stride()], vec![0.0f32; part.stride()]);
        for (v, mut list) in list {
            let rule = plain(&unlocked, part.stride(), WeightEncoding::Float);
            if normalize(&mut list, &rule).is_ok() {
                list.write(&mut js, &mut ws);
                part.push(v, 1.0, &js, &ws);
            }
        }
        let direct = given.remove(&key).unwrap_or_default();
        given.insert(key, part.with(&direct));
    }
    Ok(Some(with_part(layers, at, given)))
}

/// The layers with parts put into the one at a place.
pub fn with_part(layers: &WeightLayers, at: usize, parts: BTreeMap<PrimitiveKey, LayerPart>) -> WeightLayers {
    let mut layers = layers.clone();
    let layer = Arc::make_mut(&mut layers.layers[at]);
    for (key, part) in parts.into_iter().filter(|(_, p)| !p.vertices.is_empty()) {
        let all = layer.parts.get(&key).map_or_else(|| part.clone(), |old| old.with(&part));
        layer.parts.insert(key, Arc::new(all));
    }
    layers
}

/// What layers below and above make of a vertex, so that what one between them must hold can be found.
struct Solve<'a> {
    below: Stack<'a>,
    above: Stack<'a>,
    opacity: f32,
}

impl Solve<'_> {
    /// What the layer must hold for all to come to `wish`, and whether that is the wish itself. Nothing for a wish of
    /// nothing.
    ///
    /// All comes to `P + k·W`: `W` is the layer's, `P` what the others come to without it, `k` how much of it is seen. So
    /// `W = (wish − P) / k`, and what would be below 0 is 0.
    fn vertex(&self, vertex: u32, wish: &Influences, limit: usize) -> Option<(Influences, bool)> {
        let seen = |stack: &Stack<'_>, list: &mut Influences, k: &mut f32| {
            for (opacity, part) in &stack.layers {
                let Some(i) = part.find(vertex) else { continue };
                let amount = (opacity * part.mask[i]).clamp(0.0, 1.0);
                *list = scaled(list, 1.0 - amount);
                list.add_all(&list_of(part, i), amount);
                *k *= 1.0 - amount;
            }
        };
        let mut others = self.below.ground(vertex);
        seen(&self.below, &mut others, &mut 1.0);
        others = scaled(&others, 1.0 - self.opacity);
        let mut k = self.opacity;
        seen(&self.above, &mut others, &mut k);
        // Hardly seen: no use to ask for more than everything.
        let exact = !(1e-3..1.0 - 1e-6).contains(&k);
        let mut list = Influences::default();
        if exact {
            list = wish.clone();
        } else {
            let mut off = wish.clone();
            off.add_all(&others, -1.0);
            off.iter().filter(|(_, w)| *w > 1e-7).for_each(|(j, w)| list.add(j, w / k));
        }
        let rule = plain(self.below.unlocked, limit, WeightEncoding::Float);
        normalize(&mut list, &rule).ok().map(|()| (list, exact))
    }
}

/// The layers with one merged into the one below it, or into the base: all of it comes to the same, but for rounding.
/// Nothing where the layer is not there, or is the last one and nothing is left.
///
/// # Errors
/// Where a layer is mirrored and the sides are not known.
pub fn merged_down(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
    layer: LayerId,
) -> Result<Option<WeightLayers>, NoSides> {
    let Some(at) = layers.position(layer) else { return Ok(None) };
    let mirror = Mirror::of(document, skin, &layers.layers)?;
    let mut merged = layers.clone();
    if at == 0 {
        let over = shown(&layers.layers[..1], mirror.as_ref());
        let unlocked = vec![false; document.skin(skin).joints.len()];
        for (key, base) in &mut merged.bases {
            let mut patch = stack(&layers.bases[key], &over, *key, &unlocked).touched();
            if !patch.vertices.is_empty() {
                Arc::make_mut(base).swap(&mut patch);
            }
        }
        merged.layers.remove(0);
        return Ok((!merged.layers.is_empty()).then_some(merged));
    }
    let (low, high) = (&layers.layers[at - 1], &layers.layers[at]);
    let (low_parts, high_parts) = (seen(low, mirror.as_ref()), seen(high, mirror.as_ref()));
    let none = LayerPart { sets: 1, ..LayerPart::default() };
    let mut parts = BTreeMap::new();
    for key in layers.bases.keys() {
        let part = |parts: &Parts<'_>| parts.get(key).map_or_else(|| none.clone(), |p| p.clone().into_owned());
        let part = over_one_another((low.opacity, &part(&low_parts)), (high.opacity, &part(&high_parts)));
        if !part.vertices.is_empty() {
            parts.insert(*key, Arc::new(part));
        }
    }
    let one = WeightLayer { opacity: 1.0, mirror: None, parts, ..(**low).clone() };
    merged.layers[at - 1] = Arc::new(one);
    merged.layers.remove(at);
    Ok(Some(merged))
}

/// Two parts as one, whose mask has their opacities in it: `a = 1 − (1 − aₗ)(1 − aₕ)`, `W = (aₗ(1 − aₕ)Wₗ + aₕWₕ) / a`.
fn over_one_another((low_opacity, low): (f32, &LayerPart), (high_opacity, high): (f32, &LayerPart)) -> LayerPart {
    let mut vertices: Vec<u32> = low.vertices.iter().chain(&high.vertices).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut part = LayerPart { sets: (low.sets + high.sets).min(MOST / 4), ..LayerPart::default() };
    let (mut joints, mut weights) = (vec![0; part.stride()], vec![0.0; part.stride()]);
    for v in vertices {
        let (l, h) = (low.find(v), high.find(v));
        let amount = |opacity: f32, part: &LayerPart, k: Option<usize>| k.map_or(0.0, |k| opacity * part.mask[k]);
        let (a, b) = (amount(low_opacity, low, l), amount(high_opacity, high, h));
        let below = a * (1.0 - b);
        match (l, h) {
            (_, Some(h)) if b > 0.0 && below <= 0.0 => part.push(v, b, high.slots(h).0, high.slots(h).1),
            (Some(l), _) if b <= 0.0 && a > 0.0 => part.push(v, a, low.slots(l).0, low.slots(l).1),
            (Some(l), Some(h)) if below > 0.0 => {
                let all = below + b;
                let mut list = scaled(&list_of(low, l), below / all);
                list.add_all(&list_of(high, h), b / all);
                list.write(&mut joints, &mut weights);
                part.push(v, (1.0 - (1.0 - a) * (1.0 - b)).clamp(0.0, 1.0), &joints, &weights);
            }
            _ => {}
        }
    }
    part
}
