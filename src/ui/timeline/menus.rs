//! Menus of the sheet: what fits the keys under the pointer, and the list of interpolations.

use egui::{Response, RichText, Ui};

use super::{
    axis::TimeAxis,
    draw::KeyStyle,
    sheet_layout::Sheet,
    state::{KeyList, TimelineState},
};
use crate::ui::{
    Action, Actions, Theme, View,
    popups::{context_menu, menu_button, show_popup},
    theme::Font,
    widgets::thousands,
};
use ulna_edit::command::{
    Between, CleanKeys, Command, CommandSpec, HoldKeys, KINDS, ModeCommand, PasteKeys,
    SessionCommand, SetInterpolation, SetKeyKind, SetTangents, Through, TimelineCommand, WhichKeys,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{ClipId, Interpolation};
use ulna_render::ColorRole;

/// The command that copies the selected keys.
pub fn copy_keys(view: &View<'_>) -> Option<Command> {
    let (clip, which) = WhichKeys::selected(view.selection, view.keys_home())?;
    Some(SessionCommand::CopyKeys { clip: ClipName::Id(clip), layer: None, which }.into())
}

/// So many keys after a verb: *Copy 3 keys*.
pub fn count(n: usize, verb: &str) -> String {
    match n {
        1 => format!("{verb} 1 key"),
        n => format!("{verb} {} keys", thousands(n)),
    }
}

/// A line of a menu, with its key at the right.
pub fn line(
    ui: &mut Ui,
    view: &View<'_>,
    text: &str,
    spec: Option<&'static CommandSpec>,
    enabled: bool,
) -> bool {
    let key = RichText::new(spec.map_or_else(String::new, |s| view.settings.keys.shown(s.name)));
    let key = key.font(Theme::font(Font::Caption)).color(view.theme.color(ColorRole::TextTertiary));
    let button = egui::Button::new(text).shortcut_text(key);
    let response = ui.add_enabled(enabled, button);
    if response.clicked() {
        ui.close();
    }
    response.clicked()
}

/// The menu of a right click on the sheet.
pub fn keys_menu(
    state: &TimelineState,
    response: &Response,
    sheet: &Sheet<'_>,
    actions: &mut Actions,
) {
    let view = sheet.view;
    context_menu(response, None, |ui| {
        ui.set_min_width(232.0);
        let n = sheet.keys().len();
        let some = n > 0;
        let copy = count(n, "Copy");
        if line(
            ui,
            view,
            if some { &copy } else { "Copy" },
            Some(ModeCommand::CopyPose.spec()),
            some,
        ) && let Some(command) = copy_keys(view)
        {
            actions.push(Action::Run(command));
        }
        paste_lines(ui, view, sheet.id, actions);
        ui.separator();
        ui.add_enabled_ui(some, |ui| {
            menu_button(ui, "Interpolation", |ui| interpolations(ui, view, actions));
            menu_button(ui, "Tangents", |ui| tangents(ui, view, actions));
            menu_button(ui, "Key type", |ui| kinds(ui, view, actions));
        });
        if line(ui, view, "Hold until next key", None, some) {
            hold(view, true, actions);
        }
        if line(ui, view, "Remove holds", None, some) {
            hold(view, false, actions);
        }
        ui.separator();
        for command in [
            TimelineCommand::Duplicate,
            TimelineCommand::Ripple,
            TimelineCommand::Stretch,
            TimelineCommand::Offset,
        ] {
            if line(ui, view, command.spec().title, Some(command.spec()), some) {
                actions.push(Action::Run(command.into()));
            }
        }
        ui.separator();
        let delete = ulna_edit::command::DeleteKeys::spec();
        if line(ui, view, &count(n, "Delete"), Some(delete), some) {
            actions.push(Action::Invoke(delete));
        }
        ui.separator();
        menu_button(ui, "Select", |ui| select_lines(ui, view, some, actions));
        if line(
            ui,
            view,
            TimelineCommand::FitAll.spec().title,
            Some(TimelineCommand::FitAll.spec()),
            true,
        ) {
            actions.push(Action::Run(TimelineCommand::FitAll.into()));
        }
        let clip = ClipName::Id(sheet.id);
        if line(ui, view, "Remove redundant keys", None, state.dead.count() > 0) {
            actions.push(Action::Run(
                CleanKeys { clip, tolerance: None, which: WhichKeys::default() }.into(),
            ));
        }
    });
}

/// Ways to select keys: by what is selected, and by kind.
pub fn select_lines(ui: &mut Ui, view: &View<'_>, some: bool, actions: &mut Actions) {
    let commands = [
        (TimelineCommand::All, true),
        (TimelineCommand::Invert, true),
        (TimelineCommand::Lasso, true),
        (TimelineCommand::Column, some),
        (TimelineCommand::Extend, some),
        (TimelineCommand::SameKind, some),
        (TimelineCommand::SameValue, some),
        (TimelineCommand::Before, true),
        (TimelineCommand::After, true),
    ];
    for (command, enabled) in commands {
        if line(ui, view, command.spec().title, Some(command.spec()), enabled) {
            actions.push(Action::Run(command.into()));
        }
    }
    ui.separator();
    for (kind, text) in &KINDS[1..] {
        if line(ui, view, &format!("{text} keys"), None, true) {
            actions.push(Action::Run(TimelineCommand::OfKind { kind: *kind }.into()));
        }
    }
}

/// Ways to put in what was copied. Where it is in the clipboard alone, the system's paste brings
/// it.
pub fn paste_lines(ui: &mut Ui, view: &View<'_>, clip: ClipId, actions: &mut Actions) {
    let copied = view.session.and_then(|s| s.copied_keys()).is_some();
    let time = Some(Seconds(view.timeline.playback.time as f32));
    let paste = |time, replace, relative, flip| -> Command {
        let interpolation = Some(view.settings.new_keys);
        PasteKeys {
            clip: ClipName::Id(clip),
            text: None,
            time,
            node: None,
            replace,
            relative,
            flip,
            interpolation,
        }
        .into()
    };
    let ways = [
        (
            "Paste at the playhead",
            Some(ModeCommand::PastePose.spec()),
            paste(time, None, None, None),
        ),
        (
            "Paste flipped",
            Some(TimelineCommand::PasteFlipped.spec()),
            paste(time, None, None, Some(true)),
        ),
        ("Paste at original times", None, paste(None, None, None, None)),
        ("Paste and replace existing keys", None, paste(time, Some(true), None, None)),
        ("Paste relative to the current pose", None, paste(time, None, Some(true), None)),
    ];
    let nodes = &view.selection.nodes;
    let onto = if nodes.len() > 1 {
        "Paste onto the selected joints"
    } else {
        "Paste onto the selected joint"
    };
    if line(ui, view, onto, None, copied && !nodes.is_empty()) {
        let node = Some(Nodes::Ids(nodes.iter().copied().collect()));
        let clip = ClipName::Id(clip);
        let interpolation = Some(view.settings.new_keys);
        let paste = PasteKeys {
            clip,
            text: None,
            time,
            node,
            replace: None,
            relative: None,
            flip: None,
            interpolation,
        };
        actions.push(Action::Run(paste.into()));
    }
    for (text, key, command) in ways {
        if line(ui, view, text, key, copied) {
            actions.push(Action::Run(command));
        }
    }
}

fn hold(view: &View<'_>, on: bool, actions: &mut Actions) {
    if let Some((clip, which)) = WhichKeys::selected(view.selection, view.keys_home()) {
        actions
            .push(Action::Run(HoldKeys { clip: ClipName::Id(clip), which, on: Some(on) }.into()));
    }
}

/// How values between the keys of the selected tracks come about; a check on what all have, a dash
/// where they differ.
pub fn interpolations(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some((id, which)) = WhichKeys::selected(view.selection, view.keys_home()) else { return };
    let clip = view.session.and_then(|s| view.keys_clip(s.document(), id));
    let of = |i: Interpolation| {
        let tracks = clip.into_iter().flat_map(|c| {
            view.selected_keys()
                .iter()
                .filter_map(|(track, _)| c.tracks.get(&track))
                .map(|t| t.interpolation)
        });
        let (mut any, mut all) = (false, true);
        tracks.for_each(|t| if t == i { any = true } else { all = false });
        (any, any && all)
    };
    for (way, text) in
        [(Between::Hold, "Hold"), (Between::Linear, "Linear"), (Between::Smooth, "Smooth")]
    {
        let mark = match of(way.interpolation()) {
            (_, true) => "✓",
            (true, false) => "–",
            _ => "   ",
        };
        let button = ui.button(format!("{mark}  {text}"));
        button.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{text} interpolation"))
        });
        if button.clicked() {
            ui.close();
            let which = which.clone();
            actions.push(Action::Run(SetInterpolation::new(ClipName::Id(id), way, which).into()));
        }
    }
}

/// How smooth curves go through the selected keys.
pub fn tangents(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some((id, which)) = WhichKeys::selected(view.selection, view.keys_home()) else { return };
    let ways = [
        (Through::Auto, "Auto", "Smooth without overshooting the neighboring keys"),
        (Through::Smooth, "Smooth", "Continuous acceleration through the keys"),
        (Through::Flat, "Flat", "Zero slope at the key"),
        (Through::Linear, "Linear", "Straight toward the neighboring keys"),
        (Through::Sharp, "Sharp", "Keeps speed on both sides, as when a ball bounces"),
        (Through::Free, "Free", "Keeps the tangents for handles to turn"),
        (Through::Broken, "Broken", "Keeps the tangents; each side turns by itself"),
    ];
    for (tangents, text, hint) in ways {
        let button = ui.button(text).on_hover_text(hint);
        button.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{text} tangents"))
        });
        if button.clicked() {
            ui.close();
            let which = which.clone();
            actions.push(Action::Run(
                SetTangents { clip: ClipName::Id(id), tangents, side: None, linked: None, which }
                    .into(),
            ));
        }
    }
}

/// What the selected keys are to the animator; a check on what all are, a dash where they differ.
pub fn kinds(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some((id, which)) = WhichKeys::selected(view.selection, view.keys_home()) else { return };
    let clip = view.session.and_then(|s| view.keys_clip(s.document(), id));
    let selected = || {
        let tracks = view
            .selected_keys()
            .iter()
            .filter_map(|(t, times)| Some((clip?.tracks.get(&t)?, times)));
        tracks.flat_map(|(track, times)| times.iter().map(|t| track.kinds.of(*t)))
    };
    for (kind, text) in KINDS {
        let any = selected().any(|k| k == kind.kind());
        let mark = match (any, any && selected().all(|k| k == kind.kind())) {
            (_, true) => "✓",
            (true, false) => "–",
            _ => "   ",
        };
        let button = ui.button(format!("{mark}          {text}"));
        let look = KeyStyle {
            fps: 1.0,
            fade: 1.0,
            middle: 0.0,
            half: 4.5,
            theme: view.theme,
            axis: &NO_AXIS,
        };
        let mut mesh = egui::Mesh::default();
        let at = egui::pos2(button.rect.left() + 32.0, button.rect.center().y);
        look.key(&mut mesh, at, kind.kind(), None);
        ui.painter().add(mesh);
        button.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{text} keys"))
        });
        if button.clicked() {
            ui.close();
            let which = which.clone();
            actions.push(Action::Run(SetKeyKind { clip: ClipName::Id(id), kind, which }.into()));
        }
    }
}

/// A key in a menu lies at no time.
const NO_AXIS: TimeAxis = TimeAxis { left: 0.0, right: 1.0, start: 0.0, end: 1.0 };

/// The list that a key asked for, at the pointer.
pub fn list_popup(
    state: &mut TimelineState,
    response: &Response,
    view: &View<'_>,
    actions: &mut Actions,
) {
    for list in [KeyList::Interpolation, KeyList::Tangents, KeyList::Kind] {
        let opens = state.asks == Some(list);
        if opens {
            state.asks = None;
        }
        popup(opens, list, response, view, actions);
    }
}

fn popup(opens: bool, list: KeyList, response: &Response, view: &View<'_>, actions: &mut Actions) {
    let (name, show): (&str, fn(&mut Ui, &View<'_>, &mut Actions)) = match list {
        KeyList::Interpolation => ("Interpolation", interpolations),
        KeyList::Tangents => ("Tangents", tangents),
        KeyList::Kind => ("Key type", kinds),
    };
    let id = response.id.with(name);
    let opens = opens.then_some(egui::SetOpenCommand::Bool(true));
    let popup = egui::Popup::new(id, response.ctx.clone(), response.rect, response.layer_id)
        .kind(egui::PopupKind::Menu)
        .at_pointer_fixed()
        .open_memory(opens)
        .accessible_name(name)
        .layout(egui::Layout::top_down_justified(egui::Align::Min))
        .style(egui::containers::menu::menu_style);
    show_popup(popup, |ui| {
        ui.set_min_width(140.0);
        show(ui, view, actions);
    });
}
