//! Commands on the mix.

use serde_json::Value;

use super::text::named_mix;
use crate::command::{
    ArgumentType,
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice, field},
};
use ulna_model::{Enter, Mix, Shared};

document_commands! {
    /// Commands on the mix.
    MixCommand in "Clip/Mix";

    /// Adds markers L and R at the footsteps of a clip
    MarkFootfalls {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.footfalls", "Mark footsteps", asks: true;
    /// Plays one clip on the upper body and another clip on the rest of the body
    PlayOver {
        /// Clip of the whole body.
        clip: ClipName,
        /// Clip of the upper body.
        over: ClipName,
        /// First joint of the upper body, with its descendants; found automatically if omitted.
        node: Option<Nodes>,
        /// Start time in the mix, in seconds; 0 if omitted.
        time: Option<Seconds>,
    } = "mix.over", "Overlay the upper body", asks: true;
    /// Adds a transition to another clip: now, at the end, at the next marker or at the best match
    GoTo {
        /// Clip that the transition leads to.
        clip: ClipName,
        /// Current time of the mix, in seconds.
        time: Seconds,
        /// Start of the transition; now if omitted.
        when: Option<GoWhen>,
        /// Kind of transition; a cross-fade if omitted.
        how: Option<EnterHow>,
        /// Length of the transition, in seconds; 0.25 if omitted.
        fade: Option<Seconds>,
        /// Lane of the clip; the lowest if omitted.
        lane: Option<String>,
    } = "mix.go", "Transition to a clip", asks: true;
    /// Bakes the mix to a new clip
    BakeMix {
        /// Name of the new clip.
        name: Option<String>,
        /// Frames per second; the highest frame rate of its clips if omitted.
        rate: Option<f32>,
        /// Maximum error on the skin, in millimeters for a body 1.8 m tall, where 0 keeps all keys;
        /// 1 if omitted.
        millimetres: Option<f32>,
        /// Whether to remove the travel over the ground; no if omitted.
        in_place: Option<bool>,
    } = "mix.bake", "Bake the mix to a clip";
    /// Saves the mix in the file, or removes it from the file
    KeepMix {
        /// Whether to save the mix in the file; yes if omitted.
        on: Option<bool>,
    } = "mix.keep", "Save the mix in the file";
    /// Replaces all lanes of the mix
    SetMix {
        /// Mix as JSON: its lanes, each with its bars.
        mix: MixText,
    } = "mix.set", "Set the mix", asks: true;
    /// Removes all lanes of the mix
    ClearMix {} = "mix.clear", "Clear the mix";
}

choice! {
    /// Start of a transition.
    GoWhen {
        /// Immediately.
        Now = "now",
        /// At the end of the current clip.
        End = "end",
        /// At the next marker of the current clip.
        Marker = "marker",
        /// At the next time where the poses of both clips match best.
        Seam = "seam",
    }
}

choice! {
    /// Kind of a transition to a clip.
    EnterHow {
        /// Cross-fade: the weight of the new clip increases while the other clip continues.
        Fade = "fade",
        /// Fade from the current pose, which is frozen.
        Frozen = "frozen",
        /// Interpolation from the last key of the old clip to the first key of the new one.
        Keys = "keys",
        /// Inertial blend: a jump to the new clip, with an offset that decays.
        Inertial = "inertial",
        /// A jump to the new clip.
        Cut = "cut",
    }
}

impl From<EnterHow> for Enter {
    fn from(how: EnterHow) -> Self {
        match how {
            EnterHow::Fade => Self::Fade,
            EnterHow::Frozen => Self::Frozen,
            EnterHow::Keys => Self::Keys,
            EnterHow::Inertial => Self::Inertial,
            EnterHow::Cut => Self::Cut,
        }
    }
}

/// A mix, or its text form.
#[derive(Clone, Debug, PartialEq)]
pub enum MixText {
    /// The parsed mix.
    Mix(Shared<Mix>),
    /// The text form, which is not parsed yet.
    Text(Value),
}
field!(
    MixText,
    ArgumentType::Text,
    |from, name| from.value(name).map(|v| Self::Text(v.clone())),
    |v, document| match v {
        Self::Text(text) => text.clone(),
        // Serialization of plain numbers and names cannot fail.
        Self::Mix(mix) => serde_json::to_value(named_mix(document, mix)).unwrap_or_default(),
    }
);
