//! Menu rows that convert tracks to another interpolation without changing their motion.

use super::asked::convert;
use crate::ui::{
    Action,
    menu_rows::{MenuRows, Row},
};
use ulna_edit::command::Between;
use ulna_model::{ClipId, KeySet};

/// Interpolations with their glTF names and the effect on the motion.
const WAYS: [(Between, &str, &str); 3] = [
    (Between::Linear, "To LINEAR", "Adds keys where the curves bend; a message gives the error"),
    (Between::Hold, "To STEP", "Holds each value until the next key; a message gives the error"),
    (
        Between::Smooth,
        "To CUBICSPLINE",
        "Keeps the motion, with tangents; a message gives the error",
    ),
];

/// Adds a submenu that converts the tracks of keys. With `segments_too`, it also offers to convert
/// only the segments after the keys.
pub fn conversion_row(rows: &mut MenuRows<'_>, (id, keys): (ClipId, &KeySet), segments_too: bool) {
    let none = keys.is_empty().then_some("No key is selected");
    rows.submenu(Row::new("Convert, keeping the motion").unless(none), |rows| {
        ways(rows, (id, keys), false);
        if segments_too {
            rows.separator();
            ways(rows, (id, keys), true);
        }
    });
}

fn ways(rows: &mut MenuRows<'_>, (id, keys): (ClipId, &KeySet), segments: bool) {
    for (to, text, about) in WAYS {
        let of = if segments { "segments" } else { "tracks" };
        let note = if segments { "selected segments" } else { "" };
        let said = format!("Convert {of} {}", text.to_lowercase());
        let row = Row::new(text).note(note).help(about).said(said);
        if rows.row(row) {
            rows.actions.push(Action::Run(convert(id, keys.clone(), to, segments)));
        }
    }
}
