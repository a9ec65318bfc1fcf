//! Retargeting between unusual bodies: mirrored, in other units, without feet or names, and with
//! many legs. Also retargeting of unusual clips.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::Path;

use glam::Vec3;
use ulna_formats::gltf::Progress;
use ulna_model::{
    ChainRotation, Clip, ContactSettings, Document, Goal, GoalPoint, Interpolation, NodeId,
    Property, RetargetChain, RetargetMap, RootMotion, Shared, Track, TrackId,
};
use ulna_motion::{
    Pose, Stack,
    retarget::{
        ContactRequest, Retarget, RetargetError, Retargeted, clean_contacts, find_contacts,
        guess_map, table_node,
    },
    sample_into,
};
use ulna_session::Session;

use crate::common::{sample, shared};

fn opened(folder: &Path, name: &str) -> Document {
    match name {
        "sample" => sample().document().clone(),
        name => Session::open(&folder.join(name), &Progress::default()).unwrap().document().clone(),
    }
}

fn named<'a>(document: &'a Document, name: &str) -> &'a Shared<Clip> {
    document.clips.values().find(|c| c.name.as_deref() == Some(name)).unwrap()
}

fn at(document: &Document, clip: &Shared<Clip>, time: f32) -> Pose {
    Pose::evaluate(document, &Stack::of(Some(clip), f64::from(time)))
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Asserts that the result can be saved: tracks are sorted, and numbers are finite.
fn is_sound(document: &Document, made: &Retargeted) {
    for track in made.carried.clip.tracks.values() {
        assert!(track.validate().is_ok(), "{:?}", document.node(track.target).name);
    }
    assert!(made.contacts.iter().all(Goal::is_valid));
    let clip = Shared::new(made.carried.clip.clone());
    for part in [0.0, 0.3, 0.7, 1.0] {
        let pose = at(document, &clip, clip.length() * part);
        assert!(pose.world.iter().all(|m| m.is_finite()));
    }
}

#[test]
fn every_pair_of_unusual_bodies_is_retargeted_or_refused() {
    let Some(folder) = shared() else { return };
    let files = [
        "sample",
        "corpus/characters/Fox/Fox.glb",
        "corpus/characters/Fox49/fox-animations.glb",
        "corpus/characters/Spider/gltf_spider_animated.gltf",
        "corpus/characters/RiggedSimple/RiggedSimple.glb",
        "corpus/characters/Hands/RightHand.glb",
        "corpus/characters/Robot/robot.glb",
        "corpus/characters/GdBot/gdbot.glb",
        "situations/rigid-figure/in.glb",
        "situations/fbx-helper-nodes/in.glb",
        "situations/joint-scale-minus-one/in.glb",
        "situations/mirrored-parent/in.glb",
        "situations/nulls-between-joints/in.glb",
    ];
    let documents: Vec<Document> = files.iter().map(|f| opened(&folder, f)).collect();
    let (mut made, mut refused) = (0, 0);
    for source in &documents {
        for target in &documents {
            let map = guess_map(source, target);
            assert!(map.is_valid());
            match Retarget::new(source, target, &map) {
                Ok(retarget) => {
                    for clip in source.clips.values().take(1) {
                        is_sound(target, &retarget.clip(clip, None));
                        made += 1;
                    }
                }
                Err(error) => {
                    assert_eq!(error, RetargetError::NoChain);
                    refused += 1;
                }
            }
        }
    }
    assert!(made > 80 && refused > 10, "{made} clips, {refused} refused");
}

#[test]
fn a_mirrored_body_has_the_mirrored_motion() {
    let Some(folder) = shared() else { return };
    let there = sample().document().clone();
    let here = opened(&folder, "situations/mirrored-parent/in.glb");
    let map = guess_map(&there, &here);
    let retarget = Retarget::new(&there, &here, &map).unwrap();
    let mut count = 0;
    for name in ["Wave", "Run"] {
        let clip = named(&there, name);
        let made = Shared::new(retarget.clip(clip, None).carried.clip);
        for chain in map.chains.iter().filter(|c| {
            c.rotation == ChainRotation::Copy && c.source.len() > 1 && c.name.ends_with("arm")
        }) {
            let joints: Vec<(NodeId, NodeId)> = chain
                .source
                .iter()
                .zip(&chain.target)
                .map(|(a, b)| (table_node(&there, a).unwrap(), table_node(&here, b).unwrap()))
                .collect();
            for bone in joints.windows(2) {
                for k in 0..20 {
                    let time = clip.length() * k as f32 / 20.0;
                    let (a, b) = (at(&there, clip, time), at(&here, &made, time));
                    let a = place(&a, bone[1].0) - place(&a, bone[0].0);
                    let b = place(&b, bone[1].1) - place(&b, bone[0].1);
                    let off = (a * Vec3::new(-1.0, 1.0, 1.0)).angle_between(b).to_degrees();
                    assert!(off < 5.0, "{name}, {} at {time}: {off}°", chain.name);
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 80, "{count}");
}

/// Creates a clip of legs and hips only, repeated for `seconds`, with `rate` keys per second.
fn captured(document: &Document, clip: &Clip, seconds: f32, rate: f32) -> Shared<Clip> {
    let count = (seconds * rate) as usize + 1;
    let times: Vec<f32> = (0..count).map(|k| k as f32 / rate).collect();
    let own = |t: &&Shared<Track>| {
        let name = document.node(t.target).label(t.target);
        let parts = ["Hips", "Leg", "Foot", "Toe"];
        t.property != Property::Weights && parts.iter().any(|p| name.contains(p))
    };
    let tracks = clip.tracks.values().filter(own).enumerate().map(|(k, track)| {
        let mut values = vec![0.0; track.width * count];
        for (time, value) in times.iter().zip(values.chunks_mut(track.width)) {
            sample_into(track, f64::from(time % clip.length()), value);
        }
        let track = Track {
            interpolation: Interpolation::Linear,
            times: times.clone().into(),
            values: values.into(),
            kinds: Default::default(),
            modes: Default::default(),
            ..(**track).clone()
        };
        (TrackId(k as u32), Shared::new(track))
    });
    Shared::new(Clip { tracks: tracks.collect(), ..Clip::default() })
}

#[test]
fn ten_minutes_at_120_frames_a_second_are_retargeted() {
    let there = sample().document().clone();
    let map = guess_map(&there, &there);
    let retarget = Retarget::new(&there, &there, &map).unwrap();
    let long = captured(&there, named(&there, "Walk"), 600.0, 120.0);
    let made = retarget.clip(&long, None);
    assert!(made.slides.len() > 1000, "{} contacts", made.slides.len());
    assert!(made.slides.iter().all(|s| s.after < 0.005));
    is_sound(&there, &made);
}

#[test]
fn clips_without_contacts_and_with_overlapping_contacts_are_retargeted() {
    let there = sample().document().clone();
    let clip = named(&there, "Walk");
    let map = guess_map(&there, &there);
    let retarget = Retarget::new(&there, &there, &map).unwrap();
    // Without contacts, the keys are copied.
    let made = retarget.clip(clip, Some(&[]));
    assert!(made.contacts.is_empty() && made.slides.is_empty());
    let foot = table_node(&there, "LeftFoot").unwrap();
    let own = made.carried.clip.track(foot, Property::Rotation).unwrap().1;
    assert_eq!(own.values, clip.track(foot, Property::Rotation).unwrap().1.values);
    // Overlapping contacts of one point are merged.
    let goal = |from: f32, to: f32| Goal {
        node: foot,
        point: GoalPoint::Ball,
        space: None,
        from,
        to,
        blend: Some(0.05),
        place: None,
    };
    let made = retarget.clip(clip, Some(&[goal(0.3, 0.4), goal(0.1, 0.35), goal(0.1, 0.2)]));
    assert_eq!(made.contacts.len(), 1);
    assert_eq!((made.contacts[0].from, made.contacts[0].to), (0.1, 0.4));
    assert!(made.slides.iter().all(|s| s.after < 0.005), "{:?}", made.slides);
    // The ball of the foot must go to a position that the user chose.
    let wanted = Vec3::new(0.3, 0.0, 0.4);
    let goals = [Goal { place: Some(wanted), blend: None, ..goal(0.1, 0.3) }];
    let settings = ContactSettings::default();
    let still = captured(&there, named(&there, "Idle"), 1.0, 30.0);
    let cleaned = clean_contacts(&there, &still, &goals, &settings);
    let pose = at(&there, &Shared::new(cleaned.clip), 0.2);
    let toes = table_node(&there, "LeftToes").unwrap();
    let off = (place(&pose, toes) - wanted).with_y(0.0).length();
    assert!(off < 0.01 || !cleaned.short.is_empty(), "{off}");
}

#[test]
fn incompatible_maps_are_refused_with_a_message() {
    let there = sample().document().clone();
    let mut map = guess_map(&there, &there);
    map.chains[0].source = vec!["Nobody".to_owned()];
    let error = Retarget::new(&there, &there, &map).err().unwrap();
    assert!(matches!(error, RetargetError::NoJoint { .. }));
    assert!(error.to_string().contains("“Nobody”"), "{error}");
    let mut map = guess_map(&there, &there);
    let joint = map.chains[0].target[0].clone();
    map.chains[1].target.push(joint);
    let error = Retarget::new(&there, &there, &map).err().unwrap();
    assert!(matches!(error, RetargetError::Twice { .. }), "{error}");
    let chain = RetargetChain { name: "Tail".to_owned(), ..RetargetChain::default() };
    let map = RetargetMap { chains: vec![chain], ..RetargetMap::default() };
    assert_eq!(Retarget::new(&there, &there, &map).err().unwrap(), RetargetError::NoChain);
}

#[test]
fn sizes_and_root_motion_follow_the_map() {
    let there = sample().document().clone();
    let hips = table_node(&there, "Hips").unwrap();
    // The body walks ahead at one meter per second.
    let walk = named(&there, "Walk");
    let mut clip = (**walk).clone();
    let (id, track) = clip.track(hips, Property::Translation).unwrap();
    let mut values = track.values.to_vec();
    let stride = track.stride();
    let skip = if track.interpolation == Interpolation::CubicSpline { track.width } else { 0 };
    for (k, time) in track.times.iter().enumerate() {
        values[k * stride + skip + 2] += time;
    }
    let moved = Track { values: values.into(), ..(**track).clone() };
    clip.tracks.insert(id, Shared::new(moved));
    let clip = Shared::new(clip);
    let ahead = |map: &RetargetMap| {
        let made = Retarget::new(&there, &there, map).unwrap().clip(&clip, Some(&[]));
        let made = Shared::new(made.carried.clip);
        let way =
            place(&at(&there, &made, clip.length()), hips) - place(&at(&there, &made, 0.0), hips);
        (way.z, made)
    };
    let map = guess_map(&there, &there);
    assert!((ahead(&map).0 - clip.length()).abs() < 0.02);
    let longer = RetargetMap { stride: Some(2.0), ..map.clone() };
    assert!((ahead(&longer).0 - 2.0 * clip.length()).abs() < 0.05);
    let in_place = RetargetMap { root: RootMotion::InPlace, ..map.clone() };
    assert!(ahead(&in_place).0.abs() < 0.02);
    let on_root = RetargetMap { root: RootMotion::Root, ..map };
    let (way, made) = ahead(&on_root);
    assert!((way - clip.length()).abs() < 0.02);
    let root = there.node(hips).parent.unwrap();
    assert!(made.track(root, Property::Translation).is_some());
}

#[test]
fn hand_contacts_are_detected_on_request() {
    let there = sample().document().clone();
    let idle = named(&there, "Idle");
    let feet = find_contacts(&there, idle, &ContactRequest::default());
    assert!(feet.iter().all(|g| g.point != GoalPoint::Joint) && !feet.is_empty());
    let all = find_contacts(&there, idle, &ContactRequest { hands: true });
    assert!(all.len() >= feet.len());
    let walk = find_contacts(&there, named(&there, "Run"), &ContactRequest { hands: true });
    assert!(walk.iter().all(|g| g.point != GoalPoint::Joint), "hands swing: {walk:?}");
}
