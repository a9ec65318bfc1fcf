//! A body with as many joints as game characters have, made from the sample.

use serde_json::{Value, json};

/// Returns the sample with additional joints below its hips, `joints` in total. `legs` scales the
/// length of the legs. If it is not 1, the clips are removed.
pub fn game_body(joints: usize, legs: f64) -> Option<Vec<u8>> {
    let sample = include_bytes!("../../assets/mannequin.glb");
    let word =
        |at: usize| Some(u32::from_le_bytes(sample.get(at..at + 4)?.try_into().ok()?) as usize);
    let end = 20 + word(12)?;
    let mut json: Value = serde_json::from_slice(&sample[20..end]).ok()?;
    let all = json["nodes"].as_array()?.len();
    let hips = json["nodes"].as_array()?.iter().position(|n| n["name"] == "Hips")?;
    let more = joints.checked_sub(json["skins"][0]["joints"].as_array()?.len())?;
    for node in all..all + more {
        json["nodes"]
            .as_array_mut()?
            .push(json!({"name": format!("Twist{node}"), "translation": [0.0, 0.1, 0.0]}));
        json["nodes"][hips]["children"].as_array_mut()?.push(node.into());
        json["skins"][0]["joints"].as_array_mut()?.push(node.into());
    }
    // The bind pose does not matter here, and the file has too few matrices for the added joints.
    json["skins"][0].as_object_mut()?.remove("inverseBindMatrices");
    for node in json["nodes"].as_array_mut()? {
        let is_leg = ["LeftLowerLeg", "RightLowerLeg", "LeftFoot", "RightFoot", "Hips"]
            .iter()
            .any(|name| node["name"] == *name);
        if let Some(way) = node.get_mut("translation").filter(|_| is_leg) {
            let longer: Vec<f64> =
                way.as_array()?.iter().map(|v| v.as_f64().unwrap_or(0.0) * legs).collect();
            *way = json!(longer);
        }
    }
    if legs != 1.0 {
        json.as_object_mut()?.remove("animations");
    }
    let mut text = serde_json::to_vec(&json).ok()?;
    text.resize(text.len().div_ceil(4) * 4, b' ');
    let rest = &sample[end..];
    let mut made = b"glTF\x02\0\0\0".to_vec();
    made.extend(u32::try_from(20 + text.len() + rest.len()).ok()?.to_le_bytes());
    made.extend(u32::try_from(text.len()).ok()?.to_le_bytes());
    made.extend(b"JSON");
    made.extend(text);
    made.extend(rest);
    Some(made)
}
