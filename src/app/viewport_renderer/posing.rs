//! The pose that is shown, its bones and its surface.

use super::{ViewportRenderer, state::PosedAt, wanted::DisplayedClip};
use ulna_edit::Change;
use ulna_geometry::Ray;
use ulna_model::{Document, Mix, NodeId, PrimitiveId, Shared, SkinId};
use ulna_motion::{Bend, Playing, Stack, Surface, bones};
use ulna_session::Session;

impl ViewportRenderer {
    /// What of a mix plays at a time.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.mixer.playing(document, mix, time)
    }

    /// Poses what changed.
    pub(in crate::app) fn pose_anew(
        &mut self,
        session: &Session,
        changes: &[Change],
        clip: Option<&DisplayedClip>,
        (time, as_opened): (f64, bool),
        bent: Option<(&Bend, SkinId, u64)>,
    ) {
        let document = session.document();
        if let Some(awaited) = &mut self.awaited {
            let whole = |c: &Change| match c {
                Change::Weights { mesh, primitive, .. } => {
                    Some(Change::Weights { mesh: *mesh, primitive: *primitive, vertices: None })
                }
                _ => None,
            };
            awaited.reweighed.extend(changes.iter().filter_map(whole));
        }
        let key = clip.map(|c| (c.key, c.preview, c.between));
        let unkeyed = clip.and_then(|c| c.unkeyed.as_ref());
        let held = unkeyed.map(|(at, _)| *at);
        // Nodes that came since then have no place in it.
        let as_opened = as_opened && session.opened().nodes.len() == document.nodes.len();
        let bent = bent.filter(|_| !as_opened);
        let bend = bent.map(|(_, skin, serial)| (skin, serial));
        let now = PosedAt {
            generation: session.generation(),
            clip: key,
            time,
            unkeyed: held,
            as_opened,
            bend,
        };
        if self.posed == Some(now) || self.awaits_surface() {
            return;
        }
        // Weights move the surface, but no joint.
        let only_weights =
            self.posed.is_some_and(|p| PosedAt { generation: now.generation, ..p } == now)
                && !changes.is_empty()
                && changes.iter().all(|c| matches!(c, Change::Weights { .. }));
        if !only_weights {
            let shown = if as_opened { session.opened() } else { document };
            let stack = match clip.and_then(|c| c.mix.as_ref()) {
                _ if as_opened => Stack::shown(shown, clip.and_then(|c| c.key), time),
                Some(mix) => self.mixer.stack(document, mix, time),
                None => Stack::of(clip.map(|c| &c.clip), time)
                    .with_layers(document, clip.and_then(|c| c.key)),
            };
            let between = clip.map(|c| c.between).unwrap_or_default();
            let unkeyed = unkeyed.filter(|_| !as_opened);
            let stack = stack.going(between).with_unkeyed(unkeyed.map(|(_, pose)| pose.clone()));
            self.evaluator.update(shown, &stack, &mut self.pose);
            self.bent_whole = None;
            if let Some((bend, skin, _)) = bent {
                let whole =
                    |pose| Bend { amount: 1.0, ..bend.clone() }.applied(document, skin, pose);
                self.bent_whole = (bend.amount < 1.0).then(|| whole(&self.pose));
                self.pose = bend.applied(document, skin, &self.pose);
            }
            self.find_bones(document);
        }
        self.update_weights(document, changes);
        self.posed = Some(now);
        if only_weights && !self.surface_stale {
            self.move_surface(document, changes);
        } else {
            self.surface_stale = true;
            self.pose_serial += 1;
        }
        self.serial += 1;
        match (&self.gpu, &mut self.scene) {
            (Some((gpu, _)), Some(scene)) if only_weights => {
                scene.update_reweighed(gpu, document, &self.pose)
            }
            (Some((gpu, _)), Some(scene)) => scene.update(gpu, document, &self.pose),
            _ => {}
        }
    }

    /// The bones of the pose that is shown.
    pub(super) fn find_bones(&mut self, document: &Document) {
        self.bones = bones(document, &self.pose, &self.skeleton);
        if self.deforming {
            let deforms = &self.skeleton.deforms;
            self.bones.retain(|b| deforms.get(b.joint.index()) == Some(&true));
        }
    }

    /// Whether only joints that move vertices are shown.
    pub(in crate::app) fn set_deforming(&mut self, document: &Document, on: bool) {
        if self.deforming != on {
            self.deforming = on;
            self.find_bones(document);
            self.serial += 1;
        }
    }

    /// The surface at the pose that is shown, for clicks.
    pub(in crate::app) fn surface(&mut self, document: &Document) -> &Surface {
        if self.surface_stale && !self.awaits_surface() {
            self.surface.update(document, &self.pose);
            self.surface_stale = false;
        }
        &self.surface
    }

    /// How far a ray goes to the surface, if it meets it between two distances. The surface must
    /// have been asked for since it moved.
    pub(in crate::app) fn peek(
        &self,
        document: &Document,
        ray: &Ray,
        from: f32,
        to: f32,
    ) -> Option<f32> {
        let hit = self.surface.hit(document, ray, &|_| false)?;
        (from..=to).contains(&hit.distance).then_some(hit.distance)
    }

    /// Moves the vertices whose weights changed, and those alone.
    pub(super) fn move_surface(&mut self, document: &Document, changes: &[Change]) {
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let Some(vertices) = vertices else {
                self.surface_stale = true;
                self.pose_serial += 1;
                return;
            };
            for node in
                document.shown_nodes().into_iter().filter(|n| document.node(*n).mesh == Some(*mesh))
            {
                self.surface.move_vertices(document, &self.pose, node, *primitive, vertices);
                self.moved.push((node, *primitive, vertices.clone()));
            }
        }
    }

    /// Vertices that moved by their weights alone since this was asked last: under which node, of
    /// which primitive.
    pub(in crate::app) fn take_moved(&mut self) -> Vec<(NodeId, PrimitiveId, Vec<u32>)> {
        std::mem::take(&mut self.moved)
    }
}
