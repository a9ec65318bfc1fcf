//! Vertices that are seen from the eye.

use std::sync::atomic::{AtomicU8, Ordering};

use ulna_render::Camera;

/// Which vertices were found to be seen in a stroke, which nobody turns the view in: each is looked
/// for once.
#[derive(Default)]
pub struct Sights {
    /// From where, and in which pose.
    of: Option<(Camera, u64)>,
    known: Vec<AtomicU8>,
}

impl Sights {
    const SEEN: u8 = 1;
    const HIDDEN: u8 = 2;

    /// Forgets all where something else is seen; `count` is the number of vertices.
    pub fn follow(&mut self, camera: &Camera, pose: u64, count: usize) {
        if self.of != Some((*camera, pose)) {
            self.known.clear();
            self.known.resize_with(count, AtomicU8::default);
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
