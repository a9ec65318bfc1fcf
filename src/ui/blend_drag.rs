//! Buttons that blend the pose toward the rest pose or toward neighboring keys. Dragging a button
//! sideways sets the amount, and a click blends by 10 %.

use egui::{Button, Key, RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Action, Actions, Theme, View, edits, popups::lasting_menu_button, theme::Font,
    widgets::name_widget,
};
use ulna_edit::{
    Command,
    command::{
        Blend, Breakdown, DocumentCommand, PoseDestination, PushPose, RelaxPose, Toward,
        field::Nodes,
    },
};
use ulna_model::{Document, NodeId, Property};
use ulna_render::ColorRole;

/// Length of a drag in points that blends by 100 %.
const WAY: f32 = 160.0;

/// Drag of a blend button: its title, the document at the start, and the last amount.
#[derive(Clone, Debug, Default)]
pub struct BlendDrag(Option<(&'static str, Document, f32)>);

/// Effect of a blend button on the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Blends toward a pose; away from it if the flag is true.
    Toward(Toward, bool),
    /// Blends toward the previous keys if dragged left, and toward the next keys if dragged right.
    Neighbor,
    /// Sets an in-between of the neighboring keys: fully left is the previous key, fully right the
    /// next.
    Breakdown,
}

impl Way {
    /// Amount argument of the command for a drag distance, where 1 is [`WAY`].
    fn amount(self, dragged: f32) -> f32 {
        match self {
            Self::Toward(_, away) => {
                if away {
                    -dragged
                } else {
                    dragged
                }
            }
            Self::Neighbor => dragged.abs(),
            Self::Breakdown => 0.5 + dragged * 0.5,
        }
    }

    /// Drag amount that a click stands for.
    const fn click(self) -> f32 {
        if matches!(self, Self::Breakdown) { 0.0 } else { 0.1 }
    }

    /// Text at the pointer during a drag.
    fn said(self, dragged: f32) -> String {
        match self {
            Self::Toward(..) => format!("{:.0} %", dragged * 100.0),
            Self::Neighbor => {
                let side = if dragged < 0.0 { "previous" } else { "next" };
                format!("{:.0} % toward the {side} key", dragged.abs() * 100.0)
            }
            Self::Breakdown => format!("{:.0} % toward the next key", self.amount(dragged) * 100.0),
        }
    }
}

/// Width that a button adds to its text, in points.
const PADDING: f32 = 18.0;

/// Title, effect and help text of a button.
type BlendButton = (&'static str, Way, &'static str);

/// All buttons, from right to left.
const BUTTONS: [BlendButton; 6] = [
    (
        "Rest",
        Way::Toward(Toward::Rest, false),
        "Blends toward the rest pose; drag left to exaggerate. A click blends by 10 %",
    ),
    (
        "Push",
        Way::Toward(Toward::Between, true),
        "Moves the pose away from the in-between of the neighboring keys. A click moves it by 10 %",
    ),
    (
        "Relax",
        Way::Toward(Toward::Between, false),
        "Blends toward the in-between of the neighboring keys. A click blends by 10 %",
    ),
    (
        "Next",
        Way::Toward(Toward::Next, false),
        "Blends toward the next keys. A click blends by 10 %",
    ),
    (
        "Breakdown",
        Way::Breakdown,
        "Sets an in-between: drag left for the previous keys, right for the next. A click sets the \
            middle",
    ),
    (
        "Previous",
        Way::Toward(Toward::Previous, false),
        "Blends toward the previous keys. A click blends by 10 %",
    ),
];

/// A blend that was started by a key: horizontal pointer motion sets the amount until a click.
#[derive(Clone, Debug)]
pub struct BlendGesture {
    title: &'static str,
    way: Way,
    /// Document and pointer x-coordinate at the start; `None` until the first frame.
    start: Option<(Document, f32)>,
    /// Amount of the last preview, where 1 is 100 %.
    shown: Option<f32>,
}

impl BlendGesture {
    /// The gesture for a blend command; `None` for other commands.
    pub fn of(command: &str) -> Option<Self> {
        let (title, way) = match command {
            Breakdown::NAME => ("Breakdown", Way::Breakdown),
            PushPose::NAME => ("Push", Way::Toward(Toward::Between, true)),
            RelaxPose::NAME => ("Relax", Way::Toward(Toward::Between, false)),
            Blend::NAME => ("Blend to neighbor", Way::Neighbor),
            _ => return None,
        };
        Some(Self { title, way, start: None, shown: None })
    }

    /// Updates the preview from the pointer. Returns whether the gesture continues.
    pub fn follow(&mut self, ui: &Ui, view: &View<'_>, actions: &mut Actions) -> bool {
        let Some(document) = view.session.map(|s| s.document()) else { return false };
        let at = ui.input(|i| i.pointer.latest_pos()).unwrap_or(ui.max_rect().center());
        let (start, from) = self.start.get_or_insert_with(|| (document.clone(), at.x));
        let (kept, dropped) = ui.input(|i| {
            let kept = i.pointer.primary_pressed()
                || i.key_pressed(Key::Enter)
                || i.key_pressed(Key::Space);
            (kept, i.pointer.secondary_pressed() || i.key_pressed(Key::Escape))
        });
        let gone = ((at.x - *from) / WAY).clamp(-2.0, 2.0);
        let amount = (gone * 100.0).round() / 100.0;
        if dropped {
            actions.push(Action::Cancel);
            return false;
        }
        // A breakdown starts at 50 %, so it changes the pose at once. Other blends start at 0 %.
        let is_new = self.shown != Some(amount);
        if is_new && (self.shown.is_some() || amount != 0.0 || self.way == Way::Breakdown) {
            self.shown = Some(amount);
            let commands = blended(view, start, self.way, amount);
            actions.push(Action::Preview { label: self.title.to_owned(), commands });
        }
        if kept {
            actions.push(Action::Commit);
            return false;
        }
        let text = format!("{}: {}", self.title, self.way.said(amount));
        let font = Theme::font(Font::NumberSmall);
        let ink = view.theme.color(ColorRole::TextPrimary);
        let text = ui.painter().layout_no_wrap(text, font, ink);
        let area = egui::Rect::from_min_size(at + vec2(16.0, 16.0), text.size() + vec2(16.0, 8.0));
        let painter = ui.ctx().layer_painter(egui::LayerId::new(
            egui::Order::Tooltip,
            egui::Id::unique("blend gesture"),
        ));
        let fill = view.theme.color(ColorRole::SurfaceRaised);
        painter.rect(area, 4.0, fill, view.theme.field_edge(), egui::StrokeKind::Inside);
        painter.galley(area.min + vec2(8.0, 4.0), text, ink);
        true
    }
}

fn blended(view: &View<'_>, start: &Document, way: Way, dragged: f32) -> Vec<Command> {
    let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
    let node = (!selected.is_empty()).then(|| Nodes::Ids(selected.clone()));
    let nodes: Vec<NodeId> = if selected.is_empty() {
        let clip = view.shown_clip().and_then(|c| start.clips.get(c));
        let tracks =
            clip.iter().flat_map(|c| c.tracks.values()).filter(|t| t.property != Property::Weights);
        tracks.map(|t| t.target).collect()
    } else {
        selected
    };
    let amount = way.amount(dragged);
    edits::posed(view, start, &nodes, |over: PoseDestination| {
        let node = node.clone();
        DocumentCommand::Blend(match way {
            Way::Toward(toward, _) => Blend { node, toward, amount, over }.into(),
            Way::Neighbor => {
                let toward = if dragged < 0.0 { Toward::Previous } else { Toward::Next };
                Blend { node, toward, amount, over }.into()
            }
            Way::Breakdown => Breakdown { node, part: amount, over }.into(),
        })
    })
}

/// Label of the button group and of the menu that replaces it.
const GROUP: &str = "Blend to";

/// Width in points of a text in the font of the buttons.
fn text_width(ui: &Ui, text: &str) -> f32 {
    let color = egui::Color32::WHITE;
    ui.painter().layout_no_wrap(text.to_owned(), Theme::font(Font::Body), color).size().x
}

/// Draws the blend buttons from right to left, with their label. If they do not fit next to
/// `reserved` points, a menu contains them.
pub fn blend_buttons_ui(
    state: &mut BlendDrag,
    ui: &mut Ui,
    view: &View<'_>,
    reserved: f32,
    actions: &mut Actions,
) {
    /// Minimum width of the menu button, in points.
    const MENU: f32 = 96.0;
    let over_clip = view.shown_clip().is_some();
    let shown = || {
        BUTTONS
            .iter()
            .filter(move |b| over_clip || b.1 == Way::Toward(Toward::Rest, false))
            .copied()
    };
    let gap = ui.spacing().item_spacing.x;
    let buttons: f32 = shown().map(|(title, ..)| text_width(ui, title) + PADDING + gap).sum();
    let room = ui.available_width() - reserved;
    if buttons + text_width(ui, GROUP) <= room {
        for button in shown() {
            button_ui(state, ui, view, button, actions);
        }
        let ink = view.theme.color(ColorRole::TextSecondary);
        ui.label(RichText::new(GROUP).color(ink));
    } else if room >= MENU {
        let text = format!("{GROUP} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
        let response = lasting_menu_button(ui, Button::new(text), |ui| {
            for button in shown().collect::<Vec<_>>().into_iter().rev() {
                button_ui(state, ui, view, button, actions);
            }
        });
        let about = "Blends the pose toward neighboring keys or toward the rest pose";
        name_widget(ui, &response.on_hover_text(about), GROUP);
    }
}

/// Draws one blend button, and handles its click or drag.
fn button_ui(
    state: &mut BlendDrag,
    ui: &mut Ui,
    view: &View<'_>,
    (title, way, help): BlendButton,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let ink = theme.color(ColorRole::TextPrimary);
    let text = ui.painter().layout_no_wrap(title.to_owned(), Theme::font(Font::Body), ink);
    let size = vec2(text.size().x + PADDING, 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let name = format!("Blend: {title}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let is_dragged = state.0.as_ref().is_some_and(|d| d.0 == title);
    let fill = theme.color(if response.hovered() || is_dragged {
        ColorRole::SurfaceControlHover
    } else {
        ColorRole::SurfaceControl
    });
    ui.painter().rect(rect, 4.0, fill, theme.control_edge(), egui::StrokeKind::Inside);
    ui.painter().galley(rect.center() - text.size() * 0.5, text, ink);
    let label = title.to_owned();
    let document = view.session.map(|s| s.document());
    if let Some(document) = document.filter(|_| response.clicked()) {
        let commands = blended(view, document, way, way.click());
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
            let gone = at.zip(from).map_or(0.0, |(at, from)| at.x - from.x) / WAY;
            let amount = (gone.clamp(-2.0, 2.0) * 100.0).round() / 100.0;
            if amount != *last {
                *last = amount;
                let commands = blended(view, start, way, amount);
                actions.push(Action::Preview { label, commands });
            }
            let tip = RichText::new(way.said(amount)).font(Theme::font(Font::NumberSmall));
            egui::Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), response.id, rect)
                .show(|ui| ui.label(tip));
        }
    }
    if state.0.is_none() {
        response.on_hover_text(format!("Drag sideways. {help}"));
    }
}
