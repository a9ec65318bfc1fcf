//! The bones of a VRM 1.0 humanoid map, and their assignment to joints by map, by name or by shape.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    humanoid_shape::bones_by_shape,
    naming::{JointNames, humanoid_names},
};
use ulna_model::{Document, NodeId};

/// A humanoid bone (VRM 1.0, *Humanoid*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanoidBone {
    /// Role of the bone, such as `leftUpperArm`.
    pub role: &'static str,
    /// Whether every avatar must have the bone.
    pub is_required: bool,
    /// Role of the parent bone; `None` for the root. If the parent bone is missing, its own parent
    /// is used.
    pub parent: Option<&'static str>,
}

/// All humanoid bones, parents first.
pub const HUMANOID_BONES: [HumanoidBone; 55] = {
    const fn bone(
        role: &'static str,
        is_required: bool,
        parent: Option<&'static str>,
    ) -> HumanoidBone {
        HumanoidBone { role, is_required, parent }
    }
    const fn needed(role: &'static str, parent: &'static str) -> HumanoidBone {
        bone(role, true, Some(parent))
    }
    const fn optional(role: &'static str, parent: &'static str) -> HumanoidBone {
        bone(role, false, Some(parent))
    }
    [
        bone("hips", true, None),
        needed("spine", "hips"),
        optional("chest", "spine"),
        optional("upperChest", "chest"),
        optional("neck", "upperChest"),
        needed("head", "neck"),
        optional("leftEye", "head"),
        optional("rightEye", "head"),
        optional("jaw", "head"),
        needed("leftUpperLeg", "hips"),
        needed("leftLowerLeg", "leftUpperLeg"),
        needed("leftFoot", "leftLowerLeg"),
        optional("leftToes", "leftFoot"),
        needed("rightUpperLeg", "hips"),
        needed("rightLowerLeg", "rightUpperLeg"),
        needed("rightFoot", "rightLowerLeg"),
        optional("rightToes", "rightFoot"),
        optional("leftShoulder", "upperChest"),
        needed("leftUpperArm", "leftShoulder"),
        needed("leftLowerArm", "leftUpperArm"),
        needed("leftHand", "leftLowerArm"),
        optional("rightShoulder", "upperChest"),
        needed("rightUpperArm", "rightShoulder"),
        needed("rightLowerArm", "rightUpperArm"),
        needed("rightHand", "rightLowerArm"),
        optional("leftThumbMetacarpal", "leftHand"),
        optional("leftThumbProximal", "leftThumbMetacarpal"),
        optional("leftThumbDistal", "leftThumbProximal"),
        optional("leftIndexProximal", "leftHand"),
        optional("leftIndexIntermediate", "leftIndexProximal"),
        optional("leftIndexDistal", "leftIndexIntermediate"),
        optional("leftMiddleProximal", "leftHand"),
        optional("leftMiddleIntermediate", "leftMiddleProximal"),
        optional("leftMiddleDistal", "leftMiddleIntermediate"),
        optional("leftRingProximal", "leftHand"),
        optional("leftRingIntermediate", "leftRingProximal"),
        optional("leftRingDistal", "leftRingIntermediate"),
        optional("leftLittleProximal", "leftHand"),
        optional("leftLittleIntermediate", "leftLittleProximal"),
        optional("leftLittleDistal", "leftLittleIntermediate"),
        optional("rightThumbMetacarpal", "rightHand"),
        optional("rightThumbProximal", "rightThumbMetacarpal"),
        optional("rightThumbDistal", "rightThumbProximal"),
        optional("rightIndexProximal", "rightHand"),
        optional("rightIndexIntermediate", "rightIndexProximal"),
        optional("rightIndexDistal", "rightIndexIntermediate"),
        optional("rightMiddleProximal", "rightHand"),
        optional("rightMiddleIntermediate", "rightMiddleProximal"),
        optional("rightMiddleDistal", "rightMiddleIntermediate"),
        optional("rightRingProximal", "rightHand"),
        optional("rightRingIntermediate", "rightRingProximal"),
        optional("rightRingDistal", "rightRingIntermediate"),
        optional("rightLittleProximal", "rightHand"),
        optional("rightLittleIntermediate", "rightLittleProximal"),
        optional("rightLittleDistal", "rightLittleIntermediate"),
    ]
};

/// Finds the bone of a role; `None` for an unknown role.
pub fn humanoid_bone(role: &str) -> Option<&'static HumanoidBone> {
    HUMANOID_BONES.iter().find(|b| b.role == role)
}

/// Returns the humanoid map of a document, by the roles of VRM 1.0. Unknown roles are left out.
pub fn humanoid_map(document: &Document) -> BTreeMap<&'static str, NodeId> {
    let roles = document.humanoid().into_iter().flat_map(|v| v.roles());
    roles.filter_map(|(role, node)| Some((humanoid_bone(&role)?.role, node))).collect()
}

/// Guesses the humanoid bones of a document by its humanoid map, and by the names and neighbors of
/// joints. If hips or thighs are not found, the shape of the skeleton is also used.
pub fn guessed_bones(document: &Document) -> BTreeMap<&'static str, NodeId> {
    let named = humanoid_names(document, JointNames::Vrm).into_iter();
    let named = named.filter_map(|(node, role)| Some((humanoid_bone(&role)?.role, node)));
    let mut bones: BTreeMap<&'static str, NodeId> = named.collect();
    let tells = ["hips", "leftUpperLeg", "rightUpperLeg"];
    if !tells.iter().any(|role| bones.contains_key(role)) {
        let taken: BTreeSet<NodeId> = bones.values().copied().collect();
        let shape = bones_by_shape(document).into_iter();
        for (role, node) in shape.filter(|(_, node)| !taken.contains(node)) {
            bones.entry(role).or_insert(node);
        }
    }
    bones
}

/// Finds the required bones that are missing in a map.
pub fn missing_bones(map: &BTreeMap<&'static str, NodeId>) -> Vec<&'static str> {
    let needed = HUMANOID_BONES.iter().filter(|b| b.is_required).map(|b| b.role);
    needed.filter(|role| !map.contains_key(role)).collect()
}

/// Finds the bones of a map that are not below their parent bone. Returns each with its parent
/// bone.
pub fn misplaced_bones(
    document: &Document,
    map: &BTreeMap<&'static str, NodeId>,
) -> Vec<(&'static str, &'static str)> {
    let above = |role: &'static str| {
        let next = |r: &&'static str| humanoid_bone(r)?.parent;
        std::iter::successors(humanoid_bone(role)?.parent, next).find(|r| map.contains_key(r))
    };
    let placed = map.iter().filter_map(|(role, node)| Some((*role, *node, above(role)?)));
    placed
        .filter(|(_, node, above)| !document.is_above(map[above], *node))
        .map(|(role, _, above)| (role, above))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_precede_their_bones_in_the_list_and_fifteen_bones_are_required() {
        for (k, bone) in HUMANOID_BONES.iter().enumerate() {
            let parent = bone.parent.map(|p| HUMANOID_BONES.iter().position(|b| b.role == p));
            assert!(parent.is_none_or(|at| at.is_some_and(|at| at < k)), "{}", bone.role);
            assert!(crate::humanoid::mapped_part(bone.role).is_some(), "{}", bone.role);
        }
        assert_eq!(HUMANOID_BONES.iter().filter(|b| b.is_required).count(), 15);
        assert_eq!(missing_bones(&BTreeMap::new()).len(), 15);
    }
}
