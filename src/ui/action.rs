//! What panels see and what they ask for: a read-only [`View`] in, [`Action`]s out.

use std::{collections::BTreeSet, path::PathBuf};

use egui::TextureId;
use glam::Vec2;

use super::{
    painting::{BrushNumber, PaintView, StrokePhase, VertexArea, VertexPick, WeightLook},
    settings::Settings,
    theme::Theme,
};
use crate::{
    edit::{Availability, Command, CommandLine, CommandSpec, KeyMap, Mode, NodeVisibility, Selection, Space},
    model::{ClipId, Diagnostic, ImageId, MaterialId, MeshId, NodeId, SkinId, UnkeyedAt},
    motion::{Bone, Pose},
    render::{Camera, DeviceFacts, Shading},
    session::{Outlook, Playback, SaveRequest, Session},
};

/// Something of the file that is no node, to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssetRef {
    /// A skin.
    Skin(SkinId),
    /// A mesh.
    Mesh(MeshId),
    /// A material.
    Material(MaterialId),
    /// An image.
    Image(ImageId),
}

impl AssetRef {
    /// What it is.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Skin(_) => "Skin",
            Self::Mesh(_) => "Mesh",
            Self::Material(_) => "Material",
            Self::Image(_) => "Image",
        }
    }

    /// Its name, or its number.
    pub fn name(self, document: &crate::model::Document) -> String {
        let (name, k) = match self {
            Self::Skin(k) => (document.skins.get(k).and_then(|s| s.name.clone()), k.0),
            Self::Mesh(k) => (document.meshes.get(k).and_then(|m| m.name.clone()), k.0),
            Self::Material(k) => (document.materials.get(k.index()).and_then(|m| m.name.clone()), k.0),
            Self::Image(k) => (document.images.get(k.index()).and_then(|i| i.name.clone()), k.0),
        };
        match name {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => format!("{} {k}", self.word().to_lowercase()),
        }
    }
}

/// Which tool the pointer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Selects.
    Select,
    /// Turns with a ring.
    #[default]
    Rotate,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ViewOptions {
    /// The ground grid.
    pub grid: bool,
    /// Joints.
    pub joints: bool,
    /// Their names.
    pub names: bool,
    /// The axes of joints.
    pub axes: bool,
    /// The file's own lights instead of the studio's.
    pub lights: bool,
    /// How surfaces are shown.
    pub shading: Shading,
    /// The outliner.
    pub outliner: bool,
    /// The outliner, in a window too narrow to have it always.
    pub outliner_narrow: bool,
    /// Problems.
    pub problems: bool,
    /// Inspector and problems.
    pub inspector: bool,
    /// The timeline.
    pub timeline: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            grid: true,
            joints: true,
            names: false,
            axes: false,
            lights: false,
            shading: Shading::Textured,
            outliner: true,
            outliner_narrow: false,
            problems: true,
            inspector: true,
            timeline: true,
        }
    }
}

/// Long work that is under way.
#[derive(Clone, Debug)]
pub struct JobView {
    /// What it does, such as *Opening fox.glb*.
    pub label: String,
    /// 0 to 1.
    pub fraction: f32,
    /// Whether it can be stopped.
    pub cancellable: bool,
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToastKind {
    /// It went well.
    Ok,
    /// There was nothing to do, and why.
    Note,
    /// It did not go well; stays until closed.
    Error,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Toast {
    /// How it is meant.
    pub kind: ToastKind,
    /// A sentence.
    pub text: String,
    /// When it came, on egui's clock.
    pub since: f64,
    /// How often it was said.
    pub times: u32,
    /// What can be done about it.
    pub verbs: Vec<(&'static str, Action)>,
}

/// A dialog over the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// A path to open, typed.
    Open {
        /// What was typed.
        path: String,
    },
    /// A path to save to, typed.
    SaveAs {
        /// What was typed.
        path: String,
        /// Whether the document stays with its file.
        copy: bool,
    },
    /// Unsaved work, and what was wanted.
    Unsaved {
        /// What to do after.
        then: DeferredAction,
    },
    /// What saving changes.
    Changes {
        /// Sentences.
        lines: Vec<String>,
    },
    /// Something is in the way of a save, and a person can say what to do.
    SaveRefused {
        /// What.
        obstacle: Obstacle,
        /// What was to be saved, and where.
        request: Box<SaveRequest>,
        /// Whether it was to be a copy.
        copy: bool,
    },
    /// A step keeps the document from being saved.
    CannotSave {
        /// Its place in the history.
        step: usize,
        /// Why.
        message: String,
        /// The file.
        path: PathBuf,
    },
    /// Another program wrote the file.
    ChangedOnDisk {
        /// What is chosen.
        choice: ChangedOnDisk,
        /// How long ago it was written, in words.
        written: Option<String>,
        /// What would come of reloading it, once that is known.
        outlook: Option<Box<Outlook>>,
    },
    /// Poses that are not keyed, before a save.
    Unkeyed {
        /// One a pose.
        rows: Vec<UnkeyedRow>,
    },
    /// What a crash left behind.
    Recovery {
        /// Whose steps are listed.
        open: Option<usize>,
        /// Which one is to be thrown away, if a person agrees once more.
        discard: Option<usize>,
    },
    /// The program failed in a frame.
    Fault {
        /// Where the report is.
        report: Option<String>,
        /// Where the journal is.
        journal: Option<String>,
    },
    /// The palette.
    Find,
    /// What a command needs.
    Arguments {
        /// The command.
        command: String,
        /// What was typed, in the order of its arguments.
        values: Vec<String>,
    },
    /// What was done.
    History {
        /// Steps that are marked, the first is 1.
        marked: BTreeSet<usize>,
    },
    /// The preferences.
    Preferences {
        /// Which page.
        page: PreferencePage,
        /// The command that waits for its new key.
        listening: Option<String>,
    },
    /// All commands.
    Commands,
    /// About Ulna.
    About,
}

/// A page of the preferences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreferencePage {
    /// Theme, size, motion, units.
    #[default]
    Look,
    /// The view.
    View,
    /// Backups and the journal.
    Files,
    /// Keys.
    Keys,
}

/// What was wanted when unsaved work came between.
#[derive(Clone, Debug, PartialEq)]
pub enum DeferredAction {
    /// Close the window.
    Quit,
    /// Open a file.
    Open(PathBuf),
    /// Open the sample.
    Sample,
    /// Read the file again.
    Revert,
}

/// What is in the way of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Another file is there.
    Exists,
    /// Another program changed it.
    Changed,
    /// It was removed.
    Gone,
    /// It has this many names.
    Linked(u64),
    /// It must not be written.
    ReadOnly,
}

/// What to do with a file that another program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedOnDisk {
    /// Read it, and do the edits again on it.
    Replay,
    /// Read it.
    Reload,
    /// Go on with what is here.
    Keep,
}

/// A pose that is not keyed, and what is to become of it on saving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnkeyedRow {
    /// Which one.
    pub at: UnkeyedAt,
    /// The name of its clip.
    pub clip: String,
    /// Its frame, or its time where it lies between frames.
    pub when: String,
    /// Whom it poses.
    pub about: String,
    /// Whether it is to be keyed, or left as it is.
    pub key: bool,
}

/// A step that a journal holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// What a person did.
    pub label: String,
    /// To what.
    pub about: String,
    /// When, in words.
    pub when: String,
}

/// A journal that a crash left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryView {
    /// Its picture.
    pub picture: Option<TextureId>,
    /// The file's name.
    pub name: String,
    /// Where it is.
    pub folder: String,
    /// What was done and is in no file, the first first.
    pub steps: Vec<StepView>,
    /// Whether the file looks changed since.
    pub changed: bool,
    /// When the last was done, in words.
    pub last: String,
}

/// A file that was opened lately, as the welcome page shows it.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Where it is.
    pub path: PathBuf,
    /// When it was opened: *yesterday*.
    pub when: String,
    /// What is in it: *41 joints · 76 clips*.
    pub facts: String,
    /// Its picture.
    pub picture: Option<TextureId>,
    /// It is not there any more.
    pub missing: bool,
}

/// Everything a panel may look at.
#[derive(Clone)]
pub struct View<'a> {
    /// The open file.
    pub session: Option<&'a Session>,
    /// The pose that is shown.
    pub pose: &'a Pose,
    /// The bones of that pose.
    pub bones: &'a [Bone],
    /// For every node, whether it is a joint.
    pub joints: &'a [bool],
    /// What is selected.
    pub selection: &'a Selection,
    /// What is hidden and what is locked.
    pub marks: &'a NodeVisibility,
    /// What is looked at besides nodes.
    pub about: Option<AssetRef>,
    /// The clock.
    pub playback: &'a Playback,
    /// Pose or Animate.
    pub mode: Mode,
    /// The pointer's tool.
    pub tool: Tool,
    /// The axes of the gizmo.
    pub space: Space,
    /// Whether a pose becomes a key at once.
    pub auto_key: bool,
    /// The unkeyed pose that is seen.
    pub unkeyed: Option<UnkeyedAt>,
    /// Whether it is carried along with the playhead.
    pub carried: bool,
    /// What is shown.
    pub shown: ViewOptions,
    /// The eye.
    pub camera: Camera,
    /// The joint under the pointer, in any panel.
    pub hover: Option<NodeId>,
    /// What a person prefers.
    pub settings: &'a Settings,
    /// Which key does what.
    pub keys: &'a KeyMap,
    /// Files opened lately.
    pub recent: &'a [Recent],
    /// Whether the welcome page is before the panels.
    pub welcome: bool,
    /// The step of the tour that is shown.
    pub tour: Option<usize>,
    /// Colours and measures.
    pub theme: &'a Theme,
    /// The viewport's picture.
    pub texture: Option<TextureId>,
    /// What commands may look at to be enabled.
    pub availability: Availability,
    /// What is odd about the file.
    pub problems: &'a [Diagnostic],
    /// Long work.
    pub job: Option<JobView>,
    /// Messages.
    pub toasts: &'a [Toast],
    /// The dialog that is open.
    pub dialog: Option<&'a Dialog>,
    /// What a crash left behind.
    pub recoveries: &'a [RecoveryView],
    /// Where journals lie.
    pub journal_home: Option<&'a std::path::Path>,
    /// Milliseconds the last picture took to make on the CPU.
    pub frame_ms: f32,
    /// While the viewport is not drawn in full: a picture's pixels for each of its own, along a side.
    pub quick: Option<f32>,
    /// The graphics device.
    pub device: &'a str,
    /// What there is to know of it.
    pub device_facts: Option<&'a DeviceFacts>,
    /// All of them, and whether they failed at an earlier start.
    pub devices: &'a [(DeviceFacts, bool)],
    /// The one that a person chose; the best unless given.
    pub device_wish: Option<&'a str>,
    /// Painting.
    pub paint: PaintView<'a>,
}

impl View<'_> {
    /// The clip that is shown, in Animate mode or while painting over one.
    pub fn shown_clip(&self) -> Option<ClipId> {
        let shows = self.mode == Mode::Animate || (self.mode == Mode::Paint && self.paint.over_clip);
        shows.then_some(self.playback.clip).flatten()
    }

    /// Where on the clip edits go: the time of the unkeyed pose that is carried, else the playhead's.
    pub fn edit_time(&self) -> f32 {
        let carried = self.unkeyed.filter(|_| self.carried && !self.auto_key);
        carried.map_or(self.playback.time as f32, UnkeyedAt::time)
    }
}

/// What a panel asks for.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few are there at a time")]
pub enum Action {
    /// A command.
    Run(Command),
    /// A command that a person named: what is selected and shown are its arguments.
    Invoke(&'static CommandSpec),
    /// A command whose arguments were typed.
    RunLine(CommandLine),
    /// A gesture's present state, as commands that act on the state it began with.
    Preview {
        /// For the undo menu.
        label: String,
        /// What it would do.
        commands: Vec<Command>,
    },
    /// The gesture ends as previewed.
    Commit,
    /// The gesture never was.
    Cancel,
    /// What the outliner asks for, and others that choose nodes.
    Outliner(OutlinerAction),
    /// What the timeline asks for.
    Timeline(TimelineAction),
    /// What the viewport asks for.
    Viewport(ViewportAction),
    /// What the list of problems asks for.
    Problem(ProblemAction),
    /// What dialogs ask for: files, journals, the history.
    Dialog(DialogAction),
    /// What is of the program around the file: its messages, preferences and devices.
    Program(ProgramAction),
    /// What Paint mode asks for.
    Paint(PaintAction),
}

/// What the outliner asks for, and others that choose nodes.
#[derive(Clone, Debug)]
pub enum OutlinerAction {
    /// Only this node; with Shift, in or out.
    Select {
        /// Which.
        node: NodeId,
        /// Add or take out.
        toggle: bool,
    },
    /// These nodes.
    SelectMany {
        /// Which.
        nodes: Vec<NodeId>,
        /// Besides those that are.
        add: bool,
    },
    /// Look at something that is no node, or no longer.
    About(Option<AssetRef>),
    /// Hide or show a node and what is below it.
    SetHidden {
        /// Which.
        node: NodeId,
        /// Whether it is hidden.
        hidden: bool,
    },
    /// Lock or unlock a node.
    SetLocked {
        /// Which.
        node: NodeId,
        /// Whether it is locked.
        locked: bool,
    },
}

impl From<OutlinerAction> for Action {
    fn from(action: OutlinerAction) -> Self {
        Self::Outliner(action)
    }
}

/// What the timeline asks for.
#[derive(Clone, Debug)]
pub enum TimelineAction {
    /// Carries an unkeyed pose along with the playhead, or none.
    Carry(Option<UnkeyedAt>),
    /// These keys.
    SelectKeys {
        /// Which.
        keys: Vec<crate::edit::KeyRef>,
        /// Besides those that are.
        add: bool,
    },
    /// The playhead moved.
    Seek(f64),
    /// Another clip.
    ShowClip(ClipId),
    /// Another ruler.
    Fps(f64),
    /// How fast it plays.
    Speed(f64),
    /// Auto-key on or off.
    AutoKey(bool),
}

impl From<TimelineAction> for Action {
    fn from(action: TimelineAction) -> Self {
        Self::Timeline(action)
    }
}

/// What the viewport asks for.
#[derive(Clone, Debug)]
pub enum ViewportAction {
    /// Another scene, or another variant of the materials.
    Choose(crate::model::DisplayChoice),
    /// The pointer is over a joint, or over none.
    Hover(Option<NodeId>),
    /// A click on the viewport's surface, in points of its picture.
    PickSurface {
        /// Where.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// Add or take out.
        toggle: bool,
    },
    /// The eye moved.
    Camera(Camera),
    /// The gizmo's axes.
    SetSpace(Space),
    /// The viewport's size, in points.
    ViewportSize(Vec2),
}

impl From<ViewportAction> for Action {
    fn from(action: ViewportAction) -> Self {
        Self::Viewport(action)
    }
}

/// What the list of problems asks for.
#[derive(Clone, Debug)]
pub enum ProblemAction {
    /// Show the place of a problem.
    ShowProblem(usize),
    /// Mend a problem.
    FixProblem(usize),
}

impl From<ProblemAction> for Action {
    fn from(action: ProblemAction) -> Self {
        Self::Problem(action)
    }
}

/// What dialogs ask for: files, journals, the history.
#[derive(Clone, Debug)]
pub enum DialogAction {
    /// Back or forward to where this many steps are done.
    GoTo(usize),
    /// Open this file.
    OpenPath(PathBuf),
    /// Save to this file.
    SavePath(PathBuf),
    /// Another dialog, or none.
    SetDialog(Option<Dialog>),
    /// The system's own file dialog.
    Browse {
        /// For saving.
        save: bool,
    },
    /// Do what was wanted without saving.
    DiscardAndContinue(DeferredAction),
    /// Save, then do what was wanted.
    SaveThen(DeferredAction),
    /// Save although something is in the way.
    SaveAnyway {
        /// What is.
        obstacle: Obstacle,
        /// What was to be saved.
        request: Box<SaveRequest>,
        /// Whether it was to be a copy.
        copy: bool,
    },
    /// Save without a step of the history.
    LeaveOut(usize),
    /// Read the file again; with the edits done again on it, or without.
    Reload {
        /// Whether they are.
        replay: bool,
    },
    /// Save a copy to this path.
    SaveCopy(PathBuf),
    /// Do again what a journal holds.
    Recover(usize),
    /// Throw a journal away.
    DiscardRecovery(usize),
    /// Throw all journals away but the one that is written.
    ClearJournals,
    /// Keys the chosen poses, and saves.
    KeyAndSave(Vec<UnkeyedRow>),
}

impl From<DialogAction> for Action {
    fn from(action: DialogAction) -> Self {
        Self::Dialog(action)
    }
}

/// What is of the program around the file: its messages, preferences and devices.
#[derive(Clone, Debug)]
pub enum ProgramAction {
    /// Draws on this graphics device from now on, by its name; on the best unless given.
    ChooseDevice(Option<String>),
    /// Other preferences.
    Settings(Box<Settings>),
    /// A step of the tour, or none.
    Tour(Option<usize>),
    /// A recent file to be forgotten.
    Forget(PathBuf),
    /// Stop the long work.
    CancelJob,
    /// The pointer is over a message: it stays.
    HoldToast(usize),
    /// Close a message.
    CloseToast(usize),
}

impl From<ProgramAction> for Action {
    fn from(action: ProgramAction) -> Self {
        Self::Program(action)
    }
}

/// What Paint mode asks for.
#[derive(Clone, Debug)]
pub enum PaintAction {
    /// The pointer over the viewport while painting, in points of its picture; nothing: not over it.
    BrushHover(Option<(Vec2, Vec2)>),
    /// A part of a stroke.
    Stroke {
        /// Which part.
        phase: StrokePhase,
        /// Where, in points of the picture.
        at: Vec2,
        /// The picture's size.
        size: Vec2,
        /// A pen's pressure.
        pressure: f32,
        /// The key that smooths is held.
        smooth: bool,
        /// The key that inverts is held.
        invert: bool,
    },
    /// Another brush.
    Brush(Box<crate::weights::Brush>),
    /// Begins to drag a number of the brush, or ends it.
    AdjustBrush(Option<BrushNumber>),
    /// Lock or unlock the weights of joints.
    LockWeights {
        /// Which.
        nodes: Vec<NodeId>,
        /// Whether they are locked.
        locked: bool,
    },
    /// Paint another layer.
    PaintLayer(crate::weights::layers::LayerTarget),
    /// Paint the weights of a layer, or its mask.
    PaintOfLayer(crate::weights::layers::Painted),
    /// The most joints a vertex may have.
    WeightLimit(usize),
    /// Another way to show weights.
    WeightLook(WeightLook),
    /// Whether a clip is shown while painting.
    PaintOverClip(bool),
    /// Whether the range of motion is shown while painting.
    PaintRange(bool),
    /// Show a spot at its worst moment.
    GoToSpot(crate::motion::Spot),
    /// The vertices of the canvas in a part of the picture.
    SelectVerticesIn {
        /// Which part, in points of the picture.
        area: VertexArea,
        /// The picture's size.
        size: Vec2,
        /// Besides those that are.
        add: bool,
    },
    /// How vertices are selected.
    VertexPick(VertexPick),
    /// A drag over the model is a gradient, radial or not; nothing: it is a stroke.
    GradientTool(Option<bool>),
    /// A gradient from one point of the picture to another.
    Gradient {
        /// Where the brush's value is given whole.
        from: Vec2,
        /// Where it has faded.
        to: Vec2,
        /// The picture's size.
        size: Vec2,
    },
    /// These vertices of the canvas.
    SelectVertices {
        /// Which.
        vertices: Vec<u32>,
        /// Besides those that are.
        add: bool,
    },
}

impl From<PaintAction> for Action {
    fn from(action: PaintAction) -> Self {
        Self::Paint(action)
    }
}

/// What panels ask for in one frame.
#[derive(Debug, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Asks for one more.
    pub fn push(&mut self, action: impl Into<Action>) {
        self.0.push(action.into());
    }

    /// Takes back what was asked for, but for these.
    pub fn retain(&mut self, stays: impl FnMut(&Action) -> bool) {
        self.0.retain(stays);
    }

    /// Whether nothing is asked for.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<A: Into<Action>> Extend<A> for Actions {
    fn extend<I: IntoIterator<Item = A>>(&mut self, actions: I) {
        self.0.extend(actions.into_iter().map(Into::into));
    }
}

impl IntoIterator for Actions {
    type Item = Action;
    type IntoIter = std::vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
