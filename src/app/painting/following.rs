//! Painting goes along with the document, the selection and the pose.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    thread::JoinHandle,
};

use glam::Vec3;

use super::{Painting, tints::joint_colors};
use crate::{
    app::{App, viewport_renderer::ViewportRenderer},
    ui::Compare,
};
use ulna_edit::{Change, Mode};
use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::MirrorPairs;
use ulna_weights::{CrossSkinSeams, MirrorMap, SkinnedSurface, Stroke, WeightStats, is_one_sided};

impl Painting {
    /// The skin that is painted: that of the selected joint or mesh, else the last one, else the
    /// first that can be.
    fn wanted_skin(&self, document: &Document, active: Option<NodeId>) -> Option<SkinId> {
        let skins = || document.skins.ids();
        let of_active = active.and_then(|node| {
            let own = document.nodes.get(node).and_then(|n| n.skin);
            own.or_else(|| {
                let last = self.asked.map(|(_, skin)| skin);
                let has = |s: &SkinId| document.skin(*s).joints.contains(&node);
                last.filter(has).or_else(|| skins().find(has))
            })
        });
        let first = || {
            let used =
                |n: NodeId| document.node(n).skin.filter(|_| document.node(n).mesh.is_some());
            document.shown_nodes().into_iter().find_map(used)
        };
        of_active.or(self.asked.map(|(_, skin)| skin)).or_else(first)
    }

    /// Takes up another selection, and makes the canvas where there is another skin.
    pub fn follow(&mut self, document: &Document, scene: u64, active: Option<NodeId>) {
        let Some(skin) = self.wanted_skin(document, active) else {
            self.canvas = None;
            self.joint = None;
            return;
        };
        if self.asked != Some((scene, skin)) {
            if self.asked.is_some_and(|(_, before)| before != skin) {
                self.bending.leave_skin();
            }
            // A joint's number is that of its skin.
            self.joint =
                self.joint.filter(|_| self.asked.is_some_and(|(_, before)| before == skin));
            self.asked = Some((scene, skin));
            self.canvas = SkinnedSurface::new(document, skin).map(Arc::new);
            self.mirror = None;
            self.roles.clear();
            self.posed_of.clear();
            self.tinted = None;
            self.hover = None;
            self.last = None;
            self.vertices = Vec::new();
            self.tally = WeightStats::default();
            self.stray_moved = Vec::new();
            (self.preparing, self.seams) = (None, CrossSkinSeams::default());
            self.range = self.range.take().filter(|(of, _)| *of == skin);
            self.strain.clear();
            self.unscored = BTreeMap::new();
            self.colors = Vec::new();
            if let Some(canvas) = &self.canvas {
                self.colors = joint_colors(document, canvas);
                // As many joints a vertex as the file has room for: nothing is cut that nobody
                // wanted cut.
                let maps = canvas.maps(document);
                self.limit =
                    (0..canvas.parts().len()).map(|k| maps.part(k).stride()).max().unwrap_or(4);
                self.tally = WeightStats::new(canvas, &maps, self.limit);
                (self.preparing, self.seams) = prepare(document, canvas);
                self.stroke = Stroke::new(canvas);
            }
        }
        if self.preparing.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(Ok(seams)) = self.preparing.take().map(JoinHandle::join)
        {
            self.seams = seams;
        }
        self.follow_roles(document);
        self.layering.follow(document, self.canvas.as_ref().map(|c| c.skin));
        let joint = active.and_then(|a| self.canvas.as_ref()?.joint(a));
        self.joint = joint.or(self.joint).filter(|_| self.canvas.is_some());
        if self.joint.is_none() {
            // The joint that moves most is a good one to look at first.
            let counted = self.tally.has_vertices();
            let most = self.tally.used().iter().enumerate().max_by_key(|(_, n)| **n);
            self.joint = most.filter(|(_, n)| counted && **n > 0).map(|(k, _)| k as u16);
        }
    }

    /// The posed surface, by the canvas's vertices. What is hidden cannot be touched, but where it
    /// shares a place with what is seen.
    fn pose(
        &mut self,
        document: &Document,
        stage: &mut ViewportRenderer,
        hidden: &BTreeSet<NodeId>,
    ) {
        let Some(canvas) = &self.canvas else { return };
        let moved = stage.take_moved();
        // Which places they share is known only when the canvas is.
        let ready = self.is_ready();
        let hides: Vec<bool> =
            canvas.parts().iter().map(|p| ready && hidden.contains(&p.node)).collect();
        let whole =
            !self.posed_of.is_of(&stage.pose_serial()) || self.posed_of.get() != Some(&hides);
        let surface = stage.surface(document);
        if whole {
            self.posed.positions.clear();
            self.posed.normals.clear();
        }
        for part in canvas.parts() {
            let Some(view) =
                surface.parts().find(|v| v.node == part.node && v.primitive == part.primitive)
            else {
                // Not shown: it cannot be hit, and keeps its place in the count.
                if whole {
                    let end = (part.first + part.count) as usize;
                    self.posed.positions.resize(end, Vec3::NAN);
                    self.posed.normals.resize(end, Vec3::ZERO);
                }
                continue;
            };
            if whole {
                self.posed.positions.extend_from_slice(view.positions);
                self.posed.normals.extend_from_slice(view.normals);
                continue;
            }
            for (_, _, vertices) in
                moved.iter().filter(|(n, p, _)| *n == part.node && *p == part.primitive)
            {
                for v in vertices {
                    self.posed.positions[(part.first + v) as usize] = view.positions[*v as usize];
                    self.posed.normals[(part.first + v) as usize] = view.normals[*v as usize];
                }
            }
        }
        if !whole && moved.is_empty() {
            return;
        }
        for (part, _) in canvas.parts().iter().zip(&hides).filter(|(_, hidden)| **hidden) {
            for vertex in part.first..part.first + part.count {
                let seen = |v: &u32| !hides[canvas.part_of(*v).0];
                if !canvas.vertices_at(canvas.point_of(vertex)).iter().any(seen) {
                    self.posed.positions[vertex as usize] = Vec3::NAN;
                }
            }
        }
        self.posed_of.put(stage.pose_serial(), hides);
    }

    /// Takes up other pairs of joints, which undo may bring, too.
    fn follow_roles(&mut self, document: &Document) {
        let Some(canvas) = &self.canvas else { return };
        let pairs = &document.aids.mirror_pairs;
        if self.roles.is_of(pairs) {
            return;
        }
        let roles = MirrorPairs::of(document, canvas.skin);
        self.mirror = self.mirror.as_ref().map(|m| m.with_joints(roles.mirror_joints()));
        self.roles.put(pairs.clone(), roles);
    }

    /// Makes the pairs of the other side, where they are wanted and not made yet.
    pub fn pair(&mut self, document: &Document) {
        let (Some(canvas), Some(roles), None) = (&self.canvas, self.roles.get(), &self.mirror)
        else {
            return;
        };
        let mirror = MirrorMap::of(document, canvas, roles);
        self.one_sided = is_one_sided(document, canvas.skin).then_some(false);
        self.unpaired = mirror.alone().map(|point| canvas.first_at(point)).collect();
        self.mirror = Some(mirror);
    }
}

impl App {
    /// Takes the state of painting along with document, selection and pose.
    pub(in crate::app) fn follow_painting(&mut self) {
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            (self.painting.hover, self.painting.entered) = (None, false);
            return;
        }
        if !std::mem::replace(&mut self.painting.entered, true) {
            // Nothing is painted on what was.
            self.viewport.compare = Compare::Edited;
        }
        let document = session.document();
        if self.outliner.selection.active.is_none()
            && let Some(joint) = self.painting.joint_node()
        {
            // What is painted is what is selected.
            self.outliner.selection.set(joint);
        }
        self.painting.follow(
            document,
            self.renderer.scene_serial(),
            self.outliner.selection.active,
        );
        if self.painting.canvas().is_some()
            && self.painting.is_ready()
            && let Some(command) = self.painting.select_next.take()
        {
            self.painting.select_by(document, &command);
        }
        if self.painting.brush.mirror && self.painting.is_ready() {
            self.painting.pair(document);
        }
        self.follow_surface_problems();
        let Some(session) = &self.session else { return };
        let document = session.document();
        self.painting.pose(document, &mut self.renderer, &self.outliner.visibility.hidden);
    }

    /// Another way to look at weights; the tints follow.
    pub(in crate::app) fn tint_surface(&mut self, changes: &[Change]) {
        let moved = |c: &Change| match c {
            Change::Weights { mesh, primitive, .. } | Change::Bound { mesh, primitive } => {
                Some((*mesh, *primitive))
            }
            Change::Tree | Change::Look | Change::Other => None,
        };
        if let Some(session) = &self.session {
            self.painting.let_go_of_stale(session.document());
        }
        self.problems.weights_moved.extend(changes.iter().filter_map(moved));
        if !self.problems.weights_moved.is_empty() && self.painting.stroking.is_none() {
            self.refresh_weight_problems();
        }
        let Some(session) = &self.session else { return };
        if self.mode != Mode::Paint {
            self.compare_weights(changes);
            if self.painting.tinted.take().is_some() {
                self.renderer.clear_tints();
            }
            return;
        }
        self.painting.count(session.document(), changes);
        self.painting.score(session.document(), changes);
        self.compare_weights(changes);
        let Some(session) = &self.session else { return };
        let seen =
            if self.painting.before.is_some() { session.opened() } else { session.document() };
        self.painting.color_strain(seen, &self.renderer, !changes.is_empty());
        self.painting.tint(seen, &mut self.renderer, changes, self.program.theme.name());
    }
}

/// Lets a thread find out how a large canvas hangs together; a small one does it when it is asked.
fn prepare(
    document: &Document,
    canvas: &Arc<SkinnedSurface>,
) -> (Option<JoinHandle<CrossSkinSeams>>, CrossSkinSeams) {
    const SMALL: usize = 50_000;
    let all: usize =
        document.meshes.values().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
    if all <= SMALL {
        canvas.prepare();
        return (None, CrossSkinSeams::of(document, canvas));
    }
    let (here, there) = (document.clone(), canvas.clone());
    let work = move || {
        there.prepare();
        CrossSkinSeams::of(&here, &there)
    };
    match std::thread::Builder::new().name("ulna canvas".into()).spawn(work) {
        Ok(thread) => (Some(thread), CrossSkinSeams::default()),
        Err(error) => {
            log::warn!("the canvas is prepared on the window's thread: {error}");
            canvas.prepare();
            (None, CrossSkinSeams::of(document, canvas))
        }
    }
}
