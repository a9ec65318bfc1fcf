//! Drawing of the keys of the sheet's rows.

use egui::{Mesh, pos2};

use super::{
    draw::{self, KeyStyle},
    gesture::{KeyGesture, Retime},
    rows::Row,
    sheet_layout::Sheet,
    state::TimelineState,
    summary::{Summary, times_of},
};
use ulna_model::{Clip, KeySet, NodeId, Shared};
use ulna_render::ColorRole;

impl Sheet<'_> {
    /// Updates the times of all keys and of the selected keys.
    pub(super) fn summarize(&self, state: &mut TimelineState) {
        Summary::update(&mut state.summary, self.clip);
        let same = |(clip, keys): &(Shared<Clip>, KeySet)| {
            Shared::ptr_eq(clip, self.clip) && keys == self.keys()
        };
        if !state.selected.key().is_some_and(same) {
            state.selected.put((self.clip.clone(), self.keys().clone()), times_of(self.keys()));
        }
    }

    /// Draws the keys of a row with its vertical center at `middle`.
    pub(super) fn row_keys(
        &self,
        state: &mut TimelineState,
        row: &Row,
        middle: f32,
        mesh: &mut Mesh,
    ) {
        match row {
            Row::Summary => {
                let look = self.look(middle, 3.5);
                self.summarize(state);
                let Some(Summary { times, kinds, .. }) = state.summary.get() else { return };
                let selected = state.selected.get().map_or(&[][..], Vec::as_slice);
                if look.is_dense(times) {
                    look.band(mesh, times, selected);
                    return;
                }
                // Draw selected keys on top of others at almost the same time.
                for (times, role) in
                    [(&**times, ColorRole::KeySummary), (selected, ColorRole::SelectionBase)]
                {
                    for time in &times[look.seen(times)] {
                        let at = pos2(self.axis.x(f64::from(*time)), middle);
                        let kind = kinds.of(*time);
                        let fill =
                            Some(role).filter(|r| kind.is_none() || *r == ColorRole::SelectionBase);
                        look.key(mesh, at, kind, fill);
                    }
                }
            }
            Row::Pointer(k) => {
                let (look, theme) = (self.look(middle, 3.0), self.view.theme);
                let times = &self.clip.pointers[*k].times;
                if look.is_dense(times) {
                    look.band(mesh, times, &[]);
                    return;
                }
                for time in &times[look.seen(times)] {
                    let at = pos2(self.axis.x(f64::from(*time)), middle);
                    let (fill, rim) = (ColorRole::KeyInbetween, ColorRole::KeyOutline);
                    draw::diamond(mesh, at, 3.0, theme.color(fill), theme.color(rim));
                }
            }
            Row::Strength(_) | Row::Contacts(_) => {}
            Row::Node(node) => {
                self.keys_behind(*node, middle, mesh);
                self.track_keys(state, row, middle, mesh);
            }
            Row::Channel(..) | Row::Component(..) | Row::Morph(..) => {
                self.track_keys(state, row, middle, mesh)
            }
        }
    }

    /// Draws the keys of the clip below a layer, faded because they cannot be edited here.
    fn keys_behind(&self, node: NodeId, middle: f32, mesh: &mut Mesh) {
        let Some(clip) = self.behind else { return };
        let look = KeyStyle { fade: 0.3, ..self.look(middle, 3.0) };
        for track in clip.tracks.values().filter(|t| t.target == node) {
            if look.is_dense(&track.times) {
                look.band(mesh, &track.times, &[]);
            } else {
                look.diamonds(mesh, track, &[], &[]);
            }
        }
    }

    fn track_keys(&self, state: &mut TimelineState, row: &Row, middle: f32, mesh: &mut Mesh) {
        let tracks = self.rows.tracks(row);
        let look = self.look(middle, 4.5);
        // Holds are shown on the rows of channels only.
        if let [(_, track)] = tracks
            && !look.is_dense(&track.times)
        {
            look.holds(mesh, track);
        }
        if let KeyGesture::Keys(gesture) = &state.gesture {
            let color = self.view.theme.color(ColorRole::SelectionBase).gamma_multiply(0.75);
            for (id, _) in tracks {
                let ghosts = row.marked(&gesture.keys, *id);
                for time in ghosts[look.seen(&ghosts)].iter().take(400) {
                    let at = pos2(self.axis.x(f64::from(*time)), middle);
                    draw::outline(mesh, at, 4.5, color, true);
                }
            }
        }
        self.unkeyed(row, middle, mesh);
        for (id, track) in tracks {
            let selected = &*row.marked(self.keys(), *id);
            if look.is_dense(&track.times) {
                look.band(mesh, &track.times, selected);
            } else {
                // A key may be redundant in one track of the row but not in another.
                let still = matches!(state.gesture, KeyGesture::None);
                let dead = if still && tracks.len() == 1 { state.dead.of(*id, track) } else { &[] };
                look.diamonds(mesh, track, selected, dead);
            }
            let repair = self.view.timeline.repair_seen.filter(|seen| seen.of.1.clip == self.id);
            if let Some(times) = repair.and_then(|seen| seen.changed.get(id))
                && !look.is_dense(&track.times)
            {
                let color = self.view.theme.color(ColorRole::SelectionBase);
                for time in times[look.seen(times)].iter().take(400) {
                    draw::outline(
                        mesh,
                        pos2(self.axis.x(f64::from(*time)), middle),
                        6.5,
                        color,
                        false,
                    );
                }
            }
            if let KeyGesture::Keys(gesture) = &state.gesture
                && gesture.kind != Retime::Offset
            {
                let color = self.view.theme.color(ColorRole::SeverityWarning);
                let seen = selected[look.seen(selected)].iter().take(400);
                for time in seen.filter(|t| gesture.replaces(*id, **t)) {
                    draw::ring(mesh, pos2(self.axis.x(f64::from(*time)), middle), 8.0, color);
                }
            }
        }
    }

    /// Draws unkeyed poses at their times, in the rows of the joints that they change.
    fn unkeyed(&self, row: &Row, middle: f32, mesh: &mut Mesh) {
        let Some(document) = self.view.session.map(|s| s.document()) else { return };
        let color = self.view.theme.color(ColorRole::KeyPending);
        for (at, pose) in document.aids.unkeyed.iter().filter(|(at, _)| at.clip == self.id) {
            let changes = match row {
                Row::Node(node) => pose.nodes().any(|n| n == *node),
                Row::Channel(node, _, property) | Row::Component(node, _, property, _) => {
                    pose.locals.get(node).is_some_and(|c| c.has(*property))
                }
                Row::Morph(node, ..) => pose.morphs.contains_key(node),
                Row::Summary | Row::Pointer(_) | Row::Strength(_) | Row::Contacts(_) => false,
            };
            if changes {
                draw::outline(
                    mesh,
                    pos2(self.axis.x(f64::from(at.time())), middle),
                    5.5,
                    color,
                    false,
                );
            }
        }
    }
}
