//! Splitters between panels: accessible names, and keyboard control of the focused splitter.

use egui::{EventFilter, Id, IdSalt, Key, Modifiers, Role, Ui, WidgetInfo};
use egui_tiles::{Container, LinearDir, Tile, TileId, Tree};

/// Distance in points that an arrow key moves a splitter.
const STEP: f32 = 16.0;

/// Names the splitters of a tree that was drawn into `ui` in this frame, and moves the focused one.
pub fn splitters_ui<Pane>(tree: &mut Tree<Pane>, ui: &Ui, title: &dyn Fn(&Pane) -> &'static str) {
    let Some(root) = tree.root() else { return };
    let mut open = vec![(root, ui.scope_id())];
    while let Some((id, parent)) = open.pop() {
        let Some(Tile::Container(container)) = tree.tiles.get(id) else { continue };
        // The same ids as in egui_tiles: a scope of the tile, and a nested scope that can be
        // disabled.
        let scope = parent.with(id).with(IdSalt::new("child"));
        let children: Vec<TileId> = container.children().copied().collect();
        let dir = match container {
            Container::Linear(linear) => Some(linear.dir),
            _ => None,
        };
        open.extend(children.iter().map(|child| (*child, scope)));
        let Some(dir) = dir else { continue };
        let visible: Vec<TileId> =
            children.into_iter().filter(|c| tree.tiles.is_visible_in_layout(*c)).collect();
        for (k, pair) in visible.windows(2).enumerate() {
            let pair = [pair[0], pair[1]];
            let name = format!(
                "Line between {} and {}",
                first_title(tree, pair[0], title),
                first_title(tree, pair[1], title)
            );
            let moved = splitter(ui, scope.with((id, "resize", k)), &name, dir);
            if moved != 0.0
                && let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(id)
            {
                for (child, by) in pair.into_iter().zip([moved, -moved]) {
                    let share = linear.shares[child];
                    linear.shares.set_share(child, (share + by).max(1.0));
                }
            }
        }
    }
}

/// Distance in points that the keyboard moves a splitter in this frame.
fn splitter(ui: &Ui, id: Id, name: &str, dir: LinearDir) -> f32 {
    let Some(line) = ui.ctx().read_response(id) else { return 0.0 };
    line.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, name));
    if !line.has_focus() {
        return 0.0;
    }
    let arrows =
        EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(id, arrows));
    let (less, more) = match dir {
        LinearDir::Horizontal => (Key::ArrowLeft, Key::ArrowRight),
        LinearDir::Vertical => (Key::ArrowUp, Key::ArrowDown),
    };
    ui.input_mut(|i| {
        let less = i.count_and_consume_key(Modifiers::NONE, less);
        let more = i.count_and_consume_key(Modifiers::NONE, more);
        (more as f32 - less as f32) * STEP
    })
}

/// Title of the first panel inside a tile.
fn first_title<Pane>(
    tree: &Tree<Pane>,
    id: TileId,
    title: &dyn Fn(&Pane) -> &'static str,
) -> &'static str {
    match tree.tiles.get(id) {
        Some(Tile::Pane(pane)) => title(pane),
        Some(Tile::Container(container)) => container
            .children()
            .find(|c| tree.tiles.is_visible_in_layout(**c))
            .map_or("", |c| first_title(tree, *c, title)),
        None => "",
    }
}
