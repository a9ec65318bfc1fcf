//! Conversion of FBX takes to clips with keys.

use serde_json::json;
use ufbx::{AnimCurve, AnimStack, Node};

use super::{
    Builder,
    channels::{Curves, kinds, times},
    math::{quat, vec3},
    segments::{Curve, Keyed},
};
use crate::{
    gltf::{Progress, ReadError},
    import::{FoundClip, KeysOut},
};
use ulna_model::{Interpolation, Property};

/// Maximum error of a rotation: 0.04° in radians.
const TURN: f64 = 7e-4;
/// Maximum error of a scale factor or morph weight.
const SHARE: f64 = 1e-5;

/// Properties of an FBX node that determine its translation, rotation and scale.
const TRANSLATION: [&str; 5] =
    ["Lcl Translation", "RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot"];
const ROTATION: [&str; 3] = ["Lcl Rotation", "PreRotation", "PostRotation"];
const SCALE: [&str; 1] = ["Lcl Scaling"];

/// Flags for the FBX library. `ONLY` restricts the evaluation of a transform to the components of
/// `INCLUDES`.
const ONLY: u32 = 0x4;
const INCLUDES: [u32; 3] = [0x10, 0x20, 0x40];

/// Conversion state of one animation stack.
struct Take<'a> {
    stack: &'a AnimStack,
    curves: Curves<'a>,
    /// Start and end of the stack, in seconds of the file.
    range: (f64, f64),
    /// Time scale: seconds of the clip per second of the file.
    pace: f64,
    /// Time in the file, in seconds, at which the clip starts.
    zero: f64,
    /// Duration of a frame of the file, in seconds.
    frame: f64,
}

impl<'a> Builder<'a> {
    /// Converts all animation stacks to clips.
    pub(super) fn clips(&mut self, progress: &Progress) -> Result<(), ReadError> {
        let stacks = &self.scene.anim_stacks;
        let count = stacks.count.max(1) as f32;
        for (k, stack) in stacks.into_iter().enumerate() {
            progress.reach(0.75 + 0.25 * k as f32 / count)?;
            self.clip(stack, progress)?;
        }
        Ok(())
    }

    fn clip(&mut self, stack: &'a AnimStack, progress: &Progress) -> Result<(), ReadError> {
        let curves = Curves::of(stack);
        let stated = (stack.time_begin, stack.time_end);
        let is_range = |(from, to): (f64, f64)| from.is_finite() && to.is_finite() && from < to;
        let extent = curves.extent();
        let Some(range) = Some(stated).filter(|r| is_range(*r)).or(extent) else { return Ok(()) };
        self.findings.endless += curves.endless;
        self.findings.layers = self.findings.layers.max(stack.layers.count);
        let rate = self.scene.settings.frames_per_second;
        let pace = match self.conversion.rate {
            Some(wished) if rate.is_finite() && rate > 0.0 => rate / wished,
            _ => 1.0,
        };
        // Key times in glTF are never negative.
        let zero = if self.conversion.keep_offset { range.0.min(0.0) } else { range.0 };
        let frame = if rate.is_finite() && rate > 0.0 { 1.0 / rate } else { 0.0 };
        let take = Take { stack, curves, range, pace, zero, frame };
        let mut tracks: Vec<KeysOut> = Vec::new();
        let mut moves = false;
        for node in &self.scene.nodes {
            progress.reach(progress.fraction())?;
            if node.is_root {
                continue;
            }
            for property in [Property::Translation, Property::Rotation, Property::Scale] {
                moves |= self.track(&take, node, property, &mut tracks)?;
            }
            moves |= self.weights_track(&take, node, &mut tracks)?;
        }
        self.findings.note_unconverted(self.scene, &take.curves);
        if tracks.is_empty() {
            return Ok(());
        }
        let ends = tracks.iter().filter_map(|t| t.times.last().copied());
        let found = FoundClip {
            name: stack.element.name.to_string(),
            seconds: f64::from(ends.fold(0.0, f32::max)),
            keys: tracks.iter().map(|t| t.times.len()).sum(),
            moves,
        };
        self.findings.longest = self.findings.longest.max(found.seconds / pace);
        let name = found.name.clone();
        if self.glb.takes_clip(found) {
            let all: Vec<&KeysOut> = tracks.iter().collect();
            // The clip's frame rate is that of the file, even if its keys suggest another rate.
            let frames = self.conversion.rate.unwrap_or(rate);
            let extras = json!({"ulna.rate": {"version": 1, "rate": frames}});
            let extras = (frames.is_finite() && frames > 0.0).then_some(extras);
            self.glb.put_animation(&name, &all, extras);
        } else if !moves {
            self.findings.still_clips += 1;
        }
        Ok(())
    }

    /// Converts a property of a node to keys. Returns whether the property moves.
    fn track(
        &mut self,
        take: &Take<'a>,
        node: &'a Node,
        property: Property,
        tracks: &mut Vec<KeysOut>,
    ) -> Result<bool, ReadError> {
        let curves = take.curves.with_layers(sources(take, node, property));
        let times = times(&curves, take.range);
        if times.is_empty() {
            return Ok(false);
        }
        let Some(at) = self.nodes.get(&node.element.typed_id).copied() else { return Ok(false) };
        self.budget.take(times.len() as u64 * 64, &".fbx".into())?;
        let anim = &take.stack.anim;
        let turns = property == Property::Rotation;
        let (bit, tolerance) = match property {
            Property::Translation => (INCLUDES[0], self.reach(take, node, &times) * 2e-5),
            Property::Rotation => (INCLUDES[1], TURN),
            Property::Scale | Property::Weights => (INCLUDES[2], SHARE),
        };
        let value = |time: f64| {
            let t = ufbx::evaluate_transform_flags(anim, node, time, ONLY | bit);
            let own = values(&t, property);
            // Values that are not finite are replaced by the rest pose.
            if own.iter().all(|v| (*v as f32).is_finite()) {
                own
            } else {
                values(&node.local_transform, property)
            }
        };
        let curve = Curve { value: &value, is_rotation: turns, tolerance, frame: take.frame };
        let keyed = curve.keyed(&times, |k| kinds(&curves, (times[k], times[k + 1])));
        self.findings.note_keys(&keyed, turns, times.len());
        let moves = keyed.moves;
        tracks.extend(out(at, property, keyed, take));
        Ok(moves)
    }

    /// Size of the model, or the maximum distance of the node from its parent if that is larger.
    fn reach(&self, take: &Take<'a>, node: &Node, times: &[f64]) -> f64 {
        let at = |time: &f64| {
            let anim = &take.stack.anim;
            let t = ufbx::evaluate_transform_flags(anim, node, *time, ONLY | INCLUDES[0]);
            vec3(t.translation).length()
        };
        let step = times.len() / 50 + 1;
        let far = times.iter().step_by(step).map(at).filter(|far| far.is_finite());
        far.fold(self.findings.size, f64::max)
    }

    /// Converts the morph weights of a node to keys. Returns whether the weights change over time.
    fn weights_track(
        &mut self,
        take: &Take<'a>,
        node: &Node,
        tracks: &mut Vec<KeysOut>,
    ) -> Result<bool, ReadError> {
        let Some(channels) = self.morphs.get(&node.element.typed_id) else { return Ok(false) };
        let Some(at) = self.nodes.get(&node.element.typed_id).copied() else { return Ok(false) };
        let mesh = node.mesh.as_ref().map(|m| m.element.element_id);
        let own = channels.iter().flat_map(|c| {
            let mut own = take.curves.some(c.channel.element.element_id, &["DeformPercent"]);
            // In old files, the curves belong to the mesh and have the names of the blend channels.
            let of_mesh = |m| take.curves.some(m, &[&c.channel.element.name]);
            own.extend(mesh.map(of_mesh).into_iter().flatten());
            own
        });
        let curves = take.curves.with_layers(own.collect());
        let mut times = times(&curves, take.range);
        if times.is_empty() {
            return Ok(false);
        }
        let anim = &take.stack.anim;
        let crossed = channels.iter().flat_map(|c| {
            let weight = |t: f64| ufbx::evaluate_blend_weight(anim, c.channel, t);
            let kinks: &[f64] = if c.whole_at.len() > 1 { &c.whole_at } else { &[] };
            crossings(&times, kinks, weight)
        });
        let crossed: Vec<f64> = crossed.collect();
        times.extend(crossed);
        times.sort_by(f64::total_cmp);
        times.dedup_by(|a, b| (*a - *b).abs() <= 1e-6);
        let targets: usize = channels.iter().map(|c| c.whole_at.len()).sum();
        self.budget.take((times.len() * targets) as u64 * 24, &".fbx".into())?;
        let value = |time: f64| -> Vec<f64> {
            let shares = channels
                .iter()
                .flat_map(|c| c.shares(ufbx::evaluate_blend_weight(anim, c.channel, time)));
            shares.collect()
        };
        let (tolerance, frame) = (SHARE, take.frame);
        let curve = Curve { value: &value, is_rotation: false, tolerance, frame };
        let keyed = curve.keyed(&times, |k| kinds(&curves, (times[k], times[k + 1])));
        self.findings.note_keys(&keyed, false, times.len());
        let moves = keyed.moves;
        tracks.extend(out(at, Property::Weights, keyed, take));
        Ok(moves)
    }
}

/// Components of a transform's property, as a list.
fn values(of: &ufbx::Transform, property: Property) -> Vec<f64> {
    match property {
        Property::Translation => vec3(of.translation).to_array().to_vec(),
        Property::Rotation => quat(of.rotation).to_array().to_vec(),
        Property::Scale | Property::Weights => vec3(of.scale).to_array().to_vec(),
    }
}

/// Curves that affect a property of a node.
fn sources<'a>(take: &Take<'a>, node: &'a Node, property: Property) -> Vec<&'a AnimCurve> {
    let of = |node: &Node, names: &[&str]| take.curves.some(node.element.element_id, names);
    let mut made = match property {
        Property::Rotation => of(node, &ROTATION),
        Property::Scale | Property::Weights => of(node, &SCALE),
        Property::Translation => {
            let mut made = of(node, &TRANSLATION);
            let has = |name: &str| {
                node.element.props.find_prop(name).is_some_and(|p| {
                    let v = p.value_vec4;
                    v.x != 0.0 || v.y != 0.0 || v.z != 0.0
                })
            };
            if has("RotationPivot") || has("ScalingPivot") || has("ScalingOffset") {
                made.extend(of(node, &ROTATION));
                made.extend(of(node, &SCALE));
            }
            made
        }
    };
    // The scale of a parent affects a node's translation even if the node does not inherit the
    // scale.
    if property != Property::Rotation {
        let mut others: Vec<&Node> = Vec::new();
        if node.is_scale_helper {
            others.extend(node.parent.as_deref());
        }
        let mut next = Some(node);
        for _ in 0..16 {
            next = next.and_then(|n| {
                n.inherit_scale_node.as_deref().or_else(|| {
                    n.parent
                        .as_deref()
                        .filter(|_| n.is_scale_helper || n.is_scale_compensate_parent)
                })
            });
            others.extend(next);
        }
        if node.original_inherit_mode != ufbx::InheritMode::Normal {
            others.extend(node.parent.as_deref());
        }
        for node in others {
            made.extend(of(node, &SCALE));
            // The FBX library moves scale curves to the scale helper.
            made.extend(node.scale_helper.iter().flat_map(|helper| of(helper, &SCALE)));
        }
    }
    made
}

/// Times at which a weight crosses one of the given values.
fn crossings(times: &[f64], values: &[f64], weight: impl Fn(f64) -> f64) -> Vec<f64> {
    const STEPS: u32 = 16;
    let mut made = Vec::new();
    for value in values.iter().chain(values.first().map(|_| &0.0)) {
        let off = |t: f64| weight(t) - value;
        for span in times.windows(2) {
            let at = |k: u32| span[0] + (span[1] - span[0]) * f64::from(k) / f64::from(STEPS);
            for k in 0..STEPS {
                let (mut from, mut to) = (at(k), at(k + 1));
                let sign = off(from);
                if sign == 0.0 || sign * off(to) >= 0.0 {
                    continue;
                }
                for _ in 0..40 {
                    let middle = 0.5 * (from + to);
                    if off(middle) * sign > 0.0 { from = middle } else { to = middle }
                }
                made.push(to);
            }
        }
    }
    made
}

/// Converts keys to the time of the clip; `None` if none are left.
fn out(node: usize, property: Property, keyed: Keyed, take: &Take<'_>) -> Option<KeysOut> {
    let each = keyed.values.len() / keyed.times.len().max(1);
    let is_cubic = keyed.interpolation == Interpolation::CubicSpline;
    let (mut times, mut values): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    for (time, own) in keyed.times.iter().zip(keyed.values.chunks(each.max(1))) {
        let time = ((time - take.zero) * take.pace).max(0.0) as f32;
        // Two times may become equal when rounded to `f32`.
        if times.last().is_some_and(|last| *last >= time) {
            continue;
        }
        let third = each / 3;
        let own = own.iter().enumerate().map(|(k, v)| {
            let is_slope = is_cubic && !(third..2 * third).contains(&k);
            let v = (if is_slope { v / take.pace } else { *v }) as f32;
            if v.is_finite() { v } else { 0.0 }
        });
        times.push(time);
        values.extend(own);
    }
    let interpolation = keyed.interpolation;
    (!times.is_empty()).then_some(KeysOut { node, property, interpolation, times, values })
}
