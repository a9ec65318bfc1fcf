//! The humanoid map, which assigns joints to the bones of a human.

use std::{collections::BTreeMap, sync::Arc};

use super::commands::HumanoidMap;
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, error::refuse, field::Counterparts},
};
use ulna_model::{Document, NodeId, Notice, Shared};
use ulna_motion::{guessed_bones, humanoid_bone, humanoid_map, misplaced_bones, missing_bones};

/// Joints by the bone names of VRM 1.0.
type Bones = BTreeMap<&'static str, NodeId>;

impl HumanoidMap {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let given = self.bones.as_ref().map(|b| given(document, b)).transpose()?;
        let before = humanoid_map(document);
        let mut map = if self.clear == Some(true) { Bones::new() } else { before.clone() };
        for (role, node) in given.iter().flatten() {
            match node {
                Some(node) => {
                    // A joint can be only one bone, so its old entry is removed.
                    map.retain(|_, n| n != node);
                    map.insert(role, *node);
                }
                None => {
                    map.remove(role);
                }
            }
        }
        let asks_nothing = given.is_none() && self.clear != Some(true);
        let mut guessed = 0;
        if self.guess.unwrap_or(asks_nothing) {
            for (role, node) in guessed_bones(document) {
                let is_named = given.iter().flatten().any(|(r, _)| *r == role);
                if !is_named && !map.contains_key(role) && !map.values().any(|n| *n == node) {
                    map.insert(role, node);
                    guessed += 1;
                }
            }
        }
        if map == before {
            let said = match (map.is_empty(), asks_nothing) {
                (true, true) => "no joint could be recognized as a bone of a humanoid",
                _ => "the humanoid map already has this content",
            };
            return Ok(Outcome::noted("humanoid_unchanged", said));
        }
        Ok(Outcome {
            edits: vec![edit(document, &map)?],
            notes: notes(document, &map, guessed),
            ..Outcome::default()
        })
    }
}

/// Returns the bones in an argument with their joints; `None` for bones to clear.
fn given(
    document: &Document,
    bones: &Counterparts,
) -> Result<Vec<(&'static str, Option<NodeId>)>, CommandError> {
    let found = bones.find(document)?;
    let mut all: Vec<(&'static str, Option<NodeId>)> = Vec::with_capacity(bones.0.len());
    for (text, _) in &bones.0 {
        let Some(bone) = humanoid_bone(text) else {
            return refuse(
                "no_such_bone",
                format!(
                    "“{text}” is not a humanoid bone; use a name of VRM 1.0, such as hips, \
                        leftUpperArm or rightFoot"
                ),
            );
        };
        let node = found.get(text).copied().flatten();
        let twice = |(role, n): &(&'static str, Option<NodeId>)| {
            *role == bone.role || (node.is_some() && *n == node)
        };
        if all.iter().any(twice) {
            return refuse("named_twice", format!("“bones” names “{text}” or its joint twice"));
        }
        all.push((bone.role, node));
    }
    Ok(all)
}

/// Returns the edit that stores the map in the VRM avatar, or in the scene.
fn edit(document: &Document, map: &Bones) -> Result<Edit, CommandError> {
    let spelled = |role: &str| document.vrm.as_ref().map_or(role.into(), |vrm| vrm.spelled(role));
    // Entries that are not humanoid bones are kept.
    let kept = document.humanoid().into_iter().flat_map(|vrm| {
        let roles = vrm.roles().zip(vrm.bones.iter());
        roles.filter(|((role, _), _)| humanoid_bone(role).is_none()).map(|(_, own)| own.clone())
    });
    let bones = map.iter().map(|(role, node)| (Arc::<str>::from(&*spelled(role)), *node));
    let all: BTreeMap<Arc<str>, NodeId> = kept.chain(bones).collect();
    let to: Shared<[(Arc<str>, NodeId)]> = all.into_iter().collect();
    let Some(vrm) = &document.vrm else {
        let Some(scene) = document.keeping_scene() else {
            return refuse(
                "no_scene",
                "this file has no scene, so a humanoid map cannot be saved in it",
            );
        };
        return Ok(Edit::SetHumanoid { scene: Some(scene), to });
    };
    let head = map.get("head").copied();
    let looks =
        document.node_space.vectors.iter().any(|v| v.pointer.contains("offsetFromHeadBone"));
    if looks && vrm.node("head") != head {
        return refuse(
            "look_at_on_head",
            "the look-at point of the avatar is in the space of its head bone, so the head bone \
                cannot change",
        );
    }
    Ok(Edit::SetHumanoid { scene: None, to })
}

/// Returns notes about guessed, missing and misplaced bones.
fn notes(document: &Document, map: &Bones, guessed: usize) -> Vec<Notice> {
    let mut notes = Vec::new();
    if guessed > 0 {
        let bones =
            if guessed == 1 { "1 bone was".to_owned() } else { format!("{guessed} bones were") };
        notes.push(Notice::new("bones_guessed", format!("{bones} guessed")));
    }
    let missing = missing_bones(map);
    if !missing.is_empty() && !map.is_empty() {
        let said = format!("required bones without a joint: {}", missing.join(", "));
        notes.push(Notice::new("bones_missing", said));
    }
    let misplaced = misplaced_bones(document, map);
    if let Some((role, above)) = misplaced.first() {
        let more = match misplaced.len() {
            1 => String::new(),
            n => format!(", and {} more", n - 1),
        };
        let said = format!("the joint of {role} is not below the joint of {above}{more}");
        notes.push(Notice::new("bones_misplaced", said));
    }
    notes
}
