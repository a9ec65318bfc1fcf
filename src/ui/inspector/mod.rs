//! The inspector: the active node's `Ul`, `L` and `W` by number.

mod fields;

use egui::{RichText, ScrollArea, Ui, vec2};
use egui_material_icons::icons;
use glam::Vec3;

use self::fields::{Triple, euler_degrees, from_euler_degrees, triple_ui};
use super::{
    Action, Actions, Theme, View, edits, node_text,
    theme::Font,
    widgets::{diamond, icon_button, joint_icon, paint_icon, panel_title},
};
use crate::{
    edit::CommandLine,
    model::{Document, Local, NodeId, Property, RestSource, Transform},
};

/// What the inspector keeps: the Euler angles a person is typing, so that they do not jump to another spelling of the
/// same rotation.
#[derive(Clone, Debug, Default)]
pub struct InspectorState {
    angles: Vec<(NodeId, &'static str, glam::Quat, Vec3)>,
}

impl InspectorState {
    /// Degrees for a rotation: those last typed, if they still mean it.
    fn degrees(&self, node: NodeId, section: &'static str, rotation: glam::Quat) -> Vec3 {
        let kept =
            self.angles.iter().find(|(n, s, q, _)| *n == node && *s == section && q.dot(rotation).abs() > 1.0 - 1e-6);
        kept.map_or_else(|| euler_degrees(rotation), |(.., degrees)| *degrees)
    }

    fn keep(&mut self, node: NodeId, section: &'static str, degrees: Vec3) {
        self.angles.retain(|(n, s, ..)| *n == node && *s != section);
        self.angles.push((node, section, from_euler_degrees(degrees), degrees));
    }
}

pub fn inspector_ui(state: &mut InspectorState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        panel_title(ui, theme, "Inspector");
        let (Some(session), Some(node)) = (view.session, view.selection.active) else {
            let text = if view.session.is_some() {
                "Nothing is selected. Click a joint, the skin, or a row of the outliner."
            } else {
                "No file is open."
            };
            ui.add(egui::Label::new(RichText::new(text).color(theme.color("text.tertiary"))).wrap());
            if let Some(session) = view.session {
                file_facts(ui, theme, session);
            }
            return;
        };
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            header(ui, view, session.document(), node);
            node_sections(state, ui, view, session.document(), node, actions);
        });
    });
}

fn file_facts(ui: &mut Ui, theme: &Theme, session: &crate::session::Session) {
    let document = session.document();
    ui.add_space(12.0);
    let fact = |ui: &mut Ui, name: &str, value: String| {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(88.0, 20.0), egui::Sense::hover());
            ui.painter().text(
                rect.left_center(),
                egui::Align2::LEFT_CENTER,
                name,
                Theme::font(Font::Body),
                theme.color("text.secondary"),
            );
            ui.add(egui::Label::new(RichText::new(value).color(theme.color("text.primary"))).truncate());
        });
    };
    fact(ui, "File", session.file_name());
    fact(ui, "Made by", session.generator.clone().unwrap_or_else(|| "unknown".into()));
    fact(ui, "Nodes", document.nodes.len().to_string());
    fact(ui, "Skins", document.skins.len().to_string());
    fact(ui, "Meshes", document.meshes.len().to_string());
    fact(ui, "Materials", document.materials.len().to_string());
    fact(ui, "Images", document.images.len().to_string());
    if !session.extensions_used.is_empty() {
        fact(ui, "Extensions", session.extensions_used.join(", "));
    }
}

fn header(ui: &mut Ui, view: &View<'_>, document: &Document, node: NodeId) {
    let theme = view.theme;
    let label = document.node(node).label(node);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 24.0), egui::Sense::hover());
        if view.joints[node.index()] {
            joint_icon(ui.painter(), rect.center(), theme.color("selection.base"));
        } else {
            paint_icon(ui.painter(), rect.center(), icons::ICON_DEPLOYED_CODE, 16.0, theme.color("selection.base"));
        }
        ui.add(
            egui::Label::new(RichText::new(&label).font(Theme::font(Font::Heading)).color(theme.color("text.primary")))
                .truncate(),
        );
    });
    let mut facts = vec![format!("node {}", node.0)];
    if view.joints[node.index()] {
        facts.insert(0, "joint".into());
    }
    if let Some(mesh) = document.node(node).mesh {
        facts.push(format!("{} vertices", super::status::thousands(document.mesh(mesh).vertex_count())));
    }
    if view.selection.nodes.len() > 1 {
        facts.push(format!("{} selected", view.selection.nodes.len()));
    }
    ui.label(RichText::new(facts.join(" · ")).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")));
    ui.add_space(4.0);
}

/// A section's symbol, title and note.
fn section(ui: &mut Ui, theme: &Theme, symbol: &str, title: &str, note: &str, reset: bool) -> bool {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let frame = egui::Frame::new()
            .fill(theme.color("surface.control"))
            .corner_radius(3)
            .inner_margin(egui::Margin::symmetric(6, 1));
        frame.show(ui, |ui| {
            ui.label(RichText::new(symbol).font(Theme::font(Font::NumberSmall)).color(theme.color("text.primary")))
        });
        ui.label(RichText::new(title).font(Theme::font(Font::Heading)).color(theme.color("text.primary")));
        ui.label(RichText::new(note).font(Theme::font(Font::Small)).color(theme.color("text.tertiary")));
        if !reset {
            return false;
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            icon_button(ui, theme, icons::ICON_RESTART_ALT, "Reset to rest", "Alt+E", false, Ok(())).clicked()
        })
        .inner
    })
    .inner
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
    let local = view.pose.local[node.index()].transform();
    let user = rest.user_from(&local);
    let note = match view.shown_clip() {
        Some(_) => format!("over rest, at {:.3} s", view.playback.time),
        None => "over rest".to_owned(),
    };
    let posed = view.shown_clip().is_none() && document.node(node).user.is_some();
    if section(ui, theme, "Ul", "Yours", &note, posed) {
        actions.push(Action::Run(CommandLine::new("pose.reset").with("node", node_text(document, node))));
    }
    match user {
        Ok(user) => {
            let keyed = |property| {
                view.shown_clip()
                    .and_then(|c| document.clips.get(&c))
                    .and_then(|c| c.track(node, property).map(|(_, t)| t.clone()))
            };
            for property in Property::TRS {
                let degrees = state.degrees(node, "Ul", user.rotation);
                let (values, triple) = match property {
                    Property::Translation => (user.translation, Triple::length("Ul translation")),
                    Property::Rotation => (degrees, Triple::angle("Ul rotation")),
                    Property::Scale | Property::Weights => (user.scale, Triple::factor("Ul scale")),
                };
                let edited = triple_ui(ui, theme, &triple, values, true);
                key_mark(ui, view, keyed(property).as_deref(), edited.slot);
                if let Some(values) = edited.values {
                    let mut wanted = user;
                    match property {
                        Property::Translation => wanted.translation = values,
                        Property::Rotation => {
                            state.keep(node, "Ul", values);
                            wanted.rotation = from_euler_degrees(values);
                        }
                        Property::Scale | Property::Weights => wanted.scale = values,
                    }
                    preview_user(view, document, node, &rest, &wanted, property, values, actions);
                }
                if edited.done {
                    actions.push(Action::Commit);
                }
            }
        }
        Err(error) => {
            let text = format!("Cannot be edited: {error}.");
            ui.add(egui::Label::new(RichText::new(text).color(theme.color("text.secondary"))).wrap());
        }
    }
    let source = match (document.node(node).rest_source, document.node(node).rest) {
        (RestSource::Bind, _) => "from bind, read only",
        (RestSource::Extras, _) => "remembered, read only",
        (RestSource::File, Local::Matrix(_)) => "a matrix in the file, read only",
        (RestSource::File, Local::Trs(_)) => "as in the file, read only",
    };
    section(ui, theme, "L", "Rest", source, false);
    let rows = [
        (Triple::length("L translation"), rest.translation),
        (Triple::angle("L rotation"), euler_degrees(rest.rotation)),
        (Triple::factor("L scale"), rest.scale),
    ];
    for (triple, values) in rows {
        triple_ui(ui, theme, &triple, values, false);
    }
    world_section(state, ui, view, document, node, actions);
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
    section(ui, theme, "W", "World", "type to pose in the scene", false);
    let local = view.pose.local[node.index()].transform();
    let world = Transform::decompose(&view.pose.world[node.index()], &local);
    for property in [Property::Translation, Property::Rotation, Property::Scale] {
        let degrees = state.degrees(node, "W", world.transform.rotation);
        let (values, triple) = match property {
            Property::Translation => (world.transform.translation, Triple::length("W translation")),
            Property::Rotation => (degrees, Triple::angle("W rotation")),
            Property::Scale | Property::Weights => (world.transform.scale, Triple::factor("W scale")),
        };
        let edited = triple_ui(ui, theme, &triple, values, property != Property::Scale);
        if let Some(values) = edited.values {
            let mut wanted = world.transform;
            let argument = if property == Property::Rotation {
                state.keep(node, "W", values);
                wanted.rotation = from_euler_degrees(values);
                "degrees"
            } else {
                wanted.translation = values;
                "translation"
            };
            let label = format!("Pose {}", document.node(node).label(node));
            let line = match view.shown_clip() {
                None => Some(
                    CommandLine::new("pose.set_world")
                        .with("node", node_text(document, node))
                        .with(argument, edits::vector(values)),
                ),
                Some(_) => view
                    .pose
                    .local_for_world(document, node, &wanted.matrix())
                    .ok()
                    .and_then(|l| edits::clip_line(view, node, &l.transform, property)),
            };
            actions.extend(line.map(|line| Action::Preview { label, lines: vec![line] }));
        }
        if edited.done {
            actions.push(Action::Commit);
        }
    }
    if world.residue > 1e-3 {
        let text = "Sheared by scales above it: the numbers are the nearest without shear.";
        ui.add(
            egui::Label::new(RichText::new(text).font(Theme::font(Font::Small)).color(theme.color("severity.warning")))
                .wrap(),
        );
    }
}

fn preview_user(
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    rest: &Transform,
    wanted: &Transform,
    property: Property,
    values: Vec3,
    actions: &mut Actions,
) {
    let verb = match property {
        Property::Translation => "Move",
        Property::Rotation => "Rotate",
        Property::Scale | Property::Weights => "Scale",
    };
    let label = format!("{verb} {}", document.node(node).label(node));
    let line = match view.shown_clip() {
        None => {
            let argument = if property == Property::Rotation { "degrees" } else { property.path() };
            Some(
                CommandLine::new("pose.set")
                    .with("node", node_text(document, node))
                    .with(argument, edits::vector(values)),
            )
        }
        Some(_) => edits::clip_line(view, node, &rest.compose(wanted), property),
    };
    actions.extend(line.map(|line| Action::Preview { label, lines: vec![line] }));
}

/// The diamond beside a row: filled on a key, hollow where the clip moves it, amber where it waits.
fn key_mark(ui: &Ui, view: &View<'_>, track: Option<&crate::model::Track>, slot: egui::Pos2) {
    let Some(track) = track else { return };
    let theme = view.theme;
    let on = track.key_at(view.playback.time as f32, 1e-3).is_some();
    let fill = if on { theme.color("selection.base") } else { egui::Color32::TRANSPARENT };
    let outline = if on { theme.color("selection.base") } else { theme.color("key.inbetween") };
    diamond(ui.painter(), slot, 9.0, fill, outline);
}
