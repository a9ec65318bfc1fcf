//! Who gives and who gets: the rule that keeps the weights of a vertex a sum of 1, in the type they
//! are stored in.
//!
//! What is painted wins; locked joints never move; the rest goes by a rule that can be seen: to the
//! unlocked joints that hold some already, in proportion; else as the neighbors have it; else to
//! the nearest unlocked ancestor; else the change is refused, with the reason.

use thiserror::Error;

use ulna_model::{WeightEncoding, WeightMap};

/// The most influences of a vertex that are worked with. A file may hold more; the smallest then
/// count for nothing.
pub const MOST: usize = 64;

/// The influences of one vertex while they are worked on: each joint once, no weight negative.
#[derive(Clone, Debug)]
pub struct Influences {
    len: usize,
    joints: [u16; MOST],
    weights: [f32; MOST],
}

impl Default for Influences {
    fn default() -> Self {
        Self { len: 0, joints: [0; MOST], weights: [0.0; MOST] }
    }
}

impl PartialEq for Influences {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Influences {
    /// Nothing.
    #[inline]
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// How many joints.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no joint counts.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Joints with their weights.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u16, f32)> + '_ {
        self.joints[..self.len].iter().copied().zip(self.weights[..self.len].iter().copied())
    }

    /// The weight of a joint; 0 where it has none.
    #[inline]
    pub fn get(&self, joint: u16) -> f32 {
        self.find(joint).map_or(0.0, |k| self.weights[k])
    }

    #[inline]
    fn find(&self, joint: u16) -> Option<usize> {
        self.joints[..self.len].iter().position(|j| *j == joint)
    }

    /// Adds to the weight of a joint. A list that is full takes no further joint.
    #[inline]
    pub fn add(&mut self, joint: u16, weight: f32) {
        match self.find(joint) {
            Some(k) => self.weights[k] += weight,
            None if self.len < MOST => {
                self.joints[self.len] = joint;
                self.weights[self.len] = weight;
                self.len += 1;
            }
            None => {}
        }
    }

    #[inline]
    fn set(&mut self, joint: u16, weight: f32) {
        match self.find(joint) {
            Some(k) => self.weights[k] = weight,
            None => self.add(joint, weight),
        }
    }

    #[inline]
    fn remove(&mut self, k: usize) {
        self.len -= 1;
        self.joints[k] = self.joints[self.len];
        self.weights[k] = self.weights[self.len];
    }

    /// As [`Self::remove`], and keeps the order of the others.
    #[inline]
    fn take_out(&mut self, k: usize) {
        self.joints.copy_within(k + 1..self.len, k);
        self.weights.copy_within(k + 1..self.len, k);
        self.len -= 1;
    }

    /// Adds all of another list, times a factor.
    #[inline]
    pub fn add_all(&mut self, other: &Self, factor: f32) {
        other.iter().for_each(|(j, w)| self.add(j, w * factor));
    }

    /// Reads a vertex: slots of one joint together, what is 0, negative or past the skin's joints
    /// left out. Whether a locked joint lost something by that.
    #[inline]
    pub fn read(
        &mut self,
        joints: &[u16],
        weights: &[f32],
        rule: &WeightConstraints<'_>,
    ) -> Result<(), Refusal> {
        self.clear();
        for (j, w) in joints.iter().zip(weights) {
            if *w > 0.0 && usize::from(*j) < rule.locked.len() {
                self.add(*j, *w);
            } else if *w < 0.0 && rule.is_locked(*j) {
                return Err(Refusal::LockedNegative);
            }
        }
        Ok(())
    }

    /// Reads a vertex of a map without a rule: for showing.
    pub fn of(map: &WeightMap, vertex: usize) -> Self {
        let mut list = Self::default();
        map.vertex(vertex).filter(|(_, w)| *w > 0.0).for_each(|(j, w)| list.add(j, w));
        list
    }

    /// Writes the slots of a vertex; what is left over is joint 0 with weight 0.
    #[inline]
    pub fn write(&self, joints: &mut [u16], weights: &mut [f32]) {
        for (k, (j, w)) in joints.iter_mut().zip(weights).enumerate() {
            (*j, *w) = if k < self.len { (self.joints[k], self.weights[k]) } else { (0, 0.0) };
        }
    }

    /// Strongest first; of equals, the joint that comes first in the skin.
    #[inline]
    fn sort(&mut self) {
        for k in 1..self.len {
            let (j, w) = (self.joints[k], self.weights[k]);
            let mut at = k;
            while at > 0
                && (self.weights[at - 1] < w
                    || (self.weights[at - 1] == w && self.joints[at - 1] > j))
            {
                self.joints[at] = self.joints[at - 1];
                self.weights[at] = self.weights[at - 1];
                at -= 1;
            }
            self.joints[at] = j;
            self.weights[at] = w;
        }
    }
}

/// What holds while weights are changed.
#[derive(Clone, Copy, Debug)]
pub struct WeightConstraints<'a> {
    /// By the skin's joints: those that never move.
    pub locked: &'a [bool],
    /// By the skin's joints: the nearest ancestor that is a joint too; `u16::MAX` where there is
    /// none.
    pub parents: &'a [u16],
    /// The most joints a vertex may have: no more than it has slots.
    pub limit: usize,
    /// The type the weights are stored in.
    pub encoding: WeightEncoding,
    /// By the skin's joints, the mirror joint of each, where both sides are to come out alike; else
    /// empty.
    pub pairs: &'a [u16],
    /// Whether the vertex is of the side that is the other's mirror image.
    pub turned: bool,
}

impl WeightConstraints<'_> {
    /// Which of two equal weights comes first: told by the pair and, within one, by the side, so
    /// that it is the mirror image on the other side.
    #[inline]
    fn rank(&self, joint: u16) -> u32 {
        match self.pairs.get(usize::from(joint)) {
            Some(partner) if *partner != u16::MAX => {
                u32::from(joint.min(*partner)) * 2 + u32::from((joint > *partner) != self.turned)
            }
            _ => u32::from(joint) * 2,
        }
    }

    /// A weight as it is compared with others. Where both sides are to come out alike, sums in
    /// another order must not decide: what is nearly equal is equal.
    #[inline]
    fn grade(&self, weight: f32) -> f32 {
        if self.pairs.is_empty() { weight } else { (weight * 1e4).round() }
    }

    #[inline]
    fn is_locked(&self, joint: u16) -> bool {
        self.locked.get(usize::from(joint)).copied().unwrap_or(false)
    }
}

/// Why the weights of a vertex were left as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Refusal {
    /// The painted joint is locked.
    #[error("the joint is locked; unlock it to paint it")]
    Locked,
    /// Locked joints hold everything.
    #[error("locked joints have all of the weight; unlock one of them")]
    Full,
    /// Nobody unlocked can take what is left.
    #[error(
        "no unlocked joint can receive the remaining weight; unlock one, or paint another \
        joint first"
    )]
    NobodyTakes,
    /// The locked joints alone do not leave a slot.
    #[error(
        "the vertex already has the maximum number of influences; unlock one, or raise the \
        maximum"
    )]
    NoPlace,
    /// A locked weight is negative.
    #[error("a locked weight is negative; unlock its joint, then normalize")]
    LockedNegative,
    /// A mesh on another skin shares the vertex, and cannot have the same weights.
    #[error(
        "a coincident vertex of a mesh with another skin cannot get the same weights; paint joints \
            that both skins have, or flatten its weight layers"
    )]
    OtherSkin,
}

impl Refusal {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Locked => "joint_is_locked",
            Self::Full => "joints_locked",
            Self::NobodyTakes => "nothing_takes_the_rest",
            Self::NoPlace => "too_many_influences",
            Self::LockedNegative => "locked_weight_negative",
            Self::OtherSkin => "shared_with_other_skin",
        }
    }
}

/// Whether a joint is one of the painted.
#[inline]
fn painted(wishes: &[(u16, f32)], joint: u16) -> bool {
    wishes.iter().any(|(j, _)| *j == joint)
}

/// Gives joints the weights that were painted, and shares the rest by the rule. `neighbors` adds
/// what the vertices around have; it is asked only where nobody else holds anything.
///
/// # Errors
/// Why not; the list is of no use then.
#[inline]
pub fn paint(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
    neighbors: impl FnOnce(&mut Influences),
) -> Result<(), Refusal> {
    let mut held = 0.0f32;
    let mut others = 0.0f32;
    for (j, w) in list.iter() {
        if rule.is_locked(j) {
            held += w;
        } else if !painted(wishes, j) {
            others += w;
        }
    }
    if wishes.iter().any(|(j, _)| rule.is_locked(*j)) {
        return Err(Refusal::Locked);
    }
    let free = 1.0 - held;
    if free < -1e-4 {
        return Err(Refusal::Full);
    }
    let free = free.max(0.0);
    let wished: f32 = wishes.iter().map(|(_, w)| w.max(0.0)).sum();
    let fit = if wished > free { free / wished } else { 1.0 };
    for (j, w) in wishes {
        list.set(*j, (w.max(0.0) * fit).min(1.0));
    }
    let rest = (free - wished * fit).max(0.0);
    if others > 0.0 {
        let factor = rest / others;
        for k in 0..list.len {
            if !rule.is_locked(list.joints[k]) && !painted(wishes, list.joints[k]) {
                list.weights[k] *= factor;
            }
        }
    } else if rest > rule.encoding.step() * 0.5 + 1e-7 {
        distribute(list, rest, wishes, rule, neighbors)?;
    }
    settle(list, wishes, rule)
}

/// Gives the rest to those that the neighbors have, or to an ancestor.
#[cold]
fn distribute(
    list: &mut Influences,
    rest: f32,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
    neighbors: impl FnOnce(&mut Influences),
) -> Result<(), Refusal> {
    let mut around = Influences::default();
    neighbors(&mut around);
    let takes =
        |j: u16| usize::from(j) < rule.locked.len() && !rule.is_locked(j) && !painted(wishes, j);
    let sum: f32 = around.iter().filter(|(j, w)| takes(*j) && *w > 0.0).map(|(_, w)| w).sum();
    if sum > 1e-6 {
        around
            .iter()
            .filter(|(j, w)| takes(*j) && *w > 0.0)
            .for_each(|(j, w)| list.add(j, w / sum * rest));
        return Ok(());
    }
    for (joint, _) in wishes {
        let mut at = usize::from(*joint);
        // No more steps than joints, whatever the list of parents says.
        for _ in 0..rule.parents.len() {
            let Some(parent) = rule.parents.get(at).copied().filter(|p| *p != u16::MAX) else {
                break;
            };
            if takes(parent) {
                list.add(parent, rest);
                return Ok(());
            }
            at = usize::from(parent);
        }
    }
    Err(Refusal::NobodyTakes)
}

/// Moves the unlocked weights toward others, which need not sum to 1: `w + amount × (t − w)`,
/// never below 0.
///
/// # Errors
/// Why not; the list is of no use then.
#[inline]
pub fn blend(
    list: &mut Influences,
    toward: &Influences,
    amount: f32,
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    if amount == 1.0 {
        let mut kept = 0;
        for k in 0..list.len {
            if rule.is_locked(list.joints[k]) {
                (list.joints[kept], list.weights[kept]) = (list.joints[k], list.weights[k]);
                kept += 1;
            }
        }
        list.len = kept;
    } else {
        for k in 0..list.len {
            if !rule.is_locked(list.joints[k]) {
                list.weights[k] *= 1.0 - amount;
            }
        }
    }
    for (j, w) in toward.iter() {
        if !rule.is_locked(j) && usize::from(j) < rule.locked.len() {
            list.add(j, w * amount);
        }
    }
    for k in 0..list.len {
        if !rule.is_locked(list.joints[k]) {
            list.weights[k] = list.weights[k].max(0.0);
        }
    }
    normalize(list, rule)
}

/// Makes a list its own mirror image: what lies on the plane moves with both sides alike. Where
/// there are more joints than the limit, the smallest that were not painted go with their mirror
/// joints. A pair of which one is locked stays as it is.
///
/// # Errors
/// As [`paint`]; the list is of no use then.
pub fn equalize(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    let partner = |j: u16| {
        let found = rule.pairs.get(usize::from(j)).copied().filter(|p| *p != u16::MAX).unwrap_or(j);
        if rule.is_locked(j) || rule.is_locked(found) { j } else { found }
    };
    let before = list.clone();
    list.clear();
    for (j, w) in before.iter() {
        list.add(j, w * 0.5);
        list.add(partner(j), w * 0.5);
    }
    while list.len > rule.limit {
        let droppable = |j: u16| !rule.is_locked(j) && !painted(wishes, j);
        let open = (0..list.len).filter(|k| droppable(list.joints[*k]));
        let smallest = open.min_by(|a, b| {
            let ranks = rule.rank(list.joints[*b]).cmp(&rule.rank(list.joints[*a]));
            rule.grade(list.weights[*a]).total_cmp(&rule.grade(list.weights[*b])).then(ranks)
        });
        let Some(k) = smallest else { return Err(Refusal::NoPlace) };
        let joint = list.joints[k];
        list.remove(k);
        if let Some(other) = list.find(partner(joint)) {
            list.remove(other);
        }
    }
    if wishes.is_empty() { normalize(list, rule) } else { paint(list, wishes, rule, |_| {}) }
}

/// The least weight that means anything: half a step of the stored type; of floats, what no pose
/// can show.
pub fn least(encoding: WeightEncoding) -> f32 {
    const OF_FLOATS: f32 = 1e-6;
    match encoding {
        WeightEncoding::Float => OF_FLOATS,
        whole => whole.step() * 0.5,
    }
}

/// Drops unlocked weights that mean nothing, but never the largest, and lets the others sum to 1;
/// whether there were any.
///
/// # Errors
/// As [`normalize`].
pub fn drop_traces(list: &mut Influences, rule: &WeightConstraints<'_>) -> Result<bool, Refusal> {
    let (least, before) = (least(rule.encoding), list.len);
    let largest = list.iter().map(|(_, w)| w).fold(0.0, f32::max);
    let mut k = 0;
    while k < list.len {
        let weight = list.weights[k];
        if weight < least && weight < largest && !rule.is_locked(list.joints[k]) {
            list.take_out(k)
        } else {
            k += 1
        }
    }
    if list.len == before {
        return Ok(false);
    }
    normalize(list, rule).map(|()| true)
}

/// Scales the unlocked weights so that all sum to 1.
///
/// # Errors
/// Where locked joints hold more than 1, or nobody unlocked holds anything to be scaled.
#[inline]
pub fn normalize(list: &mut Influences, rule: &WeightConstraints<'_>) -> Result<(), Refusal> {
    let mut held = 0.0f32;
    let mut open = 0.0f32;
    for (j, w) in list.iter() {
        if rule.is_locked(j) {
            held += w;
        } else {
            open += w;
        }
    }
    let free = 1.0 - held;
    if free < -1e-4 {
        return Err(Refusal::Full);
    }
    if open <= 0.0 && free > rule.encoding.step() * 0.5 + 1e-6 {
        return Err(Refusal::NobodyTakes);
    }
    if open > 0.0 && open.is_finite() {
        let factor = free.max(0.0) / open;
        // Sums that are right but for rounding keep their bits where the rule lets them.
        if (factor - 1.0).abs() > 1e-6 {
            for k in 0..list.len {
                if !rule.is_locked(list.joints[k]) {
                    list.weights[k] *= factor;
                }
            }
        }
    }
    settle(list, &[], rule)
}

/// Brings a list that sums to 1 within rounding to its stored form: no more joints than the limit,
/// the stored type's own numbers, a sum of 1 in them, strongest first. The largest unlocked weight
/// that was not painted takes the remainder.
#[inline]
fn settle(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    let mut k = 0;
    while k < list.len {
        if list.weights[k] <= 0.0 { list.remove(k) } else { k += 1 }
    }
    if list.len > rule.limit {
        // In order, so that sums do not depend on how the list came about.
        list.sort();
        limit(list, wishes, rule)?;
    }
    match rule.encoding.one() {
        Some(one) => settle_whole(list, wishes, rule, one),
        None => settle_floats(list, wishes, rule),
    }
}

/// Drops the smallest unlocked weights, and gives what they held to those that stay.
#[cold]
fn limit(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    let mut dropped = 0.0f32;
    while list.len > rule.limit {
        let droppable = |j: u16| !rule.is_locked(j) && !painted(wishes, j);
        let smallest = (0..list.len).filter(|k| droppable(list.joints[*k])).min_by(|a, b| {
            rule.grade(list.weights[*a])
                .total_cmp(&rule.grade(list.weights[*b]))
                .then(rule.rank(list.joints[*b]).cmp(&rule.rank(list.joints[*a])))
        });
        let Some(k) = smallest else { return Err(Refusal::NoPlace) };
        dropped += list.weights[k];
        list.take_out(k);
    }
    let open =
        |j: u16, painted_too: bool| !rule.is_locked(j) && (painted_too || !painted(wishes, j));
    for painted_too in [false, true] {
        let sum: f32 = list.iter().filter(|(j, _)| open(*j, painted_too)).map(|(_, w)| w).sum();
        if sum > 0.0 {
            let factor = (sum + dropped) / sum;
            for k in 0..list.len {
                if open(list.joints[k], painted_too) {
                    list.weights[k] *= factor;
                }
            }
            return Ok(());
        }
    }
    Err(Refusal::NobodyTakes)
}

/// Who takes the remainder: the largest unlocked weight, one that was not painted before one that
/// was.
#[inline]
fn remainder_receiver(
    list: &Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Option<usize> {
    let mut best: Option<(bool, usize)> = None;
    for k in 0..list.len {
        let joint = list.joints[k];
        if rule.is_locked(joint) {
            continue;
        }
        let plain = !painted(wishes, joint);
        let better = match best {
            None => true,
            Some((p, b)) if plain == p => {
                let (w, v) = (rule.grade(list.weights[k]), rule.grade(list.weights[b]));
                w > v || (w == v && rule.rank(joint) < rule.rank(list.joints[b]))
            }
            Some((p, _)) => plain && !p,
        };
        if better {
            best = Some((plain, k));
        }
    }
    best.map(|(_, k)| k)
}

#[inline]
fn settle_floats(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    // A remainder below 0 empties its taker; there are no more tries than takers.
    for _ in 0..=MOST {
        list.sort();
        let sum: f32 = list.iter().map(|(_, w)| w).sum();
        if (sum - 1.0).abs() <= 1.2e-7 {
            return Ok(());
        }
        let Some(k) = remainder_receiver(list, wishes, rule) else {
            // Only locked weights: they are right within what the validator allows, or nothing can
            // be done.
            let allowed = 2e-7 * list.len as f32;
            return if (sum - 1.0).abs() <= allowed { Ok(()) } else { Err(Refusal::Full) };
        };
        let others: f32 =
            list.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, (_, w))| w).sum();
        let left = 1.0 - others;
        if left > 0.0 {
            list.weights[k] = left;
            list.sort();
            return Ok(());
        }
        list.remove(k);
    }
    Err(Refusal::Full)
}

#[inline]
fn settle_whole(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
    one: u32,
) -> Result<(), Refusal> {
    let mut whole = [0i64; MOST];
    let mut sum = 0i64;
    for (k, (_, w)) in list.iter().enumerate() {
        whole[k] = i64::from(rule.encoding.encode(w));
        sum += whole[k];
    }
    let mut left = i64::from(one) - sum;
    // Takers by what they hold now; one that is emptied leaves the rest to the next.
    for _ in 0..=list.len {
        if left == 0 {
            break;
        }
        let Some(k) = remainder_receiver(list, wishes, rule) else { return Err(Refusal::Full) };
        let now = (whole[k] + left).max(0);
        left -= now - whole[k];
        whole[k] = now;
        list.weights[k] = rule.encoding.decode(now as u32);
        if now == 0 {
            list.len -= 1;
            list.joints[k] = list.joints[list.len];
            list.weights[k] = list.weights[list.len];
            whole[k] = whole[list.len];
        }
    }
    if left != 0 {
        return Err(Refusal::Full);
    }
    let mut k = 0;
    while k < list.len {
        if whole[k] == 0 {
            list.remove(k);
            whole[k] = whole[list.len];
        } else {
            // What was a stored number keeps its bits by this, and what was two becomes one.
            list.weights[k] = rule.encoding.decode(whole[k] as u32);
            k += 1;
        }
    }
    list.sort();
    Ok(())
}
