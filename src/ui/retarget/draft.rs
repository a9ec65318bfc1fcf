//! State of the *Retarget* page: the user's choices and the computed results.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use egui::{Color32, TextureId};
use glam::{Quat, Vec3};

use ulna_edit::command::{RetargetedKeys, TakenName};
use ulna_model::{Clip, Goal, NodeId, RetargetChain, RetargetMap, Shared};
use ulna_motion::retarget::RetargetKeys;
use ulna_render::{Camera, Color, tokens};

/// Index of the source in arrays with one element per body.
pub const SOURCE: usize = 0;
/// Index of the target in arrays with one element per body.
pub const TARGET: usize = 1;

/// The user's choices on the *Retarget* page.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetDraft {
    /// Map of joint chains, sizes and feet.
    pub map: RetargetMap,
    /// True for each source clip that will be added, in the order of the source.
    pub takes: Vec<bool>,
    /// Index of the playing clip in `takes`.
    pub shown: usize,
    /// Filter text for the list of clips.
    pub filter: String,
    /// Index of the selected chain in the map.
    pub chain: Option<usize>,
    /// Playback of both views.
    pub clock: PageClock,
    /// View settings of the source and of the target.
    pub views: [BodyLook; 2],
    /// True if both views rotate and zoom together.
    pub linked: bool,
    /// True if the skeleton of the source is drawn over the target.
    pub overlay: bool,
    /// Index of the body whose reference pose is edited. Both bodies are then shown in their
    /// reference poses.
    pub edits_rest: Option<usize>,
    /// Manually changed contacts, by index of the source clip.
    pub contacts: BTreeMap<usize, Arc<[Goal]>>,
    /// The selected contact of the shown clip.
    pub contact: Option<ContactRef>,
    /// Name pattern of added clips; `{clip}` stands for the name in the source.
    pub name: String,
    /// Handling of clip names that already exist.
    pub taken: TakenName,
    /// True if the map is saved in the file together with the clips.
    pub keeps_map: bool,
    /// Choice of the keys of added clips.
    pub keys: RetargetedKeys,
    /// Maximum error of reduced keys in millimeters, scaled to a body 1.8 m tall.
    pub millimetres: f32,
}

/// Reference to a contact of the shown clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRef {
    /// Foot joint in the source.
    pub foot: NodeId,
    /// Start of the contact, in seconds.
    pub from: f32,
}

/// Playback of both views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageClock {
    /// Playhead in seconds, on the clip's clock.
    pub time: f64,
    /// True while playing.
    pub playing: bool,
    /// True if playback loops.
    pub repeats: bool,
    /// Speed factor of playback.
    pub speed: f32,
}

/// View settings of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyLook {
    /// Yaw and pitch of the camera, in radians.
    pub turn: [f32; 2],
    /// Distance of the camera as a factor of the distance that frames the body.
    pub zoom: f32,
    /// True if surfaces are drawn with their materials, false for one plain material.
    pub textured: bool,
    /// True if the bones of chains are drawn.
    pub bones: bool,
}

impl Default for RetargetDraft {
    fn default() -> Self {
        let look = BodyLook { turn: [0.5, 0.12], zoom: 1.0, textured: true, bones: true };
        Self {
            map: RetargetMap::default(),
            takes: Vec::new(),
            shown: 0,
            filter: String::new(),
            chain: None,
            clock: PageClock { time: 0.0, playing: false, repeats: true, speed: 1.0 },
            views: [look; 2],
            linked: true,
            overlay: false,
            edits_rest: None,
            contacts: BTreeMap::new(),
            contact: None,
            name: "{clip}".to_owned(),
            taken: TakenName::Number,
            keeps_map: true,
            keys: RetargetedKeys::Source,
            millimetres: RetargetKeys::TOLERANCE * 1e3,
        }
    }
}

impl RetargetDraft {
    /// Maximum pitch of the camera up or down, in radians.
    pub(crate) const PITCH: f32 = 1.4;

    /// Number of clips to add.
    pub(crate) fn taken_count(&self) -> usize {
        self.takes.iter().filter(|t| **t).count()
    }

    /// Name of an added clip, from the name of the source clip.
    pub(crate) fn name_of(&self, clip: &str) -> String {
        let name = self.name.replace("{clip}", clip);
        if name.trim().is_empty() { clip.to_owned() } else { name }
    }

    /// Rotates the camera of a view by yaw and pitch in radians. Linked views rotate together.
    pub(crate) fn turn(&mut self, body: usize, by: [f32; 2]) {
        let [yaw, pitch] = self.views[body].turn;
        let pitch = (pitch + by[1]).clamp(-Self::PITCH, Self::PITCH);
        self.views[body].turn = [yaw + by[0], pitch];
        if self.linked {
            self.views[1 - body].turn = self.views[body].turn;
        }
    }

    /// Multiplies the camera distance of a view. Linked views zoom together.
    pub(crate) fn zoom(&mut self, body: usize, by: f32) {
        self.views[body].zoom = (self.views[body].zoom * by).clamp(0.05, 8.0);
        if self.linked {
            self.views[1 - body].zoom = self.views[body].zoom;
        }
    }

    /// Camera of a view that frames a box. `aspect` is the width of the view divided by its height.
    pub(crate) fn camera(&self, body: usize, [low, high]: [Vec3; 2], aspect: f32) -> Camera {
        let look = &self.views[body];
        let mut camera = Camera { fov: 0.55, ..Camera::default() };
        [camera.yaw, camera.pitch] = look.turn;
        camera.reach = (high - low).length() * 8.0;
        camera.frame(low, high, aspect);
        camera.distance *= look.zoom;
        camera
    }

    /// Joint names of a chain, in the source or in the target.
    pub(crate) fn joints(chain: &RetargetChain, body: usize) -> &Vec<String> {
        if body == SOURCE { &chain.source } else { &chain.target }
    }

    /// Sets the joints of a chain in one body. If `mirrors` is true, also sets the chain of the
    /// other side.
    pub(crate) fn set_joints(
        &mut self,
        chain: usize,
        body: usize,
        facts: &BodyFacts,
        joints: Vec<String>,
        mirrors: bool,
    ) {
        let mirrored: Option<Vec<String>> = joints.iter().map(|j| facts.mirrored(j)).collect();
        let other = self.partner(chain).filter(|_| mirrors).zip(mirrored);
        if let Some((other, mirrored)) = other {
            self.set_one(other, body, mirrored);
        }
        self.set_one(chain, body, joints);
    }

    /// Sets the joints of a chain in one body, and removes them from other chains.
    pub(super) fn set_one(&mut self, chain: usize, body: usize, joints: Vec<String>) {
        for (_, other) in self.map.chains.iter_mut().enumerate().filter(|(k, _)| *k != chain) {
            let list = if body == SOURCE { &mut other.source } else { &mut other.target };
            list.retain(|j| !joints.contains(j));
        }
        if let Some(chain) = self.map.chains.get_mut(chain) {
            *if body == SOURCE { &mut chain.source } else { &mut chain.target } = joints;
        }
    }

    /// Index of the chain of the other side, by its name with *Left* and *Right* swapped.
    pub(crate) fn partner(&self, chain: usize) -> Option<usize> {
        let name = &self.map.chains.get(chain)?.name;
        let other = match name.split_once(' ') {
            Some(("Left", rest)) => format!("Right {rest}"),
            Some(("Right", rest)) => format!("Left {rest}"),
            _ => return None,
        };
        self.map.chains.iter().position(|c| c.name == other)
    }
}

/// Color of a chain by its index in the map, for viewports.
pub fn chain_color(chain: usize) -> Color {
    // This order gives neighboring chains clearly different colors.
    const ORDER: [usize; 12] = [11, 0, 4, 2, 3, 5, 1, 9, 10, 6, 7, 8];
    let text = tokens()["categorical"][ORDER[chain % ORDER.len()]].as_str();
    text.map_or(Color([128, 128, 128, 255]), Color::parse)
}

/// Color of a chain by its index in the map, for panels.
pub fn chain_ink(chain: usize) -> Color32 {
    let [r, g, b, _] = chain_color(chain).0;
    Color32::from_rgb(r, g, b)
}

/// Facts about one body, the source or the target.
#[derive(Clone, Debug, Default)]
pub struct BodyFacts {
    /// Name of the file.
    pub name: String,
    /// Path of the file; `None` for a file that was never saved.
    pub path: Option<PathBuf>,
    /// Nodes that chains can contain, parents first.
    pub joints: Vec<JointFacts>,
    /// Number of skin joints.
    pub joint_count: usize,
    /// Clips of the file.
    pub clips: Vec<ClipFacts>,
}

/// A node that chains can contain.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFacts {
    /// Name of the joint.
    pub name: String,
    /// Rest rotation relative to the parent.
    pub rest: Quat,
    /// Index of the nearest ancestor in the list; `None` for a root.
    pub parent: Option<usize>,
    /// Index of the mirror joint in the list. A center joint is its own mirror joint.
    pub partner: Option<usize>,
    /// True if the joint may be a foot or a hand: it is not known as a joint of the trunk, the head
    /// or a finger.
    pub may_touch: bool,
}

/// A clip of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// Name of the clip.
    pub name: String,
    /// Duration in seconds.
    pub length: f32,
    /// Frames per second.
    pub fps: f64,
}

impl BodyFacts {
    /// Index of the joint with a name.
    pub(crate) fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Indices and depths of the joints in the order of the tree.
    pub(crate) fn in_tree_order(&self) -> Vec<(usize, usize)> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len()];
        let mut waiting = Vec::new();
        for (k, joint) in self.joints.iter().enumerate() {
            match joint.parent.and_then(|parent| below.get_mut(parent)) {
                Some(list) => list.push(k),
                None => waiting.push((k, 0)),
            }
        }
        waiting.reverse();
        let mut list = Vec::with_capacity(self.joints.len());
        while let Some((joint, depth)) = waiting.pop() {
            list.push((joint, depth));
            let children = std::mem::take(&mut below[joint]);
            waiting.extend(children.into_iter().rev().map(|k| (k, depth + 1)));
        }
        list
    }

    /// Name of the mirror joint.
    pub(crate) fn mirrored(&self, name: &str) -> Option<String> {
        let partner = self.joints[self.joint(name)?].partner?;
        Some(self.joints[partner].name.clone())
    }

    /// Joint names on the path from the ancestor `first` down to the joint `last`. Only `last` if
    /// `first` is not its ancestor.
    pub(crate) fn between(&self, first: usize, last: usize) -> Vec<String> {
        let mut list = vec![last];
        let mut at = last;
        while at != first {
            let Some(parent) = self.joints.get(at).and_then(|j| j.parent) else {
                list.truncate(1);
                break;
            };
            list.push(parent);
            at = parent;
        }
        list.iter().rev().map(|k| self.joints[*k].name.clone()).collect()
    }
}

/// A contact of a foot or a hand, drawn as a bar on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBar {
    /// Start of the contact, in seconds.
    pub from: f32,
    /// End of the contact, in seconds.
    pub to: f32,
    /// Sliding of the target's foot before and after locking, in meters; `None` until measured.
    pub slide: Option<[f32; 2]>,
    /// Name of the target's node that the contact follows; `None` for the scene.
    pub follows: Option<String>,
}

/// A foot or a hand with contacts, and its results in the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub struct FootResult {
    /// Index of the foot's chain in the map.
    pub chain: usize,
    /// Name of the foot, such as “Left foot”.
    pub name: String,
    /// True for a hand, which has neither heel nor ball.
    pub is_hand: bool,
    /// Foot joint in the source.
    pub source: NodeId,
    /// Foot joint in the target.
    pub target: NodeId,
    /// Contacts in order of time.
    pub contacts: Vec<ContactBar>,
    /// Largest sliding within a contact of the source clip, in meters.
    pub own_slide: f32,
    /// Ground speeds of the target's foot before and after locking, in meters per second, one per
    /// sample of [`RetargetResult::times`].
    pub speeds: [Vec<f32>; 2],
}

/// Result of retargeting the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetResult {
    /// Index of the source clip.
    pub of: usize,
    /// The retargeted clip.
    pub clip: Shared<Clip>,
    /// Contacts of the source clip: detected or manually changed.
    pub contacts: Arc<[Goal]>,
    /// Results per foot, in the order of their chains.
    pub feet: Vec<FootResult>,
    /// Sample times, in seconds.
    pub times: Vec<f32>,
    /// Hip heights in meters, one per sample: of the source times the height factor, and of the
    /// target.
    pub hips: [Vec<f32>; 2],
    /// Largest distance by which the hips were lowered, in meters.
    pub lowered: f32,
    /// Names of legs that are too short to reach a contact.
    pub short: Vec<String>,
    /// Hip heights of both bodies in the rest pose, in meters.
    pub heights: [f32; 2],
    /// Height factor from the source to the target, by the rest poses.
    pub height: f32,
    /// Largest difference between the reference poses, in radians.
    pub rest_difference: f32,
    /// Reason why retargeting failed; `None` if it succeeded.
    pub fault: Option<String>,
}

/// Facts about the contacts of all chosen clips.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetSummary {
    /// Number of chosen clips.
    pub clips: usize,
    /// Number of contacts.
    pub contacts: usize,
    /// Largest sliding before and after locking, in meters.
    pub worst: [f32; 2],
    /// Index of the clip with the largest sliding after locking.
    pub worst_clip: usize,
    /// Approximate size of the keys in bytes: with the keys of the source, and with one key per
    /// frame.
    pub bytes: [usize; 2],
}

/// A ring on the ground that marks a foot in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRing {
    /// Index of the foot's chain in the map.
    pub chain: usize,
    /// Center of the ring, on the ground, in meters.
    pub at: Vec3,
    /// Radius in meters.
    pub radius: f32,
}

/// Drawing data of one body.
#[derive(Clone, Debug, Default)]
pub struct BodyScene {
    /// Rendered picture; `None` until it is ready.
    pub picture: Option<TextureId>,
    /// Corners of the box that the camera frames, in meters.
    pub bounds: Option<[Vec3; 2]>,
    /// Rings for the contacts at the playhead.
    pub rings: Vec<ContactRing>,
}

/// State of the *Retarget* page, for display in the panels.
#[derive(Clone, Copy)]
pub struct RetargetView<'a> {
    /// The user's choices.
    pub draft: &'a RetargetDraft,
    /// The source, once it is loaded, and the target.
    pub bodies: [Option<&'a BodyFacts>; 2],
    /// Drawing data of both bodies.
    pub scenes: &'a [BodyScene; 2],
    /// Name of the file that is being loaded.
    pub reading: Option<&'a str>,
    /// Reason why a file could not be loaded.
    pub fault: Option<&'a str>,
    /// Latest result for the shown clip.
    pub result: Option<&'a RetargetResult>,
    /// True if the result matches the current choices.
    pub is_current: bool,
    /// Facts about the contacts of all chosen clips, once they are computed.
    pub summary: Option<&'a RetargetSummary>,
    /// Description of the map's origin.
    pub map_origin: &'a str,
}

impl RetargetView<'_> {
    /// The playing clip of the source.
    pub(crate) fn clip(&self) -> Option<&ClipFacts> {
        self.bodies[SOURCE]?.clips.get(self.draft.shown)
    }
}
