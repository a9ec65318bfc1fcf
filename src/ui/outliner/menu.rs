//! Context menus of the outliner's rows.

use egui::Response;
use egui_material_icons::icons;

use crate::ui::{
    Actions, AssetRef, OutlinerAction, View,
    menu_rows::{MenuRows, Row, context_menu},
    node_menu::{NodePlace, node_rows},
    popups::opens_menu,
    widgets::thousands,
};
use ulna_edit::{
    Command,
    command::{
        HeightToNormal, InverseBinds, ModeCommand, RemoveMaterials, RemoveMeshes, RemoveSkins,
        RenameMaterial, RenameMesh, RenameNode, RenameSkin, ViewCommand, field::Meshes,
    },
};
use ulna_model::{Document, NodeId};

/// Shows the context menu of a node, or of all selected nodes if it is one of them.
pub fn node_menu(
    response: &Response,
    view: &View<'_>,
    node: NodeId,
    begin_rename: &mut dyn FnMut(),
    actions: &mut Actions,
) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    if opens_menu(response) && !view.selection.nodes.contains(&node) {
        actions.push(OutlinerAction::Select { node, toggle: false });
    }
    let selected = &view.selection.nodes;
    let nodes: Vec<NodeId> =
        if selected.contains(&node) { selected.iter().copied().collect() } else { vec![node] };
    context_menu(response, Some(response.rect), view, actions, |rows| {
        if node_rows(rows, document, &nodes, NodePlace::Outliner) {
            begin_rename();
        }
    });
}

/// The nodes that use an asset.
pub fn nodes_of(document: &Document, thing: AssetRef) -> Vec<NodeId> {
    let by = |fits: &dyn Fn(&ulna_model::Node) -> bool| -> Vec<NodeId> {
        document.node_ids().filter(|id| fits(document.node(*id))).collect()
    };
    match thing {
        AssetRef::Skin(k) => document.skins[k].joints.to_vec(),
        AssetRef::Mesh(k) => by(&|n| n.mesh == Some(k)),
        AssetRef::Material(k) => by(&|n| {
            n.mesh
                .is_some_and(|m| document.mesh(m).primitives.iter().any(|p| p.material == Some(k)))
        }),
        AssetRef::Image(_) => Vec::new(),
    }
}

/// Command that renames a skin, a mesh or a material; `None` for images.
pub fn rename(thing: AssetRef, name: String) -> Option<Command> {
    let text = |k: u32| format!("#{k}");
    Some(match thing {
        AssetRef::Skin(k) => RenameSkin { skin: text(k.0), name }.into(),
        AssetRef::Mesh(k) => RenameMesh { mesh: Meshes::Ids(vec![k]), name }.into(),
        AssetRef::Material(k) => RenameMaterial { material: text(k.0), name }.into(),
        AssetRef::Image(_) => return None,
    })
}

/// Kind and size of an asset.
fn about(document: &Document, thing: AssetRef) -> String {
    match thing {
        AssetRef::Skin(k) => format!("skin, {} joints", document.skins[k].joints.len()),
        AssetRef::Mesh(k) => {
            format!("mesh, {} vertices", thousands(document.meshes[k].vertex_count()))
        }
        AssetRef::Material(_) => "material".into(),
        AssetRef::Image(_) => "image".into(),
    }
}

/// Shows the context menu of a skin, a mesh, a material or an image. Returns whether it should be
/// renamed in its row.
pub fn thing_menu(
    response: &Response,
    view: &View<'_>,
    document: &Document,
    thing: AssetRef,
    actions: &mut Actions,
) -> bool {
    let mut renames = false;
    let nodes = || nodes_of(document, thing);
    if opens_menu(response) && view.inspected != Some(thing) {
        actions.push(OutlinerAction::SelectMany { nodes: nodes(), add: false });
        actions.push(OutlinerAction::About(Some(thing)));
    }
    context_menu(response, Some(response.rect), view, actions, |rows| {
        rows.header(&thing.name(document), &about(document, thing));
        if !matches!(thing, AssetRef::Image(_)) {
            renames = rows.row(Row::of(view, RenameNode::spec()).enabled());
        }
        rows.separator();
        match thing {
            AssetRef::Mesh(_) => mesh_rows(rows, document, thing),
            AssetRef::Skin(_) => {
                rows.command_as(ViewCommand::FrameSelected.spec(), "Frame its joints");
                rows.separator();
                rows.command(ModeCommand::Rebind.spec());
                rows.command(InverseBinds::spec());
            }
            AssetRef::Material(_) => {
                select_row(rows, document, thing, "Select its nodes");
                rows.separator();
                rows.command_as(HeightToNormal::spec(), "Normal map from a height map…");
            }
            AssetRef::Image(_) => {
                let row = Row::new("Show in the inspector");
                rows.act(row, || OutlinerAction::About(Some(thing)));
            }
        }
        rows.separator();
        removal_row(rows, document, thing);
    });
    renames
}

fn select_row(rows: &mut MenuRows<'_>, document: &Document, thing: AssetRef, title: &'static str) {
    let nodes = nodes_of(document, thing);
    let reason = nodes.is_empty().then_some("No node uses it");
    let row = Row::new(title).icon(icons::ICON_ADS_CLICK.codepoint).unless(reason);
    rows.act(row, || OutlinerAction::SelectMany { nodes, add: false });
}

fn mesh_rows(rows: &mut MenuRows<'_>, document: &Document, thing: AssetRef) {
    let nodes = nodes_of(document, thing);
    let is_skinned = nodes.iter().any(|n| document.node(*n).skin.is_some());
    select_row(rows, document, thing, "Select its nodes");
    rows.command_as(ViewCommand::FrameSelected.spec(), "Frame");
    rows.separator();
    let mode = rows.view.mode.spec();
    if is_skinned && !mode.paints_weights {
        rows.command_as(ModeCommand::PaintMode.spec(), "Paint weights");
    }
    rows.command(ModeCommand::Bind.spec());
    rows.separator();
    rows.command(ViewCommand::Hide.spec());
    rows.command(ViewCommand::Isolate.spec());
}

/// Adds the row that removes an asset. It is disabled while other elements use the asset.
fn removal_row(rows: &mut MenuRows<'_>, document: &Document, thing: AssetRef) {
    let text = |k: u32| format!("#{k}");
    let remove =
        |about: &'static str| Row::new("Remove").icon(icons::ICON_DELETE.codepoint).help(about);
    match thing {
        AssetRef::Skin(k) => {
            let row = remove("Removes the skin; its meshes stay, without deformation");
            rows.run(row, || RemoveSkins { skin: text(k.0) }.into());
        }
        AssetRef::Mesh(k) => {
            let row = remove("Removes the mesh from the file and from all nodes");
            rows.run(row, || RemoveMeshes { mesh: Meshes::Ids(vec![k]) }.into());
        }
        AssetRef::Material(k) => {
            let mut primitives = document.meshes.values().flat_map(|m| &m.primitives);
            let is_used = primitives.any(|p| p.material == Some(k));
            let row = remove("Removes the material from the file");
            let row = row.unless(is_used.then_some("A mesh uses it"));
            rows.run(row, || RemoveMaterials { material: text(k.0) }.into());
        }
        AssetRef::Image(_) => {}
    }
}
