//! Timeline commands on selected keys, gestures that start at keys, and the key selection after
//! undo and redo.

use std::collections::BTreeSet;

use egui::Context;

use super::super::App;
use crate::ui::{KeyList, PointerMenu, Retime, Settings, TimelineShow, ToastKind, WantedOnCurves};
use ulna_edit::{
    KeysHome, Selection,
    command::{
        Command, DeleteKeys, MoveKeys, PasteKeys, PlayCommand, SessionCommand, SetKey,
        TimelineCommand, WhichKeys,
        field::{ClipName, Nodes, Parts, Seconds},
    },
};
use ulna_model::{Clip, ClipId, Document, KeyKind, KeySet, KeyTimes, NodeId, Property, Track};
use ulna_motion::{
    clip_edit::{keys_in_range, keys_of_kind, keys_of_value},
    ik,
};

impl App {
    /// Runs a timeline command on keys, from a shortcut or a menu.
    pub(in crate::app) fn timeline_command(&mut self, ctx: &Context, command: &TimelineCommand) {
        if self.curves_command(ctx, command) {
            return;
        }
        let Some(session) = &self.session else { return };
        let document = session.document();
        let playback = &self.timeline.playback;
        let length = playback.length(document);
        if let TimelineCommand::FitAll = command {
            self.panels.timeline().fit_to(length, None);
            return;
        }
        let Some(home) = self.keys_home() else {
            let text = "No clip is open. Open a clip in Animate mode to edit its keys.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        };
        let id = home.clip;
        let Some(clip) = self.layers_view().keys_clip(document, id) else { return };
        let frame = (1.0 / playback.fps) as f32;
        let playhead = playback.time;
        match command {
            TimelineCommand::KeyTranslation => self.key_parts(ctx, &[Property::Translation]),
            TimelineCommand::KeyRotation => self.key_parts(ctx, &[Property::Rotation]),
            TimelineCommand::KeyScale => self.key_parts(ctx, &[Property::Scale]),
            TimelineCommand::KeyMenu => self.panels.open_menu_at_pointer(PointerMenu::Keys),
            TimelineCommand::DeleteHere => self.delete_keys_here(ctx, home),
            TimelineCommand::KeyAll => self.key_parts(ctx, &Property::TRS),
            TimelineCommand::KeyLimb => {
                let limb = limb(document, &self.outliner.selection.nodes);
                self.key_nodes(ctx, id, limb, None);
            }
            TimelineCommand::KeyCharacter => {
                let moved: BTreeSet<NodeId> = clip.tracks.values().map(|t| t.target).collect();
                self.key_nodes(ctx, id, moved, None);
            }
            TimelineCommand::HoldRange => self.begin_hold(id, playhead),
            TimelineCommand::Grab => self.panels.timeline().want(Retime::Move),
            TimelineCommand::Ripple => self.panels.timeline().want(Retime::Ripple),
            TimelineCommand::Stretch => self.panels.timeline().want(Retime::Stretch(playhead)),
            TimelineCommand::Duplicate => self.panels.timeline().want(Retime::Copy),
            TimelineCommand::Interpolation => self.panels.timeline().ask(KeyList::Interpolation),
            TimelineCommand::Tangents => self.panels.timeline().ask(KeyList::Tangents),
            TimelineCommand::Kind => self.panels.timeline().ask(KeyList::Kind),
            TimelineCommand::Offset => self.panels.timeline().want(Retime::Offset),
            TimelineCommand::Lasso => self.panels.timeline().want_lasso(),
            TimelineCommand::NudgeLater => self.nudge(ctx, frame),
            TimelineCommand::NudgeEarlier => self.nudge(ctx, -frame),
            TimelineCommand::PasteFlipped => {
                let paste = PasteKeys {
                    clip: ClipName::Id(id),
                    text: None,
                    time: Some(Seconds(playhead as f32)),
                    node: None,
                    replace: None,
                    relative: None,
                    flip: Some(true),
                    interpolation: Some(self.program.settings.new_keys),
                };
                self.run(ctx, paste);
            }
            TimelineCommand::FitSelected => {
                let range = self.selected_keys().span();
                self.panels.timeline().fit_to(length, range);
            }
            _ => {
                let keys = chosen(command, clip, home, &self.outliner.selection, playhead as f32);
                self.outliner.selection.set_keys(home, keys);
                self.remember_keys();
            }
        }
    }

    /// Runs a command of the curve editor from a shortcut or a menu. Returns whether the command
    /// belongs to the curve editor.
    fn curves_command(&mut self, ctx: &Context, command: &TimelineCommand) -> bool {
        let now = self.program.settings.timeline;
        let show = match command {
            TimelineCommand::Curves if now == TimelineShow::Sheet => TimelineShow::Curves,
            TimelineCommand::Curves => TimelineShow::Sheet,
            TimelineCommand::SheetAndCurves if now == TimelineShow::Both => TimelineShow::Sheet,
            TimelineCommand::SheetAndCurves => TimelineShow::Both,
            TimelineCommand::AutoKey => {
                self.timeline.auto_key = !self.timeline.auto_key;
                return true;
            }
            TimelineCommand::FitHeight => {
                self.panels.timeline().fit_height();
                return true;
            }
            TimelineCommand::SpeedStrip => {
                self.panels.timeline().next_strip();
                return true;
            }
            TimelineCommand::Ease => {
                self.panels.timeline().want_on_curves(WantedOnCurves::Ease);
                return true;
            }
            TimelineCommand::InsertOnCurves => {
                self.panels.timeline().want_on_curves(WantedOnCurves::Insert);
                return true;
            }
            TimelineCommand::Proportional => {
                self.panels.timeline().flip_proportional();
                return true;
            }
            TimelineCommand::Normalize
            | TimelineCommand::HideCurves
            | TimelineCommand::SoloCurves => {
                let keys = self.selected_keys().clone();
                let timeline = self.panels.timeline();
                match command {
                    TimelineCommand::Normalize => timeline.normalize(&keys),
                    TimelineCommand::HideCurves => timeline.hide_curves(&keys),
                    _ => timeline.solo_curves(&keys),
                }
                return true;
            }
            _ => return false,
        };
        let settings = Settings { timeline: show, ..self.program.settings.clone() };
        self.set_settings(ctx, settings);
        true
    }

    /// Sets keys of the given properties of the selected nodes.
    fn key_parts(&mut self, ctx: &Context, parts: &[Property]) {
        if let Some(clip) = self.timeline.playback.clip {
            let nodes = self.outliner.selection.nodes.clone();
            self.key_nodes(ctx, clip, nodes, Some(Parts(parts.to_vec())));
        }
    }

    /// Deletes the keys of the selected joints at the playhead. The selection of keys has no
    /// effect.
    fn delete_keys_here(&mut self, ctx: &Context, home: KeysHome) {
        let nodes = Nodes::Ids(self.outliner.selection.nodes.iter().copied().collect());
        let time = Some(Seconds(self.timeline.playback.time as f32));
        let which = WhichKeys { time, node: Some(nodes), ..WhichKeys::default() };
        self.run(ctx, DeleteKeys { clip: ClipName::Id(home.clip), which });
    }

    /// Plays the range of the selected keys only.
    pub(in crate::app) fn play_range_of_keys(&mut self) {
        if let Some((from, to)) = self.selected_keys().span() {
            let least = 1.0 / self.timeline.playback.fps;
            let from = f64::from(from);
            self.timeline.playback.range = Some((from, f64::from(to).max(from + least)));
        }
    }

    fn key_nodes(
        &mut self,
        ctx: &Context,
        clip: ClipId,
        nodes: BTreeSet<NodeId>,
        parts: Option<Parts>,
    ) {
        if nodes.is_empty() {
            self.toast(
                ctx,
                ToastKind::Note,
                "Nothing to key: the clip has no channels yet. Select joints first.",
            );
            return;
        }
        let time = Seconds(self.timeline.playback.time as f32);
        let interpolation = Some(self.program.settings.new_keys);
        let nodes = Nodes::Ids(nodes.into_iter().collect());
        self.run(
            ctx,
            SetKey { parts, interpolation, ..SetKey::new(ClipName::Id(clip), time, nodes) },
        );
    }

    fn nudge(&mut self, ctx: &Context, by: f32) {
        if let Some((clip, which)) = WhichKeys::selected(&self.outliner.selection, self.keys_home())
        {
            let clip = ClipName::Id(clip);
            self.run(ctx, MoveKeys { clip, by: Seconds(by), which, ripple: None, make_room: None });
        }
    }

    /// Stores the key selection of this document revision, for when undo returns to it.
    pub(in crate::app) fn remember_keys(&mut self) {
        let Some(session) = self.session.as_ref().filter(|s| !s.history().is_open()) else {
            return;
        };
        let Some(home) = self.keys_home() else { return };
        self.timeline.keep_keys(session.history().revision(), home, self.selected_keys().clone());
    }

    /// Updates the key selection after a command. After undo and redo, it is the selection stored
    /// for that state.
    pub(in crate::app) fn follow_keys(&mut self, command: Option<&Command>) {
        let Some(session) = &mut self.session else { return };
        let went =
            matches!(command, Some(Command::Session(SessionCommand::Undo | SessionCommand::Redo)));
        if went {
            let kept = self.timeline.kept_keys(session.history().revision());
            let shown = self.keys_home();
            if let Some((home, keys)) = kept.filter(|(home, _)| shown == Some(*home)) {
                self.outliner.selection.set_keys(home, keys);
            }
        } else if let Some((home, keys)) = session.take_selected_keys() {
            self.outliner.selection.set_keys(home, keys);
            self.remember_keys();
        }
    }

    /// Starts to choose the time range in which a node is locked in place. The initial position is
    /// that at the playhead.
    fn begin_hold(&mut self, clip: ClipId, playhead: f64) {
        let Some(session) = &self.session else { return };
        let Some(node) = self.outliner.selection.active else { return };
        let document = session.document();
        let Some(found) = document.clips.get(clip) else { return };
        let playhead = playhead as f32;
        let contacts = ik::contacts(document, found, node);
        let apart = |r: &ik::HoldRange| (r.from - playhead).max(playhead - r.to).max(0.0);
        let nearest = contacts.into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
        let length = found.length();
        let range = nearest
            .map_or(((playhead - 0.1).max(0.0), (playhead + 0.1).min(length)), |r| (r.from, r.to));
        self.panels.timeline().begin_hold(clip, node, range);
    }

    /// Moves the playhead to the next or previous key of the selected nodes. Uses all nodes if none
    /// is selected, or if the selected ones have no keys.
    pub(in crate::app) fn step_key(&mut self, forward: bool) {
        let Some(session) = &self.session else { return };
        let nodes = &self.outliner.selection.nodes;
        let document = session.document();
        let layers = self.layers_view();
        let clip =
            self.timeline.playback.clip.and_then(|id| layers.keys_clip(document, id)).cloned();
        let Some(clip) = clip else { return };
        self.timeline
            .playback
            .step_key(&clip, forward, |node| nodes.is_empty() || nodes.contains(&node));
    }

    /// Sets the start or end of the playback range to the playhead. An invalid range is extended to
    /// the start or end of the clip.
    pub(in crate::app) fn preview_range(&mut self, starts: bool) {
        let Some(session) = &self.session else { return };
        let playback = &mut self.timeline.playback;
        let (from, to) = playback.bounds(session.document());
        let length = playback.length(session.document());
        let time = playback.time;
        playback.range = Some(match starts {
            true if time < to => (time, to),
            true => (time, length.max(time + 1.0 / playback.fps)),
            false if time > from => (from, time),
            false => (0.0, time.max(1.0 / playback.fps)),
        });
    }

    /// Handles a pause: moves the playhead to a frame, unless the preferences disable this.
    pub(in crate::app) fn pause(&mut self, command: &PlayCommand) {
        let playback = &mut self.timeline.playback;
        let snaps = !self.program.settings.pause_anywhere;
        if matches!(command, PlayCommand::Toggle | PlayCommand::Reverse)
            && !playback.playing
            && snaps
        {
            playback.snap();
        }
    }
}

/// Nodes of the unbranched chains that contain the given nodes.
fn limb(document: &Document, nodes: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let mut chain = BTreeSet::new();
    for node in nodes {
        let alone = |id: NodeId| document.children(id).len() == 1;
        let mut at = *node;
        chain.insert(at);
        while let Some(parent) = document.node(at).parent.filter(|p| alone(*p)) {
            at = parent;
            chain.insert(at);
        }
        at = *node;
        while let [child] = document.children(at) {
            at = *child;
            chain.insert(at);
        }
    }
    chain
}

/// The keys that a command selects.
fn chosen(
    command: &TimelineCommand,
    clip: &Clip,
    home: KeysHome,
    selection: &Selection,
    playhead: f32,
) -> KeySet {
    let now = selection.keys_of(Some(home)).clone();
    let all = |track: &Track| KeyTimes::part(&track.times, 0..track.times.len());
    let near = ulna_motion::clip_edit::SAME_TIME;
    match command {
        TimelineCommand::All => KeySet::of(clip, |_, t| all(t)),
        TimelineCommand::Invert => KeySet::of(clip, |_, t| all(t)).without(&now),
        TimelineCommand::Column => {
            let times: KeyTimes =
                now.iter().flat_map(|(_, t)| t.iter().copied()).collect::<Vec<_>>().into();
            let in_column = |t: &f32| {
                let at = times.partition_point(|k| *k < t - near);
                times.get(at).is_some_and(|k| (k - t).abs() <= near)
            };
            KeySet::of(clip, |_, t| {
                t.times.iter().copied().filter(in_column).collect::<Vec<_>>().into()
            })
        }
        TimelineCommand::Before => {
            KeySet::of(clip, |_, t| KeyTimes::within(&t.times, f32::MIN, playhead + near))
        }
        TimelineCommand::After => {
            KeySet::of(clip, |_, t| KeyTimes::within(&t.times, playhead - near, f32::MAX))
        }
        TimelineCommand::OfJoints => {
            let of = |t: &Track| selection.nodes.contains(&t.target);
            KeySet::of(clip, |_, t| if of(t) { all(t) } else { KeyTimes::default() })
        }
        TimelineCommand::Extend => {
            let first = |id| now.of_track(id).first().copied();
            KeySet::of(clip, |id, t| match first(id) {
                Some(from) => KeyTimes::within(&t.times, from, f32::MAX),
                None => KeyTimes::default(),
            })
        }
        TimelineCommand::SameKind => {
            let kinds: BTreeSet<Option<KeyKind>> = now
                .iter()
                .filter_map(|(id, times)| Some((clip.tracks.get(&id)?, times)))
                .flat_map(|(track, times)| times.iter().map(|t| track.kinds.of(*t)))
                .collect();
            KeySet::of(clip, |_, t| {
                let each = kinds.iter().flat_map(|k| keys_of_kind(t, *k).to_vec());
                each.collect::<Vec<_>>().into()
            })
        }
        TimelineCommand::SameValue => KeySet::of(clip, |id, t| keys_of_value(t, now.of_track(id))),
        TimelineCommand::OfKind { kind } => KeySet::of(clip, |_, t| keys_of_kind(t, kind.kind())),
        TimelineCommand::InRange { from, to, component } => {
            let wanted =
                |t: &Track| selection.nodes.is_empty() || selection.nodes.contains(&t.target);
            let of = |t: &Track| keys_in_range(t, &(*from..=*to), *component);
            KeySet::of(clip, |_, t| if wanted(t) { of(t) } else { KeyTimes::default() })
        }
        _ => KeySet::default(),
    }
}
