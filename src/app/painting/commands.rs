//! Commands of the brush, and what painting adds to commands on weights: meshes, locks, the limit, selected vertices.

use egui::Context;
use glam::Vec2;

use crate::{
    app::App,
    edit::{CommandLine, Mode, node_text},
    model::{Diagnostic, MeshId, NodeId, SkinId},
    session::{surface_findings, surface_place, weight_place},
    ui::{BrushNumber, ToastKind, WeightLook},
    weights::{BrushKind, Canvas, Radius},
};

impl App {
    /// Commands of the brush.
    pub(in crate::app) fn paint_command(&mut self, ctx: &Context, name: &str) {
        match name {
            "paint.radius" => self.adjust_brush(Some(BrushNumber::Radius)),
            "paint.strength" => self.adjust_brush(Some(BrushNumber::Strength)),
            "paint.value" => self.adjust_brush(Some(BrushNumber::Value)),
            "paint.smaller" | "paint.larger" => {
                let factor = if name == "paint.smaller" { 0.9 } else { 1.0 / 0.9 };
                let brush = &mut self.painting.brush;
                brush.radius = match brush.radius {
                    Radius::Pixels(r) => Radius::Pixels(r * factor),
                    Radius::Scene(r) => Radius::Scene(r * factor),
                };
                *brush = brush.sane();
            }
            "paint.lock" => {
                if let Some(node) = self.painting.joint_node()
                    && !self.painting.locked.remove(&node)
                {
                    self.painting.locked.insert(node);
                }
            }
            "paint.unlock_all" => self.painting.locked.clear(),
            "paint.mirror" => self.painting.brush.mirror = !self.painting.brush.mirror,
            "paint.sample" if self.painting.layering.masked().is_some() => {
                let vertex = self.painting.hover.as_ref().map(|h| h.canvas_vertex);
                match vertex.and_then(|v| self.painting.layering.mask_at(v)) {
                    Some(mask) => self.painting.brush.value = mask,
                    None => self.toast(
                        ctx,
                        ToastKind::Error,
                        "No vertex of the layer is under the brush to take a mask from.",
                    ),
                }
            }
            "paint.sample" => match (&self.painting.hover, self.painting.joint_node()) {
                (Some(hover), Some(joint)) => {
                    let share = hover.shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, w)| *w);
                    self.painting.brush.value = share;
                }
                _ => self.toast(ctx, ToastKind::Error, "No vertex is under the brush to take a weight from."),
            },
            "paint.flood" if self.painting.layering.masked().is_some() => self.flood_mask(ctx),
            "paint.flood" => {
                let kind = self.painting.brush.kind;
                if !kind.is_of_one_joint() && kind != BrushKind::Smooth {
                    let text = format!(
                        "Nothing was flooded: {} works where it is rubbed; choose Add, Subtract, Set, Scale or Smooth.",
                        kind.word()
                    );
                    self.toast(ctx, ToastKind::Note, text);
                    return;
                }
                let Some(line) = self.flood_line() else { return };
                self.run(ctx, line);
            }
            _ => {}
        }
    }

    /// What the brush does to a spot, done to all of the surface, or to what is selected of it.
    fn flood_line(&self) -> Option<CommandLine> {
        let document = self.session.as_ref()?.document();
        let node = self.painting.joint_node()?;
        let brush = &self.painting.brush;
        if brush.kind == BrushKind::Smooth {
            let line = CommandLine::new("weights.smooth").with("amount", brush.strength);
            return Some(if brush.this_joint { line.with("joint", node_text(document, node)) } else { line });
        }
        let how = how(brush.kind);
        let line = CommandLine::new("weights.flood")
            .with("joint", node_text(document, node))
            .with("value", brush.value)
            .with("how", how)
            .with("amount", brush.strength);
        Some(line)
    }

    /// The brush's value for all of the mask, or for what is selected.
    fn flood_mask(&mut self, ctx: &Context) {
        let brush = self.painting.brush;
        if brush.kind != BrushKind::Set {
            let text =
                "The mask was not flooded: only Set floods a mask; choose it, and the value that the mask is to have.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let value = brush.value.min(1.0);
        let lines = self.weights_lines(CommandLine::new("layers.mask").with("value", value));
        let Some(session) = &mut self.session else { return };
        if let Err(error) = session.run_all("Flood mask", &lines) {
            self.toast(ctx, ToastKind::Error, format!("The mask was not flooded: {error}."));
        }
    }

    /// A gradient between two spots of the surface, given as they are at rest.
    pub(in crate::app) fn paint_gradient(&mut self, ctx: &Context, from: Vec2, to: Vec2, size: Vec2) {
        if self.painting.layering.masked().is_some() {
            let text = "Nothing was painted: a gradient is of weights; choose Stroke for the mask, or paint weights.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let brush = self.painting.brush;
        if !brush.kind.is_of_one_joint() {
            let text = format!(
                "Nothing was painted: a gradient gives one joint a value, and {} does not; choose Add, Subtract, Set or Scale.",
                brush.kind.word()
            );
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let mut rest = |at: Vec2| {
            let found = self.find(at, size, &brush)?;
            let canvas = self.painting.canvas.as_ref()?;
            let corner = |k: usize| canvas.rest()[canvas.place_of(found.touch.corners[k]) as usize];
            let spot = corner(0) * found.shares[0] + corner(1) * found.shares[1] + corner(2) * found.shares[2];
            Some(spot.to_array().to_vec())
        };
        let (Some(a), Some(b)) = (rest(from), rest(to)) else {
            self.toast(ctx, ToastKind::Error, "Nothing was painted: both ends of a gradient must lie on the surface.");
            return;
        };
        let (Some(node), Some(session)) = (self.painting.joint_node(), &self.session) else { return };
        let line = CommandLine::new("weights.gradient")
            .with("joint", node_text(session.document(), node))
            .with("from", a)
            .with("to", b)
            .with("radial", self.painting.gradient.unwrap_or(false))
            .with("value", brush.value)
            .with("how", how(brush.kind))
            .with("amount", brush.strength);
        self.run(ctx, line);
    }

    /// A line on weights for each part that has selected vertices; the line alone where none are selected.
    pub(in crate::app) fn weights_lines(&self, line: CommandLine) -> Vec<CommandLine> {
        let takes = crate::edit::find(&line.name).is_some_and(|s| s.arguments.iter().any(|a| a.name == "vertices"));
        let named = ["mesh", "primitive", "vertices"].iter().any(|n| line.arguments.contains_key(*n));
        let session = self.session.as_ref();
        // What the brush does to all of the surface it does not do to what is hidden.
        let of_brush = matches!(&*line.name, "weights.flood" | "weights.gradient" | "weights.smooth" | "layers.mask");
        let all_seen = self.painting.vertices.is_empty() && of_brush && self.painting.hides_any();
        let seen = if all_seen { self.painting.seen() } else { Vec::new() };
        if all_seen && seen.is_empty() {
            return Vec::new();
        }
        let chosen = if all_seen { &seen } else { &self.painting.vertices };
        let (Some(canvas), Some(session), false) = (&self.painting.canvas, session, chosen.is_empty()) else {
            return vec![self.weights_line(line)];
        };
        if !takes || named || self.mode != Mode::Paint {
            return vec![self.weights_line(line)];
        }
        let own = |part: &crate::weights::CanvasPart| -> Vec<u32> {
            let own = chosen.iter().map(|v| v.wrapping_sub(part.first));
            own.filter(|v| *v < part.count).collect()
        };
        let parts: Vec<_> = canvas.parts().iter().map(|p| (p, own(p))).filter(|(_, own)| !own.is_empty()).collect();
        if parts.len() > 1 && line.name.starts_with("weights.") {
            // One line for all: what each makes of its neighbours it makes of them as they are now, across seams too.
            let text: Vec<String> =
                parts.iter().map(|(p, own)| format!("{}/{}: {}", p.mesh.0, p.primitive, spell(own))).collect();
            return vec![self.weights_line(line.with("vertices", text.join("; ")))];
        }
        let line = |(part, own): &(&crate::weights::CanvasPart, Vec<u32>)| {
            let line = line
                .clone()
                .with("mesh", crate::edit::mesh_text(session.document(), part.mesh))
                .with("primitive", part.primitive)
                .with("vertices", spell(own));
            self.weights_line(line)
        };
        parts.iter().map(line).collect()
    }

    /// Adds to a line on weights what painting knows: the meshes of the skin, locked joints, the limit.
    pub(in crate::app) fn weights_line(&self, mut line: CommandLine) -> CommandLine {
        let Some(document) = self.session.as_ref().map(|s| s.document()) else { return line };
        // What has no weights is no part of what is painted.
        if line.name == "weights.bind" {
            return line;
        }
        let spec = crate::edit::find(&line.name);
        let takes = |name: &str| {
            spec.is_some_and(|s| s.arguments.iter().any(|a| a.name == name)) && !line.arguments.contains_key(name)
        };
        let (mesh, locked, most, layer) = (takes("mesh"), takes("locked"), takes("most"), takes("layer"));
        // What names another mesh has nothing to do with the painted layer.
        let ours = |canvas: &Canvas| {
            let given = line.arguments.get("mesh").and_then(|m| m.as_str());
            let is = |name: &str, mesh: MeshId| {
                name == crate::edit::mesh_text(document, mesh) || name == format!("#{}", mesh.0)
            };
            given.is_none_or(|name| canvas.parts().iter().any(|p| is(name, p.mesh)))
        };
        if layer
            && self.mode == Mode::Paint
            && let Some(canvas) = self.painting.canvas.as_ref().filter(|c| ours(c))
            && let Some(text) = self.painting.layering.text(document, canvas.skin)
        {
            line = line.with("layer", text);
        }
        if mesh
            && self.mode == Mode::Paint
            && let Some(canvas) = &self.painting.canvas
        {
            let mut meshes: Vec<_> = canvas.parts().iter().map(|p| p.mesh).collect();
            meshes.dedup();
            let names: Vec<String> = meshes.into_iter().map(|m| crate::edit::mesh_text(document, m)).collect();
            line = line.with("mesh", names);
        }
        if locked && !self.painting.locked.is_empty() {
            let names: Vec<String> = self.painting.locked.iter().map(|n| node_text(document, *n)).collect();
            line = line.with("locked", names);
        }
        if most && self.mode == Mode::Paint {
            line = line.with("most", self.painting.limit);
        }
        line
    }

    /// Shows where a problem is: its node, and the faults of weights in colours.
    pub(in crate::app) fn show_problem(&mut self, ctx: &Context, problem: usize) {
        let (Some(problem), Some(session)) = (self.problems.get(problem), &self.session) else { return };
        let document = session.document();
        let node = problem.place.strip_prefix("nodes/").and_then(|t| t.split('/').next()?.parse::<u32>().ok());
        let flaw = match problem.code {
            "ULNA_MESH_OPEN" => Some("vertices.open"),
            "ULNA_MESH_CROWDED" => Some("vertices.crowded"),
            "ULNA_MESH_DOUBLED" => Some("vertices.doubled"),
            _ => None,
        };
        if let Some(command) = flaw {
            let is_meant = |skin: &SkinId| surface_place(*skin) == problem.place;
            let Some(skin) = (0..document.skins.len()).map(SkinId::from).find(is_meant) else { return };
            let here = self.painting.canvas().is_some_and(|c| c.skin == skin);
            let joint = self.painting.joint_node().filter(|_| here);
            if let Some(joint) = joint.or(document.skin(skin).joints.first().copied()) {
                self.selection.set(joint);
                self.painting.select_next = Some(command);
                self.run(ctx, CommandLine::new("mode.paint"));
            }
        } else if let Some(node) = node.map(NodeId).filter(|n| n.index() < document.nodes.len()) {
            self.selection.set(node);
        } else if let Some((mesh, _)) = primitive_of(&problem.place).filter(|_| problem.fix.is_some()) {
            let on_skin = |n: &NodeId| document.node(*n).mesh == Some(mesh) && document.node(*n).skin.is_some();
            let Some(node) = document.shown_nodes().into_iter().find(on_skin) else {
                let text = "The mesh hangs on no node that is shown. Fix normalises its weights all the same.";
                self.toast(ctx, ToastKind::Error, text);
                return;
            };
            self.selection.set(node);
            if problem.fix == Some("weights.bind") {
                return;
            }
            self.painting.look = WeightLook::Faults;
            // Weights that do not sum to 1 draw vertices into the model, where their colours are not seen; dots are.
            self.painting.select_next = Some("vertices.faulty");
            self.run(ctx, CommandLine::new("mode.paint"));
        }
    }

    /// Mends a problem that can be mended at a click.
    pub(in crate::app) fn fix_problem(&mut self, ctx: &Context, problem: usize) {
        let Some(problem) = self.problems.get(problem).filter(|p| p.fix.is_some()) else { return };
        let Some((mesh, primitive)) = primitive_of(&problem.place) else { return };
        let line = CommandLine::new(problem.fix.unwrap_or("weights.normalize"))
            .with("mesh", format!("#{}", mesh.index()))
            .with("primitive", primitive);
        self.run(ctx, line);
    }

    /// What is to be known of the painted surface, once its canvas is ready.
    pub(in crate::app) fn follow_surface_problems(&mut self) {
        let Some(canvas) = self.painting.canvas().filter(|_| self.painting.is_ready()) else { return };
        let place = surface_place(canvas.skin);
        if self.surfaces_told.insert((self.stage.scene_serial(), canvas.skin)) {
            let found = surface_findings(canvas);
            self.problems.retain(|p| p.place != place || !p.code.starts_with("ULNA_MESH_"));
            self.problems.extend(found);
            self.problems.sort_by_key(|d| std::cmp::Reverse(d.severity));
        }
    }

    /// Problems of weights are those of the weights as they are now.
    pub(in crate::app) fn refresh_weight_problems(&mut self) {
        let started = std::time::Instant::now();
        let moved = std::mem::take(&mut self.weights_moved);
        let Some(session) = &self.session else { return };
        let places: Vec<String> = moved.iter().map(|(mesh, primitive)| weight_place(*mesh, *primitive)).collect();
        let document = session.document();
        // What the file says of a node whose mesh had no joints is so no longer.
        let is_skinned = |node: usize| {
            let mesh = document.nodes.get(node).and_then(|n| n.mesh);
            mesh.is_some_and(|m| document.mesh(m).primitives.iter().any(|p| p.weights.is_some()))
        };
        let past = |p: &Diagnostic| {
            let node = p.place.strip_prefix("nodes/").and_then(|t| t.parse().ok());
            p.code == "NODE_SKIN_WITH_NON_SKINNED_MESH" && node.is_some_and(is_skinned)
        };
        self.problems.retain(|p| (p.fix.is_none() || !places.contains(&p.place)) && !past(p));
        // And is so again when that is undone.
        let again = session.diagnostics.iter().filter(|d| d.code == "NODE_SKIN_WITH_NON_SKINNED_MESH" && !past(d));
        let again: Vec<Diagnostic> = again.filter(|d| !self.problems.contains(d)).cloned().collect();
        self.problems.extend(again);
        self.problems.extend(moved.into_iter().flat_map(|(mesh, primitive)| session.weight_problems(mesh, primitive)));
        self.problems.sort_by_key(|d| std::cmp::Reverse(d.severity));
        log::trace!("looked for problems of weights for {:?}", started.elapsed());
    }
}

/// The primitive of a place such as `meshes/0/primitives/1`.
fn primitive_of(place: &str) -> Option<(MeshId, usize)> {
    let mut parts = place.split('/');
    let number = |t: Option<&str>| t.and_then(|t| t.parse::<usize>().ok());
    match (parts.next(), number(parts.next()), parts.next(), number(parts.next())) {
        (Some("meshes"), Some(mesh), Some("primitives"), Some(primitive)) => Some((mesh.into(), primitive)),
        _ => None,
    }
}

/// What a brush does to a whole surface, in the words of `weights.flood`.
const fn how(kind: BrushKind) -> &'static str {
    match kind {
        BrushKind::Add => "add",
        BrushKind::Subtract => "subtract",
        BrushKind::Scale => "scale",
        _ => "set",
    }
}

/// Vertices in rising order as text: `0-99, 120`.
fn spell(vertices: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for v in vertices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *v => *last = *v,
            _ => runs.push((*v, *v)),
        }
    }
    let text = |(a, b): (u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.into_iter().map(text).collect::<Vec<_>>().join(", ")
}
