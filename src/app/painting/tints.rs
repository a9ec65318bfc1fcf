//! Vertex tints of the weight display, and the statistics for its legend.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::{
    app::{ranges::ranges, viewport_renderer::ViewportRenderer},
    ui::{PaintDomain, PaintSession, Tinted, WeightLook},
};
use ulna_edit::Change;
use ulna_model::{Document, JointSlot, WeightMap};
use ulna_render::ColorRole;
use ulna_render::{Color, TintKind, tokens};
use ulna_weights::{Fault, SkinnedSurface, WeightStats, fault_in};

/// Maximum time per frame for counting weight problems.
const COUNTING: Duration = Duration::from_millis(5);
/// Number of vertices above which tints are computed by several threads.
const MANY_VERTICES: usize = 1 << 14;
/// Number of vertices that are counted between checks of the time.
const BATCH: usize = 8192;

impl PaintDomain {
    /// Counts the changed weights within the time limit of a frame. A stroke is counted when it
    /// ends.
    pub fn count(&mut self, document: &Document, changes: &[Change]) {
        let limit = self.options.limit;
        let Some(session) = self.session_mut() else { return };
        let PaintSession { surface, counts, moved_outliers, stroke, .. } = session;
        let maps = surface.maps(document);
        if !counts.fits(surface, &maps) {
            *counts = WeightStats::new(surface, &maps, limit);
        }
        counts.set_limit(limit);
        for change in changes {
            let Change::Weights { mesh, primitive, vertices } = change else { continue };
            let part =
                surface.parts().iter().find(|p| p.mesh == *mesh && p.primitive == *primitive);
            match (part, vertices) {
                (Some(part), Some(list)) => counts.touch(list.iter().map(|v| part.first + v)),
                (Some(part), None) => counts.touch(part.first..part.first + part.count),
                (None, _) => {}
            }
        }
        if stroke.is_some() || counts.is_done() {
            return;
        }
        let started = Instant::now();
        while !counts.is_done() {
            let more = counts.step(surface, &maps, BATCH, moved_outliers);
            if !more || started.elapsed() > COUNTING {
                break;
            }
        }
        log::trace!("counted weights for {:?}", started.elapsed());
    }

    /// Kind of the displayed tints; `None` outside of Paint mode.
    pub fn tint_kind(&self) -> Option<TintKind> {
        self.session()?;
        if self.layering.masked().is_some() {
            return Some(TintKind::Colors);
        }
        match self.options.look {
            WeightLook::Joint => Some(TintKind::Heat),
            look if look.is_strain() => Some(TintKind::Heat),
            WeightLook::All | WeightLook::Faults => Some(TintKind::Colors),
            _ => None,
        }
    }

    /// Updates the tints on the device: all tints if the display changed, else only those of
    /// changed vertices.
    pub fn tint(
        &mut self,
        document: &Document,
        stage: &mut ViewportRenderer,
        changes: &[Change],
        theme: &str,
    ) {
        let (look, limit) = (self.options.look, self.options.limit);
        let (searched, waits) = (self.worst.is_some(), self.waits_for_the_stroke());
        let Some(session) = self.state.session_mut() else {
            stage.clear_tints();
            return;
        };
        let canvas = session.surface.clone();
        let now = Tinted {
            look,
            joint: session.joint.filter(|_| look == WeightLook::Joint),
            limit,
            theme: theme.to_owned(),
            pose: look.is_of_pose().then(|| stage.pose_serial()),
            searched,
            mask: self.layering.follow_mask(document, &canvas),
        };
        let is_new = session.tinted.as_ref() != Some(&now);
        let mask = now.mask;
        session.tinted = Some(now);
        if mask.is_some() {
            self.layering.tint_mask(&canvas, stage, is_new);
            return;
        }
        if look == WeightLook::Materials {
            return;
        }
        // Strain is recomputed for all vertices. A vertex affects its neighbors, and the largest
        // strain sets the color scale.
        let whole = is_new || (look.is_strain() && !changes.is_empty() && !waits);
        let moved = std::mem::take(&mut session.moved_outliers);
        let reweighed = changes.iter().any(|c| matches!(c, Change::Weights { .. }));
        if !whole && !reweighed && (moved.is_empty() || look != WeightLook::Faults) {
            return;
        }
        let colors = Colors::new(theme, &session.colors, &canvas);
        let mut strays: Vec<u32> = Vec::new();
        if look == WeightLook::Faults && !whole {
            strays.extend(moved.iter().flat_map(|p| canvas.vertices_at(*p)));
            strays.sort_unstable();
        }
        let maps = canvas.maps(document);
        for (k, part) in canvas.parts().iter().enumerate() {
            let tints = PartTints {
                look,
                joint: session.joint,
                limit,
                tally: &session.counts,
                strain: session.strain.get().map(|s| s.values.as_slice()),
                colors: &colors,
                map: maps.part(k),
                first: part.first,
            };
            let mut wanted = Vec::new();
            if whole {
                wanted.push(0..part.count as usize);
            } else {
                for change in changes {
                    let Change::Weights { mesh, primitive, vertices } = change else { continue };
                    if (*mesh, *primitive) == (part.mesh, part.primitive) {
                        match vertices {
                            Some(list) => wanted.extend(ranges(list)),
                            None => wanted.push(0..part.count as usize),
                        }
                    }
                }
            }
            let own = strays.partition_point(|v| *v < part.first)
                ..strays.partition_point(|v| *v < part.first + part.count);
            let own: Vec<u32> = strays[own].iter().map(|v| v - part.first).collect();
            wanted.extend(ranges(&own));
            for range in wanted {
                let (first, count) = (range.start, range.len());
                // Few vertices are computed on this thread, because starting the other threads
                // takes longer.
                let values: Vec<u32> = if count > MANY_VERTICES {
                    range.into_par_iter().map(|v| tints.of(v)).collect()
                } else {
                    range.map(|v| tints.of(v)).collect()
                };
                log::trace!("tinted {count} vertices");
                stage.tint(part.node, part.primitive, first, &values);
            }
        }
    }
}

/// Inputs of the tints of one primitive.
#[derive(Clone, Copy)]
struct PartTints<'a> {
    look: WeightLook,
    joint: Option<u16>,
    limit: usize,
    tally: &'a WeightStats,
    /// Strain of each vertex of the painted surface, if it is known.
    strain: Option<&'a [f32]>,
    colors: &'a Colors<'a>,
    map: &'a WeightMap,
    /// Index of the primitive's first vertex in the painted surface.
    first: u32,
}

impl PartTints<'_> {
    /// Tint of a vertex of the primitive.
    fn of(&self, vertex: usize) -> u32 {
        let Self { map, first, colors, .. } = *self;
        match self.look {
            WeightLook::Joint => {
                TintKind::weight(self.joint.map_or(f32::NAN, |j| map.weight(vertex, j)))
            }
            WeightLook::All => {
                let mut mixed = [0.0f32; 3];
                let mut sum = 0.0f32;
                for (j, w) in map.vertex(vertex).filter(|(_, w)| *w > 0.0) {
                    let color = colors.joints.get(usize::from(j)).copied().unwrap_or([0.5; 3]);
                    (0..3).for_each(|k| mixed[k] += color[k] * w);
                    sum += w;
                }
                if sum <= 0.0 {
                    return TintKind::NONE;
                }
                let byte = |v: f32| (v / sum * 255.0).round().clamp(0.0, 255.0) as u8;
                TintKind::color(Color([byte(mixed[0]), byte(mixed[1]), byte(mixed[2]), 255]))
            }
            WeightLook::Faults => {
                match fault_in(map, vertex, self.limit, self.tally.used().len()) {
                    None if colors.placed.is_some_and(|c| {
                        self.tally.is_stray(c.point_of(first + vertex as u32))
                    }) =>
                    {
                        TintKind::color(colors.stray)
                    }
                    None => TintKind::color(Color([0, 0, 0, 0])),
                    Some(Fault::None | Fault::Negative | Fault::NotNumber | Fault::Past) => {
                        TintKind::color(colors.none)
                    }
                    Some(Fault::Many | Fault::Twice) => TintKind::color(colors.many),
                    Some(Fault::Sum) => TintKind::color(colors.sum),
                }
            }
            WeightLook::Materials => TintKind::NONE,
            _ => TintKind::weight(
                self.strain
                    .and_then(|s| s.get((first as usize) + vertex))
                    .copied()
                    .unwrap_or(f32::NAN),
            ),
        }
    }
}

/// Colors of displays other than a single joint's weights.
struct Colors<'a> {
    /// The painted surface, once outliers are known.
    placed: Option<&'a SkinnedSurface>,
    joints: Vec<[f32; 3]>,
    none: Color,
    many: Color,
    sum: Color,
    stray: Color,
}

impl<'a> Colors<'a> {
    fn new(theme: &str, joints: &[Color], canvas: &'a SkinnedSurface) -> Self {
        Self {
            placed: Some(canvas).filter(|c| c.is_ready()),
            joints: joints
                .iter()
                .map(|Color([r, g, b, _])| [*r, *g, *b].map(|v| f32::from(v) / 255.0))
                .collect(),
            none: ColorRole::SeverityError.color(theme),
            many: ColorRole::SeverityWarning.color(theme),
            sum: ColorRole::SeverityInfo.color(theme),
            stray: ColorRole::TimelineMarker.color(theme),
        }
    }
}

/// One color per joint. A joint never has its parent's color. It has no sibling's color if there
/// are enough colors.
pub fn joint_colors(document: &Document, canvas: &SkinnedSurface) -> Vec<Color> {
    let list: Vec<Color> = tokens()["categorical"]
        .as_array()
        .map(|a| a.iter().filter_map(|v| v.as_str()).map(Color::parse).collect())
        .unwrap_or_default();
    if list.is_empty() {
        return vec![Color([128, 128, 128, 255]); canvas.joints().len()];
    }
    let joints = canvas.joints();
    let mut chosen: Vec<Option<usize>> = vec![None; joints.len()];
    // Parents come first, whatever the order in the skin.
    let mut order: Vec<usize> = (0..joints.len()).collect();
    let depth = |node: ulna_model::NodeId| {
        let mut at = document.node(node).parent;
        let mut depth = 0;
        while let Some(parent) = at {
            depth += 1;
            at = document.node(parent).parent;
        }
        depth
    };
    order.sort_by_key(|k| (depth(joints[*k]), *k));
    // Colors of the children so far, by parent.
    let mut taken: BTreeMap<Option<JointSlot>, Vec<usize>> = BTreeMap::new();
    for (next, k) in order.into_iter().enumerate() {
        let parent = canvas.parents()[k];
        let of_parent = parent.and_then(|p| chosen.get(p.index()).copied().flatten());
        let siblings = taken.get(&parent).filter(|_| parent.is_some());
        let is_free = |c: &usize| of_parent != Some(*c) && siblings.is_none_or(|s| !s.contains(c));
        let free = (0..list.len())
            .map(|i| (next + i) % list.len())
            .find(is_free)
            .unwrap_or(next % list.len());
        chosen[k] = Some(free);
        let siblings = taken.entry(parent).or_default();
        if !siblings.contains(&free) {
            siblings.push(free);
        }
    }
    chosen.into_iter().map(|c| list[c.unwrap_or(0)]).collect()
}
