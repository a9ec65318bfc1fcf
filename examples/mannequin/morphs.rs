//! Morph targets: displacements of the surface, and the resulting normals.

use glam::{Mat3, Vec3, vec3};

use crate::body::Skeleton;
use crate::surface::Mesh;

/// One morph target, as differences from the mesh.
#[derive(Clone, Debug)]
pub struct Morph {
    /// Name, as stored in the mesh's `extras.targetNames`.
    pub name: &'static str,
    /// Displacement of each vertex, in meters; exactly zero for vertices that do not move.
    pub positions: Vec<Vec3>,
    /// Change of each unit normal; zero for vertices that do not move.
    pub normals: Vec<Vec3>,
}

/// Index of the target that expands the chest.
pub const BREATHE: usize = 0;
/// Index of the target that swells the upper arms.
pub const FLEX: usize = 1;

/// Returns all targets, in the order of [`BREATHE`] and [`FLEX`].
pub fn morphs(mesh: &Mesh, skeleton: &Skeleton) -> Vec<Morph> {
    let (shoulder, elbow) = (skeleton.at("LeftUpperArm").head, skeleton.at("LeftUpperArm").tail);
    vec![morph("Breathe in", mesh, breathe), morph("Flex", mesh, |p| flex(p, shoulder, elbow))]
}

/// Moves every vertex by `field`, which is defined for the left side. The normals follow from the
/// derivatives of the field.
fn morph(name: &'static str, mesh: &Mesh, field: impl Fn(Vec3) -> Vec3) -> Morph {
    const H: f32 = 1e-3;
    /// Displacements below this length, in meters, are invisible. They are set to zero, and so not
    /// stored.
    const LEAST: f32 = 2e-5;
    let count = mesh.positions.len();
    let mut made =
        Morph { name, positions: vec![Vec3::ZERO; count], normals: vec![Vec3::ZERO; count] };
    for (v, (&p, &n)) in mesh.positions.iter().zip(&mesh.normals).enumerate() {
        let flip = vec3(if p.x < 0.0 { -1.0 } else { 1.0 }, 1.0, 1.0);
        let (p, n) = (p * flip, n * flip);
        let moved = field(p);
        if moved.length() < LEAST {
            continue;
        }
        let slope = |axis: Vec3| (field(p + axis * H) - field(p - axis * H)) / (2.0 * H);
        let stretch =
            Mat3::IDENTITY + Mat3::from_cols(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        let turned = (stretch.inverse().transpose() * n).normalize_or(n);
        // Vertices in the middle plane stay in it.
        let middle = vec3(if p.x == 0.0 { 0.0 } else { 1.0 }, 1.0, 1.0);
        made.positions[v] = moved * flip * middle;
        made.normals[v] = (turned - n) * flip * middle;
    }
    made
}

/// Returns a smooth bump: 1 at 0, and 0 from 1 on.
fn bump(t: f32) -> f32 {
    let s = (1.0 - t * t).max(0.0);
    s * s
}

/// Returns a bump around `center` with the half-widths `radii`.
fn around(p: Vec3, center: Vec3, radii: Vec3) -> f32 {
    bump(((p - center) / radii).length())
}

/// Displaces the chest: the ribs rise and widen, and the belly moves forward.
fn breathe(p: Vec3) -> Vec3 {
    // The arms beside the ribs must not move with them.
    let trunk = bump(((p.x.abs() - 0.105) / 0.085).clamp(0.0, 1.0));
    let front = (0.5 + p.z / 0.12).clamp(0.0, 1.0);
    let front = front * front * (3.0 - 2.0 * front);
    let chest = around(p, vec3(0.0, 1.305, 0.02), vec3(0.26, 0.165, 0.24));
    let belly = around(p, vec3(0.0, 1.115, 0.06), vec3(0.20, 0.125, 0.17));
    let ribs = vec3(0.060 * p.x, 0.007, 0.017 * front - 0.003 * (1.0 - front)) * chest;
    let belly = vec3(0.030 * p.x, 0.0, 0.014 * front) * belly;
    (ribs + belly) * trunk
}

/// Displaces the upper arm: the biceps swells, and the triceps slightly.
fn flex(p: Vec3, shoulder: Vec3, elbow: Vec3) -> Vec3 {
    let along = elbow - shoulder;
    let t = (p - shoulder).dot(along) / along.length_squared();
    let out = p - (shoulder + along * t);
    let radius = out.length();
    let direction = out / radius.max(1e-6);
    // The elbow bends forward, so the biceps is in front.
    let front = direction
        .dot(Vec3::Z.reject_from_normalized(along.normalize_or(Vec3::Y)).normalize_or(Vec3::Z));
    let biceps = 0.5 + 0.5 * front;
    let swell = 0.017 * biceps * biceps * bump((t - 0.60) / 0.36)
        + 0.006 * (1.0 - biceps) * bump((t - 0.48) / 0.36);
    direction * swell * bump((radius - 0.045).max(0.0) / 0.030)
}
