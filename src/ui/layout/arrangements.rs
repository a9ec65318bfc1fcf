//! The built-in arrangements of panels, and the validation of stored arrangements.

use std::collections::BTreeSet;

use egui_tiles::{Container, Linear, LinearDir, Tabs, Tile, TileId, Tiles, Tree};

use super::pane::{DefaultPlace, Pane};
use ulna_render::Measure;

/// A built-in arrangement of panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shipped {
    /// Side panels beside the viewport, and the timeline below.
    Standard,
    /// A tall timeline for keys and curves, half the height of the window.
    Keys,
    /// The brush on the left and a tall list of joints on the right.
    Weights,
    /// A tree of joints over the full height of the window.
    Skeleton,
}

impl Shipped {
    /// All built-in arrangements, in menu order.
    pub const ALL: [Self; 4] = [Self::Standard, Self::Keys, Self::Weights, Self::Skeleton];

    /// Name in the menu.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "Standard",
            Self::Keys => "Keys",
            Self::Weights => "Weights",
            Self::Skeleton => "Skeleton",
        }
    }

    /// Purpose of the arrangement, as a tooltip.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Standard => "All panels around the viewport",
            Self::Keys => "A tall timeline for keys and curves",
            Self::Weights => "The brush at the left, a tall list of joints at the right",
            Self::Skeleton => "A wide outliner over the whole height",
        }
    }

    /// The built-in arrangement with a name, if any.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    pub(super) fn tree(self) -> Tree<Pane> {
        let mut builder = Builder(Tiles::default());
        let root = match self {
            Self::Standard => builder.standard(),
            Self::Keys => builder.keys(),
            Self::Weights => builder.weights(),
            Self::Skeleton => builder.skeleton(),
        };
        Tree::new(egui::Id::unique("panels"), root, builder.0)
    }
}

/// Builds a tree of tiles.
struct Builder(Tiles<Pane>);

impl Builder {
    fn pane(&mut self, pane: Pane) -> (TileId, f32) {
        (self.0.insert_pane(pane), pane.points())
    }

    fn linear(&mut self, dir: LinearDir, children: &[(TileId, f32)]) -> TileId {
        let mut linear = Linear::new(dir, children.iter().map(|c| c.0).collect());
        for (id, points) in children {
            linear.shares.set_share(*id, *points);
        }
        self.0.insert_container(Container::Linear(linear))
    }

    fn row(&mut self, children: &[(TileId, f32)]) -> TileId {
        self.linear(LinearDir::Horizontal, children)
    }

    fn column(&mut self, children: &[(TileId, f32)]) -> TileId {
        self.linear(LinearDir::Vertical, children)
    }

    fn tabs(&mut self, panes: &[Pane]) -> TileId {
        let ids = panes.iter().map(|p| self.0.insert_pane(*p)).collect();
        self.0.insert_container(Container::Tabs(Tabs::new(ids)))
    }

    /// The column on the right: the inspector or the painting panels, and below them the problems.
    fn side(&mut self) -> (TileId, f32) {
        let (inspector, brush) = (self.pane(Pane::Inspector), self.pane(Pane::Brush));
        let joints = self.tabs(&[Pane::Joints, Pane::Layers, Pane::Vertices]);
        let problems = self.pane(Pane::Problems);
        let joints = (joints, Pane::Joints.points());
        (self.column(&[inspector, brush, joints, problems]), Measure::Inspector.points())
    }

    fn standard(&mut self) -> TileId {
        let (outliner, viewport) = (self.pane(Pane::Outliner), self.pane(Pane::Viewport));
        let side = self.side();
        let top = self.row(&[outliner, viewport, side]);
        let timeline = self.pane(Pane::Timeline);
        self.column(&[(top, 600.0), timeline])
    }

    /// Builds the arrangement for key editing. All panels of the side column are tabs, because a
    /// tall timeline leaves little height.
    fn keys(&mut self) -> TileId {
        /// Height of the timeline, in points.
        const TALL: f32 = 520.0;
        let (outliner, viewport) = (self.pane(Pane::Outliner), self.pane(Pane::Viewport));
        let [brush, joints, layers, vertices] = Pane::PAINTING;
        let side = self.tabs(&[Pane::Inspector, brush, joints, layers, vertices, Pane::Problems]);
        let top = self.row(&[outliner, viewport, (side, Measure::Inspector.points())]);
        let timeline = self.pane(Pane::Timeline);
        self.column(&[(top, 600.0), (timeline.0, TALL)])
    }

    fn weights(&mut self) -> TileId {
        let (outliner, brush) = (self.pane(Pane::Outliner), self.pane(Pane::Brush));
        let left = self.column(&[outliner, brush]);
        let (viewport, timeline) = (self.pane(Pane::Viewport), self.pane(Pane::Timeline));
        let middle = self.column(&[viewport, timeline]);
        let (inspector, joints) = (self.pane(Pane::Inspector), self.pane(Pane::Joints));
        let tables = self.tabs(&[Pane::Layers, Pane::Vertices]);
        let problems = self.pane(Pane::Problems);
        let right = self.column(&[inspector, joints, (tables, Pane::Vertices.points()), problems]);
        self.row(&[(left, 300.0), (middle, 800.0), (right, Measure::Inspector.points())])
    }

    fn skeleton(&mut self) -> TileId {
        let (outliner, viewport) = (self.pane(Pane::Outliner), self.pane(Pane::Viewport));
        let side = self.side();
        let top = self.row(&[viewport, side]);
        let timeline = self.pane(Pane::Timeline);
        let rest = self.column(&[(top, 600.0), timeline]);
        self.row(&[(outliner.0, 360.0), (rest, 1000.0)])
    }
}

/// The panels inside a tile, from left to right and top to bottom.
pub(super) fn panes_in(tiles: &Tiles<Pane>, id: TileId) -> Vec<(TileId, Pane)> {
    match tiles.get(id) {
        Some(Tile::Pane(pane)) => vec![(id, *pane)],
        Some(Tile::Container(all)) => all.children().flat_map(|c| panes_in(tiles, *c)).collect(),
        None => Vec::new(),
    }
}

/// True if a stored arrangement is valid: each tile and panel occurs at most once, and all shares
/// are in range.
pub(super) fn is_sound(tree: &Tree<Pane>) -> bool {
    /// Upper limit of a share in points, far above the size of any screen.
    const MOST: f32 = 1e5;
    let Some(root) = tree.root() else { return false };
    let (mut seen, mut panes) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if !seen.insert(id.0) {
            return false;
        }
        match tree.tiles.get(id) {
            Some(Tile::Pane(pane)) if panes.insert(*pane) => {}
            Some(Tile::Container(container)) => {
                if let Container::Linear(linear) = container {
                    let fits = |share: f32| share > 0.0 && share < MOST;
                    if !linear.shares.iter().all(|(_, share)| fits(*share)) {
                        return false;
                    }
                }
                if let Container::Grid(_) = container {
                    return false;
                }
                open.extend(container.children());
            }
            _ => return false,
        }
    }
    !panes.is_empty() && seen.len() == tree.tiles.len()
}

/// Adds a panel at its default position, unless the arrangement contains it.
pub(super) fn add_missing(tree: &mut Tree<Pane>, pane: Pane) {
    let Some(root) = tree.root().filter(|_| tree.tiles.find_pane(&pane).is_none()) else { return };
    let (beside, dir, after) = match pane.place() {
        DefaultPlace::Beside(beside, dir, after) => (beside, dir, after),
        DefaultPlace::Tab(other) => {
            let Some(other) = tree.tiles.find_pane(&other) else { return };
            add_tab(tree, other, pane);
            return;
        }
    };
    let mut beside = beside.and_then(|p| tree.tiles.find_pane(&p)).unwrap_or(root);
    let tabs =
        |tiles: &Tiles<Pane>, id| matches!(tiles.get_container(id), Some(Container::Tabs(_)));
    while let Some(parent) = tree.tiles.parent_of(beside).filter(|p| tabs(&tree.tiles, *p)) {
        beside = parent;
    }
    let new = tree.tiles.insert_pane(pane);
    let parent = tree.tiles.parent_of(beside);
    // If the parent is a row or column in this direction, the panel becomes its child.
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
    put_in_place(tree, parent, beside, both);
}

/// Adds a panel as a tab beside another panel.
fn add_tab(tree: &mut Tree<Pane>, other: TileId, pane: Pane) {
    let new = tree.tiles.insert_pane(pane);
    let parent = tree.tiles.parent_of(other);
    if let Some(Tile::Container(Container::Tabs(tabs))) = parent.and_then(|p| tree.tiles.get_mut(p))
    {
        tabs.add_child(new);
        return;
    }
    let both = tree.tiles.insert_container(Tabs::new(vec![other, new]));
    put_in_place(tree, parent, other, both);
}

/// Replaces a tile by another tile in its parent.
fn put_in_place(tree: &mut Tree<Pane>, parent: Option<TileId>, old: TileId, new: TileId) {
    match parent.and_then(|id| tree.tiles.get_mut(id)) {
        Some(Tile::Container(container)) => drop(container.replace_child(old, new)),
        _ => tree.root = Some(new),
    }
}

/// The side column while a small window shows it as tabs.
#[derive(Clone, Debug)]
pub(super) struct TabbedColumn {
    /// The container that temporarily has tabs.
    id: TileId,
    /// The tabs that replace the column.
    tabs: Vec<TileId>,
    /// The original container and its nested containers.
    was: Vec<(TileId, Tile<Pane>)>,
}

impl TabbedColumn {
    /// Converts the side column to tabs; `None` if there is no side column.
    pub(super) fn new(tiles: &mut Tiles<Pane>) -> Option<Self> {
        let mut id = tiles.find_pane(&Pane::Inspector)?;
        let of_side = |tiles: &Tiles<Pane>, id| {
            panes_in(tiles, id).into_iter().all(|(_, pane)| pane.is_of_side())
        };
        while let Some(parent) = tiles.parent_of(id).filter(|p| of_side(tiles, *p)) {
            id = parent;
        }
        let tabs: Vec<TileId> = panes_in(tiles, id).into_iter().map(|(id, _)| id).collect();
        let inside = containers_in(tiles, id);
        let was: Vec<_> =
            inside.iter().filter_map(|c| Some((*c, tiles.get(*c)?.clone()))).collect();
        if was.is_empty() {
            return None;
        }
        for container in &inside {
            tiles.remove(*container);
        }
        tiles.insert(id, Tile::Container(Container::Tabs(Tabs::new(tabs.clone()))));
        Some(Self { id, tabs, was })
    }

    /// Restores the column, unless the user has moved one of its tabs.
    pub(super) fn restore(&self, tiles: &mut Tiles<Pane>) {
        let same = match tiles.get_container(self.id) {
            Some(Container::Tabs(tabs)) => {
                let ids = |all: &[TileId]| all.iter().map(|id| id.0).collect::<BTreeSet<u64>>();
                ids(&tabs.children) == ids(&self.tabs)
            }
            _ => false,
        };
        if same {
            for (id, tile) in &self.was {
                tiles.insert(*id, tile.clone());
            }
        }
    }
}

/// A container and its nested containers, outermost first.
fn containers_in(tiles: &Tiles<Pane>, id: TileId) -> Vec<TileId> {
    let Some(container) = tiles.get_container(id) else { return Vec::new() };
    let inside = container.children().flat_map(|c| containers_in(tiles, *c));
    std::iter::once(id).chain(inside).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Text with the panels from left to right and top to bottom. Brackets enclose each container.
    pub fn order(tree: &Tree<Pane>) -> String {
        fn of(tree: &Tree<Pane>, id: TileId) -> String {
            match tree.tiles.get(id).unwrap() {
                Tile::Pane(pane) => pane.title().to_owned(),
                Tile::Container(container) => {
                    let (open, close) = match container {
                        Container::Linear(l) if l.dir == LinearDir::Horizontal => ('(', ')'),
                        Container::Linear(_) => ('[', ']'),
                        _ => ('{', '}'),
                    };
                    let parts: Vec<_> = container.children().map(|c| of(tree, *c)).collect();
                    format!("{open}{}{close}", parts.join(" "))
                }
            }
        }
        of(tree, tree.root().unwrap())
    }

    #[test]
    fn every_shipped_arrangement_contains_all_panels_and_is_found_by_name() {
        for shipped in Shipped::ALL {
            let tree = shipped.tree();
            assert!(is_sound(&tree), "{shipped:?}");
            for pane in Pane::ALL {
                assert!(tree.tiles.find_pane(&pane).is_some(), "{shipped:?} {pane:?}");
            }
            assert_eq!(Shipped::named(shipped.name()), Some(shipped));
        }
        assert_eq!(
            order(&Shipped::Standard.tree()),
            "[(Outliner Viewport [Inspector Brush {Joints Layers Vertices} Problems]) Timeline]"
        );
        assert_eq!(
            order(&Shipped::Weights.tree()),
            "([Outliner Brush] [Viewport Timeline] [Inspector Joints {Layers Vertices} Problems])"
        );
    }

    #[test]
    fn a_tabbed_column_can_be_restored_except_for_moved_panels() {
        for shipped in Shipped::ALL {
            let whole = shipped.tree();
            let mut tree = whole.clone();
            let column = TabbedColumn::new(&mut tree.tiles).unwrap();
            assert!(is_sound(&tree), "{shipped:?}");
            assert!(!order(&tree).contains("Joints [") && order(&tree).contains("{Inspector"));
            column.restore(&mut tree.tiles);
            assert!(tree == whole, "{shipped:?}");
        }
        let mut tree = Shipped::Standard.tree();
        let column = TabbedColumn::new(&mut tree.tiles).unwrap();
        assert_eq!(
            order(&tree),
            "[(Outliner Viewport {Inspector Brush Joints Layers Vertices Problems}) Timeline]"
        );
        let problems = tree.tiles.find_pane(&Pane::Problems).unwrap();
        let root = tree.root().unwrap();
        tree.move_tile_to_container(problems, root, 9, false);
        column.restore(&mut tree.tiles);
        assert_eq!(
            order(&tree),
            "[(Outliner Viewport {Inspector Brush Joints Layers Vertices}) Timeline Problems]"
        );
    }

    #[test]
    fn a_damaged_tree_is_detected() {
        let whole = Shipped::Standard.tree();
        let root = whole.root().unwrap();
        // A container that contains itself.
        let mut tree = whole.clone();
        if let Some(Tile::Container(container)) = tree.tiles.get_mut(root) {
            container.add_child(root);
        }
        assert!(!is_sound(&tree));
        // A child that does not exist.
        let mut tree = whole.clone();
        if let Some(Tile::Container(container)) = tree.tiles.get_mut(root) {
            container.add_child(TileId(9999));
        }
        assert!(!is_sound(&tree));
        // An invalid share.
        for share in [0.0, -4.0, f32::NAN, f32::INFINITY, 1e30] {
            let mut tree = whole.clone();
            if let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(root) {
                let first = linear.children[0];
                linear.shares.set_share(first, share);
            }
            assert!(!is_sound(&tree), "{share}");
        }
        // A panel outside of all containers.
        let mut tree = whole.clone();
        let outside = tree.tiles.insert_pane(Pane::Problems);
        assert!(tree.tiles.parent_of(outside).is_none() && !is_sound(&tree));
        assert!(is_sound(&whole));
    }
}
