//! Commands on nodes, and on their skins, meshes and materials.

use crate::command::{
    KeyScope,
    define::document_commands,
    field::{Meshes, Nodes, choice},
    rules,
};

document_commands! {
    /// Commands on nodes, skins, meshes and materials.
    NodeCommand in "Edit/Nodes and meshes";

    /// Adds an empty node as a child of a node, or at the top of the scene
    AddNode {
        /// Parent of the new node; the node is added at the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Name of the node; “Node” with an unused number if omitted.
        name: Option<String>,
    } = "node.add", "Add empty node";
    /// Copies the selected nodes with all their descendants
    DuplicateNodes {
        /// Nodes to copy.
        node: Nodes,
    } = "node.duplicate", "Duplicate nodes", key: "Ctrl+D", enabled: rules::selected,
        key_scope: KeyScope::Joints;
    /// Attaches nodes to another parent
    Reparent {
        /// Nodes to attach.
        node: Nodes,
        /// New parent; the top of the scene if omitted.
        parent: Option<Nodes>,
        /// Child of the new parent before which the nodes are inserted; the end of the list if
        /// omitted.
        before: Option<Nodes>,
        /// Transform to keep: `world` is the transform in the scene, `local` is relative to the
        /// parent; `world` if omitted.
        keep: Option<Keep>,
        /// Whether to attach joints and animated nodes even if their motion changes. If not, clips
        /// are adapted to keep the motion, which needs `keep` to be `world`.
        force: Option<bool>,
    } = "node.reparent", "Attach to another parent", asks: true, enabled: rules::selected;
    /// Removes the selected nodes from the file; the other nodes move as before in every clip
    RemoveNodes {
        /// Nodes to remove.
        node: Nodes,
        /// Descendants of these nodes: `remove` removes them as well. `keep-world` and `keep-local`
        /// attach them to the parent with their world or local transform; `remove` if omitted.
        below: Option<Below>,
        /// Whether to remove the nodes even if motion changes: the weights of joints move to the
        /// nearest joint above, and nodes below a node with keys move differently. Otherwise,
        /// joints are removed as by “Remove joints”: weights are fitted so that the clips change
        /// least, and kept nodes move as before.
        force: Option<bool>,
    } = "node.remove", "Remove nodes", key: "Delete", enabled: rules::any_selected,
        key_scope: KeyScope::Outliner;
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
    /// Renames a skin
    RenameSkin {
        /// Skin to rename.
        skin: String,
        /// New name.
        name: String,
    } = "skin.rename", "Rename skin", asks: true, enabled: rules::opened;
    /// Renames a mesh
    RenameMesh {
        /// Mesh to rename.
        mesh: Meshes,
        /// New name.
        name: String,
    } = "mesh.rename", "Rename mesh", asks: true, enabled: rules::opened;
    /// Renames a material
    RenameMaterial {
        /// Material to rename.
        material: String,
        /// New name.
        name: String,
    } = "material.rename", "Rename material", asks: true, enabled: rules::opened;
    /// Removes nodes that are in no scene, and meshes, skins and materials that nothing uses
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
