//! Keys of commands: the table's own keys, three presets that change them, and a person's changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{CommandSpec, find, renamed, table};

/// A set of keys that people know from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Ulna's own, as the industry has it.
    #[default]
    Ulna,
    /// As in Blender.
    Blender,
    /// As in Maya.
    Maya,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ulna, Self::Blender, Self::Maya];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ulna => "Ulna",
            Self::Blender => "Blender",
            Self::Maya => "Maya",
        }
    }

    /// Differences from the table; an empty key means no key.
    const fn differences(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Ulna => &[],
            Self::Blender => &[
                ("tool.select", "W"),
                ("tool.move", "G"),
                ("tool.rotate", "R"),
                ("tool.scale", "S"),
                ("joint.extrude", "E"),
                ("tool.combined", ""),
                ("mode.pose", ""),
                ("mode.animate", ""),
                ("mode.paint", ""),
                ("mode.next", "Ctrl+Tab"),
                ("view.front", "1"),
                ("view.side", "3"),
                ("view.top", "7"),
                ("pose.paste_flipped", "Ctrl+Shift+V"),
                ("keying.rotation", ""),
                ("pose.breakdown", "Shift+E"),
                ("pose.push", "Ctrl+E"),
                ("pose.relax", "Alt+E"),
                ("view.frame_selected", "."),
                ("view.frame_all", "Home"),
                ("edit.find", "F3"),
                ("key.set", "I"),
                ("key.delete", "X"),
                ("pose.reset_translation", "Alt+G"),
                ("pose.reset_rotation", "Alt+R"),
                ("pose.reset_scale", "Alt+S"),
                ("select.mirror", "Ctrl+Shift+M"),
                ("pose.flip", ""),
                ("select.joints", "A"),
                ("select.none", "Alt+A"),
                ("select.parent", "["),
                ("select.child", "]"),
                ("select.sibling", ""),
                ("play.next_key", "ArrowUp"),
                ("play.previous_key", "ArrowDown"),
                ("play.start", "Shift+ArrowLeft"),
                ("play.end", "Shift+ArrowRight"),
                ("view.isolate", "/"),
                ("paint.radius", "F"),
                ("paint.strength", "Shift+F"),
                ("paint.value", "Ctrl+F"),
                ("paint.flood", "Ctrl+X"),
                ("paint.lock", "K"),
                ("paint.sample", "Shift+X"),
                ("paint.mirror", ""),
                ("timeline.move", "G"),
                ("timeline.scale", "S"),
                ("timeline.duplicate", "Shift+D"),
                ("timeline.kind", "R"),
                ("play.range_start", "Ctrl+Home"),
                ("play.range_end", "Ctrl+End"),
                ("timeline.fit", "Home"),
                ("timeline.fit_selected", "."),
                ("keys.all", "A"),
                ("keys.none", "Alt+A"),
            ],
            Self::Maya => &[
                ("edit.redo", "Ctrl+Y"),
                ("mode.pose", "F2"),
                ("node.rename", ""),
                ("view.hide", "Ctrl+H"),
                ("view.show_all", "Ctrl+Shift+H"),
                ("mode.animate", "F3"),
                ("mode.paint", "F4"),
                ("paint.flood", "Ctrl+F"),
                ("select.sibling", "ArrowRight"),
                ("play.toggle", "Alt+V"),
                ("play.next_frame", "Alt+."),
                ("play.previous_frame", "Alt+,"),
            ],
        }
    }
}

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

    /// The key of a command, such as `Ctrl+Shift+Z`; empty where it has none.
    pub fn key(&self, command: &str) -> &str {
        match self.own.get(command) {
            Some(key) => key,
            None => self.preset_key(command),
        }
    }

    /// The key of a command as it is shown, such as `Ctrl+Shift+↑`; empty where it has none.
    pub fn shown(&self, command: &str) -> String {
        key_parts(self.key(command)).join("+")
    }

    fn preset_key(&self, command: &str) -> &'static str {
        let differs = self
            .preset
            .differences()
            .iter()
            .find(|(name, _)| *name == command)
            .map(|(_, key)| *key);
        differs.or_else(|| find(command).map(|c| c.key)).unwrap_or_default()
    }

    /// Whether a person changed the key of a command.
    pub fn is_own(&self, command: &str) -> bool {
        self.own.contains_key(command)
    }

    /// Who has a key already, besides `command`.
    pub fn clash(&self, command: &str, key: &str) -> Option<&'static CommandSpec> {
        if key.is_empty() {
            return None;
        }
        let scope = find(command).map(KeyScope::of);
        let meant_there = |c: &CommandSpec| Some(KeyScope::of(c)) == scope;
        table().iter().find(|c| c.name != command && meant_there(c) && self.key(c.name) == key)
    }

    /// Gives a command a key, or none.
    ///
    /// # Errors
    /// Where another command has it: that one.
    pub fn set(&mut self, command: &str, key: &str) -> Result<(), &'static CommandSpec> {
        if let Some(other) = self.clash(command, key) {
            return Err(other);
        }
        if self.preset_key(command) == key {
            self.own.remove(command);
        } else {
            self.own.insert(command.to_owned(), key.to_owned());
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

    /// Commands that share a key: a preset under a person's own keys can come to that.
    pub fn clashes(&self) -> Vec<(&'static CommandSpec, &'static CommandSpec)> {
        let mut seen: BTreeMap<(KeyScope, &str), &'static CommandSpec> = BTreeMap::new();
        let mut found = Vec::new();
        for command in table() {
            let key = self.key(command.name);
            if key.is_empty() {
                continue;
            }
            match seen.get(&(KeyScope::of(command), key)) {
                Some(first) => found.push((*first, command)),
                None => {
                    seen.insert((KeyScope::of(command), key), command);
                }
            }
        }
        found
    }
}

/// Place where a command's key applies. If a panel and the window use the same key, the panel gets
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyScope {
    /// Everywhere.
    Window,
    /// In the viewport, the outliner and the inspector: where joints are chosen.
    Joints,
    /// In the outliner.
    Outliner,
    /// In Paint mode.
    Paint,
    /// On the timeline.
    Timeline,
}

impl KeyScope {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Window, Self::Joints, Self::Outliner, Self::Paint, Self::Timeline];

    /// Scope of a command.
    pub fn of(command: &CommandSpec) -> Self {
        match command.name.split_once('.') {
            Some(("paint", _)) => Self::Paint,
            Some(("timeline" | "keys", _)) => Self::Timeline,
            Some(("select", "parent" | "child" | "sibling")) => Self::Joints,
            Some(("node", "remove" | "duplicate")) => Self::Outliner,
            _ => Self::Window,
        }
    }

    /// Title in the list of keys; empty for the whole window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Window => "",
            Self::Joints => "Viewport and outliner",
            Self::Outliner => "Outliner",
            Self::Paint => "Paint mode",
            Self::Timeline => "Timeline",
        }
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
            let clashes: Vec<_> = map.clashes().iter().map(|(a, b)| (a.name, b.name)).collect();
            assert!(clashes.is_empty(), "{preset:?}: {clashes:?}");
            assert!(
                preset.differences().iter().all(|(name, _)| find(name).is_some()),
                "{preset:?}"
            );
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
