//! What a file says about how it is to be seen: its cameras, its lights, and what of it is chosen
//! to be shown.

use std::sync::Arc;

use glam::Vec3;

use super::{SceneId, VariantId};

/// What of a document is shown, where it offers a choice. Never saved, and no edit: nothing to
/// undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DisplayChoice {
    /// A scene other than the file's own; an index into
    /// [`FileContent::scenes`](super::FileContent::scenes).
    pub scene: Option<SceneId>,
    /// `KHR_materials_variants`: an index into
    /// [`FileContent::variants`](super::FileContent::variants); the primitives' own materials where
    /// `None`.
    pub variant: Option<VariantId>,
}

/// How a camera of the file projects (glTF 2.0, *Cameras*). Cameras look along −Z of their node, +Y
/// up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// By angle.
    Perspective {
        /// Vertical field of view, radians.
        yfov: f32,
        /// Width over height; that of the picture where `None`.
        aspect: Option<f32>,
        /// Meters to the nearest that is seen.
        near: f32,
        /// Meters to the farthest that is seen; no end where `None`.
        far: Option<f32>,
    },
    /// By size.
    Orthographic {
        /// Half the width, meters.
        xmag: f32,
        /// Half the height, meters.
        ymag: f32,
        /// Meters to the nearest that is seen.
        near: f32,
        /// Meters to the farthest that is seen.
        far: f32,
    },
}

/// A camera of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// How it projects.
    pub projection: Projection,
}

/// How a light spreads. Directional and spot lights shine along −Z of their node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// From infinitely far.
    Directional,
    /// From a point, all around.
    Point,
    /// From a point, in a cone.
    Spot {
        /// Radians from the axis up to which it is full.
        inner: f32,
        /// Radians from the axis at which it ends.
        outer: f32,
    },
}

/// A light of the file (`KHR_lights_punctual`).
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// The name, where the file gives one.
    pub name: Option<Arc<str>>,
    /// How it spreads.
    pub kind: LightKind,
    /// Linear color.
    pub color: Vec3,
    /// Candela for points and spots, lux for directional lights.
    pub intensity: f32,
    /// Meters at which it ends; no end where `None`.
    pub range: Option<f32>,
}
