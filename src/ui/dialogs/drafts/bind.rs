//! Choices in the *Bind* panel, and the resulting commands.

use std::collections::{BTreeMap, BTreeSet};

use ulna_edit::{
    Command,
    command::{
        Bind, BindJoint, BindReport, CreateSkin,
        field::{
            AutomaticWeights, BindBy, ClipName, Meshes, Nodes, Rebind, RigidPieces, Seconds,
            VertexTerms,
        },
    },
};
use ulna_model::{ClipId, Document, MeshId, NodeId};
use ulna_session::Worked;

/// Choices in the *Bind* panel: meshes and joints to bind, and the parameters of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct BindDraft {
    /// Nodes with meshes, and whether each is bound.
    pub meshes: Vec<(NodeId, bool)>,
    /// Joints that the user checked or unchecked.
    pub ticks: BTreeMap<NodeId, bool>,
    /// Filter of the list of joints.
    pub filter: String,
    /// Whether joints that are unchecked by default are listed.
    pub shows_all: bool,
    /// Shown clip, and its time in seconds.
    pub moment: Option<(ClipId, f64)>,
    /// Whether new skins are bound in the pose at `moment`; otherwise in the pose of the file.
    pub at_moment: bool,
    /// First method to try; other methods are used if it fails.
    pub method: BindBy,
    /// Falloff of weights beside bones, `0.5..=8`.
    pub sharpness: f32,
    /// Number of smoothing passes, `0..=20`.
    pub passes: usize,
    /// Maximum number of influences per vertex, `1..=8`.
    pub limit: usize,
    /// Number of voxels along the longest side, `64..=256`.
    pub grid: usize,
    /// Whether weights of mirrored vertices are averaged.
    pub symmetric: bool,
    /// Radius of bone envelopes for the method *distance*, relative to the bone length,
    /// `0.05..=10`; `None` for no envelopes.
    pub envelope: Option<f32>,
    /// Connected pieces that rigidly follow one joint, by their indices in the report.
    pub rigid: BTreeSet<u32>,
    /// Meshes with expanded lists of pieces.
    pub opened: BTreeSet<NodeId>,
    /// Vertices that were selected when the panel was opened.
    pub vertices: Option<SelectedVertices>,
    /// Whether only the `vertices` get new weights.
    pub only_vertices: bool,
    /// Joints that were locked when the panel was opened.
    pub locked: Vec<NodeId>,
    /// Whether the locked joints keep their weights.
    pub keeps_locked: bool,
    /// Pose in which the new weights are tested.
    pub trial: BindTrial,
}

/// Selected vertices of skinned meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedVertices {
    /// Number of vertices.
    pub count: usize,
    /// Vertex ranges by mesh and primitive, in the syntax of commands.
    pub terms: String,
}

/// Pose in which new weights are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindTrial {
    /// Kind of the pose.
    pub pose: TrialPose,
    /// Angle of the bend, `-150..=150` degrees.
    pub degrees: f32,
    /// Whether the mirror joint bends, too.
    pub both_sides: bool,
    /// Display colors of the meshes.
    pub colors: TrialColors,
    /// Whether playback of the pose shall start.
    pub starts: bool,
}

/// Pose in which the new weights are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialPose {
    /// Pose of the file.
    Rest,
    /// Bend of the selected joint.
    Bend,
    /// Range of motion: each joint bends in turn.
    Range,
    /// Clip of the file.
    Clip(ClipId),
}

/// Display colors of the meshes while the new weights are tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrialColors {
    /// Materials of the meshes.
    #[default]
    Materials,
    /// Weights of the selected joint.
    Weights,
    /// Method that computed the weights of each connected piece.
    Method,
}

/// Statistics of a bind in the test pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialNumbers {
    /// Mean fraction of the volume that remains after blending, where joints share vertices; `None`
    /// without such vertices.
    pub volume: Option<f32>,
    /// Largest ratio of an edge length to its length in the rest pose.
    pub stretch: f32,
    /// Number of vertices without weights.
    pub unweighted: usize,
}

/// Result of the last computed bind.
#[derive(Clone, Debug)]
pub struct BindForeseen {
    /// Reason for a failure, without a final period; `None` if the bind succeeded.
    pub refused: Option<String>,
    /// Full note about the result, without a final period.
    pub note: Option<String>,
    /// Duration of the computation, in seconds.
    pub seconds: f64,
    /// Connected pieces of the meshes.
    pub report: Option<BindReport>,
}

impl BindForeseen {
    /// Creates the result of a finished computation.
    pub fn of(worked: &Worked, seconds: f64) -> Self {
        let refused = match worked.effects() {
            Ok((true, _)) => None,
            Ok((false, _)) => Some(worked.sentence().unwrap_or("nothing changes".to_owned())),
            Err(error) => Some(error.to_string()),
        };
        let report = worked.bind_report().cloned();
        Self { refused, note: worked.sentence(), seconds, report }
    }

    /// Creates a failed result. The reason has no final period.
    pub const fn refused(why: String) -> Self {
        Self { refused: Some(why), note: None, seconds: 0.0, report: None }
    }
}

/// State of the *Bind* panel for the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct BindView<'a> {
    /// Joints to bind to.
    pub joints: &'a [BindJoint],
    /// Whether the list of joints matches the chosen meshes.
    pub are_joints_current: bool,
    /// Last computed bind.
    pub found: Option<&'a BindForeseen>,
    /// Whether the last computed bind matches the current choices.
    pub is_current: bool,
    /// Whether another bind is being computed.
    pub is_computing: bool,
    /// Progress of the computation, `0..=1`; `None` if unknown.
    pub progress: Option<f32>,
    /// Whether the user canceled the computation.
    pub is_canceled: bool,
    /// Whether a computed bind is shown in the viewport.
    pub is_shown: bool,
    /// Statistics in the test pose before and after the last change.
    pub numbers: (Option<TrialNumbers>, Option<TrialNumbers>),
    /// Joint that the test pose bends.
    pub bent: Option<NodeId>,
    /// Duration of the test motion, in seconds; `None` for a static pose.
    pub length: Option<f64>,
    /// Whether the shown bind was computed on a simplified surface.
    pub is_coarse: bool,
}

impl BindDraft {
    /// Minimum and maximum falloff.
    pub const SHARPNESS: (f32, f32) = (0.5, 8.0);
    /// Maximum number of smoothing passes.
    pub const PASSES: usize = 20;
    /// Maximum number of influences per vertex.
    pub const LIMIT: usize = 8;
    /// Minimum and maximum number of voxels along the longest side.
    pub const GRID: (usize, usize) = (64, 256);
    /// Default number of smoothing passes for the method *distance*.
    const SMOOTH_DISTANCE: usize = 3;

    /// Creates the initial choices, with all visible meshes listed. Selected meshes are checked.
    /// Without a selection, unskinned meshes are checked, or all meshes if every mesh has a skin.
    pub fn of(
        document: &Document,
        selected: &[NodeId],
        is_visible: impl Fn(NodeId) -> bool,
        moment: Option<(ClipId, f64)>,
    ) -> Self {
        let has_mesh = |n: &NodeId| document.node(*n).mesh.is_some();
        let all: Vec<NodeId> = document.shown_nodes().into_iter().filter(has_mesh).collect();
        let is_bare = |n: NodeId| document.node(n).skin.is_none();
        let has_chosen = all.iter().any(|n| selected.contains(n));
        let listed: Vec<NodeId> =
            all.into_iter().filter(|n| is_visible(*n) || selected.contains(n)).collect();
        let has_bare = listed.iter().any(|n| is_bare(*n));
        let is_meant = |n: NodeId| match has_chosen {
            true => selected.contains(&n),
            false => is_bare(n) || !has_bare,
        };
        let pose = moment.map_or(TrialPose::Rest, |(clip, _)| TrialPose::Clip(clip));
        let mut draft = Self {
            meshes: listed.into_iter().map(|n| (n, is_meant(n))).collect(),
            ticks: BTreeMap::new(),
            filter: String::new(),
            shows_all: true,
            moment,
            at_moment: false,
            method: BindBy::Auto,
            sharpness: 2.0,
            passes: 0,
            limit: 4,
            grid: 96,
            symmetric: false,
            envelope: None,
            rigid: BTreeSet::new(),
            opened: BTreeSet::new(),
            vertices: None,
            only_vertices: false,
            locked: Vec::new(),
            keeps_locked: true,
            trial: BindTrial {
                pose,
                degrees: 60.0,
                both_sides: true,
                colors: TrialColors::Materials,
                starts: false,
            },
        };
        // Several selected joints are taken as the joints to bind to.
        let candidates = draft.candidates(document);
        let chosen: BTreeSet<NodeId> =
            candidates.iter().copied().filter(|n| selected.contains(n)).collect();
        if chosen.len() > 1 {
            draft.ticks = candidates.into_iter().map(|n| (n, chosen.contains(&n))).collect();
        }
        draft
    }

    /// Removes choices for elements that no longer exist in the document.
    pub fn purge(&mut self, document: &Document) {
        let is_there = |node: NodeId| document.nodes.contains(node);
        self.meshes.retain(|(node, _)| {
            document.nodes.get(*node).is_some_and(|about| about.mesh.is_some())
        });
        self.ticks.retain(|node, _| is_there(*node));
        self.locked.retain(|node| is_there(*node));
        self.moment = self.moment.filter(|(clip, _)| document.clips.contains(*clip));
        if let TrialPose::Clip(clip) = self.trial.pose
            && !document.clips.contains(clip)
        {
            self.trial.pose = TrialPose::Rest;
        }
    }

    /// Label of the undo step.
    pub fn step_label(&self, document: &Document) -> String {
        match &self.nodes()[..] {
            [one] => format!("Bind {}", document.node(*one).label(*one)),
            several => format!("Bind {} meshes", several.len()),
        }
    }

    /// Nodes of the meshes to bind.
    pub fn nodes(&self) -> Vec<NodeId> {
        self.meshes.iter().filter(|m| m.1).map(|m| m.0).collect()
    }

    /// Whether a mesh without a skin is bound.
    pub fn binds_bare(&self, document: &Document) -> bool {
        self.nodes().iter().any(|n| document.node(*n).skin.is_none())
    }

    /// Whether a mesh with a skin is bound.
    pub fn rebinds(&self, document: &Document) -> bool {
        self.nodes().iter().any(|n| document.node(*n).skin.is_some())
    }

    /// Nodes that the meshes can be bound to: joints of their skins, and for unskinned meshes also
    /// node hierarchies of the scene.
    pub fn candidates(&self, document: &Document) -> Vec<NodeId> {
        let mut of_skins = BTreeSet::new();
        let binds_bare = self.binds_bare(document);
        for (id, skin) in document.skins.iter() {
            let is_used = self.nodes().iter().any(|n| document.node(*n).skin == Some(id));
            if is_used || binds_bare {
                of_skins.extend(skin.joints.iter().copied());
            }
        }
        let is_free = |node: NodeId| {
            let about = document.node(node);
            about.mesh.is_none() && about.camera.is_none() && about.light.is_none()
        };
        // A single group node above meshes is no joint; joints form hierarchies of several nodes
        // without meshes.
        let has_kin = |node: NodeId| {
            let parent = document.node(node).parent;
            let has_child = document.children(node).iter().any(|child| is_free(*child));
            has_child || parent.is_some_and(is_free)
        };
        let is_candidate = |node: &NodeId| {
            of_skins.contains(node) || (binds_bare && is_free(*node) && has_kin(*node))
        };
        document.nodes.order().iter().copied().filter(is_candidate).collect()
    }

    /// Whether a joint is checked, by the user or by default.
    pub fn is_ticked(&self, joint: &BindJoint) -> bool {
        self.ticks.get(&joint.node).copied().unwrap_or(joint.deforms)
    }

    /// Checked joints.
    pub fn ticked(&self, joints: &[BindJoint]) -> Vec<NodeId> {
        joints.iter().filter(|joint| self.is_ticked(joint)).map(|joint| joint.node).collect()
    }

    /// Sets the method. The number of smoothing passes changes to the method's default, unless the
    /// user changed it.
    pub fn set_method(&mut self, method: BindBy) {
        let usual = |method| match method {
            BindBy::Distance => Self::SMOOTH_DISTANCE,
            BindBy::Auto | BindBy::Heat | BindBy::Voxel => 0,
        };
        if self.passes == usual(self.method) {
            self.passes = usual(method);
        }
        self.method = method;
    }

    /// Creates the commands that bind the meshes to the checked joints.
    ///
    /// # Errors
    /// A sentence about missing input, without a final period.
    pub fn commands(
        &self,
        document: &Document,
        joints: &[BindJoint],
    ) -> Result<Vec<Command>, String> {
        self.commands_on(document, joints, None)
    }

    /// Creates the commands like [`Self::commands`], on a surface simplified to this number of
    /// points.
    pub fn commands_on(
        &self,
        document: &Document,
        joints: &[BindJoint],
        points: Option<usize>,
    ) -> Result<Vec<Command>, String> {
        let is_bare = |n: &NodeId| document.node(*n).skin.is_none();
        let (bare, skinned): (Vec<NodeId>, Vec<NodeId>) =
            self.nodes().into_iter().partition(is_bare);
        if bare.is_empty() && skinned.is_empty() {
            return Err("Tick a mesh".to_owned());
        }
        let ticked = self.ticked(joints);
        if ticked.is_empty() {
            let why = match joints.is_empty() {
                true => "The scene has no joints; add joints, or import a skeleton",
                false => "Tick a joint",
            };
            return Err(why.to_owned());
        }
        let mut commands: Vec<Command> = Vec::new();
        if !bare.is_empty() {
            let moment = self.moment.filter(|_| self.at_moment);
            let create = CreateSkin {
                node: Nodes::Ids(bare.clone()),
                joint: Nodes::Ids(ticked.clone()),
                below: Some(false),
                clip: moment.map(|m| ClipName::Id(m.0)),
                time: moment.map(|m| Seconds(m.1 as f32)),
                weights: AutomaticWeights { points, ..self.weights(&ticked) },
                name: None,
            };
            commands.push(create.into());
        }
        if !skinned.is_empty() {
            let vertices = self.vertices.as_ref().filter(|_| self.only_vertices);
            let what = if vertices.is_some() { Rebind::Vertices } else { Rebind::All };
            let keeps = self.keeps_locked && !self.locked.is_empty();
            let meshes: BTreeSet<MeshId> =
                skinned.iter().filter_map(|n| document.node(*n).mesh).collect();
            let bind = Bind {
                mesh: Some(Meshes::Ids(meshes.into_iter().collect())),
                primitive: None,
                weights: AutomaticWeights { points, ..self.weights(&ticked) },
                rebind: Some(what),
                vertices: vertices.and_then(|v| VertexTerms::parse(&v.terms)),
                locked: keeps.then(|| Nodes::Ids(self.locked.clone())),
            };
            commands.push(bind.into());
        }
        Ok(commands)
    }

    /// Parameters of the automatic weights.
    fn weights(&self, joints: &[NodeId]) -> AutomaticWeights {
        let is_distance = self.method == BindBy::Distance;
        let rigid: Vec<u32> = self.rigid.iter().copied().collect();
        AutomaticWeights {
            joints: Some(Nodes::Ids(joints.to_vec())),
            choose: None,
            method: Some(self.method),
            sharpness: Some(self.sharpness),
            grid: Some(self.grid),
            limit: Some(self.limit),
            passes: Some(self.passes),
            symmetric: self.symmetric.then_some(true),
            envelope: self.envelope.filter(|_| is_distance),
            rigid: (!rigid.is_empty()).then_some(RigidPieces::Numbers(rigid)),
            points: None,
        }
    }
}
