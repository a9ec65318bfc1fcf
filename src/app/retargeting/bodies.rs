//! The two bodies of the *Retarget* page: a loaded file as the source, and the open file as the
//! target.

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use egui::Context;
use glam::Vec3;

use crate::app::{
    LONG,
    files::name_of,
    loading::{Loaded, load_whole},
    viewport_renderer::{Loader, Posed},
};
use crate::ui::{BodyFacts, ClipFacts, JointFacts};
use ulna_formats::gltf::{Progress, ReadError};
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::{Evaluator, MirrorPairs, Pose, Skeleton, Stack, guessed_bones, joint_bounds};
use ulna_session::{Conversion, Session};

/// The file that supplies the clips.
pub(super) struct Source {
    pub loaded: Box<Loaded>,
    pub document: Arc<Document>,
    pub clips: Vec<ClipId>,
    pub facts: BodyFacts,
    pub body: PosedBody,
    /// Serial number, different for each loaded source.
    pub serial: u64,
}

/// The open file as the target of retargeting.
pub(super) struct Target {
    pub document: Arc<Document>,
    pub facts: BodyFacts,
    pub body: PosedBody,
    pub revision: u64,
}

/// A body in the pose at the playhead.
pub(super) struct PosedBody {
    pub evaluator: Evaluator,
    pub pose: Pose,
    pub skeleton: Skeleton,
    /// The rest pose.
    pub rest: Pose,
    /// Bounding box of the body in the rest pose, in meters.
    pub bounds: Option<[Vec3; 2]>,
    /// Unique names of the nodes, as used in maps.
    names: Vec<String>,
    nodes: HashMap<String, NodeId>,
}

impl PosedBody {
    fn new(document: &Document, bounds: Option<(Vec3, Vec3)>) -> Self {
        let names = table_names(document);
        let skeleton = Skeleton::of(document);
        // In files without skins, nodes count as joints.
        let is_bare = document.skins.values().all(|skin| skin.joints.is_empty());
        Self {
            evaluator: Evaluator::beside(),
            pose: Pose::default(),
            skeleton: if is_bare { skeleton.with_loose(document) } else { skeleton },
            rest: Pose::evaluate(document, &Stack::default()),
            bounds: bounds.map(|(low, high)| [low, high]),
            nodes: document.node_ids().zip(&names).map(|(n, name)| (name.clone(), n)).collect(),
            names,
        }
    }

    /// Unique name of a node, as used in maps.
    pub(super) fn name(&self, node: NodeId) -> &str {
        self.names.get(node.index()).map_or("", String::as_str)
    }

    /// The node with a unique name.
    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }
}

impl Target {
    pub(super) fn of(session: &Session) -> Self {
        let document = Arc::new(session.document().clone());
        let vertices = document.meshes.values().map(|m| m.vertex_count()).sum::<usize>();
        let bounds = if vertices <= LONG {
            Posed::new(&document).body_bounds(&document)
        } else {
            let pose = Pose::evaluate(&document, &Stack::default());
            joint_bounds(&document, &pose).map(|(low, high)| {
                let room = (high - low) * 0.1;
                (low - room, high + room)
            })
        };
        Self {
            facts: facts(&document, session.file_name(), session.path().map(Into::into)),
            body: PosedBody::new(&document, bounds),
            revision: session.history().revision(),
            document,
        }
    }

    /// Updates the target after edits of the open file.
    pub(super) fn follow(&mut self, session: &Session) {
        if session.history().revision() != self.revision {
            *self = Self::of(session);
        }
    }
}

impl Source {
    fn of(loaded: Box<Loaded>, path: PathBuf) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let document = Arc::new(loaded.session.document().clone());
        Self {
            clips: document.clips.ids().collect(),
            facts: facts(&document, name_of(&path), Some(path)),
            body: PosedBody::new(&document, loaded.posed.body_bounds(&document)),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            document,
            loaded,
        }
    }
}

/// Unique names of all nodes, as used in maps. If several nodes have the same name, their paths are
/// used.
fn table_names(document: &Document) -> Vec<String> {
    let label = |n: NodeId| document.node(n).label(n);
    let mut count: HashMap<String, usize> = HashMap::new();
    for node in document.node_ids() {
        *count.entry(label(node)).or_default() += 1;
    }
    let name = |n: NodeId| {
        let label = label(n);
        if count[&label] == 1 { label } else { document.path(n) }
    };
    document.node_ids().map(name).collect()
}

/// Joints that chains can contain: skin joints, or in files without skins, nodes that clips move or
/// that have children.
fn chain_joints(document: &Document) -> Vec<NodeId> {
    let mut flags = document.joint_flags();
    if !flags.contains(&true) {
        flags = document.loose_joint_flags();
    }
    let mut list: Vec<NodeId> =
        document.nodes.order().iter().copied().filter(|n| flags[n.index()]).collect();
    if list.is_empty() {
        list = document.nodes.order().to_vec();
    }
    list
}

/// Joints that are no feet or hands: those of the trunk, the head and the fingers, as far as they
/// are known.
fn inner_joints(document: &Document) -> BTreeSet<NodeId> {
    const LIMBS: [&str; 8] =
        ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"];
    let bones = guessed_bones(document);
    let is_limb = |role: &str| LIMBS.iter().any(|limb| role.ends_with(limb));
    let mut inner: BTreeSet<NodeId> =
        bones.iter().filter(|(role, _)| !is_limb(role)).map(|(_, node)| *node).collect();
    // A spine can have more joints than the known bones.
    let tops = ["neck", "head", "leftUpperArm", "rightUpperArm", "leftUpperLeg", "rightUpperLeg"];
    for top in tops.iter().filter_map(|role| bones.get(role)) {
        let above = |n: &NodeId| document.node(*n).parent;
        inner.extend(std::iter::successors(above(top), above));
    }
    inner
}

fn facts(document: &Document, name: String, path: Option<PathBuf>) -> BodyFacts {
    let names = table_names(document);
    let nodes = chain_joints(document);
    let rest = Pose::evaluate(document, &Stack::default());
    let places = nodes.iter().map(|n| rest.world[n.index()].w_axis.truncate()).collect();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let pairs = MirrorPairs::among(document, &nodes, places, &[], &axes);
    let number = |node: NodeId| nodes.iter().position(|n| *n == node);
    let inner = inner_joints(document);
    let joints = nodes.iter().enumerate().map(|(k, node)| {
        let above = |n: NodeId| document.node(n).parent;
        let parent = std::iter::successors(above(*node), |n| above(*n)).find_map(number);
        let partner = pairs.joints().get(k).and_then(|role| role.partner);
        let rest = document.node(*node).rest.transform().rotation;
        let may_touch = !inner.contains(node);
        JointFacts { name: names[node.index()].clone(), rest, parent, partner, may_touch }
    });
    let clips = document.clips.iter().map(|(id, clip)| {
        let fps = clip.guess_fps().map_or(30.0, |(fps, _)| fps).clamp(1.0, 1000.0);
        ClipFacts { name: document.clip_label(id), length: clip.length(), fps }
    });
    BodyFacts {
        name,
        path,
        joint_count: document.joint_flags().into_iter().filter(|is| *is).count(),
        joints: joints.collect(),
        clips: clips.collect(),
    }
}

/// A file that is being loaded as the source.
pub(super) struct SourceReading {
    pub name: String,
    result: mpsc::Receiver<Result<Box<Source>, ReadError>>,
    stop: Arc<Progress>,
}

impl Drop for SourceReading {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl SourceReading {
    pub(super) fn begin(
        ctx: &Context,
        path: PathBuf,
        conversion: Conversion,
        loader: Loader,
    ) -> std::io::Result<Self> {
        let name = name_of(&path);
        let (sender, result) = mpsc::sync_channel(1);
        let stop = Arc::new(Progress::default());
        let (stopped, waker) = (Arc::clone(&stop), ctx.clone());
        let read = move || {
            let session = Session::open_as(&path, &conversion, &stopped);
            let made = session.map(|s| Box::new(Source::of(load_whole(s, &loader), path)));
            if sender.send(made).is_ok() {
                waker.request_repaint();
            }
        };
        std::thread::Builder::new().name("retarget source".into()).spawn(read)?;
        Ok(Self { name, result, stop })
    }

    /// The loaded source; `None` until loading is done.
    pub(super) fn poll(&mut self) -> Option<Result<Box<Source>, ReadError>> {
        match self.result.try_recv() {
            Ok(read) => Some(read),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => Some(Err(ReadError::Canceled)),
        }
    }
}
