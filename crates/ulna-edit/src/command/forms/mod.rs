//! Forms: the editor, unit, range and initial value of each argument of a command, and faster
//! alternatives to the form.
//!
//! The window draws the forms. Users never have to type JSON, `true` or the name of an element.

mod shorter;
mod suggested;

use std::ops::RangeInclusive;

pub use self::{
    shorter::shorter,
    suggested::{Suggestions, present, suggested},
};
use super::{ArgumentSpec, ArgumentType, CommandSpec, PoseDestination, field::ArgumentPart as _};

/// Unit of a number in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit.
    Plain,
    /// Seconds; frames are also accepted.
    Seconds,
    /// Degrees.
    Degrees,
    /// Meters.
    Meters,
    /// Millimeters.
    Millimeters,
    /// Percent; the command receives 0.5 for 50 %.
    Percent,
    /// Frames per second.
    Rate,
    /// A factor, shown with `×`.
    Factor,
}

impl Unit {
    /// Symbol of the unit, shown after the number.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Seconds => "s",
            Self::Degrees => "°",
            Self::Meters => "m",
            Self::Millimeters => "mm",
            Self::Percent => "%",
            Self::Rate => "fps",
            Self::Factor => "×",
        }
    }

    /// Returns the factor from the command's value to the displayed value: 100 for percent, else 1.
    pub const fn shown_per_stored(self) -> f64 {
        if matches!(self, Self::Percent) { 100.0 } else { 1.0 }
    }

    /// Unit symbols that can be typed, each with its size in the displayed unit. `rate` is in
    /// frames per second.
    fn typed(self, rate: f64) -> Vec<(&'static str, f64)> {
        match self {
            Self::Plain => Vec::new(),
            Self::Seconds => {
                vec![
                    ("s", 1.0),
                    ("ms", 1e-3),
                    ("f", 1.0 / rate),
                    ("frame", 1.0 / rate),
                    ("frames", 1.0 / rate),
                ]
            }
            Self::Degrees => vec![("°", 1.0), ("deg", 1.0), ("rad", 1f64.to_degrees())],
            Self::Meters => vec![("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)],
            Self::Millimeters => vec![("mm", 1.0), ("cm", 10.0), ("m", 1e3)],
            Self::Percent => vec![("%", 1.0)],
            Self::Rate => vec![("fps", 1.0)],
            Self::Factor => vec![("×", 1.0), ("x", 1.0)],
        }
    }
}

/// A number in a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Unit of the displayed number.
    pub unit: Unit,
    /// Allowed values, in the unit of the command.
    pub range: RangeInclusive<f64>,
    /// Whether the number must be an integer.
    pub whole: bool,
}

impl Quantity {
    fn new(unit: Unit, range: RangeInclusive<f64>) -> Self {
        Self { unit, range, whole: false }
    }

    fn whole(range: RangeInclusive<f64>) -> Self {
        Self { unit: Unit::Plain, range, whole: true }
    }

    fn any(unit: Unit) -> Self {
        Self::new(unit, -1e6..=1e6)
    }

    fn share() -> Self {
        Self::new(Unit::Percent, 0.0..=1.0)
    }

    /// Returns the form's numbers for a key of a layer's strength: the time and the strength.
    pub fn of_strength_key() -> [Self; 2] {
        [Self::new(Unit::Seconds, 0.0..=1e5), Self::share()]
    }

    /// Parses a typed text with units and arithmetic, such as `90/2`, `12 cm` or `1 s + 3 f`. The
    /// result is in the unit of the command. `rate` is in frames per second.
    ///
    /// # Errors
    /// A sentence, if the text is not a number or the number is out of range.
    pub fn read(&self, text: &str, rate: f64) -> Result<f64, String> {
        let shown = crate::evaluate_with(text, &self.unit.typed(rate));
        let Some(shown) = shown else {
            return Err(format!("“{}” is not a number", text.trim()));
        };
        let value = shown / self.unit.shown_per_stored();
        if self.whole && value.fract() != 0.0 {
            return Err(format!("“{}” is not a whole number", text.trim()));
        }
        // Values that exceed the range only by rounding errors of the unit conversion are accepted.
        let (least, most) = (*self.range.start(), *self.range.end());
        let slack = 1e-9 * (most - least);
        if value < least - slack || value > most + slack {
            return Err(format!("must be {}", self.range_in_words()));
        }
        Ok(value.clamp(least, most))
    }

    /// Describes the range, such as `0 to 100 %`.
    pub fn range_in_words(&self) -> String {
        let per = self.unit.shown_per_stored();
        let (least, most) = (self.range.start() * per, self.range.end() * per);
        let sign = match self.unit {
            Unit::Plain => String::new(),
            Unit::Degrees => "°".to_owned(),
            unit => format!(" {}", unit.sign()),
        };
        if least <= -1e6 && most >= 1e6 {
            return format!("a number{sign}");
        }
        if most >= 1e6 {
            format!("at least {least}{sign}")
        } else {
            format!("{least} to {most}{sign}")
        }
    }

    /// Formats a value of the command for display: at most five decimals, without trailing zeros.
    pub fn shown(&self, value: f64) -> String {
        let text = format!("{:.5}", value * self.unit.shown_per_stored());
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    }
}

/// Nodes that a form offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodesOf {
    /// All nodes, joints first.
    All,
    /// Joints only.
    Joints,
    /// Nodes with a mesh.
    Meshes,
    /// Nodes whose mesh has morph targets.
    Morphs,
    /// Nodes with a camera.
    Cameras,
}

/// Meaning of an omitted flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// The same as off.
    Off,
    /// The same as on.
    On,
    /// Toggles the current state.
    Toggles,
    /// The command chooses on or off.
    Fits,
}

/// Editor of an argument in a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Picker for nodes; for several nodes if the flag is true.
    Nodes(NodesOf, bool),
    /// Picker for a clip.
    Clip,
    /// Picker for several clips.
    Clips,
    /// Picker for meshes.
    Meshes,
    /// Picker for a material.
    Material,
    /// Picker for a skin.
    Skin,
    /// Picker for an image.
    Image,
    /// Picker for a pose layer.
    Layer,
    /// Picker for a weight layer.
    WeightLayer,
    /// Picker for a joint group.
    JointGroup,
    /// Picker for a retarget map.
    RetargetMap,
    /// Picker for a reference model.
    Reference,
    /// Picker for a clip of a reference model.
    ReferenceClip,
    /// Picker for a saved pose.
    KeptPose,
    /// Picker for a morph target.
    MorphTarget,
    /// Picker for a lane of the mixer.
    Lane,
    /// Picker for a workspace of the window.
    Workspace,
    /// Picker for a marker of the clip, by its time.
    Marker,
    /// Picker for a component of a value, by its index.
    Component,
    /// Picker for a color, with a palette.
    Color,
    /// Choice between the selected keys and all keys.
    Keys,
    /// Choice among words.
    Words(&'static [&'static str]),
    /// Checkbox, or a list with a third state if omitting the flag is neither on nor off.
    Flag(Unset),
    /// Checkboxes for translation, rotation and scale, and for morph weights if the flag is true.
    Parts(bool),
    /// Field for a number.
    Number(Quantity),
    /// Fields for three numbers.
    Vector(Quantity),
    /// Field for a factor: one number for all axes, or three.
    Factor(Quantity),
    /// Choice of an axis, or fields for a direction.
    Axis,
    /// Field for a list of numbers.
    Numbers(Quantity),
    /// Table of the keys of a layer's strength, as pairs of time and strength.
    StrengthKeys,
    /// Field for vertices, by indices or by a query.
    Vertices,
    /// Field for a new name or a text.
    Text,
    /// Picker for a name in the file that the command reads.
    NameThere,
    /// Field for the path of a file.
    Path,
    /// No editor: only programs write this argument.
    Data,
}

impl Entry {
    /// Whether the argument is typed as free text.
    pub const fn is_free_text(&self) -> bool {
        matches!(self, Self::Text)
    }
}

/// Returns the editor of an argument of a command; `None` if none is defined. A test ensures that
/// every argument has one.
pub fn entry(spec: &CommandSpec, argument: &ArgumentSpec) -> Option<Entry> {
    Some(match argument.kind {
        ArgumentType::Node => Entry::Nodes(nodes_of(spec, argument), !is_single(spec, argument)),
        ArgumentType::Clip if reads_layers(spec) && argument.name == "clip" => Entry::NameThere,
        ArgumentType::Clip => Entry::Clip,
        ArgumentType::Mesh => Entry::Meshes,
        ArgumentType::Keys => Entry::Keys,
        ArgumentType::Vertices if argument.required && has_data(spec) => Entry::Data,
        ArgumentType::Vertices => Entry::Vertices,
        ArgumentType::Path => Entry::Path,
        ArgumentType::Axis => Entry::Axis,
        // The argument `degrees` next to it has an editor.
        ArgumentType::Quaternion => Entry::Data,
        ArgumentType::Parts => Entry::Parts(false),
        ArgumentType::KeyParts => Entry::Parts(true),
        ArgumentType::Space => Entry::Words(&["local", "parent", "world"]),
        ArgumentType::Choice(words) => Entry::Words(words),
        ArgumentType::Flag => Entry::Flag(unset(spec, argument)),
        ArgumentType::Seconds if names_marker(spec) && argument.name == "time" => Entry::Marker,
        ArgumentType::Seconds => {
            let least = if argument.name == "by" { -1e5 } else { 0.0 };
            Entry::Number(Quantity::new(Unit::Seconds, least..=1e5))
        }
        ArgumentType::Degrees => Entry::Number(Quantity::new(Unit::Degrees, -3600.0..=3600.0)),
        ArgumentType::Vector => Entry::Vector(vector(argument)),
        ArgumentType::Factor
            if spec.name.starts_with("pose.move") || spec.name.starts_with("pose.shift") =>
        {
            Entry::Vector(Quantity::any(Unit::Meters))
        }
        ArgumentType::Factor => Entry::Factor(Quantity::any(Unit::Factor)),
        ArgumentType::Numbers => numbers(spec, argument)?,
        ArgumentType::Number if argument.name == "component" => Entry::Component,
        ArgumentType::Number => Entry::Number(number(spec, argument)?),
        ArgumentType::Text => text(spec, argument)?,
    })
}

fn is_of_weights(spec: &CommandSpec) -> bool {
    spec.name.starts_with("weights.") || spec.name.starts_with("weight_layer.")
}

fn reads_layers(spec: &CommandSpec) -> bool {
    spec.name == "layer.import"
}

/// Whether the command changes an existing marker.
fn names_marker(spec: &CommandSpec) -> bool {
    matches!(spec.name, "marker.move" | "marker.set" | "marker.remove")
}

/// Whether the command takes a list of vertices with their weights.
fn has_data(spec: &CommandSpec) -> bool {
    matches!(spec.name, "weights.set" | "weight_layer.paint")
}

fn nodes_of(spec: &CommandSpec, argument: &ArgumentSpec) -> NodesOf {
    match (spec.name, argument.name) {
        ("skin.create" | "skin.bind" | "skin.merge", "node") => NodesOf::Meshes,
        ("view.camera", _) => NodesOf::Cameras,
        (name, "node") if name.ends_with("morph") || name.ends_with("morphs") => NodesOf::Morphs,
        (_, "joint" | "joints" | "locked" | "below") => NodesOf::Joints,
        _ if is_of_weights(spec) => NodesOf::Joints,
        _ => NodesOf::All,
    }
}

/// Whether a command takes only one node, although the argument type accepts several.
fn is_single(spec: &CommandSpec, argument: &ArgumentSpec) -> bool {
    matches!(
        (spec.name, argument.name),
        (
            "node.rename"
                | "view.camera"
                | "pose.ik"
                | "key.shift"
                | "clip.root_motion"
                | "mix.over"
                | "rig.skeleton_from_nodes",
            "node"
        ) | ("node.add" | "node.reparent", "parent" | "before")
            | ("joints.pair" | "weights.swap", "joint" | "with")
            | (
                "weights.flood"
                    | "weights.gradient"
                    | "weights.smooth"
                    | "weights.relax"
                    | "vertices.in_range",
                "joint"
            )
            | ("weights.along", "from" | "to")
            | ("weights.merge" | "joint.merge", "into")
            | ("layer.mask", "below")
    )
}

fn unset(spec: &CommandSpec, argument: &ArgumentSpec) -> Unset {
    match (spec.name, argument.name) {
        (name, _) if name.starts_with("reference.") => Unset::Toggles,
        ("layer.keep" | "weight_layer.keep", "on") | (_, "muted" | "solo" | "shown") => {
            Unset::Toggles
        }
        (_, "on" | "plant" | "speed" | "ground" | "wrap" | "visible" | "up" | "lower_hips")
        | ("clip.trim", "exact")
        | ("joint.mirror", "below") => Unset::On,
        ("joint.mirror", "weights")
        | ("rig.humanoid", "guess")
        | ("clip.retarget", "contacts")
        | (_, "height" | "turn" | "retime") => Unset::Fits,
        _ => Unset::Off,
    }
}

fn vector(argument: &ArgumentSpec) -> Quantity {
    match argument.name {
        "degrees" => Quantity::new(Unit::Degrees, -3600.0..=3600.0),
        "scale" => Quantity::any(Unit::Factor),
        _ => Quantity::any(Unit::Meters),
    }
}

fn numbers(spec: &CommandSpec, argument: &ArgumentSpec) -> Option<Entry> {
    Some(Entry::Numbers(match (spec.name, argument.name) {
        _ if has_data(spec) => return Some(Entry::Data),
        (_, "times") => Quantity::new(Unit::Seconds, 0.0..=1e5),
        (_, "weights") => Quantity::share(),
        ("layer.strength_keys", "keys") => return Some(Entry::StrengthKeys),
        ("key.value" | "key.proportional", "by") | ("key.ease", "curve") => {
            Quantity::any(Unit::Plain)
        }
        ("track.filter", "protect") | ("key.retime", "from" | "to") => {
            Quantity::new(Unit::Seconds, 0.0..=1e5)
        }
        _ => return None,
    }))
}

fn number(spec: &CommandSpec, argument: &ArgumentSpec) -> Option<Quantity> {
    let of_weights = is_of_weights(spec) || spec.name.starts_with("vertices.");
    Some(match (spec.name, argument.name) {
        (_, "set") => Quantity::whole(0.0..=9.0),
        ("joint.insert", "at") => Quantity::share(),
        (_, "toe_roll") => Quantity::share(),
        ("joint.orient", "roll") => Quantity::any(Unit::Degrees),
        ("joint.insert", "count") => Quantity::whole(1.0..=64.0),
        ("pose.blend", "amount") => Quantity::new(Unit::Percent, -2.0..=3.0),
        ("key.ease", "amount") => Quantity::new(Unit::Percent, 0.0..=2.0),
        ("key.slope", "slope") => Quantity::any(Unit::Plain),
        ("key.slide", "amount") => Quantity::new(Unit::Percent, -1.0..=1.0),
        (_, "cutoff" | "hz") => Quantity::new(Unit::Plain, 0.1..=1000.0),
        ("track.filter", "order") => Quantity::whole(1.0..=8.0),
        ("track.filter", "limit") => Quantity::new(Unit::Plain, 0.5..=100.0),
        ("track.filter", "noise") => Quantity::new(Unit::Plain, 0.0..=1e6),
        (_, "seed") => Quantity::whole(0.0..=1e6),
        ("pose.breakdown", "part") => Quantity::new(Unit::Percent, -1.0..=2.0),
        ("material.height_to_normal", "strength") => Quantity::new(Unit::Plain, 0.01..=1000.0),
        ("joint.rename", "number") => Quantity::whole(0.0..=1e6),
        ("joint.leaf", "length") => Quantity::new(Unit::Meters, 0.0..=1000.0),
        ("pin.hold", "tolerance") => Quantity::new(Unit::Meters, 0.0..=1.0),
        ("key.clean", "tolerance") => Quantity::new(Unit::Plain, 0.0..=1e6),
        (
            _,
            "strength" | "opacity" | "amount" | "below" | "in_common" | "volume" | "value"
            | "width",
        ) => Quantity::share(),
        (_, "from" | "to") if of_weights => Quantity::share(),
        (_, "from" | "to") => Quantity::any(Unit::Plain),
        (_, "weight") => Quantity::new(Unit::Percent, -10.0..=10.0),
        (_, "falloff") => Quantity::whole(0.0..=100.0),
        (_, "place" | "primitive") => Quantity::whole(0.0..=1e6),
        (_, "chain") => Quantity::whole(1.0..=100.0),
        (_, "factor" | "speed" | "stride") => Quantity::new(Unit::Factor, 0.001..=1000.0),
        ("clip.ticks", "rate") => Quantity::new(Unit::Plain, 0.1..=1e6),
        (_, "rate") => Quantity::new(Unit::Rate, 0.1..=10_000.0),
        (_, "frames") => Quantity::whole(1.0..=10_000.0),
        ("play.go_to", "frame") => Quantity::whole(0.0..=1e6),
        (_, "millimetres") => Quantity::new(Unit::Millimeters, 0.0..=1000.0),
        (_, "degrees") => Quantity::new(Unit::Degrees, 0.0..=180.0),
        ("skin.split", "most") => Quantity::whole(1.0..=65_535.0),
        ("weights.bind" | "skin.create", "sharpness") => Quantity::new(Unit::Plain, 0.5..=8.0),
        ("weights.bind" | "skin.create", "envelope") => Quantity::new(Unit::Plain, 0.05..=10.0),
        ("weights.bind" | "skin.create", "grid") => Quantity::whole(64.0..=256.0),
        ("weights.bind" | "skin.create", "limit") => Quantity::whole(1.0..=16.0),
        (_, "most") => Quantity::whole(1.0..=255.0),
        (_, "passes") => Quantity::whole(1.0..=1000.0),
        (_, "points") => Quantity::whole(100.0..=1e6),
        (_, "steps") => Quantity::whole(1.0..=65_535.0),
        (_, "sets") => Quantity::whole(1.0..=64.0),
        _ => return None,
    })
}

fn text(spec: &CommandSpec, argument: &ArgumentSpec) -> Option<Entry> {
    Some(match (spec.name, argument.name) {
        (_, "layer") if reads_layers(spec) => Entry::NameThere,
        // If omitted, meshes with equal names are matched.
        ("weights.import", "from") => Entry::Data,
        (_, "layer") if is_of_weights(spec) => Entry::WeightLayer,
        (_, "layer") => Entry::Layer,
        ("layer.copy", "to") => Entry::Clips,
        (_, "pose") => Entry::KeptPose,
        (_, "reference") => Entry::Reference,
        ("reference.clip", "clip") => Entry::ReferenceClip,
        (_, "group") => Entry::JointGroup,
        (_, "color") => Entry::Color,
        (_, "material") => Entry::Material,
        (_, "skin") => Entry::Skin,
        (_, "image") => Entry::Image,
        (_, "target") => Entry::MorphTarget,
        (_, "lane") => Entry::Lane,
        (_, "workspace") => Entry::Workspace,
        ("retarget.remove_map" | "clip.retarget", "map") => Entry::RetargetMap,
        (_, "contacts") | ("retarget.keep_map", "map") => Entry::Data,
        (_, "text" | "clips" | "mix" | "counterparts" | "skeleton" | "bones") => Entry::Data,
        ("joint.rename", "table") => Entry::Data,
        (_, "name" | "only")
        | ("node.rename_pattern", "from" | "to")
        | ("joint.rename", "find" | "replace" | "prefix" | "suffix")
        | ("weights.bind" | "skin.create", "rigid")
        | ("rig.copy_skeleton" | "rig.put_skeleton", "joint" | "points" | "prefix") => Entry::Text,
        _ => return None,
    })
}

/// Placeholder text for an empty argument of nodes, clips or meshes.
pub fn when_left_out(command: &str, argument: &str) -> &'static str {
    match (command, argument) {
        ("retarget.remove_map", _) => "None",
        (_, "reference") => "The selected one",
        ("reference.clip", _) => "The rest pose",
        ("clip.retarget", "map") => "Automatic",
        (_, "locked" | "with") | ("edit.revert" | "layer.mask" | "set.keep", _) => "None",
        ("clip.root_motion", _) | ("weights.along", "from") => "Automatic",
        ("mix.over", _) => "Upper body",
        ("contact.add" | "contact.follow", "space") => "The scene",
        ("view.camera", _) => "Next camera",
        ("vertices.in_range", _) => "Painted joint",
        ("key.paste", _) => "Same names",
        ("skin.merge", _) => "Skins that share joints",
        ("joint.orient", "like") => "None",
        ("joint.reparent", "to") => "Top of the scene",
        ("node.add" | "node.reparent", "parent") => "Top of the scene",
        ("node.reparent", "before") => "Last",
        ("pose.blend" | "pose.breakdown" | "pose.relax" | "pose.push" | "pose.to_rest", _) => {
            "All posed or animated"
        }
        _ => "All",
    }
}

/// Whether a required argument of the command can only come from a program. The form then describes
/// the alternative for users.
pub fn is_for_programs(spec: &CommandSpec) -> bool {
    spec.arguments.iter().any(|a| a.required && entry(spec, a) == Some(Entry::Data))
}

/// Whether a form requires an argument: the command requires it, or does nothing without it.
pub fn is_needed(spec: &CommandSpec, argument: &ArgumentSpec) -> bool {
    argument.required || (spec.name == "pose.apply" && argument.name == "pose")
}

/// Optional arguments of which a form requires at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededChoice {
    /// Names of the arguments, in groups. Arguments of one group can be combined.
    pub groups: &'static [&'static [&'static str]],
    /// Whether arguments of different groups exclude each other.
    pub exclusive: bool,
}

/// Returns the optional arguments of which a command requires at least one; `None` if there are
/// none.
pub fn needed_choice(spec: &CommandSpec) -> Option<NeededChoice> {
    let (groups, exclusive): (&[&[&str]], bool) = match spec.name {
        "clip.retime" => (&[&["length"], &["factor"], &["speed"]], true),
        "joint.rename" => {
            (&[&["find"], &["humanoid"], &["side"], &["prefix"], &["suffix"], &["number"]], false)
        }
        "edit.revert" => (&[&["clip", "layer"], &["node"], &["mesh"]], true),
        "joint.add" => (&[&["at"], &["by"]], true),
        "joint.orient" => (&[&["degrees"], &["like"], &["world"], &["aim"], &["mirrored"]], true),
        "pose.set" | "pose.set_local" | "pose.set_world" | "unkeyed.set" | "key.shift" => {
            (&[&["translation"], &["degrees"], &["scale"]], false)
        }
        _ => return None,
    };
    Some(NeededChoice { groups, exclusive })
}

/// Whether the arguments `clip`, `time` and `layer` of a command are the destination of a pose. A
/// form has one editor for all three.
pub fn poses_over(spec: &CommandSpec) -> bool {
    let over = PoseDestination::specs("", "");
    over.iter().all(|o| spec.arguments.iter().any(|a| a.name == o.name && a.help == o.help))
}

/// Returns the equivalent command for the displayed clip, if the command changes only the pose of
/// the file.
pub fn over_what_is_shown(spec: &CommandSpec) -> Option<&'static CommandSpec> {
    let name = match spec.name {
        "pose.rotate" => "pose.turn",
        "pose.move" => "pose.shift",
        "pose.scale" => "pose.resize",
        _ => return None,
    };
    super::find(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn every_argument_has_an_editor_and_only_new_names_use_free_text() {
        let mut count = 0;
        for spec in table() {
            for argument in &spec.arguments {
                let entry = entry(spec, argument);
                let entry = entry
                    .unwrap_or_else(|| panic!("{} “{}” has no editor", spec.name, argument.name));
                let is_pattern = matches!(
                    (spec.name, argument.name),
                    ("node.rename_pattern", "from" | "to")
                        | ("joint.rename", "find" | "replace" | "prefix" | "suffix")
                        // Indices of pieces, or the word `all`.
                        | ("weights.bind" | "skin.create", "rigid")
                        // Names in another file, for which there is no picker.
                        | (
                            "rig.copy_skeleton" | "rig.put_skeleton",
                            "joint" | "points" | "prefix",
                        )
                );
                let is_name = matches!(argument.name, "name" | "only") || is_pattern;
                assert_eq!(entry.is_free_text(), is_name, "{} “{}”", spec.name, argument.name);
                count += 1;
            }
        }
        assert!(count > 400, "{count}");
    }

    #[test]
    fn morph_weights_are_offered_only_for_commands_on_keys() {
        let parts = |command: &str| {
            let spec = crate::command::find(command).expect("a command");
            let argument = spec.arguments.iter().find(|a| a.name == "parts").expect("its parts");
            entry(spec, argument)
        };
        assert_eq!(parts("key.delete"), Some(Entry::Parts(true)));
        assert_eq!(parts("key.set"), Some(Entry::Parts(false)));
        assert_eq!(parts("pose.reset"), Some(Entry::Parts(false)));
    }

    #[test]
    fn arguments_without_a_form_editor_have_an_alternative_or_an_explanation() {
        for spec in table() {
            let has = |name: &str| spec.arguments.iter().any(|a| a.name == name);
            for argument in &spec.arguments {
                if entry(spec, argument) != Some(Entry::Data) {
                    continue;
                }
                let otherwise = argument.kind == ArgumentType::Quaternion && has("degrees");
                assert!(
                    otherwise || !argument.required || shorter(spec).is_some(),
                    "{} {}",
                    spec.name,
                    argument.name
                );
            }
        }
    }

    #[test]
    fn alternative_arguments_are_optional_in_the_table_of_commands() {
        for spec in table() {
            let Some(choice) = needed_choice(spec) else { continue };
            for name in choice.groups.concat() {
                let there = spec.arguments.iter().find(|a| a.name == name);
                assert!(there.is_some_and(|a| !a.required), "{} {name}", spec.name);
            }
        }
    }

    #[test]
    fn numbers_are_typed_with_units_and_arithmetic() {
        let meters = Quantity::any(Unit::Meters);
        let seconds = Quantity::new(Unit::Seconds, 0.0..=1e5);
        let share = Quantity::share();
        let degrees = Quantity::new(Unit::Degrees, -360.0..=360.0);
        let near = |q: &Quantity, text: &str, wanted: f64| {
            let read = q.read(text, 30.0).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert!((read - wanted).abs() < 1e-9, "{text}: {read}");
        };
        near(&degrees, "90/2", 45.0);
        near(&degrees, "1.5*2°", 3.0);
        near(&meters, "12 cm", 0.12);
        near(&meters, "1 m + 20 cm", 1.2);
        near(&meters, "−5 mm", -0.005);
        near(&seconds, "15 f", 0.5);
        near(&seconds, "1 s + 3 frames", 1.1);
        near(&share, "50 %", 0.5);
        near(&share, "100/3", 1.0 / 3.0);
        assert_eq!(share.read("120", 30.0), Err("must be 0 to 100 %".to_owned()));
        assert_eq!(share.read("half", 30.0), Err("“half” is not a number".to_owned()));
        assert_eq!(
            Quantity::whole(0.0..=9.0).read("1.5", 30.0),
            Err("“1.5” is not a whole number".to_owned())
        );
        assert_eq!(share.shown(0.5), "50");
        assert_eq!(meters.shown(-0.0), "0");
    }
}
