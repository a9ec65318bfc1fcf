//! Tangent modes of keys. They are restored from a saved file, and dropped if another program
//! changed the keys. Only the edited channel changes. Command lines on single components of keys
//! replay to the same document.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::{
    CommandLine,
    command::{
        AxisOrder, ChangeKeys, ValueHow, WhichKeys,
        field::{ClipName, Numbers},
    },
};
use ulna_model::{
    Clip, ClipId, Document, Interpolation, KeySet, KeyTangents, KeyTimes, LayerHome, Property,
    TangentMode, Track,
};
use ulna_session::Session;

use super::file_motion::Raw;
use crate::common::{glb, named, run, sample, split};

fn line(text: &Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

fn does(session: &mut Session, text: &Value) -> Vec<String> {
    run(session, line(text))
}

fn walk(document: &Document) -> &Clip {
    document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap()
}

fn track<'a>(document: &'a Document, node: &str, property: Property) -> &'a Track {
    walk(document).track(named(document, node), property).unwrap().1
}

fn bytes(session: &Session) -> Vec<u8> {
    session.pack("model").unwrap().bytes.to_vec()
}

/// Returns the channels of all animations of a file, with numbers as bits.
fn channels(bytes: &[u8]) -> Vec<(u32, Property, String, Vec<u64>)> {
    let (json, bin) = split(bytes);
    let count = json["animations"].as_array().unwrap().len();
    let raw = Raw { json, buffers: vec![bin] };
    let all = (0..count).flat_map(|k| raw.motions(k));
    all.map(|(node, property, motion)| {
        let numbers = motion.times.iter().chain(&motion.values).map(|v| v.to_bits()).collect();
        (node.0, property, motion.kind, numbers)
    })
    .collect()
}

/// Joints and channels that the tests edit.
const EDITED: [(&str, Property); 3] = [
    ("Hips", Property::Translation),
    ("Hips", Property::Rotation),
    ("LeftUpperArm", Property::Rotation),
];

/// Generates a change of a channel's tangents, for a range of keys.
fn changes() -> impl Strategy<Value = (usize, Value, usize, usize)> {
    let modes = ["auto", "smooth", "flat", "linear", "free", "broken", "straight", "sharp"];
    let how = prop_oneof![
        (prop::sample::select(modes.to_vec()), prop::sample::select(vec!["in", "out", "both"]))
            .prop_map(|(mode, side)| json!({"do": "key.tangents", "tangents": mode,
                "side": side})),
        (prop::sample::select(vec!["in", "out", "both"]), -90.0f32..90.0)
            .prop_map(|(side, slope)| json!({"do": "key.slope", "side": side, "slope": slope,
                "order": "YXZ"})),
        Just(json!({"do": "key.tangents", "tangents": "auto", "linked": false})),
    ];
    (0..EDITED.len(), how, 0usize..8, 0usize..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn tangent_modes_are_saved_and_restored_and_other_channels_are_unchanged(
        list in prop::collection::vec(changes(), 1..5),
    ) {
        let mut session = sample();
        let before = channels(&bytes(&session));
        let mut states = vec![session.document().clone()];
        let mut meant = Vec::new();
        for (channel, text, from, to) in list {
            let (node, property) = EDITED[channel];
            let times = track(session.document(), node, property).times.to_vec();
            let (from, to) = (from.min(to) % times.len(), (from.max(to) % times.len()) + 1);
            let mut text = text;
            text["clip"] = json!("Walk");
            text["keys"] = json!({node: {property.path(): times[from.min(to - 1)..to]}});
            if session.run_line(&line(&text)).is_ok_and(|done| done) {
                states.push(session.document().clone());
                meant.push((named(session.document(), node).0, property));
            }
        }
        // Saves the file and opens it again.
        let file = bytes(&session);
        let again = Session::open_bytes(&file).unwrap();
        prop_assert!(!again.diagnostics.iter().any(|d| d.code == "ULNA_TANGENT_MODES"));
        for (id, track) in &walk(session.document()).tracks {
            let now = &walk(again.document()).tracks[id];
            prop_assert!(now.same_keys(track));
            prop_assert_eq!(now.modes_there(), track.modes_there());
        }
        prop_assert_eq!(bytes(&again), file.clone(), "as it was opened");
        for (was, is) in before.iter().zip(channels(&file)) {
            prop_assert!(*was == is || meant.contains(&(is.0, is.1)), "{:?} {:?}", is.0, is.1);
        }
        // After all steps are undone one by one, the bytes equal those of the opened file.
        for before in states.iter().rev().skip(1) {
            prop_assert!(session.undo().is_some());
            prop_assert!(session.document() == before);
        }
        prop_assert!(bytes(&session) == include_bytes!("../../assets/mannequin.glb").as_slice());
    }
}

/// Simulates another program that changes one key: the last output number of a channel.
fn moved(file: &[u8], node: u32, property: Property) -> Vec<u8> {
    let (json, mut bin) = split(file);
    let animations = json["animations"].as_array().unwrap();
    let walk = animations.iter().find(|a| a["name"] == "Walk").unwrap();
    let channel = walk["channels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["target"]["node"] == node && c["target"]["path"] == property.path());
    let sampler = &walk["samplers"][channel.unwrap()["sampler"].as_u64().unwrap() as usize];
    let output = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][output["bufferView"].as_u64().unwrap() as usize];
    let offset = |v: &Value| v["byteOffset"].as_u64().unwrap_or(0) as usize;
    let start = offset(output) + offset(view);
    let old = f32::from_le_bytes(bin[start..start + 4].try_into().unwrap());
    bin[start..start + 4].copy_from_slice(&(old + 0.125).to_le_bytes());
    glb(json, &bin)
}

#[test]
fn tangent_modes_of_keys_that_another_program_moved_are_dropped_with_a_note() {
    let mut session = sample();
    for node in ["Hips", "LeftUpperArm"] {
        let text = json!({"do": "key.tangents", "clip": "Walk", "tangents": "smooth",
            "node": node, "parts": ["rotation"]});
        does(&mut session, &text);
    }
    let file = bytes(&session);
    let hips = named(session.document(), "Hips");
    let other = Session::open_bytes(&moved(&file, hips.0, Property::Rotation)).unwrap();
    let keys = track(session.document(), "Hips", Property::Rotation).times.len();
    let said: Vec<_> =
        other.diagnostics.iter().filter(|d| d.code == "ULNA_TANGENT_MODES").collect();
    assert_eq!(said.len(), 1);
    assert!(
        said[0].message.contains(&format!("of {keys} keys are ignored")),
        "{}",
        said[0].message
    );
    assert!(track(other.document(), "Hips", Property::Rotation).modes.is_empty());
    let arm = track(other.document(), "LeftUpperArm", Property::Rotation);
    assert!(
        arm.times
            .iter()
            .all(|t| { arm.modes.of(*t).is_some_and(|m| m.arrive == TangentMode::Smooth) })
    );
    // Unknown modes must not be guessed.
    let now = track(other.document(), "Hips", Property::Rotation);
    let own = track(session.document(), "Hips", Property::Rotation);
    let differ = now.values.iter().zip(own.values.iter()).filter(|(a, b)| a != b).count();
    assert_eq!(differ, 1);
}

#[test]
fn reversing_swaps_tangent_sides_and_scaling_time_divides_tangents() {
    let mut session = sample();
    let times = track(session.document(), "Hips", Property::Rotation).times.to_vec();
    does(&mut session, &json!({"do": "key.tangents", "clip": "Walk", "tangents": "auto"}));
    for (tangents, side, at) in [("flat", "in", 1), ("linear", "out", 1), ("smooth", "both", 2)] {
        let text = json!({"do": "key.tangents", "clip": "Walk", "tangents": tangents, "side": side,
            "keys": {"Hips": {"rotation": [times[at]]}}});
        does(&mut session, &text);
    }
    let text = json!({"do": "key.slope", "clip": "Walk", "slope": 40, "order": "XYZ",
        "keys": {"Hips": {"rotation.x": [times[3]]}}});
    does(&mut session, &text);
    let before = track(session.document(), "Hips", Property::Rotation).clone();
    assert_eq!(before.interpolation, Interpolation::CubicSpline);
    let (width, stride) = (4, before.stride());
    let key = |t: &Track, k: usize| t.values[k * stride..(k + 1) * stride].to_vec();
    let near = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * (1.0 + a.abs()))
    };
    // Scaling time divides the slopes, and moves the modes to the scaled times.
    let text = json!({"do": "key.scale", "clip": "Walk", "factor": 2.5, "about": 0});
    does(&mut session, &text);
    let scaled = track(session.document(), "Hips", Property::Rotation);
    for k in 0..before.times.len() {
        let (was, is) = (key(&before, k), key(scaled, k));
        assert_eq!(is[width..2 * width], was[width..2 * width]);
        for side in [0, 2 * width] {
            let divided: Vec<f32> = was[side..side + width].iter().map(|v| v / 2.5).collect();
            let now = &is[side..side + width];
            assert!(near(&divided, now), "key {k}: {divided:?} {now:?}");
        }
        assert_eq!(scaled.modes.of(scaled.times[k]), before.modes.of(before.times[k]));
    }
    session.undo();
    // Reversing swaps the sides of each key, and negates the slopes.
    does(&mut session, &json!({"do": "clip.reverse", "clip": "Walk"}));
    let reversed = track(session.document(), "Hips", Property::Rotation);
    let last = before.times.len() - 1;
    for k in 0..=last {
        let (was, is) = (key(&before, k), key(reversed, last - k));
        let negated = |side: usize| was[side..side + width].iter().map(|v| -v).collect::<Vec<_>>();
        assert!(near(&negated(0), &is[2 * width..]) && near(&negated(2 * width), &is[..width]));
        let modes = before.modes.of(before.times[k]).map(KeyTangents::reversed);
        assert_eq!(reversed.modes.of(reversed.times[last - k]), modes);
    }
}

#[test]
fn layers_keep_their_tangent_modes_in_the_file() {
    let mut session = sample();
    does(&mut session, &json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (0.4, 25.0), (0.8, 0.0)] {
        let text = json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time,
            "node": "Head", "degrees": [degrees, 0, 0]});
        does(&mut session, &text);
    }
    for (tangents, side) in [("flat", "in"), ("linear", "out")] {
        let text = json!({"do": "key.tangents", "clip": "Walk", "layer": "Nod", "side": side,
            "tangents": tangents, "keys": {"Head": {"rotation": [0.4]}}});
        does(&mut session, &text);
    }
    let text = json!({"do": "key.slope", "clip": "Walk", "layer": "Nod", "slope": 30,
        "order": "XYZ", "keys": {"Head": {"rotation.x": [0]}}});
    does(&mut session, &text);
    does(&mut session, &json!({"do": "layer.keep", "on": true}));
    let again = Session::open_bytes(&bytes(&session)).unwrap();
    let nod = |document: &Document| {
        let home = LayerHome::Clip(
            document
                .clips
                .ids()
                .find(|c| document.clips[*c].name.as_deref() == Some("Walk"))
                .unwrap(),
        );
        let layers = document.aids.layers(home);
        let layer = layers.iter().next().unwrap().clone();
        (**layer.keys.tracks.values().next().unwrap()).clone()
    };
    let (was, now) = (nod(session.document()), nod(again.document()));
    assert!(now.same_keys(&was));
    assert_eq!(now.modes_there(), was.modes_there());
    let middle = now.modes.of(now.times[1]).unwrap();
    assert_eq!((middle.arrive, middle.leave), (TangentMode::Flat, TangentMode::Linear));
}

/// Generates commands on single components of keys.
fn component_lines() -> impl Strategy<Value = Value> {
    let channel = prop::sample::select(vec![
        ("Hips", "rotation.x"),
        ("Hips", "rotation.z"),
        ("Hips", "rotation.w"),
        ("Hips", "translation.y"),
        ("LeftUpperArm", "rotation.y"),
        ("Head", "rotation"),
    ]);
    let what = prop_oneof![
        (-30.0f64..30.0).prop_map(|by| json!({"do": "key.value", "how": "add", "by": [by]})),
        (0.5f64..2.0)
            .prop_map(|by| json!({"do": "key.value", "how": "scale", "by": [by], "about": "mean",
                "axes": "ZXY"})),
        (-30.0f64..30.0)
            .prop_map(|s| json!({"do": "key.slope", "slope": s, "order": "YZX", "side": "out"})),
        (-1.0f64..1.0)
            .prop_map(|a| json!({"do": "key.slide", "how": "scale from average", "amount": a})),
        Just(json!({"do": "key.ease", "shape": "bounce", "way": "out"})),
        Just(json!({"do": "key.insert"})),
        Just(json!({"do": "key.tangents", "tangents": "smooth"})),
        Just(json!({"do": "track.interpolation", "interpolation": "smooth", "spans": true})),
        (1.0f64..9.0).prop_map(|by| json!({"do": "key.proportional", "how": "add", "by": [by],
                "radius": 0.2})),
        Just(json!({"do": "track.filter", "filter": "smooth", "axes": "ZYX"})),
        Just(json!({"do": "key.move", "by": 0.004})),
    ];
    (channel, what, 0usize..6, 2usize..5).prop_map(|((node, channel), what, from, count)| {
        let mut text = what;
        text["clip"] = json!("Walk");
        text["at"] = json!([node, channel, from, count]);
        text
    })
}

/// Fills in the keys of a line: some keys of a channel, or the range for new keys.
fn with_keys(document: &Document, mut text: Value) -> Value {
    let at = text.as_object_mut().unwrap().remove("at").unwrap();
    let (node, channel) = (at[0].as_str().unwrap(), at[1].as_str().unwrap());
    let property = match channel.split('.').next() {
        Some("translation") => Property::Translation,
        _ => Property::Rotation,
    };
    let times = track(document, node, property).times.to_vec();
    let from = at[2].as_u64().unwrap() as usize % (times.len() - 1);
    let to = (from + at[3].as_u64().unwrap() as usize).min(times.len() - 1);
    let mut keys = times[from..=to].to_vec();
    if text["do"] == "key.insert" {
        keys = keys.windows(2).map(|w| f32::midpoint(w[0], w[1])).collect();
    }
    text["keys"] = json!({node: {channel: keys}});
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn command_lines_on_components_replay_to_the_same_document(
        list in prop::collection::vec(component_lines(), 1..8),
    ) {
        let mut session = sample();
        let mut done = 0;
        for text in list {
            let text = with_keys(session.document(), text);
            done += usize::from(session.run_line(&line(&text)).is_ok_and(|done| done));
        }
        let mut again = sample();
        for step in session.history().done() {
            for line in &step.lines(session.document()) {
                let line = CommandLine::parse(&line.to_string()).unwrap();
                again.run_line(&line).unwrap();
            }
        }
        prop_assert!(again.document() == session.document(), "{done} steps");
        prop_assert_eq!(again.history().done().len(), done);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// Keys are selected by track and exact time, as in the window; some of them by single
    /// components.
    #[test]
    fn keys_by_id_are_written_as_equivalent_command_lines(
        picks in prop::collection::vec((0usize..3, 0u16..4, 0usize..9, 1usize..7), 1..6),
        by in -20.0f64..20.0,
    ) {
        let mut session = sample();
        let document = session.document().clone();
        let is_walk = |c: &ClipId| document.clips[*c].name.as_deref() == Some("Walk");
        let clip = document.clips.ids().find(is_walk).unwrap();
        let mut keys = KeySet::default();
        for (channel, component, from, count) in picks {
            let (node, property) = EDITED[channel];
            let (id, track) = document.clips[clip].track(named(&document, node), property).unwrap();
            let from = from % track.times.len();
            let to = (from + count).min(track.times.len());
            let times = KeyTimes::part(&track.times, from..to);
            // Component number 3 selects whole keys.
            let own = match component {
                3 => {
                    let mut whole = KeySet::default();
                    whole.set(id, times);
                    whole
                }
                component => KeySet::of_component(id, component, times),
            };
            keys = keys.union(&own);
        }
        let command = ChangeKeys {
            clip: ClipName::Id(clip),
            how: ValueHow::Add,
            by: Numbers(vec![by]),
            about: None,
            order: Some(AxisOrder::Yxz),
            which: WhichKeys::these(clip, keys),
        };
        session.preview_all("Change", &[command.into()]).unwrap();
        prop_assert!(session.commit());
        let lines = session.history().done()[0].lines(session.document());
        let mut again = sample();
        for line in &lines {
            again.run_line(&CommandLine::parse(&line.to_string()).unwrap()).unwrap();
        }
        prop_assert!(again.document() == session.document(), "{lines:?}");
    }
}
