//! Members of Ulna in the `extras` of an element: their version, reading and writing.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::json::Extensions;
use ulna_model::{Diagnostics, Location, Severity};

/// Version of the format of each member.
const VERSION: u32 = 1;

/// A member of Ulna with the version of its format.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    what: T,
}

/// Reads a member of Ulna. An unreadable member becomes a finding.
pub(super) fn member<T: DeserializeOwned>(
    extras: &Extensions,
    name: &str,
    what: &str,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    if !extras.has(name) {
        return None;
    }
    match extras.get::<Versioned<T>>(name) {
        Some(found) if found.version == VERSION => Some(found.what),
        _ => {
            let message = format!(
                "Its data in extras ({what}) is invalid or was written by a newer version of Ulna; \
                    it stays in the file, but is ignored"
            );
            diagnostics.add(Severity::Warning, "ULNA_CLIP_EXTRAS", place, message);
            None
        }
    }
}

/// The JSON text of a member of Ulna.
pub(super) fn text<T: Serialize>(what: T) -> Option<String> {
    // Serializing numbers and names cannot fail.
    Some(serde_json::to_string(&Versioned { version: VERSION, what }).unwrap_or_default())
}
