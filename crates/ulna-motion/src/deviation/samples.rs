//! Statistics of distances, with constant memory.

/// Distances between points before and after a change, meters.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// Counts of distances by their leading bits. Distances are not negative, so their bits sort in
    /// their order.
    bins: Vec<u32>,
    zeros: u64,
    count: u64,
    sum: f64,
    most: f32,
    /// Number of samples that are not finite in one of the documents.
    pub not_finite: u64,
}

/// Number of low bits that are dropped for the bin index. Each bin has a relative width of 1/512.
const SHIFT: u32 = 14;
/// Smallest distance with a bin of its own, meters: `2⁻³⁰`.
const LEAST: f32 = 1.0 / (1u32 << 30) as f32;
/// Largest distance with a bin of its own, meters: `2¹²`.
const MOST: f32 = 4096.0;

const fn bin(distance: f32) -> usize {
    ((distance.to_bits() - LEAST.to_bits()) >> SHIFT) as usize
}

impl Default for Samples {
    fn default() -> Self {
        Self { bins: Vec::new(), zeros: 0, count: 0, sum: 0.0, most: 0.0, not_finite: 0 }
    }
}

impl Samples {
    /// Adds a distance, meters.
    pub fn add(&mut self, distance: f32) {
        if !distance.is_finite() {
            self.not_finite += 1;
            return;
        }
        if distance <= 0.0 {
            self.zeros += 1;
        } else {
            if self.bins.is_empty() {
                self.bins = vec![0; bin(MOST) + 1];
            }
            self.bins[bin(distance.clamp(LEAST, MOST))] += 1;
        }
        self.count += 1;
        self.sum += f64::from(distance);
        self.most = self.most.max(distance);
    }

    /// Adds distances of 0.
    pub fn add_zeros(&mut self, count: usize) {
        self.zeros += count as u64;
        self.count += count as u64;
    }

    /// Adds all samples of another collection.
    pub fn merge(&mut self, other: &Self) {
        if self.bins.is_empty() {
            self.bins.clone_from(&other.bins);
        } else {
            self.bins.iter_mut().zip(&other.bins).for_each(|(a, b)| *a = a.saturating_add(*b));
        }
        self.zeros += other.zeros;
        self.count += other.count;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
        self.not_finite += other.not_finite;
    }

    /// Mean distance, meters; 0 without samples.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Distance that the fraction `share` of the samples does not exceed, meters. The result is too
    /// large by at most 0.2 %.
    pub fn percentile(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut below = self.zeros;
        if below >= wanted {
            return 0.0;
        }
        for (k, count) in self.bins.iter().enumerate() {
            below += u64::from(*count);
            if below >= wanted {
                let end = f32::from_bits(LEAST.to_bits() + ((k as u32 + 1) << SHIFT));
                return f64::from(end.min(self.most));
            }
        }
        f64::from(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut samples = Samples::default();
        let mut halves = [Samples::default(), Samples::default()];
        for k in 0..1000usize {
            let distance = (k as f32 * 1e-3).powi(3);
            samples.add(distance);
            halves[k % 2].add(distance);
        }
        for share in [0.5f64, 0.9, 0.99, 1.0] {
            let exact = ((share * 1000.0).ceil() - 1.0) * 1e-3;
            let found = samples.percentile(share);
            let wanted = exact * exact * exact;
            assert!((wanted * 0.999_99..wanted * 1.002_01).contains(&found), "{share} {found}");
        }
        let [mut all, other] = halves;
        all.merge(&other);
        assert_eq!(all.percentile(0.99), samples.percentile(0.99));
        assert!((all.mean() - samples.mean()).abs() < 1e-12);
        // Most samples are 0.
        samples.add_zeros(200_000);
        assert_eq!(samples.percentile(0.99), 0.0);
        assert!(samples.percentile(0.999) > 0.5);
        samples.add(f32::NAN);
        assert_eq!((samples.not_finite, Samples::default().percentile(0.99)), (1, 0.0));
    }
}
