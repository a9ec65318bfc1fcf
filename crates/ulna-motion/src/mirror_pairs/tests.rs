use glam::Mat4;

use super::*;
use ulna_model::{FileContent, JointSlot, Local, Node, NodeId, Shared, Skin, SkinId, Transform};

/// A joint: name, parent, position.
type Given<'a> = (&'a str, Option<usize>, [f32; 3]);

fn skeleton(joints: &[Given<'_>], bound: bool) -> Document {
    let node = |(name, parent, place): &Given<'_>| {
        let above = parent.map_or(Vec3::ZERO, |p| joints[p].2.into());
        Node {
            name: Some((*name).into()),
            parent: parent.map(NodeId::from),
            rest: Local::Trs(Transform {
                translation: Vec3::from(*place) - above,
                ..Transform::IDENTITY
            }),
            ..Node::default()
        }
    };
    let inverse =
        |p: [f32; 3]| if bound { Mat4::from_translation(-Vec3::from(p)) } else { Mat4::IDENTITY };
    let skin = Skin {
        name: None,
        joints: (0..joints.len()).map(NodeId::from).collect(),
        inverse_bind: joints.iter().map(|j| inverse(j.2)).collect(),
        has_inverse_bind: bound,
    };
    let file = FileContent {
        nodes: joints.iter().map(node).collect(),
        skins: vec![Shared::new(skin)].into(),
        ..FileContent::default()
    };
    file.into()
}

/// A body with arms and legs, without names.
const BODY: [Given<'static>; 11] = [
    ("", None, [0.0, 1.0, 0.0]),
    ("", Some(0), [0.0, 1.4, 0.02]),
    ("", Some(1), [0.0, 1.7, 0.03]),
    ("", Some(1), [0.2, 1.4, 0.0]),
    ("", Some(3), [0.5, 1.41, 0.01]),
    ("", Some(1), [-0.2, 1.4, 0.0]),
    ("", Some(5), [-0.5, 1.41, 0.01]),
    ("", Some(0), [-0.1, 0.9, 0.0]),
    ("", Some(7), [-0.12, 0.1, 0.05]),
    ("", Some(0), [0.1, 0.9, 0.0]),
    ("", Some(9), [0.12, 0.1, 0.05]),
];
const PARTNERS: [usize; 11] = [0, 1, 2, 5, 6, 3, 4, 9, 10, 7, 8];

fn named(names: [&'static str; 11]) -> Vec<Given<'static>> {
    BODY.iter().zip(names).map(|((_, parent, place), name)| (name, *parent, *place)).collect()
}

fn roles(joints: &[Given<'_>]) -> MirrorPairs {
    let roles = MirrorPairs::of(&skeleton(joints, true), SkinId(0));
    check(&roles);
    roles
}

/// Checks the invariants of all roles.
fn check(roles: &MirrorPairs) {
    for (j, role) in roles.joints().iter().enumerate() {
        match role.partner {
            Some(p) if p == j => assert_eq!(role.side, Side::Center),
            Some(p) => {
                assert_eq!(roles.joints()[p].partner, Some(j));
                assert_eq!(roles.joints()[p].side, role.side.other());
                assert_ne!(role.side, Side::Center);
            }
            None => {}
        }
    }
}

fn partners(roles: &MirrorPairs) -> Vec<Option<usize>> {
    roles.joints().iter().map(|r| r.partner).collect()
}

#[test]
fn without_names_joints_pair_by_position_across_any_plane() {
    for axis in 0..3 {
        for offset in [0.0, 0.37, -12.0] {
            for bound in [true, false] {
                let turned = BODY.map(|(name, parent, place)| {
                    let mut p = Vec3::ZERO;
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) =
                        (place[0] + offset, place[1], place[2]);
                    (name, parent, p.to_array())
                });
                let roles = MirrorPairs::of(&skeleton(&turned, bound), SkinId(0));
                check(&roles);
                assert_eq!(roles.axis(), axis);
                assert!((roles.offset() - offset).abs() < 1e-4, "{} {offset}", roles.offset());
                assert_eq!(partners(&roles), PARTNERS.map(Some), "{axis} {offset}");
                assert!(roles.joints().iter().all(|r| r.how == PairSource::RestPositions));
                assert_eq!(roles.joints()[3].side, Side::Left);
            }
        }
    }
}

#[test]
fn pairs_are_reliable_if_names_agree_with_positions() {
    let names = [
        "hips", "chest", "head", "arm.L", "hand.L", "arm.R", "hand.R", "leg.R", "foot.R", "leg.L",
        "foot.L",
    ];
    let roles = roles(&named(names));
    assert_eq!(partners(&roles), PARTNERS.map(Some));
    assert!(roles.joints().iter().all(|r| r.how == PairSource::Both));
    assert_eq!(roles.mirror_joints(), PARTNERS.map(JointSlot::new));
}

#[test]
fn names_determine_which_side_is_left() {
    // The body is seen from the front: the right hand is at +X.
    let names = ["hips", "chest", "head", "arm.R", "hand.R", "arm.L", "hand.L", "", "", "", ""];
    let roles = roles(&named(names));
    let sides: Vec<Side> = roles.joints().iter().map(|r| r.side).collect();
    assert_eq!(sides[3..7], [Side::Right, Side::Right, Side::Left, Side::Left]);
    assert_eq!(sides[7..], [Side::Left, Side::Left, Side::Right, Side::Right]);
    assert_eq!(roles.joints()[7].how, PairSource::RestPositions);
}

#[test]
fn names_that_contradict_positions_are_overruled() {
    // The numbers of one arm are reversed.
    let names = [
        "a", "b", "c", "arm_L_1", "arm_L_2", "arm_R_2", "arm_R_1", "leg_R", "foot_R", "leg_L",
        "foot_L",
    ];
    let roles = roles(&named(names));
    assert_eq!(partners(&roles), PARTNERS.map(Some));
    assert_eq!(roles.joints()[3].how, PairSource::RestPositions);
    assert_eq!(roles.joints()[7].how, PairSource::Both);
}

#[test]
fn two_mirrored_joints_named_left_are_still_paired() {
    let names = [
        "a", "b", "c", "arm_L", "hand_L", "arm_R", "wrist_L", "leg_R", "foot_R", "leg_L", "foot_L",
    ];
    let roles = roles(&named(names));
    assert_eq!(partners(&roles), PARTNERS.map(Some));
    assert_eq!((roles.joints()[4].side, roles.joints()[6].side), (Side::Left, Side::Right));
}

#[test]
fn names_determine_pairs_if_the_skeleton_is_asymmetric() {
    let mut joints = named([
        "hips",
        "chest",
        "head",
        "LeftArm",
        "LeftHand",
        "RightArm",
        "RightHand",
        "RightLeg",
        "RightFoot",
        "LeftLeg",
        "LeftFoot",
    ]);
    // One arm is raised in the rest pose.
    joints[5].2 = [-0.19, 1.45, 0.02];
    joints[6].2 = [-0.2, 1.8, 0.1];
    let roles = roles(&joints);
    assert_eq!(partners(&roles), PARTNERS.map(Some));
    assert_eq!(roles.joints()[6].how, PairSource::Names);
    assert_eq!(roles.joints()[8].how, PairSource::Both);
}

#[test]
fn names_decide_between_nearly_coincident_joints() {
    let mut joints = BODY.to_vec();
    joints[4].0 = "hand_ik.L";
    joints[6].0 = "hand.R";
    joints.push(("hand.L", Some(3), [0.502, 1.41, 0.01]));
    joints.push(("hand_ik.R", Some(5), [-0.502, 1.41, 0.01]));
    let roles = roles(&joints);
    assert_eq!(roles.joints()[4].partner, Some(12));
    assert_eq!(roles.joints()[6].partner, Some(11));
}

#[test]
fn a_joint_without_a_mirror_image_has_no_partner() {
    let mut joints = BODY.to_vec();
    joints.push(("sword", Some(4), [0.6, 1.3, 0.3]));
    joints.push(("blade", Some(11), [0.6, 1.9, 0.4]));
    joints.push(("pouch.R", Some(0), [-0.15, 1.0, 0.1]));
    let roles = roles(&joints);
    assert_eq!(partners(&roles)[..11], PARTNERS.map(Some));
    for (joint, side) in [(11, Side::Left), (12, Side::Left), (13, Side::Right)] {
        assert_eq!(roles.joints()[joint], Role { side, partner: None, how: PairSource::None });
    }
}

#[test]
fn an_extra_joint_on_one_side_keeps_the_pairs_below_it() {
    let mut joints = BODY.to_vec();
    joints.push(("twist", Some(3), [0.3, 1.43, 0.0]));
    joints[4].1 = Some(11);
    let document = skeleton(&joints, true);
    let roles = MirrorPairs::of(&document, SkinId(0));
    check(&roles);
    assert_eq!(roles.joints()[4].partner, Some(6));
    assert_eq!(roles.joints()[11].partner, None);
}

#[test]
fn a_chain_is_not_its_own_mirror_image() {
    let chain: Vec<Given<'_>> =
        (0..6).map(|k| ("", (k as usize).checked_sub(1), [0.0, k as f32 * 0.3, 0.0])).collect();
    let roles = roles(&chain);
    assert!(roles.joints().iter().all(|r| r.side == Side::Center));
    assert_eq!((roles.axis(), roles.offset()), (0, 0.0));
}

#[test]
fn degenerate_joints_get_roles_without_a_panic() {
    let spots = [("", None, [0.0; 3]), ("", Some(0), [0.0; 3]), ("x.L", Some(0), [0.0; 3])];
    assert_eq!(roles(&spots).joints()[0].side, Side::Center);
    let bad = [
        ("a", None, [f32::NAN; 3]),
        ("b", Some(0), [f32::INFINITY, 0.0, 0.0]),
        ("c.L", Some(0), [1e30; 3]),
    ];
    assert_eq!(roles(&bad).joints().len(), 3);
    assert!(roles(&[]).joints().is_empty());
    // Thousands of joints at one position.
    let heap: Vec<Given<'_>> =
        (0..4000).map(|k| ("", (k > 0).then_some(0), [(k % 2) as f32, 0.0, 0.0])).collect();
    assert_eq!(roles(&heap).joints().len(), 4000);
}

#[test]
fn a_given_pair_overrides_the_guess_on_both_sides() {
    let mut roles = roles(&BODY);
    // The pairs are crossed: each hand is paired with a foot.
    roles.set_partner(4, Some(8));
    check(&roles);
    assert_eq!(
        roles.joints()[4],
        Role { side: Side::Left, partner: Some(8), how: PairSource::Given }
    );
    assert_eq!(
        roles.joints()[8],
        Role { side: Side::Right, partner: Some(4), how: PairSource::Given }
    );
    assert_eq!(roles.joints()[6], Role { side: Side::Right, partner: None, how: PairSource::None });
    assert_eq!(roles.joints()[10].partner, None);
    roles.set_partner(6, Some(6));
    roles.set_partner(0, Some(2));
    roles.set_partner(0, Some(99));
    check(&roles);
    assert_eq!(roles.joints()[6].side, Side::Center);
    assert_eq!(roles.joints()[0].partner, Some(2));
}
