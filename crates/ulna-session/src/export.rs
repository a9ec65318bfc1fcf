//! Exports files for engines and other programs. The window and the command line use the same
//! request. The open document keeps its own path.
//!
//! Files are made one at a time. Each file is read back to check it, written under a temporary
//! name, and freed from memory. All files are renamed at the end, so that a failed or canceled
//! export changes nothing.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Session,
    disk::Disk,
    export_failure::ExportFailure,
    placing::{Made, Placing},
    stamp::hard_links,
    vrm_pose,
};
use ulna_formats::gltf::{
    self, ExportOptions, Progress, SaveOptions, Source, TargetContainer, open_beside, open_bytes,
    transcode,
};
use ulna_model::{
    ClipId, Diagnostic, Document, Notice, Property, Shared, meant_rate, rate_in_words,
};
use ulna_motion::clip_edit::{MotionError, resampled};

/// Options and target of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportRequest {
    /// Clips to export; `None` exports all clips.
    pub clips: Option<Vec<ClipId>>,
    /// Whether meshes, materials and images are left out.
    pub skeleton_only: bool,
    /// Frame rate for resampling keys, in frames per second. `None` keeps the stored keys.
    pub rate: Option<f64>,
    /// Whether each clip is exported to its own file.
    pub each: bool,
    /// Pattern for the file names if each clip has its own file, without suffix. `{clip}` is
    /// replaced by the clip's name. `{number}` is replaced by its number among the exported clips,
    /// from 1. If the pattern is empty, the clip's name is used.
    pub names: String,
    /// Whether to write a `.gltf` with separate data files instead of a `.glb`.
    pub gltf: bool,
    /// Target file; a folder if each clip has its own file.
    pub to: PathBuf,
    /// Whether existing files may be replaced.
    pub replace: bool,
}

impl ExportRequest {
    /// Returns the clips to export, in the order of the document.
    fn meant(&self, document: &Document) -> Vec<ClipId> {
        let is_meant = |id: &ClipId| self.clips.as_ref().is_none_or(|c| c.contains(id));
        document.clips.ids().filter(is_meant).collect()
    }

    /// Returns the files to write, each with its clips.
    pub fn files(&self, document: &Document) -> Vec<(PathBuf, Vec<ClipId>)> {
        let suffix = if self.gltf { "gltf" } else { "glb" };
        let meant = self.meant(document);
        if !self.each {
            return vec![(self.to.clone(), meant)];
        }
        let mut taken = BTreeSet::new();
        let names = self.wanted_names(document, &meant);
        let file = |(name, id): (String, ClipId)| {
            // Many file systems ignore case, so names are compared in lower case.
            let numbered = |k: usize| if k < 2 { name.clone() } else { format!("{name} {k}") };
            let free =
                (1..).map(numbered).find(|n| taken.insert(n.to_lowercase())).unwrap_or_default();
            (self.to.join(format!("{free}.{suffix}")), vec![id])
        };
        names.into_iter().zip(meant).map(file).collect()
    }

    /// Returns the file name of each clip, before numbers make them unique.
    fn wanted_names(&self, document: &Document, meant: &[ClipId]) -> Vec<String> {
        let digits = meant.len().to_string().len();
        let pattern = if self.names.trim().is_empty() { "{clip}" } else { self.names.trim() };
        let name = |(k, id): (usize, &ClipId)| {
            let number = format!("{:0digits$}", k + 1);
            let named =
                pattern.replace("{number}", &number).replace("{clip}", &document.clip_label(*id));
            file_name(&named).unwrap_or_else(|| format!("clip {}", id.0))
        };
        meant.iter().enumerate().map(name).collect()
    }

    /// Returns the number of files whose name gets a number, because an earlier file has the same
    /// name.
    pub fn alike(&self, document: &Document) -> usize {
        if !self.each {
            return 0;
        }
        let names = self.wanted_names(document, &self.meant(document));
        let different: BTreeSet<String> = names.iter().map(|n| n.to_lowercase()).collect();
        names.len() - different.len()
    }
}

/// Converts a label to a file name that is valid on all systems. `None` if no character remains.
pub fn file_name(label: &str) -> Option<String> {
    /// Maximum length of the name in bytes. File systems allow 255; the other bytes are for a
    /// number, the suffix, and the prefix of temporary files.
    const MOST: usize = 180;
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c };
    let mut name: String = label.chars().map(plain).collect();
    if name.len() > MOST {
        name.truncate((0..=MOST).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0));
    }
    let name = name.trim_matches([' ', '.']).to_owned();
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let reserved = RESERVED.contains(&digits) && stem.len() <= digits.len() + 1;
    (!name.is_empty()).then(|| if reserved { format!("_{name}") } else { name })
}

/// Result of a successful export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Paths of the written models. Data files of a `.gltf` are not included.
    pub files: Vec<PathBuf>,
    /// Total size of all files, in bytes.
    pub bytes: usize,
    /// One sentence per kind of data that was lost.
    pub lost: Vec<Notice>,
}

/// Input of an export. The export can run on another thread while the document is edited.
#[derive(Clone, Debug)]
pub struct Exporting {
    request: ExportRequest,
    source: Source,
    opened: Document,
    document: Document,
    options: SaveOptions,
    own: Option<PathBuf>,
}

/// The packed document. All exported files are made from it.
struct PackedWhole {
    source: Source,
    /// Clips of the document, in the order of the animations in the packed file.
    order: Vec<ClipId>,
}

impl Session {
    /// Collects the input for an export of the current document.
    pub fn exporting(&self, request: ExportRequest) -> Exporting {
        Exporting {
            request,
            source: self.source.clone(),
            opened: self.decoded.clone(),
            document: self.to_export(),
            options: self.save_options,
            own: self.path.clone(),
        }
    }
}

/// Findings about the files of an export, before they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportFindings {
    /// Findings, most severe first, each with its number of occurrences.
    pub list: Vec<(Diagnostic, usize)>,
    /// Number of checked files.
    pub checked: usize,
    /// Number of files of the export.
    pub files: usize,
}

impl Exporting {
    /// Makes all files and writes them to disk.
    ///
    /// # Errors
    /// See [`ExportFailure`]. All files on disk are unchanged then, unless a replaced file could
    /// not be restored.
    pub fn run(self, disk: &dyn Disk, progress: &Progress) -> Result<Exported, ExportFailure> {
        let request = &self.request;
        let files = request.files(&self.document);
        if request.each && files.is_empty() {
            return Err(ExportFailure::NoClip);
        }
        if let Some(rate) = request.rate.filter(|r| !(0.01..=10_000.0).contains(r)) {
            return Err(ExportFailure::Rate(rate));
        }
        for (path, _) in &files {
            if path.file_name().is_none() || (!request.each && path.extension().is_none()) {
                return Err(ExportFailure::NoName);
            }
            if path.exists() && self.is_own(path) {
                return Err(ExportFailure::IsOpen(path.clone()));
            }
            if path.exists() && !request.replace {
                return Err(ExportFailure::IsThere(path.clone()));
            }
            let names = hard_links(path);
            if names > 1 {
                return Err(ExportFailure::Linked { path: path.clone(), names });
            }
        }
        progress.reach(0.02)?;
        // If an error occurs, `Placing` removes its temporary files when it is dropped.
        let mut placing = Placing::new(disk, request.replace);
        let lost = self.make(&files, progress, &mut |made| placing.stage(&made))?;
        progress.reach(0.9)?;
        let bytes = placing.put()?;
        Ok(Exported { files: files.into_iter().map(|(path, _)| path).collect(), bytes, lost })
    }

    /// Returns the clips to export.
    pub fn clips(&self) -> Vec<ClipId> {
        self.request.meant(&self.document)
    }

    /// Measures the files of [`ExportRequest::files`], each with its data files, in bytes and in
    /// the same order. Nothing is written.
    ///
    /// # Errors
    /// See [`ExportFailure`].
    pub fn measure(&self, progress: &Progress) -> Result<Vec<usize>, ExportFailure> {
        if let Some(rate) = self.request.rate.filter(|r| !(0.01..=10_000.0).contains(r)) {
            return Err(ExportFailure::Rate(rate));
        }
        let files = self.request.files(&self.document);
        let (mut sizes, mut beside) = (Vec::with_capacity(files.len()), 0);
        if self.request.gltf {
            // The data files of a `.gltf` are passed before the `.gltf` itself.
            self.make(&files, progress, &mut |made| {
                beside += made.bytes.len();
                if !made.is_data {
                    sizes.push(std::mem::take(&mut beside));
                }
                Ok(())
            })?;
            return Ok(sizes);
        }
        let (packed, _) = self.packed()?;
        let exporter = gltf::Exporter::new(&packed.source)?;
        for (k, (_, clips)) in files.iter().enumerate() {
            sizes.push(exporter.measure(&self.options_of(clips, &packed.order))?);
            progress.reach(0.05 + 0.85 * (k + 1) as f32 / files.len() as f32)?;
        }
        Ok(sizes)
    }

    /// Checks the files that an export would write. Files are made and checked one after the other.
    /// Checking stops at `budget` bytes of data, but at least one file is checked.
    ///
    /// # Errors
    /// See [`ExportFailure`].
    pub fn findings(
        &self,
        budget: usize,
        progress: &Progress,
    ) -> Result<ExportFindings, ExportFailure> {
        let files = self.request.files(&self.document);
        let (packed, _) = self.packed()?;
        let exporter = gltf::Exporter::new(&packed.source)?;
        let mut found = ExportFindings { files: files.len(), ..ExportFindings::default() };
        let mut made = 0;
        for (_, clips) in &files {
            if found.checked > 0 && made >= budget {
                break;
            }
            progress.reach(0.9)?;
            let glb = Arc::new(exporter.export(&self.options_of(clips, &packed.order))?);
            made += glb.len();
            let again = Session::of(open_bytes(glb, None, &Progress::default())?, None);
            for finding in again.all_findings() {
                let same = |(other, _): &&mut (Diagnostic, usize)| {
                    (other.severity, other.code, &other.message)
                        == (finding.severity, finding.code, &finding.message)
                };
                match found.list.iter_mut().find(same) {
                    Some((_, count)) => *count += 1,
                    None => found.list.push((finding, 1)),
                }
            }
            found.checked += 1;
        }
        found.list.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
        Ok(found)
    }

    fn is_own(&self, path: &Path) -> bool {
        let real = |p: &Path| p.canonicalize().ok();
        self.own.as_deref().and_then(real).is_some_and(|own| real(path) == Some(own))
    }

    /// Packs the document. Also returns one sentence per kind of data that is lost.
    fn packed(&self) -> Result<(PackedWhole, Vec<Notice>), ExportFailure> {
        let request = &self.request;
        let mut document = self.document.clone();
        let mut lost = Vec::new();
        if let Some(rate) = request.rate.map(meant_rate) {
            let mut off = MotionError::default();
            let (mut pointers, mut packed) = (0, 0usize);
            for id in request.meant(&self.document) {
                if let Some(clip) = document.file.clips.get_mut(id) {
                    let (made, error) = resampled(clip, rate);
                    off = off.or(error);
                    pointers += clip.pointers.len();
                    packed += clip.kept.len()
                        - clip.pointers.iter().filter(|p| p.track.is_some()).count();
                    *clip = Shared::new(made.counted_at(rate));
                }
            }
            for (count, what) in
                [(pointers, "with animation pointers"), (packed, "with unreadable keys")]
            {
                if count > 0 {
                    let (channels, were) =
                        if count == 1 { ("channel", "was") } else { ("channels", "were") };
                    let said = format!("{count} {channels} {what} {were} not resampled");
                    lost.push(Notice::new("channels_not_resampled", said));
                }
            }
            if let Some(off) = off.in_words() {
                lost.push(Notice::new(
                    "resampled",
                    format!("At {} frames per second, {off}", rate_in_words(rate)),
                ));
            }
        }
        if request.skeleton_only {
            let clips = request
                .meant(&self.document)
                .into_iter()
                .filter_map(|id| self.document.clips.get(id));
            let weights = clips
                .flat_map(|c| c.tracks.values())
                .filter(|t| t.property == Property::Weights)
                .count();
            if weights > 0 {
                let tracks = if weights == 1 { "track" } else { "tracks" };
                let said = format!(
                    "{weights} morph weight {tracks} left out, because the export has no meshes"
                );
                lost.push(Notice::new("morph_tracks_left_out", said));
            }
        }
        lost.extend(vrm_pose::warning(&self.opened, &document));
        let saved = gltf::save(&self.source, &self.opened, &document, "model", self.options)?;
        let own = self.source.path.as_deref();
        let whole = open_beside(saved.bytes, own, saved.companions.into(), &Progress::default())?;
        // New clips come after those of the file. A removed clip leaves no gap.
        let order: Vec<ClipId> = document.clips.ids().collect();
        Ok((PackedWhole { source: whole.source, order }, lost))
    }

    fn options_of(&self, clips: &[ClipId], order: &[ClipId]) -> ExportOptions {
        let keep = clips.iter().filter_map(|id| order.iter().position(|o| o == id)).collect();
        ExportOptions { clips: Some(keep), skeleton_only: self.request.skeleton_only }
    }

    /// Makes the files one after the other, and passes each to `take`, its data files first.
    /// Returns one sentence per kind of data that is lost.
    fn make(
        &self,
        files: &[(PathBuf, Vec<ClipId>)],
        progress: &Progress,
        take: &mut dyn FnMut(Made<'_>) -> Result<(), ExportFailure>,
    ) -> Result<Vec<Notice>, ExportFailure> {
        let (packed, mut lost) = self.packed()?;
        let exporter = gltf::Exporter::new(&packed.source)?;
        if self.request.skeleton_only {
            lost.extend(exporter.left_out_with_meshes());
        }
        for (k, (path, clips)) in files.iter().enumerate() {
            let glb = Arc::new(exporter.export(&self.options_of(clips, &packed.order))?);
            // Exported bytes are read back, so that an unreadable file is never written.
            let again = open_bytes(glb.clone(), None, &Progress::default())?;
            if self.request.gltf {
                let stem = path
                    .file_stem()
                    .map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
                let text = transcode(&again.source, TargetContainer::Gltf, &stem)?;
                let folder = path.parent().unwrap_or(Path::new(""));
                for file in text.beside {
                    take(Made { path: folder.join(file.name), bytes: &file.bytes, is_data: true })?;
                }
                lost.extend(text.lost);
                take(Made { path: path.clone(), bytes: &text.bytes, is_data: false })?;
            } else {
                drop(again);
                take(Made { path: path.clone(), bytes: &glb, is_data: false })?;
            }
            progress.reach(0.05 + 0.85 * (k + 1) as f32 / files.len() as f32)?;
        }
        lost.sort();
        lost.dedup();
        Ok(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_valid_on_every_file_system() {
        let made = |name: &str| file_name(name);
        assert_eq!(made("Idle/Look").as_deref(), Some("Idle_Look"));
        assert_eq!(made("a|b:c*?\"<>\\").as_deref(), Some("a_b_c______"));
        assert_eq!(made("CON").as_deref(), Some("_CON"));
        assert_eq!(made("com1.walk").as_deref(), Some("_com1.walk"));
        assert_eq!(made("Concert").as_deref(), Some("Concert"));
        assert_eq!(made(" .. "), None);
        assert_eq!(made("歩く").as_deref(), Some("歩く"));
        assert_eq!(made(&"x".repeat(500)).map(|n| n.len()), Some(180));
        assert_eq!(made(&"歩".repeat(200)), Some("歩".repeat(60)));
    }
}
