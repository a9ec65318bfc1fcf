//! Rows of three number fields with axis letters. The numbers can be dragged or typed.

use egui::{Align2, DragValue, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;
use glam::{EulerRot, Quat, Vec3};

use crate::ui::{
    Length, Theme,
    theme::Font,
    widgets::{name_widget, paint_icon, short_number},
};
use ulna_edit::evaluate;
use ulna_model::transform::unit_or;
use ulna_render::{ColorRole, Measure};

/// Name, unit and drag speed of a row's numbers.
#[derive(Clone, Copy, Debug)]
pub struct Triple {
    name: &'static str,
    degrees: bool,
    speed: f64,
    neutral: f32,
    /// Displayed units per stored unit.
    factor: f32,
}

impl Triple {
    /// Displayed units per stored unit.
    pub const fn shown_factor(&self) -> f32 {
        self.factor
    }

    pub fn length(name: &'static str, unit: Length) -> Self {
        let factor = unit.per_meter();
        Self { name, degrees: false, speed: 0.002 * f64::from(factor), neutral: 0.0, factor }
    }

    pub const fn angle(name: &'static str) -> Self {
        Self { name, degrees: true, speed: 0.5, neutral: 0.0, factor: 1.0 }
    }

    pub const fn factor(name: &'static str) -> Self {
        Self { name, degrees: false, speed: 0.005, neutral: 1.0, factor: 1.0 }
    }

    /// Format of the row: four numbers if a rotation is shown as a quaternion, else three.
    pub fn shape(&self, rotation: Quat, order: Order) -> RowFormat {
        let quaternion = (self.degrees && order == Order::Quaternion).then_some(rotation);
        RowFormat { quaternion, ..RowFormat::default() }
    }
}

/// Format of a row of number fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFormat {
    /// The quaternion to show in place of Euler angles.
    pub quaternion: Option<Quat>,
    /// True for axes on which the selected nodes differ.
    pub mixed: [bool; 3],
    /// Locks of the row's channels. Locked channels cannot be edited.
    pub locks: RowLocks,
}

/// Locks of a row's channels.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowLocks {
    /// True for locked axes.
    pub axes: [bool; 3],
    /// True if the axis letters are buttons that toggle locks.
    pub is_shown: bool,
    /// True if the axes can only be locked together. This holds for Euler orders other than that of
    /// the stored locks.
    pub as_one: bool,
}

impl RowLocks {
    /// True if the field of an axis is locked.
    fn has(&self, axis: usize) -> bool {
        let all = self.axes == [true; 3];
        if self.as_one { all } else { self.axes.get(axis).copied().unwrap_or(all) }
    }
}

/// Display of a rotation: an order of Euler angles about rotated axes, or a quaternion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Xyz,
    Xzy,
    Yxz,
    Yzx,
    Zxy,
    Zyx,
    /// The four numbers of the quaternion in place of angles.
    Quaternion,
}

impl Order {
    pub const ALL: [Self; 7] =
        [Self::Xyz, Self::Xzy, Self::Yxz, Self::Yzx, Self::Zxy, Self::Zyx, Self::Quaternion];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Xyz => "XYZ",
            Self::Xzy => "XZY",
            Self::Yxz => "YXZ",
            Self::Yzx => "YZX",
            Self::Zxy => "ZXY",
            Self::Zyx => "ZYX",
            Self::Quaternion => "XYZW",
        }
    }

    /// Glam's Euler order, and the axis index of each of its three angles.
    const fn glam(self) -> (EulerRot, [usize; 3]) {
        match self {
            Self::Xyz | Self::Quaternion => (EulerRot::XYZ, [0, 1, 2]),
            Self::Xzy => (EulerRot::XZY, [0, 2, 1]),
            Self::Yxz => (EulerRot::YXZ, [1, 0, 2]),
            Self::Yzx => (EulerRot::YZX, [1, 2, 0]),
            Self::Zxy => (EulerRot::ZXY, [2, 0, 1]),
            Self::Zyx => (EulerRot::ZYX, [2, 1, 0]),
        }
    }

    /// Euler angles about x, y and z, in degrees.
    pub fn degrees(self, rotation: Quat) -> Vec3 {
        let (order, axes) = self.glam();
        let (a, b, c) = rotation.to_euler(order);
        let mut degrees = Vec3::ZERO;
        for (axis, angle) in axes.into_iter().zip([a, b, c]) {
            degrees[axis] = angle.to_degrees();
        }
        degrees
    }

    /// Rotation with the Euler angles about x, y and z, in degrees.
    pub fn rotation(self, degrees: Vec3) -> Quat {
        let (order, [a, b, c]) = self.glam();
        Quat::from_euler(
            order,
            degrees[a].to_radians(),
            degrees[b].to_radians(),
            degrees[c].to_radians(),
        )
    }
}

/// Result of a row in this frame: edited values, clicks and positions.
#[derive(Clone, Debug)]
pub struct Edited {
    /// New values of the row; `None` if unchanged.
    pub values: Option<Vec3>,
    /// Index of the changed axis.
    pub axis: usize,
    /// New rotation, if the row shows a quaternion.
    pub quaternion: Option<Quat>,
    /// True if the edit is finished: the drag ended or the text was confirmed.
    pub done: bool,
    /// Index of the axis whose lock was clicked.
    pub lock: Option<usize>,
    /// Position of the key mark beside the row.
    pub slot: egui::Pos2,
    /// True if all axes changed.
    pub all: bool,
    /// Index of the axis and response of each field, for the context menus.
    pub fields: Vec<(usize, egui::Response)>,
}

/// Draws a row of three numbers, or of the four numbers of a quaternion.
pub fn triple_ui(
    ui: &mut Ui,
    theme: &Theme,
    triple: &Triple,
    values: Vec3,
    editable: bool,
    shape: &RowFormat,
) -> Edited {
    let mut edited = Edited {
        values: None,
        axis: 0,
        quaternion: None,
        done: false,
        lock: None,
        slot: pos2(0.0, 0.0),
        all: false,
        fields: Vec::new(),
    };
    // Minimum width in points of a field with its letter and five digits. If the fields are
    // narrower, the name of the row is drawn above them.
    const LEAST: f32 = 58.0;
    let count = if shape.quaternion.is_some() { 4 } else { 3 };
    let fit = |room: f32| (room - 24.0 - 4.0 * (count as f32 - 1.0)) / count as f32;
    let beside = ui.available_width() - Measure::LabelColumn.points() - 4.0;
    let above = fit(beside) < LEAST;
    let title = |ui: &mut Ui| {
        let word = triple.name.split_once(' ').map_or(triple.name, |(_, w)| w);
        let mut title = word.to_owned();
        title[..1].make_ascii_uppercase();
        let height = if above { 16.0 } else { 24.0 };
        let (label, _) =
            ui.allocate_exact_size(vec2(Measure::LabelColumn.points(), height), Sense::hover());
        let (font, color) = (Theme::font(Font::Small), theme.color(ColorRole::TextSecondary));
        ui.painter().text(label.left_center(), Align2::LEFT_CENTER, title, font, color);
    };
    if above {
        title(ui);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if !above {
            title(ui);
        }
        let width = fit(ui.available_width()).max(44.0);
        for axis in 0..count {
            let field = Field {
                name: format!("{} {}", triple.name, ["X", "Y", "Z", "W"][axis]),
                letter: ["X", "Y", "Z", "W"][axis],
                color: theme.color(
                    [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ, ColorRole::AxisW][axis],
                ),
                editable: editable && !shape.locks.has(axis),
                lock: (shape.locks.is_shown && shape.quaternion.is_none())
                    .then(|| shape.locks.has(axis)),
                is_locked: shape.locks.has(axis),
                mixed: shape.quaternion.is_none() && shape.mixed[axis],
                degrees: triple.degrees && shape.quaternion.is_none(),
                neutral: if shape.quaternion.is_some() {
                    f32::from(u8::from(axis == 3))
                } else {
                    triple.neutral
                },
                speed: if shape.quaternion.is_some() { 0.005 } else { triple.speed },
            };
            let value = shape
                .quaternion
                .map_or_else(|| values[axis] * triple.factor, |q| q.to_array()[axis]);
            let (rect, _) = ui.allocate_exact_size(vec2(width, 24.0), Sense::hover());
            let rect = rect.shrink2(vec2(0.0, 2.0));
            let (new, done, response) = field.show(ui, theme, rect, value);
            edited.fields.push((axis, response));
            if field.lock_ui(ui, theme, rect) {
                edited.lock = Some(axis);
            }
            if let Some(new) = new {
                edited.axis = axis;
                if let Some(old) = shape.quaternion {
                    let mut parts = old.to_array();
                    parts[axis] = new;
                    edited.quaternion = Some(unit_or(Quat::from_array(parts), old));
                } else {
                    let mut all = values;
                    all[axis] = new / triple.factor;
                    edited.values = Some(all);
                }
            }
            edited.done |= done;
        }
        let (slot, _) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::hover());
        edited.slot = slot.center();
    });
    edited
}

/// A number field with its axis letter.
struct Field {
    name: String,
    letter: &'static str,
    color: egui::Color32,
    editable: bool,
    /// Lock state that the letter shows; `None` if the letter is not a button.
    lock: Option<bool>,
    /// True if a lock prevents typing.
    is_locked: bool,
    mixed: bool,
    degrees: bool,
    neutral: f32,
    speed: f64,
}

impl Field {
    /// Draws the field. Returns the new value if it changed, whether the edit is finished, and the
    /// response.
    fn show(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        field: egui::Rect,
        mut value: f32,
    ) -> (Option<f32>, bool, egui::Response) {
        let fill = theme.color(if self.editable {
            ColorRole::SurfaceField
        } else {
            ColorRole::SurfacePanel
        });
        let edge = if self.editable { theme.field_edge() } else { egui::Stroke::NONE };
        ui.painter().rect(field, 4.0, fill, edge, egui::StrokeKind::Inside);
        let neutral = (value - self.neutral).abs() < 5e-4;
        let text_color = match (self.editable, neutral || self.mixed) {
            (_, true) => theme.color(ColorRole::TextTertiary),
            (true, false) => theme.color(ColorRole::TextPrimary),
            (false, false) => theme.color(ColorRole::TextSecondary),
        };
        if !self.editable {
            let text = short_number(value, self.degrees);
            let at = pos2(field.right() - 6.0, field.center().y);
            ui.painter().text(
                at,
                Align2::RIGHT_CENTER,
                &text,
                Theme::font(Font::Number),
                text_color,
            );
            let seen = ui.interact(field, ui.scope_id().with(&self.name), Sense::click());
            let name = format!("{} {text}", self.name);
            seen.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
            let seen = seen.on_hover_text(if self.is_locked {
                format!("{value}. This channel is locked against posing by hand.")
            } else {
                format!("{value}")
            });
            return (None, false, seen);
        }
        let (degrees, mixed) = (self.degrees, self.mixed);
        let inner = egui::Rect::from_min_max(pos2(field.left() + 13.0, field.top()), field.max);
        let mut child = ui.new_child(egui::UiBuilder::new().id_salt(&self.name).max_rect(inner));
        let visuals = child.visuals_mut();
        for w in [
            &mut visuals.widgets.inactive,
            &mut visuals.widgets.hovered,
            &mut visuals.widgets.active,
        ] {
            w.weak_bg_fill = egui::Color32::TRANSPARENT;
            w.bg_fill = egui::Color32::TRANSPARENT;
        }
        visuals.widgets.inactive.fg_stroke.color = text_color;
        child.spacing_mut().button_padding = vec2(2.0, 0.0);
        child.spacing_mut().interact_size = inner.size();
        let drag = DragValue::new(&mut value)
            .speed(self.speed)
            .update_while_editing(false)
            .custom_formatter(
                move |v, _| if mixed { "mixed".into() } else { short_number(v as f32, degrees) },
            )
            .custom_parser(evaluate);
        let response = child.add_sized(inner.size(), drag);
        name_widget(&child, &response, &self.name);
        let response = response.on_hover_text(RichText::new(format!("{}: {value}", self.name)));
        if !response.dragged() && is_given_up(ui) {
            return (None, false, response);
        }
        let new = response.changed().then_some(value);
        let done = response.drag_stopped() || (response.changed() && !response.dragged());
        (new, done, response)
    }
}

impl Field {
    /// Draws the axis letter, which toggles the lock of its channel. Returns whether it was
    /// clicked.
    fn lock_ui(&self, ui: &Ui, theme: &Theme, field: egui::Rect) -> bool {
        let letter = || {
            let at = pos2(field.left() + 5.0, field.center().y);
            let font = Theme::font(Font::Caption);
            ui.painter().text(at, Align2::LEFT_CENTER, self.letter, font, self.color);
        };
        let Some(locked) = self.lock else {
            letter();
            return false;
        };
        let area = field.with_max_x(field.left() + 13.0);
        let name = format!("Lock {}", self.name);
        let response = ui.interact(area, ui.scope_id().with(&name), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, locked, &name));
        if locked || response.hovered() || response.has_focus() {
            let icon = if locked { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
            let color = if response.hovered() || locked {
                theme.color(ColorRole::TextPrimary)
            } else {
                self.color
            };
            let at = pos2(field.left() + 8.0, field.center().y);
            paint_icon(ui.painter(), at, icon, 11.0, color);
        } else {
            letter();
        }
        let about = if locked {
            "Unlocks this channel for posing by hand"
        } else {
            "Locks this channel against posing by hand; clips play unchanged"
        };
        response.on_hover_text(about).clicked()
    }
}

/// True if Escape canceled the typed text. egui reports the lost focus in two passes, and accepts
/// the number in the second pass, which has no key press. The pass of the key press is therefore
/// stored.
fn is_given_up(ui: &Ui) -> bool {
    let (now, id) = (ui.ctx().cumulative_pass_nr(), egui::Id::unique("typed number given up"));
    if ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        ui.data_mut(|d| d.insert_temp(id, now));
    }
    ui.data(|d| d.get_temp::<u64>(id)).is_some_and(|at| now <= at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_euler_order_restores_the_rotation_from_its_angles() {
        let rotation = Quat::from_euler(EulerRot::ZYX, 0.4, -1.1, 2.3);
        for order in Order::ALL {
            let again = order.rotation(order.degrees(rotation));
            assert!(again.dot(rotation).abs() > 1.0 - 1e-5, "{order:?}");
        }
    }
}
