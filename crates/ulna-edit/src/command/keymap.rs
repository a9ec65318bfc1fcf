//! Keys of commands: three presets over the table's own keys, and a person's own keys. A command
//! can have several keys, which are written with spaces between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    CommandSpec, KeyScope, find,
    key_presets::{self, Preset},
    renamed, table,
};

/// The live key map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeyMap {
    preset: Preset,
    /// By command; an empty key means none.
    #[serde(deserialize_with = "as_named_now")]
    own: BTreeMap<String, String>,
}

/// Keys that were kept when a command had another name are still its keys.
fn as_named_now<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let kept = BTreeMap::<String, String>::deserialize(from)?;
    let now = |name: String| renamed(&name).map_or(name, |spec| spec.name.to_owned());
    Ok(kept.into_iter().map(|(name, key)| (now(name), key)).collect())
}

impl KeyMap {
    /// The preset that is changed.
    pub const fn preset(&self) -> Preset {
        self.preset
    }

    /// Another preset; what a person changed stays.
    pub fn set_preset(&mut self, preset: Preset) {
        self.preset = preset;
    }

    /// The first key of a command, such as `Ctrl+Shift+Z`; empty if it has none.
    pub fn key(&self, command: &str) -> &str {
        self.keys(command).next().unwrap_or_default()
    }

    /// All keys of a command.
    pub fn keys(&self, command: &str) -> impl Iterator<Item = &str> + use<'_> {
        self.text(command).split_whitespace()
    }

    /// All keys of a command, with spaces between them; empty if it has none.
    pub fn text(&self, command: &str) -> &str {
        match self.own.get(command) {
            Some(keys) => keys,
            None => self.preset_keys(command),
        }
    }

    /// The first key of a command as it is shown, such as `Ctrl+Shift+↑`; empty if it has none.
    pub fn shown(&self, command: &str) -> String {
        key_parts(self.key(command)).join("+")
    }

    fn preset_keys(&self, command: &str) -> &'static str {
        key_presets::differing(self.preset, command)
            .or_else(|| find(command).map(|c| c.key))
            .unwrap_or_default()
    }

    /// The keys that a person chose, by command.
    pub fn own(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().map(|(command, keys)| (command.as_str(), keys.as_str()))
    }

    /// Whether a person changed the key of a command.
    pub fn is_own(&self, command: &str) -> bool {
        self.own.contains_key(command)
    }

    /// Who has one of some keys already, besides `command`.
    pub fn clash(&self, command: &str, keys: &str) -> Option<&'static CommandSpec> {
        let scope = find(command).map(|c| c.key_scope);
        let meant_there = |c: &CommandSpec| Some(c.key_scope) == scope;
        let has_one = |c: &CommandSpec| keys.split_whitespace().any(|k| self.has(c.name, k));
        table().iter().find(|c| c.name != command && meant_there(c) && has_one(c))
    }

    /// Whether a key is one of a command's keys.
    pub fn has(&self, command: &str, key: &str) -> bool {
        self.keys(command).any(|k| k == key)
    }

    /// Gives a command keys, with spaces between them, or none.
    ///
    /// # Errors
    /// Another command has one of them: that command.
    pub fn set(&mut self, command: &str, keys: &str) -> Result<(), &'static CommandSpec> {
        if let Some(other) = self.clash(command, keys) {
            return Err(other);
        }
        let keys = keys.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.preset_keys(command) == keys {
            self.own.remove(command);
        } else {
            self.own.insert(command.to_owned(), keys);
        }
        Ok(())
    }

    /// Back to the preset's key for a command, or for all.
    pub fn reset(&mut self, command: Option<&str>) {
        match command {
            Some(command) => {
                self.own.remove(command);
            }
            None => self.own.clear(),
        }
    }

    /// Commands that share a key, and the key: a preset under a person's own keys can come to that.
    pub fn clashes(&self) -> Vec<(&'static CommandSpec, &'static CommandSpec, &str)> {
        let mut seen: BTreeMap<(KeyScope, &str), &'static CommandSpec> = BTreeMap::new();
        let mut found = Vec::new();
        for command in table() {
            for key in self.keys(command.name) {
                match seen.get(&(command.key_scope, key)) {
                    Some(first) => found.push((*first, command, key)),
                    None => {
                        seen.insert((command.key_scope, key), command);
                    }
                }
            }
        }
        found
    }
}

/// A key as it is shown: its parts, arrows as arrows.
pub fn key_parts(key: &str) -> Vec<&str> {
    let shown = |part| match part {
        "ArrowUp" => "↑",
        "ArrowDown" => "↓",
        "ArrowLeft" => "←",
        "ArrowRight" => "→",
        "Escape" => "Esc",
        "Delete" => "Del",
        "Plus" => "+",
        "Minus" | "-" => "−",
        "Backtick" => "`",
        other => other,
    };
    key.split('+').filter(|p| !p.is_empty()).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_preset_gives_a_key_twice_or_names_a_command_that_is_none() {
        for preset in Preset::ALL {
            let map = KeyMap { preset, ..KeyMap::default() };
            let clashes: Vec<_> =
                map.clashes().iter().map(|(a, b, key)| (a.name, b.name, *key)).collect();
            assert!(clashes.is_empty(), "{preset:?}: {clashes:?}");
            let unknown: Vec<_> =
                key_presets::names(preset).filter(|name| find(name).is_none()).collect();
            assert!(unknown.is_empty(), "{preset:?}: {unknown:?}");
        }
    }

    #[test]
    fn a_key_that_was_kept_under_a_name_of_before_is_still_there() {
        let map: KeyMap = serde_json::from_str(r#"{"own":{"layers.add":"G","view.grid":"J"}}"#)
            .unwrap_or_default();
        assert_eq!(map.key("weight_layer.add"), "G");
        assert_eq!(map.key("view.grid"), "J");
    }

    #[test]
    fn a_command_can_have_several_keys_and_each_is_refused_where_it_is_taken() {
        let mut map = KeyMap::default();
        assert_eq!(map.set("view.grid", " G  Ctrl+G ").map_err(|c| c.name), Ok(()));
        assert_eq!(map.text("view.grid"), "G Ctrl+G");
        assert_eq!((map.key("view.grid"), map.shown("view.grid")), ("G", "G".to_owned()));
        assert!(map.has("view.grid", "Ctrl+G") && !map.has("view.grid", "Ctrl"));
        let taken = map.set("view.names", "J Ctrl+G").map_err(|c| c.name);
        assert_eq!(taken, Err("view.grid"));
        assert_eq!(map.text("view.names"), "", "nothing of it was taken");
        let text = serde_json::to_string(&map).unwrap_or_default();
        assert_eq!(serde_json::from_str::<KeyMap>(&text).ok(), Some(map));
    }

    #[test]
    fn a_taken_key_is_refused_and_its_owner_named() {
        let mut map = KeyMap::default();
        assert_eq!(map.set("view.grid", "S").map_err(|c| c.name), Err("key.set"));
        assert_eq!(map.key("view.grid"), "");
        assert_eq!(map.set("view.grid", "G").map_err(|c| c.name), Ok(()));
        assert!(map.is_own("view.grid"));
        map.set_preset(Preset::Blender);
        assert_eq!(map.key("view.grid"), "G", "a person's own keys outlive a preset");
        map.reset(None);
        assert_eq!(map.key("tool.rotate"), "R");
    }
}
