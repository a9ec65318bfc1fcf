//! Finds the curves of a clip. Sources are the tracks, the strengths of layers, and animation
//! pointers.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use egui::Color32;

use super::{
    super::{
        per_track::PerTrack,
        rows::{Row, Rows},
    },
    choices::{CurveColors, Fold, RotationView},
    model::{
        CurveId, CurveOf, CurveSource, CurveSpace, CurvesModel, DASHES, Dash, EulerOrder, ListRow,
        ListedCurve, ModelOf, ShownCurve, TrackCurves, Unit, is_shown, moving_components,
    },
};
use crate::ui::Theme;
use ulna_model::{Document, NodeId, Property, Shared, Track, TrackId};
use ulna_render::{ColorRole, tokens};

/// State of a track that a curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveState {
    /// Current state.
    Now,
    /// State when the file was opened.
    Opened,
    /// Stored copy for comparison.
    Kept,
}

/// Source and state of a track, as the key of the cache.
type CacheKey = (CurveSource, CurveState);

/// Cache of tracks as curves, valid as long as the tracks are unchanged.
#[derive(Clone, Debug, Default)]
pub struct CurveCache {
    found: HashMap<CacheKey, (Shared<Track>, CurveSpace, Rc<TrackCurves>)>,
    best: BTreeMap<(NodeId, TrackId), EulerOrder>,
    moving: PerTrack<Vec<bool>>,
}

impl CurveCache {
    /// Curves of a track, from the cache if possible.
    pub fn of(
        &mut self,
        key: CacheKey,
        track: &Shared<Track>,
        space: CurveSpace,
    ) -> Rc<TrackCurves> {
        if let Some((of, in_space, curves)) = self.found.get(&key)
            && Shared::ptr_eq(of, track)
            && *in_space == space
        {
            return curves.clone();
        }
        let curves = match self.found.remove(&key) {
            Some((_, was, curves)) if was == space => curves.updated(track),
            _ => TrackCurves::new(track, space),
        };
        let curves = Rc::new(curves);
        self.found.insert(key, (track.clone(), space, curves.clone()));
        curves
    }

    /// Euler order that is farthest from gimbal lock over a track. It stays the same while keys are
    /// edited.
    pub fn best(&mut self, id: TrackId, track: &Track) -> EulerOrder {
        *self.best.entry((track.target, id)).or_insert_with(|| EulerOrder::best_first(track)[0].0)
    }

    /// Whether each component of a track moves.
    fn moves(&mut self, id: TrackId, track: &Shared<Track>) -> &[bool] {
        self.moving.of(id, track, moving_components)
    }

    /// Drops the curves of sources for which `stays` returns false.
    pub fn retain(&mut self, stays: impl Fn(CurveSource) -> bool) {
        self.found.retain(|(source, _), _| stays(*source));
    }

    /// Clears the cache, because another clip is shown.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The colors of curves.
struct Palette {
    axes: [Color32; 4],
    plain: Color32,
    joints: Vec<Color32>,
}

impl Palette {
    fn of(theme: &Theme) -> Self {
        let axes = [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ, ColorRole::AxisW];
        let hex = |text: &str| Color32::from_hex(text).ok();
        let list = tokens()["categorical"].as_array();
        Self {
            axes: axes.map(|role| theme.color(role)),
            plain: theme.color(ColorRole::TextSecondary),
            joints: list
                .map(|l| l.iter().filter_map(|v| hex(v.as_str()?)).collect::<Vec<_>>())
                .filter(|l| !l.is_empty())
                .unwrap_or_else(|| vec![theme.color(ColorRole::TextSecondary)]),
        }
    }

    fn axis(&self, property: Option<Property>, component: usize) -> Color32 {
        match property {
            Some(Property::Weights) | None if component == 0 => self.plain,
            Some(Property::Weights) | None => self.joint(component - 1),
            Some(_) => self.axes[component.min(3)],
        }
    }

    fn joint(&self, place: usize) -> Color32 {
        self.joints[place % self.joints.len()]
    }
}

/// Builds the curves of a clip.
pub struct Finder<'a> {
    document: &'a Document,
    of: &'a ModelOf,
    cache: &'a mut CurveCache,
    palette: Palette,
    model: CurvesModel,
    /// Nodes with shown curves, in order of appearance. Their index determines dashes and colors.
    nodes: BTreeMap<NodeId, usize>,
}

impl<'a> Finder<'a> {
    /// Builds the curves from all sources.
    pub fn find(
        document: &'a Document,
        theme: &Theme,
        of: &'a ModelOf,
        cache: &'a mut CurveCache,
    ) -> CurvesModel {
        let palette = Palette::of(theme);
        let (model, nodes) = (CurvesModel::default(), BTreeMap::new());
        let mut finder = Self { document, of, cache, palette, model, nodes };
        finder.strengths();
        let rows = of.rows.0.clone();
        let mut order: Vec<NodeId> = rows.nodes().map(|(node, _)| *node).collect();
        order.sort_by_key(|node| !of.selected.contains(node));
        for node in order {
            finder.node(&rows, node);
        }
        finder.pointers();
        finder.finish(&rows)
    }

    fn strengths(&mut self) {
        let layers = self.of.sources.layers.clone();
        for layer in layers.iter().rev() {
            let Some(track) = &layer.strength_keys else { continue };
            let name: Rc<str> = format!("{}, strength", layer.name).into();
            let at = self.model.listed.len();
            self.model.listed.push(ListedCurve {
                id: CurveId { source: CurveSource::Strength(layer.id), component: 0 },
                of: CurveOf::Strength(layer.id),
                node: None,
                track: track.clone(),
                space: CurveSpace::Stored,
                label: name.clone(),
                name,
                color: self.palette.plain,
                dash: DASHES[0],
                shown: is_shown(&self.of.choices, CurveOf::Strength(layer.id), false, true),
            });
            self.model.rows.push(ListRow::Curve(at));
        }
    }

    fn space(&mut self, node: NodeId, id: TrackId, track: &Track) -> CurveSpace {
        if track.property != Property::Rotation {
            return CurveSpace::Stored;
        }
        match self.of.choices.rotations.get(&node) {
            Some(RotationView::Quaternion) => CurveSpace::Stored,
            Some(RotationView::Euler(order)) => CurveSpace::Euler(*order),
            None => CurveSpace::Euler(self.cache.best(id, track)),
        }
    }

    fn label(&self, node: NodeId, track: &Track, component: usize) -> String {
        if track.property != Property::Weights {
            return ["X", "Y", "Z", "W"][component.min(3)].to_owned();
        }
        let mesh = self.document.node(node).mesh.map(|m| self.document.mesh(m));
        let name = mesh.and_then(|m| m.target_names.get(component));
        name.map_or_else(|| format!("target {component}"), |n| n.to_string())
    }

    fn node(&mut self, rows: &Rows, node: NodeId) {
        let choices = &self.of.choices;
        let selected = self.of.selected.contains(&node);
        let label = self.document.node(node).label(node);
        let from = self.model.listed.len();
        let mut channels: Vec<(TrackId, Property, bool, (usize, usize))> = Vec::new();
        for (id, track) in rows.tracks(&Row::Node(node)) {
            let space = self.space(node, *id, track);
            let count = if matches!(space, CurveSpace::Euler(_)) { 3 } else { track.width };
            let first = self.model.listed.len();
            let moves = self.cache.moves(*id, track).to_vec();
            for component in 0..count.min(usize::from(u16::MAX)) {
                let of = CurveOf::Node(node, track.property, component as u16);
                let shown = is_shown(choices, of, selected, moves.get(component) == Some(&true));
                let own = self.label(node, track, component);
                let name = match track.property {
                    Property::Translation => format!("{label} {own}, m"),
                    Property::Scale => format!("{label} scale {own}"),
                    Property::Rotation if space == CurveSpace::Stored => {
                        format!("{label} quaternion {own}")
                    }
                    Property::Rotation => format!("{label} {own}"),
                    Property::Weights => own.clone(),
                };
                let (color, dash) = self.look(node, shown, Some(track.property), component);
                self.model.listed.push(ListedCurve {
                    id: CurveId { source: CurveSource::Track(*id), component: component as u16 },
                    of,
                    node: Some(node),
                    track: track.clone(),
                    space,
                    label: own.into(),
                    name: name.into(),
                    color,
                    dash,
                    shown,
                });
            }
            let any = moves.contains(&true);
            channels.push((*id, track.property, any, (first, self.model.listed.len())));
        }
        let to = self.model.listed.len();
        let some = self.model.listed[from..to].iter().any(|c| c.shown);
        let open = choices.folds.get(&Fold::Node(node)).copied().unwrap_or(some || selected);
        self.model.rows.push(ListRow::Node { node, open, curves: (from, to) });
        if !open {
            return;
        }
        for (track, property, moves, curves) in channels {
            // Morph targets have their own rows, unless there are more than a hundred.
            let flat = property == Property::Weights && curves.1 - curves.0 <= 100;
            let fold = Fold::Channel(node, property);
            let open = flat || choices.folds.get(&fold).copied().unwrap_or(moves);
            if !flat {
                self.model.rows.push(ListRow::Channel { node, track, open, curves });
            }
            if open {
                self.model.rows.extend((curves.0..curves.1).map(ListRow::Curve));
            }
        }
    }

    /// Color and dash pattern of a curve.
    fn look(
        &mut self,
        node: NodeId,
        shown: bool,
        property: Option<Property>,
        component: usize,
    ) -> (Color32, Dash) {
        let next = self.nodes.len();
        let place = match shown {
            true => *self.nodes.entry(node).or_insert(next),
            false => self.nodes.get(&node).copied().unwrap_or(0),
        };
        match self.of.choices.colors {
            CurveColors::ByAxis => {
                (self.palette.axis(property, component), DASHES[place % DASHES.len()])
            }
            CurveColors::ByJoint => (self.palette.joint(place), DASHES[component % DASHES.len()]),
        }
    }

    fn pointers(&mut self) {
        let pointers = self.of.sources.pointers.clone();
        let listed = self.of.rows.0.list.iter().filter_map(|row| match row {
            Row::Pointer(k) => Some(*k),
            _ => None,
        });
        for k in listed {
            let Some(pointer) = pointers.get(k) else { continue };
            let Some(track) = &pointer.track else {
                self.model.rows.push(ListRow::Pointer(k));
                continue;
            };
            let moves = moving_components(track);
            for component in 0..track.width.min(4) {
                let of = CurveOf::Pointer(k, component as u16);
                let axis = ["X", "Y", "Z", "W"][component];
                let name: Rc<str> = match track.width {
                    1 => pointer.pointer.to_string().into(),
                    _ => format!("{} {axis}", pointer.pointer).into(),
                };
                self.model.rows.push(ListRow::Curve(self.model.listed.len()));
                self.model.listed.push(ListedCurve {
                    id: CurveId { source: CurveSource::Pointer(k), component: component as u16 },
                    of,
                    node: None,
                    track: track.clone(),
                    space: CurveSpace::Stored,
                    label: name.clone(),
                    name,
                    color: self.palette.axis(Some(track.property), component),
                    dash: DASHES[0],
                    shown: is_shown(&self.of.choices, of, false, moves[component]),
                });
            }
        }
    }

    fn finish(mut self, rows: &Rows) -> CurvesModel {
        let mut shown = Vec::new();
        for curve in self.model.listed.iter().filter(|c| c.shown) {
            let key = (curve.id.source, CurveState::Now);
            let curves = self.cache.of(key, &curve.track, curve.space);
            let editable = curve.id.track().is_some();
            let mut new = ShownCurve {
                id: curve.id,
                of: curve.of,
                node: curve.node,
                property: curve.track.property,
                track: curve.track.clone(),
                curves,
                space: curve.space,
                unit: match editable {
                    true => Unit::of(curve.track.property, curve.space),
                    false => Unit::Plain,
                },
                color: curve.color,
                dash: curve.dash,
                name: curve.name.clone(),
                selected_joint: curve.node.is_some_and(|n| self.of.selected.contains(&n)),
                locked: !editable || self.of.choices.locked.contains(&curve.of),
                normalize: None,
            };
            if self.of.choices.normalized.contains(&curve.of) {
                new.normalize = super::view_range::own_range(&new);
            }
            shown.push(new);
        }
        let sources: std::collections::HashSet<CurveSource> =
            self.model.listed.iter().map(|c| c.id.source).collect();
        self.cache.retain(|source| sources.contains(&source));
        self.model.shown = Rc::new(shown);
        let list = self.model.rows.iter().map(|row| self.model.sheet_row(row)).collect();
        self.model.sheet = Some(Rc::new(rows.listing(list)));
        self.model
    }
}
