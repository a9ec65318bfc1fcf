//! Skin deformation: measures for each vertex how much a pose stretches, squeezes and flips the
//! surface.
//!
//! The reference is the rest pose in the scene. Morph targets are left out, since their deformation
//! is intended.

use glam::{Mat3, Mat4, Vec3, Vec4};
use rayon::prelude::*;

use super::{Placement, Pose, skinning};
use ulna_geometry::{Csr, CsrCounter};
use ulna_model::{Document, NodeId, Primitive, PrimitiveId, SkinId, Slice, Topology, WeightMap};

/// Deformation of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexStrain {
    /// Largest ratio of the lengths of its edges: `max(len/len₀, len₀/len)`, with `len₀` the length
    /// in the rest pose. It is 1 without deformation, and at most [`VertexStrain::MOST`].
    pub stretch: f32,
    /// Volume ratio after blending: `det Σwᵢ·Tᵢ / Σwᵢ·det Tᵢ` of the 3×3 parts, with weights that
    /// sum to 1. It is 1 if all joints agree. Halfway between two joints that differ by a rotation
    /// of θ it is `cos²(θ/2)`, and 0 in a candy-wrapper twist.
    ///
    /// The determinant of the linear part of a deformation is the ratio of volumes. Kavan et al.,
    /// *Geometric Skinning with Approximate Dual Quaternion Blending* (2008), section 2, describes
    /// the loss of volume of linear blending.
    pub volume: f32,
    /// Whether one of the vertex's triangles is flipped: its normal is opposite to the normal that
    /// is expected from the mean of its corners' blended matrices.
    pub flipped: bool,
}

impl VertexStrain {
    /// No deformation.
    pub const NONE: Self = Self { stretch: 1.0, volume: 1.0, flipped: false };
    /// Maximum stretch. Values that are not finite are replaced by it.
    pub const MOST: f32 = 64.0;

    /// Score of the deformation, in doublings of a length; 0 for no deformation. It is
    /// `log₂ stretch + |log₂ volume|/3`, plus 1 if flipped. The volume has a factor of a third,
    /// since it is a product of three lengths. Volumes below 2⁻¹⁸, including negative ones, count
    /// as 2⁻¹⁸.
    pub fn score(&self) -> f32 {
        const LEAST: f32 = 1.0 / (VertexStrain::MOST * VertexStrain::MOST * VertexStrain::MOST);
        let volume = if self.volume >= LEAST { self.volume.min(1.0 / LEAST) } else { LEAST };
        self.stretch.log2() + volume.log2().abs() / 3.0 + if self.flipped { 1.0 } else { 0.0 }
    }
}

/// A skinned primitive in the rest pose, with which its poses are compared.
#[derive(Clone, Debug)]
pub struct Strain {
    node: NodeId,
    skin: SkinId,
    primitive: PrimitiveId,
    /// Rest positions in scene space, meters.
    rest: Vec<Vec3>,
    indices: Slice<u32>,
    /// Triangles around each vertex.
    rings: Csr,
    /// Minimum length of a compared edge in the rest pose, meters.
    shortest: f32,
}

/// Reusable memory of [`Strain::measure`].
#[derive(Clone, Debug, Default)]
pub struct StrainScratch {
    placed: Vec<Placed>,
    flipped: Vec<bool>,
}

/// A posed vertex.
#[derive(Clone, Copy, Debug)]
struct Placed {
    position: Vec3,
    turn: Mat3,
    volume: f32,
}

/// Computes the rest pose, without clips and pose offsets.
pub(super) fn rest_pose(document: &Document) -> Pose {
    let mut clean = clean(document);
    clean.file.nodes.values_mut().for_each(|n| n.pose = None);
    Pose::evaluate(&clean, &super::Stack::default())
}

/// Returns a copy of the document for measurements.
pub(super) fn clean(document: &Document) -> Document {
    document.clone()
}

impl Strain {
    /// Prepares a primitive for measurements; `None` if it has no triangles or no skin.
    pub fn of(document: &Document, node: NodeId, primitive: PrimitiveId) -> Option<Self> {
        Self::at_rest(document, &rest_pose(document), node, primitive)
    }

    pub(super) fn at_rest(
        document: &Document,
        rest: &Pose,
        node: NodeId,
        index: PrimitiveId,
    ) -> Option<Self> {
        let skin = document.node(node).skin?;
        let primitive = document.mesh(document.node(node).mesh?).primitives.get(index.index())?;
        if primitive.topology != Topology::Triangles || primitive.weights.is_none() {
            return None;
        }
        let placement = Placement::of(document, rest, node, primitive);
        let mut posed = skinning::Posed::default();
        skinning::skin(primitive, &[], &[], &placement, &mut posed);
        let rest = posed.positions;
        let corners = primitive.indices.as_chunks::<3>().0;
        let mut counter = CsrCounter::new(rest.len());
        corners.iter().flatten().for_each(|v| counter.add(*v as usize, 1));
        let mut rings = counter.filler(0);
        for (triangle, corner) in (0u32..).zip(corners) {
            corner.iter().for_each(|v| rings.push(*v as usize, [triangle]));
        }
        let rings = rings.finish();
        let (low, high) = bounds(&rest);
        let shortest = ((high - low).length() * 1e-6).max(f32::MIN_POSITIVE);
        let indices = primitive.indices.clone();
        Some(Self { node, skin, primitive: index, rest, indices, rings, shortest })
    }

    /// Node of the mesh.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// Primitive of the mesh.
    pub const fn primitive(&self) -> PrimitiveId {
        self.primitive
    }

    /// Skin of the mesh.
    pub const fn skin(&self) -> SkinId {
        self.skin
    }

    /// Rest positions in the scene, meters.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Returns the primitive and its weights in a document; `None` if its geometry has changed.
    pub(super) fn source<'a>(
        &self,
        document: &'a Document,
    ) -> Option<(&'a Primitive, &'a WeightMap)> {
        let primitive = document
            .mesh(document.nodes.get(self.node)?.mesh?)
            .primitives
            .get(self.primitive.index())?;
        let same = Slice::ptr_eq(&primitive.indices, &self.indices)
            && primitive.positions.len() == self.rest.len();
        Some((primitive, primitive.weights.as_deref()?)).filter(|_| same)
    }

    /// Measures every vertex in a pose, and writes the results to `out`. If the document has
    /// another primitive in its place, the results are those of no deformation.
    pub fn measure(
        &self,
        document: &Document,
        pose: &Pose,
        scratch: &mut StrainScratch,
        out: &mut Vec<VertexStrain>,
    ) {
        out.clear();
        let Some((primitive, weights)) = self.source(document) else {
            out.resize(self.rest.len(), VertexStrain::NONE);
            return;
        };
        let palette = Palette::new(pose.palette(document, self.skin));
        let place = |v: usize| palette.place(primitive, weights, v);
        (0..self.rest.len())
            .into_par_iter()
            .with_min_len(1024)
            .map(place)
            .collect_into_vec(&mut scratch.placed);
        let placed = &scratch.placed;
        let corners = self.indices.as_chunks::<3>().0;
        let flips = corners.par_iter().with_min_len(1024);
        let flips = flips.map(|c| flips_over(primitive, c, c.map(|v| placed[v as usize])));
        flips.collect_into_vec(&mut scratch.flipped);
        let flipped = &scratch.flipped;
        let all = (0..self.rest.len()).into_par_iter().with_min_len(1024).map(|v| VertexStrain {
            stretch: self.stretch(v, placed[v].position, |k| placed[k].position),
            volume: placed[v].volume,
            flipped: self.ring(v).iter().any(|t| flipped[*t as usize]),
        });
        all.collect_into_vec(out);
    }

    /// Measures one vertex like [`Strain::measure`]. Only its neighbors are read.
    pub(super) fn measure_one(
        &self,
        primitive: &Primitive,
        weights: &WeightMap,
        palette: &Palette,
        vertex: usize,
    ) -> VertexStrain {
        let place = |v: usize| palette.place(primitive, weights, v);
        let own = place(vertex);
        let corners = self.indices.as_chunks::<3>().0;
        let flips = |t: &u32| {
            let corner = &corners[*t as usize];
            flips_over(primitive, corner, corner.map(|v| place(v as usize)))
        };
        VertexStrain {
            stretch: self.stretch(vertex, own.position, |k| place(k).position),
            volume: own.volume,
            flipped: self.ring(vertex).iter().any(flips),
        }
    }

    fn ring(&self, vertex: usize) -> &[u32] {
        self.rings.row(vertex)
    }

    /// Returns the vertices that share a triangle with a vertex, including the vertex itself.
    /// Vertices may be repeated.
    pub(super) fn around(&self, vertex: usize) -> impl Iterator<Item = u32> + '_ {
        let corners = self.indices.as_chunks::<3>().0;
        self.ring(vertex).iter().flat_map(move |t| corners[*t as usize])
    }

    fn stretch(&self, vertex: usize, own: Vec3, position: impl Fn(usize) -> Vec3) -> f32 {
        let rest = self.rest[vertex];
        let mut worst = 1.0f32;
        for other in self.around(vertex).map(|v| v as usize).filter(|v| *v != vertex) {
            let before = rest.distance(self.rest[other]);
            if before < self.shortest || !before.is_finite() {
                continue;
            }
            let ratio = own.distance(position(other)) / before;
            let ratio = ratio.max(ratio.recip());
            worst = worst.max(if ratio.is_nan() { VertexStrain::MOST } else { ratio });
        }
        worst.min(VertexStrain::MOST)
    }
}

/// Returns the lowest and the highest corner of the finite points; zero if there are none.
pub(super) fn bounds(list: &[Vec3]) -> (Vec3, Vec3) {
    let finite = list.iter().filter(|p| p.is_finite());
    let (low, high) =
        finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    if low.is_finite() { (low, high) } else { (Vec3::ZERO, Vec3::ZERO) }
}

/// Whether a triangle is flipped: its normal is opposite to the normal that is expected from the
/// mean of its corners' matrices. A mirrored skeleton flips both normals.
fn flips_over(primitive: &Primitive, corner: &[u32; 3], placed: [Placed; 3]) -> bool {
    let [a, b, c] = corner.map(|v| primitive.positions[v as usize]);
    let turn = placed[0].turn + placed[1].turn + placed[2].turn;
    let carried = (turn * (b - a)).cross(turn * (c - a));
    let [p, q, r] = placed.map(|p| p.position);
    let found = (q - p).cross(r - p);
    // Tiny triangles have no reliable direction.
    found.dot(carried) < -1e-3 * found.length() * carried.length()
}

/// Skinning matrices of a skin, with their volume ratios.
pub(super) struct Palette {
    matrices: Vec<Mat4>,
    volumes: Vec<f32>,
}

impl Palette {
    pub fn new(matrices: Vec<Mat4>) -> Self {
        let volumes = matrices.iter().map(|m| Mat3::from_mat4(*m).determinant()).collect();
        Self { matrices, volumes }
    }

    fn place(&self, primitive: &Primitive, weights: &WeightMap, vertex: usize) -> Placed {
        let mut blended = [Vec4::ZERO; 4];
        let (mut sum, mut wanted) = (0.0, 0.0);
        for (joint, weight) in weights.vertex(vertex).filter(|(_, w)| *w != 0.0) {
            let Some(matrix) = self.matrices.get(usize::from(joint)) else { continue };
            let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
            blended.iter_mut().zip(columns).for_each(|(sum, column)| *sum += column * weight);
            sum += weight;
            wanted += self.volumes[usize::from(joint)] * weight;
        }
        let p = primitive.positions[vertex];
        let position =
            (blended[0] * p.x + blended[1] * p.y + blended[2] * p.z + blended[3]).truncate();
        let turn =
            Mat3::from_cols(blended[0].truncate(), blended[1].truncate(), blended[2].truncate());
        // The ratio is det(M/s) / (wanted/s), with s the sum of the weights.
        let volume = turn.determinant() / (sum * sum * wanted);
        Placed { position, turn, volume: if volume.is_finite() { volume } else { 1.0 } }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::{Stack, tube};
    use ulna_model::{Local, Transform};

    fn measured(strain: &Strain, document: &Document) -> Vec<VertexStrain> {
        let pose = Pose::evaluate(document, &Stack::default());
        let mut out = vec![VertexStrain { flipped: true, ..VertexStrain::NONE }];
        strain.measure(document, &pose, &mut StrainScratch::default(), &mut out);
        assert_eq!(out.len(), tube::RINGS * tube::ROUND);
        // `measure_one` must give the same result.
        let (primitive, weights) = strain.source(document).unwrap();
        let palette = Palette::new(pose.palette(document, strain.skin()));
        for (v, found) in out.iter().enumerate().step_by(7) {
            assert_eq!(strain.measure_one(primitive, weights, &palette, v), *found);
        }
        out
    }

    fn height(vertex: usize) -> f32 {
        (vertex / tube::ROUND) as f32 / (tube::RINGS - 1) as f32
    }

    #[test]
    fn rigid_motion_has_no_strain_in_any_units() {
        for (scale, root) in [
            (Vec3::ONE, Quat::from_euler(glam::EulerRot::XYZ, 0.4, -1.0, 2.0)),
            (Vec3::splat(0.01), Quat::from_rotation_x(-1.5)),
            (Vec3::new(-3.0, 3.0, 3.0), Quat::from_rotation_z(0.7)),
        ] {
            // The armature has a scale, as in files in centimeters.
            let mut document = tube::tube(|y| y);
            document.file.nodes.get_mut(NodeId(0)).expect("a node").rest =
                Local::Trs(Transform { scale, ..Transform::IDENTITY });
            let strain = Strain::of(&document, tube::MESH, PrimitiveId(0)).unwrap();
            document.file.nodes.get_mut(NodeId(0)).expect("a node").set_user(Some(Transform {
                translation: Vec3::new(4.0, -2.0, 1.0),
                rotation: root,
                scale: Vec3::ONE,
            }));
            for found in measured(&strain, &document) {
                assert!(
                    found.stretch < 1.001 && (found.volume - 1.0).abs() < 1e-3 && !found.flipped,
                    "{found:?}"
                );
                assert!(found.score() < 0.005);
            }
        }
    }

    #[test]
    fn a_twist_causes_candy_wrapper_strain_at_the_joint() {
        let mut document = tube::tube(|y| ((y - 0.3) / 0.4).clamp(0.0, 1.0));
        let strain = Strain::of(&document, tube::MESH, PrimitiveId(0)).unwrap();
        tube::bend(&mut document, Quat::from_rotation_y(2.8));
        let found = measured(&strain, &document);
        let worst = (0..found.len())
            .max_by(|a, b| found[*a].score().total_cmp(&found[*b].score()))
            .unwrap();
        assert!((height(worst) - 0.5).abs() < 0.06, "{}", height(worst));
        for (v, found) in found.iter().enumerate() {
            let share = ((height(v) - 0.3) / 0.4).clamp(0.0, 1.0);
            // The blended matrix in the plane perpendicular to the axis is (1−w)·I + w·R.
            let wanted = 1.0 - 2.0 * share * (1.0 - share) * (1.0 - 2.8f32.cos());
            assert!((found.volume - wanted).abs() < 1e-4, "{} {wanted}", found.volume);
            if (height(v) - 0.5).abs() > 0.25 {
                assert!(found.score() < 0.01, "{found:?} at {}", height(v));
            }
        }
        assert!(found[worst].stretch > 2.0 && found[worst].volume < 0.05, "{:?}", found[worst]);
    }

    #[test]
    fn a_stretched_edge_is_measured_and_a_vertex_past_its_neighbors_is_flipped() {
        let mut document = tube::tube(|_| 0.0);
        let strain = Strain::of(&document, tube::MESH, PrimitiveId(0)).unwrap();
        // One vertex is bound to the second joint only, which moves up past four rings.
        let vertex = 10 * tube::ROUND + 5;
        let mut weights = tube::weights(|_| 0.0);
        weights.weights.make_mut()[vertex * 4..vertex * 4 + 2].copy_from_slice(&[0.0, 1.0]);
        tube::set_weights(&mut document, weights);
        document.file.nodes.get_mut(NodeId(1)).expect("a node").set_user(Some(Transform {
            translation: Vec3::new(0.0, 0.1, 0.0),
            ..Transform::IDENTITY
        }));
        let found = measured(&strain, &document);
        // The lower edge had a length of 1/40, and now has 1/40 + 1/10.
        assert!(
            found[vertex].flipped && (found[vertex].stretch - 5.0).abs() < 0.01,
            "{:?}",
            found[vertex]
        );
        assert!(found[vertex + tube::ROUND].flipped);
        let around: std::collections::BTreeSet<u32> = strain.around(vertex).collect();
        for (v, found) in found.iter().enumerate() {
            assert!(around.contains(&(v as u32)) || *found == VertexStrain::NONE, "{v} {found:?}");
        }
    }

    #[test]
    fn the_score_grows_by_one_per_doubling_of_stretch_and_is_finite() {
        let score = |stretch, volume, flipped| VertexStrain { stretch, volume, flipped }.score();
        assert_eq!(VertexStrain::NONE.score(), 0.0);
        assert_eq!(score(4.0, 1.0, false), 2.0);
        assert_eq!(score(1.0, 0.125, true), 2.0);
        assert_eq!(score(1.0, -3.0, false), 6.0);
        assert_eq!(score(64.0, f32::NAN, true), 13.0);
    }

    #[test]
    fn non_finite_poses_have_the_maximum_strain() {
        let mut document = tube::tube(|y| y);
        let strain = Strain::of(&document, tube::MESH, PrimitiveId(0)).unwrap();
        document
            .file
            .nodes
            .get_mut(NodeId(1))
            .expect("a node")
            .set_user(Some(Transform { translation: Vec3::NAN, ..Transform::IDENTITY }));
        assert!(
            measured(&strain, &document)
                .iter()
                .skip(tube::ROUND * 2)
                .all(|s| s.score().is_finite() && s.stretch == 64.0)
        );
        assert!(Strain::of(&document, NodeId(0), PrimitiveId(0)).is_none());
        assert!(Strain::of(&document, tube::MESH, PrimitiveId(1)).is_none());
        // Remove the mesh from the node.
        document.file.nodes.get_mut(NodeId(2)).expect("a node").mesh = None;
        let mut out = Vec::new();
        let pose = Pose::evaluate(&document, &Stack::default());
        strain.measure(&document, &pose, &mut StrainScratch::default(), &mut out);
        assert!(out.iter().all(|s| *s == VertexStrain::NONE) && !out.is_empty());
    }
}
