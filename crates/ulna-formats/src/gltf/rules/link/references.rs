//! Checks of references by index, and recording of the uses of views and accessors.

use super::super::{
    file::{Accessor, Usage, View},
    report::Report,
};
use ulna_model::Location;

/// Returns an index if its element exists; otherwise adds a finding.
pub(super) fn found<T>(
    list: &[Option<T>],
    index: Option<usize>,
    place: impl FnOnce() -> Location,
    out: &mut Report,
) -> Option<usize> {
    let index = index?;
    if list.get(index).is_some_and(Option::is_some) {
        return Some(index);
    }
    out.error("UNRESOLVED_REFERENCE", place());
    None
}

pub(super) fn use_view(
    views: &mut [Option<View>],
    view: Option<usize>,
    usage: Usage,
    place: &Location,
    out: &mut Report,
) {
    let Some(view) = view.and_then(|v| views.get_mut(v)).and_then(Option::as_mut) else { return };
    let kind = match usage {
        Usage::Times | Usage::Values => Usage::Other,
        usage => usage,
    };
    if *view.usage.get_or_insert(kind) != kind {
        out.error("BUFFER_VIEW_TARGET_OVERRIDE", place.clone());
    }
}

pub(super) fn use_accessor(
    accessor: &mut Accessor,
    usage: Usage,
    place: &Location,
    out: &mut Report,
) {
    if *accessor.usage.get_or_insert(usage) != usage {
        out.error("ACCESSOR_USAGE_OVERRIDE", place.clone());
    }
}
