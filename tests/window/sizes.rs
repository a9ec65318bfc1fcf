//! Every mode in windows from large to small, at every scale of the interface. No control may be
//! cut off, and none may partly cover another.

use std::collections::{BTreeMap, HashMap};

use accesskit::Role;
use egui::{Id, Key, Modifiers, Order, Rect, Vec2, accesskit, vec2};
use egui_kittest::kittest::NodeT as _;
use ulna::ui::{Pane, Settings};

use super::editing::{Window, click, press, sample};

/// Window sizes in pixels.
const SIZES: [Vec2; 4] =
    [vec2(1600.0, 1000.0), vec2(1280.0, 720.0), vec2(1024.0, 768.0), vec2(720.0, 480.0)];
const SCALES: [f32; 5] = [0.85, 1.0, 1.25, 1.5, 2.0];

/// Controls that may be cut off or overlap, by the start of their names, with the reason.
const WANTED: [(&str, &str); 8] = [
    ("View from", "the ends of the axes lie before and behind each other"),
    ("Resize", "the edge of a panel lies over both sides of it"),
    ("Viewport", "the picture lies under its controls"),
    ("Handle", "handles of the model lie where the model is"),
    ("Timeline keys", "the sheet lies under its playhead and its markers"),
    ("Playhead", "the ruler lies under its markers"),
    ("Overview", "the overview lies under the ends of its window"),
    ("Curves of", "the graph lies under its keys"),
];

fn is_wanted(name: &str) -> bool {
    WANTED.iter().any(|(start, _)| name.starts_with(start))
}

/// Whether a role is a control that is clicked, typed into or dragged.
const fn is_control(role: Role) -> bool {
    matches!(
        role,
        Role::Button
            | Role::DefaultButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::SpinButton
            | Role::Slider
            | Role::TextInput
            | Role::Tab
            | Role::Link
    )
}

/// A named control of the window, with its rectangle in the last frame.
struct Control {
    name: String,
    /// Panel or bar that contains the control.
    place: Id,
    /// Whether this panel scrolls vertically.
    scrolls: bool,
    rect: Rect,
    /// Visible part of the control.
    shown: Rect,
}

fn names(window: &Window) -> HashMap<u64, String> {
    let mut found = HashMap::new();
    let mut stack = vec![window.root()];
    while let Some(node) = stack.pop() {
        let access = node.accesskit_node();
        if is_control(access.role())
            && let Some(name) = access.label().or_else(|| access.value()).filter(|n| !n.is_empty())
        {
            found.insert(access.locate().0.0, name);
        }
        stack.extend(node.children());
    }
    found
}

/// Returns all named controls of the panels and bars.
fn controls(window: &Window) -> Vec<Control> {
    let names = names(window);
    window.ctx.viewport(|viewport| {
        let widgets = &viewport.prev_pass.widgets;
        let root = |mut id: Id| {
            while let Some(widget) = widgets.get(id).filter(|w| w.parent_id != id) {
                id = widget.parent_id;
            }
            id
        };
        let scrolling: Vec<Id> = Pane::ALL
            .into_iter()
            .filter(|pane| *pane != Pane::Viewport)
            .filter_map(|pane| Some(root(widgets.get(pane.focus_id())?.parent_id)))
            .collect();
        let mut found = Vec::new();
        for (layer, all) in widgets.layers() {
            if layer.order != Order::Background {
                continue;
            }
            for widget in all.iter().filter(|w| w.visible) {
                let Some(name) = names.get(&widget.id.value()) else { continue };
                let place = root(widget.parent_id);
                let (rect, shown) = (widget.rect, widget.interact_rect);
                let scrolls = scrolling.contains(&place);
                found.push(Control { name: name.clone(), place, scrolls, rect, shown });
            }
        }
        found
    })
}

/// Describes why a control is not fully visible. `None` if it is.
fn cut(control: &Control, window: Rect) -> Option<(String, String)> {
    let Control { name, scrolls, rect, shown, .. } = control;
    let hidden = shown.width() <= 0.0 || shown.height() <= 0.0;
    let fault = match () {
        () if hidden && *scrolls => return None,
        () if hidden => "is out of sight",
        () if shown.width() < rect.width() - 1.0 => "is cut at the side",
        () if shown.height() < rect.height() - 1.0 && !scrolls => "is cut above or below",
        () if !window.expand(0.5).contains_rect(*shown) => "is outside of the window",
        () => return None,
    };
    Some((format!("{name} {fault}"), format!("{shown} of {rect}")))
}

/// Whether two controls overlap partly, or cover each other exactly. A button inside a row does not
/// count.
fn collide(a: &Control, b: &Control) -> bool {
    let common = a.shown.intersect(b.shown);
    if a.place != b.place || common.width() < 1.5 || common.height() < 1.5 {
        return false;
    }
    let within = |inner: &Rect, outer: &Rect| outer.expand(1.0).contains_rect(*inner);
    let nested = within(&a.shown, &b.shown) || within(&b.shown, &a.shown);
    let same = common.area() > 0.9 * a.shown.area().max(b.shown.area());
    !nested || same
}

/// Returns the layout faults of the window, and the number of checked controls.
fn faults(window: &Window) -> (Vec<(String, String)>, usize) {
    let whole = window.ctx.content_rect();
    let all: Vec<Control> = controls(window).into_iter().filter(|c| !is_wanted(&c.name)).collect();
    let mut found: Vec<_> = all.iter().filter_map(|c| cut(c, whole)).collect();
    for (k, a) in all.iter().enumerate() {
        for b in all[k + 1..].iter().filter(|b| collide(a, b)) {
            let names = format!("{} and {} overlap", a.name, b.name);
            found.push((names, format!("{} {}", a.shown, b.shown)));
        }
    }
    (found, all.len())
}

/// Switches to a mode, in a large window.
fn enter(window: &mut Window, mode: &str) {
    window.set_size(SIZES[0]);
    window.run_steps(3);
    match mode {
        "Curves" => {
            press(window, Modifiers::NONE, Key::Num2);
            click(window, "Curves");
        }
        "Mixer" => {
            press(window, Modifiers::NONE, Key::Num2);
            click(window, "Clip Walk");
            click(window, "Mixer");
            click(window, "Add a lane");
        }
        "Pose" => press(window, Modifiers::NONE, Key::Num1),
        "Animate" => press(window, Modifiers::NONE, Key::Num2),
        "Paint" => press(window, Modifiers::NONE, Key::Num3),
        _ => press(window, Modifiers::NONE, Key::Num4),
    }
    window.run_steps(4);
}

/// Returns window sizes and scales to test in a mode: each size at scale 1, each scale with one
/// size that differs between modes, and the smallest window at the largest scale.
fn cases(mode: usize) -> Vec<(Vec2, f32)> {
    let plain = SIZES.into_iter().map(|size| (size, 1.0));
    let scaled = SCALES.into_iter().enumerate().filter(|(_, scale)| *scale != 1.0);
    let scaled = scaled.map(|(k, scale)| (SIZES[(k + mode) % SIZES.len()], scale));
    let last = std::iter::once((SIZES[3], 2.0));
    plain.chain(scaled).chain(last).collect()
}

#[test]
fn no_control_is_cut_off_or_covered_in_any_mode_size_or_scale() {
    let (mut window, ..) = sample();
    click(&mut window, "Head");
    let (mut looked, mut checked, mut all) = (0, 0, BTreeMap::<String, Vec<String>>::new());
    for (k, mode) in ["Pose", "Animate", "Curves", "Paint", "Rig", "Mixer"].into_iter().enumerate()
    {
        enter(&mut window, mode);
        for (pixels, scale) in cases(k) {
            let scale = Settings { scale, ..Settings::default() }.scale_in(pixels);
            window.set_size(pixels / scale);
            window.run_steps(4);
            let (found, count) = faults(&window);
            assert!(count > 25, "{mode} has {count} controls at {pixels}");
            checked += count;
            looked += 1;
            for (fault, rects) in found {
                let place = format!("{pixels} at {scale:.2} {rects}");
                all.entry(format!("{mode}: {fault}")).or_default().push(place);
            }
        }
    }
    assert_eq!(looked, 54);
    assert!(checked > 3000, "{checked} controls");
    let line = |(fault, places): (&String, &Vec<String>)| {
        format!("{fault}, {} times, first {}", places.len(), places[0])
    };
    let listed = all.iter().map(line).collect::<Vec<_>>().join("\n");
    assert!(all.is_empty(), "{} faults:\n{listed}", all.len());
}
