//! The commands that edit the contacts of a clip.

use crate::command::{
    ArgumentType, Arguments,
    contact_text::ContactText,
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice, field},
    names::NodeTexts,
    rules,
};
use ulna_model::{Goal, GoalPoint};

document_commands! {
    /// Commands that edit the contacts of a clip.
    ContactCommand in "Clip/Contacts";

    /// Finds the contacts of feet in a clip, in place of the contacts that it has
    FindContacts {
        /// Clip to edit.
        clip: ClipName,
        /// Contacts as JSON, in place of those that are found; `[]` removes all.
        contacts: Option<ContactTexts>,
        /// Whether contacts of hands are found, too: on the ground, on props and on the body; no if
        /// omitted.
        hands: Option<bool>,
    } = "clip.contacts", "Find contacts", enabled: rules::clip_shown;
    /// Adds a contact of a foot or a hand
    AddContact {
        /// Clip to edit.
        clip: ClipName,
        /// Foot (the ankle) or hand that stays in place.
        node: Nodes,
        /// Start of the contact, in seconds.
        from: Seconds,
        /// End of the contact, in seconds; 0.2 s after the start if omitted.
        to: Option<Seconds>,
        /// Point that stays in place; heel and ball of a foot, and the joint itself of others, if
        /// omitted.
        point: Option<ContactPoint>,
        /// Node that the contact follows, such as a prop or another part of the body; the contact
        /// stays in place in the scene if omitted.
        space: Option<Nodes>,
    } = "contact.add", "Add contact", asks: true, enabled: rules::clip_shown;
    /// Moves a contact, or one of its ends
    MoveContact {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand.
        node: Nodes,
        /// Time within the contact, in seconds.
        time: Seconds,
        /// New start, in seconds; unchanged if omitted.
        from: Option<Seconds>,
        /// New end, in seconds; unchanged if omitted.
        to: Option<Seconds>,
        /// Point whose contact moves; all points of the joint if omitted.
        point: Option<ContactPoint>,
    } = "contact.move", "Move contact", asks: true, enabled: rules::clip_shown;
    /// Makes a contact follow a node, such as a prop or another part of the body
    ContactSpace {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand.
        node: Nodes,
        /// Time within the contact, in seconds.
        time: Seconds,
        /// Node that the contact follows; the contact stays in place in the scene if omitted.
        space: Option<Nodes>,
        /// Point whose contact changes; all points of the joint if omitted.
        point: Option<ContactPoint>,
    } = "contact.follow", "Make contact follow…", asks: true, enabled: rules::clip_shown;
    /// Removes a contact
    RemoveContact {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand.
        node: Nodes,
        /// Time within the contact, in seconds.
        time: Seconds,
        /// Point whose contact is removed; all points of the joint if omitted.
        point: Option<ContactPoint>,
    } = "contact.remove", "Remove contact", asks: true, enabled: rules::clip_shown;
    /// Keeps feet and hands in place in the contacts of a clip; if it has none, contacts of feet
    /// are found
    CleanContacts {
        /// Clip to edit.
        clip: ClipName,
        /// Feet and hands to keep in place; all that have contacts if omitted.
        node: Option<Nodes>,
        /// Time over which a contact blends in and out, in seconds; 0.1 s if omitted.
        blend: Option<Seconds>,
        /// Share of the toes that stays flat on the ground while the heel lifts; 100 % if omitted.
        toe_roll: Option<f32>,
        /// Whether the hips are lowered where a leg is too short; yes if omitted.
        lower_hips: Option<bool>,
    } = "clip.clean_contacts", "Clean contacts…", asks: true, enabled: rules::clip_shown;
}

choice! {
    /// Point of a joint that stays in place in a contact.
    ContactPoint {
        /// The joint itself.
        Joint = "joint",
        /// The rear of the sole.
        Heel = "heel",
        /// The bend of the toes.
        Ball = "ball",
    }
}

impl From<ContactPoint> for GoalPoint {
    fn from(point: ContactPoint) -> Self {
        match point {
            ContactPoint::Joint => Self::Joint,
            ContactPoint::Heel => Self::Heel,
            ContactPoint::Ball => Self::Ball,
        }
    }
}

/// A list of contacts, or its JSON text.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactTexts {
    /// The contacts.
    Goals(Vec<Goal>),
    /// JSON: a list of objects with `node` (a name), `point`, `from` and `to`, and optionally
    /// `space` (a name), `blend` and `place`.
    Text(String),
}

field!(ContactTexts, ArgumentType::Text, |from, name| read(from, name), |v, document| match v {
    Self::Text(text) => text.as_str().into(),
    Self::Goals(goals) => {
        let texts = NodeTexts::of(document);
        let list: Vec<ContactText> =
            goals.iter().map(|goal| ContactText::of(goal, &texts)).collect();
        // Plain numbers and names always have a text.
        serde_json::to_string(&list).unwrap_or_default().into()
    }
});

/// Reads contacts from a text argument or from a JSON list.
fn read(
    from: &Arguments,
    name: &'static str,
) -> Result<ContactTexts, crate::command::ArgumentError> {
    match from.value(name)? {
        list @ serde_json::Value::Array(_) => Ok(ContactTexts::Text(list.to_string())),
        _ => from.text(name).map(|text| ContactTexts::Text(text.to_owned())),
    }
}
