//! *Rebind at a pose* dialog: skinned meshes get a chosen pose as their bind pose. The effects are
//! listed.

use egui::{Align, Layout, RichText, ScrollArea, Ui};

use super::parts::{choice, head, many, plain, primary, small, warning};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, RebindDraft, Theme, View, theme::Font, widgets::check,
};
use ulna_model::Derived;
use ulna_render::ColorRole;

/// State of the dialog between frames.
#[derive(Clone, Debug, Default)]
pub struct RebindState {
    foreseen: Foreseen,
}

/// Cached effects of a draft on a document revision.
type Foreseen = Derived<(u64, RebindDraft), Result<Vec<String>, String>>;

pub fn rebind_ui(
    state: &mut RebindState,
    ui: &mut Ui,
    view: &View<'_>,
    draft: &RebindDraft,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let mut now = draft.clone();
    let words = "Rebinds skinned meshes with their joints at the pose chosen below.";
    head(ui, theme, None, "Rebind meshes", words, actions);
    let height = (ui.ctx().content_rect().height() - 210.0).max(120.0);
    let is_fine = ScrollArea::vertical()
        .id_salt("what is bound")
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            choices_ui(ui, view, draft, &mut now);
            ui.add_space(8.0);
            caption(ui, theme, "What will change");
            let key = (session.generation(), now.clone());
            state.foreseen.update(key, |_| now.describe_changes(document));
            match state.foreseen.get() {
                Some(Ok(lines)) => {
                    for line in lines {
                        small(ui, theme, &format!("•  {line}"));
                    }
                    true
                }
                Some(Err(why)) => {
                    warning(ui, theme, why);
                    false
                }
                None => false,
            }
        })
        .inner;
    ui.add_space(14.0);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let verb = ui.add_enabled_ui(is_fine, |ui| primary(ui, theme, "Rebind")).inner;
        if verb.clicked() {
            actions.push(Action::Run(now.bind().into()));
            actions.push(DialogAction::SetDialog(None));
        }
        if plain(ui, "Cancel").clicked() {
            actions.push(DialogAction::SetDialog(None));
        }
    });
    if now != *draft {
        actions.push(DialogAction::SetDialog(Some(Dialog::Rebind { draft: Box::new(now) })));
    }
}

/// Shows the choice of meshes, pose and shape to bind.
fn choices_ui(ui: &mut Ui, view: &View<'_>, draft: &RebindDraft, now: &mut RebindDraft) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    caption(ui, theme, "Meshes");
    let list =
        ScrollArea::vertical().id_salt("bound meshes").max_height(110.0).auto_shrink([false, true]);
    list.show(ui, |ui| {
        for (node, meant) in &mut now.meshes {
            let about = document.node(*node);
            let skin = about
                .skin
                .and_then(|s| document.skins.get(s))
                .map(|s| many(s.joints.len(), "joint"));
            let text = format!(
                "{}, {}",
                about.label(*node),
                skin.unwrap_or_else(|| "unskinned".to_owned())
            );
            check(ui, theme, meant, text);
        }
        if now.meshes.is_empty() {
            small(ui, theme, "No mesh has a skin");
        }
    });
    caption(ui, theme, "Bind at");
    if choice(ui, theme, !now.at_moment, "The file's pose", "Including your edits in Pose mode")
        .clicked()
    {
        now.at_moment = false;
    }
    if let Some((clip, time)) = draft.moment {
        let label = format!("{} at {time:.2} s", document.clip_label(clip));
        if choice(ui, theme, now.at_moment, &label, "The current pose of the clip at the playhead")
            .clicked()
        {
            now.at_moment = true;
        }
    }
    caption(ui, theme, "Shape");
    let hint = "At this pose, the mesh gets its undeformed, modeled shape";
    if choice(ui, theme, !now.posed, "Modeled shape", hint).clicked() {
        now.posed = false;
    }
    let hint = "At this pose, the mesh keeps its deformed shape; vertices, normals and morph \
        targets are rewritten";
    if choice(ui, theme, now.posed, "Deformed shape", hint).clicked() {
        now.posed = true;
    }
}

fn caption(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add_space(6.0);
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary)),
    );
}
