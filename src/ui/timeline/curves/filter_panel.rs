//! Filters on selected keys, with a preview in the panel and in the graph.

use egui::{Button, Key, Rect, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    Graph, ShownCurve, TrackCurves,
    asked::euler_filter,
    panel::{Ends, bar, panel, pressed},
};
use crate::ui::{
    Action, Actions, Theme,
    menu_rows::{Row, menu_button},
    theme::Font,
    widgets::{check, segment, segments},
};
use ulna_edit::{
    Command, Edit, KeysHome, Scene,
    command::{AxisOrder, FilterKeys, FilterName, WhichKeys, field::ClipName},
};
use ulna_model::{Clip, Document, KeySet, Shared, Track, TrackId};
use ulna_render::ColorRole;

/// Width of the panel, in points.
const WIDTH: f32 = 288.0;

/// Chosen filter and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterChoice {
    filter: FilterName,
    cutoff: f32,
    passes: usize,
    seconds: f32,
    limit: f32,
    noise: f32,
    hz: f32,
    seed: usize,
    millimetres: f32,
    strength: f32,
    across_loop: bool,
    contacts: bool,
}

impl Default for FilterChoice {
    fn default() -> Self {
        Self {
            filter: FilterName::LowPass,
            cutoff: 6.0,
            passes: 1,
            seconds: 0.05,
            limit: 3.0,
            noise: 1.0,
            hz: 2.0,
            seed: 0,
            millimetres: 0.5,
            strength: 1.0,
            across_loop: true,
            contacts: true,
        }
    }
}

/// Result of a filter.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Tracks that the filter changes, with their new keys.
    tracks: Vec<(TrackId, Shared<Track>)>,
    /// Filtered tracks as curves, per shown curve.
    curves: Vec<(super::CurveId, std::rc::Rc<TrackCurves>)>,
    /// Number of keys before and after the filter.
    keys: (usize, usize),
    /// Text about the result of the filter.
    said: String,
}

/// Filter panel.
#[derive(Clone, Debug)]
pub struct FilterPanel {
    home: KeysHome,
    /// Chosen filter and its parameters.
    pub choice: FilterChoice,
    /// Cached result, with the choice, keys and clip that it was computed from.
    seen: Option<(FilterChoice, KeySet, Shared<Clip>, Seen)>,
    /// Curve drawn in the panel, as an index into the filtered curves.
    component: usize,
    /// Whether the curves before the filter are shown instead of the result.
    compares: bool,
}

impl FilterPanel {
    /// Creates the panel with the last choice.
    pub const fn new(home: KeysHome, choice: FilterChoice) -> Self {
        Self { home, choice, seen: None, component: 0, compares: false }
    }

    /// Creates one command per Euler order, because commands on single angles apply to one order.
    fn commands(&self, graph: &Graph<'_>, keys: &KeySet) -> Vec<Command> {
        let groups = graph.by_order(keys).into_iter();
        groups.map(|(axes, keys)| self.command(keys, axes).into()).collect()
    }

    fn command(&self, keys: KeySet, axes: Option<AxisOrder>) -> FilterKeys {
        let c = &self.choice;
        let of = |filter: FilterName| c.filter == filter;
        FilterKeys {
            clip: ClipName::Id(self.home.clip),
            filter: c.filter,
            strength: (!of(FilterName::Simplify)).then_some(c.strength),
            cutoff: of(FilterName::LowPass).then_some(c.cutoff),
            order: None,
            seconds: of(FilterName::Gaussian)
                .then_some(ulna_edit::command::field::Seconds(c.seconds)),
            passes: of(FilterName::Smooth).then_some(c.passes),
            limit: of(FilterName::Peaks).then_some(c.limit),
            noise: of(FilterName::Noise).then_some(c.noise),
            hz: of(FilterName::Noise).then_some(c.hz),
            seed: of(FilterName::Noise).then_some(c.seed),
            millimetres: of(FilterName::Simplify).then_some(c.millimetres),
            across_loop: c.across_loop.then_some(true),
            blend_in: None,
            protect: None,
            contacts: c.contacts.then_some(true),
            axes,
            which: WhichKeys::these(self.home.clip, keys),
        }
    }

    /// Keys to filter: the selected keys, or all keys of the shown curves if fewer than two are
    /// selected.
    fn keys(graph: &Graph<'_>) -> KeySet {
        if graph.keys().len() > 1 {
            return graph.keys().clone();
        }
        let curves = graph.layout.curves.iter().enumerate().filter(|(_, c)| !c.locked);
        curves
            .map(|(k, c)| graph.key_set(k, 0..c.len()))
            .fold(KeySet::default(), |all, own| all.union(&own))
    }

    /// Updates the result if the choice, the keys or the clip changed.
    fn update(&mut self, graph: &Graph<'_>, document: &Document, keys: &KeySet) {
        let same = self.seen.as_ref().is_some_and(|(choice, of, clip, _)| {
            *choice == self.choice && of == keys && Shared::ptr_eq(clip, graph.clip)
        });
        if same {
            return;
        }
        let mut seen = Seen::default();
        let mut said: Vec<String> = Vec::new();
        for command in self.commands(graph, keys) {
            let Command::Document(command) = command else { continue };
            match command.work(&Scene::new(document)) {
                Ok(done) => {
                    for edit in done.edits {
                        if let Edit::SetTrack { track, to: Some(to), .. } = edit {
                            seen.tracks.push((track, to));
                        }
                    }
                    said.extend(done.notes.into_iter().next().map(|n| n.message.to_string()));
                }
                Err(error) => said.push(error.to_string()),
            }
        }
        seen.said = said.join("; ");
        let before = |id: &TrackId| graph.clip.tracks.get(id).map_or(0, |t| t.times.len());
        seen.keys = (
            seen.tracks.iter().map(|(id, _)| before(id)).sum(),
            seen.tracks.iter().map(|(_, t)| t.times.len()).sum(),
        );
        for curve in graph.layout.curves.iter() {
            let Some(id) = curve.id.track() else { continue };
            let Some((_, track)) = seen.tracks.iter().find(|(t, _)| *t == id) else { continue };
            let same = |(c, _): &&(super::CurveId, _)| c.source == curve.id.source;
            let made = match seen.curves.iter().find(same) {
                Some((_, made)) => made.clone(),
                None => std::rc::Rc::new(TrackCurves::new(track, curve.space)),
            };
            seen.curves.push((curve.id, made));
        }
        self.seen = Some((self.choice, keys.clone(), graph.clip.clone(), seen));
    }

    /// Draws the panel, and the filtered curves in the graph.
    pub fn show(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Ends {
        let document = graph.view.session.map(|s| s.document());
        let Some(document) = document.filter(|_| self.home == graph.home()) else {
            return Ends::Keeps;
        };
        let keys = Self::keys(graph);
        self.update(graph, document, &keys);
        if !self.compares {
            self.draw_after(ui, graph);
        }
        let theme = graph.view.theme;
        let rect = graph.layout.rect;
        let at = pos2((rect.right() - WIDTH - 8.0).max(rect.left()), rect.top() + 8.0);
        let channels = self.seen.as_ref().map_or(0, |s| s.3.tracks.len());
        let about = channels_in_words(channels);
        let mut applies = false;
        let mut cancels = false;
        let (_, closed) = panel(ui, theme, ("Filter", &about), (at, WIDTH), |ui| {
            self.kinds(ui, graph, actions);
            self.preview(ui, graph);
            self.numbers(ui, theme);
            self.measured(ui, theme);
            ui.horizontal(|ui| {
                self.compare(ui, theme);
                let layout = egui::Layout::right_to_left(egui::Align::Center);
                ui.with_layout(layout, |ui| {
                    let text = RichText::new(format!("Filter {about}"))
                        .font(Theme::font(Font::Heading))
                        .color(theme.color(ColorRole::TextOnAccent));
                    let button = Button::new(text).fill(theme.color(ColorRole::AccentBase));
                    let button = ui.add_enabled(channels > 0, button.min_size(vec2(0.0, 28.0)));
                    applies = button.clicked();
                    cancels = ui.button("Cancel").clicked();
                });
            });
        });
        if applies {
            let mut commands = self.commands(graph, &keys);
            match (commands.pop(), commands.is_empty()) {
                (Some(only), true) => actions.push(Action::Run(only)),
                (last, _) => {
                    commands.extend(last);
                    actions.push(Action::Preview { label: "Filter keys".to_owned(), commands });
                    actions.push(Action::Commit);
                }
            }
        }
        let is_over = applies || cancels || closed || pressed(ui, Key::Escape);
        if is_over { Ends::Keeps } else { Ends::Stays }
    }

    fn kinds(&mut self, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
        let theme = graph.view.theme;
        ui.horizontal(|ui| {
            segments(ui, theme, |ui| {
                for (filter, text) in [
                    (FilterName::Smooth, "Smooth"),
                    (FilterName::LowPass, "Low-pass"),
                    (FilterName::Simplify, "Simplify"),
                ] {
                    let on = self.choice.filter == filter;
                    if segment(ui, theme, text, on, false).clicked() {
                        self.choice.filter = filter;
                    }
                }
            });
            let others = [
                (FilterName::Gaussian, "Gaussian"),
                (FilterName::Peaks, "Remove peaks"),
                (FilterName::Noise, "Noise"),
            ];
            let now = others.iter().find(|(f, _)| *f == self.choice.filter);
            let text = now.map_or("⋯", |(_, text)| text);
            let response = menu_button(ui, text, graph.view, actions, |rows| {
                for (filter, text) in others {
                    if rows.row(Row::new(text).checked(filter == self.choice.filter)) {
                        self.choice.filter = filter;
                    }
                }
                rows.separator();
                let about = "Removes full turns between rotation keys; changes signs only";
                let row = Row::new("Euler filter").help(about);
                rows.run(row, || euler_filter(graph.id, Self::keys(graph)));
            });
            crate::ui::widgets::name_widget(ui, &response, "More filters");
        });
    }

    /// Draws one component before and after the filter.
    fn preview(&mut self, ui: &mut Ui, graph: &Graph<'_>) {
        let theme = graph.view.theme;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 84.0), Sense::hover());
        ui.painter().rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceField));
        let Some((.., seen)) = &self.seen else { return };
        let curves: Vec<&ShownCurve> = graph
            .layout
            .curves
            .iter()
            .filter(|c| seen.curves.iter().any(|(id, _)| *id == c.id))
            .collect();
        let Some(curve) = curves.get(self.component.min(curves.len().saturating_sub(1))) else {
            return;
        };
        let component = usize::from(curve.id.component);
        let after = seen.curves.iter().find(|(id, _)| *id == curve.id);
        let count = (rect.width() * 0.5) as usize;
        let (first, last) = (curve.time(0), curve.time(curve.len().saturating_sub(1)));
        let time = |k: usize| first + (last - first) * k as f64 / count as f64;
        let was: Vec<f64> = (0..=count).map(|k| curve.value(time(k))).collect();
        let will: Vec<f64> = after
            .map(|(_, c)| (0..=count).map(|k| c.value(component, time(k))).collect())
            .unwrap_or_default();
        let (low, high) = was
            .iter()
            .chain(&will)
            .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        let inner = rect.shrink(8.0);
        let line = |values: &[f64]| {
            let place = |(k, v): (usize, &f64)| {
                let share = if high > low { (v - low) / (high - low) } else { 0.5 };
                pos2(
                    inner.left() + inner.width() * k as f32 / count as f32,
                    inner.bottom() - inner.height() * share as f32,
                )
            };
            values.iter().enumerate().map(place).collect::<Vec<_>>()
        };
        let painter = ui.painter_at(rect);
        let gray = theme.color(ColorRole::TextTertiary);
        painter.add(egui::Shape::line(line(&was), Stroke::new(1.0, gray)));
        if !self.compares {
            painter.add(egui::Shape::line(line(&will), Stroke::new(1.5, curve.color)));
        }
        ui.horizontal(|ui| {
            let font = Theme::font(Font::Caption);
            ui.label(RichText::new("— before").font(font.clone()).color(gray));
            ui.label(
                RichText::new(format!("— after, {}", curve.name)).font(font).color(curve.color),
            );
            if curves.len() > 1 {
                let layout = egui::Layout::right_to_left(egui::Align::Center);
                ui.with_layout(layout, |ui| {
                    let next = egui::Button::new(icons::ICON_EXPAND_MORE.codepoint).small();
                    let response = ui.add(next).on_hover_text("Next channel");
                    crate::ui::widgets::name_widget(ui, &response, "Next channel");
                    if response.clicked() {
                        self.component = (self.component + 1) % curves.len();
                    }
                });
            }
        });
    }

    fn numbers(&mut self, ui: &mut Ui, theme: &Theme) {
        let c = &mut self.choice;
        let mut put =
            |name: &str, value: &mut f32, suffix: &str, range: std::ops::RangeInclusive<f64>| {
                if let Some(to) = bar(ui, theme, name, (f64::from(*value), suffix), range) {
                    *value = to as f32;
                }
            };
        match c.filter {
            FilterName::LowPass => put("Cutoff", &mut c.cutoff, " Hz", 0.5..=15.0),
            FilterName::Smooth => {
                let mut passes = c.passes as f32;
                put("Passes", &mut passes, "", 1.0..=50.0);
                c.passes = passes.round() as usize;
            }
            FilterName::Gaussian => put("Width", &mut c.seconds, " s", 0.01..=1.0),
            FilterName::Peaks => put("Limit", &mut c.limit, " σ", 1.0..=10.0),
            FilterName::Noise => {
                put("Amount", &mut c.noise, "", 0.0..=10.0);
                put("Frequency", &mut c.hz, " Hz", 0.1..=15.0);
            }
            FilterName::Simplify => put("Largest error", &mut c.millimetres, " mm", 0.05..=20.0),
        }
        if c.filter != FilterName::Simplify {
            let mut percent = c.strength * 100.0;
            put("Strength", &mut percent, " %", 0.0..=100.0);
            c.strength = percent / 100.0;
        }
        ui.horizontal(|ui| {
            check(ui, theme, &mut c.across_loop, "Across the loop");
            check(ui, theme, &mut c.contacts, "Protect contacts");
        });
    }

    fn measured(&self, ui: &mut Ui, theme: &Theme) {
        let Some((.., seen)) = &self.seen else { return };
        let small = |text: &str| {
            let color = theme.color(ColorRole::TextSecondary);
            RichText::new(text.to_owned()).font(Theme::font(Font::Small)).color(color)
        };
        if seen.keys.0 > 0 {
            ui.horizontal(|ui| {
                ui.label(small("Keys"));
                let layout = egui::Layout::right_to_left(egui::Align::Center);
                ui.with_layout(layout, |ui| {
                    let text = format!("{} → {}", seen.keys.0, seen.keys.1);
                    let text = RichText::new(text).font(Theme::font(Font::Number));
                    ui.label(text.color(theme.color(ColorRole::TextPrimary)));
                });
            });
        }
        let mut letters = seen.said.chars();
        let said: String =
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        if !said.is_empty() {
            ui.add(egui::Label::new(small(&format!("{said}."))).wrap());
        }
    }

    /// Button that shows the unfiltered curves while it is held.
    fn compare(&mut self, ui: &mut Ui, theme: &Theme) {
        let (rect, response) = ui.allocate_exact_size(vec2(28.0, 28.0), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Compare with before"));
        self.compares = response.is_pointer_button_down_on();
        let (fill, ink) = if self.compares {
            (ColorRole::AccentTint, ColorRole::AccentText)
        } else {
            (ColorRole::SurfaceControl, ColorRole::TextPrimary)
        };
        ui.painter().rect_filled(rect, 4.0, theme.color(fill));
        crate::ui::widgets::paint_icon(
            ui.painter(),
            rect.center(),
            icons::ICON_COMPARE,
            18.0,
            theme.color(ink),
        );
        response.on_hover_text("Shows the curves without the filter while it is held");
    }

    /// Draws the filtered curves over the current ones.
    fn draw_after(&self, ui: &Ui, graph: &Graph<'_>) {
        let Some((.., seen)) = &self.seen else { return };
        let layout = &graph.layout;
        let painter = ui.painter_at(layout.rect);
        let stroke = Stroke::new(2.0, graph.view.theme.color(ColorRole::SelectionBase));
        for (id, made) in seen.curves.iter().take(24) {
            let Some(k) = layout.curves.iter().position(|c| c.id == *id) else { continue };
            let points = steps(layout.rect)
                .map(|x| {
                    let value = made.value(usize::from(id.component), layout.time(x));
                    pos2(x, layout.y(k, value))
                })
                .collect();
            painter.add(egui::Shape::line(points, stroke));
        }
    }
}

/// Horizontal positions across the graph, two points apart.
fn steps(rect: Rect) -> impl Iterator<Item = f32> {
    let count = (rect.width() * 0.5) as usize;
    (0..=count).map(move |k| rect.left() + k as f32 * 2.0)
}

fn channels_in_words(count: usize) -> String {
    if count == 1 { "1 channel".to_owned() } else { format!("{count} channels") }
}
