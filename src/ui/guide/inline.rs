//! Formatted text of the guide: names, keys, code and links.

use egui::{
    Label, RichText, Sense, Ui,
    text::{LayoutJob, TextFormat},
};

use crate::ui::{Theme, theme::Font};
use ulna_render::ColorRole;

/// A run of text with one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run<'a> {
    /// Plain text.
    Plain(&'a str),
    /// A name from the window, or an emphasized word.
    Name(&'a str),
    /// A key or code.
    Code(&'a str),
    /// Text and target of a link.
    Link(&'a str, &'a str),
}

/// Splits Markdown text into runs of one style.
pub fn runs(text: &str) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['*', '`', '[', '<']) {
        let (before, marked) = rest.split_at(at);
        if let Some((run, after)) = marked_run(marked) {
            if !before.is_empty() {
                runs.push(Run::Plain(before));
            }
            runs.push(run);
            rest = after;
        } else {
            // A character without its closing counterpart is plain text.
            let next = at + marked.chars().next().map_or(1, char::len_utf8);
            runs.push(Run::Plain(&rest[..next]));
            rest = &rest[next..];
        }
    }
    if !rest.is_empty() {
        runs.push(Run::Plain(rest));
    }
    runs
}

/// The formatted run at the start of a text, and the text after it. `None` if the text starts with
/// no valid markup.
fn marked_run(text: &str) -> Option<(Run<'_>, &str)> {
    let between = |open: &str, close: &str| {
        let inside = text.strip_prefix(open)?;
        let end = inside.find(close).filter(|end| *end > 0)?;
        Some((&inside[..end], &inside[end + close.len()..]))
    };
    if let Some((inside, after)) = between("**", "**") {
        return Some((Run::Name(inside), after));
    }
    if let Some((inside, after)) = between("*", "*") {
        return Some((Run::Name(inside), after));
    }
    if let Some((inside, after)) = between("`", "`").or_else(|| between("<code>", "</code>")) {
        return Some((Run::Code(inside), after));
    }
    let (inside, after) = between("[", "](")?;
    let (link, after) = after.split_once(')')?;
    Some((Run::Link(inside, link), after))
}

/// Text format of a run.
fn format(theme: &Theme, run: Run<'_>, base: ColorRole) -> TextFormat {
    let (font, color) = match run {
        Run::Plain(_) => (Font::Body, base),
        Run::Name(_) => (Font::Heading, ColorRole::TextPrimary),
        Run::Code(_) => (Font::Number, ColorRole::TextPrimary),
        Run::Link(..) => (Font::Body, ColorRole::AccentText),
    };
    let mut format = TextFormat::simple(Theme::font(font), theme.color(color));
    if matches!(run, Run::Code(_)) {
        format.background = theme.color(ColorRole::SurfaceControl);
    }
    format.line_height = Some(19.0);
    format
}

/// Draws formatted text. Returns the target of a clicked link.
pub fn text_ui<'a>(ui: &mut Ui, theme: &Theme, text: &'a str, base: ColorRole) -> Option<&'a str> {
    let runs = runs(text);
    if !runs.iter().any(|run| matches!(run, Run::Link(..))) {
        let mut job = LayoutJob::default();
        for run in runs {
            let (Run::Plain(part) | Run::Name(part) | Run::Code(part) | Run::Link(part, _)) = run;
            job.append(part, 0.0, format(theme, run, base));
        }
        ui.add(Label::new(job).wrap());
        return None;
    }
    let mut clicked = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for run in runs {
            let mut job = LayoutJob::default();
            match run {
                Run::Link(part, link) => {
                    let text = RichText::new(part).color(theme.color(ColorRole::AccentText));
                    let response = ui.add(Label::new(text).sense(Sense::click()));
                    if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                        clicked = Some(link);
                    }
                }
                Run::Plain(part) | Run::Name(part) | Run::Code(part) => {
                    job.append(part, 0.0, format(theme, run, base));
                    ui.add(Label::new(job).wrap());
                }
            }
        }
    });
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text_runs() {
        assert_eq!(
            runs("Press `S` or *Set key*; see [Keys](#keys), **now**."),
            [
                Run::Plain("Press "),
                Run::Code("S"),
                Run::Plain(" or "),
                Run::Name("Set key"),
                Run::Plain("; see "),
                Run::Link("Keys", "#keys"),
                Run::Plain(", "),
                Run::Name("now"),
                Run::Plain("."),
            ]
        );
        assert_eq!(runs("2 < 3 * 4"), [Run::Plain("2 <"), Run::Plain(" 3 *"), Run::Plain(" 4")]);
    }
}
