//! Guessing of mirror pairs among some nodes, and of the mirror plane.

use std::collections::{BTreeMap, HashMap};

use glam::{Mat3, Vec3};

use super::{
    plane::Plane,
    role::{GROSS, PairSource, Role, SAME, Side},
};
use crate::names::Stem;
use ulna_geometry::PointGrid;
use ulna_model::{Document, NodeId, SkinId};

/// Input data of the guess. All vectors have one element per node.
pub(crate) struct Joints {
    pub stems: Vec<Stem>,
    /// Rest positions, all in the same space.
    pub positions: Vec<Vec3>,
    /// Index of the nearest ancestor among these nodes.
    parents: Vec<Option<usize>>,
    /// Indices of the nodes, parents first.
    order: Vec<usize>,
    /// Diagonal of the bounding box of all positions.
    pub size: f32,
}

impl Joints {
    /// Collects the joints of a skin, with positions in mesh space.
    pub fn of(document: &Document, skin: SkinId) -> Self {
        let skin = document.skin(skin);
        let mut worlds = HashMap::new();
        if !skin.has_inverse_bind {
            worlds = rest_worlds(document);
        }
        let position = |(j, node): (usize, &NodeId)| match skin
            .inverse_bind
            .get(j)
            .filter(|_| skin.has_inverse_bind)
        {
            Some(joint_from_mesh) => joint_from_mesh.inverse().w_axis.truncate(),
            None => worlds.get(node).copied().unwrap_or(Vec3::ZERO),
        };
        let positions = skin.joints.iter().enumerate().map(position).collect();
        Self::among(document, &skin.joints, positions)
    }

    /// Collects nodes with given rest positions.
    pub fn among(document: &Document, nodes: &[NodeId], positions: Vec<Vec3>) -> Self {
        let mut index: HashMap<NodeId, usize> = HashMap::new();
        for (j, node) in nodes.iter().enumerate() {
            index.entry(*node).or_insert(j);
        }
        let mut above: Vec<Option<usize>> = vec![None; document.nodes.len()];
        let mut parents = vec![None; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        for node in document.nodes.order().iter() {
            let parent = document.node(*node).parent;
            let joint = parent.and_then(|p| index.get(&p).copied().or(above[p.index()]));
            above[node.index()] = joint;
            if let Some(j) = index.get(node) {
                parents[*j] = joint;
                order.push(*j);
            }
        }
        let size = diagonal(positions.iter().copied());
        Self { stems: stems(document, nodes), positions, parents, order, size }
    }

    /// Finds the pairs of a left and a right joint whose names differ only in the side. If several
    /// joints have such a name, the closest relatives are paired, which separates two characters in
    /// one file. The search is then repeated without numbers at the ends of names.
    pub fn named_pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut open: Vec<bool> = self.stems.iter().map(|s| s.side.is_some()).collect();
        for stem in [|s: &Stem| s.words.clone(), |s: &Stem| s.without_number().to_owned()] {
            let mut sides: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
            for (j, known) in self.stems.iter().enumerate().filter(|(j, _)| open[*j]) {
                sides.entry(stem(known)).or_default()[usize::from(known.side == Some(Side::Right))]
                    .push(j);
            }
            for [left, right] in sides.values() {
                for (l, r) in self.relatives(left, right) {
                    (open[l], open[r]) = (false, false);
                    pairs.push((l, r));
                }
            }
        }
        pairs
    }

    /// Pairs left and right joints of the same name that are each other's closest relatives.
    fn relatives(&self, left: &[usize], right: &[usize]) -> Vec<(usize, usize)> {
        /// Maximum number of joints with one name. With more, names are ignored.
        const MOST: usize = 64;
        if let ([l], [r]) = (left, right) {
            return vec![(*l, *r)];
        }
        if left.len().max(right.len()) > MOST {
            return Vec::new();
        }
        let nearest = |j: usize, others: &[usize]| {
            let depths: Vec<usize> = others.iter().map(|o| self.common(j, *o).len()).collect();
            let most = depths.iter().copied().max()?;
            let mut found =
                others.iter().zip(&depths).filter(|(_, d)| **d == most).map(|(o, _)| *o);
            found.next().filter(|_| found.next().is_none())
        };
        let pair = |l: &usize| {
            let r = nearest(*l, right)?;
            (nearest(r, left)? == *l).then_some((*l, r))
        };
        left.iter().filter_map(pair).collect()
    }

    /// Returns the common ancestors of two joints, from the root.
    pub fn common(&self, a: usize, b: usize) -> Vec<usize> {
        let row = |j: usize| {
            let mut row: Vec<usize> =
                std::iter::successors(self.parents[j], |p| self.parents[*p]).collect();
            row.reverse();
            row
        };
        let (a, b) = (row(a), row(b));
        a.into_iter().zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    }

    /// Distance between the mirror image of joint `a` and joint `b`.
    fn away(&self, plane: &Plane, a: usize, b: usize) -> f32 {
        plane.mirrored(self.positions[a]).distance(self.positions[b])
    }

    /// Finds the plane across which most joints form pairs: by position, or by name if the
    /// positions nearly agree. `normals` are the candidate normals. Among equally good ones, the
    /// first is chosen.
    pub fn plane(&self, named: &[(usize, usize)], normals: &[Vec3]) -> Plane {
        let first = normals.first().copied().unwrap_or(Vec3::X);
        let mut best = (0, Plane { normal: first, offset: 0.0 });
        for normal in normals {
            let along = |j: usize| normal.dot(self.positions[j]);
            let all = (0..self.positions.len()).map(along);
            let (low, high) = all
                .clone()
                .fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            let middles = named.iter().map(|(l, r)| (along(*l) + along(*r)) * 0.5).collect();
            let offsets =
                [Some(0.0), median(middles), median(all.collect()), Some((low + high) * 0.5)];
            for offset in offsets.into_iter().flatten().filter(|o| o.is_finite()) {
                let plane = Plane { normal: *normal, offset };
                let score = self.score(&plane, named);
                if score > best.0 {
                    best = (score, plane);
                }
            }
        }
        best.1
    }

    /// Main direction of the named pairs, from right to left.
    pub fn across(&self, named: &[(usize, usize)]) -> Option<Vec3> {
        let ways = named
            .iter()
            .map(|(l, r)| self.positions[*l] - self.positions[*r])
            .filter(|w| w.is_finite());
        // The axis of the largest spread, by power iteration. Pairs with swapped names do not
        // affect it.
        let spread = ways
            .clone()
            .fold(Mat3::ZERO, |all, w| all + Mat3::from_cols(w * w.x, w * w.y, w * w.z));
        let mut way = ways.fold(Vec3::ZERO, |all, w| all + w);
        for _ in 0..32 {
            way = (spread * way).normalize_or_zero();
        }
        (way != Vec3::ZERO).then_some(way)
    }

    /// Finds the partner of each joint for a plane. Also returns whether it was found by name.
    pub fn partners(
        &self,
        named: &[(usize, usize)],
        plane: &Plane,
    ) -> (Vec<Option<usize>>, Vec<bool>) {
        let mut partner = vec![None; self.stems.len()];
        let placed = self.pair_by_place(plane, partner.clone(), true);
        for (l, r) in named.iter().copied() {
            let away = self.away(plane, l, r);
            let better =
                |a: usize| placed[a].is_some_and(|b| self.stems[b].side != self.stems[a].side);
            if away <= GROSS * self.size || !(better(l) || better(r)) {
                (partner[l], partner[r]) = (Some(r), Some(l));
            }
        }
        let by_name = partner.iter().map(Option::is_some).collect();
        let partner = self.pair_by_place(plane, partner, true);
        // If two left joints are on opposite sides, one of the names is wrong.
        (self.pair_by_place(plane, partner, false), by_name)
    }

    fn score(&self, plane: &Plane, named: &[(usize, usize)]) -> i64 {
        let mut score = 0;
        for (a, b) in
            self.pair_by_place(plane, vec![None; self.stems.len()], true).into_iter().enumerate()
        {
            let Some(b) = b.filter(|b| a < *b) else { continue };
            let by_name = self.stems[a].side.is_some() && self.stems[b].side.is_some();
            score += if by_name { 8 } else { 4 };
        }
        let near = |(l, r): &&(usize, usize)| {
            let (a, b) = (plane.above(self.positions[*l]), plane.above(self.positions[*r]));
            (a - b).abs() > SAME * self.size && self.away(plane, *l, *r) <= GROSS * self.size
        };
        score + named.iter().filter(near).count() as i64
    }

    /// Pairs the remaining joints by their mirrored rest positions. Parents come first, so that the
    /// pairs of parents are consistent. A joint on the plane is its own partner. With `heed`, two
    /// left joints or two right joints are never paired.
    fn pair_by_place(
        &self,
        plane: &Plane,
        mut partner: Vec<Option<usize>>,
        heed: bool,
    ) -> Vec<Option<usize>> {
        let near = self.size * SAME;
        if near <= 0.0 || !near.is_finite() {
            return partner;
        }
        /// Maximum number of compared joints per cell of the search grid. A skeleton does not have
        /// thousands of joints at one position.
        const MOST: usize = 32;
        let grid = PointGrid::new(&self.positions, near * 2.0, 0.0, MOST);
        for j in self.order.iter().copied() {
            let place = self.positions[j];
            if partner[j].is_some() || !place.is_finite() {
                continue;
            }
            let above = self.paired_above(j, &partner);
            if plane.above(place).abs() <= near && self.stems[j].side.is_none() {
                if above.is_none_or(|p| partner[p] == Some(p)) {
                    partner[j] = Some(j);
                }
                continue;
            }
            let mirrored = plane.mirrored(place);
            let mut best: Option<(f32, usize)> = None;
            grid.visit_near(&self.positions, mirrored, near, |k| {
                let distance = self.positions[k].distance(mirrored);
                let sides = !heed
                    || self.stems[j].side.is_none()
                    || self.stems[j].side != self.stems[k].side;
                if k == j || partner[k].is_some() || distance > near || !sides {
                    return;
                }
                let agree = match (above, self.paired_above(k, &partner)) {
                    (Some(a), Some(b)) => partner[a] == Some(b),
                    (None, None) => self.parents[j] == self.parents[k],
                    _ => false,
                };
                // If several joints are at the same position, the first one is the partner.
                let worse = best.is_some_and(|(d, other)| {
                    let same = (d - distance).abs() < near * 0.1;
                    if same { other < k } else { d < distance }
                });
                if agree && !worse {
                    best = Some((distance, k));
                }
            });
            if let Some((_, k)) = best {
                (partner[j], partner[k]) = (Some(k), Some(j));
            }
        }
        partner
    }

    /// Finds the nearest ancestor with a partner.
    fn paired_above(&self, j: usize, partner: &[Option<usize>]) -> Option<usize> {
        let mut at = self.parents[j];
        // Limit the search, since a chain of joints without partners may be as long as the
        // skeleton. A partner so far up is of no use.
        for _ in 0..16 {
            match at {
                Some(p) if partner[p].is_none() => at = self.parents[p],
                _ => return at,
            }
        }
        None
    }

    /// Whether left is on the positive side of the plane, by the names of joints. Without names,
    /// the positive side is left, as for glTF characters, which face +Z.
    pub fn left_is_high(&self, plane: &Plane) -> bool {
        let mut sum = 0;
        for (stem, place) in self.stems.iter().zip(&self.positions) {
            let above = plane.above(*place);
            if above.abs() > self.size * SAME {
                let high = if above > 0.0 { 1 } else { -1 };
                match stem.side {
                    Some(Side::Left) => sum += high,
                    Some(Side::Right) => sum -= high,
                    _ => {}
                }
            }
        }
        sum >= 0
    }

    pub fn role(
        &self,
        j: usize,
        partner: Option<usize>,
        by_name: bool,
        names: bool,
        plane: &Plane,
        left_high: bool,
    ) -> Role {
        let above = plane.above(self.positions[j]);
        let here = if (above >= 0.0) == left_high { Side::Left } else { Side::Right };
        let own = self.stems[j].side;
        match partner {
            Some(p) if p == j => {
                let how = if names { PairSource::Both } else { PairSource::RestPositions };
                Role { side: Side::Center, partner, how }
            }
            Some(p) => {
                let fits = self.away(plane, j, p) <= self.size * SAME;
                let how = match (by_name, fits) {
                    (true, true) => PairSource::Both,
                    (true, false) => PairSource::Names,
                    (false, _) => PairSource::RestPositions,
                };
                let side = match (own, self.stems[p].side) {
                    (Some(side), other) if other != own => side,
                    // A side in one of both names is enough.
                    (None, Some(other)) => other.other(),
                    _ => {
                        let (a, b) =
                            (plane.above(self.positions[j]), plane.above(self.positions[p]));
                        let high = if a == b { j < p } else { a > b };
                        if high == left_high { Side::Left } else { Side::Right }
                    }
                };
                Role { side, partner, how }
            }
            None => match own {
                Some(side) => Role { side, partner: None, how: PairSource::None },
                // If other joints have sides in their names, a joint without a side is in the
                // center, unless it is far from the plane.
                None if names && above.abs() <= self.size * GROSS => {
                    Role { side: Side::Center, partner: Some(j), how: PairSource::Names }
                }
                None if self.size <= 0.0 => {
                    Role { side: Side::Center, partner: Some(j), how: PairSource::None }
                }
                None => Role { side: here, partner: None, how: PairSource::None },
            },
        }
    }
}

/// Diagonal of the bounding box of some positions; 0 if none is finite.
pub(crate) fn diagonal(places: impl Iterator<Item = Vec3>) -> f32 {
    let finite = places.filter(|p| p.is_finite());
    let (low, high) = finite
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    if low.is_finite() { (high - low).length() } else { 0.0 }
}

/// Parses the names of some nodes into sides and words. If names do not identify a pair, the
/// humanoid map is used.
fn stems(document: &Document, nodes: &[NodeId]) -> Vec<Stem> {
    let mut stems: Vec<Stem> =
        nodes.iter().map(|n| Stem::of(document.node(*n).name.as_deref().unwrap_or(""))).collect();
    let Some(vrm) = document.humanoid() else { return stems };
    let place = |node: NodeId| nodes.iter().position(|n| *n == node);
    for (role, left) in vrm.bones.iter().filter(|(role, _)| role.starts_with("left")) {
        let pair = vrm.mirror(*left).and_then(|right| Some((place(*left)?, place(right)?)));
        let Some((l, r)) = pair.filter(|(l, r)| l != r) else { continue };
        let said = stems[l].side.is_some() && stems[r].side == stems[l].side.map(Side::other);
        if !(said && stems[l].words == stems[r].words) {
            let of = |side| Stem { side: Some(side), words: format!("vrm {role}") };
            (stems[l], stems[r]) = (of(Side::Left), of(Side::Right));
        }
    }
    stems
}

/// Computes the rest positions of all nodes in the scene, for skins without bind matrices.
fn rest_worlds(document: &Document) -> HashMap<NodeId, Vec3> {
    let mut worlds = vec![glam::Mat4::IDENTITY; document.nodes.len()];
    for id in document.nodes.order().iter() {
        let node = document.node(*id);
        let parent = node.parent.map_or(glam::Mat4::IDENTITY, |p| worlds[p.index()]);
        worlds[id.index()] = parent * node.rest.matrix();
    }
    document.node_ids().map(|id| (id, worlds[id.index()].w_axis.truncate())).collect()
}

fn median(mut list: Vec<f32>) -> Option<f32> {
    list.retain(|x| x.is_finite());
    let middle = list.len() / 2;
    (!list.is_empty()).then(|| *list.select_nth_unstable_by(middle, f32::total_cmp).1)
}
