//! Cells of the vertex table. A cell is clicked to type a number. A drag selects several cells, and
//! typed numbers or arithmetic then apply to all. Pasting a spreadsheet grid fills cells from the
//! first selected one.

use egui::{Event, Key, Rect, Sense, Ui, WidgetInfo, pos2, vec2};

use super::selection_key::selection_key;
use crate::ui::{
    Actions, PaintAction, Theme, View, theme::Font, weight_marks::heat_color, widgets::name_widget,
};
use ulna_edit::{command::field::How, evaluate};
use ulna_model::SkinId;
use ulna_render::ColorRole;

/// Pseudo vertex index of the row for all selected vertices.
pub const EVERY: u32 = u32::MAX;

/// Selected cells, and the text being typed.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    typed: Option<Typed>,
    /// Two opposite corners of the selected cells, by row and column.
    corners: Option<[(usize, usize); 2]>,
    /// True while a drag selects cells.
    dragging: bool,
    /// Skin, vertices and joint columns that the corners refer to.
    of: (Option<SkinId>, (usize, u64), Vec<u16>),
    /// Reason why the typed text was refused; `None` if it was accepted.
    pub refused: Option<String>,
}

/// First and last row, and first and last column.
type Block = ([usize; 2], [usize; 2]);

/// A cell with a text field.
#[derive(Clone, Debug)]
struct Typed {
    vertex: u32,
    joint: u16,
    text: String,
    /// Block of cells that the text applies to; `None` for a single cell.
    block: Option<Block>,
    /// Number of frames since the cell was visible.
    unseen: u8,
    /// True until the field was visible once. Until then, a missing focus does not end typing.
    fresh: bool,
}

impl Typed {
    fn new((vertex, joint): (u32, u16), block: Option<Block>) -> Self {
        Self { vertex, joint, text: String::new(), block, unseen: 0, fresh: true }
    }
}

/// Rows and columns of the table, with their positions.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    pub vertices: &'a [u32],
    pub joints: &'a [u16],
    /// Left edge of the first column, in points of the window.
    pub left: f32,
    /// Width of a column, in points.
    pub each: f32,
}

/// Height of a row, in points.
pub const ROW: f32 = 22.0;

impl Cells {
    /// Vertex of the cell that is being edited in a text field.
    pub fn vertex(&self) -> Option<u32> {
        self.typed.as_ref().map(|t| t.vertex)
    }

    /// Clears the selected cells and the text field if the table shows other vertices or joints.
    ///
    /// Also closes a text field that was scrolled out of view. Otherwise it would still receive the
    /// keys.
    pub fn follow(&mut self, skin: SkinId, sheet: &Sheet<'_>) {
        const SOON: u8 = 3;
        let now = (Some(skin), selection_key(sheet.vertices));
        let other = (self.of.0, self.of.1) != now;
        if other || self.of.2 != sheet.joints {
            self.of = (now.0, now.1, sheet.joints.to_vec());
            (self.corners, self.dragging) = (None, false);
            self.typed = self.typed.take().filter(|t| !other && t.block.is_none());
        }
        if let Some(typed) = &mut self.typed {
            typed.unseen += 1;
            self.typed = self.typed.take().filter(|t| t.unseen <= SOON);
        }
    }

    /// Applies the typed text to its cells before another cell is edited.
    fn finish(&mut self, view: &View<'_>, sheet: &Sheet<'_>, actions: &mut Actions) {
        let Some(typed) = self.typed.take().filter(|t| !t.text.is_empty()) else { return };
        let row = sheet.vertices.iter().position(|v| *v == typed.vertex);
        let column = sheet.joints.iter().position(|j| *j == typed.joint);
        let cell = row.zip(column).map(|(r, c)| ([r; 2], [c; 2]));
        if let Some(block) = typed.block.or(cell) {
            self.type_into(view, sheet, block, &typed.text, actions);
        }
    }

    /// The selected block of rows and columns.
    fn chosen(&self) -> Option<Block> {
        let [a, b] = self.corners?;
        Some(([a.0.min(b.0), a.0.max(b.0)], [a.1.min(b.1), a.1.max(b.1)]))
    }

    fn has(&self, row: usize, column: usize) -> bool {
        let within = |[low, high]: [usize; 2], v| (low..=high).contains(&v);
        self.chosen().is_some_and(|(rows, columns)| within(rows, row) && within(columns, column))
    }

    /// True if several cells are selected.
    fn has_many(&self) -> bool {
        self.corners.is_some_and(|[a, b]| a != b)
    }

    /// Draws a cell of a row. `top` is the y-coordinate of the row.
    pub fn cell_ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        sheet: &Sheet<'_>,
        (row, column, top): (usize, usize, f32),
        (weight, name): (f32, &str),
        actions: &mut Actions,
    ) {
        let (vertex, joint) = (sheet.vertices[row], sheet.joints[column]);
        let area = Rect::from_min_size(
            pos2(sheet.left + sheet.each * column as f32, top),
            vec2(sheet.each, ROW),
        );
        if self.has_many() && self.has(row, column) {
            ui.painter().rect_filled(area, 0.0, view.theme.color(ColorRole::AccentTint));
        }
        if self.vertex() == Some(vertex) {
            self.take_clipboard(ui, view, sheet, actions);
        }
        let (typed, response) = self.one(ui, view, area, (vertex, joint), weight, name);
        if let Some(typed) = typed {
            let chosen = typed.block.unwrap_or(([row; 2], [column; 2]));
            self.type_into(view, sheet, chosen, &typed.text, actions);
        }
        let Some(response) = response else { return };
        let (shift, at) = ui.input(|i| {
            let held =
                |e: &Event| matches!(e, Event::PointerButton { modifiers, .. } if modifiers.shift);
            (i.modifiers.shift || i.events.iter().any(held), i.pointer.interact_pos())
        });
        if response.clicked() {
            self.finish(view, sheet, actions);
            self.corners = match self.corners {
                Some([from, _]) if shift => Some([from, (row, column)]),
                _ => Some([(row, column); 2]),
            };
            self.open(sheet);
        }
        if response.drag_started() {
            self.finish(view, sheet, actions);
            self.corners = Some([(row, column); 2]);
            self.dragging = true;
        }
        if response.dragged()
            && self.dragging
            && let (Some(at), Some([_, to])) = (at, &mut self.corners)
        {
            let step = ((at.y - top) / ROW).floor();
            let over = (row as f32 + step).clamp(0.0, sheet.vertices.len().saturating_sub(1) as f32)
                as usize;
            let across = ((at.x - sheet.left) / sheet.each)
                .floor()
                .clamp(0.0, sheet.joints.len() as f32 - 1.0) as usize;
            *to = (over, across);
            ui.ctx().request_repaint();
        }
        if response.drag_stopped() && self.dragging {
            self.dragging = false;
            self.open(sheet);
        }
    }

    /// Opens a text field in the first corner of the selected block. The typed text applies to all
    /// selected cells.
    fn open(&mut self, sheet: &Sheet<'_>) {
        let Some([(row, column), _]) = self.corners else { return };
        let (Some(vertex), Some(joint)) = (sheet.vertices.get(row), sheet.joints.get(column))
        else {
            return;
        };
        self.typed = Some(Typed::new((*vertex, *joint), self.chosen().filter(|_| self.has_many())));
        self.refused = None;
    }

    /// Draws the cell for all selected vertices. Returns the typed text.
    pub fn every_ui(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        area: Rect,
        joint: u16,
        (weight, name): (f32, &str),
    ) -> Option<String> {
        let (typed, response) = self.one(ui, view, area, (EVERY, joint), weight, name);
        if response.is_some_and(|r| r.clicked()) {
            self.typed = Some(Typed::new((EVERY, joint), None));
            self.refused = None;
        }
        typed.map(|t| t.text)
    }

    /// Draws a weight that can be replaced by a number or arithmetic such as `*0.5` or `+0.1`.
    /// Returns finished text, or the response of the cell without a text field.
    fn one(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        area: Rect,
        place: (u32, u16),
        weight: f32,
        name: &str,
    ) -> (Option<Typed>, Option<egui::Response>) {
        let theme = view.theme;
        if let Some(typed) = self.typed.as_mut().filter(|t| (t.vertex, t.joint) == place) {
            typed.unseen = 0;
            let hint = if typed.block.is_some() {
                "all selected vertices".to_owned()
            } else {
                format!("{weight:.3}")
            };
            let edit = egui::TextEdit::singleline(&mut typed.text)
                .hint_text(hint)
                .font(Theme::font(Font::Number))
                .desired_width(area.width() - 8.0);
            let field = ui.put(area.shrink2(vec2(2.0, 1.0)), edit);
            name_widget(ui, &field, name);
            if field.lost_focus() && !std::mem::take(&mut typed.fresh) {
                let escape = ui.input(|i| i.key_pressed(Key::Escape));
                return (self.typed.take().filter(|t| !t.text.is_empty() && !escape), None);
            }
            typed.fresh = false;
            field.request_focus();
            return (None, None);
        }
        let response =
            ui.interact(area, ui.scope_id().with(("cell", place)), Sense::click_and_drag());
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, true, format!("{name}: {weight:.3}"))
        });
        if response.hovered() {
            ui.painter().rect_filled(area, 3.0, theme.color(ColorRole::SurfaceControlHover));
        }
        let swatch =
            Rect::from_center_size(pos2(area.right() - 50.0, area.center().y), vec2(8.0, 8.0));
        let color = if weight == 0.0 {
            theme.color(ColorRole::ViewportZeroWeight)
        } else {
            heat_color(weight)
        };
        ui.painter().rect_filled(swatch, 2.0, color);
        let color = if weight == 0.0 { ColorRole::TextTertiary } else { ColorRole::TextPrimary };
        ui.painter().text(
            pos2(area.right() - 2.0, area.center().y),
            egui::Align2::RIGHT_CENTER,
            format!("{weight:.3}"),
            Theme::font(Font::Number),
            theme.color(color),
        );
        (None, Some(response))
    }

    /// Applies the typed text to each selected cell.
    fn type_into(
        &mut self,
        view: &View<'_>,
        sheet: &Sheet<'_>,
        (rows, columns): ([usize; 2], [usize; 2]),
        text: &str,
        actions: &mut Actions,
    ) {
        let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
        let maps = canvas.maps(session.document());
        let vertices = &sheet.vertices[rows[0]..=rows[1].min(sheet.vertices.len() - 1)];
        let joints = &sheet.joints[columns[0]..=columns[1].min(sheet.joints.len() - 1)];
        let mut values = Vec::with_capacity(vertices.len() * joints.len());
        for vertex in vertices {
            let (map, own) = maps.map_of(*vertex);
            for joint in joints {
                match gone_on(map.weight(own, *joint), text) {
                    Ok(value) => values.push(value),
                    Err(why) => {
                        self.refused = Some(why);
                        return;
                    }
                }
            }
        }
        actions.push(PaintAction::Cells {
            vertices: vertices.to_vec(),
            joints: joints.to_vec(),
            values,
        });
    }

    /// Handles the clipboard: a pasted grid fills cells from the first selected one, and copying
    /// takes the selected cells unless text was typed.
    fn take_clipboard(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        sheet: &Sheet<'_>,
        actions: &mut Actions,
    ) {
        let is_grid = |text: &str| text.trim_end().contains(['\t', '\n']);
        let pasted = ui.input_mut(|i| {
            let at =
                i.events.iter().position(|e| matches!(e, Event::Paste(text) if is_grid(text)))?;
            match i.events.remove(at) {
                Event::Paste(text) => Some(text),
                _ => None,
            }
        });
        if let Some(text) = pasted {
            self.paste(sheet, &text, actions);
        }
        let nothing = self.typed.as_ref().is_some_and(|t| t.text.is_empty());
        if nothing
            && self.has_many()
            && ui.input(|i| i.events.iter().any(|e| matches!(e, Event::Copy)))
        {
            ui.input_mut(|i| i.events.retain(|e| !matches!(e, Event::Copy)));
            if let Some(text) = self.copied(view, sheet) {
                ui.ctx().copy_text(text);
            }
        }
    }

    /// The selected cells as rows of a spreadsheet.
    fn copied(&self, view: &View<'_>, sheet: &Sheet<'_>) -> Option<String> {
        let (rows, columns) = self.chosen()?;
        let (canvas, session) = (view.paint.surface()?, view.session?);
        let maps = canvas.maps(session.document());
        let row = |vertex: &u32| {
            let (map, own) = maps.map_of(*vertex);
            let cells = sheet.joints.get(columns[0]..=columns[1]).unwrap_or_default().iter();
            cells.map(|j| map.weight(own, *j).to_string()).collect::<Vec<_>>().join("\t")
        };
        Some(sheet.vertices.get(rows[0]..=rows[1])?.iter().map(row).collect::<Vec<_>>().join("\n"))
    }

    fn paste(&mut self, sheet: &Sheet<'_>, text: &str, actions: &mut Actions) {
        let Some((rows, columns)) = self.chosen() else { return };
        self.refused = match grid(text) {
            Err(why) => Some(why),
            Ok((width, values)) => {
                let height = values.len() / width;
                let room = (sheet.vertices.len() - rows[0], sheet.joints.len() - columns[0]);
                if height > room.0 || width > room.1 {
                    let (down, across) = (plural(height, "row"), plural(width, "column"));
                    Some(format!(
                        "The clipboard has {down} and {across}, but from this cell on the table \
                            has only {} and {}",
                        plural(room.0, "row"),
                        plural(room.1, "column")
                    ))
                } else {
                    let vertices = sheet.vertices[rows[0]..rows[0] + height].to_vec();
                    let joints = sheet.joints[columns[0]..columns[0] + width].to_vec();
                    actions.push(PaintAction::Cells { vertices, joints, values });
                    self.typed = None;
                    None
                }
            }
        };
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Number of columns and all weights of a pasted grid, row by row.
fn grid(text: &str) -> Result<(usize, Vec<f32>), String> {
    let mut values = Vec::new();
    let mut width = None;
    for line in text.trim_end_matches(['\r', '\n']).lines() {
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        if *width.get_or_insert(cells.len()) != cells.len() {
            return Err("The rows in the clipboard have different lengths".into());
        }
        for cell in cells {
            // Some languages use a decimal comma.
            let number =
                cell.replace(',', ".").parse::<f32>().ok().filter(|v| (0.0..=1.0).contains(v));
            values.push(
                number.ok_or_else(|| {
                    format!("“{cell}” in the clipboard is not a weight from 0 to 1")
                })?,
            );
        }
    }
    Ok((width.unwrap_or(1).max(1), values))
}

/// New weight after applying typed text as in [`meant`]. Relative changes are clamped to 0..=1.
fn gone_on(weight: f32, text: &str) -> Result<f32, String> {
    let (how, value) = meant(text)?;
    let made = match how {
        How::Replace => value,
        How::Add => weight + value,
        How::Subtract => weight - value,
        How::Scale => weight * value,
    };
    Ok(made.clamp(0.0, 1.0))
}

/// Parses typed text as an operation on weights: `0.5` sets, `+0.1` and `-0.1` add, `*0.5` and `/2`
/// scale. The error says why the text is invalid.
pub fn meant(text: &str) -> Result<(How, f32), String> {
    let text = text.trim();
    let none = || format!("“{text}” is not a number. Type a weight such as 0.5, or +0.1, *0.5");
    let rest = |signs: &[char]| {
        text.strip_prefix(signs).map(|t| evaluate(t).map(|v| v as f32).ok_or_else(none))
    };
    let within = |how: How, value: Result<f32, String>| {
        let value = value?;
        let most = if how == How::Scale { 100.0 } else { 1.0 };
        match value.is_finite() && (0.0..=most).contains(&value) {
            true => Ok((how, value)),
            false if how == How::Scale => Err(format!("“{text}”: use a factor from 0 to 100")),
            false => Err(format!("“{text}”: use a weight from 0 to 1")),
        }
    };
    if let Some(value) = rest(&['+']) {
        return within(How::Add, value);
    }
    if let Some(value) = rest(&['-', '−']) {
        return within(How::Subtract, value);
    }
    if let Some(value) = rest(&['*', '×']) {
        return within(How::Scale, value);
    }
    if let Some(value) = rest(&['/']) {
        return within(How::Scale, value.map(|v| 1.0 / v));
    }
    within(How::Replace, evaluate(text).map(|v| v as f32).ok_or_else(none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_grid_is_read_or_its_error_is_named() {
        assert_eq!(grid("0.5\t0,25\r\n1\t0\r\n"), Ok((2, vec![0.5, 0.25, 1.0, 0.0])));
        assert_eq!(grid("0.5\n0.25\n"), Ok((1, vec![0.5, 0.25])));
        for (text, why) in [
            ("0.5\t1\n1", "different lengths"),
            ("0.5\tx", "“x”"),
            ("0.5\t1.5", "“1.5”"),
            ("\t", "“”"),
        ] {
            assert!(grid(text).is_err_and(|e| e.contains(why)), "{text}");
        }
    }
}
