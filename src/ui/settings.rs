//! Settings: stored between starts, changed in the preferences dialog.

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
    /// The theme of the system.
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
    /// Number of these units in a meter.
    pub const fn per_meter(self) -> f32 {
        match self {
            Self::Meters => 1.0,
            Self::Centimeters => 100.0,
            Self::Millimeters => 1000.0,
        }
    }

    /// Its sign.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Meters => "m",
            Self::Centimeters => "cm",
            Self::Millimeters => "mm",
        }
    }
}

/// How a drag turns the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Orbit {
    /// About the upright; up stays up.
    #[default]
    Turntable,
    /// About the screen's own axes.
    Trackball,
}

/// How finely the viewport is drawn while something moves. What stands still is always drawn in
/// full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// Adaptive, by the speed of the device.
    #[default]
    Auto,
    /// Full resolution.
    High,
    /// At half the size.
    Fast,
}

/// Parts of a clip that the timeline shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimelineShow {
    /// Rows of keys.
    #[default]
    Sheet,
    /// Curves through the keys.
    Curves,
    /// Rows of keys over curves.
    Both,
}

impl TimelineShow {
    /// In the order of the switch.
    pub const ALL: [Self; 3] = [Self::Sheet, Self::Curves, Self::Both];

    /// As the switch names it.
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
    /// The size of the whole window's contents, 1 as designed.
    pub scale: f32,
    /// Whether nothing glides.
    pub reduce_motion: bool,
    /// Key map.
    pub keys: KeyMap,
    /// In what lengths are shown.
    pub length: Length,
    /// How a drag turns the view.
    pub orbit: Orbit,
    /// Vertical field of view, degrees.
    pub fov: f32,
    /// Speed of orbit drags; 1 is the default.
    pub orbit_speed: f32,
    /// Whether the wheel zooms to what is under the pointer, not to the middle.
    pub zoom_to_pointer: bool,
    /// Whether the wheel zooms the other way round.
    pub reverse_wheel: bool,
    /// How finely the viewport is drawn while something moves.
    pub quality: Quality,
    /// Whether the first save of a session keeps the previous file as a backup beside it.
    pub backup: bool,
    /// Whether saving keys unkeyed poses without asking.
    pub key_on_save: bool,
    /// How values between keys come about in tracks that are new.
    pub new_keys: Between,
    /// Whether pausing leaves the playhead where it is, between frames.
    pub pause_anywhere: bool,
    /// The parts of a clip that the timeline shows.
    pub timeline: TimelineShow,
    /// Choices for its curves.
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
    /// The least and the greatest scale of the window: smaller cannot be read, larger has no room.
    pub const SCALES: (f32, f32) = (0.85, 3.0);

    /// Points that the window has at least: fewer have no room for all of its bars.
    pub const LEAST: egui::Vec2 = egui::vec2(560.0, 380.0);

    /// The scale in a window of a size, in points at scale 1: no larger than the window has room
    /// for.
    pub fn scale_in(&self, size: egui::Vec2) -> f32 {
        let most = (size / Self::LEAST).min_elem().max(Self::SCALES.0);
        self.scale.min(most)
    }

    /// The same with numbers that a damaged file cannot spoil.
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
    fn a_small_window_has_no_larger_scale_than_it_has_room_for() {
        let large = Settings { scale: 2.0, ..Settings::default() };
        assert_eq!(large.scale_in(egui::vec2(1600.0, 1000.0)), 2.0);
        assert!((large.scale_in(egui::vec2(720.0, 480.0)) - 480.0 / 380.0).abs() < 1e-4);
        assert_eq!(large.scale_in(egui::vec2(100.0, 100.0)), Settings::SCALES.0);
        let plain = Settings::default();
        assert_eq!(plain.scale_in(egui::vec2(720.0, 480.0)), 1.0);
    }
}
