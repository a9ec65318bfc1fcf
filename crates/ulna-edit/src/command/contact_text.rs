//! Text form of contacts, with nodes given by their names.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::names::{NodeTexts, find_nodes};
use ulna_model::{Document, Goal, GoalPoint, NodeId};

/// The text form of a contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactText {
    node: String,
    #[serde(default)]
    point: GoalPoint,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    from: f32,
    to: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blend: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Vec3>,
}

impl ContactText {
    /// Converts a contact to its text form.
    pub fn of(goal: &Goal, texts: &NodeTexts<'_>) -> Self {
        let &Goal { node, point, space, from, to, blend, place } = goal;
        let (node, space) = (texts.text(node), space.map(|s| texts.text(s)));
        Self { node, point, space, from, to, blend, place }
    }

    /// Converts the text form to a contact.
    ///
    /// # Errors
    /// If a name matches no node, or several nodes.
    pub fn read(self, document: &Document) -> Result<Goal, String> {
        let Self { node, point, space, from, to, blend, place } = self;
        let one = |name: String| -> Result<NodeId, String> {
            match find_nodes(document, &name).ok().as_deref() {
                Some([one]) => Ok(*one),
                _ => Err(name),
            }
        };
        let space = space.map(one).transpose()?;
        Ok(Goal { node: one(node)?, point, space, from, to, blend, place })
    }
}
