//! Asks for file paths with the file dialog of the operating system, or with Ulna's own dialog.

use std::{
    path::Path,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use egui::Context;

use super::{
    App,
    files::{Browse, Browsing},
    save_queue::{Purpose, SaveTo},
};
use crate::ui::{DeferredAction, Dialog, PathFor, ToastKind};
use ulna_session::{Conversion, Session, endings};

impl App {
    /// Asks for a path with the system's file dialog if there is one. Otherwise, or if it fails to
    /// appear, `ours` is opened.
    pub(super) fn ask_path(&mut self, ctx: &Context, what: PathFor, ours: Dialog) {
        if self.files.system_dialogs {
            self.browse(ctx, Browse::Path(what));
        }
        match &mut self.files.browsing {
            Some(browsing) => browsing.instead = Some(ours),
            None => self.dialogs.open = Some(ours),
        }
    }

    /// Asks for a file to open. The dialog has a path field, and a button for the system's file
    /// dialog.
    pub(super) fn ask_open(&mut self, ctx: &Context) {
        let folder = self
            .program
            .preferences
            .recent
            .first()
            .and_then(|f| f.path.parent())
            .map_or_else(String::new, |p| format!("{}/", p.display()));
        self.ask_path(ctx, PathFor::Open, Dialog::Open { path: folder });
    }

    /// Asks for the path for saving the file.
    pub(super) fn ask_save(&mut self, ctx: &Context) {
        let path = self
            .session
            .as_ref()
            .map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.ask_path(ctx, PathFor::Save, Dialog::SaveAs { path, copy: false });
    }

    /// Asks for the path for saving a copy.
    pub(super) fn ask_copy(&mut self, ctx: &Context) {
        let path = self
            .session
            .as_ref()
            .map_or_else(String::new, |s| s.suggested_path().display().to_string());
        self.ask_path(ctx, PathFor::Copy, Dialog::SaveAs { path, copy: true });
    }

    /// Opens the system's file dialog on another thread, because some dialogs wait for another
    /// program.
    pub(super) fn browse(&mut self, ctx: &Context, what: Browse) {
        let save = matches!(what, Browse::Path(PathFor::Save | PathFor::Copy));
        let weights = matches!(what, Browse::Path(PathFor::WeightsIn | PathFor::WeightsOut));
        let (sender, receiver) = mpsc::sync_channel(1);
        let waker = ctx.clone();
        let name = self.session.as_ref().map_or_else(|| "model.glb".into(), Session::file_name);
        let dialog = rfd::FileDialog::new();
        let dialog = match save {
            true => dialog.add_filter("glTF", &["glb", "gltf", "vrm", "vrma"]).set_file_name(name),
            false if what == Browse::Path(PathFor::WeightsOut) => {
                let name = Path::new(&name).with_extension("weights.json").display().to_string();
                dialog.add_filter("Weights", &["json", "xml"]).set_file_name(name)
            }
            false if what == Browse::Path(PathFor::PlanOut) => {
                dialog.add_filter("Scripts", &["jsonl"]).set_file_name("plan.jsonl")
            }
            false if matches!(what, Browse::Path(PathFor::MapIn | PathFor::MapOut)) => {
                dialog.add_filter("Retarget maps", &["json"]).set_file_name("retarget.json")
            }
            false if matches!(what, Browse::Path(PathFor::KeysIn | PathFor::KeysOut)) => {
                dialog.add_filter("Keys", &["json"]).set_file_name("keys.json")
            }
            false if weights => {
                let kinds: Vec<&str> = ["json", "xml"].into_iter().chain(endings()).collect();
                dialog.add_filter("Weights and models", &kinds)
            }
            false => dialog.add_filter("Models and motion", &endings().collect::<Vec<_>>()),
        };
        let dialog = match (what, &self.dialogs.open) {
            (Browse::Export { .. }, Some(Dialog::Export { draft })) => {
                let (folder, name) = draft.place();
                dialog.set_directory(folder).set_file_name(name)
            }
            _ => dialog,
        };
        let ask = move || {
            let chosen = match what {
                Browse::Export { folder: true } => dialog.pick_folder().map(|p| vec![p]),
                Browse::Path(
                    PathFor::Save
                    | PathFor::Copy
                    | PathFor::WeightsOut
                    | PathFor::PlanOut
                    | PathFor::KeysOut
                    | PathFor::MapOut,
                )
                | Browse::Export { folder: false } => dialog.save_file().map(|p| vec![p]),
                Browse::Path(
                    PathFor::Open
                    | PathFor::Retarget
                    | PathFor::Reference
                    | PathFor::KeysIn
                    | PathFor::MapIn
                    | PathFor::WeightsIn,
                )
                | Browse::Form => dialog.pick_file().map(|p| vec![p]),
                Browse::Path(PathFor::Import) => dialog.pick_files(),
            };
            if sender.send(chosen).is_ok() {
                waker.request_repaint();
            }
        };
        match thread::Builder::new().name("file dialog".into()).spawn(ask) {
            Ok(_) => {
                self.files.browsing =
                    Some(Browsing { chosen: receiver, what, since: Instant::now(), instead: None });
            }
            Err(error) => self.toast(
                ctx,
                ToastKind::Error,
                format!("The file dialog could not be opened: {error}. Type a path instead."),
            ),
        }
    }

    /// Handles the result of the system's file dialog.
    pub(super) fn poll_browse(&mut self, ctx: &Context) {
        // Time in which no user could close the dialog. A faster answer means that the dialog
        // failed.
        const AT_ONCE: Duration = Duration::from_millis(400);
        let Some(browsing) = &self.files.browsing else { return };
        let (what, since) = (browsing.what, browsing.since);
        match browsing.chosen.try_recv() {
            Ok(Some(mut paths)) => {
                self.files.browsing = None;
                let what = match what {
                    Browse::Path(what) => what,
                    Browse::Form => {
                        if let (Some(Dialog::Arguments { draft }), Some(path)) =
                            (&mut self.dialogs.open, paths.first())
                        {
                            draft.name_file(path);
                        }
                        return;
                    }
                    Browse::Export { .. } => {
                        if let (Some(Dialog::Export { draft }), Some(path)) =
                            (&mut self.dialogs.open, paths.first())
                        {
                            draft.go_to(path);
                        }
                        return;
                    }
                };
                self.dialogs.open = None;
                match what {
                    PathFor::Import => self.read_clips(ctx, paths),
                    _ if paths.is_empty() => {}
                    PathFor::Open => self.wish(ctx, DeferredAction::Open(paths.remove(0))),
                    PathFor::KeysIn => self.read_keys(ctx, &paths.remove(0)),
                    PathFor::KeysOut => self.write_keys(ctx, &paths.remove(0)),
                    PathFor::MapIn => self.read_map(ctx, &paths.remove(0)),
                    PathFor::MapOut => self.save_map(ctx, &paths.remove(0)),
                    PathFor::Retarget => {
                        self.open_retarget(ctx, Some(paths.remove(0)), Conversion::default())
                    }
                    PathFor::Reference => self.load_reference(ctx, paths.remove(0), None),
                    PathFor::Save => self.queue_save(
                        ctx,
                        SaveTo::Asked,
                        self.request(paths.remove(0)),
                        Purpose::Own,
                    ),
                    PathFor::Copy => self.queue_save(
                        ctx,
                        SaveTo::Asked,
                        self.request(paths.remove(0)),
                        Purpose::Copy,
                    ),
                    PathFor::WeightsIn => self.import_weights(ctx, paths.remove(0), None),
                    PathFor::WeightsOut => self.export_weights(ctx, Some(paths.remove(0))),
                    PathFor::PlanOut => self.save_plan(ctx, Some(paths.remove(0))),
                }
            }
            // The user canceled, or the system has no file dialog. Ulna's own list of files remains
            // open.
            Ok(None) | Err(mpsc::TryRecvError::Disconnected) => {
                let instead = self.files.browsing.take().and_then(|b| b.instead);
                if since.elapsed() < AT_ONCE && instead.is_some() {
                    // From now on, Ulna's own dialog opens at once.
                    self.files.system_dialogs = false;
                    self.dialogs.open = instead;
                } else if since.elapsed() < AT_ONCE {
                    let text = "The system's file dialog is not available. Choose from the list, \
                        or type a path.";
                    self.toast(ctx, ToastKind::Note, text);
                }
            }
            Err(mpsc::TryRecvError::Empty) => ctx.request_repaint_after(Duration::from_millis(100)),
        }
    }
}
