//! Tests with every kind of graphics device, and with none. Missing features have a fallback,
//! refusals give a clear message, and nothing ends the program.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use ulna_model::{Document, MeshId, NodeId};
use ulna_motion::{Pose, Stack, Surface, bones};
use ulna_render::{
    Axis, BoneLook, Camera, Gpu, RenderTarget, Renderer, Scene, SceneBeside, Shading, Show,
    TintKind, ViewportColors, capture, decode_images,
};
use ulna_session::Session;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb");

fn required() -> bool {
    std::env::var_os("ULNA_REQUIRE_GPU").is_some()
}

/// Runs `ulna render` with environment variables.
fn render(file: &Path, out: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ulna"));
    command.arg("render").arg(file).arg("-o").arg(out).args(["--size", "320x240"]);
    command.envs(variables.iter().copied()).output().unwrap()
}

/// Returns the fraction of pixels that differ by more than two levels.
fn differing(a: &image::RgbaImage, b: &image::RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let off = a
        .pixels()
        .zip(b.pixels())
        .filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 2));
    off.count() as f64 / f64::from(a.width() * a.height())
}

#[test]
fn opengl_renders_the_same_as_vulkan() {
    let folder = tempfile::tempdir().unwrap();
    let listed = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["info", "--device"])
        .env("WGPU_BACKEND", "gl")
        .output();
    if String::from_utf8_lossy(&listed.unwrap().stdout).contains("Not used: ") {
        return crate::common::skipped("the OpenGL here is one that cannot be used");
    }
    let mut files = vec![PathBuf::from(SAMPLE)];
    if let Some(shared) = crate::common::shared() {
        let corpus = shared.join("corpus");
        let small = |p: &PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 4_000_000);
        let of = |sub: &str| {
            crate::common::models(&corpus.join(sub)).into_iter().filter(small).collect::<Vec<_>>()
        };
        // Adds characters, skins, morphs and materials from distant positions in the list.
        files.extend(["characters", "skins", "morph", "khronos", "extensions"].iter().filter_map(
            |sub| {
                let list = of(sub);
                list.get(list.len() / 2).cloned()
            },
        ));
    }
    let mut compared = 0;
    for (k, file) in files.iter().enumerate() {
        let pictures = ["vulkan", "gl"].map(|backend| {
            let out = folder.path().join(format!("{k}-{backend}.png"));
            let done = render(file, &out, &[("WGPU_BACKEND", backend)]);
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(!said.contains("panicked"), "{backend}: {said}");
            match done.status.success() {
                true => Some(image::open(&out).unwrap().into_rgba8()),
                false if required() => panic!("{backend}: {said}"),
                false => {
                    crate::common::skipped(&format!("{backend}: {said}"));
                    None
                }
            }
        });
        let [Some(vulkan), Some(gl)] = pictures else { continue };
        let share = differing(&vulkan, &gl);
        println!("{}: {:.3} % differ", file.display(), share * 100.0);
        assert!(share < 0.01, "{}: {:.2} % of the pixels differ", file.display(), share * 100.0);
        compared += 1;
    }
    assert!(compared == files.len() || !required(), "{compared} of {}", files.len());
}

/// Some NVIDIA drivers mix versions like this. An error message is better than a device that
/// silently draws nothing.
#[cfg(target_os = "linux")]
#[test]
fn opengl_with_mixed_versions_gives_an_error_message() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = [
        ("WGPU_BACKEND", "gl"),
        ("MESA_GL_VERSION_OVERRIDE", "3.3FC"),
        ("MESA_GLSL_VERSION_OVERRIDE", "330"),
    ];
    let list = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["info", "--device"])
        .envs(mixed)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&list.stdout).into_owned();
    if !said.contains("Mesa") {
        return crate::common::skipped("no OpenGL by Mesa");
    }
    assert!(
        said.contains("Not used: its driver mixes OpenGL 3.3") && !said.contains(", in use"),
        "{said}"
    );
    let done = render(Path::new(SAMPLE), &folder.path().join("none.png"), &mixed);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("its driver mixes OpenGL 3.3 with features of newer versions")
            && !said.contains("panicked"),
        "{said}"
    );
    // If only version 3.3 is available, the device draws.
    let old = [&mixed[..], &[("MESA_EXTENSION_OVERRIDE", "-GL_ARB_compute_shader")]].concat();
    let [new, old] = [&[("WGPU_BACKEND", "gl")][..], &old[..]].map(|variables| {
        let out = folder.path().join("drawn.png");
        let done = render(Path::new(SAMPLE), &out, variables);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        image::open(&out).unwrap().into_rgba8()
    });
    assert!(differing(&new, &old) < 0.01);
}

#[cfg(target_os = "linux")]
#[test]
fn without_any_device_there_is_an_error_message() {
    let folder = tempfile::tempdir().unwrap();
    let none = [
        ("VK_ICD_FILENAMES", "/nonexistent"),
        ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"),
        ("LIBGL_DRIVERS_PATH", "/nonexistent"),
        ("WGPU_BACKEND", "vulkan"),
    ];
    let done = render(Path::new(SAMPLE), &folder.path().join("none.png"), &none);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("no graphics device was found") && said.contains("Install"), "{said}");
    assert!(!said.contains("panicked") && said.trim().lines().count() == 1, "{said}");
    let list = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["info", "--device"])
        .envs(none)
        .output()
        .unwrap();
    assert_eq!(list.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&list.stdout).contains("no graphics device was found"));
    // Verbs that draw no picture need no device.
    let info = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["info", SAMPLE])
        .envs(none)
        .output()
        .unwrap();
    assert!(info.status.success());
}

#[test]
fn the_device_list_starts_with_the_used_device() {
    let done = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["info", "--device", "--json"])
        .output()
        .unwrap();
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let list = said["devices"].as_array().unwrap();
    if list.is_empty() && !required() {
        return crate::common::skipped("no device");
    }
    assert_eq!(list.iter().filter(|d| d["used"] == true).count(), 1, "{said}");
    assert_eq!(list[0]["used"], true);
    assert!(list.iter().all(|d| d["largest_texture"].as_u64() >= Some(2048)), "{said}");
}

/// Opens the first adapter with smaller limits.
fn small(limits: impl Fn(&mut wgpu::Limits)) -> Option<Gpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let adapter = match adapter {
        Ok(adapter) => adapter,
        Err(error) if required() => panic!("{error}"),
        Err(error) => {
            crate::common::skipped(&error.to_string());
            return None;
        }
    };
    let mut descriptor = Gpu::descriptor(&adapter);
    limits(&mut descriptor.required_limits);
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    Some(Gpu::new(&adapter, device, queue))
}

/// Renders a document. Returns the picture and the scene.
fn picture(gpu: &Gpu, document: &Document) -> (image::RgbaImage, Scene) {
    let mut renderer = Renderer::new(gpu);
    let (images, _) = decode_images(document);
    let mut scene = Scene::new(gpu, renderer.pipelines(), document, &images);
    let pose = Pose::evaluate(document, &Stack::default());
    scene.update(gpu, document, &pose);
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    let (low, high) = Surface::new(document, &pose).bounds().unwrap();
    camera.frame(low, high, 1.0);
    let target = RenderTarget::new(gpu, [200, 200]);
    renderer.draw(
        gpu,
        &target,
        &scene,
        &camera,
        &ViewportColors::theme("dark"),
        &Show { size: 2.0, ..Show::default() },
    );
    (capture(gpu, &target).unwrap(), scene)
}

/// Returns the number and the mean brightness of pixels in half of a picture. Only pixels that
/// differ from the corner are counted.
fn brightness(picture: &image::RgbaImage, right: bool) -> (usize, f64) {
    let ground = picture.get_pixel(0, 0).0;
    let half = picture.width() / 2;
    let own = picture.enumerate_pixels().filter(|(x, ..)| (*x >= half) == right);
    let seen = own.filter(|(.., p)| p.0.iter().zip(ground).any(|(a, b)| a.abs_diff(b) > 6));
    let sums = seen.map(|(.., p)| p.0[..3].iter().map(|c| f64::from(*c)).sum::<f64>());
    let (count, sum) = sums.fold((0, 0.0), |(n, s), one| (n + 1, s + one));
    (count, sum / count.max(1) as f64)
}

#[test]
fn a_second_scene_is_drawn_darker_at_its_own_position() {
    let Some(gpu) = small(|_| {}) else { return };
    let session = Session::open(Path::new(SAMPLE), &Default::default()).unwrap();
    let document = session.document();
    let mut renderer = Renderer::new(&gpu);
    let (images, _) = decode_images(document);
    let pose = Pose::evaluate(document, &Stack::default());
    let placed = |x: f32| {
        let mut scene = Scene::new(&gpu, renderer.pipelines(), document, &images);
        let mut moved = pose.clone();
        let by = glam::Mat4::from_translation(glam::Vec3::X * x);
        moved.world.iter_mut().for_each(|world| *world = by * *world);
        scene.update(&gpu, document, &moved);
        scene
    };
    let (own, other) = (placed(-1.0), placed(1.0));
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    let (low, high) = Surface::new(document, &pose).bounds().unwrap();
    camera.frame(low - glam::Vec3::X, high + glam::Vec3::X, 1.0);
    let colors = ViewportColors::theme("dark");
    let show = Show { size: 2.0, grid: false, ..Show::default() };
    // Full quality, and the quick picture that lights each pixel once.
    for quick in [false, true] {
        let target = match quick {
            true => RenderTarget::quick(&gpu, [240, 240], 1.0),
            false => RenderTarget::new(&gpu, [240, 240]),
        };
        let mut taken = Vec::new();
        for plain in [None, Some(false), Some(true)] {
            let beside = plain.map(|plain| SceneBeside { scene: &other, plain });
            let scenes = (&own, beside.as_slice());
            renderer.draw_with(&gpu, &target, scenes, &camera, &colors, &show);
            taken.push(capture(&gpu, &target).unwrap());
        }
        gpu.check().unwrap();
        let [alone, dimmed, plain] = &taken[..] else { panic!("three pictures") };
        let ((seen, bright), (none, _)) = (brightness(alone, false), brightness(alone, true));
        assert!(seen > 500 && none < seen / 20, "{seen} {none}, quick: {quick}");
        let (there, dark) = brightness(dimmed, true);
        assert!(there > seen / 2, "{there} of {seen}, quick: {quick}");
        assert!(dark < bright * 0.85, "{dark} of {bright}, quick: {quick}");
        assert!(differing(dimmed, plain) > 0.005, "quick: {quick}");
        let (still, same) = brightness(dimmed, false);
        assert!(still.abs_diff(seen) < seen / 20 && (same - bright).abs() < bright * 0.05);
    }
}

#[test]
fn textures_and_meshes_beyond_the_device_limits_are_scaled_or_omitted() {
    let session = Session::open(Path::new(SAMPLE), &Default::default()).unwrap();
    let before = session.document().clone();
    let Some(usual) = small(|_| {}) else { return };
    let (whole, scene) = picture(&usual, session.document());
    assert!(scene.left_out().is_empty());
    // With the smallest texture size that any device has, textures are coarser, but present.
    let coarse = small(|l| {
        (l.max_texture_dimension_2d, l.max_texture_dimension_1d) = (2048, 2048);
    })
    .unwrap();
    let (picture_coarse, _) = picture(&coarse, session.document());
    coarse.check().unwrap();
    assert!(differing(&whole, &picture_coarse) < 0.2);
    // The buffers are too small for the body, so it is left out, and reported.
    let tight = small(|l| {
        (l.max_buffer_size, l.max_storage_buffer_binding_size) = (400_000, 65_536);
    })
    .unwrap();
    let (empty, scene) = picture(&tight, session.document());
    tight.check().unwrap();
    assert!(!scene.left_out().is_empty());
    assert!(differing(&whole, &empty) > 0.02, "it is not shown");
    assert!(*session.document() == before);
}

#[test]
fn a_request_refused_by_the_device_is_an_error_without_a_crash() {
    let Some(gpu) = small(|_| {}) else { return };
    let document =
        Session::open(Path::new(SAMPLE), &Default::default()).unwrap().document().clone();
    drop(gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("far too large"),
        size: u64::MAX / 2,
        usage: wgpu::BufferUsages::VERTEX,
        mapped_at_creation: false,
    }));
    let refused = gpu.check().unwrap_err().to_string();
    assert!(refused.contains("graphics device"), "{refused}");
    gpu.check().expect("it is said once");
    let (shown, _) = picture(&gpu, &document);
    gpu.check().unwrap();
    assert!(shown.pixels().any(|p| p.0 != shown.get_pixel(0, 0).0), "it goes on");
}

#[test]
fn a_lost_device_is_an_error_without_a_crash() {
    let Some(gpu) = small(|_| {}) else { return };
    let document =
        Session::open(Path::new(SAMPLE), &Default::default()).unwrap().document().clone();
    let mut renderer = Renderer::new(&gpu);
    let mut scene = Scene::new(&gpu, renderer.pipelines(), &document, &[]);
    let pose = Pose::evaluate(&document, &Stack::default());
    scene.update(&gpu, &document, &pose);
    let target = RenderTarget::new(&gpu, [64, 64]);
    gpu.device.destroy();
    scene.update(&gpu, &document, &pose);
    renderer.draw(
        &gpu,
        &target,
        &scene,
        &Camera::default(),
        &ViewportColors::theme("dark"),
        &Show::default(),
    );
    let taken = capture(&gpu, &target);
    let said = gpu.check().err().or(taken.err()).expect("it is said").to_string();
    assert!(said.contains("graphics device"), "{said}");
}

/// Size of the compared pictures, in pixels.
const SIZE: [u32; 2] = [384, 384];

/// Returns the mean of one channel over all blocks.
fn total(blocks: &[[f64; 3]], channel: usize) -> f64 {
    blocks.iter().map(|b| b[channel]).sum::<f64>() / blocks.len() as f64
}

/// Returns the mean color of every block of 8 × 8 pixels.
fn blocks(picture: &image::RgbaImage) -> Vec<[f64; 3]> {
    let mean = |x: u32, y: u32| {
        let mut sum = [0.0; 3];
        for (dx, dy) in (0..64).map(|k| (k % 8, k / 8)) {
            let pixel = picture.get_pixel(x * 8 + dx, y * 8 + dy);
            (0..3).for_each(|c| sum[c] += f64::from(pixel.0[c]) / 64.0);
        }
        sum
    };
    let (width, height) = (picture.width() / 8, picture.height() / 8);
    (0..width * height).map(|k| mean(k % width, k / width)).collect()
}

/// Returns the nodes that have a mesh.
fn meshes(document: &Document) -> Vec<(NodeId, MeshId)> {
    document.nodes.iter().filter_map(|(id, n)| Some((id, n.mesh?))).collect()
}

/// Tints all vertices by their height.
fn tint_by_height(gpu: &Gpu, scene: &mut Scene, document: &Document, (low, high): (f32, f32)) {
    for (node, mesh) in meshes(document) {
        for (k, primitive) in document.mesh(mesh).entries() {
            let share = |p: &glam::Vec3| (p.y - low) / (high - low);
            let weights = primitive.positions.iter().map(|p| TintKind::weight(share(p)));
            scene.tint(gpu, node, k, 0, &weights.collect::<Vec<_>>());
        }
    }
}

/// Returns all compared settings with their names, for a model of this size in meters.
fn shows(
    document: &Document,
    pose: &Pose,
    look: &ViewportColors,
    size: f32,
) -> Vec<(&'static str, Show)> {
    let base = Show { size, scale: 1.0, grid: true, ..Show::default() };
    let joints = bones(document, pose, &ulna_motion::Skeleton::of(document));
    let bones = joints
        .into_iter()
        .map(|bone| BoneLook { bone, color: look.joint, edge: look.joint_edge })
        .collect();
    let outlined = meshes(document).into_iter().map(|(id, _)| id).collect();
    vec![
        ("textured", base.clone()),
        ("without perspective", base.clone()),
        ("solid", Show { shading: Shading::Solid, ..base.clone() }),
        ("wireframe", Show { shading: Shading::Wireframe, ..base.clone() }),
        ("X-ray", Show { shading: Shading::XRay, ..base.clone() }),
        ("outlined", Show { outlined, ..base.clone() }),
        ("joints", Show { bones, ..base.clone() }),
        ("tinted", Show { tint: Some(TintKind::Heat), ..base.clone() }),
        ("tinted with edges", Show { tint: Some(TintKind::Heat), tint_edges: true, ..base }),
    ]
}

/// Returns a picture scaled to the size in the window.
fn as_shown(picture: &image::RgbaImage) -> image::RgbaImage {
    image::imageops::resize(picture, SIZE[0], SIZE[1], image::imageops::FilterType::Triangle)
}

/// Asserts that a quick picture, drawn at a fraction of the full size, matches the full one.
fn assert_alike(full: &image::RgbaImage, quick: &image::RgbaImage, part: f32, of: &str) {
    let (a, b) = (blocks(full), blocks(quick));
    let apart =
        |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f64::max);
    let mean = a.iter().zip(&b).map(|(a, b)| apart(a, b)).sum::<f64>() / a.len() as f64;
    let most = a.iter().zip(&b).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
    let brighter = (0..3).map(|c| (total(&a, c) - total(&b, c)).abs()).fold(0.0, f64::max);
    let seen = format!(
        "{of} at {part}: {mean:.3} levels apart in the mean, {most:.1} at most, {brighter:.3} as a \
            whole"
    );
    println!("{seen}");
    assert!(full != quick, "{seen}: it is not drawn more quickly");
    let coarse = 1.0 - f64::from(part);
    assert!(
        mean < 0.5 + 2.0 * coarse && most < 16.0 + 64.0 * coarse && brighter < 0.5 + coarse,
        "{seen}"
    );
}

#[test]
fn a_reduced_resolution_picture_matches_the_full_one_in_brightness_and_position() {
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(error) if required() => panic!("{error}"),
        Err(error) => return crate::common::skipped(&error.to_string()),
    };
    let mut files = vec![PathBuf::from(SAMPLE)];
    let corpus = crate::common::shared().map(|s| s.join("corpus/characters"));
    files.extend(
        corpus
            .iter()
            .flat_map(|c| [c.join("Knight/Knight.glb"), c.join("Sintel/human-sintel.glb")]),
    );
    for file in &files {
        let session = Session::open(file, &Default::default()).unwrap();
        let document = session.document();
        let mut renderer = Renderer::new(&gpu);
        let (images, _) = decode_images(document);
        let mut scene = Scene::new(&gpu, renderer.pipelines(), document, &images);
        let pose = Pose::evaluate(document, &Stack::default());
        scene.update(&gpu, document, &pose);
        let mut camera = Camera::default();
        camera.look(Axis::ThreeQuarter);
        let (low, high) = Surface::new(document, &pose).bounds().unwrap();
        camera.frame(low, high, 1.0);
        let targets = [1.0, 0.75, 0.5].map(|part| (part, RenderTarget::quick(&gpu, SIZE, part)));
        let whole = RenderTarget::new(&gpu, SIZE);
        tint_by_height(&gpu, &mut scene, document, (low.y, high.y));
        let look = ViewportColors::theme("dark");
        for (name, show) in shows(document, &pose, &look, (high - low).length()) {
            camera.orthographic = name == "without perspective";
            let mut picture = |target: &RenderTarget, kind: &str| {
                renderer.draw(&gpu, target, &scene, &camera, &look, &show);
                let shown = as_shown(&capture(&gpu, target).unwrap());
                if let Ok(to) = std::env::var("ULNA_PICTURES") {
                    let stem = file.file_stem().unwrap().to_string_lossy();
                    shown.save(Path::new(&to).join(format!("{stem}-{name}-{kind}.png"))).unwrap();
                }
                shown
            };
            let full = picture(&whole, "full");
            for (part, target) in &targets {
                let quick = picture(target, &format!("quick-{part}"));
                assert_alike(&full, &quick, *part, &format!("{} {name}", file.display()));
            }
        }
    }
}
