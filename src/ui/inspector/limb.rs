//! Controls of the limb that ends at the active joint: extension, swivel and ground contacts. Also
//! lists all pins.

use egui::{DragValue, Rect, RichText, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, OutlinerAction, Theme, View,
    beside::Beside,
    edits,
    theme::Font,
    widgets::{elided, icon_button, name_widget, pin_mark, pin_words},
};
use ulna_edit::{
    Command,
    command::{
        Body, ClearPins, DocumentCommand, DragLimb, EndAngle, HoldPin, PinKind, SetPin,
        TimelineCommand,
        field::{ClipName, Degrees, Nodes, Seconds},
    },
};
use ulna_model::{ClipId, Document, NodeId, Pin};
use ulna_motion::ik;
use ulna_render::{ColorRole, Measure};

/// State of the limb's controls between frames.
#[derive(Clone, Debug, Default)]
pub struct Swivel {
    /// Node, swivel angle so far in degrees, and the document before the drag.
    turned: Option<(NodeId, f32, Document)>,
    /// Ground contacts of a node over a clip.
    contacts: Beside<(u64, ClipId, NodeId), Vec<ik::HoldRange>>,
}

fn title(ui: &mut Ui, theme: &Theme, text: &str, note: &str) {
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextPrimary)),
    );
    ui.label(
        RichText::new(note)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary)),
    );
}

fn label(ui: &mut Ui, theme: &Theme, text: &str) {
    let (rect, _) =
        ui.allocate_exact_size(vec2(Measure::LabelColumn.points(), 24.0), Sense::hover());
    let (font, color) = (Theme::font(Font::Small), theme.color(ColorRole::TextSecondary));
    ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, text, font, color);
}

/// Distance in meters by which the end of a limb can be moved directly before it is reported as
/// detached.
pub const TORN: f32 = 1e-3;

/// The limb that ends at a node, if the limb has at least two bones.
pub fn ended_by(view: &View<'_>, document: &Document, node: NodeId) -> Option<ik::Limb> {
    ik::limb_of(document, view.pose, node, None, false).filter(|l| l.turns.len() >= 2)
}

/// Commands that move the end of a limb to a scene point with IK, at the current destination of
/// edits.
pub fn put(
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    limb: &ik::Limb,
    to: glam::Vec3,
) -> Vec<Command> {
    let put = |over| DocumentCommand::Ik(view.viewport.reach.put(node, to, over).into());
    edits::posed(view, document, &limb.nodes, put)
}

pub fn limb_ui(
    swivel: &mut Swivel,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let limb = ik::limb_of(document, view.pose, node, None, false);
    let theme = view.theme;
    if let Some(limb) = limb.filter(|l| l.turns.len() >= 2) {
        ui.add_space(6.0);
        ui.separator();
        let name = |n: Option<NodeId>| n.map_or_else(String::new, |n| document.node(n).label(n));
        ui.horizontal(|ui| {
            title(ui, theme, "IK", &format!("{} to {}", name(limb.root()), name(limb.end())))
        });
        ui.horizontal(|ui| {
            label(ui, theme, "Swivel");
            swivel_ui(swivel, ui, view, document, node, actions);
        });
        ui.horizontal(|ui| {
            label(ui, theme, "Reach");
            reach_ui(ui, view, &limb);
        });
        if let Some(clip) = view.shown_clip() {
            contacts_ui(swivel, ui, view, (clip, node), actions);
        }
    }
    pins_ui(ui, view, document, actions);
}

/// Draws the swivel angle: a rotation of the limb about the line from its root to its end.
fn swivel_ui(
    swivel: &mut Swivel,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let mut degrees =
        swivel.turned.as_ref().filter(|(n, ..)| *n == node).map_or(0.0, |(_, d, _)| *d);
    let field = DragValue::new(&mut degrees)
        .speed(0.5)
        .suffix("°")
        .max_decimals(1)
        .update_while_editing(false);
    let response = ui.add_sized([88.0, 24.0], field);
    name_widget(ui, &response, "Swivel of the limb");
    let done = response.drag_stopped() || (response.changed() && !response.dragged());
    if response.changed() {
        if swivel.turned.as_ref().is_none_or(|(n, ..)| *n != node) {
            swivel.turned = Some((node, 0.0, document.clone()));
        }
        if let Some((_, turned, start)) = &mut swivel.turned {
            *turned = degrees;
            let at = view.pose.world[node.index()].w_axis.truncate();
            let reach = view.viewport.reach;
            let drag = |over| {
                let drag = DragLimb {
                    node: Nodes::one(node),
                    to: at,
                    chain: None,
                    swivel: Some(Degrees(degrees)),
                    tip: None,
                    end: Some(if reach.keeps { EndAngle::Keep } else { EndAngle::Follow }),
                    soft: Some(false),
                    limits: None,
                    plant: None,
                    body: Some(Body::Limb),
                    over,
                };
                DocumentCommand::Ik(drag.into())
            };
            let limb =
                ik::limb_of(start, view.pose, node, None, false).map_or_else(Vec::new, |l| l.nodes);
            let commands = edits::posed(view, start, &limb, drag);
            let label = format!("Swivel {}", start.node(node).label(node));
            actions.push(Action::Preview { label, commands });
        }
    }
    if done {
        actions.push(Action::Commit);
        swivel.turned = None;
    }
    response.on_hover_text(
        "Turns the knee or elbow around the line from the limb's root to its end; drag, or type \
            degrees",
    );
}

/// Draws the extension of the limb: the root-to-end distance as a part of its length. A line marks
/// where soft reach starts.
fn reach_ui(ui: &mut Ui, view: &View<'_>, limb: &ik::Limb) {
    let theme = view.theme;
    let mut places: Vec<glam::Vec3> = limb
        .turns
        .iter()
        .map(|k| view.pose.world[limb.nodes[*k].index()].w_axis.truncate())
        .collect();
    places.extend(limb.end().map(|n| view.pose.world[n.index()].w_axis.truncate()));
    let length: f32 = places.windows(2).map(|p| p[0].distance(p[1])).sum();
    let part =
        places.first().zip(places.last()).map_or(0.0, |(a, b)| a.distance(*b)) / length.max(1e-9);
    let width = (ui.available_width() - 56.0).clamp(60.0, 200.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 20.0), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceField));
    let full =
        Rect::from_min_size(rect.min, vec2(rect.width() * part.clamp(0.0, 1.0), rect.height()));
    ui.painter().rect_filled(full, 3.0, theme.color(ColorRole::SurfaceControlHover));
    let soft = rect.left() + rect.width() * ik::SOFT as f32;
    ui.painter().vline(
        soft,
        rect.y_range(),
        egui::Stroke::new(1.0, theme.color(ColorRole::SeverityWarning)),
    );
    let text = RichText::new(format!("{:.0} %", part * 100.0)).font(Theme::font(Font::NumberSmall));
    ui.label(text.color(theme.color(ColorRole::TextPrimary)));
    response.on_hover_text("How far the limb is extended. Soft reach starts at the line");
}

/// Draws the ground contacts of the node over the clip, each with a button that locks it.
fn contacts_ui(
    swivel: &mut Swivel,
    ui: &mut Ui,
    view: &View<'_>,
    (clip, node): (ClipId, NodeId),
    actions: &mut Actions,
) {
    /// Maximum number of listed contacts. A button locks all contacts together.
    const MOST: usize = 8;
    let (theme, Some(session)) = (view.theme, view.session) else { return };
    let Some(found) = session.document().clips.get(clip) else { return };
    // The key uses the history revision, so contacts are not recomputed during a drag.
    let key = (session.history().revision(), clip, node);
    let (document, clip_seen) = (session.document(), found.clone());
    let contacts = swivel.contacts.update(ui.ctx(), key, found.key_count(), || {
        let document = document.clone();
        move || ik::contacts(&document, &clip_seen, node)
    });
    let Some(contacts) = contacts.filter(|c| !c.is_empty()) else { return };
    let times =
        if contacts.len() == 1 { "once".to_owned() } else { format!("{} times", contacts.len()) };
    ui.label(
        RichText::new(format!("Ground contact found {times} in this clip"))
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary)),
    );
    let hold = |range: Option<&ik::HoldRange>| HoldPin {
        node: Nodes::one(node),
        clip: ClipName::Id(clip),
        from: range.map(|r| Seconds(r.from)),
        to: range.map(|r| Seconds(r.to)),
        ease: None,
        tolerance: None,
        ground: None,
        between: None,
    };
    for range in contacts.iter().take(MOST) {
        ui.horizontal(|ui| {
            let text = format!("{:.3} – {:.3} s", range.from, range.to);
            label(ui, theme, "");
            ui.label(
                RichText::new(&text)
                    .font(Theme::font(Font::NumberSmall))
                    .color(theme.color(ColorRole::TextPrimary)),
            );
            let button = ui.button("Lock");
            name_widget(ui, &button, &format!("Lock from {text}"));
            if button.on_hover_text("Locks it in place during this contact").clicked() {
                actions.push(Action::Run(hold(Some(range)).into()));
            }
        });
    }
    if contacts.len() > 1 && ui.button("Lock all contacts").clicked() {
        actions.push(Action::Run(hold(None).into()));
    }
}

/// Draws all pins. A click on a pin's mark changes its kind, and the cross removes it.
pub fn pins_ui(ui: &mut Ui, view: &View<'_>, document: &Document, actions: &mut Actions) {
    let pins = &document.aids.pins;
    let holds = view.shown_clip().is_some()
        && view.selection.active.is_some_and(|n| view.joints[n.index()]);
    if pins.is_empty() && !holds {
        return;
    }
    let theme = view.theme;
    ui.add_space(6.0);
    ui.separator();
    ui.horizontal(|ui| {
        title(ui, theme, "Pins", &pins.len().to_string());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let sweep = icons::ICON_DELETE_SWEEP;
            if !pins.is_empty()
                && icon_button(ui, theme, sweep, "Remove all pins", "", false, Ok(())).clicked()
            {
                actions.push(Action::Run(ClearPins { node: None }.into()));
            }
            let hold = TimelineCommand::HoldRange.spec();
            if holds && ui.button(hold.title).on_hover_text(hold.help).clicked() {
                actions.push(Action::Invoke(hold));
            }
        });
    });
    for (node, pin) in pins {
        ui.horizontal(|ui| pin_row(ui, view, document, *node, *pin, actions));
    }
}

fn pin_row(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    pin: Pin,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let name = document.node(node).label(node);
    let (rect, mark) = ui.allocate_exact_size(vec2(24.0, 24.0), Sense::click());
    let words = format!("Change the pin of {name}: {}", pin_words(pin));
    mark.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &words));
    pin_mark(ui.painter(), theme, rect.center(), pin, 0.8, mark.hovered());
    if mark.clicked() {
        let kind = Some(PinKind::of(Pin::next(Some(pin))));
        actions.push(Action::Run(SetPin { node: Nodes::one(node), kind }.into()));
    }
    let width = (ui.available_width() - 130.0).max(60.0);
    let (rect, row) = ui.allocate_exact_size(vec2(width, 24.0), Sense::click());
    row.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Select {name}"))
    });
    let font = Theme::font(Font::Body);
    let text = elided(ui, &name, &font, width);
    let chosen = view.selection.nodes.contains(&node);
    let color = theme.color(if chosen { ColorRole::SelectionText } else { ColorRole::TextPrimary });
    ui.painter().text(
        pos2(rect.left(), rect.center().y),
        egui::Align2::LEFT_CENTER,
        text,
        font,
        color,
    );
    if row.clicked() {
        actions.push(OutlinerAction::Select { node, toggle: false });
    }
    let words = RichText::new(pin_words(pin)).font(Theme::font(Font::Small));
    ui.label(words.color(theme.color(ColorRole::TextSecondary)));
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let remove = format!("Remove the pin of {name}");
        if icon_button(ui, theme, icons::ICON_CLOSE, &remove, "", false, Ok(())).clicked() {
            actions.push(Action::Run(
                SetPin { node: Nodes::one(node), kind: Some(PinKind::None) }.into(),
            ));
        }
    });
}
