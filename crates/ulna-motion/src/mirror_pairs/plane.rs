//! The mirror plane of a body.

use glam::{DMat3, DMat4, Vec3};

/// A plane: the positions `p` with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    /// Unit normal vector.
    pub normal: Vec3,
    /// Signed distance of the plane from the origin along the normal.
    pub offset: f32,
}

impl Plane {
    /// Index of the axis nearest to the normal: 0, 1 or 2.
    pub fn axis(&self) -> usize {
        let n = self.normal.abs();
        if n.x >= n.y && n.x >= n.z { 0 } else { usize::from(n.y < n.z) + 1 }
    }

    /// Mirrors a position.
    pub fn mirrored(&self, mut place: Vec3) -> Vec3 {
        // If the normal is along an axis, the other two coordinates stay exact.
        let axis = self.axis();
        if self.normal[axis] == 1.0 {
            place[axis] = 2.0 * self.offset - place[axis];
            return place;
        }
        place - self.normal * (2.0 * self.above(place))
    }

    /// Signed distance of a position from the plane.
    pub fn above(&self, place: Vec3) -> f32 {
        self.normal.dot(place) - self.offset
    }

    /// The reflection as a matrix.
    pub fn reflection(&self) -> DMat4 {
        let n = self.normal.as_dvec3().normalize_or(glam::DVec3::X);
        let linear = DMat3::IDENTITY - DMat3::from_cols(n * n.x, n * n.y, n * n.z) * 2.0;
        DMat4::from_mat3(linear)
            + DMat4::from_cols(
                glam::DVec4::ZERO,
                glam::DVec4::ZERO,
                glam::DVec4::ZERO,
                (n * (2.0 * f64::from(self.offset))).extend(0.0),
            )
    }
}
