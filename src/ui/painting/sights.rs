//! Vertices visible from the camera.

use std::sync::atomic::{AtomicU8, Ordering};

use ulna_render::Camera;

/// Cache of vertex visibility during a stroke. The view does not rotate meanwhile, so each vertex
/// is tested once.
#[derive(Default)]
pub struct Sights {
    /// Camera and serial number of the pose that the cache is valid for.
    of: Option<(Camera, u64)>,
    known: Vec<AtomicU8>,
}

impl Sights {
    const SEEN: u8 = 1;
    const HIDDEN: u8 = 2;

    /// Clears the cache if the view or the pose changed; `count` is the number of vertices.
    pub fn follow(&mut self, camera: &Camera, pose: u64, count: usize) {
        if self.of != Some((*camera, pose)) {
            self.known.clear();
            self.known.resize_with(count, AtomicU8::default);
            self.of = Some((*camera, pose));
        }
    }

    /// Returns a visibility test with a cache. `looks` is called at most once per vertex.
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
