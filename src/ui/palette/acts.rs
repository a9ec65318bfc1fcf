//! Actions of the palette's rows: run, show, select, open.

use super::{
    names::{Entry, Named},
    search::{Item, PaletteRow},
    typed::line,
};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, LayerAction, OutlinerAction, ProgramAction,
    TimelineAction, View,
};
use ulna_edit::{CommandLine, command::ApplyPose};
use ulna_model::{LayerHome, NodeId};

/// Performs the action of a row. Returns the node to scroll to in the outliner. Does nothing if a
/// command is unavailable.
pub fn run(
    view: &View<'_>,
    names: &[Entry],
    found: &PaletteRow,
    actions: &mut Actions,
) -> Option<NodeId> {
    match found.item {
        Item::Command(spec) => {
            if spec.check(&view.availability).is_err() {
                return None;
            }
            actions.push(DialogAction::SetDialog(None));
            actions.push(ProgramAction::UsedCommand(spec));
            if found.typed.is_empty() {
                actions.push(Action::Invoke(spec));
            } else {
                actions.push(DialogAction::RunFilled(line(spec, &found.typed)));
            }
            None
        }
        Item::Name(k) => {
            let entry = names.get(k)?;
            actions.push(DialogAction::SetDialog(None));
            show(entry, actions)
        }
    }
}

/// Opens the form of a command with the typed arguments. Returns whether the command has a form.
pub fn ask(view: &View<'_>, found: &PaletteRow, actions: &mut Actions) -> bool {
    let Some(spec) = found.command() else { return false };
    if spec.arguments.is_empty() || spec.check(&view.availability).is_err() {
        return false;
    }
    actions.push(DialogAction::SetDialog(None));
    actions.push(ProgramAction::UsedCommand(spec));
    actions.push(DialogAction::AskFilled(line(spec, &found.typed)));
    true
}

/// Shows, selects or opens the element of a name. Returns the node to scroll to.
fn show(entry: &Entry, actions: &mut Actions) -> Option<NodeId> {
    match &entry.named {
        Named::Clip(clip) => actions.push(TimelineAction::ShowClip(*clip)),
        Named::Node(node) => {
            actions.push(OutlinerAction::Select { node: *node, toggle: false });
            return Some(*node);
        }
        Named::Layer(home, layer) => {
            if let LayerHome::Clip(clip) = home {
                actions.push(TimelineAction::ShowClip(*clip));
            }
            actions.push(LayerAction::Choose(*home, Some(*layer)));
        }
        Named::Pose => {
            let mut line = CommandLine::new(ApplyPose::NAME);
            line.arguments.insert("pose".to_owned(), entry.name.clone().into());
            actions.push(DialogAction::RunFilled(line));
        }
        Named::Asset(asset) => actions.push(OutlinerAction::About(Some(*asset))),
        Named::Preference(row) => {
            let (page, row) = (row.page, Some(row.label));
            let dialog = Dialog::Preferences { page, listening: None, row };
            actions.push(DialogAction::SetDialog(Some(dialog)));
        }
        Named::File(path) => actions.push(DialogAction::OpenPath(path.clone())),
        Named::Heading(heading) => {
            let dialog = Dialog::Guide { place: heading.place, search: String::new() };
            actions.push(DialogAction::SetDialog(Some(dialog)));
        }
    }
    None
}
