//! Stored poses: saved with the file, and applied to the same skeleton, to its mirror image, and to
//! skeletons with other names and rest poses.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::Path;

use glam::{DMat4, Mat4, Quat, Vec3};
use ulna_edit::{
    CommandLine,
    command::{kept_poses, kept_sets, pose_text, read_pose},
};
use ulna_formats::gltf::Progress;
use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId, SkinId, transform::angle_between};
use ulna_motion::{Mirror, MirrorPairs, Pose, Stack, keep_pose, skinning};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn pose(session: &Session) -> Pose {
    Pose::evaluate(session.document(), &Stack::default())
}

fn turn(session: &mut Session, node: &str, degrees: [f64; 3]) {
    run(session, CommandLine::new("pose.set").with("node", node).with("degrees", degrees));
}

/// Returns a generator of pseudorandom numbers from −½ to ½.
fn draws(mut seed: u64) -> impl FnMut() -> f32 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    }
}

#[test]
fn a_stored_pose_is_saved_with_the_file_and_applied_exactly() {
    let mut session = sample();
    let rest = session.document().clone();
    for (node, degrees) in [
        ("LeftUpperArm", [10.0, 20.0, -30.0]),
        ("Head", [0.0, 15.0, 5.0]),
        ("Hips", [5.0, 40.0, 0.0]),
    ] {
        turn(&mut session, node, degrees);
    }
    run(
        &mut session,
        CommandLine::new("pose.move").with("node", "Hips").with("by", [0.1, -0.2, 0.3]),
    );
    let locals = |d: &Document| d.node_ids().map(|n| d.node(n).local()).collect::<Vec<_>>();
    let posed = locals(session.document());
    run(&mut session, CommandLine::new("pose.keep").with("name", "Salute"));
    run(
        &mut session,
        CommandLine::new("set.keep").with("set", 3).with("node", ["LeftHand", "RightHand"]),
    );
    run(&mut session, CommandLine::new("pose.reset_all"));
    assert!(session.document().nodes == rest.nodes);
    let saved = session.pack("x").unwrap();
    assert!(saved.changes.iter().all(|c| c.contains("scenes/0")), "{:?}", saved.changes);
    let mut again = Session::open_bytes(&saved.bytes).unwrap();
    assert_eq!(kept_sets(again.document())[0].digit, 3);
    assert_eq!(kept_poses(again.document()).len(), 1);
    run(&mut again, CommandLine::new("pose.apply").with("pose", "Salute"));
    assert!(locals(again.document()) == posed, "to the bit");
    // Applies half of the pose, to one arm only.
    run(&mut again, CommandLine::new("pose.reset_all"));
    let line = CommandLine::new("pose.apply")
        .with("pose", "Salute")
        .with("node", "LeftUpperArm")
        .with("amount", 0.5);
    run(&mut again, line);
    let document = again.document();
    let moved: Vec<NodeId> =
        document.node_ids().filter(|n| document.node(*n).pose.is_some()).collect();
    assert_eq!(moved, [named(document, "LeftUpperArm")]);
    run(
        &mut again,
        CommandLine::new("pose.rename_kept").with("pose", "Salute").with("name", "Greeting"),
    );
    let error = again
        .run_line(&CommandLine::new("pose.apply").with("pose", "Salute"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("saved poses: Greeting"), "{error}");
    run(&mut again, CommandLine::new("pose.forget").with("pose", "Greeting"));
    assert!(kept_poses(again.document()).is_empty());
    while again.undo().is_some() {}
    assert_eq!(again.pack("x").unwrap().bytes, saved.bytes, "all taken back: the same bytes");
}

#[test]
fn invalid_pose_texts_are_refused_with_a_message() {
    let mut session = sample();
    let text = pose_text(&keep_pose(session.document(), &pose(&session), "a", None));
    assert!(read_pose("hello").unwrap().is_none() && read_pose("{}").unwrap().is_none());
    assert!(
        read_pose(&text.replace("\"ulna_pose\":1", "\"ulna_pose\":7"))
            .unwrap_err()
            .contains("newer")
    );
    assert!(read_pose(&text.replace("\"height\":", "\"hight\":")).unwrap_err().contains("invalid"));
    assert!(read_pose(&text.replace("\"parent\":0", "\"parent\":99")).is_err());
    for (line, wanted) in [
        (CommandLine::new("pose.apply"), "use either “pose”"),
        (CommandLine::new("pose.apply").with("text", "{}"), "not contain a pose"),
        (CommandLine::new("pose.apply").with("pose", "x"), "no saved poses"),
        (CommandLine::new("pose.keep").with("name", " "), "needs a name"),
        (CommandLine::new("set.keep").with("set", 12).with("node", "Hips"), "0 to 9"),
    ] {
        let error = session.run_line(&line).unwrap_err().to_string();
        assert!(error.contains(wanted), "{line}: {error}");
    }
}

/// Returns the largest distance of mirrored vertices from their expected positions, relative to the
/// model's size. Also returns the fraction of vertices that have a partner at rest, by position and
/// weights. Only these vertices are compared.
fn vertex_gap(rest: &Document, before: &Document, after: &Document, skin: SkinId) -> (f32, f32) {
    let pairs = MirrorPairs::of(rest, skin);
    let evaluated = |d: &Document| Pose::evaluate(d, &Stack::default());
    let (rest_pose, was, is) = (evaluated(rest), evaluated(before), evaluated(after));
    let root = rest.skin(skin).joints[0];
    let scene_from_mesh =
        rest_pose.world[root.index()].as_dmat4() * rest.skin(skin).inverse_bind[0].as_dmat4();
    let reflect = |p: Vec3| {
        let back = |m: DMat4, p: Vec3| m.transform_point3(p.as_dvec3()).as_vec3();
        back(scene_from_mesh, pairs.mirrored(back(scene_from_mesh.inverse(), p)))
    };
    let same_weights = |map: &ulna_model::WeightMap, k: usize, q: usize| {
        let slots = 0..rest.skin(skin).joints.len();
        let other = |j: usize| pairs.joints()[j].partner.unwrap_or(j);
        slots
            .map(|j| (map.weight(k, j as u16) - map.weight(q, other(j) as u16)).abs())
            .fold(0.0, f32::max)
            < 0.01
    };
    let (mut gap, mut found, mut all, mut size) = (0.0f32, 0usize, 0usize, 1e-9f32);
    for node in rest.shown_nodes().into_iter().filter(|n| rest.node(*n).skin == Some(skin)) {
        let Some(mesh) = rest.node(node).mesh else { continue };
        for (_, primitive) in rest.mesh(mesh).entries() {
            let Some(weights) = primitive.weights.as_deref() else { continue };
            let normals = skinning::base_normals(primitive);
            let posed = |d: &Document, pose: &Pose| {
                let mut out = skinning::Posed::default();
                let place = skinning::Placement::of(d, pose, node, primitive);
                skinning::skin(primitive, &normals, &pose.morphs[node.index()], &place, &mut out);
                out.positions
            };
            let (r, a, b) = (posed(rest, &rest_pose), posed(before, &was), posed(after, &is));
            let low = r.iter().copied().reduce(Vec3::min).unwrap();
            size = size.max((r.iter().copied().reduce(Vec3::max).unwrap() - low).max_element());
            // Finds partners in a grid of the rest positions.
            let cell = size * 2e-3;
            let key = |p: Vec3| (p / cell).round().as_ivec3();
            let mut grid: std::collections::HashMap<glam::IVec3, Vec<usize>> =
                std::collections::HashMap::new();
            for (k, p) in r.iter().enumerate() {
                grid.entry(key(*p)).or_default().push(k);
            }
            for (k, p) in r.iter().enumerate() {
                let there = reflect(*p);
                let c = key(there);
                let near = (-1..=1).flat_map(|x| {
                    (-1..=1).flat_map(move |y| (-1..=1).map(move |z| glam::IVec3::new(x, y, z)))
                });
                let partner = near
                    .filter_map(|d| grid.get(&(c + d)))
                    .flatten()
                    .find(|q| r[**q].distance(there) < cell && same_weights(weights, k, **q));
                all += 1;
                if let Some(q) = partner {
                    found += 1;
                    gap = gap.max(b[*q].distance(reflect(a[k])));
                }
            }
        }
    }
    (gap / size, found as f32 / all.max(1) as f32)
}

/// A model at rest, its mirror pairs, and its joints.
struct Mirrored {
    rest: Document,
    mirror: std::sync::Arc<Mirror>,
    joints: Vec<NodeId>,
    /// A center joint with several children.
    root: NodeId,
    /// Joints with a mirror partner, without the root.
    paired: Vec<NodeId>,
}

impl Mirrored {
    fn of(session: &Session) -> Self {
        let rest = session.document().clone();
        let mirror = Mirror::of(&rest);
        let joints: Vec<NodeId> = rest.skin(SkinId(0)).joints.to_vec();
        let central = |n: &NodeId| mirror.partner(*n) == Some(*n);
        let root = *joints
            .iter()
            .find(|n| central(n) && rest.children(**n).len() > 1)
            .unwrap_or(&joints[0]);
        let paired =
            joints.iter().copied().filter(|n| mirror.partner(*n).is_some() && *n != root).collect();
        Self { rest, mirror, joints, root, paired }
    }

    fn text(&self, node: NodeId) -> String {
        ulna_edit::node_text(&self.rest, node)
    }

    /// Poses all paired joints by random numbers. Rotates the root by 90°, and moves it by 5 m.
    fn pose_all(&self, session: &mut Session, mut draw: impl FnMut() -> f32) {
        for node in &self.paired {
            let degrees = [draw(), draw(), draw()].map(|v| f64::from(v) * 40.0);
            turn(session, &self.text(*node), degrees);
        }
        let turned = CommandLine::new("pose.turn")
            .with("node", self.text(self.root))
            .with("axis", "y")
            .with("degrees", 90.0);
        run(session, turned.with("space", "world"));
        run(
            session,
            CommandLine::new("pose.move")
                .with("node", self.text(self.root))
                .with("by", [3.0, 0.0, 4.0])
                .with("space", "world"),
        );
    }

    /// Returns the largest distance of a joint at rest from the mirror image of its partner,
    /// relative to the size of the skeleton.
    fn uneven(&self) -> f32 {
        let skin = SkinId(0);
        let places = Pose::evaluate(&self.rest, &Stack::default()).world;
        let pairs = MirrorPairs::of(&self.rest, skin);
        let first = self.joints[0];
        let mesh_from_scene =
            (places[first.index()] * self.rest.skin(skin).inverse_bind[0]).inverse();
        let at = |n: NodeId| (mesh_from_scene * places[n.index()]).w_axis.truncate();
        let size = self.joints.iter().map(|n| at(*n).distance(at(first))).fold(1e-9, f32::max);
        let uneven = |n: &NodeId| {
            let partner = self.mirror.partner(*n);
            partner.map_or(0.0, |p| pairs.mirrored(at(*n)).distance(at(p)) / size)
        };
        self.joints.iter().map(uneven).fold(0.0, f32::max)
    }

    /// Returns the paired joints of one side.
    fn side(&self) -> Vec<NodeId> {
        let last = self.paired[self.paired.len() - 1];
        let is_of_side =
            |n: &NodeId| self.mirror.partner(*n) != Some(*n) && self.mirror.is_same_side(*n, last);
        self.paired.iter().copied().filter(is_of_side).collect()
    }
}

/// Poses a model randomly and pastes the pose flipped: to all joints, and to one side. Returns the
/// fraction of vertices with a partner.
fn paste_flipped(file: &str, mut session: Session, draw: impl FnMut() -> f32) -> f32 {
    run(&mut session, CommandLine::new("pose.reset_all"));
    let model = Mirrored::of(&session);
    model.pose_all(&mut session, draw);
    let before = session.document().clone();
    let copied = pose_text(&keep_pose(&before, &pose(&session), "copied", None));
    run(
        &mut session,
        CommandLine::new("pose.apply").with("text", copied.as_str()).with("flip", true),
    );
    let (gap, symmetric) = vertex_gap(&model.rest, &before, session.document(), SkinId(0));
    println!(
        "{file}: {:.5} of the size, {:.0} % of the vertices have a partner",
        gap,
        symmetric * 100.0
    );
    let uneven = model.uneven();
    assert!(gap < 0.01 || uneven > 0.004, "{file}: {gap}, joints {uneven}");
    // Flipping a second time restores the pose.
    let flipped = session.document().clone();
    run(&mut session, CommandLine::new("pose.flip"));
    for node in &model.paired {
        let [a, b] = [&before, session.document()].map(|d| d.node(*node).local().transform());
        assert!(angle_between(a.rotation, b.rotation) < 2e-3, "{file} {node:?}");
    }
    // One side alone gets the same pose as in the full flip, and the other side is unchanged.
    session.undo();
    session.undo();
    let side = model.side();
    assert!(!side.is_empty(), "{file}");
    let names: Vec<String> = side.iter().map(|n| model.text(*n)).collect();
    let line = CommandLine::new("pose.apply")
        .with("text", copied.as_str())
        .with("flip", true)
        .with("node", names);
    run(&mut session, line);
    for node in &model.joints {
        let wanted = if side.contains(node) { &flipped } else { &before };
        let [a, b] = [wanted, session.document()].map(|d| d.node(*node).local().transform());
        assert!(a.is_close(&b, 1e-5, 1e-5), "{file} {}", model.text(*node));
    }
    symmetric
}

/// All joints have a random pose, and the hips are rotated by 90° and moved by 5 m. After pasting
/// the pose flipped, the vertices must be at the mirrored positions. If only one side is pasted,
/// its joints have the mirrored pose relative to the body.
#[test]
fn a_pose_pasted_flipped_is_the_mirror_image_on_six_naming_schemes() {
    let Some(shared) = crate::common::shared() else { return };
    let files = [
        "characters/Knight/Knight.glb",
        "characters/Sintel/human-sintel.glb",
        "characters/RiggedFigure/RiggedFigure.glb",
        "characters/Spider/gltf_spider_animated.gltf",
        "characters/Robot/robot.glb",
        "characters/Panda/fox-panda.glb",
        "vrm/cryptovoxels.vrm",
        "sample",
    ];
    let (mut done, mut by_vertices) = (0, 0);
    for (seed, file) in files.into_iter().enumerate() {
        let session = match file {
            "sample" => sample(),
            _ => Session::open(&shared.join("corpus").join(file), &Progress::default()).unwrap(),
        };
        let symmetric = paste_flipped(file, session, draws(seed as u64 + 3));
        by_vertices += usize::from(symmetric > 0.2);
        done += 1;
    }
    assert!(done == 8 && by_vertices >= 5, "{done} {by_vertices}");
}

/// Returns the rotation of a joint relative to rest, in the world axes at rest.
fn turned(rest: &Document, posed: &Document, name: &str) -> Quat {
    let rotation = |d: &Document| {
        let world: Mat4 = Pose::evaluate(d, &Stack::default()).world[named(d, name).index()];
        Quat::from_mat3(&orthogonal_factor(&world.as_dmat4()).unwrap().as_mat3())
    };
    rotation(posed) * rotation(rest).inverse()
}

/// Joints of the sample that are compared.
const OURS: [&str; 9] = [
    "Head",
    "LeftUpperArm",
    "LeftLowerArm",
    "RightUpperArm",
    "RightLowerArm",
    "LeftUpperLeg",
    "LeftLowerLeg",
    "RightUpperLeg",
    "RightLowerLeg",
];

/// Files, with their names for the joints in `OURS`; empty if a joint has no counterpart.
const SCHEMES: [(&str, [&str; 9]); 7] = [
    (
        "characters/Knight/Knight.glb",
        [
            "head",
            "upperarm.l",
            "lowerarm.l",
            "upperarm.r",
            "lowerarm.r",
            "upperleg.l",
            "lowerleg.l",
            "upperleg.r",
            "lowerleg.r",
        ],
    ),
    (
        "characters/Sintel/human-sintel.glb",
        [
            "head",
            "upperarm_l",
            "lowerarm_l",
            "upperarm_r",
            "lowerarm_r",
            "thigh_l",
            "calf_l",
            "thigh_r",
            "calf_r",
        ],
    ),
    (
        "vrm/cryptovoxels.vrm",
        [
            "Head",
            "Left arm",
            "Left elbow",
            "Right arm",
            "Right elbow",
            "Left leg",
            "Left knee",
            "Right leg",
            "Right knee",
        ],
    ),
    (
        "characters/RiggedFigure/RiggedFigure.glb",
        [
            "",
            "arm_joint_L_1",
            "arm_joint_L_2",
            "arm_joint_R_1",
            "arm_joint_R_2",
            "leg_joint_L_1",
            "leg_joint_L_2",
            "leg_joint_R_1",
            "leg_joint_R_2",
        ],
    ),
    (
        "characters/Robot/robot.glb",
        [
            "Head",
            "UpperArm.L",
            "LowerArm.L",
            "UpperArm.R",
            "LowerArm.R",
            "UpperLeg.L",
            "LowerLeg.L",
            "UpperLeg.R",
            "LowerLeg.R",
        ],
    ),
    (
        "characters/CesiumMan/CesiumMan.glb",
        [
            "",
            "Skeleton_arm_joint_L__4_",
            "Skeleton_arm_joint_L__3_",
            "Skeleton_arm_joint_R",
            "Skeleton_arm_joint_R__2_",
            "leg_joint_L_1",
            "leg_joint_L_2",
            "leg_joint_R_1",
            "leg_joint_R_2",
        ],
    ),
    (
        "characters/RigOnly/rig-human.glb",
        [
            "head",
            "upperarm_l",
            "lowerarm_l",
            "upperarm_r",
            "lowerarm_r",
            "thigh_l",
            "calf_l",
            "thigh_r",
            "calf_r",
        ],
    ),
];

#[test]
fn a_pose_is_transferred_to_skeletons_with_other_names_and_rest_poses() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut schemes, mut compared) = (0, 0);
    let mut from = sample();
    let rest = from.document().clone();
    for (k, name) in ["Spine", "Chest", "Neck"].iter().chain(&OURS).enumerate() {
        let k = k as f64;
        turn(&mut from, name, [8.0 + 4.0 * k, -12.0 + 3.0 * k, 20.0 - 5.0 * k]);
    }
    turn(&mut from, "Hips", [4.0, 50.0, -6.0]);
    let text = pose_text(&keep_pose(from.document(), &pose(&from), "posed", None));
    for (file, theirs) in SCHEMES {
        let mut to: Session =
            Session::open(Path::new(&shared.join("corpus").join(file)), &Progress::default())
                .unwrap();
        run(&mut to, CommandLine::new("pose.reset_all"));
        let before = to.document().clone();
        let notes = run(&mut to, CommandLine::new("pose.apply").with("text", text.as_str()));
        let mut worst = 0.0f32;
        for (ours, theirs) in OURS.iter().zip(theirs).filter(|(_, t)| !t.is_empty()) {
            let [a, b] =
                [turned(&rest, from.document(), ours), turned(&before, to.document(), theirs)];
            worst = worst.max(angle_between(a, b));
            compared += 1;
        }
        println!("{file}: {:.3}° {notes:?}", worst.to_degrees());
        assert!(worst < 2e-3, "{file}: {}°", worst.to_degrees());
        schemes += 1;
    }
    assert!(schemes == 7 && compared == 61, "{schemes} {compared}");
}
