//! Times of a clip at which a deviation is measured.

use super::request::Exactness;
use ulna_model::{Clip, NodeId, PoseLayers, Property, Shared, Slice, Track};

/// A clip with its layers.
pub(super) type LayeredClip<'a> = (&'a Shared<Clip>, &'a Shared<PoseLayers>);

/// Returns the times of a clip at which to compare, in seconds, sorted and without duplicates; at
/// least one. With `all_tracks`, key times of unchanged tracks are included, because the skin
/// itself differs.
pub(super) fn sample_times(
    clips: [LayeredClip<'_>; 2],
    exactness: Exactness,
    all_tracks: bool,
    most: usize,
) -> Vec<f64> {
    let all = sorted(clips.iter().flat_map(key_times));
    let (Some(first), Some(last)) = (all.first().copied(), all.last().copied()) else {
        return vec![0.0];
    };
    let even = (0..5).map(|k| first + (last - first) * f64::from(k) / 4.0);
    let mut times: Vec<f64> = even.collect();
    if exactness == Exactness::Bounded {
        let differing = if all_tracks { Vec::new() } else { sorted(differing_times(clips)) };
        let keys = if differing.is_empty() { &all } else { &differing };
        times.extend(with_between(keys, most.saturating_sub(times.len())));
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Returns key times and times between them. If there are too many, segments are skipped evenly.
/// Some times between keys always remain, since the errors of rebaked keys are 0 at the keys.
fn with_between(keys: &[f64], most: usize) -> Vec<f64> {
    let spans: Vec<[f64; 2]> = keys.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    let at = |[a, b]: [f64; 2], part: f64| a + (b - a) * part;
    let mut times = if keys.len() + spans.len() * 3 <= most {
        let inner = spans.iter().flat_map(|s| [0.0, 0.25, 0.5, 0.75].map(|part| at(*s, part)));
        inner.collect::<Vec<f64>>()
    } else {
        let kept = spans.len().min((most / 2).max(1));
        // The quarters alternate, so that none of them is skipped in every segment.
        let span = |k: usize| {
            let span = spans[k * spans.len() / kept.max(1)];
            [span[0], at(span, [0.5, 0.25, 0.5, 0.75][k % 4])]
        };
        (0..kept).flat_map(span).collect()
    };
    times.extend(keys.last());
    times
}

/// Returns the lists of key times of all tracks of a clip, its layers and its pointers.
fn lists<'a>((clip, layers): &LayeredClip<'a>) -> Vec<&'a Slice<f32>> {
    let tracks = clip.tracks.values().map(|t| &t.times);
    let pointers = clip.pointers.iter().map(|p| &p.times);
    tracks.chain(pointers).chain(layer_lists(layers)).collect()
}

fn layer_lists(layers: &PoseLayers) -> Vec<&Slice<f32>> {
    let mut lists = Vec::new();
    for layer in layers.counting() {
        lists.extend(layer.keys.tracks.values().map(|t| &t.times));
        lists.extend(layer.strength_keys.iter().map(|t| &t.times));
    }
    lists
}

fn key_times(clip: &LayeredClip<'_>) -> Vec<f64> {
    seconds(lists(clip))
}

fn seconds(mut lists: Vec<&Slice<f32>>) -> Vec<f64> {
    // Tracks often share a list, so remove duplicate lists.
    lists.sort_by_key(|list| (list.as_ptr(), list.len()));
    lists.dedup_by(|a, b| Slice::ptr_eq(a, b));
    lists.into_iter().flat_map(|list| list.iter().map(|t| f64::from(*t))).collect()
}

fn sorted(times: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.into_iter().filter(|t| t.is_finite()).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Returns the key times of tracks that differ, or that only one document has.
fn differing_times([(before, layers), (after, changed_layers)]: [LayeredClip<'_>; 2]) -> Vec<f64> {
    let mut lists: Vec<&Slice<f32>> = Vec::new();
    if layers != changed_layers {
        lists.extend(layer_lists(layers));
        lists.extend(layer_lists(changed_layers));
    }
    if !Shared::ptr_eq(before, after) {
        let of = |clip: &Clip, (node, property): (NodeId, Property)| {
            clip.track(node, property).map(|(_, track)| track.clone())
        };
        let same = |track: &Shared<Track>, other: &Clip| {
            let other = of(other, (track.target, track.property));
            other.is_some_and(|other| Shared::ptr_eq(track, &other) || track.same_keys(&other))
        };
        lists.extend(before.tracks.values().filter(|t| !same(t, after)).map(|t| &t.times));
        lists.extend(after.tracks.values().filter(|t| !same(t, before)).map(|t| &t.times));
        if before.pointers != after.pointers {
            lists.extend(before.pointers.iter().chain(after.pointers.iter()).map(|p| &p.times));
        }
    }
    seconds(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::{Interpolation, TrackId};

    fn clip(tracks: &[(u32, &[f32])]) -> Shared<Clip> {
        let track = |(node, times): &(u32, &[f32])| Track {
            target: NodeId(*node),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.to_vec().into(),
            values: vec![0.0; times.len() * 3].into(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let tracks = tracks.iter().enumerate();
        let tracks = tracks.map(|(k, t)| (TrackId::from(k), Shared::new(track(t)))).collect();
        Clip { tracks, ..Clip::default() }.into()
    }

    fn times(a: &Shared<Clip>, b: &Shared<Clip>, exactness: Exactness, most: usize) -> Vec<f64> {
        let layers = Shared::default();
        sample_times([(a, &layers), (b, &layers)], exactness, false, most)
    }

    #[test]
    fn changes_expected_to_be_exact_are_sampled_at_five_times() {
        let clip = clip(&[(0, &[1.0, 3.0]), (1, &[2.0, 5.0])]);
        assert_eq!(times(&clip, &clip, Exactness::Exact, 240), [1.0, 2.0, 3.0, 4.0, 5.0]);
        let still = Shared::new(Clip::default());
        assert_eq!(times(&still, &still, Exactness::Bounded, 240), [0.0]);
    }

    #[test]
    fn key_times_of_differing_tracks_and_quarter_points_between_them_are_sampled() {
        let a = clip(&[(0, &[0.0, 8.0]), (1, &[0.0, 0.5, 7.3])]);
        let b = clip(&[(0, &[0.0, 2.4, 8.0]), (1, &[0.0, 0.5, 7.3])]);
        let found = times(&a, &b, Exactness::Bounded, 240);
        for wanted in [0.0, 0.6, 1.2, 1.8, 2.4, 3.8, 5.2, 6.6, 8.0] {
            assert!(found.iter().any(|t| (t - wanted).abs() < 1e-6), "{wanted}: {found:?}");
        }
        // Keys of the unchanged track are not included.
        assert!(!found.contains(&0.5));
    }

    #[test]
    fn many_key_times_are_thinned_and_times_between_keys_are_added() {
        let keys: Vec<f32> = (0..=1000).map(|k| k as f32).collect();
        let (a, b) = (clip(&[(0, &keys)]), clip(&[(1, &keys)]));
        let found = times(&a, &b, Exactness::Bounded, 240);
        assert!((200..=240).contains(&found.len()), "{}", found.len());
        assert!(found.iter().filter(|t| t.fract() != 0.0).count() > 100);
        assert_eq!((found[0], found[found.len() - 1]), (0.0, 1000.0));
    }
}
