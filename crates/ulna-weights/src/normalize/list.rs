//! Normalization of one list of influences, for any length, encoding and constraints.

use pulp::Scalar;

use super::{
    kernel::{self, SlotClass, Slots},
    lanes::{F32Lanes, Masks},
};
use crate::{Influences, MOST, Refusal, WeightConstraints, ids::to_f32};
use ulna_model::WeightEncoding;

/// Whether `wishes` contains a joint, which makes it a painted joint.
#[inline]
fn painted(wishes: &[(u16, f32)], joint: u16) -> bool {
    wishes.iter().any(|(j, _)| *j == joint)
}

/// A list of influences in one lane, with its constraints and painted joints.
struct ConstrainedList<'a> {
    list: &'a mut Influences,
    wishes: &'a [(u16, f32)],
    rule: &'a WeightConstraints<'a>,
}

impl<'a> ConstrainedList<'a> {
    #[inline(always)]
    const fn new(
        list: &'a mut Influences,
        wishes: &'a [(u16, f32)],
        rule: &'a WeightConstraints<'a>,
    ) -> Self {
        Self { list, wishes, rule }
    }

    /// Returns the slot of the largest weight that is neither locked nor painted, else of the
    /// largest unlocked weight.
    #[inline(always)]
    fn strongest(&self) -> Option<usize> {
        let (list, rule) = (&*self.list, self.rule);
        let mut best: Option<(bool, usize)> = None;
        for k in 0..list.len {
            let joint = list.joints[k];
            if rule.is_locked(joint) {
                continue;
            }
            let is_free = !painted(self.wishes, joint);
            let better = match best {
                None => true,
                Some((free, b)) if is_free == free => {
                    let (w, v) = (rule.grade(list.weights[k]), rule.grade(list.weights[b]));
                    w > v || (w == v && rule.rank(joint) < rule.rank(list.joints[b]))
                }
                Some((free, _)) => is_free && !free,
            };
            if better {
                best = Some((is_free, k));
            }
        }
        best.map(|(_, k)| k)
    }
}

impl Slots for ConstrainedList<'_> {
    type Lanes = Scalar;
    type Choice = Option<usize>;

    #[inline(always)]
    fn simd(&self) -> Scalar {
        Scalar
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.list.len
    }

    #[inline(always)]
    fn weight(&self, slot: usize) -> F32Lanes<Scalar> {
        F32Lanes(Scalar, self.list.weights[slot])
    }

    #[inline(always)]
    fn set_weight(&mut self, slot: usize, weight: F32Lanes<Scalar>) {
        self.list.weights[slot] = weight.1;
    }

    #[inline(always)]
    fn is_in(&self, class: SlotClass, slot: usize) -> Masks<Scalar> {
        let joint = self.list.joints[slot];
        let is_locked = self.rule.is_locked(joint);
        Masks(
            Scalar,
            match class {
                SlotClass::Locked => is_locked,
                SlotClass::Unlocked => !is_locked,
                SlotClass::Free => !is_locked && !painted(self.wishes, joint),
            },
        )
    }

    /// Scales the weights of a class. Locked joints are skipped by a branch, which is faster here
    /// than a masked selection.
    #[inline(always)]
    fn scale(&mut self, class: SlotClass, factor: F32Lanes<Scalar>) {
        for slot in 0..self.list.len {
            if self.is_in(class, slot).1 {
                self.list.weights[slot] *= factor.1;
            }
        }
    }

    #[inline(always)]
    fn is_any(&self, choice: Option<usize>) -> Masks<Scalar> {
        Masks(Scalar, choice.is_some())
    }

    #[inline(always)]
    fn sum_of_others(&self, choice: Option<usize>) -> F32Lanes<Scalar> {
        let others = self.list.weights[..self.list.len].iter().enumerate();
        F32Lanes(Scalar, others.filter(|(slot, _)| choice != Some(*slot)).map(|(_, w)| w).sum())
    }

    #[inline(always)]
    fn set_chosen(
        &mut self,
        choice: Option<usize>,
        lanes: Masks<Scalar>,
        weight: F32Lanes<Scalar>,
    ) {
        if let Some(slot) = choice.filter(|_| lanes.1) {
            self.list.weights[slot] = weight.1;
        }
    }
}

/// Sets painted joints to the wanted weights, and distributes the remaining weight. `neighbors`
/// adds the influences of neighboring vertices. It is called only if no unlocked joint that is not
/// painted has weight.
///
/// # Errors
/// The reason why the change is refused. The list is then undefined.
#[inline]
pub fn paint(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
    neighbors: impl FnOnce(&mut Influences),
) -> Result<(), Refusal> {
    if wishes.iter().any(|(j, _)| rule.is_locked(*j)) {
        return Err(Refusal::Locked);
    }
    let wanted: f32 = wishes.iter().map(|(_, w)| w.max(0.0)).sum();
    let wanted = F32Lanes(Scalar, wanted);
    let division = kernel::divide(&mut ConstrainedList::new(list, wishes, rule), wanted);
    if !kernel::is_room(division.room).holds() {
        return Err(Refusal::Full);
    }
    for (j, w) in wishes {
        list.set(*j, division.fitted(F32Lanes(Scalar, *w)).1);
    }
    let rest = division.rest.1;
    let tolerated = rule.encoding.step() * 0.5 + kernel::REST_TOLERANCE;
    if !division.is_shared.holds() && rest > tolerated {
        distribute(list, rest, wishes, rule, neighbors)?;
    }
    quantize(list, wishes, rule)
}

/// Distributes the remaining weight to the joints of the neighbors, else to the nearest ancestor
/// that can receive it.
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
        // At most one step per joint, in case the parents form a cycle.
        for _ in 0..rule.parents.len() {
            let Some(parent) = rule.parents.get(at).copied().flatten() else { break };
            if takes(parent.0) {
                list.add(parent.0, rest);
                return Ok(());
            }
            at = parent.index();
        }
    }
    Err(Refusal::NobodyTakes)
}

/// Blends the unlocked weights toward target weights `t`: `w + amount × (t − w)`, at least 0. The
/// target weights need not sum to 1.
///
/// # Errors
/// The reason why the change is refused. The list is then undefined.
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

/// Makes a list its own mirror image, for points on the mirror plane. If there are more joints than
/// the limit, the smallest unpainted ones are dropped together with their mirror joints. Pairs with
/// a locked joint stay unchanged.
///
/// # Errors
/// As for [`paint`]. The list is then undefined.
pub fn equalize(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    let partner = |j: u16| {
        let found = rule.pairs.get(usize::from(j)).copied().flatten().map_or(j, |p| p.0);
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

/// Returns the minimum relevant weight: half a step of an integer type. For floats, it is a weight
/// without a visible effect.
pub fn least(encoding: WeightEncoding) -> f32 {
    const OF_FLOATS: f32 = 1e-6;
    match encoding {
        WeightEncoding::Float => OF_FLOATS,
        whole => whole.step() * 0.5,
    }
}

/// Drops unlocked weights below a value, except the largest, and normalizes the list.
pub fn prune(
    list: &mut Influences,
    below: f32,
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    kernel::drop_below(&mut ConstrainedList::new(list, &[], rule), below);
    normalize(list, rule)
}

/// Drops negligible unlocked weights, except the largest, and normalizes the list. Returns whether
/// any weight was dropped.
pub fn drop_traces(list: &mut Influences, rule: &WeightConstraints<'_>) -> Result<bool, Refusal> {
    let below = least(rule.encoding);
    if !kernel::drop_below(&mut ConstrainedList::new(list, &[], rule), below).holds() {
        return Ok(false);
    }
    normalize(list, rule).map(|()| true)
}

/// Scales the unlocked weights so that all weights sum to 1.
///
/// # Errors
/// The locked weights sum to more than 1, or no unlocked joint has weight.
#[inline]
pub fn normalize(list: &mut Influences, rule: &WeightConstraints<'_>) -> Result<(), Refusal> {
    let slots = &mut ConstrainedList::new(list, &[], rule);
    let totals = kernel::totals(slots);
    if !kernel::is_room(totals.room).holds() {
        return Err(Refusal::Full);
    }
    let unlocked = totals.unlocked.1;
    if unlocked <= 0.0 && totals.room.1 > rule.encoding.step() * 0.5 + 1e-6 {
        return Err(Refusal::NobodyTakes);
    }
    if unlocked > 0.0 && unlocked.is_finite() {
        kernel::scale_to_one(slots, &totals);
    }
    quantize(list, &[], rule)
}

/// Converts a list with a sum of approximately 1 to its stored form, strongest weight first. The
/// number of joints is limited. Weights are rounded to the stored type with an exact sum of 1. The
/// largest weight that is neither locked nor painted receives the remainder.
#[inline]
fn quantize(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    let mut k = 0;
    while k < list.len {
        if list.weights[k] <= 0.0 { list.remove(k) } else { k += 1 }
    }
    if list.len > rule.limit {
        // The sums must not depend on the original order of the list.
        list.sort();
        limit(list, wishes, rule)?;
    }
    match rule.encoding.one() {
        Some(one) => quantize_whole(list, wishes, rule, one),
        None => quantize_floats(list, wishes, rule),
    }
}

/// Drops the smallest unlocked weights down to the limit, and distributes them to the remaining
/// influences.
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
    let list = &mut ConstrainedList::new(list, wishes, rule);
    let dropped = F32Lanes(Scalar, dropped);
    for class in [SlotClass::Free, SlotClass::Unlocked] {
        if kernel::distribute_dropped(list, class, dropped, Masks(Scalar, true)).holds() {
            return Ok(());
        }
    }
    Err(Refusal::NobodyTakes)
}

#[inline]
fn quantize_floats(
    list: &mut Influences,
    wishes: &[(u16, f32)],
    rule: &WeightConstraints<'_>,
) -> Result<(), Refusal> {
    // Each try with a remainder below 0 removes its receiver, so there is at most one try per
    // receiver.
    for _ in 0..=MOST {
        list.sort();
        let slots = &mut ConstrainedList::new(list, wishes, rule);
        let is_exact = kernel::is_exact(slots);
        if is_exact.holds() {
            return Ok(());
        }
        let Some(k) = slots.strongest() else {
            // All weights are locked, so the sum cannot change.
            let influences = F32Lanes(Scalar, to_f32(slots.count()));
            let is_valid = kernel::is_valid_sum(kernel::sum(slots), influences).holds();
            return if is_valid { Ok(()) } else { Err(Refusal::Full) };
        };
        if kernel::give_remainder(slots, is_exact, Some(k)).holds() {
            list.sort();
            return Ok(());
        }
        list.remove(k);
    }
    Err(Refusal::Full)
}

#[inline]
fn quantize_whole(
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
    // Receivers take the remainder by descending weight. A receiver that becomes 0 passes on what
    // remains.
    for _ in 0..=list.len {
        if left == 0 {
            break;
        }
        let Some(k) = ConstrainedList::new(list, wishes, rule).strongest() else {
            return Err(Refusal::Full);
        };
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
            // Decoding stored values keeps their bits, so that duplicates can be merged.
            list.weights[k] = rule.encoding.decode(whole[k] as u32);
            k += 1;
        }
    }
    list.sort();
    Ok(())
}
