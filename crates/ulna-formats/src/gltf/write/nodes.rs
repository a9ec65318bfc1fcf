//! Writes nodes and their hierarchy: changed transforms, names and parents, and new nodes.

use serde_json::{Map, Value, json};

use super::{
    super::{
        REST_EXTRA, SaveError, json,
        lock_extras::{self, LOCKS},
        patch::{float_text, number},
        scene_extras::{INSTANCING, LIGHTS, VISIBILITY},
        text::Ops,
    },
    extras::Extras,
    writer::Writer,
};
use ulna_model::{
    FileContent, Local, Location, Node, NodeId, RestSource, Transform, free_of_zeros,
};

impl Writer<'_> {
    pub(super) fn nodes(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        for (k, after) in now.nodes.slots().enumerate() {
            let id = NodeId::from(k);
            match (opened.nodes.get(id), after) {
                (Some(before), Some(after)) => self.node(opened, now, (id, before, after))?,
                (None, Some(after)) => self.new_node(now, id, after)?,
                (Some(before), None) => {
                    self.changes.push(format!("nodes/{k} “{}”: removed", before.label(id)));
                }
                // An empty placeholder keeps the indices of later nodes equal to their ids.
                (None, None) => self.ops.member("nodes").push("{}".into()),
            }
        }
        Ok(())
    }

    /// Writes the changes of a node that exists in the file.
    fn node(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
        (id, before, after): (NodeId, &Node, &Node),
    ) -> Result<(), SaveError> {
        let below = (opened.children(id), now.children(id));
        if before == after && below.0 == below.1 {
            return Ok(());
        }
        // The parent is written through its list of children, and the rest pose as part of the
        // local transform.
        let Node {
            name,
            parent: _,
            rank: _,
            rest: _,
            rest_source: _,
            pose: _,
            mesh,
            skin,
            instances,
            camera,
            light,
            morph_weights,
            hidden,
            locks,
        } = after;
        let (at, place) = (("nodes", id.index()), Location::of(id));
        if before.instances.is_some() && instances.is_none() {
            self.without_instances(id)?;
            self.changes.push(format!("{place}: instances removed"));
        } else if *instances != before.instances {
            return Err(SaveError::no_form(&place, "a change of the instances"));
        }
        if (camera, light) != (&before.camera, &before.light) {
            return Err(SaveError::no_form(&place, "a change of the camera or light"));
        }
        let label = after.label(id);
        if before.name != *name {
            self.member(at, "name", name.as_deref().map(|n| Value::from(n).to_string()));
            self.changes.push(format!("{place} “{label}”: name"));
        }
        if before.mesh != *mesh || before.skin != *skin {
            self.member(at, "mesh", mesh.map(|m| m.0.to_string()));
            self.member(at, "skin", skin.map(|s| s.0.to_string()));
            self.changes.push(format!("{place} “{label}”: mesh and skin"));
        }
        if before.morph_weights != *morph_weights {
            self.member(at, "weights", morph_weights.as_deref().map(numbers));
            self.changes.push(format!("{place} “{label}”: morph weights"));
        }
        if before.hidden != *hidden {
            self.visibility(id, *hidden)?;
            self.changes
                .push(format!("{place} “{label}”: {}", if *hidden { "hidden" } else { "visible" }));
        }
        if before.locks != *locks {
            let is_new = before.locks.is_empty();
            self.own_extra(
                at,
                format!("{place} “{label}”"),
                (LOCKS, is_new),
                lock_extras::text_of(*locks),
            )?;
        }
        if below.0 != below.1 {
            let list: Vec<u32> = below.1.iter().map(|c| c.0).collect();
            self.member(at, "children", (!list.is_empty()).then(|| json!(list).to_string()));
            self.changes.push(format!("{place} “{label}”: child nodes"));
        }
        let (old, new) = (before.local(), after.local());
        if old != new {
            self.transform(id, &label, &old, &new);
        }
        let is_told = |n: &Node| matches!(n.rest_source, RestSource::Extras | RestSource::Pose);
        // Whether bind matrices defined the rest pose before, and no longer define it.
        let is_lost =
            before.rest_source == RestSource::Bind && after.rest_source != RestSource::Bind;
        let has_other_rest = (is_told(before) || is_told(after) || is_lost)
            && (before.rest, before.pose, before.rest_source)
                != (after.rest, after.pose, after.rest_source);
        let is_joint = || now.skins.values().any(|s| s.joints.contains(&id));
        if (old != new || has_other_rest) && is_joint() {
            self.remember_rest(id, &label, (before, after))?;
        }
        Ok(())
    }

    /// Writes the visibility of a node to its extension. Other members are kept.
    fn visibility(&mut self, id: NodeId, hidden: bool) -> Result<(), SaveError> {
        let text =
            json::elements(&self.root, "nodes").map_err(SaveError::Source)?[id.index()].get();
        let members = json::split(text).map_err(SaveError::Source)?;
        let is_object = |text: &str| text.starts_with('{');
        let extensions = members.0.get("extensions").map(|e| e.get());
        if extensions.is_some_and(|e| !is_object(e)) {
            let place = Location::of(id);
            return Err(SaveError::no_form(
                &place,
                "the visibility of a node whose extensions are not an object",
            ));
        }
        let known = match extensions {
            Some(text) => json::split(text)
                .map_err(SaveError::Source)?
                .0
                .get(VISIBILITY)
                .map(|v| is_object(v.get())),
            None => None,
        };
        let op = self.ops.member("nodes").item(id.index()).member("extensions").member(VISIBILITY);
        match known {
            Some(false) => *op = Ops::Replace(json!({ "visible": !hidden }).to_string()),
            _ => *op.member("visible") = Ops::Replace((!hidden).to_string()),
        }
        self.uses(VISIBILITY)
    }

    /// Removes the instances of a node, and its `extensions` object if it becomes empty.
    fn without_instances(&mut self, id: NodeId) -> Result<(), SaveError> {
        let text =
            json::elements(&self.root, "nodes").map_err(SaveError::Source)?[id.index()].get();
        let members = json::split(text).map_err(SaveError::Source)?;
        let own = members.0.get("extensions").map(|e| json::split(e.get())).transpose();
        let count = own.map_err(SaveError::Source)?.map_or(0, |all| all.0.len());
        let op = self.ops.member("nodes").item(id.index()).member("extensions");
        *if count > 1 { op.member(INSTANCING) } else { op } = Ops::Remove;
        Ok(())
    }

    /// Adds an extension to `extensionsUsed`.
    fn uses(&mut self, extension: &str) -> Result<(), SaveError> {
        let known: Vec<String> = match self.root.0.get("extensionsUsed") {
            Some(raw) => json::plain_typed(raw.get(), &"extensionsUsed".into(), &mut false)
                .map_err(SaveError::Source)?,
            None => Vec::new(),
        };
        let op = self.ops.member("extensionsUsed");
        let text = Value::from(extension).to_string();
        let pushed = matches!(op, Ops::Array { push, .. } if push.contains(&text));
        if !pushed && !known.iter().any(|k| k == extension) {
            op.push(text);
        }
        Ok(())
    }

    /// Writes a new node.
    fn new_node(&mut self, now: &FileContent, id: NodeId, node: &Node) -> Result<(), SaveError> {
        let Node {
            name,
            parent: _,
            rank: _,
            rest: _,
            rest_source,
            pose: _,
            mesh,
            skin,
            instances,
            camera,
            light,
            morph_weights,
            hidden,
            locks,
        } = node;
        let place = Location::of(id);
        if instances.is_some() {
            return Err(SaveError::no_form(&place, "instances on a new node"));
        }
        let mut members = Map::new();
        let mut put =
            |name: &str, value: Option<Value>| members.extend(value.map(|v| (name.to_owned(), v)));
        put("name", name.as_deref().map(Value::from));
        let children = now.children(id);
        put("children", (!children.is_empty()).then(|| children.iter().map(|c| c.0).collect()));
        let list = |v: &[f32]| Value::Array(v.iter().map(|v| number(*v)).collect());
        match node.local() {
            Local::Matrix(m) => put("matrix", Some(list(&m.to_cols_array()))),
            Local::Trs(t) => {
                let not = |is: bool, v: &[f32]| (!is).then(|| list(v));
                put(
                    "translation",
                    not(t.translation == glam::Vec3::ZERO, &t.translation.to_array()),
                );
                put("rotation", not(t.rotation == glam::Quat::IDENTITY, &t.rotation.to_array()));
                put("scale", not(t.scale == glam::Vec3::ONE, &t.scale.to_array()));
            }
        }
        put("mesh", mesh.map(|m| m.0.into()));
        put("skin", skin.map(|s| s.0.into()));
        put("camera", camera.map(|c| c.0.into()));
        put("weights", morph_weights.as_deref().map(list));
        let mut extensions = Map::new();
        if *hidden {
            extensions.insert(VISIBILITY.into(), json!({ "visible": false }));
            self.uses(VISIBILITY)?;
        }
        if let Some(light) = light {
            extensions.insert(LIGHTS.into(), json!({ "light": light.0 }));
            self.uses(LIGHTS)?;
        }
        put("extensions", (!extensions.is_empty()).then_some(Value::Object(extensions)));
        let joint = now.skins.values().any(|s| s.joints.contains(&id));
        let is_told = match rest_source {
            RestSource::Bind => false,
            RestSource::Pose => true,
            RestSource::File | RestSource::Extras => node.pose.is_some() && !comes_by_itself(node),
        };
        let mut extras = Map::new();
        if joint && is_told && self.options.remember_rest {
            extras.insert(REST_EXTRA.into(), json!(RestExtra::of(node)));
        }
        if let Some(text) = lock_extras::text_of(*locks) {
            extras.insert(LOCKS.into(), serde_json::from_str(&text).unwrap_or_default());
        }
        put("extras", (!extras.is_empty()).then_some(Value::Object(extras)));
        self.ops.member("nodes").push(Value::Object(members).to_string());
        self.changes.push(format!("{place} “{}”: new", node.label(id)));
        Ok(())
    }

    /// Writes the rest pose of a posed node to its extras. Removes it if the node is in its rest
    /// pose again.
    fn remember_rest(
        &mut self,
        id: NodeId,
        label: &str,
        (before, node): (&Node, &Node),
    ) -> Result<(), SaveError> {
        let is_over = |n: &Node| n.rest_source == RestSource::Pose;
        // A stored rest pose that overrides the bind matrices is removed when the bind matrices
        // define the rest again.
        let is_bound = node.rest_source == RestSource::Bind && !is_over(before);
        if is_bound || !self.options.remember_rest {
            return Ok(());
        }
        let at = ("nodes", id.index());
        let known = self.extras(at, REST_EXTRA)?;
        let is_known = known == Extras::With;
        let is_posed = node.rest_source != RestSource::Bind
            && (is_over(node) || node.pose.is_some() && (is_known || !comes_by_itself(node)));
        let is_same = before.rest == node.rest && is_over(before) == is_over(node);
        if is_posed == is_known && (!is_known || is_same) {
            return Ok(());
        }
        let rest = is_posed.then(|| json!(RestExtra::of(node)).to_string());
        let is_put = self.put_extra(at, REST_EXTRA, rest.clone())?;
        let place = format!("nodes/{} “{label}”", id.0);
        match (rest, is_put) {
            (Some(_), true) => self.changes.push(format!("{place}: rest pose stored in extras")),
            (Some(_), false) => {
                self.changes.push(format!(
                    "{place}: rest pose not stored, because its extras are not an object"
                ));
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// Writes only the changed members of a node's transform.
    pub(super) fn transform(&mut self, id: NodeId, label: &str, old: &Local, new: &Local) {
        let index = id.index();
        let op = self.ops.member("nodes").item(index);
        if let Local::Matrix(m) = new {
            // If the pose was reverted to the file's matrix, that matrix is still in the text.
            if !matches!(old, Local::Matrix(o) if o == m) {
                *op.member("matrix") = Ops::Replace(numbers(&m.to_cols_array()));
                for key in ["translation", "rotation", "scale"] {
                    *op.member(key) = Ops::Remove;
                }
            }
            self.changes.push(format!("nodes/{index} “{label}”: matrix"));
            return;
        }
        let was_matrix = matches!(old, Local::Matrix(_));
        let (o, n) = (old.transform(), new.transform());
        let mut parts = Vec::new();
        if was_matrix {
            *op.member("matrix") = Ops::Remove;
            parts.push("matrix replaced by translation, rotation, scale");
        }
        // A matrix is replaced by all members that differ from their defaults. Otherwise, only
        // changed members are written.
        let old = if was_matrix { Transform::IDENTITY } else { o };
        if old.translation != n.translation {
            *op.member("translation") = Ops::Replace(numbers(&n.translation.to_array()));
            parts.push("translation");
        }
        if old.rotation != n.rotation {
            *op.member("rotation") = Ops::Replace(numbers(&n.rotation.to_array()));
            parts.push("rotation");
        }
        if old.scale != n.scale {
            *op.member("scale") = Ops::Replace(numbers(&n.scale.to_array()));
            parts.push("scale");
        }
        if was_matrix {
            parts.truncate(1);
        }
        self.changes.push(format!("nodes/{index} “{label}”: {}", parts.join(", ")));
    }
}

/// Formats a JSON list of numbers.
fn numbers(list: &[f32]) -> String {
    format!("[{}]", list.iter().map(|v| float_text(*v)).collect::<Vec<_>>().join(","))
}

/// Rest pose of a node as stored in its extras.
#[derive(serde::Serialize)]
struct RestExtra {
    version: u32,
    #[serde(flatten)]
    rest: Transform,
    /// Whether the stored rest pose overrides the rest pose of a skin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    over_bind: bool,
}

impl RestExtra {
    fn of(node: &Node) -> Self {
        let over_bind = node.rest_source == RestSource::Pose;
        Self { version: 1, rest: node.rest.transform(), over_bind }
    }
}

/// Whether the written transform alone, without extras, restores the rest pose when it is read.
/// Only an axis of zero length prevents this.
fn comes_by_itself(node: &Node) -> bool {
    let mut read = Node { rest: node.local(), pose: None, ..node.clone() };
    free_of_zeros(&mut read);
    (read.rest, read.pose) == (node.rest, node.pose)
}
