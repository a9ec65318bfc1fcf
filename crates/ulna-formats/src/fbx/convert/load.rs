//! Loading of an FBX file with limits for memory and nesting.

use ufbx::{
    AllocatorOpts, CoordinateAxes, ErrorType, FileFormat, GeometryTransformHandling,
    InheritModeHandling, LoadOpts, PivotHandling, ProgressCb, ProgressResult, Scene, SceneRoot,
    SpaceConversion,
};

use super::axes::{self, Axes};
use crate::{
    budget::budget_bytes,
    gltf::{Progress, ReadError},
    import::{Conversion, short},
};

/// Maximum nesting depth of nodes.
const DEEPEST: u32 = 512;

/// A loaded FBX file, converted to meters and the axes of glTF.
pub(super) struct Loaded {
    /// Content of the file.
    pub(super) scene: SceneRoot,
    /// Axes stated by the file.
    pub(super) axes: Option<Axes>,
    /// Meters per unit of the file.
    pub(super) unit: f64,
}

/// Loads a file. Of two space conversions, the one that leaves fewer top-level nodes with a scale
/// is used. Depending on the program that wrote the file, converting the geometry or converting the
/// nodes leaves scales.
pub(super) fn load(
    bytes: &[u8],
    conversion: &Conversion,
    progress: &Progress,
) -> Result<Loaded, ReadError> {
    let reach = Reach { from: 0.0, to: 0.2, progress };
    let first = read(bytes, SpaceConversion::ModifyGeometry, (axes::gltf(), 1.0), reach)?;
    let stated = Axes::stated(&first);
    let unit = stated_unit(&first);
    let target = Axes::target(stated, conversion);
    let meters = conversion.unit.map_or(1.0, |wanted| unit / f64::from(wanted).max(1e-9));
    let is_plain = meters == 1.0 && same(target, axes::gltf());
    let mut scene = if is_plain {
        first
    } else {
        let reach = Reach { from: 0.2, to: 0.3, progress };
        read(bytes, SpaceConversion::ModifyGeometry, (target, meters), reach)?
    };
    if scene.nodes.count <= 1 {
        let message = "it has no objects. Check that it is complete, or export the model again";
        return Err(ReadError::Foreign { format: "FBX", message: message.to_owned() });
    }
    let left = scaled_tops(&scene);
    if left > 0 {
        let reach = Reach { from: 0.3, to: 0.4, progress };
        let other = read(bytes, SpaceConversion::AdjustTransforms, (target, meters), reach)?;
        if scaled_tops(&other) < left {
            scene = other;
        }
    }
    Ok(Loaded { scene, axes: stated, unit })
}

/// Meters per unit as stated by the file; a centimeter if the file states no unit.
fn stated_unit(scene: &Scene) -> f64 {
    let factor = scene.settings.props.find_prop("UnitScaleFactor").map(|p| p.value_vec4.x);
    factor.filter(|f| f.is_finite() && *f > 0.0).unwrap_or(1.0) * 0.01
}

fn same(a: CoordinateAxes, b: CoordinateAxes) -> bool {
    a.right == b.right && a.up == b.up && a.front == b.front
}

/// Number of top-level nodes with a scale.
fn scaled_tops(scene: &Scene) -> usize {
    let off = |v: f64| (v.abs() - 1.0).abs() > 1e-4;
    let is_scaled = |s: ufbx::Vec3| off(s.x) || off(s.y) || off(s.z);
    scene.root_node.children.into_iter().filter(|n| is_scaled(n.local_transform.scale)).count()
}

/// Section of the progress bar that one loading step fills.
#[derive(Clone, Copy)]
struct Reach<'a> {
    from: f32,
    to: f32,
    progress: &'a Progress,
}

fn read(
    bytes: &[u8],
    space: SpaceConversion,
    (target_axes, target_unit_meters): (CoordinateAxes, f64),
    reach: Reach<'_>,
) -> Result<SceneRoot, ReadError> {
    let memory_limit = usize::try_from(budget_bytes(bytes.len())).unwrap_or(usize::MAX);
    let limited = || AllocatorOpts { memory_limit, ..AllocatorOpts::default() };
    let going = |at: &ufbx::Progress| {
        let done = at.bytes_read as f32 / at.bytes_total.max(1) as f32;
        match reach.progress.reach(reach.from + (reach.to - reach.from) * done.min(1.0)) {
            Ok(()) => ProgressResult::Continue,
            Err(_) => ProgressResult::Cancel,
        }
    };
    let opts = LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        clean_skin_weights: true,
        use_blender_pbr_material: true,
        generate_missing_normals: true,
        normalize_normals: true,
        normalize_tangents: true,
        node_depth_limit: DEEPEST,
        progress_cb: ProgressCb::Ref(&going),
        progress_interval_hint: 1 << 20,
        file_format: FileFormat::Fbx,
        geometry_transform_handling: GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: InheritModeHandling::Compensate,
        pivot_handling: PivotHandling::Retain,
        space_conversion: space,
        target_axes,
        target_unit_meters,
        target_camera_axes: axes::gltf(),
        target_light_axes: axes::gltf(),
        ..LoadOpts::default()
    };
    let made = ufbx::load_memory(bytes, opts);
    reach.progress.reach(reach.to)?;
    made.map_err(|error| refusal(&error, bytes.len(), memory_limit))
}

/// Converts an error of the FBX library to an error message.
fn refusal(error: &ufbx::Error, size: usize, limit: usize) -> ReadError {
    let megabytes = |bytes: usize| short(bytes as f64 / 1e6);
    let message = match error.type_ {
        ErrorType::EmptyFile => "it is empty. Export the model again".to_owned(),
        ErrorType::TruncatedFile => {
            format!(
                "it ends after {} MB, before it is complete. Copy it or export the model again",
                megabytes(size)
            )
        }
        ErrorType::UnrecognizedFileFormat => {
            "it does not begin like an FBX file. If it has another format, rename it with the \
                extension of that format"
                .to_owned()
        }
        ErrorType::UnsupportedVersion => {
            "its version of FBX is not supported. Export the model as FBX 7.4 or 7.5 (2014 to \
                2020)"
                .to_owned()
        }
        ErrorType::NodeDepthLimit => {
            format!("its nodes are nested more than {DEEPEST} deep. Flatten the hierarchy")
        }
        ErrorType::OutOfMemory | ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            format!(
                "it needs more than {} MB of memory, far more than its size allows. It is damaged \
                    or malicious; export the model again",
                megabytes(limit)
            )
        }
        _ => format!("it is damaged ({}). Export the model again", said(&error.description)),
    };
    ReadError::Foreign { format: "FBX", message }
}

/// Message of the FBX library, in lower case for use at the end of a sentence.
fn said(description: &str) -> String {
    let text = description.trim().trim_end_matches('.');
    let mut letters = text.chars();
    letters.next().map_or_else(
        || "no reason is known".to_owned(),
        |first| first.to_lowercase().chain(letters).collect(),
    )
}
