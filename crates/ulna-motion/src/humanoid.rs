//! Body parts of joints, found by their names and their parents. They match joints of two skeletons
//! with different naming schemes. The tests of [`Stem`](super::names) list spellings of several
//! programs.

use super::{mirror_pairs::Side, names::Stem};

/// A body part that has one joint, or a chain of several joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum BodyPart {
    Hips,
    /// All joints between hips and neck.
    Spine,
    Neck,
    Head,
    Shoulder,
    UpperArm,
    LowerArm,
    Hand,
    /// Thumb to little finger, 0 to 4.
    Finger(u8),
    Thigh,
    Shin,
    Foot,
    Toe,
    /// An eye. It occurs only in humanoid maps, as does the jaw.
    Eye,
    Jaw,
    /// “Arm” or “leg” in a name without a detail. The other joints of the chain decide the part.
    Arm,
    Leg,
}

/// The role of a joint in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BodyRole {
    pub part: BodyPart,
    pub side: Option<Side>,
    /// Index of the joint among the joints of this part, from the root; 0 for a single joint.
    pub place: usize,
    /// Number of joints of this part.
    pub count: usize,
}

impl BodyRole {
    /// Body part and side, as the humanoid map or the name states them.
    pub const fn kind(&self) -> Kind {
        (self.part, self.side)
    }
}

/// A body part and its side.
pub(super) type Kind = (BodyPart, Option<Side>);

impl BodyPart {
    /// Whether the part follows another part in an arm or a leg: a forearm follows an upper arm.
    const fn is_below_in_limb(self, upper: Self) -> bool {
        matches!(
            (upper, self),
            (Self::UpperArm, Self::LowerArm)
                | (Self::UpperArm | Self::LowerArm, Self::Hand)
                | (Self::Thigh, Self::Shin)
                | (Self::Thigh | Self::Shin, Self::Foot)
        )
    }

    /// Whether a body may have several joints of this part in a chain.
    pub const fn is_row(self) -> bool {
        matches!(self, Self::Spine | Self::Neck | Self::Finger(_) | Self::Toe)
    }
}

/// Converts a role of a humanoid map (VRM 1.0) to a body part, and its index among the joints of
/// this part.
pub(super) fn mapped_part(role: &str) -> Option<(Kind, usize)> {
    let (side, rest) = match (role.strip_prefix("left"), role.strip_prefix("right")) {
        (Some(rest), _) => (Some(Side::Left), rest),
        (_, Some(rest)) => (Some(Side::Right), rest),
        _ => (None, role),
    };
    let (part, place) = match (side, rest) {
        (None, "hips") => (BodyPart::Hips, 0),
        (None, "spine") => (BodyPart::Spine, 0),
        (None, "chest") => (BodyPart::Spine, 1),
        (None, "upperChest") => (BodyPart::Spine, 2),
        (None, "neck") => (BodyPart::Neck, 0),
        (None, "head") => (BodyPart::Head, 0),
        (None, "jaw") => (BodyPart::Jaw, 0),
        (None, _) => return None,
        (_, "Eye") => (BodyPart::Eye, 0),
        (_, "Shoulder") => (BodyPart::Shoulder, 0),
        (_, "UpperArm") => (BodyPart::UpperArm, 0),
        (_, "LowerArm") => (BodyPart::LowerArm, 0),
        (_, "Hand") => (BodyPart::Hand, 0),
        (_, "UpperLeg") => (BodyPart::Thigh, 0),
        (_, "LowerLeg") => (BodyPart::Shin, 0),
        (_, "Foot") => (BodyPart::Foot, 0),
        (_, "Toes") => (BodyPart::Toe, 0),
        (_, finger) => {
            let fingers = ["Thumb", "Index", "Middle", "Ring", "Little"];
            let (which, joint) = fingers
                .iter()
                .enumerate()
                .find_map(|(k, name)| Some((k, finger.strip_prefix(name)?)))?;
            let place = match (which, joint) {
                (0, "Metacarpal") | (1.., "Proximal") => 0,
                (0, "Proximal") | (1.., "Intermediate") => 1,
                (_, "Distal") => 2,
                _ => return None,
            };
            (BodyPart::Finger(which as u8), place)
        }
    };
    Some(((part, side), place))
}

/// Prefixes of joint names that identify a rig or a program.
const PREFIXES: [&str; 14] = [
    "def", "org", "bip", "j", "b", "c", "jnt", "joint", "bone", "bn", "rig", "sec", "skeleton",
    "armature",
];
/// Words in the names of helper joints, which are not body parts.
const HELPERS: [&str; 16] = [
    "twist", "roll", "ik", "fk", "leaf", "pole", "target", "ctrl", "control", "socket", "nub",
    "end", "mch", "helper", "slot", "bind",
];
/// Names of the fingers, from the thumb.
const FINGERS: [&[&str]; 5] = [
    &["thumb"],
    &["index", "point"],
    &["middle", "mid"],
    &["ring"],
    &["pinky", "little", "pinkie"],
];

fn part_of(name: &str) -> Option<Kind> {
    let stem = Stem::of(name);
    let words: Vec<String> = stem
        .words
        .split(|c: char| !c.is_alphanumeric())
        .map(|w| w.trim_matches(|c: char| c.is_ascii_digit()).to_owned())
        .filter(|w| !w.is_empty())
        .collect();
    if words.iter().any(|w| HELPERS.contains(&w.as_str()) || w.ends_with("twist")) {
        return None;
    }
    let own: Vec<&str> =
        words.iter().map(String::as_str).filter(|w| !PREFIXES.contains(w)).collect();
    let all = own.concat();
    let part = match all.as_str() {
        "hip" if stem.side.is_some() => BodyPart::Thigh,
        "hips" | "pelvis" | "hip" => BodyPart::Hips,
        "neck" => BodyPart::Neck,
        "head" => BodyPart::Head,
        "shoulder" | "clavicle" | "collar" | "collarbone" => BodyPart::Shoulder,
        "upperarm" | "uparm" | "armupper" | "shldr" => BodyPart::UpperArm,
        "arm" => BodyPart::Arm,
        "leg" => BodyPart::Leg,
        "lowerarm" | "forearm" | "lowarm" | "armlower" | "elbow" => BodyPart::LowerArm,
        "hand" | "wrist" => BodyPart::Hand,
        "upleg" | "upperleg" | "thigh" | "legupper" => BodyPart::Thigh,
        "lowerleg" | "calf" | "shin" | "knee" | "leglower" | "lowleg" => BodyPart::Shin,
        "foot" | "ankle" => BodyPart::Foot,
        "toe" | "toes" | "ball" | "toebase" => BodyPart::Toe,
        _ if ["spine", "chest", "upperchest", "torso", "abdomen", "waist", "stomach"]
            .contains(&all.as_str()) =>
        {
            BodyPart::Spine
        }
        _ => {
            let is = |names: &[&str]| {
                own.iter().any(|w| names.iter().any(|n| w.trim_start_matches("hand") == *n))
            };
            let finger = FINGERS.iter().position(|names| is(names))?;
            // Toes may have the names of fingers.
            if own.iter().any(|w| w.contains("toe") || w.contains("foot")) || stem.side.is_none() {
                return None;
            }
            BodyPart::Finger(finger as u8)
        }
    };
    Some((part, stem.side))
}

/// Finds the body roles of joints, given by name and parent, parents first. If a part with a single
/// joint occurs twice, the first joint gets it. The joints of a part with several joints belong to
/// one chain.
///
/// `mapped` has the entry of the humanoid map for each joint; it may be shorter than `joints`. The
/// map overrides names: no other joint gets a part that the map assigns.
pub(super) fn body_roles(
    joints: &[(&str, Option<usize>)],
    mapped: &[Option<(Kind, usize)>],
) -> Vec<Option<BodyRole>> {
    let of_map = |k: usize| mapped.get(k).copied().flatten();
    let mut parts: Vec<Option<Kind>> = joints
        .iter()
        .enumerate()
        .map(|(k, (name, _))| of_map(k).map(|m| m.0).or_else(|| part_of(name)))
        .collect();
    drop_hip_joints(joints, &mut parts);
    name_limbs(joints, &mut parts);
    let given: Vec<Kind> = mapped.iter().flatten().map(|(kind, _)| *kind).collect();
    for (k, part) in parts.iter_mut().enumerate() {
        *part = part.filter(|kind| of_map(k).is_some() || !given.contains(kind));
    }
    // In a spine without hips, the first joint is the hips.
    let spine = |p: &Option<Kind>| p.is_some_and(|(part, _)| part == BodyPart::Spine);
    let none = parts.iter().flatten().all(|(part, _)| *part != BodyPart::Hips);
    if none
        && parts.iter().filter(|p| spine(p)).count() > 1
        && let Some(first) = parts.iter_mut().find(|p| spine(p))
    {
        *first = Some((BodyPart::Hips, None));
    }
    let mut roles: Vec<Option<BodyRole>> = vec![None; joints.len()];
    let mut kinds: Vec<Kind> = parts.iter().flatten().copied().collect();
    kinds.sort_unstable_by_key(|(part, side)| (*part, side.map(|s| s as u8)));
    kinds.dedup();
    let above = |k: usize| std::iter::successors(joints[k].1, |p| joints[*p].1);
    for kind in kinds {
        let mut row: Vec<usize> = Vec::new();
        for k in (0..joints.len()).filter(|k| parts[*k] == Some(kind)) {
            // In one chain, each joint is below the previous one.
            if of_map(k).is_some() || row.last().is_none_or(|last| above(k).any(|a| a == *last)) {
                row.push(k);
            }
        }
        row.sort_by_key(|k| of_map(*k).map_or(0, |(_, place)| place));
        if !kind.0.is_row() {
            // Poles and helpers of a limb have names like “knee”, too, but are not below the limb.
            let is_upper = |a: usize| {
                roles[a].is_some_and(|r| r.side == kind.1 && kind.0.is_below_in_limb(r.part))
            };
            let own = (0..joints.len()).filter(|k| parts[*k] == Some(kind));
            let below = own.filter(|k| above(*k).any(is_upper)).take(1);
            let below: Vec<usize> = below.collect();
            if row.first().is_some_and(|k| of_map(*k).is_none()) && !below.is_empty() {
                row = below;
            }
            row.truncate(1);
        }
        for (place, k) in row.iter().enumerate() {
            roles[*k] = Some(BodyRole { part: kind.0, side: kind.1, place, count: row.len() });
        }
    }
    roles
}

/// Removes the roles of hip joints that are above a thigh. A hip with a side counts as a thigh,
/// unless a thigh is below it (`LHipJoint` above `LeftUpLeg`).
fn drop_hip_joints(joints: &[(&str, Option<usize>)], parts: &mut [Option<Kind>]) {
    let is_thigh = |part: &Option<Kind>| part.is_some_and(|(part, _)| part == BodyPart::Thigh);
    let thighs: Vec<usize> = (0..parts.len()).filter(|k| is_thigh(&parts[*k])).collect();
    for k in &thighs {
        let below = thighs.iter().any(|other| {
            let mut above = std::iter::successors(joints[*other].1, |p| joints[*p].1);
            parts[*other] == parts[*k] && above.any(|p| p == *k)
        });
        let words = Stem::of(joints[*k].0).words;
        if below && words.contains("hip") && !words.contains("thigh") {
            parts[*k] = None;
        }
    }
}

/// Resolves “arm” and “leg” to the parts of the limb that no other name states. Several such joints
/// in a chain are resolved in order.
fn name_limbs(joints: &[(&str, Option<usize>)], parts: &mut [Option<Kind>]) {
    for side in [None, Some(Side::Left), Some(Side::Right)] {
        let has = |parts: &[Option<Kind>], part: BodyPart| parts.contains(&Some((part, side)));
        let arm = if has(parts, BodyPart::UpperArm) {
            [BodyPart::LowerArm; 3]
        } else {
            [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand]
        };
        let leg = match (has(parts, BodyPart::Thigh), has(parts, BodyPart::Shin)) {
            (true, _) => [BodyPart::Shin; 4],
            (false, _) => [BodyPart::Thigh, BodyPart::Shin, BodyPart::Foot, BodyPart::Toe],
        };
        for (word, row) in [(BodyPart::Arm, &arm[..]), (BodyPart::Leg, &leg[..])] {
            let depth = |k: usize| {
                let above = std::iter::successors(joints[k].1, |p| joints[*p].1);
                above.filter(|p| parts[*p] == Some((word, side))).count()
            };
            let found: Vec<(usize, usize)> = (0..joints.len())
                .filter(|k| parts[*k] == Some((word, side)))
                .map(|k| (k, depth(k)))
                .collect();
            for (k, place) in found {
                parts[k] = row.get(place).map(|part| (*part, side));
            }
        }
    }
}

/// Matches joint `place` of a chain of `from` joints with a joint of a chain of `to` joints, and
/// returns its index. If several joints match the same one, `None` for all but the last.
pub(super) fn in_row(place: usize, from: usize, to: usize) -> Option<usize> {
    let nearest = |k: usize, of: usize, other: usize| match (of, other) {
        (_, 0 | 1) => 0,
        (0 | 1, n) => (n - 1) / 2,
        (of, n) => (k * (n - 1) + (of - 1) / 2) / (of - 1),
    };
    if to == 0 {
        return None;
    }
    if from <= to {
        return Some(nearest(place, from, to));
    }
    // The last of the joints with the same match gets it. The rotations of the others are added to
    // its own.
    let last = (0..from).rev().find(|k| nearest(*k, from, to) == nearest(place, from, to));
    (last == Some(place)).then(|| nearest(place, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_parts_are_found_in_every_naming_convention() {
        let of = |name: &str| part_of(name);
        let left = Some(Side::Left);
        for (name, part, side) in [
            ("mixamorig:Hips", BodyPart::Hips, None),
            ("pelvis", BodyPart::Hips, None),
            ("Bip001 Pelvis", BodyPart::Hips, None),
            ("mixamorig:Spine2", BodyPart::Spine, None),
            ("spine_03", BodyPart::Spine, None),
            ("DEF-spine.001", BodyPart::Spine, None),
            ("J_Bip_C_Chest", BodyPart::Spine, None),
            ("mixamorig:LeftUpLeg", BodyPart::Thigh, left),
            ("upperleg.l", BodyPart::Thigh, left),
            ("thigh_l", BodyPart::Thigh, left),
            ("mixamorig:LeftLeg", BodyPart::Leg, left),
            ("calf_l", BodyPart::Shin, left),
            ("LeftLowerLeg", BodyPart::Shin, left),
            ("foot.l", BodyPart::Foot, left),
            ("mixamorig:LeftToeBase", BodyPart::Toe, left),
            ("clavicle_l", BodyPart::Shoulder, left),
            ("DEF-upper_arm.L.001", BodyPart::UpperArm, left),
            ("J_Bip_L_UpperArm", BodyPart::UpperArm, left),
            ("lShldr", BodyPart::UpperArm, left),
            ("Bip001 L Forearm", BodyPart::LowerArm, left),
            ("lowerarm.l", BodyPart::LowerArm, left),
            ("wrist.l", BodyPart::Hand, left),
            ("mixamorig:LeftHandThumb1", BodyPart::Finger(0), left),
            ("finger_index.01.L", BodyPart::Finger(1), left),
            ("LeftLittleProximal", BodyPart::Finger(4), left),
        ] {
            assert_eq!(of(name), Some((part, side)), "{name}");
        }
        for name in
            ["upperarm_twist_01_l", "hand_ik_l", "", "Armature", "handslot.l", "control-toe-roll.l"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn ambiguous_arm_and_leg_names_are_resolved() {
        let parts = |names: &[&str]| -> Vec<BodyPart> {
            let joints: Vec<_> =
                names.iter().enumerate().map(|(k, n)| (*n, k.checked_sub(1))).collect();
            body_roles(&joints, &[]).into_iter().map(|r| r.unwrap().part).collect()
        };
        let leg = [BodyPart::Thigh, BodyPart::Shin, BodyPart::Foot];
        assert_eq!(parts(&["LeftUpLeg", "LeftLeg", "LeftFoot"]), leg);
        assert_eq!(parts(&["Left leg", "Left knee", "Left ankle"]), leg);
        let joints = [("LHipJoint", None), ("LeftUpLeg", Some(0)), ("LeftLeg", Some(1))];
        let roles = body_roles(&joints, &[]);
        assert_eq!(
            roles.iter().map(|r| r.map(|r| r.part)).collect::<Vec<_>>(),
            [None, Some(BodyPart::Thigh), Some(BodyPart::Shin)]
        );
        assert_eq!(parts(&["leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3"]), leg);
        let arm = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand];
        assert_eq!(parts(&["LeftArm", "LeftForeArm", "LeftHand"]), arm);
        assert_eq!(
            parts(&[
                "Skeleton_arm_joint_L__4_",
                "Skeleton_arm_joint_L__3_",
                "Skeleton_arm_joint_L__2_"
            ]),
            arm
        );
    }

    /// The map assigns the right upper arm to “LeftArm”, and chooses one of two joints named
    /// “Hips”.
    #[test]
    fn a_humanoid_map_overrides_names() {
        let joints = [
            ("Hips", None),
            ("Hips.001", Some(0)),
            ("LeftArm", Some(1)),
            ("Bone", Some(2)),
            ("RightHand", Some(3)),
        ];
        let map = [
            None,
            mapped_part("hips"),
            mapped_part("rightUpperArm"),
            mapped_part("rightLowerArm"),
            None,
        ];
        let roles = body_roles(&joints, &map);
        let kinds: Vec<Option<Kind>> = roles.iter().map(|r| r.map(|r| r.kind())).collect();
        let right = Some(Side::Right);
        assert_eq!(
            kinds,
            [
                None,
                Some((BodyPart::Hips, None)),
                Some((BodyPart::UpperArm, right)),
                Some((BodyPart::LowerArm, right)),
                Some((BodyPart::Hand, right)),
            ]
        );
    }

    #[test]
    fn every_vrm_role_is_a_body_part() {
        let sides = ["left", "right"];
        let limbs = [
            "Eye", "UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm",
            "Hand",
        ];
        let fingers = ["Index", "Middle", "Ring", "Little"]
            .into_iter()
            .flat_map(|f| ["Proximal", "Intermediate", "Distal"].map(|j| format!("{f}{j}")));
        let thumb = ["Metacarpal", "Proximal", "Distal"].map(|j| format!("Thumb{j}"));
        let paired = limbs.map(ToOwned::to_owned).into_iter().chain(fingers).chain(thumb);
        let mut all: Vec<String> = paired.flat_map(|r| sides.map(|s| format!("{s}{r}"))).collect();
        all.extend(
            ["hips", "spine", "chest", "upperChest", "neck", "head", "jaw"].map(ToOwned::to_owned),
        );
        assert_eq!(all.len(), 55);
        let mut parts: Vec<_> =
            all.iter().map(|r| format!("{:?}", mapped_part(r).unwrap())).collect();
        parts.sort();
        parts.dedup();
        assert_eq!(parts.len(), 55, "each is another one");
        assert_eq!(mapped_part("leftNose"), None);
        assert_eq!(mapped_part("Hips"), None);
    }

    #[test]
    fn chains_of_different_lengths_match_at_their_ends() {
        assert_eq!(
            (0..3).map(|k| in_row(k, 3, 3)).collect::<Vec<_>>(),
            [Some(0), Some(1), Some(2)]
        );
        assert_eq!((0..2).map(|k| in_row(k, 2, 4)).collect::<Vec<_>>(), [Some(0), Some(3)]);
        let many: Vec<_> = (0..4).map(|k| in_row(k, 4, 2)).collect();
        assert_eq!(many.iter().flatten().count(), 2);
        assert_eq!(many[3], Some(1));
        assert_eq!((0..3).map(|k| in_row(k, 3, 1)).collect::<Vec<_>>(), [None, None, Some(0)]);
        assert_eq!(in_row(0, 1, 3), Some(1));
    }
}
