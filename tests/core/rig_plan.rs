//! Plans of several skeleton changes: measured together, applied as one step, and run on other
//! files as scripts.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{fs, process::Command as Process};

use glam::DMat4;
use serde_json::{Value, json};
use ulna_edit::{Command, CommandLine};
use ulna_motion::{Deviation, DeviationRequest, Exactness, JointFrame};
use ulna_session::{Session, Worked};

use crate::common::{run, sample};

fn orient(node: &str, degrees: [f64; 3]) -> CommandLine {
    CommandLine::new("joint.orient").with("node", node).with("degrees", json!(degrees))
}

fn shift(node: &str, by: [f64; 3]) -> CommandLine {
    CommandLine::new("joint.move").with("node", node).with("by", json!(by))
}

fn dissolve(node: &str) -> CommandLine {
    CommandLine::new("joint.dissolve").with("node", node).with("weights", "parent")
}

fn worked(session: &Session, lines: &[CommandLine]) -> Worked {
    let commands: Vec<Command> = lines.iter().map(|l| Command::read(l).unwrap()).collect();
    session.work("a plan", commands).run()
}

#[test]
fn several_changes_of_joint_frames_combine_and_exact_ones_remain_exact() {
    let session = sample();
    let lines =
        [orient("LeftLowerArm", [30.0, 0.0, 0.0]), orient("LeftLowerArm", [0.0, 20.0, 0.0])];
    let worked = worked(&session, &lines);
    let (changes, report) = worked.effects().unwrap();
    let report = report.unwrap();
    assert!(changes && report.is_exact);
    assert_eq!((report.deviation.worst_mm, report.deviation.worst_degrees), (0.0, 0.0));
    assert_eq!(report.nodes.reframed, 1);
    let wanted =
        DMat4::from_rotation_x(30f64.to_radians()) * DMat4::from_rotation_y(20f64.to_radians());
    let (_, frame) = report.matches.frames.iter().next().unwrap();
    let off = (*frame - wanted).to_cols_array().into_iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert!(off < 1e-9, "{off}");
    // A change and its reverse leave the skin and the joint axes unchanged.
    let lines = [orient("LeftHand", [90.0, 0.0, 0.0]), orient("LeftHand", [-90.0, 0.0, 0.0])];
    let back = self::worked(&session, &lines);
    let report = back.effects().unwrap().1.unwrap();
    assert_eq!(report.deviation.worst_mm, 0.0);
}

#[test]
fn a_plan_reports_the_deviation_of_all_its_changes_together() {
    let mut session = sample();
    let before = session.document().clone();
    let lines = [
        shift("LeftLowerLeg", [0.0, 0.0, 0.05]),
        dissolve("LeftLowerArm"),
        orient("RightHand", [0.0, 45.0, 0.0]),
    ];
    let worked = worked(&session, &lines);
    let report = worked.effects().unwrap().1.unwrap().clone();
    assert!(!report.is_exact && report.gives_weights);
    let after = worked.document_after().unwrap().clone();
    // Measures the deviation again, between the first and the last state.
    let gone: Vec<_> = before.node_ids().filter(|n| !after.nodes.contains(*n)).collect();
    let frames: Vec<JointFrame> = report
        .matches
        .frames
        .iter()
        .map(|(n, c)| JointFrame { before: *n, after: *n, before_from_after: *c })
        .collect();
    let request = DeviationRequest {
        joints: &frames,
        excluded: &gone,
        ..DeviationRequest::new(&before, &after, Exactness::Bounded)
    };
    let again = Deviation::measure(&request, &Default::default(), &Default::default()).unwrap();
    assert_eq!(report.deviation, again);
    assert!(report.deviation.worst_mm > 1.0, "the arm bends in one piece");
    assert!(session.take_worked(worked).unwrap());
    assert_eq!(session.history().done().len(), 1);
    assert_eq!(session.document().nodes, after.nodes);
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn a_plan_names_its_refused_change() {
    let session = sample();
    let lines = [
        orient("RightHand", [0.0, 45.0, 0.0]),
        dissolve("LeftLowerArm"),
        shift("LeftLowerArm", [0.0, 0.0, 0.05]),
    ];
    let worked = worked(&session, &lines);
    assert_eq!(worked.refused_at(), Some(2));
    assert_eq!(worked.effects().map(|_| ()).unwrap_err().code(), "no_such_name");
    assert!(worked.document_after().is_none());
}

#[test]
fn a_plan_runs_as_a_script_on_a_pack_of_files_with_one_skeleton() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [shift("LeftLowerLeg", [0.0, 0.0, 0.05]), orient("RightHand", [0.0, 45.0, 0.0])];
    let plan = folder.path().join("plan.jsonl");
    fs::write(&plan, lines.iter().map(|l| format!("{l}\n")).collect::<String>()).unwrap();
    let mut files = Vec::new();
    for (name, scale) in [("one.glb", None), ("two.glb", Some("RightLowerArm"))] {
        let mut session = sample();
        // The second character differs in one joint.
        if let Some(joint) = scale {
            run(&mut session, orient(joint, [10.0, 0.0, 0.0]));
        }
        let path = folder.path().join(name);
        session.write_to(&path).unwrap();
        files.push(path.display().to_string());
    }
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let done = Process::new(env!("CARGO_BIN_EXE_ulna"))
        .args(["run", "--json"])
        .arg(&plan)
        .args(&files)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let facts: Value = serde_json::from_str(&text).unwrap();
    let files = facts["files"].as_array().unwrap();
    let acts: Vec<&Value> =
        files.iter().flat_map(|file| file["commands"].as_array().into_iter().flatten()).collect();
    assert_eq!(acts.len(), 4, "{text}");
    assert!(acts.iter().all(|act| act["changed"] == true && act["worst_mm"].is_number()));
    for name in ["one.glb", "two.glb"] {
        assert!(out.join(name).is_file(), "{name}");
    }
}
