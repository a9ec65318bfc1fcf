//! Preview of a non-glTF file: the model beside a figure of known height.

use egui::{
    Align2, Color32, CursorIcon, Frame, Margin, PointerButton, Pos2, Rect, Role, Sense, Stroke, Ui,
    UiBuilder, Vec2 as Points, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;
use glam::{Vec2, Vec3};

use super::{figure, settings::height_words};
use crate::ui::{ConvertDraft, Theme, View, drop_down::choices, theme::Font, widgets::icon_button};
use ulna_render::ColorRole;

/// Maximum pitch of the camera, in radians.
const PITCH: f32 = 1.3;

pub fn preview_ui(ui: &mut Ui, view: &View<'_>, now: &mut ConvertDraft, rect: Rect) {
    let theme = view.theme;
    let response = ui.interact(rect, ui.scope_id().with("preview"), Sense::drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Preview"));
    let turned = response.drag_delta();
    if response.dragged_by(PointerButton::Primary) && turned != Points::ZERO {
        let [yaw, pitch] = now.preview.turn;
        now.preview.turn = [yaw - turned.x * 0.01, (pitch + turned.y * 0.01).clamp(-PITCH, PITCH)];
    }
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceWindow));
    if let Some(texture) = view.dialogs.convert.picture {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(texture, rect, whole, Color32::WHITE);
    }
    if view.dialogs.convert.picture.is_none() {
        let color = theme.color(ColorRole::TextTertiary);
        let font = Theme::font(Font::Small);
        let text = "The preview is not drawn yet";
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, font, color);
    }
    let clip = ui.clip_rect();
    ui.set_clip_rect(rect.intersect(clip));
    let project = projector(now, rect);
    if now.preview.figure {
        figure::figure_ui(ui, theme, now.figure_at(), now.right(), &project);
    }
    if now.preview.figure
        && let Some(at) = project(now.figure_at() + Vec3::Y * ConvertDraft::FIGURE * 1.03)
    {
        let color = theme.color(ColorRole::TextPrimary);
        plate(
            ui,
            theme,
            at,
            Align2::CENTER_BOTTOM,
            "1.8 m figure",
            Theme::font(Font::Small),
            color,
        );
    }
    height_ui(ui, theme, now, rect);
    ui.set_clip_rect(clip);
    bar_ui(ui, theme, now, rect);
}

/// Projects positions in meters to screen positions in the preview.
fn projector(draft: &ConvertDraft, rect: Rect) -> impl Fn(Vec3) -> Option<Pos2> + use<> {
    let size = Vec2::new(rect.width(), rect.height());
    let camera = draft.camera(size.x / size.y.max(1.0));
    move |at| camera.project(at, size).map(|(p, _)| pos2(rect.left() + p.x, rect.top() + p.y))
}

/// Draws text with a background, so that it is readable over any model.
fn plate(
    ui: &Ui,
    theme: &Theme,
    at: Pos2,
    align: Align2,
    text: &str,
    font: egui::FontId,
    color: Color32,
) {
    let text = ui.painter().layout_no_wrap(text.to_owned(), font, color);
    let place = align.anchor_size(at, text.size());
    let fill = theme.color(ColorRole::SurfaceWindow).gamma_multiply(0.75);
    ui.painter().rect_filled(place.expand2(vec2(4.0, 1.0)), 3.0, fill);
    ui.painter().galley(place.min, text, color);
}

/// Draws the height line, with a ring at its top that can be dragged.
fn height_ui(ui: &Ui, theme: &Theme, now: &mut ConvertDraft, rect: Rect) {
    let (Some(height), Some([low, high])) = (now.height(), now.extent()) else { return };
    let project = projector(now, rect);
    let beside = Vec3::new(high.x, 0.0, (low.z + high.z) * 0.5);
    let (Some(top), Some(foot)) = (project(beside.with_y(high.y)), project(beside.with_y(low.y)))
    else {
        return;
    };
    let x = (top.x.max(foot.x) + 14.0).min(rect.right() - 14.0);
    let (top, foot) = (pos2(x, top.y), pos2(x, foot.y));
    let role =
        if now.is_likely_height() { ColorRole::AccentBase } else { ColorRole::SeverityWarning };
    let stroke = Stroke::new(1.5, theme.color(role));
    ui.painter().line_segment([top, foot], stroke);
    ui.painter().line_segment([foot - vec2(4.0, 0.0), foot + vec2(4.0, 0.0)], stroke);
    let place = Rect::from_center_size(top, vec2(18.0, 18.0));
    let ring = ui.interact(place, ui.scope_id().with("height"), Sense::drag());
    ring.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "Height of the model"));
    let ring = ring.on_hover_cursor(CursorIcon::ResizeVertical);
    let fill = theme.color(if ring.hovered() { role } else { ColorRole::SurfaceWindow });
    ui.painter().circle(top, 4.5, fill, stroke);
    let span = foot.y - top.y;
    if ring.dragged() && span > 1.0 {
        let factor = (-ring.drag_delta().y / span.max(60.0)).exp();
        now.conversion.unit = Some((now.unit() * factor).clamp(1e-6, 1e6));
    }
    let at = pos2(x, top.y - 8.0).max(rect.left_top() + vec2(0.0, 20.0));
    let right = pos2(at.x.min(rect.right() - 28.0), at.y);
    let text = height_words(height);
    let color = theme.color(if now.is_likely_height() { ColorRole::AccentText } else { role });
    plate(ui, theme, right, Align2::CENTER_BOTTOM, &text, Theme::font(Font::Number), color);
}

/// Shows the playing clip on the left, and the display options on the right.
fn bar_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, rect: Rect) {
    let frame = || {
        Frame::new()
            .fill(theme.color(ColorRole::SurfaceRaised).gamma_multiply(0.92))
            .corner_radius(6)
            .inner_margin(Margin::same(3))
    };
    let bottom = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 42.0), rect.max)
        .shrink2(vec2(8.0, 4.0));
    let mut left = ui.new_child(UiBuilder::new().max_rect(bottom).id_salt("plays"));
    let has_clips = !now.found.clips.is_empty();
    if has_clips {
        frame().show(&mut left, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                let plays = now.preview.plays && now.preview.clip.is_some();
                let (icon, name) = if plays {
                    (icons::ICON_PAUSE, "Pause the preview")
                } else {
                    (icons::ICON_PLAY_ARROW, "Play the preview")
                };
                if icon_button(ui, theme, icon, name, "", false, Ok(())).clicked() {
                    now.preview.plays = !plays;
                    now.preview.clip = now.preview.clip.or(Some(0));
                }
                let mut list: Vec<(Option<usize>, &str, &str)> = vec![(None, "Rest pose", "")];
                let found = std::sync::Arc::clone(&now.found);
                list.extend(found.clips.iter().enumerate().map(|(k, c)| (Some(k), &*c.name, "")));
                let before = now.preview.clip;
                choices(ui, "Shown clip", 130.0, &list, &mut now.preview.clip);
                if now.preview.clip != before {
                    now.preview.plays = now.preview.clip.is_some();
                }
            });
        });
    }
    let width = 3.0 * 28.0 + 14.0;
    let place = bottom.with_min_x(bottom.right() - width);
    let mut right = ui.new_child(UiBuilder::new().max_rect(place).id_salt("looks"));
    frame().show(&mut right, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let look = &mut now.preview;
            let ways = [
                (icons::ICON_CONTRAST, "Show materials", &mut look.textured),
                (icons::ICON_ACCOUNT_TREE, "Show joints", &mut look.joints),
                (icons::ICON_ACCESSIBILITY_NEW, "Show the 1.8 m figure", &mut look.figure),
            ];
            for (icon, name, on) in ways {
                if icon_button(ui, theme, icon, name, "", *on, Ok(())).clicked() {
                    *on = !*on;
                }
            }
        });
    });
}
