//! Where the panels are: they dock, resize, become tabs and hide. The panels know nothing of it.

use std::collections::{BTreeMap, HashMap};

use egui::{
    Color32, CursorIcon, Rect, Response, Role, Sense, Stroke, Ui, Vec2, Visuals, WidgetInfo,
    WidgetText, vec2,
};
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, ResizeState, SimplificationOptions, TabState, Tabs,
    Tile, TileId, Tiles, Tree, UiResponse,
};
use serde::{Deserialize, Serialize};

use super::{Theme, ViewOptions, splitters::splitters_ui, theme::Font};
use ulna_render::{ColorRole, Measure};

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    /// Nodes and clips.
    Outliner,
    /// The picture.
    Viewport,
    /// What is selected, in numbers.
    Inspector,
    /// What is odd about the file.
    Problems,
    /// Keys over time.
    Timeline,
}

impl Pane {
    /// All of them, in the order in which F6 goes through them.
    pub const ALL: [Self; 5] =
        [Self::Outliner, Self::Viewport, Self::Inspector, Self::Problems, Self::Timeline];

    /// What has the focus when the panel as a whole has it.
    pub fn focus_id(self) -> egui::Id {
        egui::Id::unique(("panel", self as u8))
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Outliner => "Outliner",
            Self::Viewport => "Viewport",
            Self::Inspector => "Inspector",
            Self::Problems => "Problems",
            Self::Timeline => "Timeline",
        }
    }

    /// Default position: beside a panel, or beside all of them; in a row or a column; after it or
    /// before it.
    const fn position(self) -> (Option<Self>, LinearDir, bool) {
        match self {
            Self::Outliner => (Some(Self::Viewport), LinearDir::Horizontal, false),
            Self::Viewport => (Some(Self::Outliner), LinearDir::Horizontal, true),
            Self::Inspector => (Some(Self::Viewport), LinearDir::Horizontal, true),
            Self::Problems => (Some(Self::Inspector), LinearDir::Vertical, true),
            Self::Timeline => (None, LinearDir::Vertical, true),
        }
    }

    /// Points of its first size; the viewport takes what is left.
    fn points(self) -> f32 {
        match self {
            Self::Outliner => Measure::Outliner.points(),
            Self::Viewport => 800.0,
            Self::Inspector => 420.0,
            Self::Problems => 150.0,
            Self::Timeline => 320.0,
        }
    }
}

/// Points below which inspector and problems share a place.
const NARROW: f32 = 1280.0;
/// Points of the window's width below which the outliner hides.
pub(super) const NARROWER: f32 = 1000.0;
/// Points of height that the inspector has before the problems below it have more than the least.
const INSPECTOR_ROOM: f32 = 280.0;
/// Points of height that the problems keep in a low window: their title and a line.
const LEAST_PROBLEMS: f32 = 68.0;
/// No panel is squeezed below this.
const LEAST: f32 = 90.0;

/// What a mode asks of the panels, whatever sizes they were given.
#[derive(Clone, Copy, Debug, Default)]
pub struct PanelConstraints {
    /// The most points that the timeline takes.
    pub timeline: Option<f32>,
    /// The most that the problems take.
    pub problems: Option<f32>,
    /// The least that the inspector takes.
    pub inspector: f32,
}

/// The arrangement.
#[derive(Clone, Debug)]
pub struct Layout {
    tree: Tree<Pane>,
    narrow: bool,
    /// Points that a side was given by hand, and those it has just now: a small window caps them
    /// for a while.
    points: HashMap<TileId, (f32, f32)>,
    /// Where each panel was drawn last.
    rects: BTreeMap<Pane, Rect>,
}

impl Default for Layout {
    fn default() -> Self {
        let mut tiles = Tiles::default();
        let ids: BTreeMap<Pane, TileId> =
            Pane::ALL.iter().map(|p| (*p, tiles.insert_pane(*p))).collect();
        let linear = |dir, children: &[(TileId, f32)]| {
            let mut linear = Linear::new(dir, children.iter().map(|c| c.0).collect());
            for (id, points) in children {
                linear.shares.set_share(*id, *points);
            }
            Container::Linear(linear)
        };
        let of = |pane: Pane| (ids[&pane], pane.points());
        let right = tiles.insert_container(linear(
            LinearDir::Vertical,
            &[of(Pane::Inspector), of(Pane::Problems)],
        ));
        let top = tiles.insert_container(linear(
            LinearDir::Horizontal,
            &[of(Pane::Outliner), of(Pane::Viewport), (right, Measure::Inspector.points())],
        ));
        let root = tiles
            .insert_container(linear(LinearDir::Vertical, &[(top, 600.0), of(Pane::Timeline)]));
        Self {
            tree: Tree::new(egui::Id::unique("panels"), root, tiles),
            narrow: false,
            points: HashMap::new(),
            rects: BTreeMap::new(),
        }
    }
}

impl Layout {
    /// As text, for the preferences: the points that sides were given by hand, not those that a
    /// mode or a small window leaves them for a while.
    pub fn to_text(&self) -> Option<String> {
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
        serde_json::to_string(&tree)
            .map_err(|e| log::warn!("the layout could not be saved: {e}"))
            .ok()
    }

    /// The stored arrangement. Panels that it lacks, as one of an earlier version may, are added at
    /// their default positions. A text that cannot be read, or that has a panel twice, gives the
    /// default arrangement.
    pub fn from_text(text: &str) -> Self {
        let mut layout = Self::default();
        match serde_json::from_str::<Tree<Pane>>(text) {
            Ok(mut tree) if has_each_once(&tree) => {
                for pane in Pane::ALL {
                    add_missing(&mut tree, pane);
                }
                layout.tree = tree;
            }
            Ok(_) => log::warn!("the saved layout has no panel, or one twice, and is reset"),
            Err(error) => log::warn!("the saved layout cannot be read and is reset: {error}"),
        }
        layout
    }

    /// Where a panel was drawn last, if it is in sight.
    pub fn rect(&self, pane: Pane) -> Option<Rect> {
        self.rects.get(&pane).copied()
    }

    /// The panel at a place of the window, as of the frame before.
    pub fn pane_at(&self, at: egui::Pos2) -> Option<Pane> {
        self.rects.iter().find(|(_, rect)| rect.contains(at)).map(|(pane, _)| *pane)
    }

    /// No panel is in sight: a page takes their place.
    pub fn leave(&mut self) {
        self.rects.clear();
    }

    /// Lays the panels out and draws each by `draw`.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        theme: &Theme,
        shown: ViewOptions,
        room: PanelConstraints,
        draw: &mut dyn FnMut(Pane, &mut Ui),
    ) {
        let size = ui.available_size();
        self.adapt(size.x);
        let visible = |pane: Pane| match pane {
            Pane::Outliner if size.x < NARROWER => shown.outliner_narrow,
            Pane::Outliner => shown.outliner,
            Pane::Viewport => true,
            Pane::Inspector => shown.inspector,
            Pane::Problems => shown.problems,
            Pane::Timeline => shown.timeline,
        };
        for pane in Pane::ALL {
            if let Some(id) = self.tree.tiles.find_pane(&pane) {
                self.tree.set_visible(id, visible(pane));
            }
        }
        if let Some(root) = self.tree.root() {
            self.fit(root, size, room);
        }
        self.rects.clear();
        let mut behavior = Panes { theme, draw, rects: &mut self.rects };
        self.tree.ui(&mut behavior, ui);
        splitters_ui(&mut self.tree, ui, &|pane| pane.title());
    }

    /// In a narrow window inspector and problems share a place, where they still stand together.
    fn adapt(&mut self, width: f32) {
        let narrow = width < NARROW;
        if narrow == self.narrow {
            return;
        }
        self.narrow = narrow;
        let tiles = &mut self.tree.tiles;
        let (Some(inspector), Some(problems)) =
            (tiles.find_pane(&Pane::Inspector), tiles.find_pane(&Pane::Problems))
        else {
            return;
        };
        let Some(parent) =
            tiles.parent_of(inspector).filter(|p| tiles.parent_of(problems) == Some(*p))
        else {
            return;
        };
        let children = vec![inspector, problems];
        let Some(Tile::Container(container)) = tiles.get_mut(parent) else { return };
        if container.num_children() != 2 {
            return;
        }
        *container = if narrow {
            let mut tabs = Tabs::new(children);
            tabs.set_active(inspector);
            Container::Tabs(tabs)
        } else {
            let mut linear = Linear::new(LinearDir::Vertical, children);
            linear.shares.set_share(inspector, Pane::Inspector.points());
            linear.shares.set_share(problems, Pane::Problems.points());
            Container::Linear(linear)
        };
    }

    /// Keeps the sides at the points they have: what grows and shrinks with the window is where the
    /// viewport is. In a small window a side takes no more than its part.
    fn fit(&mut self, id: TileId, size: Vec2, room_for: PanelConstraints) {
        let tiles = &self.tree.tiles;
        let Some(Container::Linear(linear)) = tiles.get_container(id) else { return };
        let children: Vec<TileId> =
            linear.children.iter().copied().filter(|c| tiles.is_visible_in_layout(*c)).collect();
        let horizontal = linear.dir == LinearDir::Horizontal;
        let along = if horizontal { size.x } else { size.y };
        let room = along - children.len().saturating_sub(1) as f32;
        let grows = [Pane::Viewport, Pane::Inspector]
            .iter()
            .find_map(|pane| children.iter().copied().find(|c| self.holds(*c, *pane)))
            .or(children.first().copied());
        let Some(grows) = grows else { return };
        let part = if horizontal { 0.36 } else { 0.42 };
        let mut points: Vec<(TileId, f32)> = Vec::new();
        for child in children.iter().copied().filter(|c| *c != grows) {
            let share = linear.shares[child];
            // Another share than the one it was given: a hand was at it.
            let wanted = match self.points.get(&child) {
                Some((wanted, given)) if (given - share).abs() < 0.5 => *wanted,
                _ => share,
            };
            let most = match self.tree.tiles.get_pane(&child) {
                Some(Pane::Timeline) => room_for.timeline,
                Some(Pane::Problems) => room_for.problems,
                _ => None,
            };
            let mut cap = most.unwrap_or(f32::INFINITY).min(room * part);
            if !horizontal && self.holds(child, Pane::Problems) {
                cap = cap.min((room - INSPECTOR_ROOM).max(LEAST_PROBLEMS));
            }
            let least = if self.holds(child, Pane::Inspector) { room_for.inspector } else { 0.0 };
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

    fn holds(&self, id: TileId, pane: Pane) -> bool {
        match self.tree.tiles.get(id) {
            Some(Tile::Pane(p)) => *p == pane,
            Some(Tile::Container(c)) => c.children().any(|c| self.holds(*c, pane)),
            None => false,
        }
    }
}

/// Whether there are panels in a stored arrangement, and none of them twice.
fn has_each_once(tree: &Tree<Pane>) -> bool {
    let panes = |tile: &Tile<Pane>| match tile {
        Tile::Pane(pane) => Some(*pane),
        Tile::Container(_) => None,
    };
    let all: Vec<Pane> = tree.tiles.tiles().filter_map(panes).collect();
    let different: std::collections::BTreeSet<Pane> = all.iter().copied().collect();
    tree.root().is_some() && !all.is_empty() && all.len() == different.len()
}

/// Adds a panel at its default position, unless it is there.
fn add_missing(tree: &mut Tree<Pane>, pane: Pane) {
    let Some(root) = tree.root().filter(|_| tree.tiles.find_pane(&pane).is_none()) else { return };
    let (beside, dir, after) = pane.position();
    let mut beside = beside.and_then(|p| tree.tiles.find_pane(&p)).unwrap_or(root);
    let tabs =
        |tiles: &Tiles<Pane>, id| matches!(tiles.get_container(id), Some(Container::Tabs(_)));
    while let Some(parent) = tree.tiles.parent_of(beside).filter(|p| tabs(&tree.tiles, *p)) {
        beside = parent;
    }
    let new = tree.tiles.insert_pane(pane);
    let parent = tree.tiles.parent_of(beside);
    // A row or a column in that direction takes it.
    for id in parent.into_iter().chain(parent.is_none().then_some(beside)) {
        if let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(id)
            && linear.dir == dir
        {
            let there = linear.children.iter().position(|c| *c == beside);
            let at = match (there, after) {
                (Some(at), after) => at + usize::from(after),
                (None, true) => linear.children.len(),
                (None, false) => 0,
            };
            linear.children.insert(at, new);
            linear.shares.set_share(new, pane.points());
            return;
        }
    }
    let children = if after { vec![beside, new] } else { vec![new, beside] };
    let mut linear = Linear::new(dir, children);
    linear.shares.set_share(beside, Pane::Viewport.points());
    linear.shares.set_share(new, pane.points());
    let both = tree.tiles.insert_container(linear);
    match parent.and_then(|id| tree.tiles.get_mut(id)) {
        Some(Tile::Container(container)) => drop(container.replace_child(beside, both)),
        _ => tree.root = Some(both),
    }
}

struct Panes<'a> {
    theme: &'a Theme,
    draw: &'a mut dyn FnMut(Pane, &mut Ui),
    rects: &'a mut BTreeMap<Pane, Rect>,
}

impl Behavior<Pane> for Panes<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        self.rects.insert(*pane, rect);
        let whole = ui.interact(rect, pane.focus_id(), Sense::focusable_noninteractive());
        whole.widget_info(|| {
            WidgetInfo::labeled(Role::Pane, true, format!("{} panel", pane.title()))
        });
        (self.draw)(*pane, ui);
        // Whether or not the window has it: where the keyboard is going to be is worth knowing.
        if ui.memory(|m| m.has_focus(whole.id)) {
            let stroke = egui::Stroke::new(2.0, self.theme.color(ColorRole::AccentBase));
            ui.painter().rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
        }
        if matches!(pane, Pane::Viewport | Pane::Timeline) {
            return UiResponse::None;
        }
        // The title is the handle.
        let title = Rect::from_min_size(rect.min + vec2(8.0, 4.0), vec2(72.0, 22.0));
        let handle = ui.interact(title, ui.scope_id().with(("handle", *pane as u8)), Sense::drag());
        handle.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Move panel {}", pane.title()))
        });
        if handle.on_hover_cursor(CursorIcon::Grab).drag_started() {
            UiResponse::DragStarted
        } else {
            UiResponse::None
        }
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        egui::RichText::new(pane.title()).font(Theme::font(Font::Body)).into()
    }

    fn on_tab_button(
        &mut self,
        tiles: &mut Tiles<Pane>,
        id: TileId,
        response: Response,
    ) -> Response {
        let title = tiles.get_pane(&id).map_or("Panels", |p| p.title());
        response.widget_info(|| WidgetInfo::labeled(Role::Tab, true, format!("{title} tab")));
        response
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        28.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        1.0
    }

    fn min_size(&self) -> f32 {
        LEAST
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions {
            all_panes_must_have_tabs: false,
            ..SimplificationOptions::default()
        }
    }

    fn resize_stroke(&self, _: &egui::Style, state: ResizeState) -> Stroke {
        let color = match state {
            ResizeState::Idle => self.theme.color(ColorRole::StrokeSeparator),
            ResizeState::Hovering => self.theme.color(ColorRole::StrokeStrong),
            ResizeState::Dragging => self.theme.color(ColorRole::AccentBase),
        };
        Stroke::new(if state == ResizeState::Idle { 1.0 } else { 2.0 }, color)
    }

    fn tab_bar_color(&self, _: &Visuals) -> Color32 {
        self.theme.color(ColorRole::SurfaceBar)
    }

    fn tab_bg_color(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        if state.active { self.theme.color(ColorRole::SurfacePanel) } else { Color32::TRANSPARENT }
    }

    fn tab_outline_stroke(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, _: &TabState) -> Stroke {
        Stroke::NONE
    }

    fn tab_text_color(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        self.theme.color(if state.active {
            ColorRole::TextPrimary
        } else {
            ColorRole::TextSecondary
        })
    }

    fn drag_preview_stroke(&self, _: &Visuals) -> Stroke {
        Stroke::new(2.0, self.theme.color(ColorRole::AccentBase))
    }

    fn drag_preview_color(&self, _: &Visuals) -> Color32 {
        self.theme.color(ColorRole::AccentBase).gamma_multiply(0.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_layout_comes_back_and_a_broken_one_is_the_default() {
        let layout = Layout::default();
        let again = Layout::from_text(&layout.to_text().unwrap());
        assert!(again.tree == layout.tree);
        assert!(Layout::from_text("{}").tree == layout.tree);
        let twice = layout.to_text().unwrap().replace("\"problems\"", "\"timeline\"");
        assert!(Layout::from_text(&twice).tree == layout.tree);
    }

    /// Panels from left to right and top to bottom, a pair of brackets around each container.
    fn order(tree: &Tree<Pane>, id: TileId) -> String {
        match tree.tiles.get(id).unwrap() {
            Tile::Pane(pane) => pane.title().to_owned(),
            Tile::Container(container) => {
                let (open, close) = match container {
                    Container::Linear(l) if l.dir == LinearDir::Horizontal => ('(', ')'),
                    Container::Linear(_) => ('[', ']'),
                    _ => ('{', '}'),
                };
                let parts: Vec<_> = container.children().map(|c| order(tree, *c)).collect();
                format!("{open}{}{close}", parts.join(" "))
            }
        }
    }

    /// A layout as a version without some panels would have stored it.
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
    fn a_panel_that_a_stored_layout_lacks_joins_it_at_its_default_position() {
        let whole = order(&Layout::default().tree, Layout::default().tree.root().unwrap());
        assert_eq!(whole, "[(Outliner Viewport [Inspector Problems]) Timeline]");
        for lacking in [
            &[Pane::Outliner][..],
            &[Pane::Inspector],
            &[Pane::Problems],
            &[Pane::Timeline],
            &[Pane::Problems, Pane::Timeline],
            &[Pane::Outliner, Pane::Timeline],
        ] {
            let stored = without(lacking);
            let again = Layout::from_text(&stored.to_text().unwrap());
            let now = order(&again.tree, again.tree.root().unwrap());
            // Problems alone stand where the inspector stood.
            let expected = match lacking {
                [Pane::Inspector] => "[(Outliner Viewport Inspector Problems) Timeline]",
                _ => whole.as_str(),
            };
            assert_eq!(now, expected, "{lacking:?}");
            for pane in Pane::ALL.into_iter().filter(|p| !lacking.contains(p)) {
                if pane == Pane::Viewport && stored.tree.tiles.len() > 2 {
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

    #[test]
    fn what_a_mode_leaves_a_side_for_a_while_is_not_stored() {
        let mut layout = Layout::default();
        let root = layout.tree.root().unwrap();
        let size = vec2(1600.0, 900.0);
        layout.fit(
            root,
            size,
            PanelConstraints { timeline: Some(90.0), problems: Some(104.0), inspector: 350.0 },
        );
        assert_eq!((share(&layout, Pane::Timeline), share(&layout, Pane::Problems)), (90.0, 104.0));
        let mut again = Layout::from_text(&layout.to_text().unwrap());
        again.fit(root, size, PanelConstraints::default());
        assert_eq!(share(&again, Pane::Timeline), Pane::Timeline.points());
        assert_eq!(share(&again, Pane::Problems), Pane::Problems.points());
    }

    #[test]
    fn the_sides_keep_their_points_while_the_window_grows() {
        let mut layout = Layout::default();
        let root = layout.tree.root().unwrap();
        for width in [1400.0, 1900.0, 1300.0, 500.0, 1600.0] {
            layout.fit(root, vec2(width, 900.0), PanelConstraints::default());
        }
        assert_eq!(share(&layout, Pane::Outliner), Measure::Outliner.points());
        assert_eq!(
            share(&layout, Pane::Viewport),
            1600.0 - 2.0 - Measure::Outliner.points() - Measure::Inspector.points()
        );
    }
}
