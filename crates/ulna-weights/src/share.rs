//! Who gives and who gets: the rule that keeps the weights of a vertex a sum of 1, in the type they
//! are stored in.
//!
//! What is painted wins; locked joints never move; the rest goes by a rule that can be seen: to the
//! unlocked joints that hold some already, in proportion; else as the neighbors have it; else to
//! the nearest unlocked ancestor; else the change is refused, with the reason.

use super::{Influences, MOST, Refusal, WeightConstraints};
use ulna_model::WeightEncoding;

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
