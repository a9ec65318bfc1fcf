//! Text forms of counts, numbers, lengths and angles.

use glam::{Mat3, Quat};
use ulna_model::{Local, transform::angle_between};

/// Formats a count with its noun, in the singular or plural.
pub(super) fn count(n: usize, one: &str) -> String {
    let many = |word: &str| match word {
        "vertex" => "vertices".to_owned(),
        "matrix" => "matrices".to_owned(),
        "index" => "indices".to_owned(),
        _ => format!("{word}s"),
    };
    if n == 1 { format!("1 {one}") } else { format!("{n} {}", many(one)) }
}

/// Formats a number with up to six decimals, without trailing zeros.
pub(super) fn six(value: f32) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Formats several numbers, separated by spaces.
pub(super) fn sixes(values: &[f32]) -> String {
    values.iter().map(|v| six(*v)).collect::<Vec<_>>().join(" ")
}

/// Formats a length in meters or millimeters.
pub(super) fn length(meters: f32) -> String {
    match meters.abs() {
        m if m >= 1.0 => format!("{m:.3} m"),
        m if m >= 0.001 => format!("{:.2} mm", m * 1000.0),
        m => format!("{m:.1e} m"),
    }
}

/// Formats an angle in degrees.
pub(super) fn degrees(radians: f32) -> String {
    match radians.to_degrees().abs() {
        d if d >= 0.0001 => format!("{d:.4}°"),
        d => format!("{d:.1e}°"),
    }
}

/// Whether two quaternions are the same rotation. A quaternion and its negative are the same.
pub(super) fn turn_alike(a: Quat, b: Quat) -> bool {
    a == b || a == -b
}

/// Result of comparing two local transforms.
pub(super) enum Between {
    /// The transforms are equal.
    Same,
    /// The transforms are equal, but stored in another form or with the opposite sign of the
    /// quaternion. The text describes the form.
    Form(String),
    /// The transforms differ, as the text describes.
    Differs(String),
}

/// Compares two local transforms. `frame` converts lengths in parent space to scene meters.
pub(super) fn between(a: &Local, b: &Local, frame: Mat3) -> Between {
    if a == b {
        return Between::Same;
    }
    let (x, y) = (a.transform(), b.transform());
    let both_trs = matches!((a, b), (Local::Trs(_), Local::Trs(_)));
    if both_trs
        && x.translation == y.translation
        && x.scale == y.scale
        && turn_alike(x.rotation, y.rotation)
    {
        return Between::Form("its rotation is stored with the opposite sign".into());
    }
    let form = |l: &Local| {
        if matches!(l, Local::Matrix(_)) { "a matrix" } else { "translation, rotation and scale" }
    };
    let mixed = matches!(a, Local::Matrix(_)) != matches!(b, Local::Matrix(_));
    let (m, n) = (a.matrix(), b.matrix());
    let room = |k: usize| {
        2e-6 * (m.col(k).abs().max_element()).max(n.col(k).abs().max_element()).max(1e-6)
    };
    if mixed && (0..4).all(|k| m.col(k).abs_diff_eq(n.col(k), room(k))) {
        return Between::Form(format!("{} instead of {}, the same transform", form(b), form(a)));
    }
    let mut parts = Vec::new();
    if x.translation != y.translation {
        let (local, scene) =
            (y.translation - x.translation, frame * (y.translation - x.translation));
        parts.push(match scene.length() {
            0.0 => format!(
                "moved by {} units in the space of its parent, whose scale is 0",
                six(local.length())
            ),
            meters => format!("moved by {}", length(meters)),
        });
    }
    if !turn_alike(x.rotation, y.rotation) {
        parts.push(format!("rotated by {}", degrees(angle_between(x.rotation, y.rotation))));
    }
    if x.scale != y.scale {
        parts.push(format!(
            "scaled from {} to {}",
            sixes(&x.scale.to_array()),
            sixes(&y.scale.to_array())
        ));
    }
    if mixed {
        parts.push(format!("{} instead of {}", form(b), form(a)));
    }
    if parts.is_empty() {
        parts.push("its matrix differs in rounding or in shear".into());
    }
    Between::Differs(parts.join(", "))
}
