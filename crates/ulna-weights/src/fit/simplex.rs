//! Convex quadratic programs with few variables on the simplex, solved by the primal active-set
//! method (Nocedal and Wright, *Numerical Optimization*, 2006, section 16.5).

/// Maximum number of variables.
pub(super) const VARIABLES: usize = 8;
/// Maximum number of changes of the active set. Eight variables need about eight changes. The limit
/// only stops cycles caused by rounding.
const ROUNDS: usize = 64;

/// Value of each variable; 0 beyond the number of variables.
pub(super) type Solution = [f64; VARIABLES];

/// A quadratic program: minimize `½ wᵀHw − gᵀw` over `w ≥ 0`, `Σw = 1`. `H` is symmetric and
/// positive definite.
#[derive(Clone, Debug)]
pub(super) struct SimplexProgram {
    /// Number of variables.
    size: usize,
    h: [[f64; VARIABLES]; VARIABLES],
    g: Solution,
}

/// Whether the bit set `set` contains the variable `k`.
const fn has(set: u32, k: usize) -> bool {
    set >> k & 1 == 1
}

impl SimplexProgram {
    /// Creates the program that minimizes `½ wᵀGw + ½ ridge · |w − toward|²`. With a ridge above 0,
    /// the minimum is unique even if `G` is singular.
    pub fn new(
        size: usize,
        gram: &[[f64; VARIABLES]; VARIABLES],
        toward: &Solution,
        ridge: f64,
    ) -> Self {
        let mut h = *gram;
        (0..size).for_each(|k| h[k][k] += ridge);
        Self { size, h, g: toward.map(|w| w * ridge) }
    }

    /// Returns the variables of a bit set.
    fn members(&self, set: u32) -> impl Iterator<Item = usize> + Clone {
        (0..self.size).filter(move |k| has(set, *k))
    }

    /// Returns the gradient `Hw − g`.
    fn gradient(&self, w: &Solution) -> Solution {
        let mut gradient = [0.0; VARIABLES];
        for (k, out) in gradient.iter_mut().enumerate().take(self.size) {
            *out = (0..self.size).map(|j| self.h[k][j] * w[j]).sum::<f64>() - self.g[k];
        }
        gradient
    }

    /// Returns the minimum over the variables of a bit set, without the condition `w ≥ 0`. They sum
    /// to 1, and all other variables are 0. Also returns the Lagrange multiplier of the sum.
    /// Returns `None` if `H` is not positive definite on these variables.
    fn on_plane(&self, free: u32) -> Option<(Solution, f64)> {
        let mut list = [0; VARIABLES];
        let mut size = 0;
        for k in self.members(free) {
            list[size] = k;
            size += 1;
        }
        let list = &list[..size];
        let mut lower = [[0.0; VARIABLES]; VARIABLES];
        // Cholesky decomposition that solves `Hx = g` and `Hy = 1`.
        let (mut x, mut y) = ([0.0; VARIABLES], [0.0; VARIABLES]);
        for (i, k) in list.iter().enumerate() {
            for (j, m) in list.iter().enumerate().take(i) {
                let dot: f64 = (0..j).map(|n| lower[i][n] * lower[j][n]).sum();
                lower[i][j] = (self.h[*k][*m] - dot) / lower[j][j];
            }
            let pivot = self.h[*k][*k] - lower[i][..i].iter().map(|v| v * v).sum::<f64>();
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            lower[i][i] = pivot.sqrt();
            let dot = |v: &Solution| (0..i).map(|n| lower[i][n] * v[n]).sum::<f64>();
            x[i] = (self.g[*k] - dot(&x)) / lower[i][i];
            y[i] = (1.0 - dot(&y)) / lower[i][i];
        }
        for i in (0..size).rev() {
            let dot = |v: &Solution| (i + 1..size).map(|n| lower[n][i] * v[n]).sum::<f64>();
            x[i] = (x[i] - dot(&x)) / lower[i][i];
            y[i] = (y[i] - dot(&y)) / lower[i][i];
        }
        let multiplier = (1.0 - x[..size].iter().sum::<f64>()) / y[..size].iter().sum::<f64>();
        let mut w = [0.0; VARIABLES];
        for (i, k) in list.iter().enumerate() {
            w[*k] = x[i] + multiplier * y[i];
        }
        multiplier.is_finite().then_some((w, multiplier))
    }

    /// Returns the variable that gives the least value when its weight is 1 and all others are 0.
    fn best_alone(&self, allowed: u32) -> Option<usize> {
        let alone = |k: &usize| self.h[*k][*k] * 0.5 - self.g[*k];
        self.members(allowed).min_by(|a, b| alone(a).total_cmp(&alone(b)))
    }

    /// Returns the minimum over the variables of the bit set `allowed`. All others are 0. `allowed`
    /// must not be empty.
    pub fn minimize(&self, allowed: u32) -> Solution {
        let mut w = [0.0; VARIABLES];
        let Some(first) = self.best_alone(allowed) else { return w };
        w[first] = 1.0;
        let mut free = 1u32 << first;
        let scale = (0..self.size).map(|k| self.h[k][k]).fold(0.0, f64::max);
        for _ in 0..ROUNDS {
            let Some((wanted, multiplier)) = self.on_plane(free) else { break };
            // Find the first weight that would become negative, and the step length up to it.
            let blocking = self.members(free).filter(|k| wanted[*k] < 0.0);
            let blocking =
                blocking.map(|k| (w[k] / (w[k] - wanted[k]), k)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((step, k)) = blocking {
                self.members(free).for_each(|j| w[j] += step * (wanted[j] - w[j]));
                w[k] = 0.0;
                free &= !(1 << k);
                continue;
            }
            w = wanted;
            let gradient = self.gradient(&w);
            let better = self.members(allowed & !free).map(|k| (gradient[k] - multiplier, k));
            match better.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((slope, k)) if slope < -scale * 1e-14 => free |= 1 << k,
                _ => break,
            }
        }
        w
    }

    /// Returns the objective `½ wᵀHw − gᵀw`.
    pub fn value(&self, w: &Solution) -> f64 {
        let gradient = self.gradient(w);
        (0..self.size).map(|k| 0.5 * w[k] * (gradient[k] - self.g[k])).sum()
    }

    /// Returns a minimum over the variables of `allowed` with 1 to `most` positive weights, none of
    /// them below `smallest`.
    ///
    /// While there are too many weights, the one whose removal costs least is dropped. Then the
    /// smallest weight is dropped while it is below `smallest`. The remaining weights are solved
    /// again each time. `allowed` must not be empty.
    pub fn minimize_few(&self, mut allowed: u32, most: usize, smallest: f64) -> Solution {
        if most <= 1 {
            return self.minimize(self.best_alone(allowed).map_or(0, |k| 1 << k));
        }
        let mut w = self.minimize(allowed);
        loop {
            let weighted = self.members(allowed).filter(|k| w[*k] > 0.0);
            let weighted = weighted.fold(0u32, |set, k| set | 1 << k);
            let count = weighted.count_ones() as usize;
            let best = if count > most {
                let without = self.members(weighted).map(|k| self.minimize(weighted & !(1 << k)));
                let valued = without.map(|w| (self.value(&w), w));
                valued.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, w)| w)
            } else {
                let least = self.members(weighted).min_by(|a, b| w[*a].total_cmp(&w[*b]));
                let small = least.filter(|k| count > 1 && w[*k] < smallest);
                small.map(|k| self.minimize(weighted & !(1 << k)))
            };
            let Some(best) = best else { return w };
            (allowed, w) = (weighted, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Gram = [[f64; VARIABLES]; VARIABLES];

    /// Generates Gram matrices of up to eight vectors with up to six numbers. Many of them are
    /// singular.
    fn grams() -> impl Strategy<Value = (usize, Gram)> {
        let vector = prop::collection::vec(-1.0f64..1.0, 6);
        (prop::collection::vec((vector, -6i32..2), 1..=VARIABLES), 1usize..=6).prop_map(
            |(vectors, length)| {
                let scaled: Vec<Vec<f64>> = vectors
                    .iter()
                    .map(|(v, e)| v[..length].iter().map(|x| x * 10f64.powi(*e)).collect())
                    .collect();
                let mut gram = [[0.0; VARIABLES]; VARIABLES];
                for (a, row) in scaled.iter().enumerate() {
                    for (b, column) in scaled.iter().enumerate() {
                        gram[a][b] = row.iter().zip(column).map(|(x, y)| x * y).sum();
                    }
                }
                (scaled.len(), gram)
            },
        )
    }

    /// Returns the maximum violation of the Karush–Kuhn–Tucker conditions over a bit set. The
    /// weights must be on the simplex. No slope may be below the common slope of the positive
    /// weights.
    fn residual(program: &SimplexProgram, w: &Solution, allowed: u32) -> f64 {
        let gradient = program.gradient(w);
        let members: Vec<usize> = program.members(allowed).collect();
        let mean: f64 = members.iter().map(|k| w[*k] * gradient[*k]).sum();
        members
            .iter()
            .map(|k| (mean - gradient[*k]).max(w[*k] * (gradient[*k] - mean).abs()))
            .fold(0.0, f64::max)
    }

    fn is_on_simplex(w: &Solution) -> bool {
        w.iter().all(|w| *w >= 0.0) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-9
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn minima_satisfy_the_optimality_conditions_of_the_simplex(
            (size, gram) in grams(),
            ridge in prop::sample::select(vec![1e-10f64, 1e-6, 1e-2]),
            toward in 0usize..VARIABLES,
            most in 1usize..5,
        ) {
            let scale = (0..size).map(|k| gram[k][k]).fold(0.0, f64::max);
            let mut start = [0.0; VARIABLES];
            start[toward % size] = 1.0;
            let program = SimplexProgram::new(size, &gram, &start, ridge * scale);
            let all = (1u32 << size) - 1;
            let w = program.minimize(all);
            prop_assert!(is_on_simplex(&w), "{:?}", w);
            prop_assert!(residual(&program, &w, all) <= scale * 1e-9, "{:?}", w);
            prop_assert!(program.value(&w) <= program.value(&start) + scale * 1e-12);
            let few = program.minimize_few(all, most, 1e-3);
            prop_assert!(is_on_simplex(&few));
            let weighted: Vec<usize> = (0..size).filter(|k| few[*k] > 0.0).collect();
            prop_assert!(weighted.len() <= most);
            prop_assert!(weighted.len() == 1 || weighted.iter().all(|k| few[*k] >= 1e-3));
            let support = weighted.iter().fold(0, |set, k| set | 1 << k);
            prop_assert!(residual(&program, &few, support) <= scale * 1e-9);
            prop_assert!(program.value(&few) >= program.value(&w) - scale * 1e-12);
            // With a limit of two of three variables, the search must drop the right one.
            let of_three = all & 7;
            if of_three == 7 {
                let found = program.value(&program.minimize_few(7, 2, 0.0));
                for pair in [3, 5, 6] {
                    let other = program.value(&program.minimize(pair));
                    prop_assert!(found <= other + scale * 1e-12);
                }
            }
        }
    }

    #[test]
    fn projecting_onto_the_simplex_finds_the_nearest_point() {
        // The points of the triangle (0,0), (4,0), (0,4) nearest to (3,3) and to (−1,1).
        let nearest = |x: f64, y: f64| {
            let corners = [[0.0 - x, 0.0 - y], [4.0 - x, 0.0 - y], [0.0 - x, 4.0 - y]];
            let mut gram = [[0.0; VARIABLES]; VARIABLES];
            for a in 0..3 {
                for b in 0..3 {
                    gram[a][b] = corners[a][0] * corners[b][0] + corners[a][1] * corners[b][1];
                }
            }
            let w = SimplexProgram::new(3, &gram, &[0.0; VARIABLES], 0.0).minimize(7);
            [w[0], w[1], w[2]]
        };
        let is_near =
            |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(is_near(nearest(3.0, 3.0), [0.0, 0.5, 0.5]));
        assert!(is_near(nearest(-1.0, 1.0), [0.75, 0.0, 0.25]));
        assert!(is_near(nearest(1.0, 1.0), [0.5, 0.25, 0.25]));
    }
}
