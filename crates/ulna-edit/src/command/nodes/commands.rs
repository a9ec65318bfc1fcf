//! Commands on nodes, and on their skins, meshes and materials.

use crate::command::{
    define::document_commands,
    field::{Meshes, Nodes, choice},
    rules,
};

document_commands! {
    /// Commands on nodes, skins, meshes and materials.
    NodeCommand in "Edit/Nodes and meshes";

    /// Adds an empty node below a node, or at the top of the scene
    AddNode {
        /// Parent of the new node; the node is added at the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Name; “Node” with a free number if omitted.
        name: Option<String>,
    } = "node.add", "Add empty node";
    /// Copies the selected nodes with all nodes below them
    DuplicateNodes {
        /// Nodes to copy.
        node: Nodes,
    } = "node.duplicate", "Duplicate nodes", key: "Ctrl+D", enabled: rules::selected;
    /// Attaches nodes to another parent
    Reparent {
        /// Nodes to attach.
        node: Nodes,
        /// New parent; the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Sibling before which the nodes are inserted; they come last if omitted.
        before: Option<Nodes>,
        /// `world` keeps the position in the scene, `local` keeps the transform relative to the
        /// parent; `world` if omitted.
        keep: Option<Keep>,
        /// Whether to attach joints and nodes with keys elsewhere even if their motion changes.
        /// Otherwise, all clips follow if the position is kept.
        force: Option<bool>,
    } = "node.reparent", "Attach to another parent", asks: true, enabled: rules::selected;
    /// Removes the selected nodes from the file; the other nodes move as before in every clip
    RemoveNodes {
        /// Nodes to remove.
        node: Nodes,
        /// Nodes below them: `remove` removes them, too; `keep-world` attaches them to the parent
        /// and keeps them where they are; `keep-local` attaches them to the parent and keeps their
        /// transforms. They are removed if omitted.
        below: Option<Below>,
        /// Whether weights of joints are moved to the nearest joint above, and nodes below a node
        /// with keys move differently. Otherwise, joints are removed as by “Remove joints”: weights
        /// are fitted so that the clips change least, and kept nodes move as before.
        force: Option<bool>,
    } = "node.remove", "Remove nodes", key: "Delete", enabled: rules::any_selected;
    /// Removes skins; their meshes stay, without deformation
    RemoveSkins {
        /// Skin to remove.
        skin: String,
    } = "skin.remove", "Remove skin", asks: true, enabled: rules::opened;
    /// Removes meshes from the file and from all nodes
    RemoveMeshes {
        /// Meshes to remove.
        mesh: Meshes,
    } = "mesh.remove", "Remove meshes", asks: true, enabled: rules::opened;
    /// Removes a material that no mesh uses
    RemoveMaterials {
        /// Material to remove.
        material: String,
    } = "material.remove", "Remove material", asks: true,
        enabled: rules::opened;
    /// Gives a skin another name
    RenameSkin {
        /// Skin to rename.
        skin: String,
        /// New name.
        name: String,
    } = "skin.rename", "Rename skin", asks: true, enabled: rules::opened;
    /// Gives a mesh another name
    RenameMesh {
        /// Mesh to rename.
        mesh: Meshes,
        /// New name.
        name: String,
    } = "mesh.rename", "Rename mesh", asks: true, enabled: rules::opened;
    /// Gives a material another name
    RenameMaterial {
        /// Material to rename.
        material: String,
        /// New name.
        name: String,
    } = "material.rename", "Rename material", asks: true, enabled: rules::opened;
    /// Removes nodes outside all scenes, meshes, skins and materials that nothing uses
    Compact {
    } = "file.compact", "Remove unused elements";
}

choice! {
    /// Treatment of the nodes below a removed node.
    Below {
        /// The nodes are removed, too.
        Remove = "remove",
        /// The nodes are attached to the parent of the removed node and keep their world
        /// transforms.
        KeepWorld = "keep-world",
        /// The nodes are attached to the parent of the removed node and keep their local
        /// transforms.
        KeepLocal = "keep-local",
    }
}

choice! {
    /// Transform that a node keeps under a new parent.
    Keep {
        /// The world transform.
        World = "world",
        /// The transform relative to the parent.
        Local = "local",
    }
}
