//! Reading and writing of Ulna's own members in the `extras` of an element, with their versions.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::json::Extensions;
use ulna_model::{Diagnostics, Location, Severity};

/// Format version that is written in each member.
const VERSION: u32 = 1;

/// Content of one of Ulna's own members, with the version of its format.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    what: T,
}

/// Reads one of Ulna's own members. An unreadable member becomes a finding.
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

/// JSON text of one of Ulna's own members.
pub(super) fn text<T: Serialize>(what: T) -> Option<String> {
    // Serializing numbers and names cannot fail.
    Some(serde_json::to_string(&Versioned { version: VERSION, what }).unwrap_or_default())
}
