//! Commands on contacts of a clip.

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
    /// Commands on contacts.
    ContactCommand in "Clip/Contacts";

    /// Finds the contacts of feet in a clip, in place of the contacts that it has
    FindContacts {
        /// Clip to edit.
        clip: ClipName,
        /// Contacts as JSON, in place of those that are found; `[]` removes all.
        contacts: Option<ContactTexts>,
        /// Whether contacts of hands are found, too; no if omitted.
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
    /// Keeps feet in place in the contacts of a clip; the contacts are found if it has none
    CleanContacts {
        /// Clip to edit.
        clip: ClipName,
        /// Feet to keep in place; all feet with contacts if omitted.
        node: Option<Nodes>,
        /// Time over which a contact takes hold and lets go, in seconds; 0.1 s if omitted.
        blend: Option<Seconds>,
        /// How much the toes stay flat on the ground while the heel lifts; 100 % if omitted.
        toe_roll: Option<f32>,
        /// Whether the hips are lowered where a leg is too short; yes if omitted.
        lower_hips: Option<bool>,
    } = "clip.clean_contacts", "Clean contacts…", asks: true, enabled: rules::clip_shown;
}

choice! {
    /// The point of a joint that stays in place.
    ContactPoint {
        /// The joint itself.
        Joint = "joint",
        /// The rear of the sole.
        Heel = "heel",
        /// Where the toes bend.
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

/// Contacts, or JSON of them.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactTexts {
    /// These.
    Goals(Vec<Goal>),
    /// A list of objects with `node` (a name), `point`, `from`, `to`, and `space`, `blend` and
    /// `place` where they are not the usual ones.
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

/// A text, or the list itself.
fn read(
    from: &Arguments,
    name: &'static str,
) -> Result<ContactTexts, crate::command::ArgumentError> {
    match from.value(name)? {
        list @ serde_json::Value::Array(_) => Ok(ContactTexts::Text(list.to_string())),
        _ => from.text(name).map(|text| ContactTexts::Text(text.to_owned())),
    }
}
