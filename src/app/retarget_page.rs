//! The *Retarget* page in the window: opening it, performing its actions, and adding its clips.

use std::path::{Path, PathBuf};

use egui::Context;

use super::{
    App,
    files::Browse,
    jobs::JobResult,
    retargeting::{RetargetFrame, RetargetedClips, Retargeting},
};
use crate::ui::{Action, Dialog, Mode, PathFor, RetargetAction, ToastKind};
use ulna_edit::{
    Command,
    command::{ClipTexts, KeepMap, PutClips, RetargetMapText, SessionCommand, map_text, read_map},
};
use ulna_model::Shared;
use ulna_session::{Conversion, write_atomically};

impl App {
    /// Opens the *Retarget* page as it was when it was closed. If a path is given, loads this file
    /// as the source.
    pub(super) fn open_retarget(
        &mut self,
        ctx: &Context,
        path: Option<PathBuf>,
        conversion: Conversion,
    ) {
        let Some(session) = &self.session else { return };
        if self.retargeting.is_none() {
            // After clips were added, the page starts over. If that was undone, it continues.
            let kept = self.retarget_kept.take().filter(|page| !page.is_done(session.document()));
            self.retargeting = kept.or_else(|| Some(Box::new(Retargeting::new(session))));
            // On the page, *Undo* in an old message would undo a change of the page.
            self.dialogs.toasts.retain(|toast| toast.verbs.iter().all(|verb| verb.0 != "Undo"));
        }
        self.panels.wait_no_longer();
        self.timeline.playback.playing = false;
        match path {
            Some(path) => self.read_source(ctx, path, conversion),
            None if self.retargeting.as_ref().is_some_and(|page| !page.has_source()) => {
                self.ask_beside(ctx, PathFor::Retarget);
            }
            None => {}
        }
    }

    /// Asks for a path, starting in the folder of the open file.
    pub(super) fn ask_beside(&mut self, ctx: &Context, what: PathFor) {
        if self.files.system_dialogs {
            self.browse(ctx, Browse::Path(what));
            return;
        }
        let beside = self.session.as_ref().and_then(|s| s.path()).and_then(Path::parent);
        let beside = beside.filter(|p| !p.as_os_str().is_empty());
        // The trailing separator shows that the path is a folder.
        let mut path = beside.map(|p| p.join("")).unwrap_or_default();
        if what == PathFor::MapOut {
            path.push("retarget.json");
        }
        self.dialogs.open = Some(Dialog::path(what, path.display().to_string()));
    }

    /// Loads a file as the source in the background.
    pub(super) fn read_source(&mut self, ctx: &Context, path: PathBuf, conversion: Conversion) {
        let loader = self.renderer.loader();
        if let Some(page) = &mut self.retargeting {
            page.read(ctx, path, conversion, loader);
        }
    }

    /// Performs an action of the *Retarget* page.
    pub(super) fn apply_retarget(&mut self, ctx: &Context, action: RetargetAction) {
        let Some(page) = &mut self.retargeting else { return };
        match action {
            RetargetAction::Set(draft) => page.set_draft(ctx, *draft),
            RetargetAction::Browse => self.ask_beside(ctx, PathFor::Retarget),
            RetargetAction::MatchAgain => page.match_again(),
            RetargetAction::DetectContacts => page.detect_contacts(),
            RetargetAction::UseFrame => page.use_frame(),
            RetargetAction::AskMap { saves } => {
                self.ask_beside(ctx, if saves { PathFor::MapOut } else { PathFor::MapIn });
            }
            RetargetAction::Write => self.write_retargeted(ctx),
            RetargetAction::Close => self.close_retarget(ctx),
        }
    }

    /// Closes the *Retarget* page. No confirmation is needed: the document was not changed, and the
    /// choices are kept until the clips are added or another file is opened.
    pub(super) fn close_retarget(&mut self, ctx: &Context) {
        if let Some(mut page) = self.retargeting.take() {
            page.rest();
            self.retarget_kept = Some(page);
            ctx.request_repaint();
        }
    }

    /// Undoes or redoes a change on the open page. Returns false if the page is not open, or for
    /// other commands.
    pub(super) fn undo_on_page(&mut self, ctx: &Context, command: &Command) -> bool {
        let Some(page) = &mut self.retargeting else { return false };
        match command {
            Command::Session(SessionCommand::Undo) => page.undo(true),
            Command::Session(SessionCommand::Redo) => page.undo(false),
            _ => return false,
        }
        ctx.request_repaint();
        true
    }

    /// Handles finished background jobs of the page.
    pub(super) fn follow_retarget(&mut self, ctx: &Context) {
        match (&mut self.retargeting, &self.session) {
            (Some(page), Some(session)) => page.follow(ctx, session),
            (None, Some(_)) => {}
            (page, None) => (*page, self.retarget_kept) = (None, None),
        }
    }

    /// Draws the views of the page if they changed.
    pub(super) fn draw_retarget(&mut self, ctx: &Context, frame: &eframe::Frame) {
        let Some(page) = &mut self.retargeting else { return };
        let Some(state) = frame.wgpu_render_state() else { return };
        let of = RetargetFrame {
            state,
            window: ctx.content_rect().size(),
            scale: ctx.pixels_per_point(),
            theme: self.program.theme.name(),
        };
        if page.draw(&mut self.renderer, &mut self.files.retarget_pictures, &of) {
            ctx.request_repaint();
        }
    }

    /// Starts to retarget the chosen clips in the background.
    fn write_retargeted(&mut self, ctx: &Context) {
        let Some(request) = self.retargeting.as_ref().and_then(|page| page.request()) else {
            return;
        };
        let label = match request.count() {
            1 => "Retargeting 1 clip".to_owned(),
            n => format!("Retargeting {n} clips"),
        };
        self.start(ctx, label, true, move |progress| {
            JobResult::Retargeted(Box::new(request.work(progress)))
        });
    }

    /// Adds retargeted clips to the document, and closes the page.
    pub(super) fn take_retargeted(&mut self, ctx: &Context, done: RetargetedClips) {
        let Some(session) = &self.session else { return };
        let is_its = Shared::ptr_eq(session.document().nodes.tree(), &done.tree);
        let refusal = match &done.clips {
            Ok(None) => return,
            Err(error) => format!("No clip was added: {error}."),
            Ok(Some(_)) if !is_its => "No clip was added, because the nodes of the file were \
                changed meanwhile. Add the clips again."
                .to_owned(),
            Ok(Some(clips)) if clips.is_empty() => "No clip was added: no chain with joints on \
                both sides moves. Choose the joints of a chain."
                .to_owned(),
            Ok(Some(_)) => String::new(),
        };
        let Some(clips) = done.clips.ok().flatten().filter(|_| refusal.is_empty()) else {
            self.toast(ctx, ToastKind::Error, refusal);
            return;
        };
        let (before, first) =
            (session.document().clips.clone(), session.document().clips.next_id());
        let put = PutClips { clips: ClipTexts::Clips(clips), taken: Some(done.taken) };
        let keep = |map| KeepMap { map: RetargetMapText::Map(map), name: None };
        let keep = done.map.map(|map| Command::from(keep(map)));
        let commands: Vec<Command> = std::iter::once(put.into()).chain(keep).collect();
        self.end_gesture(ctx);
        let Some(session) = &mut self.session else { return };
        let title = "Retarget clips";
        let ran = session.run_all(title, &commands).map(|_| ());
        self.say_done(ctx, ran, title);
        let Some(session) = &self.session else { return };
        let now = &session.document().clips;
        let count = now.ids().filter(|id| before.get(*id) != now.get(*id)).count();
        if count == 0 {
            return;
        }
        let shown = now.ids().find(|id| *id >= first).or(self.timeline.playback.clip);
        self.timeline.playback.show(session.document(), shown);
        self.mode = Mode::FOR_CLIPS;
        let first_added = now.ids().find(|id| *id >= first);
        if let Some(page) = &mut self.retargeting {
            page.note_added(first_added);
        }
        self.close_retarget(ctx);
        let undo = ("Undo", Action::Run(SessionCommand::Undo.into()));
        let text = match count {
            1 => "1 clip was added.".to_owned(),
            n => format!("{n} clips were added."),
        };
        let text = match done.reduced {
            Some(([before, after], error)) => {
                format!("{text} {after} of {before} keys remain, max error {error:.2} mm.")
            }
            None => text,
        };
        self.say(ctx, ToastKind::Ok, text, vec![undo]);
    }

    /// Reads the map of the page from a JSON file.
    pub(super) fn read_map(&mut self, ctx: &Context, path: &Path) {
        self.dialogs.open = None;
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
        let Some(page) = &mut self.retargeting else { return };
        match text.and_then(|text| read_map(&text)) {
            Ok(map) => page.set_map(map, "loaded"),
            Err(error) => {
                let text = format!("{} was not read: {error}.", path.display());
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Saves the map of the page to a JSON file.
    pub(super) fn save_map(&mut self, ctx: &Context, path: &Path) {
        self.dialogs.open = None;
        let Some(page) = &self.retargeting else { return };
        let text = map_text(page.map());
        let (kind, text) = match write_atomically(&*self.files.disk, path, text.as_bytes()) {
            Ok(()) => (ToastKind::Ok, format!("The map was saved to {}.", path.display())),
            Err(error) => (
                ToastKind::Error,
                format!("The map could not be saved to {}: {error}.", path.display()),
            ),
        };
        self.toast(ctx, kind, text);
    }
}
