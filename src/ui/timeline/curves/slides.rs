//! Sliders that move keys between their neighbors.

use egui::{Key, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{
    Graph,
    asked::slide_keys,
    panel::{Ends, panel, pressed},
};
use crate::ui::{
    Action, Actions, Theme,
    drop_down::{combo_box, option_value},
    theme::Font,
};
use ulna_edit::KeysHome;
use ulna_model::KeySet;
use ulna_motion::curves::Slide;
use ulna_render::ColorRole;

/// All sliders: effect to the left, name, effect to the right.
const SLIDES: [(Slide, &str, &str, &str); 9] = [
    (Slide::BlendNeighbor, "Blend to neighbor", "previous", "next"),
    (Slide::Ease, "Ease", "slow start", "slow end"),
    (Slide::ScaleLeft, "Scale from left", "less", "more"),
    (Slide::ScaleRight, "Scale from right", "less", "more"),
    (Slide::ScaleAverage, "Scale from average", "less", "more"),
    (Slide::Shear, "Shear", "left", "right"),
    (Slide::PushPull, "Push and pull", "toward the line", "away from it"),
    (Slide::MatchSlope, "Match slope", "of the previous", "of the next"),
    (Slide::TimeOffset, "Time offset", "earlier", "later"),
];

/// Open slider panel.
#[derive(Clone, Debug)]
pub struct SlidePanel {
    home: KeysHome,
    /// Keys of the current drag.
    keys: Option<KeySet>,
    slide: Slide,
    amount: f64,
}

impl SlidePanel {
    /// Creates the panel with the last slider.
    pub const fn new(home: KeysHome, slide: Slide) -> Self {
        Self { home, keys: None, slide, amount: 0.0 }
    }

    /// Draws the panel, and previews the dragged amount.
    pub fn show(&mut self, ui: &Ui, graph: &Graph<'_>, actions: &mut Actions) -> Ends {
        const WIDTH: f32 = 300.0;
        if self.home != graph.home() {
            return Ends::GivesUp;
        }
        let theme = graph.view.theme;
        let rect = graph.layout.rect;
        let at = pos2((rect.center().x - WIDTH * 0.5).max(rect.left() + 8.0), rect.top() + 8.0);
        let about = super::held::keys_in_words(graph.keys().len());
        let (_, closed) = panel(ui, theme, ("Slide", &about), (at, WIDTH), |ui| {
            let name = SLIDES.iter().find(|s| s.0 == self.slide).map_or("", |s| s.1);
            let combo = combo_box("slider")
                .selected_text(name)
                .width(ui.available_width())
                .show_ui(ui, |ui| {
                    for (slide, name, ..) in SLIDES {
                        option_value(ui, &mut self.slide, slide, name);
                    }
                });
            combo.response.widget_info(|| {
                WidgetInfo::labeled(Role::ComboBox, true, format!("Slider: {name}"))
            });
            self.slider(ui, graph, actions);
        });
        if closed || (self.keys.is_none() && pressed(ui, Key::Escape)) {
            return Ends::Keeps;
        }
        Ends::Stays
    }

    fn slider(&mut self, ui: &mut Ui, graph: &Graph<'_>, actions: &mut Actions) {
        let theme = graph.view.theme;
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::slider(true, self.amount, "Slide amount"));
        let track = Rect::from_center_size(
            pos2(rect.center().x, rect.top() + 10.0),
            vec2(rect.width() - 16.0, 4.0),
        );
        draw(ui, theme, (rect, track), (self.slide, self.amount));
        if response.drag_started() {
            self.keys = (!graph.keys().is_empty()).then(|| graph.keys().clone());
        }
        let Some(keys) = &self.keys else { return };
        if ui.input(|i| i.key_pressed(Key::Escape)) {
            actions.push(Action::Cancel);
            (self.keys, self.amount) = (None, 0.0);
        } else if response.drag_stopped() {
            actions.push(Action::Commit);
            (self.keys, self.amount) = (None, 0.0);
        } else if let Some(at) = response.interact_pointer_pos() {
            let gone = f64::from((at.x - track.center().x) / (track.width() * 0.5));
            let amount = (gone.clamp(-1.0, 1.0) * 100.0).round() / 100.0;
            if amount != self.amount {
                self.amount = amount;
                let name = SLIDES.iter().find(|s| s.0 == self.slide).map_or("Slide", |s| s.1);
                let (id, how) = (self.home.clip, (self.slide, amount));
                let groups = graph.by_order(keys).into_iter();
                let commands =
                    groups.map(|(order, keys)| slide_keys(id, keys, order, how)).collect();
                actions.push(Action::Preview { label: name.to_owned(), commands });
            }
        }
    }
}

fn draw(ui: &Ui, theme: &Theme, (rect, track): (Rect, Rect), (slide, amount): (Slide, f64)) {
    let painter = ui.painter();
    painter.rect_filled(track, 2.0, theme.color(ColorRole::SurfaceField));
    let middle = theme.color(ColorRole::StrokeStrong);
    painter.vline(track.center().x, track.y_range().expand(4.0), Stroke::new(1.0, middle));
    let x = track.center().x + track.width() * 0.5 * amount as f32;
    painter.circle_filled(pos2(x, track.center().y), 7.0, theme.color(ColorRole::AccentBase));
    let (font, faint) = (Theme::font(Font::Caption), theme.color(ColorRole::TextTertiary));
    let sides = SLIDES.iter().find(|s| s.0 == slide).map_or(("", ""), |s| (s.2, s.3));
    let foot = rect.bottom() - 2.0;
    let put = |align, x, text: &str| {
        painter.text(pos2(x, foot), align, text, font.clone(), faint);
    };
    put(egui::Align2::LEFT_BOTTOM, rect.left() + 4.0, sides.0);
    put(egui::Align2::RIGHT_BOTTOM, rect.right() - 4.0, sides.1);
    if amount != 0.0 {
        let text = format!("{:+.0} %", amount * 100.0).replace('-', "−");
        put(egui::Align2::CENTER_BOTTOM, rect.center().x, &text);
    }
}
