//! Weights from another mesh: each vertex takes what the nearest spot of that has, or what lies at its texture coordinates.

use std::collections::BTreeSet;

use super::{Transfer, mesh_label, run, skin_of};
use crate::{
    edit::{
        CommandError, Outcome,
        command::{Scene, field::CarryWay},
    },
    model::{Document, MeshId, NodeId, Primitive, SkinId, WeightMap},
    weights::{Canvas, Carried, CarryBy, CarrySource, Refused, RowOf, TakeWeight, carry, mesh_from_mesh, no_row},
};

impl Transfer {
    /// Each vertex takes what the spot of that mesh at rest has, joints by their nodes, or by their names where the other mesh hangs on
    /// another skin.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let by = self.by.map_or(CarryBy::Surface, CarryWay::way);
        let from = self.from.find(document)?;
        let skinned = |mesh: &MeshId| Some((*mesh, skin_of(document, *mesh)?));
        let primitives = from
            .iter()
            .filter_map(skinned)
            .flat_map(|(mesh, skin)| document.mesh(mesh).primitives.iter().filter_map(move |p| Source::of(p, skin)));
        let sources: Vec<Source<'_>> = primitives.collect();
        if sources.is_empty() {
            return Err(CommandError::Other("“from” names no mesh with weights that hangs on a skin".into()));
        }
        if by == CarryBy::Uv && sources.iter().all(|s| s.primitive.uv0.is_empty()) {
            return Err(CommandError::Other(
                "the mesh that is named has no texture coordinates; transfer by surface".into(),
            ));
        }
        run(document, &self.reach, "transferred to", |draft, job| {
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
            let joints: Vec<Vec<Option<u16>>> = sources.iter().map(|s| s.joints(document, canvas)).collect();
            let rows: Vec<_> = sources.iter().zip(&joints).map(|(s, joints)| row_of(s.map, joints)).collect();
            let near =
                sources.iter().zip(&joints).zip(&rows).map(|((s, joints), row)| s.seen(document, canvas, joints, row));
            let near: Vec<CarrySource<'_>> = near.collect();
            // By order each part takes from the one of its number.
            let near = if by == CarryBy::Order { in_order_of(canvas, &wanted, near) } else { near };
            let Carried { rows, .. } = carry(canvas, &|v| uv_of(document, canvas, v), &near, by, &wanted);
            Ok(draft.put_as_is(&scope, rows))
        })
    }
}

/// The first texture coordinates of a vertex.
pub fn uv_of(document: &Document, canvas: &Canvas, vertex: u32) -> Option<glam::Vec2> {
    let (part, own) = canvas.part_of(vertex);
    let part = &canvas.parts()[part];
    let uvs = &document.primitive(part.mesh, part.primitive)?.uv0;
    uvs.get(own as usize).copied().filter(|uv| uv.is_finite())
}

/// Whether what takes has as many vertices as what gives, part by part.
fn same_numbers(
    document: &Document,
    canvas: &Canvas,
    wanted: &[u32],
    sources: &[Source<'_>],
) -> Result<(), CommandError> {
    let parts: BTreeSet<usize> = wanted.iter().map(|v| canvas.part_of(*v).0).collect();
    let counts: Vec<usize> = parts.iter().map(|k| canvas.parts()[*k].count as usize).collect();
    let theirs: Vec<usize> = sources.iter().map(|s| s.primitive.positions.len()).collect();
    if counts == theirs {
        return Ok(());
    }
    let name = parts.first().map_or_else(String::new, |k| mesh_label(document, canvas.parts()[*k].mesh));
    Err(CommandError::Other(format!(
        "“{name}” has {} vertices and the other mesh {}, so their numbers do not say which is which; transfer by surface or by uv",
        counts.iter().sum::<usize>(),
        theirs.iter().sum::<usize>()
    )))
}

/// The sources put where the parts that take from them are.
fn in_order_of<'a>(canvas: &Canvas, wanted: &[u32], sources: Vec<CarrySource<'a>>) -> Vec<CarrySource<'a>> {
    let parts: BTreeSet<usize> = wanted.iter().map(|v| canvas.part_of(*v).0).collect();
    let mut sources = sources.into_iter();
    let none = || CarrySource { count: 0, positions: Vec::new(), uvs: &[], indices: &[], row: &no_row };
    // The source of a part that takes nothing is never asked.
    (0..canvas.parts().len())
        .map(|k| if parts.contains(&k) { sources.next() } else { None }.unwrap_or_else(none))
        .collect()
}

/// What a vertex of a map has, joints by other numbers.
fn row_of<'a>(map: &'a WeightMap, joints: &'a [Option<u16>]) -> impl Fn(u32, &mut TakeWeight<'_>) + Sync + 'a {
    move |vertex, take| {
        for (j, w) in map.vertex(vertex as usize).filter(|(_, w)| *w > 0.0) {
            take(joints.get(usize::from(j)).copied().flatten(), w);
        }
    }
}

/// A primitive that weights are carried over from.
struct Source<'a> {
    primitive: &'a Primitive,
    map: &'a WeightMap,
    skin: SkinId,
}

impl<'a> Source<'a> {
    fn of(primitive: &'a Primitive, skin: SkinId) -> Option<Self> {
        Some(Self { primitive, map: primitive.weights.as_deref()?, skin })
    }

    /// By its joints, which they are of the canvas: the same node, or one of the same name.
    fn joints(&self, document: &Document, canvas: &Canvas) -> Vec<Option<u16>> {
        let label = |node: NodeId| document.node(node).label(node);
        let named = |node: NodeId| canvas.joints().iter().position(|j| label(*j) == label(node)).map(|k| k as u16);
        let own = &document.skin(self.skin).joints;
        own.iter().map(|n| canvas.joint(*n).or_else(|| named(*n))).collect()
    }

    /// As it lies in the mesh space of a canvas. Where both were bound in one pose, that says how the two mesh spaces lie to each other,
    /// be one in meters and the other in centimeters; else they are taken for the same.
    fn seen<'b>(
        &'b self,
        document: &Document,
        canvas: &Canvas,
        joints: &[Option<u16>],
        row: &'b RowOf<'b>,
    ) -> CarrySource<'b> {
        let pairs: Vec<(usize, usize)> =
            joints.iter().enumerate().filter_map(|(k, j)| Some((usize::from((*j)?), k))).collect();
        let space = mesh_from_mesh(document, canvas.skin, self.skin, &pairs).unwrap_or_default();
        let positions = self.primitive.positions.iter().map(|p| space.transform_point3(*p)).collect();
        CarrySource {
            count: self.primitive.positions.len(),
            positions,
            uvs: &self.primitive.uv0,
            indices: &self.primitive.indices,
            row,
        }
    }
}
