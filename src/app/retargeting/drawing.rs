//! Draws both bodies of the *Retarget* page at the same time of the clip.

use std::collections::BTreeMap;

use egui_wgpu::RenderState;
use glam::{Quat, Vec3};

use super::{Retargeting, bodies::PosedBody};
use crate::app::viewport_renderer::{ApartLook, PictureApart, ViewportRenderer};
use crate::ui::{BodyScene, ContactRing, RetargetDraft, SOURCE, TARGET, chain_color, view_sizes};
use ulna_model::{Document, Goal, Local, NodeId, Shared, Transform};
use ulna_motion::{Bone, Pose, Stack, bones};
use ulna_render::{BoneLook, Color, ColorRole};

/// Contents of the last drawn pictures.
#[derive(Default)]
pub(super) struct DrawnViews([Option<DrawnView>; 2]);

#[derive(Clone, PartialEq)]
struct DrawnView {
    look: ApartLook,
    time: f64,
    /// Serial numbers of the body and of the result, and index of the clip.
    of: (u64, u64, usize),
    bones: Vec<BoneKey>,
    theme: &'static str,
}

/// A drawn bone with its color, for comparison.
type BoneKey = ([f32; 6], [u8; 4]);

/// Index of the chain that a joint belongs to.
fn chain_of(draft: &RetargetDraft, body: usize, name: &str) -> Option<usize> {
    draft.map.chains.iter().position(|c| RetargetDraft::joints(c, body).iter().any(|j| j == name))
}

/// The hips of a body: the first joint of the first chain that has joints.
fn hips_of(body: &PosedBody, draft: &RetargetDraft, which: usize) -> Option<NodeId> {
    let mut chains = draft.map.chains.iter().map(|c| RetargetDraft::joints(c, which));
    body.node(chains.find_map(|list| list.first())?)
}

/// Bones of the chains in their colors. The selected chain is amber.
fn chain_bones(
    document: &Document,
    body: &PosedBody,
    draft: &RetargetDraft,
    which: usize,
    chosen: Color,
) -> Vec<(Bone, Color)> {
    let all = bones(document, &body.pose, &body.skeleton);
    let colored = all.into_iter().filter_map(|bone| {
        let name = body.name(bone.joint);
        let chain = chain_of(draft, which, name)?;
        // Bones that connect two chains are skipped, because their color would be ambiguous.
        let leads_away =
            bone.child.is_some_and(|child| chain_of(draft, which, body.name(child)) != Some(chain));
        let last = RetargetDraft::joints(&draft.map.chains[chain], which).last();
        let is_end = last.is_some_and(|last| last == name);
        let color = if draft.chain == Some(chain) { chosen } else { chain_color(chain) };
        (!leads_away || is_end).then_some((bone, color))
    });
    colored.collect()
}

/// Reference pose of a body: the rest pose with other rotations of some joints.
fn reference(document: &Document, body: &PosedBody, turned: &BTreeMap<String, Quat>) -> Pose {
    let mut pose = body.rest.clone();
    for node in document.nodes.order() {
        let mut rest = document.node(*node).rest;
        if let Some(rotation) = turned.get(body.name(*node)) {
            rest = Local::Trs(Transform { rotation: *rotation, ..rest.transform() });
        }
        pose.local[node.index()] = rest;
        pose.world[node.index()] = pose.parent_world(document, *node) * rest.matrix();
    }
    pose
}

/// Rings on the ground for feet that are in contact at a time.
fn rings(
    document: &Document,
    body: &PosedBody,
    feet: impl Iterator<Item = (usize, NodeId, NodeId)>,
    goals: &[Goal],
    (time, lift): (f64, f32),
) -> Vec<ContactRing> {
    let Some([low, high]) = body.bounds else { return Vec::new() };
    let time = time as f32;
    let is_in =
        |foot: NodeId| goals.iter().any(|g| g.node == foot && (g.from..=g.to).contains(&time));
    let ring = |(chain, source, foot): (usize, NodeId, NodeId)| {
        let place = body.pose.world.get(foot.index())?.w_axis.truncate();
        let toe = document.children(foot).first().and_then(|c| body.pose.world.get(c.index()));
        let toe = toe.map_or(place, |w| w.w_axis.truncate());
        let at = ((place + toe) * 0.5).with_y(low.y + lift);
        is_in(source).then_some(ContactRing { chain, at, radius: (high.y - low.y) * 0.07 })
    };
    feet.filter_map(ring).filter(|r| r.at.is_finite()).collect()
}

impl Retargeting {
    /// Updates the poses of both bodies for the playhead.
    fn pose(&mut self) {
        let time = self.draft.clock.time;
        if self.draft.edits_rest.is_some() {
            let map = &self.draft.map;
            if let Some(source) = &mut self.source {
                source.body.pose = reference(&source.document, &source.body, &map.source_pose);
            }
            let target = &mut self.target;
            target.body.pose = reference(&target.document, &target.body, &map.target_pose);
            return;
        }
        let result = self.preview.result().filter(|r| r.of == self.draft.shown);
        if let Some(source) = &mut self.source {
            let clip = source.clips.get(self.draft.shown);
            let clip = clip.and_then(|id| source.document.clips.get(*id));
            let body = &mut source.body;
            let stack = Stack::of(clip, time);
            body.evaluator.update(&source.document, &stack, &mut body.pose);
        }
        let clip: Option<&Shared<_>> = result.filter(|r| r.fault.is_none()).map(|r| &r.clip);
        let body = &mut self.target.body;
        body.evaluator.update(&self.target.document, &Stack::of(clip, time), &mut body.pose);
    }

    /// Uses the source's pose at the playhead as its reference pose, for the joints of chains.
    pub(in crate::app) fn use_frame(&mut self) {
        let edits = self.draft.edits_rest.take();
        self.pose();
        self.draft.edits_rest = edits;
        let Some(source) = &self.source else { return };
        let joints = self.draft.map.chains.iter().flat_map(|c| &c.source);
        let turned = joints.filter_map(|name| {
            let node = source.body.node(name)?;
            let local = source.body.pose.local.get(node.index())?;
            Some((name.clone(), local.transform().rotation))
        });
        let turned = turned.collect();
        self.change(false, |page| page.draft.map.source_pose = turned);
    }

    /// Returns the height by which a body is raised, in meters. A body is raised if only its rest
    /// pose is below the ground. In many motion captures, the rest pose has the hips at the origin.
    fn lift(&self, body: &PosedBody, which: usize) -> f32 {
        /// Minimum depth below the ground for which a body is raised, as a fraction of its height.
        const FAR: f32 = 0.2;
        let (Some([low, high]), Some(hips)) = (body.bounds, hips_of(body, &self.draft, which))
        else {
            return 0.0;
        };
        let height = |pose: &Pose| pose.world.get(hips.index()).map_or(0.0, |w| w.w_axis.y);
        let far = (high.y - low.y) * FAR;
        let is_lifted = low.y < -far && height(&body.pose) - height(&body.rest) > far;
        if is_lifted { -low.y } else { 0.0 }
    }

    /// Bounding box that a view frames: that of the rest pose, moved horizontally with the hips.
    fn framed(&self, which: usize) -> Option<[Vec3; 2]> {
        let body = match (which, &self.source) {
            (SOURCE, Some(source)) => &source.body,
            (SOURCE, None) => return None,
            _ => &self.target.body,
        };
        let [low, high] = body.bounds?;
        let by = hips_of(body, &self.draft, which).map_or(Vec3::ZERO, |hips| {
            let place = |pose: &Pose| {
                pose.world.get(hips.index()).map(|w| w.w_axis.truncate()).unwrap_or_default()
            };
            (place(&body.pose) - place(&body.rest)).with_y(0.0)
        });
        let by = by + Vec3::Y * self.lift(body, which);
        let by = if by.is_finite() { by } else { Vec3::ZERO };
        // Margin, because limbs may extend farther than in the rest pose.
        let room = (high - low).max_element() * 0.03;
        Some([low + by - Vec3::splat(room), high + by + Vec3::splat(room)])
    }

    /// Contact rings of one view.
    fn rings(&self, which: usize) -> Vec<ContactRing> {
        let Some(result) = self.preview.result().filter(|r| r.of == self.draft.shown) else {
            return Vec::new();
        };
        let goals = self.draft.contacts.get(&self.draft.shown).unwrap_or(&result.contacts);
        let time = self.draft.clock.time;
        let (document, body) = match (which, &self.source) {
            (SOURCE, Some(source)) => (&*source.document, &source.body),
            (SOURCE, None) => return Vec::new(),
            _ => (&*self.target.document, &self.target.body),
        };
        let feet = result.feet.iter();
        let feet =
            feet.map(|f| (f.chain, f.source, if which == SOURCE { f.source } else { f.target }));
        rings(document, body, feet, goals, (time, self.lift(body, which)))
    }

    /// Bones that are drawn over one view.
    fn bones(&self, which: usize, chosen: Color, ghost: Color) -> Vec<(Bone, Color)> {
        let mut list = Vec::new();
        let own = match (which, &self.source) {
            (SOURCE, Some(source)) => Some((&source.document, &source.body)),
            (SOURCE, None) => None,
            _ => Some((&self.target.document, &self.target.body)),
        };
        if let (Some((document, body)), true) = (own, self.draft.views[which].bones) {
            list.extend(chain_bones(document, body, &self.draft, which, chosen));
        }
        if let (TARGET, true, Some(source)) = (which, self.draft.overlay, &self.source) {
            list.splice(0..0, self.overlay(source, ghost));
        }
        list
    }

    /// The skeleton of the source, scaled and moved to the target.
    fn overlay(&self, source: &super::bodies::Source, ghost: Color) -> Vec<(Bone, Color)> {
        let draft = &self.draft;
        let factor = self.preview.result().map_or(1.0, |r| draft.map.height.unwrap_or(r.height));
        let hips = |body: &PosedBody, which: usize| {
            let node = hips_of(body, draft, which)?;
            Some(body.pose.world.get(node.index())?.w_axis.truncate())
        };
        let from = hips(&source.body, SOURCE);
        let to = hips(&self.target.body, TARGET);
        let (Some(from), Some(to)) = (from, to) else { return Vec::new() };
        let moved = |at: Vec3| to + (at - from) * factor;
        let all = bones(&source.document, &source.body.pose, &source.body.skeleton);
        let ghosts = all
            .into_iter()
            .map(|b| (Bone { head: moved(b.head), tail: moved(b.tail), ..b }, ghost));
        ghosts.collect()
    }
}

/// Drawing data of bones, and keys that tell whether they changed.
fn bone_looks(list: &[(Bone, Color)], edge: [f32; 4]) -> (Vec<BoneLook>, Vec<BoneKey>) {
    let look = |(bone, color): &(Bone, Color)| {
        let [r, g, b, _] = color.linear();
        BoneLook { bone: *bone, color: [r, g, b, 0.85], edge }
    };
    let key = |(bone, color): &(Bone, Color)| {
        let ([a, b, c], [d, e, f]) = (bone.head.to_array(), bone.tail.to_array());
        ([a, b, c, d, e, f], color.0)
    };
    (list.iter().map(look).collect(), list.iter().map(key).collect())
}

/// Inputs for drawing the views in one frame.
pub(in crate::app) struct RetargetFrame<'a> {
    pub state: &'a RenderState,
    /// Size of the window, in points.
    pub window: egui::Vec2,
    /// Number of pixels per point.
    pub scale: f32,
    pub theme: &'static str,
}

impl Retargeting {
    /// Draws the views that changed. Returns whether any changed.
    pub(in crate::app) fn draw(
        &mut self,
        renderer: &mut ViewportRenderer,
        pictures: &mut [PictureApart; 2],
        frame: &RetargetFrame<'_>,
    ) -> bool {
        self.pose();
        let RetargetFrame { state, window, scale, theme } = *frame;
        let sizes = view_sizes(window);
        let mut is_changed = false;
        let [chosen, ghost] =
            [ColorRole::SelectionBase, ColorRole::TextTertiary].map(|role| role.color(theme));
        for which in [SOURCE, TARGET] {
            let bounds = self.framed(which);
            let rings = self.rings(which);
            let list = self.bones(which, chosen, ghost);
            let size = sizes[which];
            let pixels = [size.x, size.y].map(|s| (s * scale).round().clamp(1.0, 4096.0) as u32);
            let framed = bounds.unwrap_or([Vec3::splat(-0.5), Vec3::splat(0.5)]);
            let camera = self.draft.camera(which, framed, size.x / size.y.max(1.0));
            let look = ApartLook {
                camera,
                size: pixels,
                scale,
                textured: self.draft.views[which].textured,
                joints: false,
                extent: (framed[1] - framed[0]).length(),
            };
            let (bones, keys) = bone_looks(&list, renderer.joint_edge());
            let number = match (which, &self.source) {
                (SOURCE, Some(source)) => source.serial,
                (SOURCE, None) => continue,
                _ => self.target.revision,
            };
            let now = DrawnView {
                look,
                time: self.draft.clock.time,
                of: (number, self.preview.serial(), self.draft.shown),
                bones: keys,
                theme,
            };
            let mut is_drawn = self.drawing.0[which].as_ref() == Some(&now);
            if !is_drawn {
                let picture = &mut pictures[which];
                is_drawn = match (which, &mut self.source) {
                    (SOURCE, Some(source)) => {
                        let of =
                            (&*source.document, source.loaded.uploaded.as_mut().map(|u| &mut u.0));
                        let pose = &source.body.pose;
                        renderer.draw_other(state, picture, of, pose, (&look, bones))
                    }
                    _ => {
                        let pose = &self.target.body.pose;
                        let document = &self.target.document;
                        renderer.draw_open(state, picture, document, pose, (&look, bones))
                    }
                };
                self.drawing.0[which] = is_drawn.then_some(now);
                is_changed |= is_drawn;
            }
            let texture = pictures[which].texture();
            let picture = texture.filter(|_| is_drawn);
            self.scenes[which] = BodyScene { picture, bounds: Some(framed), rings };
        }
        is_changed
    }
}
