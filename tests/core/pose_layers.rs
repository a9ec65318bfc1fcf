//! Pose layers: their effect on the pose, baking, storage in files, and refusals.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{EulerRot, Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::{Progress, open_bytes};
use ulna_model::{
    Clip, ClipId, Document, Interpolation, LayerHome, Local, NodeId, PoseLayer, PoseLayerId,
    PoseLayers, Property, Shared, Track, TrackId, Transform, transform::angle_between,
};
use ulna_motion::{Evaluator, Folder, Pose, Stack, fold_clip, with_layers};
use ulna_session::Session;

use crate::common::{models, named, run, sample, shared};

fn line(text: Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, line(text))
}

fn refused(session: &mut Session, text: &Value) -> String {
    session.run_line(&line(text.clone())).unwrap_err().to_string()
}

fn clip_of(document: &Document, name: &str) -> ClipId {
    document.clips.iter().find(|(_, c)| c.name.as_deref() == Some(name)).unwrap().0
}

fn seen(document: &Document, clip: Option<ClipId>, time: f64) -> Pose {
    Pose::evaluate(document, &Stack::shown(document, clip, time))
}

/// Returns the bytes that a save would write.
fn bytes(session: &Session) -> Vec<u8> {
    session.pack("model").unwrap().bytes.to_vec()
}

fn reopened(session: &Session) -> Session {
    Session::open_bytes(&bytes(session)).unwrap()
}

/// Compares the saved clip with the clip and its layers. Returns the largest distance of positions,
/// and the largest angle of joint rotations.
fn apart(before: &Document, id: ClipId, after: &Document, times: usize) -> (f32, f32) {
    let length = f64::from(before.clips[id].length()).max(0.1);
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut worst = (0.0f32, 0.0f32);
    for k in 0..=times {
        let time = length * k as f64 / times as f64;
        evaluators[0].update(before, &Stack::shown(before, Some(id), time), &mut poses[0]);
        evaluators[1].update(after, &Stack::shown(after, Some(id), time), &mut poses[1]);
        for (a, b) in poses[0].world.iter().zip(&poses[1].world) {
            worst.0 = worst.0.max(a.w_axis.truncate().distance(b.w_axis.truncate()));
        }
        for (a, b) in poses[0].local.iter().zip(&poses[1].local) {
            worst.1 = worst.1.max(angle_between(a.transform().rotation, b.transform().rotation));
        }
    }
    worst
}

fn turned(degrees: f32) -> Transform {
    Transform::from_rotation(Quat::from_euler(EulerRot::XYZ, 0.0, 0.2, degrees.to_radians()))
}

#[test]
fn a_layer_moves_the_arms_outward_in_the_whole_clip() {
    let mut session = sample();
    let walk = clip_of(session.document(), "Walk");
    let opened = bytes(&session);
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Arms out"}));
    let arms: Vec<NodeId> =
        ["LeftUpperArm", "RightUpperArm"].map(|n| named(session.document(), n)).to_vec();
    let before = seen(session.document(), Some(walk), 0.4);
    for (name, degrees) in [("LeftUpperArm", 20), ("RightUpperArm", -20)] {
        does(
            &mut session,
            json!({"do": "pose.turn", "node": name, "axis": "z", "degrees": degrees,
                "space": "local", "clip": "Walk", "time": 0.4, "layer": "Arms out"}),
        );
    }
    let after = seen(session.document(), Some(walk), 0.4);
    for arm in &arms {
        let turn = angle_between(
            before.local[arm.index()].transform().rotation,
            after.local[arm.index()].transform().rotation,
        );
        assert!((turn.to_degrees() - 20.0).abs() < 0.01, "{turn}");
    }
    // The rotation applies to the whole clip, and by the same angle to the right arm.
    let other = seen(session.document(), Some(walk), 0.1);
    let raw =
        Pose::evaluate(session.document(), &Stack::of(session.document().clips.get(walk), 0.1));
    let turn = angle_between(
        raw.local[arms[0].index()].transform().rotation,
        other.local[arms[0].index()].transform().rotation,
    );
    assert!((turn.to_degrees() - 20.0).abs() < 0.01);
    // The clip's own keys are unchanged. The saved clip has the same number of keys, with the layer
    // baked in.
    let saved = reopened(&session);
    assert_eq!(session.document().clips[walk], session.opened().clips[walk]);
    assert_eq!(
        saved.document().clips[walk].key_count(),
        session.document().clips[walk].key_count()
    );
    let (way, angle) = apart(session.document(), walk, saved.document(), 1000);
    assert!(way < 2e-6 && angle < 2e-5, "{way} {angle}");
    assert!(session.is_unsaved());
    // If the layer is muted, has strength 0, or is removed, the opened bytes are saved.
    let mut states = 0;
    for text in [
        json!({"do": "layer.mute", "clip": "Walk", "layer": "Arms out"}),
        json!({"do": "layer.strength", "clip": "Walk", "layer": "Arms out", "strength": 0}),
        json!({"do": "layer.remove", "clip": "Walk", "layer": "Arms out"}),
        json!({"do": "layer.clear", "clip": "Walk", "layer": "Arms out"}),
    ] {
        does(&mut session, text);
        assert_eq!(bytes(&session), opened);
        assert!(!session.unsaved().file);
        session.undo();
        assert_ne!(bytes(&session), opened);
        states += 1;
    }
    assert_eq!(states, 4);
    while session.undo().is_some() {}
    assert_eq!(bytes(&session), opened);
    assert!(!session.is_unsaved());
}

/// A stored layer is restored together with the clip's own keys, bit for bit. After all layers are
/// removed, the original file is saved.
#[test]
fn stored_layers_can_be_removed_again() {
    let mut session = sample();
    let opened = session.opened().clips.clone();
    let walk = clip_of(session.document(), "Walk");
    for text in [
        json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}),
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [20, 0, 0]}),
        json!({"do": "layer.strength", "clip": "Walk", "layer": "Nod", "strength": 0, "time": 0}),
        json!({"do": "layer.strength", "clip": "Walk", "layer": "Nod", "strength": 1, "time": 0.5}),
        json!({"do": "layer.new", "clip": "Walk", "name": "Wide"}),
        json!({"do": "layer.set", "clip": "Walk", "layer": "Wide", "node": "LeftUpperArm",
            "degrees": [0, 0, 12], "scale": [1, 1.2, 1], "translation": [0, 0.02, 0]}),
        json!({"do": "layer.mask", "clip": "Walk", "layer": "Wide", "below": "LeftUpperArm"}),
        json!({"do": "layer.keep", "on": true}),
    ] {
        does(&mut session, text);
    }
    assert_eq!(session.unsaved().pose_layers, 0, "the file keeps them");
    let mut again = reopened(&session);
    assert!(!again.is_unsaved(), "nothing was done yet");
    let (now, was) = (again.document(), session.document());
    assert_eq!(now.clips[walk].tracks, was.clips[walk].tracks, "the clip's own keys");
    assert_eq!(now.aids.layers(LayerHome::Clip(walk)).0.len(), 2);
    for (a, b) in now
        .aids
        .layers(LayerHome::Clip(walk))
        .iter()
        .zip(was.aids.layers(LayerHome::Clip(walk)).iter())
    {
        assert_eq!(&a.clone().named(b.id, b.name.clone()), b);
    }
    // Other programs, which ignore the layers, display the same motion.
    let plain = open_bytes(bytes(&session).into(), None, &Progress::default()).unwrap().document;
    let (way, angle) = apart(was, walk, &plain, 1000);
    assert!(way < 1e-4 && angle.to_degrees() < 0.1, "{way} {angle}");
    // Without an edit, the same bytes are written.
    assert_eq!(bytes(&again), bytes(&session));
    for layer in ["Nod", "Wide"] {
        does(
            &mut again,
            json!({"do": "layer.mute", "clip": "Walk", "layer": layer, "muted": true}),
        );
    }
    let muted = open_bytes(bytes(&again).into(), None, &Progress::default()).unwrap().document;
    let bare = |c: &Clip| {
        c.tracks
            .values()
            .map(|t| (t.target, t.property, t.times.clone(), t.values.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(bare(&muted.clips[walk]), bare(&opened[walk]), "to the bit");
    assert_eq!(muted.clips[walk].key_count(), opened[walk].key_count());
    // If the layers are no longer stored, they are removed from `extras`.
    does(&mut again, json!({"do": "layer.keep", "on": false}));
    let text = String::from_utf8_lossy(&bytes(&again)).contains("ulna.layers");
    assert!(!text);
}

#[test]
fn keys_changed_by_another_program_take_precedence_and_invalid_layers_are_kept() {
    let mut session = sample();
    let walk = clip_of(session.document(), "Walk");
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [20, 0, 0]}),
    );
    does(&mut session, json!({"do": "layer.keep", "on": true}));
    let kept = bytes(&session);
    // Another program changes the first key of the head. The test finds it by its bytes.
    let folded = open_bytes(kept.clone().into(), None, &Progress::default()).unwrap().document;
    let head = named(&folded, "Head");
    let track = folded.clips[walk].track(head, Property::Rotation).unwrap().1.clone();
    let first: Vec<u8> = track.values[..4].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut changed = kept.clone();
    let at = changed.windows(16).rposition(|w| w == first).expect("the first key");
    changed[at..at + 16].copy_from_slice(&[0.0f32, 0.0, 0.0, 1.0].map(f32::to_le_bytes).concat());
    let other = Session::open_bytes(&changed).unwrap();
    assert!(other.document().aids.pose_layers.is_empty());
    let said = other.diagnostics.iter().find(|d| d.code == "ULNA_LAYERS").expect("it is said");
    assert!(
        said.message.contains("The changed keys are used") && said.message.contains("Walk"),
        "{}",
        said.message
    );
    assert_eq!(bytes(&other), changed, "nothing is lost");
    // Adding another layer above loses no data either.
    let mut other = other;
    does(&mut other, json!({"do": "layer.new", "clip": "Walk", "name": "New"}));
    does(
        &mut other,
        json!({"do": "layer.set", "clip": "Walk", "layer": "New", "node": "Head",
            "degrees": [0, 9, 0]}),
    );
    assert!(
        String::from_utf8_lossy(&bytes(&other)).contains("ulna.layers"),
        "what does not fit stays, unasked"
    );
    // Damaged `extras` are reported and kept, but not used.
    let mut broken = 0;
    for (from, to) in [
        ("\"strength\":1.0", "\"strength\":9.0"),
        ("\"hash\":\"", "\"hash\":\"zz"),
        ("\"node\":\"Head\"", "\"node\":\"Heed\""),
    ] {
        let (start, end) = (kept.len(), kept.len());
        let _ = (start, end);
        let bad = edited_json(&kept, from, to);
        let session = Session::open_bytes(&bad).unwrap();
        assert!(session.document().aids.pose_layers.is_empty(), "{to}");
        assert!(
            session.diagnostics.iter().any(|d| d.code == "ULNA_LAYERS"),
            "{to}: {:?}",
            session.diagnostics
        );
        assert_eq!(bytes(&session), bad, "{to}");
        broken += 1;
    }
    assert_eq!(broken, 3);
}

/// Returns a GLB with a text replaced in its JSON.
fn edited_json(glb: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = std::str::from_utf8(&glb[20..20 + length]).unwrap();
    assert!(json.contains(from), "{from} is in the file");
    let json = json.replace(from, to);
    ulna_formats::gltf::build_glb(json.trim_end().as_bytes(), Some(&glb[20 + length + 8..]), &[], 0)
        .unwrap()
}

/// Builds a document with a chain of three nodes, and one clip with these tracks.
fn chain(tracks: Vec<Track>, scale: Vec3) -> Document {
    use ulna_model::{FileContent, Node};
    let node = |k: u32| Node {
        parent: (k > 0).then(|| NodeId(k - 1)),
        rest: Local::Trs(Transform {
            translation: Vec3::new(0.0, 0.3, 0.05 * k as f32),
            rotation: Quat::from_rotation_x(0.2 * k as f32),
            scale: if k == 0 { scale } else { Vec3::ONE },
        }),
        ..Node::default()
    };
    let clip = Clip {
        name: Some("Clip".into()),
        tracks: tracks
            .into_iter()
            .enumerate()
            .map(|(k, t)| (TrackId(k as u32), Shared::new(t)))
            .collect(),
        ..Clip::default()
    };
    let mut asset = FileContent { nodes: (0..3).map(node).collect(), ..FileContent::default() };
    asset.clips.put(ClipId(0), Some(Shared::new(clip)));
    Document::from(asset)
}

fn track(
    node: u32,
    property: Property,
    interpolation: Interpolation,
    keys: &[(f32, Vec3)],
) -> Track {
    let turn = |v: Vec3| Quat::from_euler(EulerRot::XYZ, v.x, v.y, v.z).to_array().to_vec();
    let value = |v: Vec3| match property {
        Property::Rotation => turn(v),
        Property::Scale => (Vec3::ONE + v * 0.3).to_array().to_vec(),
        _ => v.to_array().to_vec(),
    };
    let width = if property == Property::Rotation { 4 } else { 3 };
    let mut last: Option<Vec<f32>> = None;
    let values = keys.iter().flat_map(|(_, v)| {
        let mut now = value(*v);
        if let Some(last) = &last
            && property == Property::Rotation
            && last.iter().zip(&now).map(|(a, b)| a * b).sum::<f32>() < 0.0
        {
            now.iter_mut().for_each(|v| *v = -*v);
        }
        last = Some(now.clone());
        match interpolation {
            Interpolation::CubicSpline => [vec![0.1; width], now, vec![0.1; width]].concat(),
            _ => now,
        }
    });
    let values: Vec<f32> = values.collect();
    Track {
        target: NodeId(node),
        property,
        interpolation,
        times: keys.iter().map(|(t, _)| *t).collect(),
        values: values.into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

fn some_vec() -> impl Strategy<Value = Vec3> {
    (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn some_keys() -> impl Strategy<Value = Vec<(f32, Vec3)>> {
    prop::collection::vec((0.05f32..0.5, some_vec()), 1..6).prop_map(|list| {
        let mut time = 0.0;
        list.into_iter()
            .map(|(step, v)| {
                time += step;
                (time, v)
            })
            .collect()
    })
}

fn some_track(node: u32) -> impl Strategy<Value = Track> {
    let ways = [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];
    (0usize..3, 0usize..3, some_keys())
        .prop_map(move |(p, w, keys)| track(node, Property::TRS[p], ways[w], &keys))
}

fn some_user() -> impl Strategy<Value = Transform> {
    (some_vec(), some_vec(), 0.4f32..1.8, 0u8..8).prop_map(|(t, r, s, which)| Transform {
        translation: if which & 1 != 0 { t * 0.3 } else { Vec3::ZERO },
        rotation: if which & 2 != 0 {
            Quat::from_euler(EulerRot::XYZ, r.x, r.y, r.z)
        } else {
            Quat::IDENTITY
        },
        scale: if which & 4 != 0 { Vec3::new(s, s, 1.0) } else { Vec3::ONE },
    })
}

fn some_layer() -> impl Strategy<Value = PoseLayer> {
    (
        prop::collection::btree_map((0u32..3).prop_map(NodeId), some_user(), 0..3),
        0.0f32..=1.0,
        prop::option::of(some_keys()),
        prop::collection::vec(some_track(1), 0..2),
    )
        .prop_map(|(moves, strength, keys, tracks)| {
            let strength_keys = keys.map(|keys| {
                let keys: Vec<(f32, Vec3)> =
                    keys.into_iter().map(|(t, v)| (t, Vec3::splat((v.x + 1.0) * 0.5))).collect();
                Shared::new(Track {
                    target: NodeId(0),
                    property: Property::Weights,
                    interpolation: Interpolation::Linear,
                    times: keys.iter().map(|k| k.0).collect(),
                    values: keys.iter().map(|k| k.1.x).collect(),
                    width: 1,
                    kinds: Default::default(),
                    modes: Default::default(),
                })
            });
            let keys = Clip {
                tracks: tracks.into_iter().map(|t| (TrackId(0), Shared::new(t))).collect(),
                ..Clip::default()
            };
            PoseLayer {
                strength,
                strength_keys,
                keys: Shared::new(keys),
                ..PoseLayer::new("", moves)
            }
        })
}

fn numbered(layers: Vec<PoseLayer>) -> PoseLayers {
    let one =
        |(k, l): (usize, PoseLayer)| l.named(PoseLayerId(k as u32), format!("Layer {k}").into());
    layers.into_iter().enumerate().map(one).collect()
}

fn is_keyed(layers: &PoseLayers, node: NodeId) -> bool {
    layers.counting().any(|l| l.is_keyed_at(node) && l.says(node))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Baking must preserve the motion at a thousand times. With constant layers, the key times
    /// stay, and values are exact to the last digits. Otherwise, the motion stays within the
    /// tolerance.
    #[test]
    fn baking_layers_preserves_the_displayed_motion(
        tracks in prop::collection::vec(some_track(1), 0..4),
            more in prop::collection::vec(some_track(2), 0..2),
        layers in prop::collection::vec(some_layer(), 1..4),
            scale in prop::sample::select(vec![1.0f32, -1.0, 0.01, 2.0]),
    ) {
        let mut all: BTreeMap<(NodeId, Property), Track> = BTreeMap::new();
        all.extend(tracks.into_iter().chain(more).map(|t| ((t.target, t.property), t)));
        let document = chain(all.into_values().collect(), Vec3::splat(scale));
        let layers = numbered(layers);
        let clip = document.clips[ClipId(0)].clone();
        let folded = fold_clip(&document.file, &clip, &layers);
        prop_assert!(folded.refused.is_empty());
        for track in folded.clip.tracks.values() {
            prop_assert!(track.validate().is_ok());
            let old = clip.track(track.target, track.property).map(|(_, t)| t);
            if let Some(old) =
                old.filter(|_| !is_keyed(&layers, track.target)
                    && track.property != Property::Translation) {
                prop_assert_eq!(&old.times, &track.times);
                prop_assert_eq!(old.interpolation, track.interpolation);
            }
        }
        let mut with = document.clone();
        with.aids.pose_layers.insert(LayerHome::Clip(ClipId(0)), Shared::new(layers.clone()));
        prop_assert!(with.check().is_ok());
        let mut plain = document.clone();
        *plain.file.clips.get_mut(ClipId(0)).unwrap() = folded.clip.clone();
        let (mut evaluators, mut poses) =
            ([Evaluator::default(), Evaluator::default()], [Pose::default(), Pose::default()]);
        for k in 0..=1000 {
            // After its end, a clip has no effect.
            let length = if clip.length() > 0.0 { clip.length() } else { 3.2 };
            let time = f64::from(length * k as f32 / 1000.0);
            evaluators[0].update(&with, &Stack::shown(&with, Some(ClipId(0)), time), &mut poses[0]);
            evaluators[1].update(&plain, &Stack::shown(&plain, Some(ClipId(0)), time),
                &mut poses[1]);
            for node in 0..3 {
                let [a, b] = [0, 1].map(|i: usize| poses[i].local[node].transform());
                let exact = !is_keyed(&layers, NodeId(node as u32));
                let angle = angle_between(a.rotation, b.rotation);
                prop_assert!(angle <= if exact { 2e-5 } else { 0.1f32.to_radians() },
                    "turn {angle} at {time}, {exact}");
                let parent = if node == 0 { 1.0 } else { scale.abs() };
                let way = a.translation.distance(b.translation) * parent;
                prop_assert!(way <= 1.05e-4, "way {way} at {time}");
                let size = (a.scale - b.scale).abs().max_element() / a.scale.abs().max_element()
                    .max(1e-6);
                prop_assert!(size <= if exact { 2e-6 } else { 1e-3 }, "size {size} at {time}");
            }
        }
    }

    /// Under a uniform scale, a layer and its inverse cancel each other. Two half rotations equal
    /// one full rotation.
    #[test]
    fn a_layer_and_its_inverse_cancel(user in some_user(), strength in 0.2f32..=1.0,
        size in 0.3f32..3.0, turn in some_vec()) {
        let mut session = sample();
        let _ = size;
        let head = named(session.document(), "Head");
        does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "One"}));
        let (t, r, s) = (user.translation.to_array(), user.rotation.to_array(),
            user.scale.to_array());
        does(&mut session,
            json!({"do": "layer.set", "clip": "Walk", "layer": "One", "node": "Head",
                "translation": t, "rotation": r, "scale": s}));
        does(&mut session,
            json!({"do": "layer.strength", "clip": "Walk", "layer": "One", "strength": strength}));
        does(&mut session,
            json!({"do": "layer.copy", "clip": "Walk", "layer": "One", "to": "Walk"}));
        does(&mut session, json!({"do": "layer.invert", "clip": "Walk", "layer": "One 2"}));
        let walk = clip_of(session.document(), "Walk");
        let (raw, both) =
            (Pose::evaluate(session.document(),
                &Stack::of(session.document().clips.get(walk), 0.3)),
                    seen(session.document(), Some(walk), 0.3));
        let (a, b) = (raw.local[head.index()].transform(), both.local[head.index()].transform());
        prop_assert!(a.translation.distance(b.translation) < 1e-5
            && angle_between(a.rotation, b.rotation) < 1e-5, "{a:?} {b:?}");
        prop_assert!((a.scale - b.scale).abs().max_element() < 1e-5);
        // The order does not matter for rotations of one joint about one axis, and for layers on
        // different joints.
        let angle = turn.x;
        let half = PoseLayer { strength: 0.5,
            ..PoseLayer::new("",
                [(head, Transform::from_rotation(Quat::from_rotation_y(angle)))].into()) };
        let whole = PoseLayer { strength: 1.0, ..half.clone() };
        let twice = with_layers(&a, &numbered(vec![half.clone(), half]), head, 0.0);
        let once = with_layers(&a, &numbered(vec![whole]), head, 0.0);
        prop_assert!(angle_between(twice.rotation, once.rotation) < 1e-5);
    }

    /// The order of layers on different joints does not matter.
    #[test]
    fn layers_on_different_joints_can_be_reordered(a in some_user(), b in some_user(),
        tracks in prop::collection::vec(some_track(1), 0..2)) {
        let document = chain(tracks.into_iter().take(1).collect(), Vec3::ONE);
        let layer = |node: u32, user: Transform| PoseLayer::new("", [(NodeId(node), user)].into());
        let pose = |layers: Vec<PoseLayer>| {
            let mut with = document.clone();
            with.aids.pose_layers.insert(LayerHome::Clip(ClipId(0)), Shared::new(numbered(layers)));
            seen(&with, Some(ClipId(0)), 0.2)
        };
        let (one, other) =
            (pose(vec![layer(1, a), layer(2, b)]), pose(vec![layer(2, b), layer(1, a)]));
        prop_assert_eq!(one.local, other.local);
    }

    /// Undo must revert all operations on layers, and the document must stay valid.
    #[test]
    fn undo_reverts_all_layer_operations(steps in prop::collection::vec((0usize..16, 0.0f32..1.0,
        any::<bool>()), 1..12)) {
        let mut session = sample();
        let opened = bytes(&session);
        for (k, number, flag) in steps {
            let clip = if flag { json!("Walk") } else { json!("Idle") };
            let text = match k {
                0 | 1 => json!({"do": "layer.new", "clip": clip}),
                2 => json!({"do": "layer.set", "clip": clip, "layer": "Layer", "node": "*Arm",
                    "degrees": [number * 40.0, 0, 9]}),
                3 => json!({"do": "layer.strength", "clip": clip, "layer": "Layer",
                    "strength": number}),
                4 => json!({"do": "layer.strength", "clip": clip, "layer": "Layer",
                    "strength": number, "time": number}),
                5 => json!({"do": "layer.mute", "clip": clip, "layer": "Layer"}),
                6 => json!({"do": "layer.solo", "clip": clip, "layer": "Layer"}),
                7 => json!({"do": "layer.duplicate", "clip": clip, "layer": "Layer"}),
                8 => json!({"do": "layer.move", "clip": clip, "layer": "Layer", "up": true}),
                9 => json!({"do": "layer.merge_down", "clip": clip, "layer": "Layer 2"}),
                10 => json!({"do": "layer.fold", "clip": clip}),
                11 =>
                    json!({"do": "layer.zero_key", "clip": clip, "layer": "Layer", "time": number,
                        "node": "Head"}),
                12 =>
                    json!({"do": "key.set", "clip": clip, "layer": "Layer", "time": number,
                        "node": "Head", "degrees": [9, 0, 0]}),
                13 => json!({"do": "layer.copy", "clip": clip, "layer": "Layer", "to": "*"}),
                14 =>
                    json!({"do": "layer.mask", "clip": clip, "layer": "Layer", "region": "upper"}),
                _ => json!({"do": "layer.extract", "clip": clip, "other": "Walk"}),
            };
            let before = session.document().clone();
            let done = session.run_line(&line(text.clone()));
            session.document().check().unwrap();
            if !done.is_ok_and(|changed| changed) {
                prop_assert!(session.document() == &before, "{text}");
                continue;
            }
            let after = session.document().clone();
            session.undo();
            prop_assert!(session.document() == &before, "{text}");
            session.redo();
            prop_assert!(session.document() == &after, "{text}");
        }
        while session.undo().is_some() {}
        prop_assert_eq!(bytes(&session), opened);
    }
}

#[test]
fn keys_of_a_constant_layer_are_on_whole_frames() {
    let mut session = sample();
    let fps = 30.0;
    does(&mut session, json!({"do": "clip.rate", "clip": "Walk", "rate": fps}));
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [20, 0, 0]}),
    );
    does(
        &mut session,
        json!({"do": "layer.zero_key", "clip": "Walk", "layer": "Nod", "time": 0.5}),
    );
    let document = session.document();
    let (walk, head) = (clip_of(document, "Walk"), named(document, "Head"));
    let nod = document.aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    let times = nod.keys.track(head, Property::Rotation).unwrap().1.times.to_vec();
    assert_eq!(times.len(), 3, "one on each side: {times:?}");
    for time in times {
        let frame = f64::from(time) * fps;
        assert!((frame - frame.round()).abs() < 1e-3, "frame {frame}");
    }
}

#[test]
fn impossible_layer_operations_are_refused_with_the_reason() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "One"}));
    does(&mut session, json!({"do": "layer.new", "name": "Of the pose"}));
    let mut count = 0;
    for (text, why) in [
        (json!({"do": "layer.new", "clip": "Walk", "name": "One"}), "already"),
        (json!({"do": "layer.new", "clip": "Wlak"}), "Wlak"),
        (json!({"do": "layer.new", "name": "  "}), "needs a name"),
        (json!({"do": "layer.mute", "clip": "Walk", "layer": "Two"}), "layers: “One”"),
        (json!({"do": "layer.mute", "layer": "One"}), "the pose has no layer “One”"),
        (json!({"do": "layer.mute", "clip": "Idle", "layer": "One"}), "use layer.new to add one"),
        (json!({"do": "layer.strength", "clip": "Walk", "layer": "One", "strength": 2}), "0 to 1"),
        (
            json!({"do": "layer.strength", "layer": "Of the pose", "strength": 1, "time": 1}),
            "cannot have keys",
        ),
        (
            json!({"do": "layer.strength_keys", "clip": "Walk", "layer": "One", "keys": [0, 1, 1]}),
            "pairs of time and strength",
        ),
        (
            json!({"do": "layer.strength_keys", "clip": "Walk", "layer": "One",
                "keys": [0, 1, 0, 1]}),
            "at the same time",
        ),
        (
            json!({"do": "layer.strength_keys", "clip": "Walk", "layer": "One", "keys": [-1, 1]}),
            "before 0",
        ),
        (json!({"do": "layer.rename", "clip": "Walk", "layer": "One", "name": ""}), "needs a name"),
        (json!({"do": "layer.move", "clip": "Walk", "layer": "One", "place": 4}), "must be 0 to 0"),
        (json!({"do": "layer.move", "clip": "Walk", "layer": "One"}), "use either “up” or “place”"),
        (
            json!({"do": "layer.set", "clip": "Walk", "layer": "One", "node": "Haed",
                "degrees": [0, 0, 1]}),
            "Haed",
        ),
        (
            json!({"do": "layer.set", "clip": "Walk", "layer": "One", "node": "Head"}),
            "nothing to set",
        ),
        (
            json!({"do": "layer.mask", "clip": "Walk", "layer": "One", "region": "upper",
                "node": "Head"}),
            "use only one of",
        ),
        (
            json!({"do": "layer.mask", "clip": "Walk", "layer": "One", "node": "Head",
                "weights": [2]}),
            "0 to 1",
        ),
        (
            json!({"do": "layer.mask", "clip": "Walk", "layer": "One", "falloff": 2}),
            "only be used with “below”",
        ),
        (json!({"do": "layer.zero_key", "clip": "Walk", "layer": "One", "time": 0}), "is empty"),
        (json!({"do": "layer.zero_key", "layer": "Of the pose", "time": 0}), "cannot have keys"),
        (json!({"do": "layer.merge_down", "clip": "Walk", "layer": "One"}), "the lowest layer"),
        (json!({"do": "layer.fold", "clip": "Idle"}), "has no layers"),
        (json!({"do": "layer.extract", "clip": "Walk"}), "use either “other”"),
        (json!({"do": "layer.extract", "clip": "Walk", "other": "Walk"}), "are the same"),
        (json!({"do": "layer.extract", "clip": "Walk", "time": 0.5}), "no unkeyed pose"),
        (json!({"do": "layer.split", "clip": "Walk", "degrees": 0}), "0.01 to 90"),
        (json!({"do": "layer.copy", "clip": "Walk", "layer": "One", "to": "Wlak"}), "Wlak"),
        (json!({"do": "key.delete", "clip": "Walk", "layer": "Two", "time": 0}), "Two"),
        (
            json!({"do": "unkeyed.set", "clip": "Walk", "layer": "One", "time": 0, "node": "Head",
                "degrees": [1, 0, 0]}),
            "layer",
        ),
    ] {
        let said = refused(&mut session, &text);
        assert!(said.contains(why), "{text}: {said}");
        count += 1;
    }
    assert_eq!(count, 30);
    does(
        &mut session,
        json!({"do": "layer.strength", "clip": "Walk", "layer": "One", "strength": 0}),
    );
    let text = json!({"do": "pose.turn", "node": "Head", "axis": "x", "degrees": 9,
        "space": "local", "clip": "Walk", "time": 0, "layer": "One"});
    assert!(refused(&mut session, &text).contains("raise its strength"));
}

/// Layers of the pose are baked into the nodes of the file. Opening the file restores them.
#[test]
fn pose_layers_are_baked_into_nodes_and_restored() {
    let mut session = sample();
    let head = named(session.document(), "Head");
    does(&mut session, json!({"do": "pose.rotate", "node": "Head", "axis": "x", "degrees": 10}));
    does(&mut session, json!({"do": "layer.new", "name": "Tilt"}));
    does(
        &mut session,
        json!({"do": "pose.turn", "node": "Head", "axis": "z", "degrees": 25, "space": "local",
            "layer": "Tilt"}),
    );
    let posed = seen(session.document(), None, 0.0).local[head.index()].transform();
    assert_eq!(
        session.document().node(head).pose.unwrap().user,
        session.document().node(head).pose.unwrap().user
    );
    // If no layer is named, the value applies to the displayed pose. The effect of the layer is
    // subtracted.
    does(&mut session, json!({"do": "pose.set_local", "node": "Head", "rotation": [0, 0, 0, 1]}));
    let now = seen(session.document(), None, 0.0).local[head.index()].transform();
    assert!(
        angle_between(now.rotation, Quat::IDENTITY) < 1e-5
            && angle_between(posed.rotation, Quat::IDENTITY) > 0.1
    );
    session.undo();
    let saved = reopened(&session);
    assert!(
        angle_between(saved.document().node(head).local().transform().rotation, posed.rotation)
            < 1e-5
    );
    does(&mut session, json!({"do": "layer.keep", "on": true}));
    let mut kept = reopened(&session);
    assert_eq!(
        kept.document().node(head).local(),
        session.document().node(head).local(),
        "to the bit"
    );
    assert!(!kept.is_unsaved());
    assert_eq!(bytes(&kept), bytes(&session));
    does(&mut kept, json!({"do": "layer.mute", "layer": "Tilt"}));
    let muted = open_bytes(bytes(&kept).into(), None, &Progress::default()).unwrap().document;
    assert_eq!(muted.node(head).local(), session.document().node(head).local());
    // After baking, the displayed pose is the pose of the nodes.
    does(&mut session, json!({"do": "layer.fold"}));
    assert!(session.document().aids.pose_layers.is_empty());
    let folded = session.document().node(head).local().transform();
    assert!(angle_between(folded.rotation, posed.rotation) < 1e-5);
}

/// Keys of the clip are below its layers, and each layer has its own keys.
#[test]
fn clip_keys_are_below_layers_and_layers_have_their_own_keys() {
    let mut session = sample();
    let head = named(session.document(), "Head");
    let walk = clip_of(session.document(), "Walk");
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Tilt"}));
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "layer": "Tilt", "node": "Head",
            "degrees": [0, 0, 30]}),
    );
    let before = seen(session.document(), Some(walk), 0.25).local[head.index()].transform();
    // Keying the displayed pose changes nothing, whether the channel already exists or not.
    does(
        &mut session,
        json!({"do": "key.set", "clip": "Walk", "time": 0.25, "node": "Head",
            "parts": ["translation", "rotation"]}),
    );
    let after = seen(session.document(), Some(walk), 0.25).local[head.index()].transform();
    assert!(
        angle_between(before.rotation, after.rotation) < 1e-4
            && before.translation.distance(after.translation) < 1e-6
    );
    // A typed key value is the displayed value, which includes the layer.
    does(
        &mut session,
        json!({"do": "key.set", "clip": "Walk", "time": 0.25, "node": "Head",
            "rotation": [0, 0, 0, 1]}),
    );
    let after = seen(session.document(), Some(walk), 0.25).local[head.index()].transform();
    assert!(angle_between(after.rotation, Quat::IDENTITY) < 1e-4);
    // Keying an unkeyed pose keeps the displayed pose.
    does(
        &mut session,
        json!({"do": "pose.turn", "node": "Head", "axis": "y", "degrees": 20, "space": "local",
            "clip": "Walk", "time": 0.5}),
    );
    let posed = seen(session.document(), Some(walk), 0.5).local[head.index()].transform();
    let stack = Stack::shown(session.document(), Some(walk), 0.5);
    let held = session.document().aids.unkeyed(walk, 0.5).map(|(_, p)| p.clone());
    let wanted = Pose::evaluate(session.document(), &stack.with_unkeyed(held)).local[head.index()]
        .transform();
    assert!(angle_between(posed.rotation, wanted.rotation) > 0.1, "not keyed yet");
    does(&mut session, json!({"do": "key.set", "clip": "Walk", "time": 0.5, "node": "Head"}));
    let keyed = seen(session.document(), Some(walk), 0.5).local[head.index()].transform();
    assert!(angle_between(keyed.rotation, wanted.rotation) < 1e-4);
    // The layer has a nod: neutral, down, neutral. The keys of the clip stay.
    let keys = session.document().clips[walk].clone();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (0.3, 25.0), (0.6, 0.0)] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time, "node": "Head",
                "degrees": [degrees, 0, 0]}),
        );
    }
    assert_eq!(session.document().clips[walk], keys);
    let nod = session.document().aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    let (_, track) = nod.keys.track(head, Property::Rotation).unwrap();
    assert_eq!((track.times.len(), track.interpolation), (3, Interpolation::CubicSpline));
    // Dope sheet commands move and remove the keys of the layer.
    does(
        &mut session,
        json!({"do": "key.move", "clip": "Walk", "layer": "Nod", "by": 0.1, "time": 0.6}),
    );
    does(
        &mut session,
        json!({"do": "layer.zero_key", "clip": "Walk", "layer": "Nod", "time": 0.9}),
    );
    let nod = session.document().aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    let times = nod.keys.track(head, Property::Rotation).unwrap().1.times.to_vec();
    assert!(times.len() == 4 && (times[2] - 0.7).abs() < 1e-6, "{times:?}");
    // One step adds neutral keys before and after.
    let before = session.document().clone();
    does(
        &mut session,
        json!({"do": "layer.zero_key", "clip": "Walk", "layer": "Nod", "time": 0.75,
            "until": 0.85}),
    );
    let nod = session.document().aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    assert_eq!(nod.keys.track(head, Property::Rotation).unwrap().1.times.len(), 6);
    session.undo();
    assert!(session.document() == &before);
    // Keys copied from the layer are the layer's own keys. They can be pasted into another layer.
    does(
        &mut session,
        json!({"do": "key.copy", "clip": "Walk", "layer": "Nod", "from": 0, "to": 9}),
    );
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod again"}));
    does(&mut session, json!({"do": "key.paste", "clip": "Walk", "layer": "Nod again"}));
    let again = session.document().aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    assert_eq!(again.keys.track(head, Property::Rotation).unwrap().1.times.to_vec(), times);
    assert_eq!(session.document().clips[walk], keys);
    session.undo();
    session.undo();
    does(
        &mut session,
        json!({"do": "key.delete", "clip": "Walk", "layer": "Nod", "from": 0, "to": 9}),
    );
    let nod = session.document().aids.layers(LayerHome::Clip(walk)).0.last().unwrap().clone();
    assert!(nod.keys.tracks.is_empty());
    assert_eq!(session.document().clips[walk], keys);
}

#[test]
fn layers_can_store_clip_differences_and_the_residual_of_a_reduction() {
    let mut session = sample();
    let (walk, idle) = (clip_of(session.document(), "Walk"), clip_of(session.document(), "Idle"));
    does(
        &mut session,
        json!({"do": "layer.extract", "clip": "Idle", "other": "Walk", "name": "To walk"}),
    );
    let document = session.document();
    let mut worst = (0.0f32, 0.0f32);
    for k in 0..200 {
        let time = f64::from(document.clips[walk].length()) * f64::from(k) / 200.0;
        let (a, b) = (seen(document, Some(idle), time), seen(document, Some(walk), time));
        for (x, y) in a.world.iter().zip(&b.world) {
            worst.0 = worst.0.max(x.w_axis.distance(y.w_axis));
        }
        for (x, y) in a.local.iter().zip(&b.local) {
            worst.1 = worst.1.max(angle_between(x.transform().rotation, y.transform().rotation));
        }
    }
    assert!(worst.0 < 1e-3 && worst.1.to_degrees() < 0.11, "{worst:?}");
    // Half the strength gives half the rotation.
    session.undo();
    let keys = session.document().clips[walk].key_count();
    let before: Vec<Pose> =
        (0..100).map(|k| seen(session.document(), Some(walk), f64::from(k) * 0.01)).collect();
    let said = does(&mut session, json!({"do": "layer.split", "clip": "Walk", "degrees": 8}));
    assert!(said[0].contains(&keys.to_string()), "{said:?}");
    assert!(session.document().clips[walk].key_count() < keys);
    for (k, was) in before.iter().enumerate() {
        let now = seen(session.document(), Some(walk), k as f64 * 0.01);
        for (x, y) in now.local.iter().zip(&was.local) {
            let turn = angle_between(x.transform().rotation, y.transform().rotation).to_degrees();
            assert!(turn < 0.11, "{turn} at {k}");
        }
    }
}

#[test]
fn an_unkeyed_pose_can_become_a_layer_of_the_whole_clip() {
    let mut session = sample();
    let walk = clip_of(session.document(), "Walk");
    let head = named(session.document(), "Head");
    does(
        &mut session,
        json!({"do": "pose.turn", "node": "Head", "axis": "x", "degrees": 20, "space": "local",
            "clip": "Walk", "time": 0.5}),
    );
    does(&mut session, json!({"do": "layer.extract", "clip": "Walk", "time": 0.5, "name": "Down"}));
    assert!(session.document().aids.unkeyed.is_empty());
    for time in [0.1, 0.5, 0.8] {
        let raw = Pose::evaluate(
            session.document(),
            &Stack::of(session.document().clips.get(walk), time),
        );
        let now = seen(session.document(), Some(walk), time);
        let turn = angle_between(
            raw.local[head.index()].transform().rotation,
            now.local[head.index()].transform().rotation,
        );
        assert!((turn.to_degrees() - 20.0).abs() < 0.01, "{turn} at {time}");
    }
}

#[test]
fn duplicating_and_removing_a_clip_includes_its_layers() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "One"}));
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "layer": "One", "node": "Head",
            "degrees": [9, 0, 0]}),
    );
    does(&mut session, json!({"do": "clip.duplicate", "clip": "Walk", "name": "Walk 2"}));
    let copy = clip_of(session.document(), "Walk 2");
    assert_eq!(session.document().aids.layers(LayerHome::Clip(copy)).0.len(), 1);
    does(&mut session, json!({"do": "clip.retime", "clip": "Walk 2", "factor": 2}));
    does(&mut session, json!({"do": "clip.delete", "clip": "Walk 2"}));
    assert_eq!(session.document().aids.pose_layers.len(), 1);
    session.undo();
    session.document().check().unwrap();
    // The keys of the layer are retimed together with those of the clip.
    does(
        &mut session,
        json!({"do": "layer.zero_key", "clip": "Walk", "layer": "One", "time": 0.2}),
    );
    let times = |session: &Session| -> Vec<f32> {
        let layers =
            session.document().aids.layers(LayerHome::Clip(clip_of(session.document(), "Walk")));
        layers.0[0].keys.tracks.values().flat_map(|t| t.times.to_vec()).collect()
    };
    let before = times(&session);
    does(&mut session, json!({"do": "clip.retime", "clip": "Walk", "factor": 2}));
    assert!(before.iter().zip(times(&session)).all(|(a, b)| (a * 2.0 - b).abs() < 1e-5));
}

/// For every clip of the corpus, a layer rotates, moves and scales two joints, and a save bakes it.
/// The saved motion must be the displayed motion.
#[test]
fn corpus_clips_with_layers_are_saved_with_the_displayed_motion() {
    let Some(shared) = shared() else { return };
    let (mut clips, mut worst) = (0, (0.0f32, 0.0f32));
    for path in models(&shared.join("corpus")) {
        let too_big = std::fs::metadata(&path).is_ok_and(|m| m.len() > 4 << 20);
        if too_big || path.components().any(|c| c.as_os_str() == "bad" || c.as_os_str() == "found")
        {
            continue;
        }
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let ids: Vec<ClipId> = session.document().clips.ids().take(2).collect();
        let mut layered = Vec::new();
        for id in ids {
            let clip = session.document().clips[id].clone();
            let mut nodes: Vec<NodeId> = clip
                .tracks
                .values()
                .filter(|t| t.property != Property::Weights)
                .map(|t| t.target)
                .collect();
            // One of the nodes is not animated by the clip.
            nodes.extend(
                session
                    .document()
                    .node_ids()
                    .find(|n| clip.tracks.values().all(|t| t.target != *n)),
            );
            nodes.retain(|n| clip.kept.iter().all(|(k, _)| k != n));
            nodes.dedup();
            let Some(first) = nodes.first() else { continue };
            let picked = [*first, nodes[nodes.len() / 2], nodes[nodes.len() - 1]];
            let names: Vec<String> = picked.iter().map(|n| format!("#{}", n.0)).collect();
            let clip = format!("#{}", id.0);
            does(&mut session, json!({"do": "layer.new", "clip": clip, "name": "L"}));
            let size =
                session.document().node(*first).local().transform().translation.length().max(0.01)
                    * 0.1;
            does(
                &mut session,
                json!({"do": "layer.set", "clip": clip, "layer": "L", "node": names,
                    "degrees": [4, 11, -7], "scale": [1.1, 1.1, 1.1], "translation": [size, 0, 0]}),
            );
            does(
                &mut session,
                json!({"do": "layer.strength", "clip": clip, "layer": "L", "strength": 0.7}),
            );
            layered.push(id);
        }
        if layered.is_empty() {
            continue;
        }
        let saved = match session.pack("model") {
            Ok(saved) => {
                ulna_formats::gltf::open_beside(
                    saved.bytes,
                    Some(&path),
                    saved.companions.into(),
                    &Progress::default(),
                )
                .unwrap()
                .document
            }
            Err(error) => panic!("{}: {error}", path.display()),
        };
        for id in layered {
            let (way, angle) = apart(session.document(), id, &saved, 200);
            let rest = Pose::evaluate(session.document(), &Stack::default());
            let size = rest.world.iter().map(|m| m.w_axis.truncate().length()).fold(0.01, f32::max);
            assert!(
                way <= 2e-3 * size.max(1.0) && angle.to_degrees() < 0.1,
                "{} clip {}: {way} {angle}",
                path.display(),
                id.0
            );
            worst = (worst.0.max(way / size.max(1.0)), worst.1.max(angle));
            clips += 1;
        }
    }
    eprintln!(
        "{clips} clips, at most {:.2e} of the size and {:.4}° off",
        worst.0,
        worst.1.to_degrees()
    );
    assert!(clips >= 50, "{clips} clips");
}

#[test]
fn baking_keeps_a_layer_rotation_for_every_interpolation() {
    let mut folder = Folder::default();
    let mut cases = 0;
    for interpolation in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline] {
        for property in Property::TRS {
            let keys = [
                (0.0, Vec3::ZERO),
                (0.4, Vec3::new(0.5, 0.2, -0.4)),
                (1.0, Vec3::new(-0.3, 0.6, 0.1)),
            ];
            let mut document = chain(vec![track(1, property, interpolation, &keys)], Vec3::ONE);
            let layer = PoseLayer::new("", [(NodeId(1), turned(30.0))].into())
                .named(PoseLayerId(0), "L".into());
            document
                .aids
                .pose_layers
                .insert(LayerHome::Clip(ClipId(0)), Shared::new([layer].into_iter().collect()));
            let (file, said) = folder.fold(&document);
            assert_eq!((said[&ClipId(0)].sampled, said[&ClipId(0)].exact), (0, 1), "{property:?}");
            let (way, angle) = apart(&document, ClipId(0), &Document::from(file), 1000);
            assert!(way < 1e-6 && angle < 1e-6, "{property:?} {interpolation:?}: {way} {angle}");
            cases += 1;
        }
    }
    assert_eq!(cases, 9);
}

/// A layer of another file is imported. Joints match by name or body part, and the changes are
/// converted to their axes.
#[test]
fn a_layer_of_another_file_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = sample();
    for text in [
        json!({"do": "layer.new", "clip": "Walk", "name": "Out"}),
        json!({"do": "layer.set", "clip": "Walk", "layer": "Out", "node": "LeftUpperArm",
            "degrees": [0, 0, 12], "translation": [0, 0.02, 0]}),
        json!({"do": "key.set", "clip": "Walk", "layer": "Out", "time": 0.2, "node": "Head",
            "degrees": [10, 0, 0]}),
        json!({"do": "key.set", "clip": "Walk", "layer": "Out", "time": 0.6, "node": "Head",
            "degrees": [-10, 0, 0]}),
        json!({"do": "layer.strength", "clip": "Walk", "layer": "Out", "strength": 0.5}),
        json!({"do": "layer.keep", "on": true}),
    ] {
        does(&mut one, text);
    }
    let path = folder.path().join("one.glb");
    std::fs::write(&path, bytes(&one)).unwrap();
    let mut two = sample();
    let opened = bytes(&two);
    let text =
        json!({"do": "layer.import", "path": path, "clip": "Walk", "layer": "Out", "into": "Idle"});
    does(&mut two, text.clone());
    let (walk, idle) = (clip_of(one.document(), "Walk"), clip_of(two.document(), "Idle"));
    let (a, b) = (
        one.document().aids.layers(LayerHome::Clip(walk)),
        two.document().aids.layers(LayerHome::Clip(idle)),
    );
    let (a, b) = (&a.0[0], &b.0[0]);
    assert_eq!(
        (a.strength, a.moves.keys().collect::<Vec<_>>()),
        (b.strength, b.moves.keys().collect::<Vec<_>>())
    );
    for (node, user) in a.moves.iter() {
        assert!(user.is_close(&b.moves[node], 1e-5, 1e-6), "{user:?}");
    }
    let head = named(one.document(), "Head");
    let key = |l: &PoseLayer| l.keys.track(head, Property::Rotation).unwrap().1.times.to_vec();
    assert_eq!(key(a), key(b));
    two.undo();
    assert_eq!(bytes(&two), opened, "one step");
    assert!(
        refused(
            &mut two,
            &json!({"do": "layer.import", "path": path, "clip": "Walk", "layer": "In"})
        )
        .contains("In")
    );
    assert!(
        refused(
            &mut two,
            &json!({"do": "layer.import", "path": path, "clip": "Walk", "layer": "Out"})
        )
        .contains("as “into”")
    );
    // The layer is imported into a character with other names.
    let Some(shared) = shared() else { return };
    let knight = shared.join("corpus/characters/Knight/Knight.glb");
    let mut knight = Session::open(&knight, &Progress::default()).unwrap();
    does(
        &mut knight,
        json!({"do": "layer.import", "path": path, "clip": "Walk", "layer": "Out",
            "into": "Walking_A"}),
    );
    let clip = clip_of(knight.document(), "Walking_A");
    let layers = knight.document().aids.layers(LayerHome::Clip(clip));
    let names: Vec<String> =
        layers.0[0].nodes().iter().map(|n| knight.document().node(*n).label(*n)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names.contains(&"head".to_owned()) && names.contains(&"upperarm.l".to_owned()),
        "{names:?}"
    );
}
