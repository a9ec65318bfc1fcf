//! What the viewport asked for: the eye, and what the pointer is over.

use egui::Context;

use crate::{
    app::App,
    model::NodeId,
    motion::{ik, joints_at},
    ui::{PickedBone, ViewportAction},
};

impl App {
    pub(in crate::app) fn apply_viewport(&mut self, ctx: &Context, action: ViewportAction) {
        match action {
            ViewportAction::Choose(shown) => self.choose(ctx, shown),
            ViewportAction::Hover(node) => self.outliner.hover = node.or(self.outliner.hover),
            ViewportAction::HoverSurface { at, size } => self.hover_surface(at, size),
            ViewportAction::PickSurface { at, size, toggle } => self.pick_surface(at, size, toggle),
            ViewportAction::Camera(camera) => {
                self.viewport.transition = None;
                self.viewport.camera = camera;
            }
            ViewportAction::SetSpace(space) => self.viewport.space = space,
            ViewportAction::SetCompare(compare) => self.viewport.compare = compare,
            ViewportAction::SetSymmetry(on) => self.viewport.symmetry = on,
            ViewportAction::SetOnion(onion) => self.viewport.options.onion = onion,
            ViewportAction::SetJointSize(size) => self.viewport.options.joint_size = size.clamp(0.2, 4.0),
            ViewportAction::SetChildren(children) => self.viewport.children = children,
            ViewportAction::SetTool(tool) => self.viewport.tool = tool,
            ViewportAction::SetReach(options) => self.viewport.reach = options,
            ViewportAction::Grab { at, size, bone } => self.grab(at, size, bone),
            ViewportAction::SetPivot(pivot) => self.viewport.pivot = pivot,
            ViewportAction::SetSnap(on, steps) => (self.viewport.snap, self.viewport.snap_steps) = (on, steps),
            ViewportAction::ViewportSize(size) => self.renderer.set_size(size, ctx.pixels_per_point()),
        }
    }

    /// The joint that moves the skin under the pointer most is pointed at, too.
    fn hover_surface(&mut self, at: glam::Vec2, size: glam::Vec2) {
        /// With more vertices the surface is not posed for that alone.
        const MOST: usize = 200_000;
        let key = (self.renderer.pose_serial(), self.viewport.camera, at);
        let Some(session) = &self.session else { return };
        let document = session.document();
        let large = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>() > MOST;
        // While it moves, each frame would pose the surface on the CPU.
        if large || self.timeline.playback.playing || session.history().is_open() {
            return;
        }
        let (camera, renderer, visibility) = (&self.viewport.camera, &mut self.renderer, &self.outliner.visibility);
        let in_file = &renderer.pose().hidden.clone();
        let found = self.viewport.surface_hover.update(key, |_| {
            let ray = camera.ray(at, size);
            let barred = |n: NodeId| visibility.locked.contains(&n) || visibility.hides(n, in_file);
            let hit = renderer.surface(document).hit(document, &ray, &barred)?;
            joints_at(document, &hit).into_iter().map(|(n, _)| n).find(|n| !barred(*n))
        });
        self.outliner.hover = self.outliner.hover.or(*found);
    }

    /// Takes hold of the limb under the pointer, by a joint or by a point of its skin.
    fn grab(&mut self, at: glam::Vec2, size: glam::Vec2, bone: Option<PickedBone>) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let pose = self.renderer.pose();
        let in_file = &pose.hidden.clone();
        let free =
            |n: NodeId| !self.outliner.visibility.locked.contains(&n) && !self.outliner.visibility.hides(n, in_file);
        let grabbed = if let Some(bone) = bone.filter(|b| b.is_head) {
            Some((bone.joint, None, bone.spot))
        } else {
            let ray = self.viewport.camera.ray(at, size);
            let pose = pose.clone();
            let hit = self.renderer.surface(document).hit(document, &ray, &|n| !free(n));
            let skin = hit.and_then(|hit| {
                let node = joints_at(document, &hit).into_iter().map(|(n, _)| n).find(|n| free(*n))?;
                Some((node, ray.origin + ray.direction * hit.distance))
            });
            skin.or_else(|| bone.map(|b| (b.joint, b.spot))).map(|(node, point)| {
                // The end of a limb is put there as it is; what lies within one turns, too.
                let bones = ik::limb_of(document, &pose, node, None, false).map_or(0, |l| l.turns.len());
                let is_end = bones >= 2 || ik::body_of(document, node) == node;
                let world = pose.world[node.index()];
                let tip = (!is_end).then(|| world.inverse().transform_point3(point)).filter(|t| t.is_finite());
                (node, tip, if is_end { world.w_axis.truncate() } else { point })
            })
        };
        if let Some((node, tip, from)) = grabbed {
            self.outliner.selection.set(node);
            self.panels.reach(tip, from, at);
        }
    }
}
