//! A guess of the retarget map between two bodies, from names, humanoid maps and joint positions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::named::JointTable;
use crate::{
    ClipTransfer, KeysBy,
    humanoid::{BodyPart, BodyRole},
    mirror_pairs::Side,
    rig::Rig,
    roles::roles_of,
};
use ulna_model::{ChainPosition, ChainRotation, Document, NodeId, RetargetChain, RetargetMap};

/// Kinds of chains of a body, in the order in which the retarget map lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChainKind {
    Hips,
    Spine,
    Neck,
    Head,
    Shoulder,
    Arm,
    Leg,
    Toes,
    Finger(u8),
    Eye,
    Jaw,
}

impl ChainKind {
    const fn of(part: BodyPart) -> Option<Self> {
        Some(match part {
            BodyPart::Hips => Self::Hips,
            BodyPart::Spine => Self::Spine,
            BodyPart::Neck => Self::Neck,
            BodyPart::Head => Self::Head,
            BodyPart::Shoulder => Self::Shoulder,
            BodyPart::UpperArm | BodyPart::LowerArm | BodyPart::Hand => Self::Arm,
            BodyPart::Thigh | BodyPart::Shin | BodyPart::Foot => Self::Leg,
            BodyPart::Toe => Self::Toes,
            BodyPart::Finger(k) => Self::Finger(k),
            BodyPart::Eye => Self::Eye,
            BodyPart::Jaw => Self::Jaw,
            BodyPart::Arm | BodyPart::Leg => return None,
        })
    }

    /// Whether the number of joints in a chain of this kind may differ between bodies.
    const fn is_row(self) -> bool {
        matches!(self, Self::Spine | Self::Neck | Self::Finger(_) | Self::Toes)
    }

    fn label(self, side: Option<Side>) -> String {
        let name = match self {
            Self::Hips => "Hips",
            Self::Spine => "Spine",
            Self::Neck => "Neck",
            Self::Head => "Head",
            Self::Shoulder => "Shoulder",
            Self::Arm => "Arm",
            Self::Leg => "Leg",
            Self::Toes => "Toes",
            Self::Finger(0) => "Thumb",
            Self::Finger(1) => "Index finger",
            Self::Finger(2) => "Middle finger",
            Self::Finger(3) => "Ring finger",
            Self::Finger(_) => "Little finger",
            Self::Eye => "Eye",
            Self::Jaw => "Jaw",
        };
        match side {
            Some(Side::Left) => format!("Left {}", name.to_lowercase()),
            Some(Side::Right) => format!("Right {}", name.to_lowercase()),
            _ => name.to_owned(),
        }
    }
}

type Roles = HashMap<NodeId, BodyRole>;

/// Name of a chain, its joints in the source, and its joints in the target.
type NamedChain = (String, Vec<NodeId>, Vec<NodeId>);

fn roles(document: &Document) -> Roles {
    roles_of(document).into_iter().filter_map(|(n, r)| Some((n, r?))).collect()
}

/// Returns the joints of a kind of chain on one side, from the root on.
fn row(document: &Document, roles: &Roles, kind: ChainKind, side: Option<Side>) -> Vec<NodeId> {
    let own = |n: &NodeId| {
        roles.get(n).is_some_and(|r| ChainKind::of(r.part) == Some(kind) && r.side == side)
    };
    let mut found: Vec<NodeId> = document.nodes.order().iter().copied().filter(own).collect();
    // A foot or a hand need not be below the limb that it ends.
    found.sort_by_key(|n| roles[n].part);
    found
}

/// If no finger has joints in both bodies, removes all finger chains and returns them as one chain.
fn take_fingers(chains: &mut BTreeMap<(ChainKind, u8), NamedChain>) -> Option<NamedChain> {
    let is_finger = |kind: &ChainKind| matches!(kind, ChainKind::Finger(_));
    let own = || chains.iter().filter(|((kind, _), _)| is_finger(kind)).map(|(_, chain)| chain);
    if !own().all(|(_, from, to)| from.is_empty() || to.is_empty()) {
        return None;
    }
    let from: Vec<NodeId> = own().flat_map(|c| c.1.iter().copied()).collect();
    let to: Vec<NodeId> = own().flat_map(|c| c.2.iter().copied()).collect();
    // If both bodies had joints in it, the chain would be retargeted.
    let fingers = match (from.is_empty(), to.is_empty()) {
        (true, true) | (false, false) => return None,
        _ => ("Fingers".to_owned(), from, to),
    };
    chains.retain(|(kind, _), _| !is_finger(kind));
    Some(fingers)
}

/// Guesses the map for retargeting the clips of a source to a target. If a chain has different
/// numbers of joints in both bodies, its rotations are spread over the joints. Chains that only one
/// body has are also listed; their joints keep the rest pose.
pub fn guess_map(source: &Document, target: &Document) -> RetargetMap {
    let transfer = ClipTransfer::new(source, target, KeysBy::Rests, &BTreeMap::new());
    let (theirs, ours) = (roles(source), roles(target));
    let names = [JointTable::of(source), JointTable::of(target)];
    let mut chains: BTreeMap<(ChainKind, u8), NamedChain> = BTreeMap::new();
    let mut used: [BTreeSet<NodeId>; 2] = Default::default();
    let kind_of = |role: Option<&BodyRole>| {
        let role = role?;
        Some((ChainKind::of(role.part)?, role.side))
    };
    let order = |side: Option<Side>| match side {
        Some(Side::Left) => 0,
        Some(Side::Right) => 1,
        _ => 2,
    };
    let kinds: BTreeSet<(ChainKind, u8)> = theirs
        .values()
        .chain(ours.values())
        .filter_map(|r| kind_of(Some(r)))
        .map(|(kind, side)| (kind, order(side)))
        .collect();
    for (kind, place) in kinds {
        let side = [Some(Side::Left), Some(Side::Right), None][usize::from(place)];
        let sides = |roles: &Roles, document: &Document| {
            let mut all = row(document, roles, kind, side);
            if side.is_none() {
                all.extend(row(document, roles, kind, Some(Side::Center)));
                all.sort_by_key(|n| document.nodes.order().iter().position(|m| m == n));
            }
            all
        };
        let (rows, paired): ([Vec<NodeId>; 2], Vec<(NodeId, NodeId)>) = {
            let rows = [sides(&theirs, source), sides(&ours, target)];
            let mut paired: Vec<(NodeId, NodeId)> = transfer
                .pairs()
                .iter()
                .filter(|p| rows[0].contains(&p.from) && rows[1].contains(&p.to))
                .map(|p| (p.from, p.to))
                .collect();
            let part = |pair: &(NodeId, NodeId)| ours.get(&pair.1).map(|r| r.part);
            paired.sort_by_key(part);
            (rows, paired)
        };
        let is_spread = kind.is_row() && rows[0].len() != rows[1].len();
        let (from, to) = if is_spread || paired.is_empty() {
            let [from, to] = rows;
            (from, to)
        } else {
            paired.into_iter().unzip()
        };
        used[0].extend(&from);
        used[1].extend(&to);
        chains.insert((kind, place), (kind.label(side), from, to));
    }
    let fingers = take_fingers(&mut chains);
    let mut list: Vec<NamedChain> = chains.into_values().collect();
    list.extend(fingers);
    list.extend(others(source, target, &transfer, used, &names[1]));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let made = list.into_iter().map(|(name, from, to)| {
        let mut name = name;
        let plain = name.clone();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{plain} {count}");
        }
        let both = !from.is_empty() && !to.is_empty();
        let rotation = match (both, from.len() == to.len()) {
            (false, _) => ChainRotation::Rest,
            (true, true) => ChainRotation::Copy,
            (true, false) => ChainRotation::Spread,
        };
        // A leg needs thigh, shin and foot, and must carry the foot. Otherwise, no joint could
        // rotate to keep the foot in place.
        let carries = |document: &Document, leg: &[NodeId]| match leg {
            [thigh, _, .., foot] => document.is_above(*thigh, *foot),
            _ => false,
        };
        let is_leg = plain.ends_with("leg") && from.len() > 2 && carries(target, &to);
        RetargetChain {
            name,
            source: from.iter().map(|n| names[0].name(*n)).collect(),
            target: to.iter().map(|n| names[1].name(*n)).collect(),
            rotation,
            position: if rotation == ChainRotation::Copy {
                ChainPosition::Scale
            } else {
                ChainPosition::Fixed
            },
            contacts: both && is_leg,
        }
    });
    RetargetMap { chains: made.collect(), ..RetargetMap::default() }
}

/// Returns chains of joints that belong to no body part. Joints are matched by name, and
/// consecutive ones form a chain. If both chains continue without matches, they are extended to
/// their ends.
fn others(
    source: &Document,
    target: &Document,
    transfer: &ClipTransfer<'_>,
    mut used: [BTreeSet<NodeId>; 2],
    names: &JointTable,
) -> Vec<NamedChain> {
    let mut lines: Vec<(Vec<NodeId>, Vec<NodeId>)> = Vec::new();
    for pair in transfer.pairs() {
        if used[0].contains(&pair.from) || used[1].contains(&pair.to) {
            continue;
        }
        used[0].insert(pair.from);
        used[1].insert(pair.to);
        let above = (source.node(pair.from).parent, target.node(pair.to).parent);
        let own = lines.iter_mut().find(|(from, to)| {
            (from.last().copied(), to.last().copied()) == above && above.0.is_some()
        });
        match own {
            Some((from, to)) => {
                from.push(pair.from);
                to.push(pair.to);
            }
            None => lines.push((vec![pair.from], vec![pair.to])),
        }
    }
    let rigs = [Rig::of(source), Rig::of(target)];
    for (from, to) in &mut lines {
        let rest = [
            unmatched_below(source, &rigs[0], from, &used[0]),
            unmatched_below(target, &rigs[1], to, &used[1]),
        ];
        // A single joint is not enough to assume that the joints below it correspond, too.
        if from.len() > 1 && rest.iter().any(|r| !r.is_empty()) {
            let [more_from, more_to] = rest;
            used[0].extend(&more_from);
            used[1].extend(&more_to);
            from.extend(more_from);
            to.extend(more_to);
        }
    }
    lines.into_iter().map(|(from, to)| (names.name(to[0]), from, to)).collect()
}

/// Returns the joints that continue a chain from its last joint: only children that belong to no
/// other chain.
fn unmatched_below(
    document: &Document,
    rig: &Rig,
    line: &[NodeId],
    used: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut node = line.last().copied();
    while let Some(at) = node {
        let below: Vec<NodeId> =
            document.children(at).iter().copied().filter(|n| rig.carries(*n)).collect();
        node = match below[..] {
            [only] if !used.contains(&only) => Some(only),
            _ => None,
        };
        found.extend(node);
    }
    found
}
