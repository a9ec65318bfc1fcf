//! Vertices that are seen from the eye.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU8, Ordering},
};

use ulna_geometry::Ray;
use ulna_model::{Document, NodeId};
use ulna_motion::Surface;
use ulna_render::Camera;
use ulna_weights::PosedSurface;

/// Which vertices were found to be seen in a stroke, which nobody turns the view in: each is looked
/// for once.
#[derive(Default)]
pub(super) struct Sights {
    /// From where, and in which pose.
    of: Option<(Camera, u64)>,
    known: Vec<AtomicU8>,
}

impl Sights {
    const SEEN: u8 = 1;
    const HIDDEN: u8 = 2;

    /// Forgets all.
    pub fn begin(&mut self, count: usize) {
        self.of = None;
        self.known.clear();
        self.known.resize_with(count, AtomicU8::default);
    }

    /// Forgets all where something else is seen.
    pub fn follow(&mut self, camera: &Camera, pose: u64) {
        if self.of != Some((*camera, pose)) {
            self.begin(self.known.len());
            self.of = Some((*camera, pose));
        }
    }

    /// What `looks` says of a vertex, asked once.
    pub fn of<'a>(
        &'a self,
        looks: &'a (dyn Fn(u32) -> bool + Sync),
    ) -> impl Fn(u32) -> bool + Sync + 'a {
        move |v| {
            let Some(known) = self.known.get(v as usize) else { return looks(v) };
            match known.load(Ordering::Relaxed) {
                Self::SEEN => true,
                Self::HIDDEN => false,
                _ => {
                    let seen = looks(v);
                    known.store(if seen { Self::SEEN } else { Self::HIDDEN }, Ordering::Relaxed);
                    seen
                }
            }
        }
    }
}

/// Whether nothing lies between the eye and a vertex; surfaces that are hidden are looked through.
pub(super) fn in_sight(
    surface: &Surface,
    document: &Document,
    camera: &Camera,
    hidden: &BTreeSet<NodeId>,
    posed: PosedSurface<'_>,
    vertex: u32,
) -> bool {
    /// What lies this near before a vertex, as a part of the way to it, is its own surface.
    const OWN: f32 = 2e-4;
    let Some(at) = posed.positions.get(vertex as usize).copied().filter(|p| p.is_finite()) else {
        return false;
    };
    let (origin, direction) = if camera.orthographic {
        let back = camera.reach.max(camera.distance * 10.0);
        (at - camera.forward() * back, camera.forward())
    } else {
        (camera.eye(), (at - camera.eye()).normalize_or_zero())
    };
    let way = (at - origin).length();
    let slack = if camera.orthographic { camera.distance } else { way } * OWN;
    let hit = surface.hit(document, &Ray { origin, direction }, &|n| hidden.contains(&n));
    hit.is_none_or(|hit| hit.distance >= way - slack)
}
