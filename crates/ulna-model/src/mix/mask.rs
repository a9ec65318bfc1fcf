//! Joint masks of lanes and bars.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{super::NodeId, defaults::is_zero};

/// Mask of the affected joints, with weights of `0..=1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "N: Ord + Deserialize<'de>"))]
pub enum MixMask<N: Ord = NodeId> {
    /// A joint and its descendants.
    Below {
        /// The topmost joint of the mask.
        joint: N,
        /// Depth below the joint at which the weight reaches 1. The weight rises linearly from `1 /
        /// (falloff + 1)` at the joint.
        #[serde(default, skip_serializing_if = "is_zero")]
        falloff: u32,
    },
    /// All joints except joints of body parts on the right side.
    Left,
    /// All joints except joints of body parts on the left side.
    Right,
    /// All joints from the lowest spine joint upward.
    Upper,
    /// All joints except the joints of `Upper`.
    Lower,
    /// Painted weights by joint, `0..=1`; 0 for joints without an entry.
    Painted(BTreeMap<N, f32>),
}

impl<N: Ord> MixMask<N> {
    /// Converts the joint identifiers with `node`.
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
