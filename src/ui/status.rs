//! The status bar: current functions of the mouse and keys, and facts about the scene.

use egui::{ProgressBar, RichText, Ui, vec2};

use super::{
    Actions, JobView, Theme, View,
    theme::Font,
    viewport::{Press, hints_of},
    widgets::{name_widget, thousands},
};
use crate::ui::{PointerHandler, ProgramAction};
use ulna_edit::command::{
    BrushCommand, DeleteKeys, FileCommand, PlayCommand, SetKey, TimelineCommand, ToolCommand,
    ViewCommand, ZeroKey, what_is_keyed,
};
use ulna_render::ColorRole;
use ulna_weights::BrushKind;

/// Hints for the mouse and keys: the key, and its effect.
fn hints(view: &View<'_>) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> =
        plain_hints(view).into_iter().map(|(key, does)| (key, does.to_owned())).collect();
    if let Some(said) = key_hint(view) {
        let key = view.settings.keys.shown(SetKey::NAME);
        list.retain(|(k, _)| *k != key);
        list.insert(list.len().min(1), (key, said));
    }
    if view.layers.written.is_some()
        && view.shown_clip().is_some()
        && view.selected_keys().is_empty()
    {
        let key = view.settings.keys.shown(ZeroKey::NAME);
        list.insert(list.len().min(2), (key, "neutral key".to_owned()));
        list.insert(list.len().min(3), ("`".to_owned(), "file as opened".to_owned()));
    }
    list
}

/// Hint for the effect of setting a key.
fn key_hint(view: &View<'_>) -> Option<String> {
    let (clip, session) =
        (view.shown_clip().filter(|_| view.mode.spec().edits_keys)?, view.session?);
    let document = session.document();
    let unkeyed = view.timeline.unkeyed;
    let nodes: Vec<_> = match unkeyed.and_then(|at| document.aids.unkeyed.get(&at)) {
        Some(pose) => pose.nodes().collect(),
        None => view.selection.nodes.iter().copied().collect(),
    };
    if nodes.is_empty() || !view.selected_keys().is_empty() {
        return None;
    }
    if view.layers.written.is_some() {
        return Some("key in the layer".to_owned());
    }
    let (count, added) = what_is_keyed(document, clip, &nodes, unkeyed);
    let is_joint = |n: &ulna_model::NodeId| view.joints.get(n.index()) == Some(&true);
    let what = if nodes.iter().all(is_joint) { "joint" } else { "node" };
    let joints =
        if count == 1 { format!("keys 1 {what}") } else { format!("keys {count} {what}s") };
    Some(match added {
        0 => joints,
        1 => format!("{joints}, adds 1 channel"),
        n => format!("{joints}, adds {n} channels"),
    })
}

/// Hints that do not depend on the selection.
fn plain_hints(view: &View<'_>) -> Vec<(String, &'static str)> {
    // Keys come from the current key map. Mouse hints are the same for all key maps.
    let key = |command: &str| view.settings.keys.shown(command);
    let open = || {
        vec![
            (key(FileCommand::Open { path: None }.name()), "open a file"),
            (key(FileCommand::Find.name()), "find a command"),
        ]
    };
    if view.program.welcome {
        let mut list = open();
        if view.session.is_some() {
            list.push(("Esc".into(), "back"));
        }
        return list;
    }
    if view.session.is_none() {
        return open();
    }
    if view.retarget.is_some() {
        return vec![
            ("Space".into(), "play both"),
            ("Drag".into(), "contact end"),
            ("Shift".into(), "between frames"),
            ("Del".into(), "remove contact"),
            ("Esc".into(), "close"),
        ];
    }
    if view.paint.adjusting.is_some() {
        return vec![("Drag".into(), "change"), ("Click".into(), "done"), ("Esc".into(), "cancel")];
    }
    if view.mode.spec().bends && view.paint.bending.rings {
        return vec![
            ("Drag a ring".into(), "bend the joint"),
            ("Click".into(), "select joint"),
            ("X Y Z 0–9".into(), "axis, number"),
            (key(BrushCommand::Unbend.name()), "reset bend"),
            ("Esc".into(), "back to brush"),
        ];
    }
    if view.mode.spec().pointer == PointerHandler::Brush {
        let against = match view.paint.options.brush.inverted() {
            Some(brush) if brush.kind == BrushKind::Replace => "replace by 1 − value",
            Some(brush) if brush.kind == BrushKind::Scale => "divide by value",
            Some(brush) => brush.kind.verb(),
            None => "same",
        };
        return vec![
            ("Drag".into(), view.paint.options.brush.kind.verb()),
            ("Ctrl".into(), against),
            ("Shift".into(), "smooth"),
            (key(BrushCommand::Radius.name()), "radius"),
            (key(BrushCommand::Bend.name()), "bend"),
            ("Right-click".into(), "pick joint"),
            ("Ctrl+Alt drag".into(), "select vertices"),
        ];
    }
    if !view.selected_keys().is_empty() {
        return vec![
            ("Drag".into(), "move"),
            ("Alt drag".into(), "copy"),
            ("Shift".into(), "between frames"),
            ("Ctrl".into(), "snap to keys"),
            (key(TimelineCommand::Interpolation.name()), "interpolation"),
            (key(DeleteKeys::NAME), "delete"),
        ];
    }
    if view.selection.nodes.is_empty() && view.tool() != Some(ToolCommand::Joint) {
        let play = if view.availability.clip_shown {
            key(PlayCommand::Toggle.name())
        } else {
            String::new()
        };
        return vec![
            ("Click".into(), "select"),
            ("Alt drag".into(), "orbit"),
            ("Wheel".into(), "zoom"),
            (key(ViewCommand::FrameAll.name()), "frame all"),
            (play, "play"),
        ];
    }
    let spelled = |press: Press| match press {
        Press::Hand(text) => text.to_owned(),
        Press::Key(command) => key(command),
    };
    // In the rest pose, no keys can be set.
    let keys = !view.mode.spec().edits_rest;
    hints_of(view.tool().unwrap_or(ToolCommand::Select))
        .into_iter()
        .filter(|(press, _)| keys || *press != Press::Key(SetKey::NAME))
        .map(|(press, does)| (spelled(press), does))
        .collect()
}

pub fn status_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        hints_ui(ui, view);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            match &view.program.job {
                Some(job) => job_ui(ui, view.theme, job, actions),
                // The welcome page hides the file, so facts about it would be confusing.
                None if view.program.welcome => {}
                None => facts_ui(ui, view),
            }
        });
    });
}

fn hints_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    // If space is short, the facts on the right have priority.
    let room = ui.available_width() - 400.0;
    let mut taken = 0.0;
    for (key, text) in hints(view).into_iter().filter(|(key, _)| !key.trim().is_empty()) {
        taken += (key.chars().count() + text.chars().count()) as f32 * 6.5 + 34.0;
        if taken > room {
            break;
        }
        let frame = egui::Frame::new()
            .fill(theme.color(ColorRole::SurfaceControl))
            .corner_radius(3)
            .inner_margin(egui::Margin::symmetric(5, 0));
        let caption = |text: &str, role| {
            RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color(role))
        };
        frame.show(ui, |ui| ui.label(caption(&key, ColorRole::TextSecondary)));
        ui.label(caption(&text, ColorRole::TextTertiary));
        ui.add_space(6.0);
    }
}

/// Draws the progress of the running job, and a button that cancels it.
fn job_ui(ui: &mut Ui, theme: &Theme, job: &JobView, actions: &mut Actions) {
    if job.cancelable && ui.add(egui::Button::new("Cancel").min_size(vec2(0.0, 20.0))).clicked() {
        actions.push(ProgramAction::CancelJob);
    }
    let bar = ProgressBar::new(job.fraction)
        .desired_width(160.0)
        .desired_height(10.0)
        .fill(theme.color(ColorRole::AccentBase));
    let bar = ui.add(bar);
    name_widget(ui, &bar, &job.label);
    let label = RichText::new(&job.label)
        .font(Theme::font(Font::Caption))
        .color(theme.color(ColorRole::TextSecondary));
    ui.label(label);
}

/// Draws facts about the scene, from right to left.
fn facts_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let mut fact = |number: String, what: &str| {
        ui.label(
            RichText::new(what)
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        let number = RichText::new(number).font(Theme::font(Font::NumberSmall));
        ui.label(number.color(theme.color(ColorRole::TextPrimary)));
        ui.add_space(6.0);
    };
    if view.mode.spec().paints_weights && view.paint.dab_ms > 0.0 {
        fact(format!("{:.2}", view.paint.dab_ms), "ms/dab");
    }
    fact(format!("{:.1}", view.viewport.frame_ms), "ms/frame");
    if let Some(scale) = view.viewport.quick {
        let step =
            if scale < 0.99 { format!("{:.0} %", scale * 100.0) } else { "1 sample".to_owned() };
        fact(step, "during motion");
    }
    if let Some(keys) = view.shown_clip().and_then(|c| document.clips.get(c)).map(|c| c.key_count())
    {
        fact(thousands(keys), if keys == 1 { "key" } else { "keys" });
    }
    let joints = view.joints.iter().filter(|j| **j).count();
    fact(thousands(joints), if joints == 1 { "joint" } else { "joints" });
    fact(thousands(document.shown_vertex_count()), "vertices");
}
