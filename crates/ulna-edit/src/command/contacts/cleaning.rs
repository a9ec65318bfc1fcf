//! Finding contacts, and keeping feet and hands in place in them.

use super::{
    commands::{CleanContacts, ContactCommand, ContactTexts, FindContacts, FindHandContacts},
    edits::{changed, read},
};
use crate::{
    Edit,
    command::{
        ArgumentError, CommandError, Outcome, Scene, clip_keys::clip_of, clip_layers::layers_of,
        clip_work::whole_with_poses, error::refuse,
    },
};
use ulna_model::{Clip, ClipId, ContactSettings, Document, Goal, NodeId, Notice, Shared};
use ulna_motion::{
    foot_joints,
    retarget::{ContactRequest, ContactSlide, clean_contacts, find_contacts, is_hand_joint},
};

/// Returns a number with a noun in the singular or plural, such as `1 contact` or `2 contacts`.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The error that no contacts were found in a clip, with the reason.
fn nothing_found(document: &Document, id: ClipId) -> CommandError {
    let why = match foot_joints(document).is_empty() {
        true => {
            "no feet were found by joint name, by humanoid map or by the shape of the legs; add \
                contacts by hand"
        }
        false => "its feet are never low over the ground and slow at the same time",
    };
    let said = format!("no contacts found in {}: {why}", document.clip_label(id));
    CommandError::other("no_contacts_found", said)
}

impl FindContacts {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let goals = match &self.contacts {
            Some(_) if self.hands.is_some() => {
                return Err(ArgumentError::Both("contacts", "hands").into());
            }
            Some(ContactTexts::Goals(goals)) => goals.clone(),
            Some(ContactTexts::Text(text)) => read(document, text)?,
            None => return find(document, id, self.hands == Some(true)),
        };
        Ok(changed(id, clip, goals))
    }
}

impl FindHandContacts {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let mut goals = find_contacts(document, clip, &ContactRequest { hands: true });
        goals.retain(|goal| is_hand_joint(document, goal.node));
        if goals.is_empty() {
            let why = match document.node_ids().any(|n| is_hand_joint(document, n)) {
                true => "its hands never stay in place for 0.2 s or longer",
                false => {
                    "no hands were found by joint name or by humanoid map; add contacts by hand"
                }
            };
            let said = format!("no contacts found in {}: {why}", document.clip_label(id));
            return Err(CommandError::other("no_contacts_found", said));
        }
        let note = counted(&goals);
        let others = clip.contacts.iter().filter(|goal| !is_hand_joint(document, goal.node));
        goals.extend(others.cloned());
        let done = changed(id, clip, goals);
        Ok(Outcome { notes: [vec![note], done.notes].concat(), ..done })
    }
}

/// Note with the numbers of contacts and joints that were found.
fn counted(goals: &[Goal]) -> Notice {
    let joints: std::collections::BTreeSet<NodeId> = goals.iter().map(|g| g.node).collect();
    let said = format!(
        "{} of {} found",
        count(Goal::bars(goals).len(), "contact"),
        count(joints.len(), "joint")
    );
    Notice::new("contacts_found", said)
}

/// Finds the contacts of a clip, and reports their number.
///
/// # Errors
/// If there are none, with the reason.
fn found(
    document: &Document,
    (id, clip): (ClipId, &Shared<Clip>),
    hands: bool,
) -> Result<(Vec<Goal>, Notice), CommandError> {
    let goals = find_contacts(document, clip, &ContactRequest { hands });
    if goals.is_empty() {
        return Err(nothing_found(document, id));
    }
    let note = counted(&goals);
    Ok((goals, note))
}

/// The outcome of a search for contacts.
fn find(document: &Document, id: ClipId, hands: bool) -> Result<Outcome, CommandError> {
    let clip = clip_of(document, id)?;
    let (goals, note) = found(document, (id, clip), hands)?;
    let done = changed(id, clip, goals);
    Ok(Outcome { notes: [vec![note], done.notes].concat(), ..done })
}

/// Notes about feet and hands in contacts: largest sliding before and after, lowering of the hips,
/// and limbs that are too short. `lowered` is in meters.
pub fn slides_in_words(
    document: &Document,
    slides: &[ContactSlide],
    (lowered, short): (f32, &[NodeId]),
) -> Vec<Notice> {
    let mut notes = Vec::new();
    let most = |of: fn(&ContactSlide) -> f32| slides.iter().map(of).fold(0.0, f32::max) * 100.0;
    if !slides.is_empty() {
        let said = format!(
            "largest sliding in {}: {:.1} cm before, {:.1} cm after",
            count(slides.len(), "contact"),
            most(|s| s.before),
            most(|s| s.after)
        );
        notes.push(Notice::new("contacts_cleaned", said));
    }
    if lowered > 5e-4 {
        let said = format!("the hips are lowered by up to {:.1} cm", lowered * 100.0);
        notes.push(Notice::new("hips_lowered", said));
    }
    if !short.is_empty() {
        let names: Vec<String> = short.iter().map(|n| document.node(*n).label(*n)).collect();
        let said = format!(
            "limbs that are too short for their contacts, so that they still slide: {}",
            names.join(", ")
        );
        notes.push(Notice::new("legs_short", said));
    }
    notes
}

impl CleanContacts {
    /// Contact settings from the arguments.
    ///
    /// # Errors
    /// If a number is out of range.
    fn settings(&self) -> Result<ContactSettings, CommandError> {
        let usual = ContactSettings::default();
        let settings = ContactSettings {
            lock: true,
            blend: self.blend.map_or(usual.blend, |blend| blend.0),
            toe_roll: self.toe_roll.unwrap_or(usual.toe_roll),
            lower_hips: self.lower_hips.unwrap_or(usual.lower_hips),
        };
        for (name, value) in [("blend", settings.blend), ("toe_roll", settings.toe_roll)] {
            if !(0.0..=1.0).contains(&value) {
                let said = format!("“{name}” is {value}, but must be 0 to 1");
                return refuse("argument_out_of_range", said);
            }
        }
        Ok(settings)
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let (id, clip, _) = whole_with_poses(document, &self.clip)?;
        let settings = self.settings()?;
        if !layers_of(document, id).is_empty() {
            let label = document.clip_label(id);
            let said = format!(
                "{label}: it has layers, which move the feet as well; bake or remove them first"
            );
            return refuse("clip_has_layers", said);
        }
        let mut notes = Vec::new();
        let all = if clip.contacts.is_empty() {
            let (goals, note) = found(document, (id, clip), false)?;
            notes.push(note);
            goals
        } else {
            clip.contacts.to_vec()
        };
        for node in nodes.iter().flatten() {
            if !all.iter().any(|goal| goal.node == *node) {
                let label = document.node(*node).label(*node);
                let said = format!("{label} has no contacts in this clip; add some first");
                return refuse("no_contact_there", said);
            }
        }
        let is_meant = |goal: &&Goal| nodes.as_ref().is_none_or(|n| n.contains(&goal.node));
        let meant: Vec<Goal> = all.iter().filter(is_meant).cloned().collect();
        let cleaned = clean_contacts(document, clip, &meant, &settings);
        notes.extend(slides_in_words(document, &cleaned.slides, (cleaned.lowered, &cleaned.short)));
        let to = Clip { contacts: all.into(), ..cleaned.clip };
        if to == **clip {
            notes.push(Notice::new(
                "nothing_to_change",
                "feet and hands already stay in place during all contacts",
            ));
            return Ok(Outcome { notes, ..Outcome::default() });
        }
        let edits = vec![Edit::SetClip { clip: id, to: Some(Shared::new(to)) }];
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl ContactCommand {
    /// Number of keys that the command reads; 0 for quick commands.
    pub(in crate::command) fn weighed(&self, document: &Document) -> usize {
        let clip = match self {
            Self::CleanContacts(command) => &command.clip,
            Self::FindContacts(command) if command.contacts.is_none() => &command.clip,
            Self::FindHandContacts(command) => &command.clip,
            _ => return 0,
        };
        let id = clip.find(document).ok();
        id.and_then(|id| document.clips.get(id)).map_or(0, |clip| clip.key_count())
    }
}
