//! Gesture started by a handle or a key. Its value comes from pointer motion or typed text. It is
//! computed from the state at the start, so that errors do not accumulate.

use egui::{Event, Key, Modifiers, Ui};
use glam::{Quat, Vec2, Vec3};

use super::{
    Frame, frame,
    operation::{Limit, Operation},
    reference::{self, MovedReference},
};
use crate::ui::{
    View, edits,
    viewport::domain::{GizmoSpace, Pivot, SnapTo},
};
use ulna_edit::{Preset, command::Command, evaluate};
use ulna_geometry::{FinePointer, RingSight, RingTurn, along_axis, ball_turn, on_plane, snapped};
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Space};
use ulna_render::Camera;

/// Time in seconds for which snapping continues after Ctrl is released, because Ctrl is often
/// released slightly before the button.
const LINGERS: f64 = 0.12;
/// Radius of the trackball and of a ring seen edge-on, in points.
const RADIUS: f32 = 78.0;
/// Factor of pointer motion while Shift is held.
const FINE: f32 = 0.2;

/// Gesture in progress.
#[derive(Clone, Debug)]
pub struct Gesture {
    /// Operation of the gesture.
    pub operation: Operation,
    /// Axis or plane that the operation is limited to.
    pub limit: Limit,
    /// Frame of the gizmo, with its center and axes at the start.
    pub frame: Frame,
    /// Space of the axes.
    pub space: GizmoSpace,
    /// Nodes that the gesture poses.
    pub nodes: Vec<NodeId>,
    /// Whether a mouse button is held, and its release ends the gesture. Otherwise a click or a key
    /// ends it.
    pub held: bool,
    /// Value along each axis, in meters or as a factor. For a rotation, `x` is the angle in
    /// degrees.
    pub value: Vec3,
    /// Typed text per axis.
    pub typed: [String; 3],
    /// Index of the axis that typed text belongs to.
    pub field: usize,
    /// Point of the end joint that moves to the IK target, in node space; `None` for the joint's
    /// origin.
    pub(super) tip: Option<Vec3>,
    /// Whether the same axis was chosen twice, which switches to the alternative space.
    again: bool,
    own_axes: bool,
    pub(super) pivot: Pivot,
    start: Vec2,
    fine: FinePointer,
    ring: RingTurn,
    snapped_at: f64,
    /// Snap target of the held key; `None` without one.
    pub snap_to: Option<SnapTo>,
    /// Axis and angle in degrees of a trackball rotation.
    pub(super) ball: (Vec3, f32),
    /// The document at the start of the gesture.
    pub(super) document: Document,
    pub(super) pose: Pose,
    pub(super) shown: Option<Vec<Command>>,
    /// Reference model that is moved instead of nodes.
    pub(super) reference: Option<MovedReference>,
}

/// Joints that a gesture changes in Rig mode: the selected joints. A move includes their
/// descendants if children follow.
fn rig_nodes(view: &View<'_>, document: &Document, operation: Operation) -> Vec<NodeId> {
    let selected = &view.selection.nodes;
    let follows = operation == Operation::Move && view.rig.options.children_follow;
    let is_meant = |n: &NodeId| {
        let is_joint = view.joints.get(n.index()) == Some(&true);
        let is_below = || selected.iter().any(|s| document.is_above(*s, *n));
        selected.contains(n) || (follows && is_joint && is_below())
    };
    document.nodes.order().iter().copied().filter(is_meant).collect()
}

/// State of a gesture after a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The gesture continues.
    Goes,
    /// The gesture ends, and its result is kept.
    Kept,
    /// The gesture is canceled.
    Dropped,
    /// The gesture is canceled, and another operation starts on the same nodes.
    Another(Operation),
}

impl Gesture {
    /// Starts a gesture at a viewport point. Returns `None` if no node can be changed.
    pub fn begin(
        view: &View<'_>,
        frame: Frame,
        operation: Operation,
        limit: Limit,
        at: Vec2,
        held: bool,
    ) -> Option<Self> {
        let document = view.session?.document();
        let pivot = view.viewport.pivot;
        // With individual origins, all joints rotate, so a chain curls. With a shared pivot, only
        // top-level joints rotate, and descendants follow.
        let curls = operation == Operation::Rotate && pivot == Pivot::Each;
        let alone = matches!(operation, Operation::Reach | Operation::Swivel);
        let nodes = if view.mode.spec().edits_rest {
            rig_nodes(view, document, operation)
        } else if alone {
            frame.node.into_iter().collect()
        } else if curls {
            view.selection.nodes.iter().copied().collect()
        } else {
            view.selection.top_level_nodes(document)
        };
        let free = |n: &NodeId| !view.is_locked(*n) && view.pose.world.get(n.index()).is_some();
        let nodes: Vec<NodeId> = nodes.into_iter().filter(free).collect();
        let reference = MovedReference::of(view).filter(|_| frame.node.is_none());
        let nodes = if reference.is_some() { Vec::new() } else { nodes };
        let operation = match &reference {
            Some(_) => reference::operation(operation)?,
            None => operation,
        };
        let alone = alone && reference.is_none();
        if nodes.is_empty() && reference.is_none() {
            return None;
        }
        let mut gesture = Self {
            operation,
            limit,
            frame,
            space: view.viewport.space,
            nodes,
            held,
            value: if operation == Operation::Scale { Vec3::ONE } else { Vec3::ZERO },
            typed: Default::default(),
            field: 0,
            tip: None,
            again: false,
            own_axes: false,
            pivot,
            start: at,
            fine: FinePointer::new(at),
            ring: RingTurn::new(at),
            snapped_at: f64::NEG_INFINITY,
            snap_to: None,
            ball: (Vec3::Y, 0.0),
            document: document.clone(),
            pose: view.pose.clone(),
            shown: None,
            reference,
        };
        if let (true, Some(node)) = (alone && pivot != Pivot::Each, frame.node) {
            // An IK drag starts at the end of the limb, or at the custom pivot on the end joint.
            let spot =
                view.viewport.pivot_spot.filter(|(of, _)| pivot == Pivot::Spot && *of == node);
            gesture.tip = spot.map(|(_, at)| at).filter(|_| operation == Operation::Reach);
            let world = view.pose.world[node.index()];
            gesture.frame.origin = world.transform_point3(gesture.tip.unwrap_or_default());
        }
        gesture.set_space(view, view.viewport.space);
        gesture.field = gesture.first_field();
        Some(gesture)
    }

    /// Sets the space of the axes. Scaling along view axes is not possible, so it uses local axes.
    fn set_space(&mut self, view: &View<'_>, space: GizmoSpace) {
        let scales_in_view = self.operation == Operation::Scale && space == GizmoSpace::View;
        self.space = match (self.operation, space) {
            _ if scales_in_view => GizmoSpace::Of(Space::Local),
            // The position of an IK target does not depend on the axes of the limb's end.
            (Operation::Reach, GizmoSpace::Of(Space::Local)) if !self.own_axes => {
                GizmoSpace::Of(Space::World)
            }
            _ => space,
        };
        let camera = &view.viewport.camera;
        self.frame.axes = match (&self.reference, self.frame.node) {
            (Some(reference), _) => reference::axes(&reference.start, camera, self.space),
            (None, Some(node)) => frame::axes(&self.document, &self.pose, camera, node, self.space),
            (None, None) => self.frame.axes,
        };
    }

    const fn first_field(&self) -> usize {
        match (self.operation, self.limit) {
            (Operation::Rotate | Operation::Swivel | Operation::Roll, _)
            | (_, Limit::Free | Limit::View) => 0,
            (_, Limit::Axis(k)) => k,
            (_, Limit::Plane(k)) => (k + 1) % 3,
        }
    }

    /// Whether axis `k` has a number field.
    pub fn has_field(&self, k: usize) -> bool {
        match (self.operation, self.limit) {
            (Operation::Rotate | Operation::Swivel | Operation::Roll, _)
            | (Operation::Scale, Limit::Free | Limit::View) => k == 0,
            (_, Limit::Axis(axis)) => k == axis,
            (_, Limit::Plane(axis)) => k != axis,
            (
                Operation::Move | Operation::Reach | Operation::Extrude,
                Limit::Free | Limit::View,
            ) => true,
        }
    }

    /// Handles the keys that belong to the gesture.
    pub fn take_keys(&mut self, ui: &Ui, view: &View<'_>) -> Next {
        let keys = &view.settings.keys;
        let is_key = |o: &Operation, key: Key| {
            keys.keys(o.tool().name()).any(|name| name.eq_ignore_ascii_case(key.name()))
        };
        let blender = keys.preset() == Preset::Blender;
        let snaps = SnapTo::keys(keys.preset(), self.held);
        for event in ui.input(|i| i.events.clone()) {
            match event {
                Event::Text(text) => {
                    for c in text.chars() {
                        match c {
                            '-' | '−' if blender && self.has_number() => self.change_sign(),
                            ' ' => self.next_field(1),
                            c if c.is_ascii_digit() || "+-−*/().,".contains(c) => {
                                self.typed[self.field].push(c)
                            }
                            _ => {}
                        }
                    }
                }
                Event::Key { key, pressed: true, repeat, modifiers, .. } => {
                    match key {
                        Key::Enter => return Next::Kept,
                        Key::Space if blender => return Next::Kept,
                        Key::Escape => return Next::Dropped,
                        Key::Backspace => {
                            self.typed[self.field].pop();
                        }
                        Key::Tab => {
                            self.next_field(if modifiers.shift { 2 } else { 1 });
                        }
                        // These keys are read as held snap keys.
                        _ if self.operation.is_way() && snaps.iter().any(|(k, ..)| *k == key) => {}
                        Key::X | Key::Y | Key::Z if !modifiers.any() || modifiers.shift_only() => {
                            let k = [Key::X, Key::Y, Key::Z]
                                .iter()
                                .position(|a| *a == key)
                                .unwrap_or(0);
                            self.choose(
                                view,
                                if modifiers.shift { Limit::Plane(k) } else { Limit::Axis(k) },
                            );
                        }
                        // Tool keys switch the operation only while no mouse button is held.
                        _ if !self.held && !modifiers.any() && !repeat => {
                            let meant = Operation::ALL.into_iter().find(|o| is_key(o, key));
                            match meant {
                                // Pressing the rotate key again switches between trackball and view
                                // axis.
                                Some(Operation::Rotate) if self.operation == Operation::Rotate => {
                                    self.limit = if self.limit == Limit::Free {
                                        Limit::View
                                    } else {
                                        Limit::Free
                                    };
                                    self.restart();
                                }
                                Some(other) if other != self.operation => {
                                    return Next::Another(other);
                                }
                                _ => {}
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Next::Goes
    }

    /// Whether the typed text is a plain number, not an expression.
    fn has_number(&self) -> bool {
        let typed = self.typed[self.field].trim_start_matches(['-', '−']);
        !typed.is_empty() && typed.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
    }

    /// Changes the sign of the typed number.
    fn change_sign(&mut self) {
        let typed = &mut self.typed[self.field];
        *typed = match typed.strip_prefix(['-', '−']) {
            Some(number) => number.to_owned(),
            None => format!("-{typed}"),
        };
    }

    /// Moves typing to another axis.
    fn next_field(&mut self, step: usize) {
        let mut all = (1..=3).map(|k| (self.field + k * step) % 3);
        self.field = all.find(|k| self.has_field(*k)).unwrap_or(self.field);
    }

    /// Limits the gesture to an axis or plane. Choosing it again switches between local and world
    /// axes; a third time removes the limit.
    fn choose(&mut self, view: &View<'_>, limit: Limit) {
        let of_view = view.viewport.space;
        let (local, world) = (GizmoSpace::Of(Space::Local), GizmoSpace::Of(Space::World));
        // Blender: the first press uses the scene axes, and the second the selected space.
        let blender = view.settings.keys.preset() == Preset::Blender;
        let first = if blender { world } else { of_view };
        let other = match of_view {
            _ if self.operation == Operation::Reach => local,
            _ if blender && of_view != world => of_view,
            _ if of_view == local => world,
            _ => local,
        };
        if (self.operation == Operation::Rotate && matches!(limit, Limit::Plane(_)))
            || matches!(self.operation, Operation::Swivel | Operation::Roll)
        {
            return;
        }
        if self.limit != limit {
            self.limit = limit;
            (self.again, self.own_axes) = (false, false);
            self.set_space(view, first);
        } else if !self.again {
            (self.again, self.own_axes) = (true, true);
            self.set_space(view, other);
        } else {
            self.limit =
                if self.operation == Operation::Rotate { Limit::View } else { Limit::Free };
            (self.again, self.own_axes) = (false, false);
            self.set_space(view, of_view);
        }
        let typed = std::mem::take(&mut self.typed[self.field]);
        self.field = self.first_field();
        // A number typed before the axis applies to the axis.
        self.typed = Default::default();
        self.typed[self.field] = typed;
        self.restart();
    }

    /// Restarts the angle of a rotation at zero.
    fn restart(&mut self) {
        self.ring = RingTurn::new(self.fine.now());
        if self.operation == Operation::Rotate {
            self.start = self.fine.now();
        }
    }

    /// Updates the gesture from the pointer. Returns the commands of the preview if they changed.
    pub fn follow(
        &mut self,
        view: &View<'_>,
        pointer: Vec2,
        size: Vec2,
        modifiers: Modifiers,
        now: f64,
    ) -> Option<Vec<Command>> {
        if !self.follow_pointer(view, pointer, size, modifiers, now) {
            return None;
        }
        let commands =
            edits::posed(view, &self.document, &self.posed(view), |over| self.command(view, over));
        if self.shown.as_ref() == Some(&commands) {
            return None;
        }
        // Without motion there is no undo step.
        if self.shown.is_none() && self.is_nothing() {
            return None;
        }
        self.shown = Some(commands.clone());
        Some(commands)
    }

    /// Updates a rotation that is not an edit. Returns the scene axis and the angle in degrees
    /// since the start, if they changed.
    pub fn follow_bend(
        &mut self,
        view: &View<'_>,
        pointer: Vec2,
        size: Vec2,
        modifiers: Modifiers,
        now: f64,
    ) -> Option<(Vec3, f32)> {
        let before = (self.axis(), self.value.x);
        let goes = self.follow_pointer(view, pointer, size, modifiers, now);
        let bend = (self.axis(), self.value.x);
        (goes && bend != before).then_some(bend)
    }

    /// Updates the gesture from the pointer and the typed text. Returns whether the typed text is
    /// valid.
    pub(super) fn follow_pointer(
        &mut self,
        view: &View<'_>,
        pointer: Vec2,
        size: Vec2,
        modifiers: Modifiers,
        now: f64,
    ) -> bool {
        let Some(frame) = self.frame.seen(&view.viewport.camera, size) else { return false };
        self.frame = frame;
        if modifiers.command || view.viewport.snap {
            self.snapped_at = now;
        }
        let snaps = now - self.snapped_at < LINGERS;
        let factor = if modifiers.shift { FINE } else { 1.0 };
        let at = self.fine.follow(pointer, factor);
        match self.operation {
            Operation::Move | Operation::Reach | Operation::Extrude => {
                self.follow_move(view, at, size, snaps, modifiers.shift)
            }
            Operation::Rotate | Operation::Swivel | Operation::Roll => {
                self.follow_turn(view, at, size, snaps)
            }
            Operation::Scale => self.follow_scale(view, at, size, snaps),
        }
        // An incomplete expression changes nothing.
        self.take_typed(view)
    }

    /// Reads the typed numbers. Returns whether they are valid.
    fn take_typed(&mut self, view: &View<'_>) -> bool {
        let scale = match self.operation {
            Operation::Move | Operation::Reach | Operation::Extrude => {
                view.settings.length.per_meter()
            }
            Operation::Rotate | Operation::Swivel | Operation::Roll | Operation::Scale => 1.0,
        };
        // A new joint follows the pointer until a distance is typed.
        let is_new = self.operation == Operation::Extrude;
        if is_new && self.typed.iter().any(|text| !text.is_empty()) {
            self.value = Vec3::ZERO;
        }
        for k in 0..3 {
            if self.typed[k].is_empty() || !self.has_field(k) {
                continue;
            }
            let Some(value) = evaluate(&self.typed[k]) else { return false };
            self.value[k] = value as f32 / scale;
        }
        if self.operation == Operation::Scale
            && !self.typed[0].is_empty()
            && self.limit == Limit::Free
        {
            self.value = Vec3::splat(self.value.x);
        }
        true
    }

    pub(super) fn is_nothing(&self) -> bool {
        let none = if self.operation == Operation::Scale { Vec3::ONE } else { Vec3::ZERO };
        self.value == none && self.ball.1 == 0.0
    }

    fn follow_move(&mut self, view: &View<'_>, at: Vec2, size: Vec2, snaps: bool, fine: bool) {
        let camera = &view.viewport.camera;
        let (from, to) = (camera.ray(self.start, size), camera.ray(at, size));
        let frame = &self.frame;
        let sideways = |axis: Vec3| {
            // For an axis along the view direction, upward motion moves away from the camera.
            let away = (self.start.y - at.y) * frame.unit;
            if axis.dot(frame.sight) > 0.0 { -away } else { away }
        };
        let by_axis = |k: usize| {
            let way = |ray| along_axis(ray, frame.origin, frame.axes[k]);
            way(&to).zip(way(&from)).map_or_else(|| sideways(frame.axes[k]), |(to, from)| to - from)
        };
        let in_plane = |normal: Vec3| {
            let on = |ray| on_plane(ray, frame.origin, normal);
            on(&to).zip(on(&from)).map(|(to, from)| to - from)
        };
        let mut value = match self.limit {
            Limit::Axis(k) => {
                let mut value = Vec3::ZERO;
                value[k] = by_axis(k);
                value
            }
            Limit::Plane(k) => {
                let way = in_plane(frame.axes[k]).unwrap_or(Vec3::ZERO);
                let mut value = self.along(way);
                value[k] = 0.0;
                value
            }
            Limit::Free | Limit::View => {
                // Move in the plane that faces the camera, so that the node stays under the
                // pointer.
                let normal = -camera.forward();
                self.along(in_plane(normal).unwrap_or(Vec3::ZERO))
            }
        };
        let far = self.frame.unit * 1e5;
        value = value.clamp(Vec3::splat(-far), Vec3::splat(far));
        // Round to about the distance of one viewport point.
        let exact =
            10f32.powf(self.frame.unit.max(1e-9).log10().floor()) * if fine { 0.1 } else { 1.0 };
        let step = if snaps { view.viewport.snap_steps.length } else { exact };
        self.value = (value / step).round() * step;
        if let Some(to) = self.snap_to {
            self.follow_spot(view, to);
        }
    }

    /// Moves to the snap target instead of the pointer, as far as the axis limit allows.
    fn follow_spot(&mut self, view: &View<'_>, to: SnapTo) {
        let [x, y, z] = self.frame.axes;
        let from = self.frame.origin;
        let there = from + x * self.value.x + y * self.value.y + z * self.value.z;
        let spot = match to {
            SnapTo::Ground => Some(there.with_y(0.0)),
            SnapTo::Grid => {
                let step = view.viewport.snap_steps.length;
                Some((there / step).round() * step)
            }
            _ => view.viewport.sought.filter(|(of, _)| *of == to).and_then(|(_, at)| at),
        };
        let Some(spot) = spot else { return };
        let way = self.along(spot - from);
        self.value = match self.limit {
            Limit::Free | Limit::View => way,
            Limit::Axis(k) => {
                Vec3::from_array([0, 1, 2].map(|a| if a == k { way[a] } else { 0.0 }))
            }
            Limit::Plane(k) => {
                Vec3::from_array([0, 1, 2].map(|a| if a == k { 0.0 } else { way[a] }))
            }
        };
    }

    /// Converts a scene vector to components along the axes, which may be oblique.
    fn along(&self, way: Vec3) -> Vec3 {
        let [x, y, z] = self.frame.axes;
        let from_axes = glam::Mat3::from_cols(x, y, z);
        if from_axes.determinant().abs() < 1e-3 {
            return Vec3::new(way.dot(x), way.dot(y), way.dot(z));
        }
        from_axes.inverse() * way
    }

    fn follow_turn(&mut self, view: &View<'_>, at: Vec2, size: Vec2, snaps: bool) {
        let camera = &view.viewport.camera;
        let step = snaps.then_some(view.viewport.snap_steps.angle);
        if self.limit == Limit::Free && self.operation == Operation::Rotate {
            let (axis, angle) = ball_turn(at - self.start, RADIUS, camera.right(), camera.up());
            self.ball = (axis, snapped(angle.to_degrees(), step));
            self.value = Vec3::new(self.ball.1, 0.0, 0.0);
            return;
        }
        self.ball = (Vec3::Y, 0.0);
        let seen = |at: Vec3| camera.project(at, size).map_or(self.frame.center, |(p, _)| p);
        let (axis, center) = match (self.operation, self.frame.swivel) {
            (Operation::Swivel, Some(swivel)) => {
                let middle = swivel.root + (swivel.elbow - swivel.root).project_onto(swivel.axis);
                (swivel.axis, seen(middle))
            }
            (Operation::Roll, _) => {
                (self.axis(), self.frame.roll.map_or(self.frame.center, |roll| seen(roll.middle)))
            }
            _ => (self.axis(), self.frame.center),
        };
        let facing = axis.dot(self.frame.sight);
        let sight = if facing.abs() > 0.15 {
            RingSight::Round { center, toward: facing > 0.0 }
        } else {
            let tangent = axis.cross(self.frame.sight).normalize_or(Vec3::X);
            let step = camera
                .project(self.frame.origin + tangent * camera.distance * 0.01, size)
                .map_or(Vec2::X, |(p, _)| p - self.frame.center);
            RingSight::Edge { along: step.normalize_or(Vec2::X), radius: RADIUS }
        };
        let turned = self.ring.follow(sight, at, 1.0);
        self.value = Vec3::new(snapped(turned.to_degrees(), step), 0.0, 0.0);
    }

    fn follow_scale(&mut self, view: &View<'_>, at: Vec2, size: Vec2, snaps: bool) {
        let camera = &view.viewport.camera;
        let (from, to) = (self.start.distance(self.frame.center), at.distance(self.frame.center));
        // If the drag starts near the center, there is no distance to compare with, so horizontal
        // motion scales.
        let round = if from > 12.0 { to / from } else { 1.0 + (at.x - self.start.x) / RADIUS };
        let factor = match self.limit {
            Limit::Axis(k) if self.held => {
                let way =
                    |p| along_axis(&camera.ray(p, size), self.frame.origin, self.frame.axes[k]);
                match way(at).zip(way(self.start)) {
                    Some((to, from)) if from.abs() > self.frame.unit * 4.0 => to / from,
                    _ => round,
                }
            }
            _ => round,
        };
        let step = if snaps { view.viewport.snap_steps.factor } else { 0.01 };
        let factor = (factor / step).round() * step;
        let factor = if factor.abs() < 1e-3 { 1e-3 } else { factor.clamp(-1e4, 1e4) };
        self.value = match self.limit {
            Limit::Free | Limit::View => Vec3::splat(factor),
            Limit::Axis(k) => {
                let mut value = Vec3::ONE;
                value[k] = factor;
                value
            }
            Limit::Plane(k) => {
                let mut value = Vec3::splat(factor);
                value[k] = 1.0;
                value
            }
        };
    }

    /// Rotation axis, in scene space.
    pub fn axis(&self) -> Vec3 {
        if let Some(roll) = self.frame.roll.filter(|_| self.operation == Operation::Roll) {
            return roll.axis;
        }
        match self.limit {
            Limit::Axis(k) | Limit::Plane(k) => self.frame.axes[k],
            Limit::View => self.frame.sight,
            Limit::Free => self.ball.0,
        }
    }

    /// Frame of the gizmo at the current state of the drag.
    pub fn seen(&self, camera: &Camera, size: Vec2) -> Option<Frame> {
        let mut frame = self.frame.seen(camera, size)?;
        if let Some(roll) = frame.roll.as_mut().filter(|_| self.operation == Operation::Roll) {
            roll.out = Quat::from_axis_angle(roll.axis, self.value.x.to_radians()) * roll.out;
        }
        Some(frame)
    }

    /// Sets the point of the node that an IK drag moves to the target, in node space (`tip`) and in
    /// scene space (`from`).
    pub fn hold_by(&mut self, tip: Option<Vec3>, from: Vec3) {
        self.tip = tip;
        self.frame.origin = from;
    }

    /// Title of the undo step.
    pub fn label(&self) -> String {
        let title = self.operation.title();
        if let Some(reference) = &self.reference {
            return format!("{title} {}", reference.name);
        }
        match self.nodes[..] {
            [one] => format!("{title} {}", self.document.node(one).label(one)),
            _ => format!("{title} {} joints", self.nodes.len()),
        }
    }

    /// Name of the posed nodes, or their number.
    pub fn what(&self) -> String {
        if let Some(reference) = &self.reference {
            return reference.name.clone();
        }
        match self.nodes[..] {
            [one] => self.document.node(one).label(one),
            _ => format!("{} joints", self.nodes.len()),
        }
    }

    /// Position of the press, in viewport points.
    pub const fn start(&self) -> Vec2 {
        self.start
    }
}
