//! Byte ranges of accessors in their buffer views.

use super::{
    file::{Accessor, View},
    report::Report,
};
use ulna_model::Location;

/// Whether an accessor's byte range is aligned and inside its buffer view. With `say`, problems
/// become findings and the result is always `true`.
pub fn fits(
    offset: Option<usize>,
    size: usize,
    length: usize,
    view: &View,
    mut say: Option<(&Location, &mut Report)>,
) -> bool {
    let (Some(offset), Some(start)) = (offset, view.offset) else { return false };
    let mut fault = |code: &'static str, place: &dyn Fn(&Location) -> Location| match &mut say {
        Some((at, out)) => {
            out.error(code, place(at));
            true
        }
        None => false,
    };
    let whole = |at: &Location| at.clone();
    let member = |at: &Location| at.member("byteOffset");
    if !offset.is_multiple_of(size) && !fault("ACCESSOR_OFFSET_ALIGNMENT", &member) {
        return false;
    }
    if !start.saturating_add(offset).is_multiple_of(size)
        && !fault("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", &whole)
    {
        return false;
    }
    let most = view.length.unwrap_or(0);
    if offset > most {
        return fault("ACCESSOR_TOO_LONG", &member);
    }
    offset.saturating_add(length) <= most || fault("ACCESSOR_TOO_LONG", &whole)
}

/// Stride and total size of an accessor's elements, in bytes.
pub fn stretch(a: &Accessor, view: Option<&View>) -> (usize, usize) {
    let stride = view.and_then(|v| v.stride).unwrap_or(a.tight);
    (
        stride,
        a.count.unwrap_or(1).saturating_sub(1).saturating_mul(stride).saturating_add(a.element),
    )
}
