//! Markers on the ruler: flags with names, dragged, renamed in place, removed.

use egui::{Align2, Painter, Rect, Role, Sense, TextEdit, Ui, WidgetInfo, pos2, vec2};

use super::axis::TimeAxis;
use crate::ui::popups::{context_menu, menu_button};
use crate::ui::{
    Action, Actions, Theme, TimelineAction, View,
    theme::Font,
    widgets::{elided, select_all},
};
use ulna_edit::command::{
    Color, MoveMarker, RemoveMarker, SetMarker,
    field::{ClipName, Seconds},
};
use ulna_model::{Clip, ClipId, Marker, MarkerColor};
use ulna_render::ColorRole;

/// A marker that a hand is at.
#[derive(Clone, Debug, Default)]
pub enum MarkerEdit {
    /// None.
    #[default]
    None,
    /// One is dragged: from this time, and where it was previewed last.
    Moves { from: f32, shown: f32 },
    /// One is renamed: its time, and what is typed. Whether the field got the focus.
    Named { time: f32, text: String, focused: bool },
}

/// A flag with its foot at a point.
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

/// The markers of the shown clip, on the lower half of the ruler.
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
    name_ui(edit, ui, id, axis, rect, actions);
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
    if response.drag_started() {
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
    if response.double_clicked() {
        *edit =
            MarkerEdit::Named { time: marker.time, text: marker.name.to_string(), focused: false };
    } else if response.clicked() {
        actions.push(TimelineAction::Seek(f64::from(marker.time)));
    }
    context_menu(&response, None, |ui| {
        let time = Seconds(marker.time);
        if ui.button("Rename").clicked() {
            *edit = MarkerEdit::Named {
                time: marker.time,
                text: marker.name.to_string(),
                focused: false,
            };
            ui.close();
        }
        menu_button(ui, "Color", |ui| {
            for color in [Color::Violet, Color::Red, Color::Amber, Color::Green, Color::Blue] {
                let mut text = color.label().to_owned();
                text[..1].make_ascii_uppercase();
                if ui.button(text).clicked() {
                    let set = SetMarker { clip: clip(), time, name: None, color: Some(color) };
                    actions.push(Action::Run(set.into()));
                    ui.close();
                }
            }
        });
        if ui.button("Remove marker").clicked() {
            actions.push(Action::Run(RemoveMarker { clip: clip(), time }.into()));
            ui.close();
        }
    });
    response.on_hover_text(format!("{} · {:.3} s", marker.name, marker.time));
}

/// The field in which a marker is renamed.
fn name_ui(
    edit: &mut MarkerEdit,
    ui: &mut Ui,
    id: ClipId,
    axis: &TimeAxis,
    rect: Rect,
    actions: &mut Actions,
) {
    let MarkerEdit::Named { time, text, focused } = edit else { return };
    let left = axis.x(f64::from(*time)).clamp(rect.left(), rect.right() - 120.0);
    let place = Rect::from_min_size(pos2(left, rect.bottom() - 20.0), vec2(120.0, 20.0));
    let mut child = ui.new_child(egui::UiBuilder::new().id_salt("marker name").max_rect(place));
    let field =
        TextEdit::singleline(text).desired_width(112.0).margin(egui::Margin::symmetric(4, 1));
    let response = child.add_sized(place.size(), field);
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the marker"));
    if !*focused {
        response.request_focus();
        select_all(ui.ctx(), response.id, text);
        *focused = true;
        return;
    }
    if response.lost_focus() {
        if !ui.input(|i| i.key_pressed(egui::Key::Escape)) {
            let set = SetMarker {
                clip: ClipName::Id(id),
                time: Seconds(*time),
                name: Some(text.clone()),
                color: None,
            };
            actions.push(Action::Run(set.into()));
        }
        *edit = MarkerEdit::None;
    }
}
