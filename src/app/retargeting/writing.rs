//! Adding the chosen clips: retargeted beside the window, and put in as one undo step.

use egui::Context;

use super::engine::{self, CarriedTo};
use crate::app::{App, jobs::JobResult};
use crate::ui::{Action, Mode, ToastKind};
use ulna_edit::{
    Command,
    command::{ClipTexts, KeepMap, PutClips, RetargetMapText, SessionCommand, TakenName},
};
use ulna_model::{Clip, RetargetMap, Shared, Tree};

/// Clips that were retargeted to be added.
pub(in crate::app) struct RetargetedClips {
    /// The clips with their names; nothing if the work was canceled.
    made: Result<Option<Vec<(String, CarriedTo)>>, String>,
    taken: TakenName,
    /// The map, where it is kept in the file.
    map: Option<Box<RetargetMap>>,
    /// Nodes of the document that they are for.
    tree: Shared<Tree>,
}

impl App {
    /// Retargets the chosen clips beside the window.
    pub(super) fn write_retargeted(&mut self, ctx: &Context) {
        let (Some(page), Some(session)) = (&self.retargeting, &self.session) else { return };
        let (Some(bodies), Some(inputs), Some(source)) =
            (page.bodies(), page.summary_inputs(), &page.source)
        else {
            return;
        };
        if inputs.clips.is_empty() {
            return;
        }
        let names: Vec<String> =
            source.facts.clips.iter().map(|c| page.draft.name_of(&c.name)).collect();
        let (ids, taken) = (source.clips.clone(), page.draft.taken);
        let is_kept = session.document().retarget_maps().contains(&page.draft.map);
        let map = (page.draft.keeps_map && !is_kept).then(|| Box::new(page.draft.map.clone()));
        let tree = page.target.document.nodes.tree().clone();
        let count = inputs.clips.len();
        let label = if count == 1 {
            "Retargeting 1 clip".to_owned()
        } else {
            format!("Retargeting {count} clips")
        };
        self.start(ctx, label, true, move |progress| {
            let is_stopped = || progress.reach(0.0).is_err();
            let made = engine::all(&bodies, &inputs.map, &inputs.clips, &ids, &is_stopped);
            let named = made.map(|made| {
                made.map(|m| m.into_iter().map(|c| (names[c.of].clone(), c)).collect())
            });
            JobResult::Retargeted(Box::new(RetargetedClips { made: named, taken, map, tree }))
        });
    }

    /// Puts clips in that were retargeted, and closes the page.
    pub(in crate::app) fn take_retargeted(&mut self, ctx: &Context, done: RetargetedClips) {
        let made = match done.made {
            Ok(Some(made)) => made,
            Ok(None) => return,
            Err(error) => {
                self.toast(ctx, ToastKind::Error, format!("No clip was added: {error}."));
                return;
            }
        };
        let Some(session) = &self.session else { return };
        if !Shared::ptr_eq(session.document().nodes.tree(), &done.tree) {
            let text = "No clip was added, because the nodes of the file were changed meanwhile. \
                Add them again.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let clips: Vec<Shared<Clip>> = made
            .into_iter()
            .filter(|(_, c)| !c.clip.tracks.is_empty())
            .map(|(name, c)| Shared::new(Clip { name: Some(name.as_str().into()), ..c.clip }))
            .collect();
        if clips.is_empty() {
            let text = "No clip was added: no chain with joints on both sides moves. Choose the \
                joints of a chain.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let (before, first) =
            (session.document().clips.clone(), session.document().clips.next_id());
        let put = PutClips { clips: ClipTexts::Clips(clips), taken: Some(done.taken) };
        let keep = done
            .map
            .map(|map| Command::from(KeepMap { map: RetargetMapText::Map(map), name: None }));
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
        self.close_retarget(ctx);
        let undo = ("Undo", Action::Run(SessionCommand::Undo.into()));
        let text = if count == 1 {
            "1 clip was added.".to_owned()
        } else {
            format!("{count} clips were added.")
        };
        self.say(ctx, ToastKind::Ok, text, vec![undo]);
    }
}
