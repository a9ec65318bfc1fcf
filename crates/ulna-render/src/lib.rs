//! Rendering of a document in a pose, with wgpu.
//!
//! The same code draws the viewport, the pictures of `ulna render`, and the pictures of the tests.
//! This crate does not change documents or compute poses. It draws a given `Pose`.
//!
//! ```text
//!  Document ──► Scene (buffers, materials) ──┐
//!  Pose ──────► Scene::update (skinning) ────┤
//!  Camera, Show, ViewportColors ─────────────┴─► Renderer::draw ──► RenderTarget ──► Capture
//! ```

mod camera;
mod color;
mod color_role;
mod device;
mod film;
mod frame_uniform;
mod ghost;
mod ghosts;
mod gpu;
mod layouts;
mod lights;
mod look;
mod material;
mod open;
mod pass;
mod picture;
mod pipeline;
mod renderer;
mod scene;
mod scene_loader;
mod scene_primitive;
mod shaders;
mod shadow;
mod shot;
mod show;
mod skin;
mod sky;
mod target;
mod texture;
mod tint;

pub use self::{
    camera::{Axis, Camera},
    color::{Color, tokens},
    color_role::{ColorRole, Measure},
    device::{DeviceChoice, DeviceFacts, DeviceKind, is_software},
    film::{FilmError, FilmKind, film, film_times, sheet_grid},
    ghost::GhostLook,
    gpu::{Gpu, GpuError},
    look::{ViewportColors, group_color, heat, zero_weight},
    open::devices,
    picture::{Capture, Picture, capture},
    pipeline::Pipelines,
    renderer::Renderer,
    scene::Scene,
    shaders::SHADERS,
    show::{BoneLook, SceneBeside, Shading, Show},
    skin::skin_on_gpu,
    target::RenderTarget,
    texture::{Decoded, decode_images},
    tint::TintKind,
};
