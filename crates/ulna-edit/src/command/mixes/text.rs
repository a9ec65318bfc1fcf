//! The text form of mixes, with names of clips and joints.

use serde_json::Value;

use crate::command::{
    CommandError,
    names::{NodeTexts, clip_text, find_clip, find_nodes},
};
use ulna_model::{ClipId, Document, Mix};

/// A mix that refers to clips and joints by name.
pub type NamedMix = Mix<String, String>;

/// Converts a mix to names.
pub fn named_mix(document: &Document, mix: &Mix) -> NamedMix {
    let texts = NodeTexts::of(document);
    let named = mix.renamed::<String, String, std::convert::Infallible>(
        &mut |clip| Ok(clip_text(document, *clip)),
        &mut |node| Ok(texts.text(*node)),
    );
    match named {
        Ok(mix) => mix,
    }
}

/// Parses a mix from a JSON object, or from the text of one.
///
/// # Errors
/// A sentence, if the value is not a mix, or a name is missing.
pub fn read_mix(document: &Document, text: &Value) -> Result<Mix, String> {
    let named: Result<NamedMix, _> = match text {
        Value::String(text) => serde_json::from_str(text),
        // Without this check, a list would be read as the members in order.
        Value::Array(_) => {
            return Err(
                "the mix is invalid: it is a list, but must be an object with “lanes”".to_owned()
            );
        }
        other => serde_json::from_value(other.clone()),
    };
    let named = named.map_err(|e| format!("the mix is invalid: {e}"))?;
    if let Some(fault) = named.fault() {
        return Err(fault);
    }
    found_mix(document, &named)
}

/// Returns a clip by its name, or a removed clip by its `#index`, as a mix can still refer to it.
fn find_clip_of_mix(document: &Document, name: &str) -> Result<ClipId, String> {
    let found = find_clip(document, name).map_err(|e| e.to_string());
    let gone = name.strip_prefix('#').and_then(|n| n.parse().ok()).map(ClipId);
    match (found, gone.filter(|id| *id < document.clips.next_id())) {
        (Err(_), Some(gone)) => Ok(gone),
        (found, _) => found,
    }
}

/// Resolves the names in a mix.
///
/// # Errors
/// A sentence about the first name that is missing or matches several elements.
pub fn found_mix(document: &Document, named: &NamedMix) -> Result<Mix, String> {
    named.renamed(&mut |clip| find_clip_of_mix(document, clip), &mut |node| match find_nodes(
        document, node,
    )
    .map_err(|e| e.to_string())?[..]
    {
        [one] => Ok(one),
        _ => Err(format!("“{node}” matches several nodes; use the path or the #index of one")),
    })
}

pub(super) fn sentence(code: &'static str, text: impl Into<String>) -> CommandError {
    CommandError::other(code, text)
}
