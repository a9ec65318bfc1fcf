//! Draws the viewport's picture: in full quality, or quickly during motion.

use std::collections::BTreeSet;

use egui_wgpu::RenderState;

use super::{
    ViewportRenderer,
    state::{Drawn, Practiced},
    wanted::Seen,
};
use crate::{app::ladder::Motion, ui::Quality};
use ulna_model::{Document, JointGroup, NodeId};
use ulna_motion::Bone;
use ulna_render::{BoneLook, RenderTarget, SceneBeside, Show, ViewportColors};

impl ViewportRenderer {
    /// Draws the picture if its inputs changed. Returns the time in seconds until the next call is
    /// needed, which replaces a quick picture by a full one.
    pub(in crate::app) fn draw(
        &mut self,
        state: Option<&RenderState>,
        document: &Document,
        seen: &Seen<'_>,
        motion: Motion,
    ) -> Option<f64> {
        let Seen { camera, selection, marks, hover, faded, shown, painting, .. } = *seen;
        let (Some(state), Some((gpu, renderer)), Some(scene)) =
            (state, &mut self.gpu, &mut self.scene)
        else {
            return None;
        };
        scene.hide(&marks.hidden, &marks.shown);
        let pixels = [self.size.x, self.size.y]
            .map(|s| (s * self.pixels_per_point).round().clamp(1.0, 8192.0) as u32);
        let now = Drawn {
            serial: self.serial,
            camera: *camera,
            selection: selection.without_keys(),
            marks: marks.clone(),
            hover,
            faded: faded.clone(),
            shown,
            pixels,
            tint: painting.and_then(|p| p.tint),
        };
        let picture = &mut self.picture;
        let same = picture.drawn.as_ref() == Some(&now);
        if same && !picture.coarse {
            return self.warm_up_pipelines(document, seen, motion);
        }
        let quick = if same {
            let rests_in = picture.ladder.rests_in(motion);
            if rests_in > 0.0 {
                return Some(rests_in);
            }
            None
        } else {
            picture.ladder.changed(motion)
        };
        let switches = picture.coarse != quick.is_some();
        picture.coarse = quick.is_some();
        let slot = &mut picture.targets[usize::from(picture.coarse)];
        let fits =
            slot.as_ref().is_some_and(|t| t.shown == pixels && t.part == quick.unwrap_or(1.0));
        if !fits {
            *slot = Some(quick.map_or_else(
                || RenderTarget::new(gpu, pixels),
                |part| RenderTarget::quick(gpu, pixels, part),
            ));
        }
        let Some(target) = slot else { return None };
        if !fits || switches {
            // Both targets share one texture, so that the panels that were already laid out show
            // the new picture in this frame.
            let mut egui = state.renderer.write();
            let (device, view, filter) =
                (&state.device, &target.plain_view, wgpu::FilterMode::Linear);
            match picture.texture {
                Some(id) => egui.update_egui_texture_from_wgpu_texture(device, view, filter, id),
                None => picture.texture = Some(egui.register_native_texture(device, view, filter)),
            }
        }
        let mut show = Show {
            scale: self.pixels_per_point,
            size: self.model.extent,
            ..show(document, (self.model.seen_bones(), &self.model.pose.hidden), &self.look, seen)
        };
        let behind = self.ghosts.bones.iter().chain(seen.bones_beside).copied();
        show.bones.splice(0..0, behind);
        let beside: Vec<SceneBeside<'_>> =
            seen.beside.iter().filter_map(|b| b.scene(&gpu.device)).collect();
        renderer.draw_with(gpu, target, (scene, &beside), camera, &self.look, &show);
        picture.drawn = Some(now);
        picture.stood = motion.now;
        if picture.coarse {
            self.picture.practiced = Some(self.practiced_by(seen));
            return Some(self.picture.ladder.rests_in(motion));
        }
        self.warm_up_pipelines(document, seen, motion)
    }

    pub(super) fn practiced_by(&self, seen: &Seen<'_>) -> Practiced {
        (self.scene_serial, seen.shown.shading, seen.painting.and_then(|p| p.tint))
    }

    /// On a software device, draws a tiny quick picture while nothing moves. This compiles the
    /// pipelines, so that the start of a drag does not have to wait.
    ///
    /// Returns the time in seconds until this can be done; `None` if it is done or not needed.
    pub(super) fn warm_up_pipelines(
        &mut self,
        document: &Document,
        seen: &Seen<'_>,
        motion: Motion,
    ) -> Option<f64> {
        // Time in seconds without a change after which the view counts as static.
        const STILL: f64 = 0.3;
        let kind = self.practiced_by(seen);
        let (Some((gpu, renderer)), Some(scene)) = (&mut self.gpu, &self.scene) else {
            return None;
        };
        if !gpu.software || motion.quality == Quality::High || self.picture.practiced == Some(kind)
        {
            return None;
        }
        let left = self.picture.stood + STILL - motion.now;
        if left > 0.0 {
            return Some(left);
        }
        // Not a power of two, because such sizes use other code.
        let target = RenderTarget::quick(gpu, [15, 15], 1.0);
        let show = Show {
            scale: 1.0,
            size: self.model.extent,
            ..show(document, (self.model.seen_bones(), &self.model.pose.hidden), &self.look, seen)
        };
        renderer.draw(gpu, &target, scene, seen.camera, &self.look, &show);
        self.picture.practiced = Some(kind);
        None
    }
}

/// Options of the renderer for the requested view.
fn show(
    document: &Document,
    (bones, hidden): (&[Bone], &BTreeSet<NodeId>),
    look: &ViewportColors,
    seen: &Seen<'_>,
) -> Show {
    let Seen { selection, shown, painting, .. } = *seen;
    let tint = painting.and_then(|p| p.tint);
    let outlined = |n: &NodeId| document.nodes.get(*n).is_some_and(|n| n.mesh.is_some());
    Show {
        shading: shown.shading,
        outlined: selection.nodes.iter().copied().filter(outlined).collect(),
        grid: shown.grid,
        bones: if shown.joints {
            bone_colors(document, bones, look, seen, hidden)
        } else {
            Vec::new()
        },
        bone_width: Some(shown.joint_size),
        sticks: shown.sticks,
        lights: shown.lights,
        tint,
        tint_edges: tint.is_some() && painting.is_some_and(|p| p.edges),
        ..Show::default()
    }
}

/// Colors of the drawn bones. Bones of selected joints are amber, and bones of their descendants
/// have a shade of it.
fn bone_colors(
    document: &Document,
    bones: &[Bone],
    look: &ViewportColors,
    seen: &Seen<'_>,
    hidden: &BTreeSet<NodeId>,
) -> Vec<BoneLook> {
    /// Opacity of a faded joint.
    const FADED: f32 = 0.14;
    let Seen { selection, marks, hover, faded, unkeyed, .. } = *seen;
    let groups = document.joint_groups();
    let painting = seen.painting.is_some();
    let outline = |[r, g, b, a]: [f32; 4]| [r, g, b, if painting { 0.16 } else { a }];
    let color = |bone: &Bone| {
        if selection.nodes.contains(&bone.joint) {
            // In Paint mode, the joint is only an outline, so that the weight colors stay visible.
            (outline(look.joint_selected), look.joint_selected_edge)
        } else if hover == Some(bone.joint) {
            (look.joint_hover, look.joint_edge)
        } else if unkeyed.is_some_and(|u| u.locals.contains_key(&bone.joint)) {
            (look.joint_unkeyed, look.joint_edge)
        } else if marks.locks(bone.joint, groups) {
            let [r, g, b, a] = look.joint;
            ([r * 0.3, g * 0.3, b * 0.3, a], look.joint_edge)
        } else if document.node(bone.joint).parent.is_some_and(|p| selection.nodes.contains(&p)) {
            (look.joint_related, look.joint_edge)
        } else if let Some(group) = JointGroup::color_of(groups, bone.joint) {
            (look.joint_of_group(group), look.joint_edge)
        } else {
            (look.joint, look.joint_edge)
        }
    };

    bones
        .iter()
        .filter(|bone| !marks.hides(bone.joint, hidden))
        .map(|bone| {
            let (mut color, mut edge) = color(bone);
            if faded.contains(&bone.joint) {
                color[3] *= FADED;
                edge[3] *= FADED;
            }
            BoneLook { bone: *bone, color, edge }
        })
        .collect()
}
