//! Commands on keys that are there: moved, stretched, copied, held, changed in value. The work is
//! that of [`clip_edit`](ulna_motion::clip_edit).

use glam::{EulerRot, Quat};

use super::{
    CommandError, Outcome, Scene,
    arguments::find_nodes,
    around,
    define::document_commands,
    field::{ClipName, Nodes, Numbers, Seconds, Trs},
    keys::{clip_of, refuse_kept, time_of},
    rules,
    which_keys::{KeyList, WhichKeys},
};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Document, Interpolation, KeyKind, KeySet, KeyTimes, LayerHome, Marker, NodeId,
    Notice, Property, Shared, Track, TrackId, transform::unit_or,
};
use ulna_motion::{
    Mirror, Pose, Stack, below_layers,
    clip_edit::{
        self, CopiedKeys, CopiedTrack, NodePlace, PasteAt, Tangents, TimeMap, TooClose,
        ValueChange, change_values, held, offset_in_loop, remove_keys, remove_time, retime,
        with_interpolation, with_tangents,
    },
    with_layers,
};

document_commands! {
    /// Commands on keys that are there.
    KeyEditCommand in "Clip";

    /// Deletes the selected keys, or those of the selected joints at the playhead
    DeleteKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.delete", "Delete keys", key: "Delete", enabled: rules::key_deleted,
        filled: Some(around::delete_keys);
    /// Moves keys in time
    MoveKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in seconds.
        by: Seconds,
        /// Keys to edit.
        which: WhichKeys,
        /// Whether all later keys move as well (ripple).
        ripple: Option<bool>,
        /// Whether to shift all other keys and markers later instead of moving keys before 0.
        make_room: Option<bool>,
    } = "key.move", "Move keys", menu: "Clip/Edit keys", asks: true;
    /// Copies keys to another time of the clip
    DuplicateKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in seconds.
        by: Seconds,
        /// Keys to edit.
        which: WhichKeys,
        /// Interpolation of tracks that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.duplicate", "Duplicate keys", menu: "Clip/Edit keys", asks: true;
    /// Scales keys in time, about a pivot time
    ScaleKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Factor for the time between keys.
        factor: f32,
        /// Pivot time, which stays in place, in seconds.
        about: Option<Seconds>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.scale", "Scale keys in time", menu: "Clip/Edit keys", asks: true;
    /// Pastes copied keys, at the playhead or at their original times
    PasteKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Copied keys, as text; those on the clipboard if omitted.
        text: Option<String>,
        /// Time of the first key; its original time if omitted.
        time: Option<Seconds>,
        /// Nodes that receive the keys, in the order of the copied nodes; nodes with the same names
        /// if omitted.
        node: Option<Nodes>,
        /// Whether to replace the keys in that range.
        replace: Option<bool>,
        /// Whether to paste the values relative to the current value.
        relative: Option<bool>,
        /// Whether to paste them mirrored onto the mirror joints.
        flip: Option<bool>,
        /// Interpolation of tracks that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.paste",
        "Paste keys", menu: "Clip/Edit keys", enabled: rules::clip_shown,
            filled: Some(around::paste_keys);
    /// Inserts or removes time; later keys follow
    RippleKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Time from which keys move.
        time: Seconds,
        /// Seconds to insert; a negative number removes time with its keys.
        by: Seconds,
        /// Nodes to unpin; all if omitted.
        node: Option<Nodes>,
    } = "key.ripple", "Insert or remove time", menu: "Clip/Edit keys", asks: true;
    /// Shifts tracks around a loop in time; keys past the end wrap around to the start
    OffsetKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in seconds.
        by: Seconds,
        /// Keys whose tracks are meant; all if omitted.
        which: WhichKeys,
    } = "key.offset", "Offset in the loop", menu: "Clip/Edit keys", asks: true;
    /// Holds the value of keys until the next key, as with stepped interpolation
    HoldKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Keys to edit.
        which: WhichKeys,
        /// Whether to hold the value; yes if omitted.
        on: Option<bool>,
    } = "key.hold_next",
        "Hold until next key", menu: "Clip/Edit keys", enabled: rules::keys_selected,
            filled: Some(around::hold_keys);
    /// Adds to key values, or scales them about a pivot value
    ChangeKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Operation.
        how: ValueHow,
        /// Amount per component, or one number for all components; degrees about x, y and z for
        /// rotations.
        by: Numbers,
        /// Value that stays in place when scaling.
        about: Option<ValueAbout>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.value", "Change key values", menu: "Clip/Edit keys", asks: true;
    /// Offsets keys by the difference between a new value and the current value at a time
    ShiftKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the current value, in seconds.
        time: Seconds,
        /// Node whose keys to offset.
        node: Nodes,
        /// Value at that time.
        to: Trs,
        /// Keys to offset; all keys of the node if omitted.
        keys: Option<KeyList>,
    } = "key.shift", "Offset keys", menu: "Clip/Edit keys", asks: true;
    /// Sets the interpolation of tracks
    SetInterpolation {
        /// Clip to edit.
        clip: ClipName,
        /// Interpolation of keys.
        interpolation: Between,
        /// Keys whose tracks are meant; all if omitted.
        which: WhichKeys,
    } = "track.interpolation", "Interpolation", menu: "Clip/Edit keys", asks: true;
    /// Sets the tangents of smooth keys
    SetTangents {
        /// Clip to edit.
        clip: ClipName,
        /// Kind of tangents.
        tangents: Through,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.tangents", "Tangents", menu: "Clip/Edit keys", asks: true;
    /// Marks keys as extremes, breakdowns or in-betweens; the motion does not change
    SetKeyKind {
        /// Clip to edit.
        clip: ClipName,
        /// Kind of the keys.
        kind: KindName,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.kind", "Kind of keys", menu: "Clip/Edit keys", asks: true;
    /// Removes redundant keys, which lie on the line between their neighbors
    CleanKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Largest change of a value, in the unit of its track; degrees for rotations.
        tolerance: Option<f32>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.clean",
        "Remove redundant keys", menu: "Clip/Edit keys", enabled: rules::clip_shown,
            filled: Some(around::clean_keys);
}

super::field::choice! {
    /// What is calculated with values.
    ValueHow {
        /// Adds.
        Add = "add",
        /// Scales.
        Scale = "scale",
        /// Puts in their place.
        Set = "set",
    }
}

super::field::choice! {
    /// What stays where values are scaled.
    ValueAbout {
        /// Nothing: 0, no turn, the scale 1.
        Zero = "zero",
        /// The mean of the values.
        Mean = "mean",
        /// The first of them.
        First = "first",
    }
}

super::field::choice! {
    /// How values between keys come about, in words of animators.
    Between {
        /// STEP.
        Hold = "hold",
        /// LINEAR.
        Linear = "linear",
        /// CUBICSPLINE with automatic tangents.
        Smooth = "smooth",
    }
}

super::field::choice! {
    /// How a smooth curve goes through a key.
    Through {
        /// Smoothly, and not beyond the keys beside it.
        Auto = "auto",
        /// At rest.
        Flat = "flat",
        /// As on straight lines.
        Straight = "straight",
        /// In full flight, as a ball hits the ground.
        Sharp = "sharp",
    }
}

impl From<Through> for Tangents {
    fn from(through: Through) -> Self {
        match through {
            Through::Auto => Self::Auto,
            Through::Flat => Self::Flat,
            Through::Straight => Self::Straight,
            Through::Sharp => Self::Sharp,
        }
    }
}

super::field::choice! {
    /// What a key is to the animator.
    KindName {
        /// No more than a key.
        Plain = "plain",
        /// An end of a movement.
        Extreme = "extreme",
        /// How it goes from one extreme to the next.
        Breakdown = "breakdown",
        /// What only fills.
        InBetween = "in-between",
    }
}

/// The kinds of keys, and their names in the window.
pub const KINDS: [(KindName, &str); 4] = [
    (KindName::Plain, "Keyframe"),
    (KindName::Extreme, "Extreme"),
    (KindName::Breakdown, "Breakdown"),
    (KindName::InBetween, "In-between"),
];

impl KindName {
    /// As a track has it.
    pub const fn kind(self) -> Option<KeyKind> {
        match self {
            Self::Plain => None,
            Self::Extreme => Some(KeyKind::Extreme),
            Self::Breakdown => Some(KeyKind::Breakdown),
            Self::InBetween => Some(KeyKind::InBetween),
        }
    }
}

impl Between {
    /// glTF's word for it.
    pub const fn interpolation(self) -> Interpolation {
        match self {
            Self::Hold => Interpolation::Step,
            Self::Linear => Interpolation::Linear,
            Self::Smooth => Interpolation::CubicSpline,
        }
    }
}

impl KeyEditCommand {
    /// Of which clip the keys are.
    pub(super) const fn clip(&self) -> &ClipName {
        match self {
            Self::DeleteKeys(c) => &c.clip,
            Self::MoveKeys(c) => &c.clip,
            Self::DuplicateKeys(c) => &c.clip,
            Self::ScaleKeys(c) => &c.clip,
            Self::PasteKeys(c) => &c.clip,
            Self::RippleKeys(c) => &c.clip,
            Self::OffsetKeys(c) => &c.clip,
            Self::HoldKeys(c) => &c.clip,
            Self::ChangeKeys(c) => &c.clip,
            Self::ShiftKeys(c) => &c.clip,
            Self::SetInterpolation(c) => &c.clip,
            Self::SetTangents(c) => &c.clip,
            Self::SetKeyKind(c) => &c.clip,
            Self::CleanKeys(c) => &c.clip,
        }
    }
}

/// A clip and the keys of it that are meant.
struct KeyTargets<'a> {
    id: ClipId,
    clip: &'a Shared<Clip>,
    keys: KeySet,
}

impl<'a> KeyTargets<'a> {
    fn of(scene: &Scene<'a>, clip: &ClipName, which: &WhichKeys) -> Result<Self, CommandError> {
        let id = clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        Ok(Self { id, clip, keys: which.of(scene.document, id, clip)? })
    }

    fn or_all(scene: &Scene<'a>, clip: &ClipName, which: &WhichKeys) -> Result<Self, CommandError> {
        let id = clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        Ok(Self { id, clip, keys: which.or_all(scene.document, id, clip)? })
    }

    /// The tracks that have some of the keys, and which.
    fn tracks(&self) -> impl Iterator<Item = (TrackId, &'a Shared<Track>, &KeyTimes)> {
        self.keys.iter().filter_map(|(id, times)| Some((id, self.clip.tracks.get(&id)?, times)))
    }

    fn edit(&self, track: TrackId, to: Option<Track>) -> Edit {
        Edit::SetTrack { clip: self.id, track, to: to.map(Shared::new) }
    }

    /// Edits of the tracks that a function changes.
    fn changed(&self, change: impl Fn(&Track, &[f32]) -> Track) -> Vec<Edit> {
        let edit = |(id, old, times): (TrackId, &Shared<Track>, &KeyTimes)| {
            let to = change(old, times);
            (to != **old).then(|| self.edit(id, Some(to)))
        };
        self.tracks().filter_map(edit).collect()
    }
}

impl KeyTargets<'_> {
    /// Refuses to shift the time of all of a clip while keys of animation pointers would stay
    /// behind. `shifted` says of which times keys would move.
    fn refuse_pointers(
        document: &Document,
        (id, clip): (ClipId, &Clip),
        is_all: bool,
        shifted: impl Fn(f32) -> bool,
    ) -> Result<(), CommandError> {
        let behind = clip.pointers.iter().find(|p| p.times.iter().any(|t| shifted(*t)));
        match behind.filter(|_| is_all) {
            Some(pointer) => Err(CommandError::other(
                "clip_has_pointers",
                format!(
                    "{}: keys of “{}” belong to an animation pointer, which cannot be edited yet; \
                        list the nodes whose keys should move with “node”",
                    document.clip_label(id),
                    pointer.pointer
                ),
            )),
            None => Ok(()),
        }
    }

    /// As that, of the keys that are meant.
    fn whole(
        &self,
        document: &Document,
        which: &WhichKeys,
        ripple: bool,
    ) -> Result<(), CommandError> {
        let Some((first, last)) = self.keys.span() else { return Ok(()) };
        let shifted = |t: f32| {
            t >= first - clip_edit::SAME_TIME && (ripple || t <= last + clip_edit::SAME_TIME)
        };
        Self::refuse_pointers(document, (self.id, self.clip), is_of_all(which), shifted)
    }

    /// What stays behind of a clip whose keys all move in time: what a person chose one by one is
    /// done, and that is said.
    fn left_behind(&self) -> Vec<Notice> {
        let of = |code, n: usize, what: &str| {
            (n > 0).then(|| Notice::new(code, format!("{} {what}", count(n, "channel"))))
        };
        if self.keys.len() < self.clip.key_count() {
            return Vec::new();
        }
        let pointers = self.clip.pointers.len();
        let played = self.clip.pointers.iter().filter(|p| p.track.is_some()).count();
        let packed = self.clip.kept.len().saturating_sub(played);
        said([
            of("pointers_left_behind", pointers, "of animation pointers did not move"),
            of("unreadable_keys_left_behind", packed, "with unreadable keys did not move"),
        ])
    }
}

/// Whether keys are meant of all nodes and channels: of some only, nobody expects others to come
/// along.
fn is_of_all(which: &WhichKeys) -> bool {
    which.node.is_none() && which.parts.is_none() && which.keys.is_none()
}

const NO_KEY: &str = "there is no key at that time; nothing was";

fn nothing(done: &str) -> Outcome {
    Outcome::noted("no_key_there", format!("{NO_KEY} {done}"))
}

fn too_far(document: &Document, track: &Track, argument: &str, error: TooClose) -> CommandError {
    let label = document.node(track.target).label(track.target);
    CommandError::other(
        "keys_too_close",
        format!("{argument} {error} (keys of {label}). Choose a smaller number"),
    )
}

/// So many of them, in words.
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn replaced_note(replaced: usize) -> Option<Notice> {
    let said = || format!("{} replaced by moved keys", count(replaced, "key"));
    (replaced > 0).then(|| Notice::new("keys_replaced", said()))
}

fn said<const N: usize>(notes: [Option<Notice>; N]) -> Vec<Notice> {
    notes.into_iter().flatten().collect()
}

impl DeleteKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        if meant.keys.is_empty() {
            return Ok(nothing("deleted"));
        }
        let mut left = (**meant.clip).clone();
        let mut edits = Vec::new();
        for (id, old, times) in meant.tracks() {
            let to = remove_keys(old, times);
            match &to {
                Some(to) => left.tracks.insert(id, Shared::new(to.clone())),
                None => left.tracks.remove(&id),
            };
            edits.push(meant.edit(id, to));
        }
        // A clip ends with its last key, which is easily one of a track that does not move.
        let length =
            clip_edit::length_in_words(meant.clip, &left).filter(|_| !left.tracks.is_empty());
        let length = length.map(|said| Notice::new("clip_length_changed", said));
        let notes = [said([length]), meant.left_behind()].concat();
        Ok(Outcome { edits, notes, keys: Some((meant.id, KeySet::default())) })
    }
}

/// Retimes keys; where they are then stays selected.
fn retimed(
    document: &Document,
    meant: &KeyTargets<'_>,
    (map, copies, argument): (TimeMap, bool, &str),
    more: impl Fn(&Track, &KeyTimes) -> KeyTimes,
) -> Result<(Outcome, usize), CommandError> {
    let mut done = Outcome::default();
    let (mut replaced, mut keys) = (0, KeySet::default());
    for (id, old, times) in meant.tracks() {
        let all = more(old, times);
        let made =
            retime(old, &all, &map, copies).map_err(|e| too_far(document, old, argument, e))?;
        replaced += made.replaced;
        // What merely came along is not selected.
        let count = times.len().min(made.keys.len());
        keys.set(id, KeyTimes::from(made.keys[..count].to_vec()));
        done.edits.push(meant.edit(id, Some(made.track)));
    }
    done.keys = Some((meant.id, keys));
    Ok((done, replaced))
}

/// A track that had a single key, which says nothing of how it goes on, and has two now: as new
/// keys are to be.
fn second_key(old: Option<&Track>, made: Track, way: Option<Between>) -> Track {
    match way {
        Some(way) if old.is_some_and(|t| t.times.len() < 2) && made.times.len() == 2 => {
            with_interpolation(&made, way.interpolation())
        }
        _ => made,
    }
}

/// How far keys can move, where none goes before 0: what is wanted, and what is said where it is
/// less.
fn held_at_start(first: f32, wanted: f32) -> (f32, Option<Notice>) {
    let by = wanted.max(-first.max(0.0));
    let said = || format!("moved by only {by} s, because keys cannot be before 0 s");
    (by, (by != wanted).then(|| Notice::new("held_at_start", said())))
}

impl MoveKeys {
    /// None goes before 0. A key that lands on another takes its place, and how many do is said.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let Some((first, last)) = meant.keys.span() else { return Ok(nothing("moved")) };
        if self.make_room.unwrap_or(false) && first >= 0.0 && first + self.by.0 < 0.0 {
            return self.with_room(scene, &meant, first);
        }
        let (by, held) = held_at_start(first, self.by.0);
        let ripple = self.ripple.unwrap_or(false);
        meant.whole(scene.document, &self.which, ripple)?;
        let more = |track: &Track, times: &KeyTimes| {
            let later = KeyTimes::within(&track.times, last.next_up(), f32::MAX);
            if ripple {
                times.iter().chain(later.iter()).copied().collect::<Vec<_>>().into()
            } else {
                times.clone()
            }
        };
        let map = TimeMap::shift(f64::from(by));
        let argument = format!("“by” is {by} s;");
        let (done, replaced) = retimed(scene.document, &meant, (map, false, &argument), more)?;
        let notes = [said([held, replaced_note(replaced)]), meant.left_behind()].concat();
        Ok(Outcome { notes, ..done })
    }
}

impl MoveKeys {
    /// The first of the keys comes to 0, and what does not move goes as much later as that would be
    /// before 0.
    fn with_room(
        &self,
        scene: &Scene<'_>,
        meant: &KeyTargets<'_>,
        first: f32,
    ) -> Result<Outcome, CommandError> {
        let room = -(f64::from(first) + f64::from(self.by.0));
        KeyTargets::refuse_pointers(scene.document, (meant.id, meant.clip), true, |_| true)?;
        let all = KeySet::of(meant.clip, |_, t| KeyTimes::part(&t.times, 0..t.times.len()));
        let argument = format!("“by” is {} s;", self.by.0);
        let mut clip = (**meant.clip).clone();
        let (mut keys, mut replaced) = (KeySet::default(), 0);
        for (id, times) in all.iter() {
            let Some(old) = meant.clip.tracks.get(&id) else { continue };
            let far = |e| too_far(scene.document, old, &argument, e);
            // All later by the room, and of these what moves earlier by as much as it was to go.
            let later = retime(old, times, &TimeMap::shift(room), false).map_err(far)?;
            let own: Vec<f32> =
                meant.keys.of_track(id).iter().map(|t| TimeMap::shift(room).at(*t)).collect();
            let made = retime(&later.track, &own, &TimeMap::shift(f64::from(self.by.0)), false)
                .map_err(far)?;
            replaced += made.replaced;
            keys.set(id, made.keys);
            clip.tracks.insert(id, Shared::new(made.track));
        }
        let moved = |m: &Marker| Marker { time: TimeMap::shift(room).at(m.time), ..m.clone() };
        clip.markers = clip.markers.iter().map(moved).collect::<Vec<_>>().into();
        let edits = vec![Edit::SetClip { clip: meant.id, to: Some(Shared::new(clip)) }];
        let said_so =
            format!("all other keys were moved {room} s later, so that no key is before 0 s");
        let note = Some(Notice::new("other_keys_moved", said_so));
        Ok(Outcome {
            edits,
            notes: said([note, replaced_note(replaced)]),
            keys: Some((meant.id, keys)),
        })
    }
}

impl DuplicateKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let Some((first, _)) = meant.keys.span() else { return Ok(nothing("copied")) };
        let (by, held) = held_at_start(first, self.by.0);
        let argument = format!("“by” is {by} s;");
        let map = TimeMap::shift(f64::from(by));
        let (mut done, replaced) =
            retimed(scene.document, &meant, (map, true, &argument), |_, t| t.clone())?;
        for edit in &mut done.edits {
            if let Edit::SetTrack { track, to: Some(to), .. } = edit {
                let old = meant.clip.tracks.get(track).map(|t| &**t);
                *to = Shared::new(second_key(old, (**to).clone(), self.interpolation));
            }
        }
        Ok(Outcome { notes: said([held, replaced_note(replaced)]), ..done })
    }
}

impl ScaleKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let Some((first, _)) = meant.keys.span() else { return Ok(nothing("moved")) };
        let wanted = f64::from(self.factor);
        if wanted <= 0.0 {
            return Err(CommandError::other(
                "argument_out_of_range",
                format!("“factor” is {wanted}, but must be greater than 0"),
            ));
        }
        let about = f64::from(self.about.map_or(first, |a| a.0));
        // about + (first − about)·scale ≥ 0.
        let most = if about > f64::from(first) {
            about / (about - f64::from(first))
        } else {
            f64::INFINITY
        };
        let scale = if first >= 0.0 { wanted.min(most.max(f64::MIN_POSITIVE)) } else { wanted };
        meant.whole(scene.document, &self.which, false)?;
        let held = (scale != wanted).then(|| {
            Notice::new(
                "held_at_start",
                format!("scaled by only {scale:.3}, because keys cannot be before 0 s"),
            )
        });
        let argument = format!("“factor” is {wanted};");
        let map = TimeMap { about, scale, by: 0.0 };
        let (done, replaced) =
            retimed(scene.document, &meant, (map, false, &argument), |_, t| t.clone())?;
        let notes = [said([held, replaced_note(replaced)]), meant.left_behind()].concat();
        Ok(Outcome { notes, ..done })
    }
}

/// The keys as text for the clipboard.
///
/// # Errors
/// Where none are meant.
pub fn copied_keys(
    document: &Document,
    clip: &ClipName,
    which: &WhichKeys,
) -> Result<CopiedKeys, CommandError> {
    let meant = KeyTargets::of(&Scene::new(document), clip, which)?;
    let copied = |(_, track, times): (TrackId, &Shared<Track>, &KeyTimes)| {
        let node = document.node(track.target);
        let place = NodePlace {
            name: &node.label(track.target),
            path: &document.path(track.target),
            node: track.target,
        };
        CopiedTrack::of(track, times, &place)
    };
    let tracks: Vec<CopiedTrack> = meant.tracks().map(copied).collect();
    if tracks.is_empty() {
        return Err(CommandError::other(
            "no_key_there",
            "there is no key at that time; nothing was copied",
        ));
    }
    Ok(CopiedKeys::new(tracks))
}

impl PasteKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        // A name that is wrong is said first.
        if let Some(nodes) = &self.node {
            nodes.in_order(document)?;
        }
        let text = self.text.as_deref().ok_or_else(|| {
            CommandError::other(
                "nothing_copied",
                "no keys have been copied; copy keys first, or pass them as “text”",
            )
        })?;
        let copied =
            CopiedKeys::parse(text).map_err(|e| CommandError::other(e.code(), e.to_string()))?;
        let start = copied.start();
        let by =
            self.time.map(time_of).transpose()?.map_or(0.0, |t| f64::from(t) - f64::from(start));
        let by = by.max(-f64::from(start.max(0.0)));
        let targets = self.targets(document, &copied)?;
        let at = PasteAt {
            by,
            replace: self.replace.unwrap_or(false),
            relative: self.relative.unwrap_or(false),
        };
        let mut free = clip.free_track_id();
        let (mut edits, mut keys) = (Vec::new(), KeySet::default());
        let mirror = self.flip.unwrap_or(false).then(|| Mirror::of(document));
        let (mut unknown, mut other, mut replaced, mut kept) = (0, 0, 0, None);
        let (mut alone, mut left) = (0, 0);
        for (from, target) in copied.tracks.iter().zip(targets) {
            let Some(target) = target else {
                unknown += 1;
                continue;
            };
            let new =
                from.track(target).map_err(|e| CommandError::other(e.code(), e.to_string()))?;
            let new = match &mirror {
                None => new,
                Some(mirror) => match mirror.track(document, &new) {
                    Some(made) => {
                        left += usize::from(made.scale_left);
                        made.track
                    }
                    None => {
                        alone += 1;
                        continue;
                    }
                },
            };
            let target = new.target;
            if let Err(error) = refuse_kept(document, clip, target, new.property) {
                kept = Some(error.to_string());
                continue;
            }
            let old = clip.track(target, new.property);
            let width = old.map_or_else(|| morphs_of(document, target), |(_, t)| t.width);
            if new.property == Property::Weights && width != new.width {
                other += 1;
                continue;
            }
            let made = clip_edit::paste(old.map(|(_, t)| &**t), &new, &at)
                .map_err(|e| too_far(document, &new, "when pasting,", e))?;
            replaced += made.replaced;
            let track = old.map_or_else(
                || {
                    let own = free;
                    free = TrackId(free.0 + 1);
                    own
                },
                |(id, _)| id,
            );
            keys.set(track, made.keys);
            let to = second_key(old.map(|(_, t)| &**t), made.track, self.interpolation);
            edits.push(Edit::SetTrack { clip: id, track, to: Some(Shared::new(to)) });
        }
        if edits.is_empty() {
            let why = kept
                .unwrap_or_else(|| "this model has none of the nodes of the copied keys".into());
            return Err(CommandError::other(
                "nothing_pasted",
                format!("{why}; select the nodes to paste the keys to"),
            ));
        }
        let notes = [
            (unknown > 0).then(|| {
                let of = count(copied.tracks.len(), "track");
                Notice::new(
                    "joints_not_here",
                    format!(
                        "{unknown} of {of} left out, because this model does not have their nodes"
                    ),
                )
            }),
            (alone > 0).then(|| {
                Notice::new(
                    "no_mirror_partner",
                    format!("{} left out for lack of a mirror joint", count(alone, "track")),
                )
            }),
            (left > 0).then(|| {
                let scales = count(left, "scale");
                Notice::new(
                    "scale_approximate",
                    format!("{scales} not mirrored, because the axes of the two joints differ"),
                )
            }),
            (other > 0).then(|| {
                Notice::new(
                    "count_mismatch",
                    format!("{other} left out, because the number of morph targets differs"),
                )
            }),
            kept.map(|why| Notice::new("keys_not_editable", why)),
            (replaced > 0).then(|| {
                Notice::new("keys_replaced", format!("{} replaced", count(replaced, "key")))
            }),
        ];
        Ok(Outcome { edits, notes: said(notes), keys: Some((id, keys)) })
    }

    /// The node of each copied track: of the same path, of several of that path the one of the same
    /// index, else of the same name; or, where nodes are given, those in their order for the copied
    /// ones in theirs, one for all of one.
    fn targets(
        &self,
        document: &Document,
        copied: &CopiedKeys,
    ) -> Result<Vec<Option<NodeId>>, CommandError> {
        let Some(nodes) = &self.node else {
            let of = |t: &CopiedTrack| {
                let alone = |text: &str| {
                    find_nodes(document, text).ok().filter(|n| n.len() == 1).map(|n| n[0])
                };
                by_path(document, t).or_else(|| alone(&t.path)).or_else(|| alone(&t.node))
            };
            return Ok(copied.tracks.iter().map(of).collect());
        };
        let nodes = nodes.in_order(document)?;
        let mut from: Vec<(&str, Option<u32>)> = Vec::new();
        for track in &copied.tracks {
            if !from.contains(&track.place()) {
                from.push(track.place());
            }
        }
        if from.len() != nodes.len() {
            return Err(CommandError::other(
                "count_mismatch",
                format!(
                    "keys of {} nodes were copied, but {} nodes are selected to receive them; \
                        select the same number of nodes, in the same order",
                    from.len(),
                    nodes.len()
                ),
            ));
        }
        let of = |t: &CopiedTrack| from.iter().position(|p| *p == t.place()).map(|k| nodes[k]);
        Ok(copied.tracks.iter().map(of).collect())
    }
}

/// The node that has the path of a copied one: of several the one whose index that one had.
fn by_path(document: &Document, copied: &CopiedTrack) -> Option<NodeId> {
    let own = copied.index.map(NodeId).filter(|n| document.nodes.contains(*n));
    if let Some(own) = own.filter(|n| document.path(*n) == copied.path) {
        return Some(own);
    }
    let mut found = document.node_ids().filter(|n| document.path(*n) == copied.path);
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

fn morphs_of(document: &Document, node: NodeId) -> usize {
    document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count())
}

impl RippleKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let (from, by) = (time_of(self.time)?, self.by.0);
        KeyTargets::refuse_pointers(document, (id, clip), nodes.is_none(), |t| t >= from)?;
        let mut edits = Vec::new();
        let mut removed = 0;
        for (track, old) in &clip.tracks {
            if nodes.as_ref().is_some_and(|n| n.binary_search(&old.target).is_err()) {
                continue;
            }
            let far = |e| too_far(document, old, &format!("“by” is {by} s;"), e);
            let to = if by < 0.0 {
                let left = remove_time(old, from, -by).map_err(far)?;
                removed += old.times.len() - left.as_ref().map_or(0, |t| t.times.len());
                left
            } else {
                let later = KeyTimes::within(&old.times, from, f32::MAX);
                Some(retime(old, &later, &TimeMap::shift(f64::from(by)), false).map_err(far)?.track)
            };
            if to.as_ref() != Some(&**old) {
                edits.push(Edit::SetTrack { clip: id, track: *track, to: to.map(Shared::new) });
            }
        }
        let taken = (removed > 0).then(|| {
            Notice::new(
                "keys_deleted",
                format!("deleted {} in the removed time", count(removed, "key")),
            )
        });
        let packed = clip.kept.len();
        let packed = (packed > 0 && nodes.is_none())
            .then(|| format!("{} with unreadable keys did not move", count(packed, "channel")));
        let packed = packed.map(|said| Notice::new("unreadable_keys_left_behind", said));
        Ok(Outcome { edits, notes: said([taken, packed]), keys: None })
    }
}

impl OffsetKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let length = meant.clip.length();
        KeyTargets::refuse_pointers(
            scene.document,
            (meant.id, meant.clip),
            is_of_all(&self.which),
            |_| true,
        )?;
        let (span, by) = (f64::from(length), f64::from(self.by.0));
        let mut done = Outcome::default();
        let mut keys = KeySet::default();
        for (id, old, times) in meant.tracks() {
            let to = offset_in_loop(old, length, self.by.0).map_err(|e| {
                too_far(scene.document, old, "the loop is too short for this offset:", e)
            })?;
            let there = |t: f64| to.key_at(t as f32, clip_edit::SAME_TIME).map(|k| to.times[k]);
            let now = times.iter().filter_map(|t| {
                let t =
                    if span > 0.0 { (f64::from(*t) + by).rem_euclid(span) } else { f64::from(*t) };
                // A key at the seam is at its start or at its end.
                there(t).or_else(|| there(t + span)).or_else(|| there(t - span))
            });
            keys.set(id, now.collect::<Vec<_>>().into());
            if to != **old {
                done.edits.push(meant.edit(id, Some(to)));
            }
        }
        done.keys = (!self.which.is_all()).then_some((meant.id, keys));
        Ok(done)
    }
}

impl HoldKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        let on = self.on.unwrap_or(true);
        let edits = meant.changed(|track, times| held(track, times, on));
        let steps =
            meant.tracks().filter(|(_, t, _)| t.interpolation == Interpolation::Step).count();
        let note = (!on && steps > 0).then(|| {
            format!(
                "{} with STEP interpolation, which holds every key; choose another interpolation",
                count(steps, "track")
            )
        });
        let notes = said([note.map(|said| Notice::new("tracks_are_stepped", said))]);
        Ok(Outcome { edits, notes, keys: None })
    }
}

impl SetInterpolation {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let to = self.interpolation.interpolation();
        let edits = meant.changed(|track, _| with_interpolation(track, to));
        let sum = |of: &dyn Fn(&Track, &KeyTimes) -> usize| {
            meant.tracks().map(|(_, t, k)| of(t, k)).sum::<usize>()
        };
        let others = sum(&|track, keys| track.times.len().saturating_sub(keys.len()));
        let single = sum(&|track, _| usize::from(track.times.len() < 2));
        let tangents = sum(&|track, _| {
            usize::from(
                track.interpolation == Interpolation::CubicSpline && to != track.interpolation,
            )
        });
        let notes = [
            (others > 0 && !edits.is_empty()).then(|| {
                let said = format!(
                    "glTF has one interpolation per track, so it also applies to {} of {}",
                    count(others, "other key"),
                    count(meant.tracks().count(), "track")
                );
                Notice::new("other_keys_follow", said)
            }),
            (tangents > 0).then(|| {
                Notice::new(
                    "tangents_removed",
                    format!("{} without tangents now", count(tangents, "track")),
                )
            }),
            (single > 0 && self.interpolation == Between::Smooth).then(|| {
                let tracks = count(single, "track");
                Notice::new(
                    "single_key",
                    format!(
                        "{tracks} with a single key, which will become smooth when a second key is \
                            added"
                    ),
                )
            }),
        ];
        Ok(Outcome { edits, notes: said(notes), keys: None })
    }
}

impl ShiftKeys {
    /// Rotations are turned in the joint's own axes, `q · (seen⁻¹ · wanted)`; the rest is added.
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let node = self.keys.is_none().then(|| self.node.clone());
        let which = WhichKeys { keys: self.keys.clone(), node, ..WhichKeys::default() };
        let meant = KeyTargets::or_all(scene, &self.clip, &which)?;
        let time = time_of(self.time)?;
        let nodes = self.node.all(scene.document)?;
        let document = scene.document;
        let stack =
            Stack::shown(document, Some(meant.id), f64::from(time)).without_layers_of_clips();
        let pose = Pose::evaluate(document, &stack);
        let layers = document.aids.layers(LayerHome::Clip(meant.id));
        let mut edits = Vec::new();
        for (id, track, times) in
            meant.tracks().filter(|(_, t, _)| nodes.binary_search(&t.target).is_ok())
        {
            let seen = pose.local[track.target.index()].transform();
            let at = (track.target, f64::from(time));
            // What is wanted is what is seen, layers included; what is turned lies below them.
            let to = below_layers(
                &with_layers(&seen, &layers, at.0, at.1),
                &layers,
                at,
                &self.to.components(),
            )?;
            let by = match track.property {
                Property::Translation => {
                    to.translation.map(|t| (t - seen.translation).to_array().to_vec())
                }
                Property::Rotation => to
                    .rotation
                    .map(|r| (seen.rotation.inverse() * r).normalize().to_array().to_vec()),
                Property::Scale => to.scale.map(|s| (s - seen.scale).to_array().to_vec()),
                Property::Weights => None,
            };
            if let Some(by) = by {
                edits
                    .push(meant.edit(id, Some(change_values(track, times, &ValueChange::Add(by)))));
            }
        }
        if edits.is_empty() {
            return Err(CommandError::other(
                "no_key_there",
                "none of the keys belongs to the given node and property",
            ));
        }
        Ok(edits.into())
    }
}

impl ChangeKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let by: Vec<f32> = self.by.0.iter().map(|v| *v as f32).collect();
        let Some(first) = by.first().copied() else {
            return Err(CommandError::other(
                "argument_empty",
                "“by” is an empty list; use one number, or one number per component",
            ));
        };
        let edits = meant.changed(|track, times| {
            let each =
                |k: usize| by.get(k).copied().unwrap_or(if by.len() == 1 { first } else { 0.0 });
            let turns = track.property == Property::Rotation;
            let turn = || {
                let d = [0, 1, 2].map(|k| by.get(k).copied().unwrap_or(0.0).to_radians());
                Quat::from_euler(EulerRot::XYZ, d[0], d[1], d[2]).to_array()
            };
            let change = match self.how {
                ValueHow::Add if turns => ValueChange::Add(turn().to_vec()),
                ValueHow::Add => ValueChange::Add((0..track.width).map(each).collect()),
                ValueHow::Set if turns => ValueChange::Set(turn().map(Some).to_vec()),
                ValueHow::Set => {
                    let given = |k: usize| by.get(k).copied().or((by.len() == 1).then_some(first));
                    ValueChange::Set((0..track.width).map(given).collect())
                }
                ValueHow::Scale => ValueChange::Scale {
                    by: (0..track.width).map(|k| by.get(k).copied().unwrap_or(first)).collect(),
                    about: about(track, times, self.about.unwrap_or(ValueAbout::Zero)),
                },
            };
            change_values(track, times, &change)
        });
        Ok(edits.into())
    }
}

/// What stays where the values of some keys are scaled.
fn about(track: &Track, times: &[f32], about: ValueAbout) -> Vec<f32> {
    let values: Vec<&[f32]> =
        times.iter().filter_map(|t| track.key_at(*t, 0.0)).map(|k| track.value(k)).collect();
    match (about, track.property) {
        (ValueAbout::First, _) if !values.is_empty() => values[0].to_vec(),
        (ValueAbout::Mean, Property::Rotation) if !values.is_empty() => {
            // All in the half of the first: the normalized sum.
            let q = |v: &[f32]| unit_or(Quat::from_slice(v), Quat::IDENTITY);
            let heavy = q(values[0]);
            let sum = values.iter().fold(glam::Vec4::ZERO, |sum, v| {
                let v = q(v);
                sum + glam::Vec4::from(if v.dot(heavy) < 0.0 { -v } else { v })
            });
            unit_or(Quat::from_vec4(sum), heavy).to_array().to_vec()
        }
        (ValueAbout::Mean, _) if !values.is_empty() => {
            let mean = |i: usize| {
                values.iter().map(|v| f64::from(v[i])).sum::<f64>() / values.len() as f64
            };
            (0..track.width).map(|i| mean(i) as f32).collect()
        }
        (_, Property::Rotation) => Quat::IDENTITY.to_array().to_vec(),
        (_, Property::Scale) => vec![1.0; 3],
        _ => vec![0.0; track.width],
    }
}

impl SetTangents {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let smooth = |t: &Track| with_interpolation(t, Interpolation::CubicSpline);
        let edits = meant
            .changed(|track, times| with_tangents(&smooth(track), times, self.tangents.into()));
        let others = meant
            .tracks()
            .filter(|(_, t, _)| t.interpolation != Interpolation::CubicSpline)
            .count();
        let note = (others > 0).then(|| {
            format!(
                "{} changed to smooth interpolation, because only smooth keys have tangents",
                count(others, "track")
            )
        });
        let notes = said([note.map(|said| Notice::new("tracks_became_splines", said))]);
        Ok(Outcome { edits, notes, keys: None })
    }
}

impl SetKeyKind {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let kind = self.kind.kind();
        // The times as stored; those of ends of holds are never meant.
        let edits = meant.changed(|track, times| Track {
            kinds: track.kinds.with(times, kind),
            ..track.clone()
        });
        Ok(edits.into())
    }
}

impl CleanKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::or_all(scene, &self.clip, &self.which)?;
        let tolerance = self.tolerance.unwrap_or(0.0);
        let mut removed = 0;
        let mut edits = Vec::new();
        for (id, old, times) in meant.tracks() {
            let dead = clip_edit::dead_keys(old, times, tolerance);
            if !dead.is_empty() {
                removed += dead.len();
                edits.push(meant.edit(id, remove_keys(old, &dead)));
            }
        }
        let note = match removed {
            0 => "there are no redundant keys: no key is on the line between its neighbors"
                .to_owned(),
            1 => "1 key was removed".to_owned(),
            n => format!("{n} keys were removed"),
        };
        Ok(Outcome { edits, notes: vec![Notice::new("keys_cleaned", note)], keys: None })
    }
}
