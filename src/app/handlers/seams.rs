//! Best transition points between clips, computed on another thread.

use egui::Context;

use crate::{
    app::{App, jobs::JobResult},
    ui::{Action, Dialog, DialogAction, SeamsDraft, ToastKind},
};
use ulna_model::{ClipId, Shared, Tree};
use ulna_motion::{BestSeam, best_seams};

impl App {
    /// Starts to compare all clips with each other.
    pub(in crate::app) fn find_seams(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let document = session.document().clone();
        let tree = document.nodes.tree().clone();
        self.start(ctx, "Comparing clips".into(), true, move |progress| {
            let all: Vec<ClipId> = document.clips.ids().collect();
            let found = best_seams(&document, &all, &all, &|part| progress.reach(part).is_ok());
            JobResult::Seams(progress.reach(1.0).is_ok().then_some(found), tree)
        });
    }

    /// Opens the dialog with the found transitions, if the document still has this node tree.
    pub(in crate::app) fn take_seams(
        &mut self,
        ctx: &Context,
        found: Option<Vec<BestSeam>>,
        tree: &Shared<Tree>,
    ) {
        let Some(found) = found else { return };
        if self.session.as_ref().is_some_and(|s| Shared::ptr_eq(s.document().nodes.tree(), tree)) {
            self.files.seams = found;
            self.dialogs.open = Some(Dialog::Seams { draft: Box::new(SeamsDraft::default()) });
        } else {
            let text = "The skeleton changed while its clips were compared. Compare them again.";
            let again = Action::Dialog(DialogAction::FindSeams);
            self.say(ctx, ToastKind::Error, text.to_owned(), vec![("Compare again", again)]);
        }
    }
}
