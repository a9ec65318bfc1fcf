//! Counts the results of a weight import, and describes them in notes.

use ulna_model::{Notice, WeightShape};
use ulna_weights::{CarryBy, Distances, LaidBy};

/// Results of a weight import, summed over all skins.
#[derive(Default)]
pub(super) struct ImportedWeights {
    pub done: usize,
    pub unfound: usize,
    pub partly: usize,
    /// Names of source joints without a counterpart.
    pub gone: Vec<String>,
    /// Whether the weights of joints without a counterpart were moved to their ancestors.
    pub above: bool,
    pub way: Option<CarryBy>,
    pub laid: Vec<LaidBy>,
    pub distances: Distances,
}

impl ImportedWeights {
    pub(super) fn notes(&self, way: CarryBy) -> Vec<Notice> {
        let way = match way {
            CarryBy::Order => "by vertex order",
            CarryBy::Surface => "from the nearest points of the surface",
            CarryBy::Vertex => "from the nearest vertices",
            CarryBy::Uv => "by texture coordinates",
        };
        let taken = format!("{} received weights {way}", counted(self.done, "vertex", "vertices"));
        let mut notes = vec![Notice::new("weights_taken", taken)];
        notes.extend(
            self.laid.iter().filter_map(|l| l.text()).map(|laid| Notice::new("posed_alike", laid)),
        );
        notes.extend(self.distances.text().map(|far| Notice::new("transfer_distances", far)));
        if self.unfound > 0 {
            let unfound =
                format!("{} without a match", counted(self.unfound, "vertex", "vertices"));
            notes.push(Notice::new("vertices_without_source", unfound));
        }
        let shown: Vec<&str> = self.gone.iter().take(3).map(|n| &**n).collect();
        let gone = format!(
            "{} not in this model ({}{})",
            counted(self.gone.len(), "joint is", "joints are"),
            shown.join(", "),
            if self.gone.len() > 3 { ", …" } else { "" }
        );
        if self.partly > 0 {
            let rest = counted(self.partly, "vertex", "vertices");
            let said =
                format!("{gone}, so the weight was redistributed to the other joints of {rest}");
            notes.push(Notice::new("joints_not_here", said));
        } else if self.above && !self.gone.is_empty() {
            let said = format!("{gone}, so the weights went to the parent joints");
            notes.push(Notice::new("joints_not_here", said));
        }
        notes
    }

    /// Adds the joints of a shape that have weights, but no counterpart.
    pub(super) fn add_gone(&mut self, shape: &WeightShape, joints: &[Option<u16>]) {
        let mut used = vec![false; shape.joints.len()];
        shape
            .entries
            .items()
            .iter()
            .filter(|(_, w)| *w > 0.0)
            .for_each(|(j, _)| used[usize::from(*j)] = true);
        for ((name, _), _) in
            shape.joints.iter().zip(joints).zip(used).filter(|((_, j), used)| *used && j.is_none())
        {
            if !self.gone.contains(name) {
                self.gone.push(name.clone());
            }
        }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
