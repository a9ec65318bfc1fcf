//! Worst deformations: the worst time of each vertex, the list of the worst deformations, and
//! showing one of them.

use glam::Vec3;

use super::{
    brush::step,
    context::{BrushContext, SpotContext},
};
use crate::{
    app::viewport_renderer::ViewportRenderer,
    ui::{Action, PaintDomain, StrainColors, ToastKind, WorstSearch},
};
use ulna_edit::{Change, command::BrushCommand};
use ulna_model::{Document, SkinId};
use ulna_motion::{Spot, WorstPose, range_of_motion};
use ulna_render::Camera;

/// Angle of the displayed range of motion, in degrees.
const DEGREES: f32 = 45.0;
/// Maximum number of vertices that are scored during a stroke. Larger changes are scored when the
/// stroke ends.
const LIVE: usize = 20_000;
/// Maximum number of vertices of a primitive that are scored again at once. Above it, a new search
/// is needed.
const MANY: u32 = 200_000;

impl PaintDomain {
    /// True if the strain of a stroke is only displayed when the stroke ends, because measuring a
    /// large surface takes too long.
    pub(super) fn waits_for_the_stroke(&self) -> bool {
        self.session().is_some_and(|session| {
            session.stroke.is_some() && session.surface.vertex_count() > MANY as usize
        })
    }

    /// Stores the result of a search.
    fn take_worst(&mut self, found: WorstPose) {
        self.worst = Some(WorstSearch::new(found));
        self.invalidate_tints();
    }

    /// Updates the scores after weights changed.
    pub(super) fn score(&mut self, document: &Document, changes: &[Change]) {
        let is_stroking = self.is_stroking();
        let Some(worst) = &mut self.worst else { return };
        let mut gone = false;
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else {
                // A changed surface needs a new search.
                gone |= matches!(change, Change::Bound { .. });
                continue;
            };
            match vertices {
                Some(list) if list.len() <= LIVE || !is_stroking => {
                    worst.found.rescore(document, *mesh, *primitive, list);
                }
                Some(list) => {
                    worst.unscored.entry((*mesh, *primitive)).or_default().extend(list);
                }
                None => {
                    let positions = &document.mesh(*mesh).primitives[primitive.index()].positions;
                    let count = positions.len() as u32;
                    gone |= count > MANY;
                    if gone {
                        continue;
                    }
                    let all: Vec<u32> = (0..count).collect();
                    worst.found.rescore(document, *mesh, *primitive, &all);
                }
            }
            worst.is_stale = true;
        }
        if !is_stroking {
            for ((mesh, primitive), list) in std::mem::take(&mut worst.unscored) {
                let list: Vec<u32> = list.into_iter().collect();
                worst.found.rescore(document, mesh, primitive, &list);
                worst.is_stale = true;
            }
            if worst.is_stale {
                worst.list_spots();
            }
        }
        if gone {
            // A new search is as fast, and does not block the window.
            self.worst = None;
        }
    }

    /// Measures the displayed strain if the pose, the view or the weights changed.
    pub(super) fn color_strain(
        &mut self,
        document: &Document,
        stage: &ViewportRenderer,
        changed: bool,
    ) {
        let (look, waits) = (self.options.look, self.waits_for_the_stroke());
        let worst = self.worst.as_ref().map(|w| &w.found);
        let Some(session) = self.state.session_mut() else { return };
        let key = (look, stage.pose_serial());
        let shown = session.strain.is_of(&key);
        if shown && waits {
            session.is_strain_late |= changed;
            return;
        }
        let late = std::mem::take(&mut session.is_strain_late);
        if !changed && shown && !late {
            return;
        }
        if late {
            session.tinted = None;
        }
        let strain = StrainColors::of(document, &session.surface, stage.pose(), look, worst);
        session.strain.put(key, strain);
    }
}

impl BrushContext<'_> {
    /// Handles the result of a search for the worst deformations; `None` if the search was
    /// canceled.
    pub(in crate::app) fn take_search(&mut self, found: Option<Box<WorstPose>>, serial: u64) {
        let Some(found) = found else { return };
        if serial == self.renderer.scene_serial() {
            self.painting.take_worst(*found);
        } else {
            let text = "The search result belongs to a scene that is no longer shown. \
                Search again.";
            let again = Action::Run(BrushCommand::Worst.into());
            self.messages.say(ToastKind::Error, text.to_owned(), vec![("Search again", again)]);
        }
    }

    /// Camera that frames the chosen deformation, once its pose is displayed. Selects the joint
    /// with the largest weight on its vertex.
    pub(in crate::app) fn focus_spot(&mut self) -> Option<Camera> {
        let spot = self.painting.worst.as_mut()?.focus.take()?;
        let document = self.session.document();
        let surface = self.renderer.surface(document);
        let part = surface.parts().find(|p| p.node == spot.node && p.primitive == spot.primitive);
        let at = *part?.positions.get(spot.vertex as usize)?;
        let (low, high) = surface.bounds()?;
        let room = Vec3::splat((high - low).length() * 0.09);
        let size = self.renderer.size();
        let mut camera = *self.camera;
        camera.frame(at - room, at + room, size.x / size.y);
        let node = document.node(spot.node);
        let strongest = node.mesh.zip(node.skin).and_then(|(mesh, skin)| {
            let map = document.mesh(mesh).primitives[spot.primitive.index()].weights.as_ref()?;
            let (joint, _) = map.vertex(spot.vertex as usize).max_by(|a, b| a.1.total_cmp(&b.1))?;
            document.skin(skin).joints.get(usize::from(joint)).copied()
        });
        if let Some(joint) = strongest {
            self.selection.set(joint);
        }
        Some(camera)
    }
}

impl SpotContext<'_> {
    /// Shows the range of motion of the painted skin; with false, the previous pose.
    pub(in crate::app) fn show_range(&mut self, on: bool) {
        let skin = self.painting.session().map(|s| s.skin()).filter(|_| on);
        self.show_range_of(skin);
    }

    fn show_range_of(&mut self, skin: Option<SkinId>) {
        let document = self.session.document();
        let worst = self.painting.worst.as_ref();
        self.painting.bending.range = skin.map(|skin| {
            let kept = worst.and_then(|w| w.found.range(skin)).cloned();
            (
                skin,
                kept.unwrap_or_else(|| {
                    range_of_motion(document, skin, Vec3::splat(DEGREES)).into()
                }),
            )
        });
        self.painting.bending.show_whole();
        self.playback.seek(0.0);
    }

    /// Shows the next or previous deformation in the list.
    pub(in crate::app) fn step(&mut self, back: bool) {
        let next = self.painting.worst.as_ref().and_then(|worst| {
            // Before the first step, the previous deformation is the last of the list.
            let now = worst.current.or(back.then_some(0));
            worst.spots.get(step(now, worst.spots.len(), back)?).copied()
        });
        match next {
            Some(spot) => self.go_to(spot),
            None => {
                let text = "No worst deformations are listed. Search for them first.";
                self.messages.toast(ToastKind::Note, text);
            }
        }
    }

    /// Shows a deformation at its worst time.
    pub(in crate::app) fn go_to(&mut self, spot: Spot) {
        match spot.clip {
            Some(clip) => {
                self.painting.bending.range = None;
                self.painting.bending.show_whole();
                self.painting.options.over_clip = true;
                self.playback.show(self.session.document(), Some(clip));
            }
            None => {
                self.show_range_of(self.session.document().node(spot.node).skin);
            }
        }
        // Selecting the node makes its skin the painted one.
        self.selection.set(spot.node);
        self.playback.playing = false;
        self.playback.seek(f64::from(spot.time));
        if let Some(worst) = &mut self.painting.worst {
            worst.current = worst.position(&spot);
            worst.focus = Some(spot);
        }
    }
}
