//! Arrangement of the panels: docked, in tabs, floating, hidden or maximized. The panels themselves
//! do not depend on their arrangement.

mod arrangements;
mod fit;
mod floats;
mod pane;
mod panels;
mod workspaces;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use egui::{Rect, Ui, UiBuilder, Vec2};
use egui_tiles::{Container, LinearDir, Tile, TileId, Tree};
use serde::{Deserialize, Serialize};

pub use self::{
    arrangements::Shipped,
    pane::Pane,
    workspaces::{WorkspaceError, Workspaces, hide},
};
use self::{
    arrangements::{TabbedColumn, add_missing, is_sound},
    floats::{Asked, Float, float_ui},
    panels::{Docked, PanelFrame, panel_ui},
};
use super::{Action, Actions, Theme, View, ViewOptions, splitters::splitters_ui};
use ulna_edit::command::ViewCommand;

/// Window width in points below which the side column becomes tabs.
const NARROW: f32 = 1280.0;
/// Height in points of the panel area below which the side column becomes tabs.
const LOW: f32 = 540.0;
/// Window width in points below which the outliner is hidden by default.
pub(super) const NARROWER: f32 = 1000.0;

/// Size limits of panels in the current mode, in points, and the panels that the mode shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct PanelConstraints {
    /// Maximum height of the timeline; `None` is unlimited.
    pub timeline: Option<f32>,
    /// Maximum height of the problems panel; `None` is unlimited.
    pub problems: Option<f32>,
    /// Minimum height of the problems panel beside the inspector: its title and its first row.
    pub least_problems: f32,
    /// Maximum height of the brush panel; `None` is unlimited.
    pub brush: Option<f32>,
    /// Minimum width of the side column.
    pub side: f32,
    /// True if the painting panels replace the inspector.
    pub paints: bool,
    /// True if the file has weights that can be painted.
    pub has_weights: bool,
}

/// The arrangement of all panels, with their sizes and visibility.
#[derive(Clone, Debug)]
pub struct Layout {
    tree: Tree<Pane>,
    /// The side column while a small window shows it as tabs.
    column: Option<TabbedColumn>,
    is_small: bool,
    /// Size that the user chose for each side panel, and its current size, in points. A small
    /// window caps the current size temporarily.
    points: HashMap<TileId, (f32, f32)>,
    /// Floating panels, topmost last. The docking tree also keeps their docked positions.
    floats: Vec<Float>,
    /// The panel that fills the window; `None` for all panels.
    maximized: Option<Pane>,
    /// Panels that were visible in the last frame, according to the mode and the user's choices.
    seen: BTreeSet<Pane>,
    /// Rectangle of each panel in the last frame, in points.
    rects: BTreeMap<Pane, Rect>,
    /// Area of all panels in the last frame, in points.
    area: Rect,
    /// Part of the ids of floating windows. A new number makes egui use the stored window
    /// positions.
    generation: u64,
}

impl Default for Layout {
    fn default() -> Self {
        Self::shipped(Shipped::Standard)
    }
}

/// Serialized form of an arrangement.
#[derive(Serialize, Deserialize)]
struct Stored {
    tree: Tree<Pane>,
    #[serde(default)]
    floats: Vec<Float>,
    #[serde(default)]
    hidden: Vec<Pane>,
}

/// The panels that the user can hide, each with its visibility option.
pub fn switches(options: &mut ViewOptions) -> [(Pane, &mut bool); 4] {
    [
        (Pane::Outliner, &mut options.outliner),
        (Pane::Inspector, &mut options.inspector),
        (Pane::Problems, &mut options.problems),
        (Pane::Timeline, &mut options.timeline),
    ]
}

impl Layout {
    /// Creates a built-in arrangement.
    pub fn shipped(shipped: Shipped) -> Self {
        Self {
            tree: shipped.tree(),
            column: None,
            is_small: false,
            points: HashMap::new(),
            floats: Vec::new(),
            maximized: None,
            seen: Pane::ALL.into_iter().collect(),
            rects: BTreeMap::new(),
            area: Rect::ZERO,
            generation: 0,
        }
    }

    /// Serializes the arrangement and the hidden panels for the preferences.
    ///
    /// Sizes are those that the user chose, without temporary limits of a mode or a small window.
    pub fn to_text(&self, options: &ViewOptions) -> Option<String> {
        let mut tree = self.tree.clone();
        let sides: Vec<TileId> = tree.tiles.tile_ids().collect();
        for side in sides {
            let Some((wanted, given)) = self.points.get(&side) else { continue };
            let Some(parent) = tree.tiles.parent_of(side) else { continue };
            if let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(parent)
                && (given - linear.shares[side]).abs() < 0.5
            {
                linear.shares.set_share(side, *wanted);
            }
        }
        if let Some(column) = &self.column {
            column.restore(&mut tree.tiles);
        }
        // Panels that the current mode hides are stored as visible.
        for id in tree.tiles.tile_ids().collect::<Vec<_>>() {
            tree.set_visible(id, true);
        }
        let mut options = *options;
        let hidden = switches(&mut options).into_iter().filter(|(_, on)| !**on);
        let hidden = hidden.map(|(pane, _)| pane).collect();
        serde_json::to_string(&Stored { tree, floats: self.floats.clone(), hidden })
            .map_err(|e| log::warn!("the arrangement of the panels could not be saved: {e}"))
            .ok()
    }

    /// Reads a stored arrangement and its hidden panels. `None` if the text is invalid or contains
    /// a panel twice.
    ///
    /// Panels that are missing, as in files of earlier versions, are added at their default
    /// positions.
    pub fn from_text(text: &str) -> Option<(Self, Vec<Pane>)> {
        // Earlier versions stored only the tree.
        let stored =
            serde_json::from_str::<Stored>(text).or_else(|error| {
                match serde_json::from_str::<Tree<Pane>>(text) {
                    Ok(tree) => Ok(Stored { tree, floats: Vec::new(), hidden: Vec::new() }),
                    Err(_) => Err(error),
                }
            });
        let Stored { mut tree, floats, hidden } = stored
            .map_err(|e: serde_json::Error| {
                log::warn!("a stored arrangement of the panels cannot be read and is reset: {e}");
            })
            .ok()?;
        if !is_sound(&tree) {
            log::warn!("a stored arrangement of the panels is damaged and is reset");
            return None;
        }
        for pane in Pane::ALL {
            add_missing(&mut tree, pane);
        }
        let mut layout = Self { tree, ..Self::default() };
        for float in floats.into_iter().filter(Float::is_sound) {
            if !layout.is_floating(float.pane) {
                layout.floats.push(float);
            }
        }
        Some((layout, hidden))
    }

    /// Continues the generation number of the arrangement that this one replaces.
    pub fn follow(&mut self, other: &Self) {
        self.generation = other.generation + 1;
    }

    /// Rectangle of a panel in the last frame, if it is visible.
    pub fn rect(&self, pane: Pane) -> Option<Rect> {
        self.rects.get(&pane).copied()
    }

    /// The panel at a point of the window in the last frame, topmost first.
    pub fn pane_at(&self, at: egui::Pos2) -> Option<Pane> {
        let holds = |pane: &Pane| self.rect(*pane).is_some_and(|rect| rect.contains(at));
        let above = self.floats.iter().rev().map(|float| float.pane);
        above.chain(self.rects.keys().copied()).find(holds)
    }

    /// True if two docked panels are in one column, one above the other or as tabs.
    pub fn are_in_one_column(&self, one: Pane, other: Pane) -> bool {
        let tiles = &self.tree.tiles;
        let around = |pane: Pane| tiles.parent_of(tiles.find_pane(&pane)?);
        let is_row = |id: TileId| {
            matches!(tiles.get_container(id),
                Some(Container::Linear(linear)) if linear.dir == LinearDir::Horizontal)
        };
        let is_free = [one, other].iter().any(|pane| self.is_floating(*pane));
        !is_free && around(one).is_some_and(|id| around(other) == Some(id) && !is_row(id))
    }

    /// Panels that F6 cycles through: visible panels, and panels behind a tab.
    pub fn reachable(&self) -> Vec<Pane> {
        match self.maximized {
            Some(pane) => vec![pane],
            None => self.seen.iter().copied().collect(),
        }
    }

    /// Makes a panel the active tab, or raises it if it floats.
    pub fn bring_forward(&mut self, pane: Pane) {
        if self.is_floating(pane) {
            self.raise(pane);
        } else {
            self.tree.make_active(|_, tile| matches!(tile, Tile::Pane(p) if *p == pane));
        }
    }

    /// Area of all panels in the last frame.
    pub const fn area(&self) -> Rect {
        self.area
    }

    /// Clears the rectangles of all panels while a page covers them.
    pub fn leave(&mut self) {
        self.rects.clear();
    }

    /// The panel that fills the window.
    pub const fn maximized(&self) -> Option<Pane> {
        self.maximized
    }

    /// Maximizes a panel, or restores all panels with `None`.
    pub fn maximize(&mut self, pane: Option<Pane>) {
        self.maximized = pane;
    }

    /// True if a panel floats.
    pub fn is_floating(&self, pane: Pane) -> bool {
        self.floats.iter().any(|float| float.pane == pane)
    }

    /// Undocks a panel within `area`, or docks it at its former position. Returns whether it floats
    /// now.
    pub fn toggle_float(&mut self, pane: Pane, area: Rect) -> bool {
        if self.is_floating(pane) {
            self.floats.retain(|float| float.pane != pane);
            return false;
        }
        let rect = Float::place(self.rect(pane), area, self.floats.len());
        self.floats.push(Float::new(pane, rect));
        self.generation += 1;
        true
    }

    fn raise(&mut self, pane: Pane) {
        self.floats.sort_by_key(|float| float.pane == pane);
    }

    /// Lays out all panels, and draws their content with `draw`. Returns the commands that were
    /// chosen in titles and tabs.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        room: PanelConstraints,
        draw: &mut dyn FnMut(Pane, &mut Ui),
    ) -> Actions {
        let shown = view.options;
        let (area, size) = (ui.available_rect_before_wrap(), ui.available_size());
        self.area = area;
        self.adapt(size);
        self.seen = Pane::ALL.into_iter().filter(|p| is_seen(*p, shown, room, size.x)).collect();
        self.rects.clear();
        // Maximizing ends if the new mode does not have the panel.
        self.maximized = self.maximized.filter(|pane| self.seen.contains(pane));
        let mut rects = BTreeMap::new();
        let frame = PanelFrame { draw, rects: &mut rects, asked: Actions::default() };
        let asked = match self.maximized {
            Some(pane) => Self::show_one(frame, ui, view.theme, pane, area),
            None => self.show_all(frame, ui, view, room, area),
        };
        self.rects = rects;
        asked
    }

    /// Draws one maximized panel over the whole area.
    fn show_one(
        mut frame: PanelFrame<'_>,
        ui: &mut Ui,
        theme: &Theme,
        pane: Pane,
        area: Rect,
    ) -> Actions {
        let mut inside = ui.new_child(UiBuilder::new().max_rect(area).id_salt("maximized"));
        inside.set_clip_rect(area.intersect(ui.clip_rect()));
        let title = panel_ui(&mut frame, &mut inside, theme, pane, false);
        ui.allocate_rect(area, egui::Sense::hover());
        if let Some(title) = title {
            let id = egui::Id::unique("restore the maximized panel");
            let handle = ui.interact(title, id, egui::Sense::click());
            if handle.double_clicked() {
                let command = ViewCommand::MaximizePanel { panel: Some(pane.named()) };
                frame.asked.push(Action::Run(command.into()));
            }
        }
        frame.asked
    }

    fn show_all(
        &mut self,
        frame: PanelFrame<'_>,
        ui: &mut Ui,
        view: &View<'_>,
        room: PanelConstraints,
        area: Rect,
    ) -> Actions {
        for pane in Pane::ALL {
            if let Some(id) = self.tree.tiles.find_pane(&pane) {
                let docked = self.seen.contains(&pane) && !self.is_floating(pane);
                self.tree.set_visible(id, docked);
            }
        }
        if let Some(root) = self.tree.root() {
            self.fit(root, area.size(), room);
        }
        let (bars, tabbed) = self.bars();
        let narrow = area.width() < NARROWER;
        let mut behavior = Docked { view, frame, narrow, bars, tabbed };
        self.tree.ui(&mut behavior, ui);
        splitters_ui(&mut self.tree, ui, &|pane| pane.title());
        let mut frame = behavior.frame;
        let (ctx, generation) = (ui.ctx().clone(), self.generation);
        let (mut docked, mut raised) = (None, None);
        for float in &mut self.floats {
            let pane = float.pane;
            if !self.seen.contains(&pane) {
                continue;
            }
            match float_ui(float, (&ctx, area, generation), view.theme, &mut frame) {
                Asked::Dock => docked = Some(pane),
                Asked::Raise => raised = Some(pane),
                Asked::Nothing => {}
            }
        }
        if let Some(pane) = raised {
            self.raise(pane);
        }
        let dock = docked.map(|pane| ViewCommand::FloatPanel { panel: Some(pane.named()) });
        frame.asked.extend(dock.map(|command| Action::Run(command.into())));
        frame.asked
    }

    /// Containers with visible tabs, and the panels in them.
    fn bars(&self) -> (BTreeSet<u64>, BTreeSet<Pane>) {
        let (mut bars, mut tabbed) = (BTreeSet::new(), BTreeSet::new());
        for (id, tile) in self.tree.tiles.iter() {
            let Tile::Container(Container::Tabs(tabs)) = tile else { continue };
            let seen = |c: &&TileId| self.tree.tiles.is_visible_in_layout(**c);
            if tabs.children.iter().filter(seen).count() > 1 {
                bars.insert(id.0);
                tabbed.extend(tabs.children.iter().filter_map(|c| self.tree.tiles.get_pane(c)));
            }
        }
        (bars, tabbed)
    }

    /// Converts the side column to tabs in a small window, and back in a larger one.
    fn adapt(&mut self, size: Vec2) {
        let is_small = size.x < NARROW || size.y < LOW;
        if is_small == self.is_small {
            return;
        }
        self.is_small = is_small;
        if is_small {
            self.column = TabbedColumn::new(&mut self.tree.tiles);
        } else if let Some(column) = self.column.take() {
            column.restore(&mut self.tree.tiles);
        }
    }

    fn holds(&self, id: TileId, pane: Pane) -> bool {
        match self.tree.tiles.get(id) {
            Some(Tile::Pane(p)) => *p == pane,
            Some(Tile::Container(c)) => c.children().any(|c| self.holds(*c, pane)),
            None => false,
        }
    }
}

/// True if the mode and the user's choices show a panel.
fn is_seen(pane: Pane, shown: ViewOptions, room: PanelConstraints, width: f32) -> bool {
    match pane {
        Pane::Outliner if width < NARROWER => shown.outliner_narrow,
        Pane::Outliner => shown.outliner,
        Pane::Viewport => true,
        Pane::Inspector => shown.inspector && !room.paints,
        Pane::Brush => shown.inspector && room.paints,
        Pane::Joints | Pane::Layers | Pane::Vertices => {
            shown.inspector && room.paints && room.has_weights
        }
        Pane::Problems => shown.problems,
        Pane::Timeline => shown.timeline,
    }
}

#[cfg(test)]
mod tests {
    use egui::vec2;
    use egui_tiles::SimplificationOptions;

    use super::{arrangements::tests::order, *};
    use ulna_render::Measure;

    fn shown() -> ViewOptions {
        ViewOptions::default()
    }

    #[test]
    fn a_stored_layout_is_restored_and_a_damaged_one_is_rejected() {
        let layout = Layout::default();
        let text = layout.to_text(&shown()).unwrap();
        let (again, hidden) = Layout::from_text(&text).unwrap();
        assert!(again.tree == layout.tree && hidden.is_empty());
        assert!(Layout::from_text("{}").is_none());
        let twice = text.replace("\"problems\"", "\"timeline\"");
        assert!(Layout::from_text(&twice).is_none());
        // The format of earlier versions.
        let alone = serde_json::to_string(&layout.tree).unwrap();
        assert!(Layout::from_text(&alone).unwrap().0.tree == layout.tree);
    }

    /// A layout as stored by a version without some panels.
    fn without(lacking: &[Pane]) -> Layout {
        let mut tree = Layout::default().tree;
        for pane in lacking {
            let id = tree.tiles.find_pane(pane).unwrap();
            tree.remove_recursively(id);
        }
        let options = SimplificationOptions::default();
        tree.simplify(&SimplificationOptions { all_panes_must_have_tabs: false, ..options });
        let id = tree.tiles.find_pane(&Pane::Viewport);
        let parent = id.and_then(|id| tree.tiles.parent_of(id));
        if let Some(Tile::Container(Container::Linear(linear))) =
            parent.and_then(|p| tree.tiles.get_mut(p))
        {
            linear.shares.set_share(id.unwrap(), 777.0);
        }
        Layout { tree, ..Layout::default() }
    }

    #[test]
    fn panels_missing_from_a_stored_layout_are_added_at_their_default_places() {
        let whole = order(&Layout::default().tree);
        for lacking in [
            &[Pane::Outliner][..],
            &[Pane::Problems],
            &[Pane::Timeline],
            &[Pane::Layers, Pane::Vertices],
            &[Pane::Problems, Pane::Timeline],
            &[Pane::Outliner, Pane::Timeline],
            &Pane::PAINTING,
        ] {
            let stored = without(lacking);
            let (again, _) = Layout::from_text(&stored.to_text(&shown()).unwrap()).unwrap();
            let now = order(&again.tree);
            // Missing problems are added below the inspector, above panels that were added in later
            // versions.
            let expected = match lacking {
                [Pane::Problems, ..] => {
                    whole.replace(" Problems", "").replace("[Inspector", "[Inspector Problems")
                }
                _ => whole.clone(),
            };
            assert_eq!(now, expected, "{lacking:?}");
            for pane in Pane::ALL.into_iter().filter(|p| !lacking.contains(p)) {
                if pane == Pane::Viewport {
                    assert_eq!(share(&again, pane), 777.0, "{lacking:?} leave the others alone");
                }
            }
        }
    }

    fn share(layout: &Layout, pane: Pane) -> f32 {
        let id = layout.tree.tiles.find_pane(&pane).unwrap();
        let parent = layout.tree.tiles.parent_of(id).unwrap();
        match layout.tree.tiles.get_container(parent) {
            Some(Container::Linear(l)) => l.shares[id],
            _ => panic!("not in a row"),
        }
    }

    /// Hides panels according to the mode, as each frame does.
    fn see(layout: &mut Layout, room: PanelConstraints, width: f32) {
        for pane in Pane::ALL {
            let id = layout.tree.tiles.find_pane(&pane).unwrap();
            layout.tree.set_visible(id, is_seen(pane, shown(), room, width));
        }
    }

    #[test]
    fn panel_sizes_limited_by_a_mode_are_not_stored() {
        let mut layout = Layout::default();
        let root = layout.tree.root().unwrap();
        let size = vec2(1600.0, 900.0);
        let room = PanelConstraints {
            timeline: Some(90.0),
            problems: Some(104.0),
            least_problems: 68.0,
            side: 350.0,
            ..PanelConstraints::default()
        };
        see(&mut layout, room, size.x);
        layout.fit(root, size, room);
        assert_eq!((share(&layout, Pane::Timeline), share(&layout, Pane::Problems)), (90.0, 104.0));
        let (mut again, _) = Layout::from_text(&layout.to_text(&shown()).unwrap()).unwrap();
        see(&mut again, PanelConstraints::default(), size.x);
        again.fit(root, size, PanelConstraints::default());
        assert_eq!(share(&again, Pane::Timeline), Pane::Timeline.points());
        assert_eq!(share(&again, Pane::Problems), Pane::Problems.points());
    }

    #[test]
    fn side_panels_keep_their_width_when_the_window_is_resized() {
        let mut layout = Layout::default();
        let root = layout.tree.root().unwrap();
        see(&mut layout, PanelConstraints::default(), 1600.0);
        for width in [1400.0, 1900.0, 1300.0, 500.0, 1600.0] {
            layout.fit(root, vec2(width, 900.0), PanelConstraints::default());
        }
        assert_eq!(share(&layout, Pane::Outliner), Measure::Outliner.points());
        assert_eq!(
            share(&layout, Pane::Viewport),
            1600.0 - 2.0 - Measure::Outliner.points() - Measure::Inspector.points()
        );
    }

    #[test]
    fn the_brush_panel_fits_its_content_and_the_joints_panel_fills_the_remaining_height() {
        let mut layout = Layout::default();
        let root = layout.tree.root().unwrap();
        let mut room = PanelConstraints {
            timeline: Some(44.0),
            problems: Some(100.0),
            least_problems: 68.0,
            brush: Some(320.0),
            side: 368.0,
            paints: true,
            has_weights: true,
        };
        let column = |layout: &Layout| {
            let brush = layout.tree.tiles.find_pane(&Pane::Brush).unwrap();
            layout.tree.tiles.parent_of(brush).unwrap()
        };
        see(&mut layout, room, 1600.0);
        layout.fit(root, vec2(1600.0, 904.0), room);
        let joints = layout.tree.tiles.find_pane(&Pane::Joints).unwrap();
        let tabs = layout.tree.tiles.parent_of(joints).unwrap();
        let rows = |layout: &Layout| match layout.tree.tiles.get_container(column(layout)) {
            Some(Container::Linear(linear)) => linear.shares[tabs],
            _ => panic!("a column"),
        };
        assert_eq!(share(&layout, Pane::Brush), 320.0);
        assert_eq!(rows(&layout), 859.0 - 2.0 - 320.0 - 100.0);
        // A collapsed brush panel leaves more height for the joints.
        room.brush = Some(180.0);
        layout.fit(root, vec2(1600.0, 904.0), room);
        assert_eq!(share(&layout, Pane::Brush), 180.0);
        room.brush = Some(320.0);
        layout.fit(root, vec2(1600.0, 904.0), room);
        assert_eq!(share(&layout, Pane::Brush), 320.0, "and takes it back");
    }

    #[test]
    fn a_small_window_does_not_change_the_stored_layout() {
        let mut layout = Layout::default();
        let before = layout.to_text(&shown()).unwrap();
        layout.adapt(vec2(720.0, 400.0));
        assert!(order(&layout.tree).contains("{Inspector Brush"));
        let (stored, _) = Layout::from_text(&layout.to_text(&shown()).unwrap()).unwrap();
        assert!(stored.tree == Layout::from_text(&before).unwrap().0.tree);
        layout.adapt(vec2(1600.0, 900.0));
        assert_eq!(order(&layout.tree), order(&Layout::default().tree));
    }

    #[test]
    fn a_floating_panel_is_docked_at_its_previous_place() {
        let mut layout = Layout::default();
        let area = Rect::from_min_size(egui::pos2(0.0, 72.0), vec2(1600.0, 900.0));
        assert!(layout.toggle_float(Pane::Problems, area));
        let text = layout.to_text(&ViewOptions { timeline: false, ..shown() }).unwrap();
        let (mut again, hidden) = Layout::from_text(&text).unwrap();
        assert_eq!(hidden, [Pane::Timeline]);
        assert!(again.is_floating(Pane::Problems));
        assert!(!again.toggle_float(Pane::Problems, area));
        assert!(again.tree == Layout::default().tree);
        // A panel that is stored twice floats once.
        let float = r#""floats":[{"pane":"problems","at":[0.0,0.0],"size":[9.0,9.0]},"#;
        let twice = text.replacen(r#""floats":["#, float, 1);
        assert_eq!(Layout::from_text(&twice).unwrap().0.floats.len(), 1);
    }
}
