//! Choices on the import page for a non-glTF file.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use egui::{TextureId, Vec2 as Points};
use glam::{Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

use ulna_model::Diagnostic;
use ulna_render::{Axis, Camera};
use ulna_session::{AxisDirection, Content, Conversion, GltfDifference, ImportFindings, UpAxis};

/// Units: meters per unit, and name.
pub const UNITS: [(f32, &str); 6] = [
    (1.0, "meters"),
    (0.01, "centimeters"),
    (0.0254, "inches"),
    (0.001, "millimeters"),
    (0.1, "decimeters"),
    (0.056_444, "CMU mocap, 5.64 cm"),
];

/// Counts of elements in a non-glTF file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForeignCounts {
    /// Number of meshes.
    pub meshes: usize,
    /// Number of vertices in all meshes.
    pub vertices: usize,
    /// Whether any mesh has a skin.
    pub is_skinned: bool,
    /// Number of joints.
    pub joints: usize,
    /// Number of root joints.
    pub roots: usize,
}

/// File that was chosen together with the file of the import page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBeside {
    /// Name of the file.
    pub name: String,
    /// Number of clips.
    pub clips: usize,
    /// Number of joints that the clips of the file animate, and number of those that the model has.
    pub joints: [usize; 2],
    /// Whether the skeleton of the file probably belongs to another model.
    pub is_other: bool,
    /// Reason why nothing can be imported.
    pub fault: Option<String>,
    /// Whether the clips of the file are imported.
    pub takes: bool,
}

/// Import settings for a format and exporting program, stored in the preferences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForeignSettings {
    /// Name of the format.
    pub format: String,
    /// Program that writes the files, without its version; empty if the files state none.
    pub program: String,
    /// Label of the up axis.
    pub up: Option<String>,
    /// Label of the front direction of models.
    pub front: Option<String>,
    /// Meters per unit.
    pub unit: Option<f32>,
    /// Ticks or frames per second.
    pub rate: Option<f64>,
    /// Whether helper nodes are removed.
    pub cleans: bool,
    /// Whether nodes above the skeleton keep their scale and rotation.
    pub keeps_armature: bool,
}

/// Import settings of a non-glTF file that is about to be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertDraft {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the format.
    pub format: &'static str,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Counts of elements in the file.
    pub counts: ForeignCounts,
    /// Findings of the importer.
    pub found: Arc<ImportFindings>,
    /// Problems of the file.
    pub findings: Arc<[Diagnostic]>,
    /// Bounding box of the model as read, in meters; `None` without geometry.
    pub bounds: Option<[Vec3; 2]>,
    /// Name of the open model, if the clips could be imported into it.
    pub onto: Option<String>,
    /// Settings that the file was read with.
    pub read_as: Conversion,
    /// Settings chosen on the page.
    pub conversion: Conversion,
    /// Whether helper nodes are removed after opening.
    pub cleans: bool,
    /// Whether the settings are stored for similar files.
    pub remembers: bool,
    /// Files that were chosen together with this file.
    pub others: Vec<FileBeside>,
    /// Display options of the preview.
    pub preview: ConvertPreview,
    /// Filter of the list of clips, by name.
    pub filter: String,
    /// Path of the report while it is being typed.
    pub report: Option<String>,
    /// Reason why opening with the chosen settings failed.
    pub fault: Option<String>,
}

/// Display options of the preview.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvertPreview {
    /// Index of the clip that is shown; `None` for the rest pose.
    pub clip: Option<usize>,
    /// Whether the clip plays.
    pub plays: bool,
    /// Whether the reference figure is shown.
    pub figure: bool,
    /// Whether joints are shown.
    pub joints: bool,
    /// Whether surfaces show their materials; otherwise one plain material.
    pub textured: bool,
    /// Yaw and pitch of the camera, in radians.
    pub turn: [f32; 2],
}

impl Default for ConvertPreview {
    fn default() -> Self {
        Self {
            clip: None,
            plays: false,
            figure: true,
            joints: false,
            textured: true,
            turn: [0.3, 0.12],
        }
    }
}

/// Rendered preview of the import page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConvertView {
    /// Image of the model; `None` before the first rendering.
    pub picture: Option<TextureId>,
}

/// Rotation from the axes of a file to Y up and Z front.
fn rotation(up: UpAxis, front: Option<AxisDirection>, is_mirrored: bool) -> Quat {
    let seen = |d: Vec3| if is_mirrored { d * Vec3::new(1.0, 1.0, -1.0) } else { d };
    let up = Quat::from_rotation_arc(seen(up.direction()), Vec3::Y);
    let front = front.map(|f| up * seen(f.direction())).filter(|f| f.y.abs() < 0.5);
    front.map_or(Quat::IDENTITY, |f| Quat::from_rotation_y(-f.x.atan2(f.z))) * up
}

/// Minimum and maximum corner of a transformed box.
fn moved(by: &Mat4, [low, high]: [Vec3; 2]) -> [Vec3; 2] {
    let corners = (0..8).map(|k| {
        let side = |axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] };
        by.transform_point3(Vec3::new(side(0), side(1), side(2)))
    });
    corners.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[l, h], p| [l.min(p), h.max(p)])
}

impl ConvertDraft {
    /// Diagnostic code of the difference about helper nodes.
    pub(crate) const HELPERS: &str = "ULNA_FBX_HELPER_NODES";
    /// Diagnostic code of the difference about scale and rotation above the skeleton.
    pub(crate) const ARMATURE: &str = "ULNA_ARMATURE_MENDED";
    /// Height of the reference figure, in meters.
    pub const FIGURE: f32 = 1.8;
    /// Half the width of the reference figure, in meters.
    const FIGURE_HALF: f32 = 0.67;
    /// Range of plausible model heights, in meters.
    const LIKELY: std::ops::RangeInclusive<f32> = 0.3..=3.0;

    /// Whether the file uses a left-handed coordinate system, as DirectX does.
    fn is_mirrored(&self) -> bool {
        self.format.starts_with("DirectX")
    }

    /// Up axis with the chosen settings.
    pub(crate) fn up(&self) -> UpAxis {
        self.conversion.up.or(self.found.up).unwrap_or_default()
    }

    /// Front direction of models with the chosen settings.
    pub(crate) fn front(&self) -> AxisDirection {
        let up = self.up();
        let stated = self.conversion.front.or(self.found.front);
        let is_level = |f: &AxisDirection| f.direction().dot(up.direction()).abs() < 0.5;
        stated.filter(is_level).unwrap_or_else(|| {
            let turn = rotation(up, None, self.is_mirrored());
            let seen = turn.inverse() * Vec3::Z;
            let mirror = Vec3::new(1.0, 1.0, if self.is_mirrored() { -1.0 } else { 1.0 });
            let along = |f: &AxisDirection| f.direction().dot(seen * mirror) > 0.9;
            AxisDirection::ALL.into_iter().find(along).unwrap_or(AxisDirection::PlusZ)
        })
    }

    /// Sets the up axis, and a front direction perpendicular to it.
    pub(crate) fn choose_up(&mut self, up: UpAxis) {
        self.conversion.up = Some(up);
        self.conversion.front = Some(self.front());
    }

    /// Problems of the file that are not listed as differences.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_told = |f: &&Diagnostic| self.found.differences.iter().all(|d| d.code != f.code);
        self.findings.iter().filter(is_told)
    }

    /// Meters per unit with the chosen settings.
    pub(crate) fn unit(&self) -> f32 {
        self.conversion.unit.or(self.found.unit).unwrap_or(1.0)
    }

    /// Transform from the model as read to the model with the chosen settings.
    pub(crate) fn change(&self) -> Mat4 {
        let of = |c: &Conversion| {
            let up = c.up.or(self.found.up).unwrap_or_default();
            let turn = rotation(up, c.front.or(self.found.front), self.is_mirrored());
            (turn, c.unit.or(self.found.unit).unwrap_or(1.0))
        };
        let ((old, before), (new, after)) = (of(&self.read_as), of(&self.conversion));
        let turn = new * old.inverse();
        let scale = if before > 0.0 { after / before } else { 1.0 };
        Mat4::from_scale_rotation_translation(Vec3::splat(scale), turn, Vec3::ZERO)
    }

    /// Bounding box of the model with the chosen settings, in meters.
    pub(crate) fn extent(&self) -> Option<[Vec3; 2]> {
        self.bounds.map(|bounds| moved(&self.change(), bounds))
    }

    /// Height with the chosen settings, in meters; `None` for a flat model.
    pub(crate) fn height(&self) -> Option<f32> {
        let [low, high] = self.extent()?;
        let least = (high - low).max_element() * 1e-3;
        Some(high.y - low.y).filter(|h| *h > least && h.is_finite())
    }

    /// Whether the height is plausible for a body or a prop.
    pub(crate) fn is_likely_height(&self) -> bool {
        self.height().is_none_or(|h| Self::LIKELY.contains(&h))
    }

    /// Unit that would give the model a plausible height, in meters per unit, with its name if it
    /// is common. `None` if the chosen unit is plausible.
    pub(crate) fn likelier_unit(&self) -> Option<(f32, &'static str)> {
        let unit = self.unit();
        let tall = self.height().filter(|_| !self.is_likely_height())? / unit;
        let off = |unit: f32| (tall * unit / 1.7).ln().abs();
        let is_likely = |unit: &(f32, &str)| Self::LIKELY.contains(&(tall * unit.0));
        let usual = UNITS.into_iter().filter(|u| [1.0, 0.01, 0.001].contains(&u.0));
        let others = [0.01, 0.001, 100.0, 1000.0].map(|by| (unit * by, ""));
        let best = |a: &(f32, &str), b: &(f32, &str)| off(a.0).total_cmp(&off(b.0));
        let others = others.into_iter().filter(is_likely).min_by(best);
        usual.filter(is_likely).min_by(best).or(others)
    }

    /// Position of the reference figure's feet: beside the model, on the ground.
    pub(crate) fn figure_at(&self) -> Vec3 {
        let [low, high] = self.extent().unwrap_or_default();
        let gap = 0.06 * (high - low).max_element().clamp(0.5, 4.0);
        Vec3::new(low.x - gap - Self::FIGURE_HALF, 0.0, (low.z + high.z) * 0.5)
    }

    /// Camera of a preview with this aspect ratio. It shows the model and, if displayed, the
    /// reference figure.
    pub(crate) fn camera(&self, aspect: f32) -> Camera {
        let [mut low, mut high] = self.extent().unwrap_or([Vec3::ZERO, Vec3::splat(0.01)]);
        // Leave space for the height line on the right of the model.
        high.x += (high - low).max_element() * 0.08;
        if self.preview.figure {
            let feet = self.figure_at();
            low = low.min(feet - Vec3::new(Self::FIGURE_HALF, 0.0, 0.15));
            high = high.max(feet + Vec3::new(Self::FIGURE_HALF, Self::FIGURE * 1.05, 0.15));
        }
        let size = high - low;
        low.y -= size.y * 0.06;
        high.y += size.y * 0.08;
        let mut camera = Camera { fov: 0.5, ..Camera::default() };
        camera.look(Axis::Front);
        [camera.yaw, camera.pitch] = self.preview.turn;
        camera.reach = size.length() * 8.0;
        camera.frame(low, high, aspect);
        camera
    }

    /// Direction that points right in the preview.
    pub(crate) fn right(&self) -> Vec3 {
        self.camera(1.0).right()
    }

    /// Whether a clip is imported.
    pub(crate) fn takes_clip(&self, clip: usize) -> bool {
        match &self.conversion.clips {
            Some(chosen) => chosen.contains(&clip),
            None => self.found.clips.get(clip).is_some_and(|c| c.moves),
        }
    }

    /// Includes or excludes clips.
    pub(crate) fn take_clips(&mut self, clips: impl Iterator<Item = usize>, takes: bool) {
        let all = 0..self.found.clips.len();
        let mut chosen: BTreeSet<usize> = all.clone().filter(|k| self.takes_clip(*k)).collect();
        for clip in clips {
            if takes {
                chosen.insert(clip);
            } else {
                chosen.remove(&clip);
            }
        }
        let usual: BTreeSet<usize> = all.filter(|k| self.found.clips[*k].moves).collect();
        self.conversion.clips = (chosen != usual).then_some(chosen);
    }

    /// Number of clips imported from the file itself.
    pub(crate) fn clip_count(&self) -> usize {
        (0..self.found.clips.len()).filter(|k| self.takes_clip(*k)).count()
    }

    /// Number of clips imported from all files.
    pub(crate) fn all_clip_count(&self) -> usize {
        let beside = self.others.iter().filter(|o| o.takes).map(|o| o.clips).sum::<usize>();
        self.clip_count() + beside
    }

    /// Whether a kind of content is imported.
    pub(crate) fn takes(&self, content: Content) -> bool {
        let with_meshes = matches!(content, Content::BlendShapes | Content::Materials);
        let leaves_out = |c| self.conversion.without.contains(&c);
        !(leaves_out(content) || with_meshes && leaves_out(Content::Meshes))
    }

    /// Whether the file has helper nodes that can be removed.
    pub(crate) fn has_helpers(&self) -> bool {
        self.found.differences.iter().any(|d| d.code == Self::HELPERS)
    }

    /// Whether the nodes above the skeleton have scale or rotation that can be removed.
    pub(crate) fn has_armature(&self) -> bool {
        self.found.differences.iter().any(|d| d.code == Self::ARMATURE)
    }

    /// Program that wrote the file, without its version; empty if the file states none.
    pub(crate) fn program(&self) -> String {
        let (_, program) = self.found.made_by.split_once(", from ").unwrap_or_default();
        let mut words = program.split_whitespace();
        // The first word may start with a digit, as in 3ds Max.
        let first = words.next();
        let is_name = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit() || c == '(');
        first.into_iter().chain(words.take_while(is_name)).collect::<Vec<_>>().join(" ")
    }

    /// Settings to store for similar files.
    pub(crate) fn settings(&self) -> ForeignSettings {
        let Conversion { up, front, unit, rate, keep_armature, .. } = &self.conversion;
        ForeignSettings {
            format: self.format.to_owned(),
            program: self.program(),
            up: up.map(|up| up.label().to_owned()),
            front: front.map(|front| front.label().to_owned()),
            unit: *unit,
            rate: *rate,
            cleans: self.cleans,
            keeps_armature: *keep_armature,
        }
    }

    /// Applies the settings stored for similar files.
    pub(crate) fn apply_settings(&mut self, kept: &[ForeignSettings]) {
        let program = self.program();
        let is_its = |s: &&ForeignSettings| s.format == self.format && s.program == program;
        let Some(settings) = kept.iter().find(is_its) else { return };
        let up = |label: &String| UpAxis::ALL.into_iter().find(|a| a.label() == label);
        let front = |label: &String| AxisDirection::ALL.into_iter().find(|a| a.label() == label);
        let chosen = &mut self.conversion;
        chosen.up = settings.up.as_ref().and_then(up);
        chosen.front = settings.front.as_ref().and_then(front);
        chosen.unit = settings.unit.filter(|u| (1e-6..=1e6).contains(u));
        chosen.rate = settings.rate.filter(|r| (0.01..=1e6).contains(r));
        chosen.keep_armature = settings.keeps_armature;
        self.cleans = settings.cleans;
        self.remembers = true;
    }

    /// Stores the settings for similar files, or removes stored settings.
    pub(crate) fn keep_settings(&self, kept: &mut Vec<ForeignSettings>) {
        let program = self.program();
        kept.retain(|s| s.format != self.format || s.program != program);
        if self.remembers {
            kept.push(self.settings());
        }
    }

    /// Size of the page in a window, in points.
    pub(crate) fn page_size(window: Points) -> Points {
        let [x, y] = [(window.x - 24.0).min(1096.0), (window.y - 24.0).min(776.0)];
        Points::new(x.max(480.0), y.max(320.0))
    }

    /// Width of the left side on a page of this width, in points.
    pub(crate) fn left_width(page: f32) -> f32 {
        (page * 0.5).min(440.0)
    }

    /// Height of the settings below the preview, in points.
    pub(crate) fn settings_height(&self) -> f32 {
        let rows = 3
            + usize::from(self.found.rate.is_some())
            + usize::from(self.found.heights > 0)
            + usize::from(self.likelier_unit().is_some());
        let armature = if self.has_armature() { Self::ROW + 14.0 } else { 0.0 };
        rows as f32 * Self::ROW + armature + 24.0
    }

    /// Size of the preview in a window, in points.
    pub(crate) fn preview_size(&self, window: Points) -> Points {
        let page = Self::page_size(window);
        let body = page.y - Self::HEAD - Self::FOOT;
        let height = (body - self.settings_height()).max(body * 0.45);
        Points::new(Self::left_width(page.x), height)
    }

    /// Height of the page header, in points.
    pub(crate) const HEAD: f32 = 72.0;
    /// Height of the page footer, in points.
    pub(crate) const FOOT: f32 = 68.0;
    /// Height of a row of settings, in points.
    pub(crate) const ROW: f32 = 34.0;

    /// Differences from glTF with the chosen settings.
    pub(crate) fn differences(&self) -> impl Iterator<Item = &GltfDifference> {
        let keeps = self.conversion.keep_armature;
        self.found.differences.iter().filter(move |d| !keeps || d.code != Self::ARMATURE)
    }

    /// Text report of the differences and problems.
    pub(crate) fn report_text(&self) -> String {
        let mut lines = vec![format!("{}: {}", self.path.display(), self.found.made_by)];
        for difference in self.differences() {
            let kind = if difference.is_loss { "warning" } else { "note" };
            let detail = match difference.detail.as_str() {
                "" => String::new(),
                detail => format!(" ({detail})"),
            };
            lines.push(format!("{kind}: {}{detail}", difference.text));
        }
        for finding in self.problems() {
            let kind = finding.severity;
            lines.push(format!("{kind}: {}: {}", finding.place, finding.message));
        }
        if lines.len() == 1 {
            lines.push("Everything in this file fits glTF.".to_owned());
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_session::FoundClip;

    fn draft() -> ConvertDraft {
        let clip =
            |name: &str, moves| FoundClip { name: name.into(), seconds: 1.0, keys: 3, moves };
        let found = ImportFindings {
            made_by: "FBX 7.4, from Blender 3.4".into(),
            up: Some(UpAxis::Z),
            front: Some(AxisDirection::MinusY),
            unit: Some(0.01),
            clips: vec![clip("a", true), clip("b", false), clip("c", true)],
            ..ImportFindings::default()
        };
        ConvertDraft {
            path: "a.fbx".into(),
            format: "FBX",
            bytes: 0,
            counts: ForeignCounts::default(),
            found: Arc::new(found),
            findings: Arc::default(),
            bounds: Some([Vec3::new(-0.5, 0.0, -0.1), Vec3::new(0.5, 1.8, 0.1)]),
            onto: None,
            read_as: Conversion::default(),
            conversion: Conversion::default(),
            cleans: false,
            remembers: false,
            others: Vec::new(),
            preview: ConvertPreview::default(),
            filter: String::new(),
            report: None,
            fault: None,
        }
    }

    #[test]
    fn changing_axis_and_unit_previews_the_height_in_the_document() {
        let mut draft = draft();
        assert_eq!(
            (draft.up(), draft.front(), draft.unit()),
            (UpAxis::Z, AxisDirection::MinusY, 0.01)
        );
        assert!((draft.height().unwrap() - 1.8).abs() < 1e-5 && draft.is_likely_height());
        draft.conversion.unit = Some(0.1);
        assert!((draft.height().unwrap() - 18.0).abs() < 1e-4);
        assert_eq!(draft.likelier_unit(), Some((0.01, "centimeters")));
        draft.conversion.unit = None;
        let high = Vec3::new(0.5, 160.0, 0.1);
        let far = ConvertDraft { bounds: Some([Vec3::ZERO, high]), ..draft.clone() };
        assert_eq!(far.likelier_unit(), Some((0.0001, "")), "100 times as small");
        draft.conversion.up = Some(UpAxis::X);
        assert!((draft.height().unwrap() - 1.0).abs() < 1e-5, "what was wide is tall");
        draft.conversion.up = Some(UpAxis::Y);
        assert_eq!(draft.front(), AxisDirection::PlusZ, "up says nothing of the front");
    }

    #[test]
    fn clips_without_motion_are_excluded_until_selected() {
        let mut draft = draft();
        let taken = |draft: &ConvertDraft| (0..3).map(|k| draft.takes_clip(k)).collect::<Vec<_>>();
        assert_eq!(taken(&draft), [true, false, true]);
        draft.take_clips([1].into_iter(), true);
        draft.take_clips([0].into_iter(), false);
        assert_eq!((taken(&draft), draft.clip_count()), (vec![false, true, true], 2));
        draft.take_clips([1].into_iter(), false);
        draft.take_clips([0].into_iter(), true);
        assert_eq!(draft.conversion, Conversion::default(), "as at first");
    }

    #[test]
    fn settings_are_remembered_per_exporting_program() {
        let mut first = draft();
        first.conversion.up = Some(UpAxis::Y);
        first.conversion.unit = Some(0.1);
        first.conversion.keep_armature = true;
        (first.cleans, first.remembers) = (true, true);
        let mut kept = Vec::new();
        first.keep_settings(&mut kept);
        assert_eq!((kept.len(), kept[0].program.as_str()), (1, "Blender"));
        let mut second = draft();
        second.apply_settings(&kept);
        assert_eq!(second.conversion, first.conversion);
        assert!(second.cleans && second.remembers);
        let mut third = draft();
        let made_by = "FBX 7.5, text, from 3ds Max 2020".to_owned();
        third.found = ImportFindings { made_by, ..ImportFindings::default() }.into();
        assert_eq!(third.program(), "3ds Max");
        second.remembers = false;
        second.keep_settings(&mut kept);
        assert!(kept.is_empty());
    }
}
