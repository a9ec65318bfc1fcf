//! Files of custom keyboard shortcuts: a preset, and the shortcuts that differ from it.
//!
//! ```json
//! { "ulna_keys": 1, "preset": "blender", "keys": { "view.grid": ["J", "Ctrl+J"] } }
//! ```

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{KeyMap, Preset, find};

/// Version of written files, and highest version that can be read.
const VERSION: u64 = 1;
/// Maximum file size in bytes. A file with shortcuts for all commands is far smaller.
const LARGEST: usize = 1 << 20;
/// Maximum number of shortcuts per command.
const MOST: usize = 8;

/// Reason why a file of shortcuts cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyFileError {
    /// The file is too large. The number is its size in bytes.
    #[error("The file has {0} bytes, which is too many for a file of keys")]
    TooLarge(usize),
    /// The file is not UTF-8 text, or is not JSON.
    #[error("The file is not valid JSON: {0}")]
    NotJson(String),
    /// The JSON is not a file of shortcuts.
    #[error("The file is not a file of keys: it has no number “ulna_keys”")]
    OtherKind,
    /// The file has a newer version.
    #[error("The file has version {0}, and this program reads versions up to {VERSION}")]
    Later(u64),
    /// The member `keys` is not an object.
    #[error("The keys of the file are not an object with one member per command")]
    NoKeys,
    /// The preset is unknown.
    #[error("The file has the preset {0}, which this program does not have")]
    UnknownPreset(String),
}

/// Shortcuts of one command that could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedKeys {
    /// Title of the command, or its name in the file if the command is unknown.
    pub command: String,
    /// Reason for the refusal.
    pub reason: String,
}

/// Shortcuts read from a file, with the preset of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedKeys {
    /// The new key map.
    pub keys: KeyMap,
    /// Number of commands whose shortcuts were imported.
    pub taken: usize,
    /// Commands whose shortcuts were refused. All other shortcuts are still imported.
    pub refused: Vec<RefusedKeys>,
}

impl KeyMap {
    /// Returns the text of a file with the preset and the custom shortcuts.
    pub fn to_file(&self) -> String {
        let keys: BTreeMap<&str, Vec<&str>> = self
            .own()
            .map(|(command, keys)| (command, keys.split_whitespace().collect()))
            .collect();
        let file = json!({ "ulna_keys": VERSION, "preset": self.preset(), "keys": keys });
        format!("{file:#}\n")
    }

    /// Reads a file of shortcuts. `is_key` tells whether a text such as `Ctrl+Shift+Z` is a
    /// shortcut.
    ///
    /// # Errors
    /// If the file cannot be read as a whole. Single invalid shortcuts are reported in the result.
    pub fn from_file(
        bytes: &[u8],
        is_key: impl Fn(&str) -> bool,
    ) -> Result<ImportedKeys, KeyFileError> {
        if bytes.len() > LARGEST {
            return Err(KeyFileError::TooLarge(bytes.len()));
        }
        let file: Value =
            serde_json::from_slice(bytes).map_err(|e| KeyFileError::NotJson(e.to_string()))?;
        let version =
            file.get("ulna_keys").and_then(Value::as_u64).ok_or(KeyFileError::OtherKind)?;
        if version > VERSION {
            return Err(KeyFileError::Later(version));
        }
        let mut keys = Self::default();
        if let Some(preset) = file.get("preset") {
            let unknown = |_| KeyFileError::UnknownPreset(short(&preset.to_string()));
            keys.set_preset(serde_json::from_value::<Preset>(preset.clone()).map_err(unknown)?);
        }
        let nothing = Map::new();
        let wanted = match file.get("keys") {
            None => &nothing,
            Some(Value::Object(keys)) => keys,
            Some(_) => return Err(KeyFileError::NoKeys),
        };
        let mut imported = ImportedKeys { keys, taken: 0, refused: Vec::new() };
        let mut waiting = Vec::new();
        for (name, value) in wanted {
            match read_keys(name, value, &is_key) {
                Ok(read) => waiting.push(read),
                Err(refused) => imported.refused.push(refused),
            }
        }
        imported.take(waiting);
        Ok(imported)
    }
}

/// A command of the table, and its shortcuts separated by spaces.
type ReadKeys = (&'static super::CommandSpec, String);

impl ImportedKeys {
    /// Sets the shortcuts of the commands. All of these commands lose their old shortcuts first, so
    /// that two commands can swap shortcuts.
    fn take(&mut self, read: Vec<ReadKeys>) {
        for (command, _) in &read {
            // An empty list of shortcuts cannot conflict.
            _ = self.keys.set(command.name, "");
        }
        let mut refused = Vec::new();
        for (command, keys) in read {
            match self.keys.set(command.name, &keys) {
                Ok(()) => self.taken += 1,
                Err(other) => refused.push((command, keys, other)),
            }
        }
        for (command, keys, other) in refused {
            // Falls back to the preset's shortcuts, unless one of them is now used by another
            // command.
            self.keys.reset(Some(command.name));
            if self.keys.clash(command.name, self.keys.text(command.name)).is_some() {
                _ = self.keys.set(command.name, "");
            }
            let reason = format!("{keys} is used by “{}”", other.title);
            self.refused.push(RefusedKeys { command: command.title.to_owned(), reason });
        }
    }
}

/// Reads the shortcuts of one command.
fn read_keys(
    name: &str,
    value: &Value,
    is_key: &impl Fn(&str) -> bool,
) -> Result<ReadKeys, RefusedKeys> {
    let Some(command) = find(name) else {
        let reason = "this program has no such command".to_owned();
        return Err(RefusedKeys { command: short(name), reason });
    };
    let refused = |reason| RefusedKeys { command: command.title.to_owned(), reason };
    let texts: Option<Vec<&str>> = match value {
        Value::String(text) => Some(text.split_whitespace().collect()),
        Value::Array(all) => all.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(texts) = texts else {
        return Err(refused("its keys are not a text or a list of texts".to_owned()));
    };
    if texts.len() > MOST {
        return Err(refused(format!("it has {} keys, but the maximum is {MOST}", texts.len())));
    }
    match texts.iter().find(|text| !is_key(text)) {
        Some(text) => Err(refused(format!("“{}” is not a key", short(text)))),
        None => Ok((command, texts.join(" "))),
    }
}

/// Returns the start of a text from a file, for messages.
fn short(text: &str) -> String {
    /// Maximum number of characters.
    const MOST: usize = 40;
    let start: String = text.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if text.chars().count() > MOST { start + "…" } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_key(text: &str) -> bool {
        !text.is_empty() && text.len() < 20 && !text.contains(' ') && text != "Nonsense"
    }

    fn read(text: &str) -> Result<ImportedKeys, KeyFileError> {
        KeyMap::from_file(text.as_bytes(), is_key)
    }

    fn reasons(imported: &ImportedKeys) -> Vec<String> {
        imported.refused.iter().map(|r| format!("{}: {}", r.command, r.reason)).collect()
    }

    #[test]
    fn custom_shortcuts_are_restored_from_a_file_for_each_preset() {
        for preset in Preset::ALL {
            let mut map = KeyMap::default();
            map.set_preset(preset);
            assert_eq!(map.set("view.grid", "J Ctrl+J").map_err(|c| c.name), Ok(()));
            assert_eq!(map.set("view.hide", "").map_err(|c| c.name), Ok(()));
            let imported = read(&map.to_file()).expect("a file of keys");
            assert_eq!(
                imported,
                ImportedKeys { keys: map, taken: 2, refused: Vec::new() },
                "{preset:?}"
            );
        }
    }

    #[test]
    fn two_commands_can_swap_their_shortcuts() {
        let mut map = KeyMap::default();
        for (command, keys) in [("view.hide", ""), ("tool.select", "H"), ("view.hide", "Q")] {
            assert_eq!(map.set(command, keys).map_err(|c| c.name), Ok(()), "{command}");
        }
        let text = r#"{"ulna_keys":1,"keys":{"tool.select":["H"],"view.hide":"Q"}}"#;
        let imported = read(text).expect("a file of keys");
        assert_eq!((imported.taken, reasons(&imported)), (2, Vec::new()));
        assert_eq!(imported.keys, map);
    }

    #[test]
    fn a_conflicting_shortcut_is_reported_and_the_others_are_imported() {
        let text = r#"{"ulna_keys":1,"preset":"maya","keys":{
            "view.grid":["J"],"view.names":["J"],"view.axes":"F","no.such":["K"],
            "view.joints":["Nonsense"],"view.pins":{"a":1},"view.sticks":[3],
            "layers.add":["Shift+U"]}}"#;
        let imported = read(text).expect("a file of keys");
        assert_eq!(imported.taken, 2, "{:?}", imported.keys);
        assert_eq!((imported.keys.preset(), imported.keys.key("view.grid")), (Preset::Maya, "J"));
        let mut said = reasons(&imported);
        said.sort();
        assert_eq!(
            said,
            [
                "Joint axes: F is used by “Frame selected”",
                "Joint names: J is used by “Grid”",
                "Joints as sticks: its keys are not a text or a list of texts",
                "Joints: “Nonsense” is not a key",
                "Pins: its keys are not a text or a list of texts",
                "no.such: this program has no such command",
            ]
        );
    }

    #[test]
    fn files_that_do_not_contain_shortcuts_are_refused() {
        let deep = "[".repeat(100_000);
        let many =
            format!(r#"{{"ulna_keys":1,"keys":{{"view.grid":[{}"J"]}}}}"#, "\"A\",".repeat(20));
        let texts = ["", "null", "[]", "{}", "{\"ulna_keys\":-1}", "{\"ulna_keys\":\"1\"}", &deep];
        for text in texts {
            assert!(read(text).is_err(), "{}", text.get(..20).unwrap_or(text));
        }
        assert_eq!(read(r#"{"ulna_keys":2}"#), Err(KeyFileError::Later(2)));
        assert_eq!(read(r#"{"ulna_keys":1,"keys":[]}"#), Err(KeyFileError::NoKeys));
        let preset = read(r#"{"ulna_keys":1,"preset":"emacs"}"#);
        assert_eq!(preset, Err(KeyFileError::UnknownPreset("\"emacs\"".to_owned())));
        assert!(matches!(KeyMap::from_file(&[0xff, 0xfe], is_key), Err(KeyFileError::NotJson(_))));
        let large = KeyMap::from_file(&vec![b' '; LARGEST + 1], is_key);
        assert_eq!(large, Err(KeyFileError::TooLarge(LARGEST + 1)));
        let imported = read(&many).expect("a file of keys");
        assert_eq!(reasons(&imported), ["Grid: it has 21 keys, but the maximum is 8"]);
    }
}
