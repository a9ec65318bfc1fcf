//! A tour of the program in five steps. A frame highlights a widget, and each step waits until the
//! user has done it.

mod steps;

use egui::{Align2, Area, Id, Order, Rect, RichText, Sense, Stroke, StrokeKind, Ui, vec2};
use egui_material_icons::icons;

pub use self::steps::{Tour, TourAction, TourStep};
use super::{
    Action, Actions, Theme, View,
    layout::{Layout, Pane},
    theme::Font,
    widgets::{icon_button, place_of},
};
use crate::ui::ProgramAction;
use ulna_edit::{
    CommandSpec,
    command::{FileCommand, ModeCommand, SessionCommand, SetKey, ToolCommand},
};
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// Key of the widget position of the *File* menu.
pub const FILE_MENU: &str = "menu File";

/// Width of the card, in points.
const WIDTH: f32 = 304.0;

/// Height of the viewport in points below which the card would cover the model.
const LOW: f32 = 340.0;

/// Text of a step, and the highlighted area.
struct Words {
    title: &'static str,
    text: String,
    /// The highlighted area, in points.
    target: Option<Rect>,
}

/// Current key of a command, or its title if it has no key.
fn key(view: &View<'_>, spec: &CommandSpec) -> String {
    let key = view.settings.keys.shown(spec.name);
    if key.is_empty() { format!("“{}”", spec.title) } else { key.to_string() }
}

/// Name of the active joint.
fn selected(view: &View<'_>) -> Option<String> {
    let document = view.session?.document();
    let node: NodeId = view.selection.active?;
    document.nodes.contains(node).then(|| document.node(node).label(node))
}

fn pose_words(view: &View<'_>, viewport: Option<Rect>) -> Words {
    let rotate = key(view, ToolCommand::Rotate.spec());
    let turns = matches!(view.tool(), Some(ToolCommand::Rotate | ToolCommand::Combined));
    let text = match (selected(view), view.mode.spec().poses) {
        (_, false) => {
            let mode = key(view, ModeCommand::PoseMode.spec());
            format!("Joints are posed in Pose and Animate mode. Press {mode} for Pose mode.")
        }
        (Some(joint), _) if turns => format!("Drag one of the rings around {joint} to rotate it."),
        (Some(joint), _) => {
            format!("{joint} is selected. Press {rotate} for the Rotate tool, then drag a ring.")
        }
        _ => format!(
            "Click an arm or a leg of the model to select a joint. Then press {rotate} for the \
            Rotate tool, and drag a ring."
        ),
    };
    Words { title: "Turn a limb", text, target: viewport }
}

fn key_words(view: &View<'_>, ui: &Ui, layout: &Layout) -> Words {
    let (set, mode) = (key(view, SetKey::spec()), ModeCommand::AnimateMode.spec());
    let clips = view.session.is_some_and(|s| !s.document().clips.is_empty());
    let (text, target) = match (view.shown_clip(), selected(view)) {
        (None, _) if !clips => (
            "Keys belong to a clip, and this file has none. Choose Clip › New clip first.".into(),
            None,
        ),
        (None, _) => (
            format!("Keys belong to a clip. Press {} for Animate mode.", key(view, mode)),
            place_of(ui, mode.name),
        ),
        (_, None) => ("Select a joint: the key is set for it.".into(), layout.rect(Pane::Viewport)),
        (_, Some(joint)) => (
            format!("Press {set}. It sets a key for {joint} at the playhead."),
            layout.rect(Pane::Timeline),
        ),
    };
    Words { title: "Key the pose", text, target }
}

fn paint_words(view: &View<'_>, ui: &Ui, viewport: Option<Rect>) -> Words {
    let mode = ModeCommand::PaintMode.spec();
    let (text, target) = match (mode.check(&view.availability), selected(view)) {
        (Err(reason), _) => (format!("{reason}. Skip this step."), None),
        _ if !view.mode.spec().paints_weights => (
            format!(
                "Weights say how far each joint moves the skin. Press {} for Paint mode.",
                key(view, mode)
            ),
            place_of(ui, mode.name),
        ),
        (_, Some(joint)) if view.availability.joint => {
            (format!("Drag over the model. The stroke adds weight of {joint}."), viewport)
        }
        _ => (
            "Choose a joint in the list at the right, then drag over the model.".into(),
            layout_side(ui, viewport),
        ),
    };
    Words { title: "Paint a stroke", text, target }
}

/// Area of the panels on the right of the viewport.
fn layout_side(ui: &Ui, viewport: Option<Rect>) -> Option<Rect> {
    let (viewport, screen) = (viewport?, ui.ctx().content_rect());
    (viewport.right() + 40.0 < screen.right()).then(|| {
        Rect::from_min_max(viewport.right_top(), egui::pos2(screen.right(), viewport.bottom()))
    })
}

fn undo_words(view: &View<'_>, ui: &Ui) -> Words {
    let undo = SessionCommand::Undo.spec();
    let text = if view.availability.undo {
        format!("Press {}, or click Undo at the top. One drag is one step.", key(view, undo))
    } else {
        "There is nothing to undo yet. Edit something first.".to_owned()
    };
    Words { title: "Undo", text, target: place_of(ui, undo.name) }
}

fn save_words(view: &View<'_>, ui: &Ui) -> Words {
    let (save, save_as) = (FileCommand::Save.spec(), FileCommand::SaveAs { path: None });
    let is_own = view.session.is_some_and(|s| s.path().is_some());
    let text = match (view.availability.unsaved, is_own) {
        (true, true) => {
            format!("Press {}. Only your edits are written into the file.", key(view, save))
        }
        (true, false) => format!(
            "Press {}. The sample has no file yet: type where to save it. Enter saves.",
            key(view, save)
        ),
        (false, _) => format!(
            "There are no changes to save. Press {} to save under another name.",
            key(view, save_as.spec())
        ),
    };
    Words { title: "Save", text, target: place_of(ui, FILE_MENU) }
}

fn words(view: &View<'_>, ui: &Ui, layout: &Layout, step: TourStep) -> Words {
    let viewport = layout.rect(Pane::Viewport);
    match step {
        TourStep::Pose => pose_words(view, viewport),
        TourStep::Key => key_words(view, ui, layout),
        TourStep::Paint => paint_words(view, ui, viewport),
        TourStep::Undo => undo_words(view, ui),
        TourStep::Save => save_words(view, ui),
    }
}

/// Draws the card of the current step and a frame around its area. Neither takes the keyboard focus
/// nor covers the area.
pub fn tour_ui(ui: &Ui, view: &View<'_>, layout: &Layout, actions: &mut Actions) {
    let Some(tour) = view.program.tour.filter(|_| view.session.is_some()) else { return };
    let theme = view.theme;
    let Some(step) = tour.step() else {
        card(ui, layout, ("tour end", 0), |ui| end_ui(ui, view, actions));
        return;
    };
    let words = words(view, ui, layout, step);
    if let Some(target) = words.target {
        let layer = egui::LayerId::new(Order::Middle, Id::unique("tour frame"));
        let painter = ui.ctx().layer_painter(layer);
        let stroke = Stroke::new(2.0, theme.color(ColorRole::AccentBase));
        painter.rect_stroke(target.shrink(1.0), 4.0, stroke, StrokeKind::Inside);
    }
    card(ui, layout, ("tour", step.number()), |ui| step_ui(ui, view, tour, step, &words, actions));
}

/// Draws a card in a corner of the viewport, or below the viewport if it is low. The card can be
/// dragged.
fn card(ui: &Ui, layout: &Layout, id: (&str, usize), add: impl FnOnce(&mut Ui)) {
    let screen = ui.ctx().content_rect();
    let viewport = layout.rect(Pane::Viewport).unwrap_or(screen);
    let width = WIDTH.min(screen.width() - 32.0);
    let (pivot, way) = if viewport.height() < LOW {
        (Align2::LEFT_TOP, 12.0)
    } else {
        (Align2::LEFT_BOTTOM, -12.0)
    };
    let at = viewport.left_bottom() + vec2(12.0, way);
    let area = Area::new(Id::unique(id))
        .order(Order::Middle)
        .pivot(pivot)
        .default_pos(at)
        .movable(true)
        .constrain(true);
    area.show(ui.ctx(), |ui| {
        let frame = egui::Frame::window(ui.style()).inner_margin(12);
        frame.show(ui, |ui| {
            ui.set_width(width - 24.0);
            add(ui);
        });
    });
}

/// Draws one dot per step. The current one is filled.
fn dots(ui: &mut Ui, theme: &Theme, step: TourStep) {
    for other in TourStep::ALL {
        let (rect, _) = ui.allocate_exact_size(vec2(8.0, 16.0), Sense::hover());
        let (done, now) = (other.number() < step.number(), other == step);
        let role = if done || now { ColorRole::AccentBase } else { ColorRole::StrokeStrong };
        let radius = if now { 3.5 } else { 2.5 };
        if done || now {
            ui.painter().circle_filled(rect.center(), radius, theme.color(role));
        } else {
            let stroke = Stroke::new(1.0, theme.color(role));
            ui.painter().circle_stroke(rect.center(), radius, stroke);
        }
    }
}

/// Draws the title of the card, with a button that closes it.
fn head_ui(ui: &mut Ui, theme: &Theme, title: &str, actions: &mut Actions) {
    ui.horizontal(|ui| {
        let text = RichText::new(title).font(Theme::font(Font::Title));
        ui.label(text.color(theme.color(ColorRole::TextPrimary)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close =
                icon_button(ui, theme, icons::ICON_CLOSE, "Leave the tour", "", false, Ok(()));
            let about = "Help › Tour continues at this step";
            if close.on_hover_text(about).clicked() {
                actions.push(ProgramAction::Tour(TourAction::Leave));
            }
        });
    });
}

fn step_ui(
    ui: &mut Ui,
    view: &View<'_>,
    tour: &Tour,
    step: TourStep,
    words: &Words,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        dots(ui, theme, step);
        ui.add_space(4.0);
        let count = format!("{} of {}", step.number() + 1, TourStep::ALL.len());
        let count = RichText::new(count).font(Theme::font(Font::Caption));
        ui.label(count.color(theme.color(ColorRole::TextSecondary)));
    });
    head_ui(ui, theme, words.title, actions);
    let text = RichText::new(&words.text).color(theme.color(ColorRole::TextSecondary));
    ui.add(egui::Label::new(text).wrap());
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        if ui.button("Skip step").clicked() {
            actions.push(ProgramAction::Tour(TourAction::Skip));
        }
        if step != TourStep::Pose && ui.button("Back").clicked() {
            actions.push(ProgramAction::Tour(TourAction::Back));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let show = ui.add_enabled(!tour.is_shown(), egui::Button::new("Show me"));
            let about =
                "Changes to the mode and the tool of this step, so that only the action itself \
                    remains";
            if show.on_hover_text(about).clicked() {
                actions.push(ProgramAction::Tour(TourAction::Show(step)));
            }
        });
    });
}

/// Draws the last card, with buttons that open the guide and the command palette.
fn end_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    head_ui(ui, theme, "End of the tour", actions);
    let find = key(view, FileCommand::Find.spec());
    let text = format!("{find} finds every command, and the guide explains them.");
    let text = RichText::new(text).color(theme.color(ColorRole::TextSecondary));
    ui.add(egui::Label::new(text).wrap());
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        if ui.button("Open the guide").clicked() {
            actions.push(ProgramAction::Tour(TourAction::Leave));
            actions.push(Action::Run(FileCommand::Guide.into()));
        }
        if ui.button("Find a command…").clicked() {
            actions.push(ProgramAction::Tour(TourAction::Leave));
            actions.push(Action::Run(FileCommand::Find.into()));
        }
    });
}
