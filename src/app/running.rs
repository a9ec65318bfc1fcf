//! Runs commands: fills in arguments, chooses how to run them, and shows their messages.

use egui::Context;
use serde_json::{Map, Value};

use super::{App, host::WindowHost};
use crate::ui::{
    Action, AssetRef, Dialog, FormDraft, Mode, Pane, ToastKind, clip_text, layer_ids, node_text,
    reached, rename_clicked_row,
};
use ulna_edit::{
    Command, CommandLine, CommandSpec, Scene,
    command::{
        ApplyPose, ClipCommand, CommandContext, DeleteKeys, DocumentCommand, KeepPose, LayerName,
        ReferenceCommand, RemoveNodes, RenameNode, SessionCommand, SetKey, Unfilled,
        field::{ClipName, Nodes, Seconds},
        forms::{Suggestions, over_what_is_shown, poses_over, present, suggested},
    },
    find,
};
use ulna_model::{LayerHome, NodeId};
use ulna_session::{RunError, Session, names_in};

impl App {
    /// Opens the form of a command. `given` has arguments that are already set; others are
    /// suggested from the selection and the view settings.
    pub(super) fn ask_arguments(&mut self, spec: &'static CommandSpec, given: Map<String, Value>) {
        if let Some(draft) = self.form_of(spec, given) {
            self.dialogs.open = Some(Dialog::Arguments { draft: Box::new(draft) });
        }
    }

    /// Runs a command with some arguments. The others are filled from the selection and the shown
    /// data. If that fails, or if the command previews its effects, its form opens.
    pub(super) fn run_filled(&mut self, ctx: &Context, line: CommandLine) {
        let Some(spec) = find(&line.name) else { return };
        self.end_gesture(ctx);
        let Some(draft) = self.form_of(spec, line.arguments.clone()) else {
            // Without a file, only commands of the window can run.
            self.run_typed(ctx, &line);
            return;
        };
        match draft.spec().map(|spec| draft.line(spec)) {
            Some(Ok(line)) if !draft.has_plan => self.run_typed(ctx, &line),
            _ => self.dialogs.open = Some(Dialog::Arguments { draft: Box::new(draft) }),
        }
    }

    /// Opens the form of a command with some arguments filled in.
    pub(super) fn ask(&mut self, ctx: &Context, line: CommandLine) {
        let Some(spec) = find(&line.name) else { return };
        self.end_gesture(ctx);
        if let Some(draft) = self.form_of(spec, line.arguments) {
            self.dialogs.open = Some(Dialog::Arguments { draft: Box::new(draft) });
        }
    }

    /// Form of a command with the given arguments. Others are suggested from the selection and the
    /// view settings.
    fn form_of(&self, spec: &'static CommandSpec, given: Map<String, Value>) -> Option<FormDraft> {
        let session = self.session.as_ref()?;
        // A command that poses only the file is replaced by one that poses the shown clip.
        let spec = over_what_is_shown(spec).filter(|_| self.shown_clip().is_some()).unwrap_or(spec);
        let around = self.around(session);
        let last_clip = self.timeline.playback.clip;
        let from = Suggestions { around, pose: self.renderer.pose(), last_clip };
        let mut values = suggested(spec, &from);
        let present = present(spec, &from, &values);
        if spec.name == ApplyPose::NAME || spec.name == KeepPose::NAME {
            let selected: Vec<NodeId> = self.outliner.selection.nodes.iter().copied().collect();
            let document = session.document();
            let nodes = reached(document, self.renderer.pose(), self.poses.reach, &selected)
                .unwrap_or_default();
            let names: Vec<String> = nodes.iter().map(|n| node_text(document, *n)).collect();
            if !names.is_empty() {
                values.insert("node".to_owned(), names.into());
            }
        }
        values.extend(given);
        let rate = self.timeline.playback.fps;
        Some(FormDraft::new(spec, values, &present, rate))
    }

    /// Context for running commands: the selection and the displayed data.
    pub(super) fn around<'a>(&'a self, session: &'a Session) -> CommandContext<'a> {
        let layers = self.layers_view();
        CommandContext {
            document: session.document(),
            selection: &self.outliner.selection,
            clip: self.shown_clip(),
            keys: self.keys_home(),
            seen: self.shown_clip(),
            auto_key: self.timeline.auto_key,
            time: self.timeline.playback.edit_time(),
            range: self.timeline.playback.range,
            unkeyed: self.unkeyed_shown(),
            carried: self.timeline.carried.is_some(),
            new_keys: Some(self.program.settings.new_keys),
            layer: layers.home.zip(layers.chosen),
            into_layer: layers.written.is_some(),
            symmetry: self.viewport.symmetry,
        }
    }

    /// Runs a command from a menu or a key. Its arguments come from the selection and the view
    /// settings.
    pub(super) fn invoke(&mut self, ctx: &Context, spec: &'static CommandSpec) {
        // Every command ends an open gesture.
        self.end_gesture(ctx);
        if spec.name == RenameNode::NAME {
            let Some(document) = self.session.as_ref().map(Session::document) else { return };
            // Renames the row that was clicked last.
            if rename_clicked_row(ctx) {
                return;
            }
            let clicked = self.panels.clicked_clip().filter(|clip| document.clips.contains(*clip));
            let is_image = |thing: &AssetRef| matches!(thing, AssetRef::Image(_));
            let inspected = self.outliner.inspected.filter(|thing| !is_image(thing));
            if let Some(thing) = inspected.filter(|_| clicked.is_none()) {
                self.panels.rename_thing(thing, thing.name(document));
                return;
            }
            match (
                self.outliner.selection.active.filter(|_| clicked.is_none()),
                clicked.or(self.shown_clip()),
            ) {
                (Some(node), _) => self.panels.rename(document.node(node).label(node), node),
                (None, Some(clip)) => self.panels.rename_clip(document.clip_label(clip), clip),
                (None, None) => {}
            }
            return;
        }
        let removes = matches!(spec.name, RemoveNodes::NAME | DeleteKeys::NAME);
        if removes
            && self.selected_keys().is_empty()
            && let Some(reference) = self.selected_reference()
        {
            self.run(ctx, ReferenceCommand::Remove { reference });
            return;
        }
        if spec.name == RemoveNodes::NAME && self.remove_joints(ctx) {
            return;
        }
        // The form previews the effects before the command is applied.
        if spec.has_plan() && self.session.is_some() {
            match spec.check(&self.availability()) {
                Ok(()) => self.ask_arguments(spec, Map::new()),
                Err(reason) => self.toast(ctx, ToastKind::Error, reason),
            }
            return;
        }
        let filled = match &self.session {
            // The form opens even if all arguments could be filled in.
            Some(_) if spec.asks && spec.filled_from_around().is_none() => Err(Unfilled::Asks),
            Some(session) => spec.fill(&self.around(session)),
            None => spec.without_arguments().map(|command| vec![command]),
        };
        match filled {
            Ok(mut commands) if commands.len() == 1 => {
                if let Some(command) = commands.pop() {
                    self.run(ctx, command);
                }
            }
            Ok(commands) => {
                let Some(session) = &mut self.session else { return };
                if commands.iter().any(|c| c.takes_long(session.document())) {
                    self.run_beside(ctx, spec.title, commands);
                    return;
                }
                let done = session.run_all(spec.title, &commands).map(|_| ());
                self.follow_keys(None);
                self.say_done(ctx, done, spec.title);
            }
            Err(Unfilled::Asks) => self.ask_arguments(spec, Map::new()),
            Err(Unfilled::Refused(reason)) => self.toast(ctx, ToastKind::Error, reason),
        }
    }

    /// Runs a command line like one that the user typed.
    #[cfg(feature = "inspection")]
    pub fn run_command(&mut self, ctx: &Context, line: &CommandLine) {
        self.run_typed(ctx, line);
    }

    /// Runs a command with typed arguments. A message tells the result, because it may not be
    /// visible.
    pub(super) fn run_typed(&mut self, ctx: &Context, line: &CommandLine) {
        let command = match Command::read(line) {
            Ok(command) => command,
            Err(error) => {
                self.toast(ctx, ToastKind::Error, format!("{} failed: {error}.", line.name));
                return;
            }
        };
        if self.refuses_under_mix(ctx, &command) {
            return;
        }
        let title = command.spec().title;
        let Command::Document(done) = &command else {
            self.run(ctx, command);
            return;
        };
        // Explains why a change of the file's pose may be invisible while a clip is shown.
        let poses = matches!(done, DocumentCommand::Pose(_));
        let poses = poses && !line.arguments.contains_key("clip");
        let clip = self.shown_clip().filter(|_| poses).zip(self.session.as_ref());
        let covered = clip.map(|(clip, session)| {
            let clip = session.document().clip_label(clip);
            format!(
                ". The file's pose was changed; keys of “{clip}” override it while the clip is \
                shown"
            )
        });
        let document = self.session.as_ref().map(|s| s.document());
        let may_take_long = matches!(done, DocumentCommand::Weight(_))
            || document.is_some_and(|d| command.takes_long(d));
        self.end_gesture(ctx);
        let revision = |app: &Self| app.session.as_ref().map(|s| s.history().revision());
        let (said, before) = (self.dialogs.toasts.len(), revision(self));
        let changed = if may_take_long {
            self.run(ctx, command);
            // A long command, or one without effect, shows its own message at its end.
            (revision(self) != before).then_some(true)
        } else if let Some(commands) = self.with_key(&command) {
            let Some(session) = &mut self.session else { return };
            let done = session.run_all(title, &commands);
            let changed = done.as_ref().ok().copied();
            self.follow_keys(None);
            self.say_done(ctx, done.map(|_| ()), title);
            changed
        } else {
            self.run_on_file(ctx, &command)
        };
        let Some(changed) = changed else { return };
        let about = names_in(std::iter::once(&line.arguments));
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        let about = about + &covered.unwrap_or_default();
        let title = title.trim_end_matches('…');
        if changed {
            let undo = ("Undo", Action::Run(SessionCommand::Undo.into()));
            self.say(ctx, ToastKind::Ok, format!("{title}{about}"), vec![undo]);
        } else if self.dialogs.toasts.len() == said {
            self.toast(ctx, ToastKind::Note, format!("{title}{about}: nothing to change."));
        }
    }

    /// The command, followed by the command that auto-key adds for it. `None` if auto-key does not
    /// apply.
    pub(super) fn with_key(&self, command: &Command) -> Option<Vec<Command>> {
        let session = self.session.as_ref()?;
        let around = self.around(session);
        let (Command::Document(pose), Some(clip)) =
            (command, around.seen.filter(|_| around.auto_key))
        else {
            return None;
        };
        let document = session.document();
        let line = command.line(document);
        let shown = clip_text(document, clip);
        let is_shown =
            line.arguments.get("clip").and_then(|v| v.as_str()).is_some_and(|text| text == shown);
        if !poses_over(command.spec()) || !is_shown {
            return None;
        }
        let nodes: Vec<NodeId> =
            pose.wanted(&Scene::new(document)).ok()?.into_iter().map(|(n, _)| n).collect();
        let time = Seconds(around.over().time?.0);
        let interpolation = Some(self.program.settings.new_keys);
        let key =
            SetKey { interpolation, ..SetKey::new(ClipName::Id(clip), time, Nodes::Ids(nodes)) };
        Some(vec![command.clone(), self.of_layer(key.into())])
    }

    /// Runs a command on the file or on the window.
    pub(super) fn run(&mut self, ctx: &Context, command: impl Into<Command>) {
        let command = self.of_layer(command.into());
        self.end_gesture(ctx);
        if self.undo_on_page(ctx, &command) {
            return;
        }
        if self.refuses_under_mix(ctx, &command) {
            return;
        }
        match &command {
            Command::Host(host) => {
                let Ok(()) = host.carry_out(&mut WindowHost { app: self, ctx });
            }
            Command::Document(DocumentCommand::Weight(_)) => self.run_on_weights(ctx, command),
            _ if self.session.as_ref().is_some_and(|s| command.takes_long(s.document())) => {
                self.run_beside(ctx, command.spec().title, vec![command]);
            }
            Command::Session(SessionCommand::ImportClips { path, .. }) => {
                self.import_clips(ctx, path.clone())
            }
            // In the background, because many files may be read and their foot contacts detected.
            Command::Session(SessionCommand::RetargetClips { .. }) => {
                self.run_beside(ctx, "Retarget clips", vec![command]);
            }
            Command::Session(SessionCommand::ImportWeights { path: None, .. }) => {
                self.ask_weights(ctx)
            }
            // In the background, because the file may be large and its surface is searched.
            Command::Session(SessionCommand::ImportWeights { .. }) => {
                self.run_beside(ctx, "Import weights", vec![command]);
            }
            Command::Document(_) | Command::Session(_) => {
                self.run_on_file(ctx, &command);
            }
        }
    }

    /// Refuses posing commands while a mix plays, because no clip can store the pose. Shows a
    /// message, and returns whether the command was refused.
    pub(super) fn refuses_under_mix(&mut self, ctx: &Context, command: &Command) -> bool {
        let poses = matches!(command, Command::Document(document) if document.poses());
        if !poses || !self.mixes() {
            return false;
        }
        let text =
            "A mix cannot be posed directly. Show one of its clips, or bake the mix to a clip.";
        self.toast(ctx, ToastKind::Note, text.to_owned());
        true
    }

    /// Runs a command on the file. Returns whether it changed anything, or `None` after an error
    /// message.
    fn run_on_file(&mut self, ctx: &Context, command: &Command) -> Option<bool> {
        let session = self.session.as_mut()?;
        let before = session.history().revision();
        let layers = layer_ids(session.document());
        let done = session.run(command);
        self.layers.follow(&layers, session.document());
        // Undo and redo restore the selection from the time of the step.
        let now = session.history().revision();
        match command {
            Command::Session(SessionCommand::Undo) if now != before => {
                self.outliner.recall_nodes(before)
            }
            Command::Session(SessionCommand::Redo) if now != before => {
                self.outliner.recall_nodes(now)
            }
            _ => {}
        }
        let session = self.session.as_mut()?;
        if let (Ok(_), Command::Session(SessionCommand::CopyKeys { .. }), Some(text)) =
            (&done, command, session.copied_keys())
        {
            ctx.copy_text(text.to_owned());
        }
        let changed = done.as_ref().ok().copied();
        if done.is_ok() {
            self.follow_keys(Some(command));
            self.purge_selection();
            let Some(session) = &self.session else { return changed };
            let document = session.document();
            if self.timeline.playback.clip.is_none_or(|c| !document.clips.contains(c)) {
                let first = document.clips.ids().next();
                if self.timeline.playback.mixing {
                    // A mix stays on screen; only the clip behind it is replaced.
                    self.timeline.playback.clip = first;
                } else {
                    self.timeline.playback.show(document, first);
                }
                if first.is_none() {
                    self.mode = self.mode.without_clips();
                }
            }
            let makes = matches!(
                command,
                Command::Document(DocumentCommand::Clip(
                    ClipCommand::NewClip(_) | ClipCommand::DuplicateClip(_)
                )) | Command::Document(DocumentCommand::ClipArrival(_))
            );
            if makes {
                let last = document.clips.ids().next_back();
                self.timeline.playback.show(document, last);
                self.mode = Mode::FOR_CLIPS;
            }
        }
        self.say_done(ctx, done.map(|_| ()), command.spec().title);
        changed
    }

    /// Shows the notes of a committed gesture, except those of a move of keys, which were already
    /// shown at the pointer.
    pub(super) fn say_committed(&mut self, ctx: &Context) {
        let notes = self.session.as_mut().and_then(Session::take_sentence);
        if self.entered() != Some(Pane::Timeline)
            && let Some(mut note) = notes
        {
            if let Some(first) = note.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            self.toast(ctx, ToastKind::Note, note + ".");
        }
    }

    /// Shows the notes of a command, or the reason why it failed.
    pub(super) fn say_done(&mut self, ctx: &Context, done: Result<(), RunError>, title: &str) {
        let title = title.trim_end_matches('…');
        let notes = self.session.as_mut().and_then(Session::take_sentence);
        if let Err(error) = done {
            self.toast(ctx, ToastKind::Error, format!("{title} failed: {error}."));
        }
        self.purge_selection();
        if let Some(note) = notes {
            self.toast(ctx, ToastKind::Note, format!("{title}: {note}."));
        }
    }

    /// Runs a weight command on the selected vertices of the painted surface, with its locks and
    /// influence limit.
    fn run_on_weights(&mut self, ctx: &Context, command: Command) {
        let title = command.spec().title;
        let Some(weights) = self.weight_context(ctx) else { return };
        let commands = weights.on_painted(command);
        self.run_on_vertices(ctx, title.into(), commands);
    }

    pub(super) fn preview(&mut self, ctx: &Context, label: &str, commands: &[Command]) {
        let commands: Vec<Command> = commands.iter().map(|c| self.of_layer(c.clone())).collect();
        let Some(session) = &mut self.session else { return };
        // A mix is best judged during playback, and markers do not change the pose, so playback
        // continues.
        let plays_on = |c: &Command| {
            matches!(c, Command::Document(DocumentCommand::Mix(_) | DocumentCommand::Marker(_)))
        };
        if !commands.iter().all(plays_on) {
            self.timeline.playback.stop_to_edit();
        }
        // Commands of a gesture run on the document from the start of the gesture.
        if let Err(error) = session.preview_all(label, &commands) {
            self.toast(ctx, ToastKind::Error, format!("{label} failed: {error}."));
        } else if let Some((home, keys)) = session.take_selected_keys() {
            self.outliner.selection.set_keys(home, keys);
        }
    }

    /// Redirects a command on the displayed keys to the layer that receives edits, if any.
    fn of_layer(&self, command: Command) -> Command {
        let layers = self.layers_view();
        let (Some(layer), Some(LayerHome::Clip(_))) = (layers.written, layers.home) else {
            return command;
        };
        command.on_layer(LayerName::Id(layer))
    }
}
