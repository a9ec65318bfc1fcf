//! A clip prepared for playback: its tracks are stored in blocks of eight, so that vector
//! instructions sample eight tracks at once.
//!
//! LINEAR tracks with the same key times form one group: one search finds the keys of all of them.
//! Other tracks cache one segment each. The remaining tracks, mainly morph target weights, are
//! sampled one by one, each with a cursor to its last segment.

use std::collections::{BTreeMap, HashMap};

use super::{
    frame::{Block, FrameComponent, Rotation, Scale, Sink, Slots, Targets, ToLocals, Translation},
    sample::{sample_at, segment},
    spans::{LaneTime, SegmentCache, is_in_range},
    stack::Averaging,
    turn::{Blend, F32x8, Hermite, LANES, Lerp, Nlerp, Slerp},
};
use ulna_geometry::vectors;
use ulna_model::{Clip, Interpolation, Local, Property, Shared, Slice, Track};

/// A clip prepared for playback.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    groups: Vec<TrackGroup>,
    own: UnsharedTracks,
    singles: Vec<(Shared<Track>, usize)>,
    /// Target nodes of `singles`, in the same order.
    singles_to: Targets,
    /// Indices of the driven nodes. The flag tells whether translation, rotation and scale are all
    /// driven.
    moved: Vec<(u32, bool)>,
    /// Interpolation of LINEAR rotations.
    between: Averaging,
}

/// Tracks that do not share their key times. They are grouped by property and by the number of
/// values per segment: 2 keys, or 4 values for CUBICSPLINE.
#[derive(Clone, Debug)]
struct UnsharedTracks {
    moves: SegmentCache<3, 2>,
    scales: SegmentCache<3, 2>,
    turns: SegmentCache<4, 2>,
    cubic_moves: SegmentCache<3, 4>,
    cubic_scales: SegmentCache<3, 4>,
    cubic_turns: SegmentCache<4, 4>,
}

impl UnsharedTracks {
    fn new(tracks: &[Shared<Track>]) -> Self {
        let of = |property: Property, cubic: bool| {
            let fits = |t: &&Shared<Track>| {
                t.property == property && (t.interpolation == Interpolation::CubicSpline) == cubic
            };
            tracks.iter().filter(fits).cloned().collect::<Vec<_>>()
        };
        Self {
            moves: SegmentCache::new(&of(Property::Translation, false)),
            scales: SegmentCache::new(&of(Property::Scale, false)),
            turns: SegmentCache::new(&of(Property::Rotation, false)),
            cubic_moves: SegmentCache::new(&of(Property::Translation, true)),
            cubic_scales: SegmentCache::new(&of(Property::Scale, true)),
            cubic_turns: SegmentCache::new(&of(Property::Rotation, true)),
        }
    }

    fn arrange(&mut self, slots: &Slots) {
        for cache in [&mut self.moves, &mut self.scales] {
            cache.arrange(slots);
        }
        for cache in [&mut self.cubic_moves, &mut self.cubic_scales] {
            cache.arrange(slots);
        }
        self.turns.arrange(slots);
        self.cubic_turns.arrange(slots);
    }

    #[inline(always)]
    fn apply<B: Blend<4, 2>>(&mut self, time: f64, sink: &mut impl Sink) {
        let to = LaneTime::new(time);
        self.moves.step::<Lerp, Translation>(to, sink);
        self.cubic_moves.step::<Hermite, Translation>(to, sink);
        self.scales.step::<Lerp, Scale>(to, sink);
        self.cubic_scales.step::<Hermite, Scale>(to, sink);
        self.turns.step::<B, Rotation>(to, sink);
        self.cubic_turns.step::<Hermite, Rotation>(to, sink);
    }
}

impl Compiled {
    /// Prepares a clip. `between` is the interpolation of LINEAR rotations. `None` if two tracks
    /// have the same target and property, since their order would matter.
    pub(super) fn new(clip: &Clip, between: Averaging) -> Option<Self> {
        let mut by_times: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut known: HashMap<*const f32, usize> = HashMap::new();
        let mut members: Vec<Vec<Shared<Track>>> = Vec::new();
        let (mut own, mut singles) = (Vec::new(), Vec::new());
        let mut parts: BTreeMap<u32, Vec<Property>> = BTreeMap::new();
        let pointers = clip.pointers.iter().filter_map(|p| p.track.as_ref());
        for track in clip.tracks.values().chain(pointers) {
            let moved = parts.entry(track.target.0).or_default();
            if moved.contains(&track.property) {
                return None;
            }
            moved.push(track.property);
            if track.property == Property::Weights || !is_in_range(track) {
                singles.push((track.clone(), 0));
                continue;
            }
            if track.interpolation != Interpolation::Linear {
                own.push(track.clone());
                continue;
            }
            let index = *known.entry(track.times.as_ptr()).or_insert_with(|| {
                let bits = track.times.iter().map(|t| t.to_bits()).collect();
                *by_times.entry(bits).or_insert_with(|| {
                    members.push(Vec::new());
                    members.len() - 1
                })
            });
            members[index].push(track.clone());
        }
        let mut groups = Vec::new();
        for tracks in members {
            // Groups of fewer than four tracks would leave most of a block unused.
            if tracks.len() < 4 {
                own.extend(tracks);
            } else {
                groups.push(TrackGroup::new(&tracks));
            }
        }
        let whole = |list: &[Property]| list.iter().filter(|p| **p != Property::Weights).count();
        let counts = parts.into_iter().map(|(node, list)| (node, whole(&list)));
        let moved = counts
            .filter(|(_, count)| *count > 0)
            .map(|(node, count)| (node, count == 3))
            .collect();
        let singles_to = Targets::new(singles.iter().map(|(track, _)| track.target.0).collect());
        Some(Self { groups, own: UnsharedTracks::new(&own), singles, singles_to, moved, between })
    }

    /// Indices of the driven nodes. The flag tells whether translation, rotation and scale are all
    /// driven.
    pub(super) fn moved(&self) -> &[(u32, bool)] {
        &self.moved
    }

    /// Looks up the mix buffer's slots of the driven nodes.
    pub(super) fn arrange(&mut self, slots: &Slots) {
        for group in &mut self.groups {
            group.moves.to.arrange(slots);
            group.scales.to.arrange(slots);
            group.turns.to.arrange(slots);
        }
        self.own.arrange(slots);
        self.singles_to.arrange(slots);
    }

    /// Writes the values of the clip at `time` seconds. Local transforms of driven nodes must be
    /// [`Local::Trs`] already.
    pub(super) fn apply(&mut self, time: f64, local: &mut [Local], morphs: &mut [Vec<f32>]) {
        self.sample(time, &mut ToLocals(local), morphs);
    }

    /// Writes the values of the clip at `time` seconds to a sink.
    pub(super) fn sample<S: Sink>(&mut self, time: f64, sink: &mut S, morphs: &mut [Vec<f32>]) {
        // Use the widest vector instructions of the processor.
        let Self { groups, own, between, .. } = self;
        let (into, between) = (&mut *sink, *between);
        vectors().dispatch(
            #[inline(always)]
            || match between {
                Averaging::Slerp => apply::<Slerp>(groups, own, time, into),
                Averaging::Nlerp => apply::<Nlerp>(groups, own, time, into),
            },
        );
        let mut buffer = [0.0f32; 4];
        for (lane, (track, cursor)) in self.singles.iter_mut().enumerate() {
            let at = segment(&track.times, time, cursor);
            let node = track.target.index();
            if track.property == Property::Weights {
                if morphs[node].len() == track.width {
                    sample_at(track, at, self.between, &mut morphs[node]);
                }
                continue;
            }
            let out = &mut buffer[..track.width];
            sample_at(track, at, self.between, out);
            sink.put_one(&self.singles_to, lane, track.property, out);
        }
    }
}

/// Writes the values of all tracks, with and without shared key times. `B` interpolates rotations.
#[inline(always)]
fn apply<B: Blend<4, 2>>(
    groups: &mut [TrackGroup],
    own: &mut UnsharedTracks,
    time: f64,
    sink: &mut impl Sink,
) {
    for group in groups {
        group.apply::<B>(time, sink);
    }
    own.apply::<B>(time, sink);
}

/// Tracks that share their key times.
#[derive(Clone, Debug)]
struct TrackGroup {
    times: Slice<f32>,
    cursor: usize,
    moves: Rows<3>,
    scales: Rows<3>,
    turns: Rows<4>,
}

/// Values of the tracks of one property, key by key, in blocks of eight tracks.
#[derive(Clone, Debug)]
struct Rows<const W: usize> {
    to: Targets,
    /// Number of blocks per key.
    blocks: usize,
    data: Vec<[F32x8; W]>,
}

impl<const W: usize> Rows<W> {
    fn new(tracks: &[Shared<Track>], property: Property, keys: usize) -> Self {
        let tracks: Vec<_> = tracks.iter().filter(|t| t.property == property).collect();
        let blocks = tracks.len().div_ceil(LANES);
        let mut data = vec![[[0.0; LANES]; W]; blocks * keys];
        for (lane, track) in tracks.iter().enumerate() {
            for key in 0..keys {
                let block = &mut data[key * blocks + lane / LANES];
                for (to, value) in block.iter_mut().zip(track.value(key)) {
                    to[lane % LANES] = *value;
                }
            }
        }
        Self { to: Targets::new(tracks.iter().map(|t| t.target.0).collect()), blocks, data }
    }

    /// Returns the blocks of a key.
    fn row(&self, key: usize) -> &[[F32x8; W]] {
        &self.data[key * self.blocks..(key + 1) * self.blocks]
    }

    #[inline(always)]
    fn step<B: Blend<W, 2>, T: FrameComponent<W>>(
        &self,
        part: &F32x8,
        [from, to]: [usize; 2],
        sink: &mut impl Sink,
    ) {
        for (eight, (from, to)) in self.row(from).iter().zip(self.row(to)).enumerate() {
            sink.put::<W, T>(&self.to, eight, &B::blend(part, &[*from, *to]));
        }
    }
}

impl TrackGroup {
    fn new(tracks: &[Shared<Track>]) -> Self {
        let times = tracks[0].times.clone();
        let keys = times.len();
        Self {
            cursor: 0,
            moves: Rows::new(tracks, Property::Translation, keys),
            scales: Rows::new(tracks, Property::Scale, keys),
            turns: Rows::new(tracks, Property::Rotation, keys),
            times,
        }
    }

    #[inline(always)]
    fn apply<B: Blend<4, 2>>(&mut self, time: f64, sink: &mut impl Sink) {
        let at = segment(&self.times, time, &mut self.cursor);
        let keys = [at.key, if at.part > 0.0 { at.key + 1 } else { at.key }];
        let part = [at.part; LANES];
        let (moves, scales, turns) = (&self.moves, &self.scales, &self.turns);
        if moves.to.nodes() == turns.to.nodes() && moves.to.nodes() == scales.to.nodes() {
            let [from, to] = keys;
            let places = moves.row(from).iter().zip(moves.row(to));
            let sizes = scales.row(from).iter().zip(scales.row(to));
            let ways = turns.row(from).iter().zip(turns.row(to));
            for (eight, ((m, s), r)) in places.zip(sizes).zip(ways).enumerate() {
                let values = Block {
                    places: Lerp::blend(&part, &[*m.0, *m.1]),
                    turns: B::blend(&part, &[*r.0, *r.1]),
                    sizes: Lerp::blend(&part, &[*s.0, *s.1]),
                };
                sink.put_all(&moves.to, eight, &values);
            }
            return;
        }
        moves.step::<Lerp, Translation>(&part, keys, sink);
        scales.step::<Lerp, Scale>(&part, keys, sink);
        turns.step::<B, Rotation>(&part, keys, sink);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample_into;
    use ulna_model::{NodeId, TrackId, Transform};

    /// A track of any interpolation with a few keys, close together and far apart.
    fn track(node: u32, property: Property) -> impl Strategy<Value = Track> {
        let kinds = [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];
        let spans =
            prop::collection::vec(prop_oneof![1e-4f32..1e-2, 0.01f32..0.1, 1.0f32..9.0], 1..24);
        (prop::sample::select(kinds.to_vec()), -2.0f32..2.0, spans, any::<u64>()).prop_map(
            move |(interpolation, first, spans, seed)| {
                let times: Slice<f32> = spans
                    .iter()
                    .scan(first, |time, span| {
                        *time += span;
                        Some(*time)
                    })
                    .collect();
                let width = if property == Property::Rotation { 4 } else { 3 };
                let count = times.len() * width * interpolation.values_per_key();
                let mut state = seed | 1;
                let mut number = || {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
                };
                let mut values: Vec<f32> = (0..count).map(|_| number()).collect();
                if property == Property::Rotation && interpolation != Interpolation::CubicSpline {
                    for q in values.chunks_exact_mut(4) {
                        let unit = glam::Vec4::from_slice(q).normalize_or(glam::Vec4::W);
                        q.copy_from_slice(&unit.to_array());
                    }
                }
                let values = values.into();
                Track {
                    target: NodeId(node),
                    property,
                    interpolation,
                    times,
                    values,
                    width,
                    kinds: Default::default(),
                    modes: Default::default(),
                }
            },
        )
    }

    fn clip() -> impl Strategy<Value = Clip> {
        // The number of nodes may exceed one block, and need not be a multiple of a block.
        let nodes = prop::collection::vec(0u32..1, 1..23).prop_flat_map(|nodes| {
            let each = |node| Property::TRS.map(|property| prop::option::of(track(node, property)));
            (0..nodes.len() as u32).flat_map(each).collect::<Vec<_>>()
        });
        // Some tracks have the key times of the first track, so that they form a group.
        (nodes, any::<bool>()).prop_map(|(tracks, share)| {
            let mut tracks: Vec<Track> = tracks.into_iter().flatten().collect();
            let linear: Vec<usize> = (0..tracks.len())
                .filter(|k| tracks[*k].interpolation == Interpolation::Linear)
                .collect();
            if share && let Some(first) = linear.first() {
                let times = tracks[*first].times.clone();
                for k in &linear[1..] {
                    let track = &mut tracks[*k];
                    let values = track
                        .values
                        .iter()
                        .copied()
                        .cycle()
                        .take(times.len() * track.width)
                        .collect();
                    (track.times, track.values) = (times.clone(), values);
                }
            }
            let tracks = (0..).map(TrackId).zip(tracks.into_iter().map(Shared::new)).collect();
            Clip { tracks, ..Clip::default() }
        })
    }

    proptest! {
        #[test]
        fn a_compiled_clip_samples_like_its_tracks(
            clip in clip(),
            mut times in prop::collection::vec(-4.0f64..60.0, 1..40),
            forward in any::<bool>(),
        ) {
            // Times at keys, and times next to keys that f32 cannot distinguish from them.
            for track in clip.tracks.values().take(8) {
                let key = f64::from(track.times[track.times.len() / 2]);
                times.extend([key, key - 1e-9, key + 1e-9]);
            }
            if forward {
                times.sort_by(f64::total_cmp);
            }
            let mut compiled = Compiled::new(&clip, Averaging::Slerp).unwrap();
            let mut local = vec![Local::Trs(Transform::IDENTITY); 24];
            for time in times {
                compiled.apply(time, &mut local, &mut []);
                for track in clip.tracks.values() {
                    let mut wanted = [0.0; 4];
                    sample_into(track, time, &mut wanted[..track.width]);
                    let Local::Trs(found) = local[track.target.index()] else { unreachable!() };
                    let found = match track.property {
                        Property::Translation => found.translation.extend(0.0),
                        Property::Rotation => found.rotation.into(),
                        Property::Scale | Property::Weights => found.scale.extend(0.0),
                    };
                    // Tangents are scaled by the length of a segment.
                    let longest = track.times.windows(2).map(|w| w[1] - w[0]).fold(1.0, f32::max);
                    let cubic = track.interpolation == Interpolation::CubicSpline;
                    let mut size = if cubic { longest } else { 1.0 };
                    if cubic && track.property == Property::Rotation {
                        // Normalization magnifies errors of short quaternions.
                        let raw = Track { property: Property::Weights, ..(**track).clone() };
                        let mut before = [0.0; 4];
                        sample_into(&raw, time, &mut before);
                        size /= glam::Vec4::from(before).length().clamp(1e-6, 1.0);
                    }
                    let error = (found - glam::Vec4::from(wanted)).abs().max_element();
                    prop_assert!(error <= 1e-6 * size, "{time} {track:?}: {found} {wanted:?}");
                }
            }
        }
    }
}
