//! Clips with pose layers and unkeyed poses are cut, reversed, retimed, mirrored and joined. The
//! layers must follow: the displayed motion must stay that of the clip with its layers.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{ClipId, Document, LayerHome, PoseLayer};
use ulna_motion::{Mirror, Pose, SeenPoints, SkinPairs, Stack, clip_edit, fold_clip};
use ulna_session::Session;

use crate::common::{models, named, run, sample, shared};

const WALK: ClipId = ClipId(1);
const RUN: ClipId = ClipId(2);
/// Tolerance in meters. Key times have single precision, and the seam between two joined clips
/// lasts a millisecond.
const NEAR: f32 = 3e-4;

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, CommandLine::parse(&text.to_string()).unwrap())
}

/// Returns the displayed pose of a clip at a time, with the unkeyed pose if there is one.
fn seen(document: &Document, clip: ClipId, time: f64) -> Pose {
    let unkeyed = document.aids.unkeyed(clip, time).map(|(_, pose)| pose.clone());
    Pose::evaluate(document, &Stack::shown(document, Some(clip), time).with_unkeyed(unkeyed))
}

/// Returns the largest distance between the skins before and after an operation, over a clip. `was`
/// maps a time to the time before the operation. Times with `None` are skipped.
fn apart(
    (before, clip): (&Document, ClipId),
    (after, made): (&Document, ClipId),
    was: impl Fn(f64) -> Option<f64>,
) -> f32 {
    const COUNT: u32 = 40;
    let points = SeenPoints::of(before, 300);
    let length = f64::from(after.clips[made].length());
    let mut compared = 0;
    let mut worst = 0.0f32;
    for k in 0..=COUNT {
        // Avoids the ends and round numbers, where the motion can jump.
        let time = length * (f64::from(k) + 0.37) / (f64::from(COUNT) + 1.0);
        let Some(then) = was(time) else { continue };
        worst = worst.max(points.apart(&seen(before, clip, then), &seen(after, made, time)));
        compared += 1;
    }
    assert!(compared >= COUNT / 4, "{compared}");
    worst
}

/// Layers to add to Walk: constant changes, keys, strengths with LINEAR and STEP keys, masks, and a
/// muted layer.
#[derive(Clone, Debug)]
struct Plan {
    degrees: Vec<[f32; 3]>,
    times: Vec<f32>,
    strengths: Vec<f32>,
    step: bool,
    mask: usize,
    muted: bool,
}

impl Plan {
    /// Whether no key is so near a time that a cut there counts as a cut at the key. Between two
    /// keys that are a hundredth of a second apart, the motion differs visibly then.
    fn is_clear_of(&self, time: f32) -> bool {
        self.times.iter().all(|t| (t - time).abs() > 2e-4)
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    let degrees = prop::collection::vec(prop::array::uniform3(-25.0f32..25.0), 6);
    let times = prop::collection::btree_set(1u32..95, 3);
    (degrees, times, prop::collection::vec(0.0f32..1.0, 3), any::<bool>(), 0usize..4, any::<bool>())
        .prop_map(|(degrees, times, strengths, step, mask, muted)| Plan {
            degrees,
            // No key time is close to a time at which the clip (1.0667 s) is cut or reversed.
            times: times.into_iter().map(|t| t as f32 / 100.0 + 0.0033).collect(),
            strengths,
            step,
            mask,
            muted,
        })
}

fn put(session: &mut Session, plan: &Plan) {
    let layer = |name: &str, mut text: Value| {
        text["clip"] = "Walk".into();
        if text["do"] == "layer.new" {
            text["name"] = name.into()
        } else {
            text["layer"] = name.into()
        }
        text
    };
    let d = &plan.degrees;
    let lines = [
        ("Still", json!({"do": "layer.new"})),
        (
            "Still",
            json!({"do": "layer.set", "node": "LeftUpperArm", "degrees": d[0],
                "translation": [0.01, 0.02, 0.0]}),
        ),
        ("Still", json!({"do": "layer.set", "node": "Spine", "degrees": d[1]})),
        ("Keyed", json!({"do": "layer.new"})),
        (
            "Keyed",
            json!({"do": "layer.set", "node": "RightUpperLeg", "degrees": d[2],
                "time": plan.times[0], "key": true}),
        ),
        (
            "Keyed",
            json!({"do": "layer.set", "node": "RightUpperLeg", "degrees": d[3],
                "time": plan.times[1], "key": true}),
        ),
        (
            "Keyed",
            json!({"do": "layer.set", "node": "RightUpperLeg", "degrees": d[4],
                "time": plan.times[2], "key": true}),
        ),
        (
            "Keyed",
            json!({"do": "layer.set", "node": "Head", "translation": [0.0, 0.01, 0.03],
                "time": plan.times[1], "key": true}),
        ),
        ("Strong", json!({"do": "layer.new"})),
        (
            "Strong",
            json!({"do": "layer.set", "node": "LeftLowerArm", "degrees": d[5],
                "scale": [1.0, 1.2, 1.0]}),
        ),
        (
            "Strong",
            json!({
                "do": "layer.strength_keys",
                    "interpolation": if plan.step { "step" } else { "linear" },
                "keys": plan.times.iter().zip(&plan.strengths).flat_map(|(t, s)| [*t, *s])
                    .collect::<Vec<_>>(),
            }),
        ),
        ("Off", json!({"do": "layer.new"})),
        ("Off", json!({"do": "layer.set", "node": "Hips", "degrees": d[1]})),
        ("Off", json!({"do": "layer.mute", "muted": plan.muted})),
    ];
    for (name, text) in lines {
        does(session, layer(name, text));
    }
    let mask = match plan.mask {
        0 => return,
        1 => json!({"do": "layer.mask", "region": "left"}),
        2 => json!({"do": "layer.mask", "below": "LeftUpperArm", "falloff": 2}),
        _ => json!({"do": "layer.mask", "node": ["LeftUpperArm", "Spine"], "weights": [0.4, 0.7]}),
    };
    does(session, layer("Still", mask));
}

/// Returns the document with the layers of a clip baked into its keys, as in a file.
fn folded(document: &Document, clip: ClipId) -> Document {
    let mut made = document.clone();
    let layers = made.aids.pose_layers.remove(&LayerHome::Clip(clip)).unwrap_or_default();
    let whole = fold_clip(&made.file, &made.clips[clip], &layers).clip;
    *made.file.clips.get_mut(clip).unwrap() = whole;
    made
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_trimmed_clip_with_layers_shows_the_original_motion(plan in plans(), cut in 0.05f32..0.45,
        rest in 0.1f32..0.5) {
        let mut session = sample();
        put(&mut session, &plan);
        let before = session.document().clone();
        let end = before.clips[WALK].length();
        let (from, to) = (end * cut, end * (cut + rest));
        prop_assume!(plan.is_clear_of(from) && plan.is_clear_of(to));
        does(&mut session, json!({"do": "clip.trim", "clip": "Walk", "from": from, "to": to}));
        let off = apart((&before, WALK), (session.document(), WALK), |t| Some(t + f64::from(from)));
        prop_assert!(off < NEAR, "{off}");
        let keys = session.document().aids.layers(LayerHome::Clip(WALK));
        prop_assert!(keys.iter().flat_map(|l| l.keys.tracks.values())
            .all(|t| t.times.iter().all(|t| *t <= to - from + 1e-4)));
        session.undo();
        prop_assert_eq!(session.document(), &before);
    }

    #[test]
    fn reversing_a_clip_with_layers_twice_restores_it(plan in plans()) {
        let mut session = sample();
        put(&mut session, &plan);
        let before = session.document().clone();
        let end = f64::from(before.clips[WALK].length());
        does(&mut session, json!({"do": "clip.reverse", "clip": "Walk"}));
        let off = apart((&before, WALK), (session.document(), WALK), |t| Some(end - t));
        prop_assert!(off < NEAR, "{off}");
        does(&mut session, json!({"do": "clip.reverse", "clip": "Walk"}));
        let off = apart((&before, WALK), (session.document(), WALK), Some);
        prop_assert!(off < NEAR, "{off}");
    }

    #[test]
    fn retiming_a_clip_with_layers_only_slows_its_motion(plan in plans(), factor in 0.5f64..3.0) {
        let mut session = sample();
        put(&mut session, &plan);
        let before = session.document().clone();
        does(&mut session, json!({"do": "clip.retime", "clip": "Walk", "factor": factor}));
        let off = apart((&before, WALK), (session.document(), WALK), |t| Some(t / factor));
        prop_assert!(off < NEAR, "{off}");
    }

    #[test]
    fn splitting_and_joining_a_clip_with_layers_restores_it(plan in plans(), part in 0.2f64..0.8) {
        let mut session = sample();
        put(&mut session, &plan);
        let before = session.document().clone();
        let at = f64::from(before.clips[WALK].length()) * part;
        prop_assume!(plan.is_clear_of(at as f32));
        does(&mut session, json!({"do": "clip.split", "clip": "Walk", "time": at, "name": "Rest"}));
        let rest = session.document().clips.iter().find(|(_, c)| c.name.as_deref()
            == Some("Rest")).unwrap().0;
        let off = apart((&before, WALK), (session.document(), WALK), Some);
        prop_assert!(off < NEAR, "first {off}");
        let off = apart((&before, WALK), (session.document(), rest), |t| Some(t + at));
        prop_assert!(off < NEAR, "second {off}");
        does(&mut session, json!({"do": "clip.join", "clip": "Walk", "with": "Rest"}));
        // Within the millisecond of the seam, the pose of either clip is accepted.
        let off = apart((&before, WALK), (session.document(), WALK),
            |t| Some(t).filter(|t| (t - at).abs() > 2e-3));
        prop_assert!(off < NEAR, "joined {off}");
        let layers =
            |d: &Document| d.aids.layers(LayerHome::Clip(WALK)).iter().map(|l| l.name.to_string())
                .collect::<Vec<_>>();
        prop_assert_eq!(layers(session.document()), layers(&before));
    }

    #[test]
    fn an_appended_clip_keeps_only_its_own_layers(plan in plans(),
        gap in prop_oneof![Just(0.0f64), 0.1f64..0.5]) {
        let mut session = sample();
        put(&mut session, &plan);
        for text in [
            json!({"do": "layer.new", "clip": "Run", "name": "Still"}),
            json!({"do": "layer.set", "clip": "Run", "layer": "Still", "node": "RightHand",
                "degrees": [0, 0, 30]}),
            json!({"do": "layer.strength", "clip": "Run", "layer": "Still", "strength": 0.5,
                "time": 0.2}),
            json!({"do": "layer.new", "clip": "Run", "name": "Other"}),
            json!({"do": "layer.set", "clip": "Run", "layer": "Other", "node": "Chest",
                "degrees": [12, 0, 0]}),
        ] {
            does(&mut session, text);
        }
        let before = session.document().clone();
        let end = f64::from(before.clips[WALK].length());
        does(&mut session,
            json!({"do": "clip.join", "clip": "Walk", "with": "Run", "gap": gap, "name": "Both"}));
        let both = session.document().clips.iter().find(|(_, c)| c.name.as_deref()
            == Some("Both")).unwrap().0;
        let after = session.document();
        let off = apart((&before, WALK), (after, both), |t| Some(t).filter(|t| *t < end - 2e-3));
        prop_assert!(off < NEAR, "first {off}");
        let start = end + gap;
        let off = apart((&before, RUN), (after, both), |t| Some(t - start).filter(|t| *t > 2e-3));
        prop_assert!(off < NEAR, "second {off}");
        // Walk and Run themselves keep their layers.
        prop_assert_eq!(after.aids.layers(LayerHome::Clip(RUN)),
            before.aids.layers(LayerHome::Clip(RUN)));
        prop_assert_eq!(after.aids.layers(LayerHome::Clip(WALK)),
            before.aids.layers(LayerHome::Clip(WALK)));
        prop_assert!(after.check().is_ok());
    }

    #[test]
    fn mirroring_a_clip_mirrors_its_layers(plan in plans()) {
        let mut session = sample();
        put(&mut session, &plan);
        let before = session.document().clone();
        does(&mut session, json!({"do": "clip.mirror", "clip": "Walk"}));
        let mirror = Mirror::of(&before);
        // The reference is the mirror image of the clip with baked layers.
        let whole = folded(&before, WALK);
        let made = clip_edit::mirrored(&whole, (&whole.clips[WALK], &Default::default()), &mirror,
            None).unwrap();
        let mut image = whole.clone();
        *image.file.clips.get_mut(WALK).unwrap() = made.clip.into();
        // Baking is accurate to a tenth of a degree.
        let off = apart((&image, WALK), (session.document(), WALK), Some);
        prop_assert!(off < 4e-3, "{off}");
        // The skin itself must be mirrored, too, not only the joints.
        let poses = [&before, session.document()].map(|d| seen(d, WALK, 0.41));
        let pairs = SkinPairs::of(&before, &mirror, &poses[0]);
        let gap = pairs.gap(&before, &poses[0], &poses[1]).unwrap();
        prop_assert!(gap.part < 2e-3, "{gap:?}");
        // Layers remain layers, with the same number of keys, on the other side.
        let [was, is] = [&before, session.document()].map(|d| d.aids.layers(LayerHome::Clip(WALK)));
        let keys = |l: &PoseLayer| l.keys.key_count();
        prop_assert_eq!(was.iter().map(keys).collect::<Vec<_>>(),
            is.iter().map(keys).collect::<Vec<_>>());
        prop_assert!(is.get(was.0[0].id).unwrap().says(named(&before, "RightUpperArm")));
        // Mirroring a second time restores the clip.
        does(&mut session, json!({"do": "clip.mirror", "clip": "Walk"}));
        let off = apart((&before, WALK), (session.document(), WALK), Some);
        prop_assert!(off < NEAR, "{off}");
    }
}

#[test]
fn unkeyed_poses_follow_retiming_and_mirroring_of_their_clip() {
    let posed = || {
        let mut session = sample();
        for (time, node, degrees) in [(0.25, "LeftUpperArm", 20.0), (0.75, "Head", -15.0)] {
            does(
                &mut session,
                json!({"do": "pose.turn", "node": node, "axis": "y", "degrees": degrees,
                    "clip": "Walk", "time": time}),
            );
        }
        session
    };
    let times = |session: &Session| -> Vec<f32> {
        let poses = session.document().aids.unkeyed.keys();
        poses.filter(|at| at.clip == WALK).map(|at| (at.time() * 1000.0).round() / 1000.0).collect()
    };
    let end = sample().document().clips[WALK].length();
    let rounded = |t: f32| (t * 1000.0).round() / 1000.0;
    let mut cases = 0;
    for (text, wanted) in [
        (json!({"do": "clip.trim", "clip": "Walk", "from": 0.2}), vec![0.05, 0.55]),
        (json!({"do": "clip.trim", "clip": "Walk", "from": 0.5}), vec![0.25]),
        (
            json!({"do": "clip.reverse", "clip": "Walk"}),
            vec![rounded(end - 0.75), rounded(end - 0.25)],
        ),
        (json!({"do": "clip.retime", "clip": "Walk", "factor": 2.0}), vec![0.5, 1.5]),
        (json!({"do": "clip.split", "clip": "Walk", "time": 0.5}), vec![0.25]),
        (json!({"do": "clip.join", "clip": "Run", "with": "Walk"}), vec![0.25, 0.75]),
        (json!({"do": "clip.mirror", "clip": "Walk"}), vec![0.25, 0.75]),
    ] {
        let mut session = posed();
        let before = session.document().clone();
        let said = does(&mut session, text.clone());
        assert_eq!(times(&session), wanted, "{text}");
        let lost = text["from"] == 0.5;
        assert_eq!(
            said.iter().any(|s| s.contains("1 unkeyed pose outside the kept range")),
            lost,
            "{text}: {said:?}"
        );
        session.undo();
        assert_eq!(*session.document(), before, "{text}");
        cases += 1;
    }
    assert_eq!(cases, 7);
    // The pose displayed at the new time is the previous one, or its mirror image.
    let mut session = posed();
    let before = session.document().clone();
    does(&mut session, json!({"do": "clip.reverse", "clip": "Walk"}));
    let points = SeenPoints::of(&before, 300);
    let at = |d: &Document, t: f32| seen(d, WALK, f64::from(t));
    let off = points.apart(&at(&before, 0.25), &at(session.document(), end - 0.25));
    assert!(off < NEAR, "{off}");
    let mut session = posed();
    does(&mut session, json!({"do": "clip.mirror", "clip": "Walk"}));
    let arm = named(&before, "RightUpperArm");
    assert!(session.document().aids.unkeyed(WALK, 0.25).unwrap().1.locals.contains_key(&arm));
    let poses = [at(&before, 0.25), at(session.document(), 0.25)];
    let gap = SkinPairs::of(&before, &Mirror::of(&before), &poses[0])
        .gap(&before, &poses[0], &poses[1])
        .unwrap();
    assert!(gap.part < 2e-3, "{gap:?}");
    // The second part of a split clip has the unkeyed poses after the split time.
    let mut session = posed();
    does(&mut session, json!({"do": "clip.split", "clip": "Walk", "time": 0.5, "name": "Rest"}));
    let rest =
        session.document().clips.iter().find(|(_, c)| c.name.as_deref() == Some("Rest")).unwrap().0;
    let off = points.apart(&at(&before, 0.75), &seen(session.document(), rest, 0.25));
    assert!(off < NEAR, "{off}");
}

/// Reversing, trimming and mirroring clips with layers must act on the displayed motion. The clips
/// and bodies are from other authors.
#[test]
fn layers_follow_clip_operations_on_bodies_of_other_authors() {
    let Some(shared) = shared() else { return };
    let mut bodies = 0;
    for path in models(&shared.join("corpus/characters")) {
        let Ok(mut session) = Session::open(&path, &Default::default()) else { continue };
        let document = session.document().clone();
        let mirror = Mirror::of(&document);
        let clip = document.clips.iter().find(|(_, c)| {
            c.length() > 0.2 && c.pointers.is_empty() && c.kept.is_empty() && c.tracks.len() > 8
        });
        let sided = document.node_ids().find(|n| {
            let moves = |c: &ulna_model::Clip| c.tracks.values().any(|t| t.target == *n);
            mirror.partner(*n).is_some_and(|p| p != *n) && clip.is_some_and(|(_, c)| moves(c))
        });
        let (Some((id, own)), Some(node)) = (clip, sided) else { continue };
        let (name, end) = (format!("#{}", id.0), f64::from(own.length()));
        let node = format!("#{}", node.0);
        let layered = [
            json!({"do": "layer.new", "clip": name, "name": "A"}),
            json!({"do": "layer.set", "clip": name, "node": node, "degrees": [20, 10, 0],
                "time": end * 0.3, "key": true}),
            json!({"do": "layer.set", "clip": name, "node": node, "degrees": [0, -10, 10],
                "time": end * 0.6, "key": true}),
        ];
        for text in layered {
            does(&mut session, text);
        }
        let before = session.document().clone();
        let size = Pose::evaluate(&before, &Stack::default());
        let size = SeenPoints::of(&before, 300)
            .at(&size)
            .iter()
            .fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
        let size = size.1.distance(size.0);
        let shown = path.file_name().unwrap().to_string_lossy().into_owned();
        does(&mut session, json!({"do": "clip.reverse", "clip": name}));
        let first = own.tracks.values().map(|t| t.times[0]).fold(f32::MAX, f32::min);
        let off = apart((&before, id), (session.document(), id), |t| {
            Some(end + f64::from(first) - t).filter(|t| *t <= end)
        });
        assert!(off < 2e-3 * size, "{shown} reversed: {off}");
        session.undo();
        let whole = folded(&before, id);
        let wanted =
            clip_edit::mirrored(&whole, (&whole.clips[id], &Default::default()), &mirror, None)
                .unwrap();
        let text = json!({"do": "clip.mirror", "clip": name});
        if session.run_line(&CommandLine::parse(&text.to_string()).unwrap()).is_ok() {
            let mut image = whole.clone();
            *image.file.clips.get_mut(id).unwrap() = wanted.clip.into();
            let off = apart((&image, id), (session.document(), id), Some);
            assert!(off < 5e-3 * size, "{shown} mirrored: {off} of {size}");
            bodies += 1;
        }
    }
    assert!(bodies >= 4, "{bodies}");
}
