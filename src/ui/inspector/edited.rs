//! List of differences from the file as opened. Each row has buttons to show and to revert the
//! difference.

use egui::{Align, Layout, RichText, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, LayerAction, OutlinerAction, Theme, TimelineAction, View,
    theme::Font,
    widgets::{cut, name_widget, paint_icon, panel_title},
};
use ulna_edit::command::{
    LayerName, SessionCommand,
    field::{ClipName, Meshes, Nodes},
};
use ulna_model::{Derived, LayerHome};
use ulna_render::ColorRole;
use ulna_session::{Edited, EditedThing, Session};

/// State of the list between frames.
#[derive(Clone, Debug, Default)]
pub struct EditedState {
    /// Differences from the opened file, cached per document generation.
    found: Derived<u64, Vec<Edited>>,
    /// True if all rows of a long list are shown.
    all: bool,
}

/// Maximum number of rows until the user expands the list.
const FEW: usize = 6;

/// Draws the list of differences. Draws nothing if there are none.
pub fn edited_ui(
    state: &mut EditedState,
    ui: &mut Ui,
    view: &View<'_>,
    session: &Session,
    actions: &mut Actions,
) {
    let theme = view.theme;
    // During a gesture the list is not recomputed.
    if !session.history().is_open() {
        state.found.update(session.generation(), |_| session.edited());
    }
    let Some(found) = state.found.get().filter(|f| !f.is_empty()) else { return };
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.set_height(24.0);
        panel_title(ui, theme, "Edits");
        let small = |text: &str| {
            RichText::new(text)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary))
        };
        ui.label(small(&found.len().to_string()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(small("since opening")));
    });
    let shown = if state.all { found.len() } else { found.len().min(FEW) };
    for row in &found[..shown] {
        row_ui(ui, view, row, actions);
    }
    if found.len() > FEW {
        let text = if state.all { "Fewer".to_owned() } else { format!("All {}", found.len()) };
        if ui.button(text).clicked() {
            state.all = !state.all;
        }
    }
}

fn row_ui(ui: &mut Ui, view: &View<'_>, row: &Edited, actions: &mut Actions) {
    let theme = view.theme;
    let (rect, whole) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::hover());
    let icon = match row.thing {
        EditedThing::Layer(..) => icons::ICON_LAYERS,
        EditedThing::Clip(_) => icons::ICON_MOVIE,
        EditedThing::Node(_) => icons::ICON_ACCESSIBILITY_NEW,
        EditedThing::Weights(_) => icons::ICON_WATER_DROP,
    };
    let color = if matches!(row.thing, EditedThing::Layer(..)) {
        ColorRole::AccentText
    } else {
        ColorRole::TextSecondary
    };
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 10.0, rect.center().y),
        icon,
        15.0,
        theme.color(color),
    );
    let width = rect.width() - 24.0 - 124.0;
    let (body, small) = (Theme::font(Font::Body), Theme::font(Font::Small));
    let title = cut(ui, &row.title, &body, width);
    let facts = cut(ui, &row.facts, &small, width);
    if title != row.title || facts != row.facts {
        whole.on_hover_text(format!("{}, {}", row.title, row.facts));
    }
    let left = rect.left() + 24.0;
    let painter = ui.painter();
    painter.text(
        pos2(left, rect.top() + 10.0),
        egui::Align2::LEFT_CENTER,
        title,
        body,
        theme.color(ColorRole::TextPrimary),
    );
    painter.text(
        pos2(left, rect.top() + 26.0),
        egui::Align2::LEFT_CENTER,
        facts,
        small,
        theme.color(ColorRole::TextTertiary),
    );
    let buttons = rect.with_min_x(rect.right() - 116.0);
    let layout = Layout::right_to_left(Align::Center);
    let mut ui =
        ui.new_child(egui::UiBuilder::new().max_rect(buttons).layout(layout).id_salt(row.thing));
    ui.spacing_mut().item_spacing.x = 4.0;
    let revert = ui.button("Revert");
    name_widget(&ui, &revert, &format!("Revert {}", row.title));
    if revert.on_hover_text("Restores the value of the opened file (can be undone)").clicked() {
        actions.push(Action::Run(reverts(row.thing).into()));
    }
    let show = ui.button("Show");
    name_widget(&ui, &show, &format!("Show {}", row.title));
    if show.clicked() {
        if let Some(clip) = row.clip {
            actions.push(TimelineAction::ShowClip(clip));
        }
        if !row.nodes.is_empty() {
            actions.push(OutlinerAction::SelectMany { nodes: row.nodes.clone(), add: false });
        }
        if let EditedThing::Layer(home, layer) = row.thing {
            actions.push(LayerAction::Choose(home, Some(layer)));
            if home != LayerHome::Pose {
                actions.push(LayerAction::Into(true));
            }
        }
    }
}

/// Command that reverts a difference.
fn reverts(thing: EditedThing) -> SessionCommand {
    let (mut clip, mut layer, mut node, mut mesh) = (None, None, None, None);
    match thing {
        EditedThing::Layer(home, id) => {
            clip = home.clip().map(ClipName::Id);
            layer = Some(LayerName::Id(id));
        }
        EditedThing::Clip(id) => clip = Some(ClipName::Id(id)),
        EditedThing::Node(id) => node = Some(Nodes::one(id)),
        EditedThing::Weights(id) => mesh = Some(Meshes::Ids(vec![id])),
    }
    SessionCommand::Revert { clip, layer, node, mesh }
}
