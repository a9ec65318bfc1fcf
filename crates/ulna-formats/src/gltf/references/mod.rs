//! Elements that the JSON of a file names, wherever that is known: in glTF itself, in extensions,
//! and in Ulna's extras.

mod places;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::LazyLock;

use serde_json::Value;

use self::places::{KNOWN, PLACES};
pub(super) use self::{places::Named, tree::PlaceTree};
use ulna_model::{AnyId, IdKind, Renumbering};

/// All places.
pub(super) fn tree() -> &'static PlaceTree {
    &ALL
}

/// Whether an extension of a file refers to all elements of a list by their order alone: the
/// `materialProperties` of VRM 0.
pub(super) fn names_in_order(root: &Value, kind: IdKind) -> bool {
    kind == IdKind::Material && root.pointer("/extensions/VRM/materialProperties").is_some()
}

static ALL: LazyLock<PlaceTree> = LazyLock::new(|| PlaceTree::of(|_, _| true));

/// The element that a place names. `None` for a value that is no index and no pointer into a list;
/// VRM 0 writes −1 for none.
pub(super) fn element(named: Named, value: &Value) -> Option<AnyId> {
    match named {
        Named::Index(kind) => Some(AnyId::new(kind, index_of(value)?)),
        Named::Pointer => AnyId::in_pointer(value.as_str()?),
    }
}

/// An integer of 0 or more; `3.0` is one, too (glTF 2.0, *JSON Encoding*).
pub(super) fn index_of(value: &Value) -> Option<u32> {
    let whole = |v: f64| (v >= 0.0 && v.fract() == 0.0).then_some(v as u64);
    let index = value.as_u64().or_else(|| value.as_f64().and_then(whole))?;
    u32::try_from(index).ok()
}

/// Visits every element that the JSON of a file names, once per place.
pub fn for_each_reference(root: &Value, visit: &mut dyn FnMut(AnyId)) {
    ALL.visit(root, &mut |named, value| element(named, value).into_iter().for_each(&mut *visit));
}

/// Renumbers the elements that the JSON of a file names. The lists themselves are not reordered.
/// Places that name a removed element stay as they are; the first such element is returned.
pub fn renumber(root: &mut Value, renumbering: &Renumbering) -> Option<AnyId> {
    renumber_below(&ALL, root, renumbering)
}

/// As [`renumber`], for one element of a list: a node, say. The list must be at the root of the
/// file.
pub fn renumber_element(
    kind: IdKind,
    value: &mut Value,
    renumbering: &Renumbering,
) -> Option<AnyId> {
    let tree = ALL.member(kind.list()).and_then(PlaceTree::item)?;
    renumber_below(tree, value, renumbering)
}

fn renumber_below(tree: &PlaceTree, value: &mut Value, renumbering: &Renumbering) -> Option<AnyId> {
    let mut removed = None;
    tree.visit_mut(value, &mut |named, value| {
        let Some(id) = element(named, value) else { return };
        let Some(index) = renumbering.of(id) else {
            removed = removed.or(Some(id));
            return;
        };
        let to = AnyId::new(id.kind, index);
        match (named, value.as_str()) {
            _ if to == id => {}
            (Named::Pointer, Some(pointer)) => *value = to.put_in_pointer(pointer).into(),
            // A spelling such as `3.0` stays one.
            (Named::Index(_), _) if value.is_f64() => *value = f64::from(index).into(),
            (Named::Index(_), _) => *value = index.into(),
            (Named::Pointer, None) => {}
        }
    });
    removed
}

/// Whether an extension names nothing, or only its own elements and elements in the table.
pub fn is_known(extension: &str) -> bool {
    KNOWN.iter().any(|known| match known.strip_suffix('*') {
        Some(prefix) => extension.starts_with(prefix),
        None => extension == *known,
    })
}

/// Whether the table has places in an extension that name accessors, buffer views or buffers.
pub(super) fn names_data(extension: &str) -> bool {
    PLACES.iter().any(|(path, named)| {
        matches!(named, Named::Index(IdKind::Accessor | IdKind::View | IdKind::Buffer))
            && path.split("extensions/").any(|below| below.split('/').next() == Some(extension))
    })
}
