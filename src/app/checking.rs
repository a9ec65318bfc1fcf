//! Updates the list of problems. Shortly after the last change, a background job checks the file as
//! it would be saved.

use std::{sync::mpsc, thread};

use egui::Context;

use super::App;
use ulna_model::Diagnostic;

/// Time in seconds without changes before a check starts.
const QUIET: f64 = 0.35;

impl App {
    /// Starts a check if one is due, and uses the result of a finished check.
    pub(super) fn keep_problems(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let now = (self.renderer.scene_serial(), session.generation());
        if let Some((of, result)) = &self.problems.checking.result {
            match result.try_recv() {
                Ok(found) => {
                    let of = *of;
                    self.problems.checking.result = None;
                    if of == now {
                        self.problems.checking.known = Some(of);
                        // Weight problems and surface problems are updated elsewhere, so the
                        // check does not replace them.
                        let kept =
                            |d: &Diagnostic| d.fix.is_some() || d.code.starts_with("ULNA_MESH_");
                        let of_images = self.problems.of_images.clone();
                        self.problems.change(|list| {
                            list.retain(kept);
                            list.extend(found.into_iter().filter(|d| !kept(d)));
                            list.extend(of_images);
                        });
                        ctx.request_repaint();
                    }
                }
                Err(mpsc::TryRecvError::Empty) => {}
                Err(mpsc::TryRecvError::Disconnected) => {
                    // A failed check would fail again, so the list stays unchanged.
                    self.problems.checking.known = Some(*of);
                    self.problems.checking.result = None;
                }
            }
            return;
        }
        if self.problems.checking.known == Some(now) || self.is_gesture_open() {
            return;
        }
        let time = ctx.input(|i| i.time);
        match self.problems.checking.seen {
            Some((state, since)) if state == now => {
                let left = QUIET - (time - since);
                if left > 0.0 {
                    ctx.request_repaint_after(std::time::Duration::from_secs_f64(left));
                    return;
                }
            }
            _ => {
                self.problems.checking.seen = Some((now, time));
                ctx.request_repaint_after(std::time::Duration::from_secs_f64(QUIET));
                return;
            }
        }
        let (session, waker) = (session.clone(), ctx.clone());
        let (sender, result) = mpsc::sync_channel(1);
        let look = move || {
            if sender.send(session.findings_now()).is_ok() {
                waker.request_repaint();
            }
        };
        match thread::Builder::new().name("problems".into()).spawn(look) {
            Ok(_) => self.problems.checking.result = Some((now, result)),
            Err(error) => log::error!("the check for problems could not start: {error}"),
        }
    }
}
