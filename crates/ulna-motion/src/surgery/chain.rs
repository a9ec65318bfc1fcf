//! New local transforms of nodes, as products of other transforms.

use std::collections::BTreeSet;

use glam::{DMat3, DMat4};

use super::{
    curve::{NodeCurve, TimeSide},
    moving::Moving,
};
use ulna_model::{NodeId, Property, Track};

/// One factor in a product of transforms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Factor {
    /// A constant transform.
    Constant(Moving),
    /// The local transform of a node before the change.
    Local(NodeId),
    /// The inverse of the local transform of a node before the change.
    Inverse(NodeId),
}

impl Factor {
    /// The node whose transform is the factor; `None` for a constant.
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Constant(_) => None,
            Self::Local(node) | Self::Inverse(node) => Some(*node),
        }
    }
}

/// A new local transform `M'(t)` of a node, as a product of transforms. The first factor is on the
/// parent's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The node whose local transform is replaced.
    pub node: NodeId,
    /// The factors, from left to right.
    pub factors: Vec<Factor>,
}

/// Result of multiplying the factors, and the part of it that a node cannot store.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Translation, rotation and scale of the result, with their rates.
    pub moving: Moving,
    /// Shear of the result, which is lost. It is the largest lost element of the matrix, relative
    /// to the largest element. It is 0 unless a non-uniform scale is combined with a rotation.
    pub residue: f64,
}

impl Chain {
    /// Multiplies the factors. `local` returns the local transforms of nodes. `None` if the scale
    /// of an inverted transform is 0.
    pub fn product(&self, local: impl Fn(NodeId) -> Moving) -> Option<Product> {
        let mut moving = Moving::IDENTITY;
        let mut matrix = DMat4::IDENTITY;
        let mut is_uneven = false;
        for factor in &self.factors {
            let (own, own_matrix) = match factor {
                Factor::Constant(own) => (*own, own.matrix()),
                Factor::Local(node) => {
                    let own = local(*node);
                    (own, own.matrix())
                }
                Factor::Inverse(node) => {
                    let own = local(*node);
                    (own.inverse()?, own.matrix().inverse())
                }
            };
            is_uneven |= !own.is_uniform();
            moving = moving.then(&own);
            matrix *= own_matrix;
        }
        let residue = if is_uneven { shear_between(&matrix, &moving.matrix()) } else { 0.0 };
        Some(Product { moving, residue })
    }

    /// Multiplies the matrices of the factors. The result may contain shear.
    pub fn matrix(&self, local: impl Fn(NodeId) -> DMat4) -> DMat4 {
        self.factors.iter().fold(DMat4::IDENTITY, |all, factor| match factor {
            Factor::Constant(own) => all * own.matrix(),
            Factor::Local(node) => all * local(*node),
            Factor::Inverse(node) => all * local(*node).inverse(),
        })
    }

    /// Returns the nodes whose transforms are factors, without duplicates.
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        self.factors.iter().filter_map(Factor::node).collect()
    }
}

/// Largest difference between the linear parts of two matrices, relative to the largest element of
/// the first.
pub fn shear_between(a: &DMat4, b: &DMat4) -> f64 {
    let (a, b) = (DMat3::from_mat4(*a).to_cols_array(), DMat3::from_mat4(*b).to_cols_array());
    let most = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let off = a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    if most > 0.0 { off / most } else { 0.0 }
}

/// A chain whose factors are animated by a clip.
pub(super) struct ChainCurve<'a> {
    pub(super) chain: &'a Chain,
    /// Animation of each factor; `None` for constants.
    pub(super) curves: Vec<Option<NodeCurve<'a>>>,
}

/// A track that a component of the product depends on.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    /// Index of the factor that the track animates.
    pub(super) factor: usize,
    pub(super) track: &'a Track,
}

impl<'a> ChainCurve<'a> {
    /// Multiplies the factors at a time in seconds. `None` if a transform has no inverse.
    pub(super) fn at(&self, time: f64, side: TimeSide) -> Option<Product> {
        let local = |node: NodeId| self.local(node, time, side);
        self.chain.product(local)
    }

    fn local(&self, node: NodeId, time: f64, side: TimeSide) -> Moving {
        let own = self.chain.factors.iter().position(|f| f.node() == Some(node));
        let curve = own.and_then(|k| self.curves[k].as_ref());
        curve.map_or(Moving::IDENTITY, |c| c.at(time, side))
    }

    /// Finds the tracks that a component of the product depends on.
    pub(super) fn movers(&self, property: Property) -> Vec<Mover<'a>> {
        let mut movers = Vec::new();
        let last_place = self.last_translation();
        let mut after_uneven = false;
        for (factor, curve) in self.curves.iter().enumerate() {
            let Some(curve) = curve else {
                if let Factor::Constant(own) = &self.chain.factors[factor] {
                    after_uneven |= !own.is_uniform();
                }
                continue;
            };
            let mut add = |property| {
                movers.extend(curve.moving(property).map(|track| Mover { factor, track }));
            };
            match property {
                Property::Rotation => add(Property::Rotation),
                Property::Scale => {
                    add(Property::Scale);
                    // If the scale is non-uniform, a rotation changes the scale along the axes.
                    let is_inverse = matches!(self.chain.factors[factor], Factor::Inverse(_));
                    if after_uneven || (is_inverse && curve.is_uneven()) {
                        add(Property::Rotation);
                    }
                }
                Property::Translation | Property::Weights => {
                    add(Property::Translation);
                    if last_place.is_some_and(|last| factor < last || self.turns_itself(factor)) {
                        add(Property::Rotation);
                        add(Property::Scale);
                    }
                }
            }
            after_uneven |= curve.is_uneven();
        }
        movers
    }

    /// Index of the last factor with a translation. All factors before it affect this translation.
    fn last_translation(&self) -> Option<usize> {
        let moves = |k: &usize| match (&self.curves[*k], &self.chain.factors[*k]) {
            (Some(curve), _) => curve.translates(),
            (None, Factor::Constant(own)) => own.translation.length_squared() > 0.0,
            (None, _) => false,
        };
        (0..self.curves.len()).rev().find(moves)
    }

    /// Whether the translation of a factor depends on its own rotation, as in an inverse.
    fn turns_itself(&self, factor: usize) -> bool {
        matches!(self.chain.factors[factor], Factor::Inverse(_))
            && self.curves[factor].as_ref().is_some_and(NodeCurve::translates)
    }

    /// Index of the factor that is the node's own local transform.
    pub(super) fn own(&self) -> Option<usize> {
        self.chain.factors.iter().position(|f| *f == Factor::Local(self.chain.node))
    }
}
