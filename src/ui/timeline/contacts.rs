//! Contact rows: bars over the times at which a foot or hand is in contact. Bars can be dragged,
//! added by a double click, and removed by a right click.

use egui::{Align2, CursorIcon, Key, PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::sheet_layout::Sheet;
use crate::ui::{
    Action, Actions, Theme,
    contact_bars::{BarLook, ContactGrip, END, contact_spans, dragged_span, paint_bar},
    theme::Font,
    widgets::{elided, paint_icon},
};
use ulna_edit::command::{
    AddContact, MoveContact, RemoveContact,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{Goal, NodeId};
use ulna_render::ColorRole;

/// Drag of a contact bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDrag {
    joint: Option<NodeId>,
    grip: Option<ContactGrip>,
    /// Start and end of the bar before the drag, in seconds.
    bar: [f32; 2],
    /// All bars of the joint before the drag.
    others: Vec<[f32; 2]>,
    /// Time under the pointer at the press, in seconds.
    pressed: f32,
}

/// Draws the contact row of a joint in `rect`, with its name on the left, and handles drags and
/// clicks. Only the part in `seen` is visible.
pub fn contacts_ui(
    drag: &mut ContactDrag,
    ui: &Ui,
    sheet: &Sheet<'_>,
    (joint, goals): (NodeId, &[Goal]),
    (rect, seen): (Rect, Rect),
    actions: &mut Actions,
) {
    let Some(document) = sheet.view.session.map(|s| s.document()) else { return };
    let body = Rect::from_min_max(pos2(sheet.axis.left, rect.top()), rect.max).intersect(seen);
    let row = ContactRow { sheet, joint, name: document.node(joint).label(joint), rect, body };
    let bars = contact_spans(goals, joint);
    row.name(ui, seen, bars.len());
    row.ground(ui, actions);
    for (k, bar) in bars.iter().enumerate() {
        row.bar(drag, ui, (k, *bar), &bars, actions);
    }
    row.drag(drag, ui, actions);
}

/// Contact row of a joint.
struct ContactRow<'a> {
    sheet: &'a Sheet<'a>,
    joint: NodeId,
    name: String,
    rect: Rect,
    /// Visible part of the row to the right of the names.
    body: Rect,
}

impl ContactRow<'_> {
    fn name(&self, ui: &Ui, seen: Rect, count: usize) {
        let theme = self.sheet.view.theme;
        let names =
            Rect::from_min_max(self.rect.min, pos2(self.sheet.axis.left, self.rect.bottom()));
        let painter = ui.painter_at(names.intersect(seen));
        let at = |x: f32| pos2(x, self.rect.center().y);
        let small = Theme::font(Font::Small);
        let color = theme.color(ColorRole::AccentText);
        paint_icon(&painter, at(names.left() + 34.0), icons::ICON_FOOTPRINT, 14.0, color);
        let text = elided(ui, &self.name, &small, names.width() - 140.0);
        let color = theme.color(ColorRole::TextPrimary);
        painter.text(at(names.left() + 46.0), Align2::LEFT_CENTER, text, small.clone(), color);
        let words = if count == 1 { "1 contact".to_owned() } else { format!("{count} contacts") };
        let color = theme.color(ColorRole::TextTertiary);
        painter.text(at(names.right() - 10.0), Align2::RIGHT_CENTER, words, small, color);
    }

    /// Adds a contact on a double click.
    fn ground(&self, ui: &Ui, actions: &mut Actions) {
        let id = ui.scope_id().with(("contacts", self.joint.0));
        let ground = ui.interact(self.body, id, Sense::click());
        let name = format!("Contacts of {}", self.name);
        ground.widget_info(|| WidgetInfo::labeled(Role::Group, true, &name));
        if let Some(at) = ground.interact_pointer_pos().filter(|_| ground.double_clicked()) {
            let add = AddContact {
                clip: ClipName::Id(self.sheet.id),
                node: Nodes::Ids(vec![self.joint]),
                from: Seconds(self.snapped(ui, self.sheet.axis.time(at.x).max(0.0))),
                to: None,
                point: None,
            };
            actions.push(Action::Run(add.into()));
        }
        ground.on_hover_text(
            "Double-click adds a contact. Drag a bar or its ends. Right-click removes it",
        );
    }

    /// Rounds a time to the nearest frame, unless Shift is held.
    fn snapped(&self, ui: &Ui, time: f64) -> f32 {
        let fps = self.sheet.view.timeline.playback.fps;
        let free = fps <= 0.0 || ui.input(|i| i.modifiers.shift);
        if free { time as f32 } else { ((time * fps).round() / fps) as f32 }
    }

    fn bar(
        &self,
        drag: &mut ContactDrag,
        ui: &Ui,
        (number, bar): (usize, [f32; 2]),
        others: &[[f32; 2]],
        actions: &mut Actions,
    ) {
        let axis = &self.sheet.axis;
        let [left, right] = bar.map(|t| axis.x(f64::from(t)));
        let y = self.rect.center().y;
        let place = Rect::from_center_size(
            pos2((left + right) * 0.5, y),
            vec2((right - left).max(4.0), self.rect.height() - 4.0),
        );
        let fps = self.sheet.view.timeline.playback.fps;
        let frame = |t: f32| (f64::from(t) * fps).round();
        let words = format!("{}, frames {} to {}", self.name, frame(bar[0]), frame(bar[1]));
        let end = |x: f32| Rect::from_center_size(pos2(x, y), vec2(END, place.height() + 4.0));
        let grips = [
            (ContactGrip::Body, place, "Contact", CursorIcon::Grab),
            (ContactGrip::Start, end(left), "Start of contact", CursorIcon::ResizeHorizontal),
            (ContactGrip::End, end(right), "End of contact", CursorIcon::ResizeHorizontal),
        ];
        let is_held = drag.joint == Some(self.joint) && drag.bar == bar;
        let mut hovers = is_held;
        for (grip, area, name, cursor) in grips {
            let area = area.intersect(self.body);
            if !area.is_positive() {
                continue;
            }
            let id = ui.scope_id().with(("contact", self.joint.0, number, grip as u8));
            let response = ui.interact(area, id, Sense::click_and_drag());
            response.widget_info(|| {
                WidgetInfo::labeled(Role::Button, true, format!("{name} of {words}"))
            });
            hovers |= response.hovered();
            if response.drag_started_by(PointerButton::Primary)
                && let Some(at) = response.interact_pointer_pos()
            {
                *drag = ContactDrag {
                    joint: Some(self.joint),
                    grip: Some(grip),
                    bar,
                    others: others.to_vec(),
                    pressed: axis.time(at.x) as f32,
                };
            }
            if response.secondary_clicked() {
                let remove = RemoveContact {
                    clip: ClipName::Id(self.sheet.id),
                    node: Nodes::Ids(vec![self.joint]),
                    time: Seconds((bar[0] + bar[1]) * 0.5),
                    point: None,
                };
                actions.push(Action::Run(remove.into()));
            }
            response.on_hover_cursor(cursor);
        }
        let look = BarLook { hovers, ..BarLook::default() };
        paint_bar(&ui.painter_at(self.body), self.sheet.view.theme, place, look);
    }

    /// Continues the drag of a bar, even if the pointer has left the row.
    fn drag(&self, drag: &mut ContactDrag, ui: &Ui, actions: &mut Actions) {
        let Some(grip) = drag.grip.filter(|_| drag.joint == Some(self.joint)) else { return };
        let (at, down, escapes) = ui.input(|i| {
            (i.pointer.latest_pos(), i.pointer.primary_down(), i.key_pressed(Key::Escape))
        });
        if escapes {
            *drag = ContactDrag::default();
            actions.push(Action::Cancel);
            return;
        }
        if let Some(at) = at {
            let by = self.sheet.axis.time(at.x) as f32 - drag.pressed;
            let fps = self.sheet.view.timeline.playback.fps.max(1.0);
            let length = self.sheet.clip.length();
            let limits = (by, length, (1.0 / fps) as f32);
            let snapped = |t: f32| self.snapped(ui, f64::from(t));
            let [from, to] = dragged_span(grip, drag.bar, &drag.others, limits, snapped);
            let moved = MoveContact {
                clip: ClipName::Id(self.sheet.id),
                node: Nodes::Ids(vec![self.joint]),
                time: Seconds((drag.bar[0] + drag.bar[1]) * 0.5),
                from: (grip != ContactGrip::End).then_some(Seconds(from)),
                to: (grip != ContactGrip::Start).then_some(Seconds(to)),
                point: None,
            };
            let (label, commands) = ("Move contact".to_owned(), vec![moved.into()]);
            actions.push(Action::Preview { label, commands });
        }
        if !down {
            *drag = ContactDrag::default();
            actions.push(Action::Commit);
        }
    }
}
