use std::sync::atomic::AtomicBool;

use glam::Vec3;
use proptest::prelude::*;

use super::{Dissection, Factor, LANES, SparseError, SymmetricMatrix};

fn factor(matrix: &SymmetricMatrix, points: &[Vec3]) -> Result<Factor, SparseError> {
    Factor::new(matrix, &Dissection::new(matrix, points), &AtomicBool::new(false))
}

/// The Laplacian of a grid of `width` × `height` points with `shift` added to the diagonal. Also
/// returns the points.
fn grid(width: usize, height: usize, shift: f64) -> (SymmetricMatrix, Vec<Vec3>) {
    let mut elements = Vec::new();
    let number = |x: usize, y: usize| (y * width + x) as u32;
    let mut connect = |a: u32, b: u32| elements.extend([(a, a, 1.0), (b, b, 1.0), (a, b, -1.0)]);
    for y in 0..height {
        for x in 0..width {
            if x + 1 < width {
                connect(number(x, y), number(x + 1, y));
            }
            if y + 1 < height {
                connect(number(x, y), number(x, y + 1));
            }
        }
    }
    let size = width * height;
    elements.extend((0..size as u32).map(|k| (k, k, shift)));
    let points = (0..size).map(|k| Vec3::new((k % width) as f32, (k / width) as f32, 0.0));
    (SymmetricMatrix::new(size, &elements).unwrap(), points.collect())
}

/// Pseudorandom right-hand sides.
fn right_sides(size: usize) -> Vec<[f64; LANES]> {
    let value = |row: usize, lane: usize| ((row * 37 + lane * 101) as f64 * 0.618).sin();
    (0..size).map(|row| std::array::from_fn(|lane| value(row, lane))).collect()
}

/// The largest residual over all right-hand sides, relative to the largest product of a row with a
/// solution.
fn residual(matrix: &SymmetricMatrix, factor: &Factor) -> f64 {
    let right = right_sides(matrix.size());
    let mut found = right.clone();
    factor.solve(&mut found);
    let mut worst = 0.0f64;
    for lane in 0..LANES {
        let x: Vec<f64> = found.iter().map(|x| x[lane]).collect();
        for (row, product) in matrix.product(&x).into_iter().enumerate() {
            let size = (matrix.diagonal()[row] * x[row]).abs().max(1.0);
            worst = worst.max((product - right[row][lane]).abs() / size);
        }
    }
    worst
}

/// Reference solution by dense elimination of the whole matrix.
fn dense_solution(matrix: &SymmetricMatrix, right: &[f64]) -> Vec<f64> {
    let n = matrix.size();
    let mut a = vec![vec![0.0; n]; n];
    for (row, values) in a.iter_mut().enumerate() {
        values[row] = matrix.diagonal()[row];
        matrix.row(row).iter().for_each(|e| values[e.column as usize] = e.value);
    }
    let mut x = right.to_vec();
    for k in 0..n {
        for i in k + 1..n {
            let (above, below) = a.split_at_mut(i);
            let factor = below[0][k] / above[k][k];
            below[0].iter_mut().zip(&above[k]).skip(k).for_each(|(v, u)| *v -= factor * u);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (x[k] - sum) / a[k][k];
    }
    x
}

/// A diagonally dominant matrix of random edges, and random points.
fn random_system() -> impl Strategy<Value = (SymmetricMatrix, Vec<Vec3>)> {
    (1usize..150).prop_flat_map(|size| {
        let row = 0..size as u32;
        let edges = prop::collection::vec((row.clone(), row, -2.0f64..1.0), 0..size * 3);
        let points = prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), size);
        (edges, points).prop_map(move |(edges, points)| {
            let mut elements: Vec<_> = (0..size as u32).map(|k| (k, k, 0.01)).collect();
            for (a, b, value) in edges.into_iter().filter(|(a, b, _)| a != b) {
                elements.extend([(a, a, value.abs()), (b, b, value.abs()), (a, b, value)]);
            }
            let points = points.into_iter().map(Vec3::from).collect();
            (SymmetricMatrix::new(size, &elements).unwrap(), points)
        })
    })
}

proptest! {
    #[test]
    fn random_systems_have_the_solution_of_a_dense_elimination(
        (matrix, points) in random_system(),
    ) {
        let factor = factor(&matrix, &points).unwrap();
        let right = right_sides(matrix.size());
        let mut found = right.clone();
        factor.solve(&mut found);
        for lane in [0, LANES - 1] {
            let b: Vec<f64> = right.iter().map(|r| r[lane]).collect();
            let expected = dense_solution(&matrix, &b);
            let scale = expected.iter().fold(1.0f64, |s, v| s.max(v.abs()));
            for (row, expected) in expected.iter().enumerate() {
                prop_assert!((found[row][lane] - expected).abs() < 1e-9 * scale);
            }
        }
    }

    #[test]
    fn equations_on_grids_are_solved_accurately(width in 1usize..60, height in 1usize..60,
        shift in 1e-6f64..1.0) {
        let (matrix, points) = grid(width, height, shift);
        let factor = factor(&matrix, &points).unwrap();
        prop_assert!(residual(&matrix, &factor) < 1e-9);
    }
}

#[test]
fn the_ordering_keeps_the_factor_of_a_grid_sparse() {
    let (matrix, points) = grid(200, 200, 0.1);
    let dissection = Dissection::new(&matrix, &points);
    let mut order = dissection.order.clone();
    order.sort_unstable();
    assert!(order.iter().copied().eq(0..40_000));
    // Eliminating in row order would need 200 elements per column.
    let per_column = dissection.factor_elements() as f64 / 40_000.0;
    assert!(per_column < 60.0, "{per_column}");
    let factor = Factor::new(&matrix, &dissection, &AtomicBool::new(false)).unwrap();
    let stored: usize = factor.blocks.iter().map(|b| b.columns.len() + b.own.len()).sum();
    assert_eq!(stored, dissection.factor_elements());
    assert!(residual(&matrix, &factor) < 1e-10);
}

#[test]
fn a_random_ordering_does_not_change_the_solution() {
    let (matrix, _) = grid(30, 30, 0.01);
    for points in [vec![Vec3::ZERO; 900], vec![Vec3::NAN; 900]] {
        assert!(residual(&matrix, &factor(&matrix, &points).unwrap()) < 1e-9);
    }
}

#[test]
fn unconnected_and_empty_systems_are_solved() {
    let (piece, mut points) = grid(9, 9, 0.1);
    let mut elements = Vec::new();
    for row in 0..81u32 {
        for copy in 0..40 {
            let at = copy * 81 + row;
            elements.push((at, at, piece.diagonal()[row as usize]));
            let upper = piece.row(row as usize).iter().filter(|e| e.column > row);
            elements.extend(upper.map(|e| (at, copy * 81 + e.column, e.value)));
        }
    }
    points = points.repeat(40);
    points.push(Vec3::ONE);
    elements.push((40 * 81, 40 * 81, 4.0));
    let matrix = SymmetricMatrix::new(40 * 81 + 1, &elements).unwrap();
    let factor = factor(&matrix, &points).unwrap();
    assert!(residual(&matrix, &factor) < 1e-10);
    let nothing = SymmetricMatrix::new(0, &[]).unwrap();
    self::factor(&nothing, &[]).unwrap().solve(&mut []);
}

#[test]
fn bad_matrices_are_refused_with_the_row() {
    let refusal = |elements: &[(u32, u32, f64)]| {
        SymmetricMatrix::new(3, elements).and_then(|m| factor(&m, &[Vec3::ZERO; 3])).unwrap_err()
    };
    let sound = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)];
    assert_eq!(refusal(&[sound[0], sound[2]]), SparseError::NotPositiveDefinite { row: 1 });
    assert_eq!(
        refusal(&[sound[0], sound[1], (2, 2, -1.0)]),
        SparseError::NotPositiveDefinite { row: 2 }
    );
    assert_eq!(refusal(&[sound[0], sound[1], (2, 0, f64::NAN)]), SparseError::NotFinite { row: 2 });
    assert_eq!(refusal(&[(0, 3, 1.0)]), SparseError::OutOfRange { row: 0, column: 3 });
    // Sums overflow to infinity.
    assert_eq!(
        refusal(&[sound[0], sound[1], (2, 2, f64::MAX), (2, 2, f64::MAX)]),
        SparseError::NotFinite { row: 2 }
    );
    // A Laplacian without a fixed value is singular.
    let (singular, points) = grid(40, 40, 0.0);
    assert!(matches!(factor(&singular, &points), Err(SparseError::NotPositiveDefinite { .. })));
    let (indefinite, points) = grid(12, 12, -0.5);
    assert!(factor(&indefinite, &points).is_err());
}

#[test]
fn a_factorization_stops_when_it_is_canceled() {
    let (matrix, points) = grid(50, 50, 0.1);
    let dissection = Dissection::new(&matrix, &points);
    let canceled = Factor::new(&matrix, &dissection, &AtomicBool::new(true));
    assert_eq!(canceled.err(), Some(SparseError::Canceled));
}
