//! Flattens a chart as rigidly as possible. Each triangle keeps its shape under its best rotation,
//! and the plane positions are the least-squares solution. Method: Liu, Zhang, Xu, Gotsman and
//! Gortler 2008, "A Local/Global Approach to Mesh Parameterization".

use glam::{DVec2, Vec2, Vec3};

/// A chart: points on the body and in the plane, both in meters.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Position of each point on the body.
    pub points: Vec<Vec3>,
    /// Position of each point in the plane.
    pub flat: Vec<Vec2>,
    /// Triangles, as indices of points.
    pub triangles: Vec<[usize; 3]>,
}

/// A triangle in the plane: its corners, and for each corner the weight of the opposite edge.
struct Piece {
    ids: [usize; 3],
    shape: [DVec2; 3],
    weights: [f64; 3],
}

impl Piece {
    fn new(sheet: &Sheet, ids: [usize; 3]) -> Self {
        let [a, b, c] = ids.map(|v| sheet.points[v].as_dvec3());
        let x = (b - a).normalize_or_zero();
        let out = (c - a).reject_from(if x.length_squared() > 0.0 { x } else { glam::DVec3::X });
        let shape = [
            DVec2::ZERO,
            DVec2::new((b - a).length(), 0.0),
            DVec2::new((c - a).dot(x), out.length()),
        ];
        let cotangent = |i: usize| {
            let (u, v) = (shape[(i + 1) % 3] - shape[i], shape[(i + 2) % 3] - shape[i]);
            // The weight is limited, because slivers would dominate otherwise.
            (u.dot(v) / u.perp_dot(v).max(1e-12)).clamp(0.05, 10.0)
        };
        Self { ids, shape, weights: [cotangent(0), cotangent(1), cotangent(2)] }
    }

    /// Returns the rotation, as cosine and sine, that best maps the shape to its image.
    fn turn(&self, flat: &[DVec2]) -> DVec2 {
        let mut sum = DVec2::ZERO;
        for (from, to, weight) in self.edges() {
            let (s, f) =
                (self.shape[to] - self.shape[from], flat[self.ids[to]] - flat[self.ids[from]]);
            sum += DVec2::new(s.dot(f), s.perp_dot(f)) * weight;
        }
        sum.normalize_or(DVec2::X)
    }

    /// Returns the edges as (corner, corner, weight).
    fn edges(&self) -> [(usize, usize, f64); 3] {
        [0, 1, 2].map(|i| ((i + 1) % 3, (i + 2) % 3, self.weights[i]))
    }
}

/// Flattens the sheet, starting from its approximate plane positions.
pub fn flatten(sheet: &mut Sheet) {
    let mut flat: Vec<DVec2> = sheet.flat.iter().map(|p| p.as_dvec2()).collect();
    let area = |t: &[usize; 3]| (flat[t[1]] - flat[t[0]]).perp_dot(flat[t[2]] - flat[t[0]]);
    if sheet.triangles.iter().map(area).sum::<f64>() < 0.0 {
        flat.iter_mut().for_each(|p| p.x = -p.x);
    }
    let pieces: Vec<Piece> = sheet.triangles.iter().map(|&ids| Piece::new(sheet, ids)).collect();
    for _ in 0..60 {
        let mut wanted = vec![DVec2::ZERO; flat.len()];
        for piece in &pieces {
            let turn = piece.turn(&flat);
            for (from, to, weight) in piece.edges() {
                let edge = turn.rotate(piece.shape[to] - piece.shape[from]) * weight;
                wanted[piece.ids[to]] += edge;
                wanted[piece.ids[from]] -= edge;
            }
        }
        solve(&pieces, &wanted, &mut flat);
    }
    sheet.flat = flat.iter().map(|p| p.as_vec2()).collect();
}

/// Applies the edge-weighted Laplacian to `x`.
fn laplacian(pieces: &[Piece], x: &[DVec2]) -> Vec<DVec2> {
    let mut out = vec![DVec2::ZERO; x.len()];
    for piece in pieces {
        for (from, to, weight) in piece.edges() {
            let d = (x[piece.ids[to]] - x[piece.ids[from]]) * weight;
            out[piece.ids[to]] += d;
            out[piece.ids[from]] -= d;
        }
    }
    out
}

/// Solves `laplacian(x) = wanted` approximately with conjugate gradients. The mean of `x` is
/// arbitrary, and stays unchanged.
fn solve(pieces: &[Piece], wanted: &[DVec2], x: &mut [DVec2]) {
    let dot = |a: &[DVec2], b: &[DVec2]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let mut rest: Vec<DVec2> =
        wanted.iter().zip(laplacian(pieces, x)).map(|(w, l)| *w - l).collect();
    let mut way = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = size * 1e-6;
    for _ in 0..60 {
        if size <= enough || size <= 0.0 {
            break;
        }
        let pushed = laplacian(pieces, &way);
        let along = dot(&way, &pushed);
        if along <= 0.0 {
            break;
        }
        let step = size / along;
        for i in 0..x.len() {
            x[i] += way[i] * step;
            rest[i] -= pushed[i] * step;
        }
        let now = dot(&rest, &rest);
        for (w, r) in way.iter_mut().zip(&rest) {
            *w = *r + *w * (now / size);
        }
        size = now;
    }
}
