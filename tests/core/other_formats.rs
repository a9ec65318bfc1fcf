//! Dialects of BVH and `.x` files, compared with independent readers, and findings about unusual
//! files.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fmt::Write as _;

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use ulna_model::{AlphaMode, Document};
use ulna_motion::{Pose, Stack};
use ulna_session::{Conversion, Session};

use crate::common::{named, shared};

/// Opens a file with this name and text, and a length unit of one meter.
fn opened(name: &str, text: &str) -> Result<Session, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let conversion = Conversion { unit: Some(1.0), ..Conversion::default() };
    Session::open_as(&path, &conversion, &Default::default()).map_err(|e| e.to_string())
}

fn said(session: &Session, text: &str) -> bool {
    session.diagnostics.iter().any(|d| d.message.contains(text))
}

fn places(document: &Document, clip: usize, time: f64) -> impl Fn(&str) -> Vec3 + '_ {
    let clip = document.clips.values().nth(clip);
    let pose = Pose::evaluate(document, &Stack::of(clip, time));
    move |name| pose.world[named(document, name).index()].w_axis.truncate()
}

/// Joint names with positions.
type Places = &'static [(&'static str, [f32; 3])];

/// Joint positions in one frame per capture, computed by an independent reader.
const CAPTURES: [(&str, usize, Places); 5] = [
    ("orders.bvh", 1, ORDERS[0]),
    ("orders.bvh", 2, ORDERS[1]),
    ("fewer.bvh", 2, ORDERS[1]),
    ("time0.bvh", 1, ORDERS[0]),
    (
        "odd.bvh",
        1,
        &[
            ("mixamorig:Hips Main", [0.0, 1.1, 0.0]),
            ("Left Knee", [0.1557, 0.7154, -0.2009]),
            ("Fixed", [0.1288, 0.6645, -0.2826]),
            ("Fixed end", [0.0596, 0.4462, -0.552]),
            ("Prop", [0.5, 1.2, 0.1]),
            ("Prop end", [0.5, 1.7, 0.1]),
        ],
    ),
];
const ORDERS: [&[(&str, [f32; 3])]; 2] = [
    &[
        ("Hips", [1.0, 91.0, 2.0]),
        ("Spine", [-0.5774, 102.8255, 7.2601]),
        ("Arm", [4.4758, 115.4299, 25.025]),
        ("Elbow", [8.1347, 136.9552, 37.2018]),
        ("Elbow end", [2.6009, 158.1771, 46.9492]),
    ],
    &[
        ("Hips", [2.0, 92.0, 4.0]),
        ("Spine", [0.4725, 80.0098, 4.6344]),
        ("Arm", [-17.7949, 71.8346, 14.6077]),
        ("Elbow", [-9.6796, 53.4961, -0.3202]),
        ("Elbow end", [-8.2377, 39.929, -20.065]),
    ],
];

#[test]
fn captures_of_every_dialect_equal_an_independent_reader() {
    let Some(shared) = shared() else { return };
    let mut compared = 0;
    for (file, frame, joints) in CAPTURES {
        let path = shared.join("situations/bvh-dialects").join(file);
        let conversion = Conversion { unit: Some(1.0), rate: Some(30.0), ..Conversion::default() };
        let session = Session::open_as(&path, &conversion, &Default::default()).unwrap();
        let at = places(session.document(), 0, frame as f64 / 30.0);
        for (name, place) in joints {
            let size = if file == "odd.bvh" { 1.0 } else { 100.0 };
            assert!(
                at(name).distance(Vec3::from(*place)) < 1e-5 * size + 6e-5,
                "{file} {name}: {} {place:?}",
                at(name)
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 26);
    let open = |file: &str| {
        Session::open(&shared.join("situations/bvh-dialects").join(file), &Default::default())
            .unwrap()
    };
    assert!(said(&open("fewer.bvh"), "states 4 frames, but has only 3"));
    assert!(said(&open("time0.bvh"), "30 frames per second are used"));
    // Numbers in messages are short.
    let odd = open("orders.bvh");
    assert!(said(&odd, "rate of 120 per second"), "{:?}", odd.diagnostics);
}

/// Channels of a joint: the axis, and whether the channel is a rotation.
type Channels = Vec<(usize, bool)>;

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// Returns the text of a capture: a chain of joints with channels in any order, and frames.
fn capture(
    chain: &[([f64; 3], Channels)],
    frames: &[Vec<f64>],
    end: &str,
    spell: &dyn Fn(f64) -> String,
) -> String {
    let mut text = format!("HIERARCHY{end}");
    for (k, ([x, y, z], channels)) in chain.iter().enumerate() {
        let kind = if k == 0 { "ROOT" } else { "JOINT" };
        write!(text, "{kind} j{k}{end}{{{end}OFFSET {x} {y} {z}{end}CHANNELS {}", channels.len())
            .unwrap();
        for (axis, turns) in channels {
            write!(
                text,
                " {}{}",
                ["X", "Y", "Z"][*axis],
                if *turns { "rotation" } else { "position" }
            )
            .unwrap();
        }
        text += end;
    }
    write!(text, "End Site{end}{{{end}OFFSET 0 0 1{end}}}{end}{}", "} ".repeat(chain.len()))
        .unwrap();
    write!(text, "{end}MOTION{end}Frames: {}{end}Frame Time: 0.5{end}", frames.len()).unwrap();
    for frame in frames {
        let numbers: Vec<String> = frame.iter().map(|v| spell(*v)).collect();
        text += &(numbers.join(" ") + end);
    }
    text
}

/// Returns the position of each joint. Channels apply from left to right, and position channels
/// replace the offset.
fn evaluated(chain: &[([f64; 3], Channels)], frame: &[f64]) -> Vec<DVec3> {
    let (mut world, mut at, mut all) = (DMat4::IDENTITY, 0, Vec::new());
    for (offset, channels) in chain {
        let mut place = DVec3::from(*offset);
        let mut turn = DMat4::IDENTITY;
        for (axis, turns) in channels {
            let value = frame[at];
            at += 1;
            if *turns {
                turn *= DMat4::from_axis_angle(AXES[*axis], value.to_radians());
            } else {
                place[*axis] = value;
            }
        }
        world = world * DMat4::from_translation(place) * turn;
        all.push(world.w_axis.truncate());
    }
    all
}

fn channels() -> impl Strategy<Value = Channels> {
    let all: Channels = (0..3).flat_map(|axis| [(axis, true), (axis, false)]).collect();
    (Just(all).prop_shuffle(), 0usize..=6)
        .prop_map(|(all, count)| all.into_iter().take(count).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The generated BVH files have any number of channels in any order, and position channels
    /// anywhere among them. They also have all kinds of line ends, and decimal commas.
    #[test]
    fn each_joint_has_its_own_channels_in_its_own_order(
        chain in prop::collection::vec(([5.0f64..20.0, 5.0..20.0, 5.0..20.0], channels()), 1..4),
        numbers in prop::collection::vec(30.0f64..90.0, 48),
        end in prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]),
        comma in any::<bool>(),
    ) {
        let width: usize = chain.iter().map(|(_, c)| c.len()).sum();
        prop_assume!(width > 0);
        let frames: Vec<Vec<f64>> =
            numbers.chunks_exact(width).take(2).map(<[f64]>::to_vec).collect();
        let spell =
            |v: f64| if comma { format!("{v:.6}").replace('.', ",") } else { format!("{v:.6}") };
        let session = opened("a.bvh", &capture(&chain, &frames, end, &spell)).unwrap();
        let document = session.document();
        for (k, frame) in frames.iter().enumerate() {
            let at = places(document, 0, k as f64 * 0.5);
            for (joint, place) in evaluated(&chain, frame).into_iter().enumerate() {
                let found = at(&format!("j{joint}")).as_dvec3();
                prop_assert!(found.distance(place) < 1e-3, "j{joint}: {found} {place}");
            }
        }
    }

    /// An invalid number is replaced by the value of the nearest frame. All other numbers stay.
    #[test]
    fn an_invalid_number_affects_one_value(
        values in prop::collection::vec(-80.0f64..80.0, 2..9),
        bad in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        word in prop::sample::select(vec!["-1.#IND", "1.#QNAN", "nan", "inf", "-", "1e", "1.#INF00",
            "NaN(ind)", "1.2.3", "x"]),
    ) {
        let bad: Vec<usize> = bad.iter().map(|i| i.index(values.len())).collect();
        prop_assume!(bad.len() * 4 <= values.len() * 2);
        let chain = [([0.0; 3], vec![(0, true), (1, false)])];
        let frames: Vec<Vec<f64>> =
            values.iter().enumerate().map(|(k, v)| vec![*v,
                if bad.contains(&k) { 777.0 } else { *v }]).collect();
        let text = capture(&chain, &frames, "\n",
            &|v| if v == 777.0 { word.to_owned() } else { format!("{v:.6}") });
        let session = opened("a.bvh", &text).unwrap();
        let is_said = said(&session, word)
            && said(&session, "the value of the nearest valid frame is used")
                && said(&session, "of “j0”");
        prop_assert!(is_said, "{:?}", session.diagnostics);
        for (k, value) in values.iter().enumerate() {
            let y = f64::from(places(session.document(), 0, k as f64 * 0.5)("j0").y);
            if bad.contains(&k) {
                let near = (0..values.len()).filter(|g| !bad.contains(g))
                    .min_by_key(|g| g.abs_diff(k)).unwrap();
                prop_assert!((y - values[near]).abs() < 1e-4, "frame {k}: {y}, as frame {near}: {}",
                    values[near]);
            } else {
                prop_assert!((y - value).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn mostly_invalid_numbers_are_refused_with_the_first_one_named() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 2 Xrotation Yrotation }\nMOTION\nFrames: \
            2\nFrame Time: 1\n1 x y z";
    let error = opened("a.bvh", text).err().unwrap();
    assert!(
        error.contains("3 of its 4 values") && error.contains("“x” in frame 1 of “a”"),
        "{error}"
    );
    let neat = text.replace("1 x y z", "1 2 x 4");
    assert!(said(
        &opened("a.bvh", &neat).unwrap(),
        "1 value is invalid, such as “x” in frame 2 of “a”"
    ));
}

#[test]
fn separate_animation_keys_of_x_files_follow_the_format() {
    let Some(shared) = shared() else { return };
    for (file, ticks) in [("ticks-last.x", 30.0), ("ghost-bone.x", 30.0)] {
        let path = shared.join("situations/x-separate-keys").join(file);
        let session = Session::open(&path, &Default::default()).unwrap();
        let document = session.document();
        let names: Vec<_> =
            document.clips.values().map(|c| c.name.as_deref().unwrap_or_default()).collect();
        assert_eq!(names, ["walk", "once"], "{file}");
        let local = |clip: usize, tick: f64, name: &str| {
            let clip = document.clips.values().nth(clip);
            Pose::evaluate(document, &Stack::of(clip, tick / ticks)).local
                [named(document, name).index()]
            .transform()
        };
        let near = |a: Quat, b: Quat| a.dot(b).abs() > 1.0 - 1e-6;
        let z = |degrees: f32| Quat::from_rotation_z(degrees.to_radians());
        // Each kind of key has its own times. Z is mirrored, and rotations of the format have the
        // opposite direction.
        assert!(
            local(0, 20.0, "Hips").translation.distance(Vec3::new(0.0, 12.0, -4.0)) < 1e-5,
            "{file}"
        );
        assert!(
            local(0, 30.0, "Hips").translation.distance(Vec3::new(0.0, 11.0, -6.0)) < 1e-5,
            "{file}"
        );
        assert!(near(local(0, 0.0, "Spine-1").rotation, z(10.0)), "{file}");
        assert!(
            near(local(0, 15.0, "Spine-1").rotation, Quat::from_rotation_y((-50f32).to_radians())),
            "{file}"
        );
        let arm = local(0, 20.0, "Arm.L");
        assert!(near(arm.rotation, z(-60.0).slerp(z(-10.0), 0.5)), "{file}: {}", arm.rotation);
        assert!(arm.scale.distance(Vec3::splat(1.0 + 0.5 * 20.0 / 30.0)) < 1e-5, "{file}");
        assert!(
            arm.translation.distance(Vec3::new(3.0, 4.0, 0.0)) < 1e-5,
            "what has no keys stays"
        );
        let hand = local(1, 10.0, "Hand.L");
        assert!(
            near(hand.rotation, Quat::from_rotation_x((-45f32).to_radians())),
            "{file}: {}",
            hand.rotation
        );
        assert!(hand.translation.distance(Vec3::new(0.0, 5.0, -1.0)) < 1e-5);
        let length = document.clips.values().next().unwrap().length();
        assert!((f64::from(length) - 40.0 / ticks).abs() < 1e-5, "{file}: {length}");
        assert!(said(&session, "“Nobody” does not exist"), "{file}");
        assert_eq!(
            said(&session, "“Tree” does not match a frame"),
            file == "ghost-bone.x",
            "{file}"
        );
    }
    let text =
        std::fs::read_to_string(shared.join("situations/x-separate-keys/ticks-last.x")).unwrap();
    let without = opened("a.x", &text[..text.find("AnimTicksPerSecond").unwrap()]).unwrap();
    let length = without.document().clips.values().next().unwrap().length();
    // If the rate is missing, 4,800 ticks per second are used, with a finding.
    assert!((length - 40.0 / 4800.0).abs() < 1e-6 && said(&without, "4800"), "{length}");
}

/// Returns the text of triangles with materials of these alphas.
fn triangle(alphas: &[f32]) -> String {
    let materials: String = alphas
        .iter()
        .map(|a| format!("Material {{ 0.5;0.5;0.5;{a};; 30; 1;1;1;; 0;0;0;; }} "))
        .collect();
    let count = alphas.len();
    format!(
        "xof 0303txt 0032\nFrame A {{ Mesh tri {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\n\
         MeshMaterialList {{ {count}; 1; 0;; {materials} }} }} }}"
    )
}

#[test]
fn an_x_file_with_only_invisible_materials_is_opaque() {
    for (alphas, opaque) in [
        (&[0.0][..], true),
        (&[0.0, 0.0, 0.0], true),
        (&[0.0, 1.0], false),
        (&[0.25, 0.5], false),
        (&[1.0], false),
    ] {
        let session = opened("a.x", &triangle(alphas)).unwrap();
        assert_eq!(said(&session, "All materials have an alpha of 0"), opaque, "{alphas:?}");
        let materials = &session.document().materials;
        assert_eq!(materials.len(), alphas.len());
        for (material, alpha) in materials.values().zip(alphas) {
            let shown = if opaque { 1.0 } else { *alpha };
            assert!(
                (material.base_color.w - shown).abs() < 1e-6,
                "{alphas:?}: {}",
                material.base_color
            );
            let blends = matches!(material.alpha, AlphaMode::Blend);
            assert_eq!(blends, shown < 1.0, "{alphas:?}");
        }
    }
}

/// Returns the text of a vertex that many bones influence.
fn bones(count: usize) -> String {
    let mut text = String::from(
        "xof 0303txt 0032\nFrame A { Mesh tri { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\n",
    );
    for k in 0..count {
        writeln!(text, "SkinWeights {{ \"b{k}\"; 1; 0; 1.0; 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; }}")
            .unwrap();
    }
    text + "} }"
}

#[test]
fn more_bones_than_gltf_can_number_are_refused() {
    let error = opened("a.x", &bones(65_537)).err().unwrap();
    assert!(
        error.contains("more than 65,536 bones") && error.contains("split the mesh"),
        "{error}"
    );
}

/// The rotation of a joint is the product of its channels. Checks the matrices of the test reader
/// against quaternions.
#[test]
fn the_test_reader_composes_rotations_like_quaternions() {
    let chain = [([0.0; 3], vec![(2, true), (0, true)]), ([0.0, 0.0, 1.0], vec![])];
    let found = evaluated(&chain, &[30.0, 40.0]);
    let wanted = DQuat::from_rotation_z(30f64.to_radians())
        * DQuat::from_rotation_x(40f64.to_radians())
        * DVec3::Z;
    assert!(found[1].distance(wanted) < 1e-12);
}
