//! Ulna's own members in the extras of a scene: named poses, selection sets, joint groups, the
//! humanoid map, retarget maps and a mix.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    json::Extensions,
    layer_extras,
    own_extras::{member, text},
};
use ulna_model::{
    Diagnostics, JointGroup, KeptPose, Location, Mix, NodeId, NodeSet, Nodes, RetargetMap, Scene,
    Severity, Shared, Vrm,
};

/// Name of the member of a scene's `extras` that stores poses.
pub const POSES: &str = "ulna.poses";
/// Name of the member that stores selection sets.
pub const SETS: &str = "ulna.sets";
/// Name of the member that stores joint groups.
pub const GROUPS: &str = "ulna.groups";
/// Name of the member that stores the humanoid map.
pub const HUMANOID: &str = "ulna.humanoid";
/// Name of the member that stores retarget maps.
pub const RETARGET: &str = "ulna.retarget";
/// Name of the member that stores the mix.
pub const MIX: &str = "ulna.mix";

/// Content of `extras["ulna.poses"]`.
#[derive(Serialize, Deserialize)]
struct Poses {
    poses: Vec<KeptPose>,
}

/// Content of `extras["ulna.sets"]`.
#[derive(Serialize, Deserialize)]
struct Sets {
    sets: Vec<NodeSet>,
}

/// Content of `extras["ulna.groups"]`.
#[derive(Serialize, Deserialize)]
struct Groups {
    groups: Vec<JointGroup>,
}

/// Content of `extras["ulna.humanoid"]`: nodes by VRM 1.0 bone name.
#[derive(Serialize, Deserialize)]
struct Humanoid {
    bones: BTreeMap<Arc<str>, NodeId>,
}

/// Content of `extras["ulna.retarget"]`, with joints by name.
#[derive(Serialize, Deserialize)]
struct RetargetMaps {
    maps: Vec<RetargetMap>,
}

/// Content of `extras["ulna.mix"]`, with clips and joints by name.
#[derive(Serialize, Deserialize)]
struct KeptMix {
    mix: Mix<String, String>,
}

/// Reads the extras of a scene. Unreadable members stay in the file, with a finding.
pub fn read(
    scene: &mut Scene,
    nodes: &Nodes,
    extras: &Extensions,
    place: &Location,
    diagnostics: &mut Diagnostics,
) {
    if let Some(Poses { poses }) = member(extras, POSES, "saved poses", place, diagnostics) {
        if poses.iter().all(KeptPose::is_valid) {
            scene.poses = poses.into();
        } else {
            let message = "A saved pose has values that are not numbers; the saved poses stay in \
                the file, but are ignored";
            diagnostics.add(Severity::Warning, "ULNA_KEPT_POSES", place, message.to_owned());
        }
    }
    if let Some(Sets { sets }) = member(extras, SETS, "selection sets", place, diagnostics) {
        let there = |s: &NodeSet| s.digit < 10 && s.nodes.iter().all(|n| nodes.contains(*n));
        let rises = sets.windows(2).all(|w| w[0].digit < w[1].digit);
        if rises && sets.iter().all(there) {
            scene.sets = sets.into();
        } else {
            let message = "A selection set refers to a node that does not exist, or the sets are \
                out of order; they stay in the file, but are ignored";
            diagnostics.add(Severity::Warning, "ULNA_NODE_SETS", place, message.to_owned());
        }
    }
    if let Some(Groups { groups }) = member(extras, GROUPS, "joint groups", place, diagnostics) {
        let there = |g: &JointGroup| g.nodes.iter().all(|n| nodes.contains(*n));
        if JointGroup::are_valid(&groups) && groups.iter().all(there) {
            scene.groups = groups.into();
        } else {
            let message = "A joint group refers to a node that does not exist, or two groups have \
                the same name; they stay in the file, but are ignored";
            diagnostics.add(Severity::Warning, "ULNA_JOINT_GROUPS", place, message.to_owned());
        }
    }
    if let Some(Humanoid { bones }) = member(extras, HUMANOID, "humanoid map", place, diagnostics) {
        if bones.is_empty() || !bones.values().all(|n| nodes.contains(*n)) {
            let message = "The humanoid map is empty or refers to a node that does not exist; it \
                stays in the file, but is ignored";
            diagnostics.add(Severity::Warning, "ULNA_HUMANOID", place, message.to_owned());
        } else {
            let bones = bones.into_iter().collect();
            scene.humanoid =
                Some(Shared::new(Vrm { version: "1.0".into(), bones, ..Vrm::default() }));
        }
    }
    let maps = member(extras, RETARGET, "retarget maps", place, diagnostics);
    if let Some(RetargetMaps { maps }) = maps {
        if RetargetMap::are_valid(&maps) {
            scene.retarget = maps.into();
        } else {
            let message = "A retarget map has a value out of range or no name, or two maps or \
                chains have the same name; the maps stay in the file, but are ignored";
            diagnostics.add(Severity::Warning, "ULNA_RETARGET", place, message.to_owned());
        }
    }
    scene.kept_layers = layer_extras::read(extras, place, diagnostics).map(Shared::new);
    if let Some(KeptMix { mix }) = member(extras, MIX, "a mix", place, diagnostics) {
        match mix.fault() {
            None => scene.mix = Some(mix.into()),
            Some(fault) => {
                let message = format!("The mix stays in the file, but is ignored: {fault}");
                diagnostics.add(Severity::Warning, "ULNA_MIX", place, message);
            }
        }
    }
}

/// JSON texts of a scene's extras, by member name; `None` for a member that the scene does not
/// need.
pub fn texts(scene: &Scene) -> [(&'static str, Option<String>); 7] {
    let (poses, sets) = (scene.poses.to_vec(), scene.sets.to_vec());
    let poses = if poses.is_empty() { None } else { text(Poses { poses }) };
    let sets = if sets.is_empty() { None } else { text(Sets { sets }) };
    let groups = scene.groups.to_vec();
    let groups = if groups.is_empty() { None } else { text(Groups { groups }) };
    let humanoid = scene.humanoid.as_ref().and_then(|vrm| {
        let bones = vrm.bones.iter().cloned().collect();
        text(Humanoid { bones })
    });
    let maps = scene.retarget.to_vec();
    let maps = if maps.is_empty() { None } else { text(RetargetMaps { maps }) };
    let mix = scene.mix.as_ref().and_then(|mix| text(KeptMix { mix: (**mix).clone() }));
    [
        (POSES, poses),
        (SETS, sets),
        (GROUPS, groups),
        (HUMANOID, humanoid),
        (RETARGET, maps),
        (MIX, mix),
        layer_extras::member_of(scene.kept_layers.as_deref()),
    ]
}
