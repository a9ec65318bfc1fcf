//! Rules that distribute the weights of removed joints to other joints.

use std::{collections::BTreeSet, sync::atomic::AtomicBool};

use glam::{DVec3, Mat4, Vec3};

use super::rewrite::RigDraft;
use crate::{
    Edit,
    command::{CommandError, nodes::remapped},
};
use ulna_model::{Document, JointSlot, MeshId, NodeId, Shared, Skin, SkinId, WeightMap};
use ulna_motion::{Pose, Stack};
use ulna_weights::{
    Bones, FIT_POSES, FitRequest, FittedWeights, PartChange, Scope, SkinnedSurface, WorkingWeights,
    at_rest, fit_poses, fit_weights, joint_parents, vertices_of_joints,
};

/// Number of smoothing passes, and their strength.
const SMOOTH: (usize, f32) = (3, 1.0);

/// Returns the meshes that are used with a skin.
fn meshes_of(document: &Document, skin: SkinId) -> BTreeSet<MeshId> {
    let nodes = document.nodes.values().filter(|n| n.skin == Some(skin));
    nodes.filter_map(|n| n.mesh).collect()
}

/// Returns the remaining skins that lose joints.
fn skins_losing(before: &Document, after: &Document, gone: &[NodeId]) -> Vec<SkinId> {
    let loses = |skin: &Skin| skin.joints.iter().any(|j| gone.contains(j));
    let found = before.skins.iter().filter(|(id, s)| after.skins.contains(*id) && loses(s));
    found.map(|(id, _)| id).collect()
}

impl RigDraft {
    /// Moves the weights of the joints to be removed to the joints with the nearest bones, per
    /// vertex in the rest pose. Vertices without such a joint keep their weights.
    pub(super) fn give_to_nearest(&mut self, gone: &BTreeSet<NodeId>) -> Result<(), CommandError> {
        let document = self.draft.document.clone();
        let still = at_rest(&document);
        let rest = Pose::evaluate(&still, &Stack::default());
        for (id, skin) in document.skins.iter() {
            if !skin.joints.iter().any(|j| gone.contains(j)) {
                continue;
            }
            let palette = rest.palette(&document, id);
            let head = |n: &NodeId| rest.world[n.index()].w_axis.truncate();
            let heads: Vec<Vec3> = skin.joints.iter().map(head).collect();
            let bones = Bones::new(&heads, &joint_parents(&document, id));
            let is_gone: Vec<bool> = skin.joints.iter().map(|j| gone.contains(j)).collect();
            let is_gone = |slot: u16| is_gone.get(usize::from(slot)) == Some(&true);
            for mesh in meshes_of(&document, id) {
                for (primitive, found) in document.mesh(mesh).entries() {
                    let Some(map) = found.weights.as_deref() else { continue };
                    let nearest = |vertex: usize| {
                        let own = found.positions.get(vertex).copied()?;
                        bones.nearest(posed(map, vertex, own, &palette), |slot| !is_gone(slot.0))
                    };
                    let heir = |vertex: usize| -> Option<JointSlot> {
                        let mut all = map.vertex(vertex);
                        let is_concerned = all.any(|(j, w)| w != 0.0 && is_gone(j));
                        if is_concerned { nearest(vertex) } else { None }
                    };
                    let heirs: Vec<_> = (0..map.vertex_count()).map(heir).collect();
                    let count = heirs.iter().flatten().count();
                    let slot_of = |vertex: usize, slot: u16| {
                        let heir = heirs[vertex].filter(|_| is_gone(slot));
                        Some(heir.map_or(slot, |heir| heir.0))
                    };
                    let Some((to, _)) = remapped(map, slot_of).filter(|_| count > 0) else {
                        continue;
                    };
                    self.given.nearest += count;
                    self.draft.put(Edit::SetWeights { mesh, primitive, to: Shared::new(to) })?;
                }
            }
        }
        Ok(())
    }

    /// Smooths the weights of vertices that lost joints.
    pub(super) fn smooth_losers(
        &mut self,
        before: &Document,
        gone: &[NodeId],
    ) -> Result<(), CommandError> {
        let after = self.document().clone();
        for skin in skins_losing(before, &after, gone) {
            let Some(canvas) = SkinnedSurface::whole(&after, skin) else { continue };
            let losers = vertices_of_joints(before, skin, gone);
            let mut wanted = vec![false; canvas.vertex_count()];
            for ((mesh, primitive), vertices) in &losers {
                for vertex in vertices {
                    if let Some(v) = canvas.vertex_of(*mesh, *primitive, *vertex) {
                        wanted[v as usize] = true;
                    }
                }
            }
            let locked = vec![false; canvas.joints().len()];
            let scope = Scope { locked: &locked, limit: usize::MAX, vertices: Some(&wanted) };
            let mut draft = WorkingWeights::new(&after, &canvas);
            let (passes, amount) = SMOOTH;
            // Vertices that cannot be smoothed keep the weights of the ancestor joint.
            draft.smooth(passes, amount, false, None, &scope);
            for (k, change) in draft.changes(&after) {
                let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
                self.draft.put(match change {
                    PartChange::Patch(patch) => {
                        self.given.smoothed += patch.vertices.len();
                        Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) }
                    }
                    PartChange::Whole(to) => {
                        self.given.smoothed += losers.get(&(mesh, primitive)).map_or(0, Vec::len);
                        Edit::SetWeights { mesh, primitive, to: Shared::new(to) }
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Computes the weights of vertices that lost joints so that the clips change least. Returns
    /// `None` if canceled.
    pub(super) fn fit_losers(
        &mut self,
        before: &Document,
        gone: &[NodeId],
        cancel: &AtomicBool,
    ) -> Result<Option<Vec<FittedWeights>>, CommandError> {
        let after = self.document().clone();
        let skins = skins_losing(before, &after, gone);
        if skins.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let poses = fit_poses(before, &after, FIT_POSES);
        let mut all = Vec::new();
        for skin in skins {
            let request = FitRequest {
                before,
                after: &after,
                skin,
                vertices: &vertices_of_joints(before, skin, gone),
                poses: &poses,
                limit: usize::MAX,
                adds_influences: true,
            };
            let Some(done) = fit_weights(&request, cancel) else { return Ok(None) };
            self.put_weights(&done)?;
            all.push(done);
        }
        Ok(Some(all))
    }

    /// Computes the weights of skins with changed mesh shapes so that the clips change least.
    /// Returns `None` if canceled.
    pub(super) fn refit(
        &mut self,
        before: &Document,
        cancel: &AtomicBool,
    ) -> Result<Option<Vec<FittedWeights>>, CommandError> {
        let after = self.document().clone();
        // The first pose is the rest pose, whose change is intended.
        let mut poses = fit_poses(before, &after, FIT_POSES);
        poses.remove(0);
        let mut all = Vec::new();
        for skin in self.refitted.clone() {
            let joints = before.skin(skin).joints.to_vec();
            let request = FitRequest {
                before,
                after: &after,
                skin,
                vertices: &vertices_of_joints(before, skin, &joints),
                poses: &poses,
                limit: usize::MAX,
                adds_influences: true,
            };
            let Some(done) = fit_weights(&request, cancel) else { return Ok(None) };
            self.put_weights(&done)?;
            all.push(done);
        }
        Ok(Some(all))
    }

    fn put_weights(&mut self, fitted: &FittedWeights) -> Result<(), CommandError> {
        let patches = fitted.patches.iter().cloned();
        self.draft.put_all(patches.map(|(mesh, primitive, patch)| Edit::PatchWeights {
            mesh,
            primitive,
            patch: Box::new(patch),
        }))
    }
}

/// Returns the skinned position of a vertex.
fn posed(map: &WeightMap, vertex: usize, own: Vec3, palette: &[Mat4]) -> Vec3 {
    let one = |(joint, weight): (u16, f32)| {
        let matrix = palette.get(usize::from(joint));
        matrix.map_or(DVec3::ZERO, |m| m.transform_point3(own).as_dvec3() * f64::from(weight))
    };
    map.vertex(vertex).map(one).sum::<DVec3>().as_vec3()
}
