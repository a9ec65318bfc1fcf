//! Commands that work on a whole clip: cut, split, joined, backwards, faster, mirrored, sampled
//! anew, closed as a loop.

use super::{
    CommandError, Outcome, Scene, around,
    clip_layers::{
        as_posed, copy_unkeyed, layers_of, mirror_unkeyed, move_unkeyed, numbered, with_layers,
    },
    clips::free_clip_name,
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice},
    keys::clip_of,
    mirror_pose, rules,
};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Document, KeySet, Notice, PoseLayer, PoseLayers, Shared, TrackId, Transform,
    meant_rate, transform::is_turned_less,
};
use ulna_motion::{
    Mirror, added_at,
    clip_edit::{
        self, Closing, MotionError, NoTravel, Seam, TimeMap, TooClose, Travel, TravelParts,
        TravelTo, closed, editable, joined, joined_layers, key_span, mapped, mapped_layers,
        mirror_gap, mirror_skin_gap, mirrored, move_travel, new_jump, part_of, part_of_layers,
        reduced, resampled, reversed, reversed_layers, seam, speed_jump, travel,
    },
    fold_clip,
};

document_commands! {
    /// Commands that work on a whole clip.
    ClipWorkCommand in "Clip";

    /// Trims a clip to a range, such as the play range
    TrimClip {
        /// Clip to edit.
        clip: ClipName,
        /// Start of the range to keep, in seconds.
        from: Seconds,
        /// End of the range to keep, in seconds; the end of the clip if omitted.
        to: Option<Seconds>,
        /// Whether to add keys to splines so that the motion stays exact; yes if omitted.
        exact: Option<bool>,
    } = "clip.trim",
        "Trim clip", asks: true, enabled: rules::clip_shown, filled: Some(around::trim_clip);
    /// Splits a clip into two, at the playhead
    SplitClip {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the cut, in seconds.
        time: Seconds,
        /// Name of the second clip.
        name: Option<String>,
    } = "clip.split", "Split clip", enabled: rules::clip_shown, filled: Some(around::split_clip);
    /// Appends another clip; channels missing in one of the clips keep their value from the pose
    JoinClip {
        /// Clip to edit.
        clip: ClipName,
        /// Clip to append.
        with: ClipName,
        /// Time between the two clips, in seconds; 0 if omitted.
        gap: Option<Seconds>,
        /// Name of a new clip for the result; the first clip is extended if omitted.
        name: Option<String>,
    } = "clip.join", "Join clips", asks: true, enabled: rules::clip_shown;
    /// Reverses a clip
    ReverseClip {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.reverse",
        "Reverse clip", enabled: rules::clip_shown, filled: Some(around::reverse_clip);
    /// Changes the length of a clip, by a length, a factor or a speed
    RetimeClip {
        /// Clip to edit.
        clip: ClipName,
        /// New length of the clip, in seconds.
        length: Option<Seconds>,
        /// Factor of the length, in place of a length.
        factor: Option<f32>,
        /// Factor of the speed, in place of a length.
        speed: Option<f32>,
    } = "clip.retime", "Retime clip", asks: true, enabled: rules::clip_shown;
    /// Sets the tick rate of a clip; its keys stay on their ticks, so its speed changes
    SetTicks {
        /// Clip to edit.
        clip: ClipName,
        /// Ticks per second; the tick rate is removed if omitted.
        rate: Option<f32>,
        /// Whether keys stay on their ticks; yes if omitted and the clip had a tick rate.
        retime: Option<bool>,
    } = "clip.ticks", "Set tick rate", asks: true, enabled: rules::clip_shown;
    /// Sets the frame rate of a clip; no key moves
    SetRate {
        /// Clip to edit.
        clip: ClipName,
        /// Frames per second, 0.1 to 10000; found from the keys if omitted.
        rate: Option<f32>,
    } = "clip.rate", "Set frame rate", asks: true, enabled: rules::clip_shown;
    /// Moves a clip so that its first key is at 0
    StartAtZero {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.start_at_zero",
        "Start at 0", enabled: rules::clip_shown, filled: Some(around::start_at_zero);
    /// Mirrors a clip: swaps the motion of left and right
    MirrorClip {
        /// Clip to edit.
        clip: ClipName,
        /// Joints to mirror, with their mirror joints; all if omitted.
        node: Option<Nodes>,
    } = "clip.mirror", "Mirror clip", enabled: rules::clip_shown, filled: Some(around::mirror_clip);
    /// Sets one key per frame at a frame rate, and removes all others
    ResampleClip {
        /// Clip to edit.
        clip: ClipName,
        /// Frames per second.
        rate: f32,
    } = "clip.resample", "Resample clip", asks: true, enabled: rules::clip_shown;
    /// Removes keys while the error on the skin stays within a limit
    ReduceKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Largest error of the skin, in millimeters on a body of 1.8 m; 0.5 if omitted.
        millimetres: Option<f32>,
    } = "clip.reduce", "Reduce keys", asks: true, enabled: rules::clip_shown;
    /// Replaces one key per frame by splines through a few keys, which are easy to edit by hand
    MakeEditable {
        /// Clip to edit.
        clip: ClipName,
        /// Largest error of the skin, in millimeters on a body of 1.8 m; 2 if omitted.
        millimetres: Option<f32>,
    } = "clip.make_editable", "Make editable", asks: true, enabled: rules::clip_shown;
    /// Moves the travel of a body to the root joint or to the hips, or removes it
    RootMotion {
        /// Clip to edit.
        clip: ClipName,
        /// Joint that carries the root motion; the parent of the hips if omitted.
        node: Option<Nodes>,
        /// Destination of the travel.
        to: TravelGoes,
        /// Whether to move the travel along the ground; yes if omitted.
        ground: Option<bool>,
        /// Whether to move vertical travel; if omitted, only when the destination is the hips.
        height: Option<bool>,
        /// Whether to move turns about the vertical axis; if omitted, only when the destination is
        /// the hips.
        turn: Option<bool>,
    } = "clip.root_motion", "Root motion", asks: true, enabled: rules::clip_shown;
    /// Closes a loop, so that its end matches the pose at 0
    CloseLoop {
        /// Clip to edit.
        clip: ClipName,
        /// Method; chosen by the gap of the loop if omitted.
        how: Option<CloseHow>,
        /// Number of frames to blend; 5 if omitted.
        frames: Option<usize>,
        /// Whether to match the speed at the start as well; yes if omitted.
        speed: Option<bool>,
    } = "clip.close_loop",
        "Close the loop", enabled: rules::clip_shown, filled: Some(around::close_loop);
}

choice! {
    /// Where the travel of a clip goes.
    TravelGoes {
        /// To the joint above the hips.
        Root = "root",
        /// Nowhere: the body moves on the spot.
        InPlace = "in place",
        /// Into the hips.
        Hips = "hips",
    }
}

impl From<TravelGoes> for TravelTo {
    fn from(to: TravelGoes) -> Self {
        match to {
            TravelGoes::Root => Self::Root,
            TravelGoes::InPlace => Self::InPlace,
            TravelGoes::Hips => Self::Hips,
        }
    }
}

choice! {
    /// How a loop is closed.
    CloseHow {
        /// The end is the pose at 0, spread over the whole clip; a STEP track gets it at its last
        /// key.
        Match = "match",
        /// The last frames are bent to it.
        Blend = "blend",
        /// A frame is added that is the pose at 0.
        AddFrame = "add",
        /// The last frame goes, where it is there twice.
        DropFrame = "drop",
    }
}

/// A clip, and its first and last key.
type Whole<'a> = (ClipId, &'a Shared<Clip>, (f32, f32));

/// A clip that can be worked on as a whole, without an unkeyed pose.
///
/// # Errors
/// Where there is none, it has no key, some of its keys cannot be changed, or a pose over it is not
/// keyed.
fn whole<'a>(document: &'a Document, name: &ClipName) -> Result<Whole<'a>, CommandError> {
    let found = whole_with_poses(document, name)?;
    if document.aids.unkeyed.keys().any(|at| at.clip == found.0) {
        let label = document.clip_label(found.0);
        let why = "it has an unkeyed pose, which would end up at another time; key it or discard \
            it first";
        return Err(CommandError::other("clip_has_unkeyed_pose", format!("{label}: {why}")));
    }
    Ok(found)
}

/// A clip that can be worked on as a whole, by a command that takes its unkeyed poses along.
///
/// # Errors
/// Where there is none, it has no key, or some of its keys cannot be changed.
fn whole_with_poses<'a>(
    document: &'a Document,
    name: &ClipName,
) -> Result<Whole<'a>, CommandError> {
    let id = name.find(document)?;
    let clip = clip_of(document, id)?;
    let label = document.clip_label(id);
    let refuse = |code, why: &str| Err(CommandError::other(code, format!("{label}: {why}")));
    if !clip.pointers.is_empty() {
        return refuse(
            "clip_has_pointers",
            "some of its keys belong to animation pointers, which cannot be edited together with \
                the others yet",
        );
    }
    if !clip.kept.is_empty() {
        return refuse(
            "keys_not_editable",
            "some of its keys are packed and cannot be edited; unpack the file first",
        );
    }
    match key_span(clip) {
        Some(span) => Ok((id, clip, span)),
        None => refuse("clip_has_no_keys", "it has no keys"),
    }
}

fn too_close(document: &Document, id: ClipId, error: TooClose) -> CommandError {
    CommandError::other(
        "keys_too_close",
        format!("{}: {error}. Choose another time or range", document.clip_label(id)),
    )
}

/// A clip in the place of another.
fn put(id: ClipId, clip: Clip, notes: impl IntoIterator<Item = Notice>) -> Outcome {
    let edits = vec![Edit::SetClip { clip: id, to: Some(Shared::new(clip)) }];
    Outcome { edits, notes: notes.into_iter().collect(), keys: Some((id, KeySet::default())) }
}

/// How far the motion is off, where it is.
fn measured(error: MotionError) -> Option<Notice> {
    error.in_words().map(|said| Notice::new("motion_changed", said))
}

/// A clip in the place of another, with its layers, and its unkeyed poses where `place` puts their
/// times.
fn put_all(
    document: &Document,
    id: ClipId,
    (clip, layers): (Clip, PoseLayers),
    place: impl Fn(f32) -> Option<f32>,
    note: Option<Notice>,
) -> Outcome {
    let mut done = put(id, clip, note);
    done.edits.extend(with_layers(document, id, layers));
    let (moved, lost) = move_unkeyed(document, id, place);
    done.edits.extend(moved);
    done.notes.extend(lost.map(|said| Notice::new("unkeyed_poses_left_out", said)));
    done
}

/// A clip whose times were mapped, with all that goes with it.
fn put_mapped(
    document: &Document,
    (id, clip): (ClipId, &Clip),
    map: &TimeMap,
    change: impl FnOnce(&mut Clip),
) -> Result<Outcome, CommandError> {
    let refuse = |e| too_close(document, id, e);
    let mut made = mapped(clip, map).map_err(refuse)?;
    change(&mut made);
    let layers = mapped_layers(&layers_of(document, id), map).map_err(refuse)?;
    let place = |t: f32| Some(map.at(t)).filter(|t| *t >= -clip_edit::SAME_TIME);
    Ok(put_all(document, id, (made, layers), place, None))
}

/// A clip that the file does not have yet.
fn as_new(clip: Clip, name: &str) -> Clip {
    let tracks =
        clip.tracks.into_values().enumerate().map(|(k, t)| (TrackId(k as u32), t)).collect();
    Clip { name: Some(name.into()), tracks, channels_in_file: 0, mended: Shared::default(), ..clip }
}

fn argument(code: &'static str, message: impl Into<String>) -> CommandError {
    CommandError::other(code, message)
}

/// A part of a clip and its layers between two times, which must be in order.
fn part(
    document: &Document,
    (id, clip): (ClipId, &Clip),
    (from, to): (f32, f32),
    exact: bool,
) -> Result<(Clip, PoseLayers, MotionError), CommandError> {
    if !from.is_finite() || !to.is_finite() || from < 0.0 || to <= from + clip_edit::SAME_TIME {
        return Err(argument(
            "time_out_of_clip",
            format!("“from” is {from} s and “to” is {to} s, but “to” must be after “from”"),
        ));
    }
    let refuse = |e| too_close(document, id, e);
    let (made, error) = part_of(clip, from, to, exact).map_err(refuse)?;
    let (layers, of_layers) =
        part_of_layers(&layers_of(document, id), (from, to), exact).map_err(refuse)?;
    Ok((made, layers, error.or(of_layers)))
}

/// Where a time of a clip is in a part of it.
fn in_part((from, to): (f32, f32)) -> impl Fn(f32) -> Option<f32> {
    let near = clip_edit::SAME_TIME;
    move |t| (from - near..=to + near).contains(&t).then(|| t.clamp(from, to) - from)
}

impl ClipWorkCommand {
    /// Whether it says itself how many frames a second its clip has.
    pub(super) const fn sets_rate(&self) -> bool {
        matches!(self, Self::SetRate(_) | Self::ResampleClip(_))
    }
}

impl TrimClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let range = (self.from.0, self.to.map_or(last, |t| t.0.min(last)));
        let (made, layers, error) = part(document, (id, clip), range, self.exact.unwrap_or(true))?;
        Ok(put_all(document, id, (made, layers), in_part(range), measured(error)))
    }
}

impl SplitClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let at = self.time.0;
        if at >= last - clip_edit::SAME_TIME || at <= clip_edit::SAME_TIME {
            return Err(argument(
                "time_out_of_clip",
                format!("{at} s is not inside the clip; move the playhead between 0 and {last} s"),
            ));
        }
        let (first, layers, a) = part(document, (id, clip), (0.0, at), true)?;
        let (second, later, b) = part(document, (id, clip), (at, last), true)?;
        let name =
            self.name.clone().unwrap_or_else(|| free_clip_name(document, &document.clip_label(id)));
        let mut done = put(id, first, measured(a.or(b)));
        done.edits.extend(with_layers(document, id, layers));
        let next = document.clips.next_id();
        let second = as_new(second, &name).at_rate_of(clip);
        done.edits.push(Edit::SetClip { clip: next, to: Some(Shared::new(second)) });
        done.edits.extend(with_layers(document, next, numbered(document, &later)));
        // A pose at the cut is seen in both, and one that lies after the end in the second.
        let to_second = |t: f32| (t >= at - clip_edit::SAME_TIME).then(|| (t - at).max(0.0));
        done.edits.extend(copy_unkeyed(document, (id, next), to_second));
        done.edits.extend(move_unkeyed(document, id, in_part((0.0, at))).0);
        Ok(done)
    }
}

impl JoinClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, first, _) = whole_with_poses(document, &self.clip)?;
        let (other, second, _) = whole_with_poses(document, &self.with)?;
        let gap = self.gap.map_or(0.0, |g| g.0);
        if !gap.is_finite() || gap < 0.0 {
            return Err(argument(
                "argument_out_of_range",
                format!("“gap” is {gap} s, but must be 0 or more"),
            ));
        }
        let made = joined(document, first, second, gap).map_err(|e| too_close(document, id, e))?;
        let tracks = |n: usize| if n == 1 { "1 track".to_owned() } else { format!("{n} tracks") };
        let jumps = (made.jumps > 0).then(|| {
            Notice::new(
                "tracks_jump",
                format!("{} with a jump where the clips meet", tracks(made.jumps)),
            )
        });
        let frame = frame_of(first).max(1e-3);
        let jump = new_jump(document, &[first, second], &made.clip, frame)
            .map(|j| Notice::new("motion_jumps", j.in_words(document)));
        let lists = [id, other].map(|id| layers_of(document, id));
        let ends = [first, second].map(|clip| clip.length());
        let ids = (document.aids.free_pose_layer(), self.name.is_none());
        let layers = joined_layers([&lists[0], &lists[1]], ends, gap, ids)
            .map_err(|e| too_close(document, id, e))?;
        let splined = made.splined + layers.splined;
        let splined = (splined > 0).then(|| {
            let off = made
                .error
                .or(layers.error)
                .in_words()
                .unwrap_or_else(|| "the motion does not change".to_owned());
            let said =
                format!("{} converted to splines to match the other clip; {off}", tracks(splined));
            Notice::new("tracks_became_splines", said)
        });
        let muted = (!layers.muted.is_empty()).then(|| {
            let said = format!(
                "layers muted, because another layer of their clip was soloed: {}",
                layers.muted.join(", ")
            );
            Notice::new("layers_muted", said)
        });
        let notes = [jumps, jump, splined, muted].into_iter().flatten();
        let (to, clip) = match &self.name {
            None => (id, made.clip),
            Some(name) => (document.clips.next_id(), as_new(made.clip, name).at_rate_of(first)),
        };
        let mut done = put(to, clip, notes);
        done.edits.extend(with_layers(document, to, layers.layers));
        if to != id {
            done.edits.extend(copy_unkeyed(document, (id, to), Some));
        }
        let start = (f64::from(ends[0]) + f64::from(gap)) as f32;
        done.edits.extend(copy_unkeyed(document, (other, to), |t| Some(t + start)));
        Ok(done)
    }
}

impl ReverseClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, span) = whole_with_poses(document, &self.clip)?;
        let refuse = |e| too_close(document, id, e);
        let made = reversed(clip).map_err(refuse)?;
        let layers = reversed_layers(&layers_of(document, id), span).map_err(refuse)?;
        let place = |t: f32| Some(span.0 + span.1 - t).filter(|t| *t >= -clip_edit::SAME_TIME);
        Ok(put_all(document, id, (made, layers), place, None))
    }
}

impl RetimeClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole_with_poses(document, &self.clip)?;
        let above = |name: &str, value: f32| {
            if value.is_finite() && value > 0.0 {
                Ok(f64::from(value))
            } else {
                Err(argument(
                    "argument_out_of_range",
                    format!("“{name}” is {value}, but must be greater than 0"),
                ))
            }
        };
        let scale = match (self.length, self.factor, self.speed) {
            (Some(length), None, None) => {
                let length = above("length", length.0)?;
                if last <= 0.0 {
                    return Err(argument(
                        "clip_has_no_length",
                        "all of its keys are at 0 s, so its length cannot be changed".to_owned(),
                    ));
                }
                length / f64::from(last)
            }
            (None, Some(factor), None) => above("factor", factor)?,
            (None, None, Some(speed)) => 1.0 / above("speed", speed)?,
            _ => {
                return Err(argument(
                    "argument_missing",
                    "exactly one of “length”, “factor” and “speed” is needed".to_owned(),
                ));
            }
        };
        put_mapped(document, (id, clip), &TimeMap { about: 0.0, scale, by: 0.0 }, |_| {})
    }
}

impl SetTicks {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = super::keys::clip_of(document, id)?;
        let rate = match self.rate {
            None => None,
            Some(rate) if rate.is_finite() && (0.01..=1e6).contains(&rate) => Some(f64::from(rate)),
            Some(rate) => {
                return Err(argument(
                    "argument_out_of_range",
                    format!(
                        "the tick rate {rate} is invalid; use 0.01 to 1000000 ticks per second"
                    ),
                ));
            }
        };
        if rate == clip.ticks {
            return Ok(Outcome::default());
        }
        let scale = match (clip.ticks, rate) {
            (Some(was), Some(now)) if self.retime != Some(false) => was / now,
            (None, Some(_)) if self.retime == Some(true) => {
                return Err(argument(
                    "clip_has_no_ticks",
                    "the clip has no tick rate yet, so its keys cannot stay on their ticks; first \
                        set a tick rate without “retime”"
                        .to_owned(),
                ));
            }
            _ => 1.0,
        };
        let note = |made: &Clip| {
            let length = f64::from(made.length());
            rate.map(|rate| {
                Notice::new(
                    "ticks_set",
                    format!("{:.2} ticks at {rate} per second, {length:.3} s", length * rate),
                )
            })
        };
        if scale == 1.0 {
            let made = Clip { ticks: rate, ..(**clip).clone() };
            let said = note(&made);
            return Ok(put(id, made, said));
        }
        let (_, clip, _) = whole_with_poses(document, &self.clip)?;
        let mut said = None;
        let map = TimeMap { about: 0.0, scale, by: 0.0 };
        let mut done = put_mapped(document, (id, clip), &map, |made| {
            made.ticks = rate;
            said = note(made);
        })?;
        done.notes.extend(said);
        Ok(done)
    }
}

impl SetRate {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let id = self.clip.find(scene.document)?;
        let clip = clip_of(scene.document, id)?;
        let made = match self.rate {
            None => Clip { rate: None, ..(**clip).clone() },
            Some(rate) if rate.is_finite() && (0.1..=10_000.0).contains(&rate) => {
                (**clip).clone().counted_at(meant_rate(f64::from(rate)))
            }
            Some(rate) => {
                return Err(argument(
                    "argument_out_of_range",
                    format!("“rate” is {rate}, but must be 0.1 to 10000 frames per second"),
                ));
            }
        };
        if made.rate == clip.rate {
            return Ok(Outcome::default());
        }
        Ok(put(id, made, None))
    }
}

impl StartAtZero {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, (first, _)) = whole_with_poses(scene.document, &self.clip)?;
        if first == 0.0 {
            return Ok(Outcome::noted("nothing_to_change", "its first key is already at 0"));
        }
        put_mapped(scene.document, (id, clip), &TimeMap::shift(-f64::from(first)), |_| {})
    }
}

impl MirrorClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole_with_poses(scene.document, &self.clip)?;
        let document = &as_posed(scene.document);
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let mirror = Mirror::of(document);
        let layers = layers_of(document, id);
        let made = mirrored(document, (clip, &layers), &mirror, nodes.as_deref()).map_err(|e| {
            let label = |n: ulna_model::NodeId| document.node(n).label(n);
            let (carrier, carried) = (label(e.carrier), label(e.node));
            argument(
                "layer_not_mirrored",
                format!(
                    "layer “{}” animates {carrier}, which has no mirror joint and is a parent of \
                        {carried}; bake it with layer.fold first",
                    e.layer
                ),
            )
        })?;
        let unkeyed = mirror_unkeyed(scene.document, id, &mirror, nodes.as_deref());
        if made.clip == **clip && made.layers == *layers && unkeyed.is_empty() {
            let why = match made.mirrored {
                0 => "none of these nodes has a mirror node on the other side",
                _ => "the clip is already symmetric",
            };
            return Err(argument("nothing_to_mirror", format!("{why}; nothing was mirrored")));
        }
        let labels = |nodes: &[ulna_model::NodeId]| {
            let some: Vec<String> =
                nodes.iter().take(3).map(|n| document.node(*n).label(*n)).collect();
            if nodes.len() > 3 {
                format!("{} and {} more", some.join(", "), nodes.len() - 3)
            } else {
                some.join(", ")
            }
        };
        let one = |nodes: &[ulna_model::NodeId], one: &'static str, many: &'static str| {
            if nodes.len() == 1 { one } else { many }
        };
        let alone = (!made.alone.is_empty()).then(|| {
            let rest = one(
                &made.alone,
                "has no mirror joint and is animated",
                "have no mirror joints and are animated",
            );
            Notice::new("no_mirror_partner", format!("{} {rest} as before", labels(&made.alone)))
        });
        let sampled = (!made.sampled.is_empty()).then(|| {
            let rest = one(&made.sampled, "has new keys", "have new keys");
            let said = format!(
                "{} {rest}, because parent nodes without mirror nodes are animated",
                labels(&made.sampled)
            );
            Notice::new("keys_sampled", said)
        });
        let posed = (!made.posed.is_empty()).then(|| {
            let rest = one(
                &made.posed,
                "now has a key, because its pose is",
                "now have a key, because their pose is",
            );
            Notice::new("pose_keyed", format!("{} {rest} not symmetric", labels(&made.posed)))
        });
        let new = Shared::new(made.clip);
        let seen = [(clip, &*layers), (&new, &made.layers)]
            .map(|(c, l)| fold_clip(&document.file, c, l).clip);
        let gap = mirror_gap(document, (&seen[0], &seen[1]), &mirror, nodes.as_deref());
        let skin = nodes
            .is_none()
            .then(|| mirror_skin_gap(document, &seen[0], &seen[1], &mirror))
            .flatten();
        let notes = [
            alone,
            sampled,
            posed,
            mirror_pose::scales(made.scale_left),
            mirror_pose::gap(document, gap),
            mirror_pose::skin_gap(document, gap, skin),
        ];
        let mut done = put(id, (*new).clone(), notes.into_iter().flatten());
        done.edits.extend(with_layers(scene.document, id, made.layers));
        done.edits.extend(unkeyed);
        Ok(done)
    }
}

impl ResampleClip {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        /// More keys a track than anyone can want, and memory can hold.
        const MOST_FRAMES: f64 = 2_000_000.0;
        let (id, clip, (first, last)) = whole(scene.document, &self.clip)?;
        // Compared and told in the precision in which it is given: 0.01 as a double is a little
        // less.
        if !(0.01..=10_000.0).contains(&self.rate) {
            let rate = self.rate;
            return Err(argument(
                "argument_out_of_range",
                format!("“rate” is {rate}, but must be 0.01 to 10000 frames per second"),
            ));
        }
        let rate = meant_rate(f64::from(self.rate));
        let frames = f64::from(last - first) * rate;
        if frames * clip.tracks.len() as f64 > MOST_FRAMES * 16.0 || frames > MOST_FRAMES {
            return Err(argument(
                "too_many_keys",
                format!(
                    "that would be {frames:.0} keys per track, which is too many; choose a lower \
                        “rate”"
                ),
            ));
        }
        let (made, error) = resampled(clip, rate);
        Ok(put(id, made.counted_at(rate), measured(error)))
    }
}

impl ClipWorkCommand {
    /// Keys that are weighed against the skin.
    pub(super) fn weighed(&self, document: &Document) -> usize {
        let clip = match self {
            Self::ReduceKeys(ReduceKeys { clip, .. })
            | Self::MakeEditable(MakeEditable { clip, .. }) => clip,
            _ => return 0,
        };
        clip.find(document).map_or(0, |id| document.clips[id].key_count())
    }
}

impl ReduceKeys {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole(scene.document, &self.clip)?;
        let bound = self.millimetres.unwrap_or(0.5);
        if !(bound > 0.0 && bound <= 1000.0) {
            return Err(argument(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be greater than 0 and at most 1000"),
            ));
        }
        let made = reduced(scene.document, clip, bound * 1e-3);
        let [before, after] = made.keys;
        if after == before {
            let note = format!("none of its {before} keys can be removed within {bound} mm");
            return Ok(Outcome::noted("no_key_can_go", note));
        }
        let kilobytes = made.bytes.map(|b| b.div_ceil(1024));
        let note = format!(
            "{after} of {before} keys remain, {} of {} KB; max error {:.2} mm on a body 1.8 m tall",
            kilobytes[1],
            kilobytes[0],
            made.error * 1e3
        );
        Ok(put(id, made.clip, [Notice::new("keys_reduced", note)]))
    }
}

impl MakeEditable {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole(scene.document, &self.clip)?;
        let bound = self.millimetres.unwrap_or(2.0);
        if !(bound > 0.0 && bound <= 1000.0) {
            return Err(argument(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be greater than 0 and at most 1000"),
            ));
        }
        let made = editable(scene.document, clip, bound * 1e-3);
        let [before, after] = made.keys;
        let tracks = |n: usize| {
            if n == 1 { "1 track was".to_owned() } else { format!("{n} tracks were") }
        };
        let left = (made.left > 0).then(|| {
            let said = format!(
                "{} left unchanged, being splines or without a key on every frame; use clip.reduce \
                    to remove keys from these",
                tracks(made.left)
            );
            Notice::new("tracks_left", said)
        });
        if after >= before {
            let none = || {
                Notice::new(
                    "no_key_can_go",
                    format!("none of its {before} keys can be removed within {bound} mm"),
                )
            };
            return Ok(Outcome { notes: vec![left.unwrap_or_else(none)], ..Outcome::default() });
        }
        let (between, when) = made.between;
        let between = if between > made.error {
            let warning = if between > 0.05 { "; warning: check the motion there" } else { "" };
            format!(", and between its old keys {:.2} mm, at {when:.2} s{warning}", between * 1e3)
        } else {
            String::new()
        };
        let note = format!(
            "{after} of {before} keys remain, as splines; max error {:.2} mm on a body 1.8 m \
                tall{between}",
            made.error * 1e3
        );
        let notes = [Some(Notice::new("keys_reduced", note)), left];
        Ok(put(id, made.clip, notes.into_iter().flatten()))
    }
}

/// How a body travels, in words; nothing where it stays.
pub fn travel_in_words(found: &Travel) -> Option<String> {
    let ground = glam::Vec2::new(found.way.x, found.way.z).length();
    let mut parts = Vec::new();
    if ground > 5e-3 {
        parts.push(format!("{ground:.2} m at {:.2} m/s", found.speed()));
    }
    if found.way.y.abs() > 5e-3 {
        parts.push(format!("{:+.2} m vertically", found.way.y));
    }
    if found.turn.abs() > 0.01 {
        parts.push(format!("{:+.0}° about the vertical axis", found.turn.to_degrees()));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl RootMotion {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, _) = whole(document, &self.clip)?;
        let root = match self.node.as_ref().map(|n| n.all(document)).transpose()?.as_deref() {
            None => None,
            Some([one]) => Some(*one),
            Some(_) => {
                return Err(argument(
                    "one_node_wanted",
                    "only one joint can carry the root motion; name one joint as “node”".to_owned(),
                ));
            }
        };
        let parts = TravelParts {
            ground: self.ground.unwrap_or(true),
            height: self.height.unwrap_or(self.to == TravelGoes::Hips),
            turn: self.turn.unwrap_or(self.to == TravelGoes::Hips),
        };
        let nothing = !parts.ground && !parts.height && !parts.turn;
        if nothing && self.to != TravelGoes::Hips {
            return Err(argument(
                "argument_missing",
                "“ground”, “height” and “turn” are all off; turn on at least one of them"
                    .to_owned(),
            ));
        }
        let found = travel(document, clip);
        let made = move_travel(document, clip, self.to.into(), parts, root).map_err(|e| {
            let name = |n: Option<ulna_model::NodeId>| {
                n.map_or_else(String::new, |n| document.node(n).label(n))
            };
            let hips = name(found.map(|t| t.hips));
            argument(
                "no_travel",
                match e {
                    NoTravel::Still => {
                        "the clip has no travel: it does not move the body as a whole".to_owned()
                    }
                    NoTravel::NoRoot => {
                        format!(
                            "{hips} has no ancestor that could carry the travel; use “in place” \
                                instead"
                        )
                    }
                    NoTravel::NotAbove => {
                        format!("{} is not an ancestor of {hips}; name a node above it", name(root))
                    }
                    NoTravel::RootStill => {
                        format!(
                            "no ancestor of {hips} is animated, so there is no travel to move into \
                                it"
                        )
                    }
                },
            )
        })?;
        let before =
            found.as_ref().and_then(travel_in_words).unwrap_or_else(|| "no travel".to_owned());
        let goes = match (self.to, made.root) {
            (TravelGoes::Root, Some(root)) => {
                format!("was moved to {}", document.node(root).label(root))
            }
            (TravelGoes::InPlace, _) => "was removed".to_owned(),
            _ => "was moved to the hips".to_owned(),
        };
        let (off, angle) = made.error;
        let error = if off > 1e-5 || angle > 1e-4 {
            format!(
                "; between keys, the max error is {:.2} mm on the skin and {:.2}° in a joint",
                off * 1e3,
                angle.to_degrees()
            )
        } else {
            String::new()
        };
        let said = format!("travel from start to end ({before}) {goes}{error}");
        Ok(put(id, made.clip, [Notice::new("travel_moved", said)]))
    }
}

/// How a seam is, in words.
pub fn seam_in_words(found: &Seam) -> String {
    let (angle, distance, speed) = found.worst();
    let gap = format!("{:.1}° and {:.1} cm", angle.to_degrees(), distance * 100.0);
    match (found.is_closed, found.is_doubled, found.is_short) {
        (true, true, _) => "its last two frames are the same".to_owned(),
        (true, ..) if speed > 0.05 => {
            format!("its poses match at the seam, but the speed jumps by {:.0} cm/s", speed * 100.0)
        }
        (true, ..) => "it is seamless".to_owned(),
        (false, _, true) => format!("it stops one frame short ({gap} at the seam)"),
        (false, ..) => format!("it jumps by {gap} at the seam"),
    }
}

/// How long a frame of a clip is, seconds: of the rate that is kept with it, else of the one that
/// its keys fit, else as far as the keys of its fullest track are apart, else a thirtieth.
pub fn frame_of(clip: &Clip) -> f64 {
    /// Fewer keys on frames than this share are no fit.
    const FIT: f32 = 0.9;
    if let Some(rate) = clip.rate {
        return 1.0 / rate;
    }
    if let Some((fps, _)) = clip.guess_fps().filter(|(_, share)| *share >= FIT) {
        return 1.0 / fps;
    }
    let fullest = clip.tracks.values().max_by_key(|t| t.times.len());
    let mut gaps: Vec<f32> =
        fullest.iter().flat_map(|t| t.times.windows(2).map(|w| w[1] - w[0])).collect();
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).map_or(1.0 / 30.0, |gap| f64::from(*gap))
}

impl CloseLoop {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let (id, clip, (_, last)) = whole(document, &self.clip)?;
        let frame = frame_of(clip);
        let late = late_start(clip) + &open_layers(&layers_of(document, id), last);
        let Some(found) = seam(document, clip, frame) else {
            return Err(argument(
                "clip_has_no_length",
                "a clip needs keys at two or more times to be a loop".to_owned(),
            ));
        };
        let frames = self.frames.unwrap_or(5).clamp(1, 100_000) as u32;
        let speed = self.speed.unwrap_or(true);
        let how = match (self.how, self.frames) {
            (Some(CloseHow::Match), _) => Closing::Match,
            (Some(CloseHow::Blend), _) | (None, Some(_)) => Closing::Blend { frames, speed },
            (Some(CloseHow::AddFrame), _) => Closing::AddFrame,
            (Some(CloseHow::DropFrame), _) => Closing::DropFrame,
            (None, None) if found.is_doubled => Closing::DropFrame,
            (None, None) if found.is_closed && self.speed != Some(true) => {
                return Ok(Outcome::noted("loop_closed_already", seam_in_words(&found) + &late));
            }
            (None, None) if found.is_short => Closing::AddFrame,
            (None, None) => Closing::Blend { frames, speed },
        };
        let made =
            closed(clip, how, frame, found.travels).map_err(|e| too_close(document, id, e))?;
        if made == **clip {
            let note = format!("nothing was changed: {}", unclosed_in_words(&found, how));
            return Ok(Outcome::noted("nothing_to_change", note));
        }
        let Some(now) = seam(document, &made, frame) else {
            return Err(argument(
                "clip_has_no_length",
                "the loop is too short to remove a frame".to_owned(),
            ));
        };
        let jumps = [clip, &made].map(|c| speed_jump(document, c, frame, found.travels));
        if let Some(worse) = worse_in_words(&found, &now, (how, jumps)) {
            return Err(argument("loop_would_open", worse));
        }
        let mut said = format!("before: {}; now: {}", seam_in_words(&found), seam_in_words(&now));
        if matches!(how, Closing::Blend { speed: true, .. }) && jumps[0] > 1e-3 {
            let [was, is] = jumps.map(|j| j * 100.0);
            said += &format!("; speed jump at the seam: {was:.1} cm/s before, {is:.1} cm/s now");
        }
        let jump = new_jump(document, &[clip], &made, frame);
        let jump = jump.map(|jump| Notice::new("motion_jumps", jump.in_words(document)));
        Ok(put(id, made, [Notice::new("loop_closed", said + &late)].into_iter().chain(jump)))
    }
}

/// What is said of layers that are not at the end of a clip as they are at its start; empty where
/// all are.
fn open_layers(layers: &PoseLayers, last: f32) -> String {
    let far = |a: &Transform, b: &Transform| {
        let (way, scale) =
            (a.translation.distance(b.translation), (a.scale - b.scale).abs().max_element());
        way > 1e-4 || scale > 1e-3 || !is_turned_less(a.rotation, b.rotation, 1e-3)
    };
    let is_open = |layer: &&PoseLayer| {
        layer.is_keyed()
            && layer.nodes().into_iter().any(|node| {
                let at = |time: f64| added_at(layer, node, time).unwrap_or_default();
                far(&at(0.0), &at(f64::from(last)))
            })
    };
    let open: Vec<String> =
        layers.counting().filter(is_open).map(|l| format!("“{}”", l.name)).collect();
    match open.len() {
        0 => String::new(),
        _ => format!(
            "; not closed, because the keys of a layer differ at both ends: {}; bake it with \
                layer.fold before closing the loop",
            open.join(", ")
        ),
    }
}

/// What is said of a loop whose first key comes later than 0; empty where it does not.
fn late_start(clip: &Clip) -> String {
    match key_span(clip) {
        Some((first, _)) if first > clip_edit::SAME_TIME => format!(
            "; every cycle holds the first pose from 0 s to the first key at {first:.3} s: use \
                “Start at 0” (clip.start_at_zero) to start the loop at that key"
        ),
        _ => String::new(),
    }
}

/// Why closing a loop changes nothing.
fn unclosed_in_words(found: &Seam, how: Closing) -> &'static str {
    match how {
        Closing::Blend { speed: true, .. } if found.is_closed => {
            "poses and speed already match at the seam"
        }
        Closing::Blend { .. } if found.is_closed => {
            "the poses already match at the seam; set “speed” to true to match the speed, too"
        }
        Closing::Match if found.is_closed => "the poses already match at the seam",
        _ => "there is no animated key at the seam",
    }
}

/// What of a seam would be worse than it was, and what can be done instead; nothing where nothing
/// is.
fn worse_in_words(was: &Seam, is: &Seam, (how, speeds): (Closing, [f32; 2])) -> Option<String> {
    /// What measuring rounds: radians, meters, and meters a second.
    const ROUNDED: (f32, f32, f32) = (1e-3, 1e-4, 1e-3);
    let (a, b) = (was.worst(), is.worst());
    if was.travels.is_none() && is.travels.is_some() {
        return Some(format!(
            "that would open the loop: the body would end at another place than where it starts; \
                {}",
            instead_of(how)
        ));
    }
    if b.0 > a.0 + ROUNDED.0 || b.1 > a.1 * 1.001 + ROUNDED.1 {
        return Some(format!(
            "that would open the loop: the seam would jump by {:.1}° and {:.1} cm instead of \
                {:.1}° and {:.1} cm; {}",
            b.0.to_degrees(),
            b.1 * 100.0,
            a.0.to_degrees(),
            a.1 * 100.0,
            instead_of(how)
        ));
    }
    let only_speed = matches!(how, Closing::Blend { speed: true, .. }) && was.is_closed;
    (only_speed && speeds[1] > speeds[0] + ROUNDED.2).then(|| {
        format!(
            "the speed at the seam would jump by {:.1} cm/s instead of {:.1} cm/s; increase \
                “frames”",
            speeds[1] * 100.0,
            speeds[0] * 100.0
        )
    })
}

/// What can be done where a way to close a loop opens it.
const fn instead_of(how: Closing) -> &'static str {
    match how {
        Closing::DropFrame => "the last frame is not a duplicate; keep it",
        _ => "use another method, such as “match” or “blend”",
    }
}
