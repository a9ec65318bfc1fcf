//! Cameras and lights of a file, and the user's choice of scene and variant.

use std::sync::Arc;

use glam::Vec3;

use super::{SceneId, VariantId};

/// Displayed scene and material variant, which are neither saved nor undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DisplayChoice {
    /// Displayed scene if it is not the file's default: an index into
    /// [`FileContent::scenes`](super::FileContent::scenes).
    pub scene: Option<SceneId>,
    /// Material variant (`KHR_materials_variants`): an index into
    /// [`FileContent::variants`](super::FileContent::variants). `None` uses the primitives' own
    /// materials.
    pub variant: Option<VariantId>,
}

/// Projection of a camera (glTF 2.0, 3.10). Cameras look along −Z of their node, with +Y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective projection.
    Perspective {
        /// Vertical field of view, in radians.
        yfov: f32,
        /// Width divided by height; `None`: the aspect ratio of the picture.
        aspect: Option<f32>,
        /// Distance of the near plane, in meters.
        near: f32,
        /// Distance of the far plane, in meters; `None` for an infinite projection.
        far: Option<f32>,
    },
    /// Orthographic projection.
    Orthographic {
        /// Half of the width, in meters.
        xmag: f32,
        /// Half of the height, in meters.
        ymag: f32,
        /// Distance of the near plane, in meters.
        near: f32,
        /// Distance of the far plane, in meters.
        far: f32,
    },
}

/// A camera of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// Perspective or orthographic projection.
    pub projection: Projection,
}

/// Kind of a light. Directional and spot lights shine along −Z of their node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel light from infinity.
    Directional,
    /// Light from a point in all directions.
    Point,
    /// Light from a point in a cone.
    Spot {
        /// Angle from the axis, in radians, up to which the intensity is full.
        inner: f32,
        /// Angle from the axis, in radians, at which the intensity reaches 0.
        outer: f32,
    },
}

/// A light of the file (`KHR_lights_punctual`).
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// The name, if the file has one.
    pub name: Option<Arc<str>>,
    /// Type of the light.
    pub kind: LightKind,
    /// Linear RGB color of the light.
    pub color: Vec3,
    /// Intensity, in candela for point and spot lights, and in lux for directional lights.
    pub intensity: f32,
    /// Distance in meters at which the intensity reaches 0; `None` for no limit.
    pub range: Option<f32>,
}
