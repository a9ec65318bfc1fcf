//! Runs view commands: the camera, displayed elements, and the scale of the user interface.

use std::f32::consts::PI;

use egui::Context;
use glam::{Vec2, Vec3, vec2};

use super::App;
use crate::ui::{Compare, ComparedProperty, Pane, PointerMenu, Settings, ThemeChoice};
use ulna_edit::command::{ReferenceCommand, ViewCommand, field::Nodes};
use ulna_model::NodeId;
use ulna_motion::joint_bounds;
use ulna_render::{Axis, Shading};

/// Angle of a step around the model: 15°, in radians.
const STEP: f32 = PI / 12.0;
/// Factor by which one zoom step changes the camera distance.
const ZOOM: f32 = 1.2;
/// Factor by which one step changes the size of handles.
const GIZMO: f32 = 1.15;

impl App {
    /// Runs a view command.
    pub(super) fn view(&mut self, ctx: &Context, command: &ViewCommand) {
        match command {
            ViewCommand::NextPanel => self.next_panel(ctx, false),
            ViewCommand::PreviousPanel => self.next_panel(ctx, true),
            ViewCommand::MenuBar => self.panels.open_menu_bar(),
            ViewCommand::FrameAll => self.frame(ctx, false),
            ViewCommand::FrameSelected => match self.selected_reference() {
                Some(reference) => self.run(ctx, ReferenceCommand::Frame { reference }),
                None => self.frame(ctx, true),
            },
            ViewCommand::Perspective => {
                self.viewport.camera.orthographic = !self.viewport.camera.orthographic
            }
            ViewCommand::Front => self.look(ctx, Axis::Front),
            ViewCommand::Back => self.look(ctx, Axis::Back),
            ViewCommand::Side => self.look(ctx, Axis::Side),
            ViewCommand::OtherSide => self.look(ctx, Axis::OtherSide),
            ViewCommand::Top => self.look(ctx, Axis::Top),
            ViewCommand::Bottom => self.look(ctx, Axis::Bottom),
            ViewCommand::ThreeQuarter => self.look(ctx, Axis::ThreeQuarter),
            ViewCommand::Textured => self.viewport.options.shading = Shading::Textured,
            ViewCommand::Solid => self.viewport.options.shading = Shading::Solid,
            ViewCommand::Wireframe => self.viewport.options.shading = Shading::Wireframe,
            ViewCommand::XRay => self.viewport.options.shading = Shading::XRay,
            ViewCommand::Axes => self.viewport.options.axes = !self.viewport.options.axes,
            ViewCommand::OfSelected => {
                self.viewport.options.of_selected = !self.viewport.options.of_selected
            }
            ViewCommand::Sticks => self.viewport.options.sticks = !self.viewport.options.sticks,
            ViewCommand::Deforming => {
                self.viewport.options.deforming = !self.viewport.options.deforming
            }
            ViewCommand::Pins => self.viewport.options.pins = !self.viewport.options.pins,
            ViewCommand::MotionPaths => {
                self.viewport.options.motion_paths = !self.viewport.options.motion_paths
            }
            ViewCommand::OnionSkin => {
                self.viewport.options.onion.shown = !self.viewport.options.onion.shown
            }
            ViewCommand::Compare => self.switch_comparison(),
            ViewCommand::Balance => self.viewport.options.balance = !self.viewport.options.balance,
            ViewCommand::Lights => self.viewport.options.lights = !self.viewport.options.lights,
            ViewCommand::Grid => self.viewport.options.grid = !self.viewport.options.grid,
            ViewCommand::Joints => self.viewport.options.joints = !self.viewport.options.joints,
            ViewCommand::Names => self.viewport.options.names = !self.viewport.options.names,
            ViewCommand::ShowAll => self.outliner.visibility.show_all(),
            ViewCommand::Hide if self.references.selected().is_some() => {
                let reference = self.selected_reference().unwrap_or_default();
                self.run(ctx, ReferenceCommand::Hide { reference, hidden: Some(true) });
            }
            ViewCommand::Hide | ViewCommand::Isolate | ViewCommand::Lock => self.mark(command),
            ViewCommand::Camera { node } => self.look_through(ctx, node.as_ref()),
            ViewCommand::ShadingMenu => self.panels.open_menu_at_pointer(PointerMenu::Shading),
            ViewCommand::MenusHere => self.panels.open_menu_at_pointer(PointerMenu::Bar),
            ViewCommand::Background => {
                self.viewport.options.background = self.viewport.options.background.next();
                self.show_colors();
            }
            ViewCommand::Outliner
            | ViewCommand::Inspector
            | ViewCommand::Problems
            | ViewCommand::Timeline
                if self.panels.layout().maximized().is_some() =>
            {
                // A maximized panel would cover the panel that is being shown.
                self.panels.layout_mut().maximize(None);
            }
            ViewCommand::Outliner if ctx.content_rect().width() < 1000.0 => {
                self.viewport.options.outliner_narrow = !self.viewport.options.outliner_narrow;
            }
            ViewCommand::Outliner => {
                self.viewport.options.outliner = !self.viewport.options.outliner
            }
            ViewCommand::Problems => {
                self.viewport.options.problems = !self.viewport.options.problems
            }
            ViewCommand::Theme => self.switch_theme(ctx),
            ViewCommand::Larger => self.resize(ctx, self.program.settings.scale * 1.1),
            ViewCommand::Smaller => self.resize(ctx, self.program.settings.scale / 1.1),
            ViewCommand::NormalSize => self.resize(ctx, 1.0),
            ViewCommand::Inspector => self.switch_inspector(),
            ViewCommand::Timeline => {
                self.viewport.options.timeline = !self.viewport.options.timeline
            }
            ViewCommand::MaximizePanel { panel } => self.maximize_panel(ctx, *panel),
            ViewCommand::FloatPanel { panel } => self.float_panel(ctx, *panel),
            ViewCommand::Workspace { .. }
            | ViewCommand::NextWorkspace
            | ViewCommand::PreviousWorkspace
            | ViewCommand::SaveWorkspace { .. }
            | ViewCommand::RenameWorkspace { .. }
            | ViewCommand::DeleteWorkspace { .. }
            | ViewCommand::ResetLayout => self.workspace_command(ctx, command),
            _ => self.step_view(ctx, command),
        }
    }

    /// Shows or hides the inspector. In Blender's key map, this is the key of the sidebar, so the
    /// problems below the inspector are hidden and shown with it. Otherwise, the column would keep
    /// its width.
    fn switch_inspector(&mut self) {
        let is_sidebar = self.program.settings.keys.preset() == ulna_edit::Preset::Blender
            && self.panels.layout().are_in_one_column(Pane::Inspector, Pane::Problems);
        let options = &mut self.viewport.options;
        options.inspector = !options.inspector;
        let hid_problems = std::mem::take(&mut self.window.hid_problems);
        if options.inspector {
            options.problems |= hid_problems;
        } else if is_sidebar && options.problems {
            (options.problems, self.window.hid_problems) = (false, true);
        }
    }

    /// Switches between the light and the dark theme.
    fn switch_theme(&mut self, ctx: &Context) {
        let is_light = self.program.theme.name() == "light";
        let theme = if is_light { ThemeChoice::Dark } else { ThemeChoice::Light };
        self.set_settings(ctx, Settings { theme, ..self.program.settings.clone() });
    }

    /// Switches the comparison with the file as opened to its next state.
    fn switch_comparison(&mut self) {
        let next = self.viewport.compare.next();
        // Weights cannot be shown as a ghost.
        let of_weights = self.mode.spec().compares == ComparedProperty::Weights;
        let skips = of_weights && next == Compare::Both;
        self.viewport.compare = if skips { next.next() } else { next };
    }

    /// Scales the user interface.
    fn resize(&mut self, ctx: &Context, scale: f32) {
        let scale = (scale.clamp(Settings::SCALES.0, Settings::SCALES.1) * 100.0).round() / 100.0;
        self.set_settings(ctx, Settings { scale, ..self.program.settings.clone() });
    }

    /// Hides, isolates or locks the selection.
    fn mark(&mut self, command: &ViewCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let nodes = self.outliner.selection.nodes.clone();
        match command {
            ViewCommand::Hide => self.outliner.visibility.set_hidden(document, nodes, true),
            ViewCommand::Isolate => self.outliner.visibility.isolate(document, &nodes),
            _ => self.outliner.visibility.toggle_locked(document, &nodes),
        }
    }

    /// Moves the camera by one step around, toward or away from the model, or changes the size of
    /// handles.
    fn step_view(&mut self, ctx: &Context, command: &ViewCommand) {
        match command {
            ViewCommand::Opposite => self.turn(ctx, vec2(PI, 0.0)),
            ViewCommand::OrbitLeft => self.turn(ctx, vec2(-STEP, 0.0)),
            ViewCommand::OrbitRight => self.turn(ctx, vec2(STEP, 0.0)),
            ViewCommand::OrbitUp => self.turn(ctx, vec2(0.0, STEP)),
            ViewCommand::OrbitDown => self.turn(ctx, vec2(0.0, -STEP)),
            ViewCommand::ZoomIn => self.zoom(ctx, 1.0 / ZOOM),
            ViewCommand::ZoomOut => self.zoom(ctx, ZOOM),
            ViewCommand::LargerGizmo => self.viewport.options.resize_gizmo(GIZMO),
            ViewCommand::SmallerGizmo => self.viewport.options.resize_gizmo(1.0 / GIZMO),
            _ => {}
        }
    }

    /// Orbits the camera around its target, by angles to the right and up in radians.
    fn turn(&mut self, ctx: &Context, by: Vec2) {
        let mut camera = self.viewport.camera;
        camera.turn(by);
        self.begin_transition(ctx, camera);
    }

    /// Multiplies the camera distance by a factor.
    fn zoom(&mut self, ctx: &Context, factor: f32) {
        let mut camera = self.viewport.camera;
        let size = self.renderer.size();
        camera.zoom(factor, size * 0.5, size);
        self.begin_transition(ctx, camera);
    }

    /// Rotates the camera to look along an axis.
    fn look(&mut self, ctx: &Context, axis: Axis) {
        let mut camera = self.viewport.camera;
        camera.look(axis);
        self.begin_transition(ctx, camera);
    }

    /// Looks through a camera of the file: the named one, or the next.
    fn look_through(&mut self, ctx: &Context, named: Option<&Nodes>) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let cameras: Vec<NodeId> = document
            .shown_nodes()
            .into_iter()
            .filter(|n| document.node(*n).camera.is_some())
            .collect();
        let node = match named {
            Some(nodes) => {
                nodes.all(document).ok().and_then(|n| n.into_iter().find(|n| cameras.contains(n)))
            }
            None => {
                let at = cameras.iter().position(|n| self.viewport.looked_through == Some(*n));
                cameras.get(at.map_or(0, |k| (k + 1) % cameras.len())).copied()
            }
        };
        let Some(node) = node else { return };
        self.viewport.looked_through = Some(node);
        let mut camera = self.viewport.camera;
        camera.look_from(&self.renderer.pose().world[node.index()]);
        self.begin_transition(ctx, camera);
        self.outliner.selection.set(node);
    }

    /// Frames the whole model, or the selected joints with their descendants.
    fn frame(&mut self, ctx: &Context, selected: bool) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let size = self.renderer.size();
        let bounds = if selected && !self.outliner.selection.nodes.is_empty() {
            let pose = self.renderer.pose();
            let mut points = Vec::new();
            for node in &self.outliner.selection.nodes {
                points.push(pose.world[node.index()].w_axis.truncate());
                points.extend(
                    document
                        .children(*node)
                        .iter()
                        .map(|c| pose.world[c.index()].w_axis.truncate()),
                );
            }
            // The view leaves as much space around a bone as the bone is long. In Paint mode, the
            // surface at the joint fills the view.
            let selected = &self.outliner.selection.nodes;
            let is_near = self.mode.spec().paints_weights;
            let is_seen = |b: &&ulna_motion::Bone| !is_near && selected.contains(&b.joint);
            let bones: Vec<_> = self.renderer.bones().iter().filter(is_seen).collect();
            points.extend(bones.iter().map(|b| b.tail));
            let longest = bones.iter().map(|b| b.head.distance(b.tail)).fold(0.0, f32::max);
            let low = points.iter().copied().reduce(Vec3::min);
            low.zip(points.into_iter().reduce(Vec3::max)).map(|(low, high)| {
                let room = ((high - low).length() * 0.5)
                    .max(longest)
                    .max(self.viewport.camera.distance * 0.02);
                (low - room, high + room)
            })
        } else {
            self.renderer
                .surface(document)
                .bounds()
                .or_else(|| joint_bounds(document, self.renderer.pose()))
        };
        if let Some((low, high)) = bounds {
            let mut camera = self.viewport.camera;
            camera.frame(low, high, size.x / size.y);
            self.begin_transition(ctx, camera);
        }
    }
}
