//! Weights of lines and points: tools change them like the weights of triangles.

use crate::common::{run, shared};
use ulna_edit::CommandLine;
use ulna_session::Session;

/// One interleaved buffer is drawn in each of the seven primitive modes.
#[test]
fn vertices_of_every_primitive_mode_keep_no_more_joints_than_the_limit() {
    let Some(shared) = shared() else { return };
    let path = shared.join("corpus/synthetic/interleaved-all-modes.glb");
    for most in 1..4usize {
        let mut session = Session::open(&path, &Default::default()).expect("opens");
        run(&mut session, CommandLine::new("weights.limit").with("most", most));
        let again = Session::open_bytes(&session.pack("a").expect("packs").bytes).expect("opens");
        let mut done = 0;
        for mesh in again.document().meshes.values() {
            for (primitive, p) in mesh.entries() {
                let map = p.weights.as_deref().expect("weights");
                for v in 0..map.vertex_count() {
                    let held: Vec<(u16, f32)> = map.vertex(v).filter(|(_, w)| *w > 0.0).collect();
                    assert!(held.len() <= most, "primitive {primitive}, vertex {v}: {held:?}");
                    let sum: u32 = held.iter().map(|(_, w)| map.encoding.encode(*w)).sum();
                    assert_eq!(Some(sum), map.encoding.one(), "primitive {primitive}, vertex {v}");
                }
                done += 1;
            }
        }
        assert_eq!(done, 7, "primitives");
    }
}
