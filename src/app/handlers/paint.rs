//! Actions and commands of Paint mode. Each is passed to the context that may change its data.
//! Commands on the document run here.

use egui::Context;

use crate::{
    app::{
        App,
        jobs::{JobResult, Title},
    },
    ui::{BendAction, BrushNumber, PaintAction, WeightLook},
};
use ulna_edit::{
    Command,
    command::{BrushCommand, VertexCommand},
};
use ulna_motion::{Sampling, WorstPose};
use ulna_weights::Radius;

impl App {
    pub(in crate::app) fn apply_paint(&mut self, ctx: &Context, action: PaintAction) {
        match action {
            PaintAction::BrushHover(at) => self.painting.pointer = at,
            PaintAction::Stroke { phase, at, size, pressure, smooth, invert } => {
                if let Some(mut brush) = self.brush_context(ctx) {
                    brush.stroke(phase, at, size, pressure, smooth, invert);
                }
            }
            PaintAction::Brush(brush) => self.painting.options.brush = *brush,
            PaintAction::FoldBrush(folded) => self.viewport.options.brush_folded = folded,
            PaintAction::AdjustBrush(number) => self.painting.adjust_brush(number),
            PaintAction::LockWeights { nodes, locked } => {
                for node in nodes {
                    if locked {
                        self.painting.options.locked.insert(node);
                    } else {
                        self.painting.options.locked.remove(&node);
                    }
                }
            }
            PaintAction::PaintLayer(target) => self.painting.layering.target = Some(target),
            PaintAction::PaintOfLayer(painted) => self.painting.layering.painted = painted,
            PaintAction::WeightLimit(limit) => self.painting.options.limit = limit.max(1),
            PaintAction::WeightLook(look) => self.painting.options.look = look,
            PaintAction::PaintOverClip(on) => {
                self.painting.options.over_clip = on;
                self.painting.bending.range = None;
                self.painting.bending.show_whole();
            }
            PaintAction::PaintRange(on) => self.show_range(ctx, on),
            PaintAction::Cells { vertices, joints, values } => {
                let weights = self.weight_context(ctx);
                let assign = weights.and_then(|mut w| w.set_cells(&vertices, &joints, &values));
                self.run_any(ctx, assign);
            }
            PaintAction::Bend(action) => self.apply_bend(ctx, action),
            PaintAction::GoToSpot(spot) => {
                if let Some(mut spots) = self.spot_context(ctx) {
                    spots.go_to(spot);
                }
            }
            PaintAction::OnJoints { nodes, act } => {
                let made = self.weight_context(ctx).and_then(|mut w| w.on_joints(&nodes, act));
                self.run_all_on_vertices(ctx, made);
            }
            PaintAction::SelectVertices { vertices, add } => self.select_vertices(vertices, add),
            PaintAction::VertexPick(pick) => self.painting.options.pick = pick,
            PaintAction::Tool(tool) => self.painting.options.tool = tool,
            PaintAction::Gradient { from, to, size } => {
                let brush = self.brush_context(ctx);
                let gradient = brush.and_then(|mut b| b.gradient(from, to, size));
                self.run_any(ctx, gradient);
            }
            PaintAction::SelectVerticesIn { area, size, add } => {
                if let Some(mut brush) = self.brush_context(ctx) {
                    let vertices = brush.vertices_in(&area, size);
                    self.select_vertices(vertices, add);
                }
            }
        }
    }

    fn select_vertices(&mut self, vertices: Vec<u32>, add: bool) {
        if let Some(painted) = self.painting.session_mut() {
            painted.select(vertices, add);
        }
    }

    /// Runs a command of the brush.
    pub(in crate::app) fn brush_command(&mut self, ctx: &Context, command: &BrushCommand) {
        let painting = &mut self.painting;
        match command {
            BrushCommand::Radius => painting.adjust_brush(Some(BrushNumber::Radius)),
            BrushCommand::Strength => painting.adjust_brush(Some(BrushNumber::Strength)),
            BrushCommand::Value => painting.adjust_brush(Some(BrushNumber::Value)),
            BrushCommand::Smaller | BrushCommand::Larger => {
                let factor = if *command == BrushCommand::Smaller { 0.9 } else { 1.0 / 0.9 };
                let brush = &mut painting.options.brush;
                brush.radius = match brush.radius {
                    Radius::Pixels(r) => Radius::Pixels(r * factor),
                    Radius::Scene(r) => Radius::Scene(r * factor),
                };
                *brush = brush.clamped();
            }
            BrushCommand::Lock => {
                if let Some(node) = painting.joint_node()
                    && !painting.options.locked.remove(&node)
                {
                    painting.options.locked.insert(node);
                }
            }
            BrushCommand::UnlockAll => painting.options.locked.clear(),
            BrushCommand::Mirror => painting.options.brush.mirror = !painting.options.brush.mirror,
            BrushCommand::Look => {
                let all = WeightLook::ALL;
                let look = &mut painting.options.look;
                let at = all.iter().position(|l| l == look).unwrap_or(0);
                *look = all[(at + 1) % all.len()];
            }
            BrushCommand::Bend => painting.bending.press_key(ctx),
            BrushCommand::Unbend => self.apply_bend(ctx, BendAction::Unbend),
            BrushCommand::Range => self.show_range(ctx, self.painting.bending.range.is_none()),
            BrushCommand::Sample => {
                if let Some(mut brush) = self.brush_context(ctx) {
                    brush.sample();
                }
            }
            BrushCommand::NextInfluence | BrushCommand::PreviousInfluence => {
                if let Some(mut brush) = self.brush_context(ctx) {
                    brush.step_influence(*command == BrushCommand::PreviousInfluence);
                }
            }
            BrushCommand::Flood if painting.layering.masked().is_some() => {
                let made = self.weight_context(ctx).and_then(|mut w| w.flood_mask());
                self.run_all_on_vertices(ctx, made.map(|list| ("Flood mask".into(), list)));
            }
            BrushCommand::Flood => {
                let flood = self.weight_context(ctx).and_then(|mut w| w.flood());
                self.run_any(ctx, flood);
            }
            BrushCommand::NextSpot | BrushCommand::PreviousSpot => {
                if let Some(mut spots) = self.spot_context(ctx) {
                    spots.step(*command == BrushCommand::PreviousSpot);
                }
            }
            BrushCommand::Worst => self.search_worst(ctx),
        }
    }

    /// Runs a command that selects vertices, or copies or pastes their weights.
    pub(in crate::app) fn vertex_command(&mut self, ctx: &Context, command: &VertexCommand) {
        if let Some(mut weights) = self.weight_context(ctx) {
            weights.vertex_command(command);
        }
    }

    /// Pastes weights onto vertices, from a text. Without a text, the last weights copied in this
    /// program are used.
    pub(in crate::app) fn paste_weights(&mut self, ctx: &Context, text: Option<&str>) {
        let Some(mut weights) = self.weight_context(ctx) else { return };
        let assign = match text {
            Some(text) => weights.paste(text),
            None => weights.wait_for_clipboard(),
        };
        self.run_any(ctx, assign);
    }

    fn apply_bend(&mut self, ctx: &Context, action: BendAction) {
        let kept = self.bend_context(ctx).and_then(|mut bend| bend.apply(action));
        self.run_any(ctx, kept);
    }

    fn show_range(&mut self, ctx: &Context, on: bool) {
        if let Some(mut spots) = self.spot_context(ctx) {
            spots.show_range(on);
        }
    }

    /// Searches for the worst pose of every vertex.
    fn search_worst(&mut self, ctx: &Context) {
        let Some(session) = &self.session else { return };
        let (document, serial) = (session.document().clone(), self.renderer.scene_serial());
        self.start(ctx, "Searching for the worst deformation".into(), true, move |progress| {
            let (cancel, permille) = progress.parts();
            let found = WorstPose::search(&document, &Sampling::default(), cancel, permille);
            JobResult::Searched(found.map(Box::new), serial)
        });
    }

    /// Runs a command, if there is one.
    fn run_any(&mut self, ctx: &Context, command: Option<impl Into<Command>>) {
        if let Some(command) = command {
            self.run(ctx, command);
        }
    }

    fn run_all_on_vertices(&mut self, ctx: &Context, made: Option<(Title, Vec<Command>)>) {
        if let Some((title, commands)) = made {
            self.run_on_vertices(ctx, title, commands);
        }
    }
}
