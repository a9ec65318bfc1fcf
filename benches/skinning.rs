//! Linear blend skinning of positions and normals on the CPU, with four influences per vertex and
//! 200 joints.
//!
//! Targets, relative to the straightforward loop of the same run (`Affine3A`, normals transformed
//! by the blended matrix, and normalized): at least 1.5 times as fast on one thread, and 1.7 times
//! faster again on two. Unlike that loop, our code transforms normals correctly under non-uniform
//! scale.
//!
//! With `--features render`, the benchmark also measures the complete cost of a pose change on the
//! available device. It compares the compute pass with skinning on the CPU and an upload. Ulna
//! should choose the faster method: the CPU for software adapters, and the compute pass otherwise.
//! The compute pass should take at most 1 / 0.6 of the time that the device needs to copy the same
//! number of bytes.

mod common;

use std::hint::black_box;

use common::noise;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::{Affine3A, Mat4, Quat, Vec3};
use ulna_model::{Primitive, Shared, Topology, WeightMap};
use ulna_motion::{Placement, Posed, skinning};

const JOINTS: usize = 200;

fn primitive(count: usize) -> Primitive {
    let point =
        |k: usize| Vec3::new(noise(k as u32 * 3), noise(k as u32 * 3 + 1), noise(k as u32 * 3 + 2));
    // Neighboring vertices share joints, as in a real mesh.
    let joints =
        (0..count * 4).map(|k| ((k / 4 * JOINTS / count + k % 4) % JOINTS) as u16).collect();
    let weights = (0..count).flat_map(|_| [0.5, 0.25, 0.15, 0.1]).collect();
    Primitive {
        topology: Topology::Triangles,
        positions: (0..count).map(point).collect(),
        normals: (0..count).map(|k| (point(k + 7) - 0.5).normalize_or(Vec3::Y)).collect(),
        tangents: [].into(),
        uv0: [].into(),
        uv1: [].into(),
        colors: [].into(),
        indices: [].into(),
        material: None,
        variants: [].into(),
        targets: Shared::from([]),
        weights: Some(Shared::new(WeightMap { sets: 1, joints, weights, ..WeightMap::default() })),
    }
}

fn palette() -> Vec<Mat4> {
    (0..JOINTS)
        .map(|k| {
            let k = k as f32;
            Mat4::from_rotation_translation(
                Quat::from_euler(glam::EulerRot::XYZ, k, k * 0.7, k * 0.3),
                Vec3::splat(k),
            )
        })
        .collect()
}

fn plain(
    primitive: &Primitive,
    palette: &[Affine3A],
    positions: &mut [Vec3],
    normals: &mut [Vec3],
) {
    let Some(weights) = &primitive.weights else { return };
    for (k, (p, n)) in positions.iter_mut().zip(normals).enumerate() {
        let mut m = Affine3A::ZERO;
        for slot in k * 4..k * 4 + 4 {
            let (joint, w) = (&palette[usize::from(weights.joints[slot])], weights.weights[slot]);
            m.matrix3 += joint.matrix3 * w;
            m.translation += joint.translation * w;
        }
        *p = m.transform_point3(primitive.positions[k]);
        *n = m.transform_vector3(primitive.normals[k]).normalize_or_zero();
    }
}

fn skin(c: &mut Criterion) {
    let matrices = palette();
    let affine: Vec<Affine3A> = matrices.iter().map(|m| Affine3A::from_mat4(*m)).collect();
    let placement = Placement::Skinned(matrices);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let mut group = c.benchmark_group("skinning");
    for count in [10_000, 1_000_000] {
        let primitive = primitive(count);
        group.throughput(Throughput::Elements(count as u64));
        group.sample_size(if count > 100_000 { 20 } else { 100 });
        let mut posed = Posed::default();
        group.bench_function(BenchmarkId::new("Ulna, one thread", count), |b| {
            one.install(|| {
                b.iter(|| {
                    skinning::skin(&primitive, &primitive.normals, &[], &placement, &mut posed);
                    black_box(&posed);
                });
            });
        });
        group.bench_function(BenchmarkId::new("Ulna, all threads", count), |b| {
            b.iter(|| {
                skinning::skin(&primitive, &primitive.normals, &[], &placement, &mut posed);
                black_box(&posed);
            });
        });
        let (mut positions, mut normals) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
        group.bench_function(BenchmarkId::new("plain, one thread", count), |b| {
            b.iter(|| {
                plain(&primitive, &affine, &mut positions, &mut normals);
                black_box((&positions, &normals));
            });
        });
    }
    group.finish();
}

/// Bytes that the compute pass reads and writes per vertex with four influences: it reads position
/// and normal, joints and weights, and writes position and normal.
#[cfg(feature = "render")]
const SKINNED_BYTES: u64 = 24 + 32 + 24;

/// A pass that only reads and writes bytes, to measure the maximum speed of a device.
#[cfg(feature = "render")]
struct Copy {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    groups: u32,
}

#[cfg(feature = "render")]
impl Copy {
    fn new(device: &wgpu::Device, size: u64) -> Self {
        const SOURCE: &str = "
            @group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
            @group(0) @binding(1) var<storage, read_write> copy: array<vec4<u32>>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: \
            vec3<u32>) {
                let k = id.x + id.y * groups.x * 64u;
                if k < arrayLength(&copy) { copy[k] = source[k]; }
            }";
        let source = wgpu::ShaderSource::Wgsl(SOURCE.into());
        let module =
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let buffers = [0, 1].map(|_| {
            let usage = wgpu::BufferUsages::STORAGE;
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        });
        let entries = [0, 1].map(|k| wgpu::BindGroupEntry {
            binding: k,
            resource: buffers[k as usize].as_entire_binding(),
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Self { pipeline, group, groups: size.div_ceil(16 * 64) as u32 }
    }

    fn run(&self, gpu: &ulna_render::Gpu) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.group, &[]);
            let wide = self.groups.min(32768);
            pass.dispatch_workgroups(wide, self.groups.div_ceil(wide), 1);
        }
        gpu.queue.submit([encoder.finish()]);
    }
}

/// Measures a pose change of a scene with one mesh, with both methods.
#[cfg(feature = "render")]
fn device(c: &mut Criterion) {
    use ulna_model::{Mesh, MeshId, NodeId, Skin, SkinId};
    use ulna_motion::{Pose, Stack};
    use ulna_render::{Gpu, Renderer, Scene};

    let gpu = match Gpu::headless() {
        Ok(gpu) if gpu.compute => gpu,
        Ok(gpu) => return println!("Skipped: “{}” cannot run compute passes.", gpu.name),
        Err(error) => return println!("Skipped: {error}."),
    };
    println!("The device is “{}”.", gpu.name);
    let mut group = c.benchmark_group("skinning on a device");
    // The count is large enough to make the constant cost of a pose change negligible. A software
    // device would need seconds for each change.
    let many = if gpu.software { None } else { Some(32_000_000) };
    for count in [10_000, 1_000_000].into_iter().chain(many) {
        let (mut document, clip) = common::skeleton(JOINTS, 30, common::Keys::Shared);
        let mesh = Mesh {
            name: None,
            primitives: vec![Primitive { indices: [0, 1, 2].into(), ..primitive(count) }],
            default_weights: Shared::from([]),
            target_names: Vec::new(),
            kept_weight_layers: None,
        };
        document.file.meshes = vec![Shared::new(mesh)].into();
        document.file.skins = vec![Shared::new(Skin {
            name: None,
            joints: (0..JOINTS).map(NodeId::from).collect(),
            inverse_bind: vec![Mat4::IDENTITY; JOINTS].into(),
            has_inverse_bind: false,
        })]
        .into();
        let node = document.file.nodes.get_mut(NodeId(0)).expect("it is there");
        (node.mesh, node.skin) = (Some(MeshId(0)), Some(SkinId(0)));
        let poses = [0.2, 0.7]
            .map(|time| Pose::evaluate(&document, &Stack::of(document.clips.get(clip), time)));
        group.throughput(Throughput::Elements(count as u64));
        group.sample_size(20);
        let copy = Copy::new(&gpu.device, count as u64 * SKINNED_BYTES / 2);
        group.bench_function(
            BenchmarkId::new("a copy of as many bytes as are read and written", count),
            |b| {
                b.iter(|| {
                    copy.run(&gpu);
                    gpu.wait().expect("a device that works");
                });
            },
        );
        for (name, software) in [("compute pass", false), ("CPU and upload", true)] {
            if software && Some(count) == many {
                continue;
            }
            let mut gpu = gpu.clone();
            gpu.software = software;
            let mut scene = Scene::new(&gpu, Renderer::new(&gpu).pipelines(), &document, &[]);
            let mut poses = poses.iter().cycle();
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| {
                    scene.update(&gpu, &document, poses.next().expect("two poses without end"));
                    gpu.wait().expect("a device that works");
                });
            });
        }
    }
    group.finish();
    pictures(c, &gpu);
    ghosts(c, &gpu);
}

/// Draws the sample at the size of a window, until the picture is complete. Target: a hardware
/// device draws 60 pictures per second.
#[cfg(feature = "render")]
fn pictures(c: &mut Criterion, gpu: &ulna_render::Gpu) {
    use ulna_motion::{Evaluator, Pose, Stack, Surface};
    use ulna_render::{Camera, RenderTarget, Renderer, Scene, Show, ViewportColors, decode_images};
    use ulna_session::Session;

    let Ok(session) = Session::open_bytes(include_bytes!("../assets/mannequin.glb")) else {
        return;
    };
    let document = session.document();
    let Some(clip) = document.clips.values().find(|c| c.length() > 0.5) else { return };
    let mut renderer = Renderer::new(gpu);
    let mut scene = Scene::new(gpu, renderer.pipelines(), document, &decode_images(document).0);
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let (target, mut camera) = (RenderTarget::new(gpu, [1600, 1000]), Camera::default());
    let (look, show) = (ViewportColors::theme("dark"), Show { size: 2.0, ..Show::default() });
    if let Some((low, high)) =
        Surface::new(document, &Pose::evaluate(document, &Stack::default())).bounds()
    {
        camera.frame(low, high, 1.6);
    }
    let mut frame = 0;
    c.benchmark_group("pictures").sample_size(20).bench_function(
        "a moment on, at 1600 × 1000",
        |b| {
            b.iter(|| {
                frame += 1;
                evaluator.update(
                    document,
                    &Stack::of(Some(clip), f64::from(frame) / 60.0 % 1.0),
                    &mut pose,
                );
                scene.update(gpu, document, &pose);
                renderer.draw(gpu, &target, &scene, &camera, &look, &show);
                gpu.wait().expect("a device that works");
            });
        },
    );
}

/// Measures six onion skins of a body with 67 joints and 10,000 vertices: after the playhead moved
/// by a frame, and without a change. Target: less than 2 ms on one core.
#[cfg(feature = "render")]
fn ghosts(c: &mut Criterion, gpu: &ulna_render::Gpu) {
    use ulna_motion::{Evaluator, Pose, Stack};
    use ulna_render::{GhostLook, Renderer, Scene};
    use ulna_session::Session;

    let Ok(session) = Session::open_bytes(include_bytes!("../assets/mannequin.glb")) else {
        return;
    };
    let document = session.document();
    let Some(clip) = document.clips.values().find(|c| c.length() > 0.5) else { return };
    let mut scene = Scene::new(gpu, Renderer::new(gpu).pipelines(), document, &[]);
    let mut group = c.benchmark_group("ghosts");
    let vertices = document.shown_vertex_count();
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let mut frame = |scene: &mut Scene, first: u64, color: [f32; 4]| {
        let looks: Vec<GhostLook> =
            (first..first + 6).map(|moment| GhostLook { moment, color }).collect();
        let missing = scene.show_ghosts(gpu, &looks);
        for look in looks.iter().filter(|l| missing.contains(&l.moment)) {
            evaluator.update(
                document,
                &Stack::of(Some(clip), look.moment as f64 / 30.0 % 1.0),
                &mut pose,
            );
            scene.pose_ghost(gpu, document, look, &pose, None);
        }
        evaluator.update(document, &Stack::of(Some(clip), first as f64 / 30.0 % 1.0), &mut pose);
        scene.update(gpu, document, &pose);
        let _done = gpu.wait();
    };
    let mut first = 0;
    group.bench_function(BenchmarkId::new("a frame on", vertices), |b| {
        b.iter(|| {
            first += 1;
            frame(&mut scene, first, [1.0; 4]);
        });
    });
    group.bench_function(BenchmarkId::new("standing", vertices), |b| {
        b.iter(|| frame(&mut scene, first, [1.0; 4]))
    });
    scene.forget_ghosts();
    group.bench_function(BenchmarkId::new("without", vertices), |b| {
        b.iter(|| {
            scene.update(gpu, document, &Pose::evaluate(document, &Stack::of(Some(clip), 0.3)));
            let _done = gpu.wait();
        });
    });
    group.finish();
}

#[cfg(feature = "render")]
criterion_group!(benches, common::vectors, skin, device);
#[cfg(not(feature = "render"))]
criterion_group!(benches, common::vectors, skin);
criterion_main!(benches);
