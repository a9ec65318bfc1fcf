//! What Ulna keeps in the extras of an animation: its markers.

use serde::{Deserialize, Serialize};

use super::json::Extensions;
use crate::model::{Diagnostics, Marker, Severity, Shared};

/// The member of an animation's `extras` where markers are.
pub const MARKERS: &str = "ulna.markers";

/// `extras["ulna.markers"]`.
#[derive(Serialize, Deserialize)]
struct MarkersExtra {
    version: u32,
    markers: Vec<Marker>,
}

/// The markers of an animation; none, and a warning, where they cannot be read. They stay in the file then.
pub fn read_markers(extras: &Extensions, place: &str, diagnostics: &mut Diagnostics) -> Shared<[Marker]> {
    if !extras.has(MARKERS) {
        return Shared::default();
    }
    match extras.get::<MarkersExtra>(MARKERS) {
        Some(found) if found.version == 1 => Marker::in_order(found.markers).into(),
        _ => {
            let message = "Its markers cannot be read, or are of a newer Ulna; they are kept as they are and not shown";
            diagnostics.add(Severity::Warning, "ULNA_MARKERS", place, message);
            Shared::default()
        }
    }
}

/// Markers as the member's JSON; nothing where there are none.
pub fn markers_text(markers: &[Marker]) -> Option<String> {
    let extra = MarkersExtra { version: 1, markers: markers.to_vec() };
    // Numbers and names always have a text.
    (!markers.is_empty()).then(|| serde_json::to_string(&extra).unwrap_or_default())
}
