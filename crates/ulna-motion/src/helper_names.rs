//! Names of joints that move no skin.

use super::names::joint_key;

/// Words of joints that pose other joints, hold objects, or carry the whole skeleton.
const WORDS: [&str; 24] = [
    "ik", "fk", "leaf", "pole", "target", "ctrl", "control", "nub", "end", "mch", "helper", "slot",
    "socket", "prop", "props", "weapon", "root", "cog", "origin", "heel", "roll", "attach",
    "mount", "armature",
];
/// Words that others are often written together with, such as `handslot`.
const ENDINGS: [&str; 5] = ["slot", "socket", "ctrl", "target", "nub"];

/// Whether the name of a joint says that it moves no skin by itself: a control, a socket, a leaf or
/// a root joint.
pub fn names_helper(name: &str) -> bool {
    let (_, words) = joint_key(name);
    words.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        WORDS.contains(&word) || ENDINGS.iter().any(|end| word.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_known_by_their_names() {
        for name in [
            "root",
            "Root",
            "handslot.l",
            "IK_Foot.L",
            "foot_ik_l",
            "Head_end",
            "Bip001 L Toe0Nub",
            "weapon_r",
            "heelIK.l",
            "KneeTarget.R",
            "control-toe-roll.r",
            "prop_01",
            "Elbow Pole.L",
        ] {
            assert!(names_helper(name), "{name}");
        }
        for name in [
            "hips",
            "mixamorig:LeftArm",
            "upperarm_twist_01_l",
            "spine_03",
            "Bip001 L UpperArm",
            "thumb_01_l",
            "LeftHandIndex1",
            "tail.003",
            "bend",
            "scroll",
            "weaponless",
        ] {
            assert!(!names_helper(name), "{name}");
        }
    }
}
