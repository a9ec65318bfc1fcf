//! Subject of the menu of a right click on the graph.

use super::{frame::Graph, handles::Handles, model::CurveId};

/// Things that a right click can be on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Under {
    /// No curve.
    #[default]
    Nothing,
    /// A curve, between its keys.
    Curve(CurveId),
    /// A handle of a key.
    Handle(CurveId),
    /// A key.
    Key(CurveId),
}

/// Subject of the menu: the thing that was under the pointer, and the time there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MenuSubject {
    /// The thing.
    pub under: Under,
    /// The time, in seconds.
    pub time: f64,
}

impl MenuSubject {
    /// The subject at a place.
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

    /// The curve, where there is one, by its place among those that are shown.
    pub fn curve(self, graph: &Graph<'_>) -> Option<usize> {
        let (Under::Curve(id) | Under::Handle(id) | Under::Key(id)) = self.under else {
            return None;
        };
        graph.layout.curves.iter().position(|c| c.id == id)
    }
}
