//! Packs all charts into one square texture, all at the same scale.

use glam::{Vec2, vec2};

use crate::flatten::Sheet;

/// Width and height of the textures, in pixels.
pub const SIZE: u32 = 1024;
/// Number of cells per side while packing. Each row is a `u128` with one bit per cell.
const CELLS: usize = 128;
/// Number of free pixels around a chart, so that mipmaps do not bleed.
const MARGIN: f32 = 4.0;

/// Cells that a chart covers in one of its four rotations, from the lower left corner.
struct Stamp {
    rows: Vec<u128>,
    width: usize,
}

/// Converts the plane positions of all sheets to texture coordinates, at the largest scale that
/// fits.
pub fn pack(sheets: &mut [Sheet]) {
    let mut order: Vec<usize> = (0..sheets.len()).collect();
    let extent = |s: usize| {
        let (low, high) = bounds(&sheets[s].flat);
        (high - low).max_element()
    };
    order.sort_by(|&a, &b| extent(b).total_cmp(&extent(a)).then(a.cmp(&b)));
    // Pixels per meter. The scale starts too large, and decreases by 1 % per step.
    let mut scale = 1200.0f32;
    let found = loop {
        if let Some(places) = places(sheets, &order, scale) {
            break places;
        }
        scale *= 0.99;
    };
    for (&s, (quarter, at)) in order.iter().zip(found) {
        let turned = turned(&sheets[s].flat, quarter);
        let (low, _) = bounds(&turned);
        let cell = SIZE as f32 / CELLS as f32;
        let corner = vec2(at.0 as f32, at.1 as f32) * cell + Vec2::splat(MARGIN);
        let uv = |p: &Vec2| (corner + (*p - low) * scale) / SIZE as f32;
        // In texture coordinates, V points down.
        sheets[s].flat = turned.iter().map(uv).map(|p| vec2(p.x, 1.0 - p.y)).collect();
    }
}

fn bounds(points: &[Vec2]) -> (Vec2, Vec2) {
    let low = points.iter().copied().reduce(Vec2::min).unwrap_or(Vec2::ZERO);
    (low, points.iter().copied().reduce(Vec2::max).unwrap_or(Vec2::ZERO))
}

/// Rotates points by `quarter` right angles.
fn turned(points: &[Vec2], quarter: usize) -> Vec<Vec2> {
    let turn = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y][quarter];
    points.iter().map(|p| turn.rotate(*p)).collect()
}

/// Finds the rotation and corner of every chart, in order. `None` if a chart does not fit.
fn places(sheets: &[Sheet], order: &[usize], scale: f32) -> Option<Vec<(usize, (usize, usize))>> {
    let mut taken = [0u128; CELLS];
    let mut found = Vec::new();
    for &s in order {
        let mut best: Option<(usize, usize, (usize, usize), Stamp)> = None;
        for quarter in 0..4 {
            let stamp = stamp(&sheets[s], quarter, scale);
            if stamp.width > CELLS || stamp.rows.len() > CELLS {
                continue;
            }
            for y in 0..=CELLS - stamp.rows.len() {
                let top = y + stamp.rows.len();
                if best.as_ref().is_some_and(|b| b.0 <= top) {
                    break;
                }
                let free = |&x: &usize| {
                    stamp.rows.iter().zip(&taken[y..]).all(|(row, taken)| (row << x) & taken == 0)
                };
                if let Some(x) = (0..=CELLS - stamp.width).find(free) {
                    best = Some((top, quarter, (x, y), stamp));
                    break;
                }
            }
        }
        let (_, quarter, (x, y), stamp) = best?;
        for (row, taken) in stamp.rows.iter().zip(&mut taken[y..]) {
            *taken |= row << x;
        }
        found.push((quarter, (x, y)));
    }
    Some(found)
}

fn stamp(sheet: &Sheet, quarter: usize, scale: f32) -> Stamp {
    let cell = SIZE as f32 / CELLS as f32;
    let flat = turned(&sheet.flat, quarter);
    let (low, high) = bounds(&flat);
    let cells = |meters: f32| ((meters * scale + 2.0 * MARGIN) / cell).ceil() as usize;
    let (width, height) = (cells(high.x - low.x), cells(high.y - low.y));
    let mut rows = vec![0u128; height];
    if width > CELLS {
        return Stamp { rows, width };
    }
    for t in &sheet.triangles {
        let p = t.map(|v| ((flat[v] - low) * scale + Vec2::splat(MARGIN)) / cell);
        let (from, to) = bounds(&p);
        // Covers the bounds of each triangle, because triangles are not much larger than a cell.
        let pad = MARGIN / cell;
        let cover = |a: f32, b: f32, n: usize| {
            ((a - pad).max(0.0) as usize)..=((b + pad) as usize).min(n - 1)
        };
        for row in &mut rows[cover(from.y, to.y, height)] {
            for x in cover(from.x, to.x, width) {
                *row |= 1 << x;
            }
        }
    }
    Stamp { rows, width }
}
