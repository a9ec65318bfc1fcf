//! Properties of edits: every edit can be undone without a trace.

use proptest::prelude::*;
use ulna_edit::{
    Command, CommandLine,
    command::{
        DocumentCommand, KeyCommand, SetKey,
        field::{ClipName, Nodes, Seconds},
    },
};
use ulna_model::{Clip, Document, Local, NodeId, Property};
use ulna_motion::{Evaluator, Pose, Stack};
use ulna_session::Session;

use crate::common::sample;

/// Asserts the invariants that hold after every step.
fn invariants(document: &Document) {
    for clip in document.clips.values() {
        for track in clip.tracks.values() {
            track.validate().expect("a sound track");
            if track.property == Property::Rotation {
                for key in 0..track.times.len() {
                    let q = glam::Vec4::from_slice(track.value(key));
                    assert!((q.length() - 1.0).abs() < 1e-3, "{q}");
                }
            }
        }
    }
    for node in document.nodes.values() {
        assert!(node.local().transform().is_finite());
    }
}

fn commands() -> impl Strategy<Value = CommandLine> {
    let node = prop::sample::select(vec![
        "Hips",
        "Spine",
        "LeftUpperArm",
        "RightHand",
        "Left*",
        "Head",
        "#0",
    ]);
    let clip = prop::sample::select(vec!["Walk", "Idle", "#2"]);
    let number = -3.0f32..3.0;
    let time = 0.0f32..2.0;
    (0..12usize, node, clip, prop::array::uniform3(number), time, 0..3usize).prop_map(
        |(kind, node, clip, v, time, axis)| {
            let line = |name: &str| CommandLine::new(name).with("node", node);
            let vector: Vec<f32> = v.to_vec();
            let space = ["local", "parent", "world"][axis];
            match kind {
                0 => line("pose.rotate")
                    .with("axis", ["x", "y", "z"][axis])
                    .with("degrees", v[0] * 60.0)
                    .with("space", space),
                1 => line("pose.move").with("by", vector).with("space", space),
                2 => line("pose.scale").with("by", v[0].abs() + 0.1),
                3 => line("pose.set").with("degrees", vec![v[0] * 50.0, v[1] * 50.0, v[2] * 50.0]),
                4 => line("pose.set_world").with("translation", vector),
                5 => line("pose.reset"),
                6 | 7 => line("key.set").with("clip", clip).with("time", time),
                8 => {
                    line("key.delete").with("clip", clip).with("from", time * 0.5).with("to", time)
                }
                9 => line("key.move")
                    .with("clip", clip)
                    .with("from", time * 0.3)
                    .with("to", time)
                    .with("by", v[1] * 0.3),
                10 => line("unkeyed.set")
                    .with("clip", clip)
                    .with("time", time)
                    .with("degrees", vector),
                _ => CommandLine::new("clip.duplicate").with("clip", clip),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_can_be_undone_and_redone(lines in prop::collection::vec(commands(),
        1..14)) {
        let mut session = sample();
        let mut states = vec![session.document().clone()];
        for line in &lines {
            if session.run_line(line).unwrap() {
                states.push(session.document().clone());
            }
            invariants(session.document());
            session.document().check().unwrap();
        }
        let last = session.document().clone();
        prop_assert_eq!(&last, states.last().unwrap());
        for before in states.iter().rev().skip(1) {
            prop_assert!(session.undo().is_some());
            prop_assert!(session.document() == before);
        }
        prop_assert!(session.undo().is_none());
        prop_assert!(!session.is_unsaved());
        prop_assert!(*session.pack("x").unwrap().bytes
            == include_bytes!("../../assets/mannequin.glb").as_slice());
        while session.redo().is_some() {}
        prop_assert!(session.document() == &last);
    }

    #[test]
    fn a_canceled_gesture_leaves_no_trace(lines in prop::collection::vec(commands(),
        1..6)) {
        let mut session = sample();
        let before = session.document().clone();
        for line in &lines {
            session.cancel();
            session.preview_all("Try", &[Command::read(line).unwrap()]).unwrap();
        }
        session.cancel();
        prop_assert!(session.document() == &before);
        prop_assert!(session.history().done().is_empty());
    }

    #[test]
    fn a_script_replays_to_the_same_document(lines in prop::collection::vec(commands(), 1..8)) {
        let mut session = sample();
        for line in &lines {
            session.run_line(line).unwrap();
        }
        let mut again = sample();
        for step in session.history().done() {
            for line in &step.lines(session.document()) {
                let line = CommandLine::parse(&line.to_string()).unwrap();
                again.run_line(&line).unwrap();
            }
        }
        prop_assert!(again.document() == session.document());
    }
}

#[test]
fn commands_by_id_are_written_with_equivalent_names() {
    let session = sample();
    let document = session.document();
    let ids: Vec<_> = document.node_ids().collect();
    let clips: Vec<_> = document.clips.ids().collect();
    assert!(ids.len() > 20 && !clips.is_empty());
    for clip in clips {
        let key = SetKey {
            exact: Some(true),
            ..SetKey::new(ClipName::Id(clip), Seconds(0.1), Nodes::Ids(ids.clone()))
        };
        let line = CommandLine::parse(&Command::from(key).line(document).to_string()).unwrap();
        assert_eq!(line.arguments["time"], 0.1, "the shortest number that is the same");
        let Ok(Command::Document(DocumentCommand::Key(KeyCommand::SetKey(read)))) =
            Command::read(&line)
        else {
            panic!("{line}")
        };
        assert_eq!(read.time, Seconds(0.1));
        assert_eq!(read.clip.find(document), Ok(clip));
        assert_eq!(read.node.in_order(document).unwrap(), ids);
    }
}

#[test]
fn a_gesture_is_one_step_and_none_if_it_ends_where_it_began() {
    let mut session = sample();
    for degrees in [5.0, 20.0, 31.0] {
        let line = CommandLine::new("pose.rotate")
            .with("node", "Head")
            .with("axis", "y")
            .with("degrees", degrees);
        session.cancel();
        session.preview_all("Rotate Head", &[Command::read(&line).unwrap()]).unwrap();
    }
    assert!(session.commit());
    assert_eq!(session.history().done().len(), 1);
    let line =
        CommandLine::new("pose.rotate").with("node", "Head").with("axis", "y").with("degrees", 0.0);
    session.preview_all("Rotate Head", &[Command::read(&line).unwrap()]).unwrap();
    assert!(!session.commit());
    assert_eq!(session.history().unsaved_steps(), 1);
}

#[test]
fn undo_updates_the_unsaved_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut session = sample();
    let turn = |degrees: f32| {
        CommandLine::new("pose.rotate")
            .with("node", "Head")
            .with("axis", "y")
            .with("degrees", degrees)
    };
    session.run_line(&turn(5.0)).unwrap();
    session.save(Some(&path)).unwrap();
    assert!(!session.is_unsaved());
    session.undo();
    assert_eq!(session.history().unsaved_steps(), 1);
    session.redo();
    assert!(!session.is_unsaved());
    session.undo();
    session.run_line(&turn(9.0)).unwrap();
    assert!(session.is_unsaved());
}

#[test]
fn a_failed_save_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = sample();
    session
        .run_line(
            &CommandLine::new("pose.rotate")
                .with("node", "Head")
                .with("axis", "y")
                .with("degrees", 5),
        )
        .unwrap();
    // A folder at the path of the file cannot be replaced.
    let path = folder.path().join("taken.glb");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("inside"), "whole").unwrap();
    assert!(session.save(Some(&path)).is_err());
    assert_eq!(std::fs::read_to_string(path.join("inside")).unwrap(), "whole");
    assert!(session.is_unsaved());
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "a temporary file was left behind"
    );
}

#[test]
fn a_new_clip_is_saved_only_if_it_has_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut session = sample();
    session.run_line(&CommandLine::new("clip.new").with("name", "Nod")).unwrap();
    session.save(Some(&path)).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), include_bytes!("../../assets/mannequin.glb"));
    for (time, degrees) in [(0.0, 0.0), (0.5, 20.0)] {
        let key =
            CommandLine::new("key.set").with("clip", "Nod").with("time", time).with("node", "Head");
        session.run_line(&key.with("degrees", vec![degrees, 0.0, 0.0])).unwrap();
    }
    session.save(None).unwrap();
    let again = Session::open(&path, &Default::default()).unwrap();
    let found: Vec<&Clip> = again.document().clips.values().map(|c| &**c).collect();
    assert_eq!(found.len(), 5);
    assert_eq!(found[4].name.as_deref(), Some("Nod"));
    assert_eq!(found[4].key_count(), 2);
    assert!(matches!(again.document().nodes[NodeId(0)].rest, Local::Trs(_)));
}

#[test]
fn morph_targets_are_posed_keyed_saved_and_undone() {
    let mut session = sample();
    let document = session.document();
    let node = document
        .node_ids()
        .find(|id| document.node(*id).mesh.is_some_and(|m| document.mesh(m).target_count() == 2))
        .expect("a node with the sample's two targets");
    let before = document.clone();
    let name = format!("#{}", node.0);
    let morph = |target: &str, weight: f32| {
        CommandLine::new("pose.morph")
            .with("node", name.clone())
            .with("target", target)
            .with("weight", weight)
    };
    session.run_line(&morph("Flex", 0.75)).expect("by name");
    session.run_line(&morph("#0", -0.25)).expect("by number");
    assert_eq!(session.document().morph_weights(node), [-0.25, 0.75]);
    assert!(session.run_line(&morph("Smile", 1.0)).is_err(), "no such target");
    // The file stores the morph weight, and nothing else changes.
    let saved = session.pack("model").expect("saved");
    assert_eq!(saved.changes.len(), 1, "{:?}", saved.changes);
    let again = Session::open_bytes(&saved.bytes).expect("opens");
    assert_eq!(again.document().morph_weights(node), [-0.25, 0.75]);
    session
        .run_line(&CommandLine::new("pose.reset_morphs").with("node", name.clone()))
        .expect("reset");
    assert!(session.pack("model").expect("saved").changes.is_empty());
    // The morph weight is posed over a clip without a key, and then keyed. The key has the posed
    // weight, and the other weights stay as in the clip.
    let (clip, other) = {
        let document = session.document();
        let clip = document.clips.ids().next().expect("a clip");
        let stack = Stack::of(document.clips.get(clip), 0.5);
        (clip, Pose::evaluate(document, &stack).morphs[node.index()][0])
    };
    let hold =
        CommandLine::new("unkeyed.morph").with("clip", format!("#{}", clip.0)).with("time", 0.5);
    session
        .run_line(&hold.with("node", name.clone()).with("target", "Flex").with("weight", 0.5))
        .expect("held");
    assert!(session.pack("model").expect("saved").changes.is_empty(), "what waits is not saved");
    let key = CommandLine::new("key.set")
        .with("clip", format!("#{}", clip.0))
        .with("time", 0.5)
        .with("node", name);
    session.run_line(&key).expect("keyed");
    let document = session.document();
    assert!(document.aids.unkeyed.is_empty());
    let moved = document.clips[clip].tracks.values().filter(|t| t.target == node);
    let held = before.clips[clip]
        .tracks
        .values()
        .filter(|t| t.target == node && t.property != Property::Weights);
    assert_eq!(
        moved.count(),
        held.count() + 1,
        "keying a morph target adds no channel of the node's own"
    );
    let pose = Pose::evaluate(document, &Stack::of(document.clips.get(clip), 0.5));
    assert_eq!(pose.morphs[node.index()][1], 0.5);
    assert!((pose.morphs[node.index()][0] - other).abs() < 1e-6);
    // The key is removed like other keys: by its type, or together with all keys at that time.
    let keys = |session: &Session| {
        let clip = &session.document().clips[clip];
        clip.tracks.values().filter(|t| t.target == node && t.key_at(0.5, 1e-4).is_some()).count()
    };
    let there = keys(&session);
    assert!(there > 0);
    let cut = CommandLine::new("key.delete").with("clip", format!("#{}", clip.0)).with("time", 0.5);
    session.run_line(&cut.clone().with("parts", vec!["weights"])).expect("by kind");
    assert_eq!(keys(&session), there - 1);
    session.undo();
    session.run_line(&cut).expect("all of the moment");
    assert_eq!(keys(&session), 0);
    while session.undo().is_some() {}
    assert!(*session.document() == before);
}

#[test]
fn playback_equals_evaluation_at_single_times() {
    let session = sample();
    let document = session.document();
    let mut compared = 0;
    for clip in document.clips.values() {
        let (mut evaluator, mut playing) = (Evaluator::default(), Pose::default());
        for step in 0..90 {
            let time = f64::from(step) * 0.0371 - 0.2;
            let stack = Stack::of(Some(clip), time);
            evaluator.update(document, &stack, &mut playing);
            let alone = Pose::evaluate(document, &stack);
            for (a, b) in playing.world.iter().zip(&alone.world) {
                assert!(a.abs_diff_eq(*b, 2e-6), "{time}: {a} {b}");
                compared += 1;
            }
            assert_eq!(playing.morphs, alone.morphs);
        }
    }
    assert!(compared > 15_000, "{compared}");
}
