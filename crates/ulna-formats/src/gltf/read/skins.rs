//! Reading of skins: joints and inverse bind matrices.

use glam::Mat4;

use super::{
    super::{
        ReadError,
        accessor::{Component, Missing},
        json, schema,
    },
    reader::Reader,
};
use ulna_model::{FileContent, IdKind, Location, NodeId, Severity, Shared, Skin};

impl Reader<'_> {
    pub(super) fn skins(&mut self, asset: &mut FileContent) -> Result<(), ReadError> {
        let raw: Vec<schema::Skin> = json::list(self.root, IdKind::Skin)?;
        for (k, skin) in raw.iter().enumerate() {
            let place = Location::at(IdKind::Skin, k);
            if skin.joints.is_empty() {
                return Err(ReadError::at(place, "the skin has no joints"));
            }
            if let Some(past) =
                skin.joints.iter().chain(&skin.skeleton).find(|j| j.0 >= asset.nodes.len())
            {
                return Err(ReadError::at(place, format!("node {} does not exist", past.0)));
            }
            let joints: Shared<[NodeId]> = skin.joints.iter().map(|j| NodeId::from(j.0)).collect();
            let inverse_bind = match skin.inverse_bind_matrices {
                None => None,
                Some(accessor) => self.inverse_bind(accessor.0, joints.len(), &place)?,
            };
            self.check_skin(asset, skin, &joints, &place);
            asset.skins.push_from_file(Some(Shared::new(Skin {
                name: skin.name.as_deref().map(Into::into),
                has_inverse_bind: inverse_bind.is_some(),
                inverse_bind: inverse_bind
                    .unwrap_or_else(|| vec![Mat4::IDENTITY; joints.len()])
                    .into(),
                joints,
            })));
        }
        Ok(())
    }

    fn inverse_bind(
        &mut self,
        accessor: usize,
        joints: usize,
        place: &Location,
    ) -> Result<Option<Vec<Mat4>>, ReadError> {
        let shape = match self.accessors.shape(accessor, place) {
            Err(error @ ReadError::Empty { .. }) => {
                let message = "There are no inverse bind matrices; identity matrices are used";
                self.diagnostics.add(
                    Severity::Error,
                    error.finding_code(),
                    error.place().unwrap_or_default(),
                    message,
                );
                return Ok(None);
            }
            shape => shape?,
        };
        if shape.width != 16 || shape.component != Component::F32 {
            return Err(ReadError::at(place, "its inverse bind matrices are not 4×4 floats"));
        }
        if shape.count < joints {
            return Err(ReadError::at(
                place,
                format!(
                    "the skin has {joints} joints, but the number of inverse bind matrices is {}",
                    shape.count
                ),
            ));
        }
        let list = match self.accessors.floats(accessor, place) {
            Ok(list) => list,
            Err(Missing::Refused(error)) => return Err(error),
            Err(Missing::Packed(extension)) => {
                let message = format!(
                    "The inverse bind matrices are packed with {extension} and cannot be read; the \
                        mesh is deformed incorrectly"
                );
                self.diagnostics.add(Severity::Warning, "ULNA_PACKED", place, message);
                return Ok(None);
            }
        };
        let mut odd = 0;
        let matrices = list.as_chunks::<16>().0[..joints].iter().map(|m| {
            let affine = m.iter().all(|v| v.is_finite())
                && [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0];
            let matrix = if m.iter().all(|v| v.is_finite()) {
                Mat4::from_cols_array(&[
                    m[0], m[1], m[2], 0.0, m[4], m[5], m[6], 0.0, m[8], m[9], m[10], 0.0, m[12],
                    m[13], m[14], 1.0,
                ])
            } else {
                Mat4::IDENTITY
            };
            odd += usize::from(!affine || matrix.determinant() == 0.0);
            matrix
        });
        let matrices = matrices.collect();
        if odd > 0 {
            let matrices = if odd == 1 { "matrix is" } else { "matrices are" };
            let message =
                format!("{odd} inverse bind {matrices} singular, not affine or not finite");
            self.diagnostics.add(Severity::Error, "ACCESSOR_INVALID_IBM", place, message);
        }
        Ok(Some(matrices))
    }

    fn check_skin(
        &mut self,
        asset: &FileContent,
        skin: &schema::Skin,
        joints: &[NodeId],
        place: &Location,
    ) {
        let mut sorted = joints.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|w| w[0] == w[1]) {
            self.diagnostics.add(
                Severity::Error,
                "ARRAY_NOT_UNIQUE",
                place,
                "A node is listed twice among the joints",
            );
        }
        let root = |mut id: NodeId| {
            while let Some(parent) = asset.node(id).parent {
                id = parent;
            }
            id
        };
        let first = root(joints[0]);
        // For each joint, the time to find the root is proportional to its depth. That is too slow
        // for long chains.
        if asset.nodes.len() < 5000 && joints.iter().any(|j| root(*j) != first) {
            let same_scene =
                asset.scenes.values().any(|s| joints.iter().all(|j| s.roots.contains(&root(*j))));
            let message = if same_scene {
                "The joints have no common root node"
            } else {
                "The joints are in different trees"
            };
            self.diagnostics.add(Severity::Error, "SKIN_NO_COMMON_ROOT", place, message);
        } else if !asset.scenes.is_empty()
            && !asset.scenes.values().any(|s| s.roots.contains(&first))
        {
            self.diagnostics.add(
                Severity::Error,
                "SKIN_NO_SCENE",
                place,
                "The joints are not part of any scene",
            );
        }
        if let Some(skeleton) = skin.skeleton
            && asset.nodes.len() < 5000
            && joints
                .iter()
                .any(|j| j.0 as usize != skeleton.0 && !asset.is_above(skeleton.0.into(), *j))
        {
            let message =
                format!("The skeleton root, node {}, is not an ancestor of all joints", skeleton.0);
            self.diagnostics.add(Severity::Error, "SKIN_SKELETON_INVALID", place, message);
        }
    }
}
