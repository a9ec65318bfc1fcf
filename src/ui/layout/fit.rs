//! Sizes of the docked panels. Side panels keep their size in points when the window is resized,
//! and are never larger than their content.

use egui::{Vec2, vec2};
use egui_tiles::{Container, LinearDir, Tile, TileId};

use super::{Layout, Pane, PanelConstraints};

/// Height in points of the inspector below which the problems panel shrinks to its minimum.
const INSPECTOR_ROOM: f32 = 280.0;
/// Range in points of the minimum height of the problems panel: its title with one line, and with a
/// long message.
const LEAST_PROBLEMS: (f32, f32) = (68.0, 140.0);
/// Height in points that a tall timeline leaves for the panels above it.
const ABOVE_TIMELINE: f32 = 340.0;
/// Height in points that a tall brush panel leaves for the joints and the problems below it.
const BELOW_BRUSH: f32 = 340.0;
/// Maximum size of a side panel, as a fraction of the row's width and of the column's height.
const PART: (f32, f32) = (0.36, 0.42);
/// Width in points that a side panel may always have, enough for five tabs.
const LEAST_SIDE: f32 = 256.0;
/// Panels that fill the remaining space. The first panel of this list in a row or column does so.
const GROWING: [Pane; 4] = [Pane::Viewport, Pane::Inspector, Pane::Joints, Pane::Outliner];

impl Layout {
    /// Keeps the sizes of the side panels in points. The viewport grows and shrinks with the
    /// window. In a small window, the sizes of the side panels are capped.
    pub(super) fn fit(&mut self, id: TileId, size: Vec2, room_for: PanelConstraints) {
        let tiles = &self.tree.tiles;
        let Some(Container::Linear(linear)) = tiles.get_container(id) else { return };
        let children: Vec<TileId> =
            linear.children.iter().copied().filter(|c| tiles.is_visible_in_layout(*c)).collect();
        let horizontal = linear.dir == LinearDir::Horizontal;
        let along = if horizontal { size.x } else { size.y };
        let room = along - children.len().saturating_sub(1) as f32;
        let grows = GROWING
            .iter()
            .find_map(|pane| children.iter().copied().find(|c| self.shows(*c, *pane)))
            .or(children.first().copied());
        let Some(grows) = grows else { return };
        let mut points: Vec<(TileId, f32)> = Vec::new();
        for child in children.iter().copied().filter(|c| *c != grows) {
            let share = self.share(id, child);
            // A share that differs from the assigned one was changed by the user.
            let wanted = match self.points.get(&child) {
                Some((wanted, given)) if (given - share).abs() < 0.5 => *wanted,
                _ => share,
            };
            let is_side = self.holds(child, Pane::Inspector) || self.holds(child, Pane::Joints);
            let least = if horizontal && is_side { room_for.side } else { 0.0 };
            let cap = self.cap(child, room, horizontal, room_for);
            let given = wanted.max(least).min(cap.max(1.0));
            self.points.insert(child, (wanted, given));
            points.push((child, given));
        }
        let rest = room - points.iter().map(|p| p.1).sum::<f32>();
        points.push((grows, rest.max(1.0)));
        if let Some(Tile::Container(Container::Linear(linear))) = self.tree.tiles.get_mut(id) {
            for (child, share) in &points {
                linear.shares.set_share(*child, *share);
            }
        }
        for (child, points) in points {
            let size = if horizontal { vec2(points, size.y) } else { vec2(size.x, points) };
            self.fit(child, size, room_for);
        }
    }

    /// Maximum size of a panel, in points.
    fn cap(&self, child: TileId, room: f32, horizontal: bool, room_for: PanelConstraints) -> f32 {
        if horizontal {
            return (room * PART.0).max(LEAST_SIDE.min(room * 0.5));
        }
        let (part, pane) = (room * PART.1, self.tree.tiles.get_pane(&child));
        let content = match pane {
            Some(Pane::Timeline) => room_for.timeline,
            Some(Pane::Problems) => room_for.problems,
            Some(Pane::Brush) => room_for.brush,
            _ => None,
        };
        let mut cap = match pane {
            Some(Pane::Timeline) => part.max(room - ABOVE_TIMELINE),
            Some(Pane::Brush) => part.max(room - BELOW_BRUSH),
            _ => part,
        };
        if self.holds(child, Pane::Problems) {
            let least = room_for.least_problems.clamp(LEAST_PROBLEMS.0, LEAST_PROBLEMS.1);
            cap = cap.min((room - INSPECTOR_ROOM).max(least));
        }
        cap.min(content.unwrap_or(f32::INFINITY))
    }

    fn share(&self, parent: TileId, child: TileId) -> f32 {
        match self.tree.tiles.get_container(parent) {
            Some(Container::Linear(linear)) => linear.shares[child],
            _ => 1.0,
        }
    }

    /// True if a tile is visible and shows the panel.
    fn shows(&self, id: TileId, pane: Pane) -> bool {
        let tiles = &self.tree.tiles;
        tiles.is_visible_in_layout(id)
            && match tiles.get(id) {
                Some(Tile::Pane(p)) => *p == pane,
                Some(Tile::Container(c)) => c.children().any(|c| self.shows(*c, pane)),
                None => false,
            }
    }
}
