//! What is odd about the file, each finding with its place.

use egui::{Rect, RichText, ScrollArea, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, AssetRef, Theme, View,
    theme::Font,
    widgets::{paint_icon, panel_title},
};
use crate::render::ColorRole;
use crate::{
    edit::command::Bind,
    model::{Derived, Diagnostic, Severity, Shared},
};

/// What the list of problems asks for.
#[derive(Clone, Debug)]
pub enum ProblemAction {
    /// Show the place of a problem.
    ShowProblem(usize),
    /// Mend a problem.
    FixProblem(usize),
}

impl From<ProblemAction> for Action {
    fn from(action: ProblemAction) -> Self {
        Self::Problem(action)
    }
}

/// What the list of problems keeps.
#[derive(Clone, Debug, Default)]
pub struct ProblemsState {
    /// How tall each row is, by the list and its width.
    of: Derived<(Shared<Vec<Diagnostic>>, u32), Vec<f32>>,
}

pub fn problems_ui(state: &mut ProblemsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            panel_title(ui, theme, "Problems");
            for severity in [Severity::Error, Severity::Warning, Severity::Info] {
                let count = view.problems.iter().filter(|d| d.severity == severity).count();
                if count > 0 {
                    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 20.0), egui::Sense::hover());
                    severity_icon(ui, theme, rect.center(), severity, 16.0);
                    ui.label(
                        RichText::new(count.to_string())
                            .font(Theme::font(Font::Number))
                            .color(theme.color(ColorRole::TextSecondary)),
                    );
                }
            }
        });
        let scroll = ScrollArea::vertical().auto_shrink([false, false]);
        if view.problems.is_empty() {
            scroll.show(ui, |ui| none_ui(ui, theme));
            return;
        }
        scroll.show_viewport(ui, |ui, seen| state.rows_ui(ui, view, seen, actions));
    });
}

fn none_ui(ui: &mut Ui, theme: &Theme) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
        let color = theme.color(ColorRole::SeverityOk);
        paint_icon(ui.painter(), rect.center(), icons::ICON_CHECK_CIRCLE, 16.0, color);
        ui.label(RichText::new("No problems found").color(theme.color(ColorRole::TextSecondary)));
    });
}

impl ProblemsState {
    /// The rows that are in sight, and those about them. How tall another one is, is known when it was seen.
    fn rows_ui(&mut self, ui: &mut Ui, view: &View<'_>, seen: Rect, actions: &mut Actions) {
        /// A sentence of one line, its place, and what is between rows.
        const USUAL: f32 = 48.0;
        /// Points above and below what is seen that are laid out, too, so that Tab and readers of the screen find more.
        const AROUND: f32 = 200.0;
        let width = ui.available_width();
        if !self.of.is_of(&(view.problems.clone(), width.to_bits())) {
            self.of.put((view.problems.clone(), width.to_bits()), vec![USUAL; view.problems.len()]);
        }
        let Some(heights) = self.of.get_mut() else { return };
        let (top, left) = (ui.max_rect().top(), ui.max_rect().left());
        ui.set_height(heights.iter().sum());
        let (from, to) = (seen.top() - AROUND, seen.bottom() + AROUND);
        let mut y = 0.0;
        for (k, problem) in view.problems.iter().enumerate() {
            let height = &mut heights[k];
            if y > to {
                break;
            }
            if y + *height >= from {
                let area = Rect::from_min_size(pos2(left, top + y), vec2(width, *height));
                let mut row = ui.new_child(egui::UiBuilder::new().max_rect(area).id_salt(("problem", k)));
                row_ui(&mut row, view, (k, problem), actions);
                let now = row.min_rect().height() + 4.0;
                if (now - *height).abs() > 0.5 {
                    *height = now;
                    ui.ctx().request_repaint();
                }
            }
            y += *height;
        }
    }
}

fn row_ui(ui: &mut Ui, view: &View<'_>, (k, problem): (usize, &Diagnostic), actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
        severity_icon(ui, theme, rect.center(), problem.severity, 16.0);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let text = RichText::new(&problem.message).color(theme.color(ColorRole::TextPrimary));
            ui.add(egui::Label::new(text).wrap());
            let place = spoken_place(view, &problem.place);
            let line = egui::Layout::right_to_left(egui::Align::Center);
            ui.allocate_ui_with_layout(vec2(ui.available_width(), 20.0), line, |ui| {
                // Buttons first: the text takes what is left.
                let how = match problem.fix {
                    Some(Bind::NAME) => "Gives it the weights of the nearest bones",
                    _ => "Normalizes the weights there",
                };
                if problem.fix.is_some() && ui.small_button("Fix").on_hover_text(how).clicked() {
                    actions.push(ProblemAction::FixProblem(k));
                }
                let node = problem.place.starts_with("nodes/") || problem.place.starts_with("skins/");
                if (node || problem.fix.is_some()) && ui.small_button("Show").clicked() {
                    actions.push(ProblemAction::ShowProblem(k));
                }
                let text = RichText::new(format!("{place} · {}", problem.code))
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::TextTertiary));
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.add(egui::Label::new(text).truncate()).on_hover_text(&problem.place);
                });
            });
        });
    });
}

/// A place of the file with the names that it has there: `MainMesh › primitive 0`.
fn spoken_place(view: &View<'_>, place: &str) -> String {
    let Some(document) = view.session.map(|s| s.document()) else { return place.replace('/', " › ") };
    let parts: Vec<&str> = place.split('/').collect();
    let mut words: Vec<String> = Vec::new();
    let mut k = 0;
    while k < parts.len() {
        let number = parts.get(k + 1).and_then(|t| t.parse::<usize>().ok());
        let Some(number) = number else {
            words.push(parts[k].to_owned());
            k += 1;
            continue;
        };
        let name = match parts[k] {
            "nodes" => document.nodes.get(number.into()).map(|n| n.label(number.into())),
            "meshes" => Some(AssetRef::Mesh(number.into()).name(document)),
            "skins" => Some(AssetRef::Skin(number.into()).name(document)),
            "materials" => Some(AssetRef::Material(number.into()).name(document)),
            "images" => Some(AssetRef::Image(number.into()).name(document)),
            _ => None,
        };
        let singular = parts[k].strip_suffix('s').unwrap_or(parts[k]);
        words.push(name.unwrap_or_else(|| format!("{singular} {number}")));
        k += 2;
    }
    if place.is_empty() { "file".to_owned() } else { words.join(" › ") }
}

/// Severities have shapes of their own, never colour alone.
fn severity_icon(ui: &Ui, theme: &Theme, at: egui::Pos2, severity: Severity, size: f32) {
    let (icon, role) = match severity {
        Severity::Error => (icons::ICON_ERROR, ColorRole::SeverityError),
        Severity::Warning => (icons::ICON_WARNING, ColorRole::SeverityWarning),
        Severity::Info => (icons::ICON_INFO, ColorRole::SeverityInfo),
    };
    paint_icon(ui.painter(), at, icon, size, theme.color(role));
}
