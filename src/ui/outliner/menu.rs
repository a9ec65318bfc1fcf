//! Menus of a right click on rows of the outliner.

use egui::{Response, RichText, Ui};

use crate::ui::{Action, Actions, AssetRef, OutlinerAction, Theme, View, theme::Font};
use crate::ui::{
    menu::{OF_JOINTS, command_lines},
    popups::context_menu,
};
use ulna_edit::{
    Command,
    command::{
        AddNode, Below, DuplicateNodes, Keep, RemoveMaterials, RemoveMeshes, RemoveNodes,
        RemoveSkins, Reparent,
        field::{Meshes, Nodes},
    },
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
    context_menu(response, |ui| {
        ui.set_min_width(240.0);
        let selected = &view.selection.nodes;
        let nodes: Vec<NodeId> =
            if selected.contains(&node) { selected.iter().copied().collect() } else { vec![node] };
        title(
            ui,
            view.theme,
            &match nodes[..] {
                [one] => document.node(one).label(one),
                _ => format!("{} nodes", nodes.len()),
            },
        );
        ui.separator();
        if nodes.len() == 1 && ui.button("Rename").clicked() {
            begin_rename();
            ui.close();
        }
        let all = || Nodes::Ids(nodes.clone());
        let line =
            |text: &str, about, command: Command| MenuLine { text: text.into(), about, command };
        let add = AddNode { parent: Some(Nodes::one(node)), name: None };
        lines(
            ui,
            actions,
            [
                line("Add empty node below", "Adds an empty node below this one", add.into()),
                line(
                    "Duplicate",
                    "Copies the nodes with all nodes below them",
                    DuplicateNodes { node: all() }.into(),
                ),
            ],
        );
        if nodes.iter().any(|n| document.node(*n).parent.is_some()) {
            let top = Reparent {
                node: all(),
                parent: None,
                before: None,
                keep: Some(Keep::World),
                force: None,
            };
            let about = "Detaches the nodes from their parent and keeps their position";
            lines(ui, actions, [line("Move to the top of the scene", about, top.into())]);
        }
        ui.separator();
        // Joints have commands of their own, which show their effects before.
        if nodes.iter().all(|n| view.joints.get(n.index()) == Some(&true)) {
            command_lines(ui, view, &OF_JOINTS, actions);
            return;
        }
        let remove =
            |below: Below| RemoveNodes { node: all(), below: Some(below), force: None }.into();
        let has_children = nodes.iter().any(|n| !document.children(*n).is_empty());
        let everything = if has_children { "Remove with all nodes below" } else { "Remove" };
        let about = "Removes the nodes and the meshes that only they show";
        lines(ui, actions, [line(everything, about, remove(Below::Remove))]);
        if has_children {
            let about = "Attaches the nodes below to the parent; they move as before";
            lines(ui, actions, [line("Remove, keep nodes below", about, remove(Below::KeepWorld))]);
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
    context_menu(response, |ui| {
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
