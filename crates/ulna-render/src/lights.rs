//! Lights of the file (`KHR_lights_punctual`), converted to uniforms of the shader.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use ulna_model::{Document, LightKind};
use ulna_motion::Pose;

/// Maximum number of lights; further lights of the scene are ignored. Keep in sync with `Frame` in
/// shaders/frame.wgsl.
pub(super) const MOST: usize = 8;

/// Maximum sum of the light intensities at the center of the model. Brighter scenes are dimmed to
/// this value.
const BRIGHTEST: f32 = 4.0;

/// Uniforms of one light in a pose. Keep in sync with `Light` in shaders/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(super) struct Shining {
    /// Position in world space. `w` is 1 for point and spot lights, and 0 for directional lights.
    position: [f32; 4],
    /// Unit direction of the light. `w` is 1 divided by the range, or 0 if the range is unlimited.
    direction: [f32; 4],
    /// Linear color times intensity.
    color: [f32; 4],
    /// Cone factors `x` and `y`. The intensity is full if `cos · x + y ≥ 1`, with the cosine of the
    /// angle from the axis.
    cone: [f32; 4],
}

/// Uniforms of the lights of displayed nodes in a pose. `bounds` is the bounding box of the model.
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
            // Formula of the extension KHR_lights_punctual.
            LightKind::Spot { inner, outer } => {
                let scale = 1.0 / (inner.cos() - outer.cos()).max(0.001);
                (1.0, [scale, -outer.cos() * scale])
            }
        };
        let away = bounds.map_or(1.0, |(low, high)| {
            // A light inside the model would have almost unlimited intensity, so the distance has a
            // minimum.
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
