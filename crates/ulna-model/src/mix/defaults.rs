//! Default values for serde. Members with the default value are omitted from the output.

pub(super) fn one<T: From<u8>>() -> T {
    T::from(1)
}

pub(super) fn yes() -> bool {
    true
}

// Serde passes references, so these functions take references to small values.
pub(super) fn is_one<T: From<u8> + PartialEq>(value: &T) -> bool {
    *value == T::from(1)
}

pub(super) fn is_zero<T: From<u8> + PartialEq>(value: &T) -> bool {
    *value == T::from(0)
}

pub(super) const fn is_yes(value: &bool) -> bool {
    *value
}

pub(super) const fn is_no(value: &bool) -> bool {
    !*value
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
