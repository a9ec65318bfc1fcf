//! Commands on retarget maps, which are saved with the scene of the file, and their JSON form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ArgumentError, ArgumentType, Arguments, CommandError, Outcome, Scene,
    define::document_commands, error::refuse, field::field,
};
use crate::{Edit, did_you_mean};
use ulna_model::{Document, Notice, RetargetMap, SceneId};

document_commands! {
    /// Commands on retarget maps.
    RetargetMapCommand in "Clip/Retarget maps";

    /// Saves a retarget map in the file
    KeepMap {
        /// Retarget map, as JSON.
        map: RetargetMapText,
        /// Name of the map; the name in the JSON if omitted.
        name: Option<String>,
    } = "retarget.keep_map", "Save a retarget map in the file", asks: true;
    /// Removes a retarget map from the file
    RemoveMap {
        /// Name of the retarget map to remove.
        map: String,
    } = "retarget.remove_map", "Remove a retarget map", asks: true;
}

/// A retarget map, or its JSON text.
#[derive(Clone, Debug, PartialEq)]
pub enum RetargetMapText {
    /// The parsed map.
    Map(Box<RetargetMap>),
    /// JSON text that is not parsed yet.
    Text(String),
}

field!(RetargetMapText, ArgumentType::Text, |from, name| text_or_object(from, name), |v, d| {
    match v {
        Self::Text(text) => text.as_str().into(),
        Self::Map(map) => map_text(map).into(),
    }
});

fn text_or_object(from: &Arguments, name: &'static str) -> Result<RetargetMapText, ArgumentError> {
    match from.value(name)? {
        map @ Value::Object(_) => Ok(RetargetMapText::Text(map.to_string())),
        _ => from.text(name).map(|text| RetargetMapText::Text(text.to_owned())),
    }
}

/// Version of the JSON form.
const VERSION: u64 = 1;

/// Member that identifies the JSON form, with its version.
const MARK: &str = "ulna_retarget";

#[derive(Serialize, Deserialize)]
struct MapText {
    ulna_retarget: u64,
    #[serde(flatten)]
    map: RetargetMap,
}

/// Converts a retarget map to JSON, for scripts and files.
pub fn map_text(map: &RetargetMap) -> String {
    // Serialization of plain numbers and names cannot fail.
    serde_json::to_string_pretty(&MapText { ulna_retarget: VERSION, map: map.clone() })
        .unwrap_or_default()
}

/// Names of the allowed members of a map, a chain and the contact settings.
const OF_MAP: [&str; 9] =
    [MARK, "name", "chains", "height", "stride", "root", "contacts", "source_pose", "target_pose"];
const OF_CHAIN: [&str; 6] = ["name", "source", "target", "rotation", "position", "contacts"];
const OF_CONTACTS: [&str; 4] = ["lock", "blend", "toe_roll", "lower_hips"];

/// Parses a retarget map from JSON.
///
/// # Errors
/// The error, as a sentence without a capital letter or a final period.
pub fn read_map(text: &str) -> Result<RetargetMap, String> {
    let found: Value =
        serde_json::from_str(text).map_err(|e| format!("the retarget map is not JSON: {e}"))?;
    let Some(members) = found.as_object() else {
        return Err("the retarget map is not a JSON object".to_owned());
    };
    if let Some(version) = members.get(MARK).and_then(Value::as_u64).filter(|v| *v > VERSION) {
        return Err(format!(
            "the retarget map was written by a newer version of Ulna (format {version}); update \
                Ulna to use it"
        ));
    }
    let known = |value: &Value, names: &[&str], place: &str| -> Result<(), String> {
        let mut all = value.as_object().into_iter().flat_map(|m| m.keys());
        match all.find(|name| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let near = did_you_mean(name, names.iter().copied());
                Err(format!("{place} has the unknown member “{name}”{near}"))
            }
        }
    };
    known(&found, &OF_MAP, "the retarget map")?;
    for chain in members.get("chains").and_then(Value::as_array).into_iter().flatten() {
        let name = chain.get("name").and_then(Value::as_str).unwrap_or_default();
        known(chain, &OF_CHAIN, &format!("chain “{name}” of the retarget map"))?;
    }
    if let Some(contacts) = members.get("contacts") {
        known(contacts, &OF_CONTACTS, "“contacts” of the retarget map")?;
    }
    let map: RetargetMap = serde_json::from_value(found.clone())
        .map_err(|e| format!("the retarget map is invalid: {e}"))?;
    if map.chains.is_empty() {
        return Err("the retarget map has no chains; add at least one".to_owned());
    }
    match fault(&map) {
        None => Ok(map),
        Some(fault) => Err(format!("the retarget map is invalid: {fault}")),
    }
}

/// Describes an invalid value of a map, as part of a sentence; `None` if the map is valid.
fn fault(map: &RetargetMap) -> Option<String> {
    if map.is_valid() {
        return None;
    }
    let mut names: Vec<&str> = map.chains.iter().map(|c| &*c.name).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        return Some(format!("two chains are named “{}”", twice[0]));
    }
    for (name, factor) in [("height", map.height), ("stride", map.stride)] {
        if factor.is_some_and(|f| !f.is_finite() || f <= 0.0) {
            return Some(format!("“{name}” must be greater than 0"));
        }
    }
    for (name, value) in [("blend", map.contacts.blend), ("toe_roll", map.contacts.toe_roll)] {
        if !(0.0..=1.0).contains(&value) {
            return Some(format!("“{name}” of “contacts” must be 0 to 1"));
        }
    }
    Some("a rotation of a reference pose must be four numbers that are not all 0".to_owned())
}

fn keeping_scene(document: &Document) -> Result<SceneId, CommandError> {
    document.keeping_scene().ok_or_else(|| {
        CommandError::other(
            "no_scene",
            "this file has no scene, so a retarget map cannot be saved in it; save it as JSON \
                instead",
        )
    })
}

impl RetargetMapText {
    /// Returns the map.
    ///
    /// # Errors
    /// If the text is not a retarget map.
    pub fn map(&self) -> Result<RetargetMap, CommandError> {
        match self {
            Self::Map(map) => Ok((**map).clone()),
            Self::Text(text) => {
                read_map(text).map_err(|why| CommandError::other("not_a_retarget_map", why))
            }
        }
    }
}

/// Returns the index of a map in the file by its name.
fn place_of(document: &Document, name: &str) -> Result<usize, CommandError> {
    let all = document.retarget_maps();
    all.iter().position(|m| m.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|m| &*m.name).collect();
        let there = match names.is_empty() {
            true => "the file has no retarget maps".to_owned(),
            false => format!("retarget maps: {}", names.join(", ")),
        };
        let said = format!("there is no retarget map “{name}” in this file; {there}");
        CommandError::other("no_such_retarget_map", said)
    })
}

impl KeepMap {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let map = self.map.map()?;
        let name = self.name.as_ref().unwrap_or(&map.name).trim().to_owned();
        if name.is_empty() {
            return refuse("name_missing", "a retarget map needs a name");
        }
        let scene = keeping_scene(document)?;
        let map = RetargetMap { name, ..map };
        let mut maps = document.retarget_maps().to_vec();
        let mut notes = Vec::new();
        match maps.iter_mut().find(|m| m.name == map.name) {
            Some(old) if *old == map => {
                let said = "the file has this retarget map already";
                return Ok(Outcome::noted("nothing_to_change", said));
            }
            Some(old) => {
                let said = format!("the existing retarget map “{}” was replaced", map.name);
                notes.push(Notice::new("retarget_map_replaced", said));
                *old = map;
            }
            None => maps.push(map),
        }
        let edits = vec![Edit::SetRetargetMaps { scene, to: maps.into() }];
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl RemoveMap {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let at = place_of(document, &self.map)?;
        let mut maps = document.retarget_maps().to_vec();
        maps.remove(at);
        Ok(vec![Edit::SetRetargetMaps { scene: keeping_scene(document)?, to: maps.into() }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_restored_from_text_and_errors_state_their_line() {
        let chain = r#"{"name": "Spine", "source": ["a"], "target": ["b", "c"]}"#;
        let read = |members: &str| read_map(&format!("{{\"chains\": [{chain}]{members}}}"));
        let map = read(r#", "name": "Walk", "stride": 0.5, "contacts": {"lock": false}"#).unwrap();
        assert_eq!((&*map.name, map.stride, map.contacts.lock), ("Walk", Some(0.5), false));
        assert_eq!(read_map(&map_text(&map)), Ok(map));
        for (text, wanted) in [
            ("", "not JSON"),
            ("[]", "not a JSON object"),
            ("{}", "no chains"),
            (r#"{"chain": []}"#, "“chain” (did you mean “chains”?)"),
            (r#"{"ulna_retarget": 2, "chains": []}"#, "newer version"),
            (r#"{"chains": [{"name": "a", "from": []}]}"#, "chain “a” of the retarget map"),
            (r#"{"chains": [{"name": "a"}, {"name": "a"}]}"#, "two chains are named “a”"),
            (r#"{"chains": [{"name": "a", "rotation": "best"}]}"#, "`best`"),
            (r#"{"chains": [{"name": "a"}], "height": 0}"#, "“height” must be greater than 0"),
            (r#"{"chains": [{"name": "a"}], "contacts": {"blend": 3}}"#, "“blend” of “contacts”"),
            (r#"{"chains": [{"name": "a"}], "source_pose": {"b": [0, 0, 0, 0]}}"#, "four numbers"),
        ] {
            let why = read_map(text).unwrap_err();
            assert!(why.contains(wanted), "{text}: {why}");
        }
    }
}
