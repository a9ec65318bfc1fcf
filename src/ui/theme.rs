//! The color themes from the design tokens. All colors, sizes and fonts of panels are defined here.

use std::sync::Arc;

use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow,
    Stroke, Style, TextStyle, Visuals,
    epaint::text::{FontTweak, VariationCoords},
    style::ScrollStyle,
    vec2,
};

use super::settings::ThemeChoice;
use ulna_model::GroupColor;
use ulna_render::{Color, ColorRole, Measure, group_color, tokens};

/// A color theme from the design tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    name: &'static str,
}

/// Name of the dark theme in the tokens.
const DARK: &str = "dark";
/// Name of the light theme in the tokens.
const LIGHT: &str = "light";
/// Name of the high-contrast theme in the tokens.
const CONTRAST: &str = "contrast";

/// Role of a font in the `type` table of the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Titles of sections and panels.
    Heading,
    /// Default text.
    Body,
    /// Track rows and secondary lines.
    Small,
    /// Group labels, ruler, badges, key hints.
    Caption,
    /// Numbers that can change.
    Number,
    /// Ruler and numeric read-outs.
    NumberSmall,
    /// Dialog titles.
    Title,
    /// Heading of the welcome page.
    Display,
}

impl Theme {
    /// The chosen theme, or that of the operating system.
    pub fn of(ctx: &Context, choice: ThemeChoice) -> Self {
        let system = || match ctx.system_theme() {
            Some(egui::Theme::Light) => LIGHT,
            _ => DARK,
        };
        Self::named(match choice {
            ThemeChoice::Dark => DARK,
            ThemeChoice::Light => LIGHT,
            ThemeChoice::Contrast => CONTRAST,
            ThemeChoice::System => system(),
        })
    }

    const fn named(name: &'static str) -> Self {
        Self { name }
    }

    /// Name in the tokens: `dark`, `light` or `contrast`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Color of a role in this theme.
    pub fn color(&self, role: ColorRole) -> Color32 {
        egui_color(role.color(self.name))
    }

    /// Color of a joint group in this theme.
    pub fn group_color(&self, color: GroupColor) -> Color32 {
        egui_color(group_color(color, self.name))
    }

    /// Border of text fields. Only the dark theme has enough contrast without one.
    pub fn field_edge(&self) -> Stroke {
        if self.name == DARK {
            Stroke::NONE
        } else {
            Stroke::new(1.0, self.color(ColorRole::StrokeControl))
        }
    }

    /// Border of buttons and other controls. Only the high-contrast theme has one.
    pub fn control_edge(&self) -> Stroke {
        if self.name == CONTRAST {
            Stroke::new(1.0, self.color(ColorRole::StrokeControl))
        } else {
            Stroke::NONE
        }
    }

    /// Frame of a list in a dialog.
    pub fn well(&self) -> egui::Frame {
        egui::Frame::new()
            .fill(self.color(ColorRole::SurfaceField))
            .stroke(self.field_edge())
            .corner_radius(4)
    }

    /// Background of a row of segments.
    pub fn trough(&self) -> Color32 {
        self.color(if self.name == LIGHT {
            ColorRole::SurfaceControl
        } else {
            ColorRole::SurfaceField
        })
    }

    /// Font of a role.
    pub fn font(font: Font) -> FontId {
        let semibold = FontFamily::Name("semibold".into());
        match font {
            Font::Heading => FontId::new(13.0, semibold),
            Font::Title => FontId::new(16.0, semibold),
            Font::Display => FontId::new(28.0, semibold),
            Font::Body => FontId::proportional(13.0),
            Font::Small => FontId::proportional(12.0),
            Font::Caption => FontId::proportional(11.0),
            Font::Number => FontId::monospace(12.0),
            Font::NumberSmall => FontId::monospace(11.0),
        }
    }

    /// Sets the fonts and both styles of egui, once at launch.
    pub fn install(ctx: &Context) {
        ctx.set_fonts(fonts());
        egui_material_icons::initialize(ctx);
        // Fonts of the operating system supply missing characters, because names can be in any
        // script.
        ctx.add_font_provider(Arc::new(egui_system_font_provider::SystemFontProvider::new()));
        for theme in [DARK, LIGHT].map(Self::named) {
            ctx.set_style_of(theme.base(), Arc::new(theme.style()));
        }
        // Ulna has its own zoom commands.
        ctx.options_mut(|o| o.zoom_with_keyboard = false);
    }

    /// Applies this theme to the window.
    pub fn show(&self, ctx: &Context) {
        // egui has only two styles, so the high-contrast theme replaces the dark one.
        ctx.set_style_of(self.base(), Arc::new(self.style()));
        ctx.set_theme(self.base());
    }

    /// The egui theme that this theme is based on.
    fn base(&self) -> egui::Theme {
        if self.name == LIGHT { egui::Theme::Light } else { egui::Theme::Dark }
    }

    fn style(&self) -> Style {
        let mut style = Style { visuals: self.visuals(), ..Style::default() };
        style.text_styles = [
            (TextStyle::Body, Self::font(Font::Body)),
            (TextStyle::Button, Self::font(Font::Body)),
            (TextStyle::Small, Self::font(Font::Small)),
            (TextStyle::Heading, Self::font(Font::Heading)),
            (TextStyle::Monospace, Self::font(Font::Number)),
        ]
        .into();
        style.drag_value_text_style = TextStyle::Monospace;
        let s = &mut style.spacing;
        s.item_spacing = vec2(8.0, 4.0);
        s.button_padding = vec2(10.0, 2.0);
        s.interact_size = vec2(24.0, 24.0);
        s.indent = 10.0;
        s.icon_width = 16.0;
        s.window_margin = Margin::same(16);
        s.menu_margin = Margin::same(4);
        s.tooltip_width = Measure::TooltipMax.points();
        s.scroll = ScrollStyle { bar_width: 8.0, ..ScrollStyle::thin() };
        style.interaction.tooltip_delay = 0.4;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.08;
        style
    }

    fn visuals(&self) -> Visuals {
        let c = |role: ColorRole| self.color(role);
        let shadow = |of: &str| {
            let token = tokens()["shadow"][of]["color"][self.name].as_str().unwrap_or_default();
            egui_color(Color::parse(token))
        };
        let mut v = self.base().default_visuals();
        v.panel_fill = c(ColorRole::SurfacePanel);
        v.window_fill = c(ColorRole::SurfaceRaised);
        v.extreme_bg_color = c(ColorRole::SurfaceField);
        v.text_edit_bg_color = Some(c(ColorRole::SurfaceField));
        v.faint_bg_color = c(ColorRole::SurfaceRowAlt);
        v.code_bg_color = c(ColorRole::SurfaceField);
        v.weak_text_color = Some(c(ColorRole::TextTertiary));
        v.hyperlink_color = c(ColorRole::AccentText);
        v.warn_fg_color = c(ColorRole::SeverityWarning);
        v.error_fg_color = c(ColorRole::SeverityError);
        v.selection.bg_fill = c(ColorRole::AccentTint);
        v.selection.stroke = Stroke::new(1.0, c(ColorRole::AccentText));
        v.window_corner_radius = CornerRadius::same(8);
        v.menu_corner_radius = CornerRadius::same(8);
        v.window_stroke = Stroke::new(1.0, c(ColorRole::StrokeControl));
        v.popup_shadow = Shadow { offset: [0, 4], blur: 12, spread: 0, color: shadow("popup") };
        v.window_shadow = Shadow { offset: [0, 8], blur: 24, spread: 0, color: shadow("dialog") };
        v.indent_has_left_vline = true;
        v.striped = false;
        v.slider_trailing_fill = true;
        let radius = CornerRadius::same(4);
        let states = [
            (&mut v.widgets.noninteractive, ColorRole::SurfacePanel, ColorRole::TextSecondary),
            (&mut v.widgets.inactive, ColorRole::SurfaceControl, ColorRole::TextPrimary),
            (&mut v.widgets.hovered, ColorRole::SurfaceControlHover, ColorRole::TextPrimary),
            (&mut v.widgets.active, ColorRole::SurfaceControlActive, ColorRole::TextPrimary),
            (&mut v.widgets.open, ColorRole::SurfaceControlHover, ColorRole::TextPrimary),
        ];
        for (w, fill, text) in states {
            w.bg_fill = self.color(fill);
            w.weak_bg_fill = self.color(fill);
            w.bg_stroke = self.control_edge();
            w.fg_stroke = Stroke::new(1.0, self.color(text));
            w.corner_radius = radius;
            w.expansion = 0.0;
        }
        v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, c(ColorRole::StrokeSubtle));

        v
    }
}

fn egui_color(color: Color) -> Color32 {
    let [r, g, b, a] = color.0;
    Color32::from_rgba_unmultiplied(r, g, b, a)
}

/// Fonts from crates: Inter and JetBrains Mono, with emoji outlines and icons as fallback. Further
/// characters come from fonts of the operating system.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let inter = |weight: f32| {
        let tweak =
            FontTweak { coords: VariationCoords::new([(b"wght", weight)]), ..FontTweak::default() };
        Arc::new(FontData::from_static(ttf_inter::REGULAR).tweak(tweak))
    };
    fonts.font_data.insert("inter".into(), inter(400.0));
    fonts.font_data.insert("inter semibold".into(), inter(600.0));
    fonts
        .font_data
        .insert("jetbrains".into(), Arc::new(FontData::from_static(truce_font::JETBRAINS_MONO)));
    fonts.font_data.insert(
        "emoji".into(),
        Arc::new(FontData::from_static(epaint_default_fonts::NOTO_EMOJI_REGULAR)),
    );
    let family = |names: [&str; 3]| names.map(Into::into).to_vec();
    fonts.families.insert(FontFamily::Proportional, family(["inter", "jetbrains", "emoji"]));
    fonts
        .families
        .insert(FontFamily::Name("semibold".into()), family(["inter semibold", "inter", "emoji"]));
    fonts.families.insert(FontFamily::Monospace, family(["jetbrains", "inter", "emoji"]));
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(c: Color32) -> f64 {
        let linear = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Rows: foreground, background, ratio in the dark theme, ratio in the light theme, and
    /// required ratio.
    #[test]
    fn the_tokens_have_the_required_contrasts() {
        let rows: [(ColorRole, ColorRole, f64, f64, f64); 35] = [
            (ColorRole::TextPrimary, ColorRole::SurfacePanel, 13.4, 15.5, 4.5),
            (ColorRole::TextPrimary, ColorRole::SurfaceRaised, 11.4, 16.9, 4.5),
            (ColorRole::TextPrimary, ColorRole::SelectionTint, 10.7, 13.7, 4.5),
            (ColorRole::TextSecondary, ColorRole::SurfacePanel, 7.6, 8.0, 4.5),
            (ColorRole::TextSecondary, ColorRole::SurfaceControl, 5.6, 6.6, 4.5),
            (ColorRole::TextSecondary, ColorRole::SurfaceControlHover, 4.7, 5.9, 4.5),
            (ColorRole::TextTertiary, ColorRole::SurfacePanel, 6.0, 5.7, 4.5),
            (ColorRole::TextTertiary, ColorRole::SurfaceBar, 5.4, 5.3, 4.5),
            (ColorRole::TextTertiary, ColorRole::SurfaceRaised, 5.1, 6.3, 4.5),
            (ColorRole::TextTertiary, ColorRole::SelectionTint, 4.8, 5.1, 4.5),
            (ColorRole::TextOnAccent, ColorRole::AccentBase, 7.7, 4.9, 4.5),
            (ColorRole::TextOnAccent, ColorRole::AccentHover, 9.5, 6.3, 4.5),
            (ColorRole::TextOnAccent, ColorRole::AccentPressed, 5.5, 8.1, 4.5),
            (ColorRole::AccentText, ColorRole::SurfacePanel, 9.2, 6.2, 4.5),
            (ColorRole::AccentText, ColorRole::AccentTint, 6.8, 5.2, 4.5),
            (ColorRole::AxisX, ColorRole::SurfaceField, 6.5, 5.8, 4.5),
            (ColorRole::AxisY, ColorRole::SurfaceField, 9.0, 5.6, 4.5),
            (ColorRole::AxisZ, ColorRole::SurfaceField, 7.2, 6.3, 4.5),
            (ColorRole::SeverityError, ColorRole::SurfacePanel, 6.7, 5.9, 4.5),
            (ColorRole::SeverityWarning, ColorRole::SurfacePanel, 10.5, 6.1, 4.5),
            (ColorRole::SeverityInfo, ColorRole::SurfacePanel, 7.8, 5.9, 4.5),
            (ColorRole::SeverityOk, ColorRole::SurfacePanel, 8.6, 5.8, 4.5),
            (ColorRole::KeyNormal, ColorRole::SurfaceTimeline, 10.9, 6.3, 3.0),
            (ColorRole::KeyExtreme, ColorRole::SurfaceTimeline, 8.0, 4.9, 3.0),
            (ColorRole::KeyBreakdown, ColorRole::SurfaceTimeline, 8.9, 4.3, 3.0),
            (ColorRole::KeyGenerated, ColorRole::SurfaceTimeline, 8.6, 3.8, 3.0),
            (ColorRole::TimelinePlayhead, ColorRole::SurfaceTimeline, 7.8, 4.7, 3.0),
            (ColorRole::TimelineMarker, ColorRole::SurfaceTimeline, 7.6, 6.2, 3.0),
            (ColorRole::TimelineBoxStroke, ColorRole::SurfaceTimeline, 8.8, 3.5, 3.0),
            (ColorRole::AccentBase, ColorRole::SurfacePanel, 7.4, 4.5, 3.0),
            // Text colors that the table in the design document does not list.
            (ColorRole::SelectionText, ColorRole::SelectionTint, 4.5, 4.5, 4.5),
            (ColorRole::TextPrimary, ColorRole::SurfaceField, 4.5, 4.5, 4.5),
            (ColorRole::TextPrimary, ColorRole::SurfaceControl, 4.5, 4.5, 4.5),
            (ColorRole::TextPrimary, ColorRole::SurfaceControlHover, 4.5, 4.5, 4.5),
            (ColorRole::ViewportLabel, ColorRole::ViewportBackground, 4.5, 4.5, 4.5),
        ];
        for (name, at) in [(DARK, 2), (LIGHT, 3)] {
            let theme = Theme::named(name);
            for row in &rows {
                let found = contrast(theme.color(row.0), theme.color(row.1));
                let promised = if at == 2 { row.2 } else { row.3 };
                assert!(found >= row.4, "{name}: {:?} on {:?} is {found:.2}", row.0, row.1);
                assert!(
                    found > promised - 0.1,
                    "{name}: {:?} on {:?} is {found:.2}, not {promised}",
                    row.0,
                    row.1
                );
            }
        }
    }

    /// Required ratios: 7:1 for text (WCAG 2.2, 1.4.6), and 3:1 for marks and borders (1.4.11).
    #[test]
    fn the_high_contrast_theme_has_the_strictest_contrasts() {
        use ColorRole::{
            AccentBase, AccentHover, AccentPressed, AccentText, AccentTint, AxisX, AxisY, AxisZ,
            KeyBreakdown, KeyDead, KeyExtreme, KeyGenerated, KeyHold, KeyInbetween, KeyNormal,
            SelectionText, SelectionTint, SeverityError, SeverityErrorTint, SeverityInfo,
            SeverityInfoTint, SeverityOk, SeverityWarning, SeverityWarningTint, StrokeControl,
            StrokeSeparator, StrokeStrong, StrokeSubtle, SurfaceBar, SurfaceControl,
            SurfaceControlActive, SurfaceControlHover, SurfaceField, SurfacePanel, SurfaceRaised,
            SurfaceRowHover, SurfaceTimeline, TextOnAccent, TextPrimary, TextSecondary,
            TextTertiary, TimelineBoxStroke, TimelineMarker, TimelinePlayhead, ViewportBackground,
            ViewportLabel, ViewportPath,
        };
        let theme = Theme::named(CONTRAST);
        let surfaces = [
            SurfacePanel,
            SurfaceBar,
            SurfaceRaised,
            SurfaceField,
            SurfaceControl,
            SurfaceControlHover,
            SurfaceControlActive,
            SurfaceRowHover,
            SelectionTint,
            SeverityErrorTint,
            SeverityWarningTint,
            SeverityInfoTint,
        ];
        let texts = surfaces.iter().flat_map(|on| [(TextPrimary, *on), (TextSecondary, *on)]);
        let quiet = [SurfacePanel, SurfaceBar, SurfaceRaised, SurfaceField, SelectionTint];
        let texts = texts.chain(quiet.map(|on| (TextTertiary, on))).chain([
            (TextOnAccent, AccentBase),
            (TextOnAccent, AccentHover),
            (TextOnAccent, AccentPressed),
            (AccentText, SurfacePanel),
            (AccentText, AccentTint),
            (SelectionText, SelectionTint),
            (AxisX, SurfaceField),
            (AxisY, SurfaceField),
            (AxisZ, SurfaceField),
            (SeverityError, SurfacePanel),
            (SeverityWarning, SurfacePanel),
            (SeverityInfo, SurfacePanel),
            (SeverityOk, SurfacePanel),
            (ViewportLabel, ViewportBackground),
        ]);
        let keys = [KeyNormal, KeyExtreme, KeyBreakdown, KeyInbetween, KeyGenerated, KeyDead];
        let marks = [KeyHold, TimelinePlayhead, TimelineMarker, TimelineBoxStroke];
        let marks = keys.into_iter().chain(marks).map(|mark| (mark, SurfaceTimeline)).chain([
            (StrokeControl, SurfaceControl),
            (StrokeStrong, SurfaceControl),
            (StrokeSubtle, SurfacePanel),
            (StrokeSeparator, SurfacePanel),
            (AccentBase, SurfacePanel),
            (ViewportPath, ViewportBackground),
        ]);
        let pairs = texts.map(|pair| (pair, 7.0)).chain(marks.map(|pair| (pair, 3.0)));
        for ((front, back), least) in pairs {
            let found = contrast(theme.color(front), theme.color(back));
            assert!(found >= least, "{front:?} on {back:?} is {found:.2}, not {least}");
        }
    }

    #[test]
    fn sizes_are_multiples_of_the_grid() {
        use Measure::{
            Control, MenuBar, Outliner, RowMenu, RowPalette, RowTree, StatusBar, Toolbar,
        };
        for measure in
            [MenuBar, Toolbar, StatusBar, RowTree, RowMenu, RowPalette, Control, Outliner]
        {
            assert_eq!(measure.points() % 4.0, 0.0, "{measure:?}");
        }
        assert!(Control.points() >= 24.0 && Measure::ViewportTargetMin.points() >= 12.0);
    }
}
