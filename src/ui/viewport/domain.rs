//! State and requests of the viewport: camera, tool and displays.

use egui::TextureId;
use glam::{Vec2, Vec3};

use ulna_edit::Preset;
use ulna_edit::command::{
    Body, Children, DragLimb, EndAngle, PoseDestination, ToolCommand, field::Nodes,
};
use ulna_model::{Derived, DisplayChoice, NodeId};
use ulna_motion::{Balance, Bone, MotionPath, Space};
use ulna_render::{Camera, Shading};

/// Visible panels and displays.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ViewOptions {
    /// Whether the ground grid is shown.
    pub grid: bool,
    /// Whether joints are shown.
    pub joints: bool,
    /// Whether joint names are shown.
    pub names: bool,
    /// Whether joint axes are shown.
    pub axes: bool,
    /// Whether names and axes are displayed for selected joints only.
    pub of_selected: bool,
    /// Whether joints are drawn as sticks instead of octahedra.
    pub sticks: bool,
    /// Thickness of joints, relative to the default of 1.
    pub joint_size: f32,
    /// Whether only joints that influence vertices are drawn.
    pub deforming: bool,
    /// Whether marks of pinned joints are shown.
    pub pins: bool,
    /// Whether the center of mass and the support area are shown.
    pub balance: bool,
    /// Whether motion paths of the selected joints are shown.
    pub motion_paths: bool,
    /// Settings of the onion skin: ghosts of the model at other times of the clip.
    pub onion: Onion,
    /// Whether the lights of the file replace the studio lights.
    pub lights: bool,
    /// Shading of surfaces.
    pub shading: Shading,
    /// Whether the outliner is open.
    pub outliner: bool,
    /// Whether the outliner is open in a narrow window, where it is closed by default.
    pub outliner_narrow: bool,
    /// Whether the list of problems is open.
    pub problems: bool,
    /// Whether the panel with inspector and problems is open.
    pub inspector: bool,
    /// Whether the timeline is open.
    pub timeline: bool,
    /// Whether the brush panel shows only radius, strength and value, to leave more space for the
    /// joints.
    pub brush_folded: bool,
    /// Size of the tool handles, relative to the default of 1.
    pub gizmo_size: f32,
    /// Color behind the model.
    pub background: Background,
}

impl ViewOptions {
    /// Minimum and maximum size of the tool handles.
    const GIZMO_SIZES: (f32, f32) = (0.5, 3.0);

    /// Multiplies the size of the tool handles by a factor, within its limits.
    pub fn resize_gizmo(&mut self, factor: f32) {
        let (least, most) = Self::GIZMO_SIZES;
        self.gizmo_size = (self.gizmo_size * factor).clamp(least, most);
    }
}

/// Background color of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Color of the theme.
    #[default]
    Theme,
    /// Light gray.
    Light,
    /// Dark gray.
    Dark,
    /// Black.
    Black,
}

impl Background {
    /// Returns the next color in the cycle.
    pub const fn next(self) -> Self {
        match self {
            Self::Theme => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Black,
            Self::Black => Self::Theme,
        }
    }

    /// Gray value in sRGB; `None` for the color of the theme.
    pub const fn gray(self) -> Option<u8> {
        match self {
            Self::Theme => None,
            Self::Light => Some(160),
            Self::Dark => Some(72),
            Self::Black => Some(0),
        }
    }
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            grid: true,
            joints: true,
            names: false,
            axes: false,
            of_selected: false,
            sticks: false,
            joint_size: 1.0,
            deforming: false,
            pins: true,
            balance: false,
            motion_paths: false,
            onion: Onion::default(),
            lights: false,
            shading: Shading::Textured,
            outliner: true,
            outliner_narrow: false,
            problems: true,
            inspector: true,
            timeline: true,
            brush_folded: false,
            gizmo_size: 1.0,
            background: Background::Theme,
        }
    }
}

/// Onion skin: ghosts of the model at other times of the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Onion {
    /// Whether ghosts are shown.
    pub shown: bool,
    /// Whether ghosts are placed at keys; otherwise at a fixed distance in frames.
    pub by_keys: bool,
    /// Distance between ghosts, in frames.
    pub step: u32,
    /// Number of ghosts before the playhead.
    pub before: u32,
    /// Number of ghosts after the playhead.
    pub after: u32,
    /// Whether ghosts include only the meshes that the selected joints influence.
    pub of_selected: bool,
}

impl Onion {
    /// Maximum number of ghosts before or after the playhead.
    pub const MOST: u32 = 12;
}

impl Default for Onion {
    fn default() -> Self {
        Self { shown: false, by_keys: false, step: 4, before: 2, after: 2, of_selected: false }
    }
}

/// Transform space of the gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GizmoSpace {
    /// Axes of a space in the scene.
    Of(Space),
    /// Axes of the view.
    View,
}

impl Default for GizmoSpace {
    fn default() -> Self {
        Self::Of(Space::Local)
    }
}

impl GizmoSpace {
    /// All spaces, in the order of the toolbar.
    pub const ALL: [Self; 6] = [
        Self::Of(Space::Local),
        Self::Of(Space::Parent),
        Self::Of(Space::World),
        Self::View,
        Self::Of(Space::Gimbal),
        Self::Of(Space::Rest),
    ];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Of(Space::Local) => "Local",
            Self::Of(Space::Parent) => "Parent",
            Self::Of(Space::World) => "World",
            Self::Of(Space::Gimbal) => "Gimbal",
            Self::Of(Space::Rest) => "Rest",
            Self::View => "View",
        }
    }

    /// Explanation for a tooltip.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Of(Space::Local) => "The joint's own axes in its current pose",
            Self::Of(Space::Parent) => "The axes of the parent joint",
            Self::Of(Space::World) => "The axes of the scene",
            Self::Of(Space::Gimbal) => "The axes of the X, Y and Z Euler angles",
            Self::Of(Space::Rest) => "The joint's own axes in the rest pose",
            Self::View => "The axes of the view: right, up and toward you",
        }
    }
}

/// Pivot mode for posing several joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pivot {
    /// Each joint about its own origin.
    #[default]
    Each,
    /// Origin of the active joint.
    Active,
    /// Mean of the origins of the selected joints.
    Median,
    /// Custom point, such as a fingertip or a heel.
    Spot,
}

impl Pivot {
    /// All pivot modes, in the order of the toolbar.
    pub const ALL: [Self; 4] = [Self::Each, Self::Active, Self::Median, Self::Spot];

    /// Title in the window.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Each => "Individual origins",
            Self::Active => "Active joint",
            Self::Median => "Median point",
            Self::Spot => "Custom pivot",
        }
    }

    /// Returns the next pivot mode. `with_spot` says whether a custom pivot exists.
    pub fn next(self, with_spot: bool) -> Self {
        match self {
            Self::Each => Self::Active,
            Self::Active => Self::Median,
            Self::Median if with_spot => Self::Spot,
            Self::Median | Self::Spot => Self::Each,
        }
    }
}

/// Snap steps of posing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnapSteps {
    /// Step of translations, in meters.
    pub length: f32,
    /// Step of rotations, in degrees.
    pub angle: f32,
    /// Step of scale factors.
    pub factor: f32,
}

impl Default for SnapSteps {
    fn default() -> Self {
        Self { length: 0.01, angle: 5.0, factor: 0.1 }
    }
}

/// Snap target of a drag while a key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapTo {
    /// The origin of a joint.
    Joint,
    /// A vertex of the surface.
    Vertex,
    /// Any point on the surface.
    Surface,
    /// The ground, at height 0.
    Ground,
    /// Multiples of the translation step in scene space.
    Grid,
    /// Midpoint between the front and the back surface of the whole body under the pointer.
    Limb,
    /// Midpoint between the front and the back surface of the frontmost part, such as an arm before
    /// the chest.
    FrontLimb,
    /// Center of the edge loop around the frontmost limb.
    Loop,
}

impl SnapTo {
    /// Snap targets, each with the key to hold and a name.
    const KEYS: [(egui::Key, Self, &'static str); 7] = [
        (egui::Key::J, Self::Joint, "joint"),
        (egui::Key::V, Self::Vertex, "vertex"),
        (egui::Key::F, Self::Surface, "surface"),
        (egui::Key::G, Self::Ground, "ground"),
        (egui::Key::B, Self::Grid, "grid"),
        (egui::Key::C, Self::Limb, "limb center"),
        (egui::Key::L, Self::Loop, "edge loop"),
    ];

    /// Returns the snap keys of a key map. `held`: whether a mouse button is held during the drag.
    /// In Maya's key map, X snaps to the grid and J snaps to steps.
    pub fn keys(preset: Preset, held: bool) -> Vec<(egui::Key, Self, &'static str)> {
        let maya = preset == Preset::Maya;
        let grid = (egui::Key::X, Self::Grid, "grid");
        Self::KEYS
            .into_iter()
            .filter(|(key, ..)| !maya || *key != egui::Key::J)
            .chain((maya && held).then_some(grid))
            .collect()
    }

    /// Whether the target is searched for under the pointer.
    pub const fn is_sought(self) -> bool {
        !matches!(self, Self::Ground | Self::Grid)
    }
}

/// IK options of drags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachOptions {
    /// Whether the spine and hips follow when a limb does not reach the target.
    pub full: bool,
    /// Number of joints in the IK chain; `None` for the whole limb.
    pub chain: Option<usize>,
    /// Whether the end joint keeps its rotation in the scene.
    pub keeps: bool,
    /// Whether stretching slows down as the limb gets straight.
    pub soft: bool,
    /// Whether joint rotations are limited to the range in the file's clips.
    pub limits: bool,
}

impl Default for ReachOptions {
    fn default() -> Self {
        Self { full: false, chain: None, keeps: true, soft: true, limits: false }
    }
}

impl ReachOptions {
    /// Creates the command that moves the end of a limb to a typed scene point, in meters. Soft
    /// stretching is off, so that the limb can become straight.
    pub fn put(&self, node: NodeId, to: Vec3, over: PoseDestination) -> DragLimb {
        DragLimb {
            node: Nodes::one(node),
            to,
            chain: self.chain,
            swivel: None,
            tip: None,
            end: Some(if self.keeps { EndAngle::Keep } else { EndAngle::Follow }),
            soft: Some(false),
            limits: self.limits.then_some(true),
            plant: None,
            body: Some(if self.full { Body::Full } else { Body::Limb }),
            over,
        }
    }
}

/// Bone near a point of the viewport.
#[derive(Clone, Copy, Debug)]
pub struct PickedBone {
    /// Joint of the bone.
    pub joint: NodeId,
    /// Nearest point on the bone, in scene space.
    pub spot: Vec3,
    /// Whether the point is near the head of the bone.
    pub is_head: bool,
    /// Whether the joint influences vertices. If not, a surface in front of the bone is picked
    /// instead.
    pub deforms: bool,
}

/// Joints and meshes under the last right click.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnderPointer {
    /// Joints: first those with bones near the pointer, then those that influence the surface
    /// there.
    pub joints: Vec<NodeId>,
    /// Nodes with meshes, from front to back.
    pub meshes: Vec<NodeId>,
    /// Whether a key opened the menu, so that it applies to the selection.
    pub by_key: bool,
}

impl UnderPointer {
    /// Whether the menu applies to no node: a click opened it, and neither a joint nor a mesh was
    /// under the pointer.
    pub const fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.meshes.is_empty() && !self.by_key
    }
}

/// Requests that the viewport sends to the application.
#[derive(Clone, Debug)]
pub enum ViewportAction {
    /// Shows another scene or material variant.
    Choose(DisplayChoice),
    /// Sets the joint under the pointer.
    Hover(Option<NodeId>),
    /// Reports that the pointer is over the viewport, but over no joint that influences vertices.
    HoverSurface {
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Joint under the pointer that influences no vertices. It is used if no surface is in
        /// front of it.
        behind: Option<PickedBone>,
    },
    /// Selects the joint of the surface at a click, if no bone that influences vertices is there.
    PickSurface {
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Joint at the click that influences no vertices. It is selected if no surface is in front
        /// of it.
        behind: Option<PickedBone>,
        /// Whether the click toggles the selection instead of replacing it.
        toggle: bool,
    },
    /// Makes the context menu apply to the selection, because a key opens it.
    MenuByKey,
    /// Finds the joints and meshes under a right click. If the joint that a click would select is
    /// not selected yet, it becomes the selection.
    PickForMenu {
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Bones at the pointer, the nearest first.
        near: Vec<PickedBone>,
    },
    /// Starts an IK drag at a press on the viewport, if a limb is there.
    Grab {
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Bone at the pointer; `None` if there is none.
        bone: Option<PickedBone>,
    },
    /// Sets whether posing a joint also poses its mirror joint.
    SetSymmetry(bool),
    /// Sets whether children of posed joints follow them.
    SetChildren(Children),
    /// Selects a tool without starting a gesture.
    SetTool(ToolCommand),
    /// Sets the IK options of drags.
    SetReach(ReachOptions),
    /// Sets the camera after an orbit, pan or zoom.
    Camera(Camera),
    /// Sets the space of the gizmo's axes.
    SetSpace(GizmoSpace),
    /// Sets the pivot mode for posing several joints.
    SetPivot(Pivot),
    /// Searches for a snap target under the pointer during a drag.
    SeekSpot {
        /// Position in the viewport, in points.
        at: Vec2,
        /// Size of the viewport, in points.
        size: Vec2,
        /// Kind of the snap target.
        of: SnapTo,
        /// Dragged nodes. They and their descendants are no snap targets.
        except: Vec<NodeId>,
    },
    /// Sets whether drags snap without a key, and the steps of snapping.
    SetSnap(bool, SnapSteps),
    /// Sets the options of ghosts.
    SetOnion(Onion),
    /// Sets the thickness of drawn joints.
    SetJointSize(f32),
    /// Sets the comparison with the file as opened.
    SetCompare(Compare),
    /// Reports the size of the viewport, in points.
    ViewportSize(Vec2),
}

/// Comparison of the edited model with the file as opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// No comparison: only the edited model is shown.
    #[default]
    Edited,
    /// The file as opened is shown instead of the edited model.
    File,
    /// The file as opened is shown as a ghost, together with the edited model.
    Both,
}

impl Compare {
    /// Returns the next choice in the cycle.
    pub const fn next(self) -> Self {
        match self {
            Self::Edited => Self::File,
            Self::File => Self::Both,
            Self::Both => Self::Edited,
        }
    }

    /// All choices with their labels in the interface.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::File, "File"), (Self::Edited, "Edited"), (Self::Both, "Both")];
}

/// State of the viewport: camera, tool and displays.
#[derive(Clone, Debug, Default)]
pub struct Viewport {
    /// Camera of the viewport.
    pub camera: Camera,
    /// Current camera animation: start, end and start time in seconds on egui's clock.
    pub transition: Option<(Camera, Camera, f64)>,
    /// Last camera of the file that the view was set to.
    pub looked_through: Option<NodeId>,
    /// Current tool.
    pub tool: ToolCommand,
    /// Space of the gizmo's axes.
    pub space: GizmoSpace,
    /// Pivot mode for posing several joints.
    pub pivot: Pivot,
    /// Custom pivot: a node, and a point in its space that moves with it.
    pub pivot_spot: Option<(NodeId, Vec3)>,
    /// Whether drags snap without a key.
    pub snap: bool,
    /// Snap steps of posing.
    pub snap_steps: SnapSteps,
    /// Last search for a snap target: the kind, and the position in scene space if one was found.
    pub sought: Option<(SnapTo, Option<Vec3>)>,
    /// IK options of drags.
    pub reach: ReachOptions,
    /// Whether posing a joint also poses its mirror joint.
    pub symmetry: bool,
    /// Whether children of posed joints follow them.
    pub children: Children,
    /// Visible panels and displays.
    pub options: ViewOptions,
    /// Comparison with the file as opened.
    pub compare: Compare,
    /// Whether a key is held that shows the file as opened.
    pub peeks: bool,
    /// Position of the last click on the surface, and the number of clicks there.
    pub last_pick: Option<(Vec2, usize)>,
    /// Joints and meshes under the last right click.
    pub under: UnderPointer,
    /// Cache of the joint that influences the surface under the pointer, keyed by serial number of
    /// the image, camera and pointer position.
    pub surface_hover: Derived<(u64, Camera, Vec2), Option<NodeId>>,
}

impl Viewport {
    /// Current comparison: the chosen one, or [`Compare::File`] while the key that shows the file
    /// as opened is held.
    pub fn compared(&self) -> Compare {
        if self.peeks { Compare::File } else { self.compare }
    }
}

/// Read-only view of the viewport for the panels.
#[derive(Clone, Copy, Debug)]
pub struct ViewportView<'a> {
    /// Camera of the viewport.
    pub camera: Camera,
    /// Current tool.
    pub tool: ToolCommand,
    /// Space of the gizmo's axes.
    pub space: GizmoSpace,
    /// Pivot mode for posing several joints.
    pub pivot: Pivot,
    /// Custom pivot: a node, and a point in its space that moves with it.
    pub pivot_spot: Option<(NodeId, Vec3)>,
    /// Whether drags snap without a pressed key.
    pub snap: bool,
    /// Snap steps of posing.
    pub snap_steps: SnapSteps,
    /// Last search for a snap target: the kind, and the position in scene space if one was found.
    pub sought: Option<(SnapTo, Option<Vec3>)>,
    /// IK options of drags.
    pub reach: ReachOptions,
    /// Whether posing a joint also poses its mirror joint.
    pub symmetry: bool,
    /// Whether children of posed joints follow them.
    pub children: Children,
    /// Comparison with the file as opened.
    pub compare: Compare,
    /// Joints and meshes under the last right click.
    pub under: &'a UnderPointer,
    /// Rendered image of the model; `None` before the first frame.
    pub texture: Option<TextureId>,
    /// Bones of the current pose.
    pub bones: &'a [Bone],
    /// Center of mass and support area, if they are shown.
    pub balance: Option<&'a Balance>,
    /// Path of the center of mass over the shown clip, as scene points.
    pub balance_path: &'a [Vec3],
    /// Motion paths of the selected joints over the shown clip.
    pub paths: &'a [MotionPath],
    /// Resolution scale per side while the quality is reduced; `None` at full quality.
    pub quick: Option<f32>,
    /// CPU time of the last rendered frame, in milliseconds.
    pub frame_ms: f32,
}
