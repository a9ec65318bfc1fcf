//! `ulna seams`: lists the best transition points between clips.

use std::path::Path;

use serde_json::json;

use super::{
    arguments::Out,
    inputs::open,
    report::{Failure, members, object, print},
};
use ulna_model::ClipId;
use ulna_motion::best_seams;

pub(super) fn seams(path: &Path, out: Out) -> Result<u8, Failure> {
    let session = open(path)?;
    let document = session.document();
    let all: Vec<ClipId> = document.clips.ids().collect();
    let mut found = best_seams(document, &all, &all, &|_| true);
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let label = |id: ClipId| document.clip_label(id);
    if out.json {
        let list: Vec<serde_json::Value> = found
            .iter()
            .map(|s| {
                json!({
                    "from": label(s.from),
                    "to": label(s.to),
                    "leave": s.leave,
                    "enter": s.enter,
                    "distance": s.distance,
                    "angle": s.angle.to_degrees(),
                    "speed": s.speed,
                })
            })
            .collect();
        let facts = members(json!({"file": path.display().to_string(), "seams": list}));
        return print(&object("seams", facts).to_string()).map(|()| 0);
    }
    if out.quiet {
        return Ok(0);
    }
    for s in &found {
        print(&format!(
            "{:6.1} cm {:5.1}° {:6.0} cm/s  {} at {:.3} s to {} at {:.3} s",
            s.distance * 100.0,
            s.angle.to_degrees(),
            s.speed * 100.0,
            label(s.from),
            s.leave,
            label(s.to),
            s.enter,
        ))?;
    }
    if found.is_empty() {
        print("No transitions: the file needs two clips that move joints")?;
    }
    Ok(0)
}
