//! Small widgets that all panels share: icon buttons, key marks, joint icons, titles, shortened
//! text.

use egui::{
    Align2, Button, Color32, CursorIcon, FontFamily, FontId, Painter, Pos2, Rect, Response,
    RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, style::ScrollAnimation, vec2,
};
use egui_material_icons::MaterialIcon;

use super::{
    View,
    theme::{Font, Theme},
};
use ulna_model::{Document, MixMask, NodeId, Pin, Severity};
use ulna_render::{ColorRole, Measure};

/// Font of icons in a size.
pub fn icon_font(size: f32, filled: bool) -> FontId {
    let family = if filled {
        egui_material_icons::FONT_FAMILY
    } else {
        egui_material_icons::FONT_FAMILY_OUTLINED
    };
    FontId::new(size, FontFamily::Name(family.into()))
}

/// Paints an icon with its center at a point.
pub fn paint_icon(painter: &Painter, at: Pos2, icon: MaterialIcon, size: f32, color: Color32) {
    painter.text(at, Align2::CENTER_CENTER, icon.codepoint, icon_font(size, false), color);
}

/// Draws an icon button with an accessible name. Its tooltip has the name and the key.
pub fn icon_button(
    ui: &mut Ui,
    theme: &Theme,
    icon: MaterialIcon,
    name: &str,
    key: &str,
    on: bool,
    enabled: Result<(), &str>,
) -> Response {
    let size = Measure::IconButton.points();
    let sense = if enabled.is_ok() { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(size, size), sense);
    response.widget_info(|| WidgetInfo::selected(Role::Button, enabled.is_ok(), on, name));
    let fill = if on {
        theme.color(ColorRole::AccentTint)
    } else if response.hovered() && enabled.is_ok() {
        theme.color(ColorRole::SurfaceControlHover)
    } else {
        Color32::TRANSPARENT
    };
    ui.painter().rect_filled(rect, 4.0, fill);
    show_focused(ui, &response);
    let mut color = if on {
        theme.color(ColorRole::AccentText)
    } else if response.hovered() {
        theme.color(ColorRole::TextPrimary)
    } else {
        theme.color(ColorRole::TextSecondary)
    };
    if enabled.is_err() {
        color = color.gamma_multiply(0.45);
    }
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        icon.codepoint,
        icon_font(18.0, on),
        color,
    );
    tooltip(response, theme, name, key, enabled)
}

/// Adds a tooltip with a key on its right, and the reason if the widget is disabled.
pub fn tooltip(
    response: Response,
    theme: &Theme,
    name: &str,
    key: &str,
    enabled: Result<(), &str>,
) -> Response {
    response.on_hover_ui(|ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).color(theme.color(ColorRole::TextPrimary)));
            if !key.is_empty() {
                ui.label(
                    RichText::new(key)
                        .font(Theme::font(Font::Caption))
                        .color(theme.color(ColorRole::TextTertiary)),
                );
            }
        });
        if let Err(reason) = enabled {
            ui.label(
                RichText::new(reason)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
        }
    })
}

/// Draws the keys of a shortcut as chips.
pub fn key_chips(ui: &mut Ui, theme: &Theme, key: &str) {
    let width = key_width(ui, key);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let mut left = rect.left();
    for part in ulna_edit::key_parts(key) {
        let text = ui.painter().layout_no_wrap(
            part.to_owned(),
            Theme::font(Font::Caption),
            theme.color(ColorRole::TextPrimary),
        );
        let plate =
            Rect::from_min_size(pos2(left, rect.top()), vec2(text.size().x + 10.0, rect.height()));
        ui.painter().rect_filled(plate, 3.0, theme.color(ColorRole::SurfaceControlHover));
        let at = plate.center() - text.size() * 0.5;
        ui.painter().galley(at, text, theme.color(ColorRole::TextPrimary));
        left = plate.right() + 3.0;
    }
}

/// Width of [`key_chips`], in points.
pub fn key_width(ui: &Ui, key: &str) -> f32 {
    let width = |t: &str| {
        ui.painter()
            .layout_no_wrap(t.to_owned(), Theme::font(Font::Caption), Color32::WHITE)
            .size()
            .x
            + 13.0
    };
    (ulna_edit::key_parts(key).into_iter().map(width).sum::<f32>() - 3.0).max(0.0)
}

/// Text shortened to a width. Long text is cut at the end.
pub fn cut(ui: &Ui, text: &str, font: &FontId, width: f32) -> String {
    let fits = |t: &str| {
        ui.painter().layout_no_wrap(t.to_owned(), font.clone(), Color32::WHITE).size().x <= width
    };
    if fits(text) {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if !fits(&format!("{short}{letter}…")) {
            break;
        }
        short.push(letter);
    }
    if short.is_empty() { short } else { format!("{}…", short.trim_end()) }
}

/// Draws one button of a set of exclusive choices.
pub fn segment(ui: &mut Ui, theme: &Theme, text: &str, on: bool, strong: bool) -> Response {
    let font = if on { Theme::font(Font::Heading) } else { Theme::font(Font::Body) };
    let (fill, color) = match (on, strong) {
        (true, true) => (theme.color(ColorRole::AccentBase), theme.color(ColorRole::TextOnAccent)),
        (true, false) => (theme.color(ColorRole::AccentTint), theme.color(ColorRole::AccentText)),
        (false, _) => (Color32::TRANSPARENT, theme.color(ColorRole::TextPrimary)),
    };
    let button = Button::new(RichText::new(text).font(font).color(color))
        .fill(fill)
        .corner_radius(4)
        .min_size(vec2(0.0, 24.0));
    let response = ui.add(button);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, text));
    show_focused(ui, &response);
    response
}

/// Draws a box around segments.
pub fn segments<R>(ui: &mut Ui, theme: &Theme, add: impl FnOnce(&mut Ui) -> R) -> R {
    egui::Frame::new()
        .fill(theme.trough())
        .corner_radius(4)
        .inner_margin(2)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.horizontal(add).inner
        })
        .inner
}

/// Draws a check box. egui's own has no border, and is hardly visible on a light panel.
pub fn check(ui: &mut Ui, theme: &Theme, on: &mut bool, text: impl Into<String>) -> Response {
    let text = text.into();
    let side = 16.0;
    let room = ui.available_width() - side - 6.0;
    let galley = ui.painter().layout(
        text.clone(),
        Theme::font(Font::Body),
        theme.color(ColorRole::TextPrimary),
        room,
    );
    let height = Measure::Control.points().max(galley.size().y);
    let (rect, mut response) =
        ui.allocate_exact_size(vec2(side + 6.0 + galley.size().x, height), Sense::click());
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, enabled, *on, &text));
    show_focused(ui, &response);
    let place =
        Rect::from_center_size(pos2(rect.left() + side * 0.5, rect.center().y), vec2(side, side));
    let (fill, edge) = match (*on, response.hovered()) {
        (true, true) => (ColorRole::AccentHover, ColorRole::AccentHover),
        (true, false) => (ColorRole::AccentBase, ColorRole::AccentBase),
        (false, true) => (ColorRole::SurfaceControlHover, ColorRole::StrokeStrong),
        (false, false) => (ColorRole::SurfaceField, ColorRole::StrokeStrong),
    };
    let edge = Stroke::new(1.0, theme.color(edge));
    ui.painter().rect(place, 3.0, theme.color(fill), edge, egui::StrokeKind::Inside);
    if *on {
        let tick = egui_material_icons::icons::ICON_CHECK;
        paint_icon(ui.painter(), place.center(), tick, 14.0, theme.color(ColorRole::TextOnAccent));
    }
    let at = pos2(place.right() + 6.0, rect.center().y - galley.size().y * 0.5);
    ui.painter().galley(at, galley, theme.color(ColorRole::TextPrimary));
    response
}

/// Draws the icon of a severity. Each severity has its own shape, not only its own color.
pub fn severity_icon(ui: &Ui, theme: &Theme, at: egui::Pos2, severity: Severity, size: f32) {
    use egui_material_icons::icons;
    let (icon, role) = match severity {
        Severity::Error => (icons::ICON_ERROR, ColorRole::SeverityError),
        Severity::Warning => (icons::ICON_WARNING, ColorRole::SeverityWarning),
        Severity::Info => (icons::ICON_INFO, ColorRole::SeverityInfo),
    };
    paint_icon(ui.painter(), at, icon, size, theme.color(role));
}

/// Data shared by a panel and its first title.
#[derive(Clone, Copy, Debug, Default)]
struct TitlePlace {
    /// Title that the tab of the panel already shows; the panel does not repeat it.
    said: Option<&'static str>,
    /// Rectangle of the first title.
    rect: Option<Rect>,
}

fn title_place() -> egui::Id {
    egui::Id::unique("title of the panel")
}

/// Draws a panel and returns the rectangle of its title. `said` is the title that a tab already
/// shows, which is not repeated.
pub fn title_rect(
    ui: &mut Ui,
    said: Option<&'static str>,
    draw: impl FnOnce(&mut Ui),
) -> Option<Rect> {
    ui.data_mut(|d| d.insert_temp(title_place(), TitlePlace { said, rect: None }));
    draw(ui);
    let place = ui.data_mut(|d| d.remove_temp::<TitlePlace>(title_place()));
    place.and_then(|place| place.rect).filter(|_| said.is_none())
}

/// True if a tab already shows this title, so that the panel does not repeat it.
pub fn is_said(ui: &Ui, text: &str) -> bool {
    ui.data(|d| d.get_temp::<TitlePlace>(title_place())).is_some_and(|p| p.said == Some(text))
}

/// Draws a panel's title, unless its tab already shows it.
pub fn panel_title(ui: &mut Ui, theme: &Theme, text: &str) {
    let place = ui.data(|d| d.get_temp::<TitlePlace>(title_place()));
    if place.is_some_and(|place| place.said == Some(text)) {
        return;
    }
    let title = RichText::new(text)
        .font(Theme::font(Font::Heading))
        .color(theme.color(ColorRole::TextPrimary));
    let rect = ui.label(title).rect;
    if let Some(place) = place.filter(|place| place.rect.is_none()) {
        ui.data_mut(|d| {
            d.insert_temp(title_place(), TitlePlace { rect: Some(rect), ..place });
        });
    }
}

/// Draws the diamond of a key.
pub fn diamond(painter: &Painter, at: Pos2, size: f32, fill: Color32, outline: Color32) {
    let h = size * 0.5;
    let points = vec![at + vec2(0.0, -h), at + vec2(h, 0.0), at + vec2(0.0, h), at + vec2(-h, 0.0)];
    painter.add(Shape::convex_polygon(points, fill, Stroke::new(1.0, outline)));
}

/// Draws the icon of a joint in lists: an octahedron.
pub fn joint_icon(painter: &Painter, at: Pos2, color: Color32) {
    let (w, up, down) = (3.5, 4.0, 7.0);
    let top = at + vec2(0.0, -up - 1.0);
    let bottom = at + vec2(0.0, down);
    let middle = at + vec2(0.0, 0.0);
    let left = vec![top, middle, bottom, at + vec2(-w, -1.0)];
    let right = vec![top, at + vec2(w, -1.0), bottom, middle];
    painter.add(Shape::convex_polygon(left, color, Stroke::NONE));
    painter.add(Shape::convex_polygon(right, color.gamma_multiply(0.65), Stroke::NONE));
}

/// Kind of a node: `joint`, `mesh`, `camera`, `light` or `group`.
pub fn node_kind(view: &View<'_>, document: &Document, node: NodeId) -> &'static str {
    let n = document.node(node);
    if view.joints[node.index()] {
        "joint"
    } else if n.mesh.is_some() {
        "mesh"
    } else if n.camera.is_some() {
        "camera"
    } else if n.light.is_some() {
        "light"
    } else {
        "group"
    }
}

/// Draws the icon of a node in lists, by the node's kind.
pub fn node_icon(
    painter: &Painter,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    at: Pos2,
    color: Color32,
) {
    use egui_material_icons::icons;
    match node_kind(view, document, node) {
        "joint" => joint_icon(painter, at, color),
        "mesh" => paint_icon(painter, at, icons::ICON_DEPLOYED_CODE, 16.0, color),
        "camera" => paint_icon(painter, at, icons::ICON_VIDEOCAM, 16.0, color),
        "light" => paint_icon(painter, at, icons::ICON_LIGHTBULB, 16.0, color),
        _ => paint_icon(painter, at, icons::ICON_ACCOUNT_TREE, 15.0, color),
    }
}

/// Text shortened to a width. Long text is cut in the middle, because the end often names the side.
pub fn elided(ui: &Ui, text: &str, font: &FontId, width: f32) -> String {
    let fits = |t: &str| {
        ui.painter().layout_no_wrap(t.to_owned(), font.clone(), Color32::WHITE).size().x <= width
    };
    if fits(text) {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().take(200).collect();
    let (mut low, mut high) = (2, chars.len());
    let shape = |n: usize| -> String {
        let head = n / 2;
        let tail = n - head;
        chars[..head].iter().chain(['…'].iter()).chain(chars[chars.len() - tail..].iter()).collect()
    };
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(&shape(middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    shape(low)
}

/// Scrolls to a widget that just received the focus, because Tab may reach a clipped widget. Part
/// of the next row also becomes visible, so that Tab can continue.
pub fn show_focused(ui: &Ui, widget: &Response) {
    if widget.gained_focus() {
        let seen = widget.rect.expand2(vec2(0.0, widget.rect.height() * 0.75));
        ui.scroll_to_rect_animation(seen, None, ScrollAnimation::none());
    }
}

/// Draws the background of a clickable row with an accessible name, highlighted if it is selected
/// or hovered. Returns its rectangle and response.
pub fn row(
    ui: &mut Ui,
    theme: &Theme,
    height: f32,
    name: &str,
    selected: bool,
) -> (Rect, Response) {
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, selected, name));
    show_focused(ui, &response);
    if selected {
        ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SelectionTint));
        ui.painter().rect_filled(
            Rect::from_min_size(rect.min, vec2(2.0, height)),
            0.0,
            theme.color(ColorRole::SelectionBase),
        );
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceRowHover));
    }
    (rect, response.on_hover_cursor(CursorIcon::Default))
}

/// Draws text fields with a border in light themes, where they would otherwise be invisible on
/// white.
pub fn edged<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    ui.scope(|ui| {
        if !ui.visuals().dark_mode {
            let edge = ui.visuals().window_stroke;
            let widgets = &mut ui.visuals_mut().widgets;
            widgets.inactive.bg_stroke = edge;
            widgets.hovered.bg_stroke = edge;
        }
        add(ui)
    })
    .inner
}

/// Draws a search field with a clear button.
pub fn filter_field(ui: &mut Ui, theme: &Theme, text: &mut String, name: &str) -> Response {
    let width = ui.available_width();
    egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceField))
        .stroke(theme.field_edge())
        .corner_radius(4)
        .inner_margin(egui::Margin::symmetric(6, 0))
        .show(ui, |ui| {
            ui.set_width((width - 12.0).max(0.0));
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                let (rect, _) = ui.allocate_exact_size(vec2(18.0, 24.0), Sense::hover());
                paint_icon(
                    ui.painter(),
                    rect.center(),
                    egui_material_icons::icons::ICON_SEARCH,
                    16.0,
                    theme.color(ColorRole::TextTertiary),
                );
                let room = ui.available_width() - if text.is_empty() { 0.0 } else { 26.0 };
                let edit = egui::TextEdit::singleline(text)
                    .hint_text(name)
                    .frame(egui::Frame::NONE)
                    .desired_width(room)
                    .align(egui::Align2::LEFT_CENTER);
                let response = ui.add_sized([room, 24.0], edit);
                name_widget(ui, &response, name);
                if !text.is_empty() {
                    let (rect, clear) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::click());
                    clear.widget_info(|| {
                        WidgetInfo::labeled(Role::Button, true, format!("Clear {name}"))
                    });
                    paint_icon(
                        ui.painter(),
                        rect.center(),
                        egui_material_icons::icons::ICON_CLOSE,
                        14.0,
                        theme.color(ColorRole::TextSecondary),
                    );
                    if clear.clicked() {
                        text.clear();
                    }
                }
                response
            })
        })
        .inner
        .inner
}

/// The masks that menus offer, each with its text: parts of the body, and the joints below the
/// active joint.
pub fn mask_options(document: &Document, active: Option<NodeId>) -> Vec<(String, Option<MixMask>)> {
    let mut made: Vec<(String, Option<MixMask>)> = [
        None,
        Some(MixMask::Upper),
        Some(MixMask::Lower),
        Some(MixMask::Left),
        Some(MixMask::Right),
    ]
    .into_iter()
    .map(|mask| (mask_words(document, mask.as_ref()), mask))
    .collect();
    if let Some(joint) = active {
        let below = |falloff| Some(MixMask::Below { joint, falloff });
        let text = mask_words(document, below(0).as_ref());
        let fading = format!("{text}, fading in over 3 joints");
        made.extend([(text, below(0)), (fading, below(2))]);
    }
    made
}

/// Description of a mix mask: the part of the body where a clip has an effect.
pub fn mask_words(document: &Document, mask: Option<&MixMask>) -> String {
    match mask {
        None => "Whole body".into(),
        Some(MixMask::Below { joint, .. }) => {
            format!("{} and below", document.node(*joint).label(*joint))
        }
        Some(MixMask::Left) => "Left side".into(),
        Some(MixMask::Right) => "Right side".into(),
        Some(MixMask::Upper) => "Upper body".into(),
        Some(MixMask::Lower) => "Lower body".into(),
        Some(MixMask::Painted(list)) => {
            format!("{} joints", list.values().filter(|w| **w > 0.0).count())
        }
    }
}

/// Stores the rectangle of a widget in this frame, under its command's name or another name.
pub fn mark_place(ui: &Ui, name: &'static str, rect: Rect) {
    let frame = ui.ctx().cumulative_frame_nr();
    ui.data_mut(|d| d.insert_temp(egui::Id::unique(("place of", name)), (frame, rect)));
}

/// Rectangle of a widget; `None` if it is not drawn.
pub fn place_of(ui: &Ui, name: &'static str) -> Option<Rect> {
    let id = egui::Id::unique(("place of", name));
    let (frame, rect) = ui.data(|d| d.get_temp::<(u64, Rect)>(id))?;
    (frame + 1 >= ui.ctx().cumulative_frame_nr()).then_some(rect)
}

/// Sets the accessible name of a widget if egui has no other way.
pub fn name_widget(ui: &Ui, response: &Response, name: &str) {
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    show_focused(ui, response);
}

/// Short text of a number: at most six characters, with a typographic minus sign.
pub fn short_number(value: f32, degrees: bool) -> String {
    // A number that rounds to zero has no sign.
    let value = if value.abs() < if degrees { 0.05 } else { 5e-4 } { 0.0 } else { value };
    let magnitude = value.abs();
    let decimals = match (degrees, magnitude) {
        (true, m) if m < 1000.0 => 1,
        (false, m) if m < 10.0 => 3,
        (false, m) if m < 100.0 => 2,
        (false, m) if m < 1000.0 => 1,
        _ => 0,
    };
    let shaped = |decimals: usize| {
        let text = format!("{value:.decimals$}").replace('-', "−");
        if degrees { format!("{text}°") } else { text }
    };
    let text = shaped(decimals);
    if text.chars().count() > 6 { shaped(decimals.saturating_sub(1)) } else { text }
}

/// Text of a number with thousands separators, such as `25,413`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Rounds a point so that one-point lines are sharp.
pub fn crisp(ui: &Ui, at: Pos2) -> Pos2 {
    let scale = ui.ctx().pixels_per_point();
    pos2((at.x * scale).floor() / scale + 0.5 / scale, (at.y * scale).floor() / scale + 0.5 / scale)
}

/// Selects all text of a field, so that typed text replaces it.
pub fn select_all(ctx: &egui::Context, field: egui::Id, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = egui::TextEdit::load_state(ctx, field).unwrap_or_default();
    let end = CCursor::new(text.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
    state.store(ctx, field);
}

/// Components that a pin locks, as text.
pub const fn pin_words(pin: Pin) -> &'static str {
    match pin {
        Pin { place: true, angle: true } => "position, rotation",
        Pin { place: true, .. } => "position",
        Pin { .. } => "rotation",
    }
}

/// Draws the mark of a pin: a disc with a dot for a locked position, a frame for a locked rotation,
/// or both.
pub fn pin_mark(painter: &Painter, theme: &Theme, at: Pos2, pin: Pin, size: f32, lit: bool) {
    let color = theme.color(if lit { ColorRole::AccentText } else { ColorRole::AccentBase });
    let casing = theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.7);
    if pin.angle {
        let frame = Rect::from_center_size(at, vec2(18.0, 18.0) * size);
        painter.rect(
            frame,
            3.0 * size,
            casing,
            Stroke::new(2.0 * size, color),
            egui::StrokeKind::Inside,
        );
        if !pin.place {
            painter.line_segment(
                [at + vec2(0.0, 4.0) * size, at - vec2(0.0, 4.0) * size],
                Stroke::new(1.5, color),
            );
            painter.line_segment(
                [at - vec2(3.0, 1.0) * size, at - vec2(0.0, 4.0) * size],
                Stroke::new(1.5, color),
            );
            painter.line_segment(
                [at - vec2(-3.0, 1.0) * size, at - vec2(0.0, 4.0) * size],
                Stroke::new(1.5, color),
            );
        }
    }
    if pin.place {
        let radius = if pin.angle { 5.0 } else { 7.0 };
        painter.circle(at, radius * size, casing, Stroke::new(2.0 * size, color));
        painter.circle_filled(at, 2.0 * size, color);
    }
}

#[cfg(test)]
mod tests {
    use super::short_number;

    #[test]
    fn numbers_have_at_most_six_characters() {
        assert_eq!(short_number(-41.24, true), "−41.2°");
        assert_eq!(short_number(-180.0, true), "−180°");
        assert_eq!(short_number(180.0, true), "180.0°");
        assert_eq!(short_number(0.2621, false), "0.262");
        assert_eq!(short_number(-12.345, false), "−12.35");
        assert_eq!(short_number(-1234.5, false), "−1234");
        assert_eq!(short_number(-0.0001, false), "0.000");
    }
}
