//! Writes changes of clips: channels, samplers, and only the keys that changed.

use serde_json::json;

use super::{
    super::{SaveError, clip_extras, json as raw, schema, text::Ops},
    writer::Writer,
};
use ulna_model::{Clip, FileContent, IdKind, Local, Location, Property, Shared, Slice, Track};

/// An animation of the file whose channels changed.
struct Animation {
    index: usize,
    raw: schema::Animation,
    /// Number of channels that use each sampler in the file.
    users: Vec<u32>,
    /// Number of samplers, including newly added ones.
    samplers: usize,
}

impl Animation {
    fn new(index: usize, raw: schema::Animation) -> Self {
        let mut users = vec![0u32; raw.samplers.len()];
        for channel in &raw.channels {
            if let Some(users) = users.get_mut(channel.sampler.0) {
                *users += 1;
            }
        }
        let samplers = raw.samplers.len();
        Self { index, raw, users, samplers }
    }

    /// Returns the edit operations of this animation.
    fn op<'o>(&self, ops: &'o mut Ops) -> &'o mut Ops {
        ops.member("animations").item(self.index)
    }

    /// Adds a sampler. Returns its index.
    fn push_sampler(&mut self, ops: &mut Ops, sampler: &serde_json::Value) -> usize {
        self.op(ops).member("samplers").push(sampler.to_string());
        self.samplers += 1;
        self.samplers - 1
    }
}

/// Whether all changes of a clip can be expressed in the file.
fn has_form(before: &Clip, after: &Clip) -> bool {
    // Members in the extras are compared as text instead.
    let Clip {
        name: _,
        tracks: _,
        markers: _,
        contacts: _,
        repeat: _,
        ticks: _,
        rate: _,
        kept_layers: _,
        channels_in_file,
        pointers,
        kept,
        mended,
    } = after;
    (channels_in_file, pointers) == (&before.channels_in_file, &before.pointers)
        && (kept, mended) == (&before.kept, &before.mended)
}

impl Writer<'_> {
    pub(super) fn clips(
        &mut self,
        opened: &FileContent,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        for (id, before) in opened.clips.iter() {
            let index = id.index();
            let label = opened.clip_label(id);
            match now.clips.get(id) {
                Some(after) if Shared::ptr_eq(before, after) || before == after => {}
                Some(after)
                    if after.tracks.is_empty()
                        && !before.tracks.is_empty()
                        && before.tracks.len() == before.channels_in_file as usize =>
                {
                    *self.ops.member("animations").item(index) = Ops::Remove;
                    self.changes.push(format!(
                        "animations/{index} “{label}”: removed, because it has no keys left"
                    ));
                }
                Some(after) => self.clip(index, &label, before, after, now)?,
                None => {
                    *self.ops.member("animations").item(index) = Ops::Remove;
                    self.changes.push(format!("animations/{index} “{label}”: removed"));
                }
            }
        }
        for (id, clip) in now.clips.iter().filter(|(id, _)| !opened.clips.contains(*id)) {
            let label = now.clip_label(id);
            if clip.tracks.is_empty() {
                self.changes.push(format!(
                    "the new clip “{label}” has no keys; it is left out of the file until it has \
                        keys"
                ));
                continue;
            }
            let mut channels = Vec::new();
            let mut samplers = Vec::new();
            for track in clip.tracks.values() {
                self.free_for_animation(now, track);
                channels.push(channel(samplers.len(), track));
                samplers.push(self.sampler(None, None, track));
            }
            let mut animation = json!({});
            if let Some(name) = &clip.name {
                animation["name"] = json!(&**name);
            }
            for (member, text) in clip_extras::texts(clip) {
                if let Some(text) = text {
                    let own: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                    animation["extras"][member] = own;
                }
            }
            animation["channels"] = channels.into();
            animation["samplers"] = samplers.into();
            self.ops.member("animations").push(animation.to_string());
            self.changes
                .push(format!("animations: “{label}” added; channels: {}", clip.tracks.len()));
        }
        // Empty lists are invalid (glTF 2.0 schema, minItems 1).
        let is_kept = |before: &Shared<Clip>| {
            before.tracks.is_empty() || before.tracks.len() != before.channels_in_file as usize
        };
        let stay = now
            .clips
            .iter()
            .any(|(id, c)| !c.tracks.is_empty() || opened.clips.get(id).is_some_and(is_kept));
        if !opened.clips.is_empty() && !stay {
            *self.ops.member("animations") = Ops::Remove;
        }
        Ok(())
    }

    /// Writes the changes of a clip that exists in the file.
    fn clip(
        &mut self,
        index: usize,
        label: &str,
        before: &Clip,
        after: &Clip,
        now: &FileContent,
    ) -> Result<(), SaveError> {
        if !has_form(before, after) {
            return Err(SaveError::no_form(
                Location::at(IdKind::Clip, index),
                "a change of animation pointer keys",
            ));
        }
        let text = raw::elements(&self.root, "animations").map_err(SaveError::Source)?[index].get();
        let raw: schema::Animation =
            raw::typed(text, &Location::at(IdKind::Clip, index), &mut false)
                .map_err(SaveError::Source)?;
        self.clip_members(index, label, before, after)?;
        let mut animation = Animation::new(index, raw);
        let (mut rewritten, mut removed, mut added) = (0, 0, 0);
        for (id, old) in &before.tracks {
            match after.tracks.get(id) {
                Some(new) if Shared::ptr_eq(old, new) || old.same_keys(new) => {}
                Some(new) => {
                    rewritten += 1;
                    // Times and values of a repaired track differ from those in the file.
                    let same = Some(&**old).filter(|_| !before.mended.contains(id));
                    self.changed_track(&mut animation, id.index(), (&**old, same), new);
                }
                None => {
                    removed += 1;
                    *animation.op(&mut self.ops).member("channels").item(id.index()) = Ops::Remove;
                }
            }
        }
        for (_, track) in after.tracks.iter().filter(|(id, _)| !before.tracks.contains_key(id)) {
            added += 1;
            self.free_for_animation(now, track);
            let sampler = self.sampler(None, None, track);
            let channel = channel(animation.samplers, track);
            animation.push_sampler(&mut self.ops, &sampler);
            animation.op(&mut self.ops).member("channels").push(channel.to_string());
        }
        if rewritten + removed + added > 0 {
            let counts = [(rewritten, "changed"), (added, "added"), (removed, "removed")];
            let counts: Vec<String> = counts
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| format!("{n} {what}"))
                .collect();
            let counts = counts.join(", ");
            self.changes.push(format!("animations/{index} “{label}”: channels: {counts}"));
        }
        Ok(())
    }

    /// Writes the name and the extras of a clip, if they changed.
    fn clip_members(
        &mut self,
        index: usize,
        label: &str,
        before: &Clip,
        after: &Clip,
    ) -> Result<(), SaveError> {
        if before.name != after.name {
            let op = self.ops.member("animations").item(index).member("name");
            *op = match &after.name {
                Some(name) => Ops::Replace(serde_json::Value::from(&**name).to_string()),
                None => Ops::Remove,
            };
            self.changes.push(format!("animations/{index} “{label}”: name"));
        }
        for ((member, was), (_, text)) in
            clip_extras::texts(before).into_iter().zip(clip_extras::texts(after))
        {
            if was != text {
                let place = format!("animations/{index} “{label}”");
                self.own_extra(("animations", index), &place, (member, was.is_none()), text)?;
            }
        }
        Ok(())
    }

    /// Writes the changed keys of a channel to its sampler, or to a new sampler if other channels
    /// use it. `same` is the old track if its keys equal those in the file.
    fn changed_track(
        &mut self,
        animation: &mut Animation,
        channel: usize,
        (old, same): (&Track, Option<&Track>),
        new: &Track,
    ) {
        let sampler = animation.raw.channels[channel].sampler.0;
        let alone = animation.users[sampler] == 1;
        let raw = &animation.raw.samplers[sampler];
        let (input, output) = (raw.input.0, raw.output.0);
        let made = self.sampler(Some((input, output, alone)), same, new);
        if alone {
            let sampler = animation.op(&mut self.ops).member("samplers").item(sampler);
            for (key, was) in [("input", input), ("output", output)] {
                if made[key] != was {
                    *sampler.member(key) = Ops::Replace(made[key].to_string());
                }
            }
            if old.interpolation != new.interpolation {
                *sampler.member("interpolation") =
                    Ops::Replace(format!("\"{}\"", new.interpolation.label()));
            }
        } else {
            let number = animation.push_sampler(&mut self.ops, &made);
            *animation.op(&mut self.ops).member("channels").item(channel).member("sampler") =
                Ops::Replace(number.to_string());
            animation.users[sampler] -= 1;
        }
    }

    /// Replaces the matrix of an animated node, which is forbidden (glTF 2.0, *Transformations*).
    fn free_for_animation(&mut self, now: &FileContent, track: &Track) {
        let node = now.node(track.target);
        if track.property != Property::Weights
            && let Local::Matrix(_) = node.local()
        {
            let label = node.label(track.target);
            let trs = Local::Trs(node.local().transform());
            self.transform(track.target, &label, &node.local(), &trs);
        }
    }

    /// Stores the keys of a track. Returns the JSON of a sampler for them.
    fn sampler(
        &mut self,
        old: Option<(usize, usize, bool)>,
        before: Option<&Track>,
        track: &Track,
    ) -> serde_json::Value {
        let same = |a: &Slice<f32>, b: &Slice<f32>| Slice::ptr_eq(a, b) || a == b;
        let place = |index: usize| old.filter(|(_, _, alone)| *alone).map(|_| index);
        let (kind, width) = match track.property {
            Property::Translation | Property::Scale => ("VEC3", 3),
            Property::Rotation => ("VEC4", 4),
            Property::Weights => ("SCALAR", 1),
        };
        let input = match (old, before) {
            (Some((input, ..)), Some(before)) if same(&before.times, &track.times) => input,
            _ => {
                let bits: Vec<u32> = track.times.iter().map(|t| t.to_bits()).collect();
                match self.times.get(&bits) {
                    Some(stored) => *stored,
                    None => {
                        let at = old.and_then(|(input, ..)| place(input));
                        let stored = self.patch.floats(at, &track.times, "SCALAR", 1, true);
                        self.times.insert(bits, stored);
                        stored
                    }
                }
            }
        };
        let output = match (old, before) {
            (Some((_, output, _)), Some(before)) if same(&before.values, &track.values) => output,
            _ => self.patch.floats(
                old.and_then(|(_, output, _)| place(output)),
                &track.values,
                kind,
                width,
                false,
            ),
        };
        json!({"input": input, "output": output, "interpolation": track.interpolation.label()})
    }
}

fn channel(sampler: usize, track: &Track) -> serde_json::Value {
    json!({"sampler": sampler, "target": {"node": track.target.0, "path": track.property.path()}})
}
