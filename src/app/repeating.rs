//! Repeats the last edit: runs its commands again on the selected nodes, at the playhead.

use egui::Context;
use serde_json::Value;

use super::App;
use crate::ui::{ToastKind, node_text};
use ulna_edit::{Command, CommandLine};

impl App {
    /// Runs the commands of the last step again.
    pub(super) fn repeat_last(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let Some(step) = session.history().done().last() else { return };
        let (label, document) = (step.label.clone(), session.document());
        let lines = step.lines(document);
        let names: Vec<String> =
            self.outliner.selection.nodes.iter().map(|n| node_text(document, *n)).collect();
        let names = (!names.is_empty()).then(|| names.join(", "));
        let time = self.timeline.playback.edit_time();
        let commands: Result<Vec<Command>, _> = lines
            .into_iter()
            .map(|line| Command::read(&now(line, names.as_deref(), time)))
            .collect();
        let commands = match commands {
            Ok(commands) if !commands.is_empty() => commands,
            _ => {
                let text = format!("“{label}” cannot be repeated: it has no commands.");
                self.toast(ctx, ToastKind::Note, text);
                return;
            }
        };
        let Some(session) = &mut self.session else { return };
        let done = session.run_all(&label, &commands).map(|_| ());
        self.follow_keys(None);
        self.say_done(ctx, done, &label);
    }
}

/// Replaces the nodes and the time of a command line, if it has these arguments.
fn now(mut line: CommandLine, nodes: Option<&str>, time: f64) -> CommandLine {
    if let (Some(nodes), Some(value)) = (nodes, line.arguments.get_mut("node")) {
        *value = Value::from(nodes);
    }
    if let Some(value) = line.arguments.get_mut("time").filter(|value| value.is_number()) {
        *value = Value::from(time);
    }
    line
}
