//! The file's own lights (`KHR_lights_punctual`), as the shader takes them.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use ulna_model::{Document, LightKind};
use ulna_motion::Pose;

/// As many as the shader takes; the first ones of the scene. Keep in sync with `Frame` in
/// shaders/frame.wgsl.
pub(super) const MOST: usize = 8;

/// The light that all together may send to the middle of the model: brighter files are dimmed to
/// it, as an eye would.
const BRIGHTEST: f32 = 4.0;

/// One light at a pose. Keep in sync with `Light` in shaders/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(super) struct Shining {
    /// Where it is, and in w 1, or 0 where it comes from everywhere along `direction`.
    position: [f32; 4],
    /// Where it shines; unit. In w one over the range, 0 without one.
    direction: [f32; 4],
    /// Color times intensity.
    color: [f32; 4],
    /// The cone: full at `cos · x + y ≥ 1`.
    cone: [f32; 4],
}

/// The lights of the shown nodes at a pose; `bounds` are the model's.
pub(super) fn shining(
    document: &Document,
    pose: &Pose,
    bounds: Option<(Vec3, Vec3)>,
) -> Vec<Shining> {
    let mut list = Vec::new();
    let mut sum = 0.0;
    for node in document.shown_nodes() {
        let Some(light) = document.node(node).light.and_then(|l| document.lights.get(l.index()))
        else {
            continue;
        };
        let world = pose.world[node.index()];
        let position = world.w_axis.truncate();
        let direction = (-world.z_axis.truncate()).normalize_or(Vec3::NEG_Z);
        if list.len() == MOST || !position.is_finite() {
            continue;
        }
        let (from_point, cone) = match light.kind {
            LightKind::Directional => (0.0, [0.0, 1.0]),
            LightKind::Point => (1.0, [0.0, 1.0]),
            // The extension's own formula.
            LightKind::Spot { inner, outer } => {
                let scale = 1.0 / (inner.cos() - outer.cos()).max(0.001);
                (1.0, [scale, -outer.cos() * scale])
            }
        };
        let away = bounds.map_or(1.0, |(low, high)| {
            // Not from within the model's core, where a light would count without end.
            position.distance((low + high) * 0.5).max((high - low).length() * 0.1)
        });
        let part = light.range.map_or(0.0, |range| away / range);
        let arrives = if from_point > 0.0 {
            light.intensity * (1.0 - part.powi(4)).max(0.0) / (away * away).max(1e-6)
        } else {
            light.intensity
        };
        sum += arrives * light.color.max_element();
        list.push(Shining {
            position: position.extend(from_point).to_array(),
            direction: direction.extend(light.range.map_or(0.0, |r| 1.0 / r)).to_array(),
            color: (light.color * light.intensity).extend(0.0).to_array(),
            cone: [cone[0], cone[1], 0.0, 0.0],
        });
    }
    let dim = if sum.is_finite() { (BRIGHTEST / sum.max(1e-9)).min(1.0) } else { 0.0 };
    for light in &mut list {
        light.color.iter_mut().for_each(|c| *c *= dim);
    }
    list
}
