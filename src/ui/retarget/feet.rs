//! The section *Foot contacts*: locking of feet to the ground, and their sliding.

use egui::{Align, Layout, Rect, Sense, Ui, vec2};

use super::{
    FootResult, RetargetDraft, RetargetResult, RetargetView,
    draft::chain_ink,
    parts::{MOST_SLIDE, centimeters, number, section, small},
};
use crate::ui::{Theme, number_bar::number_bar, theme::Font, widgets::check};
use ulna_render::ColorRole;

pub(super) fn feet_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, now: &mut RetargetDraft) {
    let has_feet = now.map.chains.iter().any(|c| c.contacts);
    let remark = if has_feet { "" } else { "No feet found" };
    let mut lock = now.map.contacts.lock;
    let open = section(ui, theme, "Foot contacts", remark, |ui| {
        if has_feet {
            // In a right-to-left layout, a check box needs a fixed width.
            ui.allocate_ui_with_layout(
                vec2(58.0, 24.0),
                Layout::left_to_right(Align::Center),
                |ui| check(ui, theme, &mut lock, "Lock"),
            );
        }
    });
    now.map.contacts.lock = lock;
    if !open || !has_feet {
        return;
    }
    let fps = page.clip().map_or(30.0, |c| c.fps) as f32;
    ui.add_enabled_ui(lock, |ui| {
        ui.columns(2, |columns| {
            let mut frames = now.map.contacts.blend * fps;
            let before = frames;
            number_bar(&mut columns[0], theme, "Blend", &mut frames, 0.0..=15.0, "frames", 1, "");
            if frames != before {
                now.map.contacts.blend = (frames / fps).clamp(0.0, 1.0);
            }
            let mut roll = now.map.contacts.toe_roll * 100.0;
            let before = roll;
            number_bar(&mut columns[1], theme, "Toe roll", &mut roll, 0.0..=100.0, "%", 0, "");
            if roll != before {
                now.map.contacts.toe_roll = (roll / 100.0).clamp(0.0, 1.0);
            }
        });
        ui.horizontal(|ui| {
            let text = "Lower the hips when a leg is too short";
            check(ui, theme, &mut now.map.contacts.lower_hips, text);
            if let Some(result) = page.result.filter(|r| r.lowered > 0.0) {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    number(ui, theme, &centimeters(result.lowered), ColorRole::TextTertiary);
                });
            }
        });
    });
    let Some(result) = page.result else { return };
    for leg in &result.short {
        let text = format!("{leg} does not reach every contact");
        small(ui, theme, &text, ColorRole::SeverityWarning);
    }
    let clip = page.clip().map_or("", |c| &c.name);
    ui.add_space(2.0);
    let heading = format!("Foot sliding during contact, {clip}");
    small(ui, theme, &heading, ColorRole::TextTertiary);
    sliding_ui(ui, theme, result);
}

/// Draws the sliding of each foot before and after locking, as bars.
fn sliding_ui(ui: &mut Ui, theme: &Theme, result: &RetargetResult) {
    let worst = |foot: &FootResult| {
        let slides = foot.contacts.iter().filter_map(|c| c.slide);
        slides.fold([0.0f32; 2], |[b, a], s| [b.max(s[0]), a.max(s[1])])
    };
    let largest = result.feet.iter().map(|f| worst(f)[0]).fold(0.01, f32::max);
    for foot in &result.feet {
        let [before, after] = worst(foot);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
        let (y, painter) = (rect.center().y, ui.painter());
        let text = |x: f32, align: egui::Align2, text: String, font: Font, role: ColorRole| {
            let at = egui::pos2(x, y);
            painter.text(at, align, text, Theme::font(font), theme.color(role))
        };
        let left = egui::Align2::LEFT_CENTER;
        let right = egui::Align2::RIGHT_CENTER;
        text(rect.left(), left, foot.name.clone(), Font::Small, ColorRole::TextSecondary);
        if foot.contacts.is_empty() {
            text(rect.right(), right, "no contact".into(), Font::Small, ColorRole::TextTertiary);
            continue;
        }
        let over = after > MOST_SLIDE;
        let role = if over { ColorRole::SeverityWarning } else { ColorRole::TextPrimary };
        let drawn = text(rect.right(), right, centimeters(after), Font::NumberSmall, role);
        let start = drawn.left().min(rect.right() - 54.0);
        let words = format!("{} →", centimeters(before));
        text(start - 6.0, right, words, Font::NumberSmall, ColorRole::TextTertiary);
        let bars = Rect::from_x_y_ranges(
            (rect.left() + 84.0)..=(rect.right() - 140.0),
            (y - 4.0)..=(y + 4.0),
        );
        let part = |meters: f32| (meters / largest).clamp(0.0, 1.0) * bars.width();
        let long = Rect::from_min_size(bars.min, vec2(part(before).max(2.0), 3.0));
        painter.rect_filled(long, 1.5, theme.color(ColorRole::StrokeStrong));
        let short = Rect::from_min_size(bars.min + vec2(0.0, 5.0), vec2(part(after).max(2.0), 3.0));
        painter.rect_filled(short, 1.5, chain_ink(foot.chain));
    }
}
