//! Reads nodes: their transforms, rest poses and hierarchy.

use glam::{Mat4, Quat, Vec3};
use serde::Deserialize;

use super::{
    super::{ReadError, json, lock_extras, scene_extras, schema},
    reader::Reader,
};
use ulna_model::{
    Decomposed, IdKind, Local, Location, Mesh, Node, NodePose, Nodes, RestSource, Severity, Shared,
    Transform, free_of_zeros, transform::unit_or,
};

impl Reader<'_> {
    pub(super) fn raw_nodes(&mut self) -> Result<Vec<schema::Node>, ReadError> {
        let mut nodes = Vec::new();
        for (k, raw) in json::elements(self.root, "nodes")?.iter().enumerate() {
            let place = Location::at(IdKind::Node, k);
            let mut repaired = false;
            nodes.push(json::typed(raw.get(), &place, &mut repaired)?);
            if repaired {
                let message = "Invalid JSON was repaired for display; the file is unchanged";
                self.diagnostics.add(Severity::Warning, "ULNA_JSON_REPAIRED", place, message);
            }
        }
        Ok(nodes)
    }

    /// Reads all nodes. `cameras` and `lights` are the numbers of cameras and lights in the file.
    pub(super) fn nodes(
        &mut self,
        raw: &[schema::Node],
        meshes: &[Shared<Mesh>],
        (cameras, lights): (usize, usize),
    ) -> Result<Nodes, ReadError> {
        let mut nodes: Vec<Node> = Vec::with_capacity(raw.len());
        let skins = json::elements(self.root, "skins")?.len();
        for (k, n) in raw.iter().enumerate() {
            let place = Location::at(IdKind::Node, k);
            if let Some(mesh) = n.mesh.filter(|m| m.0 >= meshes.len()) {
                return Err(ReadError::at(place, format!("mesh {} does not exist", mesh.0)));
            }
            if let Some(skin) = n.skin.filter(|s| s.0 >= skins) {
                return Err(ReadError::at(place, format!("skin {} does not exist", skin.0)));
            }
            if let (Some(_), Some(mesh)) = (n.skin, n.mesh)
                && meshes[mesh.0]
                    .primitives
                    .iter()
                    .all(|p| p.weights.is_none() && !p.positions.is_empty())
            {
                let message = "The node has a skin, but its mesh has no joints and weights; it is \
                    displayed unskinned";
                self.diagnostics.add(
                    Severity::Error,
                    "NODE_SKIN_WITH_NON_SKINNED_MESH",
                    &place,
                    message,
                );
            }
            let light = scene_extras::light_of(&n.extensions, &place, &mut self.diagnostics);
            for (index, count, what) in
                [(n.camera.map(|c| c.0), cameras, "camera"), (light, lights, "light")]
            {
                if let Some(past) = index.filter(|k| *k >= count) {
                    let message = format!("The node refers to {what} {past}, which does not exist");
                    self.diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", &place, message);
                }
            }
            let instances = scene_extras::instances(
                &n.extensions,
                &place,
                &mut self.accessors,
                &mut self.diagnostics,
            )?;
            nodes.push(Node {
                name: n.name.as_deref().map(Into::into),
                parent: None,
                rank: 0,
                rest: self.local(n, &place),
                rest_source: RestSource::File,
                pose: None,
                mesh: n.mesh.map(|m| m.0.into()),
                skin: n.skin.map(|s| s.0.into()),
                instances: instances.filter(|_| n.mesh.is_some()),
                camera: n.camera.filter(|c| c.0 < cameras).map(|c| c.0.into()),
                light: light.filter(|l| *l < lights).map(Into::into),
                morph_weights: n
                    .weights
                    .as_ref()
                    .map(|w| w.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect()),
                hidden: scene_extras::is_hidden(&n.extensions, &place, &mut self.diagnostics),
                locks: lock_extras::read(&n.extras, &place, &mut self.diagnostics),
            });
        }
        for (k, n) in raw.iter().enumerate() {
            for (rank, child) in n.children.iter().enumerate() {
                let place = Location::at(IdKind::Node, k).member("children");
                let Some(node) = nodes.get_mut(child.0) else {
                    return Err(ReadError::at(place, format!("node {} does not exist", child.0)));
                };
                node.rank = u32::try_from(rank).unwrap_or(u32::MAX);
                if node.parent.replace(k.into()).is_some() {
                    return Err(ReadError::at(
                        place,
                        format!(
                            "node {} has two parents, or is listed twice by the same parent",
                            child.0
                        ),
                    ));
                }
            }
        }
        let nodes = Nodes::from(nodes);
        let mut reached = vec![false; nodes.len()];
        nodes.order().iter().for_each(|id| reached[id.index()] = true);
        match reached.iter().position(|r| !r) {
            Some(lost) => {
                Err(ReadError::at(Location::at(IdKind::Node, lost), "the node is its own ancestor"))
            }
            None => Ok(nodes),
        }
    }

    /// Reads the local transform of a node. Invalid numbers are replaced by the defaults of the
    /// specification.
    fn local(&mut self, n: &schema::Node, place: &Location) -> Local {
        let mut odd = |code: &'static str, message: &str| {
            self.diagnostics.add(Severity::Error, code, place, message)
        };
        if let Some(m) = n.matrix.as_deref() {
            if n.translation.is_some() || n.rotation.is_some() || n.scale.is_some() {
                odd(
                    "NODE_MATRIX_TRS",
                    "The node has both a matrix and a translation, rotation or scale; the matrix \
                        is used",
                );
            }
            if m.iter().any(|v| !v.is_finite()) {
                odd(
                    "ACCESSOR_INVALID_FLOAT",
                    "The matrix has values that are not finite numbers; the node is displayed \
                        without it",
                );
                return Local::Trs(Transform::IDENTITY);
            }
            let mut matrix = Mat4::from_cols_array(m);
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                odd(
                    "NODE_MATRIX_NON_TRS",
                    "The last row of the matrix is not 0 0 0 1; it is treated as 0 0 0 1",
                );
                matrix.x_axis.w = 0.0;
                matrix.y_axis.w = 0.0;
                matrix.z_axis.w = 0.0;
                matrix.w_axis.w = 1.0;
                return Local::Trs(Transform::decompose(&matrix, &Transform::IDENTITY).transform);
            }
            if n.translation.is_some() || n.rotation.is_some() || n.scale.is_some() {
                return Local::Trs(Transform::decompose(&matrix, &Transform::IDENTITY).transform);
            }
            if is_odd(&Transform::decompose(&matrix, &Transform::IDENTITY)) {
                odd(
                    "NODE_MATRIX_NON_TRS",
                    "The matrix has shear or a scale of 0; the matrix stays in the file until \
                        you edit this node",
                );
            }
            return Local::Matrix(matrix);
        }
        let mut finite = |values: Vec3, default: Vec3, what: &str| {
            if values.is_finite() {
                values
            } else {
                odd(
                    "ACCESSOR_INVALID_FLOAT",
                    &format!(
                        "The {what} has values that are not finite numbers; the default is used"
                    ),
                );
                default
            }
        };
        let translation =
            finite(n.translation.map_or(Vec3::ZERO, Into::into), Vec3::ZERO, "translation");
        let scale = finite(n.scale.map_or(Vec3::ONE, Into::into), Vec3::ONE, "scale");
        let rotation = n.rotation.map_or(Quat::IDENTITY, Quat::from_array);
        if !(rotation.is_finite() && (rotation.length() - 1.0).abs() <= 0.00769) {
            odd(
                "ROTATION_NON_UNIT",
                "The rotation is not a unit quaternion; it is normalized for display",
            );
        }
        let rotation =
            if rotation.is_finite() { unit_or(rotation, Quat::IDENTITY) } else { Quat::IDENTITY };
        Local::Trs(Transform { translation, rotation, scale })
    }
}

/// Precedence of `ulna.rest` over a rest pose that a skin defines.
#[derive(Deserialize)]
pub(super) struct RestPrecedence {
    /// Whether the stored rest pose overrides the rest pose of a skin.
    #[serde(default)]
    over_bind: bool,
}

impl RestPrecedence {
    pub(super) fn is_over_bind(extras: &json::Extensions, member: &str) -> bool {
        extras.get::<Self>(member).is_some_and(|r| r.over_bind)
    }
}

/// Applies the rest pose stored in the node's extras. A rest pose that a skin defines takes
/// precedence, unless the extras override it.
pub(super) fn remembered_rest(node: &mut Node, rest: &Transform, is_over_bind: bool) {
    /// Tolerance for treating rest pose and pose as equal: radians, and a fraction of the distance.
    const SAME: f32 = 1e-6;
    let is_free = node.rest_source == RestSource::File || is_over_bind;
    if !is_free || !rest.is_finite() {
        return;
    }
    let local = node.local();
    let pose = local.transform();
    let source = if is_over_bind { RestSource::Pose } else { RestSource::Extras };
    if is_over_bind && rest.is_close(&pose, SAME, SAME * pose.translation.length()) {
        (node.rest, node.pose, node.rest_source) = (local, None, source);
        free_of_zeros(node);
    } else if let Ok(user) = rest.user_from(&pose) {
        node.rest =
            Local::Trs(Transform { rotation: unit_or(rest.rotation, Quat::IDENTITY), ..*rest });
        node.rest_source = source;
        node.pose = Some(NodePose { user, local });
    }
}

/// Whether a matrix cannot be represented by a transform, because it has shear or an axis of zero
/// length.
pub(super) fn is_odd(split: &Decomposed) -> bool {
    split.residue > 1e-3 || split.transform.scale.abs().min_element() == 0.0
}
