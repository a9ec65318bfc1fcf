//! Commands on the selection of keys and gestures that keys begin; what stays selected over undo and redo.

use egui::Context;

use super::super::App;
use crate::{
    edit::{
        Selection,
        command::{
            Command, MoveKeys, PlayCommand, SessionCommand, TimelineCommand, WhichKeys, field::ClipName, field::Seconds,
        },
    },
    model::{Clip, ClipId, KeySet, KeyTimes, Track},
    ui::Retime,
};

impl App {
    /// Does what a key or a menu asks of the keys on the timeline.
    pub(in crate::app) fn timeline_command(&mut self, ctx: &Context, command: &TimelineCommand) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        let Some(id) = self.timeline.playback.clip else { return };
        let Some(clip) = document.clips.get(id) else { return };
        let playback = &self.timeline.playback;
        let length = playback.length(document);
        let frame = (1.0 / playback.fps) as f32;
        let playhead = playback.time;
        match command {
            TimelineCommand::Grab => self.panels.timeline().want(Retime::Move),
            TimelineCommand::Ripple => self.panels.timeline().want(Retime::Ripple),
            TimelineCommand::Stretch => self.panels.timeline().want(Retime::Stretch(playhead)),
            TimelineCommand::Duplicate => self.panels.timeline().want(Retime::Copy),
            TimelineCommand::Interpolation => self.panels.timeline().ask_interpolation(),
            TimelineCommand::NudgeLater => self.nudge(ctx, frame),
            TimelineCommand::NudgeEarlier => self.nudge(ctx, -frame),
            TimelineCommand::FitAll => self.panels.timeline().fit_to(length, None),
            TimelineCommand::FitSelected => {
                let range = self.outliner.selection.keys.span();
                self.panels.timeline().fit_to(length, range);
            }
            _ => {
                let keys = chosen(command, clip, id, &self.outliner.selection, playhead as f32);
                self.outliner.selection.set_keys(id, keys);
                self.remember_keys();
            }
        }
    }

    fn nudge(&mut self, ctx: &Context, by: f32) {
        if let Some((clip, which)) = WhichKeys::selected(&self.outliner.selection) {
            let clip = ClipName::Id(clip);
            self.run(ctx, MoveKeys { clip, by: Seconds(by), which, ripple: None });
        }
    }

    /// Which keys are selected in this state of the document, for when undo comes back to it.
    pub(in crate::app) fn remember_keys(&mut self) {
        let Some(session) = self.session.as_ref().filter(|s| !s.history().is_open()) else { return };
        let selection = &self.outliner.selection;
        let Some(clip) = selection.clip else { return };
        self.timeline.keep_keys(session.history().revision(), clip, selection.keys.clone());
    }

    /// After a command: selects the keys that it says, or, after undo and redo, those that were selected in that state.
    pub(in crate::app) fn follow_keys(&mut self, command: Option<&Command>) {
        let Some(session) = &mut self.session else { return };
        let went = matches!(command, Some(Command::Session(SessionCommand::Undo | SessionCommand::Redo)));
        if went {
            let kept = self.timeline.kept_keys(session.history().revision());
            if let Some((clip, keys)) = kept.filter(|(clip, _)| self.timeline.playback.clip == Some(*clip)) {
                self.outliner.selection.set_keys(clip, keys);
            }
        } else if let Some((clip, keys)) = session.take_selected_keys() {
            self.outliner.selection.set_keys(clip, keys);
            self.remember_keys();
        }
    }

    /// Goes to the next key of what is selected, or the one before: of all nodes where none is, or none of them moves.
    pub(in crate::app) fn step_key(&mut self, forward: bool) {
        let Some(session) = &self.session else { return };
        let nodes = &self.outliner.selection.nodes;
        let document = session.document();
        self.timeline.playback.step_key(document, forward, |node| nodes.is_empty() || nodes.contains(&node));
    }

    /// Plays, or stops: on a frame, unless the ruler is not kept to.
    pub(in crate::app) fn pause(&mut self, command: &PlayCommand) {
        let playback = &mut self.timeline.playback;
        if matches!(command, PlayCommand::Toggle) && !playback.playing {
            playback.snap();
        }
    }
}

/// The keys that a command selects.
fn chosen(command: &TimelineCommand, clip: &Clip, id: ClipId, selection: &Selection, playhead: f32) -> KeySet {
    let now = if selection.clip == Some(id) { selection.keys.clone() } else { KeySet::default() };
    let all = |track: &Track| KeyTimes::part(&track.times, 0..track.times.len());
    let near = crate::motion::clip_edit::SAME_TIME;
    match command {
        TimelineCommand::All => KeySet::of(clip, |_, t| all(t)),
        TimelineCommand::Invert => KeySet::of(clip, |_, t| all(t)).without(&now),
        TimelineCommand::Column => {
            let times: KeyTimes = now.iter().flat_map(|(_, t)| t.iter().copied()).collect::<Vec<_>>().into();
            let in_column = |t: &f32| {
                let at = times.partition_point(|k| *k < t - near);
                times.get(at).is_some_and(|k| (k - t).abs() <= near)
            };
            KeySet::of(clip, |_, t| t.times.iter().copied().filter(in_column).collect::<Vec<_>>().into())
        }
        TimelineCommand::Before => KeySet::of(clip, |_, t| KeyTimes::within(&t.times, f32::MIN, playhead + near)),
        TimelineCommand::After => KeySet::of(clip, |_, t| KeyTimes::within(&t.times, playhead - near, f32::MAX)),
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
        _ => KeySet::default(),
    }
}
