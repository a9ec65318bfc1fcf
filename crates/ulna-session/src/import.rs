//! Imports clips of other files: finds and reads the files, matches the skeletons, and collects
//! notes for the user. [`ClipTransfer`] computes the clips. The resulting command contains the
//! keys. It is one undo step, and does not need the files any more.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;
use thiserror::Error;

use super::{
    Session,
    retarget_maps::{fitting_map, map_used, retargeted},
};
use ulna_edit::command::{ClipTexts, PutClips, TakenName, slides_in_words};
use ulna_formats::{
    gltf::{Progress, ReadError},
    import::{Conversion, endings, endings_in_words},
};
use ulna_model::{Clip, ClipId, Document, NodeId, Notice, Property, RetargetMap, Shared, Track};
use ulna_motion::{
    CarriedClip, ClipTransfer, FoundBy, KeysBy,
    retarget::{ContactSlide, Retarget, Retargeted, guess_map, table_node},
};

/// Reason why no clip was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// No file matches the path.
    #[error(
        "“{0}” matches no file and no folder with models; give a {kinds} file",
        kinds = endings_in_words()
    )]
    NoFile(String),
    /// The folder cannot be read.
    #[error("{} cannot be read: {error}. Check that it exists and that you have permission to read \
        it", .path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Error of the system.
        error: std::io::Error,
    },
    /// A file cannot be opened.
    #[error("{}: {error}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Reason why the file cannot be opened.
        error: Box<ReadError>,
    },
    /// No clip can be used in this model.
    #[error("{0}")]
    Nothing(Notice),
    /// The joint map names a joint that none of the imported files has.
    #[error(
        "the joint map (“counterparts”) names joint “{0}”, which none of the imported files has; \
            `ulna info` lists the joints of a file"
    )]
    NoJoint(String),
}

impl ImportError {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoFile(_) => "no_such_file",
            Self::Folder { .. } => "folder_unreadable",
            Self::Read { error, .. } => error.code(),
            Self::Nothing(why) => why.code,
            Self::NoJoint(_) => "no_such_counterpart",
        }
    }
}

/// Returns the files that a path selects, sorted by name. The path can name one file, a folder with
/// models, or a pattern with `*` in its last component.
///
/// # Errors
/// The path selects no file.
pub fn files_meant(text: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let none = || ImportError::NoFile(text.display().to_string());
    if text.is_file() {
        return Ok(vec![text.to_owned()]);
    }
    let name = text.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let (folder, pattern) =
        if text.is_dir() { (text, None) } else { (text.parent().ok_or_else(none)?, Some(name)) };
    if pattern.as_ref().is_some_and(|p| !p.contains('*')) {
        return Err(none());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder)
        .map_err(|error| ImportError::Folder { path: folder.to_owned(), error })?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| {
            let suffix =
                p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            p.is_file()
                && endings().any(|e| e == suffix)
                && pattern.as_deref().is_none_or(|pattern| fits(pattern, &name))
        })
        .collect();
    files.sort();
    if files.is_empty() { Err(none()) } else { Ok(files) }
}

/// Whether a name matches a pattern, in which `*` stands for any text. Case is ignored.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let parts: Vec<&str> = pattern.split('*').collect();
    let [first, middle @ .., last] = &parts[..] else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A file to import clips from.
#[derive(Clone, Debug)]
pub struct ClipSource {
    /// Path of the file.
    pub path: PathBuf,
    /// Content of the file, or the reason why it cannot be opened.
    pub document: Result<Arc<Document>, Notice>,
}

impl ClipSource {
    /// Opens a file. `conversion` applies to formats other than glTF.
    pub fn read(path: PathBuf, conversion: &Conversion, progress: &Progress) -> Self {
        let opened = Session::open_as(&path, conversion, progress);
        let document = opened
            .map(|s| Arc::new(s.document().clone()))
            .map_err(|e| Notice::new(e.code(), e.to_string()));
        Self { path, document }
    }

    /// Returns the file name without folders.
    pub fn name(&self) -> String {
        self.path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned())
    }
}

/// Options of a clip import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// Method of converting keys to this skeleton.
    pub how: KeysBy,
    /// Joint counterparts that the user chose: nodes of this document by joint name of the source.
    /// `None` excludes the joint.
    pub chosen: BTreeMap<String, Option<NodeId>>,
    /// Whether the retarget maps of this model are ignored.
    pub without_map: bool,
    /// Whether feet stay in place during contacts, if the bodies differ. This needs legs in both
    /// bodies, and keys that are transferred between rest poses.
    pub keep_feet: bool,
}

/// Result of matching a source skeleton with the skeleton of the open document.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Number of animated joints in the source.
    pub joints: usize,
    /// Number of matched joints: by equal name, by name without prefix and separators, and by body
    /// part.
    pub found: [usize; 3],
    /// Names of the source joints without a match.
    pub unmatched: Vec<String>,
    /// Source joints matched without equal names, each with its counterpart.
    pub guessed: Vec<(String, NodeId)>,
    /// Number of matched joints that have another rest pose or other axes.
    pub turned: usize,
    /// Number of matched joints that have the same rest pose.
    pub same: usize,
    /// Factor for translations, from source to this model.
    pub ratio: f32,
    /// Whether hips, arms and legs of this model are all matched.
    pub is_body: bool,
    /// Name of the retarget map of this model that was used; `None` if none was.
    pub map: Option<String>,
    /// Whether feet are kept in place during contacts. `None` if that is not possible or not
    /// needed.
    pub keeps_feet: Option<bool>,
}

impl Fit {
    /// Returns the number of matched joints.
    pub fn matched(&self) -> usize {
        self.found.iter().sum()
    }

    /// Whether keys can be copied unchanged, because all rest poses are the same.
    pub const fn is_same(&self) -> bool {
        self.turned == 0 && self.same > 0
    }

    /// Whether the source probably is another kind of body. This is so if less than half of the
    /// animated joints match, hips, arms and legs do not all match, and no retarget map fits.
    /// Helper joints and fingers can outnumber all others, so body parts are checked separately.
    pub fn is_other(&self) -> bool {
        self.matched() * 2 < self.joints && !self.is_body && self.map.is_none()
    }
}

/// A clip of another file, converted for this document.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Id of the clip in the other file.
    pub id: ClipId,
    /// Name of the clip in this document: its own name, or the file name if its own name is
    /// generic.
    pub name: String,
    /// The converted clip.
    pub carried: CarriedClip,
    /// Names of animated source nodes without a counterpart.
    pub lost: Vec<String>,
    /// Names of animated morph targets that no mesh of this document has.
    pub lost_targets: Vec<String>,
    /// Feet that are kept in place during contacts; empty if none are.
    pub feet: KeptFeet,
}

/// Sliding of the feet of an imported clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptFeet {
    /// Sliding in each contact, before and after.
    pub slides: Vec<ContactSlide>,
    /// Largest distance by which the hips are lowered, meters.
    pub lowered: f32,
    /// Feet that do not reach their contacts.
    pub short: Vec<NodeId>,
}

impl KeptFeet {
    /// Largest sliding before and after, meters; `None` without contacts.
    pub fn largest(&self) -> Option<[f32; 2]> {
        let most = |a: [f32; 2], s: &ContactSlide| [a[0].max(s.before), a[1].max(s.after)];
        (!self.slides.is_empty()).then(|| self.slides.iter().fold([0.0; 2], most))
    }
}

/// Whether a clip name is a default of other programs. The file name is then used instead.
fn says_nothing(name: &str) -> bool {
    let plain = name.trim().to_lowercase();
    let bare = plain.trim_end_matches(|c: char| c.is_ascii_digit() || "._- ".contains(c));
    plain.contains("mixamo.com")
        || [
            "",
            "take",
            "animation",
            "anim",
            "action",
            "armatureaction",
            "clip",
            "default take",
            "baselayer",
        ]
        .contains(&bare)
}

/// Returns the name for an imported clip: its own name, or the file name if its own name is
/// generic.
pub(super) fn name_here(theirs: &Document, id: ClipId, path: &Path) -> String {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let only = theirs.clips.count() == 1;
    let own = theirs.clips.get(id).and_then(|c| c.name.as_deref()).unwrap_or_default();
    match (own, only && says_nothing(own)) {
        ("", false) => format!("{stem} {}", id.0 + 1),
        (_, true) => stem,
        (own, false) => own.to_owned(),
    }
}

/// Converts all clips of a file for this document. Also returns the match of the skeletons.
pub fn arrivals(
    ours: &Document,
    theirs: &Document,
    path: &Path,
    options: &ImportOptions,
) -> (Fit, Vec<Arrival>) {
    let all: Vec<ClipId> = theirs.clips.ids().collect();
    arrivals_of(ours, theirs, path, options, &all)
}

/// Converts some clips of a file, like [`arrivals`]. Only nodes that these clips animate are
/// matched.
fn arrivals_of(
    ours: &Document,
    theirs: &Document,
    path: &Path,
    options: &ImportOptions,
    clips: &[ClipId],
) -> (Fit, Vec<Arrival>) {
    // A stored retarget map is better than matching names, unless the user chose counterparts.
    if options.how == KeysBy::Rests
        && options.chosen.is_empty()
        && !options.without_map
        && let Some(map) = fitting_map(ours, theirs)
        && let Ok(retarget) = Retarget::new(theirs, ours, map)
    {
        return by_map(theirs, path, (map, &retarget), clips);
    }
    let chosen: BTreeMap<NodeId, Option<NodeId>> = theirs
        .node_ids()
        .filter_map(|n| Some((n, *options.chosen.get(&theirs.node(n).label(n))?)))
        .collect();
    let transfer = ClipTransfer::new(theirs, ours, options.how, &chosen);
    let clips: Vec<(ClipId, &Shared<Clip>)> =
        clips.iter().filter_map(|id| Some((*id, theirs.clips.get(*id)?))).collect();
    let mut fit = fit_of(&transfer, theirs, clips.iter().flat_map(|(_, c)| c.played()));
    let is_plain = options.how != KeysBy::Rests || !options.chosen.is_empty() || fit.is_same();
    let map = (!is_plain && fit.is_body).then(|| guess_map(theirs, ours));
    let map = map.filter(|map| map.chains.iter().any(|c| c.contacts));
    let retarget = map.as_ref().and_then(|map| Retarget::new(theirs, ours, map).ok());
    fit.keeps_feet = retarget.as_ref().map(|_| options.keep_feet);
    let retarget = retarget.filter(|_| options.keep_feet);
    let one = |(id, clip): &(ClipId, &Shared<Clip>)| match &retarget {
        Some(retarget) => arrival(theirs, path, *id, retargeted(retarget, clip)),
        None => {
            let carried = transfer.clip(clip);
            arrival(theirs, path, *id, Retargeted { carried, ..Retargeted::default() })
        }
    };
    let made = clips.par_iter().map(one).collect();
    (fit, made)
}

/// Names a converted clip, and collects what was lost.
fn arrival(theirs: &Document, path: &Path, id: ClipId, made: Retargeted) -> Arrival {
    let Retargeted { mut carried, slides, lowered, short, .. } = made;
    let name = name_here(theirs, id, path);
    carried.clip.name = Some(name.as_str().into());
    let lost = carried.lost.iter().map(|n| theirs.node(*n).label(*n)).collect();
    let lost_targets = carried.lost_targets.clone();
    Arrival { id, name, carried, lost, lost_targets, feet: KeptFeet { slides, lowered, short } }
}

/// Converts some clips of a file, like [`arrivals_of`], with a retarget map.
fn by_map(
    theirs: &Document,
    path: &Path,
    (map, retarget): (&RetargetMap, &Retarget<'_>),
    clips: &[ClipId],
) -> (Fit, Vec<Arrival>) {
    let clips: Vec<(ClipId, &Shared<Clip>)> =
        clips.iter().filter_map(|id| Some((*id, theirs.clips.get(*id)?))).collect();
    let played = clips.iter().flat_map(|(_, c)| c.played());
    let moved: BTreeSet<NodeId> =
        played.filter(|t| t.property != Property::Weights).map(|t| t.target).collect();
    let whole = map.chains.iter().filter(|c| !c.target.is_empty());
    let chained: BTreeSet<NodeId> =
        whole.flat_map(|c| &c.source).filter_map(|name| table_node(theirs, name)).collect();
    let label = |n: &NodeId| theirs.node(*n).label(*n);
    let found = moved.intersection(&chained).count();
    let fit = Fit {
        joints: moved.len(),
        found: [0, 0, found],
        unmatched: moved.difference(&chained).map(label).collect(),
        guessed: Vec::new(),
        turned: 0,
        same: 0,
        ratio: retarget.height(),
        is_body: false,
        map: Some(map.name.clone()),
        keeps_feet: None,
    };
    let one = |(id, clip): &(ClipId, &Shared<Clip>)| {
        arrival(theirs, path, *id, retargeted(retarget, clip))
    };
    (fit, clips.par_iter().map(one).collect())
}

/// Describes the match of the joints that these tracks animate.
fn fit_of<'a>(
    transfer: &ClipTransfer<'_>,
    theirs: &Document,
    tracks: impl Iterator<Item = &'a Shared<Track>>,
) -> Fit {
    let moved: BTreeSet<NodeId> =
        tracks.filter(|t| t.property != Property::Weights).map(|t| t.target).collect();
    let mut fit = Fit {
        joints: moved.len(),
        found: [0; 3],
        unmatched: Vec::new(),
        guessed: Vec::new(),
        turned: 0,
        same: 0,
        ratio: transfer.ratio(),
        is_body: transfer.finds_body(&moved),
        map: None,
        keeps_feet: None,
    };
    for pair in transfer.pairs().iter().filter(|p| moved.contains(&p.from)) {
        if pair.by != FoundBy::Name {
            fit.guessed.push((theirs.node(pair.from).label(pair.from), pair.to));
        }
        fit.found[match pair.by {
            FoundBy::Name => 0,
            FoundBy::PlainName => 1,
            FoundBy::Role => 2,
        }] += 1;
        if pair.is_same {
            fit.same += 1;
        } else {
            fit.turned += 1;
        }
    }
    let found: BTreeSet<NodeId> = transfer.pairs().iter().map(|p| p.from).collect();
    fit.unmatched = moved.difference(&found).map(|n| theirs.node(*n).label(*n)).collect();
    fit
}

/// Clip import that the command line or a script requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportRequest {
    /// Path of a file or folder, or a pattern with `*`.
    pub path: PathBuf,
    /// Pattern for the names of clips to import; `None` imports all clips.
    pub only: Option<String>,
    /// Handling of a clip name that already exists.
    pub taken: Option<TakenName>,
    /// Options for converting the clips.
    pub options: ImportOptions,
    /// Whether clips of another kind of body are imported, too.
    pub force: bool,
}

impl Session {
    /// Returns the command that adds clips of other files, and the notes for the user.
    ///
    /// # Errors
    /// A file cannot be opened, or no clip can be used.
    pub fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<(PutClips, Vec<Notice>), ImportError> {
        let mut clips = Vec::new();
        let mut notes = Vec::new();
        let files = files_meant(&request.path)?;
        let many = files.len() > 1;
        let mut unseen: BTreeSet<&String> = request.options.chosen.keys().collect();
        for path in files {
            let source = match Self::open(&path, progress) {
                Ok(source) => source,
                Err(error) if many && !matches!(error, ReadError::Canceled) => {
                    let said = format!("{} was skipped: {error}", path.display());
                    notes.push(Notice::new(error.code(), said));
                    continue;
                }
                Err(error) => return Err(ImportError::Read { path, error: Box::new(error) }),
            };
            let theirs = source.document();
            if !unseen.is_empty() {
                theirs.node_ids().for_each(|n| {
                    unseen.remove(&theirs.node(n).label(n));
                });
            }
            let name =
                path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let is_chosen = |id: &ClipId| {
                request
                    .only
                    .as_ref()
                    .is_none_or(|p| is_meant(theirs, *id, &name_here(theirs, *id, &path), p))
            };
            let meant: Vec<ClipId> = theirs.clips.ids().filter(is_chosen).collect();
            let (fit, made) = arrivals_of(&self.document, theirs, &path, &request.options, &meant);
            let (chosen, empty): (Vec<&Arrival>, Vec<&Arrival>) =
                made.iter().partition(|a| !a.carried.clip.tracks.is_empty());
            let why = if theirs.clips.is_empty() {
                Some(Notice::new("no_clips", "it has no clips"))
            } else if made.is_empty() {
                Some(Notice::new("no_such_clip", "none of its clips has that name"))
            } else if fit.is_other() && fit.matched() > 0 && !request.force {
                Some(Notice::new("other_kind_of_body", other_body(&fit)))
            } else if chosen.is_empty() {
                Some(Notice::new("nothing_fits", nothing_fits(&fit, &empty)))
            } else {
                None
            };
            match why {
                Some(why) if !many => {
                    return Err(ImportError::Nothing(Notice::new(
                        why.code,
                        format!("{name}: {why}"),
                    )));
                }
                Some(why) => {
                    notes.push(Notice::new(why.code, format!("{name} was skipped: {why}")))
                }
                None => {
                    notes.extend(said_of(&name, &fit, &chosen, &empty));
                    notes.extend(feet_in_words(&self.document, &chosen));
                    clips.extend(chosen.into_iter().map(|a| Shared::new(a.carried.clip.clone())));
                }
            }
        }
        if let Some(name) = unseen.first() {
            return Err(ImportError::NoJoint((*name).clone()));
        }
        if clips.is_empty() {
            let all: Vec<&str> = notes.iter().map(|n| &*n.message).collect();
            let code = notes.first().map_or("nothing_fits", |n| n.code);
            return Err(ImportError::Nothing(Notice::new(code, all.join("; "))));
        }
        Ok((PutClips { clips: ClipTexts::Clips(clips), taken: request.taken }, notes))
    }
}

/// Whether a pattern matches the name of a clip in this document or in its file.
pub(super) fn is_meant(theirs: &Document, id: ClipId, name: &str, pattern: &str) -> bool {
    let own = theirs.clips.get(id).and_then(|c| c.name.as_deref());
    fits(pattern, name) || own.is_some_and(|own| fits(pattern, own))
}

/// Explains why clips of another kind of body are refused, and how to import them anyway.
fn other_body(fit: &Fit) -> String {
    format!(
        "only {} of the {} joints that it animates {} found in this model (not {}), so it seems to \
            be made for another kind of body; map the joints with “counterparts”, or import it \
            anyway with \"force\": true",
        fit.matched(),
        fit.joints,
        if fit.matched() == 1 { "was" } else { "were" },
        some(&fit.unmatched)
    )
}

/// Explains why no clip can be imported.
fn nothing_fits(fit: &Fit, clips: &[&Arrival]) -> String {
    let targets = sorted(clips.iter().flat_map(|a| &a.lost_targets));
    match (fit.joints, targets.as_slice()) {
        (0, []) => "its clips animate no joints and no morph targets".to_owned(),
        (0, targets) => {
            format!(
                "no mesh of this model has the morph targets that it animates ({}); rename them so \
                    that the names match",
                some(targets)
            )
        }
        (1, _) => {
            let only = some(&fit.unmatched);
            format!(
                "the only joint that it animates ({only}) was not found in this model; map it with \
                    “counterparts”"
            )
        }
        (joints, _) => format!(
            "none of the {joints} joints that it animates was found in this model ({}); map them \
                with “counterparts”",
            some(&fit.unmatched)
        ),
    }
}

/// Lists the first three names, and the number of the remaining ones.
pub(super) fn some(names: &[String]) -> String {
    let few: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    if names.len() > 3 {
        format!("{} and {} more", few.join(", "), names.len() - 3)
    } else {
        few.join(", ")
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let each: BTreeSet<&String> = names.collect();
    each.into_iter().cloned().collect()
}

/// Collects the notes about feet that are kept in place.
fn feet_in_words(ours: &Document, clips: &[&Arrival]) -> Vec<Notice> {
    let slides: Vec<ContactSlide> = clips.iter().flat_map(|a| a.feet.slides.clone()).collect();
    if slides.is_empty() {
        return Vec::new();
    }
    let lowered = clips.iter().map(|a| a.feet.lowered).fold(0.0, f32::max);
    let short: BTreeSet<NodeId> = clips.iter().flat_map(|a| a.feet.short.iter().copied()).collect();
    slides_in_words(ours, &slides, (lowered, &short.into_iter().collect::<Vec<_>>()))
}

/// Collects the notes about the clips of a file; empty if all joints and clips match. `empty` are
/// the clips that animate nothing in this document.
fn said_of(name: &str, fit: &Fit, clips: &[&Arrival], empty: &[&Arrival]) -> Vec<Notice> {
    let mut parts = Vec::new();
    // The first note names the file.
    let mut add = |code, said: String| {
        let said = if parts.is_empty() { format!("{name}: {said}") } else { said };
        parts.push(Notice::new(code, said));
    };
    if let Some(map) = &fit.map {
        let note = map_used(map);
        add(note.code, note.message);
    }
    let lost = sorted(clips.iter().flat_map(|a| &a.lost));
    if !lost.is_empty() {
        let are = if lost.len() == 1 { "is" } else { "are" };
        add(
            "joints_not_here",
            format!("{} of its joints {are} not in this model ({})", lost.len(), some(&lost)),
        );
    }
    let targets = sorted(clips.iter().flat_map(|a| &a.lost_targets));
    if !targets.is_empty() {
        let are = if targets.len() == 1 { "is" } else { "are" };
        add(
            "morph_targets_not_here",
            format!(
                "{} of its morph targets {are} not in this model ({})",
                targets.len(),
                some(&targets)
            ),
        );
    }
    if !empty.is_empty() {
        let names: Vec<String> = empty.iter().map(|a| format!("“{}”", a.name)).collect();
        add(
            "clips_left_out",
            format!(
                "{} left out, because this model has none of the joints and morph targets animated \
                    there",
                some(&names)
            ),
        );
    }
    if fit.turned > 0 {
        let count = fit.turned;
        add(
            "keys_retargeted",
            format!(
                "joints with another rest pose or other axes: {count}; their keys were retargeted"
            ),
        );
    }
    let resampled = clips.iter().map(|a| a.carried.resampled.len()).max().unwrap_or(0);
    if resampled > 0 {
        add(
            "keys_sampled",
            format!(
                "joints whose keys were resampled, because joints in between are animated, too: \
                    {resampled}"
            ),
        );
    }
    let scales = clips.iter().map(|a| a.carried.scales_left).sum::<usize>();
    if scales > 0 {
        add(
            "scale_tracks_left_out",
            format!("scale tracks skipped, because they cannot be retargeted: {scales}"),
        );
    }
    let left = clips.iter().map(|a| a.carried.left_out).sum::<usize>();
    if left > 0 {
        add(
            "channels_left_out",
            format!("channels left out, because they animate no node or are packed: {left}"),
        );
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_patterns_and_generated_names_are_ignored() {
        assert!(
            fits("*.glb", "Walk.GLB")
                && fits("walk*", "walk.glb")
                && fits("a*c*e", "abcde")
                && fits("Walk", "walk")
                && fits("*", "")
        );
        assert!(!fits("*.glb", "walk.gltf") && !fits("b*", "ab") && !fits("a", "ab"));
        for name in
            ["mixamo.com", "Armature|mixamo.com|Layer0", "Take 001", "animation_0", "Animation", ""]
        {
            assert!(says_nothing(name), "{name}");
        }
        for name in ["Walk", "Take off", "Reaction", "animation_walk"] {
            assert!(!says_nothing(name), "{name}");
        }
    }
}
