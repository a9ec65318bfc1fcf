//! Where the skin breaks: the worst moment of every vertex, the list of the worst spots, and the
//! way there.

use egui::Context;
use glam::Vec3;

use super::{Painting, strain::StrainColors};
use crate::{
    app::{App, jobs::JobResult, viewport_renderer::ViewportRenderer},
    ui::{Action, ToastKind},
};
use ulna_edit::{Change, command::BrushCommand};
use ulna_model::{Document, NodeId, PrimitiveId, SkinId};
use ulna_motion::{Sampling, Spot, WorstPose, range_of_motion};

/// Spots in the list.
const SPOTS: usize = 10;
/// Degrees of the range of motion that is shown.
const DEGREES: f32 = 45.0;
/// Vertices that are scored again while a stroke goes on; more wait for its end.
const LIVE: usize = 20_000;
/// Vertices of a primitive that are scored again at once; more want another search.
const MANY: u32 = 200_000;

/// Whether two spots are of one vertex.
fn is_same(a: &Spot, b: &Spot) -> bool {
    (a.node, a.primitive, a.vertex) == (b.node, b.primitive, b.vertex)
}

impl Painting {
    /// Whether what a stroke does to the surface is shown when it ends, since all of a big one is
    /// measured anew.
    pub(super) fn waits_for_the_stroke(&self) -> bool {
        self.stroking.is_some()
            && self.canvas.as_ref().is_some_and(|c| c.vertex_count() > MANY as usize)
    }

    /// Takes up what a search found.
    pub fn take_worst(&mut self, found: WorstPose) {
        self.spots = found.worst(SPOTS);
        self.worst = Some(found);
        self.first_score = self.spots.first().map(|s| s.score);
        self.spot = None;
        self.spots_stale = false;
        self.tinted = None;
    }

    /// The worst moment of a vertex, where it was looked for.
    pub fn worst_at(&self, node: NodeId, primitive: PrimitiveId, vertex: u32) -> Option<Spot> {
        self.worst.as_ref()?.at(node, primitive, vertex)
    }

    /// Brings scores up to date after weights changed.
    pub fn score(&mut self, document: &Document, changes: &[Change]) {
        let mut gone = false;
        if let Some(worst) = &mut self.worst {
            for change in changes {
                let Change::Weights { mesh, primitive, vertices } = change else {
                    // Another kind of surface wants another search.
                    gone |= matches!(change, Change::Bound { .. });
                    continue;
                };
                match vertices {
                    Some(list) if list.len() <= LIVE || self.stroking.is_none() => {
                        worst.rescore(document, *mesh, *primitive, list);
                    }
                    Some(list) => {
                        self.unscored.entry((*mesh, *primitive)).or_default().extend(list);
                    }
                    None => {
                        let count = document.mesh(*mesh).primitives[primitive.index()]
                            .positions
                            .len() as u32;
                        gone |= count > MANY;
                        if gone {
                            continue;
                        }
                        worst.rescore(
                            document,
                            *mesh,
                            *primitive,
                            &(0..count).collect::<Vec<u32>>(),
                        );
                    }
                }
                self.spots_stale = true;
            }
            if self.stroking.is_none() {
                for ((mesh, primitive), list) in std::mem::take(&mut self.unscored) {
                    worst.rescore(
                        document,
                        mesh,
                        primitive,
                        &list.into_iter().collect::<Vec<u32>>(),
                    );
                    self.spots_stale = true;
                }
            }
            if self.spots_stale && self.stroking.is_none() {
                let was = self.spot.and_then(|k| self.spots.get(k).copied());
                self.spots = worst.worst(SPOTS);
                // The one that is worked on may have another number now, or none.
                self.spot = was.and_then(|was| self.spots.iter().position(|s| is_same(s, &was)));
                self.spots_stale = false;
            }
        }
        if gone {
            // Another search is as fast, and does not hold the window up.
            self.worst = None;
            (self.spots, self.spot, self.first_score) = (Vec::new(), None, None);
        }
    }

    /// Measures what the strain views show, where it is another pose, another view, or weights
    /// changed.
    pub(super) fn color_strain(
        &mut self,
        document: &Document,
        stage: &ViewportRenderer,
        changed: bool,
    ) {
        let Some(canvas) = &self.canvas else { return };
        let key = (self.look, stage.pose_serial());
        let shown = self.strain.is_of(&key);
        if shown && self.waits_for_the_stroke() {
            self.strain_late |= changed;
            return;
        }
        let late = std::mem::take(&mut self.strain_late);
        if !changed && shown && !late {
            return;
        }
        if late {
            self.tinted = None;
        }
        let worst = self.worst.as_ref();
        let strain = StrainColors::of(document, canvas, stage.pose(), self.look, worst);
        self.strain.put(key, strain);
    }
}

impl App {
    /// Looks for the worst pose of every vertex.
    pub(in crate::app) fn search_worst(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let (document, serial) = (session.document().clone(), self.renderer.scene_serial());
        self.start(ctx, "Searching for the worst deformation".into(), true, move |progress| {
            let (cancel, permille) = progress.parts();
            let found = WorstPose::search(&document, &Sampling::default(), cancel, permille);
            JobResult::Searched(found.map(Box::new), serial)
        });
    }

    /// Takes up what a search for the worst pose found; nothing where it was canceled.
    pub(in crate::app) fn take_search(
        &mut self,
        ctx: &Context,
        found: Option<Box<WorstPose>>,
        serial: u64,
    ) {
        let Some(found) = found else { return };
        if serial == self.renderer.scene_serial() {
            self.painting.take_worst(*found);
        } else {
            let text = "The search result belongs to a scene that is no longer shown. \
                Search again.";
            let again = Action::Run(BrushCommand::Worst.into());
            self.say(ctx, ToastKind::Error, text.to_owned(), vec![("Search again", again)]);
        }
    }

    /// Shows the range of motion of the painted skin, or the pose that was shown before.
    pub(in crate::app) fn show_range(&mut self, on: bool) {
        let skin = self.painting.canvas.as_ref().map(|c| c.skin).filter(|_| on);
        self.show_range_of(skin);
    }

    fn show_range_of(&mut self, skin: Option<SkinId>) {
        let Some(session) = &self.session else { return };
        self.painting.range = skin.map(|skin| {
            let kept = self.painting.worst.as_ref().and_then(|w| w.range(skin)).cloned();
            (
                skin,
                kept.unwrap_or_else(|| {
                    range_of_motion(session.document(), skin, Vec3::splat(DEGREES)).into()
                }),
            )
        });
        self.painting.bending.show_whole();
        self.timeline.playback.seek(0.0);
    }

    /// Shows the spot after the one that was shown last, or the one before it.
    pub(in crate::app) fn step_spot(&mut self, ctx: &Context, back: bool) {
        let count = self.painting.spots.len();
        if count == 0 {
            let text = "No worst deformations are listed. Search for them first.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let next = match (self.painting.spot, back) {
            (None, false) => 0,
            (None, true) => count - 1,
            (Some(k), false) => (k + 1) % count,
            (Some(k), true) => (k + count - 1) % count,
        };
        self.go_to_spot(self.painting.spots[next]);
        self.painting.spot = Some(next);
    }

    /// Shows a spot at its worst moment.
    pub(in crate::app) fn go_to_spot(&mut self, spot: Spot) {
        self.painting.spot = self.painting.spots.iter().position(|s| is_same(s, &spot));
        match spot.clip {
            Some(clip) => {
                self.painting.range = None;
                self.painting.bending.show_whole();
                self.painting.over_clip = true;
                if let Some(session) = &self.session {
                    self.timeline.playback.show(session.document(), Some(clip));
                }
            }
            None => {
                let skin = self.session.as_ref().and_then(|s| s.document().node(spot.node).skin);
                self.show_range_of(skin);
            }
        }
        // The joints of the spot's skin are painted from here on.
        self.outliner.selection.set(spot.node);
        self.timeline.playback.playing = false;
        self.timeline.playback.seek(f64::from(spot.time));
        self.painting.focus = Some(spot);
    }

    /// Looks at the spot that was gone to, once its pose is shown, and takes up the joint that
    /// moves it most.
    pub(in crate::app) fn focus_spot(&mut self, ctx: &Context) {
        let Some(spot) = self.painting.focus.take() else { return };
        let Some(session) = &self.session else { return };
        let document = session.document();
        let surface = self.renderer.surface(document);
        let part = surface.parts().find(|p| p.node == spot.node && p.primitive == spot.primitive);
        let Some(at) = part.and_then(|p| p.positions.get(spot.vertex as usize).copied()) else {
            return;
        };
        let Some((low, high)) = surface.bounds() else { return };
        let room = Vec3::splat((high - low).length() * 0.09);
        let size = self.renderer.size();
        let mut camera = self.viewport.camera;
        camera.frame(at - room, at + room, size.x / size.y);
        let node = document.node(spot.node);
        let strongest = node.mesh.zip(node.skin).and_then(|(mesh, skin)| {
            let map = document.mesh(mesh).primitives[spot.primitive.index()].weights.as_ref()?;
            let (joint, _) = map.vertex(spot.vertex as usize).max_by(|a, b| a.1.total_cmp(&b.1))?;
            document.skin(skin).joints.get(usize::from(joint)).copied()
        });
        self.begin_transition(ctx, camera);
        if let Some(joint) = strongest {
            self.outliner.selection.set(joint);
        }
    }
}
