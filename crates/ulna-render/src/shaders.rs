//! Sources of the shaders, each combined from several files.

/// All shaders by name, combined with the files that they include. Used by the passes, and by the
/// test that validates the shaders.
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

/// Source of a shader by its name; empty if there is no such shader.
pub(super) fn shader(name: &str) -> &'static str {
    SHADERS.iter().find(|(n, _)| *n == name).map_or("", |(_, text)| text)
}
