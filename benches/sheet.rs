//! Dope sheet with motion captures: a frame of the whole window, with and without the timeline.
//!
//! Targets, as the difference of the two: 60,000 visible keys are laid out in less than 2 ms on one
//! core. 300 tracks of 20,000 keys are scrolled, zoomed and box-selected within a frame of 60 Hz.
//! The mixer with 50 bars takes less than 0.5 ms. No pixels are drawn here.

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable as _;
use serde_json::json;

mod common;
use common::{
    capture::capture,
    window::{open, wheel},
};

/// Size of the window in points.
const SIZE: [f32; 2] = [1600.0, 1000.0];

fn sheet(c: &mut Criterion) {
    for (name, keys) in [("60,000 keys in sight", 2_000), ("300 tracks of 20,000 keys", 20_000)] {
        let (mut window, _folder) =
            open(&capture(100, keys, &json!({})), "Animate mode", SIZE, true);
        let mut group = c.benchmark_group(name);
        group.bench_function("with the sheet", |b| b.iter(|| window.step()));
        let middle = window.get_by_label("Timeline keys").rect().center();
        let mut way = 1.0;
        group.bench_function("scrolled", |b| {
            b.iter(|| {
                way = -way;
                wheel(&window, middle, way * 60.0, Modifiers::NONE);
                window.step();
            });
        });
        group.bench_function("zoomed", |b| {
            b.iter(|| {
                way = -way;
                wheel(&window, middle, way * 40.0, Modifiers::COMMAND);
                window.step();
            });
        });
        group.bench_function("all boxed", |b| {
            let rect = window.get_by_label("Timeline keys").rect();
            b.iter(|| {
                for (pos, pressed) in
                    [(rect.left_top(), true), (rect.center(), true), (rect.right_bottom(), false)]
                {
                    window.event(Event::PointerMoved(pos));
                    let modifiers = Modifiers::NONE;
                    if pos != rect.center() {
                        window.event(Event::PointerButton {
                            pos,
                            button: PointerButton::Primary,
                            pressed,
                            modifiers,
                        });
                    }
                    window.step();
                }
            });
        });
        window.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
        window.run_steps(5);
        group.bench_function("without the sheet", |b| b.iter(|| window.step()));
        group.finish();
    }
}

/// Measures fifty visible bars on two lanes, a third of them synchronized, with fades between them.
fn mixer(c: &mut Criterion) {
    let bar = |k: usize| {
        json!({"plays": {"clip": "capture"}, "start": 0.4 * k as f64, "length": 1.0, "fade_in": 0.3,
        "in_step": if k.is_multiple_of(3) { "share" } else { "free" }})
    };
    let lane = |l: usize| {
        json!({"name": format!("lane {l}"),
        "bars": (0..25).map(|k| bar(k + l)).collect::<Vec<_>>()})
    };
    let mix =
        json!({"ulna.mix": {"version": 1, "mix": {"lanes": (0..2).map(lane).collect::<Vec<_>>()}}});
    let (mut window, _folder) = open(&capture(100, 60, &mix), "Animate mode", SIZE, true);
    let mut group = c.benchmark_group("the mixer with 50 bars");
    window.get_by_label("Mixer").click();
    window.run_steps(5);
    assert_eq!(window.get_all_by_label("Bar capture").count(), 50);
    group.bench_function("with it", |b| b.iter(|| window.step()));
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num4);
    window.run_steps(5);
    group.bench_function("without it", |b| b.iter(|| window.step()));
    group.finish();
}

criterion_group!(benches, sheet, mixer);
criterion_main!(benches);
