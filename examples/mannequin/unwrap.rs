//! Texture coordinates. The left half of the surface is cut into charts along seams, as in
//! clothing. Each chart is flattened with little stretch, and the right half uses the same
//! coordinates mirrored.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3, Vec4, vec2, vec3};

use crate::atlas;
use crate::body::Skeleton;
use crate::flatten::{Sheet, flatten};
use crate::surface::Mesh;
use crate::weights::Influence;

/// The mesh with texture coordinates. Vertices along the seams are duplicated.
#[derive(Clone, Debug)]
pub struct Unwrapped {
    /// Surface, with the same triangles as the source mesh.
    pub mesh: Mesh,
    /// Texture coordinates of each vertex, from the top left of the texture.
    pub uvs: Vec<Vec2>,
    /// Tangent of each vertex: a unit vector along U. `w` is the sign of the bitangent, which
    /// points up in the texture.
    pub tangents: Vec<Vec4>,
    /// Vertex of the source mesh for each vertex.
    pub source: Vec<usize>,
}

/// The charts of one side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Chart {
    Head,
    Front,
    Back,
    Arm,
    HandBack,
    Palm,
    Leg,
    Shoe,
    Sole,
}

/// A corner of a triangle: its vertex, its chart, and the number of turns around the limb within
/// the chart.
type Corner = (u32, Chart, i32);

/// Cuts, flattens and packs the charts. Triangle `2k` of the mesh is on the left. Triangle `2k + 1`
/// is its mirror image, with two corners swapped.
pub fn unwrap(mesh: &Mesh, binding: &[Influence], skeleton: &Skeleton) -> Unwrapped {
    let tailor = Tailor::new(skeleton);
    let left: Vec<[u32; 3]> = mesh.triangles.iter().copied().step_by(2).collect();
    let charts = tailor.charts(mesh, &left, binding);
    let corners: Vec<[Corner; 3]> =
        left.iter().zip(&charts).map(|(&t, &chart)| tailor.corners(mesh, t, chart)).collect();

    let mut sheets: Vec<Sheet> = Vec::new();
    let mut place: BTreeMap<Corner, (usize, usize)> = BTreeMap::new();
    let mut number: BTreeMap<Chart, usize> = BTreeMap::new();
    for triangle in &corners {
        let sheet = *number.entry(triangle[0].1).or_insert_with(|| {
            sheets.push(Sheet::default());
            sheets.len() - 1
        });
        let ids = triangle.map(|corner| {
            let of = &mut sheets[sheet];
            let (_, at) = *place.entry(corner).or_insert_with(|| {
                let p = mesh.positions[corner.0 as usize];
                of.points.push(p);
                of.flat.push(tailor.first(p, corner.1, corner.2));
                (sheet, of.points.len() - 1)
            });
            at
        });
        sheets[sheet].triangles.push(ids);
    }
    sheets.iter_mut().for_each(flatten);
    atlas::pack(&mut sheets);

    let mut made = Unwrapped {
        mesh: Mesh::default(),
        uvs: Vec::new(),
        tangents: Vec::new(),
        source: Vec::new(),
    };
    let mut ids: BTreeMap<(u32, usize, usize, usize), u32> = BTreeMap::new();
    for (k, triangle) in corners.iter().enumerate() {
        let [a, b, c] = mesh.triangles[2 * k + 1];
        // The left triangle and its mirror image, corner by corner. The sides share no vertices,
        // because the texture is mirrored between them.
        let sides = [(triangle.map(|c| c.0), [0, 1, 2]), ([a, c, b], [0, 2, 1])];
        for (side, (vertices, order)) in sides.into_iter().enumerate() {
            let corner = order.map(|i: usize| {
                let (sheet, at) = place[&triangle[i]];
                *ids.entry((vertices[i], side, sheet, at)).or_insert_with(|| {
                    let v = vertices[i] as usize;
                    made.mesh.positions.push(mesh.positions[v]);
                    made.mesh.normals.push(mesh.normals[v]);
                    made.uvs.push(sheets[sheet].flat[at]);
                    made.source.push(v);
                    (made.source.len() - 1) as u32
                })
            });
            made.mesh.triangles.push(corner);
        }
    }
    made.tangents = tangents(&made);
    made
}

/// Returns tangents averaged over the triangles around each vertex, weighted by area.
fn tangents(made: &Unwrapped) -> Vec<Vec4> {
    let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); made.uvs.len()];
    for corners in &made.mesh.triangles {
        let [a, b, c] = corners.map(|v| made.mesh.positions[v as usize]);
        let [ua, ub, uc] = corners.map(|v| made.uvs[v as usize]);
        let (e, f, d, g) = (ub - ua, uc - ua, b - a, c - a);
        let area = e.perp_dot(f);
        if area != 0.0 {
            let (along_u, along_v) = ((d * f.y - g * e.y) / area, (g * e.x - d * f.x) / area);
            for &v in corners {
                let sum = &mut sums[v as usize];
                *sum = (sum.0 + along_u * area.abs(), sum.1 - along_v * area.abs());
            }
        }
    }
    let tangent = |(&(along_u, up), &normal): (&(Vec3, Vec3), &Vec3)| {
        let along_u = along_u.reject_from_normalized(normal);
        let tangent = along_u.normalize_or(normal.any_orthonormal_vector());
        tangent.extend(if normal.cross(tangent).dot(up) < 0.0 { -1.0 } else { 1.0 })
    };
    sums.iter().zip(&made.mesh.normals).map(tangent).collect()
}

/// Assigns triangles to charts, and so chooses the seams.
struct Tailor {
    /// Chart of each joint. Hands, trunk and feet are divided further.
    of_joint: Vec<Chart>,
    shoulder: Vec3,
    arm: Vec3,
    hip: Vec3,
    leg: Vec3,
    wrist: Vec3,
    along: Vec3,
    palmward: Vec3,
}

/// Z coordinate of the plane between the front and the back of the trunk.
const SIDE_SEAM: f32 = -0.014;
/// Height of the top of the soles, and of the shoes.
const SOLE: f32 = 0.0118;
const SHOE: f32 = 0.104;

impl Tailor {
    fn new(skeleton: &Skeleton) -> Self {
        let of = |name: &str| match name {
            "Neck" | "Head" | "Jaw" => Chart::Head,
            n if n.contains("Arm") => Chart::Arm,
            n if n.contains("Leg") => Chart::Leg,
            n if n.contains("Foot") || n.contains("Toes") => Chart::Shoe,
            n if n.starts_with("Left") && !n.contains("Shoulder") => Chart::Palm,
            _ => Chart::Front,
        };
        let hand = skeleton.at("LeftHand");
        let along = (hand.tail - hand.head).normalize_or(Vec3::Y);
        let (arm, leg) = (skeleton.at("LeftUpperArm").head, skeleton.at("LeftUpperLeg").head);
        Self {
            of_joint: skeleton.joints.iter().map(|j| of(&j.name)).collect(),
            shoulder: arm,
            arm: (hand.head - arm).normalize_or(Vec3::X),
            hip: leg,
            leg: (skeleton.at("LeftFoot").head - leg).normalize_or(Vec3::NEG_Y),
            wrist: hand.head,
            along,
            palmward: along.cross(Vec3::Z).normalize_or(Vec3::NEG_X),
        }
    }

    /// Returns the chart of each triangle. Each chart is connected.
    fn charts(&self, mesh: &Mesh, triangles: &[[u32; 3]], binding: &[Influence]) -> Vec<Chart> {
        let mut charts: Vec<Chart> = triangles
            .iter()
            .map(|t| {
                let mut shares: BTreeMap<Chart, f32> = BTreeMap::new();
                for &v in t {
                    let influence = &binding[v as usize];
                    for (&j, &w) in influence.joints.iter().zip(&influence.weights) {
                        *shares.entry(self.of_joint[usize::from(j)]).or_insert(0.0) += w;
                    }
                }
                let most =
                    shares.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or(Chart::Front, |s| *s.0);
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                self.cut(most, (a + b + c) / 3.0, (b - a).cross(c - a))
            })
            .collect();
        let beside = beside(triangles);
        // Ragged outlines are smoothed by a majority vote of the neighbors.
        for _ in 0..4 {
            let vote = |t: usize| match beside[t].as_slice() {
                &[a, b] | &[a, b, _] if charts[a] == charts[b] => charts[a],
                &[a, _, c] | &[_, a, c] if charts[a] == charts[c] => charts[a],
                _ => charts[t],
            };
            charts = (0..charts.len()).map(vote).collect();
        }
        // Pieces outside the largest piece of their chart are moved to a neighboring chart.
        for _ in 0..4 {
            let piece = pieces(&charts, &beside);
            let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
            piece.iter().for_each(|&p| *sizes.entry(p).or_insert(0) += 1);
            let mut largest: BTreeMap<Chart, usize> = BTreeMap::new();
            for (&p, &size) in &sizes {
                let best = largest.entry(charts[p]).or_insert(p);
                if size > sizes[best] {
                    *best = p;
                }
            }
            let mut moved = charts.clone();
            for t in 0..charts.len() {
                if piece[t] != largest[&charts[t]] {
                    let stranger = beside[t].iter().find(|&&u| charts[u] != charts[t]);
                    let to = stranger.map_or(charts[t], |&u| charts[u]);
                    // The whole piece moves to the chart of its first neighbor in another chart.
                    for u in 0..charts.len() {
                        if piece[u] == piece[t] && moved[u] == charts[t] {
                            moved[u] = to;
                        }
                    }
                }
            }
            charts = moved;
        }
        charts
    }

    fn cut(&self, chart: Chart, p: Vec3, normal: Vec3) -> Chart {
        match chart {
            _ if p.y < SOLE => Chart::Sole,
            Chart::Leg | Chart::Shoe if p.y < SHOE => Chart::Shoe,
            Chart::Shoe => Chart::Leg,
            Chart::Front if p.z < SIDE_SEAM => Chart::Back,
            Chart::Palm if normal.dot(self.palmward) < 0.0 => Chart::HandBack,
            chart => chart,
        }
    }

    /// Returns the angle around a limb; 0 is on the side opposite to the seam.
    fn angle(&self, p: Vec3, chart: Chart) -> Option<f32> {
        let around = |origin: Vec3, axis: Vec3, outside: Vec3| {
            let x = outside.reject_from_normalized(axis).normalize_or(Vec3::X);
            let d = p - origin;
            d.dot(axis.cross(x)).atan2(d.dot(x))
        };
        match chart {
            // Seams: below the arm, inside the leg, and behind the heel.
            Chart::Arm => Some(around(self.shoulder, self.arm, vec3(0.6, 0.8, 0.25))),
            Chart::Leg => Some(around(self.hip, self.leg, vec3(1.0, 0.0, 0.45))),
            Chart::Shoe => Some(around(vec3(0.104, 0.0, -0.015), Vec3::NEG_Y, Vec3::Z)),
            _ => None,
        }
    }

    fn corners(&self, mesh: &Mesh, t: [u32; 3], chart: Chart) -> [Corner; 3] {
        let points = t.map(|v| mesh.positions[v as usize]);
        let middle = self.angle((points[0] + points[1] + points[2]) / 3.0, chart);
        let turns = |v: u32| match (middle, self.angle(mesh.positions[v as usize], chart)) {
            (Some(middle), Some(own)) => ((middle - own) / std::f32::consts::TAU).round() as i32,
            _ => 0,
        };
        t.map(|v| (v, chart, turns(v)))
    }

    /// Returns a first approximate position in the plane, in meters, with the upright orientation.
    fn first(&self, p: Vec3, chart: Chart, turns: i32) -> Vec2 {
        let angle = self.angle(p, chart).unwrap_or(0.0) + turns as f32 * std::f32::consts::TAU;
        match chart {
            Chart::Head => {
                // The head is mapped like a globe seen from the side, and the neck like a cylinder.
                let center = vec3(0.0, p.y.min(1.62), -0.008);
                let d = p - center;
                let out = vec2(-d.z, d.y);
                let angle = (out.length() / d.x.max(1e-6)).atan();
                vec2(0.0, center.y) + out.normalize_or_zero() * angle * 0.085
            }
            Chart::Front => vec2(p.x.atan2((p.z - SIDE_SEAM).max(0.0)) * 0.12, p.y),
            Chart::Back => vec2(-p.x.atan2((SIDE_SEAM - p.z).max(0.0)) * 0.12, p.y),
            Chart::Arm => vec2(angle * 0.04, (p - self.shoulder).dot(self.arm)),
            Chart::Leg => vec2(angle * 0.06, (p - self.hip).dot(self.leg)),
            Chart::Palm | Chart::HandBack => {
                let d = p - self.wrist;
                vec2(d.dot(self.palmward.cross(self.along)), d.dot(self.along))
            }
            Chart::Shoe => {
                let reach =
                    vec2(p.x - 0.104, p.z + 0.015).length() + (SHOE - p.y).max(0.0) * 0.8 + 0.02;
                vec2((angle * 0.8).sin(), (angle * 0.8).cos()) * reach
            }
            Chart::Sole => vec2(p.x, p.z),
        }
    }
}

/// Returns, for each triangle, the triangles that share an edge with it.
fn beside(triangles: &[[u32; 3]]) -> Vec<Vec<usize>> {
    let mut edges: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (t, corners) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            edges.entry([a.min(b), a.max(b)]).or_default().push(t);
        }
    }
    let mut beside = vec![Vec::new(); triangles.len()];
    for pair in edges.values() {
        if let &[s, t] = pair.as_slice() {
            beside[s].push(t);
            beside[t].push(s);
        }
    }
    beside
}

/// Returns, for each triangle, the first triangle of its connected piece of a chart.
fn pieces(charts: &[Chart], beside: &[Vec<usize>]) -> Vec<usize> {
    let mut piece = vec![usize::MAX; charts.len()];
    for first in 0..charts.len() {
        let mut open = vec![first];
        while let Some(t) = open.pop() {
            if piece[t] == usize::MAX {
                piece[t] = first;
                open.extend(beside[t].iter().filter(|&&u| charts[u] == charts[t]));
            }
        }
    }
    piece
}
