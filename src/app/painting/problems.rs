//! Problems of weights and of painted surfaces.

use super::context::ProblemContext;
use crate::{
    app::problems::Problems,
    ui::{ToastKind, WeightLook},
};
use ulna_edit::{
    Command,
    command::{
        Bind, ModeCommand, Normalize, VertexCommand,
        field::{AutomaticWeights, Meshes, Reach},
    },
};
use ulna_model::{Diagnostic, IdKind, Location, NodeId, Repair, SkinId};
use ulna_session::{Session, surface_findings};
use ulna_weights::SkinnedSurface;

impl ProblemContext<'_> {
    /// Shows the location of a problem: selects its node, and shows invalid weights as colors.
    /// Returns the mode that shows the problem.
    pub(in crate::app) fn show(&mut self, problem: usize) -> Option<ModeCommand> {
        let problem = self.problems.list.get(problem)?;
        let document = self.session.document();
        let node = problem.place.index_in(IdKind::Node);
        let flaw = match problem.code {
            "ULNA_MESH_OPEN" => Some(VertexCommand::Open),
            "ULNA_MESH_CROWDED" => Some(VertexCommand::Crowded),
            "ULNA_MESH_DOUBLED" => Some(VertexCommand::Doubled),
            _ => None,
        };
        if let Some(command) = flaw {
            let is_meant = |skin: &SkinId| Location::of(*skin) == problem.place;
            let skin = document.skins.ids().find(is_meant)?;
            let here = self.painting.session().is_some_and(|s| s.skin() == skin);
            let joint = self.painting.joint_node().filter(|_| here);
            if let Some(joint) = joint.or(document.skin(skin).joints.first().copied()) {
                self.selection.set(joint);
                self.painting.select_next = Some(command);
                return Some(ModeCommand::PaintMode);
            }
        } else if let Some(node) = node.map(NodeId).filter(|n| document.nodes.contains(*n)) {
            self.selection.set(node);
        } else if let Some((mesh, _)) =
            problem.place.primitive_key().filter(|_| problem.fix.is_some())
        {
            let on_skin = |n: &NodeId| {
                document.node(*n).mesh == Some(mesh) && document.node(*n).skin.is_some()
            };
            let Some(node) = document.shown_nodes().into_iter().find(on_skin) else {
                let text = "No shown node uses this mesh. Fix normalizes its weights anyway.";
                self.messages.toast(ToastKind::Error, text);
                return None;
            };
            self.selection.set(node);
            if problem.fix == Some(Repair::Bind) {
                return None;
            }
            self.painting.options.look = WeightLook::Faults;
            // Weights with a wrong sum move vertices into the model, where their colors are hidden.
            // Selected vertices are visible as dots.
            self.painting.select_next = Some(VertexCommand::Faulty);
            return Some(ModeCommand::PaintMode);
        }
        None
    }
}

impl Problems {
    /// The command that fixes a problem, if there is one.
    pub(in crate::app) fn fix(&self, problem: usize) -> Option<Command> {
        let problem = self.list.get(problem)?;
        let fix = problem.fix?;
        let (mesh, primitive) = problem.place.primitive_key()?;
        let (mesh, primitive) = (Some(Meshes::Ids(vec![mesh])), Some(primitive));
        Some(match fix {
            Repair::Bind => Bind {
                mesh,
                primitive,
                weights: AutomaticWeights::default(),
                rebind: None,
                vertices: None,
                locked: None,
            }
            .into(),
            Repair::Normalize => {
                Normalize { reach: Reach { mesh, primitive, ..Reach::default() } }.into()
            }
        })
    }

    /// Adds the problems of a painted surface to the list, once per skin and scene.
    pub(super) fn add_of_surface(&mut self, canvas: &SkinnedSurface, scene: u64) {
        let place = Location::of(canvas.skin);
        if self.surfaces_told.insert((scene, canvas.skin)) {
            let found = surface_findings(canvas);
            self.change(|list| {
                list.retain(|p| p.place != place || !p.code.starts_with("ULNA_MESH_"));
                list.extend(found);
            });
        }
    }

    /// Updates the problems of weights that changed.
    pub(super) fn refresh_of_weights(&mut self, session: &Session) {
        let started = std::time::Instant::now();
        let moved = std::mem::take(&mut self.weights_moved);
        let places: Vec<Location> =
            moved.iter().map(|(mesh, primitive)| Location::primitive(*mesh, *primitive)).collect();
        let document = session.document();
        // Removes the problem of a skinned node whose mesh lacked weights, if the mesh now has
        // weights.
        let is_skinned = |node: u32| {
            let mesh = document.nodes.get(NodeId(node)).and_then(|n| n.mesh);
            mesh.is_some_and(|m| document.mesh(m).primitives.iter().any(|p| p.weights.is_some()))
        };
        let past = |p: &Diagnostic| {
            let node = p.place.index_in(IdKind::Node);
            p.code == "NODE_SKIN_WITH_NON_SKINNED_MESH" && node.is_some_and(is_skinned)
        };
        self.change(|list| {
            list.retain(|p| (p.fix.is_none() || !places.contains(&p.place)) && !past(p));
            // Adds the problem again if the weights were removed by undo.
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
