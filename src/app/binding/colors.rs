//! Colors of the meshes in the *Bind* panel: weights of the selected joint, or the bind method of
//! each connected component of a surface.

use crate::{app::viewport_renderer::ViewportRenderer, ui::PieceLook};
use ulna_edit::command::{BindReport, BoundPart};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId};
use ulna_render::TintKind;

/// Inputs of the colors: serial numbers of the bind and of the scene, and the joint. Without a
/// joint, the colors show the bind methods.
pub(in crate::app) type ColoredBy = (u64, u64, Option<NodeId>);

/// Colors the meshes of nodes by the weights of a joint, or by bind methods if `joint` is `None`.
pub(super) fn color(
    renderer: &mut ViewportRenderer,
    document: &Document,
    report: Option<&BindReport>,
    nodes: &[NodeId],
    joint: Option<NodeId>,
) {
    renderer.clear_tints();
    for node in nodes {
        let Some(mesh) = document.node(*node).mesh else { continue };
        for (index, _) in document.mesh(mesh).entries() {
            let values = match joint {
                Some(joint) => weights_of(document, *node, index, joint),
                None => report.and_then(|report| methods_of(report, mesh, index)),
            };
            if let Some(values) = values {
                renderer.tint(*node, index, 0, &values);
            }
        }
    }
}

/// Tint of each vertex of a primitive, by its weight of a joint.
fn weights_of(
    document: &Document,
    node: NodeId,
    primitive: PrimitiveId,
    joint: NodeId,
) -> Option<Vec<u32>> {
    let about = document.node(node);
    let joints = &document.skin(about.skin?).joints;
    let slot = joints.iter().position(|j| *j == joint).and_then(|k| u16::try_from(k).ok());
    let primitive = document.mesh(about.mesh?).primitives.get(primitive.index())?;
    let map = primitive.weights.as_ref()?;
    let weight = |vertex| slot.map_or(0.0, |slot| map.weight(vertex, slot));
    Some((0..primitive.positions.len()).map(|v| TintKind::weight(weight(v))).collect())
}

/// Tint of each vertex of a primitive, by the bind method of its connected component.
fn methods_of(report: &BindReport, mesh: MeshId, primitive: PrimitiveId) -> Option<Vec<u32>> {
    let is_it = |part: &&BoundPart| (part.mesh, part.primitive) == (mesh, primitive);
    let part = report.parts.iter().find(is_it)?;
    let tint = |piece: &Option<u32>| {
        let piece = piece.and_then(|k| report.pieces.get(usize::try_from(k).ok()?));
        piece.map_or(TintKind::NONE, |piece| TintKind::color(PieceLook::of(piece).color()))
    };
    Some(part.piece_of.iter().map(tint).collect())
}
