//! Closing or replacing a file. The user is asked about unsaved work. Layers or a mix that the file
//! does not store can be stored or baked before saving.

use egui::Context;

use super::App;
use crate::ui::{DeferredAction, Dialog, ToastKind};
use ulna_edit::{
    Command,
    command::{
        BakeMix, FileCommand, FlattenLayers, FoldLayers, KeepLayers, KeepMix, KeepWeightLayers,
        field::ClipName,
    },
};
use ulna_session::Session;

impl App {
    /// Performs an action, after asking about unsaved work that it would lose.
    pub(super) fn wish(&mut self, ctx: &Context, wish: DeferredAction) {
        self.end_gesture(ctx);
        // The import page of a file of another format opens without a question, because its clips
        // may be added to this file.
        let shows_page = matches!(&wish, DeferredAction::Open(path) if is_foreign(path));
        if !shows_page && self.session.as_ref().is_some_and(Session::is_unsaved) {
            self.dialogs.open = Some(Dialog::Unsaved { then: wish });
        } else {
            self.perform(ctx, wish);
        }
    }

    /// Like [`App::wish`], but without the question about data that the file does not store. Used
    /// after a save, when this question was already answered.
    pub(super) fn wish_without_file(&mut self, ctx: &Context, wish: DeferredAction) {
        if self.session.as_ref().is_some_and(|s| s.unsaved().file) {
            self.dialogs.open = Some(Dialog::Unsaved { then: wish });
        } else {
            self.perform(ctx, wish);
        }
    }

    /// Performs a deferred action. All questions were answered before.
    pub(super) fn perform(&mut self, ctx: &Context, wish: DeferredAction) {
        match wish {
            DeferredAction::Quit if self.is_writing() => {
                self.window.may_close = true;
                self.close_after_work(ctx);
            }
            DeferredAction::Quit => {
                self.window.may_close = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            DeferredAction::Open(path) => self.open(ctx, path),
            DeferredAction::Convert(draft) => self.open_converted(ctx, &draft),
            DeferredAction::Sample => self.open_sample(ctx),
            DeferredAction::Revert => self.reload(ctx, false),
        }
    }

    /// Stores layers and the mix in the file, saves, and then performs the requested action.
    pub(super) fn keep_then(&mut self, ctx: &Context, wish: DeferredAction) {
        let Some(unsaved) = self.session.as_ref().map(|s| s.unsaved()) else { return };
        let mut commands: Vec<Command> = Vec::new();
        if unsaved.pose_layers > 0 {
            commands.push(KeepLayers { on: Some(true) }.into());
        }
        if unsaved.layers > 0 {
            commands.push(KeepWeightLayers { on: Some(true), mesh: None }.into());
        }
        if unsaved.mix {
            commands.push(KeepMix { on: Some(true) }.into());
        }
        self.change_then(ctx, "Keep layers and mix in the file", commands, wish);
    }

    /// Bakes layers into keys and weights, and the mix into a clip, saves, and then performs the
    /// requested action.
    pub(super) fn bake_then(&mut self, ctx: &Context, wish: DeferredAction) {
        let Some(session) = &self.session else { return };
        let (unsaved, document) = (session.unsaved(), session.document());
        let mut commands: Vec<Command> = Vec::new();
        // The mix is baked first, because it plays layers.
        if unsaved.mix {
            commands
                .push(BakeMix { name: None, rate: None, millimetres: None, in_place: None }.into());
        }
        if unsaved.pose_layers > 0 {
            let homes = document.aids.pose_layers.keys();
            commands.extend(homes.map(|home| {
                FoldLayers { clip: home.clip().map(ClipName::Id), layer: None }.into()
            }));
        }
        if unsaved.layers > 0 {
            commands.push(FlattenLayers { mesh: None }.into());
        }
        self.change_then(ctx, "Bake layers and mix", commands, wish);
    }

    /// Runs commands as one undo step, saves, and then performs the requested action. Long commands
    /// run in the background, and the window stays open until they finish.
    fn change_then(
        &mut self,
        ctx: &Context,
        title: &'static str,
        commands: Vec<Command>,
        wish: DeferredAction,
    ) {
        self.dialogs.open = None;
        self.end_gesture(ctx);
        let Some(session) = &mut self.session else { return };
        if commands.iter().any(|c| c.takes_long(session.document())) {
            self.files.after_work = Some(wish);
            self.run_beside(ctx, title, commands);
            return;
        }
        match session.run_all(title, &commands) {
            Ok(_) => {
                self.say_done(ctx, Ok(()), title);
                self.save_then(ctx, wish);
            }
            Err(error) => {
                let text = format!("{title} failed, and nothing was saved: {error}.");
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Saves, and then performs the requested action.
    pub(super) fn save_then(&mut self, ctx: &Context, wish: DeferredAction) {
        self.dialogs.open = None;
        self.files.after_save = Some(wish);
        self.run(ctx, FileCommand::Save);
    }
}

/// True if the file extension belongs to a format other than glTF.
fn is_foreign(path: &std::path::Path) -> bool {
    ulna_formats::import::importer_of(&[], path).is_some()
}
