//! Writes changed vectors of extensions in the space of nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{SaveError, json::with_nulls, patch::float_text, text::Ops},
    writer::Writer,
};
use ulna_model::{FileContent, NodeVector, VectorForm};

impl Writer<'_> {
    /// Writes the changed vectors. A vector of a deleted node stays in the file, together with an
    /// empty node.
    pub(super) fn node_space(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        let (before, after) = (&opened.node_space, &now.node_space);
        if before == after {
            return Ok(());
        }
        let no_form = |what: &str| Err(SaveError::no_form("extensions", what));
        let there = |n| now.nodes.contains(n);
        let lost = before
            .constraints
            .iter()
            .find(|c| there(c.node) && there(c.source) && !after.constraints.contains(c));
        if lost.is_some() || after.constraints.iter().any(|c| !before.constraints.contains(c)) {
            return no_form("a change of the constraints between nodes");
        }
        let kept: BTreeMap<&str, &NodeVector> =
            after.vectors.iter().map(|v| (&*v.pointer, v)).collect();
        let known: BTreeSet<&str> = before.vectors.iter().map(|v| &*v.pointer).collect();
        if kept.keys().any(|p| !known.contains(p)) {
            return no_form("a new vector in the space of a node");
        }
        let text = self.root.0.get("extensions").map(|raw| raw.get());
        let extensions = text.and_then(with_nulls).unwrap_or_default();
        let mut changed: Vec<&NodeVector> = Vec::new();
        for was in before.vectors.iter() {
            let Some(is) = kept.get(&*was.pointer) else {
                if there(was.node) {
                    return no_form("the removal of a vector in the space of a node");
                }
                continue;
            };
            if **is != (NodeVector { value: is.value, ..was.clone() }) {
                return no_form("a vector of an extension in the space of another node");
            }
            if is.value != was.value {
                let own = is.pointer.trim_start_matches("extensions");
                self.vector(was, is, extensions.pointer(own).is_some());
                changed.push(is);
            }
        }
        self.changes.extend(lines(&changed));
        Ok(())
    }

    /// Writes the changed components, or all components if the file has none.
    fn vector(&mut self, was: &NodeVector, is: &NodeVector, is_there: bool) {
        let op = is.pointer.split('/').fold(&mut self.ops, |op, step| match step.parse() {
            Ok(k) => op.item(k),
            Err(_) => op.member(step),
        });
        let components = |v: &NodeVector| match v.form {
            VectorForm::List => v.value.to_array(),
            VectorForm::LeftHanded => [v.value.x, v.value.y, -v.value.z],
        };
        let (old, new) = (components(was), components(is));
        if is.form == VectorForm::List && !is_there {
            *op = Ops::Replace(format!("[{}]", new.map(float_text).join(",")));
            return;
        }
        for (k, name) in ["x", "y", "z"].into_iter().enumerate().filter(|(k, _)| old[*k] != new[*k])
        {
            *match is.form {
                VectorForm::List => op.item(k),
                VectorForm::LeftHanded => op.member(name),
            } = Ops::Replace(float_text(new[k]));
        }
    }
}

/// Describes the changes in one line per extension: colliders with changed vectors, and other
/// vectors.
fn lines(changed: &[&NodeVector]) -> Vec<String> {
    let mut colliders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut lines = Vec::new();
    for vector in changed {
        let pointer = &*vector.pointer;
        let extension = pointer.split('/').nth(1).unwrap_or_default();
        match pointer.split_once("/colliders/") {
            Some((own, below)) => {
                let end = below.find('/').unwrap_or(below.len());
                let collider = &pointer[..own.len() + "/colliders/".len() + end];
                colliders.entry(extension).or_default().insert(collider);
            }
            None => {
                let name = pointer.rsplit('/').next().unwrap_or_default();
                lines.push(format!("extensions.{extension}: {name}"));
            }
        }
    }
    let counted = colliders.iter().map(|(extension, all)| match all.len() {
        1 => format!("extensions.{extension}: place of 1 collider"),
        n => format!("extensions.{extension}: place of {n} colliders"),
    });
    counted.chain(lines).collect()
}
