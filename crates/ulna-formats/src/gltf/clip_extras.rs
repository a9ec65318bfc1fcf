//! What Ulna keeps in the extras of an animation: its markers, the kinds of its keys, what happens
//! at its end, in which ticks and frames it counts.

use serde::{Deserialize, Serialize};

use super::{
    json::Extensions,
    layer_extras,
    own_extras::{member, text},
};
use ulna_model::{
    Clip, Diagnostics, KeyKind, KeyKinds, Marker, Property, Repeat, Severity, Shared, Track,
};

/// The member of an animation's `extras` where markers are.
pub const MARKERS: &str = "ulna.markers";
/// Where the kinds of keys are.
pub const KEYS: &str = "ulna.keys";
/// Where it is said what happens at the end.
pub const LOOP: &str = "ulna.loop";

/// Where it is said in how many ticks a second its times are counted.
pub const TICKS: &str = "ulna.ticks";

/// Where it is said how many frames a second it has, where its keys say something else.
pub const RATE: &str = "ulna.rate";

/// How near the time of a kind must be to that of its key, seconds.
const NEAR: f32 = 1e-4;

/// `extras["ulna.markers"]`.
#[derive(Serialize, Deserialize)]
struct Markers {
    markers: Vec<Marker>,
}

/// `extras["ulna.keys"]`.
#[derive(Serialize, Deserialize)]
struct Keys {
    tracks: Vec<TrackKinds>,
}

/// Times of the keys of one track that are of a kind, seconds.
#[derive(Serialize, Deserialize)]
struct TrackKinds {
    node: u32,
    path: Property,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    extreme: Vec<f32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breakdown: Vec<f32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    in_between: Vec<f32>,
}

/// `extras["ulna.loop"]`.
#[derive(Serialize, Deserialize)]
struct Loop {
    repeat: Repeat,
}

/// `extras["ulna.ticks"]` and `extras["ulna.rate"]`.
#[derive(Serialize, Deserialize)]
struct Ticks {
    rate: f64,
}

/// Reads what the extras say of a clip whose tracks are there. What cannot be read stays in the
/// file, and is said.
pub fn read(clip: &mut Clip, extras: &Extensions, place: &str, diagnostics: &mut Diagnostics) {
    if let Some(Markers { markers }) = member(extras, MARKERS, "markers", place, diagnostics) {
        clip.markers = Marker::in_order(markers).into();
    }
    if let Some(Keys { tracks }) = member(extras, KEYS, "kinds of keys", place, diagnostics) {
        let mut lost = 0;
        for kinds in tracks {
            let wanted = kinds.extreme.len() + kinds.breakdown.len() + kinds.in_between.len();
            let track = clip
                .tracks
                .values_mut()
                .rev()
                .find(|t| t.target.0 == kinds.node && t.property == kinds.path);
            let Some(track) = track else {
                lost += wanted;
                continue;
            };
            let found: KeyKinds =
                kinds.times().filter_map(|(t, k)| Some((near(track, t)?, k))).collect();
            lost += wanted - found.iter().count();
            Shared::make_mut(track).kinds = found;
        }
        if lost > 0 {
            let message = format!(
                "Key kinds (extreme, breakdown, in-between) are stored for {lost} keys that do not \
                    exist; they are ignored"
            );
            diagnostics.add(Severity::Info, "ULNA_KEY_KINDS", place, message);
        }
    }
    clip.kept_layers = layer_extras::read(extras, place, diagnostics).map(Shared::new);
    if let Some(Loop { repeat }) = member(extras, LOOP, "loop mode", place, diagnostics) {
        clip.repeat = Some(repeat);
    }
    clip.ticks = rate(extras, (TICKS, "ticks"), place, diagnostics);
    clip.rate = rate(extras, (RATE, "frames"), place, diagnostics);
}

/// How many ticks or frames a second a member says.
fn rate(
    extras: &Extensions,
    (name, what): (&str, &str),
    place: &str,
    diagnostics: &mut Diagnostics,
) -> Option<f64> {
    let Ticks { rate } = member(extras, name, &format!("{what} per second"), place, diagnostics)?;
    if rate > 0.0 && rate.is_finite() {
        return Some(rate);
    }
    let message = format!(
        "Its rate of {rate} {what} per second is invalid; it is kept in the extras and ignored"
    );
    diagnostics.add(Severity::Warning, "ULNA_CLIP_EXTRAS", place, message);
    None
}

impl TrackKinds {
    fn times(&self) -> impl Iterator<Item = (f32, KeyKind)> + '_ {
        let of = |list: &'_ [f32], kind| list.iter().map(move |t| (*t, kind)).collect::<Vec<_>>();
        let Self { extreme, breakdown, in_between, .. } = self;
        [
            of(in_between, KeyKind::InBetween),
            of(breakdown, KeyKind::Breakdown),
            of(extreme, KeyKind::Extreme),
        ]
        .into_iter()
        .flatten()
    }
}

fn near(track: &Track, time: f32) -> Option<f32> {
    track.key_at(time, NEAR).map(|k| track.times[k])
}

/// The members that a clip has in its extras, as JSON; nothing where it has no such.
pub fn texts(clip: &Clip) -> [(&'static str, Option<String>); 6] {
    let markers = clip.markers.to_vec();
    let markers = if markers.is_empty() { None } else { text(Markers { markers }) };
    let tracks: Vec<TrackKinds> = clip.tracks.values().filter_map(|t| kinds_of(t)).collect();
    let keys = if tracks.is_empty() { None } else { text(Keys { tracks }) };
    let repeat = clip.repeat.and_then(|repeat| text(Loop { repeat }));
    let ticks = clip.ticks.and_then(|rate| text(Ticks { rate }));
    let frames = clip.rate.and_then(|rate| text(Ticks { rate }));
    let layers = layer_extras::member_of(clip.kept_layers.as_deref());
    [(MARKERS, markers), (KEYS, keys), (LOOP, repeat), (TICKS, ticks), (RATE, frames), layers]
}

fn kinds_of(track: &Track) -> Option<TrackKinds> {
    let kinds = track.kinds_there();
    let of = |kind| kinds.iter().filter(|(_, k)| *k == kind).map(|(t, _)| t).collect();
    (!kinds.is_empty()).then(|| TrackKinds {
        node: track.target.0,
        path: track.property,
        extreme: of(KeyKind::Extreme),
        breakdown: of(KeyKind::Breakdown),
        in_between: of(KeyKind::InBetween),
    })
}
