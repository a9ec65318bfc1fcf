//! State of the page *Retarget*: the user's choices, and computed results.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use egui::{Color32, TextureId};
use glam::{Quat, Vec3};

use ulna_edit::command::{RetargetedKeys, TakenName};
use ulna_model::{Clip, Goal, NodeId, RetargetChain, RetargetMap, Shared};
use ulna_motion::retarget::RetargetKeys;
use ulna_render::{Camera, Color, tokens};

/// Index of the source in pairs of both bodies.
pub const SOURCE: usize = 0;
/// Index of the target in pairs of both bodies.
pub const TARGET: usize = 1;

/// Choices of the page *Retarget*.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetDraft {
    /// Chains, sizes and feet.
    pub map: RetargetMap,
    /// Whether each clip of the source is added, in the order of the source.
    pub takes: Vec<bool>,
    /// The clip that plays, an index into `takes`.
    pub shown: usize,
    /// Text that the names of listed clips contain.
    pub filter: String,
    /// The selected chain, an index into the chains of the map.
    pub chain: Option<usize>,
    /// Playback of both views.
    pub clock: PageClock,
    /// Display of the source and of the target.
    pub views: [BodyLook; 2],
    /// Whether both views turn together.
    pub linked: bool,
    /// Whether the skeleton of the source is drawn over the target.
    pub overlay: bool,
    /// The body whose reference pose is edited. Both are shown in their reference poses then.
    pub edits_rest: Option<usize>,
    /// Contacts of source clips that were changed by hand, by clip.
    pub contacts: BTreeMap<usize, Arc<[Goal]>>,
    /// The selected contact of the shown clip.
    pub contact: Option<ContactRef>,
    /// Names of added clips; `{clip}` stands for the name in the source.
    pub name: String,
    /// Action if a clip name already exists.
    pub taken: TakenName,
    /// Whether the map is kept in the file with the clips.
    pub keeps_map: bool,
    /// Keys of added clips.
    pub keys: RetargetedKeys,
    /// Max error of reduced keys, millimeters on a body 1.8 m tall.
    pub millimetres: f32,
}

/// A contact of the shown clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRef {
    /// Foot of the source.
    pub foot: NodeId,
    /// Start of the contact, seconds.
    pub from: f32,
}

/// Playback of both views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageClock {
    /// Seconds on the clip's clock.
    pub time: f64,
    /// Whether it plays.
    pub playing: bool,
    /// Whether it starts again at the end.
    pub repeats: bool,
    /// Factor of the speed.
    pub speed: f32,
}

/// Display of one of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyLook {
    /// Yaw and pitch of the camera, radians.
    pub turn: [f32; 2],
    /// Distance of the camera as a factor of the one that frames the body.
    pub zoom: f32,
    /// Whether surfaces have their materials, instead of one plain material.
    pub textured: bool,
    /// Whether the bones of chains are drawn.
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
    /// Pitches of the camera, at most, radians.
    pub(crate) const PITCH: f32 = 1.4;

    /// Number of clips that are added.
    pub(crate) fn taken_count(&self) -> usize {
        self.takes.iter().filter(|t| **t).count()
    }

    /// Name in this file of a clip of the source.
    pub(crate) fn name_of(&self, clip: &str) -> String {
        let name = self.name.replace("{clip}", clip);
        if name.trim().is_empty() { clip.to_owned() } else { name }
    }

    /// Turns a view, and the other one along where they are linked.
    pub(crate) fn turn(&mut self, body: usize, by: [f32; 2]) {
        let [yaw, pitch] = self.views[body].turn;
        let pitch = (pitch + by[1]).clamp(-Self::PITCH, Self::PITCH);
        self.views[body].turn = [yaw + by[0], pitch];
        if self.linked {
            self.views[1 - body].turn = self.views[body].turn;
        }
    }

    /// Moves the camera of a view nearer or farther, and the other one along where they are linked.
    pub(crate) fn zoom(&mut self, body: usize, by: f32) {
        self.views[body].zoom = (self.views[body].zoom * by).clamp(0.05, 8.0);
        if self.linked {
            self.views[1 - body].zoom = self.views[body].zoom;
        }
    }

    /// Camera of a view of this shape that frames a box.
    pub(crate) fn camera(&self, body: usize, [low, high]: [Vec3; 2], aspect: f32) -> Camera {
        let look = &self.views[body];
        let mut camera = Camera { fov: 0.55, ..Camera::default() };
        [camera.yaw, camera.pitch] = look.turn;
        camera.reach = (high - low).length() * 8.0;
        camera.frame(low, high, aspect);
        camera.distance *= look.zoom;
        camera
    }

    /// Joints of a chain, of the source or of the target.
    pub(crate) fn joints(chain: &RetargetChain, body: usize) -> &Vec<String> {
        if body == SOURCE { &chain.source } else { &chain.target }
    }

    /// Sets the joints of a chain, and those of the chain of the other side where `mirrors`.
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

    fn set_one(&mut self, chain: usize, body: usize, joints: Vec<String>) {
        // A joint is in one chain.
        for (_, other) in self.map.chains.iter_mut().enumerate().filter(|(k, _)| *k != chain) {
            let list = if body == SOURCE { &mut other.source } else { &mut other.target };
            list.retain(|j| !joints.contains(j));
        }
        if let Some(chain) = self.map.chains.get_mut(chain) {
            *if body == SOURCE { &mut chain.source } else { &mut chain.target } = joints;
        }
    }

    /// The chain of the other side.
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

/// Color of a chain, by its place in the map; linear colors of viewports are made from it.
pub fn chain_color(chain: usize) -> Color {
    // Neighbors in the table differ clearly.
    const ORDER: [usize; 12] = [11, 0, 4, 2, 3, 5, 1, 9, 10, 6, 7, 8];
    let text = tokens()["categorical"][ORDER[chain % ORDER.len()]].as_str();
    text.map_or(Color([128, 128, 128, 255]), Color::parse)
}

/// The same, for panels.
pub fn chain_ink(chain: usize) -> Color32 {
    let [r, g, b, _] = chain_color(chain).0;
    Color32::from_rgb(r, g, b)
}

/// Facts of one of the bodies.
#[derive(Clone, Debug, Default)]
pub struct BodyFacts {
    /// Name of the file.
    pub name: String,
    /// Its path; none for a file that was never saved.
    pub path: Option<PathBuf>,
    /// Names of nodes that chains can consist of, parents first.
    pub joints: Vec<JointFacts>,
    /// Number of joints of skins.
    pub joint_count: usize,
    /// Clips.
    pub clips: Vec<ClipFacts>,
}

/// A joint of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFacts {
    /// Its name.
    pub name: String,
    /// Its rotation at rest, in the space of its parent.
    pub rest: Quat,
    /// The joint above it, an index into the list.
    pub parent: Option<usize>,
    /// Its mirror joint, an index into the list; a joint of the center is its own.
    pub partner: Option<usize>,
}

/// A clip of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// Its name.
    pub name: String,
    /// Length in seconds.
    pub length: f32,
    /// Frames per second.
    pub fps: f64,
}

impl BodyFacts {
    /// The joint of a name.
    pub(crate) fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Name of the mirror joint.
    pub(crate) fn mirrored(&self, name: &str) -> Option<String> {
        let partner = self.joints[self.joint(name)?].partner?;
        Some(self.joints[partner].name.clone())
    }

    /// Names of the joints from one down to another; of the latter alone if it is not below.
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

/// A contact of a foot, as a bar of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactBar {
    /// Seconds.
    pub from: f32,
    /// Seconds.
    pub to: f32,
    /// Sliding of the foot on the target before and after feet are locked, meters; none until it is
    /// measured.
    pub slide: Option<[f32; 2]>,
}

/// A foot or a hand with contacts, and its results in the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub struct FootResult {
    /// Its chain, an index into the chains of the map.
    pub chain: usize,
    /// Name, such as “Left foot”.
    pub name: String,
    /// Whether it is a hand, which has neither heel nor ball.
    pub is_hand: bool,
    /// The foot of the source.
    pub source: NodeId,
    /// The foot of the target.
    pub target: NodeId,
    /// Its contacts in order.
    pub contacts: Vec<ContactBar>,
    /// Largest sliding in a contact of the source's own clip, meters.
    pub own_slide: f32,
    /// Speeds over the ground before and after feet are locked, m/s, at the times of the result.
    pub speeds: [Vec<f32>; 2],
}

/// The shown clip on the target.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetResult {
    /// The clip of the source, an index into its clips.
    pub of: usize,
    /// The retargeted clip.
    pub clip: Shared<Clip>,
    /// Contacts of the source's clip: found, or as they were changed.
    pub contacts: Arc<[Goal]>,
    /// Feet, in the order of their chains.
    pub feet: Vec<FootResult>,
    /// Times of samples, seconds.
    pub times: Vec<f32>,
    /// Heights of the hips at the times: of the source times the factor, and of the target, meters.
    pub hips: [Vec<f32>; 2],
    /// Largest amount by which the hips were lowered, meters.
    pub lowered: f32,
    /// Names of legs that do not reach a contact.
    pub short: Vec<String>,
    /// Heights of the hips at rest of both bodies, meters.
    pub heights: [f32; 2],
    /// Factor of heights by the rests.
    pub height: f32,
    /// Largest difference between the reference poses, radians.
    pub rest_difference: f32,
    /// Reason why nothing comes over.
    pub fault: Option<String>,
}

/// Contacts over all chosen clips.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetSummary {
    /// Number of clips.
    pub clips: usize,
    /// Number of contacts.
    pub contacts: usize,
    /// Worst sliding before and after, meters.
    pub worst: [f32; 2],
    /// Clip of the worst sliding after feet are locked.
    pub worst_clip: usize,
}

/// A ring on the ground below a foot in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRing {
    /// Its chain.
    pub chain: usize,
    /// Center on the ground, meters.
    pub at: Vec3,
    /// Radius, meters.
    pub radius: f32,
}

/// One of the bodies, as it is drawn.
#[derive(Clone, Debug, Default)]
pub struct BodyScene {
    /// Its picture.
    pub picture: Option<TextureId>,
    /// Box that is framed, in meters.
    pub bounds: Option<[Vec3; 2]>,
    /// Contacts at the playhead.
    pub rings: Vec<ContactRing>,
}

/// The page *Retarget*, as panels see it.
#[derive(Clone, Copy)]
pub struct RetargetView<'a> {
    /// Choices.
    pub draft: &'a RetargetDraft,
    /// The source, once it is read, and the target.
    pub bodies: [Option<&'a BodyFacts>; 2],
    /// Both bodies, as they are drawn.
    pub scenes: &'a [BodyScene; 2],
    /// Name of the file that is read.
    pub reading: Option<&'a str>,
    /// Reason why a file could not be read.
    pub fault: Option<&'a str>,
    /// The shown clip on the target, as it was found last.
    pub result: Option<&'a RetargetResult>,
    /// Whether the result is of the choices as they are now.
    pub is_current: bool,
    /// Contacts over all chosen clips, once they are known.
    pub summary: Option<&'a RetargetSummary>,
    /// Origin of the map, in words.
    pub map_origin: &'a str,
}

impl RetargetView<'_> {
    /// The clip of the source that plays.
    pub(crate) fn clip(&self) -> Option<&ClipFacts> {
        self.bodies[SOURCE]?.clips.get(self.draft.shown)
    }
}
