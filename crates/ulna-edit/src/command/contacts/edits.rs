//! Adding, moving and removing contacts.

use super::commands::{AddContact, ContactPoint, ContactSpace, MoveContact, RemoveContact};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        clip_keys::{SAME_TIME, clip_of, time_of},
        contact_text::ContactText,
        error::refuse,
        field::{ClipName, Nodes, Seconds},
        nodes::one,
    },
};
use ulna_model::{Clip, ClipId, ContactBar, Document, Goal, GoalPoint, NodeId};
use ulna_motion::{foot_joints, retarget::limb_moves};

/// Default duration of a new contact, in seconds.
const USUAL: f32 = 0.2;

/// The edit that sets the contacts of a clip; no edit and a note if they do not change.
pub(super) fn changed(id: ClipId, clip: &Clip, to: Vec<Goal>) -> Outcome {
    let to = Goal::in_order(to);
    if to[..] == clip.contacts[..] {
        return Outcome::noted("nothing_to_change", "the clip already has these contacts");
    }
    vec![Edit::SetContacts { clip: id, to: to.into() }].into()
}

/// Reads contacts from JSON.
///
/// # Errors
/// If the text is not a list of contacts, names a node that does not exist, or has numbers out of
/// range.
pub(super) fn read(document: &Document, text: &str) -> Result<Vec<Goal>, CommandError> {
    let list: Vec<ContactText> = serde_json::from_str(text).map_err(|e| {
        CommandError::other(
            "not_contacts",
            format!(
                "“contacts” is not a list of contacts ({e}); write it as [{{\"node\": \
                    \"LeftFoot\", \"point\": \"heel\", \"from\": 0.1, \"to\": 0.4}}]"
            ),
        )
    })?;
    let mut goals = Vec::with_capacity(list.len());
    for contact in list {
        let goal = contact.read(document).map_err(|name| {
            let said = format!(
                "“contacts” names “{name}”, but this file has no node or several nodes of that name"
            );
            CommandError::other("no_such_contact_joint", said)
        })?;
        if !goal.is_valid() {
            let label = document.node(goal.node).label(goal.node);
            return refuse(
                "argument_out_of_range",
                format!(
                    "the contact of {label} from {} s to {} s must begin at 0 s or later, end \
                        later than it begins, and have a blend of 0 s or more",
                    goal.from, goal.to
                ),
            );
        }
        if let Some(space) = goal.space {
            refuse_own_limb(document, goal.node, space)?;
        }
        goals.push(goal);
    }
    Ok(goals)
}

/// The points of a new contact: heel and ball of a foot, otherwise the joint itself.
fn points_of(document: &Document, clip: &Clip, node: NodeId) -> Vec<GoalPoint> {
    let is_foot = || foot_joints(document).contains(&node);
    let has_sole = |goal: &Goal| goal.node == node && goal.point != GoalPoint::Joint;
    if clip.contacts.iter().any(has_sole) || is_foot() {
        vec![GoalPoint::Heel, GoalPoint::Ball]
    } else {
        vec![GoalPoint::Joint]
    }
}

/// Start and end of a contact, in seconds.
///
/// # Errors
/// If the end is not later than the start.
fn range_of(from: f32, to: f32) -> Result<(f32, f32), CommandError> {
    if to > from + SAME_TIME {
        return Ok((from, to));
    }
    refuse(
        "argument_out_of_range",
        format!(
            "a contact must end later than it begins, but “from” is {from} s and “to” is {to} s"
        ),
    )
}

impl AddContact {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let from = time_of(self.from)?;
        let (from, to) = range_of(from, self.to.map_or(from + USUAL, |to| to.0))?;
        let space = space_of(document, self.space.as_ref(), &nodes)?;
        let mut goals = clip.contacts.to_vec();
        for node in nodes {
            let points = match self.point {
                Some(point) => vec![point.into()],
                None => points_of(document, clip, node),
            };
            let of_point = |point| Goal { node, point, space, from, to, blend: None, place: None };
            goals.extend(points.into_iter().map(of_point));
        }
        Ok(changed(id, clip, goals))
    }
}

/// Refuses a contact that follows a node of its own limb.
fn refuse_own_limb(document: &Document, joint: NodeId, space: NodeId) -> Result<(), CommandError> {
    if !limb_moves(document, joint, space) {
        return Ok(());
    }
    let [joint, space] = [joint, space].map(|n| document.node(n).label(n));
    refuse(
        "contact_follows_itself",
        format!(
            "a contact of “{joint}” cannot follow “{space}”, which moves with the same limb; \
                choose a node outside of it"
        ),
    )
}

/// The node that contacts of the joints `nodes` follow; `None` if the argument is omitted.
///
/// # Errors
/// If the argument is not a single node, or if it moves with the leg or arm of one of the joints.
fn space_of(
    document: &Document,
    space: Option<&Nodes>,
    nodes: &[NodeId],
) -> Result<Option<NodeId>, CommandError> {
    let Some(space) = one(document, space, "space")? else { return Ok(None) };
    nodes.iter().try_for_each(|node| refuse_own_limb(document, *node, space))?;
    Ok(Some(space))
}

/// The contacts of a joint at a time, as one bar of the timeline.
fn bar_at(
    document: &Document,
    clip: &Clip,
    node: NodeId,
    (time, point): (Seconds, Option<ContactPoint>),
) -> Result<ContactBar, CommandError> {
    let (time, point) = (time.0, point.map(GoalPoint::from));
    let is_meant = |goal: &Goal| goal.node == node && point.is_none_or(|point| goal.point == point);
    let meant: Vec<usize> =
        (0..clip.contacts.len()).filter(|k| is_meant(&clip.contacts[*k])).collect();
    let list: Vec<Goal> = meant.iter().map(|k| clip.contacts[*k].clone()).collect();
    let holds = |bar: &ContactBar| time >= bar.from - SAME_TIME && time <= bar.to + SAME_TIME;
    let found = Goal::bars(&list).into_iter().find(holds);
    let bar = found.ok_or_else(|| {
        let label = document.node(node).label(node);
        CommandError::other("no_contact_there", format!("{label} has no contact at {time} s"))
    })?;
    Ok(ContactBar { goals: bar.goals.iter().map(|k| meant[*k]).collect(), ..bar })
}

/// The clip and the bars of contacts that a command edits.
fn meant<'a>(
    scene: &Scene<'a>,
    clip: &ClipName,
    nodes: &[NodeId],
    at: (Seconds, Option<ContactPoint>),
) -> Result<(ClipId, &'a Clip, Vec<ContactBar>), CommandError> {
    let document = scene.document;
    let id = clip.find(document)?;
    let clip = clip_of(document, id)?;
    let bars = nodes.iter().map(|node| bar_at(document, clip, *node, at));
    Ok((id, clip, bars.collect::<Result<_, _>>()?))
}

impl MoveContact {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let (id, clip, bars) = meant(scene, &self.clip, &nodes, (self.time, self.point))?;
        let mut goals = clip.contacts.to_vec();
        for bar in bars {
            let from = self.from.map(time_of).transpose()?.unwrap_or(bar.from);
            let to = self.to.map_or(bar.to, |to| to.0);
            let (from, to) = range_of(from, to)?;
            let is_shift = (to - bar.to - (from - bar.from)).abs() <= SAME_TIME;
            for k in bar.goals {
                let goal = &mut goals[k];
                if is_shift {
                    (goal.from, goal.to) = (goal.from + from - bar.from, goal.to + to - bar.to);
                    continue;
                }
                // A time at an end of the bar moves with that end. Other times are clamped to the
                // new range.
                let end = |at: f32, [was, is]: [f32; 2]| {
                    if (at - was).abs() <= SAME_TIME { is } else { at.clamp(from, to) }
                };
                goal.from = end(goal.from, [bar.from, from]);
                goal.to = end(goal.to, [bar.to, to]);
            }
        }
        Ok(changed(id, clip, goals))
    }
}

impl ContactSpace {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let space = space_of(scene.document, self.space.as_ref(), &nodes)?;
        let (id, clip, bars) = meant(scene, &self.clip, &nodes, (self.time, self.point))?;
        let mut goals = clip.contacts.to_vec();
        for k in bars.into_iter().flat_map(|bar| bar.goals) {
            if goals[k].space != space {
                // The stored position is relative to the old node, so it is cleared.
                (goals[k].space, goals[k].place) = (space, None);
            }
        }
        Ok(changed(id, clip, goals))
    }
}

impl RemoveContact {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let nodes = self.node.all(scene.document)?;
        let (id, clip, bars) = meant(scene, &self.clip, &nodes, (self.time, self.point))?;
        let gone: Vec<usize> = bars.into_iter().flat_map(|bar| bar.goals).collect();
        let left = clip.contacts.iter().enumerate().filter(|(k, _)| !gone.contains(k));
        Ok(changed(id, clip, left.map(|(_, goal)| goal.clone()).collect()))
    }
}
