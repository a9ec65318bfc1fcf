//! Keyboard shortcuts of commands: three presets, which override the table, and custom shortcuts,
//! which override the preset. A command can have several shortcuts, separated by spaces.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    CommandSpec, KeyScope, find,
    key_presets::{self, Preset},
    renamed, table,
};

/// The current keyboard shortcuts of all commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeyMap {
    preset: Preset,
    /// Custom shortcuts by command name. An empty text means no shortcut.
    #[serde(deserialize_with = "as_named_now")]
    own: BTreeMap<String, String>,
}

/// Deserializes custom shortcuts, and replaces old names of commands by current ones.
fn as_named_now<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let kept = BTreeMap::<String, String>::deserialize(from)?;
    let now = |name: String| renamed(&name).map_or(name, |spec| spec.name.to_owned());
    Ok(kept.into_iter().map(|(name, key)| (now(name), key)).collect())
}

impl KeyMap {
    /// Returns the preset that custom shortcuts override.
    pub const fn preset(&self) -> Preset {
        self.preset
    }

    /// Changes the preset. Custom shortcuts are kept.
    pub fn set_preset(&mut self, preset: Preset) {
        self.preset = preset;
    }

    /// Returns the first shortcut of a command, such as `Ctrl+Shift+Z`; empty if it has none.
    pub fn key(&self, command: &str) -> &str {
        self.keys(command).next().unwrap_or_default()
    }

    /// Returns all shortcuts of a command.
    pub fn keys(&self, command: &str) -> impl Iterator<Item = &str> + use<'_> {
        self.text(command).split_whitespace()
    }

    /// Returns all shortcuts of a command, separated by spaces; empty if it has none.
    pub fn text(&self, command: &str) -> &str {
        match self.own.get(command) {
            Some(keys) => keys,
            None => self.preset_keys(command),
        }
    }

    /// Returns the first shortcut of a command for display, such as `Ctrl+Shift+↑`; empty if it has
    /// none.
    pub fn shown(&self, command: &str) -> String {
        key_parts(self.key(command)).join("+")
    }

    fn preset_keys(&self, command: &str) -> &'static str {
        key_presets::differing(self.preset, command)
            .or_else(|| find(command).map(|c| c.key))
            .unwrap_or_default()
    }

    /// Returns the custom shortcuts with the names of their commands.
    pub fn own(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().map(|(command, keys)| (command.as_str(), keys.as_str()))
    }

    /// Whether a command has custom shortcuts.
    pub fn is_own(&self, command: &str) -> bool {
        self.own.contains_key(command)
    }

    /// Returns another command in the same scope that uses one of these shortcuts; `None` if there
    /// is none.
    pub fn clash(&self, command: &str, keys: &str) -> Option<&'static CommandSpec> {
        let scope = find(command).map(|c| c.key_scope);
        let meant_there = |c: &CommandSpec| Some(c.key_scope) == scope;
        let has_one = |c: &CommandSpec| keys.split_whitespace().any(|k| self.has(c.name, k));
        table().iter().find(|c| c.name != command && meant_there(c) && has_one(c))
    }

    /// Whether a key is one of a command's shortcuts.
    pub fn has(&self, command: &str, key: &str) -> bool {
        self.keys(command).any(|k| k == key)
    }

    /// Sets the shortcuts of a command, separated by spaces; an empty text removes them.
    ///
    /// # Errors
    /// The other command, if it already uses one of the shortcuts.
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

    /// Resets the shortcuts of a command, or of all commands, to the preset.
    pub fn reset(&mut self, command: Option<&str>) {
        match command {
            Some(command) => {
                self.own.remove(command);
            }
            None => self.own.clear(),
        }
    }

    /// Returns pairs of commands that share a shortcut. A change of the preset can cause conflicts
    /// with custom shortcuts.
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

/// Splits a shortcut into its parts for display, with arrows as symbols.
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
    fn presets_have_no_duplicate_shortcuts_and_only_existing_commands() {
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
    fn a_custom_shortcut_under_a_former_command_name_still_applies() {
        let map: KeyMap = serde_json::from_str(r#"{"own":{"layers.add":"G","view.grid":"J"}}"#)
            .unwrap_or_default();
        assert_eq!(map.key("weight_layer.add"), "G");
        assert_eq!(map.key("view.grid"), "J");
    }

    #[test]
    fn each_of_several_shortcuts_is_refused_if_another_command_uses_it() {
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
    fn a_shortcut_in_use_is_refused_with_the_command_that_uses_it() {
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
