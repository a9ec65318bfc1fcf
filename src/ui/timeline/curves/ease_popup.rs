//! Ease panel: tiles with the shapes of eases. Each choice is previewed, and kept or discarded at
//! the end.

use egui::{Color32, Key, Pos2, Rect, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{
    Graph,
    asked::ease_keys,
    held::HeldKeys,
    own_eases::own_eases_ui,
    panel::{Ends, bar, panel, pressed},
};
use crate::ui::{
    Action, Actions, Theme,
    theme::Font,
    widgets::{segment, segments},
};
use ulna_model::{Interpolation, KeySet, KeyTimes};
use ulna_motion::curves::{ChosenComponents, Ease, EaseShape, EaseWay, eased, eased_spans};
use ulna_render::ColorRole;

/// Width of the panel, in points.
const WIDTH: f32 = 312.0;

/// Ease shapes in the order of their tiles.
const TILES: [EaseShape; 12] = [
    EaseShape::Linear,
    EaseShape::Sine,
    EaseShape::Quad,
    EaseShape::Cubic,
    EaseShape::Quart,
    EaseShape::Quint,
    EaseShape::Expo,
    EaseShape::Circ,
    EaseShape::Back,
    EaseShape::Elastic,
    EaseShape::Bounce,
    EaseShape::Step,
];

/// Panel that chooses an ease for the segments between keys.
#[derive(Clone, Debug)]
pub struct EasePopup {
    held: HeldKeys,
    /// Keys at the ends of the eased segments.
    keys: KeySet,
    /// Eased segments: curve, start and end in seconds.
    spans: Vec<(usize, f64, f64)>,
    /// Chosen ease.
    pub ease: Ease,
    /// Ease of the last preview.
    shown: Option<Ease>,
    about: String,
    /// Text about the effect on the rest of the channel.
    foot: String,
    /// Number of keys that each tile adds, with the direction and amount of the ease.
    added: Option<(EaseWay, f64, [usize; 12])>,
    /// Bounds of the panel in the last frame.
    area: Option<Rect>,
    /// Name under which the ease can be saved.
    name: String,
    typing: bool,
}

impl EasePopup {
    /// Creates the panel for the segments between the selected keys. A single selected key is eased
    /// to the next key. `None` without a segment.
    pub fn new(graph: &Graph<'_>, selection: &KeySet, ease: Ease) -> Option<Self> {
        let mut held = HeldKeys::new(graph, selection.clone())?;
        let (mut keys, mut spans) = (KeySet::default(), Vec::new());
        for (k, times) in &mut held.curves {
            let shown = &graph.layout.curves[*k];
            let Some(track) = shown.id.track() else { continue };
            if let [only] = times[..] {
                let key = shown.track.key_at(only, 0.0).filter(|key| key + 1 < shown.len());
                let Some(key) = key else { continue };
                *times = KeyTimes::part(&shown.track.times, key..key + 2);
            }
            for start in eased_spans(&shown.track, times) {
                let after = times.partition_point(|t| *t <= start);
                if let Some(end) = times.get(after) {
                    spans.push((*k, f64::from(start), f64::from(*end)));
                }
            }
            let own = KeySet::of_component(track, shown.id.component, times.clone());
            keys = keys.union(&own);
        }
        let (curve, from, to) = *spans.first()?;
        let fps = graph.view.timeline.playback.fps;
        let first = format!(
            "{}, frames {:.0}–{:.0}",
            graph.layout.curves[curve].name,
            from * fps,
            to * fps
        );
        let about = if spans.len() == 1 { first } else { format!("{} segments", spans.len()) };
        let (shown, foot, added, area) = (None, String::new(), None, None);
        let (name, typing) = (String::new(), false);
        Some(Self { held, keys, spans, ease, shown, about, foot, added, area, name, typing })
    }

    /// Draws the panel, and previews the chosen ease.
    pub fn show(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Ends {
        if self.held.home != graph.home() {
            return Ends::GivesUp;
        }
        self.draw_segments(ui, graph);
        let at = self.place(graph);
        let about = self.about.clone();
        let theme = graph.view.theme;
        let (area, closed) = panel(ui, theme, ("Ease", &about), (at, WIDTH), |ui| {
            self.choices(ui, theme);
            let own = (&mut self.ease, &mut self.name);
            self.typing = own_eases_ui(ui, graph.view, own, actions);
        });
        let ends = self.ends(ui, closed);
        self.area = Some(area);
        if ends == Ends::Stays && self.shown != Some(self.ease) {
            self.shown = Some(self.ease);
            self.foot = self.foot();
            let label = format!("Ease {}", self.ease.shape.label().to_lowercase());
            let (id, groups) = (self.held.home.clip, graph.by_order(&self.keys).into_iter());
            let commands =
                groups.map(|(order, keys)| ease_keys(id, keys, order, &self.ease)).collect();
            actions.push(Action::Preview { label, commands });
            ui.ctx().request_repaint();
        }
        ends
    }

    /// Escape discards the ease. Enter, the close button and a press outside keep it.
    fn ends(&self, ui: &Ui, closed: bool) -> Ends {
        let pressed = |key| !self.typing && pressed(ui, key);
        if pressed(Key::Escape) {
            return Ends::GivesUp;
        }
        let (press, at) = ui.input(|i| (i.pointer.any_pressed(), i.pointer.latest_pos()));
        let outside = |area: Rect| at.is_some_and(|at| !area.contains(at));
        if closed || pressed(Key::Enter) || (press && self.area.is_some_and(outside)) {
            return Ends::Keeps;
        }
        Ends::Stays
    }

    fn choices(&mut self, ui: &mut Ui, theme: &Theme) {
        segments(ui, theme, |ui| {
            for (way, text) in
                [(EaseWay::In, "In"), (EaseWay::Out, "Out"), (EaseWay::InOut, "In and out")]
            {
                if segment(ui, theme, text, self.ease.way == way, false).clicked() {
                    self.ease.way = way;
                }
            }
        });
        let key = (self.ease.way, self.ease.amount);
        if self.added.is_none_or(|(way, amount, _)| (way, amount) != key) {
            let added = TILES.map(|shape| Ease { shape, ..self.ease }.keys_added());
            self.added = Some((key.0, key.1, added));
        }
        ui.add_space(2.0);
        let added = self.added.map_or([0; 12], |a| a.2);
        for row in 0..2 {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                for k in row * 6..row * 6 + 6 {
                    let ease = Ease { shape: TILES[k], ..self.ease };
                    if tile(ui, theme, &ease, added[k], TILES[k] == self.ease.shape) {
                        self.ease.shape = TILES[k];
                    }
                }
            });
        }
        ui.add_space(2.0);
        let now = (self.ease.amount * 100.0, " %");
        if let Some(amount) = bar(ui, theme, "Amount", now, 0.0..=Ease::MOST * 100.0) {
            self.ease.amount = amount / 100.0;
        }
        let foot = RichText::new(&self.foot).font(Theme::font(Font::Small));
        let color = theme.color(ColorRole::TextSecondary);
        ui.add(egui::Label::new(foot.color(color)).wrap());
    }

    /// Describes the effect of the ease on the rest of the channel.
    fn foot(&self) -> String {
        let Some((curve, from, _)) = self.spans.first() else { return String::new() };
        let shown = &self.held.layout.curves[*curve];
        let Some(key) = shown.track.key_at(*from as f32, 0.0) else { return String::new() };
        let chosen = ChosenComponents { list: &[shown.id.component], space: shown.space };
        let made = eased(&shown.track, key, &self.ease, Some(chosen));
        let mut said = String::new();
        let stays = made.track.interpolation == shown.track.interpolation;
        let name = match shown.track.interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
            Interpolation::CubicSpline => "CUBICSPLINE",
        };
        if !stays {
            let others = shown.len().saturating_sub(2);
            let off = if made.others.angle > 0.0 {
                format!("{:.2}°", made.others.angle.to_degrees())
            } else {
                format!("{:.4}", made.others.value)
            };
            said = format!(
                "{name} channel: easing converts it to CUBICSPLINE. Its {others} other segments \
                    change by at most {off}. "
            );
        }
        said + match made.added {
            0 => "No keys added.",
            _ => "+n: keys added.",
        }
    }

    /// Position of the panel: below the segment, or above it if there is no space.
    fn place(&self, graph: &Graph<'_>) -> Pos2 {
        /// Approximate height of the panel, in points.
        const HEIGHT: f32 = 292.0;
        let layout = &graph.layout;
        let mut area = Rect::NOTHING;
        for (curve, from, to) in &self.spans {
            for time in [*from, (from + to) * 0.5, *to] {
                let value = self.held.layout.curves[*curve].value(time);
                area.extend_with(pos2(layout.x(time), layout.y(*curve, value)));
            }
        }
        let seen = area.intersect(layout.rect);
        let area = if seen.is_positive() || seen.width() > 0.0 { seen } else { layout.rect };
        let left = (area.center().x - WIDTH * 0.5)
            .min(layout.rect.right() - WIDTH - 8.0)
            .max(layout.rect.left() + 8.0);
        if area.bottom() + 24.0 + HEIGHT <= layout.rect.bottom() {
            return pos2(left, area.bottom() + 24.0);
        }
        if area.top() - 24.0 - HEIGHT >= layout.rect.top() {
            return pos2(left, area.top() - 24.0 - HEIGHT);
        }
        // There is no space above or below, so the panel is beside the segment.
        let right = area.right() + 24.0;
        let x = if right + WIDTH <= layout.rect.right() {
            right
        } else {
            (area.left() - 24.0 - WIDTH).max(layout.rect.left() + 8.0)
        };
        pos2(x, (layout.rect.bottom() - HEIGHT - 8.0).max(8.0))
    }

    /// Highlights the eased segments.
    fn draw_segments(&self, ui: &Ui, graph: &Graph<'_>) {
        const STEPS: usize = 64;
        let layout = &graph.layout;
        let painter = ui.painter_at(layout.rect);
        let stroke = Stroke::new(2.5, graph.view.theme.color(ColorRole::SelectionBase));
        for (curve, from, to) in self.spans.iter().take(64) {
            let id = self.held.layout.curves[*curve].id;
            let Some(k) = layout.curves.iter().position(|c| c.id == id) else { continue };
            let points = (0..=STEPS)
                .map(|s| from + (to - from) * s as f64 / STEPS as f64)
                .map(|time| pos2(layout.x(time), layout.y(k, layout.curves[k].value(time))))
                .collect();
            painter.add(egui::Shape::line(points, stroke));
        }
    }
}

/// Draws a tile with the shape of an ease, the number of keys it adds, and its name. Returns
/// whether it was clicked.
fn tile(ui: &mut Ui, theme: &Theme, ease: &Ease, added: usize, on: bool) -> bool {
    const STEPS: usize = 40;
    let (rect, response) = ui.allocate_exact_size(vec2(48.0, 54.0), Sense::click());
    let name = ease.shape.label();
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, format!("Ease {name}")));
    let fill = match on {
        true => theme.color(ColorRole::AccentTint),
        false if response.hovered() => theme.color(ColorRole::SurfaceControlHover),
        false => Color32::TRANSPARENT,
    };
    let color = theme.color(if on { ColorRole::AccentText } else { ColorRole::TextPrimary });
    let painter = ui.painter();
    painter.rect_filled(rect, 4.0, fill);
    let graph = Rect::from_min_size(rect.min + vec2(6.0, 9.0), vec2(36.0, 22.0));
    let points = (0..=STEPS)
        .map(|k| k as f64 / STEPS as f64)
        .map(|s| {
            let y = (ease.at(s) as f32).clamp(-0.4, 1.4);
            pos2(graph.left() + graph.width() * s as f32, graph.bottom() - graph.height() * y)
        })
        .collect();
    painter.add(egui::Shape::line(points, Stroke::new(1.5, color)));
    let (font, faint) = (Theme::font(Font::NumberSmall), theme.color(ColorRole::TextTertiary));
    if added > 0 {
        let at = graph.right_bottom() + vec2(2.0, 2.0);
        painter.text(at, egui::Align2::RIGHT_BOTTOM, format!("+{added}"), font, faint);
    }
    let at = rect.center_bottom() - vec2(0.0, 3.0);
    painter.text(at, egui::Align2::CENTER_BOTTOM, name, Theme::font(Font::Caption), color);
    response.clicked()
}
