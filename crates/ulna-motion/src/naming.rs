//! Joint naming conventions of programs, for humanoids.

use super::{
    humanoid::{BodyPart, BodyRole},
    mirror_pairs::Side,
    roles::roles_of,
};
use ulna_model::{Document, NodeId};

/// A naming convention for the joints of a humanoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointNames {
    /// The humanoid bones of VRM 1.0, such as `leftUpperArm`.
    Vrm,
    /// Mixamo, such as `mixamorig:LeftArm`.
    Mixamo,
    /// The mannequin of Unreal Engine, such as `upperarm_l`.
    Unreal,
}

/// Suggests new names by a convention for joints with a known body part. Body parts are known from
/// the humanoid map or from the present names. Joints without a name in the convention are left
/// out.
pub fn humanoid_names(document: &Document, names: JointNames) -> Vec<(NodeId, String)> {
    let roles = roles_of(document).into_iter();
    let of = |(node, role): (NodeId, Option<BodyRole>)| {
        let mut role = role?;
        if let BodyPart::Finger(_) = role.part
            && role.count > FINGER
        {
            // A finger with more joints has palm or tip joints, which have no name in the
            // conventions.
            let label = document.node(node).label(node).to_lowercase();
            let has_palm = label.contains("meta") || label.contains("palm") || role.count > 4;
            let palm = usize::from(has_palm);
            role.place = role.place.checked_sub(palm).filter(|place| *place < FINGER)?;
            role.count = FINGER;
        }
        Some((node, names.name(&role)?))
    };
    roles.filter_map(of).collect()
}

/// Number of joints per finger.
const FINGER: usize = 3;
/// Names of the fingers, from the thumb, in VRM, Mixamo and Unreal.
const FINGERS: [[&str; 3]; 5] = [
    ["Thumb", "Thumb", "thumb"],
    ["Index", "Index", "index"],
    ["Middle", "Middle", "middle"],
    ["Ring", "Ring", "ring"],
    ["Little", "Pinky", "pinky"],
];

impl JointNames {
    fn name(self, role: &BodyRole) -> Option<String> {
        match self {
            Self::Vrm => vrm(role),
            Self::Mixamo => mixamo(role),
            Self::Unreal => unreal(role),
        }
    }
}

/// Returns the VRM role of a joint. VRM names three joints of the spine: the first, the second, and
/// the last.
fn vrm(role: &BodyRole) -> Option<String> {
    let BodyRole { part, side, place, count } = *role;
    let name = match part {
        BodyPart::Hips => "hips",
        BodyPart::Spine if place == 0 => "spine",
        BodyPart::Spine if count > 2 && place + 1 == count => "upperChest",
        BodyPart::Spine if place == 1 => "chest",
        BodyPart::Neck if place == 0 => "neck",
        BodyPart::Head => "head",
        BodyPart::Jaw => "jaw",
        BodyPart::Eye => "Eye",
        BodyPart::Shoulder => "Shoulder",
        BodyPart::UpperArm => "UpperArm",
        BodyPart::LowerArm => "LowerArm",
        BodyPart::Hand => "Hand",
        BodyPart::Thigh => "UpperLeg",
        BodyPart::Shin => "LowerLeg",
        BodyPart::Foot => "Foot",
        BodyPart::Toe if place == 0 => "Toes",
        BodyPart::Finger(finger) => {
            let thumb = ["Metacarpal", "Proximal", "Distal"];
            let others = ["Proximal", "Intermediate", "Distal"];
            let joints = if finger == 0 { thumb } else { others };
            let [name, ..] = FINGERS.get(usize::from(finger))?;
            return Some(format!("{}{name}{}", word(side, "left", "right"), joints.get(place)?));
        }
        _ => return None,
    };
    Some(format!("{}{name}", word(side, "left", "right")))
}

fn mixamo(role: &BodyRole) -> Option<String> {
    let BodyRole { part, side, place, .. } = *role;
    let numbered = |name: &str| match place {
        0 => name.to_owned(),
        k => format!("{name}{k}"),
    };
    let name = match part {
        BodyPart::Hips => "Hips".to_owned(),
        BodyPart::Spine => numbered("Spine"),
        BodyPart::Neck => numbered("Neck"),
        BodyPart::Head => "Head".to_owned(),
        BodyPart::Eye => "Eye".to_owned(),
        BodyPart::Shoulder => "Shoulder".to_owned(),
        BodyPart::UpperArm => "Arm".to_owned(),
        BodyPart::LowerArm => "ForeArm".to_owned(),
        BodyPart::Hand => "Hand".to_owned(),
        BodyPart::Thigh => "UpLeg".to_owned(),
        BodyPart::Shin => "Leg".to_owned(),
        BodyPart::Foot => "Foot".to_owned(),
        BodyPart::Toe if place == 0 => "ToeBase".to_owned(),
        BodyPart::Finger(finger) => {
            let [_, name, _] = FINGERS.get(usize::from(finger))?;
            format!("Hand{name}{}", place + 1)
        }
        _ => return None,
    };
    Some(format!("mixamorig:{}{name}", word(side, "Left", "Right")))
}

fn unreal(role: &BodyRole) -> Option<String> {
    let BodyRole { part, side, place, .. } = *role;
    let name = match part {
        BodyPart::Hips => "pelvis".to_owned(),
        BodyPart::Spine => format!("spine_{:02}", place + 1),
        BodyPart::Neck => format!("neck_{:02}", place + 1),
        BodyPart::Head => "head".to_owned(),
        BodyPart::Shoulder => "clavicle".to_owned(),
        BodyPart::UpperArm => "upperarm".to_owned(),
        BodyPart::LowerArm => "lowerarm".to_owned(),
        BodyPart::Hand => "hand".to_owned(),
        BodyPart::Thigh => "thigh".to_owned(),
        BodyPart::Shin => "calf".to_owned(),
        BodyPart::Foot => "foot".to_owned(),
        BodyPart::Toe if place == 0 => "ball".to_owned(),
        BodyPart::Finger(finger) => {
            let [.., name] = FINGERS.get(usize::from(finger))?;
            format!("{name}_{:02}", place + 1)
        }
        _ => return None,
    };
    Some(format!("{name}{}", word(side, "_l", "_r")))
}

const fn word(side: Option<Side>, left: &'static str, right: &'static str) -> &'static str {
    match side {
        Some(Side::Left) => left,
        Some(Side::Right) => right,
        Some(Side::Center) | None => "",
    }
}
