//! Tool that rounds weights to even steps.

use crate::{
    Influences, Refused, Scope, WeightConstraints, WorkingWeights, draft::Fast, ids::to_single,
    normalize::normalize,
};

/// Converts fractions to whole units that sum to `units`. Units lost by rounding down are added
/// where the remainders are largest; in a tie, to the larger fraction, or else to the first one
/// (Hamilton's method).
fn in_units(shares: &[f64], units: f64) -> Vec<f64> {
    // A fraction within rounding error of a whole unit counts as that unit.
    let floor = |share: f64| (share * units + 1e-4).floor();
    let mut whole: Vec<f64> = shares.iter().map(|s| floor(*s)).collect();
    let left = units - whole.iter().sum::<f64>();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let rest = |k: &usize| shares[*k] * units - floor(shares[*k]);
    order.sort_by(|a, b| {
        rest(b).total_cmp(&rest(a)).then(shares[*b].total_cmp(&shares[*a])).then(a.cmp(b))
    });
    order.iter().take(left.max(0.0) as usize).for_each(|k| whole[*k] += 1.0);
    whole
}

/// Rounds unlocked weights to even steps, and the steps to values of the stored type. `room` is
/// reused memory.
fn in_steps(
    list: &mut Influences,
    room: &mut Influences,
    steps: u32,
    rule: &WeightConstraints<'_>,
) {
    let is_locked = |j: u16| rule.locked.get(usize::from(j)).copied().unwrap_or(false);
    let sum = |locked: bool| {
        list.iter().filter(|(j, _)| is_locked(*j) == locked).map(|(_, w)| f64::from(w)).sum::<f64>()
    };
    let (free, open) = ((1.0 - sum(true)).max(0.0), sum(false));
    let units = (free * f64::from(steps)).round();
    if open <= 0.0 || units < 1.0 {
        return;
    }
    let shares: Vec<f64> =
        list.iter().filter(|(j, _)| !is_locked(*j)).map(|(_, w)| f64::from(w) / open).collect();
    let mut shares: Vec<f64> = in_units(&shares, units).into_iter().map(|u| u / units).collect();
    if let Some(one) = rule.encoding.one() {
        let stored = (free * f64::from(one)).round();
        shares = in_units(&shares, stored).into_iter().map(|u| u / f64::from(one) / free).collect();
    }
    let mut shares = shares.into_iter();
    room.clear();
    for (j, w) in list.iter() {
        let value = if is_locked(j) { w } else { to_single(shares.next().unwrap_or(0.0) * free) };
        room.add(j, value);
    }
    std::mem::swap(list, room);
}

impl WorkingWeights<'_> {
    /// Rounds unlocked weights to even steps with a sum of 1. Steps lost by rounding down are
    /// added where the remainders are largest (Hamilton's method). Rounding a second time changes
    /// nothing. If the stored type has fewer steps, its own steps are used.
    pub fn quantize(&mut self, steps: u32, scope: &Scope<'_>) -> Refused {
        self.each(
            scope,
            Fast::None,
            |_| true,
            |_, _, s, rule| {
                let steps = rule.encoding.one().map_or(steps, |one| steps.min(one)).max(1);
                // The influence limit is applied before the steps are distributed.
                normalize(&mut s.list, rule)?;
                in_steps(&mut s.list, &mut s.other, steps, rule);
                normalize(&mut s.list, rule).map(|()| true)
            },
        )
    }
}
