//! Settings of the preferences dialog. They are stored between launches.

use serde::{Deserialize, Serialize};

use super::curve_settings::CurveSettings;
use ulna_edit::{KeyMap, command::Between};

/// Color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
    /// White text on black, with borders around controls.
    Contrast,
    /// The theme of the operating system.
    System,
}

/// Length unit of displayed and typed values. The file always uses meters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// Meters.
    #[default]
    Meters,
    /// Centimeters.
    Centimeters,
    /// Millimeters.
    Millimeters,
}

impl Length {
    /// Number of units per meter.
    pub const fn per_meter(self) -> f32 {
        match self {
            Self::Meters => 1.0,
            Self::Centimeters => 100.0,
            Self::Millimeters => 1000.0,
        }
    }

    /// Unit symbol.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Meters => "m",
            Self::Centimeters => "cm",
            Self::Millimeters => "mm",
        }
    }
}

/// Rotation method of an orbit drag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Orbit {
    /// Rotates about the vertical axis, so that up stays up.
    #[default]
    Turntable,
    /// Rotates about the axes of the screen.
    Trackball,
}

/// Drawing quality of the viewport during motion. A static view is always drawn in full quality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// Adapts to the speed of the graphics device.
    #[default]
    Auto,
    /// Draws at full resolution.
    High,
    /// Draws at half resolution.
    Fast,
}

/// Content of the timeline for a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimelineShow {
    /// Rows of keys (the dope sheet).
    #[default]
    Sheet,
    /// Curves through the keys.
    Curves,
    /// Rows of keys above curves.
    Both,
}

impl TimelineShow {
    /// All choices, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Sheet, Self::Curves, Self::Both];

    /// Label on the switch.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sheet => "Sheet",
            Self::Curves => "Curves",
            Self::Both => "Both",
        }
    }
}

/// Settings of the preferences dialog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Color theme.
    pub theme: ThemeChoice,
    /// Scale factor of the whole user interface; 1 is the default.
    pub scale: f32,
    /// True to disable animated transitions.
    pub reduce_motion: bool,
    /// Key map.
    pub keys: KeyMap,
    /// Unit of displayed lengths.
    pub length: Length,
    /// Rotation method of an orbit drag.
    pub orbit: Orbit,
    /// Vertical field of view, in degrees.
    pub fov: f32,
    /// Speed factor of orbit drags; 1 is the default.
    pub orbit_speed: f32,
    /// True if the wheel zooms toward the point under the pointer, false toward the center of the
    /// view.
    pub zoom_to_pointer: bool,
    /// True if the wheel zooms in the opposite direction.
    pub reverse_wheel: bool,
    /// Drawing quality of the viewport during motion.
    pub quality: Quality,
    /// True if the first save of a session keeps the previous file as a backup beside it.
    pub backup: bool,
    /// True if saving sets keys for unkeyed poses without asking.
    pub key_on_save: bool,
    /// Interpolation of keys in new tracks.
    pub new_keys: Between,
    /// True if pausing leaves the playhead between frames. False moves it to a frame.
    pub pause_anywhere: bool,
    /// Content of the timeline for a clip.
    pub timeline: TimelineShow,
    /// Settings of the curve editor.
    pub curves: CurveSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            scale: 1.0,
            reduce_motion: false,
            keys: KeyMap::default(),
            length: Length::default(),
            orbit: Orbit::default(),
            fov: 35.0,
            orbit_speed: 1.0,
            zoom_to_pointer: true,
            reverse_wheel: false,
            quality: Quality::Auto,
            backup: true,
            key_on_save: false,
            new_keys: Between::Smooth,
            pause_anywhere: false,
            timeline: TimelineShow::default(),
            curves: CurveSettings::default(),
        }
    }
}

impl Settings {
    /// Smallest and largest scale factor of the user interface. Smaller text is unreadable, and
    /// larger controls do not fit.
    pub const SCALES: (f32, f32) = (0.85, 3.0);

    /// Minimum size of the window content in points. A smaller window cannot show all bars.
    pub const LEAST: egui::Vec2 = egui::vec2(560.0, 380.0);

    /// Scale factor for a window of this size, given in points at scale 1. It is reduced if the
    /// window is too small.
    pub fn scale_in(&self, size: egui::Vec2) -> f32 {
        let most = (size / Self::LEAST).min_elem().max(Self::SCALES.0);
        self.scale.min(most)
    }

    /// Clamps all numbers to valid ranges, in case the stored file is damaged.
    pub fn clamped(mut self) -> Self {
        let keep = |value: f32, low: f32, high: f32, plain: f32| {
            if value.is_finite() { value.clamp(low, high) } else { plain }
        };
        self.scale = keep(self.scale, Self::SCALES.0, Self::SCALES.1, 1.0);
        self.fov = keep(self.fov, 5.0, 120.0, 35.0);
        self.orbit_speed = keep(self.orbit_speed, 0.1, 5.0, 1.0);
        self.curves = self.curves.clamped();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_limited_in_a_small_window() {
        let large = Settings { scale: 2.0, ..Settings::default() };
        assert_eq!(large.scale_in(egui::vec2(1600.0, 1000.0)), 2.0);
        assert!((large.scale_in(egui::vec2(720.0, 480.0)) - 480.0 / 380.0).abs() < 1e-4);
        assert_eq!(large.scale_in(egui::vec2(100.0, 100.0)), Settings::SCALES.0);
        let plain = Settings::default();
        assert_eq!(plain.scale_in(egui::vec2(720.0, 480.0)), 1.0);
    }
}
