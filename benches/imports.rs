//! Import of other formats.
//!
//! Targets: a text `.x` file of 20 MB opens in at most 4 times the time of reading its bytes and
//! parsing its numbers. A BVH file of one minute at 120 Hz with 22 joints opens in less than 50 ms.

use std::{fmt::Write as _, fs, hint::black_box, path::Path};

use criterion::{Criterion, criterion_group, criterion_main};
use ulna_formats::gltf::Progress;
use ulna_session::Session;

/// Builds a sheet with `side` vertices per side and separate normals, below an animated frame.
fn sheet(side: usize) -> String {
    let mut text = String::from(
        "xof 0303txt 0032\nFrame Sheet { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, \
            0,0,0,1;; }\nMesh {\n",
    );
    let vertices = side * side;
    let faces = (side - 1) * (side - 1) * 2;
    let list = |text: &mut String, at: &dyn Fn(usize, usize) -> [f32; 3]| {
        writeln!(text, "{vertices};").expect("text");
        for k in 0..vertices {
            let [x, y, z] = at(k % side, k / side);
            writeln!(text, "{x:.6};{y:.6};{z:.6};{}", if k + 1 == vertices { ";" } else { "," })
                .expect("text");
        }
    };
    let triangles = |text: &mut String| {
        writeln!(text, "{faces};").expect("text");
        let mut left = faces;
        for y in 0..side - 1 {
            for x in 0..side - 1 {
                let a = y * side + x;
                for [p, q, r] in [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]] {
                    left -= 1;
                    writeln!(text, "3;{p},{q},{r};{}", if left == 0 { ";" } else { "," })
                        .expect("text");
                }
            }
        }
    };
    list(&mut text, &|x, y| [x as f32 * 0.01, (x as f32 * 0.3).sin() * 0.2, y as f32 * 0.01]);
    triangles(&mut text);
    text.push_str("MeshNormals {\n");
    list(&mut text, &|x, _| [(x as f32 * 0.3).cos() * -0.1, 0.995, 0.0]);
    triangles(&mut text);
    text.push_str(
        "}\n} }\nAnimationSet Go { Animation { { Sheet } AnimationKey { 2; 2; 0;3;0,0,0;;, \
            4800;3;1,0,0;;; } } }\n",
    );
    text
}

/// Parses all numbers of a text in a straightforward loop, for comparison.
fn numbers(path: &Path) -> f64 {
    let bytes = fs::read(path).expect("bytes");
    let mut sum = 0.0;
    for word in bytes.split(|b| !matches!(b, b'0'..=b'9' | b'.' | b'-')) {
        if let Some(value) = std::str::from_utf8(word).ok().and_then(|w| w.parse::<f64>().ok()) {
            sum += value;
        }
    }
    sum
}

/// Builds a capture of a chain of joints, with different rotations in every frame.
fn capture(joints: usize, frames: usize) -> String {
    let mut text = String::from("HIERARCHY\n");
    for k in 0..joints {
        let kind = if k == 0 { "ROOT" } else { "JOINT" };
        let places = if k == 0 { "6 Xposition Yposition Zposition" } else { "3" };
        writeln!(
            text,
            "{kind} joint{k}\n{{\nOFFSET 0 7 0\nCHANNELS {places} Zrotation Xrotation Yrotation"
        )
        .expect("text");
    }
    text.push_str("End Site\n{\nOFFSET 0 7 0\n}\n");
    text.push_str(&"}\n".repeat(joints));
    writeln!(text, "MOTION\nFrames: {frames}\nFrame Time: 0.0083333").expect("text");
    for frame in 0..frames {
        for k in 0..joints * 3 + 3 {
            write!(text, "{:.4} ", ((frame * 7 + k * 31) % 3600) as f32 * 0.01 - 18.0)
                .expect("text");
        }
        text.push('\n');
    }
    text
}

fn imports(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let open =
        |path: &Path| black_box(Session::open(path, &Progress::default()).expect("a session"));
    let path = folder.path().join("sheet.x");
    let text = sheet(380);
    fs::write(&path, &text).expect("a file");
    let mut group = c.benchmark_group(format!("text .x, {} MB", text.len() / 1_000_000));
    group.sample_size(10);
    group.bench_function("reading its bytes and finding its numbers", |b| {
        b.iter(|| black_box(numbers(&path)))
    });
    group.bench_function("open", |b| b.iter(|| open(&path)));
    group.finish();
    let path = folder.path().join("capture.bvh");
    let text = capture(22, 7200);
    fs::write(&path, &text).expect("a file");
    let mut group =
        c.benchmark_group(format!("BVH, a minute at 120 Hz, {:.1} MB", text.len() as f64 / 1e6));
    group.sample_size(20);
    group.bench_function("reading its bytes and finding its numbers", |b| {
        b.iter(|| black_box(numbers(&path)))
    });
    group.bench_function("open", |b| b.iter(|| open(&path)));
    group.finish();
}

criterion_group!(benches, imports);
criterion_main!(benches);
