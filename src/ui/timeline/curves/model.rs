//! Curves of a clip: the rows of the curve list, and the shown curves.

use std::rc::Rc;

use egui::Color32;
use glam::Quat;

pub use super::kinds::{CurveId, CurveOf, CurveSource, Unit};
use super::{
    super::rows::{Row, Rows},
    choices::{CurveChoices, CurvesOf},
};
use ulna_model::{
    ClipId, Document, Interpolation, LayerHome, NodeId, PointerTrack, PoseLayers, Property, Shared,
    Track, TrackId,
};
pub use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};

/// Dash pattern: lengths on and off alternately, in points. An empty pattern is a solid line.
pub type Dash = &'static [f32];

/// Dash patterns that distinguish curves, starting with the solid line.
pub const DASHES: [Dash; 5] = [&[], &[6.0, 4.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0], &[12.0, 4.0]];

/// Curve shown in the graph.
#[derive(Clone, Debug)]
pub struct ShownCurve {
    /// Identity of the curve.
    pub id: CurveId,
    /// Animated subject: node component, pointer channel or layer strength.
    pub of: CurveOf,
    /// Node that the curve animates; `None` for curves without a node.
    pub node: Option<NodeId>,
    /// Animated property.
    pub property: Property,
    /// Track with the curve's keys.
    pub track: Shared<Track>,
    /// All components of the track as curves. This curve is component `id.component`.
    pub curves: Rc<TrackCurves>,
    /// Representation of the values: Euler angles, or values as stored.
    pub space: CurveSpace,
    /// Unit of the values.
    pub unit: Unit,
    /// Color of the line.
    pub color: Color32,
    /// Dash pattern of the line.
    pub dash: Dash,
    /// Name at the end of the curve, such as *upperarm X*.
    pub name: Rc<str>,
    /// Whether the curve animates a selected node.
    pub selected_joint: bool,
    /// Whether the curve is locked against edits.
    pub locked: bool,
    /// Own minimum and maximum value, if the curve is normalized.
    pub normalize: Option<(f64, f64)>,
}

impl ShownCurve {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.track.times.len()
    }

    /// Time of a key, in seconds.
    pub fn time(&self, key: usize) -> f64 {
        f64::from(self.track.times[key])
    }

    /// Value of a key.
    pub fn key_value(&self, key: usize) -> f64 {
        self.curves.key_value(key, usize::from(self.id.component))
    }

    /// Value at a time in seconds.
    pub fn value(&self, time: f64) -> f64 {
        self.curves.value(usize::from(self.id.component), time)
    }
}

/// Curve in the curve list.
#[derive(Clone, Debug)]
pub struct ListedCurve {
    pub id: CurveId,
    pub of: CurveOf,
    pub node: Option<NodeId>,
    pub track: Shared<Track>,
    pub space: CurveSpace,
    /// Label of the curve's row, such as *X*.
    pub label: Rc<str>,
    /// Name at the end of the curve.
    pub name: Rc<str>,
    pub color: Color32,
    pub dash: Dash,
    pub shown: bool,
}

/// Row of the curve list.
#[derive(Clone, Debug, PartialEq)]
pub enum ListRow {
    /// Node, with the range of its curves in the list of all curves.
    Node { node: NodeId, open: bool, curves: (usize, usize) },
    /// Channel, with the range of its curves in the list of all curves.
    Channel { node: NodeId, track: TrackId, open: bool, curves: (usize, usize) },
    /// Curve, by its index.
    Curve(usize),
    /// Animation pointer channel with unreadable values, by its index.
    Pointer(usize),
}

/// Rows that are compared by pointer.
#[derive(Clone, Debug)]
pub struct SameRows(pub Rc<Rows>);

impl PartialEq for SameRows {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Sources of curves in addition to the tracks of the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sources {
    /// Layers of the clip; their strengths may have keys.
    pub layers: Shared<PoseLayers>,
    /// Channels of animation pointers.
    pub pointers: Shared<[PointerTrack]>,
}

impl Sources {
    /// Sources of a clip in a document.
    pub fn of(document: &Document, id: ClipId) -> Self {
        Self {
            layers: document.aids.layers(LayerHome::Clip(id)),
            pointers: document.clips.get(id).map(|c| c.pointers.clone()).unwrap_or_default(),
        }
    }
}

/// Inputs that the curves are computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOf {
    pub rows: SameRows,
    pub sources: Sources,
    pub selected: std::collections::BTreeSet<NodeId>,
    pub choices: CurveChoices,
    pub theme: &'static str,
}

/// Curves of a clip, with the rows of the curve list.
#[derive(Clone, Debug, Default)]
pub struct CurvesModel {
    /// Rows of the list, without the row of all channels.
    pub rows: Vec<ListRow>,
    /// All listed curves, including those in collapsed rows.
    pub listed: Vec<ListedCurve>,
    /// Curves shown in the graph.
    pub shown: Rc<Vec<ShownCurve>>,
    /// Rows of the dope sheet beside the list rows.
    pub sheet: Option<Rc<Rows>>,
}

impl CurvesModel {
    /// Row of the dope sheet for a row of the curve list.
    pub fn sheet_row(&self, row: &ListRow) -> Row {
        match row {
            ListRow::Node { node, .. } => Row::Node(*node),
            ListRow::Channel { node, track, curves, .. } => {
                Row::Channel(*node, *track, self.listed[curves.0].track.property)
            }
            ListRow::Pointer(k) => Row::Pointer(*k),
            ListRow::Curve(k) => {
                let curve = &self.listed[*k];
                match (curve.id.source, curve.node) {
                    (CurveSource::Track(id), Some(node)) => match curve.track.property {
                        Property::Weights => Row::Morph(node, id, usize::from(curve.id.component)),
                        property => Row::Component(node, id, property, curve.id.component),
                    },
                    (CurveSource::Strength(id), _) => Row::Strength(id),
                    (CurveSource::Pointer(k), _) => Row::Pointer(k),
                    (CurveSource::Track(_), None) => Row::Summary,
                }
            }
        }
    }
}

/// Whether a curve is shown. Isolation and the user's visibility setting override the default.
pub fn is_shown(choices: &CurveChoices, of: CurveOf, selected: bool, moves: bool) -> bool {
    if !choices.solo.is_empty() {
        return choices.solo.contains(&of);
    }
    choices.eyes.get(&of).copied().unwrap_or(match choices.of {
        CurvesOf::Selected => selected,
        CurvesOf::Moving => moves,
        CurvesOf::None => false,
    })
}

/// Whether a track's value ever changes.
pub fn does_move(track: &Track) -> bool {
    (1..track.times.len()).any(|k| track.value(k) != track.value(0)) || has_slopes(track)
}

/// Whether a CUBICSPLINE track has tangents other than zero.
fn has_slopes(track: &Track) -> bool {
    let slope = |k: usize| (k / track.width.max(1)) % 3 != 1;
    track.interpolation == Interpolation::CubicSpline
        && track.times.len() > 1
        && track.values.iter().enumerate().any(|(k, v)| slope(k) && *v != 0.0)
}

/// Whether each stored component of a track changes by more than rounding errors. A rotation must
/// differ from its first key by more than 0.01°, another value by more than 1e-5 of the track's
/// largest value. All components of a rotation move together. In a track with tangents, all
/// components move.
pub fn moving_components(track: &Track) -> Vec<bool> {
    if has_slopes(track) {
        return vec![true; track.width];
    }
    let keys = || (0..track.times.len()).map(|k| track.value(k));
    let Some(first) = keys().next() else { return vec![false; track.width] };
    if track.property == Property::Rotation && track.width == 4 {
        let rotation = |v: &[f32]| Quat::from_slice(v).normalize();
        let from = rotation(first).conjugate();
        // Compare sines, because the cosine of half of 0.01° rounds to 1 in single precision.
        let least = 0.5 * 0.01_f32.to_radians();
        let moves = keys().any(|v| (from * rotation(v)).xyz().length() > least);
        return vec![moves; 4];
    }
    let largest = keys().flatten().fold(0.0_f32, |most, v| most.max(v.abs()));
    let moves = |c: usize| keys().any(|v| (v[c] - first[c]).abs() > largest * 1e-5);
    (0..track.width).map(moves).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(property: Property, interpolation: Interpolation, values: &[f32]) -> Track {
        let width = if property == Property::Rotation { 4 } else { 3 };
        let keys = values.len() / (width * interpolation.values_per_key());
        Track {
            target: NodeId(0),
            property,
            interpolation,
            times: (0..keys).map(|k| k as f32).collect(),
            values: values.to_vec().into(),
            width,
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    #[test]
    fn rounding_errors_do_not_count_as_motion() {
        let moved = [0.0, 1.0, 0.0, 1e-8, 1.000_000_1, 0.2];
        let line = track(Property::Translation, Interpolation::Linear, &moved);
        assert!(does_move(&line));
        assert_eq!(moving_components(&line), [false, false, true]);
        let turned = |angle: f32| {
            let half = 0.5 * angle.to_radians();
            let values = [0.0, 0.0, 0.0, -1.0, half.sin(), 0.0, 0.0, half.cos()];
            moving_components(&track(Property::Rotation, Interpolation::Linear, &values))
        };
        assert_eq!(turned(0.005), [false; 4]);
        assert_eq!(turned(0.02), [true; 4]);
    }

    #[test]
    fn equal_keys_with_tangents_count_as_motion() {
        let mut values = vec![0.0; 18];
        values[6] = 1.0;
        let curve = track(Property::Translation, Interpolation::CubicSpline, &values);
        assert!(does_move(&curve));
        assert_eq!(moving_components(&curve), [true; 3]);
    }
}
