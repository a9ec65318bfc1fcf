//! Commands on the mix: clips on lanes, gone over from one to the next and played together; and
//! what plays as a new clip.

use std::{cell::RefCell, sync::Arc};

use serde_json::Value;

use super::{
    CommandError, Outcome, Scene,
    arguments::{NodeTexts, clip_text, find_clip, find_nodes},
    clips::free_clip_name,
    define::document_commands,
    field::{ClipName, Nodes, Seconds, choice},
    keys::clip_of,
};
use crate::Edit;
use ulna_model::{
    Clip, ClipId, Document, Enter, InStep, Marker, MarkerColor, Mix, MixBar, MixLane, MixMask,
    Notice, SceneId, Shared, SharedWeak, TrackId, Tree, meant_rate, rate_in_words,
};
use ulna_motion::{
    Jump, Mixer, Playing, SeenPoints, baked, baked_error, best_seams,
    clip_edit::{TravelParts, TravelTo, move_travel, reduced},
    footfalls, jumps, known_feet,
};

document_commands! {
    /// Commands on the mix.
    MixCommand in "Clip/Mix";

    /// Replaces all lanes of the mix
    SetMix {
        /// The mix: its lanes, each with its bars.
        mix: MixText,
    } = "mix.set", "Set the mix", asks: true;
    /// Removes all lanes
    ClearMix {} = "mix.clear", "Clear the mix";
    /// Adds a transition to a clip: now, at the end, at the next marker or at the best seam
    GoTo {
        /// Clip to change to.
        clip: ClipName,
        /// Current time of the mix, in seconds.
        time: Seconds,
        /// Start of the transition; now if omitted.
        when: Option<GoWhen>,
        /// Kind of transition; a cross-fade if omitted.
        how: Option<EnterHow>,
        /// Length of the transition, in seconds; 0.25 if omitted.
        fade: Option<Seconds>,
        /// Lane of the clip; the lowest if omitted.
        lane: Option<String>,
    } = "mix.go", "Transition to a clip", asks: true;
    /// Plays one clip on the upper body and another clip on the rest of the body
    PlayOver {
        /// Clip of the whole body.
        clip: ClipName,
        /// Clip of the upper body.
        over: ClipName,
        /// First joint of the upper body, with its descendants; found automatically if omitted.
        node: Option<Nodes>,
        /// Start in the mix, in seconds; 0 if omitted.
        time: Option<Seconds>,
    } = "mix.over", "Overlay the upper body", asks: true;
    /// Bakes the mix to a new clip
    BakeMix {
        /// Name.
        name: Option<String>,
        /// Frames per second; the highest frame rate of its clips if omitted.
        rate: Option<f32>,
        /// Largest error of the skin, in millimeters on a body of 1.8 m; 1 if omitted, and 0 keeps
        /// all keys.
        millimetres: Option<f32>,
        /// Whether to remove the travel over the ground.
        in_place: Option<bool>,
    } = "mix.bake", "Bake the mix to a clip";
    /// Saves the mix in the file, or removes it
    KeepMix {
        /// Whether to save the mix in the file; yes if omitted.
        on: Option<bool>,
    } = "mix.keep", "Save the mix in the file";
    /// Adds markers L and R at the footsteps of a clip
    MarkFootfalls {
        /// Clip to edit.
        clip: ClipName,
    } = "clip.footfalls", "Mark footsteps", asks: true;
}

choice! {
    /// When a clip comes in.
    GoWhen {
        /// At once.
        Now = "now",
        /// Where the clip that plays ends.
        End = "end",
        /// At the next marker of the clip that plays.
        Marker = "marker",
        /// Where the one that plays and the one that comes are most alike, from there on.
        Seam = "seam",
    }
}

choice! {
    /// How a clip comes in.
    EnterHow {
        /// Its weight rises; the other goes on below.
        Fade = "fade",
        /// Its weight rises over the pose that is there.
        Frozen = "frozen",
        /// From the last key of the one to the first of the other.
        Keys = "keys",
        /// At once; the difference dies away with its velocity.
        Inertial = "inertial",
        /// At once.
        Cut = "cut",
    }
}

impl From<EnterHow> for Enter {
    fn from(how: EnterHow) -> Self {
        match how {
            EnterHow::Fade => Self::Fade,
            EnterHow::Frozen => Self::Frozen,
            EnterHow::Keys => Self::Keys,
            EnterHow::Inertial => Self::Inertial,
            EnterHow::Cut => Self::Cut,
        }
    }
}

/// A mix as text: clips and joints by name.
pub type NamedMix = Mix<String, String>;

/// A mix, or a text of one.
#[derive(Clone, Debug, PartialEq)]
pub enum MixText {
    /// This.
    Mix(Shared<Mix>),
    /// As it is written.
    Text(Value),
}

super::field::field!(
    MixText,
    super::ArgumentType::Text,
    |from, name| from.value(name).map(|v| Self::Text(v.clone())),
    |v, document| match v {
        Self::Text(text) => text.clone(),
        // Names and plain numbers always have a text.
        Self::Mix(mix) => serde_json::to_value(named_mix(document, mix)).unwrap_or_default(),
    }
);

/// The same mix with names for ids.
pub fn named_mix(document: &Document, mix: &Mix) -> NamedMix {
    let texts = NodeTexts::of(document);
    let named = mix.renamed::<String, String, std::convert::Infallible>(
        &mut |clip| Ok(clip_text(document, *clip)),
        &mut |node| Ok(texts.text(*node)),
    );
    match named {
        Ok(mix) => mix,
    }
}

/// The mix that a text means, a JSON object or the text of one.
///
/// # Errors
/// Where it is none, or names what is not there: a sentence.
pub fn read_mix(document: &Document, text: &Value) -> Result<Mix, String> {
    let named: Result<NamedMix, _> = match text {
        Value::String(text) => serde_json::from_str(text),
        // A list would be read as the members in their order.
        Value::Array(_) => {
            return Err(
                "the mix is invalid: it is a list, but must be an object with “lanes”".to_owned()
            );
        }
        other => serde_json::from_value(other.clone()),
    };
    let named = named.map_err(|e| format!("the mix is invalid: {e}"))?;
    if let Some(fault) = named.fault() {
        return Err(fault);
    }
    found_mix(document, &named)
}

/// A clip of this document by its name; one that was removed since it was opened by its `#index`,
/// as a mix that still names it writes it.
fn find_clip_of_mix(document: &Document, name: &str) -> Result<ClipId, String> {
    let found = find_clip(document, name).map_err(|e| e.to_string());
    let gone = name.strip_prefix('#').and_then(|n| n.parse().ok()).map(ClipId);
    match (found, gone.filter(|id| *id < document.clips.next_id())) {
        (Err(_), Some(gone)) => Ok(gone),
        (found, _) => found,
    }
}

/// A mix of names in this document.
///
/// # Errors
/// The first name that is not there, or is there twice.
pub fn found_mix(document: &Document, named: &NamedMix) -> Result<Mix, String> {
    named.renamed(&mut |clip| find_clip_of_mix(document, clip), &mut |node| match find_nodes(
        document, node,
    )
    .map_err(|e| e.to_string())?[..]
    {
        [one] => Ok(one),
        _ => Err(format!("“{node}” matches several nodes; use the path or the #index of one")),
    })
}

/// The mix that is worked on: as it was changed, else as the file keeps it.
pub fn mix_of(document: &Document) -> Option<Shared<Mix>> {
    if let Some(mix) = &document.aids.mix {
        return Some(mix.clone());
    }
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.as_ref())?;
    // It is asked for many times a frame, and names are looked for among all nodes.
    FOUND.with_borrow_mut(|found| {
        if let Some((_, mix)) = found.as_ref().filter(|(of, _)| of.is_of(document, kept)) {
            return Some(mix.clone());
        }
        let mix = Shared::new(kept_mix(document, kept).0);
        *found = Some((FoundIn::new(document, kept), mix.clone()));
        Some(mix)
    })
}

thread_local! {
    /// The mix that was found last of what a file keeps.
    static FOUND: RefCell<Option<(FoundIn, Shared<Mix>)>> = const { RefCell::new(None) };
}

/// What a mix that a file keeps is found from: the names of clips and nodes.
struct FoundIn {
    kept: SharedWeak<NamedMix>,
    tree: Shared<Tree>,
    nodes: Vec<Option<Arc<str>>>,
    clips: Vec<(ClipId, Option<Arc<str>>)>,
}

impl FoundIn {
    fn new(document: &Document, kept: &Shared<NamedMix>) -> Self {
        Self {
            kept: Shared::downgrade(kept),
            tree: document.nodes.tree().clone(),
            nodes: document.nodes.slots().map(|n| n.and_then(|n| n.name.clone())).collect(),
            clips: document.clips.iter().map(|(id, c)| (id, c.name.clone())).collect(),
        }
    }

    fn is_of(&self, document: &Document, kept: &Shared<NamedMix>) -> bool {
        let is_same = |a: &Option<Arc<str>>, b: Option<&Arc<str>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        };
        let nodes = document.nodes.slots().map(|n| n.and_then(|n| n.name.as_ref()));
        self.kept.is(kept)
            && self.tree == *document.nodes.tree()
            && self.clips.len() == document.clips.count()
            && self
                .clips
                .iter()
                .zip(document.clips.iter())
                .all(|((a, name), (b, clip))| *a == b && is_same(name, clip.name.as_ref()))
            && self.nodes.len() == nodes.len()
            && self.nodes.iter().zip(nodes).all(|(a, b)| is_same(a, b))
    }
}

/// A mix that a file keeps, without the bars and masks whose clips and joints are not there; and
/// their names.
fn kept_mix(document: &Document, named: &NamedMix) -> (Mix, Vec<String>) {
    if let Ok(mix) = found_mix(document, named) {
        return (mix, Vec::new());
    }
    let mut gone: Vec<String> = Vec::new();
    let mut here = named.clone();
    let is_clip = |name: &String| find_clip(document, name).is_ok();
    let is_node = |name: &String| find_nodes(document, name).is_ok_and(|found| found.len() == 1);
    let mended = |mask: &mut Option<MixMask<String>>, gone: &mut Vec<String>| match mask {
        Some(MixMask::Below { joint, .. }) if !is_node(joint) => {
            gone.push(joint.clone());
            // Where it counted is not known: nowhere, and not everywhere.
            *mask = Some(MixMask::Painted(Default::default()));
        }
        Some(MixMask::Painted(list)) => {
            gone.extend(list.keys().filter(|n| !is_node(n)).cloned());
            list.retain(|n, _| is_node(n));
        }
        _ => {}
    };
    for lane in &mut here.lanes {
        mended(&mut lane.mask, &mut gone);
        for bar in &mut lane.bars {
            mended(&mut bar.mask, &mut gone);
            gone.extend(bar.clips().filter(|c| !is_clip(c)).cloned());
            bar.plays.retain(is_clip);
        }
        lane.bars.retain(|bar| bar.clips().next().is_some() && bar.clips().all(is_clip));
    }
    gone.sort();
    gone.dedup();
    (found_mix(document, &here).unwrap_or_default(), gone)
}

/// What a mix that the file keeps names and is not there.
pub fn gone_of_kept_mix(document: &Document) -> Vec<String> {
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.clone());
    kept.map(|kept| kept_mix(document, &kept).1).unwrap_or_default()
}

/// Whether there is a mix that no file holds.
pub fn is_mix_loose(document: &Document) -> bool {
    document.aids.mix.as_ref().is_some_and(|m| m.length() > 0.0) && !is_mix_kept(document)
}

/// Whether the file keeps the mix as it is.
pub fn is_mix_kept(document: &Document) -> bool {
    let kept = scene_of(document).and_then(|s| document.scenes.get(s)?.mix.as_ref());
    match (&document.aids.mix, kept) {
        (None, kept) => kept.is_some(),
        (Some(mix), Some(kept)) => named_mix(document, mix) == **kept,
        (Some(_), None) => false,
    }
}

fn scene_of(document: &Document) -> Option<SceneId> {
    document.scene.or_else(|| document.scenes.ids().next())
}

fn sentence(code: &'static str, text: impl Into<String>) -> CommandError {
    CommandError::other(code, text)
}

fn put(mix: Mix) -> Outcome {
    Outcome { edits: vec![Edit::SetMix { to: Some(Shared::new(mix)) }], ..Outcome::default() }
}

/// A mix with something on it.
fn there(document: &Document) -> Result<Shared<Mix>, CommandError> {
    let none = || sentence("no_mix", "the mix is empty; add a clip to a lane first".to_owned());
    mix_of(document).filter(|m| m.length() > 0.0).ok_or_else(none)
}

impl SetMix {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        match &self.mix {
            MixText::Mix(mix) => match mix.fault() {
                Some(fault) => Err(sentence("mix_unsound", fault)),
                None => Ok(Outcome {
                    edits: vec![Edit::SetMix { to: Some(mix.clone()) }],
                    ..Outcome::default()
                }),
            },
            MixText::Text(text) => read_mix(scene.document, text)
                .map(put)
                .map_err(|fault| sentence("mix_unsound", fault)),
        }
    }
}

impl ClearMix {
    #[expect(clippy::unnecessary_wraps, reason = "all commands have this form")]
    fn work(&self, _: &Scene<'_>) -> Result<Outcome, CommandError> {
        Ok(put(Mix::default()))
    }
}

impl GoTo {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let clip = self.clip.find(document)?;
        let length = f64::from(clip_of(document, clip)?.length());
        let mut mix = (*mix_of(document).unwrap_or_default()).clone();
        let covers = |l: &MixLane| {
            l.additive.is_none() && self.lane.as_ref().is_none_or(|name| *name == *l.name)
        };
        let lane = match (mix.lanes.iter().position(covers), &self.lane) {
            (Some(at), _) => at,
            (None, Some(name)) => {
                return Err(sentence(
                    "no_such_lane",
                    format!("there is no lane “{name}” that covers the lanes below it"),
                ));
            }
            (None, None) => {
                mix.lanes.insert(0, MixLane::new("Body"));
                0
            }
        };
        let now = f64::from(self.time.0);
        if !now.is_finite() || now < 0.0 {
            return Err(sentence(
                "argument_out_of_range",
                format!("“time” is {now} s, but must be 0 s or more"),
            ));
        }
        let (start, enters) = self.when_of(document, &mix, lane, now, clip);
        let fade = f64::from(self.fade.map_or(0.25, |f| f.0));
        let bars = &mut mix.lanes[lane].bars;
        let fade = if bars.is_empty() { 0.0 } else { fade };
        let by_seam = self.when == Some(GoWhen::Seam);
        let in_step = bars
            .iter()
            .rfind(|b| b.start <= start && b.end() >= start)
            .map_or(InStep::Free, |b| b.in_step);
        // In step it would begin elsewhere than at its seam.
        let in_step = if by_seam { InStep::Free } else { in_step };
        let ends =
            bars.iter().map(MixBar::end).fold(start + length.max(0.5) * 2.0 + fade, f64::max);
        let enter = self.how.map_or(Enter::Fade, Enter::from);
        let offset = enters;
        bars.push(MixBar {
            fade_in: fade,
            enter,
            in_step,
            offset,
            ..MixBar::new(clip, start, ends - start)
        });
        match mix.fault() {
            Some(fault) => Err(sentence("mix_unsound", fault)),
            None => Ok(put(mix)),
        }
    }

    /// When it comes in, a function of what plays on the lane now; and where in itself it begins.
    fn when_of(
        &self,
        document: &Document,
        mix: &Mix,
        lane: usize,
        now: f64,
        to: ClipId,
    ) -> (f64, f64) {
        let shared = Shared::new(mix.clone());
        let playing = Mixer::default().playing(document, &shared, now);
        let heaviest =
            playing.iter().filter(|p| p.lane == lane).max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some((playing, clip)) = heaviest.and_then(|p| Some((p, document.clips.get(p.clip)?)))
        else {
            return (now, 0.0);
        };
        let length = f64::from(clip.length());
        if length <= 0.0 {
            return (now, 0.0);
        }
        let once = !mix.lanes[lane].bars[playing.bar].repeat;
        let mut enters = 0.0;
        let left = match self.when.unwrap_or(GoWhen::Now) {
            GoWhen::Now => 0.0,
            GoWhen::End => length - playing.time,
            GoWhen::Marker => {
                let marks = clip.markers.iter().map(|m| f64::from(m.time) - playing.time);
                // What plays once never comes to what it has passed.
                let ahead = marks.filter(|m| !once || *m >= 0.0).map(|m| m.rem_euclid(length));
                let ahead = ahead.fold(f64::INFINITY, f64::min);
                if ahead.is_finite() { ahead } else { length - playing.time }
            }
            GoWhen::Seam => match best_seams(document, &[playing.clip], &[to], &|_| true).first() {
                Some(seam) => {
                    enters = seam.enter;
                    let ahead = seam.leave - playing.time;
                    // What plays once is past it, or comes to it.
                    if once && ahead < 0.0 { 0.0 } else { ahead.rem_euclid(length) }
                }
                None => 0.0,
            },
        };
        (when_gone(document, &shared, (lane, playing), (now, length, left)), enters)
    }
}

/// When a clip that plays at a time has gone on by so many of its seconds: as fast as it plays, in
/// step with others too. It is where the time is where it does not go on.
fn when_gone(
    document: &Document,
    mix: &Shared<Mix>,
    (lane, playing): (usize, &Playing),
    (now, length, left): (f64, f64, f64),
) -> f64 {
    /// Seconds of the mix that are looked at.
    const LONGEST: f64 = 120.0;
    const STEP: f64 = 1.0 / 60.0;
    let mut mixer = Mixer::default();
    let mut time_at = |time: f64| {
        let all = mixer.playing(document, mix, time);
        let same = |p: &&Playing| (p.lane, p.bar, p.clip) == (lane, playing.bar, playing.clip);
        all.iter().find(same).map(|p| p.time)
    };
    let (mut at, mut was, mut gone) = (now, playing.time, 0.0);
    while at < now + LONGEST && left > gone {
        let Some(time) = time_at(at + STEP) else { return at };
        let way = time - was;
        let way = if way < -0.5 * length { way + length } else { way };
        if way <= 0.0 {
            return if gone > 0.0 { at } else { now };
        }
        if gone + way >= left {
            return at + STEP * (left - gone) / way;
        }
        (at, was, gone) = (at + STEP, time, gone + way);
    }
    at
}

impl PlayOver {
    /// Whether a clip plays on the lowest lane at a time.
    fn plays(document: &Document, mix: &Mix, (clip, time): (ClipId, f64)) -> bool {
        let lowest = mix.lanes.iter().position(|l| l.additive.is_none());
        let playing = Mixer::default().playing(document, &Shared::new(mix.clone()), time);
        playing.iter().any(|p| Some(p.lane) == lowest && p.clip == clip)
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let joint = match &self.node {
            None => None,
            Some(nodes) => match nodes.all(document)?[..] {
                [one] => Some(one),
                _ => {
                    return Err(sentence(
                        "one_node_wanted",
                        "name exactly one joint as “node”; the upper clip plays on it and its \
                            descendants"
                            .to_owned(),
                    ));
                }
            },
        };
        let (clip, over) = (self.clip.find(document)?, self.over.find(document)?);
        let lengths = [clip, over].map(|c| clip_of(document, c).map(|c| f64::from(c.length())));
        let [below, above] = lengths;
        let (below, above) = (below?.max(0.1), above?.max(0.1));
        let start = f64::from(self.time.map_or(0.0, |t| t.0)).max(0.0);
        let mut mix = (*mix_of(document).unwrap_or_default()).clone();
        let is_bare = mix.lanes.iter().all(|l| l.bars.is_empty());
        let long = if is_bare { below.max(above) * 2.0 } else { above.max(mix.length() - start) };
        if is_bare {
            mix.lanes = vec![MixLane {
                bars: vec![MixBar::new(clip, 0.0, start + long)],
                ..MixLane::new("Body")
            }];
        }
        if !is_bare && !Self::plays(document, &mix, (clip, start)) {
            let ends = mix.length().max(start + long);
            match mix.lanes.iter_mut().find(|l| l.additive.is_none()) {
                Some(lane) => {
                    lane.bars
                        .push(MixBar { fade_in: 0.25, ..MixBar::new(clip, start, ends - start) });
                }
                None => mix.lanes.insert(
                    0,
                    MixLane {
                        bars: vec![MixBar::new(clip, start, ends - start)],
                        ..MixLane::new("Body")
                    },
                ),
            }
        }
        let mask = joint.map_or(MixMask::Upper, |joint| MixMask::Below { joint, falloff: 1 });
        let bar = MixBar { fade_in: 0.15, fade_out: 0.15, ..MixBar::new(over, start, long) };
        let place = mix.lanes.iter().position(|l| l.additive.is_some()).unwrap_or(mix.lanes.len());
        mix.lanes.insert(
            place,
            MixLane { mask: Some(mask), bars: vec![bar], ..MixLane::new("Upper body") },
        );
        Ok(put(mix))
    }
}

/// Jumps of a mix in words, without a full stop; `None` where there are none.
pub fn jumps_in_words(document: &Document, jumps: &[Jump]) -> Option<String> {
    /// Jumps that are told one by one.
    const MOST: usize = 3;
    let one = |jump: &Jump| {
        let (node, centimeters) = (document.node(jump.node).label(jump.node), jump.meters * 100.0);
        format!("at {:.3} s (“{node}” by {centimeters:.1} cm and {:.0}°)", jump.time, jump.degrees)
    };
    let told: Vec<String> = jumps.iter().take(MOST).map(one).collect();
    let more = match jumps.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!told.is_empty()).then(|| format!("the pose jumps {}{more}", told.join(", ")))
}

/// Frames a second at which a mix is baked where nobody says: of its clips, that of the one that
/// has most.
pub fn mix_rate(document: &Document) -> f64 {
    /// Of a mix whose clips have no rate.
    const USUAL: f64 = 30.0;
    /// Fewer keys on frames than this share are no fit.
    const FIT: f32 = 0.9;
    let Some(mix) = mix_of(document) else { return USUAL };
    let bars = mix.lanes.iter().flat_map(|lane| &lane.bars);
    let clips = bars.flat_map(|bar| bar.clips()).filter_map(|id| document.clips.get(*id));
    let rates =
        clips.filter_map(|c| c.guess_fps().filter(|(_, share)| c.rate.is_some() || *share >= FIT));
    let most = rates.map(|(rate, _)| rate).fold(0.0, f64::max);
    if most > 0.0 { most } else { USUAL }
}

impl BakeMix {
    /// At how many frames a second it is baked: as it is said, else as the fastest of its clips
    /// has.
    fn rate(&self, document: &Document) -> f64 {
        self.rate.map_or_else(|| mix_rate(document), |rate| meant_rate(f64::from(rate)))
    }

    /// Poses of a node that it looks at.
    pub(super) fn samples(&self, document: &Document) -> f64 {
        let length = mix_of(document).map_or(0.0, |mix| mix.length());
        length * self.rate(document) * document.nodes.len() as f64
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mix = there(document)?;
        let rate = self.rate(document);
        let bound = self.millimetres.unwrap_or(1.0);
        if !(1.0..=1000.0).contains(&rate) {
            return Err(sentence(
                "argument_out_of_range",
                format!("“rate” is {rate}, but must be 1 to 1000 frames per second"),
            ));
        }
        if !(0.0..=1000.0).contains(&bound) {
            return Err(sentence(
                "argument_out_of_range",
                format!("“millimetres” is {bound}, but must be 0 to 1000"),
            ));
        }
        let span = (0.0, mix.length());
        /// More is no clip that anyone keeps; it is said before it takes minutes.
        const MOST: f64 = 1e6;
        if span.1 * rate > MOST {
            return Err(sentence(
                "mix_out_of_bounds",
                format!(
                    "{:.0} s at {rate} frames per second would be too many keys; bake at a lower \
                        rate",
                    span.1
                ),
            ));
        }
        let made = Shared::new(baked(document, &mix, span, rate));
        if made.tracks.is_empty() {
            return Err(sentence(
                "mix_is_still",
                "the mix has no motion: its clips have no keys, or were removed".to_owned(),
            ));
        }
        let seen = SeenPoints::of(document, SeenPoints::MANY);
        let off = baked_error(document, &mix, span, &made, (&seen, rate));
        let mut said = format!(
            "{:.2} s at {} frames per second; max error of {} between frames: {:.2} mm",
            span.1,
            rate_in_words(rate),
            seen.label(),
            off * 1000.0
        );
        let mut clip = (*made).clone();
        if self.in_place == Some(true) {
            let parts = TravelParts { ground: true, height: false, turn: false };
            match move_travel(document, &clip, TravelTo::InPlace, parts, None) {
                Ok(moved) => clip = moved.clip,
                Err(_) => said += "; there was no travel over the ground to remove",
            }
        }
        if bound > 0.0 {
            let less = reduced(document, &clip, bound / 1000.0);
            said += &format!(
                "; {} of {} keys kept, max error {:.2} mm on a body 1.8 m tall",
                less.keys[1],
                less.keys[0],
                less.error * 1000.0
            );
            clip = less.clip;
        }
        let jumps = jumps_in_words(document, &jumps(document, &mix, span));
        let jumps = jumps.map(|jumps| Notice::new("motion_jumps", format!("warning: {jumps}")));
        let name = free_clip_name(document, self.name.as_deref().unwrap_or("Mix"));
        let tracks =
            clip.tracks.into_values().enumerate().map(|(k, t)| (TrackId(k as u32), t)).collect();
        let clip =
            Clip { name: Some(name.as_str().into()), tracks, ..Clip::default() }.counted_at(rate);
        let edit = Edit::SetClip { clip: document.clips.next_id(), to: Some(Shared::new(clip)) };
        let notes = [Notice::new("mix_baked", format!("{name}: {said}"))]
            .into_iter()
            .chain(jumps)
            .collect();
        Ok(Outcome { edits: vec![edit], notes, ..Outcome::default() })
    }
}

impl KeepMix {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let place = scene_of(document).ok_or_else(|| {
            sentence(
                "no_scene",
                "this file has no scene, so the mix cannot be saved in it; copy the mix as text \
                    instead"
                    .to_owned(),
            )
        })?;
        let mut edits = Vec::new();
        let to = if self.on.unwrap_or(true) {
            let mix = there(document)?;
            let clips = mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips);
            // Numbers are others when clips before them go.
            if let Some(id) = clips.copied().find(|id| clip_text(document, *id).starts_with('#')) {
                let why = if document.clips.contains(id) {
                    format!("{} has no unique name; rename it first", document.clip_label(id))
                } else {
                    "one of its bars plays a clip that was removed; remove the bar first".to_owned()
                };
                return Err(sentence(
                    "mix_not_found_again",
                    format!(
                        "the clips of the mix could not be found again when the file is opened: \
                            {why}"
                    ),
                ));
            }
            Some(Shared::new(named_mix(document, &mix)))
        } else {
            // It is out of the file, not out of the window.
            if let (None, Some(mix)) = (&document.aids.mix, mix_of(document)) {
                edits.push(Edit::SetMix { to: Some(mix) });
            }
            None
        };
        edits.push(Edit::SetKeptMix { scene: place, to });
        Ok(Outcome { edits, ..Outcome::default() })
    }
}

impl MarkFootfalls {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id: ClipId = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let falls = footfalls(document, clip);
        if falls.is_empty() {
            let label = document.clip_label(id);
            let why = match known_feet(document) {
                (0, _) => {
                    "no feet were found by joint name, by humanoid map or by the shape of the legs"
                }
                (_, 0) => {
                    "its left and right foot cannot be told apart; add “left” and “right” to \
                    the joint names"
                }
                _ => "its feet never leave the ground, so there are no steps",
            };
            return Err(sentence("no_footfalls", format!("no footsteps found in {label}: {why}")));
        }
        let kept = clip.markers.iter().filter(|m| !matches!(&*m.name, "L" | "R")).cloned();
        let new = falls.iter().map(|(time, side)| Marker {
            time: *time as f32,
            name: (*side).into(),
            color: MarkerColor::Violet,
        });
        let markers: Shared<[Marker]> = Marker::in_order(kept.chain(new).collect()).into();
        let to = Clip { markers, ..(**clip).clone() };
        let notes = vec![Notice::new("steps_marked", format!("{} steps marked", falls.len()))];
        Ok(Outcome {
            edits: vec![Edit::SetClip { clip: id, to: Some(Shared::new(to)) }],
            notes,
            ..Outcome::default()
        })
    }
}
