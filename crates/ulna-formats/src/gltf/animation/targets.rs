//! Nodes and properties that a clip may animate.

use super::super::schema;
use ulna_model::{MeshId, NodeId, Property};

/// A property of a node that a channel can animate.
#[derive(Clone, Copy)]
pub struct ChannelTarget {
    /// Node with the property.
    pub node: NodeId,
    /// Property that the channel animates.
    pub property: Property,
    /// Numbers per value: 3, 4, or the number of morph targets. Never 0.
    pub width: usize,
}

/// Possible animation targets in a file.
pub struct Targets<'a> {
    /// The nodes of the file.
    pub nodes: &'a [schema::Node],
    /// Flags of nodes that have a valid matrix, and therefore must not be animated.
    pub fixed: &'a [bool],
    /// Number of morph targets of each mesh.
    pub target_counts: &'a dyn Fn(MeshId) -> usize,
    /// For each node and property, the number of the last clip that animates it, counted from 1. 0
    /// if no clip does.
    pub moved: Vec<[usize; 4]>,
}

impl Targets<'_> {
    /// Numbers per value of a node's property; 0 for morph weights of a node without morph targets.
    pub fn width(&self, node: &schema::Node, property: Property) -> usize {
        match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => node.mesh.map_or(0, |m| (self.target_counts)(MeshId::from(m.0))),
        }
    }
}

/// Property of a glTF target path; `None` for an unknown path.
pub fn property_of(path: &str) -> Option<Property> {
    let all = [Property::Translation, Property::Rotation, Property::Scale, Property::Weights];
    all.into_iter().find(|p| p.path() == path)
}
