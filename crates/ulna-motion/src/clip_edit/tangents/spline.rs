//! Tridiagonal systems of smooth tangents.

/// One row of a tridiagonal system: `before · x₋ + own · x + after · x₊ = right`. Unknowns are
/// vectors of the same size.
pub(super) struct Row {
    pub before: f64,
    pub own: f64,
    pub after: f64,
    pub right: Vec<f64>,
}

impl Row {
    /// Creates a row that sets the unknown to a fixed value.
    pub(super) const fn fixed(value: Vec<f64>) -> Self {
        Self { before: 0.0, own: 1.0, after: 0.0, right: value }
    }

    /// Creates a row for zero acceleration at the start of a segment. `rate` is the segment's rate
    /// of change.
    pub(super) fn first(rate: &[f64]) -> Self {
        Self { before: 0.0, own: 2.0, after: 1.0, right: rate.iter().map(|r| 3.0 * r).collect() }
    }

    /// Creates a row for zero acceleration at the end of a segment. `rate` is the segment's rate of
    /// change.
    pub(super) fn last(rate: &[f64]) -> Self {
        Self { before: 1.0, after: 0.0, ..Self::first(rate) }
    }

    /// Creates a row for equal acceleration on both sides of a key:
    /// `h₁m₋ + 2(h₀ + h₁)m + h₀m₊ = 3(h₁δ₀ + h₀δ₁)`, divided by `h₀ + h₁`.
    pub(super) fn between((h0, d0): (f64, &[f64]), (h1, d1): (f64, &[f64])) -> Self {
        let sum = h0 + h1;
        let (before, after) = (h1 / sum, h0 / sum);
        let right = d0.iter().zip(d1).map(|(a, b)| 3.0 * (before * a + after * b)).collect();
        Self { before, own: 2.0, after, right }
    }
}

/// Solves diagonally dominant rows by elimination (L. H. Thomas, 1949), in linear time.
pub(super) fn solved(mut rows: Vec<Row>) -> Vec<Vec<f64>> {
    for k in 1..rows.len() {
        let (done, rest) = rows.split_at_mut(k);
        let (above, row) = (&done[k - 1], &mut rest[0]);
        let factor = row.before / above.own;
        row.own -= factor * above.after;
        row.right.iter_mut().zip(&above.right).for_each(|(r, a)| *r -= factor * a);
    }
    for k in (0..rows.len()).rev() {
        let (rest, done) = rows.split_at_mut(k + 1);
        let row = &mut rest[k];
        let after = row.after;
        if let Some(next) = done.first() {
            row.right.iter_mut().zip(&next.right).for_each(|(r, n)| *r -= after * n);
        }
        let own = row.own;
        row.right.iter_mut().for_each(|r| *r /= own);
    }
    rows.into_iter().map(|r| r.right).collect()
}

/// Solves at least two cyclic rows. The first unknown is moved to the right-hand side, and solved
/// last.
pub(super) fn solved_round(mut rows: Vec<Row>) -> Vec<Vec<f64>> {
    let first = rows.remove(0);
    let size = first.right.len();
    let last = rows.len() - 1;
    // One additional number per row: its dependence on the first unknown.
    for row in &mut rows {
        row.right.push(0.0);
    }
    rows[0].right[size] += rows[0].before;
    let round = rows[last].after;
    rows[last].right[size] += round;
    (rows[0].before, rows[last].after) = (0.0, 0.0);
    let mut found = solved(rows);
    let (next, end) = (&found[0], &found[last]);
    let own = first.own - first.after * next[size] - first.before * end[size];
    let value: Vec<f64> = (0..size)
        .map(|c| (first.right[c] - first.after * next[c] - first.before * end[c]) / own)
        .collect();
    for row in &mut found {
        let by = row[size];
        row.truncate(size);
        row.iter_mut().zip(&value).for_each(|(r, v)| *r -= by * v);
    }
    found.insert(0, value);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_solution_satisfies_all_rows(
            spans in prop::collection::vec((0.01f64..3.0, -5.0f64..5.0), 2..20),
            round in any::<bool>(),
        ) {
            let n = spans.len();
            let rates: Vec<[f64; 1]> = spans.iter().map(|s| [s.1]).collect();
            let between = |k: usize| {
                let b = (k + n - 1) % n;
                Row::between((spans[b].0, &rates[b]), (spans[k].0, &rates[k]))
            };
            let rows = || -> Vec<Row> {
                if round {
                    return (0..n).map(between).collect();
                }
                let inside = (1..n).map(between);
                [Row::first(&rates[0])].into_iter().chain(inside).chain([Row::last(&rates[n - 1])])
                    .collect()
            };
            let x = if round { solved_round(rows()) } else { solved(rows()) };
            let count = x.len();
            for (k, row) in rows().iter().enumerate() {
                let at = |k: usize| x[k % count][0];
                let sum = row.before * at(k + count - 1) + row.own * at(k) + row.after * at(k + 1);
                prop_assert!((sum - row.right[0]).abs() < 1e-9, "{} {}", sum, row.right[0]);
            }
        }
    }
}
