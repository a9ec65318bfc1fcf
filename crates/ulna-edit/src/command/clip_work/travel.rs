//! Moves or removes the root motion of a clip.

use super::{
    commands::{RootMotion, TravelGoes},
    whole::{argument, put, whole},
};
use crate::command::{CommandError, Outcome, Scene};
use ulna_model::{Goal, Notice};
use ulna_motion::clip_edit::{NoTravel, Travel, TravelParts, move_travel, travel};

/// Describes root motion; `None` if the body stays in place.
pub fn travel_in_words(found: &Travel) -> Option<String> {
    let ground = glam::Vec2::new(found.way.x, found.way.z).length();
    let mut parts = Vec::new();
    if ground > 5e-3 {
        parts.push(format!("{ground:.2} m at {:.2} m/s", found.speed()));
    }
    if found.way.y.abs() > 5e-3 {
        parts.push(format!("{:+.2} m vertically", found.way.y));
    }
    if found.turn.abs() > 0.01 {
        parts.push(format!("{:+.0}° about the vertical axis", found.turn.to_degrees()));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl RootMotion {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, _) = whole(document, &self.clip)?;
        let root = match self.node.as_ref().map(|n| n.all(document)).transpose()?.as_deref() {
            None => None,
            Some([one]) => Some(*one),
            Some(_) => {
                return Err(argument(
                    "one_node_wanted",
                    "only one joint can carry the root motion; name one joint as “node”".to_owned(),
                ));
            }
        };
        let parts = TravelParts {
            ground: self.ground.unwrap_or(true),
            height: self.height.unwrap_or(self.to == TravelGoes::Hips),
            turn: self.turn.unwrap_or(self.to == TravelGoes::Hips),
        };
        let nothing = !parts.ground && !parts.height && !parts.turn;
        if nothing && self.to != TravelGoes::Hips {
            return Err(argument(
                "argument_missing",
                "“ground”, “height” and “turn” are all off; turn on at least one of them"
                    .to_owned(),
            ));
        }
        let found = travel(document, clip);
        let made = move_travel(document, clip, self.to.into(), parts, root).map_err(|e| {
            let name = |n: Option<ulna_model::NodeId>| {
                n.map_or_else(String::new, |n| document.node(n).label(n))
            };
            let hips = name(found.map(|t| t.hips));
            argument(
                "no_travel",
                match e {
                    NoTravel::Still => "the clip has no travel: it does not move the body as a \
                        whole"
                        .to_owned(),
                    NoTravel::NoRoot => {
                        format!(
                            "{hips} has no ancestor that could carry the travel; use “in place” \
                                instead"
                        )
                    }
                    NoTravel::NotAbove => {
                        format!("{} is not an ancestor of {hips}; name a node above it", name(root))
                    }
                    NoTravel::RootStill => {
                        format!(
                            "no ancestor of {hips} is animated, so there is no travel to move into \
                                it"
                        )
                    }
                },
            )
        })?;
        let before = found.as_ref().and_then(travel_in_words).unwrap_or_else(|| "none".to_owned());
        let goes = match (self.to, made.root) {
            (TravelGoes::Root, Some(root)) => {
                format!("was moved to {}", document.node(root).label(root))
            }
            (TravelGoes::InPlace, _) => "was removed".to_owned(),
            _ => "was moved to the hips".to_owned(),
        };
        let (off, angle) = made.error;
        let error = if off > 1e-5 || angle > 1e-4 {
            format!(
                "; between keys, the max error is {:.2} mm on the skin and {:.2}° in a joint",
                off * 1e3,
                angle.to_degrees()
            )
        } else {
            String::new()
        };
        let said = format!("travel {goes} (from start to end: {before}){error}");
        let mut clip = made.clip;
        if self.to == TravelGoes::InPlace {
            // The positions of contacts in the scene are no longer valid.
            let placed = |goal: &Goal| match goal.space {
                None => Goal { place: None, ..goal.clone() },
                Some(_) => goal.clone(),
            };
            clip.contacts = clip.contacts.iter().map(placed).collect::<Vec<_>>().into();
        }
        Ok(put(id, clip, [Notice::new("travel_moved", said)]))
    }
}
