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

    /// Finds the ground contacts of feet in a clip, and replaces its existing contacts
    FindContacts {
        /// Clip to edit.
        clip: ClipName,
        /// Contacts as JSON, to set instead of finding contacts; `[]` removes all contacts.
        contacts: Option<ContactTexts>,
        /// Whether to find contacts of hands as well: on the ground, on props and on the body; no
        /// if omitted.
        hands: Option<bool>,
    } = "clip.contacts", "Find contacts", enabled: rules::clip_shown;
    /// Finds the contacts of hands in a clip: on the ground, on props and on the body; contacts of
    /// feet do not change
    FindHandContacts {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.hand_contacts", "Find contacts of hands", enabled: rules::clip_shown;
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
        /// Point that stays in place. If omitted, the heel and the ball of a foot, or the joint
        /// itself for other joints.
        point: Option<ContactPoint>,
        /// Node that the contact follows, such as a prop or another part of the body; the contact
        /// stays in place in the scene if omitted.
        space: Option<Nodes>,
    } = "contact.add", "Add contact", asks: true, enabled: rules::clip_shown;
    /// Moves a contact, or one of its ends
    MoveContact {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand with the contact.
        node: Nodes,
        /// Any time during the contact, in seconds, to identify it.
        time: Seconds,
        /// New start of the contact, in seconds; unchanged if omitted.
        from: Option<Seconds>,
        /// New end of the contact, in seconds; unchanged if omitted.
        to: Option<Seconds>,
        /// Point whose contact moves; all its points if omitted.
        point: Option<ContactPoint>,
    } = "contact.move", "Move contact", asks: true, enabled: rules::clip_shown;
    /// Makes a contact follow a node, such as a prop or another part of the body
    ContactSpace {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand with the contact.
        node: Nodes,
        /// Any time during the contact, in seconds, to identify it.
        time: Seconds,
        /// Node that the contact follows; the contact stays in place in the scene if omitted.
        space: Option<Nodes>,
        /// Point whose contact changes; all its points if omitted.
        point: Option<ContactPoint>,
    } = "contact.follow", "Make contact follow…", asks: true, enabled: rules::clip_shown;
    /// Removes a contact
    RemoveContact {
        /// Clip to edit.
        clip: ClipName,
        /// Foot or hand with the contact.
        node: Nodes,
        /// Any time during the contact, in seconds, to identify it.
        time: Seconds,
        /// Point whose contact is removed; all its points if omitted.
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
        /// Amount by which toes are flattened to the ground while the heel lifts, 0 to 1; 100 % if
        /// omitted.
        toe_roll: Option<f32>,
        /// Whether to lower the hips where a leg is too short for its contact; yes if omitted.
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
    /// The parsed contacts.
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
        // Serialization of plain numbers and names cannot fail.
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
