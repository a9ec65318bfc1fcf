//! What the outliner asked for: the selection, and what of it is seen.

use crate::{app::App, ui::OutlinerAction};

impl App {
    pub(in crate::app) fn apply_outliner(&mut self, action: OutlinerAction) {
        match action {
            OutlinerAction::Select { node, toggle } => {
                self.about = None;
                self.last_pick = None;
                if toggle { self.selection.toggle(node) } else { self.selection.set(node) }
            }
            OutlinerAction::SelectMany { nodes, add } => {
                self.about = None;
                if !add {
                    self.selection.nodes.clear();
                }
                self.selection.active = nodes.last().copied().or(self.selection.active.filter(|_| add));
                self.selection.nodes.extend(nodes);
            }
            OutlinerAction::About(thing) => self.about = thing,
            OutlinerAction::SetHidden { node, hidden } => {
                if let Some(session) = &self.session {
                    self.marks.set_hidden(session.document(), [node], hidden);
                }
            }
            OutlinerAction::SetLocked { node, locked } => {
                if locked {
                    self.marks.locked.insert(node);
                } else {
                    self.marks.locked.remove(&node);
                }
            }
        }
    }
}
