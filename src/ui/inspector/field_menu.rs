//! Context menu of a number field. It copies, pastes, keys, resets and locks the number, and
//! applies it to all selected nodes.

use egui::Response;
use egui_material_icons::icons;
use glam::Vec3;

use super::fields::Edited;
use crate::ui::{
    Action, Actions, View,
    menu_rows::{MenuRows, Row, context_menu},
    widgets::short_number,
};
use ulna_edit::{
    Command, CommandSpec,
    command::{
        DeleteKeys, ResetRotation, ResetScale, ResetTranslation, SetKey, TimelineCommand,
        WhichKeys,
        field::{ClipName, KeyParts, Nodes, Seconds},
    },
};
use ulna_model::{Document, NodeId, Property};

/// Numbers copied from fields, in displayed units.
#[derive(Clone, Debug, Default)]
struct CopiedNumbers(Vec<f32>);

fn copied_id() -> egui::Id {
    egui::Id::unique("numbers copied from fields")
}

/// Fields of a row, and the property that they edit.
pub struct FieldRow<'a> {
    pub view: &'a View<'a>,
    pub document: &'a Document,
    /// Nodes that get a typed number. The active node comes first.
    pub nodes: &'a [NodeId],
    pub property: Property,
    /// Values in displayed units.
    pub values: Vec3,
    /// True for axes on which the nodes' values differ.
    pub mixed: [bool; 3],
    /// True for locked axes; `None` if the row has no locks.
    pub locked: Option<[bool; 3]>,
    /// True if the row shows `Ul`, the change from the rest; false for other transforms.
    pub is_own: bool,
    /// Displayed units per stored unit.
    pub factor: f32,
    /// Returns commands that set the current values.
    pub commands: &'a dyn Fn() -> Vec<Command>,
}

/// Shows the context menus of a row's fields. A chosen value is stored in `edited` like a typed
/// one.
pub fn field_menus(
    row: &FieldRow<'_>,
    fields: &[(usize, Response)],
    edited: &mut Edited,
    actions: &mut Actions,
) {
    for (axis, response) in fields {
        context_menu(response, Some(response.rect), row.view, actions, |rows| {
            field_rows(rows, row, *axis, edited);
        });
    }
}

const AXES: [&str; 4] = ["X", "Y", "Z", "W"];

const fn title(property: Property) -> &'static str {
    match property {
        Property::Translation => "Translation",
        Property::Rotation => "Rotation",
        Property::Scale | Property::Weights => "Scale",
    }
}

/// The commands that key and reset a property.
fn specs(property: Property) -> (TimelineCommand, &'static CommandSpec) {
    match property {
        Property::Translation => (TimelineCommand::KeyTranslation, ResetTranslation::spec()),
        Property::Rotation => (TimelineCommand::KeyRotation, ResetRotation::spec()),
        Property::Scale | Property::Weights => (TimelineCommand::KeyScale, ResetScale::spec()),
    }
}

fn field_rows(rows: &mut MenuRows<'_>, row: &FieldRow<'_>, axis: usize, edited: &mut Edited) {
    let Some(node) = row.nodes.first().copied() else { return };
    let label = row.document.node(node).label(node);
    let about = match row.nodes.len() {
        1 => label,
        n => format!("{label}, {n} selected"),
    };
    let letter = AXES.get(axis).copied().unwrap_or_default();
    rows.header(&format!("{} {letter}", title(row.property)), &about);
    copy_rows(rows, row, axis, edited);
    if row.is_own {
        rows.separator();
        key_rows(rows, row, node);
        rows.separator();
        rows.command_as(specs(row.property).1, "Reset to rest pose");
        if row.nodes.len() > 1 {
            let same = (!row.mixed.get(axis).copied().unwrap_or(false))
                .then_some("All selected joints have this value");
            let apply = Row::new(format!("Apply to {} joints", row.nodes.len()));
            if rows.row(apply.unless(same)) {
                (edited.values, edited.axis, edited.done) =
                    (Some(row.values / row.factor), axis, true);
            }
        }
        if let Some(locked) = row.locked {
            let on = locked.get(axis).copied().unwrap_or(false);
            let icon = if on { icons::ICON_LOCK_OPEN } else { icons::ICON_LOCK };
            let verb = if on { "Unlock" } else { "Lock" };
            let lock = Row::new(format!("{verb} {letter}")).icon(icon.codepoint);
            if rows.row(lock.help("Locked channels are not posed by hand; clips play unchanged")) {
                edited.lock = Some(axis);
            }
        }
        rows.separator();
        let text = Row::new("Copy as command").icon(icons::ICON_TERMINAL.codepoint);
        if rows.row(text.help("Copies the value as a JSON line for a script")) {
            let lines: Vec<String> =
                (row.commands)().iter().map(|c| c.line(row.document).to_string()).collect();
            rows.ui.copy_text(lines.join("\n"));
        }
    }
}

/// Adds menu rows that copy and paste numbers.
fn copy_rows(rows: &mut MenuRows<'_>, row: &FieldRow<'_>, axis: usize, edited: &mut Edited) {
    let degrees = row.property == Property::Rotation;
    let shown = row.values.to_array();
    let one = shown.get(axis).copied().unwrap_or_default();
    let icon = icons::ICON_CONTENT_COPY.codepoint;
    if rows.row(Row::new(format!("Copy {}", short_number(one, degrees))).icon(icon)) {
        copy(rows, &[one]);
    }
    if rows.row(Row::new("Copy all three")) {
        copy(rows, &shown);
    }
    let CopiedNumbers(copied) = rows.ui.data(|d| d.get_temp(copied_id())).unwrap_or_default();
    let is_locked = row.locked.is_some_and(|l| l.get(axis).copied().unwrap_or(false));
    let reason = match (copied.is_empty(), is_locked) {
        (true, _) => Some("Copy a number of a field first"),
        (_, true) => Some("This channel is locked"),
        _ => None,
    };
    if !row.is_own {
        return;
    }
    let icon = icons::ICON_CONTENT_PASTE.codepoint;
    let row_of = Row::new("Paste").icon(icon);
    if rows.row(row_of.unless(reason)) {
        let mut values = row.values;
        match copied[..] {
            [x, y, z] => {
                values = Vec3::new(x, y, z);
                edited.all = true;
            }
            [one, ..] => values[axis.min(2)] = one,
            [] => {}
        }
        (edited.values, edited.axis, edited.done) = (Some(values / row.factor), axis.min(2), true);
    }
}

fn copy(rows: &MenuRows<'_>, numbers: &[f32]) {
    let text: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    rows.ui.copy_text(text.join(" "));
    rows.ui.data_mut(|d| d.insert_temp(copied_id(), CopiedNumbers(numbers.to_vec())));
}

/// Adds menu rows about keys of the property, if a clip is shown.
fn key_rows(rows: &mut MenuRows<'_>, row: &FieldRow<'_>, node: NodeId) {
    let view = row.view;
    let Some(id) = view.shown_clip() else { return };
    let (key, _) = specs(row.property);
    let set = Row::of(view, key.spec()).title("Set key");
    let set = set.icon(crate::ui::command_icons::command_icon(SetKey::spec()).unwrap_or_default());
    rows.run(set, || key.into());
    let clip = view.keys_clip(row.document, id);
    let track = clip.and_then(|c| c.track(node, row.property)).map(|(_, track)| track);
    let time = view.timeline.playback.time as f32;
    let has_key = track.is_some_and(|t| t.key_at(time, 1e-3).is_some());
    let none = (!has_key).then_some("There is no key at the playhead");
    rows.run(Row::new("Delete key here").unless(none), || {
        let which = WhichKeys {
            time: Some(Seconds(time)),
            node: Some(Nodes::Ids(row.nodes.to_vec())),
            parts: Some(KeyParts(vec![row.property])),
            ..WhichKeys::default()
        };
        DeleteKeys { clip: ClipName::Id(id), which }.into()
    });
    let none = track.is_none().then_some("This channel has no keys");
    let curves = Row::new("Show in curves").icon(icons::ICON_SHOW_CHART.codepoint);
    if rows.row(curves.unless(none)) && !view.availability.curves {
        rows.actions.push(Action::Run(TimelineCommand::Curves.into()));
    }
}
