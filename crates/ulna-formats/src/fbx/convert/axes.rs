//! Coordinate axes of an FBX file, as stated by the file or by the user.

use glam::{IVec3, Vec3};
use ufbx::{CoordinateAxes, CoordinateAxis, Scene};

use crate::import::{AxisDirection, Conversion, UpAxis};

/// Coordinate axes of a file: its directions to the right, up and to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    right: IVec3,
    up: IVec3,
    front: IVec3,
}

/// Coordinate axes of glTF.
const GLTF: Axes = Axes { right: IVec3::X, up: IVec3::Y, front: IVec3::Z };

const DIRECTIONS: [(CoordinateAxis, IVec3); 6] = [
    (CoordinateAxis::PositiveX, IVec3::X),
    (CoordinateAxis::NegativeX, IVec3::NEG_X),
    (CoordinateAxis::PositiveY, IVec3::Y),
    (CoordinateAxis::NegativeY, IVec3::NEG_Y),
    (CoordinateAxis::PositiveZ, IVec3::Z),
    (CoordinateAxis::NegativeZ, IVec3::NEG_Z),
];

fn axis(direction: IVec3) -> CoordinateAxis {
    let found = DIRECTIONS.iter().find(|(_, d)| *d == direction);
    found.map_or(CoordinateAxis::Unknown, |(axis, _)| *axis)
}

impl Axes {
    /// Axes stated by the file. `None` if they are missing or not perpendicular.
    pub(super) fn stated(scene: &Scene) -> Option<Self> {
        let number = |name: &str| scene.settings.props.find_prop(name).map(|p| p.value_int);
        let direction = |name: &str| {
            let at = match number(name)? {
                0 => IVec3::X,
                1 => IVec3::Y,
                2 => IVec3::Z,
                _ => return None,
            };
            let sign = number(&format!("{name}Sign")).unwrap_or(1);
            Some(if sign < 0 { -at } else { at })
        };
        let made = Self {
            right: direction("CoordAxis")?,
            up: direction("UpAxis")?,
            front: direction("FrontAxis")?,
        };
        let square = made.right.dot(made.up) == 0
            && made.up.dot(made.front) == 0
            && made.front.dot(made.right) == 0;
        square.then_some(made)
    }

    /// Up axis, without its sign.
    pub(super) fn up(&self) -> UpAxis {
        match self.up.abs() {
            IVec3::X => UpAxis::X,
            IVec3::Z => UpAxis::Z,
            _ => UpAxis::Y,
        }
    }

    /// Front direction.
    pub(super) fn front(&self) -> Option<AxisDirection> {
        AxisDirection::ALL.into_iter().find(|d| whole(d.direction()) == self.front)
    }

    /// Copy with other up and front directions. The handedness stays the same.
    fn with(self, up: Option<UpAxis>, front: Option<AxisDirection>) -> Self {
        let up = up.map_or(self.up, |up| whole(up.direction()));
        let wished = front.map_or(self.front, |f| whole(f.direction()));
        let usual = match up.abs() {
            IVec3::Z => IVec3::NEG_Y,
            IVec3::X => IVec3::Y,
            _ => IVec3::Z,
        };
        let front = if wished.dot(up) == 0 { wished } else { usual };
        let hand = self.right.dot(self.up.cross(self.front));
        Self { right: up.cross(front) * hand, up, front }
    }

    /// These axes after the rotation that maps `others` to the axes of glTF.
    fn where_gltf_is(self, others: Self) -> CoordinateAxes {
        let to = |d: IVec3| {
            GLTF.right * d.dot(others.right)
                + GLTF.up * d.dot(others.up)
                + GLTF.front * d.dot(others.front)
        };
        CoordinateAxes {
            right: axis(to(self.right)),
            up: axis(to(self.up)),
            front: axis(to(self.front)),
        }
    }

    /// Target axes to request from the FBX library, so that the converted file has the axes of
    /// glTF.
    pub(super) fn target(stated: Option<Self>, conversion: &Conversion) -> CoordinateAxes {
        let stated = stated.unwrap_or(GLTF);
        let meant = stated.with(conversion.up, conversion.front);
        // The library mirrors left-handed files itself.
        let hand = |a: &Self| a.right.dot(a.up.cross(a.front));
        if hand(&stated) < 0 { gltf() } else { stated.where_gltf_is(meant) }
    }
}

/// Coordinate axes of glTF, in the type of the FBX library.
pub(super) fn gltf() -> CoordinateAxes {
    CoordinateAxes::right_handed_y_up()
}

fn whole(v: Vec3) -> IVec3 {
    v.as_ivec3()
}
