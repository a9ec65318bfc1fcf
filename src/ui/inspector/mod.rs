//! The inspector: number fields for the active node's pose offset (`Ul`), rest transform (`L`) and
//! world transform (`W`).

mod blending;
mod edited;
mod facts;
mod field_menu;
mod fields;
mod key_tangents;
mod key_values;
mod keys;
mod layer_rows;
mod layers;
mod limb;
mod mix_fields;
mod mixing;
mod morphs;
mod reference;
mod repair;
mod sections;
mod skin;

use egui::{RichText, ScrollArea, Ui, vec2};
use glam::Vec3;

use self::{
    field_menu::{FieldRow, field_menus},
    fields::{Edited, Order, RowFormat, RowLocks, Triple, triple_ui},
    sections::{key_mark, section},
};
use super::{
    Action, Actions, AssetRef, ProgramAction, Theme, View,
    beside::Beside,
    edits,
    theme::Font,
    widgets::{node_icon, panel_title},
};
use crate::ui::drop_down::{combo_box, option_row};
use ulna_edit::{
    Command,
    command::{
        Channels, LockChannels, PoseDestination, Reset, SetUser, SetWorld, ToolCommand,
        field::Nodes,
    },
};
use ulna_model::{ClipId, Derived, Document, Local, NodeId, Property, RestSource, Transform};
use ulna_render::ColorRole;
use ulna_session::Session;

/// State of the inspector between frames. It stores typed Euler angles, because the same rotation
/// has several sets of angles.
#[derive(Clone, Debug, Default)]
pub struct InspectorState {
    angles: Vec<(NodeId, &'static str, glam::Quat, Vec3)>,
    /// Displayed Euler order of rotations.
    order: Order,
    /// Facts about the displayed clip.
    clip: Beside<(u64, ClipId), facts::ClipFacts>,
    /// Facts about the loop seam that is being repaired.
    seam: Derived<repair::FoundOf, repair::SeamFacts>,
    /// State of the mix section.
    mixing: mixing::MixingState,
    /// State of the limb section, such as a swivel drag.
    swivel: limb::Swivel,
    /// State of the section about a joint's skins.
    skins: skin::Apart,
    /// State of the layers section.
    layers: layer_rows::LayersState,
    /// Euler angles that were typed for a reference model.
    reference: reference::ReferenceAngles,
    /// Differences from the file as opened.
    edited: edited::EditedState,
    /// A limb end that is moved by typed numbers without IK, and its original scene position.
    torn: Option<(NodeId, Vec3)>,
}

impl InspectorState {
    /// Euler angles of a rotation in degrees: the last typed angles if they still match, else
    /// computed ones.
    fn degrees(&self, node: NodeId, section: &'static str, rotation: glam::Quat) -> Vec3 {
        let kept = self
            .angles
            .iter()
            .find(|(n, s, q, _)| *n == node && *s == section && q.dot(rotation).abs() > 1.0 - 1e-6);
        kept.map_or_else(|| self.order.degrees(rotation), |(.., degrees)| *degrees)
    }

    fn keep(&mut self, node: NodeId, section: &'static str, degrees: Vec3) {
        self.angles.retain(|(n, s, ..)| *n == node && *s != section);
        self.angles.push((node, section, self.order.rotation(degrees), degrees));
    }
}

pub use self::repair::{changed_keys, repaired};

pub fn inspector_ui(
    state: &mut InspectorState,
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        if let (Some(session), Some(repair)) = (view.session, view.timeline.repair)
            && view.shown_clip() == Some(repair.clip)
        {
            let (document, generation) = (session.document(), session.generation());
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                repair::repair_ui(&mut state.seam, ui, view, document, generation, repair, actions);
            });
            return;
        }
        // The section of a selected mixer bar replaces the inspector until the user closes it.
        if let Some(session) = view.session
            && view.mixes()
        {
            let of = (session.document(), session.generation());
            let scroll = ScrollArea::vertical().id_salt("mixing").auto_shrink([false, false]);
            if view.timeline.mix_bar.is_some()
                && scroll
                    .show(ui, |ui| mixing::mixing_ui(&mut state.mixing, ui, view, of, actions))
                    .inner
            {
                return;
            }
        }
        let Some(session) = view.session else {
            panel_title(ui, theme, "Inspector");
            ui.label(RichText::new("No file is open.").color(theme.color(ColorRole::TextTertiary)));
            return;
        };
        let document = session.document();
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            if let Some(facts) = view.references.selected() {
                reference::reference_ui(&mut state.reference, ui, view, facts, actions);
                return;
            }
            let order = state.order;
            panel_title(ui, theme, "Inspector");
            layers::layers_ui(
                &mut state.layers,
                &mut |q| order.degrees(q),
                &mut |d| order.rotation(d),
                ui,
                view,
                document,
                actions,
            );
            if let Some(thing) = view.inspected {
                facts::thing(ui, theme, document, thing);
                return;
            }
            keys::keys_ui(ui, view, actions);
            if view.selection.active.is_none() {
                limb::pins_ui(ui, view, document, actions);
            }
            let Some(node) = view.selection.active else {
                no_node_ui(state, ui, view, session, actions);
                return;
            };
            header(ui, view, document, node);
            let locked = view.visibility.locked.contains(&node);
            if locked {
                let text = "Locked. Unlock this node in the outliner to pose it.";
                ui.label(
                    RichText::new(text)
                        .font(Theme::font(Font::Small))
                        .color(theme.color(ColorRole::SeverityWarning)),
                );
            }
            ui.add_enabled_ui(!locked, |ui| {
                node_sections(state, ui, view, document, node, actions);
                morphs::morphs_ui(ui, view, document, node, actions);
                limb::limb_ui(&mut state.swivel, ui, view, document, node, actions);
            });
            edited::edited_ui(&mut state.edited, ui, view, session, actions);
            if let Some(skin) = document.node(node).skin {
                facts::thing(ui, theme, document, AssetRef::Skin(skin));
            }
            if let Some(mesh) = document.node(node).mesh {
                facts::thing(ui, theme, document, AssetRef::Mesh(mesh));
            }
        });
    });
}

/// Draws the inspector without a selected node: facts about the shown clip and the file.
fn no_node_ui(
    state: &mut InspectorState,
    ui: &mut Ui,
    view: &View<'_>,
    session: &Session,
    actions: &mut Actions,
) {
    let (theme, document) = (view.theme, session.document());
    let text = if view.selected_keys().is_empty() {
        "Nothing is selected. Click a joint, the model, or a row in the outliner."
    } else {
        "No joint is selected. Click a joint, the model, or a row in the outliner."
    };
    ui.add(
        egui::Label::new(RichText::new(text).color(theme.color(ColorRole::TextTertiary))).wrap(),
    );
    if let Some(clip) = view.shown_clip() {
        facts::clip(&mut state.clip, ui, theme, (session.history().revision(), document), clip);
    }
    edited::edited_ui(&mut state.edited, ui, view, session, actions);
    facts::file(ui, theme, session);
}

fn header(ui: &mut Ui, view: &View<'_>, document: &Document, node: NodeId) {
    let theme = view.theme;
    let label = document.node(node).label(node);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 24.0), egui::Sense::hover());
        node_icon(
            ui.painter(),
            view,
            document,
            node,
            rect.center(),
            theme.color(ColorRole::SelectionBase),
        );
        ui.add(
            egui::Label::new(
                RichText::new(&label)
                    .font(Theme::font(Font::Heading))
                    .color(theme.color(ColorRole::TextPrimary)),
            )
            .truncate(),
        );
    });
    let mut facts = vec![format!("node {}", node.0)];
    if view.joints[node.index()] {
        facts.insert(0, "joint".into());
    }
    if let Some(mesh) = document.node(node).mesh {
        facts.push(format!(
            "{} vertices",
            super::widgets::thousands(document.mesh(mesh).vertex_count())
        ));
    }
    if view.selection.nodes.len() > 1 {
        facts.push(format!("{} selected", view.selection.nodes.len()));
    }
    ui.label(
        RichText::new(facts.join(" · "))
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary)),
    );
    ui.add_space(4.0);
}

fn node_sections(
    state: &mut InspectorState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let rest = document.node(node).rest.transform();
    let note = match view.shown_clip() {
        Some(_) => format!("change from rest, at {:.3} s", view.timeline.playback.time),
        None => "change from rest".to_owned(),
    };
    let posed = view.shown_clip().is_none() && document.node(node).pose.is_some();
    if section(ui, theme, "Ul", "Pose", &note, posed) {
        actions.push(Action::Run(
            Reset { node: Some(Nodes::one(node)), parts: None, over: PoseDestination::FILE }.into(),
        ));
    }
    match rest.user_from(&view.pose.local[node.index()].transform()) {
        Ok(user) => {
            for property in Property::TRS {
                user_row(state, ui, view, document, (node, rest, user), property, actions);
            }
        }
        Err(error) => {
            let text = format!("Cannot be edited: {error}.");
            ui.add(
                egui::Label::new(RichText::new(text).color(theme.color(ColorRole::TextSecondary)))
                    .wrap(),
            );
        }
    }
    let source = match (document.node(node).rest_source, document.node(node).rest) {
        (RestSource::Bind, _) => "from the bind pose, read-only",
        (RestSource::Extras, _) => "from the file's extras, read-only",
        (RestSource::Pose, _) => "from a pose, read-only",
        (RestSource::File, Local::Matrix(_)) => "matrix in the file, read-only",
        (RestSource::File, Local::Trs(_)) => "from the file, read-only",
    };
    section(ui, theme, "L", "Rest", source, false);
    let rows = [
        (Triple::length("L translation", view.settings.length), rest.translation),
        (Triple::angle("L rotation"), state.order.degrees(rest.rotation)),
        (Triple::factor("L scale"), rest.scale),
    ];
    for (triple, values) in rows {
        let shape = triple.shape(rest.rotation, state.order);
        triple_ui(ui, theme, &triple, values, false, &shape);
    }
    world_section(state, ui, view, document, node, actions);
    skin::skin_ui(&mut state.skins, ui, view, (document, node), actions);
}

/// A node with its rest and its user-local transform.
type Posed = (NodeId, Transform, Transform);

/// Draws a row of `Ul`. An edit changes all selected nodes.
fn user_row(
    state: &mut InspectorState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    active: Posed,
    property: Property,
    actions: &mut Actions,
) {
    let (node, _, user) = active;
    let (values, triple) = match property {
        Property::Translation => {
            (user.translation, Triple::length("Ul translation", view.settings.length))
        }
        Property::Rotation => {
            (state.degrees(node, "Ul", user.rotation), Triple::angle("Ul rotation"))
        }
        Property::Scale | Property::Weights => (user.scale, Triple::factor("Ul scale")),
    };
    let parts = |t: &Transform| match property {
        Property::Translation => t.translation,
        Property::Rotation => state.order.degrees(t.rotation),
        Property::Scale | Property::Weights => t.scale,
    };
    let others = others(view, document, node);
    let differs =
        |axis: usize| others.iter().any(|(_, _, t)| (parts(t)[axis] - values[axis]).abs() > 5e-4);
    let locks = RowLocks { is_shown: true, ..row_locks(state.order, document, node, property) };
    let shape = RowFormat {
        mixed: [0, 1, 2].map(differs),
        locks,
        ..triple.shape(user.rotation, state.order)
    };
    let mut edited = triple_ui(ui, view.theme, &triple, values, true, &shape);
    let (ids, fields) = (ids_of(node, &others), std::mem::take(&mut edited.fields));
    let now = || {
        let all = std::iter::once(&active).chain(&others);
        all.filter_map(|(id, rest, user)| set_user(view, *id, rest, user, property)).collect()
    };
    let row = FieldRow {
        view,
        document,
        nodes: &ids,
        property,
        values: values * triple.shown_factor(),
        mixed: shape.mixed,
        locked: Some([0, 1, 2].map(|axis| locks.axes[axis])),
        is_own: true,
        factor: triple.shown_factor(),
        commands: &now,
    };
    field_menus(&row, &fields, &mut edited, actions);
    let clip = view.shown_clip().and_then(|c| view.keys_clip(document, c));
    let track = clip.and_then(|c| c.track(node, property)).map(|(_, track)| track.clone());
    key_mark(ui, view, track.as_deref(), edited.slot);
    let nodes: Vec<Posed> = std::iter::once(active).chain(others).collect();
    let commands: Vec<Command> = nodes
        .iter()
        .filter_map(|posed| {
            set_user(
                view,
                posed.0,
                &posed.1,
                &changed(state, &edited, *posed, node, property)?,
                property,
            )
        })
        .collect();
    if let Some(axis) = edited.lock {
        let axis = Some(axis).filter(|_| !locks.as_one);
        let on = Some(!axis.map_or(locks.axes == [true; 3], |k| locks.axes[k]));
        let channels = Some(Channels::of(property, axis));
        let lock = LockChannels { node: Nodes::Ids(ids.clone()), channels, on };
        actions.push(Action::Run(lock.into()));
    }
    if !commands.is_empty() {
        let verb = match property {
            Property::Translation => "Move",
            Property::Rotation => "Rotate",
            Property::Scale | Property::Weights => "Scale",
        };
        let label = match commands.len() {
            1 => format!("{verb} {}", document.node(node).label(node)),
            n => format!("{verb} {n} nodes"),
        };
        let commands = edits::with_other_side(view, &ids, commands);
        actions.push(Action::Preview { label, commands });
    }
    if edited.done {
        actions.push(Action::Commit);
    }
}

/// The active node, followed by the other selected nodes.
fn ids_of(node: NodeId, others: &[Posed]) -> Vec<NodeId> {
    std::iter::once(node).chain(others.iter().map(|posed| posed.0)).collect()
}

/// Locks of one property of a node, as a row shows them.
fn row_locks(order: Order, document: &Document, node: NodeId, property: Property) -> RowLocks {
    let as_one = property == Property::Rotation && order != Order::Xyz;
    RowLocks { axes: document.node(node).locks.of(property), is_shown: false, as_one }
}

/// New transform of a node after an edit of the active node's row; `None` if there was no edit.
/// Other nodes only get the changed component.
fn changed(
    state: &mut InspectorState,
    edited: &Edited,
    (id, _, now): Posed,
    active: NodeId,
    property: Property,
) -> Option<Transform> {
    let mut wanted = now;
    let axes = if edited.all { 0..3 } else { edited.axis..edited.axis + 1 };
    if let Some(rotation) = edited.quaternion {
        wanted.rotation = rotation;
        return Some(wanted);
    }
    let values = edited.values?;
    match property {
        Property::Rotation => {
            let mut angles = if id == active { values } else { state.order.degrees(now.rotation) };
            axes.clone().for_each(|axis| angles[axis] = values[axis]);
            if id == active {
                state.keep(active, "Ul", angles);
            }
            wanted.rotation = state.order.rotation(angles);
        }
        Property::Translation => axes.for_each(|axis| wanted.translation[axis] = values[axis]),
        Property::Scale | Property::Weights => {
            axes.for_each(|axis| wanted.scale[axis] = values[axis])
        }
    }
    Some(wanted)
}

/// Draws the header of `W`, with the choice of the Euler order.
fn world_header(state: &mut InspectorState, ui: &mut Ui, theme: &Theme) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        section(ui, theme, "W", "World", "in the scene", false);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let shown = RichText::new(state.order.title()).font(Theme::font(Font::NumberSmall));
            let combo = combo_box("order").selected_text(shown).width(64.0).show_ui(ui, |ui| {
                for order in Order::ALL {
                    if option_row(ui, state.order == order, order.title()).clicked() {
                        state.order = order;
                        state.angles.clear();
                    }
                }
            });
            let name = format!("Rotation order: {}", state.order.title());
            combo
                .response
                .widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &name));
            combo.response.on_hover_text("Euler rotation order of the fields, or the quaternion");
        });
    });
}

fn world_section(
    state: &mut InspectorState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let theme = view.theme;
    world_header(state, ui, theme);
    let local = view.pose.local[node.index()].transform();
    let world = Transform::decompose(&view.pose.world[node.index()], &local);
    for property in [Property::Translation, Property::Rotation, Property::Scale] {
        let degrees = state.degrees(node, "W", world.transform.rotation);
        let (values, triple) = match property {
            Property::Translation => {
                (world.transform.translation, Triple::length("W translation", view.settings.length))
            }
            Property::Rotation => (degrees, Triple::angle("W rotation")),
            Property::Scale | Property::Weights => {
                (world.transform.scale, Triple::factor("W scale"))
            }
        };
        // A locked axis affects all numbers of the row in scene space.
        let locks = RowLocks { as_one: true, ..row_locks(state.order, document, node, property) };
        let shape = RowFormat { locks, ..triple.shape(world.transform.rotation, state.order) };
        let edited = triple_ui(ui, theme, &triple, values, property != Property::Scale, &shape);
        if edited.values.is_some() || edited.quaternion.is_some() {
            let values = edited.values.unwrap_or(values);
            let mut wanted = world.transform;
            if property == Property::Rotation {
                wanted.rotation = match edited.quaternion {
                    Some(rotation) => rotation,
                    None => {
                        state.keep(node, "W", values);
                        state.order.rotation(values)
                    }
                };
            } else {
                wanted.translation = values;
            }
            let label = format!("Pose {}", document.node(node).label(node));
            let limb = (property == Property::Translation)
                .then(|| limb::ended_by(view, document, node))
                .flatten();
            let reaches = view.viewport.tool == ToolCommand::Drag;
            let command = match (view.shown_clip(), &limb) {
                (_, Some(_)) if reaches => None,
                (None, _) => Some(
                    SetWorld { node: Nodes::one(node), to: edits::component(&wanted, property) }
                        .into(),
                ),
                (Some(_), _) => view
                    .pose
                    .local_for_world(document, node, &wanted.matrix())
                    .ok()
                    .and_then(|l| edits::over_shown_clip(view, node, &l.transform, property)),
            };
            let commands = match limb {
                Some(limb) if reaches => limb::put(view, document, node, &limb, values),
                Some(_) => {
                    state.torn = state
                        .torn
                        .filter(|(n, _)| *n == node)
                        .or(Some((node, world.transform.translation)));
                    edits::with_other_side(view, &[node], command.into_iter().collect())
                }
                None => edits::with_other_side(view, &[node], command.into_iter().collect()),
            };
            if !commands.is_empty() {
                actions.push(Action::Preview { label, commands });
            }
        }
        if edited.done {
            actions.push(Action::Commit);
            let to = edited.values.unwrap_or(values);
            if let Some((torn, from)) =
                state.torn.take().filter(|_| property == Property::Translation)
                && torn == node
                && from.distance(to) > limb::TORN
            {
                actions.push(ProgramAction::Torn { node, to, by: from.distance(to) });
            }
        }
    }
    if world.residue > 1e-3 {
        let text = "Non-uniform parent scale shears this node. The values shown ignore the shear.";
        ui.add(
            egui::Label::new(
                RichText::new(text)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::SeverityWarning)),
            )
            .wrap(),
        );
    }
}

/// The other selected nodes that are not locked, with their rests and their `Ul`.
fn others(
    view: &View<'_>,
    document: &Document,
    node: NodeId,
) -> Vec<(NodeId, Transform, Transform)> {
    let free = |n: &NodeId| *n != node && !view.visibility.locked.contains(n);
    let found = view.selection.nodes.iter().copied().filter(free).filter_map(|n| {
        let rest = document.node(n).rest.transform();
        let user = rest.user_from(&view.pose.local[n.index()].transform()).ok()?;
        Some((n, rest, user))
    });
    found.take(512).collect()
}

/// Command that sets a node's `Ul` at the current destination of edits.
fn set_user(
    view: &View<'_>,
    node: NodeId,
    rest: &Transform,
    wanted: &Transform,
    property: Property,
) -> Option<Command> {
    if view.shown_clip().is_some() || view.layers.any_of_pose {
        return edits::over_shown_clip(view, node, &rest.compose(wanted), property);
    }
    Some(SetUser { node: Nodes::one(node), to: edits::component(wanted, property) }.into())
}
