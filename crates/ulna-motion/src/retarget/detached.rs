//! Feet that their legs do not carry: the shin moves no foot joint, because the feet of the
//! original rig were goals of IK.

use glam::Vec3;

use super::{
    feet::rest_pose,
    sampling::{each_pose, even_times},
};
use crate::{humanoid::BodyPart, ik::frame_of, roles::roles_of};
use ulna_model::{Clip, Document, Interpolation, NodeId, Property, Shared, Track};

/// A foot that its leg does not carry.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetachedFoot {
    shin: NodeId,
    foot: NodeId,
    /// Position of the foot in the space of the shin at rest.
    ankle: Vec3,
}

impl DetachedFoot {
    /// Finds the detached feet of a document by the roles of its joints.
    fn all(document: &Document) -> Vec<Self> {
        let roles = roles_of(document);
        let of = |part: BodyPart| {
            roles
                .iter()
                .filter_map(move |(n, r)| r.filter(|r| r.part == part).map(|r| (*n, r.side)))
        };
        let mut made = Vec::new();
        for (foot, side) in of(BodyPart::Foot) {
            let shin = of(BodyPart::Shin).find(|s| s.1 == side).map(|s| s.0);
            let Some(shin) = shin.filter(|shin| !document.is_above(*shin, foot)) else { continue };
            let rest = rest_pose(document);
            let [shin_at, foot_at] = [shin, foot].map(|n| rest.world[n.index()]);
            let ankle = shin_at.inverse().transform_point3(foot_at.w_axis.truncate());
            if ankle.is_finite() {
                made.push(Self { shin, foot, ankle });
            }
        }
        made
    }

    /// Finds the detached feet of a target that must follow their shins. There are none if the
    /// source has detached feet, too, since its clips have keys for them.
    pub fn to_follow(source: &Document, target: &Document) -> Vec<Self> {
        if Self::all(source).is_empty() { Self::all(target) } else { Vec::new() }
    }

    /// Keys the translation of feet in each frame of a clip, so that they stay at the ends of their
    /// shins.
    pub fn follow(document: &Document, feet: &[Self], clip: &mut Clip) {
        let moved = |node: NodeId| {
            let mut up = std::iter::once(node).chain(crate::ancestors::above(document, node));
            up.any(|n| clip.tracks.values().any(|t| t.target == n))
        };
        let feet: Vec<Self> = feet.iter().copied().filter(|f| moved(f.shin)).collect();
        if feet.is_empty() || clip.length() <= 0.0 {
            return;
        }
        let times = even_times(clip.length(), frame_of(clip));
        let shown = Shared::new(clip.clone());
        let places = each_pose(document, &shown, &times, |_, pose| {
            let own = |foot: &Self| {
                let above = pose.parent_world(document, foot.foot).inverse();
                let ankle = pose.world[foot.shin.index()].transform_point3(foot.ankle);
                above.transform_point3(ankle)
            };
            feet.iter().map(own).collect::<Vec<Vec3>>()
        });
        for (k, foot) in feet.iter().enumerate() {
            let places: Vec<Vec3> = places.iter().map(|p| p[k]).collect();
            if !places.iter().all(|p| p.is_finite()) {
                continue;
            }
            let values: Vec<f32> = places.iter().flat_map(|p| p.to_array()).collect();
            let old = clip.tracks.of(foot.foot, Property::Translation).map(|(id, _)| id);
            let id = old.unwrap_or_else(|| clip.free_track_id());
            let track = Track {
                target: foot.foot,
                property: Property::Translation,
                interpolation: Interpolation::Linear,
                times: times.clone().into(),
                width: 3,
                values: values.into(),
                kinds: Default::default(),
                modes: Default::default(),
            };
            clip.tracks.insert(id, Shared::new(track));
        }
    }
}
