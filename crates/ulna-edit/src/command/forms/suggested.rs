//! Initial values of forms, from the selection and display state.

use glam::{EulerRot, Vec3};
use serde_json::{Map, Value, json};

use super::{Entry, NodesOf, entry, is_needed, poses_over};
use crate::command::{
    ArgumentSpec, ArgumentType, Bind, CommandContext, CommandSpec, InsertKeys, LayerName,
    WhichKeys, clip_text,
    field::{ArgumentPart as _, ClipName, number},
    frame_of, free_clip_name, kept_poses, kept_sets,
    key_words::Between,
    layer_as_clip, layer_text, mesh_text, node_text, pose_layer_text,
    which_keys::KeyList,
};
use ulna_model::{Clip, ClipId, LayerHome, NodeId, Transform};
use ulna_motion::{Mirror, Pose};

/// Sources of a form's initial values.
#[derive(Clone, Copy, Debug)]
pub struct Suggestions<'a> {
    /// Selection and display state.
    pub around: CommandContext<'a>,
    /// The displayed pose.
    pub pose: &'a Pose,
    /// The clip that was displayed last, for a form that opens while no clip is displayed.
    pub last_clip: Option<ClipId>,
}

/// Returns the initial arguments in the form of a command.
pub fn suggested(spec: &CommandSpec, from: &Suggestions<'_>) -> Map<String, Value> {
    let document = from.around.document;
    let mut values = Map::new();
    if poses_over(spec) {
        from.around.over().write(document, "", &mut values);
    }
    for argument in &spec.arguments {
        if !values.contains_key(argument.name)
            && let Some(value) = from.value(spec, argument, &values)
        {
            values.insert(argument.name.to_owned(), value);
        }
    }
    from.selected_keys(spec, &mut values);
    if spec.name == Bind::NAME {
        values.insert("method".to_owned(), json!("auto"));
        values.insert("sharpness".to_owned(), json!(2));
        // If all meshes have weights, the command would do nothing without `rebind`.
        let meshes = document.nodes.values().filter(|n| n.skin.is_some()).filter_map(|n| n.mesh);
        let mut primitives = meshes.flat_map(|mesh| &document.mesh(mesh).primitives);
        if primitives.all(|p| p.weights.is_some()) {
            values.insert("rebind".to_owned(), json!("all"));
        }
    }
    // Arguments that a menu would fill from the selection are also filled in the form.
    let filled = spec.filled_from_around().and_then(|fill| fill(&from.around).ok());
    if let Some(command) = filled.iter().flatten().find(|c| c.spec().name == spec.name) {
        values.extend(command.line(document).arguments);
    }
    values
}

/// Returns the current transform of the node that `values` names. Empty fields of a form stand for
/// this transform. The result is empty if the command sets no transform.
pub fn present(
    spec: &CommandSpec,
    from: &Suggestions<'_>,
    values: &Map<String, Value>,
) -> Map<String, Value> {
    // Changes of the skeleton are offsets, so an empty field stands for 0.
    if spec.has_plan() {
        let offsets = spec.arguments.iter().filter(|a| matches!(a.name, "by" | "degrees"));
        let vectors = offsets.filter(|a| a.kind == ArgumentType::Vector);
        return vectors.map(|a| (a.name.to_owned(), json!([0, 0, 0]))).collect();
    }
    let document = from.around.document;
    let named = values.get("node").and_then(Value::as_str);
    let active = from.around.selection.active;
    let node = active.filter(|n| named.is_some_and(|text| node_text(document, *n) == text));
    let Some(transform) = node.and_then(|n| from.transform(spec, n)) else { return Map::new() };
    let (x, y, z) = transform.rotation.to_euler(EulerRot::XYZ);
    let degrees = Vec3::new(x, y, z).map(f32::to_degrees);
    [("translation", transform.translation), ("degrees", degrees), ("scale", transform.scale)]
        .into_iter()
        .map(|(name, v)| (name.to_owned(), v.to_array().map(number).to_vec().into()))
        .collect()
}

impl Suggestions<'_> {
    /// Returns the transform of a node that a command would replace.
    fn transform(&self, spec: &CommandSpec, node: NodeId) -> Option<Transform> {
        let document = self.around.document;
        let local = self.pose.local.get(node.index())?.transform();
        let seen = self.around.seen;
        // With layers, the displayed pose differs from the keys.
        let layered = !document.aids.layers(LayerHome::of(seen)).is_empty();
        match spec.name {
            "pose.set" => Some(document.node(node).user().unwrap_or_default()),
            "pose.set_local" if !layered => Some(local),
            "unkeyed.set" | "key.shift" if seen.is_some() && !layered => Some(local),
            "pose.set_world" if seen.is_none() => {
                Some(Transform::decompose(self.pose.world.get(node.index())?, &local).transform)
            }
            _ => None,
        }
    }

    fn clip(&self) -> Option<ClipId> {
        let document = self.around.document;
        let there = |id: &ClipId| document.clips.contains(*id);
        let shown = self.around.clip.or(self.around.seen).or(self.last_clip).filter(there);
        shown.or_else(|| document.clips.ids().next())
    }

    fn clip_data(&self) -> Option<&Clip> {
        self.clip().and_then(|id| self.around.document.clips.get(id)).map(|c| &**c)
    }

    /// Length of a frame of the clip, in seconds.
    fn frame(&self) -> f64 {
        self.clip_data().map_or(1.0 / 30.0, frame_of)
    }

    fn time(&self) -> f32 {
        self.around.time as f32
    }

    fn value(
        &self,
        spec: &CommandSpec,
        argument: &ArgumentSpec,
        so_far: &Map<String, Value>,
    ) -> Option<Value> {
        let needed = is_needed(spec, argument);
        let document = self.around.document;
        match entry(spec, argument)? {
            Entry::Nodes(of, many) => self.nodes(spec, argument, (of, many), needed),
            Entry::Clip => self.clip_of(spec, argument, needed),
            Entry::Meshes => {
                let first = document.meshes.iter().next().filter(|_| needed)?;
                Some(mesh_text(document, first.0).into())
            }
            Entry::Layer => self.layer(spec, needed),
            Entry::WeightLayer => {
                let (skin, layers) =
                    document.aids.weight_layers.iter().next().filter(|_| needed)?;
                Some(layer_text(document, *skin, layers.layers.last()?.id).into())
            }
            Entry::JointGroup => {
                Some(document.joint_groups().first().filter(|_| needed)?.name.to_string().into())
            }
            Entry::RetargetMap => {
                Some(document.retarget_maps().first().filter(|_| needed)?.name.clone().into())
            }
            Entry::KeptPose => {
                Some(kept_poses(document).first().filter(|_| needed)?.name.clone().into())
            }
            Entry::Material => {
                let bumpy = document.materials.iter().find(|(_, m)| m.normal_texture.is_some());
                let (id, _) =
                    bumpy.or_else(|| document.materials.iter().next()).filter(|_| needed)?;
                Some(format!("#{}", id.0).into())
            }
            Entry::Skin => {
                let (id, _) = document.skins.iter().next().filter(|_| needed)?;
                Some(format!("#{}", id.0).into())
            }
            Entry::MorphTarget => needed.then(|| "#0".into()),
            Entry::Words(words) if needed => self.word(spec, argument, words).map(Into::into),
            Entry::Words(_) | Entry::Component | Entry::Color => None,
            Entry::Flag(_) => needed.then_some(Value::Bool(true)),
            Entry::Axis => needed.then(|| "x".into()),
            Entry::Text => self.name(spec, so_far, needed),
            Entry::Reference | Entry::ReferenceClip => None,
            Entry::Vertices | Entry::Path | Entry::Image | Entry::Lane | Entry::Clips => None,
            Entry::Workspace => None,
            Entry::Keys | Entry::Parts(_) | Entry::Data | Entry::NameThere => None,
            Entry::Vector(_) => self.vector(spec, argument, so_far).filter(|_| needed),
            Entry::Factor(_) => needed.then(|| json!(1)),
            Entry::StrengthKeys => Some(self.strength_keys()),
            Entry::Numbers(_) => {
                needed.then(|| json!([if argument.name == "weights" { 1 } else { 0 }]))
            }
            Entry::Number(_) | Entry::Marker => self.number(spec, argument, needed),
        }
    }

    /// The strength keys of the selected layer, or two keys of full strength at the start and the
    /// end.
    fn strength_keys(&self) -> Value {
        let document = self.around.document;
        let layer = self.around.layer.and_then(|(_, id)| document.aids.pose_layer(id));
        match layer.and_then(|(_, l)| l.strength_keys.as_ref()) {
            Some(track) => {
                let keys = track.times.iter().zip(track.values.iter());
                keys.flat_map(|(t, v)| [number(*t), number(*v)]).collect::<Vec<_>>().into()
            }
            None => json!([0, 1, self.clip_data().map_or(1.0, |c| f64::from(c.length())), 1]),
        }
    }

    /// Returns the initial word of a choice: the current setting, or a harmless default; `None` if
    /// the user must choose.
    fn word(
        &self,
        spec: &CommandSpec,
        argument: &ArgumentSpec,
        words: &[&'static str],
    ) -> Option<&'static str> {
        match (spec.name, argument.name) {
            ("track.interpolation", _) => self.interpolation(),
            (_, "how" | "toward") => words.first().copied(),
            _ => None,
        }
    }

    /// Returns the interpolation of the selected keys, or else of all keys of the clip, if they all
    /// have the same.
    fn interpolation(&self) -> Option<&'static str> {
        if self.around.written_layer().is_some() {
            return None;
        }
        let clip = self.clip_data()?;
        let selected = match WhichKeys::selected(self.around.selection, self.around.keys) {
            Some((id, WhichKeys { keys: Some(KeyList::Set(_, keys)), .. }))
                if Some(id) == self.clip() =>
            {
                keys.iter().map(|(track, _)| track).collect()
            }
            _ => Vec::new(),
        };
        let is_meant = |id| selected.is_empty() || selected.contains(&id);
        let mut all =
            clip.tracks.iter().filter(|(id, _)| is_meant(**id)).map(|(_, t)| t.interpolation);
        let first = all.next()?;
        let word = [Between::Hold, Between::Linear, Between::Smooth]
            .into_iter()
            .find(|b| b.interpolation() == first)?;
        all.all(|i| i == first).then(|| word.label())
    }

    /// Returns the selected nodes of the kind that the argument accepts.
    fn nodes(
        &self,
        spec: &CommandSpec,
        argument: &ArgumentSpec,
        (of, many): (NodesOf, bool),
        needed: bool,
    ) -> Option<Value> {
        let document = self.around.document;
        let joints = document.joint_flags();
        let fits = |n: &NodeId| match of {
            NodesOf::All => true,
            NodesOf::Joints => joints[n.index()],
            NodesOf::Meshes => document.node(*n).mesh.is_some(),
            NodesOf::Morphs => document
                .node(*n)
                .mesh
                .and_then(|m| document.meshes.get(m))
                .is_some_and(|m| m.target_count() > 0),
            NodesOf::Cameras => document.node(*n).camera.is_some(),
        };
        let selection = self.around.selection;
        let selected: Vec<NodeId> = selection.nodes.iter().copied().filter(fits).collect();
        let active = selection.active.filter(fits).or_else(|| selected.last().copied());
        let others = || selected.iter().copied().filter(|n| Some(*n) != active).collect::<Vec<_>>();
        let chosen: Vec<NodeId> = match (spec.name, argument.name) {
            // The mirror joint of the active node.
            (_, "with") => {
                let partner = active
                    .and_then(|n| Mirror::of(document).partner(n))
                    .filter(|p| Some(*p) != active);
                others().last().copied().or(partner).into_iter().collect()
            }
            ("weights.merge", "from") => others(),
            // Several joints are merged into the active one, and a single joint into its parent.
            ("joint.merge", "node") if selected.len() > 1 => others(),
            ("joint.merge", "into") if selected.len() < 2 => {
                active.and_then(|n| document.node(n).parent).into_iter().collect()
            }
            ("skin.create", "joint") => selected,
            _ if !needed => return None,
            (_, "into" | "to") => active.into_iter().collect(),
            _ if many => selected,
            _ => active.into_iter().collect(),
        };
        let chosen =
            if chosen.is_empty() && needed && matches!(of, NodesOf::Meshes | NodesOf::Morphs) {
                document.node_ids().filter(fits).take(1).collect()
            } else {
                chosen
            };
        let mut texts: Vec<Value> = chosen.iter().map(|n| node_text(document, *n).into()).collect();
        match texts.len() {
            0 => None,
            1 => texts.pop(),
            _ => Some(texts.into()),
        }
    }

    fn clip_of(&self, spec: &CommandSpec, argument: &ArgumentSpec, needed: bool) -> Option<Value> {
        let document = self.around.document;
        let is_layer_of =
            spec.arguments.iter().any(|a| a.name == "layer") && spec.name.starts_with("layer.");
        let clip = match (spec.name, argument.name) {
            (_, "with" | "other" | "over") | ("mix.go", "clip") => {
                let now = self.clip();
                let after = document.clips.ids().skip_while(|id| Some(*id) != now).nth(1);
                after.or_else(|| document.clips.ids().next()).or(now)
            }
            ("layer.new" | "layer.import", _) => self.around.seen,
            _ if is_layer_of && !needed => self.around.layer.and_then(|(home, _)| home.clip()),
            // The displayed clip supplies the pose of the bind.
            ("skin.create" | "skin.bind", _) => self.around.seen,
            _ if needed => self.clip(),
            _ => None,
        };
        clip.map(|id| clip_text(document, id).into())
    }

    /// The selected layer for commands on layers; otherwise the default of the command.
    fn layer(&self, spec: &CommandSpec, needed: bool) -> Option<Value> {
        let of_keys = || {
            self.around
                .written_layer()
                .filter(|_| spec.name.starts_with("key.") || spec.name == "track.interpolation")
        };
        let chosen = self
            .around
            .layer
            .map(|(_, id)| id)
            .filter(|_| needed || spec.name.starts_with("layer."));
        chosen.or_else(of_keys).map(|id| pose_layer_text(self.around.document, id).into())
    }

    /// Returns the current name of the renamed element, or else an unused name.
    fn name(&self, spec: &CommandSpec, so_far: &Map<String, Value>, needed: bool) -> Option<Value> {
        let document = self.around.document;
        let free = |stem: &str, taken: &dyn Fn(&str) -> bool| {
            (1..).map(|k| format!("{stem} {k}")).find(|name| !taken(name)).unwrap_or_default()
        };
        let name = match spec.name {
            "pose.keep" => {
                free("Pose", &|name| kept_poses(document).iter().any(|p| p.name == name))
            }
            "clip.rename" => document.clip_label(self.clip()?),
            "clip.new" => free_clip_name(document, "New clip"),
            "clip.duplicate" => {
                free_clip_name(document, &format!("{} copy", document.clip_label(self.clip()?)))
            }
            "layer.rename" => document.aids.pose_layer(self.around.layer?.1)?.1.name.to_string(),
            "node.rename" => {
                document.node(self.around.selection.active?).label(self.around.selection.active?)
            }
            "pose.rename_kept" => so_far.get("pose")?.as_str()?.to_owned(),
            "weight_layer.rename" => so_far.get("layer")?.as_str()?.to_owned(),
            // The pattern depends on the user's intention.
            "node.rename_pattern" => return None,
            _ if needed => "New".to_owned(),
            _ => return None,
        };
        Some(name.into())
    }

    /// Returns the world position of the posed node, or zero for an offset.
    fn vector(
        &self,
        spec: &CommandSpec,
        argument: &ArgumentSpec,
        so_far: &Map<String, Value>,
    ) -> Option<Value> {
        let document = self.around.document;
        let named = so_far.get("node").or_else(|| so_far.get("joint")).and_then(Value::as_str);
        let node =
            named.and_then(|text| document.node_ids().find(|n| node_text(document, *n) == text));
        let at = |n: NodeId| self.pose.world[n.index()].w_axis.truncate();
        let point = match (spec.name, argument.name) {
            // The current position, from which the user can change the numbers.
            ("pose.ik", "to") => at(node?),
            // A point in front of the node.
            ("pose.look_at", "at") => at(node.or(self.around.selection.active)?) + Vec3::Z,
            ("weights.gradient", "from") => at(node?),
            ("weights.gradient", "to") => {
                at(document.children(node?).first().copied().unwrap_or(node?))
            }
            _ => Vec3::ZERO,
        };
        Some(point.to_array().map(number).to_vec().into())
    }

    fn number(&self, spec: &CommandSpec, argument: &ArgumentSpec, needed: bool) -> Option<Value> {
        let document = self.around.document;
        let seconds = |value: f32| number(value);
        let in_contact = spec.name.starts_with("contact.") && argument.name == "time";
        let clip_start = spec.name.starts_with("marker.")
            && spec.name != "marker.add"
            && argument.name == "time";
        Some(match (spec.name, argument.name) {
            // The marker nearest to the playhead.
            _ if clip_start => {
                let off = |t: &f32| (t - self.time()).abs();
                let times = self.clip_data()?.markers.iter().map(|m| m.time);
                seconds(times.min_by(|a, b| off(a).total_cmp(&off(b)))?)
            }
            // The contact nearest to the playhead.
            _ if in_contact => {
                let time = self.time();
                let contacts = self.clip_data()?.contacts.iter();
                let nearest = contacts.map(|c| time.clamp(c.from, c.to));
                let off = |t: &f32| (t - time).abs();
                seconds(nearest.min_by(|a, b| off(a).total_cmp(&off(b)))?)
            }
            ("skin.create" | "skin.bind", "time") => {
                self.around.seen?;
                seconds(self.time())
            }
            ("clip.trim", "from") => seconds(self.around.range.map_or(0.0, |r| r.0 as f32)),
            ("clip.trim", "to") => {
                seconds(self.around.range.map_or(self.clip_data()?.length(), |r| r.1 as f32))
            }
            ("pin.hold", "from") => seconds(self.around.range?.0 as f32),
            ("pin.hold", "to") => seconds(self.around.range?.1 as f32),
            ("clip.reduce", "millimetres") => json!(0.5),
            ("clip.make_editable", "millimetres") => json!(2),
            // Only one of the three can be set, so all start empty.
            ("clip.retime", "length" | "factor" | "speed") => return None,
            ("clip.rate" | "clip.resample", "rate") => round(1.0 / self.frame()),
            ("layer.strength", "strength") => {
                let layer = self.around.layer.and_then(|(_, id)| document.aids.pose_layer(id));
                number(layer.map_or(1.0, |(_, l)| l.strength))
            }
            ("select.store_set" | "set.keep", "set") => {
                let taken = kept_sets(document);
                let free = (1..10u8).find(|d| taken.iter().all(|s| s.digit != *d)).unwrap_or(1);
                free.into()
            }
            _ if !needed => return None,
            (_, "time" | "to" | "from")
                if matches!(argument.kind, crate::ArgumentType::Seconds) =>
            {
                seconds(self.time())
            }
            // One frame.
            (_, "by") => number(self.frame() as f32),
            (_, "set" | "sets" | "amount" | "opacity" | "value" | "to" | "weight") => json!(1),
            (_, "degrees") => json!(15),
            (_, "part" | "strength") | ("joint.insert", "at") => json!(0.5),
            (_, "factor") => json!(2),
            (_, "most") => json!(4),
            (_, "below" | "from") => json!(0.01),
            (_, "steps") => json!(10),
            (_, "rate") => json!(30),
            _ => json!(0),
        })
    }

    /// Fills in the selected keys, for commands that take keys. Nothing is filled in if no keys are
    /// selected.
    fn selected_keys(&self, spec: &CommandSpec, values: &mut Map<String, Value>) {
        // New keys do not depend on the selected keys.
        let new = spec.name == InsertKeys::NAME;
        if new || !spec.arguments.iter().any(|a| entry(spec, a) == Some(Entry::Keys)) {
            return;
        }
        let document = self.around.document;
        let Some((clip, which)) = WhichKeys::selected(self.around.selection, self.around.keys)
        else {
            return;
        };
        // Keys of a layer are written as if the layer were the clip.
        let layer = self.around.keys.and_then(|home| home.layer);
        let stand_in =
            layer.map(|id| layer_as_clip(document, &ClipName::Id(clip), &LayerName::Id(id)));
        let mut selected = Map::new();
        match (&stand_in, layer) {
            (Some(Ok(stand_in)), Some(id)) => {
                which.write(stand_in, "", &mut selected);
                selected.insert("layer".to_owned(), pose_layer_text(document, id).into());
            }
            (Some(Err(_)), _) => return,
            _ => which.write(document, "", &mut selected),
        }
        values.insert("clip".to_owned(), clip_text(document, clip).into());
        values.extend(selected);
    }
}

/// Rounds a rate to three decimals.
fn round(rate: f64) -> Value {
    number((rate * 1000.0).round() as f32 / 1000.0)
}
