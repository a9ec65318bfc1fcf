//! The *Problems* panel: problems of the file with their locations.

use std::collections::{BTreeSet, HashMap};

use egui::{Rect, RichText, Role, ScrollArea, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    Actions, AssetRef, Theme, View,
    action::ProblemAction,
    menu_rows::{Row as MenuRow, context_menu_over},
    theme::Font,
    widgets::{name_widget, paint_icon, panel_title, severity_icon},
};
use ulna_model::{
    AnyId, Diagnostic, Document, IdKind, ImageId, Location, LocationStep, MaterialId, MeshId,
    NodeId, Repair, Severity, Shared, SkinId,
};
use ulna_render::ColorRole;

/// State of the panel. Findings are grouped, and grouped again when they change.
#[derive(Clone, Debug, Default)]
pub struct ProblemsState {
    of: Option<Shared<Vec<Diagnostic>>>,
    groups: Vec<FindingGroup>,
    /// Messages of the expanded groups. A group stays expanded when other findings appear.
    open: BTreeSet<String>,
    /// Rows of groups, and of the locations in expanded groups. Empty if they must be collected
    /// again.
    rows: Vec<Row>,
    /// Height of each row in points, and the panel width that the heights are valid for.
    heights: (u32, Vec<f32>),
}

/// A row of the list: a group, or the location of one finding.
#[derive(Clone, Copy, Debug)]
struct Row {
    group: usize,
    place: Option<usize>,
}

/// Findings with the same message.
#[derive(Clone, Debug)]
struct FindingGroup {
    /// Message of the findings.
    key: String,
    /// Indices of the findings in the list of problems.
    all: Vec<usize>,
    /// Message with the number of findings, such as `6 meshes: …`.
    text: String,
    /// Accessible names of each finding's buttons.
    names: Vec<String>,
}

impl ProblemsState {
    fn update(&mut self, view: &View<'_>) {
        if self.of.as_ref().is_some_and(|of| Shared::ptr_eq(of, view.problems)) {
            return;
        }
        self.of = Some(view.problems.clone());
        let mut found: HashMap<(u8, &str, &str), usize> = HashMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (k, problem) in view.problems.iter().enumerate() {
            let at = *found
                .entry((problem.severity as u8, problem.code, problem.message.as_str()))
                .or_insert(groups.len());
            match groups.get_mut(at) {
                Some(group) => group.push(k),
                None => groups.push(vec![k]),
            }
        }
        let mut taken: HashMap<String, usize> = HashMap::new();
        let group = |all: Vec<usize>| {
            let name = |k: &usize| {
                let place = spoken_place(view, &view.problems[*k].place);
                let count = taken.entry(place.clone()).or_insert(0);
                *count += 1;
                if *count == 1 { place } else { format!("{place}, finding {count}") }
            };
            let names = all.iter().map(name).collect();
            let first = &view.problems[all[0]];
            let text = match all.len() {
                1 => first.message.clone(),
                n => format!("{n} {}: {}", noun(view, &all), first.message),
            };
            // Grouped by message, because the code of a finding may change once all rules are
            // checked.
            let key = first.message.clone();
            FindingGroup { key, all, text, names }
        };
        self.groups = groups.into_iter().map(group).collect();
        self.rows.clear();
    }
}

impl ProblemsState {
    /// Height in points that the panel needs for all rows, as measured in the last frame.
    pub fn height(&self, view: &View<'_>) -> f32 {
        self.height_within(view, f32::INFINITY)
    }

    /// Height in points that the panel needs for as many whole rows as fit in `room`, but at least
    /// one row. No further row is partly visible.
    pub fn height_within(&self, view: &View<'_>, room: f32) -> f32 {
        /// Height of the title, the margins, and the space below the last row, in points.
        const HEAD: f32 = 48.0;
        /// Space below the last row in points, left out if more rows follow.
        const BELOW: f32 = 10.0;
        const ROW: f32 = 48.0;
        if view.problems.is_empty() {
            return HEAD + 20.0;
        }
        let usual = [ROW; 2];
        let rows = if self.heights.1.is_empty() { &usual[..] } else { &self.heights.1 };
        let mut height = HEAD + rows[0];
        for row in &rows[1..] {
            if height + row > room {
                return height - BELOW;
            }
            height += row;
        }
        height
    }
}

/// Plural noun for the items of a group, such as *meshes*.
fn noun(view: &View<'_>, all: &[usize]) -> &'static str {
    let document = view.session.map(|s| s.document());
    let of = |k: &usize| {
        let Some(AnyId { kind, index }) = view.problems[*k].place.element else { return "places" };
        match kind {
            IdKind::Node => {
                let node = document.and_then(|d| d.nodes.get(NodeId(index)));
                if node.is_some_and(|n| n.mesh.is_some()) { "meshes" } else { "nodes" }
            }
            IdKind::Clip => "clips",
            IdKind::Mesh
            | IdKind::Skin
            | IdKind::Material
            | IdKind::Image
            | IdKind::Texture
            | IdKind::Accessor => kind.list(),
            _ => "places",
        }
    };
    let first = all.first().map_or("places", of);
    if all.iter().all(|k| of(k) == first) { first } else { "places" }
}

pub fn problems_ui(state: &mut ProblemsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    state.update(view);
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        head_ui(ui, view);
        // Space for the scroll bar is always reserved. Otherwise the bar would narrow the text,
        // which makes rows higher, which in turn needs the bar.
        let width = ui.available_width() - ui.spacing().scroll.allocated_width();
        let scroll = ScrollArea::vertical().auto_shrink([false, false]);
        scroll.show_viewport(ui, |ui, seen| {
            ui.set_max_width(width);
            if view.problems.is_empty() {
                ui.horizontal(|ui| {
                    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
                    let ok = theme.color(ColorRole::SeverityOk);
                    paint_icon(ui.painter(), rect.center(), icons::ICON_CHECK_CIRCLE, 16.0, ok);
                    ui.label(
                        RichText::new("No problems found")
                            .color(theme.color(ColorRole::TextSecondary)),
                    );
                });
            }
            state.rows_ui(ui, view, seen, actions);
        });
    });
}

impl ProblemsState {
    /// Draws the visible rows and rows near them. The heights of other rows are known once they
    /// have been drawn.
    fn rows_ui(&mut self, ui: &mut Ui, view: &View<'_>, seen: Rect, actions: &mut Actions) {
        /// Assumed height in points of a row that was not drawn yet: one line, its location, and
        /// the gap.
        const USUAL: f32 = 48.0;
        /// Height in points above and below the visible area that is also drawn, so that Tab and
        /// screen readers find more rows.
        const AROUND: f32 = 200.0;
        if self.rows.is_empty() {
            for (group, of) in self.groups.iter().enumerate() {
                self.rows.push(Row { group, place: None });
                if self.open.contains(&of.key) {
                    self.rows.extend((0..of.all.len()).map(|k| Row { group, place: Some(k) }));
                }
            }
            self.heights.1.clear();
        }
        let width = ui.max_rect().width();
        if self.heights.0 != width.to_bits() || self.heights.1.len() != self.rows.len() {
            let usual = |row: &Row| if row.place.is_some() { 24.0 } else { USUAL };
            self.heights = (width.to_bits(), self.rows.iter().map(usual).collect());
        }
        let Self { groups, open, rows, heights: (_, heights), .. } = self;
        let (top, left) = (ui.max_rect().top(), ui.max_rect().left());
        ui.set_height(heights.iter().sum());
        let (from, to) = (seen.top() - AROUND, seen.bottom() + AROUND);
        let (mut y, mut turned) = (0.0, None);
        for (Row { group: at, place }, height) in rows.iter().zip(heights) {
            if y > to {
                break;
            }
            if y + *height >= from {
                let group = &groups[*at];
                let area = Rect::from_min_size(pos2(left, top + y), vec2(width, *height));
                problem_menu(ui, view, (group, *at, *place), area, actions);
                let mut row = ui.new_child(
                    egui::UiBuilder::new().max_rect(area).id_salt(("problem", *at, *place)),
                );
                match place {
                    None if group_ui(&mut row, view, group, open.contains(&group.key), actions) => {
                        turned = Some(group.key.clone());
                    }
                    None => {}
                    Some(k) => {
                        row.horizontal_top(|ui| {
                            ui.add_space(26.0);
                            place_ui(ui, view, group, *k, actions);
                        });
                    }
                }
                let now = row.min_rect().height() + 4.0;
                if (now - *height).abs() > 0.5 {
                    *height = now;
                    ui.ctx().request_repaint();
                }
            }
            y += *height;
        }
        if let Some(key) = turned {
            if !open.remove(&key) {
                open.insert(key);
            }
            self.rows.clear();
            ui.ctx().request_repaint();
        }
    }
}

/// Shows the context menu of a row.
fn problem_menu(
    ui: &Ui,
    view: &View<'_>,
    (group, at, place): (&FindingGroup, usize, Option<usize>),
    area: Rect,
    actions: &mut Actions,
) {
    let id = ui.scope_id().with(("problem menu", at, place));
    // Buttons of the row are in front of this area.
    let response = ui.interact(area, id, egui::Sense::click());
    let found: Vec<usize> = match place {
        Some(k) => vec![group.all[k]],
        None => group.all.clone(),
    };
    let Some(first) = found.first().copied() else { return };
    response
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Finding: {}", group.text)));
    context_menu_over(ui, &response, view, actions, |rows| {
        let problem = &view.problems[first];
        let name = match found.len() {
            1 => spoken_place(view, &problem.place),
            n => format!("{n} findings"),
        };
        rows.header(&name, problem.code);
        let kind = problem.place.element.map(|e| e.kind);
        // A finding without a place or a fix never gets one, so its menu has no such row.
        if matches!(kind, Some(IdKind::Node | IdKind::Skin)) || problem.fix.is_some() {
            let show = MenuRow::new("Show").icon(icons::ICON_FRAME_INSPECT.codepoint);
            rows.act(show, || ProblemAction::ShowProblem(first));
        }
        let fixed: Vec<usize> =
            found.iter().copied().filter(|k| view.problems[*k].fix.is_some()).collect();
        let title = if fixed.len() > 1 { format!("Fix {}", fixed.len()) } else { "Fix".into() };
        if !fixed.is_empty() && rows.row(MenuRow::new(title).icon(icons::ICON_HEALING.codepoint)) {
            rows.actions.extend(fixed.into_iter().map(ProblemAction::FixProblem));
        }
        rows.separator();
        let icon = icons::ICON_CONTENT_COPY.codepoint;
        if rows.row(MenuRow::new("Copy the text").icon(icon)) {
            let lines: Vec<String> = found
                .iter()
                .map(|k| {
                    let problem = &view.problems[*k];
                    format!("{} ({}, {})", problem.message, problem.place, problem.code)
                })
                .collect();
            rows.ui.copy_text(lines.join("\n"));
        }
        if rows.row(MenuRow::new("Copy the code")) {
            rows.ui.copy_text(problem.code.to_owned());
        }
    });
}

fn head_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Problems");
        for severity in [Severity::Error, Severity::Warning, Severity::Info] {
            let count = view.problems.iter().filter(|d| d.severity == severity).count();
            if count > 0 {
                let (rect, _) = ui.allocate_exact_size(vec2(16.0, 20.0), egui::Sense::hover());
                severity_icon(ui, theme, rect.center(), severity, 16.0);
                let count = RichText::new(count.to_string()).font(Theme::font(Font::Number));
                ui.label(count.color(theme.color(ColorRole::TextSecondary)));
            }
        }
    });
}

/// Draws a finding, or one row for several findings. Returns whether the user toggled the group.
fn group_ui(
    ui: &mut Ui,
    view: &View<'_>,
    group: &FindingGroup,
    is_open: bool,
    actions: &mut Actions,
) -> bool {
    let theme = view.theme;
    let problem = &view.problems[group.all[0]];
    let mut turned = false;
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
        severity_icon(ui, theme, rect.center(), problem.severity, 16.0);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let text = RichText::new(&group.text).color(theme.color(ColorRole::TextPrimary));
            if group.all.len() == 1 {
                ui.add(egui::Label::new(text).wrap());
                place_ui(ui, view, group, 0, actions);
                return;
            }
            let response = ui.add(egui::Label::new(text).wrap().sense(egui::Sense::click()));
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, &group.text));
            let (chevron, said) = match is_open {
                true => (icons::ICON_KEYBOARD_ARROW_DOWN, "Hide locations"),
                false => (icons::ICON_KEYBOARD_ARROW_RIGHT, "Show locations"),
            };
            let said = format!("{} {said}", chevron.codepoint);
            let line = RichText::new(format!("{said} · {}", problem.code))
                .font(Theme::font(Font::Caption));
            let fold = ui.add(
                egui::Label::new(line.color(theme.color(ColorRole::TextTertiary)))
                    .sense(egui::Sense::click()),
            );
            fold.widget_info(|| {
                WidgetInfo::labeled(Role::Button, true, format!("Locations: {}", group.text))
            });
            turned = response.clicked() || fold.clicked();
        });
    });
    turned
}

/// Draws the location of a finding, with buttons to show and fix it.
fn place_ui(ui: &mut Ui, view: &View<'_>, group: &FindingGroup, k: usize, actions: &mut Actions) {
    let theme = view.theme;
    let (at, name) = (group.all[k], &group.names[k]);
    let problem = &view.problems[at];
    let place = spoken_place(view, &problem.place);
    let line = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 20.0), line, |ui| {
        // The buttons are laid out first, and the text uses the remaining width.
        if problem.fix.is_some() {
            let how = match problem.fix {
                Some(Repair::Bind) => "Computes weights from the shape of the mesh and its joints",
                _ => "Normalizes these weights",
            };
            let fix = ui.small_button("Fix");
            name_widget(ui, &fix, &format!("Fix {name}"));
            if fix.on_hover_text(how).clicked() {
                actions.push(ProblemAction::FixProblem(at));
            }
        }
        let kind = problem.place.element.map(|e| e.kind);
        if matches!(kind, Some(IdKind::Node | IdKind::Skin)) || problem.fix.is_some() {
            let show = ui.small_button("Show");
            name_widget(ui, &show, &format!("Show {name}"));
            if show.clicked() {
                actions.push(ProblemAction::ShowProblem(at));
            }
        }
        let text = RichText::new(format!("{place} · {}", problem.code))
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary));
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.add(egui::Label::new(text).truncate()).on_hover_text(problem.place.to_string());
        });
    });
}

/// Location in the file with names, such as `MainMesh › primitive 0`.
fn spoken_place(view: &View<'_>, place: &Location) -> String {
    if place.is_file() {
        return "file".to_owned();
    }
    let document = view.session.map(|s| s.document());
    let element = place.element.map(|e| {
        let name = document.and_then(|d| element_name(d, e));
        name.unwrap_or_else(|| numbered(e.kind.list(), e.index))
    });
    let step = |step: &LocationStep| match step {
        LocationStep::Primitive(primitive) => format!("primitive {primitive}"),
        LocationStep::Item(list, index) => numbered(list, *index),
        LocationStep::Member(name) => name.to_string(),
    };
    let words: Vec<String> = element.into_iter().chain(place.steps.iter().map(step)).collect();
    words.join(" › ")
}

/// Name of an element; `None` for kinds of elements without shown names.
fn element_name(document: &Document, AnyId { kind, index }: AnyId) -> Option<String> {
    let asset = match kind {
        IdKind::Node => {
            let node = NodeId(index);
            return document.nodes.get(node).map(|n| n.label(node));
        }
        IdKind::Mesh => AssetRef::Mesh(MeshId(index)),
        IdKind::Skin => AssetRef::Skin(SkinId(index)),
        IdKind::Material => AssetRef::Material(MaterialId(index)),
        IdKind::Image => AssetRef::Image(ImageId(index)),
        _ => return None,
    };
    Some(asset.name(document))
}

/// Text for an element by its list and index, such as `accessor 7`.
fn numbered(list: &str, index: u32) -> String {
    format!("{} {index}", list.strip_suffix('s').unwrap_or(list).replace('/', " › "))
}
