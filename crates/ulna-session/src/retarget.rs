//! Retargets clips of other files with a map of joint chains: chooses the map, makes the command
//! that adds the clips, and collects notes for the user.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    Session,
    import::{ClipSource, ImportError, files_meant, is_meant, name_here, some},
    retarget_maps::{fitting_map, map_used, retargeted},
};
use ulna_edit::command::{ClipTexts, PutClips, TakenName, slides_in_words};
use ulna_formats::{
    gltf::{Progress, ReadError},
    import::Conversion,
};
use ulna_model::{
    Clip, ClipId, Document, Goal, NodeId, Notice, RetargetChain, RetargetMap, Shared,
};
use ulna_motion::retarget::{
    ContactSlide, Retarget, RetargetError, RetargetKeys, Retargeted, guess_map, table_node,
};

/// Sliding of a foot or hand during a contact that is visible, in meters.
pub const VISIBLE_SLIDE: f32 = 0.005;

/// Notation of options in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptionNotation {
    /// As a member of a command in JSON, such as “map”.
    #[default]
    Script,
    /// As on the command line, such as `--map`.
    CommandLine,
}

impl OptionNotation {
    fn option(self, name: &str) -> String {
        match self {
            Self::Script => format!("“{name}”"),
            Self::CommandLine => format!("--{name}"),
        }
    }
}

/// Retarget that the command line or a script requests.
#[derive(Clone, Debug, Default)]
pub struct RetargetRequest {
    /// Path of a file or folder, or a pattern with `*`.
    pub path: PathBuf,
    /// Pattern for the names of clips to retarget; `None` takes all clips.
    pub only: Option<String>,
    /// Map to use. If `None`, a fitting map of the open file is used, else a detected one.
    pub map: Option<RetargetMap>,
    /// Handling of a clip name that already exists.
    pub taken: Option<TakenName>,
    /// Whether feet are locked during contacts; `None` follows the map.
    pub lock: Option<bool>,
    /// Factor for the path over the ground; `None` follows the map.
    pub stride: Option<f32>,
    /// Method of creating the keys of the clips.
    pub keys: RetargetKeys,
    /// Whether joints that one of the models lacks are removed from the map. Otherwise, such a map
    /// is refused.
    pub force: bool,
    /// Notation of the options above in messages.
    pub notation: OptionNotation,
}

/// Origin of a retarget map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapOrigin {
    /// The request contains the map.
    Given,
    /// The open file stores the map.
    Kept,
    /// The map was detected from names and shape.
    Guessed,
}

impl MapOrigin {
    /// Returns the word for the origin in JSON output.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Kept => "kept",
            Self::Guessed => "guessed",
        }
    }
}

/// Facts about one retargeted clip.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetedClip {
    /// Path of the source file.
    pub source: PathBuf,
    /// Name of the clip, before numbers make names unique.
    pub name: String,
    /// Number of foot contacts.
    pub contacts: usize,
    /// Sliding of the feet during the contacts.
    pub slides: Vec<ContactSlide>,
    /// Largest distance by which the hips were lowered, in meters.
    pub lowered: f32,
    /// Feet whose leg is too short for their target.
    pub short: Vec<NodeId>,
    /// Number of keys before and after the reduction that the request asks for.
    pub keys: [usize; 2],
    /// Largest vertex displacement caused by removed keys, in meters on a body 1.8 m tall.
    pub key_error: f32,
}

/// Retargeted clips, and the command that adds them.
#[derive(Clone, Debug)]
pub struct RetargetedClips {
    /// The command that adds the clips.
    pub command: PutClips,
    /// Notes for the user.
    pub notes: Vec<Notice>,
    /// Facts about each clip.
    pub clips: Vec<RetargetedClip>,
    /// Map of each source, with the path of the source and the origin of the map.
    pub maps: Vec<(PathBuf, RetargetMap, MapOrigin)>,
}

/// Returns a map without the joints that one of the models lacks, and the names of those joints.
fn without_missing(
    map: &RetargetMap,
    theirs: &Document,
    ours: &Document,
) -> (RetargetMap, Vec<String>) {
    let (mut made, mut gone) = (map.clone(), Vec::new());
    for chain in &mut made.chains {
        for (names, document) in [(&mut chain.source, theirs), (&mut chain.target, ours)] {
            names.retain(|name| {
                let is_there = table_node(document, name).is_some();
                gone.extend((!is_there).then(|| name.clone()));
                is_there
            });
        }
    }
    (made, gone)
}

impl RetargetRequest {
    /// Returns the map for a source with the settings of the request, its origin, and the notes for
    /// the user.
    fn map_for(&self, theirs: &Document, ours: &Document) -> (RetargetMap, MapOrigin, Vec<Notice>) {
        let mut notes = Vec::new();
        let (mut map, origin) = match (&self.map, fitting_map(ours, theirs)) {
            (Some(map), _) if self.force => {
                let (map, gone) = without_missing(map, theirs, ours);
                if let Some(first) = gone.first() {
                    let said = format!(
                        "joints of the retarget map that a model does not have were left out: {}, \
                            such as {first}",
                        gone.len()
                    );
                    notes.push(Notice::new("joints_not_here", said));
                }
                (map, MapOrigin::Given)
            }
            (Some(map), _) => (map.clone(), MapOrigin::Given),
            (None, Some(map)) => {
                notes.push(map_used(&map.name));
                (map.clone(), MapOrigin::Kept)
            }
            (None, None) => {
                let map = guess_map(theirs, ours);
                notes.push(map_guessed(&map));
                (map, MapOrigin::Guessed)
            }
        };
        map.contacts.lock = self.lock.unwrap_or(map.contacts.lock);
        map.stride = self.stride.or(map.stride);
        (map, origin, notes)
    }
}

/// Returns the note that a map was detected. It lists the chains without a counterpart.
fn map_guessed(map: &RetargetMap) -> Notice {
    let is_whole = |c: &&RetargetChain| !c.source.is_empty() && !c.target.is_empty();
    let whole = map.chains.iter().filter(is_whole).count();
    let alone: Vec<&str> =
        map.chains.iter().filter(|c| !is_whole(c)).map(|c| c.name.as_str()).collect();
    let rest = match alone.len() {
        0 => String::new(),
        n => {
            let more = if n > 3 { ", …" } else { "" };
            format!("; without counterpart: {n} ({}{more})", alone[..n.min(3)].join(", "))
        }
    };
    let said = format!("chains that were matched by names and shape: {whole}{rest}");
    Notice::new("retarget_map_guessed", said)
}

/// Clips of a source, or the reason why there are none.
type OfSource = Result<SourceClips, Notice>;

/// Retargeted clips of one source, and their map.
struct SourceClips {
    clips: Vec<(Clip, RetargetedClip)>,
    map: (RetargetMap, MapOrigin),
    notes: Vec<Notice>,
}

/// Progress over the clips of all sources.
struct Steps<'a> {
    progress: &'a Progress,
    done: AtomicUsize,
    all: usize,
}

impl Steps<'_> {
    /// Counts one finished clip. Returns `false` if the work was canceled.
    fn step(&self) -> bool {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.progress.reach(done as f32 / self.all.max(1) as f32).is_ok()
    }
}

impl Session {
    /// Retargets clips of other files. Returns the command that adds them, and the notes for the
    /// user.
    ///
    /// # Errors
    /// A file cannot be opened, the map does not fit, or no clip matches.
    pub fn retarget(
        &self,
        request: &RetargetRequest,
        progress: &Progress,
    ) -> Result<RetargetedClips, ImportError> {
        let files = files_meant(&request.path)?;
        let read = |path| ClipSource::read(path, &Conversion::default(), progress);
        let sources: Vec<ClipSource> = files.into_iter().map(read).collect();
        self.retarget_from(&sources, request, progress)
    }

    /// Retargets clips like [`Session::retarget`], from sources that are already open. The path of
    /// the request is ignored.
    ///
    /// # Errors
    /// Like [`Session::retarget`].
    pub fn retarget_from(
        &self,
        sources: &[ClipSource],
        request: &RetargetRequest,
        progress: &Progress,
    ) -> Result<RetargetedClips, ImportError> {
        let count = |s: &ClipSource| s.document.as_ref().map_or(0, |d| d.clips.count());
        let all = sources.iter().map(count).sum();
        let steps = Steps { progress, done: AtomicUsize::new(0), all };
        let mut made = RetargetedClips {
            command: PutClips { clips: ClipTexts::Clips(Vec::new()), taken: request.taken },
            notes: Vec::new(),
            clips: Vec::new(),
            maps: Vec::new(),
        };
        let mut clips = Vec::new();
        for source in sources {
            let found = self.of_source(source, request, &steps);
            if progress.parts().0.load(Ordering::Relaxed) {
                let (path, error) = (source.path.clone(), Box::new(ReadError::Canceled));
                return Err(ImportError::Read { path, error });
            }
            match found {
                Err(why) if sources.len() == 1 => {
                    let said = format!("{}: {why}", source.name());
                    return Err(ImportError::Nothing(Notice::new(why.code, said)));
                }
                Err(why) => {
                    let said = format!("{} was skipped: {why}", source.name());
                    made.notes.push(Notice::new(why.code, said));
                }
                Ok(found) => {
                    let of_file =
                        |note: Notice| Notice::new(note.code, format!("{}: {note}", source.name()));
                    made.notes.extend(found.notes.into_iter().map(of_file));
                    made.maps.push((source.path.clone(), found.map.0, found.map.1));
                    for (clip, facts) in found.clips {
                        clips.push(Shared::new(clip));
                        made.clips.push(facts);
                    }
                }
            }
        }
        if clips.is_empty() {
            let all: Vec<&str> = made.notes.iter().map(|n| &*n.message).collect();
            let code = made.notes.first().map_or("nothing_fits", |n| n.code);
            return Err(ImportError::Nothing(Notice::new(code, all.join("; "))));
        }
        made.command.clips = ClipTexts::Clips(clips);
        Ok(made)
    }

    fn of_source(
        &self,
        source: &ClipSource,
        request: &RetargetRequest,
        steps: &Steps<'_>,
    ) -> OfSource {
        let ours = self.document();
        let theirs = source.document.as_ref().map_err(Clone::clone)?;
        let path = &source.path;
        if theirs.clips.is_empty() {
            return Err(Notice::new("no_clips", "it has no clips"));
        }
        let is_chosen = |id: &ClipId| {
            let name = name_here(theirs, *id, path);
            request.only.as_ref().is_none_or(|p| is_meant(theirs, *id, &name, p))
        };
        let meant: Vec<ClipId> = theirs.clips.ids().filter(is_chosen).collect();
        if meant.is_empty() {
            return Err(Notice::new("no_such_clip", "none of its clips has that name"));
        }
        let (map, origin, mut notes) = request.map_for(theirs, ours);
        let retarget = Retarget::new(theirs, ours, &map)
            .map_err(|e| Notice::new(e.code(), with_remedy(&e, origin, request.notation)))?;
        let one = |id: &ClipId| -> Option<(Retargeted, RetargetedClip)> {
            let clip = theirs.clips.get(*id)?;
            let mut made = retargeted(&retarget, clip);
            let name = name_here(theirs, *id, path);
            made.carried.clip.name = Some(name.as_str().into());
            let clip = std::mem::take(&mut made.carried.clip);
            let keyed = request.keys.applied(ours, clip, &made.contacts, &mut made.slides);
            made.carried.clip = keyed.clip;
            let facts = RetargetedClip {
                source: path.clone(),
                name,
                contacts: Goal::bars(&made.contacts).len(),
                slides: made.slides.clone(),
                lowered: made.lowered,
                short: made.short.clone(),
                keys: keyed.keys,
                key_error: keyed.error,
            };
            steps.step().then_some((made, facts))
        };
        let all: Vec<(Retargeted, RetargetedClip)> = meant.par_iter().filter_map(one).collect();
        let (all, empty): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(made, _)| !made.carried.clip.tracks.is_empty());
        if all.is_empty() {
            let said = "its clips move no joint of a chain that has joints of both models";
            return Err(Notice::new("nothing_fits", said));
        }
        notes.extend(said_of(theirs, ours, &all, map.contacts.lock));
        notes.extend(keys_in_words(&all, request.keys));
        if !empty.is_empty() {
            let names: Vec<String> = empty.iter().map(|(_, f)| f.name.clone()).collect();
            let said = format!(
                "{} left out, because they move no joint of a chain that has joints of both models",
                some(&names)
            );
            notes.push(Notice::new("clips_left_out", said));
        }
        let clips = all.into_iter().map(|(made, facts)| (made.carried.clip, facts)).collect();
        Ok(SourceClips { clips, map: (map, origin), notes })
    }
}

/// Returns the note about reduced keys.
fn keys_in_words(all: &[(Retargeted, RetargetedClip)], keys: RetargetKeys) -> Option<Notice> {
    let RetargetKeys::Reduced(_) = keys else { return None };
    let sum = |k: usize| all.iter().map(|(_, facts)| facts.keys[k]).sum::<usize>();
    let error = all.iter().map(|(_, facts)| facts.key_error).fold(0.0, f32::max);
    let said = format!(
        "{} of {} keys remain; max error {:.2} mm on a body 1.8 m tall",
        sum(1),
        sum(0),
        error * 1e3
    );
    Some(Notice::new("keys_reduced", said))
}

/// Explains why a map does not fit, and which option helps.
fn with_remedy(error: &RetargetError, origin: MapOrigin, notation: OptionNotation) -> String {
    match (error, origin) {
        (RetargetError::NoJoint { .. }, MapOrigin::Given) => {
            let force = notation.option("force");
            format!("{error}; correct the name, or leave such joints out with {force}")
        }
        (RetargetError::NoChain, MapOrigin::Guessed) => {
            let map = notation.option("map");
            format!(
                "no chain of joints was found in both models by names or shape; give a retarget \
                    map with {map}"
            )
        }
        _ => error.to_string(),
    }
}

/// Collects the notes about the clips of a source.
fn said_of(
    theirs: &Document,
    ours: &Document,
    all: &[(Retargeted, RetargetedClip)],
    is_locked: bool,
) -> Vec<Notice> {
    let mut notes = Vec::new();
    let lost: BTreeSet<NodeId> = all.iter().flat_map(|(m, _)| m.carried.lost.clone()).collect();
    if !lost.is_empty() {
        let names: Vec<String> = lost.iter().map(|n| theirs.node(*n).label(*n)).collect();
        let said = format!("joints that move and are in no chain: {}", some(&names));
        notes.push(Notice::new("joints_in_no_chain", said));
    }
    let targets: BTreeSet<&String> =
        all.iter().flat_map(|(m, _)| &m.carried.lost_targets).collect();
    if !targets.is_empty() {
        let names: Vec<String> = targets.into_iter().cloned().collect();
        let said = format!("morph targets that are not in this model: {}", some(&names));
        notes.push(Notice::new("morph_targets_not_here", said));
    }
    let lost: usize = all.iter().map(|(m, _)| m.lost_contacts).sum();
    if lost > 0 {
        let contacts = if lost == 1 {
            "1 contact of a hand".to_owned()
        } else {
            format!("{lost} contacts of hands")
        };
        let said = format!(
            "{contacts} left out, because this model has nothing that matches what the hand touches"
        );
        notes.push(Notice::new("hand_contacts_lost", said));
    }
    if is_locked {
        let slides: Vec<ContactSlide> = all.iter().flat_map(|(m, _)| m.slides.clone()).collect();
        let lowered = all.iter().map(|(m, _)| m.lowered).fold(0.0, f32::max);
        let short: BTreeSet<NodeId> = all.iter().flat_map(|(m, _)| m.short.clone()).collect();
        let short: Vec<NodeId> = short.into_iter().collect();
        notes.extend(slides_in_words(ours, &slides, (lowered, &short)));
        notes.extend(visible_slides(all));
    }
    notes
}

/// Returns the note about clips whose feet or hands still slide visibly.
fn visible_slides(all: &[(Retargeted, RetargetedClip)]) -> Option<Notice> {
    let most = |facts: &RetargetedClip| facts.slides.iter().map(|s| s.after).fold(0.0, f32::max);
    let sliding = || all.iter().map(|(_, facts)| facts).filter(|f| most(f) > VISIBLE_SLIDE);
    let worst = sliding().max_by(|a, b| most(a).total_cmp(&most(b)))?;
    let clips = match sliding().count() {
        1 => "1 clip".to_owned(),
        n => format!("{n} clips"),
    };
    let said = format!(
        "feet or hands still slide by more than {:.1} cm in {clips}: at most {:.1} cm, in {}",
        VISIBLE_SLIDE * 100.0,
        most(worst) * 100.0,
        worst.name
    );
    Some(Notice::new("contacts_slide", said))
}
