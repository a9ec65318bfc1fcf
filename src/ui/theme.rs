//! Both themes, from the design tokens. Panels take colours, sizes and fonts from here and nowhere else.

use std::{collections::BTreeMap, sync::Arc};

use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, Style,
    TextStyle, Visuals,
    epaint::text::{FontTweak, VariationCoords},
    style::ScrollStyle,
    vec2,
};

use super::settings::ThemeChoice;
use crate::render::{Color, tokens};

/// Colours by role, and the measures that egui has no place for.
#[derive(Clone, Debug)]
pub struct Theme {
    name: &'static str,
    colors: BTreeMap<String, Color32>,
}

/// A font role of the tokens' `type` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Section and panel titles.
    Heading,
    /// Everything by default.
    Body,
    /// Track rows, secondary lines.
    Small,
    /// Group labels, ruler, badges, key hints.
    Caption,
    /// Every number that can change.
    Number,
    /// Ruler and read-outs.
    NumberSmall,
    /// Dialog titles.
    Title,
    /// The welcome page's heading.
    Display,
}

impl Theme {
    /// The theme that is chosen, or the system's.
    pub fn of(ctx: &Context, choice: ThemeChoice) -> Self {
        let light = match choice {
            ThemeChoice::Dark => false,
            ThemeChoice::Light => true,
            ThemeChoice::System => ctx.system_theme() == Some(egui::Theme::Light),
        };
        Self::load(if light { "light" } else { "dark" })
    }

    fn load(name: &'static str) -> Self {
        let mut colors = BTreeMap::new();
        let mut stack = vec![(String::new(), &tokens()["color"][name])];
        while let Some((path, value)) = stack.pop() {
            if let Some(members) = value.as_object() {
                for (key, value) in members {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    stack.push((path, value));
                }
            } else if let Some(text) = value.as_str() {
                colors.insert(path, egui_color(Color::parse(text)));
            }
        }
        Self { name, colors }
    }

    /// `dark` or `light`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The colour of a role, such as `text.secondary`; magenta where the tokens have none, so that it is seen.
    pub fn color(&self, role: &str) -> Color32 {
        self.colors.get(role).copied().unwrap_or(Color32::from_rgb(255, 0, 255))
    }

    /// The edge of a field: white on near-white needs one.
    pub fn field_edge(&self) -> Stroke {
        if self.name == "light" { Stroke::new(1.0, self.color("stroke.control")) } else { Stroke::NONE }
    }

    /// What lies under segments.
    pub fn trough(&self) -> Color32 {
        self.color(if self.name == "light" { "surface.control" } else { "surface.field" })
    }

    /// A measure of the tokens' `size` table, in points.
    pub fn size(name: &str) -> f32 {
        tokens()["size"][name].as_f64().unwrap_or(24.0) as f32
    }

    /// The font of a role.
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

    /// Sets the fonts and both styles, once.
    pub fn install(ctx: &Context) {
        ctx.set_fonts(fonts());
        egui_material_icons::initialize(ctx);
        // Names come in any script.
        ctx.add_font_provider(Arc::new(egui_system_font_provider::SystemFontProvider::new()));
        ctx.set_style_of(egui::Theme::Dark, Arc::new(Self::load("dark").style()));
        ctx.set_style_of(egui::Theme::Light, Arc::new(Self::load("light").style()));
        // Ulna has commands of its own for it.
        ctx.options_mut(|o| o.zoom_with_keyboard = false);
    }

    /// Makes this theme the window's.
    pub fn show(&self, ctx: &Context) {
        let light = self.name == "light";
        ctx.set_theme(if light { egui::ThemePreference::Light } else { egui::ThemePreference::Dark });
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
        s.tooltip_width = Self::size("tooltip_max");
        s.scroll = ScrollStyle { bar_width: 8.0, ..ScrollStyle::thin() };
        style.interaction.tooltip_delay = 0.4;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.08;
        style
    }

    fn visuals(&self) -> Visuals {
        let c = |role: &str| self.color(role);
        let shadow = |of: &str| {
            let token = tokens()["shadow"][of]["color"][self.name].as_str().unwrap_or_default();
            egui_color(Color::parse(token))
        };
        let mut v = if self.name == "light" { Visuals::light() } else { Visuals::dark() };
        v.panel_fill = c("surface.panel");
        v.window_fill = c("surface.raised");
        v.extreme_bg_color = c("surface.field");
        v.text_edit_bg_color = Some(c("surface.field"));
        v.faint_bg_color = c("surface.row_alt");
        v.code_bg_color = c("surface.field");
        v.weak_text_color = Some(c("text.tertiary"));
        v.hyperlink_color = c("accent.text");
        v.warn_fg_color = c("severity.warning");
        v.error_fg_color = c("severity.error");
        v.selection.bg_fill = c("accent.tint");
        v.selection.stroke = Stroke::new(1.0, c("accent.text"));
        v.window_corner_radius = CornerRadius::same(8);
        v.menu_corner_radius = CornerRadius::same(8);
        v.window_stroke = Stroke::new(1.0, c("stroke.control"));
        v.popup_shadow = Shadow { offset: [0, 4], blur: 12, spread: 0, color: shadow("popup") };
        v.window_shadow = Shadow { offset: [0, 8], blur: 24, spread: 0, color: shadow("dialog") };
        v.indent_has_left_vline = true;
        v.striped = false;
        v.slider_trailing_fill = true;
        let radius = CornerRadius::same(4);
        let states = [
            (&mut v.widgets.noninteractive, "surface.panel", "text.secondary"),
            (&mut v.widgets.inactive, "surface.control", "text.primary"),
            (&mut v.widgets.hovered, "surface.control_hover", "text.primary"),
            (&mut v.widgets.active, "surface.control_active", "text.primary"),
            (&mut v.widgets.open, "surface.control_hover", "text.primary"),
        ];
        for (w, fill, text) in states {
            w.bg_fill = self.color(fill);
            w.weak_bg_fill = self.color(fill);
            w.bg_stroke = Stroke::NONE;
            w.fg_stroke = Stroke::new(1.0, self.color(text));
            w.corner_radius = radius;
            w.expansion = 0.0;
        }
        v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, c("stroke.subtle"));

        v
    }
}

fn egui_color(color: Color) -> Color32 {
    let [r, g, b, a] = color.0;
    Color32::from_rgba_unmultiplied(r, g, b, a)
}

/// Inter and JetBrains Mono, from crates that carry them; behind both emoji as outlines, and the icons. What none of them has
/// is looked for among the system's fonts.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let inter = |weight: f32| {
        let tweak = FontTweak { coords: VariationCoords::new([(b"wght", weight)]), ..FontTweak::default() };
        Arc::new(FontData::from_static(ttf_inter::REGULAR).tweak(tweak))
    };
    fonts.font_data.insert("inter".into(), inter(400.0));
    fonts.font_data.insert("inter semibold".into(), inter(600.0));
    fonts.font_data.insert("jetbrains".into(), Arc::new(FontData::from_static(truce_font::JETBRAINS_MONO)));
    fonts.font_data.insert("emoji".into(), Arc::new(FontData::from_static(epaint_default_fonts::NOTO_EMOJI_REGULAR)));
    let family = |names: [&str; 3]| names.map(Into::into).to_vec();
    fonts.families.insert(FontFamily::Proportional, family(["inter", "jetbrains", "emoji"]));
    fonts.families.insert(FontFamily::Name("semibold".into()), family(["inter semibold", "inter", "emoji"]));
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

    /// The table of contrasts that the look promises: foreground, background, dark, light, least.
    #[test]
    fn the_tokens_keep_the_contrasts_that_the_look_promises() {
        let rows: [(&str, &str, f64, f64, f64); 35] = [
            ("text.primary", "surface.panel", 13.4, 15.5, 4.5),
            ("text.primary", "surface.raised", 11.4, 16.9, 4.5),
            ("text.primary", "selection.tint", 10.7, 13.7, 4.5),
            ("text.secondary", "surface.panel", 7.6, 8.0, 4.5),
            ("text.secondary", "surface.control", 5.6, 6.6, 4.5),
            ("text.secondary", "surface.control_hover", 4.7, 5.9, 4.5),
            ("text.tertiary", "surface.panel", 6.0, 5.7, 4.5),
            ("text.tertiary", "surface.bar", 5.4, 5.3, 4.5),
            ("text.tertiary", "surface.raised", 5.1, 6.3, 4.5),
            ("text.tertiary", "selection.tint", 4.8, 5.1, 4.5),
            ("text.on_accent", "accent.base", 7.7, 4.9, 4.5),
            ("text.on_accent", "accent.hover", 9.5, 6.3, 4.5),
            ("text.on_accent", "accent.pressed", 5.5, 8.1, 4.5),
            ("accent.text", "surface.panel", 9.2, 6.2, 4.5),
            ("accent.text", "accent.tint", 6.8, 5.2, 4.5),
            ("axis.x", "surface.field", 6.5, 5.8, 4.5),
            ("axis.y", "surface.field", 9.0, 5.6, 4.5),
            ("axis.z", "surface.field", 7.2, 6.3, 4.5),
            ("severity.error", "surface.panel", 6.7, 5.9, 4.5),
            ("severity.warning", "surface.panel", 10.5, 6.1, 4.5),
            ("severity.info", "surface.panel", 7.8, 5.9, 4.5),
            ("severity.ok", "surface.panel", 8.6, 5.8, 4.5),
            ("key.normal", "surface.timeline", 10.9, 6.3, 3.0),
            ("key.extreme", "surface.timeline", 8.0, 4.9, 3.0),
            ("key.breakdown", "surface.timeline", 8.9, 4.3, 3.0),
            ("key.generated", "surface.timeline", 8.6, 3.8, 3.0),
            ("timeline.playhead", "surface.timeline", 7.8, 4.7, 3.0),
            ("timeline.marker", "surface.timeline", 7.6, 6.2, 3.0),
            ("timeline.box_stroke", "surface.timeline", 8.8, 3.5, 3.0),
            ("accent.base", "surface.panel", 7.4, 4.5, 3.0),
            // Roles of the look's text that its table does not list.
            ("selection.text", "selection.tint", 4.5, 4.5, 4.5),
            ("text.primary", "surface.field", 4.5, 4.5, 4.5),
            ("text.primary", "surface.control", 4.5, 4.5, 4.5),
            ("text.primary", "surface.control_hover", 4.5, 4.5, 4.5),
            ("viewport.label", "viewport.background", 4.5, 4.5, 4.5),
        ];
        for (name, at) in [("dark", 2), ("light", 3)] {
            let theme = Theme::load(name);
            for row in &rows {
                let found = contrast(theme.color(row.0), theme.color(row.1));
                let promised = if at == 2 { row.2 } else { row.3 };
                assert!(found >= row.4, "{name}: {} on {} is {found:.2}", row.0, row.1);
                assert!(found > promised - 0.1, "{name}: {} on {} is {found:.2}, not {promised}", row.0, row.1);
            }
        }
    }

    #[test]
    fn both_themes_have_the_same_roles_and_sizes_lie_on_the_grid() {
        let (dark, light) = (Theme::load("dark"), Theme::load("light"));
        assert!(dark.colors.keys().eq(light.colors.keys()) && dark.colors.len() > 70, "{}", dark.colors.len());
        for name in ["menu_bar", "toolbar", "status_bar", "row_tree", "row_menu", "row_palette", "control", "outliner"]
        {
            assert_eq!(Theme::size(name) % 4.0, 0.0, "{name}");
        }
        assert!(Theme::size("control") >= 24.0 && Theme::size("viewport_target_min") >= 12.0);
    }
}
