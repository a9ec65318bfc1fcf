//! Axes of a file, as it states them or as they are said to be.

use glam::{IVec3, Vec3};
use ufbx::{CoordinateAxes, CoordinateAxis, Scene};

use crate::import::{AxisDirection, Conversion, UpAxis};

/// Axes of a file: the directions that are right, up and front in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axes {
    right: IVec3,
    up: IVec3,
    front: IVec3,
}

/// As in glTF.
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
    /// The ones that a file states; none where it states none that fit together.
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

    /// The axis that is up, without its sign.
    pub(super) fn up(&self) -> UpAxis {
        match self.up.abs() {
            IVec3::X => UpAxis::X,
            IVec3::Z => UpAxis::Z,
            _ => UpAxis::Y,
        }
    }

    /// The direction that is front.
    pub(super) fn front(&self) -> Option<AxisDirection> {
        AxisDirection::ALL.into_iter().find(|d| whole(d.direction()) == self.front)
    }

    /// Turned so that other directions are up and front; handed as before.
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

    /// The axes that these become where others become glTF's.
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

    /// Axes for the library to turn a file to, so that it stands as in glTF when it is taken like
    /// this.
    pub(super) fn target(stated: Option<Self>, conversion: &Conversion) -> CoordinateAxes {
        let stated = stated.unwrap_or(GLTF);
        let meant = stated.with(conversion.up, conversion.front);
        // The library mirrors what is left-handed itself.
        let hand = |a: &Self| a.right.dot(a.up.cross(a.front));
        if hand(&stated) < 0 { gltf() } else { stated.where_gltf_is(meant) }
    }
}

/// Axes of glTF.
pub(super) fn gltf() -> CoordinateAxes {
    CoordinateAxes::right_handed_y_up()
}

fn whole(v: Vec3) -> IVec3 {
    v.as_ivec3()
}
