//! Automatic weights of a tube bent to a ring, with its bones along the center line.
//!
//! Targets for the linear system of 83,000 points: ordering takes at most 0.1 s, and factorization
//! at most 1.25 s on one thread. 66 right-hand sides take at most 0.5 s on two threads. On two
//! cores, heat weights for 103,000 points and 47 joints take at most 1.2 s. Voxels for 1,000,000
//! points take at most 10 s.

mod common;

use std::{f32::consts::TAU, hint::black_box, sync::atomic::AtomicBool};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use rayon::prelude::*;
use ulna_geometry::{
    cotangent_laplacian,
    sparse::{Dissection, Factor, LANES, SymmetricMatrix},
};
use ulna_model::JointSlot;
use ulna_weights::{BindBone, BindMesh, BindMethod, BindRequest, BindSettings, bind_weights};

const AROUND: usize = 288;
const RADIUS: f32 = 0.2;

/// Returns a point on the center line of the tube. `part` is in `0..=1`.
fn middle(part: f32) -> Vec3 {
    let (sin, cos) = (TAU * part).sin_cos();
    Vec3::new(cos, sin, 0.3 * (3.0 * TAU * part).sin())
}

fn tube(along: usize, around: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let positions = (0..along * around).map(|k| {
        let (part, turn) = ((k / around) as f32 / along as f32, (k % around) as f32);
        let (center, (sin, cos)) = (middle(part), (TAU * turn / around as f32).sin_cos());
        center + RADIUS * (center.with_z(0.0) * cos + Vec3::Z * sin)
    });
    let at = |i: usize, j: usize| (i % along * around + j % around) as u32;
    let mut triangles = Vec::with_capacity(along * around * 2);
    for i in 0..along {
        for j in 0..around {
            let [a, b] = [at(i, j), at(i + 1, j)];
            let [c, d] = [at(i, j + 1), at(i + 1, j + 1)];
            triangles.extend([[a, b, c], [c, b, d]]);
        }
    }
    (positions.collect(), triangles)
}

fn bones(count: u16) -> Vec<BindBone> {
    let end = |k: u16| middle(f32::from(k) / f32::from(count));
    (0..count).map(|k| BindBone { joint: JointSlot(k), head: end(k), tail: end(k + 1) }).collect()
}

/// Builds the Laplacian of the surface, with a constraint in every 16th row.
fn system(points: &[Vec3], triangles: &[[u32; 3]]) -> SymmetricMatrix {
    let mut matrix = cotangent_laplacian(points, triangles).expect("a small surface").stiffness;
    matrix.diagonal_mut().iter_mut().step_by(16).for_each(|d| *d += 0.01);
    matrix
}

fn threads(count: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads")
}

fn sparse(c: &mut Criterion) {
    let (points, triangles) = tube(AROUND, AROUND);
    let matrix = system(&points, &triangles);
    let dissection = Dissection::new(&matrix, &points);
    let go_on = AtomicBool::new(false);
    println!(
        "{} rows, {:.1} elements per column",
        matrix.size(),
        dissection.factor_elements() as f64 / matrix.size() as f64
    );
    let factor = Factor::new(&matrix, &dissection, &go_on).expect("positive definite");
    let mut group = c.benchmark_group("sparse 83,000");
    group.sample_size(10);
    group.bench_function("laplacian", |b| {
        b.iter(|| cotangent_laplacian(black_box(&points), &triangles));
    });
    for count in [1, 2] {
        let pool = threads(count);
        group.bench_function(format!("order, {count} threads"), |b| {
            b.iter(|| pool.install(|| Dissection::new(black_box(&matrix), &points)));
        });
        group.bench_function(format!("numeric, {count} threads"), |b| {
            b.iter(|| pool.install(|| Factor::new(black_box(&matrix), &dissection, &go_on)));
        });
        let right = vec![vec![[1.0; LANES]; matrix.size()]; 66usize.div_ceil(LANES)];
        group.bench_function(format!("66 right sides, {count} threads"), |b| {
            b.iter_batched_ref(
                || right.clone(),
                |all| pool.install(|| all.par_iter_mut().for_each(|x| factor.solve(x))),
                BatchSize::LargeInput,
            );
        });
    }
}

fn bind(c: &mut Criterion) {
    let mut group = c.benchmark_group("bind");
    group.sample_size(10);
    for (along, around, joints, method) in [
        (100, 100, 47, BindMethod::Heat),
        (220, 220, 47, BindMethod::Heat),
        (321, 321, 47, BindMethod::Heat),
        (1000, 1000, 47, BindMethod::Voxel),
    ] {
        let (positions, triangles) = tube(along, around);
        let bones = bones(joints);
        let meshes = [BindMesh { positions: &positions, triangles: triangles.as_flattened() }];
        let settings = BindSettings { method, ..BindSettings::default() };
        let request = BindRequest { meshes: &meshes, bones: &bones, settings, mirror: None };
        group.bench_function(
            format!("{method:?}, {} points, {joints} joints", along * around),
            |b| {
                b.iter(|| bind_weights(black_box(&request), &|_| {}, &AtomicBool::new(false)));
            },
        );
    }
}

criterion_group!(benches, common::vectors, sparse, bind);
criterion_main!(benches);
