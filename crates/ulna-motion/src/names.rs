//! Parsing of joint names: the side, and the remaining words.
//!
//! Spellings differ between tools: Mixamo `mixamorig:LeftArm`, Blender `upper_arm.L`, Rigify
//! `DEF-upper_arm.L.001`, VRM `J_Bip_L_UpperArm` and `leftUpperArm`, Unreal `upperarm_l`, Biped
//! `Bip001 L UpperArm`, BVH `LHipJoint`, MMD `左腕`.

use super::mirror_pairs::Side;

/// A joint name, split into its side and its other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stem {
    /// The side that the name states; `None` if it states none or both.
    pub side: Option<Side>,
    /// All other words in lower case, separated by spaces. Both joints of a mirror pair have the
    /// same words.
    pub words: String,
}

/// Returns the side and the other words of a joint name, independent of the tool's spelling. A
/// number at the end is removed.
pub fn joint_key(name: &str) -> (Option<Side>, String) {
    let stem = Stem::of(name);
    (stem.side, stem.without_number().to_owned())
}

impl Stem {
    /// Parses a name.
    pub fn of(name: &str) -> Self {
        // A namespace (`mixamorig:`) or a path before the name is ignored.
        let name = name.rsplit([':', '|']).next().unwrap_or(name);
        let (mut left, mut right) = (false, false);
        let mut words: Vec<String> = Vec::new();
        for segment in name.split(|c: char| !c.is_alphanumeric()).filter(|s| !s.is_empty()) {
            let parts = split(segment);
            for (k, part) in parts.iter().enumerate() {
                match side(part, k, &parts) {
                    Some(Side::Left) => left = true,
                    Some(Side::Right) => right = true,
                    _ => words.push(part.to_lowercase()),
                }
            }
        }
        match (left, right) {
            (true, false) => Self { side: Some(Side::Left), words: words.join(" ") },
            (false, true) => Self { side: Some(Side::Right), words: words.join(" ") },
            _ => Self { side: None, words: name.to_lowercase() },
        }
    }

    /// Returns the words without a number at the end. Exporters add such numbers (`b_LeftHand_011`,
    /// `Arm.L.001`).
    pub fn without_number(&self) -> &str {
        match self.words.rsplit_once(' ') {
            Some((rest, last)) if last.bytes().all(|b| b.is_ascii_digit()) => rest,
            _ => &self.words,
        }
    }
}

/// Returns all words of a name in lower case, including the words for its side. A namespace is left
/// out.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let segments = name.split(|c: char| !c.is_alphanumeric()).filter(|s| !s.is_empty());
    segments.flat_map(split).map(|part| part.to_lowercase()).collect()
}

/// Splits `UpperArmL` into the parts `Upper`, `Arm`, `L`. A run of capitals is one part, except for
/// a capital that begins a word (`LHipJoint`: `L`, `Hip`, `Joint`; `FKArm`: `FK`, `Arm`). Each
/// Chinese or Japanese sign for left and right is a part of its own.
fn split(segment: &str) -> Vec<String> {
    let chars: Vec<char> = segment.chars().collect();
    let mut parts: Vec<String> = Vec::new();
    for (k, c) in chars.iter().enumerate() {
        let before = k.checked_sub(1).map(|b| chars[b]);
        let after = chars.get(k + 1);
        let begins = match before {
            None => true,
            Some(b) if is_sign(b) || is_sign(*c) => true,
            Some(b) => {
                c.is_uppercase() && (!b.is_uppercase() || after.is_some_and(|a| a.is_lowercase()))
            }
        };
        match parts.last_mut().filter(|_| !begins) {
            Some(part) => part.push(*c),
            None => parts.push(c.to_string()),
        }
    }
    parts
}

const fn is_sign(c: char) -> bool {
    matches!(c, '左' | '右')
}

/// Returns the side that part `k` of a segment states; `None` if it states none.
fn side(part: &str, k: usize, parts: &[String]) -> Option<Side> {
    let lower = part.to_lowercase();
    match lower.as_str() {
        "left" | "左" => return Some(Side::Left),
        "right" | "右" => return Some(Side::Right),
        "l" | "r" => {}
        _ => return None,
    }
    // A single letter states a side if it is alone (`arm_l`), before a word (`lArm`, `LHip`), or a
    // capital after a word (`ArmL`).
    let next_is_word = parts.get(k + 1).is_some_and(|p| p.len() > 1);
    let capital = part == "L" || part == "R";
    let counts = parts.len() == 1 || (k == 0 && next_is_word) || (k + 1 == parts.len() && capital);
    counts.then_some(if lower == "l" { Side::Left } else { Side::Right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_and_stem_are_found_in_names_of_every_convention() {
        let pairs = [
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("mixamorig:LeftHandThumb1", "mixamorig:RightHandThumb1"),
            ("upper_arm.L", "upper_arm.R"),
            ("upper_arm.l", "upper_arm.r"),
            ("hand_L", "hand_R"),
            ("foot-L", "foot-R"),
            ("thigh.L.001", "thigh.R.001"),
            ("DEF-upper_arm.L.001", "DEF-upper_arm.R.001"),
            ("ORG-shin.L", "ORG-shin.R"),
            ("MCH-foot_ik.parent.L", "MCH-foot_ik.parent.R"),
            ("J_Bip_L_UpperArm", "J_Bip_R_UpperArm"),
            ("J_Sec_L_Bust1", "J_Sec_R_Bust1"),
            ("leftUpperArm", "rightUpperArm"),
            ("upperarm_l", "upperarm_r"),
            ("upperarm_twist_01_l", "upperarm_twist_01_r"),
            ("Bip001 L UpperArm", "Bip001 R UpperArm"),
            ("Bip01 L Hand", "Bip01 R Hand"),
            ("LeftFoot", "RightFoot"),
            ("FootLeft", "FootRight"),
            ("HAND_LEFT", "HAND_RIGHT"),
            ("Left arm", "Right arm"),
            ("b_LeftLeg01_015", "b_RightLeg01_015"),
            ("L_arm", "R_arm"),
            ("arm_l_01", "arm_r_01"),
            ("lArm", "rArm"),
            ("lThighBend", "rThighBend"),
            ("LHipJoint", "RHipJoint"),
            ("ArmL", "ArmR"),
            ("Thumb1L", "Thumb1R"),
            ("Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R__4_"),
            ("L_arm", "arm_R"),
            ("左腕", "右腕"),
            ("Armature|Hand.L", "Armature|Hand.R"),
        ];
        for (left, right) in pairs {
            let (l, r) = (Stem::of(left), Stem::of(right));
            assert_eq!((l.side, r.side), (Some(Side::Left), Some(Side::Right)), "{left} {right}");
            assert_eq!(l.words, r.words);
            assert!(!l.words.is_empty());
        }
    }

    #[test]
    fn names_that_only_resemble_side_markers_have_no_side() {
        let none = [
            "leg_lower",
            "Lower",
            "ball",
            "tail",
            "Leftover",
            "leftovers",
            "clavicle",
            "larm",
            "rarm",
            "Rightful",
            "copyright",
            "Skull",
            "RIG",
            "LOD",
            "Lumbar1",
            "spine_L1",
            "root",
            "",
            "LR",
            "Body.001",
            "LeftRightSwitch",
            "arm_l_to_r",
            "mixamorig:Spine",
            "left:Spine",
            "control-toe-roll",
        ];
        for name in none {
            assert_eq!(Stem::of(name).side, None, "{name}");
        }
    }

    #[test]
    fn a_number_at_the_end_can_be_left_out() {
        assert_eq!(Stem::of("b_LeftHand_011").without_number(), "b hand");
        assert_eq!(Stem::of("hand.L.001").without_number(), "hand");
        assert_eq!(Stem::of("Thumb1_L").without_number(), "thumb1");
    }
}
