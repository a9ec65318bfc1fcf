//! Sections that a click opens and closes, with the chevron of the tree.

use egui::{CollapsingHeader, CollapsingResponse, Response, RichText, Ui};
use egui_material_icons::icons;

use super::widgets::paint_icon;

/// Shows a section with a heading. It is closed at first. `salt` distinguishes its state from that
/// of other sections.
pub fn collapsing<R>(
    ui: &mut Ui,
    heading: impl Into<RichText>,
    salt: impl std::hash::Hash + std::fmt::Debug,
    add: impl FnOnce(&mut Ui) -> R,
) -> CollapsingResponse<R> {
    /// Distance in points from the left end to the heading: the chevron and a gap.
    const INDENT: f32 = 20.0;
    ui.scope(|ui| {
        ui.spacing_mut().indent = INDENT;
        CollapsingHeader::new(heading.into()).id_salt(salt).icon(chevron).show(ui, add)
    })
    .inner
}

/// Draws the chevron: to the right if the section is closed, and down if it is open.
fn chevron(ui: &mut Ui, openness: f32, response: &Response) {
    let icon = if openness < 0.5 { icons::ICON_CHEVRON_RIGHT } else { icons::ICON_EXPAND_MORE };
    let color = ui.style().interact(response).fg_stroke.color;
    paint_icon(ui.painter(), response.rect.center(), icon, 16.0, color);
}
