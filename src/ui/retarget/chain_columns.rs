//! Columns of the table of chains. Joint names get the room that they need: if it is scarce, one
//! list has the choices for rotations and positions.

use egui::{Rect, Ui};

use super::{
    RetargetDraft, SOURCE, TARGET,
    chain_texts::{joints_text, position_text},
};
use crate::ui::{Theme, menu_rows::width_of, theme::Font};
use ulna_model::RetargetChain;

/// Gap between columns, in points.
const GAP: f32 = 6.0;
/// Width of the swatch before the name, in points.
const SWATCH: f32 = 14.0;
/// Width of the column with the contacts, in points.
const CONTACTS: f32 = 22.0;
/// Width in points of a drop-down list besides its text.
const LIST: f32 = 28.0;

/// Left edges of the lists of a row, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choices {
    /// A list for rotations, and one for positions.
    Apart { rotation: f32, position: f32 },
    /// A single list.
    Together { motion: f32 },
}

/// Left edges of the columns, in points.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub name: f32,
    pub bodies: [f32; 2],
    widths: [f32; 2],
    pub choices: Choices,
    pub contacts: f32,
    pub right: f32,
}

impl Columns {
    /// Columns for chains in a rectangle with the width of the table.
    pub(super) fn of(ui: &Ui, rect: Rect, now: &RetargetDraft, chains: &[usize]) -> Self {
        let font = Theme::font(Font::Small);
        let widest = |text: &dyn Fn(&RetargetChain) -> String| {
            let all = chains.iter().filter_map(|k| now.map.chains.get(*k));
            all.map(|c| width_of(ui, &text(c), &font).ceil()).fold(0.0, f32::max)
        };
        let name = widest(&|c| c.name.clone()).clamp(44.0, 84.0);
        let needed = [SOURCE, TARGET]
            .map(|body| widest(&|c| joints_text(RetargetDraft::joints(c, body))).max(40.0) + 1.0);
        let rotation = widest(&|c| c.rotation.label().to_owned()).max(40.0) + LIST;
        let position = widest(&|c| position_text(now, c)).max(40.0) + LIST;
        let room = rect.width() - SWATCH - name - CONTACTS - 3.0 * GAP;
        let is_apart = needed[0] + needed[1] + rotation + position <= room;
        let lists = if is_apart { rotation + position } else { rotation };
        let widths = shared(needed, room - lists);
        let left = rect.left() + SWATCH;
        let first = left + name + GAP;
        let second = first + widths[0] + GAP;
        let lists = second + widths[1] + GAP;
        let choices = if is_apart {
            Choices::Apart { rotation: lists, position: lists + rotation }
        } else {
            Choices::Together { motion: lists }
        };
        let right = rect.right();
        let bodies = [first, second];
        Self { name: left, bodies, widths, choices, contacts: right - CONTACTS, right }
    }

    /// Width in points of the column with the joints of the source or target.
    pub(super) const fn width(&self, body: usize) -> f32 {
        self.widths[body]
    }
}

/// Divides a width between two columns. If it is too small for both, the wider one is cut first.
fn shared([first, second]: [f32; 2], width: f32) -> [f32; 2] {
    let (width, spare) = (width.max(0.0), width - first - second);
    let half = width * 0.5;
    if spare >= 0.0 {
        let first = first + spare * 0.5;
        [first, width - first]
    } else if first < half {
        [first, width - first]
    } else if second < half {
        [width - second, second]
    } else {
        [half, half]
    }
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn the_longer_names_are_cut_first() {
        assert_eq!(shared([100.0, 140.0], 260.0), [110.0, 150.0]);
        assert_eq!(shared([60.0, 140.0], 160.0), [60.0, 100.0]);
        assert_eq!(shared([140.0, 60.0], 160.0), [100.0, 60.0]);
        assert_eq!(shared([140.0, 120.0], 160.0), [80.0, 80.0]);
    }
}
