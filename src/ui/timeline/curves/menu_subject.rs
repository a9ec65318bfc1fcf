//! Subject of the graph's context menu.

use super::{frame::Graph, handles::Handles, model::CurveId};

/// Element of the graph under a right click.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Under {
    /// Background.
    #[default]
    Nothing,
    /// Curve, between its keys.
    Curve(CurveId),
    /// Tangent handle of a key of this curve.
    Handle(CurveId),
    /// Key of this curve.
    Key(CurveId),
}

/// Subject of the context menu: the clicked element and the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MenuSubject {
    /// Clicked element.
    pub under: Under,
    /// Time at the click, in seconds.
    pub time: f64,
}

impl MenuSubject {
    /// Finds the subject at a position.
    pub fn at(graph: &Graph<'_>, at: egui::Pos2) -> Self {
        let layout = &graph.layout;
        let id = |curve: usize| layout.curves[curve].id;
        if let Some(handle) = Handles::of(graph).at(at) {
            return Self { under: Under::Handle(id(handle.curve)), time: layout.time(handle.at.x) };
        }
        if let Some((curve, key)) = layout.hit_key(at) {
            let time = layout.curves[curve].time(key);
            return Self { under: Under::Key(id(curve)), time };
        }
        match layout.hit_curve(at) {
            Some((curve, time)) => Self { under: Under::Curve(id(curve)), time },
            None => Self { under: Under::Nothing, time: layout.time(at.x) },
        }
    }

    /// Index of the clicked curve among the shown curves.
    pub fn curve(self, graph: &Graph<'_>) -> Option<usize> {
        let (Under::Curve(id) | Under::Handle(id) | Under::Key(id)) = self.under else {
            return None;
        };
        graph.layout.curves.iter().position(|c| c.id == id)
    }
}
