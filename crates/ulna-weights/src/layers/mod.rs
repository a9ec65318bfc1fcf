//! Combination of weight layers with their base weights. The inverse computes layer content for
//! wanted weights.
//!
//! A vertex starts with its base weights. Each displayed layer, bottom to top, blends toward its
//! own weights by `mask × opacity`. Finally, the weights are normalized in the stored type.
//! Vertices without layer content keep their exact bits.

mod content;
mod dense;
mod mirrored;
mod painting;
mod stack;

use std::collections::BTreeMap;

use self::{
    content::Entry,
    mirrored::{Mirror, MirroredVertex, Parts, seen},
    stack::{Shown, Stack, plain, scaled},
};
pub use self::{
    mirrored::{NoSides, Sides},
    painting::{LayerPaint, LayerTarget, NotPaintable, Painted, masks},
};
use super::{
    Influences, MOST, PartChange,
    ids::{to_index, to_number},
    normalize::normalize,
};
use ulna_model::{
    Document, LayerId, LayerPart, MeshId, PrimitiveId, PrimitiveKey, Shared, SkinId,
    WeightEncoding, WeightLayer, WeightLayers, WeightMap, WeightPatch,
};

/// Returns the `k`-th vertex of a part.
fn entry_of(part: &LayerPart, k: usize) -> Entry<'_> {
    let (joints, weights) = part.slots(k);
    Entry { mask: part.mask[k], joints, weights }
}

/// Returns the changes that make a document's weights equal to the combination of these layers.
///
/// # Errors
/// A layer is mirrored, and the sides cannot be determined.
pub fn compose(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
) -> Result<Vec<(MeshId, PrimitiveId, PartChange)>, NoSides> {
    let mirror = Mirror::of(document, skin, layers)?;
    let shown = Shown::of(layers, 0..layers.layers.len(), mirror.as_ref());
    let unlocked = vec![false; document.skin(skin).joints.len()];
    let mut changes = Vec::new();
    for (key, base) in &layers.bases {
        let (mesh, primitive) = *key;
        let Some(now) = document.mesh(mesh).primitives[primitive.index()].weights.as_deref() else {
            continue;
        };
        let over = shown.stack(base, *key, &unlocked).touched();
        if let Some(change) = difference(now, base, over) {
            changes.push((mesh, primitive, change));
        }
    }
    Ok(changes)
}

/// Number of vertices per comparison.
const RUN: usize = 256;

/// Returns the change from the map `now` to the map `base` with the patch `over` applied. The
/// vertices of `over` must be in ascending order.
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
    // Most vertices are unchanged, so blocks of vertices are compared at once.
    let count = base.vertex_count();
    let same_run = |run: std::ops::Range<usize>| {
        let slots = run.start * stride..run.end * stride;
        let (a, b): (&[u32], &[u32]) = (
            bytemuck::cast_slice(&now_weights[slots.clone()]),
            bytemuck::cast_slice(&base_weights[slots.clone()]),
        );
        now_joints[slots.clone()] == base_joints[slots] && a == b
    };
    let (mut k, mut next) = (0, 0);
    while next < count {
        let v = next;
        let end = (v + RUN).min(count);
        let clear = over.vertices.get(k).is_none_or(|first| to_index(*first) >= end);
        if numbers && v.is_multiple_of(RUN) && clear && same_run(v..end) {
            next = end;
            continue;
        }
        next += 1;
        let own = v * stride..(v + 1) * stride;
        let vertex = to_number(v);
        let is_over = over.vertices.get(k) == Some(&vertex);
        let (joints, weights) = if is_over {
            let there = k * stride..(k + 1) * stride;
            k += 1;
            (&over.joints[there.clone()], &over.weights[there])
        } else {
            (&base_joints[own.clone()], &base_weights[own.clone()])
        };
        let odd = !numbers && !is_over && base.not_numbers.binary_search(&vertex).is_ok();
        let was_odd = !numbers && now.not_numbers.binary_search(&vertex).is_ok();
        // The comparison is bitwise, so that −0 is restored, too.
        let same = now_joints[own.clone()] == *joints
            && now_weights[own].iter().zip(weights).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same || odd != was_odd {
            patch.vertices.push(vertex);
            patch.joints.extend_from_slice(joints);
            patch.weights.extend_from_slice(weights);
            if odd {
                patch.not_numbers.push(vertex);
            }
        }
    }
    match patch.vertices.len() {
        0 => None,
        many if many * 3 < base.vertex_count() => Some(PartChange::Patch(patch)),
        _ => Some(whole(&mut over)),
    }
}

/// Changes one layer so that the combination of all layers has the wanted influences. Returns the
/// new layers.
///
/// The result is not always exact: a layer at half opacity moves a vertex only half the way, and
/// layers above can hide it. Changed vertices get a mask of 1. Changes on the target side of a
/// mirrored layer are mirrored to the source side. Influences without a positive weight are left
/// out.
///
/// Returns `None` if the layer does not exist.
///
/// # Errors
/// A layer is mirrored, and the sides cannot be determined.
pub fn painted(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
    layer: LayerId,
    changes: &[(MeshId, PrimitiveId, WeightPatch)],
) -> Result<Option<WeightLayers>, NoSides> {
    let Some(at) = layers.position(layer) else { return Ok(None) };
    let target = &layers.layers[at];
    let mirror = Mirror::of(document, skin, layers)?;
    let (below, above) = (
        Shown::of(layers, 0..at, mirror.as_ref()),
        Shown::of(layers, at + 1..layers.layers.len(), mirror.as_ref()),
    );
    let joints = document.skin(skin).joints.len();
    let unlocked = vec![false; joints];
    let mut given: BTreeMap<PrimitiveKey, LayerPart> = BTreeMap::new();
    // Changes from the target side. Direct changes of the source side override them.
    let mut mirrored: BTreeMap<PrimitiveKey, BTreeMap<u32, Influences>> = BTreeMap::new();
    for (mesh, primitive, patch) in changes {
        let key = (*mesh, *primitive);
        let Some(base) = layers.bases.get(&key).filter(|b| patch.fits(b)) else { continue };
        let solve = Solve {
            below: below.stack(base, key, &unlocked),
            above: above.stack(base, key, &unlocked),
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
            let Some((list, exact)) = solve.vertex(*v, &entry_of(&wishes, k).list(), part.stride())
            else {
                continue;
            };
            if let (Some((m, first)), Some(from)) = (first, target.mirror)
                && let MirroredVertex::Takes(place) = m.sides.part(&m.canvas, first + v, from)
            {
                let turned = m.sides.turned(&list);
                for partner in m.canvas.vertices_at(place) {
                    let (part, own) = m.canvas.part_of(*partner);
                    let part = m.canvas.parts()[part];
                    mirrored
                        .entry((part.mesh, part.primitive))
                        .or_default()
                        .insert(own, turned.clone());
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

/// Returns the layers with parts added to the layer at an index.
pub fn with_part(
    layers: &WeightLayers,
    at: usize,
    parts: BTreeMap<PrimitiveKey, LayerPart>,
) -> WeightLayers {
    let mut layers = layers.clone();
    let layer = Shared::make_mut(&mut layers.layers[at]);
    for (key, part) in parts.into_iter().filter(|(_, p)| !p.vertices.is_empty()) {
        let all = layer.parts.get(&key).map_or_else(|| part.clone(), |old| old.with(&part));
        layer.parts.insert(key, Shared::new(all));
    }
    layers
}

/// The layers below and above one layer, for computing the content of this layer.
struct Solve<'a> {
    below: Stack<'a>,
    above: Stack<'a>,
    opacity: f32,
}

impl Solve<'_> {
    /// Computes the content of the layer for a wanted result. Also returns whether this content
    /// equals the wanted influences. Returns `None` if it would be empty.
    ///
    /// The combination is `P + k·W`. `W` is the content of the layer, `P` the combination without
    /// it, and `k` the fraction of it that is visible. Therefore `W = (wish − P) / k`, with
    /// negative weights replaced by 0.
    fn vertex(&self, vertex: u32, wish: &Influences, limit: usize) -> Option<(Influences, bool)> {
        let seen = |stack: &Stack<'_>, list: &mut Influences, k: &mut f32| {
            for (opacity, content) in &stack.layers {
                let Some(entry) = content.at(vertex) else { continue };
                let amount = (opacity * entry.mask).clamp(0.0, 1.0);
                *list = scaled(list, 1.0 - amount);
                list.add_all(&entry.list(), amount);
                *k *= 1.0 - amount;
            }
        };
        let mut others = Influences::default();
        self.below.ground(vertex, &mut others);
        seen(&self.below, &mut others, &mut 1.0);
        others = scaled(&others, 1.0 - self.opacity);
        let mut k = self.opacity;
        seen(&self.above, &mut others, &mut k);
        // A barely visible layer would need weights above 1, so it gets the wanted influences
        // themselves.
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

/// Merges one layer into the layer below it, or into the base. The combination stays the same
/// within rounding. Returns `None` if the layer does not exist. Also returns `None` if it is the
/// only layer, and is merged into the base.
///
/// # Errors
/// A layer is mirrored, and the sides cannot be determined.
pub fn merged_down(
    document: &Document,
    skin: SkinId,
    layers: &WeightLayers,
    layer: LayerId,
) -> Result<Option<WeightLayers>, NoSides> {
    let Some(at) = layers.position(layer) else { return Ok(None) };
    let mirror = Mirror::of(document, skin, layers)?;
    let mut merged = layers.clone();
    if at == 0 {
        let over = Shown::of(layers, 0..1, mirror.as_ref());
        let unlocked = vec![false; document.skin(skin).joints.len()];
        for (key, base) in &mut merged.bases {
            let mut patch = over.stack(&layers.bases[key], *key, &unlocked).touched();
            if !patch.vertices.is_empty() {
                Shared::make_mut(base).swap(&mut patch);
            }
        }
        merged.layers.remove(0);
        return Ok((!merged.layers.is_empty()).then_some(merged));
    }
    let (low, high) = (&layers.layers[at - 1], &layers.layers[at]);
    let (low_parts, high_parts) = (seen(low, mirror.as_deref()), seen(high, mirror.as_deref()));
    let none = Shared::new(LayerPart { sets: 1, ..LayerPart::default() });
    let mut parts = BTreeMap::new();
    for key in layers.bases.keys() {
        let part = |parts: &Parts| parts.get(key).unwrap_or(&none).clone();
        let part =
            over_one_another((low.opacity, &part(&low_parts)), (high.opacity, &part(&high_parts)));
        if !part.vertices.is_empty() {
            parts.insert(*key, Shared::new(part));
        }
    }
    let one = WeightLayer { opacity: 1.0, mirror: None, parts, ..(**low).clone() };
    merged.layers[at - 1] = Shared::new(one);
    merged.layers.remove(at);
    Ok(Some(merged))
}

/// Splits the content of a layer in two. The upper part has only the given joints, the lower part
/// all others. At the same opacity, both combine to the original. Returns `None` if the layer has
/// none of these joints.
///
/// With mask `m`, opacity `o` and the fraction `s` of the weight on the joints, the upper mask is
/// `m·s`. The lower mask is `m(1 − s) / (1 − o·m·s)`, because the upper part covers some of it.
pub fn split(layer: &WeightLayer, joints: &[u16]) -> Option<(Parts, Parts)> {
    let (mut rest, mut taken) = (BTreeMap::new(), BTreeMap::new());
    for (key, part) in &layer.parts {
        let empty = || LayerPart { sets: part.sets, ..LayerPart::default() };
        let (mut low, mut high) = (empty(), empty());
        let (mut js, mut ws) = (vec![0; part.stride()], vec![0.0; part.stride()]);
        for (k, v) in part.vertices.iter().enumerate() {
            let list = entry_of(part, k).list();
            let all: f32 = list.iter().map(|(_, w)| w).sum();
            let own: f32 = list.iter().filter(|(j, _)| joints.contains(j)).map(|(_, w)| w).sum();
            let share = if all > 0.0 { (own / all).clamp(0.0, 1.0) } else { 0.0 };
            let mut put = |to: &mut LayerPart, mask: f32, of_joints: bool| {
                let mut some = Influences::default();
                let sum = if of_joints { own } else { all - own };
                list.iter()
                    .filter(|(j, _)| joints.contains(j) == of_joints)
                    .for_each(|(j, w)| some.add(j, w / sum));
                some.write(&mut js, &mut ws);
                to.push(*v, mask.clamp(0.0, 1.0), &js, &ws);
            };
            let mask = part.mask[k];
            if share <= 0.0 {
                let (joints, weights) = part.slots(k);
                low.push(*v, mask, joints, weights);
            } else if share >= 1.0 {
                let (joints, weights) = part.slots(k);
                high.push(*v, mask, joints, weights);
            } else {
                let seen = 1.0 - layer.opacity * mask * share;
                put(&mut low, if seen > 0.0 { mask * (1.0 - share) / seen } else { mask }, false);
                put(&mut high, mask * share, true);
            }
        }
        for (to, part) in [(&mut rest, low), (&mut taken, high)] {
            if !part.vertices.is_empty() {
                to.insert(*key, Shared::new(part));
            }
        }
    }
    (!taken.is_empty()).then_some((rest, taken))
}

/// Combines two layer parts into one, with their opacities included in the mask.
///
/// `aₗ` and `aₕ` are the masks times opacities of the lower and the upper part, and `Wₗ` and `Wₕ`
/// their weights. The combined mask is `a = 1 − (1 − aₗ)(1 − aₕ)`. The combined weights are `W =
/// (aₗ(1 − aₕ)Wₗ + aₕWₕ) / a`.
fn over_one_another(
    (low_opacity, low): (f32, &LayerPart),
    (high_opacity, high): (f32, &LayerPart),
) -> LayerPart {
    let mut vertices: Vec<u32> = low.vertices.iter().chain(&high.vertices).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut part = LayerPart { sets: (low.sets + high.sets).min(MOST / 4), ..LayerPart::default() };
    let (mut joints, mut weights) = (vec![0; part.stride()], vec![0.0; part.stride()]);
    for v in vertices {
        let (l, h) = (low.find(v), high.find(v));
        let amount = |opacity: f32, part: &LayerPart, k: Option<usize>| {
            k.map_or(0.0, |k| opacity * part.mask[k])
        };
        let (a, b) = (amount(low_opacity, low, l), amount(high_opacity, high, h));
        let below = a * (1.0 - b);
        match (l, h) {
            (_, Some(h)) if b > 0.0 && below <= 0.0 => {
                part.push(v, b, high.slots(h).0, high.slots(h).1)
            }
            (Some(l), _) if b <= 0.0 && a > 0.0 => part.push(v, a, low.slots(l).0, low.slots(l).1),
            (Some(l), Some(h)) if below > 0.0 => {
                let all = below + b;
                let mut list = scaled(&entry_of(low, l).list(), below / all);
                list.add_all(&entry_of(high, h).list(), b / all);
                list.write(&mut joints, &mut weights);
                part.push(v, (1.0 - (1.0 - a) * (1.0 - b)).clamp(0.0, 1.0), &joints, &weights);
            }
            _ => {}
        }
    }
    part
}
