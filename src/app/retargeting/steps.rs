//! Undo and redo of changes on the *Retarget* page. The document has its own history.

use std::{collections::BTreeMap, sync::Arc};

use crate::ui::RetargetDraft;
use ulna_model::{Goal, RetargetMap};

/// Maximum number of steps that can be undone.
const MOST: usize = 200;

/// The choices that undo restores.
#[derive(Clone)]
pub(super) struct Choices {
    map: RetargetMap,
    map_origin: &'static str,
    takes: Vec<bool>,
    contacts: BTreeMap<usize, Arc<[Goal]>>,
    /// Index of the shown clip, so that the undone change is visible.
    shown: usize,
}

impl Choices {
    pub(super) fn of(draft: &RetargetDraft, map_origin: &'static str) -> Self {
        Self {
            map: draft.map.clone(),
            map_origin,
            takes: draft.takes.clone(),
            contacts: draft.contacts.clone(),
            shown: draft.shown,
        }
    }

    /// True if the user changed something else than the shown clip.
    fn differs(&self, draft: &RetargetDraft) -> bool {
        self.map != draft.map || self.takes != draft.takes || self.contacts != draft.contacts
    }

    /// Restores the choices. Returns the description of the map's origin.
    fn restore(self, draft: &mut RetargetDraft) -> &'static str {
        if draft.shown != self.shown {
            draft.clock.time = 0.0;
        }
        draft.chain = draft.chain.filter(|k| *k < self.map.chains.len());
        draft.contact = None;
        (draft.map, draft.takes, draft.contacts) = (self.map, self.takes, self.contacts);
        draft.shown = self.shown;
        self.map_origin
    }
}

/// Steps that can be undone and redone.
#[derive(Default)]
pub(super) struct Steps {
    done: Vec<Choices>,
    undone: Vec<Choices>,
    /// True if the running gesture has already made a step. Its further changes belong to it.
    has_step: bool,
}

impl Steps {
    /// Makes a step if the choices changed. `before` is their previous state. The changes of a
    /// gesture, such as a drag, are one step.
    pub(super) fn follow(&mut self, before: Choices, draft: &RetargetDraft, is_gesture: bool) {
        if !before.differs(draft) {
            return;
        }
        self.undone.clear();
        if !std::mem::replace(&mut self.has_step, is_gesture) || !is_gesture {
            self.done.push(before);
        }
        if self.done.len() > MOST {
            self.done.remove(0);
        }
    }

    /// Ends the running gesture.
    pub(super) const fn end_gesture(&mut self) {
        self.has_step = false;
    }

    /// True if there is a step to undo, and one to redo.
    pub(super) const fn available(&self) -> [bool; 2] {
        [!self.done.is_empty(), !self.undone.is_empty()]
    }

    /// Undoes or redoes a step. Returns the description of the map's origin, or `None` if there is
    /// no step.
    pub(super) fn go(
        &mut self,
        is_undo: bool,
        draft: &mut RetargetDraft,
        map_origin: &'static str,
    ) -> Option<&'static str> {
        let (from, to) = if is_undo {
            (&mut self.done, &mut self.undone)
        } else {
            (&mut self.undone, &mut self.done)
        };
        let choices = from.pop()?;
        to.push(Choices { shown: choices.shown, ..Choices::of(draft, map_origin) });
        self.has_step = false;
        Some(choices.restore(draft))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(draft: &mut RetargetDraft, steps: &mut Steps, name: &str, is_gesture: bool) {
        let before = Choices::of(draft, "matched");
        draft.map.name = name.to_owned();
        steps.follow(before, draft, is_gesture);
    }

    #[test]
    fn changes_of_a_drag_are_undone_together() {
        let (mut draft, mut steps) = (RetargetDraft::default(), Steps::default());
        named(&mut draft, &mut steps, "a", false);
        for name in ["b", "c", "d"] {
            named(&mut draft, &mut steps, name, true);
        }
        steps.end_gesture();
        named(&mut draft, &mut steps, "e", true);
        let mut names = Vec::new();
        for is_undo in [true, true, false, true, true, true] {
            let went = steps.go(is_undo, &mut draft, "matched").is_some();
            names.push((draft.map.name.clone(), went));
        }
        let names: Vec<(&str, bool)> = names.iter().map(|(n, went)| (&**n, *went)).collect();
        let there = [("d", true), ("a", true), ("d", true), ("a", true), ("", true), ("", false)];
        assert_eq!(names, there);
    }

    #[test]
    fn a_new_change_discards_undone_steps_and_the_playhead_makes_none() {
        let (mut draft, mut steps) = (RetargetDraft::default(), Steps::default());
        let before = Choices::of(&draft, "matched");
        draft.clock.time = 1.0;
        draft.shown = 3;
        steps.follow(before, &draft, false);
        assert_eq!(steps.available(), [false, false]);
        named(&mut draft, &mut steps, "a", false);
        assert!(steps.go(true, &mut draft, "matched").is_some());
        assert_eq!(steps.available(), [false, true]);
        named(&mut draft, &mut steps, "b", false);
        assert_eq!(steps.available(), [true, false]);
    }
}
