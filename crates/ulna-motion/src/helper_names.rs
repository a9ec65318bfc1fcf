//! Names of helper joints, which move no skin.

use super::names::words_of;

/// The purpose of a helper joint, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperKind {
    /// The helper poses other joints.
    Control,
    /// The helper holds attached objects.
    Socket,
    /// The helper marks the end of a chain.
    Leaf,
    /// The helper is the root of the whole skeleton.
    Root,
}

/// Words in the names of helper joints, by kind.
const WORDS: [(HelperKind, &[&str]); 4] = [
    (
        HelperKind::Control,
        &["ik", "fk", "pole", "target", "ctrl", "control", "mch", "helper", "heel", "roll"],
    ),
    (HelperKind::Socket, &["slot", "socket", "prop", "props", "weapon", "attach", "mount"]),
    (HelperKind::Leaf, &["leaf", "end", "nub"]),
    (HelperKind::Root, &["root", "cog", "origin", "armature"]),
];
/// Words that names often contain without a separator, as in `handslot`.
const ENDINGS: [(HelperKind, &str); 5] = [
    (HelperKind::Control, "ctrl"),
    (HelperKind::Control, "target"),
    (HelperKind::Socket, "slot"),
    (HelperKind::Socket, "socket"),
    (HelperKind::Leaf, "nub"),
];
/// Limbs whose *roll* joints distribute the twist of the skin.
const LIMBS: [&str; 12] = [
    "arm", "forearm", "upperarm", "lowerarm", "leg", "upleg", "lowleg", "thigh", "calf", "shin",
    "wrist", "elbow",
];

/// Finds the purpose that the name of a joint states, if the joint is a helper. The caller must
/// check whether a leaf is the last joint of its chain, and a root the first.
pub fn helper_kind(name: &str) -> Option<HelperKind> {
    let words = words_of(name);
    let words: Vec<&str> =
        words.iter().map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    let is_twist = words.contains(&"roll") && words.iter().any(|word| LIMBS.contains(word));
    let has = |kind: HelperKind| {
        let is_of = |word: &&str| {
            let own = WORDS.iter().filter(|(k, _)| *k == kind).flat_map(|(_, own)| own.iter());
            let mut ends = ENDINGS.iter().filter(|(k, _)| *k == kind);
            own.filter(|own| !(is_twist && **own == "roll")).any(|own| own == word)
                || ends.any(|(_, end)| word.ends_with(end))
        };
        words.iter().any(is_of)
    };
    WORDS.iter().map(|(kind, _)| *kind).find(|kind| has(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_recognized_by_their_names() {
        use HelperKind::{Control, Leaf, Root, Socket};
        for (name, kind) in [
            ("root", Root),
            ("Root", Root),
            ("_rootJoint", Root),
            ("handslot.l", Socket),
            ("IK_Foot.L", Control),
            ("foot_ik_l", Control),
            ("Head_end", Leaf),
            ("Bip001 L Toe0Nub", Leaf),
            ("weapon_r", Socket),
            ("heelIK.l", Control),
            ("KneeTarget.R", Control),
            ("control-toe-roll.r", Control),
            ("prop_01", Socket),
            ("Elbow Pole.L", Control),
            ("IK_root", Control),
        ] {
            assert_eq!(helper_kind(name), Some(kind), "{name}");
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
            "LeftForeArmRoll",
            "LeafLeftUpLegRoll1",
        ] {
            assert_ne!(helper_kind(name), Some(Control), "{name}");
            assert!(helper_kind(name).is_none() || name.starts_with("Leaf"), "{name}");
        }
    }
}
