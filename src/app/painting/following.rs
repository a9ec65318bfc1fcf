//! Updates the state of Paint mode when the document, the selection or the pose changes.

use std::{collections::BTreeSet, sync::Arc};

use glam::Vec3;

use super::{context::SurfaceContext, tints::joint_colors};
use crate::{
    app::viewport_renderer::ViewportRenderer,
    ui::{Compare, PaintDomain, PaintSession, Painting, PosedOf},
};
use ulna_edit::Change;
use ulna_model::{Derived, Document, NodeId, SkinId};
use ulna_weights::{CrossSkinSeams, SkinnedSurface, Stroke, WeightStats};

/// The skin to paint: that of the selected joint or mesh, or else the last painted one, or else the
/// first paintable one.
fn wanted_skin(
    document: &Document,
    active: Option<NodeId>,
    last: Option<SkinId>,
) -> Option<SkinId> {
    let skins = || document.skins.ids();
    let of_active = active.and_then(|node| {
        let own = document.nodes.get(node).and_then(|n| n.skin);
        own.or_else(|| {
            let has = |s: &SkinId| document.skin(*s).joints.contains(&node);
            last.filter(has).or_else(|| skins().find(has))
        })
    });
    let first = || {
        let used = |n: NodeId| document.node(n).skin.filter(|_| document.node(n).mesh.is_some());
        document.shown_nodes().into_iter().find_map(used)
    };
    of_active.or(last).or_else(first)
}

impl PaintDomain {
    /// Updates the painted joint when the selection changes, and the painted surface when the skin
    /// or the scene changes.
    pub(super) fn follow(&mut self, document: &Document, scene: u64, active: Option<NodeId>) {
        let before = self.session().map(|s| (s.scene, s.skin()));
        let wanted = wanted_skin(document, active, before.map(|(_, skin)| skin));
        if wanted.is_none_or(|skin| before != Some((scene, skin))) {
            self.paint_skin(document, scene, wanted);
        }
        self.state.take_prepared();
        self.layering.follow(document, self.session().map(PaintSession::skin));
        let Some(session) = self.session_mut() else { return };
        session.update_pairs(document);
        session.joint = active.and_then(|a| session.surface.joint(a)).or(session.joint);
        if session.joint.is_none() {
            // Initially, the joint that moves the most vertices is painted.
            let counted = session.counts.has_vertices();
            let most = session.counts.used().iter().enumerate().max_by_key(|(_, n)| **n);
            session.joint = most.filter(|(_, n)| counted && **n > 0).map(|(k, _)| k as u16);
        }
    }

    /// Starts painting another skin, or the same skin in another scene.
    fn paint_skin(&mut self, document: &Document, scene: u64, skin: Option<SkinId>) {
        let before = self.session().map(|s| (s.skin(), s.joint));
        if before.is_some_and(|(of, _)| Some(of) != skin) {
            self.bending.leave_skin();
        }
        if let Some(skin) = skin {
            self.bending.range = self.bending.range.take().filter(|(of, _)| *of == skin);
        }
        if let Some(worst) = &mut self.worst {
            worst.unscored.clear();
        }
        // Joint slots are only valid in their skin.
        let joint = before.filter(|(of, _)| Some(*of) == skin).and_then(|(_, joint)| joint);
        // An open stroke continues, although its surface was replaced.
        let stroke = self.session_mut().and_then(|s| s.stroke.take());
        let Some(surface) = skin.and_then(|skin| SkinnedSurface::new(document, skin)) else {
            self.state = Painting::Off;
            return;
        };
        let maps = surface.maps(document);
        // The limit is the number of influences that the file stores, so that painting removes
        // none.
        let parts = 0..surface.parts().len();
        self.options.limit = parts.map(|k| maps.part(k).stride()).max().unwrap_or(4);
        let session = Box::new(PaintSession {
            scene,
            joint,
            colors: joint_colors(document, &surface),
            counts: WeightStats::new(&surface, &maps, self.options.limit),
            dabs: Stroke::new(&surface),
            stroke,
            surface: Arc::new(surface),
            seams: CrossSkinSeams::default(),
            vertices: Vec::new(),
            pairs: Derived::default(),
            mirror: Derived::default(),
            posed: Derived::default(),
            touched: None,
            is_over: false,
            moved_outliers: Vec::new(),
            tinted: None,
            strain: Derived::default(),
            is_strain_late: false,
        });
        self.state = prepared(document, session);
    }
}

impl Painting {
    /// Takes the prepared surface when the preparing thread has ended.
    fn take_prepared(&mut self) {
        *self = match std::mem::take(self) {
            Self::Preparing(mut session, thread) if thread.is_finished() => {
                match thread.join() {
                    Ok(seams) => session.seams = seams,
                    Err(_) => log::error!("seams of the painted surface were not found"),
                }
                Self::Ready(session)
            }
            state => state,
        };
    }
}

impl PaintSession {
    /// Updates the posed surface. Hidden vertices cannot be touched, except at points that they
    /// share with visible ones. Shared points are known once the surface is ready.
    pub(super) fn pose(
        &mut self,
        document: &Document,
        stage: &mut ViewportRenderer,
        hidden: &BTreeSet<NodeId>,
        is_ready: bool,
    ) {
        let surface = &self.surface;
        let moved = stage.take_moved();
        let hides = |node: &NodeId| is_ready && hidden.contains(node);
        let of = PosedOf {
            pose: stage.pose_serial(),
            hidden: surface.parts().iter().map(|p| hides(&p.node)).collect(),
        };
        let shown = stage.surface(document);
        let whole = !self.posed.is_of(&of);
        if !whole && moved.is_empty() {
            return;
        }
        let mut posed = self.posed.take().map_or_else(Default::default, |(_, posed)| posed);
        if whole {
            posed.positions.clear();
            posed.normals.clear();
        }
        for part in surface.parts() {
            let Some(view) =
                shown.parts().find(|v| v.node == part.node && v.primitive == part.primitive)
            else {
                // A part that is not drawn cannot be hit. It keeps its range of vertex indices.
                if whole {
                    let end = (part.first + part.count) as usize;
                    posed.positions.resize(end, Vec3::NAN);
                    posed.normals.resize(end, Vec3::ZERO);
                }
                continue;
            };
            if whole {
                posed.positions.extend_from_slice(view.positions);
                posed.normals.extend_from_slice(view.normals);
                continue;
            }
            for (_, _, vertices) in
                moved.iter().filter(|(n, p, _)| *n == part.node && *p == part.primitive)
            {
                for v in vertices {
                    posed.positions[(part.first + v) as usize] = view.positions[*v as usize];
                    posed.normals[(part.first + v) as usize] = view.normals[*v as usize];
                }
            }
        }
        for (part, _) in surface.parts().iter().zip(&of.hidden).filter(|(_, hidden)| **hidden) {
            for vertex in part.first..part.first + part.count {
                let seen = |v: &u32| !of.hidden[surface.part_of(*v).0];
                if !surface.vertices_at(surface.point_of(vertex)).iter().any(seen) {
                    posed.positions[vertex as usize] = Vec3::NAN;
                }
            }
        }
        self.posed.put(of, posed);
    }
}

impl SurfaceContext<'_> {
    /// Updates Paint mode after changes of the document, the selection or the pose.
    pub(in crate::app) fn follow(&mut self) {
        if !self.mode.paints_weights {
            self.painting.entered = false;
            if let Some(session) = self.painting.session_mut() {
                session.is_over = false;
            }
            return;
        }
        if !std::mem::replace(&mut self.painting.entered, true) {
            // The original weights cannot be painted on, so entering Paint mode ends a comparison.
            *self.compare = Compare::Edited;
        }
        let document = self.session.document();
        if self.selection.active.is_none()
            && let Some(joint) = self.painting.joint_node()
        {
            // The painted joint is always selected.
            self.selection.set(joint);
        }
        self.painting.follow(document, self.renderer.scene_serial(), self.selection.active);
        if let Painting::Ready(session) = &mut self.painting.state {
            if let Some(command) = self.painting.select_next.take() {
                session.select_by(document, &command, self.painting.options.limit);
            }
            if self.painting.options.brush.mirror {
                session.pair_sides(document);
            }
        }
        let painted = self.painting.state.ready();
        if let Some(painted) = painted {
            self.problems.add_of_surface(&painted.surface, self.renderer.scene_serial());
        }
        let is_ready = painted.is_some();
        if let Some(painted) = self.painting.session_mut() {
            painted.pose(document, self.renderer, self.hidden, is_ready);
        }
    }

    /// Updates the vertex tints after the weights or the display of weights changed.
    pub(in crate::app) fn tint(&mut self, changes: &[Change]) {
        let moved = |c: &Change| match c {
            Change::Weights { mesh, primitive, .. } | Change::Bound { mesh, primitive } => {
                Some((*mesh, *primitive))
            }
            Change::Tree | Change::Look | Change::Other => None,
        };
        let session = self.session;
        self.painting.drop_stale_surface(session.document());
        self.problems.weights_moved.extend(changes.iter().filter_map(moved));
        if !self.problems.weights_moved.is_empty() && !self.painting.is_stroking() {
            self.problems.refresh_of_weights(session);
        }
        if !self.mode.paints_weights {
            self.compare_weights(changes);
            self.painting.invalidate_tints();
            if !self.keeps_tints {
                self.renderer.clear_tints();
            }
            return;
        }
        self.painting.count(session.document(), changes);
        self.painting.score(session.document(), changes);
        self.compare_weights(changes);
        let seen = match &self.painting.original {
            Some(_) => session.opened(),
            None => session.document(),
        };
        self.painting.color_strain(seen, self.renderer, !changes.is_empty());
        self.painting.tint(seen, self.renderer, changes, self.theme);
    }
}

/// Finds neighbors and seams of a surface, on another thread if the document has many vertices.
fn prepared(document: &Document, mut session: Box<PaintSession>) -> Painting {
    const SMALL: usize = 50_000;
    let all: usize =
        document.meshes.values().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
    if all > SMALL {
        let (here, there) = (document.clone(), session.surface.clone());
        let work = move || {
            there.prepare();
            CrossSkinSeams::of(&here, &there)
        };
        match std::thread::Builder::new().name("ulna surface".into()).spawn(work) {
            Ok(thread) => return Painting::Preparing(session, thread),
            Err(error) => {
                log::warn!("the painted surface is prepared on the window's thread: {error}")
            }
        }
    }
    session.surface.prepare();
    session.seams = CrossSkinSeams::of(document, &session.surface);
    Painting::Ready(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Mat4;
    use ulna_model::{
        FileContent, JointSlot, Local, Mesh, Node, Primitive, Shared, Skin, Slice, Topology,
        Transform, WeightMap,
    };

    /// A triangle with two joints: one vertex belongs to the second joint, two to the first.
    fn document() -> Document {
        let weights = WeightMap {
            sets: 1,
            joints: [0u16, 1, 0, 0].repeat(3).into(),
            weights: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0].into(),
            ..WeightMap::default()
        };
        let primitive = Primitive {
            topology: Topology::Triangles,
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y].into(),
            normals: Slice::default(),
            tangents: Slice::default(),
            uv0: Slice::default(),
            uv1: Slice::default(),
            colors: Slice::default(),
            indices: vec![0, 1, 2].into(),
            material: None,
            variants: Shared::default(),
            targets: Shared::default(),
            weights: Some(Shared::new(weights)),
        };
        let mesh = Mesh {
            name: None,
            primitives: vec![primitive],
            default_weights: Shared::default(),
            target_names: Vec::new(),
            kept_weight_layers: None,
        };
        let skin = Skin {
            name: None,
            joints: [0, 1].map(NodeId).into(),
            inverse_bind: [Mat4::IDENTITY; 2].into(),
            has_inverse_bind: true,
        };
        let joint = || Node { rest: Local::Trs(Transform::IDENTITY), ..Node::default() };
        let shown = Node { mesh: Some(0.into()), skin: Some(0.into()), ..joint() };
        let file = FileContent {
            nodes: vec![joint(), joint(), shown].into(),
            meshes: vec![Shared::new(mesh)].into(),
            skins: vec![Shared::new(skin)].into(),
            ..FileContent::default()
        };
        file.into()
    }

    fn session(painting: &PaintDomain) -> &PaintSession {
        painting.state.ready().expect("a small surface is ready at once")
    }

    #[test]
    fn painting_needs_a_skin() {
        let mut painting = PaintDomain::default();
        painting.follow(&Document::default(), 1, None);
        assert!(matches!(painting.state, Painting::Off));
        assert!(painting.vertices().is_empty() && painting.joint_node().is_none());
    }

    #[test]
    fn changing_the_scene_keeps_the_joint_and_deselects_vertices() {
        let document = document();
        let joint = document.skins.values().next().map(|s| s.joints[1]);
        let mut painting = PaintDomain::default();
        painting.follow(&document, 1, joint);
        assert_eq!(painting.joint_node(), joint);
        painting.session_mut().expect("it is ready").select(vec![2, 0, 2], false);
        painting.follow(&document, 1, None);
        assert_eq!(painting.vertices(), [0, 2]);
        painting.follow(&document, 2, None);
        assert_eq!((session(&painting).scene, painting.joint_node()), (2, joint));
        assert!(painting.vertices().is_empty());
    }

    #[test]
    fn an_outdated_surface_is_dropped_and_rebuilt() {
        let document = document();
        let mut painting = PaintDomain::default();
        painting.follow(&document, 1, None);
        painting.drop_stale_surface(&document);
        session(&painting);
        painting.drop_stale_surface(&Document::default());
        assert!(matches!(painting.state, Painting::Off));
        painting.follow(&document, 1, None);
        session(&painting);
    }

    #[test]
    fn a_surface_is_ready_when_its_thread_finishes() {
        let document = document();
        let mut painting = PaintDomain::default();
        painting.follow(&document, 1, None);
        let Painting::Ready(session) = std::mem::take(&mut painting.state) else {
            panic!("a small surface is ready at once");
        };
        let (open, wait) = std::sync::mpsc::channel::<()>();
        let work = move || {
            // `recv` fails when the sender is dropped, which ends the thread.
            assert!(wait.recv().is_err());
            CrossSkinSeams::default()
        };
        let thread = std::thread::Builder::new().name("a surface".into()).spawn(work).unwrap();
        painting.state = Painting::Preparing(session, thread);
        painting.follow(&document, 1, None);
        assert!(painting.session().is_some() && painting.state.ready().is_none());
        drop(open);
        while painting.state.ready().is_none() {
            std::thread::yield_now();
            painting.follow(&document, 1, None);
        }
    }

    #[test]
    fn mirror_sides_are_unchanged_if_joint_pairs_change() {
        let mut document = document();
        let mut painting = PaintDomain::default();
        painting.follow(&document, 1, None);
        let session = painting.session_mut().expect("it is ready");
        session.pair_sides(&document);
        let unpaired = session.mirror.get().map(|sides| sides.unpaired.clone());
        let joints = document.skins.values().next().expect("there is a skin").joints.clone();
        document.aids.mirror_pairs = [(joints[0], Some(joints[1]))].into();
        session.update_pairs(&document);
        assert!(session.mirror.is_of(&document.aids.mirror_pairs));
        assert_eq!(session.mirror.get().map(|sides| sides.unpaired.clone()), unpaired);
        assert_eq!(
            session.mirror.get().map(|sides| sides.map.joint(JointSlot(0))),
            Some(Some(JointSlot(1)))
        );
    }
}
