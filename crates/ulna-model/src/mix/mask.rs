//! Masks of lanes and bars.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{super::NodeId, defaults::is_zero};

/// Where something counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "N: Ord + Deserialize<'de>"))]
pub enum MixMask<N: Ord = NodeId> {
    /// A joint and all below it.
    Below {
        /// The joint.
        joint: N,
        /// Over so many joints, this one the first, it rises to full.
        #[serde(default, skip_serializing_if = "is_zero")]
        falloff: u32,
    },
    /// What is not on the right, by what part of a body it is.
    Left,
    /// What is not on the left.
    Right,
    /// All from the lowest joint of the spine up.
    Upper,
    /// All but that.
    Lower,
    /// Painted, 0 to 1; what is not named does not count.
    Painted(BTreeMap<N, f32>),
}

impl<N: Ord> MixMask<N> {
    /// The same with its joints named otherwise.
    ///
    /// # Errors
    /// What the naming says.
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
