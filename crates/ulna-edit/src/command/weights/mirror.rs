//! Mirrors weights from one side to the other, within a skin or between the skins of one body.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::{MirrorWeights, PairJoints},
    run::{Job, ToolResult, done_by, jobs, reasons, run_all},
    uv_of,
};
use crate::{
    CommandError, Edit,
    command::{
        Outcome, Scene,
        field::{MirrorWay, Nodes, Side},
        names::mesh_label,
        weight_layers::mirrored_anew,
    },
};
use ulna_model::{Document, EditorState, MeshId, NodeId, Notice, Shared, SkinId};
use ulna_weights::{
    Joined, Scope, SkinnedSurface, bodies,
    layers::{NoSides, Sides},
};

impl PairJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let one = |nodes: &Nodes, name: &str| match nodes.all(document)?[..] {
            [node] if document.skins.values().any(|s| s.joints.contains(&node)) => Ok(node),
            [node] => Err(CommandError::other(
                "not_a_joint",
                format!("“{}” is not a joint of a skin", document.node(node).label(node)),
            )),
            _ => Err(CommandError::other(
                "one_node_wanted",
                format!("name exactly one joint as “{name}”"),
            )),
        };
        let joint = one(&self.joint, "joint")?;
        let with = self.with.as_ref().map(|with| one(with, "with")).transpose()?;
        let to: Shared<[_]> =
            document.aids.mirror_pairs.iter().copied().chain([(joint, with)]).collect();
        let mut edits = vec![Edit::SetMirrorPairs { to: to.clone() }];
        // The combined weights of mirrored layers depend on the pairs.
        let paired = Document {
            aids: EditorState { mirror_pairs: to, ..document.aids.clone() },
            ..document.clone()
        };
        edits.extend(mirrored_anew(&paired)?);
        Ok(edits)
    }
}

/// Returns the meshes of all skins that belong to the same body and are mirrored together.
pub fn meshes_of_body(document: &Document, skin: SkinId) -> Vec<MeshId> {
    let bodies = bodies(document);
    let skins = bodies.iter().find(|skins| skins.contains(&skin)).map_or(&[][..], |skins| skins);
    let canvases = skins.iter().filter_map(|s| SkinnedSurface::new(document, *s));
    let meshes: BTreeSet<MeshId> =
        canvases.flat_map(|c| c.parts().iter().map(|p| p.mesh).collect::<Vec<_>>()).collect();
    meshes.into_iter().collect()
}

/// Counts of vertices on the receiving side.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Number of vertices on the receiving side or on the mirror plane.
    taking: usize,
    /// Number of the changed vertices that have a mirror vertex.
    paired: usize,
}

impl Counts {
    fn add(&mut self, canvas: &SkinnedSurface, sides: &Sides, from_high: bool, scope: &Scope<'_>) {
        for vertex in (0..canvas.vertex_count() as u32).filter(|v| scope.has(*v)) {
            let point = canvas.point_of(vertex);
            let partner = sides.pairs.point(point);
            let high = canvas.rest()[point.index()][sides.axis] > sides.offset;
            if partner == Some(point) || high != from_high {
                self.taking += 1;
                self.paired += usize::from(partner.is_some());
            }
        }
    }
}

impl MirrorWeights {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let mut counts = Counts::default();
        let mut done = run_all(scene.document, &self.reach, "mirrored", |document| {
            self.all(document, &mut counts)
        })?;
        if done.edits.is_empty() && done.notes.is_empty() {
            let (giving, taking) = match self.from {
                Side::Left => ("left", "right"),
                Side::Right => ("right", "left"),
            };
            done.notes.push(match counts {
                Counts { taking: 0, .. } => {
                    let said = format!(
                        "nothing was mirrored: none of the given vertices is on the \
                            {taking} side, which receives the weights"
                    );
                    Notice::new("nothing_to_mirror", said)
                }
                Counts { paired: 0, .. } => {
                    let said = format!(
                        "nothing was mirrored: no vertex of the {taking} side has a mirror vertex \
                            on the {giving} side"
                    );
                    Notice::new("no_mirror_partner", said)
                }
                _ => Notice::new("nothing_to_change", "the sides are already symmetric"),
            });
        }
        Ok(done)
    }

    fn is_from_left(&self) -> bool {
        self.from == Side::Left
    }

    /// Mirrors each body with several skins as a whole, and all other skins separately.
    fn all(
        &self,
        document: &Document,
        counts: &mut Counts,
    ) -> Result<Vec<ToolResult>, CommandError> {
        let mut open: BTreeMap<SkinId, Job> = jobs(document, &self.reach, &[])?
            .into_iter()
            .map(|job| (job.canvas.skin, job))
            .collect();
        let mut all = Vec::new();
        for skins in bodies(document).iter().filter(|skins| skins.len() > 1) {
            if !skins.iter().any(|s| open.contains_key(s)) {
                continue;
            }
            let Some(joined) = Joined::of(document, skins) else { continue };
            let own: Vec<Job> =
                joined.canvases().iter().filter_map(|c| open.remove(&c.skin)).collect();
            if !own.is_empty() {
                all.extend(self.across(document, joined, &own, counts)?);
            }
        }
        for job in open.into_values() {
            all.push(self.within(document, job, counts)?);
        }
        Ok(all)
    }

    /// Mirrors within one skin.
    fn within(
        &self,
        document: &Document,
        job: Job,
        counts: &mut Counts,
    ) -> Result<ToolResult, CommandError> {
        let sides = match self.by {
            Some(MirrorWay::Uv) => {
                Sides::by_uv(document, &job.canvas, &|v| uv_of(document, &job.canvas, v))
            }
            Some(MirrorWay::Place) | None => Sides::of(document, &job.canvas),
        };
        let sides = sides.map_err(|why| match why {
            NoSides::OtherSkin => CommandError::other(
                "sides_on_other_skin",
                format!(
                    "the joints of the other side of “{}” belong to another skin, which no visible \
                    mesh with weights uses, so nothing can be mirrored",
                    first_mesh(document, &job.canvas)
                ),
            ),
            why => why.into(),
        })?;
        let from_high = sides.left_is_high == self.is_from_left();
        counts.add(&job.canvas, &sides, from_high, &job.scope());
        done_by(document, job, |draft, job| {
            Ok(draft.mirror(&sides.pairs, sides.axis, sides.offset, from_high, &job.scope()))
        })
    }

    /// Mirrors between the skins of a body. `jobs` are the jobs of these skins.
    fn across(
        &self,
        document: &Document,
        joined: Joined,
        jobs: &[Job],
        counts: &mut Counts,
    ) -> Result<Vec<ToolResult>, CommandError> {
        let all = joined.all();
        let mut wanted = vec![false; all.vertex_count()];
        for job in jobs {
            for part in job.canvas.parts() {
                let Some(first) = all.vertex_of(part.mesh, part.primitive, 0) else { continue };
                for own in (0..part.count).filter(|own| job.scope().has(part.first + own)) {
                    wanted[(first + own) as usize] = true;
                }
            }
        }
        let locked =
            self.reach.locked.as_ref().map(|l| l.all(document)).transpose()?.unwrap_or_default();
        let locked: BTreeSet<NodeId> = locked.into_iter().collect();
        let locked: Vec<bool> = all.joints().iter().map(|j| locked.contains(j)).collect();
        let vertices = wanted.contains(&false).then_some(&wanted[..]);
        let scope =
            Scope { locked: &locked, limit: self.reach.most.unwrap_or(usize::MAX), vertices };
        let uv = |v: u32| uv_of(document, all, v);
        let sides = match self.by {
            Some(MirrorWay::Uv) => joined.sides(Some(&uv)),
            Some(MirrorWay::Place) | None => joined.sides(None),
        };
        counts.add(all, &sides, sides.left_is_high == self.is_from_left(), &scope);
        let made = joined.mirror(document, &sides, self.is_from_left(), &scope);
        let mut left = reasons(&made.refused);
        let canvases = joined.into_canvases();
        for ((skin, joint), count) in made.missing {
            let mesh = canvases
                .iter()
                .find(|c| c.skin == skin)
                .map_or_else(String::new, |c| first_mesh(document, c));
            let why = format!(
                "their mirror image needs joint “{}”, which the skin of “{mesh}” does not have",
                document.node(joint).label(joint)
            );
            left.insert(why, count);
        }
        let mut done: Vec<ToolResult> = canvases
            .into_iter()
            .zip(made.changes)
            .map(|(canvas, changes)| ToolResult { canvas, changes, left: BTreeMap::new() })
            .collect();
        if let Some(first) = done.first_mut() {
            first.left = left;
        }
        Ok(done)
    }
}

/// Returns the name of the first mesh of a surface, for messages.
fn first_mesh(document: &Document, canvas: &SkinnedSurface) -> String {
    canvas.parts().first().map_or_else(String::new, |p| mesh_label(document, p.mesh))
}
