//! Keys: the table's default keys, as egui reads them. A key that text takes is the text's.

use std::cmp::Reverse;

use egui::{Context, Event, Key, KeyboardShortcut, Modifiers};

use super::{App, key_routing::Topmost};
use crate::ui::{Action, Actions, Mode, Pane, PointerHandler, ToastKind};
use ulna_edit::{
    Availability, CommandSpec, KeyScope,
    command::{MixText, ModeCommand, RemoveJoint, SessionCommand, SetMix, ToolCommand, mix_of},
    table,
};
use ulna_model::Shared;

/// A key such as `Ctrl+Shift+Z`; nothing where it is none.
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

/// Whether it is one of the keys F1 to F12 and on.
fn is_function(key: Key) -> bool {
    key.name().strip_prefix('F').is_some_and(|n| n.parse::<u8>().is_ok())
}

impl App {
    /// Runs the commands whose keys were pressed.
    pub(super) fn pressed_keys(&mut self, ctx: &Context) {
        let typing = match self.topmost(ctx) {
            // What is open has the keys to itself.
            Topmost::Popup | Topmost::Dialog => return,
            Topmost::Widget => true,
            Topmost::Panels => false,
        };
        self.keys_of_what_is_open(ctx, typing);
        // While a gesture is open nothing else runs, but another mode ends it.
        let held = ctx.input(|i| i.pointer.any_down());
        // A drag that takes numbers has the digits, which are modes elsewhere.
        let numbers = self.panels.takes_numbers(held);
        let gesture = numbers || (self.is_gesture_open() && held);
        let chosen = self.chosen_tool_key(ctx);
        let awaited = self.awaited_keys(ctx, typing, chosen);
        if awaited == Awaited::All && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape))
        {
            self.panels.wait_no_longer();
        }
        let is_seen = !self.program.welcome && self.retargeting.is_none();
        if !typing && !gesture && awaited == Awaited::None && is_seen {
            self.set_keys(ctx);
            self.mixer_keys(ctx);
        }
        // In most frames no key was pressed: what every command's key is, and whether it can be
        // done, is nothing to ask then.
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

    /// Keys of dialogs that one works beside, and of the rings of bending, which go before
    /// commands.
    fn keys_of_what_is_open(&mut self, ctx: &Context, typing: bool) {
        // What one works beside is closed by Escape before that acts on the selection.
        let loose = self.dialogs.open.as_ref().is_some_and(crate::ui::Dialog::is_loose);
        if loose && !typing && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            self.close_loose(ctx);
        }
        // A key that is held goes on being pressed, and a modifier that joins it would make another
        // command of that.
        if let Some(key) = self.painting.bending.held_key(&self.program.settings.keys) {
            let again =
                |e: &Event| matches!(e, Event::Key { key: k, repeat: true, .. } if *k == key);
            ctx.input_mut(|i| i.events.retain(|e| !again(e)));
        }
        // What is typed for a ring is ended before the rings are.
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

    /// Commands with the keys that mean them now, in the order in which keys are looked for.
    fn commands_by_key(&self, availability: &Availability) -> Vec<(&'static CommandSpec, String)> {
        let keys = &self.program.settings.keys;
        let mut commands: Vec<_> = table()
            .iter()
            .flat_map(|c| keys.keys(c.name).map(move |key| (c, key.to_owned())))
            .collect();
        let (painting, is_rig) = (self.mode.spec().paints_weights, self.mode.spec().edits_rest);
        // Where poses are shown in the timeline's place, keys of the timeline mean nothing.
        let over_joints = self.entered() != Some(Pane::Timeline) || self.poses.in_animate;
        commands.retain(|(c, _)| match c.key_scope {
            KeyScope::Window => true,
            KeyScope::Joints => over_joints,
            KeyScope::Outliner => self.entered() == Some(Pane::Outliner),
            KeyScope::Rig => is_rig && over_joints,
            KeyScope::Paint => painting,
            KeyScope::Timeline => !over_joints,
        });
        // What the timeline cannot do now leaves its key to the window.
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
        // Keys with more modifiers first: Ctrl+Shift+Z must not be taken by Ctrl+Z. A panel's keys
        // go before the window's.
        commands.sort_by_key(|(c, key)| (Reverse(key.matches('+').count()), Reverse(c.key_scope)));
        commands
    }

    /// Whether a command leaves its key to something else that takes it.
    fn leaves_key(&self, ctx: &Context, taken: Taken, of: KeyOfCommand<'_>) -> bool {
        let KeyOfCommand { command, shortcut, .. } = of;
        // What is typed is the text's, Ctrl+A and Ctrl+Z too; files can be saved and commands
        // found all the same, and no text has a function key.
        let no_text = shortcut.modifiers.command || is_function(shortcut.logical_key);
        if taken.typing && !(no_text && command.anywhere) {
            return true;
        }
        // The panels are not seen behind the welcome page, and are not worked.
        if self.program.welcome && !command.anywhere {
            return true;
        }
        // The page has its own keys; what it is about can be undone meanwhile.
        let undoes = [SessionCommand::Undo.name(), SessionCommand::Redo.name()];
        if self.retargeting.is_some() && !command.anywhere && !undoes.contains(&command.name) {
            return true;
        }
        // From a panel that has the focus, Tab goes to what is in it.
        if shortcut.logical_key == Key::Tab && self.is_on_panel(ctx) {
            return true;
        }
        // Escape ends a gesture, what is typed, or the way through widgets first.
        let ends = ctx.input(|i| i.pointer.any_down()) || self.painting.adjusting.is_some();
        if of.key == ESCAPE && (ends || self.escape_is_taken()) {
            return true;
        }
        let modes = Mode::ALL.map(|mode| mode.spec().command.name());
        if taken.gesture && (taken.numbers || !modes.contains(&command.name)) {
            return true;
        }
        // Another tool may be chosen meanwhile, but by no key that is an axis.
        let is_axis = matches!(shortcut.logical_key, Key::X | Key::Y | Key::Z);
        let is_tool = ToolCommand::ALL.iter().any(|t| t.name() == command.name)
            && (!is_axis || Some(shortcut.logical_key) == taken.chosen);
        taken.awaited.has(&shortcut) && !is_tool
    }

    /// Does what a key means that was pressed for a command; the command, where it is to be run.
    fn press(
        &mut self,
        ctx: &Context,
        of: KeyOfCommand<'_>,
        availability: &Availability,
    ) -> Option<Action> {
        let command = of.command;
        // Some systems say both: the key, and what it means.
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
            // By its key it is done at once, or joins the plan; from a menu it is asked about.
            Ok(()) if command.name == RemoveJoint::NAME && self.remove_joints(ctx) => {}
            Ok(()) if self.blends_by_key(ctx, command) => {}
            Ok(()) => return Some(Action::Invoke(command)),
            // Escape is pressed to be sure that nothing is selected: that it is so already is no
            // news.
            Err(_) if of.key == ESCAPE => {}
            Err(reason) => {
                self.toast(ctx, ToastKind::Note, format!("{}: {reason}.", command.title))
            }
        }
        None
    }
}

/// Key that ends what is under way.
const ESCAPE: &str = "Escape";

/// A command, and the key that means it.
#[derive(Clone, Copy)]
struct KeyOfCommand<'a> {
    command: &'static CommandSpec,
    /// As the settings have it.
    key: &'a str,
    shortcut: KeyboardShortcut,
}

/// Takers of keys that go before commands.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// A field has the focus.
    typing: bool,
    /// A gesture is open.
    gesture: bool,
    /// A gesture takes numbers.
    numbers: bool,
    /// The key by which a tool is chosen in this frame.
    chosen: Option<Key>,
    awaited: Awaited,
}

/// Keys that a tool waits for, so that they run no commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// None.
    None,
    /// Axes and numbers: rings are seen, which take them.
    Values,
    /// All letters and digits: a tool was just chosen by its key.
    All,
}

impl Awaited {
    /// Whether a key is among them.
    fn has(self, shortcut: &KeyboardShortcut) -> bool {
        let KeyboardShortcut { modifiers, logical_key: key } = *shortcut;
        if modifiers.command || modifiers.alt {
            return false;
        }
        let value = matches!(key, Key::X | Key::Y | Key::Z)
            || (!modifiers.shift
                && (is_digit(key)
                    || matches!(key, Key::Plus | Key::Minus | Key::Period | Key::Comma)));
        match self {
            Self::None => false,
            Self::Values => value,
            // Letters have names of one letter.
            Self::All => value || (!modifiers.shift && key.name().len() == 1),
        }
    }
}

impl App {
    /// Begins to blend the pose with the pointer, if a key means a command that blends. From a menu
    /// such a command asks for its numbers, or goes one step.
    fn blends_by_key(&mut self, ctx: &Context, command: &CommandSpec) -> bool {
        let poses = self.mode.spec().pointer == PointerHandler::Tools;
        if !poses || self.mode.spec().edits_rest || !self.panels.begin_blend(command.name) {
            return false;
        }
        ctx.request_repaint();
        true
    }

    /// The key by which a tool is chosen in this frame. It and what is typed after it may come in
    /// one frame.
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

    /// Keys that a tool waits for, where one was chosen before or is chosen by `chosen`.
    fn awaited_keys(&self, ctx: &Context, typing: bool, chosen: Option<Key>) -> Awaited {
        // Over the timeline keys are the timeline's.
        if typing || self.program.welcome || self.entered() == Some(Pane::Timeline) {
            return Awaited::None;
        }
        if self.mode.spec().bends {
            return if self.painting.bending.rings { Awaited::Values } else { Awaited::None };
        }
        let waits = chosen.is_some() || ctx.input(|i| self.panels.waits(i.time));
        if waits { Awaited::All } else { Awaited::None }
    }

    /// Keys of the mixer, on the bar that is looked at: they go before those of the sheet, which is
    /// not there.
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

/// Takes a digit or a bracket with Shift: what is typed is another sign on most keyboards, but the
/// key is that of the digit or the bracket.
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

/// Whether a key is a digit's.
const fn is_digit(key: Key) -> bool {
    use Key::{Num0, Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
    matches!(key, Num0 | Num1 | Num2 | Num3 | Num4 | Num5 | Num6 | Num7 | Num8 | Num9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_edit::{KeyMap, Preset};

    #[test]
    fn every_default_key_is_one() {
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
