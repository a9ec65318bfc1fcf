//! The eye, the tool, and what of the model is shown; what panels ask of them.

use egui::TextureId;
use glam::Vec2;

use crate::{
    edit::{Space, command::ToolCommand},
    model::{DisplayChoice, NodeId},
    motion::Bone,
    render::{Camera, Shading},
    ui::Action,
};

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

/// What the viewport asks for.
#[derive(Clone, Debug)]
pub enum ViewportAction {
    /// Another scene, or another variant of the materials.
    Choose(DisplayChoice),
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

/// The eye, the tool and what is shown.
#[derive(Clone, Debug, Default)]
pub struct Viewport {
    /// The eye.
    pub camera: Camera,
    /// The way the eye is on, and when it began.
    pub transition: Option<(Camera, Camera, f64)>,
    /// The file's camera that was looked through last.
    pub looked_through: Option<NodeId>,
    /// The pointer's tool.
    pub tool: ToolCommand,
    /// The axes of the manipulator.
    pub space: Space,
    /// What is shown.
    pub options: ViewOptions,
    /// Where the skin was clicked last, and how often.
    pub last_pick: Option<(Vec2, usize)>,
}

/// What panels see of it.
#[derive(Clone, Copy, Debug)]
pub struct ViewportView<'a> {
    /// The eye.
    pub camera: Camera,
    /// The pointer's tool.
    pub tool: ToolCommand,
    /// The axes of the manipulator.
    pub space: Space,
    /// The picture.
    pub texture: Option<TextureId>,
    /// The bones of the pose that is shown.
    pub bones: &'a [Bone],
    /// While it is not drawn in full: a picture's pixels for each of its own, along a side.
    pub quick: Option<f32>,
    /// Milliseconds the last picture took to make on the CPU.
    pub frame_ms: f32,
}
