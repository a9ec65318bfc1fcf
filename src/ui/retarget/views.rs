//! The views of the source and of the target.

use egui::{
    Align2, Color32, Frame, Margin, PointerButton, Rect, RichText, Role, Sense, Shape, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;
use glam::{Vec2, Vec3};

use super::{
    RetargetAction, RetargetDraft, RetargetView, SOURCE, TARGET, draft::chain_ink,
    parts::centimeters,
};
use crate::ui::{
    Actions, Theme,
    theme::Font,
    widgets::{elided, icon_button},
};
use ulna_render::ColorRole;

/// Rotation of the view in radians per point of a drag.
const TURN: f32 = 0.008;
/// Number of corners of a ring.
const CORNERS: usize = 48;

pub(super) fn view_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    body: usize,
    rect: Rect,
    actions: &mut Actions,
) {
    let response = ui.interact(rect, ui.scope_id().with("picture"), Sense::drag());
    let name = if body == SOURCE { "Source view" } else { "Target view" };
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let turned = response.drag_delta();
    let orbits =
        response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle);
    if orbits && turned != vec2(0.0, 0.0) {
        now.turn(body, [-turned.x * TURN, turned.y * TURN]);
    }
    let scroll = ui.input(|i| i.smooth_scroll_delta().y);
    if response.hovered() && scroll != 0.0 {
        now.zoom(body, (-scroll * 0.003).exp());
    }
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::ViewportBackground));
    let scene = &page.scenes[body];
    if let Some(texture) = scene.picture {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(texture, rect, whole, Color32::WHITE);
        rings_ui(ui, theme, page, body, rect);
    } else {
        empty_ui(ui, theme, page, body, rect, actions);
    }
    head_ui(ui, theme, page, now, body, rect);
    foot_ui(ui, theme, page, body, rect);
}

/// Draws the text in the center of a view without a picture.
fn empty_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    body: usize,
    rect: Rect,
    actions: &mut Actions,
) {
    let (text, offers) = match (body, page.reading) {
        (SOURCE, Some(name)) => (format!("Reading {name}…"), false),
        (SOURCE, None) if page.bodies[SOURCE].is_none() => {
            ("Drop a file with clips here".to_owned(), true)
        }
        _ => ("The view is not drawn yet".to_owned(), false),
    };
    let font = Theme::font(Font::Small);
    let color = theme.color(ColorRole::TextTertiary);
    ui.painter().text(rect.center(), Align2::CENTER_BOTTOM, text, font, color);
    if offers {
        let place = Rect::from_center_size(rect.center() + vec2(0.0, 22.0), vec2(140.0, 28.0));
        let button = egui::Button::new("Choose source…").min_size(place.size());
        if ui.put(place, button).clicked() {
            actions.push(RetargetAction::Browse);
        }
    }
}

fn plate(theme: &Theme) -> Frame {
    Frame::new()
        .fill(theme.color(ColorRole::SurfaceRaised).gamma_multiply(0.92))
        .corner_radius(6)
        .inner_margin(Margin::symmetric(8, 3))
}

/// Draws the header of a view: the file name on the left, view settings on the right.
fn head_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    body: usize,
    rect: Rect,
) {
    let top = Rect::from_min_size(rect.min + vec2(6.0, 6.0), vec2(rect.width() - 12.0, 34.0));
    // Three buttons fit.
    let width = 3.0 * 30.0 + 14.0;
    let mut left = ui.new_child(
        UiBuilder::new().max_rect(top.with_max_x(top.right() - width - 8.0)).id_salt("name"),
    );
    plate(theme).show(&mut left, |ui| {
        ui.horizontal(|ui| {
            ui.set_min_height(28.0);
            let font = Theme::font(Font::Heading);
            let name = page.bodies[body].map_or("No source", |b| &b.name);
            let what = if body == SOURCE { "source" } else { "preview" };
            let shown = elided(ui, name, &font, (ui.available_width() - 70.0).max(40.0));
            let color = theme.color(ColorRole::TextPrimary);
            ui.label(RichText::new(shown).font(font).color(color));
            let small = RichText::new(what).font(Theme::font(Font::Small));
            ui.label(small.color(theme.color(ColorRole::TextTertiary)));
        });
    });
    let place = top.with_min_x(top.right() - width);
    let mut right = ui.new_child(UiBuilder::new().max_rect(place).id_salt("display"));
    plate(theme).inner_margin(Margin::same(3)).show(&mut right, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let whose = if body == SOURCE { "source" } else { "target" };
            if body == SOURCE {
                let name = "Turn both views together";
                if icon_button(ui, theme, icons::ICON_LINK, name, "", now.linked, Ok(())).clicked()
                {
                    now.linked = !now.linked;
                    if now.linked {
                        let look = now.views[SOURCE];
                        (now.views[TARGET].turn, now.views[TARGET].zoom) = (look.turn, look.zoom);
                    }
                }
            } else {
                let name = "Overlay the source's skeleton";
                let icon = icons::ICON_LAYERS;
                if icon_button(ui, theme, icon, name, "", now.overlay, Ok(())).clicked() {
                    now.overlay = !now.overlay;
                }
            }
            let look = &mut now.views[body];
            let ways = [
                (icons::ICON_ACCOUNT_TREE, "Chains", &mut look.bones),
                (icons::ICON_CONTRAST, "Materials", &mut look.textured),
            ];
            for (icon, name, on) in ways {
                let name = format!("{name} of the {whose}");
                if icon_button(ui, theme, icon, &name, "", *on, Ok(())).clicked() {
                    *on = !*on;
                }
            }
        });
    });
}

/// Draws the sliding of the selected foot.
fn foot_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, body: usize, rect: Rect) {
    let Some(result) = page.result else { return };
    let selected = result.feet.iter().find(|f| Some(f.chain) == page.draft.chain);
    let sliding = |f: &&super::FootResult| {
        f.contacts.iter().filter_map(|c| c.slide).map(|s| s[0]).fold(0.0, f32::max)
    };
    let worst = result.feet.iter().max_by(|a, b| sliding(a).total_cmp(&sliding(b)));
    let Some(foot) = selected.or(worst).filter(|f| !f.contacts.is_empty()) else { return };
    let slides = foot.contacts.iter().filter_map(|c| c.slide);
    let [before, after] = slides.fold([0.0f32; 2], |[b, a], s| [b.max(s[0]), a.max(s[1])]);
    let bottom = Rect::from_min_max(
        pos2(rect.left() + 6.0, rect.bottom() - 36.0),
        rect.max - vec2(6.0, 6.0),
    );
    let mut place = ui.new_child(UiBuilder::new().max_rect(bottom).id_salt("sliding"));
    plate(theme).show(&mut place, |ui| {
        ui.horizontal(|ui| {
            ui.set_min_height(22.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            let text = |ui: &mut Ui, text: String, font: Font, role: ColorRole| {
                ui.label(RichText::new(text).font(Theme::font(font)).color(theme.color(role)));
            };
            let name = format!("{} slides", foot.name);
            text(ui, name, Font::Small, ColorRole::TextPrimary);
            if body == SOURCE {
                let own = centimeters(foot.own_slide);
                text(ui, own, Font::NumberSmall, ColorRole::TextPrimary);
                text(ui, "in contact".to_owned(), Font::Small, ColorRole::TextTertiary);
            } else {
                text(ui, centimeters(before), Font::NumberSmall, ColorRole::TextTertiary);
                text(ui, "→".to_owned(), Font::Small, ColorRole::TextTertiary);
                text(ui, centimeters(after), Font::NumberSmall, ColorRole::TextPrimary);
            }
        });
    });
}

/// Draws rings on the ground below feet in contact.
fn rings_ui(ui: &Ui, theme: &Theme, page: RetargetView<'_>, body: usize, rect: Rect) {
    let scene = &page.scenes[body];
    let Some(bounds) = scene.bounds else { return };
    let size = Vec2::new(rect.width(), rect.height());
    let camera = page.draft.camera(body, bounds, size.x / size.y.max(1.0));
    let project = camera.projector(size);
    let painter = ui.painter_at(rect);
    let mut named: Vec<Rect> = Vec::new();
    for ring in &scene.rings {
        let corner = |k: usize| {
            let (sin, cos) = (k as f32 / CORNERS as f32 * std::f32::consts::TAU).sin_cos();
            let at = ring.at + Vec3::new(cos, 0.0, sin) * ring.radius;
            project(at).map(|(p, _)| pos2(rect.left() + p.x, rect.top() + p.y))
        };
        let points: Option<Vec<_>> = (0..CORNERS).map(corner).collect();
        let Some(points) = points else { continue };
        let is_chosen = page.draft.chain == Some(ring.chain);
        let color =
            if is_chosen { theme.color(ColorRole::SelectionBase) } else { chain_ink(ring.chain) };
        let halo = theme.color(ColorRole::ViewportLabelHalo);
        painter.add(Shape::closed_line(points.clone(), Stroke::new(4.0, halo)));
        let lowest = points.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y));
        painter.add(Shape::closed_line(points, Stroke::new(2.0, color)));
        if let Some(at) = lowest {
            let font = Theme::font(Font::Small);
            let text = painter.layout_no_wrap("contact".to_owned(), font, color);
            let at = at + vec2(-text.size().x * 0.5, 2.0);
            let back = Rect::from_min_size(at, text.size()).expand2(vec2(3.0, 0.0));
            // Overlapping labels are skipped, as for two feet side by side.
            if named.iter().all(|other| !other.intersects(back)) {
                painter.rect_filled(back, 3.0, halo);
                painter.galley(at, text, color);
                named.push(back);
            }
        }
    }
}
