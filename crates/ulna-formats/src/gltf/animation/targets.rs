//! Nodes that a clip may animate.

use super::super::schema;
use ulna_model::{MeshId, NodeId, Property};

/// A property of a node that a channel animates.
#[derive(Clone, Copy)]
pub struct ChannelTarget {
    /// The node.
    pub node: NodeId,
    /// The property.
    pub property: Property,
    /// Numbers a value: 3 or 4, or the number of morph targets; never 0.
    pub width: usize,
}

/// What a clip may point at.
pub struct Targets<'a> {
    /// The nodes of the file.
    pub nodes: &'a [schema::Node],
    /// Nodes that have a sound matrix, which must not be animated.
    pub fixed: &'a [bool],
    /// Morph targets of each mesh.
    pub target_counts: &'a dyn Fn(MeshId) -> usize,
    /// For each node the last clip, counted from 1, that moves each of its properties.
    pub moved: Vec<[usize; 4]>,
}

impl Targets<'_> {
    /// Numbers a value of a property of a node; 0 for the weights of a node without morph targets.
    pub fn width(&self, node: &schema::Node, property: Property) -> usize {
        match property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => node.mesh.map_or(0, |m| (self.target_counts)(MeshId::from(m.0))),
        }
    }
}

/// The property of a glTF path.
pub fn property_of(path: &str) -> Option<Property> {
    let all = [Property::Translation, Property::Rotation, Property::Scale, Property::Weights];
    all.into_iter().find(|p| p.path() == path)
}
