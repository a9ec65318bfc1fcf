//! Commands that move keys in time or value: overlap along a chain, proportional editing, and time
//! warp.

use super::{
    commands::{OverlapKeys, ProportionalKeys, WarpKeys},
    shapes::parts_of,
    words::{Fade, NearHow},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        key_edits::{
            components::space_of,
            targets::{KeyTargets, count, nothing, said, too_far},
        },
        which_keys::WhichKeys,
    },
};
use ulna_model::{Document, Goal, KeySet, Marker, NodeId, Notice, Property, Shared, Track};
use ulna_motion::{
    clip_edit::length_in_words,
    curves::{ChosenComponents, CurveSpace, Warp, add_near, lags, move_near, overlapped, warped},
};
use ulna_weights::Falloff;

impl OverlapKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let which = WhichKeys { node: Some(self.node.clone()), ..WhichKeys::default() };
        let meant = KeyTargets::or_all(scene, &self.clip, &which)?;
        if meant.keys.is_empty() {
            return Ok(nothing("moved"));
        }
        // Joints at the same depth of the hierarchy get the same delay.
        let depth = |node: NodeId| {
            std::iter::successors(document.node(node).parent, |n| document.node(*n).parent).count()
        };
        let mut depths: Vec<usize> = self.node.all(document)?.into_iter().map(depth).collect();
        depths.sort_unstable();
        depths.dedup();
        let falloff = Falloff::from(self.falloff.unwrap_or(Fade::Linear));
        let lags = lags(depths.len(), |p| falloff.at(p));
        let length = self.across_loop.unwrap_or(false).then(|| meant.clip.length());
        let by = self.by.0;
        let (mut edits, mut keys, mut after) =
            (Vec::new(), KeySet::default(), (**meant.clip).clone());
        for (id, old, _) in meant.tracks() {
            let place = depths.binary_search(&depth(old.target)).unwrap_or(0);
            let own = by * lags.get(place).copied().unwrap_or(1.0);
            let argument = format!("“by” is {by} s;");
            let made =
                overlapped(old, own, length).map_err(|e| too_far(document, old, &argument, e))?;
            keys.set(id, made.times.to_vec().into());
            if made != **old {
                let to = Shared::new(made);
                after.tracks.insert(id, to.clone());
                edits.push(meant.edit(id, Some((*to).clone())));
            }
        }
        let moved = Notice::new(
            "keys_overlap",
            format!("{} moved by up to {by} s", count(edits.len(), "channel")),
        );
        let longer = length_in_words(meant.clip, &after)
            .map(|said| Notice::new("clip_length_changed", said));
        let notes = said([(!edits.is_empty()).then_some(moved), longer]);
        Ok(Outcome { edits, notes, keys: Some((meant.id, keys)), ..Outcome::default() })
    }
}

impl ProportionalKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let meant = KeyTargets::of(scene, &self.clip, &self.which)?;
        if meant.keys.is_empty() {
            return Ok(nothing("changed"));
        }
        let by: Vec<f32> = self.by.0.iter().map(|v| *v as f32).collect();
        let Some(first) = by.first().copied() else {
            return refuse(
                "argument_empty",
                "“by” is an empty list; use one number, or one number per component",
            );
        };
        let falloff = Falloff::from(self.falloff.unwrap_or(Fade::Smooth));
        let fade = |p: f32| falloff.at(p);
        let near: (f32, &dyn Fn(f32) -> f32) = (self.radius.0.max(0.0), &fade);
        match self.how {
            NearHow::Add => {
                let mut edits = Vec::new();
                for (id, old, _) in meant.tracks() {
                    let mut track = (**old).clone();
                    let space = space_of((id, old), &meant.keys, self.order);
                    for (times, components) in parts_of(&meant.keys, id, old, space) {
                        let components = components.as_deref();
                        let chosen = components.map(|list| ChosenComponents { list, space });
                        let own = added(old, &by, chosen);
                        track = add_near(&track, &times, &own, chosen, near);
                    }
                    if track != **old {
                        edits.push(meant.edit(id, Some(track)));
                    }
                }
                Ok(edits.into())
            }
            NearHow::Move => self.moved(scene.document, &meant, first, near),
        }
    }

    fn moved(
        &self,
        document: &Document,
        meant: &KeyTargets<'_>,
        by: f32,
        near: (f32, &dyn Fn(f32) -> f32),
    ) -> Result<Outcome, CommandError> {
        let (mut edits, mut keys) = (Vec::new(), KeySet::default());
        let first = meant.keys.span().map_or(0.0, |s| s.0);
        let by = by.max(-first.max(0.0));
        for (id, old, times) in meant.tracks() {
            let argument = format!("“by” is {by} s with a radius of {} s;", near.0);
            let (made, own) = move_near(old, times, by, near)
                .map_err(|e| too_far(document, old, &argument, e))?;
            keys.set(id, own);
            edits.push(meant.edit(id, Some(made)));
        }
        Ok(Outcome { edits, notes: Vec::new(), keys: Some((meant.id, keys)), ..Outcome::default() })
    }
}

/// Returns the amounts to add to a track, per component: numbers, or angles about x, y and z in
/// radians.
fn added(track: &Track, by: &[f32], components: Option<ChosenComponents<'_>>) -> Vec<f32> {
    let alone = by.len() == 1;
    let number = |c: usize| {
        let meant = components.is_none_or(|all| all.list.contains(&(c as u16)));
        let given = by.get(c).copied().or(alone.then_some(by[0]));
        given.filter(|_| meant).unwrap_or(0.0)
    };
    let numbers = components.is_some_and(|c| c.space == CurveSpace::Stored);
    if track.property != Property::Rotation || numbers {
        return (0..track.width).map(number).collect();
    }
    // A single angle for a whole rotation is an angle about x, as in other commands that add to
    // values.
    let whole = alone && components.is_none();
    (0..3).map(|c| if whole && c > 0 { 0.0 } else { number(c).to_radians() }).collect()
}

impl WarpKeys {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let which = WhichKeys {
            node: self.node.clone(),
            parts: self.parts.clone(),
            keys: self.keys.clone(),
            ..WhichKeys::default()
        };
        let meant = KeyTargets::or_all(scene, &self.clip, &which)?;
        let Some(warp) = Warp::new(&self.from.0, &self.to.0) else {
            return refuse(
                "times_out_of_order",
                "“from” and “to” must have the same number of times, each later than the one \
                    before",
            );
        };
        let Some((first, last)) = meant.keys.span() else { return Ok(nothing("moved")) };
        if warp.at(f64::from(first)) < 0.0 {
            return refuse(
                "argument_out_of_range",
                format!("the key at {first} s would be before 0 s; choose later times for “to”"),
            );
        }
        let moves = |t: f32| (warp.at(f64::from(t)) - f64::from(t)).abs() > 1e-6;
        let all = which.is_all();
        if all {
            let shifted = |t: f32| moves(t) && t >= first && t <= last;
            KeyTargets::refuse_pointers(scene.document, (meant.id, meant.clip), true, shifted)?;
        }
        let mut clip = (**meant.clip).clone();
        let (mut edits, mut keys) = (Vec::new(), KeySet::default());
        for (id, old, times) in meant.tracks() {
            let made = warped(old, times, &warp)
                .map_err(|e| too_far(scene.document, old, "when warping,", e))?;
            let own = times.iter().filter_map(|t| Some(made.times[old.key_at(*t, 0.0)?]));
            keys.set(id, own.collect::<Vec<_>>().into());
            clip.tracks.insert(id, Shared::new(made.clone()));
            if made != **old {
                edits.push(meant.edit(id, Some(made)));
            }
        }
        let mut notes = Vec::new();
        // A warp of the whole clip also moves markers and contacts.
        let has_moved = meant.clip.markers.iter().any(|m| moves(m.time))
            || meant.clip.contacts.iter().any(|goal| moves(goal.from) || moves(goal.to));
        if all && has_moved {
            let to = |m: &Marker| {
                let time = warp.at(f64::from(m.time)).max(0.0) as f32;
                Marker { time, ..m.clone() }
            };
            clip.markers = Marker::in_order(meant.clip.markers.iter().map(to).collect()).into();
            let retimed = |goal: &Goal| goal.retimed(|t| warp.at(f64::from(t)) as f32);
            let contacts = meant.clip.contacts.iter().filter_map(retimed);
            clip.contacts = Goal::in_order(contacts.collect()).into();
            edits = vec![Edit::SetClip { clip: meant.id, to: Some(Shared::new(clip)) }];
        } else if let Some(said) = length_in_words(meant.clip, &clip) {
            notes.push(Notice::new("clip_length_changed", said));
        }
        Ok(Outcome { edits, notes, keys: Some((meant.id, keys)), ..Outcome::default() })
    }
}
