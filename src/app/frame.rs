//! One frame of the window: input, panels, their actions, and the picture.

use std::time::{Duration, Instant};

use egui::{Context, Ui};

use super::{App, ladder, viewport_renderer};
use crate::ui::{
    Actions, Compare, ComparedProperty, DeferredAction, Dialog, DialogsView, JobView, LayersView,
    PointerHandler, ProgramView, ToastKind, View, ViewportView, window_ui,
};
use ulna_edit::{Change, KeysHome, command::mix_of};
use ulna_model::{ClipId, LayerHome, Shared, UnkeyedAt};
use ulna_session::{Conversion, Session};

/// Frame time above which a delay is noticeable and logged.
const SLOW: Duration = Duration::from_millis(50);

impl App {
    /// Runs one frame of the window.
    pub(super) fn whole_frame(&mut self, ui: &mut Ui, frame: &eframe::Frame) {
        let ctx = ui.ctx().clone();
        #[cfg(feature = "inspection")]
        assert!(!std::mem::take(&mut self.window.fails), "a test wanted this frame to fail");
        let started = Instant::now();
        // An idle window must not draw frames. RUST_LOG=ulna=trace logs the causes.
        log::trace!("frame, asked for by {:?}", ctx.repaint_causes());
        // The file as opened is shown while the backtick key is held, except in a text field.
        let typed = ctx.text_edit_focused();
        self.viewport.peeks =
            !typed && ctx.input(|i| i.key_down(egui::Key::Backtick) && i.modifiers.is_none());
        if std::mem::take(&mut self.window.first_frame) {
            ctx.request_repaint();
        }
        self.renderer.begin_frame(ctx.input(|i| i.stable_dt));
        self.take_up_events(&ctx);
        self.preview_repair();
        self.pose_viewport(&ctx);
        self.show_rig();
        self.update_balance();
        self.follow_paths();
        let hover = self.outliner.hover.take();
        self.follow_mix();
        let actions = self.panels_frame(ui, hover);
        let changed = self.apply(&ctx, actions);
        let changed = self.update_brush(&ctx) || changed;
        self.follow_tour(&ctx);
        if changed || self.outliner.hover != hover {
            log::trace!(
                "another frame: acts {changed}, hover {hover:?} to {:?}",
                self.outliner.hover
            );
            ctx.request_repaint();
        }
        self.preview_repair();
        self.pose_viewport(&ctx);
        self.show_rig();
        self.measure_bind(&ctx);
        if self.session.is_some() && self.renderer.lacks_scene() && !self.jobs.is_busy() {
            self.restore_scene(&ctx);
        }
        if self.retargeting.is_none() {
            self.draw_viewport(&ctx, frame);
        }
        self.draw_arriving(&ctx, frame);
        self.draw_retarget(&ctx, frame);
        if self.mode.spec().paints_weights
            && self.painting.session().is_some_and(|s| s.is_counting())
        {
            ctx.request_repaint();
        }
        if let Some(session) = self.session.as_ref().filter(|s| !s.history().is_open()) {
            self.outliner.keep_nodes(session.history().revision());
        }
        self.tell_faults(&ctx);
        if let Some(camera) = self.brush_context(&ctx).and_then(|mut brush| brush.focus_spot()) {
            self.begin_transition(&ctx, camera);
        }
        self.take_picture(&ctx);
        self.picture_poses(&ctx);
        self.picture_imports(&ctx);
        self.end_keys(&ctx);
        if started.elapsed() > SLOW {
            log::debug!("a frame took {:?}", started.elapsed());
        }
        self.renderer.took(started.elapsed());
    }

    /// Handles everything that happened since the last frame before panels are drawn: finished
    /// jobs, files, the clock, keys.
    fn take_up_events(&mut self, ctx: &Context) {
        self.limit_caret_blink(ctx);
        self.fit_scale(ctx);
        self.end_gestures(ctx);
        self.poll_jobs(ctx);
        self.poll_browse(ctx);
        self.look_at_disk(ctx);
        self.measure_export(ctx);
        self.read_there(ctx);
        self.plan_rig(ctx);
        self.follow_bind(ctx);
        self.follow_retarget(ctx);
        self.keep_problems(ctx);
        self.guard_close(ctx);
        self.dropped_files(ctx);
        if let Some(seconds) = self.dialogs.age(ctx.input(|i| i.time)) {
            ctx.request_repaint_after(Duration::from_secs_f64(seconds.max(0.05)));
        }
        self.step_transition(ctx);
        self.advance_clock(ctx);
        self.begin_keys(ctx);
        self.clipboard_events(ctx);
        self.context_menu_key(ctx);
        self.pressed_keys(ctx);
        let bends = self.mode.spec().bends;
        self.painting.bending.follow_key(ctx, &self.program.settings.keys, bends);
    }

    /// Finds the surface under the brush. Returns whether the display of the brush changed.
    fn update_brush(&mut self, ctx: &Context) -> bool {
        self.mode.spec().pointer == PointerHandler::Brush
            && self.brush_context(ctx).is_some_and(|mut brush| brush.update())
    }

    fn advance_clock(&mut self, ctx: &Context) {
        if !self.timeline.playback.playing || self.shows().is_none() {
            return;
        }
        let seconds = f64::from(ctx.input(|i| i.stable_dt)).min(0.25);
        let playback = &mut self.timeline.playback;
        let range = self.painting.bending.range_clip();
        let range = range.filter(|_| self.mode.spec().paints_weights);
        let range = range.map(|range| f64::from(range.length()));
        let trial = self.binding.trial().and_then(|trial| trial.length());
        if let Some(length) = range.or(trial) {
            let length = length.max(1e-3);
            playback.time = (playback.time + seconds * playback.speed) % length;
        } else if let Some(session) = &self.session {
            playback.advance(session.document(), seconds);
        }
        ctx.request_repaint();
    }

    /// Lays out all panels. Returns their actions.
    fn panels_frame(&mut self, ui: &mut Ui, hover: Option<ulna_model::NodeId>) -> Actions {
        let mut actions = Actions::default();
        let (devices, device_wish) = self.program.devices.list();
        let (pose, bones, skeleton, texture) = self.renderer.parts();
        let job = self.jobs.shown();
        let workspaces = self.program.preferences.workspaces.rows();
        let view = View {
            session: self.session.as_ref(),
            mode: self.mode,
            theme: &self.program.theme,
            settings: &self.program.settings,
            availability: self.availability(),
            selection: &self.outliner.selection,
            visibility: &self.outliner.visibility,
            inspected: self.outliner.inspected,
            hover,
            pose,
            joints: &skeleton.joints,
            deforms: &skeleton.deforms,
            options: self.viewport.options,
            problems: &self.problems.list,
            timeline: self.timeline.view(self.unkeyed_shown()),
            layers: self.layers_view(),
            viewport: ViewportView {
                camera: self.viewport.camera,
                tool: self.viewport.tool,
                space: self.viewport.space,
                pivot: self.viewport.pivot,
                pivot_spot: self.viewport.pivot_spot,
                sought: self.viewport.sought,
                snap: self.viewport.snap,
                snap_steps: self.viewport.snap_steps,
                reach: self.viewport.reach,
                symmetry: self.viewport.symmetry,
                children: self.viewport.children,
                compare: self.viewport.compared(),
                under: &self.viewport.under,
                texture,
                bones,
                balance: self.balance.now.as_ref(),
                balance_path: &self.balance.path,
                paths: &self.paths.paths,
                quick: self.renderer.quick(),
                frame_ms: self.renderer.frame_ms(),
            },
            paint: self.painting.view(),
            poses: self.poses.view(&self.pose_pictures.shown),
            rig: self.rig.view(
                self.session.as_ref().map(Session::document),
                &self.outliner.selection,
                self.mode,
            ),
            retarget: self.retargeting.as_ref().map(|page| page.view()),
            references: self.references.view(),
            dialogs: DialogsView {
                plan: self.planning.view(),
                bind: self.binding.view(),
                ..self.files.dialogs_view(&self.dialogs)
            },
            program: ProgramView {
                job: job.map(|j| JobView {
                    label: j.label.clone(),
                    fraction: j.progress.fraction(),
                    cancelable: j.cancelable,
                }),
                recent: &self.program.recent.shown,
                workspaces: &workspaces,
                welcome: self.program.welcome,
                used: &self.program.preferences.used,
                tour: self.program.tour.as_ref(),
                device: self.renderer.device(),
                device_facts: self.renderer.device_facts(),
                devices: &devices,
                device_wish: device_wish.as_deref(),
            },
        };
        window_ui(&mut self.panels, ui, &view, &mut actions);
        actions
    }

    /// Shows messages about errors of the journal, the graphics devices and the renderer.
    fn tell_faults(&mut self, ctx: &Context) {
        if let Some(fault) = self.session.as_mut().and_then(Session::take_journal_fault) {
            let text = format!(
                "The recovery journal cannot be written: {fault}. Save often: unsaved edits cannot \
                    be restored after a crash."
            );
            self.toast(ctx, ToastKind::Error, text);
        }
        if let Some(fault) = self.session.as_mut().and_then(Session::take_lost_stroke) {
            self.toast(ctx, ToastKind::Error, format!("The stroke could not be applied: {fault}."));
        }
        for text in self.program.devices.take_news() {
            self.toast(ctx, ToastKind::Error, text + ".");
        }
        if let Some(fault) = self.renderer.fault() {
            let text = format!("The view may be incomplete: {fault}. Your work is not affected.");
            self.toast(ctx, ToastKind::Error, text);
        }
    }

    /// Stops the blinking of the caret shortly after input, because each blink redraws the whole
    /// window.
    fn limit_caret_blink(&mut self, ctx: &Context) {
        const BLINKS: f64 = 6.0;
        let (now, active) = ctx.input(|i| {
            let active = |e: &egui::Event| {
                matches!(
                    e,
                    egui::Event::Key { .. }
                        | egui::Event::Text(_)
                        | egui::Event::PointerButton { .. }
                        | egui::Event::WindowFocused(true)
                )
            };
            (i.time, i.events.iter().any(active))
        });
        if active {
            self.window.active = now;
        }
        let blinks = now - self.window.active < BLINKS;
        if ctx.global_style().visuals.text_cursor.blink != blinks {
            ctx.all_styles_mut(|style| style.visuals.text_cursor.blink = blinks);
        }
    }

    /// Lets the next frame panic, for tests of the error handling.
    #[cfg(feature = "inspection")]
    pub const fn fail_next_frame(&mut self) {
        self.window.fails = true;
    }

    /// The displayed clip: a clip of the file, a range of motion, the mix, or a preview. `None` if
    /// a pose is displayed.
    pub(super) fn shows(&self) -> Option<viewport_renderer::DisplayedClip> {
        let document = self.session.as_ref().map(Session::document);
        let trial = document.and_then(|d| self.binding.clip(d, self.timeline.playback.between));
        if let Some(shown) = trial {
            return shown;
        }
        if let Some(shown) = self.shown_rig_clip() {
            return Some(shown);
        }
        if self.mode.spec().paints_weights
            && let Some(range) = self.painting.bending.range_clip()
        {
            return Some(viewport_renderer::DisplayedClip {
                key: None,
                clip: range.clone(),
                preview: 0,
                unkeyed: None,
                mix: None,
                between: self.timeline.playback.between,
            });
        }
        if self.mixes() {
            let mix = mix_of(self.session.as_ref()?.document()).unwrap_or_default();
            let clip = Shared::default();
            return Some(viewport_renderer::DisplayedClip {
                key: None,
                clip,
                preview: 1,
                unkeyed: None,
                mix: Some(mix),
                between: self.timeline.playback.between,
            });
        }
        let id = self.shown_clip()?;
        let document = self.session.as_ref()?.document();
        let unkeyed =
            self.unkeyed_shown().and_then(|at| Some((at, document.aids.unkeyed.get(&at)?.clone())));
        let clip = document.clips.get(id)?.clone();
        let made = self.timeline.repair_seen.as_ref().filter(|seen| seen.of.1.clip == id);
        let made = made.and_then(|seen| seen.clip.clone());
        let (clip, preview) = made.unwrap_or((clip, 0));
        let between = self.timeline.playback.between;
        Some(viewport_renderer::DisplayedClip {
            key: Some(id),
            clip,
            preview,
            unkeyed,
            mix: None,
            between,
        })
    }

    /// The displayed unkeyed pose: the one that moves along with the playhead, or else the one at
    /// the playhead's time. `None` during playback, or if there is neither.
    pub(super) fn unkeyed_shown(&self) -> Option<UnkeyedAt> {
        let (clip, document) = (self.shown_clip()?, self.session.as_ref()?.document());
        if self.timeline.playback.playing {
            return None;
        }
        let carried = self
            .timeline
            .carried
            .filter(|at| at.clip == clip && document.aids.unkeyed.contains_key(at));
        carried
            .or_else(|| document.aids.unkeyed(clip, self.timeline.playback.time).map(|(at, _)| at))
    }

    /// The chosen pose layer of the shown clip or pose, and whether edits change it.
    pub(super) fn layers_view(&self) -> LayersView {
        let seen = self.session.as_ref().filter(|_| self.mode.spec().poses && !self.mixes());
        let home = seen.map(|_| LayerHome::of(self.shown_clip()));
        self.layers.view(self.session.as_ref().map(Session::document), home)
    }

    /// True if the mix is shown in place of a clip.
    pub(super) fn mixes(&self) -> bool {
        self.timeline.playback.mixing && self.mode.spec().shows_mix
    }

    /// The shown clip of the file, if the mode shows one and the mix is off.
    pub(super) fn shown_clip(&self) -> Option<ClipId> {
        let shows = self.mode.spec().shows_clip(self.painting.options.over_clip) && !self.mixes();
        self.timeline.playback.clip.filter(|_| shows)
    }

    /// Owner of the keys that the timeline shows; `None` if it shows no clip.
    pub(super) fn keys_home(&self) -> Option<KeysHome> {
        let clip = self.shown_clip().filter(|_| self.mode.spec().edits_keys)?;
        Some(self.layers_view().keys_home(clip))
    }

    /// Computes the pose again if its inputs changed, and uploads it.
    fn pose_viewport(&mut self, ctx: &Context) {
        self.drop_stale_bind();
        self.follow_rig_clip();
        let clip = self.shows();
        let changes = self.session.as_mut().map_or_else(Vec::new, Session::take_changes);
        if changes.iter().any(|c| matches!(c, Change::Bound { .. } | Change::Tree)) {
            self.remake_scene(ctx);
        }
        if changes.contains(&Change::Look) {
            self.restore_scene(ctx);
        }
        if let Some(mut surface) = self.surface_context() {
            surface.tint(&changes);
        }
        self.color_bind();
        if let Some(session) = &self.session {
            let playback = &self.timeline.playback;
            let time = clip.as_ref().map_or(playback.time, |c| playback.seen_time(&c.clip));
            let shown = self.binding.shown_document(session);
            let document = self.rig.clip.seen(shown.document);
            let shown = viewport_renderer::ShownDocument { document, ..shown };
            self.renderer.set_deforming(shown.document, self.viewport.options.deforming);
            self.renderer.set_groups(shown.document);
            // A test pose of the *Bind* panel is also shown in Rig mode.
            let trial = self.binding.trial();
            let plays = trial.is_some() || self.rig_clip().is_some();
            let at_rest = self.mode.spec().edits_rest && !plays;
            self.renderer.set_loose(shown.document, self.mode.spec().edits_rest);
            let as_opened = self.mode.spec().compares == ComparedProperty::Pose
                && self.viewport.compared() == Compare::File
                && trial.is_none();
            let choice = viewport_renderer::ShownPose { as_opened, at_rest };
            self.painting.bending.purge(session.document());
            let bent = match trial {
                Some(trial) => trial.bend(),
                None => self.painting.bent().filter(|_| self.mode.spec().bends),
            };
            self.renderer.pose_anew(shown, &changes, clip.as_ref(), (time, choice), bent);
            let mix = clip.as_ref().and_then(|c| c.mix.as_ref());
            let playing = mix.map(|mix| self.renderer.playing(session.document(), mix, time));
            self.timeline.playing = playing.unwrap_or_default();
        }
        self.show_ghosts();
        self.follow_references();
        if let Some(mut surface) = self.surface_context() {
            surface.follow();
        }
    }

    /// Draws the viewport if it changed. This runs once per frame, after all input was handled.
    fn draw_viewport(&mut self, ctx: &Context, frame: &eframe::Frame) {
        let clip = self.shows();
        let Some(session) = &self.session else { return };
        let document = self.rig.clip.seen(self.binding.seen(session));
        let paints = self.mode.spec().paints_weights;
        let painting = paints
            .then(|| viewport_renderer::Painted { tint: self.painting.tint_kind(), edges: true });
        let painting = painting.or(self.bind_colors());
        let (now, held, stirs) = ctx.input(|i| {
            let scrolls = i.smooth_scroll_delta() != egui::Vec2::ZERO || i.zoom_delta() != 1.0;
            let held = i.pointer.any_down();
            (i.time, held || scrolls, held && i.pointer.delta() != egui::Vec2::ZERO)
        });
        let moves = held
            || self.timeline.playback.playing
            || self.viewport.transition.is_some()
            || self.is_gesture_open();
        let motion = ladder::Motion { now, moves, stirs, quality: self.program.settings.quality };
        let faded = if paints {
            self.painting.session().map_or_else(Default::default, |painted| {
                let (bones, size) = (self.renderer.bones(), self.renderer.size());
                painted.faded(bones, &self.viewport.camera, size)
            })
        } else {
            Default::default()
        };
        let beside = self.references.drawn();
        let seen = viewport_renderer::Seen {
            beside: &beside,
            bones_beside: self.references.bones(),
            faded: &faded,
            camera: &self.viewport.camera,
            selection: &self.outliner.selection,
            marks: &self.outliner.visibility,
            hover: self.outliner.hover,
            shown: self.viewport.options,
            painting,
            unkeyed: clip.as_ref().and_then(|c| Some(&**c.unkeyed.as_ref().map(|(_, pose)| pose)?)),
        };
        if let Some(seconds) =
            self.renderer.draw(frame.wgpu_render_state(), document, &seen, motion)
        {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(seconds.max(0.001)));
        }
    }

    /// Asks before closing the window with unsaved work.
    fn guard_close(&mut self, ctx: &Context) {
        if !ctx.input(|i| i.viewport().close_requested()) || self.window.leaving.is_some() {
            return;
        }
        // Waits for a running save, after which there may be no unsaved work.
        if self.is_writing() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.close_after_work(ctx);
            return;
        }
        let unsaved = self.session.as_ref().is_some_and(Session::is_unsaved);
        if unsaved && !self.window.may_close {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.dialogs.open = Some(Dialog::Unsaved { then: DeferredAction::Quit });
        }
    }

    fn dropped_files(&mut self, ctx: &Context) {
        let mut dropped: Vec<_> =
            ctx.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_owned()).collect());
        match dropped.len() {
            0 => {}
            _ if self.retargeting.is_some() => {
                self.read_source(ctx, dropped.remove(0), Conversion::default());
            }
            1 if dropped[0].is_dir() && self.session.is_some() => {
                self.import_from(ctx, &dropped[0])
            }
            1 => self.wish(ctx, DeferredAction::Open(dropped.remove(0))),
            // If a file is open, several dropped files supply clips. Otherwise the first file is
            // opened.
            _ if self.session.is_some() && !self.program.welcome => self.read_clips(ctx, dropped),
            _ => {
                let first = dropped.remove(0);
                self.files.dropped = Some((first.clone(), dropped));
                self.wish(ctx, DeferredAction::Open(first));
            }
        }
    }
}
