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

/// Inter and JetBrains Mono, from crates that carry them, and the icons behind both.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let inter = |weight: f32| {
        let tweak = FontTweak { coords: VariationCoords::new([(b"wght", weight)]), ..FontTweak::default() };
        Arc::new(FontData::from_static(ttf_inter::REGULAR).tweak(tweak))
    };
    fonts.font_data.insert("inter".into(), inter(400.0));
    fonts.font_data.insert("inter semibold".into(), inter(600.0));
    fonts.font_data.insert("jetbrains".into(), Arc::new(FontData::from_static(truce_font::JETBRAINS_MONO)));
    fonts.families.insert(FontFamily::Proportional, vec!["inter".into(), "jetbrains".into()]);
    fonts.families.insert(FontFamily::Name("semibold".into()), vec!["inter semibold".into(), "inter".into()]);
    fonts.families.insert(FontFamily::Monospace, vec!["jetbrains".into(), "inter".into()]);
    fonts
}
