//! The shaders, and what the GPU computes beside what the CPU does.
#![cfg(feature = "render")]

mod common;

use ulna::{
    formats::gltf::Progress,
    model::Document,
    motion::{Moment, Placement, Pose, Posed, skinning},
    render::{Axis, Camera, Gpu, Look, Picture, SHADERS, Show, skin_on_gpu},
    session::Session,
};

#[test]
fn every_shader_is_valid_wgsl() {
    for (name, source) in SHADERS {
        let module =
            naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        validator.validate(&module).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    }
    assert!(SHADERS.len() >= 4);
}

/// A device, or nothing where there is none and nobody requires one.
fn gpu() -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("ULNA_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn compare(gpu: &Gpu, document: &Document, moment: Moment<'_>, name: &str) -> (usize, f32) {
    let pose = Pose::evaluate(document, moment);
    let parts = skin_on_gpu(gpu, document, &pose).expect("a computed surface");
    let (mut count, mut worst) = (0, 0.0f32);
    for (node, index, found) in parts {
        let primitive = &document.mesh(document.node(node).mesh.expect("a mesh")).primitives[index];
        let mut wanted = Posed::default();
        let placement = Placement::of(document, &pose, node, primitive);
        skinning::skin(
            primitive,
            &skinning::base_normals(primitive),
            &pose.morphs[node.index()],
            &placement,
            &mut wanted,
        );
        let size = wanted.positions.iter().map(|p| p.length()).fold(1e-6, f32::max);
        assert_eq!(found.positions.len(), wanted.positions.len(), "{name}");
        for (a, b) in found.positions.iter().zip(&wanted.positions) {
            worst = worst.max(a.distance(*b) / size);
            count += 1;
        }
        for (a, b) in found.normals.iter().zip(&wanted.normals) {
            assert!(a.distance(*b) < 2e-3 || b.length() < 0.5, "{name}: a normal is {a}, not {b}");
        }
    }
    assert!(worst <= 1e-4, "{name}: off by {worst} of the model's size");
    (count, worst)
}

#[test]
fn the_compute_pass_agrees_with_the_cpu_on_the_corpus() {
    let (Some(gpu), Some(shared)) = (gpu(), common::shared()) else { return };
    let (mut files, mut vertices, mut worst) = (0, 0, 0.0f32);
    for path in common::models(&shared.join("corpus")) {
        let name = path.display().to_string();
        let session = Session::open(&path, &Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let document = session.document();
        let clip = document.clips.values().next();
        let length = clip.map_or(0.0, |c| f64::from(c.length()));
        for time in [0.0, length * 0.37, length * 0.5, length + 1.0] {
            let (n, w) = compare(&gpu, document, Moment { clip: clip.map(|c| &**c), time }, &name);
            vertices += n;
            worst = worst.max(w);
            if clip.is_none() {
                break;
            }
        }
        files += 1;
    }
    println!("{files} files, {vertices} vertices, worst {worst:e} of the model's size");
    assert!(files >= 125 && vertices > 300_000, "{files} {vertices}");
}

#[test]
fn a_picture_of_the_sample_shows_a_pale_figure_on_dark_ground() {
    if gpu().is_none() {
        return;
    }
    let session = Session::open_bytes(include_bytes!("../assets/mannequin.glb")).expect("the sample");
    let document = session.document();
    let pose = Pose::evaluate(document, Moment::default());
    let mut picture = Picture::new(document, [320, 400]).expect("a device");
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    let (low, high) = ulna::motion::Surface::new(document, &pose).bounds().expect("a surface");
    camera.frame(low, high, 0.8);
    let show = Show { grid: true, bones: Vec::new(), size: 2.0 };
    let image = picture.take(document, &pose, &camera, &Look::theme("dark"), &show).expect("a picture");
    let pale = image.pixels().filter(|p| p.0[0] > 150 && p.0[1] > 140).count();
    let share = pale as f32 / (320.0 * 400.0);
    assert!((0.05..0.4).contains(&share), "{share}");
    // The background is the token's colour to the byte: linear light out, gamma in the picture.
    assert_eq!(image.get_pixel(4, 4).0, [0x2B, 0x2E, 0x34, 255]);
}
