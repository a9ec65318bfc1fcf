//! Contact rows: bars over the time ranges in which a foot or a hand stays in place. Bars are
//! dragged, a double click adds one, and a right click opens their menu.

use egui::{Align2, CursorIcon, Key, PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::sheet_layout::Sheet;
use crate::ui::{
    Action, Actions, Theme,
    contact_bars::{BarLook, ContactGrip, END, contact_spans, dragged_span, paint_bar},
    menu_rows::{MenuRows, Row, context_menu},
    theme::Font,
    widgets::{elided, paint_icon},
};
use ulna_edit::command::{
    AddContact, CleanContacts, Command, ContactSpace, FindContacts, FindHandContacts, MoveContact,
    RemoveContact,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{Document, Goal, GoalPoint, NodeId};
use ulna_motion::retarget::limb_root;
use ulna_render::ColorRole;

/// Drag of a contact bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactDrag {
    joint: Option<NodeId>,
    grip: Option<ContactGrip>,
    /// Start and end of the bar before the drag, in seconds.
    bar: [f32; 2],
    /// Start and end of all bars of the joint before the drag, in seconds.
    others: Vec<[f32; 2]>,
    /// Time under the pointer when the button was pressed, in seconds.
    pressed: f32,
}

/// Draws the row of a joint in `rect`, with its name at the left, and handles drags and clicks.
/// `seen`: the part of the sheet that other rows do not cover.
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
    let name = document.node(joint).label(joint);
    let row = ContactRow { sheet, document, joint, goals, name, rect, body };
    let bars = contact_spans(goals, joint);
    row.name(ui, seen, bars.len());
    row.ground(ui, actions);
    for (k, bar) in bars.iter().enumerate() {
        row.bar(drag, ui, (k, *bar), &bars, actions);
    }
    row.drag(drag, ui, actions);
}

/// Middle of a bar.
const fn middle([from, to]: [f32; 2]) -> Seconds {
    Seconds((from + to) * 0.5)
}

/// The contact row of a joint.
struct ContactRow<'a> {
    sheet: &'a Sheet<'a>,
    document: &'a Document,
    joint: NodeId,
    /// All contacts of the clip.
    goals: &'a [Goal],
    name: String,
    rect: Rect,
    /// The visible part of the area of the bars.
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
        let mut own = self.goals.iter().filter(|g| g.node == self.joint);
        let is_hand = own.all(|g| g.point == GoalPoint::Joint);
        let icon = if is_hand { icons::ICON_BACK_HAND } else { icons::ICON_FOOTPRINT };
        paint_icon(&painter, at(names.left() + 34.0), icon, 14.0, color);
        let text = elided(ui, &self.name, &small, names.width() - 140.0);
        let color = theme.color(ColorRole::TextPrimary);
        painter.text(at(names.left() + 46.0), Align2::LEFT_CENTER, text, small.clone(), color);
        let words = if count == 1 { "1 contact".to_owned() } else { format!("{count} contacts") };
        let color = theme.color(ColorRole::TextTertiary);
        painter.text(at(names.right() - 10.0), Align2::RIGHT_CENTER, words, small, color);
    }

    /// Handles the area behind the bars: a double click adds a contact.
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
                space: None,
            };
            actions.push(Action::Run(add.into()));
        }
        ground.on_hover_text(
            "Double-click adds a contact. Drag a bar or its ends. Right-click a bar for more",
        );
    }

    /// Adds the context menu rows of a bar.
    fn menu(&self, rows: &mut MenuRows<'_>, bar: [f32; 2], about: &str) {
        rows.header(&self.name, about);
        rows.submenu(Row::new("Follow").icon(icons::ICON_LINK.codepoint), |rows| {
            self.spaces(rows, bar);
        });
        rows.separator();
        rows.command(FindContacts::spec());
        rows.command(FindHandContacts::spec());
        rows.command(CleanContacts::spec());
        rows.separator();
        let remove = RemoveContact {
            clip: ClipName::Id(self.sheet.id),
            node: Nodes::one(self.joint),
            time: middle(bar),
            point: None,
        };
        let row = Row::new("Remove contact").icon(icons::ICON_DELETE.codepoint);
        rows.run(row, || remove.into());
    }

    /// Adds one row per node that a contact may follow: the current one, the selected ones, and
    /// meshes that no skin deforms.
    fn spaces(&self, rows: &mut MenuRows<'_>, bar: [f32; 2]) {
        /// Maximum number of listed nodes.
        const MOST: usize = 10;
        let now = Goal::followed(self.goals, self.joint, bar);
        let is_prop = |n: &NodeId| {
            let node = self.document.node(*n);
            node.mesh.is_some() && node.skin.is_none()
        };
        let selected = &self.sheet.view.selection.nodes;
        let props = self.document.nodes.order().iter().copied().filter(is_prop);
        let root = limb_root(self.document, self.joint);
        let mut nodes: Vec<NodeId> = Vec::new();
        for node in now.iter().copied().chain(selected.iter().copied()).chain(props) {
            if nodes.len() < MOST
                && !nodes.contains(&node)
                && node != root
                && !self.document.is_above(root, node)
            {
                nodes.push(node);
            }
        }
        let follow = |space: Option<NodeId>| ContactSpace {
            clip: ClipName::Id(self.sheet.id),
            node: Nodes::one(self.joint),
            time: middle(bar),
            space: space.map(Nodes::one),
            point: None,
        };
        let row = Row::new("Nothing (stay in the scene)").checked(now.is_empty());
        rows.run(row, || follow(None).into());
        for node in nodes {
            let title = self.document.node(node).label(node);
            let row = Row::new(title).checked(now == [node]);
            rows.run(row, || follow(Some(node)).into());
        }
        rows.separator();
        let row = Row::of(rows.view, ContactSpace::spec()).title("Another node…");
        rows.act(row, || Action::Ask(Command::from(follow(None)).line(self.document)));
    }

    /// Rounds a time to a frame, unless Shift is held.
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
        let frames = format!("frames {} to {}", frame(bar[0]), frame(bar[1]));
        let nodes = Goal::followed(self.goals, self.joint, bar);
        let names: Vec<String> = nodes.iter().map(|n| self.document.node(*n).label(*n)).collect();
        let follows = names.join(", ");
        let words = match follows.is_empty() {
            true => format!("{}, {frames}", self.name),
            false => format!("{}, {frames}, follows {follows}", self.name),
        };
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
            context_menu(&response, Some(place), self.sheet.view, actions, |rows| {
                self.menu(rows, bar, &frames);
            });
            let response = response.on_hover_cursor(cursor);
            if !follows.is_empty() {
                response.on_hover_text(format!("Follows {follows}"));
            }
        }
        let look = BarLook { hovers, ..BarLook::default() };
        let theme = self.sheet.view.theme;
        let painter = ui.painter_at(self.body);
        paint_bar(&painter, theme, place, look);
        if !follows.is_empty() {
            self.followed_name(ui, place, &follows);
        }
    }

    /// Draws the name of the followed node on a bar that is wide enough.
    fn followed_name(&self, ui: &Ui, place: Rect, name: &str) {
        /// Free space at both ends, and the width of the icon, in points.
        const ENDS: f32 = 8.0;
        const ICON: f32 = 14.0;
        let room = place.width() - 2.0 * ENDS - ICON;
        if room < ICON {
            return;
        }
        let theme = self.sheet.view.theme;
        let painter = ui.painter_at(self.body.intersect(place));
        let at = |x: f32| pos2(x, place.center().y);
        let color = theme.color(ColorRole::AccentText);
        paint_icon(&painter, at(place.left() + ENDS + 5.0), icons::ICON_LINK, 12.0, color);
        let small = Theme::font(Font::Small);
        let text = elided(ui, name, &small, room);
        let color = theme.color(ColorRole::TextPrimary);
        painter.text(at(place.left() + ENDS + ICON), Align2::LEFT_CENTER, text, small, color);
    }

    /// Continues the drag of a bar, wherever the pointer is.
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
