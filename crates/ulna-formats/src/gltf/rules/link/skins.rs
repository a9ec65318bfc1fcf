//! Rules for skins and their joints.

use std::collections::HashSet;

use super::{
    super::{
        file::{ElementRule, File, Skin, Usage},
        report::Report,
    },
    references::{found, use_accessor, use_view},
    tree::chain,
};

pub(super) fn skin(file: &mut File, skin: &mut Skin, out: &mut Report) {
    if let Some(joints) = &skin.joints {
        // The ancestors of all joints are visited only once, so that the time for long chains is
        // not quadratic.
        let mut above: HashSet<usize> = HashSet::new();
        for (k, joint) in joints.iter().enumerate() {
            let Some(joint) = found(&file.nodes, *joint, || skin.at.item("joints", k), out) else {
                continue;
            };
            if skin.roots.is_empty() {
                skin.roots = chain(file, joint);
                above = skin.roots.iter().copied().collect();
                continue;
            }
            let mut at = Some(joint);
            let mut seen = HashSet::new();
            // Search for the first common ancestor. All ancestors above it are common, too.
            let meets = loop {
                match at.filter(|n| seen.insert(*n)) {
                    Some(node) if above.contains(&node) => break Some(node),
                    Some(node) => at = file.nodes[node].as_ref().and_then(|n| n.parent),
                    None => break None,
                }
            };
            let from = meets
                .and_then(|m| skin.roots.iter().position(|r| *r == m))
                .unwrap_or(skin.roots.len());
            for gone in skin.roots.drain(..from) {
                above.remove(&gone);
            }
        }
        if skin.roots.is_empty() {
            out.error("SKIN_NO_COMMON_ROOT", skin.at.member("joints"));
        }
    }
    let place = skin.at.member("inverseBindMatrices");
    if let Some(index) = found(&file.accessors, skin.bind, || place.clone(), out) {
        let File { accessors, views, .. } = file;
        if let Some(a) = accessors[index].as_mut() {
            use_accessor(a, Usage::Bind, &place, out);
            use_view(views, a.view, Usage::Bind, &place, out);
            if a.view
                .and_then(|v| views.get(v))
                .and_then(Option::as_ref)
                .is_some_and(|v| v.stride.is_some())
            {
                out.error("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", place.clone());
            }
            if a.format() == ("MAT4", 5126, false) {
                a.rules.push(ElementRule::Bind(place.clone()));
            } else {
                out.error("SKIN_IBM_INVALID_FORMAT", place.clone());
            }
            if skin.joints.as_ref().is_some_and(|j| a.count.is_none_or(|c| c < j.len())) {
                out.error("INVALID_IBM_ACCESSOR_COUNT", place);
            }
        }
    }
    let place = || skin.at.member("skeleton");
    if let Some(skeleton) = found(&file.nodes, skin.skeleton, place, out)
        && !skin.roots.contains(&skeleton)
    {
        out.error("SKIN_SKELETON_INVALID", place());
    }
}
