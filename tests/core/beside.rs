//! Commands that run on a copy while the document changes. The result is applied if it still fits,
//! else it is returned.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use ulna_edit::{Command, CommandLine, Edit};
use ulna_model::WeightPatch;
use ulna_session::{NotTaken, Session};

const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

fn sample() -> Session {
    Session::open_bytes(SAMPLE).unwrap()
}

fn command(line: &CommandLine) -> Command {
    Command::read(line).unwrap()
}

fn run(session: &mut Session, line: &CommandLine) {
    assert!(session.run_line(line).unwrap(), "{line}");
}

fn turn(degrees: f32) -> CommandLine {
    CommandLine::new("pose.rotate").with("node", "Head").with("axis", "y").with("degrees", degrees)
}

fn reduce() -> CommandLine {
    CommandLine::new("clip.reduce").with("clip", "Walk")
}

fn flood(value: f32) -> CommandLine {
    CommandLine::new("weights.flood")
        .with("joint", "Head")
        .with("value", value)
        .with("vertices", "0-200")
}

#[test]
fn a_preview_does_not_discard_running_work() {
    for line in [reduce(), flood(0.5), turn(5.0)] {
        let (mut session, mut plain) = (sample(), sample());
        run(&mut plain, &line);
        let work = session.work("Long", vec![command(&line)]);
        session.preview_all("Turn", &[command(&turn(30.0))]).unwrap();
        session.cancel();
        assert!(session.take_worked(work.run()).unwrap(), "{line}");
        assert!(session.document() == plain.document(), "{line}");
        assert!(
            session.take_sentence().iter().all(|n| !n.contains("was computed")),
            "the model is as it was"
        );
    }
}

#[test]
fn background_work_and_independent_steps_are_both_kept() {
    let mut tried = 0;
    let all = [
        reduce(),
        flood(0.5),
        turn(5.0),
        CommandLine::new("clip.rename").with("clip", "Wave").with("name", "Hello"),
    ];
    for (k, long) in all.iter().enumerate() {
        for short in all.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, s)| s) {
            let (mut session, mut plain) = (sample(), sample());
            run(&mut plain, short);
            run(&mut plain, long);
            let work = session.work("Long", vec![command(long)]);
            run(&mut session, short);
            assert!(session.take_worked(work.run()).unwrap(), "{long} beside {short}");
            assert!(session.document() == plain.document(), "{long} beside {short}");
            assert!(
                session.take_sentence().iter().any(|n| n.contains("was computed")),
                "it is said"
            );
            session.undo();
            let mut alone = sample();
            run(&mut alone, short);
            assert!(session.document() == alone.document(), "{short} is there without {long}");
            tried += 1;
        }
    }
    assert_eq!(tried, 12);
}

#[test]
fn background_work_never_overwrites_newer_edits_without_asking_and_is_not_lost() {
    let mut session = sample();
    let work = session.work("Long", vec![command(&flood(0.5))]);
    run(&mut session, &flood(0.25));
    let before = session.document().clone();
    let worked = match session.take_worked(work.run()) {
        Err(NotTaken::Changed(worked)) => worked,
        other => panic!("{other:?}"),
    };
    assert!(*session.document() == before && session.history().done().len() == 1);
    // Applying the returned result over the newer edit is one more step.
    assert!(session.put_in(*worked).unwrap());
    assert_eq!(session.history().done().len(), 2);
    session.undo();
    assert!(*session.document() == before);
    // Alternatively, the commands can run again on the current document.
    let work = session.work("Long", vec![command(&flood(0.5))]);
    run(&mut session, &flood(0.75));
    let Err(NotTaken::Changed(worked)) = session.take_worked(work.run()) else {
        panic!("it was taken")
    };
    let again = worked.into_commands();
    assert_eq!(again, vec![command(&flood(0.5))]);
    // A session refuses the result of another file.
    let mut other = sample();
    let work = session.work("Long", vec![command(&turn(5.0))]);
    let refused = other.take_worked(work.run());
    assert!(refused.is_err_and(|e| e.to_string().contains("another file")));
}

/// A stroke that cannot be stored in the target layer is stored in a new layer, with a note.
#[test]
fn a_stroke_that_fits_in_no_layer_gets_a_new_layer() {
    let mut session = sample();
    run(&mut session, &CommandLine::new("weight_layer.add").with("name", "Arms"));
    run(
        &mut session,
        &CommandLine::new("weight_layer.show").with("layer", "Arms").with("shown", false),
    );
    let (mesh, primitive, patch) = {
        let mut painted = sample();
        run(&mut painted, &flood(0.5));
        let step = painted.history().done().last().unwrap().clone();
        let patch = step.edits().find_map(|edit| match edit {
            Edit::PatchWeights { mesh, primitive, patch } => {
                Some((*mesh, *primitive, (**patch).clone()))
            }
            _ => None,
        });
        patch.unwrap()
    };
    let now = |session: &Session, patch: &WeightPatch| {
        session
            .document()
            .primitive(mesh, primitive)
            .unwrap()
            .weights
            .as_ref()
            .unwrap()
            .pick(&patch.vertices)
    };
    session.extend("Paint weights", mesh, primitive, patch.clone()).unwrap();
    assert!(session.settle(), "the stroke is kept");
    assert!(session.take_lost_stroke().is_none());
    let (got, meant) = (now(&session, &patch), &patch);
    let sum = |p: &WeightPatch| p.weights.iter().map(|w| f64::from(*w)).sum::<f64>();
    assert_eq!(got.vertices, meant.vertices);
    assert!((sum(&got) - sum(meant)).abs() < 1e-3);
    let layers = session.document().aids.weight_layers.values().next().unwrap().clone();
    assert_eq!(layers.layers.len(), 2, "in a layer of its own");
    assert!(session.take_sentence().iter().any(|n| n.contains("put in a new layer")));
    session.document().check().unwrap();
}
