//! Weights of a body whose left and right are meshes on skins of their own.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::json;
use ulna::{edit::CommandLine, session::Session};

use crate::common::{run, shared};

#[test]
fn scratch() {
    let Some(shared) = shared() else { return };
    let mut s = Session::open(&shared.join("situations/mirrored-meshes/in.glb"), &Default::default()).unwrap();
    let text = |line: serde_json::Value| CommandLine::parse(&line.to_string()).unwrap();
    println!("{:?}", run(&mut s, text(json!({"do": "weights.mirror", "from": "left"}))));
    println!("{:?}", run(&mut s, text(json!({"do": "weights.flood", "joint": "Hand.L", "value": 0.5, "mesh": "ArmL"}))));
    println!("{:?}", run(&mut s, text(json!({"do": "weights.mirror", "from": "left"}))));
    println!("{:?}", run(&mut s, text(json!({"do": "weights.mirror", "from": "left"}))));
    println!("{:?}", run(&mut s, text(json!({"do": "weights.mirror", "from": "left", "mesh": "ArmL"}))));
}
