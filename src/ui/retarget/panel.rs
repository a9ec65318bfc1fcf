//! The panel at the right: rest poses, chains, size, feet, root motion, and the buttons.

use egui::{Align, DragValue, Label, Layout, Rect, RichText, ScrollArea, Sense, Stroke, Ui, vec2};
use egui_material_icons::icons;

use super::{
    RetargetAction, RetargetDraft, RetargetResult, RetargetView, SOURCE, TARGET, chains,
    draft::chain_ink, inside, joints::PickerState,
};
use crate::ui::{
    Actions, Theme,
    number_bar::number_bar,
    popups::menu_button,
    theme::Font,
    widgets::{
        check, cut, edged, icon_button, name_widget, paint_icon, panel_title, segment, segments,
    },
};
use ulna_edit::command::TakenName;
use ulna_model::RootMotion;
use ulna_render::ColorRole;

/// Points between the edge and the content.
const MARGIN: f32 = 12.0;
/// Points of the buttons at the bottom with the names above them.
const FOOT: f32 = 92.0;
/// Points of the head.
const HEAD: f32 = 36.0;
/// Sliding above which a foot is marked after it is locked, meters.
pub(super) const MOST_SLIDE: f32 = 0.005;
/// Difference between reference poses above which they are marked, radians.
const MOST_REST: f32 = 0.35;

/// A length in centimeters.
pub(super) fn centimeters(meters: f32) -> String {
    let value = meters * 100.0;
    // A thin space before units.
    if value < 100.0 { format!("{value:.1}\u{2009}cm") } else { format!("{value:.0}\u{2009}cm") }
}

pub(super) fn panel_ui(
    picker: &mut PickerState,
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    rect: Rect,
    actions: &mut Actions,
) {
    let head = rect.with_max_y(rect.top() + HEAD);
    let foot = rect.with_min_y(rect.bottom() - FOOT);
    let body = Rect::from_min_max(head.left_bottom(), foot.right_top());
    inside(ui, "head", head.shrink2(vec2(MARGIN, 0.0)), |ui| head_ui(ui, theme, page, actions));
    let line = Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    for y in [head.bottom() - 0.5, foot.top() + 0.5] {
        ui.painter().hline(rect.x_range(), y, line);
    }
    inside(ui, "sections", body, |ui| {
        let scroll = ScrollArea::vertical().id_salt("sections").auto_shrink([false, false]);
        scroll.show(ui, |ui| {
            let frame = egui::Frame::new().inner_margin(egui::Margin::symmetric(MARGIN as i8, 4));
            frame.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 4.0;
                sections_ui(picker, ui, (theme, page), now, actions);
            });
        });
    });
    inside(ui, "buttons", foot.shrink2(vec2(MARGIN, 8.0)), |ui| {
        buttons_ui(ui, theme, page, now, actions);
    });
}

fn head_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, actions: &mut Actions) {
    ui.horizontal(|ui| {
        ui.set_min_height(HEAD);
        panel_title(ui, theme, "Retarget");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close =
                icon_button(ui, theme, icons::ICON_CLOSE, "Close the page", "Esc", false, Ok(()));
            if close.clicked() {
                actions.push(RetargetAction::Close);
            }
            map_ui(ui, page, actions);
            let target = page.bodies[TARGET].map_or("", |b| &b.name);
            let text = match page.bodies[SOURCE] {
                Some(source) => format!("{} to {target}", source.name),
                None => format!("onto {target}"),
            };
            let font = Theme::font(Font::Small);
            let text = cut(ui, &text, &font, ui.available_width() - 4.0);
            let color = theme.color(ColorRole::TextTertiary);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(RichText::new(text).font(font).color(color));
            });
        });
    });
}

/// The menu of the map.
fn map_ui(ui: &mut Ui, page: RetargetView<'_>, actions: &mut Actions) {
    if page.bodies[SOURCE].is_none() {
        return;
    }
    menu_button(ui, format!("Map: {} ⏷", page.map_origin), |ui| {
        ui.set_min_width(200.0);
        if ui.button("Match again").on_hover_text("Finds the chains by names and shape").clicked() {
            actions.push(RetargetAction::MatchAgain);
            ui.close();
        }
    });
}

/// A heading that opens and closes its section, with a remark behind it and widgets at the right.
/// Returns whether it is open.
fn section(
    ui: &mut Ui,
    theme: &Theme,
    title: &str,
    remark: &str,
    right: impl FnOnce(&mut Ui),
) -> bool {
    let key = ui.scope_id().with((title, "closed"));
    let mut is_closed = ui.data(|d| d.get_temp::<bool>(key)).unwrap_or(false);
    ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        ui.spacing_mut().item_spacing.x = 6.0;
        let (rect, response) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::click());
        let icon = if is_closed { icons::ICON_CHEVRON_RIGHT } else { icons::ICON_EXPAND_MORE };
        paint_icon(ui.painter(), rect.center(), icon, 16.0, theme.color(ColorRole::TextSecondary));
        name_widget(ui, &response, &format!("Section {title}"));
        let text = RichText::new(title).font(Theme::font(Font::Heading));
        let label = Label::new(text.color(theme.color(ColorRole::TextPrimary)));
        if response.clicked() | ui.add(label.sense(Sense::click())).clicked() {
            is_closed = !is_closed;
            ui.data_mut(|d| d.insert_temp(key, is_closed));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            right(ui);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                small(ui, theme, remark, ColorRole::TextTertiary);
            });
        });
    });
    !is_closed
}

fn small(ui: &mut Ui, theme: &Theme, text: &str, role: ColorRole) {
    let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(role));
    ui.add(Label::new(text).truncate());
}

fn number(ui: &mut Ui, theme: &Theme, text: &str, role: ColorRole) {
    let text = RichText::new(text).font(Theme::font(Font::NumberSmall)).color(theme.color(role));
    ui.label(text);
}

fn divider(ui: &mut Ui, theme: &Theme) {
    ui.add_space(6.0);
    let line = Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    let whole = ui.max_rect().expand2(vec2(MARGIN, 0.0));
    ui.painter().hline(whole.x_range(), ui.cursor().top(), line);
    ui.add_space(2.0);
}

fn sections_ui(
    picker: &mut PickerState,
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    let [Some(_), Some(_)] = page.bodies else {
        small(
            ui,
            theme,
            "Chains of both bodies are listed here once there is a source.",
            ColorRole::TextTertiary,
        );
        return;
    };
    if section(ui, theme, "Rest poses", "", |_| {}) {
        rests_ui(ui, theme, page.result);
    }
    divider(ui, theme);
    let matched = now.map.chains.iter().filter(|c| !c.source.is_empty() && !c.target.is_empty());
    let remark = format!("{} of {} matched", matched.count(), now.map.chains.len());
    let open = section(ui, theme, "Chains", &remark, |ui| {
        if ui.button("Match again").on_hover_text("Finds the chains by names and shape").clicked() {
            actions.push(RetargetAction::MatchAgain);
        }
    });
    if open {
        chains::chains_ui(picker, ui, (theme, page), now);
    }
    divider(ui, theme);
    if section(ui, theme, "Size", "", |_| {}) {
        size_ui(ui, theme, page.result, now);
    }
    divider(ui, theme);
    feet_ui(ui, theme, page, now);
    divider(ui, theme);
    if section(ui, theme, "Root motion", "", |_| {}) {
        ui.horizontal(|ui| {
            segments(ui, theme, |ui| {
                for root in RootMotion::ALL {
                    let on = now.map.root == root;
                    if segment(ui, theme, root.label(), on, false).clicked() {
                        now.map.root = root;
                    }
                }
            });
        });
    }
}

fn rests_ui(ui: &mut Ui, theme: &Theme, result: Option<&RetargetResult>) {
    let Some(result) = result.filter(|r| r.fault.is_none()) else {
        small(ui, theme, "Measured with the clip", ColorRole::TextTertiary);
        return;
    };
    let degrees = result.rest_difference.to_degrees();
    let is_far = result.rest_difference > MOST_REST;
    ui.horizontal(|ui| {
        let (icon, role, text) = if is_far {
            (icons::ICON_WARNING, ColorRole::SeverityWarning, "Rest poses differ by up to")
        } else {
            (icons::ICON_CHECK_CIRCLE, ColorRole::SeverityOk, "Rest poses agree within")
        };
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), Sense::hover());
        paint_icon(ui.painter(), rect.center(), icon, 16.0, theme.color(role));
        small(ui, theme, text, ColorRole::TextPrimary);
        number(ui, theme, &format!("{degrees:.1}°"), ColorRole::TextPrimary);
    });
}

/// A factor as a field.
fn factor(ui: &mut Ui, theme: &Theme, name: &str, value: &mut f32) -> bool {
    let plain = ui.visuals().widgets.inactive;
    ui.visuals_mut().widgets.inactive.weak_bg_fill = theme.color(ColorRole::SurfaceField);
    ui.visuals_mut().widgets.inactive.bg_stroke = theme.field_edge();
    let drag = DragValue::new(value).speed(0.005).range(0.01..=100.0).prefix("×").max_decimals(3);
    let response = ui.add_sized([76.0, 24.0], drag);
    name_widget(ui, &response, name);
    ui.visuals_mut().widgets.inactive = plain;
    response.changed()
}

fn size_ui(ui: &mut Ui, theme: &Theme, result: Option<&RetargetResult>, now: &mut RetargetDraft) {
    let by_rests = result.map_or(1.0, |r| r.height);
    ui.horizontal(|ui| {
        small(ui, theme, "Hips height", ColorRole::TextSecondary);
        let mut height = now.map.height.unwrap_or(by_rests);
        if factor(ui, theme, "Factor of the hips height", &mut height) {
            now.map.height = Some(height);
        }
        if now.map.height.is_some() {
            let reset = icon_button(
                ui,
                theme,
                icons::ICON_RESTART_ALT,
                "Use the factor of the rest poses",
                "",
                false,
                Ok(()),
            );
            if reset.clicked() {
                now.map.height = None;
            }
        }
        if let Some(result) = result {
            let [from, to] = result.heights;
            number(ui, theme, &format!("{from:.3} to {to:.3}\u{2009}m"), ColorRole::TextTertiary);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_linked = now.map.stride.is_none();
            ui.add_enabled_ui(!is_linked, |ui| {
                let mut stride = now.map.stride.unwrap_or(height);
                if factor(ui, theme, "Factor of the stride", &mut stride) {
                    now.map.stride = Some(stride);
                }
            });
            let icon = if is_linked { icons::ICON_LINK } else { icons::ICON_LINK_OFF };
            let name = "Link the stride to the hips height";
            if icon_button(ui, theme, icon, name, "", is_linked, Ok(())).clicked() {
                now.map.stride = is_linked.then_some(height);
            }
            small(ui, theme, "Stride", ColorRole::TextSecondary);
        });
    });
}

fn feet_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, now: &mut RetargetDraft) {
    let has_feet = now.map.chains.iter().any(|c| c.contacts);
    let remark = if has_feet { "" } else { "No feet found" };
    let mut lock = now.map.contacts.lock;
    let open = section(ui, theme, "Foot contacts", remark, |ui| {
        if has_feet {
            // Laid out from the right, a check needs a width of its own.
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

/// Sliding of each foot before and after, with bars.
fn sliding_ui(ui: &mut Ui, theme: &Theme, result: &RetargetResult) {
    let worst = |foot: &super::FootResult| {
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

/// Names of added clips, and the buttons.
fn buttons_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing.y = 8.0;
    ui.horizontal(|ui| {
        small(ui, theme, "Name", ColorRole::TextSecondary);
        let field = egui::TextEdit::singleline(&mut now.name)
            .desired_width(132.0)
            .min_size(vec2(0.0, 24.0))
            .align(egui::Align2::LEFT_CENTER)
            .font(egui::TextStyle::Monospace);
        let response = edged(ui, |ui| ui.add(field));
        name_widget(ui, &response, "Names of added clips");
        response.on_hover_text("{clip} stands for the name in the source");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            segments(ui, theme, |ui| {
                let ways = [
                    (TakenName::Number, "Number"),
                    (TakenName::Replace, "Replace"),
                    (TakenName::Skip, "Skip"),
                ];
                for (taken, text) in ways {
                    if segment(ui, theme, text, now.taken == taken, false).clicked() {
                        now.taken = taken;
                    }
                }
            });
            small(ui, theme, "If it exists", ColorRole::TextTertiary);
        });
    });
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = match now.taken_count() {
                1 => "Add 1 clip".to_owned(),
                n => format!("Add {n} clips"),
            };
            let fault = page.result.and_then(|r| r.fault.as_deref());
            let ready = now.taken_count() > 0 && page.bodies[SOURCE].is_some() && fault.is_none();
            let label = RichText::new(&verb)
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextOnAccent));
            let add = egui::Button::new(label)
                .fill(theme.color(ColorRole::AccentBase))
                .min_size(vec2(110.0, 32.0));
            let response = ui.add_enabled(ready, add).on_disabled_hover_text(
                match (fault, page.bodies[SOURCE]) {
                    (Some(fault), _) => fault,
                    (None, None) => "There is no source yet",
                    (None, Some(_)) => "No clip is selected",
                },
            );
            if response.clicked() {
                actions.push(RetargetAction::Write);
            }
            let cancel = egui::Button::new("Cancel").min_size(vec2(76.0, 32.0));
            if ui.add(cancel).clicked() {
                actions.push(RetargetAction::Close);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                small(ui, theme, "One undo step", ColorRole::TextTertiary);
            });
        });
    });
}
