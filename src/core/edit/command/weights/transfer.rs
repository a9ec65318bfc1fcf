//! Weights from another mesh: each vertex takes what the nearest spot of that has.

use rayon::prelude::*;

use super::{Transfer, run, skin_of};
use crate::{
    edit::{CommandError, Outcome, command::Scene},
    geometry::ClosestSurface,
    model::{Document, MeshId, NodeId, Primitive, SkinId, WeightMap},
    weights::{Canvas, Influences, mesh_from_mesh},
};

impl Transfer {
    /// Each vertex takes what the nearest spot of that mesh at rest has, joints by their nodes, or by their names where the
    /// other mesh hangs on another skin.
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
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
        run(document, &self.reach, |draft, job| {
            let canvas = &job.canvas;
            let near: Vec<NearSource<'_>> = sources.iter().map(|s| s.seen_from(document, canvas)).collect();
            let scope = job.scope();
            let wanted: Vec<u32> = (0..canvas.vertex_count() as u32)
                .filter(|v| scope.vertices.is_none_or(|l| l[*v as usize]))
                .filter(|v| !from.contains(&canvas.parts()[canvas.part_of(*v).0].mesh))
                .collect();
            let carry = |v: &u32| -> Option<(u32, Influences)> {
                let at = canvas.rest()[canvas.place_of(*v) as usize];
                let spots = near.iter().filter_map(|s| Some((s, s.surface.nearest(at)?)));
                let (source, spot) = spots.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))?;
                let mut list = Influences::default();
                for (corner, share) in spot.vertices.iter().zip(spot.shares) {
                    for (j, w) in source.map.vertex(*corner as usize).filter(|(_, w)| *w > 0.0) {
                        if let Some(Some(joint)) = source.joints.get(usize::from(j)) {
                            list.add(*joint, w * share);
                        }
                    }
                }
                Some((*v, list))
            };
            let list: Vec<(u32, Influences)> = wanted.par_iter().filter_map(carry).collect();
            Ok(draft.put(&scope, list))
        })
    }
}

/// A primitive that weights are carried over from.
struct Source<'a> {
    primitive: &'a Primitive,
    map: &'a WeightMap,
    skin: SkinId,
}

/// A [`Source`] as it lies in the mesh space of another skin, with the joints there.
struct NearSource<'a> {
    surface: ClosestSurface,
    map: &'a WeightMap,
    joints: Vec<Option<u16>>,
}

impl<'a> Source<'a> {
    fn of(primitive: &'a Primitive, skin: SkinId) -> Option<Self> {
        Some(Self { primitive, map: primitive.weights.as_deref()?, skin })
    }

    /// Joints are the same node, or of the same name. Where both were bound in one pose, that says how the two mesh spaces
    /// lie to each other, be one in meters and the other in centimeters; else they are taken for the same.
    fn seen_from(&self, document: &Document, canvas: &Canvas) -> NearSource<'a> {
        let label = |node: NodeId| document.node(node).label(node);
        let named = |node: NodeId| canvas.joints().iter().position(|j| label(*j) == label(node)).map(|k| k as u16);
        let own = &document.skin(self.skin).joints;
        let joints: Vec<Option<u16>> = own.iter().map(|n| canvas.joint(*n).or_else(|| named(*n))).collect();
        let pairs: Vec<(usize, usize)> =
            joints.iter().enumerate().filter_map(|(k, j)| Some((usize::from((*j)?), k))).collect();
        let space = mesh_from_mesh(document, canvas.skin, self.skin, &pairs).unwrap_or_default();
        let positions = self.primitive.positions.iter().map(|p| space.transform_point3(*p)).collect();
        let surface = ClosestSurface::new(positions, self.primitive.indices.to_vec());
        NearSource { surface, map: self.map, joints }
    }
}
