//! Floating panels: each is a window inside the main window.

use egui::{Align, Context, Frame, Id, Layout, Pos2, Rect, Sense, Ui, UiBuilder, Vec2, vec2};
use egui_material_icons::icons;
use serde::{Deserialize, Serialize};

use super::{
    pane::Pane,
    panels::{PanelFrame, panel_ui},
};
use crate::ui::{
    theme::{Font, Theme},
    widgets::icon_button,
};
use ulna_render::ColorRole;

/// Minimum size of a floating panel, in points.
const LEAST: Vec2 = vec2(220.0, 120.0);
/// Height of the title bar, in points.
const TITLE: f32 = 28.0;

/// A panel that floats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Float {
    pub pane: Pane,
    /// Upper left corner, in points of the main window.
    pub at: [f32; 2],
    /// Width and height in points, including the title bar.
    pub size: [f32; 2],
}

impl Float {
    pub(super) fn new(pane: Pane, rect: Rect) -> Self {
        Self { pane, at: rect.min.into(), size: rect.size().into() }
    }

    /// True if a stored floating panel is valid.
    pub(super) fn is_sound(&self) -> bool {
        let fits = |n: &f32| n.is_finite() && n.abs() < 1e5;
        self.pane.can_float() && self.at.iter().chain(&self.size).all(fits)
    }

    /// Initial rectangle of a newly undocked panel. It is near the old position, moved toward the
    /// center, and no larger than 60 % of the area.
    pub(super) fn place(was: Option<Rect>, area: Rect, count: usize) -> Rect {
        let most = area.size() * 0.6;
        let size = was.map_or(vec2(328.0, 360.0), |r| r.size()).min(most).max(LEAST);
        let aside = 24.0 * (1 + count) as f32;
        let was_at = was.map_or(area.center() - size * 0.5, |r| r.min);
        let is_left = was_at.x + size.x * 0.5 < area.center().x;
        // Leaves the switches at the top of the viewport visible.
        let at = was_at + vec2(if is_left { aside } else { -aside }, 24.0 + aside);
        let last = (area.max - size).max(area.min);
        Rect::from_min_size(at.clamp(area.min, last), size)
    }
}

/// A request from the title bar of a floating panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Nothing,
    Dock,
    Raise,
}

/// Draws a floating panel within the area of the docked panels.
pub(super) fn float_ui(
    float: &mut Float,
    (ctx, area, generation): (&Context, Rect, u64),
    theme: &Theme,
    frame: &mut PanelFrame<'_>,
) -> Asked {
    let id = Id::unique(("floating panel", float.pane as u8, generation));
    let least = LEAST.min(area.size());
    let size = Vec2::from(float.size).clamp(least, area.size());
    let last = (area.max - size).max(area.min);
    let at = Pos2::from(float.at).clamp(area.min, last);
    let ground = Frame::window(&ctx.global_style())
        .inner_margin(0)
        .fill(theme.color(ColorRole::SurfacePanel));
    let window = egui::Window::new(float.pane.title())
        .id(id)
        .title_bar(false)
        .collapsible(false)
        .resizable(true)
        .constrain_to(area)
        .default_rect(Rect::from_min_size(at, size))
        .min_size(least)
        .max_size(area.size())
        .frame(ground);
    let shown = window.show(ctx, |ui| {
        let rect = ui.available_rect_before_wrap();
        ui.allocate_rect(rect, Sense::hover());
        let (title, body) = rect.split_top_bottom_at_y(rect.top() + TITLE);
        let mut asked = title_ui(ui, theme, float.pane, title);
        let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("body"));
        inside.set_clip_rect(body.intersect(ui.clip_rect()));
        panel_ui(frame, &mut inside, theme, float.pane, true);
        let pressed = ui.input(|i| i.pointer.any_pressed());
        if asked == Asked::Nothing && pressed && ui.rect_contains_pointer(rect) {
            asked = Asked::Raise;
        }
        (asked, rect)
    });
    let Some((asked, rect)) = shown.and_then(|s| Some((s.inner?, s.response.rect))) else {
        return Asked::Nothing;
    };
    let (asked, content) = asked;
    // The stored size excludes the border, which would otherwise be added at each launch.
    float.at = rect.min.into();
    float.size = content.size().into();
    asked
}

/// Draws the title bar, with the button that docks the panel again.
fn title_ui(ui: &mut Ui, theme: &Theme, pane: Pane, rect: Rect) -> Asked {
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceBar));
    let mut bar = ui.new_child(
        UiBuilder::new()
            .max_rect(rect.shrink2(vec2(8.0, 2.0)))
            .layout(Layout::right_to_left(Align::Center)),
    );
    let name = format!("Dock panel {}", pane.title());
    let icon = icons::ICON_CLOSE_FULLSCREEN;
    let docks = icon_button(&mut bar, theme, icon, &name, "", false, Ok(())).clicked();
    bar.with_layout(Layout::left_to_right(Align::Center), |ui| {
        let text = egui::RichText::new(pane.title())
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextPrimary));
        ui.add(egui::Label::new(text).truncate().selectable(false));
    });
    if docks { Asked::Dock } else { Asked::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_floating_panel_fits_in_the_area() {
        let areas = [vec2(1600.0, 900.0), vec2(720.0, 380.0), vec2(300.0, 160.0)];
        for area in areas.map(|size| Rect::from_min_size(Pos2::new(0.0, 72.0), size)) {
            for was in [None, Some(area), Some(Rect::from_min_size(area.min, vec2(90.0, 900.0)))] {
                for count in 0..9 {
                    let rect = Float::place(was, area, count);
                    assert!(area.expand(0.5).contains(rect.min), "{rect} in {area}");
                    assert!(rect.width() >= LEAST.x && rect.height() >= LEAST.y);
                    assert!(rect.max.x <= area.max.x.max(area.min.x + LEAST.x) + 0.5, "{rect}");
                }
            }
        }
    }

    #[test]
    fn an_invalid_stored_floating_panel_is_detected() {
        let sound = Float { pane: Pane::Problems, at: [10.0, 20.0], size: [300.0, 200.0] };
        assert!(sound.is_sound());
        assert!(!Float { at: [f32::NAN, 0.0], ..sound }.is_sound());
        assert!(!Float { size: [1e9, 10.0], ..sound }.is_sound());
        assert!(!Float { pane: Pane::Viewport, ..sound }.is_sound());
    }
}
