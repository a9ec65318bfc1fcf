//! Compares clips and their keys.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat3, Quat, Vec3};

use super::{
    comparing::Comparing,
    finding::DifferenceKind,
    words::{count, degrees, length, six},
};
use ulna_model::{
    Clip, ClipId, FileContent, Goal, Interpolation, NodeId, PointerTrack, Property, Track,
    transform::angle_between,
};
use ulna_motion::sample_into;

pub(super) fn label(d: &FileContent, clip: ClipId) -> String {
    format!("clip “{}”", d.clip_label(clip))
}

/// Compares all pairs of clips.
pub(super) fn compare(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    for pair in found.pairs.clips.clone() {
        match pair {
            (Some(x), Some(y)) => {
                found.renamed(label(a, x), a.clips[x].name.as_deref(), b.clips[y].name.as_deref());
                one(found, (x, y));
            }
            (Some(x), None) => {
                let keys = count(a.clips[x].key_count(), "key");
                found.add(
                    DifferenceKind::Clip,
                    label(a, x),
                    format!("the clip with {keys} was removed"),
                );
            }
            (None, Some(y)) => {
                let keys = count(b.clips[y].key_count(), "key");
                found.add(
                    DifferenceKind::Clip,
                    label(b, y),
                    format!("the clip with {keys} was added"),
                );
            }
            (None, None) => {}
        }
    }
}

/// Returns the tracks that take effect. If several tracks animate one property of a node, only
/// the last of them takes effect.
fn tracks(clip: &Clip) -> BTreeMap<(NodeId, Property), &Track> {
    clip.tracks.values().map(|t| ((t.target, t.property), &**t)).collect()
}

/// Compares the contacts of two clips, after mapping their joints to the second file.
fn contacts_of(found: &mut Comparing<'_>, before: &[Goal], after: &[Goal], place: &str) {
    let there = |goal: &Goal| -> Option<Goal> {
        let space = match goal.space {
            None => None,
            Some(space) => Some(found.pairs.node(space)?),
        };
        Some(Goal { node: found.pairs.node(goal.node)?, space, ..goal.clone() })
    };
    let mapped: Option<Vec<Goal>> = before.iter().map(there).collect();
    if mapped.is_none_or(|mapped| Goal::in_order(mapped)[..] != *after) {
        let said = match (before.len(), after.len()) {
            (n, m) if n == m => "its contacts differ".to_owned(),
            (n, m) => format!("{} instead of {n}", count(m, "contact")),
        };
        found.add_unseen(DifferenceKind::Clip, place, said);
    }
}

fn one(found: &mut Comparing<'_>, (x, y): (ClipId, ClipId)) {
    let (a, b) = (found.a, found.b);
    // Exhaustive pattern: a new member does not compile until it is compared here. `kept.rs`
    // compares the stored layers.
    let Clip {
        name: _,
        tracks: _,
        channels_in_file: _,
        markers,
        contacts,
        repeat,
        ticks,
        rate,
        kept_layers: _,
        pointers,
        kept,
        mended: _,
    } = &*a.clips[x];
    let other = &b.clips[y];
    let place = label(a, x);
    if repeat != &other.repeat {
        let word = |r: Option<ulna_model::Repeat>| {
            r.map_or_else(|| "not set".to_owned(), |r| format!("{r:?}").to_lowercase())
        };
        let values = [word(*repeat), word(other.repeat)];
        found.change(DifferenceKind::Clip, false, &place, "the loop mode", values);
    }
    if ticks != &other.ticks {
        let word =
            |t: Option<f64>| t.map_or_else(|| "not set".to_owned(), |t| format!("{t} per second"));
        found.change(
            DifferenceKind::Clip,
            false,
            &place,
            "the tick rate",
            [word(*ticks), word(other.ticks)],
        );
    }
    if rate != &other.rate {
        let word = |r: Option<f64>| {
            r.map_or_else(|| "not set".to_owned(), |r| format!("{r} frames per second"))
        };
        found.change(
            DifferenceKind::Clip,
            false,
            &place,
            "the frame rate",
            [word(*rate), word(other.rate)],
        );
    }
    if markers != &other.markers {
        let said = match (markers.len(), other.markers.len()) {
            (n, m) if n == m => "its markers differ".to_owned(),
            (n, m) => format!("{} instead of {n}", count(m, "marker")),
        };
        found.add_unseen(DifferenceKind::Clip, &place, said);
    }
    contacts_of(found, contacts, &other.contacts, &place);
    pointer_keys(found, pointers, &other.pointers, &place);
    let held = |list: &[(NodeId, Property)]| -> BTreeSet<(NodeId, Property)> {
        list.iter().copied().collect()
    };
    let mine: BTreeSet<_> = held(kept).into_iter().map(|(n, p)| (found.pairs.node(n), p)).collect();
    let theirs: BTreeSet<_> = held(&other.kept).into_iter().map(|(n, p)| (Some(n), p)).collect();
    if mine != theirs {
        found.add(DifferenceKind::Keys, &place, "the channels with unreadable keys differ");
    }
    let (left, right) = (tracks(&a.clips[x]), tracks(other));
    let mut taken = BTreeSet::new();
    for ((node, property), track) in &left {
        let partner =
            found.pairs.node(*node).map(|n| (n, *property)).filter(|key| right.contains_key(key));
        taken.extend(partner);
        let second = partner.and_then(|key| right.get(&key).copied());
        let what = format!("{} {}", a.path(*node), property.path());
        let frame = found.scale_above(*node);
        compare_tracks(
            found,
            (Some(track), second),
            frame,
            &place,
            &what,
            &still(a, *node, *property),
        );
    }
    for ((node, property), track) in right.iter().filter(|(key, _)| !taken.contains(*key)) {
        let what = format!("{} {}", b.path(*node), property.path());
        let frame = found.scale_above_in_b(*node);
        compare_tracks(
            found,
            (None, Some(track)),
            frame,
            &place,
            &what,
            &still(b, *node, *property),
        );
    }
}

/// Returns the constant value of a property of a node without keys.
fn still(d: &FileContent, node: NodeId, property: Property) -> Vec<f32> {
    let local = d.node(node).local().transform();
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale => local.scale.to_array().to_vec(),
        Property::Weights => d.morph_weights(node),
    }
}

fn compare_tracks(
    found: &mut Comparing<'_>,
    (x, y): (Option<&Track>, Option<&Track>),
    frame: Mat3,
    place: &str,
    what: &str,
    still: &[f32],
) {
    let difference = match (x, y) {
        (Some(x), Some(y)) => track(x, y, frame),
        (Some(x), None) => Some(TrackDiffers::Keys(format!("{} removed", are(x.times.len())))),
        (None, Some(y)) => Some(TrackDiffers::Keys(format!("{} added", are(y.times.len())))),
        (None, None) => None,
    };
    let Some(difference) = difference else { return };
    match difference {
        TrackDiffers::Form(how) => {
            found.note("keys_stored_otherwise", place, &format!("{what}: {how}"))
        }
        TrackDiffers::Marks { kinds, modes } => {
            let words = [
                (kinds, "the kinds of its keys (extreme, breakdown, in-between) differ"),
                (modes, "the tangent modes of its keys differ"),
            ];
            for (_, said) in words.iter().filter(|(differs, _)| *differs) {
                found.add_unseen(DifferenceKind::Keys, place, format!("{what}: {said}"));
            }
        }
        TrackDiffers::Keys(how) if is_same_motion(x, y, still) => {
            found.add_unseen(
                DifferenceKind::Keys,
                place,
                format!("{what}: {how}, and the motion is the same"),
            );
        }
        TrackDiffers::Keys(how) => found.add(DifferenceKind::Keys, place, format!("{what}: {how}")),
    }
}

fn are(n: usize) -> String {
    if n == 1 { "1 key is".to_owned() } else { format!("{n} keys are") }
}

/// Kind of the difference between two tracks.
enum TrackDiffers {
    /// The keys have other times or values, as the text describes.
    Keys(String),
    /// Only the key types or the tangent modes differ.
    Marks { kinds: bool, modes: bool },
    /// The keys are equal, but stored differently, as the text describes.
    Form(String),
}

fn track(a: &Track, b: &Track, frame: Mat3) -> Option<TrackDiffers> {
    // Exhaustive pattern: a new member does not compile until it is compared here.
    let Track { target: _, property, interpolation, times, values, width, kinds: _, modes: _ } = a;
    let differ = |what: String| Some(TrackDiffers::Keys(what));
    if *width != b.width {
        return differ(format!("{} values per key instead of {width}", b.width));
    }
    if times != &b.times {
        let has = |t: &Track, time: f32| t.times.binary_search_by(|k| k.total_cmp(&time)).is_ok();
        let gone = times.iter().filter(|t| !has(b, **t)).count();
        let new = b.times.iter().filter(|t| !has(a, **t)).count();
        let was = times.len();
        let shape = if *interpolation == b.interpolation {
            String::new()
        } else {
            format!(", {} instead of {}", b.interpolation.label(), interpolation.label())
        };
        return differ(format!(
            "{} instead of {was}: {gone} key times removed, {new} added{shape}",
            count(b.times.len(), "key")
        ));
    }
    let turns = *property == Property::Rotation && *width == 4;
    let sign = |k: usize| turns && (0..*width).all(|i| a.value(k)[i] == -b.value(k)[i]);
    let off = (0..times.len()).filter(|k| a.value(*k) != b.value(*k) && !sign(*k)).count();
    let gap = |k: usize| -> f32 {
        let (p, q) = (a.value(k), b.value(k));
        match property {
            Property::Rotation if turns => angle_between(Quat::from_slice(p), Quat::from_slice(q)),
            Property::Translation => (frame * (Vec3::from_slice(q) - Vec3::from_slice(p))).length(),
            _ => p.iter().zip(q).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max),
        }
    };
    let most = (0..times.len()).map(gap).fold(0.0, f32::max);
    let words = match property {
        Property::Rotation => degrees(most),
        Property::Translation => length(most),
        _ => six(most),
    };
    if off > 0 {
        return differ(format!("{} differ, by up to {words}", count(off, "key")));
    }
    let single = times.len() == 1;
    if *interpolation != b.interpolation {
        let what = format!("{} instead of {}", b.interpolation.label(), interpolation.label());
        return match single {
            true => Some(TrackDiffers::Form(format!("{what}, with a single key"))),
            false => differ(what),
        };
    }
    if values != &b.values {
        let flipped = values.iter().zip(b.values.iter()).all(|(p, q)| *p == -*q);
        let cubic = *interpolation == Interpolation::CubicSpline;
        if cubic && !(turns && flipped) {
            return differ("tangents differ".into());
        }
        return Some(TrackDiffers::Form("rotations are stored with the opposite sign".into()));
    }
    let kinds = a.kinds_there() != b.kinds_there();
    let modes = a.modes_there() != b.modes_there();
    (kinds || modes).then_some(TrackDiffers::Marks { kinds, modes })
}

/// Whether two tracks have the same value at all times. A missing track has the constant value
/// `still`.
fn is_same_motion(a: Option<&Track>, b: Option<&Track>, still: &[f32]) -> bool {
    let width = a.or(b).map_or(0, |t| t.width);
    if width == 0 || still.len() != width || a.zip(b).is_some_and(|(a, b)| a.width != b.width) {
        return false;
    }
    let mut times: Vec<f64> =
        a.into_iter().chain(b).flat_map(|t| t.times.iter().map(|t| f64::from(*t))).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let between: Vec<f64> = times
        .windows(2)
        .flat_map(|w| [0.21, 0.5, 0.83].map(|k| w[0] + (w[1] - w[0]) * k))
        .collect();
    let turns = a.or(b).is_some_and(|t| t.property == Property::Rotation);
    let value = |t: Option<&Track>, time: f64| {
        let mut out = still.to_vec();
        if let Some(track) = t {
            sample_into(track, time, &mut out);
        }
        out
    };
    times.into_iter().chain(between).all(|time| {
        let (p, q) = (value(a, time), value(b, time));
        let size = p.iter().chain(&q).fold(1e-3f32, |m, v| m.max(v.abs()));
        let near = |sign: f32| p.iter().zip(&q).all(|(x, y)| (x - sign * y).abs() <= 2e-6 * size);
        near(1.0) || (turns && near(-1.0))
    })
}

/// Compares the keys of animation pointers. If a pointer animates no node, its key values are
/// compared with the other members of the file.
fn pointer_keys(found: &mut Comparing<'_>, a: &[PointerTrack], b: &[PointerTrack], place: &str) {
    let by_name = |list: &[PointerTrack]| -> BTreeMap<String, PointerTrack> {
        list.iter().map(|p| (p.pointer.to_string(), p.clone())).collect()
    };
    let (mut left, mut right) = (by_name(a), by_name(b));
    // Pointers contain indices. Pointers to paired elements mean the same, even if the indices
    // differ.
    let to = &found.pairs.renumbering;
    left = left.into_iter().map(|(key, p)| (to.of_pointer(&key), p)).collect();
    let names: BTreeSet<String> = left.keys().chain(right.keys()).cloned().collect();
    for name in names {
        let message = match (left.get(&name), right.remove(&name)) {
            (Some(p), Some(q)) => {
                let keys = |t: &PointerTrack| {
                    t.track.as_ref().map(|t| (t.times.clone(), t.values.clone()))
                };
                let visible = |t: &PointerTrack| t.visibility.as_ref().map(|v| v.visible.clone());
                let same = p.interpolation == q.interpolation
                    && visible(p) == visible(&q)
                    && p.times == q.times
                    && p.width == q.width
                    && keys(p) == keys(&q);
                if same {
                    continue;
                }
                format!("keys of {name} differ")
            }
            (Some(p), None) => format!("{} removed from {name}", are(p.times.len())),
            (None, Some(q)) => format!("{} added to {name}", are(q.times.len())),
            (None, None) => continue,
        };
        found.add(DifferenceKind::Keys, place, message);
    }
}
