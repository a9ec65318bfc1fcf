//! Masks of layers: as arguments, and as stored.

use super::{
    commands::{MaskPoseLayer, Region},
    found::FoundLayer,
};
use crate::command::{
    CommandError, Outcome, Scene,
    error::{refuse, share},
    field::{Nodes, Numbers},
    layer_name::LayerOf,
};
use ulna_model::{Document, LayerMask, MixMask, Notice, PoseLayer};
use ulna_motion::mask_weights;

impl MaskPoseLayer {
    /// Returns the command that sets the mask of a layer. `None` removes the mask.
    pub fn with(of: LayerOf, mask: Option<&MixMask>) -> Self {
        let mut made =
            Self { of, region: None, below: None, falloff: None, node: None, weights: None };
        match mask {
            None => made.region = Some(Region::All),
            Some(MixMask::Upper) => made.region = Some(Region::Upper),
            Some(MixMask::Lower) => made.region = Some(Region::Lower),
            Some(MixMask::Left) => made.region = Some(Region::Left),
            Some(MixMask::Right) => made.region = Some(Region::Right),
            Some(MixMask::Below { joint, falloff }) => {
                made.below = Some(Nodes::one(*joint));
                made.falloff = (*falloff > 0).then_some(*falloff as usize);
            }
            Some(MixMask::Painted(list)) if list.is_empty() => {
                // An empty mask: no node is affected.
                made.node = None;
                made.weights = Some(Numbers(vec![0.0]));
            }
            Some(MixMask::Painted(list)) => {
                made.node = Some(Nodes::Ids(list.keys().copied().collect()));
                made.weights = Some(Numbers(list.values().map(|w| f64::from(*w)).collect()));
            }
        }
        made
    }

    fn chosen(&self, document: &Document) -> Result<Option<MixMask>, CommandError> {
        let ways = [
            self.region.is_some(),
            self.below.is_some(),
            self.node.is_some() || self.weights.is_some(),
        ];
        if ways.iter().filter(|w| **w).count() > 1 {
            return refuse(
                "arguments_exclusive",
                "use only one of “region”, “below” and “node” to set the mask",
            );
        }
        if self.falloff.is_some() && self.below.is_none() {
            return refuse("arguments_together", "“falloff” can only be used with “below”");
        }
        if let Some(below) = &self.below {
            return match below.all(document)?[..] {
                [joint] => {
                    let falloff = self.falloff.unwrap_or(0).min(1000) as u32;
                    Ok(Some(MixMask::Below { joint, falloff }))
                }
                _ => refuse("one_node_wanted", "“below” must be a single joint"),
            };
        }
        if self.node.is_some() || self.weights.is_some() {
            let nodes =
                self.node.as_ref().map(|n| n.in_order(document)).transpose()?.unwrap_or_default();
            let weights = match &self.weights {
                None => vec![1.0; nodes.len()],
                Some(Numbers(list)) if list.len() == 1 => {
                    vec![share(list[0] as f32, "weights")?; nodes.len()]
                }
                Some(Numbers(list)) if list.len() == nodes.len() => {
                    list.iter().map(|w| share(*w as f32, "weights")).collect::<Result<_, _>>()?
                }
                Some(Numbers(list)) => {
                    return refuse(
                        "count_mismatch",
                        format!(
                            "there are {} weights, but {} joints; use one weight per joint",
                            list.len(),
                            nodes.len()
                        ),
                    );
                }
            };
            return Ok(Some(MixMask::Painted(
                nodes.into_iter().zip(weights).filter(|(_, w)| *w > 0.0).collect(),
            )));
        }
        Ok(match self.region.unwrap_or(Region::All) {
            Region::All => None,
            Region::Upper => Some(MixMask::Upper),
            Region::Lower => Some(MixMask::Lower),
            Region::Left => Some(MixMask::Left),
            Region::Right => Some(MixMask::Right),
        })
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let chosen = self.chosen(document)?;
        let found = FoundLayer::of(document, &self.of)?;
        let mask = chosen.map(|by| LayerMask { counts: mask_weights(document, &by), by });
        let none = mask.as_ref().is_some_and(|m| m.counts.nodes().next().is_none());
        let edits = found.with(PoseLayer { mask, ..found.layer().clone() });
        let note = (none && !edits.is_empty()).then(|| {
            Notice::new("mask_is_empty", "the mask has no joints, so the layer has no effect")
        });
        Ok(Outcome { edits, notes: note.into_iter().collect(), ..Outcome::default() })
    }
}
