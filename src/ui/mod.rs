//! Panels. They read a [`View`] and push [`Action`]s. A panel changes only its own state, such as
//! expanded rows.

mod action;
mod asset_ref;
mod bar_parts;
mod bars;
mod beside;
mod blend_drag;
mod chooser;
mod clip_menu;
mod collapsing;
mod command_icons;
mod contact_bars;
mod curve_settings;
mod dialogs;
mod drop_down;
pub mod edits;
mod focus_ring;
mod guide;
mod inspector;
mod layers;
mod layout;
mod menu;
mod menu_rows;
mod mode_switch;
mod modes;
mod name_field;
mod node_menu;
mod number_bar;
mod outliner;
mod painting;
mod palette;
mod pointer_menu;
mod popups;
mod poses;
mod poses_tab;
mod preferences;
mod problems;
mod program;
mod references;
mod retarget;
mod rig;
mod rig_bar;
mod settings;
mod splitters;
mod status;
pub mod theme;
mod timeline;
mod tour;
mod type_ahead;
mod view;
mod viewport;
mod weight_marks;
mod weights;
mod welcome;
mod widgets;
mod workspace_menu;

use egui::{CentralPanel, Frame, Margin, Panel, Ui};

pub use ulna_edit::{clip_text, node_text};
use ulna_render::{ColorRole, Measure};

pub use self::beside::Beside;
pub use self::name_field::rename_clicked_row;
pub use self::popups::keyboard::request as request_menu_by_key;
pub use self::weight_marks::mask_gray;
pub use self::widgets::thousands;
pub use self::{
    action::{Action, Actions, ProblemAction},
    asset_ref::AssetRef,
    bars::children_words,
    curve_settings::{CurveColors, CurveSettings, CurvesOf, OwnEase, SpeedStrip},
    dialogs::{
        BindDraft, BindForeseen, BindTrial, BindView, ChangedOnDisk, ConvertDraft, ConvertPreview,
        ConvertView, DeferredAction, Dialog, DialogAction, Dialogs, DialogsView, ExportDraft,
        ExportForeseen, ExportPlace, FileBeside, ForeignCounts, ForeignSettings, FormDraft,
        ImportDraft, ImportFile, ImportMoment, ImportRow, ImportView, LayersThere, Obstacle,
        PathFor, PicturesDraft, PieceLook, PlanForeseen, PlanView, PlannedJoint, PreferencePage,
        RebindDraft, RecoveryView, SeamOrder, SeamsDraft, SelectedVertices, StepView, Toast,
        ToastKind, TrialColors, TrialNumbers, TrialPose, UnkeyedRow, bytes_in_words,
        loose_focus_id,
    },
    guide::GuidePlace,
    inspector::{changed_keys, repaired},
    layers::{LayerAction, Layers, LayersView, ids as layer_ids},
    layout::{Layout, Pane, Shipped, WorkspaceError, Workspaces, hide},
    modes::{
        BottomPanel, ClipUse, ComparedProperty, DestinationBar, Mode, ModeSpec, PointerHandler,
        SidePanel,
    },
    outliner::{Outliner, OutlinerAction},
    painting::{
        BendAction, BendDrag, Bending, BrushDrag, BrushHover, BrushNumber, HeldKey, JointAct,
        LayerStroke, Layering, OriginalWeights, PaintAction, PaintDomain, PaintSession,
        PaintStroke, PaintTool, PaintView, Painting, PosedOf, ShownMask, StrainColors, StrokePhase,
        Tinted, VertexArea, VertexPick, WeightClipboard, WeightLook, WorstSearch, posed_surface,
    },
    pointer_menu::PointerMenu,
    poses::{Applied, Library, Pasting, Poses, PosesAction, PosesView, reached},
    program::{JobView, ProgramAction, ProgramView, Recent, WorkspaceRow},
    references::{ReferenceAction, ReferenceFacts, ReferenceId, ReferencePlace, ReferencesView},
    retarget::{
        BodyFacts, BodyScene, ClipFacts, ContactBar, ContactRing, FootResult, JointFacts,
        RetargetAction, RetargetDraft, RetargetResult, RetargetSummary, RetargetView, SOURCE,
        TARGET, chain_color, view_sizes,
    },
    rig::{JointDepth, RigAction, RigOptions, RigStep, RigView},
    settings::{Length, Orbit, Quality, Settings, ThemeChoice, TimelineShow},
    theme::Theme,
    timeline::{
        KeyList, RepairLoop, RepairSeen, Retime, Timeline, TimelineAction, TimelineView,
        WantedOnCurves,
    },
    tour::{Tour, TourAction, TourStep},
    view::View,
    viewport::{
        Background, Compare, GizmoSpace, Onion, PickedBone, Pivot, ReachOptions, SnapSteps, SnapTo,
        UnderPointer, ViewOptions, Viewport, ViewportAction, ViewportView, waits_for_numbers,
    },
};

/// State of the panels between frames.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    outliner: outliner::OutlinerState,
    timeline: timeline::TimelineState,
    viewport: viewport::ViewportState,
    inspector: inspector::InspectorState,
    poses: poses::PosesState,
    problems: problems::ProblemsState,
    weights: weights::WeightsState,
    rig: rig::RigPanel,
    retarget: retarget::RetargetState,
    layout: Layout,
    dialogs: dialogs::DialogsState,
    palette: palette::PaletteState,
    welcome: welcome::WelcomeState,
    menu: menu::MenuKeys,
    /// Menu to open at the pointer.
    pointer_menu: Option<PointerMenu>,
}

impl Panels {
    /// Clears all state that belongs to the previous file, except the arrangement of panels.
    pub fn reset(&mut self) {
        let layout = std::mem::take(&mut self.layout);
        *self = Self { layout, ..Self::default() };
    }

    /// Opens the first menu of the bar for keyboard navigation.
    pub fn open_menu_bar(&mut self) {
        self.menu.open = true;
    }

    /// Opens a menu at the pointer.
    pub const fn open_menu_at_pointer(&mut self, menu: PointerMenu) {
        self.pointer_menu = Some(menu);
    }

    /// Starts a selection of joints with the pointer: in a circle, or in a box with the next drag.
    pub const fn select_area(&mut self, circle: bool) {
        self.viewport.select_area(circle);
    }

    /// Starts a pose blend that the pointer controls. Returns whether the command is a pose blend.
    pub fn begin_blend(&mut self, command: &str) -> bool {
        self.viewport.begin_blend(command)
    }

    /// True if Escape would close a panel over the curves, or cancel an area selection.
    pub fn holds_escape(&self) -> bool {
        self.timeline.holds_escape() || self.viewport.selects_area()
    }

    /// True if an open gesture reads digits and axis letters as its own input. `held` is true while
    /// a mouse button is pressed.
    pub fn takes_numbers(&self, held: bool) -> bool {
        // A gesture that began with a button press needs the button to be pressed.
        self.viewport.posing().is_some_and(|by_button| held || !by_button)
            || self.timeline.takes_numbers()
    }

    /// Starts an IK drag of the active node's limb.
    ///
    /// `tip` is the dragged point in node space, `from` the same point in world space, and `at` the
    /// pressed point in the picture.
    pub fn reach(&mut self, tip: Option<glam::Vec3>, from: glam::Vec3, at: glam::Vec2) {
        self.viewport.reach(tip, from, at);
    }

    /// Starts the operation of a tool at once, without a handle. Returns false if the tool has no
    /// operation.
    pub fn begin(&mut self, tool: ulna_edit::command::ToolCommand) -> bool {
        self.viewport.begin(tool)
    }

    /// Starts to add a child joint to each selected joint.
    pub fn extrude(&mut self) {
        self.viewport.extrude();
    }

    /// Starts to wait for a typed axis or number after a tool was chosen by key. `now` is in
    /// seconds on egui's clock.
    pub fn wait(&mut self, tool: ulna_edit::command::ToolCommand, now: f64) {
        self.viewport.wait(tool, now);
    }

    /// True if a tool that was chosen by key waits for an axis or a number.
    pub fn waits(&self, now: f64) -> bool {
        self.viewport.waits(now)
    }

    /// Stops waiting for an axis or number. Returns whether a tool was waiting.
    pub fn wait_no_longer(&mut self) -> bool {
        self.viewport.wait_no_longer()
    }

    /// Ends all gestures of panels after a gesture ended elsewhere. A mouse button that is still
    /// pressed has no further effect.
    pub fn end_gestures(&mut self) {
        self.viewport.end_gestures();
        self.poses.end_gestures();
        self.timeline.end_gestures();
    }

    /// State of the timeline, for commands.
    pub const fn timeline(&mut self) -> &mut timeline::TimelineState {
        &mut self.timeline
    }

    /// Current arrangement of the panels.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Current arrangement of the panels, to be changed.
    pub const fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    /// Replaces the arrangement of the panels.
    pub fn set_layout(&mut self, mut layout: Layout) {
        layout.follow(&self.layout);
        self.layout = layout;
    }

    /// Starts to rename a node in its row.
    pub fn rename(&mut self, view_name: String, node: ulna_model::NodeId) {
        self.outliner.rename(node, view_name);
    }

    /// The clip whose row was clicked last; `None` if a node was clicked after it.
    pub const fn clicked_clip(&self) -> Option<ulna_model::ClipId> {
        self.outliner.clicked_clip()
    }

    /// Starts to rename a clip in its row.
    pub fn rename_clip(&mut self, name: String, clip: ulna_model::ClipId) {
        self.outliner.rename_clip(clip, name);
    }

    /// Starts to rename a skin, a mesh or a material in its row.
    pub fn rename_thing(&mut self, thing: AssetRef, name: String) {
        self.outliner.rename_thing(thing, name);
    }

    /// Clears the last clicked clip, because a node was clicked.
    pub const fn forget_clicked_clip(&mut self) {
        self.outliner.forget_clicked_clip();
    }

    /// Scrolls the outliner to a node.
    pub fn reveal(&mut self, view: &View<'_>, node: ulna_model::NodeId) {
        self.outliner.reveal(view, node);
    }
}

/// Draws the whole window.
pub fn window_ui(panels: &mut Panels, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    name_field::forget_clicked_row(ui.ctx());
    let bar = |role: ColorRole| {
        Frame::new().fill(theme.color(role)).inner_margin(Margin::symmetric(8, 0))
    };
    Panel::top("menu")
        .exact_size(Measure::MenuBar.points())
        .frame(bar(ColorRole::SurfaceBar))
        .show_separator_line(false)
        .show(ui, |ui| {
            menu::menu_ui(&mut panels.menu, ui, view, actions);
        });
    if !view.program.welcome {
        Panel::top("toolbar")
            .exact_size(Measure::Toolbar.points())
            .frame(bar(ColorRole::SurfaceBar))
            .show_separator_line(false)
            .show(ui, |ui| {
                bars::toolbar_ui(ui, view, actions);
            });
    }
    Panel::bottom("status")
        .exact_size(Measure::StatusBar.points())
        .frame(bar(ColorRole::SurfaceBar))
        .show_separator_line(false)
        .show(ui, |ui| {
            status::status_ui(ui, view, actions);
        });
    let Panels {
        outliner,
        timeline,
        viewport,
        inspector,
        poses,
        problems,
        weights,
        rig,
        retarget,
        layout,
        dialogs,
        palette,
        welcome,
        menu: _,
        pointer_menu,
    } = panels;
    if view.program.welcome {
        CentralPanel::no_frame().show(ui, |ui| welcome::welcome_ui(welcome, ui, view, actions));
    } else if view.retarget.is_some() {
        layout.leave();
        CentralPanel::no_frame().show(ui, |ui| retarget::page_ui(retarget, ui, view, actions));
    } else {
        CentralPanel::no_frame().show(ui, |ui| {
            let room = room(view, problems, weights, layout.area().height());
            let (side, bottom) =
                (view.mode.spec().side_panel, view.mode.spec().bottom(view.poses.in_animate));
            let mut panel = |pane: Pane, ui: &mut Ui| match pane {
                Pane::Outliner => outliner::outliner_ui(outliner, ui, view, actions),
                Pane::Viewport => viewport::viewport_ui(viewport, ui, view, actions),
                Pane::Inspector if side == SidePanel::Skeleton => {
                    rig::rig_ui(rig, ui, view, actions);
                }
                Pane::Inspector => inspector::inspector_ui(inspector, ui, view, actions),
                Pane::Brush => weights::brush_ui(weights, ui, view, actions),
                Pane::Joints => weights::joints_ui(weights, ui, view, actions),
                Pane::Layers => weights::layers_ui(weights, ui, view, actions),
                Pane::Vertices => weights::vertices_ui(weights, ui, view, actions),
                Pane::Problems => problems::problems_ui(problems, ui, view, actions),
                Pane::Timeline => match bottom {
                    BottomPanel::Timeline => timeline::timeline_ui(timeline, ui, view, actions),
                    BottomPanel::Poses => {
                        if poses_tab::is_under_transport(view) {
                            timeline::transport_ui(timeline, ui, view, actions);
                        }
                        poses::poses_ui(poses, ui, view, actions);
                    }
                    BottomPanel::PlaybackStrip => weights::strip_ui(ui, view, actions),
                    BottomPanel::RestStrip => rig::strip_ui(ui, view, actions),
                },
            };
            let asked = layout.show(ui, view, room, &mut panel);
            actions.extend(asked);
        });
        tour::tour_ui(ui, view, layout, actions);
    }
    pointer_menu::pointer_menus_ui(pointer_menu, ui, view, actions);
    if let Some(node) = palette::palette_ui(palette, ui, view, actions) {
        outliner.reveal(view, node);
    }
    dialogs::dialogs_ui(dialogs, ui, view, actions);
    dialogs::toasts_ui(ui, view, actions);
    focus_ring::focus_ring(ui.ctx(), theme);
}

/// Size limits of the panels for the current mode and content. `height` is the height in points of
/// the area of all panels in the previous frame.
fn room(
    view: &View<'_>,
    problems: &problems::ProblemsState,
    weights: &weights::WeightsState,
    height: f32,
) -> layout::PanelConstraints {
    /// Maximum height in points of the *Problems* panel in Rig and Paint mode.
    const FEW_PROBLEMS: f32 = 208.0;
    /// Height in points that is reserved for the brush and the joints above the *Problems* panel.
    const BRUSH_AND_JOINTS: f32 = 500.0;
    let bare = view.session.is_some_and(|s| s.document().clips.is_empty());
    let content = problems.height(view);
    let least_problems = problems.height_within(view, 0.0);
    let (side, problems) = match view.mode.spec().side_panel {
        SidePanel::Inspector => (0.0, content),
        SidePanel::Skeleton => (Measure::InspectorRig.points(), content.min(FEW_PROBLEMS)),
        SidePanel::Weights => {
            let left = height - weights::STRIP - BRUSH_AND_JOINTS;
            (Measure::InspectorPaint.points(), problems.height_within(view, left.min(FEW_PROBLEMS)))
        }
    };
    layout::PanelConstraints {
        timeline: match view.mode.spec().bottom(view.poses.in_animate) {
            BottomPanel::Timeline => bare.then_some(112.0),
            // In a file with clips, the pose library is as high as the timeline, so that the
            // viewport keeps its size.
            BottomPanel::Poses => poses::height(view, bare),
            BottomPanel::PlaybackStrip => Some(weights::STRIP),
            BottomPanel::RestStrip => Some(rig::REST_STRIP),
        },
        problems: Some(problems),
        least_problems,
        brush: Some(weights.brush_height()),
        side,
        paints: view.mode.spec().side_panel == SidePanel::Weights,
        has_weights: view.paint.surface().is_some(),
    }
}
