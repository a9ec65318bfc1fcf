//! Markers on the ruler: flags with names, which can be dragged, renamed and removed.

use egui::{Align2, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::axis::TimeAxis;
use crate::ui::{
    Action, Actions, Theme, TimelineAction, View,
    menu_rows::{MenuRows, Row, context_menu},
    name_field::{NameCheck, NameDraft, NameEnd, is_renamed},
    theme::Font,
    widgets::elided,
};
use ulna_edit::command::{
    Color, MoveMarker, RemoveMarker, RenameNode, SetMarker,
    field::{ClipName, Seconds},
};
use ulna_model::{Clip, ClipId, Marker, MarkerColor};
use ulna_render::ColorRole;

/// Current edit of a marker.
#[derive(Clone, Debug, Default)]
pub enum MarkerEdit {
    /// No edit.
    #[default]
    None,
    /// A marker is dragged: its original time and its previewed time, in seconds.
    Moves { from: f32, shown: f32 },
    /// A marker is renamed, by its index in the clip.
    Named(NameDraft<usize>),
}

/// Draws a flag with its tip at `foot`.
fn flag(painter: &Painter, foot: egui::Pos2, theme: &Theme, color: MarkerColor) {
    let (x, y) = (foot.x, foot.y);
    let corners = [(-4.0, -9.0), (4.0, -9.0), (4.0, -3.0), (0.0, 0.0), (-4.0, -3.0)];
    let corners = corners.map(|(dx, dy)| pos2(x + dx, y + dy)).to_vec();
    painter.add(egui::Shape::convex_polygon(
        corners,
        theme.color(ColorRole::of_marker(color)),
        egui::Stroke::NONE,
    ));
}

/// Shows the markers of the clip on the lower half of the ruler.
pub fn markers_ui(
    edit: &mut MarkerEdit,
    ui: &mut Ui,
    view: &View<'_>,
    (id, clip): (ClipId, &Clip),
    axis: &TimeAxis,
    rect: Rect,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    let font = Theme::font(Font::Caption);
    for (k, marker) in clip.markers.iter().enumerate() {
        let x = axis.x(f64::from(marker.time));
        if x < rect.left() - 4.0 || x > rect.right() {
            continue;
        }
        let next = clip.markers.get(k + 1).map_or(rect.right(), |m| axis.x(f64::from(m.time)));
        let room = (next - x - 12.0).clamp(0.0, 160.0);
        let foot = pos2(x, rect.bottom() - 1.0);
        flag(&painter, foot, theme, marker.color);
        if room > 16.0 {
            let shown = elided(ui, &marker.name, &font, room);
            painter.text(
                foot + vec2(7.0, -5.0),
                Align2::LEFT_CENTER,
                shown,
                font.clone(),
                theme.color(ColorRole::of_marker(marker.color)),
            );
        }
        one_ui(edit, ui, view, (id, k, marker), axis, foot, actions);
    }
    name_ui(edit, ui, view, (id, clip), (axis, rect), actions);
}

fn one_ui(
    edit: &mut MarkerEdit,
    ui: &Ui,
    view: &View<'_>,
    (id, k, marker): (ClipId, usize, &Marker),
    axis: &TimeAxis,
    foot: egui::Pos2,
    actions: &mut Actions,
) {
    let clip = || ClipName::Id(id);
    let area = Rect::from_center_size(foot - vec2(0.0, 5.0), vec2(12.0, 12.0));
    let response = ui.interact(area, ui.scope_id().with(("marker", k)), Sense::click_and_drag());
    response
        .widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Marker {}", marker.name)));
    if response.drag_started_by(egui::PointerButton::Primary) {
        *edit = MarkerEdit::Moves { from: marker.time, shown: marker.time };
    }
    if let MarkerEdit::Moves { from, shown } = edit
        && response.dragged()
        && let Some(at) = response.interact_pointer_pos()
    {
        let (time, fps) = (axis.time(at.x).max(0.0), view.timeline.playback.fps);
        let free = ui.input(|i| i.modifiers.shift);
        let to = if free { time as f32 } else { ((time * fps).round() / fps) as f32 };
        if to != *shown {
            *shown = to;
            let command = MoveMarker { clip: clip(), time: Seconds(*from), to: Seconds(to) };
            actions.push(Action::Preview {
                label: "Move marker".into(),
                commands: vec![command.into()],
            });
        }
    }
    if response.drag_stopped() {
        *edit = MarkerEdit::None;
        actions.push(Action::Commit);
    }
    if response.clicked() {
        actions.push(TimelineAction::Seek(f64::from(marker.time)));
    }
    let mut renames = false;
    context_menu(&response, Some(area), view, actions, |rows| {
        renames = marker_rows(rows, (id, k), marker);
    });
    if renames {
        *edit = MarkerEdit::Named(NameDraft::new(k, &*marker.name));
    }
    if is_renamed(ui, &response) {
        *edit = MarkerEdit::Named(NameDraft::new(k, &*marker.name));
    }
    response.on_hover_text(format!("{} · {:.3} s", marker.name, marker.time));
}

/// Adds menu rows for a marker. Returns whether its name shall be edited.
fn marker_rows(rows: &mut MenuRows<'_>, (id, _): (ClipId, usize), marker: &Marker) -> bool {
    let view = rows.view;
    let fps = view.timeline.playback.fps;
    let frame = (f64::from(marker.time) * fps).round();
    rows.header(&marker.name, &format!("marker, frame {frame}"));
    let renames = rows.row(Row::of(view, RenameNode::spec()).enabled());
    rows.act(Row::new("Go to it"), || TimelineAction::Seek(f64::from(marker.time)));
    let time = Seconds(marker.time);
    rows.submenu(Row::new("Color").icon(icons::ICON_PALETTE.codepoint), |rows| {
        for color in [Color::Violet, Color::Red, Color::Amber, Color::Green, Color::Blue] {
            let mut text = color.label().to_owned();
            text[..1].make_ascii_uppercase();
            rows.run(Row::new(text), || {
                let clip = ClipName::Id(id);
                SetMarker { clip, time, name: None, color: Some(color) }.into()
            });
        }
    });
    rows.separator();
    rows.run(Row::of(view, RemoveMarker::spec()).title("Remove marker").enabled(), || {
        RemoveMarker { clip: ClipName::Id(id), time }.into()
    });
    renames
}

/// Text field that renames a marker.
fn name_ui(
    edit: &mut MarkerEdit,
    ui: &mut Ui,
    view: &View<'_>,
    (id, clip): (ClipId, &Clip),
    (axis, rect): (&TimeAxis, Rect),
    actions: &mut Actions,
) {
    let MarkerEdit::Named(draft) = edit else { return };
    let Some(marker) = clip.markers.get(draft.of) else {
        *edit = MarkerEdit::None;
        return;
    };
    let left = axis.x(f64::from(marker.time)).clamp(rect.left(), rect.right() - 120.0);
    let place = Rect::from_min_size(pos2(left, rect.bottom() - 20.0), vec2(120.0, 20.0));
    let is_taken = |name: &str| {
        let mut others = clip.markers.iter().filter(|m| m.time != marker.time);
        others.any(|m| *m.name == *name)
    };
    let check = |name: &str| NameCheck::shared(name, "marker", || is_taken(name));
    match draft.show(ui, view.theme, place, "Name of the marker", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if *name != *marker.name => {
            let set = SetMarker {
                clip: ClipName::Id(id),
                time: Seconds(marker.time),
                name: Some(name),
                color: None,
            };
            actions.push(Action::Run(set.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    *edit = MarkerEdit::None;
}
