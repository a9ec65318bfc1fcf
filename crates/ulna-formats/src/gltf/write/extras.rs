//! Writes Ulna's own members in `extras`, and keeps the members of other programs.

use super::{
    super::{SaveError, json as raw, text::Ops, weight_layer_extras},
    writer::Writer,
};
use ulna_model::{FileContent, Location};

/// State of an element's extras with respect to one of Ulna's own members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extras {
    /// The element has no extras.
    Absent,
    /// The extras are `null`.
    Null,
    /// The extras are an object without the member.
    Without,
    /// The extras are an object with the member.
    With,
    /// The extras are not an object, and are left unchanged.
    Other,
}

impl Writer<'_> {
    /// State of an element's extras before this save.
    pub(super) fn extras(
        &self,
        (list, index): (&'static str, usize),
        name: &str,
    ) -> Result<Extras, SaveError> {
        let text = raw::elements(&self.root, list).map_err(SaveError::Source)?[index].get();
        let members = raw::split(text).map_err(SaveError::Source)?;
        Ok(match members.0.get("extras").map(|e| e.get()) {
            None => Extras::Absent,
            Some("null") => Extras::Null,
            Some(text) if text.starts_with('{') => {
                let has = raw::split(text).map_err(SaveError::Source)?.0.contains_key(name);
                if has { Extras::With } else { Extras::Without }
            }
            Some(_) => Extras::Other,
        })
    }

    /// Writes one of Ulna's own members. Other members stay unchanged, and a member that could not
    /// be read is not overwritten.
    pub(super) fn own_extra(
        &mut self,
        at: (&'static str, usize),
        place: impl std::fmt::Display,
        (member, is_new): (&'static str, bool),
        text: Option<String>,
    ) -> Result<(), SaveError> {
        if is_new && self.extras(at, member)? == Extras::With {
            return Err(SaveError::no_form(
                place,
                &format!("a new “{member}” in place of the unreadable one in its extras"),
            ));
        }
        let gone = text.is_none();
        if !self.put_extra(at, member, text)? {
            return Err(SaveError::no_form(
                place,
                &format!("“{member}” in extras that are not an object"),
            ));
        }
        self.changes.push(format!(
            "{place}: “{member}” {} its extras",
            if gone { "removed from" } else { "in" }
        ));
        Ok(())
    }

    /// Writes changed mesh names and stored weight layers, and lists removed meshes.
    pub(super) fn meshes(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        if let Some(id) = now.meshes.ids().find(|id| !opened.meshes.contains(*id)) {
            return Err(SaveError::no_form(Location::of(id), "a new mesh"));
        }
        for (id, before) in opened.meshes.iter() {
            let Some(after) = now.meshes.get(id) else {
                let label = before.name.as_deref().unwrap_or_default();
                self.changes.push(format!("meshes/{} “{label}”: removed", id.0));
                continue;
            };
            if before.name != after.name {
                self.renamed(("meshes", id.index()), Location::of(id), after.name.as_deref());
            }
            let (was, is) = (&before.kept_weight_layers, &after.kept_weight_layers);
            if was != is {
                let text = weight_layer_extras::text_of(is.as_deref());
                let (at, member) = (("meshes", id.index()), weight_layer_extras::WEIGHT_LAYERS);
                self.own_extra(at, Location::of(id), (member, was.is_none()), text)?;
            }
        }
        Ok(())
    }

    /// Writes the new name of an element.
    pub(super) fn renamed(
        &mut self,
        at: (&'static str, usize),
        place: Location,
        name: Option<&str>,
    ) {
        self.member(at, "name", name.map(|n| serde_json::Value::from(n).to_string()));
        let label = name.unwrap_or_default();
        self.changes.push(format!("{place} “{label}”: name"));
    }

    /// Sets or removes one of Ulna's own members in the extras of an element. Returns whether the
    /// extras can contain members.
    pub(super) fn put_extra(
        &mut self,
        at: (&'static str, usize),
        name: &str,
        to: Option<String>,
    ) -> Result<bool, SaveError> {
        let known = self.extras(at, name)?;
        let op = self.ops.member(at.0).item(at.1).member("extras");
        match (to, known) {
            (_, Extras::Other) => return Ok(false),
            (Some(to), Extras::Null) => {
                // Writing another of Ulna's members may have made the extras an object.
                let others = match op {
                    Ops::Replace(text) => {
                        text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or_default()
                    }
                    _ => "",
                };
                let comma = if others.is_empty() { "" } else { "," };
                *op = Ops::Replace(format!(
                    "{{{others}{comma}{}:{to}}}",
                    serde_json::Value::from(name)
                ));
            }
            (Some(to), Extras::Absent | Extras::Without | Extras::With) => {
                *op.member(name) = Ops::Replace(to)
            }
            (None, Extras::With) => *op.member(name) = Ops::Remove,
            (None, _) => {}
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{super::source::Source, writer::Writer};

    #[test]
    fn own_extras_are_stored_beside_foreign_extras() {
        let text = r#"{"asset":{"version":"2.0"},
            "nodes":[{"name":"a"},
            {"extras":null},
            {"extras":{"theirs": 1.0}},
            {"extras":{"ulna.x":1, "theirs":[ ]}},{"extras":[1]}]}"#;
        let opened = super::super::super::open_bytes(
            text.as_bytes().to_vec().into(),
            None,
            &Default::default(),
        );
        let source: Source = opened.unwrap().source;
        let mut writer = Writer::new(&source, "x").unwrap();
        let mut places = Vec::new();
        for node in 0..5 {
            places.push(
                writer
                    .put_extra(("nodes", node), "ulna.x", Some("{\"version\":1}".into()))
                    .unwrap(),
            );
            writer.put_extra(("nodes", node), "ulna.y", (node == 2).then(|| "2".into())).unwrap();
        }
        assert_eq!(places, [true, true, true, true, false]);
        let saved = writer.finish(&source, &Default::default()).unwrap();
        let wanted = r#"{"asset":{"version":"2.0"},
            "nodes":[{"name":"a","extras":{"ulna.x":{"version":1}}},
            {"extras":{"ulna.x":{"version":1}}},
            {"extras":{"theirs": 1.0,"ulna.x":{"version":1},"ulna.y":2}},
            {"extras":{"ulna.x":{"version":1}, "theirs":[ ]}},{"extras":[1]}]}"#;
        assert_eq!(String::from_utf8(saved.bytes.to_vec()).unwrap(), wanted);
    }
}
