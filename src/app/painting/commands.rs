//! Brush commands on a whole surface, and the arguments that Paint mode adds to weight commands:
//! meshes, locks, the influence limit, and selected vertices.

use glam::Vec2;

use super::context::{BrushContext, WeightContext};
use crate::{
    app::jobs::Title,
    ui::{JointAct, PaintSession, PaintTool, ToastKind},
};
use ulna_edit::{
    Command,
    command::{
        Along, DocumentCommand, Flood, Gradient, MaskLayer, MergeJoints, Prune, Smooth, SwapJoints,
        Touch, WeightCommand,
        field::{Curve, How, Meshes, Nodes, Reach, VertexTerms},
        meshes_of_body,
    },
};
use ulna_model::{MeshId, NodeId};
use ulna_weights::{BrushKind, SurfacePart};

impl WeightContext<'_> {
    /// Commands on the weights of several joints, as one undo step.
    pub(in crate::app) fn on_joints(
        &mut self,
        nodes: &[NodeId],
        act: JointAct,
    ) -> Option<(Title, Vec<Command>)> {
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
                self.say_cannot_flood(brush.kind);
                return None;
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
                let document = self.session.document();
                let depth = |n: &NodeId| {
                    std::iter::successors(document.node(*n).parent, |p| document.node(*p).parent)
                        .count()
                };
                let from = nodes.iter().min_by_key(|n| depth(n))?;
                let to = nodes.iter().max_by_key(|n| depth(n))?;
                let (to, from) = (Nodes::one(*to), Some(Nodes::one(*from)));
                (
                    "Gradient along a limb",
                    vec![Along { to, from, width: None, curve: None, reach: reach() }.into()],
                )
            }
            (JointAct::Swap | JointAct::Merge | JointAct::Limb, _) => {
                self.messages.toast(ToastKind::Note, "Choose two joints in the list first.");
                return None;
            }
        };
        let commands: Vec<Command> =
            commands.into_iter().flat_map(|c| self.on_painted(c)).collect();
        let joints = Some(if commands.len() == 1 { 1 } else { nodes.len() });
        Some((Title { text: title, joints }, commands))
    }

    fn say_cannot_flood(&mut self, kind: BrushKind) {
        let text = format!(
            "{} cannot flood. Choose Add, Subtract, Replace, Scale or Smooth.",
            kind.label()
        );
        self.messages.toast(ToastKind::Note, text);
    }

    /// Command that applies the brush operation to the selected vertices, or to the whole surface.
    pub(in crate::app) fn flood(&mut self) -> Option<Command> {
        let kind = self.painting.options.brush.kind;
        if !kind.is_of_one_joint() && kind != BrushKind::Smooth {
            self.say_cannot_flood(kind);
            return None;
        }
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

    /// Commands that set the mask of the selected vertices, or of the whole surface, to the brush
    /// value.
    pub(in crate::app) fn flood_mask(&mut self) -> Option<Vec<Command>> {
        let brush = self.painting.options.brush;
        if brush.kind != BrushKind::Replace {
            let text = "Only Replace can flood a mask. Choose Replace and set the value.";
            self.messages.toast(ToastKind::Error, text);
            return None;
        }
        let value = brush.value.min(1.0);
        let skin = self.painting.session()?.skin();
        let layer = self.painting.layering.text(self.session.document(), skin)?;
        let mask = MaskLayer { layer, value, mesh: None, primitive: None, vertices: None };
        Some(self.on_painted(mask.into()))
    }

    /// Completes a weight command with the meshes of the skin, locked joints, the influence limit,
    /// and the selected or visible vertices.
    ///
    /// Returns several commands if the vertices belong to several parts and one command cannot name
    /// all of them.
    pub(in crate::app) fn on_painted(&self, mut command: Command) -> Vec<Command> {
        const fn given<T>(argument: &Option<&mut Option<T>>) -> bool {
            matches!(argument, Some(Some(_)))
        }
        let Some(touch) = command.touch() else { return vec![command] };
        let named = given(&touch.mesh) || given(&touch.primitive) || given(&touch.vertices);
        let narrows = touch.vertices.is_some() && !named && self.mode.selects_vertices;
        // A brush operation on the whole surface leaves hidden vertices unchanged.
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
            // A single command reads all neighbors before it changes any vertex, also across parts.
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

    /// Adds the arguments that Paint mode supplies to a weight command: the meshes of the skin,
    /// locked joints, the influence limit, and the layer.
    fn fill_painted(&self, command: &mut Command) {
        let document = self.session.document();
        let canvas =
            self.painting.session().map(|s| &s.surface).filter(|_| self.mode.paints_weights);
        let is_mirror = matches!(
            command,
            Command::Document(DocumentCommand::Weight(WeightCommand::MirrorWeights(_)))
        );
        let painted = match (self.painted_meshes(), canvas) {
            // Mirroring may also change meshes with other skins.
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
        // A command on other meshes ignores the painted layer.
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
}

impl BrushContext<'_> {
    /// Command for a gradient between two surface points, in rest positions.
    pub(in crate::app) fn gradient(
        &mut self,
        from: Vec2,
        to: Vec2,
        size: Vec2,
    ) -> Option<Gradient> {
        if self.painting.layering.masked().is_some() {
            let text = "Gradients paint weights, not masks. Choose Stroke, or paint weights.";
            self.messages.toast(ToastKind::Error, text);
            return None;
        }
        let brush = self.painting.options.brush;
        if !brush.kind.is_of_one_joint() {
            let text = format!(
                "{} cannot paint a gradient. Choose Add, Subtract, Replace or Scale.",
                brush.kind.label()
            );
            self.messages.toast(ToastKind::Note, text);
            return None;
        }
        let mut rest = |at: Vec2| {
            let found = self.find(at, size, &brush)?;
            let canvas = &self.painting.session()?.surface;
            let corner = |k: usize| canvas.rest()[canvas.point_of(found.touch.corners[k]).index()];
            let spot = corner(0) * found.shares[0]
                + corner(1) * found.shares[1]
                + corner(2) * found.shares[2];
            Some(spot)
        };
        let (Some(a), Some(b)) = (rest(from), rest(to)) else {
            self.messages.toast(
                ToastKind::Error,
                "The gradient was not painted: start and end it on the surface.",
            );
            return None;
        };
        let node = self.painting.joint_node()?;
        Some(Gradient {
            joint: Nodes::one(node),
            from: a,
            to: b,
            radial: Some(self.painting.options.tool == PaintTool::RadialGradient),
            curve: Some(Curve::of(brush.falloff)),
            value: Some(brush.value),
            how: Some(how(brush.kind)),
            amount: Some(brush.strength),
            reach: Reach::default(),
        })
    }
}

/// Mode of `weights.flood` that has the effect of a brush.
const fn how(kind: BrushKind) -> How {
    match kind {
        BrushKind::Add => How::Add,
        BrushKind::Subtract => How::Subtract,
        BrushKind::Scale => How::Scale,
        _ => How::Replace,
    }
}

/// Command on vertices of one part of the painted surface.
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

/// Text for ascending vertex indices, such as `0-99, 120`.
pub(in crate::app) fn spell(vertices: &[u32]) -> String {
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
