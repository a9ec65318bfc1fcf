//! Rules for animation channels and samplers.

use std::collections::HashMap;

use super::{
    super::{
        file::{Channel, ElementRule, File, Sampler, Usage},
        report::Report,
    },
    references::{found, use_accessor, use_view},
};
use ulna_model::Location;

pub(super) fn animations(file: &mut File, out: &mut Report) {
    let animations = std::mem::take(&mut file.animations);
    for animation in animations.iter().flatten() {
        if let (Some(channels), Some(samplers)) = (&animation.channels, &animation.samplers) {
            for (k, sampler) in samplers.iter().enumerate() {
                self::sampler(file, sampler, &animation.at.item("samplers", k), out);
            }
            let mut later: HashMap<(usize, &str), usize> = HashMap::new();
            for channel in channels {
                if let Some((Some(node), path)) =
                    channel.target.as_ref().map(|t| (t.node, t.path.as_deref()))
                {
                    *later.entry((node, path.unwrap_or_default())).or_default() += 1;
                }
            }
            for (k, channel) in channels.iter().enumerate() {
                let place = animation.at.item("channels", k);
                self::channel(file, channel, samplers, &place, out);
                if let Some((Some(node), path)) =
                    channel.target.as_ref().map(|t| (t.node, t.path.as_deref()))
                    && let Some(count) = later.get_mut(&(node, path.unwrap_or_default()))
                {
                    *count -= 1;
                    if *count > 0 {
                        out.error("ANIMATION_DUPLICATE_TARGETS", place.member("target"));
                    }
                }
            }
        }
    }
    file.animations = animations;
}

fn sampler(file: &mut File, sampler: &Sampler, at: &Location, out: &mut Report) {
    for (key, index, usage) in
        [("input", sampler.input, Usage::Times), ("output", sampler.output, Usage::Values)]
    {
        let place = at.member(key.to_owned());
        let Some(index) = found(&file.accessors, index, || place.clone(), out) else { continue };
        let File { accessors, views, .. } = file;
        let Some(a) = accessors[index].as_mut() else { continue };
        use_accessor(a, usage, &place, out);
        use_view(views, a.view, usage, &place, out);
        if a.view
            .and_then(|v| views.get(v))
            .and_then(Option::as_ref)
            .is_some_and(|v| v.stride.is_some())
        {
            out.error("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", place.clone());
        }
        if usage != Usage::Times {
            continue;
        }
        if a.format() == ("SCALAR", 5126, false) {
            a.rules.push(ElementRule::Times(place.clone()));
        } else {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", place.clone());
        }
        if a.min.is_none() || a.max.is_none() {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", place.clone());
        }
        if sampler.cubic && a.count.is_none_or(|c| c < 2) {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", place);
        }
    }
}

fn channel(
    file: &mut File,
    channel: &Channel,
    samplers: &[Sampler],
    at: &Location,
    out: &mut Report,
) {
    let target = channel.target.as_ref();
    let path = target.and_then(|t| t.path.as_deref()).unwrap_or_default();
    let node =
        target.and_then(|t| found(&file.nodes, t.node, || at.member("target").member("node"), out));
    let targets = node
        .and_then(|n| file.nodes[n].as_ref()?.mesh)
        .and_then(|m| file.meshes.get(m)?.as_ref()?.primitives.as_ref()?.first())
        .and_then(|p| p.targets.as_ref())
        .map(Vec::len);
    if let Some(node) = node.and_then(|n| file.nodes[n].as_ref()) {
        match path {
            "translation" | "rotation" | "scale" => {
                if node.matrix.is_some() {
                    out.error("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", at.member("target"));
                }
                if node.skin.and_then(|s| file.skins.get(s)).is_some_and(Option::is_some) {
                    out.warning(
                        "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
                        at.member("target").member("path"),
                    );
                }
            }
            "weights" if targets.is_none() => {
                out.error("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", at.member("target"));
            }
            _ => {}
        }
    }
    let Some(sampler) = channel.sampler else { return };
    let Some(sampler) = samplers.get(sampler) else {
        out.error("UNRESOLVED_REFERENCE", at.member("sampler"));
        return;
    };
    let count = sampler.input.and_then(|i| file.accessors.get(i)?.as_ref()?.count);
    let Some(output) =
        sampler.output.and_then(|o| file.accessors.get_mut(o)).and_then(Option::as_mut)
    else {
        return;
    };
    if target.is_none() {
        return;
    }
    let place = at.member("sampler");
    if path == "rotation" && output.width == 4 {
        output.rules.push(ElementRule::Rotations(place.clone(), sampler.cubic));
    }
    let shares =
        |component: usize, normalized: bool| (component == 5126) != normalized && component != 5125;
    let (kind, component, normalized) = output.format();
    let sound = match path {
        "translation" | "scale" => (kind, component, normalized) == ("VEC3", 5126, false),
        "rotation" => kind == "VEC4" && shares(component, normalized),
        "weights" => kind == "SCALAR" && shares(component, normalized),
        _ => true,
    };
    if !sound {
        out.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", place.clone());
    }
    if let (Some(count), Some(found)) = (count, output.count) {
        let each = match path {
            "translation" | "rotation" | "scale" => 1,
            "weights" => targets.unwrap_or(0),
            _ => 0,
        };
        let wanted = count.saturating_mul(if sampler.cubic { 3 } else { 1 }).saturating_mul(each);
        if wanted > 0 && wanted != found {
            out.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", place);
        }
    }
}
