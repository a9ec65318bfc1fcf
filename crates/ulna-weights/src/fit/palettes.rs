//! Joint matrices of a skin in many poses. Their order in memory allows one joint to transform a
//! point in all poses at once.

use ulna_model::{Document, SkinId};
use ulna_motion::Pose;

/// Number of matrix entries without the constant last row.
const ENTRIES: usize = 12;

/// Coordinates of a point in all poses, in meters: all x, then all y, then all z.
pub(super) type Series = Vec<f64>;

/// Computes the dot product. The order of additions does not depend on the CPU.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[inline]
pub(super) fn add_scaled(to: &mut [f64], from: &[f64], factor: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from * factor);
}

/// Skinning matrices `T_j(t)` of a skin's joints in several poses, as `scene_from_mesh`.
#[derive(Debug)]
pub(super) struct PosePalettes {
    poses: usize,
    joints: usize,
    /// Matrix entries, ordered by joint, row, column and pose.
    entries: Vec<f64>,
}

impl PosePalettes {
    /// Computes the skinning matrices of a skin.
    pub fn new<'a>(
        document: &Document,
        skin: SkinId,
        poses: impl ExactSizeIterator<Item = &'a Pose>,
    ) -> Self {
        let skin = document.skin(skin);
        let (count, joints) = (poses.len(), skin.joints.len());
        let mut entries = vec![0.0; joints * ENTRIES * count];
        for (t, pose) in poses.enumerate() {
            for (k, (joint, inverse)) in
                skin.joints.iter().zip(skin.inverse_bind.iter()).enumerate()
            {
                let matrix = pose.world[joint.index()].as_dmat4() * inverse.as_dmat4();
                for entry in 0..ENTRIES {
                    entries[(k * ENTRIES + entry) * count + t] = matrix.row(entry / 4)[entry % 4];
                }
            }
        }
        Self { poses: count, joints, entries }
    }

    /// Returns the number of poses.
    pub const fn poses(&self) -> usize {
        self.poses
    }

    /// Returns the number of joints.
    pub const fn joints(&self) -> usize {
        self.joints
    }

    /// Computes `T_j(t) · p(t)` in all poses, for one joint `j`.
    #[inline]
    pub fn transform(&self, joint: u16, points: &[f64], out: &mut [f64]) {
        let n = self.poses;
        let (x, y, z) = (&points[..n], &points[n..][..n], &points[2 * n..][..n]);
        let first = usize::from(joint) * ENTRIES;
        for (row, out) in out.chunks_exact_mut(n).enumerate().take(3) {
            let entry = |k: usize| &self.entries[(first + row * 4 + k) * n..][..n];
            let (a, b, c, d) = (entry(0), entry(1), entry(2), entry(3));
            for t in 0..n {
                out[t] = a[t] * x[t] + b[t] * y[t] + c[t] * z[t] + d[t];
            }
        }
    }
}
