//! The table of the selected vertices: one row per vertex, one column per joint. Its cells accept
//! numbers and arithmetic.

use std::collections::BTreeMap;

use egui::{RichText, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{
    cells::{Cells, ROW, Sheet, meant},
    selection_key::selection_key,
};
use crate::ui::{
    Action, Actions, PaintAction, Theme, VertexPick, View,
    collapsing::collapsing,
    theme::Font,
    widgets::{elided, icon_button, thousands},
};
use ulna_edit::command::{
    Flood, VertexCommand,
    field::{Nodes, Reach},
};
use ulna_model::{Derived, Document, NodeId, SkinId};
use ulna_render::ColorRole;
use ulna_weights::{Maps, SkinnedSurface};

/// Maximum number of vertices that are examined to order the joint columns.
const ROWS: usize = 200;
/// Maximum number of joint columns on a page.
const COLUMNS: usize = 6;
/// Maximum number of rows, because a scroll bar cannot address more.
const MOST: usize = 100_000;
/// Maximum number of vertices for showing means, which are computed from all vertices.
const MEAN_OF: usize = 10_000;

/// Inputs of the means: document generation, selection and columns.
type MeansOf = (u64, (usize, u64), Vec<u16>);

/// State of the table between frames.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    cells: Cells,
    /// Mean weight of each column.
    means: Derived<MeansOf, Vec<f32>>,
    /// Index of the first joint on the current page.
    column: usize,
    /// Order of the joint columns for the selected vertices. It stays the same while weights are
    /// edited.
    order: (Option<SkinId>, Vec<u32>, Vec<u16>),
}

/// Joint columns of the current page, and their positions.
struct Columns {
    /// Skin joint of each column, from left to right.
    joints: Vec<u16>,
    /// Width of the table, in points.
    width: f32,
    /// Width of the column of vertex names, in points.
    first: f32,
    /// Width of each joint column, in points.
    each: f32,
    /// Number of joints that are shown on every page.
    kept: usize,
    /// Number of columns that fit.
    fits: usize,
    /// Number of all joints that can have a column.
    all: usize,
}

/// Height in points of everything above and below the rows.
const HEAD_AND_FOOT: f32 = 240.0;

/// Width of the column of sums, in points.
const SUM: f32 = 48.0;

impl TableState {
    /// All joints that can have a column: the painted joint, then by total weight over the
    /// displayed vertices.
    fn ordered(
        &mut self,
        view: &View<'_>,
        canvas: &SkinnedSurface,
        maps: &Maps<'_>,
        vertices: &[u32],
    ) -> Vec<u16> {
        let mut sums: BTreeMap<u16, f32> = BTreeMap::new();
        for v in vertices.iter().take(ROWS) {
            let (map, own) = maps.map_of(*v);
            map.vertex(own)
                .filter(|(_, w)| *w > 0.0)
                .for_each(|(j, w)| *sums.entry(j).or_default() += w);
        }
        let mut found: Vec<u16> = sums.keys().copied().collect();
        found.sort_by(|a, b| sums[b].total_cmp(&sums[a]).then(a.cmp(b)));
        let shown = &vertices[..vertices.len().min(ROWS)];
        if self.order.0 != Some(canvas.skin) || self.order.1 != shown {
            self.order = (Some(canvas.skin), shown.to_vec(), found.clone());
            self.cells.refused = None;
        }
        found.retain(|j| !self.order.2.contains(j));
        self.order.2.extend(found);
        let mut columns = self.order.2.clone();
        if let Some(joint) = view.paint.joint() {
            columns.retain(|j| *j != joint);
            columns.insert(0, joint);
        }
        columns
    }

    /// The joints of the current page, as many as fit side by side.
    fn columns(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        several: bool,
        mut joints: Vec<u16>,
    ) -> Columns {
        // Leaves space for the scroll bar.
        let width = ui.available_width() - ui.spacing().scroll.floating_allocated_width;
        // Vertex indices are per mesh. With several meshes, the mesh name is also shown.
        let first = if several { 112.0 } else { 64.0 };
        let fits = (((width - first - SUM) / 68.0) as usize).clamp(2, COLUMNS);
        let all = joints.len();
        // The painted joint is on every page.
        let kept = usize::from(view.paint.joint().is_some());
        let last_page = all.saturating_sub(fits);
        self.column = self.column.min(last_page);
        joints.drain(kept..(kept + self.column).min(all));
        joints.truncate(fits);
        let each = (width - first - SUM) / joints.len().max(1) as f32;
        Columns { joints, width, first, each, kept, fits, all }
    }
}

/// Draws the table. `room` is the height in points that its panel leaves.
pub fn table_ui(
    state: &mut TableState,
    ui: &mut Ui,
    view: &View<'_>,
    room: f32,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
    let document = session.document();
    let chosen = view.paint.vertices();
    // Without a selection, the table shows the vertex that was last under the brush, or the vertex
    // whose cell is being edited.
    let typed = state.cells.vertex().filter(|v| (*v as usize) < canvas.vertex_count());
    let under: Vec<u32> =
        typed.or(view.paint.touched().map(|h| h.surface_vertex)).into_iter().collect();
    let vertices: &[u32] = if chosen.is_empty() { &under } else { chosen };
    let maps = canvas.maps(document);
    let kind = canvas.parts().first().map(|_| maps.part(0).encoding.label()).unwrap_or_default();
    title_ui(ui, theme, kind, chosen.len(), !under.is_empty());
    picks_ui(ui, view, actions);
    if vertices.is_empty() {
        caption(ui, theme, "Ctrl+Alt-click or drag to select vertices. Shift adds.");
        return;
    }
    let ordered = state.ordered(view, canvas, &maps, vertices);
    let several = canvas.parts().len() > 1;
    let columns = state.columns(ui, view, several, ordered);
    let left = head_ui(ui, view, document, canvas, &columns);
    if vertices.len() > 1 {
        let Columns { joints, width, first, each, .. } = &columns;
        all_row(state, ui, view, (*width, *first, *each), joints, vertices, actions);
    }
    let rows = vertices.len().min(MOST);
    let sheet = Sheet {
        vertices: &vertices[..rows],
        joints: &columns.joints,
        left: left + columns.first,
        each: columns.each,
    };
    state.cells.follow(canvas.skin, &sheet);
    // Leaves space for the pager and the explanation of a vertex below.
    let fits = ((room - HEAD_AND_FOOT) / ROW).floor();
    let height = (rows as f32).min(fits.max(8.0)) * ROW;
    let table = egui::ScrollArea::vertical()
        .id_salt("vertex table")
        .max_height(height)
        .min_scrolled_height(height);
    let between = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
    let table_view = TableView { view, document, canvas, maps: &maps, sheet, columns: &columns };
    table.auto_shrink([false, true]).show_rows(ui, ROW, rows, |ui, range| {
        for k in range {
            table_view.row_ui(&mut state.cells, ui, k, actions);
        }
    });
    ui.spacing_mut().item_spacing.y = between;
    if columns.all > columns.fits {
        pager(state, ui, theme, (columns.kept, columns.fits, columns.all));
    }
    if vertices.len() > MOST {
        caption(ui, theme, &format!("and {} more", thousands(vertices.len() - MOST)));
    }
    if let Some(why) = &state.cells.refused {
        let text = RichText::new(why)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::SeverityWarning));
        ui.add(egui::Label::new(text).wrap());
    }
    why_ui(ui, view, vertices[0]);
}

fn caption(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary)),
    );
}

/// Draws the table's title, with the number of selected vertices and the stored type of weights.
fn title_ui(ui: &mut Ui, theme: &Theme, kind: &str, chosen: usize, is_under: bool) {
    let place = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 28.0), place, |ui| {
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            let title = RichText::new("Vertices")
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary));
            ui.add(egui::Label::new(title).truncate());
            let note = match chosen {
                0 if !is_under => kind.to_owned(),
                0 => format!("last under the cursor · {kind}"),
                n => format!("{} selected · {kind}", thousands(n)),
            };
            let note = RichText::new(note)
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary));
            ui.add(egui::Label::new(note).truncate());
        });
    });
}

/// Draws buttons that select vertices, and commands for the selected ones.
fn picks_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let picks = [
            (VertexPick::Box, icons::ICON_SELECT, "Select with a box"),
            (VertexPick::Lasso, icons::ICON_LASSO_SELECT, "Select with a lasso"),
            (VertexPick::Brush, icons::ICON_BRUSH, "Select with the brush"),
        ];
        for (pick, icon, name) in picks {
            if icon_button(
                ui,
                theme,
                icon,
                name,
                "Ctrl+Alt drag",
                view.paint.options.pick == pick,
                Ok(()),
            )
            .clicked()
            {
                actions.push(PaintAction::VertexPick(pick));
            }
        }
        ui.add_space(6.0);
        let commands = [
            (icons::ICON_ZOOM_OUT_MAP, VertexCommand::Grow),
            (icons::ICON_ZOOM_IN_MAP, VertexCommand::Shrink),
            (icons::ICON_LINK, VertexCommand::Linked),
            (icons::ICON_CONTENT_COPY, VertexCommand::Copy),
            (icons::ICON_CONTENT_PASTE, VertexCommand::Paste),
            (icons::ICON_CLOSE, VertexCommand::Nothing),
        ];
        for (icon, command) in commands {
            let spec = command.spec();
            let enabled = spec.check(&view.availability);
            if icon_button(
                ui,
                theme,
                icon,
                spec.title,
                view.settings.keys.key(spec.name),
                false,
                enabled,
            )
            .clicked()
            {
                actions.push(Action::Run(command.into()));
            }
        }
    });
}

/// The node of a skin joint.
fn joint_of(canvas: &SkinnedSurface, joint: u16) -> Option<NodeId> {
    canvas.joints().get(usize::from(joint)).copied()
}

/// Draws the column headers. Returns the left edge of the table.
fn head_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    canvas: &SkinnedSurface,
    columns: &Columns,
) -> f32 {
    let theme = view.theme;
    let font = Theme::font(Font::Caption);
    let (head, _) = ui.allocate_exact_size(vec2(columns.width, 18.0), Sense::hover());
    let put = |x: f32, text: &str, color| {
        ui.painter().text(
            pos2(x, head.center().y),
            egui::Align2::RIGHT_CENTER,
            text,
            font.clone(),
            color,
        )
    };
    ui.painter().text(
        pos2(head.left(), head.center().y),
        egui::Align2::LEFT_CENTER,
        "Vertex",
        font.clone(),
        theme.color(ColorRole::TextTertiary),
    );
    for (k, j) in columns.joints.iter().enumerate() {
        let label = joint_of(canvas, *j)
            .map_or_else(|| format!("no joint {j}"), |n| document.node(n).label(n));
        let color = if view.paint.joint() == Some(*j) {
            ColorRole::SelectionText
        } else {
            ColorRole::TextTertiary
        };
        put(
            head.left() + columns.first + columns.each * (k + 1) as f32,
            &elided(ui, &label, &font, columns.each - 8.0),
            theme.color(color),
        );
    }
    put(head.right(), "Sum", theme.color(ColorRole::TextTertiary));
    head.left()
}

/// The table as displayed in one frame.
struct TableView<'a> {
    view: &'a View<'a>,
    document: &'a Document,
    canvas: &'a SkinnedSurface,
    maps: &'a Maps<'a>,
    sheet: Sheet<'a>,
    columns: &'a Columns,
}

impl TableView<'_> {
    /// Draws the row of a vertex: its index, its weights, and their sum.
    fn row_ui(&self, cells: &mut Cells, ui: &mut Ui, k: usize, actions: &mut Actions) {
        let Self { view, document, canvas, maps, sheet, columns } = self;
        let theme = view.theme;
        let v = sheet.vertices[k];
        let (part, own) = canvas.part_of(v);
        let map = maps.part(part);
        let (rect, _) = ui.allocate_exact_size(vec2(columns.width, ROW), Sense::hover());
        if k.is_multiple_of(2) {
            ui.painter().rect_filled(
                rect,
                0.0,
                theme.color(ColorRole::SurfaceRowHover).gamma_multiply(0.5),
            );
        }
        let number = thousands(own as usize);
        let wide = ui.painter().text(
            pos2(rect.left(), rect.center().y),
            egui::Align2::LEFT_CENTER,
            number,
            Theme::font(Font::Number),
            theme.color(ColorRole::TextSecondary),
        );
        if canvas.parts().len() > 1 {
            let found = canvas.parts()[part];
            let label = document.node(found.node).label(found.node);
            let small = Theme::font(Font::Caption);
            let room = (columns.first - wide.width() - 14.0).max(0.0);
            let at = pos2(wide.right() + 6.0, rect.center().y);
            let text = elided(ui, &label, &small, room);
            let color = theme.color(ColorRole::TextTertiary);
            ui.painter().text(at, egui::Align2::LEFT_CENTER, text, small, color);
        }
        for (c, j) in columns.joints.iter().enumerate() {
            let weight = map.weight(own as usize, *j);
            let name = joint_of(canvas, *j).map_or_else(String::new, |n| document.node(n).label(n));
            let name = format!("{name} of vertex {own}");
            cells.cell_ui(ui, view, sheet, (k, c, rect.top()), (weight, &name), actions);
        }
        let sum: f32 = map.vertex(own as usize).map(|(_, w)| w).sum();
        let off =
            ulna_weights::fault_in(map, own as usize, usize::MAX, canvas.joints().len()).is_some();
        let color = if off { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
        ui.painter().text(
            pos2(rect.right(), rect.center().y),
            egui::Align2::RIGHT_CENTER,
            format!("{sum:.3}"),
            Theme::font(Font::Number),
            theme.color(color),
        );
    }
}

/// Draws the row of all selected vertices: the mean per joint, and cells that change all vertices.
fn all_row(
    state: &mut TableState,
    ui: &mut Ui,
    view: &View<'_>,
    (width, first, each): (f32, f32, f32),
    columns: &[u16],
    vertices: &[u32],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
    let document = session.document();
    let maps = canvas.maps(document);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 22.0), Sense::hover());
    let place = pos2(rect.left(), rect.center().y);
    let text = if vertices.len() > MEAN_OF { "First 10k" } else { "All" };
    let font = Theme::font(Font::Small);
    ui.painter().text(
        place,
        egui::Align2::LEFT_CENTER,
        text,
        font,
        theme.color(ColorRole::TextPrimary),
    );
    let some = &vertices[..vertices.len().min(MEAN_OF)];
    let key = (session.generation(), selection_key(vertices), columns.to_vec());
    let mean_of = |joint: &u16| {
        let weight = |v: &u32| {
            let (map, own) = maps.map_of(*v);
            map.weight(own, *joint)
        };
        some.iter().map(weight).sum::<f32>() / some.len() as f32
    };
    let means = state.means.update(key, |_| columns.iter().map(mean_of).collect()).clone();
    for (c, joint) in columns.iter().enumerate() {
        let corner = pos2(rect.left() + first + each * c as f32, rect.top());
        let area = egui::Rect::from_min_size(corner, vec2(each, rect.height()));
        let mean = means[c];
        let Some(node) = canvas.joints().get(usize::from(*joint)).copied() else { continue };
        let name = format!("{} of all selected vertices", document.node(node).label(node));
        if let Some(text) = state.cells.every_ui(ui, view, area, *joint, (mean, &name)) {
            match meant(&text) {
                Ok((how, value)) => {
                    let joint = Nodes::one(node);
                    let (value, how) = (Some(value), Some(how));
                    let flood = Flood { joint, value, how, amount: None, reach: Reach::default() };
                    actions.push(Action::Run(flood.into()));
                }
                Err(why) => state.cells.refused = Some(why),
            }
        }
    }
    ui.painter().hline(
        rect.x_range(),
        rect.bottom(),
        egui::Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle)),
    );
}

/// Draws the range of the shown joints, with buttons to other pages.
fn pager(
    state: &mut TableState,
    ui: &mut Ui,
    theme: &Theme,
    (kept, fits, all): (usize, usize, usize),
) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let step = fits.saturating_sub(kept).max(1);
        let before = if state.column > 0 { Ok(()) } else { Err("These are the first joints") };
        if icon_button(ui, theme, icons::ICON_CHEVRON_LEFT, "Previous joints", "", false, before)
            .clicked()
        {
            state.column = state.column.saturating_sub(step);
        }
        let after =
            if state.column + fits < all { Ok(()) } else { Err("These are the last joints") };
        if icon_button(ui, theme, icons::ICON_CHEVRON_RIGHT, "Next joints", "", false, after)
            .clicked()
        {
            state.column = (state.column + step).min(all - fits);
        }
        let shown = (state.column + kept + 1)..=(state.column + fits);
        let others = if shown.start() == shown.end() {
            format!("joint {} of {all}", shown.start())
        } else {
            format!("joints {} to {} of {all}", shown.start(), shown.end())
        };
        ui.label(
            RichText::new(others)
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    });
}

/// Draws the skinning sum of a vertex: the term `w · T · p` of each joint.
fn why_ui(ui: &mut Ui, view: &View<'_>, vertex: u32) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
    let document = session.document();
    let (part, own) = canvas.part_of(vertex);
    let part = canvas.parts()[part];
    let primitive = &document.mesh(part.mesh).primitives[part.primitive.index()];
    let rest = primitive.positions[own as usize];
    collapsing(ui, "Explain this vertex", "explained vertex", |ui| {
        let Some(map) = &primitive.weights else { return };
        let palette = view.pose.palette(document, canvas.skin);
        let unit = view.settings.length;
        let text = |v: glam::Vec3| {
            let v = v * unit.per_meter();
            format!("{:.3}  {:.3}  {:.3}", v.x, v.y, v.z).replace('-', "−")
        };
        let number = |ui: &mut Ui, t: String, role: ColorRole| {
            ui.label(
                RichText::new(t).font(Theme::font(Font::NumberSmall)).color(theme.color(role)),
            );
        };
        let table = egui::Grid::new("terms").num_columns(3).spacing(vec2(10.0, 2.0));
        let terms = |ui: &mut Ui| {
            let mut sum = glam::Vec3::ZERO;
            for (j, w) in map.vertex(own as usize).filter(|(_, w)| *w != 0.0) {
                let Some((node, matrix)) =
                    canvas.joints().get(usize::from(j)).zip(palette.get(usize::from(j)))
                else {
                    continue;
                };
                let goes = matrix.transform_point3(rest);
                sum += goes * w;
                let label = document.node(*node).label(*node);
                let label = elided(ui, &label, &Theme::font(Font::Small), 110.0);
                ui.label(
                    RichText::new(label)
                        .font(Theme::font(Font::Small))
                        .color(theme.color(ColorRole::TextPrimary)),
                );
                number(ui, format!("{w:.3} ×"), ColorRole::TextSecondary);
                number(ui, text(goes), ColorRole::TextPrimary);
                ui.end_row();
            }
            ui.label(
                RichText::new("Result")
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            number(ui, String::new(), ColorRole::TextSecondary);
            number(ui, text(sum), ColorRole::AccentText);
            ui.end_row();
            ui.label(
                RichText::new("Rest position")
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            number(ui, unit.sign().to_owned(), ColorRole::TextTertiary);
            number(ui, text(rest), ColorRole::TextTertiary);
            ui.end_row();
        };
        // A narrow panel scrolls the table horizontally.
        egui::ScrollArea::horizontal().id_salt("terms").show(ui, |ui| table.show(ui, terms));
    });
}
