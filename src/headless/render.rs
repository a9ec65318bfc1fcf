//! `ulna render`: renders images without a window.

use std::path::{Path, PathBuf};

use glam::Vec3;
use image::RgbaImage;
use serde_json::json;

use super::{
    arguments::{RenderArgs, ShadingArg, ThemeArg, ViewFrom},
    inputs::{between, choice, clip_named, mix_named, open},
    outputs::has_ending,
    report::{Failure, members, object, print},
};
use ulna_model::{CameraId, Clip, DisplayChoice, Document, NodeId, Projection};
use ulna_motion::{Evaluator, Mixer, Pose, Skeleton, Stack, Surface, bones, joint_bounds};
use ulna_render::{
    Axis, BoneLook, Camera, DeviceChoice, FilmKind, GpuError, Picture, Shading, Show,
    ViewportColors, film,
};

/// Maximum width and height in pixels, to limit memory.
const LARGEST: u32 = 8192;

pub(super) fn render(args: &RenderArgs) -> Result<u8, Failure> {
    let size = size(&args.size)?;
    check_ending(args)?;
    let mut session = open(&args.file)?;
    session.show(shown(session.document(), args)?);
    let document = session.document();
    let clip = match &args.clip {
        Some(text) => clip_named(document, text)?,
        None => None,
    };
    let mix = args.moment.mix.as_ref().map(|spec| mix_named(document, spec)).transpose()?;
    let mut mixer = Mixer::default();
    let mut stack = |time: f64| match &mix {
        Some(mix) => mixer.stack(document, mix, time).going(between(args.moment.nlerp)),
        None => Stack::shown(document, clip, time).going(between(args.moment.nlerp)),
    };
    let choice = DeviceChoice { wish: args.adapter.clone(), ..DeviceChoice::default() };
    let mut picture =
        Picture::new(document, size, &choice).map_err(|e| Failure::fault(e.code(), e))?;
    let pose = Pose::evaluate(document, &stack(args.moment.time));
    // Without surfaces, the image would be empty, so joints are drawn.
    let shows_joints = args.joints || Surface::new(document, &pose).bounds().is_none();
    let (mut camera, extent) = camera(document, &pose, args.view, size);
    camera.orthographic = args.orthographic;
    let through = args.camera.as_ref().map(|text| file_camera(document, text)).transpose()?;
    let shading = match args.shading {
        ShadingArg::Textured => Shading::Textured,
        ShadingArg::Solid => Shading::Solid,
        ShadingArg::Wireframe => Shading::Wireframe,
        ShadingArg::XRay => Shading::XRay,
    };
    let theme = match args.theme {
        ThemeArg::Dark => "dark",
        ThemeArg::Light => "light",
    };
    let (mut evaluator, mut pose) = (Evaluator::default(), pose);
    let mut take = |time: f64| -> Result<RgbaImage, GpuError> {
        evaluator.update(document, &stack(time), &mut pose);
        if let Some(node) = through {
            look_through(&mut camera, document, &pose, node);
        }
        let look = ViewportColors::theme(theme);
        let bones = if shows_joints { bone_looks(document, &pose, &look) } else { Vec::new() };
        let show = Show {
            shading,
            grid: !args.no_grid && !args.transparent,
            bones,
            lights: args.lights,
            size: extent,
            transparent: args.transparent,
            ..Show::default()
        };
        picture.take(document, &pose, &camera, &look, &show)
    };
    let written = match args.frames {
        None => {
            save(&take(args.moment.time).map_err(|e| Failure::fault(e.code(), e))?, &args.output)?;
            vec![args.output.clone()]
        }
        Some(frames) => {
            let frames = frames.clamp(1, 10_000);
            let times = match &mix {
                Some(mix) => {
                    (0..frames).map(|k| mix.length() * f64::from(k) / f64::from(frames)).collect()
                }
                None => frame_times(clip.map(|id| &*document.clips[id]), frames),
            };
            sequence(args, &times, &mut take)?
        }
    };
    if args.out.json {
        let written: Vec<String> = written.iter().map(|f| f.display().to_string()).collect();
        let facts = json!({"file": args.file.display().to_string(), "written": written,
                "joints": shows_joints});
        print(&object("render", members(facts)).to_string())?;
    }
    Ok(0)
}

/// Refuses an output image with an unsupported extension, before any work is done.
fn check_ending(args: &RenderArgs) -> Result<(), Failure> {
    let is_film = args.frames.is_some() && !args.sheet;
    let endings: &[&str] = if is_film { &["png", "gif"] } else { &["png"] };
    has_ending(&args.output, endings, || {
        let name = args.output.display();
        match (
            args.frames.is_some(),
            args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif")),
        ) {
            (false, true) => {
                format!("{name}: a .gif needs --frames. For a single image, use .png")
            }
            _ if is_film => format!("{name}: the extension is not supported. Use .png or .gif"),
            _ => format!("{name}: the extension is not supported. Use .png"),
        }
    })
}

/// Scene and material variant that the arguments choose.
fn shown(document: &Document, args: &RenderArgs) -> Result<DisplayChoice, Failure> {
    let scenes: Vec<String> = document.scenes.ids().map(|k| document.scene_label(k)).collect();
    let scene = args.scene.as_ref().map(|text| choice("scene", &scenes, text)).transpose()?;
    let variants: Vec<String> = document.variants.iter().map(|v| v.to_string()).collect();
    let variant =
        args.variant.as_ref().map(|text| choice("variant", &variants, text)).transpose()?;
    Ok(DisplayChoice { scene: scene.map(Into::into), variant: variant.map(Into::into) })
}

fn size(text: &str) -> Result<[u32; 2], Failure> {
    let parsed = text
        .split_once(['x', '×'])
        .and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
    parsed.filter(|s: &[u32; 2]| s.iter().all(|v| (1..=LARGEST).contains(v))).ok_or_else(|| {
        Failure::unusable(
            "wrong_arguments",
            format!(
                "invalid size “{text}”; use WIDTHxHEIGHT such as 1280x960, at most \
                {LARGEST} pixels per side"
            ),
        )
    })
}

fn camera(document: &Document, pose: &Pose, view: ViewFrom, size: [u32; 2]) -> (Camera, f32) {
    let bounds = Surface::new(document, pose).bounds().or_else(|| joint_bounds(document, pose));
    let (low, high) = bounds.unwrap_or((Vec3::splat(-0.5), Vec3::splat(0.5)));
    let mut camera = Camera::default();
    camera.look(match view {
        ViewFrom::Front => Axis::Front,
        ViewFrom::Side => Axis::Side,
        ViewFrom::Back => Axis::Back,
        ViewFrom::Top => Axis::Top,
        ViewFrom::ThreeQuarter => Axis::ThreeQuarter,
    });
    camera.frame(low, high, size[0] as f32 / size[1] as f32);
    (camera, (high - low).length())
}

/// The node with the camera that a text names.
fn file_camera(document: &Document, text: &str) -> Result<NodeId, Failure> {
    let nodes: Vec<(NodeId, CameraId)> = document
        .shown_nodes()
        .into_iter()
        .filter_map(|n| Some((n, document.node(n).camera?)))
        .collect();
    let own = |camera: CameraId| document.cameras[camera.index()].name.as_deref();
    if let Some((node, _)) = nodes.iter().find(|(_, c)| own(*c) == Some(text)) {
        return Ok(*node);
    }
    let labels: Vec<String> = nodes.iter().map(|(n, _)| document.node(*n).label(*n)).collect();
    Ok(nodes[choice("camera", &labels, text)?].0)
}

/// Moves the camera to a camera node of the file in the current pose. The aspect ratio of the
/// picture stays.
fn look_through(camera: &mut Camera, document: &Document, pose: &Pose, node: NodeId) {
    let Some(id) = document.node(node).camera else { return };
    match document.cameras[id.index()].projection {
        Projection::Perspective { yfov, near, .. } => {
            camera.fov = yfov;
            // The near plane of the turntable camera is a fixed fraction of its distance.
            camera.distance = near / Camera::NEAR;
            camera.orthographic = false;
        }
        Projection::Orthographic { ymag, near, far, .. } => {
            camera.distance = ymag / (camera.fov * 0.5).tan();
            camera.reach = (far - near.min(0.0)).max(camera.distance);
            camera.orthographic = true;
        }
    }
    camera.look_from(&pose.world[node.index()]);
}

fn bone_looks(document: &Document, pose: &Pose, look: &ViewportColors) -> Vec<BoneLook> {
    bones(document, pose, &Skeleton::of(document))
        .into_iter()
        .map(|bone| BoneLook { bone, color: look.joint, edge: look.joint_edge })
        .collect()
}

fn frame_times(clip: Option<&Clip>, frames: u32) -> Vec<f64> {
    let length = clip.map_or(0.0, |c| f64::from(c.length()));
    (0..frames).map(|k| length * f64::from(k) / f64::from(frames)).collect()
}

fn sequence(
    args: &RenderArgs,
    times: &[f64],
    take: &mut dyn FnMut(f64) -> Result<RgbaImage, GpuError>,
) -> Result<Vec<PathBuf>, Failure> {
    let moves = args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif"));
    let kind = match (args.sheet, moves) {
        (true, _) => FilmKind::Sheet,
        (_, true) => FilmKind::Gif,
        _ => FilmKind::Numbered,
    };
    let step = if times.len() > 1 { times[1] - times[0] } else { 0.1 };
    let mut take = |k: usize| Ok(take(times[k])?);
    film(kind, &args.output, times.len(), step, &mut take, &mut |_| true)
        .map_err(|e| Failure::fault(e.code(), e))
}

fn save(picture: &RgbaImage, path: &Path) -> Result<(), Failure> {
    picture.save(path).map_err(|e| {
        Failure::fault(
            "output_not_writable",
            format!("{} could not be written: {e}", path.display()),
        )
    })
}
