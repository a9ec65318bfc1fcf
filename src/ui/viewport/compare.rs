//! Comparison of the edited model with the file as opened.

use egui::{Rect, RichText, Role, Ui, WidgetInfo, pos2, vec2};

use super::{Compare, ViewportAction};
use crate::ui::{
    Actions, ComparedProperty, Theme, View,
    theme::Font,
    widgets::{key_chips, segment, segments},
};
use ulna_render::ColorRole;

/// Shows the comparison bar at the bottom, if the model was edited. Returns whether the pointer is
/// over it.
pub fn compare_ui(ui: &mut Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let now = view.viewport.compare;
    let edited = view.session.is_some_and(|s| s.is_unsaved() || s.history().undo_label().is_some());
    let spec = view.mode.spec();
    let of_weights = spec.compares == ComparedProperty::Weights;
    // The file as opened may have other joints.
    let is_rig = spec.edits_rest && now == Compare::Edited;
    // A running comparison can be ended even in a small viewport.
    let has_room = rect.width() > 560.0 || now != Compare::Edited;
    let fits = !is_rig && has_room && !view.timeline.playback.mixing;
    if !fits || (!edited && now == Compare::Edited) {
        return false;
    }
    let theme = view.theme;
    // Leave space for the clip name and for the color legend.
    let clip = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let up = match (spec.paints_weights, clip > 0.0) {
        (true, _) => 108.0 + clip,
        (false, true) => 66.0,
        (false, false) => 40.0,
    };
    let area = Rect::from_min_size(
        pos2(rect.left() + 8.0, rect.bottom() - up),
        vec2(rect.width() - 16.0, 32.0),
    );
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area).id_salt("compare"));
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::ViewportOverlay))
        .corner_radius(4)
        .inner_margin(2);
    let bar = frame.show(&mut child, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            // The height of the segments with their margin. Otherwise, the label before them would
            // be centered in a lower row.
            ui.set_min_height(ui.spacing().interact_size.y + 4.0);
            ui.add_space(4.0);
            let small = Theme::font(Font::Small);
            ui.label(
                RichText::new("Compare")
                    .font(small.clone())
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            segments(ui, theme, |ui| {
                // Weights have no ghost display.
                for (compare, text) in
                    Compare::ALL.into_iter().filter(|c| !of_weights || c.0 != Compare::Both)
                {
                    let segment = segment(ui, theme, text, now == compare, false);
                    let name = format!("Compare: {text}");
                    segment.widget_info(|| {
                        WidgetInfo::selected(Role::Button, true, now == compare, &name)
                    });
                    let about = match compare {
                        Compare::File if of_weights => "The file's original weights, in this pose",
                        Compare::Edited if of_weights => "The edited weights",
                        Compare::File => "The file as opened",
                        Compare::Edited => "With your edits",
                        Compare::Both => "With your edits, and a ghost of the file as opened",
                    };
                    if segment.on_hover_text(about).clicked() {
                        actions.push(ViewportAction::SetCompare(compare));
                    }
                }
            });
            ui.label(RichText::new("hold").font(small).color(theme.color(ColorRole::TextTertiary)));
            key_chips(ui, theme, "`");
            ui.add_space(4.0);
        });
    });
    ui.rect_contains_pointer(bar.response.rect)
}
