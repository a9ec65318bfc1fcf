//! The shaders, and what the GPU computes beside what the CPU does.
#![cfg(feature = "render")]

mod common;

use std::sync::Arc;

use ulna::{
    formats::gltf::Progress,
    model::{Document, Image, ImageId, Material, MaterialId, Mesh, MeshId, Primitive, TextureRef, Topology, Transform},
    motion::{Moment, Placement, Pose, Posed, skinning},
    render::{
        Axis, Camera, Gpu, Look, Picture, Renderer, SHADERS, Scene, Show, Target, capture, decode_images, skin_on_gpu,
    },
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
            let (n, w) = compare(&gpu, document, Moment { clip, time }, &name);
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

/// How bright a square that faces the eye is, with a normal map that tilts it all over towards `tilt` of its texture; with
/// normals in the file, or flat ones.
fn brightness(gpu: &Gpu, turn: glam::Quat, tilt: [u8; 3], normals: bool) -> f32 {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(2, 2, image::Rgba([tilt[0], tilt[1], tilt[2], 255]))
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a png");
    let uv = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]].map(glam::Vec2::from_array);
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(glam::Vec3::from_array);
    let texture = TextureRef {
        image: ImageId(0),
        uv_set: 0,
        wrap: Default::default(),
        nearest: false,
        nearest_min: false,
        mip: Default::default(),
        offset: glam::Vec2::ZERO,
        rotation: 0.0,
        scale: glam::Vec2::ONE,
    };
    let base_color = glam::Vec4::new(0.3, 0.3, 0.3, 1.0);
    let material = Material { base_color, metallic: 0.0, normal_texture: Some(texture), ..Material::default() };
    let primitive = Primitive {
        topology: Topology::Triangles,
        positions: corners.into(),
        normals: if normals { [glam::Vec3::Z; 4].into() } else { Default::default() },
        tangents: Default::default(),
        uv0: uv.into(),
        uv1: Default::default(),
        colors: Default::default(),
        indices: [0, 1, 2, 0, 2, 3].into(),
        material: Some(MaterialId(0)),
        variants: Default::default(),
        targets: Default::default(),
        weights: None,
    };
    let mesh =
        Mesh { name: None, primitives: vec![primitive], default_weights: Default::default(), target_names: Vec::new() };
    let session = Session::open_bytes(br#"{"asset":{"version":"2.0"},"nodes":[{"name":"square"}]}"#).expect("a file");
    let mut document = session.document().clone();
    document.nodes[0].mesh = Some(MeshId(0));
    document.nodes[0].user = Some(Transform { rotation: turn, ..Transform::IDENTITY });
    document.meshes = vec![Arc::new(mesh)];
    document.materials = [material].into();
    document.images = [Image { name: None, bytes: png.into_inner().into() }].into();
    let pose = Pose::evaluate(&document, Moment::default());
    let mut renderer = Renderer::new(gpu);
    let (images, findings) = decode_images(&document);
    assert!(findings.is_empty());
    let mut scene = Scene::new(gpu, renderer.material_layout(), &document, &images);
    scene.update(gpu, &document, &pose);
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    camera.frame(corners[0], corners[2], 1.0);
    let show = Show { size: 2.0, ..Show::default() };
    let target = Target::new(gpu, [64, 64]);
    renderer.draw(gpu, &target, &scene, &camera, &Look::theme("dark"), &show);
    let image = capture(gpu, &target).expect("a picture");
    let pixel = image.get_pixel(32, 32).0;
    f32::from(pixel[0]) + f32::from(pixel[1]) + f32::from(pixel[2])
}

#[test]
fn a_normal_map_is_lit_from_the_side_the_light_comes_from() {
    let Some(mut gpu) = gpu() else { return };
    let mut seen = Vec::new();
    // With the CPU posing the tangents, as on software adapters; with the compute pass; and without normals in the file,
    // where the directions come from the picture itself.
    for (software, normals) in [(true, true), (false, true), (true, false)] {
        gpu.software = software;
        for turns in [0.0, 0.5, 1.0, 1.5f32] {
            // The square turns in its plane, and the map with it: what was up the picture is now to its left.
            let turn = glam::Quat::from_rotation_z(turns * std::f32::consts::PI);
            let [right, up, left, down] = [[192, 128, 230], [128, 192, 230], [64, 128, 230], [128, 64, 230]]
                .map(|tilt| brightness(&gpu, turn, tilt, normals));
            let mut around = [right, up, left, down];
            around.rotate_right((turns * 2.0) as usize);
            // The key light stands up and to the left of the eye.
            let [right, up, left, down] = around;
            assert!(left > right + 20.0, "{software} {normals} {turns}: {left} {right}");
            assert!(up > down + 20.0, "{software} {normals} {turns}: {up} {down}");
            seen.push(around);
        }
    }
    for other in [&seen[4..8], &seen[8..]] {
        for (cpu, other) in seen[..4].iter().zip(other) {
            assert!(cpu.iter().zip(other).all(|(a, b)| (a - b).abs() <= 3.0), "{cpu:?} {other:?}");
        }
    }
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
    let show = Show { grid: true, size: 2.0, ..Show::default() };
    let image = picture.take(document, &pose, &camera, &Look::theme("dark"), &show).expect("a picture");
    let pale = image.pixels().filter(|p| p.0[0] > 150 && p.0[1] > 140).count();
    let share = pale as f32 / (320.0 * 400.0);
    assert!((0.05..0.4).contains(&share), "{share}");
    // The background is the token's colour to the byte: linear light out, gamma in the picture.
    assert_eq!(image.get_pixel(4, 4).0, [0x2B, 0x2E, 0x34, 255]);
}

/// A square of two metres about the origin that faces +Z, in a material of its own, and what else the JSON says.
fn square_file(folder: &std::path::Path, more: serde_json::Value) -> std::path::PathBuf {
    let corners = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    let normals = [0.0, 0.0, 1.0].repeat(6);
    let places = [-3.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0];
    let bin = [common::floats(&corners), common::floats(&normals), common::floats(&places)].concat();
    let vec3 = |offset: u32, count: u32| serde_json::json!({"bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count, "type": "VEC3"});
    let mut json = serde_json::json!({
        "bufferViews": [{"buffer": 0, "byteLength": bin.len()}],
        "accessors": [vec3(0, 6), vec3(72, 6), vec3(144, 2), vec3(168, 2)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0.0}}],
        "nodes": [{"mesh": 0}],
    });
    for (key, value) in more.as_object().expect("an object") {
        json[key] = value.clone();
    }
    let path = folder.join("square.glb");
    std::fs::write(&path, common::glb(json, &bin)).expect("a file");
    path
}

/// What `ulna render` makes of a file with these arguments, 90 by 60 pixels.
fn rendered(path: &std::path::Path, arguments: &[&str]) -> image::RgbaImage {
    let out = path.with_extension("png");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["render", path.to_str().expect("a path"), "-o", out.to_str().expect("a path")])
        .args(["--no-grid", "--size", "90x60"])
        .args(arguments)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    image::open(&out).expect("a picture").into_rgba8()
}

#[test]
fn a_variant_shows_its_materials() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let unlit = |color: [f32; 4]| serde_json::json!({"pbrMetallicRoughness": {"baseColorFactor": color}, "extensions": {"KHR_materials_unlit": {}}});
    let mapping = serde_json::json!([{"material": 1, "variants": [1]}, {"material": 2, "variants": [2]}]);
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_variants"],
            "extensions": {"KHR_materials_variants": {"variants": [{"name": "As is"}, {"name": "Leaf"}, {"name": "Sea"}]}},
            "materials": [unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0]), unlit([0.0, 0.0, 1.0, 1.0])],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "material": 0,
                "extensions": {"KHR_materials_variants": {"mappings": mapping}}}]}],
        }),
    );
    for (arguments, wanted) in [
        (&["--view", "front"][..], [255, 0, 0, 255]),
        (&["--view", "front", "--variant", "As is"], [255, 0, 0, 255]),
        (&["--view", "front", "--variant", "Leaf"], [0, 255, 0, 255]),
        (&["--view", "front", "--variant", "2"], [0, 0, 255, 255]),
    ] {
        assert_eq!(rendered(&path, arguments).get_pixel(45, 30).0, wanted, "{arguments:?}");
    }
}

#[test]
fn instances_are_drawn_where_they_stand_mirrored_ones_too() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["EXT_mesh_gpu_instancing"],
            "nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2, "SCALE": 3}}}}],
        }),
    );
    for shading in ["textured", "solid", "wireframe"] {
        let picture = rendered(&path, &["--view", "front", "--orthographic", "--shading", shading]);
        let empty = *picture.get_pixel(45, 2);
        let drawn = |range: std::ops::Range<u32>| -> usize {
            range
                .flat_map(|x| (0..60).map(move |y| (x, y)))
                .filter(|(x, y)| *picture.get_pixel(*x, *y) != empty)
                .count()
        };
        let (left, middle, right) = (drawn(0..30), drawn(40..50), drawn(60..90));
        assert_eq!(middle, 0, "{shading}: the node itself is not drawn");
        assert!(left > 40 && right > 40 && left.abs_diff(right) < 40, "{shading}: {left} {right}");
    }
}

#[test]
fn the_lights_of_the_file_shine_instead_of_the_studios_when_asked() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let light = |k: u32| serde_json::json!({"KHR_lights_punctual": {"light": k}});
    // All three are before the square and shine at it: a red sun, a green spot with a narrow cone to its right half, and a
    // blue point whose range ends before it.
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["KHR_lights_punctual"],
            "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0.0, "baseColorFactor": [0.3, 0.3, 0.3, 1.0]}}],
            "extensions": {"KHR_lights_punctual": {"lights": [
                {"type": "directional", "color": [1.0, 0.0, 0.0], "intensity": 1.0},
                {"type": "spot", "color": [0.0, 1.0, 0.0], "intensity": 4.0, "spot": {"outerConeAngle": 0.2}},
                {"type": "point", "color": [0.0, 0.0, 1.0], "intensity": 50.0, "range": 2.0},
            ]}},
            "nodes": [{"mesh": 0}, {"extensions": light(0)},
                {"translation": [0.6, 0.0, 2.0], "extensions": light(1)}, {"translation": [0.0, 0.0, 3.0], "extensions": light(2)}],
        }),
    );
    let studio = rendered(&path, &["--view", "front", "--orthographic"]);
    let own = rendered(&path, &["--view", "front", "--orthographic", "--lights"]);
    // The square's left half, and the middle of the cone.
    let (aside, lit) = ((33, 30), (53, 30));
    let at = |picture: &image::RgbaImage, (x, y): (u32, u32)| picture.get_pixel(x, y).0.map(i32::from);
    let [r, g, b, _] = at(&studio, aside);
    assert!(r > 60 && (r - g).abs() < 25 && (r - b).abs() < 25, "{r} {g} {b}");
    let [r, g, b, _] = at(&own, aside);
    assert!(r > g + 5 && (g - b).abs() < 25, "{r} {g} {b}");
    let [_, green, blue, _] = at(&own, lit);
    assert!(green > g + 12 && (blue - b).abs() < 10, "{green} {blue}");
    // A file without lights looks the same, asked or not.
    let plain = square_file(folder.path(), serde_json::json!({}));
    assert_eq!(rendered(&plain, &["--lights"]), rendered(&plain, &[]));
}

#[test]
fn a_camera_of_the_file_sees_what_it_looks_at() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "cameras": [
                {"name": "Wide", "type": "perspective", "perspective": {"yfov": 1.5707964, "znear": 0.01}},
                {"type": "orthographic", "orthographic": {"xmag": 3.0, "ymag": 2.0, "znear": 0.01, "zfar": 50.0}},
            ],
            "nodes": [{"mesh": 0}, {"name": "Before", "camera": 0, "translation": [0, 0, 2]},
                {"name": "Flat", "camera": 1, "translation": [0, 0, 9]},
                {"name": "Away", "camera": 0, "translation": [0, 0, 2], "rotation": [0, 1, 0, 0]}],
        }),
    );
    // The square spans half the height for both: 90° at two metres see four, and so does a height of twice two.
    for name in ["Wide", "Before", "Flat"] {
        let picture = rendered(&path, &["--camera", name]);
        let empty = *picture.get_pixel(1, 1);
        let rows = (0..60).filter(|y| *picture.get_pixel(45, *y) != empty).count();
        let columns = (0..90).filter(|x| *picture.get_pixel(*x, 30) != empty).count();
        assert!(rows.abs_diff(30) <= 2 && columns.abs_diff(30) <= 2, "{name}: {rows} {columns}");
    }
    let away = rendered(&path, &["--camera", "Away"]);
    assert!(away.pixels().all(|p| p == away.get_pixel(0, 0)));
}
