//! Element-by-element parsing, with findings about each element.

use serde_json::Value;

use super::super::{members::Members, report::Report};

/// Reader for the elements of a file.
pub(super) struct Reader<'o> {
    pub(super) used: Vec<String>,
    pub(super) out: &'o mut Report,
}

impl Reader<'_> {
    pub(super) fn each<T>(
        &mut self,
        top: &Members<'_>,
        key: &'static str,
        read: impl Fn(&mut Self, &Members<'_>) -> T,
    ) -> Vec<Option<T>> {
        let Some(value) = top.map.get(key) else { return Vec::new() };
        let Some(list) = value.as_array() else {
            self.out.error("TYPE_MISMATCH", top.place(key));
            return Vec::new();
        };
        if list.is_empty() {
            self.out.error("EMPTY_ENTITY", top.place(key));
        }
        let one = |(k, value): (usize, &Value)| match value.as_object() {
            Some(map) => Some(read(self, &Members::new(map, top.at.item(key, k)))),
            None => {
                self.out.error("TYPE_MISMATCH", top.at.item(key, k));
                None
            }
        };
        list.iter().enumerate().map(one).collect()
    }

    pub(super) fn named(&mut self, m: &Members<'_>) {
        m.text("name", &[], false, self.out);
    }
}
