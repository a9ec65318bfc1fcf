//! Context menus of the sheet, and the list of interpolations.

use egui::Response;
use egui_material_icons::icons;

use super::{
    axis::TimeAxis,
    draw::KeyStyle,
    sheet_layout::Sheet,
    state::{KeyList, TimelineState},
};
use crate::ui::{
    Action, Actions, Pane, View,
    menu_rows::{self, Mark, MenuRows, Row, panel_menu},
    widgets::thousands,
};
use ulna_edit::command::{
    AddMarker, Between, CleanKeys, Command, DeleteKeys, HoldKeys, KINDS, KindName, ModeCommand,
    PasteKeys, SessionCommand, SetInterpolation, SetKey, SetKeyKind, SetTangents, Through,
    TimelineCommand, WhichKeys,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{ClipId, Interpolation};

/// Command that copies the selected keys.
pub fn copy_keys(view: &View<'_>) -> Option<Command> {
    let (clip, which) = WhichKeys::selected(view.selection, view.keys_home())?;
    Some(SessionCommand::CopyKeys { clip: ClipName::Id(clip), layer: None, which }.into())
}

/// Text of a verb with a number of keys: *Copy 3 keys*.
pub fn count(n: usize, verb: &str) -> String {
    match n {
        1 => format!("{verb} 1 key"),
        n => format!("{verb} {} keys", thousands(n)),
    }
}

/// Context menu of the sheet, for the selected keys or for the background.
pub fn keys_menu(
    state: &TimelineState,
    response: &Response,
    sheet: &Sheet<'_>,
    actions: &mut Actions,
) {
    let (view, on_key) = (sheet.view, state.menu_on_key);
    panel_menu(response, (Pane::Timeline, None), view, actions, |rows| {
        if on_key && !sheet.keys().is_empty() {
            selected_rows(rows, sheet.id);
        } else {
            empty_rows(rows, state, sheet.id);
        }
    });
}

/// Text of the frame range of the selected keys.
fn frames_of(view: &View<'_>) -> String {
    let fps = view.timeline.playback.fps;
    let frame = |time: f32| (f64::from(time) * fps).round();
    match view.selected_keys().span() {
        Some((first, last)) if frame(first) == frame(last) => format!("frame {:.0}", frame(first)),
        Some((first, last)) => format!("frames {:.0} to {:.0}", frame(first), frame(last)),
        None => String::new(),
    }
}

/// Text of a number of keys: *7 keys*.
fn counted(n: usize) -> String {
    if n == 1 { "1 key".to_owned() } else { format!("{} keys", thousands(n)) }
}

/// Adds rows for the selected keys.
fn selected_rows(rows: &mut MenuRows<'_>, clip: ClipId) {
    let view = rows.view;
    let n = view.selected_keys().len();
    rows.header(&counted(n), &frames_of(view));
    copy_row(rows, n);
    paste_submenu(rows, Row::new("Paste"), clip);
    rows.command(TimelineCommand::Duplicate.spec());
    rows.separator();
    shape_rows(rows);
    let holds = holds_all(view);
    let title = if holds { "Remove holds" } else { "Hold until next key" };
    if rows.row(Row::new(title)) {
        hold(view, !holds, rows.actions);
    }
    rows.separator();
    rows.command_as(TimelineCommand::Column.spec(), "Select column");
    rows.submenu(Row::new("Select"), select_rows);
    rows.separator();
    rows.command_as(TimelineCommand::Stretch.spec(), "Scale about the playhead");
    rows.command(TimelineCommand::Ripple.spec());
    rows.command(TimelineCommand::Offset.spec());
    rows.separator();
    delete_row(rows, n);
}

/// Adds rows for the interpolation and the kind of the selected keys.
pub fn shape_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    let of =
        |command: TimelineCommand, title: &'static str| Row::of(view, command.spec()).title(title);
    rows.submenu(of(TimelineCommand::Interpolation, "Interpolation"), interpolation_rows);
    let tangents_icon = icons::ICON_LINE_CURVE.codepoint;
    rows.submenu(of(TimelineCommand::Tangents, "Tangents").icon(tangents_icon), tangent_rows);
    rows.submenu(of(TimelineCommand::Kind, "Key type"), kind_rows);
}

/// Adds the row that copies the selected keys.
pub fn copy_row(rows: &mut MenuRows<'_>, n: usize) {
    let title = if n > 0 { count(n, "Copy") } else { "Copy".to_owned() };
    let row = Row::of(rows.view, ModeCommand::CopyPose.spec()).title(title).enabled();
    let row = row.help("Copies the selected keys").unless((n == 0).then_some("No key is selected"));
    if rows.row(row)
        && let Some(command) = copy_keys(rows.view)
    {
        rows.actions.push(Action::Run(command));
    }
}

/// Adds the row that deletes the selected keys.
pub fn delete_row(rows: &mut MenuRows<'_>, n: usize) {
    let spec = DeleteKeys::spec();
    let title = if n > 0 { count(n, "Delete") } else { "Delete".to_owned() };
    let row = Row::of(rows.view, spec).title(title);
    let row = row.unless((n == 0).then_some("No key is selected"));
    if rows.row(row) {
        rows.actions.push(Action::Invoke(spec));
    }
}

/// Adds rows for the background of the sheet.
fn empty_rows(rows: &mut MenuRows<'_>, state: &TimelineState, id: ClipId) {
    let view = rows.view;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let frame = view.timeline.playback.frame();
    rows.header(&document.clip_label(id), &format!("playhead at frame {frame}"));
    paste_submenu(rows, Row::new("Paste").icon(icons::ICON_CONTENT_PASTE.codepoint), id);
    rows.command(SetKey::spec());
    rows.command(AddMarker::spec());
    rows.separator();
    rows.command(TimelineCommand::All.spec());
    rows.submenu(Row::new("Select"), select_rows);
    rows.separator();
    rows.command(TimelineCommand::FitAll.spec());
    rows.command(TimelineCommand::FitSelected.spec());
    rows.command(TimelineCommand::Curves.spec());
    rows.separator();
    let none = (state.dead.count() == 0).then_some("No key is redundant");
    let row = Row::new("Remove redundant keys").unless(none);
    rows.run(row, || {
        let clip = ClipName::Id(id);
        CleanKeys { clip, tolerance: None, which: WhichKeys::default() }.into()
    });
}

/// Adds rows that select keys, by the selected joints or by kind.
pub fn select_rows(rows: &mut MenuRows<'_>) {
    for command in [
        TimelineCommand::All,
        TimelineCommand::Invert,
        TimelineCommand::Lasso,
        TimelineCommand::Column,
        TimelineCommand::Extend,
        TimelineCommand::SameKind,
        TimelineCommand::SameValue,
        TimelineCommand::Before,
        TimelineCommand::After,
    ] {
        let row = Row::of(rows.view, command.spec()).plain();
        rows.run(row, || command.into());
    }
    rows.separator();
    for (kind, text) in &KINDS[1..] {
        let row = Row::new(format!("{text} keys")).painted(key_mark(*kind));
        rows.run(row, || TimelineCommand::OfKind { kind: *kind }.into());
    }
}

/// Adds a submenu that pastes copied keys. It is disabled until keys were copied. If only the
/// system clipboard has keys, its paste event supplies them.
pub fn paste_submenu(rows: &mut MenuRows<'_>, row: Row<'_>, clip: ClipId) {
    let copied = rows.view.session.and_then(|s| s.copied_keys()).is_some();
    let reason = (!copied).then_some("Copy keys first");
    rows.submenu(row.unless(reason), |rows| paste_rows(rows, clip));
}

/// Adds rows that paste copied keys.
fn paste_rows(rows: &mut MenuRows<'_>, clip: ClipId) {
    let view = rows.view;
    let time = Some(Seconds(view.timeline.playback.time as f32));
    let usual = || PasteKeys {
        clip: ClipName::Id(clip),
        text: None,
        time,
        node: None,
        replace: None,
        relative: None,
        flip: None,
        interpolation: Some(view.settings.new_keys),
    };
    let key = |row: Row<'static>, spec| row.key_of(view, spec);
    let paste = ModeCommand::PastePose.spec();
    rows.run(key(Row::new("Paste at the playhead"), paste), || usual().into());
    let flipped = key(Row::new("Paste flipped"), TimelineCommand::PasteFlipped.spec());
    rows.run(flipped, || PasteKeys { flip: Some(true), ..usual() }.into());
    let row = |title: &'static str| Row::new(title);
    rows.run(row("Paste at original times"), || PasteKeys { time: None, ..usual() }.into());
    rows.run(row("Paste and replace existing keys"), || {
        PasteKeys { replace: Some(true), ..usual() }.into()
    });
    rows.run(row("Paste relative to the current pose"), || {
        PasteKeys { relative: Some(true), ..usual() }.into()
    });
    let nodes = &view.selection.nodes;
    let onto = if nodes.len() > 1 {
        "Paste onto the selected joints"
    } else {
        "Paste onto the selected joint"
    };
    let none = nodes.is_empty().then_some("Select a joint first");
    rows.run(row(onto).unless(none), || {
        let node = Some(Nodes::Ids(nodes.iter().copied().collect()));
        PasteKeys { node, ..usual() }.into()
    });
}

fn hold(view: &View<'_>, on: bool, actions: &mut Actions) {
    if let Some((clip, which)) = WhichKeys::selected(view.selection, view.keys_home()) {
        actions
            .push(Action::Run(HoldKeys { clip: ClipName::Id(clip), which, on: Some(on) }.into()));
    }
}

/// Whether all tracks of the selected keys hold their values until the next key.
fn holds_all(view: &View<'_>) -> bool {
    let Some((id, _)) = WhichKeys::selected(view.selection, view.keys_home()) else { return false };
    let clip = view.session.and_then(|s| view.keys_clip(s.document(), id));
    let mut tracks = clip
        .into_iter()
        .flat_map(|c| view.selected_keys().iter().filter_map(|(track, _)| c.tracks.get(&track)));
    tracks.all(|track| track.interpolation == Interpolation::Step)
}

/// Adds rows for the interpolation of the selected tracks. A value common to all tracks is checked.
pub fn interpolation_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
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
    rows.with_marks();
    for (way, text) in
        [(Between::Hold, "Hold"), (Between::Linear, "Linear"), (Between::Smooth, "Smooth")]
    {
        let (some, all) = of(way.interpolation());
        let note = if some && !all { "some" } else { "" };
        let row = Row::new(text).checked(all).note(note).said(format!("{text} interpolation"));
        let which = which.clone();
        rows.run(row, || SetInterpolation::new(ClipName::Id(id), way, which).into());
    }
}

/// Adds rows for the tangent modes of the selected keys.
pub fn tangent_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
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
        let which = which.clone();
        rows.run(Row::new(text).help(hint).said(format!("{text} tangents")), || {
            SetTangents { clip: ClipName::Id(id), tangents, side: None, linked: None, which }.into()
        });
    }
}

/// Adds rows for the kinds of keys. A kind common to all selected keys is checked.
pub fn kind_rows(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    let Some((id, which)) = WhichKeys::selected(view.selection, view.keys_home()) else { return };
    let clip = view.session.and_then(|s| view.keys_clip(s.document(), id));
    let selected = || {
        let tracks = view
            .selected_keys()
            .iter()
            .filter_map(|(t, times)| Some((clip?.tracks.get(&t)?, times)));
        tracks.flat_map(|(track, times)| times.iter().map(|t| track.kinds.of(*t)))
    };
    rows.with_marks();
    for (kind, text) in KINDS {
        let any = selected().any(|k| k == kind.kind());
        let all = any && selected().all(|k| k == kind.kind());
        let note = if any && !all { "some" } else { "" };
        let row = Row::new(text).checked(all).note(note).painted(key_mark(kind));
        let which = which.clone();
        rows.run(row.said(format!("{text} keys")), || {
            SetKeyKind { clip: ClipName::Id(id), kind, which }.into()
        });
    }
}

/// Icon of a key of a kind, as on the sheet.
fn key_mark(kind: KindName) -> Mark<'static> {
    Box::new(move |painter, theme, at, _| {
        let look = KeyStyle { fps: 1.0, fade: 1.0, middle: 0.0, half: 4.5, theme, axis: &NO_AXIS };
        let mut mesh = egui::Mesh::default();
        look.key(&mut mesh, at, kind.kind(), None);
        painter.add(mesh);
    })
}

/// Placeholder axis, because the key icon has no time.
const NO_AXIS: TimeAxis = TimeAxis { left: 0.0, right: 1.0, start: 0.0, end: 1.0 };

/// Shows the list that a shortcut requested, at the pointer.
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
    let (name, fill): (&str, fn(&mut MenuRows<'_>)) = match list {
        KeyList::Interpolation => ("Interpolation", interpolation_rows),
        KeyList::Tangents => ("Tangents", tangent_rows),
        KeyList::Kind => ("Key type", kind_rows),
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
    menu_rows::show_popup(popup, view, actions, |rows| {
        rows.header(name, &counted(view.selected_keys().len()));
        fill(rows);
    });
}
