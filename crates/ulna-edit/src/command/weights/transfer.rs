//! Transfers weights from another mesh, by nearest surface point, texture coordinates or vertex
//! order.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use glam::Vec3;

use super::{
    commands::Transfer,
    fit::{CarriedVertices, fitted_note, follow_surfaces, has_clips, no_clips},
    run::run,
};
use crate::{
    CommandError, Outcome,
    command::{
        Scene,
        field::{CarryWay, TransferBy},
        mesh_skins::skin_of,
        names::mesh_label,
        rig_report::FitReport,
    },
};
use ulna_model::{Document, MeshId, NodeId, Notice, Primitive, PrimitiveId, SkinId, WeightMap};
use ulna_motion::joint_key;
use ulna_weights::{
    CarryBy, CarrySource, CarryingSurface, Distances, Giver, LaidBy, Refused, RowOf,
    SkinnedSurface, SurfacePoint, TakeWeight, carry, corners, laid_over, no_row, rest_scale,
    takers,
};

impl Transfer {
    /// Copies to each vertex the weights of the matching point on the source mesh in the rest pose.
    /// Joints are matched by node, or by name between different skins.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let by = self.by.map_or(CarryBy::Surface, CarryWay::way);
        let wants_fit = self.how == Some(TransferBy::Fit);
        let from = self.from.find(document)?;
        let skinned = |mesh: &MeshId| Some((*mesh, skin_of(document, *mesh)?));
        let primitives = from.iter().filter_map(skinned).flat_map(|(mesh, skin)| {
            let all = document.mesh(mesh).entries();
            all.filter_map(move |(id, p)| Source::of((mesh, id), p, skin))
        });
        let sources: Vec<Source<'_>> = primitives.collect();
        if sources.is_empty() {
            return Err(CommandError::other(
                "no_weights_meant",
                "“from” is not a skinned mesh with weights",
            ));
        }
        if wants_fit && by == CarryBy::Order {
            return Err(CommandError::other(
                "arguments_exclusive",
                "“fit” does not work with matching by vertex order; omit “how”, or use “by”: \
                    “surface” or “uv”",
            ));
        }
        if by == CarryBy::Uv && sources.iter().all(|s| s.primitive.uv0.is_empty()) {
            return Err(CommandError::other(
                "no_texture_coordinates",
                "the source mesh has no texture coordinates; use “by”: “surface”",
            ));
        }
        let (mut distances, mut laid) = (Distances::default(), None);
        let (is_fitted, mut report) = (wants_fit && has_clips(document), FitReport::default());
        let done = run(document, &self.reach, "transferred to", |draft, job| {
            let canvas = &job.canvas;
            let scope = job.scope();
            let wanted: Vec<u32> = (0..canvas.vertex_count() as u32)
                .filter(|v| scope.has(*v))
                .filter(|v| !from.contains(&canvas.parts()[canvas.part_of(*v).0].mesh))
                .collect();
            if wanted.is_empty() {
                return Ok(Refused::new());
            }
            if by == CarryBy::Order {
                same_numbers(document, canvas, &wanted, &sources)?;
            }
            let mut known: BTreeMap<SkinId, Vec<Option<u16>>> = BTreeMap::new();
            for source in &sources {
                known.entry(source.skin).or_insert_with(|| source.joints(document, canvas));
            }
            let joints: Vec<&[Option<u16>]> = sources.iter().map(|s| &known[&s.skin][..]).collect();
            let givers: Vec<Giver<'_>> =
                sources.iter().zip(&joints).map(|(s, joints)| s.giver(joints)).collect();
            let takers = takers(document, &givers);
            let rows: Vec<_> =
                sources.iter().zip(&takers).map(|(s, joints)| row_of(s.map, joints)).collect();
            let (places, how) = placed(document, canvas, &givers, &wanted);
            let lying = if is_fitted { places.clone() } else { Vec::new() };
            let near = sources
                .iter()
                .zip(places)
                .zip(&rows)
                .map(|((s, positions), row)| s.seen(positions, row));
            let near: Vec<CarrySource<'_>> = near.collect();
            // By vertex order, each primitive is matched to the source primitive with the same
            // index.
            let near = if by == CarryBy::Order { in_order_of(canvas, &wanted, near) } else { near };
            let carried = carry(canvas, &|v| uv_of(document, canvas, v), &near, by, &wanted);
            distances.add(&carried, rest_scale(document, canvas.skin));
            if !carried.distances.is_empty() && how != LaidBy::Bind {
                laid = Some(how);
            }
            let vertices: Vec<u32> = carried.rows.iter().map(|row| row.0).collect();
            let mut refused = draft.put_as_is(&scope, carried.rows);
            if is_fitted {
                let same = same_joints(document, canvas, &sources);
                let surfaces = carrying(&sources, &lying, &same);
                let carried = moved_alike(vertices.into_iter().zip(carried.points), &same);
                let of = (&surfaces[..], &carried);
                let fitted =
                    follow_surfaces(document, (draft, job), of, &mut report, scene.cancel())?;
                fitted.into_iter().for_each(|(why, n)| *refused.entry(why).or_default() += n);
            }
            Ok(refused)
        })?;
        if done.edits.is_empty() {
            return Ok(done);
        }
        let laid = laid.and_then(LaidBy::text).map(|said| Notice::new("posed_alike", said));
        let far = distances.text().map(|said| Notice::new("transfer_distances", said));
        let fit = wants_fit.then(|| fit_note(is_fitted, &report));
        let notes = done.notes.into_iter().chain(laid).chain(far).chain(fit).collect();
        Ok(Outcome { notes, ..done })
    }
}

/// Returns the note on the fit of transferred weights.
fn fit_note(has_clips: bool, report: &FitReport) -> Notice {
    const COPIED: &str = "the weights were copied as they are";
    if !has_clips {
        return no_clips(COPIED);
    }
    if report.vertices == 0 {
        let said = format!("the skins have no joint in common, so {COPIED}");
        return Notice::new("no_common_joints", said);
    }
    fitted_note(report, "mean distance from the motion of the source", "the copied weights")
}

/// Returns, for each source and each of its joint indices, the index of the same node in the skin
/// of a surface.
fn same_joints(
    document: &Document,
    canvas: &SkinnedSurface,
    sources: &[Source<'_>],
) -> Vec<Vec<Option<u16>>> {
    let of = |s: &Source<'_>| {
        document.skin(s.skin).joints.iter().map(|joint| canvas.joint(*joint)).collect()
    };
    sources.iter().map(of).collect()
}

/// Returns the surfaces of the sources in the rest pose, in the mesh space of a target surface.
fn carrying<'a>(
    sources: &[Source<'_>],
    places: &'a [Vec<Vec3>],
    joints: &'a [Vec<Option<u16>>],
) -> Vec<CarryingSurface<'a>> {
    let surface = |((s, positions), joints): ((&Source<'_>, &'a Vec<Vec3>), &'a Vec<_>)| {
        CarryingSurface { key: s.key, skin: s.skin, positions, joints }
    };
    sources.iter().zip(places).zip(joints).map(surface).collect()
}

/// Returns the points of sources that share joints with the target. Other points do not move with
/// the target in the clips.
fn moved_alike(
    points: impl Iterator<Item = (u32, SurfacePoint)>,
    joints: &[Vec<Option<u16>>],
) -> CarriedVertices {
    let is_moved = |(_, point): &(u32, SurfacePoint)| {
        joints.get(point.source).is_some_and(|joints| joints.iter().any(Option::is_some))
    };
    points.filter(is_moved).collect()
}

/// Returns the vertex positions of each source primitive in the mesh space of the target.
fn placed(
    document: &Document,
    canvas: &SkinnedSurface,
    givers: &[Giver<'_>],
    wanted: &[u32],
) -> (Vec<Vec<Vec3>>, LaidBy) {
    let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
    for giver in givers {
        for (node, joint) in document.skin(giver.skin).joints.iter().zip(giver.joints) {
            if let Some(to) = joint.map(|k| canvas.joints()[usize::from(k)])
                && pairs.iter().all(|(a, b)| a != node && *b != to)
            {
                pairs.push((*node, to));
            }
        }
    }
    laid_over((document, document), canvas, givers, &pairs, wanted)
}

/// Returns the joint index for a joint name of another program. The order of comparison is: the
/// name, the path, the name without a namespace, the side and body part.
pub fn joint_named(document: &Document, joints: &[NodeId], name: &str) -> Option<u16> {
    let only = |is: &dyn Fn(NodeId) -> bool| {
        let mut found = joints.iter().enumerate().filter(|(_, n)| is(**n));
        let first = found.next()?;
        found.next().is_none().then_some(first.0 as u16)
    };
    let label = |n: NodeId| document.node(n).label(n);
    let last = |text: &str| text.rsplit([':', '|', '/']).next().unwrap_or(text).to_owned();
    only(&|n| label(n) == name)
        .or_else(|| only(&|n| document.path(n) == name))
        .or_else(|| only(&|n| last(&label(n)) == last(name)))
        .or_else(|| only(&|n| joint_key(&label(n)) == joint_key(name)))
}

/// Returns the first texture coordinates of a vertex; `None` if it has none.
pub fn uv_of(document: &Document, canvas: &SkinnedSurface, vertex: u32) -> Option<glam::Vec2> {
    let (part, own) = canvas.part_of(vertex);
    let part = &canvas.parts()[part];
    let uvs = &document.primitive(part.mesh, part.primitive)?.uv0;
    uvs.get(own as usize).copied().filter(|uv| uv.is_finite())
}

/// Checks that each target primitive has as many vertices as its source primitive.
fn same_numbers(
    document: &Document,
    canvas: &SkinnedSurface,
    wanted: &[u32],
    sources: &[Source<'_>],
) -> Result<(), CommandError> {
    let parts: BTreeSet<usize> = wanted.iter().map(|v| canvas.part_of(*v).0).collect();
    let counts: Vec<usize> = parts.iter().map(|k| canvas.parts()[*k].count as usize).collect();
    let theirs: Vec<usize> = sources.iter().map(|s| s.primitive.positions.len()).collect();
    if counts == theirs {
        return Ok(());
    }
    let name =
        parts.first().map_or_else(String::new, |k| mesh_label(document, canvas.parts()[*k].mesh));
    Err(CommandError::other(
        "vertex_counts_differ",
        format!(
            "“{name}” has {} vertices, but the other mesh has {}, so they cannot be matched by \
                order; use “by”: “surface” or “uv”",
            counts.iter().sum::<usize>(),
            theirs.iter().sum::<usize>()
        ),
    ))
}

/// Orders the sources by the target primitives that use them.
fn in_order_of<'a>(
    canvas: &SkinnedSurface,
    wanted: &[u32],
    sources: Vec<CarrySource<'a>>,
) -> Vec<CarrySource<'a>> {
    let parts: BTreeSet<usize> = wanted.iter().map(|v| canvas.part_of(*v).0).collect();
    let mut sources = sources.into_iter();
    let none = || CarrySource {
        count: 0,
        positions: Vec::new(),
        uvs: &[],
        indices: Cow::Borrowed(&[]),
        row: &no_row,
    };
    // A target primitive without vertices to change does not use its source.
    (0..canvas.parts().len())
        .map(|k| if parts.contains(&k) { sources.next() } else { None }.unwrap_or_else(none))
        .collect()
}

/// Returns a function that enumerates the weights of a vertex with converted joint indices.
fn row_of<'a>(
    map: &'a WeightMap,
    joints: &'a [Option<u16>],
) -> impl Fn(u32, &mut TakeWeight<'_>) + Sync + 'a {
    move |vertex, take| {
        for (j, w) in map.vertex(vertex as usize).filter(|(_, w)| *w > 0.0) {
            take(joints.get(usize::from(j)).copied().flatten(), w);
        }
    }
}

/// A primitive from which weights are transferred.
struct Source<'a> {
    key: (MeshId, PrimitiveId),
    primitive: &'a Primitive,
    map: &'a WeightMap,
    skin: SkinId,
}

impl<'a> Source<'a> {
    fn of(key: (MeshId, PrimitiveId), primitive: &'a Primitive, skin: SkinId) -> Option<Self> {
        Some(Self { key, primitive, map: primitive.weights.as_deref()?, skin })
    }

    /// Returns the target joint index per source joint. Joints are matched by node, name, or body
    /// part.
    fn joints(&self, document: &Document, canvas: &SkinnedSurface) -> Vec<Option<u16>> {
        let label = |node: NodeId| document.node(node).label(node);
        let named = |node: NodeId| {
            canvas.joints().iter().position(|j| label(*j) == label(node)).map(|k| k as u16)
        };
        let known = |node: NodeId| {
            joint_named(document, canvas.joints(), &label(node)).or_else(|| named(node))
        };
        let own = &document.skin(self.skin).joints;
        own.iter().map(|n| canvas.joint(*n).or_else(|| known(*n))).collect()
    }

    /// Returns the source with its target joint indices.
    const fn giver<'b>(&self, joints: &'b [Option<u16>]) -> Giver<'b>
    where
        'a: 'b,
    {
        Giver { primitive: self.primitive, skin: self.skin, joints }
    }

    /// Returns the source with its vertex positions in the mesh space of the target.
    fn seen<'b>(&'b self, positions: Vec<Vec3>, row: &'b RowOf<'b>) -> CarrySource<'b> {
        CarrySource {
            count: self.primitive.positions.len(),
            positions,
            uvs: &self.primitive.uv0,
            indices: corners(self.primitive),
            row,
        }
    }
}
