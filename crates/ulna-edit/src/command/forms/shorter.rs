//! Faster alternatives to a form: a drag, a field or a list in the window.

use crate::command::CommandSpec;

/// Returns a sentence about a faster alternative to the form of a command; `None` if there is none
/// besides the command's key. `{tool.move}` in the sentence stands for the key of that command.
pub fn shorter(spec: &CommandSpec) -> Option<&'static str> {
    const LAYERS: &str = "Use the list of layers at the top of the inspector.";
    const PAINT: &str = "Use the list of layers in Paint mode.";
    Some(match spec.name {
        "pose.rotate" | "pose.turn" => "Press {tool.rotate}, an axis and a number, or drag a ring.",
        "pose.move" | "pose.shift" => "Press {tool.move}, an axis and a number, or drag an arrow.",
        "pose.scale" | "pose.resize" => "Press {tool.scale}, an axis and a number, or drag a box.",
        "pose.set" | "pose.set_local" | "pose.set_world" => {
            "Type into the fields of the inspector."
        }
        "pose.keep" => "Click Save pose in the Poses panel.",
        "pose.apply" => "Click the pose in the Poses panel.",
        "pose.rename_kept" => "Focus the pose in the Poses panel and press F2.",
        "pose.forget" => "Right-click the pose in the Poses panel.",
        "pose.ik" => "Press {tool.drag} and drag the joint.",
        "pose.blend" | "pose.breakdown" => {
            "Drag the buttons Previous, Breakdown and Next sideways."
        }
        "pose.morph" | "unkeyed.morph" | "key.morph" | "pose.reset_morphs" => {
            "Drag the morph targets in the inspector."
        }
        "unkeyed.set" => "Pose the joint with Auto-key off.",
        "layer.rename"
        | "layer.strength"
        | "layer.move"
        | "layer.mask"
        | "layer.copy"
        | "layer.merge_down"
        | "layer.strength_keys" => LAYERS,
        "layer.set" => "Choose the layer, switch Edit to Layer, and pose.",
        "key.move" => "Press {timeline.move} over the timeline and type frames, or drag the keys.",
        "key.scale" => {
            "Press {timeline.scale} over the timeline, or drag the ends of the selection."
        }
        "key.duplicate" => "Press {timeline.duplicate} over the timeline.",
        "key.ripple" => "Press {timeline.ripple} over the timeline.",
        "key.kind" => "Press {timeline.kind} over the timeline.",
        "key.match_seam" => "Right-click a curve and choose Match tangents at the loop's seam.",
        "key.tangents" => "Press {timeline.tangents} over the timeline.",
        "track.interpolation" => "Press {timeline.interpolation} over the timeline.",
        "key.offset" => "Select keys, right-click one of them and choose Offset in the loop.",
        "key.shift" => {
            "Select keys, turn on Edit all selected keys in the toolbar, and pose the joint."
        }
        "key.value" => "Drag the keys on the curves, or type +10 or *1.5 into a value.",
        "rig.put_skeleton" => "Copy the skeleton from a file with the menu Rig.",
        "joint.add" => "Press {tool.joint} and click the model.",
        "clip.rename" => "Double-click the clip in the outliner.",
        "clip.rate" | "clip.ticks" => "Use the list of frame rates above the timeline.",
        "clip.trim" => {
            "Set a play range with {play.range_start} and {play.range_end}; this command then \
                needs no input."
        }
        "clip.put" => "Copy clips in another window and paste them, or use {clip.import}.",
        "contact.move" => "Drag the contact or one of its ends in the timeline.",
        "contact.remove" | "contact.follow" => "Right-click the contact in the timeline.",
        "contact.add" => "Double-click the contact row of the joint in the timeline.",
        "retarget.keep_map" => {
            "Choose Keep in the model's file in the list Map of the Retarget page."
        }
        "marker.move" | "marker.set" | "marker.remove" => {
            "Drag or right-click the marker on the ruler."
        }
        "mix.set" | "mix.go" | "mix.over" => "Use the mixer in the timeline.",
        "edit.revert" => "Use Revert in the list of edits of the inspector.",
        "select.store_set" => "Press Ctrl, Alt and the digit.",
        "select.recall_set" => "Press Alt and the digit.",
        "skin.create" => "Use Weights › Bind…",
        "skin.bind" => "Use Weights › Rebind at a pose…",
        "weights.set" | "weights.assign" => {
            "Type weights into the table of vertices in Paint mode."
        }
        "weight_layer.paint" => "Paint with the brush in Paint mode.",
        "weights.mirror" => "Click one of the Mirror buttons in Paint mode.",
        "weight_layer.remove"
        | "weight_layer.opacity"
        | "weight_layer.show"
        | "weight_layer.mirror"
        | "weight_layer.rename"
        | "weight_layer.solo"
        | "weight_layer.move"
        | "weight_layer.clear"
        | "weight_layer.merge_down" => PAINT,
        "vertices.select" => "Select vertices with the box or the lasso in Paint mode.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, table};

    #[test]
    fn faster_alternatives_name_only_commands_with_keys() {
        for text in table().iter().filter_map(shorter) {
            for part in text.split('{').skip(1) {
                let name = part.split('}').next().unwrap_or_default();
                assert!(
                    find(name).is_some_and(|c| !c.key.is_empty()),
                    "{name} in “{text}” has no key"
                );
            }
        }
    }
}
