//! What Paint mode asked for.

use egui::Context;

use crate::{app::App, ui::PaintAction};

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
            PaintAction::PaintRange(on) => self.show_range(on),
            PaintAction::Cells { vertices, joints, values } => {
                self.set_cells(ctx, &vertices, &joints, &values)
            }
            PaintAction::Bend(action) => self.apply_bend(ctx, action),
            PaintAction::GoToSpot(spot) => self.go_to_spot(spot),
            PaintAction::OnJoints { nodes, act } => self.on_joints(ctx, &nodes, act),
            PaintAction::SelectVertices { vertices, add } => self.select_vertices(vertices, add),
            PaintAction::VertexPick(pick) => self.painting.options.pick = pick,
            PaintAction::Tool(tool) => self.painting.options.tool = tool,
            PaintAction::Gradient { from, to, size } => self.paint_gradient(ctx, from, to, size),
            PaintAction::SelectVerticesIn { area, size, add } => {
                let vertices = self.vertices_in(&area, size);
                self.select_vertices(vertices, add);
            }
        }
    }

    fn select_vertices(&mut self, vertices: Vec<u32>, add: bool) {
        if let Some(painted) = self.painting.session_mut() {
            painted.select(vertices, add);
        }
    }
}
