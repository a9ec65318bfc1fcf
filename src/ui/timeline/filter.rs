//! Filter of the sheet's rows by name, selection, kind, motion, and keys at the playhead. Pinned
//! rows are always listed.

use std::{cell::RefCell, collections::BTreeSet};

use egui::{RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::per_track::PerTrack;
use crate::ui::popups::lasting_menu_button;
use crate::ui::{Theme, View, theme::Font, widgets::check};
use ulna_model::{NodeId, Property, Shared, Track, TrackId};
use ulna_motion::clip_edit::SAME_TIME;
use ulna_render::ColorRole;

/// Filter of the sheet's rows.
#[derive(Clone, Debug, Default)]
pub struct RowFilter {
    /// Text that names must contain.
    pub name: String,
    /// Whether only selected joints are listed.
    pub selected_only: bool,
    /// Whether only tracks with a changing value are listed.
    pub moving_only: bool,
    /// Whether only tracks with a key at the playhead are listed.
    pub here_only: bool,
    /// Kinds of tracks that are hidden: translation, rotation, scale, morph weights.
    pub without: [bool; 4],
    /// Nodes that are always listed, at the top.
    pub pinned: BTreeSet<NodeId>,
    moving: RefCell<PerTrack<bool>>,
}

/// Criteria of a filter, for comparing filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    name: String,
    only: [bool; 3],
    without: [bool; 4],
    pinned: BTreeSet<NodeId>,
}

const KINDS: [(Property, &str); 4] = [
    (Property::Translation, "Translation"),
    (Property::Rotation, "Rotation"),
    (Property::Scale, "Scale"),
    (Property::Weights, "Morph weights"),
];

impl RowFilter {
    /// Returns the filter's criteria, by which rows are listed.
    pub fn listed(&self) -> Listed {
        Listed {
            name: self.name.clone(),
            only: [self.selected_only, self.moving_only, self.here_only],
            without: self.without,
            pinned: self.pinned.clone(),
        }
    }

    /// Whether a criterion other than name and selection is set.
    pub fn is_on(&self) -> bool {
        self.moving_only || self.here_only || self.without.contains(&true)
    }

    /// Whether a track of a listed node is listed.
    pub fn lists(&self, view: &View<'_>, id: TrackId, track: &Shared<Track>) -> bool {
        let kind = KINDS.iter().position(|(p, _)| *p == track.property).unwrap_or(0);
        let here = || track.key_at(view.timeline.playback.time as f32, SAME_TIME).is_some();
        let moves = || *self.moving.borrow_mut().of(id, track, does_move);
        !self.without[kind] && (!self.here_only || here()) && (!self.moving_only || moves())
    }
}

/// Whether a track's value ever changes.
fn does_move(track: &Track) -> bool {
    (1..track.times.len()).any(|k| track.value(k) != track.value(0))
}

/// Shows the filter button with its menu.
pub fn filter_button(filter: &mut RowFilter, ui: &mut Ui, theme: &Theme) {
    let on = filter.is_on() || filter.selected_only;
    let role = if on { ColorRole::AccentText } else { ColorRole::TextSecondary };
    let icon = RichText::new(icons::ICON_FILTER_LIST.codepoint)
        .font(crate::ui::widgets::icon_font(16.0, on));
    let button = egui::Button::new(icon.color(theme.color(role))).frame(false);
    let response = lasting_menu_button(ui, button, |ui| {
        ui.set_min_width(190.0);
        check(ui, theme, &mut filter.selected_only, "Selected joints only");
        check(ui, theme, &mut filter.moving_only, "Animated only");
        check(ui, theme, &mut filter.here_only, "With keys at the playhead");
        ui.label(
            RichText::new("Channels")
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        for (k, (_, title)) in KINDS.into_iter().enumerate() {
            let mut listed = !filter.without[k];
            check(ui, theme, &mut listed, title);
            filter.without[k] = !listed;
        }
        if ui.button("Show all").clicked() {
            let (name, pinned) =
                (std::mem::take(&mut filter.name), std::mem::take(&mut filter.pinned));
            *filter = RowFilter { name, pinned, ..RowFilter::default() };
            ui.close();
        }
    });
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Filter rows"));
    response.on_hover_text("Filter rows");
}
