//! Overlays of Paint mode: the influences at a point, the color legend, and the counts of weight
//! problems.

use egui::{Align2, Color32, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};
use glam::Vec2;

use crate::ui::{
    BrushHover, View, WeightLook,
    theme::{Font, Theme},
    weight_marks::{hatch, heat_color, mask_gray, painted_layer},
    widgets::{elided, thousands},
};
use ulna_model::{Document, Node};
use ulna_render::ColorRole;
use ulna_weights::layers::Painted;

/// Position of a text box beside the brush: to the right, to the left, below or above. For a very
/// large brush, the box may overlap the rim. If no side has space, it is in the corner that hides
/// the least of the brush.
fn beside(rect: Rect, ring: Rect, middle: Pos2, size: egui::Vec2) -> Rect {
    const GAP: f32 = 20.0;
    const FAR: f32 = 260.0;
    /// Height of the toolbar, in points.
    const BAR: f32 = 48.0;
    let room = Rect::from_min_max(rect.min + vec2(8.0, BAR), rect.max - vec2(8.0, 8.0));
    let ring = ring.intersect(Rect::from_center_size(middle, egui::Vec2::splat(2.0 * FAR)));
    let (x, y) = (middle.x - size.x * 0.5, middle.y - size.y * 0.4);
    let along = |low: f32, least: f32, most: f32| low.clamp(least, most.max(least));
    let (x, y) = (
        along(x, room.left(), room.right() - size.x),
        along(y, room.top(), room.bottom() - size.y),
    );
    let sides = [
        pos2(ring.right() + GAP, y),
        pos2(ring.left() - GAP - size.x, y),
        pos2(x, ring.bottom() + GAP),
        pos2(x, ring.top() - GAP - size.y),
    ];
    let sides = sides.map(|at| Rect::from_min_size(at, size));
    if let Some(area) = sides.into_iter().find(|area| room.expand(0.5).contains_rect(*area)) {
        return area;
    }
    let (left, top) = (room.left(), room.top());
    let (right, bottom) = ((room.right() - size.x).max(left), (room.bottom() - size.y).max(top));
    let corners = [pos2(right, bottom), pos2(right, top), pos2(left, top), pos2(left, bottom)];
    let hidden = |area: &Rect| area.intersect(ring.expand(GAP)).size().max(egui::Vec2::ZERO);
    let corners = corners.map(|at| Rect::from_min_size(at, size));
    let least = corners.into_iter().min_by(|a, b| {
        let [a, b] = [hidden(a), hidden(b)].map(|s| s.x * s.y);
        a.total_cmp(&b)
    });
    least.unwrap_or(sides[0])
}

/// Draws the influences at a point as bars, with a note about the effect of a dab.
pub fn plate(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect, hover: &BrushHover) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let size = Vec2::new(rect.width(), rect.height());
    let ring =
        hover.rim.iter().filter_map(|p| view.viewport.camera.project(*p, size)).map(|(p, _)| p);
    let middle = rect.min + vec2(hover.at.x, hover.at.y);
    let ring = ring.fold(Rect::from_center_size(middle, vec2(4.0, 4.0)), |all, p| {
        all.union(Rect::from_center_size(rect.min + vec2(p.x, p.y), egui::Vec2::ZERO))
    });
    let rows = hover.shares.len().min(5);
    let width = 220.0;
    let note = (!hover.note.is_empty()).then_some(&hover.note);
    let note = note.map(|n| {
        let color = theme.color(if hover.refused {
            ColorRole::SeverityWarning
        } else {
            ColorRole::TextTertiary
        });
        painter.layout(n.clone(), Theme::font(Font::Caption), color, width - 20.0)
    });
    let note_height = note.as_ref().map_or(0.0, |g| g.size().y + 6.0);
    let height = 28.0 + rows as f32 * 20.0 + note_height + 6.0;
    // Leave the clip name at the bottom readable.
    let rim = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let room = Rect::from_min_max(rect.min, rect.max - vec2(0.0, rim));
    let area = beside(room, ring, middle, vec2(width, height));
    painter.rect(
        area,
        4.0,
        theme.color(ColorRole::ViewportOverlay),
        Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle)),
        egui::StrokeKind::Inside,
    );
    let text = |x: f32, y: f32, anchor, t: &str, font, color| {
        painter.text(pos2(x, y), anchor, t, font, color)
    };
    let y = area.top() + 15.0;
    text(
        area.left() + 10.0,
        y,
        Align2::LEFT_CENTER,
        "At the cursor",
        Theme::font(Font::Heading),
        theme.color(ColorRole::TextPrimary),
    );
    let vertex = format!("vertex {}", thousands(hover.vertex.1 as usize));
    text(
        area.right() - 10.0,
        y,
        Align2::RIGHT_CENTER,
        &vertex,
        Theme::font(Font::Caption),
        theme.color(ColorRole::TextTertiary),
    );
    let painted = view
        .paint
        .joint()
        .zip(view.paint.surface())
        .and_then(|(j, c)| c.joints().get(usize::from(j)).copied());
    for (k, (node, share)) in hover.shares.iter().take(rows).enumerate() {
        let y = area.top() + 36.0 + k as f32 * 20.0;
        let font = Theme::font(if painted == Some(*node) { Font::Heading } else { Font::Small });
        let color = theme.color(if painted == Some(*node) {
            ColorRole::SelectionText
        } else {
            ColorRole::TextPrimary
        });
        let label = elided(ui, &document.node(*node).label(*node), &font, 84.0);
        text(area.left() + 10.0, y, Align2::LEFT_CENTER, &label, font, color);
        let bar = Rect::from_min_max(
            pos2(area.left() + 98.0, y - 2.5),
            pos2(area.right() - 70.0, y + 2.5),
        );
        painter.rect_filled(bar, 2.0, theme.trough());
        let filled =
            Rect::from_min_size(bar.min, vec2(bar.width() * share.clamp(0.0, 1.0), bar.height()));
        painter.rect_filled(filled, 2.0, heat_color(*share));
        if view.paint.options.locked.contains(node) {
            hatch(ui, filled, theme);
        }
        let number = format!("{:.1} %", share * 100.0);
        text(
            area.right() - 10.0,
            y,
            Align2::RIGHT_CENTER,
            &number,
            Theme::font(Font::Number),
            theme.color(ColorRole::TextPrimary),
        );
    }
    if let Some(note) = note {
        let at = pos2(area.left() + 10.0, area.bottom() - note.size().y - 6.0);
        painter.galley(at, note, theme.color(ColorRole::TextTertiary));
    }
}

/// Whether the viewport is too small for full-size overlays.
fn is_small(rect: Rect) -> bool {
    rect.width() < 520.0 || rect.height() < 460.0
}

/// Size of the color legend, in points.
fn legend_size(rect: Rect) -> egui::Vec2 {
    if is_small(rect) { vec2(150.0, 54.0) } else { vec2(260.0, 60.0) }
}

/// Draws the legend of the colors.
pub fn legend(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let mask = painted_layer(view).filter(|(_, p)| *p == Painted::Mask).map(|(name, _)| name);
    let Some((title, ends)) = scale(view, document, mask) else { return };
    let clip = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let size = legend_size(rect);
    let area =
        Rect::from_min_size(pos2(rect.left() + 8.0, rect.bottom() - 8.0 - size.y - clip), size);
    painter.rect_filled(area, 4.0, theme.color(ColorRole::ViewportOverlay));
    let small = Theme::font(Font::Caption);
    let note = match (mask.is_some(), view.paint.options.look) {
        _ if is_small(rect) => "",
        (true, _) => "clay: not in the layer",
        (false, WeightLook::Joint) if has_bare(document) => "gray: zero · dim: no skin",
        (false, WeightLook::Joint) => "gray: zero",
        _ => "",
    };
    let at = pos2(area.right() - 10.0, area.top() + 13.0);
    let noted = painter.text(
        at,
        Align2::RIGHT_CENTER,
        note,
        small.clone(),
        theme.color(ColorRole::TextTertiary),
    );
    let title = elided(ui, &title, &small, area.width() - noted.width() - 28.0);
    let at = area.min + vec2(10.0, 13.0);
    painter.text(
        at,
        Align2::LEFT_CENTER,
        title,
        small.clone(),
        theme.color(ColorRole::TextSecondary),
    );
    let bar = Rect::from_min_size(area.min + vec2(10.0, 25.0), vec2(area.width() - 20.0, 8.0));
    ramp(painter, bar, mask.is_some());
    let shown = |k: &usize| !is_small(rect) || k.is_multiple_of(4);
    for (k, text) in ends.into_iter().enumerate().filter(|(k, _)| shown(k)) {
        let anchor = match k {
            0 => Align2::LEFT_CENTER,
            4 => Align2::RIGHT_CENTER,
            _ => Align2::CENTER_CENTER,
        };
        let x = bar.left() + bar.width() * k as f32 / 4.0;
        let at = pos2(x, bar.bottom() + 13.0);
        painter.text(
            at,
            anchor,
            text,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextSecondary),
        );
    }
}

/// Title of the legend, and five numbers along its color ramp.
type Scale = (String, [String; 5]);

/// Title and numbers of the color legend; `None` if the display has no color ramp.
fn scale(view: &View<'_>, document: &Document, mask: Option<&str>) -> Option<Scale> {
    let parts = ["0", "0.25", "0.5", "0.75", "1"].map(str::to_owned);
    let stretch = ["1×", "1.4×", "2×", "2.8×", "4×"].map(str::to_owned);
    if let Some(name) = mask {
        return Some((format!("Mask of {name}"), parts));
    }
    Some(match view.paint.options.look {
        WeightLook::Joint => {
            let joint = view.paint.joint().zip(view.paint.surface());
            let node = joint.and_then(|(j, c)| c.joints().get(usize::from(j)).copied())?;
            let when = if view.paint.shows_original { ", as opened" } else { "" };
            (format!("Weight of {}{when}", document.node(node).label(node)), parts)
        }
        WeightLook::Strain => ("Stretch in this pose".into(), stretch),
        WeightLook::Volume => (
            "Volume loss in this pose".into(),
            ["0 %", "25 %", "50 %", "75 %", "100 %"].map(str::to_owned),
        ),
        WeightLook::Worst => ("Worst stretch, all poses".into(), stretch),
        WeightLook::Bytes | WeightLook::Shorts => rounding_scale(view),
        _ => return None,
    })
}

/// Legend of the error by rounded weights. Without an error, it has no numbers.
fn rounding_scale(view: &View<'_>) -> Scale {
    let bits = if view.paint.options.look == WeightLook::Bytes { 8 } else { 16 };
    let farthest = view.paint.farthest();
    if farthest > 0.0 {
        // Choose a unit that needs few digits, regardless of the unit in the settings.
        let (unit, per_meter) = match farthest {
            d if d >= 1.0 => ("m", 1.0),
            d if d >= 1e-3 => ("mm", 1e3),
            _ => ("µm", 1e6),
        };
        let most = farthest * per_meter;
        let places = (2.0 - most.log10().floor()).clamp(0.0, 3.0) as usize;
        let at = |k: usize| {
            if k == 0 { "0".into() } else { format!("{:.*}", places, most * k as f32 / 4.0) }
        };
        (format!("Error of {bits}-bit weights in this pose, {unit}"), std::array::from_fn(at))
    } else {
        (format!("No error with {bits}-bit weights"), Default::default())
    }
}

/// Draws the color ramp, or a ramp of grays for a mask.
fn ramp(painter: &Painter, bar: Rect, is_mask: bool) {
    let steps = 48;
    for k in 0..steps {
        let x = |k: usize| bar.left() + bar.width() * k as f32 / steps as f32;
        let cell = Rect::from_min_max(pos2(x(k), bar.top()), pos2(x(k + 1), bar.bottom()));
        let part = (k as f32 + 0.5) / steps as f32;
        let color = if is_mask { Color32::from_gray(mask_gray(part)) } else { heat_color(part) };
        painter.rect_filled(cell, 0.0, color);
    }
}

/// Whether any visible mesh has no skin.
fn has_bare(document: &Document) -> bool {
    let is_bare = |n: &Node| n.mesh.is_some() && n.skin.is_none();
    document.shown_nodes().into_iter().any(|n| is_bare(document.node(n)))
}

/// Draws the counts of weight problems.
pub fn faults(painter: &Painter, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let faults = view.paint.faults();
    let limit = view.paint.options.limit;
    let list = [
        (
            ColorRole::SeverityError,
            "No weights".to_owned(),
            faults.none + faults.negative + faults.not_numbers + faults.past,
        ),
        (ColorRole::SeverityWarning, format!("More than {limit}"), faults.many + faults.twice),
        (ColorRole::SeverityInfo, "Not normalized".to_owned(), faults.sum),
        (ColorRole::TimelineMarker, "Outliers".to_owned(), view.paint.outliers()),
    ];
    let small = Theme::font(Font::Caption);
    let shaped: Vec<_> = list
        .iter()
        .map(|(role, text, count)| {
            let color = theme.color(if *count > 0 {
                ColorRole::TextPrimary
            } else {
                ColorRole::TextSecondary
            });
            let text = painter.layout_no_wrap(text.clone(), small.clone(), color);
            let count = if view.paint.is_counting() { "…".to_owned() } else { thousands(*count) };
            let number = painter.layout_no_wrap(count, Theme::font(Font::NumberSmall), color);
            (*role, text, number)
        })
        .collect();
    let width: f32 =
        shaped.iter().map(|(_, t, n)| t.size().x + n.size().x + 30.0).sum::<f32>() + 8.0;
    // Place the counts beside the color legend, or above it if there is too little space.
    let legend = !matches!(
        view.paint.options.look,
        WeightLook::All | WeightLook::Faults | WeightLook::Materials
    );
    let clip = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let size = legend_size(rect);
    let up = if legend && width > rect.width() - size.x - 30.0 { size.y + 8.0 + clip } else { 0.0 };
    // A small viewport shows the counts only if there are problems.
    let is_right = view.paint.is_counting() || list.iter().all(|(.., count)| *count == 0);
    if width > rect.width() - 16.0 || (is_small(rect) && is_right) {
        return;
    }
    let area = Rect::from_min_size(
        pos2(rect.right() - width - 8.0, rect.bottom() - 36.0 - up),
        vec2(width, 28.0),
    );
    painter.rect_filled(area, 4.0, theme.color(ColorRole::ViewportOverlay));
    let mut x = area.left() + 12.0;
    for (role, text, number) in shaped {
        let y = area.center().y;
        painter.circle_filled(pos2(x, y), 3.5, theme.color(role));
        let color = theme.color(ColorRole::TextPrimary);
        let (tw, nw) = (text.size().x, number.size().x);
        painter.galley(pos2(x + 9.0, y - text.size().y * 0.5), text, color);
        painter.galley(pos2(x + 13.0 + tw, y - number.size().y * 0.5), number, color);
        x += tw + nw + 30.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brush_label_is_in_the_view_and_beside_the_brush_if_there_is_space() {
        let size = vec2(220.0, 120.0);
        let mut covered = 0;
        for (rect, radius) in
            [(vec2(974.0, 818.0), 64.0), (vec2(384.0, 420.0), 64.0), (vec2(384.0, 420.0), 400.0)]
        {
            let rect = Rect::from_min_size(pos2(257.0, 72.0), rect);
            for (i, j) in (0..=20).flat_map(|i| (0..=20).map(move |j| (i, j))) {
                let part = vec2(i as f32 / 20.0, j as f32 / 20.0);
                let middle = rect.min + rect.size() * part;
                let ring = Rect::from_center_size(middle, egui::Vec2::splat(2.0 * radius));
                let area = beside(rect, ring, middle, size);
                assert!(rect.contains_rect(area), "{part}: {area} of {rect}");
                if area.intersects(ring) {
                    covered += usize::from(radius < 100.0);
                }
                // The point under the pointer must stay visible.
                assert!(radius > 100.0 || !area.contains(middle), "{part}: {area}");
            }
        }
        // A small viewport has no space beside a brush in its middle.
        assert!(covered < 60, "{covered}");
    }
}
