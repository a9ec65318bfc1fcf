//! Ulna's own extras of animations: markers, contacts, key types, tangent modes, loop mode, ticks
//! per second and frame rate.

use serde::{Deserialize, Serialize};

use super::{
    json::Extensions,
    layer_extras,
    own_extras::{member, text},
    tangent_extras::{self, KeyModes},
};
use ulna_model::{
    Clip, Diagnostics, Goal, KeyKind, KeyKinds, Location, Marker, Property, Repeat, Severity,
    Shared, TangentModes, Track,
};

/// Name of the member of an animation's `extras` that stores markers.
pub const MARKERS: &str = "ulna.markers";
/// Name of the member that stores contacts and other goals.
pub const CONTACTS: &str = "ulna.contacts";
/// Name of the member that stores the types and tangent modes of keys.
pub const KEYS: &str = "ulna.keys";
/// Name of the member that stores the loop mode.
pub const LOOP: &str = "ulna.loop";

/// Name of the member that stores the number of ticks per second.
pub const TICKS: &str = "ulna.ticks";

/// Name of the member that stores the frame rate, if it differs from the rate of the keys.
pub const RATE: &str = "ulna.rate";

/// Maximum distance between a stored time and its key, in seconds.
const NEAR: f32 = 1e-4;

/// Content of `extras["ulna.markers"]`.
#[derive(Serialize, Deserialize)]
struct Markers {
    markers: Vec<Marker>,
}

/// Content of `extras["ulna.contacts"]`.
#[derive(Serialize, Deserialize)]
struct Contacts {
    contacts: Vec<Goal>,
}

/// Content of `extras["ulna.keys"]`.
#[derive(Serialize, Deserialize)]
struct Keys {
    tracks: Vec<TrackKinds>,
}

/// Key types and tangent modes of one track. Keys are identified by their times in seconds.
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tangents: Vec<KeyModes>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wraps: bool,
    /// Hash of the keys that the tangent modes belong to. If it does not match the track, the modes
    /// are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// Content of `extras["ulna.loop"]`.
#[derive(Serialize, Deserialize)]
struct Loop {
    repeat: Repeat,
}

/// Content of `extras["ulna.ticks"]` and `extras["ulna.rate"]`.
#[derive(Serialize, Deserialize)]
struct Ticks {
    rate: f64,
}

/// Reads the extras of a clip after all its tracks. `nodes` is the number of nodes in the file.
/// Unreadable members stay in the file, with a finding.
pub fn read(
    clip: &mut Clip,
    nodes: usize,
    extras: &Extensions,
    place: &Location,
    diagnostics: &mut Diagnostics,
) {
    if let Some(Markers { markers }) = member(extras, MARKERS, "markers", place, diagnostics) {
        clip.markers = Marker::in_order(markers).into();
    }
    if let Some(Contacts { contacts }) = member(extras, CONTACTS, "contacts", place, diagnostics) {
        let there = |goal: &Goal| {
            goal.node.index() < nodes && goal.space.is_none_or(|space| space.index() < nodes)
        };
        if contacts.iter().all(|goal| goal.is_valid() && there(goal)) {
            clip.contacts = Goal::in_order(contacts).into();
        } else {
            let message = "A contact refers to a node that does not exist, or its times are \
                invalid; the contacts stay in the file, but are ignored";
            diagnostics.add(Severity::Warning, "ULNA_CONTACTS", place, message.to_owned());
        }
    }
    if let Some(Keys { tracks }) = member(extras, KEYS, "kinds of keys", place, diagnostics) {
        let (mut lost, mut lost_modes) = (0, 0);
        for kinds in tracks {
            let wanted = kinds.extreme.len() + kinds.breakdown.len() + kinds.in_between.len();
            let track = clip
                .tracks
                .values_mut()
                .rev()
                .find(|t| t.target.0 == kinds.node && t.property == kinds.path);
            let Some(track) = track else {
                lost += wanted;
                lost_modes += kinds.named();
                continue;
            };
            let found: KeyKinds =
                kinds.times().filter_map(|(t, k)| Some((near(track, t)?, k))).collect();
            lost += wanted - found.iter().count();
            let fits = kinds.named() == 0
                || kinds.hash.as_ref().is_some_and(|h| *h == tangent_extras::hash(track));
            let modes = if fits {
                tangent_extras::taken(&kinds.tangents, kinds.wraps, |t| near(track, t))
            } else {
                lost_modes += kinds.named();
                TangentModes::default()
            };
            let track = Shared::make_mut(track);
            (track.kinds, track.modes) = (found, modes);
        }
        if lost > 0 {
            let message = format!(
                "Key kinds (extreme, breakdown, in-between) are stored for {lost} keys that do not \
                    exist; they are ignored"
            );
            diagnostics.add(Severity::Info, "ULNA_KEY_KINDS", place, message);
        }
        if lost_modes > 0 {
            let keys =
                if lost_modes == 1 { "1 key".to_owned() } else { format!("{lost_modes} keys") };
            let message = format!(
                "The tangent modes of {keys} are ignored, because another program changed the \
                    tracks that they belong to"
            );
            diagnostics.add(Severity::Info, "ULNA_TANGENT_MODES", place, message);
        }
    }
    clip.kept_layers = layer_extras::read(extras, place, diagnostics).map(Shared::new);
    if let Some(Loop { repeat }) = member(extras, LOOP, "loop mode", place, diagnostics) {
        clip.repeat = Some(repeat);
    }
    clip.ticks = rate(extras, (TICKS, "ticks"), place, diagnostics);
    clip.rate = rate(extras, (RATE, "frames"), place, diagnostics);
}

/// Reads a number of ticks or frames per second.
fn rate(
    extras: &Extensions,
    (name, what): (&str, &str),
    place: &Location,
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
    /// Number of keys with tangent modes. If the tangents continue across the loop seam, the number
    /// is at least 2, for the keys at the seam.
    fn named(&self) -> usize {
        self.tangents.len().max(if self.wraps { 2 } else { 0 })
    }

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

/// JSON texts of a clip's extras, by member name; `None` for a member that the clip does not need.
pub fn texts(clip: &Clip) -> [(&'static str, Option<String>); 7] {
    let markers = clip.markers.to_vec();
    let markers = if markers.is_empty() { None } else { text(Markers { markers }) };
    let contacts = clip.contacts.to_vec();
    let contacts = if contacts.is_empty() { None } else { text(Contacts { contacts }) };
    let tracks: Vec<TrackKinds> = clip.tracks.values().filter_map(|t| kinds_of(t)).collect();
    let keys = if tracks.is_empty() { None } else { text(Keys { tracks }) };
    let repeat = clip.repeat.and_then(|repeat| text(Loop { repeat }));
    let ticks = clip.ticks.and_then(|rate| text(Ticks { rate }));
    let frames = clip.rate.and_then(|rate| text(Ticks { rate }));
    let layers = layer_extras::member_of(clip.kept_layers.as_deref());
    [
        (MARKERS, markers),
        (KEYS, keys),
        (LOOP, repeat),
        (TICKS, ticks),
        (RATE, frames),
        (CONTACTS, contacts),
        layers,
    ]
}

fn kinds_of(track: &Track) -> Option<TrackKinds> {
    let kinds = track.kinds_there();
    let of = |kind| kinds.iter().filter(|(_, k)| *k == kind).map(|(t, _)| t).collect();
    let modes = track.modes_there();
    let named = !modes.is_empty() || modes.wraps();
    (named || !kinds.is_empty()).then(|| TrackKinds {
        node: track.target.0,
        path: track.property,
        extreme: of(KeyKind::Extreme),
        breakdown: of(KeyKind::Breakdown),
        in_between: of(KeyKind::InBetween),
        tangents: tangent_extras::listed(&modes),
        wraps: modes.wraps(),
        hash: named.then(|| tangent_extras::hash(track)),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ulna_model::{Interpolation, KeyTangents, NodeId, TangentMode, TrackId};

    fn modes() -> impl Strategy<Value = KeyTangents> {
        use TangentMode::{Auto, Flat, Free, Linear, Smooth};
        let mode = || prop::sample::select(vec![Auto, Smooth, Flat, Linear, Free]);
        (mode(), mode(), any::<bool>()).prop_map(|(arrive, leave, linked)| KeyTangents {
            arrive,
            leave,
            linked,
        })
    }

    fn track(keys: &[(f32, f32, Option<KeyTangents>)], wraps: bool) -> Track {
        let mut time = 0.0;
        let times: Vec<f32> = keys
            .iter()
            .map(|(gap, _, _)| {
                time += gap;
                time
            })
            .collect();
        let named = times.iter().zip(keys).filter_map(|(t, (_, _, m))| Some((*t, (*m)?)));
        Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::CubicSpline,
            values: keys.iter().flat_map(|k| [k.1; 9]).collect(),
            width: 3,
            kinds: KeyKinds::default(),
            modes: TangentModes::default().replaced(named).wrapping(wraps),
            times: times.into(),
        }
    }

    fn clip(track: Track) -> Clip {
        let mut clip = Clip::default();
        clip.tracks.insert(TrackId(0), Shared::new(track));
        clip
    }

    /// Writes the extras of one clip and reads them into another. Returns the findings.
    fn brought(from: &Clip, to: &mut Clip) -> Vec<String> {
        let members = texts(from).into_iter().filter_map(|(name, text)| Some((name, text?)));
        let members: Vec<String> =
            members.map(|(name, text)| format!("\"{name}\":{text}")).collect();
        let extras = serde_json::from_str(&format!("{{{}}}", members.join(","))).unwrap();
        let mut found = Diagnostics::default();
        read(to, 0, &extras, &Location::at(ulna_model::IdKind::Clip, 0), &mut found);
        found.finish().iter().map(|d| format!("{}: {}", d.code, d.message)).collect()
    }

    proptest! {
        #[test]
        fn tangent_modes_are_restored_only_on_their_own_keys(
            keys in prop::collection::vec((0.001f32..3.0, -2.0f32..2.0,
                prop::option::of(modes())), 1..20),
            wraps in any::<bool>(),
            at in any::<prop::sample::Index>(),
        ) {
            let meant = clip(track(&keys, wraps));
            let own = &meant.tracks[&TrackId(0)];
            let bare = Track { modes: TangentModes::default(), ..(**own).clone() };
            let mut same = clip(bare.clone());
            prop_assert_eq!(brought(&meant, &mut same), Vec::<String>::new());
            prop_assert_eq!(&same, &meant);
            // One value of one key is changed.
            let mut values = bare.values.to_vec();
            let at = at.index(values.len());
            values[at] += 1.0;
            let mut other = clip(Track { values: values.into(), ..bare });
            let found = brought(&meant, &mut other);
            prop_assert_eq!(&other.tracks[&TrackId(0)].modes, &TangentModes::default());
            let lost = own.modes.iter().count().max(if wraps { 2 } else { 0 });
            let said = format!("modes of {lost} key");
            prop_assert_eq!(found.len(), usize::from(lost > 0));
            prop_assert!(found.iter()
                .all(|f| f.starts_with("ULNA_TANGENT_MODES: ") && f.contains(&said)));
        }
    }

    #[test]
    fn extras_without_tangent_modes_keep_the_previous_format() {
        let mut track = track(&[(0.5, 1.0, None), (0.5, 2.0, None)], false);
        assert!(texts(&clip(track.clone())).iter().all(|(_, text)| text.is_none()));
        track.kinds = [(0.5, KeyKind::Extreme)].into_iter().collect();
        let text = texts(&clip(track))[1].1.clone();
        let was = r#"{"version":1,"tracks":[{"node":0,"path":"translation","extreme":[0.5]}]}"#;
        assert_eq!(text.as_deref(), Some(was));
    }
}
