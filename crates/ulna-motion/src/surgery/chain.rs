//! A new local transform as a product of others.

use std::collections::BTreeSet;

use glam::{DMat3, DMat4};

use super::{
    curve::{NodeCurve, TimeSide},
    moving::Moving,
};
use ulna_model::{NodeId, Property, Track};

/// One factor of a product of transforms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Factor {
    /// A transform that does not change.
    Constant(Moving),
    /// The local transform of a node, as it was.
    Local(NodeId),
    /// The inverse of that.
    Inverse(NodeId),
}

impl Factor {
    /// The node whose transform it takes.
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Constant(_) => None,
            Self::Local(node) | Self::Inverse(node) => Some(*node),
        }
    }
}

/// The local transform that a node gets: `M'(t)` as the product of some transforms, from the
/// parent's side to the node's.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The node that gets it.
    pub node: NodeId,
    /// The factors, in the order in which they are multiplied.
    pub factors: Vec<Factor>,
}

/// The product of the factors, and the part of it that a node cannot store.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Translation, rotation, scale, and their rates.
    pub moving: Moving,
    /// The largest element of the matrix that they lack, relative to the largest element: 0 but
    /// where an uneven scale meets a rotation.
    pub residue: f64,
}

impl Chain {
    /// The product for local transforms that a function gives; `None` where the scale of an
    /// inverted one is 0.
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

    /// The product of the matrices alone, which may shear.
    pub fn matrix(&self, local: impl Fn(NodeId) -> DMat4) -> DMat4 {
        self.factors.iter().fold(DMat4::IDENTITY, |all, factor| match factor {
            Factor::Constant(own) => all * own.matrix(),
            Factor::Local(node) => all * local(*node),
            Factor::Inverse(node) => all * local(*node).inverse(),
        })
    }

    /// The nodes whose transforms it takes, each once.
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        self.factors.iter().filter_map(Factor::node).collect()
    }
}

/// The largest difference between the linear parts of a matrix and of one without shear, relative
/// to the largest element.
pub fn shear_between(a: &DMat4, b: &DMat4) -> f64 {
    let (a, b) = (DMat3::from_mat4(*a).to_cols_array(), DMat3::from_mat4(*b).to_cols_array());
    let most = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let off = a.iter().zip(&b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    if most > 0.0 { off / most } else { 0.0 }
}

/// A chain in a clip: what each of its factors does there.
pub(super) struct ChainCurve<'a> {
    pub(super) chain: &'a Chain,
    /// By factor; `None` for constants.
    pub(super) curves: Vec<Option<NodeCurve<'a>>>,
}

/// A track by which a component of the product changes.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    /// The place among the factors.
    pub(super) factor: usize,
    pub(super) track: &'a Track,
}

impl<'a> ChainCurve<'a> {
    /// The product at a time in seconds.
    pub(super) fn at(&self, time: f64, side: TimeSide) -> Option<Product> {
        let local = |node: NodeId| self.local(node, time, side);
        self.chain.product(local)
    }

    fn local(&self, node: NodeId, time: f64, side: TimeSide) -> Moving {
        let own = self.chain.factors.iter().position(|f| f.node() == Some(node));
        let curve = own.and_then(|k| self.curves[k].as_ref());
        curve.map_or(Moving::IDENTITY, |c| c.at(time, side))
    }

    /// The tracks by which a component of the product changes.
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
                    // Under an uneven scale, a rotation changes the scale along the axes.
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

    /// The last factor with a translation: those before it move it.
    fn last_translation(&self) -> Option<usize> {
        let moves = |k: &usize| match (&self.curves[*k], &self.chain.factors[*k]) {
            (Some(curve), _) => curve.translates(),
            (None, Factor::Constant(own)) => own.translation.length_squared() > 0.0,
            (None, _) => false,
        };
        (0..self.curves.len()).rev().find(moves)
    }

    /// Whether a factor turns its own translation: an inverse does.
    fn turns_itself(&self, factor: usize) -> bool {
        matches!(self.chain.factors[factor], Factor::Inverse(_))
            && self.curves[factor].as_ref().is_some_and(NodeCurve::translates)
    }

    /// The place of the node's own transform among the factors.
    pub(super) fn own(&self) -> Option<usize> {
        self.chain.factors.iter().position(|f| *f == Factor::Local(self.chain.node))
    }
}
