//! Finds and renumbers references to elements in the JSON of a file: in core glTF, in known
//! extensions, and in Ulna's own extras.

mod places;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::LazyLock;

use serde_json::Value;

use self::places::{KNOWN, PLACES};
pub(super) use self::{places::Named, tree::PlaceTree};
use ulna_model::{AnyId, IdKind, Renumbering};

/// Tree of all JSON paths that contain references.
pub(super) fn tree() -> &'static PlaceTree {
    &ALL
}

/// Whether an extension refers to all elements of a list by their order. Only the
/// `materialProperties` of VRM 0 do this, for materials.
pub(super) fn names_in_order(root: &Value, kind: IdKind) -> bool {
    kind == IdKind::Material && root.pointer("/extensions/VRM/materialProperties").is_some()
}

static ALL: LazyLock<PlaceTree> = LazyLock::new(|| PlaceTree::of(|_, _| true));

/// Element that a JSON value refers to. `None` if the value is neither an index nor a pointer into
/// a list. VRM 0 uses −1 for no element.
pub(super) fn element(named: Named, value: &Value) -> Option<AnyId> {
    match named {
        Named::Index(kind) => Some(AnyId::new(kind, index_of(value)?)),
        Named::Pointer => AnyId::in_pointer(value.as_str()?),
    }
}

/// Converts a JSON number to a non-negative integer, which may be written as `3.0` (glTF 2.0, *JSON
/// Encoding*).
pub(super) fn index_of(value: &Value) -> Option<u32> {
    let whole = |v: f64| (v >= 0.0 && v.fract() == 0.0).then_some(v as u64);
    let index = value.as_u64().or_else(|| value.as_f64().and_then(whole))?;
    u32::try_from(index).ok()
}

/// Visits all references in the JSON of a file, once per occurrence.
pub fn for_each_reference(root: &Value, visit: &mut dyn FnMut(AnyId)) {
    ALL.visit(root, &mut |named, value| element(named, value).into_iter().for_each(&mut *visit));
}

/// Renumbers the references in the JSON of a file. The lists themselves are not reordered.
/// References to removed elements stay unchanged, and the first such element is returned.
pub fn renumber(root: &mut Value, renumbering: &Renumbering) -> Option<AnyId> {
    renumber_below(&ALL, root, renumbering)
}

/// Renumbers the references in one element of a top-level list, such as a node, like [`renumber`].
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
            // A number such as `3.0` keeps its decimal point.
            (Named::Index(_), _) if value.is_f64() => *value = f64::from(index).into(),
            (Named::Index(_), _) => *value = index.into(),
            (Named::Pointer, None) => {}
        }
    });
    removed
}

/// Whether all references in an extension are known: there are none, they stay within the
/// extension, or the table lists them.
pub fn is_known(extension: &str) -> bool {
    KNOWN.iter().any(|known| match known.strip_suffix('*') {
        Some(prefix) => extension.starts_with(prefix),
        None => extension == *known,
    })
}

/// Whether the table lists references from an extension to accessors, buffer views or buffers.
pub(super) fn names_data(extension: &str) -> bool {
    PLACES.iter().any(|(path, named)| {
        matches!(named, Named::Index(IdKind::Accessor | IdKind::View | IdKind::Buffer))
            && path.split("extensions/").any(|below| below.split('/').next() == Some(extension))
    })
}
