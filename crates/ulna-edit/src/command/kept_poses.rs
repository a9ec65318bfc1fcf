//! Commands on saved poses. A pose is saved with the file, or as text in the clipboard or in the
//! user's pose library.
//!
//! A pose can be applied to this or another skeleton, to some joints, or mirrored. [`fit`] computes
//! the result.

use super::{
    CommandError, Outcome, Scene,
    blend::{blended, finite},
    define::document_commands,
    destination::{PoseDestination, Wanted},
    field::{Nodes, choice},
    pose_target::PoseTarget,
};
use crate::Edit;
use ulna_model::{
    Components, Document, KeptPose, NodeId, NodeSet, Notice, SceneId, transform::is_turned_less,
};
use ulna_motion::{fit, keep_pose};

document_commands! {
    /// Commands on saved poses and selection sets.
    KeptPoseCommand in "Pose/Poses";

    /// Saves the shown pose under a name in the file
    KeepPose {
        /// Name of the pose.
        name: String,
        /// Nodes whose pose is saved; all joints if omitted.
        node: Option<Nodes>,
        /// Copied pose, as text, to save instead of the shown pose.
        text: Option<String>,
        /// Pose to save: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.keep", "Save pose…", asks: true;
    /// Applies a saved pose, matched by joint names or by body parts
    ApplyPose {
        /// Name of the saved pose.
        pose: Option<String>,
        /// Copied pose, as text, to apply instead of a saved pose.
        text: Option<String>,
        /// Nodes to pose; all nodes of the saved pose if omitted.
        node: Option<Nodes>,
        /// Blend amount, where 1 applies the whole pose; 100 % if omitted.
        amount: Option<f32>,
        /// Whether to apply the mirror image of the pose; no if omitted.
        flip: Option<bool>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.apply", "Apply a saved pose", asks: true;
    /// Renames a saved pose
    RenameKept {
        /// Saved pose.
        pose: String,
        /// New name.
        name: String,
    } = "pose.rename_kept", "Rename a saved pose", asks: true;
    /// Removes a saved pose from the file
    ForgetPose {
        /// Saved pose.
        pose: String,
    } = "pose.forget", "Remove a saved pose", asks: true;
    /// Saves a numbered selection set in the file
    KeepSet {
        /// Nodes of the selection set; the set is removed from the file if omitted.
        node: Option<Nodes>,
        /// Number of the selection set, 0 to 9.
        set: f32,
    } = "set.keep",
        "Save a selection set in the file", menu: "Edit", after: "select.recall_set";
}

choice! {
    /// Part of the skeleton that a saved pose is applied to.
    PoseReach {
        /// All joints of the saved pose.
        Body = "body",
        /// The selected joints.
        Selected = "selected",
        /// The limbs of the selected joints.
        Limb = "limb",
    }
}

/// Version of the text format.
const VERSION: u32 = 1;

/// The text form of a pose, with a version that identifies the format.
#[derive(serde::Serialize, serde::Deserialize)]
struct PoseText {
    ulna_pose: u32,
    #[serde(flatten)]
    pose: KeptPose,
}

/// Converts a pose to text, for the clipboard, scripts and files.
pub fn pose_text(pose: &KeptPose) -> String {
    // Serialization of plain numbers and names cannot fail.
    serde_json::to_string(&PoseText { ulna_pose: VERSION, pose: pose.clone() }).unwrap_or_default()
}

/// Parses a pose from text; `None` if the text is not a pose.
///
/// # Errors
/// A sentence, if the text is a pose with an error.
pub fn read_pose(text: &str) -> Result<Option<KeptPose>, String> {
    let Ok(found) = serde_json::from_str::<serde_json::Value>(text) else { return Ok(None) };
    match found.get("ulna_pose").map(serde_json::Value::as_u64) {
        None => Ok(None),
        Some(Some(version)) if version > u64::from(VERSION) => Err(format!(
            "the pose was copied by a newer version of Ulna (text format {version}); update Ulna \
                to use it"
        )),
        Some(_) => match serde_json::from_value::<PoseText>(found) {
            Ok(read) if read.pose.is_valid() => Ok(Some(read.pose)),
            Ok(_) => Err("a value of the pose in the text is not a number".into()),
            Err(error) => Err(format!("the pose in the text is invalid: {error}")),
        },
    }
}

/// Returns the scene that stores poses and selection sets.
fn scene_of(document: &Document) -> Result<SceneId, CommandError> {
    document.scene.or_else(|| document.scenes.ids().next()).ok_or_else(|| {
        CommandError::other(
            "no_scene",
            "this file has no scene, so poses and sets cannot be saved in it; copy the pose as \
                text instead",
        )
    })
}

/// Returns all poses saved in the file.
pub fn kept_poses(document: &Document) -> &[KeptPose] {
    scene_of(document).ok().and_then(|s| document.scenes.get(s)).map_or(&[], |s| &s.poses)
}

/// Returns all selection sets saved in the file.
pub fn kept_sets(document: &Document) -> &[NodeSet] {
    scene_of(document).ok().and_then(|s| document.scenes.get(s)).map_or(&[], |s| &s.sets)
}

fn place_of(document: &Document, name: &str) -> Result<usize, CommandError> {
    let all = kept_poses(document);
    all.iter().position(|p| p.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
        let there = if names.is_empty() {
            "the file has no saved poses".to_owned()
        } else {
            format!("saved poses: {}", names.join(", "))
        };
        CommandError::other(
            "no_such_pose",
            format!("this file has no saved pose “{name}”; {there}"),
        )
    })
}

fn text_of(text: &str) -> Result<KeptPose, CommandError> {
    let none =
        || CommandError::other("not_a_pose", "the text does not contain a pose copied from Ulna");
    read_pose(text).map_err(|why| CommandError::other("not_a_pose", why))?.ok_or_else(none)
}

fn named(name: &str) -> Result<String, CommandError> {
    let name = name.trim();
    if name.is_empty() {
        Err(CommandError::other("name_missing", "a pose needs a name"))
    } else {
        Ok(name.to_owned())
    }
}

fn with_poses(
    document: &Document,
    change: impl FnOnce(&mut Vec<KeptPose>),
) -> Result<Vec<Edit>, CommandError> {
    let scene = scene_of(document)?;
    let mut poses = kept_poses(document).to_vec();
    change(&mut poses);
    Ok(vec![Edit::SetKeptPoses { scene, to: poses.into() }])
}

impl KeepPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let place = PoseTarget::of(scene, &self.over)?;
        let name = named(&self.name)?;
        let pose = match &self.text {
            Some(text) => KeptPose { name: name.clone(), ..text_of(text)? },
            None => keep_pose(document, place.seen(), &name, nodes.as_deref()),
        };
        if pose.joints.is_empty() && pose.morphs.is_empty() {
            return Err(CommandError::other(
                "no_joints_meant",
                "there are no joints or morph targets whose pose could be saved",
            ));
        }
        let mut notes = Vec::new();
        let edits =
            with_poses(document, |poses| match poses.iter_mut().find(|p| p.name == name) {
                Some(old) => {
                    let said = format!("the existing pose “{name}” was replaced");
                    notes.push(Notice::new("pose_replaced", said));
                    *old = pose;
                }
                None => poses.push(pose),
            })?;
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl RenameKept {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let at = place_of(document, &self.pose)?;
        let name = named(&self.name)?;
        if kept_poses(document).iter().enumerate().any(|(k, p)| k != at && p.name == name) {
            return Err(CommandError::other(
                "name_taken",
                format!("another saved pose is already named “{name}”"),
            ));
        }
        with_poses(document, |poses| poses[at].name = name)
    }
}

impl ForgetPose {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let at = place_of(scene.document, &self.pose)?;
        with_poses(scene.document, |poses| {
            poses.remove(at);
        })
    }
}

impl KeepSet {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let digit = (0..10).find(|d: &u8| f32::from(*d) == self.set);
        let digit = digit.ok_or_else(|| {
            CommandError::other("argument_out_of_range", "“set” must be a number from 0 to 9")
        })?;
        let mut sets: Vec<NodeSet> =
            kept_sets(document).iter().filter(|s| s.digit != digit).cloned().collect();
        sets.extend(nodes.map(|nodes| NodeSet { digit, nodes }));
        sets.sort_by_key(|s| s.digit);
        Ok(vec![Edit::SetNodeSets { scene: scene_of(document)?, to: sets.into() }])
    }
}

impl ApplyPose {
    /// Returns the pose of the arguments. If the pose and the target have one node each, the pose
    /// is renamed to that node.
    fn pose(
        &self,
        document: &Document,
        nodes: Option<&[NodeId]>,
    ) -> Result<KeptPose, CommandError> {
        let mut pose = match (&self.pose, &self.text) {
            (Some(name), None) => kept_poses(document)[place_of(document, name)?].clone(),
            (None, Some(text)) => text_of(text)?,
            _ => {
                return Err(CommandError::other(
                    "arguments_exclusive",
                    "use either “pose”, the name of a saved pose, or “text”, a copied pose",
                ));
            }
        };
        if let ([joint], Some([node])) = (&mut pose.joints[..], nodes) {
            (joint.name, joint.path) = (document.node(*node).label(*node), document.path(*node));
        }
        Ok(pose)
    }

    pub(super) fn wanted(
        &self,
        place: &PoseTarget<'_>,
        document: &Document,
    ) -> Result<Fits, CommandError> {
        /// Largest relative difference that counts as equal.
        const NEAR: f32 = 2e-6;
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let amount = finite(self.amount.unwrap_or(1.0))?;
        let pose = self.pose(document, nodes.as_deref())?;
        let made = fit(document, place.seen(), &pose, self.flip.unwrap_or(false));
        let meant = |n: &NodeId| nodes.as_ref().is_none_or(|some| some.contains(n));
        if !made.locals.keys().chain(made.morphs.keys()).any(meant) {
            let message = if nodes.is_some() {
                "the pose has none of these nodes"
            } else {
                "this model has none of the joints of the pose, by name or by body part"
            };
            return Err(CommandError::other("joints_not_here", message));
        }
        let far = |a: glam::Vec3, b: glam::Vec3| {
            (a - b).abs().max_element() > NEAR * a.abs().max_element().max(1.0)
        };
        let locals = made.locals.iter().filter(|(n, _)| meant(n)).map(|(node, to)| {
            let now = place.local(*node);
            let to = if amount == 1.0 { *to } else { blended(&now, to, amount) };
            let parts = Components {
                translation: Some(to.translation).filter(|t| far(*t, now.translation)),
                rotation: Some(to.rotation).filter(|r| !is_turned_less(*r, now.rotation, NEAR)),
                scale: Some(to.scale).filter(|s| far(*s, now.scale)),
            };
            (*node, parts)
        });
        let locals = locals.collect();
        let seen = &place.seen().morphs;
        let morphs = made.morphs.iter().filter(|(n, _)| meant(n)).map(|(node, to)| {
            let blended =
                to.iter().zip(&seen[node.index()]).map(|(to, now)| now + (to - now) * amount);
            (*node, blended.collect())
        });
        let morphs = morphs.filter(|(n, to): &(NodeId, Vec<f32>)| seen[n.index()] != *to).collect();
        let mut notes = Vec::new();
        if made.unmatched > 0 && nodes.is_none() {
            let joints = format!(
                "{} of its {} joints were not found in this model",
                made.unmatched,
                pose.joints.len()
            );
            notes.push(Notice::new("joints_not_here", joints));
        }
        if made.by_role > 0 {
            let roles = format!("{} were matched by body part", made.by_role);
            notes.push(Notice::new("joints_found_by_role", roles));
        }
        if made.scales_left > 0 {
            let scales = format!(
                "{} scales were not applied, because the axes of the joints differ",
                made.scales_left
            );
            notes.push(Notice::new("scale_approximate", scales));
        }
        Ok(Fits { locals, morphs, notes })
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        let Fits { locals, morphs, notes } = self.wanted(&place, scene.document)?;
        let mut done = place.put_noting(locals, notes)?;
        done.edits.extend(place.put_morphs(morphs));
        Ok(done)
    }
}

/// Transforms and morph weights that an applied pose sets, with notes.
pub(super) struct Fits {
    pub locals: Wanted,
    pub morphs: Vec<(NodeId, Vec<f32>)>,
    notes: Vec<Notice>,
}

impl KeptPoseCommand {
    /// Returns the components that the command sets on nodes.
    ///
    /// # Errors
    /// The errors of running the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::ApplyPose(apply) => {
                let fits = apply.wanted(&PoseTarget::of(scene, &apply.over)?, scene.document)?;
                // Nodes whose morph weights change are listed without components, so that they are
                // keyed.
                let morphs = fits.morphs.into_iter().map(|(n, _)| (n, Components::default()));
                Ok(fits.locals.into_iter().chain(morphs).collect())
            }
            _ => Ok(Wanted::new()),
        }
    }
}
