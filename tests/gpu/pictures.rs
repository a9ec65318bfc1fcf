//! The shaders, and results of the GPU compared with those of the CPU.

use ulna_formats::gltf::Progress;
use ulna_model::{
    Document, Image, ImageId, Material, MaterialId, Mesh, MeshId, NodeId, Primitive, PrimitiveId,
    Shared, TextureRef, Topology, Transform,
};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_render::{
    Axis, Camera, Color, ColorRole, GhostLook, Gpu, Picture, RenderTarget, Renderer, SHADERS,
    Scene, Show, TintKind, ViewportColors, capture, decode_images, heat, skin_on_gpu, zero_weight,
};
use ulna_session::Session;

#[test]
fn every_shader_is_valid_wgsl() {
    for (name, source) in SHADERS {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        );
        validator
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    }
    assert!(SHADERS.len() >= 4);
}

/// Opens a device. `None` if there is none, and none is required.
fn gpu() -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("ULNA_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            crate::common::skipped(&error.to_string());
            None
        }
    }
}

fn compare(gpu: &Gpu, document: &Document, stack: &Stack, name: &str) -> (usize, f32) {
    let pose = Pose::evaluate(document, stack);
    let parts = skin_on_gpu(gpu, document, &pose).expect("a computed surface");
    let (mut count, mut worst) = (0, 0.0f32);
    for (node, index, found) in parts {
        let primitive =
            &document.mesh(document.node(node).mesh.expect("a mesh")).primitives[index.index()];
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
    let (Some(gpu), Some(shared)) = (gpu(), crate::common::shared()) else { return };
    let (mut files, mut vertices, mut worst) = (0, 0, 0.0f32);
    for path in crate::common::models(&shared.join("corpus")) {
        let name = path.display().to_string();
        let session =
            Session::open(&path, &Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let document = session.document();
        let clip = document.clips.values().next();
        let length = clip.map_or(0.0, |c| f64::from(c.length()));
        for time in [0.0, length * 0.37, length * 0.5, length + 1.0] {
            let (n, w) = compare(&gpu, document, &Stack::of(clip, time), &name);
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

/// Builds a square with a side of 2 m about the origin that faces +Z, with or without stored
/// normals. It is the only node of the document.
fn square(material: Material, normals: bool) -> Document {
    let uv = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]].map(glam::Vec2::from_array);
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]
        .map(glam::Vec3::from_array);
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
    let mesh = Mesh {
        name: None,
        primitives: vec![primitive],
        default_weights: Default::default(),
        target_names: Vec::new(),
        kept_weight_layers: None,
    };
    let session =
        Session::open_bytes(br#"{"asset":{"version":"2.0"},"nodes":[{"name":"square"}]}"#)
            .expect("a file");
    let mut document = session.document().clone();
    document.file.nodes.get_mut(NodeId(0)).expect("a node").mesh = Some(MeshId(0));
    document.file.meshes = vec![Shared::new(mesh)].into();
    document.file.materials = vec![material].into();
    document
}

/// Returns a reference of a normal map to the first image.
fn first_image() -> TextureRef {
    TextureRef {
        image: ImageId(0),
        uv_set: 0,
        wrap: Default::default(),
        nearest: false,
        nearest_min: false,
        mip: Default::default(),
        offset: glam::Vec2::ZERO,
        rotation: 0.0,
        scale: glam::Vec2::ONE,
    }
}

/// Returns the brightness of a square that faces the camera, with a uniform normal map of color
/// `tilt`. The normals are stored in the file, or computed as flat normals.
fn brightness(gpu: &Gpu, turn: glam::Quat, tilt: [u8; 3], normals: bool) -> f32 {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(2, 2, image::Rgba([tilt[0], tilt[1], tilt[2], 255]))
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a png");
    let base_color = glam::Vec4::new(0.3, 0.3, 0.3, 1.0);
    let material = Material {
        base_color,
        metallic: 0.0,
        normal_texture: Some(first_image()),
        ..Material::default()
    };
    let mut document = square(material, normals);
    document
        .file
        .nodes
        .get_mut(NodeId(0))
        .expect("a node")
        .set_user(Some(Transform { rotation: turn, ..Transform::IDENTITY }));
    document.file.images = [Image { name: None, bytes: png.into_inner().into() }].into();
    let pose = Pose::evaluate(&document, &Stack::default());
    let mut renderer = Renderer::new(gpu);
    let (images, findings) = decode_images(&document);
    assert!(findings.is_empty());
    let mut scene = Scene::new(gpu, renderer.pipelines(), &document, &images);
    scene.update(gpu, &document, &pose);
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    camera.frame(glam::vec3(-1.0, -1.0, 0.0), glam::vec3(1.0, 1.0, 0.0), 1.0);
    let show = Show { size: 2.0, ..Show::default() };
    let target = RenderTarget::new(gpu, [64, 64]);
    renderer.draw(gpu, &target, &scene, &camera, &ViewportColors::theme("dark"), &show);
    let image = capture(gpu, &target).expect("a picture");
    let pixel = image.get_pixel(32, 32).0;
    f32::from(pixel[0]) + f32::from(pixel[1]) + f32::from(pixel[2])
}

#[test]
fn a_normal_map_is_lit_from_the_side_the_light_comes_from() {
    let Some(mut gpu) = gpu() else { return };
    let mut seen = Vec::new();
    // Tangents are posed by the CPU, as on software adapters, or by the compute pass. Without
    // normals in the file, the directions are computed from the picture itself.
    for (software, normals) in [(true, true), (false, true), (true, false)] {
        gpu.software = software;
        for turns in [0.0, 0.5, 1.0, 1.5f32] {
            // The square rotates in its plane, and the map with it: the up direction of the map is
            // now left.
            let turn = glam::Quat::from_rotation_z(turns * std::f32::consts::PI);
            let [right, up, left, down] =
                [[192, 128, 230], [128, 192, 230], [64, 128, 230], [128, 64, 230]]
                    .map(|tilt| brightness(&gpu, turn, tilt, normals));
            let mut around = [right, up, left, down];
            around.rotate_right((turns * 2.0) as usize);
            // The key light is above the camera, on its left.
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
fn a_picture_of_the_sample_shows_a_light_figure_on_a_dark_background() {
    if gpu().is_none() {
        return;
    }
    let session =
        Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).expect("the sample");
    let document = session.document();
    let pose = Pose::evaluate(document, &Stack::default());
    let mut picture = Picture::new(document, [320, 400], &Default::default()).expect("a device");
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    let (low, high) = ulna_motion::Surface::new(document, &pose).bounds().expect("a surface");
    camera.frame(low, high, 0.8);
    let show = Show { grid: true, size: 2.0, ..Show::default() };
    let image = picture
        .take(document, &pose, &camera, &ViewportColors::theme("dark"), &show)
        .expect("a picture");
    let pale = image.pixels().filter(|p| p.0[0] > 150 && p.0[1] > 140).count();
    let share = pale as f32 / (320.0 * 400.0);
    assert!((0.05..0.4).contains(&share), "{share}");
    // The background equals the color of the theme to the byte. The light is linear, and the
    // picture stores gamma.
    assert_eq!(image.get_pixel(4, 4).0, [0x2B, 0x2E, 0x34, 255]);
}

/// A tinted square, seen from the front. If materials are displayed, it has a normal map and is
/// half transparent.
struct Tinted {
    gpu: Gpu,
    renderer: Renderer,
    scene: Scene,
    target: RenderTarget,
    camera: Camera,
}

impl Tinted {
    const SIDE: u32 = 160;

    fn new() -> Option<Self> {
        let gpu = gpu()?;
        let document = square(
            Material {
                normal_texture: Some(first_image()),
                alpha: ulna_model::AlphaMode::Blend,
                ..Material::default()
            },
            true,
        );
        let renderer = Renderer::new(&gpu);
        let mut scene = Scene::new(&gpu, renderer.pipelines(), &document, &[]);
        scene.update(&gpu, &document, &Pose::evaluate(&document, &Stack::default()));
        let target = RenderTarget::new(&gpu, [Self::SIDE; 2]);
        let mut camera = Camera { orthographic: true, ..Camera::default() };
        camera.look(Axis::Front);
        camera.frame(glam::vec3(-1.0, -1.0, 0.0), glam::vec3(1.0, 1.0, 0.0), 1.0);
        Some(Self { gpu, renderer, scene, target, camera })
    }

    /// Sets the tints of the square from vertex `first` on.
    fn set(&mut self, first: usize, values: &[u32]) {
        self.scene.tint(&self.gpu, NodeId(0), PrimitiveId(0), first, values);
    }

    fn draw(&mut self, kind: TintKind, theme: &str, edges: bool) -> image::RgbaImage {
        let show = Show { size: 2.0, tint: Some(kind), tint_edges: edges, ..Show::default() };
        self.renderer.draw(
            &self.gpu,
            &self.target,
            &self.scene,
            &self.camera,
            &ViewportColors::theme(theme),
            &show,
        );
        capture(&self.gpu, &self.target).expect("a picture")
    }

    /// Returns the color slightly beside the middle, away from edges.
    fn middle(&mut self, kind: TintKind) -> Color {
        Color(self.draw(kind, "dark", false).get_pixel(Self::SIDE / 2 + 9, Self::SIDE / 2).0)
    }
}

/// Whether two colors are equal, except for rounding in linear light.
fn alike(a: Color, b: Color) -> bool {
    a.0.iter().zip(b.0).all(|(a, b)| a.abs_diff(b) <= 1)
}

#[test]
fn a_surface_facing_the_camera_has_the_exact_ramp_colors() {
    let Some(mut tinted) = Tinted::new() else { return };
    for axis in [Axis::Front, Axis::Back] {
        tinted.camera.look(axis);
        for weight in (0..=16).map(|k| k as f32 / 16.0).chain([1.0 / 255.0, 0.3, 0.77]) {
            tinted.set(0, &[TintKind::weight(weight); 4]);
            let wanted = if weight == 0.0 { zero_weight("dark") } else { heat(weight) };
            let found = tinted.middle(TintKind::Heat);
            assert!(alike(found, wanted), "{axis:?} {weight}: {found:?} {wanted:?}");
        }
    }
    // Weights are interpolated between vertices: from left to right, each pixel has the color of
    // its own weight.
    tinted.camera.look(Axis::Front);
    let [low, high] = [0.0, 1.0].map(TintKind::weight);
    tinted.set(0, &[low, high, high, low]);
    let picture = tinted.draw(TintKind::Heat, "dark", false);
    let size = glam::Vec2::splat(Tinted::SIDE as f32);
    let [left, right] = [-1.0, 1.0]
        .map(|x| tinted.camera.project(glam::vec3(x, 0.0, 0.0), size).expect("before the eye").0.x);
    assert!(right - left > 60.0);
    let mut compared = 0;
    for x in left.ceil() as u32 + 4..right.floor() as u32 - 4 {
        let weight = (x as f32 + 0.5 - left) / (right - left);
        let pixel = picture.get_pixel(x, Tinted::SIDE / 3).0;
        let wanted = heat(weight);
        assert!(
            pixel.iter().zip(wanted.0).all(|(a, b)| a.abs_diff(b) <= 2),
            "{weight}: {pixel:?} {wanted:?}"
        );
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn vertices_without_a_value_are_dim_clay_and_only_given_tints_change() {
    let Some(mut tinted) = Tinted::new() else { return };
    let bare = tinted.middle(TintKind::Heat);
    let background = ColorRole::ViewportBackground.color("dark");
    let between = |k: usize| background.0[k] < bare.0[k] && bare.0[k] < zero_weight("dark").0[k];
    assert!((0..3).all(between), "{bare:?}");
    assert_eq!(tinted.middle(TintKind::Colors), bare);
    for none in [TintKind::NONE, f32::NAN.to_bits(), (-f32::NAN).to_bits(), 0x7F80_0001] {
        tinted.set(0, &[none; 4]);
        assert_eq!(tinted.middle(TintKind::Heat), bare, "{none:x}");
    }
    // Values for missing vertices and missing parts are skipped.
    let full = TintKind::weight(1.0);
    tinted.set(4, &[full; 9]);
    tinted.set(usize::MAX, &[full]);
    tinted.scene.tint(&tinted.gpu, NodeId(0), PrimitiveId(7), 0, &[full]);
    tinted.set(0, &[TintKind::NONE; 4]);
    assert_eq!(tinted.middle(TintKind::Heat), bare);
    // Tints only the lower right corner. The upper left triangle does not change.
    tinted.set(1, &[full]);
    let picture = tinted.draw(TintKind::Heat, "dark", false);
    let at = |x, y| Color(picture.get_pixel(x * Tinted::SIDE / 10, y * Tinted::SIDE / 10).0);
    assert_eq!(at(4, 3), bare);
    assert!(!alike(at(6, 7), bare));
    tinted.set(0, &[full; 99]);
    assert!(alike(tinted.middle(TintKind::Heat), heat(1.0)));
    tinted.scene.clear_tints();
    assert_eq!(tinted.middle(TintKind::Heat), bare);
    // Colors are blended with the neutral color by their alpha, in linear light.
    let red = Color([200, 30, 60, 255]);
    tinted.set(0, &[TintKind::color(red); 4]);
    assert!(alike(tinted.middle(TintKind::Colors), red));
    tinted.set(0, &[TintKind::color(Color([200, 30, 60, 0])); 4]);
    assert_eq!(tinted.middle(TintKind::Colors), bare);
    tinted.set(0, &[TintKind::color(Color([200, 30, 60, 128])); 4]);
    let linear = |color: Color| glam::Vec4::from(color.linear()).truncate();
    let (half, wanted) =
        (linear(tinted.middle(TintKind::Colors)), linear(bare).lerp(linear(red), 128.0 / 255.0));
    assert!(half.abs_diff_eq(wanted, 0.01), "{half} {wanted}");
    let plain = tinted.draw(TintKind::Colors, "light", false);
    let edged = tinted.draw(TintKind::Colors, "light", true);
    // The diagonal and the four sides are slightly darker than their surroundings.
    let differing: Vec<_> = plain.pixels().zip(edged.pixels()).filter(|(a, b)| a != b).collect();
    assert!((100..3000).contains(&differing.len()), "{}", differing.len());
    assert!(differing.iter().all(|(a, b)| a.0.iter().zip(b.0).all(|(a, b)| b <= *a && a - b < 60)));
}

#[test]
fn a_scene_with_uploaded_weights_is_posed_like_a_new_scene() {
    let Some(mut gpu) = gpu() else { return };
    let session =
        Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).expect("the sample");
    let mut document = session.document().clone();
    let node =
        document.node_ids().find(|n| document.node(*n).skin.is_some()).expect("a skinned node");
    let joints = document.skin(document.node(node).skin.expect("a skin")).joints.clone();
    for (k, joint) in joints.iter().enumerate() {
        let rotation = glam::Quat::from_rotation_x(0.1 + 0.05 * k as f32);
        document
            .file
            .nodes
            .get_mut(*joint)
            .expect("a node")
            .set_user(Some(Transform { rotation, ..Transform::IDENTITY }));
    }
    let mesh = document.node(node).mesh.expect("a mesh").index();
    // A normal map with alternating texture directions splits vertices. Their copies must follow.
    document.file.materials =
        vec![Material { normal_texture: Some(first_image()), ..Material::default() }].into();
    let primitive = &mut Shared::make_mut(
        document.file.meshes.get_mut(MeshId::from(mesh)).expect("it is there"),
    )
    .primitives[0];
    primitive.material = Some(MaterialId(0));
    primitive.uv0 = (0..primitive.positions.len())
        .map(|k| glam::vec2((k * k) as f32, k as f32 * 7.0).map(f32::sin))
        .collect();
    primitive.tangents = Default::default();
    let own = primitive.positions.len();
    let pose = Pose::evaluate(&document, &Stack::default());
    for software in [true, false] {
        gpu.software = software;
        let renderer = Renderer::new(&gpu);
        let mut document = document.clone();
        let mut scene = Scene::new(&gpu, renderer.pipelines(), &document, &[]);
        scene.update(&gpu, &document, &pose);
        let read = |scene: &Scene| {
            scene.posed(&gpu, node, PrimitiveId(0)).expect("a device").expect("a part")
        };
        let mut before = read(&scene);
        assert!(before.positions.len() > own, "vertices are split");
        let ranges = [3..own / 3, own - 1..own, 7..7, own..own + 9];
        // Rounds: other weights, then twice as many slots, then fewer slots.
        for (round, sets) in [(1, None), (2, Some(2)), (3, Some(1)), (4, None)] {
            let primitive = &mut Shared::make_mut(
                document.file.meshes.get_mut(MeshId::from(mesh)).expect("it is there"),
            )
            .primitives[0];
            let map = Shared::make_mut(primitive.weights.as_mut().expect("weights"));
            if let Some(sets) = sets {
                let (kept, wide) = (map.stride().min(sets * 4), sets * 4);
                let slot =
                    |k: usize| (k % wide < kept).then_some(k / wide * map.stride() + k % wide);
                let joints =
                    (0..own * wide).map(|k| slot(k).map_or(0, |s| map.joints[s])).collect();
                let weights =
                    (0..own * wide).map(|k| slot(k).map_or(0.0, |s| map.weights[s])).collect();
                *map = ulna_model::WeightMap { sets, joints, weights, ..map.clone() };
            }
            let stride = map.stride();
            for vertex in ranges[..2].iter().cloned().flatten() {
                let joint = (vertex + round) % joints.len();
                map.joints.make_mut()[vertex * stride + 1] = joint as u16;
                let weights = &mut map.weights.make_mut()[vertex * stride..][..stride];
                weights.fill(0.0);
                (weights[0], weights[1]) = (0.25, 0.75);
            }
            scene.update_weights(&gpu, &document, node, PrimitiveId(0), &ranges);
            scene.update_reweighed(&gpu, &document, &pose);
            let mut fresh = Scene::new(&gpu, renderer.pipelines(), &document, &[]);
            fresh.update(&gpu, &document, &pose);
            let (found, wanted) = (read(&scene), read(&fresh));
            // On the CPU, changed weights are posed vertex by vertex, with different rounding.
            let near = if software { 1e-6 } else { 0.0 };
            let pairs = found
                .positions
                .iter()
                .zip(&wanted.positions)
                .chain(found.normals.iter().zip(&wanted.normals));
            assert!(pairs.into_iter().all(|(a, b)| a.abs_diff_eq(*b, near)), "{software} {round}");
            assert_eq!(found.positions.len(), wanted.positions.len());
            let still =
                before.positions.iter().zip(&found.positions).filter(|(a, b)| a == b).count();
            assert!(still > own / 2, "{software} {round}: {still} stay as they were");
            let moved = before.positions[own..]
                .iter()
                .zip(&found.positions[own..])
                .filter(|(a, b)| a != b)
                .count();
            assert!(moved > 10, "{software} {round}: {moved} copies moved");
            before = found;
        }
    }
}

/// Writes a square with a side of 2 m about the origin that faces +Z, with its own material. `more`
/// is added to the JSON.
fn square_file(folder: &std::path::Path, more: serde_json::Value) -> std::path::PathBuf {
    let corners = [
        -1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0,
        0.0,
    ];
    let normals = [0.0, 0.0, 1.0].repeat(6);
    let places = [-3.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0];
    let bin = [
        crate::common::floats(&corners),
        crate::common::floats(&normals),
        crate::common::floats(&places),
    ]
    .concat();
    let vec3 = |offset: u32, count: u32| {
        serde_json::json!({"bufferView": 0, "byteOffset": offset, "componentType": 5126,
            "count": count, "type": "VEC3"})
    };
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
    std::fs::write(&path, crate::common::glb(json, &bin)).expect("a file");
    path
}

/// Returns the picture of `ulna render` with these arguments, 90 × 60 pixels.
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
fn a_material_variant_shows_its_materials() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let unlit = |color: [f32; 4]| {
        serde_json::json!({"pbrMetallicRoughness": {"baseColorFactor": color},
            "extensions": {"KHR_materials_unlit": {}}})
    };
    let mapping =
        serde_json::json!([{"material": 1, "variants": [1]}, {"material": 2, "variants": [2]}]);
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_variants"],
            "extensions": {"KHR_materials_variants": {"variants": [{"name": "As is"},
                {"name": "Leaf"}, {"name": "Sea"}]}},
            "materials": [unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0]),
                unlit([0.0, 0.0, 1.0, 1.0])],
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
fn instances_including_mirrored_ones_are_drawn_at_their_positions() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["EXT_mesh_gpu_instancing"],
            "nodes": [{"mesh": 0,
                "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2,
                    "SCALE": 3}}}}],
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
fn hidden_nodes_and_their_descendants_are_not_drawn_until_a_clip_shows_them() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let unlit = |color: [f32; 4]| {
        serde_json::json!({"pbrMetallicRoughness": {"baseColorFactor": color},
            "extensions": {"KHR_materials_unlit": {}}})
    };
    let mesh = |material: u32| {
        serde_json::json!(
        {"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "material": material}]})
    };
    // Red is behind green, and green behind blue.
    let drawn = |visible: serde_json::Value| {
        let path = square_file(
            folder.path(),
            serde_json::json!({
                "extensionsUsed": ["KHR_materials_unlit", "KHR_node_visibility"],
                "extensionsRequired": ["KHR_node_visibility"],
                "materials": [unlit([1.0, 0.0, 0.0, 1.0]), unlit([0.0, 1.0, 0.0, 1.0]),
                    unlit([0.0, 0.0, 1.0, 1.0])],
                "meshes": [mesh(0), mesh(1), mesh(2)],
                "nodes": [
                    {"mesh": 0},
                    {"mesh": 1, "translation": [0, 0, 0.2], "children": [2],
                        "extensions": {"KHR_node_visibility": visible}},
                    {"mesh": 2, "translation": [0, 0, 0.2]},
                ],
                "scenes": [{"nodes": [0, 1]}],
                "scene": 0,
            }),
        );
        rendered(&path, &["--view", "front"]).get_pixel(45, 30).0
    };
    assert_eq!(drawn(serde_json::json!({"visible": false})), [255, 0, 0, 255]);
    assert_eq!(drawn(serde_json::json!({"visible": true})), [0, 0, 255, 255]);
    assert_eq!(drawn(serde_json::json!({})), [0, 0, 255, 255]);
    let Some(shared) = crate::common::shared() else { return };
    let sword = folder.path().join("used.glb");
    std::fs::copy(shared.join("situations/visibility-required/used.glb"), &sword).expect("a copy");
    let at = |time: &str| rendered(&sword, &["--view", "front", "--clip", "#0", "--time", time]);
    let differing = |a: &image::RgbaImage, b: &image::RgbaImage| {
        a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
    };
    let (before, after) = (at("0.4999"), at("0.5"));
    let (shown, moved) = (differing(&before, &after), differing(&after, &at("0.5001")));
    assert!(
        shown > 30 && shown > 3 * moved,
        "the sword comes in sight, and what else moves meanwhile is not it: {shown} {moved}"
    );
}

#[test]
fn file_lights_can_replace_the_studio_lights() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let light = |k: u32| serde_json::json!({"KHR_lights_punctual": {"light": k}});
    // Three lights in front of the square shine at it. One is a red directional light, and one is a
    // green spot light with a narrow cone on the right half. The range of the blue point light is
    // too short.
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "extensionsUsed": ["KHR_lights_punctual"],
            "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0.0,
                "baseColorFactor": [0.3, 0.3, 0.3, 1.0]}}],
            "extensions": {"KHR_lights_punctual": {"lights": [
                {"type": "directional", "color": [1.0, 0.0, 0.0], "intensity": 1.0},
                {"type": "spot", "color": [0.0, 1.0, 0.0], "intensity": 4.0,
                    "spot": {"outerConeAngle": 0.2}},
                {"type": "point", "color": [0.0, 0.0, 1.0], "intensity": 50.0, "range": 2.0},
            ]}},
            "nodes": [{"mesh": 0}, {"extensions": light(0)},
                {"translation": [0.6, 0.0, 2.0], "extensions": light(1)},
                    {"translation": [0.0, 0.0, 3.0], "extensions": light(2)}],
        }),
    );
    let studio = rendered(&path, &["--view", "front", "--orthographic"]);
    let own = rendered(&path, &["--view", "front", "--orthographic", "--lights"]);
    // One point on the left half of the square, and one in the middle of the cone.
    let (aside, lit) = ((33, 30), (61, 30));
    let at =
        |picture: &image::RgbaImage, (x, y): (u32, u32)| picture.get_pixel(x, y).0.map(i32::from);
    let [r, g, b, _] = at(&studio, aside);
    assert!(r > 60 && (r - g).abs() < 25 && (r - b).abs() < 25, "{r} {g} {b}");
    let [r, g, b, _] = at(&own, aside);
    assert!(r > g + 5 && (g - b).abs() < 25, "{r} {g} {b}");
    let [_, green, blue, _] = at(&own, lit);
    assert!(green > g + 12 && (blue - b).abs() < 10, "{green} {blue}");
    // A file without lights gives the same picture with and without the option.
    let plain = square_file(folder.path(), serde_json::json!({}));
    assert_eq!(rendered(&plain, &["--lights"]), rendered(&plain, &[]));
}

#[test]
fn a_picture_through_a_camera_of_the_file_has_the_view_of_that_camera() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = square_file(
        folder.path(),
        serde_json::json!({
            "cameras": [
                {"name": "Wide", "type": "perspective",
                    "perspective": {"yfov": 1.5707964, "znear": 0.01}},
                {"type": "orthographic",
                    "orthographic": {"xmag": 3.0, "ymag": 2.0, "znear": 0.01, "zfar": 50.0}},
            ],
            "nodes": [{"mesh": 0}, {"name": "Before", "camera": 0, "translation": [0, 0, 2]},
                {"name": "Flat", "camera": 1, "translation": [0, 0, 9]},
                {"name": "Away", "camera": 0, "translation": [0, 0, 2], "rotation": [0, 1, 0, 0]}],
        }),
    );
    // The square covers half of the height in both cases. A field of view of 90° at two meters
    // covers 4 m, and so does an orthographic half height of 2 m.
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

/// Ghosts are drawn in their color beside the model. Each is posed once, and the pose of the scene
/// is unchanged.
#[test]
fn ghosts_are_drawn_beside_the_model_and_posed_once() {
    let Some(gpu) = gpu() else { return };
    let session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    let document = session.document();
    let clip = document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap();
    let at = |time: f64| Pose::evaluate(document, &Stack::of(Some(clip), time));
    let mut renderer = Renderer::new(&gpu);
    let mut scene = Scene::new(&gpu, renderer.pipelines(), document, &[]);
    let now = at(0.0);
    scene.update(&gpu, document, &now);
    let mut camera = Camera::default();
    camera.look(Axis::Side);
    camera.frame(glam::vec3(-0.6, 0.0, -0.6), glam::vec3(0.6, 1.8, 0.6), 1.0);
    let mut take = |scene: &Scene| {
        let target = RenderTarget::new(&gpu, [160, 160]);
        let show = Show { size: 2.0, ..Show::default() };
        renderer.draw(&gpu, &target, scene, &camera, &ViewportColors::theme("dark"), &show);
        capture(&gpu, &target).unwrap()
    };
    let bare = take(&scene);
    let look = |moment: u64, color: [f32; 4]| GhostLook { moment, color };
    let looks = [look(1, [0.9, 0.1, 0.0, 1.0]), look(2, [0.0, 0.1, 0.9, 1.0])];
    let missing = scene.show_ghosts(&gpu, &looks);
    assert_eq!(missing, [1, 2]);
    for (look, time) in looks.iter().zip([0.25, 0.6]) {
        scene.pose_ghost(&gpu, document, look, &at(time), None);
    }
    scene.update(&gpu, document, &now);
    assert!(scene.show_ghosts(&gpu, &looks).is_empty(), "they are posed");
    let both = take(&scene);
    let (mut red, mut blue) = (0, 0);
    for (a, b) in bare.pixels().zip(both.pixels()) {
        let more = |k: usize| i32::from(b.0[k]) - i32::from(a.0[k]);
        red += i32::from(more(0) > 30 && more(2) < 10);
        blue += i32::from(more(2) > 30 && more(0) < 10);
    }
    assert!(red > 60 && blue > 60, "{red} {blue}");
    // After one ghost is removed, the others are not posed again.
    assert!(scene.show_ghosts(&gpu, &looks[..1]).is_empty());
    assert_eq!(scene.ghost_count(), 1);
    scene.forget_ghosts();
    assert_eq!(take(&scene), bare);
    // A ghost in the displayed pose is hidden by the model.
    scene.show_ghosts(&gpu, &looks[..1]);
    scene.pose_ghost(&gpu, document, &looks[0], &now, None);
    scene.update(&gpu, document, &now);
    let same = take(&scene);
    let differ = bare
        .pixels()
        .zip(same.pixels())
        .filter(|(a, b)| (0..3).any(|k| a.0[k].abs_diff(b.0[k]) > 40))
        .count();
    assert!(differ < 60, "{differ} pixels of 25600");
}

/// Without a background, the picture is transparent around the model. The colors are those of the
/// model, up to its outline.
#[test]
fn pictures_without_a_background_are_transparent() {
    let Some(gpu) = gpu() else { return };
    let session = Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).unwrap();
    let document = session.document();
    let pose = Pose::evaluate(document, &Stack::default());
    let mut camera = Camera::default();
    camera.look(Axis::Front);
    let mut picture = Picture::on(gpu, document, [200, 200]);
    let look = ViewportColors::theme("dark");
    let show = Show { size: 2.0, transparent: true, ..Show::default() };
    let bare = picture.take(document, &pose, &camera, &look, &show).unwrap();
    let opaque = picture
        .take(document, &pose, &camera, &look, &Show { transparent: false, ..show })
        .unwrap();
    let (mut none, mut half, mut whole) = (0, 0, 0);
    for (a, b) in bare.pixels().zip(opaque.pixels()) {
        assert_eq!(b.0[3], 255);
        match a.0[3] {
            0 => none += 1,
            255 => {
                whole += 1;
                assert_eq!(a, b, "what is covered is as it is over a background");
            }
            _ => half += 1,
        }
    }
    assert!(none > 10_000 && half > 50 && whole > 2_000, "{none} {half} {whole}");
}

/// The picture of a file without surfaces is not empty, because its joints are drawn by default.
#[test]
fn the_joints_of_a_file_without_surfaces_are_drawn() {
    if gpu().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bones.glb");
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_ulna"))
        .args([
            "export",
            concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb"),
            "--skeleton-only",
            "-o",
        ])
        .arg(&path)
        .status()
        .expect("the program starts");
    assert!(made.success());
    let picture = rendered(&path, &["--transparent"]);
    let drawn = picture.pixels().filter(|p| p.0[3] > 0).count();
    assert!(drawn > 50, "{drawn} pixels");
    assert!(picture == rendered(&path, &["--transparent", "--joints"]));
}
