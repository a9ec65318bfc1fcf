//! Runs commands by their keys. Keys that a text field needs are left for the field.

use std::cmp::Reverse;

use egui::{Context, Event, Key, KeyboardShortcut, Modifiers};

use super::{App, key_routing::Topmost};
use crate::ui::{Action, Actions, Mode, Pane, PointerHandler, ToastKind, waits_for_numbers};
use ulna_edit::{
    Availability, CommandSpec, KeyScope,
    command::{MixText, ModeCommand, RemoveJoint, SessionCommand, SetMix, ToolCommand, mix_of},
    table,
};
use ulna_model::Shared;

/// Parses a key such as `Ctrl+Shift+Z`; `None` if the text is invalid.
pub(super) fn parse(text: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    let mut key = None;
    for part in text.split('+') {
        match part {
            "Ctrl" => modifiers |= Modifiers::COMMAND,
            "Shift" => modifiers |= Modifiers::SHIFT,
            "Alt" => modifiers |= Modifiers::ALT,
            "." => key = Some(Key::Period),
            "," => key = Some(Key::Comma),
            name => key = Key::from_name(name),
        }
    }
    key.map(|key| KeyboardShortcut::new(modifiers, key))
}

/// True for function keys such as F1.
fn is_function(key: Key) -> bool {
    key.name().strip_prefix('F').is_some_and(|n| n.parse::<u8>().is_ok())
}

impl App {
    /// Runs the commands whose keys were pressed.
    pub(super) fn pressed_keys(&mut self, ctx: &Context) {
        let typing = match self.topmost(ctx) {
            // Menus and dialogs receive all keys.
            Topmost::Popup | Topmost::Dialog => return,
            Topmost::Widget => true,
            Topmost::Panels => false,
        };
        self.keys_of_what_is_open(ctx, typing);
        // During a gesture no other command runs, except a mode change, which ends the gesture.
        let held = ctx.input(|i| i.pointer.any_down());
        // A drag that reads numbers receives the digits, which otherwise change modes.
        let numbers = self.panels.takes_numbers(held);
        let gesture = numbers || (self.is_gesture_open() && held);
        let chosen = self.chosen_tool_key(ctx);
        let awaited = self.awaited_keys(ctx, typing, chosen);
        let tool_waits = matches!(awaited, Awaited::All | Awaited::Axes);
        if tool_waits && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            self.panels.wait_no_longer();
        }
        let is_seen = !self.program.welcome && self.retargeting.is_none();
        if !typing && !gesture && awaited == Awaited::None && is_seen {
            self.set_keys(ctx);
            self.mixer_keys(ctx);
        }
        // Most frames have no key press, so the rest is skipped for speed.
        if !ctx.input(|i| i.events.iter().any(|e| matches!(e, Event::Key { pressed: true, .. }))) {
            return;
        }
        let availability = self.availability();
        let taken = Taken { typing, gesture, numbers, chosen, awaited };
        let mut actions = Actions::default();
        for (command, key) in self.commands_by_key(&availability) {
            let Some(shortcut) = parse(&key) else { continue };
            let of = KeyOfCommand { command, key: &key, shortcut };
            let pressed = !self.leaves_key(ctx, taken, of)
                && (ctx.input_mut(|i| i.consume_shortcut(&shortcut))
                    || shifted_sign(ctx, &shortcut));
            if pressed && let Some(action) = self.press(ctx, of, &availability) {
                actions.push(action);
            }
        }
        if !actions.is_empty() {
            self.apply(ctx, actions);
        }
    }

    /// Handles keys that come before commands: keys of floating dialogs, and of the rotation rings
    /// of Paint mode.
    fn keys_of_what_is_open(&mut self, ctx: &Context, typing: bool) {
        // Escape closes such a dialog before it affects the selection.
        let loose = self.dialogs.open.as_ref().is_some_and(crate::ui::Dialog::is_loose);
        if loose && !typing && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            self.close_loose(ctx);
        }
        // Drops key repeats of the held key. With a modifier, they would be the key of another
        // command.
        if let Some(key) = self.painting.bending.held_key(&self.program.settings.keys) {
            let again =
                |e: &Event| matches!(e, Event::Key { key: k, repeat: true, .. } if *k == key);
            ctx.input_mut(|i| i.events.retain(|e| !again(e)));
        }
        // Escape cancels a number typed for a ring before it hides the rings.
        let by_key = self.panels.takes_numbers(false);
        let rings = self.painting.bending.rings && !self.painting.bending.is_dragging() && !by_key;
        if rings
            && !typing
            && ctx.input(|i| i.key_pressed(Key::Escape))
            && self.painting.bending.hide_rings()
        {
            ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
        }
    }

    /// Available commands with their keys, in order of precedence.
    fn commands_by_key(&self, availability: &Availability) -> Vec<(&'static CommandSpec, String)> {
        let keys = &self.program.settings.keys;
        let mut commands: Vec<_> = table()
            .iter()
            .flat_map(|c| keys.keys(c.name).map(move |key| (c, key.to_owned())))
            .collect();
        let (painting, is_rig) = (self.mode.spec().paints_weights, self.mode.spec().edits_rest);
        // If the pose library replaces the timeline, timeline keys have no effect.
        let over_joints = self.entered() != Some(Pane::Timeline) || self.poses.in_animate;
        commands.retain(|(c, _)| match c.key_scope {
            KeyScope::Window => true,
            KeyScope::Joints => over_joints,
            KeyScope::Outliner => self.entered() == Some(Pane::Outliner),
            KeyScope::Rig => is_rig && over_joints,
            KeyScope::Paint => painting,
            KeyScope::Timeline => !over_joints,
        });
        // If a timeline command is unavailable, the window's command with the same key runs.
        let windows: Vec<String> = commands
            .iter()
            .filter(|(c, _)| c.key_scope == KeyScope::Window)
            .map(|(_, key)| key.clone())
            .collect();
        commands.retain(|(c, key)| {
            c.key_scope != KeyScope::Timeline
                || c.check(availability).is_ok()
                || !windows.contains(key)
        });
        // Keys with more modifiers come first, so that Ctrl+Shift+Z is not read as Ctrl+Z. The keys
        // of a panel precede those of the window.
        commands.sort_by_key(|(c, key)| (Reverse(key.matches('+').count()), Reverse(c.key_scope)));
        commands
    }

    /// True if a key press does not run the command, because something else needs the key.
    fn leaves_key(&self, ctx: &Context, taken: Taken, of: KeyOfCommand<'_>) -> bool {
        let KeyOfCommand { command, shortcut, .. } = of;
        // A focused text field receives all keys, even Ctrl+A and Ctrl+Z. Exceptions are Ctrl keys
        // and function keys of commands that work everywhere, such as saving.
        let no_text = shortcut.modifiers.command || is_function(shortcut.logical_key);
        if taken.typing && !(no_text && command.anywhere) {
            return true;
        }
        // The welcome page covers the panels, so their commands do not run.
        if self.program.welcome && !command.anywhere {
            return true;
        }
        // The *Retarget* page has its own keys. Only undo and redo also work there.
        let undoes = [SessionCommand::Undo.name(), SessionCommand::Redo.name()];
        if self.retargeting.is_some() && !command.anywhere && !undoes.contains(&command.name) {
            return true;
        }
        // From a focused panel, Tab moves to the first widget inside.
        if shortcut.logical_key == Key::Tab && self.is_on_panel(ctx) {
            return true;
        }
        // Escape first ends a gesture, cancels typed text or removes the focus.
        let ends = ctx.input(|i| i.pointer.any_down()) || self.painting.adjusting.is_some();
        if of.key == ESCAPE && (ends || self.escape_is_taken()) {
            return true;
        }
        let modes = Mode::ALL.map(|mode| mode.spec().command.name());
        if taken.gesture && (taken.numbers || !modes.contains(&command.name)) {
            return true;
        }
        // While a tool waits for an axis, X, Y and Z are axes and do not choose tools.
        let is_axis = matches!(shortcut.logical_key, Key::X | Key::Y | Key::Z);
        let is_tool = ToolCommand::ALL.iter().any(|t| t.name() == command.name)
            && (!is_axis || Some(shortcut.logical_key) == taken.chosen);
        taken.awaited.has(&shortcut) && !is_tool
    }

    /// Handles the key press of a command. Returns the action that runs it, if any.
    fn press(
        &mut self,
        ctx: &Context,
        of: KeyOfCommand<'_>,
        availability: &Availability,
    ) -> Option<Action> {
        let command = of.command;
        // On some systems, copying and pasting cause a key event and a clipboard event. Only the
        // clipboard event is used.
        let meant = |i: &egui::InputState| {
            i.events.iter().any(|e| matches!(e, Event::Copy | Event::Paste(_)))
        };
        if [ModeCommand::CopyPose.name(), ModeCommand::PastePose.name()].contains(&command.name)
            && ctx.input(meant)
        {
            return None;
        }
        if command.name == ModeCommand::CopyPose.name() && self.copy_in_place_of_pose(ctx) {
            return None;
        }
        match command.check(availability) {
            // The key removes joints at once, or adds their removal to the plan. From the
            // menu, the command opens a form first.
            Ok(()) if command.name == RemoveJoint::NAME && self.remove_joints(ctx) => {}
            Ok(()) if self.blends_by_key(ctx, command) => {}
            Ok(()) => return Some(Action::Invoke(command)),
            // Escape without a selection has no effect, and needs no message.
            Err(_) if of.key == ESCAPE => {}
            Err(reason) => {
                self.toast(ctx, ToastKind::Note, format!("{}: {reason}.", command.title))
            }
        }
        None
    }
}

/// Name of the key that cancels.
const ESCAPE: &str = "Escape";

/// A command, and one of its keys.
#[derive(Clone, Copy)]
struct KeyOfCommand<'a> {
    command: &'static CommandSpec,
    /// The key as text in the settings.
    key: &'a str,
    shortcut: KeyboardShortcut,
}

/// Reasons why keys may not run commands in this frame.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// True if a text field has the focus.
    typing: bool,
    /// True during a gesture, such as a drag.
    gesture: bool,
    /// True if a gesture reads numbers.
    numbers: bool,
    /// The key that chooses a tool in this frame.
    chosen: Option<Key>,
    awaited: Awaited,
}

/// Keys that run no commands, because a tool or the rotation rings of Paint mode handle them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// No keys.
    None,
    /// Axis letters and the keys for typing numbers, because the rotation rings are shown.
    Values,
    /// Axis letters, because a tool was just chosen by its key in Maya's key map.
    Axes,
    /// All letters and digits, because a tool was just chosen by its key.
    All,
}

impl Awaited {
    /// True if the tool or the rotation rings handle this key instead.
    fn has(self, shortcut: &KeyboardShortcut) -> bool {
        let KeyboardShortcut { modifiers, logical_key: key } = *shortcut;
        if modifiers.command || modifiers.alt {
            return false;
        }
        let axis = matches!(key, Key::X | Key::Y | Key::Z);
        let value = axis
            || (!modifiers.shift
                && (is_digit(key)
                    || matches!(key, Key::Plus | Key::Minus | Key::Period | Key::Comma)));
        match self {
            Self::None => false,
            Self::Axes => axis,
            Self::Values => value,
            // The names of letter and digit keys have one character.
            Self::All => value || (!modifiers.shift && key.name().len() == 1),
        }
    }
}

impl App {
    /// Starts a pose blend that the pointer controls, if the command is a pose blend. Returns
    /// whether it is one. From a menu, such a command opens a form or applies one step instead.
    fn blends_by_key(&mut self, ctx: &Context, command: &CommandSpec) -> bool {
        let poses = self.mode.spec().pointer == PointerHandler::Tools;
        if !poses || self.mode.spec().edits_rest || !self.panels.begin_blend(command.name) {
            return false;
        }
        ctx.request_repaint();
        true
    }

    /// The key that chooses a tool in this frame. Keys typed after it may arrive in the same frame.
    fn chosen_tool_key(&self, ctx: &Context) -> Option<Key> {
        let keys = &self.program.settings.keys;
        let tools: Vec<_> =
            ToolCommand::ALL.iter().flat_map(|t| keys.keys(t.name()).map(parse)).collect();
        let selected = self.outliner.selection.active.is_some();
        ctx.input(|i| {
            if !selected || self.panels.waits(i.time) {
                return None;
            }
            i.events.iter().find_map(|e| match e {
                Event::Key { key, pressed: true, modifiers, .. } if !modifiers.any() => tools
                    .iter()
                    .flatten()
                    .any(|t| t.logical_key == *key && !t.modifiers.any())
                    .then_some(*key),
                _ => None,
            })
        })
    }

    /// Keys that a tool waits for. The tool was chosen earlier, or is chosen by `chosen` in this
    /// frame.
    fn awaited_keys(&self, ctx: &Context, typing: bool, chosen: Option<Key>) -> Awaited {
        // Over the timeline, keys belong to the timeline.
        if typing || self.program.welcome || self.entered() == Some(Pane::Timeline) {
            return Awaited::None;
        }
        if self.mode.spec().bends {
            return if self.painting.bending.rings { Awaited::Values } else { Awaited::None };
        }
        let waits = chosen.is_some() || ctx.input(|i| self.panels.waits(i.time));
        match waits {
            true if waits_for_numbers(self.program.settings.keys.preset()) => Awaited::All,
            true => Awaited::Axes,
            false => Awaited::None,
        }
    }

    /// Handles the mixer's keys for the selected bar. They come before keys of the dope sheet,
    /// which the mixer replaces.
    fn mixer_keys(&mut self, ctx: &Context) {
        self.follow_mix();
        let mixing = self.mixes();
        let Some(at) =
            self.timeline.mix_bar.filter(|_| mixing && self.entered() == Some(Pane::Timeline))
        else {
            return;
        };
        let Some(mix) = self.session.as_ref().and_then(|s| mix_of(s.document())) else { return };
        if mix.lanes.get(at.0).is_none_or(|l| at.1 >= l.bars.len()) {
            return;
        }
        let pressed =
            |key: Key, modifiers: Modifiers| ctx.input_mut(|i| i.consume_key(modifiers, key));
        let made = if pressed(Key::Delete, Modifiers::NONE) {
            self.timeline.mix_bar = None;
            mix.without_bar(at)
        } else if pressed(Key::K, Modifiers::COMMAND) {
            let Some(made) = mix.cut(at, self.timeline.playback.time) else {
                let why = "The bar was not cut: the playhead is outside it or inside a fade.";
                self.toast(ctx, ToastKind::Note, why);
                return;
            };
            made
        } else {
            return;
        };
        self.run(ctx, SetMix { mix: MixText::Mix(Shared::new(made)) });
    }
}

/// Consumes Shift with a digit or bracket. Most keyboards report another character, so the key code
/// is compared.
fn shifted_sign(ctx: &Context, shortcut: &egui::KeyboardShortcut) -> bool {
    let key = shortcut.logical_key;
    let is_bracket = matches!(key, Key::OpenBracket | Key::CloseBracket);
    if !shortcut.modifiers.shift || !(is_digit(key) || is_bracket) {
        return false;
    }
    let mut taken = false;
    ctx.input_mut(|i| {
        i.events.retain(|event| {
            let is_it =
                matches!(event, Event::Key { physical_key: Some(key), pressed: true, modifiers, .. }
                if *key == shortcut.logical_key && modifiers.matches_exact(shortcut.modifiers));
            taken |= is_it;
            !is_it
        });
    });
    taken
}

/// True for the digit keys.
const fn is_digit(key: Key) -> bool {
    use Key::{Num0, Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
    matches!(key, Num0 | Num1 | Num2 | Num3 | Num4 | Num5 | Num6 | Num7 | Num8 | Num9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_edit::{KeyMap, Preset};

    #[test]
    fn every_default_shortcut_can_be_parsed() {
        for preset in Preset::ALL {
            let mut keys = KeyMap::default();
            keys.set_preset(preset);
            for command in table() {
                for key in keys.keys(command.name) {
                    assert!(parse(key).is_some(), "{preset:?} {}: {key}", command.name);
                }
            }
        }
    }
}
