//! How far the skin of a mirrored pose is from the mirror image: joints may be right where weights
//! are not alike on both sides.

use glam::{DMat4, Mat4, Vec3};

use super::Mirror;
use crate::{
    Pose,
    skinning::{self, Placement},
};
use ulna_geometry::PointGrid;
use ulna_model::{Document, NodeId, Primitive};

/// How far a skin is from its mirror image, where it is farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinGap {
    /// The node that shows the mesh.
    pub node: NodeId,
    /// The distance, meters in the scene.
    pub distance: f32,
    /// The same as a part of the body's size.
    pub part: f32,
}

/// Vertices that lie on one another's mirror image at rest.
struct Pairs {
    node: NodeId,
    primitive: usize,
    /// The reflection that the image is seen about.
    image: Mat4,
    size: f32,
    /// Of a vertex, those where its mirror image is: the same place may have several.
    partners: Vec<(u32, Vec<u32>)>,
}

/// Pairs of vertices of a document's skins: where its bodies are symmetric at rest, their mirrored
/// poses may still not be.
pub struct SkinPairs {
    pairs: Vec<Pairs>,
}

impl SkinPairs {
    /// Pairs the vertices of all shown skins of bodies, each within its own primitive: of those
    /// that lie within a thousandth of the body's size of the mirrored place of another at rest.
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

    /// Where the skin in `after` is farthest from the mirror image of the skin in `before`.
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

/// The vertices of a primitive in the scene.
fn placed(document: &Document, pose: &Pose, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
    let placement = Placement::of(document, pose, node, primitive);
    let mut out = skinning::Posed::default();
    let normals = skinning::base_normals(primitive);
    skinning::skin(primitive, &normals, &pose.morphs[node.index()], &placement, &mut out);
    out.positions
}

/// Of each vertex those that lie at its mirrored place; of a vertex without any, nothing.
fn paired(rest: &[Vec3], image: &Mat4, near: f32) -> Vec<(u32, Vec<u32>)> {
    /// Vertices of one cell that are compared.
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
