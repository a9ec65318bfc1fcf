//! Commands on curves: keys put onto them, full turns removed, interpolation changed with the
//! motion kept, and single angles in any order of axes.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Quat;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{
    Clip, Interpolation, KeyTangents, Property, TangentMode, Track, transform::angle_between,
};
use ulna_motion::sample_into;
use ulna_session::Session;

use crate::common::{named, run, sample};

fn line(text: &Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, line(&text))
}

/// Runs a line that changes nothing: what it said.
fn says(session: &mut Session, text: Value) -> String {
    let before = session.document().clone();
    let steps = session.history().done().len();
    assert!(!session.run_line(&line(&text)).unwrap(), "{text}");
    assert_eq!(session.history().done().len(), steps, "{text}");
    assert!(*session.document() == before, "{text}");
    session.take_notes().iter().map(|n| n.message.to_string()).collect::<Vec<_>>().join("; ")
}

fn clip(session: &Session) -> &Clip {
    session.document().clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap()
}

fn track<'a>(session: &'a Session, node: &str, property: Property) -> &'a Track {
    clip(session).track(named(session.document(), node), property).unwrap().1
}

/// Largest distance of two tracks at 1,000 times: degrees of turn, or units.
fn apart(a: &Track, b: &Track) -> f32 {
    let (first, last) = (f64::from(a.times[0]), f64::from(a.times[a.times.len() - 1]));
    let (mut x, mut y) = (vec![0.0; a.width], vec![0.0; b.width]);
    (0..1000).fold(0.0f32, |worst, k| {
        let time = first - 0.1 + (last - first + 0.2) * f64::from(k) / 999.0;
        sample_into(a, time, &mut x);
        sample_into(b, time, &mut y);
        let off = if a.property == Property::Rotation {
            angle_between(Quat::from_slice(&x), Quat::from_slice(&y)).to_degrees()
        } else {
            x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        worst.max(off)
    })
}

#[test]
fn keys_are_put_onto_curves_that_keep_their_shape() {
    for (interpolation, most) in [("linear", 0.002), ("hold", 0.002), ("smooth", 0.02)] {
        let mut session = sample();
        does(
            &mut session,
            json!({"do": "track.interpolation", "clip": "Walk", "interpolation": interpolation}),
        );
        let before = clip(&session).clone();
        let times = track(&session, "Hips", Property::Rotation).times.to_vec();
        let at = (times[1] + times[2]) * 0.5 + 0.007;
        let said = does(
            &mut session,
            json!({"do": "key.insert", "clip": "Walk", "time": at, "exact": true}),
        );
        assert!(said[0].contains("inserted"), "{said:?}");
        let now = clip(&session).clone();
        for (id, old) in &before.tracks {
            let new = &now.tracks[id];
            assert!(new.key_at(at, 1e-4).is_some(), "{interpolation} {:?}", old.property);
            assert_eq!(new.interpolation, old.interpolation);
            let off = apart(old, new);
            assert!(off < most, "{interpolation} {:?}: {off}", old.property);
        }
        let again = says(
            &mut session,
            json!({"do": "key.insert", "clip": "Walk", "time": at, "exact": true}),
        );
        assert!(again.contains("a key is there already"), "{again}");
        session.undo();
        assert!(*clip(&session) == before);
    }
}

#[test]
fn new_keys_of_components_are_selected_and_can_have_a_mode() {
    let mut session = sample();
    let smooth = json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
    does(&mut session, smooth);
    let times = track(&session, "Hips", Property::Rotation).times.to_vec();
    let (a, b) = ((times[0] + times[1]) * 0.5, (times[2] + times[3]) * 0.5);
    does(
        &mut session,
        json!({"do": "key.insert", "clip": "Walk", "tangents": "flat",
            "keys": {"Hips": {"rotation.x": [a, b], "rotation.z": [b], "translation": [a]}}}),
    );
    let hips = track(&session, "Hips", Property::Rotation);
    for time in [a, b] {
        assert_eq!(hips.modes.of(time), Some(KeyTangents::both(TangentMode::Flat)), "{time}");
    }
    let (_, keys) = session.take_selected_keys().unwrap();
    let id =
        |property| clip(&session).track(named(session.document(), "Hips"), property).unwrap().0;
    let (turn, shift) = (id(Property::Rotation), id(Property::Translation));
    assert_eq!((&*keys.times_of(turn, 0), &*keys.times_of(turn, 2)), (&[a, b][..], &[b][..]));
    assert!(keys.times_of(turn, 1).is_empty());
    assert!(keys.is_whole(shift, a) && !keys.contains(shift, b));
    let text = json!({"do": "key.insert", "clip": "Walk", "time": 0.1, "keys": {"Hips":
        {"rotation": [0.1]}}});
    let refused = session.run_line(&line(&text)).unwrap_err();
    assert_eq!(refused.code(), "arguments_exclusive");
    let text = json!({"do": "key.insert", "clip": "Walk", "time": 0.1, "parts": ["weights"]});
    assert_eq!(session.run_line(&line(&text)).unwrap_err().code(), "no_curve_there");
    let text = json!({"do": "key.insert", "clip": "Walk", "time": -0.1});
    assert_eq!(session.run_line(&line(&text)).unwrap_err().code(), "argument_out_of_range");
}

#[test]
fn keys_are_put_onto_curves_of_layers() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (1.0, 20.0)] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time, "node": "Head",
                "degrees": [degrees, 0, 0]}),
        );
    }
    let keys = |session: &Session| {
        let layers = session.document().aids.pose_layers.values().next().unwrap().clone();
        let layer = layers.iter().next().unwrap();
        (**layer.keys.tracks.values().next().unwrap()).clone()
    };
    let before = keys(&session);
    let walk = clip(&session).clone();
    let said = does(
        &mut session,
        json!({"do": "key.insert", "clip": "Walk", "layer": "Nod", "times": [0.3, 0.6],
            "node": "Head"}),
    );
    assert_eq!(said[0], "2 keys inserted");
    let now = keys(&session);
    assert_eq!(now.times.len(), before.times.len() + 2);
    assert!(apart(&before, &now) < 0.02, "{}", apart(&before, &now));
    assert!(*clip(&session) == walk);
    session.undo();
    assert!(keys(&session) == before);
}

#[test]
fn full_turns_between_rotation_keys_are_removed() {
    let mut session = sample();
    let none = says(&mut session, json!({"do": "track.euler_filter", "clip": "Walk"}));
    assert!(none.contains("no full turns"), "{none}");
    let smooth = json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
    does(&mut session, smooth);
    let (id, clip_id) = {
        let document = session.document();
        let clip_id =
            document.clips.ids().find(|c| document.clips[*c].name.as_deref() == Some("Walk"));
        let hips = named(document, "Hips");
        (clip(&session).track(hips, Property::Rotation).unwrap().0, clip_id.unwrap())
    };
    let before = track(&session, "Hips", Property::Rotation).clone();
    let mut values = before.values.to_vec();
    values[12..24].iter_mut().for_each(|v| *v = -*v);
    let flipped = Track { values: values.into(), ..before.clone() };
    let edit = ulna_edit::Edit::SetTrack {
        clip: clip_id,
        track: id,
        to: Some(ulna_model::Shared::new(flipped.clone())),
    };
    session.preview("Other sign", vec![edit]).unwrap();
    assert!(session.commit());
    assert!(apart(&before, &flipped) > 30.0);
    let said = does(&mut session, json!({"do": "track.euler_filter", "clip": "Walk"}));
    assert!(said[0].starts_with("1 key of 1 channel changed sign"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    assert!(now.same_keys(&before));
    session.undo();
    assert!(track(&session, "Hips", Property::Rotation).same_keys(&flipped));
}

#[test]
fn interpolation_changes_and_the_motion_stays() {
    let mut session = sample();
    let before = clip(&session).clone();
    let to = |interpolation: &str, more: Value| {
        let mut text = json!({"do": "track.interpolation", "clip": "Walk",
            "interpolation": interpolation});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text
    };
    let said = does(&mut session, to("smooth", json!({"keep_motion": true})));
    assert!(said[0].contains("tracks converted; the motion differs by at most 0.0"), "{said:?}");
    for (id, old) in &before.tracks {
        let new = &clip(&session).tracks[id];
        assert_eq!(new.interpolation, Interpolation::CubicSpline);
        assert!(apart(old, new) < 0.2, "{:?}: {}", old.property, apart(old, new));
    }
    let said = does(&mut session, to("linear", json!({"keep_motion": true})));
    assert!(said[0].contains("tracks converted"), "{said:?}");
    for (id, old) in &before.tracks {
        assert!(clip(&session).tracks[id].same_keys(old), "{:?}", old.property);
    }
    let same = says(&mut session, to("linear", json!({"keep_motion": true})));
    assert!(same.contains("already"), "{same}");
    // Only one segment; the rest is stored as splines that move as before.
    let hips = track(&session, "Hips", Property::Rotation).clone();
    let keys = json!({"Hips": {"rotation": [hips.times[1]]}});
    let said = does(&mut session, to("smooth", json!({"spans": true, "keys": keys})));
    let others = hips.times.len() - 2;
    assert!(said[0].starts_with(&format!("1 track converted; {others} other segments kept")));
    assert!(said[0].contains("as splines"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for k in 0..1000 {
        let time = f64::from(hips.times[0]) + 3.0 * f64::from(k) / 999.0;
        let inside = (f64::from(hips.times[1])..f64::from(hips.times[2])).contains(&time);
        sample_into(&hips, time, &mut a);
        sample_into(now, time, &mut b);
        let off = angle_between(Quat::from_array(a), Quat::from_array(b)).to_degrees();
        assert!(inside || off < 0.2, "{time}: {off}");
    }
    assert_eq!(now.modes.of(hips.times[1]).unwrap().leave, TangentMode::Auto);
    session.undo();
    // A step in a linear track: one key more, and it is said.
    let said = does(&mut session, to("hold", json!({"spans": true, "keys": keys})));
    assert!(said[0].contains("; 1 key added"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    assert_eq!(now.times.len(), hips.times.len() + 1);
    assert_eq!(now.interpolation, Interpolation::Linear);
}
