//! A surface with fewer points, for faster and less accurate weights.

use glam::Vec3;
use rayon::prelude::*;

use super::surface::BindSurface;
use crate::ids::{numbers, to_f32, to_index, to_number};

/// Maximum number of points of a small piece. Small pieces keep all their points.
const SMALL: u32 = 64;
/// Growth factor of the grid cells, applied until the number of points is low enough.
const LARGER: f32 = 1.25;

/// A simplified surface, linked to the full one.
pub(super) struct SimplifiedSurface {
    /// Points and triangles. Pieces have the same indices as in the full surface. Points without
    /// remaining triangles belong to no piece.
    pub surface: BindSurface,
    /// Point of the simplified surface for each point of the full one; `None` for points without
    /// triangles.
    pub point_of: Vec<Option<u32>>,
}

impl SimplifiedSurface {
    /// Merges the points of each piece that are in the same grid cell, down to approximately `most`
    /// points.
    pub fn new(whole: &BindSurface, most: usize) -> Self {
        let area: f32 = whole.areas.iter().filter(|area| area.is_finite()).sum();
        let mut cell = (area / to_f32(most.max(1))).sqrt().max(1e-4);
        let mut cells = cells(whole, cell);
        while groups(&cells) > most && cell < 1.0 {
            cell *= LARGER;
            cells = self::cells(whole, cell);
        }
        Self::joined(whole, &cells)
    }

    fn joined(whole: &BindSurface, cells: &[(Cell, u32)]) -> Self {
        let mut surface = BindSurface::default();
        let mut point_of = vec![None; whole.points.len()];
        for group in cells.chunk_by(|a, b| a.0 == b.0) {
            let number = to_number(surface.points.len());
            let sum: Vec3 = group.iter().map(|(_, point)| whole.points[to_index(*point)]).sum();
            surface.points.push(sum / to_f32(group.len()));
            group.iter().for_each(|(_, point)| point_of[to_index(*point)] = Some(number));
        }
        let joined = |t: &[u32; 3]| -> Option<[u32; 3]> {
            let [a, b, c] = t.map(|p| point_of[to_index(p)]);
            let (a, b, c) = (a?, b?, c?);
            // The winding does not matter.
            let mut t = [a, b, c];
            t.sort_unstable();
            (t[0] != t[1] && t[1] != t[2]).then_some(t)
        };
        let mut triangles: Vec<[u32; 3]> = whole.triangles.iter().filter_map(joined).collect();
        triangles.par_sort_unstable();
        triangles.dedup();
        surface.triangles = triangles;
        surface.measure();
        surface.piece_of = vec![None; surface.points.len()];
        surface.piece_points = vec![0; whole.piece_points.len()];
        let mut has_triangle = vec![false; surface.points.len()];
        surface.triangles.iter().flatten().for_each(|p| has_triangle[to_index(*p)] = true);
        for (point, joined) in point_of.iter().enumerate() {
            let Some(joined) = joined.map(to_index).filter(|p| has_triangle[*p]) else { continue };
            surface.piece_of[joined] = whole.piece_of[point];
        }
        for piece in surface.piece_of.iter().flatten() {
            surface.piece_points[to_index(*piece)] += 1;
        }
        Self { surface, point_of }
    }
}

/// A piece and a cell of the grid. Points of small pieces have their own cell.
type Cell = (u32, [i32; 3]);

/// Returns the cell of each point with triangles, sorted by cell.
fn cells(whole: &BindSurface, size: f32) -> Vec<(Cell, u32)> {
    let cell = |point: u32| {
        let piece = whole.piece_of[to_index(point)]?;
        let position = whole.points[to_index(point)];
        if whole.piece_points[to_index(piece)] <= SMALL {
            let number = i32::from_ne_bytes(point.to_ne_bytes());
            return Some(((piece, [number, 0, 0]), point));
        }
        let place = (position / size).floor().as_ivec3();
        Some(((piece, place.to_array()), point))
    };
    let mut all: Vec<(Cell, u32)> =
        numbers(whole.points.len()).into_par_iter().filter_map(cell).collect();
    all.par_sort_unstable();
    all
}

/// Counts the different cells.
fn groups(cells: &[(Cell, u32)]) -> usize {
    cells.chunk_by(|a, b| a.0 == b.0).count()
}
