//! Footer of the *Bind* panel: state of the computation, and the buttons.

use egui::{Align, Button, Label, Layout, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};

use super::super::{
    form::capital,
    parts::{plain, primary},
};
use super::line;
use crate::ui::{
    Actions, BindDraft, BindView, DialogAction, Theme, View, theme::Font, widgets::cut,
};
use ulna_model::Document;
use ulna_render::ColorRole;

/// Height of the footer, in points.
pub(super) const HEIGHT: f32 = 92.0;

/// Shows the footer of the *Bind* panel.
pub(super) fn foot_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    now: &BindDraft,
    actions: &mut Actions,
) {
    let (theme, bind) = (view.theme, view.dialogs.bind);
    line(ui, theme);
    let missing = now.commands(document, bind.joints).err();
    ui.horizontal(|ui| {
        ui.set_height(26.0);
        state_ui(ui, theme, bind, missing.as_deref(), actions);
    });
    bar_ui(ui, theme, bind.is_computing.then_some(bind.progress));
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let text = if bind.is_shown { "Preview only" } else { "" };
        let text = RichText::new(text).font(Theme::font(Font::Small));
        ui.label(text.color(theme.color(ColorRole::TextSecondary)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let refused = bind.is_current && bind.found.is_some_and(|f| f.refused.is_some());
            let can = missing.is_none() && bind.are_joints_current && !refused;
            let words = format!("Bind {}", many_meshes(now.nodes().len()));
            let bind = ui.add_enabled_ui(can, |ui| primary(ui, theme, &words)).inner;
            if plain(ui, "Discard").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if bind.clicked() && can {
                actions.push(DialogAction::ApplyBind);
            }
        });
    });
}

fn many_meshes(n: usize) -> String {
    if n == 1 { "1 mesh".to_owned() } else { format!("{n} meshes") }
}

/// Shows the state of the computation, or its result.
fn state_ui(
    ui: &mut Ui,
    theme: &Theme,
    bind: BindView<'_>,
    missing: Option<&str>,
    actions: &mut Actions,
) {
    let (text, role) = match (missing, bind.found) {
        (Some(missing), _) => (format!("{missing}."), ColorRole::TextSecondary),
        (None, _) if bind.is_computing => {
            let part = bind.progress.filter(|part| *part > 0.0);
            let part = part.map_or_else(String::new, |part| format!(" {:.0} %", part * 100.0));
            let coarse = match bind.found.filter(|_| bind.is_coarse) {
                Some(found) => format!("Coarse preview in {:.1} s. ", found.seconds),
                None => String::new(),
            };
            (format!("{coarse}Binding…{part}"), ColorRole::TextSecondary)
        }
        (None, _) if bind.is_canceled => {
            ("Canceled; the last complete result is shown.".to_owned(), ColorRole::SeverityWarning)
        }
        (None, Some(found)) => match &found.refused {
            Some(why) => {
                let why = capital(why.trim_end_matches('.'));
                (format!("{why}."), ColorRole::SeverityError)
            }
            None => (format!("Computed in {:.1} s", found.seconds), ColorRole::TextSecondary),
        },
        (None, None) => ("Choosing joints…".to_owned(), ColorRole::TextSecondary),
    };
    let font = Theme::font(Font::Small);
    let room = ui.available_width() - if bind.is_computing { 72.0 } else { 0.0 };
    let shown = cut(ui, &text, &font, room);
    let label = RichText::new(shown).font(font).color(theme.color(role));
    let label = ui.add(Label::new(label));
    label.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
    label.on_hover_text(&text);
    if bind.is_computing {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = RichText::new("Cancel").font(Theme::font(Font::Small));
            let cancel = ui.add(Button::new(text).min_size(vec2(56.0, 22.0)));
            if cancel
                .on_hover_text("Stops the computation and keeps the last complete result")
                .clicked()
            {
                actions.push(DialogAction::CancelBind);
            }
        });
    }
}

/// Shows a progress bar while weights are computed. Without known progress, it is animated.
fn bar_ui(ui: &mut Ui, theme: &Theme, computing: Option<Option<f32>>) {
    /// Duration of one pass of the animated bar, in seconds.
    const WAY: f64 = 1.2;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 4.0), Sense::hover());
    let Some(progress) = computing else { return };
    ui.painter().rect_filled(rect, 2.0, theme.color(ColorRole::SurfaceControl));
    let part = (ui.input(|i| i.time) / WAY).fract() as f32;
    let middle = rect.left() + rect.width() * (part * 1.3 - 0.15);
    let moving =
        Rect::from_center_size(pos2(middle, rect.center().y), vec2(rect.width() * 0.3, 4.0));
    let done = |part: f32| {
        let size = vec2(rect.width() * part.clamp(0.0, 1.0), rect.height());
        Rect::from_min_size(rect.min, size)
    };
    let bar = progress.filter(|part| *part > 0.0).map_or(moving, done);
    ui.painter().rect_filled(bar.intersect(rect), 2.0, theme.color(ColorRole::AccentBase));
    ui.ctx().request_repaint_after(std::time::Duration::from_millis(33));
}
