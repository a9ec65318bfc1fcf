//! Handlers for actions of the viewport: the camera, and the item under the pointer.

use egui::Context;
use glam::{Vec2, Vec3};

use crate::{
    app::App,
    ui::{Pane, PickedBone, Pivot, SnapTo, ToastKind, UnderPointer, ViewportAction},
};
use ulna_geometry::{Ray, middle_along_ray, middle_of_loop};
use ulna_model::{JointGroup, NodeId};
use ulna_motion::{ik, joints_at};

/// True if a ray hit at a distance is in front of a point.
fn is_before(ray: &Ray, distance: f32, spot: Vec3) -> bool {
    distance < (spot - ray.origin).dot(ray.direction)
}

impl App {
    pub(in crate::app) fn apply_viewport(&mut self, ctx: &Context, action: ViewportAction) {
        match action {
            ViewportAction::Choose(shown) => self.choose(ctx, shown),
            ViewportAction::Hover(node) => self.outliner.hover = node.or(self.outliner.hover),
            ViewportAction::HoverSurface { at, size, behind } => {
                self.hover_surface(at, size, behind)
            }
            ViewportAction::PickSurface { at, size, behind, toggle } => {
                self.pick_surface(at, size, behind, toggle)
            }
            ViewportAction::MenuByKey => {
                self.viewport.under = UnderPointer { by_key: true, ..UnderPointer::default() };
            }
            ViewportAction::PickForMenu { at, size, near } => self.pick_for_menu(at, size, &near),
            ViewportAction::Camera(camera) => {
                self.viewport.transition = None;
                self.viewport.camera = camera;
            }
            ViewportAction::SetSpace(space) => self.viewport.space = space,
            ViewportAction::SetCompare(compare) => self.viewport.compare = compare,
            ViewportAction::SetSymmetry(on) => self.viewport.symmetry = on,
            ViewportAction::SetOnion(onion) => self.viewport.options.onion = onion,
            ViewportAction::SetJointSize(size) => {
                self.viewport.options.joint_size = size.clamp(0.2, 4.0)
            }
            ViewportAction::SetChildren(children) => self.viewport.children = children,
            ViewportAction::SetTool(tool) => self.viewport.tool = tool,
            ViewportAction::SetReach(options) => self.viewport.reach = options,
            ViewportAction::Grab { at, size, bone } => self.grab(at, size, bone),
            ViewportAction::SetPivot(Pivot::Spot) if self.viewport.pivot_spot.is_none() => {
                self.set_pivot_spot(ctx)
            }
            ViewportAction::SetPivot(pivot) => self.viewport.pivot = pivot,
            ViewportAction::SeekSpot { at, size, of, except } => {
                self.viewport.sought = Some((of, self.seek_spot(at, size, of, &except)));
            }
            ViewportAction::SetSnap(on, steps) => {
                (self.viewport.snap, self.viewport.snap_steps) = (on, steps)
            }
            ViewportAction::ViewportSize(size) => {
                self.renderer.set_size(size, ctx.pixels_per_point())
            }
        }
    }

    /// Highlights the joint that has the largest weight on the skin under the pointer.
    fn hover_surface(&mut self, at: glam::Vec2, size: glam::Vec2, behind: Option<PickedBone>) {
        /// Maximum number of vertices for which the surface is posed only for highlighting.
        const MOST: usize = 200_000;
        let key = (self.renderer.pose_serial(), self.viewport.camera, at);
        let Some(session) = &self.session else { return };
        let document = self.binding.seen(session);
        let large = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() > MOST;
        // During playback, each frame would have to pose the surface on the CPU.
        let is_still = !self.timeline.playback.playing && !self.rig.clip.is_planned();
        if large || !is_still || session.history().is_open() {
            self.outliner.hover = self.outliner.hover.or(behind.map(|b| b.joint));
            return;
        }
        let (camera, renderer, visibility) =
            (&self.viewport.camera, &mut self.renderer, &self.outliner.visibility);
        let in_file = &renderer.pose().hidden.clone();
        let found = self.viewport.surface_hover.update(key, |_| {
            let ray = camera.ray(at, size);
            let barred = |n: NodeId| {
                visibility.locks(n, document.joint_groups()) || visibility.hides(n, in_file)
            };
            let hit = renderer.surface(document).hit(document, &ray, &barred);
            let Some(hit) = hit
                .filter(|hit| behind.is_none_or(|bone| is_before(&ray, hit.distance, bone.spot)))
            else {
                return behind.map(|b| b.joint);
            };
            let groups = document.joint_groups();
            let is_free = |n: &NodeId| !barred(*n) && !JointGroup::hide(groups, *n);
            joints_at(document, &hit).into_iter().map(|(n, _)| n).find(is_free)
        });
        self.outliner.hover = self.outliner.hover.or(*found);
    }

    /// Selects a node by a click on the surface. Repeated clicks at the same point cycle through
    /// the candidates.
    ///
    /// On skin, these are the joints by descending weight. On an unskinned part, they are its
    /// nearest ancestor joint, the part itself, and its other ancestors. A bone in front of the
    /// skin is selected directly.
    fn pick_surface(&mut self, at: Vec2, size: Vec2, behind: Option<PickedBone>, toggle: bool) {
        let ray = self.viewport.camera.ray(at, size);
        let Some(session) = &self.session else { return };
        let document = self.binding.seen(session);
        let in_file = self.renderer.pose().hidden.clone();
        // With planned changes, the surface may have joints that are not in the document yet.
        let hit = if self.rig.clip.is_planned() {
            None
        } else {
            self.renderer.surface(document).hit(document, &ray, &|n| {
                self.outliner.visibility.hides(n, &in_file)
                    || self.outliner.visibility.locks(n, document.joint_groups())
            })
        };
        let seen = |distance: f32| behind.is_none_or(|b| is_before(&ray, distance, b.spot));
        let is_nearer = |distance: f32| hit.is_none_or(|hit| distance < hit.distance);
        let beside = self.references.hit(&ray).filter(|(d, _)| behind.is_none() && is_nearer(*d));
        self.references.deselect();
        if let Some((_, id)) = beside {
            self.select_reference(Some(id));
            self.viewport.last_pick = None;
            return;
        }
        let Some(hit) = hit.filter(|hit| seen(hit.distance)) else {
            match behind {
                Some(bone) if toggle => self.outliner.selection.toggle(bone.joint),
                Some(bone) => self.outliner.selection.set(bone.joint),
                None if !toggle => self.outliner.selection.clear(),
                None => {}
            }
            self.viewport.last_pick = None;
            return;
        };
        let mut joints = joints_at(document, &hit);
        let groups = document.joint_groups();
        let is_barred =
            |n: NodeId| self.outliner.visibility.locks(n, groups) || JointGroup::hide(groups, n);
        joints.retain(|(n, _)| !is_barred(*n));
        let round = match self.viewport.last_pick {
            Some((last, round)) if last.distance(at) < 4.0 => round + 1,
            _ => 0,
        };
        self.viewport.last_pick = Some((at, round));
        self.panels.forget_clicked_clip();
        let carrying = || std::iter::successors(Some(hit.node), |n| document.node(*n).parent);
        let meant: Vec<NodeId> = if joints.is_empty() {
            let flags = document.joint_flags();
            let joint = carrying().find(|n| flags[n.index()]);
            joint.into_iter().chain(carrying().filter(|n| Some(*n) != joint)).collect()
        } else {
            joints.into_iter().map(|j| j.0).collect()
        };
        let node = meant[round % meant.len()];
        if toggle {
            self.outliner.selection.toggle(node)
        } else {
            self.outliner.selection.set(node)
        }
    }

    /// Finds the joints and meshes at a point of the picture, for the context menu. Selects the
    /// node that a click would select, unless one of the found nodes is already selected.
    fn pick_for_menu(&mut self, at: Vec2, size: Vec2, near: &[PickedBone]) {
        /// Maximum number of meshes along the ray.
        const MESHES: usize = 8;
        self.viewport.under = UnderPointer::default();
        let Some(session) = &self.session else { return };
        let document = self.binding.seen(session);
        let ray = self.viewport.camera.ray(at, size);
        let in_file = self.renderer.pose().hidden.clone();
        let (visibility, groups) = (&self.outliner.visibility, document.joint_groups());
        let mut under = UnderPointer::default();
        let mut skin: Vec<NodeId> = Vec::new();
        let mut distance = f32::INFINITY;
        // With planned changes, the surface may have joints that are not in the document yet.
        if !self.rig.clip.is_planned() {
            let surface = self.renderer.surface(document);
            while under.meshes.len() < MESHES {
                let barred = |n: NodeId| {
                    visibility.hides(n, &in_file)
                        || visibility.locks(n, groups)
                        || under.meshes.contains(&n)
                };
                let Some(hit) = surface.hit(document, &ray, &barred) else { break };
                if under.meshes.is_empty() {
                    distance = hit.distance;
                    let joints = joints_at(document, &hit).into_iter().map(|(joint, _)| joint);
                    skin.extend(joints.filter(|n| {
                        !visibility.locks(*n, groups) && !JointGroup::hide(groups, *n)
                    }));
                }
                under.meshes.push(hit.node);
            }
        }
        // Same choice as for a click: a bone that moves vertices or is in front of the skin, or
        // else the skin.
        let is_first = |bone: &&PickedBone| bone.deforms || !is_before(&ray, distance, bone.spot);
        let bone = near.first().filter(is_first).map(|bone| bone.joint);
        // For a part without weights, the nearest ancestor joint is the candidate.
        let flags = document.joint_flags();
        let carrier = under.meshes.first().copied().map(|mesh| {
            let mut above = std::iter::successors(Some(mesh), |n| document.node(*n).parent);
            above.find(|n| flags[n.index()]).unwrap_or(mesh)
        });
        let meant = bone.or(skin.first().copied()).or(carrier);
        skin.extend(carrier.filter(|n| skin.is_empty() && flags[n.index()]));
        for joint in near.iter().map(|bone| bone.joint).chain(skin) {
            if !under.joints.contains(&joint) {
                under.joints.push(joint);
            }
        }
        if let Some(node) = meant
            && !self.outliner.selection.nodes.contains(&node)
        {
            self.outliner.inspected = None;
            self.outliner.selection.set(node);
            self.panels.forget_clicked_clip();
        }
        self.viewport.under = under;
    }

    /// Starts an IK drag of the limb under the pointer, at a joint or at a point of the skin.
    fn grab(&mut self, at: glam::Vec2, size: glam::Vec2, bone: Option<PickedBone>) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let pose = self.renderer.pose();
        let in_file = &pose.hidden.clone();
        let free = |n: NodeId| {
            !self.outliner.visibility.locks(n, document.joint_groups())
                && !self.outliner.visibility.hides(n, in_file)
        };
        let grabbed = if let Some(bone) = bone.filter(|b| b.is_head) {
            Some((bone.joint, None, bone.spot))
        } else {
            let ray = self.viewport.camera.ray(at, size);
            let pose = pose.clone();
            let hit = self.renderer.surface(document).hit(document, &ray, &|n| !free(n));
            let skin = hit.and_then(|hit| {
                let is_shown =
                    |n: &NodeId| free(*n) && !JointGroup::hide(document.joint_groups(), *n);
                let node = joints_at(document, &hit).into_iter().map(|(n, _)| n).find(is_shown)?;
                Some((node, ray.origin + ray.direction * hit.distance))
            });
            skin.or_else(|| bone.map(|b| (b.joint, b.spot))).map(|(node, point)| {
                // A drag moves the end joint of a limb itself. Other joints also rotate, so the
                // grabbed point of the skin is dragged.
                let bones =
                    ik::limb_of(document, &pose, node, None, false).map_or(0, |l| l.turns.len());
                let is_end = bones >= 2 || ik::body_of(document, node) == node;
                let world = pose.world[node.index()];
                let tip = (!is_end)
                    .then(|| world.inverse().transform_point3(point))
                    .filter(|t| t.is_finite());
                (node, tip, if is_end { world.w_axis.truncate() } else { point })
            })
        };
        if let Some((node, tip, from)) = grabbed {
            self.references.deselect();
            self.outliner.selection.set(node);
            self.panels.reach(tip, from, at);
        }
    }

    /// The scene point under the pointer that a dragged object snaps to. The dragged object and its
    /// children are excluded, because the target would move with the drag.
    fn seek_spot(&mut self, at: Vec2, size: Vec2, of: SnapTo, except: &[NodeId]) -> Option<Vec3> {
        /// Maximum distance from a joint to the pointer, in points.
        const REACH: f32 = 24.0;
        let document = self.session.as_ref()?.document();
        let above = |n: NodeId| std::iter::successors(Some(n), |n| document.node(*n).parent);
        let moves = |n: NodeId| above(n).any(|n| except.contains(&n));
        let camera = self.viewport.camera;
        let in_file = self.renderer.pose().hidden.clone();
        let barred = |n: NodeId| self.outliner.visibility.hides(n, &in_file);
        if of == SnapTo::Joint {
            let heads = self
                .renderer
                .bones()
                .iter()
                .filter(|b| !moves(b.joint) && !barred(b.joint))
                .map(|b| b.head);
            let near = heads.filter_map(|p| Some((camera.project(p, size)?.0.distance(at), p)));
            let near = near.chain(self.references.joint_under(&camera, (at, size)));
            let best = near.min_by(|a, b| a.0.total_cmp(&b.0))?;
            return (best.0 <= REACH).then_some(best.1);
        }
        let ray = camera.ray(at, size);
        if matches!(of, SnapTo::Limb | SnapTo::FrontLimb) {
            let extent = self.renderer.extent();
            let surface = self.renderer.surface(document);
            let is_out = |n: NodeId| barred(n) || moves(n);
            let front = of == SnapTo::FrontLimb;
            let hit = |ray: &Ray| surface.hit(document, ray, &is_out).map(|hit| hit.distance);
            return middle_along_ray(&ray, extent, front, &hit);
        }
        if of == SnapTo::Loop {
            let extent = self.renderer.extent();
            let surface = self.renderer.surface(document);
            let is_out = |n: NodeId| barred(n) || moves(n);
            let hit = |ray: &Ray| surface.hit(document, ray, &is_out).map(|hit| hit.distance);
            let inside = middle_along_ray(&ray, extent, true, &hit)?;
            return middle_of_loop(inside, extent, &hit);
        }
        let beside = self.references.spot_under(&ray, of);
        let surface = self.renderer.surface(document);
        let hit = surface.hit(document, &ray, &|n| barred(n) || moves(n));
        let is_nearer = |distance: f32| hit.is_none_or(|hit| distance < hit.distance);
        if let Some((_, spot)) = beside.filter(|(distance, _)| is_nearer(*distance)) {
            return Some(spot);
        }
        let hit = hit?;
        let own = joints_at(document, &hit).first().is_some_and(|(n, _)| moves(*n));
        if own {
            return None;
        }
        let spot = ray.origin + ray.direction * hit.distance;
        match of {
            SnapTo::Vertex => surface
                .corners(&hit)?
                .into_iter()
                .min_by(|a, b| a.distance(spot).total_cmp(&b.distance(spot))),
            _ => Some(spot),
        }
    }

    /// Sets the pivot to the joint or the surface point under the pointer. A surface point then
    /// moves with its most influential joint.
    pub(in crate::app) fn set_pivot_spot(&mut self, ctx: &Context) {
        const NOTHING: &str = "The pivot was not set: no joint or surface is under the pointer.";
        let pointer = ctx.input(|i| i.pointer.latest_pos());
        let rect = self.panels.layout().rect(Pane::Viewport);
        let found =
            pointer.zip(rect).filter(|(p, rect)| rect.contains(*p)).and_then(|(p, rect)| {
                let at = Vec2::new(p.x - rect.left(), p.y - rect.top());
                let size = Vec2::new(rect.width(), rect.height());
                self.spot_under(at, size)
            });
        // Without a point under the pointer, as from a menu, the pivot is at the active joint.
        let found = found.or_else(|| Some((self.outliner.selection.active?, Vec3::ZERO)));
        let Some((node, spot)) = found else {
            self.toast(ctx, ToastKind::Note, NOTHING);
            return;
        };
        self.viewport.pivot_spot = Some((node, spot));
        self.viewport.pivot = Pivot::Spot;
        let name =
            self.session.as_ref().map_or_else(String::new, |s| s.document().node(node).label(node));
        self.toast(ctx, ToastKind::Ok, format!("The pivot is now a point on {name}"));
    }

    /// The joint under a point of the picture, and the hit point in this joint's space.
    fn spot_under(&mut self, at: Vec2, size: Vec2) -> Option<(NodeId, Vec3)> {
        /// Maximum distance from a joint to the pointer, in points.
        const REACH: f32 = 8.0;
        let document = self.session.as_ref()?.document();
        let camera = self.viewport.camera;
        let near = self
            .renderer
            .bones()
            .iter()
            .filter_map(|b| Some((camera.project(b.head, size)?.0.distance(at), b.joint)));
        if let Some((_, joint)) =
            near.filter(|(d, _)| *d <= REACH).min_by(|a, b| a.0.total_cmp(&b.0))
        {
            return Some((joint, Vec3::ZERO));
        }
        let ray = camera.ray(at, size);
        let in_file = self.renderer.pose().hidden.clone();
        let hidden = |n: NodeId| self.outliner.visibility.hides(n, &in_file);
        let hit = self.renderer.surface(document).hit(document, &ray, &hidden)?;
        let node = joints_at(document, &hit).first().map_or(hit.node, |(n, _)| *n);
        let spot = ray.origin + ray.direction * hit.distance;
        let world = self.renderer.pose().world[node.index()];
        Some((node, world.inverse().transform_point3(spot))).filter(|(_, p)| p.is_finite())
    }
}
