//! The pose library: a strip of cards in the place of the timeline, each with a picture of this
//! model in the pose. A click on a card applies the pose, and a sideways drag blends toward it.
//!
//! ```text
//!  press on a card ─► stores the document ─► drag: previews the blend ─► release or Esc
//! ```

mod domain;

use egui::{
    Align, Align2, CornerRadius, Key, Layout, Modifiers, Rect, RichText, Role, ScrollArea, Sense,
    Ui, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

pub use self::domain::{Applied, Library, Pasting, Poses, PosesAction, PosesView};
use crate::ui::{
    Action, Actions, Theme, View,
    blend_drag::{BlendDrag, blend_buttons_ui},
    chooser::chooser,
    edits,
    menu_rows::{Row, context_menu},
    name_field::{NameCheck, NameDraft, NameEnd, is_renamed_at},
    poses_tab::{TRANSPORT, has_timeline, is_under_transport, poses_tab_ui},
    theme::Font,
    widgets::{
        elided, filter_field, icon_button, name_widget, paint_icon, panel_title, segment, segments,
    },
};
use ulna_edit::{
    Scene,
    command::{
        ApplyPose, DocumentCommand, ForgetPose, KeepPose, PoseDestination, PoseReach, RenameKept,
        RenameNode, field::Nodes, kept_poses, pose_text,
    },
};
use ulna_model::{Document, KeptPose, NodeId};
use ulna_motion::{Pose, ik};
use ulna_render::ColorRole;

/// Height of the strip with cards, in points.
const STRIP: f32 = 176.0;
/// Height of the strip without cards, in points.
const EMPTY: f32 = 112.0;
/// Minimum and maximum height of a card, in points.
const CARD: (f32, f32) = (122.0, 200.0);
/// Height of the part of a card with the name, in points.
const FOOT: f32 = 27.0;
/// Width of a card divided by its height.
const SHAPE: f32 = 1.3;
/// Length of a drag in points that blends by 100 %.
const WAY: f32 = 160.0;
/// Width in points of the field for the blend amount of a click, with its label.
const AMOUNT: f32 = 190.0;

/// State of the pose library between frames.
#[derive(Clone, Debug, Default)]
pub struct PosesState {
    filter: String,
    drag: Option<CardDrag>,
    /// The pose that is being renamed, with the typed name.
    name: Option<NameDraft<(Library, String)>>,
    blend: BlendDrag,
    /// Name of a pose whose card is scrolled into view.
    reveal: Option<String>,
    /// Number of poses in the previous frame.
    count: usize,
}

/// A card that is being dragged sideways.
#[derive(Clone, Debug)]
struct CardDrag {
    name: String,
    /// The document at the start of the drag.
    document: Document,
    amount: f32,
    shown: bool,
}

impl PosesState {
    /// Ends a drag of a card or a blend button, because the gesture was ended elsewhere.
    pub fn end_gestures(&mut self) {
        self.drag = None;
        self.blend = BlendDrag::default();
    }
}

/// Nodes that poses are applied to; `None` for all nodes.
pub fn reached(
    document: &Document,
    seen: &Pose,
    reach: PoseReach,
    selected: &[NodeId],
) -> Option<Vec<NodeId>> {
    match reach {
        PoseReach::Body => None,
        PoseReach::Selected => Some(selected.to_vec()),
        PoseReach::Limb => {
            let limb = |n: &NodeId| {
                ik::limb_of(document, seen, *n, None, true).map_or_else(|| vec![*n], |l| l.nodes)
            };
            let mut all: Vec<NodeId> = selected.iter().flat_map(limb).collect();
            all.sort_unstable();
            all.dedup();
            Some(all)
        }
    }
}

fn shown<'a>(view: &View<'a>, document: &'a Document) -> &'a [KeptPose] {
    match view.poses.library {
        Library::File => kept_poses(document),
        Library::Own => view.poses.own,
    }
}

/// Height of the strip in points; `None` uses the height of the timeline. `bare` is true if the
/// file has no clips.
pub fn height(view: &View<'_>, bare: bool) -> Option<f32> {
    let none = view.session.is_none_or(|s| shown(view, s.document()).is_empty());
    let transport = if is_under_transport(view) { TRANSPORT } else { 0.0 };
    if none { Some(EMPTY + transport) } else { bare.then_some(STRIP) }
}

/// Command that applies a pose to the current destination of edits.
fn apply(
    view: &View<'_>,
    start: &Document,
    pose: &KeptPose,
    amount: f32,
) -> Vec<ulna_edit::Command> {
    let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
    let node = reached(start, view.pose, view.poses.reach, &selected).map(Nodes::Ids);
    let (name, text) = match view.poses.library {
        Library::File => (Some(pose.name.clone()), None),
        Library::Own => (None, Some(pose_text(pose))),
    };
    let command = |over: PoseDestination| {
        let amount = (amount != 1.0).then_some(amount);
        let flip = view.poses.flip.then_some(true);
        ApplyPose { pose: name.clone(), text: text.clone(), node: node.clone(), amount, flip, over }
    };
    let wanted = DocumentCommand::Kept(command(PoseDestination::FILE).into())
        .wanted(&Scene::new(start))
        .unwrap_or_default();
    let nodes: Vec<NodeId> = wanted.into_iter().map(|(n, _)| n).collect();
    edits::posed(view, start, &nodes, |over| DocumentCommand::Kept(command(over).into()))
}

pub fn poses_ui(state: &mut PosesState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let Some(session) = view.session else { return };
    let document = session.document();
    let all = shown(view, document);
    if all.len() > state.count {
        state.reveal = all.last().map(|p| p.name.clone());
    }
    state.count = all.len();
    egui::Frame::new().inner_margin(egui::Margin::symmetric(10, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            header_ui(state, ui, view, all, actions);
        });
        ui.add_space(2.0);
        let needle = state.filter.to_lowercase();
        let poses: Vec<&KeptPose> =
            all.iter().filter(|p| p.name.to_lowercase().contains(&needle)).collect();
        if poses.is_empty() {
            empty_ui(state, ui, view, all.is_empty(), actions);
            return;
        }
        // As high as possible above the scroll bar.
        let high = (ui.available_height() - 10.0).clamp(CARD.0, CARD.1);
        ScrollArea::horizontal().auto_shrink([false, false]).id_salt("poses").show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                for pose in poses {
                    card_ui(state, ui, view, document, (pose, high), actions);
                }
            });
        });
    });
}

/// Draws the message for an empty library, or for a filter without results.
fn empty_ui(
    state: &mut PosesState,
    ui: &mut Ui,
    view: &View<'_>,
    none: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.add_space(if none { 6.0 } else { 32.0 });
    ui.vertical_centered(|ui| {
        if none {
            let text =
                "No poses saved yet. A saved pose can be applied again: partly, mirrored, blended, \
                    or to another model.";
            ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
            ui.add_space(4.0);
            let response = ui.button("Save pose");
            name_widget(ui, &response, "Save the first pose");
            if response.clicked() {
                keep(state, view, actions);
            }
            return;
        }
        let text = format!("No pose named “{}”", state.filter);
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextSecondary)));
        ui.add_space(4.0);
        if ui.button("Clear filter").clicked() {
            state.filter.clear();
        }
    });
}

/// Stores the displayed pose under a new name, and opens the name field.
fn keep(state: &mut PosesState, view: &View<'_>, actions: &mut Actions) {
    let Some(session) = view.session else { return };
    let all = shown(view, session.document());
    let free = |k: &usize| all.iter().all(|p| p.name != format!("Pose {k}"));
    let Some(name) = (1..).find(free).map(|k| format!("Pose {k}")) else { return };
    state.filter.clear();
    state.name = Some(NameDraft::new((view.poses.library, name.clone()), name.clone()));
    actions.push(match view.poses.library {
        Library::Own => PosesAction::Keep(name).into(),
        Library::File => {
            let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
            let node = reached(session.document(), view.pose, view.poses.reach, &selected);
            let over = view.shown_clip().map_or(PoseDestination::FILE, |clip| {
                PoseDestination::clip(clip, view.edit_time())
            });
            let node = node.filter(|n| !n.is_empty()).map(Nodes::Ids);
            Action::Run(KeepPose { name, node, text: None, over }.into())
        }
    });
}

fn header_ui(
    state: &mut PosesState,
    ui: &mut Ui,
    view: &View<'_>,
    all: &[KeptPose],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let poses = view.poses;
    ui.spacing_mut().item_spacing.x = 8.0;
    // In a narrow strip, choices become lists, and fields have no labels.
    let width = ui.available_width();
    let (narrow, narrower) = (width < 980.0, width < 660.0);
    panel_title(ui, theme, "Poses");
    let count = RichText::new(all.len().to_string()).font(Theme::font(Font::Caption));
    ui.label(count.color(theme.color(ColorRole::TextTertiary)));
    if narrower {
        let rows = Library::ALL.map(|library| (library, library.title(), library == poses.library));
        let chosen = chooser(ui, view, "Library", poses.library.title(), &rows);
        actions.extend(chosen.map(PosesAction::SetLibrary));
    } else {
        libraries_ui(ui, view, actions);
    }
    let wide = ui.available_width() > 900.0;
    if wide && !all.is_empty() {
        ui.scope(|ui| {
            ui.set_max_width(150.0);
            filter_field(ui, theme, &mut state.filter, "Filter poses");
        });
    }
    reach_ui(ui, view, narrow, actions);
    let flip =
        icon_button(ui, theme, icons::ICON_FLIP, "Apply poses mirrored", "", poses.flip, Ok(()));
    if flip.clicked() {
        actions.push(PosesAction::SetFlip(!poses.flip));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        end_ui(state, ui, view, narrow, actions);
    });
}

/// Draws the choice of the library.
fn libraries_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (theme, poses) = (view.theme, view.poses);
    segments(ui, theme, |ui| {
        for library in Library::ALL {
            if segment(ui, theme, library.title(), poses.library == library, false).clicked() {
                actions.push(PosesAction::SetLibrary(library));
            }
        }
    });
}

/// Draws the choice of the body parts that a pose is applied to.
fn reach_ui(ui: &mut Ui, view: &View<'_>, narrow: bool, actions: &mut Actions) {
    let (theme, now) = (view.theme, view.poses.reach);
    let all = [
        (PoseReach::Body, "Whole body"),
        (PoseReach::Selected, "Selected"),
        (PoseReach::Limb, "Limb"),
    ];
    if narrow {
        let title = all.iter().find(|(reach, _)| *reach == now).map_or("", |(_, title)| title);
        let rows = all.map(|(reach, title)| (reach, title, reach == now));
        let chosen = chooser(ui, view, "Apply to", title, &rows);
        actions.extend(chosen.map(PosesAction::SetReach));
        return;
    }
    ui.label(RichText::new("Apply to").color(theme.color(ColorRole::TextSecondary)));
    segments(ui, theme, |ui| {
        for (reach, title) in all {
            if segment(ui, theme, title, now == reach, false).clicked() {
                actions.push(PosesAction::SetReach(reach));
            }
        }
    });
}

/// Draws the right end of the header, in right-to-left order: saving, blending, and the amount of a
/// click.
fn end_ui(
    state: &mut PosesState,
    ui: &mut Ui,
    view: &View<'_>,
    narrow: bool,
    actions: &mut Actions,
) {
    let (theme, poses) = (view.theme, view.poses);
    if has_timeline(view) && !is_under_transport(view) {
        poses_tab_ui(ui, view, actions);
    }
    let response = ui.button("Save pose");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Save the current pose"));
    if response.on_hover_text("Saves the current pose in the library shown here").clicked() {
        keep(state, view, actions);
    }
    // The transport above already has these buttons.
    if !is_under_transport(view) {
        blend_buttons_ui(&mut state.blend, ui, view, AMOUNT, actions);
    }
    let mut percent = poses.amount * 100.0;
    let field = egui::DragValue::new(&mut percent)
        .range(0.0..=100.0)
        .speed(0.5)
        .suffix(" %")
        .fixed_decimals(0);
    let response = ui.add(field);
    response.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, "Apply amount of a click"));
    if response.on_hover_text("Amount of a pose that a click on its card applies").changed() {
        actions.push(PosesAction::SetAmount(percent / 100.0));
    }
    if !narrow {
        let words = RichText::new("Apply amount");
        ui.label(words.color(theme.color(ColorRole::TextSecondary)));
    }
}

fn card_ui(
    state: &mut PosesState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (pose, high): (&KeptPose, f32),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let library = view.poses.library;
    let size = vec2(((high - FOOT) * SHAPE).round(), high);
    let (rect, response) = ui
        .push_id(("pose", &pose.name), |ui| ui.allocate_exact_size(size, Sense::click_and_drag()))
        .inner;
    let name = format!("Pose {}", pose.name);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    if state.reveal.as_deref() == Some(&*pose.name) {
        response.scroll_to_me(Some(Align::Center));
        state.reveal = None;
    }
    let own_drag = state.drag.as_ref().filter(|d| d.name == pose.name).map(|d| d.amount);
    let lit = response.hovered() || own_drag.is_some() || response.has_focus();
    let fill = theme.color(if lit { ColorRole::SurfaceControl } else { ColorRole::SurfaceField });
    ui.painter().rect(rect, 4.0, fill, theme.field_edge(), egui::StrokeKind::Inside);
    let picture =
        Rect::from_min_size(rect.min + vec2(1.0, 1.0), vec2(size.x - 2.0, size.y - FOOT - 1.0));
    match view.poses.pictures.get(&(library, pose.name.clone())) {
        Some(texture) => {
            let round = CornerRadius { nw: 4, ne: 4, sw: 0, se: 0 };
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            let image = egui::epaint::RectShape::filled(picture, round, egui::Color32::WHITE)
                .with_texture(*texture, whole);
            ui.painter().add(image);
        }
        None => paint_icon(
            ui.painter(),
            picture.center(),
            icons::ICON_ACCESSIBILITY_NEW,
            32.0,
            theme.color(ColorRole::TextTertiary),
        ),
    }
    let foot = Rect::from_min_max(pos2(rect.left(), picture.bottom()), rect.max);
    if state.name.as_ref().is_some_and(|d| d.of.0 == library && d.of.1 == pose.name) {
        name_ui(state, ui, view, document, foot, actions);
    } else {
        let font = Theme::font(Font::Body);
        let text = elided(ui, &pose.name, &font, rect.width() - 16.0);
        let at = pos2(rect.left() + 8.0, foot.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme.color(ColorRole::TextPrimary));
    }
    if let Some(amount) = own_drag {
        // The blend amount is drawn at the bottom of the picture.
        let full = rect.width() * amount.clamp(0.0, 1.0);
        let bar = Rect::from_min_size(pos2(rect.left(), picture.bottom() - 1.0), vec2(full, 2.0));
        ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::AccentBase));
        let text = format!("{:.0} %", amount * 100.0);
        let at = picture.right_bottom() - vec2(6.0, 6.0);
        ui.painter().text(
            at,
            Align2::RIGHT_BOTTOM,
            text,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::AccentText),
        );
    }
    // The second click of a double click on the name does not apply the pose again.
    if is_renamed_at(ui, &response, foot)
        || (response.has_focus() && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::F2)))
    {
        state.name = Some(NameDraft::new((library, pose.name.clone()), &*pose.name));
    } else {
        drag_ui(state, ui, view, document, pose, &response, actions);
    }
    card_menu(state, &response, (view, document), library, pose, actions);
    response.on_hover_text(format!(
        "{}: click to apply, drag sideways to blend, double-click the name to rename",
        pose.name
    ));
}

/// Handles a click, which applies the pose, and a drag, which blends toward it.
fn drag_ui(
    state: &mut PosesState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    pose: &KeptPose,
    response: &egui::Response,
    actions: &mut Actions,
) {
    let label = format!("Pose {}", pose.name);
    if response.clicked() {
        response.request_focus();
        let commands = apply(view, document, pose, view.poses.amount);
        actions.push(Action::Preview { label, commands });
        actions.push(Action::Commit);
        return;
    }
    if response.drag_started_by(egui::PointerButton::Primary) {
        let document = document.clone();
        state.drag =
            Some(CardDrag { name: pose.name.clone(), document, amount: 0.0, shown: false });
    }
    let Some(drag) = state.drag.as_mut().filter(|d| d.name == pose.name) else { return };
    if ui.input(|i| i.key_pressed(Key::Escape)) {
        actions.push(Action::Cancel);
        state.drag = None;
        return;
    }
    if response.dragged() {
        let (at, from, alt) =
            ui.input(|i| (i.pointer.latest_pos(), i.pointer.press_origin(), i.modifiers.alt));
        let way = at.zip(from).map_or(0.0, |(at, from)| at.x - from.x) / WAY;
        let amount = if alt { way.clamp(-2.0, 2.0) } else { way.clamp(0.0, 1.0) };
        let amount = (amount * 100.0).round() / 100.0;
        if amount != drag.amount || !drag.shown {
            (drag.amount, drag.shown) = (amount, true);
            let commands = apply(view, &drag.document, pose, amount);
            actions.push(Action::Preview { label, commands });
        }
    }
    if response.drag_stopped() {
        actions.push(Action::Commit);
        state.drag = None;
    }
}

/// Shows the context menu of a pose.
fn card_menu(
    state: &mut PosesState,
    response: &egui::Response,
    (view, document): (&View<'_>, &Document),
    library: Library,
    pose: &KeptPose,
    actions: &mut Actions,
) {
    let mut renames = false;
    let count = match pose.joints.len() {
        1 => "pose of 1 joint".to_owned(),
        n => format!("pose of {n} joints"),
    };
    context_menu(response, Some(response.rect), view, actions, |rows| {
        rows.header(&pose.name, &count);
        renames = rows.row(Row::of(view, RenameNode::spec()).enabled());
        let icon = icons::ICON_ACCESSIBILITY_NEW.codepoint;
        if rows.row(Row::new("Apply").icon(icon)) {
            let commands = apply(view, document, pose, view.poses.amount);
            rows.actions.push(Action::Preview { label: format!("Pose {}", pose.name), commands });
            rows.actions.push(Action::Commit);
        }
        rows.separator();
        let share = match library {
            Library::File => "Copy to My poses",
            Library::Own => "Copy to this file",
        };
        rows.act(Row::new(share), || PosesAction::Share(library, pose.name.clone()));
        let text = Row::new("Copy as text").icon(icons::ICON_CONTENT_COPY.codepoint);
        if rows.row(text) {
            rows.ui.copy_text(pose_text(pose));
        }
        rows.separator();
        let remove = Row::of(view, ForgetPose::spec()).title("Remove").enabled();
        rows.act(remove, || match library {
            Library::File => Action::Run(ForgetPose { pose: pose.name.clone() }.into()),
            Library::Own => PosesAction::ForgetOwn(pose.name.clone()).into(),
        });
    });
    if renames {
        state.name = Some(NameDraft::new((library, pose.name.clone()), &*pose.name));
    }
}

/// Draws the text field for renaming a pose.
fn name_ui(
    state: &mut PosesState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    area: Rect,
    actions: &mut Actions,
) {
    let Some(draft) = &mut state.name else { return };
    let (library, pose) = draft.of.clone();
    let is_taken = |name: &str| {
        shown(view, document).iter().any(|other| other.name != pose && other.name == name)
    };
    let check = |name: &str| NameCheck::unique(name, "pose", || is_taken(name));
    match draft.show(ui, view.theme, area.shrink(3.0), "Name of the pose", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if name != pose => actions.push(match library {
            Library::File => Action::Run(RenameKept { pose, name }.into()),
            Library::Own => PosesAction::RenameOwn(pose, name).into(),
        }),
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    state.name = None;
}
