//! Mirrors the chains of one side to the other.

use super::{BodyFacts, RetargetDraft, SOURCE, TARGET};
use ulna_model::RetargetChain;

/// The side whose chains are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromSide {
    Left,
    Right,
}

impl FromSide {
    /// The first word of the names of chains: of this side, and of the other one.
    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Left => ["Left", "Right"],
            Self::Right => ["Right", "Left"],
        }
    }
}

/// Copies the joints and settings of all chains of a side to the chains of the other side, which
/// are added if they do not exist. Chains are of a side by their names. Joints without a mirror
/// joint are not copied.
pub(super) fn mirror_chains(
    draft: &mut RetargetDraft,
    bodies: [Option<&BodyFacts>; 2],
    side: FromSide,
) {
    let [own, other] = side.words();
    for chain in 0..draft.map.chains.len() {
        let about = draft.map.chains[chain].clone();
        let Some((_, rest)) = about.name.split_once(' ').filter(|(first, _)| *first == own) else {
            continue;
        };
        let partner = draft.partner(chain).unwrap_or_else(|| {
            let name = format!("{other} {rest}");
            draft.map.chains.push(RetargetChain { name, ..RetargetChain::default() });
            draft.map.chains.len() - 1
        });
        for body in [SOURCE, TARGET] {
            let Some(facts) = bodies[body] else { continue };
            let joints = RetargetDraft::joints(&about, body).iter();
            let mirrored: Option<Vec<String>> = joints.map(|j| facts.mirrored(j)).collect();
            if let Some(mirrored) = mirrored {
                draft.set_one(partner, body, mirrored);
            }
        }
        let made = &mut draft.map.chains[partner];
        (made.rotation, made.position) = (about.rotation, about.position);
        made.contacts = about.contacts;
    }
}

#[cfg(test)]
mod tests {
    use super::super::JointFacts;
    use super::*;
    use ulna_model::ChainRotation;

    #[test]
    fn chains_of_a_side_replace_those_of_the_other_or_are_added() {
        let joint = |name: &str, partner| JointFacts {
            name: name.into(),
            rest: glam::Quat::IDENTITY,
            parent: None,
            partner,
            may_touch: true,
        };
        let joints = [("leg.l", 1), ("leg.r", 0), ("wing.l", 3), ("wing.r", 2)];
        let joints = joints.into_iter().map(|(name, partner)| joint(name, Some(partner)));
        let facts = BodyFacts { joints: joints.collect(), ..BodyFacts::default() };
        let chain = |name: &str, joint: &str| RetargetChain {
            name: name.into(),
            source: vec![joint.into()],
            target: vec![joint.into()],
            rotation: ChainRotation::Spread,
            contacts: true,
            ..RetargetChain::default()
        };
        let mut draft = RetargetDraft::default();
        let right = RetargetChain { name: "Right leg".into(), ..RetargetChain::default() };
        draft.map.chains = vec![right, chain("Left leg", "leg.l"), chain("Left wing", "wing.l")];
        mirror_chains(&mut draft, [Some(&facts), Some(&facts)], FromSide::Left);
        let there: Vec<_> =
            draft.map.chains.iter().map(|c| (&*c.name, &*c.source[0], c.contacts)).collect();
        assert_eq!(
            there,
            [
                ("Right leg", "leg.r", true),
                ("Left leg", "leg.l", true),
                ("Left wing", "wing.l", true),
                ("Right wing", "wing.r", true),
            ]
        );
        assert_eq!(draft.map.chains[3].rotation, ChainRotation::Spread);
    }
}
