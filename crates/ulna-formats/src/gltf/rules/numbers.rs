//! Sizes and ranges of component types, and tolerances.

/// Tolerance for the length of unit quaternions and unit normals.
pub const ROTATION: f64 = 0.00769;

/// Number of bytes per component of a type; `None` for an unknown type.
pub const fn size_of_type(kind: usize) -> Option<usize> {
    match kind {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

/// Minimum and maximum of an integer component type.
pub const fn bounds_of_type(kind: usize) -> (f64, f64) {
    match kind {
        5120 => (-128.0, 127.0),
        5121 => (0.0, 255.0),
        5122 => (-32768.0, 32767.0),
        5123 => (0.0, 65535.0),
        _ => (0.0, 4_294_967_295.0),
    }
}

/// Number of components per element of an accessor type; `None` for an unknown type.
pub fn width_of(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}
