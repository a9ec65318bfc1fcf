//! The message below the timeline: contacts and sliding of all chosen clips, or the reason for a
//! failure.

use egui::{Align, Label, Layout, RichText, Sense, Ui, vec2};

use super::{
    RetargetAction, RetargetDraft, RetargetSummary, RetargetView, SOURCE,
    parts::{MOST_SLIDE, centimeters},
};
use crate::ui::{Actions, Theme, theme::Font, widgets::severity_icon};
use ulna_model::Severity;
use ulna_render::ColorRole;

/// Action of the button beside a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    None,
    /// Show the clip that slides most.
    Show,
    /// Match the chains again.
    Match,
    /// Choose another source.
    Choose,
}

/// The message for a state of the page; `None` if there is nothing to tell.
fn message(page: RetargetView<'_>) -> Option<(Severity, String, Remedy)> {
    // The last read file is the latest news.
    if let Some(fault) = page.fault {
        return Some((Severity::Error, format!("{fault}."), Remedy::Choose));
    }
    if let Some(fault) = page.result.and_then(|r| r.fault.as_deref()) {
        return Some((Severity::Error, format!("{fault}."), Remedy::Match));
    }
    let Some(of) = page.summary else {
        let text = "Measuring contacts…".to_owned();
        return (!page.is_current).then_some((Severity::Info, text, Remedy::None));
    };
    if of.contacts == 0 {
        let text = format!("No contacts in {}.", counted(of.clips, "clip"));
        return Some((Severity::Info, text, Remedy::None));
    }
    let clips = page.bodies[SOURCE].map(|b| &b.clips);
    let name = clips.and_then(|all| all.get(of.worst_clip)).map_or("", |c| &c.name);
    let is_shown = of.worst_clip == page.draft.shown;
    let remedy = if is_shown { Remedy::None } else { Remedy::Show };
    let severity = if of.worst[1] > MOST_SLIDE { Severity::Warning } else { Severity::Info };
    Some((severity, summary_text(of, name), remedy))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Text for the contacts of all chosen clips. `clip` is the name of the clip that slides most.
fn summary_text(of: &RetargetSummary, clip: &str) -> String {
    let [before, after] = of.worst.map(centimeters);
    format!(
        "{} in {}. Worst sliding {before} before, {after} after ({clip}).",
        counted(of.contacts, "contact"),
        counted(of.clips, "clip"),
    )
}

/// Draws the message in a strip with this height in points.
pub(super) fn message_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    (height, actions): (f32, &mut Actions),
) {
    let Some((severity, text, remedy)) = message(page) else { return };
    ui.horizontal(|ui| {
        ui.set_min_height(height);
        let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), Sense::hover());
        severity_icon(ui, theme, rect.center(), severity, 16.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = match remedy {
                Remedy::None => None,
                Remedy::Show => Some(("Show", "Shows the clip that slides most")),
                Remedy::Match => Some(("Match again", "Finds the chains by names and shape")),
                Remedy::Choose => Some(("Choose another file…", "Opens another source")),
            };
            let is_clicked =
                button.is_some_and(|(text, hint)| ui.button(text).on_hover_text(hint).clicked());
            match (remedy, page.summary) {
                (Remedy::Show, Some(of)) if is_clicked => {
                    (now.shown, now.contact, now.clock.time) = (of.worst_clip, None, 0.0);
                }
                (Remedy::Match, _) if is_clicked => actions.push(RetargetAction::MatchAgain),
                (Remedy::Choose, _) if is_clicked => actions.push(RetargetAction::Browse),
                _ => {}
            }
            let room = vec2(ui.available_width(), height);
            ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Center), |ui| {
                let shown = RichText::new(&text)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextPrimary));
                // A long message has two lines, and is whole in the tooltip.
                ui.add(Label::new(shown).wrap()).on_hover_text(&text);
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_contacts_and_clips() {
        let one = RetargetSummary {
            clips: 1,
            contacts: 1,
            worst: [0.05, 0.001],
            worst_clip: 0,
            bytes: [0; 2],
        };
        let text = summary_text(&one, "Walk");
        assert!(text.starts_with("1 contact in 1 clip. Worst sliding 5.0"), "{text}");
        let more = RetargetSummary { clips: 3, contacts: 12, ..one };
        assert!(summary_text(&more, "Walk").starts_with("12 contacts in 3 clips."));
    }
}
