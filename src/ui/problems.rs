//! What is odd about the file, each finding with its place.

use egui::{RichText, ScrollArea, Ui, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, AssetRef, Theme, View,
    theme::Font,
    widgets::{paint_icon, panel_title},
};
use crate::render::ColorRole;
use crate::{edit::command::Bind, model::Severity};

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

pub fn problems_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
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
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            if view.problems.is_empty() {
                ui.horizontal(|ui| {
                    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), egui::Sense::hover());
                    paint_icon(
                        ui.painter(),
                        rect.center(),
                        icons::ICON_CHECK_CIRCLE,
                        16.0,
                        theme.color(ColorRole::SeverityOk),
                    );
                    ui.label(RichText::new("No problems found").color(theme.color(ColorRole::TextSecondary)));
                });
            }
            for (k, problem) in view.problems.iter().enumerate().take(200) {
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
                ui.add_space(4.0);
            }
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
