//! Differences between the skin of a mirrored pose and the exact mirror image. Asymmetric weights
//! cause differences, even if all joints are correct.

use glam::{DMat4, Mat4, Vec3};

use super::Mirror;
use crate::{
    Pose,
    skinning::{self, Placement},
};
use ulna_geometry::PointGrid;
use ulna_model::{Document, NodeId, Primitive};

/// Largest difference between the skin of a mirrored pose and the exact mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinGap {
    /// The node that shows the mesh.
    pub node: NodeId,
    /// Distance between both positions of a vertex, in meters of the scene.
    pub distance: f32,
    /// The distance as a fraction of the body's size.
    pub part: f32,
}

/// Vertices of a primitive that are mirror images of each other in the rest pose.
struct Pairs {
    node: NodeId,
    primitive: usize,
    /// Reflection in the scene that maps a vertex to its mirror image.
    image: Mat4,
    size: f32,
    /// Indices of vertices. Each is listed with the vertices at its mirrored position.
    partners: Vec<(u32, Vec<u32>)>,
}

/// Vertex pairs of a document's skins, for the comparison of mirrored poses.
pub struct SkinPairs {
    pairs: Vec<Pairs>,
}

impl SkinPairs {
    /// Pairs the vertices of all shown skins of bodies. Partners belong to the same primitive. In
    /// the rest pose, their distance from the mirrored position is at most a thousandth of the
    /// body's size.
    pub fn of(document: &Document, mirror: &Mirror, pose: &Pose) -> Self {
        let mut still = pose.clone();
        still.world = mirror.frames.iter().map(DMat4::as_mat4).collect();
        let mut pairs = Vec::new();
        for node in document.shown_nodes() {
            let (Some(mesh), Some(skin)) = (document.node(node).mesh, document.node(node).skin)
            else {
                continue;
            };
            let body = document
                .skin(skin)
                .joints
                .iter()
                .find_map(|j| mirror.member(*j))
                .map(|m| &mirror.bodies[m.body]);
            let Some(body) = body else { continue };
            for (index, primitive) in document.mesh(mesh).primitives.iter().enumerate() {
                let own = body.own.as_mat4();
                let partners =
                    paired(&placed(document, &still, node, primitive), &own, body.size * 1e-3);
                let (image, size) = (body.scene.as_mat4(), body.size);
                pairs.push(Pairs { node, primitive: index, image, size, partners });
            }
        }
        Self { pairs }
    }

    /// Finds the largest difference between the skin in `after` and the mirror image of the skin in
    /// `before`.
    pub fn gap(&self, document: &Document, before: &Pose, after: &Pose) -> Option<SkinGap> {
        let of = |pairs: &Pairs| {
            let primitive =
                &document.mesh(document.node(pairs.node).mesh?).primitives[pairs.primitive];
            let [was, is] =
                [before, after].map(|pose| placed(document, pose, pairs.node, primitive));
            let off = |(vertex, partners): &(u32, Vec<u32>)| {
                let wanted = pairs.image.transform_point3(was[*vertex as usize]);
                partners
                    .iter()
                    .map(|p| is[*p as usize].distance(wanted))
                    .fold(f32::INFINITY, f32::min)
            };
            let distance =
                pairs.partners.iter().map(off).filter(|d| d.is_finite()).fold(0.0, f32::max);
            Some(SkinGap {
                node: pairs.node,
                distance,
                part: distance / pairs.size.max(f32::MIN_POSITIVE),
            })
        };
        self.pairs.iter().filter_map(of).max_by(|a, b| a.part.total_cmp(&b.part))
    }
}

/// Returns the positions of a primitive's vertices in the scene.
fn placed(document: &Document, pose: &Pose, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
    let placement = Placement::of(document, pose, node, primitive);
    let mut out = skinning::Posed::default();
    let normals = skinning::base_normals(primitive);
    skinning::skin(primitive, &normals, &pose.morphs[node.index()], &placement, &mut out);
    out.positions
}

/// Finds the vertices at the mirrored position of each vertex. Vertices without any are left out.
fn paired(rest: &[Vec3], image: &Mat4, near: f32) -> Vec<(u32, Vec<u32>)> {
    /// Maximum number of compared vertices per cell of the search grid.
    const CROWD: usize = 64;
    let grid = PointGrid::new(rest, (near * 2.0).max(f32::MIN_POSITIVE), 0.0, CROWD);
    let mut pairs = Vec::new();
    for (vertex, place) in (0u32..).zip(rest) {
        let wanted = image.transform_point3(*place);
        let mut partners = Vec::new();
        grid.visit_near(rest, wanted, near, |p| {
            if rest[p].distance(wanted) <= near {
                partners.push(p as u32);
            }
        });
        if !partners.is_empty() {
            pairs.push((vertex, partners));
        }
    }
    pairs
}
