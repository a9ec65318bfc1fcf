//! The outliner: the node tree, and the list of clips below it.

mod clips;
mod domain;
mod groups;
mod mask;
mod menu;
mod moving;
mod references;
mod things;
mod tree;

pub use self::domain::{Outliner, OutlinerAction};
use egui::{Panel, RichText, ScrollArea, Ui};

use super::{
    Actions, AssetRef, Theme, View,
    name_field::NameDraft,
    theme::Font,
    widgets::{filter_field, panel_title},
};
use ulna_model::{ClipId, NodeId};
use ulna_render::{ColorRole, Measure};

/// State of the outliner between frames.
#[derive(Clone, Debug, Default)]
pub struct OutlinerState {
    tree: tree::TreeState,
    clips: clips::ClipsState,
}

impl OutlinerState {
    /// Starts to rename a node.
    pub fn rename(&mut self, node: NodeId, name: String) {
        self.tree.rename(node, name);
    }

    /// The clip whose row was clicked last; `None` if a node was clicked after it.
    pub const fn clicked_clip(&self) -> Option<ClipId> {
        self.clips.clicked()
    }

    /// Clears the last clicked clip, because a node was clicked.
    pub const fn forget_clicked_clip(&mut self) {
        self.clips.forget_clicked();
    }

    /// Starts to rename a skin, a mesh or a material.
    pub fn rename_thing(&mut self, thing: AssetRef, name: String) {
        self.tree.things.renaming = Some(NameDraft::new(thing, name));
    }

    /// Starts to rename a clip.
    pub fn rename_clip(&mut self, clip: ClipId, name: String) {
        self.clips.rename(clip, name);
    }

    /// Expands the ancestors of a node and scrolls to it.
    pub fn reveal(&mut self, view: &View<'_>, node: NodeId) {
        self.tree.reveal(view, node);
    }
}

pub fn outliner_ui(state: &mut OutlinerState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else {
        ui.centered_and_justified(|ui| {
            ui.label(RichText::new("No file is open").color(theme.color(ColorRole::TextTertiary)))
        });
        return;
    };
    // Another node became active outside the outliner, so its row is scrolled into view.
    if view.selection.active != state.tree.seen {
        state.tree.seen = view.selection.active;
        if let Some(active) = view.selection.active {
            state.tree.reveal(view, active);
        }
    }
    let height = (session.document().clips.count() as f32 * 24.0 + 44.0).clamp(92.0, 260.0);
    // In a low window, only the tree is shown.
    let room = ui.available_height();
    if room > 190.0 {
        // egui stores a panel's height by id. The list starts with its default height when it gets
        // its first clips.
        let id = if session.document().clips.is_empty() { "no clips" } else { "clips" };
        Panel::bottom(id)
            .resizable(true)
            .default_size(height.min(room * 0.4))
            // At least six rows of the tree stay visible, or three in the lowest windows.
            .size_range(60.0..=(room * 0.6).min((room - 212.0).max(room * 0.4)).max(60.0))
            .frame(egui::Frame::NONE)
            .show(ui, |ui| clips::clips_ui(&mut state.clips, ui, view, actions));
    }
    egui::Frame::new().inner_margin(egui::Margin::symmetric(8, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            panel_title(ui, theme, "Outliner");
            let count = session.document().nodes.count();
            ui.label(
                RichText::new(count.to_string())
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
        });
        filter_field(ui, theme, &mut state.tree.filter, "Filter by name or kind");
        mask::banner_ui(ui, view, session.document(), actions);
    });
    let rows = tree::visible_rows(&mut state.tree, view);
    state.tree.badges.update(view);
    if rows.is_empty() && !state.tree.filter.is_empty() {
        ui.vertical_centered(|ui| {
            ui.add_space(12.0);
            ui.label(
                RichText::new(format!("Nothing named “{}”", state.tree.filter))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            if ui.button("Clear filter").clicked() {
                state.tree.filter.clear();
            }
        });
        return;
    }
    let row_height = Measure::RowTree.points();
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical()
        .auto_shrink([false, false])
        .min_scrolled_height(24.0)
        .id_salt("tree");
    // Height and scroll offset of the last frame.
    let last = ui.scope_id().with("seen");
    let seen = ui.available_height();
    let (height, offset) = ui.data(|d| d.get_temp::<(f32, f32)>(last)).unwrap_or((seen, 0.0));
    // When a mode change makes the tree lower, the selected row stays visible.
    let shrunk = (seen < height - 1.0).then_some(view.selection.active).flatten();
    let place = |target| rows.iter().position(|r| r.node() == Some(target));
    let document = session.document();
    let typed = state.tree.type_ahead.take(ui, &rows, |row| row.label(view, document));
    if let Some(at) = typed.or(state.tree.scroll_to.take().or(shrunk).and_then(place)) {
        let top = at as f32 * row_height;
        if top < offset || top + row_height > offset + seen {
            area = area.vertical_scroll_offset((top - seen * 0.4).max(0.0));
        }
    }
    let out = area.show_rows(ui, row_height, rows.len(), |ui, range| {
        for row in &rows[range] {
            tree::row_ui(&mut state.tree, ui, view, &rows, row, actions);
        }
    });
    ui.data_mut(|d| d.insert_temp(last, (seen, out.state.clamped_offset().y)));
    moving::end_of_drag(&mut state.tree.drag, ui, view, out.inner_rect, actions);
}
