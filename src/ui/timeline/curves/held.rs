//! Keys of curves at the start of a drag.

use std::collections::BTreeMap;

use super::{
    Graph, GraphLayout,
    asked::{add_around, add_values, scale_values},
    told::Component,
};
use ulna_edit::{Command, KeysHome};
use ulna_model::{Clip, KeySet, KeyTimes, Shared};

/// Dragged keys, with the state at the start of the drag.
#[derive(Clone, Debug)]
pub struct HeldKeys {
    /// Clip or layer that owns the keys.
    pub home: KeysHome,
    /// Clip at the start of the drag.
    pub clip: Shared<Clip>,
    /// Selection at the start of the drag.
    pub selection: KeySet,
    /// Layout of the curves at the start of the drag.
    pub layout: GraphLayout,
    /// Selected keys of each shown and unlocked curve.
    pub curves: Vec<(usize, KeyTimes)>,
}

/// Map key for curves that one command can change together: the bits of their added value or pivot,
/// and their component.
type Alike = (u64, Component);

impl HeldKeys {
    /// Selected keys that the graph shows and that are not locked; `None` without such keys.
    pub fn new(graph: &Graph<'_>, selection: KeySet) -> Option<Self> {
        let mut curves = Vec::new();
        for (k, curve) in graph.layout.curves.iter().enumerate().filter(|(_, c)| !c.locked) {
            let Some(track) = curve.id.track() else { continue };
            let times = selection.times_of(track, curve.id.component);
            if !times.is_empty() {
                curves.push((k, times));
            }
        }
        (!curves.is_empty()).then(|| Self {
            home: graph.home(),
            clip: graph.clip.clone(),
            selection,
            layout: graph.layout.clone(),
            curves,
        })
    }

    /// Number of keys, summed over the curves.
    pub fn count(&self) -> usize {
        self.curves.iter().map(|(_, times)| times.len()).sum()
    }

    /// Text with the number of keys.
    pub fn words(&self) -> String {
        keys_in_words(self.count())
    }

    /// Selected keys of the dragged curves, for moves in time.
    pub fn in_time(&self) -> KeySet {
        let mut keys = KeySet::default();
        for (k, times) in &self.curves {
            let id = self.layout.curves[*k].id;
            if let Some(track) = id.track() {
                keys = keys.union(&KeySet::of_component(track, id.component, times.clone()));
            }
        }
        keys
    }

    /// First and last time of the keys, in seconds.
    pub fn span(&self) -> (f64, f64) {
        let of = |t: &KeyTimes| (t.first().copied(), t.last().copied());
        self.curves.iter().fold((f64::MAX, f64::MIN), |(low, high), (_, times)| {
            let (first, last) = of(times);
            (
                first.map_or(low, |t| low.min(f64::from(t))),
                last.map_or(high, |t| high.max(f64::from(t))),
            )
        })
    }

    /// Commands that add a value to the keys of each curve. The function `by` gives the value per
    /// curve.
    pub fn added(&self, by: impl Fn(usize) -> f64) -> Vec<Command> {
        let groups = self.groups(|k| by(k).to_bits());
        let added = groups.into_iter().filter(|((by, _), _)| f64::from_bits(*by) != 0.0);
        added
            .map(|((by, order), keys)| add_values(self.home.clip, keys, order, f64::from_bits(by)))
            .collect()
    }

    /// Like [`HeldKeys::added`], but other keys up to `radius` seconds away get a smaller change.
    pub fn proportional(&self, radius: f64, by: impl Fn(usize) -> f64) -> Vec<Command> {
        let groups = self.groups(|k| by(k).to_bits());
        let added = groups.into_iter().filter(|((by, _), _)| f64::from_bits(*by) != 0.0);
        added
            .map(|((by, of), keys)| {
                add_around(self.home.clip, keys, of, radius, f64::from_bits(by))
            })
            .collect()
    }

    /// Commands that scale the values of each curve about a pivot. The function `about` gives the
    /// pivot per curve.
    pub fn scaled(&self, factor: f64, about: impl Fn(usize) -> f64) -> Vec<Command> {
        if (factor - 1.0).abs() < 1e-9 {
            return Vec::new();
        }
        let groups = self.groups(|k| about(k).to_bits());
        groups
            .into_iter()
            .flat_map(|((about, of), keys)| {
                scale_values(self.home.clip, keys, of, factor, f64::from_bits(about))
            })
            .collect()
    }

    /// Groups the keys by their change. Quaternion components are left out, because a change of one
    /// component would not be a rotation.
    fn groups(&self, number: impl Fn(usize) -> u64) -> BTreeMap<Alike, KeySet> {
        let mut groups: BTreeMap<Alike, KeySet> = BTreeMap::new();
        for (k, times) in &self.curves {
            let curve = &self.layout.curves[*k];
            let (Some(track), Some(of)) = (curve.id.track(), Component::of(curve)) else {
                continue;
            };
            let keys = KeySet::of_component(track, curve.id.component, times.clone());
            let group = groups.entry((number(*k), of)).or_default();
            *group = std::mem::take(group).union(&keys);
        }
        groups
    }
}

/// Text such as *3 keys*.
pub fn keys_in_words(count: usize) -> String {
    if count == 1 { "1 key".to_owned() } else { format!("{count} keys") }
}
