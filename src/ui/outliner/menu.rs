//! Menus of a right click on rows of the outliner.

use egui::{Response, RichText, Ui};

use crate::ui::{Action, Actions, AssetRef, OutlinerAction, Theme, View, theme::Font};
use crate::ui::{
    menu_rows,
    node_menu::{NodePlace, node_rows},
    popups::context_menu,
};
use ulna_edit::{
    Command,
    command::{RemoveMaterials, RemoveMeshes, RemoveSkins, field::Meshes},
};
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// One line of a menu.
pub struct MenuLine {
    pub text: String,
    pub about: &'static str,
    pub command: Command,
}

/// The menu of a node, or of all selected ones where it is one of them.
pub fn node_menu(
    response: &Response,
    view: &View<'_>,
    node: NodeId,
    begin_rename: &mut dyn FnMut(),
    actions: &mut Actions,
) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    if response.secondary_clicked() && !view.selection.nodes.contains(&node) {
        actions.push(OutlinerAction::Select { node, toggle: false });
    }
    let selected = &view.selection.nodes;
    let nodes: Vec<NodeId> =
        if selected.contains(&node) { selected.iter().copied().collect() } else { vec![node] };
    menu_rows::context_menu(response, Some(response.rect), view, actions, |rows| {
        if node_rows(rows, document, &nodes, NodePlace::Outliner) {
            begin_rename();
        }
    });
}

/// The menu of a skin, a mesh or a material.
pub fn thing_menu(
    response: &Response,
    view: &View<'_>,
    document: &Document,
    thing: AssetRef,
    actions: &mut Actions,
) {
    let text = |k: u32| format!("#{k}");
    let (about, command): (&'static str, Command) = match thing {
        AssetRef::Skin(k) => (
            "Removes the skin; its meshes stay, without deformation",
            RemoveSkins { skin: text(k.0) }.into(),
        ),
        AssetRef::Mesh(k) => (
            "Removes the mesh from the file and from all nodes",
            RemoveMeshes { mesh: Meshes::Ids(vec![k]) }.into(),
        ),
        AssetRef::Material(k) => (
            "Removes the material if no mesh uses it",
            RemoveMaterials { material: text(k.0) }.into(),
        ),
        AssetRef::Image(_) => return,
    };
    context_menu(response, None, |ui| {
        ui.set_min_width(200.0);
        title(ui, view.theme, &thing.name(document));
        ui.separator();
        lines(ui, actions, [MenuLine { text: "Remove".into(), about, command }]);
    });
}

/// The title of a menu.
pub fn title(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text).font(Theme::font(Font::Caption));
    ui.label(text.color(theme.color(ColorRole::TextTertiary)));
}

/// Lines of a menu, each a command.
pub fn lines(ui: &mut Ui, actions: &mut Actions, list: impl IntoIterator<Item = MenuLine>) {
    for MenuLine { text, about, command } in list {
        if ui.button(text).on_hover_text(about).clicked() {
            actions.push(Action::Run(command));
            ui.close();
        }
    }
}
