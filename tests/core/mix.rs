//! Clips on lanes, by commands and in files: refusals, results, bakes, and the stored data.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use ulna_edit::{
    CommandLine,
    command::{mix_of, named_mix, read_mix},
};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, Mix, NodeId, Shared, transform::angle_between};
use ulna_motion::{Mixer, Pose, Stack, best_seams, foot_slides, ground_place, ground_speed};
use ulna_session::Session;

use crate::common::{run, sample};

fn mix(document: &Document, spec: &Value) -> Shared<Mix> {
    Shared::new(read_mix(document, spec).unwrap())
}

fn seen(document: &Document, mix: &Shared<Mix>, time: f64) -> Pose {
    Pose::evaluate(document, &Mixer::default().stack(document, mix, time))
}

fn named(document: &Document, name: &str) -> ClipId {
    document.clips.iter().find(|(_, c)| c.name.as_deref() == Some(name)).unwrap().0
}

/// Returns the largest distance between joints of two poses, in meters.
fn apart(a: &Pose, b: &Pose) -> f32 {
    a.world.iter().zip(&b.world).map(|(a, b)| a.w_axis.distance(b.w_axis)).fold(0.0, f32::max)
}

#[test]
fn an_invalid_mix_is_refused_with_the_reason() {
    let mut session = sample();
    let bar = |more: Value| {
        let mut bar = json!({"plays": {"clip": "Walk"}, "length": 2});
        bar.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"lanes": [{"name": "Body", "bars": [bar]}]})
    };
    let mut refused = 0;
    for (spec, why) in [
        (json!("nothing"), "mix is invalid"),
        (json!({"lanes": 3}), "mix is invalid"),
        (json!({}), "lanes"),
        (json!([]), "a list"),
        (json!({"layers": []}), "unknown field"),
        (bar(json!({"plays": {"clip": "Wlak"}})), "Wlak"),
        (bar(json!({"speeed": 1})), "speeed"),
        (bar(json!({"length": 0})), "lane “Body”, bar 1"),
        (bar(json!({"start": -1})), "start at 0"),
        (bar(json!({"fade_in": -1})), "length of a fade"),
        (bar(json!({"weight": 1.5})), "from 0 to 1"),
        (bar(json!({"weight": -0.5})), "from 0 to 1"),
        (bar(json!({"enter": "jump"})), "jump"),
        (bar(json!({"mask": {"below": {"joint": "Haed"}}})), "Haed"),
        (bar(json!({"mask": {"painted": {"Head": 2}}})), "painted"),
        (bar(json!({"plays": {"blend": {"points": [], "value": 1}}})), "has no clip"),
        (bar(json!({"plays": {"plane": {"points": [], "value": [1, 0]}}})), "has no clip"),
        (
            bar(json!({"plays": {"plane": {"points": [["Walk", [0, 1e99]]], "value": [1, 0]}}})),
            "not a finite number",
        ),
        (
            bar(json!({"plays": {"plane": {"points": [["Walk", 1]], "value": [1, 0]}}})),
            "mix is invalid",
        ),
        (
            bar(json!(
                    {"plays": {"plane": {"points": vec![json!(["Walk", [0, 1]]); 65],
                        "value": [1, 0]}}})),
            "64",
        ),
    ] {
        let line = CommandLine::new("mix.set").with("mix", spec.clone());
        let said = session.run_line(&line).unwrap_err().to_string();
        assert!(said.contains(why), "{spec}: {said}");
        refused += 1;
    }
    assert_eq!(refused, 20);
    assert!(session.document().aids.mix.is_none() && !session.is_unsaved());
    for line in ["mix.bake", "mix.keep"] {
        let said = session.run_line(&CommandLine::new(line)).unwrap_err().to_string();
        assert!(said.contains("the mix is empty"), "{said}");
    }
}

#[test]
fn a_single_bar_plays_its_clip_and_a_deleted_clip_has_no_effect() {
    let mut session = sample();
    let walk = named(session.document(), "Walk");
    let spec = json!({"lanes": [{"bars": [{"plays": {"clip": "Walk"}, "length": 3}]}]});
    run(&mut session, CommandLine::new("mix.set").with("mix", spec));
    let document = session.document();
    let mix = mix_of(document).unwrap();
    let length = f64::from(document.clips[walk].length());
    for k in 0..50 {
        let time = length * f64::from(k) / 50.0;
        let alone = Pose::evaluate(document, &Stack::of(Some(&document.clips[walk]), time));
        assert_eq!(seen(document, &mix, time).local, alone.local);
    }
    // The text form of the mix is read as the same mix.
    let text = serde_json::to_value(named_mix(document, &mix)).unwrap();
    assert_eq!(read_mix(document, &text).unwrap(), *mix);
    run(&mut session, CommandLine::new("clip.delete").with("clip", "Walk"));
    let document = session.document();
    let rest = Pose::evaluate(document, &Stack::default());
    assert_eq!(seen(document, &mix_of(document).unwrap(), 0.3).local, rest.local);
    while session.undo().is_some() {}
    assert!(!session.is_unsaved() && session.document().aids.mix.is_none());
}

#[test]
fn layering_two_clips_plays_one_below_and_the_other_above_the_waist() {
    let mut session = sample();
    let clips: Vec<String> =
        session.document().clips.ids().map(|id| session.document().clip_label(id)).collect();
    let (below, above) = ("Walk", clips.iter().find(|c| *c != "Walk").unwrap().as_str());
    run(&mut session, CommandLine::new("mix.over").with("clip", below).with("over", above));
    let document = session.document();
    let mix = mix_of(document).unwrap();
    assert_eq!(mix.lanes.len(), 2);
    let time = 0.31;
    let made = seen(document, &mix, time);
    let alone = |name: &str| {
        Pose::evaluate(document, &Stack::of(Some(&document.clips[named(document, name)]), time))
    };
    let (one, other) = (alone(below), alone(above));
    let at = |name: &str| {
        document.node_ids().find(|n| document.node(*n).label(*n) == name).unwrap().index()
    };
    let mut upper = 0;
    for name in ["Hips", "LeftUpperLeg", "RightLowerLeg", "LeftFoot"] {
        let k =
            document.node_ids().find(|n| document.node(*n).label(*n) == name).map(NodeId::index);
        if let Some(k) = k {
            assert_eq!(made.local[k], one.local[k], "{name}");
            upper += 1;
        }
    }
    for name in ["Spine", "Head", "LeftHand", "RightUpperArm"] {
        let k =
            document.node_ids().find(|n| document.node(*n).label(*n) == name).map(NodeId::index);
        if let Some(k) = k {
            let driven = document.clips[named(document, above)]
                .tracks
                .values()
                .any(|t| t.target.index() == k);
            assert_eq!(made.local[k], if driven { other.local[k] } else { one.local[k] }, "{name}");
            upper += 1;
        }
    }
    assert!(upper >= 6 && at("Head") > 0, "{upper}");
    let gone = CommandLine::new("mix.go")
        .with("clip", below)
        .with("time", 0.2)
        .with("when", "end")
        .with("how", "inertial");
    run(&mut session, gone);
    let mix = mix_of(session.document()).unwrap();
    let length = f64::from(session.document().clips[named(session.document(), below)].length());
    let last = mix.lanes[0].bars.last().unwrap();
    assert!((last.start - length).abs() < 1e-6 && mix.lanes[0].bars.len() == 2, "{last:?}");
}

#[test]
fn a_baked_mix_plays_like_the_mix_within_the_stated_deviation() {
    let mut session = sample();
    let clips: Vec<String> =
        session.document().clips.ids().map(|id| session.document().clip_label(id)).collect();
    let other = clips.iter().find(|c| *c != "Walk").unwrap();
    let spec = json!({"lanes": [{"bars": [
        {"plays": {"clip": "Walk"}, "length": 2},
        {"plays": {"clip": other}, "start": 0.5, "length": 2, "fade_in": 0.4, "enter": "inertial"},
        {"plays": {"clip": "Walk"}, "start": 0.7, "length": 1.8, "fade_in": 0.3},
    ]}]});
    run(&mut session, CommandLine::new("mix.set").with("mix", spec));
    let before = session.document().clips.count();
    let notes = run(
        &mut session,
        CommandLine::new("mix.bake").with("name", "Both").with("rate", 120).with("millimetres", 0),
    );
    assert!(notes.iter().any(|n| n.contains("max error of")), "{notes:?}");
    let document = session.document();
    let (mix, both) = (mix_of(document).unwrap(), named(document, "Both"));
    assert_eq!(document.clips.count(), before + 1);
    assert!((f64::from(document.clips[both].length()) - mix.length()).abs() < 1e-6);
    let mut worst = 0.0f32;
    for k in 0..=300 {
        let time = mix.length() * f64::from(k) / 300.0;
        let baked = Pose::evaluate(document, &Stack::of(Some(&document.clips[both]), time));
        worst = worst.max(apart(&seen(document, &mix, time), &baked));
    }
    let said = notes
        .iter()
        .find_map(|n| n.split("between frames: ").nth(1)?.split(' ').next()?.parse::<f32>().ok())
        .unwrap();
    assert!(worst * 1000.0 <= said + 0.3, "{} mm of {said}", worst * 1000.0);
    // With the body in place, fewer keys are needed.
    let notes = run(&mut session, CommandLine::new("mix.bake").with("in_place", true));
    assert!(notes.iter().any(|n| n.contains("keys kept")), "{notes:?}");
    let document = session.document();
    assert!(
        document.clips[named(document, "Mix")].key_count() * 2 < document.clips[both].key_count()
    );
    while session.undo().is_some() {}
    assert!(!session.is_unsaved());
}

#[test]
fn a_mix_is_saved_and_removing_it_restores_the_bytes() {
    let mut session = sample();
    let opened = session.pack("a").unwrap().bytes;
    let spec = json!(
        {"lanes": [{"name": "身", "mask": {"below": {"joint": "Spine", "falloff": 2}}, "bars": [
        {"plays": {"blend": {"points": [["Walk", 1.4], ["#0", 0]], "value": 0.7}}, "length": 2,
            "in_step": "contacts"}]}]});
    run(&mut session, CommandLine::new("mix.set").with("mix", spec));
    assert_eq!(session.pack("a").unwrap().bytes, opened, "only on request");
    run(&mut session, CommandLine::new("mix.keep"));
    let kept = session.pack("a").unwrap().bytes;
    let mut again = Session::open_bytes(&kept).unwrap();
    assert!(again.document().aids.mix.is_none() && !again.is_unsaved());
    assert_eq!(mix_of(again.document()), mix_of(session.document()));
    run(&mut again, CommandLine::new("mix.keep").with("on", false));
    let gone = Session::open_bytes(&again.pack("a").unwrap().bytes).unwrap();
    assert_eq!(mix_of(gone.document()), None);
    while session.undo().is_some() {}
    assert_eq!(session.pack("a").unwrap().bytes, opened);
}

/// A walk and a run are synchronized by their contacts. The feet must slide less than 0.7 times as
/// far as without synchronization.
#[test]
fn synchronized_clips_slide_less_than_seven_tenths_as_far_as_unsynchronized_ones() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/characters/Knight/Knight.glb");
    let session = Session::open(&path, &Progress::default()).unwrap();
    let document = session.document();
    let speed = |name: &str| ground_speed(document, &document.clips[named(document, name)]);
    let (walk, run) = (speed("Walking_A"), speed("Running_A"));
    println!("walk {walk} m/s, run {run} m/s");
    assert!(run > walk * 1.2 && walk > 0.1, "{walk} {run}");
    let slides = |how: &str| -> f32 {
        let spec = json!({"lanes": [{"bars": [{"length": 8, "in_step": how, "plays": {"blend": {
            "points": [["Walking_A", walk], ["Running_A", run]],
                "value": (walk + run) * 0.5}}}]}]});
        let found = foot_slides(document, &mix(document, &spec), (0.0, 8.0));
        println!(
            "{how}: {:?}",
            found.iter().map(|f| (document.node(f.0).label(f.0), f.1 * 100.0)).collect::<Vec<_>>()
        );
        assert_eq!(found.len(), 2);
        found.iter().map(|f| f.1).sum::<f32>() / 2.0
    };
    let (free, contacts, share) = (slides("free"), slides("contacts"), slides("share"));
    // The walk itself slides a little, because the speed of its soles varies.
    assert!(contacts < free * 0.7, "{contacts} of {free}, {share} by shares");
}

/// Two clips are cross-faded in one lane. The displayed pose must equal the SLERP of both within a
/// small angle.
#[test]
fn a_cross_fade_equals_slerp_of_both_clips() {
    let session = sample();
    let document = session.document();
    let other = document.clips.ids().find(|id| document.clip_label(*id) != "Walk").unwrap();
    let spec = json!({"lanes": [{"bars": [
        {"plays": {"clip": "Walk"}, "length": 2},
        {"plays": {"clip": format!("#{}", other.0)}, "length": 2, "weight": 0.3},
    ]}]});
    let mix = mix(document, &spec);
    let at =
        |clip: ClipId, t: f64| Pose::evaluate(document, &Stack::of(Some(&document.clips[clip]), t));
    let walk = named(document, "Walk");
    let mut compared = 0;
    for k in 0..20 {
        let time = f64::from(k) * 0.03;
        let (a, b, made) = (at(walk, time), at(other, time), seen(document, &mix, time));
        for node in document.node_ids() {
            let drives =
                |c: ClipId| document.clips[c].track(node, ulna_model::Property::Rotation).is_some();
            if drives(walk) && drives(other) {
                let turn = |p: &Pose| p.local[node.index()].transform().rotation;
                let wanted = ulna_motion::slerp(turn(&a), turn(&b), 0.3);
                assert!(angle_between(turn(&made), wanted) < 1e-3);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The time for thousands of overlapping bars must grow linearly. Covered bars must not be
/// evaluated.
#[test]
fn evaluation_time_is_linear_in_the_number_of_bars() {
    let mut session = sample();
    let count = 1000;
    let bar = |k: usize| {
        let enter = ["fade", "frozen", "inertial", "keys"][k % 4];
        json!({"plays": {"clip": if k.is_multiple_of(2) { "Walk" } else { "Run" }},
            "start": 0.01 * k as f64, "length": 20.0,
            "fade_in": 0.2, "enter": enter, "in_step": "share"})
    };
    let bars: Vec<Value> = (0..count).map(bar).collect();
    run(
        &mut session,
        CommandLine::new("mix.set").with("mix", json!({"lanes": [{"name": "Body", "bars": bars}]})),
    );
    let document = session.document();
    let mix = mix_of(document).expect("a mix");
    let mut mixer = Mixer::default();
    for time in [0.0, 5.0, 9.995, 10.2, 12.0, 29.0] {
        let stack = mixer.stack(document, &mix, time);
        let instances: usize = stack.lanes.iter().map(|l| l.instances.len()).sum();
        assert!(instances <= 90, "{instances} at {time}");
        let pose = Pose::evaluate(document, &stack);
        assert!(pose.local.iter().all(|l| l.transform().is_finite()), "{time}");
    }
}

/// A clip is edited or removed while it plays. The mix continues with the remaining clips, and the
/// lines of the journal restore it.
#[test]
fn removing_a_playing_clip_leaves_its_bar_empty() {
    let mut session = sample();
    let mix = json!({"lanes": [{"name": "Body", "bars": [
        {"plays": {"clip": "Walk"}, "length": 4.0},
            {"plays": {"clip": "Run"}, "start": 1.0, "length": 3.0, "fade_in": 0.5}]}]});
    run(&mut session, CommandLine::new("mix.set").with("mix", mix));
    let mut mixer = Mixer::default();
    let seen = |session: &Session, mixer: &mut Mixer, time: f64| {
        let document = session.document();
        Pose::evaluate(document, &mixer.stack(document, &mix_of(document).expect("a mix"), time))
            .local
    };
    let before = seen(&session, &mut mixer, 2.0);
    run(&mut session, CommandLine::new("clip.retime").with("clip", "Run").with("factor", 2.0));
    let slower = seen(&session, &mut mixer, 2.0);
    assert!(
        slower != before && slower == seen(&session, &mut Mixer::default(), 2.0),
        "edited while it plays"
    );
    run(&mut session, CommandLine::new("clip.delete").with("clip", "Run"));
    let walks = seen(&session, &mut mixer, 2.0);
    assert!(walks != slower);
    // The text form of the mix names the empty bar, and can be read again.
    let text = serde_json::to_value(named_mix(
        session.document(),
        &mix_of(session.document()).expect("a mix"),
    ))
    .unwrap();
    run(&mut session, CommandLine::new("mix.set").with("mix", text));
    assert_eq!(seen(&session, &mut Mixer::default(), 2.0), walks);
    let refused = session.run_line(&CommandLine::new("mix.keep")).unwrap_err().to_string();
    assert!(refused.contains("remove the bar first"), "{refused}");
    session.undo();
    assert!(session.is_unsaved(), "a mix that no file keeps is not lost unasked");
}

/// The file stores a mix, but another program removed a clip and a joint. The rest must play, and
/// the missing parts must be reported.
#[test]
fn a_stored_mix_plays_without_missing_clips_and_joints() {
    let mut session = sample();
    let mix = json!(
        {"lanes": [{"name": "Body", "bars": [{"plays": {"clip": "Walk"}, "length": 4.0}]},
        {"name": "Arms", "mask": {"below": {"joint": "Chest"}},
            "bars": [{"plays": {"clip": "Run"}, "length": 4.0}]}]});
    let with = CommandLine::new("mix.set").with("mix", mix);
    if session.run_line(&with).is_err() {
        panic!("the sample has a joint of that name");
    }
    run(&mut session, CommandLine::new("mix.keep"));
    let bytes = session.pack("a").unwrap().bytes;
    let kept = Session::open_bytes(&bytes).unwrap();
    assert_eq!(mix_of(kept.document()), mix_of(session.document()));
    assert!(!kept.is_unsaved());
    let other = String::from_utf8_lossy(&bytes).matches("\"Run\"").count();
    assert!(other >= 2, "the clip's name, and the mix's");
    // The replacement has the same length, so that no offset in the file changes.
    let mut gone = bytes.to_vec();
    let at = gone.windows(12).position(|w| w == b"\"name\":\"Run\"").expect("the clip");
    gone[at + 8..at + 11].copy_from_slice(b"Rum");
    let gone = Session::open_bytes(&gone).unwrap();
    let mix = mix_of(gone.document()).expect("a mix");
    assert_eq!((mix.lanes.len(), mix.lanes[0].bars.len(), mix.lanes[1].bars.len()), (2, 1, 0));
    let said: Vec<_> = gone.diagnostics.iter().filter(|d| d.code == "ULNA_MIX").collect();
    assert!(said.len() == 1 && said[0].message.contains("Run"), "{said:?}");
}

/// The fox has feet without known names. Its ground speed is still measured at its feet.
#[test]
fn a_four_legged_walk_has_a_ground_speed() {
    let Some(shared) = crate::common::shared() else { return };
    let session = Session::open(
        &shared.join("corpus/characters/Fox49/fox-animations.glb"),
        &Progress::default(),
    )
    .unwrap();
    let document = session.document();
    let speed = |name: &str| ground_speed(document, &document.clips[named(document, name)]);
    let (walks, runs, stands) = (speed("Walk"), speed("Run"), speed("Idle"));
    assert!(walks > 0.1 && runs > 1.5 * walks && stands < 0.2 * walks, "{walks} {runs} {stands}");
}

/// A clip is split in two. The best transition between the halves must be at the cut, also after
/// the body is moved and rotated.
#[test]
fn the_best_transition_between_two_halves_of_a_clip_is_at_the_cut() {
    let mut session = sample();
    let walk =
        session.document().clips.iter().find(|(_, c)| c.name.as_deref() == Some("Walk")).unwrap().0;
    run(&mut session, CommandLine::new("clip.split").with("clip", "Walk").with("time", 0.4));
    let document = session.document();
    let last = document.clips.ids().next_back().unwrap();
    let other =
        document.clips.ids().find(|id| *id != walk && document.clip_label(*id) == "Run").unwrap();
    let found = best_seams(document, &[walk, other], &[last, other], &|_| true);
    assert_eq!(found.len(), 3, "a clip to itself is none: {found:?}");
    let seam = found.iter().find(|s| (s.from, s.to) == (walk, last)).unwrap();
    let length = f64::from(document.clips[walk].length());
    // The end of the first half is the start of the second. The clip is a loop, so the reverse is
    // also true.
    assert!(seam.distance < 1e-3 && seam.angle < 1e-2, "{seam:?}");
    let long = f64::from(document.clips[last].length());
    let (cut, round) = (length - seam.leave + seam.enter, seam.leave + long - seam.enter);
    assert!(cut.min(round) < 1e-3, "{seam:?}");
    let to_run = found.iter().find(|s| (s.from, s.to) == (walk, other)).unwrap();
    assert!(to_run.distance > seam.distance, "{to_run:?}");
    // Position on the ground and direction must not affect the result.
    let mut turned = session;
    run(
        &mut turned,
        CommandLine::new("pose.move").with("node", "Armature").with("by", json!([3.0, 0.0, -7.0])),
    );
    run(
        &mut turned,
        CommandLine::new("pose.rotate")
            .with("node", "Armature")
            .with("axis", "y")
            .with("degrees", 70.0),
    );
    let again = best_seams(turned.document(), &[walk], &[other], &|_| true);
    assert!((again[0].distance - to_run.distance).abs() < 1e-3, "{again:?} {to_run:?}");
    // A canceled search finds nothing.
    assert!(best_seams(turned.document(), &[walk], &[other], &|_| false).is_empty());
}

/// A transition at the best point must jump no farther than the command states.
#[test]
fn the_best_transition_jumps_at_most_the_stated_distance() {
    let mut session = sample();
    let clip = |name: &str| {
        session
            .document()
            .clips
            .ids()
            .find(|id| session.document().clip_label(*id) == name)
            .unwrap()
    };
    let (walk, run_clip) = (clip("Walk"), clip("Run"));
    let seam = best_seams(session.document(), &[walk], &[run_clip], &|_| true)[0];
    run(&mut session, CommandLine::new("mix.go").with("clip", "Walk").with("time", 0.0));
    let go = CommandLine::new("mix.go").with("clip", "Run").with("time", 0.1).with("when", "seam");
    run(&mut session, go);
    let mix = ulna_edit::command::mix_of(session.document()).unwrap();
    let [first, second] = &mix.lanes[0].bars[..] else { panic!("{mix:?}") };
    assert!((second.offset - seam.enter).abs() < 1e-6, "{second:?}");
    let length = f64::from(session.document().clips[walk].length());
    let left = (second.start - first.start).rem_euclid(length);
    assert!(
        (left - seam.leave).abs() < 1e-4 || (left - seam.leave).abs() > length - 1e-4,
        "{left} {seam:?}"
    );
}

/// Inertial transitions include morph weights. At the cut, they have their previous values, and at
/// the end the values of the new clip.
#[test]
fn inertial_transitions_include_morph_weights() {
    let session = sample();
    let document = session.document();
    let spec = |enter: &str| {
        json!({"lanes": [{"bars": [
            {"plays": {"clip": "Idle"}, "length": 3},
            {"plays": {"clip": "Run"}, "start": 1.5, "length": 2, "fade_in": 0.5, "enter": enter},
        ]}]})
    };
    let mesh = document
        .node_ids()
        .find(|n| Pose::evaluate(document, &Stack::default()).morphs[n.index()].len() == 2)
        .unwrap();
    let weights = |enter: &str, time: f64| {
        seen(document, &mix(document, &spec(enter)), time).morphs[mesh.index()].clone()
    };
    let gap =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let (before, cut) = (weights("cut", 1.5 - 1e-6), weights("cut", 1.5));
    assert!(gap(&before, &cut) > 0.1, "nothing to go over: {before:?} {cut:?}");
    assert!(gap(&before, &weights("inertial", 1.5)) < 1e-3);
    // The values do not jump between steps, and finally equal those of the clip.
    let mut last = before;
    for k in 0..=120 {
        let now = weights("inertial", 1.5 + f64::from(k) / 240.0);
        assert!(gap(&last, &now) < 0.05, "{k}: {last:?} {now:?}");
        last = now;
    }
    assert!(gap(&weights("inertial", 2.01), &weights("cut", 2.01)) < 1e-6);
}

/// A strafing body is controlled by two sliders. At all positions among the clips, the ground moves
/// as the sliders say. Synchronized feet slide less. At the position of a clip, only that clip
/// plays.
#[test]
fn a_strafing_blend_has_the_velocity_set_by_its_sliders() {
    let Some(shared) = crate::common::shared() else { return };
    let session =
        Session::open(&shared.join("corpus/characters/Knight/Knight.glb"), &Progress::default())
            .unwrap();
    let document = session.document();
    let names =
        ["Running_A", "Running_Strafe_Left", "Running_Strafe_Right", "Walking_Backwards", "Idle"];
    let place = |name: &str| ground_place(document, &document.clips[named(document, name)]);
    let places: Vec<[f32; 2]> = names.iter().map(|n| place(n)).collect();
    println!("{names:?} {places:?}");
    assert!(
        places[0][1] > 2.0 && places[0][0].abs() < 0.2 * places[0][1],
        "ahead: {:?}",
        places[0]
    );
    assert!(
        places[1][0] < -1.0 && places[2][0] > 1.0,
        "left and right: {:?} {:?}",
        places[1],
        places[2]
    );
    assert!(places[3][1] < -0.2, "backwards: {:?}", places[3]);
    assert!(places[4].iter().all(|v| v.abs() < 0.1), "standing: {:?}", places[4]);
    let points: Vec<Value> = names.iter().zip(&places).map(|(n, p)| json!([n, p])).collect();
    let spec = |value: [f32; 2], how: &str| {
        json!(
            {"lanes": [
                {"bars": [{"length": 4, "in_step": how,
                    "plays": {"plane": {"points": points, "value": value}}}]}]})
    };
    for (name, place) in names.iter().zip(&places) {
        let alone = json!(
                {"lanes": [
                    {"bars": [{"length": 4, "in_step": "share", "plays": {"clip": name}}]}]});
        let (blend, alone) = (mix(document, &spec(*place, "share")), mix(document, &alone));
        for time in [0.0, 0.37, 1.9] {
            assert!(
                apart(&seen(document, &blend, time), &seen(document, &alone, time)) < 1e-4,
                "{name} at {time}"
            );
        }
    }
    // A position between running forward and running to the left.
    let between = [(places[0][0] + places[1][0]) * 0.5, (places[0][1] + places[1][1]) * 0.5];
    let mean = |how: &str| {
        let found = foot_slides(document, &mix(document, &spec(between, how)), (0.0, 4.0));
        println!(
            "{how}: {:?}",
            found.iter().map(|f| (document.node(f.0).label(f.0), f.1 * 100.0)).collect::<Vec<_>>()
        );
        found.iter().map(|f| f.1).sum::<f32>() / found.len() as f32
    };
    let (share, contacts, free) = (mean("share"), mean("contacts"), mean("free"));
    assert!(share.min(contacts) < free, "{share} {contacts} {free}");
    let playing = Mixer::default().playing(document, &mix(document, &spec(between, "share")), 1.0);
    let way: Vec<f32> = (0..2)
        .map(|axis| {
            let at = |p: &ulna_motion::Playing| {
                places[names.iter().position(|n| named(document, n) == p.clip).unwrap()][axis]
            };
            playing.iter().map(|p| p.weight * at(p)).sum()
        })
        .collect();
    assert!(
        (way[0] - between[0]).abs() < 1e-4 && (way[1] - between[1]).abs() < 1e-4,
        "{way:?} {between:?}"
    );
}

/// A baked mix must end in the pose of the mix, for any length. Key times are rounded, and after
/// its end the mix plays nothing.
#[test]
fn a_baked_mix_ends_in_the_pose_of_the_mix() {
    let session = sample();
    let document = session.document();
    let mut lengths = 0;
    for k in 1..=40 {
        let length = f64::from(k) * 0.1;
        let spec = json!({"lanes": [{"bars": [{"plays": {"clip": "Walk"}, "length": length}]}]});
        let mix = mix(document, &spec);
        let clip = Shared::new(ulna_motion::baked(document, &mix, (0.0, length), 30.0));
        let end = Pose::evaluate(document, &Stack::of(Some(&clip), f64::from(clip.length())));
        assert!(apart(&end, &seen(document, &mix, length)) < 1e-4, "{length}");
        let seen = ulna_motion::SeenPoints::of(document, usize::MAX);
        let said = ulna_motion::baked_error(document, &mix, (0.0, length), &clip, (&seen, 30.0));
        assert!(said < 0.05, "{length}: {said}");
        lengths += 1;
    }
    assert_eq!(lengths, 40);
}
