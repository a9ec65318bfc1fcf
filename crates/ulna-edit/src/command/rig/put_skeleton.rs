//! Adds the skeleton of another model as new nodes.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3};

use super::{
    commands::PutSkeleton,
    matched_points::MatchedPoints,
    skeleton_fit::{Placing, displacements},
    skeleton_source::{SkeletonSource, surface_at_rest},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{last_rank, scene_of},
    },
};
use ulna_model::{Document, Local, Node, NodeId, Notice, Transform};

/// Largest offset of a body's center from x = 0 that is ignored, as a fraction of its width.
const OFF_CENTER: f64 = 0.05;
/// Maximum number of names in a notice.
const NAMED: usize = 3;

impl PutSkeleton {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let source = self.skeleton.read()?;
        let body = surface_at_rest(document).bounds();
        let body = body.map(|(low, high)| (low.as_dvec3(), high.as_dvec3()));
        let given = self.points.as_ref().map(|p| resolved(&source, p)).transpose()?;
        let mut points = given.unwrap_or_default();
        if self.symmetric.unwrap_or(false) {
            let plane = body.map_or(0.0, |(low, high)| {
                let center = (low.x + high.x) * 0.5;
                if center.abs() > OFF_CENTER * (high.x - low.x) { center } else { 0.0 }
            });
            points = with_mirrored(&source, &points, plane);
        }
        let placed = Placed::of(&source, &points, body, self.symmetric.unwrap_or(false))?;
        let names = Names::of(document, &source, self.prefix.as_deref().unwrap_or_default());
        let edits = nodes(document, &source, &placed, &names.all)?;
        let mut notes = vec![Notice::new("skeleton_copied", placed.sentence(source.len()))];
        notes.extend(names.note());
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

/// Returns the matched points by joint index, instead of by joint name.
fn resolved(
    source: &SkeletonSource,
    points: &MatchedPoints,
) -> Result<BTreeMap<usize, DVec3>, CommandError> {
    let mut found = BTreeMap::new();
    for (name, point) in &points.0 {
        let mut all = source.joints.iter().enumerate().filter(|(_, j)| j.name == *name);
        let Some((joint, _)) = all.next() else {
            return refuse(
                "no_such_source_joint",
                format!("“points” names “{name}”, which is no joint of the copied skeleton"),
            );
        };
        if all.next().is_some() {
            return refuse(
                "name_ambiguous",
                format!("the copied skeleton has several joints named “{name}”; use other points"),
            );
        }
        if found.insert(joint, *point).is_some() {
            return refuse("named_twice", format!("“points” names “{name}” twice"));
        }
    }
    Ok(found)
}

/// Adds mirrored points for the other side. Joints in the middle get points on the mirror plane.
fn with_mirrored(
    source: &SkeletonSource,
    points: &BTreeMap<usize, DVec3>,
    plane: f64,
) -> BTreeMap<usize, DVec3> {
    let mut all = points.clone();
    for (joint, point) in points {
        let Some(mirror) = source.joints[*joint].mirror else { continue };
        if mirror == *joint {
            all.insert(*joint, DVec3 { x: plane, ..*point });
        } else {
            let across = DVec3 { x: 2.0 * plane - point.x, ..*point };
            all.entry(mirror).or_insert(across);
        }
    }
    all
}

/// New positions of all joints.
struct Placed {
    positions: Vec<DVec3>,
    rotation: DQuat,
    placing: Placing,
    /// Number of matched points, and the largest distance of a joint from its point, in meters.
    points: (usize, f64),
}

impl Placed {
    fn of(
        source: &SkeletonSource,
        points: &BTreeMap<usize, DVec3>,
        body: Option<(DVec3, DVec3)>,
        is_symmetric: bool,
    ) -> Result<Self, CommandError> {
        let from: Vec<DVec3> = source.joints.iter().map(|j| j.position.as_dvec3()).collect();
        let by_heights =
            || body.map_or(Placing::NONE, |b| Placing::by_heights(source.corners(), b));
        let pairs: Vec<(DVec3, DVec3)> = points.iter().map(|(k, p)| (from[*k], *p)).collect();
        let placing = match pairs[..] {
            [] => by_heights(),
            [one] => by_heights().through(one),
            _ => match Placing::by_points(&pairs, is_symmetric) {
                Some(placing) => placing,
                None => {
                    return refuse(
                        "points_do_not_fit",
                        "the points do not match the joints: all are at the same position, or in \
                            the reverse arrangement of the joints; check the points",
                    );
                }
            },
        };
        let mut positions: Vec<DVec3> = from.iter().map(|p| placing.at(*p)).collect();
        if points.len() > 2 {
            let off = points.iter().map(|(k, p)| (*k, *p - positions[*k])).collect();
            let parents: Vec<_> = source.joints.iter().map(|j| j.parent).collect();
            let moved = displacements(&parents, &positions, &off);
            positions.iter_mut().zip(moved).for_each(|(p, d)| *p += d);
        }
        let apart = points.iter().map(|(k, p): (&usize, &DVec3)| positions[*k].distance(*p));
        let points = (points.len(), apart.fold(0.0, f64::max));
        Ok(Self { positions, rotation: placing.rotation(), placing, points })
    }

    fn sentence(&self, joints: usize) -> String {
        let joints =
            if joints == 1 { "1 joint was".to_owned() } else { format!("{joints} joints were") };
        let Placing { scale, turn, .. } = self.placing;
        let turned = match turn.to_degrees() {
            0.0 => String::new(),
            degrees => format!(", turned by {degrees:.0}° about the vertical"),
        };
        let met = match self.points {
            (0 | 1, _) => String::new(),
            (_, apart) if apart < 5e-5 => ", exactly at the matched points".to_owned(),
            (_, apart) => format!(", within {:.1} mm of the matched points", apart * 1000.0),
        };
        format!("{joints} copied at {:.4} times their size{turned}{met}", scale)
    }
}

/// Names of the new nodes.
struct Names {
    all: Vec<String>,
    /// New names of joints whose own name was already in use.
    numbered: Vec<String>,
}

impl Names {
    fn of(document: &Document, source: &SkeletonSource, prefix: &str) -> Self {
        let mut taken: BTreeSet<String> =
            document.nodes.values().filter_map(|n| n.name.as_deref()).map(str::to_owned).collect();
        let (mut all, mut numbered) = (Vec::with_capacity(source.len()), Vec::new());
        // Next number to try, per name.
        let mut next: BTreeMap<String, usize> = BTreeMap::new();
        for joint in &source.joints {
            let base = format!("{prefix}{}", joint.name);
            let mut name = base.clone();
            while taken.contains(&name) {
                let number = next.entry(base.clone()).or_insert(2);
                name = format!("{base}{number}");
                *number += 1;
            }
            if name != base {
                numbered.push(name.clone());
            }
            taken.insert(name.clone());
            all.push(name);
        }
        Self { all, numbered }
    }

    fn note(&self) -> Option<Notice> {
        let count = self.numbered.len();
        let shown: Vec<String> =
            self.numbered.iter().take(NAMED).map(|n| format!("“{n}”")).collect();
        let more =
            if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
        let names =
            if count == 1 { "1 name was".to_owned() } else { format!("{count} names were") };
        let said = format!("{names} taken already and got a number: {}{more}", shown.join(", "));
        (count > 0).then(|| Notice::new("joint_names_taken", said))
    }
}

/// Returns the edits that add the joints.
fn nodes(
    document: &Document,
    source: &SkeletonSource,
    placed: &Placed,
    names: &[String],
) -> Result<Vec<Edit>, CommandError> {
    let first = document.nodes.next_id().0;
    let id = |k: usize| NodeId(first + k as u32);
    let rotations: Vec<DQuat> = source
        .joints
        .iter()
        .map(|j| (placed.rotation * j.rotation.as_dquat()).normalize())
        .collect();
    let top = last_rank(document, None);
    let (mut made, mut roots) = (Vec::with_capacity(source.len()), Vec::new());
    for (k, joint) in source.joints.iter().enumerate() {
        // Copied joints have no scale.
        let (above, origin) = joint
            .parent
            .map_or((DQuat::IDENTITY, DVec3::ZERO), |p| (rotations[p], placed.positions[p]));
        let back = above.conjugate();
        let local = Transform {
            translation: (back * (placed.positions[k] - origin)).as_vec3(),
            rotation: (back * rotations[k]).normalize().as_quat(),
            ..Transform::IDENTITY
        };
        if !local.is_finite() {
            return refuse(
                "not_finite",
                "the copied joints would be too far away; check the points",
            );
        }
        if joint.parent.is_none() {
            roots.push(id(k));
        }
        let node = Node {
            name: Some(names[k].as_str().into()),
            parent: joint.parent.map(id),
            rank: if joint.parent.is_none() { top } else { k as u32 },
            rest: Local::Trs(local),
            ..Node::default()
        };
        made.push((id(k), Some(Box::new(node))));
    }
    let mut edits = vec![Edit::SetNodes(made)];
    if let Some(scene) = scene_of(document) {
        let to = document.scenes[scene].roots.iter().copied().chain(roots).collect();
        edits.push(Edit::SetRoots { scene, to });
    }
    Ok(edits)
}
