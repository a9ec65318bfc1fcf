//! Curve editor with the curves of a whole body: a frame of the whole window, with and without the
//! timeline. For comparison, the benchmark also measures a straightforward loop that looks up each
//! curve again at each horizontal point.
//!
//! Targets, as differences from the window without the timeline: 603 curves of 300 keys take less
//! than 3 ms on one core, while idle, hovered, scrolled or zoomed. Dragging a handle among 63
//! curves takes at most 1 ms more than holding it, from the event to the posed model. No pixels are
//! drawn here.

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use ulna_model::{ClipId, Property};
use ulna_motion::sample_into;

mod common;
use common::{
    capture::capture,
    window::{Window, open, wheel},
};

/// Number of joints with visible curves. Each joint has nine curves.
const JOINTS: usize = 67;

/// Opens a window with all curves of `joints` joints visible, each with `keys` keys.
fn shown(joints: usize, keys: usize) -> (Window, tempfile::TempDir) {
    let file = capture(joints, keys, &json!({}));
    let (mut window, folder) = open(&file, "Animate mode", [1600.0, 1000.0], false);
    window.get_by_label("Curves").click();
    window.run_steps(5);
    window.get_by_label("List moving").click();
    window.run_steps(5);
    let all = format!("All channels, {0} of {0}", joints * 9);
    assert!(window.query_by_label(&all).is_some());
    (window, folder)
}

fn curves(c: &mut Criterion) {
    let (mut window, _folder) = shown(JOINTS, 300);
    let graph = window.get_by_label("Timeline curves").rect();
    let mut group = c.benchmark_group("603 curves of 300 keys");
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

/// Measures dragging a handle of a key in one of 63 curves. Each curve fills the height of the
/// view.
fn handle(c: &mut Criterion) {
    let keys = 12;
    let (mut window, _folder) = shown(7, keys);
    window.get_by_label("Normalize the shown curves").click();
    window.run_steps(5);
    let graph = window.get_by_label("Timeline curves").rect();
    window.event(Event::PointerMoved(graph.right_bottom() - vec2(6.0, 6.0)));
    window.step();
    window.key_press(Key::A);
    window.run_steps(5);
    // The curves are normalized: the first value of a wave is at the bottom, and the last one at
    // the top.
    let at = |key: f32| {
        let (share, last) = ((key / (keys - 1) as f32 + 0.02) / 1.08, (keys - 1) as f32);
        let value = (key * 0.07).sin() / (last * 0.07).sin();
        let up = 24.0 + (graph.height() - 48.0) * value;
        pos2(graph.left() + graph.width() * share, graph.bottom() - up)
    };
    let button = |window: &mut Window, pos: Pos2, pressed: bool| {
        window.event(Event::PointerMoved(pos));
        window.step();
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        window.event(Event::PointerButton { pos, button, pressed, modifiers });
        window.step();
    };
    button(&mut window, at(6.0), true);
    button(&mut window, at(6.0), false);
    window.run_steps(3);
    let third = at(6.0) + (at(7.0) - at(6.0)) / 3.0;
    button(&mut window, third, true);
    let before = window.state().session().expect("a session").document().clips.clone();
    let mut group = c.benchmark_group("a handle among 63 curves");
    group.bench_function("held still", |b| b.iter(|| window.step()));
    let mut up = 0.0;
    group.bench_function("dragged", |b| {
        b.iter(|| {
            up = (up + 1.0) % 40.0;
            window.event(Event::PointerMoved(third - vec2(0.0, 5.0 + up)));
            window.step();
        });
    });
    group.finish();
    let after = &window.state().session().expect("a session").document().clips;
    assert!(before[ClipId(0)] != after[ClipId(0)], "the drag changes the clip");
}

criterion_group!(benches, curves, handle);
criterion_main!(benches);
