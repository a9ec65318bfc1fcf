//! Which joint is the mirror image of which: by names, by where they rest, or by both.
//!
//! Mirroring a pose, a clip or weights needs it, and no file says it. Names are asked first, since they say what was meant;
//! rest positions find pairs where names are silent, and win only where a name's pair is grossly out of place.

use std::collections::{BTreeMap, HashMap};

use glam::{IVec3, Vec3};

use super::names::Stem;
use crate::model::{Document, NodeId, SkinId};

/// A side of the mirror plane, as the character has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
    /// On the plane.
    Centre,
}

impl Side {
    /// The side across the plane.
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Centre => Self::Centre,
        }
    }
}

/// What a role was guessed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSource {
    /// Names alone; rest positions do not agree with them.
    Names,
    /// Rest positions alone; names say nothing, or the wrong thing.
    RestPositions,
    /// Names, and rest positions agree.
    Both,
    /// Nothing: no partner was found, and the side is the one it lies on.
    None,
    /// Nothing was guessed: [`MirrorPairs::set_partner`] said so.
    Given,
}

impl PairSource {
    /// In words, after the partner's name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Names => "by their names",
            Self::RestPositions => "by where they rest",
            Self::Both => "by names and places",
            Self::None => "a guess",
            Self::Given => "as you said",
        }
    }
}

/// What one joint is to the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its side.
    pub side: Side,
    /// Its mirror joint, an index into the skin's list; a joint of the centre is its own.
    pub partner: Option<usize>,
    /// What that was guessed from.
    pub how: PairSource,
}

/// The roles of all joints of a skin, and the mirror plane. `partner` is symmetric: the partner's partner is the joint.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorPairs {
    roles: Vec<Role>,
    positions: Vec<Vec3>,
    plane: Plane,
    /// Whether left is where the axis grows.
    left_is_high: bool,
}

/// Distances, in sizes of the skeleton: within the first, two places are the same.
const SAME: f32 = 0.005;
/// Beyond this, a pair of names is grossly out of place.
const GROSS: f32 = 0.05;

impl MirrorPairs {
    /// Guesses the roles of a skin's joints, and takes the pairs that were given.
    pub fn of(document: &Document, skin: SkinId) -> Self {
        let mut roles = Self::guessed(document, skin);
        let joints = &document.skin(skin).joints;
        let number = |node: NodeId| joints.iter().position(|j| *j == node);
        for (joint, with) in document.aids.mirror_pairs.iter() {
            // A pair of another skin says nothing of this one.
            match (number(*joint), with.map(number)) {
                (Some(a), None) => roles.set_partner(a, None),
                (Some(a), Some(Some(b))) => roles.set_partner(a, Some(b)),
                _ => {}
            }
        }
        roles
    }

    fn guessed(document: &Document, skin: SkinId) -> Self {
        let joints = Joints::of(document, skin);
        let named = joints.named_pairs();
        let plane = joints.plane(&named);
        let mut partner = vec![None; joints.stems.len()];
        let placed = joints.pair_by_place(&plane, vec![None; joints.stems.len()], true);
        for (l, r) in named {
            let away = joints.away(&plane, l, r);
            let better = |a: usize| placed[a].is_some_and(|b| joints.stems[b].side != joints.stems[a].side);
            if away <= GROSS * joints.size || !(better(l) || better(r)) {
                (partner[l], partner[r]) = (Some(r), Some(l));
            }
        }
        let by_name = partner.clone();
        let partner = joints.pair_by_place(&plane, partner, true);
        // Two lefts across the plane from each other: one of the names is wrong.
        let partner = joints.pair_by_place(&plane, partner, false);
        let left_is_high = joints.left_is_high(&plane);
        let uses_names = by_name.iter().any(Option::is_some);
        let roles = (0..partner.len())
            .map(|j| joints.role(j, partner[j], by_name[j].is_some(), uses_names, &plane, left_is_high))
            .collect();
        Self { roles, positions: joints.positions, plane, left_is_high }
    }

    /// One role a joint, in the skin's order.
    pub fn joints(&self) -> &[Role] {
        &self.roles
    }

    /// The axis of mesh space across which the skeleton is mirrored: 0, 1 or 2.
    pub const fn axis(&self) -> usize {
        self.plane.axis
    }

    /// Where the mirror plane cuts that axis, metres in mesh space.
    pub const fn offset(&self) -> f32 {
        self.plane.offset
    }

    /// The mirror image of a place in mesh space.
    pub fn mirrored(&self, place: Vec3) -> Vec3 {
        self.plane.mirrored(place)
    }

    /// The mirror joint of each joint, `u16::MAX` where it has none: what mirroring weights wants.
    pub fn mirror_joints(&self) -> Vec<u16> {
        let partner = |role: &Role| role.partner.and_then(|p| u16::try_from(p).ok()).unwrap_or(u16::MAX);
        self.roles.iter().map(partner).collect()
    }

    /// Says that two joints are each other's mirror image, or, where they are the same, that it is of the centre; or that one
    /// has no mirror image. What they were partners of before has none then. Nothing happens where a joint is not there.
    pub fn set_partner(&mut self, a: usize, partner: Option<usize>) {
        let b = partner.unwrap_or(a);
        if a.max(b) >= self.roles.len() {
            return;
        }
        for joint in [a, b] {
            if let Some(old) = self.roles[joint].partner {
                self.roles[old].partner = None;
                self.roles[old].how = PairSource::None;
            }
        }
        let (mut side, mut other) = (self.roles[a].side, self.roles[b].side);
        if partner.is_none() {
            self.roles[a] = Role { side, partner, how: PairSource::Given };
            return;
        }
        if a == b {
            (side, other) = (Side::Centre, Side::Centre);
        } else if side == Side::Centre || side.other() != other {
            let axis = self.plane.axis;
            let a_is_left = (self.positions[a][axis] >= self.positions[b][axis]) == self.left_is_high;
            side = if a_is_left { Side::Left } else { Side::Right };
            other = side.other();
        }
        self.roles[a] = Role { side, partner: Some(b), how: PairSource::Given };
        self.roles[b] = Role { side: other, partner: Some(a), how: PairSource::Given };
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    axis: usize,
    offset: f32,
}

impl Plane {
    fn mirrored(&self, mut place: Vec3) -> Vec3 {
        place[self.axis] = 2.0 * self.offset - place[self.axis];
        place
    }

    /// How far a place is on the high side.
    fn above(&self, place: Vec3) -> f32 {
        place[self.axis] - self.offset
    }
}

/// What is known of a skin's joints before anything is guessed.
struct Joints {
    stems: Vec<Stem>,
    /// Rest positions in mesh space.
    positions: Vec<Vec3>,
    /// The next joint above each, by index.
    parents: Vec<Option<usize>>,
    /// Parents first.
    order: Vec<usize>,
    /// The diagonal of the box of all positions.
    size: f32,
}

impl Joints {
    fn of(document: &Document, skin: SkinId) -> Self {
        let skin = document.skin(skin);
        let mut index: HashMap<NodeId, usize> = HashMap::new();
        for (j, node) in skin.joints.iter().enumerate() {
            index.entry(*node).or_insert(j);
        }
        let mut worlds = HashMap::new();
        if !skin.has_inverse_bind {
            worlds = rest_worlds(document);
        }
        let positions: Vec<Vec3> = skin
            .joints
            .iter()
            .enumerate()
            .map(|(j, node)| match skin.inverse_bind.get(j).filter(|_| skin.has_inverse_bind) {
                Some(joint_from_mesh) => joint_from_mesh.inverse().w_axis.truncate(),
                None => worlds.get(node).copied().unwrap_or(Vec3::ZERO),
            })
            .collect();
        let mut above: Vec<Option<usize>> = vec![None; document.nodes.len()];
        let mut parents = vec![None; skin.joints.len()];
        let mut order = Vec::with_capacity(skin.joints.len());
        for node in document.nodes.order().iter() {
            let parent = document.node(*node).parent;
            let joint = parent.and_then(|p| index.get(&p).copied().or(above[p.index()]));
            above[node.index()] = joint;
            if let Some(j) = index.get(node) {
                parents[*j] = joint;
                order.push(*j);
            }
        }
        let finite = positions.iter().filter(|p| p.is_finite());
        let (low, high) =
            finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        let size = if low.is_finite() { (high - low).length() } else { 0.0 };
        let stems = skin.joints.iter().map(|n| Stem::of(document.node(*n).name.as_deref().unwrap_or(""))).collect();
        Self { stems, positions, parents, order, size }
    }

    /// Pairs of a left and a right joint whose stems are equal and no other's are; then the same without the numbers at the
    /// ends of the names.
    fn named_pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut open: Vec<bool> = self.stems.iter().map(|s| s.side.is_some()).collect();
        for stem in [|s: &Stem| s.words.clone(), |s: &Stem| s.without_number().to_owned()] {
            let mut sides: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
            for (j, known) in self.stems.iter().enumerate().filter(|(j, _)| open[*j]) {
                sides.entry(stem(known)).or_default()[usize::from(known.side == Some(Side::Right))].push(j);
            }
            for [left, right] in sides.values() {
                if let ([l], [r]) = (left.as_slice(), right.as_slice()) {
                    (open[*l], open[*r]) = (false, false);
                    pairs.push((*l, *r));
                }
            }
        }
        pairs
    }

    /// How far a joint's mirror image is from another joint.
    fn away(&self, plane: &Plane, a: usize, b: usize) -> f32 {
        plane.mirrored(self.positions[a]).distance(self.positions[b])
    }

    /// The plane across which most joints come in pairs: by place, and by name where the places nearly agree.
    fn plane(&self, named: &[(usize, usize)]) -> Plane {
        let mut best = (0, Plane { axis: 0, offset: 0.0 });
        for axis in 0..3 {
            let along = |j: usize| self.positions[j][axis];
            let all = (0..self.positions.len()).map(along);
            let (low, high) = all.clone().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            let middles = named.iter().map(|(l, r)| (along(*l) + along(*r)) * 0.5).collect();
            let offsets = [Some(0.0), median(middles), median(all.collect()), Some((low + high) * 0.5)];
            for offset in offsets.into_iter().flatten().filter(|o| o.is_finite()) {
                let plane = Plane { axis, offset };
                let score = self.score(&plane, named);
                if score > best.0 {
                    best = (score, plane);
                }
            }
        }
        best.1
    }

    fn score(&self, plane: &Plane, named: &[(usize, usize)]) -> i64 {
        let mut score = 0;
        for (a, b) in self.pair_by_place(plane, vec![None; self.stems.len()], true).into_iter().enumerate() {
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

    /// Pairs what is not paired yet: joints whose mirrored rest position is another's, parents first, so that the parents'
    /// pairs agree. A joint on the plane is its own partner. `heed` names: never pair two lefts or two rights.
    fn pair_by_place(&self, plane: &Plane, mut partner: Vec<Option<usize>>, heed: bool) -> Vec<Option<usize>> {
        let near = self.size * SAME;
        if near <= 0.0 || !near.is_finite() {
            return partner;
        }
        let grid = Grid::new(&self.positions, near * 2.0);
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
            grid.near(mirrored, &mut |k| {
                let distance = self.positions[k].distance(mirrored);
                let sides = !heed || self.stems[j].side.is_none() || self.stems[j].side != self.stems[k].side;
                if k == j || partner[k].is_some() || distance > near || !sides {
                    return;
                }
                let agree = match (above, self.paired_above(k, &partner)) {
                    (Some(a), Some(b)) => partner[a] == Some(b),
                    (None, None) => self.parents[j] == self.parents[k],
                    _ => false,
                };
                // Joints in the same place are told apart by their order.
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

    /// The nearest joint above that has a partner: what is between is extra.
    fn paired_above(&self, j: usize, partner: &[Option<usize>]) -> Option<usize> {
        let mut at = self.parents[j];
        // Chains of joints without a partner can be as long as the skeleton, and then agree with nothing anyway.
        for _ in 0..16 {
            match at {
                Some(p) if partner[p].is_none() => at = self.parents[p],
                _ => return at,
            }
        }
        None
    }

    /// Where the names say left is; the high side where they say nothing, as in glTF, whose characters look along +Z.
    fn left_is_high(&self, plane: &Plane) -> bool {
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

    fn role(
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
                Role { side: Side::Centre, partner, how }
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
                    // A name on one of the two is enough.
                    (None, Some(other)) => other.other(),
                    _ => {
                        let (a, b) = (self.positions[j][plane.axis], self.positions[p][plane.axis]);
                        let high = if a == b { j < p } else { a > b };
                        if high == left_high { Side::Left } else { Side::Right }
                    }
                };
                Role { side, partner, how }
            }
            None => match own {
                Some(side) => Role { side, partner: None, how: PairSource::None },
                // Where sides have names, none means the centre, if it is not far off.
                None if names && above.abs() <= self.size * GROSS => {
                    Role { side: Side::Centre, partner: Some(j), how: PairSource::Names }
                }
                None if self.size <= 0.0 => Role { side: Side::Centre, partner: Some(j), how: PairSource::None },
                None => Role { side: here, partner: None, how: PairSource::None },
            },
        }
    }
}

/// Where every node rests in the scene: stands in for bind positions where a skin gives none.
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

/// Joints by the cell they are in.
struct Grid {
    cell: f32,
    cells: HashMap<IVec3, Vec<usize>>,
}

impl Grid {
    /// Joints of one cell that are looked at: thousands in one spot are no skeleton.
    const MOST: usize = 32;

    fn new(positions: &[Vec3], cell: f32) -> Self {
        let mut cells: HashMap<IVec3, Vec<usize>> = HashMap::new();
        for (j, place) in positions.iter().enumerate().filter(|(_, p)| p.is_finite()) {
            cells.entry((*place / cell).floor().as_ivec3()).or_default().push(j);
        }
        Self { cell, cells }
    }

    /// Everything within half a cell, and more.
    fn near(&self, place: Vec3, visit: &mut dyn FnMut(usize)) {
        let low = (place / self.cell - 0.5).floor().as_ivec3();
        for k in 0..8 {
            let cell = low.saturating_add(IVec3::new(k & 1, k >> 1 & 1, k >> 2));
            for j in self.cells.get(&cell).into_iter().flatten().take(Self::MOST) {
                visit(*j);
            }
        }
    }
}

#[cfg(test)]
mod tests;
