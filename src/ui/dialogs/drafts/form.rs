//! Content of a command's form: one value per argument, and the resulting command line.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::ui::dialogs::typed_path::expand;
use ulna_edit::{
    ArgumentSpec, ArgumentType, CommandLine, CommandSpec,
    command::{
        AddContact, AddJoint, Bind, ContactSpace, CopyLayer, CreateSkin, ExtractLayer, Gradient,
        HoldKeys, InsertJoint, JoinClip, LockChannels, MaskPoseLayer, MergeJoint, MergeSkins,
        MirrorJoint, MoveJoint, MoveMarker, MovePoseLayer, OrientJoint, PairJoints, PlayOver,
        Prune, RemoveJoint, RemoveMarker, RemoveSkinJoints, RenameJoints, RenameNodes,
        ReparentJoint, RippleKeys, SetMarker, SkeletonFromNodes, SplitSkins, SwapJoints,
        forms::{Entry, NeededChoice, Quantity, entry, is_needed, needed_choice},
    },
    find,
};
use ulna_session::KeptLayer;

/// Names of arguments whose default label would be unclear, each with its label.
const LABELED: [(&str, &str); 19] = [
    ("reference", "Reference model"),
    ("onto", "Nearest"),
    ("most", "Max influences"),
    ("how", "Mode"),
    ("millimetres", "Max error"),
    ("locked", "Locked joints"),
    ("taken", "If the name exists"),
    ("in_common", "Min shared weight"),
    ("set", "Set number (0–9)"),
    ("new_keys", "New keys"),
    ("parts", "Channels"),
    ("about", "Pivot"),
    ("part", "Amount"),
    ("repeat", "At the end"),
    ("make_room", "Shift other keys"),
    ("falloff", "Fall-off, joints"),
    ("passes", "Iterations"),
    ("wrap", "Texture repeats"),
    ("bits", "Bits per weight"),
];

/// Label of an argument whose default label would be unclear; `None` for other arguments.
fn named(spec: &CommandSpec, argument: &ArgumentSpec) -> Option<&'static str> {
    use ArgumentType as Type;
    Some(match (spec.name, argument.name, argument.kind) {
        (_, "degrees", Type::Vector) => "Rotation",
        (_, "degrees", _) => "Angle",
        (RippleKeys::NAME, "by", _) => "Time to insert",
        (_, "by", Type::Seconds) => "Offset",
        (_, "by", Type::Numbers) => "Amount",
        (_, "by", Type::Choice(_)) => "Match by",
        (_, "falloff", Type::Choice(_)) => "Fall-off",
        (AddContact::NAME | ContactSpace::NAME, "space", _) => "Follows",
        (JoinClip::NAME, "with", _) => "Clip to append",
        (PairJoints::NAME, "with", _) => "Mirror joint",
        (SwapJoints::NAME, "with", _) => "Second joint",
        (ExtractLayer::NAME, "other", _) => "Resulting clip",
        (PlayOver::NAME, "clip", _) => "Whole-body clip",
        (PlayOver::NAME, "over", _) => "Upper-body clip",
        (MovePoseLayer::NAME, "place", _) => "Position",
        (MaskPoseLayer::NAME, "below", _) => "First joint",
        (Prune::NAME, "below", _) => "Lowest weight",
        (SplitSkins::NAME, "most", _) => "Max joints per skin",
        // The joint is in another file, so it cannot be picked from a list.
        (_, "joint", Type::Text) => "Topmost joint",
        (Bind::NAME, "joints", _) => "Joints",
        (Bind::NAME, "limit", _) => "Max influences",
        (Bind::NAME, "grid", _) => "Voxels",
        (Bind::NAME, "rebind", _) => "Replace weights",
        (CreateSkin::NAME, "joint", _) => "Joints of the skin",
        (CreateSkin::NAME, "joints", _) => "Joints with weight",
        (CreateSkin::NAME, "limit", _) => "Max influences",
        (CreateSkin::NAME, "grid", _) => "Voxels",
        (Bind::NAME | CreateSkin::NAME, "choose", _) => "Choose joints by",
        (Bind::NAME | CreateSkin::NAME, "rigid", _) => "Rigid pieces",
        (Bind::NAME | CreateSkin::NAME, "envelope", _) => "Envelope, bone lengths",
        (RemoveSkinJoints::NAME, "give", _) => "Give weights to parent",
        (MergeSkins::NAME, "node", _) => "Meshes",
        (SkeletonFromNodes::NAME, "node", _) => "Top of the figure",
        (_, "node", _) if spec.has_plan() => "Joints",
        (AddJoint::NAME | MoveJoint::NAME, "by", _) => "Distance",
        (AddJoint::NAME, "at", _) => "Position",
        (AddJoint::NAME | MoveJoint::NAME, "symmetric", _) => "Both sides",
        (OrientJoint::NAME, "like", _) => "Axes of a joint",
        (OrientJoint::NAME, "world", _) => "Scene axes",
        (RenameJoints::NAME, "humanoid", _) => "Humanoid names",
        (OrientJoint::NAME, "aim", _) => "Axis along the bone",
        (OrientJoint::NAME, "up", _) => "Up axis",
        (OrientJoint::NAME, "up_to", _) => "Up direction",
        (OrientJoint::NAME, "roll", _) => "Roll",
        (OrientJoint::NAME, "mirrored", _) => "Axes of mirror joints",
        (OrientJoint::NAME | MoveJoint::NAME, "motion", _) => "Clips",
        (MergeJoint::NAME, "into", _) => "Joint that stays",
        (MirrorJoint::NAME, "below", _) => "Joints below, too",
        (MirrorJoint::NAME, "weights", _) => "Mirror weights",
        (InsertJoint::NAME, "at", _) => "Position",
        (InsertJoint::NAME, "count", _) => "Number of joints",
        (RemoveJoint::NAME, "below", _) => "Joints below",
        (ReparentJoint::NAME, "to", _) => "New parent",
        (MoveMarker::NAME | SetMarker::NAME | RemoveMarker::NAME, "time", _) => "Marker",
        (CopyLayer::NAME, "to", _) => "Clips",
        (Gradient::NAME, "to", _) => "End point",
        (HoldKeys::NAME, "on", _) => "Hold",
        (LockChannels::NAME, "on", _) => "Lock",
        (RenameNodes::NAME, "from", _) => "Old names",
        (RenameNodes::NAME, "to", _) => "New names",
        (_, name, kind) => return general(name, kind),
    })
}

/// Label of an argument whose name alone would be unclear, for all commands.
fn general(name: &str, kind: ArgumentType) -> Option<&'static str> {
    use ArgumentType as Type;
    Some(match (name, kind) {
        ("by", Type::Vector) => "Offset",
        ("by", Type::Factor) => "Factor",
        ("at" | "to", Type::Vector) => "Target",
        ("from", Type::Vector) => "Start point",
        ("from", Type::Choice(_)) => "Source side",
        ("from", Type::Mesh) => "Source mesh",
        ("from", Type::Number) => "Lowest value",
        ("to", Type::Number) => "Highest value",
        ("from", Type::Numbers) => "Times to move",
        ("to", Type::Numbers) => "New times",
        ("before", _) => "Insert before",
        ("between", _) => "Keys between frames",
        ("end", Type::Choice(_)) => "End joint",
        ("hz", _) => "Noise frequency",
        ("keep", Type::Choice(_)) => "Transform to keep",
        ("limits", _) => "Joint limits",
        ("only", _) => "Clips",
        ("plant", _) => "Keep feet in place",
        ("soft", _) => "Soft reach",
        ("tip", _) => "Point of the joint",
        ("unkeyed", _) => "Unkeyed pose",
        ("until", _) => "Second key",
        ("way", _) => "Direction",
        ("what", _) => "Nodes to remove",
        _ => return None,
    })
}

/// Label of an argument in a form: `from_mesh` → *From mesh*.
pub fn label(spec: &CommandSpec, argument: &ArgumentSpec) -> String {
    let name = argument.name;
    if let Some(label) = named(spec, argument) {
        return label.to_owned();
    }
    if let Some((_, label)) = LABELED.iter().find(|(n, _)| *n == name) {
        return (*label).to_owned();
    }
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Entered value of an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entered {
    /// Value for the command; `None` if the argument is omitted or the typed text is not valid.
    pub value: Option<Value>,
    /// Text of each field, for arguments with text fields.
    pub texts: Vec<String>,
    /// Reason why the typed text is invalid.
    pub wrong: Option<String>,
    /// Current values that replace empty fields if another field of the argument is filled; empty
    /// if unknown.
    pub present: Vec<String>,
}

/// Content of a command's form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormDraft {
    /// Name of the command.
    pub command: String,
    /// Entered values, one per argument.
    pub entered: Vec<Entered>,
    /// Frame rate for times that are typed in frames, in frames per second.
    pub rate: f64,
    /// Whether the user changed anything since the form opened.
    pub is_touched: bool,
    /// Whether the form previews the effects of the command.
    pub has_plan: bool,
}

impl FormDraft {
    /// Creates a form with known values filled in. `present`: current values of arguments that stay
    /// empty.
    pub fn new(
        spec: &CommandSpec,
        mut values: Map<String, Value>,
        present: &Map<String, Value>,
        rate: f64,
    ) -> Self {
        let one = |argument: &ArgumentSpec| {
            let value = values.remove(argument.name);
            let texts = |value: Option<&Value>| match entry(spec, argument) {
                Some(entry) => texts_of(&entry, value),
                None => Vec::new(),
            };
            let now = present.get(argument.name).filter(|_| value.is_none());
            let present = now.map(|now| texts(Some(now))).unwrap_or_default();
            let mut shown = texts(value.as_ref());
            let is_offset = argument.name == "by" && argument.kind == ArgumentType::Seconds;
            if let (true, Some(seconds), Some(text)) =
                (is_offset, value.as_ref().and_then(Value::as_f64), shown.first_mut())
                && let Some(frames) = in_frames(seconds, rate)
            {
                *text = frames;
            }
            Entered { texts: shown, value, wrong: None, present }
        };
        let entered = spec.arguments.iter().map(one).collect();
        let has_plan = spec.has_plan();
        Self { command: spec.name.to_owned(), entered, rate, is_touched: false, has_plan }
    }

    /// Specification of the command; `None` for an unknown name.
    pub fn spec(&self) -> Option<&'static CommandSpec> {
        find(&self.command)
    }

    /// Whether the node, clip, time or layer argument differs from that of another form.
    pub fn names_other_pose(&self, other: &Self, spec: &CommandSpec) -> bool {
        const NAMING: [&str; 4] = ["node", "clip", "time", "layer"];
        let both = self.entered.iter().zip(&other.entered);
        let mut named = spec.arguments.iter().zip(both).filter(|(a, _)| NAMING.contains(&a.name));
        named.any(|(_, (ours, theirs))| ours.value != theirs.value)
    }

    /// Clears the current values, so that empty fields have no default.
    pub fn forget_present(&mut self, spec: &CommandSpec) {
        for (k, argument) in spec.arguments.iter().enumerate() {
            if !std::mem::take(&mut self.entered[k].present).is_empty()
                && let Some(entry) = entry(spec, argument)
            {
                self.read(k, &entry);
            }
        }
    }

    /// Whether individual keys are chosen, so that times, nodes and tracks are not needed.
    pub fn names_keys(&self, spec: &CommandSpec) -> bool {
        let at = spec.arguments.iter().position(|a| entry(spec, a) == Some(Entry::Keys));
        at.is_some_and(|k| self.entered[k].value.is_some())
    }

    /// File that an argument names.
    pub fn file(&self) -> Option<PathBuf> {
        let at = self.path_at()?;
        self.entered[at].value.as_ref()?.as_str().map(expand)
    }

    /// Sets the file argument to a path that was chosen in a file dialog.
    pub fn name_file(&mut self, path: &Path) {
        if let Some(at) = self.path_at() {
            self.entered[at].texts = vec![path.display().to_string()];
            self.read(at, &Entry::Path);
        }
    }

    fn path_at(&self) -> Option<usize> {
        let spec = self.spec()?;
        spec.arguments.iter().position(|a| entry(spec, a) == Some(Entry::Path))
    }

    /// Builds the command line.
    ///
    /// # Errors
    /// A sentence about missing or invalid input, without a final period.
    pub fn line(&self, spec: &CommandSpec) -> Result<CommandLine, String> {
        let mut line = CommandLine::new(spec.name);
        for (argument, entered) in spec.arguments.iter().zip(&self.entered) {
            if self.is_left_out(spec, argument.name) {
                continue;
            }
            if let Some(wrong) = &entered.wrong {
                return Err(format!("{} {wrong}", label(spec, argument)));
            }
            match &entered.value {
                Some(value) => line.arguments.insert(argument.name.to_owned(), value.clone()),
                None if is_needed(spec, argument) => return Err(missing(spec, argument)),
                None => None,
            };
        }
        match needed_choice(spec) {
            Some(choice) => self.chosen(spec, choice).map(|()| line),
            None => Ok(line),
        }
    }

    /// Checks that at least one argument of a choice is given, and only one if they exclude each
    /// other.
    fn chosen(&self, spec: &CommandSpec, choice: NeededChoice) -> Result<(), String> {
        let find = |name: &str| spec.arguments.iter().position(|a| a.name == name);
        let is_given = |name: &&str| find(name).is_some_and(|k| self.entered[k].value.is_some());
        let given = choice.groups.iter().filter(|group| group.iter().any(is_given)).count();
        let all: Vec<usize> = choice.groups.concat().into_iter().filter_map(find).collect();
        let labels: Vec<String> =
            all.iter().map(|k| label(spec, &spec.arguments[*k]).to_lowercase()).collect();
        let listed = |last: &str| match &labels[..] {
            [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
            _ => labels.concat(),
        };
        match given {
            0 => {
                let is_typed = all.iter().any(|k| !self.entered[*k].texts.is_empty());
                // "Enter the find" is not English, and long lists read badly in a sentence.
                if spec.has_plan() && labels.len() > 3 || labels.iter().any(|l| l == "find") {
                    return Err(format!("Fill in one of {}", listed("and")));
                }
                let verb = if is_typed { "Enter" } else { "Pick" };
                Err(format!("{verb} the {}", listed("or")))
            }
            1 => Ok(()),
            _ if choice.exclusive => Err(format!("Set only one of {}", listed("and"))),
            _ => Ok(()),
        }
    }

    /// Whether an argument is hidden because keys are given individually.
    pub fn is_left_out(&self, spec: &CommandSpec, name: &str) -> bool {
        const ELSEWISE: [&str; 6] = ["time", "times", "from", "to", "node", "parts"];
        let optional = spec.arguments.iter().any(|a| a.name == name && !a.required);
        optional && ELSEWISE.contains(&name) && self.names_keys(spec)
    }

    /// Parses the typed text of an argument.
    pub fn read(&mut self, k: usize, entry: &Entry) {
        let Some(entered) = self.entered.get_mut(k) else { return };
        let mut texts = entered.texts.clone();
        let is_typed = texts.iter().any(|t| !t.trim().is_empty());
        if is_typed && entered.present.len() == texts.len() {
            let empty = texts.iter_mut().zip(&entered.present).filter(|(t, _)| t.trim().is_empty());
            empty.for_each(|(text, present)| text.clone_from(present));
        }
        match read(entry, &texts, self.rate) {
            Ok(value) => (entered.value, entered.wrong) = (value, None),
            Err(wrong) => (entered.value, entered.wrong) = (None, Some(wrong)),
        }
    }
}

/// Sentence about a missing required argument, without a final period.
fn missing(spec: &CommandSpec, argument: &ArgumentSpec) -> String {
    let label = label(spec, argument);
    let typed = entry(spec, argument).is_some_and(|e| field_count(&e) > 0);
    let verb = if typed { "Enter" } else { "Pick" };
    // Some labels are not nouns, as in "Enter the to".
    if matches!(&*label, "To" | "From" | "With" | "By" | "Into" | "Over" | "Below") {
        format!("{verb} a value for “{label}”")
    } else {
        format!("{verb} the {}", label.to_lowercase())
    }
}

/// Layers that are stored in the file named by a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayersThere {
    /// All stored layers, or the reason why the file cannot be read.
    pub layers: Result<Vec<KeptLayer>, String>,
}

/// Number of text fields of an editor.
pub fn field_count(entry: &Entry) -> usize {
    match entry {
        Entry::Vector(_) | Entry::Factor(_) | Entry::Axis => 3,
        Entry::Number(_)
        | Entry::Numbers(_)
        | Entry::StrengthKeys
        | Entry::Text
        | Entry::Path
        | Entry::Vertices => 1,
        _ => 0,
    }
}

/// Text of a time offset in frames; `None` if it is not a whole number of frames.
fn in_frames(seconds: f64, rate: f64) -> Option<String> {
    let frames = (seconds * rate).round();
    let is_whole = frames != 0.0 && (seconds * rate - frames).abs() < 1e-3;
    is_whole.then(|| format!("{frames} {}", if frames == 1.0 { "frame" } else { "frames" }))
}

/// Converts a value to the texts of an editor's fields.
fn texts_of(entry: &Entry, value: Option<&Value>) -> Vec<String> {
    if *entry == Entry::StrengthKeys {
        let both = Quantity::of_strength_key();
        let Some(Value::Array(list)) = value else { return vec![String::new(); 2] };
        let shown = list.iter().filter_map(Value::as_f64).zip(both.iter().cycle());
        return shown.map(|(v, q)| q.shown(v)).collect();
    }
    let mut texts = match (entry, value) {
        (Entry::Number(q), Some(value)) => {
            value.as_f64().map(|v| vec![q.shown(v)]).unwrap_or_default()
        }
        (Entry::Vector(q) | Entry::Factor(q), Some(Value::Array(list))) => {
            list.iter().filter_map(Value::as_f64).map(|v| q.shown(v)).collect()
        }
        (Entry::Factor(q), Some(value)) => {
            value.as_f64().map(|v| vec![q.shown(v)]).unwrap_or_default()
        }
        (Entry::Numbers(q), Some(Value::Array(list))) => {
            vec![
                list.iter()
                    .filter_map(Value::as_f64)
                    .map(|v| q.shown(v))
                    .collect::<Vec<_>>()
                    .join(", "),
            ]
        }
        (Entry::Text | Entry::Path | Entry::Vertices, Some(Value::String(text))) => {
            vec![text.clone()]
        }
        (Entry::Vertices, Some(Value::Array(list))) => {
            vec![list.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")]
        }
        _ => Vec::new(),
    };
    texts.resize(field_count(entry), String::new());
    texts
}

fn read(entry: &Entry, texts: &[String], rate: f64) -> Result<Option<Value>, String> {
    let filled: Vec<&str> = texts.iter().map(|t| t.trim()).filter(|t| !t.is_empty()).collect();
    let number = |q: &Quantity, text: &str| {
        let value = q.read(text, rate)?;
        // Write whole numbers without a decimal point.
        Ok::<Value, String>(if value.fract() == 0.0 && value.abs() < 1e15 {
            Value::from(value as i64)
        } else {
            value.into()
        })
    };
    let all =
        |q: &Quantity| filled.iter().map(|t| number(q, t)).collect::<Result<Vec<Value>, String>>();
    if filled.is_empty() {
        return Ok(None);
    }
    Ok(Some(match entry {
        Entry::Number(q) => number(q, filled[0])?,
        Entry::Factor(q) if filled.len() == 1 && !texts[0].trim().is_empty() => {
            number(q, filled[0])?
        }
        Entry::Vector(q) | Entry::Factor(q) => {
            if filled.len() < 3 {
                return Err("needs three numbers".to_owned());
            }
            all(q)?.into()
        }
        Entry::Axis => {
            let q = Quantity {
                unit: ulna_edit::command::forms::Unit::Plain,
                range: -1e6..=1e6,
                whole: false,
            };
            if filled.len() < 3 {
                return Err("needs three numbers".to_owned());
            }
            all(&q)?.into()
        }
        Entry::StrengthKeys => {
            let both = Quantity::of_strength_key();
            let mut list = Vec::new();
            for key in texts.chunks(2).filter(|k| k.iter().any(|t| !t.trim().is_empty())) {
                if key.iter().any(|t| t.trim().is_empty()) {
                    return Err("needs a time and a strength per key".to_owned());
                }
                for (q, text) in both.iter().zip(key) {
                    list.push(number(q, text.trim())?);
                }
            }
            list.into()
        }
        Entry::Numbers(q) => {
            // Numbers are separated by commas or semicolons, or by spaces without these.
            let text = filled[0];
            let parts: Vec<&str> = if text.contains([',', ';']) {
                text.split([',', ';']).collect()
            } else {
                text.split_whitespace().collect()
            };
            let parts = parts.into_iter().map(str::trim).filter(|t| !t.is_empty());
            parts.map(|t| number(q, t)).collect::<Result<Vec<Value>, String>>()?.into()
        }
        _ => filled[0].into(),
    }))
}
