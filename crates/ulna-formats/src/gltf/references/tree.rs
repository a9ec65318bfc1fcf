//! The table of reference paths as a tree, so that the JSON of a file is traversed only once.

use serde_json::Value;

use super::{
    super::text::Ops,
    places::{Named, PLACES},
};

/// References at and below a JSON value.
#[derive(Debug, Default)]
pub struct PlaceTree {
    /// Form of the reference at this value, if it is one.
    named: Option<Named>,
    /// Subtrees by member name of an object, in the order of the table.
    members: Vec<(&'static str, Self)>,
    /// Subtree for every item of a list, or every member of an object.
    each: Option<Box<Self>>,
}

impl PlaceTree {
    /// Builds the tree of selected paths of the table.
    pub fn of(is_wanted: impl Fn(&str, Named) -> bool) -> Self {
        let mut root = Self::default();
        for (path, named) in PLACES.iter().filter(|(path, named)| is_wanted(path, *named)) {
            path.split('/').fold(&mut root, Self::below).named = Some(*named);
        }
        root
    }

    fn below(&mut self, step: &'static str) -> &mut Self {
        if step == "*" {
            return self.each.get_or_insert_default();
        }
        let at = self.members.iter().position(|(name, _)| *name == step);
        let at = at.unwrap_or_else(|| {
            self.members.push((step, Self::default()));
            self.members.len() - 1
        });
        &mut self.members[at].1
    }

    /// Form of the reference at this value, if it is one.
    pub const fn named(&self) -> Option<Named> {
        self.named
    }

    /// Subtree for a member of an object.
    pub fn member(&self, name: &str) -> Option<&Self> {
        let own = self.members.iter().find(|(other, _)| *other == name);
        own.map(|(_, tree)| tree).or(self.each.as_deref())
    }

    /// Subtree for every item of a list.
    pub fn item(&self) -> Option<&Self> {
        self.each.as_deref()
    }

    /// Visits the references in a JSON value.
    pub fn visit<'v>(&self, value: &'v Value, visit: &mut dyn FnMut(Named, &'v Value)) {
        if let Some(named) = self.named {
            visit(named, value);
        }
        for (name, tree) in &self.members {
            if let Some(member) = value.get(*name) {
                tree.visit(member, visit);
            }
        }
        match (&self.each, value) {
            (Some(each), Value::Array(items)) => {
                items.iter().for_each(|item| each.visit(item, visit));
            }
            (Some(each), Value::Object(members)) => {
                members.values().for_each(|member| each.visit(member, visit));
            }
            _ => {}
        }
    }

    /// Collects replacement texts for the references in a value. A reference stays unchanged if
    /// `new` returns `None`.
    pub fn edit(
        &self,
        value: &Value,
        ops: &mut Ops,
        new: &mut dyn FnMut(Named, &Value) -> Option<String>,
    ) {
        if let Some(text) = self.named.and_then(|named| new(named, value)) {
            *ops = Ops::Replace(text);
            return;
        }
        let mut below = |tree: &Self, value: &Value, put: &mut dyn FnMut(Ops)| {
            let mut own = Ops::Keep;
            tree.edit(value, &mut own, new);
            if !own.is_keep() {
                put(own);
            }
        };
        for (name, tree) in &self.members {
            if let Some(member) = value.get(*name) {
                below(tree, member, &mut |own| *ops.member(name) = own);
            }
        }
        match (&self.each, value) {
            (Some(each), Value::Array(items)) => {
                for (k, item) in items.iter().enumerate() {
                    below(each, item, &mut |own| *ops.item(k) = own);
                }
            }
            (Some(each), Value::Object(members)) => {
                for (name, member) in members {
                    below(each, member, &mut |own| *ops.member(name) = own);
                }
            }
            _ => {}
        }
    }

    /// Visits the references in a value in the order of [`PlaceTree::visit`]. The visitor may
    /// replace each of them.
    pub fn visit_mut(&self, value: &mut Value, visit: &mut dyn FnMut(Named, &mut Value)) {
        if let Some(named) = self.named {
            visit(named, value);
        }
        for (name, tree) in &self.members {
            if let Some(member) = value.get_mut(*name) {
                tree.visit_mut(member, visit);
            }
        }
        match (&self.each, value) {
            (Some(each), Value::Array(items)) => {
                items.iter_mut().for_each(|item| each.visit_mut(item, visit));
            }
            (Some(each), Value::Object(members)) => {
                members.values_mut().for_each(|member| each.visit_mut(member, visit));
            }
            _ => {}
        }
    }
}
