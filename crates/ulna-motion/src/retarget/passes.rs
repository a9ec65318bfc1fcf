//! Order in which feet and hands are put in place. A hand on a hip follows the hip, so the hip must
//! have its final motion first.
//!
//! ```text
//!  goals ──► pass 1: goals in the scene, and on props that no limb moves; the hips are lowered
//!        └─► pass 2, 3 …: goals in the space of a joint that an earlier pass moves
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::{
    cleaned::{Cleaned, ContactSlide},
    contacts::ground_below,
    feet::{Foot, rest_pose},
    lock::{Lock, LockRequest},
    stands::PlacedGoal,
};
use crate::ik::limb_of;
use ulna_model::{Clip, ContactSettings, Document, Goal, GoalPoint, NodeId, Shared};

/// Keeps feet and hands of a clip in place in its contacts. New keys are set only within contacts
/// and their blends: rotations of legs, feet, toes, arms and hands, and the translation of the hips
/// if a leg is too short.
pub fn clean_contacts(
    document: &Document,
    clip: &Shared<Clip>,
    contacts: &[Goal],
    settings: &ContactSettings,
) -> Cleaned {
    let rest = rest_pose(document);
    let nodes: BTreeSet<NodeId> = contacts.iter().map(|g| g.node).collect();
    let foot = |node: NodeId| {
        let is_hand =
            contacts.iter().filter(|g| g.node == node).all(|g| g.point == GoalPoint::Joint);
        let describe = if is_hand { Foot::hand } else { Foot::of };
        describe(document, &rest, node)
    };
    let feet: Vec<Foot> = nodes.into_iter().map(foot).collect();
    let goals: Vec<PlacedGoal> = contacts.iter().map(|g| (g.clone(), None)).collect();
    let ground = ground_below(document, clip, &feet);
    let request = LockRequest {
        document,
        clip,
        feet,
        goals: &goals,
        settings: *settings,
        ground,
        keeps: true,
    };
    keep_in_place(request)
}

/// Measures the sliding of feet and hands in the contacts of a clip. The clip is not changed, so
/// `before` and `after` are equal.
pub fn contact_slides(
    document: &Document,
    clip: &Shared<Clip>,
    contacts: &[Goal],
) -> Vec<ContactSlide> {
    let settings = ContactSettings { lock: false, ..ContactSettings::default() };
    clean_contacts(document, clip, contacts, &settings).slides
}

/// Bakes all contacts of a request, pass by pass. A goal is ignored if its own limb moves the node
/// whose space it uses.
pub(super) fn keep_in_place(request: LockRequest<'_>) -> Cleaned {
    let LockRequest { document, clip, feet, goals, settings, ground, keeps } = request;
    let is_possible = |goal: &Goal| {
        let foot = feet.iter().find(|f| f.node == goal.node);
        let space = goal.space;
        foot.is_some_and(|foot| space.is_none_or(|space| !foot.moves(document, space)))
    };
    let goals: Vec<PlacedGoal> = goals.iter().filter(|g| is_possible(&g.0)).cloned().collect();
    let mut feet = feet;
    for foot in &mut feet {
        let own = goals.iter().filter(|g| g.0.node == foot.node);
        let spaces: BTreeSet<NodeId> = own.filter_map(|g| g.0.space).collect();
        foot.spaces = spaces.into_iter().collect();
    }
    let mut made = Cleaned { clip: (**clip).clone(), ..Cleaned::default() };
    let passes = passes(document, feet).into_iter().enumerate();
    for (pass, feet) in passes.filter(|(_, feet)| !feet.is_empty()) {
        let now = Shared::new(std::mem::take(&mut made.clip));
        let own: Vec<PlacedGoal> =
            goals.iter().filter(|g| feet.iter().any(|f| f.node == g.0.node)).cloned().collect();
        let lower_hips = settings.lower_hips && pass == 0;
        let lock = |clip, settings| {
            let feet = feet.clone();
            let request =
                LockRequest { document, clip, feet, goals: &own, settings, ground, keeps };
            Lock::new(request).clean()
        };
        let cleaned = lock(&now, ContactSettings { lower_hips, ..settings });
        let mut slides = cleaned.slides;
        if pass > 0 && settings.lock {
            // `before` is the sliding in the given clip, not in the result of the previous pass.
            let given = lock(clip, ContactSettings { lock: false, ..settings }).slides;
            for slide in &mut slides {
                let is_same = |s: &&ContactSlide| (s.foot, s.from) == (slide.foot, slide.from);
                slide.before = given.iter().find(is_same).map_or(slide.before, |s| s.before);
            }
        }
        made.clip = cleaned.clip;
        made.slides.extend(slides);
        made.lowered = made.lowered.max(cleaned.lowered);
        made.short.extend(cleaned.short);
    }
    made.slides.sort_by(|a, b| a.from.total_cmp(&b.from));
    made
}

/// Whether the leg of a foot joint, or the arm of a hand joint, moves a node. A contact of the
/// joint cannot follow such a node.
pub fn limb_moves(document: &Document, joint: NodeId, node: NodeId) -> bool {
    let root = limb_root(document, joint);
    root == node || document.is_above(root, node)
}

/// Returns the topmost joint of the leg that ends in a foot joint, or of the arm that ends in a
/// hand joint. If no joint above `joint` can rotate, returns `joint`.
pub fn limb_root(document: &Document, joint: NodeId) -> NodeId {
    let limb = limb_of(document, &rest_pose(document), joint, None, false);
    limb.and_then(|limb| limb.nodes.first().copied()).unwrap_or(joint)
}

/// Splits feet and hands into passes, so that every space has its final motion before a pass uses
/// it. If limbs depend on each other in a circle, the first one is put in place first.
fn passes(document: &Document, feet: Vec<Foot>) -> Vec<Vec<Foot>> {
    let hips: BTreeSet<NodeId> = feet.iter().filter(|f| !f.is_hand).map(|f| f.hips).collect();
    let below_hips = |node: &NodeId| hips.iter().any(|h| h == node || document.is_above(*h, *node));
    let mut left: BTreeMap<NodeId, Foot> = feet.into_iter().map(|f| (f.node, f)).collect();
    let mut made: Vec<Vec<Foot>> = Vec::new();
    while !left.is_empty() {
        let is_ready = |foot: &Foot| {
            let is_final = |space: &NodeId| {
                let moved = || left.values().any(|other| other.moves(document, *space));
                (!made.is_empty() || !below_hips(space)) && !moved()
            };
            foot.spaces.iter().all(is_final)
        };
        let mut ready: Vec<NodeId> =
            left.values().filter(|f| is_ready(f)).map(|f| f.node).collect();
        if ready.is_empty() && !made.is_empty() {
            ready.extend(left.keys().next());
        }
        // The first pass may be empty. It then lowers no hips, so the joints of the body already
        // have their final motion for the next pass.
        made.push(ready.iter().filter_map(|n| left.remove(n)).collect());
    }
    made
}
