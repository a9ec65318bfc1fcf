//! Document and pose → pixels, on wgpu. The same code draws the viewport, the pictures of
//! `ulna render` and of the tests.

mod camera;
mod color_role;
mod device;
mod film;
mod ghost;
mod gpu;
mod lights;
mod look;
mod material;
mod picture;
mod pipeline;
mod renderer;
mod scene;
mod shadow;
mod show;
mod skin;
mod sky;
mod target;
mod texture;
mod tint;

pub use self::{
    camera::{Axis, Camera},
    color_role::{ColorRole, Measure},
    device::{DeviceChoice, DeviceFacts, DeviceKind, devices},
    film::{FilmError, FilmKind, film, film_times, sheet_grid},
    ghost::GhostLook,
    gpu::{Gpu, GpuError},
    look::{Color, ViewportColors, heat, tokens, zero_weight},
    picture::{Capture, Picture, capture},
    pipeline::Pipelines,
    renderer::Renderer,
    scene::Scene,
    show::{BoneLook, Shading, Show},
    skin::skin_on_gpu,
    target::Target,
    texture::{Decoded, decode_images},
    tint::TintKind,
};

/// Every shader by name, with what it includes: for the passes, and for the test that validates
/// them all.
pub const SHADERS: [(&str, &str); 11] = [
    ("skin", include_str!("../../../shaders/skin.wgsl")),
    ("encode", include_str!("../../../shaders/encode.wgsl")),
    ("panels", include_str!("../../../shaders/panels.wgsl")),
    (
        "mesh",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/material.wgsl"),
            include_str!("../../../shaders/deferred.wgsl"),
            include_str!("../../../shaders/mesh.wgsl")
        ),
    ),
    (
        "shadow",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/material.wgsl"),
            include_str!("../../../shaders/shadow.wgsl")
        ),
    ),
    (
        "grid",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/grid.wgsl")
        ),
    ),
    (
        "wire",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/wire.wgsl")
        ),
    ),
    (
        "ghost",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/ghost.wgsl")
        ),
    ),
    (
        "outline",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/outline.wgsl")
        ),
    ),
    (
        "tint",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/deferred.wgsl"),
            include_str!("../../../shaders/tint.wgsl")
        ),
    ),
    (
        "joint",
        concat!(
            include_str!("../../../shaders/frame.wgsl"),
            include_str!("../../../shaders/joint.wgsl")
        ),
    ),
];

/// A shader's source by name.
fn shader(name: &str) -> &'static str {
    SHADERS.iter().find(|(n, _)| *n == name).map_or("", |(_, text)| text)
}
