//! Weights as JSON, with one line per vertex. Numbers have the fewest digits that preserve all
//! bits.
//!
//! ```json
//! {"ulna.weights": 1, "shapes": [{"name": "Body", "vertex_count": 2, "joints": ["Hips", "Spine"],
//!   "positions": [[0, 1, 0], [0, 2, 0]], "weights": [[[0, 1]], [[0, 0.25], [1, 0.75]]]}]}
//! ```
//!
//! The member `vertices` lists the vertex of each row. It is omitted if the rows are all vertices
//! in order.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::error::{MOST_VERTICES, WeightFileError, weight};
use ulna_model::{WeightShape, WeightTable};

/// Format version that is written, and the latest version that can be read.
const VERSION: u32 = 1;

#[derive(Deserialize)]
struct File {
    #[serde(rename = "ulna.weights")]
    version: u32,
    shapes: Vec<JsonShape>,
}

#[derive(Serialize, Deserialize)]
struct JsonShape {
    name: String,
    vertex_count: usize,
    joints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    positions: Vec<[f32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<u32>>,
    weights: Vec<Vec<(u16, f32)>>,
}

pub(super) fn read(text: &str) -> Result<WeightTable, WeightFileError> {
    let file: File =
        serde_json::from_str(text).map_err(|e| WeightFileError::Json(e.to_string()))?;
    if file.version > VERSION {
        return Err(WeightFileError::Json(format!(
            "it has version {}, but this version of Ulna reads only up to {VERSION}; update Ulna",
            file.version
        )));
    }
    file.shapes
        .into_iter()
        .map(shape)
        .collect::<Result<_, _>>()
        .map(|shapes| WeightTable { shapes })
}

fn shape(from: JsonShape) -> Result<WeightShape, WeightFileError> {
    let JsonShape { name, vertex_count, joints, positions, vertices, weights } = from;
    let wrong = |place: String, what: String| WeightFileError::Number { place, what };
    let place = format!("shape “{name}”");
    let many = |count: usize, what: &str, of: usize| {
        wrong(
            place.clone(),
            format!("it has {count} {what}, but {of} vertices; one per vertex is needed"),
        )
    };
    if vertex_count > MOST_VERTICES {
        return Err(wrong(place, format!("{vertex_count} vertices exceed the maximum of a mesh")));
    }
    let vertices = match vertices {
        Some(list) if list.len() != weights.len() => {
            return Err(many(list.len(), "vertex indices", weights.len()));
        }
        Some(list) => list,
        None if weights.len() != vertex_count => {
            return Err(many(weights.len(), "rows", vertex_count));
        }
        None => (0..weights.len() as u32).collect(),
    };
    if !positions.is_empty() && positions.len() != vertex_count {
        return Err(many(positions.len(), "positions", vertex_count));
    }
    let mut made = WeightShape::new(name);
    made.vertex_count = vertex_count;
    made.positions = positions.into_iter().map(Vec3::from).collect();
    for (vertex, row) in vertices.into_iter().zip(weights) {
        if vertex as usize >= vertex_count {
            return Err(wrong(
                place.clone(),
                format!(
                    "vertex {vertex} does not exist, since the shape has {vertex_count} vertices"
                ),
            ));
        }
        for (joint, value) in &row {
            weight(*value, || format!("{place}, vertex {vertex}"))?;
            if usize::from(*joint) >= joints.len() {
                return Err(wrong(
                    format!("{place}, vertex {vertex}"),
                    format!(
                        "joint {joint} does not exist, since the shape has {} joints",
                        joints.len()
                    ),
                ));
            }
        }
        made.push(vertex, row);
    }
    made.joints = joints;
    Ok(made)
}

pub(super) fn write(table: &WeightTable) -> String {
    let mut text = format!("{{\"ulna.weights\": {VERSION}, \"shapes\": [");
    for (k, from) in table.shapes.iter().enumerate() {
        let in_order = from.len() == from.vertex_count
            && from.vertices.iter().enumerate().all(|(k, v)| *v as usize == k);
        let head = JsonShape {
            name: from.name.clone(),
            vertex_count: from.vertex_count,
            joints: from.joints.clone(),
            positions: from.positions.iter().map(|p| p.to_array()).collect(),
            vertices: (!in_order).then(|| from.vertices.clone()),
            weights: Vec::new(),
        };
        let head = serde_json::to_string(&head).unwrap_or_default();
        text.push_str(if k == 0 { "\n" } else { ",\n" });
        // The list of rows is the last member, with one line of text per row.
        text.push_str(head.strip_suffix("[]}").unwrap_or(&head));
        text.push('[');
        for row in 0..from.len() {
            text.push_str(if row == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(from.row(row)).unwrap_or_default());
        }
        text.push_str("\n]}");
    }
    text.push_str("\n]}\n");
    text
}
