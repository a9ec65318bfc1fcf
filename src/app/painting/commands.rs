//! Commands of the brush, and what painting adds to commands on weights: meshes, locks, the limit,
//! selected vertices.

use egui::Context;
use glam::Vec2;

use crate::{
    app::{App, jobs::Title},
    ui::{BendAction, BrushNumber, JointAct, PaintSession, PaintTool, ToastKind, WeightLook},
};
use ulna_edit::{
    Command,
    command::{
        Along, Bind, BrushCommand, DocumentCommand, Flood, Gradient, MaskLayer, MergeJoints,
        ModeCommand, Normalize, Prune, Smooth, SwapJoints, Touch, VertexCommand, WeightCommand,
        field::{Curve, How, Meshes, Nodes, Reach, VertexTerms},
        meshes_of_body,
    },
};
use ulna_model::{Diagnostic, IdKind, Location, MeshId, NodeId, Repair, SkinId};
use ulna_session::surface_findings;
use ulna_weights::{BrushKind, Radius, SurfacePart};

impl App {
    /// Commands of the brush.
    pub(in crate::app) fn paint_command(&mut self, ctx: &Context, command: &BrushCommand) {
        match command {
            BrushCommand::Radius => self.painting.adjust_brush(Some(BrushNumber::Radius)),
            BrushCommand::Strength => self.painting.adjust_brush(Some(BrushNumber::Strength)),
            BrushCommand::Value => self.painting.adjust_brush(Some(BrushNumber::Value)),
            BrushCommand::Smaller | BrushCommand::Larger => {
                let factor = if *command == BrushCommand::Smaller { 0.9 } else { 1.0 / 0.9 };
                let brush = &mut self.painting.options.brush;
                brush.radius = match brush.radius {
                    Radius::Pixels(r) => Radius::Pixels(r * factor),
                    Radius::Scene(r) => Radius::Scene(r * factor),
                };
                *brush = brush.clamped();
            }
            BrushCommand::Lock => {
                if let Some(node) = self.painting.joint_node()
                    && !self.painting.options.locked.remove(&node)
                {
                    self.painting.options.locked.insert(node);
                }
            }
            BrushCommand::UnlockAll => self.painting.options.locked.clear(),
            BrushCommand::Mirror => {
                self.painting.options.brush.mirror = !self.painting.options.brush.mirror
            }
            BrushCommand::Sample if self.painting.layering.masked().is_some() => {
                let hover = self.painting.session().and_then(|s| s.hover());
                let vertex = hover.map(|h| h.surface_vertex);
                match vertex.and_then(|v| self.painting.layering.mask_at(v)) {
                    Some(mask) => self.painting.options.brush.value = mask,
                    None => self.toast(
                        ctx,
                        ToastKind::Error,
                        "No mask was picked: no vertex of the layer is under the brush.",
                    ),
                }
            }
            BrushCommand::Sample => {
                match self.painting.session().and_then(|s| Some((s.hover()?, s.joint_node()?))) {
                    Some((hover, joint)) => {
                        let share =
                            hover.shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, w)| *w);
                        self.painting.options.brush.value = share;
                    }
                    None => self.toast(
                        ctx,
                        ToastKind::Error,
                        "No weight was picked: no vertex is under the brush.",
                    ),
                }
            }
            BrushCommand::Flood if self.painting.layering.masked().is_some() => {
                self.flood_mask(ctx)
            }
            BrushCommand::Flood => {
                let kind = self.painting.options.brush.kind;
                if !kind.is_of_one_joint() && kind != BrushKind::Smooth {
                    let text = format!(
                        "{} cannot flood. Choose Add, Subtract, Replace, Scale or Smooth.",
                        kind.label()
                    );
                    self.toast(ctx, ToastKind::Note, text);
                    return;
                }
                let Some(command) = self.flood() else { return };
                self.run(ctx, command);
            }
            BrushCommand::Look => {
                let all = WeightLook::ALL;
                let look = &mut self.painting.options.look;
                let at = all.iter().position(|l| l == look).unwrap_or(0);
                *look = all[(at + 1) % all.len()];
            }
            BrushCommand::NextSpot => self.step_spot(ctx, false),
            BrushCommand::PreviousSpot => self.step_spot(ctx, true),
            BrushCommand::NextInfluence => self.step_influence(ctx, false),
            BrushCommand::PreviousInfluence => self.step_influence(ctx, true),
            BrushCommand::Worst => self.search_worst(ctx),
            BrushCommand::Bend => self.press_bend(ctx),
            BrushCommand::Unbend => self.apply_bend(ctx, BendAction::Unbend),
            BrushCommand::Range => self.show_range(self.painting.bending.range.is_none()),
        }
    }

    /// Takes up the next joint of those that move the spot under the brush, or where it was last.
    fn step_influence(&mut self, ctx: &Context, back: bool) {
        let shares: Vec<NodeId> = self
            .painting
            .session()
            .and_then(|s| s.touched.as_ref())
            .map_or_else(Vec::new, |h| h.shares.iter().map(|(n, _)| *n).collect());
        let count = shares.len();
        if count == 0 {
            self.toast(
                ctx,
                ToastKind::Note,
                "Point at the surface first: no vertex was under the brush yet.",
            );
            return;
        }
        let now =
            self.painting.joint_node().and_then(|joint| shares.iter().position(|n| *n == joint));
        let next = match (now, back) {
            (None, _) => 0,
            (Some(k), false) => (k + 1) % count,
            (Some(k), true) => (k + count - 1) % count,
        };
        self.outliner.selection.set(shares[next]);
    }

    /// Does something to the weights of several joints, as one step.
    pub(in crate::app) fn on_joints(&mut self, ctx: &Context, nodes: &[NodeId], act: JointAct) {
        let brush = self.painting.options.brush;
        let amount = Some(brush.strength);
        let each = |make: &dyn Fn(Nodes) -> Command| {
            nodes.iter().map(|n| make(Nodes::one(*n))).collect::<Vec<Command>>()
        };
        let reach = Reach::default;
        let (title, commands): (&'static str, Vec<Command>) = match (act, nodes) {
            (JointAct::Flood, _) if brush.kind.is_of_one_joint() => {
                let flood = |joint| {
                    Flood {
                        joint,
                        value: Some(brush.value),
                        how: Some(how(brush.kind)),
                        amount,
                        reach: reach(),
                    }
                    .into()
                };
                ("Flood joints", each(&flood))
            }
            (JointAct::Flood, _) if brush.kind != BrushKind::Smooth => {
                let text = format!(
                    "{} cannot flood. Choose Add, Subtract, Replace, Scale or Smooth.",
                    brush.kind.label()
                );
                self.toast(ctx, ToastKind::Note, text);
                return;
            }
            (JointAct::Flood | JointAct::Smooth, _) => {
                let amount = amount.filter(|_| act == JointAct::Flood);
                let smooth = |joint| {
                    Smooth { passes: None, amount, joint: Some(joint), reach: reach() }.into()
                };
                ("Smooth joints", each(&smooth))
            }
            (JointAct::Prune(below), _) => {
                let prune =
                    Prune { below, joint: Some(Nodes::Ids(nodes.to_vec())), reach: reach() };
                ("Prune joints", vec![prune.into()])
            }
            (JointAct::Swap, [a, b]) => {
                let swap =
                    SwapJoints { joint: Nodes::one(*a), with: Nodes::one(*b), reach: reach() };
                ("Swap joints", vec![swap.into()])
            }
            (JointAct::Merge, [from @ .., into]) if !from.is_empty() => {
                let merge = MergeJoints {
                    from: Nodes::Ids(from.to_vec()),
                    into: Nodes::one(*into),
                    reach: reach(),
                };
                ("Merge joints", vec![merge.into()])
            }
            (JointAct::Limb, [_, .., _]) => {
                let Some(document) = self.session.as_ref().map(|s| s.document()) else { return };
                let depth = |n: &NodeId| {
                    std::iter::successors(document.node(*n).parent, |p| document.node(*p).parent)
                        .count()
                };
                let (from, to) =
                    (nodes.iter().min_by_key(|n| depth(n)), nodes.iter().max_by_key(|n| depth(n)));
                let (Some(from), Some(to)) = (from, to) else { return };
                let (to, from) = (Nodes::one(*to), Some(Nodes::one(*from)));
                (
                    "Gradient along a limb",
                    vec![Along { to, from, width: None, curve: None, reach: reach() }.into()],
                )
            }
            (JointAct::Swap | JointAct::Merge | JointAct::Limb, _) => {
                self.toast(ctx, ToastKind::Note, "Choose two joints in the list first.");
                return;
            }
        };
        let commands: Vec<Command> =
            commands.into_iter().flat_map(|c| self.on_painted(c)).collect();
        let joints = Some(if commands.len() == 1 { 1 } else { nodes.len() });
        self.run_on_vertices(ctx, Title { text: title, joints }, commands);
    }

    /// What the brush does to a spot, done to all of the surface, or to what is selected of it.
    fn flood(&self) -> Option<Command> {
        let joint = Nodes::one(self.painting.joint_node()?);
        let (brush, reach) = (&self.painting.options.brush, Reach::default());
        let amount = Some(brush.strength);
        if brush.kind == BrushKind::Smooth {
            return Some(
                Smooth { passes: None, amount, joint: brush.this_joint.then_some(joint), reach }
                    .into(),
            );
        }
        Some(
            Flood { joint, value: Some(brush.value), how: Some(how(brush.kind)), amount, reach }
                .into(),
        )
    }

    /// The brush's value for all of the mask, or for what is selected.
    fn flood_mask(&mut self, ctx: &Context) {
        let brush = self.painting.options.brush;
        if brush.kind != BrushKind::Replace {
            let text = "Only Replace can flood a mask. Choose Replace and set the value.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let value = brush.value.min(1.0);
        let name =
            self.session.as_ref().zip(self.painting.session()).and_then(|(session, painted)| {
                self.painting.layering.text(session.document(), painted.skin())
            });
        let Some(layer) = name else { return };
        let mask = MaskLayer { layer, value, mesh: None, primitive: None, vertices: None };
        let commands = self.on_painted(mask.into());
        self.run_on_vertices(ctx, "Flood mask".into(), commands);
    }

    /// A gradient between two spots of the surface, given as they are at rest.
    pub(in crate::app) fn paint_gradient(
        &mut self,
        ctx: &Context,
        from: Vec2,
        to: Vec2,
        size: Vec2,
    ) {
        if self.painting.layering.masked().is_some() {
            let text = "Gradients paint weights, not masks. Choose Stroke, or paint weights.";
            self.toast(ctx, ToastKind::Error, text);
            return;
        }
        let brush = self.painting.options.brush;
        if !brush.kind.is_of_one_joint() {
            let text = format!(
                "{} cannot paint a gradient. Choose Add, Subtract, Replace or Scale.",
                brush.kind.label()
            );
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let Some(mut context) = self.brush_context(ctx) else { return };
        let mut rest = |at: Vec2| {
            let found = context.find(at, size, &brush)?;
            let canvas = &context.painting.session()?.surface;
            let corner = |k: usize| canvas.rest()[canvas.point_of(found.touch.corners[k]).index()];
            let spot = corner(0) * found.shares[0]
                + corner(1) * found.shares[1]
                + corner(2) * found.shares[2];
            Some(spot)
        };
        let (Some(a), Some(b)) = (rest(from), rest(to)) else {
            self.toast(
                ctx,
                ToastKind::Error,
                "The gradient was not painted: start and end it on the surface.",
            );
            return;
        };
        let Some(node) = self.painting.joint_node() else { return };
        let gradient = Gradient {
            joint: Nodes::one(node),
            from: a,
            to: b,
            radial: Some(self.painting.options.tool == PaintTool::RadialGradient),
            curve: Some(Curve::of(brush.falloff)),
            value: Some(brush.value),
            how: Some(how(brush.kind)),
            amount: Some(brush.strength),
            reach: Reach::default(),
        };
        self.run(ctx, gradient);
    }

    /// A command on weights with what painting knows: the meshes of the skin, locked joints, the
    /// limit, and what is selected of the surface, or is seen of it. Several where it cannot say
    /// that alone.
    pub(in crate::app) fn on_painted(&self, mut command: Command) -> Vec<Command> {
        const fn given<T>(argument: &Option<&mut Option<T>>) -> bool {
            matches!(argument, Some(Some(_)))
        }
        let Some(touch) = command.touch() else { return vec![command] };
        let named = given(&touch.mesh) || given(&touch.primitive) || given(&touch.vertices);
        let narrows = touch.vertices.is_some() && !named && self.mode.spec().selects_vertices;
        // What the brush does to all of the surface it does not do to what is hidden.
        let painted = self.painting.session();
        let hides = painted.filter(|s| s.vertices.is_empty() && touch.of_brush && s.hides_any());
        let seen = hides.map(PaintSession::visible_vertices);
        if seen.as_ref().is_some_and(Vec::is_empty) {
            return Vec::new();
        }
        let chosen = seen.as_deref().unwrap_or_else(|| self.painting.vertices());
        let own = |part: &SurfacePart| -> Vec<u32> {
            let own = chosen.iter().map(|v| v.wrapping_sub(part.first));
            own.filter(|v| *v < part.count).collect()
        };
        let canvas = painted.map(|s| &s.surface).filter(|_| narrows);
        let parts = canvas.map_or(&[][..], |c| c.parts()).iter().map(|p| (p, own(p)));
        let parts: Vec<_> = parts.filter(|(_, own)| !own.is_empty()).collect();
        let of_weights = matches!(command, Command::Document(DocumentCommand::Weight(_)));
        let mut commands = match &parts[..] {
            [] => vec![command],
            // One for all: what each makes of its neighbors it makes of them as they are now,
            // across seams too.
            [_, _, ..] if of_weights => {
                let spelled = parts
                    .iter()
                    .map(|(p, own)| format!("{}/{}: {}", p.mesh.0, p.primitive, spell(own)));
                if let Some(vertices) = command.touch().and_then(|t| t.vertices) {
                    *vertices = VertexTerms::parse(&spelled.collect::<Vec<_>>().join("; "));
                }
                vec![command]
            }
            parts => parts.iter().map(|(part, own)| on_part(command.clone(), part, own)).collect(),
        };
        commands.iter_mut().for_each(|command| self.fill_painted(command));
        commands
    }

    fn painted_meshes(&self) -> Option<Meshes> {
        let canvas = &self.painting.session()?.surface;
        let mut meshes: Vec<MeshId> = canvas.parts().iter().map(|p| p.mesh).collect();
        meshes.dedup();
        Some(Meshes::Ids(meshes))
    }

    /// Adds to a command on weights what painting knows: the meshes of the skin, locked joints, the
    /// limit, the layer.
    fn fill_painted(&self, command: &mut Command) {
        let Some(document) = self.session.as_ref().map(|s| s.document()) else { return };
        let canvas =
            self.painting.session().map(|s| &s.surface).filter(|_| self.mode.spec().paints_weights);
        let is_mirror = matches!(
            command,
            Command::Document(DocumentCommand::Weight(WeightCommand::MirrorWeights(_)))
        );
        let painted = match (self.painted_meshes(), canvas) {
            // The other side may be meshes on other skins.
            (Some(Meshes::Ids(mut meshes)), Some(canvas)) if is_mirror => {
                let more = meshes_of_body(document, canvas.skin)
                    .into_iter()
                    .filter(|m| !meshes.contains(m));
                let more: Vec<MeshId> = more.collect();
                meshes.extend(more);
                Some(Meshes::Ids(meshes))
            }
            (painted, _) => painted,
        };
        let Some(touch) = command.touch() else { return };
        let options = &self.painting.options;
        if let Some(locked) = touch.locked.filter(|l| l.is_none() && !options.locked.is_empty()) {
            *locked = Some(Nodes::Ids(options.locked.iter().copied().collect()));
        }
        let Some(canvas) = canvas else { return };
        // What names another mesh has nothing to do with the painted layer.
        let ours = touch.mesh.as_ref().and_then(|m| m.as_ref()).is_none_or(|meshes| {
            let found = meshes.find(document).unwrap_or_default();
            canvas.parts().iter().any(|p| found.contains(&p.mesh))
        });
        if let Some(layer) = touch.layer.filter(|l| l.is_none() && ours) {
            *layer = self.painting.layering.text(document, canvas.skin);
        }
        if let Some(mesh) = touch.mesh.filter(|m| m.is_none()) {
            *mesh = painted;
        }
        if let Some(most) = touch.most.filter(|m| m.is_none()) {
            *most = Some(options.limit);
        }
    }

    /// Shows where a problem is: its node, and the faults of weights in colors.
    pub(in crate::app) fn show_problem(&mut self, ctx: &Context, problem: usize) {
        let (Some(problem), Some(session)) = (self.problems.list.get(problem), &self.session)
        else {
            return;
        };
        let document = session.document();
        let node = problem.place.index_in(IdKind::Node);
        let flaw = match problem.code {
            "ULNA_MESH_OPEN" => Some(VertexCommand::Open),
            "ULNA_MESH_CROWDED" => Some(VertexCommand::Crowded),
            "ULNA_MESH_DOUBLED" => Some(VertexCommand::Doubled),
            _ => None,
        };
        if let Some(command) = flaw {
            let is_meant = |skin: &SkinId| Location::of(*skin) == problem.place;
            let Some(skin) = document.skins.ids().find(is_meant) else { return };
            let here = self.painting.session().is_some_and(|s| s.skin() == skin);
            let joint = self.painting.joint_node().filter(|_| here);
            if let Some(joint) = joint.or(document.skin(skin).joints.first().copied()) {
                self.outliner.selection.set(joint);
                self.painting.select_next = Some(command);
                self.run(ctx, ModeCommand::PaintMode);
            }
        } else if let Some(node) = node.map(NodeId).filter(|n| document.nodes.contains(*n)) {
            self.outliner.selection.set(node);
        } else if let Some((mesh, _)) =
            problem.place.primitive_key().filter(|_| problem.fix.is_some())
        {
            let on_skin = |n: &NodeId| {
                document.node(*n).mesh == Some(mesh) && document.node(*n).skin.is_some()
            };
            let Some(node) = document.shown_nodes().into_iter().find(on_skin) else {
                let text = "No shown node uses this mesh. Fix normalizes its weights anyway.";
                self.toast(ctx, ToastKind::Error, text);
                return;
            };
            self.outliner.selection.set(node);
            if problem.fix == Some(Repair::Bind) {
                return;
            }
            self.painting.options.look = WeightLook::Faults;
            // Weights that do not sum to 1 draw vertices into the model, where their colors are
            // not seen; dots are.
            self.painting.select_next = Some(VertexCommand::Faulty);
            self.run(ctx, ModeCommand::PaintMode);
        }
    }

    /// Mends a problem that can be mended at a click.
    pub(in crate::app) fn fix_problem(&mut self, ctx: &Context, problem: usize) {
        let Some(problem) = self.problems.list.get(problem).filter(|p| p.fix.is_some()) else {
            return;
        };
        let Some((mesh, primitive)) = problem.place.primitive_key() else { return };
        let (mesh, primitive) = (Some(Meshes::Ids(vec![mesh])), Some(primitive));
        if problem.fix == Some(Repair::Bind) {
            self.run(ctx, Bind { mesh, primitive, most: None, passes: None });
        } else {
            self.run(ctx, Normalize { reach: Reach { mesh, primitive, ..Reach::default() } });
        }
    }

    /// What is to be known of the painted surface, once its canvas is ready.
    pub(in crate::app) fn follow_surface_problems(&mut self) {
        let Some(painted) = self.painting.state.ready() else { return };
        let canvas = &painted.surface;
        let place = Location::of(canvas.skin);
        if self.problems.surfaces_told.insert((self.renderer.scene_serial(), canvas.skin)) {
            let found = surface_findings(canvas);
            self.problems.change(|list| {
                list.retain(|p| p.place != place || !p.code.starts_with("ULNA_MESH_"));
                list.extend(found);
            });
        }
    }

    /// Problems of weights are those of the weights as they are now.
    pub(in crate::app) fn refresh_weight_problems(&mut self) {
        let started = std::time::Instant::now();
        let moved = std::mem::take(&mut self.problems.weights_moved);
        let Some(session) = &self.session else { return };
        let places: Vec<Location> =
            moved.iter().map(|(mesh, primitive)| Location::primitive(*mesh, *primitive)).collect();
        let document = session.document();
        // What the file says of a node whose mesh had no joints is so no longer.
        let is_skinned = |node: u32| {
            let mesh = document.nodes.get(NodeId(node)).and_then(|n| n.mesh);
            mesh.is_some_and(|m| document.mesh(m).primitives.iter().any(|p| p.weights.is_some()))
        };
        let past = |p: &Diagnostic| {
            let node = p.place.index_in(IdKind::Node);
            p.code == "NODE_SKIN_WITH_NON_SKINNED_MESH" && node.is_some_and(is_skinned)
        };
        self.problems.change(|list| {
            list.retain(|p| (p.fix.is_none() || !places.contains(&p.place)) && !past(p));
            // And is so again when that is undone.
            let again = session
                .diagnostics
                .iter()
                .filter(|d| d.code == "NODE_SKIN_WITH_NON_SKINNED_MESH" && !past(d));
            let again: Vec<Diagnostic> = again.filter(|d| !list.contains(d)).cloned().collect();
            list.extend(again);
            list.extend(
                moved
                    .into_iter()
                    .flat_map(|(mesh, primitive)| session.weight_problems(mesh, primitive)),
            );
        });
        log::trace!("looked for problems of weights for {:?}", started.elapsed());
    }
}

/// What a brush does to a whole surface, in the words of `weights.flood`.
const fn how(kind: BrushKind) -> How {
    match kind {
        BrushKind::Add => How::Add,
        BrushKind::Subtract => How::Subtract,
        BrushKind::Scale => How::Scale,
        _ => How::Replace,
    }
}

/// A command on vertices of one part of the canvas.
fn on_part(mut command: Command, part: &SurfacePart, own: &[u32]) -> Command {
    if let Some(Touch {
        mesh: Some(mesh),
        primitive: Some(primitive),
        vertices: Some(vertices),
        ..
    }) = command.touch()
    {
        *mesh = Some(Meshes::Ids(vec![part.mesh]));
        *primitive = Some(part.primitive);
        *vertices = VertexTerms::parse(&spell(own));
    }
    command
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
