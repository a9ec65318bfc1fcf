//! Mirrors clips between left and right.

use super::{
    commands::MirrorClip,
    whole::{argument, put, whole_with_poses},
};
use crate::command::{
    CommandError, Outcome, Scene,
    clip_layers::{as_posed, layers_of, mirror_unkeyed, with_layers},
    mirror_pose,
};
use ulna_model::{Notice, Shared};
use ulna_motion::{
    Mirror,
    clip_edit::{mirror_gap, mirror_skin_gap, mirrored},
    fold_clip,
};

impl MirrorClip {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let (id, clip, _) = whole_with_poses(scene.document, &self.clip)?;
        let document = &as_posed(scene.document);
        let nodes = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let mirror = Mirror::of(document);
        let layers = layers_of(document, id);
        let made = mirrored(document, (clip, &layers), &mirror, nodes.as_deref()).map_err(|e| {
            let label = |n: ulna_model::NodeId| document.node(n).label(n);
            let (carrier, carried) = (label(e.carrier), label(e.node));
            argument(
                "layer_not_mirrored",
                format!(
                    "layer “{}” animates {carrier}, which has no mirror joint and is a parent of \
                        {carried}; bake it with layer.fold first",
                    e.layer
                ),
            )
        })?;
        let unkeyed = mirror_unkeyed(scene.document, id, &mirror, nodes.as_deref());
        if made.clip == **clip && made.layers == *layers && unkeyed.is_empty() {
            let why = match made.mirrored {
                0 => "none of these nodes has a mirror node on the other side",
                _ => "the clip is already symmetric",
            };
            return Err(argument("nothing_to_mirror", format!("{why}; nothing was mirrored")));
        }
        let labels = |nodes: &[ulna_model::NodeId]| {
            let some: Vec<String> =
                nodes.iter().take(3).map(|n| document.node(*n).label(*n)).collect();
            if nodes.len() > 3 {
                format!("{} and {} more", some.join(", "), nodes.len() - 3)
            } else {
                some.join(", ")
            }
        };
        let one = |nodes: &[ulna_model::NodeId], one: &'static str, many: &'static str| {
            if nodes.len() == 1 { one } else { many }
        };
        let alone = (!made.alone.is_empty()).then(|| {
            let rest = one(
                &made.alone,
                "has no mirror joint and is animated",
                "have no mirror joints and are animated",
            );
            Notice::new("no_mirror_partner", format!("{} {rest} as before", labels(&made.alone)))
        });
        let sampled = (!made.sampled.is_empty()).then(|| {
            let rest = one(&made.sampled, "has new keys", "have new keys");
            let said = format!(
                "{} {rest}, because parent nodes without mirror nodes are animated",
                labels(&made.sampled)
            );
            Notice::new("keys_sampled", said)
        });
        let posed = (!made.posed.is_empty()).then(|| {
            let rest = one(
                &made.posed,
                "now has a key, because its pose is",
                "now have a key, because their pose is",
            );
            Notice::new("pose_keyed", format!("{} {rest} not symmetric", labels(&made.posed)))
        });
        let new = Shared::new(made.clip);
        let seen = [(clip, &*layers), (&new, &made.layers)]
            .map(|(c, l)| fold_clip(&document.file, c, l).clip);
        let gap = mirror_gap(document, (&seen[0], &seen[1]), &mirror, nodes.as_deref());
        let skin = nodes
            .is_none()
            .then(|| mirror_skin_gap(document, &seen[0], &seen[1], &mirror))
            .flatten();
        let notes = [
            alone,
            sampled,
            posed,
            mirror_pose::scales(made.scale_left),
            mirror_pose::gap(document, gap),
            mirror_pose::skin_gap(document, gap, skin),
        ];
        let mut done = put(id, (*new).clone(), notes.into_iter().flatten());
        done.edits.extend(with_layers(scene.document, id, made.layers));
        done.edits.extend(unkeyed);
        Ok(done)
    }
}
