//! Adds joints below other joints, or at the top of the scene.

use std::collections::BTreeSet;

use glam::DVec3;

use super::{
    commands::AddJoint, finish::finish, rename::other_side, rewrite::RigDraft, tree::free_name,
    twins::Twins,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, last_rank, scene_of, world},
    },
};
use ulna_model::{Document, Local, Node, NodeId, Transform, transform::is_invertible};

/// Largest distance from the mirror plane that counts as zero, as a fraction of the distance from
/// the origin.
const IN_PLANE: f64 = 1e-6;

/// A joint to add.
struct NewJoint {
    parent: Option<NodeId>,
    /// Position in the scene, in meters.
    at: DVec3,
    name: String,
}

impl AddJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let parents = match &self.parent {
            Some(parent) => parent.all(document)?.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut rig = RigDraft::of(document);
        for joint in self.joints(document, &parents)? {
            add(&mut rig, joint)?;
        }
        finish(rig, scene, None)
    }

    /// Returns the requested joints. With symmetry, each is followed by its mirror image.
    fn joints(
        &self,
        document: &Document,
        parents: &[Option<NodeId>],
    ) -> Result<Vec<NewJoint>, CommandError> {
        let twins = self.symmetric.unwrap_or(false).then(|| Twins::of(document));
        let mut all = Vec::new();
        for parent in parents {
            let base = world(document, *parent, RestOrPose::Rest);
            let at = match (self.at, self.by, parents) {
                (Some(at), None, [_]) => at.as_dvec3(),
                (Some(_), None, _) => {
                    return refuse(
                        "arguments_together",
                        "“at” is the position of a single joint; use “by” for several parents",
                    );
                }
                (None, Some(by), _) => base.w_axis.truncate() + by.as_dvec3(),
                _ => return refuse("argument_missing", "use either “at” or “by”"),
            };
            let name = self.name.clone().unwrap_or_else(|| next_name(document, *parent));
            let twin = twins.as_ref().and_then(|twins| mirrored(document, twins, *parent, at));
            let Some((across, there)) = twin else {
                all.push(NewJoint { parent: *parent, at, name });
                continue;
            };
            // If both parents are given, each already gets its own joint.
            let is_named = across != *parent && parents.contains(&across);
            let (name, other) = match other_side(&name) {
                Some(other) => (name, other),
                None if at.x > there.x => (format!("{name}_L"), format!("{name}_R")),
                None => (format!("{name}_R"), format!("{name}_L")),
            };
            all.push(NewJoint { parent: *parent, at, name });
            if !is_named {
                all.push(NewJoint { parent: across, at: there, name: other });
            }
        }
        Ok(all)
    }
}

/// Returns the parent and the position of the mirror image of a new joint; `None` if the image is
/// the joint itself.
fn mirrored(
    document: &Document,
    twins: &Twins<'_>,
    parent: Option<NodeId>,
    at: DVec3,
) -> Option<(Option<NodeId>, DVec3)> {
    let there = twins.reflection(parent).transform_point3(at);
    let partner = parent.and_then(|p| twins.partner(p));
    let base = world(document, parent, RestOrPose::Rest).w_axis.truncate();
    let size = at.length().max(base.length()).max(f64::MIN_POSITIVE);
    let is_center = partner.is_none() && there.distance(at) <= IN_PLANE * size;
    (!is_center).then_some((partner.or(parent), there))
}

fn add(rig: &mut RigDraft, joint: NewJoint) -> Result<(), CommandError> {
    let NewJoint { parent, at, name } = joint;
    let document = rig.document().clone();
    let above = world(&document, parent, RestOrPose::Rest);
    let translation = above.inverse().transform_point3(at);
    if !is_invertible(above.determinant()) || !translation.is_finite() {
        let label = parent.map(|p| document.node(p).label(p)).unwrap_or_default();
        return refuse(
            "squashed_flat",
            format!(
                "“{label}” is scaled to 0, so no joint can be added below it; set another scale \
                    first"
            ),
        );
    }
    let rest = Transform { translation: translation.as_vec3(), ..Transform::IDENTITY };
    let id = document.nodes.next_id();
    let to = Node {
        name: Some(free_name(&document, name).into()),
        parent,
        rank: last_rank(&document, parent),
        rest: Local::Trs(rest),
        ..Node::default()
    };
    rig.draft.put(Edit::node(id, to))?;
    if let (None, Some(scene)) = (parent, scene_of(&document)) {
        let roots = document.scenes[scene].roots.iter().copied().chain([id]).collect();
        rig.draft.put(Edit::SetRoots { scene, to: roots })?;
    }
    Ok(())
}

/// Returns the parent's name with the next number, before the side: `Spine` becomes `Spine1`, and
/// `Arm.L` becomes `Arm1.L`. Without a parent, the name is `Joint`.
fn next_name(document: &Document, parent: Option<NodeId>) -> String {
    /// Name endings that mark the side.
    const SIDES: [&str; 10] = [".L", ".R", "_L", "_R", ".l", ".r", "_l", "_r", "_left", "_right"];
    let Some(parent) = parent else { return "Joint".to_owned() };
    let label = document.node(parent).label(parent);
    let side = SIDES.into_iter().find(|side| label.ends_with(side)).unwrap_or_default();
    let stem = &label[..label.len() - side.len()];
    let base = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: u64 = stem[base.len()..].parse().unwrap_or(0);
    // Both sides use the same numbers, so a number of either side is taken.
    let numbers = document.nodes.values().filter_map(|n| {
        let rest = n.name.as_deref()?.strip_prefix(base)?;
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest[..rest.len() - digits.len()].parse::<u64>().ok()
    });
    let taken: BTreeSet<u64> = numbers.collect();
    let mut free = (1..).map(|k| number.saturating_add(k));
    let number = free.find(|k| !taken.contains(k)).unwrap_or(number);
    format!("{base}{number}{side}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_new_joint_has_the_next_number_before_the_side_marker() {
        let mut document = Document::default();
        let mut name = |text: &str| {
            let id = document.nodes.next_id();
            let node = Node { name: Some(text.into()), ..Node::default() };
            crate::apply(&mut document, Edit::node(id, node)).unwrap();
            next_name(&document, Some(id))
        };
        assert_eq!(name("Spine"), "Spine1");
        assert_eq!(name("Spine1"), "Spine2");
        assert_eq!(name("Spine"), "Spine2", "the first free number");
        assert_eq!(name("upper_arm.L"), "upper_arm1.L");
        assert_eq!(name("finger_09_r"), "finger_10_r");
        assert_eq!(name("upper_arm1_r"), "upper_arm2_r");
        assert_eq!(name("upper_arm.R"), "upper_arm2.R", "the other side has number 1");
        assert_eq!(name("腕"), "腕1");
    }
}
