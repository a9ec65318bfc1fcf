//! Buttons that are dragged sideways: how near a pose is to the rest or to the keys around it. A click goes a tenth of the way.

use egui::{Key, RichText, Role, Sense, Ui, WidgetInfo, vec2};

use crate::{
    edit::{
        Command,
        command::{Blend, DocumentCommand, Over, Toward, field::Nodes},
    },
    model::{Document, NodeId, Property},
    render::ColorRole,
    ui::{Action, Actions, Theme, View, edits, theme::Font},
};

/// Points of a drag that go all the way.
const WAY: f32 = 160.0;

/// A button that is dragged.
#[derive(Clone, Debug, Default)]
pub struct BlendDrag(Option<(&'static str, Document, f32)>);

/// What a button does: its title, to what, and which way.
const BUTTONS: [(&str, Toward, f32, &str); 5] = [
    ("To rest", Toward::Rest, 1.0, "Nearer to the rest, or away from it to the left"),
    ("Push", Toward::Between, -1.0, "Away from what lies between the keys around"),
    ("Relax", Toward::Between, 1.0, "Nearer to what lies between the keys around"),
    ("Next", Toward::Next, 1.0, "Nearer to the keys after this time"),
    ("Previous", Toward::Previous, 1.0, "Nearer to the keys before this time"),
];

fn blended(view: &View<'_>, start: &Document, toward: Toward, amount: f32) -> Vec<Command> {
    let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
    let node = (!selected.is_empty()).then(|| Nodes::Ids(selected.clone()));
    let nodes: Vec<NodeId> = if selected.is_empty() {
        let clip = view.shown_clip().and_then(|c| start.clips.get(c));
        let tracks = clip.iter().flat_map(|c| c.tracks.values()).filter(|t| t.property != Property::Weights);
        tracks.map(|t| t.target).collect()
    } else {
        selected
    };
    edits::posed(view, start, &nodes, |over: Over| {
        DocumentCommand::Blend(Blend { node: node.clone(), toward, amount, over }.into())
    })
}

/// The buttons, from the right to the left.
pub fn blend_buttons_ui(state: &mut BlendDrag, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let over_clip = view.shown_clip().is_some();
    for (title, toward, sign, help) in BUTTONS {
        if toward != Toward::Rest && !over_clip {
            continue;
        }
        let font = Theme::font(Font::Body);
        let text = ui.painter().layout_no_wrap(title.to_owned(), font, theme.color(ColorRole::TextPrimary));
        let (rect, response) = ui.allocate_exact_size(vec2(text.size().x + 18.0, 26.0), Sense::click_and_drag());
        let name = format!("Blend: {title}");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let amount = state.0.as_ref().filter(|d| d.0 == title).map(|d| d.2);
        let lit = response.hovered() || amount.is_some();
        let fill = theme.color(if lit { ColorRole::SurfaceControlHover } else { ColorRole::SurfaceControl });
        ui.painter().rect(rect, 4.0, fill, theme.field_edge(), egui::StrokeKind::Inside);
        ui.painter().galley(rect.center() - text.size() * 0.5, text, theme.color(ColorRole::TextPrimary));
        let label = title.to_owned();
        let document = view.session.map(|s| s.document());
        if let Some(document) = document.filter(|_| response.clicked()) {
            let commands = blended(view, document, toward, sign * 0.1);
            actions.push(Action::Preview { label, commands });
            actions.push(Action::Commit);
        } else if let Some(document) = document.filter(|_| response.drag_started()) {
            state.0 = Some((title, document.clone(), 0.0));
        } else if let Some((_, start, last)) = state.0.as_mut().filter(|d| d.0 == title) {
            if ui.input(|i| i.key_pressed(Key::Escape)) {
                actions.push(Action::Cancel);
                state.0 = None;
            } else if response.drag_stopped() {
                actions.push(Action::Commit);
                state.0 = None;
            } else if response.dragged() {
                let (at, from) = ui.input(|i| (i.pointer.latest_pos(), i.pointer.press_origin()));
                let way = at.zip(from).map_or(0.0, |(at, from)| at.x - from.x) / WAY;
                let amount = (way.clamp(-2.0, 2.0) * 100.0).round() / 100.0;
                if amount != *last {
                    *last = amount;
                    let commands = blended(view, start, toward, sign * amount);
                    actions.push(Action::Preview { label, commands });
                }
                let tip = RichText::new(format!("{:.0} %", amount * 100.0)).font(Theme::font(Font::NumberSmall));
                egui::Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), response.id, rect).show(|ui| ui.label(tip));
            }
        }
        if state.0.is_none() {
            response.on_hover_text(format!("{help}. Drag sideways; a click goes a tenth of the way"));
        }
    }
}
