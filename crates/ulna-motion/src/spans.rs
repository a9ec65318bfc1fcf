//! Playback of tracks that do not share their key times. Each track has a lane, which caches the
//! current segment of the track.
//!
//! A segment is copied into its lane when it begins. An index over time slices, shared by all
//! lanes, finds the segment. All lanes are then evaluated by a few loops over long arrays. Segments
//! are stored in order of time, so that a seek reads memory in one direction.

use super::{
    frame::{FrameComponent, Sink, Slots, Targets},
    turn::{Blend, F32x8, LANES},
};
use ulna_model::{Interpolation, Shared, Track};

/// A time, split into two `f32` without loss of precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneTime {
    /// The time rounded to `f32`. `low` is the rounding error.
    high: f32,
    low: f32,
    /// Largest `f32` that is not later than the time. Comparing it with key times gives the same
    /// result as comparing the exact time.
    floor: f32,
}

impl LaneTime {
    pub(super) fn new(time: f64) -> Self {
        // `max` replaces NaN by a time before all keys.
        let time = time.max(f64::from(f32::MIN)).min(f64::from(f32::MAX));
        let high = time as f32;
        let low = (time - f64::from(high)) as f32;
        Self { high, low, floor: if low < 0.0 { high.next_down() } else { high } }
    }
}

/// A segment between two keys. The first segment starts at −∞, and the last one ends at ∞.
#[derive(Clone, Copy, Debug)]
struct Span<const W: usize, const P: usize> {
    /// Start of the segment, included; seconds.
    start: f32,
    /// End of the segment, excluded; seconds.
    end: f32,
    /// Reciprocal of the segment's length in seconds; 0 if the value is constant.
    rate: f32,
    /// Index of the track's next segment.
    next: u32,
    points: [[f32; W]; P],
}

/// Index entry of one lane for the start of a time slice.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Index of the last segment that starts before the time slice. If there is none, the index
    /// of the first segment.
    place: u32,
    /// Index of the following segment. `end` is its start time in seconds.
    next: u32,
    end: f32,
}

/// The current segments of eight tracks.
#[derive(Clone, Debug)]
struct Block<const W: usize, const P: usize> {
    start: F32x8,
    end: F32x8,
    rate: F32x8,
    points: [[F32x8; W]; P],
}

/// Tracks of `W` numbers whose segments have `P` points: 2 for STEP and LINEAR, 4 for CUBICSPLINE.
#[derive(Clone, Debug)]
pub(super) struct SegmentCache<const W: usize, const P: usize> {
    /// Target node of each lane.
    to: Targets,
    blocks: Vec<Block<W, P>>,
    /// Index of the current segment of each lane.
    present: Vec<u32>,
    /// Segments of all lanes, sorted by time slice, then lane, then time.
    stored: Vec<Span<W, P>>,
    moments: Moments,
    /// Index entries by time slice, then lane, with one additional row at the end.
    marks: Vec<Mark>,
    /// Index of the time slice of the last evaluation.
    last: usize,
}

/// Division of time into equal slices.
#[derive(Clone, Copy, Debug)]
struct Moments {
    first: f64,
    per_second: f64,
    count: usize,
}

impl Moments {
    /// Returns the index of the slice that contains a time. It never decreases with time.
    fn of(&self, time: f32) -> usize {
        // The cast converts negative numbers and NaN to 0.
        (((f64::from(time) - self.first) * self.per_second) as usize).min(self.count - 1)
    }
}

/// Whether the numbers of a track are small enough to be squared and summed in f32.
pub(super) fn is_in_range(track: &Track) -> bool {
    let length = track.times.last().map_or(0.0, |last| last - track.times[0]).max(1.0);
    track.values.len() < u32::MAX as usize / 4
        && track.values.iter().all(|v| (v * length).abs() < 1e15)
}

/// Search for segments in a time slice.
struct Find<'a, const W: usize, const P: usize> {
    /// Index row of the time slice. `next_marks` is the row of the next time slice.
    marks: &'a [Mark],
    next_marks: &'a [Mark],
    stored: &'a [Span<W, P>],
    floor: f32,
}

impl<const W: usize, const P: usize> Find<'_, W, P> {
    /// Returns the index of the current segment of a lane.
    #[inline(always)]
    fn place(&self, lane: usize) -> u32 {
        let mark = &self.marks[lane];
        let place = if self.floor >= mark.end { mark.next } else { mark.place };
        if self.floor < self.stored[place as usize].end {
            return place;
        }
        // Several segments of the lane begin in this time slice. They are adjacent in memory.
        let (from, to) = (place as usize, self.next_marks[lane].place as usize);
        place + self.stored[from + 1..=to].partition_point(|s| s.start <= self.floor) as u32
    }
}

impl<const W: usize, const P: usize> SegmentCache<W, P> {
    /// Prepares tracks of width `W`.
    pub(super) fn new(tracks: &[Shared<Track>]) -> Self {
        let lanes = tracks.len();
        let total: usize = tracks.iter().map(|t| t.times.len() + 1).sum();
        let first = tracks.iter().map(|t| t.times[0]).fold(f32::INFINITY, f32::min);
        let last =
            tracks.iter().map(|t| t.times[t.times.len() - 1]).fold(f32::NEG_INFINITY, f32::max);
        // There are as many time slices as the mean number of keys per track. The index therefore
        // needs no more memory than the keys.
        let count = (total / lanes.max(1)).max(1);
        let length = f64::from(last) - f64::from(first);
        let per_second = if length > 0.0 { count as f64 / length } else { 0.0 };
        let moments = Moments { first: f64::from(first), per_second, count };

        let mut places = vec![0u32; count + 1];
        let starts = |track: &Shared<Track>| {
            let times = track.times.clone();
            std::iter::once(f32::NEG_INFINITY).chain((0..times.len()).map(move |k| times[k]))
        };
        for track in tracks {
            for start in starts(track) {
                places[moments.of(start) + 1] += 1;
            }
        }
        for k in 0..count {
            places[k + 1] += places[k];
        }
        let none = Span {
            start: f32::INFINITY,
            end: f32::NEG_INFINITY,
            rate: 0.0,
            next: 0,
            points: [[0.0; W]; P],
        };
        let mut stored = vec![none; total];
        let mut marks = vec![Mark { place: 0, next: 0, end: f32::INFINITY }; (count + 1) * lanes];
        for (lane, track) in tracks.iter().enumerate() {
            let mut before = 0;
            // All rows before this one are filled.
            let mut row = 0;
            for (k, start) in starts(track).enumerate() {
                let moment = moments.of(start);
                let place = places[moment];
                places[moment] += 1;
                if k == 0 {
                    before = place;
                }
                while row <= moment {
                    marks[row * lanes + lane].place = before;
                    row += 1;
                }
                let mut span = Self::span(track, k);
                // The last segment refers to itself as the next one.
                span.next = place;
                stored[place as usize] = span;
                if k > 0 {
                    stored[before as usize].next = place;
                }
                before = place;
            }
            for row in row..=count {
                marks[row * lanes + lane].place = before;
            }
        }
        for mark in &mut marks {
            let span = &stored[mark.place as usize];
            (mark.next, mark.end) = (span.next, span.end);
        }
        let mut blocks = Vec::new();
        for lane in (0..lanes).step_by(LANES) {
            // Segments of lanes without a track never end.
            let end = std::array::from_fn(|k| {
                if lane + k < lanes { f32::NEG_INFINITY } else { f32::INFINITY }
            });
            let start = end.map(|v: f32| -v);
            blocks.push(Block { start, end, rate: [0.0; LANES], points: [[[0.0; LANES]; W]; P] });
        }
        let to = Targets::new(tracks.iter().map(|t| t.target.0).collect());
        let present = marks[..lanes].iter().map(|mark| mark.place).collect();
        Self { to, blocks, present, stored, moments, marks, last: 0 }
    }

    /// Creates segment `k` of a track, which ends at key `k`.
    fn span(track: &Track, k: usize) -> Span<W, P> {
        let count = track.times.len();
        let start = if k == 0 { f32::NEG_INFINITY } else { track.times[k - 1] };
        let end = track.times.get(k).copied().unwrap_or(f32::INFINITY);
        let mut points = [[0.0; W]; P];
        let value = track.value(k.max(1) - 1);
        points[0].copy_from_slice(value);
        points[P / 2].copy_from_slice(value);
        let holds = k == 0 || k == count || track.interpolation == Interpolation::Step;
        if holds {
            return Span { start, end, rate: 0.0, next: 0, points };
        }
        points[P / 2].copy_from_slice(track.value(k));
        let length = f64::from(end) - f64::from(start);
        if P == 4 {
            let key = |key: usize| &track.values[key * 3 * W..(key + 1) * 3 * W];
            let times = |slopes: &[f32], to: &mut [f32; W]| {
                for (to, slope) in to.iter_mut().zip(slopes) {
                    *to = slope * length as f32;
                }
            };
            times(&key(k - 1)[2 * W..], &mut points[1]);
            times(&key(k)[..W], &mut points[3]);
        }
        Span { start, end, rate: (1.0 / length) as f32, next: 0, points }
    }

    /// Looks up the mix buffer's slots of the target nodes.
    pub(super) fn arrange(&mut self, slots: &Slots) {
        self.to.arrange(slots);
    }

    /// Seeks to a time, and writes the interpolated value of each track to the sink.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "the insides of zipped iterators are made where the standard library likes"
    )]
    pub(super) fn step<B: Blend<W, P>, T: FrameComponent<W>>(
        &mut self,
        time: LaneTime,
        sink: &mut impl Sink,
    ) {
        let LaneTime { high, low, floor } = time;
        let lanes = self.present.len();
        let moment = self.moments.of(floor);
        let follows = (self.last..self.last + 2).contains(&moment);
        self.last = moment;
        let marks = &self.marks[moment * lanes..(moment + 1) * lanes];
        let next_marks = &self.marks[(moment + 1) * lanes..(moment + 2) * lanes];
        let stored = &self.stored[..];
        let find = Find { marks, next_marks, stored, floor };
        for (b, block) in self.blocks.iter_mut().enumerate() {
            let present = &mut self.present[b * LANES..lanes.min((b + 1) * LANES)];
            let mut ended = 0u32;
            for k in 0..LANES {
                ended |= u32::from(floor < block.start[k] || floor >= block.end[k]) << k;
            }
            if !follows
                && ended.count_ones() > 2
                && let Some(present) = present.as_mut_array::<LANES>()
            {
                let mut spans = [&stored[0]; LANES];
                for k in 0..LANES {
                    present[k] = find.place(b * LANES + k);
                    spans[k] = &stored[present[k] as usize];
                }
                for k in 0..LANES {
                    (block.start[k], block.end[k], block.rate[k]) =
                        (spans[k].start, spans[k].end, spans[k].rate);
                }
                for p in 0..P {
                    for c in 0..W {
                        for k in 0..LANES {
                            block.points[p][c][k] = spans[k].points[p][c];
                        }
                    }
                }
                ended = 0;
            }
            while ended != 0 {
                let k = ended.trailing_zeros() as usize % LANES;
                ended &= ended - 1;
                let next = stored[present[k] as usize].next;
                let span = &stored[next as usize];
                present[k] = if follows && span.start <= floor && floor < span.end {
                    next
                } else {
                    find.place(b * LANES + k)
                };
                let span = &stored[present[k] as usize];
                (block.start[k], block.end[k], block.rate[k]) = (span.start, span.end, span.rate);
                for p in 0..P {
                    for c in 0..W {
                        block.points[p][c][k] = span.points[p][c];
                    }
                }
            }
            let mut part = [0.0; LANES];
            for k in 0..LANES {
                let u = ((high - block.start[k]) + low) * block.rate[k];
                // Segments with infinite times give NaN.
                let u = if u > 0.0 { u } else { 0.0 };
                part[k] = if u < 1.0 { u } else { 1.0 };
            }
            sink.put::<W, T>(&self.to, b, &B::blend(&part, &block.points));
        }
    }
}
