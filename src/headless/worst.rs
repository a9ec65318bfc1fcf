//! `ulna worst`: lists the worst skin deformations over all clips and a range of motion.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, AtomicU32},
};

use serde_json::json;

use super::{
    arguments::Out,
    inputs::open,
    report::{Failure, members, object, print},
};
use ulna_model::Document;
use ulna_motion::{Sampling, Spot, WorstPose};

pub(super) fn worst(path: &Path, count: usize, no_range: bool, out: Out) -> Result<u8, Failure> {
    let session = open(path)?;
    let document = session.document();
    let all = Sampling::default();
    let sampling = Sampling { degrees: all.degrees.filter(|_| !no_range), ..all };
    let found = WorstPose::search(document, &sampling, &AtomicBool::new(false), &AtomicU32::new(0));
    let spots = found.map(|found| found.worst(count)).unwrap_or_default();
    if out.json {
        let list: Vec<serde_json::Value> = spots.iter().map(|s| facts(document, s)).collect();
        let facts = members(json!({"file": path.display().to_string(), "spots": list}));
        return print(&object("worst", facts).to_string()).map(|()| 0);
    }
    if out.quiet {
        return Ok(0);
    }
    for (k, spot) in spots.iter().enumerate() {
        let clip =
            spot.clip.map_or_else(|| "range of motion".to_owned(), |c| document.clip_label(c));
        let flipped = if spot.strain.flipped { ", flipped" } else { "" };
        print(&format!(
            "{}. score {:.2}: stretch {:.2}, volume {:.2}{flipped} at vertex {} of {}, \
                primitive {}; {clip}, {:.3} s",
            k + 1,
            spot.score,
            spot.strain.stretch,
            spot.strain.volume,
            spot.vertex,
            document.node(spot.node).label(spot.node),
            spot.primitive,
            spot.time,
        ))?;
    }
    if spots.is_empty() {
        print("No deformation found: no clip or joint moves a skinned surface")?;
    }
    Ok(0)
}

fn facts(document: &Document, spot: &Spot) -> serde_json::Value {
    let primitive =
        document.node(spot.node).mesh.and_then(|mesh| document.primitive(mesh, spot.primitive));
    let position =
        primitive.and_then(|p| p.positions.get(spot.vertex as usize)).map(|p| p.to_array());
    json!({
        "node": spot.node.0,
        "name": document.node(spot.node).label(spot.node),
        "primitive": spot.primitive,
        "vertex": spot.vertex,
        // Position in the mesh in its bind pose.
        "position": position,
        "clip": spot.clip.map(|c| document.clip_label(c)),
        "time": spot.time,
        "score": spot.score,
        "stretch": spot.strain.stretch,
        "volume": spot.strain.volume,
        "flipped": spot.strain.flipped,
    })
}
