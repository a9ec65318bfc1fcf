//! Masks of lanes and bars.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{super::NodeId, defaults::is_zero};

/// The set of affected joints, with weights of `0..=1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "N: Ord + Deserialize<'de>"))]
pub enum MixMask<N: Ord = NodeId> {
    /// A joint and its descendants.
    Below {
        /// The joint.
        joint: N,
        /// Number of joints, from this one downward, before the weight reaches 1.
        #[serde(default, skip_serializing_if = "is_zero")]
        falloff: u32,
    },
    /// All joints except those of the right side, by body part.
    Left,
    /// All joints except those of the left side, by body part.
    Right,
    /// All joints from the lowest spine joint upward.
    Upper,
    /// All joints except those of `Upper`.
    Lower,
    /// Painted weights, `0..=1`; 0 for joints without an entry.
    Painted(BTreeMap<N, f32>),
}

impl<N: Ord> MixMask<N> {
    /// The same with other names for joints.
    ///
    /// # Errors
    /// The first error that `node` returns.
    pub fn renamed<M: Ord, E>(
        &self,
        node: &mut dyn FnMut(&N) -> Result<M, E>,
    ) -> Result<MixMask<M>, E> {
        Ok(match self {
            Self::Below { joint, falloff } => {
                MixMask::Below { joint: node(joint)?, falloff: *falloff }
            }
            Self::Left => MixMask::Left,
            Self::Right => MixMask::Right,
            Self::Upper => MixMask::Upper,
            Self::Lower => MixMask::Lower,
            Self::Painted(list) => MixMask::Painted(
                list.iter().map(|(n, w)| Ok((node(n)?, *w))).collect::<Result<_, E>>()?,
            ),
        })
    }
}
