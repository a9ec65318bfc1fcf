//! Color roles and measures of the design tokens, as types. An unknown role does not compile.

use std::sync::LazyLock;

use serde_json::Value;

use super::color::{Color, tokens};
use ulna_model::MarkerColor;

/// Defines an enum of roles, each with its path in the tokens.
macro_rules! roles {
    ($(#[$about:meta])* $name:ident { $($role:ident = $path:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each is named as in the tokens, which say what it is for")]
        pub enum $name {
            $($role,)*
        }

        impl $name {
            /// All roles.
            pub const ALL: &'static [Self] = &[$(Self::$role,)*];

            /// Path of the role in the tokens.
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$role => $path,)*
                }
            }
        }
    };
}

roles! {
    /// Purpose of a color (table `color` of the tokens).
    ColorRole {
        SurfaceWindow = "surface.window",
        SurfacePanel = "surface.panel",
        SurfaceBar = "surface.bar",
        SurfaceRaised = "surface.raised",
        SurfaceControl = "surface.control",
        SurfaceControlHover = "surface.control_hover",
        SurfaceControlActive = "surface.control_active",
        SurfaceField = "surface.field",
        SurfaceRowHover = "surface.row_hover",
        SurfaceRowAlt = "surface.row_alt",
        SurfaceTimeline = "surface.timeline",
        SurfaceTimelineSummary = "surface.timeline_summary",
        SurfaceTimelineOut = "surface.timeline_out",
        SurfaceScrollHandle = "surface.scroll_handle",
        StrokeSeparator = "stroke.separator",
        StrokeSubtle = "stroke.subtle",
        StrokeControl = "stroke.control",
        StrokeStrong = "stroke.strong",
        TextPrimary = "text.primary",
        TextSecondary = "text.secondary",
        TextTertiary = "text.tertiary",
        TextDisabled = "text.disabled",
        TextOnAccent = "text.on_accent",
        TextOnSelection = "text.on_selection",
        AccentBase = "accent.base",
        AccentHover = "accent.hover",
        AccentPressed = "accent.pressed",
        AccentTint = "accent.tint",
        AccentText = "accent.text",
        SelectionBase = "selection.base",
        SelectionActive = "selection.active",
        SelectionRelated = "selection.related",
        SelectionTint = "selection.tint",
        SelectionText = "selection.text",
        SelectionOutline = "selection.outline",
        AxisX = "axis.x",
        AxisY = "axis.y",
        AxisZ = "axis.z",
        AxisW = "axis.w",
        AxisHover = "axis.hover",
        SeverityError = "severity.error",
        SeverityWarning = "severity.warning",
        SeverityInfo = "severity.info",
        SeverityOk = "severity.ok",
        SeverityErrorTint = "severity.error_tint",
        SeverityWarningTint = "severity.warning_tint",
        SeverityInfoTint = "severity.info_tint",
        Record = "record",
        KeyNormal = "key.normal",
        KeyExtreme = "key.extreme",
        KeyBreakdown = "key.breakdown",
        KeyInbetween = "key.inbetween",
        KeyGenerated = "key.generated",
        KeyHold = "key.hold",
        KeyDead = "key.dead",
        KeyPending = "key.pending",
        KeyOutline = "key.outline",
        KeySummary = "key.summary",
        TimelinePlayhead = "timeline.playhead",
        TimelinePlayheadText = "timeline.playhead_text",
        TimelineRangeTint = "timeline.range_tint",
        TimelineGrid = "timeline.grid",
        TimelineGridMajor = "timeline.grid_major",
        TimelineMarker = "timeline.marker",
        TimelineBoxFill = "timeline.box_fill",
        TimelineBoxStroke = "timeline.box_stroke",
        JointNormal = "joint.normal",
        JointEdge = "joint.edge",
        JointHover = "joint.hover",
        JointSelected = "joint.selected",
        JointSelectedEdge = "joint.selected_edge",
        JointRelated = "joint.related",
        JointEdited = "joint.edited",
        JointPending = "joint.pending",
        JointLocked = "joint.locked",
        JointFaulty = "joint.faulty",
        ViewportBackground = "viewport.background",
        ViewportGridMinor = "viewport.grid_minor",
        ViewportGridMajor = "viewport.grid_major",
        ViewportAxisX = "viewport.axis_x",
        ViewportAxisZ = "viewport.axis_z",
        ViewportLabel = "viewport.label",
        ViewportLabelHalo = "viewport.label_halo",
        ViewportOutline = "viewport.outline",
        ViewportOverlay = "viewport.overlay",
        ViewportBrush = "viewport.brush",
        ViewportPath = "viewport.path",
        ViewportGhostBefore = "viewport.ghost_before",
        ViewportGhostAfter = "viewport.ghost_after",
        ViewportZeroWeight = "viewport.zero_weight",
    }
}

impl ColorRole {
    /// Role of a marker color.
    pub const fn of_marker(color: MarkerColor) -> Self {
        match color {
            MarkerColor::Violet => Self::TimelineMarker,
            MarkerColor::Red => Self::SeverityError,
            MarkerColor::Amber => Self::SeverityWarning,
            MarkerColor::Green => Self::SeverityOk,
            MarkerColor::Blue => Self::SeverityInfo,
        }
    }
}

roles! {
    /// Measure of the layout, in points (table `size` of the design tokens).
    Measure {
        MenuBar = "menu_bar",
        Toolbar = "toolbar",
        StatusBar = "status_bar",
        PanelHeader = "panel_header",
        TimelineHeader = "timeline_header",
        Ruler = "ruler",
        RowTree = "row_tree",
        RowTrack = "row_track",
        RowTable = "row_table",
        RowMenu = "row_menu",
        RowPalette = "row_palette",
        Control = "control",
        ControlLarge = "control_large",
        ControlCompact = "control_compact",
        IconButton = "icon_button",
        FieldMinWidth = "field_min_width",
        LabelColumn = "label_column",
        Splitter = "splitter",
        SplitterGrab = "splitter_grab",
        Outliner = "outliner",
        Inspector = "inspector",
        InspectorPaint = "inspector_paint",
        InspectorRig = "inspector_rig",
        Timeline = "timeline",
        TimelineStrip = "timeline_strip",
        ProblemsMin = "problems_min",
        TrackNames = "track_names",
        Scrollbar = "scrollbar",
        TouchTargetMin = "touch_target_min",
        ViewportTargetMin = "viewport_target_min",
        Key = "key",
        KeySmall = "key_small",
        KeyLarge = "key_large",
        TangentHandle = "tangent_handle",
        JointBadge = "joint_badge",
        TooltipMax = "tooltip_max",
        Dialog = "dialog",
        Palette = "palette",
        Toast = "toast",
    }
}

/// Value at a path of the tokens, such as `text.primary`.
fn at<'a>(mut value: &'a Value, path: &str) -> &'a Value {
    for part in path.split('.') {
        value = &value[part];
    }
    value
}

/// All colors of a theme (`dark`, `light` or `contrast`), by role.
fn palette(theme: &str) -> Vec<Color> {
    let color = |role: &ColorRole| {
        Color::parse(at(&tokens()["color"][theme], role.path()).as_str().unwrap_or_default())
    };
    ColorRole::ALL.iter().map(color).collect()
}

impl ColorRole {
    /// Color of the role in a theme: `light`, `contrast`, or otherwise dark. The tokens are parsed
    /// only once.
    pub fn color(self, theme: &str) -> Color {
        static DARK: LazyLock<Vec<Color>> = LazyLock::new(|| palette("dark"));
        static LIGHT: LazyLock<Vec<Color>> = LazyLock::new(|| palette("light"));
        static CONTRAST: LazyLock<Vec<Color>> = LazyLock::new(|| palette("contrast"));
        let colors = match theme {
            "light" => &LIGHT,
            "contrast" => &CONTRAST,
            _ => &DARK,
        };
        colors[self as usize]
    }
}

impl Measure {
    /// Value of the measure, in points.
    pub fn points(self) -> f32 {
        static SIZES: LazyLock<Vec<f32>> = LazyLock::new(|| {
            let size = |m: &Measure| tokens()["size"][m.path()].as_f64().unwrap_or_default() as f32;
            Measure::ALL.iter().map(size).collect()
        });
        SIZES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every color of the tokens has a role, and every role has a color in all themes.
    #[test]
    fn color_roles_match_the_design_tokens_in_all_themes() {
        fn leaves(value: &Value) -> usize {
            value.as_object().map_or(1, |members| members.values().map(leaves).sum())
        }
        for theme in ["dark", "light", "contrast"] {
            let colors = &tokens()["color"][theme];
            for role in ColorRole::ALL {
                let text = at(colors, role.path()).as_str().unwrap_or_default();
                assert!(
                    text.starts_with('#') && matches!(text.len(), 7 | 9),
                    "{theme} {}: “{text}”",
                    role.path()
                );
                assert_eq!(role.color(theme), Color::parse(text));
            }
            assert_eq!(leaves(colors), ColorRole::ALL.len(), "{theme}");
        }
        for measure in Measure::ALL {
            assert!(measure.points() > 0.0, "{}", measure.path());
        }
        assert_eq!(leaves(&tokens()["size"]), Measure::ALL.len());
    }
}
