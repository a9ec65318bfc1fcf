//! Curves on the timeline at the size of a whole body: 600 curves of 300 keys, in a frame of the
//! whole window, with the timeline and without it; beside it the plain loop that finds each curve
//! anew at each point of the width.
//!
//! Targets, by the difference to the window without the timeline: curves that stand still, and
//! those that are pointed at, less than 3 ms on one core; scrolled and zoomed less than a frame of
//! 60 Hz. No pixel is drawn here.

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2, TouchPhase, vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use serde_json::json;
use ulna::app::App;
use ulna_model::{ClipId, Property};
use ulna_motion::sample_into;

#[path = "common/capture.rs"]
mod capture;
use capture::capture;

type Window = Harness<'static, App>;

fn open(keys: usize) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("capture.glb");
    std::fs::write(&path, capture(keys, &json!({}))).expect("a file");
    let mut window = Harness::builder()
        .with_size([1600.0, 1000.0])
        .with_max_steps(60)
        .build_eframe(move |cc| App::new(cc, Some(path)));
    while window.state().is_busy() || window.state().session().is_none() {
        window.step();
    }
    window.run_steps(5);
    window.get_by_label("Animate mode").click();
    window.run_steps(5);
    (window, folder)
}

fn wheel(window: &Window, at: Pos2, delta: f32, modifiers: Modifiers) {
    window.event(Event::PointerMoved(at));
    let (unit, phase) = (MouseWheelUnit::Point, TouchPhase::Move);
    let (source, delta) = (MouseWheelSource::Unknown, vec2(0.0, delta));
    let event = Event::MouseWheel { unit, delta, phase, source, modifiers };
    window.event_modifiers(event, modifiers);
}

fn curves(c: &mut Criterion) {
    let (mut window, _folder) = open(300);
    window.get_by_label("Curves").click();
    window.run_steps(5);
    window.get_by_label("List moving").click();
    window.run_steps(5);
    let graph = window.get_by_label("Timeline curves").rect();
    assert!(window.query_by_label("All channels, 900 of 900").is_some());
    let mut group = c.benchmark_group("900 curves of 300 keys");
    group.bench_function("standing still", |b| b.iter(|| window.step()));
    group.bench_function("pointed at", |b| {
        let mut x = 0.0f32;
        b.iter(|| {
            x = (x + 7.0) % graph.width();
            window.event(Event::PointerMoved(graph.left_center() + vec2(x, 0.0)));
            window.step();
        });
    });
    let mut way = 1.0;
    for (name, delta, modifiers) in [
        ("scrolled in values", 20.0, Modifiers::NONE),
        ("scrolled in time", 20.0, Modifiers::SHIFT),
        ("zoomed in time", 20.0, Modifiers::COMMAND),
        ("zoomed in values", 20.0, Modifiers::ALT),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                way = -way;
                wheel(&window, graph.center(), way * delta, modifiers);
                window.step();
            });
        });
    }
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
    window.run_steps(5);
    group.bench_function("without the timeline", |b| b.iter(|| window.step()));
    let document = window.state().session().expect("a file").document().clone();
    let clip = &document.clips[ClipId(0)];
    group.bench_function("the plain loop, without drawing", |b| {
        b.iter(|| {
            let mut sum = 0.0f32;
            for track in clip.tracks.values().filter(|t| t.property != Property::Weights) {
                let mut out = vec![0.0; track.width];
                for x in 0..1100 {
                    sample_into(track, f64::from(x) * 10.0 / 1100.0, &mut out);
                    sum += out.iter().take(3).sum::<f32>();
                }
            }
            sum
        });
    });
    group.finish();
}

criterion_group!(benches, curves);
criterion_main!(benches);
