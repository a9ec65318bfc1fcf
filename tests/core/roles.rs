//! Mirror pairs of joints in the corpus: every humanoid must pair all its limbs.

use ulna_formats::gltf::Progress;
use ulna_model::{Document, SkinId};
use ulna_motion::{MirrorPairs, PairSource, Side};
use ulna_session::Session;

/// Humanoids: file, number of joints, number of pairs, and joints that have no partner in the file.
const HUMANOIDS: [(&str, usize, usize, &[&str]); 10] = [
    ("characters/CesiumMan/CesiumMan.glb", 19, 7, &[]),
    ("characters/CesiumMan/glTF/CesiumMan.gltf", 19, 7, &[]),
    ("characters/GdBot/gdbot.glb", 63, 29, &[]),
    ("characters/Knight/Knight.glb", 41, 18, &[]),
    ("characters/RigOnly/rig-human.glb", 66, 29, &[]),
    ("characters/RiggedFigure/RiggedFigure.glb", 19, 7, &[]),
    ("characters/RiggedFigure/RiggedFigure-2017.glb", 19, 7, &[]),
    ("characters/Robot/robot.glb", 43, 18, &[]),
    ("characters/Sintel/human-sintel.glb", 66, 29, &[]),
    ("vrm/cryptovoxels.vrm", 57, 25, &["MiddleFinger3_L_End"]),
];

/// Animals: file, number of joints, number of pairs, and joints that have no partner in the file.
/// The legs must form pairs, too.
const ANIMALS: [(&str, usize, usize, &[&str]); 5] = [
    ("characters/Dragon/dragon-animations.glb", 100, 39, &[]),
    ("characters/Fox/Fox.glb", 24, 7, &[]),
    ("characters/Fox49/fox-animations.glb", 49, 15, &[]),
    ("characters/Panda/fox-panda.glb", 48, 15, &[]),
    ("characters/Spider/gltf_spider_animated.gltf", 57, 26, &[]),
];

fn label(document: &Document, joint: usize) -> String {
    let id = document.skin(SkinId(0)).joints[joint];
    document.node(id).label(id)
}

#[test]
fn the_limbs_of_every_humanoid_and_animal_are_paired() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut files, mut joints) = (0, 0);
    for (name, count, pairs, single) in HUMANOIDS.into_iter().chain(ANIMALS) {
        let path = shared.join("corpus").join(name);
        let session =
            Session::open(&path, &Progress::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let document = session.document();
        let roles = MirrorPairs::of(document, SkinId(0));
        let list = roles.joints();
        assert_eq!(list.len(), count, "{name}");
        let alone: Vec<String> =
            (0..count).filter(|j| list[*j].partner.is_none()).map(|j| label(document, j)).collect();
        assert_eq!(alone, single, "{name}");
        for (j, role) in list.iter().enumerate() {
            if let Some(p) = role.partner {
                assert_eq!(list[p].partner, Some(j), "{name}: {}", label(document, j));
                assert_eq!(list[p].side, role.side.other());
            }
        }
        // Only CesiumMan is on its side in the file.
        assert_eq!(roles.axis(), usize::from(name.contains("CesiumMan")), "{name}");
        let left = list.iter().filter(|r| r.side == Side::Left && r.partner.is_some()).count();
        assert_eq!(left, pairs, "{name}");
        files += 1;
        joints += pairs * 2;
    }
    assert_eq!(files, 15);
    println!("{files} files, {joints} joints of limbs paired");
}

#[test]
fn joints_numbered_in_opposite_order_are_paired() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/characters/CesiumMan/CesiumMan.glb");
    let session = Session::open(&path, &Progress::default()).expect("CesiumMan");
    let document = session.document();
    let roles = MirrorPairs::of(document, SkinId(0));
    let mut checked = 0;
    let wanted = [
        ("L__4_", "R", PairSource::Both),
        ("L__3_", "R__2_", PairSource::RestPositions),
        ("L__2_", "R__3_", PairSource::RestPositions),
    ];
    for (left, right, how) in wanted {
        let [left, right] = [left, right].map(|name| format!("Skeleton_arm_joint_{name}"));
        let (j, role) = roles
            .joints()
            .iter()
            .enumerate()
            .find(|(j, _)| label(document, *j) == left)
            .expect("a joint");
        assert_eq!(role.partner.map(|p| label(document, p)), Some(right), "{}", label(document, j));
        assert_eq!(role.how, how);
        checked += 1;
    }
    assert_eq!(checked, 3);
}
